-- Functions of elements that read arrays from outside at positions: all forms against the plain form and against Lua.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails
local on_gpu = ma.device() ~= ma.device "cpu"
local unchecked = on_gpu and os.getenv "MOONARRAY_CHECK" ~= "1"

--- The forms of a function of one element, by name: each takes an array and gives one.
local function forms(fn, options)
  local plain = options and options.plain
  local all = {
    fuse = ma.fuse(fn, { plain = plain }),
    stencil = ma.stencil(function(u) return fn(u(0)) end, { plain = plain }),
    vectorize = ma.vectorize(fn, { plain = plain }),
    elementwise = ma.jit.elementwisekernel(fn, { plain = plain }),
    reduction = function(x)
      local sums = ma.jit.reductionkernel { map = fn, reduce = function(a, b) return a + b end, plain = plain }
      return sums(x:reshape(-1, 1), 2)
    end,
    generic_filter = not plain and function(x)
      return ma.ndimage.generic_filter(x, function(w) return fn(w[2]) end, 3, { output = "float64" })
    end or nil,
  }
  if on_gpu then all.elementwise, all.reduction = nil, nil end   -- each is a text to compile, as that of vectorize
  return all
end

--- Runs a function in each form, plain and not, and compares the values with those of Lua.
local function check(failures, label, fn, x, wanted)
  for _, plain in ipairs { false, true } do
    for name, form in pairs(forms(fn, { plain = plain })) do
      failures:run(("%s, %s%s"):format(label, plain and "plain " or "", name), function()
        assert.same(wanted, form(x):astype("float64"):totable())
      end)
    end
  end
end

describe("an array from outside that is read at positions", function()
  local t, m = ma.array { 10, 20, 30, 40 }, ma.arange(6, "float64"):reshape(2, 3)
  local x = ma.array({ 2, 4, 1, 3 }, "int64")

  it("is read by a process that has used nothing else", function()
    local shifted = ma.fuse(function(k)
      if k > 3 then return k end
      return k + t[1]
    end)
    assert.same({ 12, 4, 11, 13 }, shifted(x):totable())
  end)

  it("gives its element there in every form", function()
    local failures, held = helper.failures(), { t = t, deep = { m = m.T } }
    local function at(k) return t[k] end
    local function sum(row)
      local s = 0
      for j = 1, #row do s = s + row[j] end
      return s
    end
    check(failures, "an element", function(k)
      if k > 2 then return at(k) + at(1) end             -- by a function that is called
      return t[#t + 1 - k]
    end, x, { 30, 50, 40, 40 })
    check(failures, "two axes", function(k)
      return m[{ 2, 1 + k % 2 }] + 10 * m[1 + k % 2][3] + 100 * sum(m[1 + k % 2])
    end, x, { 323, 323, 1254, 1254 })
    check(failures, "fields, a view, extents", function(k)
      local s = 0
      for j = 1, #t do
        if j <= k then s = s + held.t[j] end
      end
      return s + held.deep.m[{ 1 + k % 2, 2 }] + 100 * (k * m.shape[2] + m.shape[1] + m.ndim + #m)
    end, x, { 1233, 1903, 914, 1564 })
    failures:check()
  end)

  it("has its own dtype, and may be its element too", function()
    for _, dtype in ipairs { "uint8", "float16", "complex64", "bool" } do
      local list = ma.array({ 1, 0, 2 }):astype(dtype)
      local read = ma.vectorize(function(k) return list[k] end)(ma.array({ 3, 2, 1 }, "int64"))
      assert.equal(dtype, read.dtype)
      ma.testing.assert_array_equal(read, list["::-1"])
      if dtype ~= "complex64" then
        local turned = ma.stencil(function(u) return list[u(0)] end)(ma.array({ 3, 2, 1 }, "uint8"))
        assert.equal(dtype, turned.dtype)
        ma.testing.assert_array_equal(turned, read)
      end
    end
    local both = { ma.fuse(function(k) return t[k] - t end), ma.vectorize(function(k) return t[k] - t end),
      ma.stencil(function(u) return t[u(0)] - t end) }
    for k, form in ipairs(both) do assert.same({ 10, 20, -20, -10 }, form(x):totable(), "form " .. k) end
    assert.matches("'t' is read at positions and stands for its element too; the plain form has one of these",
      fails(ma.fuse(function(k) return t[k] - t end, { plain = true }), x))
  end)

  it("is looked at in each call: what is in it, and another one in its place", function()
    local list, wide = ma.array { 1, 2, 3, 4 }, ma.zeros { 4, 2 }
    local held = { list = list }
    local ways = forms(function(k) return held.list[k] + held.list[1] end)
    ways.reduction, ways.elementwise = nil, nil          -- as vectorize
    local fixed = { ma.fuse(function(k) return k + held.list[2] end), ma.stencil(function(u)
      return u(0) + held.list[2]
    end), ma.fuse(function(k) return k + list(2) end), ma.stencil(function(u)
      if u(0) > 9 then return 9 end
      return u(0) + list[{ 2 }]
    end) }
    local function look(gathered, added, of)
      for name, form in pairs(ways) do assert.same(gathered, form(x):totable(), name) end
      for k, form in ipairs(fixed) do
        local wanted = (of or k < 3) and added or { 4, 6, 3, 5 }
        assert.same(wanted, form(x):totable(), "position " .. k)
      end
    end
    look({ 3, 5, 2, 4 }, { 4, 6, 3, 5 }, true)
    held.list = ma.array { 5, 6, 7, 8 }
    look({ 11, 13, 10, 12 }, { 8, 10, 7, 9 })
    held.list = wide[":, 1"]                             -- with steps
    wide[{}] = 1
    look({ 2, 2, 2, 2 }, { 3, 5, 2, 4 })
    held.list = list
    list[2], list[1] = 12, 11
    look({ 23, 15, 22, 14 }, { 14, 16, 13, 15 }, true)
    assert.equal(1, fixed[1].traces)
  end)

  it("of one element may be asked for its item", function()
    local level, list = ma.array(3), ma.array { 1, 2, 3 }
    local fused, stencil = ma.fuse(function(k) return k + level:item() end), ma.stencil(function(u)
      if u(0) > 9 then return 9 end
      return u(0) + list["2:2"]:item()
    end)
    assert.same({ 5, 7, 4, 6 }, fused(x):totable())
    assert.same({ 4, 6, 3, 5 }, stencil(x):totable())
    level:assign(5)
    list[2] = 4
    assert.same({ 7, 9, 6, 8 }, fused(x):totable())
    assert.same({ 6, 8, 5, 7 }, stencil(x):totable())
    assert.equal(1, fused.traces)
    assert.matches("moonarray.item: 3 elements", fails(ma.fuse(function(k) return k + list:item() end), x))
  end)

  it("is read in steps of a stencil, beside draws, prints and numbers that change", function()
    local next_state, by = ma.array({ 3, 1, 2 }, "uint8"), 0
    local cycle = ma.stencil(function(u)
      local n = 0
      while n < u(1) do n = n + 1 end
      return next_state[u(0)] + n * by
    end, { boundary = "wrap" })
    local start = ma.array({ 1, 2, 3, 1 }, "uint8")
    assert.same({ 2, 3, 1, 2 }, cycle:run(start, { steps = 2 }):totable())
    assert.same(start:totable(), cycle:run(start, { steps = 3 }):totable())
    by = 1
    assert.same({ 5, 4, 3, 4 }, cycle(start):totable())
    local noisy = ma.stencil(function(u)
      local n = 0
      while n < u(0) and math.random() < 2 do n = n + 1 end
      return next_state[n]
    end)
    assert.same({ 3, 1, 2, 3 }, noisy(start):totable())
  end)

  it("says where a position is outside", function()
    local failures = helper.failures()
    local far = ma.array({ 1, 5 }, "int64")
    for _, plain in ipairs { false, true } do
      for name, form in pairs(forms(function(k) return t[k] end, { plain = plain })) do
        failures:run((plain and "plain " or "") .. name, function()
          if unchecked and not plain then return end     -- it reads whatever lies there
          assert.matches("position 5 on axis 1.*wanted 1..4", fails(function()
            form(far)
            ma.synchronize()
          end))
          assert.same({ 10, 40 }, form(ma.array({ 1, 4 }, "int64")):astype("float64"):totable())
        end)
      end
    end
    failures:run("a fraction", function()
      if unchecked then return end
      assert.matches("position 1.5 on axis 1 at line %d+.*wanted a whole number of 1..4",
        fails(function()
          ma.stencil(function(u) return t[u(0) * 0.5] end)(ma.array { 3 })
          ma.synchronize()
        end))
    end)
    failures:run("of a number of Lua's", function()
      for _, at in ipairs { -1, 0, 5, 1.5 } do
        local message = fails(ma.fuse(function(k) return k + t[at] end), x)
        assert(message:find(("position %s on axis 1; wanted 1..4"):format(at), 1, true), message)
      end
      assert.matches("a float64 is indexed; wanted an array; one from outside is read at positions by its own name",
        fails(ma.vectorize(function(k) local other = t return other[k] end), x))
    end)
    failures:run("a write", function()
      assert.matches("'t' is an array from outside, which a function of elements reads",
        fails(ma.vectorize(function(k) t[k] = 1 return k end), x))
    end)
    failures:check()
  end)
end)
