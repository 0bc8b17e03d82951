--- Signs of determinants of points in the plane, always right: J. R. Shewchuk, "Adaptive precision floating-point
--- arithmetic and fast robust geometric predicates", 1997. A sum in doubles whose error cannot change its sign is
--- taken as it is; else the determinant is computed exactly, as a sum of doubles that do not overlap.

local abs = math.abs

local predicates = {}

local SPLITTER = 2 ^ 27 + 1
local ORIENT_BOUND = (3 + 16 * 2 ^ -53) * 2 ^ -53
local CIRCLE_BOUND = (10 + 96 * 2 ^ -53) * 2 ^ -53

-- ==== Exact sums: lists of doubles, the least first, without zeros ===================================================

--- Adds a number to a sum, in place.
local function grow(e, b)
  local q, n = b, 0
  for k = 1, #e do
    local x = e[k]
    local sum = q + x
    local v = sum - q
    local rest = (q - (sum - v)) + (x - v)
    if rest ~= 0 then
      n = n + 1
      e[n] = rest
    end
    q = sum
  end
  for k = #e, n + 1, -1 do e[k] = nil end
  if q ~= 0 then e[n + 1] = q end
  return e
end

local function product(a, b)
  local high = a * b
  local c = SPLITTER * a
  local ah = c - (c - a)
  local al = a - ah
  c = SPLITTER * b
  local bh = c - (c - b)
  local bl = b - bh
  return high, al * bl - (((high - ah * bh) - al * bh) - ah * bl)
end

local function difference(a, b)
  local x = a - b
  local v = a - x
  local rest = (a - (x + v)) + (v - b)
  if rest ~= 0 then return { rest, x } end
  return x ~= 0 and { x } or {}
end

local function times(e, f)
  local result = {}
  for i = 1, #e do
    for j = 1, #f do
      local high, low = product(e[i], f[j])
      if low ~= 0 then grow(result, low) end
      if high ~= 0 then grow(result, high) end
    end
  end
  return result
end

local function add(e, f, sign)
  for k = 1, #f do grow(e, sign * f[k]) end
  return e
end

local function minor(ax, ay, bx, by) return add(times(ax, by), times(ay, bx), -1) end

local function last(e) return e[#e] or 0 end

local WHOLE = 2 ^ 52                   -- sums of whole numbers below it are exact, as those of a grid

local function whole(x, y) return x % 1 == 0 and y % 1 == 0 and abs(x) + abs(y) < WHOLE end

-- ==== Signs ==========================================================================================================

--- Above 0 if a, b and c lie counterclockwise, below 0 if clockwise, 0 on one line.
function predicates.orient(ax, ay, bx, by, cx, cy)
  local left, right = (ax - cx) * (by - cy), (ay - cy) * (bx - cx)
  local det = left - right
  if abs(det) > ORIENT_BOUND * (abs(left) + abs(right)) then return det end
  return last(minor(difference(ax, cx), difference(ay, cy), difference(bx, cx), difference(by, cy)))
end

--- Above 0 if d lies inside of the circle through a, b and c, which lie counterclockwise; 0 on it.
function predicates.circle(ax, ay, bx, by, cx, cy, dx, dy)
  local adx, ady, bdx, bdy, cdx, cdy = ax - dx, ay - dy, bx - dx, by - dy, cx - dx, cy - dy
  local a, b, c = adx * adx + ady * ady, bdx * bdx + bdy * bdy, cdx * cdx + cdy * cdy
  local p, q, r, s, t, u = bdx * cdy, cdx * bdy, cdx * ady, adx * cdy, adx * bdy, bdx * ady
  local det = a * (p - q) + b * (r - s) + c * (t - u)
  local most = (abs(p) + abs(q)) * a + (abs(r) + abs(s)) * b + (abs(t) + abs(u)) * c
  if abs(det) > CIRCLE_BOUND * most then return det end
  if most < WHOLE and whole(ax, ay) and whole(bx, by) and whole(cx, cy) and whole(dx, dy) then return det end
  local eax, eay, ebx, eby = difference(ax, dx), difference(ay, dy), difference(bx, dx), difference(by, dy)
  local ecx, ecy = difference(cx, dx), difference(cy, dy)
  local sum = times(add(times(eax, eax), times(eay, eay), 1), minor(ebx, eby, ecx, ecy))
  add(sum, times(add(times(ebx, ebx), times(eby, eby), 1), minor(ecx, ecy, eax, eay)), 1)
  return last(add(sum, times(add(times(ecx, ecx), times(ecy, ecy), 1), minor(eax, eay, ebx, eby)), 1))
end

return predicates
