--- How a name behind an array finds its method. In C that is a call of its own; a Lua function costs a third, and none
--- of it in code that LuaJIT compiled. Attributes, positions and ranges are the core's, as ever.

return function(_, core)
  local methods, index = core.array_methods()

  core.set_array_index(function(array, key)
    local method = methods[key]
    if method then return method end
    local value = index(array, key)      -- no tail call: an error is placed by the frame below this one
    return value
  end)
end
