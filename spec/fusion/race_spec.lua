-- Thousands of random operations over eight streams give the bits that they give on one: nothing that arrays alone can
-- do is a race. Half of the streams have no order with the null stream; blocks go back to the pool and out again while
-- they are still used; operations are small ones and such that keep a GPU busy for hundreds of microseconds.

local helper = require "spec.helper"
local ma = helper.ma

local on_gpu = helper.device ~= "cpu"
local NSTREAM, NSLOT = 8, 12
local sizes = on_gpu and { 1000, 60000, 3000000 } or { 300, 2000, 20000 }
local steps = (on_gpu and 3000 or 1200) * (helper.long and 4 or 1)

-- ==== What can be done; every operation draws its own numbers, so that both runs do the same ====

local slow = ma.ElementwiseKernel("T x, int32 turns", "T y",
  "T v = x; for (int k = 0; k < turns; k++) v = v * (T)1664525 + (T)1013904223; y = v", "race_slow")
local total = ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "race_total")
local mix = ma.RawKernel([[
extern "C" __global__ void race_mix(unsigned int *x, const unsigned int *y, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 3u + y[i];
}]], "race_mix")

--- A world: twelve arrays, by size class and dtype, and what was read by the host.
local function new_world()
  local world = { slot = {}, read = {}, order = {}, host = {} }
  for k = 1, NSLOT do
    local n = sizes[(k - 1) % 3 + 1]
    world.slot[k] = (ma.arange(n) * (2 * k + 1) + k):astype(k <= 6 and "uint32" or "int64")
  end
  for k, n in ipairs(sizes) do
    -- A permutation: i -> 7919 i + 13 (mod n) + 1, where 7919 and n have no common factor.
    world.order[k] = (ma.arange(n) * 7919 + 13) % n + 1
    world.host[k] = ma.numpy.arange(n)
  end
  return world
end

local operations = {
  function(w, r) -- a new array in place of an old one, whose block goes back
    local a = r.slot()
    w.slot[a] = w.slot[a] * r(1, 99) + w.slot[r.like(a)]
  end,
  function(w, r) local a = r.slot() w.slot[a]:iadd(w.slot[r.like(a)]) end,
  function(w, r) local a = r.slot() w.slot[a]:imul(2 * r(1, 50) + 1) end,
  function(w, r) -- part of one into part of another, or of itself
    local a = r.slot()
    local b, n = r.like(a), w.slot[a].size
    local length = r(1, math.floor(n / 2))
    local from, to = r(1, n - length), r(1, n - length)
    w.slot[a][{ { to, to + length } }] = w.slot[b][{ { from, from + length } }]
  end,
  function(w, r) local a = r.slot() w.slot[a] = w.slot[a]["::-1"]:copy() end,
  function(w, r) -- a reduction, and its result in an expression
    local a = r.slot()
    w.slot[a] = w.slot[a] + w.slot[r.slot()]:sum():astype(w.slot[a].dtype)
  end,
  function(w, r) -- a reduction of an axis
    local a = r.slot()
    local n = w.slot[a].size
    local rows = w.slot[a]:reshape(n / 10, 10)
    if r(0, 1) == 0 then w.slot[a][{ { 1, n / 10 } }] = rows:max(2) else w.slot[a][{ { 3, 12 } }] = rows:sum(1) end
  end,
  function(w, r) local a = r.slot() w.slot[a] = ma.cumsum(w.slot[a], 1, w.slot[a].dtype) end,
  function(w, r) local a = r.slot() w.slot[a] = w.slot[a][w.order[r.class(a)]] end,
  function(w, r) local a = r.slot() w.slot[a][w.order[r.class(a)]] = w.slot[r.like(a)] end,
  function(w, r) -- repeated positions
    local a = r.slot()
    w.slot[a]:iadd_at(w.order[1], w.slot[r.class_slot(1, a)])
  end,
  function(w, r) -- from the host: a table, or a whole array
    local a = r.slot()
    w.slot[a][{ { 2, 5 } }] = { r(0, 99), r(0, 99), r(0, 99), r(0, 99) }
    if r(0, 3) == 0 then w.slot[a]:assign(w.host[r.class(a)]) end
  end,
  function(w, r) w.read[#w.read + 1] = w.slot[r.slot()](r(1, 300)) end,
  function(w, r) -- to the host, where it is changed at once, and back
    local a = r.slot()
    if r(0, 2) == 0 then
      local host = w.slot[a]:get():copy()
      host:iadd(r(1, 9))
      w.slot[a]:assign(host)
      host:fill(0)
    end
  end,
  function(w, r) -- a mask: the shape waits
    local a = r.class_slot(1)
    local picked = w.slot[a][w.slot[a]:gt(r(0, 100000))]
    w.read[#w.read + 1] = picked.size
    if picked.size > 0 then w.slot[a]:iadd(picked:sum():astype(w.slot[a].dtype)) end
  end,
  function(w, r, stream) -- kernels of the user's own, on a stream of their own
    local a = r.slot()
    w.slot[a] = slow(w.slot[a], r(1, on_gpu and 2000 or 20), stream and { stream = stream } or {})
  end,
  function(w, r, stream)
    local a = r(1, 6)
    local n = w.slot[a].size
    mix({ math.ceil(n / 128) }, { 128 }, { w.slot[a], w.slot[(a + 2) % 6 + 1], ma.int32(n) },
      stream and { stream = stream } or {})
  end,
  function(w, r) local a = r.slot() w.slot[a]:iadd(total(w.slot[r.like(a)])) end,
  function(w, r) -- freed, and made anew of what is free
    local a = r.slot()
    local n, dtype = w.slot[a].size, w.slot[a].dtype
    w.slot[a]:free()
    w.slot[a] = ma.full(n, r(0, 1000), dtype)
  end,
  function(w, r) local a = r.slot() w.slot[a] = ma.where(w.slot[a]:gt(w.slot[r.like(a)]), w.slot[a], 3) end,
  function(w, r) -- many short lives
    local a = r.slot()
    for k = 1, 5 do w.slot[a] = (w.slot[a] + k) * 3 end
  end,
}

--- The numbers of one operation. Slots k, k + 3, k + 6, k + 9 are of one size, up to 6 and from 7 on of one dtype.
local function draws(seed)
  local next_number = helper.random(seed)
  local r = setmetatable({}, { __call = function(_, low, high) return next_number(low, high) end })
  function r.slot() return next_number(1, NSLOT) end
  function r.class(a) return (a - 1) % 3 + 1 end
  function r.like(a) return a <= 6 and (a + 2) % 6 + 1 or (a - 7 + 3) % 6 + 7 end
  function r.class_slot(class, a) return class + ((a or 1) <= 6 and 0 or 6) + 3 * next_number(0, 1) end
  return r
end

-- ==== Running ====

local function one_stream(salt)
  local world = new_world()
  for step = 1, steps do
    local r = draws(salt * 100003 + step)
    operations[r(1, #operations)](world, r)
  end
  return world
end

local function many_streams(salt)
  local streams, first = {}, ma.get_current_stream()
  local function open(k) return ma.Stream({ non_blocking = k % 2 == 0, priority = k % 3 - 2 }) end
  for k = 1, NSTREAM do streams[k] = open(k) end
  local world = new_world()
  local choose = helper.random(salt + 77)
  for step = 1, steps do
    local r = draws(salt * 100003 + step)
    local operation, other = operations[r(1, #operations)], streams[choose(1, NSTREAM)]
    local how = choose(1, 10)
    if how <= 5 then streams[choose(1, NSTREAM)]:use() end
    if how == 6 then ma.Stream.null:use() end
    -- closed with its work still queued; the next takes its place
    if how == 7 then
      local k = choose(1, NSTREAM)
      if streams[k] ~= ma.get_current_stream() and streams[k] ~= other then
        streams[k]:close()
        streams[k] = open(k)
      end
    end
    if how == 8 then other:with(operation, world, r, streams[choose(1, NSTREAM)]) else operation(world, r, other) end
  end
  first:use()
  return world, streams
end

describe("operations over eight streams", function()
  for salt = 1, on_gpu and 3 or 1 do
    it(("give the bits of one stream, %d"):format(salt), function()
      local want = one_stream(salt)
      local got, streams = many_streams(salt)
      for k = 1, #want.read do
        assert(got.read[k] == want.read[k], ("read %d: %s; wanted %s (SEED=%d)"):format(k, tostring(got.read[k]),
          tostring(want.read[k]), helper.seed))
      end
      for k = 1, NSLOT do
        helper.same(helper.bytes(got.slot[k]), helper.bytes(want.slot[k]), want.slot[k].dtype, 0, "array " .. k)
      end
      for _, stream in ipairs(streams) do stream:close() end
    end)
  end
end)
