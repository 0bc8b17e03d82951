/*
** pool.c: pool objects and their uses: set_allocator, pinned arrays, managed memory.
**
** A pool object holds a reference on its pool; arrays hold the blocks. So a pool without an object lives until its last
** array is gone.
*/
#include "base/number.h"
#include "memory/pool.h"
#include "bind/bind.h"

#include <stdio.h>
#include <math.h>
#include <string.h>

#define ASYNC_POOLS "moonarray.async_pools" /* a device's address -> the object of the pool of malloc_async */

/* ==== The object ================================================================================================= */

typedef struct pool_object {
  uint64_t magic;
  ma_pool *pool;
  ma_device *device;
  ma_memory_kind kind;
} pool_object;

static const ma_class pool_class;

static pool_object *to_pool(lua_State *L, int index) { return ma_lua_toclass(L, index, &pool_class); }
static pool_object *check_pool(lua_State *L) { return ma_lua_self(L, &pool_class); }

/* An object without a pool, which the caller sets. `device` is the one that was named: a GPU for pinned memory. */
static pool_object *push_object(lua_State *L, ma_device *device, ma_memory_kind kind) {
  pool_object *object = ma_lua_newobject(L, &pool_class);
  object->device = device;
  object->kind = kind;
  return object;
}

static void push_pool(lua_State *L, ma_pool *pool) {
  pool_object *object = push_object(L, pool->source, pool->kind);
  ma_pool_retain(pool);
  object->pool = pool;
}

static void push_new(lua_State *L, ma_device *device, ma_memory_kind kind) {
  pool_object *object = push_object(L, device, kind);
  MA_LUA_TRY(L, ma_pool_new_kind(device, kind, &object->pool));
}

static void release(void *of) {
  pool_object *object = of;
  ma_pool_drop(object->pool);
  object->pool = NULL;
}

/* ==== Methods ==================================================================================================== */

static ma_pool_stats statistics(lua_State *L) {
  ma_pool_stats stats;
  ma_pool_statistics(check_pool(L)->pool, &stats);
  return stats;
}

static int push_bytes(lua_State *L, size_t bytes) {
  lua_pushnumber(L, (double)bytes);
  return 1;
}

static int pool_used_bytes(lua_State *L) { return push_bytes(L, statistics(L).used_bytes); }
static int pool_free_bytes(lua_State *L) { return push_bytes(L, statistics(L).free_bytes); }
static int pool_total_bytes(lua_State *L) { return push_bytes(L, statistics(L).total_bytes); }
static int pool_peak_bytes(lua_State *L) { return push_bytes(L, statistics(L).peak_bytes); }
static int pool_get_limit(lua_State *L) { return push_bytes(L, statistics(L).limit); }
static int pool_n_free_blocks(lua_State *L) { return push_bytes(L, (size_t)statistics(L).n_free_blocks); }

static int pool_free_all(lua_State *L) {
  ma_pool_free_all(check_pool(L)->pool);
  return 0;
}

static int pool_reset_peak(lua_State *L) {
  ma_pool_reset_peak(check_pool(L)->pool);
  return 0;
}

/* Bytes of the memory that the pool belongs to: the host's for pinned memory. */
static double all_memory(lua_State *L, const pool_object *object) {
  size_t left = 0, total = 0;
  ma_device *device = object->kind == MA_MEMORY_PINNED ? ma_device_cpu() : object->device;
  ma_lua_check(L, device->backend->info.describe(device, &left, &total, NULL, 0));
  return (double)total;
}

static int pool_set_limit(lua_State *L) {
  enum { SIZE = 2, FRACTION };
  const pool_object *object = check_pool(L);
  double limit = 0;
  if (lua_isnil(L, SIZE) == lua_isnil(L, FRACTION))
    return ma_lua_fail(L, "%s; wanted one of them",
                       lua_isnil(L, SIZE) ? "neither size nor fraction" : "both size and fraction");
  if (!lua_isnil(L, SIZE)) {
    limit = ma_lua_checknumber(L, SIZE, "size");
    if (!(limit >= 0 && limit < 0x1p63) || limit != floor(limit))
      return ma_lua_fail(L, "a limit of %.14g bytes; wanted 0 (none) or more, a whole number",
                         isnan(limit) ? NAN : limit);
  } else {
    double fraction = ma_lua_checknumber(L, FRACTION, "fraction");
    if (!(fraction >= 0 && fraction <= 1))
      return ma_lua_fail(L, "fraction is %g; wanted 0 (no limit) to 1", isnan(fraction) ? NAN : fraction);
    limit = fraction * all_memory(L, object);
  }
  ma_pool_set_limit(object->pool, (size_t)limit);
  return 0;
}

/* Makes an array with `pool` as the serving pool, and restores the previous pool also after an error. */
static ma_array *push_from(lua_State *L, ma_pool *pool, ma_dtype dtype, int ndim, const int64_t *shape) {
  ma_array *array = ma_lua_newarray(L);
  ma_device *device = pool->device;
  ma_status status;
  int tries = 0;
  do {
    ma_pool_retain(pool);
    ma_pool *before = ma_pool_swap(device, pool);
    status = ma_array_new(array, device, dtype, ndim, shape);
    ma_pool_drop(ma_pool_swap(device, before));
  } while (ma_lua_retry(L, status, &tries));
  ma_lua_check(L, status);
  return array;
}

static int64_t check_nbytes(lua_State *L, int index) {
  int64_t nbytes = ma_lua_checkint(L, index, "nbytes");
  if (nbytes < 0) ma_lua_fail(L, "nbytes is %lld; wanted 0 or more", (long long)nbytes);
  return nbytes;
}

static int pool_malloc(lua_State *L) {
  const pool_object *object = check_pool(L);
  int64_t nbytes = check_nbytes(L, 2);
  push_from(L, object->pool, MA_UINT8, 1, &nbytes);
  return 1;
}

static const char *const class_names[MA_NMEMORY] = {
  [MA_MEMORY_DEVICE] = "MemoryPool",
  [MA_MEMORY_MANAGED] = "MemoryPool of managed memory",
  [MA_MEMORY_PINNED] = "PinnedMemoryPool",
  [MA_MEMORY_ASYNC] = "MemoryAsyncPool",
};

static void push_text(lua_State *L, void *of) {
  const pool_object *object = of;
  ma_pool_stats stats;
  char text[160];
  if (!object->pool) {
    lua_pushliteral(L, "<a pool>");
    return;
  }
  ma_pool_statistics(object->pool, &stats);
  ma_print(text, sizeof text, "<%s %s: %.0f bytes in use, %.0f cached>", class_names[object->kind],
           object->device->name, (double)stats.used_bytes, (double)stats.free_bytes);
  lua_pushstring(L, text);
}

static int pool_equal(lua_State *L) {
  const pool_object *a = to_pool(L, 1), *b = to_pool(L, 2);
  lua_pushboolean(L, a && b && a->pool == b->pool);
  return 1;
}

//> = pool | ma.get_default_memory_pool() | A pool of memory that arrays are served from.
static const ma_attribute attributes[] = {
  { "device", ma_push_device, offsetof(pool_object, device) },  //> . device: string | its device
  { NULL, NULL, 0 },
};
static const ma_method methods[] = {
  //> :used_bytes() -> integer | Bytes that arrays hold.
  //> pool:used_bytes: local before, a = pool:used_bytes(), ma.ones(1000)
  //>   return pool:used_bytes() - before >= a.nbytes
  { ":used_bytes(pool)", pool_used_bytes },
  //> :free_bytes() -> integer | Bytes that it keeps for later arrays.
  //> pool:free_bytes: pool:free_bytes() == pool:total_bytes() - pool:used_bytes()
  { ":free_bytes(pool)", pool_free_bytes },
  //> :total_bytes() -> integer | Both together.
  //> pool:total_bytes: pool:total_bytes() >= pool:used_bytes()
  { ":total_bytes(pool)", pool_total_bytes },
  //> :peak_bytes() -> integer | The most bytes that arrays held at once.
  //> pool:peak_bytes: pool:peak_bytes() >= pool:used_bytes()
  { ":peak_bytes(pool)", pool_peak_bytes },
  //> :reset_peak() | Begins to measure the peak anew.
  //> pool:reset_peak: pool:reset_peak()
  //>   return pool:peak_bytes() == pool:used_bytes()
  { ":reset_peak(pool)", pool_reset_peak },
  //> :n_free_blocks() -> integer | The blocks that it keeps.
  //> pool:n_free_blocks: pool:n_free_blocks() >= 0
  { ":n_free_blocks(pool)", pool_n_free_blocks },
  //> :free_all_blocks() | Gives back what no array holds.
  //> pool:free_all_blocks: local a = ma.ones(2 ^ 20)
  //>   a:free()
  //>   local before = pool:total_bytes()
  //>   pool:free_all_blocks()
  //>   return before - pool:total_bytes() >= 2 ^ 23
  { ":free_all_blocks(pool)", pool_free_all },
  //> :get_limit() -> integer | The most bytes it may take; 0 is no limit.
  //> pool:get_limit: pool:get_limit()
  { ":get_limit(pool)", pool_get_limit },
  //> :set_limit(size?: integer, fraction?: number) | Sets the limit in bytes, or as a part of the device's memory.
  //> pool:set_limit: pool:set_limit(2 ^ 32)
  //>   local limit = pool:get_limit()
  //>   pool:set_limit(0)
  //>   return limit
  { ":set_limit(pool, size?, fraction?)", pool_set_limit },
  //> :malloc(nbytes: integer) -> array | Bytes of the pool as a uint8 array.
  //> pool:malloc: pool:malloc(16).dtype, pool:malloc(16).size
  { ":malloc(pool, nbytes)", pool_malloc },
  { NULL, NULL },
};

static const ma_class pool_class = { .name = "pool",
                                     .word = "pool",
                                     .title = "moonarray pool",
                                     .magic = 0x6d61706f6f6c6f62u,
                                     .size = sizeof(pool_object),
                                     .methods = methods,
                                     .attributes = attributes,
                                     .member = "method",
                                     .text = push_text,
                                     .release = release };

/* ==== Making pools =============================================================================================== */

/* ma.cuda.malloc_managed and malloc_async may be given as allocators. Each stands for a pool of that memory. */
static const ma_memory_kind stood_for[] = { MA_MEMORY_MANAGED, MA_MEMORY_ASYNC };

static bool find_kind(lua_State *L, int index, ma_memory_kind *kind) {
  for (int k = 0; lua_tocfunction(L, index) && k < 2; k++) {
    *kind = stood_for[k];
    if (lua_rawequal(L, index, lua_upvalueindex(3 + k))) return true;
  }
  return false;
}

static int new_memory_pool(lua_State *L) {
  ma_device *device = ma_lua_optdevice(L, 2);
  ma_memory_kind kind = MA_MEMORY_DEVICE;
  if (!lua_isnil(L, 1) && !find_kind(L, 1, &kind))
    return ma_lua_fail(L, "allocator is %s; wanted nil, ma.cuda.malloc_managed or ma.cuda.malloc_async",
                       ma_lua_describe(L, 1));
  push_new(L, device, kind);
  return 1;
}

static int new_async_pool(lua_State *L) {
  push_new(L, ma_lua_optdevice(L, 1), MA_MEMORY_ASYNC);
  return 1;
}

static int new_pinned_pool(lua_State *L) {
  push_new(L, ma_lua_optdevice(L, 1), MA_MEMORY_PINNED);
  return 1;
}

static int default_pool(lua_State *L) {
  ma_device *device = ma_lua_optdevice(L, 1);
  if (!device->pool) return ma_lua_fail(L, "%s has no pool: no memory was left to make it", device->name);
  push_pool(L, device->pool);
  return 1;
}

static int default_pinned_pool(lua_State *L) {
  ma_pool *pool = NULL;
  ma_lua_check(L, ma_pool_pinned(ma_lua_optdevice(L, 1), &pool));
  push_pool(L, pool);
  return 1;
}

/* The pool that serves pinned memory for the device in the slot; pushes its object. */
static ma_pool *push_pinned_pool(lua_State *L, int index) {
  ma_device *device = ma_lua_optdevice(L, index);
  pool_object *object = push_object(L, device, MA_MEMORY_PINNED);
  ma_lua_check(L, ma_pool_serving_pinned(device, &object->pool));
  return object->pool;
}

static int free_all_blocks(lua_State *L) {
  ma_pool_free_device(ma_lua_device(L));
  return 0;
}

/* ==== The serving pool ============================================================================================ */

/* Pushes the object of the allocator at `index`, which is not nil. */
static const pool_object *push_allocator(lua_State *L, int index) {
  ma_memory_kind kind;
  if (to_pool(L, index)) lua_pushvalue(L, index);
  else if (find_kind(L, index, &kind)) push_new(L, ma_lua_device(L), kind);
  else
    ma_lua_fail(L,
                "allocator is %s; wanted a pool (the object, no method of it), ma.cuda.malloc_managed, "
                "ma.cuda.malloc_async or nil",
                ma_lua_describe(L, index));
  return to_pool(L, -1);
}

static int set_allocator(lua_State *L) {
  ma_lua_flush(L, "another allocator");
  if (lua_isnil(L, 1)) {
    ma_pool_reset_allocators();
    return 0;
  }
  const pool_object *object = push_allocator(L, 1);
  ma_pool_set_allocator(object->pool->device, object->pool);
  return 0;
}

static int set_pinned_allocator(lua_State *L) {
  const pool_object *object = to_pool(L, 1);
  if (lua_isnil(L, 1)) {
    ma_pool_reset_pinned();
    return 0;
  }
  if (!object || object->kind != MA_MEMORY_PINNED)
    return ma_lua_fail(L, "allocator is %s; wanted a ma.cuda.PinnedMemoryPool (the object, no method of it) or nil",
                       object ? class_names[object->kind] : ma_lua_describe(L, 1));
  ma_pool_set_pinned(object->device, object->pool);
  return 0;
}

static int get_allocator(lua_State *L) {
  ma_device *device = ma_lua_optdevice(L, 1);
  ma_pool *pool = ma_pool_serving(device);
  if (!pool) return ma_lua_fail(L, "%s has no pool: no memory was left to make it", device->name);
  push_pool(L, pool);
  return 1;
}

/* No coroutine can yield across this call, so the thread uses the pool for fn only. */
static int using_allocator(lua_State *L) {
  ma_pool *pool;
  if (!ma_lua_iscallable(L, 2))
    return ma_lua_fail(L, "fn is %s; wanted a function that runs with the allocator", ma_lua_describe(L, 2));
  if (lua_isnil(L, 1)) {
    pool = ma_lua_device(L)->pool;
    lua_pushnil(L);
    if (!pool) return ma_lua_fail(L, "%s has no pool: no memory was left to make it", ma_lua_device(L)->name);
  } else {
    pool = push_allocator(L, 1)->pool;
  }
  lua_replace(L, 1);
  ma_device *device = pool->device;
  ma_lua_flush(L, "another allocator");
  ma_pool_retain(pool);
  ma_pool *before = ma_pool_swap(device, pool);
  int failed = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
  ma_status status = MA_OK;
  int tries = 0;
  if (!failed) do
      status = ma_pending_flush("another allocator", false);
    while (ma_lua_retry(L, status, &tries));
  ma_pool_drop(ma_pool_swap(device, before));
  ma_lua_check(L, status);
  return failed ? lua_error(L) : lua_gettop(L) - 1;
}

/* ==== Pinned and managed arrays ================================================================================== */

static int alloc_pinned(lua_State *L) {
  int64_t nbytes = check_nbytes(L, 1);
  push_from(L, push_pinned_pool(L, 2), MA_UINT8, 1, &nbytes)->buffer->for_host = true;
  return 1;
}

static ma_array *make_pinned(lua_State *L) {
  int64_t shape[MA_MAX_NDIM];
  ma_pool *pool = push_pinned_pool(L, 3);
  ma_dtype dtype = ma_lua_checkdtype(L, 2, ma_lua_state(L)->default_dtype);
  int ndim = ma_lua_checkshape(L, 1, shape);
  ma_array *array = push_from(L, pool, dtype, ndim, shape);
  array->buffer->for_host = true;
  return array;
}

static ma_array *make_pinned_like(lua_State *L) {
  const ma_array *model = ma_lua_checkarray(L, 1);
  ma_pool *pool = push_pinned_pool(L, 3);
  ma_array *array = push_from(L, pool, ma_lua_checkdtype(L, 2, model->dtype), model->ndim, model->shape);
  array->buffer->for_host = true;
  return array;
}

static int fill_zeros(lua_State *L, ma_array *array) {
  MA_LUA_TRY(L, ma_array_fill(array, (ma_value){ .i = 0 }, MA_INT64, ma_lua_streamfor(L, array)));
  return 1;
}

static int empty_pinned(lua_State *L) { return make_pinned(L), 1; }
static int zeros_pinned(lua_State *L) { return fill_zeros(L, make_pinned(L)); }
static int empty_like_pinned(lua_State *L) { return make_pinned_like(L), 1; }
static int zeros_like_pinned(lua_State *L) { return fill_zeros(L, make_pinned_like(L)); }

static int alloc_bytes(lua_State *L) {
  int64_t nbytes = check_nbytes(L, 1);
  ma_lua_pushnew(L, ma_lua_device(L), MA_UINT8, 1, &nbytes);
  return 1;
}

/* The pool has only this block and is freed with it. */
static int malloc_managed(lua_State *L) {
  int64_t nbytes = check_nbytes(L, 1);
  push_new(L, ma_lua_device(L), MA_MEMORY_MANAGED);
  push_from(L, to_pool(L, -1)->pool, MA_UINT8, 1, &nbytes);
  return 1;
}

/* Uses a pool of the driver that this Lua state keeps for the device. */
static int malloc_async(lua_State *L) {
  int64_t nbytes = check_nbytes(L, 1);
  ma_device *device = ma_lua_device(L);
  luaL_newmetatable(L, ASYNC_POOLS); /* a plain table */
  lua_pushlightuserdata(L, device);
  lua_rawget(L, -2);
  if (!to_pool(L, -1)) {
    lua_pushlightuserdata(L, device);
    push_new(L, device, MA_MEMORY_ASYNC);
    lua_replace(L, -3);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  push_from(L, to_pool(L, -1)->pool, MA_UINT8, 1, &nbytes);
  return 1;
}

/* ==== Registration ================================================================================================ */

/* These accept ma.cuda.malloc_managed and malloc_async as a kind of pool. */
static const ma_function takes_malloc[] = {
  //> cuda.MemoryPool: ma.cuda.MemoryPool():used_bytes()
  { "cuda.MemoryPool(allocator?: function, device?: string) -> pool", new_memory_pool,
    "A pool of its own over a device's memory; with ma.cuda.malloc_managed "
    "as allocator over managed memory, with malloc_async a MemoryAsyncPool. "
    "It lives until its last array goes." },
  //> cuda.set_allocator: local pool = ma.cuda.MemoryPool()
  //>   ma.cuda.set_allocator(pool)
  //>   local a = ma.ones(1000)
  //>   ma.cuda.set_allocator()
  //>   return pool:used_bytes() >= a.nbytes
  { "cuda.set_allocator(allocator?: pool|function)", set_allocator,
    "Makes a pool, or ma.cuda.malloc_managed or malloc_async, serve every "
    "new array of the pool's device; nil: the default pools again." },
  //> cuda.using_allocator: ma.cuda.using_allocator(ma.cuda.MemoryPool(), function() return ma.ones(2) end)
  { "cuda.using_allocator(allocator?: pool|function, fn?: function, ...) -> any ...", using_allocator,
    "Calls fn(...) with a pool that serves this thread's new arrays of its "
    "device, and returns what fn does; fn cannot yield." },
  { NULL, NULL, NULL }
};

static const ma_function functions[] = {
  //> gpu cuda.MemoryAsyncPool: ma.cuda.MemoryAsyncPool():used_bytes()
  //> > 0
  { "cuda.MemoryAsyncPool(device?: string) -> pool", new_async_pool,
    "A pool of the driver's own (cuMemAllocFromPoolAsync), in the order of streams; on the CPU an ordinary one." },
  //> cuda.PinnedMemoryPool: ma.cuda.PinnedMemoryPool():used_bytes()
  { "cuda.PinnedMemoryPool(device?: string) -> pool", new_pinned_pool,
    "A pool of host memory that the GPU reaches directly; on the CPU an ordinary one." },
  //> cuda.get_default_memory_pool: ma.cuda.get_default_memory_pool():get_limit()
  { "cuda.get_default_memory_pool(device?: string) -> pool", default_pool,
    "The pool that serves a device's arrays: used_bytes(), total_bytes(), free_all_blocks(), set_limit(size) ..." },
  //> get_default_memory_pool: ma.get_default_memory_pool():get_limit()
  { "get_default_memory_pool(device?: string) -> pool", default_pool,
    "The pool of a device's memory: used_bytes(), total_bytes(), free_all_blocks(), set_limit(bytes)." },
  //> cuda.set_pinned_memory_allocator: local pool = ma.cuda.PinnedMemoryPool()
  //>   ma.cuda.set_pinned_memory_allocator(pool)
  //>   local a = ma.cuda.zeros_pinned(1000)
  //>   ma.cuda.set_pinned_memory_allocator()
  //>   return pool:used_bytes() >= a.nbytes
  { "cuda.set_pinned_memory_allocator(allocator?: pool|function)", set_pinned_allocator,
    "Makes a PinnedMemoryPool serve all new pinned memory of its device; nil: the default pools again." },
  //> cuda.get_default_pinned_memory_pool: ma.cuda.get_default_pinned_memory_pool():used_bytes() >= 0
  { "cuda.get_default_pinned_memory_pool(device?: string) -> pool", default_pinned_pool,
    "The pool behind alloc_pinned_memory and empty_pinned." },
  //> get_default_pinned_memory_pool: ma.get_default_pinned_memory_pool():used_bytes() >= 0
  { "get_default_pinned_memory_pool(device?: string) -> pool", default_pinned_pool,
    "The pool behind cuda.alloc_pinned_memory and cuda.empty_pinned." },
  //> cuda.get_allocator: ma.cuda.get_allocator().device
  { "cuda.get_allocator(device?: string) -> pool", get_allocator,
    "The pool that serves new arrays of a device here and now." },
  //> free_all_blocks: local pool, a = ma.get_default_memory_pool(), ma.ones(2 ^ 20)
  //>   a:free()
  //>   local before = pool:total_bytes()
  //>   ma.free_all_blocks()
  //>   return before - pool:total_bytes() >= 2 ^ 23
  { "free_all_blocks()", free_all_blocks,
    "Gives the memory that the current device's pools hold unused back to the device." },
  //> cuda.free_all_blocks: local pool, a = ma.get_default_memory_pool(), ma.ones(2 ^ 20)
  //>   a:free()
  //>   local before = pool:total_bytes()
  //>   ma.cuda.free_all_blocks()
  //>   return before - pool:total_bytes() >= 2 ^ 23
  { "cuda.free_all_blocks()", free_all_blocks, "The same as moonarray.free_all_blocks." },
  //> cuda.alloc: ma.cuda.alloc(16).nbytes
  { "cuda.alloc(nbytes: integer) -> array", alloc_bytes, "A uint8 array of so many bytes on the current device." },
  //> cuda.alloc_pinned_memory: ma.cuda.alloc_pinned_memory(16).nbytes
  { "cuda.alloc_pinned_memory(nbytes: integer, device?: string) -> array", alloc_pinned,
    "A uint8 array of the CPU in memory that the GPU reaches directly." },
  //> cuda.empty_pinned: ma.cuda.empty_pinned({2, 3}).shape[2]
  { "cuda.empty_pinned(shape: integer|integer[], dtype?: dtype; device?: string) -> array", empty_pinned,
    "An array of the CPU in pinned memory, not set: copies from and to the GPU are faster and need not wait." },
  //> cuda.zeros_pinned(2)
  { "cuda.zeros_pinned(shape: integer|integer[], dtype?: dtype; device?: string) -> array", zeros_pinned,
    "Zeros of the CPU in pinned memory." },
  //> cuda.empty_like_pinned: ma.cuda.empty_like_pinned(ma.ones(2)).size
  { "cuda.empty_like_pinned(array: array, dtype?: dtype; device?: string) -> array", empty_like_pinned,
    "An array of the CPU in pinned memory, of the shape and dtype of another, not set." },
  //> cuda.zeros_like_pinned(ma.ones(2))
  { "cuda.zeros_like_pinned(array: array, dtype?: dtype; device?: string) -> array", zeros_like_pinned,
    "Zeros of the CPU in pinned memory, in the shape and dtype of another array." },
  { NULL, NULL, NULL }
};

void ma_open_pool(lua_State *L) {
  ma_lua_pushmetatable(L, &pool_class);
  lua_pushcfunction(L, pool_equal);
  lua_setfield(L, -2, "__eq");
  lua_pop(L, 1);
  ma_lua_register(L, functions);
  ma_lua_define(
    //> gpu cuda.malloc_managed: ma.cuda.malloc_managed(16).nbytes
    //> > 16
    L, "cuda.malloc_managed(nbytes: integer) -> array",
    "A uint8 array in memory that moves between host and GPU by itself; as an allocator, a pool of such memory.",
    malloc_managed, 0);
  ma_lua_define(
    //> gpu cuda.malloc_async: ma.cuda.malloc_async(16).nbytes
    //> > 16
    L, "cuda.malloc_async(nbytes: integer) -> array",
    "A uint8 array from the driver's own pool, in the order of streams; as an allocator, a MemoryAsyncPool.",
    malloc_async, 0);
  for (const ma_function *f = takes_malloc; f->signature; f++) {
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    ma_lua_define(L, f->signature, f->doc, f->call, 2);
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
}
