--- Measures this library and, where they are installed, its peers on the same keys; prints a table and writes
--- bench/results.md.
--
-- usage: luajit bench/bench.lua [--peers DIR] [--only PATTERN] [--tables NAMES] [--divisor N] [--device cuda|cpu]
--        [--rounds N] [--out FILE] [--json FILE]
--   --peers DIR    a folder with cupy_bench.py, torch_bench.py, numpy_bench.py, each taking `--json FILE` ($PEERS),
--                  beside those of bench/peers, which have the other tables of keys
--   --only PATTERN keys that match a Lua pattern
--   --tables NAMES these tables of keys alone, and their peers: compilers,rows
--   --rounds N     all of it N times, ours and the peers in turn, and medians: where both call the same library, one
--                  round tells more of the device's temperature than of them (1)
--   --divisor N    large arrays N times smaller: tries the scripts, measures nothing (no file is written)
-- $PYTHON names the interpreter of the peers (python3). Keys that cannot be measured are listed with the reason.

package.path = "./lua/?.lua;./lua/?/init.lua;./?.lua;" .. package.path
local report = require "bench.report"

local options = { peers = os.getenv("PEERS"), out = "bench/results.md", divisor = "1", rounds = "1" }
for k = 1, #arg, 2 do options[arg[k]:gsub("^%-%-", "")] = arg[k + 1] end

local luajit = os.getenv("LUAJIT") or arg[-1] or "luajit"
local python = os.getenv("PYTHON") or "python3"

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function output(command)
  local pipe = io.popen(command)
  local text = pipe:read("*a")
  pipe:close()
  return text
end

local function first_line(command) return (output(command .. " 2>/dev/null"):match("[^\n]+")) end

-- ==== Ours ====

local ours, memory, missing, values = {}, {}, {}, { ours = {} }

--- Times are added up as lists, one number a round, of which `settle` leaves the median; nil is none.
local function add(into, key, value)
  if not value then return end
  into[key] = into[key] or {}
  table.insert(into[key], value)
end

local function settle(times)
  for key, list in pairs(times) do
    table.sort(list)
    times[key] = (list[math.floor((#list + 1) / 2)] + list[math.floor(#list / 2) + 1]) / 2
  end
end

local function numbers(text)
  local list = {}
  for word in text:gmatch("[^%s,]+") do list[#list + 1] = tonumber(word) end
  return list
end

--- Runs a table of keys on the device in a process of its own.
local function measure(device, keys, settings, pattern, suffix)
  io.stderr:write("measuring ", keys, " on ", device, " ...\n")
  local command = ("%s MOONARRAY_DEVICE=%s %s bench/measure.lua %s %s %s 2>&1"):format(settings or "", device,
    quote(luajit), keys, options.divisor, pattern and quote(pattern) or "")
  for line in output(command):gmatch("[^\n]+") do
    local key, value, peak = line:match("^([%w_.]+) (%S+) (%S+)")
    if key then key = key .. (suffix or "") end
    if key == "values" then
      values.ours[value] = numbers(line:match("^%S+ %S+ (.*)"))
    elseif key and tonumber(value) then
      add(ours, key, tonumber(value))
      memory[key] = tonumber(peak)
    elseif key and value == "-" then
      missing[key] = line:match("^%S+ %- (.*)")
    else
      io.stderr:write("  ", line, "\n")
    end
  end
end

local context = quote(luajit) .. " bench/programs/context.lua >/dev/null 2>&1"

-- Best of several fresh processes, in seconds.
local function process(command, prepare)
  local ma = require "moonarray"
  local best
  for _ = 1, 5 do
    if prepare then prepare() end
    local start = ma.time()
    local code = os.execute(command)
    local time = ma.time() - start
    if code ~= 0 and code ~= true then return nil end
    best = math.min(best or time, time)
  end
  return best
end

local function cold(device, prefix)
  local folder = output("mktemp -d"):match("[^\n]+")
  local run = ("MOONARRAY_DEVICE=%s MOONARRAY_CACHE_DIR=%s %s bench/programs/cold.lua >/dev/null 2>&1"):format(device,
    folder, quote(luajit))
  add(ours, prefix .. "cold.empty_cache", process(run, function() os.execute("rm -rf " .. folder .. "/*") end))
  add(ours, prefix .. "cold.warm_cache", process(run))
  if device == "cuda" then add(ours, "cold.context", process(context)) end
  os.execute("rm -rf " .. folder)
end

local has_gpu = options.device ~= "cpu" and os.execute(context)
has_gpu = has_gpu == 0 or has_gpu == true

-- ==== The peers ====

local peers, versions = {}, {}

local function find_peer(name, module)
  versions[name] = first_line(("%s -c 'import %s; print(%s.__version__)'"):format(python, module, module))
  if versions[name] then peers[name], values[name] = {}, {} end
end

local function contents(path)
  local file = io.open(path)
  local text = file and file:read("*a") or ""
  if file then file:close() end
  return text
end

--- Runs NAME_bench.py of the folder, or SCRIPT_bench.py, which is told the peer's name. Says why if it gives nothing.
local function measure_peer(device, name, folder, script)
  if not peers[name] or not folder or options.divisor ~= "1" then return end
  local path, json, said = folder .. "/" .. (script or name) .. "_bench.py", os.tmpname(), os.tmpname()
  io.stderr:write("running ", path, " ...\n")
  os.execute(("MOONARRAY_DEVICE=%s %s %s %s --json %s >/dev/null 2>%s"):format(device, python, quote(path),
    script and name or "", json, said))
  local text, any = contents(json), false
  for key, value in text:gmatch('"([%w_.]+)":%s*([%d.eE+-]+)') do
    add(peers[name], key, tonumber(value))
    any = true
  end
  for key, list in text:gmatch('"values%.([%w_.]+)":%s*%[(.-)%]') do values[name][key] = numbers(list) end
  if not any then io.stderr:write("  no figures: ", contents(said):match("([^\n]+)%s*$") or "no error", "\n") end
  os.remove(json)
  os.remove(said)
end

if has_gpu then
  find_peer("cupy", "cupy")
  find_peer("torch", "torch")
end
if options.device ~= "cuda" then
  find_peer("numpy", "numpy")
  find_peer("scipy", "scipy")
  find_peer("numexpr", "numexpr")
end
find_peer("jax", "jax")

--- NumPy's packages bring an OpenBLAS: with the same one, what differs is not the library's.
local function numpy_blas()
  local names = 'import glob, os, numpy; print(glob.glob(os.path.dirname(numpy.__file__) + ' ..
    '".libs/libscipy_openblas64_*")[0])'
  return versions.numpy and not os.getenv("MOONARRAY_BLAS") and first_line(("%s -c %s"):format(python, quote(names)))
end

-- ==== Both, in turn ====

--- What is measured in a round: a table of keys, then the peers' scripts that have them, { peer, folder, script }.
-- `blas`: with the peer's own BLAS. `cold`: without a cache of kernels, since what the first call takes is measured.
local RUNS = {
  cuda = {
    { "basic", { "cupy", options.peers }, { "torch", options.peers } },
    { "fields" },
    { "groups", { "cupy", "bench/peers" } },
    { "rows", { "cupy", "bench/peers", "rows" }, { "torch", "bench/peers", "rows" } },
    { "compilers", { "jax", "bench/peers", "compilers" }, { "torch", "bench/peers", "compilers" }, cold = true },
  },
  cpu = {
    { "basic", { "numpy", options.peers }, blas = true },
    { "fields", { "scipy", "bench/peers" } },
    { "groups", { "numpy", "bench/peers" }, blas = true },
    { "rows", { "numpy", "bench/peers", "rows" } },
    { "compilers", { "jax", "bench/peers", "compilers" }, { "numexpr", "bench/peers", "compilers" },
      { "numpy", "bench/peers", "compilers" }, cold = true },
  },
}

local library = numpy_blas()

local function round(device)
  for _, run in ipairs(RUNS[device]) do
    if not options.tables or ("," .. options.tables .. ","):find("," .. run[1] .. ",", 1, true) then
      measure(device, run[1], run.blas and library and "MOONARRAY_BLAS=" .. quote(library)
        or run.cold and "MOONARRAY_CACHE_DIR=", options.only)
      for k = 2, #run do measure_peer(device, unpack(run[k])) end
    end
  end
end

local devices = {}
if has_gpu then devices[#devices + 1] = "cuda" end
if options.device ~= "cuda" then devices[#devices + 1] = "cpu" end
for _, device in ipairs(devices) do
  for k = 1, tonumber(options.rounds) do
    round(device)
    if k == 1 and not options.only and not options.tables then cold(device, device == "cpu" and "cpu." or "") end
  end
  if device == "cpu" and library and not options.only and not options.tables then
    measure("cpu", "basic", nil, "cpu.[ms]%a+%d+$", ".system")
  end
end
settle(ours)
for _, times in pairs(peers) do settle(times) end

--- Lines about the machine, and what was measured of it.
local function about(speed)
  local lines = {
    "date: " .. os.date("!%Y-%m-%d %H:%M UTC"),
    "processor: " .. (first_line("sed -n 's/^model name.*: //p' /proc/cpuinfo") or "?") .. ", "
    .. (first_line("nproc") or "?") .. " threads",
    "GPU: " .. (has_gpu and (first_line("nvidia-smi --query-gpu=name,driver_version --format=csv,noheader") or "?")
      or "none"),
    "LuaJIT: " .. jit.version,
    ("peers: CuPy %s, PyTorch %s, NumPy %s, SciPy %s, JAX %s, numexpr %s"):format(versions.cupy or "not installed",
      versions.torch or "not installed", versions.numpy or "not installed", versions.scipy or "not installed",
      versions.jax or "not installed", versions.numexpr or "not installed"),
    "commit: " .. (first_line("git rev-parse --short HEAD") or "?"),
  }
  if tonumber(options.rounds) > 1 then
    lines[#lines + 1] = "medians of " .. options.rounds .. " rounds, ours and the peers in turn"
  end
  if library then
    lines[#lines + 1] =
      "BLAS and LAPACK of ours on the CPU: NumPy's own, by MOONARRAY_BLAS; the keys that end in .system: the system's"
  end
  if speed then
    lines[#lines + 1] = ("best plain read-and-write kernel: %.0f GB/s; empty launch: %s us"):format(speed / 1e6,
      ("%.4g"):format(ours["host.launch"] or 0/0))
  end
  if ours["cold.context"] then lines[#lines + 1] = ("bare CUDA context: %.3f s"):format(ours["cold.context"]) end
  return lines
end

local text = report { ours = ours, memory = memory, missing = missing, peers = peers, values = values,
  has_gpu = has_gpu, about = about, n = 2 ^ 27 / tonumber(options.divisor), only = options.only,
  some = options.tables, device = options.device }
print(text)

if options.divisor == "1" and not options.only and not options.tables then
  local file = assert(io.open(options.out, "w"))
  file:write(text)
  file:close()
end
if options.json then
  local file = assert(io.open(options.json, "w"))
  local entries = {}
  for key, value in pairs(ours) do entries[#entries + 1] = (' "%s": %.9g'):format(key, value) end
  table.sort(entries)
  file:write("{\n", table.concat(entries, ",\n"), "\n}\n")
  file:close()
end
