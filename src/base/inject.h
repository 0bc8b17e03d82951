/*
** inject.h: failures on request, so that the specs can see what each of them leaves behind: the Nth launch, copy ...
** fails as the driver's would. (Allocations of the pools are counted in pool.c, compilations in compile.c.) While none
** is asked for, a place costs one comparison. Launches are counted on the way, for the specs and benchmarks that hold
** their number against a bound.
*/
#ifndef MOONARRAY_INJECT_H
#define MOONARRAY_INJECT_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

typedef enum ma_inject_kind {
  MA_INJECT_LAUNCH, /* one kernel of a GPU, one operation of the CPU */
  MA_INJECT_COPY,   /* of bytes by a backend */
  MA_INJECT_PINNED, /* pinned host memory */
  MA_INJECT_QUEUE,  /* making a stream or an event */
  MA_INJECT_WORKER, /* a compilation by the thread that does them in the background */
  MA_NINJECT
} ma_inject_kind;

extern int ma_injecting;    /* atomic: kinds that are asked for */
extern int64_t ma_launches; /* so far, in the process; exact while one thread launches */

/* Makes the nth next of a kind (1: the very next) and those after it fail, `times` in all; n = 0: none. */
void ma_inject_ask(ma_inject_kind kind, int64_t n, int64_t times);
ma_status ma_inject_count(ma_inject_kind kind, const char *what);

/* Called first by whatever is about to do it; `what` is for the message. */
static inline ma_status ma_inject(ma_inject_kind kind, const char *what) {
  if (kind == MA_INJECT_LAUNCH)
    __atomic_store_n(&ma_launches, __atomic_load_n(&ma_launches, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
  return __builtin_expect(__atomic_load_n(&ma_injecting, __ATOMIC_RELAXED), 0) ? ma_inject_count(kind, what) : MA_OK;
}

#pragma GCC visibility pop
#endif
