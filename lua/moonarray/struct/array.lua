--- Arrays of structs: their fields, parts, devices and text.

local sformat, concat = require("moonarray.text").format, table.concat
local floor = math.floor

return function(ma, core)
  local fail = core.fail
  local common = require "moonarray.common" (core)
  local ffi = select(2, pcall(require, "ffi"))
  local structs = core.structs
  local NAME = "struct_array"
  local Shape = getmetatable(ma.zeros(0).shape)

  --- What an array of structs holds: its dtype, and its bytes, of which a struct is a row along the last axis.
  ---@class moonarray.struct.held
  ---@field struct moonarray.struct.state
  ---@field bytes any
  local function wrap(struct, bytes)
    return core.hold(struct.class, { struct = struct, bytes = bytes })
  end

  local held = core.held

  --- The same of a method's object.
  local function state(name, self)
    local s = held(self)
    if s and s.bytes then return s end
    fail(NAME .. "." .. name, sformat("%s in place of the array; write units:%s()", core.describe(self), name))
  end

  local function ndim(s) return s.bytes.ndim - 1 end
  local function extents(s) return common.before_last(s.bytes.shape) end

  local function field_of(s, field) return core.field(s.bytes, field.dtype, field.offset, field.shape) end

  --- A field of one struct is a Lua value; a field of an array is an array.
  local function read_field(s, field)
    local view = field_of(s, field)
    if view.ndim == 0 then return view:item() end
    return view
  end

  -- ==== Positions ===================================================================================================

  --- The items of an index: a number, an array of positions, a table, or a text such as "2:5, ...".
  local function items_of(key)
    if type(key) == "table" and not getmetatable(key) then return key end
    if type(key) ~= "string" then return { key } end
    local list = {}
    for item in (key .. ","):gmatch "%s*(.-)%s*," do list[#list + 1] = item end
    return list
  end

  --- An index of the structs as one of their bytes, or of a field with `more` axes.
  local function full_index(s, key, more)
    local items, given, open = items_of(key), 0, false
    for _, item in ipairs(items) do
      if item == "..." then open = true elseif item ~= "_" and item ~= ma.newaxis then given = given + 1 end
    end
    if given > ndim(s) then
      fail(NAME, sformat("%d positions of an array of structs of %d axes", given, ndim(s)))
    end
    if not open or more == 0 then return key end
    if type(key) == "string" then return key .. (", :"):rep(more) end
    local full = {}
    for k, item in ipairs(items) do full[k] = item end
    for _ = 1, more do full[#full + 1] = {} end
    return full
  end

  --- The structs at an index: a view, and behind masks and arrays of positions a copy.
  local function part(s, key)
    return wrap(s.struct, s.bytes[full_index(s, key, 1)])
  end

  -- ==== Writing =====================================================================================================

  --- The bytes of a value that can be stored as structs, on the CPU if it is one struct of the FFI.
  local function bytes_of(s, value, name)
    local struct, other = s.struct, held(value)
    if other and other.bytes then
      if other.struct == struct then return other.bytes end
      fail(name, sformat("an array of structs %s; wanted %s", structs.text(other.struct), structs.text(struct)))
    end
    if type(value) == "cdata" and ffi.istype(struct.ctype, value) then
      return ma.frombuffer(ffi.string(ffi.cast("const char *", ffi.cast("const void *", value)), struct.size),
        "uint8", { device = "cpu" })
    end
    fail(name, sformat("%s; wanted a %s of the FFI, a table of fields, or an array of these structs",
      core.describe(value), struct.name))
  end

  --- Stores in the structs at an index. A table sets the fields that it names.
  local function store(s, key, value)
    if type(value) ~= "table" or getmetatable(value) then
      s.bytes[full_index(s, key, 1)] = bytes_of(s, value, NAME)
      return
    end
    for name in pairs(value) do
      if not s.struct.by[name] then
        fail(NAME, sformat("no field '%s' of %s", tostring(name), structs.text(s.struct)))
      end
    end
    for name, of in pairs(value) do
      local field = s.struct.by[name]
      field_of(s, field)[full_index(s, key, #field.shape)] = of
    end
  end

  -- ==== Attributes and methods ======================================================================================

  --> = struct_array | ma.zeros(2, ma.struct(require("ffi").typeof "struct { float x, y; }")) | An array of C structs:
  --> \ its fields are arrays, units[3] is one struct in place.
  --> . shape: integer[] | its extents
  --> . ndim: integer | how many axes it has
  --> . strides: integer[] | bytes from one struct to the next, along each axis
  --> . size: integer | how many structs it has
  --> . itemsize: integer | bytes of a struct
  --> . nbytes: integer | bytes of all
  --> . dtype: struct | the struct
  --> . device: string | where it is
  --> . [integer]: any
  local attributes = {
    shape = function(s) return setmetatable(extents(s), Shape) end,
    ndim = ndim,
    strides = function(s) return common.before_last(s.bytes.strides) end,
    size = function(s) return s.bytes.size / s.struct.size end,
    itemsize = function(s) return s.struct.size end,
    nbytes = function(s) return s.bytes.size end,
    dtype = function(s) return s.struct.object end,
    device = function(s) return s.bytes.device end,
  }

  local methods = {}

  --> :field(name: string) -> array | A view of a field, also where it or one struct has a method of that name.
  --> struct_array:field: struct_array:field("x")
  function methods.field(self, name)
    local s = state("field", self)
    local field = s.struct.by[common.type(NAME .. ".field", "name", name, "string")]
    if not field then
      fail(NAME .. ".field", sformat("no field '%s' of %s", name, structs.text(s.struct)))
    end
    return field_of(s, field)
  end

  --> :to(device: string) -> struct_array | The structs on another device; the array itself if it is there already.
  --> struct_array:to: struct_array:to("cpu").device
  function methods.to(self, device)
    local s = state("to", self)
    local bytes = s.bytes:to(device)
    if bytes == s.bytes then return self end
    return wrap(s.struct, bytes)
  end

  --> :get() -> struct_array | A copy on the CPU.
  --> struct_array:get: struct_array:get().size
  function methods.get(self)
    local s = state("get", self)
    return wrap(s.struct, s.bytes:get())
  end

  --> :copy() -> struct_array | A copy on the same device.
  --> struct_array:copy: struct_array:copy().x
  function methods.copy(self)
    local s = state("copy", self)
    return wrap(s.struct, s.bytes:copy())
  end

  --> :assign(value: any) -> struct_array | Copies the structs of another array, on any device, or one of the FFI.
  --> struct_array:assign: struct_array:assign({y = 3}).y
  function methods.assign(self, value)
    local s = state("assign", self)
    store(s, "...", value)
    return self
  end

  --> :item() -> any | The one struct as a value of the FFI, a copy; waits for the device.
  --> struct_array:item: struct_array[1]:item().x
  function methods.item(self)
    local s = state("item", self)
    local struct = s.struct
    if s.bytes.size ~= struct.size then
      fail(NAME .. ".item", sformat("%d structs; wanted one", s.bytes.size / struct.size))
    end
    local value = ffi.new(struct.ctype)
    ffi.copy(value, s.bytes:get():tobytes(), struct.size)
    return value
  end

  --- Nested tables of fields, of the fields' nested tables.
  local function zipped(fields, values, axes)
    local list = {}
    if axes == 0 then
      for k, field in ipairs(fields) do list[field.name] = values[k] end
      return list
    end
    for i = 1, #values[1] do
      local inner = {}
      for k, value in ipairs(values) do inner[k] = value[i] end
      list[i] = zipped(fields, inner, axes - 1)
    end
    return list
  end

  --> :totable() -> table | A table of fields for each struct; waits for the device.
  --> struct_array:totable: struct_array:totable()[2].x
  function methods.totable(self)
    local s = state("totable", self)
    local near, values = { struct = s.struct, bytes = s.bytes:get() }, {}
    for k, field in ipairs(s.struct.fields) do values[k] = common.plain(field_of(near, field)) end
    return zipped(s.struct.fields, values, ndim(s))
  end

  local anchors = setmetatable({}, { __mode = "k" })

  --> :data() -> ffi.cdata* | A typed FFI pointer to the structs, counted from 0, on the CPU; it keeps the array alive.
  --> struct_array:data: struct_array:get():data()[0].x
  function methods.data(self)
    local s = state("data", self)
    local pointer = ffi.cast(ffi.typeof("$ *", s.struct.ctype), s.bytes:data())
    anchors[pointer] = s.bytes
    return pointer
  end

  --> :dumps() -> string | The bytes of a .npy file.
  --> struct_array:dumps: #struct_array:dumps()
  function methods.dumps(self)
    state("dumps", self)
    return ma.dumps(self)
  end

  --> :free() | Lets go of the memory at once.
  --> struct_array:free: struct_array:free()
  --> = the memory goes back to the pool
  function methods.free(self) state("free", self).bytes:free() end

  -- ==== Text ========================================================================================================

  --- The rows that are printed, as bytes: all, or those at the edges; and behind which of them some are left out.
  local function shown_rows(s, options)
    local bytes, size, n, edge = s.bytes, s.struct.size, s.bytes.shape[1], options.edgeitems
    if ndim(s) > 0 and bytes.size / size > options.threshold and n > 2 * edge then
      bytes = ma.concatenate({ core.along(bytes, 1, 1, edge), core.along(bytes, 1, n - edge + 1, n) }, 1)
      return bytes:reshape(-1, size), bytes.size / size / 2
    end
    return bytes:reshape(-1, size)
  end

  --- The texts of a field's elements, all as wide as the name at least.
  local function column(rows, field, options)
    local view = field_of(rows, field)
    local n = view.shape[1]
    local text = ma.array2string(view:reshape(n, n > 0 and view.size / n or 1), { linewidth = nil,
      max_line_width = 10000, threshold = view.size + 1, precision = options.precision })
    local list, width = {}, #field.name
    for line in text:gmatch "[^\n]+" do
      local item = line:match("^[%[ ]*(.-)%]*$")
      if #field.shape > 0 then item = "[" .. item .. "]" end
      list[#list + 1] = item
      width = math.max(width, #item)
    end
    return list, width
  end

  --- A line for each struct under the names of the fields, and a line about all.
  local function text_of(s)
    local options = ma.get_printoptions()
    local shape = ndim(s) == 0 and "0-d" or common.shape_text({ shape = extents(s) })
    local last = sformat("%s %s, %s", shape, structs.text(s.struct), s.bytes.device)
    if s.bytes.size == 0 then return "[]\n" .. last end
    local rows, cut = shown_rows(s, options)
    local near, columns, head = { struct = s.struct, bytes = rows:get() }, {}, {}
    for k, field in ipairs(s.struct.fields) do
      local list, width = column(near, field, options)
      columns[k] = { list = list, width = width }
      head[k] = (" "):rep(width - #field.name) .. field.name
    end
    local lines = { concat(head, "  ") }
    for i = 1, near.bytes.shape[1] do
      local items = {}
      for k, of in ipairs(columns) do items[k] = (" "):rep(of.width - #of.list[i]) .. of.list[i] end
      lines[#lines + 1] = concat(items, "  ")
      if i == cut then lines[#lines + 1] = "..." end
    end
    lines[#lines + 1] = last
    return concat(lines, "\n")
  end

  -- ==== The class ===================================================================================================

  local class = {}

  --- Whether a text is a name and no index.
  local function is_name(key) return type(key) == "string" and key ~= "_" and key:find "^[%a_]" ~= nil end

  function class.__index(self, key)
    local s = held(self)
    if not is_name(key) then return part(s, key) end
    if s.struct.by[key] then return read_field(s, s.struct.by[key]) end
    if attributes[key] then return attributes[key](s) end
    if methods[key] then return methods[key] end
    local names = " " .. require("moonarray.names").methods .. " "
    if key:find "^[%w_]+$" and names:find("%s" .. key .. "%s") then
      fail(key, sformat("%s; write units.%s:%s()", core.describe(self), s.struct.fields[1].name, key))
    end
    core.unknown(NAME, key, s.struct.by, methods)
  end

  function class.__newindex(self, key, value)
    local s = held(self)
    if not is_name(key) then return store(s, key, value) end
    local field = s.struct.by[key]
    if not field then fail(NAME, sformat("no field '%s' of %s", key, structs.text(s.struct))) end
    field_of(s, field)[{}] = value
  end

  --- One struct, as a value of the FFI.
  function class.__call(self, ...)
    local s, n = held(self), select("#", ...)
    if n ~= ndim(s) then fail(NAME, sformat("%d positions of an array of structs of %d axes", n, ndim(s))) end
    return methods.item(wrap(s.struct, s.bytes[{ ... }]))
  end

  function class.__len(self)
    local s = held(self)
    if ndim(s) == 0 then fail(NAME, "'#' of one struct; wanted an array of them") end
    return s.bytes.shape[1]
  end

  function class.__tostring(self) return text_of(held(self)) end
  function class.__concat(a, b) return tostring(a) .. tostring(b) end

  for metamethod, name in pairs { __add = "add", __sub = "subtract", __mul = "multiply", __div = "divide",
    __mod = "remainder", __pow = "power", __unm = "negative", __lt = "less", __le = "less_equal" } do
    class[metamethod] = function(a, b)
      fail(name, core.describe(held(a) and a or b) .. "; wanted an array or a number")
    end
  end

  --- Gives a struct the class of its arrays, whose name says in errors what array code takes.
  function structs.finish(struct)
    struct.class = { __metatable = sformat("struct array of %s (its fields are arrays: units.%s)", struct.name,
      struct.fields[1].name) }
    for key, method in pairs(class) do struct.class[key] = method end
  end

  -- ==== New arrays ==================================================================================================

  --- Whether the elements lie at multiples of their bytes.
  local function check_aligned(name, struct, bytes)
    for _, field in ipairs(struct.fields) do
      if field.itemsize == struct.align and not pcall(core.field, bytes, field.dtype, field.offset, field.shape) then
        fail(name, sformat("memory that does not begin at a multiple of %d bytes, as %s must", struct.align,
          struct.name))
      end
    end
  end

  --- An FFI pointer or array may not be of another struct.
  local function check_pointer(name, struct, buffer)
    local ctypes = require "moonarray.struct.ctype"
    if type(buffer) ~= "cdata" then return end
    local t = ctypes.describe(tonumber(ffi.typeof(buffer)))
    local target = (t.kind == ctypes.PTR or ctypes.is_array(t)) and ctypes.describe(t.child)
    if target and target.kind == ctypes.STRUCT and target.id ~= struct.id then
      fail(name, sformat("buffer is a %s; wanted structs %s", tostring(ffi.typeof(buffer)):match "<(.*)>", struct.name))
    end
  end

  local makers = {}

  local function full_shape(name, struct, shape)
    return common.joined(common.shape(name, "shape", shape), { struct.size })
  end

  local function made(name, struct, shape, order, device)
    if order ~= nil and order ~= "C" then fail(name, "an order for structs, which lie by rows; leave it out") end
    return wrap(struct, ma[name](full_shape(name, struct, shape), "uint8", { device = device }))
  end

  function makers.zeros(struct, shape, _, order, device) return made("zeros", struct, shape, order, device) end
  function makers.empty(struct, shape, _, order, device) return made("empty", struct, shape, order, device) end

  function makers.frombuffer(struct, buffer, shape, _, owner, device)
    local options = { owner = owner, device = device }
    check_pointer("frombuffer", struct, buffer)
    local bytes
    if shape == nil then
      bytes = ma.frombuffer(buffer, nil, "uint8", options)
      local n = bytes.size / struct.size
      if n ~= floor(n) then
        fail("frombuffer", sformat("%d bytes; %s takes a multiple of %d", bytes.size, struct.name, struct.size))
      end
      bytes = bytes:reshape(n, struct.size)
    else
      bytes = ma.frombuffer(buffer, full_shape("frombuffer", struct, shape), "uint8", options)
    end
    check_aligned("frombuffer", struct, bytes)
    return wrap(struct, bytes)
  end

  -- ==== Files =======================================================================================================

  --- For the core: the dtype of an array of structs as a .npy header has it, with bytes between fields as NumPy writes
  --- them; nil of another object.
  function core.struct_descr(s)
    if not s.bytes then return nil end
    local fields, items, at = {}, {}, 0
    for k, field in ipairs(s.struct.fields) do fields[k] = field end
    table.sort(fields, function(a, b) return a.offset < b.offset end)
    local function pad(to)
      if to > at then items[#items + 1] = sformat("('', '|V%d')", to - at) end
    end
    for _, field in ipairs(fields) do
      if field.offset < at then
        fail(nil, sformat("the field '%s' of %s shares bytes with another one, which a .npy file cannot say",
          field.name, s.struct.name))
      end
      pad(field.offset)
      local shape = concat(field.shape, ", ")
      local order = (field.code:find "^V" or field.code:find "%a1$") and "|" or "<"
      items[#items + 1] = sformat("('%s', '%s'%s)", field.name, order .. field.code, #field.shape == 0 and ""
        or sformat(#field.shape == 1 and ", (%s,)" or ", (%s)", shape))
      local bytes = field.itemsize
      for _, extent in ipairs(field.shape) do bytes = bytes * extent end
      at = field.offset + bytes
    end
    pad(s.struct.size)
    return "[" .. concat(items, ", ") .. "]"
  end

  --- For the core: what a function that makes arrays gives for a dtype, or nil if that is no struct.
  function core.make_structs(name, dtype, ...)
    local struct = held(dtype)
    if not struct or not struct.class then return nil end
    return makers[name](struct, ...)
  end
end
