--- Lua's mathematics of elements: the functions of ma that stand for those of math, by their names there.

local mathematics = {}

-- What has another name in ma.
mathematics.renamed = { asin = "arcsin", acos = "arccos", atan = "arctan", atan2 = "arctan2", deg = "rad2deg",
  rad = "deg2rad", pow = "power" }

-- What gives floats of integers too.
mathematics.floats = {}
for name in ("sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh"):gmatch "%S+" do
  mathematics.floats[name] = true
end

--- A function of two arguments as one of any number.
function mathematics.fold(fn)
  return function(first, ...)
    for k = 1, select("#", ...) do first = fn(first, (select(k, ...))) end
    return first
  end
end

--- The functions, in a new table.
function mathematics.functions(ma)
  local functions = {}
  for name in ("abs acos asin atan2 ceil cos cosh deg exp floor fmod log10 pow rad sin sinh sqrt tan tanh"):gmatch "%S+"
  do
    local own = mathematics.renamed[name] or name
    functions[name] = function(...) return ma[own](...) end
  end
  function functions.atan(x, y) return y and ma.arctan2(x, y) or ma.arctan(x) end
  function functions.log(x, base) return base and ma.log(x) / ma.log(base) or ma.log(x) end
  functions.max = mathematics.fold(function(a, b) return ma.maximum(a, b) end)
  functions.min = mathematics.fold(function(a, b) return ma.minimum(a, b) end)
  return functions
end

return mathematics
