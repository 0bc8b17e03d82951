-- The walks of docs/design.md through three calls: files and functions are there, and a walk has few files.

local read = require("spec.file").read

local MOST = 8 -- files of a walk
local HEADING = "## Three calls from Lua to the loop and the launch"

--- Each table as a list of rows, and a row as its files and the functions in them.
local function walks_of(text)
  local from = assert(text:find(HEADING, 1, true), "no section of that name")
  local section = text:sub(from, (text:find("\n## ", from, true)))
  local walks, walk = {}, nil
  for line in section:gmatch "([^\n]*)\n" do
    local files, functions = line:match "^|[^|]*|([^|]*)|([^|]*)|$"
    if not files then
      walk = nil
    elseif not walk then
      walk = {}
      walks[#walks + 1] = walk
    elseif not files:find "^%-+$" then
      local row = { files = {}, functions = {} }
      for file in files:gmatch "`([^`]+)`" do row.files[#row.files + 1] = file end
      for name in functions:gmatch "`([^`]+)`" do row.functions[#row.functions + 1] = name end
      walk[#walk + 1] = row
    end
  end
  return walks
end

--- Whether a line of the text that is not indented has the name: where it is defined.
local function defines(text, name)
  for line in text:gmatch "[^\n]+" do
    if line:find "^[%w]" and line:find("%f[%w_]" .. name .. "%f[^%w_]") then return true end
  end
  return false
end

describe("the walks of docs/design.md", function()
  local walks = walks_of(read "docs/design.md")

  it("are there", function() assert.equal(6, #walks) end)

  it("name files that are there, and functions that are defined in them", function()
    for _, walk in ipairs(walks) do
      for _, row in ipairs(walk) do
        assert.is_true(#row.files > 0)
        local texts = {}
        for k, file in ipairs(row.files) do texts[k] = read(file) end
        for _, name in ipairs(row.functions) do
          assert(defines(table.concat(texts, "\n"), name), name .. " is not in " .. table.concat(row.files, ", "))
        end
      end
    end
  end)

  it("have at most eight files", function()
    for _, walk in ipairs(walks) do
      local files = 0
      for _, row in ipairs(walk) do files = files + #row.files end
      assert.is_true(files <= MOST, files .. " files from " .. walk[1].files[1])
    end
  end)
end)
