-- Row programs run as one on the pretended GPU, in each of their ways. Otherwise nobody would notice a kernel that does
-- not compile: its operations run one by one then, with the same bits.

local gpu = require "spec.pretend.gpu"
local file = require "spec.file"
local run = file.run

local PROGRAM = [[
local ma, core = require "moonarray", require "moonarray.core"
core.compile_at_once(true)
local keep = { keepdims = true }
local function softmax(x, axis)
  local e = ma.exp(x - x:max(axis, keep))
  return e / e:sum(axis, keep)
end
for _, case in ipairs { { 300, 513, 2 }, { 1030, 70, 1 }, { 9000, 9, 1 } } do
  local x = ma.random.default_rng(1):random({ case[1], case[2] }, { dtype = "float32" }):eval()
  local before = core.work()
  local y = softmax(x, case[3]):eval()
  print(("%d x %d along axis %d: %d"):format(case[1], case[2], case[3], core.work() - before))
  assert(ma.allclose(y, softmax(x:get(), case[3]):to(ma.device())))
end
]]

describe("row programs on the pretended GPU", function()
  it("compile in each of their ways, clusters of blocks among them", function()
    if not gpu.is_built() then return pending "no pretended GPU; make pretend" end
    local folder = os.tmpname()
    os.remove(folder)
    assert(run("mkdir -p " .. folder .. "/dump"))
    file.write(folder .. "/program.lua", PROGRAM)
    local ok, text = run(("%s MOONARRAY_DUMP=%s/dump MOONARRAY_CACHE_DIR=%s/cache %s %s/program.lua"):format(
      gpu.environment, folder, folder, os.getenv "LUAJIT" or "luajit", folder))
    assert(ok, text)
    local cases = 0
    for case, n in text:gmatch "(%d+ x %d+ along axis %d): (%d+)" do
      cases = cases + 1
      assert(tonumber(n) <= 2, ("%s takes %d launches: a kernel is missing\n%s"):format(case, n, text))
    end
    assert.equal(3, cases)
    local _, clusters = run(("grep -l 'define CLUSTER [2-8]$' %s/dump/* | wc -l"):format(folder))
    assert(tonumber(clusters) >= 1, "no kernel has clusters of blocks")
    run("rm -rf " .. folder)
  end)
end)
