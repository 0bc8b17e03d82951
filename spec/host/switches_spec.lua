-- What the library says of MOONARRAY_* variables that mean nothing, in processes of their own.

local file = require "spec.file"

--- What a small program prints on both streams under the variables.
local function said(variables)
  local program = "local ma = require 'moonarray'; local _ = (ma.ones(2) + 1):sum():item()"
  local _, text = file.run(("env %s MOONARRAY_DEVICE=cpu '%s' -e \"%s\""):format(variables,
    os.getenv("LUAJIT") or "luajit", program))
  return text
end

describe("a variable of the environment", function()
  it("that is no switch is named once, with the nearest", function()
    assert.equal("moonarray: MOONARRAY_FUSION is no switch; did you mean MOONARRAY_FUSE?\n",
      said "MOONARRAY_FUSION=0")
    assert.equal("moonarray: MOONARRAY_CAHCE_DIR is no switch; did you mean MOONARRAY_CACHE_DIR?\n",
      said "MOONARRAY_CAHCE_DIR=/nowhere")
    assert.equal("moonarray: MOONARRAY_HOME is no switch; ma.show_config() lists them\n", said "MOONARRAY_HOME=1")
  end)

  it("whose value says nothing is named once, with what was wanted", function()
    local words = "wanted 1 or 0, true or false, yes or no, on or off; "
    assert.equal("moonarray: MOONARRAY_FUSE is 'maybe'; " .. words .. "1 is used\n", said "MOONARRAY_FUSE=maybe")
    assert.equal("moonarray: MOONARRAY_SYNC is '2'; " .. words .. "0 is used\n", said "MOONARRAY_SYNC=2")
    for _, value in ipairs { "abc", "2x", "1e3", "99999999999999999999" } do
      assert.equal(("moonarray: MOONARRAY_NUM_THREADS is '%s'; wanted a whole number; 0 is used\n"):format(value),
        said("MOONARRAY_NUM_THREADS=" .. value))
    end
    assert.equal("moonarray: MOONARRAY_TRACE has no topic 'fuze'; "
      .. "wanted jit, mem, fuse, way, linalg or grad, by commas\n",
      said "MOONARRAY_TRACE=fuze,mem")
  end)

  it("that is a secret is never shown", function()
    local program = "require 'moonarray'.show_config()"
    local _, text = file.run(("MOONARRAY_STORE_SECRET=0123456789abcdef '%s' -e \"%s\" 2>&1"):format(
      os.getenv("LUAJIT") or "luajit", program))
    assert(text:find("MOONARRAY_STORE_SECRET", 1, true) and not text:find("0123456789", 1, true), text)
  end)

  it("that is right is not spoken of", function()
    for _, right in ipairs { "MOONARRAY_FUSE=off", "MOONARRAY_FUSE=No", "MOONARRAY_NUM_THREADS=2", "MOONARRAY_SEED=",
      "MOONARRAY_TRACE=linalg", "MOONARRAY_SPEC_OWN=1", "MOONARRAY_POOL=true" } do
      assert.equal("", said(right))
    end
  end)
end)
