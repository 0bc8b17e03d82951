-- The Lua side of the notebook kernel: what becomes of a cell's code, and how values look. make test-notebook does the
-- same in Jupyter.

local cell = require "moonarray.notebook.cell"
local names = require "moonarray.notebook.names"
local show = require("moonarray.notebook.show").contents
local helper = require "spec.helper"
local ma = helper.ma

local count = 0

--- What the code of a cell gives, and the number of values.
local function run(code)
  count = count + 1
  local chunk, message = cell.load(code, "cell " .. count)
  if not chunk then return nil, message end
  local function given(...) return { n = select("#", ...), ... } end
  return given(chunk(function(...) return ... end))
end

describe("the code of a cell", function()
  before_each(function() rawset(_G, "ma", ma) end)
  after_each(function()
    for _, name in ipairs { "nb", "nb2", "ma" } do rawset(_G, name, nil) end
  end)

  it("gives the value of the expression at its end", function()
    assert.same({ n = 1, 3 }, run "1 + 2")
    assert.same({ n = 2, 1, 2 }, run "-- first\n1,\n2 -- last")
    assert.same({ n = 1, 4 }, run "local nb = 3\nnb + 1")
    assert.same({ n = 1, 5 }, run "nb = {\n 5\n}\nnb[1]")
    assert.equal(0, run("nb = 1").n)
    assert.equal(0, run("").n)
    assert.same({ n = 1, 7 }, run "return 7")
  end)

  it("puts no return into a block", function()
    assert.equal(0, run("nb = 0\nfor k = 1, 3 do\n  tostring(k)\n  nb = nb + k\nend").n)
    assert.equal(6, _G.nb)
    assert.equal(0, run("if nb then\n  tostring(nb)\nend").n)
  end)

  it("makes globals of the locals of its top level", function()
    run "local nb, nb2 = 1, 'local x'\nlocal function f() local nb = 5 return nb end\nf()"
    assert.same({ 1, "local x" }, { _G.nb, _G.nb2 })
    run "do local nb = 2 end local nb2"
    assert.same({ 1, nil }, { _G.nb, _G.nb2 })
    run "nb = 3 --[[ local nb = 4 ]] local text = [[\nlocal nb = 5]]"
    assert.equal(3, _G.nb)
    rawset(_G, "f", nil)
    rawset(_G, "text", nil)
  end)

  it("names the cell and the line of an error", function()
    local _, message = run "x = 1\nx 5"
    assert.matches("^cell %d+:2: ", message)
    local chunk = cell.load("\nlocal nb = 1\nerror 'bad'", "cell 0")
    assert.same({ false, "cell 0:3: bad" }, { pcall(chunk, print) })
  end)

  it("can be read again by functions of elements", function()
    local rule = run("local nb = 2\nlocal rule = ma.fuse(function(x)\n  if x > 1 then return x * nb end\n  return 0\n"
      .. "end)\nrule")[1]
    assert.same({ 0, 6 }, rule(ma.array { 1, 3 }):totable())
    _G.nb = 5
    assert.same({ 0, 15 }, rule(ma.array { 1, 3 }):totable())
    rawset(_G, "rule", nil)
  end)

  it("is complete, incomplete or invalid", function()
    for code, state in pairs { ["for k = 1, 2 do"] = "incomplete", ["1 +"] = "incomplete", ["x = = 1"] = "invalid",
      ["x"] = "complete", ["x = 1"] = "complete" } do
      assert.equal(state, cell.state(code), code)
    end
  end)
end)

describe("a value in a notebook", function()
  it("is a table where it is an array of one or two axes", function()
    local kind, html, plain_kind, plain = unpack(show(ma.array { { 1, 2.5 }, { 3, 4 } }))
    assert.same({ "text/html", "text/plain" }, { kind, plain_kind })
    assert.matches("<tr><th>1</th><td>1</td><td>2.5</td></tr>", html, 1, true)
    assert.matches("(2, 2) float64", plain, 1, true)
    local long = show(ma.arange(45))[2]
    assert.matches("<td>9</td><td>…</td><td>35</td>", long, 1, true)
    local tall = show(ma.arange(1000):reshape(500, 2))[2]
    local _, rows = tall:gsub("<tr>", "")
    assert.equal(1 + 20 + 1, rows)
    assert.matches("<tr><th>491</th><td>980</td><td>981</td></tr>", tall, 1, true)
  end)

  it("is a picture where it is bytes of three or four colours, or a figure", function()
    for _, value in ipairs { ma.zeros({ 2, 3, 4 }, "uint8"), ma.plot.figure { width = 40, height = 30 } } do
      local kind, bytes = unpack(show(value))
      assert.equal("image/png", kind)
      assert.equal("\137PNG", bytes:sub(1, 4))
    end
  end)

  it("is a text otherwise", function()
    for _, value in ipairs { 1, "x", true, ma.zeros {}, ma.zeros { 0, 2 }, ma.zeros { 2, 3, 4 }, ma.ones(2).sum } do
      assert.same({ "text/plain", tostring(value) }, show(value))
    end
  end)
end)

describe("the names in a notebook", function()
  before_each(function() rawset(_G, "ma", ma) rawset(_G, "nb", ma.ones { 2, 2 }) end)
  after_each(function() rawset(_G, "ma", nil) rawset(_G, "nb", nil) end)

  it("are those of globals, modules and arrays", function()
    assert.same({ "linspace" }, names.complete "x = ma.lins")
    assert.same({ "eigvalsh" }, names.complete "ma.linalg.eigvalsh")
    assert.same({ "shape" }, names.complete "print(nb.sh")
    assert.same({ "reshape" }, names.complete "nb:resh")
    assert.same({ "nb" }, names.complete "nb")
    assert.same({}, names.complete "ma.nothing.x")
  end)

  it("have a description", function()
    assert.matches("^moonarray.linspace%(start, stop", names.about "x = ma.linspace")
    assert.matches("^moonarray.reshape%(a", names.about "nb:reshape")
    assert.is_nil(names.about "ma.nothing")
    assert.is_nil(names.about "")
  end)
end)
