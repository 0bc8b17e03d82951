/*
** foreign.c: what keeps foreign memory alive under arrays.
**
** An array over foreign memory keeps a Lua value, its owner, alive until the last view is gone. That may happen on
** another thread or in another Lua state, where the owner's state must not be used. So the buffer's release only puts
** the owner's key on a list, and the owner's state removes it at its next finaliser or frombuffer (ma_lua_sweep).
*/
#include "base/fork.h"
#include "bind/array/foreign.h"

#include <pthread.h>
#include <stdlib.h>

#define KEEPER_KEY "moonarray.keeper"

typedef struct owner {
  struct keeper *keeper;
  double key;        /* key of the Lua value in the keeper's table */
  bool held;         /* the value is a function that lets go of the memory, to be called */
  ma_buffer **watch; /* cleared when the buffer is freed; NULL: nobody watches */
  struct owner *next;
} owner;

/* Each Lua state that wraps foreign memory has one. It outlives the state while buffers refer to it. */
typedef struct keeper {
  int refs;    /* atomic: one for the Lua state, and one for each owner that is not on the list */
  double keys; /* number of keys given out */
  owner *dead; /* atomic stack of owners whose buffers were freed */
} keeper;

typedef struct keeper_ref {
  keeper *keeper;
} keeper_ref;

static pthread_mutex_t watching = PTHREAD_MUTEX_INITIALIZER; /* for all owners' `watch` and its target */
MA_FORK_GUARD(watching, MA_FORK_LEAF)
static int ndead; /* atomic: owners on all lists, so that a finaliser reads only this number */

static void keeper_release(keeper *k) {
  if (__atomic_sub_fetch(&k->refs, 1, __ATOMIC_ACQ_REL) > 0) return;
  for (owner *o = k->dead, *next; o; o = next) {
    next = o->next;
    __atomic_sub_fetch(&ndead, 1, __ATOMIC_RELAXED);
    free(o);
  }
  free(k);
}

/* Called when the buffer is freed, on any thread. The owner stays on the list until its Lua state removes it. */
static void release_foreign(ma_buffer *buffer) {
  owner *o = buffer->owner;
  keeper *k = o->keeper;
  pthread_mutex_lock(&watching);
  if (o->watch) *o->watch = NULL;
  pthread_mutex_unlock(&watching);
  ma_foreign_settle(buffer);
  ma_buffer_free_header(buffer);
  __atomic_add_fetch(&ndead, 1, __ATOMIC_RELAXED);
  o->next = __atomic_load_n(&k->dead, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&k->dead, &o->next, o, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) continue;
  keeper_release(k);
}

bool ma_lua_borrowed(const ma_buffer *buffer) { return buffer->release == release_foreign; }

static int keeper_gc(lua_State *L) {
  keeper_ref *ref = lua_touserdata(L, 1);
  if (ref->keeper) keeper_release(ref->keeper);
  ref->keeper = NULL;
  return 0;
}

/* Calls the function of the hook "hold" on top of the stack, and pops it. So the memory is freed now: the collector
** might not look at it for a long time. */
static void let_go(lua_State *L) {
  if (!lua_isfunction(L, -1) || lua_pcall(L, 0, 0, 0) != 0) lua_pop(L, 1);
}

/* Forgets the owners on the list. Their table, the keeper's environment, is on top of the stack. It raises nothing:
** setting an existing field to nil allocates nothing. */
static void sweep_list(lua_State *L, keeper *k) {
  for (owner *o = __atomic_exchange_n(&k->dead, NULL, __ATOMIC_ACQUIRE), *next; o; o = next) {
    next = o->next;
    if (o->held) {
      lua_pushnumber(L, o->key);
      lua_rawget(L, -2);
      let_go(L);
    }
    lua_pushnumber(L, o->key);
    lua_pushnil(L);
    lua_rawset(L, -3);
    __atomic_sub_fetch(&ndead, 1, __ATOMIC_RELAXED);
    free(o);
  }
}

void ma_lua_sweep(lua_State *L) {
  if (__atomic_load_n(&ndead, __ATOMIC_RELAXED) == 0) return;
  lua_getfield(L, LUA_REGISTRYINDEX, KEEPER_KEY);
  keeper_ref *ref = lua_touserdata(L, -1);
  if (ref && ref->keeper && __atomic_load_n(&ref->keeper->dead, __ATOMIC_RELAXED)) {
    lua_getfenv(L, -1);
    sweep_list(L, ref->keeper);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* Pushes the keeper's userdata, whose environment is the table of owners. */
static keeper *push_keeper(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, KEEPER_KEY);
  keeper_ref *ref = lua_touserdata(L, -1);
  if (ref) return ref->keeper;
  lua_pop(L, 1);
  ref = lua_newuserdata(L, sizeof *ref);
  ref->keeper = NULL;
  lua_newtable(L);
  lua_pushcfunction(L, keeper_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_newtable(L);
  lua_setfenv(L, -2);
  ref->keeper = calloc(1, sizeof *ref->keeper);
  if (!ref->keeper) ma_lua_fail(L, "out of memory: %d bytes for a record", (int)sizeof *ref->keeper);
  ref->keeper->refs = 1;
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, KEEPER_KEY);
  return ref->keeper;
}

/* Stores the owner in the table. Called when the buffer belongs to an array: this may raise for lack of memory, and
** then the array's finaliser frees the buffer. */
static void keep(lua_State *L, const owner *o, int index) {
  push_keeper(L);
  lua_getfenv(L, -1);
  lua_pushnumber(L, o->key);
  lua_pushvalue(L, index);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

/* Pushes what keeps the memory of the value at `index`. That is the value itself, or the hook's function if the user
** may free the memory while the value exists, as LÖVE's Data:release does. */
static bool push_kept(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TUSERDATA && ma_lua_pushhook(L, MA_HOOK_HOLD)) {
    lua_pushvalue(L, index);
    lua_call(L, 1, 1);
    if (lua_isfunction(L, -1)) return true;
    lua_pop(L, 1);
  }
  lua_pushvalue(L, index);
  return false;
}

/* Makes an owner that is not in the table yet. */
static owner *new_owner(lua_State *L) {
  keeper *k = push_keeper(L);
  lua_getfenv(L, -1);
  sweep_list(L, k);
  lua_pop(L, 2);
  owner *o = malloc(sizeof *o);
  if (!o) ma_lua_fail(L, "out of memory: %d bytes for a record", (int)sizeof *o);
  *o = (owner){ .keeper = k };
  return o;
}

void ma_lua_overforeign(lua_State *L, ma_array *array, const ma_foreign *foreign, int index, ma_buffer **watch) {
  if (!index) {
    ma_lua_check(L, ma_foreign_array(foreign, NULL, NULL, array));
    return;
  }
  bool held = push_kept(L, index);
  index = lua_gettop(L);
  owner *o = new_owner(L);
  keeper *k = o->keeper;
  ma_status status = ma_foreign_array(foreign, release_foreign, o, array);
  if (status != MA_OK) {
    free(o);
    if (held) let_go(L);
    ma_lua_check(L, status);
  }
  __atomic_add_fetch(&k->refs, 1, __ATOMIC_RELAXED);
  o->key = ++k->keys;
  o->held = held;
  o->watch = watch;
  if (watch) *watch = array->buffer;
  keep(L, o, index);
  lua_pop(L, 1);
}

ma_status ma_lua_withdraw(ma_buffer **watch, ma_stream *stream) {
  ma_status status = MA_OK;
  pthread_mutex_lock(&watching);
  if (*watch) {
    owner *o = (*watch)->owner;
    status = ma_buffer_use(*watch, stream, true);
    ma_buffer_withdraw(*watch);
    o->watch = NULL;
    *watch = NULL;
  }
  pthread_mutex_unlock(&watching);
  return status;
}
