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

--- Runs a command of the shell. Returns whether it ended well, and what it printed.
---@param command string
---@return boolean ok
---@return string output
function file.run(command)
  local pipe = assert(io.popen(command .. " 2>&1; echo \"exit $?\""))
  local text = pipe:read("*a")
  pipe:close()
  local output, code = text:match("^(.*)exit (%d+)\n$")
  return code == "0", output
end

return file
