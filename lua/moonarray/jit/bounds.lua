--- Between which ends whole numbers lie, for kernels on the CPU, so that positions need not be looked at one by one.
--- Methods of a function's translation.
---
--- A row of a block's threads, x from the first to the last, runs after a function has answered whether all positions
--- of which the ends are known lie inside (cpu_cuda.h). If they do, the kernel does not look at them; if one does
--- not, it looks at all. The ends are texts of type jit_end (helpers.lua), which that function computes out of the
--- kernel's parameters and the row's place: the least and the greatest value over the row's threads, and over the
--- turns of loops.
--- Only locals that are never assigned to have them. In a branch those are narrower, by the tests that lead there.
---
--- A number's `bounds` are { low, high, slope }: slope 0 is the same number in all threads of the row, 1 one more in
--- each thread than in the one before; without it the ends alone are known. `self.proof` collects the function's text
--- while a kernel is walked.
---
--- What a kernel begins with may be decided for the row too. If it is a test of such numbers without which the kernel
--- does nothing, only the threads run for which it holds, and do not ask. If all that it does is a loop by steps that
--- the caller chooses (a strided loop), all threads of all blocks run a turn of it before the next, so that memory is
--- read in its order.

local sformat = require("moonarray.text").format

local B = {}

local MOST_TESTS = 64

function B:begin_proof()
  self.proof, self.facts = self.proves and { lines = {}, tests = {}, seen = {} } or nil, {}
  if self.proof then self.proof.rows = {} end
end

--- Bounds of a number that is one text, the same for all threads of a row.
function B:single(text)
  if not self.proof then return end
  text = ("jit_end(%s)"):format(text)
  return { low = text, high = text, slope = 0 }
end

--- Bounds out of two texts, as constants of the function.
function B:named_bounds(low, high, slope)
  local proof = self.proof
  local n = #proof.lines + 1
  proof.lines[n] = ("  const jit_end low_%d = %s, high_%d = %s;"):format(n, low, n, high)
  return { low = "low_" .. n, high = "high_" .. n, slope = slope }
end

--- The bounds of a value, or nil.
function B:bounds_of(v)
  if not self.proof or v.kind ~= "number" then return end
  if v.bounds then return v.bounds end
  local c = v.constant
  if c and c == math.floor(c) and math.abs(c) <= 2 ^ 53 then return self:single(sformat("%.0fLL", c)) end
end

--- The bounds of an int64 that an operation gives.
function B:combined_bounds(op, a, b)
  a, b = self:bounds_of(a), self:bounds_of(b)
  if not a or not b then return end
  local flat = a.slope == 0 and b.slope == 0 and 0 or nil
  if op == "+" or op == "-" then
    local other = op == "+" and b or { low = b.high, high = b.low }
    local slope = b.slope == 0 and a.slope or op == "+" and a.slope == 0 and b.slope or nil
    return { low = ("(%s %s %s)"):format(a.low, op, other.low), high = ("(%s %s %s)"):format(a.high, op, other.high),
      slope = slope }
  end
  if op == "min" or op == "max" then
    return { low = ("jit_%s_end(%s, %s)"):format(op, a.low, b.low),
      high = ("jit_%s_end(%s, %s)"):format(op, a.high, b.high), slope = flat }
  end
  if op ~= "*" then return end
  a, b = self:named_bounds(a.low, a.high), self:named_bounds(b.low, b.high)
  local list = ("%s * %s, %s * %s, %s * %s, %s * %s"):format(a.low, b.low, a.low, b.high, a.high, b.low, a.high, b.high)
  return self:named_bounds("jit_least(" .. list .. ")", "jit_most(" .. list .. ")", flat)
end

--- Gives a local that is never assigned to the bounds of its value.
function B:bound(variable, bounds)
  variable.bounds = nil
  if not self.proof or not bounds or variable.dtype ~= "int64" or self.assigned[variable.name] then return end
  variable.bounds = self:named_bounds(bounds.low, bounds.high, bounds.slope)
end

--- A test that holds for no position outside, besides what the function answers otherwise.
function B:require_of_row(test)
  local proof = self.proof
  if proof.seen[test] then return true end
  if #proof.tests == MOST_TESTS then return false end
  proof.seen[test] = true
  proof.tests[#proof.tests + 1] = test
  return true
end

--- Whether the function answers for a position along an axis of this extent.
function B:proves_position(v, extent)
  local bounds = self:bounds_of(v)
  if not bounds then return false end
  return self:require_of_row(("jit_within(%s, %s, %s)"):format(bounds.low, bounds.high, extent))
end

--- The counter of a loop: from `start` to `stop` by `step`, which may only be known to be positive when the row runs.
function B:bound_counter(variable, start, stop, step)
  local first, last, by = self:bounds_of(start), self:bounds_of(stop), self:bounds_of(step)
  if not first or not last or not by then return self:bound(variable) end
  local down = step.constant and step.constant < 0
  local past = down and ("(%s + %s)"):format(last.low, by.low) or ("(%s + %s)"):format(last.high, by.high)
  -- the counter must not wrap behind the end
  if not self:require_of_row(("jit_counts(%s, %s)"):format(down and "jit_end(1)" or by.low, past)) then
    return self:bound(variable)
  end
  if down then first, last = last, first end
  self:bound(variable, { low = first.low, high = last.high })
end

-- ==== Tests ====

local arithmetic = { ["+"] = true, ["-"] = true, ["*"] = true }

--- Whether a node reads no element and has no effect, so that it may be walked once more.
local function is_plain(node)
  local kind = node.kind
  if kind == "number" or kind == "name" then return true end
  if kind == "paren" then return is_plain(node.inner) end
  if kind == "binary" then return arithmetic[node.op] and is_plain(node.a) and is_plain(node.b) end
  if kind == "unary" then return node.op == "#" and node.a.kind == "name" end
  if kind ~= "index" or node.object.kind ~= "index" then return false end
  local shape = node.object.key
  return shape.kind == "string" and shape.value == "shape" and node.object.object.kind == "name"
    and node.key.kind == "number"
end

local function bounds_of_node(self, node)
  if not is_plain(node) then return end
  local v = self:capture(function() return self:expression(node) end)
  return (v.dtype == "int64" or v.constant) and self:bounds_of(v) or nil
end

--- The local of `name`, `name + c` or `name - c`, and c.
local function local_of(self, node)
  while node.kind == "paren" do node = node.inner end
  local shift = 0
  if node.kind == "binary" and (node.op == "+" or node.op == "-") and node.b.kind == "number"
    and type(node.b.value) == "number" and node.b.value == math.floor(node.b.value) then
    shift = node.op == "+" and node.b.value or -node.b.value
    node = node.a
  end
  if node.kind ~= "name" or math.abs(shift) > 2 ^ 52 then return end
  local variable = self:find(node.name)
  return variable and variable.bounds and variable, shift
end

--- Keeps that a local + shift is at most, or at least, an end.
local function narrow(self, node, high, limit, by)
  local variable, shift = local_of(self, node)
  if not variable then return end
  local old = self.facts[variable] or variable.bounds
  limit = ("(%s + jit_end(%s))"):format(limit, sformat("%.0fLL", by - shift))
  self.facts[variable] = high and self:named_bounds(old.low, ("jit_min_end(%s, %s)"):format(old.high, limit))
    or self:named_bounds(("jit_max_end(%s, %s)"):format(old.low, limit), old.high)
end

--- Whether a comparison of these is decided by the ends of a local that `narrow` leaves.
local function is_decided(self, node, other)
  local variable = local_of(self, node)
  return variable and variable.bounds.slope and other.slope == 0
end

local opposite = { ["<"] = ">=", [">="] = "<", [">"] = "<=", ["<="] = ">", ["=="] = "~=", ["~="] = "==" }

--- Returns whether the ends of locals say all that the test does: it holds in a thread if its numbers are between them.
local function narrow_by(self, node, holds)
  local op = node.op
  if node.kind == "paren" then return narrow_by(self, node.inner, holds) end
  if node.kind == "unary" and op == "not" then return narrow_by(self, node.a, not holds) end
  if node.kind ~= "binary" then return false end
  if op == (holds and "and" or "or") then
    local left = narrow_by(self, node.a, holds)
    return narrow_by(self, node.b, holds) and left
  end
  op = opposite[op] and (holds and op or opposite[op])
  if not op or op == "~=" then return false end
  local a, b = bounds_of_node(self, node.a), bounds_of_node(self, node.b)
  -- a side that wraps says nothing of its local
  if not a or not b or not self:require_of_row(("jit_known(%s, %s, %s, %s)"):format(a.low, a.high, b.low, b.high)) then
    return false
  end
  local decided = is_decided(self, node.a, b) or is_decided(self, node.b, a)
  if op ~= ">" and op ~= ">=" then
    local by = op == "<" and 1 or 0
    narrow(self, node.a, true, b.high, -by)
    narrow(self, node.b, false, a.low, by)
  end
  if op ~= "<" and op ~= "<=" then
    local by = op == ">" and 1 or 0
    narrow(self, node.a, false, b.low, by)
    narrow(self, node.b, true, a.high, -by)
  end
  return decided
end

--- From here on a test holds, or does not. The caller keeps `self.facts` and puts it back. Returns whether the facts
--- say all that the test does.
function B:suppose(test, holds)
  if not self.proof then return false end
  self.facts = setmetatable({}, { __index = self.facts })
  return narrow_by(self, test, holds)
end

--- Whether the row's threads can be chosen so that a test holds, or does not, in them; the others do nothing.
function B:chooses_threads(test, holds)
  local facts = self.facts
  local decided, found = self:suppose(test, holds), self.facts
  self.facts = facts
  if not decided then return false end
  local rows = self.proof.rows
  for variable, bounds in pairs(found) do
    local from = variable.bounds.slope == 1 and variable.bounds.low .. ", " or ""
    rows[#rows + 1] = ("  jit_narrow(row, %s%s, %s);"):format(from, bounds.low, bounds.high)
  end
  table.sort(rows)
  return true
end

--- Whether nothing in a loop's body lasts until another turn, leaves the loop, or depends on the order of threads.
local function is_turn(self, node, declared, within)
  local kind = node.kind
  if kind == "return_" or kind == "method" or (kind == "break_" and not within) then return false end
  if kind == "call" and not (node.fn.kind == "index" and node.fn.key.kind == "string"
    and not node.fn.key.value:find "atomic") then return false end
  if kind == "assign" then
    for _, target in ipairs(node.targets) do
      if target.kind == "name" and (not declared[target.name] or self:find(target.name)) then return false end
    end
  end
  if kind == "local_" then
    for _, name in ipairs(node.names) do declared[name] = true end
  end
  within = within or kind == "for_number" or kind == "for_in" or kind == "while_" or kind == "repeat_"
  for _, part in pairs(node) do
    if type(part) == "table" and not is_turn(self, part, declared, within) then return false end
  end
  return true
end

--- Whether all threads run a turn of this loop before the next.
function B:turns(block, start, stop, step)
  local first, last, by = self:bounds_of(start), self:bounds_of(stop), self:bounds_of(step)
  if not first or not last or not by or step.constant or first.slope ~= 1 or last.slope ~= 0 or by.slope ~= 0
    or self.draws or not is_turn(self, block, {}) then return false end
  local rows = self.proof.rows
  rows[#rows + 1] = ("  jit_take_turn(row, ma_here.ma_turn, %s, %s, %s);"):format(first.low, last.low, by.low)
  return true
end

--- The function's text, or nil if it has nothing to answer.
function B:proof_text(name, declarations)
  local proof = self.proof
  if not proof or (#proof.tests == 0 and #proof.rows == 0) then return end
  local head, list = table.concat(declarations, ", "), table.concat(proof.lines, "\n")
  local tests = #proof.tests > 0 and table.concat(proof.tests, "\n    && ") or "true"
  return ([[
extern "C" __global__ void %s(%s);
static inline ma_row jit_fits(MA_INDICES, %s) {
%s
  ma_row row = { %s, false, 0, ma_here.ma_threads.x };
%s
  return row;
}
MA_FITS(%s, jit_fits);]]):format(name, head, head, list, tests, table.concat(proof.rows, "\n"), name)
end

return B
