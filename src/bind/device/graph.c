/*
** graph.c: graph objects: stream:begin_capture() and stream:end_capture(), and ma.cuda.graph(fn, ...), which captures a
** function. A graph object owns its capture (src/memory/graph.h) from the start, so a capture that is never ended is
** freed with the object.
*/
#include "bind/device/graph.h"
#include "bind/array/index.h"
#include "bind/lua/outside.h"

#include <stdio.h>
#include <stdlib.h>

/* Its environment holds the results of the function: 1 .. nresult. */
typedef struct graph_object {
  uint64_t magic;
  ma_device *device;
  ma_capture *capture; /* NULL: freed */
  int nresult;
} graph_object;

static const ma_class graph_class;

static graph_object *to_graph(lua_State *L, int index) { return ma_lua_toclass(L, index, &graph_class); }
static graph_object *check_graph(lua_State *L) { return ma_lua_self(L, &graph_class); }

static graph_object *push_graph(lua_State *L, ma_device *device) {
  graph_object *object = ma_lua_newobject(L, &graph_class);
  object->device = device;
  lua_newtable(L);
  lua_setfenv(L, -2);
  return object;
}

/* ==== Capturing a function ======================================================================================== */

/* The stack has fn and its n arguments from slot 1 on; both calls leave them there. */
static void push_call(lua_State *L, int n) {
  ma_lua_room(L, n + 8);
  for (int i = 1; i <= n + 1; i++) lua_pushvalue(L, i);
}

static void keep_results(lua_State *L, graph_object *object, int index) {
  object->nresult = lua_gettop(L) - index;
  ma_lua_keep(L, index + 1, lua_gettop(L));
  lua_getfenv(L, index);
  lua_insert(L, index + 1);
  for (int k = object->nresult; k > 0; k--) lua_rawseti(L, index + 1, k);
  lua_settop(L, index);
}

/* The metatable holds the graphs in progress, by stream. */
static void push_key(lua_State *L, ma_stream *stream) {
  ma_lua_pushmetatable(L, &graph_class);
  lua_pushlightuserdata(L, stream);
}

/* Makes the value on top the stream's graph in progress; nil: none. */
static void set_progress(lua_State *L, ma_stream *stream) {
  push_key(L, stream);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

/* Runs what waits and is still held. Lua's collector finds first what nobody holds, so that no launch computes it. */
static ma_status finish_recording(lua_State *L) {
  ma_lua_collectall(L);
  return ma_pending_flush("a capture ends", true);
}

/* Leaves the results above the object, or only the error. Restores the current device and stream. *status is that of
** what waited. */
static int call_captured(lua_State *L, ma_stream *stream, int n, ma_status *status) {
  ma_lua *state = ma_lua_state(L);
  ma_device *device = state->device;
  lua_getfenv(L, n + 2);
  ma_lua_pushstream(L, ma_lua_stream_of(L, device));
  lua_setfield(L, -2, "before"); /* keeps it alive until it is current again */
  lua_pop(L, 1);
  ma_stream *before = ma_lua_stream_of(L, device);
  ma_lua_setstream(L, device, stream);
  push_call(L, n);
  lua_pushvalue(L, n + 2);
  set_progress(L, stream);
  state->deferral.recording = stream->capture;
  int failed = lua_pcall(L, n, LUA_MULTRET, 0);
  if (!failed) *status = finish_recording(L);
  state->deferral.recording = NULL;
  ma_lua_room(L, 4);
  lua_pushnil(L);
  set_progress(L, stream);
  state->device = device;
  ma_lua_usestream(L, before);
  lua_getfenv(L, n + 2);
  lua_pushnil(L);
  lua_setfield(L, -2, "before");
  lua_pop(L, 1);
  return failed;
}

/* Notes what the function takes from outside, as it is behind the recording. The graph is on top; its environment has
** the list under "outside". Without the library `debug` nobody can look, which is said once. */
static void note_outside(lua_State *L) {
  static bool said; /* two threads may say it both */
  lua_Debug of;
  if (!lua_isfunction(L, 1)) return;
  lua_pushvalue(L, 1);
  lua_getinfo(L, ">S", &of);
  if (ma_lua_isown(ma_lua_state(L), of.source)) return;
  lua_getfenv(L, -1);
  lua_pushvalue(L, 1);
  ma_lua_callcore(L, "outside_of", 1, 1);
  if (lua_isboolean(L, -1)) {
    if (!said)
      fprintf(stderr, "moonarray.cuda.graph: without Lua's debug library a launch cannot see that a number or "
                      "an array of the function was replaced\n");
    said = true;
    lua_pop(L, 1);
    lua_pushnil(L);
  }
  lua_setfield(L, -2, "outside");
  lua_pop(L, 1);
}

static void refuse_changed(lua_State *L, int list, int k) {
  lua_getfield(L, list, "names");
  lua_rawgeti(L, -1, k);
  const char *name = lua_tostring(L, -1);
  lua_rawgeti(L, list, k + 2);
  int was = lua_gettop(L), type = lua_type(L, was);
  ma_lua_pushoutside(L, list, k);
  bool array = ma_lua_toarray(L, was) && ma_lua_toarray(L, -1);
  if (array || ((type == LUA_TTABLE || type == LUA_TFUNCTION) && lua_type(L, -1) == type))
    ma_lua_fail(L, "%s is another %s than when the graph was recorded; record the graph again%s%s%s", name,
                array ? "array" : lua_typename(L, type), array ? ", or write into that one, as by " : "",
                array ? name : "", array ? ":assign(...)" : "");
  ma_lua_fail(L, "%s is %s, and was %s when the graph was recorded; record it again, or keep what changes in an array",
              name, ma_lua_describe(L, -1), ma_lua_describe(L, was));
}

/* Raises an error if something was replaced since. One that is gone was let go of: the graph holds it. */
static void check_outside(lua_State *L) {
  int top = lua_gettop(L);
  lua_getfenv(L, 1);
  lua_getfield(L, -1, "outside");
  int k = lua_istable(L, -1) ? ma_lua_findchanged(L, top + 2, true) : 0;
  if (k) refuse_changed(L, top + 2, k);
  lua_settop(L, top);
}

static int graph_make(lua_State *L) {
  int n = lua_gettop(L) - 1;
  ma_lua_state(L)->running = lua_touserdata(L, lua_upvalueindex(2));
  if (n < 0 || !ma_lua_iscallable(L, 1))
    return ma_lua_fail(L, "fn is %s; wanted a function", n < 0 ? "missing" : ma_lua_describe(L, 1));
  ma_device *device = ma_lua_device(L);
  ma_stream *stream = ma_lua_stream(L);
  ma_lua_check(L, ma_capture_refuse_work(stream, "another graph"));
  push_call(L, n);
  lua_call(L, n, 0);
  graph_object *object = push_graph(L, device);
  ma_lua_check(L, ma_stream_open(device, MA_STREAM_NON_BLOCKING, 0, &stream));
  ma_status status = ma_pending_flush("a capture begins", true);
  if (status == MA_OK) status = ma_capture_begin(stream, &object->capture);
  int failed = status == MA_OK ? call_captured(L, stream, n, &status) : 0;
  if (status == MA_OK && !failed) status = ma_capture_end(object->capture);
  if (status != MA_OK || failed) {
    ma_capture_free(object->capture);
    object->capture = NULL;
  }
  ma_stream_close(stream);
  if (failed) return lua_error(L);
  ma_lua_check(L, status);
  keep_results(L, object, n + 2);
  note_outside(L);
  return 1;
}

/* ==== Random numbers ============================================================================================= */

/* The list "sources" in the environment holds the generators by number. */
int ma_lua_graph_source(lua_State *L, ma_stream *stream, int index) {
  push_key(L, stream);
  lua_rawget(L, -2);
  const graph_object *object = to_graph(L, -1);
  if (!object) ma_lua_fail(L, "a stream that another Lua state records; wanted one of this state's");
  lua_getfenv(L, -1);
  lua_getfield(L, -1, "sources");
  if (lua_isnil(L, -1)) {
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -4, "sources");
    lua_remove(L, -2);
  }
  int n = 1, sources = lua_gettop(L);
  for (;; n++) {
    lua_rawgeti(L, sources, n);
    if (lua_isnil(L, -1)) break;
    if (lua_rawequal(L, -1, index)) {
      lua_settop(L, sources - 4);
      return n;
    }
    lua_pop(L, 1);
  }
  ma_lua_check(L, ma_capture_source_new(stream->capture));
  lua_pushvalue(L, index);
  lua_rawseti(L, sources, n);
  lua_settop(L, sources - 4);
  return n;
}

static uint32_t word_of(lua_State *L, int generator, int field) {
  lua_rawgeti(L, generator, field);
  double word = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return (uint32_t)word;
}

/* Takes the draws of a launch from the generators. A generator returns the lower and upper half of its seed, and the
** number of its next draw (lua/moonarray/random/init.lua). */
static void take_draws(lua_State *L, const ma_capture *capture) {
  int n = 1;
  if (!capture->source) return;
  lua_getfenv(L, 1);
  lua_getfield(L, -1, "sources");
  for (ma_capture_source *s = capture->source; s; s = s->next, n++) {
    lua_rawgeti(L, -1, n);
    int generator = lua_gettop(L);
    lua_rawgeti(L, generator, 3);
    double draw = lua_tonumber(L, -1), next = draw + s->ndraw;
    if (next > 0x1p32) ma_lua_fail(L, "2^32 draws were taken from a generator of this graph; seed it anew");
    s->key = word_of(L, generator, 1) | (uint64_t)word_of(L, generator, 2) << 32;
    s->draw = (uint32_t)draw;
    lua_pushnumber(L, next);
    lua_rawseti(L, generator, 3);
    lua_settop(L, generator - 1);
  }
  lua_pop(L, 2);
}

/* ==== The graph ================================================================================================== */

static int graph_launch(lua_State *L) {
  const graph_object *object = check_graph(L);
  ma_stream *stream = lua_isnil(L, 2) ? ma_lua_stream_of(L, object->device) : ma_lua_optstream(L, 2);
  if (!object->capture) return ma_lua_fail(L, "a graph that was freed; there is nothing to launch");
  ma_lua_check(L, ma_capture_refuse_work(stream, "another graph"));
  check_outside(L);
  take_draws(L, object->capture);
  ma_lua_pickingon(L, stream, "launch");
  ma_lua_check(L, ma_capture_launch(object->capture, stream));
  if (object->device == ma_device_cpu()) ma_lua_checkfault(L, stream); /* as in every call on the CPU */
  lua_settop(L, 1);
  lua_getfenv(L, 1);
  ma_lua_room(L, object->nresult);
  for (int k = 1; k <= object->nresult; k++) lua_rawgeti(L, 2, k);
  return object->nresult;
}

static void check_capture(lua_State *L, const graph_object *object) {
  if (!object->capture) ma_lua_fail(L, "a graph that was freed; there is nothing to launch");
}

static int push_text(lua_State *L) {
  lua_pushstring(L, lua_touserdata(L, 1));
  return 1;
}

static int graph_upload(lua_State *L) {
  const graph_object *object = check_graph(L);
  ma_stream *stream = lua_isnil(L, 2) ? ma_lua_stream_of(L, object->device) : ma_lua_optstream(L, 2);
  check_capture(L, object);
  ma_lua_check(L, ma_capture_upload(object->capture, stream));
  return 0;
}

static int graph_dot(lua_State *L) {
  const graph_object *object = check_graph(L);
  int64_t flags = lua_isnil(L, 2) ? 0 : ma_lua_checkint(L, 2, "flags");
  char *text = NULL;
  if (flags < 0 || flags > UINT32_MAX)
    return ma_lua_fail(L, "flags is %lld; wanted CUDA's cudaGraphDebugDotFlags", (long long)flags);
  check_capture(L, object);
  lua_pushcfunction(L, push_text);
  ma_lua_check(L, ma_capture_dot(object->capture, (unsigned)flags, &text));
  lua_pushlightuserdata(L, text);
  int failed = lua_pcall(L, 1, 1, 0); /* so that no error keeps the text */
  free(text);
  return failed ? lua_error(L) : 1;
}

static void release(void *of) {
  graph_object *object = of;
  ma_capture_free(object->capture);
  object->capture = NULL;
}

static int graph_free(lua_State *L) {
  graph_object *object = check_graph(L);
  release(object);
  object->nresult = 0;
  lua_newtable(L);
  lua_setfenv(L, 1);
  return 0;
}

static void push_text_of(lua_State *L, void *of) {
  const graph_object *object = of;
  lua_pushfstring(L, "<Graph %s%s>", object->device->name, object->capture ? "" : ", freed");
}

/* ==== Captures by begin and end =================================================================================== */

int ma_lua_begin_capture(lua_State *L) {
  ma_stream *stream = ma_lua_optstream(L, 1);
  if (stream->handle || stream->device == ma_device_cpu()) {
    bool current = stream == ma_lua_stream(L) || stream == ma_device_null_stream(stream->device);
    if (!current)
      return ma_lua_fail(
        L, "a stream that is not current; its work is recorded, so wanted stream:use() or stream:with(fn) before");
  }
  push_key(L, stream);
  graph_object *object = push_graph(L, stream->device);
  ma_lua_check(L, ma_pending_flush("a capture begins", true));
  ma_lua_check(L, ma_capture_begin(stream, &object->capture));
  lua_rawset(L, -3);
  return 0;
}

int ma_lua_end_capture(lua_State *L) {
  ma_stream *stream = ma_lua_optstream(L, 1);
  push_key(L, stream);
  lua_pushvalue(L, -1);
  lua_rawget(L, -3);
  graph_object *object = to_graph(L, -1);
  if (!object) return ma_lua_fail(L, "a stream that records nothing; wanted stream:begin_capture() before");
  lua_pushvalue(L, -2);
  lua_pushnil(L);
  lua_rawset(L, -5);
  ma_lua_check(L, ma_capture_end(object->capture));
  return 1;
}

int ma_lua_is_capturing(lua_State *L) {
  lua_pushboolean(L, ma_lua_optstream(L, 1)->capture != NULL);
  return 1;
}

/* ==== Opening ==================================================================================================== */

#define LAUNCH ":launch(graph, stream?)"
//> = graph | ma.cuda.graph(function() return ma.ones(2) * 2 end) | Recorded work that one launch repeats.
//> + call(stream?): any
//> :launch(stream?: stream) -> any ... | Does the work again, on the same memory.
//> graph:launch: graph:launch()
static const ma_method methods[] = {
  { LAUNCH, graph_launch },
  //> :upload(stream?: stream) | Prepares the first launch.
  //> graph:upload: graph:upload()
  //>   return graph:launch()
  { ":upload(graph, stream?)", graph_upload },
  //> :debug_dot_str(flags?: integer) -> string | The graph in Graphviz's language.
  //> graph:debug_dot_str: graph:debug_dot_str():match("^digraph")
  { ":debug_dot_str(graph, flags?)", graph_dot },
  //> :free() | Lets go of the recorded work.
  //> graph:free: graph:free()
  //>   return tostring(graph):match("freed")
  { ":free(graph)", graph_free },
  { NULL, NULL },
};
static const ma_attribute attributes[] = {
  { "device", ma_push_device, offsetof(graph_object, device) },  //> . device: string | its device
  { NULL, NULL, 0 },
};

static const ma_class graph_class = { .name = "graph",
                                      .word = "graph",
                                      .title = "moonarray graph",
                                      .magic = 0x6d61677261706861u,
                                      .size = sizeof(graph_object),
                                      .methods = methods,
                                      .attributes = attributes,
                                      .text = push_text_of,
                                      .release = release,
                                      .call = graph_launch,
                                      .call_signature = LAUNCH };

static int is_graph(lua_State *L) {
  lua_pushboolean(L, to_graph(L, 1) != NULL);
  return 1;
}

static int count_captures(lua_State *L) {
  lua_pushinteger(L, ma_capture_count());
  return 1;
}

static const ma_function functions[] = { { "core.captures()", count_captures, NULL },
                                         { "core.is_graph(value?)", is_graph, NULL },
                                         { NULL, NULL, NULL } };

static const ma_function plain[] = {
  //> cuda.graph: local x = ma.ones(2)
  //>   local graph = ma.cuda.graph(function() x:imul(2) end)
  //>   graph:launch()
  //>   return x
  { "cuda.graph(fn: function, ...) -> graph, any ...", graph_make,
    "Runs fn(...) once, then records it as a graph that graph:launch() or graph() replays: the same operations on the "
    "same memory, without "
    "the cost of launching each. Gives what fn returned, filled anew by every launch." },
  { NULL, NULL, NULL }
};

void ma_open_graph(lua_State *L) {
  ma_lua_register(L, functions);
  ma_lua_registerplain(L, plain);
}
