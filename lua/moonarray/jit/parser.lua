--- Parses the part of Lua's grammar that a kernel may use into a tree whose nodes have lines. Anything else is an error
--- with its line. Where `whole` is set, the function runs over its tree in place of being translated, and may have the
--- rest of Lua's grammar but `goto`.
---
--- Expressions: number string boolean name index call binary unary table function_ vararg. Statements: local_
--- local_function assign call_ if_ for_number for_in while_ repeat_ do_ break_ return_.

local tostring = require("moonarray.text").tostring
local lexer = require "moonarray.jit.lexer"

local parser = {}

local P = {}
P.__index = P

function P:fail(text, line) lexer.fail(self.chunk, line or self.token.line, text) end

function P:next()
  local token = self.token
  self.at = self.at + 1
  self.token = self.tokens[self.at]
  -- What follows the function's last `end` is no part of it.
  if self.token.kind == "bad" and not self.complete then self:fail(self.token.value) end
  return token
end

local function shown(token)
  if token.kind == "eof" then return "the end" end
  if token.kind == "string" then return "a string" end
  return "'" .. tostring(token.kind == "number" and token.value or token.value or token.kind) .. "'"
end

function P:accept(kind)
  if self.token.kind == kind then return self:next() end
end

function P:expect(kind, opener)
  if self.token.kind == kind then return self:next() end
  local what = kind == "name" and "a name" or "'" .. kind .. "'"
  local where = opener and opener.line ~= self.token.line and (" (to close '%s' at line %d)"):format(opener.kind,
    opener.line) or ""
  self:fail(("%s; wanted %s%s"):format(shown(self.token), what, where))
end

function P:unavailable(what, line)
  self:fail(("%s is not available in a %s"):format(what, self.whole and "function of elements" or "kernel"), line)
end

-- ==== Expressions ====

local binary = {     -- left and right binding power
  ["or"] = { 1, 1 }, ["and"] = { 2, 2 }, ["<"] = { 3, 3 }, [">"] = { 3, 3 }, ["<="] = { 3, 3 }, [">="] = { 3, 3 },
    ["~="] = { 3, 3 }, ["=="] = { 3, 3 },
  [".."] = { 5, 4 }, ["+"] = { 6, 6 }, ["-"] = { 6, 6 }, ["*"] = { 7, 7 }, ["/"] = { 7, 7 }, ["%"] = { 7, 7 },
  ["//"] = { 7, 7 }, ["^"] = { 10, 9 },
}
local UNARY = 8
local MAX_DEPTH = 150
local MAX_CHAIN = 500                  -- a + b + c ... and x.y.z ... make trees as deep as they are long

function P:enter()
  self.depth = self.depth + 1
  if self.depth > MAX_DEPTH then self:fail(("more than %d levels of nesting"):format(MAX_DEPTH)) end
end

function P:chained(line) self:fail(("more than %d operators or fields in a row"):format(MAX_CHAIN), line) end

function P:expressions(stop)
  local list = {}
  if stop and self.token.kind == stop then return list end
  repeat list[#list + 1] = self:expression() until not self:accept(",")
  return list
end

function P:table_()
  local open = self:expect("{")
  local items, keys = {}, {}
  while self.token.kind ~= "}" do
    local after, k = self.tokens[self.at + 1], #items + 1
    local named = self.token.kind == "name" and after.kind == "="
    if not self.whole and self.token.kind == "[" then self:unavailable("a table with keys") end
    if named then
      keys[k] = { kind = "string", line = self.token.line, value = self:next().value }
    elseif self:accept("[") then
      keys[k] = self:expression()
      self:expect("]")
    end
    if keys[k] then self:expect("=") end
    items[k] = self:expression()
    if not (self:accept(",") or self:accept(";")) then break end
  end
  self:expect("}", open)
  return { kind = "table", line = open.line, items = items, keys = keys }
end

local simple = {
  number = function(self)
    local token = self:next()
    return { kind = "number", line = token.line, value = token.value, is_float = token.is_float,
      integer = token.integer }
  end,
  string = function(self)
    local token = self:next()
    return { kind = "string", line = token.line, value = token.value }
  end,
  ["true"] = function(self) return { kind = "boolean", line = self:next().line, value = true } end,
  ["false"] = function(self) return { kind = "boolean", line = self:next().line, value = false } end,
  ["nil"] = function(self) return { kind = "nil_", line = self:next().line } end,
  ["..."] = function(self)
    if not self.whole then self:unavailable("'...'") end
    if not self.vararg then self:fail("'...' outside a function that takes it") end
    return { kind = "vararg", line = self:next().line }
  end,
  ["function"] = function(self)
    local open = self:next()
    return { kind = "function_", line = open.line, tree = self:function_(open) }
  end,
  ["{"] = P.table_,
}

function P:call(fn)
  local open = self.token
  local args
  if open.kind == "string" then
    args = { simple.string(self) }
  elseif open.kind == "{" then
    args = { self:table_() }
  else
    self:expect("(")
    args = self:expressions(")")
    self:expect(")", open)
  end
  return { kind = "call", line = fn.line, fn = fn, args = args }
end

--- Parses a name or parentheses with the following fields, indices and calls.
function P:suffixed()
  local token, node = self.token, nil
  if self:accept("(") then
    node = self:expression()
    self:expect(")", token)
    node = { kind = "paren", line = token.line, inner = node }
  elseif self:accept("name") then
    node = { kind = "name", line = token.line, name = token.value }
  else
    self:fail("unexpected " .. shown(token))
  end
  for links = 1, math.huge do
    local kind, line = self.token.kind, self.token.line
    if links > MAX_CHAIN then self:chained(line) end
    if kind == "." then
      self:next()
      node = { kind = "index", line = line, object = node,
        key = { kind = "string", line = line, value = self:expect("name").value } }
    elseif kind == "[" then
      local open = self:next()
      local key = self:expression()
      self:expect("]", open)
      node = { kind = "index", line = line, object = node, key = key }
    elseif kind == ":" then
      self:next()
      node = self:call({ kind = "method", line = line, object = node, name = self:expect("name").value })
    elseif kind == "(" or kind == "string" or kind == "{" then
      node = self:call(node)
    else
      return node
    end
  end
end

function P:expression(limit)
  limit = limit or 0
  self:enter()
  local token, left = self.token
  if token.kind == "not" or token.kind == "-" or token.kind == "#" then
    self:next()
    left = { kind = "unary", op = token.kind, line = token.line, a = self:expression(UNARY) }
  elseif simple[token.kind] then
    left = simple[token.kind](self)
  else
    left = self:suffixed()
  end
  for links = 1, math.huge do
    local op = self.token
    local power = binary[op.kind]
    if not power or power[1] <= limit then break end
    if links > MAX_CHAIN then self:chained(op.line) end
    if op.kind == "//" or op.kind == ".." and not self.whole then
      self:unavailable("the operator '" .. op.kind .. "'")
    end
    self:next()
    left = { kind = "binary", op = op.kind, line = op.line, a = left, b = self:expression(power[2]) }
  end
  self.depth = self.depth - 1
  return left
end

-- ==== Statements ====

local ends = { ["end"] = true, ["else"] = true, ["elseif"] = true, ["until"] = true, eof = true }

function P:block()
  local list = {}
  self:enter()
  while not ends[self.token.kind] do
    local statement = self:statement()
    if statement then
      list[#list + 1] = statement
      if statement.kind == "return_" then break end
      if statement.kind == "break_" and not ends[self.token.kind] then
        self:fail("'break' is the last statement of its block")
      end
    end
  end
  self.depth = self.depth - 1
  return list
end

function P:names()
  local list = {}
  repeat list[#list + 1] = self:expect("name").value until not self:accept(",")
  return list
end

local statements = {}

statements["local"] = function(self)
  local line = self:next().line
  if self.token.kind == "function" then
    local open, name = self:next(), self:expect("name").value
    return { kind = "local_function", line = line, name = name, tree = self:function_(open, name) }
  end
  local names = self:names()
  if self.token.kind == "<" then self:unavailable("an attribute of a local") end
  local values = self:accept("=") and self:expressions() or {}
  for k, node in ipairs(values) do
    if node.kind == "function_" then node.tree.name = names[k] end
  end
  return { kind = "local_", line = line, names = names, values = values }
end

statements["if"] = function(self)
  local open = self:next()
  local node = { kind = "if_", line = open.line, tests = {}, blocks = {} }
  local function branch()
    node.tests[#node.tests + 1] = self:expression()
    self:expect("then")
    node.blocks[#node.blocks + 1] = self:block()
  end
  branch()
  while self:accept("elseif") do branch() end
  if self:accept("else") then node.otherwise = self:block() end
  self:expect("end", open)
  return node
end

function P:body(open)
  self:expect("do")
  self.loops = self.loops + 1
  local block = self:block()
  self.loops = self.loops - 1
  self:expect("end", open)
  return block
end

statements["for"] = function(self)
  local open = self:next()
  local names = self:names()
  if #names == 1 and self:accept("=") then
    local node = { kind = "for_number", line = open.line, name = names[1], start = self:expression() }
    self:expect(",")
    node.stop = self:expression()
    if self:accept(",") then node.step = self:expression() end
    node.block = self:body(open)
    return node
  end
  self:expect("in")
  local node = { kind = "for_in", line = open.line, names = names, values = self:expressions() }
  node.block = self:body(open)
  return node
end

statements["while"] = function(self)
  local open = self:next()
  local node = { kind = "while_", line = open.line, test = self:expression() }
  node.block = self:body(open)
  return node
end

statements["repeat"] = function(self)
  local open = self:next()
  self.loops = self.loops + 1
  local block = self:block()
  self.loops = self.loops - 1
  self:expect("until", open)
  return { kind = "repeat_", line = open.line, block = block, test_line = self.token.line, test = self:expression() }
end

statements["do"] = function(self)
  local open = self:next()
  local block = self:block()
  self:expect("end", open)
  return { kind = "do_", line = open.line, block = block }
end

statements["break"] = function(self)
  local line = self:next().line
  if self.loops == 0 then self:fail("'break' outside a loop", line) end
  self:accept(";")
  return { kind = "break_", line = line }
end

statements["return"] = function(self)
  local line = self:next().line
  local values = {}
  if not ends[self.token.kind] and self.token.kind ~= ";" then values = self:expressions() end
  self:accept(";")
  if not ends[self.token.kind] then self:fail(shown(self.token) .. " after 'return'") end
  return { kind = "return_", line = line, values = values }
end

statements["function"] = function(self)
  if not self.whole then self:unavailable("a function inside it that is not local") end
  local open = self:next()
  local target = { kind = "name", line = open.line, name = self:expect("name").value }
  while self.token.kind == "." do
    self:next()
    target = { kind = "index", line = open.line, object = target,
      key = { kind = "string", line = open.line, value = self:expect("name").value } }
  end
  local tree = self:function_(open)
  return { kind = "assign", line = open.line, targets = { target },
    values = { { kind = "function_", line = open.line, tree = tree } } }
end
statements["goto"] = function(self) self:unavailable("'goto'") end
statements["::"] = function(self) self:unavailable("a label") end
statements[";"] = function(self) self:next() end

function P:statement()
  local own = statements[self.token.kind]
  if own then return own(self) end
  local line, first = self.token.line, self:suffixed()
  if self.token.kind ~= "=" and self.token.kind ~= "," then
    if first.kind ~= "call" then self:fail(shown(self.token) .. "; wanted '=' or a call", self.token.line) end
    return { kind = "call_", line = line, call = first }
  end
  local targets = { first }
  while self:accept(",") do targets[#targets + 1] = self:suffixed() end
  self:expect("=")
  for _, target in ipairs(targets) do
    if target.kind ~= "name" and target.kind ~= "index" then self:fail("cannot assign to a call", line) end
  end
  return { kind = "assign", line = line, targets = targets, values = self:expressions() }
end

-- ==== Functions ====

---@class moonarray.jit.tree
---@field chunk string
---@field line integer
---@field last integer
---@field name? string
---@field params string[]
---@field block table[]
---@field after integer  the token behind it

--- The parameters and the body of a function, behind its name. `outermost`: what follows it is not looked at.
--- `method`: its first parameter is self.
---@return moonarray.jit.tree
function P:function_(open, name, outermost, method)
  local tree = { chunk = self.chunk, line = open.line, params = { method and "self" or nil }, name = name }
  local loops, vararg = self.loops, self.vararg
  local paren = self:expect("(")
  self.loops, self.vararg = 0, false
  if self.token.kind ~= ")" then
    repeat
      if self.token.kind == "..." then
        if not self.whole then self:unavailable("'...'") end
        self.vararg = self:next() ~= nil
      else
        tree.params[#tree.params + 1] = self:expect("name").value
      end
    until self.vararg or not self:accept(",")
  end
  self:expect(")", paren)
  local seen = {}
  for _, param in ipairs(tree.params) do
    if seen[param] then self:fail(("two parameters are called '%s'"):format(param), open.line) end
    seen[param] = true
  end
  tree.block = self:block()
  tree.last = self.token.line
  self.loops, self.complete = loops, outermost
  self:expect("end", open)
  self.vararg = vararg
  return tree
end

--- The function whose `function` is token `at`. `whole`: with all of Lua's grammar but `goto`.
---@return moonarray.jit.tree
function parser.parse(tokens, at, chunk, whole)
  local self = setmetatable({ tokens = tokens, at = at, token = tokens[at], chunk = chunk, depth = 0, loops = 0,
    whole = whole }, P)
  local open, before, name, method = self:expect("function"), tokens[at - 1], nil, false
  if self.token.kind == "name" then
    name = self:next().value
    while self.token.kind == "." do
      self:next()
      name = self:expect("name").value
    end
    if self.token.kind == ":" then
      if not self.whole then self:unavailable("a method (its 'self')") end
      self:next()
      name, method = self:expect("name").value, true
    end
  elseif before and before.kind == "=" and tokens[at - 2] and tokens[at - 2].kind == "name" then
    name = tokens[at - 2].value
  end
  local tree = self:function_(open, name, true, method)
  tree.after = self.at
  return tree
end

return parser
