-- Reductions that wait: with the expression that they are broadcast back into they are one row program, and reductions
-- of the same operand are one pass. The bits are those of separate runs, whatever the shape, the layout and the dtype.

local helper = require "spec.helper"
local core = require "moonarray.core"
local work = require "spec.fusion.fusion_helper"
local are_few = work.are_few
local ma = helper.ma

local random = helper.random(41)
local on_gpu = helper.device ~= "cpu"
local keep = { keepdims = true }

local programs = {
  softmax = function(x)
    local e = ma.exp(x - x:max(-1, keep))
    return e / e:sum(-1, keep)
  end,
  log_softmax = function(x)
    local d = x - x:max(-1, keep)
    return d - ma.log(ma.exp(d):sum(-1, keep))
  end,
  layer_norm = function(x, weight)
    return (x - x:mean(-1, keep)) / ma.sqrt(x:var(-1, keep) + 1e-5) * weight + 0.5
  end,
  own_variance = function(x)
    local d = x - x:mean(-1, keep)
    return d / ma.sqrt((d * d):mean(-1, keep) + 1e-5)
  end,
  standardised = function(x) return (x - x:mean(-1, keep)) / x:std(-1, keep) end,
  cosine = function(x, weight)
    local y = x * weight
    return x * y / ma.sqrt((x * x):sum(-1, keep) * (y * y):sum(-1, keep))
  end,
  ranged = function(x) return (x - x:min(-1, keep)) / (x:max(-1, keep) - x:min(-1, keep)) end,
  each_side = function(x)
    local m, s = x:max(-1, keep), x:sum(-1, keep)
    return (m - x) * (s * x) + s / (x + m) - (m + x / s) / (x - s) - x * m
  end,
  beside_a_column = function(x, _, column) return x * column - (x * column):max(-1, keep) end,
}
local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)

local shapes = { { 5, 7 }, { 3, 1 }, { 1, 9 }, { 37, 40 }, { 6, 84 }, { 4, 127 }, { 9, 128 }, { 3, 513 }, { 3, 1024 },
  { 2, 1030 }, { 2, 5000 }, { 2, 9216 }, { 40, 2, 33 } }
local few = { { 5, 7 }, { 3, 130 }, { 2, 1030 }, { 2, 9216 } } -- on a GPU each program and layout compiles a kernel

local function values(shape, dtype)
  local x = (ma.random.standard_normal(shape) * 3):astype(dtype):eval()
  local n = shape[#shape]
  local rows = x:reshape(-1, n)
  for _ = 1, 3 do
    local special = ({ 0 / 0, -0.0, math.huge, -math.huge, 0 })[random(1, 5)]
    rows[{ random(1, rows.shape[1]), random(1, n) }] = special
  end
  return x
end

local function view(x)
  local kind = random(1, 4)
  if kind == 2 then return x[{ { -1, 1, -1 } }] end
  if kind == 3 and x.shape[1] > 2 then return x["::2"] end
  if kind == 4 then return x["..., ::-1"] end
  return x
end

local function both(f, ...)
  ma.set_fusion(true)
  local one = { f(...) }
  for k = #one, 1, -1 do one[k] = one[k]:eval() end
  ma.set_fusion(false)
  local other = { f(...) }
  ma.set_fusion(true)
  return one, other
end

local function agree(label, f, ...)
  local one, other = both(f, ...)
  for k = 1, #other do
    helper.identical(one[k], other[k], label .. " " .. k)
    assert(table.concat(one[k].strides, ",") == table.concat(other[k].strides, ","), label)
  end
end

describe("reductions that wait", function()
  work.compile_at_once(setup, teardown)
  local launches = work.count_again

  for _, name in ipairs(names) do
    it("have the bits of separate runs: " .. name, function()
      for _, shape in ipairs(on_gpu and few or shapes) do
        for _, dtype in ipairs(on_gpu and { "float32" } or { "float32", "float64", "float16" }) do
          local n = shape[#shape]
          local x = view(values(shape, dtype))
          local lead = { unpack(x.shape, 1, #shape - 1) }
          lead[#shape] = 1
          agree(("%s of %s %s"):format(name, dtype, table.concat(x.shape, "x")), programs[name], x,
            ma.random.random({ n }):astype(dtype):eval(), ma.random.random(lead):astype(dtype):eval())
        end
      end
    end)
  end

  it("have these bits wherever their rows begin", function()
    for _, dtype in ipairs { "float32", "float64", "int8" } do
      for _, n in ipairs { 129, 641, 1025 } do
        for begin = 1, 4 do
          local x = values({ 9, n + 3 }, dtype)[{ {}, { begin, begin + n - 1 } }]
          agree(dtype .. n .. " from " .. begin, programs.softmax, x)
        end
      end
    end
  end)

  it("have these bits where a warp has several rows", function()
    for dtype, lengths in pairs { float32 = { 1, 4, 5, 9, 16, 17, 40, 64, 70, 97, 128 }, float64 = { 2, 33, 70, 128 },
      int8 = { 33, 64 }, float16 = { 70 }, complex128 = { 6, 70 } } do
      for _, n in ipairs(lengths) do
        for _, count in ipairs { 1, 11, 131 } do
          local x, label = values({ count, n + 1 }, dtype), dtype .. count .. "x" .. n
          local whole = x:reshape(-1)[{ { 1, count * n } }]:reshape(count, n)
          local program = dtype == "complex128" and programs.own_variance or programs.standardised
          agree(label, program, whole)
          agree("a part of " .. label, program, x[{ {}, { 2, n + 1 } }])
        end
      end
    end
  end)

  it("have these bits down columns", function()
    local down = {
      softmax = function(x)
        local e = ma.exp(x - x:max(-2, keep))
        return e / e:sum(-2, keep)
      end,
      standardised = function(x) return (x - x:mean(-2, keep)) / x:std(-2, keep) end,
      weighted = function(x, weight, row) return (x * weight - (x * weight):mean(-2, keep)) * row end,
      apart = function(x) return x:min(-2), x:argmax(-2), x:mean(-2), x:std(-2) end,
    }
    local counts = on_gpu and { 7, 40, 127, 300, 1030, 5000 }
      or { 1, 5, 31, 32, 70, 127, 128, 129, 640, 1024, 1030, 2048, 4097, 9000, 17000 }
    for _, n in ipairs(counts) do
      for _, dtype in ipairs(on_gpu and { "float32" } or { "float32", "float64", "float16", "int8" }) do
        local width = ({ 8, 9, 33, 70 })[random(1, 4)]
        local x = view(values({ n, width }, dtype))
        local weight, row = ma.random.random({ n, 1 }):astype(dtype), ma.random.random({ width }):astype(dtype)
        for name, f in pairs(down) do
          local label = ("%s down %d of %s"):format(name, n, dtype)
          if x.shape[1] == n then agree(label, f, x, weight:eval(), row:eval()) end
        end
      end
    end
    local function held(x, weight, row)
      local e = ma.exp(x * row)
      local wave = ma.sin(e - e:mean(-2, keep))
      return wave / wave:max(-2, keep) + e * weight / e:std(-2, keep)
    end
    for _, shape in ipairs { { 130, 1100 }, { 129, 65 }, { 316, 316 }, { 1030, 70 }, { 3, 130, 100 }, { 200, 64 } } do
      for _, dtype in ipairs { "float32", "float64", "float16" } do
        local x, n = values(shape, dtype), shape[#shape - 1]
        local weight = ma.random.random({ n, 1 }):astype(dtype):eval()
        local row = ma.random.random({ shape[#shape] }):astype(dtype):eval()
        local label = dtype .. table.concat(shape, "x")
        agree("softmax down " .. label, down.softmax, x)
        agree("of two held rows " .. label, held, x, weight, row)
        agree("of a part " .. label, down.softmax, x["..., 2:-3"])
        agree("upside down " .. label, held, x["..., ::-1, :"], weight, row)
      end
    end
    for _, shape in ipairs { { 3, 40, 50 }, { 2, 1300, 12 }, { 4, 3, 2, 30 } } do
      local x = values(shape, "float32")
      agree("softmax in the middle", down.softmax, x)
      agree("of a part", down.apart, x["..., 2:-2"])
    end
    agree("complex", down.weighted, values({ 200, 9 }, "complex64"), ma.ones({ 200, 1 }, "complex64"),
      ma.ones({ 9 }, "complex64"))
  end)

  it("have these bits where a block has many rows", function()
    for _, shape in ipairs { { 1500, 3 }, { 1100, 5 }, { 603, 70 }, { 301, 131 }, { 70, 500 } } do
      local x = values(shape, "float32")
      local label = table.concat(shape, "x")
      agree("softmax of " .. label, programs.softmax, x)
      agree("softmax of a part of " .. label, programs.softmax, x["3:"])
      agree("layer norm of a view of " .. label, programs.layer_norm, x["::-1, 2:"], ma.random.random { shape[2] - 1 },
        nil)
    end
    agree("of float64", programs.softmax, values({ 300, 33 }, "float64"))
    agree("of float16", programs.layer_norm, values({ 300, 33 }, "float16"), ma.ones({ 33 }, "float16"))
  end)

  it("run as one with what they are broadcast back into", function()
    local x, weight = ma.random.random { 40, 200 }, ma.random.random { 200 }
    x:eval()
    weight:eval()
    for _, name in ipairs { "softmax", "log_softmax", "layer_norm", "own_variance", "standardised", "cosine",
      "ranged" } do
      local n = launches(function() programs[name](x, weight):eval() end)
      assert(are_few(n, 1), ("%s takes %d launches"):format(name, n))
    end
  end)

  it("run as one with others of the same operand", function()
    for _, shape in ipairs { { 3000 }, { 7, 900 }, { 200000 }, { 3, 50 } } do
      local x = values(shape, "float32")
      local function all()
        return x:min(), x:max(), x:mean(), x:std(), x:sum(), x:argmax()
      end
      local function rows() return x:min(-1), x:max(-1), x:var(-1) end
      agree("all of " .. shape[1], all)
      agree("rows of " .. shape[1], rows)
      assert(are_few(launches(function() local a, b, c, d = all(); a:eval() b:eval() c:eval() d:eval() end), 2))
    end
    local d = ma.random.random { 50, 60 }
    agree("a range", function() return d:max() - d:min() end)
    agree("of what is pending", function() local e = d * 2 + 1; return e:max(), e:min(), e:mean() end)
  end)

  it("run as one with others that share a large operand and read little else", function()
    local pull, x, y, z = values({ 300, 400 }, "float32"), values({ 400 }, "float32"), values({ 300, 1 }, "float32"),
      values({ 400 }, "float32")
    local function forces() return (pull * x):sum(2), (pull * y):sum(2), (pull * (z - y)):sum(2) end
    agree("forces", forces)
    work.takes(1, function() ma.eval(forces()) end)
    local other = values({ 300, 400 }, "float32")                -- as large: two passes read no more
    work.takes(2, function() ma.eval((pull * x):sum(2), (other * y):sum(2)) end)
  end)

  it("run as one with others that read the same earlier one", function()
    local x = values({ 40, 600 }, "float32")
    local function sums(y)
      local top = y:max(2, keep)
      return ma.equal(y, top):sum(2, keep), ma.exp(y - top):sum(2, keep)
    end
    agree("sums", sums, x)
    agree("log-sum-exp", function(y) return ma.special.logsumexp(y, 2), ma.special.log_softmax(y, 2) end, x)
    if on_gpu then core.background(true) end
    local function launched(fn)
      local before = core.work()
      ma.eval(fn())
      return core.work() - before
    end
    assert(are_few(launched(function() return sums(x) end), 1))
    assert(are_few(launched(function() return ma.special.logsumexp(x, 2) end), on_gpu and 1 or 2))
    assert(are_few(launched(function() return ma.special.log_softmax(x, 2) end), 1))
  end)

  it("have these bits of windows and over short middle axes", function()
    local windows = ma.lib.stride_tricks.sliding_window_view
    for k, dtype in ipairs { "float32", "float64", "int32" } do
      local x, width = (ma.random.standard_normal(300) * 9):astype(dtype), ({ 5, 64, 128 })[k]
      agree("windows of " .. width, function(y)
        local v = windows(y, width)
        return v:max(2) - v:min(2), v:sum(2), v:mean(2), v:var(2)
      end, x)
      agree("a middle axis", function(y) return y:max(2) - y:min(2), y:sum(2), y:var(2) end,
        x[{ { 1, 297 } }]:reshape(3, 9, 11))
    end
  end)

  it("see their operand as it was", function()
    local x = ma.random.random { 30, 20 }
    x:eval()
    local copy = x:copy():eval()
    local low, high, means = x:min(), x:max(), x:mean(2)
    local y = programs.softmax(x)
    x["1:5"] = 100
    local z = x:max()
    x:fill(7)
    helper.identical(low, copy:min(), "min")
    helper.identical(high, copy:max(), "max")
    helper.identical(means, copy:mean(2), "mean")
    helper.identical(y, programs.softmax(copy), "softmax")
    assert.equal(100, z:item())
    assert.equal(7, x:max():item())
  end)

  it("are written with what they are broadcast back into to given arrays", function()
    local x = ma.random.random { 30, 50 }
    x:eval()
    local want = programs.softmax(x):eval()
    local function parts()
      local e = ma.exp(x - x:max(2, keep))
      return e, e:sum(2, keep)
    end
    local y, half = ma.empty { 30, 50 }, ma.empty({ 30, 50 }, "float32")
    local function divide() local e, s = parts(); ma.divide(e, s, { out = y }) end
    assert(are_few(launches(divide), 1))
    helper.identical(y, want, "out")
    local before = y * 1
    assert(are_few(launches(function() local e, s = parts(); y:assign(e / s) end), 1))
    helper.identical(y, want, "assign")
    assert(are_few(launches(function() local e, s = parts(); ma.copyto(half, e / s) end), 1))
    helper.identical(half, want:astype("float32"), "copyto with a cast")
    local z = x:copy():eval()
    local old = z + 1
    z:isub(z:mean(2, keep))
    helper.identical(z, x - x:mean(2, keep), "in place")
    helper.identical(old, x + 1, "what was computed before")
    helper.identical(before, want, "the same, of out")
    local wide = ma.zeros { 30, 60 }
    local e, s = parts()
    ma.divide(e, s, { out = wide[":, 6:-6"] })
    helper.identical(wide[":, 6:-6"], want, "a part")
    local read_only = ma.broadcast_to(ma.zeros { 50 }, { 30, 50 })
    assert.has_error(function() local a, b = parts(); ma.divide(a, b, { out = read_only }) end)
  end)

  it("run as one within fused functions", function()
    local x, weight = ma.random.random { 40, 200 }, ma.random.random { 200 }
    x:eval()
    for name, count in pairs { softmax = 1, layer_norm = 2, standardised = 1, cosine = 2 } do
      local f = ma.fuse(programs[name], name)
      local want, y = programs[name](x, weight), ma.empty { 40, 200 }
      local given = { x, weight, [count + 1] = { out = y } }
      helper.identical(f(unpack(given, 1, count)), want, name)
      assert(are_few(launches(function() f(unpack(given, 1, count)) end), 1), name)
      assert.equal(y, f(unpack(given, 1, count + 1)), name)
      helper.identical(y, want, name .. " to out")
      assert(are_few(launches(function() f(unpack(given, 1, count + 1)) end), 1), name .. " to out")
      assert.equal(1, f.traces)
    end
    local several = ma.fuse(function(a, s) local m = a:mean(); return a, a - m, m * s, 3 end)
    local a, d, m, three = several(x, 2)
    helper.identical(a, x, "an argument")
    a:fill(0)
    helper.identical(d, x - x:mean(), "a difference")
    helper.identical(m, x:mean() * 2, "a number")
    assert.equal(3, three:item())
    local root = ma.fuse(function(v) return ma.sqrt(v:sum(2, keep)):sum() + v:sum():sqrt() end)
    helper.identical(root(x), ma.sqrt(x:sum(2, keep)):sum() + x:sum():sqrt(), "reductions of reductions")
    ma.set_fusion(false)
    helper.identical(ma.fuse(programs.softmax)(x), programs.softmax(x), "without fusion")
    assert.equal(false, ma.set_fusion(true))
    local text = ma.fuse(function(v) return (v - v:max()) and "no" end)
    assert.matches("result 1 is the string 'no'", helper.fails(text, x))
    helper.fails(ma.fuse(function(v) return v - v:mean() + nil end), x)
    local whole = { out = ma.empty({ 40, 200 }, "int32") }
    assert.matches("cannot take it", helper.fails(ma.fuse(programs.softmax), x, whole))
    assert.is_true(ma.set_fusion(true))
  end)

  it("may be overwritten before they ran", function()
    local x = ma.random.random { 30, 20 }
    x:eval()
    local m = x:max(2, keep)
    local y = x - m
    m:fill(1)
    helper.identical(y, x - x:max(2, keep):eval(), "difference")
    assert.equal(1, m(3, 1))
    m = x:sum(2)
    m["2:4"] = 0
    m:iadd(x:min())
    ma.set_fusion(false)
    local want = x:sum(2)
    want["2:4"] = 0
    want:iadd(x:min())
    ma.set_fusion(true)
    helper.identical(m, want, "sum")
  end)

  it("are read later, or never", function()
    local x = ma.random.random { 30, 50 }
    x:eval()
    local m = x:max(2, keep)
    local e = ma.exp(x - m)
    local s = e:sum(2, keep)
    local y = e / s
    y:eval()
    ma.set_fusion(false)
    local m1 = x:max(2, keep)
    local e1 = ma.exp(x - m1)
    local s1 = e1:sum(2, keep)
    ma.set_fusion(true)
    helper.identical(m, m1, "m")
    helper.identical(s, s1, "s")
    helper.identical(e, e1, "e")
    for _ = 1, 50 do
      local unread = x:mean() -- luacheck: ignore
      unread = (x - x:mean(2, keep)):std(2) -- luacheck: ignore
    end
    ma.synchronize()
  end)

  it("fail by themselves and leave nothing behind", function()
    local x = ma.random.random { 30, 50 }
    x:eval()
    for n = 1, 12 do
      local y = programs.softmax(x)
      core.fail_allocation(n)
      pcall(function() y:eval() end)
      core.fail_allocation(0)
      helper.identical(y, programs.softmax(x), "after a failure")
    end
  end)

  it("raise their errors at the call", function()
    local x = ma.random.random { 30, 50 }
    assert.has_error(function() return x:max(3) end)
    assert.has_error(function() return ma.ones({ 30, 50 }, "complex64"):logsumexp(2) end)
    assert.has_error(function() return x:argmax(2, { dtype = "float32" }) end)
    assert.has_error(function() return ma.zeros({ 3, 0 }):max(2) end)
  end)
end)
