--- Neighbours of places in a kernel, by a HashGrid among the arguments:
---
---   for j, dx, dy in grid:near(p[i], r) do ... end
---
--- The text is a loop over the rows of cells that the place reaches, one over the points of a row, which lie one after
--- another, and the test of the distance. Which cells those are follows from the ends of the place plus and minus r by
--- the same steps that sorted the points in, so that rounding loses nobody (jit/helpers.lua, jit_near).

local random = require "moonarray.jit.random"
local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local N = {}

local MEMBERS = { "head", "start", "order", "points" }       -- as HashGrid passes them
local of_member = { start = "int64", order = "int64" }

local function class(name, grid)
  return ("%s<%s, %d, %s>"):format(name, types.register[grid.dtype], grid.ndim, tostring(grid.wrap))
end

-- ==== Loops ====

--- The coordinates of a place and what follows them: a row of an array, a vector, or a number for each axis.
local function place_of(self, args, ndim, line)
  local first = args[1]
  if first.kind == "vector" then
    if #first ~= ndim then
      self:fail(line, ("the place of ':near' is %s; wanted %d numbers"):format(self:describe(first), ndim))
    end
    return { unpack(first) }, 1
  end
  if first.kind ~= "array" then
    local list = {}
    for axis = 1, ndim do
      if not args[axis] then
        self:fail(line, ("':near' with %d numbers for a place; wanted %d, or a row such as p[i]"):format(#args, ndim))
      end
      list[axis] = self:as_number(args[axis], line, ("coordinate %d of ':near'"):format(axis))
    end
    return list, ndim
  end
  if first.array.ndim - first.given ~= 1 then
    self:fail(line, ("the place of ':near' is an array of %d axes; wanted a row such as p[i]"):format(
      first.array.ndim - first.given))
  end
  local row, list = self:fixed(first, "row", line), {}
  for axis = 1, ndim do list[axis] = self:read(self:part(row, { value.constant(axis, "int") }, line)) end
  return list, 1
end

--- The arguments of jit_near behind the grid: the radius and the coordinates; nil while a type is not known.
local function arguments(self, call, grid)
  local line, args = call.line, self:values(call.args, call.line)
  for _, v in ipairs(args) do
    if self.is_unknown(v) then return nil end
  end
  if #args == 0 then self:fail(line, "':near' without a place; wanted grid:near(p[i], r)") end
  local place, taken = place_of(self, args, grid.ndim, line)
  if #args > taken + 1 then
    self:fail(line, ("':near' with %d arguments; wanted a place of %d coordinates and a radius"):format(#args,
      grid.ndim))
  end
  table.insert(place, 1, args[taken + 1] and self:as_number(args[taken + 1], line, "the radius of ':near'") or false)
  local texts = {}
  for k, v in ipairs(place) do
    if v and v.kind == "number" and types.is_complex(v.dtype) then self:fail(line, "':near' of a complex number") end
    texts[k] = v and self:cast(v, grid.dtype, line)
  end
  return texts
end

--- Declares the loop's variables and walks its body.
local function body(self, node, texts, dtypes, label)
  for k, name in ipairs(node.names) do
    local variable = self:declare(node, k, name)
    if texts then
      self:widen(variable, value.number(texts[k], dtypes[k]), node.line)
      self:emit(node.line, ("%s %s = %s;"):format(types.register[variable.dtype], variable.c,
        types.convert(texts[k], dtypes[k], variable.dtype)))
    end
  end
  self:body(node.block, label)
end

--- `for j, dx, dy in grid:near(place, r) do`
local function over(self, node, call, object)
  local grid, line = object.grid, node.line
  if #node.names > 1 + grid.ndim then
    self:fail(line, ("%d names for what ':near' gives; a point and its distance along each of %d axes"):format(
      #node.names, grid.ndim))
  end
  self:push()
  self:open(line, "{")
  local given = arguments(self, call, grid)
  if not given then
    body(self, node)
    self:close()
    return self:pop()
  end
  local near, base, loops = self:unique "near", "0", 0
  local radius = table.remove(given, 1) or object.text .. ".radius()"
  self:emit(line, ("const %s %s(%s, %s, %s);"):format(class("jit_near", grid), near, object.text, radius,
    table.concat(given, ", ")))
  local turn, done = random.loop(self, line)
  for axis = 0, grid.ndim - 2 do
    local c = self:unique "cell"
    self:open(line, ("for (int %s = %s.first[%d]; %s <= %s.last[%d]; %s++) {"):format(c, near, axis, c, near, axis, c))
    base = axis == 0 and ("%s.cell<0>(%s)"):format(near, c)
      or ("(%s) * %s.cells[%d] + %s.cell<%d>(%s)"):format(base, near, axis, near, axis, c)
    loops = loops + 1
  end
  if grid.wrap then
    local piece = self:unique "piece"
    self:open(line, ("for (int %s = 0; %s < %s.pieces; %s++) {"):format(piece, piece, near, piece))
    base, loops = base .. ", " .. piece, loops + 1
  end
  local run, k, apart = self:unique "run", self:unique "place", self:unique "apart"
  local position = self:unique "position"
  self:emit(line, ("const jit_run %s = %s.run(%s);"):format(run, near, base))
  self:open(line, ("for (int %s = %s.from; %s < %s.to; %s++) {"):format(k, run, k, run, k))
  -- The position is read before the test, beside the point: a GPU waits for both at once.
  self:emit(line, ("const i8 %s = %s.order[%s];"):format(position, near, k))
  self:emit(line, ("const auto %s = %s.apart(%s);"):format(apart, near, k))
  self:emit(line, ("if (!%s.within(%s)) continue;"):format(near, apart))
  turn()
  local texts, dtypes = { position }, { "int64" }
  for axis = 1, grid.ndim do texts[axis + 1], dtypes[axis + 1] = ("%s.v[%d]"):format(apart, axis - 1), grid.dtype end
  local label = { name = self:unique "near_end" }
  body(self, node, texts, dtypes, label)
  done()
  for _ = 1, loops do self:close() end
  self:close(label.used and ("} %s:;"):format(label.name) or "}")
  self:close()
  self:pop()
end

local methods = {
  near = { over = over, least = 1, most = 4, call = function(self, _, line)
    self:fail(line, "':near' is called; wanted for j in grid:near(p[i], r) do")
  end },
  --- The point that is the k-th by cell: threads that take points in this order read the same cells.
  point = { least = 1, call = function(self, args, line, _, object)
    local k = self:as_number(args[1], line, "the number of ':point'")
    if k.kind == "unknown" then return k end
    return value.number(("%s.point(%s)"):format(object.text, self:integer(k)), "int64")
  end },
}

local attributes = {
  radius = function(_, v) return value.number(v.text .. ".radius()", v.grid.dtype) end,
  n = function(self, v)
    local n = value.number(v.text .. ".n", "int64", "int")
    n.bounds = v.count and self:single(v.count)
    return n
  end,
}

-- ==== Arguments ====

--- A grid as a value. `count`: a kernel's parameter that has the number of its points.
function N.value(grid, text, name, count)
  return { kind = "grid", grid = grid, text = text, name = name, count = count, methods = methods,
    attributes = attributes, object = { c = ("const %s &"):format(class("jit_grid", grid)),
      key = class("grid", grid), helper = "jit_near" } }
end

--- A kernel's parameters for a grid: their declarations, and the statement that makes the grid of them.
function N.parameters(grid, c)
  local list = {}
  for k, member in ipairs(MEMBERS) do
    list[k] = ("const %s *%s_%s"):format(types.parameter(of_member[member] or grid.dtype), c, member)
  end
  list[#list + 1] = ("int64_t %s_n"):format(c)
  local made = ("const %s @ = {@_head, @_start, @_order, @_points, @_n};"):format(class("jit_grid", grid))
  return { parts = list, made = made:gsub("@", c) }
end

--- The raw inputs of a kernel over elements for a grid, and the grid as an expression.
function N.inputs(grid, c)
  local list, texts = {}, {}
  for k, member in ipairs(MEMBERS) do
    list[k] = ("raw %s %s_%s"):format(of_member[member] or grid.dtype, c, member)
    texts[k] = ("&%s_%s[0]"):format(c, member)
  end
  return list, ("%s{%s, %s_order.size()}"):format(class("jit_grid", grid), table.concat(texts, ", "), c)
end

return N
