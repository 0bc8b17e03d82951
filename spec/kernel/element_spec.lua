-- Functions of elements that branch: the forms that ma.stencil and ma.fuse give them, against Lua for each element.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails

local FILE = "spec/kernel/element_spec.lua:"

--- What a function gives for each element of the arrays, by Lua.
local function by_lua(fn, ...)
  local lists, result = {}, {}
  for k = 1, select("#", ...) do lists[k] = select(k, ...):totable() end
  for i = 1, #lists[1] do
    local args = {}
    for k = 1, #lists do args[k] = lists[k][i] end
    result[i] = fn(unpack(args))
  end
  return result
end

local function kept(v, least, most)
  if v < least then return least end
  if v > most then return most end
  return v
end

describe("a function of elements that branches", function()
  local x, y = ma.array { -2, -1, 0, 0.5, 1, 2, 3 }, ma.array { 1, -1, 0, 2, 1, -3, 3 }

  it("gives what Lua gives for each element", function()
    local limit = 1
    local failures = helper.failures()
    for name, fn in pairs {
      ["if"] = function(a, b)
        if a > b then return a - b end
        return b
      end,
      ["elseif"] = function(a)
        local r
        if a < -1 then r = 1 elseif a < 0 then r = a * 2 elseif a == 0 then r = 7 elseif a < 1 then r = -a
        elseif a == 1 then r = 0.5 elseif a <= 2 then r = a * a else r = limit end
        return r
      end,
      ["and, or"] = function(a, b) return (a > 0 and b > 0 or a == -1) and a or b end,
      ["not"] = function(a, b)
        if not (a > 0 or b == a) and not (b < 0 and a < 0) then a = a + 10 end
        return a
      end,
      ["~="] = function(a, b) return a ~= b and 1 or 0 end,
      ["early returns in a loop"] = function(a, b)
        for k = 1, 4 do
          if a * k > 3 then return k end
          a = a + b
        end
        return -a
      end,
      ["break"] = function(a, b)
        local sum = 0
        for k = -1, 3 do
          if k == 0 then sum = sum + b end
          if a < k then break end
          sum = sum + k * a
        end
        return sum
      end,
      ["loops in loops"] = function(a, b)
        local n = 0
        for i = 1, 2 do
          for j = 2, 1, -1 do
            if a * i > b * j then break end
            n = n + 1
          end
          if n > 2 then return n * 10 end
        end
        return n
      end,
      ["functions"] = function(a, b)
        local count = 0
        local function add(v)
          if v > limit then
            count = count + v
            return
          end
          count = count - 1
        end
        add(a)
        add(b)
        return count + kept(a, -1, limit) + math.max(a, b, 0) + math.floor(a)
      end,
      ["tables"] = function(a, b)
        local t = { n = 0, a }
        if b > 0 then t.n = t.n + 1 else t[1] = b end
        for _, v in ipairs { 1, 2 } do if a > v then t.n = t.n + v end end
        return t.n + t[1]
      end,
      ["repeat and while of Lua's numbers"] = function(a)
        local k = 0
        repeat k = k + 1 if a > k then a = a - 1 end until k == 3
        while k > 1 do k = k - 1 a = a * (a < 0 and -1 or 2) end
        return a
      end,
    } do
      failures:run(name, function()
        local wanted = by_lua(fn, x, y)
        assert.same(wanted, ma.fuse(function(a, b) return fn(a, b) end)(x, y):totable())
        assert.same(wanted, ma.stencil(function(u, v) return fn(u(0), v(0)) end)(x, y):totable())
      end)
    end
    failures:check()
  end)

  it("may compare by == what was a constant without an error before", function()
    local life = ma.stencil(function(u)
      local n = 0
      for i = -1, 1 do
        for j = -1, 1 do
          if i ~= 0 or j ~= 0 then n = n + u(i, j) end
        end
      end
      if n == 3 or (n == 2 and u(0, 0) == 1) then return 1 end
      return 0
    end, { boundary = "wrap" })
    local traced = ma.stencil(function(u)
      local n = u(-1, -1) + u(-1, 0) + u(-1, 1) + u(0, -1) + u(0, 1) + u(1, -1) + u(1, 0) + u(1, 1)
      return ma.where(ma.logical_or(n:eq(3), ma.logical_and(n:eq(2), u(0, 0):eq(1))), 1, 0):astype "uint8"
    end, { boundary = "wrap" })
    local cells = ma.random.default_rng(helper.seed):integers(0, 2, { size = { 40, 37 }, dtype = "uint8" })
    helper.identical(life:run(cells, { steps = 9 }), traced:run(cells, { steps = 9 }))
    assert.equal("uint8", life(cells).dtype)
    assert.same({ 0, 1, 0 }, ma.stencil(function(u) return u(0) == 5 and 1 or 0 end)(ma.array { 4, 5, 6 }):totable())
  end)

  it("runs again when what it takes from outside changes, and calls functions by what they do now", function()
    local limit = 1
    local function choose(v) return v end
    local above = ma.stencil(function(u) return u(0) > limit and choose(u(0)) or 0 end)
    assert.same({ 0, 0, 0, 0, 0, 2, 3 }, above(x):totable())
    limit = 0
    assert.same({ 0, 0, 0, 0.5, 1, 2, 3 }, above(x):totable())
    choose = function(v)
      if v == 1 then return 9 end
      return v
    end
    assert.same({ 0, 0, 0, 0.5, 9, 2, 3 }, above(x):totable())
    local settings = { least = 0 }
    local raised = ma.fuse(function(a)
      if a < settings.least then return settings.least end
      return a
    end)
    assert.equal(0, raised(x):min():item())
    settings.least = 2
    assert.equal(2, raised(x):min():item())
  end)

  it("keeps dtypes: a choice of constants has that of the first field", function()
    for dtype, constants in pairs { uint8 = "uint8", int16 = "int16", float32 = "float32", float64 = "float64" } do
      local a = ma.array({ 0, 1, 2 }, dtype)
      assert.equal(constants, ma.fuse(function(v) return v > 0 and 1 or 0 end)(a).dtype)
      assert.equal(dtype, ma.fuse(function(v) return v > 0 and v or 0 end)(a).dtype)
      assert.equal("bool", ma.stencil(function(u) return u(0) > 0 and u(0) < 2 end)(a).dtype)
    end
    local half = ma.fuse(function(v) return v > 0 and 0.5 or 0 end)
    assert.same({ 0, 0.5 }, half(ma.array({ 0, 1 }, "uint8")):totable())
    assert.matches("moonarray.fuse: the number 300 does not fit uint8",
      fails(ma.fuse(function(v) return v > 0 and 300 or 0 end), ma.array({ 0, 1 }, "uint8")))
  end)

  it("is a part of other fused functions, of functions with reductions, and of arguments left out", function()
    local folded = ma.fuse(function(v) return v < 0 and -v or v end)
    assert.same({ 3, 2, 1, 1.5, 2, 3, 4 }, ma.fuse(function(v) return folded(v) + 1 end)(x):totable())
    assert.same({ 0, 0, 0, 0, 1, 2, 3 }, ma.fuse(function(v)
      if v > v:mean() then return v end
      return 0
    end)(x):totable())
    local scaled = ma.fuse(function(v, by)
      if not by then by = 2 end
      if v > 0 then v = v * by end
      return v
    end)
    assert.same({ -2, -1, 0, 1, 2, 4, 6 }, scaled(x):totable())
    assert.same({ -2, -1, 0, 1.5, 3, 6, 9 }, scaled(x, 3):totable())
    local signed = ma.fuse(function(v, by) return by > 1 and v or -v end)
    assert.same({ -3, 3 }, { signed(x, 2):min():item() - 1, signed(x, 1):min():item() * -1 })
  end)

  it("takes `not` of an element as a value, in a function that tests nothing else", function()
    local c, v, other = ma.array { true, false, true }, ma.array { 1, 0, 2 }, { true, false, false }
    local function negated(b) return not b end
    for _, options in ipairs { {}, { plain = true } } do
      assert.same({ false, true, false }, ma.fuse(negated, options)(c):totable())
      assert.same({ false, true, false }, ma.fuse(function(w) return not w:gt(0) end, options)(v):totable())
      assert.same({ -1, 0, -2 }, ma.fuse(function(b, w) return ma.where(not b, w, -w) end, options)(c, v):totable())
      local again = ma.fuse(function(b) return not negated(not b) end, options)
      assert.same({ false, true, true }, again(ma.array(other)):totable())
      assert.same({ false, true, false }, ma.stencil(function(u) return not u(0) end, options)(c):totable())
      assert.same({ true, false, true }, ma.stencil(function(u) return not u(1) end, options)(c):totable())
    end
    assert.same({ false, true, false }, ma.vectorize(negated)(c):totable())
    local of_number = "a number as a condition, and a number is always true in Lua"
    assert.matches(of_number, fails(ma.stencil(function(u) return not u(0) end), v))
    assert.matches(of_number, fails(ma.fuse(function(w) return not (w + 1) end), v))
  end)

  it("calls an element what it stands for: a number or a boolean", function()
    assert.same(x:totable(), ma.fuse(function(v)
      if type(v) == "number" and type(v > 1) == "boolean" then return v end
      return 0
    end)(x):totable())
    assert.same({ 2, 2 }, ma.stencil(function(u)
      return type(u) == "function" and type(u(0)) == "number" and type(nil) == "nil" and 2 or 1
    end)(ma.ones(2)):totable())
    local worth = { 10, 20 }
    assert.matches("'worth' is indexed; wanted an array; give it as an array, as in ma.array%(t%), or in a local",
      fails(ma.fuse(function(k) return worth[k] end), ma.ones(2)))
  end)

  it("refuses assert of an element", function()
    local holds = getfenv(0).assert                      -- Lua's own
    assert.matches("moonarray.fuse: assert of an element", fails(ma.fuse(function(v)
      holds(v:gt(1))
      return v
    end), x))
    assert.same({ 2, 2, 2 }, ma.fuse(function(v)
      holds(v.dtype == "float64", "no float64")
      return v * 0 + 2
    end)(ma.ones(3)):totable())
  end)

  it("goes on behind what pcall catches as if that had not begun", function()
    local function retry(fn, ...) return pcall(fn, ...) end
    local function rule(catch)
      return function(v)
        local k, n = 1, 0
        local ok, why = catch(function(by)
          local function deep(w)
            if w > 0 then k = w * by else k = 7 end
            for i = 1, 3 do
              n = n + i
              if i == 2 then error "stop" end
            end
          end
          if by then deep(v) end
        end, 3)
        if v > 1 then k = k + 10 end                     -- the variables, branches and calls are those of here
        return k + n, (not ok and why:find ":%d+: stop$") and 1 or 0
      end
    end
    local v, draws = ma.array { 1, 0, 2 }, {}
    for _, catch in ipairs { pcall, retry, function(f, ...) return xpcall(f, function(why) return why end, ...) end } do
      for _, options in ipairs { {}, { plain = true } } do
        local k, caught = ma.fuse(rule(catch), options)(v)
        assert.same({ 6, 10, 19 }, k:totable())
        assert.same({ 1, 1, 1 }, caught:totable())
      end
    end
    for j, caught in ipairs { true, false } do           -- the places of draws are where they were
      ma.random.seed(7)
      draws[j] = ma.fuse(function(w)
        for _ = 1, 2 do
          pcall(function()
            for _ = 1, 3 do
              if caught then error "no" end
              if w > 9 then w = 9 end
            end
          end)
        end
        return w + math.random()
      end)(v):totable()
    end
    assert.same(draws[2], draws[1])
    local empty = {}
    local line = fails(ma.fuse(function(w)
      pcall(function()
        if w > 1 then w = 1 end
        return empty.none.field
      end)
      return w + empty.none                              -- the error is of this line
    end), v)
    assert.matches(FILE .. debug.getinfo(1, "l").currentline - 2 .. ": ", line)
  end)

  it("lets no pcall catch what is an error for some elements only, or what it cannot say", function()
    local failures = helper.failures()
    local function retry(fn, ...) return pcall(fn, ...) end
    for _, catch in ipairs { pcall, retry } do
      for text, part in pairs {
        ["error in a branch that only some elements take"] = function(v) if v > 1 then error "no" end end,
        ["an error for some elements only, which pcall catches"] = function(v)
          if v > 1 then return v end
          error "no"
        end,
        ["a number as a condition"] = function(v) if v + 1 then return 2 end return v end,
        ["how often a loop runs depends on elements"] = function(v) while v > 1 do v = v / 2 end end,
      } do
        failures:run(text, function()
          assert.matches(text, fails(ma.fuse(function(v)
            local ok = catch(part, v)
            return ok and v or -v
          end), x))
        end)
      end
    end
    failures:check()
  end)

  it("takes a text, and refuses to guess where there is none", function()
    local s = ma.stencil "function(u) if u(0) > 1 then return 1 end return 0 end"
    assert.same({ 0, 0, 0, 0, 0, 1, 1 }, s(x):totable())
    local bare = loadstring(string.dump(function(u) return u(0) == 1 and 1 or 0 end, true))
    if pcall(require, "jit.vmdef") then
      assert.matches("moonarray.stencil: == of an element, in a function whose text is out of reach: ",
        fails(ma.stencil, bare))
      local negated = loadstring(string.dump(function(u) return not u(0) end, true))
      assert.matches("the truth of an element, in a function whose text is out of reach: ", fails(ma.stencil, negated))
      negated = loadstring(string.dump(function(c) return not c end, true))
      assert.matches("the truth of an element, in a function whose text is out of reach: ",
        fails(ma.fuse(negated), x:gt(0)))
      local chosen = loadstring(string.dump(function(c, v) return c and v or 0 end, true))
      assert.matches("the truth of an element, in a function whose text is out of reach: ",
        fails(ma.fuse(chosen), x:gt(0), x))
      local either = loadstring(string.dump(function(v, by) return v * (by or 2) end, true))
      assert.same((x * 2):totable(), ma.fuse(either)(x):totable())       -- an argument that is left out
    end
  end)

  it("says what is wrong at the user's line", function()
    local failures = helper.failures()
    for text, fn in pairs {
      ["a number as a condition, and a number is always true"] = function(v) if v + 1 then return 1 end return v end,
      ["nil for some elements"] = function(v) return v > 1 and 1 or nil end,
      ["1 result here and none at line"] = function(v) if v > 1 then return 1 end end,
      ["1 result here and 2 at line"] = function(v) if v > 1 then return 1 end return 1, v end,
      ["how often a loop runs depends on elements"] = function(v) while v > 1 do v = v:sqrt() end return v end,
      ["the end of a loop is an element"] = function(v) for _ = 1, v do if v > 1 then v = v:sqrt() end end return v end,
      ["more than 20000 repetitions"] = function(v)
        local last
        if v > 9 then v = 9 end
        for k = 1, 1e6 do last = k end
        return v:sqrt() + last
      end,
      ["error in a branch that only some elements take"] = function(v) if v < 0 then error "no" end return v end,
      ["a call of 'nowhere', which is nil"] = function(v) return v > 0 and nowhere(v) or v end,  -- luacheck: ignore
      ["a boolean for some elements and a number for others"] = function(v) if v > 1 then return true end return 1 end,
      ["'x' is from outside the function, and is set for some elements only"] = function(v)
        if v > 1 then x = x end                          -- luacheck: ignore
        return v
      end,
      ["rawequal sees no elements; write =="] = function(v) return rawequal(v, 1) and 1 or v end,
    } do
      failures:run(text, function()
        local message = fails(ma.fuse(fn, "rule"), x)
        local from, to = debug.getinfo(fn, "S").linedefined, debug.getinfo(fn, "S").lastlinedefined
        local line = tonumber(message:match("^" .. FILE:gsub("%p", "%%%0") .. "(%d+): moonarray%.rule: "))
        assert(line and line >= from and line <= to and message:find(text, 1, true), message)
      end)
    end
    failures:check()
  end)

  it("follows functions wherever it finds them", function()
    local function step(v)
      if v == 2 then return v + 1 end
      return v * 2
    end
    local list, object, holder = { step }, { at = 2 }, { inner = { step = step } }
    function object:step(v)
      if v == self.at then return v + 1 end
      return v * 2
    end
    local function made() return step end
    local function apply(fn, v) return fn(v) end
    local ways = {
      function(v) return list[1](v) end,
      function(v)
        for _, fn in ipairs(list) do v = fn(v) end
        return v
      end,
      function(v) return object:step(v) end,
      function(v) return holder.inner.step(v) end,
      function(v) return made()(v) end,
      function(v) return apply(step, v) end,
      function(v)
        local _, result = pcall(step, v)
        return result
      end,
    }
    local counted = ma.arange(5)
    for k, way in ipairs(ways) do
      assert.same({ 0, 2, 3, 6, 8 }, ma.fuse(way)(counted):totable(), "way " .. k)
      assert.same({ 0, 2, 3, 6, 8 }, ma.stencil(function(u) return way(u(0)) end)(counted):totable(), "way " .. k)
    end
  end)

  it("calls device functions, whether it tests elements itself or not", function()
    local scaled = ma.jit.device(function(v) return v * 2 + 1 end)
    local most = ma.jit.device(function(v) return v > 2 and 7 or v end)
    local held, counted = { most = most }, ma.arange(4)
    for _, options in ipairs { {}, { plain = true } } do
      local function gives(wanted, rule)
        assert.same(wanted, ma.fuse(rule, options)(counted):totable())
        assert.same(wanted, ma.stencil(function(u) return rule(u(0)) end, options)(counted):totable())
      end
      gives({ 1, 3, 5, 7 }, function(v) return scaled(v) end)
      gives({ 0, 1, 2, 7 }, function(v) return held.most(v) end)
      gives({ 1, 3, 5, 7 }, function(v) return scaled(most(v)) - (most(v) == 7 and 8 or 0) end)
    end
    assert.same({ -1.5, -0.5, 0.5, 5.5 }, ma.fuse(function(v) return most(v) - v:mean() end)(counted):totable())
    assert.matches(FILE .. "%d+: moonarray.*: a device function; wanted a call from a kernel or a rule",
      fails(function() local v = most(1) return v end))
  end)

  it("takes no grid of points and no list, also as its last argument", function()
    local grid, ones = ma.spatial.HashGrid({ 0, 0 }, { 1, 1 }, 0.5), ma.ones(3)
    grid:build(ma.ones({ 2, 2 }) * 0.5)
    local fused, stencil = ma.fuse(function(a, b) return a + b end), ma.stencil(function(u, v) return u(0) + v(0) end)
    assert.matches("fuse: argument 2 is a HashGrid; wanted an array or a number", fails(fused, ones, grid))
    assert.matches("fuse: argument 1 is a HashGrid; wanted an array or a number", fails(fused, grid, ones))
    assert.matches("fuse: argument 2 is a list; wanted an array or a number", fails(fused, ones, ma.list(3)))
    assert.matches("stencil: field 2 is a HashGrid; wanted an array", fails(stencil, ones, grid))
  end)
end)
