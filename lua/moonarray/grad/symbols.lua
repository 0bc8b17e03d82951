--- Functions of elements as expressions: what a function of a stencil computes, its partial derivatives by the lines of
--- kernels/derivatives.def, and the text of a function that computes these.
---
--- A node is an empty table, so that no function takes it for data. `of[node]` has what it is: a read of a field by an
--- offset, or an operation of kernels/ops.def over nodes and numbers. What is no such operation raises `beyond`, and
--- who asked for an expression does without it.

local sformat = require("moonarray.text").format
local load = rawget(_G, "loadstring") or load
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local MOST = 150                                         -- nodes of a text, which are locals of a function of Lua

return function(core, rows)
  local ma = core.library
  local symbols, beyond = {}, {}
  local Node, of = {}, setmetatable({}, { __mode = "k" })
  local count = 0

  local function is_node(x) return of[x] ~= nil end

  local TRUTHS = {}
  for name in ([[equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not
    isnan isinf isfinite signbit]]):gmatch "%S+" do TRUTHS[name] = true end

  --- What functions that branch take a node for: an element of that dtype.
  function core.symbol_dtype(x)
    local what = type(x) == "table" and of[x]
    return what and (TRUTHS[what.name] and "bool" or "float64") or nil
  end

  local function made(what)
    count = count + 1
    what.id = count
    local node = setmetatable({}, Node)
    of[node] = what
    return node
  end

  --- The element of field number `field` by an offset.
  function symbols.read(field, offset) return made { field = field, offset = offset } end

  -- ==== Operations ===================================================================================================

  local function finite(x) return type(x) == "number" and x - x == 0 end

  -- Operations that are something simpler beside a number; nil where they are not.
  local SIMPLER = {
    add = function(x, y) return x == 0 and y or y == 0 and x or nil end,
    subtract = function(x, y) return y == 0 and x or nil end,
    multiply = function(x, y) return x == 1 and y or y == 1 and x or nil end,
    divide = function(x, y) return y == 1 and x or nil end,
    pull = function(g, p) return g == 0 and 0 or p == 1 and g or (finite(p) or finite(g)) and g * p or nil end,
    power = function(x, y) return y == 1 and x or nil end,
    pull_divide = function(g, p) return g == 0 and 0 or finite(p) and p ~= 0 and g / p or nil end,
    where = function(_, x, y) return x == 0 and y == 0 and 0 or nil end,
  }

  local function row(name, ...)
    local op, n, numbers = core.opcode(name), select("#", ...), true
    if not op then error(beyond) end
    for k = 1, n do
      local x = select(k, ...)
      if not is_node(x) and not finite(x) and type(x) ~= "boolean" then error(beyond) end
      numbers = numbers and not is_node(x)
    end
    if numbers then return core.operation(name)(nil, nil, nil, ...) end
    local simple = SIMPLER[name] and SIMPLER[name](...)
    return simple or made { name = name, op = op, n = n, ... }
  end

  Node.__operation = row
  Node.__unm = function(x) return row("negative", x) end
  for event, name in pairs { add = "add", sub = "subtract", mul = "multiply", div = "divide", mod = "remainder",
    pow = "power" } do
    Node["__" .. event] = function(x, y) return row(name, x, y) end
  end
  local METHODS = { eq = "equal", ne = "not_equal", lt = "less", le = "less_equal", gt = "greater",
    ge = "greater_equal" }
  Node.__index = function(_, name)
    name = METHODS[name] or name
    if type(name) ~= "string" or not core.is_callable(ma[name]) then error(beyond) end
    return ma[name]
  end
  Node.__call = function() error(beyond) end
  Node.__lt, Node.__le, Node.__concat, Node.__newindex = Node.__call, Node.__call, Node.__call, Node.__call

  -- ==== Derivatives ==================================================================================================

  local names = setmetatable({ pi = math.pi, inf = math.huge }, { __index = function(all, name)
    local function call(...) return row(name, ...) end
    rawset(all, name, call)
    return call
  end })
  names.special = names
  function names.shared(truth, g) return row("where", truth, row("multiply", g, 0.5), g) end

  --- What flows to operand k of a rule, as a function of nodes.
  local flows = setmetatable({}, { __index = function(all, text)
    local made_of = setfenv(assert(load(sformat("return function(g, x, y, z, w, r) return %s end", text))), names)()
    all[text] = made_of
    return made_of
  end })

  --- All nodes that lead to y, in the order in which they were made.
  local function below(y)
    local list, seen = {}, {}
    local function visit(node)
      if not is_node(node) or seen[node] then return end
      seen[node] = true
      for k = 1, of[node].n or 0 do visit(of[node][k]) end
      list[#list + 1] = node
    end
    visit(y)
    return list
  end
  symbols.below = below

  --- What flows to each read that y depends on, as a list of {read, flow}, where g flows to y.
  function symbols.flows(y, g)
    local list, found, reads = below(y), { [y] = g }, {}
    for at = #list, 1, -1 do
      local node = list[at]
      local what, flow = of[node], found[node]
      local rule = flow and what.op and rows.rules[what.op]
      if flow and what.field then
        reads[#reads + 1] = { what, flow }
      elseif rule and rule.word ~= "constant" then
        if rule.word == "none" then error(beyond) end
        for k = 1, what.n do
          local text, x = rule.texts[k], what[k]
          if is_node(x) and text ~= "0" then
            if text == "none" then error(beyond) end
            local part = flows[text](flow, what[1], what[2], what[3], what[4], node)
            if part ~= 0 then found[x] = found[x] and row("add", found[x], part) or part end
          end
        end
      end
    end
    return reads
  end

  --- The same expression with other reads: read(what) gives the node or the number in place of a read.
  local function copied(y, read)
    local copies = {}
    local function copy(node)
      if not is_node(node) then return node end
      if copies[node] == nil then
        local what, operands = of[node], {}
        for k = 1, what.n or 0 do operands[k] = copy(what[k]) end
        copies[node] = what.field and read(what) or row(what.name, unpack(operands, 1, what.n))
      end
      return copies[node]
    end
    return copy(y)
  end

  --- The same expression with all reads moved by an offset.
  function symbols.moved(y, by)
    return copied(y, function(what)
      local offset = {}
      for d, o in ipairs(what.offset) do offset[d] = o + by[d] end
      return symbols.read(what.field, offset)
    end)
  end

  --- The same expression with the reads of a field moved along an axis. Those that are not from `least` to `most` then
  --- are 0.
  function symbols.shifted(y, field, axis, by, least, most)
    return copied(y, function(what)
      if what.field ~= field then return symbols.read(what.field, what.offset) end
      local offset = { unpack(what.offset) }
      offset[axis] = offset[axis] + by
      if offset[axis] < least or offset[axis] > most then return 0 end
      return symbols.read(field, offset)
    end)
  end

  --- Calls visit(read) for each read of an expression.
  function symbols.each_read(y, visit)
    for _, node in ipairs(below(y)) do
      if of[node].field then visit(of[node]) end
    end
  end

  --- What tells expressions from others: all that they are made of, in the order in which they were made.
  function symbols.key(list)
    local parts, numbers, n = {}, {}, 0
    local function said(x)
      return numbers[x] or type(x) == "number" and sformat("%.17g", x) or tostring(x)
    end
    local function visit(node)
      if not is_node(node) or numbers[node] then return end
      local what = of[node]
      for k = 1, what.n or 0 do visit(what[k]) end
      local words
      if what.field then words = "u" .. what.field .. "," .. table.concat(what.offset, ",")
      else
        words = what.name
        for k = 1, what.n do words = words .. "," .. said(what[k]) end
      end
      n = n + 1
      parts[n], numbers[node] = words, "t" .. n
    end
    for _, y in ipairs(list) do
      visit(y)
      n = n + 1
      parts[n] = said(y)
    end
    return table.concat(parts, ";")
  end

  -- ==== Texts ========================================================================================================

  --- Whether an operation is in ma.special alone; ma raises an error about names that it lacks.
  local function is_special(name) return not pcall(function() return ma[name] end) end

  local OPERATORS = { add = "+", subtract = "-", multiply = "*", divide = "/" }

  --- The text of a function of n accessors that gives y; number[field] says which of them is that of a field.
  function symbols.text(y, n, number)
    local list, known, lines, arguments = below(y), {}, {}, {}
    if #list > MOST then error(beyond) end
    local function said(x)
      return is_node(x) and known[x] or type(x) == "boolean" and tostring(x) or sformat("(%.17g)", x)
    end
    for k, node in ipairs(list) do
      local what, operands = of[node], {}
      local text
      for j = 1, what.n or 0 do operands[j] = said(what[j]) end
      if what.field then
        text = sformat("u%d(%s)", number[what.field], table.concat(what.offset, ", "))
      elseif OPERATORS[what.name] then
        text = sformat("%s %s %s", operands[1], OPERATORS[what.name], operands[2])
      elseif what.name == "negative" then
        text = "-" .. operands[1]
      else
        local place = (what.name == "pull" or what.name == "pull_divide") and "" or is_special(what.name) and
          "ma.special." or "ma."
        text = sformat("%s%s(%s)", place, what.name, table.concat(operands, ", "))
      end
      known[node] = "t" .. k
      lines[k] = sformat("  local t%d = %s", k, text)
    end
    for k = 1, n do arguments[k] = "u" .. k end
    return sformat("local ma, pull, pull_divide = ...\nreturn function(%s)\n%s\n  return %s\nend",
      table.concat(arguments, ", "), table.concat(lines, "\n"), said(y))
  end

  function symbols.compile(text) return assert(load(text))(ma, rows.pull, rows.pull_divide) end

  symbols.is_node = is_node

  --- Calls fn, which makes expressions; nothing where there is none.
  function symbols.try(fn, ...)
    local ok, found = pcall(fn, ...)
    if ok then return found end
  end

  return symbols
end
