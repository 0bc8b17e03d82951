--- The report of a run of bench.lua: each key with the best peer's figure, its goal and whether that is met.

local goals = require "bench.goals"

-- ==== Values ====

local TOLERANCE = 1e-4                     -- of the largest of the values

--- Whether two lists of values are equal but for one in seventeen, since a count or a position may turn on one bit.
local function equal(a, b)
  local scale, apart = 0, 0
  for _, value in ipairs(a) do scale = math.max(scale, math.abs(value)) end
  for k, value in ipairs(a) do
    if not (b[k] and math.abs(value - b[k]) <= TOLERANCE * scale) then apart = apart + 1 end
  end
  return #a == #b and apart <= #a / 17
end

--- Which peers have the values of ours, and which have not.
local function agreement(values, key)
  local same, other = {}, {}
  for name, lists in pairs(values) do
    local ours, theirs = values.ours[key], lists[key]
    if name ~= "ours" and ours and theirs then table.insert(equal(ours, theirs) and same or other, name) end
  end
  table.sort(same)
  table.sort(other)
  if #other > 0 then return "NOT " .. table.concat(other, ", ") end
  return #same > 0 and "as " .. table.concat(same, ", ") or "-"
end

-- ==== The report ====

--- `run` has what was measured: ours, memory, missing and peers by key, values by peer and key; n, the elements of a
--- large array; has_gpu; `only`, a pattern; `some`, if not all tables of keys were measured; `device`, the one that is
--- wanted; and `about(speed)`, lines about the machine. Gives Markdown.
return function(run)
  local ours, memory, missing, peers, n, has_gpu = run.ours, run.memory, run.missing, run.peers, run.n, run.has_gpu

  local function peer_value(name, key) return peers[name] and peers[name][key] end

  -- ==== Goals ====

  -- Bytes a millisecond of the best plain read-and-write kernel: ours or a peer's.
  local function bandwidth()
    local best
    for key, passes in pairs({ ["dev.copy"] = 2, ["dev.positive"] = 2, ["dev.add"] = 3 }) do
      local cupy, torch = peer_value("cupy", key), peer_value("torch", key)
      for _, time in pairs({ ours[key] or false, cupy or false, torch or false }) do
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
      local _, value = best_peer(goal[4] or goal[1])
      return value and factor * value, ("%.4g x best peer"):format(factor) .. (goal[4] and " of " .. goal[4] or "")
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
  local seen, all = {}, { header, met = 0, failed = 0 }
  -- Beside compilers: without the memory, with what the first call takes and whether the values are equal.
  local compilers = { { unpack(header, 1, 8) }, met = 0, failed = 0 }
  for _, title in ipairs { "first call", "peer's first call", "values" } do table.insert(compilers[1], title) end

  local function add_row(key, goal)
    local value = ours[key]
    seen[key] = true
    local name, other = best_peer(key)
    local most, text
    if goal then most, text = limit(goal) end
    local verdict = not goal and "" or not value and "not measured" or not most and "nothing to compare with" or value
      <= most and "yes" or "NO"
    local rows = (key:find("fused%.") or key:find("host%.step20")) and compilers or all
    if verdict == "yes" then rows.met = rows.met + 1 elseif verdict == "NO" then rows.failed = rows.failed + 1 end
    local row = { key, number(value), other and ("%s (%s)"):format(number(other), name) or "-",
      value and other and ("%.3g"):format(value / other) or "-", text or "-", number(most), value and most
      and ("%.3g"):format(value / most) or "-",
      verdict }
    if rows == all then
      row[9] = bytes(memory[key])
    else
      local first = key .. ".first"
      seen[first] = true
      row[9], row[10] = number(ours[first]), number(name and peer_value(name, first))
      row[11] = agreement(run.values, key)
    end
    rows[#rows + 1] = row
  end

  local function wanted(key)
    if run.only and not key:find(run.only) then return false end
    if run.some and not ours[key] then return false end
    if key:find("^cpu%.") then return run.device ~= "cuda" end
    return has_gpu
  end

  for _, goal in ipairs(goals) do
    if wanted(goal[1]) then add_row(goal[1], goal) end
  end
  local rest = {}
  for key in pairs(ours) do if not seen[key] then rest[#rest + 1] = key end end
  table.sort(rest)
  for _, key in ipairs(rest) do
    if not seen[key] then add_row(key) end
  end

  local function padded(rows)
    local width = {}
    for _, row in ipairs(rows) do
      for c, cell in ipairs(row) do width[c] = math.max(width[c] or 0, #cell) end
    end
    local text = {}
    for k, row in ipairs(rows) do
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

  local notes = {}
  for key, why in pairs(missing) do notes[#notes + 1] = key .. ": " .. why end
  table.sort(notes)

  local report = { "# Benchmark results", "",
    "host.* and cpu.host.* are microseconds of the calling thread for one call, dev.* and cpu.* milliseconds, " ..
      "cold.* seconds.", "" }
  for _, line in ipairs(run.about(speed)) do report[#report + 1] = "- " .. line end
  local function section(title, rows)
    if #rows == 1 then return end
    report[#report + 1] = title .. "\n" .. padded(rows)
    report[#report + 1] = ("\n%d goals met, %d not met."):format(rows.met, rows.failed)
  end
  section("", all)
  section("\n## Beside compilers\n", compilers)
  if #notes > 0 then report[#report + 1] = "\nNot measured:\n\n- " .. table.concat(notes, "\n- ") end
  return table.concat(report, "\n") .. "\n"
end
