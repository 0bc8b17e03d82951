/*
** stream.c: streams and events as Lua sees them, on every device. A stream is the order in which a device's work is done; an
** event marks a place in it, and two of them the time between.
*/
#include "graph.h"

#include <stdio.h>
#include <string.h>

#define STREAM_MAGIC 0x6d61737472656161u
#define EVENT_MAGIC 0x6d616576656e7461u
#define STREAM_METATABLE "moonarray.stream"
#define EVENT_METATABLE "moonarray.event"

typedef struct stream_object { uint64_t magic; ma_stream *stream; } stream_object;

/* handle: the backend's, made by the first record. device: of that record, before it of the making. */
typedef struct event_object {
  uint64_t magic;
  ma_device *device;
  ma_stream *stream;                   /* of the last record; NULL: none yet */
  void *handle;
} event_object;

static int64_t live_events;            /* handles not yet freed, in the process; atomic */

static stream_object *to_stream(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_objlen(L, index) != sizeof(stream_object)) return NULL;
  stream_object *object = lua_touserdata(L, index);
  return object->magic == STREAM_MAGIC ? object : NULL;
}

static event_object *to_event(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_objlen(L, index) != sizeof(event_object)) return NULL;
  event_object *object = lua_touserdata(L, index);
  return object->magic == EVENT_MAGIC ? object : NULL;
}

ma_stream *ma_lua_optstream(lua_State *L, int index) {
  if (lua_isnoneornil(L, index)) return ma_lua_stream(L);
  const stream_object *object = to_stream(L, index);
  if (!object)
    ma_lua_fail(L, "%s is %s; wanted a stream such as moonarray.Stream.null", ma_lua_argname(L, index), ma_lua_describe(L, index));
  return object->stream;
}

/* One object a stream and Lua state, so that == works: kept in the metatable under the stream's address. */
static void push_stream(lua_State *L, ma_stream *stream) {
  lua_getfield(L, LUA_REGISTRYINDEX, STREAM_METATABLE);
  lua_pushlightuserdata(L, stream);
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    stream_object *object = lua_newuserdata(L, sizeof *object);
    *object = (stream_object){ STREAM_MAGIC, stream };
    lua_pushvalue(L, -2);
    lua_setmetatable(L, -2);
    lua_pushlightuserdata(L, stream);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  lua_replace(L, -2);
}

/* Pushes an event of `device` that holds nothing yet. */
static event_object *push_event(lua_State *L, ma_device *device) {
  event_object *event = lua_newuserdata(L, sizeof *event);
  *event = (event_object){ EVENT_MAGIC, device, NULL, NULL };
  lua_getfield(L, LUA_REGISTRYINDEX, EVENT_METATABLE);
  lua_setmetatable(L, -2);
  return event;
}

/* ==== Events ===================================================================================================== */

static void make_handle(lua_State *L, event_object *event) {
  if (event->handle) return;
  ma_lua_check(L, event->device->backend->event_new(event->device, &event->handle));
  __atomic_add_fetch(&live_events, 1, __ATOMIC_RELAXED);
}

static void record(lua_State *L, event_object *event, ma_stream *stream) {
  if (event->device != stream->device)
    ma_lua_fail(L, "an event of %s and a stream of %s; wanted both of one device", event->device->name, stream->device->name);
  make_handle(L, event);
  ma_lua_check(L, stream->device->backend->event_record(stream, event->handle));
  event->stream = stream;
}

static event_object *check_event(lua_State *L) {
  ma_lua_args(L);
  event_object *event = to_event(L, 1);
  if (!event) ma_lua_fail(L, "%s in place of the event; write event:method()", ma_lua_describe(L, 1));
  return event;
}

static void check_recorded(lua_State *L, const event_object *event, const char *what) {
  if (!event->stream) ma_lua_fail(L, "%s was not recorded; wanted %s:record() before", what, what);
}

static event_object *check_timed(lua_State *L, int index, const char *what) {
  event_object *event = to_event(L, index);
  if (!event) ma_lua_fail(L, "%s is %s; wanted an event", what, ma_lua_describe(L, index));
  check_recorded(L, event, what);
  return event;
}

static bool is_done(lua_State *L, const event_object *event) {
  bool done = false;
  ma_lua_check(L, event->device->backend->event_done(event->device, event->handle, &done));
  return done;
}

static double elapsed(lua_State *L, const event_object *start, const event_object *stop) {
  double milliseconds = 0;
  ma_lua_check(L, start->device->backend->event_elapsed(start->device, start->handle, stop->handle, &milliseconds));
  ma_lua_checkfault(L, stop->stream);
  return milliseconds;
}

static int event_make(lua_State *L) {
  ma_lua_args(L);
  push_event(L, ma_lua_device(L));
  return 1;
}

static int event_record(lua_State *L) {
  event_object *event = check_event(L);
  record(L, event, lua_isnil(L, 2) ? ma_lua_stream_of(L, event->device) : ma_lua_optstream(L, 2));
  lua_settop(L, 1);
  return 1;
}

static int event_synchronize(lua_State *L) {
  const event_object *event = check_event(L);
  check_recorded(L, event, "event");
  elapsed(L, event, event);
  return 0;
}

static int event_done(lua_State *L, const event_object *event) {
  check_recorded(L, event, "event");
  lua_pushboolean(L, is_done(L, event));
  return 1;
}

static int get_elapsed_time(lua_State *L) {
  ma_lua_args(L);
  const event_object *start = check_timed(L, 1, "start"), *stop = check_timed(L, 2, "stop");
  if (start->device != stop->device)
    return ma_lua_fail(L, "start is of %s and stop of %s; wanted events of one device", start->device->name, stop->device->name);
  lua_pushnumber(L, elapsed(L, start, stop));
  return 1;
}

static int event_free(lua_State *L) {
  event_object *event = to_event(L, 1);
  if (!event || !event->handle) return 0;
  event->device->backend->event_free(event->device, event->handle);
  event->handle = NULL;
  event->stream = NULL;
  __atomic_sub_fetch(&live_events, 1, __ATOMIC_RELAXED);
  return 0;
}

static int event_tostring(lua_State *L) {
  const event_object *event = to_event(L, 1);
  lua_pushfstring(L, "<Event %s>", event ? event->device->name : "?");
  return 1;
}

/* ==== Streams ==================================================================================================== */

static ma_stream *check_stream(lua_State *L) {
  ma_lua_args(L);
  const stream_object *object = to_stream(L, 1);
  if (!object) ma_lua_fail(L, "%s in place of the stream; write stream:method()", ma_lua_describe(L, 1));
  return object->stream;
}

static int stream_synchronize(lua_State *L) {
  ma_lua_wait(L, check_stream(L));
  return 0;
}

/* Without an event makes one. */
static int stream_record(lua_State *L) {
  ma_stream *stream = check_stream(L);
  event_object *event = to_event(L, 2);
  if (lua_isnil(L, 2)) {
    event = push_event(L, stream->device);
    lua_replace(L, 2);
  } else if (!event) {
    return ma_lua_fail(L, "event is %s; wanted an event", ma_lua_describe(L, 2));
  }
  record(L, event, stream);
  lua_settop(L, 2);
  return 1;
}

static int stream_done(lua_State *L, ma_stream *stream) {
  bool done = false;
  ma_lua_check(L, stream->device->backend->done(stream, &done));
  lua_pushboolean(L, done);
  return 1;
}

static int stream_tostring(lua_State *L) {
  const stream_object *object = to_stream(L, 1);
  lua_pushfstring(L, "<Stream null, %s>", object ? object->stream->device->name : "?");
  return 1;
}

static int get_current_stream(lua_State *L) {
  ma_lua_args(L);
  push_stream(L, ma_lua_stream(L));
  return 1;
}

static int null_stream(lua_State *L) {
  ma_lua_args(L);
  push_stream(L, ma_device_null_stream(ma_lua_optdevice(L, 1)));
  return 1;
}

static int is_stream(lua_State *L) {
  ma_lua_args(L);
  lua_pushboolean(L, to_stream(L, 1) != NULL);
  return 1;
}

static int count_events(lua_State *L) {
  lua_pushnumber(L, (double)__atomic_load_n(&live_events, __ATOMIC_RELAXED));
  return 1;
}

/* ==== Metatables ================================================================================================= */

typedef struct method { const char *name, *signature; lua_CFunction call; } method;

static const method event_methods[] = {
  { "record", ":record(event?, stream?)", event_record },
  { "synchronize", ":synchronize(event?)", event_synchronize },
  { NULL, NULL, NULL }
};
static const method stream_methods[] = {
  { "record", ":record(stream?, event?)", stream_record },
  { "synchronize", ":synchronize(stream?)", stream_synchronize },
  { "begin_capture", ":begin_capture(stream)", ma_lua_begin_capture },
  { "end_capture", ":end_capture(stream)", ma_lua_end_capture },
  { "is_capturing", ":is_capturing(stream)", ma_lua_is_capturing },
  { NULL, NULL, NULL }
};

/* Upvalue 3: the methods. */
static int object_index(lua_State *L) {
  const stream_object *stream = to_stream(L, 1);
  const event_object *event = to_event(L, 1);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(3));
  if (!lua_isnil(L, -1)) return 1;
  bool done = !strcmp(key, "done");
  if (stream && done) return stream_done(L, stream->stream);
  if (event && done) return event_done(L, event);
  if (!strcmp(key, "device") && (stream || event)) {
    lua_pushstring(L, stream ? stream->stream->device->name : event->device->name);
    return 1;
  }
  lua_pushvalue(L, lua_upvalueindex(3));
  return ma_lua_unknown(L, "attribute", key, lua_gettop(L));
}

static void set_metatable(lua_State *L, const char *name, const method *methods, const char *index, lua_CFunction print, lua_CFunction finish) {
  lua_newtable(L);
  lua_newtable(L);
  for (; methods->name; methods++) {
    ma_lua_pushclosure(L, methods->signature, false, methods->call, 0);
    lua_setfield(L, -2, methods->name);
  }
  ma_lua_pushclosure(L, index, false, object_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, print);
  lua_setfield(L, -2, "__tostring");
  if (finish) {
    lua_pushcfunction(L, finish);
    lua_setfield(L, -2, "__gc");
  }
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__metatable");
  lua_setfield(L, LUA_REGISTRYINDEX, name);
}

/* ma.Stream.null: the null stream of the device that is current when it is read. */
static int class_index(lua_State *L) {
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(key, "null")) return ma_lua_fail(L, "no stream is called '%s'; wanted Stream.null", key);
  push_stream(L, ma_device_null_stream(ma_lua_device(L)));
  return 1;
}

static void file_class(lua_State *L) {
  lua_newtable(L);
  lua_newtable(L);
  ma_lua_pushclosure(L, ":Stream(class, key)", false, class_index, 0);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  ma_lua_file(L, "Stream");
  ma_lua_file(L, "cuda.Stream");
}

static const ma_function functions[] = {
  { "Event()", event_make, "A mark in a stream's work: event:record(stream?), event:synchronize(), event.done." },
  { "cuda.Event()", event_make, "The same as moonarray.Event." },
  { "get_elapsed_time(start, stop)", get_elapsed_time, "Milliseconds between two recorded events of a device; waits for the second." },
  { "cuda.get_elapsed_time(start, stop)", get_elapsed_time, "Milliseconds between two recorded events of a device; waits for the second." },
  { "get_current_stream()", get_current_stream, "The stream on which work is queued." },
  { "cuda.get_current_stream()", get_current_stream, "The stream on which work is queued." },
  { "core.null_stream(device?)", null_stream, NULL },
  { "core.is_stream(value?)", is_stream, NULL },
  { "core.live_events()", count_events, NULL },
  { NULL, NULL, NULL }
};

void ma_open_stream(lua_State *L) {
  set_metatable(L, STREAM_METATABLE, stream_methods, ":stream(stream, key)", stream_tostring, NULL);
  set_metatable(L, EVENT_METATABLE, event_methods, ":event(event, key)", event_tostring, event_free);
  ma_lua_register(L, functions);
  file_class(L);
}
