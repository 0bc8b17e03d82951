-- Chunks of host memory go to the device, are worked on and come back: on one stream, one thing after another; on
-- three, the copies of one chunk beside the work on others. usage: luajit examples/overlap.lua [elements] [chunks]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

local elements, chunks = tonumber(arg and arg[1]) or (2 ^ 24), tonumber(arg and arg[2]) or 16
local size = math.floor(elements / chunks)

-- Only pinned memory is copied by the device itself, while the host goes on. Each chunk is an array of its own: the
-- views of one array are one memory, whose uses are kept in order.
local function host_arrays()
  local list = {}
  for chunk = 1, chunks do list[chunk] = ma.cuda.empty_pinned(size, "float32") end
  return list
end

local input, output = host_arrays(), host_arrays()
local ramp = ma.arange(chunks * size, "float32"):reshape(chunks, size) / (chunks * size)
for chunk = 1, chunks do input[chunk]:assign(ramp[chunk]) end

-- Some hundred operations an element, so that the work takes about as long as the copies.
local work = ma.ElementwiseKernel("float32 x", "float32 y", [[
  float v = x;
  for (int k = 0; k < 100; k++) v = v * 0.999f + 0.001f * x;
  y = v
]], "overlap_work")

local function run(streams)
  local start, stop = ma.Event(), ma.Event()
  ma.synchronize()
  start:record()
  for _, stream in ipairs(streams) do stream:wait_event(start) end
  for chunk = 1, chunks do
    -- The scope gives a chunk's memory back at once, so that the same stream takes it again and need not wait for
    -- another.
    streams[(chunk - 1) % #streams + 1]:with(ma.scope, function()
      local x = ma.empty(size, "float32")
      x:assign(input[chunk])
      output[chunk]:assign(work(x))
    end)
  end
  for _, stream in ipairs(streams) do ma.get_current_stream():wait_stream(stream) end
  stop:record()
  stop:synchronize()
  return ma.get_elapsed_time(start, stop)
end

local function check()
  local want = work(ramp):get()
  for chunk = 1, chunks do
    assert(ma.array_equal(want[chunk], output[chunk]), "the chunks are not what the whole is")
  end
end

local function best(streams)
  run(streams)                                           -- compiles, fills the pool
  for chunk = 1, chunks do output[chunk]:fill(0) end
  local time = math.huge
  for _ = 1, 5 do time = math.min(time, run(streams)) end
  check()
  return time
end

local streams = {}
for k = 1, 3 do streams[k] = ma.Stream({ non_blocking = true }) end
print(("%d chunks of %d float32 on %s"):format(chunks, size, ma.device().name))
local one = best({ streams[1] })
print(("one stream     %8.3f ms"):format(one))
local three = best(streams)
print(("three streams  %8.3f ms   %.2f times as fast"):format(three, one / three))
for _, stream in ipairs(streams) do stream:close() end
