--- Functions of ma.jit over elements that run as programs (kernel.lua), which the core records as it does those of
--- ma.fuse: no compiler is needed. A function that is no program stays a kernel in C++. As long as there is a compiler,
--- so does one with few branches that draws no random numbers, whose loop in C++ keeps its values in registers, and one
--- with mathematics that has other bits there.

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local lacks_compiler = require("moonarray.text").lacks_compiler
local taken = require "moonarray.captures.kernel"

local MOST_ARGUMENTS = 25                -- inputs of a program
local MOST_BRANCHES = 3                  -- that compilers make selects of; with one more a loop takes 15 times as long

return function(ma, core)
  local programs = { most = MOST_ARGUMENTS }
  local is_array, fail = core.is_array, core.fail
  local function nothing() end

  --- What the dtypes of results depend on.
  local function key_of(n, kind)
    local list = {}
    for k = 1, n do list[k] = kind(k) end
    return table.concat(list, ",")
  end

  --- A program of a function that was read: { tree, outside, fn, shown }. Without fn, which it would hold, each call
  --- looks at what it read outside. `window`: how many elements are its first argument. `wanted`: "exact", also with
  --- few branches; "always", also with other bits than a kernel's.
  function programs.make(kernel, window, wanted)
    -- with the object, and not in the frame that calls it first
    if not core.kernel_program then require "moonarray.element.kernel" (ma, core) end
    local program = { wanted = wanted, refused = false, shown = kernel.shown, reads = not kernel.fn and {} or nil,
      dtypes = {} }
    program.fused = core.fused_form(kernel.fn or nothing, function(...)
      local done, results, how = pcall(core.kernel_program, kernel, { n = select("#", ...), ... }, window)
      if not done then error(type(results) == "table" and results or { unsayable = tostring(results) }, 0) end
      local few = how.branches <= MOST_BRANCHES and not how.draws
      if program.wanted ~= "always" and (how.inexact or not program.wanted and few) then
        error({ unsayable = "slower" }, 0)
      end
      local list, dtypes = { ... }, {}
      for k = 1, results.n do dtypes[k] = core.element_dtype(results[k]) end
      program.dtypes[key_of(#list, function(k)
        local dtype, weak = core.element_dtype(list[k])
        return weak or dtype
      end)] = dtypes
      for _, read in ipairs(program.reads and how.reads or {}) do program.reads[#program.reads + 1] = read end
      return unpack(results, 1, results.n)
    end, kernel.shown)
    return program
  end

  --- Notes that a program cannot run, and returns false; other errors are raised. Else true and the results.
  local function answer(program, done, why, ...)
    if done then return true, why, ... end
    local larger = type(why) == "string" and (why:find("a program has at most", 1, true)
      or why:find("results; at most", 1, true))
    if type(why) ~= "table" and not larger then error(why, 0) end
    program.refused = larger and "larger than a program" or why.unsayable
    return false
  end

  --- Whether an argument stands for all elements in a function that is recorded.
  function programs.is_recorded(args, n)
    for k = 1, n do
      local _, _, recorded = core.element_dtype(args[k])
      if recorded then return true end
    end
    return false
  end

  --- The results for elements of a function that is recorded: the program becomes a part of that one.
  function programs.within(program, args, n)
    local before = program.wanted
    program.wanted = "always"
    local results = { answer(program, pcall(program.fused, unpack(args, 1, n))) }
    program.wanted = before
    if not results[1] then
      fail(program.shown, "a kernel in a function that is recorded, as it is no program: " .. program.refused)
    end
    return unpack(results, 2)
  end

  --- Checks that arrays for the results have their dtypes. Returns false if these are not known yet.
  local function takes(program, given, n, out)
    local dtypes = program.dtypes[key_of(n, function(k)
      if is_array(given[k]) then return given[k].dtype end
      return given[k] == math.floor(given[k]) and math.abs(given[k]) < 2 ^ 63 and "int" or "float"
    end)]
    for k = 1, dtypes and #dtypes or 0 do
      if out[k] and out[k].dtype ~= dtypes[k] then
        fail(program.shown, ("y%d is %s; wanted %s, as it is declared"):format(k, out[k].dtype, dtypes[k]))
      end
    end
    return dtypes ~= nil
  end

  --- Runs a program for arrays and numbers. `out`: arrays for the results, or nil. Returns whether it could, and the
  --- results.
  function programs.call(program, args, n, out, stream)
    if n > MOST_ARGUMENTS then
      program.refused = "too many arguments"
      return false
    end
    if program.reads and not taken.still_holds(program.reads) then
      program.fused:clear()
      program.reads = {}
    end
    local given = { unpack(args, 1, n) }
    for k = 1, n do
      if type(given[k]) == "boolean" then given[k] = core.asarray(given[k]) end
    end
    local into = out and takes(program, given, n, out)
    local count = n
    if into or stream then
      count = n + 1
      given[count] = { out = into and out or nil, stream = stream }
    end
    if into or not out then return answer(program, pcall(program.fused, unpack(given, 1, count))) end
    local results = { answer(program, pcall(program.fused, unpack(given, 1, count))) }
    if not results[1] then return false end
    takes(program, given, n, out)
    for k = 2, #results do
      if out[k - 1] then
        out[k - 1]:assign(results[k])
        results[k] = out[k - 1]
      end
    end
    return unpack(results)
  end

  --- Whether a call is the usual one: arrays, and numbers beside them.
  function programs.is_usual(program, args, n)
    if program.refused or program.reads or n > MOST_ARGUMENTS then return false end
    local any = false
    for k = 1, n do
      local is = is_array(args[k])
      if not is and type(args[k]) ~= "number" then return false end
      any = any or is
    end
    return any
  end

  --- Such a call, whose results come behind `true`.
  function programs.usual(program, ...) return answer(program, pcall(program.fused, ...)) end

  --- The message of a kernel that failed, which says why it is no program where that would have helped. Else the call
  --- was wrong, and the next one may be a program.
  function programs.explained(program, message)
    if not lacks_compiler(message) then
      program.refused = false
      return message
    end
    return ("%s\n(it needs one, because it is no program: %s)"):format(message, program.refused)
  end

  --- Whether a kernel failed because there is no compiler, and the program runs in its place from now on.
  function programs.stands_in(program, message)
    if program.refused ~= "slower" or not lacks_compiler(message) then return false end
    program.wanted, program.refused = "always", false
    return true
  end

  return programs
end
