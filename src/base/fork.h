/* fork.h: what must hold over a fork. */
#ifndef MOONARRAY_FORK_H
#define MOONARRAY_FORK_H

#include <pthread.h>

#pragma GCC visibility push(hidden)

/* The order in which locks are taken where one is taken under another: lower first. */
typedef enum ma_fork_rank {
  MA_FORK_BODY,
  MA_FORK_COMPILE,
  MA_FORK_LOOKUP,
  MA_FORK_DEVICE,
  MA_FORK_STREAM,
  MA_FORK_POOL,
  MA_FORK_LEAF,
  MA_FORK_NRANK
} ma_fork_rank;

/* The lock, which lives as long as the process, is taken before every fork and let go after it, in parent and child: a
** child never inherits it locked by a thread that it does not have. Once a lock. */
void ma_fork_guard(pthread_mutex_t *lock, ma_fork_rank rank);

/* For a static lock, behind its definition: guarded from the moment that the module is loaded. */
#define MA_FORK_GUARD(lock, rank) \
  __attribute__((constructor)) static void guard_##lock(void) { ma_fork_guard(&lock, rank); }

#pragma GCC visibility pop
#endif
