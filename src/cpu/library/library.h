/* library.h: BLAS, LAPACK and FFTW for the CPU backend, opened at run time: ma_cpu_need(MA_CPU_blas), then
** ma_cl.dgemm(...). */
#ifndef MOONARRAY_CPU_LIBRARY_H
#define MOONARRAY_CPU_LIBRARY_H

#include "backend/fft.h"
#include "backend/linalg.h"
#include "cpu/cpu.h"

#pragma GCC visibility push(hidden)

typedef enum ma_cpu_library {
#define LIBRARY(id, title) MA_CPU_##id,
#include "cpu/library/symbols.def"
  MA_CPU_NLIBRARY
} ma_cpu_library;

/* The integers of BLAS and LAPACK, passed by address. A library with 32-bit integers reads and writes the lower
** half, so a variable that it sets must be 0 before. */
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

/* An error says which library is missing and how to get it. Cheap if the library is open. */
ma_status ma_cpu_need(ma_cpu_library which);
const char *ma_cpu_library_path(ma_cpu_library which); /* file of an open library, else "" */
bool ma_cpu_lapack_is_wide(void);                      /* its integers, also those in lists, have 64 bits */

/* How a library spells its names: dgemm_, dgemm_64_, scipy_dgemm_64_; and the symbol for a plain name, or NULL. */
typedef struct ma_cpu_spelling {
  const char *prefix, *suffix;
} ma_cpu_spelling;
void *ma_cpu_symbol(void *handle, const ma_cpu_spelling *spelling, const char *name);
const ma_cpu_spelling *ma_cpu_library_spelling(ma_cpu_library which); /* of an open library */
/* openblas.c: adjusts a BLAS that was opened. `fresh` says that the process had not opened it before. Libraries other
** than OpenBLAS and MKL are left as they are. */
void ma_cpu_openblas_settle(void *handle, const ma_cpu_spelling *spelling, bool fresh);
bool ma_cpu_openblas_is_there(void);
/* says that threads of the backend will call the library; each call with true is followed by one with false */
void ma_cpu_openblas_alone(bool begin);

/* linalg.c, fft.c: slots of the backend's table; lapack.h has the others */
/* banded.c */

/* fft.c: the Fourier transform of one row, between two pieces of aligned memory, for cosine.c */
ma_status ma_cpu_fft_row(const void *job, void *from, void *to);

/* whole.c: the terms of a transform of reals that are conjugates of those that FFTW computes */
void ma_cpu_fft_fill(const ma_fft *fft, void *terms);

/* chirp.c: transforms of a row whose length has a large prime factor */
typedef struct ma_chirp ma_chirp;
bool ma_cpu_chirp_suits(const ma_fft *fft);
ma_status ma_cpu_chirp_new(const ma_fft *fft, bool single, ma_chirp **made);
void ma_cpu_chirp_free(ma_chirp *chirp);
ma_status ma_cpu_chirp_run(const ma_chirp *chirp, const ma_fft *fft, const void *from, void *to);

/* cosine.c */
void ma_cpu_cosine_inner(const ma_fft *fft, ma_fft *inner);
ma_status ma_cpu_cosine_tables(const ma_fft *fft, void **tables);
ma_status ma_cpu_cosine(const ma_fft *fft, const void *row, const void *tables, const void *from, void *to);

#pragma GCC visibility pop
#endif
