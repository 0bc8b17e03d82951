-- What scripts/coverage.lua knows of CuPy's names beside the module itself. By CuPy's namespace:
--   here     where its names are looked for, as the page writes it
--   of       the same as objects, from the samples
--   spelled  names that are here in another spelling: by name, what to write; what stands in backticks must be there
--   none     names that mean nothing in Lua or are left out: by reason, the names
--   all      the reason for every name of it
--   instead  the module whose errors of names that are missing on purpose are taken too
-- A name that is neither there nor in this file stands in scripts/coverage/missing.txt.

--- What the error of a name that is missing on purpose says to write (lua/moonarray/device/cuda.lua), as the page
--- writes it: "write moonarray.cuda.alloc(nbytes)" gives "`ma.cuda.alloc(nbytes)`". nil: it says why there is none.
local function written(text)
  local rest = text:match("^write (.*)$")
  if not rest then return nil end
  return (rest:gsub("moonarray%.([%w_.]*[%w_])(%b())", "`ma.%1%2`"):gsub("moonarray%.([%w_.]*[%w_])", "`ma.%1`")
    :gsub("([%a_][%w_]*:[%w_]+%b())", "`%1`"))
end

local function samples(ma)
  local nothing = function() end
  local event = ma.Event()
  event:record()
  local raw = 'extern "C" __global__ void f(float *x) { x[0] = 1; }'
  local hook = {}
  for _, act in ipairs { "malloc", "alloc", "free" } do
    hook[act .. "_preprocess"], hook[act .. "_postprocess"] = nothing, nothing
  end
  local a = ma.zeros({ 2, 2 })
  return {
    ma = ma, a = a, array = a, pool = ma.cuda.MemoryPool(), async = ma.cuda.MemoryAsyncPool(),
    pinned = ma.cuda.PinnedMemoryPool(), ufunc = ma.add, device = ma.device(), stream = ma.Stream.null, event = event,
    graph = ma.cuda.graph(nothing), rng = ma.random.default_rng(1), state = ma.random.RandomState(1),
    hook = ma.cuda.MemoryHook(hook), raw = ma.RawKernel(raw, "f"), module = ma.RawModule { code = raw },
    elementwise = ma.ElementwiseKernel("T x", "T y", "y = x", "coverage_copy"),
    reduction = ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "coverage_sum"),
  }
end

local numpy_1 = "an alias that NumPy 2 took away"
local c_types = "a name of C's types in Python; dtypes are strings here, and those with a size mean the same everywhere"
local python_types = "a class that Python programs test with isinstance"
local python_warnings = "a class of Python's exceptions or warnings; errors are strings here, and no warnings are given"
local internal = "CuPy's own machinery, or a handle of it"
local handles = "a handle of a CUDA library; no library's handle is given out"
local merged = "axes are always merged where strides allow it, with the same results"
local dtype_kind = '`ma.issubdtype(dtype, "%s")`: kinds of dtypes are strings'

local spaces = {}

local function space(name, here, of, entry)
  entry = entry or {}
  entry.here, entry.of = here, of
  spaces[name] = entry
end

local function kinds(list)
  local spelled = {}
  for name in list:gmatch("%S+") do spelled[name] = dtype_kind:format(name) end
  return spelled
end

local top = kinds "complexfloating floating inexact integer number signedinteger unsignedinteger generic"
top.is_available = "`ma.cuda.is_available()`"
top.ndarray = "`ma.array`, `ma.empty`"
top.dtype = "a string, as `a.dtype` gives; `ma.finfo`, `ma.iinfo`, `ma.result_type`"
top.broadcast = "`ma.broadcast_arrays`, `ma.broadcast_shapes`"
top.index_exp = '`a["2:5, :"]`, or a table of positions and ranges'
top.s_ = '`a["2:5, :"]`, or a table of positions and ranges'
top.ndindex = "`for k = 1, a.size do`, with `ma.unravel_index`"
top.flatiter = "`a:each()`, `a:ravel()`"
top.iterable = "`type(x)`; `a:each()`, `a:rows()` iterate"

space("cupy", "ma", function(s) return { s.ma } end, {
  spelled = top,
  none = {
    [numpy_1] = "Inf Infinity NAN NINF NZERO NaN PINF PZERO alltrue asfarray bool_ byte_bounds complex_ cumproduct " ..
      "disp find_common_type float_ fromDlpack infty int_ issctype issubclass_ issubsctype mintypecode msort " ..
      "obj2sctype product round_ safe_eval sctype2char set_string_function sometrue trapz typename who",
    [c_types] = "byte cdouble cfloat csingle double half intc intp long longlong short single singlecomplex ubyte " ..
      "uint uintc uintp ulong ulonglong ushort",
    [python_warnings] = "AxisError ComplexWarning ModuleDeprecationWarning RankWarning TooHardError " ..
      "VisibleDeprecationWarning disable_experimental_feature_warning",
    [python_types] = "ufunc",
    [internal] = "DataSource format_parser get_array_wrap make_aligned_dtype",
  },
})
space("ndarray", "an array", function(s) return { s.a } end, {
  spelled = { set = "`a:assign(other)`, `a:set_async(host)`", dump = "`ma.save(file, a)`, `a:dumps()`",
    toDlpack = "`a:to_dlpack()`" },
  none = {
    [internal] = "cstruct reduced_view",
    ["a C++ type of libcu++; kernels here are compiled without CUDA's headers"] = "mdspan",
  },
})
space("ufunc", "a ufunc, as `ma.add`", function(s) return { s.ufunc } end)
space("linalg", "ma.linalg", function(s) return { s.ma.linalg } end, { none = { [python_warnings] = "LinAlgError" } })
space("fft", "ma.fft", function(s) return { s.ma.fft } end)
space("fft.config", "ma.fft.config", function(s) return { s.ma.fft.config } end, { none = {
  ["plans' work areas come from the pool, and its limit holds for them; `set_plan_cache_size` counts plans"] =
    "get_plan_cache_max_memsize set_plan_cache_max_memsize",
  ["a transform runs on one GPU"] = "devices set_cufft_gpus use_multi_gpus",
  ["a transform of several axes is one plan wherever the library has one"] = "enable_nd_planning",
  ["cuFFT's callbacks are device code that is linked with its static library"] =
    "get_current_callback_manager set_cufft_callbacks",
} })
local function generator(name)
  return ('`ma.random.default_rng(seed, {bit_generator = "%s"})`'):format(name)
end
space("random", "ma.random", function(s) return { s.ma.random } end, { spelled = {
  BitGenerator = "`ma.random.default_rng(seed, {bit_generator = name})`", XORWOW = generator "xorwow",
  MRG32k3a = generator "mrg32k3a", Philox4x3210 = "`ma.random.default_rng(seed)`",
} })
space("random.Generator", "what `ma.random.default_rng` returns", function(s) return { s.rng } end)
space("random.RandomState", "what `ma.random.RandomState` returns", function(s) return { s.state } end)
space("polynomial", "ma.polynomial", function(s)
  local here = s.ma.polynomial
  return { here, rawget(here, "polynomial"), rawget(here, "polyutils") }
end)
space("poly1d", "what `ma.poly1d` returns", function(s) return { s.ma.poly1d { 1, 2 } } end)
space("lib.stride_tricks", "ma.lib.stride_tricks", function(s) return { s.ma.lib.stride_tricks } end)
space("testing", "ma.testing", function(s) return { s.ma.testing } end)
-- The names of these two that are missing on purpose are explained by the errors that they raise.
space("cuda", "ma.cuda", function(s) return { s.ma.cuda } end, { instead = "cuda",
  spelled = { profile = "`ma.profiler.profile(fn)`" },
  none = { ["a folder of a toolkit to build C++ with, which nothing is here; `ma.show_config()` names the libraries " ..
    "that were found"] = "get_cuda_path get_hipcc_path get_nvcc_path get_rocm_path" },
})
space("cuda.runtime", "ma.cuda.runtime", function(s) return { s.ma.cuda.runtime } end, { instead = "runtime" })
space("cuda.Device", "what `ma.cuda.Device` returns", function(s) return { s.device, s.ma.cuda.Device } end, {
  none = { [handles] = "cublas_handle cusolver_handle cusolver_sp_handle cusparse_handle cutensor_handle" },
})
space("cuda.Stream", "what `ma.Stream` returns", function(s) return { s.stream, s.ma.Stream } end)
space("cuda.Event", "what `ma.Event` returns", function(s) return { s.event } end)
space("cuda.Graph", "what `ma.cuda.graph` returns", function(s) return { s.graph } end, {
  none = { [internal] = "graph graphExec host_funcargs" },
})
space("cuda.MemoryPool", "what `ma.cuda.MemoryPool` returns", function(s) return { s.pool } end, {
  none = { ["an old name of free_all_blocks"] = "free_all_free" },
})
space("cuda.MemoryAsyncPool", "what `ma.cuda.MemoryAsyncPool` returns", function(s) return { s.async } end, {
  none = { [internal] = "memoryAsyncHasStat" },
})
space("cuda.PinnedMemoryPool", "what `ma.cuda.PinnedMemoryPool` returns", function(s) return { s.pinned } end)
space("cuda.MemoryHook", "what `ma.cuda.MemoryHook` takes", function(s) return { s.hook } end)
space("cuda.memory_hooks", "ma.cuda.memory_hooks", function(s) return { s.ma.cuda.memory_hooks } end)
space("cuda.nvtx", "ma.cuda.nvtx", function(s) return { s.ma.cuda.nvtx } end)
space("cuda.profiler", "ma.cuda.profiler", function(s) return { s.ma.cuda.profiler } end)
space("cuda.texture", "ma.cuda.texture", function(s) return { s.ma.cuda.texture } end)
space("cuda.nccl", "ma.distributed", function(s) return { s.ma.distributed } end, {
  spelled = { groupStart = "`ma.distributed.grouped`", groupEnd = "`ma.distributed.grouped`",
    NcclCommunicator = "what `ma.distributed.init` or `ma.distributed.local_` returns" },
  none = { ["ranks find each other by the store of `ma.distributed.init`"] = "get_unique_id",
    ["NCCL is loaded when it is first used, and nothing is built with it"] = "get_build_version get_version" },
})
space("RawKernel", "what `ma.RawKernel` returns", function(s) return { s.raw } end, { none = {
  [internal] = "backend cache_mode_ca kernel",
  ["a kernel's text is given as text; `ma.RawModule{path = file}` reads a file"] = "file_path",
} })
space("RawModule", "what `ma.RawModule` returns", function(s) return { s.module } end, { none = {
  [internal] = "backend module",
  ["`ma.RawModule{path = file}` reads a file"] = "file_path",
} })
space("ElementwiseKernel", "what `ma.ElementwiseKernel` returns", function(s) return { s.elementwise } end, { none = {
  [internal] = "cached_codes kwargs return_tuple",
  [merged] = "reduce_dims",
} })
space("ReductionKernel", "what `ma.ReductionKernel` returns", function(s) return { s.reduction } end, { none = {
  [internal] = "cached_codes params",
  [merged] = "reduce_dims",
} })
space("cupyx", "ma, ma.cuda", function(s) return { s.ma, s.ma.cuda } end, {
  spelled = {
    get_runtime_info = "`ma.show_config()`",
    DeviceSynchronized = 'an error whose text has "a wait for the device"; `ma.allow_synchronize` raises it',
  },
  none = { ["no floating-point errors are noted and no warnings given; NaN and inf come out"] =
    "errstate geterr seterr" },
})
space("cupyx.jit", "ma.jit", function(s) return { s.ma.jit } end)
space("cupyx.jit.cg", "ma.jit.cg", function(s) return { s.ma.jit.cg } end)
space("cupyx.jit.cub", "ma.jit.cub", function(s) return { s.ma.jit.cub } end)
space("cupyx.jit.thrust", "-", function() return {} end, {
  all = "thrust is a library of C++ templates over iterators, which CuPy's translator instantiates in a kernel by " ..
    "one thread or one block; kernels here are compiled without it. Sorts, scans, searches and sets of whole arrays " ..
    "are functions of `ma`, and `ma.jit.cub` has what a block or a warp does together",
})
space("cupyx.profiler", "ma.profiler", function(s) return { s.ma.profiler } end, {
  none = { ["an extension of IPython's"] = "load_ipython_extension" },
})
space("cupyx.optimizing", "ma", function(s) return { s.ma } end, { none = {
  ["nothing is tuned at run time: blocks and grids follow from shapes and dtypes alone, so that a reduction gives " ..
    "the same bits in every run"] = "optimize",
} })
space("cupyx.distributed", "ma.distributed", function(s) return { s.ma.distributed } end, {
  spelled = { init_process_group = "`ma.distributed.init`", NCCLBackend = "`ma.distributed.init`" },
})
space("cupyx.distributed.array", "ma.distributed", function(s) return { s.ma.distributed } end, {
  spelled = { distributed_array = "`ma.distributed.distribute`",
    DistributedArray = "what `ma.distributed.distribute` and `ma.distributed.array` return" },
  none = { ["a sharded array holds each element once, so that it has no mode; `ma.distributed.all_reduce` takes the " ..
    'operation as text: "sum", "prod", "max", "min"'] = "Mode REPLICA SUM PROD MAX MIN",
    ["arrays are divided along one axis"] = "make_2d_index_map" },
})
space("cupyx.linalg", "ma.linalg", function(s) return { s.ma.linalg } end)
space("cupyx.lapack", "ma.lapack", function(s) return { s.ma.lapack } end)
space("cupyx.signal", "ma.signal", function(s) return { s.ma.signal } end)

-- ==== cupyx.scipy ====

space("cupyx.scipy.special", "ma.special", function(s) return { s.ma.special } end)
space("cupyx.scipy.ndimage", "ma.ndimage", function(s) return { s.ma.ndimage } end)
space("cupyx.scipy.signal", "ma.signal", function(s) return { s.ma.signal } end)
space("cupyx.scipy.signal.windows", "ma.signal.windows", function(s) return { s.ma.signal.windows } end)
space("cupyx.scipy.sparse", "ma.sparse", function(s) return { s.ma.sparse } end)
space("cupyx.scipy.sparse.linalg", "ma.sparse.linalg", function(s) return { s.ma.sparse.linalg } end)
space("cupyx.scipy.sparse.csgraph", "ma.sparse.csgraph", function(s) return { s.ma.sparse.csgraph } end)
space("cupyx.scipy.linalg", "ma.linalg", function(s) return { s.ma.linalg } end)
space("cupyx.scipy.fft", "ma.fft", function(s) return { s.ma.fft } end)
space("cupyx.scipy.fftpack", "ma.fftpack", function(s) return { s.ma.fftpack } end)
space("cupyx.scipy.stats", "ma.stats", function(s) return { s.ma.stats } end)
space("cupyx.scipy.spatial", "ma.spatial", function(s) return { s.ma.spatial } end)
space("cupyx.scipy.spatial.distance", "ma.spatial.distance", function(s) return { s.ma.spatial.distance } end)
space("cupyx.scipy.interpolate", "ma.interpolate", function(s) return { s.ma.interpolate } end)

return { samples = samples, spaces = spaces, written = written }
