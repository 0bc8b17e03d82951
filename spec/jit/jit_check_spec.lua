-- Positions in kernels written in Lua are looked at: one that is outside reads 0, writes nothing, and is an error that
-- names the kernel, the line, the position and the extent. On a GPU that is so with MOONARRAY_CHECK=1; without it
-- nothing is looked at.
local helper = require "spec.helper"
local ma = helper.ma
local jit = ma.jit

local on_cpu = ma.zeros(1).device == "cpu"
local checked = on_cpu or os.getenv "MOONARRAY_CHECK" == "1"
local if_checked = checked and it or pending

--- The error of a launch, which a GPU tells when something waits.
local function error_of(kernel, grid, block, args, options)
  local fine, message = pcall(function()
    kernel(grid, block, args, options)
    ma.zeros(1):get()
  end)
  assert.is_false(fine)
  return message
end

local function says(message, ...)
  for _, piece in ipairs { ... } do assert.is_truthy(message:find(piece, 1, true), message) end
end

--- An array between two others of the same memory, and these.
local function middle(n)
  local all = ma.zeros(3 * n)
  return all[("%d:%d"):format(n + 1, 2 * n)], all
end

describe("positions outside of arrays in jit kernels", function()
  if_checked("are an error in private arrays too", function()
    local pick = jit.rawkernel("function(x)\n local t = {5, 6, 7}\n local i = jit.grid(1)\n"
      .. " if i <= #x then x[i] = t[x[i]] end\nend", { name = "pick" })
    local x = ma.array({ 3, 1 }, "int32")
    pick(1, 32, { x })
    assert.are.same({ 7, 5 }, x:totable())
    says(error_of(pick, 1, 32, { ma.array({ 4 }, "int32") }), "moonarray.jit.pick: position 4", " on axis 1 at line 4",
      "wanted 1..3")
  end)

  if_checked("write nothing and are an error", function()
    local fill = jit.rawkernel("function(x, v)\n x[threadIdx.x + 1] = v\nend", { name = "fill" })
    local x, all = middle(128)
    says(error_of(fill, 1, 256, { x, 5 }), "moonarray.jit.fill: position 1", " on axis 1 at line 2", "wanted 1..128")
    assert.are.equal(128 * 5, all:sum():item())
    assert.are.same({ 5, 5 }, { x(1), x(128) })
    fill(1, 128, { x, 6 })             -- the error was told once
    assert.are.equal(128 * 6, all:sum():item())
  end)

  if_checked("read 0, however far away", function()
    local k = jit.rawkernel("function(x, y, n)\n\n y[1] = x[n] + 1\nend", { name = "far" })
    local x, y = ma.ones(8), ma.zeros(1)
    for _, n in ipairs { 9, 0, -1, 2 ^ 31, -2 ^ 40, 2 ^ 62 } do
      y:fill(9)
      says(error_of(k, 1, 1, { x, y, n }), ("moonarray.jit.far: position %.0f on axis 1 at line 3"):format(n),
        "wanted 1..8")
      assert.are.equal(1, y(1))
    end
    for n, shown in pairs { [1.5] = "1.5", [math.huge] = "inf", [-0.25] = "-0.25" } do
      says(error_of(k, 1, 1, { x, y, n }), ("position %s on axis 1 at line 3"):format(shown),
        "wanted a whole number of 1..8")
    end
    says(error_of(k, 1, 1, { x, y, ma.uint64(2 ^ 63) }), "wanted 1..8")
    k(1, 1, { x, y, 2.0 })
    k(1, 1, { x, y, ma.float64(8) })
    assert.are.equal(2, y(1))
  end)

  if_checked("on every axis, of rows in locals and of arrays handed on, in any memory order", function()
    local get = jit.device("function get(r, j)\n\n return r[j]\nend")
    local k = jit.rawkernel([[function(m, y, i, j)
      local r = m[i]
      y[1] = r[j]
      y[2] = m[{i, j}]
      y[3] = get(m[i], j)
      r[j] = 7
      m[i][j] = m[i][j] + 1
    end]], { constants = { get = get }, name = "axes" })
    for _, turned in ipairs { false, true } do
      local whole = ma.ones(turned and { 6, 5 } or { 5, 6 })
      local inner = whole["2:4, 2:4"]
      local m, y = turned and inner.T or inner, ma.zeros(3)
      y:fill(9)
      says(error_of(k, 1, 1, { m, y, 4, 1 }), "position 4 on axis 1 at line 2", "wanted 1..3")
      says(error_of(k, 1, 1, { m, y, 2, 5 }), "position 5 on axis 2 at line 3", "wanted 1..3")
      assert.are.same({ 0, 0, 0 }, y:get():totable())
      assert.are.equal(30, whole:sum():item())
      k(1, 1, { m, y, 2, 3 })
      assert.are.same({ 1, 1, 1 }, y:get():totable())
      assert.are.equal(8, m(2, 3))
    end
    local one = jit.rawkernel("function(m, y)\n y[1] = get(m[1],\n 4) end",
      { constants = { get = get }, name = "called" })
    says(error_of(one, 1, 1, { ma.ones { 3, 3 }, ma.zeros(1) }), "moonarray.jit.called: position 4 on axis 2 at line 3")
  end)

  if_checked("of shared memory, as far as its extent is known", function()
    local k = jit.rawkernel([[function(y, i)
      local s = shared_memory("float64", {2, 3})
      for a = 1, 2 do for b = 1, 3 do s[a][b] = 1 end end
      s[2][i] = 5
      y[1] = s[2][i]
      y[2] = s[1][3] + s[2][3]
    end]], { name = "shared" })
    local y = ma.zeros(2)
    says(error_of(k, 1, 1, { y, 4 }), "moonarray.jit.shared: position 4 on axis 2 at line 4", "wanted 1..3")
    assert.are.same({ 0, 2 }, y:get():totable())
    local dynamic = jit.rawkernel("function(y, i) local s = shared_memory('float64') s[1] = 3 y[1] = s[i] end")
    says(error_of(dynamic, 1, 1, { y, 0 }, { shared_mem = 16 }), "position 0 on axis 1 at line 1",
      "wanted a whole number from 1 on")
    dynamic(1, 1, { y, 1 }, { shared_mem = 16 })
    assert.are.equal(3, y(1))
  end)

  if_checked("of atomics, of bools and of complex numbers", function()
    local k = jit.rawkernel("function(x, i, y)\n y[1] = jit.atomic_add(x, i, 2)\n jit.atomic_max(x, {i}, 9) end",
      { name = "atomic" })
    local x, all = middle(4)
    local y = ma.ones(1)
    says(error_of(k, 1, 1, { x, 5, y }), "moonarray.jit.atomic: position 5 on axis 1 at line 2", "wanted 1..4")
    assert.are.equal(0, all:sum():item())
    assert.are.equal(0, y(1))
    local other = jit.rawkernel "function(b, z, h, i) z[i] = z[i + 1] h[2] = h[i] + 1 b[1] = b[i] b[i] = true end"
    local b, z, h = ma.ones({ 2 }, "bool"), ma.ones({ 2 }, "complex64"), ma.ones({ 2 }, "float16")
    says(error_of(other, 1, 1, { b, z, h, 3 }), "position 3 on axis 1", "wanted 1..2")
    assert.are.same({ false, true }, b:get():totable())
    assert.are.same({ 1, 1 }, h:get():totable())
    other(1, 1, { b, z, h, 1 })
  end)

  if_checked("are the error of a graph's launch too", function()
    local k = jit.rawkernel("function(x, i) x[i[1]] = 1 end", { name = "recorded" })
    local x, i = ma.zeros(3), ma.array({ 2 }, "int64")
    local stream = ma.Stream()
    local graph = stream:with(function()
      stream:begin_capture()
      k(1, 1, { x, i })
      return stream:end_capture()
    end)
    i:fill(4)
    local fine, message = pcall(function()
      graph:launch()
      ma.zeros(1):get()
    end)
    assert.is_false(fine)
    says(message, "moonarray.jit.recorded: position 4 on axis 1 at line 1", "wanted 1..3")
    i:fill(3)
    graph:launch()
    assert.are.same({ 0, 0, 1 }, x:get():totable())
  end)

  it("are not looked at with {check = false}, nor on a GPU without MOONARRAY_CHECK", function()
    local source = "function(x) x[threadIdx.x + 1] = 1 end"
    local x = ma.zeros(3)
    assert.is_nil(jit.rawkernel(source, { check = false }):code_for({ x }):find("jit_step", 1, true))
    assert.are.equal(checked, jit.rawkernel(source):code_for({ x }):find("jit_step", 1, true) ~= nil)
    jit.rawkernel(source, { check = false })(1, 3, { x })
    assert.are.same({ 1, 1, 1 }, x:get():totable())
    assert.has_error(function() jit.rawkernel(source, { check = 1 }) end)
  end)

  it("have no shared memory in functions of scalars", function()
    local fine, message =
      pcall(ma.vectorize "function(x) local s = shared_memory('float64', 2) s[1] = x return s[1] end", ma.zeros(2))
    assert.is_false(fine)
    says(message, "a function of scalars has no shared memory")
  end)
end)
