/*
** graph.c: graphs on the CPU. What a stream that records is asked to do is copied, with all that it points to but the arrays'
** memory, and done at each launch. The backend's table has these functions in front of those that compute.
*/
#include "../inject.h"
#include "graph.h"
#include "../fft.h"
#include "../graph.h"
#include "../random.h"
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct node {
  struct node *next;
  ma_status (*run)(ma_stream *stream, const struct node *node);
  char function[32];                   /* for a fault */
} node;

typedef struct graph { node *first, **last; } graph;

typedef struct map_node { node head; ma_map map; ma_program program; ma_raw raw[MA_MAX_RAW]; } map_node;
typedef struct reduce_node { node head; ma_reduction reduction; ma_program program; ma_raw raw[MA_MAX_RAW]; } reduce_node;
typedef struct scan_node { node head; ma_scan scan; ma_program program; } scan_node;
typedef struct gather_node { node head; ma_gather gather; } gather_node;
typedef struct copy_node { node head; void *to; const void *from; size_t nbytes; } copy_node;
typedef struct fft_node { node head; ma_fft fft; void *plan; const void *from; void *to; } fft_node;
typedef struct random_node { node head; ma_random random; } random_node;
typedef struct job_node { node head; ma_status (*run)(ma_stream *, const void *); _Alignas(16) char job[]; } job_node;
typedef struct launch_node { node head; ma_kernel kernel; ma_launch launch; _Alignas(16) char bytes[]; } launch_node;

/* ==== Captures =================================================================================================== */

static void *add(ma_stream *stream, ma_status (*run)(ma_stream *, const node *), size_t size)
{
  graph *g = stream->capture->handle;
  node *made = malloc(size);
  if (!made) {
    ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a graph");
    return NULL;
  }
  *made = (node){ .next = NULL, .run = run };
  snprintf(made->function, sizeof made->function, "%s", ma_cpu_function());
  *g->last = made;
  g->last = &made->next;
  return made;
}

ma_status ma_cpu_capture_begin(ma_stream *stream, void **handle)
{
  graph *g = malloc(sizeof *g);
  if (!g)
    return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a graph");
  g->first = NULL;
  g->last = &g->first;
  *handle = g;
  return MA_OK;
}

ma_status ma_cpu_capture_end(ma_stream *stream, void *handle, bool keep)
{
  return MA_OK;
}

ma_status ma_cpu_graph_launch(ma_stream *stream, void *handle)
{
  const graph *g = handle;
  ma_status status = MA_OK;
  for (const node *n = g->first; n && status == MA_OK; n = n->next) {
    ma_cpu_name_function(n->function);
    status = n->run(stream, n);
  }
  ma_cpu_name_function("launch");
  return status;
}

void ma_cpu_graph_free(ma_device *device, void *handle)
{
  graph *g = handle;
  for (node *n = g->first, *next; n; n = next) {
    next = n->next;
    free(n);
  }
  free(g);
}

/* ==== What is recorded =========================================================================================== */

static const ma_raw *copy_raw(ma_raw *to, const ma_raw *from, const ma_program *program)
{
  int n = 0;
  const ma_body *body = program->body && from ? ma_body_get(program->body) : NULL;
  for (int k = 0; body && k < body->nparam; k++)
    n += body->param[k].role == MA_PARAM_RAW;
  if (n)
    memcpy(to, from, (size_t)n * sizeof *to);
  return n ? to : NULL;
}

static ma_status run_map(ma_stream *stream, const node *n) { return ma_cpu_watch_map(stream, &((const map_node *)n)->map); }

ma_status ma_cpu_record_map(ma_stream *stream, const ma_map *map)
{
  if (__builtin_expect(!stream->capture, 1))
    return ma_cpu_watch_map(stream, map);
  map_node *n = add(stream, run_map, sizeof *n);
  if (!n)
    return MA_ERR_MEMORY;
  n->map = *map;
  n->program = *map->program;
  n->map.program = &n->program;
  n->map.raw = copy_raw(n->raw, map->raw, map->program);
  return MA_OK;
}

static ma_status run_reduce(ma_stream *stream, const node *n) { return ma_cpu_watch_reduce(stream, &((const reduce_node *)n)->reduction); }

ma_status ma_cpu_record_reduce(ma_stream *stream, const ma_reduction *reduction)
{
  if (__builtin_expect(!stream->capture, 1))
    return ma_cpu_watch_reduce(stream, reduction);
  reduce_node *n = add(stream, run_reduce, sizeof *n);
  if (!n)
    return MA_ERR_MEMORY;
  n->reduction = *reduction;
  n->program = *reduction->program;
  n->reduction.program = &n->program;
  n->reduction.raw = copy_raw(n->raw, reduction->raw, reduction->program);
  return MA_OK;
}

static ma_status run_scan(ma_stream *stream, const node *n) { return ma_cpu_watch_scan(stream, &((const scan_node *)n)->scan); }

ma_status ma_cpu_record_scan(ma_stream *stream, const ma_scan *scan)
{
  if (__builtin_expect(!stream->capture, 1))
    return ma_cpu_watch_scan(stream, scan);
  scan_node *n = add(stream, run_scan, sizeof *n);
  if (!n)
    return MA_ERR_MEMORY;
  n->scan = *scan;
  n->program = *scan->program;
  n->scan.program = &n->program;
  return MA_OK;
}

static ma_status record_picks(ma_stream *stream, ma_status (*run)(ma_stream *, const node *), const ma_gather *picks)
{
  gather_node *n = add(stream, run, sizeof *n);
  if (!n)
    return MA_ERR_MEMORY;
  n->gather = *picks;
  return MA_OK;
}

static ma_status run_gather(ma_stream *stream, const node *n) { return ma_cpu_watch_gather(stream, &((const gather_node *)n)->gather); }
static ma_status run_scatter(ma_stream *stream, const node *n) { return ma_cpu_watch_scatter(stream, &((const gather_node *)n)->gather); }

ma_status ma_cpu_record_gather(ma_stream *stream, const ma_gather *gather)
{
  return stream->capture ? record_picks(stream, run_gather, gather) : ma_cpu_watch_gather(stream, gather);
}

ma_status ma_cpu_record_scatter(ma_stream *stream, const ma_gather *scatter)
{
  return stream->capture ? record_picks(stream, run_scatter, scatter) : ma_cpu_watch_scatter(stream, scatter);
}

ma_status ma_cpu_record_nonzero(ma_stream *stream, const void *mask, int64_t n, ma_array *positions)
{
  return stream->capture ? ma_capture_refuse(stream) : ma_cpu_watch_nonzero(stream, mask, n, positions);
}

static ma_status copy(void *to, const void *from, size_t nbytes)
{
  MA_TRY(ma_inject(MA_INJECT_COPY, "a copy"));
  double began = ma_cpu_watch_begin();
  memmove(to, from, nbytes);
  ma_cpu_watch_end(began, "copy bytes", 2 * (int64_t)nbytes);
  return MA_OK;
}

static ma_status run_copy(ma_stream *stream, const node *n)
{
  const copy_node *c = (const copy_node *)n;
  return copy(c->to, c->from, c->nbytes);
}

ma_status ma_cpu_record_copy(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind)
{
  if (__builtin_expect(!stream->capture, 1))
    return copy(to, from, nbytes);
  if (kind == MA_COPY_TO_HOST)
    return ma_capture_refuse(stream);
  if (kind == MA_COPY_TO_DEVICE)
    return ma_capture_constant(stream, to, from, nbytes);
  copy_node *n = add(stream, run_copy, sizeof *n);
  if (!n)
    return MA_ERR_MEMORY;
  n->to = to;
  n->from = from;
  n->nbytes = nbytes;
  return MA_OK;
}

static ma_status run_fft(ma_stream *stream, const node *n)
{
  const fft_node *f = (const fft_node *)n;
  return ma_cpu_fft_run(stream, &f->fft, f->plan, f->from, f->to);
}

/* The plan is the graph's while it lives (fft.c). */
ma_status ma_cpu_record_fft(ma_stream *stream, const ma_fft *fft, void *plan, const void *from, void *to)
{
  if (!stream->capture)
    return ma_cpu_fft_run(stream, fft, plan, from, to);
  fft_node *n = add(stream, run_fft, sizeof *n);
  if (!n)
    return MA_ERR_MEMORY;
  n->fft = *fft;
  n->plan = plan;
  n->from = from;
  n->to = to;
  return MA_OK;
}

/* Seed and position are those that the launch wrote. */
static ma_status run_random(ma_stream *stream, const node *n)
{
  ma_random r = ((const random_node *)n)->random;
  r.job = ma_random_placed(r.job);
  return ma_cpu_random(stream, &r);
}

ma_status ma_cpu_record_random(ma_stream *stream, const ma_random *random)
{
  if (__builtin_expect(!stream->capture, 1))
    return ma_cpu_random(stream, random);
  random_node *n = add(stream, run_random, sizeof *n);
  if (!n)
    return MA_ERR_MEMORY;
  n->random = *random;
  return MA_OK;
}

static ma_status run_job(ma_stream *stream, const node *n)
{
  const job_node *j = (const job_node *)n;
  return j->run(stream, j->job);
}

ma_status ma_cpu_record(ma_stream *stream, ma_status (*run)(ma_stream *, const void *), const void *job, size_t size)
{
  if (__builtin_expect(!stream->capture, 1))
    return run(stream, job);
  job_node *n = add(stream, run_job, sizeof *n + size);
  if (!n)
    return MA_ERR_MEMORY;
  n->run = run;
  memcpy(n->job, job, size);
  return MA_OK;
}

static ma_status run_launch(ma_stream *stream, const node *n)
{
  const launch_node *l = (const launch_node *)n;
  return ma_cpu_watch_launch(stream, &l->kernel, &l->launch);
}

/* Arguments lie behind the node, each at a multiple of 16. */
ma_status ma_cpu_record_launch(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch)
{
  if (__builtin_expect(!stream->capture, 1))
    return ma_cpu_watch_launch(stream, kernel, launch);
  size_t size = 0;
  for (int k = 0; k < launch->nargument; k++)
    size += (kernel->param_size[k] + 15u) / 16 * 16;
  launch_node *n = add(stream, run_launch, sizeof *n + size);
  if (!n)
    return MA_ERR_MEMORY;
  n->kernel = *kernel;
  n->launch = *launch;
  char *to = n->bytes;
  for (int k = 0; k < launch->nargument; k++) {
    memcpy(to, launch->argument[k], kernel->param_size[k]);
    n->launch.argument[k] = to;
    to += (kernel->param_size[k] + 15u) / 16 * 16;
  }
  return MA_OK;
}
