/*
** fork.c: the locks that a forked child needs. Only the thread that forks goes on in the child: what another thread held then would
** stay locked for ever. So the fork waits for the few short locks that arrays on the CPU take. (The threads of the CPU backend
** look after themselves, and the GPU is refused in a child: src/cpu/threads.c, src/cuda/device.c.)
*/
#include "fork.h"

#include <stdbool.h>

#define MOST 64                        /* a lock beyond these is not guarded */

static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *guarded[MOST];
static int nguarded;                   /* atomic: grows under the lock */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before(void)
{
  pthread_mutex_lock(&adding);
  for (int k = 0; k < nguarded; k++)
    pthread_mutex_lock(guarded[k]);
}

static void after(void)
{
  for (int k = nguarded - 1; k >= 0; k--)
    pthread_mutex_unlock(guarded[k]);
  pthread_mutex_unlock(&adding);
}

static void install(void)
{
  pthread_atfork(before, after, after);
}

void ma_fork_guard(pthread_mutex_t *lock)
{
  pthread_once(&once, install);
  int n = __atomic_load_n(&nguarded, __ATOMIC_ACQUIRE);
  for (int k = 0; k < n; k++)
    if (guarded[k] == lock)
      return;
  pthread_mutex_lock(&adding);
  bool known = false;
  for (int k = 0; k < nguarded; k++)
    known |= guarded[k] == lock;
  if (!known && nguarded < MOST) {
    guarded[nguarded] = lock;
    __atomic_store_n(&nguarded, nguarded + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&adding);
}
