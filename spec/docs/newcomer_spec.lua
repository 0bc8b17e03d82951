-- Mistakes of newcomers: what people who know NumPy, CuPy, Torch7, LÖVE or plain Lua type first, and the parts that the
-- message must have: the call, what came, what was wanted, what to write.

local helper = require "spec.helper"
local ma = helper.ma

--- Values by name for the lines of code, made anew for each line.
local function values()
  local a = ma.arange(12, "float64"):reshape(3, 4)
  return { ma = ma, a = a, b = ma.ones { 3, 4 }, v = ma.arange(5, "float64"), s = ma.sum(a),
    m = ma.array { { 1, 2 }, { 3, 4 } }, u8 = ma.array({ 1, 2 }, "uint8"), rng = ma.random.default_rng(1) }
end

local function message_of(code)
  local chunk = assert(loadstring("return " .. code, "=user.lua") or loadstring(code, "=user.lua"), code)
  local ok, message = pcall(setfenv(chunk, setmetatable(values(), { __index = _G })))
  assert(not ok, code .. ": no error")
  return tostring(message)
end

--- Each row: code, then the parts that its message has. Many begin with "moonarray.NAME: ".
local function check(rows)
  local failures = helper.failures()
  for _, row in ipairs(rows) do
    failures:run(row[1], function()
      local message = message_of(row[1])
      for k = 2, #row do
        assert(message:find(row[k], 1, true), ("%s\n  gives '%s'\n  without '%s'"):format(row[1], message, row[k]))
      end
    end)
  end
  failures:check()
end

describe("a newcomer who", function()
  it("makes arrays", function()
    check {
      { "ma.zeros(2, 3)", "moonarray.zeros: a shape in several numbers", "wanted one table: ma.zeros({2, 3})" },
      { "ma.zeros(2, 3, 4)", "ma.zeros({2, 3, 4})" },
      { "ma.ones(2, 3, 'float32')", "moonarray.ones: ", "ma.ones({2, 3})" },
      { "ma.empty(2, 3, {dtype = 'float32'})", "moonarray.empty: ", "ma.empty({2, 3})" },
      { "ma.full(2, 3, 7)", "moonarray.full: ", "ma.full({2, 3}, 7)" },
      { "ma.zeros('2,3')", "shape is the string '2,3'", "a table of them such as {2, 3}" },
      { "ma.zeros{2.5, 3}", "shape is 2.5; wanted a whole number" },
      { "ma.zeros{-1, 3}", "extent -1; a shape has no negative extents" },
      { "ma.zeros()", "no argument 'shape'; the call is zeros(shape, dtype?" },
      { "ma.zeros{2, 3, dtype = 'int8'}", "moonarray.zeros: shape has the name 'dtype'; wanted extents alone, and",
        "options in a table behind them: {2, 3}, {dtype = ...}" },
      { "ma.ones{3, device = 'cpu'}", "moonarray.ones: shape has the name 'device'" },
      { "ma.full({2, 3, dtype = 'int8'}, 7)", "moonarray.full: shape has the name 'dtype'" },
      { "ma.full({dtype = 'int8'}, 7)", "moonarray.full: shape has the name 'dtype'" },
      { "ma:zeros(3)", "moonarray.zeros: a call with a colon; wanted a dot: ma.zeros(...)" },
      { "ma:array{1, 2}", "wanted a dot: ma.array(...)" },
      { "ma:arange(5)", "wanted a dot: ma.arange(...)" },
      { "ma.linalg:inv(m)", "wanted a dot: ma.linalg.inv(...)" },
      { "ma.random:rand(3)", "wanted a dot: ma.random.rand(...)" },
      { "ma.array(1, 2, 3)", "moonarray.array: 3 numbers; wanted one table of them: ma.array({1, 2, 3})" },
      { "ma.array{1, 2, {3}}", "a ragged table", "{3} is a table; wanted a number" },
      { "ma.array{{1, 2}, {3}}", "a ragged table: {2} has 1 elements; 2 are wanted" },
      { "ma.array{1, 'a', 3}", "element {2} is the string 'a'; wanted a number" },
      { "ma.array{1, nil, 3}", "a table that has the number 3 as a key; wanted a list without holes" },
      { "ma.array{x = 1}", "a table that has the string 'x' as a key; wanted a list without holes and names" },
      { "ma.array('1 2 3')", "object is the string '1 2 3'; wanted an array, a number or a table" },
      { "ma.array({1, 2, 300}, 'uint8')", "element {3}: the number 300 does not fit uint8" },
      { "ma.zeros(3, 'flaot32')", "no dtype 'flaot32'; did you mean 'float32'?" },
      { "ma.zeros(3, 'byte')", "no dtype 'byte'; did you mean 'uint8'?" },
      { "ma.zeros(3, 'torch.FloatTensor')", "did you mean 'float32'?" },
      { "ma.zeros(3, ma.double)", "no function 'double'; write \"float64\"" },
      { "ma{1, 2, 3}", "a call of the library itself; write ma.array{1, 2, 3}" },
      { "ma.random(3)", "moonarray.random: a call of a table of functions; write moonarray.random.random(...)" },
      { "ma.fft(v)", "write moonarray.fft.fft(...)" },
      { "ma.random.randint(0, 10, 2, 3)", "moonarray.random.randint: size in several numbers", "one table, {2, 3}" },
      { "ma.random.uniform(0, 1, 2, 3)", "moonarray.random.uniform: ", "wanted one table, {2, 3}" },
      { "rng:normal(0, 1, 2, 3)", "moonarray.random.normal: ", "wanted one table, {2, 3}" },
      { "rng.normal(0, 1)", "moonarray.random.normal: a method without its generator; write rng:normal(...)" },
      { "ma.concatenate(a, b)", "a float64 array (3, 4); wanted a table of arrays, {a, b}" },
      { "ma.hstack(a, b)", "moonarray.hstack: 2 arguments; wanted one table of arrays: ma.hstack({a, b})" },
      { "ma.range(5)", "moonarray.range: no argument 'hi'; the call is range(lo, hi, step?" },
    }
  end)

  it("reads and stores elements", function()
    check {
      { "a[{1, 3, 5}]", "moonarray.index: an index for 3 axes; the array has 2", "a[ma.index{1, 3, 5}]" },
      { "v[{1, 3}]", "two positions for one axis; a range is v[{ {1, 3} }]" },
      { "v[{ {1, 3, 5, 7} }]", "{1, 3, 5, 7} as a range", "a[ma.index{1, 3, 5, 7}]" },
      { "v[{ {2} }]", "{2} as a range; both ends are written: {2, -1} to the last, {2, 2} for one" },
      { "v[0]", "position 0 on axis 1; positions there are 1 to 5" },
      { "v[6]", "position 6 on axis 1; positions there are 1 to 5" },
      { "v[1.5]", "position 1.5; positions are whole numbers" },
      { "v['0:3']", "a range that visits position 0 on axis 1; positions there are 1 to 5" },
      { "v['1:10']", "a range that visits position 10" },
      { "v[v == 3]", "got a boolean; write x:eq(0), x:lt(y)" },
      { "v[nil]", "nil as a position; positions are whole numbers" },
      { "a(1)", "a call with 1 position; parentheses read one element, so 2 are wanted" },
      { "a{1, 2}", "a call with a table; in brackets it is a[{1, 2}]" },
      { "a'1:2'", "in brackets it is a[\"1:2\"]" },
      { "a[{'1:2', 1}]", "the string '1:2' in a table; there a range is {lo, hi}" },
      { "a.T()", "an attribute such as a.T is written without parentheses" },
      { "a:T()", "an attribute such as a.T is written without parentheses" },
      { "a:shape()", "moonarray.shape: a call of a shape, which is a table; write a.shape" },
      { "a.shape(1)", "a.shape[1] or local h, w = a:dims()" },
      { "a.shape[0]", "shape[0]; axes count from 1: shape[1] is the first extent" },
      { "a.shape[-1]", "shape[#shape] the last" },
      { "a.shape.rows", "no field 'rows' of a shape", "a:dims()" },
      { "a[1] = 'x'", "the string 'x' to store; wanted a number" },
      { "a[1] = {1, 2, 3}", "shapes (3,) and (4,) do not broadcast" },
      { "a[5] = 1", "position 5 on axis 1; positions there are 1 to 3" },
      { "u8[1] = 300", "the number 300 does not fit uint8" },
      { "a.shape = {4, 3}", "shape cannot be set; write a:reshape(...)" },
      { "a.dtype = 'float32'", "dtype cannot be set; write a:astype(...)" },
      { "for x in a do end", "moonarray.index: an array behind `in`", "a:each()", "a:rows()" },
    }
  end)

  it("computes", function()
    check {
      { "ma.max(1, 2)", "moonarray.max: the number 2 as axis of a number", "ma.maximum(a, b)" },
      { "ma.min(a, b)", "moonarray.min: a float64 array (3, 4) as axis", "ma.minimum(a, b)" },
      { "ma.sum(1, 2)", "moonarray.sum: the number 2 as axis", "several numbers are one table, {1, 2}" },
      { "a < b", "Lua's < and <= see no elements; write a:lt(b)" },
      { "a .. b", "two arrays; .. makes text: write ma.concatenate({a, b})" },
      { "a + '1'", "moonarray.add: b is the string '1'; wanted an array or a number" },
      { "a + nil", "moonarray.add: b is nil; wanted an array or a number" },
      { "a + (a == b)", "b is a boolean; Lua's ==, < and not see no elements" },
      { "a * v", "moonarray.multiply: shapes (3, 4) and (5,) do not broadcast; extents must be equal or 1" },
      { "a:matmul(b)", "shapes (3, 4) and (3, 4)", "(4 and 3 here)" },
      { "u8 + 300", "the number 300 does not fit uint8; use a wider dtype" },
      { "a.sum()", "moonarray.sum: nothing in place of the array; write a:sum()" },
      { "a.sum(1)", "the number 1 in place of the array; write a:sum()" },
      { "a:sum(3)", "axis 3" },
      { "a:sum(0)", "axis 0" },
      { "a:sort{descending = 1}", "descending is the number 1; wanted true or false" },
      { "a:sum(1, 2)", "moonarray.sum: axis in several numbers; wanted one table, {1, 2}" },
      { "a:max(1, 2)", "axis in several numbers; wanted one table, {1, 2}" },
      { "a:round(1.5)", "moonarray.round: decimals is the number 1.5; wanted a whole number" },
      { "a:round('up')", "decimals is the string 'up'; wanted a whole number" },
      { "a:item(1, 2)", "12 elements; one is wanted (a[{i, j}] reads one" },
      { "a:copy(b)", "order is a float64 array (3, 4)", "a:assign(b) copies b into a" },
      { "ma.matmul(a, 2)", "b is the number 2; wanted an array (x * y multiplies by a scalar)" },
      { "a:reshape(5, 5)", "shape (3, 4) of 12 elements cannot become (5, 5)" },
      { "ma.linalg.inv(a)", "a is a float64 array (3, 4); wanted square matrices" },
      { "a:sum{axes = 1}", "no option 'axes'; the options are axis" },
    }
  end)

  it("opens files, draws and chooses devices", function()
    check {
      { "ma.save(a, 'x.npy')", "file is a float64 array (3, 4); wanted a path first: ma.save(path, a)" },
      { "ma.load('missing.npy')", "moonarray.load: cannot open 'missing.npy'" },
      { "ma.image.write('x.png', a)", "image is a float64 array (3, 4)", "ma.image.to_rgba8 makes colours of numbers" },
      { "ma.image.to_rgba8(a, 'viridis')", "2 arguments; at most 1", "goes into a table: {colormap = ...}" },
      { "ma.image.to_rgba8(a, {cmap = 'viridis'})", "no option 'cmap'; the options are colormap" },
      { "ma.plot.plot(v)", "write fig = ma.plot.figure(), fig:plot(x, y)" },
      { "ma.plot.figure():savefig('x.png')", "moonarray.plot.Figure: no attribute 'savefig'; write fig:save" },
      { "ma.plot.figure().plot(v, v)", "write fig:plot(...)" },
      { "a:to_device('gpu')", "no device \"gpu\"; devices are \"cpu\", \"cuda\"" },
      { "ma.zeros(3, {device = 'gpu'})", "moonarray.zeros: no device \"gpu\"" },
      { "a:free() return a:sum()", "moonarray.sum: a freed array (freed at user.lua:1)" },
      { "ma.scope(a)", "fn is a float64 array (3, 4); wanted a function" },
    }
  end)

  it("looks for what other libraries have", function()
    check {
      { "ma.read_csv('x.csv')", "no function 'read_csv'; write ma.genfromtxt(path, " },
      { "ma.backward(s)", "no function 'backward'; write ma.value_and_grad(fn)(x)" },
      { "ma.hessian(print)", "no function 'hessian'; write ma.jacobian(ma.grad(fn))(x)" },
      { "ma.optimize.minimize(print)", "no function 'optimize'; write ma.optim.lbfgs(x), or ma.optim.adam(x)" },
      { "ma.integrate.quad(print)", "no function 'integrate'; write ma.trapezoid(y, x)" },
      { "ma.odeint(print)", "no function 'odeint'; write a loop of steps, or ma.iterate(n, step, ...)" },
      { "ma.softmax(v)", "no function 'softmax'; write ma.special.softmax(a, -1)" },
      { "ma.special.sigmoid(v)", "moonarray.special: no function 'sigmoid'; write ma.special.expit(x)" },
      { "ma.struct(require('ffi').typeof 'struct { float x; }'):zeros(3)",
        "moonarray.struct: no attribute 'zeros'; write ma.zeros(shape, s) of a struct s" },
      { "ma.struct(require('ffi').typeof 'struct { float x; }')(3)",
        "moonarray.struct: a call of a struct dtype; write ma.zeros(shape, s)" },
    }
  end)

  it("types a name that is near", function()
    check {
      { "ma.zeross", "moonarray: no function 'zeross'; did you mean 'zeros'?" },
      { "ma.linalg.slove", "moonarray.linalg: no function 'slove'; did you mean 'solve'?" },
      { "ma.fft.ftt", "moonarray.fft: no function 'ftt'; did you mean 'fft'?" },
      { "ma.jit.rawkernl", "moonarray.jit: no function 'rawkernl'; did you mean 'rawkernel'?" },
      { "ma.image.raed", "moonarray.image: no function 'raed'; did you mean 'read'?" },
      { "ma.cuda.runtime.mallok", "moonarray.cuda.runtime: no function 'mallok'; did you mean 'malloc'?" },
      { "a:reshpae(4, 3)", "moonarray.array: no attribute 'reshpae'; did you mean 'reshape'?" },
      { "ma.Stream():synchronise()", "moonarray.stream: no attribute 'synchronise'; did you mean 'synchronize'?" },
      { "ma.Event().doen", "moonarray.event: no attribute 'doen'; did you mean 'done'?" },
      { "ma.get_default_memory_pool():used()", "moonarray.pool: no method 'used'", "used_bytes" },
      { "ma.inv(m)", "no function 'inv'; write ma.linalg.inv(a)" },
      { "ma.gaussian_filter(a, 2)", "it is ma.ndimage.gaussian_filter" },
      { "ma.ndimage.blur(a)", "moonarray.ndimage: no function 'blur'; write ma.ndimage.gaussian_filter(a, sigma)" },
      { "ma.signal.lowpass(v)", "write ma.signal.sosfilt(ma.signal.butter(4, 0.2" },
      { "ma.linalg.sqrt(m)", "moonarray.linalg: no function 'sqrt'; it is ma.sqrt" },
      { "a:linspace(0, 1)", "it is a function: write ma.linspace(a, ...)" },
    }
  end)

  it("comes from Torch7", function()
    check {
      { "ma.Tensor(2, 3)", "no function 'Tensor'; write ma.array{ {1, 2}, {3, 4} } or ma.zeros({2, 3})" },
      { "ma.FloatTensor(2, 3)", "write ma.zeros({2, 3}, \"float32\")" },
      { "ma.cmul(a, b)", "no function 'cmul'; write a * b" },
      { "a:cmul(b)", "no attribute 'cmul'; write a * b" },
      { "a:cdiv(b)", "write a / b" },
      { "a:view(4, 3)", "moonarray.view: 3 arguments; at most 2", "a view of another shape is a:reshape(2, 3)" },
      { "a:view(12)", "moonarray.view: dtype is the number 12", "a view of another shape is a:reshape(2, 3)" },
      { "a:viewAs(b)", "write a:reshape(2, 3)" },
      { "a:narrow(1, 1, 2)", "write a[{ {first, first + n - 1} }]" },
      { "a:select(1, 2)", "write a[i] along the first axis" },
      { "a:resize(4, 3)", "moonarray.resize: 3 arguments; at most 2: resize(a, new_shape)" },
      { "a:resizeAs(b)", "no array changes its size; write a:reshape(...)" },
      { "a:nElement()", "write a.size, the number of elements" },
      { "a:dim()", "write a.ndim" },
      { "a:cuda()", "write a:to_device(\"cuda\")" },
      { "a:float()", "write a:astype(\"float32\")" },
      { "a:double()", "write a:astype(\"float64\")" },
      { "a:type('torch.FloatTensor')", "write a:astype(\"float32\"); a.dtype is its dtype" },
      { "a:clone()", "write a:copy()" },
      { "a:zero()", "write a:fill(0)" },
      { "a:t()", "write a.T" },
      { "a:expandAs(b)", "ma.broadcast_to(a, shape)" },
      { "a:addmm(b, m)", "write c + a:matmul(b)" },
      { "ma.cat({a, b}, 1)", "write ma.concatenate({a, b}, axis)" },
      { "ma.manualSeed(1)", "write ma.random.seed(n)" },
      { "ma.randperm(5)", "write ma.random.permutation(n)" },
      { "ma.mm(a, b)", "write ma.matmul(a, b)" },
      { "ma.setdefaulttensortype('float')", "write ma.set_default_dtype(\"float32\")" },
    }
  end)

  it("comes from NumPy, CuPy, plain Lua or LÖVE", function()
    check {
      { "a:numpy()", "write a:totable()" },
      { "ma.float128", "no wider float is here" },
      { "ma.ndarray", "write ma.array{" },
      { "ma.random.Generator(1)", "write ma.random.default_rng(seed)" },
      { "ma.errstate()", "no warnings are given" },
      { "ma.object_", "arrays hold bools and numbers" },
      { "ma.Device(0)", "write ma.cuda.Device(0)" },
      { "a.cpu()", "write a:to_device(\"cpu\")" },
      { "a:push(1)", "an array does not grow; write ma.concatenate({a, b})" },
      { "a:len()", "write #a, the first extent, a.size" },
      { "ma.new(3)", "write ma.array{1, 2, 3} or ma.zeros({2, 3})" },
      { "ma.print(a)", "write print(a)" },
      { "a:getPixel(0, 0)", "write a(y, x): rows come first" },
      { "a:setPixel(0, 0, 1)", "write a[{y, x}] = value" },
      { "ma.love.newImage(a)", "moonarray.love: no function 'newImage'; write ma.love.picture(...)" },
      { "ma.cuda.empty_cache()", "moonarray.cuda: no function 'empty_cache'; write ma.cuda.free_all_blocks()" },
      { "ma.imread('x.png')", "write ma.image.read(path)" },
      { "a:at(1, 2)", "write a(i, j)" },
      { "a:getWidth()", "write local h, w = a:dims()" },
      { "a:map(math.sin)", "vectorize" },
      { "a.x", "read by position: a[1]" },
      { "ma.image.load('x.png')", "write ma.image.read(path)" },
    }
  end)
end)

describe("the page for users of Torch7", function()
  it("has rows whose right side runs", function()
    local failures, count = helper.failures(), 0
    local name, device = os.tmpname(), ma.device()
    local path = name .. ".npy"
    local function run(code)
      local environment = values()
      local a = environment.a
      environment.mask, environment.w, environment.h = a:gt(3), ma.array { 1, 2 }, ma.array { { 2, 1 }, { 1, 2 } }
      environment.i, environment.s = ma.ones({ 3, 2 }, "int64"), ma.ones { 2, 2, 2 }
      environment.t3 = ma.ones { 2, 3, 4 }
      environment.path, environment.text = path, a:dumps()
      local chunk = loadstring("return " .. code) or assert(loadstring(code), code)
      setfenv(chunk, setmetatable(environment, { __index = _G }))
      local ok, message = pcall(chunk)
      ma.set_default_dtype "float64"
      local gpu = not ok and code:find("cuda", 1, true) and ma.cuda.device_count() == 0
      local host = not ok and message:find("its memory is not the CPU's", 1, true)        -- a:data() on a GPU
      assert(ok or gpu or host or message:find("found;", 1, true), message)  -- without LAPACK some have no library
    end
    for line in require("spec.file").read("docs/from-torch7.md"):gmatch("[^\n]+") do
      local right = line:match("^| .+ | (.-) |$")
      for code in (right or ""):gmatch("`([^`]+)`") do
        if not code:find("^[%w.:]*$") and not code:find('^"') or code:find("^a%.") then
          count = count + 1
          failures:run(code, run, code)
        end
      end
    end
    os.remove(path)
    os.remove(name)
    device:use()
    failures:check()
    assert(count > 110, count)
  end)
end)

describe("the gallery", function()
  it("has every picture and every example", function()
    local text, failures = require("spec.file").read("docs/gallery.md"), helper.failures()
    for line in io.popen("ls docs/pictures/*.png docs/pictures/*.gif examples/*.lua"):lines() do
      local name = line:match("^docs/(.*)$") or line:match("^(examples/.*)$")
      -- what the others use, and pictures of other pages
      local left_out = name == "examples/simulation.lua" or name == "pictures/embed_window.png"
        or name == "pictures/benchmark.png" or name == "pictures/frames_game.png"
      failures:run(name, function() assert(left_out or text:find(name, 1, true), "it is not there") end)
    end
    for path in text:gmatch("luajit (examples/[%w_]+%.lua)") do
      failures:run(path, function() io.open(path):close() end)
    end
    failures:check()
  end)
end)

describe("an unknown name", function()
  --- Reads a name that is not there, and the same name with two letters exchanged.
  local function refuses(object, place, wrong, right)
    local message = helper.fails(function() return object.nonesuch end)
    assert(message:find("moonarray." .. place, 1, true) and message:find("'nonesuch'", 1, true), message)
    message = helper.fails(function() return object[wrong] end)
    assert(message:find(("did you mean '%s'?"):format(right), 1, true), message)
  end

  it("is an error in every module", function()
    local failures, count = helper.failures(), 0
    local function visit(module, place, depth)
      failures:run(place, function()
        local message = helper.fails(function() return module.nonesuch end)
        assert(message:find(("moonarray%s: no function 'nonesuch'"):format(place), 1, true), message)
      end)
      count = count + 1
      for name, value in pairs(module) do              -- but for jit.threadIdx and its kind, which raise errors anyway
        local meta = type(value) == "table" and type(name) == "string" and debug.getmetatable(value)
        local own = type(meta) == "table" and not rawget(value, "__index") and name ~= "numpy"
        if own and depth < 3 and not name:find("^%u") and not name:find("[mx]$") and rawget(module, name) == value then
          visit(value, place .. "." .. name, depth + 1)
        end
      end
    end
    local _ = helper.core.functions                    -- loads every module
    visit(ma, "", 0)
    failures:check()
    assert(count > 25, count)
  end)

  it("is an error of every object, which names a near one", function()
    local failures = helper.failures()
    local x = ma.arange(1, 5, 1, "float64")
    local list = {
      { ma.poly1d({ 1, 2 }), "poly1d", "derv", "deriv" },
      { ma.polynomial.Polynomial({ 1, 2 }), "polynomial.Polynomial", "derv", "deriv" },
      { ma.polynomial.Polynomial, "polynomial.Polynomial", "formroots", "fromroots" },
      { ma.signal.lti({ 1 }, { 1, 2 }), "signal.TransferFunction", "stpe", "step" },
      { ma.cuda.MemoryHook {}, "cuda.MemoryHook", "instal", "install" },
      { ma.random.default_rng(1), "random.Generator", "nomral", "normal" },
      { ma.spatial.KDTree(ma.arange(8, "float64"):reshape(4, 2)), "spatial.KDTree", "qeury", "query" },
      { ma.stats.gaussian_kde({ 1, 2, 3 }), "stats.gaussian_kde", "evalute", "evaluate" },
      { ma.interpolate.CubicSpline(x, x * x), "interpolate.", "derivatve", "derivative" },
      { ma.interpolate.interp1d(x, x), "interpolate.interp1d", "knid", "kind" },
      { ma.GeneralizedUFunc(function(y) return y end, "(i)->(i)"), "GeneralizedUFunc", "singature", "signature" },
      { ma.fft.get_fft_plan(ma.ones(4)), "fft.get_fft_plan", "shpae", "shape" },
      { ma.profiler.benchmark(ma.sin, { x }, 1), "profiler.benchmark", "cpu_tmies", "cpu_times" },
      { ma.progress(3), "progress", "setp", "step" },
      { ma.jit.rawkernel("function(y) y[1] = 1 end"), "jit.rawkernel", "cached_cdoe", "cached_code" },
      { ma.fuse(function(y) return y + 1 end), "fuse", "traecs", "traces" },
      { ma.stencil(function(u) return u(0) end), "stencil", "rnu", "run" },
      { ma.ElementwiseKernel("T x", "T y", "y = x", "k"), "ElementwiseKernel", "in_parms", "in_params" },
      { ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "k"), "ReductionKernel", "identiy", "identity" },
      { ma.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, ma.cuda.runtime.cudaChannelFormatKindFloat),
        "cuda.texture.ChannelFormatDescriptor", "get_channel_fromat", "get_channel_format" },
      { ma.Stream(), "stream", "recrod", "record" },
      { ma.Event(), "event", "devcie", "device" },
      { ma.device("cpu"), "device", "attributse", "attributes" },
      { ma.get_default_memory_pool(), "pool", "used_byte", "used_bytes" },
      { ma.add, "add", "nagrs", "nargs" },
      { x, "array", "reshpae", "reshape" },
      { x.flags, "flags", "C_CONTIGUOUS", "c_contiguous" },
      { ma.finfo("float32"), "finfo", "mxa", "max" },
      { ma.iinfo("int8"), "iinfo", "bist", "bits" },
    }
    for _, row in ipairs(list) do failures:run(row[2], refuses, row[1], row[2], row[3], row[4]) end
    failures:check()
  end)
end)

describe("what is written in place of an unknown name", function()
  it("exists", function()
    local failures, count = helper.failures(), 0
    local text = require("spec.file").read("lua/moonarray/unknown.lua")
    local methods = helper.core.array_methods()
    for name in text:gmatch("[^%w_]ma%.([%a_][%w_.]*)%(") do
      count = count + 1
      failures:run(name, function()
        local value = ma
        for part in name:gmatch("[^.]+") do value = value[part] end
      end)
    end
    for name in text:gmatch("[^%w_]a:([%a_][%w_]*)%(") do
      count = count + 1
      failures:run(":" .. name, function() assert(methods[name], "no method") end)
    end
    failures:check()
    assert(count > 120, count)
  end)

  it("is not said of names that are there", function()
    local failures, owners = helper.failures(), { array = ma.zeros(1), [""] = ma, random = ma.random,
      linalg = ma.linalg, image = ma.image, plot = ma.plot, ndimage = ma.ndimage, signal = ma.signal,
      cuda = ma.cuda, love = ma.love, distributed = ma.distributed }
    local owner
    for line in require("spec.file").read("lua/moonarray/unknown.lua"):gmatch("[^\n]+") do
      local name = line:match("^tables%.(%w+) = table_of") or line:match('^tables%[("")%] = table_of')
      if name then owner = owners[(name:gsub('"', ""))] end
      if line == "]]" then owner = nil end
      local names = owner and line:match("^  ([%w_ ]-) = ")
      for word in (names or ""):gmatch("%S+") do
        failures:run(word, function() assert(not pcall(function() return owner[word] end), "it exists") end)
      end
    end
    failures:check()
  end)
end)
