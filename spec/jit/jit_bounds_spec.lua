--- Positions that are proved for a row of threads (jit/bounds.lua). Random kernels, of positions that go with the
--- thread, with loops and guards, run twice: as they are, and with each position through a device function, of which
--- nothing is known. They leave the same in their arrays and tell the same fault. BOUNDS_KERNELS=n is how many,
--- BOUNDS_SEED=n the first.

local helper = require "spec.helper"
local ma = helper.ma
local jit = ma.jit

if helper.device ~= "cpu" then
  print("skipped: jit_bounds_spec: positions are proved on the CPU")
  return
end
local runs, why = pcall(function() jit.rawkernel("function(x) x[1] = 1 end")(1, 1, { ma.zeros(1) }) end)
if not runs then
  print("skipped: jit_bounds_spec: " .. tostring(why):match "[^\n]*")
  return
end

local KERNELS, FIRST = tonumber(os.getenv "BOUNDS_KERNELS") or 8, tonumber(os.getenv "BOUNDS_SEED") or 1

local function generator(seed)
  local state = (seed * 7919 + 104729) % 2147483647
  for _ = 1, 10 do state = state * 16807 % 2147483647 end
  return function(low, high)
    state = state * 16807 % 2147483647
    return low + math.floor(state / 2147483647 * (high - low + 1))
  end
end

-- ==== Texts ====

local function writer(seed)
  local random = generator(seed)
  local function one_of(list) return list[random(1, #list)] end

  --- A whole number out of the names in sight.
  local function whole(names, depth)
    local kind = random(1, depth > 0 and 9 or 4)
    if kind <= 3 then return one_of(names) end
    if kind == 4 then return tostring(random(-3, 12)) end
    if kind == 5 then
      return ("math.%s(%s, %s)"):format(one_of { "min", "max" }, whole(names, depth - 1), whole(names, depth - 1))
    end
    if kind == 6 then return ("(%s * %s)"):format(whole(names, depth - 1), one_of { "2", "-1", "m", "3" }) end
    return ("(%s %s %s)"):format(whole(names, depth - 1), one_of { "+", "-" }, whole(names, depth - 1))
  end

  local function test(names, depth)
    local kind = random(1, depth > 0 and 8 or 5)
    if kind <= 5 then
      return ("%s %s %s"):format(whole(names, 1), one_of { "<", "<=", ">", ">=", "==", "~=" },
        one_of { "#x", "#y", "#x - 1", "n", "1", "2", "0", whole(names, 1) })
    end
    if kind == 6 then return ("not (%s)"):format(test(names, depth - 1)) end
    return ("(%s) %s (%s)"):format(test(names, depth - 1), one_of { "and", "or" }, test(names, depth - 1))
  end

  --- One that is no constant: a constant outside is an error of the translation.
  local function position(names)
    local text
    repeat text = whole(names, 1) until text:gsub("math%.%a+", ""):find "%a"
    return text
  end

  local block

  local function statement(names, depth, inside)
    local kind = random(1, depth > 0 and 10 or 4)
    if kind <= 4 then
      local to = position(names)       -- sums, so that the order of threads does not matter
      return ("y[P(%s)] = y[P(%s)] + x[P(%s)]"):format(to, to, position(names))
    elseif kind <= 7 then
      local otherwise = random(1, 3) == 1 and (" else " .. block(names, depth - 1, inside)) or ""
      local other = random(1, 4) == 1 and (" elseif %s then %s"):format(test(names, 1), block(names, depth - 1, inside))
        or ""
      return ("if %s then %s%s%s end"):format(test(names, 2), block(names, depth - 1, inside), other, otherwise)
    elseif kind == 8 then
      return ("if %s then %s end"):format(test(names, 1), inside and one_of { "break", "return" } or "return")
    end
    local counter = "k" .. depth
    local inner = { counter, unpack(names) }
    local step = one_of { "1", "2", "-1", "-3", "m", "1", "jit.gridsize(1)" }
    local first, last = one_of { "1", "i", "j", "0", "n" }, one_of { "#x", "#y", "4", "n", "i" }
    if step:sub(1, 1) == "-" then first, last = last, first end
    return ("for %s = %s, %s, %s do %s end"):format(counter, first, last, step, block(inner, depth - 1, true))
  end

  function block(names, depth, inside)
    local list = {}
    for k = 1, random(1, 2) do list[k] = statement(names, depth, inside) end
    return table.concat(list, " ")
  end

  local text = { "function(x, y, n, m)", "local i, j = jit.grid(2)" }
  if random(1, 3) == 1 then text[2] = "local i, j = jit.threadIdx.x + 1, jit.blockIdx.x * jit.blockDim.x" end
  text[3] = ("local e = %s + %s"):format(one_of { "i", "j", "n" }, whole({ "i", "j", "n", "m" }, 2))
  for k = 1, 3 do text[3 + k] = statement({ "i", "j", "e", "i", "n" }, 2, false) end
  local last = random(1, 4)
  if last == 1 then
    text[#text + 1] = ("for k = i + %d, %s, jit.gridsize(1) do %s end"):format(random(-1, 2),
      one_of { "#x", "#y", "n" }, block({ "k", "i", "j", "e" }, 1, true))
    table.remove(text, 4)
    if random(1, 2) == 1 then table.remove(text, 5) table.remove(text, 4) end
  elseif last == 2 then
    text[#text + 1] = ("if %s then %s end"):format(test({ "i", "j", "e" }, 2), block({ "i", "j", "e" }, 1, false))
    for _ = 1, 3 do table.remove(text, 4) end
  elseif last == 3 then
    table.insert(text, 4, ("if %s then return end"):format(test({ "i", "j", "n", "e" }, 2)))
  end
  text[#text + 1] = "end"
  return table.concat(text, "\n")
end

-- ==== Runs ====

local itself = jit.device "function(k) return k end"

--- What a kernel leaves in y, or a fault's text.
local function result(kernel, length, case)
  local x, y = ma.arange(1, length + 1), ma.zeros(length + case.more)
  local fine, message = pcall(function()
    kernel(case.grid, case.block, { x, y, case.n, case.m })
    ma.synchronize()
  end)
  return table.concat(y:tolist(), " "), fine or tostring(message):match "position [^\n]*"
end

describe("positions of a row of threads", function()
  for seed = FIRST, FIRST + KERNELS - 1 do
    it("are right with and without a proof, seed " .. seed, function()
      local text, random = writer(seed), generator(seed + 1000)
      local given = jit.rawkernel(text:gsub("P%b()", function(s) return s:sub(2) end), { name = "bounds" })
      local apart = jit.rawkernel(text:gsub("P%(", "itself("), { name = "bounds", constants = { itself = itself } })
      for _ = 1, 40 do
        local case = { grid = { random(1, 3), random(1, 2) }, block = { random(1, 9), random(1, 3) },
          more = random(-1, 3), n = random(-2, 20), m = random(-2, 3) }
        if random(1, 10) == 1 then case.n = 2 ^ 53 - random(0, 9) end
        if text:find "for" and case.n > 1000 then case.n = 7 end      -- loops that end
        if case.m == 0 and text:find(", m do", 1, true) then case.m = 1 end
        local length = random(1, 24)
        local want, why_want = result(apart, length, case)
        local found, why_found = result(given, length, case)
        assert.are.equal(want, found, text)
        assert.are.equal(why_want, why_found, text)
      end
    end)
  end

  it("are proved by guards, early returns, loops and constants", function()
    local x = ma.ones({ 20, 30 })
    local function proved(source)
      local code = jit.rawkernel("function(x, n) " .. source .. " end"):code_for { x, 3 }
      local all = select(2, code:gsub("jit_step%(ma_here", ""))
      return select(2, code:gsub("jit_step%(faults", "")) == 0 and all > 0
    end
    assert.is_true(proved "local j, i = jit.grid(2) if i <= #x and j <= x.shape[2] then x[{i, j}] = 1 end")
    assert.is_true(proved "for i = 1, #x do for j = 1, x.shape[2], 2 do x[{i, j}] = x[{i, 1}] + n end end")
    assert.is_true(proved "local i = jit.grid(1) if not (i < 20) then return end x[{i + 1 - n, n}] = 0")
    assert.is_false(proved "x[{x[{1, 1}], 1}] = n")
    assert.is_false(proved "local i = 1 i = i + n x[{i, 1}] = n")
  end)

  local function text_of(body)
    return jit.rawkernel("function(x, n) " .. body .. " end"):code_for { ma.ones(20), 3 }
  end

  it("are chosen by the tests that a kernel begins with", function()
    local function chosen(body) return text_of(body):find("jit_narrow(row, low", 1, true) ~= nil end
    assert.is_true(chosen "local i = jit.grid(1) if i > 1 and i < #x then x[i] = x[i - 1] end")
    assert.is_false(chosen "local i = jit.grid(1) if i > #x or i < 3 and x[i] > 1 then return end x[i] = 1")
    assert.is_true(chosen "local i = jit.grid(1) if i > #x or i < n then return end x[i] = 1")
    assert.is_false(chosen "local i = jit.grid(1) if i <= #x then x[i] = 1 end x[1] = 2")
    assert.is_false(chosen "local i = jit.grid(1) if i <= #x then x[i] = 1 else x[1] = 2 end")
    assert.is_false(chosen "local i = jit.grid(1) local v = x[i] if i <= #x then x[1] = v end")
    assert.is_false(chosen "local i = jit.grid(1) if i > #x then x[1] = 2 return end x[i] = 1")
    assert.is_false(chosen "local i = jit.grid(1) if 2 * i <= #x then x[i] = 1 end")
  end)

  it("take turns in strided loops, if nothing lasts from one to the next", function()
    local head = "for i = jit.grid(1), #x, jit.gridsize(1) do "
    local function turns(body) return text_of(body):find("jit_take_turn(row, ma", 1, true) ~= nil end
    assert.is_true(turns(head .. "x[i] = x[i] + n end"))
    assert.is_true(turns(head .. "local s = 0 for k = 1, 3 do if k == n then break end s = s + k end x[i] = s end"))
    assert.is_false(turns(head .. "if x[i] > 2 then break end x[i] = 1 end"))
    assert.is_false(turns(head .. "if x[i] > 2 then return end x[i] = 1 end"))
    assert.is_false(turns("local s = 0 " .. head .. "s = s + x[i] end"))
    assert.is_false(turns(head .. "jit.atomic_add(x, 1, x[i]) end"))
    assert.is_false(turns(head .. "x[i] = 1 end x[1] = 2"))
    assert.is_false(turns "for i = 1, #x, jit.gridsize(1) do x[i] = 1 end")
    local k = jit.rawkernel("function(x, n) " .. head .. "x[i] = x[i] + i end end")
    for length = 1, 90 do
      local x = ma.zeros(length)
      k({ 3 }, { 7 }, { x, 1 })
      assert.are.same(ma.arange(1, length + 1):tolist(), x:tolist())
    end
  end)

  it("are inside up to the last one, and no further", function()
    local plain = jit.rawkernel "function(x, n) local i = jit.grid(1) x[i + n] = i end"
    local guarded = jit.rawkernel [[function(x, n)
      local i = jit.grid(1)
      if i >= 1 - n and i + n <= #x then x[i + n] = i end
    end]]
    for n = -1, 1 do
      local x, y = ma.zeros(12), ma.zeros(12)
      local fine, message = pcall(function()
        plain(3, 4, { x, n })
        ma.synchronize()
      end)
      assert.are.equal(n == 0, fine)
      local where = n < 0 and "position 0 on" or "position 13 on"
      if n ~= 0 then assert.is_truthy(tostring(message):find(where, 1, true), message) end
      guarded(3, 4, { y, n })
      ma.synchronize()
      local want = {}
      for at = 1, 12 do want[at] = at - n >= 1 and at - n <= 12 and at - n or 0 end
      assert.are.same(want, y:tolist())
      assert.are.same(want, x:tolist())
    end
  end)

  it("do not trust a test that wraps", function()
    local k = jit.rawkernel("function(x, n) local i = jit.grid(1) if i + n <= #x then x[i + n] = 1 end end")
    local x, most = ma.zeros(8), 0x7fffffffffffffffLL
    local fine, message = pcall(function()
      k(1, 4, { x, most })
      ma.synchronize()
    end)
    assert.is_false(fine)
    assert.is_truthy(tostring(message):find("position -9223372036854775808 on axis 1", 1, true), message)
    assert.are.equal(0, x:sum():item())
  end)
end)
