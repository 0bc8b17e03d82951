-- A number for each row that is computed of reductions, as log(sum(exp(x))): on a GPU it is one kernel with them. The
-- bits are those of separate runs.

local helper = require "spec.helper"
local core = require "moonarray.core"
local file = require "spec.file"
local gpu = require "spec.pretend.gpu"
local work = require "spec.fusion.fusion_helper"
local are_few = work.are_few
local ma = helper.ma

local on_gpu = helper.device ~= "cpu"
local keep = { keepdims = true }

local programs = {
  log_sum = function(x, axis)
    local top = x:max(axis, keep)
    return ma.log(ma.exp(x - top):sum(axis, keep)) + top
  end,
  logsumexp = function(x, axis) return ma.logsumexp(x, axis) end,
  deviation = function(x, axis)
    local d = x - x:mean(axis, keep)
    return ma.sqrt((d * d):mean(axis))
  end,
  norm = function(x, axis) return ma.linalg.norm(x, nil, axis) end,
  range = function(x, axis) return ma.ptp(x, axis) end,
  beside_another = function(x, axis, other) return x:sum(axis) * other + x:std(axis) end,
  two = function(x, axis) return x:min(axis) / (x:argmax(axis) + 1) end,
}
local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)

local function values(shape, dtype)
  local x = (ma.random.standard_normal(shape) * 3):astype(dtype):eval()
  local flat = x:reshape(-1)
  flat[{ math.floor(x.size / 2) + 1 }] = -math.huge
  flat[{ x.size }] = 0 / 0
  return x:eval()
end

local function agree(label, f)
  ma.set_fusion(true)
  local one = f():eval()
  ma.set_fusion(false)
  local other = f()
  ma.set_fusion(true)
  helper.identical(one, other, label)
end

describe("a number for each row", function()
  work.compile_at_once(setup, teardown)

  -- rows of lanes, of a warp, of a block, in spans; short columns, columns of chunks, in spans
  local cases = { { { 70, 8 }, 2 }, { { 9, 70 }, 2 }, { { 3, 600 }, 2 }, { { 3, 2100 }, 2 }, { { 2, 70000 }, 2 },
    { { 40, 33 }, 1 }, { { 3, 1100, 9 }, 2 }, { { 3000, 16 }, 1 }, { { 5, 1, 9 }, 1 } }
  local dtypes = on_gpu and { "float32" } or { "float32", "float64", "float16" }

  for _, name in ipairs(names) do
    it("has the bits of separate runs: " .. name, function()
      for k, case in ipairs(cases) do
        local shape, axis = case[1], case[2]
        if not on_gpu or name == "logsumexp" or k % 3 == #name % 3 then
          for _, dtype in ipairs(dtypes) do
            local x = values(shape, dtype)
            local other = ma.random.random(x:sum(axis).shape):astype(dtype):eval()
            agree(("%s of %s %s"):format(name, dtype, table.concat(shape, "x")),
              function() return programs[name](x, axis, other) end)
          end
        end
      end
    end)
  end

  it("is one kernel, or few on the CPU", function()
    local most = on_gpu and 1 or 4
    local x, y = values({ 40, 600 }, "float32"), values({ 300, 40 }, "float32")
    if on_gpu then core.background(true) end
    for _, name in ipairs(names) do
      if name ~= "beside_another" then
        assert(are_few(work.count_again(function() programs[name](x, 2):eval() end), most), name)
        assert(are_few(work.count_again(function() programs[name](y, 1):eval() end), most), name .. ", down columns")
      end
    end
  end)

  it("has these bits of all elements, of all pairs, and in another layout", function()
    local x, y = values({ 20, 30 }, "float32"), values({ 24, 30 }, "float32")
    agree("a norm of all", function() return ma.sqrt((x * x):sum()) end)
    agree("all", function() return ma.logsumexp(x) end)
    agree("many", function() return ma.logsumexp(values({ 70000 }, "float32"):fill(0.5)) end)
    agree("distances", function() return ma.sqrt(((x[":, _"] - y) ^ 2):sum(3)) end)
    agree("distances of few", function() return ma.sqrt(((x[":, _, :2"] - y[":, :2"]) ^ 2):sum(3)) end)
    agree("transposed", function()
      local z = x:reshape(20, 5, 6)
      return ma.transpose(ma.sqrt(z:var(3))) * 2 + ma.transpose(z:max(3))
    end)
    agree("with others", function()
      local total, most = x:sum(2), x:max(2)
      return total * 2 + most:sum()
    end)
  end)

  it("gives the reductions their values too", function()
    local x = values({ 50, 300 }, "float32")
    local total, most = x:sum(2), x:max(2)
    local sum = (total - most * 2):eval()
    helper.identical(total, x:sum(2):eval(), "sum")
    helper.identical(most, x:max(2):eval(), "max")
    helper.identical(sum, total - most * 2, "end")
  end)
end)

describe("logsumexp", function()
  it("is that of the elements where a mask is true, of every layout and dtype", function()
    for _, dtype in ipairs { "float32", "float64", "float16", "int32" } do
      local x = (ma.random.standard_normal({ 7, 130 }) * 5):astype(dtype):eval()
      local mask = x:gt(0)
      local chosen = ma.where(mask, x:astype(x.dtype == "int32" and "float64" or x.dtype), -math.huge)
      helper.identical(x:logsumexp(2, { where = mask }), chosen:logsumexp(2), dtype)
      helper.identical(x:logsumexp(1), x:transpose():logsumexp(2), dtype .. " down")
      helper.identical(x:logsumexp(), x:reshape(-1):copy():logsumexp(1), dtype .. " of all")
      local out = ma.empty({ 7 }, "float64")
      x:logsumexp(2, { out = out })
      helper.identical(out, x:logsumexp(2):astype("float64"), dtype .. " with out")
      assert.equal("7x1", helper.shape(x:logsumexp(2, keep)))
    end
    assert.equal(-math.huge, ma.logsumexp(ma.zeros { 0 }):item())
    assert.equal(-math.huge, ma.logsumexp(ma.ones { 3 }, 1, { where = ma.zeros({ 3 }, "bool") }):item())
  end)

  it("leave in registers what only they read, and write what somebody may read", function()
    if not gpu.is_built() then return pending "no pretended GPU; make pretend" end
    local function writes(expression, folder)                   -- its kernels are compiled to nothing, and kept apart
      local record = folder .. "/record"
      local ok, said = file.run(([[%s MOONARRAY_DEVICE=cuda MOONARRAY_CACHE_DIR='%s' PRETEND_IDLE=1 \
        MOONARRAY_BUNDLE='record:%s' '%s' -e '
        local ma = require "moonarray"
        require("moonarray.core").compile_at_once(true)
        local x = ma.eval(ma.ones({ 3000, 64 }, "float32"))
        ma.eval(%s)']]):format(gpu.libraries, folder, record, os.getenv("LUAJIT") or "luajit", expression))
      assert(ok, said)
      local text = file.take(record)
      assert.matches("f0::result::mem", text)                   -- the kernel of rows
      return text:find("*(f0::result::mem *)", 1, true) ~= nil
    end
    file.with_folder(function(folder)
      assert.is_false(writes("ma.logsumexp(x, 2)", folder))
      assert.is_false(writes("ma.ptp(x, 2)", folder))
      assert.is_true(writes("x:max(2) - x:min(2)", folder))     -- Lua holds these
    end)
  end)
end)
