/* library.h: BLAS, LAPACK and FFTW for the CPU backend, opened at run time: ma_cpu_need(MA_CPU_blas), then ma_cl.dgemm(...). */
#ifndef MOONARRAY_CPU_LIBRARY_H
#define MOONARRAY_CPU_LIBRARY_H

#include "cpu.h"

#pragma GCC visibility push(hidden)

typedef enum ma_cpu_library {
#define LIBRARY(id, title, hint, ...) MA_CPU_##id,
#include "symbols.def"
  MA_CPU_NLIBRARY
} ma_cpu_library;

typedef struct ma_fftw_dim { ptrdiff_t n, from, to; } ma_fftw_dim;      /* fftw_iodim64 */

typedef struct ma_cpu_api {
#define SYMBOL(library, name, exported, result, parameters) result (*name) parameters;
#include "symbols.def"
} ma_cpu_api;
extern ma_cpu_api ma_cl;

ma_status ma_cpu_need(ma_cpu_library which);    /* an error says which library is missing and how to get it; cheap when it is open */
const char *ma_cpu_library_path(ma_cpu_library which);         /* the file that was opened, "" before */
/* openblas.c: for a BLAS that was opened; `fresh`: nobody in the process had it open before. Does nothing to what is not OpenBLAS or MKL. */
void ma_cpu_openblas_settle(void *handle, bool fresh);
bool ma_cpu_openblas_is_there(void);
void ma_cpu_openblas_alone(bool begin);         /* threads of ours will call it; each true is followed by a false */

#pragma GCC visibility pop
#endif
