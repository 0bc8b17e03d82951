-- What `require` loads, and that the rest of the library is there when it is used. Each program runs in a process of
-- its own.

local helper = require "spec.helper"
local lacking = require "spec.lacking"

--- What a program that has the library prints, by lines.
local function child(program)
  local script = os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write([[local ma, core = require "moonarray", require "moonarray.core"
    local function loaded(part) return package.loaded["moonarray." .. part] ~= nil end
  ]] .. program)
  file:close()
  local pipe = assert(io.popen(("MOONARRAY_DEVICE=%s '%s' '%s' 2>&1"):format(helper.device,
    os.getenv("LUAJIT") or "luajit", script)))
  local lines = {}
  for line in lacking.quiet(pipe:read("*a")):gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
  pipe:close()
  os.remove(script)
  return lines
end

local function is(wanted, program) assert.same(wanted, child(program)) end

describe("the library", function()
  it("loads little, for the collector and for who waits", function()
    local kilobytes = tonumber(child [[
      collectgarbage()
      collectgarbage()
      print(collectgarbage "count")
    ]][1])
    assert(kilobytes < 350, kilobytes .. " KB")
    is({ "false", "false", "false" }, [[
      for _, part in ipairs { "functions.sort", "print", "device.cuda" } do print(loaded(part)) end
    ]])
  end)

  it("makes a function of the core when it is first asked for, and leaves what a program stored there", function()
    is({ "nil", "6", "false", "nil", "false", "mine", "2", "mine" }, [[
      print(rawget(ma, "cumsum"))
      print(ma.cumsum(ma.array{1, 2, 3})[3])
      print(rawget(ma, "cumsum") == nil)
      print(rawget(ma, "ptp"))
      print(rawget(ma, "lt") ~= nil)
      function ma.ptp() return "mine" end
      print(ma.ptp(ma.array{1, 3}))
      print(ma.array{1, 3}:ptp():item())
      local _ = require "moonarray.core".functions     -- makes all that are left
      print(ma.ptp(ma.array{1, 3}))
    ]])
  end)

  it("loads the one part of a function or method", function()
    is({ "[3. 2. 1.]", "true", "false", "false" }, [[
      print((tostring(ma.array{3, 1, 2}:topk(3)):match "%b[]"))
      for _, part in ipairs { "functions.sort", "functions.shape", "sparse" } do print(loaded(part)) end
    ]])
  end)

  it("knows the part of every function and method", function()
    local names, methods = {}, {}
    for name in pairs(require "moonarray.core".functions) do
      if name:find "^[%a_][%w_]*$" then names[#names + 1] = name end
    end
    for name in pairs((require "moonarray.core".array_methods())) do methods[#methods + 1] = name end
    assert(#names > 400 and #methods > 200)
    is({ "false", "false", "false" }, ([[
      local a = ma.zeros(1)
      for name in ("%s"):gmatch "%%S+" do assert(a[name], name) end
      print(loaded "functions.einsum")                 -- of those that no method is in
      for name in ("%s"):gmatch "%%S+" do assert(ma[name], name) end
      print(loaded "device.texture")
      print(loaded "fftpack")                          -- of those that are loaded to suggest a name
    ]]):format(table.concat(methods, " "), table.concat(names, " ")))
  end)

  it("has functions that hooks and other functions of the core call", function()
    is({ "3", "[4. 3.]", "2", "(2, 2)" }, [[
      print(ma.array{1, 2, 3}.flat[3])
      print((tostring(ma.add.reduceat(ma.array{1, 3, 3}, {1, 3})):match "%b[]"))
      local p = ma.zeros(2, { device = "cpu" }):data()
      print(#ma.array{p[0], p[1]})
      print(ma.lib.stride_tricks.sliding_window_view(ma.arange(3), 2).shape)
    ]])
  end)

  it("says which name is near, that a method cannot be set, and what CuPy's names became", function()
    is({ "true", "true", "true" }, [[
      local _, text = pcall(function() return ma.zeros(1).srot end)
      print(text:find("did you mean 'sort'?", 1, true) ~= nil)
      _, text = pcall(function() ma.zeros(1).sort = 1 end)
      print(text:find("sort cannot be set; elements are set by a[...] = value", 1, true) ~= nil)
      _, text = pcall(function() return ma.cuda.MemoryPointer end)
      print(text:find("write moonarray.cuda.alloc", 1, true) ~= nil)
    ]])
  end)

  it("looks for a near name without loading the rest", function()
    is({ "true", "true", "true", "true", "false", "true" }, [[
      local function near(fn, name) return select(2, pcall(fn)):find("did you mean '" .. name .. "'?", 1, true) ~= nil end
      local a = ma.zeros(1)
      print(near(function() return a.unwrp end, "unwrap"))
      print(near(function() return a:cumsun() end, "cumsum"))
      print(near(function() return ma.linlag end, "linalg"))
      print(select(2, pcall(function() return a.solve end)):find("ma.linalg.solve", 1, true) ~= nil)
      print(loaded "signal" or loaded "sparse" or loaded "functions.sort")
      collectgarbage()
      collectgarbage()
      print(collectgarbage "count" < 1000)
    ]])
  end)

  it("finds methods in a fused function", function()
    is({ "[0. 1.]" }, [[
      print((tostring(ma.fuse(function(x) return x:clip(0, 1) end)(ma.array{-1, 2})):match "%b[]"))
    ]])
  end)
end)
