/* backends.h: the names of the backends, for backends.c, for the files that define them, and for the C units that
** test them. */
#ifndef MOONARRAY_BACKENDS_H
#define MOONARRAY_BACKENDS_H

#include "memory/memory.h"

#pragma GCC visibility push(hidden)

extern const ma_backend ma_cpu_backend, ma_cuda_backend;

#pragma GCC visibility pop
#endif
