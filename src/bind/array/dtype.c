/* dtype.c: queries about dtypes. In Lua a dtype is its name, a string. The core has promotion and casting. */
//# dtypes
#include "bind/bind.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int push_dtype(lua_State *L, ma_dtype dtype) {
  ma_lua_pushdtype(L, dtype);
  return 1;
}

/* A dtype by its name, or that of an array. */
static ma_dtype read_dtype(lua_State *L, int index) {
  const ma_array *array = ma_lua_toarray(L, index);
  if (array) return ma_lua_checkarray(L, index)->dtype;
  if (lua_isnoneornil(L, index)) ma_lua_fail(L, "no value; a dtype or an array");
  return ma_lua_checkdtype(L, index, MA_FLOAT64);
}

static int dtype_promote_types(lua_State *L) {
  return push_dtype(L, ma_dtype_promote(read_dtype(L, 1), read_dtype(L, 2)));
}

/* Strong types are promoted first, then weak scalars: NumPy 2's order. */
static int dtype_result_type(lua_State *L) {
  int top = lua_gettop(L);
  ma_dtype dtype;
  uint32_t strong = 0;
  ma_weak weakest = MA_STRONG;
  if (!top) return ma_lua_fail(L, "no argument; arrays, dtypes or numbers");
  for (int k = 1; k <= top; k++) {
    if (lua_type(L, k) == LUA_TSTRING) {
      dtype = read_dtype(L, k);
    } else {
      ma_arg arg;
      ma_lua_checkarg(L, k, &arg);
      if (!arg.array && arg.weak != MA_STRONG) {
        weakest = arg.weak > weakest ? arg.weak : weakest;
        continue;
      }
      dtype = arg.array ? (ma_dtype)arg.array->dtype : arg.dtype;
    }
    strong |= 1u << dtype;
  }
  return push_dtype(L,
                    strong ? ma_dtype_promote_weak(ma_dtype_promote_set(strong), weakest) : ma_dtype_of_weak(weakest));
}

static int dtype_can_cast(lua_State *L) {
  static const char *const names[] = { "no", "equiv", "safe", "same_kind", "unsafe", NULL };
  const char *casting;
  ma_dtype from, to;
  bool answer[5];
  from = read_dtype(L, 1);
  to = read_dtype(L, 2);
  casting = lua_isnil(L, 3) ? "safe" : lua_tostring(L, 3);
  answer[0] = answer[1] = from == to;
  answer[2] = ma_dtype_can_cast(from, to, false);
  answer[3] = ma_dtype_can_cast(from, to, true);
  answer[4] = true;
  for (int k = 0; casting && names[k]; k++)
    if (!strcmp(casting, names[k])) {
      lua_pushboolean(L, answer[k]);
      return 1;
    }
  return ma_lua_fail(L, "%s for casting; \"no\", \"equiv\", \"safe\", \"same_kind\" or \"unsafe\"",
                     ma_lua_describe(L, 3));
}

/* NumPy's abstract types and the array API's kinds, as sets of ma_kind. */
#define BIT(kind) (1u << MA_KIND_##kind)
static const struct {
  const char *name;
  unsigned kinds;
} families[] = {
  { "generic", ~0u },
  { "number", ~BIT(BOOL) },
  { "numeric", ~BIT(BOOL) },
  { "integer", BIT(SIGNED) | BIT(UNSIGNED) },
  { "integral", BIT(SIGNED) | BIT(UNSIGNED) },
  { "signedinteger", BIT(SIGNED) },
  { "signed integer", BIT(SIGNED) },
  { "unsignedinteger", BIT(UNSIGNED) },
  { "unsigned integer", BIT(UNSIGNED) },
  { "inexact", BIT(FLOAT) | BIT(COMPLEX) },
  { "floating", BIT(FLOAT) },
  { "real floating", BIT(FLOAT) },
  { "complexfloating", BIT(COMPLEX) },
  { "complex floating", BIT(COMPLEX) },
};

/* Slots 1 and 2: a dtype, and a family or another dtype. Pushes a boolean. */
static int is_of(lua_State *L) {
  ma_dtype dtype;
  const char *family;
  dtype = read_dtype(L, 1);
  family = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  for (size_t k = 0; k < sizeof families / sizeof *families; k++)
    if (!strcmp(family, families[k].name)) {
      lua_pushboolean(L, families[k].kinds & 1u << ma_dtypes[dtype].kind);
      return 1;
    }
  lua_pushboolean(L, dtype == read_dtype(L, 2));
  return 1;
}

static int dtype_issubdtype(lua_State *L) { return is_of(L); }

/* isdtype(dtype, kind): a kind, or a table of kinds of which one must match. */
static int dtype_isdtype(lua_State *L) {
  bool any = false;
  if (!lua_istable(L, 2)) return is_of(L);
  lua_settop(L, 2);
  int n = (int)lua_objlen(L, 2);
  lua_pushvalue(L, 2);
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, 3, k);
    lua_replace(L, 2);
    is_of(L);
    any |= lua_toboolean(L, -1);
    lua_settop(L, 3);
  }
  lua_pushboolean(L, any);
  return 1;
}

static ma_dtype smallest_integer(ma_value value, bool is_unsigned) {
  static const ma_dtype order[2][4] = { { MA_INT8, MA_INT16, MA_INT32, MA_INT64 },
                                        { MA_UINT8, MA_UINT16, MA_UINT32, MA_UINT64 } };
  int width = 0;
  if (is_unsigned)
    while (width < 3 && value.u >> (8 << width)) width++;
  else
    while (width < 3 && value.i < -(INT64_C(1) << ((8 << width) - 1))) width++;
  return order[is_unsigned][width];
}

/* As in NumPy, the only question is whether the value overflows: 0.1 gives float16. */
static ma_dtype smallest_float(double re, double im, bool is_complex) {
  double size = fmax(isfinite(re) ? fabs(re) : 0, isfinite(im) ? fabs(im) : 0);
  if (is_complex) return size <= FLT_MAX ? MA_COMPLEX64 : MA_COMPLEX128;
  return size < 65000 ? MA_FLOAT16 : size < 3.4e38 ? MA_FLOAT32 : MA_FLOAT64;
}

static int dtype_min_scalar_type(lua_State *L) {
  ma_arg arg;
  ma_lua_checkarg(L, 1, &arg);
  if (arg.array && arg.array->ndim > 0) return push_dtype(L, arg.array->dtype);
  if (arg.array) {
    arg.dtype = arg.array->dtype;
    MA_LUA_TRY(L, ma_array_item(arg.array, ma_lua_streamfor(L, arg.array), &arg.value));
  }
  switch (ma_dtypes[arg.dtype].kind) {
  case MA_KIND_SIGNED: return push_dtype(L, smallest_integer(arg.value, arg.value.i >= 0));
  case MA_KIND_UNSIGNED: return push_dtype(L, smallest_integer(arg.value, true));
  case MA_KIND_FLOAT: return push_dtype(L, smallest_float(arg.value.c.re, 0, false));
  case MA_KIND_COMPLEX: return push_dtype(L, smallest_float(arg.value.c.re, arg.value.c.im, true));
  default: return push_dtype(L, MA_BOOL);
  }
}

static void set_number(lua_State *L, const char *key, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}

static void set_value(lua_State *L, const char *key, ma_value value, ma_dtype dtype) {
  ma_lua_pushvalue(L, value, dtype);
  lua_setfield(L, -2, key);
}

static int dtype_iinfo(lua_State *L) {
  ma_dtype dtype;
  ma_value low = { 0 }, high = { 0 };
  int bits;
  dtype = read_dtype(L, 1);
  bits = 8 * ma_dtypes[dtype].itemsize;
  if (ma_dtypes[dtype].kind == MA_KIND_SIGNED) {
    high.i = (int64_t)(UINT64_MAX >> (65 - bits));
    low.i = -high.i - 1;
  } else if (ma_dtypes[dtype].kind == MA_KIND_UNSIGNED) {
    high.u = UINT64_MAX >> (64 - bits);
  } else {
    return ma_lua_fail(L, "%s; an integer dtype (finfo tells about floats)", ma_dtypes[dtype].name);
  }
  lua_createtable(L, 0, 4);
  set_number(L, "bits", bits);
  set_value(L, "min", low, dtype);
  set_value(L, "max", high, dtype);
  push_dtype(L, dtype);
  lua_setfield(L, -2, "dtype");
  ma_lua_setrecord(L, "iinfo");
  return 1;
}

static int dtype_finfo(lua_State *L) {
  static const struct {
    ma_dtype dtype;
    int mantissa, exponent;
  } formats[] = {
    { MA_FLOAT16, 10, 5 },
    { MA_BFLOAT16, 7, 8 },
    { MA_FLOAT32, 23, 8 },
    { MA_FLOAT64, 52, 11 },
  };
  ma_dtype dtype;
  dtype = ma_dtype_real(read_dtype(L, 1));
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
    int mantissa = formats[k].mantissa, emax = (1 << (formats[k].exponent - 1)) - 1;
    double eps = ldexp(1, -mantissa), largest = ldexp(2 - eps, emax);
    if (formats[k].dtype != dtype) continue;
    lua_createtable(L, 0, 16);
    set_number(L, "bits", 8 * ma_dtypes[dtype].itemsize);
    set_number(L, "nmant", mantissa);
    set_number(L, "nexp", formats[k].exponent);
    set_number(L, "maxexp", emax + 1);
    set_number(L, "minexp", 1 - emax);
    set_number(L, "precision", floor(mantissa * log10(2)));
    set_number(L, "resolution", pow(10, -floor(mantissa * log10(2))));
    set_number(L, "eps", eps);
    set_number(L, "epsneg", eps / 2);
    set_number(L, "max", largest);
    set_number(L, "min", -largest);
    set_number(L, "tiny", ldexp(1, 1 - emax));
    set_number(L, "smallest_normal", ldexp(1, 1 - emax));
    set_number(L, "smallest_subnormal", ldexp(1, 1 - emax - mantissa));
    push_dtype(L, dtype);
    lua_setfield(L, -2, "dtype");
    ma_lua_setrecord(L, "finfo");
    return 1;
  }
  return ma_lua_fail(L, "%s; a float or complex dtype (iinfo tells about integers)", ma_dtypes[dtype].name);
}

static const ma_function dtype_functions[] = {
  //> promote_types("int32", "float32")
  { "promote_types(type1: dtype, type2: dtype) -> dtype", dtype_promote_types,
    "The smallest dtype that both can be cast to safely." },
  //> result_type(ma.ones(1, "int8"), "float32")
  { "result_type(...) -> dtype", dtype_result_type, "The dtype of an operation on these arrays, dtypes and numbers." },
  //> can_cast("int32", "float64")
  { "can_cast(from: dtype|data, to: dtype, casting?: string) -> boolean", dtype_can_cast,
    "Whether a cast is allowed: \"no\", \"equiv\", \"safe\", \"same_kind\" or \"unsafe\"." },
  //> issubdtype("int32", "integer")
  { "issubdtype(arg1: dtype, arg2: dtype) -> boolean", dtype_issubdtype,
    "Whether a dtype is of a family: \"integer\", \"floating\", \"number\" ..., or the same dtype." },
  //> isdtype("int32", "integral")
  { "isdtype(dtype: dtype, kind: string|string[]) -> boolean", dtype_isdtype,
    "Whether a dtype is of a kind: \"bool\", \"integral\", \"real floating\" ..., or of one of a table of kinds." },
  //> min_scalar_type(300)
  { "min_scalar_type(a: data) -> dtype", dtype_min_scalar_type,
    "The smallest dtype that holds this number; an array's own dtype." },
  //> iinfo: ma.iinfo("int8").max
  { "iinfo(dtype: dtype) -> table", dtype_iinfo, "Limits of an integer dtype: bits, min, max." },
  //> finfo: ma.finfo("float32").max
  { "finfo(dtype: dtype) -> table", dtype_finfo,
    "Limits of a float dtype: bits, eps, max, min, tiny, smallest_subnormal, precision ..." },
  { NULL, NULL, NULL }
};

void ma_open_dtype(lua_State *L) { ma_lua_register(L, dtype_functions); }
