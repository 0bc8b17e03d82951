-- Every public function that writes a file keeps the old one until the new one is whole: on a full disk, beyond a limit
-- of the process, where any single step fails, and where the process is killed. A function that is not in these lists
-- fails the spec, and so does a line of the sources that writes a file by other means than the one writer.

local helper = require "spec.helper"
local ma = helper.ma
local core = require "moonarray.core"
local files = require "spec.file"
local read, write = files.read, files.write

local LUA = os.getenv("LUAJIT") or "luajit"

local function run(command) return (files.output(command):gsub("\n$", "")) end

local folder
before_each(function() folder = run("mktemp -d") end)
after_each(function() os.execute("rm -r " .. folder) end)

local function here(name) return folder .. "/" .. name end
local function list() return run("LC_ALL=C ls -A " .. folder) end     -- a language sorts ".script.lua" elsewhere

-- Each writes more than 10 kB. `path` is that of a file "data" in a folder, and the row has the name of what appears.
local noise = "ma.random.randint(0, 256, { 64, 64, 3 }):astype 'uint8'"
local frames = "ma.random.randint(0, 256, { 3, 64, 64, 3 }):astype 'uint8'"
local many = "ma.random.rand(2000)"
-- A record of one kernel, whose image has numbers that do not pack.
local record = os.tmpname()
do
  local words, parts = {}, { "kernel\n" }
  for k = 1, 4096 do words[k] = ("%d"):format(math.random(0, 2 ^ 31 - 1)) end
  local text = 'extern "C" __device__ unsigned words[] = {' .. table.concat(words, ",") .. "};"
    .. 'extern "C" __global__ void f(unsigned *x) { *x = words[*x]; }'
  for _, part in ipairs { "f", "0", "", text, "", "0", "-" } do parts[#parts + 1] = #part .. ":" .. part .. "\n" end
  write(record, table.concat(parts))
end
teardown(function() os.remove(record) end)

local writers = {
  { "save", "data.npy", "ma.save(path, ma.random.rand(200000))" },
  { "savez", "data.npz", "ma.savez(path, { a = ma.random.rand(200000), b = ma.zeros(3) })" },
  { "savez_compressed", "data.npz", "ma.savez_compressed(path, { a = ma.random.rand(200000) })" },
  { "savetxt", "data", "ma.savetxt(path, ma.random.rand(100000))" },
  { "tofile", "data", "ma.random.rand(200000):tofile(path)" },
  { "tofile", "data", "ma.random.rand(100000):tofile(path, { sep = ' ' })", "as text" },
  { "image.write", "data.png", "ma.image.write(path .. '.png', " .. noise .. ")", "PNG" },
  { "image.write", "data", "ma.image.write(path, " .. noise .. ", { format = 'bmp' })", "BMP" },
  { "image.write", "data", "ma.image.write(path, " .. noise .. ", { format = 'ppm' })", "PPM" },
  { "image.write", "data", "ma.image.write(path, " .. noise .. ", { format = 'jpeg', quality = 100 })", "JPEG" },
  { "image.animation", "data.gif",
    "local a = ma.image.animation(path .. '.gif'); a:add(" .. noise .. "):add(" .. noise .. "):close()", "GIF" },
  { "image.animation", "data1.png", "ma.image.animation(path .. '%d.png'):add(" .. noise .. "):close()", "numbers" },
  { "image.write_animation", "data.png", "ma.image.write_animation(path .. '.png', " .. frames .. ")", "APNG" },
  { "plot.Figure.save", "data.svg", "local f = ma.plot.figure(); f:scatter(" .. many .. ", " .. many ..
    "); f:save(path .. '.svg')", "SVG" },
  { "plot.Figure.save", "data.png", "local f = ma.plot.figure(); f:scatter(" .. many .. ", " .. many ..
    "); f:save(path .. '.png')", "PNG" },
  { "plot.animation", "data.gif", "ma.plot.animation(path .. '.gif', 2, function() return " .. noise .. " end)" },
  { "plot.line", "data.png", "ma.plot.line(" .. many .. ", { path = path .. '.png' })" },
  { "plot.scatter", "data.svg", "ma.plot.scatter(" .. many .. ", " .. many .. ", { path = path .. '.svg' })" },
  { "plot.bar", "data.ppm", "ma.plot.bar({ 1, 2 }, { 3, 4 }, { path = path .. '.ppm' })" },
  { "plot.hist", "data.bmp", "ma.plot.hist(" .. many .. ", { path = path .. '.bmp' })" },
  { "plot.heatmap", "data.bmp", "ma.plot.heatmap(ma.random.rand(64, 64), { path = path .. '.bmp' })" },
  { "wavfile.write", "data", "ma.wavfile.write(path, 8000, ma.random.rand(200000))" },
  { "sparse.save_npz", "data.npz", "ma.sparse.save_npz(path, ma.sparse.csr_matrix(ma.random.rand(50, 50)))" },
  { "hdf5.write", "data", "ma.hdf5.write(path, { a = ma.random.rand(20000), ['b/c'] = ma.zeros(3) })" },
  { "profiler.trace", "data",
    "ma.profiler.trace(path, function() local x = ma.ones(3) for _ = 1, 300 do x = ma.eval(x + 1) end end)" },
  { "bundle.build", "data", "ma.bundle.build('" .. record .. "', path, { targets = { 90 }, ptx = false })" },
  { "distributed.save", "data",
    "local D = ma.distributed; D.init {}; D.save(path, D.distribute(ma.random.rand(20000)))" },
  { "cuda.runtime.graphDebugDotPrint", "data", [[local x = ma.zeros(10)
    local g = ma.cuda.graph(function() for k = 1, 300 do x:iadd(ma.full(10, k)) end end)
    if #g:debug_dot_str() < 10000 then print "no long text here; code 7" os.exit(7) end
    ma.cuda.runtime.graphDebugDotPrint(g, path, 0)]],
    also = "the text of a graph is not whole: the disk may be full" },      -- a driver's own file ends at the limit too
}
-- Functions with a file or a path that write none, or write to a file that the user opened and has the errors of.
local others = { "RawModule", "fromfile", "genfromtxt", "load", "loadt7", "loadtxt", "distributed.load", "hdf5.list",
  "hdf5.read", "image.read", "sparse.load_npz", "wavfile.read", "cuda.DebugPrintHook", "image.show" }
-- Methods that end what another function began.
local ends = { ["image.Animation.close"] = "image.animation" }

--- Why a library is not here: nothing if it is, whatever else is wrong.
local function lacks(call)
  local ok, why = pcall(call)
  return not ok and tostring(why):match "needs (lib[%w]+), which is not found" or nil
end
local missing = {
  JPEG = lacks(function() return ma.image.encode(ma.zeros({ 8, 8 }, "uint8"), "jpeg") end),
  ["hdf5.write"] = lacks(function() ma.hdf5.write("/dev/null", { x = ma.zeros(1) }) end),
}
do
  local path = os.tmpname()
  local built = ma.bundle.build(record, path, { targets = { 90 }, ptx = false })
  os.remove(path)
  missing["bundle.build"] = built.images == 0 and "NVRTC" or nil
end

-- A shell of its own, which mounts below the folder $0: no other process sees that (spec/files/output_spec.lua).
local private = [[unshare -m --propagation unchanged sh -c 'mount --make-rprivate / 2>/dev/null ||
  { mount --bind "$0" "$0" && mount --make-private "$0"; } || exit 1; ]]
local can_mount = os.execute(private .. [[mount -t tmpfs none "$0"' /mnt 2>/dev/null]]) == 0

--- Runs a chunk in a process of its own, `in_front` before its command in a shell: what it printed, and how it ended.
local function process(chunk, in_front)
  write(here(".script.lua"), 'local ma = require "moonarray"; local path = ...\n' .. chunk)
  local text = run(("%s '%s' %s %s 2>&1; echo code $?"):format(in_front or "", LUA, here(".script.lua"), here("data")))
  os.remove(here(".script.lua"))
  return text
end

--- A chunk that runs once freely, so that a GPU's compiler has written its files, and then with a limit on all files.
local function limited(chunk)
  return ([[do local path = path .. ".first" %s end
    os.execute("rm " .. path .. ".first*")
    local ffi = require "ffi"
    ffi.cdef "struct limit { unsigned long now, most; }; int setrlimit(int what, const struct limit *to);"
    assert(ffi.C.setrlimit(1, ffi.new("struct limit", 8192, 8192)) == 0)         -- RLIMIT_FSIZE
    %s]]):format(chunk, chunk)
end

-- The old file is there before the nth step fails and after it; when no step fails any more, the new one is.
local EACH_STEP = [[
  local core, file, folder = require "moonarray.core", %q, path:match "^(.*)/"
  local function names()
    local pipe = io.popen("LC_ALL=C ls -A " .. folder)
    local text = pipe:read "*a"
    pipe:close()
    return text
  end
  local function once() %s end
  local n = 0
  repeat
    n = n + 1
    local handle = io.open(folder .. "/" .. file, "wb")
    handle:write "old"
    handle:close()
    core.make_fail("file", n, 1)
    local ok, why = pcall(once)
    core.make_fail("file", 0)
    handle = io.open(folder .. "/" .. file, "rb")
    local bytes = handle:read "*a"
    handle:close()
    assert(ok or tostring(why):find("No space left on device", 1, true), why)
    assert(ok == (bytes ~= "old"), n .. ": " .. #bytes .. " bytes, " .. tostring(why))
    assert(names() == ".script.lua\n" .. file .. "\n", names())
  until ok
  print("steps " .. n - 1)]]

-- What needs libturbojpeg, libhdf5 or NVRTC is tried where they are: make test-formats installs the first two and runs
-- this file.
local here_now = {}
for _, way in ipairs(writers) do
  if not (missing[way[1]] or missing[way[4]]) then here_now[#here_now + 1] = way end
end

describe("the old file", function()
  for _, way in ipairs(here_now) do
    local name, file, chunk = way[1], way[2], way[3]
    local called = name .. (way[4] and ", " .. way[4] or "")

    it("stays where a write fails: " .. called, function()
      write(here(file), "old")
      local text = process(limited(chunk), "trap '' XFSZ;")
      if text:find "code 7" then return pending "no long text of a graph" end
      assert(text:find("cannot be written: ", 1, true) or text:find("cannot write ", 1, true)
        or way.also and text:find(way.also, 1, true), text)
      assert(text:find("code 1", 1, true), text)
      assert.equal("old", read(here(file)))
      assert.equal(file, list())
    end)

    it("stays where the process is killed: " .. called, function()
      write(here(file), "old")
      local text = process(limited(chunk))                 -- SIGXFSZ
      if text:find "code 7" then return pending "no long text of a graph" end
      assert(text:find("code 153", 1, true), text)
      assert.equal("old", read(here(file)))
    end)

    it("stays on a full disk: " .. called, function()
      if not can_mount then return pending("no file system can be mounted") end
      os.execute("mkdir " .. here("disk"))
      write(here("chunk.lua"), 'local ma = require "moonarray"; local path = ...\n' .. chunk)
      local text = run((private .. [[mount -t tmpfs -o size=64k none "$0/disk" && printf old > "$0/disk/%s" &&
        head -c 53248 /dev/zero > "$0/disk/full" && "%s" "$0/chunk.lua" "$0/disk/data" 2>&1;
        echo code $?; cat "$0/disk/%s"; echo; rm "$0/disk/full"; ls -A "$0/disk"' %s]]):format(file, LUA, file, folder))
      if text:find "code 7" then return pending "no long text of a graph" end
      assert(text:find("No space left on device", 1, true), text)
      assert(text:find("code 1\nold\n" .. file .. "$"), text)
    end)

    it("stays where any one step fails: " .. called, function()
      local text = process(EACH_STEP:format(file, chunk))
      if text:find "code 7" then return pending "no long text of a graph" end
      assert(tonumber(text:match "^steps (%d+)\ncode 0$" or 0) >= 4, text)      -- a write, a close, a sync, a rename
    end)

    it("is replaced where nothing fails, and nothing else is left: " .. called, function()
      write(here(file), "old")
      local text = process(chunk)
      if text:find "code 7" then return pending "no long text of a graph" end
      assert.equal("code 0", text)
      assert(#read(here(file)) > 8192)
      assert.equal(file, list())
    end)
  end

  it("is not there where there was none", function()
    process(limited "ma.random.rand(200000):tofile(path)", "trap '' XFSZ;")
    assert.equal("", list())
  end)
end)

describe("every public function", function()
  it("with a file or a path is in a list of this file", function()
    local known, count = {}, 0
    for _, way in ipairs(writers) do known[way[1]] = true end
    for _, name in ipairs(others) do known[name] = true end
    for name in pairs(ends) do known[name] = true end
    for name, entry in pairs(core.functions) do
      local words = entry.signature:match "%b()" or ""
      local takes = (" " .. words):find "[^%w_]file%f[^%w_]" or words:find "%f[%w_]path%f[^%w_]"
        or words:find "%f[%w_]filename%f[^%w_]" or words:find "%f[%w_]folder%f[^%w_]"
        or words:find "%f[%w_]directory%f[^%w_]"
      local says = (entry.doc or ""):find "[Ww]rites[^.]* files?%f[^%w]"
      if (takes or says) and not name:find "^core%." then
        assert(known[name], name .. " takes a file or a path: is it a writer? Give it a row here")
        known[name] = "met"
        count = count + 1
      end
    end
    for name, met in pairs(known) do assert(met == "met" or ends[name], name .. " is not there any more") end
    assert(count > 30, count)
  end)
end)

describe("the sources", function()
  --- Calls fn(file, line) for each line below a folder that has one of the words.
  local function each_line(words, where, fn)
    local count = 0
    for line in (run(("grep -rnE '%s' %s"):format(words, where)) .. "\n"):gmatch "([^\n]+)\n" do
      fn(line:match "^[^:]+", line)
      count = count + 1
    end
    assert(count > 3)
  end

  it("open files in Lua to read them", function()
    each_line("io.open|io.output|io.popen|os.rename|os.tmpname", "lua --include=*.lua", function(file, line)
      local reads = line:find 'io%.open%([%w_]+, "rb"%)' or line:find "not io%.open then"
      local is_example = line:find ":%d+:%s*%-%->" or file == "lua/moonarray/help/examples.lua"
      local is_pipe = line:find '"/dev/fd/"'
      assert(reads or is_example or is_pipe, line .. "\nwrite by core.write_file or core.output_open")
    end)
  end)

  it("write files in C by src/files/output.c, and kernels and their texts by src/compile", function()
    local writes = { ["src/files/output.c"] = true, ["src/compile/work.c"] = true, ["src/compile/cache.c"] = true,
      ["src/compile/compile.c"] = true, ["src/system/run.c"] = true,        -- the compiler's messages
      ["src/bundle/record.c"] = true }                                      -- a record, to which lines are added
    each_line("O_CREAT|mko?stemp|fopen\\([^)]*\"[wa]|fdopen\\(|fwrite\\(|[^a-z_]rename\\(|creat\\(",
      "src --include=*.c", function(file, line)
        assert(writes[file] or line:find("stderr", 1, true) or line:find("fdopendir", 1, true), line)
      end)
  end)
end)
