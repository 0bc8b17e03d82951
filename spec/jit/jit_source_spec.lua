-- Where the text of a kernel's function is found: in its file, among others on its lines, behind whatever stands above.

local helper = require "spec.helper"
local prototype = require "moonarray.jit.prototype"

local ma, fails = helper.ma, helper.fails
local jit = ma.jit

--- What a chunk gives that is loaded from a file with this text; `written` replaces the text before it is read.
local function of_file(text, written)
  local path = os.tmpname()
  local function write(bytes)
    local file = assert(io.open(path, "wb"))
    file:write(bytes)
    file:close()
  end
  write(text)
  local results = { pcall(function()
    local chunk = assert(loadfile(path))
    if written then write(written) end
    return chunk(ma)
  end) }
  os.remove(path)
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2)
end

--- The C++ text of a kernel that calls a function, or a device function.
local function printed(fn)
  local device = type(fn) == "function" and jit.device(fn) or fn
  return jit.rawkernel("function(x) x[1] = f(x[1]) end", { constants = { f = device } }):code_for { ma.ones(1) }
end

--- Wants a piece of text for each function.
local function has(functions, pieces)
  for k, piece in ipairs(pieces) do
    local text = printed(functions[k])
    assert.is_truthy(text:find(piece, 1, true), ("no '%s' in %s"):format(piece, text))
  end
end

describe("the text of a kernel's function", function()
  describe("is found", function()
    local kernel = "(...).jit.device(function(x)\n  return x * 2 + 41\nend)\n"
    local above = {
      ["below tokens that no kernel may have"] = "local c, d, e = 2i, 0x1.8p3, 'a\\x41'\nlocal ma = ",
      ["below 5LL"] = "local c, d = 5LL, 5ULL\nlocal ma = ",
      ["behind the end of a long string"] = "local s = [==[\n ]] \" ' -- function(x)\n]==] local ma = ",
      ["behind the end of a long comment"] = "--[[ '\n\" [==[ function(x)\n  return 1\n]] local ma = ",
      ["behind a string of several lines"] = "local s, t = 'it\\'s', \"a\\z\n  function(x) -- '\\\n  [[\" local ma = ",
      ["below comments"] = "-- it's\n--[ \"\n--[=[]] ]=] local t = {[1] = 2, [(\"[[\"):len()] = 3}\nlocal ma = ",
      ["below brackets and minus signs"] = "local t = {1}\nlocal n = t[t[1]] - -1 - t[ t[1] ]\nlocal ma = ",
      ["below a first line with #!"] = "#!/usr/bin/env luajit it's [[\nlocal ma = ",
      ["below a # that begins a line"] = "local n =\n#'a'\nlocal ma = ",
      ["behind a mark of UTF-8"] = "\239\187\191local ma = ",
      ["behind a mark of UTF-8 and #!"] = "\239\187\191#! it's\nlocal ma = ",
      ["on the first line"] = "local ma = ",
    }
    for what, text in pairs(above) do
      local whole = text .. kernel .. "return ma"
      it(what, function() has({ of_file(whole) }, { "41.0" }) end)
      it(what .. ", in a chunk that was loaded from a string", function()
        has({ assert(loadstring(whole))(ma) }, { "41.0" })
      end)
      for name, line_end in pairs { ["\\r\\n"] = "\r\n", ["\\r"] = "\r", ["\\n\\r"] = "\n\r" } do
        it(what .. ", with lines that end in " .. name, function()
          has({ of_file((whole:gsub("\n", line_end))) }, { "41.0" })
        end)
      end
    end

    it("whatever follows it", function()
      for _, rest in ipairs { " local s = [[\n]]", " --[[\n]]", " local s = 2i", " local s = 'a\\\n'" } do
        has({ of_file("local f = (...).jit.device(function(x)\nreturn x + 41 end)" .. rest
          .. "\nreturn f") }, { "41.0" })
      end
    end)

    it("if its parentheses and its name stand on other lines", function()
      local f, g = of_file([[
        local ma = ...
        local shift =
          -- the name is above
          function(x) return x + 1 end
        local function --[=[

          ]=] far



          (x)
          return x + 2
        end
        local function
          below
          (x) return x + 3 end
        return ma.jit.device(shift), ma.jit.device(far), ma.jit.device(below)]])
      assert.are.equal("device function 'shift'", tostring(f))
      assert.are.equal("device function 'far'", tostring(g))
    end)

    it("with messages that name its file's lines", function()
      local message = fails(of_file, "local c = 2i\n\nlocal s = [[\n]] local f = (...).vectorize(function(x)\n"
        .. "  return x + pairs\nend)\nreturn f(1)")
      assert.matches(":5: moonarray.jit: 'pairs' is not available", message)
      assert.matches(":3: moonarray.jit: the number '2i' is not available in a kernel",
        fails(of_file, "local c = 3i\nreturn (...).vectorize(function(x)\n  return x * 2i\nend)"))
    end)
  end)

  describe("is told from others on its lines", function()
    it("by its code", function()
      has({ function(x) return x + 41 end, function(x) return x * 42 end }, { "+ 41.0", "* 42.0" })
      local f, g = ma.vectorize(function(x) return x + 1 end), ma.vectorize(function(x) return x * 2 end)
      assert.are.same({ 6, 10 }, { f(5):item(), g(5):item() })
    end)

    it("by its constants", function()
      has({ function(x) return x + 41.5 end, function(x) return x + 42.5 end, function(y) return y - 1e9 end },
        { "+ 41.5", "+ 42.5", "- 1000000000.0" })
      has({ function(x) return x + 45LL end, function(x) return x + 45ULL end, function(x) return x + 46LL end },
        { "+ 45.0", "+ 45.0", "+ 46.0" })
      has({ function(x) return ma.int8(x) end, function(x) return ma.int16(x) end }, { "to_i1", "to_i2" })
      has({ function(x) return x * 0 end, function(x) return x * -0 end }, { "* 0.0", "* -0.0" })
    end)

    it("by what table constructors begin with", function()
      local f, g = jit.rawkernel(function(x) x[{ 1, 2 }] = 1 end), jit.rawkernel(function(x) x[{ 2, 1 }] = 1 end)
      local a, b = ma.zeros { 2, 2 }, ma.zeros { 2, 2 }
      f(1, 1, { a })
      g(1, 1, { b })
      assert.are.same({ { 0, 1 }, { 0, 0 } }, a:totable())
      assert.are.same({ { 0, 0 }, { 1, 0 } }, b:totable())
    end)

    it("by the names of its upvalues, which keep their values", function()
      local a, b = 41, 42
      has({ function(x) return x + a end, function(x) return x + b end }, { "+ 41.0", "+ 42.0" })
      local made = {}
      for k = 1, 2 do local c = k + 50 made[k] = function(x) return x - c end end
      has(made, { "- 51.0", "- 52.0" })
    end)

    it("from one that stands in it, or in which it stands", function()
      local f, g = function(x) return x / 41 end, function() return function(x) return x / 42 end end
      has({ f, g() }, { "/ 41.0", "/ 42.0" })
    end)

    it("after it has been compiled at run time", function()
      local f, g = function(x) local s = 0.0 for i = 1, 4 do s = s + i * x end return s end, function(x) local s = 0.0
        for i = 1, 4 do s = s + i - x end return s end
      for k = 1, 500 do f(k) end
      has({ f, g }, { " * x_", " - x_" })
    end)

    it("after LuaJIT has written over its instructions, whatever they are", function()
      local t, fib = { 1, 2, 3, a = 1 }, nil
      local function loops(n)
        local s = 0
        while n > 0 do n = n - 1 end
        repeat s = s + 1 until s > 50
        for i = 100, 1, -1 do s = s + i end
        for _, v in pairs(t) do s = s + v end
        for i, v in ipairs(t) do s = s + i * v end
        return s
      end
      local function any(f, a)                           -- first called with next, then with another iterator
        local s = 0
        for _, v in f, a do s = s + (tonumber(v) or 1) end
        return s
      end
      fib = function(n)
        if n < 2 then return n end
        return fib(n - 1) + fib(n - 2)
      end
      for k = 1, 300 do assert(loops(k) and any(next, t) and fib(8)) end
      assert(any(function(_, k) if not k then return 1, 2 end end))
      for name, fn in pairs { loops = loops, any = any, fib = fib } do
        assert.are.equal(("device function '%s'"):format(name), tostring(jit.device(fn)))
      end
    end)

    it("among the parts of a reduction", function()
      local k = jit.reductionkernel { map = function(x) return -x end, reduce = function(a, b) return a + b end }
      assert.are.equal(-3, k(ma.ones(3)):item())
    end)

    it("if it is the same function twice, by any of them", function()
      has({ function(x) return x + 41 end, function(y) return y + 41 end }, { "+ 41.0", "+ 41.0" })
    end)

    it("but not by the writing of its numbers alone", function()
      local f, g = function(x) return x * 1 end, function(x) return x * 1.0 end
      assert.matches("only the writing of their numbers tells them apart; give the kernel's source as a string",
        fails(ma.vectorize, f))
      assert.are.not_equal(f, g)
    end)

    it("by its field alone where LuaJIT does not show bytecode", function()
      local available = prototype.available
      prototype.available = false
      finally(function() prototype.available = available end)
      local k = jit.reductionkernel { map = function(x) return -x end, reduce = function(a, b) return a * b end }
      assert.are.equal(-1, k(ma.ones(3)):item())
      local f, g = function(x) return x + 1 end, function(x) return x * 2 end
      assert.matches(":%d+: moonarray.jit: two functions begin and end on this line; give", fails(ma.vectorize, f))
      assert.are.not_equal(f, g)
    end)
  end)

  describe("is an error", function()
    local text = "local ma = ...\nreturn ma.vectorize(function(x)\n  return x + 1\nend)\n"

    it("if the file has changed", function()
      local changed = ":2: moonarray.jit: this function is not here: the file has changed since it was loaded; give"
      assert.matches(changed, fails(of_file, text, "\n" .. text))
      assert.matches(changed, fails(of_file, text, ""))
      assert.matches(changed, fails(of_file, text, (text:gsub("return ma", "return 'ma"))))
      if prototype.available then
        assert.matches(changed, fails(of_file, text, (text:gsub("x %+ 1", "x + 2"))))
        assert.matches(changed, fails(of_file, text, (text:gsub("x %+ 1", "x x"))))
      end
    end)

    it("if it is out of reach", function()
      local function made(name, bytes) return fails(assert(loadstring(bytes or text, name)), ma) end
      assert.matches("out of reach: its source is not kept; give the kernel's source as a string", made "=hidden")
      assert.matches("this function is not here: the name of its chunk is not its text", made "hidden")
      assert.matches("out of reach: /nowhere/a.lua: No such file", made "@/nowhere/a.lua")
      local stripped = string.dump(assert(loadstring(text)), true)
      for _, name in ipairs { "=x", "@x.lua", "x" } do
        assert.matches("moonarray.vectorize: the function", made(name, stripped))
      end
      assert.matches("a whole chunk; wanted a function of it", fails(ma.vectorize, loadstring(text)))
      assert.matches("a function written in C", fails(ma.vectorize, print))
    end)

    it("if it was loaded from bytecode", function()
      local dumped = string.dump(assert(loadstring("return function(x) return x end")))
      assert.matches("the function was loaded from bytecode", fails(ma.vectorize,
        assert(loadstring("return function(x) return x end", dumped))()))
    end)

    it("without 'debug'", function()
      local own = debug
      finally(function() rawset(_G, "debug", own) end)
      rawset(_G, "debug", nil)
      local ok, message = pcall(ma.vectorize, function(x) return x end)
      rawset(_G, "debug", own)
      assert.is_false(ok)
      assert.matches("there is no 'debug' to find the function's source with", message)
    end)
  end)
end)
