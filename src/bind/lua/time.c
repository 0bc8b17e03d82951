/* time.c: the clock, and sleep. */
//# devices
#include "bind/bind.h"

#include <errno.h>
#include <time.h>

#define MOST_SECONDS 1e9

static int time_now(lua_State *L) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  lua_pushnumber(L, (double)now.tv_sec + (double)now.tv_nsec * 1e-9);
  return 1;
}

/* A signal whose handler sets a hook, as the interpreter's does on Ctrl-C, ends the sleep, so that the hook is called.
** Other signals do not shorten it. */
static int time_sleep(lua_State *L) {
  double seconds = lua_tonumber(L, 1);
  if (lua_type(L, 1) != LUA_TNUMBER || !(seconds >= 0 && seconds <= MOST_SECONDS))
    return ma_lua_fail(L, "seconds is %s; wanted a number from 0 to 1e9", ma_lua_describe(L, 1));
  lua_Hook hook = lua_gethook(L);
  struct timespec left = { .tv_sec = (time_t)seconds };
  left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
  while (nanosleep(&left, &left) != 0 && errno == EINTR && lua_gethook(L) == hook) {}
  return 0;
}

static const ma_function functions[] = {
  //> time: ma.time() <= ma.time()
  { "time() -> number", time_now,
    "Seconds of a clock that only goes forwards, from a start that differs from process to process: for the time "
    "between two calls." },
  //> sleep: local start = ma.time()
  //>   ma.sleep(0.01)
  //>   return ma.time() - start >= 0.01
  { "sleep(seconds: number)", time_sleep,
    "Waits that many seconds, or a little longer, without using the processor. Work on a GPU goes on." },
  { NULL, NULL, NULL }
};

void ma_open_time(lua_State *L) { ma_lua_register(L, functions); }
