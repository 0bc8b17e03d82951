/* library.h: BLAS, LAPACK and FFTW for the CPU backend, opened at run time: ma_cpu_need(MA_CPU_blas), then
** ma_cl.dgemm(...). */
#ifndef MOONARRAY_CPU_LIBRARY_H
#define MOONARRAY_CPU_LIBRARY_H

#include "cpu/cpu.h"

#pragma GCC visibility push(hidden)

typedef enum ma_cpu_library {
#define LIBRARY(id, title, hint, ...) MA_CPU_##id,
#include "cpu/library/symbols.def"
  MA_CPU_NLIBRARY
} ma_cpu_library;

/* The integers of BLAS and LAPACK, by address. A library whose own have 32 bits reads and writes the lower half: what
** it is to set is 0 before. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
typedef int64_t ma_blas_int;
#else
typedef int32_t ma_blas_int;
#endif

typedef struct ma_fftw_dim {
  ptrdiff_t n, from, to;
} ma_fftw_dim; /* fftw_iodim64 */

typedef struct ma_cpu_api {
#define SYMBOL(library, name, exported, result, parameters) result(*name) parameters;
#include "cpu/library/symbols.def"
} ma_cpu_api;
extern ma_cpu_api ma_cl;

/* an error says which library is missing and how to get it; cheap when it is open */
ma_status ma_cpu_need(ma_cpu_library which);
const char *ma_cpu_library_path(ma_cpu_library which); /* the file that was opened, "" before */
bool ma_cpu_lapack_is_wide(void);                      /* its integers have 64 bits, and so those of its lists */

/* How a library spells its names: dgemm_, dgemm_64_, scipy_dgemm_64_; and what it exports of a plain name, NULL if
** nothing. */
typedef struct ma_cpu_spelling {
  const char *prefix, *suffix;
} ma_cpu_spelling;
void *ma_cpu_symbol(void *handle, const ma_cpu_spelling *spelling, const char *name);
const ma_cpu_spelling *ma_cpu_library_spelling(ma_cpu_library which); /* of one that was opened */
/* openblas.c: for a BLAS that was opened; `fresh`: nobody in the process had it open before. Does nothing to what is
** not OpenBLAS or MKL. */
void ma_cpu_openblas_settle(void *handle, const ma_cpu_spelling *spelling, bool fresh);
bool ma_cpu_openblas_is_there(void);
void ma_cpu_openblas_alone(bool begin); /* threads of ours will call it; each true is followed by a false */

#pragma GCC visibility pop
#endif
