-- Products of matrices against sums of products, exactly, in small whole numbers: every dtype, extent, layout and
-- batch; einsum and its kin.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, core = helper.ma, helper.core

local ok, why = pcall(function() return ma.matmul(ma.ones({ 2, 2 }), ma.ones({ 2, 2 })) end)
if not ok then
  describe("matmul", function()
    it("needs a library", function()
      assert(tostring(why):find("found;", 1, true), why)
      pending(why)
    end)
  end)
  return
end

local function random(shape, dtype)
  local n, values = 1, {}
  for _, extent in ipairs(shape) do n = n * extent end
  for k = 1, n do values[k] = math.random(dtype and dtype:find("uint", 1, true) and 0 or -4, 4) end
  return ma.array(values, dtype or "float64"):reshape(shape)
end

-- The sum of products by broadcasting.
local function sums(a, b)
  return ma.sum(a["..., _"] * b["..., _, :, :"], -2, { dtype = a.dtype })
end

local function same(a, b)
  assert(ma.same_shape(a, b), "shapes differ")
  assert(ma.array_equal(a, b))
end

local dtypes = { "float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int8", "uint8", "int16",
  "uint16", "int32", "uint32",
                 "int64", "uint64" }

describe("matmul", function()
  for _, dtype in ipairs(dtypes) do
    it("of " .. dtype, function()
      for _, s in ipairs { { 3, 4, 5 }, { 1, 4, 5 }, { 3, 1, 5 }, { 3, 4, 1 }, { 1, 1, 1 }, { 1, 5, 1 }, { 7, 1, 1 },
        { 1, 1, 6 }, { 17, 64, 33 } } do
        local a, b = random({ s[1], s[2] }, dtype), random({ s[2], s[3] }, dtype)
        local wanted = sums(a, b)
        local wide_a, wide_b = ma.zeros({ 2 * s[1], 3 * s[2] }, dtype), ma.zeros({ 2 * s[2], 3 * s[3] }, dtype)
        local strided_a, strided_b = wide_a["::2, ::3"], wide_b["::2, ::3"]
        strided_a:assign(a)
        strided_b:assign(b)
        for _, x in ipairs { a, a:transpose():copy():transpose(), strided_a, a["::-1, ::-1"]:copy()["::-1, ::-1"] } do
          for _, y in ipairs { b, b:transpose():copy():transpose(), strided_b } do
            local c = ma.matmul(x, y)
            assert(c.dtype == dtype)
            same(c, wanted)
          end
        end
      end
    end)
  end

  it("of bools is or of ands", function()
    same(ma.matmul(ma.array { { true, false }, { false, false } }, ma.array { { true, false }, { true, true } }),
      ma.array { { true, false }, { false, false } })
  end)

  it("wraps as integers do", function()
    local a = ma.full({ 2, 3 }, 100, "int8")
    same(ma.matmul(a, a:transpose()), sums(a, a:transpose()))
    local b = ma.full({ 2, 2 }, 2 ^ 31, "int64")
    same(ma.matmul(b, b), sums(b, b))
  end)

  it("of integers beyond the tiles of a processor and of a GPU, in blocks that have no whole size", function()
    for _, dtype in ipairs { "int32", "uint32", "int64", "uint64" } do
      for _, s in ipairs { { 150, 700, 9 }, { 5, 300, 141 }, { 131, 17, 130 }, { 2, 2, 2 } } do
        local a = (ma.random.randint(0, 2 ^ 31, { s[1], s[2] }) * 12345678901):astype(dtype)
        local b = (ma.random.randint(0, 2 ^ 31, { s[2], s[3] }) * 12345678901):astype(dtype)
        local wanted = sums(a, b)
        same(ma.matmul(a, b), wanted)
        same(ma.matmul(a.T:copy().T, b.T:copy().T), wanted)
        local out = ma.full({ s[3], s[1] }, 7, dtype)
        same(ma.matmul(a, b.T:copy().T, out.T), wanted)
      end
    end
  end)

  it("of batches, broadcast", function()
    local shapes = { { { 2, 3, 4 }, { 2, 4, 5 } }, { { 3, 4 }, { 2, 4, 5 } }, { { 2, 1, 3, 4 }, { 5, 4, 6 } },
      { { 1, 3, 4 }, { 6, 4, 2 } },
                     { { 2, 3, 2, 3 }, { 2, 3, 3, 2 } } }
    for _, s in ipairs(shapes) do
      local a, b = random(s[1]), random(s[2])
      same(ma.matmul(a, b), sums(a, b))
      same(ma.matmul(a, b["..., ::-1"]), sums(a, b["..., ::-1"]))
    end
    local a, b = random { 4, 3, 5 }, random { 4, 3, 2 }
    same(ma.matmul(a:swapaxes(2, 3), b), sums(a:swapaxes(2, 3), b))
    same(ma.matmul(a:transpose { 3, 2, 1 }, b:transpose { 2, 1, 3 }[":, 1:4, :"][1]),
      sums(a:transpose { 3, 2, 1 }, b:transpose { 2, 1, 3 }[1]["_, :, :"]))
  end)

  it("of vectors", function()
    local m, v = random { 3, 4 }, random { 4 }
    same(ma.matmul(m, v), ma.sum(m * v, 2))
    same(ma.matmul(v, m:transpose()), ma.sum(m * v, 2))
    assert(ma.matmul(v, v).ndim == 0 and ma.matmul(v, v):item() == ma.sum(v * v):item())
    assert(ma.matmul({ 1, 2, 3 }, { 4, 5, 6 }):item() == 32)
    same(ma.matmul(random({ 2, 3, 4 }):fill(1), v), ma.broadcast_to(v:sum(), { 2, 3 }))
  end)

  it("of vectors and matrices that are done in pieces, over what was in out", function()
    for _, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
      for _, s in ipairs { { 1, 300001 }, { 3, 70001 }, { 70001, 3 }, { 513, 257 } } do
        local m, n = s[1], s[2]
        local a, v = ma.random.randint(-4, 5, { m, n }):astype(dtype),
          ma.random.randint(-4, 5, 2 * n):astype(dtype)["::2"]
        if m == 1 then v = v:copy() end
        local wanted, out = ma.sum(a * v, 2, { dtype = dtype }), ma.full({ m, 2 }, 0 / 0, dtype)[":, 2"]
        same(ma.matmul(a, v, out), wanted)
        same(ma.matmul(v, a:transpose():copy()), wanted)
        if m == 1 then same(ma.dot(a[1], v), wanted:reshape {}) end
      end
    end
  end)

  it("with long sums, which are added in parts, over what was in out", function()
    for _, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
      for _, k in ipairs { 16383, 16384, 40001, 600000 } do
        local a = ((ma.arange(3 * k) * 37 % 9) - 4):reshape(3, k):astype(dtype)
        local b = ((ma.arange(5 * k) * 11 % 9) - 4):reshape(5, k):astype(dtype)
        if dtype:find "complex" then a = a * ma.complex(1, 2) end
        local want = ma.stack({ (a * b[1]):sum(2), (a * b[2]):sum(2), (a * b[3]):sum(2), (a * b[4]):sum(2),
          (a * b[5]):sum(2) }, 2)
        local label = dtype .. k
        assert(ma.array_equal(ma.matmul(a, b.T), want), label)
        assert(ma.array_equal(ma.matmul(b, a.T), want.T), label)
        assert(ma.array_equal(ma.matmul(a, b.T:copy()), want), label)
        assert(ma.array_equal(ma.matmul(a.T:copy().T, b.T), want), label)
        local out = ma.full({ 4, 7 }, 9, dtype)
        ma.matmul(a, b.T, { out = out[{ { 1, 3 }, { 2, 6 } }] })
        assert(ma.array_equal(out[{ { 1, 3 }, { 2, 6 } }], want), label)
        assert(out[4]:eq(9):all() and out[{ {}, 1 }]:eq(9):all() and out[{ {}, 7 }]:eq(9):all(), label)
      end
    end
  end)

  it("of nothing", function()
    assert(ma.matmul(ma.ones { 0, 3 }, ma.ones { 3, 2 }).shape[1] == 0)
    same(ma.matmul(ma.ones { 2, 0 }, ma.ones { 0, 3 }), ma.zeros { 2, 3 })
    assert(ma.matmul(ma.ones { 0, 2, 3 }, ma.ones { 3, 2 }).size == 0)
  end)

  it("writes out, over its operands and with casts", function()
    local a, b = random { 4, 4 }, random { 4, 4 }
    local wanted = sums(a, b)
    for _, out in ipairs { ma.full({ 4, 4 }, 7.0), ma.full({ 4, 4 }, 7.0):transpose(),
      ma.full({ 8, 8 }, 7.0)["::2, ::2"], ma.empty({ 4, 4 }, "float32"),
                           ma.empty({ 4, 4 }, "complex128"), a:copy() } do
      assert(ma.matmul(a, b, out) == out)
      same(out:astype("float64", { casting = "unsafe" }), wanted)
    end
    local x = a:copy()
    ma.matmul(x, x, x)
    same(x, sums(a, a))
    assert(not pcall(ma.matmul, a, b, ma.empty({ 4, 4 }, "int32")))
    assert(not pcall(ma.matmul, a, b, ma.empty { 4, 5 }))
  end)

  it("copies nothing that BLAS can walk", function()
    local n = 256
    local base, y = ma.ones({ 2 * n, 2 * n }), ma.ones({ n, n })
    local function most(x)                              -- at a time, in matrices of n x n
      collectgarbage()
      collectgarbage()
      local before = core.pool(true)
      local result = ma.matmul(x, y)
      local _, _, peak = core.pool(true)
      result:free()
      return math.floor((peak - before) / (n * n * 8) + 0.1)
    end
    assert.equal(1, most(base["1:256, 1:256"]:transpose()))
    assert.equal(1, most(base["11:266, 5:260"]))
    assert.equal(1, most(base["::2, 1:256"]))
    assert.equal(1, most(base["::2, 1:256"]:transpose()))
    assert.equal(4, most(ma.ones({ 8, n, n })["::2"]))
    assert.equal(8, most(ma.ones({ n, 8, n }):transpose { 2, 1, 3 }))
    assert.equal(4, most(ma.broadcast_to(y, { 4, n, n })))
    assert.equal(2, most(base["::2, ::2"]))
    assert.equal(2, most(y["::-1"]))
  end)

  it("says what is wrong", function()
    local function message(...)
      local good, text = pcall(...)
      assert(not good)
      return text
    end
    assert(message(ma.matmul, ma.ones { 2, 3 }, ma.ones { 2, 3 }):find("(3 and 2 here)", 1, true))
    assert(message(ma.matmul, ma.ones { 2, 3 }, 2):find("x * y multiplies by a scalar", 1, true))
    assert(message(ma.matmul, ma.array(2), ma.ones(2)):find("0-d operand", 1, true))
    assert(message(ma.einsum, "ij,jk", ma.ones { 2, 3 }, ma.ones { 2, 3 }):find("einsum: operand 2", 1, true))
    for text, shape in pairs { ii = { 3, 1 }, ["ii->i"] = { 1, 3 }, iii = { 3, 3, 1 }, iji = { 1, 2, 3 },
      ["...ii"] = { 2, 3, 1 }, ["ii..."] = { 3, 2 } } do
      assert(message(ma.einsum, text, ma.ones(shape)):find("along one axis 'i' and %d along another"), text)
    end
    assert(message(ma.einsum, "j,ii", ma.ones(1), ma.ones { 3, 1 }):find(
      "operand 2 has 3 elements along one axis 'i' and 1 along another", 1, true))
    assert.equal(3, ma.einsum("ii,i", ma.ones { 1, 1 }, ma.ones(3)):item())  -- against another operand 1 is broadcast
    assert(message(ma.einsum, "ij->k", ma.ones { 2, 3 }):find("'k' of the result is in no operand", 1, true))
    assert(message(ma.einsum, "ij", ma.ones(3)):find("wanted 2 axes", 1, true))
    assert(message(ma.tensordot, ma.ones { 2, 3 }, ma.ones { 4, 3 }, 1):find("axes of one length", 1, true))
  end)
end)

describe("built on it", function()
  local x, y, z = random { 3, 4 }, random { 4, 5 }, random { 5, 6 }

  it("dot, vdot, inner, outer, kron, cross", function()
    same(ma.dot(x, y), sums(x, y))
    same(ma.dot(2, x), x * 2)
    local t = random { 2, 5, 4 }
    same(ma.dot(x, t:swapaxes(2, 3)), ma.einsum("ij,kjl->ikl", x, t:swapaxes(2, 3)))
    local c = ma.array { ma.complex(1, 2), ma.complex(3, -1) }
    assert(ma.vdot(c, c):item().re == 15)
    same(ma.inner(x, random({ 2, 4 }):fill(1)), ma.stack({ x:sum(2), x:sum(2) }, 2))
    same(ma.outer({ 1, 2 }, { 3, 4 }), ma.array { { 3, 4 }, { 6, 8 } })
    same(ma.kron({ 1, 10 }, { 5, 6, 7 }), ma.array { 5, 6, 7, 50, 60, 70 })
    same(ma.kron(ma.eye(2), ma.ones { 2, 2 }), ma.array { { 1, 1, 0, 0 }, { 1, 1, 0, 0 }, { 0, 0, 1, 1 },
      { 0, 0, 1, 1 } })
    same(ma.cross({ 1, 2, 3 }, { 4, 5, 6 }), ma.array { -3, 6, -3 })
    same(ma.cross({ 1, 2 }, { 4, 5, 6 }), ma.array { 12, -6, -3 })
    assert(ma.cross({ 1, 2 }, { 3, 4 }):item() == -2)
    same(ma.vecdot(x, x), ma.sum(x * x, 2))
  end)

  it("tensordot", function()
    local a, b = random { 2, 3, 4 }, random { 3, 4, 5 }
    same(ma.tensordot(a, b), ma.einsum("ijk,jkl->il", a, b))
    same(ma.tensordot(a, b, { { 3, 2 }, { 2, 1 } }), ma.tensordot(a, b))
    same(ma.tensordot({ 1, 2 }, { 3, 4 }, 0), ma.outer({ 1, 2 }, { 3, 4 }))
  end)

  it("multi_dot, matrix_power", function()
    same(ma.linalg.multi_dot { x, y, z }, sums(sums(x, y), z))
    local v = random { 3 }
    same(ma.linalg.multi_dot { v, x, y, z }, sums(v["_, :"], sums(sums(x, y), z))[1])
    same(ma.linalg.matrix_power(ma.array { { 1, 1 }, { 1, 0 } }, 10), ma.array { { 89, 55 }, { 55, 34 } })
    same(ma.linalg.matrix_power(ma.ones { 3, 2, 2 }, 0), ma.broadcast_to(ma.eye(2), { 3, 2, 2 }))
  end)

  it("einsum of known subscripts, which are not read again, as of the same with a blank", function()
    local extents, blank = { 2, 3, 1, 4 }, ""
    for _ = 1, 200 do
      local text = ({ "ij,ij->i", "ij,jk->ki", "ij,kj->ik", "ij,ij->", "i,j->ji", "ijk,kl->jli", "ij,ik->kji", "ij,j",
        "ij,jk->i" })[math.random(9)]
      local operands, extent = {}, {}
      for part in text:gsub("%->.*", ""):gmatch("%a+") do
        local shape = {}
        for c in part:gmatch("%a") do
          extent[c] = extent[c] or extents[math.random(4)]
          shape[#shape + 1] = math.random(9) == 1 and 1 or extent[c]
        end
        operands[#operands + 1] = random(shape, math.random(4) == 1 and "float32" or "float64")
      end
      blank = blank .. " "
      local wanted, result = ma.einsum(text .. blank, unpack(operands)), ma.einsum(text, unpack(operands))
      assert.equal(wanted.dtype, result.dtype)
      same(result, wanted)
    end
    assert(not pcall(ma.einsum, "ij,jk->ki", ma.ones { 2, 3 }, ma.ones { 2, 3 }))
    assert(not pcall(ma.einsum, "ij,jk->ki", ma.ones { 2, 3 }, ma.ones(3)))
  end)

  it("einsum", function()
    same(ma.einsum("ij,jk->ik", x, y), sums(x, y))
    same(ma.einsum("ij,jk", x, y), sums(x, y))
    same(ma.einsum("ab,bc,cd->da", x, y, z), sums(sums(x, y), z):transpose())
    same(ma.einsum("ab,bc,cd->da", x, y, z, { optimize = false }), sums(sums(x, y), z):transpose())
    same(ma.einsum("ij->ji", x), x:transpose())
    same(ma.einsum("ba", x), x:transpose())
    same(ma.einsum("ij->", x), x:sum())
    same(ma.einsum("ij->j", x), x:sum(1))
    same(ma.einsum("ii", ma.arange(9):reshape(3, 3)), ma.array(12, "int64"))
    same(ma.einsum("ii->i", ma.arange(9):reshape(3, 3)), ma.array({ 0, 4, 8 }, "int64"))
    same(ma.einsum("i,i->i", { 1, 2, 3 }, { 4, 5, 6 }), ma.array { 4, 10, 18 })
    same(ma.einsum("i,j->ij", { 1, 2 }, { 3, 4 }), ma.outer({ 1, 2 }, { 3, 4 }))
    local a, b = random { 2, 3, 4 }, random { 2, 4, 5 }
    same(ma.einsum("bij,bjk->bik", a, b), sums(a, b))
    same(ma.einsum("...ij,...jk->...ik", a, b[1]), sums(a, b[1]["_, :, :"]))
    same(ma.einsum("...ij->...ji", a), a:swapaxes(2, 3))
    same(ma.einsum("bij,kb->ik", a, random({ 6, 2 }):fill(1)), ma.broadcast_to(a:sum({ 1, 3 })[":, _"], { 3, 6 }))
    same(ma.einsum("ijk,ilm,njm,nlk->", a, random({ 2, 3, 4 }):fill(1), random({ 2, 3, 4 }):fill(1),
      random({ 2, 3, 4 }):fill(1)), a:sum() * (3 * 4 * 2))
    local out = ma.empty { 3, 5 }
    assert(ma.einsum("ij,jk->ik", x, y, { out = out }) == out)
    same(out, sums(x, y))
  end)
end)

describe("products", function()
  it("are NumPy's, in values, shapes and dtypes", function() run "product" end)

  it("contracts the pair first that takes the fewest multiplications", function()
    local pool = ma.get_default_memory_pool()
    local p, q, v = ma.ones { 400, 20 }, ma.ones { 20, 400 }, ma.ones(400)
    local function most(options)
      collectgarbage()
      collectgarbage()
      pool:reset_peak()
      local before = pool:used_bytes()
      local result = ma.einsum("ij,jk,k->i", p, q, v, options):eval()
      assert.equal(8000, result[400])
      return pool:peak_bytes() - before
    end
    -- q v first, p of its result next: no matrix is made
    assert(most({ optimize = true }) < 100 * 1024)
    assert(most({ optimize = false }) >= 400 * 400 * 8)
  end)

  it("rounds what einsum makes of several halves once, at the end", function()
    for _, dtype in ipairs { "float16", "bfloat16" } do
      -- 1 + e + e^2 rounds down to 1 + e on its way, and 300 * 300 is beyond float16's range.
      local e = dtype == "float16" and 2 ^ -10 or 2 ^ -7
      local a, big, half = ma.full(3, 1 + e, dtype), ma.full(3, 300, dtype), ma.full(3, 0.5, dtype)
      local want = (ma.full(3, (300 * 300) * 0.5, "float64")):astype(dtype)
      helper.identical(want, ma.einsum("i,i,i->i", big, big, half), dtype .. " of three operands")
      local exact = ma.full(3, ((1 + e) * (1 + e)) ^ 2, "float64"):astype(dtype)
      helper.identical(exact, ma.einsum("i,i,i,i->i", a, a, a, a), dtype .. " of four")
    end
  end)
end)
