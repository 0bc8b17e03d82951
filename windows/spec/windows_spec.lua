--- What only Windows has: which DLLs the module needs, where NVIDIA's and others are found, paths with backslashes, files
--- of another C library, the cache's folder. windows/test runs it.

local helper = require "spec.helper"
local ma = helper.ma

local function run(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read("*a"):gsub("\r", "")
  pipe:close()
  return text
end

local root = run("pwd"):match("[^\n]+")

describe("the module for Windows", function()
  it("exports one function, and needs Windows' own DLLs and Lua's alone", function()
    local text = run("x86_64-w64-mingw32-objdump -p build-windows/moonarray/core.dll")
    local names, needed = {}, {}
    for name in text:match("Ordinal/Name Pointer%] Table(.-)\n\n"):gmatch("%[ *%d+%][^\n]* ([%w_]+)\n?") do
      names[#names + 1] = name
    end
    for name in text:gmatch("DLL Name: (%S+)") do needed[name:lower()] = true end
    assert.same({ "luaopen_moonarray_core" }, names)
    needed["kernel32.dll"], needed["msvcrt.dll"], needed["advapi32.dll"], needed["lua51.dll"] = nil, nil, nil, nil
    assert.is_nil(next(needed), next(needed))
  end)

  it("takes paths with either separator", function()
    local path = os.tmpname()
    os.remove(path)
    local with = ("%s\\a.npy"):format(path:gsub("/", "\\"))
    assert(os.execute("mkdir -p " .. path) == 0)
    ma.save(with, ma.arange(4))
    assert.same({ 0, 1, 2, 3 }, ma.load(path .. "/a.npy"):totable())
    ma.save(with, ma.arange(2))            -- takes the place of the old one
    assert.same({ 0, 1 }, ma.load(with):totable())
    assert.equal("a.npy\n", run("ls -A " .. path))
    assert.matches("is a folder; wanted a file", helper.fails(ma.load, path))
    os.execute("rm -r " .. path)
  end)

  it("writes files that others hold open in place", function()
    local path = os.tmpname()
    local held = assert(io.open(path, "rb"))
    ma.arange(200, "uint8"):tofile(path)
    assert.equal("\0\1\2", held:read(3))
    held:close()
    assert.same({ 0, 1, 2 }, ma.fromfile(path, { dtype = "uint8" })["1:3"]:totable())
    assert.equal(path:match("[^/]+$") .. "\n", run(("cd /tmp && ls -A | grep -e '%s' -e '^.moonarray-'"):format(
      path:match("[^/]+$"))))
    os.remove(path)
  end)

  it("refuses files of a Lua with another C library", function()
    local path = os.tmpname()
    local file, stdout = assert(io.open(path, "wb")), io.stdout
    io.stdout = file         -- luacheck: ignore 122
    local ok, message = pcall(ma.save, file, ma.arange(3))
    io.stdout = stdout       -- luacheck: ignore 122
    assert.is_false(ok)
    assert.matches("an open file of this Lua's C library, which is not moonarray's; wanted a path", message, 1, true)
    assert.is_true(pcall(ma.save, file, ma.arange(3)))
    file:close()
    os.remove(path)
  end)

  it("keeps compiled kernels in LOCALAPPDATA", function()
    local script = os.tmpname()
    local to = assert(io.open(script, "w"))
    to:write('local ma = require "moonarray" print(ma.ElementwiseKernel("T x", "T y", "y = x + 7", "seven")(ma.zeros(1)))')
    to:close()
    -- Wine sets the variable, from the name of the user.
    local place = '"$WINEPREFIX"/drive_c/users/*/AppData/Local/moonarray'
    os.execute("rm -rf " .. place)
    local command = ("MOONARRAY_CACHE_DIR= luajit %s && ls -A %s/moonarray-kernels"):format(script, place)
    assert.matches("^%[7%.%].-\n%x+%.bin\n$", run(command))
    os.remove(script)
  end)
end)

describe("a kernel with barriers on Windows", function()
  it("has 132 KiB of stack for each of 1024 threads, and more is an error", function()
    local code = [[extern "C" __global__ void k(int *x, int j) {
      volatile char a[N]; a[j] = 1; a[N - 1] = 1; __syncthreads(); x[threadIdx.x] = a[j]; __syncthreads(); }]]
    for _, size in ipairs { "20000", "120000" } do
      local x = ma.zeros(1024, "int32")
      ma.RawKernel(code:gsub("N", size), "k")({ 1 }, { 1024 }, { x, 7 })
      assert.equal(1024, x:sum():item())
    end
    assert.matches("overflowed its stack", helper.fails(ma.RawKernel(code:gsub("N", "200000"), "k"), { 1 }, { 1024 },
      { ma.zeros(1024, "int32"), 7 }))
  end)
end)

describe("NVIDIA's libraries on Windows", function()
  --- What spec/unit/libraries.c finds: name -> path or message.
  local function found(environment)
    local command = ("cd build-windows && env %s \"$WINE\" unit/libraries.exe"):format(environment)
    local list = {}
    for line in run(command):gmatch("[^\n]+") do
      local name, what = line:match("^(%w+) +(.*)$")
      if name and name ~= "curand" then list[name] = what end
    end
    return list
  end
  local pretend = "Z:" .. root .. "/build-windows/pretend/"

  local function expect(folder, list, files)
    for name, file in pairs(files) do
      local path = (list[name] or "nothing"):gsub("\\", "/")
      assert.equal(folder .. file, path)
    end
  end
  local twelve = { cublas = "cublas64_12.dll", cublasLt = "cublasLt64_12.dll", cusolver = "cusolver64_11.dll",
    cusparse = "cusparse64_12.dll", cufft = "cufft64_11.dll", nvjitlink = "nvJitLink_120_0.dll" }
  local thirteen = { cublas = "cublas64_13.dll", cublasLt = "cublasLt64_13.dll", cusolver = "cusolver64_12.dll",
    cusparse = "cusparse64_12.dll", cufft = "cufft64_12.dll", nvjitlink = "nvJitLink_130_0.dll" }

  it("are those of CUDA 11 for a driver that knows no newer one", function()
    local list = found(("WINEPATH='%sdriver11' CUDA_PATH='%s11'"):format(pretend, pretend))
    expect(pretend .. "11/bin/", list, { cublas = "cublas64_11.dll", cublasLt = "cublasLt64_11.dll",
      cusolver = "cusolver64_11.dll", cusparse = "cusparse64_11.dll", cufft = "cufft64_10.dll" })
  end)

  it("are in bin of CUDA_PATH", function()
    local list = found(("WINEPATH='%sdriver13' CUDA_PATH='%s12'"):format(pretend, (pretend:gsub("/", "\\"))))
    expect(pretend .. "12/bin/", list, twelve)
  end)

  it("are in bin/x64 of CUDA_PATH from CUDA 13 on", function()
    expect(pretend .. "13/bin/x64/", found(("WINEPATH='%sdriver13' CUDA_PATH='%s13'"):format(pretend, pretend)), thirteen)
  end)

  it("are of the newest version that the driver supports, in the folders of PATH too", function()
    local list = found(("WINEPATH='%sdriver12;%s12/bin' CUDA_PATH='%s13'"):format(pretend, pretend, pretend))
    expect(pretend .. "12/bin/", list, twelve)
  end)

  it("are in NVIDIA's Python wheels", function()
    local list = found(("WINEPATH='%sdriver12' CUDA_PATH= VIRTUAL_ENV='%svenv'"):format(pretend, pretend))
    assert.equal(pretend .. "venv/Lib/site-packages/nvidia/cublas/bin/cublas64_12.dll", (list.cublas:gsub("\\", "/")))
  end)

  it("are named where they are missing", function()
    local list = found("WINEPATH= CUDA_PATH=")
    assert.matches("nvrtc64_130_0.dll) was not found; it is in the CUDA toolkit (set CUDA_PATH", list.cublas, 1, true)
    assert.matches("libopenblas.dll", list.blas, 1, true)
  end)
end)
