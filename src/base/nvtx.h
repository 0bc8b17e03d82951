/* nvtx.h: marks and named ranges on the time line of a profiler, such as Nsight Systems. */
#ifndef MOONARRAY_NVTX_H
#define MOONARRAY_NVTX_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Without a profiler these functions do nothing. color: 0xAARRGGBB, or 0 for none. Ranges nest; each thread has a
** stack. */
void ma_nvtx_mark(const char *message, uint32_t color);
/* Number of ranges that were open before; negative: no profiler. */
int ma_nvtx_push(const char *message, uint32_t color);
int ma_nvtx_pop(void); /* number of ranges that are still open; negative: none was open, or no profiler */
/* Begins a range that need not nest and may end on another thread. Returns its number for ma_nvtx_end; 0: no
** profiler. */
uint64_t ma_nvtx_start(const char *message, uint32_t color);
void ma_nvtx_end(uint64_t range);
bool ma_nvtx_listens(void);

#pragma GCC visibility pop
#endif
