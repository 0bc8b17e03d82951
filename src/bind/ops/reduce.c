/* reduce.c: reductions and scans in Lua: sum(a, axis?, ...), a:cumsum(2) ... Each row of `reductions` is a function.
** The handling of NaN and `where` becomes part of the program before the reduction, so the whole is one pass. */
#include "program/loop.h"
#include "run/direct.h"
#include "bind/ops/reduce.h"

#include <math.h>
#include <string.h>

/* ==== The table ================================================================================================== */

/* The handling of NaN before elements are combined; without effect if the dtype has no NaN. */
typedef enum nan_rule { KEEP, AS_0, AS_1, LEAVE_OUT } nan_rule;

/* The stack slot of each argument; 0: the function has no such argument. */
typedef struct slots {
  uint8_t axis, dtype, out, keepdims, initial, where, ddof, correction;
} slots;

static const slots FOLD = { 2, 3, 4, 5, 6, 7, 0, 0 };
static const slots EXTREME = { 2, 0, 3, 4, 5, 6, 0, 0 };
static const slots MEAN = { 2, 3, 4, 5, 0, 6, 0, 0 };
static const slots SPREAD
= { 2, 3, 4, 6, 0, 7, 5, 8 };
static const slots TRUTH = { 2, 0, 3, 4, 0, 5, 0, 0 };
static const slots RANGE = { 2, 0, 3, 4, 0, 0, 0, 0 };
static const slots PLACE = { 2, 5, 3, 4, 0, 0, 0, 0 };
static const slots COUNT = { 2, 0, 4, 3, 0, 5, 0, 0 };
static const slots SCAN = { 2, 3, 4, 0, 0, 0, 0, 0 };
#define FOLD_ARGS                                                                                                \
  "(a: data, axis?: integer|integer[], dtype?: dtype, out?: array, keepdims?: boolean, initial?: data, where?: " \
  "array) -> array"
#define EXTREME_ARGS \
  "(a: data, axis?: integer|integer[], out?: array, keepdims?: boolean, initial?: data, where?: array) -> array"
#define MEAN_ARGS \
  "(a: data, axis?: integer|integer[], dtype?: dtype, out?: array, keepdims?: boolean, where?: array) -> array"
#define SPREAD_ARGS                                                                                              \
  "(a: data, axis?: integer|integer[], dtype?: dtype, out?: array, ddof?: integer, keepdims?: boolean, where?: " \
  "array, correction?: number) -> array"
#define TRUTH_ARGS \
  "(a: data, axis?: integer|integer[], out?: array, keepdims?: boolean, where?: array) -> array|boolean"
#define RANGE_ARGS "(a: data, axis?: integer|integer[], out?: array, keepdims?: boolean) -> array"
#define PLACE_ARGS "(a: data, axis?: integer|integer[], out?: array, keepdims?: boolean; dtype?: dtype) -> array"
#define COUNT_ARGS "(a: data, axis?: integer|integer[], keepdims?: boolean, out?: array, where?: array) -> array"
#define SCAN_ARGS "(a: data, axis?: integer|integer[], dtype?: dtype, out?: array) -> array"

typedef struct reduction {
  const char *signature, *doc;
  ma_reduce_op op;
  nan_rule nan;
  const slots *slots;
} reduction;

static const reduction reductions[] = {
  { "sum" FOLD_ARGS, "Sum of elements along axes.", MA_REDUCE_sum, KEEP, &FOLD },
  { "prod" FOLD_ARGS, "Product of elements along axes.", MA_REDUCE_prod, KEEP, &FOLD },
  { "nansum" FOLD_ARGS, "Sum of elements, NaN taken as 0.", MA_REDUCE_sum, AS_0, &FOLD },
  { "nanprod" FOLD_ARGS, "Product of elements, NaN taken as 1.", MA_REDUCE_prod, AS_1, &FOLD },
  { "min" EXTREME_ARGS, "Smallest element; NaN if there is one.", MA_REDUCE_min, KEEP, &EXTREME },
  { "max" EXTREME_ARGS, "Largest element; NaN if there is one.", MA_REDUCE_max, KEEP, &EXTREME },
  { "amin" EXTREME_ARGS, "The same as min.", MA_REDUCE_min, KEEP, &EXTREME },
  { "amax" EXTREME_ARGS, "The same as max.", MA_REDUCE_max, KEEP, &EXTREME },
  { "nanmin" EXTREME_ARGS, "Smallest element that is not NaN.", MA_REDUCE_fmin, KEEP, &EXTREME },
  { "nanmax" EXTREME_ARGS, "Largest element that is not NaN.", MA_REDUCE_fmax, KEEP, &EXTREME },
  { "mean" MEAN_ARGS, "Arithmetic mean along axes; of integers in float64.", MA_REDUCE_mean, KEEP, &MEAN },
  { "nanmean" MEAN_ARGS, "Arithmetic mean of what is not NaN.", MA_REDUCE_mean, LEAVE_OUT, &MEAN },
  { "var" SPREAD_ARGS, "Variance: the sum of squared distances from the mean over the count less ddof.", MA_REDUCE_var,
    KEEP, &SPREAD },
  { "std" SPREAD_ARGS, "Standard deviation: the square root of var.", MA_REDUCE_std, KEEP, &SPREAD },
  { "nanvar" SPREAD_ARGS, "Variance of what is not NaN.", MA_REDUCE_var, LEAVE_OUT, &SPREAD },
  { "nanstd" SPREAD_ARGS, "Standard deviation of what is not NaN.", MA_REDUCE_std, LEAVE_OUT, &SPREAD },
  { "any" TRUTH_ARGS, "Is any element true? Without axis, keepdims and out a Lua boolean.", MA_REDUCE_any, KEEP,
    &TRUTH },
  { "all" TRUTH_ARGS, "Are all elements true? Without axis, keepdims and out a Lua boolean.", MA_REDUCE_all, KEEP,
    &TRUTH },
  { "argmin" PLACE_ARGS, "1-based position of the first smallest element along an axis; dtype: int64.",
    MA_REDUCE_argmin, KEEP, &PLACE },
  { "argmax" PLACE_ARGS, "1-based position of the first largest element along an axis; dtype: int64.", MA_REDUCE_argmax,
    KEEP, &PLACE },
  { "nanargmin" PLACE_ARGS, "Position of the first smallest element that is not NaN; waits.", MA_REDUCE_argmin,
    LEAVE_OUT, &PLACE },
  { "nanargmax" PLACE_ARGS, "Position of the first largest element that is not NaN; waits.", MA_REDUCE_argmax,
    LEAVE_OUT, &PLACE },
  { "count_nonzero" COUNT_ARGS, "Number of elements that are not 0.", MA_REDUCE_count_nonzero, KEEP, &COUNT },
  { "logsumexp" MEAN_ARGS, "Logarithm of the sum of the exponentials, without overflow.", MA_REDUCE_logaddexp, KEEP,
    &MEAN },
};

static const reduction scans[] = {
  { "cumsum" SCAN_ARGS, "Running sum along an axis, or over all elements in C order.", MA_REDUCE_sum, KEEP, &SCAN },
  { "cumprod" SCAN_ARGS, "Running product along an axis, or over all elements in C order.", MA_REDUCE_prod, KEEP,
    &SCAN },
  { "nancumsum" SCAN_ARGS, "Running sum, NaN taken as 0.", MA_REDUCE_sum, AS_0, &SCAN },
  { "nancumprod" SCAN_ARGS, "Running product, NaN taken as 1.", MA_REDUCE_prod, AS_1, &SCAN },
};

/* ==== The program before the reduction ============================================================================ */

typedef struct source {
  ma_program program;
  const ma_array *input[2];
  ma_value scalar[1];
} source;

static void make_source(source *s, const ma_array *a, nan_rule nan, const ma_array *where) {
  ma_dtype dtype = a->dtype;
  ma_program *program = &s->program;
  ma_program_clear(program);
  int x = ma_program_input(program, dtype), mask = -1;
  s->input[0] = a;
  if (ma_dtypes[dtype].kind < MA_KIND_FLOAT) nan = KEEP;
  if (where) {
    s->input[1] = where;
    mask = ma_program_input(program, MA_BOOL);
  }
  if (nan == AS_0 || nan == AS_1) {
    s->scalar[0].c = (ma_c128){ nan == AS_1, 0 };
    int args[3] = { ma_program_emit(program, MA_DO_is_nan, dtype, &x), ma_program_scalar(program, dtype), x };
    x = ma_program_emit(program, MA_DO_choose, dtype, args);
  } else if (nan == LEAVE_OUT) {
    int isnan = ma_program_emit(program, MA_DO_is_nan, dtype, &x);
    int args[2] = { ma_program_emit(program, MA_DO_not, MA_BOOL, &isnan), mask };
    mask = mask < 0 ? args[0] : ma_program_emit(program, MA_DO_both, MA_BOOL, args);
  }
  ma_program_output(program, x);
  if (mask >= 0) ma_program_output(program, mask);
}

/* ==== Arguments ================================================================================================== */

static bool is_given(lua_State *L, int slot) { return slot && !lua_isnil(L, slot); }

/* `true`, NumPy's default, means all elements. */
static const ma_array *read_where(lua_State *L, int slot, const ma_array *a) {
  if (!is_given(L, slot) || (lua_isboolean(L, slot) && lua_toboolean(L, slot))) return NULL;
  if (lua_isboolean(L, slot))
    ma_lua_fail(L, "where is a boolean; Lua's ==, < and not see no elements: write x:eq(0), x:lt(y)");
  const ma_array *where = ma_lua_asarray_on(L, slot, MA_NDTYPE, ma_array_device(a));
  if (where->dtype != MA_BOOL) ma_lua_fail(L, "where is %s; wanted a bool array", ma_lua_describe(L, slot));
  return where;
}

static void read_initial(lua_State *L, int slot, ma_value *value, ma_dtype *dtype, ma_weak *weak) {
  *weak = MA_STRONG;
  const ma_array *array = ma_lua_toarray(L, slot);
  if (array) {
    array = ma_lua_checkarray(L, slot);
    if (array->size != 1) ma_lua_fail(L, "initial is %s; wanted a number", ma_lua_describe(L, slot));
    MA_LUA_TRY(L, ma_array_item(array, ma_lua_stream_of(L, ma_array_device(array)), value));
    *dtype = array->dtype;
    return;
  }
  if (lua_isboolean(L, slot)) {
    value->u = (uint64_t)lua_toboolean(L, slot);
    *dtype = MA_BOOL;
    return;
  }
  if (!ma_lua_tovalue(L, slot, value, dtype, weak))
    ma_lua_fail(L, "initial is %s; wanted a number", ma_lua_describe(L, slot));
}

/* The number of axes of the broadcast with `where`, for which `axis` is meant. */
static int broadcast_ndim(const ma_array *a, const ma_array *where) {
  return where && where->ndim > a->ndim ? where->ndim : a->ndim;
}

static void read_options(lua_State *L, const slots *s, int ndim, ma_reduce_options *options, ma_value *initial) {
  options->axes = ma_lua_checkaxes(L, s->axis, ndim);
  options->keepdims = s->keepdims && ma_lua_optbool(L, s->keepdims, false);
  options->dtype = s->dtype ? ma_lua_checkdtype(L, s->dtype, MA_NDTYPE) : MA_NDTYPE;
  options->ddof = 0;
  options->initial = NULL;
  if (is_given(L, s->ddof)) options->ddof = ma_lua_checknumber(L, s->ddof, "ddof");
  if (is_given(L, s->correction)) {
    if (is_given(L, s->ddof)) ma_lua_fail(L, "ddof and correction; they are two names of one argument");
    options->ddof = ma_lua_checknumber(L, s->correction, "correction");
  }
  if (is_given(L, s->initial)) {
    read_initial(L, s->initial, initial, &options->initial_dtype, &options->initial_weak);
    options->initial = initial;
  }
}

static ma_array *push_out(lua_State *L, int slot) {
  if (!is_given(L, slot)) return ma_lua_newarray(L);
  ma_array *out = ma_lua_checkarray(L, slot);
  lua_pushvalue(L, slot);
  return out;
}

static void run(lua_State *L, ma_reduce_op op, const source *s, const ma_reduce_options *options, ma_array *out,
                ma_stream *stream) {
  ma_status status;
  int tries = 0;
  do status = ma_reduce_run(op, &s->program, s->input, s->scalar, options, out, stream);
  while (__builtin_expect(status != MA_OK, 0) && ma_lua_retry(L, status, &tries));
  ma_lua_check(L, status);
}

/* ==== Calls ====================================================================================================== */

/* Position 0 says that a slice had only NaN, which NumPy refuses. */
static void refuse_all_nan(lua_State *L, const ma_array *positions, ma_stream *stream) {
  if (positions->size == 0) return;
  source s;
  ma_value least;
  ma_reduce_options all = { .axes = (1u << positions->ndim) - 1, .dtype = MA_NDTYPE };
  make_source(&s, positions, KEEP, NULL);
  ma_array *lowest = ma_lua_newarray(L);
  run(L, MA_REDUCE_min, &s, &all, lowest, stream);
  MA_LUA_TRY(L, ma_array_item(lowest, stream, &least));
  lua_pop(L, 1);
  if (least.i == 0) ma_lua_fail(L, "All-NaN slice encountered; every slice needs an element that is not NaN");
}

static bool has_identity(ma_reduce_op op) { return ma_reduces[op].flags & MA_REDF_EMPTY; }

/* a:sum() */
static ma_array *reduce_all(lua_State *L, ma_reduce_op op) {
  source s;
  bool ran;
  const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(a));
  ma_array *out = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_direct_reduce(op, a, out, stream, &ran));
  if (ran) return out;
  const ma_reduce_options options = { .axes = (1u << a->ndim) - 1, .dtype = MA_NDTYPE };
  make_source(&s, a, KEEP, NULL);
  run(L, op, &s, &options, out, stream);
  return out;
}

/* Assigns to `out` if it is given, and restores the axis for keepdims; leaves the result on top. */
void ma_lua_deliver(lua_State *L, int out, ma_array *result, int axis, bool keepdims, ma_stream *stream) {
  if (keepdims) {
    memmove(result->shape + axis + 1, result->shape + axis, (size_t)(result->ndim - axis) * sizeof *result->shape);
    memmove(result->stride + axis + 1, result->stride + axis, (size_t)(result->ndim - axis) * sizeof *result->stride);
    result->shape[axis] = 1;
    result->stride[axis] = 0;
    result->ndim++;
  }
  if (lua_isnil(L, out)) return;
  ma_array *given = ma_lua_checkarray(L, out);
  if (given->ndim != result->ndim || memcmp(given->shape, result->shape, result->ndim * sizeof *result->shape)) {
    char shape[256];
    ma_lua_fail(L, "out is %s; the result has shape %s", ma_lua_describe(L, out),
                ma_shape_print(result->ndim, result->shape, shape, sizeof shape));
  }
  if (!ma_dtype_can_cast(result->dtype, given->dtype, true))
    ma_lua_fail(L, "out is %s; a result of dtype %s reaches it by no same_kind casting", ma_lua_describe(L, out),
                ma_dtypes[result->dtype].name);
  MA_LUA_TRY(L, ma_array_assign(given, result, stream));
  lua_pushvalue(L, out);
}

/* ==== mean, var and std in an integer dtype or bool ============================================================== */

/* As NumPy, casts each step to the dtype: a sum and a division, and for var also the sum of squared differences. */

static ma_array *push_result_of(lua_State *L, ma_opcode op, const ma_array *x, const ma_array *y, ma_stream *stream) {
  ma_arg arg[2] = { { .array = x }, { .array = y } };
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_ufunc_apply(&op, 1, arg, MA_NDTYPE, NULL, &result, stream));
  return result;
}

/* The number of elements of each result, less ddof, in float64. */
static ma_array *push_count(lua_State *L, const ma_array *a, const ma_array *where, const ma_reduce_options *options,
                            ma_stream *stream) {
  ma_array *count = ma_lua_newarray(L);
  ma_value less = { .c = { options->ddof, 0 } };
  if (where) {
    source s = { .input = { a, where } };
    ma_reduce_options of_mask = { .axes = options->axes, .keepdims = options->keepdims, .dtype = MA_FLOAT64 };
    ma_program_clear(&s.program);
    ma_program_input(&s.program, (ma_dtype)a->dtype);
    ma_program_output(&s.program, ma_program_input(&s.program, MA_BOOL));
    run(L, MA_REDUCE_sum, &s, &of_mask, count, stream);
  } else {
    double n = 1;
    for (int d = 0; d < a->ndim; d++) n *= options->axes >> d & 1 ? (double)a->shape[d] : 1;
    MA_LUA_TRY(L, ma_array_new(count, ma_array_device(a), MA_FLOAT64, 0, NULL));
    MA_LUA_TRY(L, ma_array_fill(count, (ma_value){ .c = { n, 0 } }, MA_FLOAT64, stream));
  }
  if (options->ddof == 0) return count;
  ma_arg left[2] = { { .array = count }, { .value = less, .dtype = MA_FLOAT64, .weak = MA_WEAK_FLOAT } };
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_ufunc_apply((const ma_opcode[]){ MA_DO_difference }, 1, left, MA_NDTYPE, NULL, &result, stream));
  ma_arg positive[2] = { { .array = result }, { .value = { .i = 0 }, .dtype = MA_INT64, .weak = MA_WEAK_INT } };
  ma_array *clipped = ma_lua_newarray(L);
  MA_LUA_TRY(L,
             ma_ufunc_apply((const ma_opcode[]){ MA_DO_greater_of }, 1, positive, MA_NDTYPE, NULL, &clipped, stream));
  return clipped;
}

/* The sum over the count in float64; the cast to the dtype truncates it. */
static ma_array *push_quotient(lua_State *L, const ma_array *a, const ma_array *where, const ma_reduce_options *options,
                               const ma_array *count, ma_stream *stream) {
  source s;
  ma_array *sum = ma_lua_newarray(L);
  make_source(&s, a, KEEP, where);
  run(L, MA_REDUCE_sum, &s, options, sum, stream);
  return push_result_of(L, MA_DO_quotient, sum, count, stream);
}

/* |x|^2 from the parts. */
static ma_array *push_squares(lua_State *L, const ma_array *x, ma_stream *stream) {
  if (ma_dtypes[x->dtype].kind != MA_KIND_COMPLEX) return push_result_of(L, MA_DO_product, x, x, stream);
  ma_array *re = push_result_of(L, MA_DO_real_part, x, x, stream),
           *im = push_result_of(L, MA_DO_imaginary_part, x, x, stream);
  return push_result_of(L, MA_DO_sum, push_squares(L, re, stream), push_squares(L, im, stream), stream);
}

static ma_array *reduce_whole(lua_State *L, ma_reduce_op op, const ma_array *a, const ma_array *where,
                              const ma_reduce_options *options, int out, ma_stream *stream) {
  ma_reduce_options plain = *options, kept = *options;
  plain.ddof = kept.ddof = 0;
  kept.keepdims = true;
  if (op != MA_REDUCE_mean) {
    const ma_array *count = push_count(L, a, where, &kept, stream);
    ma_array *mean = ma_lua_pushcopy(L, push_quotient(L, a, where, &kept, count, stream), options->dtype);
    ma_opcode less = a->dtype == MA_BOOL && mean->dtype == MA_BOOL ? MA_DO_differing_bits : MA_DO_difference;
    a = push_squares(L, push_result_of(L, less, a, mean, stream), stream);
  }
  const ma_array *count = push_count(L, a, where, options, stream);
  ma_array *quotient = push_quotient(L, a, where, &plain, count, stream);
  if (op == MA_REDUCE_std) {
    ma_array *variance = ma_lua_pushcopy(L, quotient, options->dtype);
    quotient = push_result_of(L, MA_DO_root, variance, variance, stream);
  }
  ma_array *result = ma_lua_pushcopy(L, quotient, options->dtype);
  if (is_given(L, out)) ma_lua_deliver(L, out, result, 0, false, stream);
  return ma_lua_toarray(L, -1);
}

/* nanvar and nanstd: NaN where ddof leaves nothing to divide by. */
static ma_array *void_spread(lua_State *L, const ma_array *a, const ma_array *where, const ma_reduce_options *options,
                             ma_array *spread, ma_stream *stream) {
  source s = { .input = { a, where } };
  ma_program_clear(&s.program);
  int x = ma_program_input(&s.program, (ma_dtype)a->dtype);
  int isnan = ma_program_emit(&s.program, MA_DO_is_nan, (ma_dtype)a->dtype, &x);
  int valid[2] = { ma_program_emit(&s.program, MA_DO_not, MA_BOOL, &isnan) };
  if (where) {
    valid[1] = ma_program_input(&s.program, MA_BOOL);
    valid[0] = ma_program_emit(&s.program, MA_DO_both, MA_BOOL, valid);
  }
  ma_program_output(&s.program, valid[0]);
  ma_reduce_options of_mask = { .axes = options->axes, .keepdims = options->keepdims, .dtype = MA_FLOAT64 };
  ma_array *count = ma_lua_newarray(L), *none = ma_lua_newarray(L), *result = ma_lua_newarray(L);
  run(L, MA_REDUCE_sum, &s, &of_mask, count, stream);
  ma_arg few[2] = { { .array = count },
                    { .value = { .c = { options->ddof, 0 } }, .dtype = MA_FLOAT64, .weak = MA_WEAK_FLOAT } };
  MA_LUA_TRY(L, ma_ufunc_apply((const ma_opcode[]){ MA_DO_is_at_most }, 1, few, MA_NDTYPE, NULL, &none, stream));
  ma_arg choice[3] = { { .array = none },
                       { .value = { .c = { NAN, 0 } }, .dtype = MA_FLOAT64, .weak = MA_WEAK_FLOAT },
                       { .array = spread } };
  MA_LUA_TRY(L, ma_ufunc_apply((const ma_opcode[]){ MA_DO_choose }, 1, choice, MA_NDTYPE, NULL, &result, stream));
  return result;
}

static ma_array *reduce_arranged(lua_State *L, ma_reduce_op op, nan_rule nan, const slots *slots) {
  source s;
  ma_reduce_options options;
  ma_value initial;
  const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
  const ma_array *where = read_where(L, slots->where, a);
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(a));
  read_options(L, slots, broadcast_ndim(a, where), &options, &initial);
  bool moment = op == MA_REDUCE_mean || op == MA_REDUCE_var || op == MA_REDUCE_std;
  bool spread = op == MA_REDUCE_var || op == MA_REDUCE_std;
  ma_kind asked = options.dtype == MA_NDTYPE ? MA_NKIND : ma_dtypes[options.dtype].kind;
  bool drops = spread && nan == KEEP && asked == MA_KIND_FLOAT && ma_dtypes[a->dtype].kind == MA_KIND_COMPLEX;
  if (moment && (asked < MA_KIND_FLOAT || drops)) {
    if (nan == LEAVE_OUT && ma_dtypes[a->dtype].kind >= MA_KIND_FLOAT)
      ma_lua_fail(L, "dtype %s for %s elements; where NaN may be, a float or complex one is wanted",
                  ma_dtypes[options.dtype].name, ma_dtypes[a->dtype].name);
    return reduce_whole(L, op, a, where, &options, slots->out, stream);
  }
  if (where && !options.initial && !has_identity(op))
    ma_lua_fail(L, "where without initial; %s has no identity, so initial must say what nothing gives",
                ma_reduces[op].name);
  make_source(&s, a, nan, where);
  bool voids = spread && nan == LEAVE_OUT && options.ddof > 0 && ma_dtypes[a->dtype].kind >= MA_KIND_FLOAT;
  ma_array *out = voids ? ma_lua_newarray(L) : push_out(L, slots->out);
  run(L, op, &s, &options, out, stream);
  if (voids) out = void_spread(L, a, where, &options, out, stream);
  if (voids && is_given(L, slots->out)) ma_lua_deliver(L, slots->out, out, 0, false, stream);
  if (nan == LEAVE_OUT && ma_reduces[op].flags & MA_REDF_POSITION) refuse_all_nan(L, out, stream);
  if (spread && asked == MA_KIND_COMPLEX && !is_given(L, slots->out)) out = ma_lua_pushcopy(L, out, options.dtype);
  return out;
}

/* ma.max(1, 2), ma.sum(1, 2, 3) and ma.max(a, b): what is meant for an operand stands where the axis is wanted. */
static void refuse_operands(lua_State *L, const reduction *r) {
  bool least = r->op == MA_REDUCE_min || r->op == MA_REDUCE_fmin,
       most = r->op == MA_REDUCE_max || r->op == MA_REDUCE_fmax;
  bool numbers = lua_type(L, 1) == LUA_TNUMBER && lua_type(L, 2) == LUA_TNUMBER;
  const char *text, *pair = least ? "minimum" : "maximum";
  if (!numbers && lua_type(L, 2) == LUA_TNUMBER && lua_type(L, 3) == LUA_TNUMBER)
    ma_lua_fail(L, "axis in several numbers; wanted one table, {%s, %s}", lua_tostring(L, 2), lua_tostring(L, 3));
  if (!numbers && !ma_lua_toarray(L, 2)) return;
  text = ma_lua_describe(L, 2); /* which takes longer than many a reduction */
  if (least || most)
    ma_lua_fail(L, "%s as axis%s; %s of two values, element by element, is ma.%s(a, b)", text,
                numbers ? " of a number, which has none" : "", least ? "the least" : "the greatest", pair);
  if (numbers) ma_lua_fail(L, "%s as axis of a number, which has none; several numbers are one table, {1, 2}", text);
}

static int reduce_call(lua_State *L) {
  const reduction *r = lua_touserdata(L, lua_upvalueindex(3));
  const slots *slots = r->slots;
  const ma_lua *state = ma_lua_state(L);
  bool alone = state->given == 1;
  if (state->tracing) {
    ma_lua_reduction traced = { r->op,        r->nan == AS_0, r->nan == AS_1,   r->nan == LEAVE_OUT, slots == &TRUTH,
                                slots->axis,  slots->dtype,   slots->out,       slots->keepdims,     slots->initial,
                                slots->where, slots->ddof,    slots->correction };
    if (ma_lua_state(L)->standin->reduce(L, &traced)) return 1;
  }
  if (!alone) refuse_operands(L, r);
  bool answer = slots == &TRUTH &&
                (alone || (lua_isnil(L, slots->axis) && lua_isnil(L, slots->out) && lua_isnil(L, slots->keepdims)));
  ma_array *out = alone && r->nan == KEEP ? reduce_all(L, r->op) : reduce_arranged(L, r->op, r->nan, slots);
  if (!answer) return 1;
  ma_value value;
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(out));
  MA_LUA_TRY(L, ma_array_item(out, stream, &value));
  lua_pushboolean(L, value.u != 0);
  return 1;
}

/* ptp(a, axis?, out?, keepdims?): the greatest less the smallest element. */
static int reduce_ptp(lua_State *L) {
  source s;
  ma_reduce_options options;
  ma_value initial;
  const ma_opcode subtract = MA_DO_difference;
  const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(a));
  read_options(L, &RANGE, a->ndim, &options, &initial);
  make_source(&s, a, KEEP, NULL);
  ma_array *greatest = ma_lua_newarray(L), *smallest = ma_lua_newarray(L);
  run(L, MA_REDUCE_max, &s, &options, greatest, stream);
  run(L, MA_REDUCE_min, &s, &options, smallest, stream);
  ma_arg arg[2] = { { .array = greatest }, { .array = smallest } };
  ma_array *out = push_out(L, RANGE.out);
  ma_status status;
  int tries = 0;
  do status = ma_ufunc_apply(&subtract, 1, arg, MA_NDTYPE, NULL, &out, stream);
  while (status != MA_OK && ma_lua_retry(L, status, &tries));
  ma_lua_check(L, status);
  return 1;
}

static void scan_arranged(lua_State *L, ma_reduce_op op, nan_rule nan, const ma_array *a, int axis) {
  source s;
  ma_status status;
  int tries = 0;
  ma_dtype dtype = ma_lua_checkdtype(L, SCAN.dtype, MA_NDTYPE);
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(a));
  make_source(&s, a, nan, NULL);
  ma_array *out = push_out(L, SCAN.out);
  do status = ma_scan_run(op, &s.program, s.input, s.scalar, axis, dtype, out, stream);
  while (status != MA_OK && ma_lua_retry(L, status, &tries));
  ma_lua_check(L, status);
}

/* Pushes the elements in C order as one axis: a view if the strides allow it. */
const ma_array *ma_lua_pushflat(lua_State *L, const ma_array *a) {
  static const int64_t all = -1;
  ma_status status;
  int tries = 0;
  int64_t size = a->size;
  ma_array *flat = ma_lua_newarray(L);
  do status = ma_array_reshape(flat, a, 1, size ? &all : &size, ma_lua_stream_of(L, ma_array_device(a)));
  while (status != MA_OK && ma_lua_retry(L, status, &tries));
  ma_lua_check(L, status);
  return flat;
}

static int scan_call(lua_State *L) {
  const reduction *r = lua_touserdata(L, lua_upvalueindex(3));
  int axis = 0;
  const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
  if (!lua_isnil(L, SCAN.axis)) axis = ma_lua_checkaxis(L, SCAN.axis, a->ndim);
  else if (a->ndim != 1) a = ma_lua_pushflat(L, a);
  scan_arranged(L, r->op, r->nan, a, axis);
  return 1;
}

/* ==== What ufunc.reduce and ufunc.accumulate take of it ======================================================== */

void ma_lua_reduce_monoid(lua_State *L, ma_reduce_op op) { reduce_arranged(L, op, KEEP, &FOLD); }

void ma_lua_scan_monoid(lua_State *L, ma_reduce_op op, const ma_array *a, int axis) {
  scan_arranged(L, op, KEEP, a, axis);
}

static void define(lua_State *L, const reduction *r, lua_CFunction call) {
  lua_pushlightuserdata(L, (void *)r);
  ma_lua_define(L, r->signature, r->doc, call, 1);
  lua_pop(L, 1);
}

static void make_reduction(lua_State *L, const void *of) { define(L, of, reduce_call); }
static void make_scan(lua_State *L, const void *of) { define(L, of, scan_call); }

static void postpone(lua_State *L, const reduction *r, size_t n, ma_lua_maker make) {
  for (size_t k = 0; k < n; k++)
    ma_lua_postpone(L, r[k].signature, (size_t)(strchr(r[k].signature, '(') - r[k].signature), make, &r[k]);
}

/* core.norm(a): the root of the sum of the squares of all elements, which are real; nothing inside a fused function. */
static int reduce_norm(lua_State *L) {
  if (ma_lua_istraced(L, 1)) return 0;
  const ma_array *a = ma_lua_checkarray(L, 1);
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(a));
  push_result_of(L, MA_DO_square, a, a, stream);
  lua_replace(L, 1);
  a = reduce_all(L, MA_REDUCE_sum);
  push_result_of(L, MA_DO_root, a, a, stream);
  return 1;
}

void ma_open_reduce(lua_State *L) {
  static const ma_function functions[] = {
    { "ptp" RANGE_ARGS, reduce_ptp, "Greatest element less the smallest." },
    { "core.norm(a)", reduce_norm, NULL },
    { NULL, NULL, NULL },
  };
  postpone(L, reductions, sizeof reductions / sizeof *reductions, make_reduction);
  postpone(L, scans, sizeof scans / sizeof *scans, make_scan);
  ma_lua_register(L, functions);
  ma_open_fold(L);
}
