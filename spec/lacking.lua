--- Tests of kernels of the user's own where nothing can compile them: on a GPU without NVRTC (make test-gpu-floor).
--- The library says that such a kernel is missing, as it should, and the test is skipped. A test that lacks a kernel of
--- the library's own has failed, since something else is to run in its place.

local file = require "spec.file"

local lacking = {}

--- The families of the library's own kernels, by name.
local families
local function is_library(name)
  if not families then
    families = {}
    for path in file.output("ls src/cuda/*/*.c"):gmatch("[^\n]+") do
      for family in file.read(path):gmatch("{%s*\"([%w_]+)\",%s*{%s*\"") do families[family] = true end
    end
    assert(families.map and families.stencil, "no families of kernels in src/cuda")
  end
  return families[name]
end

--- Why a test that ended with this error is skipped: a kernel of the user's own is missing, or one of the library's
--- where the CPU cannot stand in, since a graph is recorded or nobody may wait. nil: it has failed.
---@param message string
---@return string? reason
function lacking.why(message)
  local name = message:match("no kernel ([%w_]+) is compiled for compute capability")
  if name and (not is_library(name) or message:find("as C++ it needs a compiler", 1, true)) then
    return "a kernel of its own is compiled nowhere"
  end
  return message:match("the CPU cannot stand in [%w%s_()]+")
end

--- What a program prints without the warnings that the CPU runs what a GPU has no kernel for, but for those that have
--- the pattern `kept`.
---@param text string
---@param kept? string
---@return string
function lacking.quiet(text, kept)
  return (text:gsub("moonarray: [^\n]* runs on the CPU: no kernel [^\n]*\n", function(warning)
    if kept and warning:find(kept) then return warning end
    return ""
  end))
end

--- Ends what a test that stopped in its middle has begun: a stream is current that is recorded.
local function leave(ma)
  local stream = ma.cuda.get_current_stream()
  if stream:is_capturing() then pcall(stream.end_capture, stream) end
  ma.Stream.null:use()
end

--- Ends each test so whose own kernel is missing.
function lacking.skip(busted, ma)
  busted.subscribe({ "test", "start" }, function(element)
    local run, pending = element.run, element.env and element.env.pending
    element.run = run and function(...)
      local ok, why = pcall(run, ...)
      if ok then return end
      local reason = lacking.why(tostring(type(why) == "table" and why.message or why))
      if reason then
        leave(ma)
        pending(reason)
      end
      error(why, 0)
    end
    return nil, true
  end)
end

return lacking
