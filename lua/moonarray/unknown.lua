--- What to write in place of a name that does not exist: names of Torch7, NumPy, plain Lua and LÖVE, and names that are
--- in another module. Loaded when the first unknown name is read.

local known = require "moonarray.names"
local sformat, concat = require("moonarray.text").format, table.concat

--- Reads lines of a name and what to write in place of it. An indented line continues the one before.
local function table_of(text)
  local list = {}
  for line in text:gmatch("[^\n]+") do
    local names, advice = line:match("^%s*([%w_ ]-)%s*=%s*(.+)$")
    for name in names:gmatch("%S+") do list[name] = advice end
  end
  return list
end

local tables = {}

--- Torch7's elementwise operations, as methods and as functions.
local by_element = [[
  cmul = write a * b
  cdiv = write a / b
  csub = write a - b
  cpow = write a ^ b
  cmax = write ma.maximum(a, b)
  cmin = write ma.minimum(a, b)
  cinv = write 1 / a
]]

--- Attributes of arrays.
tables.array = table_of(by_element .. [[
  mul mul_ = write a * x, or a:imul(x) in place
  div div_ = write a / x, or a:idiv(x) in place
  add_ = write a:iadd(x), in place
  sub sub_ = write a - x, or a:isub(x) in place; a part of an array is a["1:2, :"]
  addcmul = write a + s * b * c: it runs as one kernel
  addcdiv = write a + s * b / c: it runs as one kernel
  addmm addmv addbmm baddbmm addr = write c + a:matmul(b)
  mm mv bmm = write a:matmul(b)
  ger = write ma.outer(a, b)
  viewAs view_as reshapeAs = write a:reshape(2, 3), a view where the strides allow it; a:astype("int32") converts
  narrow = write a[{ {first, first + n - 1} }] along the first axis, a["..., 2:4"] along the last
  select = write a[i] along the first axis, a["..., i"] along the last, or a:take(i, axis)
  index indexSelect index_select = write a[ma.index{1, 3}], or a:take({1, 3}, axis)
  indexCopy indexFill index_fill index_copy = write a[ma.index{1, 3}] = values
  indexAdd index_add = write a:iadd_at(ma.index{1, 3}, values)
  maskedSelect masked_select = write a[mask]
  maskedFill masked_fill maskedCopy masked_fill_ = write a[mask] = values
  gather = write ma.take_along_axis(a, positions, axis)
  scatter scatter_ = write ma.put_along_axis(a, positions, values, axis)
  scatterAdd = write a:scatter_add(positions, values)
  expand expandAs expand_as = write ma.broadcast_to(a, shape); operators broadcast by themselves
  repeatTensor = write ma.tile(a, {2, 3})
  unsqueeze = write a:expand_dims(axis), or a[":, _"]
  t = write a.T
  permute = write a:transpose(2, 1, 3)
  nElement numel nelement = write a.size, the number of elements; #a is the first extent
  nDimension dim ndimension = write a.ndim
  stride = write a.strides, in bytes
  storage storageOffset = write a:data(), a pointer to the elements, or a:ravel()
  contiguous = write ma.ascontiguousarray(a)
  isContiguous = write a.is_contiguous
  isSameSizeAs = write a.shape == b.shape, or ma.same_shape(a, b)
  resizeAs resize_ = no array changes its size; write a:reshape(...) or ma.resize(a, shape), a new array
  clone detach = write a:copy()
  zero zero_ = write a:fill(0)
  fill_ = write a:fill(x)
  copy_ = write a:assign(b)
  set = write a[{2, 3}] = x, or a:assign(b) for all elements
  cuda = write a:to_device("cuda")
  cpu = write a:to_device("cpu"), or a:get()
  float = write a:astype("float32")
  double = write a:astype("float64")
  half = write a:astype("float16")
  int = write a:astype("int32")
  long = write a:astype("int64")
  short = write a:astype("int16")
  byte = write a:astype("uint8")
  char = write a:astype("int8")
  bool = write a:astype("bool")
  type typeAs type_as cast = write a:astype("float32"); a.dtype is its dtype
  numpy tonumber totensor = write a:totable(), or a:item() of one element
  apply apply_ map_ = write operators and functions on the whole array, or ma.vectorize(fn)(a)
  uniform uniform_ = write a:assign(ma.random.uniform(0, 1, a.shape))
  normal normal_ = write a:assign(ma.random.normal(0, 1, a.shape))
  random bernoulli = write ma.random.randint(1, 7, a.shape), or another function of ma.random
  chunk = write ma.array_split(a, n, axis)
  clamp clamp_ = write a:clip(lo, hi)
  inverse inv = write ma.linalg.inv(a)
  det = write ma.linalg.det(a)
  norm = write ma.linalg.norm(a)
  svd = write ma.linalg.svd(a)
  neg = write -a
  sigmoid = write ma.special.expit(a)
  relu = write ma.maximum(a, 0)
  softmax = write ma.special.softmax(a, -1)
  unfold = write ma.lib.stride_tricks.sliding_window_view(a, n)
  histc = write ma.histogram(a, bins)
  kthvalue = write ma.partition(a, k)
  mode = write ma.unique(a, {return_counts = true})
  backward requires_grad grad = write ma.grad(fn)(x) for the derivative of a function
  dump = write ma.save("a.npy", a), or a:dumps()
  push extend = an array does not grow; write ma.concatenate({a, b}), or collect Lua numbers in a table
  remove = write ma.delete(a, position)
  concat cat = write ma.concatenate({a, b}, axis)
  join = write ma.concatenate({a, b}, axis), or table.concat(a:totable(), ", ")
  len length count n getn = write #a, the first extent, a.size, the number of elements, or a:dims()
  width getWidth = write local h, w = a:dims()
  height getHeight getDimensions = write local h, w = a:dims()
  table toTable to_array toarray values = write a:totable()
  at value getItem get_item = write a(i, j), an element as a number of Lua
  getPixel get_pixel pixel = write a(y, x): rows come first, positions count from 1
  setPixel set_pixel = write a[{y, x}] = value: rows come first, positions count from 1
  mapPixel foreach forEach = write operators on the whole array; for v in a:each() do gives Lua numbers
  ipairs pairs iter iterator = write for v in a:each() do, or for i, row in a:rows() do
  x y z w r g b = an element or a row is read by position: a[1], a[":, 1"]
  print show display = write print(a)
  tostring str toString = write tostring(a)
  where = write ma.where(mask, a, b)
  equals is_equal = write a:eq(b), element by element, or ma.array_equal(a, b)
  release destroy close dispose = write a:free(), or ma.scope(fn)
  clear = write a:fill(0)
  new = write ma.zeros(shape), or ma.zeros_like(a)
  cdata pointer getPointer getFFIPointer = write a:data()
  itemset = write a[{i, j}] = value
]])

--- Functions of the library itself.
tables[""] = table_of(by_element .. [[
  Tensor tensor ndarray matrix mat vector vec newArray Array = write ma.array{ {1, 2}, {3, 4} } or ma.zeros({2, 3})
  new = write ma.array{1, 2, 3} or ma.zeros({2, 3})
  FloatTensor = write ma.zeros({2, 3}, "float32")
  DoubleTensor = write ma.zeros({2, 3}, "float64")
  IntTensor = write ma.zeros({2, 3}, "int32")
  LongTensor = write ma.zeros({2, 3}, "int64")
  ShortTensor = write ma.zeros({2, 3}, "int16")
  ByteTensor = write ma.zeros({2, 3}, "uint8")
  CharTensor = write ma.zeros({2, 3}, "int8")
  CudaTensor HalfTensor BoolTensor = write ma.zeros({2, 3}, dtype, {device = "cuda"})
  cat hcat vcat = write ma.concatenate({a, b}, axis)
  mul = write a * b
  div = write a / b
  sub = write a - b
  neg = write -a
  addcmul = write a + s * b * c: it runs as one kernel
  addcdiv = write a + s * b / c: it runs as one kernel
  mm mv bmm = write ma.matmul(a, b)
  addmm addmv addbmm baddbmm addr = write c + ma.matmul(a, b)
  ger = write ma.outer(a, b)
  clamp = write ma.clip(a, lo, hi)
  frac = write a - ma.trunc(a)
  lerp = write a + t * (b - a)
  sigmoid = write ma.special.expit(a)
  relu = write ma.maximum(a, 0)
  softmax = write ma.special.softmax(a, -1)
  renorm dist = write ma.linalg.norm(a - b)
  numel nElement = write a.size
  t = write a.T
  permute = write a:transpose(2, 1, 3)
  unsqueeze = write ma.expand_dims(a, axis)
  randperm = write ma.random.permutation(n)
  manualSeed manual_seed setseed set_seed randomseed = write ma.random.seed(n)
  initialSeed = write ma.random.seed(n)
  setdefaulttensortype setDefaultTensorType set_default_tensor_type = write ma.set_default_dtype("float32")
  getdefaulttensortype = write ma.get_default_dtype()
  gesv = write ma.linalg.solve(a, b)
  gels = write ma.linalg.lstsq(a, b)
  symeig = write ma.linalg.eigh(a)
  potrf = write ma.linalg.cholesky(a)
  inverse inv = write ma.linalg.inv(a)
  histc = write ma.histogram(a, bins)
  conv2 xcorr2 convolve2d = write ma.signal.convolve2d(a, b)
  kthvalue = write ma.partition(a, k)
  mode = write ma.unique(a, {return_counts = true})
  multinomial = write ma.random.choice(n, size, true, p)
  bernoulli = write ma.random.binomial(1, p, size)
  Timer tic toc clock now timer getTime = write ma.time(), behind ma.synchronize()
  setnumthreads getnumthreads set_num_threads = write MOONARRAY_NUM_THREADS=4 in the environment
  serialize = write a:dumps()
  deserialize = write ma.loads(text)
  chunk = write ma.array_split(a, n, axis)
  isTensor is_tensor isarray is_array isArray = write getmetatable(a) == getmetatable(ma.zeros(1))
  repeatTensor = write ma.tile(a, {2, 3})
  no_grad autograd = write ma.grad(fn)(x) for the derivative of a function; ma.stop_gradient(x) makes a constant
  nn = there are no layers; ma.grad(fn)(x) is the derivative of a function
  backward value_and_gradient = write ma.value_and_grad(fn)(x) for the value and the derivative of a function
  hessian = write ma.jacobian(ma.grad(fn))(x)
  optimizer optimize minimize curve_fit = write ma.optim.lbfgs(x), or ma.optim.adam(x) with ma.value_and_grad(fn)
  read_csv = write ma.genfromtxt(path, {delimiter = ",", names = true})
  to_csv = write ma.savetxt(path, a, {delimiter = ","})
  DataFrame dataframe = write a table of arrays, such as ma.genfromtxt gives
  quad integral integrate = write ma.trapezoid(y, x) for a function that is known at points
  odeint solve_ivp = write a loop of steps, or ma.iterate(n, step, ...)
  fsolve root = write a loop of Newton's steps: x = x - f(x) / slope(x)
  float = write "float32" for a dtype, ma.float32(x) to convert
  double = write "float64" for a dtype, ma.float64(x) to convert
  half = write "float16" for a dtype, ma.float16(x) to convert
  int int_ long = write "int64" for a dtype, ma.int64(x) to convert
  uint = write "uint64" for a dtype, ma.uint64(x) to convert
  byte = write "uint8" for a dtype, ma.uint8(x) to convert
  bool_ boolean = write "bool" for a dtype, ma.bool(x) to convert
  complex_ = write "complex128" for a dtype
  float_ float128 longdouble = write "float64": no wider float is here
  object_ str_ string_ unicode_ datetime64 timedelta64 void = arrays hold bools and numbers; keep texts in a Lua table
  dtype = a dtype is a string, "float32"; a.dtype is that of an array
  len length = write #a, the first extent, or a.size
  ma = write the functions of masks by where: a:sum({where = mask}), ma.where(mask, a, b), ma.nansum
  char rec strings = arrays hold bools and numbers; keep texts in a Lua table
  ndenumerate ndindex nditer enumerate = write for v in a:each() do, or for i, row in a:rows() do
  ipairs pairs iter = write for v in a:each() do, or for i, row in a:rows() do
  xrange = write ma.arange(n), end excluded, or ma.range(1, n)
  memmap = write ma.frombuffer(text, shape, dtype) of the file's bytes, or ma.load("a.npy")
  asscalar = write a:item()
  errstate seterr geterr = no warnings are given; NaN and inf come out
  matlib = write ma.zeros, ma.ones, ma.eye
  math = write ma.sqrt(a), ma.sin(a): functions of arrays are in ma itself
  os io string table = Lua's own modules are not in this one
  Generator RandomState default_rng = write ma.random.default_rng(seed)
  Device = write ma.cuda.Device(0)
  set_device setDevice = write ma.cuda.Device(0):use()
  get_device getDevice current_device = write ma.device()
  device_count getDeviceCount = write ma.cuda.device_count()
  is_available has_cuda has_gpu = write ma.cuda.is_available()
  print show display disp = write print(a)
  figure imshow = write ma.image.write(path, pixels)
  imread read_image load_image = write ma.image.read(path)
  imwrite imsave save_image = write ma.image.write(path, pixels)
  sync = write ma.synchronize()
  gpu = write ma.cuda.Device(0):use(), or a:to_device("cuda")
  cpu default_device = write ma.device("cpu"):use(), or MOONARRAY_DEVICE=cpu in the environment
  type typeof = write a.dtype, or type(a), which is "userdata"
  modulo = write a % b
  default_dtype = write ma.get_default_dtype() and ma.set_default_dtype("float32")
  identity_matrix = write ma.eye(n)
  newImage newImageData draw graphics = write ma.image.read(path) and ma.image.write(path, pixels)
  filter reduce foldl = write operators and functions on the whole array, or ma.vectorize(fn)
  equals = write ma.array_equal(a, b)
]])

tables.random = table_of [[
  Generator PCG64 MT19937 Philox = write ma.random.default_rng(seed)
  randf = write ma.random.rand(3)
  setseed manualSeed randomseed = write ma.random.seed(n)
  int integer = write ma.random.randint(lo, hi, size)
  float = write ma.random.uniform(lo, hi, size)
  gauss gaussian randnormal = write ma.random.normal(mean, deviation, size)
  perm randperm = write ma.random.permutation(n)
  sample_without_replacement = write ma.random.choice(n, size, false)
]]

tables.linalg = table_of [[
  transpose = write a.T
  inverse = write ma.linalg.inv(a)
  dot = write ma.dot(a, b)
  matrix_multiply mm = write ma.matmul(a, b)
]]

tables.struct = table_of [[
  zeros empty new array = write ma.zeros(shape, s) of a struct s
  frombuffer view cast = write ma.frombuffer(pointer, shape, s) of a struct s
]]

tables.special = table_of [[
  sigmoid logistic = write ma.special.expit(x)
]]

tables.cuda = table_of [[
  is_avail has_cuda available = write ma.cuda.is_available()
  synchronise sync synchronize = write ma.synchronize()
  current_device device get_device = write ma.device()
  set_device setDevice = write ma.cuda.Device(0):use()
  memory mem_info memory_info getMemoryUsage memory_allocated = write ma.cuda.Device(0):mem_info()
  empty_cache = write ma.cuda.free_all_blocks()
  getDeviceCount count = write ma.cuda.device_count()
  to cuda = write a:to_device("cuda")
]]

--- Names of CuPy's and of torch.distributed.
tables.distributed = table_of [[
  init_process_group NCCLBackend = write ma.distributed.init()
  destroy_process_group = write ma.distributed.finalize()
  distributed_array DistributedArray = write ma.distributed.distribute(a)
]]

tables.love = table_of [[
  newImage newImageData toimage to_image image draw graphics = write ma.love.picture(...); ma.help "love.picture" says how
  newSoundData newSource audio = write ma.love.sound(...); ma.help "love.sound" says how
  newMesh mesh = write ma.love.vertices(...); ma.help "love.vertices" says how
  fromImageData imagedata data = write ma.love.view(data)
]]

tables.ndimage = table_of [[
  blur gaussian gaussian_blur smooth = write ma.ndimage.gaussian_filter(a, sigma)
  resize imresize = write ma.ndimage.zoom(a, factor), or ma.image.resize(pixels, {height, width})
  erode = write ma.ndimage.grey_erosion(a, size), or binary_erosion of a mask
  dilate = write ma.ndimage.grey_dilation(a, size), or binary_dilation of a mask
  edges canny = write ma.ndimage.sobel(a, axis)
]]

tables.signal = table_of [[
  lowpass highpass bandpass lowpass_filter = write ma.signal.sosfilt(ma.signal.butter(4, 0.2, "low", {output = "sos"}), a)
  fft = write ma.fft.fft(a)
  conv = write ma.signal.convolve(a, b)
]]

tables.image = table_of [[
  load open imread newImage newImageData = write ma.image.read(path)
  save imsave imwrite = write ma.image.write(path, pixels)
  scale rescale = write ma.image.resize(pixels, height, width)
]]

tables.plot = table_of [[
  plot imshow contour title xlabel ylabel legend save = write fig = ma.plot.figure(), fig:plot(x, y)
  savefig show close = write fig = ma.plot.figure(), fig:plot(x, y), fig:save("a.png") or fig:show()
  subplot = write fig, axes = ma.plot.subplots(2, 2)
]]

tables["plot.Figure"] = table_of [[
  savefig write export = write fig:save("a.png")
]]

--- The public functions whose last part is this name, or nil: "inv" gives { "linalg.inv" }. Those of few parts first.
local function names_with_last(last)
  local list = {}
  for name in known.functions:gmatch "%S+" do
    if name:match("([%w_]+)$") == last and not name:find("%.%u%w*%.") then  -- no methods of classes
      list[#list + 1] = name
    end
  end
  table.sort(list, function(x, y)
    local depth_x, depth_y = select(2, x:gsub("%.", "")), select(2, y:gsub("%.", ""))
    if depth_x ~= depth_y then return depth_x < depth_y end
    return x < y
  end)
  return #list > 0 and list or nil
end

local function is_method(name) return (" " .. known.methods .. " "):find("%s" .. name .. "%s") ~= nil end

local function is_here(place)
  if place == "" or place == "array" then return true end
  return not place:find("^%u") and not place:find("%.%u")
end

--- What to write in place of an unknown name in a module or of an array; nil if nothing is known.
return function(core, place, name)
  local advice = (tables[place] or {})[name]
  if advice then return advice end
  if not tables[place] and not is_here(place) then return nil end
  if place ~= "array" and place ~= "" and not rawget(core.library, place:match("^[^.]+")) then return nil end
  local elsewhere = names_with_last(name)
  if not elsewhere then
    if place ~= "array" and name:find "^[%w_]+$" and is_method(name) then return sformat("write a:%s(...)", name) end
    return nil
  end
  if place == "array" then return sformat("it is a function: write ma.%s(a, ...)", elsewhere[1]) end
  local list = {}
  for k = 1, math.min(#elsewhere, 3) do list[k] = "ma." .. elsewhere[k] end
  return "it is " .. concat(list, " or ")
end
