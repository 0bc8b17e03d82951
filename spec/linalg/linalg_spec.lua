-- ma.linalg: golden values from NumPy, residuals of every factorisation over sizes, dtypes and layouts, batches,
-- failures.

local helper = require "spec.helper"
local ma, linalg = helper.ma, helper.ma.linalg

-- A GPU without cuSOLVER, or a machine without LAPACK, has nothing to test.
local works, why = pcall(linalg.svd, ma.ones({ 2, 2 }))
local test = works and it or function(name) pending(name .. ": " .. tostring(why)) end

local solves, why_none = pcall(linalg.inv, ma.eye(2))
local test_solve = solves and it or function(name) pending(name .. ": " .. tostring(why_none)) end

-- cuSOLVER has eigenvalues of general matrices from CUDA 12.6 on.
local has_eig, why_not = pcall(linalg.eig, ma.ones({ 2, 2 }))
local test_eig = has_eig and test or function(name) pending(name .. ": " .. tostring(why_not)) end

local random = helper.random(77)
local dtypes = { "float32", "float64", "complex64", "complex128" }
local eps = { float32 = 2 ^ -23, float64 = 2 ^ -52, complex64 = 2 ^ -23, complex128 = 2 ^ -52 }

local function complex(dtype) return dtype:find("complex") ~= nil end

--- Uniform in -1 .. 1 by a hash of the position, so that no large table is needed.
local function noise(shape, dtype)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  local function draw()
    local x = ma.sin(ma.arange(n, { dtype = "float64" }) * 12.9898 + random() * 1000) * 43758.5453
    return ((x - ma.floor(x)) * 2 - 1):reshape(shape)
  end
  if not complex(dtype) then return draw():astype(dtype) end
  return (draw() + draw() * ma.complex(0, 1)):astype(dtype)
end

local function T(a) return a:swapaxes(-1, -2) end
local function H(a) return ma.conjugate(T(a)) end
local function size_of(a) return a.size == 0 and 0 or ma.absolute(a):max():item() end

--- |got - wanted| against eps * extent * scale of what was computed with.
local function close(got, wanted, dtype, scale, what)
  wanted = ma.asarray(wanted, { device = got.device })
  assert.are.same(wanted.shape, got.shape, what)
  if got.size == 0 then return end
  local extent = math.max(1, unpack(got.shape))
  local limit = 30 * eps[dtype] * extent * (scale or math.max(size_of(wanted), 1))
  local distance = size_of(got - wanted)
  assert.is_true(distance <= limit, ("%s: off by %g; at most %g"):format(what or "", distance, limit))
end

local function eye(n, dtype) return ma.eye(n, { dtype = dtype }) end

--- Matrices of a shape in several layouts.
local function layouts(shape, dtype)
  local a = noise(shape, dtype)
  local wide = { unpack(shape) }
  wide[#wide] = wide[#wide] * 2
  local spread = ma.empty(wide, { dtype = dtype })
  local every = spread["..., ::2"]
  if every.size > 0 then every:assign(a) end
  return { c = a, fortran = T(T(a):copy()), strided = every, reversed = a.size > 0 and a["..., ::-1, :"] or a }
end

local function each_input(shapes, f)
  for _, dtype in ipairs(dtypes) do
    for _, shape in ipairs(shapes) do
      for layout, a in pairs(layouts(shape, dtype)) do
        if (a.size < 70000 or (layout == "fortran" and (helper.long or not complex(dtype))))
          and not (helper.thin and layout == "strided") then
          ma.scope(function() f(a, dtype, ("%s %s %s"):format(dtype, table.concat(shape, "x"), layout)) end)
        end
      end
    end
  end
end

local squares = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 17, 17 }, { 64, 64 }, { 300, 300 }, { 2, 3, 5, 5 }, { 0, 3, 3 },
  { 4, 0, 0 }, { 40, 9, 9 } }
local oblongs = { { 3, 0 }, { 0, 3 }, { 7, 3 }, { 3, 7 }, { 65, 17 }, { 17, 65 }, { 2, 6, 4 }, { 2, 4, 6 }, { 1, 5 } }
local all = { unpack(squares) }
for _, shape in ipairs(oblongs) do all[#all + 1] = shape end

local function extents(a) local shape = a.shape return shape[#shape - 1], shape[#shape] end

local function check_svd(a, dtype, what)
  local m, n = extents(a)
  local k = math.min(m, n)
  local u, s, vh = linalg.svd(a, { full_matrices = false })
  assert.are.equal(complex(dtype) and dtype or dtype, u.dtype)
  close(ma.matmul(u * s["..., _, :"], vh), a, dtype, math.max(k, 1), what)
  close(ma.matmul(H(u), u), eye(k, dtype):broadcast_to(ma.matmul(H(u), u).shape), dtype, 1, what)
  close(ma.matmul(vh, H(vh)), eye(k, dtype):broadcast_to(ma.matmul(vh, H(vh)).shape), dtype, 1, what)
  local fu, fs, fv = linalg.svd(a)
  close(fs, s, dtype, math.max(size_of(s), 1), what)
  close(ma.matmul(H(fu), fu), eye(m, dtype):broadcast_to(fu.shape), dtype, 1, what)
  close(ma.matmul(fv, H(fv)), eye(n, dtype):broadcast_to(fv.shape), dtype, 1, what)
  close(linalg.svdvals(a), s, dtype, math.max(size_of(s), 1), what)
end

local checked = has_eig and { "svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals" }
  or { "svd", "svdvals", "eigh", "eigvalsh" }

describe("linalg:", function()
  test("golden values", function()
    local input = {}
    local function read(fields, from)
      local shape, values = {}, {}
      for extent in fields[from]:gmatch("%d+") do shape[#shape + 1] = tonumber(extent) end
      for k = from + 2, #fields do
        values[#values + 1] = tonumber(fields[k]) or (fields[k]:find("inf") and math.huge) or 0 / 0
      end
      local is_complex = fields[from + 1] == "complex"
      if #values == 0 then return ma.zeros(shape) end
      local a = ma.array(values)
      if is_complex then a = a["::2"] + a["2::2"] * ma.complex(0, 1) end
      return a:reshape(shape)
    end
    local cache = {}
    for _, fields in ipairs(helper.golden("linalg")) do
      if fields[1] == "in" then
        input[fields[2]] = read(fields, 3)
      else
        local id, call, k = fields[2], fields[3], tonumber(fields[4])
        local key = id .. call
        if not cache[key] then
          local f = assert(loadstring("local linalg, a, b = ... return linalg." .. call))
          cache = { [key] = { f(linalg, input[id], input[id .. ".b"]) } }
        end
        local got, wanted = cache[key][k], read(fields, 5)
        assert.are.same(wanted.shape, got.shape, key)
        local tolerance = (id == "hilbert" or id == "wilk") and 1e-5 or 1e-11
        local scale = wanted.size > 0 and ma.where(ma.isfinite(wanted), ma.absolute(wanted), 0):max():item() or 1
        -- The least singular value of a singular matrix is noise, and what is divided by it.
        if not (id == "singular" and (key:find("cond") or key:find("-2", 1, true))) then
          assert.is_true(ma.allclose(got, wanted,
            { rtol = tolerance, atol = math.max(scale, 1e-3) * (id == "singular" and 1e-13 or 1e-12) }),
            ("%s: %s, not %s"):format(key, tostring(got), tostring(wanted)))
        end
      end
    end
  end)

  test("svd", function()
    each_input(all, check_svd)
    each_input({ { 3, 40, 33 }, { 2, 2, 33, 50 }, { 2, 100, 60 } }, check_svd)
  end)

  test("svd of batches with matrices that are singular, or of one value", function()
    for _, dtype in ipairs(dtypes) do
      for _, shape in ipairs { { 45, 36 }, { 36, 45 }, { 40, 40 } } do
        local a = noise({ 5, unpack(shape) }, dtype)
        a["1"], a["2"] = 0, 3
        a["3, 4:-1, :"] = a["3, 1:1, :"]
        a["4, :, 2:3"] = 0
        check_svd(a, dtype, dtype .. " singular")
        check_svd(a * 1e-15, dtype, dtype .. " singular and small")
      end
    end
  end)

  test("factorisations of matrices that are nearly or wholly singular, or badly scaled", function()
    for _, dtype in ipairs(dtypes) do
      local n = 40
      local row = ma.range(1, n)
      local low = ma.matmul(noise({ n, 3 }, dtype), noise({ 3, n }, dtype))
      local graded = noise({ n, n }, dtype) * ma.exp2(row * -0.4):astype(eps[dtype] < 1e-10 and "float64" or "float32")
      local inputs = { hilbert = (1 / (row[":, _"] + row - 1)):astype(dtype), low = low, graded = graded,
        zero = low * 0,
        ones = ma.ones({ n, n }, dtype) }
      for name, a in pairs(inputs) do
        local what = dtype .. " " .. name
        check_svd(a, dtype, what)
        local q, r = linalg.qr(a)
        close(ma.matmul(q, r), a, dtype, 4, what)
        close(ma.matmul(H(q), q), eye(n, dtype), dtype, 1, what)
        local h = a + H(a)
        local w, v = linalg.eigh(h)
        close(ma.matmul(h, v), v * w["_, :"], dtype, 4, what)
        close(ma.matmul(H(v), v), eye(n, dtype), dtype, 1, what)
        local p, l, u = linalg.lu(a)
        close(ma.matmul(p, ma.matmul(l, u)), a, dtype, 4, what)
      end
      assert.are.equal(3, tonumber(linalg.matrix_rank(low):item()))
      assert.are.equal(0, tonumber(linalg.matrix_rank(low * 0):item()))
    end
  end)

  test("svd of Hermitian matrices by their eigenvalues", function()
    each_input({ { 1, 1 }, { 17, 17 }, { 3, 5, 5 }, { 0, 0 } }, function(a, dtype, what)
      local h = a + H(a)
      local u, s, vh = linalg.svd(h, { hermitian = true })
      close(ma.matmul(u * s["..., _, :"], vh), h, dtype, 8, what)
      close(s, linalg.svdvals(h), dtype, 8, what)
    end)
  end)

  test("qr", function()
    each_input(all, function(a, dtype, what)
      local m, n = extents(a)
      local k = math.min(m, n)
      local q, r = linalg.qr(a)
      close(ma.matmul(q, r), a, dtype, math.max(k, 1), what)
      close(ma.matmul(H(q), q), eye(k, dtype):broadcast_to(ma.matmul(H(q), q).shape), dtype, 1, what)
      close(ma.triu(r), r, dtype, 0, what)
      close(linalg.qr(a, "r"), r, dtype, math.max(m, 1), what)
      q, r = linalg.qr(a, "complete")
      close(ma.matmul(q, r), a, dtype, math.max(k, 1), what)
      close(ma.matmul(H(q), q), eye(m, dtype):broadcast_to(q.shape), dtype, 1, what)
      local h, tau = linalg.qr(a, "raw")
      assert.are.equal(n, (extents(h)))
      assert.are.equal(k, tau.shape[tau.ndim])
    end)
  end)

  test("cholesky", function()
    each_input(squares, function(a, dtype, what)
      local n = extents(a)
      local positive = ma.matmul(a, H(a)) + eye(n, dtype)
      local l = linalg.cholesky(positive)
      close(ma.matmul(l, H(l)), positive, dtype, nil, what)
      close(ma.tril(l), l, dtype, 0, what)
      local u = linalg.cholesky(ma.triu(positive), { upper = true })
      close(ma.matmul(H(u), u), positive, dtype, nil, what)
      close(ma.triu(u), u, dtype, 0, what)
      close(linalg.cholesky(ma.tril(positive)), l, dtype, 0, what)
    end)
  end)

  test("cholesky of few rows and of many alike", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local n = 24
      local rows = ma.arange(n * n) * 37 % 101 / 101
      local positive = (ma.matmul(rows:reshape(n, n), rows:reshape(n, n).T) + ma.eye(n) * 3):astype(dtype)
      local whole = linalg.cholesky(positive)
      for k = 1, n do                                  -- the factor of a leading block is the factor's
        local block = { { 1, k }, { 1, k } }
        close(linalg.cholesky(positive[block]), whole[block], dtype, nil, dtype .. k)
      end
      local other = positive:copy()
      other[{ 5, 5 }] = -1
      assert(not pcall(linalg.cholesky, other[{ { 1, 6 }, { 1, 6 } }]))
      other[{ 5, 5 }] = ma.nan
      assert(not pcall(linalg.cholesky, other[{ { 1, 6 }, { 1, 6 } }]))
      assert(not pcall(linalg.cholesky, other))
      assert(not pcall(linalg.cholesky, other:astype("complex128")))
      close(linalg.cholesky(other[{ { 1, 4 }, { 1, 4 } }]), whole[{ { 1, 4 }, { 1, 4 } }], dtype, nil, dtype)
    end
  end)

  test("eigh and eigvalsh", function()
    each_input(squares, function(a, dtype, what)
      local n = extents(a)
      local h = a + H(a)
      for _, uplo in ipairs { "L", "U" } do
        local w, v = linalg.eigh(uplo == "L" and ma.tril(h) or ma.triu(h), uplo)
        close(ma.matmul(h, v), v * w["..., _, :"], dtype, math.max(n, 1), what)
        close(ma.matmul(H(v), v), eye(n, dtype):broadcast_to(v.shape), dtype, 1, what)
        close(linalg.eigvalsh(h, uplo), w, dtype, math.max(n, 1), what)
      end
    end)
  end)

  test_eig("eig and eigvals", function()
    each_input({ { 0, 0 }, { 1, 1 }, { 2, 2 }, { 17, 17 }, { 64, 64 }, { 2, 3, 5, 5 }, { 30, 8, 8 } },
      function(a, dtype, what)
      local n = extents(a)
      local w, v = linalg.eig(a)
      local wider = (dtype == "float32" or dtype == "complex64") and "complex64" or "complex128"
      assert.are.equal(wider, w.dtype)
      assert.are.equal(wider, v.dtype)
      close(ma.matmul(a:astype(wider), v), v * w["..., _, :"], dtype, 4 * math.max(n, 1), what)
      local trace = ma.diagonal(a, 0, -2, -1):sum(-1)
      close(linalg.eigvals(a):sum(-1), trace:astype(wider), dtype, 20 * math.max(n, 1), what)
    end)
  end)

  test("lu, lu_factor, lu_solve", function()
    each_input(all, function(a, dtype, what)
      local m, n = extents(a)
      local p, l, u = linalg.lu(a)
      close(ma.matmul(p, ma.matmul(l, u)), a, dtype, math.max(m, n), what)
      close(ma.triu(u), u, dtype, 0, what)
      local pl, u2 = linalg.lu(a, { permute_l = true })
      close(ma.matmul(pl, u2), a, dtype, math.max(m, n), what)
      if m ~= n or a.size == 0 then return end
      local b = noise({ m, 3 }, dtype)
      local lu, piv = linalg.lu_factor(a)
      assert.are.equal("int64", piv.dtype)
      local scale = 100 * m * size_of(linalg.inv(a))
      close(ma.matmul(a, linalg.lu_solve({ lu, piv }, b)), b:broadcast_to(ma.matmul(a, b).shape), dtype, scale, what)
      close(ma.matmul(T(a), linalg.lu_solve({ lu, piv }, b, "T")), b:broadcast_to(ma.matmul(a, b).shape), dtype, scale,
        what)
      close(ma.matmul(H(a), linalg.lu_solve({ lu, piv }, b, 2)), b:broadcast_to(ma.matmul(a, b).shape), dtype, scale,
        what)
    end)
    local places, l, u = linalg.lu(ma.array { { 0, 1 }, { 2, 3 } }, { p_indices = true })
    assert.are.same({ 2, 1 }, places:totable())
    assert.are.same({ { 1, 0 }, { 0, 1 } }, l:totable())
    assert.are.same({ { 2, 3 }, { 0, 1 } }, u:totable())
    assert.are.same({ { 1, 2 }, { 0.5, 0 } },
      { { l:get()(1, 1), 2 }, { 0.5, linalg.lu(ma.zeros { 2, 2 }):sum():item() - 2 } })
  end)

  test("solve, inv, solve_triangular", function()
    each_input(squares, function(a, dtype, what)
      local n = extents(a)
      local good = a + eye(n, dtype) * n
      local b = noise({ n, 3 }, dtype)
      close(ma.matmul(good, linalg.solve(good, b)), b:broadcast_to(ma.matmul(good, b).shape), dtype, 8, what)
      close(ma.matmul(good, linalg.inv(good)), eye(n, dtype):broadcast_to(good.shape), dtype, 8, what)
      local v = noise({ n }, dtype)
      close(linalg.solve(good, v), linalg.solve(good, v[":, _"])["..., 1"], dtype, 8, what)
      for _, lower in ipairs { true, false } do
        local triangle = lower and ma.tril(good) or ma.triu(good)
        for trans, op in pairs { N = function(x) return x end, T = T, C = H } do
          local x = linalg.solve_triangular(good, b, { lower = lower, trans = trans })
          close(ma.matmul(op(triangle), x), b:broadcast_to(ma.matmul(good, b).shape), dtype, 8, what .. trans)
        end
      end
    end)
    local a = ma.array { { 5, 3 }, { 0, 7 } }
    assert.are.same({ -5, 2 }, linalg.solve_triangular(a, ma.array { 1, 2 }, { unit_diagonal = true }):totable())
  end)

  -- On a GPU by a kernel of our own, which needs no library: rows of its powers of two and between, right sides of its
  -- pieces and between.
  test_solve("small systems", function()
    local function home(x) return x:to("cpu") end
    local function product(x, y) return ma.matmul(home(x), home(y)) end
    for _, dtype in ipairs(dtypes) do
      for _, n in ipairs { 1, 3, 4, 8, 13, 16, 17, 32 } do
        for _, right in ipairs(n == 13 and { 1, 4, 7 } or { 3 }) do
          local what = ("%s %d, %d right sides"):format(dtype, n, right)
          local a, b = noise({ 9, n, n }, dtype), noise({ 9, n, right }, dtype)
          for layout, x in pairs { c = a, fortran = T(T(a):copy()), reversed = a["::-1, ::-1, :"] } do
            local got = linalg.solve(x, b)
            local scale = 8 * (1 + size_of(got)) * n
            close(product(x, got), home(b), dtype, scale, what .. layout)
          end
          close(product(a, linalg.inv(a)), home(eye(n, dtype)):broadcast_to(a.shape), dtype,
            8 * (1 + size_of(linalg.inv(a))) * n, what)
        end
      end
      local exchanged = eye(32, dtype)["::-1"]                     -- every pivot is elsewhere
      assert.is_true(ma.array_equal(linalg.solve(exchanged, eye(32, dtype)), exchanged))
      local a, b = noise({ 2, 3, 5, 5 }, dtype), noise({ 5, 1 }, dtype)
      close(product(a, linalg.solve(a, b)), home(b):broadcast_to { 2, 3, 5, 1 }, dtype,
        100 * (1 + size_of(linalg.solve(a, b))))
    end
    local bad = ma.zeros { 40, 6, 6 }
    bad[{}] = eye(6)
    bad["31, 4, 4"] = 0
    local ok, message = pcall(linalg.inv, bad)
    assert.is_false(ok)
    assert.is_truthy(message:find("matrix 31 of the batch is singular", 1, true), message)
    local x = linalg.inv(bad, { check = false })
    assert.are.equal(36, ma.isnan(x):sum():item())
    assert.is_true(ma.isnan(x["31"]):all())
    bad["31, 4, 4"], bad["7, 2, 3"] = 2, ma.nan
    assert.is_true(ma.array_equal(ma.isnan(linalg.solve(bad, ma.ones(6))):max(2), ma.range(1, 40):eq(7)))
  end)

  test("batches broadcast over each other", function()
    for _, dtype in ipairs(dtypes) do
      local a = noise({ 4, 1, 3, 3 }, dtype) + eye(3, dtype) * 3
      local b = noise({ 5, 3, 2 }, dtype)
      local x = linalg.solve(a, b)
      assert.are.same({ 4, 5, 3, 2 }, x.shape)
      close(ma.matmul(a, x), b:broadcast_to { 4, 5, 3, 2 }, dtype, 8)
      x = linalg.solve(a[{ 1, 1 }], b)
      assert.are.same({ 5, 3, 2 }, x.shape)
      close(ma.matmul(a[{ 1, 1 }], x), b, dtype, 8)
      x = linalg.solve_triangular(a, b)
      close(ma.matmul(ma.triu(a), x), b:broadcast_to { 4, 5, 3, 2 }, dtype, 8)
      x = linalg.lu_solve({ linalg.lu_factor(a) }, b)
      close(ma.matmul(a, x), b:broadcast_to { 4, 5, 3, 2 }, dtype, 8)
      assert.are.same({ 4, 1 }, linalg.det(a).shape)
    end
  end)

  -- A few matrices are factored one by one, more of them in vectors of one element of each.
  test("a matrix has the same bits alone and in a batch", function()
    if helper.device ~= "cpu" then return pending("libraries of a GPU choose by the batch") end
    local function bits(a) return a:copy():tobytes() end
    for _, dtype in ipairs { "float32", "float64" } do
      for n = 1, 32 do
        local a, b = noise({ n, n }, dtype), noise({ n, 1 + n * 3 % 40 }, dtype)
        if n % 5 == 0 then a = ma.round(a * 2) + ma.eye(n, { dtype = dtype }) * 0.5 end     -- equal pivots
        if n % 3 == 0 then a = a.T end
        local many, right = ma.stack({ a, a, a, a, a }), ma.stack({ b, b, b, b, b })
        assert.equal(bits(linalg.solve(a, b)), bits(linalg.solve(many, right)[4]))
        assert.equal(bits(linalg.inv(a)), bits(linalg.inv(many)[5]))
        assert.equal(linalg.det(a):item(), linalg.det(many)(1))
      end
    end
  end)

  test("det and slogdet of batches", function()
    each_input({ { 0, 0 }, { 1, 1 }, { 6, 4, 4 }, { 0, 2, 2 } }, function(a, dtype, what)
      local sign, log = linalg.slogdet(a)
      local det = linalg.det(a)
      close((sign * ma.exp(log)):astype(dtype), det, dtype, 1, what)
    end)
    assert.are.equal(1, linalg.det(ma.zeros { 0, 0 }):item())
    assert.are.equal(0, linalg.det(ma.zeros { 3, 3 }):item())
    assert.are.same({ 0, -math.huge }, { ma.item(linalg.slogdet(ma.zeros { 3, 3 })) })
  end)

  test("pinv, lstsq, matrix_rank of batches and of less than full rank", function()
    each_input({ { 5, 3 }, { 3, 5 }, { 2, 9, 3 }, { 2, 3, 9 }, { 20, 20 }, { 0, 3 }, { 3, 0 } },
      function(a, dtype, what)
      local m = extents(a)
      local p = linalg.pinv(a)
      close(ma.matmul(a, ma.matmul(p, a)), a, dtype, 40 * math.max(size_of(p), 1), what)
      local b = noise({ m, 2 }, dtype)
      local x, _, rank = linalg.lstsq(a, b)
      close(ma.matmul(H(a), ma.matmul(a, x) - b), ma.zeros_like(ma.matmul(H(a), ma.matmul(a, x))), dtype,
        40 * math.max(size_of(p), 1), what)
      assert.are.same(linalg.matrix_rank(a):totable(), rank:totable())
    end)
    local low = ma.matmul(noise({ 8, 2 }, "float64"), noise({ 2, 6 }, "float64"))
    assert.are.equal(2, tonumber(linalg.matrix_rank(low):item()))
    local _, residuals, rank = linalg.lstsq(low, ma.ones { 8 })
    assert.are.same({ 0 }, residuals.shape)
    assert.are.equal(2, tonumber(rank:item()))
    local u, s, vh = linalg.svd(low, false)
    close(ma.matmul(u * s["_, :"], vh), low, "float64", 8)
  end)

  test("expm of batches", function()
    each_input({ { 1, 1 }, { 17, 17 }, { 3, 4, 4 }, { 0, 0 } }, function(a, dtype, what)
      local n = extents(a)
      local e = ma.matmul(linalg.expm(a * 3), linalg.expm(a * -3))
      close(e, eye(n, dtype):broadcast_to(e.shape), dtype, size_of(linalg.expm(a * 3)) * size_of(linalg.expm(a * -3))
        + 1, what)
    end)
  end)

  test("tensorsolve and tensorinv", function()
    local a = noise({ 2, 3, 6 }, "float64")
    local b = noise({ 2, 3 }, "float64")
    local x = linalg.tensorsolve(a, b)
    close(ma.matmul(a:reshape { 6, 6 }, x:reshape { 6 }), b:reshape { 6 }, "float64", 1000)
    local i = linalg.tensorinv(a, 2)
    assert.are.same({ 6, 2, 3 }, i.shape)
    close(ma.matmul(a:reshape { 6, 6 }, i:reshape { 6, 6 }), eye(6, "float64"), "float64", 1000)
  end)

  -- Each left over by cuSOLVER's reduction shrinks by eps until its square underflows: from some 16 rows on the vectors
  -- were not orthonormal.
  test("eigenvectors of matrices of ones", function()
    for _, dtype in ipairs(dtypes) do
      for n = 1, 64, helper.thin and 13 or 1 do
        ma.scope(function()
          local a = ma.ones({ n, n }, dtype)
          local w, v = linalg.eigh(a)
          close(ma.matmul(a, v), v * w["_, :"], dtype, n, dtype .. n)
          close(ma.matmul(H(v), v), eye(n, dtype), dtype, 1, dtype .. n)
        end)
      end
      local many = ma.ones({ 3, 40, 40 }, dtype)
      many["2"] = eye(40, dtype)
      local w, v = linalg.eigh(many)
      close(ma.matmul(many, v), v * w["..., _, :"], dtype, 40, dtype)
      close(ma.matmul(H(v), v), eye(40, dtype):broadcast_to(v.shape), dtype, 1, dtype)
    end
  end)

  test("eigh of batches of small matrices, more than one call of a library takes", function()
    for _, dtype in ipairs(dtypes) do
      for n, count in pairs { [2] = 70001, [3] = 5, [16] = 301, [17] = 7, [32] = 61, [33] = 3 } do
        ma.scope(function()
          local a = noise({ count, n, n }, dtype)
          local h = a + H(a)
          h["2"] = ma.ones({ n, n }, dtype)
          local w, v = linalg.eigh(h)
          close(ma.matmul(h, v), v * w["..., _, :"], dtype, 40, dtype .. n)
          close(ma.matmul(H(v), v), eye(n, dtype):broadcast_to(v.shape), dtype, 1, dtype .. n)
          assert(ma.greater_equal(ma.diff(w, 1, 2), 0):all(), dtype .. n .. ": not ascending")
          close(linalg.eigvalsh(h), w, dtype, 40, dtype .. n)
        end)
      end
    end
  end)

  test("a thousand rows", function()
    local n = 1000
    for _, dtype in ipairs(helper.long and dtypes or { "float64" }) do
      ma.scope(function()
        local a = noise({ n, n }, dtype)
        local good, h, positive = a + eye(n, dtype) * 40, a + H(a), ma.matmul(a, H(a)) + eye(n, dtype)
        close(ma.matmul(good, linalg.solve(good, a)), a, dtype, 8, dtype .. " solve")
        close(ma.matmul(good, linalg.inv(good)), eye(n, dtype), dtype, 8, dtype .. " inv")
        local q, r = linalg.qr(a)
        close(ma.matmul(q, r), a, dtype, 40, dtype .. " qr")
        close(ma.matmul(H(q), q), eye(n, dtype), dtype, 1, dtype .. " q")
        local l = linalg.cholesky(positive)
        close(ma.matmul(l, H(l)), positive, dtype, nil, dtype .. " cholesky")
        local w, v = linalg.eigh(h)
        close(ma.matmul(h, v), v * w["_, :"], dtype, 40, dtype .. " eigh")
        close(ma.matmul(H(v), v), eye(n, dtype), dtype, 1, dtype .. " eigh's vectors")
        close(linalg.eigvalsh(h), w, dtype, 40, dtype .. " eigvalsh")
        local u, s, vh = linalg.svd(a, false)
        close(ma.matmul(u * s["_, :"], vh), a, dtype, 40, dtype .. " svd")
        close(ma.matmul(H(u), u), eye(n, dtype), dtype, 1, dtype .. " u")
        close(ma.matmul(vh, H(vh)), eye(n, dtype), dtype, 1, dtype .. " vh")
        close(linalg.svdvals(a), s, dtype, 40, dtype .. " svdvals")
        local p, lower, upper = linalg.lu(a)
        close(ma.matmul(p, ma.matmul(lower, upper)), a, dtype, 40, dtype .. " lu")
        if has_eig and helper.long then
          local wide = complex(dtype) and dtype or (dtype == "float32" and "complex64" or "complex128")
          local values, vectors = linalg.eig(a)
          close(ma.matmul(a:astype(wide), vectors), vectors * values["_, :"], dtype, 40, dtype .. " eig")
        end
      end)
    end
  end)

  test("dtypes", function()
    for _, dtype in ipairs { "bool", "int32", "uint8", "int64" } do
      assert.are.equal("float64", linalg.inv(ma.eye(3, { dtype = dtype })).dtype)
    end
    for _, dtype in ipairs { "float16", "bfloat16" } do
      assert.are.equal("float32", linalg.inv(ma.eye(3, { dtype = dtype })).dtype)
    end
    assert.are.equal("complex64", linalg.solve(ma.eye(2, { dtype = "complex64" }), ma.ones({ 2 }, "float32")).dtype)
    assert.are.equal("float64", linalg.solve(ma.eye(2, { dtype = "float32" }), ma.ones({ 2 }, "float64")).dtype)
    assert.are.equal("float32", linalg.svdvals(ma.ones({ 2, 2 }, "complex64")).dtype)
  end)

  local function raises(text, f, ...)
    local arguments = { ... }
    local ok, message = pcall(function() return f(unpack(arguments)) end)
    assert.is_false(ok)
    assert.is_truthy(tostring(message):find(text, 1, true), tostring(message))
  end

  test("what failed", function()
    local good = ma.eye(2)
    local bad = ma.stack { good, good, good * 0 }
    raises("moonarray.linalg.solve: the matrix is singular", linalg.solve, good * 0, good)
    raises("moonarray.linalg.solve: matrix 3 of the batch is singular", linalg.solve, bad, good)
    raises("moonarray.linalg.inv: matrix 3 of the batch is singular", linalg.inv, bad)
    raises("moonarray.linalg.solve_triangular: matrix 3 of the batch is singular", linalg.solve_triangular, bad, good)
    local many = ma.eye(2):broadcast_to({ 5000, 2, 2 }):copy()
    assert(linalg.inv(many):eq(many):all())
    many["4321"] = 0
    raises("moonarray.linalg.inv: matrix 4321 of the batch is singular", linalg.inv, many)
    raises("moonarray.linalg.cholesky: matrix 3 of the batch is not positive definite", linalg.cholesky, bad)
    raises("moonarray.linalg.cholesky: the matrix is not positive definite", linalg.cholesky, good * -1)
    raises("square", linalg.det, ma.ones { 2, 3 })
    raises("moonarray.linalg.svd: a is a float64 array (3,); wanted a matrix", linalg.svd, ma.ones(3))
    raises("as many rows", linalg.solve, good, ma.ones(3))
    raises("UPLO", linalg.eigh, good, "X")
    raises("mode", linalg.qr, good, "full")
    raises("moonarray.linalg.svd: full_matrices is the number 0; wanted true or false", linalg.svd, good, 0)
    raises("moonarray.linalg.solve: check is the number 0; wanted true or false", linalg.solve, good, good,
      { check = 0 })
    raises("moonarray.linalg.cross: vectors of 2 elements", linalg.cross, ma.ones(2), ma.ones(2))
    raises("moonarray.linalg.outer: a float64 array (2, 2); wanted vectors", linalg.outer, good, good)
    raises("moonarray.linalg.matrix_power: the matrix is singular", linalg.matrix_power, good * 0, -1)
    for _, value in ipairs { 0 / 0, math.huge } do
      for _, name in ipairs(checked) do
        raises("moonarray.linalg." .. name .. ": matrix 2 of the batch has elements that are not finite", linalg[name],
          ma.stack { good, ma.full({ 2, 2 }, value) })
      end
    end
  end)

  test("no factorisation is recorded into a graph, and work goes on behind the error", function()
    local a = ma.eye(3) * 2
    raises("graph", ma.cuda.graph, function() return linalg.eigh(a) end)
    close(linalg.inv(a), ma.eye(3) / 2, "float64", 1)
  end)

  test("NaN in place of an error", function()
    local good = ma.eye(2)
    local bad, unchecked = ma.stack { good, good * 0, good }, { check = false }
    local function only_second(x)
      assert.are.same({ false, true, false }, ma.isnan(x:reshape { 3, x.size / 3 }):max(2):totable())
    end
    only_second(linalg.solve(bad, good, unchecked))
    only_second(linalg.inv(bad, unchecked))
    only_second(linalg.solve_triangular(bad, good, unchecked))
    only_second(linalg.cholesky(bad, unchecked))
    for _, l in ipairs { linalg.cholesky(bad, unchecked), linalg.cholesky(good * 0, unchecked),
        (linalg.cho_factor(bad, true, unchecked)) } do
      assert.is_false(ma.isnan(ma.triu(l, 1)):any())
    end
    only_second(linalg.cholesky(bad, { upper = true, check = false })[":, 1, 1"])
    bad = ma.stack { good, good / 0, good }
    for _, name in ipairs(checked) do
      for _, result in ipairs { linalg[name](bad, unchecked) } do only_second(ma.absolute(result)) end
    end
    assert.are.equal(math.huge, linalg.cond(good * 0, 1):item())
  end)
end)
