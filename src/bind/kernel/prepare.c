/* prepare.c: calls that only make ready what they need (compile/prepare.h), for lua/moonarray/frames. */
#include "bind/bind.h"
#include "compile/prepare.h"

/* core.prepare(kernel, ...): calls a kernel of any kind, up to its own work, or a function. Whether nothing is to
** be compiled any more. Raises the errors of the call, and those of a compiler. */
static int prepare(lua_State *L) {
  ma_preparation before = ma_prepare;
  ma_prepare = (ma_preparation){ .on = true, .whole = lua_isfunction(L, 1) };
  int failed = lua_pcall(L, lua_gettop(L) - 1, 0, 0);
  ma_preparation found = ma_prepare;
  ma_prepare = before;
  if (failed && !found.later && !found.ready) return lua_error(L);
  lua_pushboolean(L, !found.later);
  return 1;
}

void ma_open_prepare(lua_State *L) {
  lua_pushcfunction(L, prepare);
  ma_lua_file(L, "core.prepare");
}
