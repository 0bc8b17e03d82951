--- The Lua process of a notebook. It runs the cells that packages/jupyter/moonarray_kernel.py sends, and answers with
--- what they show. print and io.write go through the process's own stdout and stderr.
---
--- A message is a line with the length of each field, then the fields. The first says what it is:
---
---     run NUMBER CODE   any number of `show MIME BYTES ...` and `result MIME BYTES ...`, then
---                       `done`, or `done MESSAGE TRACEBACK` after an error
---     complete CODE     `done NAME ...`: what may stand in place of the code's last word
---     about CODE        `done TEXT`, or `done` where there is nothing to say of the name at the code's end
---     whole CODE        `done complete`, `done incomplete` or `done invalid`

local cell = require "moonarray.notebook.cell"
local names = require "moonarray.notebook.names"
local show = require "moonarray.notebook.show"
local signals = require "moonarray.notebook.signals"

local function receive(input)
  local line = input:read "*l"
  if not line then return end
  local fields = {}
  for length in line:gmatch "%d+" do
    fields[#fields + 1] = length == "0" and "" or input:read(tonumber(length))
  end
  return fields
end

--- What was printed goes first, so that it is in its pipe when the message arrives.
local function send(output, fields)
  io.stdout:flush()
  io.stderr:flush()
  local lengths = {}
  for k, field in ipairs(fields) do lengths[k] = #field end
  output:write(table.concat(lengths, " "), "\n", table.concat(fields))
  output:flush()
end

--- The message of an error, and the calls that led to it, up to that of the cell.
local function explain(problem)
  local calls = debug.traceback("", 2):gsub("\n[^\n]*%[C%]: in function '[^']*'\n[^\n]*[/\\]signals%.lua.*", "")
  return { tostring(problem), (calls:gsub("^%s*stack traceback:\n", "")) }
end

local function pack(ok, ...) return ok, { n = select("#", ...), ... } end

local function same(...) return ... end

local answers = {}

function answers.run(reply, number, code)
  local chunk, is_quiet = cell.load(code, "cell " .. number)
  if not chunk then return reply("done", is_quiet, "") end
  rawset(_G, "display", function(value) reply("show", unpack(show.contents(value))) end)
  local ok, values = pack(signals.interruptible(xpcall, chunk, explain, same))
  if not ok then return reply("done", unpack(values[1])) end
  for k = 1, is_quiet and 0 or values.n do
    if values[k] ~= nil then reply(values.n == 1 and "result" or "show", unpack(show.contents(values[k]))) end
  end
  reply "done"
end

function answers.complete(reply, code) reply("done", unpack(names.complete(code))) end

function answers.about(reply, code) reply("done", names.about(code)) end

function answers.whole(reply, code) reply("done", cell.state(code)) end

local process = {}

--- Answers until the other end of the pipes is gone. They are the files `input` and `output` of this process.
function process.serve(input, output)
  input, output = assert(io.open("/dev/fd/" .. input, "rb")), assert(io.open("/dev/fd/" .. output, "wb"))
  io.stdout:setvbuf "line"
  signals.begin()
  local function reply(...) send(output, { ... }) end
  while true do
    local fields = receive(input)
    if not fields then return end
    answers[fields[1]](reply, unpack(fields, 2))
  end
end

return process
