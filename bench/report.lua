--- The report of a run of bench.lua: each key with the best peer's figure, its goal and whether that is met.

local goals = require "bench.goals"

--- `run` has what was measured: ours, memory, missing and peers by key; n, the elements of a large array; has_gpu;
--- `only`, a pattern; `device`, the one that is wanted; and `about(speed)`, lines about the machine. Gives Markdown.
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
    if run.only and not key:find(run.only) then return false end
    if key:find("^cpu%.") then return run.device ~= "cuda" end
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

  local notes = {}
  for key, why in pairs(missing) do notes[#notes + 1] = key .. ": " .. why end
  table.sort(notes)

  local report = { "# Benchmark results", "",
    "host.* and cpu.host.* are microseconds of the calling thread for one call, dev.* and cpu.* milliseconds, " ..
      "cold.* seconds.", "" }
  for _, line in ipairs(run.about(speed)) do report[#report + 1] = "- " .. line end
  report[#report + 1] = ""
  report[#report + 1] = padded()
  report[#report + 1] = ""
  report[#report + 1] = ("%d goals met, %d not met."):format(met, failed)
  if #notes > 0 then report[#report + 1] = "\nNot measured:\n\n- " .. table.concat(notes, "\n- ") end
  return table.concat(report, "\n") .. "\n"
end
