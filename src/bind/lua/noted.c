/* noted.c: the calls of the program on a timeline (timeline/timeline.h): what it calls with which arrays, and where.
** Calls that the library makes itself are part of these. */
#include "bind/lua/noted.h"

#include <string.h>

#define MOST_ARRAYS 3

/* Finds who called: false if that is the library itself, as a part of another call. Behind `return f(x)` Lua knows no
** caller, so a call in no other one is the program's in any case. */
static bool is_programs(lua_State *L, const ma_lua *state, lua_Debug *frame) {
  for (int level = 1; level <= MA_NEAR_FRAMES && lua_getstack(L, level, frame); level++) {
    if (!lua_getinfo(L, "Sl", frame) || frame->currentline <= 0) continue;
    if (!ma_lua_isown(state, frame->source)) return true;
    break;
  }
  if (ma_caller_now.name) return false;
  if (!ma_lua_userframe(L, frame, MA_NEAR_FRAMES)) frame->currentline = 0;
  return true;
}

static char *put_number(char *at, int64_t n) {
  char digit[24];
  int k = 0;
  do digit[k++] = (char)('0' + n % 10);
  while (n /= 10);
  while (k) *at++ = digit[--k];
  return at;
}

/* Writes "float32 (64, 64), int64 (3,)" of the first arrays among the arguments, without the time that printf takes. */
static void print_arrays(lua_State *L, char *at) {
  int shown = 0;
  for (int k = 1, n = lua_gettop(L); k <= n && shown < MOST_ARRAYS; k++) {
    const ma_array *a = ma_lua_toarray(L, k);
    if (!a) continue;
    if (shown++) *at++ = ',', *at++ = ' ';
    at = stpcpy(at, ma_dtypes[a->dtype].name);
    *at++ = ' ', *at++ = '(';
    for (int d = 0; d < a->ndim; d++) {
      if (d) *at++ = ',', *at++ = ' ';
      at = put_number(at, a->shape[d]);
    }
    if (a->ndim == 1) *at++ = ',';
    *at++ = ')';
  }
  *at = 0;
}

int ma_lua_noted(lua_State *L, lua_CFunction call, const char *name) {
  const ma_lua *state = ma_lua_state(L);
  const ma_signature *signature = name ? NULL : lua_touserdata(L, lua_upvalueindex(2));
  char arrays[MOST_ARRAYS * (MA_MAX_NDIM * 22 + 24)];
  lua_Debug frame;
  if (signature && !signature->hidden) name = signature->name;
  if (!name || state->enters || !is_programs(L, state, &frame)) return call(L);
  const char *place = frame.currentline > 0 ? frame.short_src : NULL;
  print_arrays(L, arrays);
  ma_caller before = ma_caller_now;
  ma_caller caller = ma_caller_now = ma_timeline_caller(name, place, frame.currentline);
  int64_t began = ma_nanoseconds();
  int n = call(L); /* an error leaves no span; the next call sets the caller again */
  ma_caller_now = caller;
  ma_timeline_note(&(ma_timespan){ .kind = MA_TRACK_CALL,
                                   .name = caller.name,
                                   .arrays = arrays,
                                   .place = caller.place,
                                   .line = frame.currentline,
                                   .began = began,
                                   .ended = ma_nanoseconds() });
  ma_caller_now = before;
  return n;
}
