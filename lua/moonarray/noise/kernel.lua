--- ma.noise in kernels. Its algorithms (lua/moonarray/noise/algorithms.lua) run here over stand-ins for values of a
--- kernel, whose operators print C++. Each kind of noise becomes a device function of its coordinates and its seed.

local algorithms = require "moonarray.noise.algorithms"
local builtins = require "moonarray.jit.builtins"
local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

-- ==== Stand-ins ======================================================================================================

local Number = {}

function Number.__index(n, key)
  if key == "dtype" then return n.v.dtype end
  return Number[key]
end

local function value_of(n) return getmetatable(n) == Number and n.v or value.of_number(n) end

--- A stand-in for a value, which is computed here, once.
local function stand(fn, v, line) return setmetatable({ fn = fn, v = fn:held(v, line), line = line }, Number) end

--- An operator of numbers by `print`; of booleans * is "and", and + is "or", as of arrays.
local function operator(op, of_bools)
  return function(a, b)
    local of, x, y = getmetatable(a) == Number and a or b, value_of(a), value_of(b)
    local fn, line = of.fn, of.line
    if x.kind == "bool" then return stand(fn, value.bool(("(%s %s %s)"):format(x.text, of_bools, y.text)), line) end
    return stand(fn, fn:arithmetic(op, x, y, line), line)
  end
end
Number.__add, Number.__sub, Number.__mul = operator("+", "||"), operator("-"), operator("*", "&&")

function Number.__unm(a) return stand(a.fn, value.number(("(-%s)"):format(a.v.text), a.v.dtype), a.line) end

--- Two operands in one dtype: the operand that is a stand-in, the texts, the dtype.
local function joined(a, b)
  local of, x, y = getmetatable(a) == Number and a or b, value_of(a), value_of(b)
  local dtype = value.join(x, y)
  return of, value.as(x, dtype), value.as(y, dtype), dtype
end

for name, op in pairs { eq = "==", ne = "!=", lt = "<", gt = ">", ge = ">=" } do
  Number[name] = function(a, b)
    local of, x, y = joined(a, b)
    return stand(of.fn, value.bool(("(%s %s %s)"):format(x, op, y)), of.line)
  end
end

local function by_words(op)
  return function(a, b)
    local of, x, y, dtype = joined(a, b)
    return stand(of.fn, value.number(("(%s %s %s)"):format(x, op, y), dtype), of.line)
  end
end

local function by_builtin(builtin, name)
  return function(a, ...)
    local args = { a.v }
    for k = 1, select("#", ...) do args[k + 1] = value_of((select(k, ...))) end
    return stand(a.fn, builtin.call(a.fn, args, a.line, name), a.line)
  end
end

function Number.astype(a, dtype) return by_builtin(builtins.casts[dtype], dtype)(a) end

local make = algorithms.of {
  floor = by_builtin(builtins.math.floor, "floor"), maximum = by_builtin(builtins.math.max, "maximum"),
  xor = by_words "^", shift = by_words ">>", both = by_words "&",
  no = function(a) return stand(a.fn, value.bool(("(!%s)"):format(a.v.text)), a.line) end,
  where = function(c, a, b)
    local of, x, y, dtype = joined(a, b)
    return stand(of.fn, value.number(("(%s ? %s : %s)"):format(c.v.text, x, y), dtype), of.line)
  end,
}

-- ==== Device functions ===============================================================================================

local COORDINATES = { "x", "y", "z" }
local devices = {}

--- The device function of a kind of noise, of n coordinates of a dtype and a seed.
local function device_of(noise, n, dtype)
  local far = types.is_half(dtype)       -- each operation rounds by a dozen others, so compilers take long over copies
  local id = ("noise:%s%d%s"):format(noise, n, far and "far" or "")
  if devices[id] then return devices[id] end
  local params = { unpack(COORDINATES, 1, n) }
  params[n + 1] = "seed"
  local printed = { kind = "printed", line = 1 }
  function printed.print(fn)
    local list = {}
    for k, name in ipairs(params) do list[k] = stand(fn, fn:expression { kind = "name", name = name, line = 1 }, 1) end
    local seed = table.remove(list)
    return { make[noise](list, seed, list[1].dtype).v }
  end
  devices[id] = { id = id, far = far, outside = function() end,
    tree = { name = noise, params = params, line = 1, chunk = "noise", block = { printed } } }
  return devices[id]
end

-- ==== Calls ==========================================================================================================

--- The arguments of a call: coordinates, and the options by their names as values. nil if a type is not known yet.
local function read(self, name, shown, nodes, line)
  local last, given, keys, n = nodes[#nodes], {}, {}, #nodes
  if last and last.kind == "table" then
    n = n - 1
    for k, item in ipairs(last.items) do
      local key, known = last.keys[k] and last.keys[k].value, false
      for _, option in ipairs(algorithms.options[name]) do known = known or option == key end
      if not known then
        self:fail(line, ("no option '%s' of '%s'; there are %s"):format(tostring(key or k), shown,
          table.concat(algorithms.options[name], ", ")))
      end
      keys[k], given[k] = key, item
    end
  end
  local nodes_of = { unpack(nodes, 1, n) }
  for k, item in ipairs(given) do nodes_of[n + k] = item end
  local list = self:sequence(#nodes_of, line, function(k)
    local v = self:expression(nodes_of[k])
    if k > n and keys[k - n] == "noise" then return v end
    return self:as_number(v, line, (k > n and "%s of '%s'" or "coordinate %s of '%s'"):format(keys[k - n] or k, shown))
  end)
  local options = {}
  for k = 1, #nodes_of do
    if list[k].kind == "unknown" then return end
  end
  for k, key in ipairs(keys) do options[key], list[n + k] = list[n + k], nil end
  return list, options
end

--- The coordinates in one float dtype.
local function in_one_dtype(self, list, line, shown)
  local dtype
  for _, v in ipairs(list) do
    if not v.weak then dtype = dtype and types.promote(dtype, v.dtype) or v.dtype end
  end
  if dtype and types.is_complex(dtype) then
    self:fail(line, ("coordinates of '%s' are %s; wanted real numbers"):format(shown, dtype))
  end
  if not dtype or not types.is_float(dtype) then dtype = "float64" end
  for k, v in ipairs(list) do list[k] = stand(self, value.number(value.as(v, dtype), dtype), line) end
  return list, dtype
end

--- The options that shape the text: constants.
local function constants_of(self, name, options, line, shown)
  local found = {}
  for _, key in ipairs(algorithms.options[name]) do
    local v = options[key]
    local constant = v and (v.constant or v.kind == "string" and v.value or nil)
    if key ~= "seed" then
      if v and constant == nil then
        self:fail(line, ("%s of '%s' is %s; wanted a constant"):format(key, shown, self:describe(v)))
      end
      found[key] = constant or algorithms.defaults[key]
    end
  end
  local whole = found.octaves
  if whole and not (type(whole) == "number" and whole >= 1 and whole == math.floor(whole)) then
    self:fail(line, ("octaves of '%s' is %s; wanted a whole number from 1 on"):format(shown, tostring(whole)))
  end
  local why = algorithms.fault(found, function(object) return "'" .. tostring(object) .. "'" end)
  if why then self:fail(line, ("'%s': %s"):format(shown, why)) end
  return found
end

--- The seed as 32 bits.
local function seed_of(self, v, line, shown)
  v = v or value.constant(algorithms.defaults.seed, "int")
  local wrong = v.constant and (v.constant < 0 or v.constant ~= math.floor(v.constant) or v.constant > 2 ^ 53)
    or not v.constant and not types.is_integer(v.dtype)
  if wrong then
    self:fail(line, ("seed of '%s' is %s; wanted a whole number from 0 on"):format(shown, self:describe(v)))
  end
  if v.constant then return stand(self, value.number(("u4(%.0fu)"):format(v.constant % 2 ^ 32), "uint32"), line) end
  return stand(self, value.number(("u4(%s)"):format(v.text), "uint32"), line)
end

local function called(name)
  return function(self, nodes, line, shown)
    local list, options = read(self, name, shown, nodes, line)
    if not list then return value.unknown, name == "curl" and value.unknown or nil end
    local o = constants_of(self, name, options, line, shown)
    local least, most = algorithms.least(name, o.noise), algorithms.most(name)
    if #list < least or #list > most then
      self:fail(line, ("'%s' with %d coordinates; wanted %d to %d"):format(shown, #list, least, most))
    end
    local seed = seed_of(self, options.seed, line, shown)
    local coordinates, dtype = in_one_dtype(self, list, line, shown)
    local function noise_of(kind)
      return function(at, first, of, k)
        local args = {}
        for d, each in ipairs(at) do args[d] = each.v end
        args[#args + 1] = (k and k > 0 and first + k or first).v
        return stand(self, self:call_values(device_of(kind, #at, of), args, line, shown)[1], line)
      end
    end
    if name == "curl" then
      local u, v = algorithms.curl(noise_of "simplex", coordinates, seed, dtype, o.step)
      return u.v, v.v
    elseif name == "fbm" then
      return algorithms.fbm(noise_of(o.noise), coordinates, seed, dtype, o.octaves, o.lacunarity, o.gain).v
    end
    return noise_of(name)(coordinates, seed, dtype).v
  end
end

local noise = {}
for name in pairs(algorithms.options) do
  noise[name] = { takes_nodes = true, least = 1, most = 4, call = called(name) }
end

return noise
