-- The public address of moonarray stands in scripts/address: the page of the source, without a slash at its end, on a
-- host that keeps issues at ADDRESS/issues and the files of a release at ADDRESS/releases/download/vVERSION/FILE. It is
-- empty until there is one. STAND_IN is in its place then, which leads nowhere. This fails where the rockspec,
-- README.md, a page of the documentation, the site or a package names another one.
-- usage: luajit scripts/addressed.lua            says what is wrong, or the address, or "not set"
--        luajit scripts/addressed.lua --write    after a change of scripts/address: writes it where it belongs

local files = dofile("scripts/files.lua")

local STAND_IN = "https://moonarray.invalid"
local LINE = "Releases, the source, and a place for questions: "          -- in README.md, once there is an address

local text = assert(files.read("scripts/address"))
local set = text:match("^%s*(.-)%s*$")
local address = set ~= "" and set or STAND_IN
local rockspec = assert(files.lines("ls moonarray-*.rockspec")[1], "no rockspec here")
local release = rockspec:match("^(.*)%-%d+%.rockspec$")
local wrong = {}

local function say(...) wrong[#wrong + 1] = string.format(...) end
local function plain(pattern) return (pattern:gsub("%p", "%%%0")) end

--- Whether an address in a text is to be moonarray's. host.example stands in examples.
local function is_ours(url) return url:find("moonarray", 1, true) and not url:find("^https://host%.example/") end

--- Each address of ours in a file is the one of scripts/address.
local function look(path, name)
  for url in assert(files.read(path)):gmatch("https?://[^%s\"'<>)`]+") do
    local rest = is_ours(url) and (url:sub(1, #address) == address and url:sub(#address + 1) or "another")
    if rest and rest ~= "" and not rest:find("^[/.,;#?]") then
      say("%s names %s; wanted %s", name or path, url, address)
    end
  end
end

local function paths()
  local list = files.lines("find README.md CONTRIBUTING.md CHANGELOG.md docs examples scripts -type f")
  for _, folder in ipairs { "debian", "packages" } do
    for _, path in ipairs(files.lines("find " .. folder .. " -type f 2>/dev/null")) do list[#list + 1] = path end
  end
  local kept = { rockspec }
  for _, path in ipairs(list) do
    local made = path:find("^docs/reference/") or path:find("^docs/pictures/") or path == "scripts/addressed.lua"
    if not made then kept[#kept + 1] = path end
  end
  return kept
end

local function readme_line() return set ~= "" and LINE .. "<" .. set .. ">" or nil end

local function write()
  local old = assert(files.read(rockspec)):match('homepage = "(.-)"')
  for _, path in ipairs(paths()) do
    local before = files.read(path)
    local after = before:gsub(plain(old), (address:gsub("%%", "%%%%")))
    if path == "README.md" then
      after = after:gsub("\n" .. plain(LINE) .. "[^\n]*\n", "")
      if readme_line() then
        after = after:gsub("\n\n(|)", function(bar) return "\n\n" .. readme_line() .. "\n\n" .. bar end, 1)
      end
    end
    if after ~= before then
      assert(files.write(path, after))
      print("wrote " .. path)
    end
  end
end

local function check()
  if set ~= "" and not set:find("^https://[%w.-]+%.%w+/[%w./_-]*[%w_-]$") then
    say("scripts/address is '%s'; wanted an address such as https://host.example/owner/moonarray", set)
  end
  local spec = setfenv(assert(loadfile(rockspec)), {})
  local found = getfenv(spec)
  spec()
  local of_release = ("/releases/download/v%s/%s.tar.gz"):format(release:match("%-(.*)$"), release)
  for name, pair in pairs {
    ["source.url"] = { found.source.url, address .. of_release },
    ["description.homepage"] = { found.description.homepage, address },
    ["description.issues_url"] = { found.description.issues_url, address .. "/issues" },
  } do
    if pair[1] ~= pair[2] then say("%s: %s is %s; wanted %s", rockspec, name, tostring(pair[1]), pair[2]) end
  end
  local _, count = assert(files.read("README.md")):gsub("\n" .. plain(LINE .. "<" .. set .. ">") .. "\n", "")
  local _, all = files.read("README.md"):gsub("\n" .. plain(LINE), "")
  if count ~= (set == "" and 0 or 1) or all ~= count then
    say("README.md: %s", set == "" and "names an address, and scripts/address is empty"
      or "wanted the line '" .. readme_line() .. "' once")
  end
  for _, path in ipairs(paths()) do look(path) end
  -- The site is made of these pages, and of what scripts/site.lua puts around them.
  local folder = os.tmpname()
  os.remove(folder)
  dofile("scripts/site.lua").make(folder)
  for _, path in ipairs(files.lines("find '" .. folder .. "' -name '*.html'")) do
    look(path, "the site: " .. path:sub(#folder + 2))
  end
  if not (files.read(folder .. "/index.html") or ""):find(set, 1, true) then
    say("the site: no %s on its first page", set)
  end
  os.execute("rm -r '" .. folder .. "'")
end

if arg[1] == "--write" then write() end
check()
if #wrong > 0 then
  table.sort(wrong)
  print(table.concat(wrong, "\n"))
  os.exit(1)
end
print(set == "" and "not set" or set)
