-- A GPU where the driver is and no NVRTC: what runs by the cache of kernels, and what is said of what cannot. Where
-- there is no GPU, it is the pretended one (make pretend).

local file = require "spec.file"
local ma = require("spec.helper").ma

local build = os.getenv("BUILD") or "build"
local luajit = os.getenv("LUAJIT") or "luajit"

local function exists(path)
  local handle = io.open(path)
  return handle and handle:close()
end

local real = ma.cuda.is_available()
local there = real or exists(build .. "/pretend/libcuda.so.1")

--- A folder that is there while a function runs.
local function with_folder(fn)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder) == 0)
  local ok, message = pcall(fn, folder)
  os.execute("rm -rf " .. folder)
  assert(ok, message)
end

--- What a program prints on the GPU, with these variables of the environment.
local function output(variables, program)
  local pretended = real and "" or ("CUDA_PATH= LD_LIBRARY_PATH=%s/pretend "):format(build)
  local _, text = file.run(("env -u MOONARRAY_DEVICE %s%s '%s' %s"):format(pretended, variables, luajit, program))
  return text
end

local function line(code) return "-e '" .. code:gsub("%s+", " ") .. "'" end

describe("a GPU without NVRTC", function()
  if not there then pending("no pretended GPU; make pretend") return end

  it("is there, but not the default while no kernel is compiled for it", function()
    with_folder(function(folder)
      local bare = ("MOONARRAY_NVRTC=0 MOONARRAY_CACHE_DIR=%s"):format(folder)
      local text = output(bare, line [[local ma = require "moonarray" print(ma.device(), ma.cuda.is_available(),
        ma.cuda.Device(0))]])
      assert.matches("^moonarray: the GPU is not used: no kernel is compiled for compute capability %d+%.%d, and NVRTC "
        .. "is turned off by MOONARRAY_NVRTC=0; [^\n]*MOONARRAY_DEVICE=cpu%)\n", text)
      assert.matches("\n<Device cpu>\ttrue\t<Device cuda:0>\n$", text)

      -- One kernel in the cache, of anything, and it is.
      local add = line [[local ma = require "moonarray" print(ma.device(), (ma.array { 1, 2 } + 1)(2))]]
      assert.equal("<Device cuda:0>\t3\n", output("MOONARRAY_CACHE_DIR=" .. folder, add))
      assert.equal("<Device cuda:0>\t3\n", output(bare, add))
    end)
  end)

  it("copies there and back, and names what a kernel that is not compiled needs", function()
    with_folder(function(folder)
      local program = folder .. "/program.lua"
      file.write(program, [[
        local ma = require "moonarray"
        local a = ma.array { 3, 1, 2 }
        print(a.device, a:get():sum():item())
        local function try(fn) print(select(2, pcall(fn))) end
        try(function() local y = ma.sort(a) return y end)
        try(function()
          local y = a * 2
          local first = y(1)
          return first
        end)
        try(function()
          local k = ma.RawKernel('extern "C" __global__ void grow(double *x) { x[0] += 1; }', "grow")
          k({ 1 }, { 1 }, { a })
        end)
        try(function()
          local y = ma.ElementwiseKernel("T x", "T y", "y = x + 3", "plus_three")(a)
          return y
        end)
        print(a:get():max():item())
      ]])
      local text = output("MOONARRAY_NVRTC=0 MOONARRAY_DEVICE=cuda MOONARRAY_CACHE_DIR=" .. folder, program)
      local why = " is compiled for compute capability %d+%.%d, and NVRTC is turned off by MOONARRAY_NVRTC=0; run the "
        .. "program once with NVRTC, whose kernels the cache keeps, or on the CPU %(MOONARRAY_DEVICE=cpu%)\n"
      local at = "%f[^/]program%.lua:%d+: moonarray%."
      assert.matches("^cuda:0\t6\n", text)
      assert.matches("program%.lua:5: moonarray%.sort: no kernel [%w_]+" .. why, text)
      assert.matches("program%.lua:8: moonarray%.index: multiply: no kernel map" .. why, text)
      assert.matches(at .. "RawKernel: no kernel grow" .. why, text)
      assert.matches(at .. "plus_three: no kernel plus_three" .. why, text)
      assert.matches("\n3\n$", text)
    end)
  end)

  it("finds the CUDA root of the other libraries, and their messages name themselves", function()
    with_folder(function(folder)
      assert(os.execute("mkdir " .. folder .. "/lib") == 0)
      for _, name in ipairs { "libcublasLt.so.12", "libcublas.so.12", "libcufft.so.11" } do
        file.write(folder .. "/lib/" .. name, "")
      end
      local text = output("MOONARRAY_NVRTC=0 CUDA_PATH=" .. folder, line 'require("moonarray").show_config()')
      assert.matches("\n  NVRTC +NVRTC is turned off by MOONARRAY_NVRTC=0\n", text)
      assert(text:find(("cuBLAS (%s/lib/libcublas.so.12) cannot be opened"):format(folder), 1, true), text)
      assert(text:find(("cuFFT (%s/lib/libcufft.so.11) cannot be opened"):format(folder), 1, true), text)
      assert(not text:find("\n  cu[^\n]*NVRTC"), text)
    end)
  end)
end)
