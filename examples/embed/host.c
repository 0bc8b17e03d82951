/*
** host.c: a small engine that embeds Lua and hands its own memory to scripts as arrays, without a copy.
**
**   cc -I../../include $(pkg-config --cflags luajit) host.c -o host $(pkg-config --libs luajit) && ./host game.lua
*/
#include <moonarray.h>

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 4 };

/* What the engine has: positions of particles, x and y in turn. */
typedef struct world {
  float position[COUNT][2];
  int users;
} world;

static void world_released(void *context) {
  world *w = context;
  w->users--;
  printf("the script let go of the positions\n");
}

static int fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

/* Pushes an array over the world's memory. */
static int push_positions(lua_State *L, const moonarray_api *ma, world *w) {
  moonarray_tensor t = { 0 };
  t.data = w->position;
  t.dtype = MOONARRAY_FLOAT32;
  t.device = MOONARRAY_CPU;
  t.ndim = 2;
  t.shape[0] = COUNT;
  t.shape[1] = 2;
  if (ma->push(L, &t, world_released, w)) return fail(ma->message());
  w->users++;
  return 0;
}

/* Reads what the script returned, whichever device it is on: the engine asks for it where it needs it. */
static int read_result(lua_State *L, const moonarray_api *ma) {
  moonarray_tensor t;
  if (!ma->is_array(L, -1)) return fail("the script returned no array");
  if (ma->get(L, -1, MOONARRAY_READ, &t)) return fail(ma->message());
  if (t.device != MOONARRAY_CPU || t.dtype != MOONARRAY_FLOAT64 || t.ndim != 1)
    return fail("wanted one axis of float64 on the CPU");
  printf("centre:");
  for (int64_t k = 0; k < t.shape[0]; k++) printf(" %g", *(const double *)((const char *)t.data + k * t.stride[0]));
  printf("\n");
  return 0;
}

static int play(lua_State *L, const char *script, world *w) {
  const moonarray_api *ma = moonarray_get_api(L);
  if (!ma) return fail(lua_tostring(L, -1));
  printf("moonarray %s, interface %u\n", ma->version, (unsigned)ma->abi_version);
  if (luaL_loadfile(L, script)) return fail(lua_tostring(L, -1));
  if (push_positions(L, ma, w)) return 1;
  if (lua_pcall(L, 1, 1, 0)) return fail(lua_tostring(L, -1));
  if (read_result(L, ma)) return 1;
  printf("first particle: %g %g\n", (double)w->position[0][0], (double)w->position[0][1]);
  lua_settop(L, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
  printf("users of the world: %d\n", w->users);
  return w->users;
}

int main(int argc, char **argv) {
  if (argc != 2) return fail("usage: host SCRIPT");
  lua_State *L = luaL_newstate();
  if (!L) return fail("no memory for a Lua state");
  luaL_openlibs(L);
  /* lives longer than the Lua state */
  world w = { .position = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } }, .users = 0 };
  int code = play(L, argv[1], &w);
  lua_close(L);
  return code;
}
