--- The pretended GPU (make pretend), for specs that start processes on it: its driver, and variables of an environment.

local folder = (os.getenv("BUILD") or "build") .. "/pretend"

local gpu = { folder = folder, driver = folder .. "/libcuda.so.1",
  libraries = "MOONARRAY_NVRTC=1 MOONARRAY_CUDA_LIBRARIES=0 CUDA_PATH= LD_LIBRARY_PATH=" .. folder,
  cache = ("MOONARRAY_CACHE_DIR=%s/cache"):format(folder) }
gpu.environment = ("%s %s MOONARRAY_DEVICE=cuda"):format(gpu.libraries, gpu.cache)

---@return boolean
function gpu.is_built()
  local handle = io.open(gpu.driver)
  return handle ~= nil and handle:close()
end

return gpu
