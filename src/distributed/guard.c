/*
** guard.c: a time limit for those calls of MPI that return only when all ranks have made them: its start, and the
** making of communicators. They cannot be given up, so a thread ends the process when the time is over. Then the
** launcher ends the other ranks.
*/
#include "base/number.h"
#include "distributed/distributed.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct {
  pthread_mutex_t lock;
  pthread_cond_t done;
  pthread_t thread;
  bool runs, ended;
  double limit;
  const char *name;
} guard = { .lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER };

static void *watch(void *nothing) {
  struct timespec until;
  int result = 0;
  clock_gettime(CLOCK_REALTIME, &until);
  double seconds = guard.limit + (double)until.tv_nsec * 1e-9;
  until.tv_sec += (time_t)seconds;
  until.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9);
  pthread_mutex_lock(&guard.lock);
  while (!guard.ended && result != ETIMEDOUT) result = pthread_cond_timedwait(&guard.done, &guard.lock, &until);
  if (!guard.ended) {
    ma_print_error(
      "moonarray.%s: not done within %.4g s, because some rank has not called it; wanted a call on every rank. "
      "The call cannot be given up, so this process ends\n",
      guard.name, guard.limit);
    fflush(stderr);
    _Exit(1);
  }
  pthread_mutex_unlock(&guard.lock);
  return NULL;
}

void ma_guard_begin(const char *name, double limit) {
  if (limit <= 0 || guard.runs) return;
  guard.name = name;
  guard.limit = limit;
  guard.ended = false;
  guard.runs = pthread_create(&guard.thread, NULL, watch, NULL) == 0;
}

ma_status ma_guard_end(ma_status status) {
  if (!guard.runs) return status;
  pthread_mutex_lock(&guard.lock);
  guard.ended = true;
  pthread_cond_signal(&guard.done);
  pthread_mutex_unlock(&guard.lock);
  pthread_join(guard.thread, NULL);
  guard.runs = false;
  return status;
}
