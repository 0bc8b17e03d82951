/* launch.c: converts arguments from Lua to the types that a kernel's source declares. An argument that does not fit
** raises an error that shows the declaration. A correct call allocates nothing and compares no names. */
#include "compile/prepare.h"
#include "bind/device/texture.h"
#include "bind/kernel/kernel.h"

#include <math.h>
#include <string.h>

typedef union slot {
  void *pointer;
  char bytes[16];
} slot;

/* The call that an argument is converted for. */
typedef struct call {
  const ma_kernel *kernel;
  const ma_kernel_signature *signature;
  ma_stream *stream;
  int number; /* 1-based number of the argument */
} call;

/* ---- Errors ---- */

static const char *push_signature(lua_State *L, const ma_kernel_signature *signature) {
  char text[2048];
  return lua_pushstring(L, ma_kernel_signature_print(signature, text, sizeof text)), lua_tostring(L, -1);
}

/* "argument 3 (const float *y) is a float64 array (4); wanted float32; my_add(...)" */
MA_RAISES static void fail_text(lua_State *L, const call *c, const char *found, const char *wanted) {
  const ma_kernel_param *p = &c->signature->param[c->number - 1];
  const char *shown = *p->text ? lua_pushfstring(L, " (%s)", p->text) : "";
  const char *signature = push_signature(L, c->signature);
  ma_lua_failas(L, NULL,
                lua_pushfstring(L, "argument %d%s is %s; wanted %s; %s", c->number, shown, found, wanted, signature));
}

MA_RAISES static void fail(lua_State *L, const call *c, int index, const char *wanted) {
  fail_text(L, c, ma_lua_describe(L, index), wanted);
}

/* ---- Values ---- */

static const char *wanted_value(lua_State *L, const ma_kernel_param *p) {
  if (p->pointer)
    return p->any || p->dtype == MA_NDTYPE ? "an array" : lua_pushfstring(L, "a %s array", ma_dtypes[p->dtype].name);
  if (p->dtype == MA_NDTYPE && p->size)
    return lua_pushfstring(
      L, "a value of a known type and of %d bytes, as ma.float32(v) makes it, a struct, or a string of those bytes",
      (int)p->size);
  if (p->dtype == MA_NDTYPE) return "a value of a known type, as ma.float32(v) makes it";
  if (p->dtype == MA_BOOL) return "a boolean";
  switch (ma_dtypes[p->dtype].kind) {
  case MA_KIND_SIGNED: return lua_pushfstring(L, "a whole number that fits %s", ma_dtypes[p->dtype].name);
  case MA_KIND_UNSIGNED: return lua_pushfstring(L, "a whole number from 0 on that fits %s", ma_dtypes[p->dtype].name);
  case MA_KIND_FLOAT: return "a number";
  default: return "a number or a complex number";
  }
}

/* ma.int32(5): must have exactly the declared type, or the right size if the type is unknown. */
static void put_typed(lua_State *L, const call *c, int index, const ma_array *array, slot *to) {
  const ma_kernel_param *p = &c->signature->param[c->number - 1];
  bool loose = p->dtype == MA_NDTYPE, pointer = loose && p->size == sizeof(void *) && array->ndim > 0;
  if (pointer && ma_array_device(array) == c->kernel->device && ma_array_is_contiguous(array) && !array->readonly) {
    MA_LUA_TRY(L, ma_array_write((ma_array *)array, c->stream, &to->pointer));
    return;
  }
  if (array->ndim || (loose ? p->size && p->size != ma_dtypes[array->dtype].itemsize : p->dtype != array->dtype))
    fail(L, c, index, wanted_value(L, p));
  ma_value value;
  MA_LUA_TRY(L, ma_array_item(array, ma_lua_streamfor(L, array), &value));
  ma_value_store(to->bytes, array->dtype, value);
}

static bool converts(ma_value value, ma_dtype from, ma_weak weak, ma_dtype to, ma_value *result) {
  ma_kind kind = ma_dtypes[to].kind;
  bool whole = kind == MA_KIND_SIGNED || kind == MA_KIND_UNSIGNED;
  if (from == MA_BOOL || to == MA_BOOL) {
    *result = value;
    return from == to;
  }
  if (weak == MA_WEAK_COMPLEX && kind != MA_KIND_COMPLEX) return false;
  if (weak == MA_WEAK_FLOAT && whole) { /* a whole number here is -0 or is beyond int64 */
    bool wide = to == MA_UINT64 && value.c.re >= 0x1p63 && value.c.re < 0x1p64;
    memset(result, 0, sizeof *result);
    if (wide) result->u = (uint64_t)value.c.re;
    return wide || value.c.re == 0;
  }
  return ma_value_weak(value, weak, to, result) == MA_OK;
}

/* A texture or surface object goes where a number of 64 bits is wanted. */
static bool put_texture(lua_State *L, const call *c, int index, slot *to) {
  const ma_kernel_param *p = &c->signature->param[c->number - 1];
  const ma_texture_object *object = ma_lua_totexture(L, index);
  uint64_t number;
  if (!object) return false;
  bool fits = p->dtype == MA_UINT64 || (p->dtype == MA_NDTYPE && (!p->size || p->size == sizeof number));
  if (!fits) fail(L, c, index, wanted_value(L, p));
  if (object->buffer->device != c->kernel->device)
    fail_text(L, c, lua_pushfstring(L, "%s on %s", ma_lua_describe(L, index), object->buffer->device->name),
              lua_pushfstring(L, "one on %s, where the kernel runs", c->kernel->device->name));
  MA_LUA_TRY(L, ma_texture_use(object, c->stream, &number));
  memcpy(to->bytes, &number, sizeof number);
  return true;
}

static void put_scalar(lua_State *L, const call *c, int index, slot *to) {
  const ma_kernel_param *p = &c->signature->param[c->number - 1];
  const ma_array *array = ma_lua_toarray(L, index);
  ma_value value, result;
  ma_dtype from;
  ma_weak weak;
  if (array) {
    ma_lua_checkarray(L, index);
    put_typed(L, c, index, array, to);
    return;
  }
  if (lua_type(L, index) == LUA_TUSERDATA && put_texture(L, c, index, to)) return;
  if (p->dtype == MA_NDTYPE && p->size && p->size <= sizeof *to && lua_type(L, index) == LUA_TSTRING &&
      lua_objlen(L, index) == p->size) {
    memcpy(to->bytes, lua_tostring(L, index), p->size);
    return;
  }
  if (p->dtype == MA_NDTYPE || !ma_lua_tovalue(L, index, &value, &from, &weak) ||
      !converts(value, from, weak, (ma_dtype)p->dtype, &result))
    fail(L, c, index, wanted_value(L, p));
  ma_value_store(to->bytes, (ma_dtype)p->dtype, result);
}

/* Puts the bytes of LuaJIT's struct in its place at `index`; false: it is another value. */
static bool take_struct(lua_State *L, const call *c, int index) {
  const ma_kernel_param *p = &c->signature->param[c->number - 1];
  if (!ma_lua_tostructs(L, index)) return false;
  size_t n = lua_objlen(L, index);
  if (n != p->size) fail_text(L, c, lua_pushfstring(L, "a struct of %d bytes", (int)n), wanted_value(L, p));
  return true;
}

/* A short path for numbers of the most frequent types; false: use the general one. */
static inline bool put_number(const ma_kernel_param *p, double number, slot *to) {
  if (p->pointer) return false;
  if (p->dtype == MA_INT32 && number == (double)(int32_t)number) {
    int32_t v = (int32_t)number;
    memcpy(to, &v, 4);
    return true;
  }
  if (p->dtype == MA_FLOAT32) {
    float v = (float)number;
    memcpy(to, &v, 4);
    return true;
  }
  if (p->dtype == MA_FLOAT64) {
    memcpy(to, &number, 8);
    return true;
  }
  return false;
}

/* ---- Arrays ---- */

static void check_array(lua_State *L, const call *c, int index, const ma_kernel_param *p, const ma_array *array) {
  bool same = p->any || p->dtype == array->dtype || (p->dtype == MA_UINT8 && array->dtype == MA_BOOL);
  if (!same) fail(L, c, index, lua_pushfstring(L, "a %s array", ma_dtypes[p->dtype].name));
  ma_device *device = ma_array_device(array);
  if (!ma_device_reaches(c->kernel->device, device))
    fail_text(L, c, lua_pushfstring(L, "%s on %s", ma_lua_describe(L, index), device->name),
              lua_pushfstring(L, "one on %s, where the kernel runs: x:to('%s')", c->kernel->device->name,
                              c->kernel->device->name));
  if (!c->signature->strided && !ma_array_is_contiguous(array))
    fail_text(L, c, lua_pushfstring(L, "%s whose elements are not contiguous", ma_lua_describe(L, index)),
              "a contiguous one, as x:copy() makes it");
  if (array->readonly && !p->is_const)
    fail_text(L, c, lua_pushfstring(L, "%s that is read-only", ma_lua_describe(L, index)),
              "one that can be written, or a const parameter");
}

static inline void put_array(lua_State *L, const call *c, int index, const ma_kernel_param *p, slot *to) {
  const ma_array *array = ma_lua_toarray(L, index);
  if (!array) fail(L, c, index, wanted_value(L, p));
  ma_lua_checkarray(L, index);
  bool plain = (p->any || p->dtype == array->dtype) && ma_array_device(array) == c->kernel->device &&
               (p->is_const || !array->readonly);
  if (!plain || !(c->signature->strided || ma_array_is_contiguous(array))) check_array(L, c, index, p, array);
  const void *from;
  if (p->is_const) {
    MA_LUA_TRY(L, ma_array_read(array, c->stream, &from));
    to->pointer = (void *)(uintptr_t)from;
  } else MA_LUA_TRY(L, ma_array_write((ma_array *)array, c->stream, &to->pointer));
}

/* ---- The launch ---- */

static int fail_extents(lua_State *L, const char *what, const char *found) {
  return ma_lua_fail(L, "%s is %s; wanted a number or a table of 1 to 3, each from 1 on", what, found);
}

static void take_extents(lua_State *L, int index, const char *what, const uint32_t *most, uint32_t *extent) {
  int n = 1;
  bool table = lua_type(L, index) == LUA_TTABLE;
  if (table) n = (int)lua_objlen(L, index);
  if (n < 1 || n > 3) fail_extents(L, what, lua_pushfstring(L, "a table of %d", n));
  extent[0] = extent[1] = extent[2] = 1;
  for (int i = 0; i < n; i++) {
    if (table) lua_rawgeti(L, index, i + 1);
    else lua_pushvalue(L, index);
    if (lua_type(L, -1) != LUA_TNUMBER) fail_extents(L, what, ma_lua_describe(L, -1));
    double number = lua_tonumber(L, -1);
    if (!(number >= 1) || number != floor(number)) fail_extents(L, what, ma_lua_describe(L, -1));
    if (number > most[i]) ma_lua_fail(L, "%s %.0f along axis %d; at most %u", what, number, i + 1, most[i]);
    extent[i] = (uint32_t)number;
    lua_pop(L, 1);
  }
}

static void take_shape(lua_State *L, const ma_kernel *kernel, int grid, int block, ma_launch *launch) {
  static const uint32_t most_blocks[3] = { 0x7fffffff, 65535, 65535 }, most_threads[3] = { 1024, 1024, 64 };
  take_extents(L, grid, "the grid", most_blocks, launch->grid);
  take_extents(L, block, "the block", most_threads, launch->block);
  uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2],
           most = (uint32_t)kernel->max_threads_per_block;
  if (most && threads > most)
    ma_lua_fail(L, "a block of %u threads; %s takes at most %u on %s", threads, kernel->name, most,
                kernel->device->name);
  if (launch->shared > (uint32_t)kernel->max_dynamic_shared_size_bytes)
    ma_lua_fail(L, "shared_mem is %u bytes; at most %d, unless the kernel's max_dynamic_shared_size_bytes is set",
                launch->shared, kernel->max_dynamic_shared_size_bytes);
}

static void fail_count(lua_State *L, const ma_kernel_signature *signature, int n) {
  int wanted = signature->nparam;
  ma_lua_failas(
    L, NULL,
    lua_pushfstring(L, "%d argument%s; wanted %d: %s", n, n == 1 ? "" : "s", wanted, push_signature(L, signature)));
}

void ma_lua_launch(lua_State *L, const ma_kernel *kernel, const ma_kernel_signature *signature, bool cooperative,
                   int grid, int block, int arguments, uint32_t shared, ma_stream *stream) {
  slot slots[MA_MAX_KERNEL_PARAMS];
  ma_launch launch;
  call c = { kernel, signature, stream, 0 };
  int n = signature->nparam;
  if (n < 0)
    ma_lua_fail(L, "the parameters of %s are not to be found in its source; declare it as __global__ void %s(...)",
                signature->name, signature->name);
  if (lua_type(L, arguments) != LUA_TTABLE) ma_lua_fail(L, "args is %s; wanted a table", ma_lua_describe(L, arguments));
  launch.shared = shared;
  launch.cooperative = cooperative;
  launch.nargument = n;
  take_shape(L, kernel, grid, block, &launch);
  ma_lua_room(L, 8 + n);
  int top = lua_gettop(L);
  for (int i = 0; i < n; i++) {
    const ma_kernel_param *p = &signature->param[i];
    lua_rawgeti(L, arguments, i + 1);
    c.number = i + 1;
    launch.argument[i] = &slots[i];
    int type = lua_type(L, top + 1);
    if (type == LUA_TNUMBER && put_number(p, lua_tonumber(L, top + 1), &slots[i])) {
      lua_pop(L, 1);
      continue;
    }
    if (type == LUA_TNIL && (int)lua_objlen(L, arguments) == i) fail_count(L, signature, i);
    if (type == LUA_TNIL) fail(L, &c, top + 1, wanted_value(L, p));
    bool structure = type == MA_LUA_TCDATA && !p->pointer && p->dtype == MA_NDTYPE && p->size &&
                     take_struct(L, &c, top + 1);
    if (type == LUA_TUSERDATA && p->pointer) ma_lua_tostructs(L, top + 1); /* which keep their bytes themselves */
    if (p->pointer) put_array(L, &c, top + 1, p, &slots[i]);
    else if (p->size > sizeof(slot)) { /* a struct: its bytes, which the table or the stack keeps alive */
      if (lua_type(L, top + 1) != LUA_TSTRING || lua_objlen(L, top + 1) != p->size)
        fail(L, &c, top + 1, wanted_value(L, p));
      launch.argument[i] = (void *)(uintptr_t)lua_tostring(L, top + 1);
    } else put_scalar(L, &c, top + 1, &slots[i]);
    if (structure) top++;
    lua_settop(L, top);
  }
  if ((int)lua_objlen(L, arguments) > n) fail_count(L, signature, (int)lua_objlen(L, arguments));
  if (ma_prepares_kernel()) ma_lua_check(L, ma_prepare_end(MA_OK));
  ma_lua_check(L, kernel->device->backend->module.launch(stream, kernel, &launch));
}
