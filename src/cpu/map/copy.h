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
void ma_fill_row(void *to, const void *value, int size, int n); /* writes one element n times */

#pragma GCC visibility pop
#endif
