-- One version: the rockspec, the header, the module, its table for C and the changes name the same.
local ma = require "moonarray"
local read = require("spec.file").read

local function rockspec()
  local pipe = assert(io.popen("ls moonarray-*.rockspec"))
  local names = pipe:read("*a")
  pipe:close()
  return assert(names:match("^(%S+)\n$"), "one rockspec: " .. names)
end

describe("the version", function()
  it("is that of the rockspec, in its name and its text", function()
    local name = rockspec()
    local version = name:match("^moonarray%-(%d+%.%d+%.%d+)%-%d+%.rockspec$")
    assert.equal(ma.version, version)
    local text = read(name)
    assert.equal(name, "moonarray-" .. text:match('\nversion = "(.-)"') .. ".rockspec")
    assert.equal("moonarray-" .. ma.version, text:match('dir = "(.-)"'))
    assert.equal("v" .. ma.version .. "/moonarray-" .. ma.version .. ".tar.gz", text:match('url = ".-/(v[^"]*)"'))
  end)

  it("is that of the releases' files that pages name", function()
    for _, path in ipairs { "README.md", "docs/install.md" } do
      local count = 0
      for version in read(path):gmatch("moonarray%-(%d[%d.]*%d)%-") do
        assert.equal(ma.version, version)
        count = count + 1
      end
      assert(count > 0, path)
    end
  end)

  it("is that of the packages", function()
    assert.equal(ma.version, read("debian/changelog"):match("^moonarray %((.-)%-%d+%)"))
    assert.equal(ma.version, read("packages/conda/meta.yaml"):match('\n  version: "(.-)"'))
  end)

  it("is that of the header", function()
    local text = read("include/moonarray.h")
    assert.equal(ma.version, text:match('#define MOONARRAY_VERSION "(.-)"'))
    assert.equal(ma.version, text:match('const char %*version; /%* "(.-)" %*/'))
    local parts = {}
    for k, name in ipairs { "MAJOR", "MINOR", "PATCH" } do
      parts[k] = text:match("\n#define MOONARRAY_VERSION_" .. name .. " (%d+)\n")
    end
    assert.equal(ma.version, table.concat(parts, "."))
  end)

  it("is that of the newest changes, behind those that no release has yet", function()
    local text = read("CHANGELOG.md"):gsub("\n## Unreleased\n", "\n", 1)
    assert.equal(ma.version, text:match("\n## (%S+)"))
  end)
end)
