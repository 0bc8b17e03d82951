--- Random programs over arrays, each run twice: with operators evaluated at once and with operators that defer. What
--- the two read must agree bit for bit (NaN payloads aside), errors included.
--
-- A program is a list of lines of Lua over `v`, a table of arrays. Line k depends on the seed and on k alone, and on
-- what the lines before it left (shapes and dtypes, never values), so a prefix of a program is a program, and what
-- fails can be printed, shortened and run by hand. Each line is a chunk of its own; one that raises goes on with the
-- next, and its message is a reading like any other.
--
-- spec/fusion/fusion_fuzz_spec.lua runs some thousands, scripts/fuzz_fusion.lua as many as one likes.

local ffi = require "ffi"
local helper = require "spec.helper"
local writing = require "spec.fusion.fusion_lines"
local ma, core = helper.ma, helper.core

local fuzz = { fused = 0 }                                         -- expressions that ran as one kernel, deferred

local reseed, random, chance, pick = writing.reseed, writing.random, writing.chance, writing.pick
local braces, few, words = writing.braces, writing.few, writing.words
local set_fusion = rawget(ma, "set_fusion") or function() end
local general = os.getenv "FUZZ_FORMS" == "general"                -- the deferred run has no kernel but general forms

-- ==== What lines may use ====

local mem_size = 64
local mem = ffi.new("double[?]", mem_size)                         -- foreign memory
local big                                                          -- values that every array begins with

local function make_big()
  local random_of, list = helper.random(5), {}
  for k = 1, 8192 do
    local kind = random_of(1, 12)
    if kind <= 5 then list[k] = random_of(-9, 9)
    elseif kind <= 9 then list[k] = random_of(-4096, 4096) / 256
    elseif kind == 10 then list[k] = random_of() * 3
    elseif kind == 11 then list[k] = random_of(-3, 3) * 1e3
    else list[k] = pick { 0, -0.0, 0 / 0, math.huge, -math.huge, 1e-30, 255, -129 } end
  end
  return ma.array(list, "float64")
end

local readings, at                                                 -- of the program that runs; the line that runs

local function add_reading(text, dtype, bytes)
  readings[#readings + 1] = { line = at, text = text, dtype = dtype, bytes = bytes }
end

local function text_of(value)
  if type(value) == "number" then return value ~= value and "nan" or ("%.17g"):format(value) end
  if type(value) == "table" then
    local parts = {}
    for k = 1, #value do parts[k] = text_of(value[k]) end
    return "{" .. table.concat(parts, ", ") .. "}"
  end
  return (tostring(value):gsub("%-nan", "nan"))
end

local function read(...)
  for k = 1, select("#", ...) do
    local value = select(k, ...)
    if type(value) == "userdata" and rawequal(getmetatable(value), getmetatable(big)) then
      local strides = value.size > 0 and value.strides or {}
      add_reading(("%s (%s) strides (%s)"):format(value.dtype, table.concat(value.shape, ", "),
        table.concat(strides, ", ")), value.dtype,
        value:tobytes())
    else
      add_reading(text_of(value))
    end
  end
end

local env = setmetatable({ ma = ma, read = read, mem = mem, ffi = ffi }, { __index = _G })

function env.data(from, dtype, shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return big[{ { from, from + n - 1 } }]:astype(dtype):reshape(shape)
end

-- A use of `x` whose reading is made by `how` in a coroutine of its own.
function env.apart(fn, ...) return select(2, assert(coroutine.resume(coroutine.create(fn), ...))) end

local function open()
  if big then return end
  big = make_big()
  env.null = ma.Stream.null
  env.s = { ma.Stream(), ma.Stream { non_blocking = true } }
  env.fused = ma.fuse(function(x, y) return x * y + 1 - x end)
  env.both = ma.fuse(function(x, y) return x + y, x - y end)
  env.doubled = ma.ElementwiseKernel("T x, T y", "T z", "z = x + x - y", "fuzz_twice")
  env.scale = ma.RawKernel([[extern "C" __global__ void fuzz_scale(float *x, const float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * 2 + y[i];
  }]], "fuzz_scale")
end

-- The raw kernel over arrays that lie in memory as it wants them; others are left alone.
function env.scaled(x, y)
  if x.dtype ~= "float32" or y.dtype ~= "float32" or x.size ~= y.size or x.size == 0 or not x.is_contiguous
    or not y.is_contiguous then
    return
  end
  env.scale({ math.ceil(x.size / 64) }, { 64 }, { x, y, x.size })
end

-- Compiled for two dtypes alone: each takes a second or so.
local own = { float32 = true, float64 = true }
function env.twice(x, ...)
  if own[x.dtype] then return env.doubled(x, ...) end
end

-- In the fused run the nth allocation from now fails once, and is tried again.
function env.starve(n) if env.fusing then core.fail_allocation(n) end end

--- Lets go of everything that programs share.
function fuzz.close()
  set_fusion(true)
  big = nil
  for _, name in ipairs { "s", "null", "fused", "both", "doubled", "scale", "v", "e", "rng" } do env[name] = nil end
end

local function begin(program, fused)
  open()
  set_fusion(fused)
  core.general_forms(general and fused)
  readings, at = {}, 0
  env.v, env.e, env.rng = {}, { ma.Event() }, ma.random.default_rng(program.seed)
  for k = 0, mem_size - 1 do mem[k] = k / 4 - 3 end
  if program.collector == "stopped" then collectgarbage("stop") end
end

local function finish(program)
  core.fail_allocation(0)
  env.null:use()
  local v = env.v
  at = program.length + 1
  for k = 1, program.slots do                                      -- what is left, in the end
    local ok, message = true, nil
    if v[k] then ok, message = pcall(read, v[k]) end
    if not ok then add_reading("error: " .. tostring(message)) end
  end
  env.v, env.e, env.rng = nil, nil, nil
  if program.collector == "stopped" then collectgarbage("restart") end
  return readings
end

local function step(program, k)
  at = k
  local ok, message = pcall(program[k].fn)
  if not ok then add_reading("error: " .. tostring(message):gsub("0x%x+", "0x"):gsub(" at [^ ]+$", "")) end
  if program.collector == "eager" then collectgarbage() end
  return ok
end

-- In the unfused run it does nothing; in the fused one it turns fusion off for the line behind it, and on again.
local toggled = false
function env.toggle()
  if not env.fusing then return end
  toggled = not toggled
  set_fusion(not toggled)
end

-- ==== A program ====

local function compile(text)
  local fn = assert(loadstring(text, "=line"), text)
  return setfenv(fn, env)
end

local function begin_program(seed)
  reseed(seed, 0)
  local h, w = pick(writing.extents), pick(writing.extents)
  if chance(4) then h, w = random(40, 70), random(40, 70) end
  if few then h, w = 8, 16 end
  local program = { seed = seed, slots = 9, length = 0,
    collector = pick { "usual", "usual", "usual", "usual", "stopped", "stopped", "stepped" } }
  if chance(3) then program.collector = "eager" end
  program.shapes = { { h, w }, { h, w }, { h, w }, { w }, { h, 1 }, { 1, w }, { w, h }, { h * w } }
  if few then program.shapes, program.slots = { { h, w }, { h, w }, { h, w }, chance(15) and { w } or { h, w } }, 5 end
  if chance(8) and not few then program.shapes[#program.shapes + 1] = { 0, w } end
  program.dtypes = { pick(writing.dtypes), pick(writing.dtypes), pick(writing.dtypes) }
  return program
end

-- One line, or nil. Some lines that raise are kept: an error must come from the call that made it, fused or not.
local function write_line(program, k)
  reseed(program.seed, k)
  local text
  if k <= 4 then
    local shape = pick(program.shapes)
    if k == 1 then shape = program.shapes[1] end
    local n = 1
    for _, extent in ipairs(shape) do n = n * extent end
    text = ('v[%d] = data(%d, "%s", %s)'):format(k, random(1, 8192 - n), pick(program.dtypes), braces(shape))
  else
    if #writing.live() == 0 then
      return ('v[1] = data(1, "%s", %s)'):format(program.dtypes[1], braces(program.shapes[1]))
    end
    text = pick(writing.kinds)(program)
  end
  return text
end

-- Bytes of any one array, so that broadcasts in a row do not grow without end.
local MOST = 40000

--- Writes the program of a seed and runs it unfused on the way. Returns it with the `readings` of that run.
function fuzz.write(seed, length)
  local program = begin_program(seed)
  writing.begin(program.slots)
  env.fusing, toggled = false, false
  begin(program, false)
  for k = 1, length do
    local text = write_line(program, k)
    if text then
      local n = #program + 1
      local before = #readings
      program[n] = { text = text, fn = compile(text) }
      program.length = n
      local fine = step(program, n)
      for slot = 1, program.slots do
        if text:find("v[" .. slot .. "]", 1, true) and (writing.look(slot, env.v[slot]) or 0) > MOST then
          env.v[slot] = nil
          writing.look(slot, nil)
        end
      end
      if not fine and not chance(10) then
        program[n], program.length = nil, n - 1
        for r = #readings, before + 1, -1 do readings[r] = nil end
      end
    end
  end
  program.readings = finish(program)
  return program
end

--- Runs a program as written; returns its readings.
function fuzz.run(program, fused)
  local before = select(7, core.deferrals())
  env.fusing, toggled = fused, false
  begin(program, fused)
  for k = 1, program.length do
    step(program, k)
    for slot = 1, program.slots do
      local x = env.v[slot]
      if x then
        local ok, size = pcall(function() return x.size end)
        if ok and size > MOST then env.v[slot] = nil end
      end
    end
  end
  local list = finish(program)
  set_fusion(true)
  core.general_forms(false)
  if fused then fuzz.fused = fuzz.fused + select(7, core.deferrals()) - before end
  return list
end

--- The first difference as a sentence, or nil.
function fuzz.difference(program, want, got)
  for k = 1, math.max(#want, #got) do
    local a, b = want[k], got[k]
    local where = (a or b).line
    where = where > program.length and "in the end" or "line " .. where
    if not a or not b then return ("%s: %s readings; wanted %d"):format(where, #got, #want) end
    if a.text ~= b.text then return ("%s: %s; wanted %s"):format(where, b.text, a.text) end
    if a.bytes ~= b.bytes then
      local why = helper.difference(b.bytes, a.bytes, a.dtype, 0)
      if why then return ("%s: %s: %s"):format(where, a.text, why) end
    end
  end
  return nil
end

local function compare(program)
  return fuzz.difference(program, fuzz.run(program, false), fuzz.run(program, true))
end

--- The program without the lines that the difference does not need.
function fuzz.shrink(program)
  local lines = {}
  for k = 1, program.length do lines[k] = program[k] end
  local function with(list)
    local p = setmetatable({ length = #list }, { __index = program })
    for k = 1, #list do p[k] = list[k] end
    return p
  end
  for n = 1, #lines do                                             -- the shortest prefix that fails
    local prefix = { unpack(lines, 1, n) }
    if compare(with(prefix)) then lines = prefix break end
  end
  local size = math.floor(#lines / 2)
  while size >= 1 do
    local k = 1
    while k <= #lines do
      local fewer = {}
      for i = 1, #lines do if i < k or i >= k + size then fewer[#fewer + 1] = lines[i] end end
      if #fewer < #lines and compare(with(fewer)) then lines = fewer else k = k + size end
    end
    size = math.floor(size / 2)
  end
  return with(lines)
end

--- Runs the program of one seed both ways. Returns nil, or what differs with the shortest program that shows it.
function fuzz.check(seed, length, quick)
  local program = fuzz.write(seed, length)
  local got = fuzz.run(program, true)
  local why = fuzz.difference(program, program.readings, got)
  -- A line that raised and was left out may have done something before: what counts is a run of the program as it is
  -- now.
  if why then why = fuzz.difference(program, fuzz.run(program, false), got) end
  if not why then return nil, program end
  local text = { ("%s%sFUZZ_SEED=%d: %s"):format(general and "FUZZ_FORMS=general " or "",
    words and "FUZZ_VOCABULARY=" .. words .. " " or "", seed, why) }
  if not quick then
    local short = compare(program) and fuzz.shrink(program) or program
    text[#text + 1] = ("collector: %s; the shortest program (v, data, read, s, e, rng, fused as in " ..
      "spec/fusion/fusion_fuzz.lua):"):format(program.collector)
    for k = 1, short.length do text[#text + 1] = ("  %2d  %s"):format(k, short[k].text) end
    text[#text + 1] = "  " .. (compare(short) or "(not seen again)")
  end
  return table.concat(text, "\n"), program
end

fuzz.core, fuzz.general = core, general
return fuzz
