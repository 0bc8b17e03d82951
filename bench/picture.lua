--- Draws bench/results.md: for each machine the keys that a peer has too, by ours / best peer, on a logarithmic axis.
--
-- usage: luajit bench/picture.lua [results.md] [picture.png]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

--- The machines of a file: their titles, and for each peer the ratios with their places in the order of all. The tables
--- beside compilers are left out.
local function read(path)
  local machines, skipped = {}, false
  for line in io.lines(path) do
    if line:find("^## Beside compilers") then skipped = true elseif line:find("^# ") then skipped = false end
    local gpu, processor = line:match("^%- GPU: ([^,]+)"), line:match("^%- processor: (.*)$")
    if processor then
      machines[#machines + 1] = { title = processor:gsub("%(R%)", ""), rows = {} }
    elseif gpu and gpu ~= "none" then
      machines[#machines].title = gpu
    end
    local key, peer, ratio = line:match("^| ([%w_.]+) +| %S+ +| [%d.e+-]+ %((%w+)%) +| ([%d.e+-]+) ")
    if key and not skipped then
      table.insert(machines[#machines].rows, { key = key, peer = peer, ratio = tonumber(ratio) })
    end
  end
  return machines
end

local names = { cupy = "CuPy", torch = "PyTorch", numpy = "NumPy", scipy = "SciPy" }

local function draw(axes, machine)
  local won, of_peer = 0, {}
  table.sort(machine.rows, function(a, b) return a.ratio < b.ratio end)
  for place, row in ipairs(machine.rows) do
    if row.ratio <= 1 then won = won + 1 end
    local list = of_peer[row.peer] or { x = {}, y = {} }
    of_peer[row.peer] = list
    table.insert(list.x, place)
    table.insert(list.y, row.ratio)
  end
  for _, peer in ipairs { "cupy", "torch", "numpy", "scipy" } do
    local list = of_peer[peer]
    if list then axes:plot(list.x, list.y, { linestyle = "none", marker = "o", label = "beside " .. names[peer] }) end
  end
  axes:axhline(1, { color = "0.4", linestyle = "--" })
  axes:yscale("log")
  axes:title(("%s: %d of %d at most 1"):format(machine.title, won, #machine.rows))
  axes:xlabel("keys, from the best")
  axes:ylabel("time of ours / best peer's")
  axes:legend()
  print(("%s: %d of %d keys take at most the best peer's time"):format(machine.title, won, #machine.rows))
end

local machines = read(arg and arg[1] or "bench/results.md")
local fig, axes = ma.plot.subplots(1, #machines, { width = 980, height = 380 })
for k, machine in ipairs(machines) do draw(#machines == 1 and axes or axes[k], machine) end
fig:save(arg and arg[2] or "docs/pictures/benchmark.png")
