/*
** stacks.h: how the threads of a block that waits take turns, each on a stack of its own. On x86-64 a switch saves the
** registers that a call keeps, and no more; elsewhere it is the C library's, which asks the system twice each time and
** takes ten times as long.
*/
enum { PRETEND_STACK = 1 << 17 };

#ifdef __x86_64__
typedef void *pretend_place; /* the stack pointer, below which the registers lie */

extern "C" __attribute__((visibility("hidden"))) void pretend_switch(pretend_place *from, pretend_place *to);
asm(".pushsection .text\n.globl pretend_switch\n.hidden pretend_switch\n.type pretend_switch, @function\n"
    "pretend_switch:\n"
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "mov %rsp, (%rdi)\nmov (%rsi), %rsp\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n.popsection");

/* The place where a stack begins with `enter`, which does not return. */
static void pretend_begin(pretend_place *place, char *stack, void (*enter)()) {
  void **top = (void **)(stack + PRETEND_STACK);
  memset(top - 8, 0, 8 * sizeof *top); /* six registers, where to go on, and a return address that nobody takes */
  top[-2] = (void *)enter;
  *place = top - 8;
}
#else
#include <ucontext.h>
typedef ucontext_t pretend_place;

static void pretend_switch(pretend_place *from, pretend_place *to) { swapcontext(from, to); }
static void pretend_begin(pretend_place *place, char *stack, void (*enter)()) {
  getcontext(place);
  place->uc_stack.ss_sp = stack;
  place->uc_stack.ss_size = PRETEND_STACK;
  place->uc_link = NULL;
  makecontext(place, enter, 0);
}
#endif
