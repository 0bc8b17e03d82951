-- ma.ndimage.distance_transform_edt: the distances that a search over all elements gives.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails
local equal = ma.testing.assert_array_equal

local function noise(seed, shape, most)
  local size = 1
  for _, extent in ipairs(shape) do size = size * extent end
  local k = (ma.arange(size) * 7919 + seed * 104729) % 10007
  return ((k * k) % 10007 % 100):reshape(shape):lt(most)
end

describe("distance_transform_edt", function()
  local edt = ma.ndimage.distance_transform_edt

  it("gives the least distance, and where it is", function()
    for seed, shape in ipairs { { 40 }, { 13, 21 }, { 70, 3 }, { 6, 7, 8 }, { 1, 50 }, { 3, 4, 2, 5 } } do
      for _, most in ipairs { 97, 60 } do
        local image, sampling = noise(seed, shape, most), { 1, 2, 0.5, 3 }
        image:reshape(-1)[7] = false
        for d = #shape + 1, 4 do sampling[d] = nil end
        local zeros = ma.argwhere(image:not_()):astype("float64")
        local places = ma.argwhere(ma.ones(shape)):astype("float64")
        local apart = (ma.expand_dims(places, 2) - zeros) * ma.array(sampling)
        local wanted = ma.sqrt(ma.min(ma.sum(apart * apart, 3), 2)):reshape(shape)
        local got, indices = edt(image, sampling, { return_indices = true })
        ma.testing.assert_allclose(got, wanted, { rtol = 1e-14 })
        assert.equal("float64", got.dtype)
        assert.equal("int32", indices.dtype)
        -- The elements that indices name are 0, and lie at that distance.
        local flat, square = 0, 0
        for d = 1, #shape do
          local own = places[{ {}, d }]:reshape(shape)
          flat = flat * shape[d] + indices[d] - 1
          square = square + ((own - indices[d]) * sampling[d]) ^ 2
        end
        assert.is_false(image:reshape(-1):take(flat + 1):any())
        ma.testing.assert_allclose(ma.sqrt(square), wanted, { rtol = 1e-14 })
      end
    end
  end)

  it("of whole distances is exact, over long lines", function()
    local image = ma.ones({ 1000, 70 }, "bool")
    image[{ 1000, 70 }] = false
    local rows = ma.expand_dims(ma.arange(999, -1, -1, "float64"), 2)
    local columns = ma.arange(69, -1, -1, "float64")
    equal(edt(image), ma.sqrt(rows * rows + columns * columns))
    equal(edt(image:transpose()), ma.sqrt(rows * rows + columns * columns):transpose())
  end)

  it("is infinite where nothing is 0, and takes images without elements", function()
    local got, indices = edt(ma.ones({ 3, 4 }), { return_indices = true })
    equal(got, ma.full({ 3, 4 }, math.huge))
    equal(indices, ma.zeros({ 2, 3, 4 }, "int32"))
    equal(edt(ma.zeros({ 3, 4 })), ma.zeros({ 3, 4 }))
    equal(edt(ma.ones({ 0, 4 })), ma.zeros({ 0, 4 }))
  end)

  it("takes any dtype and layout", function()
    local image = noise(3, { 12, 15 }, 80)
    local wanted = edt(image)
    for _, dtype in ipairs { "int8", "uint16", "float32", "float16", "complex64" } do
      equal(edt(image:astype(dtype)), wanted)
    end
    equal(edt(image:transpose()), wanted:transpose())
    equal(edt(image["::-1, ::2"]), edt(image["::-1, ::2"]:copy()))
  end)

  it("writes into distances and indices", function()
    local image = noise(4, { 9, 8 }, 70)
    local wanted, places = edt(image, { return_indices = true })
    local distances, indices = ma.zeros({ 9, 8 }), ma.zeros({ 2, 9, 8 }, "int32")
    assert.is_nil((edt(image, { return_indices = true, distances = distances, indices = indices })))
    equal(distances, wanted)
    equal(indices, places)
    equal(edt(image, { return_distances = false, return_indices = true }), places)
  end)

  it("says what is wrong", function()
    local image = ma.ones({ 3, 4 })
    assert.matches("sampling is 0; wanted a finite number above 0", fails(edt, image, 0))
    assert.matches("3 values for sampling; wanted one", fails(edt, image, { 1, 2, 3 }))
    assert.matches("wanted one at least", fails(edt, image, { return_distances = false }))
    assert.matches("distances is .-; wanted a float64 array %(3, 4%)",
      fails(edt, image, { distances = ma.zeros({ 3, 4 }, "float32") }))
    assert.matches("an image without axes", fails(edt, 3))
  end)
end)
