--- Runs before busted under a LuaJIT for musl (LUA_INIT): what busted's libraries take from the C modules system and
--- term, which Debian has for glibc alone.

local ffi = require "ffi"

ffi.cdef [[
int clock_gettime(int clock, int64_t *time);
int nanosleep(const int64_t *time, int64_t *left);
]]

local function clock(number)
  return function()
    local time = ffi.new("int64_t[2]")
    ffi.C.clock_gettime(number, time)
    return tonumber(time[0]) + tonumber(time[1]) * 1e-9
  end
end

local function sleep(seconds)
  local whole = math.floor(seconds)
  ffi.C.nanosleep(ffi.new("int64_t[2]", whole, (seconds - whole) * 1e9), nil)
end

package.preload.system = function() return { gettime = clock(0), monotime = clock(1), sleep = sleep } end
package.preload.term = function()
  return { isatty = function() return false end, colors = require "term.colors" }
end
package.preload["term.colors"] = function() return setmetatable({}, { __index = function() return tostring end }) end
