/* rewrite.h: rewrites CUDA C++ as C++ for the CPU (rewrite.c). */
#ifndef MA_REWRITE_H
#define MA_REWRITE_H

#include "cpu/cpu.h"

#pragma GCC visibility push(hidden)

typedef struct ma_cpu_source {
  ma_ctext text;      /* the whole text that is compiled */
  bool waits;         /* mentions a barrier, a shuffle or a vote */
  bool reads_thread;  /* a function that is not a kernel, or a macro, may read threadIdx */
  bool wants_complex; /* includes <cupy/complex.cuh> */
  bool has_globals;   /* has variables at file scope, of which each load has its own */
} ma_cpu_source;

/* The caller frees `result->text`. */
ma_status ma_cpu_rewrite(const ma_module_source *source, ma_cpu_source *result);
/* The value of option *k if it begins with `letter` (-DN=3, or -D and N=3), else NULL; moves *k to the last word
** used. */
const char *ma_cpu_option(const ma_module_source *source, int *k, char letter);

#pragma GCC visibility pop
#endif
