--- `print` in kernels. Each call is a statement that puts a line into a buffer of the device (helpers.lua): the number
--- of its place in the text, the element, and the values as they are in float64. init.lua shows the lines.
---
--- A function that prints gets the printer, as do those that call it.

local types = require "moonarray.jit.types"

local prints = {}

--- The places of a module's text that print, in order: what each prints. Strings stand for themselves.
local function place_of(self, parts)
  local places = self.module.places or {}
  self.module.places = places
  if self.final then places[#places + 1] = parts end
  return #places
end

--- What a value prints, and the texts of the float64 that stand for it.
local function part_of(self, v, line, k)
  if v.kind == "string" then return { text = v.value }, {} end
  if v.kind == "bool" then return { kind = "bool" }, { ("double(%s)"):format(v.text) } end
  if v.kind == "unknown" then return { kind = "number" }, { "0.0" } end
  if v.kind ~= "number" then
    self:fail(line, ("argument %d of 'print' is %s; wanted a number, a boolean or a string"):format(k,
      self:describe(v)))
  end
  if not types.is_complex(v.dtype) then
    return { kind = "number" }, { ("double(%s)"):format(types.convert(v.text, v.dtype, "float64")) }
  end
  local held = self:held(v, line).text
  return { kind = "complex" }, { ("double((%s).re)"):format(held), ("double((%s).im)"):format(held) }
end

prints.print = { least = 0, most = math.huge, call = function(self, args, line)
  local parts, texts = {}, {}
  for k, v in ipairs(args) do
    local values
    parts[k], values = part_of(self, v, line, k)
    for _, text in ipairs(values) do texts[#texts + 1] = text end
  end
  self.prints = self.prints or line
  self:help "jit_print"
  table.insert(texts, 1, ("jit_printer, %d"):format(place_of(self, parts)))
  self:emit(line, ("jit_print(%s);"):format(table.concat(texts, ", ")))
end }

-- ==== What functions and kernels are given ====

--- Notes that a function calls one that prints. Returns what the call passes, as a list.
function prints.passed(self, callee)
  if not callee.prints then return {} end
  self.prints = self.prints or callee.prints
  return { "jit_printer" }
end

function prints.declarations(fn) return fn.prints and { "const jit_lines &jit_printer" } or {} end

--- Parameters for it, in a form for a dtype and a name; the first is an array.
function prints.parameters(form) return { form:format("int64", "*jit_words"), form:format("int64", "jit_places") } end

--- The printer of an element, for a kernel that has the buffer and the number of its first place.
function prints.printer(buffer, element) return ("jit_lines{(i8 *)%s, jit_places, %s}"):format(buffer, element) end

--- The same for an element of a stencil, whose place is `reach`. Threads may compute beyond the end of a row.
function prints.of_stencil(buffer, places)
  return ("jit_lines{reach.at[0] < reach.frame->n[0] && reach.at[1] < reach.frame->n[1] && reach.at[2] < "
    .. "reach.frame->n[2] ? (i8 *)%s : (i8 *)0, %s, (reach.at[0] * reach.frame->n[1] + reach.at[1]) * "
    .. "reach.frame->n[2] + reach.at[2]}"):format(buffer, places)
end

return prints
