/* fork.h: what must hold over a fork. */
#ifndef MOONARRAY_FORK_H
#define MOONARRAY_FORK_H

#include <pthread.h>

#pragma GCC visibility push(hidden)

/* The lock is taken before every fork and let go after it, in parent and child, so that a child never inherits it locked by a thread
** that it does not have. For locks that are held briefly and under which no other guarded lock is taken but one that was guarded
** later. Once a lock; again is harmless. */
void ma_fork_guard(pthread_mutex_t *lock);

#pragma GCC visibility pop
#endif
