/* object.c: classes of the library's objects (devices, streams, events, graphs, pools, kernels ...): one way to tell an
** object, to read its attributes, to find its methods, and to let go of what it holds. */
#include "bind/lua/noted.h"

#include <string.h>

void *ma_lua_toclass(lua_State *L, int index, const ma_class *class) {
  uint64_t *object = lua_touserdata(L, index); /* a light userdata has no length */
  return object && lua_objlen(L, index) == class->size && *object == class->magic ? object : NULL;
}

void *ma_lua_self(lua_State *L, const ma_class *class) {
  void *object = ma_lua_toclass(L, 1, class);
  if (!object)
    ma_lua_fail(L, "%s in place of the %s; write %s:method()", ma_lua_describe(L, 1), class->word, class->word);
  if (class->check) class->check(L, object);
  return object;
}

/* ==== Attributes ================================================================================================= */

void ma_push_device(lua_State *L, void *object, size_t place) {
  lua_pushstring(L, (*(ma_device **)(void *)((char *)object + place))->name);
}

void ma_push_int(lua_State *L, void *object, size_t place) {
  lua_pushinteger(L, *(const int *)(const void *)((const char *)object + place));
}

void ma_push_flag(lua_State *L, void *object, size_t place) {
  lua_pushboolean(L, *(const bool *)((const char *)object + place));
}

void ma_push_kept(lua_State *L, void *object, size_t place) {
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, (int)place);
}

static const ma_class *class_of(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(3)); }

/* Upvalue 4: the methods. */
static int index_object(lua_State *L) {
  const ma_class *class = class_of(L);
  void *object = ma_lua_toclass(L, 1, class);
  if (!object) return ma_lua_fail(L, "the %s was collected", class->word);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(4));
  if (!lua_isnil(L, -1)) return 1;
  if (class->has_fields) {
    lua_getfenv(L, 1);
    lua_getfield(L, -1, key);
    if (!lua_isnil(L, -1)) return 1;
  }
  for (const ma_attribute *a = class->attributes; a && a->name; a++) {
    if (strcmp(key, a->name)) continue;
    if (class->check) class->check(L, object);
    a->push(L, object, a->place);
    return 1;
  }
  int names = ma_lua_pushnames(L, lua_upvalueindex(4));
  for (const ma_attribute *a = class->attributes; a && a->name; a++) ma_lua_addname(L, names, a->name);
  return ma_lua_unknown(L, class->name, class->member ? class->member : "attribute", key, names);
}

static int refuse_write(lua_State *L) {
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : lua_typename(L, lua_type(L, 2));
  ma_lua_where(L);
  lua_pushfstring(L, "moonarray: an assignment to '%s' of %s; its attributes can be read alone", key,
                  ma_lua_describe(L, 1));
  lua_concat(L, 2);
  return lua_error(L);
}

/* ==== Text and end ================================================================================================ */

static int text_of_object(lua_State *L) {
  const ma_class *class = class_of(L);
  void *object = ma_lua_toclass(L, 1, class);
  if (object) class->text(L, object);
  else lua_pushfstring(L, "<%s>", class->title);
  return 1;
}

static int collect_object(lua_State *L) {
  const ma_class *class = class_of(L);
  void *object = ma_lua_toclass(L, 1, class);
  if (!object) return 0;
  class->release(object);
  *(uint64_t *)object = 0; /* a finaliser that runs later may still hold it, and finds no object of a class */
  return 0;
}

/* kernel:prepare(...): core.prepared(kernel, ...), a function of the Lua layer. */
static int object_prepare(lua_State *L) {
  int n = lua_gettop(L);
  ma_lua_callcore(L, "prepared", n, 1);
  return 1;
}

static int run_object(lua_State *L) {
  MA_LUA_DOOR(L);
  return ((const ma_class *)lua_touserdata(L, lua_upvalueindex(4)))->call(L);
}

/* __call of an object whose class has no signature for it. Upvalue 4: the class, since 3 is for its function. */
static int call_object(lua_State *L) {
  return MA_LUA_NOTEDAS(L, run_object, ((const ma_class *)lua_touserdata(L, lua_upvalueindex(4)))->name);
}

/* ==== Metatables ================================================================================================== */

/* Puts a closure into the metatable on top. Without a signature, errors carry the name of the function that runs. */
static void set_metamethod(lua_State *L, const char *name, lua_CFunction call, const ma_class *class) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushnil(L);
  lua_pushlightuserdata(L, (void *)class);
  lua_pushlightuserdata(L, (void *)class);
  lua_pushcclosure(L, call, 4);
  lua_setfield(L, -2, name);
}

static void make_metatable(lua_State *L, const ma_class *class) {
  luaL_checkstack(L, LUA_MINSTACK, "for a class of objects");
  lua_newtable(L);
  lua_pushlightuserdata(L, (void *)class);
  lua_newtable(L);
  for (const ma_method *m = class->methods; m && m->signature; m++) {
    lua_pushlstring(L, m->signature + 1, (size_t)(strchr(m->signature, '(') - m->signature - 1));
    ma_lua_pushclosure(L, m->signature, false, m->call, 0);
    lua_rawset(L, -3);
  }
  if (class->prepares) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, object_prepare, 1);
    lua_setfield(L, -2, "prepare");
  }
  lua_pushvalue(L, -1);
  lua_setfield(L, -4, "methods");
  lua_pushfstring(L, ":%s(%s, key)", class->name, class->word);
  lua_insert(L, -3);
  ma_lua_pushplain(L, lua_tostring(L, -3), false, index_object, 2);
  lua_setfield(L, -3, "__index");
  lua_pop(L, 1);
  if (class->write) {
    lua_pushfstring(L, ":%s(%s, key, value)", class->name, class->word);
    ma_lua_pushplain(L, lua_tostring(L, -1), false, class->write, 0);
    lua_setfield(L, -3, "__newindex");
    lua_pop(L, 1);
  } else set_metamethod(L, "__newindex", refuse_write, class);
  if (class->text) set_metamethod(L, "__tostring", text_of_object, class);
  if (class->release) set_metamethod(L, "__gc", collect_object, class);
  if (class->call && class->call_signature) {
    ma_lua_pushclosure(L, class->call_signature, false, class->call, 0);
    lua_setfield(L, -2, "__call");
  } else if (class->call) set_metamethod(L, "__call", call_object, class);
  lua_pushstring(L, class->title);
  lua_setfield(L, -2, "__metatable");
  lua_pushlightuserdata(L, (void *)class);
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

void ma_lua_pushmetatable(lua_State *L, const ma_class *class) {
  lua_pushlightuserdata(L, (void *)class);
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  make_metatable(L, class);
}

void ma_lua_filemethods(lua_State *L, const ma_class *class, const char *name) {
  ma_lua_pushmetatable(L, class);
  lua_getfield(L, -1, "methods");
  ma_lua_file(L, name);
  lua_pop(L, 1);
}

void *ma_lua_newobject(lua_State *L, const ma_class *class) {
  uint64_t *object = lua_newuserdata(L, class->size);
  memset(object, 0, class->size);
  *object = class->magic;
  ma_lua_pushmetatable(L, class);
  lua_setmetatable(L, -2);
  return object;
}
