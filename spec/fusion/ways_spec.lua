-- Which way an operation takes: MOONARRAY_TRACE=way prints it, and src/run/ways.def lists the ways.

local LUA = os.getenv("LUAJIT") or "luajit"
local take = require("spec.file").take

--- The ways of the operations of a chunk that runs in a process of its own on the CPU: "NAME of OPERATION".
local function ways(chunk)
  local script, err = os.tmpname(), os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write([[
    local ma = require "moonarray"
    local core = require "moonarray.core"
    ma.set_fusion(true)
    local few, more, many = ma.ones(10):eval(), ma.ones(10):eval(), ma.ones(5000):eval()
    local matrix = ma.ones({ 3, 10 }):eval()
    io.stderr:write("begin\n")
  ]], chunk)
  file:close()
  local code = os.execute(("MOONARRAY_DEVICE=cpu MOONARRAY_TRACE=way '%s' '%s' 2>'%s'"):format(LUA, script, err))
  os.remove(script)
  local text, list = take(err):gsub("\r\n", "\n"):match("begin\n(.*)$"), {}
  assert(code == 0, text)
  for line in text:gmatch("[^\n]+") do
    local way, op = line:match("^moonarray way: ([%l_]+): (%S+) of %d+ elements: .")
    assert(way, line)
    list[#list + 1] = way .. " of " .. op
  end
  return list
end

describe("the way of an operation", function()
  it("is to run at once where there are few elements", function()
    assert.same({ "small of add", "small of multiply", "small of add", "small of clip", "small of sqrt" },
      ways [[local _ = few + more, few * 2, matrix + few, ma.clip(few, 0, 1), few["::2"]:sqrt()]])
    assert.same({ "small of cast", "small of copy", "small of copy" },
      ways [[local _ = few:astype("int32"), few:copy(), matrix.T:copy()]])
    assert.same({ "place of fill", "small of add" }, ways [[local _ = few + ma.ones(10, "int32")]])
  end)

  it("is a kept program where few elements are reduced to one", function()
    assert.same({ "few of sum", "few of max", "few of any", "few of argmin" },
      ways [[local _ = few:sum(), matrix.T:max(), few:any(), few["::2"]:argmin()]])
    assert.same({}, ways [[local _ = matrix:sum(1), many:sum()]])
  end)

  it("is to wait where there are many", function()
    assert.same({ "wait of add", "wait of multiply", "wait of cast" },
      ways [[local _ = (many + 1) * many, many:astype("float32")]])
    assert.same({ "now of add" }, ways [[ma.set_fusion(false) local _ = many + 1]])
    assert.same({ "now of copy" }, ways [[local _ = many:copy()]])
  end)

  it("is the given memory where nobody else needs it", function()
    assert.same({ "place of add", "place of add", "place of fill", "place of copy" },
      ways [[few:iadd(more) ma.add(few, more, { out = more }) few:fill(2) few["1:3"]:assign(more["2:4"])]])
  end)

  it("spares what is read", function()
    assert.same({ "detour of add", "place of copy" }, ways [[ma.add(few["1:5"], 1, { out = few["3:7"] })]])
    assert.same({ "exchange of add" }, ways [[ma.add(few["::-1"], few, { out = few })]])
    assert.same({ "wait of multiply", "exchange of add" }, ways [[later = many * 2 many:iadd(1)]])
    assert.same({ "wait of multiply", "spare of fill", "place of fill" },
      ways [[later = many * 2 many["1:2"]:fill(0)]])
    assert.same({ "wait of multiply", "settle of fill", "place of fill" },
      ways [[later = many * 2 later["1:2"]:fill(0)]])
  end)

  it("is an update that waits, of what takes in a program that waits", function()
    assert.same({ "wait of multiply", "update of add" },
      ways [[core.defer_from(1) local part = more * 2 few:iadd(part)]])
  end)

  it("is row_program for what reads a reduction that waits", function()
    local list = ways [[core.defer_from(1) local a = ma.ones({ 40, 50 }):eval() a:isub(a:sum(2, { keepdims = true }))]]
    assert.equal("row_program of subtract", list[#list])
  end)
end)
