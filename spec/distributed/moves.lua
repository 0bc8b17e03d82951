--- A program for ranks: sharded arrays in other parts, in files, in products and in Fourier transforms.

local ma = require "moonarray"

local D = ma.distributed
D.init { timeout = 30, backend = arg[1] }
local rank, size = D.rank(), D.size()
local try = require "spec.distributed.try"
local same, uneven, shard = try.same, try.uneven, try.shard

local generator = ma.random.default_rng(5)

local function try_reshard(dtype)
  local whole = generator:integers(0, 100, { 7, 5, 9 }):astype(dtype)
  for from = 1, 3 do
    local x = shard(whole, from, uneven(whole.shape[from]))
    for to = 1, 3 do
      local y = x:reshard(to)
      assert(y.axis == to and math.abs(y.sizes[1] - whole.shape[to] / size) < 1)
      same(("reshard %d to %d of %s"):format(from, to, dtype), y, whole)
      same("reshard as another", y:reshard(x) + x, whole + whole)
    end
    same("reshard by sizes", x:reshard(2, { sizes = uneven(5) }), whole)
    assert(x:reshard(from, { sizes = x.sizes }) == x)
  end
end

local function path_of_all()
  local mine = rank == 0 and os.tmpname() or ""
  local bytes = ma.frombuffer((mine .. ("\n"):rep(100)):sub(1, 100), "uint8"):copy():to(ma.device())
  return (D.broadcast(bytes, 0):tobytes():match "^[^\n]*")
end

local function try_files()
  local path = path_of_all()
  for _, dtype in ipairs { "bool", "int16", "float32", "complex128" } do
    local whole = generator:integers(0, 100, { 6, 5, 3 }):astype(dtype)
    for axis = 1, 3 do
      D.save(path, shard(whole, axis, uneven(whole.shape[axis])))
      if rank == 0 then same("a file of " .. dtype, ma.load(path), whole) end
      local got = D.load(path, { axis = axis, halo = 1 })
      assert(got.axis == axis and got.halo == 1)
      same("a file of parts of " .. dtype, got, whole)
      D.barrier()
    end
  end
  if rank == 0 then                        -- an array in Fortran's order, and one with the bytes the other way round
    local file = assert(io.open(path, "wb"))
    local text = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }"
    text = text .. (" "):rep(63 - (#text + 10) % 64) .. "\n"
    file:write("\147NUMPY\1\0", string.char(#text, 0), text, "\0\1\0\2\0\3\0\4\0\5\0\6")
    file:close()
  end
  D.barrier()
  same("Fortran's order", D.load(path), ma.array({ { 1, 3, 5 }, { 2, 4, 6 } }, "int16"))
  D.barrier()
  if rank == 0 then
    local file = assert(io.open(path, "wb"))
    file:write "no array"
    file:close()
  end
  D.barrier()
  local ok, why = pcall(D.load, path)
  assert(not ok and why:find "distributed.load: rank 0: the file is no .npy file", why)
  ok, why = pcall(D.load, "/nowhere/x.npy")
  assert(not ok and why:find "rank 0: /nowhere/x.npy: No such file", why)
  ok, why = pcall(D.save, "/nowhere/x.npy", D.zeros { 3 })
  assert(not ok and why:find "distributed.save: rank 0: /nowhere/x.npy: No such file", why)
  D.save(path, D.zeros { 4 * D.size() })
  local core, last = require "moonarray.core", D.size() - 1
  if rank == last then core.make_fail("file", 1, 1) end        -- one rank's disk is full
  ok, why = pcall(D.save, path, D.ones { 4 * D.size() })
  core.make_fail("file", 0)
  assert(not ok and why:find("rank " .. last .. ": the file cannot be written: No space left", 1, true), why)
  same("the old file", D.load(path), ma.zeros(4 * D.size()))
  D.barrier()
  if rank == 0 then os.remove(path) end
end

local function try_products()
  for _, extents in ipairs { { 7, 11, 5 }, { 16, 16, 16 }, { 3, 1, 2 } } do
    local m, k, n = extents[1], extents[2], extents[3]
    for _, dtype in ipairs { "float64", "float32", "int64", "complex64" } do
      local a, b = generator:integers(-9, 9, { m, k }):astype(dtype), generator:integers(-9, 9, { k, n }):astype(dtype)
      for axis = 1, 2 do
        local x, y = shard(a, axis, uneven(a.shape[axis])), shard(b, 3 - axis, uneven(b.shape[3 - axis]))
        local got = D.matmul(x, y)
        assert(got.axis == axis)
        same("matmul of " .. dtype, got, ma.matmul(a, b))
      end
    end
  end
  local x = shard(ma.ones { 4, 3 }, 1, uneven(4))
  local ok, why = pcall(D.matmul, x, x)
  assert(not ok and why:find "wanted matrices that fit", why)
end

local function try_transforms()
  local close = size > 1 and 1e-10 or nil
  for _, shape in ipairs { { 8, 6 }, { 6, 5, 4 } } do
    local whole = generator:normal(0, 1, shape)
    for axis = 1, #shape do
      local x = shard(whole, axis, uneven(shape[axis]))
      local f = D.fftn(x)
      assert(f.axis == axis)
      same("fftn", f, ma.fft.fftn(whole), close)
      same("ifftn", D.ifftn(f), ma.fft.ifftn(ma.fft.fftn(whole)), 1e-10)
      same("fftn of one axis", D.fftn(x, 2), ma.fft.fftn(whole, { axes = { 2 } }), close)
      same("fftn by norm", D.fftn(x, nil, { norm = "ortho" }), ma.fft.fftn(whole, { norm = "ortho" }), close)
      local there = D.fftn(x, nil, { back = false })
      assert(size == 1 or there.axis ~= axis)
      same("fftn that stays", there, ma.fft.fftn(whole), close)
      for _, axes in ipairs { false, { 1, 2 }, { 2, 1 }, { #shape } } do
        local options = { axes = axes or nil, norm = axes and "ortho" or nil }
        local wanted = ma.fft.rfftn(whole, options)
        local y = D.rfftn(x, options)
        assert(y.axis == axis)
        same("rfftn", y, wanted, 1e-10)
        same("irfftn", D.irfftn(y, options), ma.fft.irfftn(wanted, options), 1e-10)
        same("rfftn that stays", D.rfftn(x, { axes = axes or nil, back = false }),
          ma.fft.rfftn(whole, { axes = axes or nil }), 1e-10)
      end
    end
  end
  local odd = shard(generator:normal(0, 1, { 6, 7 }), 1, uneven(6))
  same("an odd number of elements", D.irfftn(D.rfftn(odd), { n = 7 }), odd:all_gather(), 1e-10)
  same("fftn of float32", D.fftn(shard(ma.ones({ 4, 4 }, "float32"), 1, uneven(4))),
    ma.fft.fftn(ma.ones({ 4, 4 }, "float32")), 1e-6)
end

--- Arrays of a part of the ranks; the others have another one at the same time.
local function try_groups()
  local group = D.split(rank % 2)
  local whole = generator:normal(0, 1, { 9, 8 }) * (rank % 2 + 1)
  local x = D.distribute(group.rank == group.size - 1 and whole or nil, group.size - 1, { group = group })
  assert(x.group == group and x.shape[1] == 9 and #x.sizes == group.size)
  local function equal(what, got, wanted) same(what .. " of a group", got:all_gather(), wanted, 1e-12) end
  same("max of a group", x:max(), whole:max())
  equal("reshard", x:reshard(2) * 2, whole * 2)
  equal("matmul", D.matmul(x, D.array(x:reshard(2).part.T:copy(), { group = group })), ma.matmul(whole, whole.T))
  equal("fftn", D.fftn(x), ma.fft.fftn(whole))
  local smooth = { boundary = "wrap" }
  local function fn(u) return u(-1, 0) + u(1, 0) end
  if group.size < 5 then equal("stencil", D.stencil(fn, smooth)(x), ma.stencil(fn, smooth)(whole)) end
  local ok, why = pcall(function() return x + D.zeros { 9, 8 } end)
  assert(size == 1 and ok or not ok and why:find "wanted the same parts", why)
end

for _, dtype in ipairs { "int8", "bfloat16", "float32", "complex128" } do try_reshard(dtype) end
try_files()
try_products()
try_transforms()
try_groups()
try.finish()
