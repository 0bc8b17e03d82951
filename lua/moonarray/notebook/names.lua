--- What may stand at the end of some code, and what there is to say of the name there.

local ma = require "moonarray"
local is_array = require("moonarray.core").is_array
local known = require "moonarray.names"

local names = {}

--- The value of "a.b.c"; nil where one of them is not there.
local function value_of(path)
  local value = _G
  for part in path:gmatch "[^.:]+" do
    local done, found = pcall(function() return value[part] end)
    if not done or found == nil then return end
    value = found
  end
  return value
end

local function add_keys(set, value)
  for _ = 1, 10 do
    if type(value) ~= "table" then return end
    for key in pairs(value) do
      if type(key) == "string" then set[key] = true end
    end
    value = (debug.getmetatable(value) or {}).__index
  end
end

--- The names in the library's module `path`, which are there before they are loaded. A name of ma itself has no dot.
local function add_functions(set, path)
  local prefix = path:match "^[^.]*%.?(.*)$"
  prefix = prefix == "" and "" or prefix .. "."
  for name in known.functions:gmatch "%S+" do
    if name:sub(1, #prefix) == prefix then set[name:match("^[%w_]+", #prefix + 1) or ""] = true end
  end
end

local ATTRIBUTES = "shape dtype ndim size T mT real imag device flags"

--- The last name of a code, what precedes it, and the mark between them.
local function last_of(code)
  local expression = code:match "[%a_][%w_.:]*$" or ""
  local path, mark, word = expression:match "^(.*)([.:])([%w_]*)$"
  return path, mark, word or expression
end

function names.complete(code)
  local path, mark, word = last_of(code)
  local set, found = {}, {}
  local value = path and value_of(path)
  if not path then
    add_keys(set, _G)
  elseif is_array(value) then
    for name in (mark == ":" and known.methods or ATTRIBUTES):gmatch "%S+" do set[name] = true end
  elseif value ~= nil then
    if rawequal(value_of(path:match "^[^.:]+"), ma) then add_functions(set, path) end
    add_keys(set, type(value) == "table" and value or (debug.getmetatable(value) or {}).__index)
  end
  for name in pairs(set) do
    if name ~= "" and name:sub(1, #word) == word then found[#found + 1] = name end
  end
  table.sort(found)
  return found
end

--- The text that ma.help prints.
local function help(name)
  local lines, print = {}, _G.print
  _G.print = function(line) lines[#lines + 1] = tostring(line) end
  local done = pcall(ma.help, name)
  _G.print = print
  return done and table.concat(lines, "\n") or nil
end

function names.about(code)
  local path, mark, word = last_of(code)
  if not path then
    local value = word ~= "" and value_of(word) or nil
    return value ~= nil and tostring(value) or nil
  end
  if mark == ":" and is_array(value_of(path)) then return help("a:" .. word) end
  if not rawequal(value_of(path:match "^[^.:]+"), ma) or value_of(path .. "." .. word) == nil then return end
  return help((path .. "." .. word):match "^[^.]*%.(.*)$")
end

return names
