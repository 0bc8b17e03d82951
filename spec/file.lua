--- Whole files as strings, folders and what commands print, for specs and for scripts/mutate.lua.

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

--- Runs a command of the shell. Returns what it wrote to its output, to the last newline.
---@param command string
---@return string
function file.output(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("*a")
  pipe:close()
  return text
end

--- Runs a command of the shell. Returns whether it ended well, and what it printed, errors too.
---@param command string
---@return boolean ok
---@return string output
function file.run(command)
  local output, code = file.output(command .. " 2>&1; echo \"exit $?\""):match("^(.*)exit (%d+)\n$")
  return code == "0", output
end

--- Calls a function with an empty folder, which is there while it runs.
---@param fn fun(folder: string)
function file.with_folder(fn)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder) == 0)
  local ok, message = pcall(fn, folder)
  os.execute("rm -rf " .. folder)
  assert(ok, message)
end

return file
