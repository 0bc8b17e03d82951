/*
** fold.c: what reductions and scans share on a GPU: the instance of kernels/reduce/reduce.h as text, the lists
** by which kernels/reduce/fold.cuh reaches the operands, and the packing of `struct params`.
*/
#include "compile/body.h"
#include "cuda/kernels/fold.h"

#include <stdio.h>
#include <string.h>

/* ==== Types ====================================================================================================== */

static const char *const monoid_names[MA_NREDUCE] = {
#define REDUCE(name, monoid, ...) #monoid,
#include "kernels/reduce/reduce.def"
#undef REDUCE
};

static int monoid_of(ma_reduce_op op) {
  static const uint8_t ids[MA_NREDUCE] = {
#define REDUCE(name, monoid, ...) RED_##monoid,
#include "kernels/reduce/reduce.def"
#undef REDUCE
  };
  return ids[op];
}

bool ma_fold_is_moments(ma_reduce_op op) { return monoid_of(op) == RED_moments; }

int ma_fold_nresult(const ma_program *p) { return p->body ? p->noutput : 1; }
static int walked(const ma_program *p) { return p->ninput + (p->body && ma_body_get(p->body)->uses_index); }
static bool has_mask(const ma_program *p) { return !p->body && p->noutput > 1; }

ma_dtype ma_fold_value(const ma_program *p) { return ma_program_dtype(p, p->output[0]); }

int ma_fold_partial(ma_reduce_op op, const ma_program *program) {
  if (program->body) return ma_body_partial(ma_body_get(program->body));
  return ma_fold_partial_of(op, ma_fold_value(program), program->noutput > 1);
}

int ma_fold_partial_of(ma_reduce_op op, ma_dtype dtype, bool masked) {
  int monoid = monoid_of(op), value = ma_dtypes[dtype].regsize,
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

void ma_fold_print_monoid(ma_ctext *text, ma_reduce_op op, ma_dtype dtype, ma_dtype result, bool masked) {
  static const char *const sums[] = { "i8", "i8", "u8", "double", "ma_c128" };
  ma_kind kind = ma_dtypes[dtype].kind;
  const char *monoid = monoid_of(op) == RED_band && dtype == MA_BOOL ? "all" : monoid_names[op];
  ma_ctext_add(text, "typedef dt_%s::reg value;\n", ma_cuda_suffix(dtype));
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
  if (result == MA_NDTYPE) return;
  ma_ctext_add(text, "typedef dt_%s result;\n", ma_cuda_suffix(result));
  /* prints the way from red_out to a register of the result; sums of floats are still doubles here */
  const char *root = op == MA_REDUCE_std ? "sqrt(o)" : "o";
  bool doubles = kind == MA_KIND_FLOAT || monoid_of(op) == RED_moments;
  bool sums_up = monoid_of(op) == RED_sum || monoid_of(op) == RED_prod || monoid_of(op) == RED_mean ||
                 monoid_of(op) == RED_moments || monoid_of(op) == RED_logaddexp;
  ma_ctext_put(text, "#define FOLD_LAST_STEP ");
  if (!sums_up || (!doubles && kind != MA_KIND_COMPLEX) || result == MA_FLOAT64 || result == MA_COMPLEX128)
    ma_ctext_add(text, "return %s;\n", root);
  else if (result == MA_COMPLEX64) ma_ctext_put(text, "ma_c64 c; c.re = (float)o.re; c.im = (float)o.im; return c;\n");
  else if (result == MA_FLOAT32) ma_ctext_add(text, "return (float)%s;\n", root);
  else ma_ctext_add(text, "return ma_narrow(%s);\n", root);
}

/* ==== Lists for kernels/reduce/fold.cuh ========================================================================== */

static void print_operands(ma_ctext *text, const ma_program *p, const ma_fold_variant *v) {
  int n = walked(p), across = v->nkept - 1, along = v->nreduced - 1;
  ma_ctext_put(text, "#define FOLD_INPUTS(X, t)");
  for (int i = 0; i < p->ninput; i++)
    ma_ctext_add(text, " X(%d, %s, %s, t)", i, ma_cuda_suffix((ma_dtype)p->input_dtype[i]),
                 v->wide >> i & 1    ? "ALL"
                 : v->still >> i & 1 ? "STILL"
                                     : "EACH");
  ma_ctext_put(text, "\n#define FOLD_WALKED(X, t)");
  for (int i = 0; i < n; i++) ma_ctext_add(text, " X(%d, t)", i);
  ma_ctext_put(text, "\n#define FOLD_INDEX(X, t)");
  for (int i = p->ninput; i < n; i++) ma_ctext_add(text, " X(%d, t)", i);
  ma_ctext_add(text, "\n#define FOLD_ROW_STEP(i) p.r##i##_%d\n#define FOLD_COLUMN_STEP(i) p.k##i##_%d\n",
               along < 0 ? 0 : along, across < 0 ? 0 : across);
}

/* Prints the macros that list the kept or the reduced axes: all with the outermost first, the inner ones with the
** innermost first, and the outermost alone. */
static void print_axes(ma_ctext *text, const char *name, int ndim) {
  ma_ctext_add(text, "#define FOLD_%s(X, t)", name);
  for (int d = 0; d < ndim; d++) ma_ctext_add(text, " X(%d, t)", d);
  ma_ctext_add(text, "\n#define FOLD_%s_INNER(X)", name);
  for (int d = ndim - 1; d >= 1; d--) ma_ctext_add(text, " X(%d)", d);
  ma_ctext_add(text, "\n#define FOLD_%s_OUTER(X)%s\n", name, ndim ? " X(0)" : "");
}

void ma_fold_print(ma_ctext *text, const ma_fold_source *s) {
  static const char *const walks[] = { "ROWS", "COLUMNS", "THREADS", "BLOCKS", "WARPS", "COMPACT" };
  const ma_fold_variant *v = s->variant;
  const ma_program *p = s->program;
  if (p->body) ma_fold_print_body(text, p);
  else if (v->walk == MA_FOLD_COMPACT) {
    ma_print_program(text, p);
    ma_ctext_add(text, "typedef dt_%s::reg value;\ntypedef dt_%s result;\n", ma_cuda_suffix(ma_fold_value(p)),
                 ma_cuda_suffix((ma_dtype)v->result));
  } else {
    ma_print_program(text, p);
    if (v->narrow) ma_ctext_put(text, "#define RED_POSITION int\n");
    ma_fold_print_monoid(text, (ma_reduce_op)v->op, ma_fold_value(p), (ma_dtype)v->result, p->noutput > 1);
  }
  print_operands(text, p, v);
  print_axes(text, "KEPT", v->nkept);
  print_axes(text, "REDUCED", v->nreduced);
  if (p->body) ma_fold_print_body_params(text, p, v->nkept);
  ma_ctext_add(text, "#define %s 1\n#define SHORT %d\n#define SEGMENTS %d\n#define PARTIAL %d\n#define INITIAL %d\n",
               walks[v->walk], v->brief, v->segments, v->result == MA_NDTYPE, v->initial);
  if (v->walk == MA_FOLD_COLUMNS)
    ma_ctext_add(text, "#define TX %d\n#define COLS %d\n#define COLUMN_BLOCKS %d\n", v->tx, v->columns,
                 ma_fold_partial((ma_reduce_op)v->op, p) <= 8 ? 2 : 1);
  if (v->walk == MA_FOLD_ROWS) /* a position needs more warps, not more registers */
    ma_ctext_add(text, "#define ROW_BLOCKS %d\n#define TAIL %d\n", v->narrow ? 2 : 1, v->tail);
  ma_ctext_add(text, "#define FOLD_MASKED %d\n#define FOLD_CROSSES %d\n#define FOLD_FETCHES %d\n", has_mask(p),
               v->crosses,
               v->walk == MA_FOLD_COMPACT                                            ? 0
               : v->walk == MA_FOLD_THREADS || (v->walk == MA_FOLD_ROWS && v->brief) ? 1
                                                                                     : 2);
  ma_ctext_put(text, ma_embedded("split.cuh"));
  ma_ctext_put(text, ma_embedded("fold.cuh"));
  if (p->body) ma_fold_print_finish(text, p, v->nkept);
}

/* ==== Layouts ==================================================================================================== */

/* Whether `n` neighbours along `axis` are one aligned access of the operand, at every position on the other axes. */
bool ma_fold_is_wide(const ma_space *space, void *const *data, int operand, int itemsize, int axis, int n) {
  const int64_t *stride = space->stride[operand];
  int bytes = itemsize * n < 16 ? itemsize * n : 16;
  uint64_t bits = (uint64_t)(uintptr_t)data[operand];
  if (stride[axis] != itemsize) return false;
  for (int d = 0; d < space->ndim; d++)
    if (d != axis) bits |= (uint64_t)stride[d];
  return (bits & (uint64_t)(bytes - 1)) == 0;
}

/* Whether results lie closer together than the elements of one result. The first input that moves at all decides. */
bool ma_fold_is_upright(const ma_space *space, int nresult, int nkept) {
  for (int k = nresult; k < space->noperand; k++) {
    int64_t side = ma_magnitude(space->stride[k][nkept - 1]), down = ma_magnitude(space->stride[k][space->ndim - 1]);
    if (side || down) return side && (down == 0 || side < down);
  }
  return false;
}

/* ==== Parameters ================================================================================================= */

static inline void put_int(ma_fold_params *to, int64_t value) { ma_fold_put(to, &value, 8); }

_Static_assert(MA_MAX_SCALARS * 16 + (2 + MA_MAX_INPUTS + 9 + 2 + 2 * MA_MAX_NDIM + MA_MAX_INPUTS * MA_MAX_NDIM) * 8 <=
                 4096,
               "the parameters of a reduction that the library makes fit a kernel's");

/* The order of fold.cuh's `struct params`. */
void ma_fold_pack(ma_fold_params *to, const ma_program *program, const ma_value *scalar, const ma_space *s, int nkept,
                  void *const *data, const ma_fold_numbers *n) {
  char initial[16] = { 0 };
  int first = ma_fold_nresult(program);
  to->at = to->bytes + ma_pack_scalars(program, scalar, to->bytes);
  ma_fold_put(to, &data[0], 8);
  ma_fold_put(to, &n->partial, 8);
  for (int k = first; k < s->noperand; k++) ma_fold_put(to, &data[k], 8);
  ma_fold_put(to, &n->count, 7 * 8); /* count .. step */
  ma_fold_put(to, &n->status, 8);
  ma_fold_put(to, &n->param, 8);
  if (n->initial) {
    ma_dtype dtype = ma_fold_value(program);
    float f = (float)n->initial->c.re;
    if (ma_dtypes[dtype].kind == MA_KIND_FLOAT && ma_dtypes[dtype].regsize == 4) memcpy(initial, &f, 4);
    else ma_value_store(initial, dtype, *n->initial);
  }
  ma_fold_put(to, initial, 16);
  for (int d = 0; d < nkept; d++) {
    put_int(to, s->shape[d]);
    put_int(to, s->stride[0][d]);
  }
  ma_fold_put(to, s->shape + nkept, (size_t)(s->ndim - nkept) * 8);
  for (int k = first; k < s->noperand; k++) ma_fold_put(to, s->stride[k], (size_t)s->ndim * 8);
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
