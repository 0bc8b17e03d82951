--- ma.hdf5: arrays in HDF5 files by libhdf5, which is opened at the first use through LuaJIT's ffi.

local sformat = require("moonarray.text").format

local LIBRARIES = {
  "libhdf5_serial.so.103", "libhdf5.so.103", "libhdf5_serial.so.310", "libhdf5.so.310", "libhdf5.so.200",
  "libhdf5.so.101", "libhdf5.so", "hdf5.dll",
}
local DECLARATIONS = [[
typedef int64_t moonarray_hid;
typedef struct { int storage_type; uint64_t nlinks; int64_t max_order; bool mounted; } moonarray_h5_group;
int H5open(void);
int H5get_libversion(unsigned *major, unsigned *minor, unsigned *release);
void *H5allocate_memory(size_t size, bool clear);
int H5free_memory(void *memory);
int H5Eset_auto2(moonarray_hid stack, void *fn, void *data);
moonarray_hid H5Fopen(const char *name, unsigned flags, moonarray_hid access);
moonarray_hid H5Fcreate(const char *name, unsigned flags, moonarray_hid create, moonarray_hid access);
int H5Fflush(moonarray_hid file, int scope);
ssize_t H5Fget_file_image(moonarray_hid file, void *to, size_t size);
int H5Fget_vfd_handle(moonarray_hid file, moonarray_hid access, void **handle);
int H5Fclose(moonarray_hid file);
moonarray_hid H5Dopen2(moonarray_hid at, const char *name, moonarray_hid access);
moonarray_hid H5Dcreate2(moonarray_hid at, const char *name, moonarray_hid type, moonarray_hid space,
  moonarray_hid link, moonarray_hid create, moonarray_hid access);
moonarray_hid H5Dget_space(moonarray_hid set);
moonarray_hid H5Dget_type(moonarray_hid set);
int H5Dread(moonarray_hid set, moonarray_hid type, moonarray_hid memory, moonarray_hid file, moonarray_hid how,
  void *to);
int H5Dwrite(moonarray_hid set, moonarray_hid type, moonarray_hid memory, moonarray_hid file, moonarray_hid how,
  const void *from);
moonarray_hid H5Dget_create_plist(moonarray_hid set);
int H5Dclose(moonarray_hid set);
int H5Zfilter_avail(int filter);
int H5Sget_simple_extent_type(moonarray_hid space);
int H5Sget_simple_extent_ndims(moonarray_hid space);
int H5Sget_simple_extent_dims(moonarray_hid space, uint64_t *dims, uint64_t *most);
moonarray_hid H5Screate(int kind);
moonarray_hid H5Screate_simple(int ndim, const uint64_t *dims, const uint64_t *most);
int H5Sclose(moonarray_hid space);
int H5Tget_class(moonarray_hid type);
size_t H5Tget_size(moonarray_hid type);
int H5Tget_sign(moonarray_hid type);
int H5Tget_nmembers(moonarray_hid type);
char *H5Tget_member_name(moonarray_hid type, unsigned k);
int H5Tget_member_class(moonarray_hid type, unsigned k);
moonarray_hid H5Tcreate(int kind, size_t size);
int H5Tinsert(moonarray_hid type, const char *name, size_t offset, moonarray_hid field);
moonarray_hid H5Tenum_create(moonarray_hid base);
int H5Tenum_insert(moonarray_hid type, const char *name, const void *value);
moonarray_hid H5Tcopy(moonarray_hid type);
int H5Tset_fields(moonarray_hid type, size_t sign, size_t exponent, size_t esize, size_t mantissa, size_t msize);
int H5Tset_size(moonarray_hid type, size_t size);
int H5Tset_ebias(moonarray_hid type, size_t bias);
int H5Tclose(moonarray_hid type);
int H5Gget_info(moonarray_hid group, moonarray_h5_group *info);
ssize_t H5Lget_name_by_idx(moonarray_hid at, const char *group, int index, int order, uint64_t k, char *name,
  size_t size, moonarray_hid access);
moonarray_hid H5Oopen(moonarray_hid at, const char *name, moonarray_hid access);
int H5Oclose(moonarray_hid object);
int H5Rcreate(void *reference, moonarray_hid at, const char *name, int kind, moonarray_hid space);
int H5Iget_type(moonarray_hid id);
moonarray_hid H5Pcreate(moonarray_hid class);
int H5Pset_create_intermediate_group(moonarray_hid list, unsigned on);
int H5Pget_nfilters(moonarray_hid list);
int H5Pget_filter2(moonarray_hid list, unsigned k, unsigned *flags, size_t *n, unsigned *values, size_t size,
  char *name, unsigned *config);
int H5Pset_fapl_core(moonarray_hid list, size_t increment, unsigned backing);
int H5Pclose(moonarray_hid list);
extern moonarray_hid H5T_NATIVE_INT8_g, H5T_NATIVE_INT16_g, H5T_NATIVE_INT32_g, H5T_NATIVE_INT64_g, H5T_NATIVE_UINT8_g,
  H5T_NATIVE_UINT16_g, H5T_NATIVE_UINT32_g, H5T_NATIVE_UINT64_g, H5T_NATIVE_FLOAT_g, H5T_NATIVE_DOUBLE_g,
  H5P_CLS_LINK_CREATE_ID_g, H5P_CLS_FILE_ACCESS_ID_g;
]]

-- hdf5.h's numbers
local READ_ONLY, TRUNCATE, SCALAR, NULL_SPACE, GROUP, DATASET, GLOBAL = 0, 2, 0, 2, 2, 5, 1
local SLACK = 2 ^ 16                   -- bytes for all but the data; more if they do not suffice
local INTEGER, FLOAT, COMPOUND, ENUM = 0, 1, 6, 8
local CLASSES = { [2] = "times", [3] = "texts", [4] = "bits", [5] = "raw bytes", [6] = "records", [7] = "references",
  [8] = "names of numbers", [9] = "lists of unequal length", [10] = "arrays" }
local NATIVE = { int8 = "INT8", int16 = "INT16", int32 = "INT32", int64 = "INT64", uint8 = "UINT8", uint16 = "UINT16",
  uint32 = "UINT32", uint64 = "UINT64", float32 = "FLOAT", float64 = "DOUBLE" }
-- Filters that are plugins, for files that do not say a filter's name
local FILTERS = { [4] = "szip", [307] = "bzip2", [32000] = "lzf", [32001] = "blosc", [32004] = "lz4",
  [32008] = "bitshuffle", [32013] = "zfp", [32015] = "zstd", [32017] = "sz", [32026] = "blosc2" }
local DEEPEST, UNREADABLE = 64, "a link to nothing, or of a later version of HDF5"

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local ffi, h5

  local function need_library(name)
    if h5 then return end
    local found
    found, ffi = pcall(require, "ffi")
    if not found then fail(name, "HDF5 needs LuaJIT's ffi, which is not here") end
    local library
    for _, file in ipairs(LIBRARIES) do
      local ok, opened = pcall(ffi.load, file)
      if ok then library = opened break end
    end
    if not library then fail(name, "HDF5 needs libhdf5, which is not found; apt-get install libhdf5-103-1") end
    pcall(ffi.cdef, DECLARATIONS)                        -- fails if they are declared already, by an earlier load
    local version = ffi.new("unsigned[3]")
    if library.H5open() < 0 or library.H5get_libversion(version, version + 1, version + 2) < 0
      or version[0] == 1 and version[1] < 10 then
      fail(name, sformat("libhdf5 %d.%d; wanted 1.10 or later", version[0], version[1]))
    end
    library.H5Eset_auto2(0, nil, nil)                    -- libhdf5 writes no messages to stderr
    h5 = library
  end

  --- Calls fn(keep). keep(name, argument) names a function of libhdf5's that is called at the end, to close what was
  --- opened. A failure to close is an error if `this`, the caller's name, is given.
  local function closing(fn, this)
    local open, unclosed = {}, nil
    local function keep(close, id)
      if id >= 0 then open[#open + 1] = { close, id } end
      return id
    end
    local ok, result = pcall(fn, keep)
    for k = #open, 1, -1 do
      if h5[open[k][1]](open[k][2]) < 0 then unclosed = open[k][1] end
    end
    if not ok then error(result, 0) end
    if this and unclosed then fail(this, sformat("%s of libhdf5 failed", unclosed)) end
    return result
  end

  -- ==== Types ========================================================================================================

  local function native(dtype) return h5["H5T_NATIVE_" .. NATIVE[dtype] .. "_g"] end

  --- HDF5's type of a dtype's elements in memory; nil for bfloat16.
  local function type_of(keep, dtype)
    if NATIVE[dtype] then return native(dtype) end
    if dtype == "bool" then                              -- an enumeration, as h5py writes booleans
      local id = keep("H5Tclose", h5.H5Tenum_create(native "int8"))
      for k, name in ipairs { "FALSE", "TRUE" } do h5.H5Tenum_insert(id, name, ffi.new("int8_t[1]", k - 1)) end
      return id
    elseif dtype == "float16" then
      local id = keep("H5Tclose", h5.H5Tcopy(native "float32"))
      h5.H5Tset_fields(id, 15, 10, 5, 0, 10)
      h5.H5Tset_size(id, 2)
      h5.H5Tset_ebias(id, 15)
      return id
    elseif dtype == "complex64" or dtype == "complex128" then
      local part, size = dtype == "complex64" and "float32" or "float64", dtype == "complex64" and 4 or 8
      local id = keep("H5Tclose", h5.H5Tcreate(COMPOUND, 2 * size))
      h5.H5Tinsert(id, "r", 0, native(part))
      h5.H5Tinsert(id, "i", size, native(part))
      return id
    end
  end

  local function member_name(id, k)
    local text = h5.H5Tget_member_name(id, k)
    if text == nil then return "" end
    local name = ffi.string(text)
    h5.H5free_memory(text)
    return name
  end

  --- The dtype of one of HDF5's types; or nil and a description of the type.
  local function dtype_of(id)
    local class, size = h5.H5Tget_class(id), tonumber(h5.H5Tget_size(id))
    if class == INTEGER and (size == 1 or size == 2 or size == 4 or size == 8) then
      return (h5.H5Tget_sign(id) == 0 and "uint" or "int") .. 8 * size
    elseif class == FLOAT and (size == 2 or size == 4 or size == 8) then return "float" .. 8 * size
    elseif class == ENUM and size == 1 and h5.H5Tget_nmembers(id) == 2 and member_name(id, 0) == "FALSE"
      and member_name(id, 1) == "TRUE" then return "bool"
    elseif class == COMPOUND and (size == 8 or size == 16) and h5.H5Tget_nmembers(id) == 2
      and member_name(id, 0) == "r" and member_name(id, 1) == "i" and h5.H5Tget_member_class(id, 0) == FLOAT
      and h5.H5Tget_member_class(id, 1) == FLOAT then return "complex" .. 8 * size end
    return nil, CLASSES[class] or sformat("numbers of %d bytes", size)
  end

  local function shape_of(keep, set)
    local space = keep("H5Sclose", h5.H5Dget_space(set))
    if h5.H5Sget_simple_extent_type(space) == NULL_SPACE then return { 0 } end
    local n = h5.H5Sget_simple_extent_ndims(space)
    local dims, shape = ffi.new("uint64_t[?]", math.max(n, 1)), {}
    if n > 0 then h5.H5Sget_simple_extent_dims(space, dims, nil) end
    for d = 1, n do shape[d] = tonumber(dims[d - 1]) end
    return shape
  end

  -- ==== Reading ======================================================================================================

  --- Why a dataset cannot be read: the filter that this libhdf5 lacks, or that the reason is not known.
  local function what_is_missing(keep, set)
    local list = keep("H5Pclose", h5.H5Dget_create_plist(set))
    for k = 0, list >= 0 and h5.H5Pget_nfilters(list) - 1 or -1 do
      local name, n = ffi.new("char[64]"), ffi.new("size_t[1]")
      local filter = h5.H5Pget_filter2(list, k, ffi.new("unsigned[1]"), n, nil, 64, name, ffi.new("unsigned[1]"))
      if filter >= 0 and h5.H5Zfilter_avail(filter) <= 0 then
        name = ffi.string(name):match("^[^;]+") or FILTERS[filter]
        return sformat(": it went through the filter %d%s, for which libhdf5 has no plugin; the variable "
          .. "HDF5_PLUGIN_PATH names the folder of plugins", filter, name and " (" .. name .. ")" or "")
      end
    end
    return ""
  end

  local function open_file(name, keep, path)
    common.type(name, "path", path, "string")
    common.open(name, "path", path):close()
    local id = keep("H5Fclose", h5.H5Fopen(path, READ_ONLY, 0))
    if id < 0 then fail(name, sformat("%s: no HDF5 file, or a damaged one", path)) end
    return id
  end

  def("hdf5.read(path: string, name: string; device?: string) -> array",
    "The dataset of that name in an HDF5 file, such as \"group/x\": numbers, booleans and complex numbers as h5py "
    .. "writes them. Needs libhdf5.", function(path, name, device)
      local this = "hdf5.read"
      need_library(this)
      common.type(this, "name", name, "string")
      return closing(function(keep)
        local file = open_file(this, keep, path)
        local set = keep("H5Dclose", h5.H5Dopen2(file, name, 0))
        if set < 0 then fail(this, sformat("%s: no dataset '%.90s'; ma.hdf5.list names them", path, name)) end
        local dtype, what = dtype_of(keep("H5Tclose", h5.H5Dget_type(set)))
        if not dtype then fail(this, sformat("%s: '%.90s' has %s; numbers are read", path, name, what)) end
        local a = ma.empty(shape_of(keep, set), { dtype = dtype, device = "cpu" })
        if a.size > 0 and h5.H5Dread(set, type_of(keep, dtype), 0, 0, 0, a:data()) < 0 then
          fail(this, sformat("%s: '%.90s' cannot be read%s", path, name, what_is_missing(keep, set)))
        end
        return device == "cpu" and a or a:to(device or ma.zeros(1).device)
      end)
    end)

  --- Adds a group's datasets to `found`. `seen` has the groups visited, by their places, since links may make a circle.
  local function list_group(group, prefix, found, seen, depth)
    local info, place = ffi.new("moonarray_h5_group"), ffi.new("uint64_t[1]")
    if depth > DEEPEST or h5.H5Gget_info(group, info) < 0 or h5.H5Rcreate(place, group, ".", 0, -1) < 0 then return end
    if seen[tostring(place[0])] then return end
    seen[tostring(place[0])] = true
    for k = 0, tonumber(info.nlinks) - 1 do
      local size = tonumber(h5.H5Lget_name_by_idx(group, ".", 0, 0, k, nil, 0, 0))
      if size > 0 then
        local text = ffi.new("char[?]", size + 1)
        h5.H5Lget_name_by_idx(group, ".", 0, 0, k, text, size + 1, 0)
        local name = ffi.string(text, size)
        closing(function(own)
          local object = own("H5Oclose", h5.H5Oopen(group, name, 0))
          local kind = object >= 0 and h5.H5Iget_type(object)
          if not kind then
            found[#found + 1] = { name = prefix .. name, shape = {}, other = UNREADABLE }
          elseif kind == GROUP then list_group(object, prefix .. name .. "/", found, seen, depth + 1)
          elseif kind == DATASET then
            local dtype, what = dtype_of(own("H5Tclose", h5.H5Dget_type(object)))
            found[#found + 1] = { name = prefix .. name, shape = shape_of(own, object), dtype = dtype, other = what }
          end
        end)
      end
    end
  end

  def("hdf5.list(path: string) -> table",
    "The datasets of an HDF5 file in all its groups: a list of {name =, shape =, dtype =}, sorted by name within each "
    .. "group. One that ma.hdf5.read does not read has no dtype, and `other` says what it has. Needs libhdf5.",
    function(path)
      need_library "hdf5.list"
      return closing(function(keep)
        local found = {}
        local file = open_file("hdf5.list", keep, path)
        list_group(keep("H5Oclose", h5.H5Oopen(file, "/", 0)), "", found, {}, 0)
        return found
      end)
    end)

  -- ==== Writing ======================================================================================================

  --- A file that libhdf5 keeps in memory. It must not write to a disk itself: on a full disk it ends the process.
  local function new_file(this, keep, path, nbytes)
    local room = h5.H5allocate_memory(nbytes + SLACK, false)
    if room == nil then fail(this, sformat("out of memory: %.0f bytes for a file that is made in memory", nbytes)) end
    h5.H5free_memory(room)
    local access = keep("H5Pclose", h5.H5Pcreate(h5.H5P_CLS_FILE_ACCESS_ID_g))
    local file = access < 0 and -1 or h5.H5Pset_fapl_core(access, nbytes + SLACK, 0) < 0 and -1
      or keep("H5Fclose", h5.H5Fcreate(path, TRUNCATE, 0, access))
    if file < 0 then fail(this, sformat("libhdf5 makes no file in memory for %s", path)) end
    return file
  end

  local function write_set(this, keep, file, link, name, array)
    local type = type_of(keep, array.dtype)
    if not type then fail(this, sformat("'%.90s' is %s, which HDF5 has not", name, array.dtype)) end
    local host, ndim = core.contiguous(array.device == "cpu" and array or array:get()), array.ndim
    local dims = ffi.new("uint64_t[?]", math.max(ndim, 1))
    for d = 1, ndim do dims[d - 1] = host.shape[d] end
    local space = keep("H5Sclose", ndim == 0 and h5.H5Screate(SCALAR) or h5.H5Screate_simple(ndim, dims, nil))
    local set = keep("H5Dclose", h5.H5Dcreate2(file, name, type, space, link, 0, 0))
    if set < 0 then fail(this, sformat("'%.90s' is no name of a dataset here", name)) end
    if host.size > 0 and h5.H5Dwrite(set, type, 0, 0, 0, host:data()) < 0 then
      fail(this, sformat("'%.90s' cannot be written", name))
    end
  end

  --- The bytes of the file, as an array that lasts until the file is closed.
  local function bytes_of(this, file, path)
    local size, handle = -1, ffi.new "void *[1]"
    if h5.H5Fflush(file, GLOBAL) >= 0 and h5.H5Fget_vfd_handle(file, 0, handle) >= 0 then
      size = tonumber(h5.H5Fget_file_image(file, nil, 0))
    end
    if size < 0 then fail(this, sformat("libhdf5 does not finish %s", path)) end
    return ma.frombuffer(ffi.cast("uint8_t **", handle[0])[0], { size }, "uint8", { device = "cpu" })
  end

  --> hdf5 hdf5.write hdf5.list hdf5.read: local name = os.tmpname() .. ".h5"
  -->   ma.hdf5.write(name, {x = ma.ones(2)})
  -->   local sets, x = ma.hdf5.list(name), ma.hdf5.read(name, "x")
  -->   os.remove(name)
  -->   return sets[1].name, x
  --> > x	[1. 1.]
  --> > (2,) float64, cpu
  def("hdf5.write(path: string, arrays: table)",
    "Writes an HDF5 file with a dataset for each array of the table {name = array}; a name such as \"group/x\" makes "
    .. "the group. The file is put together in memory, and an old one is replaced when it is complete. Needs libhdf5.",
    function(path, arrays)
      local this = "hdf5.write"
      need_library(this)
      common.type(this, "path", path, "string")
      common.type(this, "arrays", arrays, "table")
      local names, sets, nbytes = {}, {}, 0
      for name, array in pairs(arrays) do
        names[#names + 1] = common.type(this, "a name", name, "string")
        sets[name] = core.is_array(array) and array or core.asarray(array)
        nbytes = nbytes + sets[name].nbytes
      end
      table.sort(names)
      closing(function(keep)
        local file = new_file(this, keep, path, nbytes)
        local link = keep("H5Pclose", h5.H5Pcreate(h5.H5P_CLS_LINK_CREATE_ID_g))
        if h5.H5Pset_create_intermediate_group(link, 1) < 0 then fail(this, "libhdf5 makes no groups") end
        for _, name in ipairs(names) do
          closing(function(own) write_set(this, own, file, link, name, sets[name]) end, this)
        end
        local bytes = bytes_of(this, file, path)
        local ok, why = pcall(bytes.tofile, bytes, path)
        bytes:free()
        if not ok then
          why = tostring(why):gsub("^.-moonarray%.[%w_.]+: ", "")
          fail(this, sformat("cannot write %s: %s", path, why:match("^cannot open '.-': (.*)$") or why))
        end
      end)
    end)
end
