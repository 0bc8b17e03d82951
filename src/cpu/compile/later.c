/*
** later.c: a thread that compiles what nobody waits for, one text after another. It starts with the first request, runs
** at a lower priority than the program, as does the compiler, and leaves the program's signals alone. Exit waits for
** the compilation that has begun, so that no folder of it stays behind.
*/
#include "base/fork.h"
#include "compile/compile.h"
#include "cpu/compile/compiler.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/resource.h>
#endif

#define MOST 32 /* requests that wait */
#define NICE 10

typedef struct request {
  ma_status (*compile)(void *what);
  void *what;
} request;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER, settled = PTHREAD_COND_INITIALIZER;
static request queue[MOST];
static int nqueue;            /* queue[0] is the one in work */
static ma_background figures; /* `waiting` is nqueue */
static pthread_t thread;
static bool running, closed;

static void *work(void *unused) {
#ifdef __linux__
  setpriority(PRIO_PROCESS, 0, NICE); /* on Linux this concerns only the calling thread */
#endif
  ma_compile_background();
  pthread_mutex_lock(&lock);
  while (!closed) {
    if (nqueue == 0) {
      pthread_cond_wait(&asked, &lock);
      continue;
    }
    request r = queue[0];
    pthread_mutex_unlock(&lock);
    ma_status status = r.compile(r.what);
    pthread_mutex_lock(&lock);
    if (status == MA_OK) figures.compiled++;
    else figures.failed++;
    nqueue--;
    for (int k = 0; k < nqueue; k++) queue[k] = queue[k + 1];
    pthread_cond_broadcast(&settled);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void end(void) {
  pthread_mutex_lock(&lock);
  bool was = running;
  closed = true;
  running = false;
  pthread_cond_broadcast(&asked);
  pthread_mutex_unlock(&lock);
  if (was) pthread_join(thread, NULL);
}

/* Runs in a child, which has no such thread. The next request starts one, which begins with the requests that wait
** here. */
static void note_fork(void) {
  running = false;
  pthread_cond_init(&asked, NULL);
  pthread_cond_init(&settled, NULL);
}

static bool start_locked(void) {
  static bool prepared;
  sigset_t all, before;
  if (running) return true;
  if (closed) return false;
  if (!prepared && (pthread_atfork(NULL, NULL, note_fork) != 0 || atexit(end) != 0)) return false;
  prepared = true;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  running = pthread_create(&thread, NULL, work, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return running;
}

ma_cpu_answer ma_cpu_later(ma_status (*compile)(void *what), void *what) {
  pthread_mutex_lock(&lock);
  ma_cpu_answer answer = !start_locked() ? MA_CPU_NO_THREAD : nqueue == MOST ? MA_CPU_BUSY : MA_CPU_ACCEPTED;
  if (answer == MA_CPU_ACCEPTED) {
    queue[nqueue++] = (request){ compile, what };
    pthread_cond_signal(&asked);
  }
  pthread_mutex_unlock(&lock);
  return answer;
}

void ma_cpu_map_background(bool wait, ma_background *now) {
  pthread_mutex_lock(&lock);
  while (wait && nqueue > 0 && start_locked()) pthread_cond_wait(&settled, &lock);
  *now = figures;
  now->waiting = nqueue;
  pthread_mutex_unlock(&lock);
}
