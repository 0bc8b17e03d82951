-- The index of the site's search: index.js. As a chunk that is loaded (dofile) it returns a table: documents(pages) ->
-- the sections as lua/moonarray/help/find.lua wants them, of pages {path =, address =, text =}; script(documents) ->
-- the text of index.js; read(text) -> that text as documents and an index, for specs.

package.path = "./lua/?.lua;" .. package.path
local find = require "moonarray.help.find"
local markdown = dofile("scripts/site/markdown.lua")
local words = dofile("scripts/site/words.lua")

local concat, sformat = table.concat, string.format

--- What a page's words are worth beside those of a guide. Lists of names come last, whatever stands in them.
local WORTH = { ["docs/design.md"] = 0.4, ["docs/testing.md"] = 0.4, ["docs/config.md"] = 0.7, ["README.md"] = 0.7,
  ["docs/README.md"] = 0.4, ["docs/reference/README.md"] = 0.4, ["docs/from-cupy.md"] = 0.6,
  ["docs/from-torch7.md"] = 0.6, ["docs/distributed-costs.md"] = 0.6,
  ["docs/reference/sparse_matrix.md"] = 0.6, ["docs/reference/distributed_array.md"] = 0.6 }
local LAST = { ["docs/coverage.md"] = true, ["docs/special-counts.md"] = true }

local function documents(pages)
  local list, said, about = {}, words.said(), words.summaries()
  for _, page in ipairs(pages) do
    local short = page.path:gsub("^docs/", "")
    local is_reference = short:find("^reference/")
    local sections = markdown.sections(page.text)
    for k, section in ipairs(sections) do
      local name = is_reference and k > 1 and section.title:gsub("^ma%.", ""):gsub("^a:", ":")
      local target = name or k > 1 and short .. "#" .. section.anchor or short
      list[#list + 1] = { title = section.title, page = k > 1 and sections[1].title or "", lead = section.lead,
        text = (k == 1 and about[short] or "") .. "\n" .. section.text, said = said[target],
        name = name and name:match("[^.:]+$"), worth = WORTH[page.path] or 1, last = LAST[page.path],
        address = page.address .. (k > 1 and "#" .. section.anchor or ""), at = page.address }
    end
  end
  return list
end

-- ==== The script ===================================================================================================

local DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

local function base36(n)
  local text = ""
  while n > 0 do
    local digit = n % 36
    text, n = DIGITS:sub(digit + 1, digit + 1) .. text, (n - digit) / 36
  end
  return text
end

--- "gaussian 3fJ12C": each place by how far it is behind the one before, nothing where that is 1, and its score as a
--- letter.
local function line_of(index, stem)
  local places, parts, before = index.places[stem], { stem, " " }, 0
  for p = 1, #places, 2 do
    local step = places[p] - before
    before = places[p]
    parts[#parts + 1] = (step > 1 and base36(step) or "") .. string.char(64 + places[p + 1])
  end
  return concat(parts)
end

local function quoted(text) return '"' .. text:gsub('[\\"]', "\\%0"):gsub("[\n<]", " ") .. '"' end

--- Pages are [address, title]; a section is [title, anchor, number of its page, 1 if it comes last].
local function script(list)
  local index, pages, sections, lines, last = find.index(list), {}, {}, {}, nil
  for k, document in ipairs(list) do
    if document.at ~= last then
      last = document.at
      pages[#pages + 1] = sformat("[%s,%s]", quoted(last), quoted(document.title))
    end
    sections[k] = sformat("[%s,%s,%d%s]", quoted(document.title), quoted(document.address:match("#(.*)$") or ""),
      #pages - 1, document.last and ",1" or "")
  end
  for k, stem in ipairs(index.stems) do lines[k] = line_of(index, stem) end
  return sformat("var SITE = {\npages: [\n%s],\nsections: [\n%s],\nwords: \"%s\"\n};\n", concat(pages, ",\n"),
    concat(sections, ",\n"), concat(lines, "\\n\\\n"))
end

--- What a browser reads: documents {title =, address =}, and an index that find.rank takes.
local function read(text)
  local pages, list, index = {}, {}, { last = {}, titles = {}, stems = {}, places = {} }
  for address, title in text:match("pages: %[\n(.-)%],\nsections"):gmatch('%["(.-)","(.-)"%]') do
    pages[#pages + 1] = { address, title }
  end
  for title, anchor, page, rest in text:match("sections: %[\n(.-)%],\nwords"):gmatch('%["(.-)","(.-)",(%d+)(,?1?)%]') do
    list[#list + 1] = { title = title, page = pages[page + 1][2],
      address = pages[page + 1][1] .. (anchor ~= "" and "#" .. anchor or "") }
    index.last[#list], index.titles[#list] = rest ~= "" or nil, find.whole(title)
  end
  index.count = #list
  for stem, coded in text:match('words: "(.-)"\n'):gsub("\\n\\\n", "\n"):gmatch("(%S+) (%S+)") do
    local places, at = {}, 0
    for step, score in coded:gmatch("([0-9a-z]*)([A-Z])") do
      at = at + (step == "" and 1 or tonumber(step, 36))
      places[#places + 1], places[#places + 2] = at, score:byte() - 64
    end
    index.stems[#index.stems + 1], index.places[stem] = stem, places
  end
  return list, index
end

return { documents = documents, script = script, read = read }
