/* stencil.c: stencils on a GPU: chooses how threads divide a field, finds the kernel, packs parameters, launches. */
#include "cuda/kernels/stencil.h"
#include "backend/random.h"
#include "program/splice.h"
#include "program/views.h"
#include "tuning.h"

#include <limits.h>
#include <string.h>

#define MOST_BYTES 16 /* bytes that a thread reads at once */
#define PAGE 4096     /* bytes; no GPU maps fewer */

/* The axes t, m and x: a thread's rows follow each other along m, which is the first axis if that is long enough. */
typedef struct division {
  ma_stencil_variant v;
  int axis[3]; /* of the field: t, m, x */
  int32_t n[3], part;
  uint32_t blocks_x, blocks_t, blocks;
} division;

static int itemsize(const ma_stencil *s, int f) { return ma_dtypes[s->field[f].dtype].itemsize; }
static ma_dtype result_dtype(const ma_stencil *s, int k) { return ma_program_dtype(s->program, s->program->output[k]); }

static ma_stencil_walk walk_of(const void *data, const int64_t *stride, int size, int width, bool input) {
  if (input && !stride[0] && !stride[1] && !stride[2]) return MA_ST_STILL;
  if (stride[2] != size) return MA_ST_STRIDED;
  uint64_t bits = (uint64_t)(uintptr_t)data | (uint64_t)stride[0] | (uint64_t)stride[1];
  unsigned bytes = (unsigned)(width * size);
  if (bytes > 16) bytes = 16;
  return (width > 1 || size == 16) && !(bits & (bytes - 1)) ? MA_ST_VECTOR : MA_ST_ELEMENT;
}

static ma_stencil_walk walk_of_field(const ma_stencil *s, int f, int width) {
  const ma_stencil_field *field = &s->field[f];
  if (field->data) return walk_of(field->data, field->stride, itemsize(s, f), width, true);
  return field->drawn.kind == MA_RANDOM_uniform  ? MA_ST_UNIFORM
         : field->drawn.kind == MA_RANDOM_normal ? MA_ST_NORMAL
                                                 : MA_ST_WHOLE;
}

/* Sets how operands are read and written at a width. Returns how many of them a thread moves in one access. */
static int set_walks(ma_stencil_variant *v, const ma_stencil *s, int width) {
  int wide = 0;
  v->width = (uint8_t)width;
  for (int f = 0; f < s->nfield; f++) {
    v->walk[f] = (uint8_t)walk_of_field(s, f, width);
    wide += v->walk[f] == MA_ST_VECTOR;
  }
  for (int k = 0; k < s->program->noutput; k++) {
    v->result_walk[k] = (uint8_t)walk_of(s->result[k].data, s->result[k].stride, ma_dtypes[result_dtype(s, k)].itemsize,
                                         width, false);
    wide += v->result_walk[k] == MA_ST_VECTOR;
  }
  return wide;
}

/* Chooses the width at which a thread moves the most operands in one access. Of several such it takes the largest. */
static void choose_width(ma_stencil_variant *v, const ma_stencil *s, int64_t size) {
  int widest = 4, best = 1, most = 0;
  for (int f = 0; f < s->nfield; f++)
    if (itemsize(s, f) > widest) widest = itemsize(s, f);
  for (int k = 0; k < s->program->noutput; k++)
    if (ma_dtypes[result_dtype(s, k)].itemsize > widest) widest = ma_dtypes[result_dtype(s, k)].itemsize;
  int width = size < TUNE_STENCIL_SMALL ? 1 : MOST_BYTES / widest;
  while (width > 1 && s->shape[2] < 32 * width) width /= 2;
  for (; width > 1; width /= 2) {
    int wide = set_walks(v, s, width);
    if (wide <= most) continue;
    best = width;
    most = wide;
  }
  set_walks(v, s, best);
}

/* How many registers a thread needs to keep the rows of that many steps, for fields that are read along m and x
** alone. */
static int registers(const ma_stencil_variant *v, const ma_stencil *s, int steps) {
  int sum = 0;
  for (int f = 0; f < s->nfield; f++) {
    int low[3] = { 0, 0, 0 }, high[3] = { 0, 0, 0 };
    for (int j = 0; j < s->program->ninput; j++)
      for (int k = 0; k < 3 && v->field[j] == f; k++) {
        if (v->offset[j][k] < low[k]) low[k] = v->offset[j][k];
        if (v->offset[j][k] > high[k]) high[k] = v->offset[j][k];
      }
    if (low[0] != high[0]) return INT_MAX;
    sum += (high[1] - low[1] + steps) * (high[2] - low[2] + v->width) * (itemsize(s, f) + 3) / 4;
  }
  return sum;
}

/* How many rows a thread has. They are few, so that the blocks that run at a time read and write near each other in
** memory. But they are at least four times as many as the thread reads beside them. */
static int part_of(const ma_stencil_variant *v, int ninput) {
  int low = 0, high = 0, part = 8;
  for (int j = 0; j < ninput; j++) {
    if (v->offset[j][1] < low) low = v->offset[j][1];
    if (v->offset[j][1] > high) high = v->offset[j][1];
  }
  while (part < 64 && part < 4 * (high - low)) part *= 2;
  return part;
}

/* How threads divide the field. */
static void choose_threads(division *d, const ma_stencil *s, int sms) {
  ma_stencil_variant *v = &d->v;
  int64_t size = (int64_t)d->n[0] * d->n[1] * d->n[2];
  int across = 32;
  v->steps = (uint8_t)(size < TUNE_STENCIL_SMALL || d->n[1] < 16      ? 1
                       : registers(v, s, 8) <= TUNE_STENCIL_REGISTERS ? 8
                                                                      : 4);
  d->part = size < TUNE_STENCIL_SMALL ? 1 : part_of(v, s->program->ninput);
  v->along_t = d->n[0] > 1;
  while (d->part > d->n[1] && d->part > v->steps) d->part /= 2;
  for (;;) {
    int64_t rows, blocks;
    int64_t parts = (d->n[1] + d->part - 1) / d->part;
    across = v->along_t || d->n[2] < 128 * v->width ? 32 : 128; /* neighbours along t share the first cache */
    for (; across < MA_THREADS; across *= 2) {                  /* threads that would have no rows */
      rows = MA_THREADS / across;
      if (rows <= (v->along_t ? d->n[0] : parts)) break;
    }
    while (across > 8 && (int64_t)across / 2 * v->width >= d->n[2]) across /= 2; /* threads without columns */
    rows = MA_THREADS / across;
    d->blocks_x = (uint32_t)((d->n[2] + across * v->width - 1) / (across * v->width));
    d->blocks_t = (uint32_t)(v->along_t ? (d->n[0] + rows - 1) / rows : 1);
    blocks = (v->along_t ? parts : (parts + rows - 1) / rows) * d->blocks_x * d->blocks_t;
    d->blocks = (uint32_t)blocks;
    if (blocks >= (int64_t)sms * 24 || d->part <= v->steps) break;
    d->part /= 2;
  }
  v->across = (uint16_t)across;
  v->narrow = !v->leave && !v->open && d->n[2] <= 8 * 32 * v->width;
}

static void divide(division *d, const ma_stencil *s, int sms) {
  ma_stencil_variant *v = &d->v;
  memset(v, 0, sizeof *v);
  bool deep = s->shape[0] >= TUNE_STENCIL_DEEP;
  d->axis[0] = deep ? 1 : 0;
  d->axis[1] = deep ? 0 : 1;
  d->axis[2] = 2;
  for (int k = 0; k < 3; k++) {
    d->n[k] = (int32_t)s->shape[d->axis[k]];
    v->edge[k] = s->edge[d->axis[k]];
  }
  v->leave = s->leave;
  v->open = s->open;
  v->deep = deep;
  v->nreach = s->nreach;
  memcpy(v->reach, s->reach, s->nreach);
  v->nfield = (uint8_t)s->nfield;
  for (int f = 0; f < s->nfield; f++) v->dtype[f] = (uint8_t)s->field[f].dtype;
  for (int j = 0; j < s->program->ninput; j++) {
    v->field[j] = s->read[j].field;
    for (int k = 0; k < 3; k++) v->offset[j][k] = (int16_t)s->read[j].offset[d->axis[k]];
  }
  choose_width(v, s, s->shape[0] * s->shape[1] * s->shape[2]);
  choose_threads(d, s, sms);
}

/* ==== Parameters, in the order of `struct params` of stencil.cuh ================================================== */

typedef struct packer {
  char bytes[(MA_MAX_SCALARS + 1) * 16 + MA_STENCIL_FIELDS * 48 + MA_MAX_OUTPUTS * 32 + 32]
    __attribute__((aligned(16)));
  char *at;
} packer;

static void put(packer *to, const void *bytes, size_t n) {
  memcpy(to->at, bytes, n);
  to->at += n;
}

static void put_place(packer *to, const void *data, const int64_t *stride, const int *axis) {
  put(to, &data, sizeof data);
  for (int k = 0; k < 3; k++) put(to, &stride[axis[k]], sizeof *stride);
}

/* A draw has its key, number and turn in place of the value outside, its cell, and the bounds of whole numbers in place
** of strides. */
static void put_value(packer *to, const ma_stencil_field *f) {
  char value[16] = { 0 };
  if (f->data) ma_value_store(value, f->dtype, f->outside);
  else {
    memcpy(value, &f->drawn.key, sizeof f->drawn.key);
    memcpy(value + 8, &f->drawn.draw, sizeof f->drawn.draw);
    memcpy(value + 12, &f->drawn.turn, sizeof f->drawn.turn);
  }
  put(to, value, sizeof value);
}

static void put_field(packer *to, const ma_stencil_field *f, const int *axis) {
  const int64_t bounds[3] = { f->drawn.low, (int64_t)((uint64_t)f->drawn.low + f->drawn.span - 1), 0 };
  if (f->data) put_place(to, f->data, f->stride, axis);
  else put_place(to, f->drawn.cell, bounds, (const int[3]){ 0, 1, 2 });
}

static void put_all(packer *to, const ma_stencil *s, const division *d) {
  to->at = to->bytes + ma_pack_scalars(s->program, s->scalar, to->bytes);
  for (int f = 0; f < s->nfield; f++) put_value(to, &s->field[f]);
  for (int f = 0; f < s->nfield; f++) put_field(to, &s->field[f], d->axis);
  for (int k = 0; k < s->program->noutput; k++) put_place(to, s->result[k].data, s->result[k].stride, d->axis);
  put(to, d->n, sizeof d->n);
  put(to, &d->part, sizeof d->part);
  put(to, &d->blocks_x, sizeof d->blocks_x);
  put(to, &d->blocks_t, sizeof d->blocks_t);
}

/* ==== The launch ================================================================================================== */

static int64_t bytes_moved(const ma_stencil *s) {
  int64_t bytes = 0;
  for (int f = 0; f < s->nfield; f++)
    if (walk_of_field(s, f, 1) < MA_ST_STILL) bytes += itemsize(s, f);
  for (int k = 0; k < s->program->noutput; k++) bytes += ma_dtypes[result_dtype(s, k)].itemsize;
  return bytes * s->shape[0] * s->shape[1] * s->shape[2];
}

/* With `ran`, a kernel that is not compiled is left to the worker, and *ran becomes false. */
static ma_status launch(ma_stream *stream, const ma_stencil *s, const division *d, bool *ran) {
  uint8_t key[sizeof(ma_stencil_variant) + sizeof(ma_program)];
  const CUfunction *function = NULL;
  packer params;
  memcpy(key, &d->v, sizeof d->v);
  size_t size = sizeof d->v + ma_program_key(s->program, key + sizeof d->v);
  ma_stencil_text text = { s->program, &d->v };
  MA_TRY((ran ? ma_cuda_kernel_try : ma_cuda_kernel)(ma_cuda_state(stream), &ma_stencil_family, key, size, &text,
                                                     &function));
  if (ran && !function) {
    *ran = false;
    return MA_OK;
  }
  put_all(&params, s, d);
  return ma_cuda_launch(stream, *function, d->blocks, MA_THREADS, 0, (void *[]){ params.bytes }, "stencil",
                        ma_cuda_times() ? bytes_moved(s) : 0);
}

ma_status ma_cuda_stencil_run(ma_stream *stream, const ma_stencil *s) {
  division d;
  bool ran = true;
  MA_TRY(ma_cuda_enter(stream->device));
  divide(&d, s, ma_cuda_state(stream)->sm_count);
  MA_TRY(launch(stream, s, &d, s->yields ? &ran : NULL));
  return ran ? MA_OK : ma_lack();
}

/* ==== Maps over shifted views ===================================================================================== */

/* Whether the corners of a line's rectangle of rows and columns may be read, though nobody may need their elements.
** They may if they lie in the same page as an element that a view has. */
static bool may_read(const ma_stencil *s, const division *d) {
  ma_stencil_line lines[MA_MAX_INPUTS];
  int of[MA_MAX_INPUTS], nline = ma_stencil_lines(&d->v, s->program->ninput, lines, of);
  for (int l = 0; l < nline; l++) {
    const ma_stencil_field *f = &s->field[lines[l].field];
    int64_t step[3], first = INT64_MAX, last = INT64_MIN, end = itemsize(s, lines[l].field) - 1;
    for (int k = 0; k < 3; k++) {
      step[k] = f->stride[d->axis[k]];
      if (step[k] < 0) return false;
      end += (d->n[k] - 1) * step[k];
    }
    for (int j = 0; j < s->program->ninput; j++) {
      const int16_t *o = d->v.offset[j];
      int64_t at = o[0] * step[0] + o[1] * step[1] + o[2] * step[2];
      if (d->v.field[j] != lines[l].field) continue;
      first = at < first ? at : first;
      last = at > last ? at : last;
    }
    uintptr_t base = (uintptr_t)f->data + (uintptr_t)(lines[l].t * step[0]);
    uintptr_t low = base + (uintptr_t)(lines[l].low_m * step[1] + lines[l].low_x * step[2]);
    uintptr_t high = base + (uintptr_t)(lines[l].high_m * step[1] + lines[l].high_x * step[2] + end);
    if (low / PAGE < ((uintptr_t)f->data + (uintptr_t)first) / PAGE ||
        high / PAGE > ((uintptr_t)f->data + (uintptr_t)(last + end)) / PAGE)
      return false;
  }
  return true;
}

/* Moves the origins of fields to places where threads can read several elements at once. */
static void align_fields(ma_stencil *s) {
  for (int f = 0; f < s->nfield; f++) {
    ma_stencil_field *field = &s->field[f];
    int64_t size = itemsize(s, f);
    uint64_t strides = (uint64_t)field->stride[0] | (uint64_t)field->stride[1] | MOST_BYTES;
    uint64_t unit = strides & -strides; /* the largest power of two that divides all these distances in bytes */
    int32_t shift = (int32_t)((uintptr_t)field->data % unit / (uint64_t)size);
    if (field->stride[2] != size) continue;
    field->data = (const char *)field->data - shift * size;
    for (int j = 0; j < s->program->ninput; j++)
      if (s->read[j].field == f) s->read[j].offset[2] += shift;
  }
}

/* Whether threads that march read less than those of a map. They do if views are shifted along another axis than x, and
** long. */
static bool is_worth_while(const ma_stencil *s, const division *d) {
  bool crosses = false;
  for (int j = 0; j < s->program->ninput; j++) crosses |= d->v.offset[j][0] || d->v.offset[j][1];
  return crosses && d->v.steps > 1;
}

ma_status ma_cuda_views(ma_stream *stream, const ma_map *map, bool *ran, bool *taken) {
  int64_t size = 1;
  ma_stencil s;
  division d;
  *taken = false;
  for (int k = 0; k < map->space.ndim; k++) {
    if (map->space.shape[k] > MA_STENCIL_EXTENT) return MA_OK;
    size *= map->space.shape[k];
  }
  /* a single operation has a kernel for all views, which is compiled already */
  if (size < TUNE_STENCIL_SMALL || ma_program_is_single(map->program) || !ma_views_find(map, &s)) return MA_OK;
  align_fields(&s);
  divide(&d, &s, ma_cuda_state(stream)->sm_count);
  if (!is_worth_while(&s, &d) || !may_read(&s, &d)) return MA_OK;
  *taken = true;
  return launch(stream, &s, &d, ran);
}

ma_status ma_cuda_stencil_source(const ma_stencil *stencil, char **source) {
  division d;
  divide(&d, stencil, 100);
  ma_stencil_text what = { stencil->program, &d.v };
  return ma_cuda_source(&ma_stencil_family, &what, source);
}
