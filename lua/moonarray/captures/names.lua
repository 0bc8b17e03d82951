--- What a kernel in Lua takes from outside, by the names in its text: upvalues, globals and fields of tables, also
--- those of the device functions that it calls.

local closure = require "moonarray.jit.closure"

--- The name at the root of an expression such as config.deep.speed, and its keys; nil of other expressions.
local function chain(node)
  if node.kind == "name" then return node.name, {} end
  if node.kind ~= "index" or node.key.kind ~= "string" then return nil end
  local root, keys = chain(node.object)
  if root then keys[#keys + 1] = node.key.value end
  return root, keys
end

--- Calls f(root, keys) for the names and chains of a tree.
local function visit(node, f, seen)
  if seen[node] then return end
  seen[node] = true
  local root, keys
  if node.kind == "name" or node.kind == "index" then root, keys = chain(node) end
  if root then return f(root, keys) end
  for _, part in pairs(node) do
    if type(part) == "table" then visit(part, f, seen) end
  end
end

return function(ma, core)
  local language = core.jit.language
  local libraries = { [ma] = true, [math] = true, [ma.jit] = true }

  local function is_known(value)
    return value == nil or libraries[value] or language.values[value] ~= nil or value == rawget(_G, "bit")
  end

  --- Calls f(name, value) for what a kernel takes, { tree, outside, constants }.
  local function each(kernel, f, seen)
    if seen[kernel.tree] then return end
    seen[kernel.tree] = true
    local free = {}
    for _, used in ipairs(closure.outer_names({ tree = kernel.tree })) do free[used.name] = true end
    visit(kernel.tree.block, function(root, keys)
      if not free[root] or kernel.constants and kernel.constants[root] ~= nil then return end
      local value, name = kernel.outside(root), root
      if is_known(value) then return end
      for _, key in ipairs(keys) do
        if type(value) ~= "table" or language.devices[value] then break end
        value, name = value[key], name .. "." .. key
      end
      if value ~= nil and not is_known(value) then
        f(name, value)
        if language.devices[value] then each(value, f, seen) end
        local read, called = pcall(core.jit.read, "captures", type(value) == "function" and value, {})
        if read then each(called, f, seen) end
      end
    end, {})
  end

  local function each_of(kernel, f)
    local seen = {}
    each(kernel, f, seen)
    for _, part in ipairs { kernel.reduce or false, kernel.post or false } do
      if part then each(part, f, seen) end
    end
  end

  local names = {}

  --- The present values by name.
  function names.list(kernel)
    local list = {}
    each_of(kernel, function(name, value) list[name] = value end)
    return list
  end

  --- Raises an error if a kernel takes what its `captures` do not allow.
  function names.allow(what, kernel, allowed)
    if allowed == nil then return end
    local refused, is_allowed, refuse = {}, core.allowed_captures(what, allowed)
    each_of(kernel, function(name)
      if not is_allowed(name) then refused[#refused + 1] = name end
    end)
    table.sort(refused)
    if refused[1] then refuse(kernel.tree.chunk, kernel.tree.line, refused[1]) end
  end

  return names
end
