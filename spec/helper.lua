--- What every spec shares: the module under test, a leak check around each test, comparisons of bits, golden data.
--
-- busted loads this file first (`--helper`), a spec takes it with `require "spec.helper"`. `MOONARRAY_DEVICE` picks the
-- device, `SEED` repeats a failed run, `MOONARRAY_SPEC_LONG=1` makes the exhaustive parts run,
-- `MOONARRAY_SPEC_PART=2/9` the second of nine parts of a spec that can be parted. `MOONARRAY_SPEC_SMALL=1` lets small
-- arrays take the path that users get, and `MOONARRAY_SPEC_COLLECT=1` runs the collector all the time.

local loaded = package.loaded["spec.helper"]
if type(loaded) == "table" then return loaded end

local ffi = require "ffi"
local ma = require "moonarray"
local core = require "moonarray.core"
local file = require "spec.file"

-- The locale of the specs: spec/host/locale_spec.lua runs some of them in one with a decimal comma.
local locale = os.getenv "SPEC_LOCALE"
if locale then assert(os.setlocale(locale), "no locale " .. locale) end

local function is_set(name) return (os.getenv(name) or "0") ~= "0" end

local helper = { ma = ma, core = core, long = is_set "MOONARRAY_SPEC_LONG" }
package.loaded["spec.helper"] = helper
helper.defers_small = not is_set "MOONARRAY_SPEC_SMALL"
if helper.defers_small then core.defer_from(1) end       -- specs use small arrays, whose operators are to defer too

if is_set "MOONARRAY_SPEC_COLLECT" then
  collectgarbage("setpause", 100)      -- a cycle begins where one ends
  collectgarbage("setstepmul", 1000)
  debug.sethook(function() collectgarbage("step", 20) end, "", 100)
end

helper.dtypes = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
  "float16", "bfloat16", "float32", "float64", "complex64", "complex128" }
helper.itemsize = { bool = 1, int8 = 1, int16 = 2, int32 = 4, int64 = 8, uint8 = 1, uint16 = 2, uint32 = 4, uint64 = 8,
  float16 = 2, bfloat16 = 2, float32 = 4, float64 = 8, complex64 = 8, complex128 = 16 }
helper.is_float = { float16 = true, bfloat16 = true, float32 = true, float64 = true }
helper.is_complex = { complex64 = true, complex128 = true }

-- ==== Random numbers: one seed a run, printed with every failure ====

helper.seed = tonumber(os.getenv("SEED")) or os.time() % 1000000

--- A generator of its own, so that specs do not depend on the order in which they run.
---@param salt? integer
---@return fun(low?: integer, high?: integer): number
function helper.random(salt)
  local state = (helper.seed * 7919 + (salt or 0) * 104729 + 1) % 2147483647
  if state == 0 then state = 1 end
  return function(low, high)
    state = state * 16807 % 2147483647
    local unit = state / 2147483647
    if not low then return unit end
    return low + math.floor(unit * (high - low + 1))
  end
end

-- ==== Specs in parts, over processes: scripts/test ====

local given = os.getenv("MOONARRAY_SPEC_PART") or "1/1"
local part, nparts = given:match("^(%d+)/(%d+)$")
part, nparts = tonumber(part), tonumber(nparts)
if not part or part < 1 or part > nparts then
  error(("MOONARRAY_SPEC_PART is '%s'; wanted K/N, the K-th of N parts"):format(given))
end
helper.is_first_part = part == 1       -- which has what is not parted

--- Every n-th of a list: those that are this part's.
function helper.part(list)
  local mine = {}
  for k = part, #list, nparts do mine[#mine + 1] = list[k] end
  return mine
end

-- ==== Bytes in and out of arrays ====

--- A number of 32 bits that stands for an array's bytes.
---@param a table
---@return integer
function helper.checksum(a)
  local bytes, h = helper.bytes(a), 5381
  for i = 1, #bytes do h = (h * 33 + bytes:byte(i)) % 4294967296 end
  return h
end

--- An array on the device under test from raw bytes.
---@param bytes string
---@param dtype string
---@param shape? integer[]
function helper.array(bytes, dtype, shape)
  shape = shape or { #bytes / helper.itemsize[dtype] }
  local borrowed = ma.frombuffer(bytes, shape, dtype)      -- of the CPU, read-only: strings do not change
  return helper.device == "cpu" and borrowed:copy() or borrowed:to(helper.device)
end

--- The elements' bytes in C order.
---@return string
function helper.bytes(array)
  local host = array:get()
  if host.size == 0 then return "" end
  return ffi.string(host:data(), host.size * helper.itemsize[host.dtype])
end

---@param hex string
---@return string bytes, boolean[]? undefined, by element (width in hex digits)
function helper.unhex(hex, itemsize)
  if hex == "." then return "" end
  local undefined
  if hex:find("-", 1, true) then
    undefined = {}
    for k = 1, #hex / (2 * itemsize) do
      undefined[k] = hex:byte((k - 1) * 2 * itemsize + 1) == 45
    end
    hex = hex:gsub("%-", "0")
  end
  return (hex:gsub("%x%x", function(digits) return string.char(tonumber(digits, 16)) end)), undefined
end

local function tohex(bytes)
  return (bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

-- ==== Comparing ====

local function half(bits)
  local sign, exponent, fraction = bits >= 0x8000 and -1 or 1, math.floor(bits / 1024) % 32, bits % 1024
  if exponent == 31 then return fraction == 0 and sign / 0 or 0 / 0 end
  if exponent == 0 then return sign * fraction * 2 ^ -24 end
  return sign * (1 + fraction / 1024) * 2 ^ (exponent - 15)
end

local word = ffi.new("union { uint32_t u; float f; }")
local function bfloat(bits)
  word.u = bits * 65536
  return tonumber(word.f)
end

local ctypes = { bool = "uint8_t", float16 = "uint16_t", bfloat16 = "uint16_t", float32 = "float", float64 = "double",
  complex64 = "float", complex128 = "double" }

--- Reads element k (from 0) of a dtype's real parts as a number; 64-bit integers stay cdata. LuaJIT takes some NaNs in
--- memory for values of other types (all bits set, which a GPU gives for -log(-1), is nil), so a NaN is never read.
local function reader(bytes, dtype)
  local ctype = ctypes[dtype] or dtype .. "_t"
  local p = ffi.cast("const " .. ctype .. " *", bytes)
  if ctype == "float" or ctype == "double" then
    local words = ffi.cast("const uint32_t *", bytes)
    local by, high, infinity = 1, 0, 0x7f800000
    if ctype == "double" then by, high, infinity = 2, 1, 0x7ff00000 end
    return function(k)
      local top = words[by * k + high] % 0x80000000
      if top > infinity or (by == 2 and top == infinity and words[2 * k] > 0) then return 0 / 0 end
      return p[k]
    end
  end
  if dtype == "float16" then return function(k) return half(p[k]) end end
  if dtype == "bfloat16" then return function(k) return bfloat(p[k]) end end
  return function(k) return p[k] end
end

--- The elements as a list of Lua numbers (complex: real and imaginary parts in turn).
function helper.numbers(bytes, dtype)
  local size = helper.itemsize[dtype] / (helper.is_complex[dtype] and 2 or 1)
  local get, list = reader(bytes, dtype), {}
  for k = 1, #bytes / size do list[k] = tonumber(get(k - 1)) end
  return list
end

-- Floats in the order of their values as integers: the distance of two is their distance in ulp.
local ordered = {
  [2] = function(bytes)
    local p = ffi.cast("const uint16_t *", bytes)
    return function(k) local v = p[k] return v >= 0x8000 and 0x8000 - v or v end
  end,
  [4] = function(bytes)
    local p = ffi.cast("const uint32_t *", bytes)
    return function(k) local v = p[k] return v >= 0x80000000 and 0x80000000 - v or v end
  end,
  [8] = function(bytes)
    local p = ffi.cast("const int64_t *", bytes)
    local low = ffi.cast("int64_t", 0x8000000000000000ULL)
    return function(k) local v = p[k] return v < 0 and low - v or v end
  end,
}

local mantissa = { float16 = 10, bfloat16 = 7, float32 = 23, float64 = 52 }
helper.eps = {}
for name, bits in pairs(mantissa) do helper.eps[name] = 2 ^ -bits end
helper.eps.complex64, helper.eps.complex128 = helper.eps.float32, helper.eps.float64

local function describe(get, k, complex)
  if complex then return ("(%.17g, %.17g)"):format(tonumber(get(2 * k)), tonumber(get(2 * k + 1))) end
  local v = get(k)
  return type(v) == "cdata" and tostring(v):gsub("U?LL$", "") or ("%.17g"):format(v)
end

--- The first place where two arrays' bytes differ by more than `ulp`, as a sentence; nil if none does. NaN equals NaN;
--- 0 and -0 differ when ulp is 0, unless `zero` is given. Complex numbers with ulp > 0 compare by the norm.
---@param got string
---@param want string
---@param dtype string
---@param ulp? number
---@param undefined? boolean[] elements that are not compared
---@param zero? boolean 0 equals -0
---@return string? difference
function helper.difference(got, want, dtype, ulp, undefined, zero)
  if #got ~= #want then return ("%d bytes; wanted %d"):format(#got, #want) end
  if got == want then return nil end
  ulp = ulp or 0
  local size, complex = helper.itemsize[dtype], helper.is_complex[dtype]
  local a, b = reader(got, dtype), reader(want, dtype)
  local function say(k, why)
    return ("element %d is %s; wanted %s%s"):format(k + 1, describe(a, k, complex), describe(b, k, complex), why or "")
  end
  if complex then
    local eps = helper.eps[dtype]
    for k = 0, #got / size - 1 do
      if not (undefined and undefined[k + 1]) then
        local ar, ai, br, bi = a(2 * k), a(2 * k + 1), b(2 * k), b(2 * k + 1)
        local function same(x, y) return x == y and (zero or ulp > 0 or 1 / x == 1 / y) or x ~= x and y ~= y end
        if not (same(ar, br) and same(ai, bi)) then
          local scale = math.max(math.abs(br), math.abs(bi))
          local off = math.max(math.abs(ar - br), math.abs(ai - bi))
          if off ~= off or off > ulp * eps * scale then return say(k) end
        end
      end
    end
    return nil
  end
  if not helper.is_float[dtype] then
    for k = 0, #got / size - 1 do
      if not (undefined and undefined[k + 1]) and a(k) ~= b(k) then return say(k) end
    end
    return nil
  end
  local x, y = ordered[size](got), ordered[size](want)
  local bits_a, bits_b = ffi.cast("const uint8_t *", got), ffi.cast("const uint8_t *", want)
  for k = 0, #got / size - 1 do
    if not (undefined and undefined[k + 1]) then
      local va, vb = a(k), b(k)
      if va ~= va or vb ~= vb then
        if va == va or vb == vb then return say(k) end
      else
        local distance = tonumber(x(k) - y(k))
        if distance < 0 then distance = -distance end
        if distance > ulp then return say(k, (", %g ulp apart"):format(distance)) end
        local sign = (k + 1) * size - 1
        if distance == 0 and ulp == 0 and not zero and bits_a[sign] ~= bits_b[sign] then
          return say(k, " (sign of zero)")
        end
      end
    end
  end
  return nil
end

--- Fails with the first difference, the label and the seed.
function helper.same(got, want, dtype, ulp, label, undefined, zero)
  local why = helper.difference(got, want, dtype, ulp, undefined, zero)
  if why then error(("%s: %s (SEED=%d)"):format(label or dtype, why, helper.seed), 2) end
end

--- Are tables of numbers equal? NaN is equal to NaN.
function helper.same_numbers(found, expected, label)
  assert(#found == #expected, label)
  for k = 1, #expected do
    local x, y = found[k], expected[k]
    if not (x == y or x ~= x and y ~= y) then error(("%s %d: %.17g; wanted %.17g"):format(label, k, x, y), 2) end
  end
end

--- Same dtype, shape and bits of two arrays, or as many ulp apart as `ulp` says.
function helper.identical(a, b, label, ulp)
  if a.dtype ~= b.dtype then error(("%s: dtype %s; wanted %s"):format(label, a.dtype, b.dtype), 2) end
  local sa, sb = helper.shape(a), helper.shape(b)
  if sa ~= sb then error(("%s: shape %s; wanted %s"):format(label, sa, sb), 2) end
  helper.same(helper.bytes(a), helper.bytes(b), a.dtype, ulp or 0, label)
end

--- The arrays that a call gives, evaluated, and whether the CPU stood in for a GPU that has no kernel for it. Then the
--- last bits of functions of mathematics may be others than the GPU's (docs/bundles.md).
---@return any[] results, boolean stood_in
function helper.stood_in(fn, ...)
  local before = core.stand_ins()
  local results = { fn(...) }
  ma.eval(unpack(results))
  return results, core.stand_ins() > before
end

--- "2x3", "()" for 0-d.
function helper.shape(array)
  return array.ndim == 0 and "()" or table.concat(array.shape, "x")
end

---@param text string
---@return integer[]
function helper.parse_shape(text)
  local shape = {}
  for n in text:gmatch("%d+") do shape[#shape + 1] = tonumber(n) end
  return shape
end

--- Calls and expects an error of the module's form: "place: moonarray.name: ...". Returns the message.
function helper.fails(f, ...)
  local ok, message = pcall(f, ...)
  if ok then error("no error was raised", 2) end
  if type(message) ~= "string" or not message:find("moonarray", 1, true) then
    error("the error does not name moonarray: " .. tostring(message), 2)
  end
  return message
end

--- Calls and expects an error with this text, of the call or of what a kernel notes until the device is waited for.
function helper.fails_with(text, f, ...)
  local args, n = { ... }, select("#", ...)
  local message = helper.fails(function()
    f(unpack(args, 1, n))
    ma.zeros(1):get()
  end)
  if not message:find(text, 1, true) then error(("the error has no '%s': %s"):format(text, message), 2) end
end

--- A command that runs a Python with this library, or nil: $PYTHON, the first one of the path, the system's.
---@param library string
---@return string?
function helper.python(library)
  for _, python in ipairs { os.getenv("PYTHON") or "python3", "/usr/bin/python3" } do
    local status = os.execute(("%s -c 'import %s' >/dev/null 2>&1"):format(python, library))
    if status == 0 or status == true then return python end
  end
  return nil
end

ffi.cdef "const char *gnu_get_libc_version(void);"

--- Whether this process has another processor or C library than the system's programs, as under qemu, or for musl. Then
--- they load none of its libraries, and it none of theirs.
function helper.is_guest()
  if jit.os ~= "Linux" then return false end
  local pipe = assert(io.popen("uname -m; getconf GNU_LIBC_VERSION 2>/dev/null"))
  local machine, glibc = pipe:read("*l", "*l")
  pipe:close()
  local ours = ({ x64 = "x86_64", arm64 = "aarch64" })[jit.arch]
  return machine ~= (ours or machine) or pcall(function() return ffi.C.gnu_get_libc_version end) ~= (glibc ~= nil)
end

-- ==== Failures are collected, so that one bad operation does not hide the others ====

---@class helper.failures
local Failures = {}
Failures.__index = Failures

function helper.failures(limit) return setmetatable({ n = 0, limit = limit or 12 }, Failures) end

function Failures:run(label, f, ...)
  local ok, message = pcall(f, ...)
  if not ok then
    self.n = self.n + 1
    if self.n <= self.limit then self[#self + 1] = label .. ": " .. tostring(message) end
  end
  return ok
end

function Failures:check()
  if self.n > 0 then error(("%d failures:\n  %s"):format(self.n, table.concat(self, "\n  ")), 2) end
end

-- ==== The library's own lists ====

--- Every ufunc by name, aliases included: what core.functions lists and is a ufunc object.
function helper.ufuncs()
  local list = {}
  for name in pairs(core.functions) do
    local f = not name:find("[.:]") and not name:find("^%u") and rawget(ma, name)       -- Stream is a class
    if type(f) == "userdata" or type(f) == "table" then list[name] = f end
  end
  return list
end

-- ==== Golden data ====

--- The lines of a member of spec/golden/CHAPTER.npz; spec/golden/manifest.txt names the chapter.
---@param name string
---@return fun(): string?
function helper.golden_lines(name)
  local chapter = file.read("spec/golden/manifest.txt"):match("\n(%S+) " .. name .. " ")
  if not chapter then error(("spec/golden/manifest.txt names no '%s'"):format(name)) end
  local bytes = ma.load(("spec/golden/%s.npz"):format(chapter), { members = { name }, device = "cpu" })[name]
  local text = bytes:tobytes()
  bytes:free()
  return text:gmatch("([^\n]*)\n")
end

--- The records of a golden member, each a list of its fields.
function helper.golden(name)
  local records = {}
  for line in helper.golden_lines(name) do
    if line:sub(1, 1) ~= "#" then
      local fields = {}
      for field in line:gmatch("%S+") do fields[#fields + 1] = field end
      records[#records + 1] = fields
    end
  end
  return records
end

-- ==== Device, and the leak check around each test ====

helper.device = ma.zeros(1).device
-- On a GPU every new program or layout compiles a kernel: unless the run is long, layouts are tried for some dtypes
-- only.
helper.thin = helper.device ~= "cpu" and not helper.long
-- Whether a kernel may be compiled where it is asked for. In make test-gpu-floor a GPU has none of expressions and of
-- the user's own. A test that counts launches calls `takes` or `are_few` of spec/fusion/fusion_helper.lua there; one
-- whose own kernel is missing is skipped (spec/lacking.lua).
helper.compiles = helper.device == "cpu" or os.getenv "MOONARRAY_NVRTC" ~= "0"
helper.tohex = tohex

local path = package.searchpath and package.searchpath("moonarray.core", package.cpath) or "?"
io.stderr:write(("module: %s, device: %s, SEED=%d\n"):format(path, helper.device, helper.seed))

--- Live buffers of the process after two collections.
function helper.live()
  if jit then jit.flush() end                                    -- a trace keeps the arrays it took for constants
  collectgarbage()
  collectgarbage()
  return core.live_buffers()
end

-- An error raised by one of these is reported as an error of the test. Arrays that a file keeps in upvalues are made
-- before.
local has_busted, busted = pcall(require, "busted")
if has_busted and busted.subscribe then
  if not helper.compiles then require("spec.lacking").skip(busted, ma) end
  local live, events, streams
  busted.subscribe({ "test", "start" }, function()
    live = helper.live()
    events, streams = core.live_events(), core.live_streams()
    return nil, true
  end)
  busted.subscribe({ "test", "end" }, function(element)
    local now = helper.live()
    if now ~= live then
      error(("%d live buffers before '%s', %d after it"):format(live, element.name, now), 0)
    end
    if core.live_events() ~= events then
      error(("%d live events before '%s', %d after it"):format(events, element.name, core.live_events()), 0)
    end
    if core.live_streams() ~= streams then
      error(("%d live streams before '%s', %d after it"):format(streams, element.name, core.live_streams()), 0)
    end
    return nil, true
  end)
end

return helper
