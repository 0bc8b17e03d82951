/* elements.c: elements of arrays as Lua values, one at a time or in nested tables. */
//# indexing
#include "memory/wait.h"
#include "base/number.h"
#include "bind/bind.h"

/* An element that is to be printed. Without FFI, an integer that no double holds is pushed as its digits. */
static void push_shown(lua_State *L, ma_value value, ma_dtype dtype) {
  char text[24];
  ma_kind kind = ma_dtypes[dtype].kind;
  bool is_unsigned = kind == MA_KIND_UNSIGNED, whole = is_unsigned || kind == MA_KIND_SIGNED;
  ma_lua_pushvalue(L, value, dtype);
  if (!whole || ma_lua_isexact(value.u, is_unsigned) || lua_type(L, -1) != LUA_TNUMBER) return;
  lua_pop(L, 1);
  if (is_unsigned) ma_print(text, sizeof text, "%llu", (unsigned long long)value.u);
  else ma_print(text, sizeof text, "%lld", (long long)value.i);
  lua_pushstring(L, text);
}

typedef void push_function(lua_State *L, ma_value value, ma_dtype dtype);

static void push_item(lua_State *L, const ma_array *array, push_function *push) {
  ma_value value;
  ma_stream *stream = ma_lua_streamfor(L, array);
  MA_LUA_TRY(L, ma_array_item(array, stream, &value));
  ma_lua_checkfault(L, stream);
  push(L, value, array->dtype);
}

/* item(a, b, c): several elements; the first copy waits for all work. */
static int elements_item(lua_State *L) {
  int top = lua_gettop(L);
  for (int i = 1; i <= top; i++)
    if (ma_lua_arenumbers(L, i, i)) lua_pushvalue(L, i);
    else if (i == 1 || !lua_isnil(L, i)) push_item(L, ma_lua_checkarray(L, i), ma_lua_pushvalue);
  return lua_gettop(L) - top;
}

/* Pushes elements of the CPU array, from `memory` on, along axis `axis` and the axes behind it, as a table. */
static void push_table(lua_State *L, const ma_array *array, int axis, const char *memory, push_function *push) {
  int64_t n = array->shape[axis], step = array->stride[axis];
  bool last = axis + 1 == array->ndim;
  if (n > INT32_MAX) ma_lua_fail(L, "%lld elements along an axis; a table takes 2^31 - 1", (long long)n);
  lua_createtable(L, (int)n, 0);
  for (int64_t i = 0; i < n; i++, memory += step) {
    if (!last) push_table(L, array, axis + 1, memory, push);
    else if (push == ma_lua_pushelement) push(L, ma_value_load(memory, array->dtype), array->dtype);
    else if (array->dtype == MA_FLOAT64) ma_lua_pushfloat(L, *(const double *)(const void *)memory);
    else if (array->dtype == MA_FLOAT32) ma_lua_pushfloat(L, *(const float *)(const void *)memory);
    else push(L, ma_value_load(memory, array->dtype), array->dtype);
    lua_rawseti(L, -2, (int)i + 1);
  }
}

/* Makes one copy on the host and waits for it; a CPU array is read in place. */
ma_array *ma_lua_pushonhost(lua_State *L, const ma_array *array, const void **memory) {
  ma_stream *stream = ma_lua_streamfor(L, array);
  ma_lua_check(L, ma_wait_check_array(array));
  ma_array *host = ma_lua_newarray(L);
  if (ma_array_device(array) == ma_device_cpu()) ma_array_view(host, array);
  else MA_LUA_TRY(L, ma_array_to(host, array, ma_device_cpu(), stream));
  ma_lua_wait(L, stream);
  MA_LUA_TRY(L, ma_array_read(host, NULL, memory));
  return host;
}

static int push_all(lua_State *L, push_function *push) {
  const void *memory;
  const ma_array *array = ma_lua_asarray(L, 1, MA_NDTYPE);
  if (!array->ndim) {
    push_item(L, array, push);
    return 1;
  }
  ma_array *host = ma_lua_pushonhost(L, array, &memory);
  ma_lua_room(L, 2 * MA_MAX_NDIM);
  push_table(L, host, 0, memory, push);
  ma_array_release(host);
  return 1;
}

static int elements_totable(lua_State *L) { return push_all(L, ma_lua_pushvalue); }

/* core.shown(a): the same for printing. */
static int elements_shown(lua_State *L) { return push_all(L, push_shown); }

/* core.elements(a): the same with elements that keep their dtype, for code in its plain form. */
static int elements_elements(lua_State *L) { return push_all(L, ma_lua_pushelement); }

static const ma_function functions[] = {
  //> item: ma.array({7}):item()
  { "item(a: data, ...) -> scalar ...", elements_item,
    "The one element of an array as a Lua value; several arrays give several values with one wait. A number is given "
    "back as it is." },
  //> totable: ma.range(1, 3):totable()[2]
  { "totable(a: data) -> table", elements_totable, "The elements as nested Lua tables; of a 0-d array its value." },
  //> tolist: ma.range(1, 3):tolist()[2]
  { "tolist(a: data) -> table", elements_totable, "The elements as nested Lua tables: totable." },
  { "core.shown(a)", elements_shown, NULL },
  { "core.elements(a)", elements_elements, NULL },
  { NULL, NULL, NULL }
};

void ma_open_elements(lua_State *L) { ma_lua_register(L, functions); }
