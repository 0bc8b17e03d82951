/*
** fork.c: the locks that a forked child needs. Only the thread that forks goes on in the child, and what another thread
** held at that moment would stay locked for ever. So a fork takes the locks of arrays on the CPU, all of them, and so
** waits for whoever holds one. (The threads of the CPU backend look after themselves, and the GPU is refused in a
** child: src/cpu/threads.c, src/cuda/device.c.)
*/
#include "base/fork.h"

#include <stddef.h>

#define MOST 256 /* a lock beyond these is not guarded */

/* Adding takes no lock, so that it may be done under any. */
static struct {
  pthread_mutex_t *lock;
  ma_fork_rank rank;
} guarded[MOST];
static int nguarded;
static pthread_mutex_t *held[MOST]; /* by the fork that is on its way */
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
