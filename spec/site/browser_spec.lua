-- The site in a browser without a window: search.js finds what lua/moonarray/help/find.lua finds, in the same order,
-- and no page is wider than its window. make test-site.

local file = require "spec.file"
local find = require "moonarray.help.find"
local queries = require "spec.docs.queries"
local index_of = dofile "scripts/site/index.lua"
local site = dofile "scripts/site.lua"

local FIRST = 10                                   -- results that are compared

local folder, chromium
setup(function()
  for _, name in ipairs { "chromium", "chromium-browser", "google-chrome" } do
    if not chromium and file.run("command -v " .. name) then chromium = name end
  end
  assert(chromium, "make test-site needs a browser: apt-get install chromium")
  folder = os.tmpname()
  os.remove(folder)
  site.make(folder)
end)
teardown(function() os.execute("rm -rf '" .. folder .. "'") end)

--- The page as it is after its scripts ran.
local function content(page, options)
  local ok, text = file.run(("timeout 120 %s --headless --no-sandbox --disable-gpu --allow-file-access-from-files " ..
    "--user-data-dir='%s/profile' %s --dump-dom 'file://%s/%s' 2>/dev/null"):format(chromium, folder, options or "",
    folder, page))
  assert(ok and text:find("</html>", 1, true), text)
  return text
end

--- A copy of a page with a script behind it, whose text stands in <pre id="said">.
local function asked(page, script)
  local text = file.read(folder .. "/" .. page):gsub("</body>", function()
    return '<pre id="said"></pre><script>var said = document.getElementById("said");\n' .. script .. "</script></body>"
  end)
  file.write(folder .. "/asked.html", text)
  return (content("asked.html"):match('<pre id="said">(.-)</pre>'):gsub("&amp;", "&"):gsub("&lt;", "<"))
end

describe("search.js", function()
  it("finds what find.lua finds", function()
    local list = { "gauss", "ma.linalg.svd", "c_", "xyzzyx", "C++ kernel", "the", "LÖVE", "RawKernel", "ma.max" }
    for _, query in ipairs(queries.all()) do list[#list + 1] = query[1] end
    local quoted = {}
    for k, question in ipairs(list) do quoted[k] = '"' .. question .. '"' end
    local text = asked("sort.html", ([[
      var input = document.getElementById("search");
      [%s].forEach(function (question) {
        input.value = question;
        input.dispatchEvent(new Event("input"));
        said.textContent += "? " + question + "\n";
        document.querySelectorAll("#found a[href]").forEach(function (a, k) {
          if (k < %d) said.textContent += a.getAttribute("href") + "\n";
        });
      });]]):format(table.concat(quoted, ","), FIRST))
    local documents, index = index_of.read(file.read(folder .. "/index.js"))
    local wanted = {}
    for _, question in ipairs(list) do
      wanted[#wanted + 1] = "? " .. question
      for k, document in ipairs(find.rank(index, question)) do
        if k <= FIRST then wanted[#wanted + 1] = documents[document].address end
      end
    end
    assert.equal(table.concat(wanted, "\n") .. "\n", text)
  end)

  it("answers ?q=, and Enter follows the first", function()
    file.write(folder .. "/frame.html", [[<!doctype html><html><body><iframe id="f" src="sort.html?q=blur"></iframe>
      <pre id="said"></pre><script>
      var f = document.getElementById("f"), times = 0;
      f.onload = function () {
        times++;
        document.getElementById("said").textContent += f.contentWindow.location.pathname.split("/").pop() +
          f.contentWindow.location.hash + "\n";
        if (times === 1) f.contentDocument.getElementById("search").dispatchEvent(
          new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      };</script></body></html>]])
    local text = content("frame.html", "--virtual-time-budget=10000"):match('<pre id="said">(.-)</pre>')
    assert.equal("sort.html\nndimage.html#mandimagegaussian_filter\n", text)
  end)
end)

describe("pages", function()
  it("are no wider than a window of 1280 and of 390 pixels", function()
    local pages = {}
    for path in io.popen("cd '" .. folder .. "' && ls *.html reference/*.html"):lines() do
      if path ~= "asked.html" and path ~= "frame.html" then pages[#pages + 1] = '"' .. path .. '"' end
    end
    file.write(folder .. "/frame.html", ([[<!doctype html><html><body><iframe id="f"></iframe><pre id="said"></pre>
      <script>
      var f = document.getElementById("f"), pages = [%s], at = -1, width = 1280;
      f.style.height = "800px";
      function next() {
        at++;
        if (at === pages.length) {
          if (width === 390) { document.getElementById("said").textContent += "done"; return; }
          at = 0; width = 390;
        }
        f.style.width = width + "px";
        f.src = pages[at];
      }
      f.onload = function () {
        var wide = f.contentDocument.documentElement.scrollWidth;
        if (wide > width) document.getElementById("said").textContent += pages[at] + " " + width + ": " + wide + "\n";
        next();
      };
      next();</script></body></html>]]):format(table.concat(pages, ",")))
    local text = content("frame.html", "--virtual-time-budget=100000"):match('<pre id="said">(.-)</pre>')
    assert.equal("done", text)
  end)
end)
