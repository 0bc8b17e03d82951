/*
** divide.c: integer division by zero, and of the least integer by -1, in kernels that the user wrote. A GPU and most
** processors return some number. x86 raises a fault, which would end the process. The system's handler asks here for
** the result of the instruction (src/system/trap.c), and continues behind it.
*/
#include "cpu/kernel/divide.h"
#include "system/system.h"

#include <pthread.h>
#include <string.h>

static _Thread_local int within;

/* A div or idiv: its length, the width of its operands, the divisor. */
typedef struct division {
  int size, bits;
  bool is_signed;
  uint64_t divisor;
} division;

/* The address that an instruction's bytes specify, from `at` on, which is behind the ModRM byte. Moves *at behind
** them. */
static uint64_t address(uint64_t *const reg[16], const uint8_t **at, int rex, int mode, int base) {
  uint64_t sum = 0;
  int32_t offset = 0;
  bool of_next = mode == 0 && base == 5;
  if (base == 4) {
    int sib = *(*at)++, index = (sib >> 3 & 7) | (rex & 2) << 2;
    base = sib & 7;
    if (index != 4) sum += *reg[index] << (sib >> 6);
    if (base == 5 && mode == 0) mode = 2;
    else sum += *reg[base | (rex & 1) << 3];
  } else if (!of_next) sum += *reg[base | (rex & 1) << 3];
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

static bool read_division(uint64_t *const reg[16], const uint8_t *start, division *d) {
  const uint8_t *at = start;
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
  /* the registers ah, ch, dh, bh */
  if (mode == 3 && d->bits == 8 && !rex && base >= 4) d->divisor = *reg[base - 4] >> 8;
  else if (mode == 3) d->divisor = *reg[base | (rex & 1) << 3];
  else {
    uint64_t where = address(reg, &at, rex, mode, base);
    memcpy(&d->divisor, (const void *)(uintptr_t)where, (size_t)d->bits / 8);
  }
  if (d->bits < 64) d->divisor &= ((uint64_t)1 << d->bits) - 1;
  d->size = (int)(at - start);
  return true;
}

/* Writing a 32-bit register clears its upper half; writing a narrower one keeps the rest. */
static void put(uint64_t *to, int bits, uint64_t value) {
  uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
  *to = bits >= 32 ? value & mask : (*to & ~mask) | (value & mask);
}

static int answer(uint64_t *const reg[16], const uint8_t *at) {
  division d;
  if (within <= 0 || !read_division(reg, at, &d)) return 0;
  uint64_t *low = reg[0], *high = reg[2];
  uint64_t quotient = d.divisor ? *low : UINT64_MAX, rest = d.divisor ? 0 : UINT64_MAX;
  if (d.bits == 8) put(low, 16, (quotient & 255) | (rest & 255) << 8);
  else {
    put(low, d.bits, quotient);
    put(high, d.bits, rest);
  }
  return d.size;
}

static void install(void) { ma_system_catch_divisions(answer); }

void ma_cpu_divide_begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (within++ == 0) pthread_once(&once, install);
}

void ma_cpu_divide_end(void) { within--; }
