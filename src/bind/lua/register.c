/* register.c: closures of the library, and where they are stored: in its tables, as methods, in core. */
#include "bind/lua/noted.h"

#include <stdio.h>
#include <string.h>

/* ==== Closures =================================================================================================== */

static void push_closure(lua_State *L, const ma_signature *signature, lua_CFunction call, int nup) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, -nup - 1);
  lua_pushlightuserdata(L, (void *)signature);
  lua_insert(L, -nup - 1);
  lua_pushcclosure(L, call, nup + 2);
}

static int arrange(lua_State *L) {
  const ma_signature *signature = lua_touserdata(L, lua_upvalueindex(2));
  if (!signature->layered) MA_LUA_DOOR(L); /* what the Lua layer's functions call comes here itself */
  ma_lua_arrange(L, signature);
  return signature->call(L);
}

static int call_arranged(lua_State *L) { return MA_LUA_NOTED(L, arrange); }

/* The same for a function that arranges its arguments itself. */
static int pass(lua_State *L) {
  const ma_signature *signature = lua_touserdata(L, lua_upvalueindex(2));
  MA_LUA_DOOR(L);
  return signature->call(L);
}

static int call_plain(lua_State *L) { return MA_LUA_NOTED(L, pass); }

static void push_listed(lua_State *L, const char *text, bool method, lua_CFunction call, int nup) {
  push_closure(L, ma_lua_newsignature(L, text, method, call), call_plain, nup);
}

void ma_lua_pushclosure(lua_State *L, const char *text, bool method, lua_CFunction call, int nup) {
  push_closure(L, ma_lua_newsignature(L, text, method, call), call_arranged, nup);
}

void ma_lua_pushplain(lua_State *L, const char *text, bool method, lua_CFunction call, int nup) {
  push_closure(L, ma_lua_newsignature(L, text, method, NULL), call, nup);
}

/* ==== Registration ================================================================================================ */

/* Replaces the table on top by its field [from, to), a table that is made if needed; `whole` begins its full name. */
static void enter_subtable(lua_State *L, const char *whole, const char *from, const char *to) {
  lua_pushlstring(L, from, (size_t)(to - from));
  lua_pushvalue(L, -1);
  lua_rawget(L, -3);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    ma_lua_setmodule(L, whole, (size_t)(to - whole));
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -5);
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/* Whether a value may go into the table on top under this name. */
static bool may_store(lua_State *L, const char *name) {
  if (!ma_lua_state(L)->keeps_names) return true;
  lua_pushstring(L, name);
  lua_rawget(L, -2);
  bool vacant = lua_isnil(L, -1);
  lua_pop(L, 1);
  return vacant;
}

void ma_lua_file(lua_State *L, const char *name) {
  ma_lua *state = ma_lua_state(L);
  bool in_core = !strncmp(name, "core.", 5);
  lua_rawgeti(L, LUA_REGISTRYINDEX, in_core ? state->core : state->library);
  if (in_core) name += 5;
  else if (!lua_getmetatable(L, -1)) ma_lua_setmodule(L, "", 0);
  else lua_pop(L, 1);
  const char *whole = name;
  for (const char *dot; (dot = strchr(name, '.')); name = dot + 1) enter_subtable(L, whole, name, dot);
  if (may_store(L, name)) {
    lua_pushstring(L, name);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
  }
  lua_pop(L, 2);
}

void ma_lua_addmethod(lua_State *L, const char *name) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->methods);
  lua_getfield(L, -1, name);
  bool attribute = lua_type(L, -1) == LUA_TNUMBER; /* ma.real(a) is a function, but a.real is not a method */
  lua_pop(L, 1);
  bool stays = attribute || !may_store(L, name);
  lua_insert(L, -2);
  if (stays) lua_pop(L, 1);
  else lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

/* Whether it becomes a method: a plain name whose first required argument is called `a`. */
static bool makes_method(const ma_signature *signature) {
  return signature->nrequired && !strcmp(signature->arg[0], "a") && !strchr(signature->name, '.');
}

typedef void push_function(lua_State *L, const char *text, bool method, lua_CFunction call, int nup);

static void define_by(lua_State *L, const char *text, const char *doc, lua_CFunction call, int nup,
                      push_function *push) {
  bool hidden = !strncmp(text, "core.", 5), method_only = *text == ':';
  const ma_signature *signature = ma_lua_newsignature(L, text, false, push == ma_lua_pushplain ? NULL : call);
  char name[64];
  snprintf(name, sizeof name, "%s%s", hidden ? "core." : method_only ? ":" : "", signature->name);
  if (!hidden) ma_lua_document(L, name, signature, doc);
  if (!hidden && !method_only) text = signature->text; /* which has no types to take out again */
  if (!hidden && (method_only || makes_method(signature))) {
    for (int i = 0; i < nup; i++) lua_pushvalue(L, -nup);
    push(L, text, true, call, nup);
    ma_lua_addmethod(L, signature->name);
  }
  push(L, text, method_only, call, nup);
  if (method_only) return;
  lua_pushvalue(L, -1);
  ma_lua_file(L, name);
}

void ma_lua_define(lua_State *L, const char *text, const char *doc, lua_CFunction call, int nup) {
  define_by(L, text, doc, call, nup, ma_lua_pushclosure);
}

static void make_function(lua_State *L, const void *of) {
  const ma_function *f = of;
  define_by(L, f->signature, f->doc, f->call, 0, ma_lua_pushclosure);
  lua_pop(L, 1);
}

static void make_plain(lua_State *L, const void *of) {
  const ma_function *f = of;
  define_by(L, f->signature, f->doc, f->call, 0, push_listed);
  lua_pop(L, 1);
}

static void register_by(lua_State *L, const ma_function *list, ma_lua_maker make) {
  for (; list->signature; list++) {
    const char *name = list->signature + (*list->signature == ':'), *end = strchr(name, '(');
    const char *plain = name + (strncmp(name, "core.", 5) ? 0 : 5);
    if (end && !memchr(plain, '.', (size_t)(end - plain))) ma_lua_postpone(L, name, (size_t)(end - name), make, list);
    else make(L, list);
  }
}

void ma_lua_register(lua_State *L, const ma_function *list) { register_by(L, list, make_function); }
void ma_lua_registerplain(lua_State *L, const ma_function *list) { register_by(L, list, make_plain); }
