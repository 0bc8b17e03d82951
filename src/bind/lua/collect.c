/* collect.c: Lua's collector and the memory of arrays: when to collect, and what to try again when memory is out. */
#include "memory/pool.h"
#include "bind/bind.h"
#include "timeline/timeline.h"

#include <string.h>
#include <time.h>

#define GC_ISRUNNING 9 /* LUA_GCISRUNNING of LuaJIT; Lua 5.1 answers -1 */

/*
** When live bytes reach `collect.at`, a collection begins. A small heap is collected at once. A large one takes long
** (0.6 ms a MB), so each new array moves the collector a step, in proportion to the bytes made since the last step. It
** should end before `collect.by`; there the rest is done at once. Below `collect.low` the threshold follows the live
** bytes down. The constants below set the room between two collections, in bytes made.
*/
#define MB INT64_C(1048576)
#define ROOM_MIN (64 * MB)   /* least room */
#define ROOM_LARGE (96 * MB) /* least room with a large heap, and again while it is collected */
/* The room on the CPU while the heap is small enough to be collected at once. Garbage may grow until the results of a
** loop use a quarter of the last cache. Where a collection takes longer than COLLECTION us for each MB of garbage, they
** may use half as much again. Each MB of garbage beyond the cache costs 35 us, or 90 us for small arrays, however much
** garbage there is. So there is more room only where a collection costs more than MISSES us a MB. There is always room
** for two large arrays. */
#define ROOM_SMALL (4 * MB) /* where the cache is smaller, or its size unknown */
#define ROOM_CACHE (8 * MB) /* and where it is larger: other programs use it too */
#define COLLECTION 8
#define MISSES 50
#define FINALISER 50 /* ns for a dead array, which it costs whenever it is collected */
#define GROWTH 8     /* new pages for this part of what is live cost more than a collection there that finds nothing */
#define ROOM_FIRST (8 * MB)   /* room before anything was measured: beyond it, dead arrays have left the caches */
#define PINNED_MIN (256 * MB) /* bytes that only pending programs may hold without a check */
#define HEAP_LARGE (4 * 1024) /* KB of a large heap */
#define STEP (MB / 2)         /* bytes made between two steps of its collection, because each looks at much */
#define MOST_GARBAGE 16       /* arrays made between two collections of a heap of 64 MB or more, at least */
/* The same on a GPU with any heap, since the GPU finishes with an array before the collector does. */
#define GARBAGE_GPU 64
#define GARBAGE_WIDE 4      /* greatest factor on GARBAGE_GPU: the mean MB of an array up to this */
#define GARBAGE_LEAST 16    /* arrays, where they are large */
#define SMALL_GPU 5         /* MB */
#define SHARE_GPU 32        /* garbage takes at most 1 / SHARE_GPU of a GPU's memory */
#define HOST_LARGE (4 * MB) /* bytes of a large CPU array: its new pages may cost more than a collection */
#define HOST_HEAP 32        /* new pages cost as much as collecting a heap that is this many times smaller */

void ma_lua_startcollecting(ma_lua *state) {
  state->deferral.most = PINNED_MIN;
  state->collect.at = state->collect.seen = ROOM_FIRST;
  state->collect.by = ROOM_FIRST + ROOM_LARGE;
}

/* A collection would restart a collector that the user stopped. So a stopped collector is left alone unless memory
** is out. */
static bool collector_stopped(lua_State *L) { return lua_gc(L, GC_ISRUNNING, 0) == 0; }

/* The device's memory, or the pool's limit; read once. */
static int64_t capacity(ma_lua *state) {
  ma_pool_stats stats = { .limit = 0 };
  size_t unused, total = 0;
  char text[256];
  ma_device *device = state->device;
  if (!device) return INT64_MAX;
  if (device->pool) ma_pool_statistics(device->pool, &stats);
  if (stats.limit) return (int64_t)stats.limit;
  if (!state->collect.capacity) {
    bool known = device->backend->info.describe(device, &unused, &total, text, sizeof text) == MA_OK && total;
    state->collect.capacity = known ? (int64_t)total : INT64_MAX;
  }
  return state->collect.capacity;
}

/* Bytes of a GPU's memory that may stay unused before the collector is worth its time; 0 on the CPU. */
static int64_t share_of_gpu(ma_lua *state) {
  return !state->device || ma_is_host(state->device) ? 0 : capacity(state) / SHARE_GPU;
}

/* The bytes of garbage, with arrays of this mean size, that a GPU may hold. An array of more than SMALL_GPU keeps the
** GPU busy longer than the host, by 1 us a MB. So enough arrays to hide a collection are enough garbage, and a loop
** soon gets memory for its results that was used before. */
static int64_t garbage_of_gpu(ma_lua *state, int64_t mean, int64_t heap) {
  int64_t mb = mean / MB, wide = mb < 1 ? 1 : mb < GARBAGE_WIDE ? mb : GARBAGE_WIDE;
  int64_t count = GARBAGE_GPU * wide, share = share_of_gpu(state);
  if (mb > SMALL_GPU) {
    int64_t took = heap < HEAP_LARGE ? state->collect.took : heap * 6 / 10, hidden = took / (mb - SMALL_GPU);
    if (hidden < GARBAGE_LEAST) hidden = GARBAGE_LEAST;
    if (hidden < count) count = hidden;
  }
  return mean * count < share ? mean * count : share;
}

/* Before the first use of the current device, arrays are over memory of others. */
static bool on_cpu(const ma_lua *state) { return !state->device || ma_is_host(state->device); }

static int64_t last_cache(void) {
  ma_device *cpu = ma_device_cpu();
  const char *name;
  int64_t value;
  for (int k = 0; cpu->backend->info.attribute(cpu, k, &name, &value); k++)
    if (strcmp(name, "L3CacheSize") == 0) return value;
  return 0;
}

/* The least room on the CPU with a small heap, and garbage of this mean size. */
static int64_t room_of_small(ma_lua *state, int64_t large) {
  int64_t *room = &state->collect.cache, wide = state->collect.took * MB / COLLECTION;
  if (!*room) {
    int64_t part = last_cache() / 4;
    *room = part < ROOM_SMALL ? ROOM_SMALL : part < ROOM_CACHE ? part : ROOM_CACHE;
  }
  int64_t most = *room * 3 / 2;
  if (wide > most && state->collect.took * MB < MISSES * most) wide = most;
  if (wide < 2 * large) wide = 2 * large;
  if (wide > ROOM_MIN) wide = ROOM_MIN;
  return wide < *room ? *room : wide;
}

/* The room for new arrays beside `left` live bytes, after a collection of `dead` bytes. It is half of `dead`, as in
** Torch. It is more if arrays are large and a collection of the heap costs more than they do. On the CPU a small heap
** is collected sooner, and as soon again if there was garbage, however much is live. `large` is the mean size of the
** garbage in large blocks, 0 if unknown; a thousand small blocks beside them do not matter. */
static int64_t room_beside(lua_State *L, ma_lua *state, int64_t left, int64_t dead, int64_t large) {
  int64_t heap = lua_gc(L, LUA_GCCOUNT, 0), most = (capacity(state) - left) / 2;
  if (on_cpu(state) && heap < HEAP_LARGE) {
    int64_t least = room_of_small(state, large), room = left / GROWTH < most ? left / GROWTH : most;
    return dead >= least / 2 || room < least ? least : room;
  }
  int64_t least = heap < HEAP_LARGE ? ROOM_MIN : ROOM_LARGE, room = left / 2,
          on_gpu = garbage_of_gpu(state, large, heap);
  int64_t garbage = large * (heap < 16 * HEAP_LARGE ? heap * MOST_GARBAGE / (16 * HEAP_LARGE) : MOST_GARBAGE);
  if (room < garbage) room = garbage;
  if (room < on_gpu) room = on_gpu;
  if (room > most) room = most;
  return room < least ? least : room;
}

static void set_threshold(ma_lua *state, int64_t left, int64_t room) {
  state->collect.left = left;
  state->collect.low = left > ROOM_MIN ? left / 2 : 0;
  state->collect.at = state->collect.seen = left + room;
  state->collect.by = left + 2 * room;
}

/* Sets the start of the next collection, after one that reduced `before` live bytes to the present number. `nlarge`
** large blocks were alive before it. */
static void settle(lua_State *L, ma_lua *state, int64_t before, int64_t nlarge) {
  int64_t left = ma_lua_livebytes(state), dead = before > left ? before - left : 0;
  nlarge -= ma_pool_live_large();
  set_threshold(state, left, room_beside(L, state, left, dead, nlarge > 0 ? dead / nlarge : 0));
  ma_trace("mem", "collected at %lld live bytes, %lld left, heap of %lld KB, in %lld us; the next at %lld",
           (long long)before, (long long)left, (long long)lua_gc(L, LUA_GCCOUNT, 0), (long long)state->collect.took,
           (long long)state->collect.at);
}

/* Most of what the last collection left was freed since: by hand, at the end of a scope, or by another collection. */
static void follow(lua_State *L, ma_lua *state, int64_t live) {
  set_threshold(state, live, room_beside(L, state, live, 0, 0));
  ma_trace("mem", "%lld live bytes are left; the next collection at %lld", (long long)live,
           (long long)state->collect.at);
}

/* The processor time of this thread if the system tells it. */
static int64_t microseconds(void) {
  struct timespec now;
#ifdef CLOCK_THREAD_CPUTIME_ID
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
#else
  clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* LUA_GCCOLLECT first sweeps the whole heap, which is a third of its time. A step as large as the heap does not. But if
** a cycle is under way already, the step only ends that cycle, and leaves what died since it began. */
static void collect_all(lua_State *L, ma_lua *state, int64_t live) {
  int64_t nlarge = ma_pool_live_large(), made = live - state->collect.left, narray = state->users,
          start = microseconds(), began = ma_timeline_begin();
  bool ended = lua_gc(L, LUA_GCSTEP, lua_gc(L, LUA_GCCOUNT, 0) + 1) != 0;
  if (!ended || live - ma_lua_livebytes(state) < made / 2) lua_gc(L, LUA_GCCOLLECT, 0);
  ma_timeline_end(MA_TRACK_COLLECTION, began, "collection", 0);
  /* The lesser of two: a single collection may have been slow since another process took the caches. */
  int64_t took = microseconds() - start - (narray - state->users) * FINALISER / 1000,
          before = state->collect.took_last ? state->collect.took_last : took;
  if (took < 0) took = 0;
  state->collect.took_last = took;
  state->collect.took = took < before ? took : before;
  settle(L, state, live, nlarge);
}

static void collect_fully(lua_State *L) {
  int64_t began = ma_timeline_begin();
  lua_gc(L, LUA_GCCOLLECT, 0);
  ma_timeline_end(MA_TRACK_COLLECTION, began, "collection", 0);
}

static bool take_step(lua_State *L, int size) {
  int64_t began = ma_timeline_begin();
  bool ended = lua_gc(L, LUA_GCSTEP, size) != 0;
  ma_timeline_end(MA_TRACK_COLLECTION, began, "step", 0);
  return ended;
}

/* core.collect_step(kb): a step of the collector as if so much more had been made. Where the collector is stopped, or
** does not say whether it is, none: a step would start it again. */
int ma_lua_collectstep(lua_State *L) {
  if (lua_gc(L, GC_ISRUNNING, 0) == 1) take_step(L, (int)luaL_checkinteger(L, 1));
  return 0;
}

static void collect(lua_State *L, ma_lua *state, int64_t live) {
  int64_t heap = lua_gc(L, LUA_GCCOUNT, 0), made = live - state->collect.seen;
  if (heap < HEAP_LARGE || live >= state->collect.by) {
    collect_all(L, state, live);
    return;
  }
  if (made < 0) state->collect.seen = live;
  if (made < STEP) return;
  state->collect.seen = live;
  int64_t nlarge = ma_pool_live_large();
  int64_t step = (int64_t)((double)heap * (double)made / (double)(state->collect.by - state->collect.at)) + 1;
  if (take_step(L, step > heap ? (int)heap : (int)step)) settle(L, state, live, nlarge);
}

/* Called when only pending programs hold more memory than they may. A collection frees the dead programs. If that is
** not enough, the open programs run, unless their results would take more memory than they free. Programs that were
** absorbed by others stay, since running them would take as much memory as it frees. */
static void relieve(lua_State *L, ma_lua *state) {
  ma_deferral *d = &state->deferral;
  if (!collector_stopped(L)) collect_fully(L);
  if (d->pinned > d->most / 2 && d->bytes < d->pinned) {
    ma_deferral_current = d;
    (void)ma_pending_flush("it holds too much memory", false); /* whoever needs the values gets the error */
  }
  int64_t least = share_of_gpu(state) > PINNED_MIN ? share_of_gpu(state) : PINNED_MIN;
  d->most = d->pinned < least / 2 ? least : 2 * d->pinned;
}

/* Reports the acts of the pools to memory hooks, which may run Lua functions. */
static void dispatch(lua_State *L) {
  ma_lua_room(L, 8);
  lua_getfield(L, LUA_REGISTRYINDEX, MA_DISPATCH_KEY);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return;
  }
  ma_lua *state = ma_lua_state(L);
  const ma_signature *running = state->running;
  ma_lua_where(L);
  lua_call(L, 1, 0);
  state->running = running;
}

void ma_lua_account(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  if (__builtin_expect(state->deferral.pinned > state->deferral.most, 0)) relieve(L, state);
  int64_t live = ma_lua_livebytes(state);
  if (live < state->collect.low) follow(L, state, live);
  else if (__builtin_expect(live >= state->collect.at, 0) && !collector_stopped(L)) collect(L, state, live);
  if (__builtin_expect(__atomic_load_n(&ma_nwatch, __ATOMIC_RELAXED), 0)) dispatch(L);
}

void ma_lua_hasten(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  bool on_gpu = state->device && !ma_is_host(state->device);
  state->deferral.made = 0;
  if (on_gpu && !collector_stopped(L) && lua_gc(L, LUA_GCCOUNT, 0) < HEAP_LARGE) take_step(L, 0);
}

static ma_pool_stats host_pool(void) {
  ma_pool_stats stats = { .used_bytes = 0 };
  if (ma_device_cpu()->pool) ma_pool_statistics(ma_device_cpu()->pool, &stats);
  return stats;
}

/* Free blocks of the pool have pages already. If there are none, new arrays may take half of what the last collection
** left, and at least two arrays of this size. */
void ma_lua_accounthost(lua_State *L, int64_t nbytes) {
  ma_lua *state = ma_lua_state(L);
  if (nbytes < HOST_LARGE || !share_of_gpu(state) || collector_stopped(L)) return;
  ma_pool_stats host = host_pool();
  if ((int64_t)host.used_bytes < state->collect.host) state->collect.host = (int64_t)host.used_bytes;
  int64_t room = state->collect.host / 2, heap = lua_gc(L, LUA_GCCOUNT, 0) * 1024 * HOST_HEAP;
  if (room < heap) room = heap;
  if (room < 2 * nbytes) room = 2 * nbytes;
  if ((int64_t)host.free_bytes >= nbytes || (int64_t)host.used_bytes + nbytes <= state->collect.host + room) return;
  collect_all(L, state, ma_lua_livebytes(state));
  state->collect.host = (int64_t)host_pool().used_bytes;
}

/* ==== Memory that ran out ========================================================================================= */

/* A trace that LuaJIT compiled keeps arrays that it took for constants, even if they are dead. False if nothing is
** compiled. */
static bool flush_traces(lua_State *L) {
  int top = lua_gettop(L);
  bool flushed = false;
  luaL_checkstack(L, 4, "to flush traces");
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  if (lua_istable(L, -1)) lua_getfield(L, -1, "jit");
  if (lua_istable(L, -1)) {
    lua_pushliteral(L, "flush");
    lua_rawget(L, -2);
  }
  if (lua_iscfunction(L, -1)) flushed = lua_pcall(L, 0, 0, 0) == 0;
  lua_settop(L, top);
  return flushed;
}

/* Drops data that is kept only to make later calls faster: the values in the core's table `copies`. */
static void drop_copies(lua_State *L) {
  int top = lua_gettop(L);
  luaL_checkstack(L, 5, "to drop copies");
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->core);
  lua_pushliteral(L, "copies");
  lua_rawget(L, -2);
  if (lua_istable(L, -1))
    for (lua_pushnil(L); lua_next(L, -2);) {
      lua_pop(L, 1);
      lua_pushvalue(L, -1);
      lua_pushnil(L);
      lua_rawset(L, -4);
    }
  lua_settop(L, top);
}

void ma_lua_collectall(lua_State *L) {
  bool stopped = collector_stopped(L);
  collect_fully(L);
  if (stopped) lua_gc(L, LUA_GCSTOP, 0);
}

static void collect_and_trim(lua_State *L) {
  drop_copies(L);
  ma_lua_collectall(L);
  ma_pool_free_device(ma_device_cpu());
  ma_device *device = ma_lua_state(L)->device;
  if (device && device != ma_device_cpu()) ma_pool_free_device(device);
}

/* Compiling traces again takes time, so they are flushed only if a collection was not enough. */
bool ma_lua_retry(lua_State *L, ma_status status, int *tries) {
  if (status != MA_ERR_MEMORY || *tries == 2) return false;
  if ((*tries)++ == 1 && !flush_traces(L)) return false;
  collect_and_trim(L);
  return true;
}
