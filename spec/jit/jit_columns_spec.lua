-- Parameters of ma.jit.elementwisekernel and reductionkernel that are declared as vectors: which axes of an array have
-- the components, what is written where, and what is refused.

local helper = require "spec.helper"

local ma, fails = helper.ma, helper.fails
local jit = ma.jit

local move = jit.elementwisekernel(function(p, v, dt)
  v = v + jit.vec3(0, -2, 0) * dt
  return p + v * dt, v
end, { in_params = "vec3 p, vec3 v, float32 dt", out_params = "vec3 q, vec3 w" })

--- What `move` gives, by operators over columns.
local function moved(p, v, dt)
  local w = v + ma.array({ 0, -2, 0 }, p.dtype) * dt
  return p + w * dt, w
end

local function given(dtype, ...)
  local random = helper.random(3)
  local list = {}
  for k = 1, 40 * 3 do list[k] = math.floor(random() * 64 - 32) / 8 end
  return ma.array(list, dtype):reshape(...), ma.array(list, dtype)["::-1"]:reshape(...)
end

local function equal(expected, found) assert.is_true(ma.array_equal(expected, found), tostring(found)) end

describe("a parameter that is a vector", function()
  it("has its components along the last axis, or along the first one", function()
    local p, v = given("float32", 40, 3)
    local q, w = moved(p, v, 0.5)
    local a, b = move(p, v, 0.5)
    equal(q, a)
    equal(w, b)
    assert.are.equal("float32", a.dtype)
    for _, copy in ipairs { true, false } do
      local pt, vt = p:transpose(), v:transpose()
      if copy then pt, vt = pt:copy(), vt:copy() end
      a, b = move(pt, vt, 0.5)
      equal(q:transpose(), a)
      equal(w:transpose(), b)
    end
    a, b = move(p, v:transpose(), 0.5)               -- the results follow the first vector
    equal(q, a)
    equal(w, b)
  end)

  it("runs over the other axes, and broadcasts", function()
    local p, v = given("float32", 5, 8, 3)
    local q, w = moved(p, v, 0.25)
    local a, b = move(p, v, 0.25)
    equal(q, a)
    equal(w, b)
    equal(moved(p, ma.array({ 1, 2, 3 }, "float32"), 0.25), (move(p, { 1, 2, 3 }, 0.25)))
    equal(moved(p, ma.array({ 1, 2, 3 }, "float32"), 0.25), (move(p, jit.vec3(1, 2, 3), 0.25)))
    equal(moved(p, v["1"], 0.25), (move(p, v["1"], 0.25)))
    a = move(ma.zeros({ 0, 3 }, "float32"), jit.vec3(0), 1)
    assert.are.same({ 0, 3 }, a.shape)
    assert.are.same({ 3 }, move(jit.vec3(0), jit.vec3(0), 1).shape)
    local single = move(p["1, 1"], jit.vec3(0), 1)
    assert.are.same({ { 3 }, "float32" }, { single.shape, single.dtype })
    equal(moved(p["1"], v["1"], 0.25), (move(p["1"], v["1"]:copy(), ma.full(8, 0.25, "float32"))))
  end)

  it("writes into arrays that are given, whatever their layout", function()
    local p, v = given("float32", 40, 3)
    local q, w = moved(p, v, 0.5)
    local wide, tall = ma.zeros({ 40, 7 }, "float32"), ma.zeros({ 3, 40 }, "float32")
    local a, b = move(p, v, 0.5, wide["..., ::3"], tall)
    equal(q, a)
    equal(q, wide["..., ::3"])
    equal(ma.zeros({ 40, 2 }, "float32"), wide["..., 2:3"])
    assert.is_true(rawequal(b, tall))
    equal(w, tall:transpose())
    local old = p:copy()
    move(p, v, 0.5, { out = { p, v } })              -- in place
    equal(q, p)
    equal(w, v)
    local rows = ma.zeros({ 41, 3 }, "float32")      -- shifted: as if the arguments were read first
    rows["1:40"] = old
    move(rows["1:40"], ma.zeros { 40, 3 }:astype "float32", 0, rows["2:41"])
    equal(old, rows["2:41"])
  end)

  it("has every dtype, and matrices two axes", function()
    local turn = jit.elementwisekernel(function(m, v)
      v.x = v.x + 1
      return m:transpose() * v
    end, { in_params = "mat2 m, vec2 v", out_params = "vec2 w" })
    for _, dtype in ipairs { "uint8", "bfloat16", "float32", "complex64" } do
      local m, v = ma.arange(1, 13):reshape(3, 2, 2):astype(dtype), ma.arange(1, 7):reshape(3, 2):astype(dtype)
      local wanted = ma.array({ { 8, 12 }, { 48, 56 }, { 120, 132 } }, dtype)
      equal(wanted, turn(m, v))
      equal(wanted:transpose(), turn(m:transpose({ 2, 3, 1 }):copy(), v:transpose():copy()))
      equal(wanted:transpose(), turn(m:transpose { 2, 3, 1 }, v))
      assert.are.equal(dtype, turn(m, v).dtype)
    end
  end)

  it("stands beside whole arrays, other outputs and the element's number", function()
    local kernel = jit.elementwisekernel(function(v, table, hits)
      local i = jit.grid(1)
      hits[i] = v:length()
      return v * table[i], v.x > 1, i
    end, { in_params = "vec2 v, raw T table", out_params = "raw float64 hits, vec2 w, bool big, int64 i" })
    local hits = ma.zeros(2)
    local h, w, big, i = kernel(ma.array { { 3, 4 }, { 0, 1 } }, ma.array { 2, 3 }, hits)
    assert.is_true(rawequal(h, hits))
    assert.are.same({ { 5, 1 }, { { 6, 8 }, { 0, 3 } }, { true, false }, { 1, 2 } },
      { hits:totable(), w:totable(), big:totable(), i:totable() })
    local made = jit.elementwisekernel(function(x) return jit.vec2(x[jit.grid(1)], 1) end,
      { in_params = "raw T x", out_params = "vec2 v" })
    assert.are.same({ { 5, 1 }, { 6, 1 } }, made(ma.array { 5, 6 }, { size = 2 }):totable())
  end)

  it("is read and written at once where it has two or four components side by side", function()
    local kernel = jit.elementwisekernel(function(v, w) return v.wzyx, w end,
      { in_params = "vec4 v, vec2 w", out_params = "vec4 x, vec2 y" })
    local v, w = given("float32", 30, 4)
    local pairs_of = w:reshape(60, 2)["1:30"]
    local x, y = kernel(v, pairs_of)
    equal(v["..., ::-1"], x)
    equal(pairs_of, y)
    local odd = ma.zeros(121, "float32")             -- a place that is no multiple of 16 bytes
    kernel(v, pairs_of, odd["2:121"]:reshape(30, 4))
    equal(v["..., ::-1"], odd["2:121"]:reshape(30, 4))
    equal(odd["2:121"]:reshape(30, 4)["..., ::-1"], (kernel(odd["2:121"]:reshape(30, 4), pairs_of)))
  end)

  it("is reduced", function()
    local kernel = jit.reductionkernel { map = function(p) return p:dot(p) end,
      reduce = function(a, b) return a + b end, in_params = "vec3 p" }
    assert.are.equal(12, kernel(ma.ones { 4, 3 }):item())
    assert.are.same({ 12, 12 }, kernel(ma.ones { 2, 4, 3 }, 2):totable())
    assert.are.equal(15, kernel(ma.ones { 3, 5 }):item())
  end)

  it("is the same in the plain form", function()
    local function fly(p, v, dt)
      v = v + jit.vec3(0, -2, 0) * dt
      return p + v * dt, v
    end
    local declared = { in_params = "vec3 p, vec3 v, float32 dt", out_params = "vec3 q, vec3 w", plain = true }
    local slow, p, v = jit.elementwisekernel(fly, declared), given("float32", 40, 3)
    local q, w = move(p, v, 0.5)
    local a, b = slow(p, v, 0.5)
    equal(q, a)
    equal(w, b)
    assert.are.equal("float32", a.dtype)
    a, b = slow(p:transpose(), v:transpose(), 0.5, p:transpose())
    equal(q, p)
    equal(q:transpose(), a)
    equal(w:transpose(), b)
    local turn = { in_params = "mat2 m, vec2 x", out_params = "vec2 w, mat2 t" }
    local function turned(m, x)
      x.x = x.x + 1
      return m * x, m:transpose()
    end
    local m, x = ma.arange(12):reshape(3, 2, 2), ma.ones({ 3, 2 }, "int64")
    local y, t = jit.elementwisekernel(turned, turn)(m, x)
    turn.plain = true
    local z, u = jit.elementwisekernel(turned, turn)(m, x)
    equal(y, z)
    equal(t, u)
    local square = { map = function(r) return r:dot(r) end, reduce = function(e, f) return e + f end,
      in_params = "vec3 r", plain = true }
    assert.are.same({ 12, 12 }, jit.reductionkernel(square)(ma.ones { 2, 4, 3 }, 2):totable())
    declared.out_params = "vec2 q, vec3 w"
    assert.matches("the function returns vec3, vec3; out_params says vec2, vec3",
      fails(jit.elementwisekernel(fly, declared), p, v, 1))
    assert.matches("return v:unpack%(%)", fails(jit.elementwisekernel(function(r) return r end,
      { in_params = "vec3 r", plain = true }), p))
  end)

  it("is refused if an array does not fit", function()
    local p = ma.ones({ 4, 3 }, "float32")
    assert.matches("p has the shape %(4, 2%) and is declared vec3; wanted an array whose last axis, or first",
      fails(move, ma.ones { 4, 2 }, p, 1))
    assert.matches("p is the number 5; wanted a vec3", fails(move, 5, p, 1))
    assert.matches("v is a vec2; wanted a vec3", fails(move, p, jit.vec2(1), 1))
    assert.matches("v is nil", fails(move, p, nil, 1))
    assert.matches("2 arguments; wanted 3: p, v, dt", fails(move, p, p))
    assert.matches("q has the shape %(4, 2%)", fails(move, p, p, 1, ma.ones { 4, 2 }))
    assert.matches("3 outputs are given; it has 2", fails(move, p, p, 1, p, p, p))
    assert.matches("w has the shape %(2, 3%), for %(2%) vectors; the arguments have %(4%)",
      fails(move, p, p, 1, p, ma.ones({ 2, 3 }, "float32")))
    assert.matches("a vec3 is not raw", fails(jit.elementwisekernel, "function(p) return p.x end",
      { in_params = "raw vec3 p" }))
    local function returns(text, outputs)
      return fails(jit.elementwisekernel("function(p) return " .. text .. " end",
        { in_params = "vec3 p", out_params = outputs }), p)
    end
    assert.matches("a vector as a result; return v:unpack%(%)", returns("p"))
    assert.matches("the function returns vec3; out_params says vec2", returns("p", "vec2 q"))
    assert.matches("the function returns a number; out_params says vec3", returns("p.x", "vec3 q"))
    assert.matches("a vector as a result", returns("p", "float32 q"))
    assert.matches("the function returns vec3, a number; out_params says vec3", returns("p, 1", "vec3 q"))
    assert.matches("a vector among the outputs", fails(jit.reductionkernel, { reduce = "function(a, b) return a end",
      map = "function(p) return p.x end", in_params = "vec3 p", out_params = "vec3 q" }))
  end)
end)
