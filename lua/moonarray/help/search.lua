--- What ma.help finds by words: functions by their names, sentences and docs/words.txt, and sections of the guides by
--- their titles.

local find = require "moonarray.help.find"

local MOST, WIDTH = 8, 116

--- The first sentence of a docstring, on one line.
local function first_sentence(doc)
  local text = doc:gsub("%s+", " ")
  text = text:match("^(.-[%l%d)\"'%]]%.) %u") or text:match("^(.-[%l%d)\"'%]]): ") or text
  return #text > WIDTH and text:sub(1, WIDTH - 3):gsub("%s+%S*$", "") .. "..." or text
end

--- A signature that fits a line.
local function short(signature)
  return #signature <= WIDTH and signature or signature:sub(1, WIDTH - 5):gsub(",[^,]*$", "") .. ", ...)"
end

--- A section's title, and the sentence about it if that says more.
local function titled(title, lead)
  if lead:lower():sub(1, #title) == title:lower() then return title .. lead:sub(#title + 1) end
  return title .. (lead ~= "" and ": " .. lead or "")
end

--- Functions and sections, as find.index wants them. `shown` is the line of a list, and `about` the one below it.
local function documents_of(functions)
  local sections, said, list = {}, {}, {}
  for line in require("moonarray.help.words"):gmatch("[^\n]+") do
    local target, title, lead, words = line:match("^(%S+) | (.-) | (.-) | (.*)$")
    if title == "" then said[target] = words
    else sections[#sections + 1] = { target, title, lead, words } end
  end
  local names = {}
  for name in pairs(functions) do
    -- A method has the function's sentence; methods of sparse and sharded arrays nearly all are functions too.
    if not (name:sub(1, 1) == ":" and functions[name:sub(2)]) then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local doc = functions[name].doc
    list[#list + 1] = { title = name, name = name:match("[%w_]+$"), lead = first_sentence(doc), text = doc,
      said = said[name], worth = name:find("%.Matrix%.") and 0.6 or name:find("%.Array%.") and 0.6 or 1,
      shown = short((functions[name].signature:gsub("^[^(]*", (name:gsub("^:", "a:"))))), about = first_sentence(doc) }
  end
  for _, section in ipairs(sections) do
    list[#list + 1] = { title = section[2], lead = section[3], said = section[4], worth = 0.9,
      shown = "docs/" .. section[1], about = titled(section[2], section[3]) }
  end
  return list
end

--- Returns a function of a question: a list of texts of two lines, the best first; empty where no word is known.
return function(core)
  local documents, index
  return function(question)
    documents = documents or documents_of(core.functions)
    index = index or find.index(documents)
    local order, list = find.rank(index, question), {}
    for k = 1, math.min(MOST, #order) do
      local one = documents[order[k]]
      list[k] = "  " .. one.shown .. "\n      " .. one.about
    end
    return list
  end
end
