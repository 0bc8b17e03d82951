/*
** inject.h: failures on request: the Nth launch or copy fails as if the driver had failed it, so that specs can check
** what a failure leaves behind. (pool.c counts allocations and compile.c counts compilations.) If no failure is asked
** for, a call of ma_inject costs one comparison. It also counts launches, for the specs and benchmarks that bound their
** number.
*/
#ifndef MOONARRAY_INJECT_H
#define MOONARRAY_INJECT_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

typedef enum ma_inject_kind {
  MA_INJECT_LAUNCH, /* a kernel of a GPU, or an operation of the CPU */
  MA_INJECT_COPY,   /* a copy by a backend */
  MA_INJECT_PINNED, /* an allocation of pinned host memory */
  MA_INJECT_QUEUE,  /* the creation of a stream or an event */
  MA_INJECT_WORKER, /* a compilation by the background thread */
  MA_INJECT_FILE,   /* a write, sync, close or rename of a file */
  MA_NINJECT
} ma_inject_kind;

extern int ma_injecting;    /* atomic: number of kinds with a failure asked for */
extern int64_t ma_launches; /* launches so far in the process; exact while one thread launches */
/* atomic: operations take none of the shorter ways, so that a spec has something to compare these with */
extern bool ma_takes_long_way;

/* Makes the nth next action of a kind (1: the very next) and those after it fail, `times` in all; n = 0: none. */
void ma_inject_ask(ma_inject_kind kind, int64_t n, int64_t times);
ma_status ma_inject_count(ma_inject_kind kind, const char *what);

/* Called before the action; `what` is for the message. */
static inline ma_status ma_inject(ma_inject_kind kind, const char *what) {
  if (kind == MA_INJECT_LAUNCH)
    __atomic_store_n(&ma_launches, __atomic_load_n(&ma_launches, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
  return __builtin_expect(__atomic_load_n(&ma_injecting, __ATOMIC_RELAXED), 0) ? ma_inject_count(kind, what) : MA_OK;
}

#pragma GCC visibility pop
#endif
