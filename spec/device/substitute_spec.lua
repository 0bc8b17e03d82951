-- What a GPU does without a kernel, where NVRTC is not: single operations, the CPU, or an error. On the pretended GPU,
-- with bundles that lack an entry.

local file = require "spec.file"
local gpu = require "spec.pretend.gpu"
local ma = require("spec.helper").ma
local record = require "spec.pretend.record"

local LUA = os.getenv("LUAJIT") or "luajit"
local folder
local function path(name) return folder .. "/" .. name end

--- What a program prints on a device, and what it prints to stderr. NVRTC is there only if `variables` say so.
local function run(program, variables, device)
  file.write(path("program.lua"), [[
    local ma = require "moonarray"
    local function show(...)
      for _, value in ipairs { ... } do
        local text = type(value) == "number" and ("%.17g"):format(value) or tostring(value)
        io.write((text:gsub(", cuda:0", ""):gsub(", cpu", "")), " ")
      end
      print()
    end
    local function try(fn, ...) print(select(2, pcall(fn, ...))) end
    local a = ma.array({ 3, 1, 2, 5, 4, 0 }, { dtype = "float32" })
  ]] .. program)
  os.execute(("rm -rf '%s'"):format(path("cache")))
  local text = file.output(("env %s MOONARRAY_DEVICE=%s MOONARRAY_CACHE_DIR='%s' MOONARRAY_NVRTC=0 %s timeout 300 "
    .. "'%s' '%s' 2>'%s'"):format(gpu.libraries, device or "cuda", path("cache"), variables or "", LUA,
    path("program.lua"), path("stderr")))
  return text, file.read(path("stderr"))
end

--- Builds a bundle of what a program asks for, but for texts of these families.
local function bundle(program, left_out)
  os.execute(("rm -f '%s'"):format(path("all.rec")))
  run(program, ("MOONARRAY_NVRTC=1 MOONARRAY_BUNDLE='record:%s'"):format(path("all.rec")))
  local kept, n = record.without(file.read(path("all.rec")), left_out)
  file.write(path("some.rec"), kept)
  assert(next(left_out) == nil or n > 0, "nothing was left out")
  local built = run(("print('failed', #ma.bundle.build(%q, %q, { targets = { 99 }, ptx = false }).failed)")
    :format(path("some.rec"), path("some.mab")), "MOONARRAY_NVRTC=1")
  assert(built:find("failed\t0\n"), built)
  return ("MOONARRAY_BUNDLE='%s'"):format(path("some.mab"))
end

local function count(text, pattern) return select(2, text:gsub(pattern, "")) end

describe("a kernel that a GPU lacks", function()
  if ma.cuda.is_available() or not gpu.is_built() then return pending("is seen on the pretended GPU") end

  setup(function() folder = file.output("mktemp -d"):gsub("\n", "") end)
  teardown(function() os.execute(("rm -r '%s'"):format(folder)) end)

  local WHY = " is compiled for compute capability 9%.9, and NVRTC is turned off by MOONARRAY_NVRTC=0; where it is, "
    .. "record it: MOONARRAY_BUNDLE=record:FILE"

  it("is the CPU's, with one warning an operation and dtype", function()
    local program = [[
      local b = a:copy()
      b:sort()
      show(ma.sort(a * 2 + 1), b, ma.sort(a:astype("int32")))
      show(a:sort(), (a * 2 + 1):sqrt())
    ]]
    local variables = bundle(program, { sort_rows = true })
    local text, warnings = run(program, variables)
    assert.equal(run(program, nil, "cpu"), text)
    assert.matches("^moonarray: [^\n]*program%.lua:%d+: sort of float32 runs on the CPU: no kernel sort_rows" .. WHY
      .. "\nmoonarray: [^\n]*program%.lua:%d+: sort of int32 runs on the CPU: no kernel sort_rows" .. WHY .. "\n$",
      warnings)
  end)

  -- Each kind of argument and result: given ones, views, masks, lists, options, no array at all.
  local EVERYTHING = [[
    local m = ma.arange(12, { dtype = "float64" }):reshape(3, 4)
    local c, d, z = a:copy(), m:copy(), ma.zeros({ 3, 4 })
    c[c:gt(2)] = 9
    d.T:sort(1)
    z[":,2"] = 5
    z[{ 2 }] = ma.arange(4)
    ma.sort(m, { axis = 1, out = nil })
    show(c, d, z, a[ma.array({ 1, 3 }, { dtype = "int32" })], a[a:gt(2)], ma.where(a:gt(2), a, 0))
    show(a:sum(), (a * a):sum(), m.T:sum(1), m:mean(2), a:std(), a:argmax(), m:cumsum(2), m:gt(3):any(1))
    show(ma.concatenate { a, a }, ma.arange(5), ma.linspace(0, 1, 5), ma.eye(2), ma.unique(a), ma.median(a))
    show(ma.histogram(a, 3))
    show(ma.searchsorted(ma.sort(a), a), m:dot(m.T), ma.einsum("ij,kj->ik", m, m), ma.modf(m / 8))
    ma.random.seed(3)
    show(ma.random.normal(0, 1, 5), ma.random.permutation(6), ma.random.integers(1, 9, 4))
    local out = ma.zeros { 6 }
    ma.cumsum(a, { out = out })
    ma.add.at(out, ma.array({ 1, 1, 2 }, { dtype = "int32" }), 1)
    show(out, ma.add.reduceat(a, ma.array({ 1, 3 }, { dtype = "int64" })), ma.sparse.csr_array(m):dot(ma.ones(4)))
    local sparse = ma.sparse.csr_array(m * m:gt(4))
    show(sparse:sum(1), sparse:sum(2), sparse.T:dot(ma.ones(3)), sparse.T:dot(ma.ones(3)), sparse:max(1))
    show(ma.linalg.solve(ma.array { { 2, 1 }, { 1, 3 } }, ma.array { 1, 2 }))
    local spread = { ma.zeros { 4, 2 } }
    ma.modf(ma.array { 1.5, 2.25, 3, 4.75 }, { out = { spread[1][":,1"], spread[1][":,2"] } })
    show(spread[1], ma.ndimage.gaussian_filter(m, 1), ma.signal.convolve(a, a))
    show(ma.fuse(function(x, y) return x * y + x:sqrt() end)(a, a))
    show(ma.stencil(function(u) return u(-1) + u(1) - 2 * u(0) end)(a))
    show(ma.random.normal(0, 1, 3, { device = ma.device() }):sum())
  ]]

  it("is the CPU's for all kinds of calls, with its bits", function()
    local text, warnings = run(EVERYTHING)
    assert.equal(run(EVERYTHING, nil, "cpu"), text, warnings)
    assert(count(warnings, " runs on the CPU: no kernel ") > 40, warnings)
    assert.equal(0, count(warnings, "traceback"), warnings)
  end)

  -- Calls whose arrays lie in tables of their arguments, and calls that have none.
  it("is the CPU's while a function is differentiated", function()
    local program = [[
      local x = ma.array({ { 0.5, 1 }, { 2, 4 } }, { dtype = "float64" })
      local A = ma.sparse.csr_matrix(x)
      show(ma.grad(function(v)
        local places = ma.array({ 2, 1 }, { dtype = "int32" })
        local drawn = ma.random.default_rng(1):permutation(2):astype("float64")
        return (A * v):sum() + (v * ma.sort(x, 1)):sum() + (v[places] * drawn):sum()
      end)(ma.array({ 1, 2 }, { dtype = "float64" })))
    ]]
    local text, warnings = run(program)
    assert.equal(run(program, nil, "cpu"), text, warnings)
    assert.matches(": sparse_expand of %w+ runs on the CPU: no kernel csr_expand" .. WHY .. "\n", warnings)
  end)

  it("is counted, for specs", function()
    local text = run [[
      local core = require "moonarray.core"
      a:copy()
      local before = core.stand_ins()
      ma.sort(a)
      print(core.stand_ins() - before)
    ]]
    assert.equal("1\n", text)
  end)

  it("runs a fused expression as single operations, with the same bits", function()
    local singles = [[
      ma.set_fusion(false)
      local r, x, y = a / 7, a:sqrt(), a * a
      show(y + x, (a - r), ma.maximum(a, r):sum(), y:sum(), a:sum(), a[{ 1, 2 }] + a[{ 2, 3 }], -a, a:mean())
      local u, v = ma.array({ 1, 2, 3 }, { dtype = "float32" }), 2 * a
      show(u + u, v - 1)
    ]]
    local fused = [[
      local f = ma.fuse(function(x, y) return x * y + x:sqrt() end)
      local g = ma.fuse(function(x) return (x * x):sum() end)
      show(f(a, a), (a * a + a:sqrt()), g(a), (a * a):sum(), (a - a / 7):copy())
    ]]
    local text, warnings = run(fused, bundle(singles, {}))
    assert.equal("", warnings)
    assert.equal(run(fused, nil, "cpu"), text)
  end)

  -- More operations than a program has, numbers that are drawn, fields of structs.
  local OTHER_FORMS = [[
    local function long(x)
      local s = x
      for k = 1, 140 do s = x - s * 0.5 end
      return s
    end
    local texts = { ma.fuse(long), ma.vectorize(long), ma.stencil(function(u) return long(u(0)) end) }
    for _, f in ipairs(texts) do show(f(a)) end
    local ffi = require "ffi"
    ffi.cdef "typedef struct { float x, y; int32_t n; } substitute_unit;"
    local units = ma.zeros(6, ma.struct("substitute_unit"))
    units.x, units.n = a, a:astype("int32")
    show(ma.fuse(function(u) return u.x * 2 + u.n end)(units))
    show(ma.stencil(function(u) return u.x(-1) + u.n(1) end, { boundary = "wrap" })(units))
    ma.random.seed(7)
    show(ma.fuse(function(x) return x + math.random() end)(a))
    local out = ma.zeros({ 6, 2 }, { dtype = "float32" })
    show(ma.stencil(function(u) return u(1) - math.random() end)(a, { out = out[":,2"] }), out)
  ]]

  it("gives way to another form of a function of elements, or to the CPU", function()
    local text, warnings = run(OTHER_FORMS)
    assert.equal(run(OTHER_FORMS, nil, "cpu"), text, warnings)
    assert.matches("program%.lua:%d+: stencil of float32 runs on the CPU: no kernel stencil" .. WHY .. "\n", warnings)
  end)

  it("is an error if it is the user's own and the entry that a bundle lacks", function()
    local program = [[
      local k = ma.RawKernel('extern "C" __global__ void grow(float *x) { x[0] += 1; }', "grow")
      local plus = ma.ElementwiseKernel("T x", "T y", "y = x + 3", "plus_three")
      try(function() k({ 1 }, { 1 }, { a }) end)
      show(plus(a))
    ]]
    local text, warnings = run(program, bundle(program, { grow = true }))
    assert.matches("^[^\n]*program%.lua:%d+: moonarray%.RawKernel: no kernel grow" .. WHY
      .. "\n%[6%. 4%. 5%. 8%. 7%. 3%.%]\n", text)
    assert.equal("", warnings)
  end)

  it("is an error if it is the user's own, which names it and its line", function()
    local program = [[
      local k = ma.RawKernel('extern "C" __global__ void grow(float *x) { x[0] += 1; }', "grow")
      try(function()
        k({ 1 }, { 1 }, { a })
      end)
      local plus = ma.ElementwiseKernel("T x", "T y", "y = x + 3", "plus_three")
      try(function()
        local y = plus(a)
        return y
      end)
      show(a)
    ]]
    local text, warnings = run(program)
    local at = "%f[^/]program%.lua:%d+: moonarray%."
    assert.matches("^" .. ".-" .. at .. "RawKernel: no kernel grow" .. WHY .. "\n.-" .. at
      .. "plus_three: no kernel plus_three" .. WHY .. "\n", text)
    assert.equal("", warnings)
  end)

  it("is an error while a graph is recorded and where nobody may wait, and later is the CPU's", function()
    local text = run [[
      local y = a * 2
      ma.allow_synchronize(false)
      try(ma.sort, a)
      try(function() ma.eval(y) end)
      ma.allow_synchronize(true)
      show(y)
      try(ma.cuda.graph, function() return ma.sort(a) end)
      show(ma.sort(a))
    ]]
    local sort = "[^\n]*sort: no kernel sort_rows" .. WHY .. "; the CPU cannot stand in "
    local waits = "where allow_synchronize%(false%) holds\n"
    assert.matches("^" .. sort .. waits .. "[^\n]*: no kernel map" .. WHY .. "; the CPU cannot stand in " .. waits
      .. "%[ 6%.[^\n]*\n[^\n]*\n" .. sort .. "while a graph is recorded\n%[0%. 1%.", text)
  end)

  it("is sought once, and again when a bundle has come", function()
    local program = [[
      local b = a + 1
      local function all()
        show(ma.sort(a), a + b, (a + b) * a - b, a:reshape(2, 3):sum(2))
        require("moonarray.core").background(true)
      end
      for _ = 1, 3 do all() end                            -- fusion learns, and memory that is free is used again
      io.stderr:write("again\n")
      for _ = 1, 5 do all() end
      if os.getenv("LATER") then ma.bundle.load(os.getenv("LATER")) all() end
    ]]
    local later = bundle(program, {}):gsub("MOONARRAY_BUNDLE", "LATER")
    local text, shown = run(program, "MOONARRAY_DEBUG=3")
    assert.equal(run(program, nil, "cpu"), text)
    local first, others = shown:match("^(.*)\nagain\n(.*)$")
    assert(first:find("moonarray: source of sort_rows:", 1, true), first)
    for source in others:gmatch("moonarray: source of [%w_]+:\n(.-)\nmoonarray:") do
      assert(select(2, others:gsub(source:gsub("%p", "%%%0"), "")) < 3, source)
    end
    text, shown = run(program, "MOONARRAY_TRACE=jit " .. later)
    assert(count(text, "\n") > 0 and shown:find("again\n", 1, true), shown)
    shown = shown:match("\nagain\n(.*)")
    for _, family in ipairs { "sort_rows", "map", "rows" } do
      assert(shown:find("moonarray jit: " .. family .. ": from the bundle", 1, true), shown)
    end
  end)

  it("raises the error of what waits for it once, and each time that its values are read", function()
    local text = run([[
      local y, z, event = a * 2, a + a, ma.Event()
      ma.allow_synchronize(false)
      for _ = 1, 2 do print(pcall(event.record, event)) end
      for _ = 1, 2 do try(function() ma.eval(y) end) end
      print((pcall(ma.eval, z)))
      local w = y + 1
      for _ = 1, 2 do print(pcall(event.record, event)) end
      ma.allow_synchronize(true)
      print(pcall(event.record, event))
      show(y, z, w)
    ]], bundle("ma.set_fusion(false) show(a + a, a + 1)", {}))
    local fails = "[^\n]*no kernel map" .. WHY .. "; the CPU cannot stand in where allow_synchronize%(false%) holds\n"
    assert.matches("^false\t" .. fails .. "true[^\n]*\n" .. fails .. fails .. "true\nfalse\t" .. fails
      .. "true[^\n]*\ntrue[^\n]*\n%[ 6%. [^\n]*\n[^\n]*%[ 6%. [^\n]*\n[^\n]*%[ 7%. ", text)
  end)

  it("is the CPU's where a library is missing, and a generator of cuRAND is an error", function()
    os.execute(("mkdir -p '%s/lib'"):format(folder))
    for _, name in ipairs { "libcublasLt.so.12", "libcublas.so.12", "libcusolver.so.11", "libcufft.so.11",
      "libcurand.so.10" } do
      file.write(path("lib/" .. name), "")
    end
    local program = [[
      show(ma.fft.fft(a), ma.linalg.svd(ma.array { { 2, 1 }, { 1, 3 } }), ma.linalg.cholesky(ma.eye(2) * 4))
      local x = ma.ones { 40, 40 }
      show(x:dot(x):sum())
    ]]
    local text, warnings = run(program, ("CUDA_PATH='%s'"):format(folder))
    assert.equal(run(program, nil, "cpu"), text, warnings)
    local draw = "local g = ma.random.default_rng(1, { bit_generator = 'xorwow' }) try(function() g:random(3) end)"
    assert.matches("^[^\n]*program%.lua:%d+: [^\n]*cuRAND[^\n]*\n$", (run(draw, ("CUDA_PATH='%s'"):format(folder))))
    assert.matches("a Fourier transform of %w+ runs on the CPU: no kernel fourier is compiled", warnings)
    assert.matches("linalg%.svd of %w+ runs on the CPU: cu", warnings)
  end)
end)
