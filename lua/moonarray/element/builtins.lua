--- What functions with the types of ma.jit may call: mathematics and casts of numbers (typed.lua), by the entries of
--- lua/moonarray/jit/builtins.lua. What is missing here only a kernel has.

local builtins = require "moonarray.jit.builtins"
local mathematics = require "moonarray.element.mathematics"
local places = require "moonarray.element.places"
local random = require "moonarray.jit.random"
local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

return function(ma, core, T)
  local refuse, number, cast = T.refuse, T.number, T.cast
  local select_, less = core.operation "where", core.operation "less"
  local floor, handlers = math.floor, {}

  local function of_float(dtype) return types.is_integer(dtype) and "float64" or dtype end

  --- An element, or a number that is known, of the float dtype of a number.
  local function float_of(v)
    if v.weak then refuse "mathematics of an argument that is a number" end
    local dtype = of_float(v.dtype)
    return cast(v, dtype), dtype
  end

  --- One float. `exact`: it has the same bits in a kernel, by this function of Lua's for what is known.
  local function one(name, exact, constant)
    return function(args)
      local v = number(args[1])
      if v.literal then
        if not constant then refuse(name .. " of a constant") end
        return T.literal(constant(v.known), "float")
      end
      local x, dtype = float_of(v)
      if type(x) == "number" then
        if not exact or not constant then refuse(name .. " of a number that is known") end
        return T.known(constant(x), dtype)
      end
      T.inexact = T.inexact or not exact
      return T.of_node(ma[name](x), dtype)
    end
  end

  for name in pairs(mathematics.floats) do
    handlers[builtins.math[name]] = one(mathematics.renamed[name] or name, name == "sqrt", math[name])
  end
  for name in ("cbrt exp2 expm1 log2 log1p rint trunc arcsinh arccosh arctanh"):gmatch "%S+" do
    handlers[builtins.math[name]] = one(name, name == "rint" or name == "trunc")
  end

  --- Of a whole number the number itself.
  for _, name in ipairs { "floor", "ceil" } do
    local of_floats = one(name, true, math[name])
    handlers[builtins.math[name]] = function(args)
      local v = number(args[1])
      if v.literal then return number(math[name](v.known)) end
      if types.is_integer(v.dtype) then return v end
      return of_floats(args)
    end
  end

  handlers[builtins.math.abs] = function(args)
    local v = number(args[1])
    if v.literal then return T.literal(math.abs(v.known), v.weak) end
    if v.known then return T.known(math.abs(v.known), v.dtype) end
    if v.weak then refuse "mathematics of an argument that is a number" end
    return T.of_node(ma.abs(cast(v, v.dtype)), v.dtype)
  end

  --- A later value replaces the first one only if it is less, or greater.
  local function extreme(better, turned)
    return function(args)
      local best = number(args[1])
      for k = 2, args.n do
        local v = number(args[k])
        if best.literal and v.literal then
          if better(v.known, best.known) then best = v end
        else
          local dtype, weak = value.join(best, v)
          if weak then refuse "weak numbers" end
          local x, y = cast(best, dtype), cast(v, dtype)
          if type(x) == "number" and type(y) == "number" then
            best = T.known(better(y, x) and y or x, dtype)
          else
            local mask = less(nil, nil, nil, turned and x or y, turned and y or x)
            best = T.of_node(select_(nil, dtype, nil, mask, y, x), dtype)
          end
        end
      end
      return best
    end
  end
  handlers[builtins.math.min] = extreme(function(x, y) return x < y end, false)
  handlers[builtins.math.max] = extreme(function(x, y) return x > y end, true)

  local function two(name, exact, whole)
    return function(args)
      local a, b = number(args[1]), number(args[2])
      local dtype, weak = value.join(a, b)
      if not whole then dtype = of_float(dtype) end
      if weak then refuse "weak numbers" end
      local x, y = cast(a, dtype), cast(b, dtype)
      if type(x) == "number" and type(y) == "number" then refuse(name .. " of numbers that are known") end
      T.inexact = T.inexact or not exact
      return T.of_node(ma[name](x, y), dtype)
    end
  end
  handlers[builtins.math.atan2], handlers[builtins.math.hypot] = two "arctan2", two "hypot"
  handlers[builtins.math.fmod], handlers[builtins.math.copysign] = two("fmod", true, true), two("copysign", true)
  handlers[builtins.math.pow] = function(args) return T.arithmetic(nil, "^", args[1], args[2]) end
  handlers[builtins.math.deg] = function(args)
    return T.arithmetic(nil, "*", args[1], T.literal(180 / math.pi, "float"))
  end
  handlers[builtins.math.rad] = function(args)
    return T.arithmetic(nil, "*", args[1], T.literal(math.pi / 180, "float"))
  end

  for dtype, builtin in pairs(builtins.casts) do
    handlers[builtin] = function(args)
      if types.is_complex(dtype) then refuse "complex numbers" end
      local v = T.settle(args[1])
      if type(v) == "boolean" then refuse "a cast of a constant" end
      local is_mask = T.is_mask(v)
      if not is_mask then v = number(v) end
      if not is_mask and v.known then
        if dtype == "bool" then refuse "a cast of a constant" end
        return T.known(v.known, dtype)
      end
      local x = is_mask and v or T.element(v, v.dtype)
      local made = T.dtype(x) == dtype and x or x:astype(dtype)
      return dtype == "bool" and made or T.of_node(made, dtype)
    end
  end

  --- A draw of the generator that argument k may be.
  local function drawn(args, k, kind, from, to)
    local generator = args[k] ~= nil and T.settle(args[k]) or nil
    if generator ~= nil and not core.is_generator(generator) then refuse "a generator that is none" end
    core.draw_at(places.of_draw())
    T.draws = true
    local node = core.draw_element(kind, from, to, generator)
    local dtype = core.element_dtype(node)
    if not from and dtype ~= (types.is_float(T.first) and T.first or "float64") then refuse "draws of another dtype" end
    return T.of_node(node, dtype)
  end

  --- A bound that is a whole number, for all elements.
  local function bound(v)
    local known = number(v).known
    if not known or known ~= floor(known) or math.abs(known) > 2 ^ 53 then refuse "bounds of random numbers" end
    return known
  end

  local function whole(args, k, from, to)
    if from > to then refuse "bounds of random numbers" end
    return drawn(args, k, "integers", from, to)
  end

  handlers[random.builtins.random] = function(args) return drawn(args, 1, "random") end
  handlers[random.builtins.randn] = function(args) return drawn(args, 1, "standard_normal") end
  handlers[random.builtins.randint] = function(args) return whole(args, 3, bound(args[1]), bound(args[2]) - 1) end
  handlers[random.math] = function(args)
    if args.n > 2 then refuse "too many arguments" end
    if args.n == 0 then return drawn(args, 1, "random") end
    return whole(args, 3, args.n == 1 and 1 or bound(args[1]), bound(args[args.n]))
  end

  handlers[builtins.where] = function(args)
    if type(args[1]) ~= "boolean" and not T.is_mask(args[1]) then refuse "a condition that is a number" end
    return T.settle(T.merge(args[1], args[2], args[3]))
  end

  local least = { [builtins.where] = 3, [random.builtins.random] = 0, [random.builtins.randn] = 0, [random.math] = 0,
    [random.builtins.randint] = 2, [builtins.math.atan2] = 2, [builtins.math.hypot] = 2, [builtins.math.fmod] = 2,
    [builtins.math.copysign] = 2, [builtins.math.pow] = 2 }

  --- Calls a builtin of kernels for arguments, a list with its length `n`.
  return function(builtin, args)
    local handler = handlers[builtin]
    if not handler then refuse "a function that only a kernel has" end
    if args.n < (least[builtin] or 1) then refuse "too few arguments" end
    return handler(args)
  end
end
