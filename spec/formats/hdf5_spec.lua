-- HDF5 by libhdf5: make test-formats.

local helper = require "spec.helper"
local ma = helper.ma
local hdf5 = ma.hdf5

local made = {}
local function temporary()
  made[#made + 1] = os.tmpname()
  return made[#made]
end
teardown(function() for _, path in ipairs(made) do os.remove(path) end end)

--- The bytes of the file in spec/formats/h5py.txt.
local function h5py_bytes()
  local parts = {}
  for line in io.lines("spec/formats/h5py.txt") do
    if line:sub(1, 1) ~= "#" then parts[#parts + 1] = line end
  end
  local text = table.concat(parts)
  parts = {}
  local at = 1
  while at <= #text do
    local zeros, after = text:match("^%((%d+)%)()", at)
    parts[#parts + 1] = zeros and ("\0"):rep(tonumber(zeros)) or string.char(tonumber(text:sub(at, at + 1), 16))
    at = after or at + 2
  end
  return table.concat(parts)
end

local read, write = require("spec.file").read, require("spec.file").write

describe("HDF5", function()
  it("as h5py writes it is listed and read", function()
    local path = temporary()
    write(path, h5py_bytes())
    local lines = {}
    for k, set in ipairs(hdf5.list(path)) do
      local what = set.dtype or set.other:sub(1, 17)
      lines[k] = ("%s (%s) %s"):format(set.name, table.concat(set.shape, ", "), what)
    end
    table.sort(lines)
    assert.same({ "big (5) int32", "cc (1) complex64", "link () a link to nothing", "none (0) float32", "one () uint8",
      "packed (4, 10) float64",
      "q/half (2) float16", "s (2) texts", "yes (2) bool" }, lines)
    assert.same({ 0, 1, 2, 3, 4 }, hdf5.read(path, "big"):totable())
    assert.same({ true, false }, hdf5.read(path, "yes"):totable())
    assert.equal(2, hdf5.read(path, "cc")(1).im)
    assert(ma.array_equal(ma.arange(40):reshape(4, 10), hdf5.read(path, "packed")))
    assert.same({ 1.5, -2 }, hdf5.read(path, "q/half"):totable())
    assert.equal(7, hdf5.read(path, "one"):item())
    assert.equal(0, hdf5.read(path, "none").size)
    assert.equal(helper.device, hdf5.read(path, "big").device)
    assert.equal("cpu", hdf5.read(path, "big", { device = "cpu" }).device)
    assert.same({ 0, 1, 2, 3, 4 }, hdf5.read(path, "q/loop/big"):totable())
  end)

  it("comes back as it was written", function()
    local path, arrays = temporary(), {}
    for _, dtype in ipairs { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
      "float16", "float32", "float64", "complex64", "complex128" } do
      arrays[dtype] = (ma.arange(24):reshape(2, 3, 4) % 7):astype(dtype)
      arrays["deep/er/" .. dtype] = ma.zeros({ 0, 3 }, dtype)
      arrays["one/" .. dtype] = ma.ones({}, dtype)
    end
    arrays.turned = ma.arange(6):reshape(2, 3).T
    hdf5.write(path, arrays)
    local count = 0
    for _, set in ipairs(hdf5.list(path)) do
      local a, want = hdf5.read(path, set.name), arrays[set.name]
      assert.equal(want.dtype, a.dtype)
      assert.equal(want.dtype, set.dtype)
      assert.same({ want:dims() }, set.shape)
      assert(ma.array_equal(want, a), set.name)
      count = count + 1
    end
    assert.equal(43, count)
    hdf5.write(path, { x = { 1, 2 } })
    assert.equal(1, #hdf5.list(path))
  end)

  it("keeps the old file if it cannot be written", function()
    local path = temporary()
    hdf5.write(path, { x = ma.zeros(3) })
    assert.matches("'b' is bfloat16", helper.fails(hdf5.write, path, { a = ma.ones(2), b = ma.zeros(2, "bfloat16") }))
    assert.matches("no name of a dataset", helper.fails(hdf5.write, path, { a = ma.ones(2), ["a/b"] = ma.ones(2) }))
    assert.same({ 0, 0, 0 }, hdf5.read(path, "x"):totable())
    local pipe = io.popen("ls " .. path .. "*")
    assert.equal(path .. "\n", pipe:read("*a"))
    pipe:close()
  end)

  it("names what is wrong", function()
    local path = temporary()
    write(path, h5py_bytes())
    assert.matches("moonarray.hdf5.read: .*'s' has texts; numbers are read", helper.fails(hdf5.read, path, "s"))
    assert.matches("no dataset 'nothing'", helper.fails(hdf5.read, path, "nothing"))
    assert.matches("no dataset 'link'", helper.fails(hdf5.read, path, "link"))
    assert.matches("no dataset 'q'", helper.fails(hdf5.read, path, "q"))
    assert.matches("cannot open", helper.fails(hdf5.read, "/nowhere/x.h5", "x"))
    assert.matches("'/tmp' is a folder; wanted a file", helper.fails(hdf5.read, "/tmp", "x"))
    assert.matches("cannot write /nowhere/x.h5", helper.fails(hdf5.write, "/nowhere/x.h5", { x = 1 }))
    assert.matches("name is the number 3", helper.fails(hdf5.read, path, 3))
    assert.matches("arrays is the number 3", helper.fails(hdf5.write, path, 3))
    write(path, "no such file")
    assert.matches("no HDF5 file, or a damaged one", helper.fails(hdf5.list, path))
    write(path, h5py_bytes():sub(1, 600))
    assert.matches("no HDF5 file, or a damaged one", helper.fails(hdf5.list, path))
  end)

  it("that went through a filter which is not here names it", function()
    local path, bytes = temporary(), h5py_bytes()
    local at = assert(bytes:find("deflate\0", 1, true))
    local function with(id, name)
      local low, high = string.char(id % 256), string.char(math.floor(id / 256))
      write(path, bytes:sub(1, at - 9) .. low .. high .. bytes:sub(at - 6, at - 1) .. name .. bytes:sub(at + 8))
      return helper.fails(hdf5.read, path, "packed")
    end
    assert.matches("'packed' cannot be read: it went through the filter 32000 %(lzf%), for which libhdf5 has no "
      .. "plugin; the variable HDF5_PLUGIN_PATH names the folder", with(32000, "lzf\0\0\0\0\0"))
    assert.matches("the filter 32015 %(zstd%)", with(32015, ("\0"):rep(8)))
    assert.matches("the filter 31999, for", with(31999, ("\0"):rep(8)))
  end)

  it("is read and written by the program of docs/files.md", function()
    local code = read("docs/files.md"):match("```lua\n%-%- not run: needs libhdf5\n(.-)```")
    local path, told = temporary(), {}
    local environment = setmetatable({ ma = ma, print = function(...) told[#told + 1] = { ... } end }, { __index = _G })
    setfenv(assert(loadstring(code:gsub("run%.h5", path))), environment)()
    assert.same({ { "frames/1", "float64", 2 }, { "x", "int64", 2 } }, told)
  end)

  it("is read and written by the reference's example, which prints what the page says", function()
    local reference, example = dofile("scripts/reference.lua"), require("moonarray.help.examples")["hdf5.write"]
    local printed = reference.run(ma, reference.program(example)):gsub(helper.device, "cpu")
    assert.equal(example.prints, printed)
  end)
end)
