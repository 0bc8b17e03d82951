/* fork.h: locks that stay usable in the child of a fork. */
#ifndef MOONARRAY_FORK_H
#define MOONARRAY_FORK_H

#include <pthread.h>

#pragma GCC visibility push(hidden)

/* The order in which nested locks are taken: lower ranks first. */
typedef enum ma_fork_rank {
  MA_FORK_BODY,
  MA_FORK_COMPILE,
  MA_FORK_LOOKUP,
  MA_FORK_DEVICE,
  MA_FORK_STREAM,
  MA_FORK_POOL,
  MA_FORK_SEND,
  MA_FORK_SPAN,
  MA_FORK_LEAF,
  MA_FORK_NRANK
} ma_fork_rank;

/* Takes the lock before every fork and releases it afterwards, in parent and child. So a child never inherits a lock
** that is held by a thread that the child does not have. Call it once for each lock; the lock must live as long as
** the process. */
void ma_fork_guard(pthread_mutex_t *lock, ma_fork_rank rank);

/* Guards a static lock from the moment that the module is loaded. Write it after the lock's definition. */
#define MA_FORK_GUARD(lock, rank) \
  __attribute__((constructor)) static void guard_##lock(void) { ma_fork_guard(&lock, rank); }

#pragma GCC visibility pop
#endif
