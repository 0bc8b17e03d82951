-- Kernels compiled in the background: an expression that is new runs operation by operation until its kernel is ready,
-- and then as one; a compilation that fails does no harm; processes end in the middle of one; the next process begins
-- with the kernel.

local helper = require "spec.helper"
helper.core.defer_from(1)              -- what waits is its subject, however small
local core = require "moonarray.core"
local ma = helper.ma

local LUA = os.getenv("LUAJIT") or "luajit"
local on_gpu = helper.device ~= "cpu" and helper.compiles

local function launches(f)
  local before = core.work()
  f():eval()
  return core.work() - before
end

local function it_gpu(name, f)
  if on_gpu then it(name, f) else pending(name .. ": no GPU with a compiler") end
end

--- A chain that no cache knows, by the digits of a number: 6 operations.
local fresh = os.time() % 100000 * 1000
local function chain(a, b)
  fresh = fresh + 1
  local digits, n = {}, fresh
  for k = 1, 40 do digits[k], n = n % 2, math.floor(n / 2) end
  return function()
    local x = a
    for k = 1, 28 do x = digits[k] == 0 and x + b or x * a end
    return x
  end
end

describe("a kernel that is new", function()
  local was, a, b
  before_each(function()
    was = ma.set_fusion(true)
    a, b = ma.full({ 100 }, 0.75, "float32"), ma.arange(100):astype("float32"):eval()
    ma.add(a, b):eval()
    ma.multiply(a, b):eval()
    core.background(true)
  end)
  after_each(function()
    core.make_fail("worker", 0)
    ma.set_fusion(was)
  end)

  local function unfused(f)
    ma.set_fusion(false)
    local bytes = f():dumps()
    ma.set_fusion(true)
    return bytes
  end

  it_gpu("is compiled beside the work, which takes it up", function()
    local f = chain(a, b)
    local want = unfused(f)
    local _, compiled = core.background()
    assert.equal(28, launches(f))
    assert.equal(want, f():dumps())
    core.background(true)
    local _, now = core.background()
    assert.equal(compiled + 1, now)
    assert.equal(1, launches(f))
    assert.equal(want, f():dumps())
  end)

  it_gpu("goes on by single operations where it does not compile", function()
    local f = chain(a, b)
    local want = unfused(f)
    local _, compiled, failed = core.background()
    core.make_fail("worker", 1)
    for _ = 1, 3 do
      assert.equal(28, launches(f))
      core.background(true)
    end
    local _, compiled_now, failed_now = core.background()
    assert.equal(compiled, compiled_now)
    assert.equal(failed + 1, failed_now)
    assert.equal(want, f():dumps())
  end)

  it_gpu("of a reduction evaluates the operand until it is ready", function()
    local f = chain(a, b)
    local function total() return f():sum() end
    ma.sum(a):eval()
    local want = unfused(total)
    assert(launches(total) > 28)
    core.background(true)
    assert.equal(want, total():dumps())
    core.background(true)
    assert.equal(1, launches(total))
    assert.equal(want, total():dumps())
  end)

  it_gpu("of a stencil runs as array operations until it is ready, with the same bits", function()
    local u = ma.random.default_rng(1):random({ 20, 30 }, { dtype = "float32" })
    for _, boundary in ipairs { "wrap", "leave", "reflect" } do
      local function new()
        fresh = fresh + 1
        local turn = fresh % 997 + 2
        return ma.stencil(function(v) return v(0, 1) * turn + v(1, 0) - v(0, 0) / turn end, { boundary = boundary })
      end
      new()(u)                                           -- the operations' own kernels
      local s = new()
      local early, steps = ma.allow_synchronize(false, s, u), s:run(u, { steps = 3 })
      core.background(true)
      assert.equal(1, launches(function() return s(u) end), boundary)
      assert.equal(early:dumps(), s(u):dumps(), boundary)
      assert.equal(steps:dumps(), s:run(u, { steps = 3 }):dumps(), boundary)
    end
  end)

  local script = [[
    local ma, core = require "moonarray", require "moonarray.core"
    ma.set_fusion(true)
    local a = ma.full({ 10 }, 2, "float32")
    local before = core.work()
    local x = a
    for k = 1, 12 do x = k %% 3 == 0 and x + a or x * a end
    x:eval()
    io.write(core.work() - before, " ")
    %s
  ]]

  local function run(ending, folder)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(script:format(ending))
    file:close()
    local pipe = assert(io.popen(("MOONARRAY_CACHE_DIR='%s' timeout 120 '%s' '%s' 2>&1; echo \"code $?\""):format(
      folder, LUA, path)))
    local out = pipe:read("*a")
    pipe:close()
    os.remove(path)
    return out
  end

  it_gpu("is left where it is when the process ends", function()
    local folder = os.tmpname()
    os.remove(folder)
    for _, ending in ipairs { "", "os.exit(0)", "os.exit(0, true)", "os.exit(0, false)", "collectgarbage()" } do
      local out = run(ending, folder)
      os.execute("rm -rf '" .. folder .. "'")
      assert(out:find("^12 code 0"), "ending by '" .. ending .. "': " .. out)
    end
  end)

  it_gpu("is there when the next process begins", function()
    local folder = os.tmpname()
    os.remove(folder)
    local first, second = run("core.background(true)", folder), run("", folder)
    os.execute("rm -rf '" .. folder .. "'")
    assert.equal("12 code 0\n", first)
    assert.equal("1 code 0\n", second)
  end)

  it_gpu("is asked for again after a reset", function()
    local folder = os.tmpname()
    os.remove(folder)
    local out = run([[
      ma.cuda.reset()
      local launched
      a, x = nil, nil
      collectgarbage()
      collectgarbage()                 -- what was lost is not in the way
      a = ma.full({ 10 }, 2, "float32")
      for round = 1, 2 do
        core.background(true)
        before = core.work()
        x = a
        for k = 1, 12 do x = k % 3 == 0 and x + a or x * a end
        x:eval()
        launched = core.work() - before
        assert(x:totable()[1] == 682)
      end
      io.write(launched, " ")
    ]], folder)
    os.execute("rm -rf '" .. folder .. "'")
    assert(out:find("^12 1 code 0"), out)
  end)

  it("is no matter on the CPU", function()
    if helper.device ~= "cpu" then return end
    local f = chain(a, b)
    assert.equal(unfused(f), f():dumps())
    assert.equal(1, launches(f))
    assert.same({ 0, 0, 0 }, { core.background(true) })
  end)
end)
