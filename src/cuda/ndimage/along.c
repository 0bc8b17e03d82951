/* along.c: filters over a few neighbours along one axis on a GPU, and over many by blocks. */
#include "cuda/ndimage/filter.h"

#include <string.h>

#define BIG ((int64_t)1 << 31)

/* Everything that the text depends on; compared as bytes. */
typedef struct variant {
  uint8_t from, to, compute, op, count, last_first, mode, big, results, rows;
  int8_t symmetry;
} variant;

/* ==== What filters share ========================================================================================= */

const char *ma_cuda_compute_name(ma_dtype compute) {
  return compute == MA_FLOAT32 ? "float" : compute == MA_FLOAT64 ? "double" : compute == MA_INT64 ? "i8" : "u8";
}

void ma_cuda_filter_head(ma_ctext *text, ma_dtype from, ma_dtype to, ma_dtype compute) {
  bool whole = compute == MA_INT64 || compute == MA_UINT64; /* elements are only compared and moved */
  ma_ctext_put(text, ma_embedded("edge.h"));
  ma_ctext_add(text, "typedef dt_%s image;\ntypedef dt_%s result;\ntypedef %s T;\n", ma_cuda_suffix(from),
               ma_cuda_suffix(to), ma_cuda_compute_name(compute));
  if (whole) ma_ctext_put(text, "#define CUT(x) (x)\n");
  else ma_ctext_add(text, "#define CUT(x) ma_cut_%s((double)(x))\n", ma_cuda_suffix(to));
}

ma_status ma_cuda_filter_blocks(int64_t threads, int64_t per_block, unsigned *blocks) {
  int64_t count = (threads + per_block - 1) / per_block;
  if (count > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld elements; too many for one launch", (long long)threads);
  *blocks = (unsigned)count;
  return MA_OK;
}

/* ==== Few neighbours ============================================================================================= */

static void print_along(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_filter_head(text, (ma_dtype)v->from, (ma_dtype)v->to, (ma_dtype)v->compute);
  ma_ctext_add(text, "#define W %d\n#define R %d\n#define OP %d\n#define SYMMETRY %d\n", v->count, v->results, v->op,
               v->symmetry);
  ma_ctext_add(text, "#define LAST_FIRST %d\n#define MODE %d\n#define BIG %d\n", v->last_first, v->mode, v->big);
  /* with other dtypes an exact mean that is a whole number could be cut off below it */
  bool narrow = v->to == MA_FLOAT32 || v->to == MA_FLOAT16 || v->to == MA_BFLOAT16;
  ma_ctext_put(text, narrow ? "#define MEAN(sum) ((sum) * (1.0 / W))\n" : "#define MEAN(sum) ((sum) / W)\n");
  ma_ctext_put(text, ma_embedded("along.cuh"));
}

static const ma_cuda_family rows_family = { "filter_rows", { "rows" }, print_along, NULL };
static const ma_cuda_family columns_family = { "filter_columns", { "columns" }, print_along, NULL };

static variant variant_of(const ma_along *a) {
  variant v;
  int size = ma_dtypes[a->compute].itemsize;
  memset(&v, 0, sizeof v);
  v.from = (uint8_t)a->from_dtype;
  v.to = (uint8_t)a->to_dtype;
  v.compute = (uint8_t)a->compute;
  v.op = (uint8_t)a->op;
  v.count = (uint8_t)a->count;
  v.symmetry = (int8_t)a->symmetry;
  v.last_first = a->last_first;
  v.mode = (uint8_t)a->mode;
  v.big = a->outer * a->n * a->inner + a->count >= BIG;
  v.rows = a->inner == 1 && a->n >= MA_THREADS;
  v.results = (uint8_t)(v.rows ? 16 / size : 32 / size); /* rows: a pack of 16 bytes */
  return v;
}

ma_status ma_cuda_along(ma_stream *stream, const ma_along *a) {
  variant v = variant_of(a);
  const CUfunction *entry;
  unsigned blocks = 0;
  struct {
    const void *from;
    void *to;
    uint64_t n, inner, pieces, threads;
    int64_t before;
    double cval;
    union {
      double wide[MA_ALONG_MOST];
      float narrow[MA_ALONG_MOST];
    } weight;
  } job = { a->from, a->to, (uint64_t)a->n, (uint64_t)a->inner, 0, 0, a->before, a->cval, { { 0 } } };
  int64_t piece = v.rows ? (int64_t)MA_THREADS * v.results : v.results;
  job.pieces = (uint64_t)((a->n + piece - 1) / piece);
  job.threads = (uint64_t)(a->outer * a->inner) * job.pieces;
  for (int k = 0; a->weight && k < a->count; k++)
    if (a->compute == MA_FLOAT32) job.weight.narrow[k] = (float)a->weight[k];
    else job.weight.wide[k] = a->weight[k];
  MA_TRY(ma_cuda_filter_blocks((int64_t)job.threads, v.rows ? 1 : MA_THREADS, &blocks));
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), v.rows ? &rows_family : &columns_family, &v, sizeof v, &v, &entry));
  return ma_cuda_launch(stream, entry[0], blocks, MA_THREADS, 0, (void *[]){ &job }, "filter along an axis",
                        a->outer * a->n * a->inner *
                          (ma_dtypes[a->from_dtype].itemsize + ma_dtypes[a->to_dtype].itemsize));
}

ma_status ma_cuda_along_source(const ma_along *a, char **source) {
  variant v = variant_of(a);
  return ma_cuda_source(v.rows ? &rows_family : &columns_family, &v, source);
}

/* ==== Many neighbours ============================================================================================ */

static void print_blocks(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_filter_head(text, (ma_dtype)v->from, (ma_dtype)v->to, (ma_dtype)v->compute);
  ma_ctext_add(text, "#define OP %d\n#define MODE %d\n", v->op, v->mode);
  ma_ctext_put(text, ma_embedded("blocks.cuh"));
}

static const ma_cuda_family blocks_family = { "filter_blocks", { "run_blocks", "join_blocks" }, print_blocks, NULL };

static variant blocks_variant(const ma_line_filter *f) {
  variant v;
  memset(&v, 0, sizeof v);
  v.from = (uint8_t)f->from_dtype;
  v.to = (uint8_t)f->to_dtype;
  v.compute = (uint8_t)f->compute;
  v.op = (uint8_t)f->op;
  v.mode = (uint8_t)f->mode;
  return v;
}

static ma_status by_blocks(ma_stream *stream, const ma_line_filter *f) {
  variant v = blocks_variant(f);
  const CUfunction *entry;
  ma_buffer *memory;
  unsigned blocks = 0, results = 0;
  int64_t m = f->n + f->size - 1, lines = f->outer * f->inner, count = (m + f->size - 1) / f->size;
  size_t half = (size_t)(lines * m) * ma_dtypes[f->compute].itemsize;
  struct {
    const void *from;
    void *to, *begin, *end;
    int64_t outer, n, inner, size, before, total;
    double cval;
  } job = { f->from, f->to, NULL, NULL, f->outer, f->n, f->inner, f->size, f->before, lines * f->n, f->cval };
  MA_TRY(ma_cuda_filter_blocks(lines * count, MA_THREADS, &blocks));
  MA_TRY(ma_cuda_filter_blocks(job.total, MA_THREADS, &results));
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &blocks_family, &v, sizeof v, &v, &entry));
  MA_TRY(ma_cuda_scratch(stream, 2 * half, &memory));
  job.begin = memory->ptr;
  job.end = (char *)memory->ptr + half;
  ma_status status = ma_cuda_launch(stream, entry[0], blocks, MA_THREADS, 0, (void *[]){ &job }, "blocks of a filter",
                                    (int64_t)(2 * half));
  if (status == MA_OK)
    status = ma_cuda_launch(stream, entry[1], results, MA_THREADS, 0, (void *[]){ &job }, "line filter",
                            (int64_t)(2 * half));
  ma_buffer_release(memory);
  return status;
}

static ma_along few(const ma_line_filter *f) {
  return (ma_along){ .op = f->op,
                     .from_dtype = f->from_dtype,
                     .to_dtype = f->to_dtype,
                     .compute = f->compute,
                     .outer = f->outer,
                     .n = f->n,
                     .inner = f->inner,
                     .count = (int)f->size,
                     .mode = f->mode,
                     .before = f->before,
                     .cval = f->cval,
                     .from = f->from,
                     .to = f->to };
}

ma_status ma_cuda_filter_line(ma_stream *stream, const ma_line_filter *f) {
  if (f->size > MA_ALONG_MOST) return by_blocks(stream, f);
  ma_along a = few(f);
  return ma_cuda_along(stream, &a);
}

ma_status ma_cuda_line_source(const ma_line_filter *f, char **source) {
  ma_along a = few(f);
  if (f->size <= MA_ALONG_MOST) return ma_cuda_along_source(&a, source);
  variant v = blocks_variant(f);
  return ma_cuda_source(&blocks_family, &v, source);
}
