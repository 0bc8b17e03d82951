-- OpenGL's buffers and images as arrays. Where there is a GPU with OpenGL, a context without a window is made on it by
-- EGL, through the FFI. The pretended driver (make test-pretend) has OpenGL objects of its own, which need no context.

local helper = require "spec.helper"
local ffi = require "ffi"
local ma = helper.ma
local gl = ma.cuda.gl

local pretended = (os.getenv("LD_LIBRARY_PATH") or ""):find("pretend", 1, true) ~= nil

ffi.cdef [[
void *eglGetProcAddress(const char *name);
int eglGetError(void);
unsigned eglInitialize(void *display, int *major, int *minor);
unsigned eglTerminate(void *display);
unsigned eglBindAPI(unsigned api);
unsigned eglChooseConfig(void *display, const int *attributes, void **configs, int size, int *count);
void *eglCreateContext(void *display, void *config, void *share, const int *attributes);
void *eglCreatePbufferSurface(void *display, void *config, const int *attributes);
unsigned eglMakeCurrent(void *display, void *draw, void *read, void *context);
int setenv(const char *name, const char *value, int replace);
]]

local function function_of(egl, name, ctype)
  local address = egl.eglGetProcAddress(name)
  assert(address ~= nil, "EGL gives no " .. name)
  return ffi.cast(ctype, address)
end

local function holds(path, text)
  local file = io.open(path)
  local all = file and file:read("*a") or ""
  if file then file:close() end
  return all:find(text, 1, true) ~= nil
end

--- libEGL asks files which vendors there are. A container that is given NVIDIA's libraries may lack NVIDIA's.
local function name_vendor()
  for _, folder in ipairs { "/etc/glvnd/egl_vendor.d/", "/usr/share/glvnd/egl_vendor.d/" } do
    if holds(folder .. "10_nvidia.json", "libEGL_nvidia") then return end
  end
  if os.getenv("__EGL_VENDOR_LIBRARY_FILENAMES") or not pcall(ffi.load, "libEGL_nvidia.so.0") then return end
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write([[{ "file_format_version": "1.0.0", "ICD": { "library_path": "libEGL_nvidia.so.0" } }]])
  file:close()
  ffi.C.setenv("__EGL_VENDOR_LIBRARY_FILENAMES", path, 1)
  return path
end

--- A context of OpenGL on one of EGL's devices, made current without a surface, or with one of 16 x 16 pixels; nil and
--- what failed.
local function make_current(egl, display)
  local failed = function(what) return nil, ("%s: EGL error 0x%x"):format(what, egl.eglGetError()) end
  if egl.eglInitialize(display, nil, nil) == 0 then return failed("eglInitialize") end
  local configs, n = ffi.new("void *[1]"), ffi.new("int[1]")
  local wanted = ffi.new("int[5]", 0x3033, 1, 0x3040, 8, 0x3038)         -- a surface of pixels, OpenGL
  if egl.eglBindAPI(0x30A2) == 0 then return failed("eglBindAPI") end
  if egl.eglChooseConfig(display, wanted, configs, 1, n) == 0 or n[0] == 0 then return failed("eglChooseConfig") end
  local made = egl.eglCreateContext(display, configs[0], nil, nil)
  if made == nil then return failed("eglCreateContext") end
  if egl.eglMakeCurrent(display, nil, nil, made) ~= 0 then return true end
  local surface = egl.eglCreatePbufferSurface(display, configs[0], ffi.new("int[5]", 0x3057, 16, 0x3056, 16, 0x3038))
  if surface ~= nil and egl.eglMakeCurrent(display, surface, surface, made) ~= 0 then return true end
  return failed("eglMakeCurrent")
end

--- Makes a context on the EGL device that is the GPU under test current; libEGL, or nil and the reason. A device that
--- does not say which GPU it is may be ours too.
local function open_on_device()
  local found, egl = pcall(ffi.load, "libEGL.so.1")
  if not found then return nil, "no libEGL.so.1" end
  local query = egl.eglGetProcAddress("eglQueryDevicesEXT")
  local display_of = egl.eglGetProcAddress("eglGetPlatformDisplayEXT")
  local attribute = egl.eglGetProcAddress("eglQueryDeviceAttribEXT")
  if query == nil or display_of == nil or attribute == nil then return nil, "EGL has no EGL_EXT_device_base" end
  local devices, count, candidates, why = ffi.new("void *[64]"), ffi.new("int[1]"), {}, {}
  if ffi.cast("unsigned (*)(int, void **, int *)", query)(64, devices, count) == 0 then count[0] = 0 end
  for k = 0, count[0] - 1 do
    local id = ffi.new("intptr_t[1]", -1)                      -- EGL_CUDA_DEVICE_NV
    local says = ffi.cast("unsigned (*)(void *, int, intptr_t *)", attribute)(devices[k], 0x323A, id) ~= 0
    if says and id[0] == ma.device(helper.device).id then table.insert(candidates, 1, devices[k])
    elseif not says then candidates[#candidates + 1] = devices[k] end
  end
  for _, device in ipairs(candidates) do
    local display = ffi.cast("void *(*)(unsigned, void *, const int *)", display_of)(0x313F, device, nil)
    local made, reason
    if display == nil then reason = "no display" else made, reason = make_current(egl, display) end
    if made then
      local renderer = ffi.string(ffi.cast("const char *(*)(unsigned)", egl.eglGetProcAddress("glGetString"))(0x1F01))
      if not renderer:find("llvmpipe", 1, true) and not renderer:find("soft", 1, true) then return egl end
      reason = "it draws by " .. renderer
    end
    if display ~= nil then egl.eglTerminate(display) end
    why[#why + 1] = reason
  end
  return nil, ("none of EGL's %d devices is %s with OpenGL%s%s"):format(count[0], helper.device, #why > 0 and ": "
    or "", table.concat(why, "; "))
end

local function open_context()
  local file = name_vendor()
  local egl, reason = open_on_device()
  if file then os.remove(file) end
  return egl, reason
end

local egl, why_not
local function context()
  if helper.device == "cpu" then return nil, "no GPU" end
  if pretended then return nil, "a pretended GPU" end
  if egl == nil and not why_not then egl, why_not = open_context() end
  return egl, why_not
end

local function each(name, fn)
  it(name, function()
    local current, reason = context()
    if not current then return pending(reason) end
    return fn(current)
  end)
end

--- A buffer of OpenGL's with these bytes; returns its name and functions that read it and delete it.
local function new_buffer(current, bytes, size)
  local id = ffi.new("unsigned[1]")
  function_of(current, "glGenBuffers", "void (*)(int, unsigned *)")(1, id)
  function_of(current, "glBindBuffer", "void (*)(unsigned, unsigned)")(0x8892, id[0])
  function_of(current, "glBufferData", "void (*)(unsigned, intptr_t, const void *, unsigned)")(0x8892, size, bytes,
    0x88E8)
  local function read()
    local out = ffi.new("char[?]", size)
    function_of(current, "glBindBuffer", "void (*)(unsigned, unsigned)")(0x8892, id[0])
    function_of(current, "glGetBufferSubData", "void (*)(unsigned, intptr_t, intptr_t, void *)")(0x8892, 0, size, out)
    return ffi.string(out, size)
  end
  local function delete() function_of(current, "glDeleteBuffers", "void (*)(int, const unsigned *)")(1, id) end
  return id[0], read, delete
end

--- A texture of 8 x 4 pixels with `channels` of uint8 or float32.
local function new_texture(current, channels, is_float, bytes)
  local internal = is_float and (channels == 4 and 0x8814 or 0x822E) or (channels == 4 and 0x8058 or 0x8229)
  local format, kind = channels == 4 and 0x1908 or 0x1903, is_float and 0x1406 or 0x1401
  local id = ffi.new("unsigned[1]")
  function_of(current, "glGenTextures", "void (*)(int, unsigned *)")(1, id)
  local bind = function_of(current, "glBindTexture", "void (*)(unsigned, unsigned)")
  bind(0x0DE1, id[0])
  function_of(current, "glTexParameteri", "void (*)(unsigned, unsigned, int)")(0x0DE1, 0x2801, 0x2600)
  function_of(current, "glTexImage2D", "void (*)(unsigned, int, int, int, int, int, unsigned, unsigned, const void *)")(
    0x0DE1, 0, internal, 8, 4, 0, format, kind, bytes)
  local size = 32 * channels * (is_float and 4 or 1)
  local function read()
    local out = ffi.new("char[?]", size)
    bind(0x0DE1, id[0])
    function_of(current, "glGetTexImage", "void (*)(unsigned, int, unsigned, unsigned, void *)")(0x0DE1, 0, format,
      kind, out)
    return ffi.string(out, size)
  end
  local function delete() function_of(current, "glDeleteTextures", "void (*)(int, const unsigned *)")(1, id) end
  return id[0], read, delete
end

local function fails(text, ...)
  local message = helper.fails(...)
  assert(message:find(text, 1, true), ("the error is '%s'; wanted '%s'"):format(message, text))
end

describe("OpenGL without a GPU", function()
  it("says what is missing", function()
    if helper.device ~= "cpu" then return pending("there is a GPU") end
    fails("moonarray.cuda.gl.register_buffer: no GPU: ", gl.register_buffer, 1)
    fails("moonarray.cuda.gl.register_image: no GPU: ", gl.register_image, 1)
    fails("id 0; wanted OpenGL's name", gl.register_buffer, 0)
    fails("flags is the string 'fast'; wanted 'none', 'read_only', 'write_discard' or 'surface'", gl.register_buffer, 1,
      { flags = "fast" })
    fails("wanted 'texture_2d', 'texture_rectangle'", gl.register_image, 1, "texture_3d")
  end)
end)

--- The same behaviour of OpenGL's objects and of the pretended driver's.
local function check_buffer(id, read)
  local r = gl.register_buffer(id, { flags = "none" })
  assert.equal(id, r.id)
  assert.equal(helper.device, r.device)
  assert.is_false(r.mapped)
  local a = r:map({ 32, 32 }, "float32")
  assert.is_true(r.mapped)
  assert.equal(helper.device, a.device)
  a[{}] = ma.arange(1024, "float32"):reshape(32, 32)
  local row = a["2, :"]
  assert.equal(32, row(1))
  row:imul(2)
  fails("a buffer that is mapped", r.map, r)
  r:unmap()
  assert.is_false(r.mapped)
  for _, use in ipairs { function() return row + 1 end, function() a:fill(1) end, function() return a:sum() end,
    function() return a(1, 1) end,
    function() return a:ptr() end, function() return a:dlpack() end, function() return tostring(a) end } do
    fails("taken back, as an OpenGL resource's is by unmap", use)
  end
  assert.same({ 32, 32 }, a.shape)
  fails("not mapped", r.unmap, r)
  if read then
    local got = ffi.cast("const float *", read())
    assert.equal(31, got[31])
    assert.equal(64, got[32])
    assert.equal(1023, got[1023])
  end
  -- A function gets the array, and the buffer is unmapped behind it, on errors too.
  local total, kept = r:map(nil, "float32", function(all)
    assert.same({ 1024 }, all.shape)
    return all:sum():item(), all
  end)
  assert.equal(1023 * 512 + (32 + 63) * 16, total)
  assert.is_false(r.mapped)
  fails("taken back", function() return kept + 1 end)
  local ok, message = pcall(r.map, r, 16, "uint8", function() error("stop here", 0) end)
  assert.is_false(ok)
  assert.equal("stop here", message)
  assert.is_false(r.mapped)
  fails("OpenGL's buffer " .. id .. " has 4096", r.map, r, { 1025 }, "float32")
  assert.is_false(r.mapped)
  -- An array freed before unmap, one that outlives its resource, and work on another stream.
  local b = r:map(1024, "float32")
  b:free()
  r:unmap()
  b = r:map(1024, "float32")
  ma.Stream.null:synchronize()
  b:iadd(1)
  r = nil                                                       -- luacheck: ignore
  collectgarbage()
  collectgarbage()
  assert.equal(1, b(1))                                         -- the array keeps the resource
  b:free()
end

local function check_image(id, shape, dtype, read)
  local r = gl.register_image(id)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  local x = (ma.arange(size) % 251):astype(dtype):reshape(shape)
  r:write(x)
  assert.is_false(r.mapped)
  local y = r:read()
  assert.equal(helper.device, y.device)
  helper.identical(x, y, "image")
  if read then assert.equal(helper.bytes(x), read()) end
  local back = ma.flip(x, 1)
  r:write(back)                                                 -- a view
  helper.identical(back:copy(), r:read(), "flipped image")
  r:write(x:get())                                              -- from the host
  helper.identical(x, r:read(), "image from the host")
  fails("the image takes " .. dtype, r.write, r, ma.zeros({ 3, 3 }, dtype))
  fails("the image takes " .. dtype, r.write, r, x:astype("int64"))
  fails("an image; it has no address", r.map, r)
  fails("layer 0; wanted 1 or more", r.read, r, { layer = 0 })
  assert.is_false(r.mapped)
  r:unregister()
  fails("was unregistered", r.read, r)
  local only = gl.register_image(id, { flags = "read_only" })
  helper.identical(x, only:read(), "image, read-only")
  fails("read_only", only.write, only, x)
  only:unregister()
end

describe("OpenGL's objects", function()
  each("buffers are mapped as arrays", function(current)
    local id, read, delete = new_buffer(current, string.rep("\0", 4096), 4096)
    check_buffer(id, read)
    collectgarbage()
    collectgarbage()
    local r = gl.register_buffer(id, { flags = "read_only" })
    local a = r:map(8, "float32")
    assert.is_true(a.readonly)
    fails("read-only", a.fill, a, 1)
    r:unregister()
    fails("taken back", function() return a + 1 end)
    delete()
  end)

  each("images are copied from and to arrays", function(current)
    local cases = { { 4, false, { 4, 8, 4 }, "uint8" }, { 1, false, { 4, 8 }, "uint8" },
      { 4, true, { 4, 8, 4 }, "float32" }, { 1, true, { 4, 8 }, "float32" } }
    for _, case in ipairs(cases) do
      local id, read, delete = new_texture(current, case[1], case[2], nil)
      check_image(id, case[3], case[4], read)
      delete()
    end
  end)

  each("what is drawn next sees the streams' work", function(current)
    local id, read, delete = new_buffer(current, string.rep("\0", 4096), 4096)
    local r = gl.register_buffer(id, { flags = "write_discard" })
    local one, two = ma.Stream({ non_blocking = true }), ma.Stream({ non_blocking = true })
    for frame = 1, 20 do
      local a = one:with(function() return r:map(1024, "float32") end)
      two:with(function()
        a:fill(0)
        for _ = 1, 30 do a:iadd(frame) end
      end)
      r:unmap()
      local got = ffi.cast("const float *", read())
      assert.equal(30 * frame, got[0])
      assert.equal(30 * frame, got[1023])
    end
    r:unregister()
    one, two = nil, nil                                         -- luacheck: ignore
    delete()
  end)

  each("names that are none are refused", function()
    fails("OpenGL's name 4000000 was not taken", gl.register_buffer, 4000000)
    fails("OpenGL's name 4000000 was not taken", gl.register_image, 4000000)
    local id, _, delete = new_buffer(egl, nil, 64)
    delete()
    fails("was not taken", gl.register_buffer, id)
  end)

  it("need a context", function()
    if helper.device == "cpu" or pretended then return pending("no GPU, or a pretended one") end
    -- By a process of its own: what a driver does without a context is its own affair.
    local script, out = os.tmpname(), os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write("local ma = require 'moonarray'\nlocal ok, message = pcall(ma.cuda.gl.register_buffer, " ..
      "1)\nprint(ok, message)\n",
      "print(ma.ones(10):sum():item())\n")
    file:close()
    os.execute(("'%s' '%s' >'%s' 2>&1"):format(os.getenv("LUAJIT") or "luajit", script, out))
    local text = assert(io.open(out)):read("*a")
    os.remove(script)
    os.remove(out)
    assert(text:find("^false") and text:find("was not taken", 1, true) and text:find("\n10\n", 1, true), text)
  end)
end)

describe("the pretended driver's objects", function()
  it("are mapped and copied as OpenGL's are", function()
    if not pretended or helper.device == "cpu" then return pending("a real GPU, or none") end
    check_buffer(1)
    collectgarbage()
    collectgarbage()
    check_image(1, { 4, 8, 4 }, "uint8")
    check_image(2, { 4, 8 }, "float32")
    fails("OpenGL's name 9 was not taken", gl.register_buffer, 9)
    local r = gl.register_image(1)
    fails("cuGraphicsSubResourceGetMappedArray", r.read, r, { layer = 2 })
    assert.is_false(r.mapped)
    r:unregister()
  end)
end)
