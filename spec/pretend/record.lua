--- Records of kernels (MOONARRAY_BUNDLE=record:FILE), for specs that build a bundle of a part of one.

local record = {}

--- A record without the kernels of some families, names that are true in `left_out`, and how many these were.
---@param text string
---@param left_out table<string, boolean>
---@return string kept
---@return integer n
function record.without(text, left_out)
  local at, kept, n = 1, {}, 0
  local function item()
    local size, from = text:match("^(%d+):()", at)
    at = from + size + 1
    return text:sub(from, from + size - 1)
  end
  local function list()
    for _ = 1, tonumber(item()) do item() end
  end
  while at <= #text do
    local start = at
    at = at + #"kernel\n"
    local family = item()
    for _ = 1, 5 do item() end                       -- architecture, place, text, key, whether headers come first
    local count = item()
    if count ~= "-" then
      for _ = 1, tonumber(count) do item() end
      list()
    end
    if left_out[family] then n = n + 1 else kept[#kept + 1] = text:sub(start, at - 1) end
  end
  return table.concat(kept), n
end

return record
