--- Groups of threads in kernels written in Lua (jit.cg), and what combines their values (jit.cub), beside sums and
--- running results made in Lua: blocks of any extent, the last warp a part of one.

local helper = require "spec.helper"
local ma = helper.ma
local jit = ma.jit
local cg, cub = jit.cg, jit.cub

local function host(a) return a:get():totable() end

local function error_of(source, args)
  local fine, message = pcall(function() return jit.rawkernel(source):code_for(args or { ma.zeros(4, "float32") }) end)
  assert.is_false(fine)
  return message
end

local function says(source, text, args)
  local message = error_of(source, args)
  assert.is_truthy(message:find(text, 1, true), message)
end

local blocks = { 1, 7, 32, 33, 64, 100, { 5, 13 }, { 2, 3, 24 }, 1024 }

local function threads_of(block)
  local n = 1
  for _, extent in ipairs(type(block) == "table" and block or { block }) do n = n * extent end
  return n
end

--- Whole numbers, so that sums are exact in any order.
local function values(n, dtype)
  return (ma.random.default_rng(n):integers(-9, 10, n)):astype(dtype)
end

local first = jit.device(function(a, b) return a end)          -- luacheck: ignore 212
local last = jit.device("function(a, b) return b end")
-- is associative, and no other order gives the same: a * x + b, two digits of a number
local affine = jit.device("function(p, q) return (p % 4) * (q % 4) % 4 + 4 * ((math.floor(p / 4) * (q % 4) + " ..
  "math.floor(q / 4)) % 4) end")

local function affine_in_lua(p, q)
  return (p % 4) * (q % 4) % 4 + 4 * ((math.floor(p / 4) * (q % 4) + math.floor(q / 4)) % 4)
end

describe("jit.cub", function()
  it("reduces a block's values, for each thread, in the order of the threads", function()
    local k = jit.rawkernel(function(x, y)
      local block = cg.this_thread_block()
      local t = block:thread_rank() + 1
      local r = cub.BlockReduce("float64")
      local v = x[t]
      y[t][1], y[t][2], y[t][3] = r:Sum(v), r:Max(v), r:Min(v)
      y[t][4], y[t][5] = r:Reduce(v, first), r:Reduce(v, last)
      y[t][6] = cg.reduce(block, v, cub.Sum)
    end)
    for _, block in ipairs(blocks) do
      local n = threads_of(block)
      local x, y = values(n, "float64"), ma.zeros { n, 6 }
      k(1, block, { x, y })
      local wanted = { x:sum():item(), x:max():item(), x:min():item(), x(1), x(n), x:sum():item() }
      for t, row in ipairs(host(y)) do assert.are.same(wanted, row, ("thread %d of %d"):format(t, n)) end
    end
  end)

  it("gives each thread what comes up to it, and all", function()
    local k = jit.rawkernel(function(x, y)
      local t = cg.this_thread_block():thread_rank() + 1
      local s = cub.BlockScan("int64")
      local v = x[t]
      y[t][1], y[t][2] = s:InclusiveSum(v)
      y[t][3], y[t][4] = s:ExclusiveSum(v)
      y[t][5] = s:InclusiveScan(v, affine)
      y[t][6], y[t][7] = s:ExclusiveScan(v, cub.Max, 3)
    end)
    for _, block in ipairs(blocks) do
      local n = threads_of(block)
      local x, y = values(n, "int64") % 16, ma.zeros({ n, 7 }, "int64")
      k(1, block, { x, y })
      local rows, v = host(y), host(x)
      local sum, chain, most, all = 0, nil, 3, x:sum():item()
      for t = 1, n do
        local before, above = sum, most
        sum, most = sum + v[t], math.max(most, v[t])
        chain = chain and affine_in_lua(chain, v[t]) or v[t]
        assert.are.same({ sum, all, before, all, chain, above, x:max():item() }, rows[t],
          ("thread %d of %d"):format(t, n))
      end
    end
  end)

  it("is used again and again in a loop, and in several blocks", function()
    local k = jit.rawkernel(function(x, y)
      local r, t = cub.BlockReduce("int32"), jit.threadIdx.x + 1
      local s = 0
      for i = 1, 20 do s = s + r:Sum(x[t] * i) end
      y[jit.blockIdx.x + 1][t] = s
    end)
    local x, y = values(70, "int32"), ma.zeros({ 5, 70 }, "int64")
    k(5, 70, { x, y })
    assert.is_true(ma.array_equal(y, ma.full({ 5, 70 }, x:sum():item() * 210)))
  end)

  it("combines every dtype of a real number, with its own rounding", function()
    for _, dtype in ipairs { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
      "bfloat16", "float32", "float64" } do
      local k = jit.rawkernel(([[function(x, y)
        local t, v = threadIdx.x + 1, x[threadIdx.x + 1]
        y[t][1] = jit.cub.BlockReduce('%s'):Sum(v)
        y[t][2] = jit.cub.WarpReduce('%s', 8):Max(v)
        y[t][3] = jit.cub.BlockScan(ma.%s):InclusiveSum(v)
      end]]):format(dtype, dtype, dtype))
      local x, y = (ma.arange(40) % 3):astype(dtype), ma.zeros({ 40, 3 }, dtype)
      k(1, 40, { x, y })
      assert.are.same({ 39, 2, 39 }, host(y[{ -1 }]), dtype)
      assert.are.same({ 39, 2, 1 }, host(y[{ 2 }]), dtype)
    end
    local k = jit.rawkernel("function(x, y) y[1] = jit.cub.BlockReduce('float16'):Sum(x[threadIdx.x + 1]) end")
    local y = ma.zeros(1)
    k(1, 2, { ma.array({ 2048, 1 }, "float16"), y })
    assert.are.equal(2048, y(1))                     -- 2049 is no float16
  end)

  it("reduces tiles of a warp, the last of which may be a part", function()
    for _, size in ipairs { 1, 2, 4, 8, 16, 32 } do
      local k = jit.rawkernel(([[function(x, y)
        local t = threadIdx.x + 1
        y[t][1] = jit.cub.WarpReduce('int64', %d):Sum(x[t])
        local tile = jit.cg.tiled_partition(jit.cg.this_thread_block(), %d)
        y[t][2] = jit.cg.reduce(tile, x[t], last)
      end]]):format(size, size), { constants = { last = last } })
      local n = 75
      local x, y = values(n, "int64"), ma.zeros({ n, 2 }, "int64")
      k(1, n, { x, y })
      local v, rows = host(x), host(y)
      for t = 1, n do
        local from = t - 1 - (t - 1) % size + 1
        local sum, to = 0, math.min(from + size - 1, n)
        for j = from, to do sum = sum + v[j] end
        assert.are.same({ sum, v[to] }, rows[t])
      end
    end
  end)
end)

describe("jit.cg", function()
  it("says where a thread is", function()
    local k = jit.rawkernel(function(y)
      local block = cg.this_thread_block()
      local tile = cg.tiled_partition(cg.tiled_partition(block, 16), 4)
      local t = block:thread_rank() + 1
      local i, j = block:thread_index()
      local gx, gy = block:group_index()
      local wide, high, deep = block:dim_threads()
      if gx == 1 and gy == 2 then
        y[t] = block:num_threads() + 100 * (i + 10 * j) + 10000 * (wide + high + deep)
        y[t + 60] = tile:thread_rank() + 10 * tile:meta_group_rank() + 1000 * tile:meta_group_size() + tile:size() / 10
      end
      block:sync()
      cg.sync(tile)
      tile:sync()
    end)
    local y = ma.zeros(120)
    k({ 2, 3 }, { 6, 10 }, { y })
    for t = 0, 59 do
      assert.are.equal(60 + 100 * (t % 6 + 10 * math.floor(t / 6)) + 10000 * 17, y(t + 1))
      assert.are.equal(t % 4 + 10 * math.floor(t / 4) + 15000 + 0.4, y(t + 61))
    end
  end)

  it("shuffles and votes within a tile", function()
    local k = jit.rawkernel(function(x, y)
      local tile = cg.tiled_partition(cg.this_thread_block(), 8)
      local t = jit.threadIdx.x + 1
      local v = x[t]
      y[t][1], y[t][2] = tile:shfl(v, 3), tile:shfl_up(v, 2)
      y[t][3], y[t][4] = tile:shfl_down(v, 1), tile:shfl_xor(v, 5)
      y[t][5] = tile:ballot(v % 2 == 0)
      if tile:any(v == 20) then y[t][6] = 1 end
      if tile:all(v > 8) then y[t][7] = 1 end
      if tile:shfl(v > 10, 0) then y[t][8] = 1 end
    end)
    local x, y = ma.range(1, 64), ma.zeros({ 64, 8 }, "int64")
    k(1, 64, { x, y })
    for t, row in ipairs(host(y)) do
      local rank = (t - 1) % 8
      local from = t - rank
      assert.are.same({ from + 3, rank >= 2 and t - 2 or t, rank < 7 and t + 1 or t,
        from + (rank < 4 and (rank % 2 == 0 and rank + 5 or rank + 3) or (rank % 2 == 0 and rank - 3 or rank - 5)),
        0xaa, from == 17 and 1 or 0, from > 8 and 1 or 0, from > 10 and 1 or 0 }, row)
    end
  end)

  local pretended = ma.device():description():find("pretended", 1, true)
  local if_together = pretended and pending or it          -- its blocks run one after another

  if_together("lets all blocks of a grid wait for each other", function()
    local k = jit.rawkernel(function(x, y, rounds)
      local g = cg.this_grid()
      local i, n = g:thread_rank() + 1, #x
      for _ = 1, rounds do
        local left, right = x[(i - 2) % n + 1], x[i % n + 1]
        g:sync()
        x[i] = (left + right) % 1000
        cg.sync(g)
      end
      y[i] = g:num_blocks() * 1000 + g:block_rank()
    end)
    local x, y = ma.arange(640), ma.zeros(640)
    for _ = 1, 2 do k({ 2, 5 }, { 8, 8 }, { x, y, 10 }) end
    local z = ma.arange(640)
    for _ = 1, 20 do z = (ma.roll(z, 1) + ma.roll(z, -1)) % 1000 end
    assert.is_true(ma.array_equal(x, z))
    assert.are.same({ 10000, 10009 }, { y(1), y(640) })
  end)

  if_together("waits for no block of a grid that has ended, and says where a grid is too large", function()
    local k = jit.rawkernel(function(y)
      local g = cg.this_grid()
      if g:block_rank() == 2 then return end
      for _ = 1, 3 do
        if jit.threadIdx.x == 0 then jit.atomic_add(y, 1, 1) end
        g:sync()
      end
      if g:thread_rank() == 0 then y[2] = y[1] end
    end)
    local y = ma.zeros(2, "int64")
    if ma.zeros(1).device == "cpu" then          -- on a GPU all blocks must come
      k(4, 8, { y })
      assert.are.same({ 9, 9 }, host(y))
      local fine, message = pcall(k, 257, 1, { y })
      assert.is_false(fine)
      assert.is_truthy(message:find("257 blocks that wait for each other; at most 256", 1, true), message)
      local stops = jit.rawkernel(function(x)
        local g = cg.this_grid()
        x[g:block_rank() + 4] = 1
        g:sync()
        x[g:block_rank() + 1] = 1
      end, { name = "stops" })
      local x = ma.zeros(4)
      fine, message = pcall(stops, 3, 1, { x })
      assert.is_false(fine)
      assert.is_truthy(message:find("moonarray.jit.stops: position", 1, true), message)
      assert.are.same({ 1, 1, 1, 1 }, host(x))
    end
    local one = jit.rawkernel(function(z) cg.this_grid():sync() z[1] = 7 end)
    one(1, 64, { y })
    assert.are.equal(7, y(1))
  end)

  it("copies along an axis by the threads of a group", function()
    local k = jit.rawkernel(function(x, y, n)
      local block, s = cg.this_thread_block(), jit.shared_memory("float64", 100)
      local tile = cg.tiled_partition(block, 4)
      cg.memcpy_async(block, s, 2, x[2], 3, n)
      cg.wait(block)
      if tile:meta_group_rank() == 0 then cg.memcpy_async(tile, y[1], 1, s, 2, n) end
      cg.wait_prior(block, 0)
      cg.memcpy_async(block, y[2], 5, y[1], 1, n - 10)
    end)
    for _, threads in ipairs { 1, 6, 32, 70 } do
      local x, y = ma.arange(180, "float64"):reshape(2, 90), ma.zeros { 2, 60 }
      k(1, threads, { x, y, 50 })
      assert.is_true(ma.array_equal(y["1, 1:50"], x["2, 3:52"]))
      assert.is_true(ma.array_equal(y["2, 5:44"], x["2, 3:42"]))
      assert.are.equal(0, y["1, 51:"]:sum():item() + y["2, 45:"]:sum():item())
    end
  end)

  it("says what is wrong, with the Lua line", function()
    says("function(x)\n jit.cg.memcpy_async(jit.cg.this_thread_block(), x, 1, 3, 1, 1)\nend",
      "kernel:2: moonarray.jit: argument 4 of 'jit.cg.memcpy_async' is the number 3; wanted an array of one axis")
    says("function(x) jit.cg.reduce(jit.cg.this_grid(), 1, jit.cub.Sum) end", "of the grid; wanted a block or a tile")
    local inner = jit.device("function()\n jit.cg.this_grid():sync()\nend")
    local fine_, message_ = pcall(function()
      return jit.rawkernel("function(x) f() end", { constants = { f = inner } }):code_for { ma.zeros(1) }
    end)
    assert.is_false(fine_)
    assert.is_truthy(message_:find("stands in the kernel itself", 1, true), message_)
    says("function(x)\n local t = jit.cg.tiled_partition(jit.cg.this_thread_block(), 5)\nend",
      "kernel:2: moonarray.jit: 'jit.cg.tiled_partition' of 5 threads; wanted 1, 2, 4, 8, 16 or 32")
    says("function(x) local b = jit.cg.this_thread_block() b:wait() end", "has no method ':wait'")
    says("function(x) jit.cg.sync(x) end", "wanted a group of threads")
    says("function(x) x[1] = jit.cub.BlockReduce('complex64'):Sum(1) end", "the dtype is 'complex64'")
    says("function(x) x[1] = jit.cub.BlockReduce('int32'):Reduce(1, math.max) end", "the operator of ':Reduce' is")
    says("function(x) x[1] = jit.cub.BlockReduce('int32'):Reduce(1) end", "':Reduce' with 1 arguments; wanted 2")
    says("function(x)\n x[1] = jit.cub.BlockReduce('int32'):Sum(x)\nend",
      "kernel:2: moonarray.jit: the value of ':Sum'")
    says("function(x) x[1] = jit.cub.BlockSort('int32') end", "'jit.cub.BlockSort' is not available in a kernel")
    says("function(x) local t = jit.cg.tiled_partition(jit.cg.tiled_partition(jit.cg.this_thread_block(), 4), 8) end",
      "wanted a block or a larger tile")
    assert.has_error(function() return cub.BlockSum end)
    assert.has_error(function() cg.this_thread_block() end)
    local fine, message = pcall(ma.vectorize "function(x) return jit.cub.BlockReduce('float64'):Sum(x) end", ma.ones(2))
    assert.is_false(fine)
    assert.is_truthy(message:find("a function of scalars has no block of threads", 1, true), message)
  end)
end)
