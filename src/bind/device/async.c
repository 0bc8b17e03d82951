/*
** async.c: results that come later. x:get_async() queues a copy into pinned memory and returns a handle: `done` and
** ready() tell whether the copy is complete, get() waits only for it. Marks keep the memory in order (order.c): a block
** that returns to the pinned pool while the GPU still writes it is awaited by its next user.
**
** x:ready() asks the same of the work that writes an array. A mark names a stream and no place in it, so the first
** question puts an event behind that work, and a handle without a copy holds the event until it was reached.
*/
#include "memory/graph.h"
#include "memory/pool.h"
#include "memory/wait.h"
#include "bind/bind.h"

#include <string.h>

/* Weak table of the registry: an array -> the handle of the last question whether it is ready. */
#define ASKED "moonarray.arrays_asked"

/* The environment holds the arrays: [1] the result of get(), [2] the target of the copy, if that is another array. */
typedef struct handle {
  uint64_t magic;
  ma_stream *stream;   /* stream of the work */
  void *event;         /* event behind the work; NULL: it is complete */
  uint32_t generation; /* of the device */
  uint32_t writes;     /* of a question: the writes that the array's buffer had seen */
} handle;

static int64_t live; /* atomic: events in the process that are not freed */

static const ma_class handle_class;

static void end_event(void *of) {
  handle *h = of;
  if (!h->event) return;
  h->stream->device->backend->event.free(h->stream->device, h->event);
  h->event = NULL;
  __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
}

static handle *push_handle(lua_State *L, ma_stream *stream) {
  handle *h = ma_lua_newobject(L, &handle_class);
  h->stream = stream;
  h->generation = stream->device->generation;
  lua_createtable(L, 2, 0);
  lua_setfenv(L, -2);
  return h;
}

/* environment[k] = the value at `index`, where the handle is on top. The value leaves its scope, because a program may
** use the handle later than the scope lasts, such as in its next frame. */
static void keep(lua_State *L, int k, int index) {
  ma_lua_keep(L, index, index);
  lua_getfenv(L, -1);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, k);
  lua_pop(L, 1);
}

/* ==== The target of a copy ======================================================================================== */

static bool same_form(const ma_array *a, const ma_array *b) {
  return a->dtype == b->dtype && a->ndim == b->ndim && !memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape);
}

static bool is_pinned(const ma_device *device, const ma_array *host) {
  return device->backend->memory.is_pinned && host->size &&
         device->backend->memory.is_pinned((ma_device *)device, (const char *)host->buffer->ptr + host->offset);
}

static ma_array *check_out(lua_State *L, int index, const ma_array *from) {
  char has[128], wants[128];
  ma_array *out = ma_lua_optarray(L, index);
  if (!out) return NULL;
  if (ma_array_device(out) != ma_device_cpu())
    ma_lua_fail(L, "out on %s; wanted a CPU array", ma_array_device(out)->name);
  if (!same_form(out, from))
    ma_lua_fail(L, "out is a %s array of shape %s; wanted %s and %s", ma_dtypes[out->dtype].name,
                ma_shape_print(out->ndim, out->shape, has, sizeof has), ma_dtypes[from->dtype].name,
                ma_shape_print(from->ndim, from->shape, wants, sizeof wants));
  ma_lua_check(L, ma_array_check_writable(out));
  MA_LUA_TRY(L, ma_pending_evaluate(out->buffer, "it is written"));
  return out;
}

/* Pushes a CPU array of the same form in pinned memory. If there is none, pushes an empty array and returns false. */
static bool push_pinned(lua_State *L, const ma_array *from) {
  ma_pool *pool;
  ma_array *host = ma_lua_newarray(L);
  size_t itemsize = ma_dtypes[from->dtype].itemsize;
  ma_status status = ma_pool_serving_pinned(ma_array_device(from), &pool);
  if (status == MA_OK) {
    status = ma_pool_alloc(pool, (size_t)from->size * itemsize, &host->buffer);
    ma_pool_drop(pool);
  }
  if (status != MA_OK) {
    host->buffer = NULL;
    return false;
  }
  host->magic = MA_ARRAY_MAGIC;
  host->dtype = from->dtype;
  host->ndim = from->ndim;
  host->readonly = 0;
  host->is_view = 0;
  host->size = from->size;
  host->offset = 0;
  memcpy(host->shape, from->shape, from->ndim * sizeof *from->shape);
  ma_shape_contiguous(from->ndim, from->shape, itemsize, host->stride);
  return true;
}

static ma_status make_event(handle *h) {
  const ma_device *device = h->stream->device;
  MA_TRY(device->backend->event.create(h->stream->device, MA_EVENT_DISABLE_TIMING, &h->event));
  __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
  return MA_OK;
}

/* Queues the copy, with an event behind it. An array that is not contiguous is packed first. */
static ma_status queue(handle *h, ma_array *from, ma_array *host) {
  const ma_backend *backend = h->stream->device->backend;
  ma_array packed = { .buffer = NULL };
  bool contiguous = ma_array_is_contiguous(from);
  MA_TRY(make_event(h));
  ma_status status = contiguous ? MA_OK : ma_array_copy(&packed, from, (ma_dtype)from->dtype, h->stream);
  if (status == MA_OK) status = ma_array_queue_copy(contiguous ? from : &packed, host, false, h->stream);
  if (status == MA_OK) status = backend->event.record(h->stream, h->event);
  ma_array_release(&packed);
  if (status != MA_OK) end_event(h);
  return status;
}

/* Copies at once if nothing can be queued: on the CPU, for no elements, or without pinned memory. */
static int get_now(lua_State *L, const ma_array *from, ma_array *out) {
  if (out) {
    ma_lua_assign(L, out, 1);
    out->buffer->for_host = true;
    lua_pushvalue(L, 3);
  } else {
    ma_lua_pushon(L, from, ma_device_cpu());
    ma_lua_toarray(L, -1)->buffer->for_host = true;
  }
  int at = lua_gettop(L);
  push_handle(L, ma_device_null_stream(ma_array_device(from)));
  keep(L, 1, at);
  return 1;
}

static int get_async(lua_State *L) {
  enum { A = 1, STREAM, OUT };
  ma_array *from = ma_lua_checkarray(L, A);
  ma_device *device = ma_array_device(from);
  ma_stream *stream = ma_lua_optstream_of(L, STREAM, device);
  ma_array *out = check_out(L, OUT, from);
  if (!device->backend->memory.copy_queued || !from->size) return get_now(L, from, out);
  bool direct = out && ma_array_is_contiguous(out) && is_pinned(device, out);
  if (direct) lua_pushvalue(L, OUT);
  else if (!push_pinned(L, from)) {
    lua_settop(L, OUT);
    return get_now(L, from, out);
  }
  ma_array *host = ma_lua_toarray(L, OUT + 1);
  handle *h = push_handle(L, stream);
  keep(L, 1, out ? OUT : OUT + 1);
  if (out && !direct) keep(L, 2, OUT + 1);
  MA_LUA_TRY(L, queue(h, from, host));
  return 1;
}

/* ==== The handle ================================================================================================= */

static ma_status check_alive(const handle *h) {
  if (h->generation == h->stream->device->generation) return MA_OK;
  return ma_fail(MA_ERR_DEVICE, "a copy from before the reset of %s; it is lost", h->stream->device->name);
}

/* Waits only for the copy, not for later work on the stream. */
static ma_status finish(handle *h, ma_array *landed) {
  const ma_backend *backend = h->stream->device->backend;
  bool done = false;
  MA_TRY(check_alive(h));
  MA_TRY(backend->event.done(h->stream->device, h->event, &done)); /* what is done may be had where no wait may be */
  if (!done) MA_TRY(backend->event.synchronize(h->stream->device, h->event));
  end_event(h);
  if (landed->buffer) ma_buffer_settle(landed->buffer, h->stream);
  return MA_OK;
}

static int handle_get(lua_State *L) {
  handle *h = ma_lua_toclass(L, 1, &handle_class);
  if (!h) return ma_lua_fail(L, "%s in place of the handle; write handle:get()", ma_lua_describe(L, 1));
  lua_settop(L, 1);
  lua_getfenv(L, 1);
  lua_rawgeti(L, 2, 1);
  lua_rawgeti(L, 2, 2);
  ma_array *landed = ma_lua_toarray(L, lua_isnil(L, 4) ? 3 : 4);
  if (h->event) ma_lua_check(L, finish(h, landed));
  if (!lua_isnil(L, 4)) { /* into `out`, which is not pinned */
    ma_array *out = ma_lua_checkarray(L, 3);
    ma_lua_check(L, ma_array_assign(out, landed, NULL));
    lua_pushnil(L);
    lua_rawseti(L, 2, 2);
  }
  lua_settop(L, 3);
  return 1;
}

static ma_status is_done(const handle *h, bool *done) {
  *done = true;
  MA_TRY(check_alive(h));
  return h->event ? h->stream->device->backend->event.done(h->stream->device, h->event, done) : MA_OK;
}

static void push_done(lua_State *L, void *of, size_t place) {
  bool done = true;
  ma_lua_check(L, is_done(of, &done));
  lua_pushboolean(L, done);
}

static int handle_ready(lua_State *L) {
  push_done(L, ma_lua_self(L, &handle_class), 0);
  return 1;
}

/* core.copy_fault(handle): raises what the work before a copy that is done found. */
static int copy_fault(lua_State *L) {
  const handle *h = ma_lua_self(L, &handle_class);
  ma_lua_checkfault(L, h->stream);
  return 0;
}

static int is_copy(lua_State *L) {
  lua_pushboolean(L, ma_lua_toclass(L, 1, &handle_class) != NULL);
  return 1;
}

static void push_text(lua_State *L, void *of) {
  lua_pushfstring(L, "<copy from %s>", ((const handle *)of)->stream->device->name);
}

static int live_copies(lua_State *L) {
  lua_pushnumber(L, (double)__atomic_load_n(&live, __ATOMIC_RELAXED));
  return 1;
}

//> = copy | ma.ones(2):get_async() | A copy to the CPU under way.
static const ma_attribute attributes[] = {
  { "done", push_done, 0 },  //> . done: boolean | whether it is there, without waiting
  { NULL, NULL, 0 },
};
static const ma_method methods[] = {
  //> :get() -> array | Waits for the copy and gives the array.
  //> copy:get: copy:get()
  { ":get(handle?)", handle_get },
  //> :ready() -> boolean | Whether it is there, without waiting; the same as done.
  //> copy:ready: copy:get()
  //>   return copy:ready()
  { ":ready(handle?)", handle_ready },
  { NULL, NULL },
};
static const ma_class handle_class = { .name = "get_async",
                                       .word = "handle",
                                       .title = "moonarray copy",
                                       .magic = 0x6d616173796e6300u,
                                       .size = sizeof(handle),
                                       .methods = methods,
                                       .attributes = attributes,
                                       .text = push_text,
                                       .release = end_event };

/* ==== Whether an array is ready =================================================================================== */

/* Pushes the handle of the last question, if no work has written the array since; else nothing. */
static handle *push_asked(lua_State *L, int table, const ma_buffer *buffer, const ma_stream *stream) {
  lua_pushvalue(L, 1);
  lua_rawget(L, table);
  handle *h = ma_lua_toclass(L, -1, &handle_class);
  if (h && h->stream == stream && h->writes == __atomic_load_n(&buffer->writes, __ATOMIC_RELAXED)) return h;
  lua_pop(L, 1);
  return NULL;
}

/* Puts an event behind the work of the stream, unless all of it is done. */
static handle *ask(lua_State *L, int table, const ma_buffer *buffer, ma_stream *stream) {
  const ma_backend *backend = stream->device->backend;
  bool done = false;
  handle *h = push_handle(L, stream);
  h->writes = __atomic_load_n(&buffer->writes, __ATOMIC_RELAXED);
  ma_lua_check(L, backend->stream.done(stream, &done));
  if (!done && stream->ended) return NULL; /* nothing can be put behind the work of a stream that has ended */
  if (!done) {
    MA_LUA_TRY(L, make_event(h));
    ma_lua_check(L, backend->event.record(stream, h->event));
  }
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -2);
  lua_rawset(L, table);
  return h;
}

/* What waits is begun, since nobody else might begin it. */
static int array_ready(lua_State *L) {
  enum { A = 1, TABLE };
  ma_array *a = ma_lua_checkarray(L, A);
  ma_stream *current = ma_lua_stream_of(L, ma_array_device(a));
  if (current->capture) ma_lua_check(L, ma_capture_refuse(current));
  MA_LUA_TRY(L, ma_pending_evaluate(a->buffer, "it is asked whether it is ready"));
  ma_lua_check(L, ma_buffer_check(a->buffer));
  ma_stream *stream = __atomic_load_n(&a->buffer->marks.writer, __ATOMIC_RELAXED);
  bool done = true;
  if (stream && !ma_is_host(stream->device)) {
    lua_settop(L, A);
    lua_getfield(L, LUA_REGISTRYINDEX, ASKED);
    handle *h = push_asked(L, TABLE, a->buffer, stream);
    if (!h) h = ask(L, TABLE, a->buffer, stream);
    if (h) ma_lua_check(L, is_done(h, &done));
    else done = false;
    if (h && done) end_event(h); /* the answer stays, whatever the stream is given next */
  }
  lua_pushboolean(L, done);
  return 1;
}

/* core.must_wait(array): whether reading it is a wait that is not allowed. */
static int must_wait(lua_State *L) {
  lua_pushboolean(L, ma_wait_check_array(ma_lua_checkarray(L, 1)) != MA_OK);
  return 1;
}

/* ==== To the GPU ================================================================================================= */

static int set_async(lua_State *L) {
  enum { A = 1, HOST, STREAM };
  ma_array *to = ma_lua_checkarray(L, A);
  ma_device *device = ma_array_device(to);
  ma_stream *stream = ma_lua_optstream_of(L, STREAM, device);
  ma_array *host = ma_lua_checkarray(L, HOST);
  bool queued = device->backend->memory.copy_queued && ma_array_device(host) == ma_device_cpu() &&
                same_form(to, host) && ma_array_is_contiguous(to) && ma_array_is_contiguous(host) &&
                is_pinned(device, host);
  if (queued) ma_lua_check(L, ma_array_queue_copy(to, host, true, stream));
  else MA_LUA_TRY(L, ma_array_assign(to, host, stream));
  lua_settop(L, 1);
  return 1;
}

//> get_async: ma.ones(2):get_async():get()
static const ma_function functions[] = { { "get_async(a: data; stream?: stream, out?: array) -> copy", get_async,
                                           "Starts a copy to the CPU and returns a handle at once: handle.done says "
                                           "whether it is there, handle:get() waits for it and gives the CPU array." },
                                         //> set_async: ma.zeros(2):set_async(ma.numpy.ones(2))
                                         { "set_async(a: data, host: array; stream?: stream) -> array", set_async,
                                           "Copies a CPU array into the array; from pinned memory without waiting: the "
                                           "host array must not be changed through data() until the stream is done." },
                                         //> ready: ma.ones(2):ready() ~= nil
                                         { "ready(a: array) -> boolean", array_ready,
                                           "Whether the array's values are there. Never waits: what was not begun is "
                                           "begun, and a later call says whether it is done." },
                                         { "core.live_copies()", live_copies, NULL },
                                         { "core.is_copy(value?)", is_copy, NULL },
                                         { "core.copy_fault(handle)", copy_fault, NULL },
                                         { "core.must_wait(a)", must_wait, NULL },
                                         { NULL, NULL, NULL } };

void ma_open_async(lua_State *L) {
  if (luaL_newmetatable(L, ASKED)) { /* a plain table, one for each Lua state */
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_pushvalue(L, -1);
    lua_setmetatable(L, -2);
  }
  lua_pop(L, 1);
  ma_lua_register(L, functions);
}
