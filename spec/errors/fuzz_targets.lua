--- What fuzz_spec.lua calls: every public function, every method of arrays, and the methods, attributes and calls
--- of every kind of object.

local helper = require "spec.helper"
local values = require "spec.errors.fuzz_values"
local ma, core = helper.ma, helper.core
local random, pick = values.random, values.pick

local on_gpu = helper.device ~= "cpu"

-- A number here is an address that is followed, or a count of how often to do a thing: the first kind is trusted, the
-- second takes its time.
local function no_number(f) return
  function(first, ...) if type(first) ~= "number" and type(first) ~= "cdata" then return f(first, ...) end end end
local function few(value) return type(value) == "number" and value > 5 and 5 or value end

local careful = {
  ["cuda.from_pointer"] = no_number, ["cuda.UnownedMemory"] = no_number, from_dlpack = no_number,
  ["cuda.ExternalStream"] = no_number,
  iterate = function(f) return function(n, ...) return f(few(n), ...) end end,
  ["profiler.benchmark"] = function(f)
    return function(fn, args, n_repeat, n_warmup, options)
      if type(options) == "table" and type(rawget(options, "max_duration")) == "number" then
        options.max_duration = 0.01
      end
      return f(fn, type(args) ~= "table" and {} or args, few(n_repeat) or 2, few(n_warmup) or 1, options)
    end
  end,
  export = function(f)
    return function(...)
      local ticket = f(...)
      ma.revoke(ticket)
      return ticket
    end
  end,
  show_config = function(f) return function() return f(true) end end,
}

-- These end what others hold: a reset takes every array of the GPU away, a failing allocation is no call of a user's.
local left_out = { ["cuda.reset"] = on_gpu, ["cuda.runtime.deviceReset"] = on_gpu }

local targets = {}

local function add(name, target, arguments, required, options)
  targets[#targets + 1] = { name = name, target = target, arguments = arguments, required = required, options = options
    or {} }
end

--- "sum(a, axis?; keepdims?)": what is required, what may follow by position, what can only be named
local function read_signature(signature)
  local arguments, required, options = {}, 0, {}
  local positional, named = (signature:match("%((.*)%)") or ""):match("^([^;]*);?(.*)$")
  for argument, optional in positional:gmatch("([%a_][%w_]*)(%??)") do
    arguments[#arguments + 1] = argument
    if optional == "" then required = #arguments else options[#options + 1] = argument end
  end
  for argument in named:gmatch("[%a_][%w_]*") do options[#options + 1] = argument end
  return arguments, required, options
end

local function resolve(name)
  local value = ma
  for part in name:gmatch("[^.]+") do value = rawget(value, part) end
  return value
end

--- The runtime's calls take a stream's address too, which the driver follows, and addresses of memory, which are
--- trusted.
local function no_handle(f, arguments)
  local memory = { dst = true, src = true, memory = true }
  return function(...)
    local list, n = { ... }, select("#", ...)
    for k = 1, n do
      if memory[arguments[k]] and (type(list[k]) == "number" or type(list[k]) == "cdata") then list[k] = false end
      if arguments[k] == "stream" and type(list[k]) == "number" then list[k] = 0 end
      if type(list[k]) == "table" and type(rawget(list[k], "stream")) == "number" then list[k].stream = 0 end
    end
    return f(unpack(list, 1, n))
  end
end

local jit_makers = { ["jit.rawkernel"] = true, ["jit.device"] = true, ["jit.elementwisekernel"] = true,
  ["jit.reductionkernel"] = true }

for name, entry in pairs(core.functions) do
  if not left_out[name] and (not name:find("^jit%.") or jit_makers[name]) then
    local arguments, required, options = read_signature(entry.signature)
    if name:sub(1, 1) ~= ":" then
      local f = assert(resolve(name), name)
      if careful[name] then f = careful[name](f) end
      if name:find("^cuda.runtime") then f = no_handle(f, arguments) end
      add(name, f, arguments, required, options)
    end
  end
end
for name, method in pairs(core.array_methods()) do
  local entry = core.functions[":" .. name] or core.functions[name]
  local arguments, required, options = read_signature(entry and entry.signature or "(a, b?)")
  if not careful[name] then add("a:" .. name, method, arguments, required, options) end
end

-- ==== Objects ====

local RAW = [[extern "C" __global__ void k(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}]]

-- Each makes one; kernels are made once, since they are compiled. A capsule that is released belongs to who released
-- it.
local made = {}
local function once(name, make)
  return function()
    if not made[name] then made[name] = make() end
    return made[name]
  end
end

local objects = {
  stream = { function() return ma.Stream(pick({ {}, { non_blocking = true } })) end,
    "use synchronize record wait_event wait_stream launch_host_func add_callback close begin_capture end_capture " ..
      "is_capturing with done ptr device" },
  event = { function() local e = ma.Event() if random() < 0.5 then e:record() end return e end,
    "close record synchronize done ptr device" },
  graph = { function() return ma.cuda.graph(function() return ma.zeros(3) + 1 end) end, "launch free upload results" },
  pool = { function() return ma.cuda.MemoryPool() end,
    "used_bytes free_bytes total_bytes peak_bytes reset_peak n_free_blocks free_all_blocks get_limit "
    .. "set_limit malloc with" },
  async_pool = { function() return ma.cuda.MemoryAsyncPool() end,
    "used_bytes free_all_blocks malloc get_limit set_limit" },
  pinned_pool = { function() return ma.cuda.PinnedMemoryPool() end, "free_all_blocks n_free_blocks malloc" },
  device = { function() return ma.device(helper.device) end,
    "description mem_info synchronize use with attributes compute_capability id type name" },
  copy = { function() return values.array():get_async() end, "get done" },
  capsule = { function() return ma.ones(3):to_dlpack() end, "ptr" },
  complex = { function() return ma.complex(random(-2, 2), 3) end, "re im conj abs" },
  shape = { function() return ma.zeros({ 2, 3 }).shape end, "x" },
  hook = { function() return ma.cuda.LineProfileHook() end, "install remove with report print_report flush" },
  memory_hook = { function() return ma.cuda.MemoryHook({ malloc_postprocess = function() end }) end,
    "install remove with" },
  progress = { function() return ma.progress(3, "t",
    { stream = { write = function() end, flush = function() end } }) end, "step close" },
  benchmark = { function() return ma.profiler.benchmark(function() end, {}, 2, 1) end,
    "cpu_times gpu_times name devices" },
  plan_cache = { function() return ma.fft.get_plan_cache() end, "clear set_size size hits" },
  finfo = { function() return ma.finfo("float32") end, "eps bits" },
  poly1d = { function() return ma.poly1d({ 1, random(1, 3), 2 }) end, "coeffs order variable deriv integ get set" },
  series = { function() return ma.polynomial.Chebyshev({ 1, random(1, 3), 2 }) end,
    "coef domain degree deriv integ trim truncate cutdeg convert divmod mapparms copy has_samecoef has_sametype" },
  elementwise = { once("elementwise",
    function() return ma.ElementwiseKernel("T x, T y", "T z", "z = x + y", "fuzz_add") end), "name source" },
  reduction = { once("reduction",
    function() return ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "fuzz_sum") end), "name source" },
  raw = { once("raw", function() return ma.RawKernel(RAW, "k") end),
    "compile attributes name source num_regs max_threads_per_block" },
  module = { once("module", function() return ma.RawModule({ code = RAW }) end), "get_function get_global compile" },
  jit = { once("jit", function() return ma.jit.rawkernel([[function(x, f)
      local i = ma.jit.grid(1)
      if i <= #x then x[i] = x[i] * f end
    end]]) end), "name source" },
  jit_elements = { once("jit_elements", function()
    return ma.jit.elementwisekernel("function(x, y) return x + y[1] end", { in_params = "T x, raw T y" })
  end), "cached_code" },
  jit_reduction = { once("jit_reduction", function()
    return ma.jit.reductionkernel { reduce = "function(a, b) return a + b end", identity = 0 }
  end), "cached_code" },
  fused = { once("fused", function() return ma.fuse(function(x, y) return x * y + 1 end, "fuzz_fused") end), "name" },
  ufunc = { function() return pick({ ma.add, ma.sin, ma.floor_divide, ma.bitwise_and }) end, "reduce name nin nout" },
  generator = { function() return ma.random.default_rng(random(1, 9)) end, "" },
  random_state = { function() return ma.random.RandomState(random(1, 9)) end, "" },
}
for name in pairs(getmetatable(ma.random.default_rng(1)) or {}) do
  if not name:find("^__") then
    objects.generator[2] = objects.generator[2] .. " " .. name
    objects.random_state[2] = objects.random_state[2] .. " " .. name
  end
end
local drawn = core.functions

local missing = {}                     -- kinds that this machine has not, as pinned memory where there is no GPU
for kind, entry in pairs(objects) do
  local make = entry[1]
  local ok, object = pcall(make)
  if not ok then
    missing[kind] = object
  else
    for method in entry[2]:gmatch("%S+") do
      local known = drawn["random." .. method]
      local arguments, required, options = {}, 0, {}
      if (kind == "generator" or kind == "random_state") and known then
        arguments, required, options = read_signature(known.signature)
      end
      add(kind .. ":" .. method, function(...)
        local o = make()
        local member = o[method]
        if core.is_callable(member) and type(member) ~= "table" then
          return member(random(1, 20) == 1 and values.something() or o, ...)
        end
        return member
      end, #arguments > 0 and arguments or { "fn", "n", "a" }, required, options)
    end
    add(kind .. "()", function(...) return make()(...) end, { "n", "n", "arrays" }, 0)
    add(kind .. " read", function(key) return make()[key] end, { "name" }, 1)
    if not (made[kind] and type(object) == "table") then
      add(kind .. " write", function(key, value) make()[key] = value end, { "name", "a" }, 2)
    end
    add(kind .. " text", function() return tostring(make()) end, {}, 0)
    add(kind .. " operand", function(other) return make() + other end, { "a" }, 1)
  end
end

-- ==== Operators ====

for k, operator in ipairs {
  function(a, b) return a + b end, function(a, b) return a - b end, function(a, b) return a * b end,
  function(a, b) return a / b end,
  function(a, b) return a % b end, function(a, b) return a ^ b end, function(a) return -a end,
  function(a, b) return a[b] end,
  function(a, b, c) a[b] = c end, function(a, b, c) return a(b, c) end, function(a) return tostring(a) end,
  function(a, b) return a .. b end,
  function(a) return #a end, function(a, b) return a[{ b, b }] end, function(a, b, c) a[{ b, {} }] = c end,
  function(a, b) return a < b end,
  function(a, b) return a[b] + 1 end, function(a, b) return a:take(b) end, function(a, b) return a[tostring(b)] end,
} do
  for _ = 1, 10 do                     -- often
    add("operator " .. k, function(a, b, c)
      -- A table would keep what is written to it; what the FFI says of its own is none of ours.
      if type(a) == "table" or type(a) == "cdata" or random() < 0.9 then a = values.array() end
      return operator(a, b, c)
    end, { "x1", "x2", "x3" }, 3)
    targets[#targets].wild = true
  end
end

table.sort(targets, function(a, b) return a.name < b.name end)

-- ==== What a call may have changed for the calls behind it ====

local options = ma.get_printoptions()

--- An operator that waited may say here that it cannot be computed: the second time it does not.
function targets.restore()
  ma.set_fusion(true)
  core.use_device(ma.device(helper.device))
  core.use_stream(core.null_stream())
  ma.set_default_dtype("float64")
  ma.set_printoptions(options)
  ma.cuda.set_allocator()
  ma.cuda.set_pinned_memory_allocator()
  pcall(ma.cuda.set_tf32, false)
  ma.fft.get_plan_cache():set_size(16)
  ma.get_default_memory_pool():set_limit(2 ^ 26)       -- no call is to take all of the machine
end

targets.missing, targets.made = missing, made
return targets
