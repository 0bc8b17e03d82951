-- Writes a site of the documentation to build/site: a page for each page of docs/, docs/reference and README.md, an
-- index on the left, and a search over titles, headings and names that works from the file system, without a network.
-- usage: luajit scripts/site.lua [FOLDER], from the repository's root (`make docs`). As a chunk that is loaded (dofile)
-- it returns a table: html(markdown, link) -> HTML, headings(markdown) -> list; link(target) gives a link's address.

local concat, sformat = table.concat, string.format

local files = dofile("scripts/files.lua")

-- ==== Markdown =====================================================================================================

local function escaped(text) return (text:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
  ['"'] = "&quot;" })) end

local function anchor_of(title) return (title:lower():gsub("[`\\]", ""):gsub("[^%w_ -]", ""):gsub(" ", "-")) end

--- Code, links, strong and emphasized words of a line. Code and escaped signs are put aside first.
local function inline(text, link)
  local kept = {}
  local function keep(html)
    kept[#kept + 1] = html
    return "\1" .. #kept .. "\2"
  end
  text = text:gsub("\\([%p])", function(sign) return keep(escaped(sign)) end)
  text = text:gsub("``(.-)``", function(code) return keep("<code>" .. escaped(code) .. "</code>") end)
  text = text:gsub("`([^`]+)`", function(code)
    return keep("<code>" .. escaped(code:gsub("\1%d+\2", "")) .. "</code>")
  end)
  text = text:gsub("<(https?://[^>]+)>", function(url)
    return keep(sformat('<a href="%s">%s</a>', escaped(url), escaped(url)))
  end)
  text = escaped(text)
  text = text:gsub("!%[([^%]]*)%]%(([^)]+)%)", function(alt, target)
    return keep(sformat('<img src="%s" alt="%s">', escaped(link(target, true)), alt))
  end)
  text = text:gsub("%[([^%]]+)%]%(([^)]+)%)", function(title, target)
    return keep(sformat('<a href="%s">', escaped(link(target)))) .. title .. keep("</a>")
  end)
  text = text:gsub("%*%*([^*]+)%*%*", "<strong>%1</strong>")
  text = text:gsub("%f[%w*]%*([^*\n]+)%*", "<em>%1</em>")
  for _ = 1, 3 do text = text:gsub("\1(%d+)\2", function(k) return kept[tonumber(k)] end) end
  return text
end

--- The cells of a table's line; a bar in code or behind a backslash is no border.
local function cells_of(line)
  local cells = {}
  line = line:gsub("^%s*|", ""):gsub("|%s*$", ""):gsub("\\|", "\3")
  line = line:gsub("`[^`]*`", function(code) return (code:gsub("|", "\3")) end)
  for cell in (line .. "|"):gmatch("(.-)|") do
    cells[#cells + 1] = (cell:gsub("\3", "|"):match("^%s*(.-)%s*$"))
  end
  return cells
end

local KEYWORDS = {}
for word in ([[and break do else elseif end false for function if in local nil not or repeat return then true until
    while]]):gmatch("%S+") do
  KEYWORDS[word] = true
end

--- Lua with spans for keywords, texts, numbers and comments.
local function coloured(code)
  local out, at = {}, 1
  local function span(class, text) out[#out + 1] = sformat('<span class="%s">%s</span>', class, escaped(text)) end
  while at <= #code do
    local comment = code:match("^%-%-[^\n]*", at)
    local text = code:match('^"[^"\n]*"', at) or code:match("^'[^'\n]*'", at) or code:match("^%[%[.-%]%]", at)
    local word = code:match("^[%a_][%w_]*", at)
    local number = code:match("^%d[%w.]*", at)
    local token = comment or text or word or number or code:sub(at, at)
    if comment then span("c", token)
    elseif text then span("s", token)
    elseif word and KEYWORDS[word] then span("k", token)
    elseif number then span("n", token)
    else out[#out + 1] = escaped(token) end
    at = at + #token
  end
  return concat(out)
end

--- The HTML of a page, and its headings {level, title, anchor}.
local function html(markdown, link)
  local out, headings, lines = {}, {}, {}
  for line in (markdown:gsub("\r", "") .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line end
  local at = 1
  local function add(text) out[#out + 1] = text end

  local function block_of_code(indent)
    local kind, code = lines[at]:match("```%s*(%w*)"), {}
    at = at + 1
    while lines[at] and not lines[at]:match("^%s*```") do
      code[#code + 1] = lines[at]:sub(1, indent):match("^%s*$") and lines[at]:sub(indent + 1) or lines[at]
      at = at + 1
    end
    at = at + 1
    local text = concat(code, "\n")
    add(sformat('<pre class="%s"><code>%s</code></pre>', kind == "" and "text" or kind,
      kind == "lua" and coloured(text) or escaped(text)))
  end

  local function table_of_cells()
    local head = cells_of(lines[at])
    at = at + 2
    add("<div class=\"table\"><table>")
    if concat(head) ~= "" then
      add("<thead><tr>")
      for _, cell in ipairs(head) do add("<th>" .. inline(cell, link) .. "</th>") end
      add("</tr></thead>")
    end
    add("<tbody>")
    while lines[at] and lines[at]:match("^%s*|") do
      add("<tr>")
      for _, cell in ipairs(cells_of(lines[at])) do add("<td>" .. inline(cell, link) .. "</td>") end
      add("</tr>")
      at = at + 1
    end
    add("</tbody></table></div>")
  end

  local blocks

  --- A list at an indent; an item goes on with lines that are indented further.
  local function list_at(indent)
    local tag = lines[at]:match("^%s*%d+%. ") and "ol" or "ul"
    add("<" .. tag .. ">")
    while lines[at] do
      local space, mark, rest = lines[at]:match("^(%s*)([-*] +)(.*)$")
      if not space then space, mark, rest = lines[at]:match("^(%s*)(%d+%. +)(.*)$") end
      if not space or #space ~= indent then break end
      local width = indent + #mark
      lines[at] = rest
      local from = at
      at = at + 1
      local text = { rest }
      while lines[at] and not lines[at]:match("^%s*$") and not lines[at]:match("^%s*[-*] ")
        and not lines[at]:match("^%s*%d+%. ") and not lines[at]:match("^%s*```") and at > from
        and not lines[at]:match("^#") do
        text[#text + 1] = lines[at]:match("^%s*(.*)$")
        at = at + 1
      end
      add("<li>" .. inline(concat(text, " "), link))
      while lines[at] do                                       -- what belongs to the item stands further in
        local next_one = at
        while lines[next_one] and lines[next_one]:match("^%s*$") do next_one = next_one + 1 end
        if not lines[next_one] or #lines[next_one]:match("^%s*") < width then break end
        at = next_one
        blocks(width)
      end
      add("</li>")
      local next_one = at
      while lines[next_one] and lines[next_one]:match("^%s*$") do next_one = next_one + 1 end
      if lines[next_one] and #lines[next_one]:match("^%s*") == indent
        and (lines[next_one]:match("^%s*[-*] ") or lines[next_one]:match("^%s*%d+%. ")) then at = next_one end
    end
    add("</" .. tag .. ">")
  end

  --- One block, which stands at an indent of at least so many spaces.
  function blocks(indent)
    local line = lines[at]
    local level, title = line:match("^(#+)%s+(.-)%s*$")
    local space = #line:match("^%s*")
    if line:match("^%s*$") then
      at = at + 1
    elseif line:match("^%s*```") then
      block_of_code(space)
    elseif indent == 0 and space >= 4 then                     -- code by its indent
      local code = {}
      while lines[at] and (lines[at]:match("^    ")
        or lines[at]:match("^%s*$") and (lines[at + 1] or ""):match("^    ")) do
        code[#code + 1] = lines[at]:sub(5)
        at = at + 1
      end
      add('<pre class="text"><code>' .. escaped(concat(code, "\n")) .. "</code></pre>")
    elseif level then
      local anchor = anchor_of(title)
      headings[#headings + 1] = { #level, title, anchor }
      add(sformat('<h%d id="%s">%s <a class="anchor" href="#%s">#</a></h%d>', #level, anchor, inline(title, link),
        anchor, #level))
      at = at + 1
    elseif line:match("^%s*|") and (lines[at + 1] or ""):match("^%s*|[-: |]+|?%s*$") then
      table_of_cells()
    elseif line:match("^%s*[-*] ") or line:match("^%s*%d+%. ") then
      list_at(space)
    elseif line:match("^<!%-%-") then
      while lines[at] and not lines[at]:find("-->", 1, true) do at = at + 1 end
      at = at + 1
    elseif line:match("^>") then
      local text = {}
      while lines[at] and lines[at]:match("^>") do
        text[#text + 1] = lines[at]:match("^>%s?(.*)$")
        at = at + 1
      end
      add("<blockquote><p>" .. inline(concat(text, " "), link) .. "</p></blockquote>")
    else
      local text, from = {}, at
      while lines[at] and not lines[at]:match("^%s*$") and (at == from or not (lines[at]:match("^%s*```")
        or lines[at]:match("^#+%s") or lines[at]:match("^%s*[-*] ") or lines[at]:match("^%s*|"))) do
        text[#text + 1] = lines[at]:sub(indent + 1)
        at = at + 1
      end
      add("<p>" .. inline(concat(text, "\n"), link) .. "</p>")
    end
  end

  while lines[at] do blocks(0) end
  return concat(out, "\n"), headings
end

-- ==== The site =====================================================================================================

local STYLE = [==[
:root { color-scheme: light dark; --ink: #1d232b; --paper: #fff; --dim: #5b6773; --line: #dde2e8; --code: #f4f6f8;
  --link: #0b62b8; --k: #8c2a8c; --s: #1c6b33; --n: #9a4b00; --c: #66717c; }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe5ec; --paper: #14181d; --dim: #9aa5b1; --line: #2c343d;
  --code: #1c2229; --link: #6cb6ff; --k: #e0a0e0; --s: #8fd19e; --n: #f0b37e; --c: #8c97a3; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
header { position: sticky; top: 0; z-index: 2; display: flex; gap: 12px; align-items: center; padding: 8px 16px;
  background: var(--paper); border-bottom: 1px solid var(--line); }
header a { font-weight: 600; color: var(--ink); }
header input { flex: 1; max-width: 480px; margin-left: auto; padding: 6px 10px; font: inherit; color: inherit;
  background: var(--code); border: 1px solid var(--line); border-radius: 6px; min-width: 0; }
#found { position: fixed; z-index: 3; top: 52px; right: 16px; width: min(480px, calc(100vw - 32px)); max-height: 70vh;
  overflow: auto; margin: 0; padding: 6px; list-style: none; background: var(--paper); border: 1px solid var(--line);
  border-radius: 6px; box-shadow: 0 6px 24px #0004; }
#found:empty { display: none; }
#found a { display: block; padding: 4px 8px; border-radius: 4px; overflow-wrap: anywhere; }
#found a.on { background: var(--code); }
#found small { color: var(--dim); }
.page { display: flex; max-width: 1180px; margin: 0 auto; }
nav { flex: 0 0 230px; padding: 16px; font-size: 14px; line-height: 1.5; border-right: 1px solid var(--line);
  position: sticky; top: 51px; height: calc(100vh - 51px); overflow: auto; }
nav h2 { margin: 14px 0 2px; font-size: 12px; text-transform: uppercase; letter-spacing: .05em; color: var(--dim); }
nav a { display: block; color: var(--ink); padding: 1px 0; overflow-wrap: anywhere; }
nav a.here { color: var(--link); font-weight: 600; }
main { flex: 1; min-width: 0; padding: 8px 32px 64px; }
h1, h2, h3 { line-height: 1.25; margin: 1.4em 0 .5em; overflow-wrap: anywhere; scroll-margin-top: 60px; }
h1 { font-size: 1.9em; margin-top: .6em; } h2 { font-size: 1.35em; } h3 { font-size: 1.1em; }
h1 code, h2 code, h3 code { font-size: .85em; background: none; padding: 0; }
.anchor { visibility: hidden; font-weight: 400; color: var(--dim); }
h1:hover .anchor, h2:hover .anchor, h3:hover .anchor { visibility: visible; }
code, pre { font: 14px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; background: var(--code); border-radius: 4px; }
code { padding: 1px 4px; overflow-wrap: anywhere; }
pre { padding: 10px 14px; overflow-x: auto; border: 1px solid var(--line); }
pre code { padding: 0; overflow-wrap: normal; }
pre.lua + pre.text { margin-top: -13px; border-top-style: dashed; background: none; }
pre.lua + pre.text code { background: none; }
.k { color: var(--k); } .s { color: var(--s); } .n { color: var(--n); } .c { color: var(--c); }
.table { overflow-x: auto; }
table { border-collapse: collapse; margin: 8px 0; }
th, td { text-align: left; vertical-align: top; padding: 5px 10px; border: 1px solid var(--line); }
img { max-width: 100%; }
details.menu { display: none; }
@media (max-width: 800px) {
  .page { display: block; } nav.side { display: none; } main { padding: 4px 16px 48px; }
  details.menu { display: block; padding: 8px 16px; border-bottom: 1px solid var(--line); }
  details.menu nav { border: 0; height: auto; position: static; padding: 4px 0; columns: 2; }
  body { font-size: 15px; } p code, li code, td code, pre { font-size: 13px; }
}
]==]

-- Names that begin with what was typed come first, then those that contain it, then headings.
local SEARCH = [==[
(function () {
  var input = document.getElementById("search"), found = document.getElementById("found"), on = 0;
  var root = document.body.getAttribute("data-root");
  function rank(title, word) {
    var at = title.indexOf(word), last = title.slice(title.lastIndexOf(".") + 1);
    if (at < 0) return 9;
    if (last === word) return 0;
    if (title === word) return 1;
    if (last.indexOf(word) === 0) return 2;
    return at === 0 ? 3 : 4;
  }
  function show() {
    var words = input.value.toLowerCase().split(/\s+/).filter(Boolean), hits = [];
    found.textContent = "";
    on = 0;
    if (!words.length) return;
    for (var k = 0; k < SITE.length; k++) {
      var title = SITE[k][0].toLowerCase(), text = title + " " + SITE[k][2].toLowerCase(), all = true;
      for (var w = 0; w < words.length; w++) all = all && text.indexOf(words[w]) >= 0;
      if (all) hits.push([rank(title, words[0]), SITE[k][0].length, k]);
    }
    hits.sort(function (a, b) { return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]; });
    hits.slice(0, 30).forEach(function (hit, k) {
      var one = SITE[hit[2]], item = document.createElement("li"), a = document.createElement("a");
      var small = document.createElement("small");
      a.href = root + one[1];
      a.textContent = one[0] + " ";
      small.textContent = one[2];
      a.appendChild(small);
      if (k === 0) a.className = "on";
      item.appendChild(a);
      found.appendChild(item);
    });
    if (!hits.length) found.innerHTML = "<li><a>nothing found</a></li>";
  }
  input.addEventListener("input", show);
  input.addEventListener("keydown", function (event) {
    var links = found.querySelectorAll("a[href]");
    if (event.key === "Enter" && links[on]) location.href = links[on].href;
    if (event.key === "Escape") { input.value = ""; show(); }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!links.length) return;
      links[on].className = "";
      on = (on + (event.key === "ArrowDown" ? 1 : links.length - 1)) % links.length;
      links[on].className = "on";
      links[on].scrollIntoView({ block: "nearest" });
      event.preventDefault();
    }
  });
  document.addEventListener("click", function (event) {
    if (event.target !== input && !found.contains(event.target)) found.textContent = "";
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && document.activeElement !== input) { input.focus(); event.preventDefault(); }
  });
  if (location.search.indexOf("?q=") === 0) { input.value = decodeURIComponent(location.search.slice(3)); show(); }
})();
]==]

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

local function quoted(text) return '"' .. text:gsub('[\\"]', "\\%0"):gsub("[\n<]", " ") .. '"' end

local function make(folder)
  os.execute("mkdir -p " .. folder .. "/reference " .. folder .. "/pictures")
  local paths, known = { "README.md" }, {}
  for _, path in ipairs(files.lines("ls docs/*.md docs/reference/*.md")) do paths[#paths + 1] = path end
  for _, path in ipairs(paths) do known[path] = true end
  local contents, index = assert(files.read("docs/README.md")), {}
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
    local body, headings = html(text, link)
    local title = headings[1] and headings[1][2]:gsub("[`\\]", "") or path
    local address = address_of(path)
    files.write(folder .. "/" .. address, PAGE:format(escaped(title), root, root, root, menu_of(contents, path, root),
      menu_of(contents, path, root), body, root, root))
    for k, heading in ipairs(headings) do
      local shown = heading[2]:gsub("[`\\]", "")
      index[#index + 1] = sformat("[%s,%s,%s]", quoted(shown), quoted(address .. (k > 1 and "#" .. heading[3] or "")),
        quoted(k > 1 and title or ""))
    end
  end
  files.write(folder .. "/index.js", "var SITE = [\n" .. concat(index, ",\n") .. "\n];\n")
  files.write(folder .. "/search.js", SEARCH)
  files.write(folder .. "/style.css", STYLE)
  return #paths
end

if arg and arg[0] and arg[0]:find("site%.lua$") then
  local folder = arg[1] or "build/site"
  print(sformat("wrote %d pages to %s/index.html", make(folder), folder))
end

return { html = html, make = make }
