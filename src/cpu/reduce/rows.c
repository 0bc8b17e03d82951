/*
** rows.c: row programs on the CPU (backend/rows.h). A stage runs over a row in blocks, each of which goes from the
** interpreter to the reductions and to the result while it is in the first cache; the row itself is in the second one
** when the next stage reads it. Short rows are taken several at once. One stage of reductions alone has nothing to wait
** for: then long rows are cut into spans, which are the threads' work.
*/
#include "backend/rows.h"
#include "base/inject.h"
#include "cpu/reduce/monoid.h"
#include "program/stages.h"

#include <stdlib.h>
#include <string.h>

#define SHORT 256         /* elements of rows that are taken several at once */
#define SHORTEST 256      /* shorter rows of a large array are walked faster down their columns */
#define GRAIN 32768       /* elements that are worth a thread */
#define HELD (4 << 20)    /* bytes of a row that is held, at most */
#define STREAM (32 << 20) /* bytes of a result that is larger than the caches */

typedef struct job {
  const ma_rows *rows;
  ma_plan head[MA_MAX_STAGES], body[MA_MAX_STAGES];
  const ma_monoid *monoid[MA_MAX_FOLDS];
  ma_finish finish[MA_MAX_FOLDS];
  int64_t nrow, span, nspan;
  bool streamed;               /* the result is larger than the caches: written around them */
  char *partial[MA_MAX_FOLDS]; /* if `spans`: partial results of all rows */
} job;

typedef struct worker { /* one for each thread */
  const job *j;
  ma_block head[MA_MAX_STAGES], body[MA_MAX_STAGES];
  int nhead, nbody;
  char *memory, *held[MA_MAX_HELD];
  char *partial[MA_MAX_FOLDS], *room; /* of the spans of a row */
  /* values of rows in memory form: of reductions, and of heads; up to MA_BLOCK rows */
  char *fold[MA_MAX_FOLDS], *value[MA_MAX_OUTPUTS];
  char *data[MA_MAX_OPERANDS]; /* addresses of the current row */
} worker;

/* ==== Memory ===================================================================================================== */

static void close_worker(worker *w) {
  for (int t = 0; t < w->nhead; t++) ma_block_close(&w->head[t]);
  for (int t = 0; t < w->nbody; t++) ma_block_close(&w->body[t]);
  free(w->memory);
}

static size_t whole(size_t n) { return (n + MA_ALIGN - 1) / MA_ALIGN * MA_ALIGN; }

static ma_status open_worker(worker *w, const job *j) {
  const ma_rows *rows = j->rows;
  size_t held = (rows->count < MA_BLOCK ? MA_BLOCK : (size_t)rows->count) + MA_LANE, size = 0, spans = (size_t)j->nspan;
  const size_t values = MA_BLOCK * sizeof(ma_c128), partial = whole(spans * MA_MAX_PARTIAL);
  w->j = j;
  w->nhead = w->nbody = 0;
  w->memory = NULL;
  for (int k = 0; k < rows->nheld; k++) size += whole(held * ma_dtypes[rows->held[k]].itemsize);
  size += ((size_t)rows->nfold + 1) * partial + ((size_t)rows->nfold + MA_MAX_OUTPUTS) * values;
  for (int t = 0; t < rows->nstage; t++) {
    ma_status status = ma_block_open(&w->body[t], &j->body[t]);
    if (status == MA_OK) w->nbody++, status = ma_block_open(&w->head[t], &j->head[t]);
    if (status == MA_OK) w->nhead++;
    else {
      close_worker(w);
      return status;
    }
  }
  char *at = w->memory = aligned_alloc(MA_ALIGN, size);
  if (!at) {
    close_worker(w);
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for rows", size);
  }
  for (int k = 0; k < rows->nheld; k++) {
    w->held[k] = at;
    at += whole(held * ma_dtypes[rows->held[k]].itemsize);
  }
  for (int k = 0; k < rows->nfold; k++, at += partial) w->partial[k] = at;
  w->room = at;
  at += partial;
  for (int k = 0; k < rows->nfold; k++, at += values) w->fold[k] = at;
  for (int k = 0; k < MA_MAX_OUTPUTS; k++, at += values) w->value[k] = at;
  return MA_OK;
}

/* ==== Addresses ================================================================================================== */

static void place(worker *w, int64_t row) {
  const ma_rows *rows = w->j->rows;
  const ma_space *space = &rows->space;
  for (int o = 0; o < space->noperand; o++) w->data[o] = rows->data[o];
  for (int d = rows->nkept - 1; d >= 0 && row > 0; d--) {
    int64_t i = row % space->shape[d];
    row /= space->shape[d];
    for (int o = 0; o < space->noperand; o++) w->data[o] += i * space->stride[o][d];
  }
}

static int first_array(const ma_rows *rows) { return rows->nfold + rows->writes; }

/* Where the inputs of a stage's program begin, and their steps from row to row and along a row. Rows of the worker's
** own memory are packed. */
static void aim(const worker *w, const ma_row_program *p, const void **data, int64_t *across, int64_t *along) {
  const ma_rows *rows = w->j->rows;
  for (int k = 0; k < p->program.ninput; k++) {
    int index = p->from[k].index, operand = first_array(rows) + index;
    int64_t size = ma_dtypes[p->program.input_dtype[k]].itemsize;
    along[k] = 0;
    across[k] = size;
    switch (p->from[k].kind) {
    case MA_FROM_INPUT:
      data[k] = w->data[operand];
      across[k] = rows->space.stride[operand][rows->nkept - 1];
      along[k] = rows->space.stride[operand][rows->nkept];
      break;
    case MA_FROM_FOLD: data[k] = w->fold[index]; break;
    case MA_FROM_HEAD: data[k] = w->value[index]; break;
    default:
      data[k] = w->held[index];
      across[k] = rows->count * size;
      along[k] = size;
    }
  }
}

/* ==== A stage ==================================================================================================== */

/* Computes what does not change along each of n rows. */
static void run_head(worker *w, int t, int n) {
  const ma_row_program *head = &w->j->rows->stage[t].head;
  const void *data[MA_MAX_INPUTS], *out[MA_MAX_OUTPUTS];
  int64_t across[MA_MAX_INPUTS], along[MA_MAX_INPUTS];
  if (!head->program.noutput) return;
  aim(w, head, data, across, along);
  ma_block_row(&w->head[t], data, across, n, out);
  for (int k = 0; k < head->program.noutput; k++) {
    ma_dtype dtype = ma_program_dtype(&head->program, head->program.output[k]);
    ma_block_store(w->value[k], ma_dtypes[dtype].itemsize, out[k], dtype, n);
  }
}

/* Writes the results of n neighbouring rows from their partial results. */
static void put_fold(worker *w, int k, void *partial, int n) {
  const ma_rows *rows = w->j->rows;
  _Alignas(MA_ALIGN) char out[MA_BLOCK * sizeof(ma_c128)];
  ma_dtype dtype = (ma_dtype)rows->fold[k].result;
  w->j->monoid[k]->finish(out, partial, n, &w->j->finish[k]);
  ma_block_store(w->data[k], rows->space.stride[k][rows->nkept - 1], out, dtype, n);
  ma_block_store(w->fold[k], ma_dtypes[dtype].itemsize, out, dtype, n);
}

/* If output k of the body can be computed where it is to be stored, points its step there. Held rows have room for
** whole lanes. */
static void redirect(worker *w, int t, int k, char *to, int64_t step, int n) {
  const ma_plan *plan = &w->j->body[t];
  const ma_program *p = plan->program;
  ma_dtype dtype = ma_program_dtype(p, p->output[k]);
  int reg = plan->output[k], size = ma_dtypes[dtype].itemsize;
  if (reg < MA_REG_CODE || ma_cpu_store(dtype) != NULL) return;
  for (int i = 0; i < p->noutput; i++)
    if (i != k && plan->output[i] == reg) return;
  bool fits = step == size && (n % MA_LANE == 0 || k != w->j->rows->stage[t].result) &&
              ((uintptr_t)to & (uintptr_t)((size < 8 ? size : 8) - 1)) == 0;
  w->body[t].where[reg] = fits ? to : w->body[t].arena + plan->place[reg];
}

typedef struct target { /* of an output that is stored */
  int output;
  char *to;
  int64_t step;
} target;

/* Stores held rows and the result; the addresses are those of element 0. */
static int find_targets(const worker *w, int t, target *to) {
  const ma_rows *rows = w->j->rows;
  const ma_row_stage *stage = &rows->stage[t];
  int n = 0;
  for (int k = 0; k < rows->nheld; k++)
    if (stage->held[k] != MA_NOWHERE) {
      to[n++] = (target){ stage->held[k], w->held[k], ma_dtypes[rows->held[k]].itemsize };
    }
  if (stage->result != MA_NOWHERE)
    to[n++] = (target){ stage->result, w->data[rows->nfold], rows->space.stride[rows->nfold][rows->nkept] };
  return n;
}

/* Fetches what is read next: the same elements of the row behind this one, while the last stage of this one computes;
** with one stage, elements further on in the row. */
static void prefetch(const worker *w, int64_t r, int n) {
  const ma_rows *rows = w->j->rows;
  for (int k = 0; k < rows->narray; k++) {
    const int64_t *stride = rows->space.stride[first_array(rows) + k];
    int64_t size = ma_dtypes[rows->array[k]].itemsize;
    int64_t next = rows->nstage > 1 ? stride[rows->nkept - 1] : 2 * RED_CHUNK * size;
    if (stride[rows->nkept] != size || next == 0) continue;
    const char *at = w->data[first_array(rows) + k] + next + r * size; /* an address behind the end is harmless */
    for (int64_t b = 0; b < n * size; b += MA_ALIGN) __builtin_prefetch(at + b);
  }
}

/* Runs elements first .. last-1 of a row; total[k] receives the partial result of reduction k. */
static void run_span(worker *w, int t, int64_t first, int64_t last, void *const *total) {
  const ma_rows *rows = w->j->rows;
  const ma_row_stage *stage = &rows->stage[t];
  const ma_program *program = &stage->body.program;
  const void *base[MA_MAX_INPUTS], *data[MA_MAX_INPUTS], *out[MA_MAX_OUTPUTS];
  int64_t across[MA_MAX_INPUTS], along[MA_MAX_INPUTS];
  target target[MA_MAX_HELD + 1];
  int ntarget = find_targets(w, t, target);
  aim(w, &stage->body, base, across, along);
  for (int64_t r = first; r < last; r += RED_CHUNK) {
    int n = last - r < RED_CHUNK ? (int)(last - r) : RED_CHUNK;
    for (int k = 0; k < program->ninput; k++) data[k] = (const char *)base[k] + r * along[k];
    for (int k = 0; k < ntarget; k++) {
      bool streamed = w->j->streamed && target[k].output == stage->result;
      redirect(w, t, target[k].output, target[k].to + r * target[k].step, streamed ? 0 : target[k].step, n);
    }
    if (t == rows->nstage - 1) prefetch(w, r, n);
    ma_block_row(&w->body[t], data, along, n, out);
    for (int k = 0; k < rows->nfold; k++) {
      const ma_monoid *monoid = w->j->monoid[k];
      char chunk[MA_MAX_PARTIAL];
      if (rows->fold[k].stage != t) continue;
      const void *values = out[rows->fold[k].output];
      monoid->total(r == first ? total[k] : chunk, values, NULL, n, r, r == first ? NULL : total[k]);
      if (r != first) monoid->merge(total[k], total[k], chunk, 1);
    }
    for (int k = 0; k < ntarget; k++) {
      char *to = target[k].to + r * target[k].step;
      if (out[target[k].output] == to) continue;
      ma_dtype dtype = ma_program_dtype(program, program->output[target[k].output]);
      size_t size = ma_dtypes[dtype].itemsize;
      bool packed = target[k].step == (int64_t)size && !ma_cpu_store(dtype);
      if (w->j->streamed && packed && target[k].output == stage->result)
        ma_stream_bytes(to, out[target[k].output], (size_t)n * size);
      else ma_block_store(to, target[k].step, out[target[k].output], dtype, n);
    }
  }
}

/* ==== Rows ======================================================================================================= */

static void run_long_row(worker *w, int64_t row) {
  const job *j = w->j;
  const ma_rows *rows = j->rows;
  place(w, row);
  for (int t = 0; t < rows->nstage; t++) {
    run_head(w, t, 1);
    for (int64_t s = 0; s < j->nspan; s++) {
      void *total[MA_MAX_FOLDS];
      int64_t first = s * j->span, last = first + j->span < rows->count ? first + j->span : rows->count;
      for (int k = 0; k < rows->nfold; k++) total[k] = w->partial[k] + s * j->monoid[k]->partial;
      run_span(w, t, first, last, total);
    }
    for (int k = 0; k < rows->nfold; k++)
      if (rows->fold[k].stage == t)
        put_fold(w, k, (void *)j->monoid[k]->tree(w->partial[k], w->room, (int)j->nspan), 1);
  }
}

/* n short rows, neighbours on the last kept axis, of which a block has all elements. */
static void run_short_rows(worker *w, int64_t row, int n) {
  const ma_rows *rows = w->j->rows;
  int count = (int)rows->count;
  place(w, row);
  for (int t = 0; t < rows->nstage; t++) {
    const ma_row_stage *stage = &rows->stage[t];
    const ma_program *program = &stage->body.program;
    const void *data[MA_MAX_INPUTS], *out[MA_MAX_OUTPUTS];
    int64_t across[MA_MAX_INPUTS], along[MA_MAX_INPUTS];
    target target[MA_MAX_HELD + 1];
    int ntarget = find_targets(w, t, target);
    run_head(w, t, n);
    aim(w, &stage->body, data, across, along);
    for (int k = 0; k < ntarget; k++) redirect(w, t, target[k].output, NULL, 0, 1); /* into the block */
    ma_block_tile(&w->body[t], data, across, along, n, count, out);
    for (int k = 0; k < rows->nfold; k++) {
      const ma_monoid *monoid = w->j->monoid[k];
      _Alignas(MA_ALIGN) char total[MA_BLOCK * MA_MAX_PARTIAL];
      const char *values = out[rows->fold[k].output];
      if (rows->fold[k].stage != t) continue;
      for (int i = 0; i < n; i++)
        monoid->total(total + i * monoid->partial, values + (int64_t)i * count * monoid->value, NULL, count, 0, NULL);
      put_fold(w, k, total, n);
    }
    for (int k = 0; k < ntarget; k++) {
      ma_dtype dtype = ma_program_dtype(program, program->output[target[k].output]);
      int size = ma_dtypes[dtype].itemsize;
      const void *values = out[target[k].output];
      _Alignas(MA_ALIGN) uint16_t packed[MA_BLOCK];
      if (ma_cpu_store(dtype) != NULL) {
        ma_block_store(packed, size, values, dtype, n * count);
        values = packed;
      }
      if (target[k].output != stage->result) memcpy(target[k].to, values, (size_t)(n * count) * (size_t)size);
      else
        ma_scatter_tile(target[k].to, rows->space.stride[rows->nfold][rows->nkept - 1], target[k].step, values, n,
                        count, size);
    }
  }
}

static ma_status run_rows(void *context, int64_t first, int64_t last) {
  const job *j = context;
  const ma_rows *rows = j->rows;
  int64_t run = rows->space.shape[rows->nkept - 1], most = rows->count < SHORT ? MA_BLOCK / rows->count : 1;
  worker w;
  MA_TRY(open_worker(&w, j));
  while (first < last) {
    int64_t n = run - first % run;
    if (n > most) n = most;
    if (n > last - first) n = last - first;
    if (rows->count < SHORT) run_short_rows(&w, first, (int)n);
    else run_long_row(&w, first);
    first += n;
  }
  if (j->streamed) ma_stream_end();
  close_worker(&w);
  return MA_OK;
}

/* ==== Spans ====================================================================================================== */

static ma_status run_spans(void *context, int64_t first, int64_t last) {
  const job *j = context;
  const ma_rows *rows = j->rows;
  worker w;
  MA_TRY(open_worker(&w, j));
  for (int64_t u = first; u < last; u++) {
    void *total[MA_MAX_FOLDS];
    int64_t begin = u % j->nspan * j->span, end = begin + j->span < rows->count ? begin + j->span : rows->count;
    place(&w, u / j->nspan);
    run_head(&w, 0, 1);
    for (int k = 0; k < rows->nfold; k++) total[k] = j->partial[k] + u * j->monoid[k]->partial;
    run_span(&w, 0, begin, end, total);
  }
  close_worker(&w);
  return MA_OK;
}

static ma_status merge_spans(void *context, int64_t first, int64_t last) {
  const job *j = context;
  worker w;
  MA_TRY(open_worker(&w, j));
  for (int64_t row = first; row < last; row++) {
    place(&w, row);
    for (int k = 0; k < j->rows->nfold; k++) {
      char *partial = j->partial[k] + row * j->nspan * j->monoid[k]->partial;
      put_fold(&w, k, (void *)j->monoid[k]->tree(partial, w.room, (int)j->nspan), 1);
    }
  }
  close_worker(&w);
  return MA_OK;
}

static ma_status run_by_spans(job *j) {
  ma_status status = MA_OK;
  int64_t n = j->nrow * j->nspan;
  for (int k = 0; k < j->rows->nfold; k++) j->partial[k] = NULL;
  for (int k = 0; k < j->rows->nfold && status == MA_OK; k++) {
    size_t size = (size_t)n * j->monoid[k]->partial;
    j->partial[k] = malloc(size);
    if (!j->partial[k]) status = ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for partial results", size);
  }
  if (status == MA_OK) status = ma_cpu_parallel(n, GRAIN / j->span + 1, run_spans, j);
  if (status == MA_OK) status = ma_cpu_parallel(j->nrow, GRAIN / j->nspan + 1, merge_spans, j);
  for (int k = 0; k < j->rows->nfold; k++) free(j->partial[k]);
  return status;
}

/* ==== The run ==================================================================================================== */

ma_status ma_cpu_rows(ma_stream *stream, const ma_rows *rows) {
  job j = { .rows = rows, .nrow = 1 };
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a row program"));
  for (int d = 0; d < rows->nkept; d++) j.nrow *= rows->space.shape[d];
  j.span = red_span(j.nrow, rows->count) * RED_CHUNK;
  j.nspan = (rows->count + j.span - 1) / j.span;
  for (int t = 0; t < rows->nstage; t++) {
    MA_TRY(ma_plan_init(&j.head[t], &rows->stage[t].head.program, rows->scalar));
    MA_TRY(ma_plan_init(&j.body[t], &rows->stage[t].body.program, rows->scalar));
  }
  for (int k = 0; k < rows->nfold; k++) {
    const ma_row_fold *fold = &rows->fold[k];
    j.monoid[k] = ma_cpu_monoid((ma_reduce_op)fold->op, (ma_dtype)fold->value, false);
    j.finish[k] = (ma_finish){ rows->count, fold->param, (ma_dtype)fold->result, fold->op == MA_REDUCE_std, false };
  }
  j.streamed = rows->writes && j.nrow * rows->count * ma_dtypes[rows->result].itemsize >= STREAM;
  if (rows->nstage == 1 && !rows->writes && j.nspan > 1) return run_by_spans(&j);
  return ma_cpu_parallel(j.nrow, GRAIN / rows->count + 1, run_rows, &j);
}

bool ma_cpu_rows_suit(const ma_rows *rows) {
  int64_t nrow = 1;
  if (!ma_rows_lie_along(rows, rows->nkept)) return false;
  for (int k = 0; k < rows->nheld; k++)
    if (rows->count * ma_dtypes[rows->held[k]].itemsize > HELD) return false;
  for (int d = 0; d < rows->nkept; d++) nrow *= rows->space.shape[d];
  if (rows->count < SHORTEST && nrow * rows->count >= GRAIN) return false;
  if (rows->nstage == 1 && !rows->writes) return true;
  return nrow >= 2 * ma_cpu_threads() || nrow * rows->count < GRAIN;
}
