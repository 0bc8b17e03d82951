--- Complex numbers of the host, for the design of filters: Lua's numbers are the real ones among them, and the others
--- are objects {re, im} with the same operators.

local jit = rawget(_G, "jit")
if jit and jit.arch == "arm64" then jit.off(true, true) end   -- init.lua says why

local sqrt, exp, log, cos, sin, atan2, abs = math.sqrt, math.exp, math.log, math.cos, math.sin, math.atan2, math.abs

local complex, meta = {}, {}

--- The number re + im i: a plain number if im is 0.
function complex.new(re, im)
  if im == 0 then return re end
  return setmetatable({ re, im }, meta)
end
local new = complex.new

local function parts(x)
  if type(x) == "number" then return x, 0 end
  return x[1], x[2]
end
complex.parts = parts

function complex.re(x) return type(x) == "number" and x or x[1] end
function complex.im(x) return type(x) == "number" and 0 or x[2] end
function complex.is_real(x) return type(x) == "number" end

function meta.__add(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  return new(a + c, b + d)
end

function meta.__sub(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  return new(a - c, b - d)
end

function meta.__mul(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  return new(a * c - b * d, a * d + b * c)
end

function meta.__div(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  if d == 0 then return new(a / c, b / c) end
  if abs(c) >= abs(d) then
    local r = d / c
    local s = c + d * r
    return new((a + b * r) / s, (b - a * r) / s)
  end
  local r = c / d
  local s = c * r + d
  return new((a * r + b) / s, (b * r - a) / s)
end

function meta.__unm(x) return new(-x[1], -x[2]) end

function complex.conj(x) return type(x) == "number" and x or new(x[1], -x[2]) end

function complex.abs(x)
  local a, b = parts(x)
  a, b = abs(a), abs(b)
  if a < b then a, b = b, a end
  if b == 0 or a == math.huge then return a end
  local r = b / a
  return a * sqrt(1 + r * r)
end

function complex.arg(x)
  local a, b = parts(x)
  return atan2(b, a)
end

function complex.polar(r, angle) return new(r * cos(angle), r * sin(angle)) end

function complex.exp(x)
  local a, b = parts(x)
  if b == 0 then return exp(a) end
  return complex.polar(exp(a), b)
end

function complex.log(x)
  if type(x) == "number" and x > 0 then return log(x) end
  return new(log(complex.abs(x)), complex.arg(x))
end

function complex.sqrt(x)
  local a, b = parts(x)
  if b == 0 then return a >= 0 and sqrt(a) or new(0, sqrt(-a)) end
  local m = sqrt((complex.abs(x) + abs(a)) / 2)
  if a >= 0 then return new(m, b / (2 * m)) end
  return new(abs(b) / (2 * m), b < 0 and -m or m)
end

--- x to a whole power.
function complex.power(x, n)
  local result = 1
  if n < 0 then return 1 / complex.power(x, -n) end
  while n > 0 do
    if n % 2 == 1 then result = result * x end
    x = x * x
    n = (n - n % 2) / 2
  end
  return result
end

function complex.sinh(x)
  local a, b = parts(x)
  return new(math.sinh(a) * cos(b), math.cosh(a) * sin(b))
end

function complex.sin(x)
  local a, b = parts(x)
  return new(sin(a) * math.cosh(b), cos(a) * math.sinh(b))
end

return complex
