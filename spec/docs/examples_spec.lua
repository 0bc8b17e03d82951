-- The programs in examples/ run on the device under test and print what they promise.

local helper = require "spec.helper"
local ma = helper.ma

--- What a program prints, in this process, with these arguments; and what it requires from its own folder prints too.
local function run(path, ...)
  local out, before, print_before, path_before = {}, rawget(_G, "arg"), print, package.path
  local environment = setmetatable({ arg = { ... } }, { __index = _G })
  local function record(...)
    local parts = {}
    for k = 1, select("#", ...) do parts[k] = tostring((select(k, ...))) end
    out[#out + 1] = table.concat(parts, "\t")
  end
  rawset(_G, "print", record)
  local ok, message = pcall(setfenv(assert(loadfile(path)), environment))
  rawset(_G, "print", print_before)
  package.path = path_before
  rawset(_G, "arg", before)
  assert(ok, message)
  return table.concat(out, "\n")
end

--- Whether this works here; what it says about a library that is not there makes the test pending.
local function works(f)
  local ok, why = pcall(f)
  if ok then return true end
  assert(tostring(why):find("found;", 1, true) or tostring(why):find("that device has none", 1, true), why)
  pending(why)
end

local function svd() return ma.linalg.svd(ma.ones { 2, 2 }) end
local function product() return ma.matmul(ma.ones { 2, 2 }, ma.ones { 2, 2 }) end

describe("examples", function()
  it("multiply matrices through shared memory", function()
    assert.matches("^50 x 50 on " .. helper.device .. ": largest relative error", run("examples/matmul.lua", "50"))
  end)

  it("integrate over ranks", function()
    assert.matches("^0%.1735%d+ %+%- 6e%-05, exactly 0%.17350422", run("examples/distributed_sum.lua"))
  end)

  it("spread heat over a plate whose rows ranks have", function()
    local text = run("examples/distributed_heat.lua", "64", "30")
    assert.matches("^64 x 64 on 1 ranks, device " .. helper.device, text)
    assert.matches("heat before (%d+)%.%d+, after %1%.", text)
    assert.matches("the bits of one rank", text)
  end)

  it("train a network with the gradients of all ranks", function()
    if not works(product) then return end
    local text = run("examples/distributed_train.lua", "300", "100")
    assert.matches("step    1: loss 0%.[67].*step  100: loss 0%.[0-4]", text)
    assert.matches("all ranks have the same weights", text)
  end)

  it("find where a plate was hot", function()
    local path = os.tmpname()
    local text = run("examples/inverse_heat.lua", "20", "6", path .. ".png")
    assert.matches("^20 x 20, 6 steps, on " .. helper.device, text)
    local before, after = text:match("search   0: .- ([%d.]+) from the truth"), text:match(".* ([%d.]+) from the truth")
    assert(tonumber(after) < 0.7 * tonumber(before), text)
    assert.same({ 100, 320, 4 }, { ma.image.read(path .. ".png"):dims() })
    os.remove(path)
    os.remove(path .. ".png")
  end)

  it("train a net that reads digits", function()
    if not works(product) then return end
    local path = os.tmpname()
    local text = run("examples/train_digits.lua", "100", path .. ".png")
    local first, last = text:match("step    1: loss ([%d.]+)\nstep  100: loss ([%d.]+)")
    assert(tonumber(first) > 2 and tonumber(last) < 0.5, text)
    assert(tonumber(text:match("([%d.]+) %% of the test are read right")) > 90, text)
    assert.same({ 180, 576, 3 }, { ma.image.read(path .. ".png"):dims() })
    os.remove(path)
    os.remove(path .. ".png")
  end)

  it("let particles emit others into lists", function()
    local text = run("examples/sparks.lua", "60")
    assert.matches("^step  25:   80 particles, the highest at 0%.58", text)
    assert.matches("step  60:  %d+ particles", text)
  end)

  it("play the Game of Life", function()
    local path = os.tmpname()
    local text = run("examples/life.lua", "4", path)
    assert.matches("generation 0, 10 alive", text)
    -- After four generations a glider stands one row and one column further.
    local last = text:match("generation 4, %d+ alive\n(.*)")
    local rows = {}
    for row in last:gmatch("[#.]+") do rows[#rows + 1] = row:sub(1, 5) end
    assert.same({ ".....", "..#..", "...#.", ".###.", "....." }, { rows[1], rows[2], rows[3], rows[4], rows[5] })
    local file = assert(io.open(path, "rb"))
    local bytes = file:read("*a")
    file:close()
    os.remove(path)
    assert.equal("P5\n40 16\n255\n", bytes:sub(1, 13))
    assert.equal(13 + 40 * 16, #bytes)
    run("examples/life.lua", "2", path .. ".gif")
    file = assert(io.open(path .. ".gif", "rb"))
    bytes = file:read("*a")
    file:close()
    os.remove(path .. ".gif")
    assert.equal("GIF89a\64\1\128\0", bytes:sub(1, 10))         -- 320 x 128
    assert.equal(3, select(2, bytes:gsub("\33\249\4", "")))
  end)

  it("fight over an engine's structs", function()
    local text = run("examples/units.lua")
    assert.matches("^400 structs of 32 bytes on " .. helper.device .. ", 60 steps: 80 and 80 stand", text)
    assert.matches("the weakest has %-1 points at %(7%.3, 0%.0%)", text)
    assert.matches("the engine counts 160$", text)
  end)

  it("move planets by vectors", function()
    local text = run("examples/orbits.lua", "100")
    assert.matches("energy %-2%.529120879, and %-2%.5291208%d%d after 100 steps", text)
    assert.matches("distances%s+%[0%.5 +0%.875 1%.25 +1%.625 2%. +%]", text)
  end)

  it("let water fall, with the same bits twice and on both devices", function()
    local text = run("examples/sph.lua", "200", "400")
    assert.matches("^200 particles in a tank on " .. helper.device, text)
    assert.matches("\n    0    0%.000 +0%.9%d+ +0%.00000 +0%.2%d+ +0%.00000 +0%.2%d+", text)
    assert.matches("\n  400    0%.707 +0%.9%d+ +0%.0[67]%d+ +0%.1[67]%d+ +0%.000%d*[1-9]%d* +0%.2[34]%d+", text)
    assert.matches("at most 1%.0%d+ times as dense, [1-9]%.%d %% of the energy went into friction", text)
    assert.matches("the same bits in a second run" .. (helper.device == "cpu" and "$" or ", and on the CPU$"), text)
  end)

  it("overlap copies and kernels", function()
    local text = run("examples/overlap.lua", "40000", "8")
    assert.matches("^8 chunks of 5000 float32 on " .. helper.device, text)
    assert.matches("three streams +[%d.]+ ms +[%d.]+ times as fast$", text)
  end)

  it("time block sizes by events", function()
    local text = run("examples/block_sizes.lua", "10000")
    assert.matches("^10000 elements on " .. helper.device, text)
    assert.matches("1024 +10 +[%d.]+ +[%d.]+$", text)
    assert(ma)
  end)

  it("step a simulation by a graph", function()
    assert.matches("equal after 22 steps, energy [%d.e+-]+$", run("examples/graph_step.lua", "32", "20"))
  end)

  it("classify digits by principal components", function()
    if not (works(svd) and works(product)) then return end
    local text = run("examples/pca_digits.lua")
    assert.matches("16 components hold 0%.99%d+ of the variance\n500 of 500 right on " .. helper.device .. "$", text)
  end)

  it("compress an image by its singular values", function()
    if not (works(svd) and works(product)) then return end
    local image, out = os.tmpname(), os.tmpname()
    local file = assert(io.open(image, "wb"))
    file:write("P6\n# rows that are multiples of one\n20 12\n255\n")
    for y = 1, 12 do
      for x = 1, 20 do file:write(string.char(10 * y, x * y, 255 - 12 * y)) end
    end
    file:close()
    local text = run("examples/svd_image.lua", image, out, "1", "12")
    assert.matches("^20 x 12, 3 channels, on " .. helper.device, text)
    local errors = {}
    for rank, e in text:gmatch("\n +(%d+) +%d+ +[%d.]+%% +([%d.e+-]+)") do errors[tonumber(rank)] = tonumber(e) end
    assert(errors[1] < 1e-13 and errors[12] < 1e-13, text)
    local png = assert(io.open(out, "rb")):read("*a")
    assert.equal("\137PNG\r\n\26\n\0\0\0\13IHDR\0\0\0\68\0\0\0\12\8\2\0\0\0", png:sub(1, 29))
    assert.same({ 12, 68, 3 }, { ma.image.decode(png):dims() })
    run("examples/svd_image.lua", image, out .. ".ppm", "12")
    local pnm = assert(io.open(out .. ".ppm", "rb")):read("*a")
    assert.equal("P6\n44 12\n255\n\10\1\243\10\2\243", pnm:sub(1, 19))
    for _, path in ipairs { image, out, out .. ".ppm" } do os.remove(path) end
  end)

  it("run simulations with operators that defer and that do not", function()
    local path = os.tmpname()
    for name, n in pairs { heat = 24, reaction_diffusion = 24, nbody = 20 } do
      local text = run("examples/" .. name .. ".lua", tostring(n), "14", path .. ".png")
      assert.matches(", n = " .. n .. ", on " .. helper.device .. ", 14 steps\n", text)
      assert.matches("\nequal bits; [%d.]+ times as fast deferred\nsee ", text)
      local at_once, deferred = tonumber(text:match("\nat once +%S+ +%S+ +(%S+)")),
        tonumber(text:match("\ndeferred +%S+ +%S+ +(%S+)"))
      assert(deferred < at_once or not helper.compiles, text)
    end
    os.remove(path)
    os.remove(path .. ".png")
  end)

  --- The pixels of a PPM picture: (x, y) -> red, green, blue, from 1.
  local function pixels(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    local width, height, data = text:match("^P6\n(%d+) (%d+)\n255\n(.*)$")
    assert.equal(3 * width * height, #data)
    return function(x, y) return data:byte(3 * (width * (y - 1) + x) - 2, 3 * (width * (y - 1) + x)) end
  end

  it("let it rain on a pond, as the README's film shows it", function()
    local path = os.tmpname()
    assert.equal("32 pictures", run("examples/ripples.lua", path .. ".gif"))
    local read = require("spec.file").read
    local made, kept = read(path .. ".gif"), read("docs/pictures/ripples.gif")
    os.remove(path)
    os.remove(path .. ".gif")
    assert.equal(kept:sub(1, 10), made:sub(1, 10))           -- GIF89a and its size; exp may differ by a rounding
    assert(math.abs(#made - #kept) < 0.02 * #kept, #made .. " bytes, and " .. #kept .. " before")
  end)

  it("send waves through two gaps", function()
    local path = os.tmpname()
    local text = run("examples/wave_tank.lua", "128", "147", path .. ".ppm")
    local percent = tonumber(text:match("^128 x 128 on " .. helper.device .. ", 147 steps: ([%d.]+) %%"))
    assert(percent > 4 and percent < 16, text)
    local at = pixels(path .. ".ppm")
    assert.same({ 153, 153, 153 }, { at(64, 20) })           -- the wall
    assert.not_same({ 153, 153, 153 }, { at(64, 51) })       -- a gap
    os.remove(path)
    os.remove(path .. ".ppm")
  end)

  it("let two substances react", function()
    local path = os.tmpname()
    local text = run("examples/gray_scott.lua", "64", "400", path .. ".ppm")
    assert.matches("^64 x 64 on " .. helper.device .. ", 400 steps: ", text)
    local percent = tonumber(text:match("ms a step; ([%d.]+) %% of the plane is covered"))
    assert(percent > 5 and percent < 95, text)
    local at, dark, bright = pixels(path .. ".ppm"), 0, 0
    for y = 1, 64 do
      for x = 1, 64 do
        local _, green = at(x, y)
        if green < 60 then dark = dark + 1 elseif green > 150 then bright = bright + 1 end
      end
    end
    assert(dark > 200 and bright > 200, ("%d dark and %d bright pixels"):format(dark, bright))
    os.remove(path)
    os.remove(path .. ".ppm")
  end)

  it("find objects in a picture", function()
    local path = os.tmpname()
    local text = run("examples/image_pipeline.lua", "-", path .. ".png")
    assert.matches("^300 x 400 on " .. helper.device .. ": 40 objects\nsizes from %d+ to %d+ pixels", text)
    local picture = ma.image.read(path .. ".png")
    assert.same({ 300, 1200, 3 }, { picture:dims() })
    -- Only the overlay has colours.
    local spread = (picture:max(3):astype("int64") - picture:min(3)):max(1)
    assert.equal(0, spread["1:800"]:max():item())
    assert(spread["801:"]:max():item() > 100)
    local again = run("examples/image_pipeline.lua", path .. ".png", nil, "1")
    assert.matches("^300 x 1200 on ", again)
    os.remove(path)
    os.remove(path .. ".png")
  end)

  it("draw plots of every kind", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert.equal(0, os.execute("mkdir " .. folder))
    local names = run("examples/plots.lua", folder)
    local sizes = { plot_axes = { 480, 760, 3 } }
    local count = 0
    for name in names:gmatch("(%S+)%.png") do
      local image = ma.image.read(folder .. "/" .. name .. ".png"):get()
      assert.same(sizes[name] or { 400, 560, 3 }, { image:dims() })
      -- White around, and ink of several colours within.
      assert.equal(255, image["1:3"]:min():item(), name)
      local rgb = image:astype("int64")
      local codes = rgb[":, :, 1"] * 65536 + rgb[":, :, 2"] * 256 + rgb[":, :, 3"]
      assert(ma.unique(codes).size > 40, name)
      count = count + 1
    end
    assert.equal(7, count)
    local file = assert(io.open(folder .. "/plot_drum.gif", "rb"))
    local bytes = file:read("*a")
    file:close()
    assert.equal("GIF89a", bytes:sub(1, 6))
    assert.equal(24, select(2, bytes:gsub("\33\249\4\4\6", "")))
    assert.equal(0, os.execute("rm -r " .. folder))
    assert.matches("A wave packet.-└", run("examples/plots.lua"))
  end)

  it("show which frequencies a sound has when", function()
    if not works(function() return ma.fft.rfft(ma.ones(8)) end) then return end
    local path = os.tmpname()
    local text = run("examples/spectrogram.lua", "4", path .. ".png")
    assert.matches("^32000 samples on " .. helper.device .. ": 257 frequencies at 247 times", text)
    local found, wanted = text:match("the chirp is at (%d+) Hz after [%d.]+ s; it should be at (%d+)")
    assert(math.abs(found - wanted) < 16, text)
    assert.same({ 400, 720, 3 }, { ma.image.read(path .. ".png"):dims() })
    os.remove(path)
    os.remove(path .. ".png")
  end)

  it("print a table of matrix products", function()
    if not works(product) then return end
    local text, rows = run("examples/matmul_table.lua", "3", "200"), 0
    for n, dtype, e in text:gmatch("\n +(%d+)  (%w+)[%d. ]+ ([%d.e+-]+)") do
      local bound = dtype == "float64" and 1e-14 or dtype == "float32" and 1e-5 or 1e-2
      assert(tonumber(e) <= bound, ("%s, %s: %s"):format(n, dtype, e))
      rows = rows + 1
    end
    assert.equal(helper.device == "cpu" and 4 or 6, rows)
  end)

  it("solve Poisson's equation, and draw the residuals", function()
    if not works(function() return ma.sparse.identity(2):matmul(ma.ones(2)) end) then return end
    local path = os.tmpname() .. ".png"
    local text = run("examples/poisson.lua", "12", path)
    assert.matches("^12 x 12 points, a matrix of 672 entries on " .. helper.device:gsub("%p", "%%%0"), text)
    local plain, better = text:match("conjugate gradients +(%d+) steps.-incomplete factors +(%d+) steps")
    assert.is_true(tonumber(better) < tonumber(plain))
    local difference = text:match("from spsolve: ([%d.e+-]+)")
    assert.is_true(tonumber(difference) < 1e-7)
    local file = assert(io.open(path, "rb"))
    assert.equal("\137PNG", file:read(4))
    file:close()
    os.remove(path)
  end)

  it("rank a graph that is read from a list of edges", function()
    if not works(function() return ma.sparse.identity(2):matmul(ma.ones(2)) end) then return end
    local text = run("examples/pagerank.lua")
    assert.matches("^29 nodes, 57 edges, 6 strong components", text)
    assert.matches("\n 1  soil         0.1196\n 2  fox          0.0652\n", text)
    assert.is_true(tonumber(text:match("equations' solution ([%d.e+-]+)")) < 1e-9)
    -- A walk around a ring is everywhere as often.
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write("a b # first\nb c\n\nc a\n")
    file:close()
    assert.matches("a +0.3333.*b +0.3333.*c +0.3333", run("examples/pagerank.lua", path))
    os.remove(path)
  end)

  it("solve systems of several kinds", function()
    if not works(function() return ma.sparse.identity(2):matmul(ma.ones(2)) end) then return end
    local text, rows = run("examples/sparse_systems.lua", "100"), 0
    for residual in text:gmatch("  +([%d.]+e[+-]%d+) +[%d.]+") do
      assert.is_true(tonumber(residual) < 1e-7, text)
      rows = rows + 1
    end
    assert.equal(15, rows)
    assert.is_nil(text:find("none", 1, true), text)
  end)

  --- How many operations of each name a program ran, by its lines under MOONARRAY_DEBUG=2.
  local function operations(command)
    local lua = os.getenv("LUAJIT") or "luajit"
    local pipe = assert(io.popen(("MOONARRAY_DEBUG=2 MOONARRAY_DEVICE=%s %s %s 2>&1 >/dev/null"):format(helper.device,
      lua, command)))
    local text, count = pipe:read("*a"), {}
    pipe:close()
    for name in text:gmatch("moonarray: ([%w_]+) [^\n]* ms") do count[name] = (count[name] or 0) + 1 end
    return count, text
  end

  it("say at the end of the demo what is there to run next", function()
    local count = 0
    local text = require("spec.file").read("examples/quickstart.lua"):match('\ntitle "what to run next.*')
    for path in text:gmatch("%w+/[%w/_]+%.?%w*") do
      count = count + 1
      assert(io.open(path), path):close()
    end
    assert.equal(4, count)
  end)

  it("print the times of evaluated work alone", function()
    if helper.device ~= "cpu" then return pending("a GPU's kernels have other names") end
    local calls = 2 + 5 * 10                              -- of quickstart.lua: to warm up, and timed
    local ran, text = operations("examples/quickstart.lua")
    for _, name in ipairs { "add", "exp", "sum", "mean" } do assert((ran[name] or 0) >= calls, name .. "\n" .. text) end
    ran, text = operations("bench/programs/gc.lua 50 1")
    assert((ran.add or 0) >= 4 * 50, text)                -- four loops of 50 turns
  end)
end)
