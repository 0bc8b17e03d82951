/* header.h: the text in front of every kernel that the user wrote, on the CPU. */
#ifndef MOONARRAY_CPU_HEADER_H
#define MOONARRAY_CPU_HEADER_H

#include "program/program.h"

/* Prints cpu_cuda.h, and each family of CUDA functions of which `text` or `options` (NULL: none) names one. */
void ma_cpu_header_print(ma_ctext *out, const char *text, const char *options);

#endif
