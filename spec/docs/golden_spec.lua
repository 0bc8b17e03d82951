-- spec/golden/manifest.txt against the archives beside it and the scripts that make their members.

local helper = require "spec.helper"
local bit = require "bit"
local file = require "spec.file"
local ma = helper.ma

local rows, chapters = {}, {}            -- by number; by chapter and name
for chapter, name, size, crc in file.read("spec/golden/manifest.txt"):gmatch("\n(%S+) (%S+) (%d+) (%x+)") do
  rows[#rows + 1] = { chapter = chapter, name = name, size = tonumber(size), crc = crc }
  chapters[chapter] = chapters[chapter] or {}
  chapters[chapter][name] = rows[#rows]
end

local CRC = {}
for k = 0, 255 do
  local c = k
  for _ = 1, 8 do c = bit.bxor(bit.rshift(c, 1), bit.band(c, 1) == 1 and 0xedb88320 or 0) end
  CRC[k] = c
end

local function crc_of(bytes)
  local c = -1
  for k = 1, #bytes do c = bit.bxor(CRC[bit.band(bit.bxor(c, bytes:byte(k)), 255)], bit.rshift(c, 8)) end
  return bit.tohex(bit.bnot(c))
end

local function sorted(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return list
end

describe("golden values", function()
  for _, chapter in ipairs(sorted(chapters)) do
    it("of " .. chapter .. " are those of the manifest", function()
      local found = ma.load(("spec/golden/%s.npz"):format(chapter), { device = "cpu" })
      assert.same(sorted(chapters[chapter]), sorted(found))
      for name, row in pairs(chapters[chapter]) do
        assert.equal("uint8", found[name].dtype)
        assert.equal(row.size, found[name].size)
        assert.equal(row.crc, crc_of(found[name]:tobytes()), name)
      end
    end)
  end

  it("have a script each, and each script has its values", function()
    local _, listed = file.run("ls spec/golden/*/*.py spec/golden/*/*.lua spec/golden/*.npz")
    local archives, scripts = {}, {}
    for path in listed:gmatch("%S+") do
      local chapter, name = path:match("^spec/golden/(%w+)/([%w_]+)%.")
      if not chapter then archives[path:match("^spec/golden/(%w+)%.npz$")] = true
      elseif chapter ~= "shared" and name ~= "intrinsics_table" then scripts[chapter .. " " .. name] = true end
    end
    local members = {}
    for _, row in ipairs(rows) do members[row.chapter .. " " .. row.name] = true end
    assert.same(sorted(members), sorted(scripts))
    assert.same(sorted(chapters), sorted(archives))
  end)

  local python = helper.python "numpy"
  it("are packed to the same bytes each time", python and function()
    local ok, said = file.run(python .. [[ -B -c '
import sys
sys.path.insert(0, "scripts")
import golden
members = golden.unpacked("spec/golden/files.npz")
assert len(members) == 6
once = golden.packed(members)
time = __import__("time").localtime
__import__("time").localtime = lambda *_: time(0)
assert golden.packed(dict(reversed(members.items()))) == once
']])
    assert(ok, said)
  end or function() pending "no Python with NumPy" end)
end)
