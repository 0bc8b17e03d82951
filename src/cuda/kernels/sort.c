/*
** sort.c: sorts on a GPU: chooses between the two ways of kernels/sort/sort.cuh, allocates their memory and launches
** them. Rows that fit into a block's shared memory are sorted there. A longer row is sorted by itself if it is long
** enough to fill the device. Otherwise all rows are sorted as one array, and then by the row of each element.
*/
#include "cuda/cuda.h"
#include "cuda/kernels/sort.h"
#include "kernels/sort/sort_job.h"
#include "tuning.h"

#include <string.h>

#define RADIX 256
#define BIG_FROM ((int64_t)1 << 30)
#define MOST_PASSES 20
/* blocks of a multiprocessor: limits the registers of sort_count, whose grid fills the device once */
#define COUNT_BLOCKS 6

/* Everything that the text depends on; compared as bytes. */
typedef struct variant {
  uint8_t dtype, is_short, big, with_index, rows, min_blocks, look; /* look: LOOK of sort.cuh */
  uint16_t threads, items;
} variant;

/* ==== Text ======================================================================================================== */

void ma_cuda_print_item(ma_ctext *text, ma_dtype dtype) {
  static const char *const items[] = { [1] = "u1", [2] = "u2", [4] = "u4", [8] = "u8", [16] = "ma_order128" };
  ma_ctext_add(text, "typedef %s item;\n", items[ma_dtypes[dtype].itemsize]);
}

static void print_sort(ma_ctext *text, const void *what) {
  const variant *v = what;
  const char *suffix = ma_cuda_suffix((ma_dtype)v->dtype);
  int size = ma_dtypes[v->dtype].itemsize;
  ma_ctext_put(text, ma_embedded("order.h"));
  ma_ctext_put(text, ma_embedded("sort_job.h"));
  ma_cuda_print_item(text, (ma_dtype)v->dtype);
  ma_kind kind = ma_dtypes[v->dtype].kind;
  bool special = kind == MA_KIND_FLOAT, as_is = kind == MA_KIND_BOOL || kind == MA_KIND_COMPLEX;
  const char *plain = special ? "plain_" : "";
  ma_ctext_add(text, "#define SPECIAL %d\n", special);
  if (as_is) ma_ctext_put(text, "#define encode(x) (x)\n#define decode(x) (x)\n#define is_special(x) false\n");
  else
    ma_ctext_add(text,
                 "#define encode(x) ((item)ma_order_%s%s(x))\n#define decode(x) ((item)ma_unorder_%s(x))\n#define "
                 "is_special(x) %s%s%s\n",
                 plain, suffix, suffix, special ? "(ma_order_settle_" : "false", special ? suffix : "",
                 special ? "(x) != (x))" : "");
  ma_ctext_put(text, "template <bool S> static __device__ __forceinline__ u4 digit(item x, u4 p) {\n");
  if (size == 16)
    ma_ctext_add(
      text, "  const ma_order128 t = ma_order_%s(x);\n  return (u4)((p < 8 ? t.lo : t.hi) >> (p & 7) * 8) & 255;\n}\n",
      suffix);
  else if (as_is) ma_ctext_add(text, "  return (u4)(ma_order_%s(x) >> p * 8) & 255;\n}\n", suffix);
  else if (special) ma_ctext_add(text, "  return (u4)((S ? ma_order_settle_%s(x) : x) >> p * 8) & 255;\n}\n", suffix);
  else ma_ctext_put(text, "  return (u4)(x >> p * 8) & 255;\n}\n");
  ma_ctext_add(text, "#define MIN_BLOCKS %d\n#define COUNT_BLOCKS %d\n#define LOOK %d\n", v->min_blocks, COUNT_BLOCKS,
               v->look);
  ma_ctext_add(
    text, "#define %s\n#define THREADS %d\n#define ITEMS %d\n#define BIG %d\n#define WITH_INDEX %d\n#define ROWS %d\n",
    v->is_short ? "SHORT" : "LONG", v->threads, v->items, v->big, v->with_index, v->rows);
  ma_ctext_add(text, "#define KEY_PASSES %d\n#define MOST_PASSES %d\n", size, size + (v->rows ? 4 : 0));
  ma_ctext_put(text, ma_embedded("sort.cuh"));
}

static const ma_cuda_family long_family = { "sort", { "sort_count", "sort_pass", "sort_finish" }, print_sort, NULL };
static const ma_cuda_family short_family = { "sort_rows", { "sort_rows" }, print_sort, NULL };

/* n: elements in all. A long sort of few elements has tiles of few, so that they occupy a large GPU. */
static variant variant_of(ma_dtype dtype, bool is_short, bool with_index, bool rows, int64_t n) {
  int size = ma_dtypes[dtype].itemsize;
  variant v;
  memset(&v, 0, sizeof v);
  v.dtype = (uint8_t)dtype;
  v.is_short = is_short;
  v.with_index = with_index;
  v.rows = rows;
  v.big = !is_short && n >= BIG_FROM;
  bool light = size <= 4 && !with_index, few = n < TUNE_SORT_FEW;
  v.threads = is_short || light ? 256 : 384;
  v.min_blocks = light ? 4 : 2;
  v.look = few ? 8 : 4;
  if (is_short) v.items = size == 16 ? 6 : size == 8 ? 12 : 16;
  else if (few) v.items = size == 16 ? 3 : size == 8 ? 4 : with_index ? 6 : 8;
  else v.items = size == 16 ? 5 : size == 8 || (with_index && v.big) ? 10 : with_index ? 17 : 28;
  return v;
}

ma_status ma_cuda_sort_source(ma_dtype dtype, bool rows, bool with_index, int64_t n, char **source) {
  variant v = variant_of(dtype, rows, with_index, false, n);
  if (!rows && with_index) v.rows = 1;
  return ma_cuda_source(rows ? &short_family : &long_family, &v, source);
}

/* Finds the kernels of the variant, or of its general form: positions are carried along, and a long sort has small
** tiles and rows. */
static ma_status find(ma_stream *stream, const ma_cuda_family *family, variant *v, const CUfunction **entry) {
  const variant general = v->big ? *v : variant_of((ma_dtype)v->dtype, v->is_short, true, !v->is_short, 0);
  return ma_cuda_kernel_either(ma_cuda_state(stream), family, v, &general, sizeof *v, entry);
}

/* ==== Short rows ================================================================================================== */

/* The number of digits of the numbers below n. */
static uint32_t digits_of(uint64_t n) {
  uint32_t digits = 0;
  while (digits < 8 && (n - 1) >> digits * 8) digits++;
  return digits;
}

static int64_t short_row(ma_dtype dtype) {
  variant v = variant_of(dtype, true, false, false, 0);
  return (int64_t)v.threads * v.items;
}

static ma_status sort_short(ma_stream *stream, const ma_sort *sort) {
  int64_t tile = short_row(sort->dtype), per_block = tile / sort->n;
  const CUfunction *entry;
  if (per_block > sort->rows) per_block = sort->rows;
  variant v = variant_of(sort->dtype, true, sort->positions || per_block > 1, false, 0);
  MA_TRY(find(stream, &short_family, &v, &entry));
  ma_sort_rows_job job = { sort->from,
                           sort->to,
                           sort->positions,
                           (uint64_t)sort->rows,
                           (uint32_t)sort->n,
                           (uint32_t)per_block,
                           ma_dtypes[sort->dtype].itemsize + digits_of((uint64_t)per_block) };
  int64_t size = ma_dtypes[sort->dtype].itemsize;
  return ma_cuda_launch(stream, entry[0], (unsigned)((sort->rows + per_block - 1) / per_block), v.threads, 0,
                        (void *[]){ &job }, "sort_rows",
                        sort->rows * sort->n * (size + (sort->to ? size : 0) + (sort->positions ? 8 : 0)));
}

/* ==== Long rows =================================================================================================== */

/* Pieces of one block of memory. */
typedef struct pieces {
  size_t size, at[8];
  int n;
} pieces;

static int add_piece(pieces *p, size_t nbytes) {
  p->at[p->n] = p->size;
  p->size += (nbytes + 255) & ~(size_t)255;
  return p->n++;
}

/* The grid of all kernels but the passes: enough blocks to fill the device. */
static unsigned fill_grid(const ma_cuda_device *d, int64_t n, int64_t per_block, int per_sm) {
  int64_t blocks = (n + per_block - 1) / per_block, most = (int64_t)d->sm_count * per_sm;
  return (unsigned)(blocks < most ? blocks : most);
}

static ma_status run_passes(ma_stream *stream, const CUfunction *entry, const variant *v, ma_sort_job *job,
                            int64_t tiles) {
  ma_cuda_device *d = ma_cuda_state(stream);
  int64_t n = (int64_t)job->n, size = ma_dtypes[v->dtype].itemsize, index = v->with_index ? (v->big ? 8 : 4) : 0;
  void *list[] = { job };
  int64_t loads = n < TUNE_SORT_FEW ? 1 : 4; /* of 16 bytes, by a thread of sort_count at once */
  MA_TRY(ma_cuda_launch(stream, entry[0], fill_grid(d, n, 256 * loads * 16 / size, COUNT_BLOCKS), 256, 0, list,
                        "sort_count", n * size));
  for (job->at = 0; job->at < job->npass; job->at++)
    MA_TRY(ma_cuda_launch(stream, entry[1], (unsigned)tiles, v->threads, 0, list, "sort_pass", 2 * n * (size + index)));
  if (!job->in_place) return MA_OK;
  return ma_cuda_launch(stream, entry[2], fill_grid(d, n, 1024, 8), 256, 0, list, "sort_finish", 0);
}

/* Sorts all rows as one array. */
static ma_status sort_long(ma_stream *stream, const ma_sort *sort) {
  int64_t n = sort->rows * sort->n, size = ma_dtypes[sort->dtype].itemsize;
  bool rows = sort->rows > 1;
  variant v = variant_of(sort->dtype, false, sort->positions || rows, rows, n);
  const CUfunction *entry;
  MA_TRY(find(stream, &long_family, &v, &entry));
  int64_t tile = (int64_t)v.threads * v.items, tiles = (n + tile - 1) / tile;
  size_t word = v.big ? 8 : 4, guard = v.look * RADIX * word, board_bytes = (size_t)tiles * RADIX * word,
         index_bytes = v.with_index ? (size_t)n * word : 0;
  uint32_t npass = (uint32_t)size + (rows ? digits_of((uint64_t)sort->rows) : 0);
  ma_buffer *memory = NULL;
  pieces p = { 0 };
  if (npass > MOST_PASSES || tiles > INT32_MAX)
    return ma_fail(MA_ERR_VALUE, "%lld elements; too many for one sort", (long long)n);
  int count = add_piece(&p, npass * (RADIX * sizeof(uint64_t) + sizeof(uint32_t)) + 2 * sizeof(uint32_t)),
      board = add_piece(&p, guard + 2 * board_bytes);
  size_t zeros = p.size; /* what begins as 0 */
  int plan = add_piece(&p, (npass + 1) * sizeof(ma_sort_pass)), keys = add_piece(&p, (size_t)(n * size)),
      more = add_piece(&p, sort->to ? 0 : (size_t)(n * size));
  int index = add_piece(&p, index_bytes), more_index = add_piece(&p, sort->positions ? 0 : index_bytes);
  MA_TRY(ma_cuda_scratch(stream, p.size, &memory));
  char *at = memory->ptr;
  ma_sort_job job = { .from = sort->from,
                      .to = sort->to ? sort->to : at + p.at[more],
                      .scratch = at + p.at[keys],
                      .index = { at + p.at[index], sort->positions ? (void *)sort->positions : at + p.at[more_index] },
                      .positions = sort->positions,
                      .n = (uint64_t)n,
                      .row = (uint64_t)sort->n,
                      .count = (uint64_t *)(void *)(at + p.at[count]),
                      .pass = (ma_sort_pass *)(void *)(at + p.at[plan]),
                      .board = { at + p.at[board] + guard, at + p.at[board] + guard + board_bytes },
                      .npass = npass,
                      .keep = sort->to != NULL,
                      .in_place = sort->to == sort->from };
  job.ticket = (uint32_t *)(job.count + npass * RADIX);
  job.special = job.ticket + npass;
  CUresult result = ma_cu.cuMemsetD8Async((CUdeviceptr)(uintptr_t)at, 0, zeros, ma_cuda_queue(stream));
  ma_status status = result == CUDA_SUCCESS ? run_passes(stream, entry, &v, &job, tiles)
                                            : ma_cuda_fail(MA_CU_cuMemsetD8Async, result);
  ma_buffer_release(memory);
  return status;
}

ma_status ma_cuda_sort_sort(ma_stream *stream, const ma_sort *sort) {
  int64_t size = ma_dtypes[sort->dtype].itemsize;
  MA_TRY(ma_cuda_enter(stream->device));
  if (sort->n <= short_row(sort->dtype)) return sort_short(stream, sort);
  if (sort->rows == 1 || sort->n < TUNE_SORT_ALONE) return sort_long(stream, sort);
  for (int64_t r = 0; r < sort->rows; r++) {
    ma_sort row = *sort;
    row.rows = 1;
    row.from = (const char *)sort->from + r * sort->n * size;
    if (sort->to) row.to = (char *)sort->to + r * sort->n * size;
    if (sort->positions) row.positions = sort->positions + r * sort->n;
    MA_TRY(sort_long(stream, &row));
  }
  return MA_OK;
}
