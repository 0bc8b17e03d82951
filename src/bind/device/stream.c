/* stream.c: stream objects of every device. Work on a stream runs in order; work on two streams may run at the same
** time. Each Lua state has a current stream for each device. */
#include "bind/array/foreign.h"
#include "bind/device/graph.h"
#include "bind/lua/tag.h"

#include <stdint.h>
#include <string.h>

#define OBJECTS "moonarray.stream_objects" /* weak table: a stream's address -> its object, so that == works */
/* A device's address -> the object of its current stream, which this table keeps alive. */
#define CURRENT "moonarray.current_streams"

static const ma_class stream_class;
static uint32_t nstream; /* atomic: objects made in the process */

static bool is_null(const ma_stream *stream) { return stream == ma_device_null_stream(stream->device); }

/* Adds the object on top to the table of objects. */
static void remember(lua_State *L, const ma_lua_stream_object *object) {
  lua_getfield(L, LUA_REGISTRYINDEX, OBJECTS);
  lua_pushlightuserdata(L, object->stream);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* A stream without an object is a null stream, or the one that a graph records. */
void ma_lua_pushstream(lua_State *L, ma_stream *stream) {
  lua_getfield(L, LUA_REGISTRYINDEX, OBJECTS);
  lua_pushlightuserdata(L, stream);
  lua_rawget(L, -2);
  lua_replace(L, -2);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  ma_lua_stream_object *object = ma_lua_newobject(L, &stream_class);
  object->stream = stream;
  remember(L, object);
}

/* ==== The current stream ========================================================================================== */

void ma_lua_usestream(lua_State *L, ma_stream *stream) {
  lua_getfield(L, LUA_REGISTRYINDEX, CURRENT);
  lua_pushlightuserdata(L, stream->device);
  if (is_null(stream)) lua_pushnil(L);
  else ma_lua_pushstream(L, stream);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  ma_lua_setstream(L, stream->device, is_null(stream) ? NULL : stream);
  ma_lua_use(L, stream->device);
}

static int stream_use(lua_State *L) {
  ma_stream *stream = ma_lua_checkstream(L);
  if (ma_lua_stream_of(L, stream->device) != stream) ma_lua_flush(L, "another stream");
  ma_lua_usestream(L, stream);
  lua_settop(L, 1);
  return 1;
}

/* core.use_stream(stream): the same; fails only if the stream is closed. */
static int use_stream(lua_State *L) {
  ma_lua_usestream(L, ma_lua_checkstream(L));
  return 0;
}

static int get_current_stream(lua_State *L) {
  ma_lua_pushstream(L, ma_lua_stream_of(L, ma_lua_optdevice(L, 1)));
  return 1;
}

/* ==== Methods ==================================================================================================== */

static int stream_synchronize(lua_State *L) {
  ma_lua_waitfor(L, ma_lua_checkstream(L));
  return 0;
}

static int stream_wait_stream(lua_State *L) {
  ma_stream *stream = ma_lua_checkstream(L);
  ma_lua_flush(L, "wait_stream");
  ma_lua_check(L, ma_stream_wait(stream, ma_lua_optstream(L, 2)));
  lua_settop(L, 1);
  return 1;
}

/* Closes the stream. Its queued work still runs, and arrays that the work uses stay in order with later uses. */
static void let_go(void *of) {
  ma_lua_stream_object *object = of;
  ma_stream *stream = object->stream;
  object->stream = NULL;
  if (stream && object->id) ma_stream_close(stream);
}

static int stream_close(lua_State *L) {
  ma_lua_stream_object *object = ma_lua_tostream(L, 1);
  if (!object) return ma_lua_fail(L, "%s in place of the stream; write stream:method()", ma_lua_describe(L, 1));
  ma_stream *stream = object->stream;
  if (!stream) return 0;
  if (!object->id)
    return ma_lua_fail(L, "this is the %s stream of %s, which stays; wanted one that was made",
                       is_null(stream) ? "null" : "recording", stream->device->name);
  if (ma_lua_stream_of(L, stream->device) == stream)
    return ma_lua_fail(
      L, "this is the current stream of %s; wanted another to be made current before, as Stream.null:use() does",
      stream->device->name);
  lua_getfield(L, LUA_REGISTRYINDEX, OBJECTS);
  lua_pushlightuserdata(L, stream);
  lua_pushnil(L);
  lua_rawset(L, -3);
  let_go(object);
  return 0;
}

static void push_text(lua_State *L, void *of) {
  const ma_lua_stream_object *object = of;
  if (!object->stream) lua_pushfstring(L, "<Stream %d, closed>", (int)object->id);
  else if (is_null(object->stream)) lua_pushfstring(L, "<Stream null, %s>", object->stream->device->name);
  else lua_pushfstring(L, "<Stream %d, %s>", (int)object->id, object->stream->device->name);
}

/* ==== Attributes ================================================================================================= */

static void check_open(lua_State *L, void *object) { ma_lua_openstream(L, object); }
static ma_stream *stream_of(const void *object) { return ((const ma_lua_stream_object *)object)->stream; }

static void push_done(lua_State *L, void *object, size_t place) {
  bool done = false;
  ma_stream *stream = stream_of(object);
  ma_lua_flush(L, "done");
  ma_lua_check(L, stream->device->backend->stream.done(stream, &done));
  ma_lua_poll(L);
  lua_pushboolean(L, done);
}
static void push_device(lua_State *L, void *object, size_t place) {
  lua_pushstring(L, stream_of(object)->device->name);
}
static void push_ptr(lua_State *L, void *object, size_t place) {
  lua_pushnumber(L, (double)(uintptr_t)ma_stream_expose(stream_of(object)));
}
static void push_priority(lua_State *L, void *object, size_t place) { lua_pushinteger(L, stream_of(object)->priority); }
static void push_is_non_blocking(lua_State *L, void *object, size_t place) {
  lua_pushboolean(L, (stream_of(object)->flags & MA_STREAM_NON_BLOCKING) != 0);
}

//> = stream | ma.Stream() | A queue of a device's work, which is done in order.
static const ma_attribute attributes[] = {
  { "done", push_done, 0 },      //> . done: boolean | whether the work given so far is done, without waiting
  { "device", push_device, 0 },  //> . device: string | its device, such as "cuda:0"
  { "id", ma_push_int, offsetof(ma_lua_stream_object, id) },  //> . id: integer | a number of its own
  { "ptr", push_ptr, 0 },                                     //> . ptr: integer | the driver's handle
  { "priority", push_priority, 0 },                           //> . priority: integer | the lower the more urgent
  //> . is_non_blocking: boolean | whether it does not wait for the null stream
  { "is_non_blocking", push_is_non_blocking, 0 },
  { NULL, NULL, 0 },
};

/* The Lua layer adds `with`. */
static const ma_method methods[] = {
  //> :use() -> stream | Makes it the current stream of its device.
  //> stream:use: local before = ma.cuda.get_current_stream()
  //>   stream:use()
  //>   local now = ma.cuda.get_current_stream() == stream
  //>   before:use()
  //>   return now
  { ":use(stream?)", stream_use },
  //> :synchronize() | Waits for the work given so far.
  //> stream:synchronize: stream:with(function() return ma.ones(3) end)
  //>   stream:synchronize()
  //>   return stream.done
  { ":synchronize(stream?)", stream_synchronize },
  //> :record(event?: event) -> event | Records an event, a new one if none is given.
  //> stream:record: local event = stream:record()
  //>   event:synchronize()
  //>   return event.done
  { ":record(stream?, event?)", ma_lua_stream_record },
  //> :wait_event(event: event) -> stream | Work given from now on waits for the event.
  //> stream:wait_event: stream:wait_event(ma.cuda.get_current_stream():record()) == stream
  { ":wait_event(stream?, event?)", ma_lua_stream_wait_event },
  //> :wait_stream(other: stream) -> stream | Work given from now on waits for what the other stream has.
  //> stream:wait_stream: stream:wait_stream(ma.cuda.get_current_stream()) == stream
  { ":wait_stream(stream?, other?)", stream_wait_stream },
  //> :launch_host_func(fn: function, arg?: any) -> stream | Calls fn(arg) when the work before it is done.
  //> stream:launch_host_func: local told
  //>   stream:launch_host_func(function(arg) told = arg end, "the work is done")
  //>   stream:synchronize()
  //>   ma.cuda.poll()
  //>   return told
  { ":launch_host_func(stream?, fn?, arg?)", ma_lua_launch_host_func },
  //> :close() | Gives the stream back; its work goes on.
  //> stream:close: stream:close()
  //>   return tostring(stream):match("closed")
  { ":close(stream?)", stream_close },
  //> :begin_capture() -> stream | Records the work from now on in place of doing it.
  //> stream:begin_capture stream:end_capture stream:is_capturing: local x = ma.ones(3)
  //>   local graph = stream:with(function()
  //>     stream:begin_capture()
  //>     x:imul(2)
  //>     print(stream:is_capturing())
  //>     return stream:end_capture()
  //>   end)
  //>   graph:launch()
  //>   return x
  { ":begin_capture(stream)", ma_lua_begin_capture },
  //> :end_capture() -> graph | Ends the recording and gives the graph.
  { ":end_capture(stream)", ma_lua_end_capture },
  //> :is_capturing() -> boolean | Whether it records.
  { ":is_capturing(stream)", ma_lua_is_capturing },
  { NULL, NULL },
};

static const ma_class stream_class = { .name = "stream",
                                       .word = "stream",
                                       .title = "moonarray stream",
                                       .magic = MA_STREAM_MAGIC,
                                       .size = sizeof(ma_lua_stream_object),
                                       .methods = methods,
                                       .attributes = attributes,
                                       .check = check_open,
                                       .text = push_text,
                                       .release = let_go };

/* ==== The library ================================================================================================ */

static void fill(lua_State *L, ma_lua_stream_object *object, ma_stream *stream) {
  object->stream = stream;
  object->id = __atomic_add_fetch(&nstream, 1, __ATOMIC_RELAXED);
  remember(L, object);
}

/* Stream({non_blocking =, priority =, null =, device =}). Slot 1: the class. */
static int stream_make(lua_State *L) {
  lua_remove(L, 1);
  ma_lua_arrangehere(L);
  bool non_blocking = ma_lua_optbool(L, 1, false), null = ma_lua_optbool(L, 3, false);
  int64_t priority = lua_isnil(L, 2) ? 0 : ma_lua_checkint(L, 2, "priority");
  ma_device *device = ma_lua_optdevice(L, 4);
  if (null && (non_blocking || priority))
    return ma_lua_fail(L, "null = true with non_blocking or a priority; the null stream has neither");
  if (priority < -1000 || priority > 1000)
    return ma_lua_fail(L, "priority %lld; wanted a small whole number, the lower the more urgent", (long long)priority);
  if (null) {
    ma_lua_pushstream(L, ma_device_null_stream(device));
    return 1;
  }
  ma_stream *stream = NULL;
  ma_lua_stream_object *object = ma_lua_newobject(L, &stream_class);
  ma_lua_check(L, ma_stream_open(device, non_blocking ? MA_STREAM_NON_BLOCKING : 0, (int)priority, &stream));
  fill(L, object, stream);
  return 1;
}

/* The driver dereferences the handle, so only plausible handles are accepted: no element of an array, and no number
** below the first page, except the driver's names for null streams. */
static void *check_handle(lua_State *L, int index) {
  ma_memory m;
  int type = lua_type(L, index);
  bool fits = type == LUA_TNUMBER || type == LUA_TLIGHTUSERDATA || type == MA_LUA_TCDATA;
  if (fits) ma_lua_checkaddress(L, index, "ptr", &m);
  if (!fits || m.nbytes >= 0 || ((uintptr_t)m.address > 2 && (uintptr_t)m.address < 4096))
    ma_lua_fail(L,
                "ptr is %s; wanted the address of a CUstream: stream.ptr, a whole number, an int64, an FFI pointer or "
                "a light userdata",
                ma_lua_describe(L, index));
  return (void *)(uintptr_t)m.address;
}

static int external_stream(lua_State *L) {
  ma_stream *stream = NULL;
  void *handle = check_handle(L, 1);
  ma_lua_stream_object *object = ma_lua_newobject(L, &stream_class);
  ma_lua_check(L, ma_stream_wrap(ma_lua_optdevice(L, 2), handle, &stream));
  if (is_null(stream)) ma_lua_pushstream(L, stream);
  else fill(L, object, stream);
  return 1;
}

static int null_stream(lua_State *L) {
  ma_lua_pushstream(L, ma_device_null_stream(ma_lua_optdevice(L, 1)));
  return 1;
}

static int is_stream(lua_State *L) {
  lua_pushboolean(L, ma_lua_tostream(L, 1) != NULL);
  return 1;
}

static int count_streams(lua_State *L) {
  lua_pushnumber(L, (double)ma_stream_live());
  return 1;
}

/* ma.Stream.null: the null stream of the device that is current at the time. */
static int class_index(lua_State *L) {
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(key, "null")) return ma_lua_fail(L, "no stream is called '%s'; wanted Stream.null or Stream.ptds", key);
  ma_lua_pushstream(L, ma_device_null_stream(ma_lua_device(L)));
  return 1;
}

#define STREAM_DOC                                                                                                   \
  "An order of work on a device. non_blocking: no order with the null stream; priority: the lower the more urgent. " \
  "Stream.null is the one that is current at first."
#define STREAM_ARGS "(; non_blocking?: boolean, priority?: integer, null?: boolean, device?: string) -> stream"

static void file_class(lua_State *L, const char *signature, const char *doc) {
  lua_newtable(L);
  lua_newtable(L);
  //> Stream: ma.Stream():with(function() return ma.ones(2) + 1 end)
  //> cuda.Stream: ma.cuda.Stream():with(function() return ma.ones(2) + 1 end)
  ma_lua_pushplain(L, ":Stream(class, key)", false, class_index, 0);
  lua_setfield(L, -2, "__index");
  ma_lua_pushplain(L, signature, false, stream_make, 0);
  lua_setfield(L, -2, "__call");
  lua_setmetatable(L, -2);
  const ma_signature *made = ma_lua_newsignature(L, signature, false, NULL);
  ma_lua_document(L, made->name, made, doc);
  ma_lua_file(L, made->name);
}

/* Pushes a table of the registry; true if it is new. A library that is loaded again in a Lua state finds the tables of
** the first load. */
static bool push_table(lua_State *L, const char *name) {
  lua_getfield(L, LUA_REGISTRYINDEX, name);
  if (!lua_isnil(L, -1)) return false;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, name);
  return true;
}

#define CURRENT_DOC "The stream on which work is queued: the current one of a device, or of the current device."

static const ma_function functions[] = {
  //> get_current_stream: local stream = ma.get_current_stream()
  //>   stream:synchronize()
  //>   return stream.done
  { "get_current_stream(device?: string) -> stream", get_current_stream, CURRENT_DOC },
  //> cuda.get_current_stream: local stream = ma.cuda.get_current_stream()
  //>   stream:synchronize()
  //>   return stream.done
  { "cuda.get_current_stream(device?: string) -> stream", get_current_stream, CURRENT_DOC },
  //> cuda.ExternalStream: ma.cuda.ExternalStream(ma.Stream().ptr).device
  { "cuda.ExternalStream(ptr: integer, device?: string) -> stream", external_stream,
    "Somebody else's CUstream by its address, which must stay valid until the object is closed or collected." },
  { "core.use_stream(stream)", use_stream, NULL },
  { "core.null_stream(device?)", null_stream, NULL },
  { "core.is_stream(value?)", is_stream, NULL },
  { "core.live_streams()", count_streams, NULL },
  { NULL, NULL, NULL }
};

void ma_open_stream(lua_State *L) {
  ma_lua_filemethods(L, &stream_class, "core.stream_methods");
  if (push_table(L, OBJECTS)) {
    lua_newtable(L);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
  }
  push_table(L, CURRENT);
  lua_pop(L, 2);
  ma_lua_register(L, functions);
  file_class(L, "Stream" STREAM_ARGS, STREAM_DOC);
  file_class(L, "cuda.Stream" STREAM_ARGS, STREAM_DOC);
}
