/* trap.c: the fault of an integer division, SIGFPE. Any other SIGFPE goes to the handler that was installed before. */
#include "system/system.h"

#if defined(__x86_64__) && defined(__linux__)

#include <signal.h>
#include <ucontext.h>

static struct sigaction before;
static ma_division *divide;

/* Whether the instruction was a division that is answered. */
static bool answered(ucontext_t *u) {
  static const int place[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                 REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
  greg_t *r = u->uc_mcontext.gregs;
  uint64_t *reg[16];
  for (int i = 0; i < 16; i++) reg[i] = (uint64_t *)(void *)&r[place[i]];
  int size = divide(reg, (const uint8_t *)r[REG_RIP]);
  r[REG_RIP] += size;
  return size > 0;
}

static void handle(int number, siginfo_t *info, void *context) {
  if (info->si_code == FPE_INTDIV && answered(context)) return;
  if (before.sa_flags & SA_SIGINFO) before.sa_sigaction(number, info, context);
  else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(number);
  else sigaction(number, &before, NULL); /* the instruction raises the signal again */
}

void ma_system_catch_divisions(ma_division *answer) {
  struct sigaction ours = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };
  divide = answer;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGFPE, &ours, &before);
}

#else

void ma_system_catch_divisions(ma_division *answer) {}

#endif

void ma_system_exchange_stack(ma_stack *stack) {} /* the frames alone say who catches an exception */
