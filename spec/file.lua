--- Whole files as strings, for specs and for scripts/mutate.lua.

local file = {}

---@param path string
---@return string
function file.read(path)
  local handle = assert(io.open(path, "rb"))
  local bytes = handle:read("*a")
  handle:close()
  return bytes
end

--- Reads a file and removes it; "" if there is none.
---@param path string
---@return string
function file.take(path)
  local handle = io.open(path, "rb")
  if not handle then return "" end
  local bytes = handle:read("*a")
  handle:close()
  os.remove(path)
  return bytes
end

---@param path string
---@param bytes string
---@return string path
function file.write(path, bytes)
  local handle = assert(io.open(path, "wb"))
  assert(handle:write(bytes))
  handle:close()
  return path
end

return file
