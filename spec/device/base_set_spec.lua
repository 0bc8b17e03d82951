-- The base set (docs/bundles.md): kernels of the library's own that come compiled, on the pretended GPU. Its list is
-- recorded on a driver that runs nothing, its file lies beside the module, and its images are taken after the cache and
-- before NVRTC.

local apart = require "spec.pretend.apart"
local file = require "spec.file"
local gpu = require "spec.pretend.gpu"

local luajit = os.getenv("LUAJIT") or "luajit"

local count, results_of = apart.count, apart.results_of
local exceptions = require("scripts.kernels.list").exceptions

local SOME = [[
  local ma = require "moonarray"
  require("moonarray.core").compile_at_once(true)
  local x = ma.array({ 3, 1, 2 }, "float32")
  local m = ma.ones({ 4, 5 }, "float64")
  print("sum", (x + x):sum():item())
  print("sorted", ma.sort(x))
  print("columns", m:sum(1))
  print("running", ma.cumsum(x))
  print("cast", x:astype("int32"))
]]

--- The names in the rows of a table of kernels.
local function rows_of(path, word)
  local names = {}
  for name in ("\n" .. file.read(path)):gmatch("\n" .. word .. "%(([%w_]+)") do names[#names + 1] = name end
  return names
end

describe("the base set", function()
  local place, folder, run
  if not gpu.is_built() then
    pending("is tried on the pretended GPU, which make pretend builds")
    return
  end

  --- Builds the file for an architecture of what a program asks for, SOME unless another is given, as by an NVRTC of
  --- this version, of kernels that call these functions (mathematics.def).
  local function install(arch, maker, functions, program)
    local record = ("%s/%d.rec"):format(folder, arch)
    run(program or SOME, "PRETEND_IDLE=1 MOONARRAY_BUNDLE=record:" .. record)
    local text = run(([[
      local ma, core = require "moonarray", require "moonarray.core"
      local compile = core.bundle_compile
      core.bundle_compile = function(...) return (compile(...)), %d end
      core.bundle_calls = function() return %d end
      local built = ma.bundle.build(%q, %q, { targets = { %d }, ptx = false })
      print("built", built.images, #built.failed)
    ]]):format(maker, functions or 0, record, ("%s/moonarray/kernels/base-%d.mab"):format(folder, arch), arch))
    assert(text:find("built\t%d+\t0\n"), text)
  end

  setup(function()
    place = apart.new()
    folder, run = place.folder, place.run
  end)
  teardown(function() place.remove() end)

  it("has every operation and reduction of the tables", function()
    local text = run(file.read("scripts/kernels/record.lua"),
      ("PRETEND_IDLE=1 MOONARRAY_TRACE= MOONARRAY_BUNDLE=record:%s/all.rec"):format(folder))
    local served = {}
    for line in text:gmatch("[^\n]+") do served[line] = true end
    local tables = { { "kernels/ops.def", "OP", "operation" }, { "kernels/special.def", "SPECIAL", "operation" },
      { "kernels/reduce/reduce.def", "REDUCE", "reduction" } }
    for _, t in ipairs(tables) do
      local names = rows_of(t[1], t[2])
      assert(#names > 10, t[1])
      for _, name in ipairs(names) do
        assert(served[t[3] .. " " .. name] or exceptions[name], t[1] .. " has " .. name .. ", and the set has not: "
          .. text:sub(1, 2000))
      end
    end
    os.remove(folder .. "/all.rec")
  end)

  it("is enough where there is no NVRTC, for cards of its major version", function()
    local expected = run(SOME)
    assert(count(expected, ": compiled ") > 5, expected)
    install(90, 13000)
    local text = run(SOME, "MOONARRAY_NVRTC=0")
    assert.equal(results_of(expected), results_of(text))
    assert(results_of(text):find("sum\t12\n", 1, true), text)
    assert(count(text, "from the bundle [^\n]*/moonarray/kernels/base%-90%.mab") > 5, text)
    text = run('print(require("moonarray").device())', "MOONARRAY_NVRTC=0 MOONARRAY_DEVICE=")
    assert(text:find("<Device cuda:0>\n", 1, true), text)
    text = run(SOME .. [[
      local report = ma.bundle.report()
      print("report", #report.bundles, report.bundles[1].name:match("[^/]*$"), report.bundles[1].used > 5)
    ]])
    assert(text:find("report\t1\tbase-90.mab\ttrue\n", 1, true), text)
    assert.equal(0, count(text, ": compiled "), text)
  end)

  it("is found in another folder where Lua looks for modules, but not in the working folder", function()
    install(90, 13000)
    os.execute(("mkdir -p '%s/tree/moonarray'"):format(folder))
    assert(os.rename(folder .. "/moonarray/kernels", folder .. "/tree/moonarray/kernels"))
    local function cpath(pattern)
      return ("MOONARRAY_NVRTC=0 LUA_CPATH='%s/?.so;%s'"):format(folder, pattern)
    end
    local found = "from the bundle " .. folder .. "/tree/moonarray/kernels/base-90.mab"
    local text = run(SOME, cpath(folder .. "/tree/?.so"))
    assert(text:find(found, 1, true), text)
    text = run(SOME, ("MOONARRAY_NVRTC=0 LUA_PATH='./lua/?.lua;./lua/?/init.lua;%s/tree/?.lua'"):format(folder))
    assert(text:find(found, 1, true), text)
    local root = file.output("pwd"):gsub("\n", "")
    assert.equal("/", folder:sub(1, 1))
    local from_here = root:gsub("[^/]+", ".."):sub(2) .. folder
    assert.equal(0, count(run(SOME, cpath(from_here .. "/tree/?.so")), "from the bundle"))
    os.execute(("chmod o+w '%s/tree/moonarray/kernels'"):format(folder))
    text = run(SOME, cpath(folder .. "/tree/?.so"))
    assert(count(text, "from the bundle") == 0, text)
    assert.equal(1, count(text, "moonarray: the bundle [^\n]* is not trusted: others can write "), text)
    os.execute(("chmod o-w '%s/tree/moonarray/kernels'"):format(folder))
    assert(os.rename(folder .. "/tree/moonarray/kernels", folder .. "/moonarray/kernels"))
  end)

  it("is asked after the cache", function()
    install(90, 13000)
    assert(os.rename(folder .. "/moonarray/kernels", folder .. "/aside"))
    run(SOME)
    assert(os.rename(folder .. "/aside", folder .. "/moonarray/kernels"))
    local text = run(SOME, "", true)
    assert(count(text, "from the bundle") == 0 and count(text, ": compiled ") == 0, text)
  end)

  it("opens the file of the card's own version, and says once that it is damaged", function()
    install(99, 13000)
    local text = run(SOME)
    assert(text:find("/kernels/base-99.mab", 1, true) and not text:find("base-90.mab", 1, true), text)
    file.write(folder .. "/moonarray/kernels/base-99.mab", "damaged")
    text = run(SOME)
    assert(count(text, ": compiled ") > 5, text)
    assert.equal(1, count(text, "moonarray: [^\n]*base%-99%.mab[^\n]*"), text)
    os.remove(folder .. "/moonarray/kernels/base-99.mab")
  end)

  -- The worker opens NVRTC for a fused expression, whose operations the set serves meanwhile.
  it("does not wait while NVRTC is opened", function()
    local program = [[
      local ma = require "moonarray"
      local x, y, longest = ma.ones({ 50 }, "float32"), ma.ones({ 50 }, "float32"), 0
      for k = 1, 8 do
        local start, sum = ma.time(), x * 3
        for _ = 1, FUSED and k or 0 do sum = sum + ma.sqrt(x) end
        ma.eval(sum, FUSED and sum or ma.sqrt(x), FUSED and sum or x + y)
        longest = math.max(longest, ma.time() - start)
        while ma.time() - start < 0.03 do end                        -- the worker begins meanwhile
      end
      print("longest", longest)
    ]]
    install(99, 13000, 0, "FUSED = false\n" .. program)
    local text = run("FUSED = true\n" .. program, "PRETEND_OPEN_MS=4000")
    assert(count(text, "from the bundle") >= 3, text)
    assert(tonumber(text:match("longest\t([%d.]+)")) < 2, text)
    os.remove(folder .. "/moonarray/kernels/base-99.mab")
  end)

  it("is measured by bench/first.lua, which needs a GPU", function()
    os.execute(("rm -f '%s'/moonarray/kernels/*"):format(folder))
    local command = ("MOONARRAY_CACHE_DIR= PRETEND_IDLE=1 %s %%s '%s' bench/first.lua 'x [+] y' 2>&1"):format(
      place.environment, luajit)
    local ok, text = file.run(command:format(gpu.libraries))
    assert(ok, text)
    for title, kernels in pairs { empty = "1 compiled, 0 from bundles, 0", warm = "0 compiled, 0 from bundles, 1" } do
      assert(text:find(title .. " cache: 1 calls, [%d.]+ s\n.-\n  kernels: " .. kernels .. " from the cache"), text)
    end
    ok, text = file.run(command:format("LD_LIBRARY_PATH= CUDA_VISIBLE_DEVICES="))
    assert(not ok and text:find("bench/first.lua measures a GPU, and there is none here", 1, true), text)
  end)

  it("lacks for an NVRTC of another major version than its maker's what that computes otherwise", function()
    -- by the rows of the table: NVRTC 12 and 13 have other constants for the sine of float64, not for that of float32
    local function bit_of(name)
      local row = 0
      for found in file.read("src/cuda/driver/mathematics.def"):gmatch("\nMATHEMATICS%((%w+)") do
        if found == name then return 2 ^ row end
        row = row + 1
      end
    end
    install(90, 12080)
    local text = run(SOME)
    assert(count(text, ": compiled ") == 0 and count(text, "from the bundle") > 5, text)
    install(90, 12080, bit_of "sinf")
    assert.equal(0, count(run(SOME), ": compiled "))
    install(90, 12080, bit_of "sinf" + bit_of "sin")
    text = run(SOME)
    assert(count(text, ": compiled ") > 5 and count(text, "from the bundle") == 0, text)
    install(90, 13000, bit_of "sin")
    assert.equal(0, count(run(SOME), ": compiled "))
    install(90, 12080, bit_of "sin")
    text = run(SOME, "MOONARRAY_NVRTC=0")
    assert(results_of(text):find("sum\t12\n", 1, true), text)
  end)
end)
