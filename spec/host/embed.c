/* embed.c: a Lua module over include/moonarray.h for embed_spec.lua: what a host would do, each call by itself. */
#include <moonarray.h>

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

static const moonarray_api *ma;
static int released;

static void release(void *context) {
  released++;
  free(context);
}

static int failed(lua_State *L) {
  lua_pushnil(L);
  lua_pushstring(L, ma->message());
  return 2;
}

static void put(lua_State *L, const char *name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

static void put_extents(lua_State *L, const char *name, int n, const int64_t *extent) {
  lua_createtable(L, n, 0);
  for (int d = 0; d < n; d++) {
    lua_pushnumber(L, (double)extent[d]);
    lua_rawseti(L, -2, d + 1);
  }
  lua_setfield(L, -2, name);
}

static int device_of(const char *name) {
  return !strcmp(name, "cpu") ? MOONARRAY_CPU : !strncmp(name, "cuda", 4) ? MOONARRAY_CUDA : 7;
}

static int is_array(lua_State *L) {
  lua_pushboolean(L, ma->is_array(L, 1));
  return 1;
}

static int get(lua_State *L) {
  moonarray_tensor t;
  int top = lua_gettop(L);
  if (ma->get(L, -top, lua_toboolean(L, 2) ? MOONARRAY_WRITE : MOONARRAY_READ, &t)) return failed(L);
  if (lua_gettop(L) != top) return luaL_error(L, "get left values on the stack");
  lua_newtable(L);
  put(L, "data", (double)(uintptr_t)t.data);
  put(L, "dtype", t.dtype);
  put(L, "device", t.device);
  put(L, "device_id", t.device_id);
  put(L, "readonly", t.readonly);
  put(L, "strided", t.strided);
  put(L, "stream", (double)(uintptr_t)t.stream);
  put_extents(L, "shape", t.ndim, t.shape);
  put_extents(L, "stride", t.ndim, t.stride);
  return 1;
}

static moonarray_tensor matrix(double *data) {
  moonarray_tensor t;
  memset(&t, 0, sizeof t);
  t.data = data;
  t.dtype = MOONARRAY_FLOAT64;
  t.device = MOONARRAY_CPU;
  t.ndim = 2;
  t.shape[0] = 2;
  t.shape[1] = 3;
  return t;
}

static int push(lua_State *L) {
  double *data = malloc(6 * sizeof *data);
  if (!data) return luaL_error(L, "no memory");
  for (int k = 0; k < 6; k++) data[k] = k;
  moonarray_tensor t = matrix(data);
  if (ma->push(L, &t, release, data)) {
    free(data);
    return failed(L);
  }
  lua_pushnumber(L, (double)(uintptr_t)data);
  return 2;
}

/* Tensors that must not be taken. */
static int refuse(lua_State *L) {
  static double data[8];
  const char *what = luaL_checkstring(L, 1);
  moonarray_tensor t = matrix(data);
  if (!strcmp(what, "null")) t.data = NULL;
  if (!strcmp(what, "misaligned")) t.data = (char *)data + 4;
  if (!strcmp(what, "axes")) t.ndim = 17;
  if (!strcmp(what, "negative")) t.shape[1] = -3;
  if (!strcmp(what, "dtype")) t.dtype = 99;
  if (!strcmp(what, "device")) t.device = 7;
  if (!strcmp(what, "strides")) t.strided = 1, t.stride[0] = 24, t.stride[1] = 4;
  if (!strcmp(what, "gpu")) t.device = MOONARRAY_CUDA, t.device_id = 99;
  if (!ma->push(L, &t, release, NULL)) return 1;
  return failed(L);
}

static int create(lua_State *L) {
  moonarray_tensor t;
  memset(&t, 0, sizeof t);
  t.dtype = MOONARRAY_FLOAT32;
  t.device = device_of(luaL_checkstring(L, 1));
  t.ndim = 2;
  t.shape[0] = 5;
  t.shape[1] = 7;
  if (ma->create(L, &t)) return failed(L);
  if (lua_isnumber(L, 2)) *(float *)t.data = (float)lua_tonumber(L, 2);
  return 1;
}

static int stream(lua_State *L) {
  void *handle = NULL;
  if (ma->stream(L, device_of(luaL_checkstring(L, 1)), 0, &handle)) return failed(L);
  lua_pushnumber(L, (double)(uintptr_t)handle);
  return 1;
}

static int synchronize(lua_State *L) {
  if (ma->synchronize(L, device_of(luaL_checkstring(L, 1)), 0)) return failed(L);
  return 0;
}

static int through_dlpack(lua_State *L) {
  void *managed = NULL;
  int versioned = lua_toboolean(L, 2);
  if (!lua_isnil(L, 1) && ma->to_dlpack(L, 1, versioned, &managed)) return failed(L);
  if (ma->from_dlpack(L, managed, versioned)) return failed(L);
  return 1;
}

/* external(fd, size): the objects of a file in memory, an array of two rows over it from the fourth byte on. */
static int external(lua_State *L) {
  moonarray_external e;
  moonarray_tensor t;
  memset(&e, 0, sizeof e);
  memset(&t, 0, sizeof t);
  e.fd = (int32_t)lua_tointeger(L, 1);
  e.size = (uint64_t)lua_tonumber(L, 2);
  e.type = MOONARRAY_OPAQUE_FD;
  if (ma->external_memory(L, &e)) return failed(L);
  t.dtype = MOONARRAY_FLOAT32;
  t.ndim = 2;
  t.shape[0] = 2;
  t.shape[1] = 3;
  if (ma->external_array(L, -1, 4, &t)) return failed(L);
  e.type = MOONARRAY_TIMELINE_FD;
  if (ma->external_semaphore(L, &e)) return failed(L);
  return 3;
}

/* turn(semaphore, value): signals the value and waits for it. */
static int turn(lua_State *L) {
  uint64_t value = (uint64_t)lua_tonumber(L, 2);
  if (ma->external_signal(L, 1, value) || ma->external_wait(L, 1, value)) return failed(L);
  lua_pushboolean(L, 1);
  return 1;
}

/* Handles that must not be taken. */
static int refuse_external(lua_State *L) {
  moonarray_external e;
  memset(&e, 0, sizeof e);
  e.type = (int32_t)lua_tointeger(L, 2);
  e.size = 16;
  if (lua_toboolean(L, 1) ? ma->external_memory(L, &e) : ma->external_semaphore(L, &e)) return failed(L);
  return 1;
}

static int identity(lua_State *L) {
  moonarray_identity id;
  if (ma->identity(L, 0, &id)) return failed(L);
  lua_pushlstring(L, (const char *)id.uuid, sizeof id.uuid);
  lua_pushboolean(L, id.has_luid);
  return 2;
}

static int count(lua_State *L) {
  lua_pushinteger(L, released);
  return 1;
}

static const luaL_Reg functions[] = {
  { "is_array", is_array },
  { "get", get },
  { "push", push },
  { "refuse", refuse },
  { "create", create },
  { "stream", stream },
  { "synchronize", synchronize },
  { "through_dlpack", through_dlpack },
  { "external", external },
  { "turn", turn },
  { "refuse_external", refuse_external },
  { "identity", identity },
  { "released", count },
  { NULL, NULL },
};

int luaopen_embed(lua_State *L);
int luaopen_embed(lua_State *L) {
  ma = moonarray_get_api(L);
  if (!ma) return lua_error(L);
  lua_newtable(L);
  for (const luaL_Reg *f = functions; f->name; f++) {
    lua_pushcfunction(L, f->func);
    lua_setfield(L, -2, f->name);
  }
  return 1;
}
