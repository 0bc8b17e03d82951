/* substitute.c: the CPU in place of a kernel that a GPU does not have: copies there and back, and one warning. */
#include "base/fork.h"
#include "bundle/bundle.h"
#include "memory/graph.h"
#include "memory/wait.h"
#include "program/arrange.h"
#include "run/substitute.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ==== Whether the CPU may ======================================================================================== */

#define WARNINGS 512 /* more operations and dtypes than a program has */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)

/* Whether this operation and dtype come for the first time. */
static bool is_new(const char *operation, ma_dtype dtype) {
  static uint64_t known[WARNINGS];
  static int n;
  uint64_t hash = ma_hash(operation, strlen(operation), (uint64_t)dtype);
  bool found = false;
  pthread_mutex_lock(&lock);
  for (int k = 0; k < n && !found; k++) found = known[k] == hash;
  if (!found && n < WARNINGS) known[n++] = hash;
  else found = true;
  pthread_mutex_unlock(&lock);
  return !found;
}

static void warn(const char *operation, ma_dtype dtype, const char *why) {
  if (!is_new(operation, dtype)) return;
  const char *place = ma_bundle_place ? ma_bundle_place() : "";
  fprintf(stderr, "moonarray: %s%s%s%s%s runs on the CPU: %s\n", place, *place ? ": " : "", operation,
          dtype == MA_NDTYPE ? "" : " of ", dtype == MA_NDTYPE ? "" : ma_dtypes[dtype].name, why);
}

int64_t ma_stand_ins;

ma_status ma_substitute_begin(const ma_stream *stream, const char *operation, ma_dtype dtype) {
  char why[MA_LACKED];
  snprintf(why, sizeof why, "%s", ma_lacked() ? ma_lacked() : "");
  ma_lack_forget();
  const char *refused = stream->capture                        ? "while a graph is recorded"
                        : ma_wait_forbidden != MA_WAIT_ALLOWED ? "where allow_synchronize(false) holds"
                                                               : NULL;
  if (refused) return ma_fail(MA_ERR_LIBRARY, "%s; the CPU cannot stand in %s", why, refused);
  warn(operation, dtype, why);
  __atomic_add_fetch(&ma_stand_ins, 1, __ATOMIC_RELAXED);
  return MA_OK;
}

/* ==== Copies ===================================================================================================== */

void ma_copies_add(ma_copies *copies, const void *low, const void *high, bool written) {
  ma_copied part = { (char *)low, (char *)high, NULL, written };
  for (int k = 0; k < copies->n;) {
    const ma_copied *other = &copies->part[k];
    if (part.low >= other->high || other->low >= part.high) {
      k++;
      continue;
    }
    if (other->low < part.low) part.low = other->low;
    if (other->high > part.high) part.high = other->high;
    part.written |= other->written;
    copies->part[k] = copies->part[--copies->n];
    k = 0; /* the longer part may meet others */
  }
  copies->part[copies->n++] = part;
}

const ma_copied *ma_copies_at(const ma_copies *copies, const void *address) {
  for (int k = 0; k < copies->n; k++)
    if ((char *)address >= copies->part[k].low && (char *)address < copies->part[k].high) return &copies->part[k];
  return NULL;
}

ma_status ma_copied_fetch(const ma_copied *part, ma_stream *stream) {
  return stream->device->backend->memory.copy(stream, part->host->ptr, part->low, (size_t)(part->high - part->low),
                                              MA_COPY_TO_HOST);
}

ma_status ma_copies_make(ma_copies *copies, ma_stream *stream) {
  for (int k = 0; k < copies->n; k++) {
    ma_copied *part = &copies->part[k];
    MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(part->high - part->low), &part->host));
    MA_TRY(ma_copied_fetch(part, stream));
  }
  return MA_OK;
}

void *ma_copies_host(const ma_copies *copies, const void *address) {
  const ma_copied *part = ma_copies_at(copies, address);
  return part ? (char *)part->host->ptr + ((char *)address - part->low) : NULL;
}

ma_status ma_copies_return(const ma_copies *copies, ma_stream *stream) {
  const ma_backend *backend = stream->device->backend;
  for (int k = 0; k < copies->n; k++) {
    const ma_copied *part = &copies->part[k];
    if (part->written)
      MA_TRY(
        backend->memory.copy(stream, part->low, part->host->ptr, (size_t)(part->high - part->low), MA_COPY_TO_DEVICE));
  }
  return backend->stream.synchronize(stream); /* the host's memory may be pinned, and is released */
}

ma_status ma_copies_finish(ma_copies *copies, ma_status status, ma_stream *stream) {
  if (status == MA_OK) status = ma_copies_return(copies, stream);
  for (int k = 0; k < copies->n; k++)
    if (copies->part[k].host) ma_buffer_release(copies->part[k].host);
  return status;
}

/* ==== Programs =================================================================================================== */

/* What a run of a program reads and writes: operands of a space, the results first, and positions behind each other. */
typedef struct operands {
  const ma_program *program;
  const ma_space *space;
  ma_dtype result; /* of the one result; MA_NDTYPE: what the program says */
  void *const *data;
  const int64_t *starts;
  ma_copies copies;
  ma_copied part[MA_MAX_OPERANDS + 1];
} operands;

static ma_dtype dtype_of(const operands *o, int k) {
  int nresult = o->result == MA_NDTYPE ? o->program->noutput : 1;
  if (k >= nresult) return (ma_dtype)o->program->input_dtype[k - nresult];
  return o->result == MA_NDTYPE ? ma_program_dtype(o->program, o->program->output[k]) : o->result;
}

static ma_status fetch(operands *o, ma_stream *stream, int64_t nstarts) {
  int nresult = o->result == MA_NDTYPE ? o->program->noutput : 1;
  o->copies = (ma_copies){ 0, o->part };
  for (int k = 0; k < o->space->noperand; k++) {
    int64_t low, high;
    ma_space_reach(o->space, k, ma_dtypes[dtype_of(o, k)].itemsize, &low, &high);
    ma_copies_add(&o->copies, (char *)o->data[k] + low, (char *)o->data[k] + high, k < nresult);
  }
  if (o->starts) ma_copies_add(&o->copies, o->starts, o->starts + nstarts, false);
  return ma_copies_make(&o->copies, stream);
}

static void find_data(const operands *o, void **data) {
  for (int k = 0; k < o->space->noperand; k++) data[k] = ma_copies_host(&o->copies, o->data[k]);
}

static ma_stream *host_stream(void) { return ma_device_null_stream(ma_device_cpu()); }

/* The dtype in which the last operation computes. */
static ma_dtype loop_of(const ma_program *p) {
  for (int k = p->ncode - 1; k >= 0; k--)
    if (p->code[k].op != MA_CAST) return (ma_dtype)p->code[k].dtype;
  return ma_program_dtype(p, p->output[0]);
}

ma_status ma_substitute_map(ma_stream *stream, const ma_map *map) {
  operands o = { .program = map->program, .space = &map->space, .result = MA_NDTYPE, .data = map->data };
  ma_map host = *map;
  MA_TRY(ma_substitute_begin(stream, ma_program_name(map->program), loop_of(map->program)));
  ma_status status = fetch(&o, stream, 0);
  if (status == MA_OK) {
    find_data(&o, host.data);
    status = ma_device_cpu()->backend->map.run(host_stream(), &host);
  }
  return ma_copies_finish(&o.copies, status, stream);
}

ma_status ma_substitute_reduction(ma_stream *stream, const ma_reduction *r) {
  operands o = { r->program, &r->space, r->result, r->data, r->starts, { 0 }, { { 0 } } };
  ma_reduction host = *r;
  if (r->result == MA_NDTYPE) return ma_fail(MA_ERR_LIBRARY, "%s", ma_lacked() ? ma_lacked() : "");
  MA_TRY(ma_substitute_begin(stream, ma_reduces[r->op].name, ma_program_dtype(r->program, r->program->output[0])));
  ma_status status = fetch(&o, stream, r->starts ? r->space.shape[r->nkept - 1] : 0);
  if (status == MA_OK) {
    find_data(&o, host.data);
    if (r->starts) host.starts = ma_copies_host(&o.copies, r->starts);
    status = ma_device_cpu()->backend->reduce.run(host_stream(), &host);
  }
  return ma_copies_finish(&o.copies, status, stream);
}

ma_status ma_substitute_scan(ma_stream *stream, const ma_scan *scan) {
  operands o = { scan->program, &scan->space, scan->result, scan->data, NULL, { 0 }, { { 0 } } };
  ma_scan host = *scan;
  char name[48];
  snprintf(name, sizeof name, "running %s", ma_reduces[scan->op].name);
  MA_TRY(ma_substitute_begin(stream, name, scan->result));
  ma_status status = fetch(&o, stream, 0);
  if (status == MA_OK) {
    find_data(&o, host.data);
    status = ma_device_cpu()->backend->reduce.scan(host_stream(), &host);
  }
  return ma_copies_finish(&o.copies, status, stream);
}

/* ==== Stencils =================================================================================================== */

static void add_reach(ma_copies *copies, const ma_stencil *s, const void *data, const int64_t *stride, ma_dtype dtype,
                      bool written) {
  const char *low = data, *high = low + ma_dtypes[dtype].itemsize;
  for (int d = 0; d < MA_STENCIL_NDIM; d++) {
    int64_t far = (s->shape[d] - 1) * stride[d];
    *(far < 0 ? &low : &high) += far;
  }
  ma_copies_add(copies, low, high, written);
}

ma_status ma_substitute_stencil(ma_stream *stream, const ma_stencil *s) {
  const ma_program *p = s->program;
  ma_copied part[MA_STENCIL_FIELDS + MA_MAX_OUTPUTS];
  ma_copies copies = { 0, part };
  ma_stencil host = *s;
  MA_TRY(ma_substitute_begin(stream, "stencil", ma_program_dtype(p, p->output[0])));
  for (int f = 0; f < s->nfield; f++)
    if (s->field[f].data) add_reach(&copies, s, s->field[f].data, s->field[f].stride, s->field[f].dtype, false);
  for (int k = 0; k < p->noutput; k++)
    add_reach(&copies, s, s->result[k].data, s->result[k].stride, ma_program_dtype(p, p->output[k]), true);
  ma_status status = ma_copies_make(&copies, stream);
  if (status == MA_OK) {
    host.compile = MA_COMPILE_NEVER;
    for (int f = 0; f < s->nfield; f++) host.field[f].data = ma_copies_host(&copies, s->field[f].data);
    for (int k = 0; k < p->noutput; k++) host.result[k].data = ma_copies_host(&copies, s->result[k].data);
    status = ma_device_cpu()->backend->stencil.run(host_stream(), &host);
  }
  return ma_copies_finish(&copies, status, stream);
}
