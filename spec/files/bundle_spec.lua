-- Bundles: what a program asks for is recorded, compiled without a GPU, and found by the next process, on the pretended
-- GPU (docs/debugging.md). spec/unit/bundle.c has the format and damaged files.

local bit = require "bit"
local file = require "spec.file"
local ma = require("spec.helper").ma

local run = file.output

local LUA = os.getenv("LUAJIT") or "luajit"
local folder

local function path(name) return folder .. "/" .. name end

--- What a program prints on the pretended GPU, with the cache that the process before it left.
local function next_process(chunk, bundle, variables)
  file.write(path("script.lua"), chunk)
  return run((variables or "") .. (" CUDA_PATH= LD_LIBRARY_PATH=build/pretend MOONARRAY_DEVICE=cuda "
    .. "MOONARRAY_CACHE_DIR='%s' MOONARRAY_TRACE=jit MOONARRAY_BUNDLE='%s' timeout 300 %s '%s' 2>&1; echo code $?")
    :format(path("cache"), bundle or "", LUA, path("script.lua")))
end

--- The same with an empty cache.
local function process(...)
  run(("rm -rf '%s'"):format(path("cache")))
  return next_process(...)
end

local PROGRAM = [[
  local ma = require "moonarray"
  local x = ma.arange(1000, "float32")
  print("sum", ((x * 2 + 1) ^ 2):sum():item())
  local k = ma.RawKernel('extern "C" __global__ void f(float *x) { x[threadIdx.x] += 1; }', "f")
  k({ 1 }, { 32 }, { x })
  print("first", x[1])
]]

--- An archive of one member, which is stored.
local function archive(name, bytes)
  local crc = bit.bnot(0)
  for k = 1, #bytes do
    crc = bit.bxor(crc, bytes:byte(k))
    for _ = 1, 8 do crc = bit.bxor(bit.rshift(crc, 1), bit.band(0xedb88320, -bit.band(crc, 1))) end
  end
  local function little(value, n)
    local digits = {}
    for k = 1, n do digits[k], value = string.char(value % 256), math.floor(value / 256) end
    return table.concat(digits)
  end
  local about = little(0, 6) .. little(bit.bnot(crc) % 2 ^ 32, 4) .. little(#bytes, 4) .. little(#bytes, 4)
    .. little(#name, 2) .. little(0, 2)
  local member = "PK\3\4" .. little(20, 2) .. little(0, 2) .. about .. name .. bytes
  local entry = "PK\1\2" .. little(20, 2) .. little(20, 2) .. little(0, 2) .. about .. little(0, 14) .. name
  return member .. entry .. "PK\5\6" .. little(0, 4) .. little(1, 2) .. little(1, 2) .. little(#entry, 4)
    .. little(#member, 4) .. little(0, 2)
end

local function count(text, pattern) return select(2, text:gsub(pattern, "")) end

describe("a bundle", function()
  local recorded, built
  if not require("spec.helper").compiles then return pending "is made by NVRTC" end
  if run("ls build/pretend/libnvrtc.so.13 2>/dev/null") == "" then
    pending("is read on the pretended GPU, which make pretend builds")
    return
  end

  setup(function()
    folder = run("mktemp -d"):gsub("\n", "")
    recorded = process(PROGRAM, "record:" .. path("game.rec"))
    built = process(([[
      local ma = require "moonarray"
      local cubins = ma.bundle.build(%q, %q, { targets = { 99, 80 }, ptx = false })
      local ptx = ma.bundle.build(%q, %q, { targets = {}, ptx = 75 })
      print("built", cubins.kernels, cubins.images, #cubins.failed, ptx.images, #ptx.failed)
    ]]):format(path("game.rec"), path("cubins.mab"), path("game.rec"), path("ptx.mab")))
  end)
  teardown(function() os.execute(("rm -r '%s'"):format(folder)) end)

  it("is built of what a program asked for", function()
    assert(recorded:find("sum\t1333", 1, true) and recorded:find("code 0"), recorded)
    local kernels, images, failed, ptx, failed_ptx = built:match("built\t(%d+)\t(%d+)\t(%d+)\t(%d+)\t(%d+)")
    assert(kernels, built)
    assert(tonumber(kernels) > count(recorded, ": compiled "))          -- row programs for all kinds of cards
    assert.equal("0", failed)
    assert.equal("0", failed_ptx)
    assert(tonumber(images) > count(recorded, ": compiled ") and tonumber(ptx) > 0)
    local text = file.read(path("game.rec"))
    assert(text:find("script.lua:3\n", 1, true) and text:find("script.lua:5\n", 1, true))
  end)

  it("spares the next process the compiler", function()
    local text = process(PROGRAM, path("cubins.mab"))
    assert.equal(0, count(text, ": compiled "), text)
    assert.equal(0, count(text, "NVRTC"), text)
    assert.equal(recorded:match("sum\t%S+"), text:match("sum\t%S+"))
    assert.equal(recorded:match("first\t%S+"), text:match("first\t%S+"))
  end)

  it("is enough where there is no NVRTC", function()
    local arrays = PROGRAM:match("^.-print[^\n]*\n")
    local text = process(arrays, path("cubins.mab"), "MOONARRAY_NVRTC=0")
    assert.equal(recorded:match("sum\t%S+"), text:match("sum\t%S+"), text)
    text = process(arrays, "", "MOONARRAY_NVRTC=0")
    assert(text:find("MOONARRAY_BUNDLE=record:FILE", 1, true) and text:find("code 0", 1, true), text)
    assert.equal(recorded:match("sum\t%S+"), text:match("sum\t%S+"), text)          -- on the CPU
  end)

  it("has PTX that the driver finishes, and the cache keeps what it made", function()
    local text = process(PROGRAM, path("ptx.mab"))
    assert.equal(0, count(text, ": compiled "), text)
    assert.equal(recorded:match("sum\t%S+"), text:match("sum\t%S+"))
    assert(count(text, "from the bundle") > 0, text)
    local second = next_process(PROGRAM, path("ptx.mab"))
    assert.equal(0, count(second, ": compiled "), second)
    assert.equal(0, count(second, "from the bundle"), second)            -- the driver finishes PTX once
    assert.equal(recorded:match("sum\t%S+"), second:match("sum\t%S+"))
  end)

  it("is added by the program, as a file or as a Data", function()
    local text = process(([[
      local ma = require "moonarray"
      ma.bundle.load(%q)
      ma.bundle.load(%q)
      print("bundles", #ma.bundle.report().bundles)
      ma.arange(1000, "float32")
      local report = ma.bundle.report()
      print("used", report.bundles[1].name:match("[^/]*$"), report.bundles[1].used > 0, #report.refused)
      print(pcall(ma.bundle.load, 7))
    ]]):format(path("cubins.mab"), path("cubins.mab")))
    assert(text:find("bundles\t1", 1, true), text)
    assert(text:find("used\tcubins.mab\ttrue\t0", 1, true), text)
    assert(text:find("script.lua:8: moonarray.bundle.load: bundle is a number; wanted", 1, true)
      or text:find("moonarray.bundle.load: bundle is the number 7; wanted", 1, true), text)
  end)

  it("is found in the archive of a game of LÖVE, and among its files", function()
    run(("cd '%s'; mkdir saves opens; cp cubins.mab saves/saved.mab; cp ptx.mab opens/open.mab; chmod 666 opens/*")
      :format(folder))
    local text = process(([[
      local function read(path)
        local file = assert(io.open(path, "rb"))
        local bytes = file:read "*a"
        file:close()
        return bytes
      end
      local archive = { ["moonarray/kernels.mab"] = read %q, ["moonarray/bad.mab"] = "no bundle",
        ["moonarray/init.lua"] = "", ["more.mab"] = read %q }
      local outside = { ["saved.mab"] = %q, ["open.mab"] = %q }
      local fs = {}
      function fs.getInfo(path) return (archive[path] or outside[path]) and { type = "file" } end
      function fs.getRealDirectory(path) return outside[path] or "/nowhere/game.love" end
      function fs.getSourceBaseDirectory() return "/nowhere" end
      function fs.read(path) return archive[path] end
      function fs.getDirectoryItems(folder)
        local names = {}
        for path in pairs(archive) do names[#names + 1] = path:match("^" .. folder .. "/(.*)") end
        return names
      end
      love = { filesystem = fs }
      local ma = require "moonarray"
      print("last", ma.arange(1000, "float32")[-1])
      local report = ma.bundle.report()
      print("found", #report.bundles, report.bundles[1].name, report.bundles[1].used > 0, report.refused[1])
      ma.bundle.load("more.mab")
      ma.bundle.load("saved.mab")
      ma.bundle.load(%q)
      report = ma.bundle.report()
      print("all", #report.bundles, report.bundles[1].name, report.bundles[2].name, report.bundles[3].name)
      print(pcall(ma.bundle.load, "open.mab"))
    ]]):format(path("cubins.mab"), path("ptx.mab"), path("saves"), path("opens"), path("ptx.mab")), "",
      "MOONARRAY_NVRTC=0")
    assert(text:find("last\t999\n", 1, true), text)
    assert(text:find("found\t1\t/nowhere/game.love/moonarray/kernels.mab\ttrue\t"
      .. "/nowhere/game.love/moonarray/bad.mab is no bundle: it is too short\n", 1, true), text)
    assert(text:find(("all\t4\t%s\t%s/saved.mab\t/nowhere/game.love/more.mab\n"):format(path("ptx.mab"),
      path("saves")), 1, true), text)
    assert(text:find("false\t[^\n]*bundle.load: the bundle [^\n]*/opens/open.mab is not trusted: others can write"),
      text)
  end)

  it("is opened in a game's archive when a kernel is sought, if it is the floor set", function()
    local program = ([[
      love = { filesystem = {
        getInfo = function() end,
        getRealDirectory = function() return %q end,
        getSourceBaseDirectory = function() return "/nowhere" end,
        getDirectoryItems = function(folder) return { folder == "moonarray/kernels" and "floor.mab" or nil } end,
      } }
      local ma = require "moonarray"
      local before = #ma.bundle.report().bundles
      print("last", ma.arange(1000, "float32")[-1])
      local report = ma.bundle.report()
      print("floor", before, #report.bundles, report.bundles[1] and report.bundles[1].name, report.refused[1])
    ]]):format(path("game.love"))
    local bytes = archive("moonarray/kernels/floor.mab", file.read(path("ptx.mab")))
    local name = path("game.love/moonarray/kernels/floor.mab")
    file.write(path("game.love"), bytes)
    local text = process(program, "", "MOONARRAY_NVRTC=0")
    assert(text:find("sequence: from the bundle " .. name, 1, true), text)
    assert(text:find("last\t999\nfloor\t0\t1\t" .. name .. "\tnil\n", 1, true), text)
    file.write(path("game.love"), "a program in front" .. bytes)
    text = process(program, "", "MOONARRAY_NVRTC=0")
    assert(text:find("floor\t0\t1\t" .. name .. "\tnil\n", 1, true), text)
    file.write(path("game.love"), (bytes:gsub("MABUNDLE", "MABUNGLE", 1)))
    text = process(program, "", "MOONARRAY_NVRTC=0")
    assert(text:find("moonarray: the archive [^\n]*game.love: the checksum of the member '[^\n]*floor.mab' is wrong"),
      text)
    assert(text:find("last\t999\nfloor\t0\t0\tnil\tthe archive ", 1, true), text)
  end)

  it("stands in for a copy whose images are damaged", function()
    local bytes = file.read(path("cubins.mab"))
    local images = 56 + 88 * (bytes:byte(13) + 256 * bytes:byte(14))                -- header and index
    file.write(path("broken.mab"), bytes:sub(1, images) .. ("\255"):rep(#bytes - images))
    run(("chmod 600 '%s'"):format(path("broken.mab")))
    local text = process(([[
      local ma = require "moonarray"
      ma.bundle.load(%q)
      print("last", ma.arange(1000, "float32")[-1], #ma.bundle.report().bundles)
    ]]):format(path("cubins.mab")), path("broken.mab"), "MOONARRAY_NVRTC=0")
    assert(text:find("last\t999\t2\n"), text)
  end)

  it("is found beside the module, and not in the working folder", function()
    local module = (os.getenv("MODULE_DIR") or ".") .. "/moonarray/core.so"
    run(("cd '%s'; mkdir -p module/moonarray work; cp cubins.mab module/moonarray; cp cubins.mab work/other.mab")
      :format(folder))
    run(("cp '%s' '%s/module/moonarray'"):format(module, folder))
    file.write(path("beside.lua"), [[
      for _, bundle in ipairs(require("moonarray").bundle.report().bundles) do print(bundle.name) end
    ]])
    local text = run(("root=$(pwd); cd '%s/work' && LUA_PATH=\"$root/lua/?.lua;$root/lua/?/init.lua;;\" "
      .. "LUA_CPATH='../module/?.so' %s ../beside.lua 2>&1"):format(folder, LUA))
    assert.equal(folder .. "/module/moonarray/cubins.mab\n", text)
  end)

  it("is refused where others can write it", function()
    run(("cp '%s' '%s'; chmod 666 '%s'"):format(path("cubins.mab"), path("open.mab"), path("open.mab")))
    local text = process([[
      local ma = require "moonarray"
      print(ma.bundle.report().refused[1], #ma.bundle.report().bundles)
    ]], path("open.mab"))
    assert.equal(2, count(text, "open%.mab is not trusted: others can write"), text)
    assert(text:find("\t0\n", 1, true), text)
    text = process(([[print(pcall(require("moonarray").bundle.load, %q))]]):format(path("open.mab")))
    assert(text:find("false\t.-moonarray.bundle.load: the bundle .- is not trusted: others can write"), text)
  end)

  it("is no bundle by another name, and a file that is recorded is none", function()
    local chunk = 'print(#require("moonarray").bundle.report().refused)'
    local text = process(chunk, "kernels.bin")
    assert(text:find("moonarray: MOONARRAY_BUNDLE is kernels.bin; wanted record:FILE, check, check:FILE, or a "
      .. "file, which ends in .mab\n1\n", 1, true), text)
    text = process(chunk, "record:" .. path("new.mab"))
    assert.equal("0\ncode 0\n", text)
  end)

  it("is not built of a damaged record, and leaves no file open", function()
    local core = require "moonarray.core"
    local compile = core.bundle_compile
    local good = file.read(path("game.rec"))
    local records = { (good:gsub("kernel\n8:sequence\n1:0", "kernel\n8:sequence\n1:x")),
      (good:gsub("\n1:%-\n", "\n1:x\n", 1)), (good:gsub("\n1:%-\n", "\n1:9\n", 1)), good:sub(1, -3), "kernel\n", "x" }
    collectgarbage("stop")                               -- files are closed without it
    for k, record in ipairs(records) do
      file.write(path("bad.rec"), record)
      local ok, message = pcall(ma.bundle.build, path("bad.rec"), path("bad.mab"))
      assert(not ok and message:find("bundle_spec.lua:%d+: moonarray.bundle.build: .-bad.rec is damaged at byte %d+; "
        .. "wanted what MOONARRAY_BUNDLE=record:FILE writes"), k .. ": " .. tostring(message))
    end
    core.bundle_compile = function() return {} end
    local compiled, reason = pcall(ma.bundle.build, path("game.rec"), path("bad.mab"))
    core.bundle_compile = compile
    local open = run(("ls -l /proc/$PPID/fd | grep -c '%s'; ls '%s' | grep bad"):format(folder, folder))
    collectgarbage("restart")
    assert(not compiled and reason:find("an image without its image", 1, true), reason)
    assert.equal("0\nbad.rec\n", open)
    local ok, message = pcall(ma.bundle.build, folder, path("bad.mab"))
    assert(not ok and message:find("moonarray.bundle.build: " .. folder .. ": ", 1, true), message)
  end)

  -- old and new have copies of the pretended NVRTC, which say by their names that they are other versions. They are
  -- made once: this process keeps the libraries that it opened, and must not see their files change.
  local function make_compilers()
    if run(("ls '%s/old' 2>/dev/null"):format(folder)) ~= "" then return end
    run(("mkdir -p '%s/old/lib64' '%s/new'; cp build/pretend/libnvrtc.so.13 '%s/old/lib64/libnvrtc.so.11.2'; "
      .. "cp build/pretend/libnvrtc.so.13 '%s/new/libnvrtc.so.12'"):format(folder, folder, folder, folder))
  end

  it("is compiled for each target by the oldest NVRTC that knows it", function()
    make_compilers()
    local parts = { "kernel\n" }
    for _, part in ipairs { "f", "0", "", 'extern "C" __global__ void f() {}', "", "0", "-" } do
      parts[#parts + 1] = #part .. ":" .. part .. "\n"
    end
    file.write(path("small.rec"), table.concat(parts))
    local function build(nvrtc, targets)
      local core = require "moonarray.core"
      local calls = core.bundle_calls
      core.bundle_calls = function() return 5 end
      local made = ma.bundle.build(path("small.rec"), path("small.mab"), { targets = targets, nvrtc = nvrtc })
      core.bundle_calls = calls
      local bytes, makers = file.read(path("small.mab")), {}
      for k = 0, made.images - 1 do                      -- an entry: the architecture at byte 40, the maker at 48
        local function number(at)
          local low, high = bytes:byte(56 + 88 * k + at + 1, 56 + 88 * k + at + 2)
          return low + 256 * high
        end
        assert.equal(number(44) == 0 and 0 or 5, number(80))   -- functions of mathematics, of cubins
        makers[#makers + 1] = ("%d%s: %d"):format(number(40), number(44) == 0 and " PTX" or "", number(48))
      end
      return table.concat(makers, ", "), made.failed
    end
    local pretended, new, old = "build/pretend/libnvrtc.so.13", path("new/libnvrtc.so.12"), path("old")
    local makers, failed = build({ pretended, new, old }, { 75, 90, 99, 120 })
    assert.equal("75 PTX: 11080, 75: 11080, 90: 11080, 99: 13000, 120: 12080", makers)
    assert.same({}, failed)
    makers, failed = build({ old }, { 120, 80 })
    assert.equal("75 PTX: 11080, 80: 11080", makers)
    assert.same({ "f for 120, asked for at an unknown line: no NVRTC that was named compiles for compute capability "
      .. "12.0" }, failed)
    local function refused(nvrtc)
      local ok, message = pcall(build, nvrtc)
      assert(not ok)
      return message
    end
    assert.matches("bundle_spec.lua:%d+: moonarray.bundle.build: nvrtc%[2%] is the number 7; wanted the file of an "
      .. "NVRTC", refused { old, 7 })
    assert.matches("moonarray.bundle.build: nvrtc is the string 'x'; wanted a list", refused "x")
    assert.matches("moonarray.bundle.build: NVRTC %(/nowhere%) cannot be opened: ", refused { "/nowhere" })
  end)

  it("is built in little memory, however long the record is", function()
    file.write(path("long.lua"), ([[
      local core = require "moonarray.core"
      local build = require("moonarray").bundle.build
      local function most()          -- MB that the process has held at once
        for line in io.lines("/proc/self/status") do
          local kilobytes = line:match "^VmHWM:%%s*(%%d+)"
          if kilobytes then return kilobytes / 1024 end
        end
      end
      local record, body = io.open(%q, "wb"), ("x"):rep(250000)
      for k = 1, 400 do
        record:write("kernel\n")
        for _, part in ipairs { "f", "0", "a.lua:1", k .. body, "", "0", "-" } do
          record:write(#part, ":", part, "\n")
        end
      end
      record:close()
      core.bundle_compile = function(text, _, arch) return text:sub(1, 10000) .. arch, 13000 end
      core.bundle_calls = function() return 0 end
      local before = most()
      local built = build(%q, %q, { targets = { 75, 90 }, ptx = false })
      print("images", built.kernels, built.images, most() - before < 32 or most() - before)
    ]]):format(path("long.rec"), path("long.rec"), path("long.mab")))
    local text = run(("MOONARRAY_DEVICE=cpu %s '%s' 2>&1"):format(LUA, path("long.lua")))
    assert.equal("images\t400\t800\ttrue\n", text)
    run(("rm '%s'"):format(path("long.rec")))
  end)

  -- make kernels
  it("of a set is made anew where another NVRTC compiles", function()
    make_compilers()
    local function compiler(named, arguments)
      return run(("NVRTC='%s' CUDA_PATH= LD_LIBRARY_PATH=build/pretend MOONARRAY_DEVICE=cpu '%s' "
        .. "scripts/kernels/compiler.lua %s 2>&1"):format(named, LUA, arguments or ""))
    end
    local both = ("%s:%s"):format(path("new/libnvrtc.so.12"), path("old"))
    assert.equal("kernels: the floor set is PTX of NVRTC 11.8, for drivers of this CUDA version and later ones\n",
      compiler(both))
    assert.matches("PTX of NVRTC 12%.8, .*; NVRTC=FOLDER with a CUDA 11%.8 makes it for all\n$",
      compiler(path("new/libnvrtc.so.12")))
    assert.matches("^kernels: no floor set is compiled here: NVRTC %(/nowhere%) cannot be opened", compiler("/nowhere"))
    local note = path("nvrtc")
    compiler(both, note .. " 90 120")
    assert.equal("floor 11080\n90 11080\n120 12080\n", file.read(note))
    run(("touch -d '2001-02-03' '%s'"):format(note))
    compiler(both, note .. " 90 120")
    assert.equal("2001", run(("date -r '%s' +%%Y"):format(note)):sub(1, 4))
    compiler(path("new/libnvrtc.so.12"), note .. " 90 120")
    assert.equal("floor 12080\n90 12080\n120 12080\n", file.read(note))
    for _, set in ipairs { "BASE", "FLOOR" } do
      assert(file.read("Makefile"):find("\n%$%(" .. set .. "%): [^\n]*%$%(KERNELS_NVRTC%)"), set)
    end
  end)

  it("has kernels of many options and names", function()
    local text = process([[
      local core = require "moonarray.core"
      local options, names = {}, {}
      for k = 1, 100 do options[k], names[k] = ("-DA%d=%d"):format(k, k), ("f<%d>"):format(k) end
      local text = "template<int N> __global__ void f(int *x) { x[0] = N + A100; }"
      local image = core.bundle_compile(text, "f", 80, false, { false, options, names })
      local list = image:sub(-4):byte(1, 1) + 256 * image:sub(-3):byte(1, 1)
      print("names", select(2, image:sub(-4 - list, -5):gsub("%z", "")))
    ]])
    assert(text:find("names\t100\n", 1, true), text)
  end)

  it("is checked: what the program asks for and a player lacks is listed, and the process ends with 1", function()
    local with_library = PROGRAM .. "  pcall(ma.linalg.qr, ma.eye(4))\n  pcall(ma.linalg.qr, ma.eye(4))\n"
    local text = process(PROGRAM, "check:" .. path("cubins.mab"))
    local bundle = path("cubins.mab"):gsub("%p", "%%%0")
    local there = "\n  there    %s for 9.9, asked for at [^\n]*script.lua:%d: the bundle, "
    assert(text:find(there:format("sequence", 2) .. bundle .. "\n"), text)
    assert(text:find(there:format("f", 5) .. bundle .. "\n"), text)
    assert(text:find("nothing would be missing on machines like this one\ncode 0", 1, true), text)
    assert.equal(recorded:match("sum\t%S+"), text:match("sum\t%S+"))
    text = process(with_library, "check:" .. path("ptx.mab"))
    assert(text:find("\n  there    f for 9.9, [^\n]*: PTX of the bundle, "), text)
    assert(text:find("\n  missing  cuBLAS, asked for at [^\n]*script.lua:7: a library of NVIDIA's\n"), text)
    assert(text:find("would be missing at a player's\ncode 1", 1, true), text)
    assert.equal(1, count(text, "\n  missing  cuBLAS"))
  end)

  it("is checked against what the author's machine has beyond a player's", function()
    local text = process(PROGRAM, "check")
    assert(text:find("\n  missing  f for 9.9, asked for at [^\n]*script.lua:5: NVRTC, [^\n]*libnvrtc.so.13\n"), text)
    assert(text:find("would be missing at a player's\ncode 1", 1, true), text)
    text = next_process(PROGRAM, "check")
    assert(text:find("\n  missing  f for 9.9, asked for at [^\n]*script.lua:5: the cache, "), text)
    assert(text:find("MOONARRAY_BUNDLE=check: (%d+) of %1 would be missing at a player's\ncode 1"), text)
    text = next_process(PROGRAM, "check:" .. path("ptx.mab"))           -- what a player has is asked before the cache
    assert(count(text, "\n  missing ") == 0 and text:find("code 0", 1, true), text)
    text = process('require("moonarray").show_config()', "check")        -- looks at libraries, and needs none
    assert(text:find("nothing was asked for; did the program run on a GPU, or kernels of its own?\ncode 0", 1, true),
      text)
    text = process('print(#require("moonarray").bundle.report().refused)', "check:kernels.bin")
    assert(text:find("moonarray: MOONARRAY_BUNDLE is check:kernels.bin; wanted record:FILE, check, check:FILE, or a "
      .. "file, which ends in .mab\n1\n", 1, true), text)
  end)

  it("has the lines of coroutines in its record", function()
    local text = process([[
      local ma = require "moonarray"
      local x
      local outer = coroutine.create(function()
        x = ma.arange(1000, "float32")
        local inner = coroutine.wrap(function()
          coroutine.yield()
          pcall(function()
            x:sort()
          end)
        end)
        inner()
        inner()
        coroutine.yield()
        return x:astype("int32"):sum():item()
      end)
      coroutine.resume(outer)
      pcall(ma.sum, outer)
      ma.cumsum(x)
      coroutine.resume(outer)
      print("ends", coroutine.status(outer))
    ]], "record:" .. path("coroutines.rec"), "PRETEND_IDLE=1")
    assert(text:find("ends\tdead\n", 1, true), text)
    local record = file.read(path("coroutines.rec"))
    for family, line in pairs { sequence = 4, sort_rows = 8, scan = 18, map = 14 } do
      local place = record:match(("\n%d:%s\n%%d+:%%d+\n%%d+:[^\n]*script.lua:(%%d+)\n"):format(#family, family))
      assert(tonumber(place) == line, family .. " at " .. tostring(place))
    end
  end)

  it("passes over an image that the driver refuses", function()
    local text = process(([[
      local core = require "moonarray.core"
      local ma = require "moonarray"
      local handle = io.open(%q, "rb")
      local key = handle:read("*a"):match("kernel\n8:sequence\n1:0\n%%d+:[^\n]*\n%%d+:(.-)\n0:\n1:0\n1:%%-\n")
      handle:close()
      local writer = core.bundle_begin(%q, 1)
      core.bundle_put(writer, { family = "sequence", key = key, image = "no image at all", arch = 99 })
      core.bundle_end(writer)
      ma.bundle.load(%q)
      print("last", ma.arange(1000, "float32")[-1])
    ]]):format(path("game.rec"), path("bad.mab"), path("bad.mab")))
    assert(text:find("sequence: the image of the bundle .- for compute capability 9.9 was refused: "), text)
    assert(text:find("last\t999\n"), text)
  end)
end)
