/*
** watch.c: a call of NCCL whose other ranks do not come would keep the GPU, and whoever waits for it, for ever. Calls
** themselves cost nothing for this: a thread, the looker, comes by several times a second. It records an event behind
** the last call of each communicator, and sees later whether it is done. Another thread, the timer, gives up a
** communicator whose event is not done in time, or if NCCL reports an error. Then the work of the stream goes on, and
** the next wait fails.
**
** There are two threads because the driver may hold the looker. Who loads a kernel waits in the driver for all work of
** the GPU and keeps a lock there, at which the looker waits. So the timer never calls the driver, and while the looker
** is held it goes by the time alone: what the driver takes counts as time of the call.
*/
#include "base/number.h"
#include "cuda/distributed/nccl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define EACH 50000000 /* nanoseconds between looks */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER; /* the looker has left a communicator */
static pthread_t looker, timer;
static bool running, ending;
static ma_cuda_comm *comms;
static char lost[512]; /* what the next wait raises; "" if nothing */
static bool is_lost;   /* atomic */

static double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Waits until the next look; false if there is none. */
static bool rest(void) {
  nanosleep(&(struct timespec){ .tv_nsec = EACH }, NULL);
  pthread_mutex_lock(&lock);
  bool go = !ending;
  pthread_mutex_unlock(&lock);
  return go;
}

/* ==== The looker ================================================================================================= */

static bool is_done(CUevent event) { return ma_cu.cuEventQuery(event) != CUDA_ERROR_NOT_READY; }

/* The calls were queued at once, so what a frame collects on the stream stays with its own thread. */
static bool record(CUevent *event, const ma_stream *stream) {
  if (!*event && ma_cu.cuEventCreate(event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return false;
  return ma_cu.cuEventRecord(*event, stream->handle) == CUDA_SUCCESS;
}

/* Called and left with the lock, which it does not hold while it is in the driver. */
static void look_at(ma_cuda_comm *m) {
  bool waiting = m->waiting;
  if (m->broken || (!m->called && !waiting)) return;
  m->looked_at = true;
  pthread_mutex_unlock(&lock);
  bool entered = ma_cuda_enter(m->device) == MA_OK;
  if (entered && waiting && is_done(m->event)) waiting = false;
  pthread_mutex_lock(&lock);
  if (entered && !waiting && m->waiting) {
    m->waiting = false;
    m->begun = clock_now();
  }
  if (m->called && m->stream->capture) m->begun = clock_now(); /* no event can be recorded until the capture ends */
  else if (entered && !waiting && m->called && !m->broken) {
    const ma_stream *stream = m->stream;
    CUevent event = m->event;
    m->called = false;
    pthread_mutex_unlock(&lock);
    bool recorded = record(&event, stream);
    pthread_mutex_lock(&lock);
    m->event = event;
    m->waiting = recorded && !m->broken;
    m->begun = clock_now();
  }
  m->looked_at = false;
  pthread_cond_broadcast(&left);
}

/* A communicator that is closed meanwhile waits for the looker, so `m` and those behind it stay in the list. */
static void *look(void *nothing) {
  do {
    pthread_mutex_lock(&lock);
    for (ma_cuda_comm *m = comms; m && !ending; m = m->next) look_at(m);
    pthread_mutex_unlock(&lock);
  } while (rest());
  return NULL;
}

/* ==== The timer ================================================================================================== */

/* NCCL's abort first lets its kernels end. Then it waits until every graph with calls of the communicator is destroyed,
** which may be never, so nobody waits for it. */
static void *abort_calls(void *handle) {
  ma_nccl.CommAbort(handle);
  return NULL;
}

static void give_up(ma_cuda_comm *m, const char *why) {
  pthread_t aborts;
  __atomic_store_n(&m->broken, true, __ATOMIC_RELEASE);
  m->waiting = m->called = false;
  snprintf(lost, sizeof lost, "%s, on rank %d of %d: %s; the results of the call are lost", m->name, m->rank, m->size,
           why);
  __atomic_store_n(&is_lost, true, __ATOMIC_RELEASE);
  if (pthread_create(&aborts, NULL, abort_calls, m->handle) == 0) pthread_detach(aborts);
}

static void check_time(ma_cuda_comm *m, double now) {
  int error = MA_ncclSuccess;
  char why[200];
  if (m->broken || !(m->called || m->waiting || m->entered)) return;
  bool queued = m->waiting || (m->called && !m->stream->capture), late = queued && now - m->begun > m->limit;
  if (m->entered && now - m->entered > m->limit) late = true;
  if (late && m->limit > 0) {
    ma_print(why, sizeof why, "not done within %.4g s; some rank did not come", m->limit);
    give_up(m, why);
  } else if (ma_nccl.CommGetAsyncError(m->handle, &error) == MA_ncclSuccess && error != MA_ncclSuccess &&
             error != MA_ncclInProgress) {
    snprintf(why, sizeof why, "NCCL failed: %s; another rank may have died", ma_nccl.GetErrorString(error));
    give_up(m, why);
  }
}

static void *time_calls(void *nothing) {
  do {
    pthread_mutex_lock(&lock);
    double now = clock_now();
    for (ma_cuda_comm *m = comms; m && !ending; m = m->next) check_time(m, now);
    pthread_mutex_unlock(&lock);
  } while (rest());
  return NULL;
}

/* ==== Communicators ============================================================================================== */

/* Stops the threads, before the driver ends with the process. */
static void end(void) {
  pthread_mutex_lock(&lock);
  ending = true;
  pthread_mutex_unlock(&lock);
  pthread_join(looker, NULL);
  pthread_join(timer, NULL);
}

static bool start(void) {
  if (pthread_create(&looker, NULL, look, NULL) != 0) return false;
  if (pthread_create(&timer, NULL, time_calls, NULL) != 0) {
    ending = true; /* without the timer nothing is watched */
    pthread_detach(looker);
    return false;
  }
  atexit(end);
  return true;
}

void ma_cuda_comm_watch(ma_cuda_comm *comm) {
  pthread_mutex_lock(&lock);
  comm->next = comms;
  comms = comm;
  if (!running && !ending) running = start();
  pthread_mutex_unlock(&lock);
}

void ma_cuda_comm_unwatch(ma_cuda_comm *comm) {
  pthread_mutex_lock(&lock);
  while (comm->looked_at) pthread_cond_wait(&left, &lock);
  ma_cuda_comm **at = &comms;
  while (*at && *at != comm) at = &(*at)->next;
  if (*at) *at = comm->next;
  pthread_mutex_unlock(&lock);
  if (comm->event && ma_cuda_enter(comm->device) == MA_OK) ma_cu.cuEventDestroy(comm->event);
}

void ma_cuda_comm_enter(ma_cuda_comm *comm, const ma_collective *call) {
  pthread_mutex_lock(&lock);
  comm->entered = clock_now();
  comm->limit = call->limit;
  snprintf(comm->name, sizeof comm->name, "%s", call->name);
  pthread_mutex_unlock(&lock);
}

/* Calls were queued on the stream. */
static void call(ma_cuda_comm *comm, ma_stream *stream) {
  if (!comm->called && !comm->waiting) comm->begun = clock_now();
  comm->called = true;
  comm->stream = stream;
}

void ma_cuda_comm_note(ma_cuda_comm *comm, ma_stream *stream) {
  pthread_mutex_lock(&lock);
  comm->entered = 0;
  if (stream->capture) comm->recording = stream;
  else if (!comm->broken) call(comm, stream);
  pthread_mutex_unlock(&lock);
}

ma_status ma_cuda_comm_usable(ma_cuda_comm *comm) {
  if (!__atomic_load_n(&comm->broken, __ATOMIC_ACQUIRE)) return MA_OK;
  return ma_fail(MA_ERR_LIBRARY, "nothing can be called after %s; start the ranks anew", lost);
}

ma_status ma_cuda_comm_lost(void) {
  if (!__atomic_load_n(&is_lost, __ATOMIC_ACQUIRE)) return MA_OK;
  __atomic_store_n(&is_lost, false, __ATOMIC_RELEASE);
  return ma_fail(MA_ERR_LIBRARY, "%s", lost);
}

/* ==== Graphs ===================================================================================================== */

bool ma_cuda_comm_recorded(const ma_stream *stream) {
  bool found = false;
  pthread_mutex_lock(&lock);
  for (ma_cuda_comm *m = comms; m; m = m->next) {
    if (m->recording != stream) continue;
    m->recording = NULL;
    m->in_graph = found = true;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

/* Refuses a graph with calls of a communicator that was given up: the memory that the calls use is gone. */
ma_status ma_cuda_comm_graph_enter(const ma_stream *stream) {
  ma_status status = MA_OK;
  pthread_mutex_lock(&lock);
  for (ma_cuda_comm *m = comms; m && status == MA_OK; m = m->next)
    if (m->in_graph && m->device == stream->device) status = ma_cuda_comm_usable(m);
  for (ma_cuda_comm *m = comms; m && status == MA_OK; m = m->next)
    if (m->in_graph && m->device == stream->device) m->entered = clock_now();
  pthread_mutex_unlock(&lock);
  return status;
}

void ma_cuda_comm_graph_note(ma_stream *stream) {
  pthread_mutex_lock(&lock);
  for (ma_cuda_comm *m = comms; m; m = m->next) {
    if (!m->in_graph || m->device != stream->device) continue;
    m->entered = 0;
    if (!m->broken) call(m, stream);
  }
  pthread_mutex_unlock(&lock);
}
