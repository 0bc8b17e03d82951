/*
** reduce.c: reductions on the CPU, along the tree of kernels/reduce/reduce.h. Two walks give the same bits. By rows:
** the elements of one result are blocks of 1024 values. By columns: many neighbouring results advance together; this is
** for results that are contiguous, and for short reduced axes. Long axes are cut into spans, which are the threads'
** work.
*/
#include "base/inject.h"
#include "cpu/reduce/walk.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* bytes of partial results for one leaf of a block of columns, which stay in the near caches */
#define COLUMN_BYTES 8192
#define FEW_COLUMNS 32 /* long columns beside each other; fewer are reduced chunk by chunk as rows */
#define SHORT_ROWS 64  /* rows whose partial results are kept at once */
#define LARGE 65536    /* elements that do not fit in the near caches */
#define GRAIN 32768    /* elements that are worth a thread */

/* ==== Addresses =================================================================================================== */

void ma_reduce_place(const ma_reduce_job *j, int64_t k, void **data) {
  const ma_space *space = j->space;
  for (int o = 0; o < space->noperand; o++) data[o] = j->reduction->data[o];
  for (int d = j->reduction->nkept - 1; d >= 0 && k > 0; d--) {
    int64_t i = k % space->shape[d];
    k /= space->shape[d];
    for (int o = 0; o < space->noperand; o++) data[o] = (char *)data[o] + i * space->stride[o][d];
  }
}

/* ==== Results ===================================================================================================== */

void ma_reduce_put(const ma_reduce_job *j, void *const *data, void *partial, int n) {
  const ma_reduction *reduction = j->reduction;
  _Alignas(MA_ALIGN) char out[MA_REDUCE_COLUMNS * sizeof(ma_c128)];
  if (reduction->has_initial) {
    char initial[MA_MAX_PARTIAL], value[sizeof(ma_c128)];
    const void *rows[RED_LEAF] = { value, value, value, value, value, value, value, value };
    static const uint8_t one = 1;
    static const uint8_t *const ones[RED_LEAF] = { &one, &one, &one, &one, &one, &one, &one, &one };
    const ma_program *program = reduction->program;
    ma_dtype dtype = ma_program_dtype(program, program->output[0]);
    if (ma_dtypes[dtype].kind == MA_KIND_FLOAT && ma_dtypes[dtype].regsize == 4) {
      float f = (float)reduction->initial.c.re;
      memcpy(value, &f, sizeof f);
    } else {
      ma_value_store(value, dtype, reduction->initial);
    }
    j->monoid->column(initial, rows, ones, 1, 1, -1);
    for (int i = 0; i < n; i++) {
      char *at = (char *)partial + (size_t)i * j->monoid->partial;
      j->monoid->merge(at, initial, at, 1);
    }
  }
  if (reduction->result == MA_NDTYPE) {
    int64_t stride = j->space->stride[0][reduction->nkept - 1];
    for (int i = 0; i < n; i++)
      memcpy((char *)data[0] + i * stride, (char *)partial + (size_t)i * j->monoid->partial, j->monoid->partial);
    return;
  }
  j->monoid->finish(out, partial, n, &j->finish);
  ma_block_store(data[0], j->space->stride[0][reduction->nkept - 1], out, reduction->result, n);
}

static ma_status merge_spans(void *context, int64_t first, int64_t last) {
  const ma_reduce_job *j = context;
  size_t size = j->monoid->partial;
  char *room = malloc(((size_t)j->nspan / 2 + 1) * size);
  if (!room) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for partial results", (size_t)j->nspan / 2 * size);
  for (int64_t k = first; k < last; k++) {
    void *data[MA_MAX_OPERANDS];
    char total[MA_MAX_PARTIAL];
    memcpy(total, j->monoid->tree(j->partial + (size_t)(k * j->nspan) * size, room, (int)j->nspan), size);
    ma_reduce_place(j, k, data);
    ma_reduce_put(j, data, total, 1);
  }
  free(room);
  return MA_OK;
}

/* ==== By rows ==================================================================================================== */

ma_status ma_reader_open(ma_reader *reader, const ma_reduce_job *j) {
  reader->j = j;
  reader->blank = NULL;
  if (j->in_place) return MA_OK;
  MA_TRY(ma_block_open(&reader->block, &j->plan));
  if (!j->masked || j->monoid->takes_mask) return MA_OK;
  reader->blank = malloc(MA_BLOCK * sizeof(ma_c128));
  if (reader->blank) return MA_OK;
  ma_block_close(&reader->block);
  return ma_fail(MA_ERR_MEMORY, "out of memory: a block of values");
}

void ma_reader_close(ma_reader *reader) {
  free(reader->blank);
  if (!reader->j->in_place) ma_block_close(&reader->block);
}

void ma_reader_blank(const ma_reader *reader, const void **values, int n) {
  if (!reader->blank) return;
  reader->j->monoid->blank(reader->blank, values[0], values[1], n);
  values[0] = reader->blank;
}

/* Reads a chunk in the order of memory. The eight rows of its leaves are streams that end too soon for a processor to
** fetch ahead of them, and instructions that prefetch wait for each other: from memory they reach half as much. */
static inline void touch(const void *at, int64_t bytes) {
  unsigned sum = 0;
  for (int64_t k = 0; k < bytes; k += MA_ALIGN) sum += ((const uint8_t *)at)[k];
  __asm__ volatile("" : : "r"(sum));
}

/* Merges the elements r .. r+n-1, at most a chunk, into a total, or begins it. */
static void add_chunk(ma_reader *reader, void *const *data, int64_t r, int n, bool begins, void *total) {
  const ma_reduce_job *j = reader->j;
  const ma_monoid *monoid = j->monoid;
  char chunk[MA_MAX_PARTIAL];
  const void *values[MA_MAX_OUTPUTS] = { NULL };
  if (j->in_place) {
    values[0] = (const char *)data[1] + r * monoid->value;
    if (j->large) touch(values[0], n * monoid->value);
  } else {
    ma_block_run(&reader->block, j->space, j->reduction->nkept, 1, data, r, n, values);
    ma_reader_blank(reader, values, n);
  }
  monoid->total(begins ? total : chunk, values[0], values[1], n, r, begins ? NULL : total);
  if (!begins) monoid->merge(total, total, chunk, 1);
}

/* sofar: the result of earlier elements, or NULL. Where the elements first .. last-1 do not change it, their total may
** be one that says less. */
static void reduce_span(ma_reader *reader, void *const *data, int64_t first, int64_t last, const void *sofar,
                        void *total) {
  const ma_reduce_job *j = reader->j;
  const ma_monoid *monoid = j->monoid;
  if (j->in_place && monoid->whole && last - first >= RED_CHUNK && last - first <= INT_MAX / 2) {
    const void *values = (const char *)data[1] + first * monoid->value;
    if (monoid->whole(total, values, (int)(last - first), first, sofar)) return;
  }
  for (int64_t r = first; r < last; r += RED_CHUNK) {
    add_chunk(reader, data, r, last - r < RED_CHUNK ? (int)(last - r) : RED_CHUNK, r == first, total);
    if (*(uint8_t *)total == j->settles) return;
  }
}

/* For a span behind one that decided the result, a partial result that changes nothing. Otherwise reduces the span,
** which may decide the result. */
static void reduce_unless_settled(ma_reader *reader, void *const *data, int64_t u, int64_t first, int64_t last,
                                  void *total) {
  const ma_reduce_job *j = reader->j;
  if (__atomic_load_n(j->settled, __ATOMIC_RELAXED) < u) {
    uint8_t other = !j->settles;
    j->monoid->total(total, &other, NULL, 1, first, NULL);
    return;
  }
  reduce_span(reader, data, first, last, NULL, total);
  if (*(uint8_t *)total == j->settles && u < __atomic_load_n(j->settled, __ATOMIC_RELAXED))
    __atomic_store_n(j->settled, u, __ATOMIC_RELAXED);
}

static ma_status reduce_rows(void *context, int64_t first, int64_t last) {
  const ma_reduce_job *j = context;
  ma_reader reader;
  char sofar[MA_MAX_PARTIAL], total[MA_MAX_PARTIAL];
  MA_TRY(ma_reader_open(&reader, j));
  for (int64_t u = first; u < last; u++) {
    void *data[MA_MAX_OPERANDS];
    int64_t k = u / j->nspan, r = u % j->nspan * j->span;
    ma_reduce_place(j, k, data);
    int64_t end = r + j->span < j->reduction->count ? r + j->span : j->reduction->count;
    if (j->settled) reduce_unless_settled(&reader, data, u, r, end, total);
    else reduce_span(&reader, data, r, end, r && u > first ? sofar : NULL, total);
    if (r && u > first) j->monoid->merge(sofar, sofar, total, 1);
    else memcpy(sofar, total, j->monoid->partial);
    if (j->partial) memcpy(j->partial + (size_t)u * j->monoid->partial, total, j->monoid->partial);
    else ma_reduce_put(j, data, total, 1);
  }
  ma_reader_close(&reader);
  return MA_OK;
}

/* Long rows whose results are neighbours, and fewer than columns need, chunk by chunk: they share cache lines. */
static ma_status reduce_beside(void *context, int64_t first, int64_t last) {
  const ma_reduce_job *j = context;
  int64_t run = j->space->shape[j->reduction->nkept - 1];
  _Alignas(16) char total[FEW_COLUMNS * MA_MAX_PARTIAL];
  ma_reader reader;
  MA_TRY(ma_reader_open(&reader, j));
  for (int64_t u = first; u < last; u++) {
    void *data[MA_MAX_OPERANDS];
    size_t size = j->monoid->partial;
    int64_t k = u / j->nspan * run, s = u % j->nspan, start = s * j->span, end = start + j->span;
    if (end > j->reduction->count) end = j->reduction->count;
    for (int64_t r = start; r < end; r += RED_CHUNK)
      for (int64_t i = 0; i < run; i++) {
        if (r != start && *(uint8_t *)(total + i * size) == j->settles) continue;
        ma_reduce_place(j, k + i, data);
        add_chunk(&reader, data, r, end - r < RED_CHUNK ? (int)(end - r) : RED_CHUNK, r == start, total + i * size);
      }
    ma_reduce_place(j, k, data);
    if (!j->partial) ma_reduce_put(j, data, total, (int)run);
    for (int64_t i = 0; j->partial && i < run; i++)
      memcpy(j->partial + (size_t)((k + i) * j->nspan + s) * size, total + i * size, size);
  }
  ma_reader_close(&reader);
  return MA_OK;
}

/* The totals of n short rows, neighbours on the last kept axis; a block has several of them. */
static void total_rows(ma_reader *reader, void *const *data, int n, char *total) {
  const ma_reduce_job *j = reader->j;
  const ma_monoid *monoid = j->monoid;
  int64_t count = j->reduction->count, step = count * monoid->value;
  int last = j->reduction->nkept - 1, most = (int)(MA_BLOCK / count);
  for (int k = 0; k < n;) {
    const void *values[MA_MAX_OUTPUTS] = { NULL };
    const uint8_t *mask = NULL;
    int m = n - k < most ? n - k : most;
    if (j->in_place) {
      values[0] = (const char *)data[1] + k * j->space->stride[1][last];
      step = j->space->stride[1][last];
    } else {
      ma_block_run(&reader->block, j->space, last, 1, data, k * count, m * (int)count, values);
      ma_reader_blank(reader, values, m * (int)count);
      mask = values[1];
    }
    for (int i = 0; i < m; i++, total += monoid->partial)
      monoid->total(total, (const char *)values[0] + i * step, mask ? mask + i * count : NULL, (int)count, 0, NULL);
    k += m;
  }
}

/* Rows of at most one chunk. Work for each row is then a large part of the time, so it is done for several at once. */
static ma_status reduce_short_rows(void *context, int64_t first, int64_t last) {
  const ma_reduce_job *j = context;
  int64_t run = j->space->shape[j->reduction->nkept - 1];
  _Alignas(16) char total[SHORT_ROWS * MA_MAX_PARTIAL];
  ma_reader reader;
  MA_TRY(ma_reader_open(&reader, j));
  for (int64_t k = first; k < last;) {
    void *data[MA_MAX_OPERANDS];
    int64_t n = run - k % run;
    if (n > SHORT_ROWS) n = SHORT_ROWS;
    if (n > last - k) n = last - k;
    ma_reduce_place(j, k, data);
    total_rows(&reader, data, (int)n, total);
    ma_reduce_put(j, data, total, (int)n);
    k += n;
  }
  ma_reader_close(&reader);
  return MA_OK;
}

/* ==== Segments ================================================================================================== */

/* Moves the inputs' addresses to the start of segment k; returns its number of elements. */
static int64_t place_segment(const ma_reduce_job *j, int64_t k, void **data) {
  const ma_space *space = j->space;
  const int64_t *starts = j->reduction->starts;
  int64_t n = j->reduction->count, first = starts[k] - 1;
  int64_t stop = k + 1 < space->shape[j->reduction->nkept - 1] ? starts[k + 1] - 1 : n;
  if (first < 0) first = 0;
  if (first >= n) first = n - 1;
  if (stop > n) stop = n;
  for (int o = 1; o < space->noperand; o++) data[o] = (char *)data[o] + first * space->stride[o][j->reduction->nkept];
  return stop > first ? stop - first : 1;
}

static ma_status reduce_segments(void *context, int64_t first, int64_t last) {
  const ma_reduce_job *j = context;
  int64_t run = j->space->shape[j->reduction->nkept - 1];
  _Alignas(16) char total[SHORT_ROWS * MA_MAX_PARTIAL];
  ma_reader reader;
  MA_TRY(ma_reader_open(&reader, j));
  for (int64_t k = first; k < last;) {
    void *data[MA_MAX_OPERANDS], *segment[MA_MAX_OPERANDS];
    int64_t n = run - k % run;
    if (n > SHORT_ROWS) n = SHORT_ROWS;
    if (n > last - k) n = last - k;
    ma_reduce_place(j, k, data);
    for (int i = 0; i < n; i++) {
      memcpy(segment, data, (size_t)j->space->noperand * sizeof *data);
      int64_t count = place_segment(j, k % run + i, segment);
      reduce_span(&reader, segment, 0, count, NULL, total + i * j->monoid->partial);
    }
    ma_reduce_put(j, data, total, (int)n);
    k += n;
  }
  ma_reader_close(&reader);
  return MA_OK;
}

/* ==== Choice of the walk ========================================================================================== */

/* Whether results are nearer to each other than the elements of one. */
static bool is_nearer(const ma_reduction *reduction) {
  const ma_space *space = &reduction->space;
  return llabs(space->stride[1][space->ndim - 1]) > llabs(space->stride[1][reduction->nkept - 1]);
}

/* Whether values can be read in place: the program is the input itself, memory has its register type, and it is
** contiguous along `axis`, the only axis of its group. */
static bool reads_in_place(const ma_reduce_job *j, int axis) {
  const ma_program *program = j->reduction->program;
  if (program->ncode || program->noutput != 1 || program->output[0] >= program->ninput || program->ninput != 1)
    return false;
  ma_dtype dtype = (ma_dtype)program->input_dtype[0];
  return !ma_cpu_load(dtype) && (j->space->stride[1][axis] == ma_dtypes[dtype].itemsize || j->space->shape[axis] == 1);
}

/* Columns are better if many results advance at once: contiguous ones, or with very few elements each, of which eight
** results are enough if nothing is converted. */
static bool wants_columns(const ma_reduce_job *j, int *axis) {
  const ma_reduction *reduction = j->reduction;
  const ma_space *space = j->space;
  int last = reduction->nkept - 1, widest = last;
  if (last < 0 || space->noperand < 2) return false;
  for (int d = 0; d < last; d++)
    if (space->shape[d] > space->shape[widest]) widest = d;
  *axis = space->shape[last] >= 64 ? last : widest;
  bool nearer = is_nearer(reduction);
  if (space->shape[*axis] < 16)
    return space->shape[*axis] >= 8 && reduction->count <= 32 && nearer && *axis == last && reads_in_place(j, last);
  if (reduction->count < (nearer || space->ndim > last + 2 ? 128 : j->monoid->short_row)) return true;
  *axis = last;
  return space->shape[last] >= FEW_COLUMNS && nearer && space->stride[1][last] != 0;
}

static bool wants_beside(const ma_reduce_job *j) {
  const ma_space *space = j->space;
  int last = j->reduction->nkept - 1;
  return last >= 0 && space->noperand > 1 && !j->in_place && j->reduction->count > RED_CHUNK &&
         space->shape[last] > 1 && space->shape[last] < FEW_COLUMNS && is_nearer(j->reduction);
}

static void move_axis_last(ma_space *space, int axis, int last) {
  for (; axis < last; axis++) {
    int64_t extent = space->shape[axis];
    space->shape[axis] = space->shape[axis + 1];
    space->shape[axis + 1] = extent;
    for (int o = 0; o < space->noperand; o++) {
      int64_t step = space->stride[o][axis];
      space->stride[o][axis] = space->stride[o][axis + 1];
      space->stride[o][axis + 1] = step;
    }
  }
}

static ma_status run_columns(ma_reduce_job *j, int axis, ma_space *space) {
  /* cppcheck-suppress ctuuninitvar */ /* set by the caller, but for the parts that this function makes */
  const ma_reduction *reduction = j->reduction;
  int last = reduction->nkept - 1;
  if (axis != last) {
    *space = reduction->space;
    move_axis_last(space, axis, last);
    j->space = space;
  }
  j->in_place = reads_in_place(j, last);
  if (!j->in_place) MA_TRY(ma_plan_init(&j->plan, reduction->program, reduction->scalar));
  j->run = j->space->shape[last];
  j->ncolumn = COLUMN_BYTES / j->monoid->partial;
  if (j->ncolumn > MA_REDUCE_COLUMNS || j->monoid->follow) j->ncolumn = MA_REDUCE_COLUMNS;
  if (j->ncolumn > j->run) j->ncolumn = j->run;
  j->nblock = (j->run + j->ncolumn - 1) / j->ncolumn;
  int64_t grain = GRAIN / (j->ncolumn * (j->nspan > 1 ? j->span : reduction->count)) + 1;
  return ma_cpu_parallel(j->kept / j->run * j->nblock * j->nspan, grain, ma_reduce_columns, j);
}

static ma_status run_rows(ma_reduce_job *j) {
  const ma_reduction *reduction = j->reduction;
  int64_t run = j->space->shape[reduction->nkept > 0 ? reduction->nkept - 1 : 0];
  j->in_place = reduction->space.ndim == reduction->nkept + 1 && reads_in_place(j, reduction->nkept);
  if (!j->in_place) MA_TRY(ma_plan_init(&j->plan, reduction->program, reduction->scalar));
  if (j->settled) { /* the first span alone, which is often enough */
    MA_TRY(reduce_rows(j, 0, 1));
    if (*j->settled == 0) return MA_OK;
  }
  int64_t grain = GRAIN / (j->nspan > 1 ? j->span : reduction->count) + 1;
  if (wants_beside(j)) return ma_cpu_parallel(j->kept / run * j->nspan, grain, reduce_beside, j);
  return ma_cpu_parallel(j->kept * j->nspan, grain, reduction->count <= RED_CHUNK ? reduce_short_rows : reduce_rows, j);
}

static ma_status run_segments(ma_reduce_job *j) {
  const ma_reduction *r = j->reduction;
  j->in_place = reads_in_place(j, r->nkept);
  j->large = false;
  j->settled = NULL;
  if (!j->in_place) MA_TRY(ma_plan_init(&j->plan, r->program, r->scalar));
  int64_t each = r->count / r->space.shape[r->nkept - 1] + 8;
  return ma_cpu_parallel(j->kept, GRAIN / each + 1, reduce_segments, j);
}

static int settling_value(ma_reduce_op op, ma_dtype dtype, bool masked) {
  static const int8_t values[RED_bxor + 1] = {
    [RED_any] = 2, [RED_max] = 2, [RED_fmax] = 2, [RED_argmax] = 2, [RED_bor] = 2,
    [RED_all] = 1, [RED_min] = 1, [RED_fmin] = 1, [RED_argmin] = 1, [RED_band] = 1
  }; /* and 1 */
  return dtype == MA_BOOL && !masked ? values[ma_cpu_monoid_id(op)] - 1 : -1;
}

ma_status ma_cpu_reduce(ma_stream *stream, const ma_reduction *reduction) {
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a reduction"));
  ma_reduce_job j;
  ma_space space;
  int axis;
  int64_t settled = INT64_MAX;
  const ma_program *program = reduction->program;
  ma_status status;
  if (program->body) return ma_cpu_reduce_body(stream, reduction);
  j.reduction = reduction;
  j.space = &reduction->space;
  j.masked = program->noutput > 1;
  j.monoid = ma_cpu_monoid(reduction->op, ma_program_dtype(program, program->output[0]), j.masked);
  j.finish = (ma_finish){ reduction->count, reduction->param, reduction->result, reduction->op == MA_REDUCE_std,
                          j.masked };
  j.kept = 1;
  for (int d = 0; d < reduction->nkept; d++) j.kept *= reduction->space.shape[d];
  j.span = red_span(j.kept, reduction->count) * RED_CHUNK;
  j.nspan = (reduction->count + j.span - 1) / j.span;
  j.large = j.kept * reduction->count >= LARGE;
  j.partial = NULL;
  j.settles = settling_value(reduction->op, ma_program_dtype(program, program->output[0]), j.masked);
  if (reduction->starts) return run_segments(&j);
  j.settled = j.settles >= 0 && j.kept == 1 && j.nspan >= 16 ? &settled : NULL;
  if (j.nspan > 1) {
    size_t size = (size_t)(j.kept * j.nspan) * j.monoid->partial;
    j.partial = malloc(size);
    if (!j.partial) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for partial results", size);
  }
  status = wants_columns(&j, &axis) ? run_columns(&j, axis, &space) : run_rows(&j);
  if (settled == 0) /* the first span decided the result */
    j.nspan = 1;
  if (status == MA_OK && j.partial) status = ma_cpu_parallel(j.kept, GRAIN / j.nspan + 1, merge_spans, &j);
  free(j.partial);
  return status;
}
