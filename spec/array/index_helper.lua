--- What the specs of indexing share: arrays that count, their elements as Lua lists, and lists that must be the same.
local helper = require "spec.helper"
local ma = helper.ma

local list = {}

function list.numbers(text)
  local found = {}
  for n in text:gmatch("-?%d+") do found[#found + 1] = tonumber(n) end
  return found
end

local function count(shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return n
end

--- The elements in C order as a Lua list.
function list.flat(array)
  if array.ndim == 0 then return { array:item() } end
  return array:ravel():totable()
end

--- What `for k = first, last, step` visits. Debian 12's LuaJIT for ARM64 compiles that loop for the sign that the step
--- had first, and keeps to it (a loop of plain Lua shows it; its issue 917 is of the kind): so the loop counts by hand.
function list.visited(first, last, step)
  local visited, k = {}, first
  while step > 0 and k <= last or step < 0 and k >= last do
    visited[#visited + 1] = k
    k = k + step
  end
  return visited
end

--- 1, 2, 3 ... in a shape.
function list.counted(shape, dtype)
  return ma.range(1, count(shape)):astype(dtype or "int64"):reshape(shape)
end

function list.weighted(values)
  local sum = 0
  for k, v in ipairs(values) do sum = sum + k * v end
  return sum
end

function list.same_list(want, got, label)
  if #want ~= #got then error(("%s: %d elements; wanted %d"):format(label or "list", #got, #want), 2) end
  for k = 1, #want do
    if want[k] ~= got[k] then
      error(("%s: element %d is %s; wanted %s (SEED=%d)"):format(label or "list", k, tostring(got[k]),
        tostring(want[k]), helper.seed), 2)
    end
  end
end

function list.refused(pattern, f, ...)
  local message = helper.fails(f, ...)
  if not message:find(pattern, 1, true) then error(("%q; wanted %q in it"):format(message, pattern), 2) end
end

return list
