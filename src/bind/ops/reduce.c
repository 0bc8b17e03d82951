/* reduce.c: reductions and scans in Lua: sum(a, axis?, ...), a:cumsum(2) ... Each row of `reductions` is a function. */
//# reduce
#include "bind/ops/reduce.h"

#include <string.h>

/* ==== The table ================================================================================================== */

#define KEEP MA_NAN_KEEP
#define AS_0 MA_NAN_AS_0
#define AS_1 MA_NAN_AS_1
#define LEAVE_OUT MA_NAN_LEAVE_OUT

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
  ma_nan nan;
  const slots *slots;
} reduction;

static const reduction reductions[] = {
  //> sum({{1, 2}, {3, 4}}, 1)
  { "sum" FOLD_ARGS, "Sum of elements along axes.", MA_REDUCE_sum, KEEP, &FOLD },
  //> prod({1, 2, 3, 4})
  { "prod" FOLD_ARGS, "Product of elements along axes.", MA_REDUCE_prod, KEEP, &FOLD },
  //> nansum({1, ma.nan, 3})
  { "nansum" FOLD_ARGS, "Sum of elements, NaN taken as 0.", MA_REDUCE_sum, AS_0, &FOLD },
  //> nanprod({2, ma.nan, 3})
  { "nanprod" FOLD_ARGS, "Product of elements, NaN taken as 1.", MA_REDUCE_prod, AS_1, &FOLD },
  //> min({{1, 5}, {3, 2}}, 1)
  { "min" EXTREME_ARGS, "Smallest element; NaN if there is one.", MA_REDUCE_min, KEEP, &EXTREME },
  //> max({{1, 5}, {3, 2}}, 1)
  { "max" EXTREME_ARGS, "Largest element; NaN if there is one.", MA_REDUCE_max, KEEP, &EXTREME },
  //> amin({1, 5, 3})
  { "amin" EXTREME_ARGS, "The same as min.", MA_REDUCE_min, KEEP, &EXTREME },
  //> amax({1, 5, 3})
  { "amax" EXTREME_ARGS, "The same as max.", MA_REDUCE_max, KEEP, &EXTREME },
  //> nanmin({1, ma.nan, 3})
  { "nanmin" EXTREME_ARGS, "Smallest element that is not NaN.", MA_REDUCE_fmin, KEEP, &EXTREME },
  //> nanmax({1, ma.nan, 3})
  { "nanmax" EXTREME_ARGS, "Largest element that is not NaN.", MA_REDUCE_fmax, KEEP, &EXTREME },
  //> mean({{1, 2}, {3, 4}}, 1)
  { "mean" MEAN_ARGS, "Arithmetic mean along axes; of integers in float64.", MA_REDUCE_mean, KEEP, &MEAN },
  //> nanmean({1, ma.nan, 3})
  { "nanmean" MEAN_ARGS, "Arithmetic mean of what is not NaN.", MA_REDUCE_mean, LEAVE_OUT, &MEAN },
  //> var({1, 2, 3, 4})
  { "var" SPREAD_ARGS, "Variance: the sum of squared distances from the mean over the count less ddof.", MA_REDUCE_var,
    KEEP, &SPREAD },
  //> std({1, 2, 3, 4})
  { "std" SPREAD_ARGS, "Standard deviation: the square root of var.", MA_REDUCE_std, KEEP, &SPREAD },
  //> nanvar({1, ma.nan, 3})
  { "nanvar" SPREAD_ARGS, "Variance of what is not NaN.", MA_REDUCE_var, LEAVE_OUT, &SPREAD },
  //> nanstd({1, ma.nan, 3})
  { "nanstd" SPREAD_ARGS, "Standard deviation of what is not NaN.", MA_REDUCE_std, LEAVE_OUT, &SPREAD },
  //> any({false, true})
  { "any" TRUTH_ARGS, "Is any element true? Without axis, keepdims and out a Lua boolean.", MA_REDUCE_any, KEEP,
    &TRUTH },
  //> all({false, true})
  { "all" TRUTH_ARGS, "Are all elements true? Without axis, keepdims and out a Lua boolean.", MA_REDUCE_all, KEEP,
    &TRUTH },
  //> argmin({4, 5, 3})
  { "argmin" PLACE_ARGS, "1-based position of the first smallest element along an axis; dtype: int64.",
    MA_REDUCE_argmin, KEEP, &PLACE },
  //> argmax({1, 5, 3})
  { "argmax" PLACE_ARGS, "1-based position of the first largest element along an axis; dtype: int64.", MA_REDUCE_argmax,
    KEEP, &PLACE },
  //> nanargmin({1, ma.nan, 3})
  { "nanargmin" PLACE_ARGS, "Position of the first smallest element that is not NaN; waits.", MA_REDUCE_argmin,
    LEAVE_OUT, &PLACE },
  //> nanargmax({1, ma.nan, 3})
  { "nanargmax" PLACE_ARGS, "Position of the first largest element that is not NaN; waits.", MA_REDUCE_argmax,
    LEAVE_OUT, &PLACE },
  //> count_nonzero({0, 3, 4})
  { "count_nonzero" COUNT_ARGS, "Number of elements that are not 0.", MA_REDUCE_count_nonzero, KEEP, &COUNT },
  //> logsumexp({0, 0})
  { "logsumexp" MEAN_ARGS, "Logarithm of the sum of the exponentials, without overflow.", MA_REDUCE_logaddexp, KEEP,
    &MEAN },
};

static const reduction scans[] = {
  //> cumsum({1, 2, 3})
  { "cumsum" SCAN_ARGS, "Running sum along an axis, or over all elements in C order.", MA_REDUCE_sum, KEEP, &SCAN },
  //> cumprod({1, 2, 3})
  { "cumprod" SCAN_ARGS, "Running product along an axis, or over all elements in C order.", MA_REDUCE_prod, KEEP,
    &SCAN },
  //> nancumsum({1, ma.nan, 3})
  { "nancumsum" SCAN_ARGS, "Running sum, NaN taken as 0.", MA_REDUCE_sum, AS_0, &SCAN },
  //> nancumprod({1, ma.nan, 3})
  { "nancumprod" SCAN_ARGS, "Running product, NaN taken as 1.", MA_REDUCE_prod, AS_1, &SCAN },
};

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
    MA_LUA_TRY(L, ma_array_item(array, ma_lua_streamfor(L, array), value));
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
  options->folds = s == &FOLD;
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

/* ==== Calls ====================================================================================================== */

/* a:sum() */
static ma_array *reduce_all(lua_State *L, ma_reduce_op op) {
  const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
  ma_array *out = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_reduce_all(op, a, out, ma_lua_streamfor(L, a)));
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

static ma_array *reduce_arranged(lua_State *L, ma_reduce_op op, ma_nan nan, const slots *slots) {
  ma_reduce_options options;
  ma_value initial;
  const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
  const ma_array *where = read_where(L, slots->where, a);
  ma_stream *stream = ma_lua_streamfor(L, a);
  read_options(L, slots, broadcast_ndim(a, where), &options, &initial);
  bool apart = ma_reduce_is_stepwise(op, a, nan, &options), given = is_given(L, slots->out);
  ma_array *out = apart ? ma_lua_newarray(L) : push_out(L, slots->out);
  MA_LUA_TRY(L, (apart ? ma_reduce_in_steps : ma_reduce_array)(op, a, where, nan, &options, out, stream));
  if (apart && given) ma_lua_deliver(L, slots->out, out, 0, false, stream);
  bool spread = op == MA_REDUCE_var || op == MA_REDUCE_std; /* which is real */
  if (spread && !given && options.dtype != MA_NDTYPE && ma_dtypes[options.dtype].kind == MA_KIND_COMPLEX)
    out = ma_lua_pushcopy(L, out, options.dtype);
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
    if (state->standin->reduce(L, &traced)) return 1;
  }
  if (!alone) refuse_operands(L, r);
  bool answer = slots == &TRUTH &&
                (alone || (lua_isnil(L, slots->axis) && lua_isnil(L, slots->out) && lua_isnil(L, slots->keepdims)));
  ma_array *out = alone && r->nan == KEEP ? reduce_all(L, r->op) : reduce_arranged(L, r->op, r->nan, slots);
  if (!answer) return 1;
  ma_value value;
  ma_stream *stream = ma_lua_streamfor(L, out);
  MA_LUA_TRY(L, ma_array_item(out, stream, &value));
  lua_pushboolean(L, value.u != 0);
  return 1;
}

/* ptp(a, axis?, out?, keepdims?): the greatest less the smallest element. */
static int reduce_ptp(lua_State *L) {
  ma_reduce_options options;
  ma_value initial;
  const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
  read_options(L, &RANGE, a->ndim, &options, &initial);
  ma_array *out = push_out(L, RANGE.out);
  MA_LUA_TRY(L, ma_reduce_range(a, &options, out, ma_lua_streamfor(L, a)));
  return 1;
}

static void scan_arranged(lua_State *L, ma_reduce_op op, ma_nan nan, const ma_array *a, int axis) {
  ma_dtype dtype = ma_lua_checkdtype(L, SCAN.dtype, MA_NDTYPE);
  ma_array *out = push_out(L, SCAN.out);
  MA_LUA_TRY(L, ma_scan_array(op, a, nan, axis, dtype, out, ma_lua_streamfor(L, a)));
}

/* Pushes the elements in C order as one axis: a view if the strides allow it. */
const ma_array *ma_lua_pushflat(lua_State *L, const ma_array *a) {
  static const int64_t all = -1;
  int64_t size = a->size;
  ma_array *flat = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_reshape(flat, a, 1, size ? &all : &size, ma_lua_streamfor(L, a)));
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
  ma_array *out = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_reduce_norm(a, out, ma_lua_streamfor(L, a)));
  return 1;
}

void ma_open_reduce(lua_State *L) {
  static const ma_function functions[] = {
    //> ptp({1, 5, 3})
    { "ptp" RANGE_ARGS, reduce_ptp, "Greatest element less the smallest." },
    { "core.norm(a)", reduce_norm, NULL },
    { NULL, NULL, NULL },
  };
  postpone(L, reductions, sizeof reductions / sizeof *reductions, make_reduction);
  postpone(L, scans, sizeof scans / sizeof *scans, make_scan);
  ma_lua_register(L, functions);
  ma_open_fold(L);
}
