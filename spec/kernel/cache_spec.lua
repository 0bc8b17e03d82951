-- The cache of compiled kernels over processes: a second process compiles nothing. spec/unit/cache.c has the folder
-- itself.

local file = require "spec.file"
local gpu = require "spec.pretend.gpu"
local compiles = require("spec.helper").compiles
local run, write = file.output, file.write

local LUA = os.getenv("LUAJIT") or "luajit"

-- What each kind is called with, and what it prints. `none`: the CPU needs no compiler for it.
local kinds = {
  { "ElementwiseKernel",
    [[print(ma.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "of_cache_spec")(x, 2):sum():item())]],
    "330839500" },
  { "ReductionKernel",
    [[print(ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "of_cache_spec")(x):item())]],
    "332833500" },
  { "RawKernel", [[local k = ma.RawKernel('extern "C" __global__ void f(double *x) { x[threadIdx.x] += 1; }', "f")
    k({ 1 }, { 32 }, { x })
    print(x:sum():item())]], "499532" },
  { "RawModule", [[local m = ma.RawModule { code = 'extern "C" __global__ void f(double *x) { x[threadIdx.x] += 2; }' }
    m:get_function("f")({ 1 }, { 32 }, { x })
    print(x:sum():item())]], "499564" },
  { "jit.rawkernel", [[local k = ma.jit.rawkernel("function(x, f) local i = ma.jit.grid(1) if i <= #x then x[i] = x[i] * f end end")
    k({ 8 }, { 128 }, { x, 2 })
    print(x:sum():item())]], "999000" },
  { "vectorize", [[print(ma.vectorize("function(a, b) return a + 3 * b end")(x, x):sum():item())]], "1998000" },
  { "fuse", [[print(ma.fuse(function(a, b) return a * 4 + b end)(x, x):sum():item())]], "2497500", none = true },
  { "a header of the user's", [[print(ma.ElementwiseKernel("T x", "T z", "z = x * FACTOR", "of_cache_spec",
      { preamble = '#include "factor.h"', options = { "-I" .. os.getenv("HEADERS") } })(x):sum():item())]], "2497500" },
  { "a raw kernel's header", [[local k = ma.RawKernel('#include "factor.h"\nextern "C" __global__ void f(double *x) { x[threadIdx.x] += FACTOR; }', "f",
      { "-I" .. os.getenv("HEADERS") })
    k({ 1 }, { 32 }, { x })
    print(x:sum():item())]], "499660" },
}

describe("a second process", function()
  local folder
  setup(function()
    folder = run("mktemp -d"):gsub("\n", "")
    write(folder .. "/factor.h", "#define FACTOR 5\n")
  end)
  teardown(function() os.execute("rm -r " .. folder) end)

  --- What the process prints, and how often it compiled. The temporary folders have other names each time.
  local function process(name, chunk, tmpdir)
    local script = folder .. "/script.lua"
    write(script, [[local ma = require "moonarray"; local x = ma.arange(1000, "float64"); ]] .. chunk)
    os.execute(("mkdir -p %s/%s"):format(folder, tmpdir))
    local text = run(("env -u TMPDIR TMPDIR=%s/%s HEADERS=%s MOONARRAY_CACHE_DIR='%s/%s' MOONARRAY_TRACE=jit " ..
      "timeout 300 %s %s 2>&1; echo code $?"):format(
      folder, tmpdir, folder, folder, (name:gsub("%W", "_")), LUA, script))
    local _, count = text:gsub(": compiled ", "")
    return text, count
  end

  for _, kind in ipairs(kinds) do
    local name, chunk, wanted = kind[1], kind[2], kind[3]
    it("compiles nothing: " .. name, function()
      local first, compiled = process(name, chunk, "first")
      assert(first:find(wanted, 1, true) and first:find("code 0\n", 1, true), first)
      local on_cpu = (os.getenv("MOONARRAY_DEVICE") or "cpu") == "cpu"
      assert(compiled > 0 or (kind.none and on_cpu) or not compiles, "nothing was compiled at all: " .. first)
      local entries = run(("cd %s/%s/moonarray-kernels 2>/dev/null && ls -A"):format(folder, (name:gsub("%W", "_"))))
      local second, again = process(name, chunk, "second")
      assert(second:find(wanted, 1, true) and second:find("code 0\n", 1, true), second)
      assert(again == 0, second)
      assert.equal(entries,
        run(("cd %s/%s/moonarray-kernels 2>/dev/null && ls -A"):format(folder, (name:gsub("%W", "_")))))
    end)
  end

  it("compiles what a changed header changes", function()
    local name, chunk = kinds[8][1], kinds[8][2]
    process(name, chunk, "first")
    write(folder .. "/factor.h", "#define FACTOR 6\n")
    local text, count = process(name, chunk, "second")
    write(folder .. "/factor.h", "#define FACTOR 5\n")
    assert(text:find("2997000", 1, true) and count == 1, text)
  end)
end)

describe("an image of a text with headers of the toolkit", function()
  local on_cpu = (os.getenv("MOONARRAY_DEVICE") or "cpu") == "cpu"

  it("is found by a machine that has the same ones elsewhere", function()
    if on_cpu and not gpu.is_built() then return pending "no pretended GPU; make pretend" end
    file.with_folder(function(folder)
      write(folder .. "/script.lua", [[local ma = require "moonarray"
        local x = ma.arange(4, "float64")
        local k = ma.RawKernel('#include <scale.h>\nextern "C" __global__ void f(double *x) { x[0] += SCALE; }', "f")
        k({ 1 }, { 1 }, { x })
        print(x:sum():item())]])
      local environment = on_cpu and gpu.environment or "MOONARRAY_DEVICE=cuda"
      local function machine(name, scale)
        os.execute(("mkdir -p %s/%s/include"):format(folder, name))
        write(("%s/%s/include/cuda_fp16.h"):format(folder, name), "")           -- by it a toolkit is known
        write(("%s/%s/include/scale.h"):format(folder, name), '#include "part.h"\n')
        write(("%s/%s/include/part.h"):format(folder, name), "#define SCALE " .. scale .. "\n")
        local text = run(("%s CUDA_PATH=%s/%s MOONARRAY_CACHE_DIR=%s/cache MOONARRAY_TRACE=jit timeout 100 %s %s 2>&1")
          :format(environment, folder, name, folder, LUA, folder .. "/script.lua"))
        return assert(("\n" .. text):match("\n(%d+)\n$"), text), select(2, text:gsub("f: compiled ", ""))
      end
      assert.same({ "11", 1 }, { machine("one", 5) })
      assert.same({ "11", 0 }, { machine("two", 5) })
      assert.same({ "12", 1 }, { machine("three", 6) })
    end)
  end)
end)

describe("MOONARRAY_DUMP", function()
  it("writes through no link and waits for no pipe that lies in a text's place", function()
    local folder = run("mktemp -d"):gsub("\n", "")
    write(folder .. "/photo", "my bytes")
    write(folder .. "/script.lua", [[local ma = require "moonarray"
      ma.RawKernel('extern "C" __global__ void dumped(double *x) { x[0] = 1; }', "dumped"):compile()]])
    local function dump()
      return run(("MOONARRAY_CACHE_DIR=%s/cache MOONARRAY_DUMP=%s/dump timeout 100 '%s' %s/script.lua 2>&1"):format(
        folder, folder, LUA, folder))
    end
    os.execute("mkdir " .. folder .. "/dump")
    assert.equal("", dump())
    local name = run("ls " .. folder .. "/dump"):match("^(%S+)\n$")
    local path = folder .. "/dump/" .. assert(name)
    assert(io.open(path)):close()
    for _, made in ipairs { "ln -s ../photo", "mkfifo" } do
      assert(os.execute(("rm %s && %s %s"):format(path, made, path)) == 0)
      assert(dump():find(name .. " cannot be written", 1, true))
    end
    assert.equal("my bytes", run("cat " .. folder .. "/photo"))
    os.execute("rm -r " .. folder)
  end)
end)
