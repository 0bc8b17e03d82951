/*
** fold.c: what reductions and scans share on a GPU: the instance of kernels/reduce/reduce.h as text, the functions by
** which a kernel reaches its operands, and the packing of `struct params`.
*/
#include "compile/body.h"
#include "cuda/kernels/fold.h"

#include <stdio.h>
#include <string.h>

/* ==== Types ====================================================================================================== */

static const char *const monoid_names[MA_NREDUCE] = {
#define REDUCE(name, monoid, result, flags, doc) #monoid,
#include "kernels/reduce/reduce.def"
#undef REDUCE
};

int ma_fold_monoid(ma_reduce_op op) {
  static const uint8_t ids[MA_NREDUCE] = {
#define REDUCE(name, monoid, result, flags, doc) RED_##monoid,
#include "kernels/reduce/reduce.def"
#undef REDUCE
  };
  return ids[op];
}

int ma_fold_nresult(const ma_program *p) { return p->body ? p->noutput : 1; }
int ma_fold_nwalked(const ma_program *p) { return p->ninput + (p->body && ma_body_get(p->body)->uses_index); }
static bool has_mask(const ma_program *p) { return !p->body && p->noutput > 1; }

ma_dtype ma_fold_value(const ma_program *p) { return ma_program_dtype(p, p->output[0]); }

int ma_fold_partial(ma_reduce_op op, const ma_program *program) {
  if (program->body) return ma_body_partial(ma_body_get(program->body));
  bool masked = program->noutput > 1;
  ma_dtype dtype = ma_fold_value(program);
  int monoid = ma_fold_monoid(op), value = ma_dtypes[dtype].regsize,
      wide = value > 8 || ma_dtypes[dtype].kind == MA_KIND_COMPLEX ? 16 : 8;
  switch (monoid) {
  case RED_sum:
  case RED_prod: return wide;
  case RED_mean: return masked ? wide + 8 : wide;
  case RED_moments: return wide == 16 ? 32 : 24;
  case RED_argmin:
  case RED_argmax: return value <= 8 ? 16 : 24;
  case RED_count: return 8;
  case RED_logaddexp: return 16;
  default: return value;
  }
}

/* Least and greatest value of a register type, as text. */
static void print_limits(ma_ctext *text, ma_dtype dtype) {
  static const char *const infinity[] = { "__int_as_float(0x7f800000)", "__longlong_as_double(0x7ff0000000000000ll)" };
  const ma_dtype_info *info = &ma_dtypes[dtype];
  int bits = info->itemsize * 8;
  const char *inf = infinity[info->regsize == 8 && info->kind == MA_KIND_FLOAT ? 1 : dtype == MA_COMPLEX128];
  switch (info->kind) {
  case MA_KIND_BOOL: ma_ctext_put(text, "#define RED_LOW 0\n#define RED_HIGH 1\n"); break;
  case MA_KIND_SIGNED:
    ma_ctext_add(text, "#define RED_LOW ((value)(1ull << %d))\n#define RED_HIGH ((value)((1ull << %d) - 1))\n",
                 bits - 1, bits - 1);
    break;
  case MA_KIND_UNSIGNED: ma_ctext_put(text, "#define RED_LOW ((value)0)\n#define RED_HIGH ((value)~(value)0)\n"); break;
  case MA_KIND_FLOAT: ma_ctext_add(text, "#define RED_LOW (-%s)\n#define RED_HIGH %s\n", inf, inf); break;
  default:
    ma_ctext_add(text, "static __device__ __forceinline__ value both(%s x) { value v; v.re = v.im = x; return v; }\n",
                 dtype == MA_COMPLEX64 ? "float" : "double");
    ma_ctext_add(text, "#define RED_LOW both(-%s)\n#define RED_HIGH both(%s)\n", inf, inf);
  }
}

static void print_monoid(ma_ctext *text, ma_reduce_op op, ma_dtype dtype, ma_dtype result, bool masked) {
  static const char *const sums[] = { "i8", "i8", "u8", "double", "ma_c128" };
  ma_kind kind = ma_dtypes[dtype].kind;
  const char *monoid = ma_fold_monoid(op) == RED_band && dtype == MA_BOOL ? "all" : monoid_names[op];
  ma_ctext_add(text, "typedef dt_%s::reg value;\ntypedef dt_%s result;\n", ma_cuda_suffix(dtype),
               ma_cuda_suffix(result));
  print_limits(text, dtype);
  ma_ctext_add(text,
               "#define RED(name) red_##name\n#define RED_MONOID RED_%s\n#define RED_CLASS %d\n#define RED_V "
               "value\n#define RED_W %s\n",
               monoid,
               kind == MA_KIND_COMPLEX ? RED_COMPLEX
               : kind == MA_KIND_FLOAT ? RED_FLOAT
                                       : RED_INT,
               sums[kind]);
  ma_ctext_add(text, "#define RED_MASKED %d\n#define MASKED %d\n", masked, masked);
  ma_ctext_put(text, ma_embedded("reduce.h"));
  /* From red_out to a register of the result: sums of floats are still doubles. */
  const char *root = op == MA_REDUCE_std ? "sqrt(o)" : "o";
  bool doubles = kind == MA_KIND_FLOAT || ma_fold_monoid(op) == RED_moments;
  bool sums_up = ma_fold_monoid(op) == RED_sum || ma_fold_monoid(op) == RED_prod || ma_fold_monoid(op) == RED_mean ||
                 ma_fold_monoid(op) == RED_moments || ma_fold_monoid(op) == RED_logaddexp;
  ma_ctext_put(text, "static __device__ __forceinline__ result::reg last_step(red_out o) { ");
  if (!sums_up || (!doubles && kind != MA_KIND_COMPLEX) || result == MA_FLOAT64 || result == MA_COMPLEX128)
    ma_ctext_add(text, "return %s; }\n", root);
  else if (result == MA_COMPLEX64)
    ma_ctext_put(text, "ma_c64 c; c.re = (float)o.re; c.im = (float)o.im; return c; }\n");
  else if (result == MA_FLOAT32) ma_ctext_add(text, "return (float)%s; }\n", root);
  else ma_ctext_add(text, "return ma_narrow(%s); }\n", root);
}

/* ==== Access functions =========================================================================================== */

static void print_params(ma_ctext *text, const ma_program *p, const ma_fold_variant *v) {
  ma_ctext_put(text, "struct params {\n  scalars s;\n  char *out, *partial;\n");
  int n = ma_fold_nwalked(p);
  for (int i = 0; i < n; i++) ma_ctext_add(text, "  const char *p%d;\n", i);
  ma_ctext_put(
    text, "  u8 count, kept, span, nspan, run, flags;\n  i8 step;\n  char *status;\n  double param;\n  u8 first[2];\n");
  for (int d = 0; d < v->nkept; d++) ma_ctext_add(text, "  u8 ke%d; i8 ko%d;\n", d, d);
  for (int d = 0; d < v->nreduced; d++) ma_ctext_add(text, "  u8 re%d;\n", d);
  for (int i = 0; i < n; i++) {
    for (int d = 0; d < v->nkept; d++) ma_ctext_add(text, "  i8 k%d_%d;", i, d);
    for (int d = 0; d < v->nreduced; d++) ma_ctext_add(text, "  i8 r%d_%d;", i, d);
    ma_ctext_put(text, "\n");
  }
  if (p->body) {
    ma_fold_print_body_params(text, p, v->nkept);
    ma_ctext_put(text, "};\n");
    return;
  }
  ma_ctext_put(text, "  __device__ __forceinline__ value initial() const { union { value v; u8 w[2]; } u; u.w[0] = "
                     "first[0]; u.w[1] = first[1]; "
                     "return u.v; }\n};\n");
}

/* A function from the number of a place to the offsets there: group is 'k' (results) or 'r' (reduced elements). */
static void print_offsets(ma_ctext *text, const char *name, char group, int ndim, int ninput) {
  ma_ctext_add(text, "static __device__ __forceinline__ offsets %s(const params &p, u8 n) {\n  offsets f;\n  u8 x;\n",
               name);
  for (int i = 0; i < ninput; i++) ma_ctext_add(text, "  f.o%d = 0;\n", i);
  for (int d = ndim - 1; d >= 0; d--) {
    if (d) ma_ctext_add(text, "  n = split(n, p.%ce%d, x);", group, d);
    else ma_ctext_put(text, "  x = n;");
    for (int i = 0; i < ninput; i++) ma_ctext_add(text, " f.o%d += (i8)x * p.%c%d_%d;", i, group, i, d);
    ma_ctext_put(text, "\n");
  }
  ma_ctext_put(text, "  return f;\n}\n");
}

static void print_place(ma_ctext *text, int nkept) {
  ma_ctext_put(
    text, "static __device__ __forceinline__ char *place_of(const params &p, u8 n) {\n  char *at = p.out;\n  u8 x;\n");
  for (int d = nkept - 1; d >= 1; d--) ma_ctext_add(text, "  n = split(n, p.ke%d, x); at += (i8)x * p.ko%d;\n", d, d);
  ma_ctext_put(text, "  return at + (i8)n * p.ko0;\n}\n");
}

/* A body sees its own types, and the index: `index_step` times `k` from the first of several. */
static void print_run_body(ma_ctext *text, const ma_program *p, const char *index, const char *to,
                           const char *index_step) {
  const ma_body *body = ma_body_get(p->body);
  ma_ctext_add(text, "x%s = ma_hold(ma_user_map(ma_extra_of(p)", to);
  for (int i = 0; i < p->ninput; i++)
    ma_ctext_add(text, ", us_%s::load(c%d%s)", ma_cuda_suffix((ma_dtype)p->input_dtype[i]), i, index);
  if (body->uses_index)
    ma_ctext_add(text, ", (ptrdiff_t)(p.p%d + b.o%d + f.o%d)%s", p->ninput, p->ninput, p->ninput, index_step);
  ma_ctext_put(text, "));\n");
}

/* The program on element `index` of what was loaded. */
static void print_run(ma_ctext *text, const ma_program *p, const char *index, const char *to, const char *index_step) {
  if (p->body) {
    print_run_body(text, p, index, to, index_step);
    return;
  }
  ma_ctext_put(text, "program(p.s");
  for (int i = 0; i < p->ninput; i++)
    ma_ctext_add(text, ", dt_%s::load(c%d%s)", ma_cuda_suffix((ma_dtype)p->input_dtype[i]), i, index);
  ma_ctext_add(text, ", x%s%s", to, p->noutput > 1 ? ", alive" : "");
  ma_ctext_add(text, ");%s%s%s\n", p->noutput > 1 ? " m" : "", p->noutput > 1 ? to : "",
               p->noutput > 1 ? " = alive;" : "");
}

/* Loads the element at f and runs the program on it. */
static void print_element(ma_ctext *text, const ma_program *p, const char *to) {
  for (int i = 0; i < p->ninput; i++) {
    const char *suffix = ma_cuda_suffix((ma_dtype)p->input_dtype[i]);
    ma_ctext_add(text, "  const dt_%s::mem c%d = *(const dt_%s::mem *)(p.p%d + b.o%d + f.o%d);\n", suffix, i, suffix, i,
                 i, i);
  }
  if (has_mask(p)) ma_ctext_put(text, "  u1 alive;\n");
  ma_ctext_put(text, "  ");
  print_run(text, p, "", to, "");
}

static void print_fetch(ma_ctext *text, const ma_program *p) {
  ma_ctext_put(
    text, "static __device__ __forceinline__ void fetch(const params &p, const offsets &b, u8 r, value &x, bool &m) {\n"
          "  const offsets f = reduced_at(p, r);\n");
  print_element(text, p, "");
  ma_ctext_put(text, "}\n");
}

/* Four neighbours that may lie on several rows: the place of the first is divided out, the others are a step on. */
static void print_fetch_crossing(ma_ctext *text, const ma_program *p, const ma_fold_variant *v) {
  int n = ma_fold_nwalked(p);
  ma_ctext_put(text, "  offsets f;\n");
  for (int i = 0; i < n; i++) ma_ctext_add(text, "  f.o%d = 0;\n", i);
  for (int d = v->nreduced - 1; d >= 0; d--) {
    if (d) ma_ctext_add(text, "  u8 x%d;\n  r = split(r, p.re%d, x%d);\n", d, d, d);
    else ma_ctext_put(text, "  u8 x0 = r;\n");
    for (int i = 0; i < n; i++) ma_ctext_add(text, "  f.o%d += (i8)x%d * p.r%d_%d;\n", i, d, i, d);
  }
  ma_ctext_put(text, "#pragma unroll\n  for (int k = 0; k < 4; k++) {\n");
  print_element(text, p, "[k]");
  for (int d = v->nreduced - 1; d >= 0; d--) {
    for (int i = 0; i < n; i++) ma_ctext_add(text, "  f.o%d += p.r%d_%d;\n", i, i, d);
    if (!d) break;
    ma_ctext_add(text, "  if (++x%d == p.re%d) {\n  x%d = 0;\n", d, d, d);
    for (int i = 0; i < n; i++) ma_ctext_add(text, "  f.o%d -= (i8)p.re%d * p.r%d_%d;\n", i, d, i, d);
  }
  for (int d = v->nreduced - 1; d > 0; d--) ma_ctext_put(text, "  }\n");
  ma_ctext_put(text, "  }\n}\n");
}

/* `count` neighbours, `step` bytes apart in input i where they are not read at once. */
static void print_fetch_many(ma_ctext *text, const ma_program *p, const ma_fold_variant *v) {
  bool rows = v->walk != MA_FOLD_COLUMNS;
  int n = rows ? 4 : v->columns, axis = rows ? v->nreduced - 1 : v->nkept - 1;
  ma_ctext_add(
    text,
    "static __device__ __forceinline__ void fetch_%s(const params &p, const offsets &b, u8 r%s, value *x, bool *m) {\n",
    rows ? "row" : "columns", rows ? "" : ", int n");
  if (rows && v->crosses) {
    print_fetch_crossing(text, p, v);
    return;
  }
  ma_ctext_put(text, "  const offsets f = reduced_at(p, r);\n");
  for (int i = 0; i < p->ninput; i++) {
    const char *suffix = ma_cuda_suffix((ma_dtype)p->input_dtype[i]);
    bool wide = v->wide >> i & 1;
    ma_ctext_add(text, "  pack<dt_%s::mem, %d> c%d;\n  const char *q%d = p.p%d + b.o%d + f.o%d;\n", suffix, n, i, i, i,
                 i, i);
    if (wide) ma_ctext_add(text, "  %sc%d.load_all(q%d);\n", rows ? "" : n > 1 ? "if (n == COLS) " : "", i, i);
    if (wide && (rows || n == 1)) continue;
    ma_ctext_add(text,
                 "  %s{\n#pragma unroll\n    for (int k = 0; k < %d; k++) c%d.v[k] = *(const dt_%s::mem *)(q%d + %s * "
                 "p.%c%d_%d);\n  }\n",
                 wide ? "else " : "", n, i, suffix, i, rows ? "k" : "(k < n ? k : 0)", rows ? 'r' : 'k', i, axis);
  }
  if (has_mask(p)) ma_ctext_put(text, "  u1 alive;\n");
  ma_ctext_add(text, "#pragma unroll\n  for (int k = 0; k < %d; k++) { ", n);
  char step[40];
  snprintf(step, sizeof step, " + k * p.%c%d_%d", rows ? 'r' : 'k', p->ninput, axis);
  print_run(text, p, ".v[k]", "[k]", step);
  ma_ctext_put(text, "  }\n}\n");
}

/* The same in two steps, so that what is loaded may be on its way while something else is done: rows of four, the last
** one of fewer. */
static void print_load_row(ma_ctext *text, const ma_program *p, const ma_fold_variant *v) {
  int last = v->nreduced - 1;
  ma_ctext_put(text, "struct loaded {");
  for (int i = 0; i < p->ninput; i++)
    ma_ctext_add(text, " pack<dt_%s::mem, 4> c%d;", ma_cuda_suffix((ma_dtype)p->input_dtype[i]), i);
  ma_ctext_put(text, " };\nstatic __device__ __forceinline__ void load_row(const params &p, const offsets &b, u8 r, "
                     "int n, loaded &c) {\n"
                     "  offsets f = reduced_at(p, r);\n");
  if (v->crosses)
    ma_ctext_put(
      text, "#pragma unroll\n  for (int k = 0; k < 4; k++) {\n    if (k >= n) break;\n    f = reduced_at(p, r + k);\n");
  for (int i = 0; i < p->ninput; i++) {
    const char *suffix = ma_cuda_suffix((ma_dtype)p->input_dtype[i]);
    if (v->crosses) {
      ma_ctext_add(text, "    c.c%d.v[k] = *(const dt_%s::mem *)(p.p%d + b.o%d + f.o%d);\n", i, suffix, i, i, i);
      continue;
    }
    ma_ctext_add(text, "  const char *q%d = p.p%d + b.o%d + f.o%d;\n", i, i, i, i);
    ma_ctext_put(text, v->wide >> i & 1 ? "  if (n == 4) "
                                        : "  if (n == 4) {\n#pragma unroll\n    for (int k = 0; k < 4; k++) ");
    if (v->wide >> i & 1) ma_ctext_add(text, "c.c%d.load_all(q%d);\n", i, i);
    else ma_ctext_add(text, "c.c%d.v[k] = *(const dt_%s::mem *)(q%d + k * p.r%d_%d);\n  }\n", i, suffix, i, i, last);
    ma_ctext_add(text,
                 "  else {\n#pragma unroll\n    for (int k = 0; k < 3; k++)\n      if (k < n) c.c%d.v[k] = *(const "
                 "dt_%s::mem *)(q%d + k * p.r%d_%d);\n  }\n",
                 i, suffix, i, i, last);
  }
  ma_ctext_put(text, v->crosses ? "  }\n}\n" : "}\n");
  ma_ctext_put(
    text, "static __device__ __forceinline__ void run_row(const params &p, const loaded &c, value *x, bool *m) {\n");
  for (int i = 0; i < p->ninput; i++)
    ma_ctext_add(text, "  const pack<dt_%s::mem, 4> &c%d = c.c%d;\n", ma_cuda_suffix((ma_dtype)p->input_dtype[i]), i,
                 i);
  if (has_mask(p)) ma_ctext_put(text, "  u1 alive;\n");
  ma_ctext_put(text, "#pragma unroll\n  for (int k = 0; k < 4; k++) { ");
  print_run(text, p, ".v[k]", "[k]", "");
  ma_ctext_put(text, "  }\n}\n");
}

void ma_fold_print_put_row(ma_ctext *text, const ma_fold_variant *v) {
  ma_ctext_put(
    text, "static __device__ __forceinline__ void put_row(const params &p, char *at, u8 r, int n, const value *x) {\n"
          "  char *q = at + (i8)r * p.step;\n");
  if (v->wide_out)
    ma_ctext_put(text, "  if (n == 4) {\n    pack<result::mem, 4> c;\n#pragma unroll\n    for (int k = 0; k < 4; k++) "
                       "c.v[k] = result::store(x[k]);\n"
                       "    c.store_all(q);\n    return;\n  }\n");
  ma_ctext_put(text, "#pragma unroll\n  for (int k = 0; k < 4; k++)\n    if (k < n) *(result::mem *)(q + k * p.step) = "
                     "result::store(x[k]);\n}\n");
}

/* Are two leaves of a chunk that is not full computed at once? That is slower to compile, and faster where a leaf is
** one long dependence; beside the walk of full chunks a position would not find the registers. */
static bool tail_at_once(ma_reduce_op op, bool brief) {
  int monoid = ma_fold_monoid(op);
  return monoid == RED_moments || (brief && (monoid == RED_argmin || monoid == RED_argmax));
}

void ma_fold_print(ma_ctext *text, const ma_fold_source *s) {
  static const char *const walks[] = { "ROWS", "COLUMNS", "THREADS", "BLOCKS", "WARPS", "COMPACT" };
  const ma_fold_variant *v = s->variant;
  const ma_program *p = s->program;
  int n = ma_fold_nwalked(p);
  if (p->body) ma_fold_print_body(text, p);
  else if (v->walk == MA_FOLD_COMPACT) {
    ma_cuda_print_program(text, p);
    ma_ctext_add(text, "typedef dt_%s::reg value;\ntypedef dt_%s result;\n", ma_cuda_suffix(ma_fold_value(p)),
                 ma_cuda_suffix((ma_dtype)v->result));
  } else {
    ma_cuda_print_program(text, p);
    if (v->narrow) ma_ctext_put(text, "#define RED_POSITION int\n");
    print_monoid(text, (ma_reduce_op)v->op, ma_fold_value(p), (ma_dtype)v->result, p->noutput > 1);
  }
  print_params(text, p, v);
  ma_ctext_put(text, "struct offsets {");
  for (int i = 0; i < n; i++) ma_ctext_add(text, " i8 o%d;", i);
  ma_ctext_put(
    text,
    " };\n"
    "static __device__ __forceinline__ u8 split(u8 n, u8 extent, u8 &rest) {\n"
    "  if ((n | extent) >> 32 == 0) { const u4 q = (u4)n / (u4)extent; rest = (u4)n - q * (u4)extent; return q; }\n"
    "  const u8 q = n / extent;\n  rest = n - q * extent;\n  return q;\n}\n");
  print_offsets(text, "kept_at", 'k', v->nkept, n);
  print_offsets(text, "reduced_at", 'r', v->nreduced, n);
  if (p->body) ma_fold_print_finish(text, p, v->nkept);
  else print_place(text, v->nkept);
  ma_ctext_add(text, "#define %s 1\n#define SHORT %d\n", walks[v->walk], v->brief);
  if (v->walk == MA_FOLD_COLUMNS)
    ma_ctext_add(text, "#define TX %d\n#define COLS %d\n#define COLUMN_BLOCKS %d\n", v->tx, v->columns,
                 ma_fold_partial((ma_reduce_op)v->op, p) <= 8 ? 2 : 1);
  if (v->walk == MA_FOLD_ROWS) /* a position needs more warps, not more registers */
    ma_ctext_add(text, "#define ROW_BLOCKS %d\n#define TAIL %d\n", v->narrow ? 2 : 1,
                 !p->body && tail_at_once((ma_reduce_op)v->op, v->brief) ? 2 : 1);
  if (v->walk == MA_FOLD_COMPACT) {
    print_load_row(text, p, v);
    return;
  }
  print_fetch(text, p);
  if (v->walk != MA_FOLD_THREADS && !(v->walk == MA_FOLD_ROWS && v->brief)) print_fetch_many(text, p, v);
}

/* ==== Layouts ==================================================================================================== */

/* Are `n` neighbours along `axis` one aligned access of the operand, wherever on the other axes? */
bool ma_fold_is_wide(const ma_space *space, void *const *data, int operand, int itemsize, int axis, int n) {
  const int64_t *stride = space->stride[operand];
  int bytes = itemsize * n < 16 ? itemsize * n : 16;
  uint64_t bits = (uint64_t)(uintptr_t)data[operand];
  if (stride[axis] != itemsize) return false;
  for (int d = 0; d < space->ndim; d++)
    if (d != axis) bits |= (uint64_t)stride[d];
  return (bits & (uint64_t)(bytes - 1)) == 0;
}

/* Asked of the first input that moves at all. */
bool ma_fold_is_upright(const ma_space *space, int nresult, int nkept) {
  for (int k = nresult; k < space->noperand; k++) {
    int64_t side = ma_magnitude(space->stride[k][nkept - 1]), down = ma_magnitude(space->stride[k][space->ndim - 1]);
    if (side || down) return side && (down == 0 || side < down);
  }
  return false;
}

/* ==== Parameters ================================================================================================= */

static inline void put(ma_fold_params *to, const void *from, size_t size) {
  memcpy(to->at, from, size);
  to->at += size;
}
static inline void put_int(ma_fold_params *to, int64_t value) { put(to, &value, 8); }

/* The order of print_params. */
void ma_fold_pack(ma_fold_params *to, const ma_program *program, const ma_value *scalar, const ma_space *s, int nkept,
                  void *const *data, const ma_fold_numbers *n) {
  char initial[16] = { 0 };
  int first = ma_fold_nresult(program);
  to->at = to->bytes + ma_cuda_pack_scalars(program, scalar, to->bytes);
  put(to, &data[0], 8);
  put(to, &n->partial, 8);
  for (int k = first; k < s->noperand; k++) put(to, &data[k], 8);
  put(to, &n->count, 7 * 8); /* count .. step */
  put(to, &n->status, 8);
  put(to, &n->param, 8);
  if (n->initial) {
    ma_dtype dtype = ma_fold_value(program);
    float f = (float)n->initial->c.re;
    if (ma_dtypes[dtype].kind == MA_KIND_FLOAT && ma_dtypes[dtype].regsize == 4) memcpy(initial, &f, 4);
    else ma_value_store(initial, dtype, *n->initial);
  }
  put(to, initial, 16);
  for (int d = 0; d < nkept; d++) {
    put_int(to, s->shape[d]);
    put_int(to, s->stride[0][d]);
  }
  put(to, s->shape + nkept, (size_t)(s->ndim - nkept) * 8);
  for (int k = first; k < s->noperand; k++) put(to, s->stride[k], (size_t)s->ndim * 8);
}

int64_t ma_fold_bytes(const ma_program *program, const ma_space *space, bool result) {
  int64_t total = 0;
  int first = ma_fold_nresult(program);
  for (int k = result ? 0 : first; k < first + program->ninput; k++) {
    int64_t bytes = ma_dtypes[k >= first ? program->input_dtype[k - first] : ma_fold_value(program)].itemsize;
    for (int d = 0; d < space->ndim; d++)
      if (space->stride[k][d]) bytes *= space->shape[d];
    total += bytes;
  }
  return total;
}
