-- The search of the site and of ma.help: docs/queries.txt has what people look for and what they are to find among the
-- first three. The site's index is read as a browser reads it, and ranked by the Lua that search.js follows line by
-- line; spec/site/browser_spec.lua asks search.js itself.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local find = require "moonarray.help.find"
local queries = require "spec.docs.queries"
local index_of = dofile "scripts/site/index.lua"
local site = dofile "scripts/site.lua"

local folder = os.tmpname()
os.remove(folder)
site.make(folder)
local documents, index = index_of.read(require("spec.file").read(folder .. "/index.js"))
teardown(function() os.execute("rm -rf '" .. folder .. "'") end)

--- The first titles and addresses for a question.
local function found(question, most)
  local list = {}
  for k, document in ipairs(find.rank(index, question)) do
    if k > (most or 3) then break end
    list[k] = documents[document]
  end
  return list
end

local function help_of(what)
  local before, text = print, nil
  rawset(_G, "print", function(printed) text = printed end)
  local ok, message = pcall(ma.help, what)
  rawset(_G, "print", before)
  return ok and text, message
end

--- What ma.help shows, in order: the function or the module of that name and its guide, or the entries of a list.
local function shown_by_help(question)
  local text, list = help_of(question), {}
  local head = text and text:match("^moonarray%.([%w_.]+)[(:]")
  if head then
    list[1], list[2] = head, text:match("; docs/(%S+%.md)\n")
    return list
  end
  for entry in ("\n" .. (text or "")):gmatch("\n  (%S[^\n]*)\n      ") do
    list[#list + 1] = entry:match("^docs/(%S+)") or entry:match("^[^(]+")
  end
  return list
end

local function is_one_of(list, targets)
  for k = 1, math.min(3, #list) do
    for _, target in ipairs(targets) do
      if list[k] == target then return true end
    end
  end
  return false
end

describe("docs/queries.txt", function()
  it("has at least 60 questions, of which none is twice", function()
    local seen, count = {}, 0
    for _, query in ipairs(queries.all()) do
      assert(not seen[query[1]], query[1])
      seen[query[1]], count = true, count + 1
    end
    assert(count >= 60, count)
  end)

  it("is answered by the site among the first three", function()
    local failures = helper.failures()
    for _, query in ipairs(queries.all()) do
      failures:run(query[1], function()
        local addresses, hit = {}, false
        for k, document in ipairs(found(query[1])) do
          addresses[k] = document.address
          for _, target in ipairs(query[2]) do
            hit = hit or queries.addresses(target, documents)[document.address]
          end
        end
        assert(hit, table.concat(addresses, " "))
      end)
    end
    failures:check()
  end)

  it("is answered by ma.help among the first three", function()
    local failures = helper.failures()
    for _, query in ipairs(queries.all()) do
      failures:run(query[1], function()
        local list = shown_by_help(query[1])
        assert(is_one_of(list, query[2]), table.concat(list, " "))
      end)
    end
    failures:check()
  end)
end)

describe("docs/words.txt and docs/queries.txt", function()
  it("name functions, pages and sections that are there", function()
    local failures, addresses = helper.failures(), {}
    for _, document in ipairs(documents) do addresses[document.address] = true end
    for _, list in ipairs { queries.all(), queries.words() } do
      for _, line in ipairs(list) do
        for _, target in ipairs(line[2]) do
          failures:run(target, function()
            if not target:find("%.md") then return assert(core.functions[target], "no function") end
            assert(addresses[next(queries.addresses(target, documents))], "no page or section")
          end)
        end
      end
    end
    failures:check()
  end)
end)

describe("the site's search", function()
  it("finds every public name by that name", function()
    for name in pairs(core.functions) do
      local title, hit = name:sub(1, 1) == ":" and "a" .. name or "ma." .. name, false
      for _, document in ipairs(found(title)) do hit = hit or document.title == title end
      assert(hit, title .. " is not among the first three")
    end
  end)

  it("finds words in the midst of a section, and a name before it is typed to its end", function()
    assert.equal("memory.html", found("abandoned coroutine", 1)[1].address:match("^[^#]*"))
    for k = 5, #"gaussian_filter" do
      local hit = false
      for _, document in ipairs(found(("gaussian_filter"):sub(1, k), 5)) do
        hit = hit or document.title:find("gaussian", 1, true)
      end
      assert(hit, ("gaussian_filter"):sub(1, k))
    end
    assert.equal("ma.linalg.svd", found("ma.linalg.svd", 1)[1].title)
    assert.same({}, found "")
    assert.same({}, found "xyzzyx")
  end)

  it("gives pages that list names behind all others", function()
    for _, question in ipairs { "fft", "random", "cupy", "matmul", "polynomial" } do
      local order, last = find.rank(index, question), false
      for _, document in ipairs(order) do
        local is_list = documents[document].address:find("^coverage%.html") ~= nil
        assert(is_list or not last, question)
        last = is_list
      end
      assert(question ~= "cupy" or last, "no coverage page is found")
    end
  end)

  it("reads what the index was made of", function()
    local page = "# Öne [two](b.md)\n\nThree. Four\n\n## `five`\n"
    local texts = { { path = "docs/a.md", address = "a.html", text = page },
      { path = "docs/coverage.md", address = "coverage.html", text = "# Three \"five\" <\n" } }
    local list, read = index_of.read(index_of.script(index_of.documents(texts)))
    assert.same({ { title = "Öne two", page = "Öne two", address = "a.html" },
      { title = "five", page = "Öne two", address = "a.html#five" } }, { list[1], list[2] })
    assert.same({ 1, 3 }, find.rank(read, "three"))
    assert.same({ 2, 3 }, find.rank(read, "five"))
    assert.same({ 1, 2 }, find.rank(read, "öne"))
    assert.same({ 1 }, find.rank(read, "four"))
  end)
end)

describe("stems", function()
  it("are those of plurals, of -ing, -ed and -ion", function()
    for word, stem in pairs { image = "imag", images = "imag", smoothing = "smooth", smoothed = "smooth",
      running = "run", runs = "run", moving = "mov", move = "mov", boxes = "box", box = "box", axis = "axis",
      class = "clas", classes = "clas", string = "string", rotation = "rotat", rotate = "rotat", entries = "entry",
      fps = "fps", fft2 = "fft2", svd_image = "svd_image", embedding = "emb",
      embed = "emb" } do
      assert.equal(stem, find.stem(word))
    end
  end)
end)

describe("ma.help", function()
  it("finds by words, and says a line about each", function()
    local text = help_of "blur an image"
    assert.matches("^about 'blur an image', the nearest first; ma.help \"linalg.svd\" and the like tell more:\n", text)
    assert.matches("\n  ndimage.gaussian_filter%(input, sigma, [^\n]*%)\n      Blurs by a Gaussian", text)
    for line in text:gmatch("[^\n]+") do assert(#line <= 122, line) end
  end)

  it("gives names that have the word in them behind the others", function()
    assert.matches("\n  linalg.svd%(.*\n%d+ functions with 'sv' in the name:\n .* linalg%.svd ", help_of "sv")
  end)

  it("names a module's guide", function()
    assert.matches('^moonarray.noise: 5 functions; ma.help "noise.curl" and the like tell more; docs/noise.md\n',
      help_of "noise")
    assert.matches('tell more\n', help_of "lapack")
  end)

  it("fails where no word is known", function()
    local _, message = help_of "qwzzk xyzzyx"
    assert.matches("no function has 'qwzzk xyzzyx' in its name", message)
  end)
end)
