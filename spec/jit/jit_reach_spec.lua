-- Rules of stencils that read neighbours at offsets which depend on elements.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails

local FILE = "spec/jit/jit_reach_spec.lua:"

-- An axis from 0 on, as each rule continues it; nil is the value outside. It walks, where the library computes.
local continued = {
  constant = function(p, n) return p >= 0 and p < n and p or nil end,
  nearest = function(p, n) return math.max(0, math.min(n - 1, p)) end,
  wrap = function(p, n)
    while p < 0 do p = p + n end
    while p >= n do p = p - n end
    return p
  end,
  reflect = function(p, n)
    while p < 0 or p >= n do p = p < 0 and -1 - p or 2 * n - 1 - p end
    return p
  end,
  mirror = function(p, n)
    while n > 1 and (p < 0 or p >= n) do p = p < 0 and -p or 2 * n - 2 - p end
    return n > 1 and p or 0
  end,
}

local function advection(u, vy, vx)
  local y, x = -vy(0, 0), -vx(0, 0)
  local i, j = math.floor(y), math.floor(x)
  local fy, fx = y - i, x - j
  local top = u(i, j) * (1 - fx) + u(i, j + 1) * fx
  local bottom = u(i + 1, j) * (1 - fx) + u(i + 1, j + 1) * fx
  return top * (1 - fy) + bottom * fy
end

--- The same in plain Lua over tables of rows.
local function advected(u, vy, vx, rules, value)
  local rows, columns, result = #u, #u[1], {}
  local function at(i, j)
    local p, q = continued[rules[1]](i, rows), continued[rules[2]](j, columns)
    return p and q and u[p + 1][q + 1] or value
  end
  for i = 0, rows - 1 do
    result[i + 1] = {}
    for j = 0, columns - 1 do
      local y, x = i - vy[i + 1][j + 1], j - vx[i + 1][j + 1]
      local k, l = math.floor(y), math.floor(x)
      local fy, fx = y - k, x - l
      result[i + 1][j + 1] = (at(k, l) * (1 - fx) + at(k, l + 1) * fx) * (1 - fy)
        + (at(k + 1, l) * (1 - fx) + at(k + 1, l + 1) * fx) * fy
    end
  end
  return result
end

describe("a stencil that reads at offsets which depend on elements", function()
  it("moves a field along a velocity as plain Lua does, at every edge and of every dtype", function()
    local failures = helper.failures()
    local rules = { "constant", "nearest", "wrap", "reflect", "mirror" }
    for b, rule in ipairs(rules) do
      for _, dtype in ipairs { "float64", "float32", "uint8" } do
        failures:run(rule .. " " .. dtype, function()
          local u = (ma.arange(63) * 11 % 17):reshape(7, 9):astype(dtype)
          -- quarters, up to three times the field's length, so that every result is exact
          local made = dtype == "float64" and dtype or "float32"
          local vy = ((ma.arange(63) * 29 % 171 - 85) / 4):reshape(7, 9):astype(made)
          local vx = ((ma.arange(63) * 37 % 217 - 108) / 4):reshape(7, 9):astype(made)
          local edges = { rule, rules[b % 5 + 1] }
          local options = { boundary = edges, value = 3 }
          local got = ma.stencil(advection, options)(u, vy, vx)
          assert.equal(made, got.dtype)
          assert.same(advected(u:totable(), vy:totable(), vx:totable(), edges, 3), got:totable())
          options.plain = true
          ma.testing.assert_array_equal(ma.stencil(advection, options)(u, vy, vx), got)
        end)
      end
    end
    failures:check()
  end)

  it("has fields of one to three axes, views, bools and halves", function()
    local function along(u, d) return u(d(0)) end
    local d = ma.array({ 3, -2, 0, 2, -9 }, "int32")
    for _, dtype in ipairs { "bool", "float16", "bfloat16", "int64", "complex64" } do
      local u = ma.concatenate { ma.arange(5) % 3, ma.arange(5) }:astype(dtype)[{ { 1, 10, 2 } }]
      local got = ma.stencil(along, { boundary = "wrap" })(u, d)
      assert.equal(dtype, got.dtype)
      ma.testing.assert_array_equal(got, u:take(ma.array({ 4, 5, 3, 1, 1 }, "int64")))
    end
    local function through(u, v)
      return u(v(0, 0, 0), -v(0, 0, 1), 0) + v(0, -1, 0), v(u(0, 0, 0), 0, u(0, 0, 0) - 2)
    end
    for _, n in ipairs { 3, 33 } do                            -- a GPU takes the axes in another order in the second
      local u = (ma.arange(20 * n) * 7 % 5):reshape(n, 4, 5):astype("int16")
      local v = (ma.arange(20 * n) * 3 % 4):reshape(5, 4, n).T
      local options = { out = 2, boundary = { "mirror", "constant", "reflect" }, value = -2 }
      local a, b = ma.stencil(through, options)(u, v)
      options.plain = true
      local c, e = ma.stencil(through, options)(u, v)
      ma.testing.assert_array_equal(a, c)
      ma.testing.assert_array_equal(b, e)
      assert.same({ c.dtype, e.dtype }, { a.dtype, b.dtype })
    end
  end)

  it("runs over many rows and pieces of rows, step after step, under selects and loops", function()
    local function rule(u)
      local by, n = u(0, 0) % 7 - 3, 0
      while n < 2 and u(by, n) > 2 do n = n + 1 end
      return u(n > 0 and by or -by, -n) + u(1, 0) % 2
    end
    for _, shape in ipairs { { 70, 40 }, { 3, 5000 } } do
      local u = (ma.arange(shape[1] * shape[2]) * 31 % 101):reshape(unpack(shape)):astype("int32")
      local got = ma.stencil(rule, { boundary = "reflect" }):run(u, { steps = 2 })
      local plain = ma.stencil(rule, { boundary = "reflect", plain = true })
      ma.testing.assert_array_equal(got, plain(plain(u)))
    end
  end)

  it("takes any offset: cut off to a whole number, and 0 for NaN", function()
    local function rule(u, d) return u(d(0)) end
    local u = ma.array { 10, 20, 30, 40, 50, 60, 70 }
    local d = ma.array { 1.75, -0.5, 0 / 0, 1e300, -1e300, 1 / 0, -(2 ^ 31) }
    for _, boundary in ipairs { "constant", "nearest", "wrap", "reflect", "mirror" } do
      local got = ma.stencil(rule, { boundary = boundary })(u, d)
      ma.testing.assert_array_equal(got, ma.stencil(rule, { boundary = boundary, plain = true })(u, d))
      assert.same({ 20, 20, 30 }, got["1:3"]:totable())
    end
    assert.same({ 70, 10, 70, 10 }, ma.stencil(rule, { boundary = "nearest" })(u, d)["4:"]:totable())
    -- an unsigned element that wraps around is a step back
    local v = ma.array({ 0, 1, 2 }, "uint64")
    assert.same({ 2, 1, 0 }, ma.stencil(function(w) return w(2 - 2 * w(0)) end)(v):totable())
  end)

  it("follows functions that it calls, device functions, and 0-d arrays from outside", function()
    local by, u = ma.array(2, "int32"), ma.arange(6)
    local function read(f, k) return f(k) end
    local s = ma.stencil(function(v) return read(v, by + 0 * v(0)) end, { boundary = "wrap" })
    assert.same({ 2, 3, 4, 5, 0, 1 }, s(u):totable())
    by:assign(-1)
    assert.same({ 5, 0, 1, 2, 3, 4 }, s(u):totable())
    local device = ma.stencil(ma.jit.device("function(v) return v(v(0) - 2) end"), { boundary = "nearest" })
    assert.same({ 0, 0, 2, 4, 5, 5 }, device(u):totable())
  end)

  it("is a program where an offset is one of a few numbers", function()
    local far = 2
    local function upwind(u, v)
      local by = v(0, 0) > 0 and -1 or 1
      local d = v(0, 0) * (u(0, 0) - u(by, 0)) + u(0, far * by)
      if v(0, 0) == 0 then by = 0 elseif v(0, 0) == 1 then by = far end
      return d + u(by, by)
    end
    local u, v = (ma.arange(42) * 11 % 17):reshape(6, 7), (ma.arange(42) * 5 % 4 - 1):reshape(6, 7)
    for _, boundary in ipairs { "constant", "wrap", "leave" } do
      local s = ma.stencil(upwind, { boundary = boundary, compile = false })
      for _, dtype in ipairs { "float64", "int16" } do
        local a, b = u:astype(dtype), v:astype(dtype)
        for k = 2, 3 do
          far = k
          local wanted = ma.stencil(upwind, { boundary = boundary, plain = true })(a, b)
          local got = s(a, b)
          assert.equal(wanted.dtype, got.dtype)
          -- what an element does not take counts for the reach of a program
          if boundary == "leave" then got, wanted = got["4:-3, 4:-3"], wanted["4:-3, 4:-3"] end
          ma.testing.assert_array_equal(got, wanted)
        end
      end
      assert.is_nil(tostring(s):find("as C++", 1, true))
    end
  end)

  it("says what is wrong", function()
    local function rule(u, d) return u(d(0)) end
    local line = debug.getinfo(rule, "S").linedefined
    local place = "^" .. FILE:gsub("%p", "%%%0") .. line .. ": moonarray.stencil: "
    local u = ma.ones(3)
    local depends = "offset 1 of a neighbour depends on elements"
    assert.matches(place .. depends .. ", with boundary \"leave\"; wanted another boundary",
      fails(ma.stencil(rule, { boundary = "leave" }), u, u))
    assert.matches("moonarray.stencil: an offset of a neighbour depends on elements, with boundary \"leave\"; wanted",
      fails(ma.stencil(ma.jit.device("function(u, d) return u(d(0)) end"), { boundary = "leave" }), u, u))
    assert.matches(depends .. ", with boundary \"leave\"; wanted",
      fails(ma.stencil(rule, { boundary = "leave", plain = true }), u, u))
    assert.matches("as C%+%+: " .. depends, tostring((function()
      local s = ma.stencil(rule)
      s(u, u)
      return s
    end)()))
    for _, wrong in ipairs {
      { "offset 1 of 'v' is complex", function(v) return v(v(0) * ma.complex64(1)) end },
      { "a neighbour by 2 offsets of a field of 1 axes", function(v) return v(v(0), 0) end },
      { "offset 1 of 'v' is a boolean", function(v) return v(v(0) > 1) end },
    } do
      assert.matches(wrong[1], fails(ma.stencil(wrong[2]), u))
    end
    assert.matches("offset 2 of 'v'; wanted a constant whole number from %-4096 to 4096",
      fails(ma.stencil(function(v) return v(v(0, 0), 0.5) end), ma.ones { 2, 2 }))
  end)
end)
