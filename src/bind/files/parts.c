/* parts.c: files that Lua code writes: the bytes of a string, and a file that several processes write, each its part,
** and that appears when all of them have written. */
#include "bind/files/files.h"

#include <string.h>

static int write_file(lua_State *L) {
  enum { FILE_ = 1, BYTES };
  ma_lua_checkstring(L, BYTES);
  size_t nbytes;
  const char *bytes = lua_tolstring(L, BYTES, &nbytes);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  ma_output *out = ma_lua_openoutput(L, FILE_, s, NULL);
  ma_lua_closewritten(L, FILE_, s, ma_output_put(out, bytes, nbytes));
  return 0;
}

/* core.output_open(path): the output, and the name under which its parts are written. */
static int output_open(lua_State *L) {
  const char *path = ma_lua_checkpath(L, 1, NULL), *name;
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  ma_lua_check(L, ma_output_open_named(&s->output, path, &name));
  lua_pushstring(L, name);
  return 2;
}

static ma_lua_scratch *check_output(lua_State *L) {
  ma_lua_scratch *s = ma_lua_toclass(L, 1, &ma_lua_scratchclass);
  if (!s) ma_lua_fail(L, "output is %s; wanted one of core.output_open", ma_lua_describe(L, 1));
  return s;
}

static int output_close(lua_State *L) {
  ma_lua_scratch *s = check_output(L);
  if (s->output.opened) ma_lua_check(L, ma_output_close(&s->output));
  return 0;
}

static int output_abandon(lua_State *L) {
  ma_output_abandon(&check_output(L)->output);
  return 0;
}

/* core.output_part(name, at, bytes): `at` counts bytes from 0. */
static int output_part(lua_State *L) {
  const char *name = ma_lua_checkpath(L, 1, NULL);
  int64_t at = ma_lua_checkint(L, 2, "at");
  ma_lua_checkstring(L, 3);
  size_t nbytes;
  const char *bytes = lua_tolstring(L, 3, &nbytes);
  ma_lua_check(L, ma_output_put_part(name, at, bytes, nbytes));
  return 0;
}

static const ma_function functions[] = {
  { "core.write_file(file, bytes)", write_file, NULL },       { "core.output_open(path)", output_open, NULL },
  { "core.output_close(output)", output_close, NULL },        { "core.output_abandon(output)", output_abandon, NULL },
  { "core.output_part(name, at, bytes)", output_part, NULL }, { NULL, NULL, NULL },
};

void ma_open_parts(lua_State *L) { ma_lua_register(L, functions); }
