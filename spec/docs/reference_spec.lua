-- docs/reference, as scripts/reference.lua makes it: it has a page for every public name, its links lead somewhere, and
-- its examples run and print what the pages say. Numbers may differ in the last digits: libraries round otherwise.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core

local read = require("spec.file").read
local reference = dofile("scripts/reference.lua")
local examples = require "moonarray.help.examples"

--- By program, what the pages say that it prints: { {path =, program =, text =} ... }.
local function programs_of(path, text, list)
  local at = 1
  while true do
    local _, stop, program = text:find("\n```lua\n(.-)\n```\n", at)
    if not stop then return list end
    local printed = text:sub(stop + 1):match("^```text\n(.-)\n```")
    list[#list + 1] = { path = path, program = program, text = printed or "" }
    at = stop
  end
end

local shown, written = {}, reference.pages()
for path, text in pairs(written) do
  for _, one in ipairs(programs_of(path, text, {})) do shown[one.program] = one end
end

--- Whether two texts agree but for the last digits of numbers.
local function agree(a, b)
  local number = "%-?%d+%.?%d*e?[-+]?%d*"
  if a:gsub(number, "#"):gsub("%s+", " ") ~= b:gsub(number, "#"):gsub("%s+", " ") then return false end
  local next_one = b:gmatch(number)
  for x in a:gmatch(number) do
    local y = next_one()
    local p, q = tonumber(x), tonumber(y)
    if x ~= y and not (p and q and math.abs(p - q) <= 1e-5 * math.max(1, math.abs(p))) then return false end
  end
  return true
end

describe("the reference", function()
  it("is what lies in docs, which make writes", function()
    for path, text in pairs(written) do assert(text == read(path), path .. " is not current; `make` writes it") end
  end)

  it("knows what each example prints, and no more", function()
    local names = {}
    for name in pairs(examples) do names[name] = true end
    for name in pairs(reference.read_results()) do
      local ufunc = name:match("^dtypes of (.*)$")
      assert(names[name] or core.functions[ufunc], name .. " prints something, but is nothing; `make meta` mends it")
    end
  end)

  it("has a page and an example for every public name", function()
    local all, failures = table.concat((function()
      local list = {}
      for _, text in pairs(written) do list[#list + 1] = text end
      return list
    end)(), "\n"), helper.failures()
    for name in pairs(core.functions) do
      local title = name:sub(1, 1) == ":" and "a" .. name or "ma." .. name
      failures:run(name, function()
        assert(all:find("\n## " .. title .. "\n", 1, true), title .. " has no page")
        assert(examples[name], title .. " has no example; write one above its definition")
      end)
    end
    for name in pairs(examples) do
      assert(name:find("^[%w_]+:") or core.functions[name], "an example of " .. name .. ", which is nothing")
    end
    failures:check()
  end)

  -- The type that a value must have for a type of a class's line; classes have tables or userdata.
  local plain = { boolean = "boolean", number = "number", integer = "number", string = "string", table = "table",
    ["function"] = "function" }

  it("has an example for every method of an object, which gives what the list of classes says", function()
    local failures, class, count = helper.failures(), nil, 0
    local methods = {}
    for line in require("moonarray.help.classes"):gmatch("[^\n]+") do
      class = line:match("^= (%S+)") or class
      local method, results = line:match("^:([%w_]+)%(.-%)(.-) | ")
      if method then methods[class .. ":" .. method] = results:match("^ %-> (.*)$") or "" end
    end
    for name, results in pairs(methods) do
      failures:run(name, function()
        local example = examples[name]
        assert(example, name .. " has no example; write one below its line in the class")
        local own = example.own and example.own:match("^[^\n]*")        -- the call, before what shows its effect
        if not own or not own:find("^" .. name .. "%f[^%w_]") or not loadstring("return " .. own) then return end
        local object = name:match("^[^:]*")
        if own:find("^" .. object .. ":[%w_]+%b()$") or own:find("^" .. object .. ":[%w_]+ %b{}$") then
          local given = { n = 0 }
          local function keep(...) given = { n = select("#", ...), ... } end
          local make = example.code:sub(1, -1 - #example.own):gsub("return $", "")
          local rest = example.own:sub(#own + 1)
          assert(loadstring(("local ma, keep = ...\n%skeep(%s)%s"):format(make, own, rest)))(ma, keep)
          count = count + 1
          if results == "" then return assert(given.n == 0, name .. " gives a result, and is said to give none") end
          if results:find("any", 1, true) or results:find("...", 1, true) then return end
          local k = 0
          for one in results:gmatch("[^,]+") do
            k = k + 1
            local wanted = plain[one:match("^%s*(%w+)%s*$")]
            local found = type(given[k])
            assert(wanted and found == wanted or not wanted and (found == "table" or found == "userdata"),
              ("%s: result %d is a %s; %s is said"):format(name, k, found, one))
          end
          assert(k == given.n, ("%s gives %d results; %d are said"):format(name, given.n, k))
        end
      end)
    end
    for name in pairs(examples) do
      assert(methods[name] or not name:find("^[%w_]+:"), "an example of " .. name .. ", which is nothing")
    end
    failures:check()
    assert(count > 45, count .. " examples")
  end)

  it("has links that lead somewhere", function()
    local failures, anchors = helper.failures(), {}
    for path, text in pairs(written) do
      for title in text:gmatch("\n## ([^\n]+)") do
        anchors[path .. "#" .. title:lower():gsub("[^%w_ -]", "")] = true
      end
    end
    for path, text in pairs(written) do
      for link in text:gsub("```.-```", ""):gsub("\\%[.-%]", ""):gmatch("%]%(([^)]+)%)") do
        local file, anchor = link:match("^([^#]*)#?(.*)$")
        local target = "docs/reference/" .. file
        failures:run(path, function()
          assert(written[target] or io.open(target), "no file " .. link)
          assert(anchor == "" or anchors[target .. "#" .. anchor], "no heading " .. link)
        end)
      end
    end
    failures:check()
  end)

  it("has examples that run and print what it says", function()
    local failures, count = helper.failures(), 0
    for program, one in pairs(shown) do
      if not program:find("^%-%- [iow]%l+ ") then
        count = count + 1
        failures:run(program, function()
          local printed = reference.run(ma, program):gsub(helper.device, "cpu")
          assert(agree(printed, one.text), ("%s:\n%s\nprints\n%s\n; the page says\n%s"):format(one.path, program,
            printed, one.text))
        end)
      end
    end
    failures:check()
    assert(count > 1300, count .. " examples")
  end)

  it("shows what each example prints, or says why it prints nothing", function()
    local failures, count = helper.failures(), 0
    for name, example in pairs(examples) do
      count = count + 1
      failures:run(name, function()
        local where = example.gpu and "-- " .. example.gpu .. "\n" or ""
        local one = assert(shown[where .. reference.program(example)], "stands in no page")
        assert(one.text ~= "" or example.words, "prints nothing, and no line `= words` says what there is to see")
        assert(one.text == "" or not example.words, "prints something, and words say what there is to see")
        assert(not example.prints or example.gpu, "runs here; what it prints is no matter of lines with `>`")
      end)
    end
    failures:check()
    assert(count > 1400, count .. " examples")
  end)

  -- Those of the end of a program would end this one's use of the GPU.
  if helper.device:find("cuda", 1, true) then
    it("has examples for a GPU that run there and print what it says", function()
      local failures, count = helper.failures(), 0
      for name, example in pairs(examples) do
        if example.gpu == "on a GPU" and name == example.names[1] then
          count = count + 1
          failures:run(name, function()
            local printed = reference.run(ma, reference.program(example)):gsub("cuda:%d", "cpu"):gsub("cuda", "cpu")
            local wanted = (example.prints or ""):gsub("cuda:%d", "cpu")
            assert(agree(printed, wanted), ("prints\n%s\n; the page says\n%s"):format(printed, wanted))
          end)
        end
      end
      failures:check()
      assert(count > 20, count .. " examples")
    end)
  end

  it("compares texts but for last digits", function()
    assert.is_true(agree("[1. 2.5] x", "[1.  2.5] x"))
    assert.is_true(agree("0.30000000", "0.30000001"))
    for _, other in ipairs { "0.301", "0.30000000 (0-d)", "-0.3", "x" } do
      assert.is_false(agree("0.30000000", other))
    end
  end)
end)
