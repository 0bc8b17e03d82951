/*
** own.c: the library's own Lua files. The file that is loaded first says which folder they are in. Positions of errors
** skip chunks of that folder. Parts that are loaded later come from that folder too, even if the program has left the
** folder that a relative package.path starts from, or has changed package.path.
*/
#include "bind/bind.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "moonarray."
#define LONGEST 4096 /* bytes of a path */

/* On Windows a name may have both separators: require puts `\\` for the dots of a module. */
bool ma_lua_isown(const ma_lua *state, const char *source) {
  const char *own = state->own_prefix;
  if (!*own) return false;
  if (!strncmp(source, own, strlen(own))) return true;
  for (; *own; own++, source++)
    if (*own != *source && (!strchr("/\\", *own) || !*source || !strchr("/\\", *source))) return false;
  return true;
}

/* ==== Loading ===================================================================================================== */

/* Leaves the contents of an open file on the stack. */
static void push_contents(lua_State *L, FILE *file) {
  luaL_Buffer buffer;
  size_t n;
  luaL_buffinit(L, &buffer);
  while ((n = fread(luaL_prepbuffer(&buffer), 1, LUAL_BUFFERSIZE, file)) > 0) luaL_addsize(&buffer, n);
  fclose(file);
  luaL_pushresult(&buffer);
}

/* A searcher of package.loaders. Upvalues: (1) the folder, with a separator at its end, (2) its chunk names' prefix. A
** chunk is named as it would be if package.path had led to it. */
static int find_part(lua_State *L) {
  static const char *const endings[] = { ".lua", "/init.lua" };
  const char *name = luaL_checkstring(L, 1);
  const char *folder = lua_tostring(L, lua_upvalueindex(1)), *prefix = lua_tostring(L, lua_upvalueindex(2));
  char path[LONGEST], chunk[LONGEST];
  if (strncmp(name, LIBRARY, strlen(LIBRARY)) != 0) return 0;
  const char *inside = luaL_gsub(L, name + strlen(LIBRARY), ".", "/");
  for (int k = 0; k < 2; k++) {
    size_t n = (size_t)snprintf(path, sizeof path, "%s%s%s", folder, inside, endings[k]);
    FILE *file = n < sizeof path ? fopen(path, "rbe") : NULL;
    if (!file) continue;
    push_contents(L, file);
    snprintf(chunk, sizeof chunk, "%s%s%s", prefix, inside, endings[k]);
    if (luaL_loadbuffer(L, lua_tostring(L, -1), lua_objlen(L, -1), chunk) != 0)
      return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", name, path, lua_tostring(L, -1));
    return 1;
  }
  return 0;
}

/* Puts the function on top of the stack behind that of package.preload, or in place of an earlier load's. */
static void place_searcher(lua_State *L) {
  static const char key;
  int searcher = lua_gettop(L), at = 0;
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  lua_getfield(L, -1, "package");
  if (!lua_istable(L, -1)) return;
  lua_getfield(L, -1, "loaders");
  if (!lua_istable(L, -1)) return;
  int loaders = lua_gettop(L), n = (int)lua_objlen(L, loaders);
  lua_pushlightuserdata(L, (void *)&key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  for (int k = 1; k <= n && !at && !lua_isnil(L, -1); k++) {
    lua_rawgeti(L, loaders, k);
    if (lua_rawequal(L, -1, -2)) at = k;
    lua_pop(L, 1);
  }
  if (!at) {
    at = n < 1 ? 1 : 2;
    for (int k = n; k >= at; k--) {
      lua_rawgeti(L, loaders, k);
      lua_rawseti(L, loaders, k + 1);
    }
  }
  lua_pushvalue(L, searcher);
  lua_rawseti(L, loaders, at);
  lua_pushlightuserdata(L, (void *)&key);
  lua_pushvalue(L, searcher);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

/* ==== The folder ================================================================================================== */

static bool is_absolute(const char *path) { return *path == '/' || *path == '\\' || (*path && path[1] == ':'); }

/* LÖVE finds files by itself, in archives too, whatever the current folder is. */
static bool is_in_love(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  lua_getfield(L, -1, "love");
  bool found = !lua_isnil(L, -1);
  lua_pop(L, 2);
  return found;
}

int ma_lua_own(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  lua_Debug frame;
  char here[LONGEST];
  if (!lua_getstack(L, 1, &frame) || !lua_getinfo(L, "S", &frame)) return 0;
  const char *end = strrchr(frame.source, '/'), *other = strrchr(frame.source, '\\');
  if (other > end) end = other;
  size_t n = end ? (size_t)(end - frame.source) + 1 : 0;
  if (n >= sizeof state->own_prefix) return 0;
  memcpy(state->own_prefix, frame.source, n);
  state->own_prefix[n] = 0;
  if (*frame.source != '@' || n < 2 || is_in_love(L)) return 0;
  const char *folder = state->own_prefix + 1;
  if (is_absolute(folder)) {
    lua_pushstring(L, folder);
  } else {
    if (!getcwd(here, sizeof here)) return 0;
    lua_pushfstring(L, "%s/%s", here, folder);
  }
  lua_pushstring(L, state->own_prefix);
  lua_pushcclosure(L, find_part, 2);
  place_searcher(L);
  return 0;
}
