-- The specs of frames on a pretended GPU whose work takes a while (spec/pretend/delay.c), in processes of their own,
-- and 600 frames that never wait.

local file = require "spec.file"
local gpu = require "spec.pretend.gpu"

local LUA = os.getenv("LUAJIT") or "luajit"
local MODULES = os.getenv("MODULE_DIR") or "."

--- Runs a command of Lua on the pretended GPU with these variables.
local function on_late(variables, command)
  local paths = ("LUA_PATH='./lua/?.lua;./lua/?/init.lua;./?.lua;;' LUA_CPATH='%s/?.so;;'"):format(MODULES)
  return file.run(("env %s %s %s timeout 400 %s"):format(gpu.environment, variables, paths, command))
end

local FRAMES = [[
local ma = require "moonarray"
ma.allow_synchronize(false)
local u, energies, most, ended = ma.ones({ 20, 20 }, "float32"), {}, 0, 0
for frame = 1, 600 do
  ma.scope(function()
    u:iadd(ma.ones({ 20, 20 }, "float32") * 0.5)
    coroutine.wrap(function()
      energies[frame] = ma.await((u * u):sum())
      ended = ended + 1
    end)()
  end)
  most = math.max(most, ma.update({ budget = 0.001 }))
end
while ma.update() > 0 do end
assert(ended == 600)
for frame = 1, 600 do
  local u = 1 + frame * 0.5
  assert(energies[frame] == 400 * u * u, frame .. ": " .. energies[frame])
end
print("600 frames", most > 0)
]]

describe("600 frames that never wait", function()
  local function run(variables)
    local path = os.tmpname()
    file.write(path, FRAMES)
    local command = ("'%s' %s"):format(LUA, path)
    local ok, text
    if variables then ok, text = on_late(variables, command) else ok, text = file.run(command) end
    os.remove(path)
    assert(ok, text)
    return text:match("600 frames[^\n]*")
  end

  it("read an energy each", function()
    assert.matches("^600 frames", run() or "")
  end)

  for _, delay in ipairs { "PRETEND_DELAY=9", "PRETEND_DELAY=40", "PRETEND_DELAY_MS=2" } do
    it("read an energy each where work takes a while: " .. delay, function()
      if not gpu.is_built() then return pending "no pretended GPU; make pretend" end
      assert.equal("600 frames\ttrue", run(delay))
    end)
  end
end)

describe("on a pretended GPU whose work takes a while", function()
  if os.getenv "PRETEND_DELAY" then return end                 -- which runs one of these
  for _, name in ipairs { "await_spec", "update_spec", "frame_spec" } do
    it(name .. " passes", function()
      if not gpu.is_built() then return pending "no pretended GPU; make pretend" end
      local busted = "scripts/busted.lua --output=plainTerminal --helper=spec/helper.lua"
      local ok, text = on_late("PRETEND_DELAY=7", ("'%s' %s spec/frames/%s.lua"):format(LUA, busted, name))
      assert(ok, text)
      assert.matches("%d+ successes? / 0 failures / 0 errors", text)
    end)
  end

  it("a fault reaches the coroutine that waits", function()
    if not gpu.is_built() then return pending "no pretended GPU; make pretend" end
    local path = os.tmpname()
    file.write(path, [[
      local ma = require "moonarray"
      local bad = ma.RawKernel('extern "C" __global__ void broken_kernel(float *p) {}', "broken_kernel")
      local a = ma.zeros(100, { dtype = "float32" })
      local ok, why
      coroutine.wrap(function()
        bad({ 1 }, { 1 }, { a })
        ok, why = pcall(ma.await, a)
      end)()
      assert(ok == nil, "the work is under way")
      local frames = 0
      while ok == nil and frames < 1000 do
        frames = frames + 1
        pcall(ma.update)
      end
      print(ok, why)
      os.exit(0)]])
    local ran, text = on_late("PRETEND_DELAY=7 PRETEND_FAULT=1", ("'%s' %s"):format(LUA, path))
    os.remove(path)
    assert(ran, text)
    assert.matches("false\t.*broken_kernel.*CUDA_ERROR_ILLEGAL_ADDRESS", text)
  end)
end)
