-- Views and joins: values against NumPy, which results share memory, devices and errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma = helper.ma

--- Does writing to b change a?
local function shares(a, b)
  local before = a:copy()
  b:fill(77)
  local changed = not ma.array_equal(a, before)
  a:assign(before)
  return changed
end

describe("shape", function()
  it("agrees with NumPy", function() run "shape" end)

  it("agrees with NumPy in numeric functions", function() run "numeric" end)

  it("gives views where NumPy does", function()
    local a = ma.arange(24):reshape(2, 3, 4)
    for name, view in pairs {
      reshape = a:reshape(6, 4), ravel = a:ravel(), transpose = a:transpose(), T = a.T, swapaxes = a:swapaxes(1, 2),
      moveaxis = a:moveaxis(1, 3), squeeze = a:squeeze(), expand_dims = a:expand_dims(1), flip = a:flip(2),
      rot90 = a:rot90(),
      rot180 = a:rot90(2), diagonal = a:diagonal(), split = ma.split(a, 2)[1], rollaxis = a:rollaxis(2),
      atleast = ma.atleast_1d(a),
    } do
      assert.is_true(shares(a, view), name)
    end
  end)

  it("gives copies where NumPy does", function()
    local a = ma.arange(24):reshape(2, 3, 4)
    for name, copy in pairs {
      flatten = a:flatten(), reshaped = a.T:reshape(24), roll = a:roll(0, 1), tile = a:tile(1),
      repeated = a:repeat_(1, 2),
      delete = a:delete({}, 1), diag = ma.diag(a[1]), pad = a:pad(0, "edge"), stack = ma.stack({ a }),
      concatenate = ma.concatenate({ a }),
      triu = ma.triu(a),
    } do
      assert.is_false(shares(a, copy), name)
    end
  end)

  it("joins into out", function()
    local out = ma.zeros({ 4 }, "float32")
    assert.equal(out, ma.concatenate({ ma.ones(3, "float32"), { 2 } }, 1, out))
    assert.same({ 1, 1, 1, 2 }, out:totable())
    local rows = ma.zeros({ 2, 2 })
    ma.stack({ { 1, 2 }, { 3, 4 } }, { axis = 2, out = rows })
    assert.same({ { 1, 3 }, { 2, 4 } }, rows:totable())
  end)

  it("walks in blocks, rows and elements", function()
    local seen = {}
    for lo, hi in ma.blocks(7, 3) do seen[#seen + 1] = lo .. "-" .. hi end
    assert.same({ "1-3", "4-6", "7-7" }, seen)
    for _ in ma.blocks(0, 3) do error("a block of nothing") end
    local a = ma.array({ { 1, 2 }, { 3, 4 } })
    local total = 0
    for i, row in a:rows() do total = total + i * row:sum():item() end
    assert.equal(17, total)
    local list = {}
    for v in a:each() do list[#list + 1] = v end
    assert.same({ 1, 2, 3, 4 }, list)
    list = {}
    for v in a:gt(2):each() do list[#list + 1] = v end
    assert.same({ false, false, true, true }, list)
  end)

  it("gives extents as numbers", function()
    local h, w = ma.zeros({ 3, 5 }):dims()
    assert.same({ 3, 5 }, { h, w })
    assert.is_true(ma.same_shape(ma.zeros(3), ma.ones(3)))
    assert.is_false(ma.zeros(3):same_shape(ma.zeros({ 3, 1 })))
    assert.same({ 4, 3, 2 }, ma.broadcast_shapes({ 3, 1 }, 2, { 4, 1, 1 }))
  end)

  it("keeps broadcast views from being written", function()
    local view = ma.zeros(3):broadcast_to({ 2, 3 })
    assert.matches("read%-only", helper.fails(view.fill, view, 1))
  end)

  it("answers yes or no with a Lua boolean", function()
    assert.is_true(ma.allclose({ 1, 2 }, { 1, 2 + 1e-9 }))
    assert.is_false(ma.allclose({ 1, 2 }, { 1, 2.1 }))
    assert.is_true(ma.array_equal({ 1, 0 / 0 }, { 1, 0 / 0 }, true))
    assert.is_false(ma.array_equal({ 1, 0 / 0 }, { 1, 0 / 0 }))
    assert.is_false(ma.array_equal({ 1, 2 }, { 1, 2, 3 }))
    assert.is_true(ma.array_equiv({ 1, 1 }, 1))
    assert.is_false(ma.array_equiv({ 1, 1 }, { 1, 1, 1 }))
    assert.is_true(ma.isscalar(3))
    assert.is_true(ma.isscalar(ma.complex(1, 2)))
    assert.is_false(ma.isscalar(ma.array(3)))
    assert.is_false(ma.isscalar({ 3 }))
    assert.is_true(ma.iscomplexobj(ma.zeros(1, "complex64")))
    assert.is_true(ma.isrealobj({ 1 }))
    assert.equal("float64", ma.real_if_close(ma.zeros(2, "complex128") + 1).dtype)
    assert.equal("complex128", ma.real_if_close(ma.ones(2) * ma.complex(0, 1)).dtype)
  end)

  it("says what is wrong", function()
    local a = ma.arange(6):reshape(2, 3)
    local function message(...) return helper.fails(...) end
    for pattern, call in pairs {
      ["moonarray.reshape: shape %(2, 3%) of 6 elements cannot become"] = function() a:reshape(4) end,
      ["moonarray.transpose: axis 1 twice"] = function() a:transpose(1, 1) end,
      ["moonarray.transpose: 1 axes for an array of 2"] = function() a:transpose(1) end,
      ["moonarray.swapaxes: .*3"] = function() a:swapaxes(1, 3) end,
      ["moonarray.moveaxis: 2 axes for source and 1 for destination"] = function() a:moveaxis({ 1, 2 }, 1) end,
      ["moonarray.squeeze: axis 1 of a int64 array %(2, 3%); an axis of extent 1"] = function() a:squeeze(1) end,
      ["moonarray.concatenate: array 1 is .*array 2 is"] = function() ma.concatenate({ a, ma.zeros({ 2, 2 }) }) end,
      ["moonarray.concatenate: an empty table"] = function() ma.concatenate({}) end,
      ["moonarray.concatenate: arrays of no axis"] = function() ma.concatenate({ 1, 2 }) end,
      ["moonarray.stack: array 1 is"] = function() ma.stack({ a, ma.zeros(3) }) end,
      ["moonarray.split: 2 sections of axis 2, which has 3 elements"] = function() ma.split(a, 2, 2) end,
      ["moonarray.split: axis 3 of an array of 2 axes"] = function() ma.split(a, 2, 3) end,
      ["moonarray.roll: shift is 1.5"] = function() a:roll(1.5) end,
      ["moonarray.tile: a number of repeats is %-1"] = function() a:tile(-1) end,
      ["moonarray.repeat_: 2 counts for 3 elements"] = function() a:repeat_({ 1, 2 }, 2) end,
      ["moonarray.pad: 'mirror' for mode"] = function() a:pad(1, "mirror") end,
      ["moonarray.pad: pad_width holds %-1"] = function() a:pad(-1) end,
      ["moonarray.delete: position 7 of 6 elements"] = function() a:delete(7) end,
      ["moonarray.gradient: axis 1 has 2 elements; at least 3"] = function() ma.gradient(a, { edge_order = 2 }) end,
      ["moonarray.map: .*vectorize"] = function() a:map(math.sin) end,
      ["moonarray.where: one of x and y"] = function() ma.where(a, 1) end,
      ["moonarray.interp: 2 positions and 1 values"] = function() ma.interp({ 1 }, { 1, 2 }, { 1 }) end,
    } do
      assert.matches(pattern, message(call))
    end
  end)
  it("rolls along several axes as along one after another", function()
    local a = ma.arange(240):reshape(2, 3, 4, 5, 2)
    for _, axes in ipairs { { 1, 2 }, { 2, 5 }, { 5, 3, 2 }, { 1, 2, 3, 4, 5 }, { 4, 4 }, { 3, 1, 3, 2 } } do
      local shifts, wanted = {}, a
      for k, d in ipairs(axes) do
        shifts[k] = k % 2 == 0 and -k or k + 6
        wanted = wanted:take((ma.arange(a.shape[d]) - shifts[k]) % a.shape[d] + 1, d)
      end
      assert.is_true(ma.array_equal(a:roll(shifts, axes), wanted))
    end
    assert.are.same({ 0, 3 }, ma.zeros({ 0, 3 }):roll(1, { 1, 2 }).shape)
  end)

  it("deletes and inserts at few and many positions as tables do", function()
    math.randomseed(helper.seed or 1)
    for _, m in ipairs { 1, 3, 31, 32, 33, 90 } do
      for n = 20, 50, 30 do
        local a, gone, at, values = ma.arange(n), {}, {}, {}
        for k = 1, m do gone[k], at[k], values[k] = math.random(1, n), math.random(1, n + 1), 1000 + k end
        local left, out, with = {}, {}, {}
        for k = 1, m do out[gone[k]] = true end
        for p = 1, n + 1 do
          for k = 1, m do if at[k] == p then with[#with + 1] = values[k] end end
          if p <= n then with[#with + 1] = p - 1 end
          if p <= n and not out[p] then left[#left + 1] = p - 1 end
        end
        assert.same(left, a:delete(gone):totable())
        assert.same(left, a:delete(ma.index(gone)):totable())
        assert.same(with, ma.insert(a, at, values):totable())
        assert.equal("int64", a:delete(gone).dtype)
        local rows = ma.stack({ a, a })
        assert.same({ left, left }, #left > 0 and rows:delete(gone, 2):totable() or { left, left })
        assert.same({ with, with }, ma.insert(rows, at, ma.array(values, "int64"):reshape(1, m), 2):totable())
      end
    end
    local a = ma.arange(5)
    local all = a:delete({ 1, 2, 3, 4, 5 })
    assert.same({ 0 }, all.shape)
    local none = a:delete({})
    none:fill(9)                                       -- a copy
    assert.same({ 0, 1, 2, 3, 4 }, a:totable())
  end)
end)
