/* value.c: elements as Lua values: numbers, booleans, int64 cdata and complex scalars, one at a time or in nested
** tables. */
#include "memory/wait.h"
#include "base/number.h"
#include "bind/bind.h"

#include <math.h>
#include <string.h>

#define EXACT (UINT64_C(1) << 53) /* a double holds every integer in -2^53 .. 2^53 */

/* Is an integer among those of a double? */
static bool fits_number(uint64_t bits, bool is_unsigned) {
  return is_unsigned ? bits <= EXACT : bits + EXACT <= 2 * EXACT;
}

/* Other integers become int64 cdata, which only Lua code can make. */
static void push_integer(lua_State *L, uint64_t bits, bool is_unsigned) {
  if (fits_number(bits, is_unsigned) || !ma_lua_pushhook(L, MA_HOOK_PUSH_INT64)) {
    lua_pushnumber(L, is_unsigned ? (double)bits : (double)(int64_t)bits);
    return;
  }
  lua_pushnumber(L, (double)(bits >> 32));
  lua_pushnumber(L, (double)(bits & 0xffffffffu));
  lua_pushboolean(L, is_unsigned);
  lua_call(L, 3, 1);
}

/* LuaJIT prints a NaN with a sign bit as "-nan". */
static inline void push_float(lua_State *L, double value) { lua_pushnumber(L, isnan(value) ? NAN : value); }

void ma_lua_pushvalue(lua_State *L, ma_value value, ma_dtype dtype) {
  switch (ma_dtypes[dtype].kind) {
  case MA_KIND_BOOL: lua_pushboolean(L, value.u != 0); break;
  case MA_KIND_SIGNED: push_integer(L, (uint64_t)value.i, false); break;
  case MA_KIND_UNSIGNED: push_integer(L, value.u, true); break;
  case MA_KIND_FLOAT: push_float(L, value.c.re); break;
  default: ma_lua_pushcomplex(L, value.c.re, value.c.im); break;
  }
}

static bool cdata_value(lua_State *L, int index, ma_value *value, ma_dtype *dtype, ma_weak *weak) {
  if (index < 0) index += lua_gettop(L) + 1;
  if (!ma_lua_pushhook(L, MA_HOOK_INT64)) return false;
  lua_pushvalue(L, index);
  lua_call(L, 1, 1);
  int kind = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  const void *payload = lua_topointer(L, index);
  if (kind < 1 || kind > 3 || !payload) return false;
  memset(value, 0, sizeof *value);
  memcpy(value, payload, kind == 3 ? 16 : 8);
  *weak = kind == 3 ? MA_WEAK_COMPLEX : MA_WEAK_INT;
  *dtype = kind == 3 ? MA_COMPLEX128 : MA_INT64;
  if (kind == 2 && value->i < 0) *weak = MA_WEAK_WIDE, *dtype = MA_UINT64;
  return true;
}

static void number_value(double number, ma_value *value, ma_dtype *dtype, ma_weak *weak) {
  bool whole = number >= -0x1p63 && number < 0x1p63 && (double)(int64_t)number == number &&
               !(number == 0 && signbit(number));
  if (whole) value->i = (int64_t)number;
  else value->c.re = isnan(number) ? NAN : number, value->c.im = 0; /* 0/0 has a sign on some processors */
  *weak = whole ? MA_WEAK_INT : MA_WEAK_FLOAT;
  *dtype = whole ? MA_INT64 : MA_FLOAT64;
}

bool ma_lua_tovalue(lua_State *L, int index, ma_value *value, ma_dtype *dtype, ma_weak *weak) {
  switch (lua_type(L, index)) {
  case LUA_TNUMBER: number_value(lua_tonumber(L, index), value, dtype, weak); return true;
  case LUA_TBOOLEAN:
    value->u = (uint64_t)lua_toboolean(L, index);
    *dtype = MA_BOOL;
    *weak = MA_STRONG;
    return true;
  case MA_LUA_TCDATA: return cdata_value(L, index, value, dtype, weak);
  default:
    if (!ma_lua_tocomplex(L, index, &value->c)) return false;
    *dtype = MA_COMPLEX128;
    *weak = MA_WEAK_COMPLEX;
    return true;
  }
}

/* An element that is to be printed: without FFI an integer that no double holds is its digits. */
static void push_shown(lua_State *L, ma_value value, ma_dtype dtype) {
  char text[24];
  ma_kind kind = ma_dtypes[dtype].kind;
  bool is_unsigned = kind == MA_KIND_UNSIGNED, whole = is_unsigned || kind == MA_KIND_SIGNED;
  ma_lua_pushvalue(L, value, dtype);
  if (!whole || fits_number(value.u, is_unsigned) || lua_type(L, -1) != LUA_TNUMBER) return;
  lua_pop(L, 1);
  if (is_unsigned) ma_print(text, sizeof text, "%llu", (unsigned long long)value.u);
  else ma_print(text, sizeof text, "%lld", (long long)value.i);
  lua_pushstring(L, text);
}

typedef void push_function(lua_State *L, ma_value value, ma_dtype dtype);

static void push_item(lua_State *L, const ma_array *array, push_function *push) {
  ma_value value;
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(array));
  MA_LUA_TRY(L, ma_array_item(array, stream, &value));
  ma_lua_checkfault(L, stream);
  push(L, value, array->dtype);
}

/* item(a, b, c): several elements; the first copy waits for all work. */
static int value_item(lua_State *L) {
  int nargs = ma_lua_args(L), top = lua_gettop(L);
  for (int i = 1; i <= top; i++)
    if (ma_lua_arenumbers(L, i, i)) lua_pushvalue(L, i);
    else if (i <= nargs || !lua_isnil(L, i)) push_item(L, ma_lua_checkarray(L, i), ma_lua_pushvalue);
  return lua_gettop(L) - top;
}

/* Pushes elements of the CPU array, from `memory` on, along axis `axis` and the axes behind it, as a table. */
static void push_table(lua_State *L, const ma_array *array, int axis, const char *memory, push_function *push) {
  int64_t n = array->shape[axis], step = array->stride[axis];
  bool last = axis + 1 == array->ndim;
  if (n > INT32_MAX) ma_lua_fail(L, "%lld elements along an axis; a table takes 2^31 - 1", (long long)n);
  lua_createtable(L, (int)n, 0);
  for (int64_t i = 0; i < n; i++, memory += step) {
    if (!last) push_table(L, array, axis + 1, memory, push);
    else if (array->dtype == MA_FLOAT64) push_float(L, *(const double *)(const void *)memory);
    else if (array->dtype == MA_FLOAT32) push_float(L, *(const float *)(const void *)memory);
    else push(L, ma_value_load(memory, array->dtype), array->dtype);
    lua_rawseti(L, -2, (int)i + 1);
  }
}

/* Makes one copy on the host and waits for it; a CPU array is read in place. */
ma_array *ma_lua_pushonhost(lua_State *L, const ma_array *array, const void **memory) {
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(array));
  ma_lua_check(L, ma_wait_check_array(array));
  ma_array *host = ma_lua_newarray(L);
  if (ma_array_device(array) == ma_device_cpu()) ma_array_view(host, array);
  else MA_LUA_TRY(L, ma_array_to(host, array, ma_device_cpu(), stream));
  ma_lua_wait(L, stream);
  MA_LUA_TRY(L, ma_array_read(host, NULL, memory));
  return host;
}

static int push_all(lua_State *L, push_function *push) {
  const void *memory;
  ma_lua_args(L);
  const ma_array *array = ma_lua_asarray(L, 1, MA_NDTYPE);
  if (!array->ndim) {
    push_item(L, array, push);
    return 1;
  }
  ma_array *host = ma_lua_pushonhost(L, array, &memory);
  ma_lua_room(L, 2 * MA_MAX_NDIM);
  push_table(L, host, 0, memory, push);
  ma_array_release(host);
  return 1;
}

static int value_totable(lua_State *L) { return push_all(L, ma_lua_pushvalue); }

/* core.shown(a): the same for printing. */
static int value_shown(lua_State *L) { return push_all(L, push_shown); }

static const ma_function functions[] = {
  { "item(a, ...)", value_item,
    "The one element of an array as a Lua value; several arrays give several values with one wait. A number is given "
    "back as it is." },
  { "totable(a)", value_totable, "The elements as nested Lua tables; of a 0-d array its value." },
  { "tolist(a)", value_totable, "The elements as nested Lua tables: totable." },
  { "core.shown(a)", value_shown, NULL },
  { NULL, NULL, NULL }
};

void ma_open_value(lua_State *L) { ma_lua_register(L, functions); }
