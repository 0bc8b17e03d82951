--- How `array.name` finds a method. A lookup in C costs a call; a Lua function takes a third of that, and nothing in
--- code that LuaJIT compiled. The core adds to the table the methods that it finds. Attributes, positions and ranges
--- stay with the core.

return function(_, core)
  local methods, index = {}, core.array_index          -- those that were used

  core.set_array_index(function(array, key)
    local method = methods[key]
    if method then return method end
    local value = index(array, key)      -- no tail call: the position of an error is that of the frame below this one
    return value
  end, methods)
end
