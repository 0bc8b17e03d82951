--- a[...], a[...] = v and a(i, j): against NumPy's golden data and against plain loops over tables.
local helper = require "spec.helper"
local indexing = require "spec.array.index_helper"
local ma = helper.ma
local numbers, flat, counted, weighted = indexing.numbers, indexing.flat, indexing.counted, indexing.weighted
local same_list, refused = indexing.same_list, indexing.refused

local on_cpu = helper.device == "cpu"

-- ==== NumPy ====

local function golden_item(text)
  local kind = text:sub(1, 1)
  if text == "*" then return {} end
  if text == "..." or text == "_" then return text end
  if kind == "p" then return tonumber(text:sub(2)) end
  if kind == "r" then return numbers(text) end
  local shape, values = text:sub(2):match("^([%dx]*)|(.*)$")
  shape = helper.parse_shape(shape)
  if kind == "m" then values = values:gsub("%d", "%0,") end
  local list = numbers(values)
  if #shape == 0 then return ma.index(list[1]) end
  if #list == 0 then return ma.zeros(shape, kind == "m" and "bool" or "int64") end
  local array = ma.index(list):reshape(shape)
  return kind == "m" and array:ne(0) or array
end

local function golden_index(text)
  local items = {}
  for item in (text .. ";"):gmatch("(.-);") do items[#items + 1] = golden_item(item) end
  return items
end

describe("indexing, beside NumPy", function()
  local records = helper.golden("index")

  it("reads", function()
    local failures = helper.failures()
    for _, r in ipairs(records) do
      failures:run(r[1] .. " " .. r[2], function()
        local got = counted(helper.parse_shape(r[1]))[golden_index(r[2])]
        assert.equal(r[3], helper.shape(got))
        assert.equal(tonumber(r[4]), weighted(flat(got)))
      end)
    end
    failures:check()
  end)

  it("stores", function()
    local failures = helper.failures()
    for _, r in ipairs(records) do
      failures:run(r[1] .. " " .. r[2], function()
        local a = counted(helper.parse_shape(r[1]))
        local shape = helper.parse_shape(r[3])
        a[golden_index(r[2])] = (counted(shape) - 1):astype("float32")
        assert.equal(tonumber(r[5]), weighted(flat(a)))
      end)
    end
    failures:check()
  end)

  it("reads and stores through views of any strides", function()
    local failures = helper.failures()
    for _, r in ipairs(records) do
      failures:run(r[1] .. " " .. r[2], function()
        local shape = helper.parse_shape(r[1])
        local wide = {}
        for d = 1, #shape do wide[d] = 2 * shape[d] end
        local index, back = {}, {}
        for d = 1, #shape do index[d], back[d] = { -1, 2, -2 }, #shape + 1 - d end
        local reversed = {}
        for d = 1, #shape do reversed[d] = wide[#shape + 1 - d] end
        local a = ma.zeros(reversed, "int64"):transpose(back)[index]
        a:assign(counted(shape))
        assert.equal(tonumber(r[4]), weighted(flat(a[golden_index(r[2])])))
        a[golden_index(r[2])] = counted(helper.parse_shape(r[3])) - 1
        assert.equal(tonumber(r[5]), weighted(flat(a)))
      end)
    end
    failures:check()
  end)
end)

-- ==== Forms ====

describe("an index", function()
  it("is a position, a call, a table or a text", function()
    local v, a = ma.range(10, 50, 10), counted { 3, 4 }
    assert.equal(50, v[5])
    assert.equal(40, v[-2])
    assert.equal(7, a(2, 3))
    assert.equal(12, a(-1, -1))
    assert.equal(7, a[{ 2, 3 }])
    assert.equal(7, a["2, 3"])
    same_list({ 5, 6, 7, 8 }, flat(a[2]))
    same_list({ 5, 6, 7, 8 }, flat(a["2"]))
    same_list({ 2, 6, 10 }, flat(a[{ {}, 2 }]))
    same_list({ 6, 7, 10, 11 }, flat(a["2:3, 2:3"]))
    same_list({ 6, 7, 10, 11 }, flat(a[{ { 2, 3 }, { 2, 3 } }]))
    same_list({ 12, 10, 8, 6 }, flat(a[{ { -1, 2, -1 }, { -1, 1, -2 } }]))
    same_list({ 4, 8, 12 }, flat(a["..., -1"]))
    same_list({ 4, 8, 12 }, flat(a[{ "...", -1 }]))
    assert.equal("1x3x4", helper.shape(a["_"]))
    assert.equal("3x4x1", helper.shape(a["..., _"]))
    assert.equal("3x1x4", helper.shape(a[{ {}, ma.newaxis }]))
    assert.equal("3x4", helper.shape(a[{}]))
    assert.equal(5, ma.array(5)[{}])
    assert.equal("()", helper.shape(a["2, 3, ..."]))
  end)

  it("visits what a for loop visits", function()
    local n = 7
    local v, random = ma.range(1, n), helper.random(1)
    for _ = 1, 400 do
      local lo, hi, step = random(-n - 2, n + 2), random(-n - 2, n + 2), random(-4, 4)
      if step ~= 0 then
        local first, last = lo < 0 and lo + n + 1 or lo, hi < 0 and hi + n + 1 or hi
        local want, inside = indexing.visited(first, last, step), true
        for _, i in ipairs(want) do inside = inside and i >= 1 and i <= n end
        local label = ("{%d, %d, %d}"):format(lo, hi, step)
        if inside then
          same_list(want, flat(v[{ { lo, hi, step } }]), label)
          same_list(want, flat(v[("%d:%d:%d"):format(lo, hi, step)]), label)
        else
          refused("a range that visits position", function() return v[{ { lo, hi, step } }] end)
        end
      end
    end
  end)

  it("takes open ends in a text", function()
    local v = ma.range(1, 6)
    same_list({ 4, 5, 6 }, flat(v["4:"]))
    same_list({ 1, 2 }, flat(v[":2"]))
    same_list({ 6, 5, 4, 3, 2, 1 }, flat(v["::-1"]))
    same_list({ 6, 4, 2 }, flat(v["::-2"]))
    same_list({ 4, 3, 2, 1 }, flat(v["4::-1"]))
    same_list({ 6, 5, 4 }, flat(v[":4:-1"]))
    same_list({ 1, 3, 5 }, flat(v[" : : 2 "]))
    same_list({}, flat(v["5:4"]))
    same_list({}, flat(ma.zeros(0)[":"]))
    same_list({}, flat(ma.zeros(0)["::-1"]))
  end)

  it("makes views that share memory", function()
    local a = ma.zeros({ 3, 4 }, "int32")
    a["2, :"][3] = 5
    a[{ {}, { -1, 1, -1 } }]["1, 1"] = 9
    same_list({ 0, 0, 0, 9, 0, 0, 5, 0, 0, 0, 0, 0 }, flat(a))
  end)

  it("keeps many texts", function()
    local v = ma.range(1, 1000)
    for round = 1, 2 do
      for k = 1, 600 do assert.equal(k, v[("%d:%d"):format(k, k + round)](1)) end
    end
  end)

  it("keeps 256 texts at most", function()
    local v = ma.range(1, 200)
    local function read(spaces)
      for k = 1, 100 do
        for j = 101, 200 do v[(" "):rep(spaces) .. k .. ":" .. j]:free() end
      end
      collectgarbage()
      collectgarbage()
      return collectgarbage("count")
    end
    local before = read(0)
    assert(read(1) - before < 500)                       -- KB; 10,000 texts take more than 2000
  end)

  it("takes 64-bit integers of the FFI", function()
    local ffi = require "ffi"
    local v = ma.range(10, 50, 10)
    assert.equal(20, v[ffi.new("int64_t", 2)])
    assert.equal(50, v[ffi.new("uint64_t", 5)])
    assert.equal(40, v(ffi.new("int64_t", -2)))
  end)

  it("gives every dtype's value", function()
    for _, dtype in ipairs(helper.dtypes) do
      local v = ma.zeros({ 3 }, dtype)
      v[2] = dtype == "bool" and true or 7
      local value = v[2]
      if dtype == "bool" then assert.equal(true, value)
      elseif helper.is_complex[dtype] then
        assert.equal(7, value.re)
        v[3] = ma.complex(1, -2)
        assert.equal(-2, v[3].im)
      else assert.equal(7, value) end
    end
  end)
end)

-- ==== Errors ====

describe("an index that is wrong", function()
  local v, a, z
  before_each(function() v, a, z = ma.range(1, 5), counted { 3, 4 }, ma.array(1) end)
  after_each(function() v, a, z = nil, nil, nil end)

  it("says what to write", function()
    refused("{4, -1}", function() return v[{ { 4 } }] end)
    refused("a[ma.index{1, 3, 5, 7}]", function() return a[{ { 1, 3, 5, 7 } }] end)
    refused("two positions for one axis; a range is v[{ {2, 5} }]", function() return v[{ 2, 5 }] end)
    refused("got a boolean; write x:eq(0)", function() return a[a == 0] end)
    refused("got a boolean; write x:eq(0)", function() return a[{ true, 1 }] end)
    refused('a["1,3"]', function() local r = a[[1,3]] return r end)
    refused("a[{2, 3}]", function() local r = a { 2, 3 } return r end)
    refused('a["2:5"]', function() local r = a "2:5" return r end)
    refused("a[mask]", function() local r = a(a:gt(1)) return r end)
    refused("did you mean 'shape'", function() return a.shap end)
    refused("did you mean 'shape'", function() a.shap = 1 end)
    refused("in a table", function() return a[{ "2:3", 1 }] end)
    refused('astype("int64")', function() return a[a * 1.5] end)
  end)

  it("is refused at once where the host knows", function()
    for _, i in ipairs { 0, 4, -4, 1e15 } do
      refused("on axis 1; positions there are 1 to 3", function() return a[i] end)
      refused("on axis 1; positions there are 1 to 3", function() return a(i, 1) end)
      refused("on axis 1; positions there are 1 to 3", function() a[i] = 1 end)
    end
    refused("on axis 2", function() return a[{ 1, 5 }] end)
    refused("visits position 6", function() return v["2:6"] end)
    refused("which is empty", function() return ma.zeros(0)[1] end)
    for _, i in ipairs { 0 / 0, 1.5, 1 / 0, -1 / 0, 1e300 } do
      refused("positions are whole numbers", function() return v[i] end)
      refused("positions are whole numbers", function() return v[{ { 1, i } }] end)
      refused("positions are whole numbers", function() return v(i) end)
    end
    refused("an index for 3 axes; the array has 2", function() return a[{ 1, 2, 3 }] end)
    refused("an index for 3 axes; the array has 2", function() return a["1, :, 2"] end)
    refused("an index for 1 axes; the array has 0", function() return z[1] end)
    refused("'...'", function() return a["..., ..."] end)
    refused("wanted", function() return a(1) end)
    refused("step", function() return v[{ { 1, 2, 0 } }] end)
    refused("step", function() return v["1:2:0"] end)
    for _, text in ipairs { "", "1;2", "1,", ",", "1:2:3:4", "--1", "1 2", "1..", "1e3", "99999999999999999999",
      "1\0002", "%d" } do
      refused("the index '", function() return a[text] end)
    end
    refused("a hole or a name", function() return a[{ nil, 2 }] end)
    refused("a hole or a name", function() return a[{ 1, axis = 2 }] end)
    refused("as a position", function() return a[print] end)
    refused("as a position", function() return a[io.stdout] end)
    refused("fewer items", function() return a[("_,"):rep(40) .. "_"] end)
    refused("axes", function() return a[("_,"):rep(20) .. "_"] end)
  end)

  it("does not go together", function()
    refused("a mask of shape (2,)", function() return a[ma.array { true, false }] end)
    refused("index arrays that do not go together",
      function() return a[{ ma.index { 1, 2 }, ma.index { 1, 2, 3 } }] end)
    refused("values for the picked places", function() a[ma.index { 1, 2 }] = ma.zeros(3) end)
    refused("broadcast", function() a["1:2, :"] = ma.zeros(3) end)
    refused("to store", function() a[1] = nil end)
    refused("to store", function() a[1] = "x" end)
    refused("300", function() ma.zeros(3, "uint8")[1] = 300 end)
    refused("300", function() ma.zeros(3, "uint8")["1:2"] = 300 end)
    refused("300", function() ma.zeros(3, "uint8")[ma.index { 1 }] = 300 end)
    refused("read-only", function() ma.broadcast_to(v, { 2, 5 })[ma.index { 1 }] = 1 end)
    refused("read-only", function() ma.broadcast_to(v, { 2, 5 })["1, 1"] = 1 end)
  end)

  it("of an array is found by the call that waits", function()
    for _, bad in ipairs { 6, 0, -6 } do
      refused(("position %d on axis 1"):format(bad), function()
        local got = v[ma.index { 1, bad, 2 }]
        return got:totable()
      end)
      local w = v:copy()
      refused(("position %d on axis 1"):format(bad), function()
        w[ma.index { 2, bad, 3 }] = ma.array { 70, 80, 90 }
        return w:totable()
      end)
      same_list({ 1, 70, 90, 4, 5 }, flat(w))          -- raised once, and nothing was written outside
    end
    -- as int64 these would count from the end
    for _, far in ipairs { "9223372036854775808", "18446744073709551615" } do
      refused("on axis 1", function()
        local huge = ma.zeros(1, "uint64") + ma.uint64(tonumber(far) == 2 ^ 63 and 9223372036854775808ULL
          or 18446744073709551615ULL)
        return v[huge]:totable()
      end)
    end
    refused("position 9 on axis 2", function()
      local got = a[{ ma.index { 1, 2 }, ma.index { 4, 9 } }]
      return got:totable()
    end)
    same_list({ 3, 4 }, flat(v["3:4"]))
  end)

  if not on_cpu then
    it("reads 0 on a device that works behind", function()
      local got = v[ma.index { 2, 7, 3 }]
      helper.fails(function() return v:totable() end)
      same_list({ 2, 0, 3 }, flat(got))
    end)
  end
end)

-- ==== Assignment ====

describe("assigning", function()
  it("takes numbers, booleans, tables, arrays and views of itself", function()
    local a = ma.zeros({ 3, 4 }, "float32")
    a[2] = 5
    a[{ 3, {} }] = { 1, 2, 3, 4 }
    a["1, 2:3"] = ma.array({ 8, 9 }, "int16")
    same_list({ 0, 8, 9, 0, 5, 5, 5, 5, 1, 2, 3, 4 }, flat(a))
    a[{ {}, { 2, 4 } }] = a[{ {}, { 1, 3 } }]
    same_list({ 0, 0, 8, 9, 5, 5, 5, 5, 1, 1, 2, 3 }, flat(a))
    a["::-1"] = a
    same_list({ 1, 1, 2, 3, 5, 5, 5, 5, 0, 0, 8, 9 }, flat(a))
    a[ma.index { 3, 2, 1 }] = a
    same_list({ 0, 0, 8, 9, 5, 5, 5, 5, 1, 1, 2, 3 }, flat(a))
    a[{}] = 1
    same_list({ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, flat(a))
    a[{ {}, 1 }] = ma.array { { 2 }, { 3 }, { 4 } }:reshape(3)
    a[{ 1, {} }] = ma.array { { 7, 7, 7, 7 } }
    same_list({ 7, 7, 7, 7, 3, 1, 1, 1, 4, 1, 1, 1 }, flat(a))
    local z = ma.array(3)
    z[{}] = 4
    assert.equal(4, z:item())
    local b = ma.zeros(4, "bool")
    b["2:3"] = true
    same_list({ false, true, true, false }, flat(b))
    local i = ma.zeros(3, "int32")
    i[1], i[2], i[3] = 2.75, -2.75, true
    same_list({ 2, -2, 1 }, flat(i))
  end)

  it("uses an index that it overwrites", function()
    local v = ma.index { 3, 1, 2 }
    v[v] = ma.index { 10, 20, 30 }
    same_list({ 20, 30, 10 }, flat(v))
    local n = 10000
    local order, values = ma.random.permutation(n), ma.arange(n) * 7
    local want = order:copy()
    want[order:copy()] = values
    order[order] = values
    helper.identical(want, order, "a permutation of itself")
  end)

  it("crosses devices", function()
    local a, host = ma.zeros(4), ma.array({ 1, 2 }):get()
    a["2:3"] = host
    a[ma.index { 4, 1 }] = host
    host["1:2"] = a["1:2"]
    same_list({ 2, 1, 2, 1 }, flat(a))
    same_list({ 2, 1 }, flat(host))
  end)

  it("under a mask takes numbers and arrays", function()
    local random = helper.random(2)
    for _, dtype in ipairs { "bool", "int8", "float16", "float32", "int64", "complex128" } do
      local a, m, want, list = ma.zeros({ 5, 6 }, dtype), {}, {}, {}
      for k = 1, 30 do m[k] = random() < 0.4 end
      local mask = ma.array(m):reshape(5, 6)
      a[mask] = 1
      for k = 1, 30 do want[k] = m[k] and 1 or 0 end
      same_list(want, flat(a:astype("float64")), dtype)
      for k = 1, 30 do if m[k] then list[#list + 1] = k % 2 end end
      if #list > 0 then a[mask] = list end
      for k = 1, 30 do want[k] = m[k] and k % 2 or 0 end
      same_list(want, flat(a:astype("float64")), dtype)
    end
    local a = counted { 3, 4 }
    a[ma.array { true, false, true }] = ma.array { 9, 8, 7, 6 }
    same_list({ 9, 8, 7, 6, 5, 6, 7, 8, 9, 8, 7, 6 }, flat(a))
    a[ma.array { true, false, true }] = 0
    same_list({ 0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0 }, flat(a))
    a[ma.array { false, false, false }] = ma.zeros { 0, 4 }
    a[{ a:gt(6):any(2), { 1, 2 } }] = -1
    same_list({ 0, 0, 0, 0, -1, -1, 7, 8, 0, 0, 0, 0 }, flat(a))
  end)
end)

-- ==== Every dtype, and sizes that more than one thread takes ====

--- The places that items (ranges, lists, masks; one an axis) pick, in C order, by plain loops.
local function places(shape, lists)
  local list = { 0 }
  for d = 1, #shape do
    local next = {}
    for _, at in ipairs(list) do
      for _, p in ipairs(lists[d]) do next[#next + 1] = at * shape[d] + p - 1 end
    end
    list = next
  end
  return list
end

--- A random item for an axis of extent n, and the positions that it means.
local function random_item(random, n, kind)
  local list = {}
  if kind == "array" then
    local at = {}
    for k = 1, random(0, n) do
      list[k] = random(1, n)
      at[k] = random() < 0.3 and list[k] - n - 1 or list[k]
    end
    return #at == 0 and ma.zeros(0, "int32") or ma.index(at), list
  elseif kind == "mask" then
    local m = {}
    for k = 1, n do
      m[k] = random() < 0.5
      if m[k] then list[#list + 1] = k end
    end
    return ma.array(m), list
  end
  local lo, hi, step = random(1, n), random(1, n), random(1, 3)
  if lo > hi then step = -step end
  return { lo, hi, step }, indexing.visited(lo, hi, step)
end

describe("gather and scatter", function()
  it("agree with plain loops", function()
    local random = helper.random(6)
    for _ = 1, 60 do
      local shape, items, lists = {}, {}, {}
      for d = 1, random(1, 3) do shape[d] = random(1, 7) end
      local special = random(1, #shape)
      for d = 1, #shape do
        items[d], lists[d] = random_item(random, shape[d], d == special and (random() < 0.5 and "array" or "mask")
          or "range")
      end
      local a, want = counted(shape, "float32"), places(shape, lists)
      local got = a[items]
      for d = 1, #shape do assert.equal(#lists[d], got.shape[d]) end
      local list = flat(got)
      for k = 1, #want do assert(list[k] == want[k] + 1) end
      local stored = flat(a)
      for k = 1, #want do stored[want[k] + 1] = -want[k] end
      if #want > 0 then a[items] = (1 - got) end
      same_list(stored, flat(a))
    end
  end)

  it("move every dtype by every integer dtype", function()
    local random = helper.random(3)
    for _, dtype in ipairs(helper.dtypes) do
      local a = counted({ 9, 3 }):remainder(dtype == "bool" and 2 or 100):astype(dtype)
      local list = flat(a:astype("float64"))
      for _, of in ipairs { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" } do
        local rows, columns, want, whole = {}, {}, {}, {}
        for k = 1, 7 do
          rows[k], columns[k] = random(1, 9), random(1, 3)
          want[k] = list[(rows[k] - 1) * 3 + columns[k]]
          for c = 1, 3 do whole[#whole + 1] = list[(rows[k] - 1) * 3 + c] end
          if of:sub(1, 1) == "i" and random() < 0.5 then rows[k] = rows[k] - 10 end
        end
        local r, c = ma.array(rows, of), ma.array(columns, of)
        same_list(want, flat(a[{ r, c }]:astype("float64")), dtype .. " by " .. of)
        same_list(whole, flat(a[r]:astype("float64")), dtype .. " rows by " .. of)
        local b = ma.zeros({ 9, 3 }, dtype)
        b[{ r, c }] = a[{ r, c }]
        same_list(want, flat(b[{ r, c }]:astype("float64")), dtype .. " stored by " .. of)
      end
    end
  end)

  it("are right for many elements", function()
    local n, m = 100003, 70001
    local a = ma.range(1, n):astype("float64")
    local index = (ma.range(1, m) * 7919):remainder(n) + 1
    local got, at = a[index]:totable(), index:totable()
    for k = 1, m do assert(got[k] == at[k]) end
    local mask = a:remainder(3):eq(0)
    local list = a[mask]:totable()
    assert.equal(math.floor(n / 3), #list)
    for k = 1, #list do assert(list[k] == 3 * k) end
    a[mask] = ma.range(1, #list)
    list = a:totable()
    for k = 1, n do assert(list[k] == (k % 3 == 0 and k / 3 or k)) end
    local rows = counted { 500, 301 }
    local some = (ma.range(1, 800) * 37):remainder(500) + 1
    list, at = flat(rows[some]), some:totable()
    for k = 1, 800 do
      for c = 1, 301, 60 do assert(list[(k - 1) * 301 + c] == (at[k] - 1) * 301 + c) end
    end
    list = flat(rows.T[{ {}, some }])
    for k = 1, 800, 3 do
      for c = 1, 301, 60 do assert(list[(c - 1) * 800 + k] == (at[k] - 1) * 301 + c) end
    end
  end)

  it("find true elements at every density", function()
    for _, n in ipairs { 0, 1, 15, 16, 17, 4095, 4096, 4097, 65536, 200001 } do
      for _, step in ipairs { 1, 2, 37, 5000 } do
        local mask = ma.range(1, n):remainder(step):eq(step - 1)
        if step == 1 then mask = ma.ones(n, "bool") end
        local got = mask:flatnonzero():totable()
        local first = step == 1 and 1 or step - 1
        local want = n < first and 0 or math.floor((n - first) / step) + 1
        assert.equal(want, #got)
        for k = 1, want do assert(got[k] == first + (k - 1) * step) end
      end
    end
    local m = ma.range(1, 5000):remainder(7):eq(1)
    same_list(flat(m["2:4999"]:copy():flatnonzero()), flat(m["2:4999"]:flatnonzero()))
    same_list(flat(m["::-3"]:copy():flatnonzero()), flat(m["::-3"]:flatnonzero()))
  end)

  it("go in C order whatever the order in memory", function()
    local a = ma.array { { 0, 1 }, { 2, 0 }, { 3, 4 } }
    same_list({ 2, 3, 4, 6 }, flat(a.T:flatnonzero()))
    same_list({ 2, 3, 1, 4 }, flat(a.T[a.T:gt(0)]))
  end)

  it("select from every size of element, dense and sparse", function()
    local n = 3 * 4096 + 77
    for _, dtype in ipairs { "uint8", "float16", "float32", "int64", "complex128" } do
      local a = ma.remainder(ma.range(1, n), 113):astype(dtype)
      for _, step in ipairs { 1, 2, 7, 5000 } do
        local mask = ma.range(1, n):remainder(step):eq(0)
        local got, expected = a[mask], a:take(mask:flatnonzero())
        assert.are.equal(math.floor(n / step), got.size)
        assert.is_true(ma.array_equal(expected, got), dtype .. " " .. step)
      end
      assert.are.equal(0, a[ma.zeros(n, "bool")].size)
    end
  end)
end)
