--- Changes weak places of the library on purpose, one at a time, and demands that the spec which holds the promise
--- fails.
--
-- usage: luajit scripts/mutate.lua [--check | --table] [TEXT...]
--   TEXT      only the changes whose file, spec or reason contains one of these
--   --check   changes and builds nothing: only looks whether the list is right, as make lint does
--   --table   prints the result as a table, too
-- The changes are listed in spec/mutations.lua. They are made in a copy of the tree with its build folder, so that each
-- compiles one file and links; CC and LUAJIT pick other programs. Ends with "N noticed, N unnoticed"; exits with 1
-- where one went unnoticed or the list is wrong.

local list = dofile("spec/mutations.lua")
local luajit = os.getenv("LUAJIT") or "luajit"
local limit = 300                      -- seconds of a spec: one that hangs fails
local scratch, compiler

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- What a command prints, and its exit status; it runs in the copy as soon as there is one.
local function shell(command)
  local pipe = assert(io.popen(("%s{ %s\n} 2>&1; printf '\\n%%d' $?"):format(scratch and "cd " .. quote(scratch)
    .. " && " or "", command)))
  local text = pipe:read("*a")
  pipe:close()
  local output, code = text:match("^(.*)\n(%d+)$")
  return output or text, tonumber(code) or 1
end

local function must(command, what)
  local output, code = shell(command)
  if code ~= 0 then error(("%s:\n%s"):format(what, output), 0) end
  return output
end

local file = dofile("spec/file.lua")
local read, write = file.read, file.write

-- ==== The copy ====

-- What lists the files of the tree, and those of the copy.
local FILES = "git ls-files --cached --others --exclude-standard"
local IN_COPY = "find . -type f -not -path './.kept/*' -not -path './build*' -printf '%P\\n'"

--- Makes the copy. What was built is newer there than any source, in the order of make's rules, so that make begins
--- with nothing to do.
local function copy_tree()
  compiler = os.getenv("CC") or (select(2, shell("command -v ccache")) == 0 and "ccache gcc" or "cc")
  must(("make -s -j2 CC=%s all"):format(quote(compiler)), "the library does not build")
  local folder = must("mktemp -d", "no temporary folder"):match("%S+")
  must((FILES .. " -z | xargs -0 cp -a --parents -t %s"):format(folder),
    "the tree cannot be copied")
  must(("tar -c --exclude=build/unit build moonarray | tar -x -C %s"):format(folder), "the build cannot be copied")
  scratch = folder
  must("touch build/kernels.inc && find build -name '*.o' -exec touch {} + && touch moonarray/core.so",
    "the build cannot be made the newest")
end

--- A unit of the core is a program of its own. ccache finds what an earlier run compiled, since a copy's name is no
--- part of its keys.
local function build(m)
  local unit = m and m.spec:match("^spec/unit/(.*)%.c$")
  return shell(("CCACHE_NOHASHDIR=1 make -s -j2 CC=%s all %s"):format(quote(compiler), unit and "build/unit/" .. unit
    or ""))
end

local function keep()
  must("rm -rf .kept && mkdir .kept && cp -a build moonarray .kept/ && touch .kept/stamp", "the build cannot be kept")
end

--- Puts back every object that was made anew, with its time, so that make has nothing to do.
local function restore()
  must("rm -rf build/unit; find build moonarray -type f -newer .kept/stamp | while read -r f; do cp -p .kept/$f $f " ..
    "|| exit 1; done",
    "the build cannot be restored")
end

-- ==== Specs ====

local runs = {}                        -- of the library as it is

local busted = "MOONARRAY_DEVICE=cpu LUA_PATH='./lua/?.lua;./lua/?/init.lua;./?.lua;;' LUA_CPATH='./?.so;;' SEED=1 " ..
  "timeout %d %s "
  .. "scripts/busted.lua --output=plainTerminal --helper=spec/helper.lua %s %s"

local function run_spec(m)
  local unit = m.spec:match("^spec/unit/(.*)%.c$")
  if unit then
    local output, code = shell(("timeout %d build/unit/%s"):format(limit, unit))
    return { code = code, output = output, passed = code == 0 and 1 or 0, failed = 0 }
  end
  local output, code = shell(busted:format(limit, luajit, m.filter and "--filter=" .. quote(m.filter) or "", m.spec))
  local passed, failed, errors = output:match("(%d+) success%a* / (%d+) failure%a* / (%d+) error")
  return { code = code, output = output, passed = tonumber(passed) or 0, failed = (tonumber(failed) or 0)
    + (tonumber(errors) or 0),
    test = output:match("Failure %S+ [^\n]*\n([^\n]+)") or output:match("Error %S+ [^\n]*\n([^\n]+)") }
end

--- The spec must pass as things are, with at least one test, else its failure says nothing.
local function check_baseline(m)
  local key = m.spec .. "\n" .. (m.filter or "")
  if not runs[key] then
    local output, code = build(m)
    if code ~= 0 then error("the library does not build:\n" .. output, 0) end
    local run = run_spec(m)
    runs[key] = run.code ~= 0 and "it fails as things are:\n" .. run.output or run.passed == 0
      and "no test has a name like that" or "passes"
  end
  return runs[key]
end

-- ==== Changes ====

--- A text without its white space, and where each of its characters stands in it: formatting moves lines.
local function squeezed(text)
  local places, n = {}, 0
  for at in text:gmatch("()%S") do
    n = n + 1
    places[n] = at
  end
  return text:gsub("%s+", ""), places
end

--- Where `part` stands in `text`, white space aside: the first and the last position, and how many times.
local function find_part(text, part)
  local solid, places = squeezed(text)
  local wanted = part:gsub("%s+", "")
  local n, at, first, last = 0, 1, nil, nil
  while true do
    local from, to = solid:find(wanted, at, true)
    if not from then return n, first, last end
    n, at = n + 1, to + 1
    first, last = first or places[from], last or places[to]
  end
end

local files

--- The path and the text of the one file of this name (or of the end of a path) that has the text which is to change:
--- files may move.
local function find_file(m)
  if not files then
    files = {}
    for path in must(scratch and IN_COPY or FILES, "no files"):gmatch("[^\n]+") do files[#files + 1] = path end
  end
  local found, found_text, named
  for _, path in ipairs(files) do
    if path == m.file or path:sub(-#m.file - 1) == "/" .. m.file then
      local text = read((scratch or ".") .. "/" .. path)
      local n = find_part(text, m.find)
      named = true
      if n > 1 or (n == 1 and found) then return nil, "its text is there more than once" end
      if n == 1 then found, found_text = path, text end
    end
  end
  if not found then return nil, named and "its text is not there" or "there is no such file" end
  return found, found_text
end

local function mutate(m)
  local path, text = find_file(m)
  if not path then return nil, text end
  local baseline = check_baseline(m)
  if baseline ~= "passes" then return nil, baseline end
  local _, from, to = find_part(text, m.find)
  must(("cp -p %s .kept/source && touch .kept/stamp"):format(quote(path)), "the source cannot be kept")
  shell("sleep 0.01")
  write(scratch .. "/" .. path, text:sub(1, from - 1) .. m.replace .. text:sub(to + 1))
  local output, code = build(m)
  local run = code == 0 and run_spec(m)
  must(("cp -p .kept/source %s"):format(quote(path)), "the source cannot be restored")
  restore()
  if not run then return nil, "it does not build:\n" .. output end
  return run
end

local function how(run)
  if run.code == 0 then return nil end
  if run.test then return run.test end
  return run.code == 124 and "hung" or "ended by " .. (run.code > 128 and "signal " .. run.code - 128
    or "status " .. run.code)
end

local function wanted(m, texts)
  for _, text in ipairs(texts) do
    if (m.file .. "\n" .. m.spec .. "\n" .. m.why):find(text, 1, true) then return true end
  end
  return #texts == 0
end

local function print_table(rows)
  print("\n| file | what was changed | noticed by |\n|---|---|---|")
  for _, row in ipairs(rows) do
    print(("| `%s` | %s | %s |"):format(row.m.file, row.m.why, row.how and "`" .. row.m.spec .. "`" or "**nobody**"))
  end
end

--- Whether each change has a text to replace and a spec.
local function check(chosen)
  local wrong = 0
  for _, m in ipairs(chosen) do
    local path, why = find_file(m)
    local spec = io.open(m.spec)
    if spec then spec:close() end
    if not path or not spec then
      wrong = wrong + 1
      print(("%s: %s: %s"):format(m.file, m.why, why or "there is no " .. m.spec))
    end
  end
  print(("%d entries, %d wrong"):format(#chosen, wrong))
  return wrong == 0
end

local function main()
  local texts, with_table, only_check, rows = {}, false, false, {}
  for _, word in ipairs(arg) do
    if word == "--table" then with_table = true
    elseif word == "--check" then only_check = true
    else texts[#texts + 1] = word end
  end
  local chosen = {}
  for _, m in ipairs(list) do
    if wanted(m, texts) then chosen[#chosen + 1] = m end
  end
  if only_check then return check(chosen) end
  copy_tree()
  keep()
  local noticed, unnoticed, wrong = 0, 0, 0
  for k, m in ipairs(chosen) do
    local begun = os.time()
    local run, why = mutate(m)
    local result = run and how(run)
    if not run then wrong = wrong + 1 elseif result then noticed = noticed + 1 else unnoticed = unnoticed + 1 end
    print(("%3d/%d %-9s %s: %s (%s: %s, %d s)"):format(k, #chosen, run and (result and "noticed" or "UNNOTICED")
      or "WRONG", m.file, m.why, m.spec,
      run and (result or "all passed") or why, os.time() - begun))
    io.stdout:flush()
    rows[#rows + 1] = { m = m, how = result }
  end
  if with_table then print_table(rows) end
  if wrong > 0 then print(wrong .. " entries of the list are wrong") end
  print(("%d noticed, %d unnoticed"):format(noticed, unnoticed))
  return unnoticed == 0 and wrong == 0 and noticed > 0
end

local ok, result = pcall(main)
local folder = scratch
scratch = nil
if folder then shell("rm -rf " .. quote(folder)) end
if not ok then io.stderr:write("mutate: ", tostring(result), "\n") end
os.exit(ok and result and 0 or 1)
