--- Counts the instructions that a special function takes for one element on a GPU, from the PTX of its kernel, and
--- prints docs/special-counts.md. It needs NVRTC and no GPU.
--
-- usage: build/unit/nvrtc_special ptx | luajit scripts/special_counts.lua > docs/special-counts.md
--
-- Of the branches it takes those whose instructions cost the most, each loop once; a function with a loop is marked.
-- Left out is how sines of arguments above 100000 are reduced. Divisions and square roots count with the instructions
-- that they are compiled to.

-- An H100: lanes of each kind that a multiprocessor starts in a clock, multiprocessors, clocks and bytes a second.
local LANES = { double = 64, special = 16, all = 128 }
local RATE, BANDWIDTH = 132 * 1.7e9, 3e12

-- What an instruction becomes: double, special (the unit for reciprocals, roots, exponentials and conversions), others.
local FORMS = {
  { "^div%..*f64", 8, 1, 2 }, { "^rcp%.rn%.f64", 6, 1, 2 }, { "^sqrt%..*f64", 7, 1, 3 },
  { "^div%.rn%.f32", 0, 1, 8 }, { "^rcp%.rn%.f32", 0, 1, 5 }, { "^sqrt%.rn%.f32", 0, 1, 6 },
  { "^cvt%..*f64", 0, 1, 0 }, { "^cvt%.", 0, 1, 0 },
  { "approx", 0, 1, 0 },
  { "^neg", 0, 0, 0 }, { "^abs", 0, 0, 0 }, { "^selp%.f64", 0, 0, 2 },          -- signs are parts of operands
  { "^mov", 0, 0, 0 }, { "^cvta", 0, 0, 0 }, { "^bra", 0, 0, 1 }, { "^ld%.param", 0, 0, 0 }, { "^st%.param", 0, 0, 0 },
  { "%.f64$", 1, 0, 0 },
}

local function add(sum, other)
  for k = 1, 3 do sum[k] = sum[k] + other[k] end
end

--- The clocks of a multiprocessor for such instructions of one lane.
local function clocks(c)
  return math.max(c[1] / LANES.double, c[2] / LANES.special, (c[1] + c[2] + c[3]) / LANES.all)
end

local function cost(op)
  for _, form in ipairs(FORMS) do
    if op:find(form[1]) then return { form[2], form[3], form[4] } end
  end
  return { 0, 0, 1 }
end

--- The blocks of a function's body: instructions, successors.
local function blocks_of(lines)
  local blocks, at, current = {}, {}, { count = { 0, 0, 0 }, to = {}, calls = {} }
  blocks[1] = current
  local function open()
    current = { count = { 0, 0, 0 }, to = {}, calls = {} }
    blocks[#blocks + 1] = current
  end
  for _, line in ipairs(lines) do
    local label = line:match("^(%$[%w_]+):")
    local guard, op = line:match("^%s+(@?!?%%?p?%d*)%s*([a-z][%w%.]*)")
    if label then
      open()
      at[label] = #blocks
    elseif op and line:find(";") then
      local target = op:find("^bra") and line:match("(%$[%w_]+)")
      if target then
        add(current.count, { 0, 0, 1 })
        current.to[#current.to + 1] = target
        current.ends = guard == ""
        open()
      elseif op == "ret" then
        current.ends = true
        open()
      else
        add(current.count, cost(op))
      end
    end
    local called = line:match("^%s*call.*[,%s](_Z[%w_]+),?%s*$") or line:match("^%s+([_%w]+),%s*$")
    if called then current.calls[#current.calls + 1] = called end
    if line:find("__cudart_i2opi", 1, true) or called and called:find("trig_reduction", 1, true) then
      current.huge = true
    end
  end
  for k, block in ipairs(blocks) do
    for n, label in ipairs(block.to) do block.to[n] = at[label] end
    if not block.ends and blocks[k + 1] then block.to[#block.to + 1] = k + 1 end
  end
  return blocks
end

--- The dearest way through a function, and whether it has a loop.
local function dearest(name, functions)
  local f = functions[name]
  if f.best then return f.best, f.loop end
  f.best, f.loop = { 0, 0, 0 }, false
  local blocks = blocks_of(f.lines)
  local state, best = {}, {}
  local function visit(k)
    if state[k] == "done" then return best[k] end
    state[k] = "open"
    local most
    for _, to in ipairs(blocks[k].to) do
      if state[to] == "open" then
        f.loop = true
      elseif not blocks[to].huge then
        local way = visit(to)
        if not most or clocks(way) > clocks(most) then most = way end
      end
    end
    local sum = { 0, 0, 0 }
    add(sum, blocks[k].count)
    for _, called in ipairs(blocks[k].calls) do
      if functions[called] then
        local inner, loop = dearest(called, functions)
        add(sum, inner)
        f.loop = f.loop or loop
      end
    end
    if most then add(sum, most) end
    state[k], best[k] = "done", sum
    return sum
  end
  f.best = visit(1)
  return f.best, f.loop
end

local function parse(text)
  local functions, current = {}, nil
  for line in text:gmatch("[^\n]+") do
    local entry = line:find("^%.visible %.entry") and "map" or line:match("^%.func.-([_%w]+)%s*$")
      or line:match("^%.func.-%)%s*([_%w]+)%(") or line:match("^%.func%s+([_%w]+)%(")
    if entry then
      current = { lines = {} }
      functions[entry] = current
    elseif current then
      current.lines[#current.lines + 1] = line
    end
  end
  return functions
end

local rows, names = {}, {}
local function finish(name, dtype, lines)
  local text = table.concat(lines, "\n")
  local count, loop = dearest("map", parse(text))
  local width = text:find("st%.global%.v4") and 4 or text:find("st%.global%.v2") and 2 or 1
  local inputs = select(2, text:gsub("cvta%.to%.global", "")) - 1
  for k = 1, 3 do count[k] = count[k] / width end
  if not rows[name] then
    names[#names + 1] = name
    rows[name] = {}
  end
  local bytes = (inputs + 1) * (dtype == "float32" and 4 or 8)
  rows[name][dtype] = { count = count, loop = loop, floors = clocks(count) / RATE / (bytes / BANDWIDTH) }
end

local name, dtype, lines
for line in io.lines() do
  local n, d = line:match("^==== (%S+) (%S+)")
  if n then
    if name then finish(name, dtype, lines) end
    name, dtype, lines = n, d, {}
  else
    lines[#lines + 1] = line
  end
end
finish(name, dtype, lines)

table.sort(names)
print([[
<!-- Made by scripts/special_counts.lua: do not edit. -->
# What bounds the special functions on a GPU

A special function reads and writes an element in the time in which an H100 can start about 75 instructions in float,
39 in double, or 9 of the unit that makes reciprocals, roots, exponentials and conversions. A function that takes more
is bound by its arithmetic, not by memory. The table counts these instructions for one element in the PTX that NVRTC
makes of each kernel.

Of the branches it takes those whose instructions cost the most, as if every warp had such an element: the arguments of
a program mostly take a cheaper way. A loop counts once, and a `+` marks the functions that have loops, which take more.
Sines of arguments above 100000, which are reduced by a loop of their own, are left out. Divisions and square roots
count with the instructions that they are compiled to: about 9 each.

The columns are the instructions in double, those of that unit, all others, and the time as a multiple of the floor,
which is the larger of 1 and the time of the arithmetic over that of the bytes, at the H100's rates (132 multiprocessors
of 1.7 GHz, 3 TB/s).

| | float32: double | unit | others | x floor | float64: double | unit | others | x floor |
|---|---|---|---|---|---|---|---|---|]])
local function cells(row)
  local c = row.count
  return ("%.0f%s | %.0f | %.0f | %.1f"):format(c[1], row.loop and " +" or "", c[2], c[3], math.max(1, row.floors))
end
for _, key in ipairs(names) do
  print(("| `%s` | %s | %s |"):format(key, cells(rows[key].float32), cells(rows[key].float64)))
end
