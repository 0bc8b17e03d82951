/* tiles.c: products of matrices by kernels of our own: of integers, and of all where cuBLAS is not. A tile of the
** result is as large as there are tiles for all of a GPU; few tiles of long sums are divided among more blocks. What is
** chosen depends on the shapes alone, so that all cards give the same bits. */
#include "cuda/cuda.h"

#include "backend/linalg.h"
#include "tuning.h"

#include <inttypes.h>

typedef enum form { WIDE, SMALL, THIN, NFORM } form;

/* What the text is specialised by; the head of tiles.cuh says what these are. */
typedef struct variant {
  uint8_t dtype, rows, columns, depth, a_along, b_along;
} variant;

/* By the bytes of a sum: 4, 8, 16. */
static const struct {
  uint8_t rows, columns, depth;
} forms[NFORM][3] = { [WIDE] = { { 8, 8, 8 }, { 8, 4, 8 }, { 4, 4, 8 } },
                      [SMALL] = { { 4, 4, 16 }, { 4, 2, 16 }, { 2, 2, 8 } },
                      [THIN] = { { 8, 1, 16 }, { 8, 1, 8 }, { 4, 1, 8 } } };

/* The same structs are in kernels/linalg/tiles.cuh. */
typedef struct operand {
  const void *at;
  int64_t edge, edge_step, k_step, depth_step, batch_step;
  uint32_t whole;
} operand;
typedef struct product {
  void *c, *partial;
  operand a, b;
  int64_t row, column, batch_step, k;
  uint32_t down, across, parts, part, whole;
} product;

static void print_tiles(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_ctext_add(text,
               "typedef dt_%s dt;\n#define ROWS %d\n#define COLUMNS %d\n#define DEPTH %d\n#define A_ALONG %d\n"
               "#define B_ALONG %d\n",
               ma_cuda_suffix((ma_dtype)v->dtype), v->rows, v->columns, v->depth, v->a_along, v->b_along);
  ma_ctext_put(text, ma_embedded("tiles.cuh"));
}

static const ma_cuda_family family = { "product_tiles", { "multiply_tiles", "add_parts" }, print_tiles, NULL };

static int64_t sum_bytes(ma_dtype dtype) { return ma_dtypes[dtype].itemsize < 4 ? 4 : ma_dtypes[dtype].itemsize; }

static variant variant_of(ma_dtype dtype, form f, bool a_along, bool b_along) {
  int which = sum_bytes(dtype) == 4 ? 0 : sum_bytes(dtype) == 8 ? 1 : 2;
  /* Sums of integers wrap, so one text serves those with a sign and those without. */
  if (dtype == MA_INT32) dtype = MA_UINT32;
  if (dtype == MA_INT64) dtype = MA_UINT64;
  return (variant){ (uint8_t)dtype, forms[f][which].rows, forms[f][which].columns, forms[f][which].depth, a_along,
                    b_along };
}

ma_status ma_cuda_tiles_source(ma_dtype dtype, int which, char **source) {
  if (which >= NFORM * 4) {
    *source = NULL;
    return MA_OK;
  }
  variant v = variant_of(dtype, (form)(which / 4), which & 1, which >> 1 & 1);
  return ma_cuda_source(&family, &v, source);
}

static int64_t up(int64_t n, int64_t by) { return (n + by - 1) / by; }

static bool is_whole(const void *at, ma_dtype dtype, int64_t step, int64_t batch_step) {
  int64_t item = ma_dtypes[dtype].itemsize;
  return (((int64_t)(uintptr_t)at | step * item | batch_step * item) & 15) == 0;
}

/* Operand `which` with its rows or columns as its edge. One of its steps is 1. */
static operand operand_of(const ma_matmul *g, int which, bool of_rows, char *const *data, const int64_t *step) {
  int64_t row = g->row[which], column = g->column[which];
  operand x = { .at = data[which],
                .edge = of_rows ? g->m : g->n,
                .edge_step = of_rows ? row : column,
                .k_step = of_rows ? column : row,
                .batch_step = step[which] };
  int64_t across = x.k_step != 1 ? x.k_step : x.edge > 1 ? x.edge_step : 0;
  x.whole = (x.k_step == 1 || x.edge_step == 1) && is_whole(x.at, g->dtype, across, x.batch_step);
  return x;
}

/* The product, or else the transposed one, so that columns of the result are neighbours or few. */
static product arrange(const ma_matmul *g, char *const *data, const int64_t *step) {
  bool turned = g->column[0] != 1;
  if (g->m <= MA_TILE_SIDE && g->n > MA_TILE_SIDE) turned = true;
  else if (g->n <= MA_TILE_SIDE) turned = false;
  product p = { .c = data[0],
                .a = turned ? operand_of(g, 2, false, data, step) : operand_of(g, 1, true, data, step),
                .b = turned ? operand_of(g, 1, true, data, step) : operand_of(g, 2, false, data, step),
                .row = turned ? g->column[0] : g->row[0],
                .column = turned ? g->row[0] : g->column[0],
                .batch_step = step[0],
                .k = g->k };
  p.whole = p.column == 1 && is_whole(p.c, g->dtype, p.row, p.batch_step);
  return p;
}

/* Chooses the size of tiles, and into how many parts k is divided. */
static variant divide(const ma_matmul *g, product *p, int64_t count) {
  bool thin = p->b.edge <= MA_TILE_SIDE;
  int64_t most = (int64_t)1 << 30, parts, blocks;
  variant v;
  for (form f = thin ? THIN : WIDE;; f = SMALL) {
    v = variant_of(g->dtype, f, p->a.k_step == 1, p->b.k_step == 1);
    p->down = (uint32_t)up(p->a.edge, v.rows * MA_TILE_SIDE);
    p->across = (uint32_t)up(p->b.edge, v.columns * MA_TILE_SIDE);
    blocks = (int64_t)p->down * p->across * count;
    if (f != WIDE || blocks >= TUNE_PRODUCT_BLOCKS / 2) break;
  }
  parts = up(TUNE_PRODUCT_BLOCKS, blocks);
  if (parts > up(p->k, TUNE_PRODUCT_PART)) parts = up(p->k, TUNE_PRODUCT_PART);
  if (parts < up(p->k, most)) parts = up(p->k, most);
  p->a.depth_step = v.depth * p->a.k_step;
  p->b.depth_step = v.depth * p->b.k_step;
  p->part = (uint32_t)(up(up(p->k, parts), v.depth) * v.depth);
  p->parts = (uint32_t)up(p->k, p->part);
  return v;
}

/* As many of the batch as one launch may have blocks. */
static ma_status launch(ma_stream *stream, const ma_matmul *g, product *p, const CUfunction *entry, int64_t count) {
  const int64_t item = ma_dtypes[g->dtype].itemsize, size = p->a.edge * p->b.edge;
  uint64_t total = (uint64_t)(size * count);
  ma_buffer *partial = NULL;
  if (p->parts > 1) {
    MA_TRY(ma_cuda_scratch(stream, (size_t)total * p->parts * (size_t)sum_bytes(g->dtype), &partial));
    p->partial = partial->ptr;
  }
  ma_status status = ma_cuda_launch(stream, entry[0], (unsigned)(p->down * p->across * p->parts * count),
                                    MA_TILE_SIDE * MA_TILE_SIDE, 0, (void *[]){ p }, "matmul",
                                    ((p->a.edge + p->b.edge) * p->k + size) * count * item);
  if (status == MA_OK && partial)
    status = ma_cuda_launch(stream, entry[1], (unsigned)((total + MA_THREADS - 1) / MA_THREADS), MA_THREADS, 0,
                            (void *[]){ p, &total }, "matmul parts", (int64_t)total * p->parts * sum_bytes(g->dtype));
  if (partial) ma_buffer_release(partial);
  return status;
}

ma_status ma_cuda_tiles(ma_stream *stream, const ma_matmul *g, char *const *data, int64_t count, const int64_t *step) {
  product p = arrange(g, data, step);
  variant v = divide(g, &p, count);
  const CUfunction *entry;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  const int64_t blocks = (int64_t)p.down * p.across * p.parts;
  if (blocks > INT32_MAX)
    return ma_fail(MA_ERR_VALUE, "a product of %" PRId64 " x %" PRId64 "; a kernel has at most 2^31 tiles", g->m, g->n);
  int64_t most = INT32_MAX / blocks, threads = (int64_t)INT32_MAX * MA_THREADS / (g->m * g->n);
  if (p.parts > 1 && most > threads) most = threads > 1 ? threads : 1;
  const int64_t item = ma_dtypes[g->dtype].itemsize;
  for (int64_t done = 0; done < count; done += most) {
    MA_TRY(launch(stream, g, &p, entry, count - done < most ? count - done : most));
    p.c = (char *)p.c + most * p.batch_step * item;
    p.a.at = (const char *)p.a.at + most * p.a.batch_step * item;
    p.b.at = (const char *)p.b.at + most * p.b.batch_step * item;
  }
  return MA_OK;
}
