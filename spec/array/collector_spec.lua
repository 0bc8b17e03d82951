-- When the library asks Lua's collector for work: the threshold of live bytes, which rises and falls with them. Each
-- program runs in a process of its own, whose heap is that of the library alone.

local helper = require "spec.helper"

local MB = 2 ^ 20

--- Runs a chunk that prints numbers: these, and the thresholds that MOONARRAY_TRACE=mem tells of.
local function child(chunk)
  local script, log = os.tmpname(), os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write([[
local ma, core = require "moonarray", require "moonarray.core"
local MB = 2 ^ 20
local pool = ma.get_default_memory_pool()
local function most(n, megabytes)                  -- in use while n arrays of garbage are made
  core.pool(true)
  for _ = 1, n do local _ = ma.empty(megabytes * MB, "uint8") end
  return (select(3, core.pool()))
end
local function hold(n, megabytes)
  local list = {}
  for k = 1, n do list[k] = ma.empty(megabytes * MB, "uint8") end
  return list
end
local function clear()
  if rawget(_G, "jit") then jit.flush() end
  collectgarbage()
  collectgarbage()
end
]] .. chunk)
  file:close()
  local command = "MOONARRAY_TRACE=mem MOONARRAY_DEVICE=%s '%s' '%s' 2>'%s'"
  local pipe = assert(io.popen(command:format(helper.device, os.getenv("LUAJIT") or "luajit", script, log)))
  local numbers, thresholds = {}, {}
  for number in pipe:read("*a"):gmatch("%d+") do numbers[#numbers + 1] = tonumber(number) end
  pipe:close()
  file = assert(io.open(log))
  local told = file:read("*a")
  file:close()
  os.remove(script)
  os.remove(log)
  for at in told:gmatch("the next[%w ]* at (%d+)") do thresholds[#thresholds + 1] = tonumber(at) end
  assert(#numbers > 0, told)
  return numbers, thresholds, told
end

describe("the collector's threshold", function()
  it("lies at a part of the live bytes above them while they grow", function()
    local numbers, thresholds, told = child [[
      local held = hold(20, 64)
      print(pool:used_bytes())
      held[1] = nil
    ]]
    local last, room = thresholds[#thresholds], helper.device == "cpu" and 1 / 8 or 1
    assert(last > numbers[1] - 64 * MB and last <= (1 + room) * numbers[1] + 64 * MB, told)
  end)

  it("is computed only now and then while arrays grow", function()
    local _, thresholds, told = child "local held = hold(1024, 2) print(#held)"
    assert(#thresholds >= 2 and #thresholds <= 40, told)
  end)

  it("lets the results of a loop on the CPU use memory again while it is in a cache", function()
    if helper.device ~= "cpu" then return pending("a GPU has room for 64 arrays of garbage") end
    local numbers, _, told = child [[
      local held = hold(10, 64)
      for _ = 1, 1000 do local _ = ma.empty(MB, "uint8") end        -- the threshold comes down from that of a growth
      print(pool:used_bytes(), most(1000, 1))
      held[1] = nil
    ]]
    assert(numbers[2] >= 640 * MB and numbers[2] <= (640 + 18) * MB, ("%d bytes in use\n%s"):format(numbers[2], told))
  end)

  it("leaves more garbage where a collection took longer", function()
    if helper.device ~= "cpu" then return pending("a GPU has room for 64 arrays of garbage") end
    for _, tables in ipairs { 1, 5000, 16000, 32000 } do                  -- up to 3.5 MB
      local _, _, told = child(("local heap = {} for k = 1, %d do heap[k] = { k } end\n"):format(tables) .. [[
        local a = ma.ones(100003)
        for k = 1, 400 do (a + k):eval() end
        print(#heap)
      ]])
      local n = 0
      for left, took, at in told:gmatch "(%d+) left, heap of %d+ KB, in (%d+) us; the next at (%d+)" do
        took = tonumber(took)
        local room, wide = at - left, math.min(took * MB / 8, 64 * MB)
        local least, most = 4 * MB, 12 * MB                               -- of the cache, by its size
        assert(room >= least and room <= math.max(8 * MB, wide), told)
        assert(room >= math.min(math.floor(wide), least * 3 / 2), told)
        if took < 50 * least * 3 / 2 / MB then assert(room <= most, told) end
        if took >= 50 * most / MB then assert(room >= math.floor(wide), told) end
        n = n + 1
      end
      assert(n > 3, told)
    end
  end)

  for name, way in pairs { ["with a collection of the program's own"] = "held = nil clear()",
    ["with x:free()"] = "for k = 1, 20 do held[k]:free() end",
    ["with a scope"] = "held = nil ma.scope(function() hold(20, 64) end) clear()" } do
    it("falls " .. name, function()
      if helper.device ~= "cpu" then return pending("a GPU has room for 64 arrays of garbage") end
      local numbers, thresholds, told = child([[
        local held = hold(20, 64)
        print(pool:used_bytes())
      ]] .. way .. [[

        print(pool:used_bytes(), most(60, 16))
        print(tostring(held))
      ]])
      assert(numbers[1] > 1200 * MB and numbers[2] < MB, told)
      assert(numbers[3] <= (64 + 16) * MB, ("%d bytes of garbage\n%s"):format(numbers[3], told))
      assert(thresholds[#thresholds] <= (64 + 16) * MB, told)
    end)
  end

  it("leaves half of what is free below the pool's limit", function()
    local numbers, thresholds, told = child [[
      pool:set_limit(600 * MB)
      local held = hold(100, 4)
      clear()
      most(60, 4)                                       -- the threshold is now one that this limit made
      print(most(100, 4))
      held[1] = nil
    ]]
    assert(numbers[1] >= 400 * MB and numbers[1] <= 508 * MB, ("%d bytes in use\n%s"):format(numbers[1], told))
    for _, at in ipairs(thresholds) do assert(at <= 508 * MB, told) end
  end)
end)
