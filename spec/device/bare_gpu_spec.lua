-- A GPU where the driver is and no NVRTC: what runs by the cache of kernels, and what is said of what cannot. Where
-- there is no GPU, it is the pretended one (make pretend).

local apart = require "spec.pretend.apart"
local file = require "spec.file"
local gpu = require "spec.pretend.gpu"
local compiles, ma = require("spec.helper").compiles, require("spec.helper").ma

local luajit = os.getenv("LUAJIT") or "luajit"
local with_folder = file.with_folder

local long = os.getenv "MOONARRAY_SPEC_LONG"
local real = ma.cuda.is_available()
local there = real or gpu.is_built()

--- What a program prints on the GPU, with these variables of the environment.
local function output(variables, program)
  local libraries = real and "" or gpu.libraries
  local _, text = file.run(("env -u MOONARRAY_DEVICE %s %s '%s' %s"):format(libraries, variables, luajit, program))
  return text
end

local function line(code) return "-e '" .. code:gsub("%s+", " ") .. "'" end

describe("a GPU without NVRTC", function()
  if not there then pending("no pretended GPU; make pretend") return end

  it("is there, but not the default while no kernel is compiled for it", function()
    local place = apart.new()            -- no bundle lies beside the module
    with_folder(function(folder)
      local bare = ("%s MOONARRAY_NVRTC=0 MOONARRAY_CACHE_DIR=%s"):format(place.environment, folder)
      local text = output(bare, line [[local ma = require "moonarray" print(ma.device(), ma.cuda.is_available(),
        ma.cuda.Device(0))]])
      assert.matches("^moonarray: the GPU is not used: no kernel is compiled for compute capability %d+%.%d, and NVRTC "
        .. "is turned off by MOONARRAY_NVRTC=0; [^\n]*MOONARRAY_DEVICE=cpu: none is wanted%)\n", text)
      assert.matches("\n<Device cpu>\ttrue\t<Device cuda:0>\n$", text)

      -- One kernel in the cache, of anything, and it is.
      if not compiles then return end
      local add = line [[local ma = require "moonarray" print(ma.device(), (ma.array { 1, 2 } + 1)(2))]]
      assert.equal("<Device cuda:0>\t3\n", output("MOONARRAY_CACHE_DIR=" .. folder, add))
      assert.equal("<Device cuda:0>\t3\n", output(bare, add))
    end)
    place.remove()
  end)

  it("fills and copies there and back without a kernel", function()
    with_folder(function(folder)
      local text = output("MOONARRAY_NVRTC=0 MOONARRAY_DEVICE=cuda MOONARRAY_CACHE_DIR=" .. folder, line [[
        local ma = require "moonarray" local a = ma.array { 3, 1, 2 }
        print(a.device, a:get():sum():item(), (ma.zeros(3) .. ""):match("^%S+ %S+ %S+"),
          ma.full(2, 7, "int32")(2))]])
      assert.equal("cuda:0\t6\t[0. 0. 0.]\t7\n", text)
    end)
  end)

  it("finds the CUDA root of the other libraries, and their messages name themselves", function()
    with_folder(function(folder)
      assert(os.execute("mkdir " .. folder .. "/lib") == 0)
      for _, name in ipairs { "libcublasLt.so.12", "libcublas.so.12", "libcufft.so.11" } do
        file.write(folder .. "/lib/" .. name, "")
      end
      local text = output("MOONARRAY_NVRTC=0 MOONARRAY_CUDA_LIBRARIES=1 CUDA_PATH=" .. folder,
        line 'require("moonarray").show_config()')
      assert.matches("\n  NVRTC +NVRTC is turned off by MOONARRAY_NVRTC=0\n", text)
      assert(text:find(("cuBLAS (%s/lib/libcublas.so.12) cannot be opened"):format(folder), 1, true), text)
      assert(text:find(("cuFFT (%s/lib/libcufft.so.11) cannot be opened"):format(folder), 1, true), text)
      assert(not text:find("\n  cu[^\n]*NVRTC"), text)
    end)
  end)

  -- Examples with small arguments; %s is a file that they write. `times`: what is left out of what they print.
  local programs = {
    { "life", "4 %s.pgm" }, { "matmul", "50" },
    { "heat", "16 6 %s.png", times = "\n +ms a step.-\nequal bits[^\n]*" },
    { "gray_scott", "32 20 %s.ppm", times = "[%d.]+ ms" },
    { "quickstart", "", times = "\n== time of one call.*$", long = true },
    { "nbody", "20 6 %s.png", times = "\n +ms a step.-\nequal bits[^\n]*", long = true },
    { "wave_tank", "32 20 %s.ppm", long = true }, { "pagerank", "", long = true },
    { "digits", "", times = "[%d.]+ s on", long = true }, { "image_pipeline", "- %s.png", long = true },
  }

  --- The example's file; for quickstart one whose arrays are small.
  local function small(name, folder)
    local path = "examples/" .. name .. ".lua"
    if name ~= "quickstart" then return path end
    local text, n = file.read(path):gsub("4000000", "400"):gsub("2000, 2000", "20, 20")
    text = text:gsub("1:1000000", "1:100"):gsub("ma%.show_config%(%)", "print(ma.device())")
    assert(n > 0, "quickstart.lua has other arrays")
    return file.write(folder .. "/quickstart.lua", text)
  end

  --- What a command prints on the GPU: with NVRTC, or bare.
  local function on_gpu(bare, command)
    local start = ("env MOONARRAY_DEVICE=cuda MOONARRAY_NVRTC=%d %s"):format(bare and 0 or 1,
      real and "" or gpu.environment)
    if bare and not real then
      start = ("env -u MOONARRAY_DEVICE %s sh scripts/bare_gpu %s"):format(gpu.cache, gpu.driver)
    end
    local _, text = file.run(start .. " " .. command)
    return text
  end

  --- What a program prints, but for times, and the file that it writes.
  local function run(program, bare, folder)
    local out = folder .. "/out"
    local text = on_gpu(bare, ("'%s' %s "):format(luajit, small(program[1], folder)) .. program[2]:format(out))
    local suffix = program[2]:match("%%s(%.%a+)")
    return program.times and text:gsub(program.times, "") or text, suffix and file.take(out .. suffix)
  end

  for _, program in ipairs(programs) do
    if not program.long or long then
      it("runs examples/" .. program[1] .. ".lua as with NVRTC, by the cache", function()
        with_folder(function(folder)
          local text, written = run(program, false, folder)
          assert(not text:find("traceback", 1, true) and written ~= "", text)
          local bare, bare_written = run(program, true, folder)
          assert.equal(text, bare)
          assert(written == bare_written, "another picture")
        end)
      end)
    end
  end

  -- The floor set alone serves these, which have no kernels of their own. Where the GPU is pretended, the CPU says what
  -- they print: there NVIDIA's libraries are missing, for which it stands in. A GPU's conjugate gradients look at the
  -- residual in every 16th step.
  local on_floor = {
    { "spectrogram", "0.5 %s.png" }, { "plots", "", long = true }, { "svd_image", "- %s.png 2 4", long = true },
    { "poisson", "8", times = " +%d+ steps", long = true },
  }
  for _, program in ipairs(programs) do
    if not (program[1] == "life" or program[1] == "matmul") then on_floor[#on_floor + 1] = program end
  end

  --- What a program prints and writes with the floor set alone, or as it should be.
  local function run_on_floor(program, place, folder)
    local variables = real and "MOONARRAY_DEVICE=cuda" or "MOONARRAY_DEVICE=cpu"
    if place then
      variables = ("%s %s MOONARRAY_NVRTC=0 MOONARRAY_DEVICE=cuda"):format(real and "" or gpu.libraries,
        place.environment)
    end
    local out = folder .. "/out"
    local _, text = file.run(("env %s MOONARRAY_CACHE_DIR='%s' '%s' %s "):format(variables,
      place and place.cache or folder .. "/cache", luajit, small(program[1], folder)) .. program[2]:format(out))
    text = text:gsub("moonarray: [^\n]* runs on the CPU: [^\n]*\n", ""):gsub("cuda:0", "cpu")
    local suffix = program[2]:match("%%s(%.%a+)")
    return program.times and text:gsub(program.times, "") or text, suffix and file.take(out .. suffix)
  end

  describe("with the floor set alone", function()
    local set, place = real and "build/kernels/floor.mab" or nil, nil
    if set and not file.run("test -f " .. set) then return pending("wants " .. set .. "; make kernels") end
    setup(function()
      place = apart.new()
      place.add_floor(set)
      place.cache = real and place.folder .. "/cache" or gpu.folder .. "/floor-cache"
    end)
    teardown(function() place.remove() end)

    for _, program in ipairs(on_floor) do
      if not program.long or long then
        it("runs examples/" .. program[1] .. ".lua", function()
          with_folder(function(folder)
            local text, written = run_on_floor(program, nil, folder)
            assert(not text:find("traceback", 1, true) and written ~= "", text)
            local found, drawn = run_on_floor(program, place, folder)
            assert.equal(text, found)
            assert(written == drawn, "another picture")
          end)
        end)
      end
    end
  end)

  --- The last frame of a game. The same rain falls in each run.
  local function frame(game, bare, folder)
    local script = "love.math.setRandomSeed(1) return { frames = 2 }"
    local text = on_gpu(bare, ("env -u LUA_PATH -u LUA_CPATH XDG_DATA_HOME=%s ALSOFT_DRIVERS=null DRIVER='%s' "
      .. "xvfb-run -a love %s/%s"):format(folder, script, folder, game))
    local saved = assert(text:match("\nsaved ([^\n]+)"), text)
    local picture = ma.image.read(saved .. "/shot.png"):get()
    os.remove(saved .. "/shot.png")
    return picture
  end

  for _, game in ipairs { "boids", "reaction_diffusion", "water" } do
    if long then
      it("plays " .. game .. " as with NVRTC, by the cache", function()
        if not file.run("command -v love && command -v xvfb-run") then return pending("no LÖVE, or no Xvfb") end
        with_folder(function(folder)
          local to = folder .. "/" .. game
          assert(file.run(("cp -R examples/love/%s %s && sh scripts/game %s && mv %s/main.lua %s/game.lua "
            .. "&& cp spec/love/driver.lua %s/main.lua"):format(game, to, to, to, to, to)))
          local picture = frame(game, false, folder)
          local others = ma.mean(picture:ne(frame(game, true, folder))):item()
          assert(others < 0.02, others .. " of the picture differ, which is more than the time that is shown")
        end)
      end)
    end
  end
end)
