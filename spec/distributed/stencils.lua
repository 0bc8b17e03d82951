--- A program for ranks: stencils over sharded arrays give the bits of one rank, and halos are the neighbours'
--- positions.

local ma = require "moonarray"

local D = ma.distributed
D.init { timeout = 30, backend = arg[1] }
local rank, size = D.rank(), D.size()
local try = require "spec.distributed.try"
local same, shard = try.same, try.shard

local generator = ma.random.default_rng(11)

--- Extents of other lengths, none below `least`.
local function thick(n, least)
  local sizes, left = {}, n - least * size
  for r = 1, size do
    sizes[r] = least + (r == size and left or math.floor(left / size / r))
    left = left - sizes[r] + least
  end
  return sizes
end

local function heat(u) return u(0, 0) + 0.1 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0)) end
local function wide(u) return u(-2, 1) * 0.5 + u(1, -2) - u(0, 0) / 3 end
local function behind(u) return u(-1, 0) - u(0, 1) end

for _, boundary in ipairs { "constant", "wrap", "nearest", "reflect", "mirror", "leave", { "nearest", "wrap" } } do
  for number, fn in ipairs { heat, wide, behind } do
    local options = { boundary = boundary, value = 2 }
    local one, many = ma.stencil(fn, options), D.stencil(fn, options)
    for axis = 1, 2 do
      local u = generator:uniform(0, 1, { 21, 19 }):astype(number == 2 and "float32" or "float64")
      local x = shard(u, axis, thick(u.shape[axis], 3))
      local what = ("%s, function %d, axis %d"):format(type(boundary) == "table" and "both" or boundary, number, axis)
      same("a step: " .. what, many(x), one(u))
      same("steps: " .. what, many:run(x, { steps = 7 }), one:run(u, { steps = 7 }))
      same("an expression: " .. what, many(x * 2), one(u * 2))
    end
  end
end

-- parts that are thick enough for several steps between exchanges
for _, boundary in ipairs { "constant", "wrap", "reflect", "leave" } do
  for number, fn in ipairs { heat, wide, behind } do
    local options = { boundary = boundary, value = 2 }
    local one, many = ma.stencil(fn, options), D.stencil(fn, options)
    for axis = 1, 2 do
      local u = generator:uniform(0, 1, axis == 1 and { 90, 7 } or { 6, 95 })
      local x = shard(u, axis, thick(u.shape[axis], 15))
      for _, steps in ipairs { 0, 1, 2, 3, 11 } do
        same(("%d steps: %s, function %d, axis %d"):format(steps, boundary, number, axis),
          many:run(x, { steps = steps }), one:run(u, { steps = steps }))
      end
    end
  end
end

local function react(u, v)
  local r = u(0, 0) * v(0, 0) * v(0, 0)
  return u(0, 0) + 0.16 * (u(-1, 0) + u(1, 0) - 2 * u(0, 0)) - r,
    v(0, 0) + 0.08 * (v(0, -1) + v(0, 1) - 2 * v(0, 0)) + r
end
local u, v = generator:uniform(0, 1, { 16, 9 }), generator:uniform(0, 1, { 16, 9 })
local one, many = ma.stencil(react, { boundary = "wrap", out = 2 }), D.stencil(react, { boundary = "wrap", out = 2 })
local sizes = thick(16, 2)
local x, y = many:run(shard(u, 1, sizes), shard(v, 1, sizes), { steps = 5 })
u, v = one:run(u, v, { steps = 5 })
same("two fields, the first", x, u)
same("two fields, the second", y, v)

--- What padded() should give, taken from the whole.
local function around(whole, a, h, wrap)
  local list = {}
  for p = a.first - h, a.last + h do
    local inside = p >= 1 and p <= a.shape[a.axis]
    if inside or wrap then list[#list + 1] = (p - 1) % a.shape[a.axis] + 1 end
  end
  return whole:take(ma.array(list, "int64"), a.axis)
end

for axis = 1, 2 do
  local whole = generator:uniform(0, 1, { 12, 13 })
  local a = shard(whole, axis, thick(whole.shape[axis], 2), 2)
  same("padded", a:padded(), around(whole, a, 2, false))
  same("padded round the ends", a:padded { wrap = true }, around(whole, a, 2, true))
end

if size > 1 then
  local thin = shard(ma.ones { size, 4 }, 1, thick(size, 1))
  local ok, why = pcall(function() return D.stencil(heat)(thin) end)
  assert(not ok and why:find "rank 0 has 1 positions along the sharded axis; wanted at least 2", why)
  local function follows(w) return w(w(0, 0), 0) end
  ok, why = pcall(function() return D.stencil(follows)(shard(ma.ones { 8, 4 }, 1, thick(8, 2))) end)
  assert(not ok and why:find "an offset that depends on elements, which may lie with any rank", why)
end
assert(rank < size)
try.finish()
