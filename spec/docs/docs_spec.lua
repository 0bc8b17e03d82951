-- The documents' code runs and prints what they say, and ma.help and the editor's file agree with the library.
--
-- Every ```lua block of README.md and docs/*.md is run by itself, with `ma` given. What it must print:
--   * a ```text block right behind it holds all that it prints;
--   * `--> text` at the end of a line holds what that line prints, its lines and columns one space apart;
--   * `--> error: text` on the last line: the block ends there with an error whose message contains the text.
-- A block that begins with `-- not run: REASON` is left alone; the reasons are below, with what runs it elsewhere. The
-- device is written `cpu`: on a GPU its name is put in its place. Blocks run in a folder that is thrown away, so that
-- they may write files by plain names; what lies here is there too, as links.

local ffi = require "ffi"
local helper = require "spec.helper"
local ma = helper.ma

local file = require "spec.file"
local read = file.read

-- Why a block does not run here, and the file that runs it, or its calls, where it can; true: this one, on two GPUs.
local elsewhere = {
  ["in LÖVE"] = "spec/love/games_spec.lua",
  ["in LÖVR"] = "spec/docs/engines_spec.lua",
  ["needs libhdf5"] = "spec/formats/hdf5_spec.lua",
  ["needs a GPU and a current OpenGL context"] = "spec/device/gl_spec.lua",
  ["needs a GPU and handles of Vulkan's"] = "spec/device/external_spec.lua",
  ["it takes two GPUs"] = true,
}
local two_gpus = helper.device:find("cuda", 1, true) and ma.cuda.device_count() > 1

local function documents()
  local list = { "README.md" }
  local pipe = assert(io.popen("ls docs/*.md"))
  for path in pipe:lines() do list[#list + 1] = path end
  pipe:close()
  return list
end

--- Blocks of a document: {line, code, text of the ```text block behind it}.
local function blocks_of(path)
  local blocks, number, fence, lines, start, last = {}, 0, nil, nil, nil, nil
  for line in (read(path) .. "\n"):gmatch("(.-)\r?\n") do
    number = number + 1
    local mark = line:match("^```(%w*)")
    if mark and not fence then
      fence, lines, start = mark == "" and "none" or mark, {}, number
    elseif line:match("^```") then
      local text = table.concat(lines, "\n")
      if fence == "lua" then
        last = { line = start, code = text }
        blocks[#blocks + 1] = last
      else
        if fence == "text" and last then last.text = text end
        last = nil
      end
      fence = nil
    elseif fence then
      lines[#lines + 1] = line
    elseif line:match("%S") then
      last = nil
    end
  end
  assert(not fence, path .. ": a block is not closed")
  return blocks
end

local function on_device(text)
  text = text:gsub("(%(0%-d %w+, )cpu", "%1" .. helper.device)
  text = text:gsub("(<sharded array .- here on )cpu>", "%1" .. helper.device .. ">")
  text = text:gsub("(sparse %w+ %b() of %d+ entries, %w+, )cpu", "%1" .. helper.device)
  text = text:gsub("(%([%d, ]*%) [%w_]+ %b{}, )cpu", "%1" .. helper.device)      -- an array of structs
  return (text:gsub("(%([%d, ]*%) %w+, )cpu", "%1" .. helper.device))
end

local function trimmed(text) return (text:gsub("[ \t]+\n", "\n"):gsub("%s+$", "")) end

local function words(text) return (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")) end

--- What a block prints, in all and by line.
local function run(block)
  local all, by_line = {}, {}
  local function record(text)
    local line = debug.getinfo(3, "l").currentline
    all[#all + 1] = text
    by_line[line] = (by_line[line] or "") .. text
  end
  local environment = setmetatable({ ma = ma }, { __index = _G })
  environment._G = environment
  function environment.print(...)
    local parts = {}
    for k = 1, select("#", ...) do parts[k] = tostring((select(k, ...))) end
    record(table.concat(parts, "\t") .. "\n")
  end
  function environment.describe(_, fn) fn() end           -- a block may be a spec
  environment.it = environment.describe
  local chunk = assert(loadstring(block.code))            -- its source is kept, for the jit
  local ok, message = pcall(setfenv(chunk, environment))
  return ok, message, table.concat(all), by_line
end

local function check(block, path)
  local name = path .. ":" .. block.line
  local ok, message, printed, by_line = run(block)
  local number, wanted_error = 0, nil
  for line in (block.code .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    local wanted = line:match("%-%->%s*(.-)%s*$")
    local failure = wanted and wanted:match("^error: (.*)$")
    if failure then wanted_error = failure
    elseif wanted then
      local found, expected = words(by_line[number] or ""), words(on_device(wanted))
      if found ~= expected then
        if not ok then error(name .. ": " .. tostring(message)) end
        error(("%s, line %d prints '%s'; the text says '%s'"):format(name, number, found, expected))
      end
    end
  end
  if wanted_error then
    assert(not ok, name .. ": no error")
    assert(tostring(message):find(wanted_error, 1, true), ("%s: the error is '%s'; the text says '%s'"):format(name,
      message, wanted_error))
  elseif not ok then
    error(name .. ": " .. tostring(message))
  end
  if block.text and trimmed(printed) ~= trimmed(on_device(block.text)) then
    error(("%s prints\n%s\n; the text says\n%s"):format(name, trimmed(printed), on_device(block.text)))
  end
end

ffi.cdef "int chdir(const char *path); int SetCurrentDirectoryA(const char *path);"

local function enter(path)
  if jit.os == "Windows" then return assert(ffi.C.SetCurrentDirectoryA(path) ~= 0) end
  assert(ffi.C.chdir(path) == 0)
end

local LINES_OF_A_RECIPE = 12

describe("documents", function()
  local here, folder = file.output("pwd"):gsub("\n", ""), os.tmpname()
  setup(function()
    os.remove(folder)
    assert(file.run(("mkdir '%s' && ln -s '%s'/* '%s'"):format(folder, here, folder)))
    enter(folder)
  end)
  teardown(function()
    enter(here)
    os.execute("rm -rf '" .. folder .. "'")
  end)

  for _, path in ipairs(documents()) do
    it(path .. " runs as written", function()
      local failures = helper.failures()
      for _, block in ipairs(blocks_of(path)) do
        local reason = block.code:match("^%s*%-%- not run:? ?([^\n]*)")
        if not reason or two_gpus and elsewhere[reason] == true then failures:run("block", check, block, path) end
      end
      failures:check()
    end)
  end

  it("have recipes of few lines, each with a program of its own", function()
    local text, count = read("docs/recipes.md"), 0
    for title, section in (text:gsub("\n## ", "\n\1") .. "\1"):gmatch("\1([^\n]*)\n([^\1]*)") do
      local code, others = section:match("```lua\n(.-)```(.*)$")
      assert(code and not others:find("```lua", 1, true), title .. " has not one program")
      local _, lines = code:gsub("%-%- not run[^\n]*\n", ""):gsub("\n", "\n")
      assert(lines <= LINES_OF_A_RECIPE, ("%s has %d lines"):format(title, lines))
      count = count + 1
    end
    assert(count >= 40, count)
  end)

  it("have a table of tools that bench/tools.lua wrote: a row for each, with times of the CPU", function()
    local rows, tools = {}, read("bench/tools.lua")
    for line in read("docs/which-tool.md"):match("<!%-%- times %-%->\n(.-)<!%-%- end"):gmatch("[^\n]+") do
      rows[#rows + 1] = line
    end
    assert.equal(2 + 8, #rows)
    for k = 3, #rows do
      local name, curve, heat, first = rows[k]:match("^| (.-) | (%S*) | (%S*) | (%S+) |")
      assert(tools:find(name, 1, true) or name:find("^`ma%.%l+`$"), name)
      assert(tonumber(first) and (tonumber(curve) or tonumber(heat)), rows[k])
    end
  end)

  it("say why a block does not run here, and a spec runs what is in them elsewhere", function()
    local failures, found = helper.failures(), {}
    for _, path in ipairs(documents()) do
      for _, block in ipairs(blocks_of(path)) do
        local reason = block.code:match("^%s*%-%- not run:? ?([^\n]*)")
        failures:run(path .. ":" .. block.line, function()
          assert(not reason or elsewhere[reason], ("'%s' is no reason of this spec's"):format(tostring(reason)))
        end)
        if reason then found[reason] = true end
      end
    end
    for reason, path in pairs(elsewhere) do
      failures:run(reason, function()
        assert(found[reason], "a reason of no block")
        assert(path == true or read(path))
      end)
    end
    failures:check()
  end)

  it("have links that lead somewhere", function()
    local failures = helper.failures()
    for _, path in ipairs(documents()) do
      for link in read(path):gsub("```.-```", ""):gsub("`[^`\n]*`", ""):gmatch("%]%(([^)#]+)[^)]*%)") do
        if not link:find("^%a+:") then
          local target = link:sub(1, 1) == "/" and link:sub(2) or (path:match("^(.*/)") or "") .. link
          failures:run(path, function() assert(io.open(target), "no file " .. link):close() end)
        end
      end
    end
    failures:check()
  end)
end)

describe("the library's own description", function()
  --- What ma.help prints.
  local function help_of(what)
    local before, out = print, {}
    rawset(_G, "print", function(text) out[#out + 1] = text end)
    local ok, message = pcall(ma.help, what)
    rawset(_G, "print", before)
    assert(ok, message)
    return table.concat(out, "\n")
  end

  it("is printed by ma.help", function()
    assert.matches("^moonarray.sum%(a, axis%?", help_of "sum")
    assert.equal("moonarray.sqrt(a, out?; dtype?, where?, casting?)\n  the square root, not negative\n"
      .. "  Example:\n    ma.sqrt({1, 4, 9})\nothers with 'sqrt' in the name:\n  rsqrt", help_of(ma.sqrt))
    assert.matches("^moonarray.linalg.svd%(a, ", help_of(ma.linalg.svd))
    assert.matches("^moonarray.sum%(a, ", help_of(ma.zeros(1).sum))
    assert.matches("^moonarray.linalg.svd%(a, .*local u, s, vh = ", help_of "ma.linalg.svd")
    assert.matches("a function, which is no function of moonarray", helper.fails(ma.help, print))
  end)

  it("tells of methods, modules, objects and their classes", function()
    for _, name in ipairs { "reshape", "a:reshape", "ma.reshape", ":reshape", "reshape()" } do
      assert.matches("^moonarray.reshape%(a, shape%?.-ma.reshape%(ma.range", help_of(name))
    end
    assert.matches("^moonarray.reshape%(a, ", help_of(ma.ones(2).reshape))
    assert.matches("^moonarray.add%(a, b.-Example:\n    ma.add", help_of(ma.add))
    assert.matches("^moonarray.sum%(a, ", help_of(ma.numpy.sum))
    for _, module in ipairs { ma.stats, ma.numpy.stats, "stats", "ma.stats" } do
      assert.matches("^moonarray.stats: %d+ functions.-\n  boxcox_llf .- zscore$", help_of(module))
    end
    assert.matches("^moonarray: %d+ functions.- zeros%s+zeros_like$", help_of(ma))
    assert.matches("^stream: .-%.done .-:record ", help_of(ma.Stream()))
    assert.matches("^stream:record%(event%?: event%) %-> event\n  Records", help_of "stream:record")
    assert.matches("^stream:record%(", help_of(ma.Stream().record))
    assert.matches("^poly1d: .-:deriv ", help_of(ma.poly1d { 1, 2 }))
    assert.matches("^moonarray.random.normal%(loc", help_of "generator:normal")
    assert.matches("^generator: .-:spawn", help_of(ma.random.default_rng(1)))
    assert.matches("^array: .-%.strides .- :cumsum ", help_of(ma.ones(2)))
    assert.matches("Example %(on a GPU%):\n    ma.cuda.get_device_id%(%)", help_of "cuda.get_device_id")
    assert.matches("^a%.mT: array\n  with the last two axes", help_of "a.mT")
  end)

  it("suggests near names", function()
    assert.matches("no function has 'xyzzy' in its name; ma.help%(%) lists all", helper.fails(ma.help, "xyzzy"))
    for wrong, right in pairs { reshpae = "reshape", zeors = "zeros", ["lingalg.svd"] = "linalg.svd",
      ["a:matml"] = "matmul" } do
      assert.matches("did you mean '" .. right .. "'", helper.fails(ma.help, wrong))
    end
    assert.matches("stream has no 'foo'; ma.help 'stream' lists", helper.fails(ma.help, "stream:foo"))
    assert.matches("help: the number 3; wanted a name, a function", helper.fails(ma.help, 3))
  end)

  it("lists the functions with a text in their names, behind the one of that name", function()
    assert.matches("^moonarray.stack%(arrays, .-\n  One array .-\n  column_stack dstack hstack row_stack " ..
      "sparse.hstack sparse.vstack unstack vstack$", help_of "stack")
  end)

  it("is true of a function and of the method that does something else", function()
    for name, copies in pairs { sort = "A sorted copy", partition = "A copy whose kth" } do
      assert.matches(("^moonarray.%s%%(arr, .-\n  %s.-\na:%s%%(.-the array"):format(name, copies, name), help_of(name))
      local x, y = ma.array { 3, 1, 2 }, ma.array { 3, 1, 2 }
      assert.same({ 1, 2, 3 }, ma[name](x, name == "sort" and 1 or 2):totable())
      assert.same({ 3, 1, 2 }, x:totable())
      assert.equal(y, y[name](y, name == "sort" and 1 or 2))
      assert.same({ 1, 2, 3 }, y:totable())
    end
    assert.matches("^moonarray.compress%(condition, a, .-\na:compress%(condition, ", help_of "compress")
    assert.matches("^a:data%(%)\n  A typed FFI pointer", help_of "x:data")
  end)

  it("has a sentence for every function", function()
    for name, entry in pairs(helper.core.functions) do
      assert(#entry.doc > 0, name .. " has no docstring")
    end
  end)
end)
