-- ma.update and ma.job: what runs in a frame. spec/frames/late_spec.lua runs this file on a pretended GPU whose work
-- takes a while.

local helper = require "spec.helper"
local turn = require "spec.frames.turn"
local file = require "spec.file"
local ma = helper.ma

local LUA = os.getenv("LUAJIT") or "luajit"

--- What a program prints and writes to stderr, on the device of this spec.
local function output(program, lua)
  local path = os.tmpname()
  file.write(path, program)
  local _, text = file.run(("timeout 100 '%s' %s"):format(lua or LUA, path))
  os.remove(path)
  return text
end

local function finish_all()
  local frames = 0
  while ma.update() > 0 do
    frames = frames + 1
    assert(frames < 100000, "it does not end")
  end
end

--- Keeps the processor busy.
local function work(seconds)
  local stop = ma.time() + seconds
  while ma.time() < stop do end                                -- luacheck: ignore
end

describe("jobs", function()
  it("take turns in the order of their creation, a piece each", function()
    local said = {}
    local function job(name, pieces)
      return ma.job(function()
        for k = 1, pieces do
          said[#said + 1] = name .. k
          if k < pieces then coroutine.yield() end
        end
      end)
    end
    local a, b, c = job("a", 3), job("b", 1), job("c", 2)
    assert.same({}, said)                                      -- an update runs them
    finish_all()
    assert.equal("a1 b1 c1 a2 c2 a3", table.concat(said, " "))
    assert.same({ true, true, true }, { a.done, b:ready(), c.done })
  end)

  it("get arguments, and give what they return", function()
    local options = { 1, name = "options" }
    local job = ma.job(function(...) return select("#", ...), ... end, 1, nil, options, nil)
    assert.equal("<job, not done>", tostring(job))
    assert.is_false(job.done)
    finish_all()
    assert.equal("<job, done>", tostring(job))
    local run = turn.results(ma.await, job)
    assert.same({ 5, 4, 1, nil, options }, { run.n, run[1], run[2], run[3], run[4] })
    local first, last = ma.await(job, ma.ones(3):sum())        -- one value each, but of the last one
    assert.same({ 4, 3 }, { first, last })
    assert.same({ 3, 4, 1, nil, options }, { ma.await(ma.ones(3):sum(), job) })
    assert.equal(0, select("#", ma.await(ma.job(function() end))))
    local called = setmetatable({}, { __call = function(_, x) return x * 2 end })
    assert.equal(8, ma.await(ma.job(called, 4)))
  end)

  it("are run to their end where a program awaits them outside a coroutine", function()
    local x = ma.ones(10)
    local inner = ma.job(function()
      coroutine.yield()
      return ma.await((x * 3):sum())
    end)
    local job = ma.job(function()
      local sum = ma.await(x:sum())
      coroutine.yield()
      return sum + ma.await(inner)
    end)
    assert.equal(40, ma.await(job))
    assert.is_true(inner.done)
    assert.equal(0, ma.update())
    local late = ma.job(function() return ma.await(x:sum()) end)
    if turn.is_late then
      assert.matches("moonarray.await: a wait for the device",
        helper.fails(ma.allow_synchronize, false, ma.await, late))
    end
    finish_all()
    assert.equal(10, ma.allow_synchronize(false, ma.await, late))
  end)

  it("wait for arrays while others run", function()
    local x, said = ma.ones(10), {}
    local first = ma.job(function()
      said[#said + 1] = "asks"
      local sum = ma.await(x:sum())
      said[#said + 1] = "got " .. sum
    end)
    local second = ma.job(function() said[#said + 1] = "runs" end)
    finish_all()
    assert.is_true(first.done and second.done)
    local order = table.concat(said, " ")
    turn.check_late(order == "asks runs got 10")
    assert(order == "asks runs got 10" or order == "asks got 10 runs", order)
  end)

  it("stop when the budget of a frame is used, and go on in the next", function()
    local pieces = 0
    local function slow()
      for _ = 1, 6 do
        work(0.002)
        pieces = pieces + 1
        coroutine.yield()
      end
    end
    local one, two = ma.job(slow), ma.job(slow)
    ma.update { budget = 0 }
    assert.equal(0, pieces)
    local start = ma.time()
    ma.update { budget = 0.003 }
    local took = ma.time() - start
    assert.is_true(pieces == 1 or pieces == 2, pieces)
    assert.is_true(took >= 0.002)
    local frames = 1
    while ma.update { budget = 0.001 } > 0 do frames = frames + 1 end
    assert.equal(12, pieces)
    assert.is_true(frames >= 10, frames)
    assert.is_true(one.done and two.done)
  end)

  it("that fail raise in whoever awaits them, each time", function()
    local job = ma.job(function()
      coroutine.yield()
      error({ code = 7 })
    end)
    local run = turn.start(ma.await, job)
    finish_all()
    assert.equal(7, run.why.code)
    assert.equal("<job, failed>", tostring(job))
    local ok, why = pcall(ma.await, job)
    assert.is_false(ok)
    assert.equal(7, why.code)
    assert.matches("update_spec.lua:%d+: no$", select(2, pcall(ma.await, ma.job(function() error("no") end))))
  end)

  it("that fail and are awaited by nobody are told of once, on stderr", function()
    local text = output [[
      local ma = require "moonarray"
      local job = ma.job(function() coroutine.yield() error("the level is missing") end)
      local told = ma.job(function() coroutine.yield() error("somebody waits for this") end)
      coroutine.wrap(function() print(pcall(ma.await, told)) end)()
      for _ = 1, 5 do ma.update() end
      print(pcall(ma.await, job))
      print "end"]]
    local told = "moonarray.job: nobody waits for a job that failed: [^\n]*the level is missing"
    assert.equal(1, select(2, text:gsub(told, "")))
    assert.matches("\nstack traceback:\n", text)
    assert.equal(1, select(2, text:gsub("somebody waits for this", "")))
    assert.matches("false\t[^\n]*the level is missing\nend\n$", text)
  end)

  it("do not wait for each other for ever", function()
    local a, b, c
    a = ma.job(function() return ma.await(b) end)
    b = ma.job(function() return ma.await(c) end)
    c = ma.job(function() return ma.await(a) end)
    local own
    own = ma.job(function() return ma.await(own) end)
    local runs = { turn.start(ma.await, a), turn.start(ma.await, own) }
    finish_all()
    for _, run in ipairs(runs) do
      assert.matches("moonarray.await: jobs that would wait for each other for ever", run.why)
    end
  end)

  it("leave what is current to the frame", function()
    local main, stream = ma.get_current_stream(), ma.Stream()
    local job = ma.job(function()
      return stream:with(function()
        coroutine.yield()
        local inside = ma.get_current_stream()
        ma.await(ma.ones(3):sum())
        return inside == stream and ma.get_current_stream() == stream
      end)
    end)
    repeat
      ma.update { budget = 1e-9 }
      assert.equal(main, ma.get_current_stream())
      ma.update()
      assert.equal(main, ma.get_current_stream())
    until job.done
    assert.is_true(ma.await(job))
    stream:close()
  end)

  it("say what a wrong argument was", function()
    assert.matches("moonarray.job: fn is the number 3; wanted a function", helper.fails(ma.job, 3))
    assert.matches("moonarray.ready: .*in place of the job; write job:ready%(%)", helper.fails(ma.job(print).ready))
    ma.update { budget = 0 }
    finish_all()
  end)
end)

describe("update", function()
  it("runs host functions", function()
    local said = {}
    ma.get_current_stream():launch_host_func(function(arg)
      said[#said + 1] = arg
      assert(ma.update() >= 0)                                 -- does nothing there
    end, "first")
    ma.get_current_stream():launch_host_func(function(arg) said[#said + 1] = arg end, "second")
    finish_all()
    assert.same({ "first", "second" }, said)
  end)

  it("raises the first error after all else has run", function()
    local x, ran = ma.ones(10), {}
    local function coroutine_of(name, fails)
      coroutine.wrap(function()
        ma.await(ma.job(function() ran[#ran + 1] = "job " .. name end))
        ran[#ran + 1] = name
        if fails then error(fails) end
      end)()
    end
    ma.get_current_stream():launch_host_func(function() error({ host = true }) end)
    coroutine_of("a", "failed a")
    coroutine_of("b")
    coroutine_of("c", "failed c")
    local errors = {}
    for _ = 1, 1000 do
      local ok, why = pcall(ma.update, { budget = 1 })
      if ok and why == 0 then break end
      if not ok then errors[#errors + 1] = type(why) == "table" and "host" or why:match "failed %a" end
    end
    assert.equal("job a job b job c a b c", table.concat(ran, " "))
    local order = table.concat(errors, " ")
    turn.check_late(order == "failed a host")
    assert(order == "failed a host" or order == "host", order)
    assert.equal(10, x:sum():item())
  end)

  it("does nothing where it is called by what it runs", function()
    local counts = {}
    local job = ma.job(function()
      for _ = 1, 3 do
        counts[#counts + 1] = ma.update()
        coroutine.yield()
      end
    end)
    finish_all()
    assert.is_true(job.done)
    assert.same({ 1, 1, 1 }, counts)
  end)

  it("tells how many are left", function()
    assert.equal(0, ma.update())
    local go = false
    local job = ma.job(function() while not go do coroutine.yield() end end)
    local run = turn.start(ma.await, job)
    assert.equal(2, ma.update())
    go = true
    assert.equal(0, ma.update())
    assert.is_true(run.ended)
  end)

  it("takes a small step of Lua's collector, unless it is stopped", function()
    local function garbage()
      local seen = setmetatable({ {} }, { __mode = "v" })
      return seen
    end
    collectgarbage()
    collectgarbage("stop")
    local kept = garbage()
    for _ = 1, 2000 do ma.update() end
    assert.is_false(collectgarbage("isrunning"))
    assert.is_not_nil(kept[1])
    collectgarbage("restart")
    collectgarbage("setpause", 1000000)                        -- it would not begin by itself
    local frames = 0
    while kept[1] and frames < 100000 do
      frames = frames + 1
      ma.update()
    end
    collectgarbage("setpause", 200)
    assert.is_nil(kept[1])
    assert.is_true(frames > 1, "in one step")
  end)

  it("says what a wrong budget was", function()
    assert.matches("moonarray.update: budget is the number %-1; wanted seconds, 0 or more",
      helper.fails(ma.update, { budget = -1 }))
    assert.matches("budget is the string '2'", helper.fails(ma.update, { budget = "2" }))
    assert.matches("budget is the number nan", helper.fails(ma.update, { budget = 0 / 0 }))
  end)
end)

describe("in plain Lua 5.1", function()
  local found = os.execute("command -v lua5.1 >/dev/null 2>&1") == 0
  local why_not = not found and "no lua5.1" or LUA ~= "luajit" and "a LuaJIT of its own"

  it("coroutines await, but not out of what calls a function for them", function()
    if why_not then return pending(why_not) end
    local text = output([[
      local ma = require "moonarray"
      local said, x = {}, ma.ones(10)
      local function say(...) said[#said + 1] = table.concat({ ... }, " ") end
      local function later(fn) coroutine.wrap(fn)() end
      local job = ma.job(function(n)
        local sum = 0
        for k = 1, n do sum = sum + k coroutine.yield() end
        return sum + ma.await(x:sum())
      end, 4)
      later(function() say("sum", ma.await(x:sum())) end)
      later(function() say("job", ma.await(job)) end)
      local scoped = coroutine.create(function() return ma.scope(function() return ma.await(job) end) end)
      say("scope", tostring(select(2, coroutine.resume(scoped))))
      later(function()
        say("with", select(2, pcall(function() return ma.Stream.null:with(function() return ma.await(job) end) end)))
        ma.await(job)
        say("after", ma.await(x:max()))
      end)
      later(function()
        local ok, why = pcall(ma.await, job)                   -- and stays where it does not wait
        say("pcall", tostring(ok), why)
        coroutine.yield()
        say("wrong")
      end)
      local frames = 0
      while ma.update() > 0 do frames = frames + 1 assert(frames < 100000) end
      print(table.concat(said, "\n"))]], "lua5.1")
    assert.matches("sum 10\n", text)
    assert.matches("job 20\n", text)
    assert.matches("scope [^\n]*attempt to yield across metamethod/C%-call boundary\n", text)
    assert.matches("with [^\n]*moonarray.await: inside stream:with, device:with or allow_synchronize, "
      .. "out of which plain Lua 5.1 cannot yield\n", text)
    assert.matches("after 1\n?", text)
    assert.matches("pcall false attempt to yield across metamethod/C%-call boundary", text)
    assert.is_nil(text:find("wrong", 1, true), text)
  end)
end)
