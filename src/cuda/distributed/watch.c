/*
** watch.c: a call of NCCL whose other ranks do not come would keep the GPU, and whoever waits for it, for ever. A
** thread looks several times a second. It records an event behind the last call of each communicator, so that calls
** themselves cost nothing; if the event is not done in time, or NCCL reports an error, it gives the communicator up.
** Then the work of the stream goes on, and the next wait fails.
*/
#include "base/number.h"
#include "cuda/distributed/nccl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define EACH 50000000 /* nanoseconds between looks */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static bool running, ending;
static ma_cuda_comm *comms;
static char lost[512]; /* what the next wait raises; "" if nothing */
static bool is_lost;   /* atomic */

static double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void give_up(ma_cuda_comm *m, const char *why) {
  m->broken = true;
  m->waiting = m->called = false;
  snprintf(lost, sizeof lost, "%s, on rank %d of %d: %s; the results of the call are lost", m->name, m->rank, m->size,
           why);
  __atomic_store_n(&is_lost, true, __ATOMIC_RELEASE);
  ma_nccl.CommAbort(m->handle);
}

static void look_at(ma_cuda_comm *m) {
  int error = MA_ncclSuccess;
  char why[200];
  if (m->broken || (!m->called && !m->waiting) || ma_cuda_enter(m->device) != MA_OK) return;
  double now = clock_now();
  if (m->waiting && ma_cu.cuEventQuery(m->event) != CUDA_ERROR_NOT_READY) m->waiting = false;
  if (m->waiting && m->limit > 0 && now - m->begun > m->limit) {
    ma_print(why, sizeof why, "not done within %.4g s; some rank did not come", m->limit);
    give_up(m, why);
    return;
  }
  if (ma_nccl.CommGetAsyncError(m->handle, &error) == MA_ncclSuccess && error != MA_ncclSuccess &&
      error != MA_ncclInProgress) {
    snprintf(why, sizeof why, "NCCL failed: %s; another rank may have died", ma_nccl.GetErrorString(error));
    give_up(m, why);
    return;
  }
  if (m->waiting || !m->called || m->stream->capture) return;
  if (!m->event && ma_cu.cuEventCreate(&m->event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return;
  m->called = false;
  m->waiting = ma_cu.cuEventRecord(m->event, m->stream->handle) == CUDA_SUCCESS;
  m->begun = now;
}

static void *watch(void *nothing) {
  for (;;) {
    pthread_mutex_lock(&lock);
    for (ma_cuda_comm *m = comms; m && !ending; m = m->next) look_at(m);
    bool end = ending;
    pthread_mutex_unlock(&lock);
    if (end) return NULL;
    nanosleep(&(struct timespec){ .tv_nsec = EACH }, NULL);
  }
}

/* Stops the thread, before the driver ends with the process. */
static void end(void) {
  pthread_mutex_lock(&lock);
  ending = true;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
}

void ma_cuda_comm_watch(ma_cuda_comm *comm) {
  pthread_mutex_lock(&lock);
  comm->next = comms;
  comms = comm;
  if (!running && !ending && pthread_create(&thread, NULL, watch, NULL) == 0) {
    running = true;
    atexit(end);
  }
  pthread_mutex_unlock(&lock);
}

void ma_cuda_comm_unwatch(ma_cuda_comm *comm) {
  pthread_mutex_lock(&lock);
  ma_cuda_comm **at = &comms;
  while (*at && *at != comm) at = &(*at)->next;
  if (*at) *at = comm->next;
  if (comm->event && ma_cuda_enter(comm->device) == MA_OK) ma_cu.cuEventDestroy(comm->event);
  pthread_mutex_unlock(&lock);
}

void ma_cuda_comm_note(ma_cuda_comm *comm, ma_stream *stream, const ma_collective *call) {
  pthread_mutex_lock(&lock);
  if (stream->capture) {
    comm->recording = stream;
  } else {
    comm->called = true;
    comm->stream = stream;
  }
  comm->limit = call->limit;
  snprintf(comm->name, sizeof comm->name, "%s", call->name);
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
ma_status ma_cuda_comm_graph_usable(const ma_stream *stream) {
  ma_status status = MA_OK;
  pthread_mutex_lock(&lock);
  for (ma_cuda_comm *m = comms; m && status == MA_OK; m = m->next)
    if (m->in_graph && m->device == stream->device) status = ma_cuda_comm_usable(m);
  pthread_mutex_unlock(&lock);
  return status;
}

void ma_cuda_comm_graph_note(ma_stream *stream) {
  pthread_mutex_lock(&lock);
  for (ma_cuda_comm *m = comms; m; m = m->next) {
    if (!m->in_graph || m->device != stream->device || m->broken) continue;
    m->called = true;
    m->stream = stream;
  }
  pthread_mutex_unlock(&lock);
}
