--- Seeds of generators: from a number, a list or an array the key of Philox, two halves of 32 bits.

return function(_, core)
  local is = require "moonarray.common" (core).is
  local fail, whole = core.fail, require "moonarray.common" (core).whole

  --- The halves of a seed, or of a part of one: a whole number, which may be an integer of LuaJIT's.
  local function halves(name, what, number)
    if type(number) == "number" then whole(name, what, number, 0, 2 ^ 64) end
    return core.random_seed(number, name)
  end

  --- A key from a list of whole numbers: each number is mixed into the result of the earlier ones.
  local function key_of_list(name, list)
    local low, high = 0, 0
    for k, number in ipairs(list) do
      local a, b = halves(name, "a part of the seed", number)
      local x, y = core.random_words(low, high, a, b, k)
      low, high = x, y
    end
    return low, high
  end

  --- The key of a seed, or of none, which is one that nobody knows. An array is the list of its elements in C order, as
  --- in NumPy, and one without axes is its number.
  return function(name, seed)
    if seed == nil then return core.random_entropy() end
    if core.is_array(seed) then
      if not is.integer[seed.dtype] then
        fail(name, "seed is " .. core.describe(seed) .. "; wanted an integer dtype")
      end
      seed = seed.ndim == 0 and seed:item() or seed:ravel():totable()
    end
    if type(seed) == "table" then return key_of_list(name, seed) end
    return halves(name, "seed", seed)
  end
end
