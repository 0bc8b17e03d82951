-- The public address is written in one file, scripts/address, and the check of scripts/addressed.lua finds whatever
-- differs from it: here in a copy of what names it.

local file = require "spec.file"

local ADDRESS = "https://git.example.com/owner/moonarray"
local luajit = os.getenv("LUAJIT") or "luajit"

local function in_copy(fn)
  file.with_folder(function(folder)
    assert(file.run(("to=%s && mkdir -p $to/docs/reference $to/bench && cp bench/*.md $to/bench && "
      .. "cp -R debian include lua packages examples scripts *.md moonarray-*.rockspec $to && "
      .. "ln -s \"$PWD/docs/pictures\" $to/docs && for page in docs/*.md; do echo \"# ${page}\" >$to/$page; done && "
      .. "cp docs/install.md docs/words.txt $to/docs"):format(folder)))
    -- The other pages have titles alone: a site of them takes seconds.
    file.write(folder .. "/docs/reference/README.md", "# Reference\n")
    file.write(folder .. "/docs/README.md", "# Pages\n\n## Start\n\n- [../README.md](../README.md): the first page.\n"
      .. "- [install.md](install.md): the second.\n")
    local copy = {}
    function copy.set(address) file.write(folder .. "/scripts/address", address) end
    function copy.run(option)
      return file.run(("cd %s && %s scripts/addressed.lua %s"):format(folder, luajit, option or ""))
    end
    function copy.change(path, from, to)
      local before = file.read(folder .. "/" .. path)
      local at, last = before:find(from, 1, true)
      file.write(folder .. "/" .. path, before:sub(1, assert(at, from) - 1) .. to .. before:sub(last + 1))
      return function() file.write(folder .. "/" .. path, before) end
    end
    function copy.read(path) return file.read(folder .. "/" .. path) end
    copy.rockspec = file.output("ls moonarray-*.rockspec"):match("%S+")
    fn(copy)
  end)
end

describe("the public address", function()
  it("is the same everywhere, or not set", function()
    local set = file.read("scripts/address"):match("^%s*(.-)%s*$")
    in_copy(function(copy)
      local ok, said = copy.run()
      assert(ok, said)
      assert.equal((set == "" and "not set" or set) .. "\n", said:match("[^\n]*\n$"))
    end)
  end)

  it("is missed where it is another one, and written by --write", function()
    in_copy(function(copy)
      copy.set ""
      assert(copy.run "--write")
      local readme, rockspec = copy.read "README.md", copy.read(copy.rockspec)
      copy.set(ADDRESS .. "\n")
      local ok, said = copy.run()
      assert.False(ok)
      for _, part in ipairs { "README.md: ", copy.rockspec .. ": source.url is ", "description.homepage", "issues_url",
        "the site: no " .. ADDRESS } do
        assert(said:find(part, 1, true), said)
      end
      ok, said = copy.run "--write"
      assert(ok, said)
      assert.equal(ADDRESS .. "\n", said:match("[^\n]*\n$"))
      assert(copy.read("README.md"):find("<" .. ADDRESS .. ">", 1, true))

      for _, case in ipairs {
        { "README.md", ADDRESS, "https://git.example.com/another/moonarray", "README.md" },
        { "README.md", "## Get it", "## Get it\n\n[here](https://another.example/moonarray.git)", "README.md names" },
        { "docs/install.md", "# Installing", "# Installing\n\n<" .. ADDRESS .. "2>", "docs/install.md names" },
        { copy.rockspec, ADDRESS .. "/releases", "https://another.example/moonarray/releases", "source.url" },
        { copy.rockspec, "v0.", "v9.", "source.url" },
        { copy.rockspec, ADDRESS .. "/issues", ADDRESS .. "/bugs", "issues_url" },
        { "scripts/site/page.html", "<header>", '<header><a href="https://another.example/moonarray">',
          "the site: index.html" },
        { "scripts/address", "https://", "", "scripts/address is 'git.example.com/owner/moonarray'" },
      } do
        local back = copy.change(case[1], case[2], case[3])
        ok, said = copy.run()
        assert(not ok and said:find(case[4], 1, true), case[1] .. ", " .. case[3] .. ": " .. said)
        back()
      end
      assert(copy.run())

      copy.set ""
      assert.False((copy.run()))
      assert(copy.run "--write")
      assert.equal(readme, copy.read "README.md")
      assert.equal(rockspec, copy.read(copy.rockspec))
    end)
  end)
end)
