/* device.c: device objects: the current device, and facts about devices and their memory. An array's `device` is a
** string; the objects are for `use`, `synchronize` and `mem_info`. */
#include "memory/wait.h"
#include "bind/lua/tag.h"

#include <string.h>

static const ma_class device_class;

/* Each device has one object in a Lua state, so that == works. The metatable keeps it under the device's name. */
static void push_device(lua_State *L, ma_device *device) {
  ma_lua_pushmetatable(L, &device_class);
  lua_getfield(L, -1, device->name);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    ma_lua_device_object *object = ma_lua_newobject(L, &device_class);
    object->device = device;
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, device->name);
  }
  lua_replace(L, -2);
}

static ma_device *check_device(lua_State *L) {
  return ((const ma_lua_device_object *)ma_lua_self(L, &device_class))->device;
}

/* ==== Methods of the object ====================================================================================== */

static int device_use(lua_State *L) {
  ma_device *device = check_device(L);
  if (device != ma_lua_state(L)->device) ma_lua_flush(L, "another device");
  ma_lua_use(L, device);
  lua_settop(L, 1);
  return 1;
}

/* core.use_device(device): the same, but it never fails. */
static int use_device(lua_State *L) {
  ma_lua_use(L, check_device(L));
  return 0;
}

/* Waits for all streams, then runs host functions of the current one. */
void ma_lua_waitdevice(lua_State *L, ma_device *device) {
  ma_stream *stream = ma_lua_stream_of(L, device);
  ma_lua_check(L, ma_wait_check(ma_is_host(device)));
  ma_lua_flush(L, "synchronize");
  if (!stream->capture) ma_lua_check(L, device->backend->device.synchronize(device));
  ma_lua_waitfor(L, stream);
}

static int device_synchronize(lua_State *L) {
  ma_lua_waitdevice(L, check_device(L));
  return 0;
}

static int device_mem_info(lua_State *L) {
  size_t left = 0, total = 0;
  char text[128];
  ma_device *device = check_device(L);
  ma_lua_check(L, device->backend->info.describe(device, &left, &total, text, sizeof text));
  lua_pushnumber(L, (double)left);
  lua_pushnumber(L, (double)total);
  return 2;
}

static int device_description(lua_State *L) {
  size_t left = 0, total = 0;
  char text[256] = "";
  ma_device *device = check_device(L);
  ma_lua_check(L, device->backend->info.describe(device, &left, &total, text, sizeof text));
  lua_pushstring(L, text);
  return 1;
}

static ma_device *device_of(void *object) { return ((const ma_lua_device_object *)object)->device; }

static void push_text(lua_State *L, void *object) { lua_pushfstring(L, "<Device %s>", device_of(object)->name); }

/* "90" for 9.0, as in CuPy; nil for the CPU. */
static void push_capability(lua_State *L, void *object, size_t place) {
  ma_device *device = device_of(object);
  int64_t major, minor;
  if (!ma_lua_deviceattribute(device, "ComputeCapabilityMajor", &major) ||
      !ma_lua_deviceattribute(device, "ComputeCapabilityMinor", &minor)) {
    lua_pushnil(L);
    return;
  }
  lua_pushfstring(L, "%d%d", (int)major, (int)minor);
}

static void push_pci_bus_id(lua_State *L, void *object, size_t place) {
  ma_device *device = device_of(object);
  char text[32] = "";
  if (!device->backend->info.pci_bus_id) {
    lua_pushnil(L);
    return;
  }
  ma_lua_check(L, device->backend->info.pci_bus_id(device, text, sizeof text));
  lua_pushstring(L, text);
}

/* Bytes as "01020304-0506-0708-090a-0b0c0d0e0f10", which is how tools show a UUID. */
static void push_bytes(lua_State *L, const uint8_t *bytes, int n) {
  char text[40], *to = text;
  for (int k = 0; k < n; k++)
    to += snprintf(to, 4, "%s%02x", n == 16 && k >= 4 && k <= 10 && k % 2 == 0 ? "-" : "", bytes[k]);
  lua_pushlstring(L, text, (size_t)(to - text));
}

static void push_identity(lua_State *L, void *object, size_t is_luid) {
  ma_device *device = device_of(object);
  ma_identity identity = { 0 };
  if (device->backend->info.identity) ma_lua_check(L, device->backend->info.identity(device, &identity));
  if (is_luid ? identity.has_luid : identity.has_uuid)
    push_bytes(L, is_luid ? identity.luid : identity.uuid, is_luid ? sizeof identity.luid : sizeof identity.uuid);
  else lua_pushnil(L);
}

static void push_id(lua_State *L, void *object, size_t place) { lua_pushinteger(L, device_of(object)->id); }
static void push_type(lua_State *L, void *object, size_t place) { lua_pushstring(L, device_of(object)->backend->name); }
static void push_attributes(lua_State *L, void *object, size_t place) { ma_lua_pushattributes(L, device_of(object)); }

//> = device | ma.device() | A GPU, or the CPU.
static const ma_attribute attributes[] = {
  { "name", ma_push_device, offsetof(ma_lua_device_object, device) },  //> . name: string | "cuda:0", "cpu"
  { "id", push_id, 0 },                                                //> . id: integer | its number, from 0
  { "type", push_type, 0 },                                            //> . type: string | "cuda" or "cpu"
  { "attributes", push_attributes, 0 },          //> . attributes: table | CUDA's attributes by name
  { "compute_capability", push_capability, 0 },  //> . compute_capability: string? | "90" for 9.0; nil for the CPU
  { "pci_bus_id", push_pci_bus_id, 0 },          //> . pci_bus_id: string? | its place on the bus; nil for the CPU
  { "uuid", push_identity, false },              //> . uuid: string? | its UUID, as Vulkan has it; nil for the CPU
  { "luid", push_identity, true },  //> . luid: string? | its LUID, as Direct3D has it, on Windows; else nil
  { NULL, NULL, 0 },
};
/* The Lua layer adds `with`. */
static const ma_method methods[] = {
  //> :use() -> device | Makes it the current device.
  //> device:use: device:use() == device
  { ":use(device?)", device_use },
  //> :synchronize() | Waits for all its work.
  //> device:synchronize: local event = ma.Event():record()
  //>   device:synchronize()
  //>   return event.done
  { ":synchronize(device?)", device_synchronize },
  //> :mem_info() -> integer, integer | Bytes of memory that are free, and all.
  //> device:mem_info: local free, all = device:mem_info()
  //>   return free <= all
  { ":mem_info(device?)", device_mem_info },
  //> :description() -> string | What it is, as a line of text.
  //> device:description: type(device:description())
  { ":description(device?)", device_description },
  { NULL, NULL },
};
static const ma_class device_class = { .name = "device",
                                       .word = "device",
                                       .title = "moonarray device",
                                       .magic = MA_DEVICE_MAGIC,
                                       .size = sizeof(ma_lua_device_object),
                                       .methods = methods,
                                       .attributes = attributes,
                                       .text = push_text };

/* ==== Functions ================================================================================================== */

static int device_get(lua_State *L) {
  push_device(L, ma_lua_optdevice(L, 1));
  return 1;
}

static int cuda_device(lua_State *L) {
  push_device(L, ma_lua_checkgpu(L, 1));
  return 1;
}

static int cuda_is_available(lua_State *L) {
  lua_pushboolean(L, ma_device_count("cuda") > 0);
  return 1;
}

static int cuda_device_count(lua_State *L) {
  lua_pushinteger(L, ma_device_count("cuda"));
  return 1;
}

static int device_wait(lua_State *L) {
  ma_lua_waitfor(L, ma_lua_stream(L));
  return 0;
}

/* core.forbid_waits(forbid) -> what held before, on this thread. */
static int forbid_waits(lua_State *L) {
  bool before = ma_wait_forbidden != MA_WAIT_ALLOWED;
  ma_wait_forbidden = !lua_toboolean(L, 1)           ? MA_WAIT_ALLOWED
                      : ma_is_host(ma_lua_device(L)) ? MA_WAIT_NOBODY
                                                     : MA_WAIT_NO_GPU;
  lua_pushboolean(L, before);
  return 1;
}

static int set_default_dtype(lua_State *L) {
  ma_dtype dtype = ma_lua_checkdtype(L, 1, MA_FLOAT64);
  if (ma_dtypes[dtype].kind != MA_KIND_FLOAT)
    return ma_lua_fail(L, "dtype %s; wanted a float dtype", ma_dtypes[dtype].name);
  ma_lua_pushdtype(L, ma_lua_state(L)->default_dtype);
  ma_lua_state(L)->default_dtype = dtype;
  return 1;
}

static int get_default_dtype(lua_State *L) {
  ma_lua_pushdtype(L, ma_lua_state(L)->default_dtype);
  return 1;
}

/* ==== For the Lua layer ========================================================================================== */

static void set_string(lua_State *L, const char *key, const char *value) {
  lua_pushstring(L, value);
  lua_setfield(L, -2, key);
}

static int core_live_buffers(lua_State *L) {
  lua_pushnumber(L, (double)(ma_buffer_live() + ma_pending_live()));
  lua_pushnumber(L, (double)(ma_buffer_live_bytes() + ma_pending_live() * MA_PENDING_BYTES));
  return 2;
}

/* A list of all switches: {name =, doc =, value =, default =}. */
static int core_switches(lua_State *L) {
  static const struct {
    ma_switch id;
    char type;
  } switches[] = {
#define STRING 's'
#define INT 'i'
#define BOOL 'b'
#define SECRET 'x'
#define SWITCH(id, name, type, fallback, doc) { MA_CONFIG_##id, type },
#include "base/config.def"
#undef SWITCH
#undef STRING
#undef INT
#undef BOOL
#undef SECRET
  };
  lua_newtable(L);
  for (int k = 0; k < MA_NCONFIG; k++) {
    char type = switches[k].type, number[32];
    const char *text = ma_config_string(switches[k].id);
    snprintf(number, sizeof number, "%lld", (long long)ma_config_int(switches[k].id));
    lua_createtable(L, 0, 4);
    set_string(L, "name", ma_config_name(switches[k].id));
    set_string(L, "doc", ma_config_doc(switches[k].id));
    set_string(L, "default", ma_config_default(switches[k].id));
    set_string(L, "value", type == 's' ? text : type == 'x' ? (*text ? "(set)" : "") : number);
    lua_rawseti(L, -2, k + 1);
  }
  return 1;
}

static int core_why_not(lua_State *L) {
  ma_lua_device(L);
  lua_pushstring(L, ma_device_why_not());
  return 1;
}

/* core.bind(fn, device): a function that runs fn with `device` current, and restores the previous device, also after
** an error. */
static int call_bound(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  ma_device *device = state->device;
  ma_lua_use(L, ma_lua_todevice(L, lua_upvalueindex(4)));
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_insert(L, 1);
  int failed = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  if (device) ma_lua_use(L, device);
  else state->device = NULL;
  return failed ? lua_error(L) : lua_gettop(L);
}

static int core_bind(lua_State *L) {
  ma_device *device = ma_lua_optdevice(L, 2);
  lua_pushvalue(L, 1);
  push_device(L, device);
  ma_lua_pushplain(L, "core.bound()", false, call_bound, 2);
  return 1;
}

static const ma_function functions[] = {
  //> device: ma.device("cpu").name
  { "device(name?: string) -> device", device_get, "A device by name (\"cpu\", \"cuda:1\"), or the current one." },
  //> gpu cuda.Device(0)
  //> > <Device cuda:0>
  { "cuda.Device(id?: integer) -> device", cuda_device, "The GPU of this id, from 0; without one the current GPU." },
  //> cuda.is_available: type(ma.cuda.is_available())
  { "cuda.is_available() -> boolean", cuda_is_available, "Whether there is a GPU that can be used." },
  //> cuda.device_count: ma.cuda.device_count() >= 0
  { "cuda.device_count() -> integer", cuda_device_count, "Number of GPUs." },
  //> synchronize: ma.synchronize()
  //>   return ma.cuda.get_current_stream().done
  { "synchronize()", device_wait, "Waits for the work of the current stream." },
  //# dtypes
  //> set_default_dtype: ma.set_default_dtype("float64")
  { "set_default_dtype(dtype: dtype) -> dtype", set_default_dtype,
    "Sets the float dtype of numbers as data; returns the one before." },
  //> get_default_dtype()
  { "get_default_dtype() -> dtype", get_default_dtype, "The float dtype that Lua numbers take as data." },
  { "core.live_buffers()", core_live_buffers, NULL },
  { "core.switches()", core_switches, NULL },
  { "core.why_not()", core_why_not, NULL },
  { "core.bind(fn, device?)", core_bind, NULL },
  { "core.use_device(device)", use_device, NULL },
  { "core.forbid_waits(forbid)", forbid_waits, NULL },
  { NULL, NULL, NULL }
};

void ma_open_device(lua_State *L) {
  ma_lua_filemethods(L, &device_class, "core.device_methods");
  ma_lua_register(L, functions);
}
