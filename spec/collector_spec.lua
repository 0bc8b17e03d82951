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
  it("lies at half of the live bytes beside them", function()
    local numbers, thresholds, told = child [[
      local held = hold(20, 64)
      print(pool:used_bytes())
      held[1] = nil
    ]]
    local last = thresholds[#thresholds]
    assert(last > numbers[1] and last <= 2 * numbers[1], told)
  end)

  it("lets the results of a loop on the CPU use memory again while it is in a cache", function()
    if helper.device ~= "cpu" then return pending("a GPU has room for 64 arrays of garbage") end
    local numbers, _, told = child [[
      local held = hold(10, 64)
      for _ = 1, 1000 do local _ = ma.empty(MB, "uint8") end        -- the threshold comes down from that of a growth
      print(pool:used_bytes(), most(1000, 1))
      held[1] = nil
    ]]
    assert(numbers[2] >= 640 * MB and numbers[2] <= (640 + 12) * MB, ("%d bytes in use\n%s"):format(numbers[2], told))
  end)

  it("leaves the caches only beside a heap whose collections cost more", function()
    if helper.device ~= "cpu" then return pending("a GPU has room for 64 arrays of garbage") end
    local loop = [[
      local a, places, n = ma.ones(100003), {}, 0
      for k = 1, 400 do
        local c = a + k
        c:eval()
        if k > 300 and not places[c:ptr()] then places[c:ptr()], n = true, n + 1 end
      end
      print(n, #heap)
    ]]
    local numbers, _, told = child("local heap = {} for k = 1, 5000 do heap[k] = { k } end " .. loop)       -- 0.8 MB
    assert(numbers[1] <= 9, ("%d places of 0.8 MB\n%s"):format(numbers[1], told))
    _, _, told = child("local heap = {} for k = 1, 20000 do heap[k] = { k } end " .. loop)                  -- 2.3 MB
    local _, collections = told:gsub("collected at", "")
    assert(collections <= 8, ("%d collections for 320 MB\n%s"):format(collections, told))
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
