-- Vectors in code for one element: the same functions in Lua's numbers, in ma.fuse, in the plain form and in kernels.

local helper = require "spec.helper"

local ma, fails = helper.ma, helper.fails
local jit = ma.jit
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

-- Functions of six numbers that return numbers. What they give for Lua's numbers is what all forms give.
local rules = {
  operators = function(a, b, c, d, e, f)
    local p, q = jit.vec3(a, b, c), jit.vec3(d, e, f)
    local r = (p + q) * 2 - p * q / 4 + 1 / q - -p
    r = r % 3
    return r.x, r.y, r.z
  end,
  fields = function(a, b, c, d, e, f)
    local p = jit.vec4(a, jit.vec2(b, c), d)
    p.x = e
    p.yz = p.zy
    p.wzyx = p
    p[4] = p.w + f
    local q = p.wzyx
    q.rg = q.ba * 2
    return q.x + p.x, q.y + p.y, q.z + p.b, q[4] + p.a
  end,
  methods = function(a, b, c, d, e, f)
    local p, q = jit.vec3(a, b, c), jit.vec3(d, e, f)
    local sum = p:length() + p:distance(q)
    return p:dot(q) + sum, p:cross(q):unpack()
  end,
  normal = function(a, b, c, d, e, f)
    local p = jit.vec2(a, b):normalize()
    local q = jit.vec4(p, c + e, d - f):normalize()
    return q:unpack()
  end,
  branches = function(a, b, c, d, e, f)
    local p, q = jit.vec2(a, b), jit.vec2(c, d)
    if a > b then p = q * e elseif c > d then p.y = f end
    local r = e > f and q or a > c and p or jit.vec2(1, 2)
    if r == q then return r.x, 1 end
    if r ~= jit.vec2(1, 2) then return r:unpack() end
    return p.x, p.y
  end,
  loops = function(a, b, c, d, e, f)
    local sum, step = jit.vec2(0, 0), jit.vec2(a, b)
    for _ = 1, 5 do
      if sum.x > c + e * f then break end
      sum = sum + step * 1.5
      step.x, step.y = step.y, step.x + d
    end
    return sum.x, sum.y
  end,
  matrices = function(a, b, c, d, e, f)
    local m = jit.mat3(jit.vec3(a, b, c), jit.vec3(d, e, f), jit.vec3(1, 2, 3))
    local n = m * jit.mat3(2) - m:transpose() / 4
    n[2] = n[3] + m[1]
    if a > b then n = -n * m end
    if n == m then return 0, 0, 0, 0 end
    local v = n * jit.vec3(d, b, f)
    return v.x, v.y, v.z, n[2][3]
  end,
  small_matrices = function(a, b, c, d, e, f)
    local m = jit.mat2(a, b, c, d) * jit.mat2(jit.vec2(e, f), jit.vec2(f, e))
    return (2 * m):unpack()
  end,
  quaternions = function(a, b, c, d, e, f)
    local q, v = jit.quat(a, b, c, d), jit.vec3(d, e, f)
    local r = (q * jit.quat(f, e, d, c)):normalize()
    local turned = r:conjugate():rotate(v)
    return turned.x, turned.y, turned.z, r:dot(q) + r.wxyz.y
  end,
  functions = function(a, b, c, d, e, f)
    local origin = jit.vec2(e, f)
    local function reflected(v, n) return v - n * (2 * v:dot(n)), n end
    local function moved(v) return reflected(v + origin, jit.vec2(c, d)) end
    local p, n = moved(jit.vec2(a, b))
    return p.x, p.y, n.x
  end,
}

local inputs = {}
local random = helper.random(7)
for k = 1, 6 do
  inputs[k] = {}
  for j = 1, 40 do inputs[k][j] = math.floor(random() * 64 - 32) / 8 + (j > 20 and random() or 0) end
end

local function arrays(dtype)
  local list = {}
  for k = 1, 6 do list[k] = ma.array(inputs[k], dtype) end
  return list
end

--- Compares two lists of arrays, number by number.
local function same(expected, given, what)
  assert.are.equal(#expected, #given, what)
  for k = 1, #expected do
    assert.are.equal(expected[k].dtype, given[k].dtype, what)
    helper.same_numbers(given[k]:reshape(-1):totable(), expected[k]:reshape(-1):totable(), what .. ", result " .. k)
  end
end

describe("a vector", function()
  for name, rule in pairs(rules) do
    it("gives what Lua's numbers give: " .. name, function()
      local lists = {}
      for j = 1, #inputs[1] do
        local given = {}
        for k = 1, 6 do given[k] = inputs[k][j] end
        for r, number in ipairs { rule(unpack(given)) } do
          lists[r] = lists[r] or {}
          lists[r][j] = number
        end
      end
      local golden = {}
      for r, list in ipairs(lists) do golden[r] = ma.array(list, "float64") end
      for what, form in pairs { fuse = ma.fuse(rule), plain = ma.fuse(rule, { plain = true }),
        vectorize = ma.vectorize(rule), kernel = jit.elementwisekernel(rule) } do
        same(golden, { form(unpack(arrays "float64")) }, what)
      end
    end)

    it("has the dtype of its elements in all forms: " .. name, function()
      local plain = { ma.fuse(rule, { plain = true })(unpack(arrays "float32")) }
      same(plain, { ma.fuse(rule)(unpack(arrays "float32")) }, "fuse")
      same(plain, { jit.elementwisekernel(rule)(unpack(arrays "float32")) }, "kernel")
    end)
  end
end)

describe("a vector in a stencil", function()
  it("gives what numbers give, in all forms", function()
    local function slope(u)
      local g = jit.vec2(u(1, 0) - u(-1, 0), u(0, 1) - u(0, -1))
      if g:length() > 4 then g = g:normalize() * 4 end
      return g.x, g.y
    end
    local function plain(u)
      local x, y = u(1, 0) - u(-1, 0), u(0, 1) - u(0, -1)
      local length = ma.sqrt(x * x + y * y)
      return ma.where(length:gt(4), x / length * 4, x), ma.where(length:gt(4), y / length * 4, y)
    end
    local field = arrays("float32")[1]:reshape(5, 8)
    local expected = { ma.stencil(plain, { boundary = "wrap", out = 2 })(field) }
    for _, form in ipairs { ma.stencil(slope, { boundary = "wrap", out = 2 }),
      ma.stencil(slope, { boundary = "wrap", out = 2, plain = true }),
      ma.stencil(jit.device(slope), { boundary = "wrap", out = 2 }) } do
      same(expected, { form(field) }, tostring(form))
    end
    assert.matches("vector", fails(ma.stencil(function(u) return jit.vec2(u(0, 0), 1) end), field))
    local device = jit.device(function(u) return jit.vec2(u(0, 0), 1) end)
    assert.matches("vector", fails(ma.stencil(device, { boundary = "wrap" }), field))
  end)
end)

describe("a turn", function()
  it("is that of its axis and angle in all forms", function()
    local function rule(x, y, angle)
      return jit.rotation(jit.vec3(0, 0, 2), angle):rotate(jit.vec3(x, y, 1)):unpack()
    end
    local given = { ma.array { 1, 0, 3 }, ma.array { 0, 2, 4 }, ma.array { math.pi / 2, math.pi, 0 } }
    local turned = { ma.fuse(rule)(unpack(given)) }
    assert.is_true(ma.allclose(turned[1], ma.array { 0, 0, 3 }, { atol = 1e-15 }))
    assert.is_true(ma.allclose(turned[2], ma.array { 1, -2, 4 }))
    assert.is_true(ma.array_equal(turned[3], ma.ones(3)))
    for _, form in ipairs { ma.fuse(rule, { plain = true }), ma.vectorize(rule) } do
      for k, other in ipairs { form(unpack(given)) } do    -- their sines have other last bits
        assert.is_true(ma.allclose(turned[k], other, { atol = 1e-15 }))
      end
    end
    local third = jit.rotation(jit.vec3(1, 1, 1), 2 * math.pi / 3):rotate(jit.vec3(1, 0, 0))
    assert.is_true(third:distance(jit.vec3(0, 1, 0)) < 1e-15)
  end)
end)

describe("a vector in a kernel", function()
  it("reads matrices", function()
    local kernel = jit.rawkernel(function(m, p, out)
      local i = jit.grid(1)
      if i <= #p then out[i][1], out[i][2] = (jit.mat2(m[i]) * jit.vec2(p[i])):unpack() end
    end)
    local out = ma.zeros { 2, 2 }
    kernel(1, 2, { ma.array { { { 1, 2 }, { 3, 4 } }, { { 0, 1 }, { 1, 0 } } }, ma.array { { 1, 10 }, { 5, 6 } }, out })
    assert.are.same({ { 21, 43 }, { 6, 5 } }, out:totable())
  end)

  it("is made of a row, and its components are written", function()
    local kernel = jit.rawkernel(function(p, out)
      local i = jit.grid(1)
      if i <= #p then
        local v = jit.vec3(p[i])
        if v.x > 4 then v = v:normalize() else v.z = 0 end
        out[i][1], out[i][2], out[i][3] = v:unpack()
      end
    end)
    local out = ma.zeros({ 2, 3 }, "float32")
    kernel(1, 32, { ma.array({ { 1, 2, 3 }, { 6, 0, 8 } }, "float32"), out })
    assert.is_true(ma.array_equal(ma.array({ { 1, 2, 0 }, { 0.6, 0, 0.8 } }, "float32"), out))
  end)

  it("is written into a row, and a matrix into two axes", function()
    for _, check in ipairs { true, false } do
      local kernel = jit.rawkernel(function(p, q, m)
        local i = jit.grid(1)
        if i <= #p then
          local v = jit.vec2(p[i])
          p[i], q[i] = v.yx, v * 2
          m[i] = jit.mat2(v, v.yx)
        end
      end, { check = check })
      local p, q, m = ma.array { { 1, 2 }, { 3, 4 } }, ma.zeros({ 2, 2 }, "int32"), ma.zeros { 2, 2, 2 }
      kernel(1, 32, { p, q, m })
      assert.are.same({ { 2, 1 }, { 4, 3 } }, p:totable())
      assert.are.same({ { 2, 4 }, { 6, 8 } }, q:totable())
      assert.are.same({ { { 1, 2 }, { 2, 1 } }, { { 3, 4 }, { 4, 3 } } }, m:totable())
    end
    local function refused(text, array)
      return fails(jit.rawkernel("function(p) " .. text .. " end", { constants = { jit = jit } }), 1, 1, { array })
    end
    assert.matches("1 position of p, an array of 2 axes, for what is written; wanted an element, or a vector",
      refused("p[1] = 5", ma.ones { 2, 2 }))
    assert.matches("1 position of p, an array of 3 axes", refused("p[1] = jit.vec2(1)", ma.ones { 2, 2, 2 }))
    assert.matches("a vec2 is written; wanted a number", refused("p[1] = jit.vec2(1)", ma.ones(2)))
    local cpu = ma.device "cpu"
    assert.matches("position 3 on axis 2", fails(cpu.with, cpu, jit.rawkernel(function(p) p[1] = jit.vec3(1) end), 1, 1,
      { cpu:with(ma.ones, { 2, 2 }) }))
  end)

  it("may come from outside, and each call looks at it", function()
    local up = jit.vec2(1, 2)
    local kernel, fused = ma.vectorize(function(x) return (up * x):unpack() end),
      ma.fuse(function(x) return (x * up):unpack() end)
    local function check(x, y)
      for _, form in ipairs { kernel, fused } do
        local a, b = form(ma.full(2, 3))
        assert.are.same({ x, y }, { a(1), b(1) })
      end
    end
    check(3, 6)
    up.y = 5
    check(3, 15)
  end)

  it("is among what a function takes, with its components", function()
    local up = jit.vec2(1, 2)
    local function rule(x) return (x * up):unpack() end
    assert.are.same({ ["up[1]"] = 1, ["up[2]"] = 2 }, ma.fuse(rule):captures())
    local form = ma.fuse(rule, { captures = { "up" } })
    assert.are.equal(2, (select(2, form(ma.ones(3)))(1)))
    assert.matches("takes 'up%[1%]' from outside; captures allows nothing",
      fails(function() return ma.fuse(rule, { captures = {} })(ma.ones(3)) end))
  end)

  it("takes the type of what is added to constants", function()
    local kernel = ma.vectorize(function(x)
      local sum = jit.vec2(0, 1)
      sum = sum + x
      return sum:unpack()
    end)
    local a, b = kernel(ma.ones(2, "float32"))
    assert.are.same({ "float32", "float32", 1, 2 }, { a.dtype, b.dtype, a(1), b(1) })
  end)
end)

inputs.v = jit.vec2(0)

describe("an error of vectors", function()
  local cases = {
    { "local v = jit.vec2(x, x) + jit.vec3(1) return v.x", "'%+' of a vec2 and a vec3" },
    { "return jit.vec3(x, x).x", "'jit.vec3' of 2 numbers; wanted 3, or one for all of them", "2 numbers; wanted 3" },
    { "return jit.vec2(x, x).z", "has no field 'z'; there are x, y, as colours r, g", "no field 'z'; there are x, y" },
    { "return jit.vec2(x, x)[3]", "component 3 of a vec2; wanted 1 to 2", "component 3 of a vec2; wanted 1 to 2" },
    { "return jit.vec2(x, x):dot(2)", "':dot' of a number; wanted a vec2", "a number; wanted a vec2" },
    { "return jit.vec2(x, x):cross(2)", "no method ':cross'", "no field 'cross'" },
    { "local v = jit.vec2(x, x) v.xx = v return v.x", "'xx' has a component twice" },
    { "local v = jit.vec2(x, x) v.x = v return v.x", "is a vec2; wanted a number", "'x' gets a vec2; wanted a number" },
    { "return (jit.vec3(x) * jit.mat3(x)).x", "'%*' of a vec3 and a mat3; wanted the matrix on the left" },
    { "return (jit.mat3(x) * jit.vec2(x)).x", "'%*' of a mat3 and a vec2" },
    { "return (jit.mat3(x) + 1)[1].x", "'%+' of a mat3 and a number" },
    { "return (jit.quat(x, 0, 0, 1) * jit.vec3(x)).x", "wanted q:rotate" },
    { "return jit.quat(x, 0, 0, 1):rotate(jit.vec2(x)).x", "a vec2; wanted a vec3" },
    { "return jit.quat(x)", "1 number; wanted 4" },
    { "return jit.mat2(x, x)", "2 numbers; wanted 4, or one for its diagonal" },
    { "return jit.mat2(x)[3].x", "row 3 of a mat2; wanted 1 to 2" },
    { "return jit.mat2(x).x", "no field 'x'; there are the rows m%[1%] to m%[2%]" },
    { "local m = jit.mat2(x) m[1].x = 1 return x", "no local holds", "a row is a copy: write m%[i%] = v" },
    { "return jit.rotation(x, 1).x", "wanted a vec3" },
    { "return jit.rotation(jit.vec3(x), jit.vec3(x)).x", "wanted a number" },
    { "local v = jit.vec3(x) v.xy = 1 return v.x", "wanted a vec2" },
    { "return jit.vec2(x, x)", "return v:unpack%(%)", "is a vector" },
    { "return jit.vec2(x, x) == jit.vec3(x)", "'==' of a vec2 and a vec3" },
    { "local v = jit.vec2(x) if x > 5 then v = 1 end return v.x", "'v' is a vec2 and gets the number 1",
      "vec2 for some elements only" },
  }
  for _, case in ipairs(cases) do
    it("is clear: " .. case[1], function()
      local text = "function(x) " .. case[1] .. " end"
      local of_kernel = ma.vectorize(text, { constants = { jit = jit } })
      assert.matches(case[2], fails(of_kernel, ma.ones(2)))
      local make = assert(loadstring("local jit = ... return " .. text))
      assert.matches(case[3] or case[2], fails(ma.fuse(make(jit)), ma.ones(2)))
    end)
  end

  it("says where two names stand for one vector", function()
    for _, text in ipairs {
      "local v = jit.vec2(x, x) local w = v w.x = 1 return v.x",
      "local v = jit.vec2(x, x) local w = jit.vec2(0) w = x > 0 and v or w w.x = 1 return v.x",
      "local v = jit.vec2(x, x) local function f(p) p.x = 1 end f(v) return v.x",
      "local v = jit.vec2(x, x) local function f(p) return p end local w = f(v) w.x = 1 return v.x",
      -- The one that is assigned to may be the vector that a choice or a function gave to the other.
      "local v = jit.vec2(x, x) local w = x > 0 and jit.vec2(0) or v v.x = 1 return w.x",
      "local v = jit.vec2(x, x) local w = x > 0 and v or jit.vec2(0) v.x = 1 return w.x",
      "local v = jit.vec2(x, x) local w = jit.vec2(0) w = x > 0 and v or x < 0 and w or v v.x = 1 return w.x",
      "local v = jit.vec2(x, x) local function f(p) return p end local w = f(v) v.x = 1 return w.x",
      "local v = jit.vec2(x, x) local w = x > 0 and v or jit.vec2(0) local u = x > 1 and w or v v.x = 1 return u.x",
    } do
      assert.matches("take a copy", fails(ma.vectorize("function(x) " .. text .. " end", { constants = { jit = jit } }),
        ma.ones(2)))
    end
    -- Not where it was assigned to before, unless a loop comes back to it.
    local before = "local v, u = jit.vec2(x, x), jit.vec2(0) for _ = 1, 2 do v.x = v.x + 1 u = x > 0 and v or -v end "
      .. "return v.y + u.x"
    local inside = "local v = jit.vec2(x, x) for _ = 1, 2 do v.x = v.x + 1 local u = x > 0 and v or -v "
      .. "x = x + u.y end return x"
    local function of(text) return ma.vectorize("function(x) " .. text .. " end", { constants = { jit = jit } }) end
    assert.matches("take a copy", fails(of(before), ma.ones(2)))
    assert.same({ 3, 1 }, of(inside)(ma.array { 1, -1 }):totable())
    local once = "local v = jit.vec2(x, x) v.x = 3 local w = x > 0 and v or -v return w.x + v.y"
    assert.same({ 4, -4 }, of(once)(ma.array { 1, -1 }):totable())
    -- Programs follow them, as Lua does.
    for _, rule in ipairs {
      function(x)
        local v, w = jit.vec2(x, x), jit.vec2(0, 0)
        if x > 1 then w = v end
        w.x = 7
        v.y = v.y + 1
        return v.x, w.x, v.y + w.y
      end,
      function(x)
        local v = jit.vec2(x, x)
        local w = v
        if x > 1 then w.x = 5 elseif x < 0 then v = jit.vec2(1, 1) v.x = 3 end
        local u = x > 2 and v or x > 1 and w or jit.vec2(2, 2)
        u.y = u.x
        v.x = v.x + 1
        return v.x + v.y, w.x + w.y, u.x + u.y
      end,
      function(x)
        local v = jit.vec2(x, x)
        if x > 1 then v.y = 0 else
          if x > 0 then v = jit.vec2(2, 3) end
          v.x = 9
        end
        return v.x, v.y, x
      end,
    } do
      local x = ma.array { -2, 0, 0.5, 1, 2, 3, 4 }
      local lists = { {}, {}, {} }
      for j = 1, #x do
        for r, number in ipairs { rule(x(j)) } do lists[r][j] = number end
      end
      local found = { ma.fuse(rule)(x) }
      for r = 1, 3 do assert.are.same(lists[r], found[r]:totable()) end
    end
  end)

  it("names what a vector is given outside of kernels", function()
    assert.matches("'vec3' of the string", fails(jit.vec3, "x"))
    assert.matches("wanted a vector or a number", fails(function() return jit.vec3(1) + {} end))
    assert.matches("no field 'q'", fails(function() return jit.vec3(1).q end))
    assert.matches("component 0 of a vec3; wanted 1 to 3", fails(function() return jit.vec3(1)[0] end))
    assert.are.equal("vec2(1, 2)", tostring(jit.vec2(1, 2)))
    assert.matches("from outside the function", fails(ma.fuse(function(x)
      if x > 0 then inputs.v.x = x end
      return x
    end), ma.ones(2)))
  end)

  it("is named where an array is wanted, as grids and lists are", function()
    local grid, v = ma.spatial.HashGrid({ 0 }, { 1 }, 1), jit.vec2(ma.ones(2), 2)
    assert.matches("moonarray.asarray: a HashGrid; wanted an array, a number or a list", fails(ma.asarray, grid))
    assert.matches("moonarray.sum: a vector; wanted an array", fails(ma.sum, v))
    assert.matches("moonarray.sqrt: a list; wanted an array", fails(ma.sqrt, ma.list(3)))
    assert.matches("argument 1 %(p%) is a vec2; wanted it declared, as in in_params = 'vec2 p'",
      fails(jit.elementwisekernel(function(p) return p.x end), jit.vec2(1, 2)))
    for _, make in ipairs { jit.elementwisekernel, ma.vectorize } do
      assert.matches("jit_vector_spec.lua:%d+: moonarray.jit: component 1 of 'v', a vec2 from outside, is no number",
        fails(make(function(x) return v.y + x end), ma.ones(2)))
    end
  end)
end)
