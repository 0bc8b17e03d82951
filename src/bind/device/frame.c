/*
** frame.c: what lua/moonarray/frames/frame.lua makes ma.frame of: an object that holds what the backend keeps for a
** frame, and the beginning and the end of a call. A backend without the slots runs a frame as it comes.
*/
#include "bind/bind.h"
#include "run/pending.h"

typedef struct frame_object {
  uint64_t magic;
  ma_device *device; /* of `handle` */
  void *handle;      /* the backend's; NULL: none yet */
  ma_stream *stream; /* whose launches a call collects; NULL: no call does */
} frame_object;

static void release(void *of) {
  frame_object *object = of;
  if (object->handle) object->device->backend->frame.free(object->device, object->handle);
  object->handle = NULL;
}

static const ma_class frame_class = { .name = "frame",
                                      .word = "frame",
                                      .title = "moonarray frame",
                                      .magic = 0x6d616672616d6573u,
                                      .size = sizeof(frame_object),
                                      .release = release };

static frame_object *check_object(lua_State *L) { return ma_lua_self(L, &frame_class); }

/* core.frame_new() */
static int frame_new(lua_State *L) {
  ma_lua_newobject(L, &frame_class);
  return 1;
}

/* core.frame_begin(object): whether launches on the current stream are collected from now on. A call within another's,
** and one that a coroutine has not ended yet, is a part of that. */
static int frame_begin(lua_State *L) {
  frame_object *object = check_object(L);
  ma_stream *stream = ma_lua_stream(L);
  const ma_backend *backend = stream->device->backend;
  bool begun = false;
  if (backend->frame.open && !object->stream) {
    if (object->device != stream->device) release(object);
    object->device = stream->device;
    if (!object->handle) ma_lua_check(L, backend->frame.open(stream->device, &object->handle));
    ma_lua_check(L, backend->frame.begin(stream, object->handle, &begun));
    if (begun) object->stream = stream;
  }
  lua_pushboolean(L, begun);
  return 1;
}

/* core.frame_end(object, ok): sends what was collected. ok: the function raised no error, so that what waits on the
** stream is a part of the frame, and an error of a launch is raised. */
static int frame_end(lua_State *L) {
  frame_object *object = check_object(L);
  ma_stream *stream = object->stream;
  bool ok = lua_toboolean(L, 2);
  if (!stream) return 0;
  ma_status waiting = ok ? ma_pending_flush("a frame ends", false) : MA_OK;
  char why[256];
  snprintf(why, sizeof why, "%s", waiting == MA_OK ? "" : ma_message());
  object->stream = NULL;
  ma_status status = object->device->backend->frame.end(stream, object->handle);
  if (!ok) return 0;
  if (waiting != MA_OK) ma_lua_failas(L, "frame", why);
  if (status != MA_OK) ma_lua_failas(L, "frame", ma_message());
  return 0;
}

/* core.frame_figures(object): the numbers of ma_frame_figures in their order */
static int frame_figures(lua_State *L) {
  frame_object *object = check_object(L);
  ma_frame_figures f = { 0 };
  if (object->handle) object->device->backend->frame.figures(object->handle, &f);
  const int64_t figure[] = { f.calls, f.graphs, f.single, f.changed, f.made, f.kept };
  for (size_t k = 0; k < sizeof figure / sizeof *figure; k++) lua_pushnumber(L, (lua_Number)figure[k]);
  return (int)(sizeof figure / sizeof *figure);
}

/* core.frame_free(object) */
static int frame_free(lua_State *L) {
  frame_object *object = check_object(L);
  if (object->stream) return ma_lua_failas(L, "free", "a frame whose function runs; free it behind the call");
  release(object);
  return 0;
}

static const ma_function functions[] = {
  { "core.frame_new()", frame_new, NULL },           { "core.frame_begin(object)", frame_begin, NULL },
  { "core.frame_end(object, ok)", frame_end, NULL }, { "core.frame_figures(object)", frame_figures, NULL },
  { "core.frame_free(object)", frame_free, NULL },   { NULL, NULL, NULL }
};

void ma_open_frame(lua_State *L) { ma_lua_register(L, functions); }
