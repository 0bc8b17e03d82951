/* watch.c: gives the log of the pools to memory hooks, which are in lua/moonarray/device/pool.lua. */
#include "memory/pool.h"
#include "bind/bind.h"

typedef struct watch_object {
  uint64_t magic;
  ma_watch *watch;
} watch_object;

static void release(void *of) {
  watch_object *object = of;
  if (object->watch) ma_watch_free(object->watch);
  object->watch = NULL;
}

static const ma_class watch_class = { .name = "watch",
                                      .word = "watch",
                                      .title = "moonarray watch",
                                      .magic = 0x6d61776174636862u,
                                      .size = sizeof(watch_object),
                                      .release = release };

static watch_object *check_watch(lua_State *L) { return ma_lua_self(L, &watch_class); }

static int watch_new(lua_State *L) {
  watch_object *object = ma_lua_newobject(L, &watch_class);
  object->watch = ma_watch_new((unsigned)ma_lua_checkint(L, 1, "acts"));
  if (!object->watch) return ma_lua_fail(L, "out of memory: no host memory for a log of the pools");
  return 1;
}

static int watch_close(lua_State *L) {
  release(check_watch(L));
  return 0;
}

static void push_event(lua_State *L, const ma_pool_event *event) {
  static const char *const acts[MA_NACT] = { "alloc", "malloc", "free" };
  lua_createtable(L, 0, 8);
  lua_pushstring(L, acts[event->act]);
  lua_setfield(L, -2, "act");
  lua_pushstring(L, event->device->name);
  lua_setfield(L, -2, "device");
  lua_pushinteger(L, event->device->id);
  lua_setfield(L, -2, "device_id");
  lua_pushnumber(L, (double)event->size);
  lua_setfield(L, -2, "size");
  lua_pushnumber(L, (double)event->mem_size);
  lua_setfield(L, -2, "mem_size");
  lua_pushnumber(L, (double)(uintptr_t)event->ptr);
  lua_setfield(L, -2, "mem_ptr");
  lua_pushnumber(L, (double)(uintptr_t)event->id);
  lua_setfield(L, -2, "pmem_id");
}

/* core.watch_take(watch): up to 64 events as a table, the number of events lost before them, and whether there may
** be more. Returns nothing if there are no events. */
static int watch_take(lua_State *L) {
  ma_pool_event event[64];
  int64_t lost = 0;
  const watch_object *object = check_watch(L);
  int n = object->watch ? ma_watch_take(object->watch, event, 64, &lost) : 0;
  if (n == 0) return 0;
  lua_createtable(L, n, 0);
  for (int k = 0; k < n; k++) {
    push_event(L, &event[k]);
    lua_rawseti(L, -2, k + 1);
  }
  lua_pushnumber(L, (double)lost);
  lua_pushboolean(L, n == 64);
  return 3;
}

static int watch_skip(lua_State *L) {
  const watch_object *object = check_watch(L);
  if (object->watch) ma_watch_skip(object->watch);
  return 0;
}

/* core.set_dispatch(fn): fn(place) is called where Lua may run while there is a watch; nil: no function. */
static int set_dispatch(lua_State *L) {
  lua_pushvalue(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, MA_DISPATCH_KEY);
  return 0;
}

static const ma_function functions[] = {
  { "core.watch_new(acts)", watch_new, NULL },      { "core.watch_skip(watch)", watch_skip, NULL },
  { "core.watch_take(watch)", watch_take, NULL },   { "core.watch_close(watch)", watch_close, NULL },
  { "core.set_dispatch(fn?)", set_dispatch, NULL }, { NULL, NULL, NULL }
};

void ma_open_watch(lua_State *L) { ma_lua_register(L, functions); }
