--- The examples of functions, read from the texts beside this file (help/arrays.lua says how they are written) when
--- ma.help or the reference first asks for one. Returns a table: by a function's name {code =, names =, gpu =}; gpu
--- says where it runs, if not everywhere, prints what it prints there, words what to see where that is no text, and
--- silent that its call gives nothing. The example of an object's method
--- has a name as "stream:record", and its code begins by making the object.

local parts = { "arrays", "mathematics", "linalg", "random", "polynomial", "special", "signal", "ndimage", "cuda",
  "jit", "plot", "sparse", "sparse_solve", "distributed", "methods" }

local elsewhere = { gpu = "on a GPU", gpus = "on two GPUs", gl = "on a GPU with OpenGL", love = "in LÖVE",
  hdf5 = "with libhdf5", last = "in the last line of a program",
  reset = "on a GPU, in the last line of a program" }

local function add(by_name, names, code, gpu)
  local example = { code = code, names = names, gpu = gpu }
  for _, name in ipairs(names) do by_name[name] = example end
  return example
end

local function read(by_name, text)
  local last
  for line in text:gsub(" \\\n", " "):gmatch("[^\n]+") do
    local more, printed, words = line:match("^  (.*)$"), line:match("^> (.*)$"), line:match("^= (.*)$")
    if more then
      last.code = last.code .. "\n" .. more
    elseif printed then
      last.prints = (last.prints and last.prints .. "\n" or "") .. printed
    elseif words then
      last.words = words
    else
      local where, rest = line:match("^(%w+) (.*)$")
      local gpu = elsewhere[where]
      if gpu then line = rest end
      local name = line:match("^([%w_.]+)%(")
      if name then
        last = add(by_name, { name }, "ma." .. line, gpu)
      else
        local list, names = {}, line:match("^(.-): ")
        for one in names:gmatch("%S+") do list[#list + 1] = one end
        last = add(by_name, list, line:sub(#names + 3), gpu)
      end
    end
  end
end

--- Puts the object of its class in front of each method's example; `own` is what stands behind that.
local function make_objects(by_name)
  local made, done, class = {}, {}, nil
  for line in require("moonarray.help.classes"):gmatch("[^\n]+") do
    class = line:match("^= (%S+)") or class
    local method, results = line:match("^:([%w_]+)%(.-%)(.-) | ")
    local example = method and by_name[class .. ":" .. method]
    if example and results == "" then example.silent = true end
  end
  for name, make in ("\n" .. require("moonarray.help.classes")):gmatch("\n= (%S+) | (.-) | ") do made[name] = make end
  for name, example in pairs(by_name) do
    class = name:match("^([%w_]+):")
    local make = class and not done[example] and made[class]
    if make and make ~= "-" then
      local value = not example.silent and loadstring("return " .. example.code) and "return " or ""
      done[example], example.own = true, example.code
      example.code = ("local %s = %s\n%s%s"):format(class, make, value, example.code)
    end
  end
end

local by_name = {}
for _, part in ipairs(parts) do read(by_name, require("moonarray.help." .. part)) end
make_objects(by_name)
return by_name
