--- Memory of LÖVE's objects as resources of ma.cuda.gl. LÖVE gives no name of OpenGL's to Lua, but what it draws is
--- bound, and OpenGL says what is bound. So on a GPU that draws the window nothing passes through the host's memory.

local sformat = require("moonarray.text").format

-- Numbers of OpenGL's.
local TEXTURE_BINDING_2D, ACTIVE_TEXTURE, TEXTURE0 = 0x8069, 0x84E0, 0x84C0
local ATTRIBUTE_BUFFER = 0x889F

--- OpenGL's functions of LÖVE's context, which is current on LÖVE's thread; nil without LuaJIT's FFI, or without SDL in
--- reach.
local function open()
  local has_ffi, ffi = pcall(require, "ffi")
  if not has_ffi then return end
  pcall(ffi.cdef, "void *SDL_GL_GetProcAddress(const char *name); void *SDL_GL_GetCurrentContext(void);")
  local function in_library(library)
    local found, sdl = pcall(library)
    return found and pcall(function() return sdl.SDL_GL_GetProcAddress end) and sdl or nil
  end
  local sdl = in_library(function() return ffi.C end) or in_library(function() return ffi.load "SDL2" end)
  if not sdl then return end
  local function find(name, form)
    local address = sdl.SDL_GL_GetProcAddress(name)
    return address ~= nil and ffi.cast(form, address) or nil
  end
  local geti = find("glGetIntegerv", "void (*)(unsigned, int *)")
  local attribute = find("glGetVertexAttribiv", "void (*)(unsigned, unsigned, int *)")
  local active = find("glActiveTexture", "void (*)(unsigned)")
  if not (geti and attribute and active) then return end
  local value = ffi.new "int[1]"
  local function ask(what)
    geti(what, value)
    return value[0]
  end
  local gl = {}

  --- The texture of the first unit.
  function gl.texture()
    local unit = ask(ACTIVE_TEXTURE)
    active(TEXTURE0)
    local bound = ask(TEXTURE_BINDING_2D)
    active(unit)
    return bound
  end

  --- The buffer behind the first attribute, which is VertexPosition.
  function gl.buffer()
    attribute(0, ATTRIBUTE_BUFFER, value)
    return value[0]
  end

  function gl.context() return tostring(sdl.SDL_GL_GetCurrentContext()) end

  return gl
end

local names

return function(ma)
  if names then return names end
  names = {}
  local gl                                                      -- false: it cannot be asked

  --- Runs `fn` while no canvas is active and nothing is transformed or coloured.
  function names.apart(graphics, fn, ...)
    graphics.push "all"
    graphics.reset()
    local ok, result = pcall(fn, ...)
    graphics.pop()
    if ok then return result end
    error(result, 0)
  end

  --- Draws no pixel of an object, which binds what belongs to it; a canvas of several samples is resolved.
  local function bind(graphics, object)
    graphics.setScissor(0, 0, 0, 0)
    graphics.draw(object)
    graphics.flushBatch()
  end

  --- The resource of the object of that name, registered on the device; nil where CUDA does not take it. It is
  --- registered anew if LÖVE made another object, as it does when the window changes.
  local function registered(self, name, device, register)
    local key = sformat("%d %s %s", name, gl.context(), device)
    if self.key ~= key then
      self.key = key
      local ok, resource = pcall(register, name, device)
      self.resource = ok and resource or nil
    end
    return self.resource
  end

  local function can_ask(device)
    if device == "cpu" then return false end
    if gl == nil then gl = open() or false end
    return gl
  end

  local function image(name, device) return ma.cuda.gl.register_image(name, nil, { device = device }) end
  local function buffer(name, device)
    return ma.cuda.gl.register_buffer(name, { flags = "write_discard", device = device })
  end

  --- A drawable's texture on a device; nil where the device is the CPU, or does not draw the window. `self` keeps the
  --- resource.
  function names.texture(self, graphics, drawable, device)
    if not can_ask(device) then return end
    names.apart(graphics, bind, graphics, drawable)
    return registered(self, gl.texture(), device, image)
  end

  --- The buffer of a mesh's vertices, likewise. A mesh of our own has the mesh's first attribute as its positions,
  --- since the mesh may have no positions, and may show only a part of its vertices.
  function names.vertices(self, graphics, mesh, device)
    if not can_ask(device) then return end
    if not self.point then
      self.point = graphics.newMesh({ { "VertexPosition", "float", 2 } }, 1, "points", "static")
      self.point:attachAttribute("VertexPosition", mesh, "pervertex", mesh:getVertexFormat()[1][1])
    end
    names.apart(graphics, bind, graphics, self.point)
    return registered(self, gl.buffer(), device, buffer)
  end

  return names
end
