/*
** captures.c: what the function of ma.fuse or ma.stencil takes from outside (lua/moonarray/captures/init.lua finds it).
** A list of it has a holder, a key and a value by turns, in which the list itself stands for nil; a call compares.
**
** A number that has changed is a scalar of the program from then on (lua/moonarray/captures/element.lua): another list
** has a holder and a key by turns, or a function that computes a number and false.
*/
#include "bind/kernel/fuse.h"
#include "bind/lua/outside.h"

bool ma_captures_push(lua_State *L, int function) {
  lua_pushvalue(L, function);
  ma_lua_callcore(L, "taken", 1, 2);
  bool again = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return again;
}

bool ma_captures_hold(lua_State *L) { return !lua_istable(L, -1) || !ma_lua_findchanged(L, lua_gettop(L), false); }

/* Whether what is on top is a value of the list. */
static bool is_taken(lua_State *L, int list) {
  int n = (int)lua_objlen(L, list);
  for (int k = 3; k <= n; k += 3) {
    lua_rawgeti(L, list, k);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
    if (same) return true;
  }
  return false;
}

bool ma_captures_have(lua_State *L, int list) {
  if (!lua_istable(L, list)) return false;
  if (is_taken(L, list)) return true;
  lua_pushvalue(L, -1);
  ma_lua_callcore(L, "whole_of", 1, 1); /* the array at one of whose positions this lies */
  bool found = !lua_isnil(L, -1) && is_taken(L, list);
  lua_pop(L, 1);
  return found;
}

/* ==== Numbers that change ========================================================================================= */

void ma_captures_change(lua_State *L, int list, int env) {
  lua_pushvalue(L, list);
  lua_pushvalue(L, env);
  ma_lua_callcore(L, "note_changes", 2, 0);
}

void ma_captures_pushchanging(lua_State *L) {
  lua_getfenv(L, 1);
  lua_getfield(L, -1, "changing");
  if (!lua_istable(L, -1)) {
    lua_pushnil(L);
    lua_replace(L, -2);
  }
  lua_replace(L, -2);
}

void ma_captures_keep(lua_State *L, const char *name) {
  if (ma_config_traces("fuse"))
    ma_trace("fuse", "%s: numbers from outside stay constants: %s", name,
             lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "no plan has them as scalars");
  lua_getfenv(L, 1);
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "changing");
  lua_pop(L, 1);
}

int ma_captures_part(lua_State *L, int outside) {
  lua_pushvalue(L, outside);
  lua_insert(L, -2);
  ma_lua_callcore(L, "part_numbers", 2, 3);
  int n = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return n;
}

bool ma_captures_numbers(lua_State *L, int n, ma_arg *arg) {
  int list = lua_gettop(L), length = (int)lua_objlen(L, list);
  for (int k = 1; k < length; k += 2) {
    lua_rawgeti(L, list, k + 1);
    bool computed = lua_isboolean(L, -1);
    lua_settop(L, list);
    if (computed) {
      lua_rawgeti(L, list, k);
      lua_call(L, 0, 1);
    } else ma_lua_pushoutside(L, list, k);
    bool number = lua_type(L, -1) == LUA_TNUMBER;
    if (number && k / 2 < n) {
      ma_arg *to = &arg[k / 2];
      *to = (ma_arg){ .array = NULL };
      ma_lua_tovalue(L, -1, &to->value, &to->dtype, &to->weak);
    }
    lua_settop(L, list);
    if (!number) return false;
  }
  return true;
}

/* ==== Arrays in functions of ma.fuse ============================================================================== */

static void push_arrays(lua_State *L, const tracing *tr) {
  if (tr->slot) lua_pushvalue(L, tr->slot);
  else lua_rawgeti(L, LUA_REGISTRYINDEX, tr->arrays);
}

/* The number of the array in the list on top, or that of all of them. */
static int number_of(lua_State *L, int index, const tracing *tr) {
  int k = 0;
  for (bool same = false; k < tr->narray && !same; k += !same) {
    lua_rawgeti(L, -1, k + 1);
    same = lua_touserdata(L, -1) == lua_touserdata(L, index);
    lua_pop(L, 1);
  }
  return k;
}

static void add_array(lua_State *L, int index, tracing *tr, const ma_array *array) {
  int ndraw = tr->drawn ? tr->drawn->n : 0;
  if (tr->narg + tr->narray + ndraw >= MA_MAX_TRACE_ARGS)
    ma_lua_fail(L, "more than %d arguments, random numbers and arrays; split the function", MA_MAX_TRACE_ARGS);
  if (ndraw && array->ndim > tr->ndim)
    ma_lua_fail(L, "an array from outside of %d axes behind random numbers for %d axes; give it as an argument",
                array->ndim, tr->ndim);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, ++tr->narray);
  if (array->ndim > tr->ndim) tr->ndim = array->ndim;
}

bool ma_fuse_capture(lua_State *L, int index, tracing *tr, ma_operand *operand) {
  if (!ma_lua_toarray(L, index)) return false;
  const ma_array *array = ma_lua_checkarray(L, index);
  ma_lua_room(L, 8);
  push_arrays(L, tr);
  int k = number_of(L, index, tr);
  if (k == tr->narray) add_array(L, index, tr, array);
  lua_pop(L, 1);
  ma_lua_check(L, ma_tape_input(&tr->tape, MA_MAX_TRACE_ARGS - 1 - k, (ma_dtype)array->dtype, array->ndim, operand));
  return true;
}

void ma_fuse_member(lua_State *L, int view, int field, tracing *tr, ma_operand *operand) {
  const ma_array *array = ma_lua_checkarray(L, view);
  push_arrays(L, tr);
  add_array(L, field, tr, array);
  lua_pop(L, 1);
  ma_lua_check(L,
               ma_tape_input(&tr->tape, MA_MAX_TRACE_ARGS - tr->narray, (ma_dtype)array->dtype, array->ndim, operand));
}

/* core.is_value(v): whether it is a number, a boolean, or cdata or userdata that stands for a number. */
static int is_value(lua_State *L) {
  ma_value value;
  ma_dtype dtype;
  ma_weak weak;
  lua_pushboolean(L, ma_lua_tovalue(L, 1, &value, &dtype, &weak));
  return 1;
}

void ma_captures_check(lua_State *L, const char *name, int function, int allowed) {
  if (lua_isnil(L, allowed)) return;
  lua_pushstring(L, name);
  lua_pushvalue(L, function);
  lua_pushvalue(L, allowed);
  ma_lua_callcore(L, "allow_captures", 3, 0);
}

void ma_captures_allow(lua_State *L, const char *name) {
  int top = lua_gettop(L);
  lua_getfenv(L, 1);
  lua_getfield(L, top + 1, "allowed");
  lua_rawgeti(L, top + 1, 0);
  ma_captures_check(L, name, top + 3, top + 2);
  lua_settop(L, top);
}

int ma_captures_list(lua_State *L) {
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, 0);
  ma_lua_callcore(L, "captures_of", 1, 1);
  return 1;
}

void ma_open_captures(lua_State *L) {
  ma_lua_pushplain(L, "fuse(...)", false, is_value, 0);
  ma_lua_file(L, "core.is_value");
}
