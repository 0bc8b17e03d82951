-- The texts of errors for arguments of a wrong kind: they show what was found, and never an address.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails

--- Runs each `{ text, f, ... }`: f(...) fails with the text.
local function check(cases)
  local failures = helper.failures()
  for _, case in ipairs(cases) do
    failures:run(case[1], function()
      local message = fails(case[2], unpack(case, 3))
      assert(message:find(case[1], 1, true), message)
      assert(not message:find("0x%x%x%x"), message)
    end)
  end
  failures:check()
end

local function output(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

local TABLE = 'write ma.array(t, "int64") for a table of them'

describe("the text of an error", function()
  local cube = ma.ones { 2, 3, 4 }
  local function axis(name, found)
    return ("%s: axis %s of an array of 3 axes; one number, 1 to 3"):format(name, found)
  end

  it("shows an axis that is a table", function()
    check {
      { axis("moonarray.argsort", "{1, 2}"), ma.argsort, cube, { axis = { 1, 2 } } },
      { axis("moonarray.sort", "{1, 2}"), ma.sort, cube, { axis = { 1, 2 } } },
      { axis("moonarray.diff", "{1, 2}"), ma.diff, cube, { axis = { 1, 2 } } },
      { axis("moonarray.fft.fft", "{1, 2}"), ma.fft.fft, cube, { axis = { 1, 2 } } },
      { axis("moonarray.stats.zscore", "{1, 2}"), ma.stats.zscore, cube, { axis = { 1, 2 } } },
      { axis("moonarray.stats.zmap", "{2, -1}"), ma.stats.zmap, cube, cube, { axis = { 2, -1 } } },
      { axis("moonarray.stats.rankdata", "{{1, 2}, 3}"), ma.stats.rankdata, cube, { axis = { { 1, 2 }, 3 } } },
      { axis("moonarray.signal.lfilter", "{1}"), ma.signal.lfilter, { 1 }, { 1 }, cube, { axis = { 1 } } },
      { axis("moonarray.unwrap", "{'x', a boolean (true)}"), ma.unwrap, cube, { axis = { "x", true } } },
      { axis("moonarray.split", "{1, 2, 3, 4, 5, 6, 7, 8, ...}"), ma.split, cube, 2,
        { axis = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } } },
      { axis("moonarray.unique", "a table"), ma.unique, cube, { axis = { last = true } } },
      { axis("moonarray.size", "a function"), ma.size, cube, print },
      { axis("moonarray.trapezoid", "'x'"), ma.trapezoid, cube, { axis = "x" } },
      { axis("moonarray.packbits", "a int64 array (2,)"), ma.packbits, ma.ones({ 2, 3, 4 }, "bool"),
        { axis = ma.array({ 1, 2 }, "int64") } },
      { "moonarray.topk: axis 4 of an array of 3 axes; 1 to 3, or negative from the end", ma.topk, cube, 1,
        { axis = 4 } },
    }
    local cyclic = {}
    cyclic[1] = cyclic
    check { { axis("moonarray.sort", "{{a table}}"), ma.sort, cube, { axis = cyclic } } }
  end)

  it("shows a choice that is none", function()
    check {
      { "moonarray.linalg.norm: {1, 2} for ord; 1, -1, 2, -2", ma.linalg.norm, ma.ones { 2, 2 }, { ord = { 1, 2 } } },
      { "moonarray.linalg.qr: a function for mode; reduced", ma.linalg.qr, ma.ones { 2, 2 }, print },
      { "moonarray.pad: {1} for mode; constant", ma.pad, ma.ones(3), 1, { mode = { 1 } } },
      { "moonarray.pad: pad_width holds a function; whole numbers from 0 on", ma.pad, ma.ones(3), { { print, 1 } } },
      { "moonarray.spatial.distance.squareform: {'no'} for force", ma.spatial.distance.squareform, ma.zeros { 2, 2 },
        { force = { "no" } } },
      { "moonarray.stats.rankdata: 'least' for method; average", ma.stats.rankdata, { 1, 2 }, { method = "least" } },
      { "moonarray.stats.zscore: {1} for nan_policy; 'propagate'", ma.stats.zscore, { 1, 2 }, { nan_policy = { 1 } } },
      { "moonarray.printoptions: fn is a table; wanted a function", ma.printoptions, { precision = 2 }, {} },
      { "moonarray.signal.argrelextrema: comparator gives nil; wanted an array, as ma.greater gives",
        ma.signal.argrelextrema, ma.ones(5), function() end },
    }
  end)

  it("says of functions of real numbers that complex ones are none", function()
    local z = ma.ones(2, "complex64")
    for _, name in ipairs { "floor", "ceil", "trunc", "signbit", "arctan2", "fmod", "floor_divide", "remainder" } do
      check { { ("moonarray.%s: dtype complex64; %s takes real numbers"):format(name, name), ma[name], z, z } }
    end
  end)

  it("says which argument a method of a generator lacks", function()
    local rng = ma.random.default_rng(1)
    check {
      { "moonarray.random.gamma: no argument 'shape'", rng.gamma, rng },
      { "moonarray.random.integers: no argument 'low'", rng.integers, rng },
      { "moonarray.random.beta: no argument 'b'", rng.beta, rng, 1 },
    }
  end)

  it("says how a table of integers is written", function()
    local ints, t = ma.array({ 1, 2 }, "int64"), { 1, 2 }
    for _, name in ipairs { "gcd", "lcm", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift" } do
      local text = ("moonarray.%s: dtype float64; %s takes integers; %s"):format(name, name, TABLE)
      check { { text, ma[name], t, t }, { text, ma[name], ints, t }, { text, ma[name], t, 3 } }
      assert(ma[name](ma.array(t, "int64"), ints).dtype == "int64")
    end
    check {
      { "moonarray.invert: dtype float64; invert takes integers; " .. TABLE, ma.invert, t },
      { "moonarray.bitwise_count: dtype float64; bitwise_count takes integers; " .. TABLE, ma.bitwise_count, t },
      { "moonarray.ldexp: an operand of dtype float64; int64 is wanted; " .. TABLE, ma.ldexp, t, t },
      { "moonarray.bincount: dtype float64; integers; " .. TABLE, ma.bincount, t },
      { "moonarray.packbits: dtype float64; bool or integers; " .. TABLE, ma.packbits, t },
      { 'moonarray.unpackbits: dtype float64; uint8; write ma.array(t, "uint8")', ma.unpackbits, t },
      { "moonarray.searchsorted: dtype float64; a sorter of integers; " .. TABLE, ma.searchsorted, t, t,
        { sorter = t } },
    }
  end)

  it("names the function that was called", function()
    local name = os.tmpname()
    os.remove(name)
    check {
      { "moonarray.savez: file is a table; wanted a path", ma.savez, {}, { x = ma.ones(1) } },
      { "moonarray.savez_compressed: file is a table; wanted a path", ma.savez_compressed, {}, { x = ma.ones(1) } },
      { "moonarray.savez: element {1, 1} is the string 'a'", ma.savez, name, { { "a" } } },
      { "moonarray.savez_compressed: element {1, 1} is the string 'a'", ma.savez_compressed, name, { { "a" } } },
      { "moonarray.savez_compressed: two arrays are called 'arr_0'", ma.savez_compressed, name, { 1 }, { arr_0 = 2 } },
    }
  end)

  it("names the method that was called, whatever it is made of", function()
    local kde, tree = ma.stats.gaussian_kde { 1, 2, 3 }, ma.spatial.KDTree { { 0, 0 }, { 1, 1 } }
    local piecewise = ma.interpolate.PPoly({ { 1 }, { 0 } }, { 0, 1 })
    local spline = ma.interpolate.UnivariateSpline({ 0, 1, 2, 3, 4 }, { 0, 1, 4, 9, 16 })
    local basis, poly = ma.interpolate.BSpline({ 0, 1, 2, 3 }, { 1, 2 }, 1), ma.poly1d { 1, 2, 3 }
    local krogh = ma.interpolate.KroghInterpolator({ 0, 1, 2 }, { 0, 1, 4 })
    local series, kernel = ma.polynomial.Chebyshev { 1, 2, 3 }, ma.jit.rawkernel(function(x) x[1] = 1 end)
    check {
      { "moonarray.gaussian_kde.pdf: element {1} is the string 'a'", kde.pdf, kde, { "a" } },
      { "moonarray.gaussian_kde.resample: seed is the string 'seven'; wanted a whole number", kde.resample, kde, 3,
        "seven" },
      { "moonarray.gaussian_kde.set_bandwidth: bw_method is a table", kde.set_bandwidth, kde, {} },
      { "moonarray.KDTree.query: element {1} is the string 'a'", tree.query, tree, { "a" } },
      { "moonarray.KDTree.query_ball_point: options is a function; wanted a table", tree.query_ball_point, tree,
        { 0, 0 }, 1, 2, print },
      { "moonarray.PPoly.integrate: a is a table; wanted a number", piecewise.integrate, piecewise, { 1 }, 2 },
      { "moonarray.PPoly.integrate: b is nil; wanted a number", piecewise.integrate, piecewise, 0 },
      { "moonarray.PPoly.solve: y is a table; wanted a number", piecewise.solve, piecewise, { 1 } },
      { "moonarray.BSpline.integrate: b is a function; wanted a number", basis.integrate, basis, 1, print },
      { "moonarray.UnivariateSpline.integral: a is a table; wanted a number", spline.integral, spline, { 1 }, 2 },
      { "moonarray.KroghInterpolator.derivative: element {1} is the string 'a'", krogh.derivative, krogh, { "a" } },
      { "moonarray.poly1d.deriv: m is a table; wanted a whole number", poly.deriv, poly, { 1 } },
      { "moonarray.polynomial.Chebyshev.integ: m is a table; wanted a whole number", series.integ, series, {} },
      { "moonarray.jit.kernel.code_for: args is a function; wanted a table", kernel.code_for, kernel, print },
    }
    assert.equal(0.5, piecewise:integrate(0, ma.array(1)):item())
  end)

  it("says how the compiled part is had where it is missing", function()
    local lua = os.getenv "LUAJIT" or "luajit"
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write 'io.write(tostring(select(2, pcall(require, "moonarray"))))'
    file:close()
    local run = ("LUA_PATH='%s' LUA_CPATH='%s' " .. lua .. " " .. path)
    local text = output(run:format(package.path, "/nowhere/?.so"))
    assert.matches("^moonarray: its compiled part, moonarray.core, is not where Lua looks for it", text)
    for _, words in ipairs { "In the folder of the source make builds it", "the zip of a release has it",
      "no file '/nowhere/moonarray/core.so'" } do
      assert(text:find(words, 1, true), text)
    end
    os.remove(path)
  end)
end)
