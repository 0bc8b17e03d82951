--- The search of ma.help and of the documentation's site: the stems of words, an index over documents, and the order in
--- which they are found. scripts/site/search.js does the same in a browser. Any Lua 5.1 serves.

local floor, log, min = math.floor, math.log, math.min

local find = {}

--- A document's fields and what a word in them counts. `said` is what people call it (docs/words.txt), `name` the last
--- part of a function's name, `page` the title of the page, and `lead` the first line.
local WEIGHTS = { said = 8, name = 9, title = 6, page = 2, lead = 3, text = 1 }

local MOST = 26        -- of a word in a document: the site's index writes it as a letter

-- What is in every question. They are words like others in titles, and where a question has no other word.
local COMMON = {}
for word in ([[a an and are as at be by can do does for from have how i if in into is it its make me my of on one or the
    there this to use using want what when where which why with without]]):gmatch("%S+") do
  COMMON[word] = true
end

-- ==== Words ========================================================================================================

local function once(word)
  return (word:gsub("([bdfglmnprstz])%1$", "%1"))
end

--- A word without its ending: "smoothing" and "smooths" as "smooth", "images" as "imag", "rotation" and "rotate" as
--- "rotat". Both sides of a comparison are stems, so that they need not be words.
function find.stem(word)
  if #word < 4 or word:find("[%d_]") then return word end
  local stem = word
  if #stem > 4 and stem:find("ies$") then stem = stem:sub(1, -4) .. "y"
  elseif not stem:find("[isu]s$") and stem:find("s$") then stem = stem:sub(1, -2) end
  for _, ending in ipairs { "ing", "ed" } do
    local rest = stem:sub(-#ending) == ending and stem:sub(1, -#ending - 1)
    if rest and #rest >= 3 and rest:find("[aeiouy]") then stem = rest end
    stem = once(stem)
  end
  if #stem > 6 and stem:find("[st]ion$") then stem = stem:sub(1, -4) end
  if #stem > 3 and stem:find("e$") then stem = stem:sub(1, -2) end
  return once(stem)
end

--- A text with the letters that words have: C++ is a word, and LÖVE is "love".
local function plain(text)
  return (text:gsub("[cC]%+%+", "cpp"):gsub("\195[\150\182]", "o"))
end

--- Calls a function with each word of a text: its stem, and itself in small letters. Names count whole and in their
--- parts: gaussian_filter is also "gaussian" and "filter", RawKernel also "raw" and "kernel".
local function each_word(text, visit)
  for token in plain(text):gmatch("[%w_]+") do
    token = token:gsub("^_+", ""):gsub("_+$", "")
    local low = token:lower()
    if token:find("_", 1, true) then
      visit(low, low)
      for part in low:gmatch("[^_]+") do visit(find.stem(part), part) end
    elseif token ~= "" then
      visit(find.stem(low), low)
      if token:find("%l%u") then
        for part in token:gsub("(%l)(%u)", "%1 %2"):gmatch("%S+") do
          visit(find.stem(part:lower()), part:lower())
        end
      end
    end
  end
end

--- The words of a question, {stem, word} each, without common ones.
local function asked(question)
  local all, rare = {}, {}
  for token in plain(question):gmatch("[%w_]+") do
    local low = token:lower():gsub("^_+", ""):gsub("_+$", "")
    local word = { find.stem(low), low }
    if low ~= "ma" then all[#all + 1] = word end
    if low ~= "ma" and not COMMON[low] then rare[#rare + 1] = word end
  end
  return rare[1] and rare or all
end

--- What stands for a whole question, or for a phrase of `said`: "=edg+detect".
local function phrase_of(words)
  local stems = {}
  for k, word in ipairs(words) do stems[k] = word[1] end
  return "=" .. table.concat(stems, "+")
end

-- ==== The index ====================================================================================================

--- A title, or a question, as both are compared as a whole: "ma.linalg.svd" as "linalg.svd".
local function whole_of(text)
  return (text:lower():gsub("^%s+", ""):gsub("%s+$", ""):gsub("^ma[.:]", ""):gsub("^a:", ""))
end

--- What each stem counts in a document.
local function scores_of(document)
  local scores, counts = {}, {}
  for field, weight in pairs(WEIGHTS) do
    local seen = {}
    each_word(document[field] or "", function(stem, word)
      if field == "text" then
        if not COMMON[word] and #word > 1 and not word:find("^%d+$") then counts[stem] = (counts[stem] or 0) + 1 end
      elseif not seen[stem] and (field ~= "lead" or not COMMON[word]) then
        seen[stem] = true
        scores[stem] = (scores[stem] or 0) + weight
      end
    end)
  end
  for stem, count in pairs(counts) do scores[stem] = (scores[stem] or 0) + WEIGHTS.text * min(count, 4) ^ 0.5 end
  for phrase in (document.said or ""):gmatch("[^,]+") do scores[phrase_of(asked(phrase))] = MOST end
  for stem, score in pairs(scores) do
    scores[stem] = min(MOST, math.max(1, floor(score * (document.worth or 1) + 0.5)))
  end
  return scores
end

--- An index over a list of documents: {count =, last = {[k] = true} of those that come last, titles = {whole titles},
--- stems = a sorted list, places = by stem {document, score, document, score ...}}. A document has the fields of
--- WEIGHTS, texts that may be nil. `said` has phrases with commas between them: a question that is one of them finds
--- the document first. `worth` is a factor of its scores, and one that is `last` comes behind all others.
function find.index(documents)
  local index = { count = #documents, last = {}, titles = {}, stems = {}, places = {} }
  for k, document in ipairs(documents) do
    index.titles[k] = whole_of(document.title)
    index.last[k] = document.last or nil
    for stem, score in pairs(scores_of(document)) do
      local places = index.places[stem]
      if not places then
        places = {}
        index.places[stem] = places
        index.stems[#index.stems + 1] = stem
      end
      places[#places + 1], places[#places + 2] = k, score
    end
  end
  table.sort(index.stems)
  return index
end

-- ==== Questions ====================================================================================================

--- Stems for a word, {stem, factor} each: itself, and those that begin with what was typed, which count less the more
--- of them is missing. If there are none, those that have it inside.
local function stems_for(index, stem, word, is_last)
  local list = {}
  if index.places[stem] then list[1] = { stem, 1 } end
  if #word > 1 and (is_last or not list[1]) then
    for _, other in ipairs(index.stems) do
      if other ~= stem and other:sub(1, #word) == word then list[#list + 1] = { other, 0.4 * #word / #other } end
    end
  end
  if not list[1] and #word > 2 then
    for _, other in ipairs(index.stems) do
      if other:sub(1, 1) ~= "=" and other:find(word, 2, true) then list[#list + 1] = { other, 0.2 * #word / #other } end
    end
  end
  return list
end

--- The documents for a question, the best first. A word counts more, the fewer documents have it, and a document that
--- lacks one of two words counts a quarter. One whose title is the question comes first.
function find.rank(index, question)
  local words, total, covered = asked(question), {}, {}
  for k, word in ipairs(words) do
    local best = {}
    for _, pair in ipairs(stems_for(index, word[1], word[2], k == #words)) do
      local places = index.places[pair[1]]
      local worth = pair[2] * log(1 + 2 * index.count / #places)
      for p = 1, #places, 2 do
        local document, score = places[p], worth * places[p + 1]
        if score > (best[document] or 0) then best[document] = score end
      end
    end
    for document, score in pairs(best) do
      total[document] = (total[document] or 0) + score
      covered[document] = (covered[document] or 0) + 1
    end
  end
  local whole = index.places[phrase_of(words)] or {}
  for p = 1, #whole, 2 do
    total[whole[p]] = (total[whole[p]] or 0) + whole[p + 1] * log(1 + 2 * index.count / #whole)
  end
  local list, title = {}, whole_of(question)
  for document, score in pairs(total) do
    if index.titles[document] == title then score = score + 2 * MOST * log(1 + index.count) end
    total[document] = floor(score * ((covered[document] or 0) / #words) ^ 2 * 1000 + 0.5)
    list[#list + 1] = document
  end
  table.sort(list, function(a, b)
    if index.last[a] ~= index.last[b] then return index.last[b] or false end
    return total[a] > total[b] or total[a] == total[b] and a < b
  end)
  return list
end

find.whole = whole_of

return find
