-- What a read of a texture gives, by the rules of CUDA's programming guide: function(get, extent, at, options) -> value
-- of one channel. `get(x, y, z)` are the texels, from 0.

--- The texel that stands for the kth of n, from 0; nil: the border.
local function place(k, n, mode)
  if k >= 0 and k < n then return k end
  if mode == "wrap" then return k % n end
  if mode == "mirror" then
    k = k % (2 * n)
    return k < n and k or 2 * n - 1 - k
  end
  if mode == "border" then return nil end
  return k < 0 and 0 or n - 1
end

--- What a read at `at` (x, y, z) gives of one channel: `get(x, y, z)` are the texels.
return function(get, extent, at, o)
  local x, axes = {}, #extent
  for d = 1, axes do
    x[d] = at[d]
    if o.normalized then
      if o.modes[d] == "wrap" then x[d] = x[d] - math.floor(x[d]) end
      if o.modes[d] == "mirror" then
        local whole = math.floor(x[d])
        x[d] = whole % 2 == 0 and x[d] - whole or 1 - (x[d] - whole)
      end
      x[d] = x[d] * extent[d]
    end
  end
  local function texel(p)
    local q = {}
    for d = 1, axes do
      local mode = o.modes[d]
      if not o.normalized and mode ~= "border" then mode = "clamp" end
      q[d] = place(p[d], extent[d], mode)
      if not q[d] then return o.border end
    end
    return get(q[1], q[2] or 0, q[3] or 0)
  end
  local low, part = {}, {}
  if not o.linear then
    for d = 1, axes do low[d] = math.floor(x[d]) end
    return texel(low)
  end
  for d = 1, axes do
    local fixed = math.floor((x[d] - 0.5) * 256 + 0.5)
    low[d], part[d] = math.floor(fixed / 256), fixed % 256 / 256
  end
  local sum = 0
  for corner = 0, 2 ^ axes - 1 do
    local weight, p = 1, {}
    for d = 1, axes do
      local upper = math.floor(corner / 2 ^ (d - 1)) % 2
      p[d] = low[d] + upper
      weight = weight * (upper == 1 and part[d] or 1 - part[d])
    end
    if weight > 0 then sum = sum + weight * texel(p) end
  end
  return sum
end
