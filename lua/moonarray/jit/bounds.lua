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
--- A number's `bounds` are { low, high }. `self.proof` collects the function's text while a kernel is walked.

local sformat = require("moonarray.text").format

local B = {}

local MOST_TESTS = 64

function B:begin_proof()
  self.proof, self.facts = self.proves and { lines = {}, tests = {}, seen = {} } or nil, {}
end

--- Bounds of a number that is one text, the same for all threads of a row.
function B:single(text)
  if not self.proof then return end
  text = ("jit_end(%s)"):format(text)
  return { low = text, high = text }
end

--- Bounds out of two texts, as constants of the function.
function B:named_bounds(low, high)
  local proof = self.proof
  local n = #proof.lines + 1
  proof.lines[n] = ("  const jit_end low_%d = %s, high_%d = %s;"):format(n, low, n, high)
  return { low = "low_" .. n, high = "high_" .. n }
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
  if op == "+" then return { low = ("(%s + %s)"):format(a.low, b.low), high = ("(%s + %s)"):format(a.high, b.high) } end
  if op == "-" then return { low = ("(%s - %s)"):format(a.low, b.high), high = ("(%s - %s)"):format(a.high, b.low) } end
  if op == "min" or op == "max" then
    return { low = ("jit_%s_end(%s, %s)"):format(op, a.low, b.low),
      high = ("jit_%s_end(%s, %s)"):format(op, a.high, b.high) }
  end
  if op ~= "*" then return end
  a, b = self:named_bounds(a.low, a.high), self:named_bounds(b.low, b.high)
  local list = ("%s * %s, %s * %s, %s * %s, %s * %s"):format(a.low, b.low, a.low, b.high, a.high, b.low, a.high, b.high)
  return self:named_bounds("jit_least(" .. list .. ")", "jit_most(" .. list .. ")")
end

--- Gives a local that is never assigned to the bounds of its value.
function B:bound(variable, bounds)
  variable.bounds = nil
  if not self.proof or not bounds or variable.dtype ~= "int64" or self.assigned[variable.name] then return end
  variable.bounds = self:named_bounds(bounds.low, bounds.high)
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

local opposite = { ["<"] = ">=", [">="] = "<", [">"] = "<=", ["<="] = ">", ["=="] = "~=", ["~="] = "==" }

local function narrow_by(self, node, holds)
  local op = node.op
  if node.kind == "paren" then return narrow_by(self, node.inner, holds) end
  if node.kind == "unary" and op == "not" then return narrow_by(self, node.a, not holds) end
  if node.kind ~= "binary" then return end
  if op == (holds and "and" or "or") then
    narrow_by(self, node.a, holds)
    return narrow_by(self, node.b, holds)
  end
  op = opposite[op] and (holds and op or opposite[op])
  if not op or op == "~=" then return end
  local a, b = bounds_of_node(self, node.a), bounds_of_node(self, node.b)
  if not a or not b then return end
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
end

--- From here on a test holds, or does not. The caller keeps `self.facts` and puts it back.
function B:suppose(test, holds)
  if not self.proof then return end
  self.facts = setmetatable({}, { __index = self.facts })
  narrow_by(self, test, holds)
end

--- The function's text, or nil if it has nothing to answer.
function B:proof_text(name, declarations)
  local proof = self.proof
  if not proof or #proof.tests == 0 then return end
  local head, list = table.concat(declarations, ", "), table.concat(proof.lines, "\n")
  return ([[
extern "C" __global__ void %s(%s);
static inline bool jit_fits(MA_INDICES, %s) {
%s
  return %s;
}
MA_FITS(%s, jit_fits);]]):format(name, head, head, list, table.concat(proof.tests, "\n    && "), name)
end

return B
