/* value.c: elements as Lua values: numbers, booleans, int64 cdata and complex scalars. */
#include "bind/bind.h"

#include <math.h>
#include <string.h>

#define EXACT (UINT64_C(1) << 53) /* a double holds every integer in -2^53 .. 2^53 */

bool ma_lua_isexact(uint64_t bits, bool is_unsigned) { return is_unsigned ? bits <= EXACT : bits + EXACT <= 2 * EXACT; }

/* Other integers become int64 cdata, which only Lua code can make. */
static void push_integer(lua_State *L, uint64_t bits, bool is_unsigned) {
  if (ma_lua_isexact(bits, is_unsigned) || !ma_lua_pushhook(L, MA_HOOK_PUSH_INT64)) {
    lua_pushnumber(L, is_unsigned ? (double)bits : (double)(int64_t)bits);
    return;
  }
  lua_pushnumber(L, (double)(bits >> 32));
  lua_pushnumber(L, (double)(bits & 0xffffffffu));
  lua_pushboolean(L, is_unsigned);
  lua_call(L, 3, 1);
}

void ma_lua_pushvalue(lua_State *L, ma_value value, ma_dtype dtype) {
  switch (ma_dtypes[dtype].kind) {
  case MA_KIND_BOOL: lua_pushboolean(L, value.u != 0); break;
  case MA_KIND_SIGNED: push_integer(L, (uint64_t)value.i, false); break;
  case MA_KIND_UNSIGNED: push_integer(L, value.u, true); break;
  case MA_KIND_FLOAT: ma_lua_pushfloat(L, value.c.re); break;
  default: ma_lua_pushcomplex(L, value.c.re, value.c.im); break;
  }
}

void ma_lua_pushelement(lua_State *L, ma_value value, ma_dtype dtype) {
  ma_kind kind = ma_dtypes[dtype].kind;
  bool whole = kind == MA_KIND_SIGNED || kind == MA_KIND_UNSIGNED;
  if (kind == MA_KIND_BOOL || !ma_lua_pushhook(L, MA_HOOK_PUSH_ELEMENT)) {
    ma_lua_pushvalue(L, value, dtype);
    return;
  }
  lua_pushinteger(L, dtype);
  lua_pushstring(L, ma_dtypes[dtype].name);
  lua_pushnumber(L, whole ? (double)(value.u >> 32) : value.c.re);
  lua_pushnumber(L, whole ? (double)(value.u & 0xffffffffu) : kind == MA_KIND_FLOAT ? 0 : value.c.im);
  lua_call(L, 4, 1);
}

static bool cdata_value(lua_State *L, int index, ma_value *value, ma_dtype *dtype, ma_weak *weak) {
  if (index < 0) index += lua_gettop(L) + 1;
  if (!ma_lua_pushhook(L, MA_HOOK_INT64)) return false;
  lua_pushvalue(L, index);
  lua_call(L, 1, 1);
  int kind = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  const void *payload = lua_topointer(L, index);
  if (kind < 1 || kind >= 4 + MA_NDTYPE || !payload) return false;
  if (kind >= 4) { /* an element: a value, and its dtype behind it */
    memcpy(value, payload, sizeof *value);
    *weak = MA_STRONG;
    *dtype = (ma_dtype)(kind - 4);
    return true;
  }
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

bool ma_lua_iselement(lua_State *L, int index) {
  ma_value value;
  ma_dtype dtype;
  ma_weak weak;
  return lua_type(L, index) == MA_LUA_TCDATA && cdata_value(L, index, &value, &dtype, &weak) && weak == MA_STRONG;
}

static bool is_number(lua_State *L, int index) {
  ma_value value;
  ma_dtype dtype;
  ma_weak weak;
  switch (lua_type(L, index)) {
  case LUA_TNUMBER:
  case LUA_TBOOLEAN: return true;
  case LUA_TUSERDATA:
  case MA_LUA_TCDATA: return ma_lua_tovalue(L, index, &value, &dtype, &weak);
  default: return false;
  }
}

bool ma_lua_arenumbers(lua_State *L, int first, int last) {
  bool any = false;
  for (int k = first; k <= last; k++) {
    if (lua_isnil(L, k)) continue;
    if (!is_number(L, k)) return false;
    any = true;
  }
  return any;
}
