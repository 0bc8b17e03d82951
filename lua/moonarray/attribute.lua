--- How `array.name` finds a method. A lookup by the core in C costs a call; a lookup by a Lua function takes a third of
--- that, and costs nothing in code that LuaJIT compiled. The core adds the methods that it finds to the table
--- `methods`. The core still looks up attributes, positions and ranges.

return function(_, core)
  local methods, index = {}, core.array_index          -- the methods that a program has used

  core.set_array_index(function(array, key)
    local method = methods[key]
    if method then return method end
    local value = index(array, key)      -- no tail call: the position of an error is that of the frame below this one
    return value
  end, methods)
end
