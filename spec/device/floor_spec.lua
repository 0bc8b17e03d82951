-- The floor set (docs/bundles.md): general forms of kernels as PTX, which serve where a kernel is compiled nowhere and
-- NVRTC is missing, on the pretended GPU. Results have the bits of the exact forms, which are those of the CPU.

local apart = require "spec.pretend.apart"
local file = require "spec.file"
local gpu = require "spec.pretend.gpu"

local count, results_of = apart.count, apart.results_of
local exceptions = require("scripts.kernels.list").exceptions

-- What the programs begin with.
local HEAD = [[
  io.stdout:setvbuf("line")              -- the library writes between the lines
  local ma, core = require "moonarray", require "moonarray.core"
  local names = { "bool", "uint8", "int32", "int64", "float32", "float64" }
  local function operand(dtype, shape)
    local n, values = 1, {}
    for _, extent in ipairs(shape) do n = n * extent end
    for k = 1, n do values[k] = dtype == "bool" and k % 3 == 0 or dtype ~= "bool" and (k * 37 % 11) + 0.0 end
    return ma.array(values, dtype):reshape(shape)
  end
  local function show(name, a) print(name, a.dtype, a) end
]]

-- Operations of every layout, of dtypes that differ, of numbers, into results of other dtypes.
local ELEMENTWISE = HEAD .. [[
  local a, b, i = operand("float32", { 4, 6 }), operand("float32", { 4, 6 }), operand("int32", { 4, 6 })
  show("packed", a + b)
  show("twice", a + a)
  show("numbers", 2 + (a + 3))
  show("steps", a["::2, ::3"] + b["1::2, 1::3"])
  show("reversed", a["::-1, :"] + b[":, ::-1"])
  show("transposed", a.T + b:reshape(6, 4))
  show("broadcast", a + b["1"] + a[":, :1"])
  show("axes", operand("float32", { 3, 2, 2, 3, 2 }):transpose(5, 3, 1, 2, 4) + operand("float32", { 2, 1, 3, 1, 1 }))
  show("mixed", a + i)
  show("true", i / i:add(1))
  show("wide", operand("int64", { 3 }) + operand("float32", { 3 }))
  show("compared", a:gt(i))
  show("chosen", ma.where(a:gt(4), a, 0))
  show("fused", ((a + b) * 2 + i):sqrt())
  ma.add(a, b, { out = i, casting = "unsafe" })
  show("out", i)
  a["1:3, ::2"] = b["2:4, 1::2"]
  a["::3, 5"] = 7
  show("assigned", a)
  for _, from in ipairs(names) do
    for _, to in ipairs(names) do show(from, operand(from, { 5, 3 })[":, ::2"]:astype(to)) end
  end
  local large = ma.arange(300000, "float32"):reshape(600, 500)
  show("large", (large.T + large["1"]["::-1"]:reshape(500, 1))["::100, ::200"])
]]

describe("the floor set", function()
  local place
  if not gpu.is_built() then
    pending("is tried on the pretended GPU, which make pretend builds")
    return
  end

  setup(function() place = apart.new() end)
  teardown(function() place.remove() end)

  --- Makes the floor of what a program asks for by general forms.
  local function install(program)
    local record = place.folder .. "/floor.rec"
    os.remove(record)
    place.run('require("moonarray.core").general_forms(true)\n' .. program, "PRETEND_IDLE=1 MOONARRAY_BUNDLE=record:"
      .. record)
    local text = place.run(('print("built", #require("moonarray").bundle.build(%q, %q, { targets = {} }).failed)')
      :format(record, place.folder .. "/moonarray/kernels/floor.mab"))
    assert(text:find("built\t0\n"), text)
  end

  --- Whether a program prints what it does on the CPU, on a GPU without NVRTC whose one image is the floor's.
  local function serves(program)
    local expected = place.run(program, "MOONARRAY_DEVICE=cpu")
    install(program)
    local text = place.run(program, "MOONARRAY_NVRTC=0")
    assert.equal(results_of(expected):gsub("cpu", "cuda:0"), (results_of(text)))
    assert(count(text, "from the bundle [^\n]*/moonarray/kernels/floor%.mab") > 3, text)
    return text
  end

  it("serves every layout and every mixture of dtypes by one kernel an operation and dtype", function()
    local text = serves(ELEMENTWISE)
    assert(count(text, "map_general: from the bundle") < 25, text)
    -- the cache keeps what the driver made of the PTX
    text = place.run(ELEMENTWISE, "MOONARRAY_NVRTC=0", true)
    assert.equal(0, count(text, "from the bundle"), text)
    assert(text:find("large\t", 1, true), text)
  end)

  it("has every operation of the tables", function()
    local text = place.run('arg = { "floor" }\n' .. file.read("scripts/kernels/record.lua"),
      ("PRETEND_IDLE=1 MOONARRAY_TRACE= MOONARRAY_BUNDLE=record:%s/all.rec"):format(place.folder))
    local served = {}
    for line in text:gmatch("[^\n]+") do served[line] = true end
    for path, word in pairs { ["kernels/ops.def"] = "OP", ["kernels/special.def"] = "SPECIAL" } do
      for name in file.read(path):gmatch("\n" .. word .. "%(([%w_]+)") do
        assert(served["operation " .. name] or exceptions[name], name .. ": " .. text:sub(1, 2000))
      end
    end
    os.remove(place.folder .. "/all.rec")
  end)

  it("is not asked where there is an NVRTC", function()
    local text = place.run(HEAD .. 'show("sum", operand("float32", { 3 }) + 1)')
    assert(count(text, ": compiled ") > 0 and count(text, "from the bundle") == 0, text)
  end)

  it("lets a bundle that comes later serve the exact form", function()
    local program = HEAD .. [[
      local a = operand("float32", { 3 })
      show("sum", a + a)
      if os.getenv("LATER") then ma.bundle.load(os.getenv("LATER")) end
      show("sum", a + a)
    ]]
    local record, later = place.folder .. "/exact.rec", place.folder .. "/exact.mab"
    place.run(program, "MOONARRAY_BUNDLE=record:" .. record)
    place.run(('require("moonarray").bundle.build(%q, %q, { targets = { 99 }, ptx = false })'):format(record, later))
    local text = place.run(program, "MOONARRAY_NVRTC=0 LATER=" .. later)
    local first, second = text:find("map_general: from the bundle"), text:find("map: from the bundle [^\n]*/exact%.mab")
    assert(first and second and first < second, text)
  end)

  it("makes the GPU the default device", function()
    local text = place.run('print(require("moonarray").device())', "MOONARRAY_NVRTC=0 MOONARRAY_DEVICE=")
    assert(text:find("<Device cuda:0>\n", 1, true), text)
  end)
end)
