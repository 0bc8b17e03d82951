--- docs/queries.txt and docs/words.txt for specs: what people look for, and the function, page or section for it.

local read = require("spec.file").read

local queries = {}

--- Lines of "words: targets", as {words, {target, ...}} each.
local function lines_of(path)
  local list = {}
  for line in read(path):gmatch("[^\n]+") do
    if line:sub(1, 1) ~= "#" then
      local words, rest = line:match("^(.-): (.*)$")
      assert(words, path .. ": " .. line)
      local targets = {}
      for target in rest:gmatch("%S+") do targets[#targets + 1] = target end
      assert(targets[1], path .. ": no target: " .. line)
      list[#list + 1] = { words, targets }
    end
  end
  return list
end

function queries.all() return lines_of("docs/queries.txt") end

function queries.words() return lines_of("docs/words.txt") end

--- Addresses of the site for a target: those of a function's entries in the reference, or that of a page's section.
---@param target string
---@param documents table what read of scripts/site/index.lua gives
---@return table set
function queries.addresses(target, documents)
  local set = {}
  if target:find("%.md") then
    set[(target:gsub("%.md", ".html"))] = true
    return set
  end
  for _, document in ipairs(documents) do
    local title = document.title:gsub("^ma%.", "")
    if title == target and document.address:find("^reference/") then set[document.address] = true end
  end
  return set
end

return queries
