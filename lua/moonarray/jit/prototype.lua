--- Whether two Lua functions have the same code: the same instructions, constants, names of upvalues and prototypes of
--- inner functions. It is known where LuaJIT's jit.util and jit.vmdef are there.

local instruction = require "moonarray.instruction"
local _, util = pcall(require, "jit.util")

local decode = instruction.decode
local prototype = {}

-- LuaJIT writes over instructions of a function that has run; the names here are those that it was compiled to.
local original = { JFORI = "FORI", IFORL = "FORL", JFORL = "FORL", IITERL = "ITERL", JITERL = "ITERL", ILOOP = "LOOP",
  ISNEXT = "JMP", ITERN = "ITERC" }
local numbered = { JFORL = true, JITERL = true }       -- their d is the number of a trace

local function same_instruction(fn, other, pc)
  local i, j = decode(fn, pc), decode(other, pc)
  if i.op == "JLOOP" or j.op == "JLOOP" then return true end       -- it may stand for any instruction
  return (original[i.op] or i.op) == (original[j.op] or j.op) and i.a == j.a
    and (numbered[i.op] or numbered[j.op] or i.b == j.b and i.d == j.d)
end

local same

local function same_constant(a, b)
  local kind = type(a)
  if kind ~= type(b) then return false end
  if kind == "proto" then return same(a, b) end
  if kind == "number" then return a == b and 1 / a == 1 / b end
  if kind == "cdata" then return tostring(a) == tostring(b) end    -- 5LL, 5ULL, 2i
  if kind ~= "table" then return a == b end
  for key, value in next, a do                                     -- what a table constructor begins with
    if not same_constant(value, rawget(b, key)) then return false end
  end
  for key in next, b do
    if rawget(a, key) == nil then return false end
  end
  return true
end

local fields = { "bytecodes", "params", "stackslots", "upvalues", "gcconsts", "nconsts", "isvararg" }

function same(fn, other)
  local a, b = util.funcinfo(fn), util.funcinfo(other)
  for _, field in ipairs(fields) do
    if a[field] ~= b[field] then return false end
  end
  for k = 0, a.upvalues - 1 do
    if util.funcuvname(fn, k) ~= util.funcuvname(other, k) then return false end
  end
  for pc = 1, a.bytecodes - 1 do
    if not same_instruction(fn, other, pc) then return false end
  end
  for k = -a.gcconsts, a.nconsts - 1 do
    if not same_constant(util.funck(fn, k), util.funck(other, k)) then return false end
  end
  return true
end

--- Compiles the text of a function that has these upvalues. Its prototype is that of the same text in its file, since
--- a prototype does not depend on what stands around it but for which names are upvalues.
local function compile(text, upvalues)
  local names = #upvalues > 0 and "local " .. table.concat(upvalues, ",") .. " " or ""
  local chunk = (loadstring or load)(names .. "return function" .. text)
  return chunk and chunk()
end

local function upvalues_of(fn)
  local names = {}
  for k = 0, util.funcinfo(fn).upvalues - 1 do names[k + 1] = util.funcuvname(fn, k) end
  return names
end

--- Whether a function was compiled from a text: its parameters in parentheses, its body and `end`.
function prototype.is_of(fn, text)
  local other = compile(text, upvalues_of(fn))
  return other ~= nil and same(fn, other)
end

--- Whether jit.util and jit.vmdef describe this LuaJIT.
local function fits()
  local k, hidden = 1, "y"
  local function f(x)
    for i = 1, x do k = k + i end
    return { k, 2, [hidden] = 0.5 }, function() return x end
  end
  local text = "(x) for i = 1, x do k = k + i end return { k, 2, [hidden] = %s }, function() return x end end"
  f(1)
  return prototype.is_of(f, text:format "0.5") and not prototype.is_of(f, text:format "0.25")
end

local fine, fitting = false, false
if instruction.available then fine, fitting = pcall(fits) end
prototype.available = fine and fitting

return prototype
