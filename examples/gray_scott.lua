-- Two substances that react and diffuse (Gray and Scott), as one stencil of two fields that runs many steps by itself.
-- examples/reaction_diffusion.lua is the same in plain operators.
-- usage: luajit examples/gray_scott.lua [n] [steps] [picture.png]

-- also from a checkout that is not installed
package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

local n = tonumber(arg[1]) or 384
local steps = tonumber(arg[2]) or 6000
local path = arg[3]

local FEED, KILL = 0.0545, 0.062

local function laplacian(u)
  return 0.2 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1))
    + 0.05 * (u(-1, -1) + u(-1, 1) + u(1, -1) + u(1, 1)) - u(0, 0)
end

local react = ma.stencil(function(u, v)
  local reaction = u(0, 0) * v(0, 0) ^ 2
  return u(0, 0) + laplacian(u) - reaction + FEED * (1 - u(0, 0)),
    v(0, 0) + 0.5 * laplacian(v) + reaction - (FEED + KILL) * v(0, 0)
end, { boundary = "wrap", out = 2 })

local u, v = ma.ones({ n, n }, "float32"), ma.zeros({ n, n }, "float32")
for k = 1, math.max(1, math.floor(n / 16)) do                        -- drops, always in the same places
  local row, column = 1 + k * 7919 % (n - 8), 1 + k * 104729 % (n - 8)
  u[{ { row, row + 7 }, { column, column + 7 } }] = 0.5
  v[{ { row, row + 7 }, { column, column + 7 } }] = 0.25
end

react(u, v)                                                          -- the kernel is compiled now
local start = ma.time()
u, v = react:run(u, v, { steps = steps })
ma.synchronize()
local time = ma.time() - start
print(("%d x %d on %s, %d steps: %.3f ms a step; %.1f %% of the plane is covered"):format(n, n, u.device, steps,
  time / steps * 1e3, 100 * ma.mean(v:gt(0.1)):item()))

if path then
  local t = ma.clip(v / 0.35, 0, 1)                                  -- night blue, turquoise, white
  local colours = ma.stack({ t ^ 3, 0.08 + 0.9 * t ^ 1.2, ma.clip(0.2 + 1.1 * t, 0, 1) }, 3)
  ma.image.write(path, ma.rint(ma.clip(colours, 0, 1) * 255):astype("uint8"))
  print("see " .. path)
end
