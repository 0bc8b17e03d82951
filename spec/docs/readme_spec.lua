-- The first page is short, and what it names is there: functions, targets of make, figures, what is tested where.

local helper = require "spec.helper"
local ma = helper.ma

local read = require("spec.file").read
local text = read("README.md")

--- The text without line breaks, as it is read.
local flat = text:gsub("%s+", " ")

--- Of the first table of results with this head, how many keys take at most the best peer's time, and of how many.
local function won(head)
  local won_there, all = 0, 0
  local part = read("bench/results.md"):match(head .. "(.-goals met)")
  for ratio in assert(part, head):gmatch("\n| [%w_.]+ +| %S+ +| [%d.e+-]+ %(%w+%) +| ([%d.e+-]+) ") do
    all = all + 1
    if tonumber(ratio) <= 1 then won_there = won_there + 1 end
  end
  return won_there, all
end

describe("the README", function()
  it("is short, and its code fits a page of 1280 pixels", function()
    local _, count = text:gsub("\n", "")
    assert(count <= 120, count .. " lines")
    for block in text:gmatch("```%l+\n(.-)```") do
      for line in block:gmatch("[^\n]+") do assert(#line <= 86, line) end
    end
  end)

  it("shows a film, how to get it, and the platforms, then when not to use it, and then code", function()
    local last = 0
    for _, part in ipairs { "\n![", "\n## Get it", "\n| Linux x64 |", "\n## When not to use it", "\n```lua" } do
      local at = assert(text:find(part, 1, true), part)
      assert(at > last, part)
      last = at
    end
    local film = text:match("!%[[^%]]*%]%((.-)%)")
    assert.equal("GIF8", read(film):sub(1, 4))
  end)

  it("names functions that are there, and what is missing as missing", function()
    local failures, count = helper.failures(), 0
    for name in text:gmatch("%f[%w]ma%.([%a_][%w_.]*)") do
      count = count + 1
      failures:run(name, function()
        local value = ma
        for part in name:gmatch("[%w_]+") do value = value[part] end
      end)
    end
    failures:check()
    assert(count > 10, count)
    assert.equal(not ma.grad, flat:find("there is no automatic differentiation", 1, true) ~= nil)
  end)

  it("leads to derivatives, frames, bundles and several processes by their pages and names", function()
    local failures = helper.failures()
    for page, name in pairs { grad = "grad", frames = "await", bundles = "bundle", distributed = "distributed" } do
      failures:run(page, function()
        assert(ma[name] and text:find("](docs/" .. page .. ".md)", 1, true), "no link to docs/" .. page .. ".md")
        assert(read("docs/" .. page .. ".md"):find("ma." .. name, 1, true), "the page does not name ma." .. name)
      end)
    end
    failures:check()
  end)

  it("names targets of make", function()
    local makefile, count = read("Makefile"), 0
    for target in text:gmatch("[` ]make ([%l-]+)[`\n]") do
      count = count + 1
      assert(makefile:find("\n" .. target .. ":", 1, true), "make " .. target)
    end
    assert(count >= 3, count)
  end)

  it("counts the benchmarks as bench/results.md has them", function()
    local function says(form, head)
      local sentence = form:format(won(head))
      assert(flat:find(sentence, 1, true), "wanted: " .. sentence)
    end
    says("In %d of the %d operations of `make bench`", "GPU: NVIDIA")
    says("NumPy or SciPy in %d of %d.", "GPU: none")
    assert(read("bench/results.md"):match("GPU: NVIDIA (%w+)") == flat:match("as fast on an (%w+) as the faster"))
    -- Lists of operations that nobody had tuned to.
    local ahead, all = 0, 0
    for a, b in read("bench/results-notes.md"):match("\n## Operations that nobody had looked at\n(.-)\n## ")
      :gmatch("(%d+) of (%d+) [^;.]-CuPy") do
      ahead, all = ahead + a, all + b
    end
    assert(all > 200, all)
    assert(flat:find("about four of five cases", 1, true) and math.abs(ahead / all - 4 / 5) < 0.025, ahead / all)
  end)

  it("says what .ci/run tests on which platform", function()
    local ci = read(".ci/run")
    local few = ci:match("few=%$%(specs ([%l ]-) |")
    local _, count = few:gsub("%l+", "")
    assert.equal(6, count)
    for row in text:gmatch("\n|[^\n]*specs[^\n]*") do assert(row:find("six specs", 1, true), row) end
    for _, target in ipairs { "windows", "aarch64", "musl" } do
      assert(ci:find("test-" .. target .. " SPEC=\"$few\"", 1, true), target)
    end
    for _, part in ipairs { "make --no-print-directory bare", "make --no-print-directory test\n", "sanitizer=asan",
      "sanitizer=tsan", "debian=bookworm", "debian=trixie" } do
      assert(ci:find(part, 1, true), part)
    end
  end)
end)
