-- Scans of rows of many tiles: the same bits on both devices, in place, from places that are not aligned, and of what a
-- program gives.

local helper = require "spec.helper"
local ma = helper.ma

local cpu = ma.device("cpu")

--- On the CPU, so that both devices get the same values.
local function values(shape, dtype)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return cpu:with(function()
    local x = ma.random.default_rng(helper.seed + n):random({ n }, "float64") * 2 - 0.99
    if not helper.is_float[dtype] and not helper.is_complex[dtype] then x = x * 1000 end
    return x:astype(dtype):reshape(shape)
  end)
end

describe("scans of many tiles", function()
  local shapes = { { 4097 }, { 8192 }, { 139269 }, { 3, 12288 }, { 2, 135168 }, { 2, 135171 } }

  it("give the same bits on both devices, in place and not aligned", function()
    local failures = helper.failures()
    for _, dtype in ipairs({ "float32", "float64", "int32", "int64", "float16", "complex64" }) do
      for _, shape in ipairs(shapes) do
        failures:run(dtype .. " " .. table.concat(shape, "x"), function()
          local host, axis = values(shape, dtype), #shape
          for _, op in ipairs({ "cumsum", "cumprod" }) do
            local want = helper.bytes(ma[op](host, axis))
            local x = helper.device == "cpu" and host:copy() or host:to(helper.device)
            local got = ma[op](x, axis)
            helper.same(helper.bytes(got), want, got.dtype, 0, op)
            -- which keeps -0
            helper.same(helper.bytes(ma[op](x - 0, axis)), want, got.dtype, 0, op .. " of a difference")
            local longer = { unpack(shape) }
            longer[axis] = longer[axis] + 1
            local room = ma.zeros(longer, dtype)
            local inside = room["..., 2:"]
            inside[{}] = x
            helper.same(helper.bytes(ma[op](inside, axis)), want, got.dtype, 0, op .. ", not aligned")
            if got.dtype == dtype then
              ma[op](x, axis, { out = x })
              helper.same(helper.bytes(x), want, dtype, 0, op .. " in place")
            end
          end
        end)
      end
    end
    failures:check()
  end)

  --- Running sums along the tree of kernels/reduce/reduce.h: strips of 16, octets of 128, segments of 512, tiles of
  --- 4096, supers of 32 tiles, groups of 32 supers.
  local function by_tree(x, n, to)
    local own, strips, octets, segments, tile, super, group = 0, 0, 0, 0, 0, 0, 0
    local base, offset = 0, 0
    for r = 0, n - 1 do
      if r % 16 == 0 then
        own = 0
        if r % 128 == 0 then strips = 0 end
        if r % 512 == 0 then octets = 0 end
        if r % 4096 == 0 then segments = 0 end
        offset = base + (segments + (octets + strips))
      end
      own = own + x[r]
      to[r] = offset + own
      if (r + 1) % 16 == 0 then strips = strips + own end
      if (r + 1) % 128 == 0 then octets = octets + strips end
      if (r + 1) % 512 == 0 then segments = segments + octets end
      if (r + 1) % 4096 == 0 then
        local tiles = (r + 1) / 4096
        tile = tile + segments
        if tiles % 32 == 0 then super, tile = super + tile, 0 end
        if tiles % 1024 == 0 then group, super = group + super, 0 end
        base = group + (super + tile)
      end
    end
  end

  it("add in the order of the tree", function()
    local n = 4096 * 1060 + 77
    local x, want = values({ n }, "float64"), cpu:with(function() return ma.empty(n, "float64") end)
    by_tree(x:data(), n, want:data())
    local got = ma.cumsum(helper.device == "cpu" and x or x:to(helper.device))
    helper.same(helper.bytes(got), helper.bytes(want), "float64", 0, "a long row")
    local rows = values({ 4096 * 33 + 5, 16 }, "float64")
    local columns = ma.cumsum(helper.device == "cpu" and rows or rows:to(helper.device), 1):get()
    for k = 1, 16, 5 do
      local row, by = rows[{ {}, k }]:copy(), cpu:with(function() return ma.empty(rows.shape[1], "float64") end)
      by_tree(row:data(), row.size, by:data())
      helper.same(helper.bytes(columns[{ {}, k }]:copy()), helper.bytes(by), "float64", 0, "column " .. k)
    end
  end)

  it("of integers are those of one step after another, in any layout and in place", function()
    local function steps(x, axis, f, dtype)
      local rows = ma.moveaxis(x:astype(dtype), axis, 1):copy()
      for k = 2, rows.shape[1] do rows[{ { k, k } }] = f(rows[{ { k - 1, k - 1 } }], rows[{ { k, k } }]) end
      return ma.moveaxis(rows, 1, axis)
    end
    local scans = {
      { ma.cumsum, ma.add }, { ma.cumprod, ma.multiply },
      { function(x, axis, options) return ma.maximum.accumulate(x, axis, options) end, ma.maximum },
      { function(x, axis, options) return ma.bitwise_xor.accumulate(x, axis, options) end, ma.bitwise_xor },
    }
    for _, dtype in ipairs(helper.thin and { "int64" } or { "int64", "uint8", "int32", "uint64", "int16" }) do
      for _, shape in ipairs { { 1100 }, { 3 }, { 70, 300 }, { 5, 530 }, { 4, 20, 17 } } do
        local x = (ma.random.random(shape) * 200 - (dtype:find "u" and 0 or 100)):astype(dtype):eval()
        local back = {}
        for d = 1, #shape do back[d] = d == #shape and { -1, 1, -1 } or {} end
        for axis = 1, #shape do
          for _, pair in ipairs(scans) do
            for _, a in ipairs { x, x[back], x:transpose():copy():transpose() } do
              local got = pair[1](a, axis)
              helper.identical(got, steps(a, axis, pair[2], got.dtype), dtype .. #shape .. axis)
              if a.dtype == got.dtype then
                local inside = a:copy()
                helper.identical(pair[1](inside, axis, { out = inside }), got, "in place")
              end
            end
          end
        end
      end
    end
  end)

  it("end in the sum", function()
    local x = ma.ones({ 4096 * 1025 + 3 }, "float32")
    local sums = ma.cumsum(x)
    assert(sums(sums.size) == sums.size and sums(4096 * 1024 + 1) == 4096 * 1024 + 1 and sums(131073) == 131073)
    assert(ma.array_equal(sums, ma.arange(1, sums.size + 1, { dtype = "float32" })))
  end)
end)
