--- Functions inside of a kernel's function. Each becomes a device function, and the locals around it that it reads are
--- further parameters of it, so that a call sees their present values. Methods of a function's translation.

local C = {}

-- ==== What a function takes from outside ====

local Names = {}
Names.__index = Names

function Names:push() self.scope = { outer = self.scope } end
function Names:pop() self.scope = self.scope.outer end

--- A name is used; `assigned`: it is a target.
function Names:use(name, line, assigned)
  local scope = self.scope
  while scope do
    if scope[name] then return end
    scope = scope.outer
  end
  local found = self.found[name] or { name = name, line = line }
  if not self.found[name] then
    self.found[name] = found
    self.list[#self.list + 1] = found
  end
  if assigned then found.assigned = found.assigned or line end
end

function Names:all(nodes)
  for _, node in ipairs(nodes) do self:visit(node) end
end

function Names:block(list, names)
  self:push()
  for _, name in ipairs(names or {}) do self.scope[name] = true end
  self:all(list)
  self:pop()
end

-- The fields of a node that hold nodes, in the order in which they are evaluated.
local parts = { index = { "object", "key" }, method = { "object" }, call = { "fn" }, unary = { "a" },
  binary = { "a", "b" }, paren = { "inner" }, call_ = { "call" }, while_ = { "test" },
  for_number = { "start", "stop", "step" } }
local lists = { call = "args", table = "items", local_ = "values", return_ = "values", for_in = "values",
  assign = "values", if_ = "tests" }

local visit = {}
function visit.name(self, node) self:use(node.name, node.line) end
function visit.function_(self, node) self:block(node.tree.block, node.tree.params) end
function visit.while_(self, node) self:block(node.block) end
visit.do_ = visit.while_
function visit.for_number(self, node) self:block(node.block, { node.name }) end
function visit.for_in(self, node) self:block(node.block, node.names) end

function visit.local_function(self, node)
  self.scope[node.name] = true
  visit.function_(self, node)
end

function visit.local_(self, node)
  for _, name in ipairs(node.names) do self.scope[name] = true end
end

function visit.assign(self, node)
  for _, target in ipairs(node.targets) do
    if target.kind == "name" then self:use(target.name, target.line, true) else self:visit(target) end
  end
end

function visit.if_(self, node)
  for _, block in ipairs(node.blocks) do self:block(block) end
  if node.otherwise then self:block(node.otherwise) end
end

function visit.repeat_(self, node)       -- the test sees the block's locals
  self:push()
  self:all(node.block)
  self:visit(node.test)
  self:pop()
end

function Names:visit(node)
  for _, part in ipairs(parts[node.kind] or {}) do
    if node[part] then self:visit(node[part]) end
  end
  if lists[node.kind] then self:all(node[lists[node.kind]]) end
  if visit[node.kind] then visit[node.kind](self, node) end
end

--- The names of a function's node that are not its own, by their first use: { name, line, assigned (a line) }.
function C.outer_names(node)
  local names = setmetatable({ found = {}, list = {} }, Names)
  visit.function_(names, node)
  return names.list
end

-- ==== Closures ====

--- Adds what the functions in a list of variables read around them, which has no name in the function itself.
local function add_hidden(list, known)
  for k = 1, #list do
    local alias = list[k].variable.alias
    for _, inner in ipairs(alias and alias.kind == "device" and alias.device.captured or {}) do
      if not known[inner.variable] then
        known[inner.variable] = true
        list[#list + 1] = { variable = inner.variable, hidden = true }
      end
    end
  end
end

--- The value of a function: an expression, or `local function` with the name `itself`.
function C:closure(node, itself)
  local tree = node.tree
  local device = self.closures[node]
  if not device then
    local module = self.module
    module.closures = module.closures + 1
    device = { tree = tree, outside = self.outside, id = "local" .. module.closures }
    self.closures[node] = device
  end
  local list, known = {}, {}
  for _, used in ipairs(C.outer_names(node)) do
    if used.name == itself then
      self:fail(used.line, ("'%s' calls itself; recursion is not available in a kernel"):format(itself))
    end
    local variable = self:find(used.name)
    if variable and used.assigned then
      self:fail(used.assigned, ("'%s' is a local of the function around '%s', which may read it but not assign to it")
        :format(used.name, tree.name or "function"))
    end
    if variable then list[#list + 1], known[variable] = { variable = variable }, true end
  end
  add_hidden(list, known)
  device.captured = list
  return { kind = "device", device = device, name = tree.name or "function" }
end

--- What is known during the translation, as text that tells it from others.
local fixed = {
  string = function(v) return ("%q"):format(v.value) end,
  builtin = function(v) return tostring(v.builtin) end,
  lua = function(v) return tostring(v.lua) end,
  device = function(v) return tostring(v.device.id) end,
}

--- A value of a local around a function that needs no parameter.
function C.is_fixed(v) return v.constant ~= nil or v.taken ~= nil or fixed[v.kind] ~= nil end

function C.fixed_text(v) return fixed[v.kind] and v.kind .. ":" .. fixed[v.kind](v) end

local passable = { vector = true, number = true, bool = true, array = true, texture = true, grid = true,
  unknown = true }

--- The present values of what a device function reads around it.
function C:captured_values(device, line, name)
  local list = {}
  for k, entry in ipairs(device.captured or {}) do
    local variable = self.inherited[entry.variable] or entry.variable
    local v = self:value_of(variable, line)
    if not passable[v.kind] and not C.is_fixed(v) then
      self:fail(line, ("'%s' is %s around '%s', which cannot read that"):format(variable.name,
        self:describe({ kind = v.kind }), name))
    end
    list[k] = v
  end
  return list
end

--- Values for a function that is given as an operator, which is called where the locals around it are out of reach.
function C:captured_constants(device, line, name)
  local list = self:captured_values(device, line, name)
  for k, v in ipairs(list) do
    if not C.is_fixed(v) then
      self:fail(line, ("'%s', an operator, reads the local '%s' around it; wanted a function of its parameters alone")
        :format(name, device.captured[k].variable.name))
    end
  end
  return list
end

return C
