-- Writes a site of the documentation to build/site: a page for each page of docs/, docs/reference and README.md, an
-- index on the left, and a search over all words that works from the file system, without a network. The folder site
-- has its parts: Markdown as HTML, the index of the search, and what a browser runs.
-- usage: luajit scripts/site.lua [FOLDER], from the repository's root (`make docs`). As a chunk that is loaded (dofile)
-- it returns a table: html(markdown, link) -> HTML; make(folder) writes the site and returns how many pages it has.

local concat, sformat = table.concat, string.format

local files = dofile("scripts/files.lua")
local markdown = dofile("scripts/site/markdown.lua")
local index = dofile("scripts/site/index.lua")
local escaped = markdown.escaped

local PAGE = [==[
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title><link rel="stylesheet" href="%sstyle.css"></head>
<body data-root="%s">
<header><a href="%sindex.html">moonarray</a>
<input id="search" type="search" placeholder="Search  ( / )" autocomplete="off" aria-label="Search"></header>
<ul id="found"></ul>
<details class="menu"><summary>Contents</summary><nav>%s</nav></details>
<div class="page"><nav class="side">%s</nav><main>
%s
</main></div>
<script src="%sindex.js"></script><script src="%ssearch.js"></script>
</body></html>
]==]

--- The address of docs/sort.md, docs/reference/linalg.md and README.md in the site.
local function address_of(path)
  return (path:gsub("^README%.md$", "index.html"):gsub("^docs/README%.md$", "docs.html"):gsub("^docs/", "")
    :gsub("README%.md$", "index.html"):gsub("%.md$", ".html"))
end

--- A path without "." and "..".
local function resolved(path)
  local parts = {}
  for part in path:gmatch("[^/]+") do
    if part == ".." then parts[#parts] = nil
    elseif part ~= "." then parts[#parts + 1] = part end
  end
  return concat(parts, "/")
end

--- The menu: the lists of docs/README.md, with their titles.
local function menu_of(text, here, root)
  local out = {}
  for line in text:gmatch("[^\n]+") do
    local title = line:match("^## (.*)$")
    local name, target = line:match("^%- %[(.-)%]%((.-)%)")
    if title then out[#out + 1] = "<h2>" .. escaped(title) .. "</h2>"
    elseif name and target:find("%.md$") then
      local path = resolved("docs/" .. target)
      local shown = target:find("reference/", 1, true) and "reference" or name:gsub("%.md$", ""):gsub("^%.%./", "")
      out[#out + 1] = sformat('<a href="%s"%s>%s</a>', root .. address_of(path), path == here and ' class="here"' or "",
        escaped(shown))
    end
  end
  return concat(out, "\n")
end

local function make(folder)
  os.execute("mkdir -p " .. folder .. "/reference " .. folder .. "/pictures")
  local paths, known = { "README.md" }, {}
  for _, path in ipairs(files.lines("ls docs/*.md docs/reference/*.md")) do paths[#paths + 1] = path end
  for _, path in ipairs(paths) do known[path] = true end
  local contents, texts = assert(files.read("docs/README.md")), {}
  for _, path in ipairs(paths) do
    local base, root = path:match("^(.*/)") or "", path:find("reference/", 1, true) and "../" or ""
    local function link(target, is_picture)
      if target:find("^%a+:") or target:find("^#") then return target end
      local file, rest = target:match("^([^#]*)(.*)$")
      local whole = resolved(base .. file)
      if known[whole] then return root .. address_of(whole) .. rest end
      if is_picture or whole:find("%.png$") then
        os.execute(sformat("cp -f '%s' '%s/pictures/'", whole, folder))
        return root .. "pictures/" .. whole:match("[^/]+$")
      end
      return root .. (folder:gsub("[^/]+/?", "../")) .. whole     -- a file of the repository
    end
    local text = assert(files.read(path))
    local body, headings = markdown.html(text, link)
    local title = headings[1] and headings[1][2]:gsub("[`\\]", "") or path
    local address = address_of(path)
    files.write(folder .. "/" .. address, PAGE:format(escaped(title), root, root, root, menu_of(contents, path, root),
      menu_of(contents, path, root), body, root, root))
    texts[#texts + 1] = { path = path, address = address, text = text }
  end
  files.write(folder .. "/index.js", index.script(index.documents(texts)))
  for _, name in ipairs { "search.js", "style.css" } do
    files.write(folder .. "/" .. name, assert(files.read("scripts/site/" .. name)))
  end
  return #paths
end

if arg and arg[0] and arg[0]:find("site%.lua$") then
  local folder = arg[1] or "build/site"
  print(sformat("wrote %d pages to %s/index.html", make(folder), folder))
end

return { html = markdown.html, make = make }
