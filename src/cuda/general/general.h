/*
** general.h: what the general forms of kernels share. A general form serves where the exact form is compiled nowhere
** and NVRTC is missing. Its text depends on what is computed alone: layouts and the dtypes of arrays are parameters of
** the launch. It gives the bits of the exact form.
*/
#ifndef MOONARRAY_CUDA_GENERAL_H
#define MOONARRAY_CUDA_GENERAL_H

#include "cuda/cuda.h"

#pragma GCC visibility push(hidden)

bool ma_general_has(ma_dtype dtype); /* whether arrays of the dtype have general forms */
/* Prints kernels/map/general.cuh with its lists; bit d of `registers` says that the kernel computes with dtype d. With
** `apart`, accesses are functions, of which a text with many of them becomes smaller. */
void ma_general_print(ma_ctext *text, uint32_t registers, bool apart);

/* Puts axes of extent 1 before axis `at`, until there are `ndim`. The text of a kernel whose axes are numbered in it is
** then the same for all shapes. */
void ma_general_pad(ma_space *space, int at, int ndim);

/* reduce_general.c: not taken: the reduction has no general form, or that is not compiled either. */
ma_status ma_reduce_run_general(ma_stream *stream, const ma_reduction *reduction, bool *taken);

#pragma GCC visibility pop
#endif
