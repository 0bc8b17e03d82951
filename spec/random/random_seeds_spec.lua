-- Seeds of ma.random: numbers, LuaJIT's integers, lists and arrays.

local helper = require "spec.helper"
local draws = require "spec.random.random_helper"
local ma, raises = helper.ma, draws.raises
local has_ffi, ffi = pcall(require, "ffi")

local function key(rng)
  local state = rng:get_state()
  return state.high * 2 ^ 32 + state.low
end
local function of(seed) return key(ma.random.default_rng(seed)) end

describe("a seed", function()
  it("may be an array, which is the list of its elements", function()
    for _, dtype in ipairs { "int8", "uint8", "int32", "uint32", "int64", "uint64" } do
      assert.equal(of { 1, 2, 3 }, of(ma.array({ 1, 2, 3 }, dtype)), dtype)
    end
    assert.equal(of { 1, 2, 3, 4 }, of(ma.array({ { 1, 2 }, { 3, 4 } }, "int64")))
    assert.equal(of { 3, 2, 1 }, of(ma.array({ 1, 2, 3 }, "int64")["::-1"]))
    assert.equal(of { 5 }, of(ma.array({ 5 }, "int64")))
    assert.equal(of(5), of(ma.array(5, "int64")))
    assert.equal(of(ma.array({}, "int64")), of(ma.array({}, "uint8")))
  end)

  it("is taken as an array by everything that takes a seed", function()
    local seed = ma.array({ 1, 2, 3 }, "int64")
    local want = of { 1, 2, 3 }
    assert.equal(want, key(ma.random.RandomState(seed)))
    assert.equal(want, key(ma.random.default_rng(7):seed(seed)))
    ma.random.seed(seed)
    assert.equal(want, key(ma.random.get_random_state()))
    local kde = ma.stats.gaussian_kde(ma.arange(5, "float64"))
    assert(ma.array_equal(kde:resample(3, seed), kde:resample(3, { 1, 2, 3 })))
    assert(ma.array_equal(kde:resample(3, ma.random.default_rng(4)), kde:resample(3, 4)))
  end)

  it("may have LuaJIT's integers in it", function()
    if not has_ffi then return pending("plain Lua has no FFI") end
    local large = ffi.cast("uint64_t", 2 ^ 53) + 1
    assert.equal(of(large), of(ma.full({}, 2 ^ 53, "uint64") + 1))
    assert.equal(of { large, 1 }, of(ma.array({ large, 1 }, "uint64")))
    assert.equal(of { 3, 1 }, of { ffi.cast("int64_t", 3), 1 })
    assert.not_equal(of { large }, of { 2 ^ 53 })
  end)

  it("is refused where it is no whole number from 0 on", function()
    raises("moonarray.random.default_rng: seed is a float64 array (2,); wanted an integer dtype",
      ma.random.default_rng, ma.array { 1, 2 })
    raises("moonarray.random.seed: seed is a bool array (1,); wanted an integer dtype", ma.random.seed,
      ma.array { true })
    raises("moonarray.random.RandomState: a part of the seed is -2; wanted a whole number from 0 on",
      ma.random.RandomState, ma.array({ 1, -2 }, "int32"))
    raises("moonarray.random.default_rng: seed is the string 'a'; wanted a whole number",
      ma.random.default_rng, { 1, "a" })
    raises("wanted a whole number", function() ma.stats.gaussian_kde(ma.arange(5, "float64")):resample(3, "seven") end)
  end)
end)
