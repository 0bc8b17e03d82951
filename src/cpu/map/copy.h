/* copy.h: programs that change nothing, or only bits, for map.c. */
#ifndef MOONARRAY_CPU_COPY_H
#define MOONARRAY_CPU_COPY_H

#include "cpu/cpu.h"

#pragma GCC visibility push(hidden)

bool ma_cpu_copies(const ma_program *program); /* whether it copies its only input */
/* Copies row by row; false if the rows are too short. */
bool ma_cpu_copy(const ma_map *map, bool streamed, ma_status *status);
/* Writes 1 for each bool that is not 0. `to` may be `from`. */
void ma_copy_truths(char *to, const char *from, int n);
/* Writes one element n times. It has 16 bytes, with 0 behind its own. */
void ma_fill_row(void *to, const void *value, int size, int n);
/* Repeats such an element over its 16 bytes. */
static inline void ma_repeat_value(uint64_t word[2], int size) {
  static const uint64_t copies[9] = {
    [1] = UINT64_C(0x0101010101010101), [2] = UINT64_C(0x0001000100010001), [4] = UINT64_C(0x0000000100000001), [8] = 1
  };
  if (size <= 8) word[0] = word[1] = word[0] * copies[size];
}

#pragma GCC visibility pop
#endif
