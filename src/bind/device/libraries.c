/* libraries.c: core.libraries, the libraries that are opened at run time, for show_config. */
#include "bind/bind.h"

#include "backend/libraries.h"

static void put(lua_State *L, const char *key, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

/* (gpu?) -> a list of {title, path, version} or {title, why}. */
static int core_libraries(lua_State *L) {
  bool (*look)(int, ma_library_look *) = ma_backend_find(lua_toboolean(L, 1) ? "cuda" : "cpu")->info.library;
  ma_library_look *found = lua_newuserdata(L, sizeof *found);
  lua_newtable(L);
  for (int k = 0; look(k, found); k++) {
    lua_newtable(L);
    put(L, "title", found->title);
    put(L, found->found ? "path" : "why", found->found ? found->path : found->why);
    if (found->found) put(L, "version", found->version);
    lua_rawseti(L, -2, k + 1);
  }
  return 1;
}

static const ma_function libraries_functions[] = {
  { "core.libraries(gpu?)", core_libraries, NULL },
  { NULL, NULL, NULL },
};

void ma_open_libraries(lua_State *L) { ma_lua_register(L, libraries_functions); }
