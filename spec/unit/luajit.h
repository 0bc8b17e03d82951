/*
** luajit.h: Lua states for the C units that run several of them on several threads.
**
** LuaJIT is opened at run time, and the scripts load the built module as a program would: the core that is linked into
** a unit is not the one that runs. Strings go from state to state by put and take.
*/
#ifndef MOONARRAY_UNIT_LUAJIT_H
#define MOONARRAY_UNIT_LUAJIT_H

#include <lua.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ==== LuaJIT ==== */

/* clang-format off */
#define LUA_API_LIST(X) \
  X(lua_State *, luaL_newstate, (void)) X(void, luaL_openlibs, (lua_State *)) \
  X(int, luaL_loadstring, (lua_State *, const char *)) \
  X(int, lua_pcall, (lua_State *, int, int, int)) X(void, lua_close, (lua_State *)) \
  X(void, lua_settop, (lua_State *, int)) \
  X(const char *, lua_tolstring, (lua_State *, int, size_t *)) X(void, lua_pushstring, (lua_State *, const char *)) \
  X(void, lua_pushnumber, (lua_State *, lua_Number)) X(lua_Number, lua_tonumber, (lua_State *, int)) \
  X(void, lua_pushcclosure, (lua_State *, lua_CFunction, int)) X(void, lua_setfield, (lua_State *, int, const char *))
/* clang-format on */

static struct {
#define X(result, name, parameters) result(*name) parameters;
  LUA_API_LIST(X)
#undef X
} api;

static bool open_luajit(void) {
  void *library = dlopen("libluajit-5.1.so.2", RTLD_NOW | RTLD_GLOBAL);
  if (!library) library = dlopen("libluajit-5.1.so", RTLD_NOW | RTLD_GLOBAL);
  if (!library) return false;
#define X(result, name, parameters) \
  if (!(*(void **)&api.name = dlsym(library, #name))) return false;
  LUA_API_LIST(X)
#undef X
  return true;
}

/* ==== A queue of strings between the states ==== */

#define ROOM 64
static struct {
  pthread_mutex_t lock;
  char *text[ROOM];
  int n;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* put(text): false if the queue is full */
static int put(lua_State *L) {
  char *copy = strdup(api.lua_tolstring(L, 1, NULL));
  pthread_mutex_lock(&queue.lock);
  bool fits = queue.n < ROOM;
  if (fits) queue.text[queue.n++] = copy;
  pthread_mutex_unlock(&queue.lock);
  if (!fits) free(copy);
  api.lua_pushnumber(L, fits);
  return 1;
}

/* take(): the text put last, or nothing */
static int take(lua_State *L) {
  pthread_mutex_lock(&queue.lock);
  char *text = queue.n ? queue.text[--queue.n] : NULL;
  pthread_mutex_unlock(&queue.lock);
  if (!text) return 0;
  api.lua_pushstring(L, text);
  free(text);
  return 1;
}

/* ==== States ==== */

static const char head[] = "local folder = os.getenv('MODULE_DIR') or '.'\n"
                           "package.path = './lua/?.lua;./lua/?/init.lua;' .. package.path\n"
                           "package.cpath = folder .. '/?.so;' .. package.cpath\n";

static void fail(const char *what, const char *text) {
  fprintf(stderr, "%s: %s\n", what, text ? text : "?");
  exit(1);
}

static bool failed; /* atomic: in a worker */

/* A worker that fails does not end the process under the others. */
static void note_failure(const char *what, const char *text) {
  fprintf(stderr, "%s: %s\n", what, text ? text : "?");
  __atomic_store_n(&failed, true, __ATOMIC_RELAXED);
}

/* For main, when no worker is left. */
static void stop_if_failed(void) {
  if (__atomic_load_n(&failed, __ATOMIC_RELAXED)) exit(1);
}

static lua_State *new_state(double id, double rounds) {
  lua_State *L = api.luaL_newstate();
  if (!L) fail("luaL_newstate", "no memory");
  api.luaL_openlibs(L);
  api.lua_pushcclosure(L, put, 0);
  api.lua_setfield(L, LUA_GLOBALSINDEX, "put");
  api.lua_pushcclosure(L, take, 0);
  api.lua_setfield(L, LUA_GLOBALSINDEX, "take");
  api.lua_pushnumber(L, id);
  api.lua_setfield(L, LUA_GLOBALSINDEX, "id");
  api.lua_pushnumber(L, id);
  api.lua_setfield(L, LUA_GLOBALSINDEX, "number");
  api.lua_pushnumber(L, rounds);
  api.lua_setfield(L, LUA_GLOBALSINDEX, "rounds");
  return L;
}

/* NULL, or the error's message, which stays on the stack. */
static const char *run(lua_State *L, const char *script, int nresult) {
  char text[8192];
  snprintf(text, sizeof text, "%s%s", head, script);
  if (api.luaL_loadstring(L, text) == 0 && api.lua_pcall(L, 0, nresult, 0) == 0) return NULL;
  return api.lua_tolstring(L, -1, NULL);
}

#endif
