/*
** trap.c: the fault of an integer division, and where exceptions may be thrown. Other faults go to the handlers that
** were there before.
*/
#include "system/system.h"

#include <windows.h>

static ma_division *divide;

static LONG CALLBACK handle(EXCEPTION_POINTERS *fault) {
  DWORD code = fault->ExceptionRecord->ExceptionCode;
  if (code != EXCEPTION_INT_DIVIDE_BY_ZERO && code != EXCEPTION_INT_OVERFLOW) return EXCEPTION_CONTINUE_SEARCH;
  CONTEXT *c = fault->ContextRecord;
  uint64_t *reg[16] = { &c->Rax, &c->Rcx, &c->Rdx, &c->Rbx, &c->Rsp, &c->Rbp, &c->Rsi, &c->Rdi,
                        &c->R8,  &c->R9,  &c->R10, &c->R11, &c->R12, &c->R13, &c->R14, &c->R15 };
  int size = divide(reg, (const uint8_t *)c->Rip);
  c->Rip += (DWORD64)size;
  return size > 0 ? EXCEPTION_CONTINUE_EXECUTION : EXCEPTION_CONTINUE_SEARCH;
}

void ma_system_catch_divisions(ma_division *answer) {
  divide = answer;
  AddVectoredExceptionHandler(1, handle);
}

/* The list of handlers ends with all bits set. It is that of 32 bits, but Wine walks it for its own. */
void ma_system_exchange_stack(ma_stack *stack) {
  NT_TIB *thread = (NT_TIB *)NtCurrentTeb();
  ma_stack before = { thread->StackLimit, thread->StackBase, thread->ExceptionList };
  thread->StackLimit = stack->low;
  thread->StackBase = stack->high;
  thread->ExceptionList = stack->handlers ? stack->handlers : (void *)-1;
  *stack = before;
}
