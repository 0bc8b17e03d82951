--- One game whose frames are long, and the same game whose frames are short: the times of docs/frames.md and its
--- picture.
--
-- usage: luajit bench/programs/game.lua [rounds [picture.png]]
--
-- A pool of 256 x 256 cells takes two steps in each frame and shows its energy. In frame 80 the player enters a cave,
-- which is made of noise; in frame 160 the player takes a tool whose kernel nobody has needed before. Each round plays
-- 240 frames of a 60th of a second both ways. A frame's time is that of its calls, and the median of the rounds.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

local rounds, picture = tonumber(arg[1]) or 5, arg[2]
local N, FRAMES, CAVE, TOOL, PIECES = 256, 240, 80, 160, 40
local new = os.time() % 100000 * 100             -- a number that makes the tool's kernel one that no cache knows

local wave = ma.stencil(function(now, before)
  local around = now(-1, 0) + now(1, 0) + now(0, -1) + now(0, 1)
  return 0.996 * (2 * now(0, 0) - before(0, 0) + 0.3 * (around - 4 * now(0, 0))), now(0, 0)
end, { boundary = "reflect", out = 2 })

local function new_tool()
  new = new + 1
  local turn = new
  return ma.vectorize(function(h)
    while h > turn do h = h - turn end
    return h * 0.5
  end)
end

--- A piece of the cave.
local function piece(k)
  return ma.noise.fbm(ma.linspace(k, k + 1, N), ma.linspace(0, 1, N / 4):reshape(N / 4, 1)):gt(0)
end

--- What both ways begin with: the pool, and a function that takes the steps of a frame.
local function pool()
  local height, last = ma.zeros({ N, N }, "float32"), ma.zeros({ N, N }, "float32")
  height["100:120, 100:120"] = 1
  return height, function()
    local now, before = wave:run(height, last, { steps = 2 })
    height:assign(now)
    last:assign(before)
  end
end

local ways = {}

--- What comes to mind first.
function ways.before()
  local height, step = pool()
  local tool, energy, cave = new_tool(), 0, nil
  return function(frame)
    step()
    energy = (height * height):sum():item()
    if frame == CAVE then
      cave = {}
      for k = 1, PIECES do cave[k] = piece(k) end
    end
    if frame >= TOOL then height:assign(tool(height):astype("float32")) end
  end, function() return energy == energy and #cave == PIECES end
end

--- What the page says: a scope for each frame, results that are awaited, a job, a kernel that is prepared.
function ways.after()
  local height, step = pool()
  local tool, energy, cave, job = new_tool(), 0, nil, nil
  local preparation = tool:prepare(height)       -- while the game is loaded
  local function measure()
    energy = ma.await((height * height):sum())
  end
  return function(frame)
    ma.scope(function()
      step()
      coroutine.wrap(measure)()
      if frame >= TOOL and preparation:ready() then height:assign(tool(height):astype("float32")) end
    end)
    if frame == CAVE then
      job = ma.job(function()
        local pieces = {}
        for k = 1, PIECES do
          pieces[k] = ma.keep(piece(k))
          coroutine.yield()
        end
        cave = pieces
      end)
    end
    ma.update { budget = 0.002 }
  end, function() return energy == energy and cave and #cave == PIECES and job.done end
end

--- Plays a way, and adds each frame's milliseconds to its list.
local function play(way, times)
  local frame, is_right = way()
  ma.synchronize()
  collectgarbage()
  for k = 1, FRAMES do
    local start = ma.time()
    frame(k)
    local took = ma.time() - start
    times[k] = times[k] or {}
    table.insert(times[k], took * 1e3)
    ma.sleep(math.max(0, 1 / 60 - took))
  end
  assert(is_right())
end

local times = { before = {}, after = {} }
for round = 0, rounds do
  for name, way in pairs(ways) do play(way, round > 0 and times[name] or {}) end       -- the first one loads and warms
end
for _, list in pairs(times) do
  for k, all in ipairs(list) do
    table.sort(all)
    list[k] = all[math.floor(#all / 2) + 1]
  end
end
for _, name in ipairs { "before", "after" } do
  local list = { unpack(times[name]) }
  table.sort(list)
  print(("%-7s median %6.2f  99%% %7.2f  worst %8.2f ms"):format(name, list[FRAMES / 2], list[math.ceil(FRAMES * 0.99)],
    list[FRAMES]))
end
if picture then
  local frame = ma.range(1, FRAMES)
  local figure = ma.plot.figure { width = 640, height = 320 }
  figure:semilogy(frame, ma.array(times.before), { label = "before" })
  figure:semilogy(frame, ma.array(times.after), { label = "after" })
  figure:semilogy(frame, ma.full(FRAMES, 1000 / 60), "--", { label = "a 60th of a second" })
  figure:xlabel "frame":ylabel "ms":grid():legend "upper left"
  figure:save(picture)
end
