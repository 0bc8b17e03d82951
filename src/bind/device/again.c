/*
** again.c: calls of Lua where a GPU has no kernel for them and nothing can compile it. The call fails with what is
** lacking, and is made again on the CPU: with copies of its arrays, and the CPU as the current device. Copies that were
** written go back to where they came from, and new arrays of the CPU among the results go to the GPU.
**
** Only closures of the library's own come here, by MA_LUA_DOOR: in a process without NVRTC, and while a function is
** differentiated, whose calls kernel/record.c records.
*/
#include "bind/bind.h"
#include "bind/lua/tag.h"
#include "memory/graph.h"
#include "run/substitute.h"

#include <string.h>

#define DEEPEST 4 /* tables in tables */

/* One call that is made again. Lists of Lua are in these slots, behind the arguments. */
typedef struct again {
  ma_lua *state;
  int narg, error, lists; /* slots: lists[1..n]: arrays of the GPU, [-1..-n]: their copies; [array] = its counterpart */
  int n;
  ma_device *device;
  ma_stream *stream;
  ma_copies copies;
  uint32_t *writes; /* of each part's copy, before the call */
} again;

/* ==== Arrays among the arguments ================================================================================= */

static bool is_plain(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE) return false;
  if (!lua_getmetatable(L, index)) return true;
  lua_pop(L, 1);
  return false;
}

/* Notes an array of the GPU, once. Those of another GPU than the first are left. */
static void note_array(lua_State *L, again *g, int index, const ma_array *array) {
  if (!array->buffer || ma_is_host(ma_array_device(array))) return;
  if (!g->device) g->device = ma_array_device(array);
  if (ma_array_device(array) != g->device) return;
  lua_pushvalue(L, index);
  lua_rawget(L, g->lists);
  bool known = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (known) return;
  lua_pushvalue(L, index);
  lua_rawseti(L, g->lists, ++g->n);
  lua_pushvalue(L, index);
  lua_pushboolean(L, true);
  lua_rawset(L, g->lists);
}

static void note_arrays(lua_State *L, again *g, int index, int depth) {
  const ma_array *array = ma_lua_toarray(L, index);
  if (array) note_array(L, g, index, array);
  else if (depth < DEEPEST && is_plain(L, index)) {
    ma_lua_room(L, 8);
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) note_arrays(L, g, lua_gettop(L), depth + 1);
  }
}

/* ==== Copies ===================================================================================================== */

static void reach_of(const ma_array *array, const char *address, const char **low, const char **high) {
  *low = address;
  *high = address + ma_dtypes[array->dtype].itemsize;
  for (int d = 0; d < array->ndim; d++) {
    int64_t far = (array->shape[d] - 1) * array->stride[d];
    *(far < 0 ? low : high) += far;
  }
}

static ma_array *array_at(lua_State *L, const again *g, int k) {
  lua_rawgeti(L, g->lists, k);
  ma_array *array = ma_lua_toarray(L, -1);
  lua_pop(L, 1); /* the list keeps it */
  return array;
}

static const char *address_of(lua_State *L, const again *g, const ma_array *array) {
  const void *address;
  MA_LUA_TRY(L, ma_array_read(array, g->stream, &address));
  return address;
}

/* Makes the CPU's memory for each part, and copies it there. Memory and lists belong to values on the stack. */
static void fetch(lua_State *L, again *g) {
  g->copies = (ma_copies){ 0, lua_newuserdata(L, ((size_t)g->n + 1) * sizeof(ma_copied)) };
  g->writes = lua_newuserdata(L, ((size_t)g->n + 1) * sizeof *g->writes);
  for (int k = 1; k <= g->n; k++) {
    const char *low, *high;
    const ma_array *array = array_at(L, g, k);
    if (!array->size) continue;
    reach_of(array, address_of(L, g, array), &low, &high);
    ma_copies_add(&g->copies, low, high, false);
  }
  ma_lua_room(L, g->copies.n + 10);
  for (int k = 0; k < g->copies.n; k++) {
    ma_copied *part = &g->copies.part[k];
    ma_array *memory = ma_lua_newkept(L);
    int64_t nbytes = part->high - part->low;
    MA_LUA_TRY(L, ma_array_new(memory, ma_device_cpu(), MA_UINT8, 1, &nbytes));
    part->host = memory->buffer;
    MA_LUA_TRY(L, ma_copied_fetch(part, g->stream));
    g->writes[k] = part->host->writes;
  }
}

/* Pushes the copy of an array: the same view of the part that its elements are in. */
static void push_copy(lua_State *L, const again *g, const ma_array *array) {
  ma_array *copy = ma_lua_newkept(L);
  if (!array->size) {
    MA_LUA_TRY(L, ma_array_new(copy, ma_device_cpu(), (ma_dtype)array->dtype, array->ndim, array->shape));
    return;
  }
  const char *address = address_of(L, g, array);
  const ma_copied *part = ma_copies_at(&g->copies, address);
  ma_array_view(copy, array);
  ma_buffer_release(copy->buffer);
  ma_buffer_retain(copy->buffer = part->host);
  copy->offset = address - part->low;
}

static void make_copies(lua_State *L, const again *g) {
  for (int k = 1; k <= g->n; k++) {
    push_copy(L, g, array_at(L, g, k));
    lua_rawgeti(L, g->lists, k);
    lua_pushvalue(L, -2);
    lua_rawset(L, g->lists); /* array -> copy */
    lua_pushvalue(L, -1);
    lua_rawgeti(L, g->lists, k);
    lua_rawset(L, g->lists); /* copy -> array */
    lua_rawseti(L, g->lists, -k);
  }
}

/* ==== Arguments and results ====================================================================================== */

/* Pushes the counterpart of an array or table that has one. */
static bool push_other(lua_State *L, const again *g, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA && lua_type(L, index) != LUA_TTABLE) return false;
  lua_pushvalue(L, index);
  lua_rawget(L, g->lists);
  if (!lua_isnil(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

static void push_argument(lua_State *L, again *g, int index, int depth) {
  const ma_device *device = ma_lua_todevice(L, index);
  if (ma_lua_toarray(L, index)) {
    if (!push_other(L, g, index)) lua_pushvalue(L, index);
  } else if (lua_type(L, index) == LUA_TSTRING
               ? !strcmp(lua_tostring(L, index), g->device->name) || !strcmp(lua_tostring(L, index), "cuda")
               : device && !ma_is_host(device)) {
    ma_lua_pushdevice(L, ma_device_cpu());
  } else if (depth < DEEPEST && is_plain(L, index)) {
    ma_lua_room(L, 8);
    lua_newtable(L);
    int to = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
      int value = lua_gettop(L);
      lua_pushvalue(L, -2);
      push_argument(L, g, value, depth + 1);
      lua_rawset(L, to);
    }
    lua_pushvalue(L, to);
    lua_pushvalue(L, index);
    lua_rawset(L, g->lists);
  } else lua_pushvalue(L, index);
}

/* Copies all bytes of an array of the CPU, whose elements lie beside each other in whatever order of axes, to one that
** gets its layout. */
static ma_status copy_layout(const again *g, ma_array *to, const ma_array *from, const char *low, size_t nbytes,
                             const char *address) {
  const ma_backend *backend = g->device->backend;
  void *at;
  MA_TRY(ma_array_write(to, g->stream, &at));
  MA_TRY(backend->memory.copy(g->stream, at, low, nbytes, MA_COPY_TO_DEVICE));
  memcpy(to->stride, from->stride, from->ndim * sizeof *from->stride);
  to->offset = address - low;
  to->readonly = from->readonly;
  return backend->stream.synchronize(g->stream);
}

/* Pushes an array of the CPU as one of the GPU. */
static void push_moved(lua_State *L, const again *g, const ma_array *array) {
  const char *low, *high;
  const void *address;
  ma_array *moved = ma_lua_newarray(L);
  size_t nbytes = (size_t)array->size * ma_dtypes[array->dtype].itemsize;
  MA_LUA_TRY(L, ma_array_new(moved, g->device, (ma_dtype)array->dtype, array->ndim, array->shape));
  if (!nbytes) return;
  MA_LUA_TRY(L, ma_array_read(array, NULL, &address));
  reach_of(array, address, &low, &high);
  if ((size_t)(high - low) == nbytes) MA_LUA_TRY(L, copy_layout(g, moved, array, low, nbytes, address));
  else MA_LUA_TRY(L, ma_array_assign(moved, array, g->stream));
}

/* Pushes what a result of the CPU is on the GPU. */
static void push_result(lua_State *L, again *g, int index, int depth) {
  const ma_array *array = ma_lua_toarray(L, index);
  if (push_other(L, g, index)) return;
  if (array && array->buffer && ma_is_host(ma_array_device(array))) {
    push_moved(L, g, array);
    return;
  }
  lua_pushvalue(L, index);
  if (array || depth >= DEEPEST || !is_plain(L, index)) return;
  ma_lua_room(L, 8);
  for (lua_pushnil(L); lua_next(L, index);) {
    int value = lua_gettop(L);
    push_result(L, g, value, depth + 1);
    lua_pushvalue(L, -3);
    lua_insert(L, -2);
    lua_rawset(L, index); /* an existing key may be set in a traversal */
    lua_pop(L, 1);
  }
}

/* Arrays of the CPU that were given stay there. */
static void keep_given(lua_State *L, const again *g) {
  for (int k = 1; k <= g->narg; k++) {
    const ma_array *array = ma_lua_toarray(L, k);
    if (!array || !array->buffer || !ma_is_host(ma_array_device(array))) continue;
    lua_pushvalue(L, k);
    lua_pushvalue(L, k);
    lua_rawset(L, g->lists);
  }
}

/* ==== What was written =========================================================================================== */

/* Programs that wait for old values of the array have them before it is written. */
static void announce(lua_State *L, const again *g, const ma_copied *part) {
  void *address;
  for (int k = 1; k <= g->n; k++) {
    ma_array *array = array_at(L, g, k);
    if (array->size && !array->readonly && ma_copies_at(&g->copies, address_of(L, g, array)) == part)
      MA_LUA_TRY(L, ma_array_write(array, g->stream, &address));
  }
}

static void write_back(lua_State *L, again *g) {
  for (int k = 0; k < g->copies.n; k++) {
    ma_copied *part = &g->copies.part[k];
    if (part->host->pending) MA_LUA_TRY(L, ma_defer_hooks.evaluate(part->host, "it is copied"));
    part->written = part->host->writes != g->writes[k];
    if (part->written) announce(L, g, part);
  }
  MA_LUA_TRY(L, ma_copies_return(&g->copies, g->stream));
}

/* ==== The call =================================================================================================== */

/* Calls the running closure with the n values on top, as if it were entered for the first time. */
static int enter(lua_State *L, ma_lua *state, int n) {
  lua_Debug frame;
  lua_getstack(L, 0, &frame);
  lua_getinfo(L, "f", &frame);
  lua_insert(L, -1 - n);
  state->enters = true;
  return lua_pcall(L, n, LUA_MULTRET, 0);
}

static ma_dtype dtype_of(lua_State *L, const again *g) { return g->n ? (ma_dtype)array_at(L, g, 1)->dtype : MA_NDTYPE; }

static void look_at(lua_State *L, again *g) {
  lua_newtable(L);
  g->lists = lua_gettop(L);
  for (int k = 1; k <= g->narg; k++) note_arrays(L, g, k, 0);
  if (!g->device) g->device = ma_lua_device(L);
  g->stream = ma_lua_stream_of(L, g->device);
}

/* Slots 1 to narg have the arguments, the next one the error. */
static int call_on_cpu(lua_State *L, again *g) {
  look_at(L, g);
  if (ma_is_host(g->device)) {
    lua_pushvalue(L, g->error);
    return lua_error(L);
  }
  if (ma_substitute_begin(g->stream, ma_lua_running(L), dtype_of(L, g)) != MA_OK)
    return ma_lua_failas(L, NULL, ma_message());
  fetch(L, g);
  make_copies(L, g);
  keep_given(L, g);
  ma_lua_room(L, 2 * g->narg + 20);
  for (int k = 1; k <= g->narg; k++) push_argument(L, g, k, 0);
  ma_device *device = g->state->device;
  g->state->device = ma_device_cpu();
  int base = lua_gettop(L) - g->narg, failed = enter(L, g->state, g->narg);
  g->state->device = device;
  if (failed) return lua_error(L);
  int top = lua_gettop(L), nresult = top - base;
  ma_lua_room(L, nresult + 10);
  write_back(L, g);
  for (int k = 1; k <= nresult; k++) push_result(L, g, base + k, 0);
  return nresult;
}

static bool has_array(lua_State *L, int n) {
  bool has = false;
  for (int k = 1; k <= n && !has; k++) has = ma_lua_toarray(L, k) != NULL;
  return has;
}

/* Calls the running closure, and where a GPU lacks a kernel for it, calls it again on the CPU. */
static int call_again(lua_State *L, ma_lua *state, int n) {
  ma_lua_room(L, 2 * n + 20);
  for (int k = 1; k <= n; k++) lua_pushvalue(L, k);
  ma_lack_forget();
  if (!enter(L, state, n)) return lua_gettop(L) - n;
  if (!ma_lacked()) return lua_error(L);
  again g = { .state = state, .narg = n, .error = n + 1 };
  return call_on_cpu(L, &g);
}

int ma_lua_door(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  int n = lua_gettop(L);
  if (state->enters) {
    state->enters = false;
    return -1;
  }
  int nresult = state->tracing ? state->standin->record(L) : -1;
  if (nresult >= 0) return nresult;
  /* what stands for elements has no memory; a function that is differentiated runs over arrays */
  if (!ma_gpu_is_bare() || (nresult == -2 && !has_array(L, n))) return -1;
  return call_again(L, state, n);
}
