--- What the bytecode of a function shows that ma.stencil or ma.fuse runs over stand-ins. It is looked at where LuaJIT's
--- jit.util and jit.vmdef are there.
---
--- What `search` finds is certain: only what every way through the function leaves in a register counts. It finds
--- `==` and `~=` on elements, which call no metamethod and are always false, tests of their truth, which are always
--- true, and Lua's random numbers. Those that keep what they test are not looked at, since `flag and x or y` is right
--- where x is an element. What `tests` finds may be one.

local floor = math.floor
local instruction = require "moonarray.instruction"
local _, util = pcall(require, "jit.util")

-- What a register holds: FIELD is called for an element, METHOD is a method of an element, MATH is Lua's library, PLAIN
-- is a value of Lua's that is no element, ARGUMENT what the function was given, which may be an element.
local FIELD, ELEMENT, METHOD, MATH, PLAIN, ARGUMENT = 1, 2, 3, 4, 5, 6

-- The methods of elements that give elements again, in every form in which the function may call them.
local methods = {}
for name in ("abs astype ceil clip cos eq exp floor ge gt le log lt ne round sin sqrt"):gmatch "%S+" do
  methods[name] = true
end

local decode, DST, BASE, VAR = instruction.decode, instruction.DST, instruction.BASE, instruction.VAR

local function set(text)
  local list = {}
  for op in text:gmatch "%S+" do list[op] = true end
  return list
end

local arithmetic = set [[UNM POW ADDVV ADDVN ADDNV SUBVV SUBVN SUBNV MULVV MULVN MULNV DIVVV DIVVN DIVNV MODVV MODVN
  MODNV]]
local equality = set "ISEQV ISNEV ISEQS ISNES ISEQN ISNEN ISEQP ISNEP"
local skips = set [[ISEQV ISNEV ISEQS ISNES ISEQN ISNEN ISEQP ISNEP ISLT ISGE ISLE ISGT IST ISF ISTC ISFC]]
local leaves = set "RETM RET RET0 RET1 CALLT CALLMT"
local calls = set "CALL CALLM CALLT CALLMT"
local jumps = set "JMP UCLO ISNEXT"                    -- instructions that always jump
local tests = set [[ISLT ISGE ISLE ISGT ISEQV ISNEV ISEQS ISNES ISEQN ISNEN ISEQP ISNEP IST ISF ISTC ISFC NOT]]
local of_truth, truths = set "IST ISF ISTC ISFC NOT", set "IST ISF NOT"
local constants = set "KSTR KSHORT KNUM KPRI KNIL NOT"
local loops = set "FORI FORL"
local compiled = set "JFORI JFORL JITERL JLOOP JFUNCF JFUNCV"

local plain_types = { number = true, boolean = true, string = true }

--- What the instruction leaves in the register that it writes.
local function result(fn, i, state)
  if i.op == "MOV" then return state[i.d] end
  if constants[i.op] then return PLAIN end
  if arithmetic[i.op] then
    local b, d = i.mode_b == VAR and state[i.b], i.mode_d == VAR and state[i.d]
    if b == ELEMENT or d == ELEMENT then return ELEMENT end
    if b == ARGUMENT or d == ARGUMENT then return ARGUMENT end
    return (i.mode_b ~= VAR or b == PLAIN) and (i.mode_d ~= VAR or d == PLAIN) and PLAIN or nil
  end
  if i.op == "GGET" then return util.funck(fn, -i.d - 1) == "math" and MATH or nil end
  if i.op == "UGET" and debug and debug.getupvalue then
    local _, value = debug.getupvalue(fn, i.d + 1)
    return value == math and MATH or plain_types[type(value)] and PLAIN or nil
  end
  if i.op == "TGETS" and state[i.b] == ELEMENT then
    local key = util.funck(fn, -i.d - 1)
    if key == "dtype" or key == "ndim" then return PLAIN end
    return (key == "real" or key == "imag") and ELEMENT or methods[key] and METHOD or nil
  end
end

--- What the registers hold after an instruction.
local function behind(fn, i, state)
  local next_state = {}
  for k, v in pairs(state) do next_state[k] = v end
  if i.mode_a == DST then
    next_state[i.a] = result(fn, i, state)
  elseif i.mode_a == BASE then
    for k in pairs(state) do
      if k >= i.a then next_state[k] = nil end
    end
    if loops[i.op] then next_state[i.a + 3] = PLAIN end
    local called = (i.op == "CALL" or i.op == "CALLM") and i.b ~= 1 and state[i.a]
    if called == FIELD or called == METHOD then next_state[i.a] = ELEMENT end
  elseif (i.op == "ISTC" or i.op == "ISFC") and state[i.a] ~= state[i.d] then
    next_state[i.a] = nil
  end
  return next_state
end

--- Joins the registers' contents on another way to an instruction: keeps what both share. Returns true for a change.
local function arrive(states, to, state)
  local old, news = states[to], states[to] == nil
  if not old then
    old = {}
    states[to] = old
    for k, v in pairs(state) do old[k] = v end
  end
  for k, v in pairs(old) do
    if state[k] ~= v then old[k], news = nil, true end
  end
  return news
end

--- The instructions, and what the registers hold before each; nil where that cannot be known.
local function follow(fn, state)
  local code, states, work = {}, { state }, { 1 }
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    code[pc] = decode(fn, pc)
    -- A closure may change the locals that it uses, and a compiled loop hides where it ends.
    if code[pc].op == "FNEW" or compiled[code[pc].op] then return end
  end
  while #work > 0 do
    local pc = table.remove(work)
    local i = code[pc]
    local state_behind, targets = behind(fn, i, states[pc]), { i.to }
    if not leaves[i.op] and not jumps[i.op] then targets[#targets + 1] = pc + 1 end
    if skips[i.op] then targets[#targets + 1] = pc + 2 end
    for _, to in ipairs(targets) do
      if code[to] and arrive(states, to, state_behind) then work[#work + 1] = to end
    end
  end
  return code, states
end

local function compares(i, state)
  if not equality[i.op] then return false end
  if i.op:find "P$" then return state[i.a] == ELEMENT and i.d ~= 0 end         -- x == nil may ask for an argument
  return state[i.a] == ELEMENT or i.op:find "V$" ~= nil and state[i.d] == ELEMENT
end

local function is_truth(i, state) return truths[i.op] and state[i.d] == ELEMENT end

local function draws(fn, i, state)
  if i.op == "TGETS" then return state[i.b] == MATH and util.funck(fn, -i.d - 1) == "random" end
  if i.op ~= "UGET" or not (debug and debug.getupvalue) then return false end
  local _, value = debug.getupvalue(fn, i.d + 1)
  return value == math.random
end

--- Looks for a comparison of elements by == or ~=, for a test of their truth, and for a random number of Lua's.
--- Returns the place, such as "user.lua:12", and "==", "the truth" or "math.random". `fields`: the function calls its
--- parameters to get elements; without it the parameters are elements.
local function search(fn, fields)
  local info, state = util.funcinfo(fn), {}
  if not info.bytecodes then return end
  for k = 1, info.params do state[k - 1] = fields and FIELD or ELEMENT end
  local code, states = follow(fn, state)
  for pc, i in ipairs(code or {}) do
    local before = states[pc]
    local what = before and (compares(i, before) and "==" or is_truth(i, before) and "the truth"
      or draws(fn, i, before) and "math.random")
    if what then
      local at = util.funcinfo(fn, pc)                   -- its `loc` lacks the folder
      local of, line = debug.getinfo(fn, "S"), at.currentline or 0
      return ("%s:%d"):format(of.short_src, line > 0 and line or of.linedefined), what
    end
  end
end

-- ==== What may be a test =========================================================================================

--- Whether an instruction tests what may be an element. `x == nil` asks for an argument, and is right as it is.
local function may_test(i, state)
  if not tests[i.op] then return false end
  if not state then return true end
  if of_truth[i.op] then return state[i.d] ~= PLAIN end
  if i.op:find "P$" and i.d == 0 then return false end
  if equality[i.op] and not i.op:find "V$" then return state[i.a] ~= PLAIN end
  return state[i.a] ~= PLAIN or state[i.d] ~= PLAIN
end

--- Whether an instruction begins a loop up to what may be an element, or indexes a table or calls a field by it.
local function counts(i, state)
  local function may_be(register) return state[register] == ELEMENT or state[register] == ARGUMENT end
  if i.op == "FORI" then return may_be(i.a) or may_be(i.a + 1) or may_be(i.a + 2) end
  if calls[i.op] and state[i.a] == FIELD then
    for register = i.a + 1, i.a + i.d + 2 do             -- with those of a call that is the last argument
      if may_be(register) then return true end
    end
  end
  return (i.op == "TGETV" or i.op == "TSETV") and may_be(i.d)
end

local function is_library(value) return type(value) == "table" and (value == os or value == io) end

local libraries, drawn = { math = true, os = true, io = true }, { random = true, randint = true, randn = true }

--- Whether a prototype, or one inside it, has an instruction that tests.
local function proto_tests(proto)
  local info = util.funcinfo(proto)
  for pc = 1, info.bytecodes - 1 do
    if tests[decode(proto, pc).op] then return true end
  end
  for k = -1, -info.gcconsts, -1 do
    local inner = util.funck(proto, k)
    if libraries[inner] or drawn[inner] or type(inner) == "proto" and proto_tests(inner) then return true end
  end
  return false
end

--- Whether an instruction takes a function from Lua's mathematics.
local function takes_math(fn, i, state)
  if i.op ~= "TGETS" or state[i.b] ~= MATH then return false end
  local key = util.funck(fn, -i.d - 1)
  return key ~= "pi" and key ~= "huge"
end

--- Whether an instruction takes a library whose functions know no elements, or what would be taken once for all calls:
--- the clock, as ma.time, and an array's item.
local function takes_library(fn, i)
  if i.op == "TGETS" then
    local key = util.funck(fn, -i.d - 1)
    return key == "time" or key == "item"
  end
  if i.op == "GGET" then
    local name = util.funck(fn, -i.d - 1)
    return name == "os" or name == "io"
  end
  return i.op == "UGET" and is_library((select(2, debug.getupvalue(fn, i.d + 1))))
end

--- Whether an instruction may take a draw, as of ma.jit, whose turn in a loop counts.
local function takes_draw(fn, i) return i.op == "TGETS" and drawn[util.funck(fn, -i.d - 1)] == true end

--- Whether a function of the program has such an instruction.
local function may_draw(fn)
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    if takes_draw(fn, decode(fn, pc)) then return true end
  end
  return false
end

--- Whether a function of the program may test elements, count by them, draw, or use a function of Lua's that knows
--- none. What it calls is not looked at.
local function may(fn, fields)
  local info, state = util.funcinfo(fn), {}
  for k = 1, info.params do state[k - 1] = fields and FIELD or ARGUMENT end
  local code, states = follow(fn, state)
  if not code and proto_tests(fn) then return true end
  for pc, i in ipairs(code or {}) do
    local before = states[pc]
    if before and (may_test(i, before) or counts(i, before) or takes_math(fn, i, before) or takes_library(fn, i)
        or takes_draw(fn, i)) then
      return true
    end
  end
  return false
end

--- Whether a function of the program indexes what may be an array, or calls one that is an upvalue.
local function indexes(fn, is_array)
  local arrays = {}                      -- registers that are given one
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    local i = decode(fn, pc)
    if i.op == "TGETB" or i.op == "TGETV" or calls[i.op] and arrays[i.a] then return true end
    if i.op == "UGET" and is_array((select(2, debug.getupvalue(fn, i.d + 1)))) then arrays[i.a] = true end
  end
  return false
end

--- Whether jit.vmdef describes this LuaJIT.
local function fits()
  local _, what = search(function(x) return floor(x) + x == 1 end, false)
  local _, other = search(function(x) return x == nil or floor(x) == 1 end, false)
  local _, number = search(function() return math.random() end, true)
  return what == "==" and other == nil and number == "math.random"
end

if not (instruction.available and debug and debug.getupvalue and pcall(fits) and fits()) then
  return nil
end

return { search = search, tests = may, draws = may_draw, indexes = indexes }
