--- What kernels written in Lua see, for LuaJIT itself: arrays with positions of every form, shared memory. A position
--- outside reads 0, writes nothing and is noted. `both` runs one source as a kernel and in LuaJIT.

local helper = require "spec.helper"
local ma = helper.ma

local twin = {}

local strides_of

--- A view: storage from `offset` on, with the axes from `axis` on left.
local function view(host, axis, offset, outside)
  local proxy = newproxy(true)
  local meta = getmetatable(proxy)
  local shape, ndim = host.shape, #host.shape
  local function step(place, out, at, position)
    local extent = shape[at]
    if position ~= position or position < 1 or position > extent or position ~= math.floor(position) then
      if not out and not host.log.position then
        host.log.position, host.log.extent, host.log.axis = position, extent, at
      end
      return place, true
    end
    return place + (position - 1) * host.strides[at], out
  end
  local function find(key)
    local place, out, at = offset, outside, axis
    if type(key) == "number" then
      place, out = step(place, out, at, key)
      return place, out, at + 1
    end
    for _, position in ipairs(key) do
      place, out = step(place, out, at, position)
      at = at + 1
    end
    return place, out, at
  end
  local attributes = {
    shape = function() return { unpack(shape, axis) } end,
    ndim = function() return ndim - axis + 1 end,
    size = function()
      local size = 1
      for k = axis, ndim do size = size * shape[k] end
      return size
    end,
  }
  function meta.__index(_, key)
    if attributes[key] then return attributes[key]() end
    local place, out, at = find(key)
    if at <= ndim then return view(host, at, place, out) end
    return out and 0 or host.data[place]
  end
  function meta.__newindex(_, key, value)
    local place, out, at = find(key)
    assert(at == ndim + 1, "too few positions")
    if not out then host.data[place] = value end
  end
  function meta.__len() return shape[axis] end
  return proxy
end

function strides_of(shape)
  local strides, size = {}, 1
  for k = #shape, 1, -1 do strides[k], size = size, size * shape[k] end
  return strides, size
end

--- An array for LuaJIT, and its storage in C order.
function twin.host(shape, data, log)
  local strides, size = strides_of(shape)
  local host = { shape = shape, strides = strides, data = {}, log = log or {} }
  for k = 1, size do host.data[k] = data and data[k] or 0 end
  return view(host, 1, 1, false), host
end

--- The same for a kernel, with the memory in another order: "c", "f" (the axes turned round), "r" (from the end), "w"
--- (within a wider one).
function twin.device(shape, data, dtype, layout)
  local a = ma.array(data, dtype):reshape(shape)
  if layout == "c" then return a end
  local axes, wide = {}, {}
  for k = 1, #shape do axes[k], wide[k] = #shape + 1 - k, shape[k] * 2 end
  local b
  if layout == "f" then
    local turned = {}
    for k = 1, #shape do turned[k] = shape[#shape + 1 - k] end
    b = ma.zeros(turned, dtype):transpose(unpack(axes))
  elseif layout == "r" then
    b = ma.zeros(shape, dtype)["::-1"]
  else
    local every = {}
    for k = 1, #shape do every[k] = ("%d::2"):format(k % 2 + 1) end
    b = ma.zeros(wide, dtype)[table.concat(every, ", ")]
  end
  b:assign(a)
  return b
end

--- What combines the values of a block's threads, of which there is one.
local function alone()
  local function value(_, v) return v end
  return { Sum = value, Max = value, InclusiveSum = function(_, v) return v, v end }
end

--- What a source sees in LuaJIT, beside its own functions.
function twin.environment(log)
  return { math = math, bit = bit, unpack = unpack, jit = {
    shared_memory = function(_, shape) return (twin.host(type(shape) == "table" and shape or { shape }, nil, log)) end,
    syncthreads = function() end, cub = { BlockReduce = alone, WarpReduce = alone, BlockScan = alone },
  } }
end

local function same(p, q) return p == q or (p ~= p and q ~= q) end

local function main_of(bodies, narrays)
  local rows, calls, names = {}, {}, {}
  for k = 1, narrays do names[k] = "a" .. k end
  for p = 1, #bodies do
    for k = 1, narrays do rows[k] = ("a%d[%d]"):format(k, p) end
    calls[p] = ("%s which == %d then p%d(%s, z)"):format(p == 1 and "  if" or "  elseif", p, p,
      table.concat(rows, ", "))
  end
  return ("function main(%s, z, which)\n%s\n  end\nend"):format(table.concat(names, ", "), table.concat(calls, "\n"))
end

--- The storages of both sides for an array { shape, data, dtype, layout }.
local function pair(array, log)
  local proxy, host = twin.host(array[1], array[2], log)
  return { proxy = proxy, host = host, given = twin.device(array[1], array[2], array[3], array[4]) }
end

--- What differs between the two sides of an array, in the row of body p alone, if p is given.
local function compare(each, k, p)
  local given, first = each.given, 0
  if p then
    local rows = each.host.strides[1]
    given, first = given[p], (p - 1) * rows
  end
  local got = given:get():copy():reshape(-1):totable()
  for i = 1, #got do
    local value = each.host.data[first + i]
    if not same(value, got[i]) then
      return ("array %d, element %d: %s, LuaJIT has %s"):format(k, first + i, tostring(got[i]), tostring(value))
    end
  end
end

--- Runs bodies of functions of one row of each array, and of the last array whole: one kernel that has them all is
--- launched for each of them. `params` names the parameters. An array is { shape, data, dtype, layout }, where the
--- first extent is the number of bodies. Gives nil, or what differs first and the number of the body.
function twin.differ(bodies, params, devices, arrays, whole)
  local log, constants = {}, {}
  local environment = twin.environment(log)
  local function add(name, source)
    local own = {}
    for key, known in pairs(constants) do own[key] = known end
    constants[name] = ma.jit.device(source, { constants = own })
    setfenv(assert(loadstring(source)), environment)()
  end
  for _, device in ipairs(devices) do add(device[1], device[2]) end
  for p, body in ipairs(bodies) do add("p" .. p, ("function p%d(%s)\n%s\nend"):format(p, params, body)) end
  local both, args, proxies = {}, {}, {}
  for k, array in ipairs(arrays) do both[k] = pair(array, log) end
  both[#both + 1] = pair(whole, log)
  for k, each in ipairs(both) do args[k], proxies[k] = each.given, each.proxy end
  local source = main_of(bodies, #arrays)
  local kernel = ma.jit.rawkernel(source, { constants = constants })
  setfenv(assert(loadstring(source)), environment)()
  local difference
  for p = 1, #bodies do
    log.position = nil
    args[#both + 1], proxies[#both + 1] = p, p
    local fine, message = pcall(function()
      kernel(1, 1, args)
      args[#both]:get()                -- waits
    end)
    environment.main(unpack(proxies))
    if not fine and not message:find(": position ", 1, true) then
      difference = message
    elseif fine == (log.position ~= nil) then
      difference = fine and ("position %s on axis %d was not found to be outside 1..%d"):format(tostring(log.position),
        log.axis, log.extent)
        or "all positions are inside, but: " .. message
    else
      for k, each in ipairs(both) do difference = difference or compare(each, k, k < #both and p or nil) end
    end
    if difference then return difference, p end
  end
  for k, each in ipairs(both) do difference = difference or compare(each, k) end
  return difference
end

return twin
