-- Conway's Game of Life in the jit language: a kernel written in Lua, one thread a cell, on a world that wraps around.
-- usage: luajit examples/life.lua [generations] [picture.pgm or film.gif]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"
local jit = ma.jit

local step = jit.rawkernel(function(new, old)
  local column, row = jit.grid(2)
  local h, w = old.shape[1], old.shape[2]
  if row > h or column > w then return end
  local neighbours = 0
  for dy = -1, 1 do
    for dx = -1, 1 do
      if dy ~= 0 or dx ~= 0 then
        neighbours = neighbours + old[{ (row + dy - 1) % h + 1, (column + dx - 1) % w + 1 }]
      end
    end
  end
  if neighbours == 3 or (neighbours == 2 and old[{ row, column }] == 1) then
    new[{ row, column }] = 1
  else
    new[{ row, column }] = 0
  end
end, { name = "life" })

local H, W = 16, 40
local world, other = ma.zeros({ H, W }, "int32"), ma.zeros({ H, W }, "int32")
-- a glider
for _, cell in ipairs { { 1, 2 }, { 2, 3 }, { 3, 1 }, { 3, 2 }, { 3, 3 } } do world[cell] = 1 end
-- an R-pentomino
for _, cell in ipairs { { 8, 20 }, { 8, 21 }, { 9, 19 }, { 9, 20 }, { 10, 20 } } do world[cell] = 1 end

local function show(generation)
  print(("generation %d, %d alive"):format(generation, world:sum():item()))
  for _, row in ipairs(world:totable()) do
    for k, alive in ipairs(row) do row[k] = alive == 1 and "#" or "." end
    print(table.concat(row))
  end
end

local generations = tonumber(arg and arg[1]) or 8
local path = arg and arg[2]
local film = path and path:find("%.gif$") and ma.image.animation(path, { delay = 0.1 })

--- The world as a picture: cells that are alive are black.
local function picture(size)
  return ma.image.resize((255 - world * 255):astype("uint8"), { size * H, size * W }, { smooth = false })
end

local block, grid = { 32, 4 }, { math.ceil(W / 32), math.ceil(H / 4) }
show(0)
for _ = 1, generations do
  if film then film:add(picture(8)) end
  step(grid, block, { other, world })
  world, other = other, world
end
show(generations)

if film then film:add(picture(8)):close()
elseif path then ma.image.write(path, picture(1), { format = "pgm" }) end
if path then print("written to " .. path) end
