/*
** worker.c: a thread that compiles kernels in the background. Code that can do without a kernel for a while, such as a
** fused expression that can run stepwise, asks for it here and continues. Later the kernel is in the device's table and
** in the cache on disk.
**
** The thread starts with the first request and holds no lock while it compiles. It must not compile while the process
** exits: NVRTC makes objects at its first uses, and exit calls their destructors before handlers that were registered
** earlier. But before those, exit destroys objects of the calling thread, so every thread that asks registers such an
** object.
*/
#include "cuda/driver/worker.h"
#include "bundle/bundle.h"
#include "compile/compile.h"
#include "compile/prepare.h"
#include "base/fork.h"
#include "base/inject.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST 128 /* requests that are kept at once, failed ones included */

typedef enum state { FREE, WAITING, COMPILING, FAILED } state;
typedef struct request {
  state state;
  uint64_t order; /* number of the request */
  ma_cuda_device *device;
  uint32_t epoch;
  ma_cuda_want want;        /* the request owns its key */
  char *text;               /* NULL once it is compiled */
  ma_module_source *source; /* of a module, in one block; else NULL */
  size_t length;            /* kB of text; of requests with equal length the first one is taken first */
  double asked;             /* seconds */
} request;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER, settled = PTHREAD_COND_INITIALIZER;
static request requests[MOST];
static uint64_t norder;
static ma_background figures; /* `waiting` includes the one that is being compiled */
static pthread_t thread;
static enum { STOPPED, RUNNING, STOPPING } stage;
static bool closed; /* the thread does not start again */

static double now_in_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- Requests (need the lock) ---- */

static request *find_locked(const ma_cuda_device *device, const ma_cuda_want *want) {
  for (request *r = requests; r < requests + MOST; r++)
    if (r->state != FREE && r->want.hash == want->hash && r->device == device && r->want.family == want->family &&
        r->want.size == want->size && !memcmp(r->want.key, want->key, want->size))
      return r;
  return NULL;
}

/* The oldest request in this state, or NULL. */
static request *first_locked(state state) {
  request *first = NULL;
  for (request *r = requests; r < requests + MOST; r++)
    if (r->state == state && (!first || r->order < first->order)) first = r;
  return first;
}

/* The next request to compile: short texts first. A reduction takes as long as twenty element-wise kernels. */
static request *next_locked(void) {
  request *next = NULL;
  for (request *r = requests; r < requests + MOST; r++)
    if (r->state == WAITING &&
        (!next || r->length < next->length || (r->length == next->length && r->order < next->order)))
      next = r;
  return next;
}

static void free_locked(request *r) {
  if (r->state == WAITING || r->state == COMPILING) figures.waiting--;
  free((void *)r->want.key);
  free(r->text);
  free(r->source);
  memset(r, 0, sizeof *r);
}

/* A place for a request; the oldest failed one is dropped for it. */
static request *place_locked(void) {
  request *r = first_locked(FREE);
  if (!r && (r = first_locked(FAILED))) free_locked(r);
  return r;
}

/* ---- The thread ---- */

static ma_status take(void *into, const ma_image *image) {
  const request *r = into;
  return ma_cuda_adopt(r->device, r->epoch, &r->want, image);
}

/* The cache has stored the image. */
static ma_status leave_to_cache(void *unused, const ma_image *image) { return MA_OK; }

static ma_status compile_module(request *r) {
  bool found;
  return ma_cuda_find_image(&(ma_cuda_sought){ r->device, r->source->name, r->want.key, r->text, r->source,
                                               MA_CUDA_COMPILE, true, leave_to_cache, NULL },
                            &found);
}

static ma_status compile(request *r) {
  bool found;
  int bundles = ma_bundles_count();
  if (r->source) return compile_module(r);
  if (!ma_cuda_wanted(r->device, r->epoch, &r->want)) return MA_OK;
  MA_TRY(ma_inject(MA_INJECT_WORKER, "a compilation in the background"));
  ma_status status = ma_cuda_find_image(
    &(ma_cuda_sought){ r->device, r->want.family->name, r->text, r->text, NULL, MA_CUDA_COMPILE, false, take, r },
    &found);
  if (status == MA_ERR_LACK) ma_cuda_lacks(r->device, r->epoch, &r->want, bundles);
  return status;
}

static void settle_locked(request *r, ma_status status) {
  const char *name = r->source ? r->source->name : r->want.family->name;
  if (r->source) { /* stays, as one that was tried */
    ma_trace("jit", "%s: %s in the background", name, status == MA_OK ? "compiled" : "not compiled");
    if (status == MA_OK) figures.compiled++;
    else figures.failed++;
    figures.waiting--;
    r->state = FAILED;
  } else if (status == MA_OK) {
    ma_trace("jit", "%s: ready %.1f ms after it was asked for, and used from now on", name,
             (now_in_seconds() - r->asked) * 1e3);
    figures.compiled++;
    free_locked(r);
  } else {
    ma_trace("jit", "%s: not compiled in the background, its operations go on one by one: %s", name, ma_message());
    figures.failed++;
    if (status == MA_ERR_LACK) free_locked(r); /* the device's table notes it until a bundle comes */
    else {
      figures.waiting--;
      r->state = FAILED;
      free(r->text);
      r->text = NULL;
    }
  }
  pthread_cond_broadcast(&settled);
}

static void *work(void *unused) {
  ma_compile_background();
  if (ma_cu.cuThreadExchangeStreamCaptureMode) /* other threads may record graphs meanwhile */
    ma_cu.cuThreadExchangeStreamCaptureMode(&(CUstreamCaptureMode){ CU_STREAM_CAPTURE_MODE_RELAXED });
  pthread_mutex_lock(&lock);
  while (stage == RUNNING) {
    request *r = next_locked();
    if (!r) {
      pthread_cond_wait(&asked, &lock);
      continue;
    }
    r->state = COMPILING; /* no other thread touches it in this state */
    pthread_mutex_unlock(&lock);
    ma_status status = compile(r);
    pthread_mutex_lock(&lock);
    settle_locked(r, status);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

/* Waits for the current compilation; requests that wait are kept. */
static void stop_locked(void) {
  if (stage == RUNNING) {
    stage = STOPPING;
    pthread_cond_broadcast(&asked);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    stage = STOPPED;
    pthread_cond_broadcast(&settled);
  }
  while (stage != STOPPED) pthread_cond_wait(&settled, &lock); /* another thread is stopping it */
}

void ma_cuda_worker_end(void) {
  pthread_mutex_lock(&lock);
  closed = true;
  stop_locked();
  for (request *r = requests; r < requests + MOST; r++)
    if (r->state != FREE) free_locked(r);
  pthread_cond_broadcast(&settled);
  pthread_mutex_unlock(&lock);
}

/* Runs when a thread ends or calls exit. Only of the main thread is it known which of the two it is. If it was another
** thread, the next request starts the worker again. */
static void leave(void *unused) {
  if (syscall(SYS_gettid) == getpid()) {
    ma_cuda_worker_end();
    return;
  }
  pthread_mutex_lock(&lock);
  stop_locked();
  pthread_mutex_unlock(&lock);
}

/* glibc's function behind thread_local objects of C++. */
extern int __cxa_thread_atexit_impl(void (*call)(void *), void *object, void *module) __attribute__((weak));
extern void *__dso_handle;

static void leave_note(void) {
  static __thread bool left;
  if (!left && __cxa_thread_atexit_impl) __cxa_thread_atexit_impl(leave, NULL, &__dso_handle);
  left = true;
}

/* A child has neither this thread nor the GPU: see device.c. */
static void note_fork(void) {
  stage = STOPPED;
  closed = true;
}

/* Blocks signals in the new thread: they belong to the program's own threads. */
static bool start_locked(void) {
  static bool prepared;
  sigset_t all, before;
  if (stage != STOPPED) return true;
  if (closed) return false;
  if (!prepared) {
    ma_cuda_before_nvrtc_ends(ma_cuda_worker_end); /* if NVRTC is not open yet */
    if (pthread_atfork(NULL, NULL, note_fork) != 0 || atexit(ma_cuda_worker_end) != 0) return false;
  }
  prepared = true;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  stage = RUNNING;
  if (pthread_create(&thread, NULL, work, NULL) != 0) stage = STOPPED;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return stage == RUNNING;
}

/* ---- Functions for other files ---- */

bool ma_cuda_worker_knows(const ma_cuda_device *device, const ma_cuda_want *want) {
  pthread_mutex_lock(&lock);
  const request *r = find_locked(device, want);
  if (r && r->state == WAITING) start_locked(); /* it may have been stopped */
  pthread_mutex_unlock(&lock);
  return r != NULL;
}

bool ma_cuda_worker_tried(const ma_cuda_device *device, const ma_cuda_want *want) {
  pthread_mutex_lock(&lock);
  const request *r = find_locked(device, want);
  bool tried = r && r->state == FAILED;
  pthread_mutex_unlock(&lock);
  return tried;
}

static ma_cuda_answer ask_locked(ma_cuda_device *device, const ma_cuda_want *want, ma_ctext *text) {
  if (find_locked(device, want)) return MA_CUDA_ACCEPTED;
  if (!start_locked()) return MA_CUDA_NO_WORKER;
  request *r = place_locked();
  void *key = r ? malloc(want->size ? want->size : 1) : NULL;
  if (!key) return MA_CUDA_BUSY;
  memcpy(key, want->key, want->size);
  *r = (request){ .state = WAITING,
                  .order = norder++,
                  .device = device,
                  .epoch = __atomic_load_n(&device->epoch, __ATOMIC_ACQUIRE),
                  .want = *want,
                  .text = text->bytes,
                  .length = strlen(text->bytes) >> 10,
                  .asked = now_in_seconds() };
  r->want.key = key;
  memset(text, 0, sizeof *text);
  figures.waiting++;
  pthread_cond_signal(&asked);
  return MA_CUDA_ACCEPTED;
}

ma_cuda_answer ma_cuda_worker_ask(ma_cuda_device *device, const ma_cuda_want *want, ma_ctext *text) {
  leave_note();
  pthread_mutex_lock(&lock);
  ma_cuda_answer answer = ask_locked(device, want, text);
  pthread_mutex_unlock(&lock);
  return answer;
}

/* A copy in one block: the struct, the lists of strings, the strings but the text. */
static ma_module_source *copy_source(const ma_module_source *source) {
  int n = source->noption + source->nexpression;
  size_t size = sizeof *source + (size_t)n * sizeof(char *) + strlen(source->name) + 1;
  for (int k = 0; k < source->noption; k++) size += strlen(source->option[k]) + 1;
  for (int k = 0; k < source->nexpression; k++) size += strlen(source->expression[k]) + 1;
  ma_module_source *made = malloc(size);
  if (!made) return NULL;
  const char **list = (const char **)(made + 1);
  char *at = (char *)(list + n);
  *made = *source;
  made->text = "";
  made->name = at;
  at = stpcpy(at, source->name) + 1;
  for (int k = 0; k < n; k++) {
    list[k] = at;
    at = stpcpy(at, k < source->noption ? source->option[k] : source->expression[k - source->noption]) + 1;
  }
  made->option = list;
  made->expression = list + source->noption;
  return made;
}

/* *tried: it has been compiled, or that failed. */
static ma_cuda_answer ask_source(ma_cuda_device *device, const ma_module_source *source, const ma_ctext *key,
                                 ma_ctext *text, bool *tried) {
  static const ma_cuda_family modules = { .name = "module" };
  size_t size = strlen(key->bytes) + 1;
  ma_cuda_want want = { &modules, key->bytes, size, ma_hash(key->bytes, size, 0) };
  leave_note();
  pthread_mutex_lock(&lock);
  request *r = find_locked(device, &want);
  *tried = r && r->state == FAILED;
  ma_cuda_answer answer = MA_CUDA_ACCEPTED;
  ma_module_source *copy = r ? NULL : copy_source(source);
  if (!r && !copy) answer = MA_CUDA_BUSY;
  if (copy) answer = ask_locked(device, &want, text);
  if (copy && answer == MA_CUDA_ACCEPTED) find_locked(device, &want)->source = copy;
  else free(copy);
  pthread_mutex_unlock(&lock);
  return answer;
}

ma_status ma_cuda_find_source(const ma_cuda_sought *s, const ma_ctext *key, ma_ctext *text) {
  bool found = false, tried = false;
  ma_cuda_sought quick = *s;
  quick.effort = MA_CUDA_QUICK;
  if (!ma_prepare.on) return ma_cuda_find_image(s, &found);
  MA_TRY(ma_cuda_find_image(&quick, &found));
  if (found) return MA_OK;
  ma_cuda_answer answer = ask_source(s->device, s->source, key, text, &tried);
  if (answer != MA_CUDA_NO_WORKER && !tried) return ma_prepare_later(s->name);
  return ma_cuda_find_image(s, &found);
}

void ma_cuda_worker_forget(const ma_cuda_device *device) {
  pthread_mutex_lock(&lock);
  for (request *r = requests; r < requests + MOST; r++)
    if (r->device == device && (r->state == WAITING || r->state == FAILED)) free_locked(r);
  pthread_cond_broadcast(&settled);
  pthread_mutex_unlock(&lock);
}

void ma_cuda_map_background(bool wait, ma_background *now) {
  pthread_mutex_lock(&lock);
  while (wait && figures.waiting > 0 && (stage == STOPPING || start_locked())) pthread_cond_wait(&settled, &lock);
  *now = figures;
  pthread_mutex_unlock(&lock);
}
