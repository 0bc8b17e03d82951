--- Arrays seen through their memory: windows, bytes turned around, and all elements as one axis.
--# shape

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is

  -- ==== Windows ====================================================================================================

  --> lib.stride_tricks.sliding_window_view(ma.range(1, 4), 2)
  local WINDOW = "lib.stride_tricks.sliding_window_view"

  def(WINDOW .. "(x: data, window_shape: integer|integer[], axis?: integer|integer[]; writeable?: boolean) -> array",
    "A read-only view of all windows of a shape: the windows' places along the axes (all), then their elements.",
    function(x, window, axis, writeable)
      x = core.asarray(x)
      window = common.shape(WINDOW, "window_shape", window)
      local axes = common.axes(WINDOW, axis, x.ndim, "axis")
      if #axes ~= #window then
        fail(WINDOW, sformat("a window of %d axes for %d axes of the array; wanted as many", #window, #axes))
      end
      local shape, strides = x.shape, x.strides
      for k, d in ipairs(axes) do
        common.whole(WINDOW, "window", window[k])
        if shape[d] < window[k] then
          fail(WINDOW, sformat("a window of %d along axis %d, which has %d elements left; at most as many", window[k],
            d, shape[d]))
        end
        shape[d] = shape[d] - window[k] + 1
        strides[#strides + 1] = x.strides[d]
      end
      for _, n in ipairs(window) do shape[#shape + 1] = n end
      return ma.lib.stride_tricks.as_strided(x, shape, strides, { writeable = writeable or false })
    end)

  -- ==== Bytes ======================================================================================================

  local twins = { [2] = "uint16", [4] = "uint32", [8] = "uint64" }

  --- Elements as integers of their width, so that no bits change on the way.
  local function assign_bits(to, from, twin) to:view(twin):assign(from:view(twin)) end

  --# dtypes
  --> byteswap: ma.array({1}, "int16"):byteswap()
  def("byteswap(a: data, inplace?: boolean) -> array",
    "The elements with their bytes in reverse order: a copy, or in place.",
    function(a, inplace)
      a = core.asarray(a)
      local complex = is.complexfloating[a.dtype]
      local width = complex and a.itemsize / 2 or a.itemsize
      local twin = twins[width]
      local swapped = ma.empty_like(a, { order = "C" })
      local function bytes(x) return x:ravel():view("uint8"):reshape(-1, width) end
      local bits = complex and a or twin and a:view(twin) or a
      if a.size > 0 then bytes(swapped):assign(bytes(bits:copy()):flip(2)) end
      if not inplace then return swapped end
      if complex then
        assign_bits(a.real, swapped.real, twin)
        assign_bits(a.imag, swapped.imag, twin)
      elseif twin then
        assign_bits(a, swapped, twin)
      end
      return a
    end)

  -- ==== a.flat =====================================================================================================

  local methods = {}
  --> = flat | ma.ones({2, 3}).flat | An array's elements in C order: f[k] is one, f[k] = v sets it.
  --> . base: array | the array
  --> . size: integer | how many there are
  --> . [integer]: number
  local Flat = { __name = "moonarray flat" }

  --- The elements as one axis over the array's own memory, or nil where its strides allow no such view.
  local function line_of(self)
    local a = self.base
    if a.flags.c_contiguous then return a:ravel() end
  end

  --- The position along each axis of element k, or arrays of them.
  local function places(self, k)
    if type(k) == "number" then
      if k ~= math.floor(k) or k == 0 or math.abs(k) > self.size then
        fail("flat", sformat("position %s of %d elements; 1 to %d, or negative from the end", tostring(k), self.size,
          self.size))
      end
      if k < 0 then k = self.size + 1 + k end
    else
      k = ma.range(1, self.size, { device = self.base.device })[k]
    end
    return { ma.unravel_index(k, self.base.shape) }
  end

  function Flat.__index(self, key)
    if methods[key] then return methods[key] end
    local line = line_of(self)
    if line then return line[key] end
    if type(key) ~= "number" then return self.base:ravel()[key] end
    return self.base(unpack(places(self, key)))
  end

  function Flat.__newindex(self, key, value)
    local line = line_of(self)
    if line then
      line[key] = value
    else
      self.base[places(self, key)] = value
    end
  end

  function Flat.__tostring(self) return sformat("<flat of %s>", core.describe(self.base)) end

  --> :copy() -> array | A copy along one axis.
  --> flat:copy: flat:copy()
  function methods.copy(self) return self.base:flatten() end
  --> :each() -> function | An iterator over the elements.
  --> flat:each: local sum = 0
  -->   for x in flat:each() do sum = sum + x end
  -->   return sum
  function methods.each(self) return self.base:each() end
  common.guard("flat", Flat, methods)

  core.set_hook("flat", function(a) return setmetatable({ base = a, size = a.size }, Flat) end)
end
