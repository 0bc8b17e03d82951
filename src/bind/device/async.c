/*
** async.c: asynchronous copies. x:get_async() queues a copy into pinned memory and returns a handle: `done` tells
** whether the copy is complete, get() waits only for it. Marks keep the memory in order (order.c): a block that returns
** to the pinned pool while the GPU still writes it is awaited by its next user.
*/
#include "memory/pool.h"
#include "bind/bind.h"

#include <string.h>

/* The environment holds the arrays: [1] the result of get(), [2] the target of the copy, if that is another array. */
typedef struct handle {
  uint64_t magic;
  ma_stream *stream;   /* stream of the copy */
  void *event;         /* event behind the copy; NULL: it is complete */
  uint32_t generation; /* of the device */
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

/* Queues the copy, with an event behind it. An array that is not contiguous is packed first. */
static ma_status queue(handle *h, ma_array *from, ma_array *host) {
  const ma_backend *backend = h->stream->device->backend;
  ma_array packed = { .buffer = NULL };
  bool contiguous = ma_array_is_contiguous(from);
  MA_TRY(backend->event.create(h->stream->device, MA_EVENT_DISABLE_TIMING, &h->event));
  __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
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

static void push_done(lua_State *L, void *of, size_t place) {
  const handle *h = of;
  bool done = true;
  ma_lua_check(L, check_alive(h));
  if (h->event) ma_lua_check(L, h->stream->device->backend->event.done(h->stream->device, h->event, &done));
  lua_pushboolean(L, done);
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
                                         { "core.live_copies()", live_copies, NULL },
                                         { NULL, NULL, NULL } };

void ma_open_async(lua_State *L) { ma_lua_register(L, functions); }
