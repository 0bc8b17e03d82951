-- The floor set (docs/bundles.md): general forms of kernels as PTX, which serve where a kernel is compiled nowhere and
-- NVRTC is missing, on the pretended GPU. Results have the bits of the exact forms, which are those of the CPU.

local apart = require "spec.pretend.apart"
local file = require "spec.file"
local gpu = require "spec.pretend.gpu"
local records = require "spec.pretend.record"

local count = apart.count
local list = require "scripts.kernels.list"

-- What the programs begin with.
local HEAD = [[
  local ma, core = require "moonarray", require "moonarray.core"
  local names = { "bool", "uint8", "int32", "int64", "float32", "float64" }
  local function operand(dtype, shape)
    local n, values = 1, {}
    for _, extent in ipairs(shape) do n = n * extent end
    for k = 1, n do values[k] = dtype == "bool" and k % 3 == 0 or dtype ~= "bool" and (k * 37 % 11) + 0.0 end
    return ma.array(values, dtype):reshape(shape)
  end
  local path = os.getenv("SHOWN")      -- the library's own lines are elsewhere
  local out = path and assert(io.open(path, "w")) or io.stdout
  local function show(name, a) out:write(name, " ", a.dtype, " ", tostring(a), "\n") end
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

-- Reductions of every layout, of dtypes that are converted, of one span and of many.
local REDUCED = HEAD .. [[
  local a = operand("float32", { 7, 5, 6 })
  for axis = 1, 3 do show("axis", a:sum(axis)) end
  show("two", a:sum({ 1, 3 }))
  show("others", a:transpose(3, 1, 2):sum({ 1, 2 }))
  show("all", a:sum())
  show("kept", a:max(2, { keepdims = true }))
  show("steps", a["::2, ::-1, 1::2"]:mean(1))
  for _, dtype in ipairs(names) do
    local m = operand(dtype, { 5, 7 })
    show("sum", m:sum(1))
    show("greatest", m:max(2))
    show("position", ma.argmax(m, 1))
    show("any", m:any(2))
    show("count", ma.count_nonzero(m, 2))
  end
  local long = ma.arange(30000, "float32") * 0.37
  show("variance", long:std())
  show("mean", long:mean())
  show("product", (long * 0 + 1.0001):prod())
  show("least", ma.argmin(long["::-1"]))
  show("columns", long:reshape(10000, 3):sum(1))
  show("rows", long:reshape(3, 10000):var(2))
  show("whole", ma.arange(30000, "int32"):sum())
]]

-- Running totals, and elements that are picked, put and joined, in every layout.
local MOVED = HEAD .. [[
  local a = operand("float32", { 7, 5, 6 })
  for axis = 1, 3 do show("running", ma.cumsum(a, axis)) end
  show("running all", ma.cumsum(a))
  show("running steps", ma.cumsum(a["::2, ::-1, 1::2"], 2))
  show("running integers", ma.cumsum(operand("int32", { 20 })))
  show("greatest so far", ma.maximum.accumulate(operand("int64", { 20 })))
  show("long", ma.cumsum(ma.arange(20000, "float32") * 0.37)["::1999"])
  show("columns", ma.cumprod(operand("float64", { 3, 600 }) + 0.5, 1)[":, ::100"])
  show("short rows", ma.cumsum(ma.arange(1200, "float32"):reshape(600, 2), 2)["::100, :"])
  local places = ma.index({ 2, 1, 2 })
  show("picked", ma.take(a, places, 2))
  show("picked rows", a[places])
  show("picked across", ma.take(a:transpose(3, 1, 2), places, 3))
  show("picked bytes", ma.take(operand("bool", { 5 }), places))
  local b = operand("float32", { 5, 4 })
  b[places] = 7
  show("put", b)
  show("joined", ma.concatenate({ a, a["1:3"] }, 1))
]]

-- Elements that a mask keeps.
local KEPT = HEAD .. [[
  local a = operand("float32", { 7, 5, 6 })
  show("kept", a[a:gt(6)])
  show("kept of steps", a["::2, ::-1, 1::2"][a["::2, ::-1, 1::2"]:gt(6)])
  show("places", (ma.nonzero(a["1, 2"])))
]]

-- Sorts of short and long rows, with places and without, and small systems of equations.
local SORTED = HEAD .. [[
  for _, dtype in ipairs { "bool", "int32", "float64" } do
    show("rows", ma.sort(operand(dtype, { 3, 50 }), 2))
    show("alone", ma.sort(operand(dtype, { 40 })))
    show("places", ma.argsort(operand(dtype, { 40 })))
    local long = operand(dtype, { 6000 })
    show("long", ma.sort(long)["::499"])
    show("long places", ma.argsort(long)["::499"])
    show("long rows", ma.sort(operand(dtype, { 2, 5000 }), 2)[":, ::499"])
  end
  show("many", ma.sort(ma.arange(300000, "float32")["::-1"])["::29999"])
  for _, n in ipairs { 1, 3, 9, 20 } do
    local m = ma.eye(n, { dtype = "float64" }) * 40 + operand("float64", { 3, n, n })
    show("solved", ma.rint(ma.linalg.solve(m, operand("float64", { 3, n, 1 })) * 1000))
  end
]]

describe("the floor set", function()
  local place
  if not gpu.is_built() then
    pending("is tried on the pretended GPU, which make pretend builds")
    return
  end

  setup(function() place = apart.new() end)
  teardown(function() place.remove() end)

  --- Makes the floor of what a program asks for by general forms, but for texts of the families `left_out`. What is
  --- asked for may depend on results; then `idle` is "".
  local function install(program, idle, left_out)
    local record = place.folder .. "/floor.rec"
    os.remove(record)
    place.run('require("moonarray.core").general_forms(true)\n' .. program, (idle or "PRETEND_IDLE=1")
      .. " MOONARRAY_BUNDLE=record:" .. record)
    if left_out then
      local kept, n = records.without(file.read(record), left_out)
      assert(n > 0, "nothing was left out")
      file.write(record, kept)
    end
    local text = place.run(('print("built", #require("moonarray").bundle.build(%q, %q, { targets = {} }).failed)')
      :format(record, place.folder .. "/moonarray/kernels/floor.mab"))
    assert(text:find("built\t0\n"), text)
  end

  --- Whether a program shows what it does on the CPU, on a GPU without NVRTC whose images are the floor's.
  local function serves(program, idle)
    local results = place.folder .. "/results"
    local variables = " SHOWN=" .. results
    place.run(program, "MOONARRAY_DEVICE=cpu" .. variables)
    local expected = file.take(results)
    install(program, idle)
    local text = place.run(program, "MOONARRAY_NVRTC=0" .. variables)
    assert(#expected > 100, text)
    assert.equal(expected:gsub("cpu", "cuda:0"), (file.take(results)))
    assert(count(text, "from the bundle [^\n]*/moonarray/kernels/floor%.mab") > 3, text)
    return text
  end

  it("serves every layout and every mixture of dtypes by one kernel an operation and dtype", function()
    local text = serves(ELEMENTWISE)
    assert(count(text, "map_general: from the bundle") < 25, text)
    -- the cache keeps what the driver made of the PTX
    text = place.run(ELEMENTWISE, "MOONARRAY_NVRTC=0", true)
    assert.equal(0, count(text, "from the bundle"), text)
    assert.equal(0, count(text, "stack traceback"), text)
  end)

  it("serves elements that lie too far apart for one launch", function()
    local text = serves(HEAD .. [[
      local apart = ma.empty(2 ^ 31 + 1, "uint8")["::1073741824"]
      show("filled", apart:fill(7))
      apart:assign(ma.array({ 1, 2, 3 }, "uint8"))
      show("added", apart + 5)
      ma.add(apart, apart, apart)
      show("in place", (apart:astype("float32") / 2 + 1):sqrt())
      show("all of " .. ("it "):rep(40), apart)
    ]])
    assert.equal(0, count(text, " runs on the CPU: "), text)
  end)

  it("serves every reduction by one kernel a reduction and dtype", function()
    local text = serves(REDUCED)
    assert(count(text, "reduce_general: from the bundle") < 42, text)
    assert.equal(0, count(text, "rows: from the bundle") + count(text, "reduce: from the bundle"), text)
  end)

  it("serves running totals and moved elements by kernels for all shapes", function()
    assert(count(serves(MOVED), "gather: from the bundle") <= 3)
    assert(count(serves(KEPT, ""), "compact: from the bundle") <= 3)
  end)

  it("serves sorts of all lengths by two kernels a dtype, and small systems by one", function()
    local text = serves(SORTED)
    assert(count(text, "sort: from the bundle") <= 4, text)
    assert(count(text, "sort_rows: from the bundle") <= 3, text)
    assert(count(text, "solve: from the bundle") <= 1, text)
  end)

  it("has every operation of the tables", function()
    local text = place.run('arg = { "floor" }\n' .. file.read("scripts/kernels/record.lua"),
      ("PRETEND_IDLE=1 MOONARRAY_TRACE= MOONARRAY_BUNDLE=record:%s/all.rec"):format(place.folder))
    local served = {}
    for line in text:gmatch("[^\n]+") do served[line] = true end
    for path, word in pairs { ["kernels/ops.def"] = "OP", ["kernels/special.def"] = "SPECIAL" } do
      for name in file.read(path):gmatch("\n" .. word .. "%(([%w_]+)") do
        local why = list.exceptions[name] or list.floor_exceptions[name]
        assert(served["operation " .. name] ~= nil == (why == nil), name .. ": " .. text:sub(1, 2000))
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
    install(program)
    local record, later = place.folder .. "/exact.rec", place.folder .. "/exact.mab"
    place.run(program, "MOONARRAY_BUNDLE=record:" .. record)
    place.run(('require("moonarray").bundle.build(%q, %q, { targets = { 99 }, ptx = false })'):format(record, later))
    local text = place.run(program, "MOONARRAY_NVRTC=0 LATER=" .. later)
    local first, second = text:find("map_general: from the bundle"), text:find("map: from the bundle [^\n]*/exact%.mab")
    assert(first and second and first < second, text)
  end)

  it("lets a bundle serve that comes while its kernel is sought", function()
    local singles = HEAD .. [[
      local a = operand("float32", { 3 })
      for _, x in ipairs { a * 2, a + 1, a:sqrt() } do show("single", x) end
    ]]
    local program = singles .. [[
      local function fused() return (a * 2 + 1):sqrt() end
      ma.eval(fused())
      if not os.getenv("LATER") then return end
      os.execute("sleep 0.05")             -- the search has come to slow.mab
      ma.bundle.load(os.getenv("LATER"))
      os.execute("sleep 3")
      show("after", fused())
    ]]
    local names = {}
    for _, name in ipairs { "singles.rec", "fused.rec", "singles.mab", "slow.mab", "later.mab" } do
      names[#names + 1] = place.folder .. "/" .. name
    end
    os.remove(place.folder .. "/moonarray/kernels/floor.mab")
    place.run(singles, "MOONARRAY_BUNDLE=record:" .. names[1])
    place.run('require("moonarray.core").compile_at_once(true)\n' .. program, "MOONARRAY_BUNDLE=record:" .. names[2])
    -- the images of slow.mab are texts on which the driver's compiler fails, after some time
    local text = place.run(([[
      local ma, core = require "moonarray", require "moonarray.core"
      local singles, fused, singles_to, slow_to, later_to = %q, %q, %q, %q, %q
      local compile, known = core.bundle_compile, {}
      local cubins = { targets = { 99 }, ptx = false }
      core.bundle_compile = function(kernel, ...)
        known[kernel] = true
        return compile(kernel, ...)
      end
      ma.bundle.build(singles, singles_to, cubins)
      core.bundle_compile = function(kernel, ...)
        if known[kernel] then error("it is in the other bundle") end
        return "// pretended PTX as a text\n" .. kernel .. "wrong", 13000
      end
      print("slow", ma.bundle.build(fused, slow_to, { targets = {} }).images)
      core.bundle_compile = compile
      print("later", #ma.bundle.build(fused, later_to, cubins).failed)
    ]]):format(unpack(names)))
    assert(text:find("slow\t[1-9]") and text:find("later\t0\n", 1, true), text)
    local loading = "local ma = require 'moonarray' ma.bundle.load(%q) ma.bundle.load(%q)\n"
    text = place.run(loading:format(names[3], names[4]) .. program, "MOONARRAY_NVRTC=0 LATER=" .. names[5])
    assert(text:find("map: the image of the bundle [^\n]*/slow%.mab [^\n]*was refused"), text)
    assert(text:find("map: from the bundle [^\n]*/later%.mab"), text)
  end)

  it("leaves to the CPU what an entry is missing for, which is named", function()
    local program = HEAD .. [[
      local a = operand("float32", { 4, 6 })
      show("sum", a + a)
      show("running", ma.cumsum(a, 1))
      show("turned", -a)
    ]]
    install(program, nil, { scan = true })
    local text = place.run(program, "MOONARRAY_NVRTC=0")
    local expected = place.run(program, "MOONARRAY_DEVICE=cpu")
    assert.equal(apart.results_of(expected):gsub("cpu", "cuda:0"), (apart.results_of(text)))
    assert.equal(1, count(text, " runs on the CPU: "), text)
    assert.matches("program%.lua:%d+: running sum of float32 runs on the CPU: no kernel scan is compiled for "
      .. "compute capability 9%.9, and NVRTC is turned off by MOONARRAY_NVRTC=0; where it is, record it: "
      .. "MOONARRAY_BUNDLE=record:FILE\n", text)
  end)

  it("has preparations say what is missing, in place of never being ready", function()
    local program = HEAD .. [[
      local x = operand("float32", { 6 })
      local function loop(a)
        while a > 3 do a = a - 3 end
        return a
      end
      for name, kernel in pairs {
        element = ma.ElementwiseKernel("T x", "T y", "y = x + (T)2", "element"),
        reduction = ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "reduction"),
        raw = ma.RawKernel('extern "C" __global__ void raw(float *p) { p[0] = 1; }', "raw"),
        fused = ma.fuse(loop), vectorized = ma.vectorize(loop), stencil = ma.stencil(function(u) return loop(u(0)) end),
      } do
        local start, ok, why = os.time(), nil, nil
        repeat
          ok, why = pcall(function() return kernel:prepare(x):ready() end)
        until not ok or why or os.time() - start > 20
        print(name, ok, why)
      end
      local operators = ma.stencil(function(u) return u(-1) + u(1) end)
      print("operators", ma.await(operators:prepare(x)) == operators)
    ]]
    install(HEAD .. 'show("sum", operand("float32", { 6 }) + 1)')
    local text = place.run(program, "MOONARRAY_NVRTC=0")
    for _, name in ipairs { "element", "reduction", "raw", "fused", "vectorized", "stencil" } do
      assert.matches("\n" .. name .. "\tfalse\t[^\n]*no kernel ", "\n" .. text)
    end
    assert.matches("operators\ttrue", text)
  end)

  it("is in a game's folder, and is found by a process that has only that", function()
    local program = HEAD .. 'show("sum", operand("float32", { 3 }) + 1)'
    install(program)
    local game = place.folder .. "/game"
    local function make(floor)
      assert(file.run(("rm -rf %s && mkdir %s"):format(game, game)))
      return select(2, file.run(("FLOOR_FILE=%s sh scripts/game %s"):format(floor, game)))
    end
    local made = make(place.folder .. "/moonarray/kernels/floor.mab")
    assert(not made:find("without the floor set", 1, true), made)
    file.write(place.folder .. "/game.lua", program)
    local root, luajit = file.output("pwd"):gsub("\n", ""), os.getenv("LUAJIT") or "luajit"
    local _, text = file.run(("root=%s && cd / && env CUDA_PATH= MOONARRAY_CUDA_LIBRARIES=0 MOONARRAY_NVRTC=0 "
      .. "LD_LIBRARY_PATH=$(realpath $root/%s) MOONARRAY_DEVICE=cuda MOONARRAY_TRACE=jit MOONARRAY_CACHE_DIR=%s/cache "
      .. "LUA_PATH='%s/?.lua;%s/?/init.lua' LUA_CPATH='%s/?.so' %s %s/game.lua"):format(root,
      gpu.driver:match("^(.*)/"), game, game, game, game, luajit, place.folder))
    assert(text:find("map_general: from the bundle " .. game .. "/moonarray/kernels/floor.mab", 1, true), text)
    assert(text:find("sum float32 [", 1, true), text)
    assert(make(place.folder .. "/none.mab"):find("game: without the floor set: there is no ", 1, true))
  end)

  it("makes the GPU the default device", function()
    install(HEAD .. 'show("sum", operand("float32", { 3 }) + 1)')
    local text = place.run('print(require("moonarray").device())', "MOONARRAY_NVRTC=0 MOONARRAY_DEVICE=")
    assert(text:find("<Device cuda:0>\n", 1, true), text)
  end)
end)
