--- Loops, as statements. If a test has statements of its own, it is evaluated inside of the loop.

local random = require "moonarray.jit.random"
local types = require "moonarray.jit.types"
local taken = require "moonarray.captures.kernel"
local value = require "moonarray.jit.value"

local statements = {}

function statements.while_(self, node)
  local turn, done = random.loop(self, node.line)
  local text, before = self:capture(function()
    turn()
    return self:test(node.test)
  end)
  if #before == 0 then
    self:open(node.line, ("while (%s) {"):format(text))
  else
    self:open(node.line, "for (;;) {")
    self:append(before)
    self:emit(node.line, ("if (!(%s)) break;"):format(text))
  end
  self:body(node.block)
  done()
  self:close()
end

function statements.repeat_(self, node)
  local turn, done = random.loop(self, node.line)
  self:open(node.line, "for (;;) {")
  turn()
  local label = self.label
  self:push()
  self.label = nil
  self:run(node.block)
  self.label = label
  local last = node.block[#node.block]
  if not (last and (last.kind == "break_" or last.kind == "return_")) then      -- the test sees the block's locals
    self:emit(node.test_line, ("if (%s) break;"):format(self:test(node.test)))
  end
  self:pop()
  done()
  self:close()
end

-- ==== for ====

local function is_whole(v) return v.weak == "int" or (not v.weak and types.is_integer(v.dtype)) end

--- The end of a loop in the type of its counter. For a whole counter it may be a fraction, infinite or NaN.
local function limit_of(self, stop, dtype, step, by)
  if dtype ~= "int64" or is_whole(stop) then return value.as(stop, dtype) end
  self:help "jit_limit"
  return ("jit_limit(%s, %s)"):format(value.as(stop, "float64"), step.constant and tostring(step.constant > 0)
    or by .. " > 0")
end

local MOST_TURNS = 256                   -- of a loop that is written out, with the loops around it

--- How often a loop over constants turns, if it is written out: offsets of neighbours may be made of its variable.
local function turns_of(self, name, start, stop, step)
  if not self.module.near or self.assigned[name] or not (start.constant and stop.constant and step.constant) then
    return nil
  end
  local turns = math.floor((stop.constant - start.constant) / step.constant) + 1
  return turns * (self.turns_around or 1) <= MOST_TURNS and math.max(turns, 0) or nil
end

--- `break` leaves the loop around all turns.
local function write_out(self, node, name, start, step, turns)
  local around = self.turns_around or 1
  self.turns_around = around * math.max(turns, 1)
  self:open(node.line, "do {")
  local places, most = self.places, {}
  for turn = 0, turns - 1 do
    local begin, done = random.loop(self, node.line, tostring(turn))
    begin()
    self.places = setmetatable({}, { __index = places })
    self:push()
    self.scope.names[name] = { name = name, alias = value.of_number(start.constant + turn * step.constant) }
    self:open(node.line, "{")
    self:block(node.block)
    self:close()
    self:pop()
    done()
    for g, count in pairs(self.places) do most[g] = math.max(most[g] or 0, count) end
  end
  self.places = places
  for g, count in pairs(most) do places[g] = count end
  self:close("} while (0);")
  self.turns_around = around
end

--- Prints for name = start, stop, step, with a copy of the counter that the body may change.
local function loop(self, node, name, start, stop, step)
  local line, heading = node.line, self.heading
  self.heading = nil
  step = step or value.constant(1, "int")
  for _, v in ipairs { start, stop, step } do
    if v.kind == "unknown" then                              -- a later walk knows the type, perhaps from the body
      self:push()
      self:declare(node, 1, name)
      self:body(node.block)
      self:pop()
      return
    end
  end
  step = taken.constant(self, step)
  if self.module.near and self.module.near.nfield then     -- offsets are made of its variable
    start, stop = taken.constant(self, start), taken.constant(self, stop)
  end
  if step.constant == 0 then self:fail(line, "the step of 'for' is 0") end
  local turns_out = turns_of(self, name, start, stop, step)
  if turns_out then return write_out(self, node, name, start, step, turns_out) end
  local dtype = is_whole(start) and is_whole(step) and "int64" or "float64"
  local c = types.register[dtype]
  self:push()
  self:open(line, "{")
  local first = self:constant("start", dtype, self:cast(start, dtype, line), line)
  local by = step.constant and types.literal(step.constant, dtype)
    or self:constant("step", dtype, self:cast(step, dtype, line), line)
  local limit = self:constant("stop", dtype, limit_of(self, stop, dtype, step, by), line)
  local counter = self:unique "count"
  local test = step.constant and ("%s %s %s"):format(counter, step.constant > 0 and "<=" or ">=", limit)
    or ("%s > 0 ? %s <= %s : %s < 0 && %s >= %s"):format(by, counter, limit, by, counter, limit)
  local turns = heading == "last" and dtype == "int64" and is_whole(stop) and self:turns(node.block, start, stop, step)
  if turns then
    first = ("%s + (ma_here.ma_fits ? ma_here.ma_turn * %s : 0)"):format(first, by)
    test = ("ma_here.ma_fits || (%s)"):format(test)
  end
  local turn, done = random.loop(self, line)
  self:open(line, ("for (%s %s = %s; %s; %s += %s) {"):format(c, counter, first, test, counter, by))
  turn()
  local variable = self:declare(node, 1, name)
  local is_luas = self.module.near and start.weak and step.weak and (dtype == "int64" and "int" or "float") or nil
  self:widen(variable, value.number(counter, dtype, is_luas), line)
  self:emit(line, ("%s %s = %s;"):format(types.register[variable.dtype], variable.c,
    types.convert(counter, dtype, variable.dtype)))
  self:bound_counter(variable, start, is_whole(stop) and stop or value.unknown, step)
  self:body(node.block)
  done()
  if turns then self:emit(line, "if (ma_here.ma_fits) break;") end
  self:close()
  self:close()
  self:pop()
end

local function bound(self, node, what)
  local v = self:number(node, what)
  if v.kind == "number" and types.is_complex(v.dtype) then self:fail(node.line, what .. " is complex") end
  return v
end

function statements.for_number(self, node)
  local names = { "start", "stop", "step" }
  local v = self:sequence(node.step and 3 or 2, node.line, function(k)
    return bound(self, node[names[k]], ("the %s of 'for'"):format(k == 2 and "end" or names[k]))
  end)
  loop(self, node, node.name, v[1], v[2], v[3])
end

function statements.for_in(self, node)
  local call = node.values[1]
  local fn = call.kind == "call" and self:expression(call.fn)
  if fn and fn.kind == "builtin" and fn.builtin.over then return fn.builtin.over(self, node, call) end
  if not fn or fn.kind ~= "builtin" or not fn.builtin.iterates then
    self:fail(node.line, "'for ... in' of this is not available in a kernel; wanted ma.jit.range(start, stop, step), "
      .. "or grid:near(p[i], r) of a HashGrid")
  end
  if #node.names ~= 1 or #node.values ~= 1 then self:fail(node.line, "ma.jit.range gives one number at a time") end
  local args = call.args
  if #args < 1 or #args > 3 then
    self:fail(call.line, ("ma.jit.range with %d arguments; wanted 1 to 3"):format(#args))
  end
  local names = #args == 1 and { "end" } or { "start", "end", "step" }
  local v = self:sequence(#args, call.line,
    function(k) return bound(self, args[k], ("the %s of 'range'"):format(names[k])) end)
  if #args == 1 then table.insert(v, 1, value.constant(1, "int")) end
  loop(self, node, node.names[1], v[1], v[2], v[3])
end

return statements
