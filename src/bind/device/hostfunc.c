/*
** hostfunc.c: host functions that a stream's work calls. No thread of the driver ever enters Lua. Instead an event is
** recorded in the stream, and the function waits in a queue of its Lua state until code there waits for the stream or
** polls, and the event is complete.
*/
#include "memory/wait.h"
#include "bind/device/event.h"

#define QUEUE "moonarray.host_functions"
/* fields of an entry; STREAM: the stream's address, for the order */
enum { EVENT = 1, FUNCTION, ARGUMENT, STREAM, GENERATION };

/* stream:launch_host_func(fn, arg?) */
int ma_lua_launch_host_func(lua_State *L) {
  ma_stream *stream = ma_lua_checkstream(L);
  if (lua_type(L, 2) != LUA_TFUNCTION) return ma_lua_fail(L, "fn is %s; wanted a function", ma_lua_describe(L, 2));
  lua_getfield(L, LUA_REGISTRYINDEX, QUEUE);
  lua_createtable(L, 5, 0);
  ma_lua_record(L, ma_lua_pushevent(L, stream->device, MA_EVENT_DISABLE_TIMING), stream);
  lua_rawseti(L, -2, EVENT);
  lua_pushvalue(L, 2);
  lua_rawseti(L, -2, FUNCTION);
  lua_pushvalue(L, 3);
  lua_rawseti(L, -2, ARGUMENT);
  lua_pushlightuserdata(L, stream);
  lua_rawseti(L, -2, STREAM);
  lua_pushnumber(L, stream->device->generation);
  lua_rawseti(L, -2, GENERATION);
  int *n = &ma_lua_state(L)->nhost_functions;
  lua_rawseti(L, -2, *n + 1);
  ++*n;
  lua_settop(L, 1);
  return 1;
}

/* Whether a reset of the device destroyed the work that the entry on top waits for. Then its function is never
** called. */
static bool is_lost(lua_State *L) {
  lua_rawgeti(L, -1, EVENT);
  lua_rawgeti(L, -2, GENERATION);
  bool lost = lua_tonumber(L, -1) != ma_lua_toevent(L, -2)->device->generation;
  lua_pop(L, 2);
  return lost;
}

/* Whether the entry on top is due. An entry waits for earlier entries of its stream; the table `late` has the streams
** with entries that are not due. */
static bool is_due(lua_State *L, int late) {
  lua_rawgeti(L, -1, STREAM);
  lua_pushvalue(L, -1);
  lua_rawget(L, late);
  bool due = lua_isnil(L, -1);
  lua_pop(L, 1);
  if (due) {
    lua_rawgeti(L, -2, EVENT);
    due = ma_lua_isdone(L, ma_lua_toevent(L, -1));
    lua_pop(L, 1);
    if (!due) {
      lua_pushvalue(L, -1);
      lua_pushboolean(L, 1);
      lua_rawset(L, late);
    }
  }
  lua_pop(L, 1);
  return due;
}

/* Moves due entries from the queue to a list, which it pushes; returns their number. If it raises, no entry is lost. */
static int take_due(lua_State *L, int queue) {
  ma_lua *state = ma_lua_state(L);
  int count = state->nhost_functions, ndue = 0, nleft = 0;
  lua_createtable(L, count, 0);
  lua_newtable(L);
  lua_newtable(L);
  int due = lua_gettop(L) - 2, left = due + 1, late = due + 2;
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, queue, i);
    if (is_lost(L)) lua_pop(L, 1);
    else if (is_due(L, late)) lua_rawseti(L, due, ++ndue);
    else lua_rawseti(L, left, ++nleft);
  }
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, left, i); /* nil behind the last entry */
    lua_rawseti(L, queue, i);
  }
  state->nhost_functions = nleft;
  lua_settop(L, due);
  return ndue;
}

/* A host function that waits or polls does not start another one. So the functions of a stream run in order. */
void ma_lua_poll(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  if (!state->nhost_functions || state->runs_host_functions) return;
  int top = lua_gettop(L), failed = 0;
  luaL_checkstack(L, 10, "moonarray: host functions");
  lua_getfield(L, LUA_REGISTRYINDEX, QUEUE);
  int ndue = take_due(L, top + 1);
  state->runs_host_functions = true;
  for (int i = 1; i <= ndue; i++) {
    lua_rawgeti(L, top + 2, i);
    lua_rawgeti(L, -1, FUNCTION);
    lua_rawgeti(L, -2, ARGUMENT);
    if (!lua_pcall(L, 1, 0, 0)) lua_pop(L, 1);
    else if (failed++) lua_pop(L, 2); /* the first error is raised */
    else lua_replace(L, -2);
  }
  state->runs_host_functions = false;
  if (failed) lua_error(L);
  lua_settop(L, top);
}

/* Waits for the events of a stream's functions. A driver may report that all work of a stream is done shortly before it
** reports that for the last event. */
static void wait_events(lua_State *L, const ma_stream *stream) {
  int count = ma_lua_state(L)->nhost_functions;
  if (!count) return;
  lua_getfield(L, LUA_REGISTRYINDEX, QUEUE);
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, i);
    lua_rawgeti(L, -1, STREAM);
    bool waits = lua_touserdata(L, -1) == stream;
    lua_pop(L, 1);
    if (waits && !is_lost(L)) {
      lua_rawgeti(L, -1, EVENT);
      const ma_lua_event *event = ma_lua_toevent(L, -1);
      ma_lua_check(L, event->device->backend->event.synchronize(event->device, event->handle));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

void ma_lua_waitfor(lua_State *L, ma_stream *stream) {
  ma_lua_check(L, ma_wait_check(ma_is_host(stream->device)));
  ma_lua_flush(L, "synchronize");
  ma_lua_check(L, stream->device->backend->stream.synchronize(stream));
  wait_events(L, stream);
  ma_lua_poll(L);
  ma_lua_checkfault(L, stream);
}

static int poll(lua_State *L) {
  ma_lua_poll(L);
  lua_pushinteger(L, ma_lua_state(L)->nhost_functions);
  return 1;
}

static int host_functions(lua_State *L) {
  lua_pushinteger(L, ma_lua_state(L)->nhost_functions);
  return 1;
}

static const ma_function functions[] = {
  //> cuda.poll: ma.cuda.poll() >= 0
  { "cuda.poll() -> integer", poll, "Runs the host functions that their streams got to; returns how many still wait." },
  { "core.host_functions()", host_functions, NULL },
  { NULL, NULL, NULL }
};

void ma_open_hostfunc(lua_State *L) {
  if (luaL_newmetatable(L, QUEUE)) ma_lua_state(L)->nhost_functions = 0; /* a plain table, one for each Lua state */
  lua_pop(L, 1);
  ma_lua_register(L, functions);
}
