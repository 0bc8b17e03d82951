--- Random programs in Lua as kernels have it: bodies of functions of v (float64, 1 axis), m (float64, 2 axes), c
--- (float64, 3 axes), w (int64, 1 axis), q (int64, 2 axes) and z (float64, 2 axes, not a row of anything). Values stay
--- small and exact; what Lua and integers do differently (x / 0, x % 0) does not come up.

local writer = {}

writer.params = "v, m, c, w, q, z"

--- Functions that programs call: some write into what they are given, some give several results.
writer.devices = {
  { "two", "function two(y) y[1] = (y[1] * 2 + 1) % 1009 return y[1] end" },
  { "bump", "function bump(y, i) y[i] = y[i] + 1 return y[i] end" },
  { "mix", "function mix(a, b) if b % 2 == 0 then return a end return b / 4 + a end" },
  { "pair", "function pair(y) y[1] = y[1] + 1 y[2] = (y[2] * 3) % 1013 return y[1], y[2] end" },
  { "swap", "function swap(y, i, j) y[i], y[j] = y[j], y[i] return y[i], y[j], i end" },
  { "total", "function total(r) local s = 0 for j = 1, #r do s = s + r[j] * j end return s % 4093 end" },
  { "corner", "function corner(r) r[2][1] = (r[2][1] + 0.25) % 512 return r[1][#r[1]] + #r * 100 end" },
  { "note", "function note(y) y[#y] = -y[#y] end" },
  { "deep", "function deep(r, y) local s = r[1] s[1] = two(y) + mix(s[2], #r) return s[1] + total(r[2]) end" },
}

local shapes = { v = { 4 }, m = { 3, 4 }, c = { 2, 3, 4 }, w = { 5 }, q = { 3, 2 }, z = { 3, 3 } }
writer.shapes, writer.order = shapes, { "v", "m", "c", "w", "q" }
local float_arrays, int_arrays = { "v", "m", "c", "z" }, { "w", "q" }

--- The body of a program. `options.outside`: positions are outside now and then.
function writer.body(random, options)
  local lines, indent, count, budget, loops = {}, 1, 0, options.statements or 10, 0
  local floats, ints, rows, functions = {}, {}, {}, {}         -- locals; rows: { name, shape, is_int }
  local function pick(...) return (select(random(1, select("#", ...)), ...)) end
  local function one_of(list) return list[random(1, #list)] end
  local function line(text) lines[#lines + 1] = ("  "):rep(indent) .. text end
  local function fresh(prefix)
    count = count + 1
    return prefix .. count
  end
  local int, float, test

  -- ==== Positions of every form ====

  local function position(extent, depth)
    if options.outside and random(1, 25) == 1 then
      return pick("0 * #v", tostring(extent + 1), "-1 + 0 * #w", "#v * 100", "1.5 + 0 * v[1]")
    end
    local kind = depth <= 0 and 1 or random(1, 5)
    if kind <= 2 then return tostring(random(1, extent)) end
    if kind == 3 then return ("(%s %% %d + 1)"):format(int(0), extent) end
    return ("(%s %% %d + 1)"):format(int(depth - 1), extent)
  end

  --- Something with an array's axes: its name or that of a row, and its extents.
  local function base(is_int)
    local fitting = {}
    for _, row in ipairs(rows) do
      if row.is_int == is_int then fitting[#fitting + 1] = row end
    end
    if #fitting > 0 and random(1, 3) == 1 then
      local row = one_of(fitting)
      return row.name, row.shape
    end
    local name = one_of(is_int and int_arrays or float_arrays)
    return name, shapes[name]
  end

  --- `text` with `n` positions behind it, as x[i][j], x[{i, j}] or between the two.
  local function positions(text, shape, n, depth)
    local at = 1
    while at <= n do
      local take = random(1, n - at + 1)
      if take == 1 and random(1, 3) > 1 then
        text = ("%s[%s]"):format(text, position(shape[at], depth))
      else
        local list = {}
        for k = 1, take do list[k] = position(shape[at + k - 1], depth) end
        text = ("%s[{%s}]"):format(text, table.concat(list, ", "))
      end
      at = at + take
    end
    return text
  end

  local function element(is_int, depth)
    local text, shape = base(is_int)
    return positions(text, shape, #shape, depth)
  end

  --- A part with so many axes left.
  local function part(naxes, is_int, depth)
    for _ = 1, 20 do
      local text, shape = base(is_int)
      if #shape >= naxes then
        return positions(text, shape, #shape - naxes, depth), { unpack(shape, #shape - naxes + 1) }
      end
    end
    if is_int then return naxes == 2 and "q" or "w", naxes == 2 and shapes.q or shapes.w end
    return naxes == 2 and "m" or "v", naxes == 2 and shapes.m or shapes.v
  end

  local function extent(depth)
    local naxes = random(1, 2)
    local text, shape = part(naxes, random(1, 2) == 1, depth)
    local kind = random(1, 4)
    if kind <= 2 then return "#" .. text end
    if kind == 3 then return ("%s.shape[%d]"):format(text, random(1, #shape)) end
    return text .. "." .. pick("size", "ndim")
  end

  -- ==== Calls ====

  local function float_call(depth)
    local kind = random(1, #functions > 0 and 10 or 8)
    if kind > 8 then return ("%s(%s)"):format(one_of(functions), float(depth)) end
    if kind == 8 then                    -- of the one thread that there is
      return ("jit.cub.%s(%s)"):format(pick("BlockReduce('float64'):Sum", "WarpReduce('float64', 8):Max"), float(depth))
    end
    if kind == 1 then return ("two(%s)"):format(part(1, false, depth)) end
    if kind == 2 then
      local text, shape = part(1, false, depth)
      return ("bump(%s, %s)"):format(text, position(shape[1], depth))
    end
    if kind == 3 then return ("mix(%s, %s)"):format(float(depth), int(depth)) end
    if kind == 4 then return ("total(%s)"):format(part(1, false, depth)) end
    if kind == 5 then return ("corner(%s)"):format(part(2, false, depth)) end
    if kind == 6 then return ("deep(%s, %s)"):format(part(2, false, depth), part(1, false, depth)) end
    return ("(pair(%s))"):format(part(1, false, depth))
  end

  local function several(depth)
    if random(1, 3) == 1 then return ("math.modf(%s)"):format(float(depth)) end
    if random(1, 2) == 1 then return ("pair(%s)"):format(part(1, false, depth)) end
    local text, shape = part(1, false, depth)
    return ("swap(%s, %s, %s)"):format(text, position(shape[1], depth), position(shape[1], depth))
  end

  -- ==== Expressions ====

  function int(depth)
    local kind = depth <= 0 and random(1, 3) or random(1, 16)
    if kind == 16 then return ("(jit.cub.BlockScan('int64'):InclusiveSum(%s))"):format(int(depth - 1)) end
    if kind == 1 then return tostring(random(0, 1000)) end
    if kind == 2 then return #ints > 0 and one_of(ints) or "#w" end
    if kind == 3 or kind == 12 then return element(true, depth - 1) end
    if kind == 4 then return ("(%s %s %s)"):format(int(depth - 1), pick("+", "-"), int(depth - 1)) end
    if kind == 5 then return ("(%s %% 1000 * (%s %% 1000))"):format(int(depth - 1), int(depth - 1)) end
    if kind == 6 then return ("(%s %% %d)"):format(int(depth - 1), pick(-7, 3, 10, 64, -100)) end
    if kind == 7 then return ("(%s %% (math.abs(%s) + 1))"):format(int(depth - 1), int(depth - 1)) end
    if kind <= 9 then return ("(%s and %s or %s)"):format(test(depth - 1), int(depth - 1), int(depth - 1)) end
    if kind == 10 then return ("math.%s(%s, %s)"):format(pick("min", "max"), int(depth - 1), int(depth - 1)) end
    if kind == 11 then return extent(depth - 1) end
    if kind == 13 then return ("two(%s)"):format(part(1, true, depth - 1)) end
    if kind == 14 then return ("bit.%s(%s, %s)"):format(pick("band", "bor", "bxor"), int(depth - 1), int(depth - 1)) end
    return ("(-%s)"):format(int(depth - 1))
  end

  function float(depth)
    local kind = depth <= 0 and random(1, 3) or random(1, 18)
    if kind == 1 then return ("%.3f"):format(random(0, 4000) / 512) end
    if kind == 2 then return #floats > 0 and one_of(floats) or "v[1]" end
    if kind == 3 or kind == 13 then return element(false, depth - 1) end
    if kind <= 6 then
      return ("(%s %s %s)"):format(float(depth - 1), pick("+", "-", "*"), pick(float, int)(depth - 1))
    end
    if kind == 7 then
      return ("(%s %s (math.abs(%s) + 0.5))"):format(pick(float, int)(depth - 1), pick("/", "%"),
        pick(float, int)(depth - 1))
    end
    if kind == 8 then return ("math.sqrt(math.abs(%s))"):format(pick(float, int)(depth - 1)) end
    if kind == 9 then return ("math.%s(%s)"):format(pick("floor", "ceil"), float(depth - 1)) end
    if kind == 10 then
      return ("(%s and %s or %s)"):format(test(depth - 1), float(depth - 1), pick(float, int)(depth - 1))
    end
    if kind == 11 then return ("(%s / %d)"):format(int(depth - 1), pick(2, 3, 7, -5)) end
    if kind == 12 then return ("(%s) ^ %s"):format(float(depth - 1), pick("2", "1")) end
    if kind <= 16 then return float_call(depth - 1) end
    if kind == 17 then return ("math.%s(%s, %s)"):format(pick("min", "max"), float(depth - 1), several(depth - 1)) end
    return ("(-%s)"):format(float(depth - 1))
  end

  function test(depth)
    local kind = depth <= 0 and 1 or random(1, 7)
    if kind == 1 then return ("(%s %s %s)"):format(int(0), pick("<", "<=", ">", ">=", "==", "~="), int(0)) end
    if kind == 2 then
      return ("(%s %s %s)"):format(float(depth - 1), pick("<", "<=", ">", ">="), pick(float, int)(depth - 1))
    end
    if kind == 3 then return ("(%s and %s)"):format(test(depth - 1), test(depth - 1)) end
    if kind == 4 then return ("(%s or %s)"):format(test(depth - 1), test(depth - 1)) end
    if kind == 5 then return ("(%s and %s == %s or %s)"):format(test(depth - 1), int(0), int(0), test(depth - 1)) end
    if kind == 6 then
      return ("((%s and %s or %s) > %s)"):format(test(depth - 1), float(depth - 1), float(depth - 1), int(0))
    end
    return ("not (%s)"):format(test(depth - 1))
  end

  -- ==== Statements ====

  local block
  local function small(text) return ("(%s) %% 100003"):format(text) end

  local function inner(depth, more)
    local f, i, r, h, before = #floats, #ints, #rows, #functions, loops
    indent, loops = indent + 1, loops + more
    block(depth)
    if loops > 0 and random(1, 4) == 1 then line(("if %s then break end"):format(test(1))) end
    indent, loops = indent - 1, before
    for list, n in pairs { [floats] = f, [ints] = i, [rows] = r, [functions] = h } do
      while #list > n do table.remove(list) end
    end
  end

  --- A loop whose counter is a local of a kind while its body is written.
  local function counted(list, name, depth, head)
    line(head)
    list[#list + 1] = name
    inner(depth, 1)
    for k = #list, 1, -1 do
      if list[k] == name then table.remove(list, k) end
    end
    line "end"
  end

  local function add_float(name) floats[#floats + 1] = name end

  local statements = {
    function() local text, name = float(3),
      fresh "f" line(("local %s = 0.0 + %s"):format(name, small(text))) add_float(name) end,
    function() local text, name = int(3),
      fresh "i" line(("local %s = %s"):format(name, small(text))) ints[#ints + 1] = name end,
    function() local text = element(false, 2) line(("%s = %s"):format(text, small(pick(float, int)(3)))) end,
    function() local text = element(true, 2) line(("%s = %s"):format(text, small(int(3)))) end,
    function() if #floats > 0 then line(("%s = %s"):format(one_of(floats), small(float(3)))) end end,
    function() if #ints > 0 then line(("%s = %s"):format(one_of(ints), small(int(3)))) end end,
    function()
      local is_int = random(1, 3) == 1
      local text, shape = part(random(1, 2), is_int, 2)
      local name = fresh "r"
      line(("local %s = %s"):format(name, text))
      rows[#rows + 1] = { name = name, shape = shape, is_int = is_int }
    end,
    function()
      local a, b, tail = fresh "f", fresh "f", several(2)
      if random(1, 2) == 1 then
        local first = fresh "f"
        line(("local %s, %s, %s = 0.0 + %s, %s"):format(first, a, b, float(2), tail))
        add_float(first)
      else
        line(("local %s, %s = %s"):format(a, b, tail))
      end
      add_float(a)
      add_float(b)
    end,
    function() local name, tail = fresh "f", several(2) line(("local %s = %s"):format(name, tail)) add_float(name) end,
    function()
      if #floats > 1 then
        local a, b = element(false, 2), one_of(floats)
        line(("%s, %s = %s, %s"):format(pick(a, b), pick(a, b), small(float(2)), b))
      else
        line(("%s, %s = %s, %s"):format(element(false, 2), element(false, 2), small(float(2)), element(false, 1)))
      end
    end,
    function() line(("%s, %s = %s"):format(element(false, 2), element(false, 1), several(2))) end,
    function() line(pick(float_call(2):gsub("^%((.*)%)$", "%1"), "note(" .. part(1, random(1, 2) == 1, 2) .. ")")) end,
    function(depth)
      line(("if %s then"):format(test(2)))
      inner(depth, 0)
      for _ = 1, random(0, 2) do
        line(("elseif %s then"):format(test(2)))
        inner(depth, 0)
      end
      if random(1, 2) == 1 then line "else" inner(depth, 0) end
      line "end"
    end,
    function(depth)
      local name = fresh "k"
      local head = random(1, 4) == 1 and ("1, %s %% 3 + 1"):format(float_call(1)) or random(1, 5) == 1
        and ("%s %% 3, %s %% 4"):format(int(2), int(2))
        or pick("1, #v", "#w, 1, -1", "3, 1", "1, 5, 2", "-2, 3", "1, #v / 3", "#v, 0, 1 - #v",
          "1, #v % 4 + 1, #w % 2 + 1", "2, 0 / 0", "1, #m[1]")
      counted(ints, name, depth, ("for %s = %s do"):format(name, head))
    end,
    function(depth)
      local name = fresh "g"
      counted(floats, name, depth,
        ("for %s = %s do"):format(name, pick("0.5, 3", "1, 2.5, 0.25", "2, 0.1, -0.3", "v[2] * 0 + 1, 3")))
    end,
    function(depth)
      local name = fresh "c"
      line(("local %s = 0"):format(name))
      line(("while %s < %d and %s do"):format(name, random(1, 4), test(2)))
      line(("  %s = %s + 1"):format(name, name))
      inner(depth, 1)
      line "end"
    end,
    function(depth)
      local name = fresh "c"
      line(("local %s = %d"):format(name, random(0, 3)))
      line "repeat"
      line(("  local last = %s"):format(name))
      line(("  %s = %s - 1"):format(name, name))
      inner(depth, 1)
      line(("until last <= 0 or %s"):format(test(2)))
    end,
    function(depth)
      line "do"
      inner(depth, 0)
      line "end"
    end,
    function() if random(1, 4) == 1 then line(("if %s then return end"):format(test(2))) end end,
    function()
      local name, rank = fresh "s", random(1, 2)
      local shape = rank == 1 and { random(2, 4) } or { random(2, 3), random(2, 3) }
      line(("local %s = jit.shared_memory('float64', {%s})"):format(name, table.concat(shape, ", ")))
      if rank == 1 then
        line(("for i = 1, #%s do %s[i] = i end"):format(name, name))
      else
        line(("for i = 1, #%s do for j = 1, #%s[1] do %s[i][j] = i * 10 + j end end"):format(name, name, name))
      end
      rows[#rows + 1] = { name = name, shape = shape, is_int = false }
    end,
    function()                           -- it reads the locals around it, and writes into arrays
      local name, x = fresh "h", fresh "x"
      line((pick("local function %s(%s)", "local %s = function(%s)")):format(name, x))
      indent = indent + 1
      add_float(x)
      if random(1, 3) == 1 then line(("%s = %s"):format(element(false, 2), small(float(2)))) end
      if random(1, 2) == 1 then line(("if %s then return 0.0 + %s end"):format(test(2), small(float(2)))) end
      line(("return 0.0 + %s"):format(small(float(3))))
      table.remove(floats)
      indent = indent - 1
      line "end"
      functions[#functions + 1] = name
    end,
  }

  function block(depth)
    for _ = 1, random(1, 4) do
      budget = budget - 1
      if budget < 0 then return end
      local at = random(1, #statements)
      if depth > 0 or at <= 12 then statements[at](depth - 1) end
    end
  end

  for _ = 1, 3 do block(3) end
  return table.concat(lines, "\n")
end

return writer
