--- The examples of functions, read from the texts beside this file (help/arrays.lua says how they are written) when
--- ma.help or the reference first asks for one. Returns a table: by a function's name {code =, names =, gpu =}; gpu
--- says where it runs, if not everywhere.

local parts = { "arrays", "mathematics", "linalg", "random", "polynomial", "special", "signal", "ndimage", "cuda",
  "jit", "plot", "sparse" }

local elsewhere = { gpu = "on a GPU", love = "in LÖVE", hdf5 = "with libhdf5" }

local function add(by_name, names, code, gpu)
  local example = { code = code, names = names, gpu = gpu }
  for _, name in ipairs(names) do by_name[name] = example end
  return example
end

local function read(by_name, text)
  local last
  for line in text:gsub(" \\\n", " "):gmatch("[^\n]+") do
    local more = line:match("^  (.*)$")
    if more then
      last.code = last.code .. "\n" .. more
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

local by_name = {}
for _, part in ipairs(parts) do read(by_name, require("moonarray.help." .. part)) end
return by_name
