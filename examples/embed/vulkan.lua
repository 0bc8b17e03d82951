-- The script of vulkan.c: it gets memory and a semaphore of Vulkan's, and returns what the host calls for each round.
local ma = require "moonarray"
local memory, semaphore = ...

local numbers = memory:array(nil, "float32")
local ramp = ma.arange(numbers.size, "float32")

return function(round)
  if round > 1 then semaphore:wait(2 * round - 2) end          -- Vulkan has copied the round before
  numbers[{}] = ramp + round                                   -- any array code: it writes Vulkan's memory
  semaphore:signal(2 * round - 1)                              -- Vulkan may copy
end
