/*
** dtype.c: the table of dtypes, NumPy 2's promotion (NEP 50), and single values.
*/
#include "base/base.h"

#include <inttypes.h>
#include <string.h>

#include "kernels/scalar.h"

const ma_dtype_info ma_dtypes[MA_NDTYPE] = {
#define DTYPE(ID, name, suffix, itemsize, kind, npy, reg) { #name, npy, itemsize, sizeof(reg), MA_KIND_##kind },
#include "base/dtype.def"
#undef DTYPE
};

bool ma_dtype_find(const char *name, ma_dtype *dtype) {
  for (int k = 0; k < MA_NDTYPE; k++)
    if (name[0] == ma_dtypes[k].name[0] && !strcmp(name, ma_dtypes[k].name)) {
      *dtype = (ma_dtype)k;
      return true;
    }
  return false;
}

bool ma_dtype_spelt(const char *name, ma_dtype *dtype) {
  static const struct {
    const char *word;
    ma_dtype dtype;
  } words[] = {
    { "float", MA_FLOAT64 },  { "double", MA_FLOAT64 },     { "single", MA_FLOAT32 },    { "half", MA_FLOAT16 },
    { "int", MA_INT64 },      { "long", MA_INT64 },         { "short", MA_INT16 },       { "uint", MA_UINT64 },
    { "ulong", MA_UINT64 },   { "ushort", MA_UINT16 },      { "intc", MA_INT32 },        { "uintc", MA_UINT32 },
    { "longlong", MA_INT64 }, { "complex", MA_COMPLEX128 }, { "csingle", MA_COMPLEX64 }, { "cdouble", MA_COMPLEX128 },
  };
  if (ma_dtype_find(name, dtype)) return true;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (!strcmp(name, words[k].word)) {
      *dtype = words[k].dtype;
      return true;
    }
  if (*name && strchr("<=|", *name)) name++; /* NumPy's letters: "<f4" */
  for (int k = 0; k < MA_NDTYPE; k++)
    if (!strcmp(name, ma_dtypes[k].npy)) {
      *dtype = (ma_dtype)k;
      return true;
    }
  return false;
}

const char *ma_dtype_meant(const char *name) {
  static const struct {
    const char *word, *name;
  } words[] = {
    { "integer", "int64" },
    { "byte", "uint8" },
    { "char", "int8" },
    { "boolean", "bool" },
    { "number", "float64" },
    { "bf16", "bfloat16" },
    { "torch.FloatTensor", "float32" },
    { "real", "float64" },
    { "float128", "float64" },
    { "torch.DoubleTensor", "float64" },
    { "torch.IntTensor", "int32" },
    { "torch.LongTensor", "int64" },
    { "torch.ByteTensor", "uint8" },
    { "torch.ShortTensor", "int16" },
    { "torch.CharTensor", "int8" },
    { "torch.CudaTensor", "float32" },
  };
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (!strcmp(name, words[k].word)) return words[k].name;
  return NULL;
}

/* ==== Promotion ================================================================================================== */

static ma_dtype signed_of(int itemsize) {
  return itemsize == 1 ? MA_INT8 : itemsize == 2 ? MA_INT16 : itemsize == 4 ? MA_INT32 : MA_INT64;
}

static ma_dtype wider(ma_dtype a, ma_dtype b) { return ma_dtypes[a].itemsize >= ma_dtypes[b].itemsize ? a : b; }

/* The narrowest float that holds every value of an integer dtype and of the float `other`. */
static ma_dtype float_of(ma_dtype integer, ma_dtype other) {
  int itemsize = ma_dtypes[integer].itemsize;
  if (ma_dtypes[integer].kind == MA_KIND_BOOL || itemsize == 1) return other;
  return itemsize == 2 ? MA_FLOAT32 : MA_FLOAT64;
}

static ma_dtype promote_floats(ma_dtype a, ma_dtype b) {
  /* float16 and bfloat16: neither holds the other. */
  if (a != b && ma_dtypes[a].itemsize == 2 && ma_dtypes[b].itemsize == 2) return MA_FLOAT32;
  return wider(a, b);
}

static ma_dtype promote_integers(ma_dtype a, ma_dtype b) {
  if (ma_dtypes[a].kind == ma_dtypes[b].kind) return wider(a, b);
  ma_dtype s = ma_dtypes[a].kind == MA_KIND_SIGNED ? a : b, u = s == a ? b : a;
  if (ma_dtypes[s].itemsize > ma_dtypes[u].itemsize) return s;
  return ma_dtypes[u].itemsize == 8 ? MA_FLOAT64 : signed_of(2 * ma_dtypes[u].itemsize);
}

ma_dtype ma_dtype_promote(ma_dtype a, ma_dtype b) {
  if (a == b) return a;
  if (ma_dtypes[a].kind > ma_dtypes[b].kind) { /* now a has the lower kind */
    ma_dtype swap = a;
    a = b;
    b = swap;
  }
  ma_kind low = ma_dtypes[a].kind, high = ma_dtypes[b].kind;
  if (low == MA_KIND_BOOL) return b;
  if (high <= MA_KIND_UNSIGNED) return promote_integers(a, b);
  if (high == MA_KIND_FLOAT) return promote_floats(low == MA_KIND_FLOAT ? a : float_of(a, b), b);
  bool wide = b == MA_COMPLEX128 || a == MA_COMPLEX128 || a == MA_FLOAT64 ||
              (low < MA_KIND_FLOAT && ma_dtypes[a].itemsize >= 4);
  return wide ? MA_COMPLEX128 : MA_COMPLEX64;
}

/* The highest kind first, as in NumPy: int8 and uint16 promote to int32, but a float16 beside them need not hold
** int32. */
ma_dtype ma_dtype_promote_set(uint32_t dtypes) {
  ma_dtype result = (ma_dtype)(31 - __builtin_clz(dtypes));
  for (dtypes &= ~(1u << result); dtypes;) {
    ma_dtype next = (ma_dtype)(31 - __builtin_clz(dtypes));
    result = ma_dtype_promote(result, next);
    dtypes &= ~(1u << next);
  }
  return result;
}

ma_dtype ma_dtype_of_weak(ma_weak weak) {
  return weak == MA_WEAK_COMPLEX ? MA_COMPLEX128
         : weak == MA_WEAK_FLOAT ? MA_FLOAT64
         : weak == MA_WEAK_WIDE  ? MA_UINT64
                                 : MA_INT64;
}

ma_dtype ma_dtype_promote_weak(ma_dtype strong, ma_weak weak) {
  ma_kind kind = ma_dtypes[strong].kind;
  switch (weak) {
  case MA_WEAK_INT:
  case MA_WEAK_WIDE: return kind == MA_KIND_BOOL ? MA_INT64 : strong;
  case MA_WEAK_FLOAT: return kind < MA_KIND_FLOAT ? MA_FLOAT64 : strong;
  case MA_WEAK_COMPLEX:
    if (kind == MA_KIND_COMPLEX) return strong;
    return kind < MA_KIND_FLOAT || strong == MA_FLOAT64 ? MA_COMPLEX128 : MA_COMPLEX64;
  default: return strong;
  }
}

ma_dtype ma_dtype_real(ma_dtype dtype) {
  return dtype == MA_COMPLEX64 ? MA_FLOAT32 : dtype == MA_COMPLEX128 ? MA_FLOAT64 : dtype;
}

bool ma_dtype_can_cast(ma_dtype from, ma_dtype to, bool same_kind) {
  static const uint8_t rank[MA_NKIND] = {
    [MA_KIND_BOOL] = 0, [MA_KIND_UNSIGNED] = 1, [MA_KIND_SIGNED] = 2, [MA_KIND_FLOAT] = 3, [MA_KIND_COMPLEX] = 4
  };
  if (same_kind) return rank[ma_dtypes[from].kind] <= rank[ma_dtypes[to].kind];
  return ma_dtype_promote(from, to) == to;
}

/* ==== Single values ============================================================================================== */

/* A value in memory becomes the form of a register, and back. kernels/scalar.h casts between register forms. */
ma_value ma_value_load(const void *memory, ma_dtype dtype) {
  ma_value value = { .c = { 0, 0 } };
  switch (dtype) {
  case MA_BOOL: value.u = *(const uint8_t *)memory != 0; break;
  case MA_INT8: value.i = *(const int8_t *)memory; break;
  case MA_INT16: value.i = *(const int16_t *)memory; break;
  case MA_INT32: value.i = *(const int32_t *)memory; break;
  case MA_INT64: value.i = *(const int64_t *)memory; break;
  case MA_UINT8: value.u = *(const uint8_t *)memory; break;
  case MA_UINT16: value.u = *(const uint16_t *)memory; break;
  case MA_UINT32: value.u = *(const uint32_t *)memory; break;
  case MA_UINT64: value.u = *(const uint64_t *)memory; break;
  case MA_FLOAT16: value.c.re = ma_f16_to_float(*(const uint16_t *)memory); break;
  case MA_BFLOAT16: value.c.re = ma_bf16_to_float(*(const uint16_t *)memory); break;
  case MA_FLOAT32: value.c.re = *(const float *)memory; break;
  case MA_FLOAT64: value.c.re = *(const double *)memory; break;
  case MA_COMPLEX64: value.c = (ma_c128){ ((const float *)memory)[0], ((const float *)memory)[1] }; break;
  case MA_COMPLEX128: value.c = *(const ma_c128 *)memory; break;
  case MA_NDTYPE: break;
  }
  return value;
}

void ma_value_store(void *memory, ma_dtype dtype, ma_value value) {
  switch (dtype) {
  case MA_BOOL: *(uint8_t *)memory = value.u != 0; break;
  case MA_INT8: *(int8_t *)memory = (int8_t)value.i; break;
  case MA_INT16: *(int16_t *)memory = (int16_t)value.i; break;
  case MA_INT32: *(int32_t *)memory = (int32_t)value.i; break;
  case MA_INT64: *(int64_t *)memory = value.i; break;
  case MA_UINT8: *(uint8_t *)memory = (uint8_t)value.u; break;
  case MA_UINT16: *(uint16_t *)memory = (uint16_t)value.u; break;
  case MA_UINT32: *(uint32_t *)memory = (uint32_t)value.u; break;
  case MA_UINT64: *(uint64_t *)memory = value.u; break;
  case MA_FLOAT16: *(uint16_t *)memory = ma_float_to_f16((float)value.c.re); break;
  case MA_BFLOAT16: *(uint16_t *)memory = ma_float_to_bf16((float)value.c.re); break;
  case MA_FLOAT32: *(float *)memory = (float)value.c.re; break;
  case MA_FLOAT64: *(double *)memory = value.c.re; break;
  case MA_COMPLEX64:
    ((float *)memory)[0] = (float)value.c.re;
    ((float *)memory)[1] = (float)value.c.im;
    break;
  case MA_COMPLEX128: *(ma_c128 *)memory = value.c; break;
  case MA_NDTYPE: break;
  }
}

/* Casts with the functions of kernels/scalar.h for the widest type of each kind, which holds every narrower value. */
ma_value ma_value_cast(ma_value value, ma_dtype from, ma_dtype to) {
  ma_kind kind = ma_dtypes[from].kind;
  switch (to) {
#define HOLD_BOOL(r) .u = r
#define HOLD_SIGNED(r) .i = r
#define HOLD_UNSIGNED(r) .u = r
#define HOLD_FLOAT(r) .c = { r, 0 }
#define HOLD_COMPLEX(r) .c = { r.re, r.im }
#define DTYPE(ID, name, suffix, itemsize, target, npy, reg)         \
  case MA_##ID: {                                                   \
    reg r = kind == MA_KIND_SIGNED     ? ma_to_##suffix(value.i)    \
            : kind <= MA_KIND_UNSIGNED ? ma_to_##suffix(value.u)    \
            : kind == MA_KIND_FLOAT    ? ma_to_##suffix(value.c.re) \
                                       : ma_to_##suffix(value.c);      \
    return (ma_value){ HOLD_##target(r) };                          \
  }
#include "base/dtype.def"
#undef DTYPE
  default: return value;
  }
}

ma_status ma_value_weak(ma_value value, ma_weak weak, ma_dtype to, ma_value *result) {
  ma_dtype from = ma_dtype_of_weak(weak);
  ma_value cast = ma_value_cast(value, from, to);
  ma_kind kind = ma_dtypes[to].kind;
  if (weak == MA_WEAK_WIDE && (kind == MA_KIND_SIGNED || kind == MA_KIND_UNSIGNED) && to != MA_UINT64)
    return ma_fail(MA_ERR_VALUE,
                   "the number %" PRIu64 " does not fit %s; use a wider dtype, as in ma.uint64(%" PRIu64 "ULL)",
                   value.u, ma_dtypes[to].name, value.u);
  if (weak == MA_WEAK_INT && (kind == MA_KIND_SIGNED || kind == MA_KIND_UNSIGNED)) {
    bool fits = cast.i == value.i && (kind == MA_KIND_SIGNED || value.i >= 0);
    if (!fits)
      return ma_fail(MA_ERR_VALUE,
                     "the number %" PRId64 " does not fit %s; use a wider dtype, as in ma.int64(%" PRId64 ")", value.i,
                     ma_dtypes[to].name, value.i);
  }
  *result = cast;
  return MA_OK;
}
