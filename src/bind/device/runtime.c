/* runtime.c: ma.cuda.runtime: the calls of CUDA's runtime that users of CuPy need, under their own names. They are
** thin wrappers of the backends' tables: cudart is not used. Ids of devices are CUDA's, from 0. */
#include "bind/bind.h"
#include "memory/graph.h"

#include <stdio.h>
#include <string.h>

/* The GPU of an id. nil: the current GPU, else the first, else the CPU. */
ma_device *ma_lua_checkgpu(lua_State *L, int index) {
  char name[32];
  ma_device *device = NULL;
  if (lua_isnoneornil(L, index)) {
    device = ma_lua_device(L);
    if (device != ma_device_cpu() || ma_device_count("cuda") == 0) return device;
    ma_lua_check(L, ma_device_get("cuda", &device));
    return device;
  }
  if (lua_type(L, index) != LUA_TNUMBER) return ma_lua_optdevice(L, index);
  snprintf(name, sizeof name, "cuda:%lld", (long long)ma_lua_checkint(L, index, "id"));
  ma_lua_check(L, ma_device_get(name, &device));
  return device;
}

/* Reads an attribute of a device; false if there is none of that name. */
bool ma_lua_deviceattribute(ma_device *device, const char *wanted, int64_t *value) {
  const char *name;
  for (int k = 0; device->backend->info.attribute(device, k, &name, value); k++)
    if (!strcmp(name, wanted)) return true;
  return false;
}

void ma_lua_pushattributes(lua_State *L, ma_device *device) {
  const char *name;
  int64_t value;
  lua_newtable(L);
  for (int k = 0; device->backend->info.attribute(device, k, &name, &value); k++) {
    if (value == -1) continue; /* the driver is too old for it */
    lua_pushnumber(L, (double)value);
    lua_setfield(L, -2, name);
  }
}

/* ==== Devices ==================================================================================================== */

static int device_count(lua_State *L) {
  lua_pushinteger(L, ma_device_count("cuda"));
  return 1;
}

static int device_id(lua_State *L) {
  const ma_device *device = ma_lua_device(L);
  if (device == ma_device_cpu())
    return ma_lua_fail(L, "the current device is the CPU; wanted a GPU: ma.cuda.Device(0):use()");
  lua_pushinteger(L, device->id);
  return 1;
}

static int set_device(lua_State *L) {
  ma_device *device = ma_lua_checkgpu(L, 1);
  if (device != ma_lua_state(L)->device) ma_lua_flush(L, "another device");
  ma_lua_use(L, device);
  return 0;
}

static int device_synchronize(lua_State *L) {
  ma_lua_waitdevice(L, ma_lua_device(L));
  return 0;
}

static int device_reset(lua_State *L) {
  ma_device *device = lua_type(L, 1) == LUA_TNUMBER ? ma_lua_checkgpu(L, 1) : ma_lua_optdevice(L, 1);
  ma_lua_check(L, ma_capture_refuse_work(ma_lua_stream_of(L, device), "a reset"));
  ma_lua_check(L, ma_device_reset(device));
  return 0;
}

static int device_attribute(lua_State *L) {
  int64_t value;
  ma_device *device = ma_lua_checkgpu(L, 2);
  if (lua_type(L, 1) != LUA_TSTRING)
    return ma_lua_fail(L, "name is %s; wanted an attribute's name, such as MultiProcessorCount", ma_lua_describe(L, 1));
  const char *name = lua_tostring(L, 1);
  if (!strncmp(name, "cudaDevAttr", 11)) name += 11;
  if (!ma_lua_deviceattribute(device, name, &value)) {
    ma_lua_pushattributes(L, device);
    const char *nearest = ma_lua_nearest(L, lua_gettop(L), name);
    return ma_lua_fail(L, "no attribute '%s'%s%s%s", name,
                       nearest ? "; did you mean '" : "; device.attributes lists them", nearest ? nearest : "",
                       nearest ? "'?" : "");
  }
  lua_pushnumber(L, (double)value);
  return 1;
}

static int device_pci_bus_id(lua_State *L) {
  char text[32] = "";
  ma_device *device = ma_lua_checkgpu(L, 1);
  if (!device->backend->info.pci_bus_id) return ma_lua_fail(L, "%s is on no PCI bus; wanted a GPU", device->name);
  ma_lua_check(L, device->backend->info.pci_bus_id(device, text, sizeof text));
  lua_pushstring(L, text);
  return 1;
}

static int device_by_pci_bus_id(lua_State *L) {
  if (lua_type(L, 1) != LUA_TSTRING)
    return ma_lua_fail(L, "pci_bus_id is %s; wanted a string such as '0000:65:00.0'", ma_lua_describe(L, 1));
  for (int id = 0; id < ma_device_count("cuda"); id++) {
    char name[32], text[32] = "";
    ma_device *device = NULL;
    snprintf(name, sizeof name, "cuda:%d", id);
    ma_lua_check(L, ma_device_get(name, &device));
    ma_lua_check(L, device->backend->info.pci_bus_id(device, text, sizeof text));
    if (strcasecmp(text, lua_tostring(L, 1)) != 0) continue;
    lua_pushinteger(L, id);
    return 1;
  }
  return ma_lua_fail(L, "no GPU at '%s'", lua_tostring(L, 1));
}

/* Names of cudaDeviceProp for attributes. */
static const struct {
  const char *name, *attribute;
} properties[] = {
  { "sharedMemPerBlock", "MaxSharedMemoryPerBlock" },
  { "sharedMemPerBlockOptin", "MaxSharedMemoryPerBlockOptin" },
  { "sharedMemPerMultiprocessor", "MaxSharedMemoryPerMultiprocessor" },
  { "reservedSharedMemPerBlock", "ReservedSharedMemoryPerBlock" },
  { "regsPerBlock", "MaxRegistersPerBlock" },
  { "regsPerMultiprocessor", "MaxRegistersPerMultiprocessor" },
  { "warpSize", "WarpSize" },
  { "memPitch", "MaxPitch" },
  { "maxThreadsPerBlock", "MaxThreadsPerBlock" },
  { "clockRate", "ClockRate" },
  { "totalConstMem", "TotalConstantMemory" },
  { "major", "ComputeCapabilityMajor" },
  { "minor", "ComputeCapabilityMinor" },
  { "textureAlignment", "TextureAlignment" },
  { "multiProcessorCount", "MultiProcessorCount" },
  { "kernelExecTimeoutEnabled", "KernelExecTimeout" },
  { "integrated", "Integrated" },
  { "canMapHostMemory", "CanMapHostMemory" },
  { "computeMode", "ComputeMode" },
  { "concurrentKernels", "ConcurrentKernels" },
  { "ECCEnabled", "EccEnabled" },
  { "pciBusID", "PciBusId" },
  { "pciDeviceID", "PciDeviceId" },
  { "pciDomainID", "PciDomainId" },
  { "tccDriver", "TccDriver" },
  { "asyncEngineCount", "AsyncEngineCount" },
  { "unifiedAddressing", "UnifiedAddressing" },
  { "memoryClockRate", "MemoryClockRate" },
  { "memoryBusWidth", "GlobalMemoryBusWidth" },
  { "l2CacheSize", "L2CacheSize" },
  { "persistingL2CacheMaxSize", "MaxPersistingL2CacheSize" },
  { "maxThreadsPerMultiProcessor", "MaxThreadsPerMultiProcessor" },
  { "maxBlocksPerMultiProcessor", "MaxBlocksPerMultiprocessor" },
  { "streamPrioritiesSupported", "StreamPrioritiesSupported" },
  { "managedMemory", "ManagedMemory" },
  { "isMultiGpuBoard", "IsMultiGpuBoard" },
  { "cooperativeLaunch", "CooperativeLaunch" },
  { "pageableMemoryAccess", "PageableMemoryAccess" },
  { "concurrentManagedAccess", "ConcurrentManagedAccess" },
  { "hostNativeAtomicSupported", "HostNativeAtomicSupported" },
  { "computePreemptionSupported", "ComputePreemptionSupported" },
  { "singleToDoublePrecisionPerfRatio", "SingleToDoublePrecisionPerfRatio" },
};

static void set_extents(lua_State *L, ma_device *device, const char *key, const char *format) {
  lua_createtable(L, 3, 0);
  for (int d = 0; d < 3; d++) {
    char name[32];
    int64_t value = 0;
    snprintf(name, sizeof name, format, 'X' + d);
    ma_lua_deviceattribute(device, name, &value);
    lua_pushnumber(L, (double)value);
    lua_rawseti(L, -2, d + 1);
  }
  lua_setfield(L, -2, key);
}

static int device_properties(lua_State *L) {
  char text[256] = "";
  size_t left = 0, total = 0;
  ma_device *device = ma_lua_checkgpu(L, 1);
  ma_lua_check(L, device->backend->info.describe(device, &left, &total, text, sizeof text));
  lua_newtable(L);
  lua_pushstring(L, text);
  lua_setfield(L, -2, "name");
  lua_pushnumber(L, (double)total);
  lua_setfield(L, -2, "totalGlobalMem");
  set_extents(L, device, "maxThreadsDim", "MaxBlockDim%c");
  set_extents(L, device, "maxGridSize", "MaxGridDim%c");
  for (size_t k = 0; k < sizeof properties / sizeof *properties; k++) {
    int64_t value;
    if (!ma_lua_deviceattribute(device, properties[k].attribute, &value)) continue;
    lua_pushnumber(L, (double)value);
    lua_setfield(L, -2, properties[k].name);
  }
  return 1;
}

/* ==== Memory, versions, peers ==================================================================================== */

static int mem_get_info(lua_State *L) {
  size_t left = 0, total = 0;
  char text[128];
  ma_device *device = ma_lua_device(L);
  ma_lua_check(L, device->backend->info.describe(device, &left, &total, text, sizeof text));
  lua_pushnumber(L, (double)left);
  lua_pushnumber(L, (double)total);
  return 2;
}

static int push_version(lua_State *L, bool compiler) {
  int version[2] = { 0, 0 };
  ma_device *device;
  ma_lua_check(L, ma_device_get("cuda", &device));
  ma_lua_check(L, device->backend->info.versions(&version[0], &version[1]));
  lua_pushinteger(L, version[compiler]);
  return 1;
}

static int driver_version(lua_State *L) { return push_version(L, false); }
static int runtime_version(lua_State *L) { return push_version(L, true); }

static bool ask_peer(lua_State *L, ma_device *device, ma_device *of, bool enable) {
  bool can = false;
  if (device != of) ma_lua_check(L, device->backend->device.peer(device, of, enable, &can));
  return can;
}

static int can_access_peer(lua_State *L) {
  ma_device *device = ma_lua_checkgpu(L, 1), *of = ma_lua_checkgpu(L, 2);
  lua_pushboolean(L, ask_peer(L, device, of, false));
  return 1;
}

static int enable_peer_access(lua_State *L) {
  ma_device *device = ma_lua_checkgpu(L, 2), *of = ma_lua_checkgpu(L, 1);
  if (!ask_peer(L, device, of, true))
    return ma_lua_fail(L, "no access from %s to the memory of %s; x:to(\"%s\") copies", device->name, of->name,
                       device->name);
  return 0;
}

static const ma_function functions[] = {
  //> gpu cuda.get_device_id()
  //> > 0
  { "cuda.get_device_id() -> integer", device_id, "The id of the current GPU, from 0." },
  //> reset cuda.reset()
  //> = It prints nothing: the GPU is as at the start of a process, and arrays there are freed.
  { "cuda.reset(device?: string)", device_reset,
    "Makes a GPU usable again after a kernel that faulted. Every array on it is lost; nothing else may use it "
    "meanwhile. On the CPU it does nothing." },
  //> cuda.runtime.getDeviceCount: ma.cuda.runtime.getDeviceCount() >= 0
  { "cuda.runtime.getDeviceCount() -> integer", device_count, "Number of GPUs." },
  //> gpu cuda.runtime.getDevice()
  //> > 0
  { "cuda.runtime.getDevice() -> integer", device_id, "The id of the current GPU." },
  //> gpu cuda.runtime.setDevice: ma.cuda.runtime.setDevice(0)
  //>   return ma.cuda.runtime.getDevice()
  //> > 0
  { "cuda.runtime.setDevice(id: integer)", set_device, "Makes a GPU current." },
  //> cuda.runtime.deviceSynchronize: local event = ma.Event():record()
  //>   ma.cuda.runtime.deviceSynchronize()
  //>   return event.done
  { "cuda.runtime.deviceSynchronize()", device_synchronize, "Waits for all work of the current device." },
  //> reset cuda.runtime.deviceReset()
  //> = It prints nothing: the GPU is as at the start of a process, and arrays there are freed.
  { "cuda.runtime.deviceReset(device?: string|integer)", device_reset, "The same as moonarray.cuda.reset." },
  //> gpu cuda.runtime.deviceGetAttribute: ma.cuda.runtime.deviceGetAttribute("MultiProcessorCount") > 0
  //> > true
  { "cuda.runtime.deviceGetAttribute(name: integer|string, id?: integer) -> number", device_attribute,
    "An attribute by its name, with or without cudaDevAttr in front." },
  //> gpu cuda.runtime.getDeviceProperties: type(ma.cuda.runtime.getDeviceProperties(0).name)
  //> > string
  { "cuda.runtime.getDeviceProperties(id?: integer) -> table", device_properties,
    "A table by the names of cudaDeviceProp." },
  //> gpu cuda.runtime.deviceGetPCIBusId: ma.cuda.runtime.deviceGetPCIBusId():match("^%x+:%x+:%x+%.%x$") ~= nil
  //> > true
  { "cuda.runtime.deviceGetPCIBusId(id?: integer) -> string", device_pci_bus_id,
    "Where a GPU is, such as \"0000:65:00.0\"." },
  //> gpu cuda.runtime.deviceGetByPCIBusId: ma.cuda.runtime.deviceGetByPCIBusId(ma.cuda.runtime.deviceGetPCIBusId())
  //> > 0
  { "cuda.runtime.deviceGetByPCIBusId(pci_bus_id: string) -> integer", device_by_pci_bus_id,
    "The id of the GPU at that place." },
  //> gpu cuda.runtime.memGetInfo: local free, all = ma.cuda.runtime.memGetInfo()
  //>   return free <= all
  //> > true
  { "cuda.runtime.memGetInfo() -> integer, integer", mem_get_info, "Free and total bytes of the current device." },
  //> gpu cuda.runtime.driverGetVersion: ma.cuda.runtime.driverGetVersion() >= 11000
  //> > true
  { "cuda.runtime.driverGetVersion() -> integer", driver_version,
    "The newest CUDA that the driver runs: 13000 for 13.0." },
  //> gpu cuda.runtime.runtimeGetVersion: ma.cuda.runtime.runtimeGetVersion() >= 0
  //> > true
  { "cuda.runtime.runtimeGetVersion() -> integer", runtime_version,
    "The version of the NVRTC in use, which stands for the toolkit's: no runtime library is used. 0 where none is "
    "found." },
  //> gpus cuda.runtime.deviceCanAccessPeer(0, 1)
  //> = It prints true where GPU 0 reaches the memory of GPU 1 directly.
  { "cuda.runtime.deviceCanAccessPeer(id: integer, peer: integer) -> boolean", can_access_peer,
    "Whether kernels on one GPU can use the memory of another." },
  //> gpus cuda.runtime.deviceEnablePeerAccess(1)
  //> = It prints nothing: copies between the two take the direct way then.
  { "cuda.runtime.deviceEnablePeerAccess(peer: integer, id?: integer)", enable_peer_access,
    "Lets the current GPU use the memory of another; the first use does it by itself." },
  { NULL, NULL, NULL }
};

void ma_open_runtime(lua_State *L) { ma_lua_register(L, functions); }
