/*
** collect.c: the launches of a frame (ma.frame), which are collected and sent together.
**
** While a stream collects, a launch is only noted: the kernel, the grid, and a copy of its parameters. What is noted is
** sent before anything else reaches the stream's queue (ma_cuda_queue), before memory or a module goes back to the
** driver, and when the frame ends. So nobody can tell the difference but by the clock. A list that has the kernels and
** grids of an earlier one becomes a graph, whose nodes get the parameters that differ, and one launch sends it. A graph
** here is only a quicker way to launch: it holds no memory, and it is never launched without its parameters being
** those of the list.
**
** Any thread may send what another one's frame collected, when it waits for the stream. So one lock is for all frames.
*/
#include "cuda/cuda.h"
#include "base/fork.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 4   /* launches that a graph is worth */
#define MOST 4096 /* launches that are collected before they are sent */
#define SEEN 32   /* lists that are remembered without a graph */
#define MAX_PARAMETERS 64
#define EFFORT 16   /* graphs that are made however seldom they are launched */
#define RESTLESS 64 /* lists without a graph, one behind the other, after which a trace says so */
#define FORM UINT64_C(0xcbf29ce484222325)

/* Where a kernel's parameters are in the bytes of a launch. */
typedef struct layout {
  CUfunction function;
  uint32_t n, nbytes;
  struct {
    uint32_t at, nbytes;
  } parameter[];
} layout;

/* What is compared of a launch stands before `layout`. */
typedef struct launched {
  CUfunction function;
  uint32_t grid[3], block[3], shared, at; /* at: its bytes in the list's */
  const layout *layout;
  char name[24];
} launched;

_Static_assert(sizeof(CUDA_KERNEL_NODE_PARAMS) == 72 && offsetof(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes) == 32 &&
                 offsetof(CUDA_KERNEL_NODE_PARAMS, kernelParams) == 40 && offsetof(CUDA_KERNEL_NODE_PARAMS, ctx) == 64,
               "as in NVIDIA's header");

typedef struct list {
  launched *launch;
  char *bytes;
  uint32_t n, room;
  size_t nbytes, size;
  uint64_t form; /* a hash of all but the parameters */
} list;

typedef struct kept {
  list sent; /* with the parameters of the nodes as they are */
  CUgraph graph;
  CUgraphExec exec; /* NULL: there is none */
  CUgraphNode *node;
  uint64_t used;
} kept;

typedef struct frame {
  struct frame *next;
  ma_device *device;
  uint32_t generation;
  ma_stream *stream; /* that collects; NULL: none */
  int held;          /* somebody else may work on the stream: launches are not collected */
  list now;
  kept kept[MA_FRAME_GRAPHS];
  uint64_t seen[SEEN];
  int nseen, restless;
  layout **layouts; /* hash table by function, with open addressing */
  uint32_t nlayout, nslot;
  ma_status status; /* of launches that were sent since the frame began */
  char why[256];
  ma_frame_figures figures;
} frame;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_SEND)
static frame *frames;
static int ncollecting; /* atomic */

/* ==== Lists ====================================================================================================== */

static uint64_t mix(uint64_t form, uint64_t word) { return (form ^ word) * UINT64_C(0x100000001b3) ^ form >> 29; }

static void clear_list(list *l) {
  l->n = 0;
  l->nbytes = 0;
  l->form = FORM;
}

static void free_list(list *l) {
  free(l->launch);
  free(l->bytes);
  *l = (list){ .form = FORM };
}

static bool make_room(list *l, size_t nbytes) {
  if (l->n == l->room) {
    uint32_t room = l->room ? 2 * l->room : 64;
    launched *launch = realloc(l->launch, room * sizeof *launch);
    if (!launch) return false;
    l->launch = launch;
    l->room = room;
  }
  if (l->nbytes + nbytes > l->size) {
    size_t size = 2 * (l->size + nbytes) + 4096;
    char *bytes = realloc(l->bytes, size);
    if (!bytes) return false;
    l->bytes = bytes;
    l->size = size;
  }
  return true;
}

static bool copy_list(list *to, const list *from) {
  *to = (list){ .n = from->n, .room = from->n, .nbytes = from->nbytes, .size = from->nbytes, .form = from->form };
  to->launch = malloc(from->n * sizeof *to->launch);
  to->bytes = malloc(from->nbytes + 1);
  if (!to->launch || !to->bytes) {
    free_list(to);
    return false;
  }
  memcpy(to->launch, from->launch, from->n * sizeof *to->launch);
  memcpy(to->bytes, from->bytes, from->nbytes);
  return true;
}

static bool same_form(const list *a, const list *b) {
  if (a->form != b->form || a->n != b->n || a->nbytes != b->nbytes) return false;
  for (uint32_t i = 0; i < a->n; i++)
    if (memcmp(&a->launch[i], &b->launch[i], offsetof(launched, layout)) != 0) return false;
  return true;
}

/* ==== Parameters ================================================================================================= */

static uint32_t slot_of(const frame *f, CUfunction function) {
  uint32_t i = (uint32_t)(((uintptr_t)function >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (f->nslot - 1);
  while (f->layouts[i] && f->layouts[i]->function != function) i = (i + 1) & (f->nslot - 1);
  return i;
}

static bool grow(frame *f) {
  uint32_t nslot = f->nslot, n = nslot ? 2 * nslot : 64;
  layout **old = f->layouts, **made = calloc(n, sizeof(layout *));
  if (!made) return false;
  f->layouts = made;
  f->nslot = n;
  for (uint32_t i = 0; i < nslot; i++)
    if (old[i]) made[slot_of(f, old[i]->function)] = old[i];
  free(old);
  return true;
}

/* Asks the driver. It refuses the number behind the last. */
static layout *ask(CUfunction function) {
  size_t at[MAX_PARAMETERS], nbytes[MAX_PARAMETERS];
  uint32_t n = 0;
  while (n < MAX_PARAMETERS && ma_cu.cuFuncGetParamInfo(function, n, &at[n], &nbytes[n]) == CUDA_SUCCESS) n++;
  layout *made = n < MAX_PARAMETERS ? malloc(sizeof *made + n * sizeof *made->parameter) : NULL;
  if (!made) return NULL;
  *made = (layout){ .function = function, .n = n };
  for (uint32_t k = 0; k < n; k++) {
    made->parameter[k].at = (uint32_t)at[k];
    made->parameter[k].nbytes = (uint32_t)nbytes[k];
    if (at[k] + nbytes[k] > made->nbytes) made->nbytes = (uint32_t)(at[k] + nbytes[k]);
  }
  made->nbytes = (made->nbytes + 15) / 16 * 16; /* as is the address of a struct */
  return made;
}

static const layout *layout_of(frame *f, CUfunction function) {
  if (f->nslot && f->layouts[slot_of(f, function)]) return f->layouts[slot_of(f, function)];
  if (2 * f->nlayout >= f->nslot && !grow(f)) return NULL;
  layout *made = ask(function);
  if (!made) return NULL;
  f->nlayout++;
  return f->layouts[slot_of(f, function)] = made;
}

static void spread(const list *l, uint32_t i, void **parameter) {
  const launched *a = &l->launch[i];
  for (uint32_t k = 0; k < a->layout->n; k++) parameter[k] = l->bytes + a->at + a->layout->parameter[k].at;
}

/* ==== Graphs ===================================================================================================== */

static void drop_graph(const frame *f, kept *k) {
  if (k->exec && f->generation == f->device->generation) {
    ma_cu.cuGraphExecDestroy(k->exec);
    ma_cu.cuGraphDestroy(k->graph);
  }
  free(k->node);
  free_list(&k->sent);
  *k = (kept){ .exec = NULL };
}

/* Forgets everything that knows a function of the driver's. */
static void forget(frame *f) {
  for (int k = 0; k < MA_FRAME_GRAPHS; k++) drop_graph(f, &f->kept[k]);
  for (uint32_t i = 0; i < f->nslot; i++) free(f->layouts[i]);
  free(f->layouts);
  f->layouts = NULL;
  f->nlayout = f->nslot = 0;
  f->nseen = 0;
  clear_list(&f->now);
}

static CUDA_KERNEL_NODE_PARAMS node_of(const list *l, uint32_t i, void **parameter) {
  const launched *a = &l->launch[i];
  spread(l, i, parameter);
  return (CUDA_KERNEL_NODE_PARAMS){ .func = a->function,
                                    .gridDimX = a->grid[0],
                                    .gridDimY = a->grid[1],
                                    .gridDimZ = a->grid[2],
                                    .blockDimX = a->block[0],
                                    .blockDimY = a->block[1],
                                    .blockDimZ = a->block[2],
                                    .sharedMemBytes = a->shared,
                                    .kernelParams = parameter };
}

static CUresult add_nodes(kept *k) {
  void *parameter[MAX_PARAMETERS];
  CUresult result = ma_cu.cuGraphCreate(&k->graph, 0);
  for (uint32_t i = 0; result == CUDA_SUCCESS && i < k->sent.n; i++) {
    CUDA_KERNEL_NODE_PARAMS node = node_of(&k->sent, i, parameter);
    result = ma_cu.cuGraphAddKernelNode(&k->node[i], k->graph, i ? &k->node[i - 1] : NULL, i ? 1 : 0, &node);
  }
  return result == CUDA_SUCCESS ? ma_cu.cuGraphInstantiate(&k->exec, k->graph, 0) : result;
}

/* Makes a graph of the list, in the place of the one that was launched longest ago. NULL: it cannot be made. */
static kept *make_graph(frame *f) {
  kept *k = f->kept;
  for (int i = 1; i < MA_FRAME_GRAPHS; i++)
    if (f->kept[i].used < k->used) k = &f->kept[i];
  drop_graph(f, k);
  bool copied = copy_list(&k->sent, &f->now);
  k->node = copied ? calloc(f->now.n, sizeof(CUgraphNode)) : NULL;
  CUresult result = k->node ? add_nodes(k) : CUDA_ERROR_OUT_OF_MEMORY;
  f->figures.made++;
  if (result == CUDA_SUCCESS) return k;
  if (k->graph) ma_cu.cuGraphDestroy(k->graph);
  k->graph = NULL;
  k->exec = NULL;
  drop_graph(f, k);
  return NULL;
}

static kept *find_graph(frame *f) {
  for (int k = 0; k < MA_FRAME_GRAPHS; k++)
    if (f->kept[k].exec && same_form(&f->kept[k].sent, &f->now)) return &f->kept[k];
  return NULL;
}

/* Gives the nodes the parameters of the list. */
static CUresult set_nodes(frame *f, kept *k) {
  void *parameter[MAX_PARAMETERS];
  for (uint32_t i = 0; i < f->now.n; i++) {
    const launched *a = &f->now.launch[i];
    char *was = k->sent.bytes + a->at;
    const char *is = f->now.bytes + a->at;
    if (memcmp(was, is, a->layout->nbytes) == 0) continue;
    memcpy(was, is, a->layout->nbytes);
    CUDA_KERNEL_NODE_PARAMS node = node_of(&k->sent, i, parameter);
    CUresult result = ma_cu.cuGraphExecKernelNodeSetParams(k->exec, k->node[i], &node);
    if (result != CUDA_SUCCESS) return result;
    f->figures.changed++;
  }
  return CUDA_SUCCESS;
}

/* ==== Sending ==================================================================================================== */

/* Keeps the first error of the frame, whose text is that of this thread. */
static void keep_error(frame *f, ma_status status) {
  if (f->status != MA_OK) return;
  f->status = status;
  snprintf(f->why, sizeof f->why, "%s", ma_message());
}

static void fail(frame *f, ma_cuda_symbol call, CUresult result, const char *name) {
  if (f->status != MA_OK) return;
  if (ma_cuda_is_sticky(result)) {
    keep_error(f, ma_cuda_lose(result));
    return;
  }
  ma_cuda_fail(call, result);
  keep_error(f, ma_fail_prefix(result == CUDA_ERROR_OUT_OF_MEMORY ? MA_ERR_MEMORY : MA_ERR_DEVICE, "%s, ", name));
}

static void send_each(frame *f) {
  void *parameter[MAX_PARAMETERS];
  for (uint32_t i = 0; i < f->now.n; i++) {
    const launched *a = &f->now.launch[i];
    spread(&f->now, i, parameter);
    ma_cuda_span span = ma_cuda_span_start(f->stream);
    CUresult result = ma_cu.cuLaunchKernel(a->function, a->grid[0], a->grid[1], a->grid[2], a->block[0], a->block[1],
                                           a->block[2], a->shared, f->stream->handle, parameter, NULL);
    ma_cuda_span_end(f->stream, MA_TRACK_STREAM, span, a->name, 0);
    if (result != CUDA_SUCCESS) fail(f, MA_CU_cuLaunchKernel, result, a->name);
  }
  f->figures.single += f->now.n;
}

/* Whether a list of this form was sent before. */
static bool was_seen(frame *f) {
  for (int k = 0; k < f->nseen && k < SEEN; k++)
    if (f->seen[k] == f->now.form) return true;
  f->seen[f->nseen % SEEN] = f->now.form;
  f->nseen = f->nseen + 1 < 2 * SEEN ? f->nseen + 1 : SEEN;
  return false;
}

static void note_restless(frame *f) {
  if (++f->restless == RESTLESS)
    ma_trace("way", "ma.frame: %d lists of kernels in a row were new, so they are launched one by one", RESTLESS);
}

/* The graph to launch; NULL: the launches are sent one by one. */
static kept *choose(frame *f) {
  if (f->now.n < LEAST) return NULL;
  kept *k = find_graph(f);
  if (!k && (!was_seen(f) || f->figures.made >= EFFORT + f->figures.graphs / 8)) {
    note_restless(f);
    return NULL;
  }
  bool made = !k;
  if (made) k = make_graph(f);
  if (k && !made && set_nodes(f, k) != CUDA_SUCCESS) {
    drop_graph(f, k);
    k = NULL;
  }
  return k;
}

static void launch_graph(frame *f, kept *k) {
  char name[40];
  ma_cuda_span span = ma_cuda_span_start(f->stream);
  CUresult result = ma_cu.cuGraphLaunch(k->exec, f->stream->handle);
  if (result != CUDA_SUCCESS) fail(f, MA_CU_cuGraphLaunch, result, "a graph of a frame");
  if (span.on) snprintf(name, sizeof name, "graph of %u kernels", (unsigned)f->now.n);
  ma_cuda_span_end(f->stream, MA_TRACK_STREAM, span, name, 0);
  k->used = ++f->figures.graphs;
  f->restless = 0;
}

static void send(frame *f) {
  if (!f->now.n) return;
  ma_status entered = ma_cuda_enter(f->device);
  kept *k = entered == MA_OK ? choose(f) : NULL;
  if (entered != MA_OK) keep_error(f, entered);
  else if (!k) send_each(f);
  else launch_graph(f, k);
  clear_list(&f->now);
}

void ma_cuda_send(const ma_stream *stream) {
  pthread_mutex_lock(&lock);
  frame *f = stream->collects;
  if (f) send(f);
  pthread_mutex_unlock(&lock);
}

void ma_cuda_send_all(bool forgets) {
  if (!forgets && !__atomic_load_n(&ncollecting, __ATOMIC_ACQUIRE)) return;
  pthread_mutex_lock(&lock);
  for (frame *f = frames; f; f = f->next) {
    if (f->stream) send(f);
    if (forgets && ma_cuda_enter(f->device) == MA_OK) forget(f);
  }
  pthread_mutex_unlock(&lock);
}

void ma_cuda_hold(const ma_stream *stream, int by) {
  ma_cuda_line *line = __atomic_load_n(&stream->line, __ATOMIC_ACQUIRE);
  ma_cuda_part(stream);
  if (line && __atomic_load_n(&line->held, __ATOMIC_RELAXED) + by >= 0)
    __atomic_add_fetch(&line->held, by, __ATOMIC_RELAXED);
  if (!__atomic_load_n(&stream->collects, __ATOMIC_ACQUIRE)) return;
  pthread_mutex_lock(&lock);
  frame *f = stream->collects;
  if (f && by > 0) send(f);
  if (f && f->held + by >= 0) f->held += by;
  pthread_mutex_unlock(&lock);
}

/* ==== Collecting ================================================================================================= */

static bool add(frame *f, CUfunction function, const uint32_t *grid, const uint32_t *block, unsigned shared,
                void **parameter, const char *name) {
  if (f->held) return false;
  if (f->generation != f->device->generation) return false;
  if (f->now.n == MOST) send(f);
  const layout *of = layout_of(f, function);
  list *l = &f->now;
  if (!of || !make_room(l, of->nbytes)) return false;
  launched *a = &l->launch[l->n++];
  *a = (launched){ function, { grid[0], grid[1], grid[2] }, { block[0], block[1], block[2] },
                   shared,   (uint32_t)l->nbytes,           of,
                   { 0 } };
  strncpy(a->name, name, sizeof a->name - 1);
  memset(l->bytes + l->nbytes, 0, of->nbytes);
  for (uint32_t k = 0; k < of->n; k++)
    memcpy(l->bytes + l->nbytes + of->parameter[k].at, parameter[k], of->parameter[k].nbytes);
  l->nbytes += of->nbytes;
  l->form = mix(mix(mix(l->form, (uintptr_t)function), grid[0] | (uint64_t)grid[1] << 32),
                block[0] | (uint64_t)shared << 32);
  return true;
}

bool ma_cuda_collect(ma_stream *stream, CUfunction function, const uint32_t *grid, const uint32_t *block,
                     unsigned shared, void **parameters, const char *name) {
  pthread_mutex_lock(&lock);
  frame *f = stream->collects;
  bool taken = f && add(f, function, grid, block, shared, parameters, name);
  pthread_mutex_unlock(&lock);
  return taken;
}

/* ==== The functions of the table ================================================================================= */

ma_status ma_cuda_frame_open(ma_device *device, void **handle) {
  frame *f = calloc(1, sizeof *f);
  if (!f) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a frame");
  f->device = device;
  f->generation = device->generation;
  clear_list(&f->now);
  pthread_mutex_lock(&lock);
  f->next = frames;
  frames = f;
  pthread_mutex_unlock(&lock);
  *handle = f;
  return MA_OK;
}

/* Old drivers do not say what a kernel's parameters are. */
static bool can_collect(void) {
  return ma_cu.cuFuncGetParamInfo && ma_cu.cuGraphCreate && ma_cu.cuGraphAddKernelNode &&
         ma_cu.cuGraphExecKernelNodeSetParams;
}

ma_status ma_cuda_frame_begin(ma_stream *stream, void *handle, bool *begun) {
  frame *f = handle;
  *begun = false;
  MA_TRY(ma_cuda_enter(stream->device));
  if (!can_collect()) return MA_OK;
  pthread_mutex_lock(&lock);
  if (!stream->collects && !f->stream && !stream->capture) {
    if (f->generation != f->device->generation) forget(f);
    f->generation = f->device->generation;
    f->stream = stream;
    f->status = MA_OK;
    f->held = 0;
    f->figures.calls++;
    __atomic_store_n(&stream->collects, f, __ATOMIC_RELEASE);
    __atomic_add_fetch(&ncollecting, 1, __ATOMIC_RELEASE);
    *begun = true;
  }
  pthread_mutex_unlock(&lock);
  return MA_OK;
}

ma_status ma_cuda_frame_end(ma_stream *stream, void *handle) {
  frame *f = handle;
  pthread_mutex_lock(&lock);
  send(f);
  __atomic_store_n(&stream->collects, NULL, __ATOMIC_RELEASE);
  __atomic_sub_fetch(&ncollecting, 1, __ATOMIC_RELEASE);
  f->stream = NULL;
  ma_status status = f->status;
  char why[sizeof f->why];
  memcpy(why, f->why, sizeof why);
  pthread_mutex_unlock(&lock);
  return status == MA_OK ? MA_OK : ma_fail(status, "%s", why);
}

void ma_cuda_frame_figures(void *handle, ma_frame_figures *figures) {
  const frame *f = handle;
  pthread_mutex_lock(&lock);
  *figures = f->figures;
  figures->kept = 0;
  for (int k = 0; k < MA_FRAME_GRAPHS; k++) figures->kept += f->kept[k].exec != NULL;
  pthread_mutex_unlock(&lock);
}

void ma_cuda_frame_free(ma_device *device, void *handle) {
  frame *f = handle, **at = &frames;
  bool there = f->generation == device->generation && ma_cuda_enter(device) == MA_OK;
  pthread_mutex_lock(&lock);
  while (*at != f) at = &(*at)->next;
  *at = f->next;
  pthread_mutex_unlock(&lock);
  if (!there) f->generation = device->generation - 1; /* the graphs are gone with their context, or the driver is */
  forget(f);
  free_list(&f->now);
  free(f);
}
