-- The base set: what make kernels compiles before anyone needs it (docs/bundles.md). Each entry is a call, and what it
-- asks for on a GPU is in the set. Operations and reductions come from kernels/*.def, so a new row is in the set by
-- itself. The forms are those that programs have most often.
--
--   list.each(ma, core, visit, set)   calls visit(kind, name, fn) for each entry of a set, "base" or "floor", or of
--                                     "forms", what the base set has beside: further forms of operations and
--                                     reductions, the most frequent first; fn makes and settles one result
--   list.exceptions                   the operations that are left out of both sets: name = why
--   list.floor_exceptions             those that only the floor set leaves out

local files = require "scripts.files"

-- All dtypes of arithmetic in their order, and the few in which rarer forms and larger kernels come.
local ALL = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
  "float32", "float64", "complex64", "complex128" }
local COMMON = { "bool", "uint8", "int32", "int64", "float32", "float64" }
local NUMBERS = { "int32", "int64", "float32", "float64" }
local FLOATS = { "float32", "float64" }

local LENGTH, ROWS, COLUMNS = 1000, 400, 500
local MANY = 2 ^ 20                        -- no longer few for a sort (SORT_FEW of src/tuning.def)
local LARGE = 8388608                   -- elements of a large array (MAP_GROUPS in src/tuning.def)
local ARITHMETIC = { "add", "subtract", "multiply", "divide" }

-- The kernel of a reduction depends on how many elements there are, and in what shape.
local LENGTHS = { 10, 32, 64, 100, 256, 500, 4096, 10000, 65536, 100000, 1000000 }
local SHAPES = { { 10, 20 }, { 64, 64 }, { 100, 100 }, { 1000, 1000 }, { 2000, 2000 }, { 100000, 3 }, { 100000, 10 },
  { 3, 100000 }, { 10, 20, 30 }, { 32, 64, 64 } }

local exceptions = {}
for name in ([[bdtr bdtrc bdtri betainc betaincc betaincinv binom btdtr btdtri chdtr chdtrc chdtri fdtr fdtrc fdtri
  gammainc gammaincc gammainccinv gammaincinv gdtr gdtrc nbdtr nbdtrc nbdtri pdtr pdtrc pdtri poch stdtr
  yn]]):gmatch("%w+") do
  exceptions[name] = "a function of distributions, incomplete or inverse: 60 to 140 kB, and rare"
end
local COMPLEX = "it computes in complex numbers"
local floor_exceptions = { faddeeva = COMPLEX, lambertw_branch = COMPLEX }

--- The rows OP and SPECIAL of a file: {name, operands}, where operands are the dtypes: T, REAL or one of ops.def's.
local function operations_of(path)
  local rows = {}
  for _, name, operands in files.read(path):gmatch("\n(%u+)%(([%w_]+),%s*%d,%s*%(([^)]*)%)") do
    local row = { name = name, operands = {} }
    for operand in operands:gmatch("[%w_]+") do row.operands[#row.operands + 1] = operand end
    rows[#rows + 1] = row
  end
  return rows
end

local function reductions()
  local names = {}
  for name in files.read("kernels/reduce/reduce.def"):gmatch("\nREDUCE%(([%w_]+)") do names[#names + 1] = name end
  return names
end

local COMPARISONS = { equal = true, not_equal = true, less = true, less_equal = true, greater = true,
  greater_equal = true }
local REAL_OF = { complex64 = "float32", complex128 = "float64" }

local function each(ma, core, visit, set)
  -- A general form is one for all layouts, so the floor set takes each operation once for each dtype.
  local is_floor = set == "floor"
  local dtypes_of_all = is_floor and COMMON or ALL

  local function settle(a)
    if core.is_array(a) then ma.asnumpy(a) end
  end

  --- Arrays of zeros of one shape, by dtype.
  local function zeros(dtypes, ...)
    local arrays = {}
    for _, dtype in ipairs(dtypes) do arrays[dtype] = ma.zeros(select("#", ...) > 1 and { ... } or ..., dtype) end
    return arrays
  end

  -- Operands of operations: those at the first place, the second and so on. A kernel whose operands are one array is
  -- another one.
  local function operands(dtypes, ...)
    local list = {}
    for k = 1, 4 do list[k] = zeros(dtypes, ...) end
    return list
  end
  local several, tables = operands(ALL, LENGTH), operands(FLOATS, ROWS, COLUMNS)
  local rows, columns, numbers = operands(FLOATS, COLUMNS), operands(FLOATS, ROWS, 1), { 2, 3, 4, 5 }
  local vectors, matrices = several[1], zeros(ALL, ROWS, COLUMNS)
  local twice = { vectors, vectors, vectors, vectors }

  --- The operands of a row in a loop dtype.
  local function operands_of(row, dtype, first, others)
    local list = {}
    for k, operand in ipairs(row.operands) do
      local from = (k == 1 and first or others)[k]
      local own = operand == "T" and dtype or operand == "REAL" and (REAL_OF[dtype] or dtype) or operand:lower()
      list[k] = type(from) == "number" and from or from[own] or vectors[own]
    end
    return list
  end

  local function operation(row, dtypes, first, others)
    local apply = core.operation(row.name)
    for _, dtype in ipairs(dtypes) do
      visit("operation", row.name, function()
        settle(apply(nil, nil, nil, unpack(operands_of(row, dtype, first, others))))
      end)
    end
  end

  --- Forms of arithmetic: operands of two dtypes, parts that do not begin at 16 bytes or have steps,
  --- transposed operands, outer products.
  local function arithmetic()
    for _, name in ipairs(ARITHMETIC) do
      local apply = ma[name]
      for _, dtype in ipairs(FLOATS) do
        local a, b = several[1][dtype], several[2][dtype]
        visit("operation", name, function() settle(apply(a["::2"], 2)) end)
        visit("operation", name, function() settle(apply(a["2:"], b[":-2"])) end)
        visit("operation", name, function() settle(apply(a["2:"], b["2:"])) end)
        visit("operation", name, function() settle(apply(a["::2"], b["::2"])) end)
        visit("operation", name, function() settle(apply(tables[1][dtype].T, tables[2][dtype].T:copy())) end)
        visit("operation", name, function() settle(apply(columns[1][dtype], rows[2][dtype])) end)
        for _, other in ipairs(NUMBERS) do
          visit("operation", name, function() settle(apply(several[2][other], a)) end)
          visit("operation", name, function() settle(apply(a, several[2][other])) end)
        end
      end
    end
  end

  --- Results that are narrower than their operands have another kernel where the arrays are large.
  local function large(row)
    local apply = core.operation(row.name)
    for _, dtype in ipairs(FLOATS) do
      local a, b = zeros({ dtype }, LARGE)[dtype], zeros({ dtype }, LARGE)[dtype]
      visit("operation", row.name, function() return apply(nil, nil, nil, a, b)(1) end)
      visit("operation", row.name, function() return apply(nil, nil, nil, a, 2)(1) end)
    end
  end

  local function operations()
    for _, row in ipairs(operations_of("kernels/ops.def")) do operation(row, dtypes_of_all, several, several) end
    for _, row in ipairs(operations_of("kernels/special.def")) do
      if not exceptions[row.name] and not (is_floor and floor_exceptions[row.name]) then
        operation(row, FLOATS, several, several)
      end
    end
  end

  local function casts()
    for _, from in ipairs(dtypes_of_all) do
      for _, to in ipairs(dtypes_of_all) do
        if not (REAL_OF[from] and not REAL_OF[to]) then
          visit("cast", from .. " to " .. to, function() settle(vectors[from]:astype(to)) end)
        end
      end
    end
  end

  --- Reductions of more lengths and shapes, in the dtypes that have most of them.
  local function sizes()
    for _, name in ipairs { "sum", "mean", "max", "min" } do
      for _, dtype in ipairs(FLOATS) do
        for _, n in ipairs(LENGTHS) do
          visit("reduction", name, function() settle(ma[name](ma.zeros(n, dtype))) end)
        end
        for _, shape in ipairs(SHAPES) do
          for axis = 1, #shape do
            visit("reduction", name, function() settle(ma[name](ma.zeros(shape, dtype), axis)) end)
          end
        end
      end
    end
  end

  --- Reductions of all elements, many and few, and of each axis; running ones of a vector and of each axis.
  local function folds()
    for _, name in ipairs(reductions()) do
      local ufunc = type(ma[name]) == "userdata" and ma[name]
      local reduce = ufunc and ufunc.reduce or ma[name]
      for _, dtype in ipairs(COMMON) do
        local wide = matrices[dtype]
        for _, axis in ipairs { 1, 2 } do
          visit("reduction", name, function() settle(reduce(wide, axis)) end)
        end
        visit("reduction", name, function() settle(reduce(wide:ravel(), 1)) end)
        visit("reduction", name, function() settle(reduce(vectors[dtype], 1)) end)
      end
    end
    for _, dtype in ipairs(is_floor and {} or FLOATS) do
      local a, b = several[1][dtype], several[2][dtype]
      visit("reduction", "norm", function() settle(ma.linalg.norm(a)) end)
      visit("reduction", "allclose", function() return ma.allclose(a, b) end)
    end
    for _, name in ipairs { "cumsum", "cumprod" } do
      for _, dtype in ipairs(is_floor and COMMON or NUMBERS) do
        visit("scan", name, function() settle(ma[name](vectors[dtype])) end)
        visit("scan", name, function() settle(ma[name](matrices[dtype]:ravel())) end)
        for _, axis in ipairs { 1, 2 } do
          visit("scan", name, function() settle(ma[name](matrices[dtype], axis)) end)
        end
      end
    end
    for _, name in ipairs { "maximum", "minimum", "logical_or", "logical_and" } do
      for _, dtype in ipairs(is_floor and COMMON or FLOATS) do
        visit("scan", name, function() settle(ma[name].accumulate(matrices[dtype]:ravel())) end)
      end
    end
  end

  --- What takes the place of a stencil while it is compiled: borders by picked positions, and arithmetic of parts of a
  --- matrix.
  local function borders()
    for _, dtype in ipairs(FLOATS) do
      local m, wide = tables[1][dtype], ma.zeros({ ROWS + 2, COLUMNS + 2 }, dtype)
      for _, mode in ipairs { "wrap", "edge", "reflect", "symmetric", "constant" } do
        visit("move", "pad", function() settle(ma.pad(m, { { 1, 1 }, { 1, 1 } }, mode)) end)
      end
      local here, there = wide["2:-2, 3:"], wide["3:, 2:-2"]
      for _, name in ipairs(ARITHMETIC) do
        local apply = ma[name]
        for _, pair in ipairs { { here, there }, { here, 2 }, { 2, here }, { m, here }, { here, m } } do
          visit("operation", name, function() settle(apply(pair[1], pair[2])) end)
        end
      end
    end
  end

  --- Operations with a number, a row or a column, arithmetic, reductions, and operations on one array twice.
  local function forms()
    local several_operands = {}
    for _, row in ipairs(operations_of("kernels/ops.def")) do
      if #row.operands > 1 then several_operands[#several_operands + 1] = row end
    end
    local function all(visit_row)
      for _, row in ipairs(several_operands) do visit_row(row) end
    end
    all(function(row) operation(row, COMMON, several, numbers) end)
    all(function(row) operation(row, FLOATS, numbers, several) end)
    all(function(row)
      operation(row, FLOATS, tables, rows)
      operation(row, FLOATS, tables, columns)
    end)
    arithmetic()
    borders()
    sizes()
    all(function(row) operation(row, COMMON, several, twice) end)
    all(function(row) if COMPARISONS[row.name] then large(row) end end)
  end

  local function sorts()
    for _, dtype in ipairs(is_floor and COMMON or NUMBERS) do
      local v, long = vectors[dtype], matrices[dtype]:ravel()
      for _, name in ipairs { "sort", "argsort" } do
        visit("order", name, function() settle(ma[name](v)) end)
        visit("order", name, function() settle(ma[name](long)) end)
        visit("order", name, function() settle(ma[name](ma.zeros(MANY, dtype))) end)
        visit("order", name, function() settle(ma[name](matrices[dtype], 2)) end)
      end
    end
  end

  local function orders()
    for _, dtype in ipairs(NUMBERS) do
      local v, long = vectors[dtype], matrices[dtype]:ravel()
      visit("order", "searchsorted", function() settle(ma.searchsorted(v, v)) end)
      visit("order", "unique", function() settle(ma.unique(v)) end)
      visit("order", "histogram", function() settle((ma.histogram(long, 10))) end)
      visit("order", "median", function() settle(ma.median(v)) end)
      visit("order", "percentile", function() settle(ma.percentile(v, 50)) end)
      visit("order", "interp", function() settle(ma.interp(v, v, several[2][dtype])) end)
    end
    visit("order", "bincount", function() settle(ma.bincount(vectors.int64)) end)
  end

  --- Arrays that begin with their elements.
  local function sequences()
    for _, dtype in ipairs(dtypes_of_all) do
      visit("creation", "full", function() settle(ma.full(LENGTH, 3, dtype)) end)
      if dtype ~= "bool" then visit("creation", "arange", function() settle(ma.arange(1, 10, 1, dtype)) end) end
    end
    for _, dtype in ipairs(FLOATS) do
      visit("creation", "linspace", function() settle(ma.linspace(0, 1, 50, { dtype = dtype })) end)
      visit("creation", "meshgrid", function() settle((ma.meshgrid(several[1][dtype], several[2][dtype]))) end)
      visit("creation", "eye", function() settle(ma.eye(50, { dtype = dtype })) end)
    end
  end

  local function draws()
    local generator = ma.random.default_rng(1)
    for _, name in ipairs { "random", "standard_normal", "standard_exponential" } do
      for _, dtype in ipairs(FLOATS) do
        visit("draw", name, function() settle(generator[name](generator, LENGTH, dtype)) end)
      end
    end
    for _, name in ipairs { "normal", "uniform", "laplace", "logistic", "gumbel" } do
      visit("draw", name, function() settle(ma.random[name](0.5, 1, LENGTH)) end)
    end
    local scales = ma.full(LENGTH, 3)
    local scaled = is_floor and { "poisson" } or { "poisson", "exponential", "laplace", "logistic", "gumbel" }
    for _, name in ipairs(scaled) do
      visit("draw", name, function() settle(ma.random[name](scales)) end)
    end
    visit("draw", "rand", function() settle(ma.random.rand(LENGTH)) end)
    visit("draw", "randn", function() settle(ma.random.randn(LENGTH)) end)
    visit("draw", "randint", function() settle(ma.random.randint(1, 7, LENGTH)) end)
    visit("draw", "integers", function() settle(ma.random.integers(1, 7, LENGTH)) end)
    visit("draw", "poisson", function() settle(ma.random.poisson(3, LENGTH)) end)
    visit("draw", "permutation", function() settle(ma.random.permutation(LENGTH)) end)
    visit("draw", "choice", function() settle(ma.random.choice(LENGTH, 10)) end)
  end

  --- Single elements and few of them, as Lua reads them.
  local function reads()
    for _, dtype in ipairs(COMMON) do
      visit("pick", "element", function() return vectors[dtype][1] end)
      visit("pick", "element", function() return matrices[dtype](1, 2) end)
    end
  end

  --- Elements that are picked and put, and pieces that are joined and moved.
  local function picks()
    local places = ma.index({ 1, 2, 3 })
    for _, dtype in ipairs(COMMON) do
      local v, m = vectors[dtype], matrices[dtype]
      local mask = vectors.bool
      visit("pick", "take", function() settle(ma.take(v, places)) end)
      visit("pick", "take", function() settle(ma.take(m, places, 1)) end)
      visit("pick", "take", function() settle(ma.take(m, places, 2)) end)
      visit("pick", "index", function() settle(v[places]) end)
      visit("pick", "mask", function() settle(v[mask]) end)
      visit("pick", "where", function() settle(ma.where(mask, v, 0)) end)
      visit("pick", "nonzero", function() settle((ma.nonzero(v))) end)
      visit("pick", "put", function() v[places] = 0 settle(v) end)
      visit("pick", "put", function() v[mask] = 0 settle(v) end)
      visit("pick", "element set", function() v[3] = 1 settle(v) end)
      visit("pick", "add.at", function() ma.add.at(v, places, 1) settle(v) end)
      visit("move", "transpose", function() settle(m.T:copy()) end)
      visit("move", "broadcast", function() settle(ma.broadcast_to(v, { 3, LENGTH }):copy()) end)
      visit("move", "flip", function() settle(ma.flip(v):copy()) end)
      visit("move", "slice", function() settle(m["2:, 2:"]:copy()) end)
      visit("move", "roll", function() settle(ma.roll(v, 3)) end)
      visit("move", "concatenate", function() settle(ma.concatenate({ v, v })) end)
      visit("move", "stack", function() settle(ma.stack({ v, v })) end)
      visit("move", "tile", function() settle(ma.tile(v, 3)) end)
      visit("move", "assign", function() v["2:9"] = 1 settle(v) end)
      visit("move", "assign", function() v["2:5"] = several[2][dtype]["2:5"] settle(v) end)
      visit("move", "assign", function() m["2:9, 2:9"] = m["1:8, 1:8"] settle(m) end)
    end
  end

  --- Products of integers, and those where cuBLAS is not: each size of tiles, with both operands as they are and
  --- transposed. One text serves the integers of a width.
  local function products()
    for _, dtype in ipairs { "float32", "float64", "int32", "int64" } do
      for _, n in ipairs { 10, 500, 2048 } do
        local a, b = ma.zeros({ 2048, n }, dtype), ma.zeros({ n, 2048 }, dtype)
        for _, x in ipairs { b, a.T } do
          for _, y in ipairs { a, b.T } do
            visit("product", "matmul", function() settle(ma.matmul(x, y)) end)
          end
        end
      end
      local m = ma.zeros({ 16, 16 }, dtype)
      visit("product", "matmul", function() settle(ma.matmul(m, m)) end)
    end
  end

  --- Many small systems of equations; in the base set of the most frequent sizes.
  local function systems()
    for _, dtype in ipairs(FLOATS) do
      for _, n in ipairs(is_floor and { 3, 8 } or { 3, 8, 16, 32 }) do
        local a, b = ma.zeros({ 100, n, n }, dtype), ma.zeros({ 100, n, 1 }, dtype)
        visit("product", "linalg.solve", function() settle(ma.linalg.solve(a, b, { check = false })) end)
        visit("product", "linalg.cholesky", function() settle(ma.linalg.cholesky(a, { check = false })) end)
      end
      local most = ma.zeros({ 2, 32, 32 }, dtype)              -- whose kernel serves all sizes
      visit("product", "linalg.cholesky", function() settle(ma.linalg.cholesky(most, { check = false })) end)
    end
  end

  --- Transforms where cuFFT is not: one kernel of each precision.
  local function transforms()
    for _, dtype in ipairs(FLOATS) do visit("transform", "rfft", function() settle(ma.fft.rfft(vectors[dtype])) end) end
  end

  if set == "forms" then return forms() end
  sequences()
  operations()
  casts()
  reads()
  folds()
  sorts()
  orders()
  draws()
  picks()
  products()
  systems()
  transforms()
end

return { each = each, exceptions = exceptions, floor_exceptions = floor_exceptions }
