/*
** stencil.c: programs over the neighbours of positions. There are two ways. Long rows run where they lie: an input is a
** shifted part of a row, and is copied only where it reaches beyond the row's ends. Short rows are copied into a box
** together with the neighbours around it. The box then runs as one row, whose results between the rows nobody takes.
** Where there is a compiled form of the program, that runs instead (compiled.c); a text has no other.
*/
#include "base/inject.h"
#include "cpu/cpu.h"
#include "program/program.h"
#include "compile/prepare.h"
#include "cpu/stencil/compiled.h"
#include "cpu/submit.h"
#include "kernels/ndimage/edge.h"
#include "tuning.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NDIM MA_STENCIL_NDIM

typedef struct stencil_job {
  const ma_stencil *s;
  const ma_plan *plan;
  int64_t first[NDIM], extent[NDIM]; /* the positions that the program computes */
  bool direct[MA_MAX_OUTPUTS];       /* the loop of this output may write directly to the array */
  bool streamed;                     /* results are written around the caches */
  int64_t pieces;                    /* of a long row */
  int64_t box[NDIM], boxes[NDIM];    /* extents of a box; number of boxes along each axis */
  size_t room;                       /* bytes for the copies of a thread */
} stencil_job;

static int itemsize(ma_dtype dtype) { return ma_dtypes[dtype].itemsize; }

static ma_dtype result_dtype(const ma_program *program, int k) { return ma_program_dtype(program, program->output[k]); }

/* ==== Copies of rows with what continues them ==================================================================== */

static inline void put_element(char *to, const char *from, int size) {
  switch (size) {
  case 4: memcpy(to, from, 4); break;
  case 8: memcpy(to, from, 8); break;
  case 1: *to = *from; break;
  case 2: memcpy(to, from, 2); break;
  default: memcpy(to, from, 16);
  }
}

static inline int64_t place_on(const ma_stencil *s, int axis, int64_t p) {
  return ma_edge_place(p, s->shape[axis], s->edge[axis]);
}

/* A memcpy that is fast for the few bytes that it mostly copies. */
static inline void copy_few(char *to, const char *from, int64_t n) {
  if (n > 256 || n < 16) {
    memcpy(to, from, (size_t)n);
    return;
  }
  for (int64_t i = 0; i + 16 < n; i += 16) memcpy(to + i, from + i, 16);
  memcpy(to + n - 16, from + n - 16, 16);
}

/* Copies elements x .. x + n - 1 of a row, whose first element is at `row`. If `row` is NULL, the row is outside, and
** its elements are the value. */
static inline void copy_row(const ma_stencil *s, const char *row, int64_t stride, const char *value, int size, char *to,
                            int64_t x, int64_t n) {
  int64_t extent = s->shape[2], end = x + n;
  if (!row) {
    ma_gather_row(to, value, 0, size, (int)n);
    return;
  }
  for (; x < end && (x < 0 || x >= extent); x++, to += size) {
    int64_t place = place_on(s, 2, x);
    put_element(to, place < 0 ? value : row + place * stride, size);
  }
  if (x < end) {
    int64_t m = (end < extent ? end : extent) - x;
    if (stride == size) copy_few(to, row + x * size, m * size);
    else ma_gather_row(to, row + x * stride, stride, size, (int)m);
    to += m * size;
    x += m;
  }
  for (; x < end; x++, to += size) {
    int64_t place = place_on(s, 2, x);
    put_element(to, place < 0 ? value : row + place * stride, size);
  }
}

/* The row of a field that stands for row (z, y), or NULL if the value does. */
static inline const char *row_of(const ma_stencil *s, const ma_stencil_field *f, int64_t z, int64_t y) {
  int64_t at_z = place_on(s, 0, z), at_y = place_on(s, 1, y);
  return at_z < 0 || at_y < 0 ? NULL : f->data + at_z * f->stride[0] + at_y * f->stride[1];
}

/* ==== Long rows ================================================================================================== */

/* Runs positions x .. x + n - 1 of row (z, y). n is a multiple of a lane, or the rest of the row. */
static void run_piece(const stencil_job *job, ma_block *block, char *copies, char (*value)[16], int64_t z, int64_t y,
                      int64_t x, int n) {
  const ma_stencil *s = job->s;
  const ma_program *program = s->program;
  const void *data[MA_MAX_INPUTS], *out[MA_MAX_OUTPUTS];
  int64_t stride[MA_MAX_INPUTS];
  for (int j = 0; j < program->ninput; j++) {
    const ma_stencil_read *read = &s->read[j];
    const ma_stencil_field *f = &s->field[read->field];
    char *copy = copies + (size_t)j * (TUNE_STENCIL_PIECE * 16);
    int size = itemsize(f->dtype);
    if (!f->data) {
      ma_cpu_drawn(&f->drawn, MA_STENCIL_NUMBER(s, z, y, x), n, copy);
      data[j] = copy;
      stride[j] = size;
      continue;
    }
    const char *row = row_of(s, f, z + read->offset[0], y + read->offset[1]);
    int64_t from = x + read->offset[2];
    if (row && from >= 0 && from + n <= s->shape[2]) {
      data[j] = row + from * f->stride[2];
      stride[j] = f->stride[2];
      continue;
    }
    copy_row(s, row, f->stride[2], value[read->field], size, copy, from, n);
    data[j] = copy;
    stride[j] = size;
  }
  char *to[MA_MAX_OUTPUTS];
  for (int k = 0; k < program->noutput; k++) {
    const ma_stencil_result *r = &s->result[k];
    int size = itemsize(result_dtype(program, k)), reg = job->plan->output[k];
    to[k] = r->data + z * r->stride[0] + y * r->stride[1] + x * r->stride[2];
    if (!job->direct[k]) continue;
    bool whole = !job->streamed && r->stride[2] == size && n % MA_LANE == 0 &&
                 ((uintptr_t)to[k] & (uintptr_t)((size < 8 ? size : 8) - 1)) == 0;
    block->where[reg] = whole ? to[k] : block->arena + job->plan->place[reg];
  }
  ma_block_row(block, data, stride, n, out);
  for (int k = 0; k < program->noutput; k++) {
    ma_dtype dtype = result_dtype(program, k);
    const ma_stencil_result *r = &s->result[k];
    if (out[k] == to[k] && r->stride[2] == itemsize(dtype)) continue;
    if (job->streamed && r->stride[2] == ma_dtypes[dtype].regsize && ma_cpu_store(dtype) == NULL)
      ma_stream_bytes(to[k], out[k], (size_t)n * ma_dtypes[dtype].regsize);
    else ma_block_store(to[k], r->stride[2], out[k], dtype, n);
  }
}

static void run_rows(const stencil_job *job, ma_block *block, char *copies, char (*value)[16], int64_t first,
                     int64_t last) {
  for (; first < last; first++) {
    int64_t row = first / job->pieces, x = first % job->pieces * TUNE_STENCIL_PIECE;
    int64_t z = job->first[0] + row / job->extent[1], y = job->first[1] + row % job->extent[1];
    int n = job->extent[2] - x < TUNE_STENCIL_PIECE ? (int)(job->extent[2] - x) : TUNE_STENCIL_PIECE;
    int whole = n >= TUNE_STENCIL_SPLIT ? n / MA_LANE * MA_LANE : n;
    x += job->first[2];
    run_piece(job, block, copies, value, z, y, x, whole);
    if (whole < n) run_piece(job, block, copies, value, z, y, x + whole, n - whole);
  }
}

/* ==== Boxes ====================================================================================================== */

/* A box of positions with its neighbours, in each field's copy. */
typedef struct box {
  int64_t first[NDIM], extent[NDIM]; /* of its positions */
  int64_t wide[NDIM];                /* extents with the neighbours */
} box;

/* How the rows of a box continue those of the field: the places of the elements before and behind. */
typedef struct ends {
  int nleft, nright;
  int64_t first, n; /* what is inside */
  int64_t left[TUNE_STENCIL_ENDS], right[TUNE_STENCIL_ENDS];
} ends;

/* Finds the ends of a box's rows. Returns false if there are more than TUNE_STENCIL_ENDS places. */
static bool find_ends(const ma_stencil *s, const box *b, ends *e) {
  int64_t x = b->first[2] - s->low[2], end = x + b->wide[2], extent = s->shape[2];
  e->first = x < 0 ? 0 : x;
  e->n = (end < extent ? end : extent) - e->first;
  if (e->n <= 0 || e->first - x > TUNE_STENCIL_ENDS || end - extent > TUNE_STENCIL_ENDS) return false;
  e->nleft = (int)(e->first - x);
  e->nright = end > extent ? (int)(end - extent) : 0;
  for (int i = 0; i < e->nleft; i++) e->left[i] = place_on(s, 2, x + i);
  for (int i = 0; i < e->nright; i++) e->right[i] = place_on(s, 2, extent + i);
  return true;
}

/* Copies one row of a packed field with its ends. */
static inline void copy_with_ends(const ends *e, const char *row, const char *value, int size, char *to) {
  for (int i = 0; i < e->nleft; i++, to += size)
    put_element(to, e->left[i] < 0 ? value : row + e->left[i] * size, size);
  copy_few(to, row + e->first * size, e->n * size);
  to += e->n * size;
  for (int i = 0; i < e->nright; i++, to += size)
    put_element(to, e->right[i] < 0 ? value : row + e->right[i] * size, size);
}

static inline void fill_rows(const stencil_job *job, const box *b, const ma_stencil_field *f, const ends *e,
                             const char *value, int size, char *to) {
  const ma_stencil *s = job->s;
  int64_t bytes = b->wide[2] * size;
  for (int64_t z = 0; z < b->wide[0]; z++) {
    int64_t at_z = place_on(s, 0, b->first[0] - s->low[0] + z);
    const char *plane = at_z < 0 ? NULL : f->data + at_z * f->stride[0];
    for (int64_t y = 0; y < b->wide[1]; y++, to += bytes) {
      int64_t at_y = place_on(s, 1, b->first[1] - s->low[1] + y);
      const char *row = !plane || at_y < 0 ? NULL : plane + at_y * f->stride[1];
      if (e && row) copy_with_ends(e, row, value, size, to);
      else copy_row(s, row, f->stride[2], value, size, to, b->first[2] - s->low[2], b->wide[2]);
    }
  }
}

/* Draws the elements of a box's positions. */
static void draw_box(const stencil_job *job, const box *b, const ma_stencil_field *f, char *to) {
  const ma_stencil *s = job->s;
  int size = itemsize(f->dtype);
  memset(to, 0, (size_t)(b->wide[0] * b->wide[1] * b->wide[2] * size));
  bool whole = b->extent[2] == s->shape[2] && b->wide[2] == b->extent[2]; /* rows lie behind each other in the draw */
  int64_t rows = whole ? 1 : b->extent[1], n = whole ? b->extent[1] * b->extent[2] : b->extent[2];
  for (int64_t z = 0; z < b->extent[0]; z++)
    for (int64_t y = 0; y < rows; y++)
      ma_cpu_drawn(&f->drawn, MA_STENCIL_NUMBER(s, b->first[0] + z, b->first[1] + y, b->first[2]), n,
                   to + (((s->low[0] + z) * b->wide[1] + s->low[1] + y) * b->wide[2] + s->low[2]) * size);
}

static void fill_box(const stencil_job *job, const box *b, int field, const char *value, char *to) {
  const ma_stencil_field *f = &job->s->field[field];
  int size = itemsize(f->dtype);
  ends found;
  if (!f->data) {
    draw_box(job, b, f, to);
    return;
  }
  const ends *e = f->stride[2] == size && find_ends(job->s, b, &found) ? &found : NULL;
  /* A size that is constant makes the copy of an element one instruction. */
  if (size == 4) fill_rows(job, b, f, e, value, 4, to);
  else if (size == 8) fill_rows(job, b, f, e, value, 8, to);
  else fill_rows(job, b, f, e, value, size, to);
}

/* Stores n values of the box's run, from its place `at` on. */
static void store_run(const stencil_job *job, const box *b, int k, const void *values, int64_t at, int n) {
  const ma_stencil_result *r = &job->s->result[k];
  ma_dtype dtype = result_dtype(job->s->program, k);
  int size = itemsize(dtype);
  uint16_t packed[MA_BLOCK];
  const char *from = values;
  if (ma_cpu_store(dtype) != NULL) {
    ma_cpu_store(dtype)(packed, values, NULL, NULL, NULL, (n + MA_LANE - 1) / MA_LANE * MA_LANE);
    from = (const char *)packed;
  }
  int64_t x = at % b->wide[2], row = at / b->wide[2];
  int64_t y = row % b->wide[1], z = row / b->wide[1];
  while (n > 0) {
    int64_t m = b->wide[2] - x < n ? b->wide[2] - x : n, wanted = b->extent[2] - x < m ? b->extent[2] - x : m;
    if (wanted > 0 && y < b->extent[1]) {
      char *to = r->data + (b->first[0] + z) * r->stride[0] + (b->first[1] + y) * r->stride[1] +
                 (b->first[2] + x) * r->stride[2];
      if (r->stride[2] == size) copy_few(to, from, wanted * size);
      else ma_scatter_row(to, r->stride[2], from, size, (int)wanted);
    }
    from += m * size;
    n -= (int)m;
    x = 0;
    if (++y == b->wide[1]) {
      y = 0;
      z++;
    }
  }
}

static size_t copy_bytes(const stencil_job *job, int64_t places, int size) {
  return ((size_t)(places + MA_LANE) * (size_t)size + MA_ALIGN - 1) / MA_ALIGN * MA_ALIGN;
}

static void run_box(const stencil_job *job, ma_block *block, char *copies, char (*value)[16], const box *b) {
  const ma_stencil *s = job->s;
  const ma_program *program = s->program;
  const void *data[MA_MAX_INPUTS], *out[MA_MAX_OUTPUTS];
  char *field[MA_STENCIL_FIELDS] = { NULL };
  const char *start[MA_MAX_INPUTS];
  int64_t stride[MA_MAX_INPUTS], places = b->wide[0] * b->wide[1] * b->wide[2];
  for (int f = 0; f < s->nfield; f++) {
    int size = itemsize(s->field[f].dtype);
    field[f] = copies;
    copies += copy_bytes(job, places, size);
    fill_box(job, b, f, value[f], field[f]);
    memset(field[f] + places * size, 0, (size_t)(MA_LANE * size));
  }
  for (int j = 0; j < program->ninput; j++) {
    const ma_stencil_read *read = &s->read[j];
    stride[j] = itemsize(s->field[read->field].dtype);
    start[j] = field[read->field] +
               (((s->low[0] + read->offset[0]) * b->wide[1] + s->low[1] + read->offset[1]) * b->wide[2] + s->low[2] +
                read->offset[2]) *
                 stride[j];
  }
  int64_t all = ((b->extent[0] - 1) * b->wide[1] + b->extent[1] - 1) * b->wide[2] + b->extent[2];
  for (int64_t at = 0; at < all; at += MA_BLOCK) {
    int n = all - at < MA_BLOCK ? (int)(all - at) : MA_BLOCK;
    for (int j = 0; j < program->ninput; j++) data[j] = start[j] + at * stride[j];
    ma_block_row(block, data, stride, (n + MA_LANE - 1) / MA_LANE * MA_LANE, out);
    for (int k = 0; k < program->noutput; k++) store_run(job, b, k, out[k], at, n);
  }
}

static void run_boxes(const stencil_job *job, ma_block *block, char *copies, char (*value)[16], int64_t first,
                      int64_t last) {
  for (; first < last; first++) {
    int64_t rest = first;
    box b;
    for (int d = NDIM - 1; d >= 0; d--) {
      int64_t at = rest % job->boxes[d] * job->box[d];
      rest /= job->boxes[d];
      b.first[d] = job->first[d] + at;
      b.extent[d] = job->extent[d] - at < job->box[d] ? job->extent[d] - at : job->box[d];
      b.wide[d] = b.extent[d] + job->s->low[d] + job->s->high[d];
    }
    run_box(job, block, copies, value, &b);
  }
}

/* ==== The whole field ============================================================================================ */

static ma_status run_range(void *context, int64_t first, int64_t last) {
  const stencil_job *job = context;
  const ma_stencil *s = job->s;
  ma_block block;
  char value[MA_STENCIL_FIELDS][16];
  void *owned = NULL;
  _Alignas(MA_ALIGN) char memory[32768], near[49152];
  char *copies = near;
  if (job->room > sizeof near) {
    if (posix_memalign(&owned, MA_ALIGN, job->room) != 0)
      return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for rows of a stencil", job->room);
    copies = owned;
  }
  ma_status status = ma_block_open_in(&block, job->plan, memory, sizeof memory);
  if (status == MA_OK) {
    for (int f = 0; f < s->nfield; f++) ma_value_store(value[f], s->field[f].dtype, s->field[f].outside);
    if (job->pieces) run_rows(job, &block, copies, value, first, last);
    else run_boxes(job, &block, copies, value, first, last);
    if (job->streamed) ma_stream_end();
    ma_block_close(&block);
  }
  free(owned);
  return status;
}

/* Marks outputs that may be written directly: those that are the result of a step whose register has the type of the
** memory. No result shares memory with a field. */
static void find_direct(stencil_job *job) {
  const ma_plan *plan = job->plan;
  const ma_program *program = plan->program;
  for (int k = 0; k < program->noutput; k++) {
    bool made = false;
    for (int i = 0; i < plan->nstep; i++) made |= plan->step[i].result == plan->output[k];
    for (int i = 0; i < program->noutput; i++) made &= i == k || plan->output[i] != plan->output[k];
    job->direct[k] = made && ma_cpu_store(result_dtype(program, k)) == NULL;
  }
}

/* Chooses the extents of boxes: equal parts of each axis, as large as TUNE_STENCIL_BOX allows. */
static void choose_boxes(stencil_job *job) {
  const ma_stencil *s = job->s;
  int64_t most = TUNE_STENCIL_BOX, across = 1;
  int widest = 1;
  for (int f = 0; f < s->nfield; f++)
    if (itemsize(s->field[f].dtype) > widest) widest = itemsize(s->field[f].dtype);
  most /= widest;
  for (int d = NDIM - 1; d >= 0; d--) {
    int64_t halo = s->low[d] + s->high[d], n = most / across - halo;
    if (n < 1) n = 1;
    job->boxes[d] = 1;
    job->box[d] = job->extent[d];
    if (n < job->extent[d]) {
      job->boxes[d] = (job->extent[d] + n - 1) / n;
      job->box[d] = (job->extent[d] + job->boxes[d] - 1) / job->boxes[d];
      job->boxes[d] = (job->extent[d] + job->box[d] - 1) / job->box[d];
    }
    across *= job->box[d] + halo;
  }
  job->room = 0;
  for (int f = 0; f < s->nfield; f++) job->room += copy_bytes(job, across, itemsize(s->field[f].dtype));
}

/* Makes the plan, or takes the thread's last one: a stencil is mostly run again and again. */
static void choose_plan(stencil_job *job, int64_t places) {
  static _Thread_local struct {
    ma_program program;
    int width;
    ma_plan plan;
  } last;
  const ma_program *program = job->s->program;
  size_t used = ma_program_bytes(program);
  int width = places < MA_BLOCK ? (int)places : MA_BLOCK;
  if (width != last.width || memcmp(&last.program, program, used)) {
    memcpy(&last.program, program, used);
    last.width = width;
    ma_plan_make(&last.plan, &last.program, NULL, width, 0);
  }
  last.plan.scalar = job->s->scalar;
  job->plan = &last.plan;
}

/* Whether copying boxes is worth it: for short rows, or rows with steps, if a box has few neighbours around it. */
static bool chooses_boxes(const stencil_job *job) {
  const ma_stencil *s = job->s;
  bool packed = true;
  int64_t inside = 1, wide = 1;
  for (int j = 0; j < s->program->ninput; j++) {
    const ma_stencil_field *f = &s->field[s->read[j].field];
    bool still = !f->stride[0] && !f->stride[1] && !f->stride[2];
    packed &= still || f->stride[2] == itemsize(f->dtype);
  }
  if (packed && job->extent[2] >= TUNE_STENCIL_ROW) return false;
  for (int d = 0; d < NDIM; d++) {
    inside *= job->box[d];
    wide *= job->box[d] + s->low[d] + s->high[d];
  }
  return wide <= 8 * inside || wide <= 4096;
}

static ma_status run_program(stencil_job *job) {
  const ma_stencil *s = job->s;
  int64_t size = 1, blocks = 1;
  for (int d = 0; d < NDIM; d++) {
    if (job->extent[d] <= 0) return MA_OK;
    size *= job->extent[d];
  }
  const ma_stencil_compiled *compiled;
  ma_status status;
  if (s->program->body) {
    MA_TRY(ma_stencil_need(s, &compiled));
    ma_stencil_march(compiled, s, job->first, job->extent, &status);
    return status;
  }
  compiled = ma_stencil_find(s, size + TUNE_STENCIL_CALL);
  if (compiled && ma_stencil_march(compiled, s, job->first, job->extent, &status)) return status;
  choose_boxes(job);
  job->pieces = 0;
  if (chooses_boxes(job)) {
    int64_t places = 1;
    job->streamed = false;
    for (int d = 0; d < NDIM; d++) {
      blocks *= job->boxes[d];
      places *= job->box[d] + s->low[d] + s->high[d];
    }
    choose_plan(job, places);
    for (int k = 0; k < s->program->noutput; k++) job->direct[k] = false;
  } else {
    job->pieces = (job->extent[2] + TUNE_STENCIL_PIECE - 1) / TUNE_STENCIL_PIECE;
    job->streamed = size * itemsize(result_dtype(s->program, 0)) >= TUNE_STREAM_BYTES;
    job->room = (size_t)s->program->ninput * TUNE_STENCIL_PIECE * 16;
    blocks = job->extent[0] * job->extent[1] * job->pieces;
    choose_plan(job, TUNE_STENCIL_PIECE);
    find_direct(job);
  }
  int64_t each = size / blocks, grain = TUNE_THREAD_FAR / (each < 1 ? 1 : each);
  return ma_cpu_parallel(blocks, grain, run_range, job);
}

/* ==== Positions that are left ==================================================================================== */

/* Copies field k to result k, from position `first` on. */
static ma_status copy_part(ma_stream *stream, const ma_stencil *s, int k, const int64_t *first, const int64_t *extent) {
  ma_program program;
  ma_map map = { .program = &program };
  int64_t flip[MA_MAX_OPERANDS];
  const ma_stencil_field *f = &s->field[k];
  const ma_stencil_result *r = &s->result[k];
  ma_program_clear(&program);
  ma_program_output(&program,
                    ma_program_cast(&program, ma_program_input(&program, f->dtype), result_dtype(s->program, k)));
  map.space.ndim = NDIM;
  map.space.noperand = 2;
  map.data[0] = r->data;
  map.data[1] = (void *)(uintptr_t)f->data;
  for (int d = 0; d < NDIM; d++) {
    if (extent[d] <= 0) return MA_OK;
    map.space.shape[d] = extent[d];
    map.space.stride[0][d] = r->stride[d];
    map.space.stride[1][d] = f->stride[d];
    map.data[0] = (char *)map.data[0] + first[d] * r->stride[d];
    map.data[1] = (char *)map.data[1] + first[d] * f->stride[d];
  }
  ma_space_collapse(&map.space, true, flip);
  for (int i = 0; i < 2; i++) map.data[i] = (char *)map.data[i] + flip[i];
  return ma_cpu_map(stream, &map);
}

/* Copies what lies around the positions that the program computes: two slabs an axis. */
static ma_status copy_edges(ma_stream *stream, const ma_stencil *s, const stencil_job *job) {
  for (int k = 0; k < s->program->noutput; k++) {
    int64_t first[NDIM] = { 0 }, extent[NDIM] = { s->shape[0], s->shape[1], s->shape[2] };
    for (int d = 0; d < NDIM; d++) {
      int64_t inside = job->extent[d] > 0 ? job->extent[d] : 0, before = inside ? job->first[d] : s->shape[d];
      first[d] = 0;
      extent[d] = before;
      MA_TRY(copy_part(stream, s, k, first, extent));
      first[d] = before + inside;
      extent[d] = s->shape[d] - first[d];
      MA_TRY(copy_part(stream, s, k, first, extent));
      first[d] = before;
      extent[d] = inside;
    }
  }
  return MA_OK;
}

/* Of a call that prepares. What is not compiled at once has the interpreter until it is. */
static ma_status prepare_stencil(const ma_stencil *s) {
  const ma_stencil_compiled *compiled;
  if (s->program->body) return ma_stencil_need(s, &compiled);
  if (s->compile == MA_COMPILE_NOW) ma_stencil_find(s, 0);
  return MA_OK;
}

static ma_status run_stencil(ma_stream *stream, const void *what) {
  stencil_job job;
  const ma_stencil *s = job.s = what;
  if (ma_prepare.skips) return prepare_stencil(s);
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a stencil"));
  for (int d = 0; d < NDIM; d++) {
    job.first[d] = s->leave ? s->low[d] : 0;
    job.extent[d] = s->shape[d] - (s->leave ? s->low[d] + s->high[d] : 0);
  }
  if (s->leave) MA_TRY(copy_edges(stream, s, &job));
  return run_program(&job);
}

/* ==== As a task ================================================================================================== */

typedef struct kept_stencil {
  ma_stencil stencil;
  ma_program program;
} kept_stencil;

static size_t size_stencil(const void *job) { return sizeof(kept_stencil); }

static void copy_stencil(void *to, const void *job) {
  kept_stencil *kept = to;
  kept->stencil = *(const ma_stencil *)job;
  ma_program_clone(&kept->program, kept->stencil.program);
  kept->stencil.program = &kept->program;
}

static int64_t bytes_stencil(const void *job) {
  const ma_stencil *s = job;
  int64_t size = s->shape[0] * s->shape[1] * s->shape[2], bytes = 0;
  for (int f = 0; f < s->nfield; f++)
    if (s->field[f].data && (s->field[f].stride[0] || s->field[f].stride[1] || s->field[f].stride[2]))
      bytes += itemsize(s->field[f].dtype);
  for (int k = 0; k < s->program->noutput; k++) bytes += itemsize(result_dtype(s->program, k));
  return bytes * size;
}

MA_CPU_SLOT(ma_cpu_stencil_run, ma_stencil, .name = "stencil", .run = run_stencil, .bytes = bytes_stencil,
            .size = size_stencil, .copy = copy_stencil)
