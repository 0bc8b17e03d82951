/*
** fork.c: locks over a fork. In the child only the forking thread exists, so a lock that another thread held would stay
** locked for ever. So a fork first takes all guarded locks, and waits for their holders. (threads.c handles its
** own threads, and src/cuda/device.c refuses the GPU in a child.)
*/
#include "base/fork.h"

#include <stddef.h>

#define MOST 256 /* further locks are not guarded */

/* Adding a lock takes no lock, so it may be done under any lock. */
static struct {
  pthread_mutex_t *lock;
  ma_fork_rank rank;
} guarded[MOST];
static int nguarded;
static pthread_mutex_t *held[MOST]; /* taken by the fork in progress */
static int nheld;
static pthread_mutex_t forking = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before(void) {
  pthread_mutex_lock(&forking);
  int n = __atomic_load_n(&nguarded, __ATOMIC_ACQUIRE);
  nheld = 0;
  for (int rank = 0; rank < MA_FORK_NRANK; rank++) {
    for (int k = 0; k < n && k < MOST; k++) {
      pthread_mutex_t *lock = __atomic_load_n(&guarded[k].lock, __ATOMIC_ACQUIRE);
      if (!lock || (int)guarded[k].rank != rank) continue;
      pthread_mutex_lock(lock);
      held[nheld++] = lock;
    }
  }
}

static void after(void) {
  while (nheld > 0) pthread_mutex_unlock(held[--nheld]);
  pthread_mutex_unlock(&forking);
}

static void install(void) { pthread_atfork(before, after, after); }

void ma_fork_guard(pthread_mutex_t *lock, ma_fork_rank rank) {
  pthread_once(&once, install);
  int k = __atomic_fetch_add(&nguarded, 1, __ATOMIC_ACQ_REL);
  if (k >= MOST) return;
  guarded[k].rank = rank;
  __atomic_store_n(&guarded[k].lock, lock, __ATOMIC_RELEASE);
}
