--- A program for ranks: sharded arrays against the same code over the whole array, which each rank has too, on the CPU.

local ma = require "moonarray"

local D = ma.distributed
D.init { timeout = 30, backend = arg[1] }
local rank, size = D.rank(), D.size()
local try = require "spec.distributed.try"
local same, everywhere, uneven, shard, deal, here = try.same, try.everywhere, try.uneven, try.shard, try.deal, try.here

local np = ma.numpy
local generator = ma.random.default_rng(7)
local function draw(kind, ...) return generator[kind](generator, ...):get() end

local function try_elements()
  for _, axis in ipairs { 1, 2 } do
    local a, b = draw("normal", 0, 1, { 13, 17 }), draw("normal", 0, 1, { 13, 17 })
    local sizes = uneven(a.shape[axis])
    local x, y = shard(a, axis, sizes), shard(b, axis, sizes)
    local row = draw("normal", 0, 1, { 17 })
    same("gather", x, a)
    local got = x:gather(size - 1)
    assert((got ~= nil) == (rank == size - 1))
    same("operators", (x * y + 2) / 3 - y ^ 2 % 5, (a * b + 2) / 3 - b ^ 2 % 5)
    same("an operand of all ranks", 1 - x * here(row), 1 - a * row)
    same("a column of all ranks", x + ma.ones { 13, 1 }, a + 1)
    same("methods", (-x):abs():sqrt():exp(), ma.exp(ma.sqrt(ma.abs(-a))), try.on_gpu and 1e-14 or nil)
    same("comparisons", x:lt(y):astype "int8", a:lt(b):astype "int8")
    same("map", D.map(ma.where, x:gt(0), x, 0), ma.where(a:gt(0), a, 0))
    same("clip", x:clip(-0.5, 0.5), ma.clip(a, -0.5, 0.5))
    same("assign", x:copy():assign(y), b)
    same("distribute", D.distribute(rank == 0 and here(a) or nil, 0, { axis = axis }), a)
  end
  same("zeros", D.zeros({ 5, 3 }, { dtype = "int32" }), np.zeros({ 5, 3 }, "int32"))
  local x = D.ones({ 4, 7 }, { axis = -1 })
  assert(x.axis == 2 and x.shape[2] == 7 and x.last - x.first + 1 == x.part.shape[2])
end

local INTEGERS = { "bool", "int8", "uint16", "int64" }
local FLOATS = { "float16", "bfloat16", "float32", "float64", "complex64" }

--- What is exact: the bits of one rank.
local function try_exact(dtype)
  local whole = draw("integers", 0, 100, { 11, 6, 5 }):astype(dtype)
  for axis = 1, 3 do
    local x = shard(whole, axis, uneven(whole.shape[axis]))
    for _, over in ipairs { false, 1, 2, 3, { 1, 3 }, { 2, 3 } } do
      over = over or nil
      local what = ("of %s, axis %s over %s"):format(dtype, axis, type(over) == "table" and over[1] .. over[2]
        or tostring(over))
      for _, method in ipairs { "sum", "prod", "count_nonzero", "min", "max", "any", "all" } do
        if not (dtype:find "^b?float" and method == "prod") and deal() then
          same(method .. what, x[method](x, over), ma[method](whole, over))
        end
      end
      if deal() then
        same("keepdims" .. what, x:sum(over, { keepdims = true }), whole:sum(over, { keepdims = true }))
      end
      for _, method in ipairs { "argmin", "argmax" } do
        if type(over) ~= "table" and deal() then same(method .. what, x[method](x, over), ma[method](whole, over)) end
      end
    end
  end
end

--- What is rounded: the same bits everywhere, close to those of one rank, and equal to them on one rank.
local function try_rounded(dtype)
  local whole = draw("normal", 3, 2, { 2100, 3 }):astype(dtype)
  local close = dtype == "bfloat16" and 1e-2 or dtype == "float16" and 2e-3 or dtype == "float64" and 1e-14 or 1e-6
  if size == 1 then close = nil end
  for axis = 1, 2 do
    local x = shard(whole, axis, uneven(whole.shape[axis]))
    for _, over in ipairs { false, 1, 2 } do
      over = over or nil
      for _, method in ipairs { "sum", "mean", "var", "std" } do
        if deal() then
          local what = ("%s of %s, axis %d over %s"):format(method, dtype, axis, tostring(over))
          local got = x[method](x, over)
          same(what, got, ma[method](whole, over), close)
          if not try.is_sharded(got) then everywhere(what, got) end
        end
      end
    end
    same("a pending operand of " .. dtype, (x * 2 + 1):sum(), (whole * 2 + 1):sum(), close)
    if dtype ~= "complex64" and deal() then
      same("logsumexp of " .. dtype, x:logsumexp(1), ma.logsumexp(whole, 1), close or try.on_gpu and 1e-6 or nil)
    end
  end
  same("ddof", shard(whole, 1, uneven(2100)):var(nil, { ddof = 1 }), whole:var(nil, { ddof = 1 }), close)
end

local function try_nan()
  local whole = np.array({ 3, ma.nan, 1, 2, ma.nan, 7 }, "float32")
  local x = shard(whole, 1, uneven(6))
  for _, method in ipairs { "sum", "min", "max", "argmin", "argmax", "nanmin", "nanmax", "nanmean", "nanvar" } do
    same(method .. " with NaN", x[method](x), ma[method](whole), 1e-6)
  end
  same("sum of nothing", D.zeros({ 0, 3 }):sum(1), np.zeros({ 0, 3 }):sum(1))
  local ok, why = pcall(D.zeros { 0 }.min, D.zeros { 0 })
  assert(not ok and why:find "zero%-size array to reduction operation min", why)
end

--- Reductions of some elements, and with a number in front.
local function try_where(dtype)
  local exact = not dtype:find "float" and not dtype:find "complex"
  local close = not exact and size > 1 and 1e-6 or nil
  local whole = draw("integers", 0, 50, { 90, 4 }):astype(dtype)
  local mask, initial = draw("integers", 0, 3, { 90, 4 }):gt(0), exact and 300 or 2.5
  local row = np.array { true, false, true, true }
  for axis = 1, 2 do
    local x, chosen = shard(whole, axis, uneven(whole.shape[axis])), shard(mask, axis, uneven(whole.shape[axis]))
    for _, over in ipairs { false, 1, 2 } do
      over = over or nil
      local what = (" where, of %s, axis %d over %s"):format(dtype, axis, tostring(over))
      for _, method in ipairs { "sum", "mean", "var", "count_nonzero", "any", "all" } do
        local rounded = size > 1 and (method == "mean" or method == "var") and 1e-12 or nil
        if deal() then
          same(method .. what, x[method](x, over, { where = chosen }), ma[method](whole, over, { where = mask }),
            close or rounded)
        end
      end
      if deal() then
        same("sum" .. what .. " of all ranks", x:sum(over, { where = here(row) }), whole:sum(over, { where = row }),
          close)
      end
      if deal() then
        same("sum with initial" .. what, x:sum(over, { initial = initial, where = chosen, keepdims = true }),
          whole:sum(over, { initial = initial, where = mask, keepdims = true }), close)
      end
      for _, method in ipairs { "min", "max", "nanmax" } do
        if not dtype:find "complex" and deal() then
          same(method .. what, x[method](x, over, { initial = 7, where = chosen }),
            ma[method](whole, over, { initial = 7, where = mask }))
        end
      end
    end
    same("a pending operand where", (x * 2 + 1):sum({ where = x:gt(x.dtype:find "complex" and -1 or 10) }),
      (whole * 2 + 1):sum({ where = whole:gt(dtype:find "complex" and -1 or 10) }), close)
  end
  same("initial of nothing", D.zeros({ 0, 3 }, { dtype = dtype }):sum(1, { initial = 4 }),
    np.zeros({ 0, 3 }, dtype):sum(1, { initial = 4 }))
  local x = shard(whole, 1, uneven(90))
  for pattern, fn in pairs {
    ["where without initial; max has no identity"] = function() return x:max({ where = x:gt(1) }) end,
    ["where is .*; wanted a bool array"] = function() return x:sum({ where = x * 2 }) end,
    ["wanted the same parts"] = function() return x:sum({ where = x:gt(1):reshard(2) }) end,
  } do
    local ok, why = pcall(fn)
    assert(not ok and why:find(pattern), tostring(why))
  end
end

--- Running sums and products; exact ones have the bits of one rank.
local function try_scans(dtype)
  local exact = not dtype:find "float" and not dtype:find "complex"
  local close = dtype == "bfloat16" and 8e-3 or dtype == "float16" and 1e-3 or dtype == "float64" and 1e-12 or 1e-6
  if size == 1 or exact then close = nil end
  local whole = (draw("integers", 1, 4, { 40, 3 }) / (exact and 1 or 3)):astype(dtype)
  for axis = 1, 2 do
    local x = shard(whole, axis, uneven(whole.shape[axis]))
    for _, over in ipairs { false, 1, 2 } do
      over = over or nil
      for _, method in ipairs { "cumsum", "cumprod" } do
        local what = ("%s of %s, axis %d over %s"):format(method, dtype, axis, tostring(over))
        if (method == "cumsum" or exact or over == 2) and deal() then
          local got = x[method](x, over)
          same(what, got, ma[method](whole, over), close)
          everywhere(what, got:all_gather())
        end
      end
    end
    same("cumsum by dtype", x:cumsum(axis, { dtype = "float64" }), whole:cumsum(axis, { dtype = "float64" }), 1e-12)
  end
  same("cumsum of nothing", D.zeros({ 0 }, { dtype = dtype }):cumsum(), np.zeros(0, dtype):cumsum())
end

try_elements()
for _, dtype in ipairs { "bool", "int8", "float32", "float64", "complex64" } do
  try_where(dtype)
  if dtype ~= "complex64" then try_scans(dtype) end
end
try_scans "bfloat16"
for _, dtype in ipairs(INTEGERS) do try_exact(dtype) end
for _, dtype in ipairs(FLOATS) do try_rounded(dtype) end
try_exact "float32"
try_nan()
try.finish()
