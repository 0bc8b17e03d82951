--- Arrays from outside that a function in its plain form reads at positions, or asks for their extents. Which ones
--- these are its text says: `t[i]`, `t[{i, j}]`, `t(i, j)`, `#t`, `t.shape`. All others are their elements at the
--- position.

local closure = require "moonarray.jit.closure"
local source = require "moonarray.jit.source"

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
local attributes = { shape = true, ndim = true, size = true, dtype = true }

--- What is read at positions in a node: the part before `[i]`, and the like.
local function object_of(node)
  if node.kind == "call" then return node.fn end
  if node.kind == "unary" then return node.op == "#" and node.a end
  return node.kind == "index" and (node.key.kind ~= "string" or attributes[node.key.value]) and node.object
end

--- Notes in `used`, by names, what is read at positions (`whole`) and what is used in another way (`bare`). A field of
--- a table has its key as its name. `free`: the names that are from outside.
local function visit(node, free, used, seen)
  if seen[node] then return end
  seen[node] = true
  local function note(of, how)
    local name = of.kind == "name" and free[of.name] and of.name
      or of.kind == "index" and not attributes[of.key.value] and of.key.value
    if type(name) ~= "string" then return false end
    used[name] = used[name] or {}
    used[name][how] = true
    return true
  end
  local object = object_of(node)
  if object and note(object, "whole") then
    seen[object] = true
    if object.object then visit(object.object, free, used, seen) end
  else
    note(node, "bare")
  end
  for _, part in pairs(node) do
    if type(part) == "table" then visit(part, free, used, seen) end
  end
end

return function(_, core, scalar, plain)
  local arrays, fail, NAME = {}, core.fail, "index"

  --- Whether a function, or one that it calls, reads at positions what has a name: a function of the name.
  function arrays.named(fn)
    local used, list = {}, {}
    local _, _, reached = core.taken(fn)
    for other in next, reached do
      local found, tree = pcall(source.of_function, other, function(text) error(text, 0) end, nil, true)
      if found and tree then
        local free = {}
        for _, one in ipairs(closure.outer_names { tree = tree }) do free[one.name] = true end
        visit(tree.block, free, used, {})
      end
    end
    for key, how in pairs(used) do
      list[key] = how.whole and (how.bare and "both" or "whole") or nil
    end
    return function(key)
      if list[key] == "both" then
        fail(NAME, ("'%s' is read at positions and stands for its element too; the plain form has one of these, so "
          .. "give the array two names"):format(key))
      end
      return list[key] == "whole"
    end
  end

  local function whole_number(position)
    return tonumber(scalar.is(position) and scalar.item(position) or position)
  end

  --- The part of an array at the positions that lead to `at`, in its list of elements.
  local function part(array, list, given, at)
    local proxy, shape = newproxy(true), array.shape
    local meta = getmetatable(proxy)
    function meta.__len() return shape[given + 1] end
    function meta.__index(_, key)
      if key == "shape" then return { unpack(shape, given + 1) } end
      if key == "ndim" then return #shape - given end
      if attributes[key] then return array[key] end
      local place, axis = at, given
      for _, position in ipairs(type(key) == "table" and key or { key }) do
        axis = axis + 1
        local number = whole_number(position)
        if not shape[axis] then fail(NAME, ("%d positions of an array of %d axes"):format(axis, #shape)) end
        if not number or number ~= math.floor(number) or number < 1 or number > shape[axis] then
          fail(NAME, ("position %s on axis %d; wanted 1..%d"):format(tostring(number or position), axis, shape[axis]))
        end
        place = place * shape[axis] + number - 1
      end
      if axis == #shape then return list[place + 1] end
      return part(array, list, axis, place)
    end
    function meta.__call(_, ...) return proxy[{ ... }] end
    return proxy
  end

  --- What stands for an array.
  function arrays.whole(array) return part(array, plain.elements(array), 0, 0) end

  return arrays
end
