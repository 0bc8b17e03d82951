-- Kernels over arrays of structs (ma.struct).

local helper = require "spec.helper"
local ma = helper.ma

local found, ffi = pcall(require, "ffi")
if not found then return end

ffi.cdef "typedef struct { float x, y; int32_t hp; } moonarray_spec_soldier;"
local soldier = ma.struct "moonarray_spec_soldier"

describe("RawKernel", function()
  local code = [[
struct soldier { float x, y; int hp; };
extern "C" __global__ void move(soldier *all, const soldier by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { all[i].x += by.x; all[i].hp -= by.hp; }
}]]

  it("takes arrays of structs by pointer, and a struct by value", function()
    local all = ma.zeros(5, soldier)
    all.x, all.hp = ma.arange(5), 10
    ma.RawKernel(code, "move")({ 1 }, { 32 }, { all, ffi.new("moonarray_spec_soldier", 0.5, 0, 3), 5 })
    assert.same({ 0.5, 1.5, 2.5, 3.5, 4.5 }, all.x:totable())
    assert.same({ 7, 7, 7, 7, 7 }, all.hp:totable())
  end)

  it("refuses parts with gaps, and structs for numbers", function()
    local all = ma.zeros(6, soldier)
    local by = ffi.new "moonarray_spec_soldier"
    local text = helper.fails(function() ma.RawKernel(code, "move")(1, 32, { all["1:6:2"], by, 3 }) end)
    assert.truthy(text:find("not contiguous", 1, true), text)
    local floats = ma.RawKernel('extern "C" __global__ void f(float *x) { x[0] = 1; }', "f")
    text = helper.fails(function() floats(1, 1, { all }) end)
    assert.truthy(text:find("wanted a float32 array", 1, true), text)
  end)
end)
