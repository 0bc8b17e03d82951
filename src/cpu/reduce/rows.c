/*
** rows.c: row programs on the CPU (backend/rows.h). A stage runs over a row in blocks, each of which goes from the
** interpreter to the reductions and to the result while it is in the first cache; the row itself is in the second one
** when the next stage reads it. Short rows are taken several at once. One stage of reductions alone has nothing to wait
** for: then long rows are cut into spans, which are the threads' work.
**
** Where neighbours in memory are on neighbouring rows, as of a matrix that is reduced along its first axis, a stage
** takes the same element of many rows at once: "down columns". Then all elements of these rows are in the second cache.
*/
#include "backend/rows.h"
#include "base/inject.h"
#include "cpu/reduce/columns.h"
#include "program/stages.h"

#include <stdlib.h>
#include <string.h>

#define SHORT 256         /* elements of rows that are taken several at once */
#define SHORTEST 256      /* shorter rows of a large array are walked faster down their columns */
#define GRAIN 32768       /* elements that are worth a thread */
#define HELD (4 << 20)    /* bytes of a row that is held, at most */
#define STREAM (32 << 20) /* bytes of a result that is larger than the caches */
#define TILE (8 << 20)    /* bytes of the rows that are taken down their columns at once */
#define WIDEST 1024       /* such rows, at most, and at least: */
#define NARROWEST 64

typedef struct job {
  const ma_rows *rows;
  ma_plan head[MA_MAX_STAGES], body[MA_MAX_STAGES];
  const ma_monoid *monoid[MA_MAX_FOLDS];
  ma_finish finish[MA_MAX_FOLDS];
  int64_t nrow, span, nspan;
  int64_t held_across, held_along; /* elements from row to row of what is held, and along a row */
  int64_t wide;                    /* rows that are taken at once down their columns; 0: not down columns */
  bool streamed;                   /* the result is larger than the caches: written around them */
  char *partial[MA_MAX_FOLDS];     /* if `spans`: partial results of all rows */
} job;

typedef struct worker { /* one for each thread */
  const job *j;
  ma_block head[MA_MAX_STAGES], body[MA_MAX_STAGES];
  int nhead, nbody;
  ma_buffer *buffer; /* from the pool: new memory of this size is slow */
  char *held[MA_MAX_HELD];
  char *partial[MA_MAX_FOLDS], *room; /* of the spans of a row */
  /* values of rows in memory form: of reductions, and of heads; up to MA_BLOCK rows */
  char *fold[MA_MAX_FOLDS], *value[MA_MAX_OUTPUTS];
  char *data[MA_MAX_OPERANDS];   /* addresses of the current row */
  ma_columns tree[MA_MAX_FOLDS]; /* down columns; with the values of a leaf's rows */
  char *leaf[MA_MAX_FOLDS][RED_LEAF];
} worker;

/* ==== Memory ===================================================================================================== */

static void close_worker(worker *w) {
  for (int t = 0; t < w->nhead; t++) ma_block_close(&w->head[t]);
  for (int t = 0; t < w->nbody; t++) ma_block_close(&w->body[t]);
  if (w->buffer) ma_buffer_release(w->buffer);
}

static size_t whole(size_t n) { return (n + MA_ALIGN - 1) / MA_ALIGN * MA_ALIGN; }

static ma_status open_worker(worker *w, const job *j) {
  const ma_rows *rows = j->rows;
  size_t held = (rows->count < MA_BLOCK ? MA_BLOCK : (size_t)rows->count) + MA_LANE, size = 0, spans = (size_t)j->nspan;
  if (j->wide) held = (size_t)(rows->count * j->wide);
  const size_t values = MA_BLOCK * sizeof(ma_c128), partial = whole(spans * MA_MAX_PARTIAL);
  w->j = j;
  w->nhead = w->nbody = 0;
  w->buffer = NULL;
  for (int k = 0; k < rows->nheld; k++) size += whole(held * ma_dtypes[rows->held[k]].itemsize);
  size += ((size_t)rows->nfold + 1) * partial + ((size_t)rows->nfold + MA_MAX_OUTPUTS) * values;
  for (int k = 0; k < rows->nfold && j->wide; k++)
    size += whole(ma_columns_bytes(j->monoid[k], j->wide)) + RED_LEAF * whole((size_t)j->wide * j->monoid[k]->value);
  for (int t = 0; t < rows->nstage; t++) {
    ma_status status = ma_block_open(&w->body[t], &j->body[t]);
    if (status == MA_OK) w->nbody++, status = ma_block_open(&w->head[t], &j->head[t]);
    if (status == MA_OK) w->nhead++;
    else {
      close_worker(w);
      return status;
    }
  }
  ma_status status = ma_buffer_new(ma_device_cpu(), size, &w->buffer);
  if (status != MA_OK) {
    close_worker(w);
    return status;
  }
  char *at = w->buffer->ptr;
  for (int k = 0; k < rows->nheld; k++) {
    w->held[k] = at;
    at += whole(held * ma_dtypes[rows->held[k]].itemsize);
  }
  for (int k = 0; k < rows->nfold; k++, at += partial) w->partial[k] = at;
  w->room = at;
  at += partial;
  for (int k = 0; k < rows->nfold; k++, at += values) w->fold[k] = at;
  for (int k = 0; k < MA_MAX_OUTPUTS; k++, at += values) w->value[k] = at;
  for (int k = 0; k < rows->nfold && j->wide; k++) {
    ma_columns_place(&w->tree[k], j->monoid[k], at, j->wide);
    at += whole(ma_columns_bytes(j->monoid[k], j->wide));
    for (int i = 0; i < RED_LEAF; i++, at += whole((size_t)j->wide * j->monoid[k]->value)) w->leaf[k][i] = at;
  }
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
      across[k] = w->j->held_across * size;
      along[k] = w->j->held_along * size;
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
static bool redirect(worker *w, int t, int k, char *to, int64_t step, int n) {
  const ma_plan *plan = &w->j->body[t];
  const ma_program *p = plan->program;
  ma_dtype dtype = ma_program_dtype(p, p->output[k]);
  int reg = plan->output[k], size = ma_dtypes[dtype].itemsize;
  if (reg < MA_REG_CODE || ma_cpu_store(dtype) != NULL) return false;
  for (int i = 0; i < p->noutput; i++)
    if (i != k && plan->output[i] == reg) return false;
  bool fits = step == size && (n % MA_LANE == 0 || k != w->j->rows->stage[t].result) &&
              ((uintptr_t)to & (uintptr_t)((size < 8 ? size : 8) - 1)) == 0;
  w->body[t].where[reg] = fits ? to : w->body[t].arena + plan->place[reg];
  return fits;
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

/* ==== Down columns =============================================================================================== */

/* A stage of rows that are taken down their columns: where element 0 is, and the steps to the next element. */
typedef struct descent {
  const void *from[MA_MAX_INPUTS];
  int64_t across[MA_MAX_INPUTS], along[MA_MAX_INPUTS];
  int ninput, ntarget, nfold;
  target to[MA_MAX_HELD + 1]; /* `step` leads to the next row */
  int64_t to_along[MA_MAX_HELD + 1];
  bool in_place[MA_MAX_HELD + 1]; /* the step of this output may write there */
  int fold[MA_MAX_FOLDS], output[MA_MAX_FOLDS];
  bool past; /* behind these rows lies the next element of others: all but the last are read in whole lanes */
} descent;

static void begin_descent(worker *w, int t, int n, descent *d) {
  const ma_rows *rows = w->j->rows;
  d->ninput = rows->stage[t].body.program.ninput;
  aim(w, &rows->stage[t].body, d->from, d->across, d->along);
  d->ntarget = find_targets(w, t, d->to);
  for (int k = 0; k < d->ntarget; k++) {
    bool result = d->to[k].output == rows->stage[t].result && d->to[k].to == w->data[rows->nfold];
    const ma_program *p = &rows->stage[t].body.program;
    int size = ma_dtypes[ma_program_dtype(p, p->output[d->to[k].output])].itemsize;
    d->to_along[k] = d->to[k].step * (result ? 1 : w->j->held_along);
    if (result) d->to[k].step = rows->space.stride[rows->nfold][rows->nkept - 1];
    bool aligned = d->to_along[k] % (size < 8 ? size : 8) == 0;
    d->in_place[k] = redirect(w, t, d->to[k].output, d->to[k].to, aligned ? d->to[k].step : 0, n);
  }
  d->past = true;
  for (int k = 0; k < d->ninput; k++) {
    int64_t size = ma_dtypes[rows->stage[t].body.program.input_dtype[k]].itemsize;
    bool own = rows->stage[t].body.from[k].kind != MA_FROM_INPUT;
    d->past &= d->across[k] == size && (own || d->along[k] >= MA_LANE * size);
  }
  d->nfold = 0;
  for (int k = 0; k < rows->nfold; k++) {
    if (rows->fold[k].stage != t) continue;
    d->output[d->nfold] = rows->fold[k].output;
    d->fold[d->nfold++] = k;
  }
}

/* Runs the body on element r of n rows. */
static void descend(worker *w, int t, const descent *d, int64_t r, int n, const void **out) {
  const ma_plan *plan = &w->j->body[t];
  const void *data[MA_MAX_INPUTS];
  for (int k = 0; k < d->ninput; k++) data[k] = (const char *)d->from[k] + r * d->along[k];
  for (int k = 0; k < d->ntarget; k++)
    if (d->in_place[k]) w->body[t].where[plan->output[d->to[k].output]] = d->to[k].to + r * d->to_along[k];
  bool past = d->past && r + 1 < w->j->rows->count;
  ma_block_row(&w->body[t], data, d->across, past ? (n + MA_LANE - 1) / MA_LANE * MA_LANE : n, out);
  for (int k = 0; k < d->ntarget; k++) {
    char *to = d->to[k].to + r * d->to_along[k];
    const void *values = out[d->to[k].output];
    if (values != to)
      ma_block_store(to, d->to[k].step, values, ma_program_dtype(plan->program, plan->program->output[d->to[k].output]),
                     n);
  }
}

/* Folds the leaf of elements r, r + 128 ... below `end` of n rows. Values stay where they are unless that is the block,
** which the next run overwrites. */
static void fold_leaf(worker *w, int t, const descent *d, int64_t r, int64_t end, int n) {
  static const uint8_t *const no_mask[RED_LEAF];
  const void *out[MA_MAX_OUTPUTS], *values[MA_MAX_FOLDS][RED_LEAF];
  const char *arena = w->body[t].arena, *past = arena + w->j->body[t].arena;
  unsigned live = 0;
  for (int i = 0; i < RED_LEAF && r + i * RED_LEAVES < end; i++) {
    descend(w, t, d, r + i * RED_LEAVES, n, out);
    live |= 1u << i;
    for (int k = 0; k < d->nfold; k++) {
      const char *from = out[d->output[k]];
      bool stays = from < arena || from >= past;
      size_t size = w->j->monoid[d->fold[k]]->value;
      values[k][i] = stays ? from : memcpy(w->leaf[d->fold[k]][i], from, (size_t)n * size);
    }
  }
  for (int k = 0; k < d->nfold; k++) {
    for (int i = 0; i < RED_LEAF; i++)
      if (!(live >> i & 1)) values[k][i] = values[k][0];
    w->j->monoid[d->fold[k]]->column(w->tree[d->fold[k]].leaf, values[k], no_mask, live, n, r);
  }
}

/* Folds elements r .. end - 1, a chunk, of n rows. */
static void fold_chunk(worker *w, int t, const descent *d, int64_t r, int64_t end, int n) {
  int nleaf = end - r < RED_LEAVES ? (int)(end - r) : RED_LEAVES;
  for (int l = 0; l < nleaf; l++) {
    fold_leaf(w, t, d, r + l, end, n);
    for (int k = 0; k < d->nfold; k++) ma_columns_put(&w->tree[d->fold[k]], l, 0, n);
  }
  for (int k = 0; k < d->nfold; k++) {
    ma_columns_end(&w->tree[d->fold[k]], nleaf, n);
    ma_columns_add(&w->tree[d->fold[k]], r == 0, n);
  }
}

/* n neighbouring rows, at most `wide`. */
static void run_columns(worker *w, int64_t row, int n) {
  const ma_rows *rows = w->j->rows;
  const void *out[MA_MAX_OUTPUTS];
  descent d;
  place(w, row);
  for (int t = 0; t < rows->nstage; t++) {
    run_head(w, t, n);
    begin_descent(w, t, n, &d);
    for (int64_t r = 0; r < rows->count; r += RED_CHUNK) {
      int64_t end = r + RED_CHUNK < rows->count ? r + RED_CHUNK : rows->count;
      if (d.nfold) fold_chunk(w, t, &d, r, end, n);
      else
        for (int64_t i = r; i < end; i++) descend(w, t, &d, i, n, out);
    }
    for (int k = 0; k < d.nfold; k++) put_fold(w, d.fold[k], w->tree[d.fold[k]].total, n);
  }
}

static ma_status run_blocks_of_columns(void *context, int64_t first, int64_t last) {
  const job *j = context;
  int64_t run = j->rows->space.shape[j->rows->nkept - 1], nblock = (run + j->wide - 1) / j->wide;
  worker w;
  MA_TRY(open_worker(&w, j));
  for (; first < last; first++) {
    int64_t at = first % nblock * j->wide;
    run_columns(&w, first / nblock * run + at, (int)(run - at < j->wide ? run - at : j->wide));
  }
  close_worker(&w);
  return MA_OK;
}

/* How many rows are taken at once down their columns. */
static int64_t choose_wide(const ma_rows *rows) {
  int64_t bytes = 0, run = rows->space.shape[rows->nkept - 1];
  for (int k = 0; k < rows->nheld; k++) bytes += ma_dtypes[rows->held[k]].itemsize;
  for (int k = 0; k < rows->narray; k++) bytes += ma_dtypes[rows->array[k]].itemsize;
  int64_t wide = TILE / (bytes * rows->count + 1) / MA_LANE * MA_LANE, threads = ma_cpu_threads();
  if (wide > run / threads) wide = (run / threads + MA_LANE - 1) / MA_LANE * MA_LANE;
  if (wide < NARROWEST) wide = NARROWEST;
  return wide > WIDEST ? WIDEST : wide;
}

static bool suits_columns(const ma_rows *rows) {
  int64_t nrow = 1, run = rows->space.shape[rows->nkept - 1], wide = choose_wide(rows);
  if (!rows->nheld) return false; /* separate runs are as fast where nothing is computed again */
  if (!ma_rows_lie_along(rows, rows->nkept - 1) || run < NARROWEST || rows->count < RED_LEAVES) return false;
  for (int d = 0; d < rows->nkept; d++) nrow *= rows->space.shape[d];
  for (int k = 0; k < rows->nheld; k++)
    if (rows->count * wide * ma_dtypes[rows->held[k]].itemsize > TILE) return false;
  for (int k = 0; k < rows->nfold; k++) {
    const ma_monoid *monoid = ma_cpu_monoid((ma_reduce_op)rows->fold[k].op, (ma_dtype)rows->fold[k].value, false);
    if (monoid->follow) return false;
  }
  if (red_span(nrow, rows->count) * RED_CHUNK < rows->count) return false;
  return nrow / run * ((run + wide - 1) / wide) * 2 > ma_cpu_threads();
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
  j.wide = ma_rows_lie_along(rows, rows->nkept) ? 0 : choose_wide(rows);
  j.held_across = j.wide ? 1 : rows->count;
  j.held_along = j.wide ? j.wide : 1;
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
  if (j.wide) {
    int64_t run = rows->space.shape[rows->nkept - 1], nblock = (run + j.wide - 1) / j.wide;
    return ma_cpu_parallel(j.nrow / run * nblock, GRAIN / (rows->count * j.wide) + 1, run_blocks_of_columns, &j);
  }
  j.streamed = rows->writes && j.nrow * rows->count * ma_dtypes[rows->result].itemsize >= STREAM;
  if (rows->nstage == 1 && !rows->writes && j.nspan > 1) return run_by_spans(&j);
  return ma_cpu_parallel(j.nrow, GRAIN / rows->count + 1, run_rows, &j);
}

bool ma_cpu_rows_suit(const ma_rows *rows) {
  int64_t nrow = 1;
  if (!ma_rows_lie_along(rows, rows->nkept)) return suits_columns(rows);
  for (int k = 0; k < rows->nheld; k++)
    if (rows->count * ma_dtypes[rows->held[k]].itemsize > HELD) return false;
  for (int d = 0; d < rows->nkept; d++) nrow *= rows->space.shape[d];
  if (rows->count < SHORTEST && nrow * rows->count >= GRAIN) return false;
  if (rows->nstage == 1 && !rows->writes) return true;
  return nrow >= 2 * ma_cpu_threads() || nrow * rows->count < GRAIN;
}
