--- Operations of elements in C++: those of ops.def, in the loops that programs have, so with the bits of programs.
--- Lua's numbers among themselves are left to the language of kernels.

local mathematics = require "moonarray.element.mathematics"
local taken = require "moonarray.captures.kernel"
local value = require "moonarray.jit.value"
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local comparisons = { less = true, less_equal = true, greater = true, greater_equal = true, equal = true,
  not_equal = true }

return function(ma, core)
  local operation = {}

  --- Whether no value is an element.
  local function are_luas(args)
    for _, v in ipairs(args) do
      if v.kind == "bool" and v.constant == nil or v.kind == "number" and not v.weak then return false end
    end
    return true
  end

  --- The operands of `where` with constants in the dtype that they have in a rule.
  local function with_constants(self, args, line)
    local numbers = {}
    for k = 2, 3 do
      local v = args[k]
      if v.kind ~= "number" or not v.weak then return args end
      numbers[k - 1] = v.weak == "int" and 1 or v.constant or 0.5
    end
    local dtype = core.constant_dtype(self.module.near.first, unpack(numbers))
    local first, second = self:cast(args[2], dtype, line), self:cast(args[3], dtype, line)
    return { args[1], value.number(first, dtype), value.number(second, dtype) }
  end

  --- The value of an operation of elements; nil if there are only Lua's numbers. `self` is the translation.
  function operation.apply(self, name, args, line)
    local operands, texts = {}, {}
    if are_luas(args) then return nil end
    if name == "power" then args[2] = taken.constant(self, args[2]) end
    if comparisons[name] and (args[1].host or args[2].host) then return nil end       -- of any number
    if name == "where" then args = with_constants(self, args, line) end
    for k, v in ipairs(args) do
      if v.kind == "unknown" then return value.unknown end
      self:as_scalar(v, line, ("operand %d of '%s'"):format(k, name))
      operands[k] = { dtype = v.kind == "bool" and "bool" or v.dtype, weak = v.weak, constant = v.constant }
    end
    local done, made = pcall(core.operation_text, name, unpack(operands))
    if not done then self:fail(line, (tostring(made):gsub("^.-moonarray%.[%w_.]*: ", ""))) end
    if not made then self:fail(line, ("'%s' of these is not available in C++"):format(name)) end
    local near = self.module.near
    if not near.operations[made.name] then
      near.operations[made.name] = true
      near.operations[#near.operations + 1] = made.text
    end
    for k, dtype in ipairs(made.operands) do
      local v = args[k]
      texts[k] = v.kind == "number" and dtype ~= "bool" and self:cast(v, dtype, line) or value.as(v, dtype)
    end
    return value.element(("%s(%s)"):format(made.name, table.concat(texts, ", ")), made.dtype)
  end

  --- The name of one of ma's functions in ops.def.
  local function name_of(found)
    return type(found) == "userdata" and tostring(found):match "^<ufunc '([%w_]+)'>$" or nil
  end

  --- A function of elements by the operation of that name, for the translator. `luas`: that of Lua's numbers.
  local function builtin(name, luas, many)
    local made = { least = 1, most = many and math.huge or 3, folds = luas and luas.folds }
    function made.call(self, args, line, shown)
      if are_luas(args) then
        if not luas then self:fail(line, ("'%s' of Lua's numbers is not available in C++"):format(shown)) end
        return luas.call(self, args, line, shown)
      end
      if not many then return operation.apply(self, name, args, line) end
      local result = args[1]
      for k = 2, #args do
        local pair = { result, args[k] }
        result = operation.apply(self, name, pair, line) or luas.call(self, pair, line, shown)
      end
      return result
    end
    return made
  end

  --- math.atan and math.log, which take a second argument.
  local of_two = {}

  function of_two.atan(self, args, line) return operation.apply(self, args[2] and "arctan2" or "arctan", args, line) end

  function of_two.log(self, args, line)
    local log = operation.apply(self, "log", { args[1] }, line)
    if not args[2] or not log then return log end
    local base = operation.apply(self, "log", { args[2] }, line)
    if not base then self:fail(line, "math.log to a base that is no element; wanted ma.log(x) / math.log(b)") end
    return operation.apply(self, "divide", { log, base }, line)
  end

  --- math.atan or math.log.
  local function builtin_of_two(key, luas)
    local made = { least = 1, most = 2, folds = luas and luas.folds }
    function made.call(self, args, line, shown)
      local a, b = args[1], args[2]
      local result = of_two[key](self, args, line)
      if result or key == "atan" or not b then return result or luas.call(self, args, line, shown) end
      if not (a.constant and b.constant) then
        self:fail(line, "math.log to a base, of Lua's numbers that are not constant; wanted math.log(x) / math.log(b)")
      end
      return value.constant(math.log(a.constant, b.constant), "float")
    end
    return made
  end

  local known = setmetatable({}, { __mode = "k" })

  --- What a function from outside is to the translator; nil if it is no operation. `luas` is what kernels take it for.
  function operation.of(found, luas)
    if known[found] == nil then
      local name, many = name_of(found), false
      for key in pairs(mathematics.functions(ma)) do
        if found == math[key] and key ~= "atan" and key ~= "log" then
          many = key == "max" or key == "min"
          name = many and key .. "imum" or name_of(ma[mathematics.renamed[key] or key])
        end
      end
      if found == ma.where then name = "where" end
      known[found] = name and builtin(name, luas, many) or false
      for key in pairs(of_two) do
        if found == math[key] then known[found] = builtin_of_two(key, luas) end
      end
    end
    return known[found] or nil
  end

  return operation
end
