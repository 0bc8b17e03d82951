-- Memory that does not wait for Lua's collector: ma.scope, ma.iterate, ma.keep, free, and when a collection is asked
-- for.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core

local MB = 2 ^ 20

--- Runs fn with the collector stopped: what is freed meanwhile was freed by the library.
local function uncollected(fn)
  collectgarbage()
  collectgarbage()
  collectgarbage("stop")
  local ok, message = pcall(fn)
  collectgarbage("restart")
  if not ok then error(message, 0) end
end

local function live() return (core.live_buffers()) end

local function line_of() return debug.getinfo(2, "l").currentline end

describe("scope", function()
  it("returns all that the function returns, nils included", function()
    local function count(...) return select("#", ...), ... end
    assert.same({ 0 }, { count(ma.scope(function() end)) })
    local n, a, b, c = count(ma.scope(function(...) return nil, select("#", ...), nil end, 1, nil, nil))
    assert.same({ 3, nil, 3, nil }, { n, a, b, c })
    local x = ma.scope(function(y, k) return y * k end, ma.ones(3), 4)
    assert.same({ 4, 4, 4 }, x:totable())
    local many = { ma.scope(function() return unpack({}, 1, 200) end) }
    assert.equal(0, #many)
    assert.equal(201, count(ma.scope(function() return unpack({}, 1, 201) end)))
  end)

  it("frees the rest, whatever made it", function()
    local a = ma.range(1, 24):reshape(2, 3, 4)
    uncollected(function()
      local before = live()
      local sum = ma.scope(function()
        local t = ma.pad(a, 1) + 1                                     -- the library's own Lua makes many
        local u = ma.concatenate({ t, t }, 1)["1:2, :"]
        local v = ma.average(a, { axis = 1 }) + ma.array({ 1, 2, 3, 4 })
        local w = a:astype("float32").T:sum()
        local p, q = ma.divmod(u, 3)
        return (p + q):sum() + v:sum() * 0 + w * 0
      end)
      assert.equal(before + 1, live())
      assert.truthy(sum:item() > 0)
      sum:free()
      assert.equal(before, live())
    end)
  end)

  it("spares arrays in tables, nested and cyclic, as values and as keys", function()
    uncollected(function()
      local before = live()
      local shared = {}
      local result, second = ma.scope(function()
        local x = ma.ones(2)
        local t = { x, deeper = { deeper = { x + 1 } }, [x + 2] = true }
        t.self, t.deeper.up = t, t
        t.chain = {}
        local chain = t.chain
        for _ = 1, 100000 do
          chain[1] = {}
          chain = chain[1]
        end
        chain[1] = x + 3
        shared.lost = x + 4
        return t, setmetatable({ x + 5 }, { __index = function() error("is not called") end, __metatable = false })
      end)
      assert.equal(before + 5, live())
      assert.same({ 1, 1 }, result[1]:totable())
      assert.same({ 2, 2 }, result.deeper.deeper[1]:totable())
      for key in pairs(result) do
        if core.is_array(key) then assert.same({ 3, 3 }, key:totable()) end
      end
      local chain = result.chain
      while type(chain[1]) == "table" do chain = chain[1] end
      assert.same({ 4, 4 }, chain[1]:totable())
      assert.same({ 6, 6 }, second[1]:totable())
      assert.matches("a freed array", helper.fails(function() return shared.lost + 1 end))
    end)
  end)

  it("passes an error on unchanged, after the freeing", function()
    uncollected(function()
      local before = live()
      local thrown = { code = 7 }
      local ok, found = pcall(ma.scope, function()
        local _ = ma.ones(3) + 1
        thrown.partial = ma.ones(2) * 2
        error(thrown)
      end)
      assert.is_false(ok)
      assert.equal(thrown, found)
      assert.equal(before + 1, live())
      assert.same({ 2, 2 }, thrown.partial:totable())
      ok, found = pcall(ma.scope, function() return ma.ones(3) + nil end)
      assert.is_false(ok)
      assert.matches("^spec/array/scope_spec.lua:%d+: moonarray.add", found)
      for _, value in ipairs { false, 12, "text" } do
        ok, found = pcall(ma.scope, function() error(value, 0) end)
        assert.is_false(ok)
        assert.equal(value, found)
      end
      assert.equal(before + 1, live())
      thrown.partial:free()
    end)
    assert.matches("moonarray.scope: fn is the number 3; wanted a function",
      helper.fails(ma.scope, 3))
    assert.matches("moonarray.scope: fn is nil; wanted a function", helper.fails(ma.scope))
    assert.equal(5, ma.scope(setmetatable({}, { __call = function(_, a, b) return a + b end }), 2, 3))
  end)

  it("hands an inner scope's results to the outer one", function()
    uncollected(function()
      local before = live()
      local escaped
      local a = ma.scope(function()
        local outer = ma.ones(2)
        local inner, given = ma.scope(function()
          local mine = outer + 1
          escaped = mine * 5
          return mine, outer
        end)
        assert.equal(outer, given)
        assert.same({ 2, 2 }, inner:totable())
        assert.same({ 1, 1 }, outer:totable())
        assert.equal(before + 2, live())
        local third = ma.scope(function() return
          ma.scope(function() return ma.scope(function() return inner + outer end) end) end)
        assert.equal(before + 3, live())
        return third
      end)
      assert.equal(before + 1, live())
      assert.same({ 3, 3 }, a:totable())
      assert.matches("a freed array", helper.fails(function() return escaped + 1 end))
      a:free()
    end)
  end)

  it("lets go of what ma.keep takes out", function()
    uncollected(function()
      local before, kept = live(), {}
      ma.scope(function()
        ma.scope(function()
          kept[1] = ma.keep(ma.ones(2) * 3)
          kept[2] = (ma.ones(2) * 4):keep()
          local _ = ma.ones(5)
        end)
        local _ = ma.ones(6)
      end)
      assert.equal(before + 2, live())
      assert.same({ 3, 3 }, kept[1]:totable())
      assert.same({ 4, 4 }, kept[2]:totable())
      assert.equal(kept[1], ma.keep(kept[1]))
      kept[1]:free()
      kept[2]:free()
      assert.matches("a freed array", helper.fails(ma.keep, kept[1]))
    end)
    assert.matches("moonarray.keep: a is the number 1; wanted an array", helper.fails(ma.keep, 1))
    local held = {}
    ma.scope(function()
      held.all = ma.keep { x = ma.ones(2), deeper = { ma.ones(3) } }
      held.lost = ma.ones(1)
    end)
    assert.same({ 1, 1 }, held.all.x:totable())
    assert.same({ 1, 1, 1 }, held.all.deeper[1]:totable())
  end)

  it("says who freed an array that was stored outside", function()
    local stored = {}
    local line = line_of() + 1
    ma.scope(function() stored.x = ma.ones(3) end)
    local where = "a freed array (freed by moonarray.scope at spec/array/scope_spec.lua:" .. line
      .. "; return it there or ma.keep it)"
    for _, use in ipairs {
      function() return stored.x + 1 end, function() return 1 - stored.x end, function() return stored.x:sum() end,
      function() return stored.x.shape end, function() return stored.x[1] end, function() stored.x[1] = 2 end,
      function() return #stored.x end,
      function() return ma.concatenate({ ma.ones(2), stored.x }) end,
      function() return ma.add(ma.ones(3), 1, { out = stored.x }) end,
      function() return stored.x:fill(1) end, function() return ma.ones(3):assign(stored.x) end,
      function() return stored.x.T end,
      function() return ma.ones(3)[stored.x] end, function() return ma.where(stored.x, 1, 2) end,
      function() return stored.x(1) end,
      function() return stored.x:get() end, function() return ma.asarray(stored.x) end,
    } do
      assert.matches("a freed array", helper.fails(use))
    end
    assert.matches(where, helper.fails(function() return stored.x + 1 end), 1, true)
    assert.equal(where, tostring(stored.x))
    stored.x:free()                                                    -- harmless, and the first to free it is named
    assert.matches(where, helper.fails(function() return stored.x + 1 end), 1, true)
  end)

  it("keeps the memory that a returned view needs", function()
    uncollected(function()
      local before = live()
      local view = ma.scope(function() return ma.range(1, 12):reshape(3, 4)["2:3, ::-1"] end)
      assert.equal(before + 1, live())
      assert.same({ { 8, 7, 6, 5 }, { 12, 11, 10, 9 } }, view:totable())
      local x = ma.ones(3)
      ma.scope(function() x[{ { 2, 3 } }] = 5 end)                      -- views of outer arrays go, these stay
      assert.same({ 1, 5, 5 }, x:totable())
      view:free()
      x:free()
      assert.equal(before, live())
    end)
  end)

  it("leaves state that is written in place", function()
    local u = ma.zeros(4)
    for _ = 1, 5 do ma.scope(function() u:assign(u + 1) end) end
    assert.same({ 5, 5, 5, 5 }, u:totable())
  end)

  it("is collected, freed and kept in any order", function()
    local random = helper.random(1)
    local pause, stepmul = collectgarbage("setpause", 0), collectgarbage("setstepmul", 100000)
    local base = ma.range(1, 8)
    local function play(depth)
      local pool = {}
      for k = 1, 12 do
        local action = random(1, 7)
        if action <= 3 then pool[#pool + 1] = { base + k, k }
        elseif action == 4 and #pool > 0 then table.remove(pool, random(1, #pool))
        elseif action == 5 and #pool > 0 then table.remove(pool, random(1, #pool))[1]:free()
        elseif action == 6 and depth > 0 then
          for _, entry in ipairs(ma.scope(play, depth - 1)) do pool[#pool + 1] = entry end
        elseif #pool > 0 then ma.keep(pool[random(1, #pool)][1]) end
        if random(1, 10) == 1 then collectgarbage() end
      end
      return pool
    end
    local ok, message = pcall(function()
      for _ = 1, 40 do
        for _, entry in ipairs(ma.scope(play, 3)) do
          assert(entry[1](1) == 1 + entry[2] and entry[1](8) == 8 + entry[2])
        end
      end
    end)
    collectgarbage("setpause", pause)
    collectgarbage("setstepmul", stepmul)
    if not ok then error(("%s (SEED=%d)"):format(message, helper.seed), 0) end
  end)

  it("holds as many arrays as one makes, and drops those that are collected meanwhile", function()
    local a = ma.ones(4)
    local sum = ma.scope(function()
      local total = ma.zeros(4)
      for _ = 1, 20000 do total:iadd(a + 1) end
      return total
    end)
    assert.equal(40000, sum(1))
  end)
end)

describe("scopes of coroutines", function()
  it("let a coroutine yield", function()
    local co = coroutine.wrap(function(x)
      local result = ma.scope(function()
        local y = coroutine.yield(x + 1)
        local z = coroutine.yield(y * 2)
        return z
      end)
      return result
    end)
    uncollected(function()
      local before = live()
      local first = co(ma.ones(2))
      assert.same({ 2, 2 }, first:totable())
      -- made while the scope is open, by another coroutine
      local outside = ma.ones(2) * 10
      local second = co(outside)
      assert.same({ 20, 20 }, second:totable())
      assert.same({ 30, 30 }, co(outside * 3):totable())
      assert.matches("a freed array", helper.fails(function() return first + 1 end))
      assert.matches("moonarray.scope at spec/array/scope_spec.lua", helper.fails(function() return second + 1 end))
      assert.same({ 10, 10 }, outside:totable())
      assert.is_true(live() > before)
    end)
  end)

  it("do not see each other's arrays", function()
    local function worker(id)
      return coroutine.create(function()
        local total = ma.zeros(3)
        for k = 1, 5 do
          total:assign(ma.scope(function()
            local a = total + id
            coroutine.yield(a)
            local b = ma.scope(function()
              local c = a * 2
              coroutine.yield(c)
              return c - a
            end)
            coroutine.yield(b)
            return b
          end))
          coroutine.yield(k)
        end
        return total
      end)
    end
    uncollected(function()
      local workers, totals = {}, {}
      for id = 1, 20 do workers[id] = worker(id) end
      local running = 20
      while running > 0 do
        for id, co in pairs(workers) do
          local ok, value = coroutine.resume(co)
          assert(ok, value)
          local mine = ma.ones(1)                                      -- the main program's
          if coroutine.status(co) == "dead" then
            totals[id], workers[id] = value, nil
            running = running - 1
          end
          assert.equal(1, mine(1))
          mine:free()
        end
      end
      for id = 1, 20 do assert.same({ 5 * id, 5 * id, 5 * id }, totals[id]:totable()) end
    end)
  end)

  it("leave what a coroutine yielded that was given up", function()
    local yielded = {}
    for k = 1, 50 do
      local co = coroutine.create(function()
        ma.scope(function()
          ma.scope(function() coroutine.yield(ma.ones(2) * k) end)
        end)
      end)
      local _, array = coroutine.resume(co)
      yielded[k] = array
    end
    collectgarbage()
    collectgarbage()
    for k = 1, 50 do
      -- may have the address of one that was collected
      local other = coroutine.wrap(function() return ma.ones(2) + 1 end)()
      assert.same({ 2, 2 }, other:totable())
      assert.same({ k, k }, yielded[k]:totable())
    end
  end)

  it("close when a coroutine ends by an error", function()
    uncollected(function()
      local before = live()
      for _ = 1, 10 do
        local co = coroutine.create(function()
          ma.scope(function()
            local _ = ma.ones(2)
            coroutine.yield()
            error("over")
          end)
        end)
        coroutine.resume(co)
        assert.equal(before + 1, live())
        local ok, message = coroutine.resume(co)
        assert.is_false(ok)
        assert.matches("over$", message)
        assert.equal(before, live())
      end
    end)
  end)
end)

describe("iterate", function()
  it("carries the state and frees the old one", function()
    local k = ma.array({ 1, 2, 3 })
    uncollected(function()
      local before, most = live(), 0
      local u, v = ma.iterate(50, function(u, v)
        local t = u + k
        local w = v * 1
        most = math.max(most, live())
        return t, w + 1
      end, k * 0, ma.zeros(2))
      assert.same({ 50, 100, 150 }, u:totable())
      assert.same({ 50, 50 }, v:totable())
      assert.is_true(most <= before + 8)
      u:free()
      v:free()
      assert.equal(before + 2, live())                                 -- the first state is the caller's
    end)
  end)

  it("passes on what a step does not return", function()
    local x = ma.zeros(2)
    local u, by, name = ma.iterate(3, function(v, k) return v + k end, x, 2, "name")
    assert.same({ 6, 6 }, u:totable())
    assert.same({ 2, "name" }, { by, name })
    assert.same({ 0, 0 }, x:totable())
    assert.equal(x, (ma.iterate(4, function(v) v:iadd(1) end, x)))      -- in place
    assert.same({ 4, 4 }, x:totable())
    assert.equal(x, (ma.iterate(0, error, x)))
    assert.same({ 1, 2, 4 }, { ma.iterate(2, function(a, b, c) return a, b, (c or 0) + 2 end, 1, 2) })
    assert.equal(0, select("#", ma.iterate(2, function() end)))
  end)

  it("takes tables, views of the old state and the same array again", function()
    uncollected(function()
      local before = live()
      local state = ma.iterate(4, function(s) return { u = s.u + 1, row = s.u[":1"] and s.u["1:2"], same = s.same } end,
        { u = ma.zeros(3), same = ma.ones(1) })
      assert.same({ 4, 4, 4 }, state.u:totable())
      assert.same({ 3, 3 }, state.row:totable())
      assert.same({ 1 }, state.same:totable())
      assert.equal(before + 4, live())
      local q = ma.iterate(5, function(q) return q["::-1"] end, ma.range(1, 3) + 0)
      assert.same({ 3, 2, 1 }, q:totable())
    end)
  end)

  it("frees at an error, lets a step yield, and says who freed", function()
    uncollected(function()
      local u, lost = ma.zeros(1), nil
      local before = live()
      local ok, message = pcall(ma.iterate, 5, function(v, k)
        if k == 3 then error("at three") end
        lost = v + 1
        return lost, k + 1
      end, u, 0)
      assert.is_false(ok)
      assert.matches("at three$", message)
      assert.equal(before, live())
      assert.matches("freed by moonarray.iterate", helper.fails(function() return lost + 1 end))
      local co = coroutine.wrap(function()
        local last = ma.iterate(3, function(v)
          coroutine.yield(v)
          return v + 1
        end, u)
        return last
      end)
      for k = 0, 3 do assert.equal(k, co()(1)) end
    end)
  end)

  it("checks its arguments", function()
    assert.matches("moonarray.iterate: n is the number 1.5; wanted a whole number, 0 or more",
      helper.fails(ma.iterate, 1.5, print))
    assert.matches("moonarray.iterate: n is the number %-1", helper.fails(ma.iterate, -1, print))
    assert.matches("moonarray.iterate: n is nil", helper.fails(ma.iterate))
    assert.matches("moonarray.iterate: step is the string 'f'; wanted a function", helper.fails(ma.iterate, 1, "f"))
  end)
end)

describe("free", function()
  it("drops a handle; the memory goes with the last view", function()
    uncollected(function()
      local before = live()
      local x = ma.range(1, 6)
      local view = x["2:4"]
      x:free()
      assert.equal(before + 1, live())
      assert.same({ 2, 3, 4 }, view:totable())
      ma.free(view)
      view:free()
      x:free()
      assert.equal(before, live())
      assert.matches("freed at spec/array/scope_spec.lua:%d+%)", helper.fails(function() return x + 1 end))
    end)
    assert.matches("moonarray.free: a table; wanted an array", helper.fails(ma.free, {}))
  end)

  it("leaves the memory that a pointer shows", function()
    if helper.device ~= "cpu" then return pending("x:data() of an array on a GPU") end
    local x = ma.range(1, 4)
    local p = x:data()
    x:free()
    local q = ma.scope(function() return (ma.range(5, 8) + 0):data() end)
    collectgarbage()
    local _ = ma.range(100, 103) + ma.range(200, 203)                  -- would lie in freed memory
    assert.equal(4, tonumber(p[3]))
    assert.equal(8, tonumber(q[3]))
  end)
end)

describe("the collector", function()
  --- Small tables of so many MB, kept by the caller.
  local function make_heap(megabytes)
    local heap = {}
    local target = collectgarbage("count") + megabytes * 1024
    while collectgarbage("count") < target do
      for k = 1, 1000 do heap[#heap + 1] = { k } end
    end
    return heap
  end

  local a = ma.ones({ 512, 512 }, "float32")

  --- The most bytes in use and the longest turn of n temporaries of 1 MB, in milliseconds of the processor.
  local function measure(n, turn)
    collectgarbage()
    local used = core.pool(true)
    local longest = 0
    for _ = 1, n do
      local start = os.clock()
      turn()
      longest = math.max(longest, os.clock() - start)
    end
    local _, _, peak = core.pool()
    return peak - used, longest * 1e3
  end

  local function make() local _ = a + 1 end

  it("is asked for before temporaries of 1 MB take 300 MB, beside a heap of any size", function()
    local turns = helper.long and 40000 or 1200
    assert.is_true(measure(turns, make) < 300 * MB)
    local heap = make_heap(helper.long and 200 or 40)
    assert.is_true(measure(turns, make) < 300 * MB)
    assert.is_true(#heap > 0)
  end)

  it("has nothing to do where scope, out, free or in-place forms are used", function()
    local heap, result = make_heap(helper.long and 200 or 40), ma.empty_like(a)
    for _, turn in ipairs {
      function() ma.scope(make) end, function() ma.add(a, 1, { out = result }) end, function() (a + 1):free() end,
      function() result:assign(a) end,
    } do
      turn()
      -- other programs may take the processor meanwhile
      local least = math.huge
      for _ = 1, 6 do
        local peak, longest = measure(300, turn)
        assert.is_true(peak < 4 * MB)
        least = math.min(least, longest)
        if least < 20 then break end
      end
      assert.is_true(least < 20)
    end
    assert.is_true(#heap > 0)
    result:free()
  end)

  it("is never woken when it was stopped", function()
    collectgarbage()
    collectgarbage("stop")
    local ok, message = pcall(function()
      local peak = measure(200, make)                                  -- collects once, and stops it again
      collectgarbage("stop")
      assert.is_true(peak <= 200 * MB)
      local before = core.live_buffers()
      for _ = 1, 200 do make() end
      assert.equal(before + 200, live())
      assert.is_false(collectgarbage("isrunning"))
      assert.is_true(measure(400, function() ma.scope(make) end) < 4 * MB)
    end)
    collectgarbage("restart")
    if not ok then error(message, 0) end
  end)

  it("is run when memory is out, and stays stopped", function()
    local pool = ma.get_default_memory_pool()
    collectgarbage()
    pool:free_all_blocks()
    local limit = pool:get_limit()
    collectgarbage("stop")
    local ok, message = pcall(function()
      pool:set_limit(pool:total_bytes() + 32 * MB)
      for _ = 1, 200 do make() end
      assert.is_false(collectgarbage("isrunning"))
      local error_message = helper.fails(ma.empty, { 64, 1024, 1024 }, "float32")
      assert.matches("out of memory", error_message)
      assert.is_false(collectgarbage("isrunning"))
    end)
    collectgarbage("restart")
    pool:set_limit(limit)
    if not ok then error(message, 0) end
  end)
end)

describe("a graph made in a scope", function()
  it("keeps its results", function()
    local x = ma.ones(3)
    local graph = ma.scope(function() return ma.cuda.graph(function() return x + 1, { x * 3 } end) end)
    x:fill(5)
    local sum, other = graph:launch()
    assert.same({ 6, 6, 6 }, sum:totable())
    assert.same({ 15, 15, 15 }, other[1]:totable())
    graph:free()
  end)
end)

describe("a fused function", function()
  it("that frees its argument while it is recorded gives an error", function()
    local x = ma.ones(3)
    local f = ma.fuse(function(v)
      x:free()
      return v + 1
    end)
    assert.matches("a freed array", helper.fails(f, x))
    assert.same({ 2, 2 }, ma.scope(ma.fuse(function(v) return v + 1 end), ma.ones(2)):totable())
  end)
end)
