-- Stencils that the machine's compiler makes faster on the CPU: the same bits as without it, and when it runs.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local random = helper.random(17)

local on_cpu = (helper.device or ma.zeros(1).device) == "cpu"
local function kernels() return (select(3, core.work())) end

local still = ma.array(0.75, "float64")
local function along(u) return (u(-40) - still * u(0)) * u(3) end
local before = kernels()
if on_cpu then ma.stencil(along, { compile = true })(ma.ones(3)) end
local has_compiler = kernels() == before + 1

local function it_compiles(name, f)
  it(name, has_compiler and f or function() pending(on_cpu and "no C++ compiler" or "for a CPU, without a GPU") end)
end

--- A field of small numbers, with NaN and infinities where the dtype has them.
local function field(shape, dtype)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  local values = {}
  for k = 1, size do values[k] = random(-300, 300) / 8 end
  if helper.is_float[dtype] and size > 8 then values[3], values[5], values[7] = 0 / 0, 1 / 0, -0 end
  local a = ma.array(values, "float64"):reshape(shape)
  return dtype == "complex64" and a:astype(dtype) * ma.complex(0.5, -2) or a:astype(dtype)
end

--- Bytes in C order, but for the sign of NaN, which is nobody's promise.
local function bytes(a) return ma.where(ma.isnan(a), 0, a):ravel():dumps() end

--- The results of one stencil, compiled and not, must have the same bytes; `note` says which.
local function same(fn, options, note, ...)
  local now, never = {}, {}
  for key, value in pairs(options) do now[key], never[key] = value, value end
  now.compile, never.compile = true, false
  local a, b = { ma.stencil(fn, now)(...) }, { ma.stencil(fn, never)(...) }
  for k = 1, #b do
    assert.equal(b[k].dtype, a[k].dtype)
    assert(bytes(a[k]) == bytes(b[k]), ("result %d differs: %s"):format(k, note))
  end
end

local rules = { "constant", "wrap", "nearest", "reflect", "mirror", "leave" }

describe("a stencil that is compiled", function()
  it_compiles("has the bits of one that is not: five dtypes, four results, every edge, views", function()
    local scale = 0.5
    local function fn(u, v, w, m, c)
      return ma.where(m(0, 1), u(0, 0) + scale * u(-1, 0) - u(1, 2), w(0, -1) * w(0, 0)), v(-2, 0) * 3 - v(0, 1),
        c(0, 0) * c(1, 0) - c(0, -1), m(1, 0)
    end
    local dtypes, were = { "float32", "int16", "float16", "bool", "complex64" }, kernels()
    local function fields(shape)
      local list = {}
      for k, dtype in ipairs(dtypes) do list[k] = field(shape, dtype) end
      return list
    end
    for _, shape in ipairs { { 1, 1 }, { 2, 3 }, { 5, 1 }, { 9, 21 }, { 40, 33 }, { 3, 200 } } do
      local list, text = fields(shape), table.concat(shape, "x")
      for k = 1, 5 do
        local rule = rules[k]
        same(fn, { boundary = rule, value = 3, out = 4 }, rule .. " " .. text, unpack(list))
      end
      same(fn, { boundary = { "constant", "mirror" }, value = -1, out = 4 }, "constant, mirror " .. text, unpack(list))
    end
    assert.equal(were + 1, kernels())                -- edges and extents are not in the text, nor is a number
    scale = 0.25
    local wide = fields { 30, 60 }
    for _, view in ipairs { "3:20, 11:40", "20:3:-1, 5:50", "::2, :" } do
      local parts = {}
      for k, whole in ipairs(wide) do parts[k] = whole[view] end
      same(fn, { boundary = "reflect", out = 4 }, view, unpack(parts))
      local outs = { ma.zeros(parts[1].shape, "float64"), ma.zeros({ parts[1].shape[1], 100 }, "int16") }
      outs[2] = outs[2][{ {}, { 7, 6 + parts[1].shape[2] } }]
      outs[3], outs[4] = ma.zeros(parts[1].shape, "complex64"), ma.zeros(parts[1].shape, "bool")
      local a, b = ma.stencil(fn, { out = 4, compile = true })(unpack(parts, 1, 5)),
        ma.stencil(fn, { out = 4, compile = false })(unpack(parts, 1, 5))
      parts[6] = { out = outs }
      ma.stencil(fn, { out = 4, compile = true })(unpack(parts))
      assert(bytes(a) == bytes(b) and bytes(outs[1]:astype("float32")) == bytes(a))
    end
    local turned = {}
    for k, whole in ipairs(wide) do turned[k] = whole.T end
    same(fn, { boundary = "wrap", out = 4 }, "transposed", unpack(turned))
  end)

  it_compiles("has them along long rows, and where results are larger than the caches", function()
    local were = kernels()
    for _, n in ipairs { 20, 90, 40000, 4300000 } do
      local u = (ma.arange(n, "float64") * 7919 % 1013 - 500) / 64
      for k = 1, n > 1e6 and 1 or #rules do
        same(along, { boundary = rules[k], value = 2 }, rules[k] .. " " .. n, u)
      end
      same(along, { boundary = "wrap" }, "one number for all", ma.broadcast_to(ma.array({ 2.5 }), { n }))
    end
    assert.equal(were, kernels())
  end)

  it_compiles("has them in three dimensions, step after step", function()
    local function fn(u, v)
      return u(1, 0, 0) - u(0, -1, 0) + v(-1, 1, 0), ma.maximum(v(0, 0, 0), v(0, 0, 2)) * 0.5 - u(0, 0, -1)
    end
    for _, shape in ipairs { { 1, 1, 1 }, { 3, 4, 40 }, { 7, 9, 5 } } do
      local u, v = field(shape, "bfloat16"), field(shape, "bfloat16")
      for _, rule in ipairs(rules) do
        local a, b = ma.stencil(fn, { boundary = rule, value = 1, out = 2, compile = true }):run(u, v, { steps = 5 })
        local c, d = ma.stencil(fn, { boundary = rule, value = 1, out = 2, compile = false }):run(u, v, { steps = 5 })
        assert(bytes(a) == bytes(c) and bytes(b) == bytes(d), rule .. table.concat(shape, "x"))
      end
    end
  end)

  it_compiles("has them where a program has all that it can hold", function()
    local were = kernels()
    local function fn(u, v)
      local a, b = u(0, 0), v(0, 0)
      for k = 1, 23 do
        local one = (k % 2 == 0 and u or v)(k % 5 - 2, (k - k % 5) / 5 - 2)
        a, b = (b - one) * (k % 15 / 8 + 0.0625), a + one
      end
      for _ = 1, 29 do a, b = a - b, b * 0.5 end
      return a, b
    end
    local u, v = field({ 40, 70 }, "float32"), field({ 40, 70 }, "float32")
    for _, rule in ipairs(rules) do same(fn, { boundary = rule, value = 2, out = 2 }, rule, u, v) end
    assert.equal(were + 1, kernels())
  end)

  it_compiles("is compiled beside the work when it has run for a while", function()
    local function fn(u) return u(0, 0) + 0.1 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0)) end
    local u = field({ 700, 700 }, "float32")
    local s, never = ma.stencil(fn), ma.stencil(fn, { compile = false })
    local want, out = s(u):dumps(), ma.zeros({ 700, 700 }, "float32")
    local _, compiled = core.background(true)
    local function work(stencil)
      for _ = 1, 350 do stencil(u, { out = out }) end
      return (select(2, core.background(true)))
    end
    assert.equal(compiled, work(never))
    assert.equal(compiled + 1, work(s))
    assert(want == s(u, { out = out }):dumps())
    assert.equal(compiled + 1, work(ma.stencil(fn)))      -- another one of the same text
  end)

  it_compiles("runs plain operators over shifted views, wherever the result goes", function()
    local function five(w, mid, up, down, left, right)
      return w - 0.1 * (up + down + left + right - 4 * mid)
    end
    local function views(u)
      return u["2:-2, 2:-2"], u[":-3, 2:-2"], u["3:, 2:-2"], u["2:-2, :-3"], u["2:-2, 3:"]
    end
    local stencil = ma.stencil(function(u) return five(u(0, 0), u(0, 0), u(-1, 0), u(1, 0), u(0, -1), u(0, 1)) end,
      { compile = false })
    local function check(u, note)
      local got = five(u["2:-2, 2:-2"]:copy(), views(u))
      assert(bytes(got) == bytes(stencil(u)["2:-2, 2:-2"]), note)
    end
    local fused, u, were = ma.fuse(five), field({ 702, 702 }, "float32"), kernels()
    local mid, up, down, left, right = views(u)
    local z = mid:copy()
    local out = { out = ma.empty({ 700, 700 }, "float32") }
    check(u, "before")
    local function work()
      for _ = 1, 400 do fused(z, mid, up, down, left, right, out) end
      core.background(true)
    end
    work()
    assert.equal(were + 1, kernels())
    for _, shape in ipairs { { 702, 702 }, { 50, 60 }, { 2100, 4 }, { 4, 2100 }, { 3, 40000 } } do
      local text = table.concat(shape, "x")
      local a = field(shape, "float32")
      check(a, text)
      check(a["::-1, :"], text .. " backwards")
      check(a.T, text .. " transposed")
      local wide = field({ shape[1], shape[2] + 9 }, "float32")
      check(wide[":, 5:-6"], text .. " of wider rows")
      local want = five(a["2:-2, 2:-2"]:copy(), views(a)):copy()
      a["2:-2, 2:-2"] = five(a["2:-2, 2:-2"]:copy(), views(a))               -- into what is read
      assert(bytes(want) == bytes(a["2:-2, 2:-2"]), text .. " in place")
    end
    assert.equal(were + 1, kernels())
    local want = fused(z, mid, up, down, left, right):copy()
    fused(z, mid, up, down, left, right, { out = z })    -- each element is written once, after it was read
    assert(bytes(z) == bytes(want), "in place beside views")
    fused(mid, mid, up, down, left, right, { out = mid })
    assert(bytes(mid) == bytes(want), "into what is read")
  end)

  it("says what compile is", function()
    local ok, message = pcall(ma.stencil, print, { compile = 3 })
    assert(not ok and message:find("moonarray.stencil: compile is the number 3; wanted true or false", 1, true))
    assert.equal(3, ma.stencil(function(u) return u(0) + u(1) end, { compile = false })(ma.ones(4)):max():item() + 1)
  end)

  it_compiles("goes on without a compiler", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write([[
      package.path, package.cpath = "./lua/?.lua;./lua/?/init.lua;" .. package.path, "./?.so;" .. package.cpath
      local ma = require "moonarray"
      local s = ma.stencil(function(u) return u(-1) * 2 - u(1) end, { boundary = "wrap", compile = true })
      print(s(ma.arange(5)), s(ma.arange(5)))
    ]])
    file:close()
    local pipe = assert(io.popen((
      "LUA=$(command -v '%s'); CXX= PATH=/nowhere MOONARRAY_DEVICE=cpu MOONARRAY_TRACE=jit \"$LUA\" '%s' 2>&1"):format(
      os.getenv("LUAJIT") or "luajit", path)))
    local said = pipe:read("*a")
    pipe:close()
    os.remove(path)
    assert.matches("stencil: not compiled, the interpreter goes on with it: no C%+%+ compiler was found", said)
    assert.matches("%[ 7 %-2 %-1  0  6%].-%[ 7 %-2 %-1  0  6%]", said)
  end)
end)
