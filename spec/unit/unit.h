/* unit.h: what units share: random numbers below n, and an end at the first call that fails. */
#ifndef MOONARRAY_UNIT_H
#define MOONARRAY_UNIT_H

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static inline uint32_t draw(uint32_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state >> 33) % n);
}

static inline void check(ma_status status) {
  if (status == MA_OK) return;
  fprintf(stderr, "%s\n", ma_message());
  exit(1);
}

#endif
