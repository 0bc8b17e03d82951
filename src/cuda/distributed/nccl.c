/*
** nccl.c: calls of several GPUs by NCCL. Data that only moves goes as bytes, so every dtype arrives bit for bit. Parts
** that NCCL has no call for are messages to and from every rank, made together.
*/
#include "cuda/distributed/nccl.h"
#include "backend/libraries.h"
#include "base/once.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

ma_nccl_api ma_nccl;
static char library_path[PATH_MAX];

#define FILE_NAME "libnccl.so.2"

static const struct {
  const char *name;
  size_t offset;
} functions[] = {
#define FUNCTION(name, result, parameters) { "nccl" #name, offsetof(ma_nccl_api, name) },
#include "cuda/distributed/nccl.def"
};

static ma_status open_library(void) {
  char *path = library_path;
  int version = 0;
  if (!ma_cuda_find_file("nccl", FILE_NAME, path, sizeof library_path))
    return ma_fail(MA_ERR_LIBRARY,
                   "NCCL (" FILE_NAME ") was not found; it moves arrays between GPUs: install the package "
                   "libnccl2, or NVIDIA's Python wheel (pip install nvidia-nccl-cu13, or -cu12)");
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return ma_fail(MA_ERR_LIBRARY, "NCCL (%s) cannot be opened: %s", path, dlerror());
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *address = dlsym(library, functions[i].name);
    if (!address) return ma_fail(MA_ERR_LIBRARY, "%s has no %s; NCCL 2.7 or newer is wanted", path, functions[i].name);
    memcpy((char *)&ma_nccl + functions[i].offset, &address, sizeof address);
  }
  ma_nccl.GetVersion(&version);
  ma_trace("jit", "NCCL %d from %s", version, path);
  return MA_OK;
}

static ma_status need(void) {
  static ma_once once = MA_ONCE;
  return ma_once_try(&once, open_library);
}

static ma_status check(int result, const char *what) {
  if (result == MA_ncclSuccess) return MA_OK;
  return ma_fail(MA_ERR_LIBRARY, "NCCL failed in %s: %s; NCCL_DEBUG=WARN tells more", what,
                 ma_nccl.GetErrorString(result));
}

ma_status ma_cuda_comm_name(ma_device *device, char *bytes) {
  ma_nccl_id id;
  MA_TRY(need());
  MA_TRY(ma_cuda_enter(device));
  MA_TRY(check(ma_nccl.GetUniqueId(&id), "ncclGetUniqueId"));
  memcpy(bytes, id.bytes, MA_COMM_NAME);
  return MA_OK;
}

/* ==== Joining others ============================================================================================= */

/* A communicator that is being made, on a thread of its own: NCCL waits for the other ranks without an end. */
typedef struct opening {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool done, left; /* left: nobody waits for it any more, so the thread frees it */
  ma_device *device;
  ma_nccl_id id;
  int size, rank, result;
  ma_nccl_comm handle;
} opening;

static void *open_there(void *argument) {
  opening *o = argument;
  int result = -1;
  if (ma_cuda_enter(o->device) == MA_OK) result = ma_nccl.CommInitRank(&o->handle, o->size, o->id, o->rank);
  pthread_mutex_lock(&o->lock);
  o->result = result;
  o->done = true;
  bool left = o->left;
  pthread_cond_signal(&o->changed);
  pthread_mutex_unlock(&o->lock);
  if (!left) return NULL;
  if (result == MA_ncclSuccess) ma_nccl.CommAbort(o->handle);
  free(o);
  return NULL;
}

/* Waits for the thread. It returns false if the thread is late; then the thread frees *o itself. */
static bool wait_for(opening *o, double limit) {
  struct timespec until;
  int result = 0;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += (time_t)limit + 1;
  pthread_mutex_lock(&o->lock);
  while (!o->done && result != ETIMEDOUT) result = pthread_cond_timedwait(&o->changed, &o->lock, &until);
  bool done = o->done;
  o->left = !done;
  pthread_mutex_unlock(&o->lock);
  return done;
}

static ma_status open_within(const ma_cuda_comm *m, const ma_nccl_id *id, double limit, ma_nccl_comm *handle) {
  pthread_t thread;
  opening *o = calloc(1, sizeof *o);
  if (!o) return ma_fail(MA_ERR_MEMORY, "out of memory");
  *o = (opening){ .device = m->device, .id = *id, .size = m->size, .rank = m->rank };
  pthread_mutex_init(&o->lock, NULL);
  pthread_cond_init(&o->changed, NULL);
  if (pthread_create(&thread, NULL, open_there, o) != 0) {
    free(o);
    return ma_fail(MA_ERR_INTERNAL, "no thread for NCCL");
  }
  pthread_detach(thread);
  if (!wait_for(o, limit))
    return ma_fail(MA_ERR_LIBRARY, "NCCL has not joined all ranks within %.4g s; some rank did not come", limit);
  *handle = o->handle;
  ma_status status = check(o->result, "ncclCommInitRank");
  free(o);
  return status;
}

ma_status ma_cuda_comm_open(ma_device *device, const char *name, int size, int rank, double limit, void **comm) {
  ma_nccl_id id;
  ma_status status;
  MA_TRY(need());
  MA_TRY(ma_cuda_enter(device));
  ma_cuda_comm *made = calloc(1, sizeof *made);
  if (!made) return ma_fail(MA_ERR_MEMORY, "out of memory");
  made->device = device;
  made->size = size;
  made->rank = rank;
  memcpy(id.bytes, name, MA_COMM_NAME);
  if (limit > 0) status = open_within(made, &id, limit, &made->handle);
  else status = check(ma_nccl.CommInitRank(&made->handle, size, id, rank), "ncclCommInitRank");
  if (status == MA_OK) {
    ma_cuda_comm_watch(made);
    *comm = made;
  } else {
    free(made);
  }
  return status;
}

void ma_cuda_comm_close(void *comm) {
  ma_cuda_comm *m = comm;
  ma_cuda_comm_unwatch(m);
  if (ma_cuda_enter(m->device) == MA_OK && !m->broken) ma_nccl.CommDestroy(m->handle);
  free(m);
}

bool ma_cuda_nccl_look(ma_library_look *look) {
  int version = 0;
  look->title = "NCCL";
  look->found = need() == MA_OK;
  if (!look->found) snprintf(look->why, sizeof look->why, "%s", ma_message());
  else {
    snprintf(look->path, sizeof look->path, "%s", library_path);
    ma_nccl.GetVersion(&version);
    snprintf(look->version, sizeof look->version, "%d.%d.%d", version / 10000, version % 10000 / 100, version % 100);
  }
  return true;
}

ma_status ma_cuda_comm_bracket(bool begin) {
  MA_TRY(need());
  return begin ? check(ma_nccl.GroupStart(), "ncclGroupStart") : check(ma_nccl.GroupEnd(), "ncclGroupEnd");
}

/* ==== Reductions ================================================================================================= */

typedef struct kind {
  int type, op;
  int each; /* numbers of an element */
} kind;

static ma_status kind_of(const ma_collective *c, kind *k) {
  static const signed char types[MA_NDTYPE] = {
    [MA_BOOL] = MA_ncclUint8,
    [MA_INT8] = MA_ncclInt8,
    [MA_INT32] = MA_ncclInt32,
    [MA_INT64] = MA_ncclInt64,
    [MA_UINT8] = MA_ncclUint8,
    [MA_UINT32] = MA_ncclUint32,
    [MA_UINT64] = MA_ncclUint64,
    [MA_FLOAT16] = MA_ncclFloat16,
    [MA_BFLOAT16] = MA_ncclBfloat16,
    [MA_FLOAT32] = MA_ncclFloat32,
    [MA_FLOAT64] = MA_ncclFloat64,
    [MA_COMPLEX64] = MA_ncclFloat32,
    [MA_COMPLEX128] = MA_ncclFloat64,
    [MA_INT16] = -1,
    [MA_UINT16] = -1,
  };
  static const int ops[] = { MA_ncclSum, MA_ncclProd, MA_ncclMin, MA_ncclMax };
  bool is_complex = ma_dtypes[c->dtype].kind == MA_KIND_COMPLEX;
  ma_merge merge = c->merge;
  if (types[c->dtype] < 0 || (is_complex && merge != MA_MERGE_sum))
    return ma_fail(MA_ERR_TYPE, "NCCL has no such reduction of %s", ma_dtypes[c->dtype].name);
  if (c->dtype == MA_BOOL) merge = merge == MA_MERGE_sum || merge == MA_MERGE_max ? MA_MERGE_max : MA_MERGE_min;
  *k = (kind){ .type = types[c->dtype], .op = ops[merge], .each = is_complex ? 2 : 1 };
  return MA_OK;
}

/* Each part is reduced to its rank. */
static int reduce_parts(const ma_cuda_comm *m, const ma_collective *c, const kind *k, CUstream stream) {
  int64_t place = 0, size = ma_dtypes[c->dtype].itemsize;
  int result = ma_nccl.GroupStart();
  for (int r = 0; r < m->size && result == MA_ncclSuccess; r++) {
    int64_t n = c->from_parts[r];
    if (n)
      result = ma_nccl.Reduce((const char *)c->from + place * size, c->to, (size_t)(n * k->each), k->type, k->op, r,
                              m->handle, stream);
    place += n;
  }
  int ended = ma_nccl.GroupEnd();
  return result == MA_ncclSuccess ? ended : result;
}

static int reduce(const ma_cuda_comm *m, const ma_collective *c, const kind *k, CUstream stream) {
  size_t n = (size_t)(c->kind == MA_COLLECTIVE_reduce_scatter ? c->nto : c->nfrom) * (size_t)k->each;
  if (c->kind == MA_COLLECTIVE_reduce_scatter && c->from_parts) return reduce_parts(m, c, k, stream);
  if (n == 0) return MA_ncclSuccess;
  switch (c->kind) {
  case MA_COLLECTIVE_all_reduce: return ma_nccl.AllReduce(c->from, c->to, n, k->type, k->op, m->handle, stream);
  case MA_COLLECTIVE_reduce: return ma_nccl.Reduce(c->from, c->to, n, k->type, k->op, c->root, m->handle, stream);
  default: return ma_nccl.ReduceScatter(c->from, c->to, n, k->type, k->op, m->handle, stream);
  }
}

/* ==== Data that moves ============================================================================================ */

/* What one rank gives to each, or gets from each: where the bytes begin, and how many each part has. Where it gives or
** gets nothing, the address is NULL. */
typedef struct side {
  bool is_there;
  const int64_t *parts;
  int64_t each, itemsize;
  int only; /* one rank alone takes or gives, or -1 */
} side;

static int64_t bytes_of(const side *s, int rank) {
  if (!s->is_there || (s->only >= 0 && s->only != rank)) return 0;
  return (s->parts ? s->parts[rank] : s->each) * s->itemsize;
}

static int exchange(const ma_cuda_comm *m, const ma_collective *c, const side *give, const side *get, CUstream stream) {
  const char *from = c->from;
  char *to = c->to;
  int result = ma_nccl.GroupStart();
  for (int r = 0; r < m->size && result == MA_ncclSuccess; r++) {
    int64_t n = bytes_of(give, r), into = bytes_of(get, r);
    if (n) result = ma_nccl.Send(from, (size_t)n, MA_ncclInt8, r, m->handle, stream);
    if (into && result == MA_ncclSuccess) result = ma_nccl.Recv(to, (size_t)into, MA_ncclInt8, r, m->handle, stream);
    from += give->only >= 0 ? 0 : n;
    to += get->only >= 0 ? 0 : into;
  }
  int ended = ma_nccl.GroupEnd();
  return result == MA_ncclSuccess ? ended : result;
}

static int move(const ma_cuda_comm *m, const ma_collective *c, CUstream stream) {
  int64_t itemsize = ma_dtypes[c->dtype].itemsize;
  bool is_root = m->rank == c->root;
  side give = { true, c->from_parts, c->nfrom / m->size, itemsize, -1 };
  side get = { true, c->to_parts, c->nto / m->size, itemsize, -1 };
  switch (c->kind) {
  case MA_COLLECTIVE_broadcast:
    if (c->nto == 0) return MA_ncclSuccess;
    return ma_nccl.Broadcast(c->from, c->to, (size_t)(c->nto * itemsize), MA_ncclInt8, c->root, m->handle, stream);
  case MA_COLLECTIVE_all_gather:
    if (!c->to_parts && c->nfrom == 0) return MA_ncclSuccess;
    if (!c->to_parts)
      return ma_nccl.AllGather(c->from, c->to, (size_t)(c->nfrom * itemsize), MA_ncclInt8, m->handle, stream);
    break;
  case MA_COLLECTIVE_gather:
    get.is_there = is_root;
    give.only = c->root;
    break;
  case MA_COLLECTIVE_scatter:
    give.is_there = is_root;
    get.only = c->root;
    break;
  case MA_COLLECTIVE_all_to_all: return exchange(m, c, &give, &get, stream);
  default: /* messages: to the root, from the source */
    give.is_there = c->from && c->root >= 0;
    give.only = c->root;
    get.is_there = c->to && c->source >= 0;
    get.only = c->source;
  }
  if (give.only >= 0 || c->kind == MA_COLLECTIVE_all_gather) { /* the whole array goes to each that takes it */
    give.parts = NULL;
    give.each = c->nfrom;
  }
  if (get.only >= 0) {
    get.parts = NULL;
    get.each = c->nto;
  }
  if (c->kind != MA_COLLECTIVE_all_gather) return exchange(m, c, &give, &get, stream);
  /* every rank gets the same bytes, from the beginning of `from` */
  int result = ma_nccl.GroupStart();
  int64_t place = 0;
  for (int r = 0; r < m->size && result == MA_ncclSuccess; r++) {
    int64_t n = bytes_of(&get, r);
    if (n)
      result = ma_nccl.Broadcast(r == m->rank ? c->from : (char *)c->to + place, (char *)c->to + place, (size_t)n,
                                 MA_ncclInt8, r, m->handle, stream);
    place += n;
  }
  int ended = ma_nccl.GroupEnd();
  return result == MA_ncclSuccess ? ended : result;
}

ma_status ma_cuda_comm_run(void *comm, ma_stream *stream, const ma_collective *c) {
  ma_cuda_comm *m = comm;
  kind k = { 0 };
  int result = MA_ncclSuccess;
  MA_TRY(ma_cuda_comm_usable(m));
  MA_TRY(ma_cuda_enter(m->device));
  bool reduces = c->kind == MA_COLLECTIVE_all_reduce || c->kind == MA_COLLECTIVE_reduce ||
                 c->kind == MA_COLLECTIVE_reduce_scatter;
  if (reduces) MA_TRY(kind_of(c, &k));
  ma_cuda_comm_enter(m, c);
  if (reduces) result = reduce(m, c, &k, ma_cuda_queue(stream));
  else if (c->kind != MA_COLLECTIVE_barrier) result = move(m, c, ma_cuda_queue(stream));
  ma_cuda_comm_note(m, stream);
  if (result != MA_ncclSuccess) MA_TRY(ma_cuda_comm_lost()); /* it was given up while it waited */
  return check(result, c->name);
}
