/* libraries.c: core.libraries, the libraries that are opened at run time, for show_config. */
#include "bind/bind.h"

#include "backend/libraries.h"
#include "distributed/mpi.h"

#include <stdio.h>
#include <string.h>

static void put(lua_State *L, const char *key, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

/* MPI, behind the libraries of the CPU. */
static void look_at_mpi(ma_library_look *look) {
  memset(look, 0, sizeof *look);
  look->title = "MPI";
  look->found = ma_mpi_need() == MA_OK;
  snprintf(look->path, sizeof look->path, "%s", ma_mpi.file);
  snprintf(look->version, sizeof look->version, "%s", ma_mpi.version);
  if (!look->found) snprintf(look->why, sizeof look->why, "%s", ma_message());
}

static void add(lua_State *L, int place, const ma_library_look *found) {
  lua_newtable(L);
  put(L, "title", found->title);
  put(L, found->found ? "path" : "why", found->found ? found->path : found->why);
  if (found->found) put(L, "version", found->version);
  lua_rawseti(L, -2, place);
}

/* (gpu?) -> a list of {title, path, version} or {title, why}. */
static int core_libraries(lua_State *L) {
  bool gpu = lua_toboolean(L, 1);
  bool (*look)(int, ma_library_look *) = ma_backend_find(gpu ? "cuda" : "cpu")->info.library;
  ma_library_look *found = lua_newuserdata(L, sizeof *found);
  int k = 0;
  lua_newtable(L);
  for (; look(k, found); k++) add(L, k + 1, found);
  if (gpu) return 1;
  look_at_mpi(found);
  add(L, k + 1, found);
  return 1;
}

static const ma_function libraries_functions[] = {
  { "core.libraries(gpu?)", core_libraries, NULL },
  { NULL, NULL, NULL },
};

void ma_open_libraries(lua_State *L) { ma_lua_register(L, libraries_functions); }
