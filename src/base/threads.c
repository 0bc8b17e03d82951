/*
** threads.c: divides a range among threads. The range is cut at multiples of its grain into pieces, which free threads
** take in turn. So a result does not depend on the number of threads.
**
** The pool is used in place of OpenMP: the calling thread waits only for threads that have begun a piece, never for one
** that the system has not run yet. On a busy machine, OpenMP's barrier costs a time slice for each call.
*/
#include "base/threads.h"
#include "tuning.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define MOST_THREADS 256

typedef struct job {
  int64_t n, piece, next; /* next: atomic, the first element that is not taken */
  ma_range_function *fn;
  void *context;
  int active;       /* atomic: threads of the pool that work on it; changed under the lock */
  ma_status status; /* the first failure; used under the lock */
  char message[512];
} job;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t more, done;
  job *current;
  unsigned posted; /* atomic: number of jobs, for threads that look without the lock */
  int nthread;
  bool forks; /* the handler for forks is installed */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER };

static _Thread_local bool inside; /* this thread runs a piece, so calls inside it run serially */

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* The lock is held for some instructions. A thread that slept for it would be woken by the system, which takes longer
** than most pieces, above all on a virtual machine whose processor went idle meanwhile. */
static void take_lock(void) {
  for (int k = 0; k < TUNE_THREAD_SPIN / 10; k++) {
    if (pthread_mutex_trylock(&pool.lock) == 0) return;
    pause_briefly();
  }
  pthread_mutex_lock(&pool.lock);
}

int ma_cpu_threads(void) {
  static int count; /* every thread would write the same value */
  int known = __atomic_load_n(&count, __ATOMIC_RELAXED);
  if (known > 0) return known;
  int64_t wanted = ma_config_int(MA_CONFIG_NUM_THREADS);
#ifdef CPU_COUNT
  cpu_set_t set;
  if (wanted <= 0 && sched_getaffinity(0, sizeof set, &set) == 0) wanted = CPU_COUNT(&set);
#endif
  if (wanted <= 0) wanted = sysconf(_SC_NPROCESSORS_ONLN);
  known = wanted < 1 ? 1 : wanted > MOST_THREADS ? MOST_THREADS : (int)wanted;
  __atomic_store_n(&count, known, __ATOMIC_RELAXED);
  return known;
}

static void run_pieces(job *j) {
  inside = true;
  for (;;) {
    int64_t first = __atomic_fetch_add(&j->next, j->piece, __ATOMIC_RELAXED);
    if (first >= j->n) break;
    ma_status status = j->fn(j->context, first, j->n - first < j->piece ? j->n : first + j->piece);
    if (status == MA_OK) continue;
    take_lock();
    if (j->status == MA_OK) {
      j->status = status;
      snprintf(j->message, sizeof j->message, "%s", ma_message());
    }
    pthread_mutex_unlock(&pool.lock);
    __atomic_store_n(&j->next, j->n, __ATOMIC_RELAXED);
  }
  inside = false;
}

static void *work(void *unused) {
  unsigned seen = 0;
  pthread_mutex_lock(&pool.lock);
  for (;;) {
    if (pool.current == NULL || __atomic_load_n(&pool.current->next, __ATOMIC_RELAXED) >= pool.current->n) {
      seen = __atomic_load_n(&pool.posted, __ATOMIC_RELAXED);
      pthread_mutex_unlock(&pool.lock);
      for (int k = 0; k < TUNE_THREAD_SPIN && __atomic_load_n(&pool.posted, __ATOMIC_RELAXED) == seen; k++)
        pause_briefly();
      take_lock();
      while (pool.posted == seen) pthread_cond_wait(&pool.more, &pool.lock);
      continue;
    }
    job *j = pool.current;
    __atomic_add_fetch(&j->active, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&pool.lock);
    run_pieces(j);
    take_lock();
    if (__atomic_sub_fetch(&j->active, 1, __ATOMIC_RELEASE) == 0) pthread_cond_broadcast(&pool.done);
  }
  return NULL;
}

/* In the child of a fork there are no threads. */
static void forget_threads(void) {
  pthread_mutex_init(&pool.lock, NULL);
  pthread_cond_init(&pool.more, NULL);
  pthread_cond_init(&pool.done, NULL);
  pool.current = NULL;
  pool.nthread = 0;
}

/* Needs the lock. Blocks signals in the new threads: they belong to the program's own threads. */
static void start_threads(int wanted) {
  sigset_t all, before;
  pthread_attr_t attributes;
  pthread_t id;
  if (!pool.forks) pool.forks = pthread_atfork(NULL, NULL, forget_threads) == 0;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (pool.nthread < wanted && pthread_create(&id, &attributes, work, NULL) == 0) pool.nthread++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}

/* Lets no thread begin, and waits for those that have: mostly less than a piece, so it looks before it sleeps. */
static void finish(job *j) {
  take_lock();
  pool.current = NULL;
  pthread_mutex_unlock(&pool.lock);
  for (int k = 0; k < TUNE_THREAD_SPIN; k++) {
    if (__atomic_load_n(&j->active, __ATOMIC_ACQUIRE) == 0) return;
    pause_briefly();
  }
  take_lock();
  while (__atomic_load_n(&j->active, __ATOMIC_ACQUIRE) > 0) pthread_cond_wait(&pool.done, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
}

ma_status ma_cpu_parallel(int64_t n, int64_t grain, ma_range_function *fn, void *context) {
  if (n <= 0) return MA_OK;
  if (grain < 1) grain = 1; /* a thread's work is less than one of the caller's units */
  int threads = inside || n / 2 < grain ? 1 : ma_cpu_threads();
  if (threads == 1) return fn(context, 0, n);
  int64_t grains = (n + grain - 1) / grain, per_piece = grains / ((int64_t)threads * TUNE_THREAD_PIECES);
  job j = { .n = n, .piece = (per_piece < 1 ? 1 : per_piece) * grain, .fn = fn, .context = context };
  take_lock();
  bool mine = pool.current == NULL; /* else another thread of the program uses the pool */
  if (mine) {
    if (pool.nthread < threads - 1) start_threads(threads - 1);
    pool.current = &j;
    __atomic_add_fetch(&pool.posted, 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&pool.more);
  }
  pthread_mutex_unlock(&pool.lock);
  run_pieces(&j);
  if (mine) finish(&j);
  return j.status == MA_OK ? MA_OK : ma_fail(j.status, "%s", j.message);
}
