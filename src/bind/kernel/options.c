/* options.c: reads compiler options from Lua: a string, or a table of strings. */
#include "bind/kernel/kernel.h"
#include "kernel/params.h"

#include <string.h>

static const char *check_option(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TSTRING)
    ma_lua_fail(L, "options has %s; wanted strings such as '-DN=3'", ma_lua_describe(L, index));
  const char *option = lua_tostring(L, index);
  if (strlen(option) != lua_objlen(L, index)) ma_lua_fail(L, "an option has a zero byte; wanted text");
  return option;
}

const char *ma_lua_body_options(lua_State *L, int index, const char *preamble) {
  const char *option[MA_MAX_OPTIONS];
  int n = 0, top = lua_gettop(L);
  ma_ctext lines = { 0 };
  if (lua_istable(L, index)) {
    if (lua_objlen(L, index) > MA_MAX_OPTIONS)
      ma_lua_fail(L, "%d options; at most %d", (int)lua_objlen(L, index), MA_MAX_OPTIONS);
    n = (int)lua_objlen(L, index);
    ma_lua_room(L, n + 4);
    for (int i = 0; i < n; i++) { /* they stay on the stack while they are read */
      lua_rawgeti(L, index, i + 1);
      option[i] = check_option(L, -1);
    }
  } else if (lua_type(L, index) == LUA_TSTRING) option[n++] = check_option(L, index);
  else if (!lua_isnil(L, index))
    ma_lua_fail(L, "options is %s; wanted a table such as {\"-DN=3\"}", ma_lua_describe(L, index));
  ma_status status = ma_options_read(&lines, option, n, preamble);
  size_t size = lines.size;
  /* A userdata, so that an error of Lua frees the text. */
  char *copy = status == MA_OK ? lua_newuserdata(L, size + 1) : NULL;
  if (copy && size) memcpy(copy, lines.bytes, size);
  ma_ctext_free(&lines);
  ma_lua_check(L, status);
  lua_pushlstring(L, copy, size);
  lua_replace(L, index);
  lua_settop(L, top);
  return lua_tostring(L, index);
}

void ma_lua_checkderivative(lua_State *L, int index) {
  if (!lua_isnoneornil(L, index) && !lua_isfunction(L, index))
    ma_lua_fail(L, "derivative is %s; wanted a function", ma_lua_describe(L, index));
}
