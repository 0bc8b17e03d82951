/*
** compact.c: elements that a mask keeps, on a GPU: one launch of kernels/reduce/compact.cuh, which reports their number
** to the host. The result first has room for all elements; the rest returns to the pool. If that takes too much memory,
** the elements are counted first.
*/
#include "memory/graph.h"
#include "memory/handle.h"
#include "memory/pool.h"
#include "cuda/kernels/fold.h"
#include "cuda/general/general.h"
#include "tuning.h"

#include <string.h>

#define THREADS 512
#define SUPER 128      /* tiles whose offsets are found together */
#define GENERAL_AXES 5 /* of the general form. Its text grows by 8 kB for each, and more axes rarely lie apart */
#define WINDOW 128     /* supers of the board that are read together */

typedef struct plan {
  const ma_reduction *what;
  ma_fold_variant v;
  int64_t tiles;
} plan;

static void print(ma_ctext *text, const void *source) {
  const ma_fold_source *s = source;
  ma_fold_print(text, s);
  ma_ctext_add(text,
               "#define PLACES %d\ntypedef %s place;\n#define MARK_BYTES %d\n#define THREADS %d\n#define ITEMS "
               "%d\n#define MIN_BLOCKS %d\n#define SUPER %d\n#define WINDOW %d\n",
               s->program->noutput == 1, s->variant->narrow ? "u4" : "u8", MA_CUDA_MARK_BYTES, THREADS,
               s->variant->columns, s->variant->tx, SUPER, WINDOW);
  ma_ctext_put(text, ma_embedded("compact.cuh"));
}

static const ma_cuda_family family = { "compact", { "compact", "count_kept" }, print, NULL };

/* ==== Choosing =================================================================================================== */

/* How many elements a thread has, such that the kept elements of a tile take at most 32 KB. */
static int items_of(const ma_program *program) {
  return program->noutput > 1 && ma_dtypes[ma_fold_value(program)].itemsize > 8 ? 4 : 8;
}

/* The general form reads elements one by one over padded axes. */
static void choose(plan *p, bool general) {
  const ma_reduction *r = p->what;
  const ma_space *s = &r->space;
  const ma_program *program = r->program;
  int last = s->ndim - 1;
  memset(&p->v, 0, sizeof p->v);
  p->v.walk = MA_FOLD_COMPACT;
  p->v.result = (uint8_t)(program->noutput > 1 ? ma_fold_value(program) : MA_INT64);
  p->v.nkept = (uint8_t)r->nkept;
  p->v.nreduced = (uint8_t)(s->ndim - r->nkept);
  p->v.narrow = !general && r->count < (1 << 30);
  p->v.columns = (uint8_t)items_of(program);
  p->v.tx = program->ninput > 2 || program->ncode > 8 ? 2 : 4;
  p->v.crosses = general || (p->v.nreduced > 1 && s->shape[last] % 4 != 0);
  for (int i = 0; i < program->ninput && !p->v.crosses; i++)
    if (ma_fold_is_wide(s, r->data, i + 1, ma_dtypes[program->input_dtype[i]].itemsize, last, 4)) p->v.wide |= 1u << i;
  p->tiles = (r->count + THREADS * p->v.columns - 1) / (THREADS * p->v.columns);
}

ma_status ma_cuda_compact_source(const ma_reduction *what, char **source) {
  plan p = { .what = what };
  choose(&p, false);
  ma_fold_source s = { what->program, &p.v };
  return ma_cuda_source(&family, &s, source);
}

/* ==== Launching ================================================================================================== */

static ma_status launch(ma_stream *stream, const plan *p, CUfunction function, int64_t blocks, void *to,
                        const ma_fold_numbers *numbers, const char *name, int64_t written) {
  const ma_reduction *r = p->what;
  void *data[MA_MAX_OPERANDS];
  ma_fold_params params;
  memcpy(data, r->data, sizeof(void *) * (size_t)r->space.noperand);
  data[0] = to;
  ma_fold_pack(&params, r->program, r->scalar, &r->space, r->nkept, data, numbers);
  void *list[] = { params.bytes };
  return ma_cuda_launch(stream, function, (unsigned)blocks, THREADS, 0, list, name,
                        ma_cuda_times() ? ma_fold_bytes(r->program, &r->space, false) + written : 0);
}

/* Takes zeroed memory that only work on the stream uses. */
static ma_status zeros(ma_stream *stream, size_t nbytes, ma_buffer **buffer) {
  MA_TRY(ma_cuda_scratch(stream, nbytes, buffer));
  CUresult result = ma_cu.cuMemsetD8Async((CUdeviceptr)(uintptr_t)(*buffer)->ptr, 0, nbytes, ma_cuda_queue(stream));
  if (result == CUDA_SUCCESS) return MA_OK;
  ma_buffer_release(*buffer);
  return ma_cuda_fail(MA_CU_cuMemsetD8Async, result);
}

/* Counts the kept elements, and waits for their number. */
static ma_status count(ma_stream *stream, const plan *p, CUfunction function, int64_t *found) {
  ma_buffer *sum;
  int64_t most = 8 * (int64_t)ma_cuda_state(stream)->sm_count;
  MA_TRY(zeros(stream, sizeof *found, &sum));
  ma_fold_numbers numbers = { .partial = sum->ptr, .count = p->what->count, .kept = 1, .span = p->tiles };
  ma_status status = launch(stream, p, function, p->tiles < most ? p->tiles : most, NULL, &numbers, "count", 0);
  if (status == MA_OK)
    status = stream->device->backend->memory.copy(stream, found, sum->ptr, sizeof *found, MA_COPY_TO_HOST);
  ma_buffer_release(sum);
  return status;
}

/* How many tiles are counted before the first is selected: as many as stay in the cache until then, beside the memory
** that is written. On an H200 a seventh to a tenth of the cache is best (6 to 8 MB); a sixth takes a tenth longer. */
static int64_t tiles_ahead(ma_stream *stream, const plan *p) {
  int64_t bytes = ma_fold_bytes(p->what->program, &p->what->space, false) / p->tiles + 1,
          ahead = ma_cuda_state(stream)->cache_bytes / 9 / bytes;
  if (ahead < SUPER) ahead = SUPER; /* compact.cuh explains why */
  return ahead < p->tiles ? ahead : p->tiles;
}

/* Writes the kept elements to `to`. Waits for their number, unless `found` is NULL. */
static ma_status compact(ma_stream *stream, const plan *p, CUfunction function, void *to, int64_t written,
                         int64_t *found) {
  ma_buffer *board = NULL;
  void *mark = NULL;
  uint64_t turn = 0;
  int64_t ahead = tiles_ahead(stream, p), supers = (p->tiles / SUPER / WINDOW + 1) * WINDOW,
          words = supers + (p->tiles + 3) / 4 * 4;
  if (p->tiles > 1) MA_TRY(zeros(stream, 16 + (size_t)words * (p->v.narrow ? 4 : 8), &board));
  ma_status status = found ? ma_cuda_peek_begin(ma_cuda_state(stream), &mark, &turn) : MA_OK;
  if (status == MA_OK) {
    ma_fold_numbers numbers = { .partial = board ? board->ptr : NULL,
                                .status = mark,
                                .count = p->what->count,
                                .kept = 1,
                                .span = p->tiles,
                                .nspan = ahead,
                                .run = (int64_t)turn,
                                .flags = supers };
    status = launch(stream, p, function, p->tiles > 1 ? p->tiles + ahead : 1, to, &numbers,
                    p->what->program->noutput > 1 ? "select" : "nonzero", written);
    if (found) status = ma_cuda_peek_end(stream, status, found, sizeof *found);
  }
  ma_buffer_release(board);
  return status;
}

/* ==== Room for the result ======================================================================================== */

/* Bytes of device memory; read once, because the driver answers slowly. */
static size_t capacity(ma_device *device) {
  static size_t known[MA_CUDA_MAX_DEVICES];
  size_t left, total = __atomic_load_n(&known[device->id], __ATOMIC_RELAXED);
  if (!total && device->backend->info.describe(device, &left, &total, NULL, 0) == MA_OK)
    __atomic_store_n(&known[device->id], total, __ATOMIC_RELAXED);
  return total;
}

/* Whether so much memory may be taken for a short time. It may come from what the pool has free, or be a small part of
** the memory that others leave. */
static bool may_take(const ma_stream *stream, size_t nbytes) {
  ma_pool_stats stats;
  if (nbytes <= TUNE_MIB(TUNE_COMPACT_ROOM)) return true;
  ma_pool_statistics(ma_pool_serving(stream->device), &stats);
  if (stats.free_bytes >= nbytes) return true;
  size_t all = stats.limit ? stats.limit : capacity(stream->device);
  return stats.total_bytes < all && nbytes <= (all - stats.total_bytes) / (stats.limit ? 1 : 4);
}

/* Makes the block an array of `n` elements, which then owns it. */
static ma_status array_of(ma_array *result, ma_dtype dtype, int64_t n, ma_buffer *block) {
  ma_status status = ma_array_shape(result, dtype, 1, &n);
  if (status == MA_OK) return ma_handle_wrap(block, &result->buffer);
  ma_buffer_release(block);
  return status;
}

/* Whether the result stays in the block. It does not if little of a large block is kept, or if a small block, which
** cannot be cut, is much too large. If a graph holds the block, the result stays there in any case. */
static bool may_stay(const ma_buffer *block, size_t nbytes) {
  size_t least = block->nbytes <= 2048 ? 0 : block->nbytes <= MA_POOL_SMALL ? block->nbytes / 2 : block->nbytes / 16;
  return nbytes > 0 && nbytes >= least && !__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED);
}

/* Makes the contents of `block`, which has room for more, the result. */
static ma_status deliver(ma_stream *stream, ma_buffer *block, ma_dtype dtype, int64_t n, ma_array *result) {
  size_t nbytes = (size_t)n * ma_dtypes[dtype].itemsize;
  void *to;
  if (nbytes == block->nbytes || (may_stay(block, nbytes) && ma_pool_shrink(block, nbytes)))
    return array_of(result, dtype, n, block);
  ma_status status = ma_array_new(result, stream->device, dtype, 1, &n);
  if (status == MA_OK && n > 0) {
    status = ma_array_write(result, stream, &to);
    if (status == MA_OK) status = stream->device->backend->memory.copy(stream, to, block->ptr, nbytes, MA_COPY_WITHIN);
    if (status != MA_OK) ma_array_release(result);
  }
  ma_buffer_release(block);
  return status;
}

static ma_status compact_counted(ma_stream *stream, const plan *p, const CUfunction *entry, ma_array *result) {
  int64_t n;
  void *to;
  MA_TRY(count(stream, p, entry[1], &n));
  MA_TRY(ma_array_new(result, stream->device, p->what->result, 1, &n));
  if (n == 0) return MA_OK;
  ma_status status = ma_array_write(result, stream, &to);
  if (status == MA_OK) status = compact(stream, p, entry[0], to, n * ma_dtypes[p->what->result].itemsize, NULL);
  if (status != MA_OK) ma_array_release(result);
  return status;
}

/* Finds the kernel of a plan. The general form is about `padded`. */
static ma_status find(ma_stream *stream, plan *p, int form, ma_cuda_finder *finder, ma_reduction *padded,
                      const CUfunction **entry) {
  const ma_program *program = p->what->program;
  uint8_t key[sizeof(ma_fold_variant) + sizeof(ma_program)];
  if (form == MA_CUDA_GENERAL) {
    *padded = *p->what;
    ma_general_pad(&padded->space, padded->nkept, GENERAL_AXES);
    p->what = padded;
  }
  choose(p, form == MA_CUDA_GENERAL);
  memcpy(key, &p->v, sizeof p->v);
  size_t size = sizeof p->v + ma_program_key(program, key + sizeof p->v);
  return finder(ma_cuda_state(stream), &family, key, size, &(ma_fold_source){ program, &p->v }, entry);
}

ma_status ma_cuda_index_compact(ma_stream *stream, const ma_reduction *what, ma_array *result, bool *ran) {
  const CUfunction *entry = NULL;
  plan p = { .what = what };
  ma_reduction padded;
  size_t bound = (size_t)what->count * ma_dtypes[what->result].itemsize;
  ma_buffer *block;
  int64_t n;
  result->buffer = NULL;
  if (stream->capture) return ma_capture_refuse(stream);
  MA_TRY(ma_cuda_enter(stream->device));
  if (ran) MA_TRY(find(stream, &p, MA_CUDA_EXACT, ma_cuda_kernel_try, &padded, &entry));
  for (int form = 0; !ran && !entry && form < MA_CUDA_NFORM; form++) {
    p.what = what;
    MA_TRY(find(stream, &p, form, ma_cuda_finders[form], &padded, &entry));
  }
  if (!entry) {
    *ran = false;
    return MA_OK;
  }
  if (!may_take(stream, bound) || ma_cuda_scratch(stream, bound, &block) != MA_OK)
    return compact_counted(stream, &p, entry, result);
  ma_status status = compact(stream, &p, entry[0], block->ptr, 0, &n);
  if (status == MA_OK) return deliver(stream, block, what->result, n, result);
  ma_buffer_release(block);
  return status;
}
