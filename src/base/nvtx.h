/* nvtx.h: names for stretches of a program on the time line of a profiler (Nsight Systems and the like). */
#ifndef MOONARRAY_NVTX_H
#define MOONARRAY_NVTX_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Without a profiler all do nothing. color: 0xAARRGGBB, 0: none. Ranges nest, a stack a thread. */
void ma_nvtx_mark(const char *message, uint32_t color);
int ma_nvtx_push(const char *message, uint32_t color); /* how many ranges were open; negative: nobody listens */
int ma_nvtx_pop(void); /* how many are left; negative: none was open, or nobody listens */
bool ma_nvtx_listens(void);

#pragma GCC visibility pop
#endif
