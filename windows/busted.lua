--- busted under luajit.exe. usage: luajit.exe windows/busted.lua [OPTION...] FILE
--- What busted's libraries take from C modules is here by Windows' own functions. Tests that excluded.lua names are
--- left out, and told with their reasons.

local ffi = require "ffi"

ffi.cdef [[
uint32_t GetFileAttributesA(const char *path);
uint32_t GetCurrentDirectoryA(uint32_t size, char *path);
int SetCurrentDirectoryA(const char *path);
int CreateDirectoryA(const char *path, void *security);
int RemoveDirectoryA(const char *path);
int QueryPerformanceCounter(int64_t *count);
int QueryPerformanceFrequency(int64_t *count);
void Sleep(uint32_t milliseconds);
uint32_t GetCurrentProcessId(void);
void *GetCurrentProcess(void);
int GetProcessTimes(void *process, uint64_t *made, uint64_t *ended, uint64_t *kernel, uint64_t *user);
]]
local system = ffi.C

local function mode_of(path)
  local found = system.GetFileAttributesA(path)
  if found == 0xffffffff then return nil end
  return math.floor(found / 16) % 2 == 1 and "directory" or "file"
end

local function attributes(path, what)
  local mode = mode_of(path)
  if not mode then return nil, path .. ": not found" end
  if what then return mode end
  return { mode = mode }
end

local function done(result, what)
  if result ~= 0 then return true end
  return nil, what .. " failed"
end

package.preload.lfs = function()
  return {
    attributes = attributes,
    symlinkattributes = attributes,
    currentdir = function()
      local path = ffi.new("char[1024]")
      system.GetCurrentDirectoryA(1024, path)
      return ffi.string(path)
    end,
    chdir = function(path) return done(system.SetCurrentDirectoryA(path), "chdir") end,
    mkdir = function(path) return done(system.CreateDirectoryA(path, nil), "mkdir") end,
    rmdir = function(path) return done(system.RemoveDirectoryA(path), "rmdir") end,
    dir = function() error("folders are not listed here") end,
  }
end

local function seconds()
  local count, frequency = ffi.new("int64_t[1]"), ffi.new("int64_t[1]")
  system.QueryPerformanceCounter(count)
  system.QueryPerformanceFrequency(frequency)
  return tonumber(count[0]) / tonumber(frequency[0])
end

package.preload.system = function()
  return { gettime = seconds, monotime = seconds, sleep = function(time) system.Sleep(time * 1000) end }
end
package.preload.term = function()
  local colors = setmetatable({}, { __index = function() return tostring end })
  return { isatty = function() return false end, colors = colors }
end
package.preload["term.colors"] = function() return require("term").colors end

-- The processor's time, as on other systems. That of Windows' C library is the time that has passed.
os.clock = function()        -- luacheck: ignore 122
  local times = ffi.new("uint64_t[4]")
  system.GetProcessTimes(system.GetCurrentProcess(), times, times + 1, times + 2, times + 3)
  return tonumber(times[2] + times[3]) * 1e-7
end

-- The C library's own names lie in the root of the drive. This folder has the same name for Wine and for the shell.
local count = 0
os.tmpname = function()        -- luacheck: ignore 122
  count = count + 1
  local path = ("/tmp/moonarray-%d-%d"):format(system.GetCurrentProcessId() + os.time() % 1000 * 1e5, count)
  assert(io.open(path, "wb")):close()
  return path
end

-- ==== Commands: windows/shell runs them by the real shell ====

local place = assert(os.getenv("MOONARRAY_SPEC_SHELL"), "windows/test runs this file")

local function read(path)
  local from = io.open(path, "rb")
  local text = from and from:read("*a")
  if from then from:close() end
  return text
end

local function run(command, input)
  local name = os.tmpname():gsub(".*/", place .. "/")
  local function write(ending, text)
    local to = assert(io.open(name .. ending, "wb"))
    to:write(text)
    to:close()
  end
  write(".in", input or "")
  write(".new", command)
  assert(os.rename(name .. ".new", name .. ".run"))
  while not mode_of(name .. ".done") do system.Sleep(10) end
  local code = tonumber(read(name .. ".done")) or 255
  -- Pipes are text on Windows.
  local output, told = read(name .. ".out"):gsub("\r\n", "\n"), read(name .. ".err") or ""
  io.stderr:write(told)
  for _, ending in ipairs { ".in", ".out", ".err", ".done" } do os.remove(name .. ending) end
  return code, output
end

os.execute = function(command)        -- luacheck: ignore 122
  if not command then return 1 end
  local code, output = run(command)
  io.stdout:write(output)
  return code * 256
end

local Pipe = {}
Pipe.__index = Pipe
function Pipe:read(...) return self.file:read(...) end
function Pipe:lines(...) return self.file:lines(...) end
function Pipe:write(...)
  for k = 1, select("#", ...) do self[#self + 1] = tostring((select(k, ...))) end
  return self
end
function Pipe:close()
  if self.command then
    self.code = run(self.command, table.concat(self))
  else
    self.file:close()
    os.remove(self.path)
  end
  return self.code == 0 or nil, "exit", self.code
end

io.popen = function(command, mode)        -- luacheck: ignore 122
  if mode and mode:find("w") then return setmetatable({ command = command }, Pipe) end
  local code, output = run(command)
  local path = os.tmpname()
  local to = assert(io.open(path, "wb"))
  to:write(output)
  to:close()
  return setmetatable({ code = code, path = path, file = assert(io.open(path, "rb")) }, Pipe)
end

arg[-1] = "luajit"        -- what a spec runs once more: windows/bin/luajit
local file = arg[#arg]
local tried = os.getenv("EXCLUDED")        -- EXCLUDED=1: these too
local excluded = not tried and dofile("windows/excluded.lua")[file:match("([%w_]+)%.lua$")] or {}
local reason = excluded["*"]
if reason then
  print(("skipped: %s: %s\n0 successes / 0 failures / 0 errors / 0 pending : 0 seconds"):format(file, reason))
  os.exit(0)
end
for name, why in pairs(excluded) do
  print(("skipped: %s: %s"):format(name, why))
  table.insert(arg, 1, "--filter-out=" .. name:gsub("%p", "%%%0"))
end
require "busted.runner" ({ standalone = false })
