--- What the specs of deferred operators share: how much work a function makes, and its results both ways.
local assert = require "luassert"
local helper = require "spec.helper"
local ma, core = helper.ma, helper.core

local work = {}

local function launches() return (core.work()) end

--- How many launches fn takes.
function work.count(fn, ...)
  local before = launches()
  fn(...)
  return launches() - before
end

--- The same, once everything that fn needs is compiled.
function work.count_again(fn, ...)
  fn(...)
  return work.count(fn, ...)
end

--- Within a describe, whose functions are given: operators wait, and kernels are compiled before they are used.
function work.compile_at_once(setup, teardown)
  local was, at_once
  setup(function()
    was = ma.set_fusion(true)
    at_once = core.compile_at_once(true)
  end)
  teardown(function()
    core.compile_at_once(at_once or false)
    ma.set_fusion(was)
  end)
end

--- fn takes n launches. Where nothing can compile the kernel of an expression, its operations run one by one: then more
--- are right, but not of what takes none.
function work.takes(n, fn, label)
  local launched = work.count(fn)
  if n == 0 or helper.compiles then assert.equal(n, launched, label) else assert(launched > 0, label) end
end

--- Whether so many launches are no more than these, which is no question where kernels of expressions may be missing.
function work.are_few(launched, most) return launched <= most or not helper.compiles end

--- Operators deferred, programs run, programs dropped unrun, clones and exchanges while fn runs.
function work.figures(fn, ...)
  local before = { core.deferrals() }
  fn(...)
  local now = { core.deferrals() }
  for k = 1, 5 do now[k] = now[k] - before[k] end
  return { recorded = now[1], run = now[2], dropped = now[3], cloned = now[4], exchanged = now[5] }
end

function work.data(n, dtype) return (ma.arange(1, n + 1):astype(dtype or "float64")):eval() end

--- Runs fn with operators deferred and at once: the same bits, layouts and dtypes.
function work.both(label, fn)
  local deferred = { fn() }
  ma.set_fusion(false)
  local at_once = { fn() }
  ma.set_fusion(true)
  for k, a in ipairs(at_once) do
    helper.identical(deferred[k], a, label .. " " .. k)
    assert.same(a.strides, deferred[k].strides, label)
  end
end

return work
