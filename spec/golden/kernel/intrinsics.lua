-- What a GPU gives for the functions of intrinsics_table.lua, which spec/kernel/intrinsics_spec.lua holds the CPU to.
-- Run on a GPU, from the repository's root, it writes a file, which the second line packs:
--
--   MOONARRAY_DEVICE=cuda luajit spec/golden/kernel/intrinsics.lua build/intrinsics.txt [WHOLE]
--   make golden GOLDEN=intrinsics=build/intrinsics.txt
--
-- A line is a row's name, the bits of its first results, and for rows of "=" a hash of every BLOCK of the others; WHOLE
-- gets the bits of all. NaNs have one pattern. A name of a row and a fixed seed decide over its arguments, so a run
-- elsewhere has the same ones.

local bit, ffi = require "bit", require "ffi"
local here = debug.getinfo(1, "S").source:match("^@(.*)intrinsics%.lua$")
local rows = dofile(here .. "intrinsics_table.lua")

local golden = { rows = rows, BLOCK = 64, SHOWN = 32 }

local types = {
  i = { c = "int", ffi = "int32_t", dtype = "int32" }, u = { c = "unsigned", ffi = "uint32_t", dtype = "uint32" },
  l = { c = "long long", ffi = "int64_t", dtype = "int64" },
  v = { c = "unsigned long long", ffi = "uint64_t", dtype = "uint64" },
  f = { c = "float", ffi = "float", dtype = "float32", bits = "uint32_t" },
  d = { c = "double", ffi = "double", dtype = "float64", bits = "uint64_t" },
}
for _, t in pairs(types) do t.size = ffi.sizeof(t.ffi) end
golden.types = types

-- ==== Arguments ====

--- FNV-1a over bytes.
local function hash(text)
  local h = bit.tobit(0x811c9dc5)
  for k = 1, #text do
    h = bit.bxor(h, text:byte(k))
    h = bit.tobit(h + bit.lshift(h, 1) + bit.lshift(h, 4) + bit.lshift(h, 7) + bit.lshift(h, 8) + bit.lshift(h, 24))
  end
  return h
end

golden.hash = hash

local function generator(text)
  local x = bit.bor(hash(text), 1)
  return function()                    -- 32 random bits, as a number from 0
    x = bit.bxor(x, bit.lshift(x, 13))
    x = bit.bxor(x, bit.rshift(x, 17))
    x = bit.bxor(x, bit.lshift(x, 5))
    return x % 4294967296
  end
end

local word = ffi.new("union { uint32_t u; int32_t i; float f; uint64_t v; int64_t l; double d; uint32_t half[2]; }")

word.v = 0xfff8000000000000ULL
local nan = word.d                     -- what 0 / 0 is on x64; on ARM it has no sign

--- What is in `word`. Lua must not see another NaN than its own: it keeps its types in them.
local function read(letter)
  if letter == "f" and bit.band(word.u, 0x7fffffff) > 0x7f800000 or letter == "d" and word.v * 2
    > 0xffe0000000000000ULL then
    return nan
  end
  return word[letter]
end

local function of_bits(letter, bits)
  word.v = bits
  return read(letter)
end

local edges = { u = { 0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x80008000, 0x7fff7fff, 0x80808080, 0x7f7f7f7f,
  0x00010001, 0x01010101, 0xffff0000, 0x00ff00ff,
  0x8000ffff, 2, 31, 32, 33, 0x7fff, 0x8000, 0xffff, 255, 0x00ffffff, 0x01000000, 0xff800000, 0x12345678, 0x9abcdef0,
  64, 16, 8 } }
edges.f = { 0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x80000001, 0x7f7fffff,
  0xff7fffff, 0x00800000, 0x3f000000,
  0xbf000000,
  0x007fffff, 0x80800000, 0x40000000, 0xc0000000, 0x3fc00000, 0xbfc00000, 0x40200000, 0xc0200000, 0x3e800000,
  0x3f400000, 0x3f7fffff, 0x3f800001, 0xbf7fffff,
  0x40400000, 0xc0400000, 0x40490fdb, 0x3fc90fdb, 0x4affffff, 0x4b000001, 0x4b800000, 0x4effffff, 0x4f000000,
  0xcf000000, 0x4f7fffff, 0x4f800000, 0x5effffff,
  0x5f000000, 0xdf000000, 0x5f7fffff, 0x5f800000, 0x41200000, 0x42c80000, 0x42b0c0a5, 0xc2aeac50, 0xc2cff1b4,
  0x3727c5ac, 0x501502f9, 0xc1200000, 0x3eaaaaab,
  0x2f800000, 0x1f000000, 0x34000000 }
edges.d = {}
for k, bits in ipairs(edges.f) do
  local special = { [8] = 1ULL, [9] = 0x8000000000000001ULL, [10] = 0x7fefffffffffffffULL, [11] = 0xffefffffffffffffULL,
    [12] = 0x0010000000000000ULL,
    [15] = 0x000fffffffffffffULL, [16] = 0x8010000000000000ULL, [25] = 0x3fefffffffffffffULL,
    [26] = 0x3ff0000000000001ULL, [27] = 0xbfefffffffffffffULL,
    [32] = 0x432fffffffffffffULL, [33] = 0x4330000000000001ULL, [34] = 0x4340000000000000ULL,
    [35] = 0x41dfffffffc00000ULL, [38] = 0x41efffffffe00000ULL,
    [40] = 0x43dfffffffffffffULL, [43] = 0x43efffffffffffffULL, [47] = 0x40862e42fefa39efULL,
    [48] = 0xc0874910d52d3051ULL, [54] = 0x3690000000000000ULL,
    [55] = 0x380fffffe0000000ULL, [56] = 0x1ff0000000000000ULL, [7] = 0x7ff8000000000000ULL }
  word.v = 0
  word.u = bits
  word.d = word.f
  edges.d[k] = special[k] or word.v + 0ULL
end
edges.v = {}
for k, bits in ipairs(edges.u) do
  edges.v[k] = k <= 14 and bit.bor(bit.lshift(bits + 0ULL, 32), k % 2 == 0 and 0ULL or bits) or bits + 0ULL
end
for _, bits in ipairs { 0xffffffffffffffffULL, 0x8000000000000000ULL, 0x7fffffffffffffffULL, 0x0020000000000001ULL,
  0x0040000000000001ULL,
  0x00000000fffffffeULL,
  0x7ffffffffffffdffULL, 0x7ffffffffffffe00ULL, 0xfffffffffffffbffULL, 0xfffffffffffffc00ULL, 0x0000000001000001ULL,
  0x0000000003000003ULL } do
  edges.v[#edges.v + 1] = bits
end
edges.i, edges.l = edges.u, edges.v

--- A random value of all kinds: any bits, small numbers, numbers about the ends of the integers.
local function any(letter, random)
  local kind, shift = random() % 4, random()
  if letter == "i" or letter == "u" then
    local x = bit.rshift(bit.tobit(random()), shift % 4 == 0 and 0 or shift % 32)
    return of_bits(letter, (kind == 0 and -x or x) % 4294967296 + 0ULL)
  end
  local both = bit.bor(bit.lshift(random() + 0ULL, 32), random() + 0ULL)
  if letter == "l" or letter == "v" then
    both = shift % 4 == 0 and both or bit.rshift(both, shift % 64)
    return of_bits(letter, kind == 0 and 0ULL - both or both)
  end
  if kind == 0 then return letter == "f" and of_bits("f", random() + 0ULL) or of_bits("d", both) end
  local unit = random() / 4294967296 + random() / 4294967296 / 4294967296
  word.d = kind == 1 and (unit - 0.5) * 24 or (unit - 0.5) * 2 ^ (shift % 70 - 2)
  if letter == "f" then word.f = word.d; return tonumber(word.f) end
  return tonumber(word.d)
end

local function range_of(row, letter)
  if letter == "f" or letter == "d" then
    local low, high = row.arguments:match("^(%-?[%d.e]+)%.%.(%-?[%d.e]+)$")
    if not low then low, high = row.arguments:match(" (%-?[%d.e]+)%.%.(%-?[%d.e]+)$") end
    return tonumber(low), tonumber(high)
  end
  local low, high = row.arguments:match("n(%-?%d+)%.%.(%d+)")
  return tonumber(low), tonumber(high)
end

--- One value for a parameter; `before` are those of the parameters before it.
local function pick(row, letter, random, before)
  local low, high = range_of(row, letter)
  local chance = random() % 8
  if low and (letter == "f" or letter == "d") then
    if chance == 0 then
      local x = tonumber(of_bits(letter, edges[letter][random() % #edges[letter] + 1] + 0ULL))
      if x >= low and x <= high then return x end
    end
    word.d = low + (high - low) * (random() / 4294967296)
    if letter == "f" then word.f = word.d; return math.max(low, math.min(high, tonumber(word.f))) end
    return tonumber(word.d)
  elseif low then
    return of_bits(letter, low + random() % (high - low + 1) + 0LL)
  end
  if chance < 3 then return of_bits(letter, edges[letter][random() % #edges[letter] + 1] + 0ULL) end
  local last = before[#before]
  if chance == 3 and last and last.letter == letter then          -- a neighbour of the one before, or its opposite
    word.v = 0
    word[letter] = last.value
    word.u = (word.u + random() % 3) % 4294967296
    if random() % 2 == 0 then
      if letter == "f" or letter == "d" then word.half[letter == "f" and 0 or 1] =
        bit.bxor(word.half[letter == "f" and 0 or 1], 0x80000000)
      else word.v = 0ULL - word.v end
    end
    return read(letter) + 0
  end
  return any(letter, random)
end
-- A trace for ARM multiplies and adds with one rounding, so the arguments would be others there.
jit.off(pick)

--- The arguments of a row, as a list of bytes by parameter, and how many there are.
function golden.arguments(row)
  local np, exact = #row.parameters, row.bound == "="
  local random = generator(row.parameters .. row.arguments .. (exact and "=" or ""))
  local n = exact and 1024 * math.min(np, 2) or 128 + 64 * math.min(np, 2)
  local columns = {}
  for p = 1, np do columns[p] = ffi.new(types[row.parameters:sub(p, p)].ffi .. "[?]", n) end
  for k = 0, n - 1 do
    local before = {}
    for p = 1, np do
      local letter = row.parameters:sub(p, p)
      local list, value = edges[letter]
      local place = k - golden.SHOWN + 1                           -- all edges, behind what is shown
      if np == 1 and not range_of(row, letter) and list[place] then value = of_bits(letter, list[place] + 0ULL)
      else value = pick(row, letter, random, before) end
      columns[p][k] = value
      before[p] = { letter = letter, value = value }
    end
  end
  local bytes = {}
  for p = 1, np do bytes[p] = ffi.string(columns[p], n * types[row.parameters:sub(p, p)].size) end
  return bytes, n
end

-- ==== Kernels: one for all rows of a signature ====

local preamble = [[
template <class A, class B> struct same { enum { yes = 0 }; };
template <class A> struct same<A, A> { enum { yes = 1 }; };
#define CHECK(call, T) static_assert(same<decltype(call), T>::yes, #call " is of another type than " #T)
#define BOTH(text) text(float) text(double)
#define PARTS(T) \
  __device__ static T modf_whole(T x) { T w; modf(x, &w); return w; } \
  __device__ static T modf_part(T x) { T w; return modf(x, &w); } \
  __device__ static T frexp_part(T x) { int e; return frexp(x, &e); } \
  __device__ static int frexp_power(T x) { int e = 0; frexp(x, &e); return x - x == 0 ? e : 0; } \
  __device__ static T remquo_rest(T x, T y) { int q; return remquo(x, y, &q); } \
  __device__ static int remquo_bits(T x, T y) { int q = 0; T r = remquo(x, y, &q); return r == r ? q & 7 : 0; } \
  __device__ static T sincos_sin(T x) { T s, c; sincos(x, &s, &c); return s; } \
  __device__ static T sincos_cos(T x) { T s, c; sincos(x, &s, &c); return c; } \
  __device__ static T sincospi_sin(T x) { T s, c; sincospi(x, &s, &c); return s; } \
  __device__ static T sincospi_cos(T x) { T s, c; sincospi(x, &s, &c); return c; }
BOTH(PARTS)
#define FLOATS(name, call) \
  __device__ static float name##_sin(float x) { float s, c; call(x, &s, &c); return s; } \
  __device__ static float name##_cos(float x) { float s, c; call(x, &s, &c); return c; }
FLOATS(sincosf, sincosf) FLOATS(sincospif, sincospif) FLOATS(fastsincos, __sincosf)
__device__ static float norm_of(float a, float b, float c, float d) { float v[] = {a, b, c, d}; return normf(4, v); }
__device__ static float rnorm_of(float a, float b, float c, float d) { float v[] = {a, b, c, d}; return rnormf(4, v); }
__device__ static double norm_of(double a, double b, double c, double d) { double v[] = {a, b, c, d}; return norm(4, v); }
__device__ static double rnorm_of(double a, double b, double c, double d) { double v[] = {a, b, c, d}; return rnorm(4, v); }
/* The result, and which it was in the last bits of the halves. */
__device__ static int vibmax_s32(int a, int b) { bool p; int r = __vibmax_s32(a, b, &p); return r ^ (int)p; }
__device__ static int vibmin_s32(int a, int b) { bool p; int r = __vibmin_s32(a, b, &p); return r ^ (int)p; }
__device__ static unsigned vibmax_u32(unsigned a, unsigned b) { bool p; unsigned r = __vibmax_u32(a, b, &p); return r ^ (unsigned)p; }
__device__ static unsigned vibmin_u32(unsigned a, unsigned b) { bool p; unsigned r = __vibmin_u32(a, b, &p); return r ^ (unsigned)p; }
#define TWO(name) __device__ static unsigned name(unsigned a, unsigned b) { bool h, l; unsigned r = __##name(a, b, &h, &l); \
  return r ^ ((unsigned)h << 16 | l); }
TWO(vibmax_s16x2) TWO(vibmin_s16x2) TWO(vibmax_u16x2) TWO(vibmin_u16x2)
]]

--- The rows by signature, in the order of the table.
function golden.groups()
  local groups, by = {}, {}
  for _, row in ipairs(rows) do
    local key = row.result .. ":" .. row.parameters
    if not by[key] then
      by[key] = { result = row.result, parameters = row.parameters }
      groups[#groups + 1] = by[key]
    end
    local g = by[key]
    g[#g + 1] = row
  end
  return groups
end

function golden.source(group)
  local list, reads = {}, {}
  for p = 1, #group.parameters do
    local c, name = types[group.parameters:sub(p, p)].c, ("abce"):sub(p, p)
    list[p] = ("const %s *x%d"):format(c, p)
    reads[p] = ("  %s %s = x%d[i];\n"):format(c, name, p)
  end
  local result, cases = types[group.result].c, {}
  for k, row in ipairs(group) do
    local plain = row.name:find("(", 1, true) == nil
    cases[k] = ("    case %d: %s r[i] = %s; break;\n"):format(k, plain and ("CHECK(%s, %s);"):format(row.call, result)
      or "", row.call)
  end
  return ([[%sextern "C" __global__ void run(%s, %s *r, int which, int n) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
%s  switch (which) {
%s  }
}
]]):format(preamble, table.concat(list, ", "), result, table.concat(reads), table.concat(cases))
end

-- ==== Results ====

local function one_nan(bytes, letter)
  if letter ~= "f" and letter ~= "d" then return bytes end
  local t = types[letter]
  local n = #bytes / t.size
  local bits = ffi.new(t.bits .. "[?]", n)
  ffi.copy(bits, bytes, #bytes)
  for k = 0, n - 1 do
    if letter == "f" and bit.band(bits[k], 0x7fffffff) > 0x7f800000 then bits[k] = 0x7fc00000
    elseif letter == "d" and bits[k] * 2 > 0xffe0000000000000ULL then bits[k] = 0x7ff8000000000000ULL end
  end
  return ffi.string(bits, #bytes)
end

--- Calls f(row, bytes of its results, bytes of its arguments) for every row that `wanted` takes, on the default device.
function golden.run(ma, wanted, f)
  local device = ma.zeros(1).device
  for _, group in ipairs(golden.groups()) do
    local kernel
    for k, row in ipairs(group) do
      if not wanted or wanted(row) then
        kernel = kernel or ma.RawKernel(golden.source(group), "run")
        local bytes, n = golden.arguments(row)
        local args = {}
        for p = 1, #bytes do
          local borrowed = ma.frombuffer(bytes[p], { n }, types[row.parameters:sub(p, p)].dtype)
          args[p] = device == "cpu" and borrowed:copy() or borrowed:to(device)
        end
        local result = ma.zeros(n, types[row.result].dtype)
        args[#args + 1] = result
        args[#args + 1] = k
        args[#args + 1] = n
        kernel({ math.ceil(n / 128) }, { 128 }, args)
        local host = result:get()
        f(row, one_nan(ffi.string(host:data(), n * types[row.result].size), row.result), bytes, n)
      end
    end
  end
end

--- The bits of results first..last (from 1), the highest digits first.
function golden.hex(row, bytes, first, last)
  local size, list = types[row.result].size, {}
  for k = first, last do
    list[#list + 1] = bytes:sub((k - 1) * size + 1, k * size):reverse():gsub(".",
      function(c) return ("%02x"):format(c:byte()) end)
  end
  return table.concat(list, " ")
end

--- A row's line: name, results, and hashes behind a bar.
function golden.line(row, bytes, n)
  local size = types[row.result].size
  if row.bound ~= "=" then return row.name .. " " .. golden.hex(row, bytes, 1, n) end
  local hashes = {}
  for first = golden.SHOWN, n - 1, golden.BLOCK do
    hashes[#hashes + 1] = bit.tohex(hash(bytes:sub(first * size + 1, math.min(first + golden.BLOCK, n) * size)))
  end
  return row.name .. " " .. golden.hex(row, bytes, 1, golden.SHOWN) .. " | " .. table.concat(hashes, " ")
end

if arg and arg[0] and arg[0]:find("golden/intrinsics.lua", 1, true) and ... ~= nil then
  local ma = require "moonarray"
  local out, whole = assert(io.open((...), "w")), select(2, ...)
  whole = whole and assert(io.open(whole, "w"))
  out:write("# made by intrinsics.lua on ", tostring(ma.zeros(1).device), "\n")
  golden.run(ma, nil, function(row, bytes, _, n)
    out:write(golden.line(row, bytes, n), "\n")
    if whole then whole:write(row.name, " ", golden.hex(row, bytes, 1, n), "\n") end
  end)
  out:close()
  if whole then whole:close() end
end

return golden
