/*
** plan.c: the planner of reductions on the CPU: makes a job of a row program, of a plain reduction, which is a row
** program of one stage, or of a scan, and chooses how it is walked. What the way depends on is here alone. Where there
** is a figure, a mix of the way's cases takes so many times as long without it: one thread, float32, int32 and bool.
**
**   way       rows at once      which rows
**   along     1                 long ones
**   together  up to 64     1.5  of at most a chunk: calls and results of several at once
**   beside    up to 31     2.1  long ones whose results are neighbours, but too few for `down`: they share cache lines
**   down      up to 1024   3.0  whose results are neighbours in memory; and short ones, of few elements each
**   packed    up to 1024   2.6  short ones down columns, packed once for all rows along an axis where inputs repeat
**   spans     as above          long ones of one stage: their spans are the threads' work, and are merged at the end
**   segments  64                with starts of their own
*/
#include "base/inject.h"
#include "cpu/reduce/walk.h"
#include "cpu/submit.h"
#include "program/stages.h"
#include "tuning.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROWS MA_BLOCK /* rows that are taken down their columns at once, at most */
#define WIDE_ROWS 256      /* so many are enough, even if another axis has more */
#define REPEATS 4          /* an operand is packed if it repeats so often */

_Static_assert(TUNE_WALK_BESIDE <= MA_BLOCK && TUNE_WALK_TOGETHER <= MA_BLOCK, "their results are in one block");
_Static_assert(TUNE_WALK_SHORT <= MA_BLOCK, "a block has one of these rows at least");
_Static_assert(TUNE_WALK_COLUMNS % MA_LANE == 0, "held rows have room for whole lanes");
_Static_assert(TUNE_WALK_LEAF >= MA_MAX_PARTIAL, "a leaf has one column at least");

/* ==== What both have ============================================================================================ */

static void begin(ma_row_job *j, const ma_space *space, void *const *data, int nkept, int64_t count) {
  memset(j, 0, offsetof(ma_row_job, head));
  j->space = space;
  j->data = data;
  j->nkept = nkept;
  j->count = count;
  j->nstage = j->nfold = j->first = 1;
  j->batch = j->tile = 1;
  j->settles = -1;
  j->nrow = 1;
  for (int d = 0; d < nkept; d++) j->nrow *= space->shape[d];
  j->span = red_span(j->nrow, count) * RED_CHUNK;
  j->nspan = (count + j->span - 1) / j->span;
  j->run = space->shape[nkept - 1];
}

/* Whether elements can be read where they lie along `axis`. For that each output of the program must be its one input,
** memory must have the form of its register, and elements must follow one another. */
static bool reads_in_place(const ma_program *program, const ma_space *space, int operand, int axis) {
  if (program->ncode || program->ninput != 1) return false;
  for (int k = 0; k < program->noutput; k++)
    if (program->output[k] != 0) return false;
  ma_dtype dtype = (ma_dtype)program->input_dtype[0];
  return !ma_cpu_load(dtype) && (space->stride[operand][axis] == ma_dtypes[dtype].itemsize || space->shape[axis] == 1);
}

/* How many rows that are walked along are taken at once: no more than are worth a thread. */
static int64_t choose_together(const ma_row_job *j) {
  int64_t n = TUNE_THREAD_ELEMENTS / j->count + 1;
  if (n > TUNE_WALK_TOGETHER) n = TUNE_WALK_TOGETHER;
  return n < j->run ? n : j->run;
}

/* Takes several rows at once that have at most a chunk of elements. */
static void take_together(ma_row_job *j) {
  int64_t most = MA_BLOCK / j->count;
  j->batch = choose_together(j);
  j->tile = j->in_place ? j->batch : most < j->batch ? most : j->batch;
}

/* ==== A plain reduction ========================================================================================= */

/* Whether results are nearer to each other than the elements of one. */
static bool is_nearer(const ma_row_job *j) {
  const ma_space *space = j->space;
  return llabs(space->stride[1][space->ndim - 1]) > llabs(space->stride[1][j->nkept - 1]);
}

/* Whether the rows are walked down their columns. That is better if many results advance at once: results that are
** contiguous, or that have very few elements each. Of the latter, eight are enough if nothing is converted. */
static bool wants_down(const ma_row_job *j, const ma_program *program, int *axis) {
  const ma_space *space = j->space;
  int last = j->nkept - 1, widest = last;
  if (space->noperand < 2) return false;
  for (int d = 0; d < last; d++)
    if (space->shape[d] > space->shape[widest]) widest = d;
  *axis = space->shape[last] >= 64 ? last : widest;
  bool nearer = is_nearer(j);
  if (space->shape[*axis] < 16)
    return space->shape[*axis] >= 8 && j->count <= 32 && nearer && *axis == last &&
           reads_in_place(program, space, 1, last);
  if (j->count < (nearer || space->ndim > last + 2 ? 128 : j->fold[0].monoid->short_row)) return true;
  *axis = last;
  return space->shape[last] >= TUNE_WALK_BESIDE && nearer && space->stride[1][last] != 0;
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

/* Finds the inputs that repeat along another kept axis than that of the columns, and whose columns do not lie beside
** each other. They are packed if the axis has enough rows and the columns fit the caches. Returns false if an input
** moves along all axes and its columns do not lie beside each other either. */
static bool find_packed(ma_row_job *j, const ma_program *program, int columns) {
  const ma_space *space = j->space;
  int64_t most = 0, bytes = 0, batch = j->batch, widest = TUNE_WALK_PACKED_ROW / j->fold[0].monoid->value;
  j->packed = 0;
  for (int d = 0; d < j->nkept; d++) {
    uint32_t found = 0;
    bool all = d != columns;
    for (int k = 0; k < program->ninput; k++) {
      const int64_t *stride = space->stride[j->first + k];
      if (stride[columns] == 0 || stride[columns] == ma_dtypes[program->input_dtype[k]].itemsize) continue;
      if (stride[d]) all = false;
      else found |= 1u << k;
    }
    if (!all || space->shape[d] <= most) continue;
    most = space->shape[d];
    j->repeats = d;
    j->packed = found;
  }
  for (int k = 0; k < program->ninput; k++)
    if (j->packed >> k & 1) bytes += j->count * ma_dtypes[program->input_dtype[k]].itemsize;
  if (j->packed && batch > widest) batch = widest;
  if (bytes * batch > TUNE_WALK_PACKED) batch = TUNE_WALK_PACKED / bytes / MA_LANE * MA_LANE;
  if (most < REPEATS || batch < MA_LANE) return false;
  j->batch = batch;
  return true;
}

/* Whether operands of short rows repeat so that columns are packed and walked down. */
static bool repeats_down(ma_row_job *j, const ma_program *program, int *axis) {
  const ma_space *space = j->space;
  int columns = j->nkept - 1;
  if (space->ndim != j->nkept + 1 || program->ninput < 2 || j->count > TUNE_WALK_REPEATED) return false;
  for (int d = 0; d < j->nkept - 1 && space->shape[j->nkept - 1] < WIDE_ROWS; d++)
    if (space->shape[d] > space->shape[columns]) columns = d;
  j->batch = space->shape[columns] < MOST_ROWS ? space->shape[columns] : MOST_ROWS;
  if (!find_packed(j, program, columns)) return false;
  *axis = columns;
  return true;
}

/* Chooses how rows are walked. `room` is for a space whose last kept axis is another one. */
static void choose(ma_row_job *j, const ma_program *program, ma_space *room) {
  const ma_monoid *monoid = j->fold[0].monoid;
  int axis, last = j->nkept - 1;
  j->down = !j->starts && (repeats_down(j, program, &axis) || wants_down(j, program, &axis));
  if (j->down) {
    if (axis != last) {
      ma_space_copy(room, j->space);
      move_axis_last(room, axis, last);
      j->space = room;
      j->run = room->shape[last];
    }
    j->in_place = reads_in_place(program, j->space, 1, last);
    j->batch = TUNE_WALK_LEAF / monoid->partial;
    if (monoid->follow || j->batch > MOST_ROWS) j->batch = MOST_ROWS;
    if (j->batch > j->run) j->batch = j->run;
    bool packs = j->space->ndim == j->nkept + 1 && !j->in_place && j->nspan == 1 && find_packed(j, program, last);
    if (!packs) j->packed = 0;
    return;
  }
  j->packed = 0;
  j->batch = 1;
  j->in_place = j->space->ndim == j->nkept + 1 && reads_in_place(program, j->space, 1, j->nkept);
  if (j->starts) j->batch = TUNE_WALK_TOGETHER < j->run ? TUNE_WALK_TOGETHER : j->run;
  else if (j->count <= RED_CHUNK) take_together(j);
  else if (j->space->noperand > 1 && !j->in_place && j->run < TUNE_WALK_BESIDE && is_nearer(j))
    j->batch = j->run; /* these rows lie beside each other */
}

static int settling_value(ma_reduce_op op, ma_dtype dtype, bool masked) {
  static const int8_t values[RED_bxor + 1] = {
    [RED_any] = 2, [RED_max] = 2, [RED_fmax] = 2, [RED_argmax] = 2, [RED_bor] = 2,
    [RED_all] = 1, [RED_min] = 1, [RED_fmin] = 1, [RED_argmin] = 1, [RED_band] = 1
  }; /* and 1 */
  return dtype == MA_BOOL && !masked ? values[ma_cpu_monoid_id(op)] - 1 : -1;
}

/* Makes a partial result of the initial value. */
static void take_initial(ma_row_job *j, ma_dtype dtype, ma_value initial) {
  static const uint8_t one = 1;
  static const uint8_t *const ones[RED_LEAF] = { &one, &one, &one, &one, &one, &one, &one, &one };
  _Alignas(16) char value[sizeof(ma_c128)];
  const void *row[RED_LEAF] = { value, value, value, value, value, value, value, value };
  float f = (float)initial.c.re;
  if (ma_dtypes[dtype].kind == MA_KIND_FLOAT && ma_dtypes[dtype].regsize == 4) memcpy(value, &f, sizeof f);
  else ma_value_store(value, dtype, initial);
  j->fold[0].monoid->column(j->initial, row, ones, 1, 1, -1);
}

static __attribute__((noinline)) ma_status run_plain(const ma_reduction *r) {
  ma_row_job j;
  ma_space room;
  int64_t settled = INT64_MAX;
  bool masked = r->program->noutput > 1;
  ma_dtype dtype = ma_program_dtype(r->program, r->program->output[0]);
  const ma_monoid *monoid = ma_cpu_monoid(r->op, dtype, masked);
  begin(&j, &r->space, r->data, r->nkept, r->count);
  j.starts = r->starts;
  j.fold[0] = (ma_row_reduction){ monoid, { r->count, r->param, r->result, r->op == MA_REDUCE_std, masked }, 0, 0 };
  j.has_initial = r->has_initial;
  if (r->has_initial) take_initial(&j, dtype, r->initial);
  choose(&j, r->program, &room);
  if (r->starts) j.nspan = 1, j.span = r->count;
  j.spreads = j.nspan > 1;
  j.blanks = masked && !monoid->takes_mask;
  j.large = !r->starts && j.nrow * r->count >= TUNE_WALK_TOUCHED;
  j.settles = settling_value(r->op, dtype, masked);
  if (!r->starts && j.settles >= 0 && j.nrow == 1 && j.nspan >= 16) j.settled = &settled;
  if (j.in_place) j.body[0].program = r->program;
  else MA_TRY(ma_plan_init(&j.body[0], r->program, r->scalar));
  return ma_row_job_run(&j);
}

static ma_status run(ma_stream *stream, const void *job) {
  const ma_reduction *r = job;
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a reduction"));
  if (r->program->body) return ma_cpu_reduce_body(stream, r);
  bool few = r->program->notes && r->nkept == 1 && r->space.shape[0] == 1 && !r->starts && !r->has_initial &&
             r->program->noutput == 1 && r->program->ninput == 1 && !r->program->nscalar;
  return few && ma_cpu_reduce_few(r) ? MA_OK : run_plain(r);
}

typedef struct kept_reduction {
  ma_reduction reduction;
  ma_program program;
  ma_raw raw[MA_MAX_RAW];
} kept_reduction;

static size_t size_reduce(const void *job) { return sizeof(kept_reduction); }

static const char *name_reduce(const void *job) {
  const ma_reduction *r = job;
  return r->program->body ? ma_cpu_program_name(r->program) : ma_reduces[r->op].name;
}

static int64_t bytes_reduce(const void *job) {
  const ma_reduction *r = job;
  return ma_cpu_program_bytes(r->program, &r->space, r->program->body ? r->program->noutput : 1, false);
}

static void copy_reduce(void *to, const void *job) {
  kept_reduction *kept = to;
  kept->reduction = *(const ma_reduction *)job;
  ma_program_clone(&kept->program, kept->reduction.program);
  kept->reduction.program = &kept->program;
  kept->reduction.raw = ma_cpu_copy_raw(kept->raw, kept->reduction.raw, kept->reduction.program);
}

MA_CPU_SLOT(ma_cpu_reduce_run, ma_reduction, .name_of = name_reduce, .run = run, .bytes = bytes_reduce,
            .size = size_reduce, .copy = copy_reduce)

/* ==== A scan ==================================================================================================== */

/* Whether running totals along a row, or of neighbouring rows, are the results and lie beside each other. */
static bool writes_directly(const ma_row_job *j, ma_dtype result) {
  const ma_space *space = j->space;
  int size = ma_dtypes[result].itemsize;
  uintptr_t places = (uintptr_t)j->data[0];
  for (int d = 0; d < space->ndim; d++) places |= (uintptr_t)space->stride[0][d];
  return j->fold[0].monoid->plain && !ma_cpu_store(result) && size == j->fold[0].monoid->partial &&
         space->stride[0][j->down ? j->nkept - 1 : j->nkept] == size && places % (uintptr_t)(size < 8 ? size : 8) == 0;
}

static ma_status run_scan(ma_stream *stream, const void *job) {
  const ma_scan *scan = job;
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a scan"));
  ma_row_job j;
  const int64_t *stride = scan->space.stride[0];
  int last = scan->space.ndim - 1;
  ma_dtype dtype = ma_program_dtype(scan->program, scan->program->output[0]);
  begin(&j, &scan->space, scan->data, last, scan->space.shape[last]);
  j.scans = true;
  j.nspan = 1;
  j.fold[0] = (ma_row_reduction){ ma_cpu_monoid(scan->op, dtype, false), { .count = 1, .result = scan->result }, 0, 0 };
  j.down = j.run >= 16 && (j.count < 64 || ma_magnitude(stride[last - 1]) < ma_magnitude(stride[last]));
  j.batch = !j.down ? choose_together(&j) : TUNE_SCAN_COLUMNS < j.run ? TUNE_SCAN_COLUMNS : j.run;
  j.direct = writes_directly(&j, scan->result);
  MA_TRY(ma_plan_init(&j.body[0], scan->program, scan->scalar));
  if (j.down || j.count < 16 * SCAN_TILE || j.nrow >= ma_cpu_threads()) return ma_row_job_run(&j);
  for (int64_t k = 0; k < j.nrow; k++) MA_TRY(ma_row_scan_parts(&j, k));
  return MA_OK;
}

typedef struct kept_scan {
  ma_scan scan;
  ma_program program;
} kept_scan;

static const char *name_scan(const void *job) {
  return ((const ma_scan *)job)->op == MA_REDUCE_prod ? "cumprod" : "cumsum";
}
static size_t size_scan(const void *job) { return sizeof(kept_scan); }

static int64_t bytes_scan(const void *job) {
  const ma_scan *scan = job;
  return ma_cpu_program_bytes(scan->program, &scan->space, 1, true);
}

static void copy_scan(void *to, const void *job) {
  kept_scan *kept = to;
  kept->scan = *(const ma_scan *)job;
  ma_program_clone(&kept->program, kept->scan.program);
  kept->scan.program = &kept->program;
}

MA_CPU_SLOT(ma_cpu_reduce_scan, ma_scan, .name_of = name_scan, .run = run_scan, .bytes = bytes_scan, .size = size_scan,
            .copy = copy_scan)

/* ==== A row program ============================================================================================= */

/* How many rows are taken at once down their columns. */
static int64_t choose_wide(const ma_row_program *program) {
  int64_t bytes = 0, run = program->space.shape[program->nkept - 1];
  for (int k = 0; k < program->nheld; k++) bytes += ma_dtypes[program->held[k]].itemsize;
  for (int k = 0; k < program->narray; k++) bytes += ma_dtypes[program->array[k]].itemsize;
  int64_t wide = TUNE_WALK_TILE / (bytes * program->count + 1) / MA_LANE * MA_LANE, threads = ma_cpu_threads();
  if (wide > run / threads) wide = (run / threads + MA_LANE - 1) / MA_LANE * MA_LANE;
  if (wide < TUNE_WALK_COLUMNS) wide = TUNE_WALK_COLUMNS;
  return wide > MOST_ROWS ? MOST_ROWS : wide;
}

static bool suits_down(const ma_row_program *program) {
  int64_t nrow = 1, run = program->space.shape[program->nkept - 1], wide = choose_wide(program);
  if (!program->nheld) return false; /* without a held row nothing is computed again, and separate runs are as fast */
  if (!ma_rows_lie_along(program, program->nkept - 1) || run < TUNE_WALK_COLUMNS || program->count < RED_LEAVES)
    return false;
  for (int d = 0; d < program->nkept; d++) nrow *= program->space.shape[d];
  for (int k = 0; k < program->nheld; k++)
    if (program->count * wide * ma_dtypes[program->held[k]].itemsize > TUNE_WALK_TILE) return false;
  for (int k = 0; k < program->nfold; k++)
    if (ma_cpu_monoid((ma_reduce_op)program->fold[k].op, (ma_dtype)program->fold[k].value, false)->follow) return false;
  if (red_span(nrow, program->count) * RED_CHUNK < program->count) return false;
  return nrow / run * ((run + wide - 1) / wide) * 2 > ma_cpu_threads();
}

/* Whether separate runs are not faster. */
static bool suits(const ma_row_program *program) {
  int64_t nrow = 1;
  if (!ma_rows_lie_along(program, program->nkept)) return suits_down(program);
  for (int k = 0; k < program->nheld; k++)
    if (program->count * ma_dtypes[program->held[k]].itemsize > TUNE_WALK_HELD) return false;
  for (int d = 0; d < program->nkept; d++) nrow *= program->space.shape[d];
  if (program->count < TUNE_WALK_SHORTEST && nrow * program->count >= TUNE_THREAD_ELEMENTS) return false;
  if (program->nstage == 1 && !program->writes) return true;
  return nrow >= 2 * ma_cpu_threads() || nrow * program->count < TUNE_THREAD_ELEMENTS;
}

/* The inputs of a body that are results of reductions or of a head, by bit: they have one value in a row. */
static uint32_t find_one(const ma_row_part *body) {
  uint32_t found = 0;
  for (int k = 0; k < body->program.ninput; k++)
    if (body->from[k].kind == MA_FROM_FOLD || body->from[k].kind == MA_FROM_HEAD) found |= 1u << k;
  return found;
}

static ma_status run_row_program(ma_stream *stream, const void *job) {
  const ma_row_program *program = job;
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a row program"));
  ma_row_job j;
  const ma_row_part *body = &program->stage[0].body;
  bool alone = program->nstage == 1 && !program->writes;
  begin(&j, &program->space, program->data, program->nkept, program->count);
  j.program = program;
  j.nstage = program->nstage;
  j.nfold = program->nfold;
  j.nheld = program->nheld;
  j.first = program->nfold + program->writes;
  for (int k = 0; k < program->nfold; k++) {
    const ma_row_fold *fold = &program->fold[k];
    const ma_monoid *monoid = ma_cpu_monoid((ma_reduce_op)fold->op, (ma_dtype)fold->value, false);
    j.fold[k] = (ma_row_reduction){ monoid,
                                    { program->count, fold->param, (ma_dtype)fold->result, fold->op == MA_REDUCE_std,
                                      false },
                                    fold->stage,
                                    fold->output };
  }
  j.down = !ma_rows_lie_along(program, program->nkept);
  j.in_place = alone && !j.down && !program->nheld && !program->stage[0].head.program.noutput &&
               body->program.ninput == 1 && body->from[0].kind == MA_FROM_INPUT &&
               reads_in_place(&body->program, j.space, j.first + body->from[0].index, j.nkept);
  if (j.down) j.batch = choose_wide(program);
  else if (alone ? j.count <= RED_CHUNK : j.count < TUNE_WALK_SHORT) take_together(&j);
  if (!j.down && !alone && j.batch > j.tile) j.batch = j.tile;
  j.held_across = j.down ? 1 : program->count;
  j.held_along = j.down ? j.batch : 1;
  j.spreads = alone && j.nspan > 1;
  j.streamed = !j.down && program->writes &&
               ma_cpu_streams(j.nrow * program->count * ma_dtypes[program->result].itemsize, j.space, j.first,
                              program->narray);
  for (int t = 0; t < program->nstage; t++) {
    MA_TRY(ma_plan_init(&j.head[t], &program->stage[t].head.program, program->scalar));
    MA_TRY(ma_plan_init(&j.body[t], &program->stage[t].body.program, program->scalar));
    if (!j.down && j.tile == 1) ma_plan_single(&j.body[t], find_one(&program->stage[t].body));
  }
  return ma_row_job_run(&j);
}

static int64_t bytes_row_program(const void *job) {
  const ma_row_program *program = job;
  int64_t bytes = program->writes ? ma_cpu_operand_bytes(&program->space, program->nfold, (ma_dtype)program->result)
                                  : 0;
  for (int k = 0; k < program->narray; k++)
    bytes += ma_cpu_operand_bytes(&program->space, program->nfold + program->writes + k, (ma_dtype)program->array[k]);
  return bytes;
}

ma_status ma_cpu_reduce_row_program(ma_stream *stream, const ma_row_program *program, bool *ran) {
  static const ma_task task = { .name = "row program", .run = run_row_program, .bytes = bytes_row_program };
  *ran = suits(program);
  return *ran ? ma_cpu_submit(stream, &task, program, sizeof *program) : MA_OK;
}
