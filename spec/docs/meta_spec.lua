-- What the scripts read of the functions' definitions in the sources, and lua/moonarray/meta.lua, which make makes of
-- it for editors, held against the library: every name, signature and sentence, every attribute and method of its
-- objects, as many results as a function gives, one dtype a line, and a type for every parameter.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core

local definitions = dofile "scripts/definitions.lua" ()
local written = dofile "scripts/meta.lua" (definitions)
local text = written["lua/moonarray/meta.lua"]
local examples = require "moonarray.help.examples"
local classes = require "moonarray.help.classes"

--- The text between a line and the next one that is empty.
local function block(line)
  local _, from = text:find("\n" .. line .. "\n", 1, true)
  return from and text:sub(from + 1, text:find("\n\n", from, true))
end

local function has_line(line) return text:find("\n" .. line, 1, true) ~= nil end

--- The @return lines before a declaration, and its parameters.
local function declared(name)
  local at = text:find("\nfunction moonarray." .. name .. "(", 1, true)
  if not at then return nil end
  local results, k = {}, at
  while true do
    local start = k - 1
    while start > 0 and text:byte(start) ~= 10 do start = start - 1 end
    local line = text:sub(start + 1, k - 1)
    if not line:find("^%-%-%-") then break end
    local kind = line:match("^%-%-%-@return (.*)$")
    if kind then table.insert(results, 1, kind) end
    k = start
  end
  return results
end

describe("the definitions in the sources", function()
  it("are those of the library", function()
    local failures = helper.failures()
    for name, entry in pairs(core.functions) do
      failures:run(name, function()
        local found = assert(definitions.functions[name], "is not found in the sources")
        assert.equal(entry.signature, found.signature)
        assert.equal(entry.doc, found.doc)
      end)
    end
    for name in pairs(definitions.functions) do
      failures:run(name, function() assert(core.functions[name], "is defined, and not in the library") end)
    end
    for name in pairs(core.array_methods()) do assert(definitions.methods[name], name) end
    for name in pairs(definitions.methods) do assert(core.array_methods()[name], name) end
    failures:check()
  end)

  -- The words of types that are no classes of lua/moonarray/help/classes.lua.
  local words = {}
  for word in ([[any array boolean data dtype false fun function integer norm number part scalar string table userdata
    moonarray file ffi.cdata moonarray.jit.reduction]]):gmatch "%S+" do words[word] = true end
  for name in classes:gmatch "= (%S+) |" do words[name] = true end

  it("have a type for every parameter, which is known", function()
    local failures = helper.failures()
    local function check(kind)
      for word in kind:gsub("fun%b()", "fun"):gmatch "[%a_][%w_.]*" do
        assert(words[word], "no type is called " .. word)
      end
    end
    for name, entry in pairs(definitions.functions) do
      failures:run(name, function()
        for _, one in ipairs(entry.parameters) do
          check(assert(one.type, one.name .. " has no type: write " .. one.name .. ": data, or what it is"))
        end
        check(entry.results)
      end)
    end
    failures:check()
  end)

  it("are what make wrote into lua/moonarray", function()
    for path, own in pairs(written) do
      assert(own == require("spec.file").read(path), path .. " is not current; `make` writes it")
    end
  end)
end)

describe("the list of names", function()
  it("has every function and every method of arrays", function()
    local list = require "moonarray.names"
    local function set_of(words)
      local set = {}
      for name in words:gmatch "%S+" do set[name] = true end
      return set
    end
    local functions, methods = set_of(list.functions), set_of(list.methods)
    for name in pairs(core.functions) do assert(name:sub(1, 1) == ":" or functions[name], name) end
    for name in pairs(functions) do assert(core.functions[name], name) end
    for name in pairs(core.array_methods()) do assert(methods[name], name) end
    for name in pairs(methods) do assert(core.array_methods()[name], name) end
  end)
end)

describe("the editors' file", function()
  it("is Lua that runs and has every public name", function()
    local meta, failures = assert(loadstring(text))(), helper.failures()
    local function value_in(object, name)
      for part in name:gmatch("[^.]+") do object = type(object) == "table" and object[part] or nil end
      return object
    end
    for name in pairs(core.functions) do
      failures:run(name, function()
        if name:sub(1, 1) == ":" then assert(has_line("function array." .. name:sub(2) .. "("), "no method")
        else assert(value_in(meta, name) ~= nil, "no name") end
      end)
    end
    for name, value in pairs(ma) do
      failures:run(name, function()
        assert(meta[name] ~= nil or has_line("---@field " .. name .. " "), "no name of a " .. type(value))
      end)
    end
    failures:check()
  end)

  it("has every method and attribute of arrays", function()
    for name in pairs(core.array_methods()) do
      assert(has_line("function array." .. name .. "(") or has_line("array." .. name .. " = "), name)
    end
    local fields = block "---@class moonarray.array"
    for _, name in ipairs { "shape", "strides", "dtype", "ndim", "size", "itemsize", "nbytes", "device", "T", "mT",
      "real", "imag", "flat", "is_contiguous", "readonly" } do
      assert(fields:find("---@field " .. name .. " ", 1, true), name)
      assert(ma.ones({ 2, 2 })[name] ~= nil, name)
    end
    for _, line in ipairs { "---@field [integer] any", "---@field [string] moonarray.part",
      "---@field [table] moonarray.part", "---@overload fun(...: integer): moonarray.scalar" } do
      assert(fields:find(line, 1, true), line)
    end
  end)

  it("has one dtype a line", function()
    local listed = {}
    for line in block("---@alias moonarray.dtype"):gmatch("[^\n]+") do
      listed[#listed + 1] = assert(line:match('^%-%-%-| "(%w+)"$'), line)
    end
    assert.equal(15, #listed)
    for _, dtype in ipairs(listed) do assert.equal(dtype, ma.empty(1, dtype).dtype) end
  end)

  it("has the objects' attributes and methods", function()
    local failures, object, class = helper.failures(), nil, nil
    for line in classes:gmatch("[^\n]+") do
      local name, make = line:match("^= (%S+) | (.-) |")
      if name then
        class, object = name, nil
        if make ~= "-" then object = assert(loadstring("local ma = ... return " .. make))(ma) end
        if name == "event" then object:record() end
      end
      local member = line:match("^%. ([%w_]+):") or line:match("^:([%w_]+)%(")
      failures:run(class .. "." .. tostring(member), function()
        local fields = block("---@class moonarray." .. class)
        assert(fields, "no class")
        assert(not member or fields:find("---@field " .. member .. " ", 1, true)
          or has_line("function " .. class .. ":" .. member .. "(")
          or has_line("function " .. class .. "." .. member .. "("), "not in meta.lua")
        -- What is nil may be so by the device or by the arguments; an unknown name is an error.
        local value = member and object ~= nil and object[member]
        if line:sub(1, 1) == ":" and object ~= nil then assert.is_true(core.is_callable(value), "no method") end
      end)
    end
    failures:check()
  end)

  it("names all methods of objects of the core", function()
    for _, pair in ipairs { { "stream", core.stream_methods }, { "device", core.device_methods } } do
      for name in pairs(pair[2]) do assert(has_line("function " .. pair[1] .. ":" .. name .. "("), name) end
    end
    local generator = getmetatable(ma.random.default_rng(1))
    for name, method in pairs(generator) do
      if type(method) == "function" and not name:find("^__") then
        assert(has_line("function generator:" .. name .. "("), name)
      end
    end
  end)
end)

describe("results", function()
  local methods = core.array_methods()

  --- Runs an example and returns what the calls of the function in it gave last, {n =, ...}; nil if there was none.
  local function results_of(name, example)
    local parent, key, got = ma, name, nil
    local module, last = name:match("^(.*)%.([^.]+)$")
    if module then
      key = last
      for part in module:gmatch("[^.]+") do parent = parent[part] end
    end
    local own, method = rawget(parent, key), not module and methods[key]
    if type(own) ~= "function" then return nil end
    local function record(...)
      got = { n = select("#", ...), ... }
      return ...
    end
    rawset(parent, key, function(...) return record(own(...)) end)
    if method then methods[key] = function(...) return record(method(...)) end end
    local before = print
    rawset(_G, "print", function() end)
    local program = loadstring("local ma = ... return " .. example.code)
      or loadstring("local ma = ... " .. example.code)
    local ok, message = pcall(program, ma)
    rawset(_G, "print", before)
    rawset(parent, key, own)
    if method then methods[key] = method end
    if not ok then error(message, 0) end
    return got
  end

  local plain = { number = "number", boolean = "boolean", string = "string", ["function"] = "function",
    table = "table" }

  local function fits(value, kind)
    if kind:find("any", 1, true) or kind:find("fun(", 1, true) then return true end
    for one in kind:gmatch("[^|]+") do
      one = one:gsub("^moonarray%.", "")
      if one == "array" or one == "part" then if core.is_array(value) then return true end
      elseif one == "integer" or one == "whole" then if type(value) == "number" then return true end
      elseif one == "dtype" then if type(value) == "string" then return true end
      elseif one == "scalar" then if not core.is_array(value) then return true end
      elseif plain[one] then if type(value) == one then return true end
      elseif one:find("%[%]$") then if type(value) == "table" or type(value) == "userdata" then return true end
      elseif type(value) == "userdata" or type(value) == "table" then
        if not core.is_array(value) then return true end
      end
    end
    return false
  end

  it("are as many, and of the kinds, that the file says", function()
    local failures, count = helper.failures(), 0
    for name, example in pairs(examples) do
      if not example.gpu and not name:find("^jit%.") and name:sub(1, 1) ~= ":" then
        failures:run(name, function()
          local got = results_of(name, example)
          local kinds = got and declared(name)
          if not kinds then return end
          count = count + 1
          local loose = kinds[#kinds] and kinds[#kinds]:find("%.%.%.$")
          assert(loose or got.n <= #kinds, ("%d results; the file says %d"):format(got.n, #kinds))
          local least, text_of = #kinds, definitions.functions[name].results
          for _ in text_of:gmatch("%?") do least = least - 1 end
          if not loose then assert(got.n >= least, ("%d results; the file says %d"):format(got.n, least)) end
          for k = 1, got.n do
            local kind = (kinds[k] or kinds[#kinds]):gsub(" %.%.%.$", "")
            assert(got[k] == nil or fits(got[k], kind), ("result %d is %s; the file says %s"):format(k,
              core.describe(got[k]), kind))
          end
        end)
      end
    end
    for name, kind in pairs { modf = 2, frexp = 2, divmod = 2, add = 1 } do
      assert.equal(kind, ma[name].nout)
      local _, commas = definitions.functions[name].results:gsub(",", "")
      assert.equal(kind, commas + 1)
    end
    failures:check()
    assert(count > 1000, count .. " functions")
  end)
end)
