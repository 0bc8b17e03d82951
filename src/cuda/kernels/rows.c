/*
** rows.c: row programs on a GPU (backend/rows.h): prints the kernel behind kernels/reduce/rows.cuh and launches it. A
** row that registers cannot hold is left to separate runs, unless its reductions do not depend on each other: then a
** warp takes a span of the row, and a second kernel merges the spans.
*/
#include "backend/rows.h"
#include "cuda/cuda.h"
#include "cuda/kernels/fold.h"

#include <stdio.h>
#include <string.h>

enum { BY_WARP, BY_BLOCK, BY_SPANS };

#define MOST_CHUNKS 32
#define WORDS 24 /* registers for all but the elements of a chunk */
#define SHORT_WORDS 160
#define BLOCK 256 /* threads, where a warp is by itself */

/* Everything that shapes the text beside the stages; compared as bytes, so cleared first. */
typedef struct variant {
  uint8_t way, j, whole, nkept, wide_out;
  uint16_t wide, threads; /* of a block, at most */
} variant;

typedef struct source {
  const ma_rows *rows;
  const variant *v;
} source;

typedef struct plan {
  variant v;
  int64_t nrow, span, nspan, chunks;
} plan;

static bool is_read(const ma_rows *rows, int array) {
  for (int t = 0; t < rows->nstage; t++)
    for (int k = 0; k < rows->stage[t].body.program.ninput; k++) {
      const ma_row_source *from = &rows->stage[t].body.from[k];
      if (from->kind == MA_FROM_INPUT && from->index == array) return true;
    }
  return false;
}

/* ==== Text ======================================================================================================= */

static void print_source(ma_ctext *text, const ma_rows *rows, int t, const ma_row_source *from, const char *suffix,
                         bool body) {
  int s = t;
  switch (from->kind) {
  case MA_FROM_INPUT:
    if (body) ma_ctext_add(text, "dt_%s::load(c%d[j].v[i])", suffix, from->index);
    else
      ma_ctext_add(text, "dt_%s::load(*(const dt_%s::mem *)r.at[%d])", suffix, suffix,
                   rows->nfold + rows->writes + from->index);
    break;
  case MA_FROM_FOLD: ma_ctext_add(text, "w%d", from->index); break;
  case MA_FROM_HEAD: ma_ctext_add(text, "h%d_%d", t, from->index); break;
  default:
    while (s > 0 && rows->stage[s].held[from->index] == MA_NOWHERE) s--;
    ma_ctext_add(text, "o%d_%d[j][i]", s, rows->stage[s].held[from->index]);
  }
}

static const char *suffix_of(const ma_program *program, int reg) {
  return ma_cuda_suffix(ma_program_dtype(program, reg));
}

/* Calls the program of a stage. */
static void print_call(ma_ctext *text, const ma_rows *rows, int t, bool body) {
  const ma_row_program *p = body ? &rows->stage[t].body : &rows->stage[t].head;
  ma_ctext_add(text, "%s%d(p.s", body ? "body" : "head", t);
  for (int k = 0; k < p->program.ninput; k++) {
    ma_ctext_put(text, ", ");
    print_source(text, rows, t, &p->from[k], suffix_of(&p->program, k), body);
  }
  for (int k = 0; k < p->program.noutput; k++) ma_ctext_add(text, body ? ", o%d_%d[j][i]" : ", h%d_%d", t, k);
  ma_ctext_put(text, ");\n");
}

static void print_head(ma_ctext *text, const ma_rows *rows, int t) {
  const ma_program *p = &rows->stage[t].head.program;
  if (!p->noutput) return;
  for (int k = 0; k < p->noutput; k++) ma_ctext_add(text, "  dt_%s::reg h%d_%d;\n", suffix_of(p, p->output[k]), t, k);
  ma_ctext_put(text, "  ");
  print_call(text, rows, t, false);
}

static void print_loads(ma_ctext *text, const ma_rows *rows, const variant *v) {
  for (int k = 0; k < rows->narray; k++) {
    int operand = rows->nfold + rows->writes + k;
    if (!is_read(rows, k)) continue;
    ma_ctext_add(text, "  pack<dt_%s::mem, 4> c%d[J];\n", ma_cuda_suffix((ma_dtype)rows->array[k]), k);
    ma_ctext_add(text,
                 "  EACH_J take<%d>(c%d[j], r.at[%d] + (i8)(first + j * 128 + lane * 4) * p.step[%d], p.step[%d], "
                 "n - j * 128 - lane * 4);\n",
                 v->wide >> k & 1, k, operand, operand, operand);
  }
}

static void print_body(ma_ctext *text, const ma_rows *rows, int t) {
  const ma_program *p = &rows->stage[t].body.program;
  for (int k = 0; k < p->noutput; k++)
    ma_ctext_add(text, "  dt_%s::reg o%d_%d[J][4];\n", suffix_of(p, p->output[k]), t, k);
  ma_ctext_put(text, "  EACH_J EACH_I ");
  print_call(text, rows, t, true);
}

static void print_result(ma_ctext *text, const ma_rows *rows, const variant *v) {
  int t = rows->nstage - 1, at = rows->nfold;
  const char *suffix = ma_cuda_suffix((ma_dtype)rows->result);
  if (!rows->writes) return;
  ma_ctext_add(
    text,
    "  EACH_J {\n    pack<dt_%s::mem, 4> q;\n    EACH_I q.v[i] = dt_%s::store(o%d_%d[j][i]);\n"
    "    put<%d>(q, r.at[%d] + (i8)(first + j * 128 + lane * 4) * p.step[%d], p.step[%d], n - j * 128 - lane * "
    "4);\n  }\n",
    suffix, suffix, t, rows->stage[t].result, v->wide_out, at, at, at);
}

static void print_folds(ma_ctext *text, const ma_rows *rows, const variant *v, int t) {
  bool block = v->way == BY_BLOCK;
  for (int k = 0; k < rows->nfold; k++) {
    if (rows->fold[k].stage != t) continue;
    if (block) ma_ctext_add(text, "  __shared__ f%d::red_acc part%d[%d];\n", k, k, v->threads / 32);
    ma_ctext_add(text, "  const f%d::red_acc a%d = f%d::chunk<WHOLE_ROWS, J>(o%d_%d, first, n);\n", k, k, k, t,
                 rows->fold[k].output);
    if (block) ma_ctext_add(text, "  if (lane == 0) part%d[warp] = a%d;\n", k, k);
  }
  if (block) ma_ctext_put(text, "  __syncthreads();\n");
  for (int k = 0; k < rows->nfold; k++) {
    if (rows->fold[k].stage != t) continue;
    ma_ctext_add(text, "  const f%d::result::reg w%d = ", k, k);
    if (block)
      ma_ctext_add(text, "f%d::finish_row(part%d, blockDim.x >> 5, (int)p.span, (i8)p.count, p.param[%d]);\n", k, k, k);
    else ma_ctext_add(text, "f%d::finish(a%d, (i8)p.count, p.param[%d]);\n", k, k, k);
    ma_ctext_add(text, "  if (%s == 0) *(f%d::result::mem *)r.at[%d] = f%d::result::store(w%d);\n",
                 block ? "threadIdx.x" : "lane", k, k, k, k);
  }
}

static void print_rows(ma_ctext *text, const ma_rows *rows, const variant *v) {
  ma_ctext_add(text, "MA_KERNEL __launch_bounds__(%d) rows(const params p) {\n", v->threads);
  ma_ctext_put(text, "  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;\n");
  if (v->way == BY_WARP)
    ma_ctext_put(text, "  const u8 k = (u8)blockIdx.x * (blockDim.x >> 5) + warp;\n  if (k >= p.kept) return;\n"
                       "  const int first = 0, n = (int)p.count;\n");
  else
    ma_ctext_put(text, "  const u8 k = blockIdx.x;\n  const int first = warp * RED_CHUNK;\n"
                       "  const int n = (int)p.count - first < RED_CHUNK ? (int)p.count - first : RED_CHUNK;\n");
  ma_ctext_put(text, "  const row r = row_at(p, k);\n");
  print_loads(text, rows, v);
  for (int t = 0; t < rows->nstage; t++) {
    print_head(text, rows, t);
    print_body(text, rows, t);
    print_folds(text, rows, v, t);
  }
  print_result(text, rows, v);
  ma_ctext_put(text, "}\n");
}

/* A warp folds a span of a row; a block merges the spans of a row. */
static void print_spans(ma_ctext *text, const ma_rows *rows, const variant *v) {
  ma_ctext_add(text, "MA_KERNEL __launch_bounds__(%d) rows(const params p) {\n", v->threads);
  ma_ctext_put(text, "  const int lane = threadIdx.x & 31;\n"
                     "  const u8 unit = (u8)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);\n"
                     "  if (unit >= p.kept * p.nspan) return;\n"
                     "  u8 s;\n  const row r = row_at(p, split(unit, p.nspan, s));\n"
                     "  const u8 begin = s * p.span * RED_CHUNK, behind = begin + p.span * RED_CHUNK;\n"
                     "  const u8 end = behind < p.count ? behind : p.count;\n");
  print_head(text, rows, 0);
  for (int k = 0; k < rows->nfold; k++) ma_ctext_add(text, "  f%d::red_acc t%d;\n", k, k);
  ma_ctext_put(text, "#pragma unroll 1\n  for (u8 first = begin; first < end; first += RED_CHUNK) {\n"
                     "  const int n = end - first < RED_CHUNK ? (int)(end - first) : RED_CHUNK;\n");
  print_loads(text, rows, v);
  print_body(text, rows, 0);
  for (int k = 0; k < rows->nfold; k++) {
    ma_ctext_add(text, "  const f%d::red_acc a%d = f%d::chunk<WHOLE_ROWS, J>(o0_%d, (i8)first, n);\n", k, k, k,
                 rows->fold[k].output);
    ma_ctext_add(text, "  t%d = first == begin ? a%d : f%d::red_merge(t%d, a%d);\n", k, k, k, k, k);
  }
  ma_ctext_put(text, "  }\n  if (lane) return;\n");
  for (int k = 0; k < rows->nfold; k++) ma_ctext_add(text, "  ((f%d::red_acc *)p.partial[%d])[unit] = t%d;\n", k, k, k);
  ma_ctext_put(text, "}\nMA_KERNEL __launch_bounds__(1024) merge(const params p) {\n"
                     "  __shared__ uint4 room[(RED_SPANS / 32 + RED_SPANS / 1024 + 1) * 2];\n"
                     "  const row r = row_at(p, blockIdx.x);\n");
  for (int k = 0; k < rows->nfold; k++)
    ma_ctext_add(text,
                 "  f%d::finish_spans((const f%d::red_acc *)p.partial[%d] + blockIdx.x * p.nspan, (int)p.nspan, "
                 "(f%d::red_acc *)room, r.at[%d], (i8)p.count, p.param[%d]);\n  __syncthreads();\n",
                 k, k, k, k, k, k);
  ma_ctext_put(text, "}\n");
}

static void print(ma_ctext *text, const void *what) {
  const source *s = what;
  const ma_rows *rows = s->rows;
  const ma_program *program[2 * MA_MAX_STAGES];
  char name[2 * MA_MAX_STAGES][8];
  int n = 0;
  for (int t = 0; t < rows->nstage; t++) {
    program[n] = &rows->stage[t].head.program;
    memcpy(name[n], "head0", sizeof "head0");
    name[n++][4] = (char)('0' + t);
    program[n] = &rows->stage[t].body.program;
    memcpy(name[n], "body0", sizeof "body0");
    name[n++][4] = (char)('0' + t);
  }
  ma_print_programs(text, n, program, (const char(*)[8])name);
  ma_ctext_add(text, "#define OPERANDS %d\n#define KEPT %d\n#define FOLDS %d\n#define J %d\n#define WHOLE_ROWS %d\n",
               rows->space.noperand, s->v->nkept, rows->nfold, s->v->j, s->v->whole);
  ma_ctext_put(text, "#define RED_POSITION int\n#define EACH_J _Pragma(\"unroll\") for (int j = 0; j < J; j++)\n"
                     "#define EACH_I _Pragma(\"unroll\") for (int i = 0; i < 4; i++)\n");
  ma_ctext_put(text, ma_embedded("reduce.h"));
  ma_ctext_put(text, ma_embedded("rows.cuh"));
  for (int k = 0; k < rows->nfold; k++) {
    const ma_row_fold *fold = &rows->fold[k];
    ma_ctext_add(text, "namespace f%d {\n", k);
    ma_fold_print_monoid(text, (ma_reduce_op)fold->op, (ma_dtype)fold->value, (ma_dtype)fold->result, false);
    ma_ctext_put(text, ma_embedded("warp_tree.cuh"));
    ma_ctext_put(text, ma_embedded("rows_fold.cuh"));
    ma_ctext_put(text, "}\n");
  }
  (s->v->way == BY_SPANS ? print_spans : print_rows)(text, rows, s->v);
}

static const ma_cuda_family families[] = { { "rows", { "rows" }, print, NULL },
                                           { "rows", { "rows", "merge" }, print, NULL } };

/* ==== The way ==================================================================================================== */

/* Registers that a thread needs for its elements. */
static int words_of(const ma_rows *rows, int j) {
  int bytes = 0;
  for (int k = 0; k < rows->narray; k++) bytes += is_read(rows, k) ? ma_dtypes[rows->array[k]].itemsize : 0;
  for (int k = 0; k < rows->nheld; k++) bytes += ma_dtypes[rows->held[k]].regsize;
  return bytes * j;
}

static bool choose_way(const ma_rows *rows, plan *p) {
  bool alone = rows->nstage == 1 && !rows->writes;
  variant *v = &p->v;
  v->j = 8;
  while (rows->count <= 64 * v->j && v->j > 1) v->j /= 2;
  int words = words_of(rows, v->j);
  v->way = BY_WARP;
  v->threads = BLOCK;
  if (rows->count <= RED_CHUNK) return words <= SHORT_WORDS;
  v->way = BY_BLOCK;
  v->threads = p->chunks <= 8 ? 256 : p->chunks <= 16 ? 512 : 1024;
  if (p->chunks <= MOST_CHUNKS && words + WORDS <= (v->threads == 256 ? 232 : 65536 / v->threads)) return true;
  v->way = BY_SPANS;
  v->threads = BLOCK;
  return alone && words <= SHORT_WORDS;
}

static bool choose(const ma_rows *rows, plan *p) {
  memset(p, 0, sizeof *p);
  p->nrow = 1;
  for (int d = 0; d < rows->nkept; d++) p->nrow *= rows->space.shape[d];
  p->chunks = (rows->count + RED_CHUNK - 1) / RED_CHUNK;
  p->span = red_span(p->nrow, rows->count);
  p->nspan = (p->chunks + p->span - 1) / p->span;
  p->v.nkept = (uint8_t)rows->nkept;
  p->v.whole = rows->count % RED_CHUNK == 0;
  for (int k = 0; k < rows->nfold; k++)
    if (rows->fold[k].op == MA_REDUCE_logaddexp) return false; /* too much text */
  if (rows->count > INT32_MAX || p->nrow * p->nspan > INT32_MAX || !choose_way(rows, p)) return false;
  int first = rows->nfold + rows->writes;
  for (int k = 0; k < rows->narray; k++)
    if (ma_fold_is_wide(&rows->space, rows->data, first + k, ma_dtypes[rows->array[k]].itemsize, rows->nkept, 4))
      p->v.wide |= (uint16_t)(1u << k);
  p->v.wide_out = rows->writes && ma_fold_is_wide(&rows->space, rows->data, rows->nfold,
                                                  ma_dtypes[rows->result].itemsize, rows->nkept, 4);
  return true;
}

/* ==== The launch ================================================================================================= */

#define MOST_KEY (64 + MA_MAX_STAGES * 2 * (sizeof(ma_program) + 40) + MA_MAX_FOLDS * 8)

static size_t put_key(uint8_t *key, const void *bytes, size_t size) {
  memcpy(key, bytes, size);
  return size;
}

static size_t make_key(uint8_t *key, const ma_rows *rows, const variant *v) {
  size_t n = put_key(key, v, sizeof *v);
  const uint8_t counts[] = { (uint8_t)rows->nstage, (uint8_t)rows->nfold, (uint8_t)rows->nheld,
                             (uint8_t)rows->narray, rows->writes,         rows->result };
  n += put_key(key + n, counts, sizeof counts);
  n += put_key(key + n, rows->array, (size_t)rows->narray);
  for (int t = 0; t < rows->nstage; t++) {
    const ma_row_stage *stage = &rows->stage[t];
    const ma_row_program *p[] = { &stage->head, &stage->body };
    for (int k = 0; k < 2; k++) {
      n += ma_program_key(&p[k]->program, key + n);
      n += put_key(key + n, p[k]->from, p[k]->program.ninput * sizeof *p[k]->from);
    }
    n += put_key(key + n, stage->held, (size_t)rows->nheld);
    n += put_key(key + n, &stage->result, 1);
  }
  for (int k = 0; k < rows->nfold; k++) n += put_key(key + n, &rows->fold[k], offsetof(ma_row_fold, param));
  return n;
}

typedef struct packed { /* `struct params` of rows.cuh */
  char bytes[MA_MAX_SCALARS * 16 + (MA_MAX_OPERANDS * (2 + MA_MAX_NDIM) + MA_MAX_NDIM + 4 + 2 * MA_MAX_FOLDS) * 8]
    __attribute__((aligned(16)));
} packed;

static void pack(packed *to, const ma_rows *rows, const plan *p, ma_buffer *const *partial) {
  char *at = to->bytes + ma_pack_scalars(&rows->stage[0].body.program, rows->scalar, to->bytes);
#define PUT(value, size) (memcpy(at, value, size), at += (size))
  int n = rows->space.noperand;
  PUT(rows->data, (size_t)n * 8);
  for (int k = 0; k < n; k++) PUT(&rows->space.stride[k][rows->nkept], 8);
  for (int k = 0; k < n; k++) PUT(rows->space.stride[k], (size_t)rows->nkept * 8);
  PUT(rows->space.shape, (size_t)rows->nkept * 8);
  const int64_t numbers[] = { p->nrow, rows->count, p->span, p->nspan };
  PUT(numbers, sizeof numbers);
  for (int k = 0; k < rows->nfold; k++) {
    const void *memory = partial[k] ? partial[k]->ptr : NULL;
    PUT(&memory, 8);
  }
  for (int k = 0; k < rows->nfold; k++) PUT(&rows->fold[k].param, 8);
#undef PUT
}

static int64_t bytes_of(const ma_rows *rows) {
  int64_t total = 0;
  for (int k = rows->nfold; k < rows->space.noperand; k++) {
    int array = k - rows->nfold - rows->writes;
    int64_t bytes = ma_dtypes[array < 0 ? rows->result : rows->array[array]].itemsize;
    for (int d = 0; d < rows->space.ndim; d++)
      if (rows->space.stride[k][d]) bytes *= rows->space.shape[d];
    total += bytes;
  }
  return total;
}

static ma_status launch(ma_stream *stream, const ma_rows *rows, const plan *p, const CUfunction *entry,
                        ma_buffer *const *partial) {
  packed params;
  void *list[] = { params.bytes };
  int64_t warps = BLOCK / 32, units = p->v.way == BY_SPANS ? p->nrow * p->nspan : p->nrow;
  int64_t blocks = p->v.way == BY_BLOCK ? units : (units + warps - 1) / warps;
  unsigned threads = p->v.way == BY_BLOCK ? (unsigned)p->chunks * 32 : units < warps ? (unsigned)units * 32 : BLOCK;
  pack(&params, rows, p, partial);
  MA_TRY(ma_cuda_launch(stream, entry[0], (unsigned)blocks, threads, 0, list, "row program", bytes_of(rows)));
  if (p->v.way != BY_SPANS) return MA_OK;
  for (threads = 32; threads < 1024 && threads < p->nspan; threads *= 2) {}
  return ma_cuda_launch(stream, entry[1], (unsigned)p->nrow, threads, 0, list, "merge spans", 0);
}

ma_status ma_cuda_rows(ma_stream *stream, const ma_rows *rows, bool *ran) {
  uint8_t key[MOST_KEY];
  const CUfunction *entry = NULL;
  ma_buffer *partial[MA_MAX_FOLDS] = { NULL };
  ma_status status = MA_OK;
  plan p;
  *ran = false;
  if (!choose(rows, &p)) return MA_OK;
  MA_TRY(ma_cuda_enter(stream->device));
  source what = { rows, &p.v };
  MA_TRY(ma_cuda_kernel_try(ma_cuda_state(stream), &families[p.v.way == BY_SPANS], key, make_key(key, rows, &p.v),
                            &what, &entry));
  if (!entry) return MA_OK;
  for (int k = 0; k < rows->nfold && status == MA_OK && p.v.way == BY_SPANS; k++) {
    int size = ma_fold_partial_of((ma_reduce_op)rows->fold[k].op, (ma_dtype)rows->fold[k].value, false);
    status = ma_cuda_scratch(stream, (size_t)(p.nrow * p.nspan * size), &partial[k]);
  }
  if (status == MA_OK) status = launch(stream, rows, &p, entry, partial);
  for (int k = 0; k < rows->nfold; k++)
    if (partial[k]) ma_buffer_release(partial[k]);
  *ran = status == MA_OK;
  return status;
}

ma_status ma_cuda_rows_source(const ma_rows *rows, char **text) {
  plan p;
  ma_ctext made = { 0 };
  *text = NULL;
  if (!choose(rows, &p)) return MA_OK;
  const source what = { rows, &p.v };
  ma_cuda_print(&made, &families[p.v.way == BY_SPANS], &what);
  if (made.failed) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text");
  *text = made.bytes;
  return MA_OK;
}
