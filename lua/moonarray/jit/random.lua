--- Random numbers in kernels: ma.jit.random, randint, randn and math.random. A function has a number for each place of
--- its text that draws, and one more for each place of the functions that it calls, as often as it calls them. In a
--- launch the k-th place draws what the generator's draw k of that launch has for the element. In the turns of a loop a
--- place takes other words of the same draw, by their number (kernels/random/element.h).
---
--- Each generator that a function draws from is a parameter: jit_draws, from the function's first draw on.

local types = require "moonarray.jit.types"
local taken = require "moonarray.captures.kernel"
local value = require "moonarray.jit.value"

local FACTOR = require "moonarray.element.places".FACTOR

local number = value.number
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
local function nothing() end
local random = { builtins = {} }

-- ==== Places =========================================================================================================

--- The number of a generator among those of the module. `object` is false for that of ma.random.
local function number_of(module, object)
  for g, known in ipairs(module.generators) do
    if known == object then return g end
  end
  module.generators[#module.generators + 1] = object
  return #module.generators
end

--- Takes places of a generator: those of a function that is called, or one. Returns the number of the first, from 0.
local function take(self, g, count)
  local first = self.places[g] or 0
  self.places[g] = first + count
  if not self.draws then self.draws, self.changed = true, true end
  return first
end

--- The draws of a generator from a place on, in the turn of the loops around.
local function at_place(self, g, count)
  local k, turn = take(self, g, count), ("jit_g%d.turn"):format(g)
  for _, name in ipairs(self.turn_names) do turn = ("(%s * %du + %s)"):format(turn, FACTOR, name) end
  return ("jit_g%d.at(%d, %s)"):format(g, k, turn)
end

--- What a call of a function that draws passes, as a list.
function random.passed(self, callee)
  local list = {}
  for g = 1, #self.module.generators do
    local count = callee.places[g]
    if count then list[#list + 1] = at_place(self, g, count) end
  end
  return list
end

function random.declarations(fn)
  local list = {}
  for g = 1, #fn.module.generators do
    if fn.places[g] then list[#list + 1] = ("const jit_draws jit_g%d"):format(g) end
  end
  return list
end

-- ==== Draws ==========================================================================================================

--- The generator of a draw, by the argument's value and node.
local function generator_of(self, node, line, name)
  if not node then return number_of(self.module, false) end
  local v = self:expression(node)
  local language = self.module.language
  if v.kind ~= "lua" or not language.is_generator(v.lua) then
    self:fail(line, ("the generator of '%s' is %s; wanted one of ma.random.default_rng, from outside"):format(name,
      self:describe(v)))
  end
  return number_of(self.module, v.lua)
end

--- Begins a loop: returns a function to call where a turn begins, and one for where the loop ends. Turns are counted
--- for draws, unless the number of one is given.
function random.loop(self, line, turn)
  if not self.draws then return nothing, nothing end
  local around, count = self.turn_names, not turn and self:unique "turns"
  turn = turn or self:unique "turn"
  if count then self:emit(line, ("u4 %s = 0;"):format(count)) end
  return function()
    if count then self:emit(line, ("const u4 %s = %s++;"):format(turn, count)) end
    self.turn_names = { unpack(around) }
    self.turn_names[#around + 1] = turn
  end, function() self.turn_names = around end
end

--- Draws as a statement, so that the order of places is that of the text.
local function drawn(self, line, name, g, dtype, text)
  local module = self.module
  if module.unnumbered and not module.near then
    self:fail(line, ("'%s' in '%s', which is not of one element"):format(name, module.unnumbered))
  end
  self:help "jit_draws"
  local c = self:constant("drawn", dtype, text:format(at_place(self, g, 1)), line)
  return number(c, dtype)
end

local bits = { float16 = 11, bfloat16 = 8, float32 = 24 }

local function uniform(self, line, name, g)
  local dtype = self.module.draw_dtype
  return drawn(self, line, name, g, dtype, dtype == "float64" and "jit_uniform_d(%s)"
    or ("jit_uniform_f(%%s, %d)"):format(bits[dtype]))
end

local function normal(self, line, name, g)
  local dtype = self.module.draw_dtype
  return drawn(self, line, name, g, dtype, dtype == "float64" and "jit_normal_d(%s)"
    or self:rounded("jit_normal_f(%s)", dtype))
end

--- A bound of whole numbers.
local function bound(self, node, line, what, name)
  local v = self:as_number(self:expression(node), line, ("%s of '%s'"):format(what, name))
  if v.kind == "unknown" then return v end
  v = taken.constant(self, v)
  if v.constant and (v.constant ~= math.floor(v.constant) or math.abs(v.constant) > 2 ^ 53)
    or not v.constant and not types.is_integer(v.dtype) then
    self:fail(line, ("%s of '%s' is %s; wanted a whole number"):format(what, name, self:describe(v)))
  end
  return v
end

--- A whole number of low .. high, or to below high.
local function integer(self, line, name, g, low, high, open)
  if low.kind == "unknown" or high.kind == "unknown" then return value.unknown end
  if low.constant and high.constant and low.constant > high.constant - (open and 1 or 0) then
    self:fail(line, ("low is %.0f and high %.0f; wanted low %s high"):format(low.constant, high.constant,
      open and "<" or "<="))
  end
  local last = open and self:arithmetic("-", high, value.constant(1, "int"), line) or high
  return drawn(self, line, name, g, "int64", ("jit_integer(%%s, %s, %s)"):format(self:integer(low),
    self:integer(last)))
end

local function with_generator(draw)
  return { takes_nodes = true, most = 1, call = function(self, nodes, line, name)
    return draw(self, line, name, generator_of(self, nodes[1], line, name))
  end }
end

random.builtins.random, random.builtins.randn = with_generator(uniform), with_generator(normal)

--- Evaluates two bounds, in order.
local function bounds(self, nodes, line, name)
  local list = self:sequence(2, line, function(k)
    return bound(self, nodes[k], line, k == 1 and "low" or "high", name)
  end)
  return list[1], list[2]
end

random.builtins.randint = { takes_nodes = true, least = 2, most = 3, call = function(self, nodes, line, name)
  local low, high = bounds(self, nodes, line, name)
  return integer(self, line, name, generator_of(self, nodes[3], line, name), low, high, true)
end }

--- Lua's: random(), random(m) of 1 .. m, random(m, n) of m .. n.
random.math = { takes_nodes = true, most = 2, call = function(self, nodes, line, name)
  local g = number_of(self.module, false)
  if #nodes == 0 then return uniform(self, line, name, g) end
  if #nodes == 1 then
    return integer(self, line, name, g, value.constant(1, "int"), bound(self, nodes[1], line, "the argument", name))
  end
  local low, high = bounds(self, nodes, line, name)
  return integer(self, line, name, g, low, high)
end }

-- ==== Launches =======================================================================================================

-- What a kernel gets of each generator: the halves of its key, the number of the first draw, and the address of what a
-- graph has in their place.
local parts = { "low", "high", "draw", "cell" }

--- The kernel's parameters, each by `format` of its type and its name.
function random.parameters(module, format)
  local list = {}
  for g = 1, #module.generators do
    for _, part in ipairs(parts) do
      list[#list + 1] = format:format(part == "cell" and "uint64" or "uint32", ("jit_%s%d"):format(part, g))
    end
  end
  return list
end

--- The values of these parameters for a launch, which takes its draws. `draws` is a list of { generator, count }.
function random.values(core, name, draws, stream, array)
  local list = {}
  for _, of in ipairs(draws) do
    local low, high, draw, cell = core.take_draws(name, of[1] or nil, of[2], stream, array)
    local n = #list
    list[n + 1], list[n + 2], list[n + 3], list[n + 4] = low, high, draw, cell
  end
  return list
end

--- What `values` takes for a function, whose module has no other that draws; nil if it does not draw.
function random.taken(fn)
  local draws = {}
  for g, object in ipairs(fn.module.generators) do draws[g] = { object, fn.places[g] or 0 } end
  return #draws > 0 and draws or nil
end

--- The first argument of a function of elements for each generator: the draws of element `i`.
function random.of_element(fn, i)
  local list = {}
  for g = 1, #fn.module.generators do
    if fn.places[g] then
      list[#list + 1] = ("jit_draws_of(jit_low%d, jit_high%d, jit_draw%d, jit_cell%d, %s)"):format(g, g, g, g, i)
    end
  end
  return list
end

--- The same for the body of a stencil: what each run draws for it (lua/moonarray/element/draws.lua), its reads of that
--- from field `nfield` on, and the arguments. `nread` reads are there, and a place has `ndim` axes.
function random.of_body(fn, nfield, nread, ndim)
  local draws, reads, list = {}, {}, {}
  local function read(description)
    draws[#draws + 1] = description
    local at = { nfield + #draws - 1, dtype = description[2] }
    for d = 1, ndim do at[d + 1] = 0 end
    reads[#reads + 1] = at
    return ("v%d"):format(nread + #reads - 1)
  end
  local element
  for g, object in ipairs(fn.module.generators) do
    if fn.places[g] then
      element = element or read { "element", "int64" }
      list[#list + 1] = ("jit_draws_of(%s, %s)"):format(read { "cell", "complex128", fn.places[g], object },
        element)
    end
  end
  return draws, reads, list
end

--- The statements with which a kernel begins: the draws of its thread, whose number has the text `thread`.
function random.of_thread(fn, thread)
  local list = {}
  for g = 1, #fn.module.generators do
    if fn.places[g] then
      list[#list + 1] = ("  const jit_draws jit_g%d = jit_draws_of(jit_low%d, jit_high%d, jit_draw%d, jit_cell%d, "
        .. "%s);"):format(g, g, g, g, g, thread)
    end
  end
  return list
end

--- The text that draws; `text` has the functions of one element.
function random.helper(text)
  return text .. [[
/* The draws of one element, from a place of a function on, and the number of the turn around it. */
struct jit_draws {
  ma_drawing from; u4 turn;
  __device__ __forceinline__ jit_draws at(u4 k, u4 t) const {
    jit_draws d = {from, t};
    d.from.draw += k;
    return d;
  }
};
static __device__ __forceinline__ jit_draws jit_draws_of(u4 low, u4 high, u4 draw, u8 cell, u8 element) {
  return {ma_drawing_of(low, high, draw, (const ma_random_cell *)cell, element), 0};
}
/* The bytes of a number are those of a ma_random_cell. */
static __device__ __forceinline__ jit_draws jit_draws_of(ma_c128 cell, i8 element) {
  ma_drawing d;
  d.key = ma_bits8(cell.re);
  d.draw = u4(ma_bits8(cell.im));
  d.element = u8(element);
  return {d, 0};
}
static __device__ __forceinline__ double jit_uniform_d(jit_draws d) { return ma_element_uniform_d(d.from, d.turn); }
static __device__ __forceinline__ float jit_uniform_f(jit_draws d, int bits) {
  return ma_element_uniform_f(d.from, d.turn, bits);
}
static __device__ __forceinline__ double jit_normal_d(jit_draws d) { return ma_element_normal_d(d.from, d.turn); }
static __device__ __forceinline__ float jit_normal_f(jit_draws d) { return ma_element_normal_f(d.from, d.turn); }
static __device__ __forceinline__ i8 jit_integer(jit_draws d, i8 from, i8 to) {
  return ma_element_integer(d.from, d.turn, from, to);
}]]
end

return random
