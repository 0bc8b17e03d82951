--- The table of what was tuned, src/tuning.def: its rows are whole, and somebody reads each of them.

local file = require "spec.file"
local read = file.read

local ROW = '^TUNE%(([%u%d_]+),%s+(%d+),%s+(%d+),%s+([%u%d]+),%s+"([^"]+)",%s+"([^"]+)",%s+"([^"]+)"%)$'
local rows = {}
for line in io.lines("src/tuning.def") do
  if line:find("^TUNE") then
    local name, value, least, most, _, key, text = line:match(ROW)
    assert(name, "this row is not whole: " .. line)
    rows[#rows + 1] = { name = name, value = tonumber(value), least = tonumber(least), key = key, text = text,
      most = most == "ANY" and 2 ^ 30 or tonumber(most) }
  end
end

describe("the table of what was tuned", function()
  it("has a value between bounds, each name once, and a sentence without an end", function()
    local seen = {}
    assert.is_true(#rows > 60)
    for _, row in ipairs(rows) do
      assert.is_nil(seen[row.name], row.name)
      seen[row.name] = true
      assert.is_true(row.least <= row.value and row.value <= row.most, row.name)
      assert.is_true(row.least < row.most, row.name)
      assert.is_nil(row.text:find("%.$"), row.name)
    end
  end)

  it("names for each row something that shows the difference", function()
    local keys = read("bench/results.md")
    local calls = read("bench/peers/sweep.txt") .. read("bench/peers/ordinary.txt")
    for _, row in ipairs(rows) do
      local program = io.open("bench/" .. row.key)
      if program then program:close() end
      assert.is_truthy(program or keys:find("| " .. row.key .. " ", 1, true) or calls:find(row.key .. "(", 1, true),
        row.name .. ": " .. row.key)
    end
  end)

  it("has rows that are read, and no number beside it looks tuned", function()
    local said = file.output((os.getenv("LUAJIT") or "luajit") .. " scripts/tuning.lua")
    assert.is_truthy(said:find("^" .. #rows .. " rows, %d+ numbers beside them\n$"), said)
  end)
end)
