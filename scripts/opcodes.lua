-- What an operation is stands in its row of kernels/ops.def: finds opcodes that other places name.
-- usage: luajit scripts/opcodes.lua      prints "N files, N rows of tables", or each place that names one.
--
-- Allowed are tables (*.def) and the macros by which C reads them, which end in MA_OP_##name and stand before the
-- include. What the core computes with has names of its own, MA_DO_..., which are given to operations and asked of
-- none.

local files = dofile("scripts/files.lua")

-- Each is a pattern, and what it does wrong.
local questions = {
  { "case%s+MA_DO_", "asks which operation it has" },
  { "%[%s*MA_DO_[%w_]+%s*%]", "lists an operation" },
  { "[=!]=%s*MA_DO_", "asks which operation it has" },
  { "MA_DO_[%w_]+%s*[=!]=", "asks which operation it has" },
  { "strcmp%(ma_ops%[.-%]%.name, \"", "asks which operation it has" },
  { "MA_OP_[%a]", "names an operation" },
}
-- The table's words for "no operation".
local function settled(line) return (line:gsub("MA_OP_NONE", "")) end

local wrong, nfile, ntable = {}, 0, 0
local sources = "find src kernels -name '*.[ch]' -o -name '*.cuh' | sort"
for _, path in ipairs(files.lines(sources)) do
  local text = {}
  for line in io.lines(path) do text[#text + 1] = line end
  nfile = nfile + 1
  --- Is a table included within a few lines of line k?
  local function before_table(k)
    for j = k, math.min(k + 40, #text) do
      if text[j]:match('^#include "[%w_/]+%.def"') then return true end
    end
    return false
  end
  for k, line in ipairs(text) do
    local plain = settled(line)
    for _, question in ipairs(questions) do
      if plain:match(question[1]) then wrong[#wrong + 1] = ("%s:%d %s: %s"):format(path, k, question[2], line) end
    end
    if plain:match("MA_OP_##") then
      if before_table(k) then ntable = ntable + 1
      else wrong[#wrong + 1] = ("%s:%d makes opcodes of no table: %s"):format(path, k, line) end
    end
  end
end
assert(nfile > 0, "no files")
if #wrong > 0 then
  print(table.concat(wrong, "\n"))
  os.exit(1)
end
print(("%d files, %d readers of tables"):format(nfile, ntable))
