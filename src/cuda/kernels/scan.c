/* scan.c: running totals on a GPU: chooses how the rows are walked and launches kernels/reduce/scan.cuh. Rows of
** several tiles need a board, on which each tile leaves its total for later ones. */
#include "cuda/kernels/fold.h"
#include "cuda/general/general.h"
#include "bundle/bundle.h"
#include "tuning.h"

#include <string.h>

#define STREAM_THREADS 352 /* threads of scan_stream.cuh */
#define STREAM_MORE 1536   /* bytes of a block's shared memory for everything else, including the driver's 1024 */

typedef struct plan {
  const ma_scan *scan;
  ma_fold_variant v;
  int64_t n, rows, tiles; /* elements of a row; rows; tiles of a row */
} plan;

static void print(ma_ctext *text, const void *what) {
  const ma_fold_source *source = what;
  ma_fold_print(text, source);
  ma_ctext_add(text, "#define WIDE_OUT %d\n", source->variant->wide_out != 0);
  if (source->variant->stream)
    ma_ctext_add(text, "#define STREAM 1\n#define SLOTS %d\n#define STREAM_THREADS %d\n#define STREAM_BLOCKS %d\n",
                 source->variant->stream, STREAM_THREADS, source->variant->stream_blocks);
  ma_ctext_put(text, ma_embedded("scan.cuh"));
  if (source->variant->stream) ma_ctext_put(text, ma_embedded("scan_stream.cuh"));
}

static const ma_cuda_family family = { "scan", { "scan" }, print, NULL };

/* The general form is a walk by blocks over padded axes. */
static void choose(plan *p, bool general) {
  const ma_scan *scan = p->scan;
  const ma_space *space = &scan->space;
  const ma_program *program = scan->program;
  int last = space->ndim - 1;
  p->n = space->shape[last];
  p->rows = 1;
  for (int d = 0; d < last; d++) p->rows *= space->shape[d];
  p->tiles = (p->n + SCAN_TILE - 1) / SCAN_TILE;
  memset(&p->v, 0, sizeof p->v);
  p->v.op = (uint8_t)scan->op;
  p->v.result = (uint8_t)scan->result;
  p->v.nkept = (uint8_t)last;
  p->v.nreduced = 1;
  bool upright = ma_fold_is_upright(space, 1, last);
  if (general) p->v.walk = MA_FOLD_BLOCKS;
  else if ((p->n <= SCAN_STRIP && p->rows >= 512) || (upright && p->rows >= (p->n <= SCAN_TILE ? 512 : 4096)))
    p->v.walk = MA_FOLD_THREADS;
  else p->v.walk = p->n <= SCAN_SEGMENT ? MA_FOLD_WARPS : MA_FOLD_BLOCKS;
  if (p->v.walk == MA_FOLD_THREADS || general) return;
  p->v.wide_out = ma_fold_is_wide(space, scan->data, 0, ma_dtypes[scan->result].itemsize, last, 4);
  for (int i = 0; i < program->ninput; i++)
    if (ma_fold_is_wide(space, scan->data, i + 1, ma_dtypes[program->input_dtype[i]].itemsize, last, 4))
      p->v.wide |= 1u << i;
}

/* The bytes of shared memory that a block may have on every card of an architecture: the text depends on them, and on
** nothing else of a card. */
static int shared_of(int arch) {
  static const struct { int from, to, kib; } table[] = { { 80, 80, 163 }, { 87, 87, 163 }, { 90, 119, 227 } };
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (arch >= table[k].from && arch <= table[k].to) return table[k].kib << 10;
  return 99 << 10;
}

/* Chooses scan_stream.cuh if there is room, and if a tile has the same bytes in memory, in shared memory and, but for
** their values, in the result. Also chooses how many tiles a block has in flight, and how many blocks of a
** multiprocessor share its shared memory. */
static void choose_stream(plan *p, int arch) {
  const ma_program *program = p->scan->program;
  const ma_dtype_info *info = &ma_dtypes[program->input_dtype[0]];
  if (p->v.walk != MA_FOLD_BLOCKS || p->tiles == 1 || !p->v.wide || !p->v.wide_out || arch < 80) return;
  if (program->body || program->ncode || program->ninput != 1 || program->noutput != 1 ||
      program->input_dtype[0] != p->scan->result)
    return;
  if (info->itemsize != info->regsize || (info->itemsize != 4 && info->itemsize != 8) ||
      ma_fold_partial(p->scan->op, program) > 8)
    return;
  int blocks = 8 / info->itemsize,
      slots = ((shared_of(arch) + 1024) / blocks - STREAM_MORE) / (SCAN_TILE * info->itemsize);
  if (slots < TUNE_SCAN_LEAST) return;
  p->v.stream = (uint8_t)(slots < TUNE_SCAN_SLOTS ? slots : TUNE_SCAN_SLOTS);
  p->v.stream_blocks = (uint8_t)blocks;
}

/* Makes the board: cells of all tiles, supers and groups, then the ticket (16 bytes) and a flag for each cell. Flags
** start as 0; a small cell contains its flag. */
static ma_status make_board(const plan *p, ma_stream *stream, ma_buffer **board, void **status) {
  int64_t supers = (p->tiles + SCAN_RADIX - 1) / SCAN_RADIX, groups = (supers + SCAN_RADIX - 1) / SCAN_RADIX;
  size_t ncell = (size_t)(p->rows * (p->tiles + supers + groups)),
         partial = (size_t)ma_fold_partial(p->scan->op, p->scan->program);
  bool packed = partial <= 8;
  size_t cells = (ncell * (packed ? 16 : (partial + 3) & ~(size_t)3) + 15) & ~(size_t)15,
         flags = 16 + (packed ? 0 : ncell * 4);
  MA_TRY(ma_cuda_scratch(stream, cells + flags, board));
  *status = (char *)(*board)->ptr + cells;
  CUdeviceptr zeros = (CUdeviceptr)(uintptr_t)(packed ? (*board)->ptr : *status);
  CUresult result = ma_cu.cuMemsetD8Async(zeros, 0, packed ? cells + flags : flags, ma_cuda_queue(stream));
  if (result == CUDA_SUCCESS) return MA_OK;
  ma_buffer_release(*board);
  *board = NULL;
  return ma_cuda_fail(MA_CU_cuMemsetD8Async, result);
}

/* The number of blocks. If a block takes one tile after another, it is how many blocks a GPU runs at once. */
static int64_t blocks_of(const plan *p, const ma_stream *stream) {
  if (p->v.walk == MA_FOLD_THREADS) return (p->rows + MA_THREADS - 1) / MA_THREADS;
  if (p->v.walk == MA_FOLD_WARPS) return (p->rows + MA_THREADS / 32 - 1) / (MA_THREADS / 32);
  int64_t most = (p->v.stream ? p->v.stream_blocks : 8) * (int64_t)ma_cuda_state(stream)->sm_count,
          all = p->rows * p->tiles;
  return p->tiles > 1 && all > most ? most : all;
}

static void record(const ma_scan *scan) {
  for (int k = 0, arch; (arch = ma_cuda_profile(k)); k++) {
    plan p = { .scan = scan };
    choose(&p, false);
    choose_stream(&p, arch);
    ma_cuda_record(&family, &(ma_fold_source){ scan->program, &p.v }, arch);
  }
}

static ma_status launch(ma_stream *stream, plan *p, const CUfunction *entry) {
  const ma_scan *scan = p->scan;
  const ma_program *program = scan->program;
  ma_fold_params params;
  ma_buffer *board = NULL;
  void *flags = NULL;
  unsigned shared = p->v.stream * SCAN_TILE * (unsigned)ma_dtypes[scan->result].itemsize;
  if (shared) MA_CU(cuFuncSetAttribute, entry[0], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared);
  if (p->v.walk == MA_FOLD_BLOCKS && p->tiles > 1) MA_TRY(make_board(p, stream, &board, &flags));
  ma_fold_numbers numbers = { board ? board->ptr : NULL,         flags, p->n, p->rows, p->tiles, 1, 1, 0,
                              scan->space.stride[0][p->v.nkept], 0,     NULL };
  ma_fold_pack(&params, program, scan->scalar, &scan->space, p->v.nkept, scan->data, &numbers);
  void *list[] = { params.bytes };
  ma_status status = ma_cuda_launch(stream, entry[0], (unsigned)blocks_of(p, stream),
                                    p->v.stream ? STREAM_THREADS : MA_THREADS, shared, list, "scan",
                                    ma_fold_bytes(program, &scan->space, true));
  if (board) ma_buffer_release(board);
  return status;
}

ma_status ma_cuda_reduce_scan(ma_stream *stream, const ma_scan *scan) {
  uint8_t key[sizeof(ma_fold_variant) + sizeof(ma_program)];
  const CUfunction *entry = NULL;
  ma_scan padded;
  plan p;
  MA_TRY(ma_cuda_enter(stream->device));
  if (ma_bundle_records()) record(scan);
  for (int form = 0; !entry && form < MA_CUDA_NFORM; form++) {
    p = (plan){ .scan = scan };
    if (form == MA_CUDA_GENERAL) {
      padded = *scan;
      ma_general_pad(&padded.space, 0, MA_MAX_NDIM);
      p.scan = &padded;
    }
    choose(&p, form == MA_CUDA_GENERAL);
    if (form != MA_CUDA_GENERAL) choose_stream(&p, ma_cuda_state(stream)->arch);
    memcpy(key, &p.v, sizeof p.v);
    size_t size = sizeof p.v + ma_program_key(scan->program, key + sizeof p.v);
    MA_TRY(ma_cuda_finders[form](ma_cuda_state(stream), &family, key, size, &(ma_fold_source){ scan->program, &p.v },
                                 &entry));
  }
  return launch(stream, &p, entry);
}
