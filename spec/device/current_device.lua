--- The program of current_device_spec.lua: which device an array is on. It runs where there are two GPUs, which
--- may be pretended ones, and prints "ok" at the end.

local ma = require "moonarray"

local function on(device, what, a)
  if a.device ~= device then error(("%s is on %s; wanted %s"):format(what, a.device, device), 2) end
end

local moving = { "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "asarray_chkfinite", "copy",
  "require" }
local sharing = { asarray = true, asanyarray = true, ascontiguousarray = true, asfortranarray = true, require = true,
  asarray_chkfinite = true }

local host = ma.arange(6, "float64", { device = "cpu" }):reshape(2, 3)
local first = ma.arange(6, "float64"):reshape(2, 3)
on("cuda:0", "an array of the default device", first)

local function same(what, a, b)
  if not ma.array_equal(a:get(), b:get()) then error(what .. " has other elements", 2) end
end

for _, name in ipairs(moving) do
  local fn = ma[name]
  for given, a in pairs { ["an array of the CPU"] = host, ["a transpose"] = host.T, ["a view"] = host["2"],
    ["an empty array"] = host["1:1, :"][{ {}, {} }], ["an array of cuda:0"] = first } do
    local what = ("ma.%s of %s"):format(name, given)
    on("cuda:0", what, fn(a))
    same(what, fn(a), a)
    on("cuda:1", what .. " under cuda:1", ma.cuda.Device(1):with(fn, a))
    on("cpu", "numpy's " .. what, ma.numpy[name](a))
    on("cpu", what .. " with device", fn(a, { device = "cpu" }))
  end
  on("cuda:0", name .. " of a table", fn { 1, 2, 3 })
  on("cuda:0", name .. " of a table of arrays", fn { host, host })
  local again = fn(first)
  local shared = again == first or ma.shares_memory(again, first)
  if name ~= "asfortranarray" and shared ~= (sharing[name] or false) then
    error(("%s of an array of the current device %s memory with it"):format(name, shared and "shares" or "shares no"))
  end
end

on("cuda:0", "asarray with a dtype", ma.asarray(host, "float32"))
on("cuda:0", "array with ndmin", ma.array(host, { ndmin = 4 }))
assert(not pcall(ma.asarray, host, { copy = false }), "copy = false of an array elsewhere needs a copy")

-- Methods, and functions that compute, stay where their arrays are.
on("cpu", "a:copy()", host:copy())
on("cpu", "a:astype()", host:astype("float32"))
for name, fn in pairs {
  fft = ma.fft.fft, sort = ma.sort, median = ma.median, cumsum = ma.cumsum, flip = ma.flip, tile = function(a)
    return ma.tile(a, 2)
  end, clip = function(a) return ma.clip(a, 1, 3) end, where = function(a) return ma.where(a:gt(2), a, 0) end,
  pad = function(a) return ma.pad(a, 1) end, full_like = function(a) return ma.full_like(a, 2) end,
  norm = ma.linalg.norm, diff = ma.diff, einsum = function(a) return ma.einsum("ij->j", a) end,
  gaussian = function(a) return ma.ndimage.gaussian_filter(a, 1) end, zscore = ma.stats.zscore,
  convolve = function(a) return ma.signal.fftconvolve(a, a) end, digitize = function(a)
    return ma.digitize(a, ma.asarray({ 1, 2 }, { device = "cpu" }))
  end } do
  on("cpu", name .. " of an array of the CPU", fn(host))
end

-- A number or a table beside an array goes to the array's device.
local row, generator = host["1"], ma.random.default_rng(1)
for name, made in pairs {
  interp = ma.interp(1.5, row, row), ["interp at an array"] = ma.interp(row, { 0, 2 }, { 3, 4 }),
  ["interp with a period"] = ma.interp({ 1.5 }, row, row, { period = 3 }), digitize = ma.digitize({ 1.5 }, row),
  searchsorted = ma.searchsorted({ 0, 1, 2 }, row), isin = ma.isin(1, row), union1d = ma.union1d({ 7 }, row),
  setdiff1d = ma.setdiff1d({ 7 }, row), append = ma.append(row, 3), ["append in front"] = ma.append({ 3 }, row),
  vstack = ma.vstack { { 1, 2, 3 }, row }, block = ma.block { { 1, row } }, isclose = ma.isclose(1, row),
  clip = ma.clip(1, 0, row), where = ma.where({ true, false, true }, row, 0), average = ma.average(row, 1, { 1, 2, 3 }),
  trapezoid = ma.trapezoid({ 1, 2, 3 }, row), ediff1d = ma.ediff1d(row, { 1 }),
  diff = ma.diff(row, 1, 1, 0, { 4 }), uniform = generator:uniform(-1, row),
  ["uniform from an array"] = generator:uniform(row, { 5, 5, 5 }), normal = generator:normal({ 1, 2, 3 }, row),
  gamma = generator:gamma({ 1, 2, 3 }, row), binomial = generator:binomial({ 1, 2, 3 }, row / 2),
  integers = generator:integers({ -1, -1, -1 }, row:astype("int64")),
} do
  on("cpu", name .. " of an array of the CPU and what is none", made)
end
assert(ma.array_equal({ 0, 1, 2 }, row) and ma.allclose({ 0, 1, 2 }, row), "a table equals an array of the CPU")

-- Memory is shown where it is.
local text = ("\1\2\3\4"):rep(2)
on("cpu", "frombuffer", ma.frombuffer(text, "uint8"))
on("cuda:0", "asarray of frombuffer", ma.asarray(ma.frombuffer(text, "uint8")))
on("cuda:1", "frombuffer with device", ma.frombuffer(text, "uint8", { device = "cuda:1" }))
on("cpu", "from_dlpack", ma.from_dlpack(host))
on("cuda:0", "asarray of from_dlpack", ma.asarray(ma.from_dlpack(host)))

-- A copy to a device does not wait; one to the host does, as assign.
ma.allow_synchronize(false, function()
  on("cuda:0", "asarray without waiting", ma.asarray(host))
  assert(not pcall(ma.asarray, first, { device = "cpu" }), "a copy to the host waits")
end)

print "ok"
