/*
** nccl.c: a pretended libnccl.so.2, beside the pretended driver, so that calls of several GPUs run where there is none:
** ranks are devices of one process or processes of one machine. What a rank gives lies in files of a folder, one for
** each rank that takes it, until that one has read it. A call returns when it is done, as the pretended kernels do.
** Parts of another size than was given are errors, and so is a rank that has not come after a minute. A recording calls
** at each launch of its graph. As NCCL does, an abort lets what waits go on, and then waits for the communicator's
** graphs.
**
**   PRETEND_DEVICES=2 make test-pretend SPEC=spec/distributed/gpus_spec.lua
*/
#include "cuda/distributed/nccl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define MOST_RANKS 16
#define MOST_CALLS 4096 /* between two brackets */
#define MOST_COMMS 1024
enum { SUCCESS, FAILED = 3, WRONG_ARGUMENT = 4 };
enum { ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, SEND, RECEIVE };

struct ncclComm {
  char folder[64];
  int size, rank;
  bool aborted;   /* atomic */
  int recordings; /* atomic: calls in graphs */
  long calls, sent[MOST_RANKS], received[MOST_RANKS];
};

typedef struct call {
  ma_nccl_comm comm;
  const char *from;
  char *to;
  size_t bytes; /* of the argument `count` */
  int kind, type, op, peer;
  long number;
} call;
static __thread call calls[MOST_CALLS];
static __thread int ncall, depth;
static __thread CUstream stream_of_calls;

/* ==== Files ====================================================================================================== */

static void path_of(char *path, const call *c, int from, int to) {
  snprintf(path, 128, "%s/%c%ld-%d-%d", c->comm->folder, c->kind >= SEND ? 'm' : 'c', c->number, from, to);
}

static int give(const call *c, int to, const void *bytes, size_t n) {
  char path[128], made[132];
  path_of(path, c, c->comm->rank, to);
  snprintf(made, sizeof made, "%s.new", path);
  FILE *file = fopen(made, "wb");
  if (!file) return FAILED;
  bool ok = fwrite(bytes, 1, n, file) == n;
  return (fclose(file) == 0) & ok && rename(made, path) == 0 ? SUCCESS : FAILED;
}

/* Waits for what rank `from` gives, which must have n bytes. */
static int take(const call *c, int from, void *bytes, size_t n) {
  char path[128];
  struct stat is;
  path_of(path, c, from, c->comm->rank);
  for (int tries = 0; stat(path, &is) != 0; tries++) {
    if (tries > 600000 || __atomic_load_n(&c->comm->aborted, __ATOMIC_ACQUIRE)) return FAILED;
    usleep(100);
  }
  if ((size_t)is.st_size != n) return WRONG_ARGUMENT;
  FILE *file = fopen(path, "rb");
  if (!file) return FAILED;
  bool ok = fread(bytes, 1, n, file) == n;
  fclose(file);
  unlink(path);
  return ok ? SUCCESS : FAILED;
}

/* ==== Arithmetic ================================================================================================= */

#define COMBINE(type)                                        \
  for (size_t i = 0; i < bytes / sizeof(type); i++) {        \
    type *x = (type *)into + i, y = ((const type *)from)[i]; \
    if (op == MA_ncclSum) *x = (type)(*x + y);               \
    else if (op == MA_ncclProd) *x = (type)(*x * y);         \
    else if (op == MA_ncclMax) *x = *x < y ? y : *x;         \
    else *x = y < *x ? y : *x;                               \
  }                                                          \
  break;

static int combine(void *into, const void *from, size_t bytes, int type, int op) {
  switch (type) {
  case MA_ncclInt8: COMBINE(int8_t)
  case MA_ncclUint8: COMBINE(uint8_t)
  case MA_ncclInt32: COMBINE(int32_t)
  case MA_ncclUint32: COMBINE(uint32_t)
  case MA_ncclInt64: COMBINE(int64_t)
  case MA_ncclUint64: COMBINE(uint64_t)
  case MA_ncclFloat32: COMBINE(float)
  case MA_ncclFloat64: COMBINE(double)
  default: return WRONG_ARGUMENT;
  }
  return SUCCESS;
}

static int reduce(const call *c) {
  char *part = malloc(c->bytes + 1);
  int result = part ? take(c, 0, c->to, c->bytes) : FAILED;
  for (int r = 1; r < c->comm->size && result == SUCCESS; r++) {
    result = take(c, r, part, c->bytes);
    if (result == SUCCESS) result = combine(c->to, part, c->bytes, c->type, c->op);
  }
  free(part);
  return result;
}

/* ==== Calls ====================================================================================================== */

/* Gives the others what they take of this rank. */
static int begin(call *c) {
  ma_nccl_comm m = c->comm;
  int result = SUCCESS;
  c->number = c->kind == SEND ? m->sent[c->peer]++ : c->kind == RECEIVE ? m->received[c->peer]++ : m->calls++;
  for (int r = 0; r < m->size && result == SUCCESS; r++) {
    bool takes = c->kind == ALL_REDUCE || c->kind == ALL_GATHER || c->kind == REDUCE_SCATTER ||
                 (c->kind == BROADCAST ? c->peer == m->rank : c->kind != RECEIVE && c->peer == r);
    size_t at = c->kind == REDUCE_SCATTER ? (size_t)r * c->bytes : 0;
    if (takes) result = give(c, r, c->from + at, c->bytes);
  }
  return result;
}

static int finish(const call *c) {
  ma_nccl_comm m = c->comm;
  int result = SUCCESS;
  switch (c->kind) {
  case REDUCE: return m->rank == c->peer ? reduce(c) : SUCCESS;
  case ALL_REDUCE:
  case REDUCE_SCATTER: return reduce(c);
  case ALL_GATHER:
    for (int r = 0; r < m->size && result == SUCCESS; r++) result = take(c, r, c->to + (size_t)r * c->bytes, c->bytes);
    return result;
  case SEND: return SUCCESS;
  default: return take(c, c->peer, c->to, c->bytes);
  }
}

static int run_all(call *list, int n) {
  int result = SUCCESS;
  for (int i = 0; i < n && result == SUCCESS; i++) result = begin(&list[i]);
  for (int i = 0; i < n && result == SUCCESS; i++) result = finish(&list[i]);
  return result;
}

/* Calls in a graph. */
typedef struct recording {
  int n;
  call calls[];
} recording;
static void replay(void *data) {
  recording *r = data;
  run_all(r->calls, r->n);
}
static void drop(void *data) {
  recording *r = data;
  for (int i = 0; i < r->n; i++) __atomic_fetch_sub(&r->calls[i].comm->recordings, 1, __ATOMIC_ACQ_REL);
  free(r);
}

static bool record(void) {
  bool (*recorder)(CUstream, void (*)(void *), void (*)(void *), void *);
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  *(void **)&recorder = driver ? dlsym(driver, "pretend_record") : NULL;
  recording *r = recorder ? malloc(sizeof *r + (size_t)ncall * sizeof *calls) : NULL;
  if (!r) return false;
  r->n = ncall;
  memcpy(r->calls, calls, (size_t)ncall * sizeof *calls);
  if (!recorder(stream_of_calls, replay, drop, r)) {
    free(r);
    return false;
  }
  for (int i = 0; i < ncall; i++) __atomic_fetch_add(&calls[i].comm->recordings, 1, __ATOMIC_ACQ_REL);
  return true;
}

static int run(void) {
  int result = ncall == 0 || record() ? SUCCESS : run_all(calls, ncall);
  ncall = 0;
  return result;
}

static int add(ma_nccl_comm comm, int kind, const void *from, void *to, size_t count, int type, int op, int peer,
               CUstream stream) {
  stream_of_calls = stream;
  static const size_t sizes[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2 };
  if (ncall == MOST_CALLS || peer < 0 || peer >= comm->size || (count && kind != SEND && kind != REDUCE && !to))
    return WRONG_ARGUMENT;
  calls[ncall++] = (call){ comm, from, to, count * sizes[type], kind, type, op, peer, 0 };
  return depth ? SUCCESS : run();
}

EXPORT int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, ma_nccl_comm comm,
                         CUstream stream) {
  return add(comm, ALL_REDUCE, from, to, count, type, op, 0, stream);
}
EXPORT int ncclReduce(const void *from, void *to, size_t count, int type, int op, int root, ma_nccl_comm comm,
                      CUstream stream) {
  return add(comm, REDUCE, from, to, count, type, op, root, stream);
}
EXPORT int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, ma_nccl_comm comm,
                         CUstream stream) {
  return add(comm, BROADCAST, from, to, count, type, 0, root, stream);
}
EXPORT int ncclAllGather(const void *from, void *to, size_t count, int type, ma_nccl_comm comm, CUstream stream) {
  return add(comm, ALL_GATHER, from, to, count, type, 0, 0, stream);
}
EXPORT int ncclReduceScatter(const void *from, void *to, size_t count, int type, int op, ma_nccl_comm comm,
                             CUstream stream) {
  return add(comm, REDUCE_SCATTER, from, to, count, type, op, 0, stream);
}
EXPORT int ncclSend(const void *from, size_t count, int type, int peer, ma_nccl_comm comm, CUstream stream) {
  return add(comm, SEND, from, NULL, count, type, 0, peer, stream);
}
EXPORT int ncclRecv(void *to, size_t count, int type, int peer, ma_nccl_comm comm, CUstream stream) {
  return add(comm, RECEIVE, NULL, to, count, type, 0, peer, stream);
}

EXPORT int ncclGroupStart(void) {
  depth++;
  return SUCCESS;
}
EXPORT int ncclGroupEnd(void) { return --depth ? SUCCESS : run(); }

/* ==== Communicators ============================================================================================== */

EXPORT int ncclGetVersion(int *version) {
  *version = 99999;
  return SUCCESS;
}
EXPORT const char *ncclGetErrorString(int result) {
  return result == WRONG_ARGUMENT ? "a wrong argument, or parts of another size than was given"
                                  : "a file could not be written or read, or a rank did not come";
}
EXPORT int ncclGetUniqueId(ma_nccl_id *id) {
  memset(id, 0, sizeof *id);
  snprintf(id->bytes, sizeof id->bytes, "/tmp/pretended-nccl-XXXXXX");
  return mkdtemp(id->bytes) ? SUCCESS : FAILED;
}
/* The last rank finds its folder empty. */
static char folders[MOST_COMMS][64];
static int nfolder;
static void __attribute__((destructor)) remove_folders(void) {
  for (int i = 0; i < nfolder; i++) rmdir(folders[i]);
}
EXPORT int ncclCommInitRank(ma_nccl_comm *comm, int size, ma_nccl_id id, int rank) {
  if (size > MOST_RANKS || rank < 0 || rank >= size) return WRONG_ARGUMENT;
  *comm = calloc(1, sizeof **comm);
  if (!*comm) return FAILED;
  snprintf((*comm)->folder, sizeof(*comm)->folder, "%.63s", id.bytes);
  if (nfolder < MOST_COMMS) memcpy(folders[nfolder++], (*comm)->folder, 64);
  (*comm)->size = size;
  (*comm)->rank = rank;
  return SUCCESS;
}
EXPORT int ncclCommDestroy(ma_nccl_comm comm) {
  if (!__atomic_load_n(&comm->recordings, __ATOMIC_ACQUIRE)) free(comm); /* a graph may be freed later */
  return SUCCESS;
}
EXPORT int ncclCommAbort(ma_nccl_comm comm) {
  __atomic_store_n(&comm->aborted, true, __ATOMIC_RELEASE);
  while (__atomic_load_n(&comm->recordings, __ATOMIC_ACQUIRE)) usleep(1000);
  return SUCCESS;
}
EXPORT int ncclCommGetAsyncError(ma_nccl_comm comm, int *error) {
  *error = SUCCESS;
  return SUCCESS;
}
