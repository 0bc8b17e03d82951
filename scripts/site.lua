-- Writes a site of the documentation to build/site: a page for each page of docs/, docs/reference and README.md, and
-- for each file of the repository that they link to; an index on the left, the page's headings on the right, and a
-- search over all words. It works from the file system and on any server, without a network. The folder site has its
-- parts: Markdown as HTML, the index of the search, and what a browser reads.
-- usage: luajit scripts/site.lua [FOLDER], from the repository's root (`make docs`). As a chunk that is loaded (dofile)
-- it returns a table: html(markdown, link) -> HTML; make(folder) writes the site and returns how many pages it has.

local concat, sformat = table.concat, string.format

local files = dofile("scripts/files.lua")
local markdown = dofile("scripts/site/markdown.lua")
local index = dofile("scripts/site/index.lua")
local escaped = markdown.escaped

local MANY = 5                                   -- headings: a page of more has a list of them beside it

-- ==== Paths ========================================================================================================

--- The address of docs/sort.md, docs/reference/linalg.md and README.md in the site; that of another file of the
--- repository is a page of its text in the folder source.
local function address_of(path)
  if path ~= "README.md" and not path:find("^docs/.*%.md$") then return "source/" .. path .. ".html" end
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

--- The way from a page to the site's folder: "../" for each folder of its address.
local function root_of(address) return (address:gsub("[^/]*$", ""):gsub("[^/]+/", "../")) end

local function is_picture(path) return path:find("%.png$") or path:find("%.gif$") end

-- ==== The order of the pages =======================================================================================

--- The lists of docs/README.md, {title, paths} each, then that of the reference's pages.
local function chapters_of(text, reference)
  local chapters = {}
  for line in text:gmatch("[^\n]+") do
    local title = line:match("^## (.*)$")
    if title then chapters[#chapters + 1] = { title = title, paths = {} } end
    for target in line:gmatch("%]%(([%w_/.-]+%.md)%)") do
      if chapters[1] then table.insert(chapters[#chapters].paths, resolved("docs/" .. target)) end
    end
  end
  local list = { title = "Reference", paths = { "docs/reference/README.md" } }
  for target in reference:gmatch("\n%- %[[^\n]-%]%(([%w_]+%.md)%)") do
    list.paths[#list.paths + 1] = "docs/reference/" .. target
  end
  chapters[#chapters + 1] = list
  return chapters
end

--- A page's title for lists: without marks, and without the module behind a colon.
local function short(title)
  return #title > 24 and title:match("^(.-): ma%.") or title
end

--- The menu. The chapter "Inside" and the reference's pages are folded where the page is none of theirs.
local function menu_of(chapters, titles, here, root)
  local out = {}
  for _, chapter in ipairs(chapters) do
    local links, is_here = {}, false
    for _, path in ipairs(chapter.paths) do
      local title = path == "README.md" and "What it is" or path == "docs/reference/README.md" and "Reference"
        or titles[path]
      is_here = is_here or path == here
      links[#links + 1] = sformat('<a href="%s"%s>%s</a>', root .. address_of(path),
        path == here and ' class="here"' or "", escaped(short(title)))
    end
    if chapter.title == "Inside" or chapter.title == "Reference" then
      out[#out + 1] = sformat("<details%s><summary>%s</summary>\n%s</details>", is_here and " open" or "",
        escaped(chapter.title), concat(links, "\n"))
    else
      out[#out + 1] = "<h2>" .. escaped(chapter.title) .. "</h2>\n" .. concat(links, "\n")
    end
  end
  return concat(out, "\n")
end

--- The headings beside a page that has many. In the reference they are names, without their module.
local function contents_of(headings)
  local out, count = {}, 0
  for k, heading in ipairs(headings) do
    if k > 1 and heading[1] <= 3 then
      count = count + 1
      local title = markdown.bare(heading[2]):gsub("^ma%.([%w_.]+)$", function(name) return name:match("[^.]+$") end)
      out[#out + 1] = sformat('<a class="level%d" href="#%s">%s</a>', heading[1], heading[3], escaped(title))
    end
  end
  if count <= MANY then return "" end
  return '<nav class="contents"><h2>On this page</h2>\n' .. concat(out, "\n") .. "</nav>"
end

-- ==== Pages ========================================================================================================

--- The body of a page of the folder source: a file's text, or a folder's files.
local function source_of(path)
  local text = files.read(path)
  if text then
    local kind = path:match("%.lua$") and "lua" or "text"
    return sformat("# `%s`\n\n```%s\n%s\n```\n", path, kind, (text:gsub("\n```", "\n ```"):gsub("\n$", "")))
  end
  local lines = { "# `" .. path .. "`", "" }
  for _, name in ipairs(files.lines(sformat("cd '%s' && find . -type f | sort", path))) do
    name = name:gsub("^%./", "")
    if name:find("%.lua$") or name:find("%.[ch]$") or name:find("%.md$") then
      lines[#lines + 1] = sformat("- [%s](%s/%s)", name, path:match("[^/]+$"), name)
    end
  end
  return concat(lines, "\n") .. "\n"
end

local function make(folder)
  os.execute("mkdir -p " .. folder .. "/reference " .. folder .. "/pictures")
  local chapters = chapters_of(assert(files.read("docs/README.md")), assert(files.read("docs/reference/README.md")))
  local version = assert(files.read("include/moonarray.h")):match('#define MOONARRAY_VERSION "([^"]*)"')
  local template = assert(files.read("scripts/site/page.html"))
  local texts, paths, known = {}, {}, {}
  local function want(path)
    if known[path] then return end
    known[path], paths[#paths + 1] = true, path
  end
  for _, path in ipairs(files.lines("ls README.md docs/*.md docs/reference/*.md")) do want(path) end
  local titles, order, place = {}, {}, {}
  for _, path in ipairs(paths) do titles[path] = markdown.title(assert(files.read(path))) or path end
  for _, chapter in ipairs(chapters) do
    for _, path in ipairs(chapter.paths) do
      order[#order + 1] = path
      place[path] = #order
    end
  end

  --- A link to the page before or behind, in the order of the menu.
  local function beside(path, step, root)
    local other = place[path] and order[place[path] + step]
    if not other then return "" end
    return sformat('<a class="%s" href="%s">%s</a>', step < 0 and "before" or "after", root .. address_of(other),
      escaped(short(titles[other])))
  end

  local function write(path)
    local address, base = address_of(path), path:match("^(.*/)") or ""
    local root = root_of(address)
    local function link(target, picture)
      if target:find("^%a+:") or target:find("^#") then return target end
      local file, rest = target:match("^([^#]*)(.*)$")
      local whole = resolved(base .. file)
      if picture or is_picture(whole) then
        os.execute(sformat("cp -f '%s' '%s/pictures/'", whole, folder))
        return root .. "pictures/" .. whole:match("[^/]+$")
      end
      want(whole)
      return root .. address_of(whole) .. rest, titles[whole] and short(titles[whole])
    end
    local is_source = address:find("^source/") and not path:find("%.md$")
    local text = is_source and source_of(path) or assert(files.read(path))
    local body, headings = markdown.html(text, link)
    local values = { title = escaped(markdown.title(text) or path), root = root, version = version, body = body,
      menu = menu_of(chapters, titles, path, root), before = beside(path, -1, root), after = beside(path, 1, root),
      contents = contents_of(headings) }
    os.execute(sformat("mkdir -p '%s/%s'", folder, address:match("^(.*/)") or ""))
    files.write(folder .. "/" .. address, (template:gsub("{(%w+)}", values)))
    if not address:find("^source/") then texts[#texts + 1] = { path = path, address = address, text = text } end
  end

  local at = 1
  while paths[at] do                             -- pages of source that a page links to come behind it
    write(paths[at])
    at = at + 1
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
