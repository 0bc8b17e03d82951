-- What passes between arrays of a GPU and LÖVE without the host's memory: make test-love. Without a GPU these run on
-- the pretended one, whose buffers and textures are those of LÖVE's context. On a GPU that draws the window they are
-- the check of docs/testing.md.

local helper = require "spec.helper"
local stage = require "spec.love.stage"
local file = require "spec.file"
local run, write, play = file.run, file.write, stage.play

local folder
setup(function()
  stage.start()
  folder = stage.folder
end)
teardown(stage.finish)

local function device()
  if helper.device ~= "cpu" then return helper.device end
  local libraries = ("%s/%s/pretend"):format(os.getenv "PWD", os.getenv "BUILD" or "build")
  assert(run("test -e " .. libraries .. "/libcuda.so.1"), "make pretend")
  return ("cuda CUDA_PATH= LD_LIBRARY_PATH=%s MOONARRAY_CACHE_DIR=%s/cache"):format(libraries, libraries)
end

--- Runs a program in LÖVE with a small window on a GPU, and returns what it prints.
local function printed(program)
  local path = folder .. "/shared_game"
  assert(run(("rm -rf %s && mkdir -p %s && sh scripts/game %s"):format(path, path, path)))
  write(path .. "/conf.lua", [[function love.conf(t)
    t.window.width, t.window.height = 64, 64
    t.modules.audio, t.modules.joystick, t.modules.physics = false, false, false
  end]])
  write(path .. "/main.lua", stage.ends_on_errors .. [[
    local ma = require "moonarray"
    local graphics = love.graphics
    assert(ma.device().type == "cuda")
    print(graphics.getRendererInfo())
    --- The bytes that an Image has in OpenGL.
    function bytes_of(image, format)
      local canvas = graphics.newCanvas(image:getWidth(), image:getHeight(), { format = format })
      canvas:renderTo(function()
        graphics.setBlendMode("replace", "premultiplied")
        graphics.draw(image)
        graphics.setBlendMode "alpha"
      end)
      return canvas:newImageData():getString()
    end
  ]] .. program .. "\nprint 'all right'\nlove.event.quit()")
  local text = play("love " .. path, "", true, device())
  local renderer = text:match("OpenGL[^\n]*") or "no OpenGL"
  assert(helper.device == "cpu" or renderer:find("NVIDIA", 1, true),
    ("the window is drawn by %s\n%s"):format(renderer, text))
  assert(text:find("all right", 1, true), text)
  return text
end

describe("on a GPU that draws the window", function()
  it("canvases are read and written in OpenGL's memory, those of several samples too", function()
    printed [[
      for _, msaa in ipairs { 0, 4 } do
        local canvas = ma.love.canvas(graphics.newCanvas(8, 4, { msaa = msaa }))
        local a = (ma.arange(128) * 2 % 256):astype("uint8"):reshape(4, 8, 4)
        canvas:write(a)
        assert(canvas.is_shared, msaa)
        assert(canvas.canvas:newImageData():getString() == a:tobytes(), msaa)
        canvas.is_shared = false
        local b = canvas:read()
        assert(canvas.is_shared and b.device == a.device and ma.array_equal(a, b), msaa)
        canvas.is_shared = false
        local c = ma.await(canvas:read_async())
        assert(canvas.is_shared and c.device == "cpu" and ma.array_equal(a:get(), c), msaa)
        canvas.canvas:renderTo(function() graphics.clear(1, 0, 0, 1) end)
        assert(canvas:read()[":, :, 1"]:min():item() == 255, "what was drawn last is resolved")
      end]]
  end)

  it("pictures of each form and format are written there", function()
    printed [[
      for _, width in ipairs { "8", "16", "16f", "32f" } do
        local dtype = ({ ["8"] = "uint8", ["16"] = "uint16", ["16f"] = "float16", ["32f"] = "float32" })[width]
        for n, channels in pairs { "r", "rg", [4] = "rgba" } do
          local format, shape = channels .. width, n == 1 and { 4, 8 } or { 4, 8, n }
          local a = ma.arange(32 * n):astype(dtype):reshape(shape)
          local picture = ma.love.picture(ma.zeros_like(a), { format = format }):update(a)
          assert(picture.is_shared and bytes_of(picture.image, format) == a:tobytes(), format)
        end
      end
      for _, options in ipairs { {}, { min = 0, max = 1, colormap = "magma", bad = { 1, 2, 3 } } } do
        for n = 0, 4 do
          local a = ma.random.default_rng(n):random(n == 0 and { 4, 8 } or { 4, 8, n })
          if n == 0 then a[{ 2, 3 }] = ma.nan end
          local picture, other = ma.love.picture(ma.zeros_like(a), options), ma.love.picture(a:get(), options)
          assert(picture:update(a).is_shared and not other.is_shared)
          assert(bytes_of(picture.image) == other.data:getString(), n)
          assert(not picture:update(a:get() * 0 + 1).is_shared, "an array of the CPU")
          assert(picture:update(a).is_shared and bytes_of(picture.image) == other.data:getString(), n)
        end
      end]]
  end)

  it("vertices lie on the GPU, of meshes that have positions and of others", function()
    printed [[
      local ffi, names = require "ffi", require "moonarray.love.names" (ma)
      for _, format in ipairs { { { "VertexPosition", "float", 2 }, { "VertexTexCoord", "float", 2 },
        { "VertexColor", "byte", 4 } }, { { "Place", "float", 3 } },
        { { "Tone", "byte", 4 }, { "Place", "float", 2 }, { "Size", "unorm16", 2 } } } do
        local mesh = graphics.newMesh(format, 5, "points")
        for k, attribute in ipairs(format) do
          for i = 1, 5 do mesh:setVertexAttribute(i, k, 0.2 * i, 1, 0, 1) end
        end
        local there, here = ma.love.vertices(mesh, { device = ma.device() }), ma.love.vertices(mesh)
        for k, attribute in ipairs(format) do
          local a, b = there[attribute[1] ], here[attribute[1] ]
          assert(a.device ~= "cpu" and b.device == "cpu" and ma.array_equal(a:get(), b), attribute[1])
          local values = ma.arange(a.size):astype(a.dtype):reshape(a.shape)
          a:assign(values)
          b:assign(values)
        end
        there:upload()
        assert(there.is_shared)
        local buffer = names.vertices({}, graphics, mesh, ma.device().name)
        local size = here.data:getSize()
        assert(buffer:map(size, "uint8", function(a) return a:tobytes() end) == here.data:getString())
      end
      -- What is drawn: a point in the upper left corner.
      local mesh = graphics.newMesh({ { "VertexPosition", "float", 2 } }, { { 0.5, 0.5 }, { 2.5, 0.5 } }, "points")
      local v = ma.love.vertices(mesh, { device = ma.device() })
      v.VertexPosition[{}] = 1.5
      local canvas = graphics.newCanvas(4, 4)
      canvas:renderTo(function() graphics.draw(mesh) end)
      assert(ma.love.canvas(canvas):read():max():item() == 255, "where LÖVE put it")
      v:upload()
      canvas:renderTo(function()
        graphics.clear(0, 0, 0, 0)
        graphics.draw(mesh)
      end)
      local found = ma.love.canvas(canvas):read()
      assert(found(2, 2, 1) == 255 and found(1, 1, 1) == 0)]]
  end)

  it("what OpenGL's memory is not had for passes by way of the host", function()
    printed [[
      local a = ma.arange(32):astype("float32"):reshape(4, 8)
      local picture = ma.love.picture(a, { format = "r32f" })
      assert(picture.is_shared)
      local function refuse() error "not on this GPU" end
      ma.cuda.gl.register_image, ma.cuda.gl.register_buffer = refuse, refuse
      local other = ma.love.picture(a * 0, { format = "r32f" }):update(a)
      assert(not other.is_shared and bytes_of(other.image, "r32f") == a:tobytes())
      for n = 0, 4 do
        local b = ma.random.default_rng(n):random(n == 0 and { 4, 8 } or { 4, 8, n })
        local one, two = ma.love.picture(b), ma.love.picture(b:get())
        assert(one.data:getString() == two.data:getString() and bytes_of(one.image) == two.data:getString(), n)
      end
      for _, msaa in ipairs { 0, 4 } do
        local canvas = ma.love.canvas(graphics.newCanvas(8, 4, { msaa = msaa }))
        local b = (ma.arange(128) * 2 % 256):astype("uint8"):reshape(4, 8, 4)
        canvas:write(b)
        assert(not canvas.is_shared and ma.array_equal(canvas:read(), b) and not canvas.is_shared)
        assert(ma.array_equal(canvas:read_async():get(), b:get()))
      end
      local mesh = graphics.newMesh(3)
      local v = ma.love.vertices(mesh, { device = ma.device() })
      v.VertexPosition[{}] = ma.arange(6):reshape(3, 2)
      v:upload()
      assert(not v.is_shared and mesh:getVertexAttribute(3, 1) == 4)]]
  end)
end)

describe("the game water on a GPU that draws the window", function()
  --- How often its frames copy to the host, and what it printed. `first` runs before the game.
  local function copies(first)
    local path = stage.driven(stage.copy_of "water")
    local whole = 'require "moonarray.core".compile_at_once(true)\n'    -- else it runs by array operations at first
    write(path .. "/main.lua", whole .. first .. file.read(path .. "/main.lua"))
    local text = play("love " .. path, [[return { frames = 30, keys = { [20] = "space" },
      mouse = function(frame) return 300, 400, frame > 3 and 1 or nil end }]], nil,
      device() .. " MOONARRAY_DEBUG=2")
    assert(text:find("frames 31", 1, true), text)
    assert(select(2, text:gsub("moonarray: stencil ", "")) >= 62, "it ran on a GPU: " .. text)
    return select(2, text:gsub("moonarray: copy to host ", ""))
  end

  it("copies nothing to the host", function() assert.equal(0, copies "") end)

  it("would copy a picture in each frame", function()
    assert(copies [[require "moonarray".cuda.gl.register_image = function() error "not on this GPU" end
      ]] >= 31)
  end)
end)
