-- The script of host.c: it gets an array over the engine's own memory. Changes of it are seen there at once.
require "moonarray"
local position = ...

position:iadd({ 10, 20 })
print(position)
return position:mean(1, { dtype = "float64" }):get()
