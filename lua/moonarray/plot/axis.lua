--- One axis: its scale, its limits, and the way from values to places on a canvas.

local tostring = require("moonarray.text").tostring
local floor, log10, abs, max, min, huge = math.floor, math.log10, math.abs, math.max, math.min, math.huge
local ticks = require "moonarray.plot.ticks"

local MOST = 8e307                        -- of an axis' ends, so that their distance is finite
local NEAR, LEAST = ticks.NEAR, ticks.LEAST

local Axis = {}
Axis.__index = Axis

local function new() return setmetatable({ scale = "linear" }, Axis) end

--- The limits from the data of artists, with a margin, unless they were set. An artist's `sticky` has values at which
--- the axis ends without one.
function Axis:limits(artists, key, margin)
  local lo, hi = huge, -huge
  local is_log = self.scale == "log"
  local sticky = {}
  for _, artist in ipairs(artists) do
    for _, list in ipairs(artist.lists[key]) do
      for k = 1, #list do
        local v = list[k]
        if v - v == 0 and not (is_log and v <= 0) then
          if v < lo then lo = v end
          if v > hi then hi = v end
        end
      end
    end
    for _, v in ipairs(artist.sticky and artist.sticky[key] or {}) do sticky[v] = true end
  end
  if lo > hi then lo, hi = is_log and 1 or 0, is_log and 10 or 1
  elseif is_log then
    if self.min and hi <= self.min then hi = self.min * 10 end
    if self.max and lo >= self.max then lo = self.max / 10 end
    local a, b = log10(lo), log10(hi)
    local extra = b > a and (b - a) * margin or 0.3
    lo, hi = sticky[lo] and lo or 10 ^ max(a - extra, -307), sticky[hi] and hi or 10 ^ min(b + extra, 307)
  else
    local extra = (hi - lo) * margin
    if hi - lo <= max(abs(lo), abs(hi)) * NEAR then extra = lo == 0 and margin or abs(lo) * margin end
    if extra == huge then extra = 0 end
    local wide = hi > lo
    if not (wide and sticky[lo]) then lo = lo - extra end
    if not (wide and sticky[hi]) then hi = hi + extra end
  end
  lo, hi = self.min or lo, self.max or hi
  if lo >= hi and not is_log then                        -- one end was set, beyond the data
    local extra = max(abs(lo), abs(hi)) * 0.05 + (lo == 0 and hi == 0 and 1 or 0)
    if self.min then hi = lo + extra else lo = hi - extra end
  end
  self:set_ends(lo, hi)
end

--- Sets the ends. If they are so near to each other that ticks would fall on one place, the axis is widened.
function Axis:set_ends(lo, hi)
  if lo > hi or lo - lo ~= hi - hi then lo, hi = 0, 1 end
  lo, hi = max(-MOST, min(MOST, lo)), max(-MOST, min(MOST, hi))
  if self.scale == "log" then
    if log10(hi) - log10(lo) <= NEAR * max(1, abs(log10(lo))) then lo, hi = max(lo / 2, 5e-324), hi * 2 end
  elseif hi - lo <= max(abs(lo), abs(hi)) * NEAR then
    local extra = max(abs(lo), abs(hi)) * 0.05
    lo, hi = lo - extra, hi + extra
  end
  if self.scale ~= "log" and hi - lo < LEAST then lo, hi = lo - LEAST, hi + LEAST end
  self.lo, self.hi = lo, hi
end

--- Makes the axis go from place a to place b of a canvas.
function Axis:place(a, b)
  local lo, hi = self.lo, self.hi
  if self.scale == "log" then lo, hi = log10(lo), log10(hi) end
  if self.inverted then lo, hi = hi, lo end
  self.at, self.factor, self.from = a, (b - a) / (hi - lo), lo
end

--- The places of values on the canvas; NaN for values that have none.
function Axis:map(values)
  local places, at, factor, from = {}, self.at, self.factor, self.from
  if self.scale == "log" then
    for k = 1, #values do
      local v = values[k]
      places[k] = v > 0 and at + (log10(v) - from) * factor or 0 / 0
    end
  else
    for k = 1, #values do places[k] = at + (values[k] - from) * factor end
  end
  return places
end

--- Places and labels of the ticks: those that were set, those of names, or those that fit. `fits` says whether labels
--- fit; most: how many there shall be at most.
function Axis:find_ticks(most, fits)
  local lo, hi = min(self.lo, self.hi), max(self.lo, self.hi)
  if self.fixed or self.names then
    local at, labels = {}, {}
    local list = self.fixed or {}
    if not self.fixed then for k = 1, #self.names do list[k] = k end end
    local given = self.labels or not self.fixed and self.names
    for k, v in ipairs(list) do
      if v >= lo and v <= hi then
        at[#at + 1] = v
        labels[#at] = given and (given[k] or "") or tostring(v):gsub("^%-", "−")
      end
    end
    return at, labels, nil, {}
  end
  local find = self.scale == "log" and ticks.log or ticks.linear
  local at, labels, note, minor
  for n = max(1, floor(most)), 1, -1 do
    at, labels, note, minor = find(lo, hi, n, self.whole)
    if n == 1 or fits(labels, #at) then break end
  end
  return at, labels, note, minor or {}
end

return new
