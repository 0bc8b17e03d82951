-- HTML of Markdown, as the pages of docs/ have it. Any Lua 5.1 serves. As a chunk that is loaded (dofile) it returns a
-- table: html(markdown, link) -> HTML and the headings {level, title, anchor}, where link(target, is_picture) gives a
-- link's address, and the title of the page there, which is shown in place of the name of its file; escaped(text);
-- bare(text) without marks; title(markdown); sections(markdown) -> the words behind each heading.

local concat, sformat = table.concat, string.format

-- ==== Markdown =====================================================================================================

local function escaped(text) return (text:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
  ['"'] = "&quot;" })) end

local function anchor_of(title) return (title:lower():gsub("[`\\]", ""):gsub("[^%w_ -]", ""):gsub(" ", "-")) end

--- A text without marks: the words of links, and code as it is.
local function bare(text)
  local code = {}
  text = text:gsub("``?([^`]+)``?", function(inside)
    code[#code + 1] = inside
    return "\1" .. #code .. "\2"
  end)
  text = text:gsub("!?%[([^%]]*)%]%([^)]*%)", "%1"):gsub("[*\\]", "")
  return (text:gsub("\1(%d+)\2", function(k) return code[tonumber(k)] end))
end

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
    local address, page = link(target)
    if page and title:find("^[%w/._-]+%.md$") then title = escaped(page) end      -- a file's name says less
    return keep(sformat('<a href="%s">', escaped(address))) .. title .. keep("</a>")
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
    local text = concat(code, "\n"):gsub("^%-%- not run[^\n]*\n", "")     -- is said to spec/docs/docs_spec.lua
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


-- ==== Sections =====================================================================================================


--- What stands behind each heading of a page: {level =, title =, anchor =, lead =, text =}. `lead` is the first
--- sentence, and text all words, those of Lua code too, but no program's output.
local function sections(markdown)
  local list, section, fence = {}, nil, nil
  for line in (markdown:gsub("\r", "") .. "\n"):gmatch("(.-)\n") do
    local mark = line:match("^%s*```%s*(%w*)")
    local level, title = line:match("^(#+)%s+(.-)%s*$")
    if mark then fence = not fence and (mark == "" and "none" or mark) or nil
    elseif level and not fence then
      section = { level = #level, title = bare(title), anchor = anchor_of(title), words = {}, first = {} }
      list[#list + 1] = section
    elseif section and not line:find("^<!%-%-") and (not fence or fence == "lua") then
      section.words[#section.words + 1] = fence and line or bare(line)
      local first = section.first
      local is_prose = not fence and not line:find("^[|!]") and not line:find("^`[^`]*`[^.%w]*[%w ]*$")
      if not first.done and line == "" and first[1] then first.done = true
      elseif not first.done and is_prose and line ~= "" then first[#first + 1] = bare(line) end
    end
  end
  for _, one in ipairs(list) do
    local first = concat(one.first, " ")
    one.lead = first:match("^(.-[.:!?])%s") or first
    one.text = concat(one.words, "\n")
    one.words, one.first = nil, nil
  end
  return list
end

--- The title of a page: its first heading, without marks.
local function title(markdown)
  local text = ("\n" .. markdown):match("\n# ([^\n]*)")
  return text and bare(text)
end

return { html = html, escaped = escaped, bare = bare, sections = sections, title = title }
