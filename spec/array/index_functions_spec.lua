--- ufunc.at, which combines at positions, and the functions that pick: take, put, choose, nonzero and their kind.
local helper = require "spec.helper"
local indexing = require "spec.array.index_helper"
local ma = helper.ma
local flat, counted, same_list, refused = indexing.flat, indexing.counted, indexing.same_list, indexing.refused

-- ==== Operations at positions ====

describe("at", function()
  local combine = {
    add = function(x, y) return x + y end,
    subtract = function(x, y) return x - y end,
    multiply = function(x, y) return x * y end,
    maximum = math.max,
    minimum = math.min,
  }

  it("counts every time that a position occurs, in every dtype", function()
    local random = helper.random(4)
    for name, f in pairs(combine) do
      for _, dtype in ipairs(helper.dtypes) do
        if dtype ~= "bool" then
          local start, at, by, want = {}, {}, {}, {}
          for k = 1, 6 do start[k] = random(3, 6) end
          for k = 1, 6 do want[k] = start[k] end
          for k = 1, 12 do
            at[k], by[k] = random(1, 6), name == "multiply" and random(1, 2) or name == "subtract" and 0 or random(0, 9)
            want[at[k]] = f(want[at[k]], by[k])
          end
          if name == "multiply" and dtype == "int8" then goto next end
          local a = ma.array(start, dtype)
          ma[name].at(a, ma.index(at), ma.array(by, dtype))
          same_list(want, flat(a:astype("float64")), name .. " " .. dtype)
          ::next::
        end
      end
    end
  end)

  it("takes other operations, unary ones and every index", function()
    local a = ma.array({ 1, 2, 4, 8 }, "uint16")
    ma.bitwise_xor.at(a, ma.index { 1, 1, 2, 4 }, 3)
    same_list({ 1, 1, 4, 11 }, flat(a))
    ma.left_shift.at(a, ma.index { 3, 3 }, ma.array({ 1, 1 }, "uint16"))
    same_list({ 1, 1, 16, 11 }, flat(a))
    local x = ma.array { 1, 2, 3 }
    ma.negative.at(x, ma.index { 1, 1, 2 })
    same_list({ 1, -2, 3 }, flat(x))
    ma.add.at(x, { { 2, 3 } }, 10)
    ma.add.at(x, x:gt(10), 0.5)
    ma.add.at(x, 1, 4)
    same_list({ 5, 8, 13.5 }, flat(x))
    ma.power.at(x, "1", 2)
    ma.divide.at(x, ma.index { 2, 2 }, 2)
    same_list({ 25, 2, 13.5 }, flat(x))
    local b = ma.array { true, false, false }
    ma.logical_or.at(b, ma.index { 2 }, ma.array { true })
    same_list({ true, true, false }, flat(b))
    local big = ma.zeros(3)
    big:iadd_at(ma.ones(100000, "int32"), 1)
    same_list({ 100000, 0, 0 }, flat(big))
    local h = ma.zeros({ 4, 3 }, "int32")
    h:iadd_at({ ma.index { 1, 1, 4 }, {} }, ma.array({ { 1 }, { 2 }, { 3 } }, "int32"))
    same_list({ 3, 3, 3, 0, 0, 0, 0, 0, 0, 3, 3, 3 }, flat(h))
    local c = ma.zeros(2, "complex128")
    ma.add.at(c, ma.index { 1, 1, 2 }, ma.complex(1, 2))
    ma.multiply.at(c, ma.index { 1, 1 }, ma.complex(0, 1))
    assert.equal(-2, c[1].re)
    assert.equal(-4, c[1].im)
  end)

  it("refuses what would change the dtype", function()
    local i = ma.zeros(3, "int32")
    refused("int32", function() i:iadd_at(ma.index { 1 }, 1.5) end)
    refused("int32", function() i:iadd_at(ma.index { 1 }, ma.ones(1)) end)
    refused("divide at positions", function() ma.divide.at(i, ma.index { 1 }, 2) end)
    refused("less at positions", function() ma.less.at(i, ma.index { 1 }, 2) end)
    refused("sqrt at positions", function() ma.sqrt.at(i, ma.index { 1 }) end)
  end)
end)

-- ==== Functions ====

describe("functions of positions", function()
  it("take and put", function()
    local a = counted { 3, 4 }
    same_list({ 2, 12, 1 }, flat(a:take { 2, 12, 1 }))
    same_list({ 3, 1, 7, 5, 11, 9 }, flat(a:take({ 3, 1 }, 2)))
    same_list({ 5, 6, 7, 8 }, flat(a:take(2, 1)))
    same_list({ 12, 1, 11, 1, 6 }, flat(a:take({ 0, 13, -1, 1, 18 }, { mode = "wrap" })))
    same_list({ 1, 12, 1 }, flat(a:take({ -5, 99, 0 }, { mode = "clip" })))
    same_list({ 4, 8, 12 }, flat(a.T:take(-1, 1)))
    assert.equal("2x2x4", helper.shape(a:take({ { 1, 2 }, { 3, 1 } }, 1)))
    local out = ma.zeros(2)
    assert.equal(out, a:take({ 5, 6 }, { out = out }))
    same_list({ 5, 6 }, flat(out))
    refused("position 13", function() return a:take({ 13 }):totable() end)
    refused("out has shape", function() return a:take({ 1 }, { out = out }) end)
    refused("mode", function() return a:take({ 1 }, { mode = "reflect" }) end)
    refused("mask", function() return a:take(a:gt(1)) end)
    refused("wanted positions", function() return a:take("x") end)
    refused("one shape", function() return a:take { { 1, 2 }, { 3 } } end)
    same_list({ 1, 50, 3, 60, 5, 50, 7, 8, 9, 10, 11, 12 }, flat(a:put({ 2, 4, 6 }, { 50, 60 })))
    a.T:put({ 1, 2 }, -1)
    same_list({ -1, 50, 3, 60, -1, 50, 7, 8, 9, 10, 11, 12 }, flat(a))
    a:put({ 14, 0 }, { 7, 8 }, { mode = "wrap" })
    same_list({ -1, 7, 3, 60, -1, 50, 7, 8, 9, 10, 11, 8 }, flat(a))
  end)

  it("take_along_axis and put_along_axis", function()
    local random = helper.random(5)
    local a = ma.zeros({ 4, 5, 3 }, "int32")
    local list = {}
    for k = 1, 60 do list[k] = random(1, 1000) end
    a[{}] = ma.array(list):reshape(4, 5, 3)
    for axis = 1, 3 do
      local shape = { 4, 5, 3 }
      shape[axis] = 2
      local at, want = {}, {}
      for i = 1, shape[1] do for j = 1, shape[2] do for k = 1, shape[3] do
        local p = { i, j, k }
        p[axis] = random(1, a.shape[axis])
        at[#at + 1] = p[axis]
        want[#want + 1] = list[(p[1] - 1) * 15 + (p[2] - 1) * 3 + p[3]]
      end end end
      local index = ma.index(at):reshape(shape)
      same_list(want, flat(ma.take_along_axis(a, index, axis)), "axis " .. axis)
      same_list(want, flat(ma.take_along_axis(a.T, index.T, 4 - axis).T), "transposed, axis " .. axis)
      local b = ma.zeros({ 4, 5, 3 }, "int32")
      b:put_along_axis(index, a:take_along_axis(index, axis), axis)
      same_list(want, flat(b:take_along_axis(index, axis)))
    end
    local m = counted { 3, 4 }
    same_list({ 4, 8, 12 }, flat(m:take_along_axis(m:argmax(2, { keepdims = true }), 2)))
    same_list({ 2, 7, 12 }, flat(m:take_along_axis(ma.index { { 2 }, { 3 }, { 4 } })))
    same_list({ 1, 2, 3, 4, 9, 10, 11, 12 }, flat(m:take_along_axis(ma.index { { 1 }, { 3 } }, 1)))
  end)

  it("compress, extract, choose, select", function()
    local a = counted { 3, 4 }
    same_list({ 1, 2, 3, 4, 9, 10, 11, 12 }, flat(a:compress({ true, false, true }, 1)))
    same_list({ 2, 6, 10 }, flat(a:compress({ false, true }, 2)))
    same_list({ 2, 6, 10 }, flat(ma.compress({ 0, 1 }, a, 2)))
    same_list({ 1, 3 }, flat(a:compress { true, false, true }))
    same_list({ 3, 6, 9, 12 }, flat(ma.extract(a:remainder(3):eq(0), a)))
    same_list({ 10, 2, 30, 4 },
      flat(ma.choose(ma.index { 1, 2, 1, 2 }, { ma.array { 10, 20, 30, 40 }, ma.array { 1, 2, 3, 4 } })))
    same_list({ 7, 2, 7, 4 }, flat(ma.choose({ 1, 2, 3, 0 }, { 7, ma.array { 1, 2, 3, 4 } }, { mode = "wrap" })))
    local x = ma.range(0, 5)
    same_list({ 0, 1, 2, 42, 16, 25 }, flat(ma.select({ x:lt(3), x:gt(3) }, { x, x ^ 2 }, 42)))
    same_list({ 0, 0, 0, 0, 1, 1 }, flat(ma.select({ x:gt(3) }, { ma.ones(6) })))
  end)

  it("nonzero, argwhere, where", function()
    local a = ma.array { { 0, 3, 0 }, { 4, 0, 5 } }
    local i, j = a:nonzero()
    same_list({ 1, 2, 2 }, flat(i))
    same_list({ 2, 1, 3 }, flat(j))
    assert.equal("int64", i.dtype)
    same_list({ 2, 4, 6 }, flat(a:flatnonzero()))
    same_list({ 1, 2, 2, 1, 2, 3 }, flat(a:argwhere()))
    same_list({ 3, 4, 5 }, flat(a[{ i, j }]))
    i, j = ma.where(a.T:gt(3))
    same_list({ 1, 3 }, flat(i))
    same_list({ 2, 2 }, flat(j))
    assert.equal("0x2", helper.shape(ma.zeros({ 3, 3 }):argwhere()))
    same_list({ 2 }, flat(ma.nonzero { 0, 0 / 0 }))
    same_list({ 1 }, flat(ma.nonzero(ma.array { ma.complex(0, 1), ma.complex(0, 0) })))
    refused("0-d", function() return ma.nonzero(ma.array(1)) end)
  end)

  it("unravel_index and ravel_multi_index", function()
    local shape = { 4, 5, 2 }
    local all = ma.range(1, 40)
    local i, j, k = ma.unravel_index(all, shape)
    local n = 0
    for x = 1, 4 do for y = 1, 5 do for z = 1, 2 do
      n = n + 1
      assert(i[n] == x and j[n] == y and k[n] == z)
      assert.same({ x, y, z }, { ma.unravel_index(n, shape) })
      assert.equal(n, ma.ravel_multi_index({ x, y, z }, shape))
      assert.equal(n, ma.ravel_multi_index({ x, y, z - 3 }, shape))
    end end end
    same_list(flat(all), flat(ma.ravel_multi_index({ i, j, k }, shape)))
    i, j = ma.unravel_index(ma.index { 1, 2, 3, 4, 5, 6, -1 }, { 2, 3 }, "F")
    same_list({ 1, 2, 1, 2, 1, 2, 2 }, flat(i))
    same_list({ 1, 1, 2, 2, 3, 3, 3 }, flat(j))
    same_list({ 1, 2, 3, 4, 5, 6, 6 }, flat(ma.ravel_multi_index({ i, j }, { 2, 3 }, { order = "F" })))
    same_list({ 1, 6 }, flat(ma.ravel_multi_index({ ma.index { -1, 4 }, 0 - ma.index { 2, -4 } }, { 2, 3 }, "clip")
      + ma.index { 0, 0 }))
    same_list({ 4, 3 },
      flat(ma.ravel_multi_index({ ma.index { 2, 3 }, ma.index { 4, 0 } }, { 2, 3 }, { mode = "wrap" })))
    refused("position 41", function() return (ma.unravel_index(41, shape)) end)
    refused("position 41", function() return (ma.unravel_index(ma.index { 41 }, shape)):totable() end)
    refused("position 6 on axis 2", function() return ma.ravel_multi_index({ 1, 6, 1 }, shape) end)
    refused("position 6 on axis 2",
      function() return ma.ravel_multi_index({ 1, ma.index { 6 }, 1 }, shape):totable() end)
  end)

  it("diagonal, fill_diagonal", function()
    local a = counted { 3, 4 }
    same_list({ 1, 6, 11 }, flat(a:diagonal()))
    same_list({ 2, 7, 12 }, flat(a:diagonal(1)))
    same_list({ 5, 10 }, flat(a:diagonal(-1)))
    same_list({}, flat(a:diagonal(9)))
    local c = counted { 2, 3, 3 }
    assert.equal("2x3", helper.shape(c:diagonal(0, 2, 3)))
    same_list({ 1, 5, 9, 10, 14, 18 }, flat(c:diagonal(0, 2, 3)))
    a:diagonal()[2] = 0
    assert.equal(0, a(2, 2))
    a:fill_diagonal(9)
    same_list({ 9, 2, 3, 4, 5, 9, 7, 8, 9, 10, 9, 12 }, flat(a))
    local tall = ma.zeros({ 7, 2 }, "int32")
    tall:fill_diagonal(1)
    same_list({ 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, flat(tall))
    tall:fill_diagonal(2, true)
    same_list({ 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0 }, flat(tall))
    local cube = ma.zeros { 2, 2, 2 }
    cube:fill_diagonal { 3, 4 }
    same_list({ 3, 0, 0, 0, 0, 0, 0, 4 }, flat(cube))
  end)

  it("index makes positions", function()
    local i = ma.index { { 1, -2 }, { 3, 4 } }
    assert.equal("int64", i.dtype)
    assert.equal("2x2", helper.shape(i))
    assert.equal("0", helper.shape(ma.index {}))
    assert.equal("()", helper.shape(ma.index(3)))
    refused("whole numbers", function() return ma.index { 1.5 } end)
    refused("whole numbers", function() return ma.index { true } end)
    refused("integers", function() return ma.index(ma.ones(2)) end)
  end)

  it("name the first of several wrong positions", function()
    local x = ma.arange(10):eval()
    local why = helper.fails(function()
      local p = x[ma.index { 200 }]
      local q = x[ma.index { 100 }]
      return p:totable(), q:totable()
    end)
    assert.matches("position 200 on axis 1", why)
    if helper.device == "cpu" then                       -- a GPU's threads look at all at once
      assert.matches("position 200 on axis 1",
        helper.fails(function() return x[ma.index { 3, 200, 100, 300 }]:totable() end))
    end
  end)
end)
