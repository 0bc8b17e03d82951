--- A fresh process up to its first result; bench.lua times it from outside.
local ma = require "moonarray"
local x = ma.arange(10):astype("float32")
assert((x * x + 1):sum():item() == 295)
