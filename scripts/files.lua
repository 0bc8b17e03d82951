-- What the other scripts do with files and commands. Any Lua 5.1 serves. As a chunk that is loaded (dofile) it returns
-- a table: read(path) -> text, or nil and why; write(path, text) -> whether it changed; lines(command) -> list.

local files = {}

function files.read(path)
  local file, why = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  return text, why
end

--- Writes a file whose text is another one, at once: another build may read it or do the same now.
function files.write(path, text)
  if files.read(path) == text then return false end
  local file = assert(io.open(path .. ".new", "wb"))
  file:write(text)
  file:close()
  return assert(os.rename(path .. ".new", path))
end

--- The lines that a command prints.
function files.lines(command)
  local pipe, list = assert(io.popen(command)), {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

return files
