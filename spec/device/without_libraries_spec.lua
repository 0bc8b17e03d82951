-- Products on a GPU without cuBLAS: in whole numbers, so that they are exact, against sums of products on the CPU. On
-- the pretended GPU where there is no other.

local helper = require "spec.helper"
local file = require "spec.file"
local gpu = require "spec.pretend.gpu"

local luajit = os.getenv("LUAJIT") or "luajit"
local there = helper.ma.cuda.is_available()
local environment = there and "MOONARRAY_DEVICE=cuda" or gpu.environment

--- What a program prints.
local function output(program)
  local text
  file.with_folder(function(folder)
    file.write(folder .. "/program.lua", program)
    text = select(2, file.run(("%s MOONARRAY_CUDA_LIBRARIES=0 %s %s/program.lua"):format(environment, luajit, folder)))
  end)
  return text
end

-- An operand is a part of a larger array, at any place, transposed or not.
local PRODUCTS = [[
  local ma = require "moonarray"
  math.randomseed(%d)
  local R = math.random

  --- A view of rows x columns in an array that begins and ends elsewhere, and that array.
  local function part(dtype, batch, rows, columns, turned, fill)
    local r, c = rows + R(0, 5), columns + R(0, 5)
    local shape = turned and { c, r } or { r, c }
    if batch then table.insert(shape, 1, batch) end
    local whole = fill and ma.full(shape, fill, dtype)
      or ma.array(ma.random.randint(-3, 4, shape, { device = "cpu" }):astype(dtype), { device = "cuda" })
    local top, left = R(0, r - rows), R(0, c - columns)
    local x = turned and whole:swapaxes(-1, -2) or whole
    return x[("..., %%d:%%d, %%d:%%d"):format(top + 1, top + rows, left + 1, left + columns)], whole
  end

  local function check(dtype, m, k, n, batch)
    local a = part(dtype, batch, m, k, R() < 0.5)
    local b = part(dtype, R() < 0.5 and batch or nil, k, n, R() < 0.5)
    local c, whole = part(dtype, batch, m, n, R() < 0.5, 77)
    ma.matmul(a, b, c)
    local x, y, got = a:to("cpu"), b:to("cpu"), c:to("cpu")
    local wanted = ma.sum(x["..., _"] * y["..., _, :, :"], -2, { dtype = dtype })
    local case = ("%%s %%d x %%d x %%d of %%s"):format(dtype, m, k, n, tostring(batch))
    assert(ma.array_equal(got, wanted), case)
    c:fill(77)
    assert(ma.array_equal(whole:to("cpu"), ma.full(whole.shape, 77, dtype):to("cpu")), case .. ": around the result")
  end
  %s
  print("right")
]]

describe("products without cuBLAS", function()
  if not there and not gpu.is_built() then
    pending("are tried on the pretended GPU, which make pretend builds")
    return
  end

  local function try(calls)
    local text = output(PRODUCTS:format(helper.seed, calls))
    assert(text == "right\n", ("SEED=%d: %s"):format(helper.seed, text))
  end

  it("have any shape, place and batch", function()
    try [[
      for _, dtype in ipairs { "float32", "float64" } do
        for _ = 1, 12 do check(dtype, R(1, 140), R(1, 70), R(17, 140), R() < 0.3 and R(1, 3) or nil) end
        check(dtype, 70, 33, 5)
        check(dtype, 9, 40, 130, 2)
      end
      for _, dtype in ipairs { "float16", "bfloat16", "complex64", "complex128" } do check(dtype, 67, 10, 35) end
    ]]
  end)

  it("have large tiles, and long sums in parts", function()
    try [[
      check("float32", 131, 9, 130, 70)
      check("float64", 131, 9, 66, 70)
      check("float32", 65, 1500, 40)
      check("float64", 65, 1500, 1)
      check("float32", 1, 1030, 65, 2)
    ]]
  end)

  it("have batches of several axes", function()
    local text = output [[
      local ma = require "moonarray"
      local a, b = ma.arange(2 * 3 * 20 * 70, "float32"):reshape(2, 3, 20, 70), ma.ones({ 3, 70, 90 }, "float32")
      local c = ma.matmul(a:swapaxes(1, 2):copy():swapaxes(1, 2), b)
      print(ma.array_equal(c, ma.broadcast_to(a:sum(-1, { keepdims = true }), c.shape)))
    ]]
    assert.matches("^true\n$", text)
  end)

  it("are those that show_config finds no cuBLAS for", function()
    local text = output [[require("moonarray").show_config()]]
    for _, title in ipairs { "cuBLAS", "cuSOLVER", "cuFFT", "cuRAND" } do
      assert(text:find(("%s is turned off by MOONARRAY_CUDA_LIBRARIES=0"):format(title), 1, true), text)
    end
  end)
end)
