function love.conf(t)
  t.identity = "moonarray_cloth"
  t.window.title = "Cloth"
  t.window.width, t.window.height = 800, 600
end

-- From a checkout of moonarray, the library is taken from there. A game of its own has it in its folder `moonarray`.
local root = love.filesystem.getSource() .. "/../../../"
package.path = root .. "lua/?.lua;" .. root .. "lua/?/init.lua;" .. package.path
package.cpath = root .. "?.so;" .. package.cpath
