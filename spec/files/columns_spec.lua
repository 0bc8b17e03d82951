-- ma.genfromtxt: columns of text and numbers, quotes, names, what is missing.

local helper = require "spec.helper"
local ma = helper.ma

local path
setup(function() path = os.tmpname() end)
teardown(function() os.remove(path) end)

local function read(text, options)
  return ma.genfromtxt(require("spec.file").write(path, text), options)
end

local function fails(pattern, text, options) assert.matches(pattern, helper.fails(read, text, options)) end

--- An array of a dtype with these values, or a table of texts.
local function is_column(want, dtype, got)
  if dtype == "text" then return assert.same(want, got) end
  assert.equal(dtype, got.dtype)
  assert.equal(helper.device, got.device)
  for k, value in ipairs(got:totable()) do
    if want[k] ~= want[k] then assert(value ~= value) else assert.equal(want[k], tonumber(value) or value) end
  end
  assert.equal(#want, got.size)
end

local CSV = [[
# a comment
name,"height, m",count,good,code
"Mont Blanc",4806,3,True,a
"K2 ""the savage""",8611.5,,False,
 Fuji , 3776,-1,True,"c#d"  # another comment

"two
lines",,7,False,e]] .. "\r\n"

describe("genfromtxt", function()
  it("finds the dtype of each column", function()
    local columns, names = read(CSV, { delimiter = ",", names = true, dtype = "auto", skip_header = 1 })
    assert.same({ "name", "height, m", "count", "good", "code" }, names)
    is_column({ "Mont Blanc", 'K2 "the savage"', "Fuji", "two\nlines" }, "text", columns.name)
    is_column({ 4806, 8611.5, 3776, 0 / 0 }, "float64", columns["height, m"])
    is_column({ 3, -1, -1, 7 }, "int64", columns.count)
    is_column({ true, false, true, false }, "bool", columns.good)
    is_column({ "a", "", "c#d", "e" }, "text", columns.code)
  end)

  it("gives columns by position where they have no names", function()
    local columns = read("1 a 2.5\n2 b x\n", { dtype = "auto" })
    is_column({ 1, 2 }, "int64", columns[1])
    is_column({ "a", "b" }, "text", columns[2])
    is_column({ "2.5", "x" }, "text", columns[3])
    assert.is_nil(columns[4])
    local x, words = read("1 a\n2 b\n", { dtype = "auto", unpack = true })
    is_column({ 1, 2 }, "int64", x)
    is_column({ "a", "b" }, "text", words)
    columns = read("1+2j,9007199254740993,,nan\n", { dtype = "auto", delimiter = "," })
    assert.equal("complex128", columns[1].dtype)
    assert.equal("9007199254740993LL", tostring(columns[2](1)))
    is_column({ 0 / 0 }, "float64", columns[3])
    is_column({ 0 / 0 }, "float64", columns[4])
  end)

  it("takes a dtype for each column", function()
    local columns = read("1,2,x\n3,y,z\n", { delimiter = ",", dtype = { "float32", "int16", "text" } })
    is_column({ 1, 3 }, "float32", columns[1])
    is_column({ 2, -1 }, "int16", columns[2])
    is_column({ "x", "z" }, "text", columns[3])
    columns = read("a,b,c\n1,2,3\n4,5,6\n", { delimiter = ",", names = true, dtype = { a = "text", c = "uint8" } })
    is_column({ "1", "4" }, "text", columns.a)
    is_column({ 2, 5 }, "int64", columns.b)
    is_column({ 3, 6 }, "uint8", columns.c)
    columns = read("1,2\n", { delimiter = ",", dtype = "text" })
    assert.same({ { "1" }, { "2" } }, columns)
  end)

  it("fills what is missing, for all columns or each", function()
    local text = "1,N/A,3\n-,5,6\n"
    local a = read(text, { delimiter = ",", missing_values = { "N/A", "-" }, filling_values = 9 })
    assert.same({ { 1, 9, 3 }, { 9, 5, 6 } }, a:totable())
    assert.equal("float64", a.dtype)
    local columns = read(text, { delimiter = ",", dtype = "auto", names = { "a", "b", "c" },
      missing_values = { b = "N/A" }, filling_values = { b = 7 } })
    is_column({ "1", "-" }, "text", columns.a)
    is_column({ 7, 5 }, "int64", columns.b)
    is_column({ 3, 6 }, "int64", columns.c)
    columns = read(text, { delimiter = ",", dtype = "auto", missing_values = { a = { "-", "?" }, b = "N/A" },
      names = { "a", "b", "c" }, filling_values = { 8, "none" } })
    is_column({ 1, 8 }, "int64", columns.a)
    is_column({ "none", "5" }, "text", columns.b)
  end)

  it("calls converters", function()
    local columns = read("1,20%,2020-01-02\n2,5%,2021-03-04\n", { delimiter = ",", names = { "k", "part", "day" },
      converters = { part = function(text) return tonumber(text:match("%d+")) / 100 end,
        day = function(text) return text:sub(1, 4) end } })
    is_column({ 1, 2 }, "float64", columns.k)
    is_column({ 0.2, 0.05 }, "float64", columns.part)
    is_column({ "2020", "2021" }, "text", columns.day)
    columns = read("a 1\nb 2\n", { converters = { function(text) return text == "a" end } })
    is_column({ true, false }, "bool", columns[1])
    fails("a converter gives nil for 'x'", "x\n", { converters = { function() end } })
    fails("a converter is the number 3", "x\n", { converters = { 3 } })
  end)

  it("reads some of the columns, by place or name", function()
    local text = "a,b,c\n1,x,3\n4,y,6\n"
    local columns, names = read(text, { delimiter = ",", dtype = "auto", names = true, usecols = { "c", "b" } })
    assert.same({ "c", "b" }, names)
    is_column({ 3, 6 }, "int64", columns.c)
    assert.is_nil(columns.a)
    columns = read(text, { delimiter = ",", dtype = "auto", skip_header = 1, usecols = { -1, 1 }, max_rows = 1 })
    is_column({ 3 }, "int64", columns[1])
    is_column({ 1 }, "int64", columns[2])
    fails("usecols has 'd'; the names are a, b, c", text, { delimiter = ",", names = true, usecols = { "d" } })
    fails("usecols has 4; the file has columns 1 to 3", text, { delimiter = ",", dtype = "auto", usecols = 4 })
  end)

  it("understands quotes among numbers too", function()
    local a = read('"1,5",2\n" 3 ",4\n', { delimiter = "," })
    assert.equal(2, a.shape[2])
    assert(ma.isnan(a)(1, 1))
    assert.equal(3, a(2, 1))
    local columns, names = read('"a, b",c # d\n1,"2" # "3\n', { delimiter = ",", names = true })
    assert.same({ "a, b", "c # d" }, names)
    assert.same({ { 1 }, { 2 } }, { columns["a, b"]:totable(), columns["c # d"]:totable() })
    is_column({ 1, 2 }, "int64", read('" 1 ",x\n"2\t",y\n', { delimiter = ",", dtype = "auto" })[1])
    assert.same({ "'1'" }, read("'1',2\n", { delimiter = ",", dtype = "text" })[1])
    assert.same({ "1" }, read("'1',2\n", { delimiter = ",", dtype = "text", quotechar = "'" })[1])
    assert.same({ '"1"' }, read('"1",2\n', { delimiter = ",", dtype = "text", quotechar = "" })[1])
  end)

  it("reads back any texts that are written in quotes", function()
    local random = helper.random(5)
    local pool = { "a", "B", " ", ",", '"', "\n", "\r\n", "#", "é", "1", ";", "\t" }
    for _ = 1, 60 do
      local rows, lines, n = {}, {}, random(1, 4)
      for row = 1, random(1, 5) do
        rows[row] = {}
        local parts = {}
        for column = 1, n do
          local text = {}
          for k = 1, random(0, 6) do text[k] = pool[random(1, #pool)] end
          rows[row][column] = table.concat(text)
          parts[column] = '"' .. rows[row][column]:gsub('"', '""') .. '"'
        end
        lines[row] = table.concat(parts, random(0, 1) == 1 and " , " or ",")
      end
      local columns = read(table.concat(lines, "\n") .. (random(0, 1) == 1 and "\n" or ""),
        { delimiter = ",", dtype = "text" })
      assert.equal(n, #columns)
      for row = 1, #rows do
        for column = 1, n do assert.equal(rows[row][column], columns[column][row]) end
      end
    end
  end)

  it("never crashes, whatever the text is", function()
    local random = helper.random(9)
    local pool = "0123456789.eE+-, \t\n\r#xnaifTrue()j\"\0\255"
    local good = 0
    for _ = 1, 300 do
      local bytes = {}
      for k = 1, random(0, 60) do
        local at = random(1, #pool)
        bytes[k] = pool:sub(at, at)
      end
      local ok, got = pcall(read, table.concat(bytes), { dtype = "auto", names = random(0, 1) == 1 or nil,
        delimiter = random(0, 1) == 1 and "," or nil })
      if ok then good = good + 1 else assert.matches("moonarray%.genfromtxt: ", got) end
    end
    assert(good > 20, good)
  end)

  it("names the line of what is wrong", function()
    fails("line 3 has 3 columns; the lines before it have 2", "a,b\n\n1,2,3\n", { delimiter = ",", dtype = "auto" })
    fails("line 4: text behind a quote", '"x\n\ny",1\n"a"b,1\n', { delimiter = ",", dtype = "auto" })
    fails("line 2: a quote that does not end", '1,2\n"a,1\n', { delimiter = ",", dtype = "auto" })
    fails("the name 'a' stands twice", "a,a\n1,2\n", { delimiter = ",", dtype = "auto", names = true })
    fails("1 names for 2 columns", "1,2\n", { delimiter = ",", dtype = "auto", names = { "a" } })
    fails("the file has no line of names", "# \n", { dtype = "auto", names = true })
    assert.matches("moonarray.genfromtxt: cannot open", helper.fails(ma.genfromtxt, "/nowhere", { dtype = "auto" }))
    fails("delimiter is .*wanted one character", "1", { dtype = "auto", delimiter = "ab" })
    fails("max_rows is %-1", "1", { dtype = "auto", max_rows = -1 })
    fails("moonarray.genfromtxt: .*dtype", "1", { dtype = { "float12" } })
    assert.matches("moonarray.genfromtxt: ", helper.fails(ma.genfromtxt, 3, { dtype = "auto" }))
    assert.same({}, read("", { dtype = "auto" }))
    assert.same({}, read("1 2\n3 4\n", { dtype = "auto", skip_header = 2 ^ 53 }))      -- and is done at once
    assert.equal(0, read("a,b\n", { dtype = "auto", names = true, delimiter = "," }).b.size)
    assert.same({ "ü" }, read("\239\187\191ü\n", { dtype = "auto" })[1])
  end)
end)
