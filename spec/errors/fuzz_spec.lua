-- Random calls of everything public with random arguments never crash, leak nothing, and raise only errors of the form
-- that the errors have: the caller's position, `moonarray.NAME:`, what was found, what was wanted.
-- spec/errors/wrong_calls_spec.lua has the calls whose errors are known.
--
-- SEED=n repeats a run, FUZZ_CALLS=n makes it longer (`make fuzz CALLS=n`), FUZZ_TRACE=1 writes each call to stderr
-- before it is made, so that the last line names the call that crashed.

local ffi = require "ffi"
local helper = require "spec.helper"
local values = require "spec.errors.fuzz_values"
local targets = require "spec.errors.fuzz_targets"
local ma = helper.ma
local random, show = values.random, values.show

local trace = os.getenv("FUZZ_TRACE")

-- Lua's own about an operator that no array is in, as `1 + nil` of a line of the fuzz; and what the functions that it
-- hands in raise.
local here = "^%./spec/errors/fuzz_%a+.lua:%d+: "
local own = { here .. "attempt to ", here .. "cannot convert '", here .. "table index is ", here .. "moonarray.fuzz: ",
  "^attempt to yield across C%-call boundary",
  "^attempt to yield from outside a coroutine" }

local function well_formed(message)
  if type(message) == "table" then message = tostring(message) end      -- a failure of ma.testing, as busted has it
  if type(message) ~= "string" or message:find("internal", 1, true) then return false end
  message = message:gsub("^[%w_./\\]+:", function(path) return (path:gsub("\\", "/")) end)        -- as on Linux
  local place = message:match("^([^\n]-):%d+: moonarray[%w_.:]*: ")
  if place and not place:find("lua/moonarray/", 1, true) then return true end
  for _, pattern in ipairs(own) do if message:find(pattern) then return true end end
  return false
end

local function arguments_of(call)
  local list, n = {}, random(call.required, math.max(call.required, math.min(#call.arguments, call.required + 2)))
  if random(1, 12) == 1 then n = math.max(0, n + random(-1, 1)) end
  for i = 1, n do
    local value
    if call.wild then value = values.something() else value = values.fitting(call.arguments[i] or "") end
    list[i] = value
  end
  if #call.options > 0 and random(1, 4) == 1 then
    n = n + 1
    list[n] = {}
    for _ = 1, random(1, 2) do
      local option = values.pick(call.options)
      list[n][option] = values.fitting(option)
    end
  end
  return list, n
end

local function text_of(call, list, n)
  local texts = {}
  for i = 1, n do texts[i] = show(list[i]) end
  return ("%s(%s)"):format(call.name, table.concat(texts, ", "))
end

-- A call may be given any text as a path, so the calls are made in the folder of their own. What is loaded late is
-- found from there.
local enter, leave = function() end, function() end
if ffi.os ~= "Windows" then
  ffi.cdef "int chdir(const char *path); char *getcwd(char *buffer, size_t size);"
  local root = ffi.string(ffi.C.getcwd(ffi.new("char[4096]"), 4096))
  local path = package.path
  enter = function()
    local _ = (ma.ones(2) + 1):sum():item()            -- opens what the device needs
    package.path = (";" .. path):gsub(";%./", ";" .. root .. "/"):sub(2)
    assert(ffi.C.chdir(values.folder) == 0)
  end
  leave = function()
    package.path = path
    assert(ffi.C.chdir(root) == 0)
  end
end

describe("random calls", function()
  local before
  setup(function()
    before = print
    rawset(_G, "print", function() end)                -- help and its kind
    enter()
  end)
  teardown(function()
    leave()
    rawset(_G, "print", before)
    os.execute("rm -rf '" .. values.folder .. "'")
  end)

  it("never crash, raise only errors of the right form and leak nothing", function()
    local count = tonumber(os.getenv("FUZZ_CALLS")) or helper.thin and 2000 or 10000
    local failures = helper.failures(20)
    local raised, reached = 0, {}
    targets.restore()
    for k = 1, count do
      values.next_call()
      local call = values.pick(targets)
      local list, n = arguments_of(call)
      if trace then io.stderr:write(k, " ", text_of(call, list, n), "\n") end
      local ok, message = pcall(call.target, unpack(list, 1, n))
      reached[call.name] = (reached[call.name] or 0) + (ok and 1 or 0)
      if not ok then
        raised = raised + 1
        if not well_formed(message) then
          failures:run(("call %d %s"):format(k, text_of(call, list, n)), error, message, 0)
        end
      end
      ok, message = pcall(targets.restore)
      if not ok then
        if not well_formed(message) then
          failures:run(("after call %d %s"):format(k, text_of(call, list, n)), error, message, 0)
        end
        targets.restore()
      end
    end
    -- A position that the device finds out of range is told by the next call that waits: here, and not in another test.
    for _ = 1, 100 do
      local ok, message = pcall(ma.synchronize)
      if ok then break end
      if not well_formed(message) then failures:run("at the end", error, message, 0) end
    end
    for _ = 1, 100 do                                        -- functions of the host that wait
      local ok, answer = pcall(ma.cuda.poll)
      if not ok and not well_formed(answer) then failures:run("a function of the host", error, answer, 0) end
      if ok and answer == 0 then break end
      pcall(ma.synchronize)
    end
    for name in pairs(targets.made) do targets.made[name] = nil end
    if trace then
      for name, good in pairs(reached) do
        if good == 0 then io.stderr:write("never without an error: ", name, "\n") end
      end
    end
    ma.get_default_memory_pool():set_limit(0)
    assert(raised < count * 0.9, ("%d of %d calls raised errors"):format(raised, count))
    failures.seed = helper.seed
    if failures.n > 0 then failures[#failures + 1] = "SEED=" .. helper.seed end
    failures:check()
  end)
end)
