/*
** map.c: elementwise programs on a GPU: chooses how the operands are walked, finds the kernel, packs its parameters,
** launches.
**
** The space is collapsed and sorted by the first output's strides, so the last axis is the inner one. If the kernel is
** loaded, nothing here allocates or prints: this path is the host's cost of an operation.
*/
#include "compile/body.h"
#include "compile/compile.h"
#include "cuda/kernels/map.h"
#include "program/splice.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 16 /* bytes of the largest operand that a thread moves in one group */
#define MOST_ELEMENTS ((int64_t)1 << 30)
#define MOST_OFFSET (((int64_t)1 << 31) - 256)
#define MOST_SHARED (48 * 1024)

typedef ma_map_part part;

/* ---- Choosing the variant ---- */

static bool aligned(const part *p, int k, int skip, unsigned bytes) {
  if (bytes > 16) bytes = 16;
  uint64_t bits = (uint64_t)(uintptr_t)p->data[k];
  for (int d = 0; d < p->space->ndim; d++)
    if (d != skip) bits |= (uint64_t)p->space->stride[k][d];
  return (bits & (bytes - 1)) == 0;
}

static int widest_itemsize(const part *p) {
  int most = 1, inner = p->space->ndim - 1;
  for (int k = 0; k < p->nreal; k++)
    if (p->space->stride[k][inner] != 0 && p->itemsize[k] > most) most = p->itemsize[k];
  return most;
}

static void choose_width(part *p) {
  const ma_space *s = p->space;
  int64_t n = s->shape[s->ndim - 1];
  int width = MOST_BYTES / widest_itemsize(p), inner = s->ndim - 1;
  bool contiguous = false;
  for (int k = 0; k < p->nreal && !contiguous; k++) contiguous = s->stride[k][inner] == p->itemsize[k];
  if (!contiguous) width = 1; /* then neighbouring threads take neighbouring elements */
  if (s->ndim > 1)            /* short rows: narrow groups are better than incomplete ones */
    while (width > 1 && (n < width || (n % width && n < 8 * width))) width /= 2;
  p->v.width = (uint8_t)(width < 1 ? 1 : width);
}

static ma_map_walk choose_walk(const part *p, int k) {
  int inner = p->space->ndim - 1;
  int64_t step = p->space->stride[k][inner];
  /* a result of one element does not move */
  if (step == 0) return k < p->map->program->noutput ? MA_MAP_ELEMENT : MA_MAP_BROADCAST;
  if (step != p->itemsize[k]) return MA_MAP_STRIDED;
  if (k >= p->nreal) return MA_MAP_ELEMENT;
  return p->v.width > 1 && aligned(p, k, inner, p->v.width * p->itemsize[k])   ? MA_MAP_VECTOR
         : p->v.width == 1 && p->itemsize[k] == 16 && aligned(p, k, inner, 16) ? MA_MAP_VECTOR
                                                                               : MA_MAP_ELEMENT;
}

/* The axis other than the inner one along which operand k is contiguous, or -1. */
static int tall_axis(const part *p, int k) {
  const ma_space *s = p->space;
  if (s->stride[k][s->ndim - 1] == 0 || s->stride[k][s->ndim - 1] == p->itemsize[k] || p->places >> k & 1) return -1;
  for (int d = 0; d < s->ndim - 1; d++)
    if (s->stride[k][d] == p->itemsize[k] && s->shape[d] >= TUNE_MAP_SQUARE) return d;
  return -1;
}

/* Chooses which inputs go through shared memory: those that are contiguous along the same axis that is not the inner
** one, as many as fit. */
static void choose_tile(part *p) {
  const ma_space *s = p->space;
  int first = p->map->program->noutput, axis = -1, tile = 64, shared = 0;
  /* Threads share a tile evenly. */
  if (s->ndim < 2 || s->shape[s->ndim - 1] < TUNE_MAP_SQUARE || p->v.block & (p->v.block - 1)) return;
  for (int k = first; k < p->nreal; k++) {
    int d = tall_axis(p, k);
    if (d >= 0 && axis < 0) axis = d;
    if (d >= 0 && d == axis && p->itemsize[k] > 4) tile = 32;
  }
  if (axis < 0) return;
  for (int k = first; k < p->nreal; k++) {
    int bytes = tile * (tile + 4) * p->itemsize[k], wide = 16 / p->itemsize[k];
    if (tall_axis(p, k) != axis || shared + bytes > MOST_SHARED) continue;
    shared += bytes;
    bool fills = tile * tile / wide >= p->v.block; /* each thread has at least one wide piece */
    p->v.walk[k] = fills && aligned(p, k, axis, 16) ? MA_MAP_TALL_VECTOR : MA_MAP_TALL_ELEMENT;
  }
  while (p->v.width > 1 && tile * tile / p->v.width < p->v.block) p->v.width /= 2;
  p->v.tile = (uint8_t)tile;
  p->v.nouter = (uint8_t)(s->ndim - 2);
  p->tall_axis = axis;
}

/* The most frequent case: one axis, every operand contiguous and aligned, and so few elements that a thread has at most
** one group. */
static bool choose_flat(part *p) {
  const ma_space *s = p->space;
  uint64_t bits = 0;
  int widest = 1;
  if (s->ndim != 1 || s->noperand != p->nreal || s->shape[0] >= TUNE_MAP_GROUPS) return false;
  for (int k = 0; k < p->nreal; k++) {
    int item = p->itemsize[k];
    if (s->stride[k][0] != item) return false;
    if (item > widest) widest = item;
    bits |= (uint64_t)(uintptr_t)p->data[k];
  }
  if (bits & 15 || widest > 8) return false;
  p->v.width = (uint8_t)(MOST_BYTES / widest);
  p->v.unroll = 1;
  memset(p->v.walk, MA_MAP_VECTOR, (size_t)p->nreal);
  return true;
}

static void choose(part *p) {
  const ma_space *s = p->space;
  if (__builtin_expect(choose_flat(p), 1)) return;
  choose_width(p);
  for (int k = 0; k < s->noperand; k++) p->v.walk[k] = (uint8_t)choose_walk(p, k);
  p->v.nouter = (uint8_t)(s->ndim - 1);
  p->v.unroll = 1;
  choose_tile(p);
  if (p->v.tile) return;
  int64_t n = 1;
  int stored = 0; /* bytes of the results in a group */
  for (int d = 0; d < s->ndim; d++) n *= s->shape[d];
  for (int k = 0; k < p->map->program->noutput; k++) stored += p->v.width * p->itemsize[k];
  if (p->v.width > 1 && stored < MOST_BYTES && n / p->v.width >= TUNE_MAP_GROUPS && !ma_map_is_heavy(p->map->program))
    p->v.unroll = 2;
}

/* ---- Parameters, in the order of print_params of map_text.c ------------------------------------------------------ */

#define MOST_WORDS (2 + 3 * (MA_MAX_NDIM + 2) + MA_MAX_OPERANDS * (MA_MAX_NDIM + 1))
#define MOST_RAW (MA_MAX_RAW * (16 + 16 * MA_MAX_NDIM) + 8)
typedef struct packer {
  char bytes[MA_MAX_SCALARS * 16 + MA_MAX_OPERANDS * 8 + MOST_RAW + MOST_WORDS * 4] __attribute__((aligned(16)));
  char *at;
} packer;

static inline void put_word(packer *to, uint32_t word) {
  memcpy(to->at, &word, 4);
  to->at += 4;
}
static inline void put_stride(packer *to, int64_t stride) { put_word(to, (uint32_t)(int32_t)stride); }

static inline void put_long(packer *to, int64_t value) {
  memcpy(to->at, &value, 8);
  to->at += 8;
}

/* Packs raw arrays, with the shapes of those that are not contiguous, and the number of elements. */
static void put_raw(packer *to, const ma_map *map, const ma_body *body) {
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *q = &body->param[k];
    if (q->role != MA_PARAM_RAW) continue;
    const ma_raw *raw = &map->raw[q->place];
    memcpy(to->at, &raw->data, 8);
    to->at += 8;
    put_long(to, raw->size);
    for (int d = 0; d < q->ndim; d++) put_long(to, raw->shape[d]);
    for (int d = 0; d < q->ndim; d++) put_long(to, raw->stride[d]);
  }
  put_long(to, map->total);
}

static inline void put_divisor(packer *to, int64_t extent) {
  ma_cuda_divisor d = ma_cuda_divide((uint32_t)extent);
  memcpy(to->at, &d, sizeof d);
  to->at += sizeof d;
}

static inline bool is_outer(const part *p, int d) {
  return d != p->space->ndim - 1 && !(p->v.tile && d == p->tall_axis);
}

/* Packs the extents; returns the number of blocks. */
static unsigned put_extents(packer *to, const part *p) {
  const ma_space *s = p->space;
  int inner = s->ndim - 1;
  int64_t n = s->shape[inner], outer = 1, groups = (n + p->v.width - 1) / p->v.width,
          per_block = p->v.block * p->v.unroll;
  for (int d = 0; d < inner; d++)
    if (is_outer(p, d)) outer *= s->shape[d];
  put_word(to, (uint32_t)n);
  if (p->v.tile) {
    int64_t m = s->shape[p->tall_axis], tiles_j = (n + p->v.tile - 1) / p->v.tile,
            tiles_a = (m + p->v.tile - 1) / p->v.tile;
    put_word(to, (uint32_t)m);
    put_divisor(to, tiles_j);
    put_divisor(to, tiles_a);
    groups = outer * tiles_j * tiles_a;
    per_block = 1;
  } else if (p->v.nouter) {
    put_word(to, (uint32_t)(outer * groups));
    put_divisor(to, groups);
    groups *= outer;
  }
  for (int d = inner - 1, left = p->v.nouter; left > 1; d--) /* all but the outermost */
    if (is_outer(p, d)) {
      put_divisor(to, s->shape[d]);
      left--;
    }
  return (unsigned)((groups + per_block - 1) / per_block);
}

static void put_strides(packer *to, const part *p) {
  const ma_space *s = p->space;
  int inner = s->ndim - 1;
  for (int k = 0; k < s->noperand; k++) {
    for (int d = 0; d < inner; d++)
      if (is_outer(p, d)) put_stride(to, s->stride[k][d]);
    if (p->v.tile) put_stride(to, s->stride[k][p->tall_axis]);
    if (p->v.tile || p->v.walk[k] == MA_MAP_STRIDED) put_stride(to, s->stride[k][inner]);
  }
}

/* ---- One launch ---- */

int64_t ma_map_bytes(const part *p) {
  int64_t total = 0;
  for (int k = 0; k < p->nreal; k++) {
    int64_t bytes = p->places >> k & 1 ? 0 : p->itemsize[k];
    for (int d = 0; d < p->space->ndim; d++)
      if (p->space->stride[k][d]) bytes *= p->space->shape[d];
    total += bytes;
  }
  return total;
}

/* Without a body, the last operation. */
static const char *name_of(const ma_program *program) {
  if (program->body) return ma_body_get(program->body)->name;
  return program->ncode ? ma_ops[program->code[program->ncode - 1].op].name : "copy";
}

/* Where general forms alone are asked for, to record them, a program of several operations gives way to its operations,
** as it does where its exact form is nowhere. */
static ma_status without_general(const ma_program *program) {
  ma_fail(MA_ERR_LIBRARY, "%s has no general form", name_of(program));
  return ma_program_is_single(program) ? MA_ERR_LIBRARY : ma_lack();
}

static ma_status launch_part(ma_stream *stream, part *p) {
  const ma_program *program = p->map->program;
  uint8_t key[sizeof(ma_map_variant) + sizeof(ma_program)];
  const CUfunction *function = NULL;
  packer params;
  size_t head = offsetof(ma_map_variant, walk) + p->space->noperand;
  choose(p);
  memcpy(key, &p->v, head);
  size_t size = head + ma_program_key(program, key + head);
  ma_map_text text = { program, &p->v };
  ma_status found = (p->ran ? ma_cuda_kernel_try : ma_cuda_kernel_exact)(ma_cuda_state(stream), &ma_map_family, key,
                                                                         size, &text, &function);
  if (__builtin_expect(found == MA_OK && !function && !p->ran, 0)) {
    bool taken;
    found = ma_map_run_general(stream, p, &taken);
    if (taken) return found;
    if (found == MA_OK && !program->body && __atomic_load_n(&ma_compile_general, __ATOMIC_RELAXED))
      return without_general(program);
    if (found == MA_OK) found = ma_cuda_kernel(ma_cuda_state(stream), &ma_map_family, key, size, &text, &function);
  }
  if (found != MA_OK) return program->body ? found : ma_fail_prefix(found, "%s: ", name_of(program));
  if (__builtin_expect(!function, 0)) *p->ran = false;
  if (!function || p->checks) return MA_OK;
  params.at = params.bytes + ma_pack_scalars(program, p->map->scalar, params.bytes);
  memcpy(params.at, p->data, sizeof p->data[0] * (size_t)p->space->noperand);
  params.at += sizeof p->data[0] * (size_t)p->space->noperand;
  const ma_body *body = program->body ? ma_body_get(program->body) : NULL;
  if (body) put_raw(&params, p->map, body);
  unsigned blocks = put_extents(&params, p);
  put_strides(&params, p);
  void *list[] = { params.bytes };
  return (body ? ma_cuda_launch_own : ma_cuda_launch)(stream, *function, blocks, p->v.block, 0, list, name_of(program),
                                                      ma_cuda_times() ? ma_map_bytes(p) : 0);
}

/* ---- Parts that fit 32-bit offsets ---- */

/* Which axis to cut, or -1 if the part fits. If there are too many elements, it is the longest axis, else one along
** which an operand reaches too far. */
static int axis_to_cut(const part *p) {
  const ma_space *s = p->space;
  int64_t n = 1;
  int longest = 0;
  if (s->ndim == 1 && s->shape[0] < TUNE_MAP_GROUPS) { /* small, unless an operand has large steps */
    uint64_t far = 0;
    for (int k = 0; k < s->noperand; k++) far |= (uint64_t)llabs(s->stride[k][0]);
    if (far < 512) return -1;
  }
  for (int d = 0; d < s->ndim; d++) {
    n *= s->shape[d];
    if (s->shape[d] > s->shape[longest]) longest = d;
  }
  if (n > MOST_ELEMENTS) return longest;
  for (int k = 0; k < s->noperand; k++) {
    int64_t reach = 0, most = -1;
    int axis = 0;
    for (int d = 0; d < s->ndim; d++) {
      int64_t far = (s->shape[d] - 1) * llabs(s->stride[k][d]);
      reach += far;
      if (far > most) {
        most = far;
        axis = d;
      }
    }
    if (reach > MOST_OFFSET) return axis;
  }
  return -1;
}

static ma_status run(ma_stream *stream, part *p) {
  int axis = axis_to_cut(p);
  if (__builtin_expect(axis < 0, 1)) return launch_part(stream, p);
  int64_t extent = p->space->shape[axis], first = extent / 2;
  if (first > 4096) first &= ~(int64_t)4095; /* keeps aligned addresses aligned */
  ma_space half;
  ma_space_copy(&half, p->space);
  for (int64_t start = 0; start < extent; start = first) {
    part q = *p;
    q.space = &half;
    half.shape[axis] = start ? extent - first : first;
    for (int k = 0; k < half.noperand; k++) q.data[k] += start * half.stride[k][axis];
    MA_TRY(run(stream, &q));
    if (start) break;
  }
  return MA_OK;
}

static void part_init(part *p, const ma_map *map) {
  memset(&p->v, 0, sizeof p->v);
  p->checks = false;
  p->ran = NULL;
  p->map = map;
  p->space = &map->space;
  p->v.block = (uint16_t)(map->program->body && map->block_size ? map->block_size : MA_THREADS);
  p->nreal = map->program->noutput + map->program->ninput;
  p->places = (uint64_t)ma_program_places(map->program) << map->program->noutput;
  for (int k = 0; k < p->nreal; k++) {
    p->data[k] = map->data[k];
    p->itemsize[k] = ma_dtypes[ma_map_operand_dtype(map->program, k)].itemsize;
  }
  if (map->space.noperand > p->nreal) { /* the index: its address is its number, and its elements have no size */
    p->data[p->nreal] = map->data[p->nreal];
    p->itemsize[p->nreal] = 1;
  }
}

/* ---- Fills ---- */

static inline bool is_fill(const ma_program *p) {
  return p->ncode == 0 && p->ninput == 0 && p->nscalar == 1 && p->noutput == 1 && !p->body;
}

/* Whether the map fills packed memory with a value whose bytes repeat after 1, 2 or 4. The driver can do that, so no
** kernel is compiled. */
static bool repeats(const ma_map *map, unsigned char *pattern, size_t *nbytes) {
  unsigned char element[32] __attribute__((aligned(16)));
  ma_dtype dtype = ma_program_dtype(map->program, map->program->output[0]);
  size_t size = ma_dtypes[dtype].itemsize;
  if (map->space.ndim != 1 || (map->space.shape[0] > 1 && map->space.stride[0][0] != (int64_t)size)) return false;
  if ((uintptr_t)map->data[0] & ((size < 4 ? size : 4) - 1)) return false;
  ma_value_store(element, dtype, map->scalar[0]);
  for (size_t k = size; k < 4; k++) element[k] = element[k - size];
  for (size_t k = 4; k < size; k++)
    if (element[k] != element[k - 4]) return false;
  memcpy(pattern, element, 4);
  *nbytes = size * (size_t)map->space.shape[0];
  return true;
}

/* Fails before the first part runs if one lacks its kernel: what stands in for the map starts with the old values. */
static ma_status check_parts(ma_stream *stream, const ma_map *map) {
  part p;
  part_init(&p, map);
  if (map->program->body || axis_to_cut(&p) < 0) return MA_OK;
  p.checks = true;
  return run(stream, &p);
}

ma_status ma_cuda_map_run(ma_stream *stream, const ma_map *map) {
  part p;
  bool taken;
  unsigned char pattern[4];
  size_t nbytes;
  MA_TRY(ma_cuda_enter(stream->device));
  if (is_fill(map->program) && repeats(map, pattern, &nbytes))
    return ma_cuda_fill(stream, map->data[0], nbytes, pattern);
  MA_TRY(ma_cuda_views(stream, map, NULL, &taken));
  if (taken) return MA_OK;
  if (__builtin_expect(ma_gpu_is_bare(), 0)) MA_TRY(check_parts(stream, map));
  part_init(&p, map);
  return run(stream, &p);
}

/* Runs all parts or none. A result may also be an operand, so no part may run twice. */
ma_status ma_cuda_map_attempt(ma_stream *stream, const ma_map *map, bool *ran) {
  part p;
  bool taken;
  *ran = true;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_views(stream, map, ran, &taken));
  if (taken) return MA_OK;
  part_init(&p, map);
  if (map->program->body) return run(stream, &p);
  p.ran = ran;
  if (__builtin_expect(axis_to_cut(&p) < 0, 1)) return launch_part(stream, &p);
  p.checks = true;
  MA_TRY(run(stream, &p));
  if (!*ran) return MA_OK;
  part_init(&p, map);
  return run(stream, &p);
}

ma_status ma_cuda_map_source(const ma_map *map, char **source) {
  part p;
  part_init(&p, map);
  choose(&p);
  ma_map_text what = { map->program, &p.v };
  return ma_cuda_source(&ma_map_family, &what, source);
}
