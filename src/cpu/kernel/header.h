/* header.h: what stands in front of every kernel of the user's own on the CPU. */
#ifndef MOONARRAY_CPU_HEADER_H
#define MOONARRAY_CPU_HEADER_H

#include "program/program.h"

/* cpu_cuda.h, and of the families of CUDA's functions those that `text` or `options` (NULL: none) names one of. */
void ma_cpu_header_print(ma_ctext *out, const char *text, const char *options);

#endif
