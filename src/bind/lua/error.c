/* error.c: the wording and position of errors: "user.lua:12: moonarray.sum: what was found; what was wanted", with
** the position of the first frame that is neither C nor the library's. */
#include "base/number.h"
#include "bind/bind.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

bool ma_lua_userframe(lua_State *L, lua_Debug *frame, int most) {
  const ma_lua *state = ma_lua_state(L);
  for (int level = 1; level <= most && lua_getstack(L, level, frame); level++)
    if (lua_getinfo(L, "Sl", frame) && frame->currentline > 0 && !ma_lua_isown(state, frame->source)) return true;
  return false;
}

bool ma_lua_ownframe(lua_State *L, int level) {
  lua_Debug frame;
  return lua_getstack(L, level, &frame) && lua_getinfo(L, "S", &frame) && ma_lua_isown(ma_lua_state(L), frame.source);
}

void ma_lua_where(lua_State *L) {
  lua_Debug frame;
  if (ma_lua_userframe(L, &frame, INT_MAX)) lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
  else lua_pushliteral(L, "");
}

static const ma_signature *running_signature(lua_State *L) {
  const ma_signature *own = lua_touserdata(L, lua_upvalueindex(2));
  return own ? own : ma_lua_state(L)->running;
}

/* The signature of the function at `index` if the Lua layer made it or it calls the layer, else NULL. */
static const ma_signature *layered(lua_State *L, int index) {
  if (!lua_iscfunction(L, index) || !lua_getupvalue(L, index, 1)) return NULL;
  const ma_signature *signature = NULL;
  bool ours = lua_touserdata(L, -1) == ma_lua_state(L);
  lua_pop(L, 1);
  if (ours && lua_getupvalue(L, index, 2)) {
    signature = lua_touserdata(L, -1);
    lua_pop(L, 1);
  }
  return signature && signature->layered ? signature : NULL;
}

/* The signature of the Lua layer's function that the user called, if one is running: errors inside it carry its
** name. */
static const ma_signature *called_signature(lua_State *L) {
  const ma_lua *state = ma_lua_state(L);
  const ma_signature *called = NULL;
  lua_Debug frame;
  for (int level = 1; lua_getstack(L, level, &frame) && lua_getinfo(L, "Slf", &frame); level++) {
    bool users = frame.currentline > 0 && !ma_lua_isown(state, frame.source);
    const ma_signature *signature = users ? NULL : layered(L, -1);
    lua_pop(L, 1);
    if (users) break;
    if (signature) called = signature;
  }
  return called;
}

/* Functions in that folder run the program's own text. */
#define RULES "element"

static bool is_libraries(const ma_lua *state, const lua_Debug *frame) {
  return ma_lua_isown(state, frame->source) &&
         strncmp(frame->source + strlen(state->own_prefix), RULES, strlen(RULES)) != 0;
}

bool ma_lua_isprograms(lua_State *L, const char *name) {
  bool called = false;
  lua_Debug frame;
  for (int level = 1; level <= 3 && lua_getstack(L, level, &frame) && lua_getinfo(L, "Sf", &frame); level++) {
    const ma_signature *signature = layered(L, -1);
    lua_pop(L, 1);
    if (called) return !signature && (*frame.what == 'C' || !is_libraries(ma_lua_state(L), &frame));
    called = signature && !strcmp(signature->name, name);
  }
  return called;
}

const char *ma_lua_running(lua_State *L) {
  const ma_signature *called = called_signature(L);
  if (!called) called = running_signature(L);
  return called ? called->name : NULL;
}

int ma_lua_failas(lua_State *L, const char *name, const char *text) {
  const ma_signature *called = called_signature(L);
  if (called) name = called->name;
  else if (!name) name = ma_lua_running(L);
  ma_lua_where(L);
  if (name) lua_pushfstring(L, "moonarray.%s: %s", name, text);
  else lua_pushfstring(L, "moonarray: %s", text);
  lua_concat(L, 2);
  lua_error(L);
  __builtin_unreachable();
}

int ma_lua_fail(lua_State *L, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  ma_vprint(text, sizeof text, format, arguments);
  va_end(arguments);
  ma_lua_failas(L, NULL, text);
}

static void raise_fault(lua_State *L, const ma_fault *fault) {
  char found[100], wanted[80], text[260];
  ma_fault_print(fault, found, sizeof found, wanted, sizeof wanted);
  snprintf(text, sizeof text, "%s, found while the device worked; wanted %s", found, wanted);
  ma_lua_failas(L, fault->function[0] ? fault->function : NULL, text);
}

void ma_lua_checkfault(lua_State *L, ma_stream *stream) {
  ma_fault fault = { .set = false };
  ma_lua_check(L, stream->device->backend->fault.take(stream, ma_lua_state(L)->owner, &fault));
  if (ma_lua_pushhook(L, MA_HOOK_WAITED)) lua_call(L, 0, 0);
  if (fault.set) raise_fault(L, &fault);
}

void ma_lua_wait(lua_State *L, ma_stream *stream) {
  ma_lua_check(L, stream->device->backend->stream.synchronize(stream));
  ma_lua_checkfault(L, stream);
}

void ma_lua_room(lua_State *L, int n) {
  if (!lua_checkstack(L, n))
    ma_lua_fail(L, "%d values for the stack of Lua, which is full; a call takes some 7900 values, or tables of them",
                n);
}

/* ==== Descriptions of values ====================================================================================== */

#define DESCRIPTION 160
/* Two buffers, because a message may describe two values. */
static char *next_text(void) {
  static _Thread_local char text[2][DESCRIPTION];
  static _Thread_local int turn;
  return text[turn ^= 1];
}

static const char *describe_array(const ma_array *array, char *text) {
  char shape[96];
  const char *by = ma_lua_freedby(array);
  if (by) snprintf(text, DESCRIPTION, "a freed array (freed %s)", by);
  if (!array->buffer) return by ? text : "a freed array";
  snprintf(text, DESCRIPTION, "a %s array %s", ma_dtypes[array->dtype].name,
           ma_shape_print(array->ndim, array->shape, shape, sizeof shape));
  return text;
}

static const char *describe_string(lua_State *L, int index, char *text) {
  size_t n;
  const char *s = lua_tolstring(L, index, &n);
  int shown = n > 40 ? 40 : (int)n;
  snprintf(text, DESCRIPTION, "the string '%.*s%s'", shown, s, shown < (int)n ? "..." : "");
  return text;
}

/* The metatables of the library's userdata have a name. */
static const char *describe_userdata(lua_State *L, int index, char *text) {
  snprintf(text, DESCRIPTION, "a userdata");
  if (luaL_getmetafield(L, index, "__metatable")) {
    if (lua_type(L, -1) == LUA_TSTRING) snprintf(text, DESCRIPTION, "a %s", lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  return text;
}

/* What has a name of its own, such as the vectors of code for one element, by it. */
static const char *describe_table(lua_State *L, int index, char *text) {
  const char *name = luaL_getmetafield(L, index, "__name") ? lua_tostring(L, -1) : NULL;
  snprintf(text, DESCRIPTION, "a %s", name ? name : lua_typename(L, lua_type(L, index)));
  if (name) lua_pop(L, 1);
  return text;
}

const char *ma_lua_describe(lua_State *L, int index) {
  char *text = next_text();
  const ma_array *array = ma_lua_toarray(L, index);
  ma_c128 z;
  if (array) return describe_array(array, text);
  if (ma_lua_tocomplex(L, index, &z)) return "a complex number";
  if (ma_lua_istraced(L, index)) return "a value of a fused function";
  switch (lua_type(L, index)) {
  case LUA_TNONE: return "nothing";
  case LUA_TNIL: return "nil";
  case LUA_TBOOLEAN: return lua_toboolean(L, index) ? "a boolean (true)" : "a boolean (false)";
  case LUA_TNUMBER:
    ma_print(text, DESCRIPTION, "the number %.14g", isnan(lua_tonumber(L, index)) ? NAN : lua_tonumber(L, index));
    return text;
  case LUA_TSTRING: return describe_string(L, index, text);
  case MA_LUA_TCDATA: return "a cdata";
  case LUA_TUSERDATA: return describe_userdata(L, index, text);
  case LUA_TTABLE: return describe_table(L, index, text);
  default: snprintf(text, DESCRIPTION, "a %s", lua_typename(L, lua_type(L, index))); return text;
  }
}

const char *ma_lua_argname(lua_State *L, int index) {
  const ma_signature *signature = running_signature(L);
  if (!signature || index < 1 || index > signature->nargs) return "an argument";
  return signature->arg[index - 1];
}

bool ma_lua_iscallable(lua_State *L, int index) {
  if (lua_isfunction(L, index)) return true;
  if (!luaL_getmetafield(L, index, "__call")) return false;
  lua_pop(L, 1);
  if (ma_lua_ismodule(L, index)) return false;
  if (lua_type(L, index) == MA_LUA_TCDATA) { /* every cdata has it: "cdata<int (*)(int)>: 0x1234", and 5LL */
    if (!luaL_callmeta(L, index, "__tostring")) return false;
    const char *text = lua_tostring(L, -1);
    bool function = text && !strncmp(text, "cdata<", 6) && strstr(text, " (") && !strstr(text, "NULL");
    lua_pop(L, 1);
    return function;
  }
  return !ma_lua_toarray(L, index) && !ma_lua_isshape(L, index);
}
