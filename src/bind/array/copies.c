/* copies.c: copies of arrays: in an order, of another dtype, on another device, on the host. */
//# create
#include "memory/graph.h"
#include "memory/wait.h"
#include "bind/array/new.h"

#include <string.h>

static int array_copy(lua_State *L) {
  if (ma_lua_toarray(L, 2)) /* Torch's copy */
    return ma_lua_fail(L, "order is %s; wanted \"C\", \"F\", \"A\" or \"K\" (a:assign(b) copies b into a)",
                       ma_lua_describe(L, 2));
  if (ma_lua_istraced(L, 1)) return ma_lua_state(L)->standin->cast(L, MA_NDTYPE);
  const ma_array *array = ma_lua_asarray(L, 1, MA_NDTYPE);
  ma_lua_pushcopyin(L, array, array->dtype, ma_lua_checkorder(L, 2, MA_ORDER_C, "CFAK"));
  return 1;
}

static bool casting_allows(lua_State *L, int index, ma_dtype from, ma_dtype to) {
  const char *casting = lua_isnil(L, index) ? "unsafe" : lua_tostring(L, index);
  if (casting && !strcmp(casting, "unsafe")) return true;
  if (casting && !strcmp(casting, "same_kind")) return ma_dtype_can_cast(from, to, true);
  if (casting && !strcmp(casting, "safe")) return ma_dtype_can_cast(from, to, false);
  if (casting && (!strcmp(casting, "no") || !strcmp(casting, "equiv"))) return from == to;
  ma_lua_fail(L, "casting is %s; wanted 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'", ma_lua_describe(L, index));
  return false;
}

static int array_astype(lua_State *L) {
  if (ma_lua_istraced(L, 1) && lua_isnil(L, 4) && lua_isnil(L, 6))
    return ma_lua_state(L)->standin->cast(L, ma_lua_checkdtype(L, 2, MA_NDTYPE));
  const ma_array *array = ma_lua_checkarray(L, 1);
  ma_dtype dtype = ma_lua_checkdtype(L, 2, array->dtype);
  if (!casting_allows(L, 4, array->dtype, dtype))
    return ma_lua_fail(L, "dtype %s; casting = '%s' does not allow %s", ma_dtypes[array->dtype].name,
                       lua_tostring(L, 4), ma_dtypes[dtype].name);
  ma_order order = ma_lua_checkorder(L, 5, MA_ORDER_K, "CFAK");
  bool fits = dtype == array->dtype && ma_array_in_order(array, order);
  if (fits && !ma_lua_optbool(L, 3, true)) lua_pushvalue(L, 1);
  else ma_lua_pushcopyin(L, array, dtype, order);
  if (lua_isnil(L, 6)) return 1;
  ma_device *device = ma_lua_optdevice(L, 6);
  const ma_array *cast = ma_lua_toarray(L, -1);
  if (ma_array_device(cast) != device) ma_lua_pushon(L, cast, device);
  return 1;
}

static int array_to(lua_State *L) {
  const ma_array *array = ma_lua_checkarray(L, 1);
  ma_device *device = ma_lua_optdevice(L, 2);
  if (device == ma_array_device(array)) lua_pushvalue(L, 1);
  else ma_lua_pushon(L, array, device);
  return 1;
}

/* A copy of `from` for the host, whatever its device, on a stream of that: a new array in an order, or `out`, whose
** order is its own. Fails while the stream records a graph. Slots: a, stream?, order?, out?. */
static int copy_to_host(lua_State *L, const ma_array *from) {
  enum { A = 1, STREAM, ORDER, OUT };
  ma_device *device = ma_array_device(from), *cpu = ma_device_cpu();
  ma_stream *stream = ma_lua_optstream_of(L, STREAM, device);
  ma_order order = ma_lua_checkorder(L, ORDER, MA_ORDER_C, "CFA");
  ma_array *to = lua_isnil(L, OUT) ? NULL : ma_lua_checkarray(L, OUT);
  if (to && (ma_array_device(to) != cpu || !ma_array_has_shape(to, from->ndim, from->shape)))
    return ma_lua_fail(L, "out is %s; wanted an array of that shape on the CPU", ma_lua_describe(L, OUT));
  ma_lua_check(L, ma_capture_refuse(stream));
  ma_lua_check(L, ma_wait_check_array(from));
  if (to) {
    MA_LUA_TRY(L, ma_array_assign(to, from, stream));
    lua_pushvalue(L, OUT);
    return 1;
  }
  ma_lua_accounthost(L, from->size * ma_dtypes[from->dtype].itemsize);
  to = ma_lua_pushnewin(L, cpu, (ma_dtype)from->dtype, from->ndim, from->shape, order, from);
  MA_LUA_TRY(L, ma_array_assign(to, from, stream));
  if (device != cpu) ma_lua_checkfault(L, stream);
  to->buffer->for_host = true;
  return 1;
}

static int array_get(lua_State *L) { return copy_to_host(L, ma_lua_checkarray(L, 1)); }

static int array_asnumpy(lua_State *L) { return copy_to_host(L, ma_lua_asarray_on(L, 1, MA_NDTYPE, ma_device_cpu())); }

static const ma_function functions[] = {
  //> :copy: ma.range(1, 3):copy()
  { ":copy(a: data, order?: string) -> array", array_copy,
    "A new array of the same elements on its device, by rows; order \"F\": by columns, \"A\" or \"K\": as it lies." },
  //# dtypes
  //> astype(ma.array {1.7, 2.2}, "int32")
  { "astype(a: data, dtype: dtype; copy?: boolean, casting?: string, order?: string, device?: string) -> array",
    array_astype,
    "A copy cast to a dtype that lies as the array does, or in an order, on its device or another; with copy = false "
    "the array itself if it has all of them." },
  //# devices
  //> to(ma.array {1, 2}, "cpu")
  { "to(a: data, device: string) -> array", array_to, "The array on a device: itself if it is there, else a copy." },
  //> get: ma.ones(2):get()
  { "get(a: data, stream?: stream, order?: string, out?: array) -> array", array_get,
    "A copy on the CPU, made on a stream of the array's device: by rows, with order \"F\" by columns, with \"A\" so if "
    "the array lies so; into an array of the CPU with out, whatever the order." },
  //> asnumpy({1, 2})
  { "asnumpy(a: data, stream?: stream, order?: string, out?: array) -> array", array_asnumpy,
    "The same as a:get(...), also of a number or a nested table." },
  { NULL, NULL, NULL }
};

void ma_open_copies(lua_State *L) { ma_lua_register(L, functions); }
