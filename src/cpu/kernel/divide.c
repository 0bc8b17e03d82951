/*
** divide.c: integer division by zero, and of the least integer by -1, in kernels that the user wrote. A GPU and most
** processors return some number. x86 raises SIGFPE, which would end the process. The handler sets the result of the
** instruction and continues behind it. Any other SIGFPE goes to the handler that was installed before.
*/
#include "cpu/kernel/divide.h"

#if defined(__x86_64__) && defined(__linux__)

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

static _Thread_local int within;
static struct sigaction before;

/* A div or idiv: its length, the width of its operands, the divisor. */
typedef struct division {
  int size, bits;
  bool is_signed;
  uint64_t divisor;
} division;

static greg_t *reg(ucontext_t *u, int number) {
  static const int place[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                 REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
  return &u->uc_mcontext.gregs[place[number]];
}

/* Decodes the address that the bytes from `at` on specify, behind the ModRM byte; moves *at behind them. */
static uint64_t address(ucontext_t *u, const uint8_t **at, int rex, int mode, int base) {
  uint64_t sum = 0;
  int32_t offset = 0;
  bool of_next = mode == 0 && base == 5;
  if (base == 4) {
    int sib = *(*at)++, index = (sib >> 3 & 7) | (rex & 2) << 2;
    base = sib & 7;
    if (index != 4) sum += (uint64_t)*reg(u, index) << (sib >> 6);
    if (base == 5 && mode == 0) mode = 2;
    else sum += (uint64_t)*reg(u, base | (rex & 1) << 3);
  } else if (!of_next) sum += (uint64_t)*reg(u, base | (rex & 1) << 3);
  if (mode == 1) {
    offset = (int8_t) * *at;
    *at += 1;
  }
  if (mode == 2 || of_next) {
    memcpy(&offset, *at, 4);
    *at += 4;
  }
  return sum + (uint64_t)(int64_t)offset + (of_next ? (uint64_t)(uintptr_t)*at : 0);
}

static bool read_division(ucontext_t *u, division *d) {
  const uint8_t *start = (const uint8_t *)u->uc_mcontext.gregs[REG_RIP], *at = start;
  int rex = 0;
  d->bits = 32;
  while (*at == 0x66 || *at == 0x2e || *at == 0x3e)
    if (*at++ == 0x66) d->bits = 16;
  if ((*at & 0xf0) == 0x40) rex = *at++;
  if (rex & 8) d->bits = 64;
  if (*at != 0xf6 && *at != 0xf7) return false;
  if (*at++ == 0xf6) d->bits = 8;
  int form = *at++, mode = form >> 6, kind = form >> 3 & 7, base = form & 7;
  if (kind != 6 && kind != 7) return false;
  d->is_signed = kind == 7;
  d->divisor = 0;
  /* ah, ch, dh, bh. */
  if (mode == 3 && d->bits == 8 && !rex && base >= 4) d->divisor = (uint64_t)*reg(u, base - 4) >> 8;
  else if (mode == 3) d->divisor = (uint64_t)*reg(u, base | (rex & 1) << 3);
  else {
    uint64_t where = address(u, &at, rex, mode, base);
    memcpy(&d->divisor, (const void *)(uintptr_t)where, (size_t)d->bits / 8);
  }
  if (d->bits < 64) d->divisor &= ((uint64_t)1 << d->bits) - 1;
  d->size = (int)(at - start);
  return true;
}

/* Writing a 32-bit register clears its upper half; writing a narrower one keeps the rest. */
static void put(greg_t *to, int bits, uint64_t value) {
  uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
  *to = (greg_t)(bits >= 32 ? value & mask : ((uint64_t)*to & ~mask) | (value & mask));
}

static void answer(ucontext_t *u, const division *d) {
  greg_t *low = reg(u, 0), *high = reg(u, 2);
  uint64_t quotient = d->divisor ? (uint64_t)*low : UINT64_MAX, rest = d->divisor ? 0 : UINT64_MAX;
  if (d->bits == 8) put(low, 16, (quotient & 255) | (rest & 255) << 8);
  else {
    put(low, d->bits, quotient);
    put(high, d->bits, rest);
  }
  u->uc_mcontext.gregs[REG_RIP] += d->size;
}

static void handle(int number, siginfo_t *info, void *context) {
  division d;
  if (within > 0 && info->si_code == FPE_INTDIV && read_division(context, &d)) {
    answer(context, &d);
    return;
  }
  if (before.sa_flags & SA_SIGINFO) before.sa_sigaction(number, info, context);
  else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(number);
  else sigaction(number, &before, NULL); /* the instruction raises the signal again */
}

static void install(void) {
  struct sigaction ours = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };
  sigemptyset(&ours.sa_mask);
  sigaction(SIGFPE, &ours, &before);
}

void ma_cpu_divide_begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (within++ == 0) pthread_once(&once, install);
}

void ma_cpu_divide_end(void) { within--; }

#else

void ma_cpu_divide_begin(void) {}
void ma_cpu_divide_end(void) {}

#endif
