-- Kernels of CPUs in bundles: what a program asks for is recorded and compiled for kinds of machines, and a process
-- without a compiler runs it (docs/bundles.md).

local file = require "spec.file"
local helper = require "spec.helper"
local ma = helper.ma

local run = file.output

local LUA = run(("command -v '%s'"):format(os.getenv("LUAJIT") or "luajit")):gsub("\n", "")
local ALONE = "CXX= PATH=/nowhere"          -- a machine without a compiler
local folder

local function path(name) return folder .. "/" .. name end

--- What a program prints on the CPU, with the cache that the process before it left.
local function next_process(chunk, bundle, variables)
  file.write(path("script.lua"), chunk)
  return run(("MOONARRAY_CACHE_DIR='%s' MOONARRAY_DEVICE=cpu MOONARRAY_TRACE=jit MOONARRAY_BUNDLE='%s' %s '%s' '%s' "
    .. "2>&1; echo code $?"):format(path("cache"), bundle or "", variables or "", LUA, path("script.lua")))
end

--- The same with an empty cache.
local function process(...)
  run(("rm -rf '%s'"):format(path("cache")))
  return next_process(...)
end

local ELEMENTWISE = [[
  local ma = require "moonarray"
  local x = ma.arange(40, "float32")
  local kernel = ma.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x > y ? x * 2 : sin(y)", "pick")
  print("result elementwise", kernel(x, 4):sum():item())
]]
local RAW = [[
  local raw = ma.RawKernel('extern "C" __global__ void f(float *x) { x[threadIdx.x] += 1; }', "f")
  local z = ma.zeros(40, "float32")
  raw(1, 32, { z })
  print("result raw", z:sum():item())
]]
local PROGRAM = ELEMENTWISE .. [[
  local triple = ma.jit.rawkernel(function(a, b)
    local i = grid(1)
    if i <= #a then b[i] = a[i] * 3 end
  end)
  local y = ma.zeros_like(x)
  triple(2, 32, { x, y })
  print("result rawkernel", y:sum():item())
  local root = ma.vectorize(function(v)
    local s = 0
    while s * s < v do s = s + 1 end
    return s
  end)
  print("result vectorize", root(x):sum():item())
  local branching = ma.stencil(function(u)
    local s = 0
    while s * s < u(0) do s = s + u(1) * 0 + 1 end
    if u(0) > 3 then return u(1) + s else return u(-1) end
  end)
  print("result stencil", branching(x):sum():item())
  local reduction = ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2")
  print("result reduction", reduction(x):item())
]] .. RAW

local function results(text)
  local list = {}
  for line in text:gmatch("result [^\n]*") do list[#list + 1] = line end
  return table.concat(list, "\n")
end

local function count(text, pattern) return select(2, text:gsub(pattern, "")) end

local has_compiler, why = pcall(function()
  ma.ElementwiseKernel("T x", "T y", "y = x + 1", "next_of")(ma.ones(1, "float64", { device = "cpu" }))
end)

describe("a bundle of kernels for CPUs", function()
  if not has_compiler then
    pending("is made by a C++ compiler: " .. tostring(why))
    return
  end

  local recorded, wanted, built
  setup(function()
    folder = run("mktemp -d"):gsub("\n", "")
    recorded = process(PROGRAM, "record:" .. path("game.rec"))
    wanted = results(recorded)
    built = ma.bundle.build(path("game.rec"), path("game.mab"))
  end)
  teardown(function() os.execute(("rm -r '%s'"):format(folder)) end)

  it("is built for the kinds like this machine", function()
    assert.equal(6, count(wanted, "result "), recorded)
    assert.equal(count(recorded, ": compiled by"), built.kernels)
    assert.equal(0, #built.failed, table.concat(built.failed, "\n"))
    assert.equal(built.images, count(recorded, ": compiled by") * (jit.arch == "x64" and 2 or 1))
    assert(file.read(path("game.rec")):find("script.lua:4\n", 1, true))
  end)

  it("is enough where there is no compiler", function()
    for _, variables in ipairs { ALONE, "MOONARRAY_COMPILER=0" } do
      local text = process(PROGRAM, path("game.mab"), variables)
      assert.equal(wanted, results(text), text)
      assert.equal(built.kernels, count(text, "from the bundle"))
      text = next_process(PROGRAM, path("game.mab"), variables)                    -- from the cache
      assert.equal(wanted, results(text), text)
    end
  end)

  it("needs no cache", function()
    local text = process(PROGRAM, path("game.mab"), ALONE .. " HOME= XDG_CACHE_HOME= MOONARRAY_CACHE_DIR=/dev/null/no")
    assert.equal(wanted, results(text), text)
  end)

  it("has kernels with variables, of which each load has its own, also where there is no cache", function()
    local program = [[
      local ma = require "moonarray"
      local text = '__device__ int table[2] = { 3, 4 }; __device__ int count;'
        .. 'extern "C" __global__ void f(int *x) { count += table[1]; x[0] = count; }'
      local x = ma.zeros(1, "int32")
      local first, second = ma.RawKernel(text, "f"), ma.RawModule { code = text }
      for _ = 1, 3 do first(1, 1, { x }) end
      print("result first", x:item())
      second:get_function "f" (1, 1, { x })
      print("result second", x:item())
      second:get_global("table", "int32")[2] = 50
      second:get_function "f" (1, 1, { x })
      print("result changed", x:item())
    ]]
    local text = process(program, "record:" .. path("variables.rec"))
    assert.equal("result first\t12\nresult second\t4\nresult changed\t54", results(text), text)
    assert.equal(0, #ma.bundle.build(path("variables.rec"), path("variables.mab")).failed)
    for _, cache in ipairs { "", " HOME= XDG_CACHE_HOME= MOONARRAY_CACHE_DIR=/dev/null/no" } do
      local alone = process(program, path("variables.mab"), ALONE .. cache)
      assert.equal(results(text), results(alone), alone)
    end
  end)

  it("is asked before a compiler", function()
    local text = process(PROGRAM, path("game.mab"))
    assert.equal(wanted, results(text), text)
    assert.equal(0, count(text, "compiled by"), text)
    assert.equal(0, count(text, "the C++ compiler is"), text)
  end)

  it("is found by a program that loads it", function()
    local text = process(PROGRAM:gsub("\n", ("; ma.bundle.load(%q)\n"):format(path("game.mab")), 1) .. [[
      local bundle = ma.bundle.report().bundles[1]
      print("used", bundle.used, bundle.images)
    ]], "", ALONE)
    assert.equal(wanted, results(text), text)
    assert(text:find(("used\t%d\t%d\n"):format(built.kernels, built.images), 1, true), text)
  end)

  it("serves machines of a higher level", function()
    if jit.arch ~= "x64" then return end
    ma.bundle.build(path("game.rec"), path("old.mab"), { cpu = { "x86-64-v2" } })
    local text = process(PROGRAM, path("old.mab"), ALONE)
    assert.equal(wanted, results(text), text)
    assert.equal(built.kernels, count(text, "for x86%-64%-v2"))
  end)

  it("says what is missing, and how to record it", function()
    process(PROGRAM:sub(1, -#RAW - 1), "record:" .. path("less.rec"))
    ma.bundle.build(path("less.rec"), path("less.mab"))
    local text = process(PROGRAM, path("less.mab"), ALONE)
    assert.equal(5, count(results(text), "result "), text)
    assert(text:find("script.lua:%d+: moonarray.RawKernel: no C%+%+ compiler was found %(%$CXX, c%+%+.-%); kernels on "
      .. "the CPU need one: .-, or bring this kernel in a bundle, for which MOONARRAY_BUNDLE=record:FILE records it "
      .. "where there is one"), text)
    text = process(PROGRAM, path("less.mab"), "MOONARRAY_COMPILER=0")
    assert(text:find("no C++ compiler was found (MOONARRAY_COMPILER is 0)", 1, true), text)
  end)

  it("passes over an object that the system does not load", function()
    local text = process(([[
      local core = require "moonarray.core"
      local ma = require "moonarray"
      local handle = io.open(%q, "rb")
      local list = {}
      for key in handle:read("*a"):gmatch("\n%%d+:(// for CPUs\n.-)\n1:0\n") do
        for _, kind in ipairs(core.bundle_targets()) do
          list[#list + 1] = { family = "x", key = key, image = "no object at all", arch = kind[2] }
        end
      end
      table.sort(list, function(a, b)
        local of_a, of_b = core.bundle_key(a.key), core.bundle_key(b.key)
        if of_a ~= of_b then return of_a < of_b end
        return a.arch < b.arch
      end)
      local writer = core.bundle_begin(%q, #list)
      for _, image in ipairs(list) do core.bundle_put(writer, image) end
      core.bundle_end(writer)
      ma.bundle.load(%q)
    ]]):format(path("game.rec"), path("bad.mab"), path("bad.mab")) .. ELEMENTWISE, path("game.mab"), ALONE)
    assert(text:find("pick: the image of the bundle [^\n]*bad.mab for [^\n]- was refused: "), text)
    assert(text:find("pick: from the bundle [^\n]*game.mab"), text)
    assert(text:find(wanted:match("result elementwise[^\n]*"), 1, true), text)
  end)

  it("is checked: the process ends with 1 if a player without a compiler lacks a kernel", function()
    local quiet = "MOONARRAY_TRACE="
    local text = process("local ma = require 'moonarray'\n" .. RAW, "check:" .. path("game.mab"), quiet)
    assert.equal(1, count(text,
      "\n  there    f for the CPU, asked for at [^\n]*script.lua:4: the bundle, [^\n]*game.mab\n"), text)
    assert(text:find("nothing would be missing on machines like this one\ncode 0\n", 1, true), text)
    text = process(PROGRAM, "check:" .. path("less.mab"), quiet)
    assert.equal(wanted, results(text), text)
    assert.equal(built.kernels - 1, count(text, "\n  there    "), text)
    assert(text:find("\n  missing  f for the CPU, asked for at [^\n]*script.lua:%d+: the C%+%+ compiler, %S"), text)
    assert(text:find(("check: 1 of %d would be missing at a player's\ncode 1\n"):format(built.kernels), 1, true), text)
    text = next_process(PROGRAM, "check:" .. path("less.mab"), quiet)
    assert(text:find("\n  missing  f for the CPU, [^\n]*: the cache, "), text)
    text = next_process("local ma = require 'moonarray'; pcall(function()\n" .. RAW .. "end)", "check", ALONE)
    assert(text:find("\n  missing  f for the CPU, [^\n]*: nowhere: there is no compiler\n"), text)
    assert(text:find("\ncode 1\n", 1, true), text)
  end)

  it("knows headers by their contents", function()
    local program = [[
      local ma = require "moonarray"
      local kernel = ma.ElementwiseKernel("T x", "T y", "y = x * FACTOR + ADD", "scaled", { preamble =
        '#include "factor.h"', options = { "-I%s", "-DADD=%d" } })
      print("result", kernel(ma.arange(4, "float32")):sum():item())
    ]]
    run(("mkdir -p '%s' '%s'"):format(path("here"), path("there")))
    file.write(path("here/factor.h"), "#define FACTOR 3\n")
    file.write(path("there/factor.h"), "#define FACTOR 3\n")
    process(program:format(path("here"), 1), "record:" .. path("header.rec"))
    assert.equal(0, #ma.bundle.build(path("header.rec"), path("header.mab")).failed)
    local text = process(program:format(path("there"), 1), path("header.mab"), ALONE)
    assert(text:find("result\t22\n"), text)
    assert(process(program:format(path("there"), 2), path("header.mab"), ALONE):find("no C++ compiler", 1, true))
    file.write(path("there/factor.h"), "#define FACTOR 4\n")
    assert(process(program:format(path("there"), 1), path("header.mab"), ALONE):find("no C++ compiler", 1, true))
  end)

  it("has kernels for other machines by a compiler that is named", function()
    local fake = file.write(path("fake"),
      'while [ "$1" ]; do [ "$1" = -o ] && echo text >"$2"; shift; done; echo fake\n')
    local function failed(kind, command)
      local options = { cpu = { kind }, compilers = { [kind] = command } }
      local made = ma.bundle.build(path("less.rec"), path("other.mab"), options)
      assert.equal(0, made.images)
      return made.failed[1]
    end
    assert.matches("^pick for aarch64, asked for at .-script.lua:4: .-the compiler 'nowhere' for aarch64 was not found",
      failed("aarch64", "nowhere"))
    assert.matches("the compiler makes no objects for windows%-x86%-64%-v3",
      failed("windows-x86-64-v3", "sh " .. fake))
    assert.matches("the compiler makes no objects for x86%-64%-v3", failed("x86-64-v3", "sh " .. fake))
  end)

  it("is for kinds that are known", function()
    local function refused(options)
      local ok, message = pcall(ma.bundle.build, path("game.rec"), path("other.mab"), options)
      assert(not ok)
      return message
    end
    assert.matches("bundle_cpu_spec.lua:%d+: moonarray.bundle.build: cpu%[2%] is the string 'z80'; wanted one of "
      .. ".*aarch64", refused { cpu = { "x86-64-v2", "z80" } })
    assert.matches("bundle.build: cpu is the string 'x86%-64%-v3'; wanted a table", refused { cpu = "x86-64-v3" })
    assert.matches("bundle.build: compilers has the string 'z80'; wanted one of",
      refused { compilers = { z80 = "g++" } })
    assert.matches('bundle.build: compilers%["aarch64"%] is the number 7; wanted a command',
      refused { compilers = { aarch64 = 7 } })
  end)
end)
