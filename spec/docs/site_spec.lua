-- The site that `make docs` writes: Markdown becomes HTML, links lead somewhere, and nothing is asked of a network.
-- spec/docs/search_spec.lua is about its search.

local helper = require "spec.helper"
local read = require("spec.file").read
local site = dofile("scripts/site.lua")

local function html(markdown) return (site.html(markdown, function(target) return target end)) end

describe("Markdown", function()
  it("becomes HTML", function()
    for markdown, wanted in pairs {
      ["# A *b*"] = '<h1 id="a-b">A <em>b</em> <a class="anchor" href="#a-b">#</a></h1>',
      ["a `x < y` **b** \\*c\\*"] = "<p>a <code>x &lt; y</code> <strong>b</strong> *c*</p>",
      ["[`f`](g.md#h)"] = '<p><a href="g.md#h"><code>f</code></a></p>',
      ["![A](b.png)"] = '<p><img src="b.png" alt="A"></p>',
      ["```lua\nlocal x = 1 -- y\n```"] = '<pre class="lua"><code><span class="k">local</span> x = <span class="n">1'
        .. '</span> <span class="c">-- y</span></code></pre>',
      ["```\na < b\n```"] = '<pre class="text"><code>a &lt; b</code></pre>',
      ["a\n\n    make demo\n    make test"] = '<p>a</p>\n<pre class="text"><code>make demo\nmake test</code></pre>',
      ["- a\n  b\n- c\n  - d"] = "<ul>\n<li>a b\n</li>\n<li>c\n<ul>\n<li>d\n</li>\n</ul>\n</li>\n</ul>",
      ["1. a\n2. b"] = "<ol>\n<li>a\n</li>\n<li>b\n</li>\n</ol>",
      ["| a | `b|c` |\n|---|---|\n| d | e |"] = '<div class="table"><table>\n<thead><tr>\n<th>a</th>\n'
        .. ""
        .. "<th><code>b|c</code></th>\n</tr></thead>\n"
        .. "<tbody>\n<tr>\n<td>d</td>\n<td>e</td>\n</tr>\n</tbody></table></div>",
      ["<!-- made -->\nx"] = "<p>x</p>", ["> a\n> b"] = "<blockquote><p>a b</p></blockquote>",
      ["<script>"] = "<p>&lt;script&gt;</p>",
    } do
      assert.equal(wanted, html(markdown))
    end
  end)
end)

describe("the site", function()
  local folder = os.tmpname()
  os.remove(folder)
  local count = site.make(folder)
  local pages = {}
  for path in io.popen("cd '" .. folder .. "' && find . -name '*.html'"):lines() do
    pages[path:sub(3)] = read(folder .. "/" .. path)
  end
  it("has a page for each of the documentation, whose links lead somewhere", function()
    local n, failures = 0, helper.failures()
    for path, text in pairs(pages) do
      n = n + 1
      failures:run(path, function()
        for target, anchor in text:gmatch('href="([^"#]*)#?([^"]*)"') do
          local base = (path:match("^(.*/)") or "")
          if not target:find("^%a+:") then
            local file = target == "" and path or base .. target
            while file:find("[^/]+/%.%./") do file = file:gsub("[^/]+/%.%./", "", 1) end
            assert(not file:find("..", 1, true), target .. " leads out of the site")
            assert(io.open(folder .. "/" .. file), "no file " .. target):close()
            if anchor ~= "" and pages[file] then
              assert(pages[file]:find('id="' .. anchor .. '"', 1, true), "no heading " .. target .. "#" .. anchor)
            end
          end
        end
        for picture in text:gmatch('<img src="([^"]*)"') do
          assert(io.open(folder .. "/" .. (path:match("^(.*/)") or "") .. picture), "no picture " .. picture):close()
        end
        for script in text:gmatch('<script[^>]*src="([^"]*)"') do assert(not script:find("//", 1, true), script) end
        assert(not text:find('<link[^>]*href="%a+:'), "a style of the network")
        assert(not text:gsub("<pre.->.-</pre>", ""):gsub("<code>.-</code>", ""):find("&lt;/?%a+&gt;"), "a literal tag")
      end)
    end
    failures:check()
    assert.equal(count, n)
    local written = 0
    for _ in io.popen("find docs -name '*.md'"):lines() do written = written + 1 end
    assert(n >= written and n > 50, ("%d pages of %d files"):format(n, written))
  end)

  it("has a page's neighbours in the order of docs/README.md, and the version", function()
    local sort = pages["sort.html"]
    assert.matches('<a class="before" href="linalg.html">Linear algebra</a>', sort)
    assert.matches('<a class="after" href="fft.html">Fourier transforms</a>', sort)
    assert.matches('<span class="version">' .. helper.ma.version:gsub("%p", "%%%0") .. "</span>", sort)
    assert(not pages["index.html"]:find('class="before"', 1, true))
    assert.matches('<a class="before" href="../reference/index.html">', pages["reference/create.html"])
  end)

  it("has titles in the menu, and folds pages about its inside and of the reference", function()
    local menu = pages["sort.html"]:match('<nav class="side">(.-)</nav>')
    assert.matches('<a href="sort.html" class="here">Sorting, sets, bins</a>', menu)
    assert(not menu:find("%.md<"), "the name of a file")
    assert.matches("<details><summary>Inside</summary>\n<a href=\"design.html\">", menu)
    assert.matches("<details><summary>Reference</summary>", menu)
    assert.matches("<details open><summary>Inside</summary>", pages["design.html"])
    assert.matches("<details open><summary>Reference</summary>", pages["reference/sort.html"])
  end)

  it("lists the headings of a page that has more than five", function()
    local function listed(path)
      local list = pages[path]:match('<nav class="contents">(.-)</nav>')
      return select(2, (list or ""):gsub("<a ", ""))
    end
    assert(listed "recipes.html" >= 40)
    assert.equal(0, listed "wavfile.html")
    for path, text in pairs(pages) do
      local _, there = text:match("<main>(.*)</main>"):gsub("<h[23] ", "")
      assert.equal(there > 5 and there or 0, listed(path), path)
    end
  end)

  it("shows the sources that pages link to, and titles in place of files' names", function()
    assert.matches('<h1[^>]*><code>examples/heat.lua</code>', pages["source/examples/heat.lua.html"])
    assert.matches('<span class="k">local</span> ma = require', pages["source/examples/heat.lua.html"])
    assert.matches('source/examples/embed/host%.c%.html">host%.c</a>', pages["source/examples/embed.html"])
    assert.matches('<a href="faq.html">Questions that come up</a>', pages["tutorial.html"])
  end)

  teardown(function() os.execute("rm -rf '" .. folder .. "'") end)
end)
