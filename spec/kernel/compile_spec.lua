-- A compilation that fails, on either device, raises an error, leaves nothing behind, and is tried again by the next
-- call; an error in the user's text shows the user's own line.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core

local count = 0
-- A kernel of a text that no cache knows.
local function fresh(map)
  count = count + 1
  local text = ("%s + %.17g * 0"):format(map or "x * x", os.time() + count + os.clock())
  return ma.ReductionKernel("T x", "T y", text, "a + b", "y = a", "0", "sum_of_squares")
end

describe("compiling", function()
  if not helper.compiles then return pending "nothing compiles" end

  after_each(function() core.fail_compile(0) end)

  it("raises where it fails, and is tried again", function()
    local x, kernel = ma.arange(5):astype("float64"):eval(), fresh()
    local before = helper.live()
    core.fail_compile(1)
    local ok, message = pcall(kernel, x)
    assert.is_false(ok)
    assert.truthy(tostring(message):find("did not compile: it was made to fail", 1, true))
    assert.equal(before, helper.live())
    assert.equal(30, kernel(x):item())
  end)

  it("shows the user's own line", function()
    local kernel = fresh("x * missing_name")
    local ok, message = pcall(kernel, ma.arange(5):astype("float64"))
    assert.is_false(ok)
    assert.truthy(tostring(message):find("\n> +%d+  [^\n]*missing_name"), message)
    assert.truthy(tostring(message):find("kernel sum_of_squares did not compile", 1, true), message)
  end)

  it("shows nothing of a raw kernel but what was written", function()
    local ok, message = pcall(function()
      ma.RawKernel([[extern "C" __global__ void one(float *p) {
          p[0] = 1;
        }
        extern "C" __global__ void two(float *p) {
          p[0] = nowhere;
        }]], "two"):compile()
    end)
    message = tostring(message)
    assert.is_false(ok)
    assert.truthy(message:find("nowhere", 1, true), message)
    assert.falsy(message:find("ma_kernel_row", 1, true) or message:find("MA_KERNEL_ENTRY", 1, true), message)
  end)
end)
