-- docs/reference: it has a page for every public name, is what scripts/reference.lua makes, its links lead somewhere,
-- and its examples run and print what the pages say. Numbers may differ in the last digits: libraries round otherwise.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core

local read = require("spec.file").read
local reference = dofile("scripts/reference.lua")
local examples = require "moonarray.help.examples"

--- By program, what the pages say that it prints: { {path =, program =, text =} ... }.
local function programs_of(path, list)
  local text = read(path)
  local at = 1
  while true do
    local _, stop, program = text:find("\n```lua\n(.-)\n```\n", at)
    if not stop then return list end
    local printed = text:sub(stop + 1):match("^```text\n(.-)\n```")
    list[#list + 1] = { path = path, program = program, text = printed or "" }
    at = stop
  end
end

local function paths()
  local list, pipe = {}, assert(io.popen("ls docs/reference/*.md"))
  for path in pipe:lines() do list[#list + 1] = path end
  pipe:close()
  return list
end

local shown, written = {}, {}
for _, path in ipairs(paths()) do
  written[path] = read(path)
  if not path:find("objects.md", 1, true) then
    for _, one in ipairs(programs_of(path, {})) do shown[one.program] = one end
  end
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
  it("is what make reference makes", function()
    local files = reference.pages(ma, core, function(example)
      local one = shown[reference.program(example)]
      return one and one.text or ""
    end)
    for path, text in pairs(files) do
      assert(text == written[path], path .. " is not current; `make reference` writes it")
    end
    for path in pairs(written) do assert(files[path], path .. " is of no module; `make reference` removes it") end
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
        assert(examples[name], title .. " has no example in lua/moonarray/help")
      end)
    end
    for name in pairs(examples) do assert(core.functions[name], "an example of " .. name .. ", which is nothing") end
    failures:check()
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
          assert(io.open(target), "no file " .. link):close()
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

  it("compares texts but for last digits", function()
    assert.is_true(agree("[1. 2.5] x", "[1.  2.5] x"))
    assert.is_true(agree("0.30000000", "0.30000001"))
    for _, other in ipairs { "0.301", "0.30000000 (0-d)", "-0.3", "x" } do
      assert.is_false(agree("0.30000000", other))
    end
  end)
end)
