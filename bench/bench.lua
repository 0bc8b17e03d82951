--- Measures this library and, where they are installed, its peers on the same keys; prints a table and writes
--- bench/results.md.
--
-- usage: luajit bench/bench.lua [--peers DIR] [--only PATTERN] [--divisor N] [--device cuda|cpu] [--rounds N] [--out
-- FILE] [--json FILE]
--   --peers DIR    a folder with cupy_bench.py, torch_bench.py, numpy_bench.py, each taking `--json FILE` ($PEERS),
--                  beside those of bench/peers, which have the keys of fields.lua, groups.lua and rows.lua
--   --only PATTERN keys that match a Lua pattern
--   --rounds N     all of it N times, ours and the peers in turn, and medians: where both call the same library, one
--                  round tells more
--                  of the device's temperature than of them (1)
--   --divisor N    large arrays N times smaller: tries the scripts, measures nothing (no file is written)
-- $PYTHON names the interpreter of the peers (python3). Keys that cannot be measured are listed with the reason.

local goals = require "bench.goals"

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

local ours, memory, missing = {}, {}, {}

--- Values are added up as lists, one number a round, of which `settle` leaves the median; nil is none.
local function add(into, key, value)
  if not value then return end
  into[key] = into[key] or {}
  table.insert(into[key], value)
end

local function settle(values)
  for key, list in pairs(values) do
    table.sort(list)
    values[key] = (list[math.floor((#list + 1) / 2)] + list[math.floor(#list / 2) + 1]) / 2
  end
end

local function measure(device, settings, pattern, suffix, script)
  io.stderr:write("measuring on ", device, " ...\n")
  local command = ("%s MOONARRAY_DEVICE=%s %s bench/%s.lua %s %s 2>&1"):format(settings or "", device,
    quote(luajit), script or "measure", options.divisor,
    pattern and quote(pattern) or "")
  for line in output(command):gmatch("[^\n]+") do
    local key, value, peak = line:match("^([%w_.]+) (%S+) (%S+)")
    if key then key = key .. (suffix or "") end
    if key and tonumber(value) then
      add(ours, key, tonumber(value))
      memory[key] = tonumber(peak)
    elseif key and value == "-" then
      missing[key] = line:match("^%S+ %- (.*)")
    else
      io.stderr:write("  ", line, "\n")
    end
  end
end

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
  local run = ("MOONARRAY_DEVICE=%s MOONARRAY_CACHE_DIR=%s %s bench/cold.lua >/dev/null 2>&1"):format(device, folder,
    quote(luajit))
  add(ours, prefix .. "cold.empty_cache", process(run, function() os.execute("rm -rf " .. folder .. "/*") end))
  add(ours, prefix .. "cold.warm_cache", process(run))
  if device == "cuda" then add(ours, "cold.context", process(quote(luajit) .. " bench/context.lua >/dev/null 2>&1")) end
  os.execute("rm -rf " .. folder)
end

local has_gpu = options.device ~= "cpu" and os.execute(quote(luajit) .. " bench/context.lua >/dev/null 2>&1")
has_gpu = has_gpu == 0 or has_gpu == true

-- ==== The peers ====

local peers, versions = {}, {}

local function find_peer(name, module)
  versions[name] = first_line(("%s -c 'import %s; print(%s.__version__)'"):format(python, module, module))
  if versions[name] then peers[name] = {} end
end

--- Runs NAME_bench.py of the folder, or SCRIPT_bench.py, which is told the peer's name.
local function measure_peer(name, folder, script)
  if not peers[name] or not folder or options.divisor ~= "1" then return end
  local path, json = folder .. "/" .. (script or name) .. "_bench.py", os.tmpname()
  io.stderr:write("running ", path, " ...\n")
  os.execute(("%s %s %s --json %s >/dev/null 2>&1"):format(python, quote(path), script and name or "", json))
  local file = io.open(json)
  if file then
    for key, value in file:read("*a"):gmatch('"([%w_.]+)":%s*([%d.eE+-]+)') do
      add(peers[name], key, tonumber(value))
    end
    file:close()
    os.remove(json)
  end
end

if has_gpu then
  find_peer("cupy", "cupy")
  find_peer("torch", "torch")
end
if options.device ~= "cuda" then
  find_peer("numpy", "numpy")
  find_peer("scipy", "scipy")
end

--- NumPy's packages bring an OpenBLAS: with the same one, what differs is not the library's.
local function numpy_blas()
  local names = 'import glob, os, numpy; print(glob.glob(os.path.dirname(numpy.__file__) + ' ..
    '".libs/libscipy_openblas64_*")[0])'
  return versions.numpy and not os.getenv("MOONARRAY_BLAS") and first_line(("%s -c %s"):format(python, quote(names)))
end

-- ==== Both, in turn ====

local library = numpy_blas()
for round = 1, tonumber(options.rounds) do
  if has_gpu then
    measure("cuda", nil, options.only)
    if round == 1 and not options.only then cold("cuda", "") end
    measure_peer("cupy", options.peers)
    measure_peer("torch", options.peers)
    measure("cuda", nil, options.only, nil, "fields")
    measure("cuda", nil, options.only, nil, "groups")
    measure_peer("cupy", "bench/peers")
    measure("cuda", nil, options.only, nil, "rows")
    measure_peer("cupy", "bench/peers", "rows")
    measure_peer("torch", "bench/peers", "rows")
  end
  if options.device ~= "cuda" then
    measure("cpu", library and "MOONARRAY_BLAS=" .. quote(library), options.only)
    if library and not options.only then measure("cpu", nil, "cpu.[ms]%a+%d+$", ".system") end
    if round == 1 and not options.only then cold("cpu", "cpu.") end
    measure_peer("numpy", options.peers)
    measure("cpu", nil, options.only, nil, "fields")
    measure_peer("scipy", "bench/peers")
    measure("cpu", library and "MOONARRAY_BLAS=" .. quote(library), options.only, nil, "groups")
    measure_peer("numpy", "bench/peers")
    measure("cpu", nil, options.only, nil, "rows")
    measure_peer("numpy", "bench/peers", "rows")
  end
end
settle(ours)
for _, values in pairs(peers) do settle(values) end

local function peer_value(name, key) return peers[name] and peers[name][key] end

-- ==== Goals ====

local n = 2 ^ 27 / tonumber(options.divisor)

-- Bytes a millisecond of the best plain read-and-write kernel: ours or a peer's.
local function bandwidth()
  local best
  for key, passes in pairs({ ["dev.copy"] = 2, ["dev.positive"] = 2, ["dev.add"] = 3 }) do
    for _, time in pairs({ ours[key] or false, peer_value("cupy", key) or false, peer_value("torch", key) or false }) do
      if time then best = math.max(best or 0, passes * 4 * n / time) end
    end
  end
  return best
end

local speed = bandwidth()

local function best_peer(key)
  local name, value
  for candidate in pairs(peers) do
    local time = peer_value(candidate, key)
    if time and (not value or time < value) then name, value = candidate, time end
  end
  return name, value
end

--- The most that a key may take, and how that is said; nil where what it is held against was not measured.
local function limit(goal)
  local kind, factor = goal[2], goal[3]
  if kind == "launch" then
    return ours["host.launch"] and factor * ours["host.launch"], ("%.4g x launch"):format(factor)
  elseif kind == "ours" then
    return ours[goal[4]] and factor * ours[goal[4]], ("%.3g x %s"):format(factor, goal[4])
  elseif kind == "us" then
    return factor, ("%.4g us"):format(factor)
  elseif kind == "floor" then
    return speed and factor * goal[4] * 4 * n / speed, ("%.4g x floor"):format(factor)
  elseif kind == "cupy" then
    local value = peer_value("cupy", goal[1])
    return value and factor * value, ("%.4g x CuPy"):format(factor)
  elseif kind == "best" then
    local _, value = best_peer(goal[1])
    return value and factor * value, ("%.4g x best peer"):format(factor)
  elseif kind == "context" then
    return ours["cold.context"] and ours["cold.context"] + factor, ("context + %.4g s"):format(factor)
  end
  local value = peer_value(kind, goal[1])
  return value and value / factor, ("%s / %.4g"):format(kind == "numpy" and "NumPy" or "SciPy", factor)
end

local function number(value) return value and ("%.4g"):format(value) or "-" end

local function bytes(value)
  if not value then return "-" end
  if value >= 1e6 then return ("%.1f MB"):format(value / 1e6) end
  return ("%.1f kB"):format(value / 1e3)
end

local header = { "key", "ours", "best peer", "ours / peer", "goal", "limit", "ours / limit", "met", "peak memory" }
local lines, seen, met, failed = { header }, {}, 0, 0

local function add_row(key, goal)
  local value = ours[key]
  seen[key] = true
  local name, other = best_peer(key)
  local most, text
  if goal then most, text = limit(goal) end
  local verdict = not goal and "" or not value and "not measured" or not most and "nothing to compare with" or value
    <= most and "yes" or "NO"
  if verdict == "yes" then met = met + 1 elseif verdict == "NO" then failed = failed + 1 end
  lines[#lines + 1] = { key, number(value), other and ("%s (%s)"):format(number(other), name) or "-",
    value and other and ("%.3g"):format(value / other) or "-", text or "-", number(most), value and most
    and ("%.3g"):format(value / most) or "-",
    verdict, bytes(memory[key]) }
end

local function wanted(key)
  if options.only and not key:find(options.only) then return false end
  if key:find("^cpu%.") then return options.device ~= "cuda" end
  return has_gpu
end

for _, goal in ipairs(goals) do
  if wanted(goal[1]) then add_row(goal[1], goal) end
end
local rest = {}
for key in pairs(ours) do if not seen[key] then rest[#rest + 1] = key end end
table.sort(rest)
for _, key in ipairs(rest) do add_row(key) end

local function padded()
  local width = {}
  for _, row in ipairs(lines) do
    for c, cell in ipairs(row) do width[c] = math.max(width[c] or 0, #cell) end
  end
  local text = {}
  for k, row in ipairs(lines) do
    local cells = {}
    for c, cell in ipairs(row) do cells[c] = cell .. (" "):rep(width[c] - #cell) end
    text[#text + 1] = "| " .. table.concat(cells, " | ") .. " |"
    if k == 1 then
      for c = 1, #row do cells[c] = ("-"):rep(width[c]) end
      text[#text + 1] = "|-" .. table.concat(cells, "-|-") .. "-|"
    end
  end
  return table.concat(text, "\n")
end

local about = {
  "date: " .. os.date("!%Y-%m-%d %H:%M UTC"),
  "processor: " .. (first_line("sed -n 's/^model name.*: //p' /proc/cpuinfo") or "?") .. ", "
  .. (first_line("nproc") or "?") .. " threads",
  "GPU: " .. (has_gpu and (first_line("nvidia-smi --query-gpu=name,driver_version --format=csv,noheader") or "?")
    or "none"),
  "LuaJIT: " .. jit.version,
  ("peers: CuPy %s, PyTorch %s, NumPy %s, SciPy %s"):format(versions.cupy or "not installed",
    versions.torch or "not installed", versions.numpy or "not installed", versions.scipy or "not installed"),
  "commit: " .. (first_line("git rev-parse --short HEAD") or "?"),
}
if tonumber(options.rounds) > 1 then
  about[#about + 1] = "medians of " .. options.rounds .. " rounds, ours and the peers in turn"
end
if library then
  about[#about + 1] =
    "BLAS and LAPACK of ours on the CPU: NumPy's own, by MOONARRAY_BLAS; the keys that end in .system: the system's"
end
if speed then
  about[#about + 1] = ("best plain read-and-write kernel: %.0f GB/s; empty launch: %s us"):format(speed / 1e6,
    number(ours["host.launch"]))
end
if ours["cold.context"] then about[#about + 1] = ("bare CUDA context: %.3f s"):format(ours["cold.context"]) end

local notes = {}
for key, why in pairs(missing) do notes[#notes + 1] = key .. ": " .. why end
table.sort(notes)

local report = { "# Benchmark results", "",
  "host.* and cpu.host.* are microseconds of the calling thread for one call, dev.* and cpu.* milliseconds, cold.* " ..
    "seconds.", "" }
for _, line in ipairs(about) do report[#report + 1] = "- " .. line end
report[#report + 1] = ""
report[#report + 1] = padded()
report[#report + 1] = ""
report[#report + 1] = ("%d goals met, %d not met."):format(met, failed)
if #notes > 0 then report[#report + 1] = "\nNot measured:\n\n- " .. table.concat(notes, "\n- ") end
local text = table.concat(report, "\n") .. "\n"
print(text)

if options.divisor == "1" and not options.only then
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
