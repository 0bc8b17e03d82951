--- A fresh process that opens a CUDA context and no more: what every start on a GPU costs at least.
local ffi = require "ffi"
ffi.cdef [[
int cuInit(unsigned flags);
int cuDeviceGet(int *device, int ordinal);
int cuDevicePrimaryCtxRetain(void **context, int device);
]]
local cuda = ffi.load("libcuda.so.1")
local device, context = ffi.new("int[1]"), ffi.new("void *[1]")
assert(cuda.cuInit(0) == 0 and cuda.cuDeviceGet(device, 0) == 0 and cuda.cuDevicePrimaryCtxRetain(context, device[0])
  == 0)
