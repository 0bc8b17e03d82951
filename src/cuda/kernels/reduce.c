/* reduce.c: reductions on a GPU. A plain one is a row program of one stage, which cuda/rows plans and runs. What a row
** program cannot say is walked by kernels/reduce/reduce.cuh: a mask, an initial value, segments, partial results,
** several reduced axes, a user's body; and what its planner declines: a few neighbouring columns, logaddexp. A result
** with several spans has partial results, which a second kernel of the module merges. */
#include "compile/body.h"
#include "cuda/kernels/fold.h"
#include "cuda/general/general.h"
#include "cuda/rows/rows.h"
#include "program/program.h"
#include "program/unroll.h"
#include "tuning.h"

#include <string.h>

#define MOST_TOGETHER 32 /* spans that one block merges at once */

typedef struct plan {
  const ma_reduction *reduction;
  ma_fold_variant v;
  int64_t kept, span, nspan;
  bool together; /* one block does all spans of a result */
  bool grouped;  /* one block merges 8 spans of a result; reduce.cuh has the same 8 */
} plan;

static void print(ma_ctext *text, const void *what) {
  const ma_fold_source *source = what;
  ma_fold_print(text, source);
  ma_ctext_put(text, ma_embedded("warp_tree.cuh"));
  ma_ctext_put(text, ma_embedded("reduce.cuh"));
  if (!source->variant->brief) ma_ctext_put(text, ma_embedded("merge.cuh"));
}

static const ma_body *body_of(const void *what) {
  const ma_fold_source *source = what;
  return source->program->body ? ma_body_get(source->program->body) : NULL;
}

/* Entry points. With one span for each result there is nothing to merge. */
static const ma_cuda_family families[] = { { "reduce", { "reduce", "merge" }, print, body_of },
                                           { "reduce", { "reduce" }, print, body_of } };

/* ==== Choosing the walk ========================================================================================== */

static int widest_input(const ma_program *p) {
  int most = 1;
  for (int i = 0; i < p->ninput; i++)
    if (ma_dtypes[p->input_dtype[i]].itemsize > most) most = ma_dtypes[p->input_dtype[i]].itemsize;
  return most;
}

static void choose_wide(plan *p, int axis, int n) {
  const ma_reduction *r = p->reduction;
  for (int i = 0; i < r->program->ninput; i++)
    if (ma_fold_is_wide(&r->space, r->data, i + ma_fold_nresult(r->program),
                        ma_dtypes[r->program->input_dtype[i]].itemsize, axis, n))
      p->v.wide |= 1u << i;
}

static void choose_columns(plan *p) {
  const ma_reduction *r = p->reduction;
  int last = r->nkept - 1, columns = 16 / widest_input(r->program), partial = ma_fold_partial(r->op, r->program);
  int64_t run = r->space.shape[last];
  if (columns > 2) columns = 2;
  while (columns > 1 && (columns * partial > 32 || columns * 4 > run)) columns /= 2;
  p->v.columns = (uint8_t)columns;
  p->v.tx = 32;
  while (p->v.tx > 4 && (p->v.tx / 2 * columns >= run || p->kept / (p->v.tx * columns) * p->nspan < 200)) p->v.tx /= 2;
  choose_wide(p, last, columns);
}

/* Whether the kernel computes two leaves of an incomplete chunk at once. Such a kernel takes long to compile. It pays
** where a leaf is one long chain of dependent steps and such chunks have a sixteenth of the elements or more. Where
** full chunks are walked too, a position would not find the registers. */
static bool tail_at_once(const plan *p) {
  const ma_reduction *r = p->reduction;
  if (r->program->body) return false;
  if (r->op == MA_REDUCE_argmin || r->op == MA_REDUCE_argmax) return p->v.brief;
  return ma_fold_is_moments(r->op) &&
         (p->v.brief || p->v.segments || (r->count % RED_CHUNK && r->count < 16 * RED_CHUNK));
}

static void choose_rows(plan *p) {
  const ma_space *s = &p->reduction->space;
  if (p->v.brief) return; /* elements are read one by one */
  p->v.crosses = p->v.nreduced > 1 && s->shape[s->ndim - 1] % 4 != 0;
  if (p->v.crosses) return;
  choose_wide(p, s->ndim - 1, 4);
  for (int i = 0, first = ma_fold_nresult(p->reduction->program); i < p->reduction->program->ninput; i++)
    p->v.still |= (uint32_t)(s->stride[first + i][s->ndim - 1] == 0) << i;
}

static void choose(plan *p) {
  const ma_reduction *r = p->reduction;
  bool upright = ma_fold_is_upright(&r->space, ma_fold_nresult(r->program), r->nkept);
  p->kept = 1;
  for (int d = 0; d < r->nkept; d++) p->kept *= r->space.shape[d];
  p->span = red_span(p->kept, r->count) * RED_CHUNK;
  p->nspan = (r->count + p->span - 1) / p->span;
  memset(&p->v, 0, sizeof p->v);
  p->v.nkept = (uint8_t)r->nkept;
  if (!r->program->body) {
    p->v.op = (uint8_t)r->op;
    p->v.result = (uint8_t)r->result;
    p->v.initial = r->has_initial;
    p->v.narrow = ma_reduces[r->op].flags & MA_REDF_POSITION && r->count < INT32_MAX && r->result != MA_NDTYPE;
  }
  p->v.nreduced = (uint8_t)(r->space.ndim - r->nkept);
  if (r->starts) { /* a warp for each segment */
    p->v.segments = 1;
    p->v.walk = MA_FOLD_ROWS;
    p->v.tail = tail_at_once(p) ? 2 : 1;
    p->span = r->count;
    p->nspan = 1;
    p->together = p->grouped = false;
    return;
  }
  if (r->count == 0 || (r->count <= 32 && p->kept >= 512) || (upright && r->count <= 128 && p->kept >= 32768))
    p->v.walk = MA_FOLD_THREADS;
  else if (upright && r->space.shape[r->nkept - 1] >= 4) p->v.walk = MA_FOLD_COLUMNS;
  else p->v.walk = MA_FOLD_ROWS;
  p->v.brief = p->v.walk != MA_FOLD_COLUMNS && r->count < RED_CHUNK;
  if (p->v.walk == MA_FOLD_COLUMNS) choose_columns(p);
  if (p->v.walk == MA_FOLD_ROWS) {
    p->v.tail = tail_at_once(p) ? 2 : 1;
    choose_rows(p);
  }
  p->together = p->v.walk == MA_FOLD_ROWS && p->nspan > 1 && p->nspan <= MOST_TOGETHER;
  p->grouped = p->v.walk == MA_FOLD_ROWS && p->nspan > MOST_TOGETHER &&
               (p->kept == 1 || p->nspan % (MA_THREADS / 32) == 0);
}

/* ==== A row program ============================================================================================== */

/* Makes the row program of one stage that a plain reduction is. Returns false if the reduction is more than that. Only
** the parts of *to that count are written. */
static bool make_row_program(const ma_reduction *r, ma_row_program *to) {
  const ma_program *p = r->program;
  if (p->body || p->noutput > 1 || p->ninput == 0 || r->starts || r->has_initial || r->result == MA_NDTYPE ||
      r->space.ndim != r->nkept + 1 || r->count == 0)
    return false;
  ma_row_stage *stage = &to->stage[0];
  to->nstage = to->nfold = 1;
  to->nheld = to->result = 0;
  to->writes = to->ends = false;
  to->unread = 0;
  to->narray = p->ninput;
  memcpy(to->array, p->input_dtype, p->ninput);
  ma_program_clear(&stage->head.program); /* its scalars are the body's */
  stage->head.program.nscalar = p->nscalar;
  memcpy(stage->head.program.scalar_dtype, p->scalar_dtype, p->nscalar);
  ma_program_clone(&stage->body.program, p);
  for (int k = 0; k < p->ninput; k++) stage->body.from[k] = (ma_row_source){ MA_FROM_INPUT, (uint8_t)k };
  stage->result = MA_NOWHERE;
  to->fold[0] = (ma_row_fold){ (uint8_t)r->op, (uint8_t)ma_fold_value(p), (uint8_t)r->result, 0, 0, r->param };
  to->nkept = r->nkept;
  to->count = r->count;
  ma_space_copy(&to->space, &r->space);
  memcpy(to->data, r->data, (size_t)r->space.noperand * sizeof *r->data);
  memcpy(to->scalar, r->scalar, p->nscalar * sizeof *r->scalar);
  return true;
}

ma_status ma_cuda_reduce_source(const ma_reduction *r, int arch, char **source) {
  ma_row_program rows;
  plan p = { .reduction = r };
  if (make_row_program(r, &rows)) {
    MA_TRY(ma_cuda_rows_source(&rows, arch, source));
    if (*source) return MA_OK;
  }
  choose(&p);
  ma_fold_source what = { r->program, &p.v };
  return ma_cuda_source(&families[p.v.brief], &what, source);
}

/* ==== Launching ================================================================================================== */

static int64_t blocks_of(const plan *p, unsigned *threads) {
  const ma_reduction *r = p->reduction;
  int64_t units = p->kept * p->nspan, warps = MA_THREADS / 32;
  *threads = MA_THREADS;
  if (p->v.walk == MA_FOLD_THREADS) return (p->kept + MA_THREADS - 1) / MA_THREADS;
  if (p->v.walk == MA_FOLD_COLUMNS) {
    int64_t run = r->space.shape[r->nkept - 1], width = p->v.tx * p->v.columns;
    *threads = 512;
    return p->kept / run * ((run + width - 1) / width) * p->nspan;
  }
  if (p->together) {
    *threads = 32 * (unsigned)(p->nspan < 16 ? p->nspan : 16);
    return p->kept;
  }
  if (units < warps) *threads = 32 * (unsigned)units;
  return (units + warps - 1) / warps;
}

/* Walks the reduction. *ran becomes false if the finder finds no kernel. */
static ma_status walk(ma_stream *stream, const ma_reduction *r, ma_cuda_finder *find, bool *ran) {
  const ma_program *program = r->program;
  uint8_t key[sizeof(ma_fold_variant) + sizeof(ma_program)];
  const CUfunction *entry = NULL;
  ma_fold_params params;
  plan p = { .reduction = r };
  ma_buffer *partial = NULL;
  unsigned threads;
  MA_TRY(ma_cuda_enter(stream->device));
  choose(&p);
  memcpy(key, &p.v, sizeof p.v);
  size_t size = sizeof p.v + ma_program_key(program, key + sizeof p.v);
  ma_fold_source what = { program, &p.v };
  MA_TRY(find(ma_cuda_state(stream), &families[p.v.brief], key, size, &what, &entry));
  *ran = entry != NULL;
  if (!entry) return MA_OK;
  bool second = p.nspan > 1 && !p.together;
  int64_t npartial = p.grouped ? (p.nspan + MA_THREADS / 32 - 1) / (MA_THREADS / 32) : p.nspan;
  if (second) MA_TRY(ma_cuda_scratch(stream, (size_t)(p.kept * npartial * ma_fold_partial(r->op, program)), &partial));
  ma_fold_numbers numbers = { partial ? partial->ptr : NULL,
                              (void *)(uintptr_t)r->starts,
                              r->count,
                              p.kept,
                              p.span,
                              p.nspan,
                              r->space.shape[r->nkept - 1],
                              p.together | p.grouped << 2,
                              0,
                              program->body ? 0 : r->param,
                              p.v.initial ? &r->initial : NULL };
  ma_fold_pack(&params, program, r->scalar, &r->space, r->nkept, r->data, &numbers);
  if (program->body) ma_fold_pack_body(&params, r);
  int64_t blocks = blocks_of(&p, &threads);
  void *list[] = { params.bytes };
  const char *name = program->body ? ma_body_get(program->body)->name : ma_reduces[r->op].name;
  ma_status status = (program->body ? ma_cuda_launch_own : ma_cuda_launch)(
    stream, entry[0], (unsigned)blocks, threads, 0, list, name, ma_fold_bytes(program, &r->space, false));
  if (!second) return status;
  for (threads = 32; threads < 1024 && threads < npartial; threads *= 2) {}
  if (status == MA_OK) status = ma_cuda_launch(stream, entry[1], (unsigned)p.kept, threads, 0, list, "merge spans", 0);
  ma_buffer_release(partial);
  return status;
}

static ma_status reduce(ma_stream *stream, const ma_reduction *r, ma_cuda_finder *find, bool *ran) {
  ma_row_program rows;
  ma_rows_plan p;
  if (make_row_program(r, &rows) && ma_rows_choose(&rows, ma_cuda_state(stream)->arch, &p))
    return ma_rows_run(stream, &rows, &p, find, ran);
  if (ma_program_places(r->program)) return MA_ERR_LACK; /* what is reduced is computed before */
  return walk(stream, r, find, ran);
}

/* The exact form gives way to the general one. If there is neither, the error is about the exact form. */
static ma_status run(ma_stream *stream, const ma_reduction *r) {
  bool ran;
  MA_TRY(reduce(stream, r, ma_cuda_kernel_exact, &ran));
  if (!ran) MA_TRY(ma_reduce_run_general(stream, r, &ran));
  return ran ? MA_OK : reduce(stream, r, ma_cuda_kernel, &ran);
}

/* Whether the results are computed tile by tile, which reads each element of few once for a tile. */
static bool crosses(const ma_reduction *r, int arch) {
  ma_row_program rows;
  ma_rows_plan p;
  return r->count > 2 && make_row_program(r, &rows) && ma_rows_choose(&rows, arch, &p) && p.v.way == MA_ROWS_CROSS;
}

/* Whether an operand whose elements are each read once lies along rows of four elements or more. Row by row a warp then
** reads neighbours; an elementwise kernel would read each of them with those of other rows. */
static bool streams_along(const ma_reduction *r) {
  for (int k = ma_fold_nresult(r->program); k < r->space.noperand; k++) {
    const int64_t *stride = r->space.stride[k];
    bool streams = stride[r->nkept] && r->count >= 4;
    for (int d = 0; d < r->nkept; d++)
      if (r->space.shape[d] > 1 && ma_magnitude(stride[d]) <= ma_magnitude(stride[r->nkept])) streams = false;
    if (streams) return true;
  }
  return false;
}

/* Makes many sums of a few computed elements each one elementwise program. An elementwise kernel reads its operands in
** vectors and in their own order. */
static bool unroll(const ma_reduction *r, int arch, ma_program *program, ma_map *map) {
  int64_t kept = 1;
  for (int d = 0; d < r->nkept; d++) kept *= r->space.shape[d];
  return kept >= TUNE_UNROLL_RESULTS && r->program->ncode > 0 && !crosses(r, arch) && !streams_along(r) &&
         ma_reduction_unroll(r, program, map);
}

ma_status ma_cuda_reduce_run(ma_stream *stream, const ma_reduction *reduction) {
  ma_program program;
  ma_map map;
  if (unroll(reduction, ma_cuda_state(stream)->arch, &program, &map)) return ma_cuda_map_run(stream, &map);
  return run(stream, reduction);
}

ma_status ma_cuda_reduce_attempt(ma_stream *stream, const ma_reduction *reduction, bool *ran) {
  ma_program program;
  ma_map map;
  *ran = true;
  if (unroll(reduction, ma_cuda_state(stream)->arch, &program, &map)) return ma_cuda_map_attempt(stream, &map, ran);
  return reduction->program->body ? run(stream, reduction) : reduce(stream, reduction, ma_cuda_kernel_try, ran);
}
