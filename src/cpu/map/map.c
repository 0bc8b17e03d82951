/*
** map.c: runs programs over whole arrays. The space is cut into blocks: pieces of the innermost axis if that is long;
** else tiles that use whole cache lines, if an input's neighbours are along another axis; else runs of elements over
** several rows.
*/
#include "base/inject.h"
#include "cpu/map/copy.h"
#include "cpu/map/ready.h"
#include "cpu/cpu.h"
#include "cpu/stencil/compiled.h"
#include "cpu/submit.h"
#include "tuning.h"

/* Elements of a long block, which is worth a thread. */
#define SPAN ((TUNE_THREAD_ELEMENTS + MA_BLOCK - 1) / MA_BLOCK * MA_BLOCK)
#define TILE0 16 /* extent of a tile along the transposed axis */
#define TILE1 64 /* extent of a tile along the innermost axis */
/* A tile that is only copied has so many bytes, and reads two whole lines of the transposed axis at a time. */
#define TILE_BYTES 16384
#define TILE_LINES (2 * MA_ALIGN)
#define PART 2048       /* rows so many bytes apart share a part of the first cache */
#define FETCHED 1048576 /* a result of fewer bytes, and what it is made of, are in the caches of a core */

typedef struct map_job {
  const ma_map *map;
  const ma_plan *plan;
  const bool *direct;
  int64_t size;           /* elements */
  int64_t inner, per_row; /* extent of the innermost axis; blocks in a row */
  int span;               /* elements of such a block */
  int tiled;              /* the other axis of tiles; -1: no tiles */
  int tile0, tile1;       /* their extents along it and along the innermost axis */
  bool copies;            /* the program changes nothing, and tiles are only copied */
  bool fetched;           /* tiles that are not only copied are fetched ahead */
  bool apart;             /* results are in no input's memory, so that some elements may be computed twice */
  bool streamed;          /* results are larger than the caches: written around them, which avoids reading them first */
} map_job;

static int output_size(const map_job *job, int j) {
  return ma_dtypes[ma_program_dtype(job->plan->program, job->plan->program->output[j])].itemsize;
}

/* Whether no result lies in the memory of an input. A result that does is the input, element for element. */
static bool is_apart(const ma_map *map) {
  int noutput = map->program->noutput;
  for (int j = 0; j < noutput; j++)
    for (int k = noutput; k < map->space.noperand; k++)
      if (map->data[j] == map->data[k]) return false;
  return true;
}

/* Points output j's step at its memory if it can be written there in whole lanes, else at the arena. */
static bool aim(map_job *job, ma_block *block, int j, char *to, int64_t stride, int n) {
  int reg = job->plan->output[j], size = output_size(job, j);
  if (!job->direct[j]) return false;
  bool direct = !job->streamed && stride == size && n % MA_LANE == 0 &&
                ((uintptr_t)to & (uintptr_t)((size < 8 ? size : 8) - 1)) == 0;
  block->where[reg] = direct ? to : block->arena + job->plan->place[reg];
  return direct;
}

/* Chooses how long blocks are. A single step from arrays to an array, all packed and aligned, needs registers only for
** tails and scalars. So its blocks may be long: then calls cost nothing, and the processor fetches far ahead. */
static int choose_span(const map_job *job) {
  const ma_space *space = &job->map->space;
  const ma_plan *plan = job->plan;
  if (plan->nstep != 1 || plan->step[0].round != NULL) return MA_BLOCK;
  if (plan->program->noutput != 1 || !job->direct[0] || job->streamed || plan->places) return MA_BLOCK;
  for (int k = 0; k < space->noperand; k++) {
    int size = k == 0 ? output_size(job, 0) : ma_dtypes[plan->program->input_dtype[k - 1]].itemsize,
        unit = size < 8 ? size : 8;
    if (k > 0 && plan->load[k - 1] != NULL) return MA_BLOCK;
    if (space->stride[k][space->ndim - 1] != size || (uintptr_t)job->map->data[k] % (uintptr_t)unit != 0)
      return MA_BLOCK;
    for (int d = 0; d < space->ndim - 1; d++)
      if (space->stride[k][d] % unit != 0) return MA_BLOCK;
  }
  return plan->program->nscalar > 0 ? plan->width : SPAN;
}

/* Writes n values of output j, which may be there already, to `to` + i * stride. */
static void store_row(const map_job *job, int j, char *to, int64_t stride, const void *values, int n) {
  const ma_program *program = job->plan->program;
  ma_dtype dtype = ma_program_dtype(program, program->output[j]);
  if (values == to && stride == ma_dtypes[dtype].itemsize) return;
  bool packed = stride == ma_dtypes[dtype].regsize && ma_cpu_store(dtype) == NULL;
  if (job->streamed && packed) ma_stream_bytes(to, values, (size_t)n * ma_dtypes[dtype].regsize);
  else ma_block_store(to, stride, values, dtype, n);
}

/* Runs n elements of one row, at address[k] + i * stride[k]. */
static void run_row(map_job *job, ma_block *block, char *const *address, const int64_t *stride, int n) {
  const void *out[MA_MAX_OUTPUTS];
  int noutput = job->plan->program->noutput;
  for (int j = 0; j < noutput; j++) aim(job, block, j, address[j], stride[j], n);
  ma_block_row(block, (const void *const *)(address + noutput), stride + noutput, n, out);
  for (int j = 0; j < noutput; j++) store_row(job, j, address[j], stride[j], out[j], n);
}

/* Runs blocks first .. last-1 of rows: whole lanes first, which are read and written in place. */
static void run_rows(map_job *job, ma_block *block, int64_t first, int64_t last) {
  const ma_space *space = &job->map->space;
  int d = space->ndim - 1;
  int64_t stride[MA_MAX_OPERANDS];
  for (int k = 0; k < space->noperand; k++) stride[k] = space->stride[k][d];
  while (first < last) {
    int64_t rest = job->per_row == 1 ? first : first / job->per_row, column = (first - rest * job->per_row) * job->span;
    int64_t end = column + (last - first) * job->span;
    if (end > job->inner) end = job->inner;
    char *address[MA_MAX_OPERANDS];
    for (int k = 0; k < space->noperand; k++) address[k] = (char *)job->map->data[k] + column * stride[k];
    for (int e = d - 1; e >= 0 && rest > 0; e--) {
      int64_t at = e ? rest % space->shape[e] : rest;
      if (e) rest /= space->shape[e];
      for (int k = 0; k < space->noperand; k++) address[k] += at * space->stride[k][e];
    }
    for (; column < end; first++) {
      int n = end - column < job->span ? (int)(end - column) : job->span;
      for (int part = n / MA_LANE * MA_LANE; n > 0; n -= part, part = n) {
        if (part == 0) part = n;
        /* A lane that overlaps the one before it. */
        if (part < MA_LANE && column % job->span >= MA_LANE && job->apart) {
          for (int k = 0; k < space->noperand; k++) address[k] -= (MA_LANE - part) * stride[k];
          column -= MA_LANE - part;
          n = part = MA_LANE;
        }
        run_row(job, block, address, stride, part);
        for (int k = 0; k < space->noperand; k++) address[k] += part * stride[k];
        column += part;
      }
    }
  }
}

/* Runs elements `first` .. first + n - 1 in C order, over several rows. */
static void run_across(map_job *job, ma_block *block, int64_t first, int n) {
  const ma_space *space = &job->map->space;
  const ma_program *program = job->plan->program;
  const void *out[MA_MAX_OUTPUTS];
  ma_walk walk;
  for (int j = 0; j < program->noutput; j++) {
    ma_walk_init(&walk, space, 0, j, job->map->data[j], first);
    aim(job, block, j, walk.address, walk.ndim == 1 ? walk.stride[0] : 0, n);
  }
  ma_block_run(block, space, 0, program->noutput, job->map->data, first, n, out);
  for (int j = 0; j < program->noutput; j++) {
    ma_dtype dtype = ma_program_dtype(program, program->output[j]);
    int size = ma_dtypes[dtype].itemsize;
    uint16_t packed[MA_BLOCK];
    ma_walk_init(&walk, space, 0, j, job->map->data[j], first);
    if (walk.ndim == 1) {
      store_row(job, j, walk.address, walk.stride[0], out[j], n);
      continue;
    }
    if (ma_cpu_store(dtype) != NULL) {
      ma_block_store(packed, size, out[j], dtype, n);
      out[j] = packed;
    }
    ma_walk_scatter(&walk, out[j], size, n);
  }
}

/* Copies a tile: to its place at once, if its elements lie beside each other along the tiled axis, the result is in the
** caches, and its rows are not all in the same part of the first cache; else through a buffer and around the caches. */
static void copy_tile(const map_job *job, char *const *address, const int64_t *s0, const int64_t *s1, int m0, int m1) {
  _Alignas(MA_ALIGN) char packed[TILE_BYTES];
  int size = output_size(job, 0);
  bool beside = s0[1] == size || s0[1] == -size;
  if (beside && s1[0] == size && !job->streamed && s0[0] % PART != 0) {
    ma_gather_tile_to(address[0], s0[0], address[1], s0[1], s1[1], m0, m1, size);
    return;
  }
  ma_gather_tile(packed, address[1], s0[1], s1[1], m0, m1, size);
  if (s1[0] != size) ma_scatter_tile(address[0], s0[0], s1[0], packed, m0, m1, size);
  else
    for (int i = 0; i < m0; i++)
      ma_stream_bytes(address[0] + i * s0[0], packed + i * m1 * size, (size_t)m1 * (size_t)size);
}

/* Fetches the next tile along the transposed axis ahead: its rows are so short that the processor does not. An operand
** of which each element has a line of its own is left out. */
static void fetch_tile(const map_job *job, char *const *address, const int64_t *s0, const int64_t *s1, int m1) {
  for (int k = 0; k < job->map->space.noperand; k++) {
    const char *next = address[k] + job->tile0 * s0[k];
    bool turned = s0[k] < s1[k];
    if ((turned ? s0[k] : s1[k]) >= MA_ALIGN) continue;
    int64_t across = turned ? s1[k] : s0[k], row = turned ? job->tile0 * s0[k] : m1 * s1[k];
    int nrow = turned ? m1 : job->tile0;
    for (int i = 0; i < nrow; i++)
      for (int64_t b = 0; b < row; b += MA_ALIGN) __builtin_prefetch(next + i * across + b);
  }
}

/* Runs tiles first .. last-1. Those along the transposed axis come one after another, because they read the same
** pages. */
static void run_tiles(map_job *job, ma_block *block, int64_t first, int64_t last) {
  const ma_space *space = &job->map->space;
  const ma_program *program = job->plan->program;
  int d = space->ndim - 1, a = job->tiled, noutput = program->noutput;
  int64_t n0 = (space->shape[a] + job->tile0 - 1) / job->tile0, n1 = (space->shape[d] + job->tile1 - 1) / job->tile1;
  int64_t s0[MA_MAX_OPERANDS], s1[MA_MAX_OPERANDS];
  for (int k = 0; k < space->noperand; k++) {
    s0[k] = space->stride[k][a];
    s1[k] = space->stride[k][d];
  }
  for (; first < last; first++) {
    int64_t i0 = first % n0 * job->tile0, rest = first / n0, i1 = rest % n1 * job->tile1;
    int m0 = space->shape[a] - i0 < job->tile0 ? (int)(space->shape[a] - i0) : job->tile0;
    int m1 = space->shape[d] - i1 < job->tile1 ? (int)(space->shape[d] - i1) : job->tile1;
    char *address[MA_MAX_OPERANDS];
    const void *out[MA_MAX_OUTPUTS];
    for (int k = 0; k < space->noperand; k++) address[k] = (char *)job->map->data[k] + i0 * s0[k] + i1 * s1[k];
    rest /= n1;
    for (int e = d - 1; e >= 0 && rest > 0; e--) {
      if (e == a) continue;
      int64_t at = rest % space->shape[e];
      rest /= space->shape[e];
      for (int k = 0; k < space->noperand; k++) address[k] += at * space->stride[k][e];
    }
    if (job->copies) {
      copy_tile(job, address, s0, s1, m0, m1);
      continue;
    }
    if (job->fetched && i0 + job->tile0 < space->shape[a]) fetch_tile(job, address, s0, s1, m1);
    ma_block_tile(block, (const void *const *)(address + noutput), s0 + noutput, s1 + noutput, m0, m1, out);
    for (int j = 0; j < noutput; j++) {
      ma_dtype dtype = ma_program_dtype(program, program->output[j]);
      int size = ma_dtypes[dtype].itemsize;
      uint16_t packed[MA_BLOCK];
      if (ma_cpu_store(dtype) != NULL) {
        ma_block_store(packed, size, out[j], dtype, m0 * m1);
        out[j] = packed;
      }
      ma_scatter_tile(address[j], s0[j], s1[j], out[j], m0, m1, size);
    }
  }
}

static ma_status run_range(void *context, int64_t first, int64_t last) {
  map_job *job = context;
  ma_block block;
  _Alignas(MA_ALIGN) char memory[65536];
  MA_TRY(ma_block_open_for(&block, job->plan, job->map->scalar, job->size, memory, sizeof memory));
  if (job->tiled >= 0) run_tiles(job, &block, first, last);
  else if (job->per_row > 0) run_rows(job, &block, first, last);
  else {
    for (; first < last; first++) {
      int64_t start = first * MA_BLOCK;
      run_across(job, &block, start, job->size - start < MA_BLOCK ? (int)(job->size - start) : MA_BLOCK);
    }
  }
  if (job->streamed || job->copies) ma_stream_end();
  ma_block_close(&block);
  return MA_OK;
}

/* The axis along which some input is contiguous, if it is not the innermost one and both are long enough for tiles;
** else -1. */
static int transposed_axis(const ma_space *space, int noutput) {
  int inner = space->ndim - 1;
  if (inner < 1 || space->shape[inner] < 8) return -1;
  for (int k = noutput; k < space->noperand; k++) {
    int64_t step = space->stride[k][inner] < 0 ? -space->stride[k][inner] : space->stride[k][inner];
    if (step < MA_ALIGN / 2) continue;
    for (int d = 0; d < inner; d++)
      if (space->shape[d] >= TILE0 / 2 && space->stride[k][d] != 0 && space->stride[k][d] < step &&
          -space->stride[k][d] < step && space->stride[k][d] < MA_ALIGN && -space->stride[k][d] < MA_ALIGN)
        return d;
  }
  return -1;
}

/* The inputs that have one value in each row, by bit. */
static uint32_t repeated_inputs(const ma_space *space, const ma_program *program) {
  uint32_t found = 0;
  for (int j = 0; j < program->ninput; j++)
    if (space->stride[program->noutput + j][space->ndim - 1] == 0) found |= 1u << j;
  return found;
}

/* Those of the inputs, by bit, that lie as a loop reads them. */
static uint32_t find_aligned(const ma_map *map, uint32_t inputs) {
  const ma_space *space = &map->space;
  uint32_t found = 0;
  for (int j = 0; inputs >> j; j++) {
    int k = map->program->noutput + j, size = ma_dtypes[map->program->input_dtype[j]].itemsize;
    uintptr_t places = (uintptr_t)map->data[k];
    for (int d = 0; d < space->ndim; d++) places |= (uintptr_t)space->stride[k][d];
    if (inputs >> j & 1 && places % (uintptr_t)(size < 8 ? size : 8) == 0) found |= 1u << j;
  }
  return found;
}

static void choose_tile(map_job *job, bool copies) {
  int size = output_size(job, 0), lines = TILE_LINES / size;
  job->copies = copies && !job->plan->load[0];
  job->tile0 = !job->copies || lines < TILE0 ? TILE0 : lines < TILE1 ? lines : TILE1;
  job->tile1 = job->copies ? TILE_BYTES / size / job->tile0 : TILE1;
  job->fetched = job->size * size >= FETCHED;
}

/* How the space is cut; returns the number of blocks. *grain: how many are worth a thread. */
static int64_t choose_blocks(map_job *job, bool copies, int64_t *grain) {
  const ma_space *space = &job->map->space;
  int64_t rows = job->size / job->inner;
  *grain = SPAN / MA_BLOCK;
  if (job->tiled >= 0) {
    int64_t extent = space->shape[job->tiled];
    choose_tile(job, copies);
    return rows / extent * ((extent + job->tile0 - 1) / job->tile0) * ((job->inner + job->tile1 - 1) / job->tile1);
  }
  if (rows > 1 && job->inner < TUNE_MAP_ROW) return (job->size + MA_BLOCK - 1) / MA_BLOCK;
  job->span = choose_span(job);
  job->apart = is_apart(job->map);
  job->per_row = (job->inner + job->span - 1) / job->span;
  int64_t size = job->inner < job->span ? job->inner : job->span; /* of a block */
  if (size > MA_BLOCK) *grain = (SPAN + size - 1) / size;
  return rows * job->per_row;
}

/* Runs block by block. */
static __attribute__((noinline)) ma_status run_blocks(const ma_ready *ready, const ma_map *map, int64_t size) {
  const ma_space *space = &map->space;
  const ma_program *program = map->program;
  int64_t nbytes = size * ma_dtypes[ma_program_dtype(program, program->output[0])].itemsize, grain;
  ma_status status;
  bool copies = ma_cpu_copies(program);
  map_job job = { .map = map, .size = size, .inner = space->shape[space->ndim - 1], .per_row = 0 };
  if (ma_cpu_views(map, &status)) return status;
  job.streamed = ma_cpu_streams(nbytes, space, program->noutput, program->ninput);
  job.tiled = transposed_axis(space, program->noutput);
  if (copies && job.tiled < 0 && ma_cpu_copy(map, job.streamed, &status)) return status;
  ma_ready own;
  uint32_t repeated = repeated_inputs(space, program);
  if (repeated) ready = ma_cpu_ready(program, size, repeated, &own);
  job.plan = &ready->plan;
  job.direct = ready->direct;
  int64_t blocks = choose_blocks(&job, copies, &grain);
  if (repeated && job.per_row > 0) ma_plan_single(&own.plan, find_aligned(map, repeated));
  return ma_cpu_parallel(blocks, grain, run_range, &job);
}

/* The program is not kept, or its operands do not lie as its loop reads them. */
static __attribute__((noinline)) ma_status run_else(const ma_ready *ready, const ma_map *map) {
  ma_ready own;
  ma_program bits;
  ma_map as_bits;
  int64_t size = 1;
  if (map->program->body) return ma_cpu_body_map(map);
  for (int d = 0; d < map->space.ndim; d++) size *= map->space.shape[d];
  if (!ready) {
    ready = ma_cpu_ready(map->program, size, 0, &own);
    if (ma_cpu_small(ready, map)) return MA_OK;
  }
  if (ready->halves && ma_cpu_halves(map, &as_bits, &bits)) return run_else(NULL, &as_bits);
  return run_blocks(ready, map, size);
}

ma_status ma_cpu_map(ma_stream *stream, const ma_map *map) {
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "element-wise work"));
  void **notes = map->program->notes;
  const ma_ready *ready = notes ? __atomic_load_n((ma_ready **)notes, __ATOMIC_ACQUIRE) : NULL;
  if (ready && ma_cpu_small(ready, map)) return MA_OK;
  return run_else(ready, map);
}

/* ==== The slot ==================================================================================================== */

typedef struct kept_map {
  ma_map map;
  ma_program program;
  ma_raw raw[MA_MAX_RAW];
} kept_map;

static ma_status run_map(ma_stream *stream, const void *job) { return ma_cpu_map(stream, job); }
static const char *name_map(const void *job) { return ma_cpu_program_name(((const ma_map *)job)->program); }
static size_t size_map(const void *job) { return sizeof(kept_map); }

static int64_t bytes_map(const void *job) {
  const ma_map *map = job;
  return ma_cpu_program_bytes(map->program, &map->space, map->program->noutput, true);
}

static void copy_map(void *to, const void *job) {
  kept_map *kept = to;
  kept->map = *(const ma_map *)job;
  ma_program_clone(&kept->program, kept->map.program);
  kept->map.program = &kept->program;
  kept->map.raw = ma_cpu_copy_raw(kept->raw, kept->map.raw, kept->map.program);
}

MA_CPU_SLOT(ma_cpu_map_run, ma_map, .name_of = name_map, .run = run_map, .bytes = bytes_map, .size = size_map,
            .copy = copy_map)
