/*
** distributed.c: several processes, for lua/moonarray/distributed. The first argument of most functions is the name for
** errors. A group is its number, the world's 0.
*/
#include "bind/bind.h"

#include "distributed/distributed.h"
#include "memory/graph.h"

#include <stdio.h>
#include <string.h>

static ma_group *group_of(lua_State *L, int index) {
  ma_group *group = ma_group_at((int)luaL_checkinteger(L, index));
  if (!group) ma_lua_failas(L, lua_tostring(L, 1), "a group that does not exist; call ma.distributed.init() first");
  return group;
}

static void check_world(lua_State *L) {
  if (ma_world_check() != MA_OK) ma_lua_failas(L, lua_tostring(L, 1), ma_message());
}

/* (name, limit) */
static int distributed_open(lua_State *L) {
  MA_LUA_TRYAS(L, ma_world_open(luaL_checknumber(L, 2)));
  return 0;
}

static int distributed_close(lua_State *L) {
  MA_LUA_TRYAS(L, ma_world_close());
  return 0;
}

/* -> whether the world is open, rank on this host, ranks on this host, MPI's version and file or nil */
static int distributed_world(lua_State *L) {
  const ma_world *w = &ma_the_world;
  lua_pushboolean(L, w->open);
  lua_pushinteger(L, w->local_rank);
  lua_pushinteger(L, w->local_size);
  if (!w->has_mpi) return 3;
  lua_pushstring(L, ma_mpi.version);
  lua_pushstring(L, ma_mpi.file);
  return 5;
}

/* (name, group) -> rank, size, ranks of the world */
static int distributed_group(lua_State *L) {
  const ma_group *group = group_of(L, 2);
  lua_pushinteger(L, group->rank);
  lua_pushinteger(L, group->size);
  lua_createtable(L, group->size, 0);
  for (int r = 0; r < group->size; r++) {
    lua_pushinteger(L, group->member[r]);
    lua_rawseti(L, -2, r + 1);
  }
  return 3;
}

/* (name, group, color, key, limit) -> the group's number, or nil */
static int distributed_split(lua_State *L) {
  int index = -1;
  check_world(L);
  ma_group *group = group_of(L, 2);
  int color = (int)luaL_checkinteger(L, 3), key = (int)luaL_checkinteger(L, 4);
  double limit = luaL_checknumber(L, 5);
  if (ma_group_split(group, color, key, limit, &index) != MA_OK) ma_lua_failas(L, lua_tostring(L, 1), ma_message());
  if (index < 0) return 0;
  lua_pushinteger(L, index);
  return 1;
}

/* (name, group, limit) */
static int distributed_drop(lua_State *L) {
  check_world(L);
  group_of(L, 2);
  if (ma_group_close((int)lua_tointeger(L, 2), luaL_checknumber(L, 3)) != MA_OK)
    ma_lua_failas(L, lua_tostring(L, 1), ma_message());
  return 0;
}

/* (name, group, limit) -> nothing, or why arrays of the current device cannot move by a library of their own */
static int distributed_join(lua_State *L) {
  check_world(L);
  ma_group *group = group_of(L, 2);
  if (ma_group_join(group, ma_lua_device(L), luaL_checknumber(L, 3)) != MA_OK)
    ma_lua_failas(L, lua_tostring(L, 1), ma_message());
  if (group->comm) return 0;
  lua_pushstring(L, group->why);
  return 1;
}

/* (name, ids) -> numbers of groups */
static int distributed_local(lua_State *L) {
  ma_device *devices[MA_MAX_GPUS];
  int n = (int)lua_objlen(L, 2), indices[MA_MAX_GPUS];
  if (n < 1 || n > MA_MAX_GPUS) ma_lua_failas(L, lua_tostring(L, 1), "too many GPUs");
  for (int k = 0; k < n; k++) {
    char name[16];
    lua_rawgeti(L, 2, k + 1);
    snprintf(name, sizeof name, "cuda:%d", (int)lua_tointeger(L, -1));
    lua_pop(L, 1);
    MA_LUA_TRYAS(L, ma_device_get(name, &devices[k]));
  }
  MA_LUA_TRYAS(L, ma_group_local(devices, n, indices));
  ma_lua_room(L, n);
  for (int k = 0; k < n; k++) lua_pushinteger(L, indices[k]);
  return n;
}

/* (name, begin): of the GPU's library */
static int distributed_bracket(lua_State *L) {
  ma_device *device;
  MA_LUA_TRYAS(L, ma_device_get("cuda", &device));
  MA_LUA_TRYAS(L, device->backend->comm.bracket(lua_toboolean(L, 2)));
  return 0;
}

/* (name, group, text, limit) -> the texts of all members, all of one length */
static int distributed_share(lua_State *L) {
  size_t n;
  check_world(L);
  ma_group *group = group_of(L, 2);
  const char *text = luaL_checklstring(L, 3, &n);
  double limit = luaL_checknumber(L, 4);
  char *all = lua_newuserdata(L, n * (size_t)group->size + 1);
  if (ma_group_share(group, lua_tostring(L, 1), text, n, all, limit) != MA_OK)
    ma_lua_failas(L, lua_tostring(L, 1), ma_message());
  lua_createtable(L, group->size, 0);
  for (int r = 0; r < group->size; r++) {
    lua_pushlstring(L, all + n * (size_t)r, n);
    lua_rawseti(L, -2, r + 1);
  }
  return 1;
}

/* ==== Calls ====================================================================================================== */

typedef struct work_object {
  uint64_t magic;
  ma_work work;
} work_object;

static void release(void *of) { ma_work_free(&((work_object *)of)->work); }

static const ma_class work_class = { .name = "distributed",
                                     .word = "work",
                                     .title = "moonarray work",
                                     .magic = 0x6d61776f726b6f62u,
                                     .size = sizeof(work_object),
                                     .release = release };

static ma_work *work_of(lua_State *L, int index) {
  work_object *object = ma_lua_toclass(L, index, &work_class);
  if (!object) ma_lua_failas(L, lua_tostring(L, 1), "a work that does not exist");
  return &object->work;
}

static const int64_t *parts_of(lua_State *L, int index, const ma_group *group) {
  if (lua_isnil(L, index)) return NULL;
  int64_t *parts = lua_newuserdata(L, (size_t)group->size * sizeof *parts);
  for (int r = 0; r < group->size; r++) {
    lua_rawgeti(L, index, r + 1);
    parts[r] = (int64_t)lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  return parts;
}

/* Puts the memory of the arrays into the call, in order on `stream`; NULL: the host, which waits for what GPUs still do
** on the arrays. */
static void memory_of(lua_State *L, const ma_array *from, ma_array *to, ma_stream *stream, ma_collective *call) {
  if (from) {
    MA_LUA_TRYAS(L, ma_array_read(from, stream, &call->from));
    call->nfrom = from->size;
    call->dtype = (ma_dtype)from->dtype;
  }
  if (to) {
    MA_LUA_TRYAS(L, ma_array_write(to, stream, &call->to));
    call->nto = to->size;
    call->dtype = (ma_dtype)to->dtype;
  }
}

/* (name, group, kind, op or nil, from or nil, to or nil, root, source, tag, from_parts, to_parts, limit) in slots 1 to
** 12 */
static void call_of(lua_State *L, const ma_group *group, ma_collective *call) {
  *call = (ma_collective){ .dtype = MA_UINT8, .rank = group->rank, .size = group->size };
  if (!ma_collective_find(luaL_checkstring(L, 3), &call->kind)) luaL_argerror(L, 3, "no such call");
  if (!lua_isnil(L, 4) && !ma_merge_find(luaL_checkstring(L, 4), &call->merge)) luaL_argerror(L, 4, "no such op");
  call->root = (int)luaL_checkinteger(L, 7);
  call->source = (int)luaL_checkinteger(L, 8);
  call->tag = (int)luaL_checkinteger(L, 9);
  call->limit = luaL_checknumber(L, 12);
  call->name = lua_tostring(L, 1);
  call->from_parts = parts_of(L, 10, group);
  call->to_parts = parts_of(L, 11, group);
}

/* Queues a call on the current stream of the arrays' device. */
static void run_on_device(lua_State *L, ma_group *group, ma_array *from, ma_array *to, ma_collective *call) {
  ma_device *device = ma_array_device(to ? to : from);
  ma_stream *stream = ma_lua_stream_of(L, device);
  char why[500];
  if (!group->comm) snprintf(why, sizeof why, "an array of %s, and no library for it: %s", device->name, group->why);
  else
    snprintf(why, sizeof why, "an array of %s; wanted one of %s, the device of this rank", device->name,
             group->device->name);
  if (!group->comm || device != group->device) ma_lua_failas(L, call->name, why);
  memory_of(L, from, to, stream, call);
  if (call->kind != MA_COLLECTIVE_send && call->kind != MA_COLLECTIVE_recv && call->kind != MA_COLLECTIVE_sendrecv)
    group->ncall++;
  MA_LUA_TRYAS(L, device->backend->comm.run(group->comm, stream, call));
}

/* (as call_of) -> the work, or nothing for arrays of a device, whose stream has the call */
static int distributed_begin(lua_State *L) {
  ma_collective call;
  check_world(L);
  ma_group *group = group_of(L, 2);
  ma_array *from = ma_lua_optarray(L, 5), *to = ma_lua_optarray(L, 6);
  const ma_array *any = to ? to : from;
  call_of(L, group, &call);
  if (any && !ma_is_host(ma_array_device(any))) {
    run_on_device(L, group, from, to, &call);
    return 0;
  }
  if (any && ma_capture_refuse_work(ma_lua_streamfor(L, any), "a call of MPI") != MA_OK)
    ma_lua_failas(L, call.name, ma_message());
  memory_of(L, from, to, NULL, &call);
  ma_work *work = &((work_object *)ma_lua_newobject(L, &work_class))->work;
  work->done = true;
  if (ma_work_begin(group, &call, from ? from->buffer : NULL, to ? to->buffer : NULL, work) != MA_OK)
    ma_lua_failas(L, call.name, ma_message());
  return 1;
}

/* (name, work) */
static int distributed_wait(lua_State *L) {
  if (ma_work_wait(work_of(L, 2)) != MA_OK) ma_lua_failas(L, lua_tostring(L, 1), ma_message());
  return 0;
}

/* (name, work) -> whether it is done */
static int distributed_done(lua_State *L) {
  bool done = false;
  if (ma_work_test(work_of(L, 2), &done) != MA_OK) ma_lua_failas(L, lua_tostring(L, 1), ma_message());
  lua_pushboolean(L, done);
  return 1;
}

/* -> "user.lua:12: " */
static int distributed_where(lua_State *L) {
  ma_lua_where(L);
  return 1;
}

static const ma_function functions[] = {
  { "core.distributed_open(name, limit)", distributed_open, NULL },
  { "core.distributed_close(name)", distributed_close, NULL },
  { "core.distributed_world()", distributed_world, NULL },
  { "core.distributed_group(name, group)", distributed_group, NULL },
  { "core.distributed_split(name, group, color, key, limit)", distributed_split, NULL },
  { "core.distributed_drop(name, group, limit)", distributed_drop, NULL },
  { "core.distributed_join(name, group, limit)", distributed_join, NULL },
  { "core.distributed_local(name, ids)", distributed_local, NULL },
  { "core.distributed_bracket(name, begin)", distributed_bracket, NULL },
  { "core.distributed_share(name, group, text, limit)", distributed_share, NULL },
  { "core.distributed_begin(name, group, kind, op?, from?, to?, root?, source?, tag?, from_parts?, to_parts?, limit?)",
    distributed_begin, NULL },
  { "core.distributed_wait(name, work)", distributed_wait, NULL },
  { "core.distributed_done(name, work)", distributed_done, NULL },
  { "core.distributed_where()", distributed_where, NULL },
  { NULL, NULL, NULL },
};

void ma_open_distributed(lua_State *L) { ma_lua_register(L, functions); }
