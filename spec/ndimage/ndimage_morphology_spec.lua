-- ma.ndimage's binary morphology and labels: SciPy's values over structures, origins, borders, masks, iterations,
-- layouts, dtypes and hostile shapes; results that another way gives; errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails
local equal = ma.testing.assert_array_equal

describe("ndimage, as SciPy:", function()
  for _, section in ipairs { "binary", "mask", "filled", "structures", "label" } do
    it(section, function() run(section, "ndimage_morphology") end)
  end
end)

--- Noise that is the same on every run and device.
local function noise(seed, shape, most)
  local size = 1
  for _, extent in ipairs(shape) do size = size * extent end
  local k = ma.arange(size) + seed * 1000003
  k = (k * 2654435761) % 4294967296
  k = (ma.bitwise_xor(k, ma.right_shift(k, 15)) * 2246822519) % 4294967296
  return (ma.right_shift(k, 13) % 100):reshape(shape):lt(most)
end

--- The path of a spiral of n turns, one element wide, with gaps of one element.
local function spiral(n)
  local size = 4 * n + 1
  local rows = {}
  for i = 1, size do
    rows[i] = {}
    for j = 1, size do rows[i][j] = 0 end
  end
  local i, j, di, dj = 1, 1, 0, 1
  local function free(y, x) return not rows[y] or rows[y][x] == nil or rows[y][x] == 1 end
  rows[1][1] = 1
  for _ = 1, 8 * n do
    local moved = false
    while rows[i + di] and rows[i + di][j + dj] == 0 and not (rows[i + 2 * di] and rows[i + 2 * di][j + 2 * dj] == 1) do
      i, j, moved = i + di, j + dj, true
      rows[i][j] = 1
    end
    di, dj = dj, -di
    if not moved and free(i, j) then break end
  end
  return ma.array(rows, "bool")
end

--- The planes of an image along an axis, each through fn, put together again.
local function by_planes(image, axis, fn)
  local list = {}
  local moved = ma.moveaxis(image, axis, 1)
  for k = 1, moved.shape[1] do list[k] = fn(moved[k]) end
  return ma.moveaxis(ma.stack(list), 1, axis)
end

describe("axes", function()
  local nd = ma.ndimage
  local function an_image() return noise(3, { 4, 5, 6 }, 55) end
  local function a_grey_one() return (ma.arange(120) * 7919 % 101):reshape(4, 5, 6) end
  local cross = { { 0, 1 }, { 1, 1 }, { 1, 0 } }

  it("name those that a structure lies along", function()
    local image = an_image()
    for _, name in ipairs { "binary_erosion", "binary_dilation", "binary_opening", "binary_closing",
      "binary_propagation", "binary_fill_holes", "binary_hit_or_miss" } do
      local fn, key = nd[name], name == "binary_hit_or_miss" and "structure1" or "structure"
      for axis = 1, 3 do
        local axes = { axis == 1 and 2 or 1, axis == 3 and 2 or 3 }
        equal(fn(image, { axes = axes }), by_planes(image, axis, function(a) return fn(a) end))
        equal(fn(image, { [key] = cross, axes = axes }), by_planes(image, axis, function(a)
          return fn(a, { [key] = cross })
        end))
        local turned = ma.array(cross):transpose()
        equal(fn(image, { [key] = turned, axes = { axes[2], axes[1] } }), fn(image, { [key] = cross, axes = axes }))
      end
      equal(fn(image, { axes = { 1, 2, 3 } }), fn(image))
      equal(fn(image, { axes = -1 }), fn(image, { axes = 3 }))
    end
    equal(nd.binary_erosion(image, { iterations = 2, border_value = 1, axes = { 2, 3 } }),
      by_planes(image, 1, function(a) return nd.binary_erosion(a, { iterations = 2, border_value = 1 }) end))
  end)

  it("name those that a grey window lies along", function()
    local grey = a_grey_one()
    for _, name in ipairs { "grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient",
      "morphological_laplace", "white_tophat", "black_tophat" } do
      for axis = 1, 3 do
        local axes = { axis == 1 and 2 or 1, axis == 3 and 2 or 3 }
        for _, window in ipairs { { size = { 3, 2 } }, { footprint = cross }, { structure = { { 1, 0 }, { 0, 2 } } },
          { size = 3, mode = { "wrap", "nearest" } } } do
          local want = by_planes(grey, axis, function(a) return nd[name](a, window) end)
          local options = { axes = axes }
          for key, value in pairs(window) do options[key] = value end
          equal(nd[name](grey, options), want)
        end
      end
    end
  end)

  it("are as many as a structure has", function()
    local image, grey = an_image(), a_grey_one()
    assert.matches("structure has 2 axes; wanted 1", fails(nd.binary_erosion, image, { structure = cross, axes = 2 }))
    assert.matches("footprint has 2 axes; wanted 3", fails(nd.grey_erosion, grey, { footprint = cross }))
    assert.matches("axis 2 twice in axes", fails(nd.grey_erosion, grey, { size = 3, axes = { 2, 2 } }))
  end)
end)

describe("binary morphology", function()
  it("of long runs is that of their elements one by one", function()
    local image = noise(1, { 3, 300 }, 10)
    for _, length in ipairs { 5, 8, 9, 31, 64 } do
      local row = ma.ones({ 1, length })
      local got, wanted = ma.ndimage.binary_dilation(image, row), image
      -- The same by a dilation for each place of the run.
      for k = 1, length do
        local one = ma.zeros({ 1, length })
        one[{ 1, k }] = 1
        wanted = wanted:or_(ma.ndimage.binary_dilation(image, one))
      end
      equal(got, wanted)
    end
  end)

  it("takes rows that are longer than a thread's piece", function()
    local image = ma.zeros({ 2, 40000 }, "bool")
    for _, place in ipairs { 1, 16384, 16385, 32768, 40000 } do image[{ 2, place }] = true end
    local row = image["2"]:astype("int64")
    local padded = ma.pad(row, { 1, 1 })
    local wanted = (padded["1:40000"] + padded["2:40001"] + padded["3:40002"]):gt(0)
    local got = ma.ndimage.binary_dilation(image)
    equal(got["2"], wanted)
    equal(got["1"], row:gt(0))
    equal(ma.ndimage.binary_dilation(image["2"], { iterations = 5 }),
      ma.ndimage.binary_dilation(image["2"], ma.ones(11)))
  end)

  it("of many steps is that of single ones", function()
    local image = noise(2, { 37, 53 }, 4)
    for _, structure in ipairs { { { 0, 1, 0 }, { 1, 1, 1 }, { 0, 1, 0 } }, { { 1, 0 }, { 0, 1 } }, { { 1, 0, 1 } } } do
      for _, name in ipairs { "binary_dilation", "binary_erosion" } do
        local step, wanted = ma.ndimage[name], name == "binary_dilation" and image or image:not_()
        local from = wanted
        for n = 1, 70 do
          wanted = step(wanted, structure)
          if n < 6 or n > 62 then equal(step(from, structure, n), wanted) end
        end
      end
    end
  end)

  it("until nothing changes gives what very many steps give", function()
    local image, mask = noise(3, { 30, 41 }, 2), noise(4, { 30, 41 }, 70)
    for _, structure in ipairs { ma.ones({ 3, 3 }), ma.array { { 1, 1, 0 }, { 0, 1, 1 } },
      ma.array { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 1, 0 } } } do
      for _, border in ipairs { 0, 1 } do
        for _, name in ipairs { "binary_dilation", "binary_erosion" } do
          local step = ma.ndimage[name]
          equal(step(image, structure, -1, mask, { border_value = border }),
            step(image, structure, 400, mask, { border_value = border }))
        end
      end
    end
  end)

  it("follows a spiral to its end", function()
    local path = spiral(12)
    local seed = ma.zeros_like(path)
    seed[{ 1, 1 }] = true
    equal(ma.ndimage.binary_propagation(seed, { mask = path }), path)
    equal(ma.ndimage.binary_propagation(seed, ma.array { { 0, 1, 0 }, { 1, 1, 1 }, { 0, 1, 1 } }, path), path)
    local labels, n = ma.ndimage.label(path)
    assert.equal(1, n)
    equal(labels, path:astype("int32"))
    -- The gaps lead to the outside, so there is no hole.
    equal(ma.ndimage.binary_fill_holes(path), path)
  end)

  it("refuses to go back and forth for ever", function()
    local board = ma.array({ 0, 0, 1, 0, 0, 0 })
    assert.matches("moonarray.ndimage.binary_dilation: steps that go back and forth between two images; wanted a "
      .. "number of iterations", fails(ma.ndimage.binary_dilation, board, { 1, 0, 1 }, -1))
    local wide = ma.zeros({ 3, 90 }, "bool")
    wide[{ 2, 30 }] = true
    for _, n in ipairs { 200, 201 } do
      equal(ma.ndimage.binary_dilation(wide, { { 1, 0, 1 } }, n + 1000000),
        ma.ndimage.binary_dilation(wide, { { 1, 0, 1 } }, n))
    end
    -- What is shifted beyond the edge comes to an end.
    equal(ma.ndimage.binary_dilation(board, { 0, 0, 1 }, -1), ma.zeros(6, "bool"))
  end)

  it("writes into output, an array or a dtype", function()
    local image = noise(5, { 8, 9 }, 40)
    local wanted = ma.ndimage.binary_erosion(image)
    local out = ma.zeros({ 8, 9 }, "float32")
    assert.equal(out, ma.ndimage.binary_erosion(image, { output = out }))
    equal(out, wanted:astype("float32"))
    assert.equal("int8", ma.ndimage.binary_erosion(image, { output = "int8" }).dtype)
    local own = image:copy()
    ma.ndimage.binary_erosion(own, { output = own, iterations = 3 })
    equal(own, ma.ndimage.binary_erosion(image, { iterations = 3 }))
    local plane = ma.zeros({ 8, 18 }, "bool")
    ma.ndimage.binary_fill_holes(image, { output = plane[":, ::2"] })
    equal(plane[":, ::2"], ma.ndimage.binary_fill_holes(image))
  end)

  it("says what is wrong", function()
    local erosion, image = ma.ndimage.binary_erosion, ma.ones({ 3, 4 })
    local function said(pattern, ...) assert.matches("moonarray.ndimage.binary_erosion: " .. pattern, fails(...)) end
    said("structure has 1 axes; wanted 2", erosion, image, { 1, 1 })
    said("structure is empty; wanted one element at least", erosion, image, ma.zeros({ 0, 3 }))
    said("origin is 2 for a window of 3; wanted %-1 to 1", erosion, image, { origin = 2 })
    said("3 values for origin; wanted one, or one for each of 2 axes", erosion, image, { origin = { 0, 0, 0 } })
    said("mask is .-wanted the image's shape %(3, 4%)", erosion, image, { mask = ma.ones({ 4, 3 }) })
    said("iterations is 1.5; wanted a whole number", erosion, image, { iterations = 1.5 })
    said("input is .-wanted real elements", erosion, ma.ones({ 3, 4 }, "complex64"))
    said("input is .-wanted an array", erosion, true)
    said("output is .-wanted the shape %(3, 4%)", erosion, image, { output = ma.ones(3) })
    said("output of complex64; wanted a real dtype", erosion, image, { output = "complex64" })
    said("border_value is .-; wanted 0, 1 or a boolean", erosion, image, { border_value = "x" })
    assert.matches("structure2 has 1 axes; wanted 2", fails(ma.ndimage.binary_hit_or_miss, image, nil, { 1 }))
    local complex = ma.array({ 0, 1, 1 }, "complex64")
    for _, f in ipairs { ma.ndimage.grey_opening, ma.ndimage.minimum_filter, ma.ndimage.binary_dilation } do
      local options = f == ma.ndimage.minimum_filter and { footprint = complex } or { structure = complex }
      assert.matches("has a complex number; wanted real numbers", fails(f, ma.arange(5), options))
    end
    assert.matches("rank is 17; at most 16 is taken", fails(ma.ndimage.generate_binary_structure, 17, 1))
  end)
end)

describe("labels", function()
  --- Labels by a flood of each component in turn, in the order of first elements.
  local function by_floods(image, structure)
    local labels, left, n = ma.zeros_like(image, { dtype = "int32" }), image:copy(), 0
    while left:any() do
      local seed = ma.zeros_like(image)
      seed:reshape(-1)[{ left:reshape(-1):argmax():item() }] = true
      local part = ma.ndimage.binary_dilation(seed, structure, 10000, left)
      n = n + 1
      labels = ma.where(part, n, labels):astype("int32")
      left = left:and_(part:not_())
    end
    return labels, n
  end

  it("are those of floods, for images of strips and of columns", function()
    for k, shape in ipairs { { 60, 40 }, { 5, 9, 30 }, { 2000 }, { 400, 3 }, { 3, 2, 4, 20 } } do
      for _, connectivity in ipairs { 1, #shape } do
        local image = noise(10 + k, shape, 30)
        local structure = ma.ndimage.generate_binary_structure(#shape, connectivity)
        local wanted, count = by_floods(image, structure)
        local labels, n = ma.ndimage.label(image, structure)
        assert.equal(count, n)
        equal(labels, wanted)
      end
    end
  end)

  it("of a board are single elements, or one", function()
    local board = ((ma.arange(200):reshape(200, 1) + ma.arange(333)) % 2)
    local labels, n = ma.ndimage.label(board)
    assert.equal(200 * 333 / 2, n)
    equal(labels, ma.where(board:ne(0), ma.cumsum(board:ravel()):reshape(200, 333), 0):astype("int32"))
    local all, one = ma.ndimage.label(board, ma.ones({ 3, 3 }))
    assert.equal(1, one)
    equal(all, board:astype("int32"))
    local full, single = ma.ndimage.label(ma.ones({ 700, 300 }))
    assert.equal(1, single)
    equal(full, ma.ones({ 700, 300 }, "int32"))
  end)

  it("of a comb are joined at its foot", function()
    local comb = ma.zeros({ 500, 201 }, "bool")
    comb[":, ::2"] = true
    local _, teeth = ma.ndimage.label(comb)
    assert.equal(101, teeth)
    comb["-1"] = true
    local labels, n = ma.ndimage.label(comb)
    assert.equal(1, n)
    equal(labels, comb:astype("int32"))
  end)

  it("go into output", function()
    local image = noise(30, { 20, 30 }, 40)
    local wanted, count = ma.ndimage.label(image)
    local out = ma.zeros({ 20, 30 }, "int64")
    assert.equal(count, ma.ndimage.label(image, { output = out }))
    equal(out, wanted)
    assert.matches("300 labels do not fit int8; wanted a wider dtype",
      fails(ma.ndimage.label, ma.arange(600) % 2, { output = "int8" }))
  end)

  it("say what is wrong with a structure", function()
    local label, image = ma.ndimage.label, ma.ones({ 3, 4 })
    assert.matches("moonarray.ndimage.label: structure has 1 axes; wanted 2", fails(label, image, { 1, 1, 1 }))
    assert.matches("structure has 2 elements along axis 2; wanted 3", fails(label, image, ma.ones({ 3, 2 })))
    assert.matches("structure is not symmetric",
      fails(label, image, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } }))
  end)

  it("have boxes, which are indices", function()
    local image = noise(31, { 40, 50 }, 30)
    local labels, n = ma.ndimage.label(image)
    local boxes = ma.ndimage.find_objects(labels)
    assert.equal(n, #boxes)
    for k = 1, n, 17 do
      local rows, columns = labels:eq(k):any(2), labels:eq(k):any(1)
      local first, last = rows:argmax():item(), 41 - ma.flip(rows):argmax():item()
      assert.same({ first, last }, boxes[k][1])
      first, last = columns:argmax():item(), 51 - ma.flip(columns):argmax():item()
      assert.same({ first, last }, boxes[k][2])
      assert.equal(labels:eq(k):sum():item(), labels[boxes[k]]:eq(k):sum():item())
    end
  end)

  it("that are nowhere have no box", function()
    local labels = ma.array({ { 0, 3, 3 }, { -2, 0, 1 } }, "int16")
    assert.same({ { { 2, 2 }, { 3, 3 } }, false, { { 1, 1 }, { 2, 3 } } }, ma.ndimage.find_objects(labels))
    assert.same({ { { 2, 2 }, { 3, 3 } } }, ma.ndimage.find_objects(labels, 1))
    assert.same({ { { 2, 2 }, { 3, 3 } }, false, { { 1, 1 }, { 2, 3 } }, false }, ma.ndimage.find_objects(labels, 4))
    assert.same({}, ma.ndimage.find_objects(ma.zeros({ 3, 3 }, "int32")))
    assert.same({}, ma.ndimage.find_objects(ma.zeros({ 0, 3 }, "int32")))
    assert.same({ false, {} }, ma.ndimage.find_objects(ma.array(2, "int32")))
    assert.same({ { { 2, 3 } } }, ma.ndimage.find_objects(ma.array({ 0, 1, 1, 0 }, "int64")))
    assert.matches("moonarray.ndimage.find_objects: input is .-wanted labels of an integer dtype",
      fails(ma.ndimage.find_objects, ma.ones(3)))
  end)
end)
