/* profile.c: core functions for measuring: NVTX marks and ranges, the profiler's switch, timelines, the width of a
** terminal. */
#include "base/nvtx.h"
#include "timeline/timeline.h"
#include "bind/bind.h"

#include <lualib.h>

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* CuPy's numbered colours. */
static const uint32_t colors[] = { 0xff00ff00, 0xff0000ff, 0xffffff00, 0xffff00ff, 0xff00ffff, 0xffff0000, 0xffffffff };
#define NCOLOR (int64_t)(sizeof colors / sizeof *colors)

static const char *check_message(lua_State *L) {
  if (!lua_isstring(L, 1)) ma_lua_fail(L, "message is %s; wanted a string", ma_lua_describe(L, 1));
  return lua_tostring(L, 1);
}

static uint32_t numbered_color(lua_State *L) {
  int64_t id = lua_isnil(L, 2) ? -1 : ma_lua_checkint(L, 2, "id_color");
  return id < 0 ? 0 : colors[id % NCOLOR];
}

static uint32_t given_color(lua_State *L) {
  int64_t color = lua_isnil(L, 2) ? 0 : ma_lua_checkint(L, 2, "color");
  if (color < 0 || color > UINT32_MAX) ma_lua_fail(L, "color is %lld; wanted 0xAARRGGBB", (long long)color);
  return (uint32_t)color;
}

/* Runs deferred work, so that it belongs to the range in which the program asked for it. */
static void settle(lua_State *L) {
  if (ma_nvtx_listens()) ma_lua_flush(L, "a range of a profiler");
}

static int mark(lua_State *L, uint32_t (*color)(lua_State *L)) {
  const char *message = check_message(L);
  settle(L);
  ma_nvtx_mark(message, color(L));
  return 0;
}

static int push_range(lua_State *L, uint32_t (*color)(lua_State *L)) {
  const char *message = check_message(L);
  settle(L);
  lua_pushinteger(L, ma_nvtx_push(message, color(L)));
  return 1;
}

static int nvtx_mark(lua_State *L) { return mark(L, numbered_color); }
static int nvtx_mark_color(lua_State *L) { return mark(L, given_color); }
static int nvtx_push(lua_State *L) { return push_range(L, numbered_color); }
static int nvtx_push_color(lua_State *L) { return push_range(L, given_color); }

static int nvtx_pop(lua_State *L) {
  settle(L);
  lua_pushinteger(L, ma_nvtx_pop());
  return 1;
}

/* A number of the profiler's, an int64 where a double cannot hold it. */
static int nvtx_start(lua_State *L) {
  const char *message = check_message(L);
  settle(L);
  ma_lua_pushvalue(L, (ma_value){ .u = ma_nvtx_start(message, numbered_color(L)) }, MA_UINT64);
  return 1;
}

static int nvtx_end(lua_State *L) {
  ma_value value;
  ma_dtype dtype;
  ma_weak weak;
  if (!ma_lua_tovalue(L, 1, &value, &dtype, &weak) || (weak != MA_WEAK_INT && dtype != MA_UINT64))
    return ma_lua_fail(L, "range is %s; wanted what RangeStart returned", ma_lua_describe(L, 1));
  settle(L);
  ma_nvtx_end(value.u);
  return 0;
}

/* core.profile(on): the switch of `nsys --capture-range=cudaProfilerApi` for the current device; does nothing on the
** CPU. */
static int profile(lua_State *L) {
  ma_device *device = ma_lua_device(L);
  if (device->backend->device.profile) ma_lua_check(L, device->backend->device.profile(device, lua_toboolean(L, 1)));
  return 0;
}

/* core.timeline_begin(): spans are noted from now on. */
static int timeline_begin(lua_State *L) {
  const ma_backend *gpu = ma_backend_find("cuda");
  if (gpu && gpu->device.timeline) gpu->device.timeline(true);
  if (ma_timeline_start() != MA_OK) return ma_lua_failas(L, "profiler.trace", ma_message());
  ma_caller_now.name = NULL; /* of a call that ended by an error */
  return 0;
}

static int push_timeline(lua_State *L) {
  const ma_ctext *text = lua_touserdata(L, 1);
  lua_pushlstring(L, text->bytes, text->size);
  return 1;
}

/* core.timeline_end(): waits for the work that is noted, and returns the timeline as JSON. */
static int timeline_end(lua_State *L) {
  ma_ctext text = { .bytes = NULL };
  const ma_backend *gpu = ma_backend_find("cuda");
  lua_settop(L, 0);
  ma_timeline_stop();
  if (gpu && gpu->device.timeline) gpu->device.timeline(false);
  lua_pushcfunction(L, push_timeline);
  lua_pushlightuserdata(L, &text);
  ma_timeline_print(&text);
  ma_timeline_free();
  int failed = text.failed || lua_pcall(L, 1, 1, 0);
  bool lacked = text.failed;
  ma_ctext_free(&text);
  if (lacked) return ma_lua_fail(L, "out of memory: no host memory for the timeline");
  return failed ? lua_error(L) : 1;
}

/* core.range_begin(): what core.range_end(began, name) wants; nil where no timeline is on. */
static int range_begin(lua_State *L) {
  int64_t began = ma_timeline_begin();
  if (!began) return 0;
  lua_pushnumber(L, (double)began);
  return 1;
}

static int range_end(lua_State *L) {
  if (!lua_isnil(L, 1)) ma_timeline_end(MA_TRACK_RANGE, (int64_t)lua_tonumber(L, 1), lua_tostring(L, 2), 0);
  return 0;
}

/* core.terminal(file?): the columns of the terminal that a file (nil: stderr) writes to, and its width in pixels, or 0
** if it does not report that. Nothing if the file is no terminal. */
static int terminal(lua_State *L) {
  FILE *file = stderr;
  if (!lua_isnil(L, 1)) {
    FILE **handle = ma_lua_toobject(L, 1, LUA_FILEHANDLE);
    file = handle ? *handle : NULL;
  }
  struct winsize size;
  if (!file || (file != stderr && !ma_lua_sharesfiles(L)) || !isatty(fileno(file))) return 0;
  bool known = ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  lua_pushinteger(L, known ? size.ws_col : 80);
  lua_pushinteger(L, known ? size.ws_xpixel : 0);
  return 2;
}

static const ma_function functions[] = {
  //> cuda.nvtx.Mark("here")
  //> = It prints nothing: a profiler such as Nsight Systems shows the mark.
  { "cuda.nvtx.Mark(message: string, id_color?: integer)", nvtx_mark,
    "A mark on a profiler's time line. Does nothing where no profiler listens." },
  //> cuda.nvtx.MarkC("here", 0xff0000)
  //> = It prints nothing: a profiler such as Nsight Systems shows the mark.
  { "cuda.nvtx.MarkC(message: string, color?: integer)", nvtx_mark_color, "The same in a colour, 0xAARRGGBB." },
  //> cuda.nvtx.RangePush cuda.nvtx.RangePop: ma.cuda.nvtx.RangePush("step")
  //>   local total = ma.ones(3):sum()
  //>   ma.cuda.nvtx.RangePop()
  //>   return total
  { "cuda.nvtx.RangePush(message: string, id_color?: integer) -> number", nvtx_push,
    "Begins a named range on a profiler's time line, within the one that is open. Returns how many were open; negative "
    "where no profiler listens." },
  //> cuda.nvtx.RangePushC: ma.cuda.nvtx.RangePushC("step", 0xff0000)
  //>   local total = ma.ones(3):sum()
  //>   ma.cuda.nvtx.RangePop()
  //>   return total
  { "cuda.nvtx.RangePushC(message: string, color?: integer) -> number", nvtx_push_color,
    "The same in a colour, 0xAARRGGBB." },
  { "cuda.nvtx.RangePop() -> number", nvtx_pop,
    "Ends the range that was begun last by this thread. Returns how many are left." },
  //> cuda.nvtx.RangeStart cuda.nvtx.RangeEnd: local range = ma.cuda.nvtx.RangeStart("step")
  //>   local total = ma.ones(3):sum()
  //>   ma.cuda.nvtx.RangeEnd(range)
  //>   return total
  { "cuda.nvtx.RangeStart(message: string, id_color?: integer) -> number", nvtx_start,
    "Begins a named range that need not nest. Returns what RangeEnd takes; 0 where no profiler listens." },
  { "cuda.nvtx.RangeEnd(range: integer)", nvtx_end, "Ends a range that RangeStart began, on any thread." },
  { "core.profile(on?)", profile, NULL },
  { "core.timeline_begin()", timeline_begin, NULL },
  { "core.timeline_end()", timeline_end, NULL },
  { "core.range_begin()", range_begin, NULL },
  { "core.range_end(began?, name?)", range_end, NULL },
  { "core.terminal(file?)", terminal, NULL },
  { NULL, NULL, NULL }
};

void ma_open_profile(lua_State *L) { ma_lua_register(L, functions); }
