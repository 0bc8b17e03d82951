/* tag.c: what a Lua value is, told by the tag of its userdata or by its metatable alone. Nothing here raises an error
** or makes an array. */
#include "system/system.h"
#include "bind/lua/tag.h"

#include <lualib.h>
#include <math.h>
#include <stdio.h>

ma_array *ma_lua_toarray(lua_State *L, int index) { return ma_lua_arrayat(L, index); }

const char *ma_lua_freedby(const ma_array *array) {
  return !array->buffer && array->readonly == MA_FREED ? (const char *)array->shape : NULL;
}

bool ma_lua_isshape(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->shapes);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

void *ma_lua_toobject(lua_State *L, int index, const char *metatable) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
  lua_getfield(L, LUA_REGISTRYINDEX, metatable);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same ? lua_touserdata(L, index) : NULL;
}

ma_device *ma_lua_todevice(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_objlen(L, index) != sizeof(ma_lua_device_object)) return NULL;
  const ma_lua_device_object *object = lua_touserdata(L, index);
  return object->magic == MA_DEVICE_MAGIC ? object->device : NULL;
}

ma_lua_stream_object *ma_lua_tostream(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_objlen(L, index) != sizeof(ma_lua_stream_object)) return NULL;
  ma_lua_stream_object *object = lua_touserdata(L, index);
  return object->magic == MA_STREAM_MAGIC ? object : NULL;
}

/* ==== Files ======================================================================================================= */

/* On Windows Lua may have another C library than this module, whose files mean nothing here. Then standard output is
** not the same one. */
bool ma_lua_sharesfiles(lua_State *L) {
  if (ma_system.id != MA_SYSTEM_WINDOWS) return true;
  int top = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  lua_getfield(L, -1, "io");
  if (lua_istable(L, -1)) lua_getfield(L, -1, "stdout");
  FILE **handle = ma_lua_toobject(L, lua_gettop(L), LUA_FILEHANDLE);
  bool shares = !handle || *handle == stdout;
  lua_settop(L, top);
  return shares;
}

/* ==== The complex scalar ========================================================================================== */

#define COMPLEX_MAGIC 0x6d61636f6d706c78u

typedef struct complex_scalar {
  uint64_t magic;
  ma_c128 value;
} complex_scalar;

void ma_lua_pushcomplex(lua_State *L, double re, double im) {
  if (isnan(re)) re = NAN; /* without a sign, as for real numbers */
  if (isnan(im)) im = NAN;
  complex_scalar *z = lua_newuserdata(L, sizeof *z);
  *z = (complex_scalar){ COMPLEX_MAGIC, { re, im } };
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->complex_metatable);
  lua_setmetatable(L, -2);
}

bool ma_lua_tocomplex(lua_State *L, int index, ma_c128 *value) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_objlen(L, index) != sizeof(complex_scalar)) return false;
  const complex_scalar *z = lua_touserdata(L, index);
  if (z->magic != COMPLEX_MAGIC) return false;
  *value = z->value;
  return true;
}

/* ==== Tables of functions ========================================================================================= */

const char ma_lua_modulekey = 0;

bool ma_lua_pushmodule(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return false;
  lua_pushlightuserdata(L, (void *)&ma_lua_modulekey);
  lua_rawget(L, -2);
  lua_replace(L, -2);
  if (lua_isstring(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

bool ma_lua_ismodule(lua_State *L, int index) {
  if (!ma_lua_pushmodule(L, index)) return false;
  lua_pop(L, 1);
  return true;
}
