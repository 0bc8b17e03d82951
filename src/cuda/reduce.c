/*
** reduce.c: reductions on a GPU: chooses how a reduction is walked, prints the access functions that kernels/reduce.cuh calls, packs
** their parameters, launches. A result of several spans leaves partial results that a second kernel of the module merges.
*/
#include "cuda.h"

#include <string.h>

#include "../../kernels/reduce.h"

#define MOST_TOGETHER 32               /* spans that one block merges at once */
#define BLOCK 256

typedef enum walk { WALK_ROWS, WALK_COLUMNS, WALK_THREADS } walk;

/* Everything that shapes the text beside the program; compared as bytes, so cleared first. */
typedef struct variant {
  uint8_t walk, op, result, nkept, nreduced, columns, tx;
  uint8_t crosses;                     /* four elements of a row may lie on two rows of an inner reduced axis */
  uint16_t wide;                       /* bit i: input i is read in one access (4 elements of a row, or all columns) */
} variant;

typedef struct plan {
  const ma_reduction *reduction;
  variant v;
  int64_t kept, span, nspan;
  bool together;
} plan;

/* ==== Types ====================================================================================================== */

static const char *const monoid_names[MA_NREDUCE] = {
#define REDUCE(name, monoid, result, flags, doc) #monoid,
#include "../../kernels/reduce.def"
#undef REDUCE
};

static int monoid_of(ma_reduce_op op) {
  static const uint8_t ids[MA_NREDUCE] = {
#define REDUCE(name, monoid, result, flags, doc) RED_##monoid,
#include "../../kernels/reduce.def"
#undef REDUCE
  };
  return ids[op];
}

static ma_dtype value_dtype(const ma_program *p) { return ma_program_dtype(p, p->output[0]); }

/* Bytes of a partial result: the size of red_acc. */
static int partial_size(ma_reduce_op op, ma_dtype dtype, bool masked) {
  int monoid = monoid_of(op), value = ma_dtypes[dtype].regsize, wide = value > 8 || ma_dtypes[dtype].kind == MA_KIND_COMPLEX ? 16 : 8;
  switch (monoid) {
  case RED_sum: case RED_prod: return wide;
  case RED_mean: return masked ? wide + 8 : wide;
  case RED_moments: return wide == 16 ? 32 : 24;
  case RED_argmin: case RED_argmax: return value <= 8 ? 16 : 24;
  case RED_count: return 8;
  case RED_logaddexp: return 16;
  default: return value;
  }
}

/* Least and greatest value of a register type, as text. */
static void print_limits(ma_cuda_text *text, ma_dtype dtype) {
  static const char *const infinity[] = { "__int_as_float(0x7f800000)", "__longlong_as_double(0x7ff0000000000000ll)" };
  const ma_dtype_info *info = &ma_dtypes[dtype];
  int bits = info->itemsize * 8;
  const char *inf = infinity[info->regsize == 8 && info->kind == MA_KIND_FLOAT ? 1 : dtype == MA_COMPLEX128];
  switch (info->kind) {
  case MA_KIND_BOOL:
    ma_cuda_text_put(text, "#define RED_LOW 0\n#define RED_HIGH 1\n");
    break;
  case MA_KIND_SIGNED:
    ma_cuda_text_add(text, "#define RED_LOW ((value)(1ull << %d))\n#define RED_HIGH ((value)((1ull << %d) - 1))\n", bits - 1, bits - 1);
    break;
  case MA_KIND_UNSIGNED:
    ma_cuda_text_put(text, "#define RED_LOW ((value)0)\n#define RED_HIGH ((value)~(value)0)\n");
    break;
  case MA_KIND_FLOAT:
    ma_cuda_text_add(text, "#define RED_LOW (-%s)\n#define RED_HIGH %s\n", inf, inf);
    break;
  default:
    ma_cuda_text_add(text, "static __device__ __forceinline__ value both(%s x) { value v; v.re = v.im = x; return v; }\n",
                     dtype == MA_COMPLEX64 ? "float" : "double");
    ma_cuda_text_add(text, "#define RED_LOW both(-%s)\n#define RED_HIGH both(%s)\n", inf, inf);
  }
}

void ma_cuda_print_monoid(ma_cuda_text *text, ma_reduce_op op, ma_dtype dtype, ma_dtype result, bool masked) {
  static const char *const sums[] = { "i8", "i8", "u8", "double", "ma_c128" };
  ma_kind kind = ma_dtypes[dtype].kind;
  const char *monoid = monoid_of(op) == RED_band && dtype == MA_BOOL ? "all" : monoid_names[op];
  ma_cuda_text_add(text, "typedef dt_%s::reg value;\ntypedef dt_%s result;\n", ma_cuda_suffix(dtype), ma_cuda_suffix(result));
  print_limits(text, dtype);
  ma_cuda_text_add(text, "#define RED(name) red_##name\n#define RED_MONOID RED_%s\n#define RED_CLASS %d\n#define RED_V value\n#define RED_W %s\n",
                   monoid, kind == MA_KIND_COMPLEX ? RED_COMPLEX : kind == MA_KIND_FLOAT ? RED_FLOAT : RED_INT, sums[kind]);
  ma_cuda_text_add(text, "#define RED_MASKED %d\n#define MASKED %d\n", masked, masked);
  ma_cuda_text_put(text, ma_cuda_embedded("reduce.h"));
  /* From red_out to a register of the result: sums of floats are still doubles. */
  const char *root = op == MA_REDUCE_std ? "sqrt(o)" : "o";
  bool doubles = kind == MA_KIND_FLOAT || monoid_of(op) == RED_moments;
  bool sums_up = monoid_of(op) == RED_sum || monoid_of(op) == RED_prod || monoid_of(op) == RED_mean || monoid_of(op) == RED_moments ||
                 monoid_of(op) == RED_logaddexp;
  ma_cuda_text_put(text, "static __device__ __forceinline__ result::reg last_step(red_out o) { ");
  if (!sums_up || (!doubles && kind != MA_KIND_COMPLEX) || result == MA_FLOAT64 || result == MA_COMPLEX128)
    ma_cuda_text_add(text, "return %s; }\n", root);
  else if (result == MA_COMPLEX64)
    ma_cuda_text_put(text, "ma_c64 c; c.re = (float)o.re; c.im = (float)o.im; return c; }\n");
  else if (result == MA_FLOAT32)
    ma_cuda_text_add(text, "return (float)%s; }\n", root);
  else
    ma_cuda_text_add(text, "return ma_narrow(%s); }\n", root);
}

/* ==== Access functions =========================================================================================== */

static void print_params(ma_cuda_text *text, const ma_program *p, const variant *v) {
  ma_cuda_text_put(text, "struct params {\n  scalars s;\n  char *out, *partial;\n");
  for (int i = 0; i < p->ninput; i++) ma_cuda_text_add(text, "  const char *p%d;\n", i);
  ma_cuda_text_put(text, "  u8 count, kept, span, nspan, run, flags;\n  double param;\n  u8 first[2];\n");
  for (int d = 0; d < v->nkept; d++) ma_cuda_text_add(text, "  u8 ke%d; i8 ko%d;\n", d, d);
  for (int d = 0; d < v->nreduced; d++) ma_cuda_text_add(text, "  u8 re%d;\n", d);
  for (int i = 0; i < p->ninput; i++) {
    for (int d = 0; d < v->nkept; d++) ma_cuda_text_add(text, "  i8 k%d_%d;", i, d);
    for (int d = 0; d < v->nreduced; d++) ma_cuda_text_add(text, "  i8 r%d_%d;", i, d);
    ma_cuda_text_put(text, "\n");
  }
  ma_cuda_text_put(text, "  __device__ __forceinline__ value initial() const { union { value v; u8 w[2]; } u; u.w[0] = first[0]; u.w[1] = first[1]; "
                         "return u.v; }\n};\n");
}

/* A function from the number of a place to the offsets there: group is 'k' (results) or 'r' (reduced elements). */
static void print_offsets(ma_cuda_text *text, const char *name, char group, int ndim, int ninput) {
  ma_cuda_text_add(text, "static __device__ __forceinline__ offsets %s(const params &p, u8 n) {\n  offsets f;\n  u8 x;\n", name);
  for (int i = 0; i < ninput; i++) ma_cuda_text_add(text, "  f.o%d = 0;\n", i);
  for (int d = ndim - 1; d >= 0; d--) {
    if (d) ma_cuda_text_add(text, "  n = split(n, p.%ce%d, x);", group, d);
    else ma_cuda_text_put(text, "  x = n;");
    for (int i = 0; i < ninput; i++) ma_cuda_text_add(text, " f.o%d += (i8)x * p.%c%d_%d;", i, group, i, d);
    ma_cuda_text_put(text, "\n");
  }
  ma_cuda_text_put(text, "  return f;\n}\n");
}

static void print_place(ma_cuda_text *text, int nkept) {
  ma_cuda_text_put(text, "static __device__ __forceinline__ char *place_of(const params &p, u8 n) {\n  char *at = p.out;\n  u8 x;\n");
  for (int d = nkept - 1; d >= 1; d--) ma_cuda_text_add(text, "  n = split(n, p.ke%d, x); at += (i8)x * p.ko%d;\n", d, d);
  ma_cuda_text_put(text, "  return at + (i8)n * p.ko0;\n}\n");
}

/* The program on element `index` of what was loaded. */
static void print_run(ma_cuda_text *text, const ma_program *p, const char *index, const char *to) {
  ma_cuda_text_put(text, "program(p.s");
  for (int i = 0; i < p->ninput; i++) ma_cuda_text_add(text, ", dt_%s::load(c%d%s)", ma_cuda_suffix((ma_dtype)p->input_dtype[i]), i, index);
  ma_cuda_text_add(text, ", x%s%s", to, p->noutput > 1 ? ", alive" : "");
  ma_cuda_text_add(text, ");%s%s%s\n", p->noutput > 1 ? " m" : "", p->noutput > 1 ? to : "", p->noutput > 1 ? " = alive;" : "");
}

static void print_fetch(ma_cuda_text *text, const ma_program *p) {
  ma_cuda_text_put(text, "static __device__ __forceinline__ void fetch(const params &p, const offsets &b, u8 r, value &x, bool &m) {\n"
                         "  const offsets f = reduced_at(p, r);\n");
  for (int i = 0; i < p->ninput; i++) {
    const char *suffix = ma_cuda_suffix((ma_dtype)p->input_dtype[i]);
    ma_cuda_text_add(text, "  const dt_%s::mem c%d = *(const dt_%s::mem *)(p.p%d + b.o%d + f.o%d);\n", suffix, i, suffix, i, i, i);
  }
  if (p->noutput > 1) ma_cuda_text_put(text, "  u1 alive;\n");
  ma_cuda_text_put(text, "  ");
  print_run(text, p, "", "");
  ma_cuda_text_put(text, "}\n");
}

/* `count` neighbours, `step` bytes apart in input i where they are not read at once. */
static void print_fetch_many(ma_cuda_text *text, const ma_program *p, const variant *v) {
  bool rows = v->walk == WALK_ROWS;
  int n = rows ? 4 : v->columns, axis = rows ? v->nreduced - 1 : v->nkept - 1;
  ma_cuda_text_add(text, "static __device__ __forceinline__ void fetch_%s(const params &p, const offsets &b, u8 r%s, value *x, bool *m) {\n",
                   rows ? "row" : "columns", rows ? "" : ", int n");
  if (rows && v->crosses) {
    ma_cuda_text_put(text, "#pragma unroll\n  for (int k = 0; k < 4; k++) fetch(p, b, r + k, x[k], m[k]);\n}\n");
    return;
  }
  ma_cuda_text_put(text, "  const offsets f = reduced_at(p, r);\n");
  for (int i = 0; i < p->ninput; i++) {
    const char *suffix = ma_cuda_suffix((ma_dtype)p->input_dtype[i]);
    bool wide = v->wide >> i & 1;
    ma_cuda_text_add(text, "  pack<dt_%s::mem, %d> c%d;\n  const char *q%d = p.p%d + b.o%d + f.o%d;\n", suffix, n, i, i, i, i, i);
    if (wide) ma_cuda_text_add(text, "  %sc%d.load_all(q%d);\n", rows ? "" : n > 1 ? "if (n == COLS) " : "", i, i);
    if (wide && (rows || n == 1)) continue;
    ma_cuda_text_add(text, "  %s{\n#pragma unroll\n    for (int k = 0; k < %d; k++) c%d.v[k] = *(const dt_%s::mem *)(q%d + %s * p.%c%d_%d);\n  }\n",
                     wide ? "else " : "", n, i, suffix, i, rows ? "k" : "(k < n ? k : 0)", rows ? 'r' : 'k', i, axis);
  }
  if (p->noutput > 1) ma_cuda_text_put(text, "  u1 alive;\n");
  ma_cuda_text_add(text, "#pragma unroll\n  for (int k = 0; k < %d; k++) { ", n);
  print_run(text, p, ".v[k]", "[k]");
  ma_cuda_text_put(text, "  }\n}\n");
}

typedef struct source { const ma_program *program; const variant *v; } source;

static void print(ma_cuda_text *text, const void *what) {
  const source *s = what;
  const variant *v = s->v;
  const ma_program *p = s->program;
  ma_cuda_print_program(text, p);
  ma_cuda_print_monoid(text, (ma_reduce_op)v->op, value_dtype(p), (ma_dtype)v->result, p->noutput > 1);
  print_params(text, p, v);
  ma_cuda_text_put(text, "struct offsets {");
  for (int i = 0; i < p->ninput; i++) ma_cuda_text_add(text, " i8 o%d;", i);
  ma_cuda_text_put(text, " };\n"
    "static __device__ __forceinline__ u8 split(u8 n, u8 extent, u8 &rest) {\n"
    "  if ((n | extent) >> 32 == 0) { const u4 q = (u4)n / (u4)extent; rest = (u4)n - q * (u4)extent; return q; }\n"
    "  const u8 q = n / extent;\n  rest = n - q * extent;\n  return q;\n}\n");
  print_offsets(text, "kept_at", 'k', v->nkept, p->ninput);
  print_offsets(text, "reduced_at", 'r', v->nreduced, p->ninput);
  print_place(text, v->nkept);
  if (v->walk == WALK_COLUMNS) ma_cuda_text_add(text, "#define COLUMNS 1\n#define TX %d\n#define COLS %d\n", v->tx, v->columns);
  else ma_cuda_text_add(text, "#define %s 1\n", v->walk == WALK_ROWS ? "ROWS" : "THREADS");
  print_fetch(text, p);
  if (v->walk != WALK_THREADS) print_fetch_many(text, p, v);
  ma_cuda_text_put(text, ma_cuda_embedded("reduce.cuh"));
}

static const ma_cuda_family family = { "reduce", { "reduce", "merge" }, print };

/* ==== Choosing the walk ========================================================================================== */

static int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

/* Are `n` neighbours along `axis` one aligned access in input i? */
static bool is_wide(const ma_reduction *r, int i, int axis, int n) {
  const int64_t *stride = r->space.stride[i + 1];
  int itemsize = ma_dtypes[r->program->input_dtype[i]].itemsize, bytes = itemsize * n < 16 ? itemsize * n : 16;
  uint64_t bits = (uint64_t)(uintptr_t)r->data[i + 1];
  if (stride[axis] != itemsize) return false;
  for (int d = 0; d < r->space.ndim; d++)
    if (d != axis) bits |= (uint64_t)stride[d];
  return (bits & (uint64_t)(bytes - 1)) == 0;
}

/* Do results lie closer together than the elements of one? Asked of the first input that moves at all. */
static bool is_upright(const ma_reduction *r) {
  for (int i = 1; i < r->space.noperand; i++) {
    int64_t side = magnitude(r->space.stride[i][r->nkept - 1]), down = magnitude(r->space.stride[i][r->space.ndim - 1]);
    if (side || down) return side && (down == 0 || side < down);
  }
  return false;
}

static int widest_input(const ma_program *p) {
  int most = 1;
  for (int i = 0; i < p->ninput; i++)
    if (ma_dtypes[p->input_dtype[i]].itemsize > most) most = ma_dtypes[p->input_dtype[i]].itemsize;
  return most;
}

static void choose_columns(plan *p) {
  const ma_reduction *r = p->reduction;
  int last = r->nkept - 1, columns = 16 / widest_input(r->program);
  int64_t run = r->space.shape[last];
  int partial = partial_size(r->op, value_dtype(r->program), r->program->noutput > 1);
  while (columns > 1 && (columns * partial > 32 || columns * 4 > run)) columns /= 2;
  if (columns > 4) columns = 4;
  p->v.columns = (uint8_t)columns;
  p->v.tx = 16;
  while (p->v.tx > 4 && (p->v.tx / 2 * columns >= run || p->kept / (p->v.tx * columns) * p->nspan < 200)) p->v.tx /= 2;
  for (int i = 0; i < r->program->ninput; i++) p->v.wide |= (uint16_t)(is_wide(r, i, last, columns) << i);
}

static void choose_rows(plan *p) {
  const ma_reduction *r = p->reduction;
  int inner = r->space.ndim - 1;
  p->v.crosses = p->v.nreduced > 1 && r->space.shape[inner] % 4 != 0;
  for (int i = 0; i < r->program->ninput && !p->v.crosses; i++) p->v.wide |= (uint16_t)(is_wide(r, i, inner, 4) << i);
}

static void choose(plan *p) {
  const ma_reduction *r = p->reduction;
  bool upright = is_upright(r);
  p->kept = 1;
  for (int d = 0; d < r->nkept; d++) p->kept *= r->space.shape[d];
  p->span = red_span(p->kept, r->count) * RED_CHUNK;
  p->nspan = (r->count + p->span - 1) / p->span;
  memset(&p->v, 0, sizeof p->v);
  p->v.op = (uint8_t)r->op;
  p->v.result = (uint8_t)r->result;
  p->v.nkept = (uint8_t)r->nkept;
  p->v.nreduced = (uint8_t)(r->space.ndim - r->nkept);
  if ((r->count <= 32 && p->kept >= 512) || (upright && r->count <= 128 && p->kept >= 32768)) p->v.walk = WALK_THREADS;
  else if (upright && r->space.shape[r->nkept - 1] >= 4) p->v.walk = WALK_COLUMNS;
  else p->v.walk = WALK_ROWS;
  if (p->v.walk == WALK_COLUMNS) choose_columns(p);
  if (p->v.walk == WALK_ROWS) choose_rows(p);
  p->together = p->v.walk == WALK_ROWS && p->nspan > 1 && p->nspan <= MOST_TOGETHER;
}

/* ==== Launching ================================================================================================== */

typedef struct packer {
  char bytes[MA_MAX_SCALARS * 16 + (12 + MA_MAX_OPERANDS + 2 * MA_MAX_NDIM + MA_MAX_OPERANDS * MA_MAX_NDIM) * 8] __attribute__((aligned(16)));
  char *at;
} packer;

static inline void put(packer *to, const void *from, size_t size) { memcpy(to->at, from, size); to->at += size; }
static inline void put_int(packer *to, int64_t value) { put(to, &value, 8); }

/* The order of print_params. */
static void pack(packer *to, const plan *p, void *partial) {
  const ma_reduction *r = p->reduction;
  const ma_space *s = &r->space;
  char initial[16] = { 0 };
  to->at = to->bytes + ma_cuda_pack_scalars(r->program, r->scalar, to->bytes);
  put(to, &r->data[0], 8);
  put(to, &partial, 8);
  for (int k = 1; k < s->noperand; k++) put(to, &r->data[k], 8);
  int64_t numbers[6] = { r->count, p->kept, p->span, p->nspan, s->shape[r->nkept - 1], p->together | r->has_initial << 1 };
  put(to, numbers, sizeof numbers);
  put(to, &r->param, 8);
  if (r->has_initial) {
    ma_dtype dtype = value_dtype(r->program);
    float f = (float)r->initial.c.re;
    if (ma_dtypes[dtype].kind == MA_KIND_FLOAT && ma_dtypes[dtype].regsize == 4) memcpy(initial, &f, 4);
    else ma_value_store(initial, dtype, r->initial);
  }
  put(to, initial, 16);
  for (int d = 0; d < r->nkept; d++) { put_int(to, s->shape[d]); put_int(to, s->stride[0][d]); }
  put(to, s->shape + r->nkept, (size_t)p->v.nreduced * 8);
  for (int k = 1; k < s->noperand; k++) put(to, s->stride[k], (size_t)s->ndim * 8);
}

static int64_t blocks_of(const plan *p, unsigned *threads) {
  const ma_reduction *r = p->reduction;
  int64_t units = p->kept * p->nspan, warps = BLOCK / 32;
  *threads = BLOCK;
  if (p->v.walk == WALK_THREADS) return (p->kept + BLOCK - 1) / BLOCK;
  if (p->v.walk == WALK_COLUMNS) {
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

static int64_t bytes_read(const ma_reduction *r) {
  int64_t total = 0;
  for (int k = 1; k < r->space.noperand; k++) {
    int64_t bytes = ma_dtypes[r->program->input_dtype[k - 1]].itemsize;
    for (int d = 0; d < r->space.ndim; d++)
      if (r->space.stride[k][d]) bytes *= r->space.shape[d];
    total += bytes;
  }
  return total;
}

ma_status ma_cuda_reduce(ma_stream *stream, const ma_reduction *reduction) {
  const ma_program *program = reduction->program;
  uint8_t key[sizeof(variant) + sizeof(ma_program)];
  const CUfunction *entry;
  packer params;
  plan p = { .reduction = reduction };
  ma_buffer *partial = NULL;
  unsigned threads;
  MA_TRY(ma_cuda_enter(stream->device));
  choose(&p);
  memcpy(key, &p.v, sizeof p.v);
  size_t size = sizeof p.v + ma_program_key(program, key + sizeof p.v);
  source what = { program, &p.v };
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, key, size, &what, &entry));
  bool second = p.nspan > 1 && !p.together;
  if (second)
    MA_TRY(ma_buffer_new(stream->device, (size_t)(p.kept * p.nspan * partial_size(reduction->op, value_dtype(program), program->noutput > 1)),
                         &partial));
  pack(&params, &p, partial ? partial->ptr : NULL);
  int64_t blocks = blocks_of(&p, &threads);
  void *list[] = { params.bytes };
  ma_status status = ma_cuda_launch(stream, entry[0], (unsigned)blocks, threads, 0, list, ma_reduces[reduction->op].name,
                                    bytes_read(reduction));
  if (second) {
    for (threads = 32; threads < 1024 && threads < p.nspan; threads *= 2) {}
    if (status == MA_OK)
      status = ma_cuda_launch(stream, entry[1], (unsigned)p.kept, threads, 0, list, "merge spans", 0);
    ma_buffer_release(partial);
  }
  return status;
}
