/* join.c: arrays put beside each other in one launch, with a table of the parts among its parameters. */
#include "cuda/cuda.h"
#include "cuda/kernels/sort.h"
#include "tuning.h"

#define MOST_ITEMS (INT64_C(1) << 30) /* of a launch */
#define TILE 17408                    /* bytes of a block's tile: 256 rows of 16 floats, and one more to each row */

static void print_join(ma_ctext *text, const void *what) {
  static const char *const item[17] = { [1] = "u1", [2] = "u2", [4] = "u4", [8] = "u8", [16] = "uint4" };
  int wide = *(const uint8_t *)what;
  ma_ctext_add(text, "typedef %s item;\n#define PARTS %d\n#define TILE %d\n", item[wide], MA_JOIN_PARTS, TILE / wide);
  ma_ctext_put(text, ma_embedded("join.cuh"));
}

static const ma_cuda_family family = { "join", { "join_parts", "join_narrow" }, print_join, NULL };

/* The most bytes that a thread can move at once. */
static int widest(const ma_join *join) {
  uint64_t all = (uint64_t)(uintptr_t)join->to | (join->rows > 1 ? (uint64_t)join->pitch : 0);
  int wide = 16;
  for (int k = 0; k < join->count; k++) all |= (uint64_t)(uintptr_t)join->from[k] | (uint64_t)join->chunk[k];
  while (wide > 1 && all % (uint64_t)wide) wide /= 2;
  return wide;
}

/* How many rows a tile has, or 0 if each thread is to look for its part. A few rows are spread over the device. */
static uint32_t tile_rows(int count, int64_t width, int64_t rows, int wide) {
  int64_t most = TILE / wide / (width | 1), spread = (rows / TUNE_FULL_BLOCKS + 32) / 32 * 32;
  if (width >= (int64_t)count * TUNE_JOIN_NARROW || most < TUNE_JOIN_ROWS) return 0;
  if (most > 32) most = most / 32 * 32;
  return (uint32_t)(most < spread ? most : spread);
}

ma_status ma_cuda_index_join(ma_stream *stream, const ma_join *join, bool *ran) {
  struct {
    const void *from[MA_JOIN_PARTS];
    uint32_t start[MA_JOIN_PARTS + 1], count, total;
    ma_cuda_divisor width;
    uint64_t pitch;
    char *to;
  } job = { .count = (uint32_t)join->count, .pitch = (uint64_t)join->pitch };
  const CUfunction *entry;
  uint8_t wide = (uint8_t)widest(join);
  int64_t width = 0;
  for (int k = 0; k < join->count; k++) width += join->chunk[k] / wide;
  *ran = width <= MOST_ITEMS;
  if (!*ran) return MA_OK;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &wide, sizeof wide, &wide, &entry));
  for (int k = 0; k < join->count; k++) job.start[k + 1] = job.start[k] + (uint32_t)(join->chunk[k] / wide);
  job.width = ma_cuda_divide((uint32_t)width);
  for (int64_t row = 0, some = MOST_ITEMS / width; row < join->rows; row += some) {
    int64_t rows = join->rows - row < some ? join->rows - row : some, total = rows * width;
    for (int k = 0; k < join->count; k++) job.from[k] = (const char *)join->from[k] + row * join->chunk[k];
    job.to = (char *)join->to + row * join->pitch;
    job.total = (uint32_t)total;
    uint32_t tile = tile_rows(join->count, width, rows, wide);
    int64_t blocks = tile ? (rows + tile - 1) / tile
                          : (total + MA_THREADS * MA_JOIN_EACH - 1) / (MA_THREADS * MA_JOIN_EACH);
    MA_TRY(ma_cuda_launch(stream, entry[tile ? 1 : 0], (unsigned)blocks, MA_THREADS, 0, (void *[]){ &job, &tile },
                          "join", 2 * total * wide));
  }
  return MA_OK;
}

ma_status ma_cuda_join_source(int wide, char **source) {
  uint8_t what = (uint8_t)wide;
  return ma_cuda_source(&family, &what, source);
}
