/* probe.c: core functions for specs and benchmarks: failures of allocations, times on the device, empty launches,
** figures of the pool. They are not part of the library's interface. */
#include "compile/compile.h"
#include "base/inject.h"
#include "bind/bind.h"
#include "run/substitute.h"

#include <string.h>

static int64_t times_at(lua_State *L, int index) {
  return lua_isnoneornil(L, index) ? 1 : ma_lua_checkint(L, index, "times");
}

/* core.fail_allocation(n, times): makes the nth next allocation of a pool and those after it fail, `times` in all;
** 0: none. */
static int probe_fail_allocation(lua_State *L) {
  ma_pool_fail(ma_lua_checkint(L, 1, "n"), times_at(L, 2));
  return 0;
}

/* core.fail_compile(n, times): the same for compilations of kernels; a kernel from the cache does not count. */
static int probe_fail_compile(lua_State *L) {
  ma_compile_make_fail(ma_lua_checkint(L, 1, "n"), times_at(L, 2));
  return 0;
}

/* core.make_fail(what, n, times): the same for launches, copies, pinned memory, creation of streams and events,
** compilations in the background, and steps of writing a file. */
static int probe_fail(lua_State *L) {
  static const char *const kinds[] = {
    [MA_INJECT_LAUNCH] = "launch", [MA_INJECT_COPY] = "copy",     [MA_INJECT_PINNED] = "pinned",
    [MA_INJECT_QUEUE] = "queue",   [MA_INJECT_WORKER] = "worker", [MA_INJECT_FILE] = "file"
  };
  int64_t n = ma_lua_checkint(L, 2, "n"), times = times_at(L, 3);
  for (int k = 0; k < MA_NINJECT; k++) {
    if (lua_type(L, 1) != LUA_TSTRING || strcmp(lua_tostring(L, 1), kinds[k])) continue;
    ma_inject_ask((ma_inject_kind)k, n, times);
    return 0;
  }
  return ma_lua_fail(L, "what is %s; wanted 'launch', 'copy', 'pinned', 'queue', 'worker' or 'file'",
                     ma_lua_describe(L, 1));
}

/* core.time_device(fn): calls fn between two events of the current stream; returns the milliseconds between them. */
static int probe_time_device(lua_State *L) {
  ma_stream *stream = ma_lua_stream(L);
  const ma_backend *backend = stream->device->backend;
  void *start = NULL, *end = NULL;
  double milliseconds = 0;
  int raised = 0;
  ma_status status = backend->event.create(stream->device, 0, &start);
  if (status == MA_OK) status = backend->event.create(stream->device, 0, &end);
  if (status == MA_OK) status = backend->event.record(stream, start);
  if (status == MA_OK) {
    lua_pushvalue(L, 1);
    raised = lua_pcall(L, 0, 0, 0);
    if (!raised) status = ma_pending_flush("record", false);
  }
  if (status == MA_OK && !raised) status = backend->event.record(stream, end);
  if (status == MA_OK && !raised) status = backend->event.elapsed(stream->device, start, end, &milliseconds);
  if (start) backend->event.free(stream->device, start);
  if (end) backend->event.free(stream->device, end);
  if (raised) return lua_error(L);
  ma_lua_check(L, status);
  lua_pushnumber(L, milliseconds);
  return 1;
}

/* core.launch_nothing(n): makes n empty launches on the current stream. */
static int probe_launch_nothing(lua_State *L) {
  int64_t n = ma_lua_checkint(L, 1, "n");
  ma_stream *stream = ma_lua_stream(L);
  for (int64_t i = 0; i < n; i++) ma_lua_check(L, stream->device->backend->stream.nothing(stream));
  return 0;
}

/* core.pool(reset): bytes in use, bytes held, most bytes in use since the last reset, of the current device's pool. */
static int probe_pool(lua_State *L) {
  ma_pool *pool = ma_lua_device(L)->pool;
  ma_pool_stats stats;
  ma_pool_statistics(pool, &stats);
  if (lua_toboolean(L, 1)) ma_pool_reset_peak(pool);
  lua_pushnumber(L, (double)stats.used_bytes);
  lua_pushnumber(L, (double)stats.total_bytes);
  lua_pushnumber(L, (double)stats.peak_bytes);
  return 3;
}

/* core.work(): the process's launches, compiled texts, and kernels that were compiled or loaded, so far. */
static int probe_work(lua_State *L) {
  lua_pushnumber(L, (double)__atomic_load_n(&ma_launches, __ATOMIC_RELAXED));
  lua_pushnumber(L, (double)__atomic_load_n(&ma_compiles, __ATOMIC_RELAXED));
  lua_pushnumber(L, (double)__atomic_load_n(&ma_kernels, __ATOMIC_RELAXED));
  return 3;
}

/* core.stand_ins(): how often the CPU ran in the process what a GPU has no kernel for. */
static int probe_stand_ins(lua_State *L) {
  lua_pushnumber(L, (double)__atomic_load_n(&ma_stand_ins, __ATOMIC_RELAXED));
  return 1;
}

/* core.looks_at_uses(): not 0 while every use of a buffer is checked, as during a capture. */
static int probe_looks_at_uses(lua_State *L) {
  lua_pushinteger(L, __atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED));
  return 1;
}

/* core.defer_from(n): results of fewer elements are not deferred on the CPU; returns the previous limit. */
static int probe_defer_from(lua_State *L) {
  int64_t before = __atomic_exchange_n(&ma_defer_from, (int64_t)luaL_checknumber(L, 1), __ATOMIC_RELAXED);
  lua_pushnumber(L, (double)before);
  return 1;
}

/* core.long_way(on): whether operations take none of the shorter ways; returns whether they did. */
static int probe_long_way(lua_State *L) {
  lua_pushboolean(L, __atomic_exchange_n(&ma_takes_long_way, lua_toboolean(L, 1), __ATOMIC_RELAXED));
  return 1;
}

/* core.deferrals(): operators deferred; programs run; programs dropped without a run; copies of old values for pending
** readers; exchanges of memory; pending programs in the process; runs of several operations as one kernel; and
** stepwise runs because the kernel was not compiled yet (GPU). */
static int probe_deferrals(lua_State *L) {
  const int64_t figures[] = { ma_deferral_counts.recorded, ma_deferral_counts.evaluated, ma_deferral_counts.dropped,
                              ma_deferral_counts.cloned,   ma_deferral_counts.exchanged, ma_pending_live(),
                              ma_deferral_counts.fused,    ma_deferral_counts.stepped };
  for (int k = 0; k < 8; k++) lua_pushnumber(L, (double)figures[k]);
  return 8;
}

/* core.background(wait?): kernels that wait for the background thread, that it compiled, and that it could not
** compile; with `wait` it waits until none waits. */
static int probe_background(lua_State *L) {
  ma_background now = { 0, 0, 0 };
  ma_lua_device(L)->backend->map.background(lua_toboolean(L, 1), &now);
  lua_pushnumber(L, (double)now.waiting);
  lua_pushnumber(L, (double)now.compiled);
  lua_pushnumber(L, (double)now.failed);
  return 3;
}

/* core.general_forms(on): kernels that have a general form run by that alone, in the whole process. */
static int probe_general_forms(lua_State *L) {
  __atomic_store_n(&ma_compile_general, lua_toboolean(L, 1), __ATOMIC_RELAXED);
  return 0;
}

/* core.compile_at_once(on): compiles no kernel in the background, in the whole process. */
static int probe_compile_at_once(lua_State *L) {
  __atomic_store_n(&ma_compile_at_once, lua_toboolean(L, 1), __ATOMIC_RELAXED);
  return 0;
}

static const ma_function probe_functions[] = { { "core.looks_at_uses()", probe_looks_at_uses, "" },
                                               { "core.fail_allocation(n, times?)", probe_fail_allocation, "" },
                                               { "core.fail_compile(n, times?)", probe_fail_compile, "" },
                                               { "core.make_fail(what, n, times?)", probe_fail, "" },
                                               { "core.time_device(fn)", probe_time_device, "" },
                                               { "core.launch_nothing(n)", probe_launch_nothing, "" },
                                               { "core.pool(reset?)", probe_pool, "" },
                                               { "core.work()", probe_work, "" },
                                               { "core.stand_ins()", probe_stand_ins, "" },
                                               { "core.defer_from(n)", probe_defer_from, "" },
                                               { "core.long_way(on)", probe_long_way, "" },
                                               { "core.deferrals()", probe_deferrals, "" },
                                               { "core.background(wait?)", probe_background, "" },
                                               { "core.compile_at_once(on)", probe_compile_at_once, "" },
                                               { "core.general_forms(on)", probe_general_forms, "" },
                                               { NULL, NULL, NULL } };

void ma_open_probe(lua_State *L) { ma_lua_register(L, probe_functions); }
