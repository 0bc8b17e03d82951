/* event.c: event objects. An event marks a point in a stream's work. Two events give the time between them, and a
** stream can wait for an event of another. */
#include "memory/graph.h"
#include "bind/device/event.h"

#include <stdint.h>
#include <string.h>

static const ma_class event_class;
static int64_t live_events; /* atomic: handles in the process that are not freed */

ma_lua_event *ma_lua_toevent(lua_State *L, int index) { return ma_lua_toclass(L, index, &event_class); }

ma_lua_event *ma_lua_pushevent(lua_State *L, ma_device *device, uint32_t flags) {
  ma_lua_event *event = ma_lua_newobject(L, &event_class);
  event->device = device;
  event->flags = flags;
  return event;
}

static void make_handle(lua_State *L, ma_lua_event *event) {
  if (event->handle) return;
  ma_lua_check(L, event->device->backend->event.create(event->device, event->flags, &event->handle));
  __atomic_add_fetch(&live_events, 1, __ATOMIC_RELAXED);
}

void ma_lua_record(lua_State *L, ma_lua_event *event, ma_stream *stream) {
  if (event->device != stream->device)
    ma_lua_fail(L, "an event of %s and a stream of %s; wanted both of one device", event->device->name,
                stream->device->name);
  make_handle(L, event);
  ma_lua_flush(L, "record");
  ma_lua_check(L, stream->device->backend->event.record(stream, event->handle));
  event->stream = stream;
}

bool ma_lua_isdone(lua_State *L, const ma_lua_event *event) {
  bool done = false;
  ma_lua_check(L, event->device->backend->event.done(event->device, event->handle, &done));
  return done;
}

/* ==== Methods ==================================================================================================== */

static void check_recorded(lua_State *L, const ma_lua_event *event, const char *what) {
  if (!event->stream) ma_lua_fail(L, "%s was not recorded; wanted %s:record() before", what, what);
}

static int event_record(lua_State *L) {
  ma_lua_event *event = ma_lua_self(L, &event_class);
  ma_lua_record(L, event, lua_isnil(L, 2) ? ma_lua_stream_of(L, event->device) : ma_lua_optstream(L, 2));
  lua_settop(L, 1);
  return 1;
}

static int event_synchronize(lua_State *L) {
  const ma_lua_event *event = ma_lua_self(L, &event_class);
  check_recorded(L, event, "event");
  ma_lua_check(L, event->device->backend->event.synchronize(event->device, event->handle));
  ma_lua_poll(L);
  ma_lua_checkfault(L, event->stream);
  return 0;
}

static const ma_lua_event *check_timed(lua_State *L, int index, const char *what) {
  const ma_lua_event *event = ma_lua_toevent(L, index);
  if (!event) {
    ma_lua_fail(L, "%s is %s; wanted an event", what, ma_lua_describe(L, index));
    return NULL;
  }
  check_recorded(L, event, what);
  if (event->flags & MA_EVENT_DISABLE_TIMING)
    ma_lua_fail(L, "%s was made with disable_timing; wanted an event that takes the time", what);
  return event;
}

static int get_elapsed_time(lua_State *L) {
  double milliseconds = 0;
  const ma_lua_event *start = check_timed(L, 1, "start"), *stop = check_timed(L, 2, "stop");
  if (start->device != stop->device)
    return ma_lua_fail(L, "start is of %s and stop of %s; wanted events of one device", start->device->name,
                       stop->device->name);
  ma_lua_check(L, start->device->backend->event.elapsed(start->device, start->handle, stop->handle, &milliseconds));
  ma_lua_checkfault(L, stop->stream);
  lua_pushnumber(L, milliseconds);
  return 1;
}

static void release(void *object) {
  ma_lua_event *event = object;
  if (!event->handle) return;
  event->device->backend->event.free(event->device, event->handle);
  event->handle = NULL;
  event->stream = NULL;
  __atomic_sub_fetch(&live_events, 1, __ATOMIC_RELAXED);
}

/* Puts the event back into its state before the first record. */
static int event_close(lua_State *L) {
  release(ma_lua_self(L, &event_class));
  return 0;
}

static void push_text(lua_State *L, void *object) {
  lua_pushfstring(L, "<Event %s>", ((const ma_lua_event *)object)->device->name);
}

static void push_done(lua_State *L, void *event, size_t place) {
  check_recorded(L, event, "event");
  lua_pushboolean(L, ma_lua_isdone(L, event));
}

static int event_ready(lua_State *L) {
  push_done(L, ma_lua_self(L, &event_class), 0);
  return 1;
}

/* core.event_fault(event): raises what the work before an event that is done found. */
static int event_fault(lua_State *L) {
  const ma_lua_event *event = ma_lua_self(L, &event_class);
  if (event->stream) ma_lua_checkfault(L, event->stream);
  return 0;
}

static void push_ptr(lua_State *L, void *object, size_t place) {
  ma_lua_event *event = object;
  make_handle(L, event);
  lua_pushnumber(L, (double)(uintptr_t)event->handle);
}

//> = event | ma.Event() | A mark in a stream's work.
static const ma_attribute attributes[] = {
  { "done", push_done, 0 },  //> . done: boolean | whether the work before the mark is done, without waiting
  { "device", ma_push_device, offsetof(ma_lua_event, device) },  //> . device: string | its device
  { "ptr", push_ptr, 0 },
  { NULL, NULL, 0 },
};

static const ma_method methods[] = {
  //> :close() | Gives the event back.
  //> event:close: event:record()
  //>   event:close()
  //>   return select(2, pcall(event.synchronize, event)):match("moonarray.*")
  { ":close(event?)", event_close },
  //> :record(stream?: stream) -> event | Marks the work that the stream has, by default the current one.
  //> event:record: event:record(ma.cuda.get_current_stream()) == event
  { ":record(event?, stream?)", event_record },
  //> :synchronize() | Waits for the mark.
  //> event:synchronize: event:record()
  //>   event:synchronize()
  //>   return event.done
  { ":synchronize(event?)", event_synchronize },
  //> :ready() -> boolean | Whether the work before the mark is done, without waiting; the same as done.
  //> event:ready: event:record()
  //>   event:synchronize()
  //>   return event:ready()
  { ":ready(event?)", event_ready },
  { NULL, NULL },
};

static const ma_class event_class = { .name = "event",
                                      .word = "event",
                                      .title = "moonarray event",
                                      .magic = 0x6d616576656e7461u,
                                      .size = sizeof(ma_lua_event),
                                      .methods = methods,
                                      .attributes = attributes,
                                      .text = push_text,
                                      .release = release };

/* ==== Events in streams =========================================================================================== */

/* stream:record(event?): makes an event if none is given. */
int ma_lua_stream_record(lua_State *L) {
  ma_stream *stream = ma_lua_checkstream(L);
  ma_lua_event *event = ma_lua_toevent(L, 2);
  if (lua_isnil(L, 2)) {
    event = ma_lua_pushevent(L, stream->device, 0);
    lua_replace(L, 2);
  } else if (!event) {
    return ma_lua_fail(L, "event is %s; wanted an event", ma_lua_describe(L, 2));
  }
  ma_lua_record(L, event, stream);
  lua_settop(L, 2);
  return 1;
}

/* For an event of another backend the host waits: the CPU's work is complete when it is recorded, and a CPU stream
** is the host. */
int ma_lua_stream_wait_event(lua_State *L) {
  ma_stream *stream = ma_lua_checkstream(L);
  const ma_lua_event *event = ma_lua_toevent(L, 2);
  if (!event) return ma_lua_fail(L, "event is %s; wanted an event", ma_lua_describe(L, 2));
  check_recorded(L, event, "event");
  ma_lua_check(L, ma_capture_refuse_work(stream, "an event"));
  const ma_backend *backend = event->device->backend;
  if (backend == stream->device->backend) ma_lua_check(L, backend->event.wait(stream, event->handle));
  else ma_lua_check(L, backend->event.synchronize(event->device, event->handle));
  lua_settop(L, 1);
  return 1;
}

/* ==== The library ================================================================================================ */

static int event_make(lua_State *L) {
  if (ma_lua_optbool(L, 4, false))
    return ma_lua_fail(L, "interprocess = true; events of several processes are not supported");
  bool blocking = ma_lua_optbool(L, 2, false) || ma_lua_optbool(L, 3, false);
  ma_lua_pushevent(L, ma_lua_device(L),
                   (ma_lua_optbool(L, 1, false) ? MA_EVENT_DISABLE_TIMING : 0) | (blocking ? MA_EVENT_BLOCKING : 0));
  return 1;
}

static int count_events(lua_State *L) {
  lua_pushnumber(L, (double)__atomic_load_n(&live_events, __ATOMIC_RELAXED));
  return 1;
}

static int is_event(lua_State *L) {
  lua_pushboolean(L, ma_lua_toevent(L, 1) != NULL);
  return 1;
}

#define MAKE_DOC                                                                                                       \
  "A mark in a stream's work: event:record(stream?), event:synchronize(), event.done. disable_timing: cheaper, takes " \
  "no time; "                                                                                                          \
  "blocking (or block): who waits sleeps."
#define ELAPSED_DOC "Milliseconds between two recorded events of a device; waits for both."

static const ma_function functions[] = {
  //> Event: local event = ma.Event()
  //>   event:record()
  //>   event:synchronize()
  //>   return event.done
  { "Event(; disable_timing?: boolean, blocking?: boolean, block?: boolean, interprocess?: boolean) -> event",
    event_make, MAKE_DOC },
  //> cuda.Event: local event = ma.cuda.Event({disable_timing = true})
  //>   event:record()
  //>   event:synchronize()
  //>   return event.done
  { "cuda.Event(; disable_timing?: boolean, blocking?: boolean, block?: boolean, interprocess?: boolean) -> event",
    event_make, MAKE_DOC },
  //> get_elapsed_time: local start, stop = ma.Event(), ma.Event()
  //>   start:record()
  //>   stop:record()
  //>   return ma.get_elapsed_time(start, stop) >= 0
  { "get_elapsed_time(start: event, stop: event) -> number", get_elapsed_time, ELAPSED_DOC },
  //> cuda.get_elapsed_time: local start, stop = ma.cuda.Event(), ma.cuda.Event()
  //>   start:record()
  //>   stop:record()
  //>   return ma.cuda.get_elapsed_time(start, stop) >= 0
  { "cuda.get_elapsed_time(start: event, stop: event) -> number", get_elapsed_time, ELAPSED_DOC },
  { "core.live_events()", count_events, NULL },
  { "core.is_event(value?)", is_event, NULL },
  { "core.event_fault(event)", event_fault, NULL },
  { NULL, NULL, NULL }
};

void ma_open_event(lua_State *L) { ma_lua_register(L, functions); }
