-- docs/words.txt: what people call things, where the documentation has another word. Any Lua 5.1 serves. As a chunk
-- that is loaded (dofile) it returns a table: said() -> by a function's name, a page or a page's section the words for
-- it; sections() -> the sections of the guides, with what ma.help finds them by.

local files = dofile("scripts/files.lua")
local markdown = dofile("scripts/site/markdown.lua")

--- Pages about the library's inside, and long lists: ma.help does not name them.
local LEFT_OUT = { ["docs/README.md"] = true, ["docs/design.md"] = true, ["docs/testing.md"] = true,
  ["docs/coverage.md"] = true, ["docs/special-counts.md"] = true, ["docs/config.md"] = true }

--- By a target, such as "ndimage.gaussian_filter", "frames.md" or "love.md#sounds", the words of all its lines.
local function said()
  local by_target = {}
  for line in assert(files.read("docs/words.txt")):gmatch("[^\n]+") do
    local words, targets = line:match("^([^#].-):%s+(.*)$")
    for target in (targets or ""):gmatch("%S+") do
      by_target[target] = by_target[target] and by_target[target] .. ", " .. words or words
    end
    assert(words or line:find("^#"), "docs/words.txt: '" .. line .. "'; wanted 'words: targets'")
  end
  return by_target
end

--- The sentence about each page in docs/README.md.
local function summaries()
  local by_page = {}
  local text = assert(files.read("docs/README.md")):gsub("\n  ", " ")
  for page, sentence in text:gmatch("%- %[[^%]]*%]%(([%w_/.-]+%.md)%): ([^\n]*)") do by_page[page] = sentence end
  return by_page
end

--- {target, title, lead, said} of each page but the reference's, and of its sections to the third level.
local function sections()
  local list, words, about = {}, said(), summaries()
  for _, path in ipairs(files.lines("ls docs/*.md")) do
    for k, section in ipairs(LEFT_OUT[path] and {} or markdown.sections(assert(files.read(path)))) do
      local page = path:match("[^/]*$")
      local target = k > 1 and page .. "#" .. section.anchor or page
      if section.level <= 3 then
        list[#list + 1] = { target, section.title, k == 1 and about[page] or "", words[target] or "" }
      end
    end
  end
  return list
end

return { said = said, sections = sections, summaries = summaries }
