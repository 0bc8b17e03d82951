-- Writes lua/moonarray/meta.lua, from which editors (LuaLS) complete names and show signatures, out of the tables that
-- the library's functions were made from. usage: luajit scripts/meta.lua [--check], from the repository's root, after
-- make (MODULE_DIR=DIR takes the module of another build). It writes nothing where nothing changed; --check never does,
-- and fails then. As a chunk that is loaded (dofile) it returns the function that makes the text.

local types = {
  a = "moonarray.data", b = "moonarray.data", x = "moonarray.data", y = "moonarray.data", xp = "moonarray.data",
  fp = "moonarray.data",
  object = "moonarray.data", value = "moonarray.data", values = "moonarray.data", fill_value = "moonarray.data",
  condition = "moonarray.data", weights = "moonarray.data", arrays = "moonarray.data[]",
  axis = "integer|integer[]", axes = "integer|integer[]", source = "integer|integer[]",
  destination = "integer|integer[]",
  axis1 = "integer", axis2 = "integer", shape = "integer|integer[]", new_shape = "integer|integer[]",
  dimensions = "integer|integer[]",
  dtype = "moonarray.dtype", out = "moonarray.array", where = "moonarray.array", device = "string",
  keepdims = "boolean",
  fn = "function", N = "integer", M = "integer", k = "integer", n = "integer", num = "integer", ddof = "number",
  name = "string",
  decimals = "integer", start = "number", stop = "number", step = "number", lo = "number", hi = "number",
  order = "string",
  casting = "string", path = "string", file = "string", options = "table", mode = "string", precision = "integer",
}

--- What a function returns, where that is no array.
local returns = {}
local function returning(kind, names)
  for name in names:gmatch("%S+") do returns[name] = kind end
end
returning("boolean", "allclose array_equal array_equiv same_shape isscalar iscomplexobj isrealobj can_cast " ..
  "issubdtype isdtype is_array revoke isfortran may_share_memory "
  .. "shares_memory")
returning("string",
  "promote_types result_type min_scalar_type array2string array_str array_repr format_float_positional "
  .. "format_float_scientific get_default_dtype dumps export base_repr binary_repr common_type")
returning("number",
  "get_elapsed_time cuda.get_elapsed_time cuda.nvtx.RangePush cuda.nvtx.RangePushC cuda.nvtx.RangePop")
returning("moonarray.benchmark", "profiler.benchmark")
returning("moonarray.progress", "progress")
returning("moonarray.event", "Event cuda.Event")
returning("moonarray.stream", "Stream cuda.Stream cuda.ExternalStream get_current_stream cuda.get_current_stream")
returning("integer", "cuda.poll")
returning("function", "memoize frompyfunc")
returning("table", "totable broadcast_shapes finfo iinfo get_printoptions split array_split hsplit vsplit dsplit")
returning("integer ...", "dims")
returning("fun(): any, any", "blocks rows each")
returning("any ...", "item allow_synchronize printoptions scope iterate profiler.time_range profiler.profile")
returning("moonarray.array ...",
  "meshgrid ogrid indices atleast_1d atleast_2d atleast_3d broadcast_arrays gradient unstack divmod modf frexp "
  .. "nonzero average linspace diag_indices diag_indices_from tril_indices tril_indices_from triu_indices "
  .. "triu_indices_from mask_indices ix_ topk histogram histogram2d")
returning("moonarray.array|boolean", "any all")
returning("moonarray.device", "device cuda.Device cuda.Device.from_pci_bus_id")
returning("", "set_printoptions help free show_config save savez savez_compressed savetxt tofile map synchronize " ..
  "set_default_dtype "
  .. "cuda.nvtx.Mark cuda.nvtx.MarkC cuda.profiler.start cuda.profiler.stop")
returning("moonarray.poly1d", "poly1d")
returning("moonarray.array ...", "polyfit polydiv")
returning("table", "polynomial.polyutils.as_series")
returning("number ...", "polynomial.polyutils.mapparms")
for module, prefix in pairs { polynomial = "poly", chebyshev = "cheb", legendre = "leg", hermite = "herm",
  hermite_e = "herme", laguerre = "lag" } do
  returning("moonarray.array ...", ("polynomial.%s.%sdiv polynomial.%s.%sfit"):format(module, prefix, module, prefix))
end
for class in ("Polynomial Chebyshev Legendre Hermite HermiteE Laguerre"):gmatch("%a+") do
  returning("moonarray.series", ("polynomial.X polynomial.X.fit polynomial.X.fromroots polynomial.X.identity "
    .. "polynomial.X.basis polynomial.X.cast"):gsub("X", class), nil)
end
returning("", "fft.config.clear_plan_cache fft.config.set_plan_cache_size fft.config.show_plan_cache_info")
returning("integer", "fft.config.get_plan_cache_size")
returning("", "testing.assert_allclose testing.assert_array_equal testing.assert_array_almost_equal "
  .. "testing.assert_array_less testing.assert_array_list_equal testing.assert_equal "
  .. "testing.assert_array_almost_equal_nulp")

local reserved = { ["and"] = true, ["or"] = true, ["not"] = true, ["repeat"] = true, ["end"] = true, ["in"] = true,
  ["function"] = true }

--- "sum(a, axis?; dtype?, ...)" -> a list of {name, optional}; loose arguments are {"..."}.
local function arguments_of(signature)
  local list = {}
  for word in signature:match("%((.*)%)$"):gmatch("[%w_.]+%??") do
    local name, optional = word:match("^([%w_.]+)(%??)$")
    list[#list + 1] = { reserved[name] and name .. "_" or name, optional == "?" }
  end
  return list
end

local function sorted_keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local head = [[
---@meta moonarray
-- Made by scripts/meta.lua from the library itself: do not edit. Editors read it; nothing loads it.
-- luacheck: ignore

---@alias moonarray.dtype
---| "bool" | "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64"
---| "float16" | "bfloat16" | "float32" | "float64" | "complex64" | "complex128"

---What a function takes as an array: one, a number, a complex number, or nested tables.
---@alias moonarray.data moonarray.array|number|boolean|table

---A CPU's or a GPU's memory seen through a shape. Indexing: a["2:5, :, -1"], a{...} is a[ {{2, 5}, {}, -1} ], a(2, 3) is one element.
---@class moonarray.array
---@field shape integer[]
---@field dtype moonarray.dtype
---@field ndim integer
---@field size integer
---@field device string
---@field T moonarray.array
---@field real moonarray.array
---@field imag moonarray.array
---@operator add(moonarray.data): moonarray.array
---@operator sub(moonarray.data): moonarray.array
---@operator mul(moonarray.data): moonarray.array
---@operator div(moonarray.data): moonarray.array
---@operator mod(moonarray.data): moonarray.array
---@operator pow(moonarray.data): moonarray.array
---@operator unm: moonarray.array
---@operator call(integer): any
---@operator len: integer
local array = {}

---The order in which a device's work is done.
---@class moonarray.stream
---@field done boolean
---@field device string
---@field synchronize fun(self: moonarray.stream)
---@field record fun(self: moonarray.stream, event?: moonarray.event): moonarray.event

---A mark in a stream's work.
---@class moonarray.event
---@field done boolean
---@field device string
---@field synchronize fun(self: moonarray.event)
---@field record fun(self: moonarray.event, stream?: moonarray.stream): moonarray.event

---A polynomial as an object: p(x) is its value, p[k] the coefficient of x^k.
---@class moonarray.poly1d
---@field coeffs moonarray.array
---@field order integer
---@field roots moonarray.array
---@field variable string
---@field [integer] number
---@field deriv fun(self: moonarray.poly1d, m?: integer): moonarray.poly1d
---@field integ fun(self: moonarray.poly1d, m?: integer, k?: moonarray.data): moonarray.poly1d
---@field get fun(self: moonarray.poly1d): moonarray.poly1d
---@field set fun(self: moonarray.poly1d, other: moonarray.poly1d): moonarray.poly1d
---@operator add(moonarray.poly1d|moonarray.data): moonarray.poly1d
---@operator sub(moonarray.poly1d|moonarray.data): moonarray.poly1d
---@operator mul(moonarray.poly1d|moonarray.data): moonarray.poly1d
---@operator div(moonarray.poly1d|moonarray.data): moonarray.poly1d
---@operator mod(moonarray.poly1d|moonarray.data): moonarray.poly1d
---@operator pow(integer): moonarray.poly1d
---@operator unm: moonarray.poly1d
---@operator call(moonarray.data): moonarray.array

---A series as an object of moonarray.polynomial.
---@class moonarray.series
---@field coef moonarray.array
---@field domain number[]
---@field window number[]
---@field symbol string
---@field degree fun(self: moonarray.series): integer
---@field deriv fun(self: moonarray.series, m?: integer): moonarray.series
---@field integ fun(self: moonarray.series, m?: integer, k?: any, lbnd?: number): moonarray.series
---@field roots fun(self: moonarray.series): moonarray.array
---@field linspace fun(self: moonarray.series, n?: integer, domain?: number[]): moonarray.array, moonarray.array
---@field trim fun(self: moonarray.series, tol?: number): moonarray.series
---@field truncate fun(self: moonarray.series, size: integer): moonarray.series
---@field cutdeg fun(self: moonarray.series, deg: integer): moonarray.series
---@field convert fun(self: moonarray.series, kind?: any, domain?: number[], window?: number[]): moonarray.series
---@field divmod fun(self: moonarray.series, other: any): moonarray.series, moonarray.series
---@field mapparms fun(self: moonarray.series): number, number
---@field copy fun(self: moonarray.series): moonarray.series
---@operator add(any): moonarray.series
---@operator sub(any): moonarray.series
---@operator mul(any): moonarray.series
---@operator div(any): moonarray.series
---@operator mod(any): moonarray.series
---@operator pow(integer): moonarray.series
---@operator unm: moonarray.series
---@operator call(moonarray.data): moonarray.array

---@class moonarray
local moonarray = {}
]]

--- The lines of one function; an optional argument may also be the table of options.
local function declaration(lines, target, name, entry)
  local arguments = arguments_of(entry.signature)
  local names = {}
  lines[#lines + 1] = ""
  lines[#lines + 1] = "---" .. entry.doc:gsub("\n", "\n---")
  lines[#lines + 1] = "---```lua\n---" .. entry.signature .. "\n---```"
  for _, argument in ipairs(arguments) do
    local own, optional = argument[1], argument[2]
    if own == "..." then lines[#lines + 1] = "---@param ... any"
    else
      lines[#lines + 1] = ("---@param %s%s %s%s"):format(own, optional and "?" or "", types[own] or "any",
        optional and "|table" or "")
    end
    if own == "..." then names[#names + 1] = "..." else table.insert(names, own) end
  end
  for k, own in ipairs(names) do                                 -- loose arguments come last in Lua
    if own == "..." and k < #names then table.insert(names, table.remove(names, k)) break end
  end
  local kind = returns[name] or "moonarray.array"
  if kind ~= "" then lines[#lines + 1] = "---@return " .. kind end
  lines[#lines + 1] = ("function %s%s(%s) end"):format(target, name, table.concat(names, ", "))
end

local function make(ma, core)
  local lines = { head:sub(1, -2) }
  local tables = {}
  for _, name in ipairs(sorted_keys(core.functions)) do
    local entry = core.functions[name]
    local parent = name:match("^(.*)%.")
    if parent and not tables[parent] then
      tables[parent] = true
      -- else a class, as cuda.Device
      if not core.functions[parent] then lines[#lines + 1] = ("\nmoonarray.%s = {}"):format(parent) end
    end
    local first = arguments_of(entry.signature)[1]
    local method = name:match("^:(.*)")
    if method then
      declaration(lines, "array.", method, entry)
    elseif parent or rawget(ma, name) ~= nil then
      declaration(lines, "moonarray.", name, entry)
    end
    if not method and not parent and first and first[1] == "a" and not first[2] then
      lines[#lines + 1] = ("array.%s = moonarray.%s"):format(name, name)
    end
  end
  lines[#lines + 1] = "\nreturn moonarray\n"
  return table.concat(lines, "\n")
end

if arg and arg[0] and arg[0]:find("meta%.lua$") then
  package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
  package.cpath = (os.getenv("MODULE_DIR") or ".") .. "/?.so;" .. package.cpath
  local path = "lua/moonarray/meta.lua"
  local text = make(require "moonarray", require "moonarray.core")
  local file = io.open(path)
  local before = file and file:read("*a")
  if file then file:close() end
  if text ~= before then
    if arg[1] == "--check" then
      print(path .. " is not current; `make meta` writes it")
      os.exit(1)
    end
    file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    print("wrote " .. path)
  end
end

return make
