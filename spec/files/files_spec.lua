-- Files and foreign memory: .npy, .npz, text, raw bytes, pointers. What NumPy wrote is by spec/golden/files/npy.py.

local helper = require "spec.helper"
local ffi = require "ffi"
local ma = helper.ma

local folder = os.getenv("TMPDIR") or "/tmp"
local base = os.tmpname()
os.remove(base)
base = folder .. "/" .. base:match("[^/]*$")
local made = {}

--- The path of a file that goes at the end.
local function temporary(name)
  local path = base .. name
  made[#made + 1] = path
  return path
end

local read, write = require("spec.file").read, require("spec.file").write

--- The bytes of n elements by the rule of npy.py's `expected`.
local function expected(dtype, n)
  local ctype = { bool = "uint8_t", float16 = "uint16_t", bfloat16 = "uint16_t", float32 = "float", float64 = "double",
    complex64 = "float", complex128 = "double" }
  local out = ffi.new((ctype[dtype] or dtype .. "_t") .. "[?]", math.max(n * 2, 1))
  local single = ffi.new("union { float f; uint32_t u; }")
  for k = 0, n - 1 do
    local real = (k - 2.5) * 1.25
    if dtype == "bool" then out[k] = k % 3 == 0 and 1 or 0
    elseif dtype:find("^int") then out[k] = k * 37 % 101 - 50
    elseif dtype:find("^uint") then out[k] = k * 37 % 101
    elseif dtype:find("^complex") then out[2 * k], out[2 * k + 1] = real, -0.5 * (k - 2.5)
    elseif dtype == "bfloat16" then
      single.f = real
      out[k] = math.floor(single.u / 65536)
    elseif dtype == "float16" then
      local exponent = math.floor(math.log(math.abs(real)) / math.log(2) + 1e-9)
      out[k] = (real < 0 and 0x8000 or 0) + (exponent + 15) * 1024 + (math.abs(real) / 2 ^ exponent - 1) * 1024
    else out[k] = real end
  end
  return ffi.string(out, n * helper.itemsize[dtype])
end

--- The files that NumPy wrote, by name: plain, stored, deflated, text.
local golden = {}
for _, record in ipairs(helper.golden("npy")) do golden[record[1]] = helper.unhex(record[2]) end

local function size_of(shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return n
end

local function make(dtype, shape) return ma.frombuffer(expected(dtype, size_of(shape)), shape, dtype) end

local function is(a, dtype, shape, bytes)
  assert.equal(dtype, a.dtype)
  assert.same(shape, a.shape)
  helper.same(a:tobytes(), bytes or expected(dtype, size_of(shape)), dtype, 0)
end

local function fails(text, f, ...)
  local message = helper.fails(f, ...)
  assert(message:find(text, 1, true), ("'%s' is not in: %s"):format(text, message))
end

teardown(function()
  for _, path in ipairs(made) do os.remove(path) end
end)

describe("files of NumPy", function()
  for _, name in ipairs { "stored", "deflated" } do
    it("reads every member of a " .. name .. " .npz", function()
      local count = 0
      for key, a in pairs(ma.load(write(temporary(name .. ".npz"), golden[name]))) do
        local dtype, shape = key:match("^(%w+)%-([%dx]*)")
        is(a, dtype, helper.parse_shape(shape))
        count = count + 1
      end
      assert.equal(27, count)
    end)
  end

  it("reads a plain .npy, and writes the same bytes", function()
    is(ma.load(write(temporary("plain.npy"), golden.plain)), "float64", { 3, 4 })
    is(ma.loads(golden.plain), "float64", { 3, 4 })
    assert.equal(golden.plain, make("float64", { 3, 4 }):dumps())
  end)

  it("reads what savetxt wrote, and writes the same", function()
    local path = write(temporary("text.txt"), golden.text)
    local a = ma.loadtxt(path, { delimiter = "," })
    is(a, "float64", { 4, 3 })
    ma.savetxt(path, a, { delimiter = ",", header = "a,b,c", footer = "the end" })
    assert.equal(golden.text, read(path))
  end)

  local python = helper.python "numpy"
  if not python then
    pending("NumPy reads ours: no Python with NumPy")
  else
    it("NumPy reads ours", function()
      local to = base .. "folder"
      os.execute("mkdir -p " .. to)
      local count, all = 0, {}
      for _, dtype in ipairs(helper.dtypes) do
        local key = dtype .. "-2x3"
        all[key] = make(dtype, { 2, 3 })
        ma.save(temporary("folder/" .. key), all[key])
        made[#made] = made[#made] .. ".npy"
        count = count + 1
      end
      all["float64-4x3-fortran"] = make("float64", { 4, 3 }):transpose():copy():transpose()
      all["float64--scalar"] = make("float64", {})
      all["int64-0x3-empty"] = make("int64", { 0, 3 })
      all["int16-100x30"] = make("int16", { 100, 30 })
      ma.savez(temporary("folder/stored.npz"), all)
      ma.savez_compressed(temporary("folder/deflated.npz"), all)
      for _, dtype in ipairs { "int32", "float64", "complex128", "uint8" } do
        ma.savetxt(temporary("folder/" .. dtype .. "-4x3.txt"), make(dtype, { 4, 3 }), "%.9g", ",")
        count = count + 1
      end
      local pipe = io.popen(python .. " spec/golden/files/npy.py check " .. to .. " 2>&1")
      local said = pipe:read("*a")
      pipe:close()
      assert.equal(tostring(count + 2 * 19), (said:gsub("%s+$", "")))
      for _, path in ipairs(made) do os.remove(path) end
      os.remove(to)
    end)
  end
end)

describe("round trips", function()
  for _, dtype in ipairs(helper.dtypes) do
    it("of " .. dtype, function()
      for _, shape in ipairs { { 2, 3 }, {}, { 0 }, { 5, 0, 2 }, { 1, 7, 2, 2 } } do
        local a = make(dtype, shape)
        is(ma.loads(a:dumps()), dtype, shape)
        local path = temporary("round.npy")
        ma.save(path, a)
        is(ma.load(path), dtype, shape)
        ma.savez(base .. "round", a, { name = a })
        local both = ma.load(temporary("round.npz"))
        is(both.arr_0, dtype, shape)
        is(both.name, dtype, shape)
        ma.savez_compressed(base .. "round.npz", { name = a })
        is(ma.load(base .. "round.npz").name, dtype, shape)
        a:tofile(path)
        is(ma.fromfile(path, dtype), dtype, { size_of(shape) })
        if a.size > 0 then is(ma.frombuffer(a:tobytes(), shape, dtype), dtype, shape) end
      end
    end)
  end

  it("of views: transposed, strided, reversed, broadcast", function()
    local a = make("int32", { 4, 6 })
    for _, view in ipairs { a:transpose(), a["::2, ::3"], a["::-1, :"], a["2, :"],
      ma.broadcast_to(a["1, :"], { 3, 6 }) } do
      local again = ma.loads(view:dumps())
      assert.same(view.shape, again.shape)
      assert.equal(view:tobytes(), again:tobytes())
      assert.equal(view:copy():tobytes(), view:tobytes())
    end
    assert.truthy(a:transpose():dumps():find("'fortran_order': True", 1, true))
  end)

  it("of larger arrays, deflated ones too", function()
    local n = 300000
    local a = ma.arange(n, "float64")
    local path = temporary("large.npz")
    ma.savez_compressed(path, { a = a, b = a % 7 })
    local both = ma.load(path)
    assert.equal(a:tobytes(), both.a:tobytes())
    assert.equal((a % 7):tobytes(), both.b:tobytes())
    ma.save(path .. ".npy", a)
    made[#made + 1] = path .. ".npy"
    assert.equal(a:tobytes(), ma.load(path .. ".npy"):tobytes())
  end)

  it("through open files, one array after another", function()
    local path = temporary("handle")
    local file = assert(io.open(path, "wb"))
    file:write("head")
    ma.save(file, make("int16", { 3 }))
    ma.save(file, make("float32", { 2, 2 }))
    make("uint8", { 4 }):tofile(file)
    file:close()
    file = assert(io.open(path, "rb"))
    assert.equal("head", file:read(4))
    is(ma.load(file), "int16", { 3 })
    is(ma.load(file), "float32", { 2, 2 })
    is(ma.fromfile(file, "uint8", 2), "uint8", { 2 })
    assert.equal(2, #file:read("*a"))
    file:close()
    fails("closed file", ma.load, file)
  end)
end)

describe("text", function()
  local path = temporary("table.txt")
  local function table_of(text) return write(path, text) end

  it("has rows, columns, comments, blank lines, line ends of two kinds", function()
    local a = ma.loadtxt(table_of("\239\187\191# head\n1 2 3\r\n\n  4\t5  6 # tail\n7 8 9"))
    is(a, "float64", { 3, 3 }, ma.array({ { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }):tobytes())
  end)

  it("gives one axis less for one row or one column, unless ndmin asks for more", function()
    assert.same({ 3 }, ma.loadtxt(table_of("1 2 3\n")).shape)
    assert.same({ 3 }, ma.loadtxt(table_of("1\n2\n3\n")).shape)
    assert.same({}, ma.loadtxt(table_of("1\n")).shape)
    assert.same({ 1 }, ma.loadtxt(table_of("1\n"), { ndmin = 1 }).shape)
    assert.same({ 1, 3 }, ma.loadtxt(table_of("1 2 3\n"), { ndmin = 2 }).shape)
    assert.same({ 3, 1 }, ma.loadtxt(table_of("1\n2\n3\n"), { ndmin = 2 }).shape)
    assert.same({ 0 }, ma.loadtxt(table_of("# nothing\n")).shape)
  end)

  it("takes columns by position, rows by count, several comments", function()
    table_of("skip me\n1,2,3\n% no\n4,5,6\n7,8,9\n")
    local options = { delimiter = ",", skiprows = 1, comments = { "%", "#" }, usecols = { 3, -3 }, max_rows = 2,
      dtype = "int32" }
    assert.same({ { 3, 1 }, { 6, 4 } }, ma.loadtxt(path, options):totable())
    assert.same({ 2, 5, 8 }, ma.loadtxt(path, { delimiter = ",", skiprows = 1, comments = "%", usecols = 2 }):totable())
  end)

  it("unpacks columns into values", function()
    local x, y = ma.loadtxt(table_of("1 10\n2 20\n3 30\n"), { unpack = true })
    assert.same({ 1, 2, 3 }, x:totable())
    assert.same({ 10, 20, 30 }, y:totable())
  end)

  it("reads numbers exactly", function()
    local random, lines, want = helper.random(5), {}, ffi.new("double[2000]")
    for k = 0, 1999 do
      local v = (random() - 0.5) * 10 ^ random(-300, 300)
      local text = ("%." .. random(0, 19) .. (random(0, 1) == 1 and "e" or "g")):format(v)
      want[k] = tonumber(text)
      lines[k + 1] = text
    end
    table_of(table.concat(lines, "\n"))
    is(ma.loadtxt(path), "float64", { 2000 }, ffi.string(want, 16000))
  end)

  it("reads integers of 64 bits, booleans, complex numbers, nan and inf", function()
    local a = ma.loadtxt(table_of("9223372036854775807\n-9223372036854775808\n9007199254740993\n"), "int64")
    local want = ffi.new("int64_t[3]", 9223372036854775807LL, -9223372036854775807LL - 1, 9007199254740993LL)
    assert.equal(ffi.string(want, 24), a:tobytes())
    assert.equal(string.rep("\255", 8), ma.loadtxt(table_of("18446744073709551615"), "uint64"):tobytes())
    assert.same({ true, false, true, false }, ma.loadtxt(table_of("True False 1 0"), "bool"):totable())
    local c = ma.loadtxt(table_of("(1+2j) 3-4j 5 6j (1.5e3-2.5e-1j)"), "complex128")
    assert.equal(ffi.string(ffi.new("double[10]", 1, 2, 3, -4, 5, 0, 0, 6, 1500, -0.25), 80), c:tobytes())
    local f = ma.loadtxt(table_of("nan inf -inf"))
    assert.equal(1, ma.count_nonzero(ma.isnan(f)):item())
    assert.equal(2, ma.count_nonzero(ma.isinf(f)):item())
  end)

  it("names the line and the column of what is wrong", function()
    fails("line 3, column 2: 'x' is no float64", ma.loadtxt, table_of("1 2\n\n3 x\n"))
    fails("line 2 has 3 columns; the lines before it have 2", ma.loadtxt, table_of("1 2\n3 4 5\n"))
    fails("'1.5' is no int32", ma.loadtxt, table_of("1.5\n"), "int32")
    fails("'300' is no uint8", ma.loadtxt, table_of("300\n"), "uint8")
    fails("'-1' is no uint64", ma.loadtxt, table_of("-1\n"), "uint64")
    fails("'' is no float64", ma.loadtxt, table_of("1,,3\n"), { delimiter = "," })
    fails("usecols has 4; the file has columns 1 to 3", ma.loadtxt, table_of("1 2 3\n"), { usecols = { 4 } })
    fails("usecols has 0", ma.loadtxt, table_of("1 2 3\n"), { usecols = 0 })
    fails("wanted one character", ma.loadtxt, path, { delimiter = "ab" })
    fails("skiprows is -1", ma.loadtxt, path, { skiprows = -1 })
  end)

  it("fills what is missing, and reads a header", function()
    table_of("# time, height ,\"n\"\n1,,x\n2,3.5,4\n")
    local t, names = ma.genfromtxt(path, { delimiter = ",", names = true })
    assert.same({ "time", "height", "n" }, names)
    assert.same({ 1, 2 }, t.time:totable())
    assert.equal(3.5, t.height(2))
    assert.is_true(ma.isnan(t.n)(1))
    local a = ma.genfromtxt(path, "int32", { delimiter = ",", filling_values = -7 })
    assert.same({ { 1, -7, -7 }, { 2, -7, 4 } }, a:totable())
    local u = ma.genfromtxt(path, { delimiter = ",", names = { "a", "b", "c" }, usecols = { 1, 3 } })
    assert.equal(4, u.c(2))
    assert.is_nil(u.b)
    fails("stands twice", ma.genfromtxt, table_of("a a\n1 2\n"), { names = true })
  end)

  it("is written by one format, one a column, or one a row", function()
    local a = ma.array({ { 1, 2.5 }, { -3, 4 } })
    local function text(...)
      ma.savetxt(path, ...)
      return read(path)
    end
    assert.equal("1.0 2.5\n-3.0 4.0\n", text(a, "%.1f"))
    assert.equal("1;2.50\n-3;4.00\n", text(a, { "%d", "%.2f" }, ";"))
    assert.equal("a=1, b=2.5 (100%)|a=-3, b=4 (100%)|", text(a, "a=%d, b=%g (100%%)", { newline = "|" }))
    assert.equal("% two\n% lines\n1\n2\n% end\n",
      text(ma.array({ 1, 2 }), "%d", { header = "two\nlines", footer = "end", comments = "% " }))
    assert.equal("9007199254740993\n", text(ma.frombuffer(ffi.new("int64_t[1]", 9007199254740993LL)), "%d"))
    assert.equal("(1-2j)\n", text(ma.frombuffer(ffi.string(ffi.new("double[2]", 1, -2), 16), { 1 }, "complex128"),
      "%g"))
    assert.equal("True\nFalse\n", text(ma.array({ true, false }), "%s"))
    assert.equal("0.1\n", text(ma.array({ 0.1 }, "float32"), "%s"))
    fails("wanted conversions for numbers", ma.savetxt, path, a, "%n")
    fails("wanted conversions for numbers", ma.savetxt, path, a, "%*d")
    fails("wanted conversions for numbers", ma.savetxt, path, a, "%999999d")
    fails("wanted conversions for numbers", ma.savetxt, path, a, "plain")
    fails("fmt has 3 conversions; x has 2 columns", ma.savetxt, path, a, "%d %d %d")
    fails("x has 3 axes", ma.savetxt, path, ma.zeros({ 1, 1, 1 }))
  end)

  it("flat: fromstring, fromfile and tofile with sep", function()
    assert.same({ 1, 2, 3, 4 }, ma.fromstring("1 2\n3 4\n"):totable())
    assert.same({ 1, 2 }, ma.fromstring("1, 2, 3", "int32", 2, ","):totable())
    local a = make("float64", { 3, 4 })
    a:tofile(path, ",")
    assert.equal("-3.125,-1.875", read(path):sub(1, 13))
    assert.equal(a:tobytes(), ma.fromfile(path, { sep = "," }):tobytes())
    a:tofile(path, { sep = " ", format = "%.1e" })
    assert.equal("-3.1e+00 -1.9e+00", read(path):sub(1, 17))
    fails("count is 5; the text has 3 values", ma.fromstring, "1 2 3", { count = 5 })
    fails("write ma.frombuffer", ma.fromstring, "1 2 3", { sep = "" })
    fails("'x' is no float64", ma.fromstring, "1 x 3")
  end)
end)

describe("raw bytes", function()
  it("are read from an offset, by count", function()
    local path = write(temporary("raw"), expected("int32", 10) .. "xyz")
    is(ma.fromfile(path, "int32", 10), "int32", { 10 })
    assert.equal(expected("int32", 10):sub(9, 16), ma.fromfile(path, "int32", { count = 2, offset = 8 }):tobytes())
    fails("43 bytes; int32 takes a multiple of 4", ma.fromfile, path, "int32")
    fails("count is 11; the file has 10 elements", ma.fromfile, path, "int32", 11)
    fails("offset is 44", ma.fromfile, path, "int32", { offset = 44 })
    fails("count is -2", ma.fromfile, path, "int32", -2)
  end)
end)

describe("frombuffer", function()
  it("takes a string, which the array keeps", function()
    local a = ma.frombuffer(expected("float32", 6), { 2, 3 }, "float32")
    collectgarbage()
    is(a, "float32", { 2, 3 })
    is(ma.frombuffer("\1\2\3", nil, "uint8"), "uint8", { 3 }, "\1\2\3")
    fails("8 bytes; (3,) of float32 takes 12", ma.frombuffer, "12345678", { 3 }, "float32")
    fails("8 bytes; (1,) of float32 takes 4", ma.frombuffer, "12345678", { 1 }, "float32")
    fails("7 bytes; int16 takes a multiple of 2", ma.frombuffer, "1234567", nil, "int16")
    fails("negative", ma.frombuffer, "12345678", { -1, -8 }, "uint8")
  end)

  it("does not copy on the CPU", function()
    local p = ffi.new("double[6]", 1, 2, 3, 4, 5, 6)
    local a = ma.frombuffer(p, { 2, 3 }, { device = "cpu" })
    assert.equal("float64", a.dtype)
    p[4] = 50
    assert.equal(50, a(2, 2))
    a[{ 1, 1 }] = 10
    assert.equal(10, p[0])
    local s = ma.frombuffer("abcd", { 4 }, "uint8", { device = "cpu" })
    fails("read-only", function() s[{ {} }] = 1 end)
    assert.equal("abcd", s:tobytes())
  end)

  it("knows the dtype of a typed pointer, and the size of an array", function()
    for ctype, dtype in pairs { ["int8_t"] = "int8", ["uint16_t"] = "uint16", ["int64_t"] = "int64",
      ["float"] = "float32", ["bool"] = "bool",
      ["complex float"] = "complex64", ["complex"] = "complex128", ["uint8_t"] = "uint8",
      ["unsigned long"] = ffi.sizeof("long") == 8 and "uint64" or "uint32" } do
      local p = ffi.new(ctype .. "[4]")
      local a = ma.frombuffer(p)
      assert.equal(dtype, a.dtype)
      assert.same({ 4 }, a.shape)
      local pointer = ffi.cast(ctype .. " *", p)
      assert.equal(dtype, ma.frombuffer(pointer, 4, { owner = p }).dtype)
      fails("no shape", ma.frombuffer, pointer)
      fails("takes", ma.frombuffer, p, 5)
    end
  end)

  it("refuses what has no memory", function()
    fails("NULL", ma.frombuffer, ffi.cast("double *", nil), 3)
    fails("wanted a string, a pointer", ma.frombuffer, 12345, 3)
    fails("wanted a string, a pointer", ma.frombuffer, 12345LL, 3)
    fails("wanted a string, a pointer", ma.frombuffer, { 1, 2 }, 2)
    fails("wanted a string, a pointer", ma.frombuffer, io.stdout, 2)
    fails("wanted a string, a pointer", ma.frombuffer, ma.zeros(3), 3)
    fails("needs a multiple of 8", ma.frombuffer, ffi.cast("char *", ffi.new("double[4]")) + 1, 2, "float64",
      { device = "cpu" })
    fails("too many elements", ma.frombuffer, ffi.new("double[4]"), { 2 ^ 40, 2 ^ 40 })
  end)

  it("takes an object with getPointer and getSize", function()
    local memory = ffi.new("float[3]", 1, 2, 3)
    local object = { getSize = function() return 12 end,
      getFFIPointer = function() return ffi.cast("void *", memory) end }
    assert.same({ 1, 2, 3 }, ma.frombuffer(object, 3, "float32"):totable())
    fails("12 bytes", ma.frombuffer, object, 4, "float32")
  end)

  it("keeps its owner until the last view goes", function()
    local gone = setmetatable({}, { __mode = "v" })
    local view
    do
      local memory = ffi.new("double[8]", 1, 2, 3, 4, 5, 6, 7, 8)
      gone.owner = { memory }
      local a = ma.frombuffer(ffi.cast("double *", memory), 8, { owner = gone.owner, device = "cpu" })
      view = a["3:4"]
      a:free()
    end
    for _ = 1, 3 do collectgarbage() end
    assert.is_table(gone.owner)
    assert.same({ 3, 4 }, view:totable())
    view:free()
    for _ = 1, 3 do collectgarbage() end
    assert.is_nil(gone.owner)
  end)

  it("survives any order of collection", function()
    local random, kept = helper.random(9), {}
    for k = 1, 2000 do
      local n = random(1, 50)
      local a = ma.frombuffer(string.rep(string.char(n), n), n, "uint8", { device = "cpu" })
      kept[random(1, 40)] = random(0, 1) == 1 and a or a["1:1"]
      if k % 500 == 0 then collectgarbage() end
    end
    for _, a in pairs(kept) do
      local bytes = a:tobytes()
      assert.equal(bytes, string.rep(bytes:sub(1, 1), #bytes))
    end
  end)
end)

describe("data", function()
  it("is a typed pointer that keeps its array", function()
    local p = ma.arange(5, "float64"):to("cpu"):data()
    for _ = 1, 3 do collectgarbage() end
    for k = 0, 4 do assert.equal(k, p[k]) end
    for _, dtype in ipairs(helper.dtypes) do
      local bytes = expected(dtype, 4)
      local a = ma.frombuffer(bytes, 4, dtype):to("cpu")
      assert.equal(bytes, ffi.string(a:data(), #bytes))
    end
  end)

  it("writes through", function()
    local a = ma.zeros({ 2, 2 }, "int32", { device = "cpu" })
    local p = a:data()
    p[3] = 7
    assert.equal(7, a(2, 2))
  end)

  it("refuses views with gaps, and other devices", function()
    local a = ma.zeros({ 4, 4 }, { device = "cpu" })
    fails("a:copy():data()", a:transpose().data, a["1:2, 1:2"])
    if helper.device ~= "cpu" then fails("a:get():data()", function() ma.zeros(3):data() end) end
    local s = ma.frombuffer("abcd", nil, "uint8", { device = "cpu" })
    assert.equal(97, s:data()[0])
    assert.is_false(pcall(function() s:data()[0] = 1 end))
  end)
end)

describe("a wrong call", function()
  it("is an error that names the file", function()
    fails("cannot open '/no/such/file'", ma.load, "/no/such/file")
    fails("is a folder", ma.load, "spec")
    fails("wanted a path or an open file", ma.load, 5)
    fails("wanted a path or an open file", ma.save, {}, ma.zeros(1))
    fails("cannot open '/no/such/file.npy'", ma.save, "/no/such/file", ma.zeros(1))
    fails("zero byte", ma.load, "a\0b")
    fails("wanted a string", ma.loads, 5)
    fails("no .npy or .npz file", ma.loads, "this is not an array")
    fails("README.md: no .npy or .npz file", ma.load, "README.md")
    fails("no option 'sep'", ma.loadtxt, "README.md", { sep = "," })
    fails("two arrays are called 'arr_0'", ma.savez, base, ma.zeros(1), { arr_0 = 1 })
  end)

  it("leaves no open file and no file of its own", function()
    local function open_files()
      local pipe = io.popen("ls /proc/self/fd | wc -l; ls -d " .. base .. "* 2>/dev/null | wc -l")
      local text = pipe:read("*a")
      pipe:close()
      return text
    end
    local before = open_files()
    for _ = 1, 20 do
      helper.fails(ma.load, "README.md")
      helper.fails(ma.loadtxt, "README.md")
      helper.fails(ma.savetxt, base .. "never", ma.zeros({ 1, 1, 1 }))
      helper.fails(ma.savetxt, base .. "never", ma.zeros(2), "%n")
      helper.fails(ma.fromfile, "README.md", { offset = 10 ^ 9 })
    end
    assert.equal(before, open_files())
  end)

  it("says when the disk is full", function()
    local full = io.open("/dev/full", "wb")
    if not full then return end
    full:close()
    fails("cannot be written", ma.savetxt, "/dev/full", ma.zeros(10))
    fails("cannot be written", ma.tofile, ma.zeros(100000), "/dev/full")
    assert(io.open("/dev/full", "rb")):close()
  end)
end)

describe("a damaged file", function()
  --- An error, or arrays that are no larger than such a file can hold.
  local function try(bytes, limit)
    local ok, result = pcall(ma.loads, bytes)
    if not ok then
      assert(type(result) == "string" and result:find("moonarray.loads: ", 1, true), tostring(result))
      return 0
    end
    local list = type(result) == "table" and result or { result }
    for _, a in pairs(list) do
      if type(a) ~= "userdata" then assert(#a <= limit * #bytes)      -- a text, or a field's texts
      else
        assert(a.nbytes <= limit * #bytes)
        a:tobytes()
        a:free()
      end
    end
    return 1
  end

  local files = {
    { golden.plain, 1, 3000 }, { golden.stored, 1, 1500 }, { golden.deflated, 1032, 1500 },
  }

  it("cut short", function()
    for _, file in ipairs(files) do
      local bytes, limit = file[1], file[2]
      for n = 0, #bytes - 1, #bytes < 1000 and 1 or 23 do assert.equal(0, try(bytes:sub(1, n), limit)) end
      for n = #bytes - 100, #bytes - 1 do try(bytes:sub(1, n), limit) end
    end
  end)

  it("with wrong bytes", function()
    local random = helper.random(3)
    for _, file in ipairs(files) do
      local bytes, limit, rounds = unpack(file)
      for _ = 1, rounds do
        local broken = bytes
        for _ = 1, random(1, 3) do
          local at = random(1, #bytes)
          broken = broken:sub(1, at - 1) .. string.char(random(0, 255)) .. broken:sub(at + 1)
        end
        try(broken, limit)
      end
    end
  end)

  it("whose header lies", function()
    local function npy(text)
      text = text .. string.rep(" ", 63 - (10 + #text) % 64) .. "\n"
      return "\147NUMPY\1\0" .. string.char(#text % 256, math.floor(#text / 256)) .. text
    end
    local good = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }"
    assert.equal(1, try(npy(good) .. string.rep("\0", 8), 8))
    for _, text in ipairs {
      "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), }",
      "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,), }", "{'descr': '<f8', 'shape': (1,), }",
      "{'descr': '<f8'", "", "{}",
      "{'descr': [('a', '<f8', (2,))], 'fortran_order': False, 'shape': (1,), }",
      "{'descr': '<U5', 'fortran_order': False, 'shape': (1,), }",
      "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1 }",
      "{'descr': '', 'fortran_order': False, 'shape': (1,), }", (good:gsub("shape", "shapely")),
    } do
      assert.equal(0, try(npy(text) .. string.rep("\0", 8), 1))
    end
    local function says(pattern, bytes) assert.matches(pattern, helper.fails(ma.loads, bytes)) end
    says("promises 8000 bytes; the file has 8", npy((good:gsub("1,", "1000,"))) .. string.rep("\0", 8))
    says("more than 16 axes", npy((good:gsub("%(1,%)", "(" .. ("1, "):rep(17) .. ")"))) .. string.rep("\0", 8))
    says("version 4", (npy(good):gsub("\1%z", "\4\0", 1)) .. string.rep("\0", 8))
    says("header of 4294967280 bytes; at most 65536", "\147NUMPY\2\0\240\255\255\255" .. good)
    assert.equal(1, try(npy((good:gsub("'", '"'):gsub("%(1,%)", "(1L,)"))) .. string.rep("\0", 8), 8))
  end)

  it("of text", function()
    local random = helper.random(11)
    local path = temporary("random.txt")
    for _ = 1, 300 do
      local bytes = {}
      for k = 1, random(1, 80) do
        local pool = "0123456789.eE+-, \t\n\r#xnaif()j\"\0\255"
        local at = random(1, #pool)
        bytes[k] = pool:sub(at, at)
      end
      write(path, table.concat(bytes))
      for _, dtype in ipairs { "float64", "int8", "complex64", "bool" } do
        local ok, message = pcall(ma.loadtxt, path, dtype, { delimiter = random(0, 1) == 1 and "," or nil })
        assert(ok or message:find("moonarray.loadtxt", 1, true), message)
        ok, message = pcall(ma.genfromtxt, path, dtype, { names = random(0, 1) == 1 })
        assert(ok or message:find("moonarray.genfromtxt", 1, true), message)
      end
    end
  end)
end)
