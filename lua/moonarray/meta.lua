---@meta moonarray
-- Made by scripts/meta.lua from the library itself: do not edit. Editors read it; nothing loads it.
-- luacheck: ignore

---@alias moonarray.dtype
---| "bool"
---| "int8"
---| "int16"
---| "int32"
---| "int64"
---| "uint8"
---| "uint16"
---| "uint32"
---| "uint64"
---| "float16"
---| "bfloat16"
---| "float32"
---| "float64"
---| "complex64"
---| "complex128"

---What a function takes as an array: one, a number, a complex number, or nested tables.
---@alias moonarray.data moonarray.array|number|boolean|table|moonarray.complex

---A whole number: in Lua every number is a double.
---@alias moonarray.whole integer|number

---An element: a number, or a complex number, by the array's dtype. (A bool element is a boolean.)
---@class moonarray.scalar: number, moonarray.complex

---What a[...] takes: whatever can be written there; and gives: an array.
---@alias moonarray.part moonarray.array|number|boolean|table

---A CPU's or a GPU's memory seen through a shape. Indexing: a["2:5, :, -1"], a[ {{2, 5}, {}, -1} ], a[mask] and
---a[ma.index{1, 3}] are arrays; a[1] is an element or a view; a(2, 3) is one element.
---@class moonarray.array
---@field shape integer[]
---@field strides integer[]
---@field dtype moonarray.dtype
---@field ndim integer
---@field size integer
---@field itemsize integer bytes of an element
---@field nbytes integer bytes of all elements
---@field device string
---@field is_contiguous boolean whether the elements lie one after another
---@field readonly boolean
---@field T moonarray.array its axes in the opposite order
---@field mT moonarray.array its last two axes exchanged
---@field real moonarray.array
---@field imag moonarray.array
---@field flat moonarray.flat
---@field [integer] any an element, or a view of the other axes
---@field [string] moonarray.part
---@field [table] moonarray.part
---@field [moonarray.array] moonarray.part
---@operator add(moonarray.data): moonarray.array
---@operator sub(moonarray.data): moonarray.array
---@operator mul(moonarray.data): moonarray.array
---@operator div(moonarray.data): moonarray.array
---@operator mod(moonarray.data): moonarray.array
---@operator pow(moonarray.data): moonarray.array
---@operator concat(string|number): string
---@operator unm: moonarray.array
---@operator len: integer
---@overload fun(...: integer): moonarray.scalar
local array = {}

---A queue of a device's work, which is done in order.
---@class moonarray.stream
---@field done boolean whether the work given so far is done, without waiting
---@field device string its device, such as "cuda:0"
---@field id integer a number of its own
---@field ptr integer the driver's handle
---@field priority integer the lower the more urgent
---@field is_non_blocking boolean whether it does not wait for the null stream
local stream = {}

---Makes it the current stream of its device.
---@return moonarray.stream
function stream:use() end

---Runs fn(...) with this stream current and restores the previous one.
---@param fn function
---@param ... any
---@return any ...
function stream:with(fn, ...) end

---Waits for the work given so far.
function stream:synchronize() end

---Records an event, a new one if none is given.
---@param event? moonarray.event
---@return moonarray.event
function stream:record(event) end

---Work given from now on waits for the event.
---@param event moonarray.event
---@return moonarray.stream
function stream:wait_event(event) end

---Work given from now on waits for what the other stream has.
---@param other moonarray.stream
---@return moonarray.stream
function stream:wait_stream(other) end

---Calls fn(arg) when the work before it is done.
---@param fn function
---@param arg? any
---@return moonarray.stream
function stream:launch_host_func(fn, arg) end

---Calls callback(stream, 0, arg) when the work before it is done.
---@param callback function
---@param arg? any
function stream:add_callback(callback, arg) end

---Records the work from now on in place of doing it.
---@return moonarray.stream
function stream:begin_capture() end

---Ends the recording and gives the graph.
---@return moonarray.graph
function stream:end_capture() end

---Whether it records.
---@return boolean
function stream:is_capturing() end

---Gives the stream back; its work goes on.
function stream:close() end

---A mark in a stream's work.
---@class moonarray.event
---@field done boolean whether the work before the mark is done, without waiting
---@field device string its device
local event = {}

---Marks the work that the stream has, by default the current one.
---@param stream? moonarray.stream
---@return moonarray.event
function event:record(stream) end

---Waits for the mark.
function event:synchronize() end

---Gives the event back.
function event:close() end

---Recorded work that one launch repeats.
---@class moonarray.graph
---@field device string its device
---@operator call(moonarray.stream?): any
local graph = {}

---Does the work again, on the same memory.
---@param stream? moonarray.stream
---@return any ...
function graph:launch(stream) end

---Prepares the first launch.
---@param stream? moonarray.stream
function graph:upload(stream) end

---The graph in Graphviz's language.
---@param flags? moonarray.whole
---@return string
function graph:debug_dot_str(flags) end

---Lets go of the recorded work.
function graph:free() end

---A GPU, or the CPU.
---@class moonarray.device
---@field name string "cuda:0", "cpu"
---@field id integer its number, from 0
---@field type string "cuda" or "cpu"
---@field attributes table CUDA's attributes by name
---@field compute_capability string? "90" for 9.0; nil for the CPU
---@field pci_bus_id string? its place on the bus; nil for the CPU
local device = {}

---Makes it the current device.
---@return moonarray.device
function device:use() end

---Runs fn(...) with this device current and restores the previous one.
---@param fn function
---@param ... any
---@return any ...
function device:with(fn, ...) end

---Waits for all its work.
function device:synchronize() end

---Bytes of memory that are free, and all.
---@return integer
---@return integer
function device:mem_info() end

---What it is, as a line of text.
---@return string
function device:description() end

---A pool of memory that arrays are served from.
---@class moonarray.pool
---@field device string its device
local pool = {}

---Bytes that arrays hold.
---@return integer
function pool:used_bytes() end

---Bytes that it keeps for later arrays.
---@return integer
function pool:free_bytes() end

---Both together.
---@return integer
function pool:total_bytes() end

---The most bytes that arrays held at once.
---@return integer
function pool:peak_bytes() end

---Begins to measure the peak anew.
function pool:reset_peak() end

---The blocks that it keeps.
---@return integer
function pool:n_free_blocks() end

---Gives back what no array holds.
function pool:free_all_blocks() end

---The most bytes it may take; 0 is no limit.
---@return integer
function pool:get_limit() end

---Sets the limit in bytes, or as a part of the device's memory.
---@param size? moonarray.whole
---@param fraction? number
function pool:set_limit(size, fraction) end

---Bytes of the pool as a uint8 array.
---@param nbytes moonarray.whole
---@return moonarray.array
function pool:malloc(nbytes) end

---A copy to the CPU under way.
---@class moonarray.copy
---@field done boolean whether it is there, without waiting
local copy = {}

---Waits for the copy and gives the array.
---@return moonarray.array
function copy:get() end

---A complex number.
---@class moonarray.complex
---@field re number the real part
---@field im number the imaginary part
---@field real number the real part
---@field imag number the imaginary part
---@operator add(moonarray.complex|number): moonarray.complex
---@operator sub(moonarray.complex|number): moonarray.complex
---@operator mul(moonarray.complex|number): moonarray.complex
---@operator div(moonarray.complex|number): moonarray.complex
---@operator pow(moonarray.complex|number): moonarray.complex
---@operator unm: moonarray.complex
local complex = {}

---An array's elements in C order: f[k] is one, f[k] = v sets it.
---@class moonarray.flat
---@field base moonarray.array the array
---@field size integer how many there are
---@field [integer] number
local flat = {}

---A copy along one axis.
---@return moonarray.array
function flat:copy() end

---An iterator over the elements.
---@return function
function flat:each() end

---Called with arrays, which broadcast.
---@class moonarray.elementwise_kernel
---@field name string its name
---@field nin integer the number of inputs
---@field nout integer the number of outputs
---@field nargs integer both together
---@field params table its parameters
---@field in_params string as it was made
---@field out_params string as it was made
---@field operation string as it was made
---@field preamble string as it was made
---@field loop_prep string as it was made
---@field after_loop string as it was made
---@field options string[] the compiler's options
---@field no_return boolean whether calls return nothing
---@field cached_code string the text that was compiled last
---@overload fun(...: any): moonarray.array
local elementwise_kernel = {}

---Called with arrays.
---@class moonarray.reduction_kernel
---@field name string its name
---@field nin integer the number of inputs
---@field nout integer the number of outputs
---@field nargs integer both together
---@field in_params string as it was made
---@field out_params string as it was made
---@field map string as it was made
---@field map_expr string the same under CuPy's name
---@field reduce string as it was made
---@field reduce_expr string the same under CuPy's name
---@field post_map string as it was made
---@field post_map_expr string the same under CuPy's name
---@field identity string as it was made
---@field reduce_type string as it was made
---@field preamble string as it was made
---@field options string[] the compiler's options
---@field cached_code string the text that was compiled last
---@overload fun(...: any): moonarray.array
local reduction_kernel = {}

---Called k(grid, block, {arguments}).
---@class moonarray.raw_kernel
---@field name string its name
---@field signature string its parameters
---@field attributes table registers, shared memory and the rest, by name
---@field max_threads_per_block integer one of the attributes, which have fields of their own
---@field code string the text
---@field cached_code string the text as it was compiled
---@field options string[] the compiler's options
---@field name_expressions string[] names of instances of templates
---@field enable_cooperative_groups boolean whether its launches are cooperative
---@overload fun(a: integer[], b: integer[], c: table, d?: table): any
local raw_kernel = {}

---Compiles it now.
---@return moonarray.raw_kernel
function raw_kernel:compile() end

---A text with kernels.
---@class moonarray.raw_module
---@field code string the text
---@field cached_code string the text as it was compiled
---@field options string[] the compiler's options
---@field name_expressions string[] names of instances of templates
---@field enable_cooperative_groups boolean whether launches are cooperative
local raw_module = {}

---One of its kernels.
---@param name string
---@return moonarray.raw_kernel
function raw_module:get_function(name) end

---A global variable as an array.
---@param name string
---@param dtype? moonarray.dtype
---@param shape? moonarray.whole|moonarray.whole[]
---@return moonarray.array
function raw_module:get_global(name, dtype, shape) end

---Compiles it now.
---@return moonarray.raw_module
function raw_module:compile() end

---A function whose operators run as one kernel.
---@class moonarray.fused
---@field name string its name
---@field traces integer how often the function was traced
---@field cached_code string the programs
---@overload fun(...: any): any
local fused = {}

---Forgets its traces.
---@return moonarray.fused
function fused:clear() end

---Called with fields, arrays of one shape.
---@class moonarray.stencil_function
---@overload fun(...: any): moonarray.array
local stencil_function = {}

---Runs it several times, each on the results before: fields, then { steps = n }.
---@param ... any
---@return moonarray.array ...
function stencil_function:run(...) end

---Called k(grid, block, {arguments}, options).
---@class moonarray.jit_kernel
---@field cached_code string the CUDA C++ of the last launch
---@overload fun(a: integer[], b: integer[], c: table, d?: table): any
local jit_kernel = {}

---The CUDA C++ for arguments, without a launch.
---@param args table
---@return string
function jit_kernel:code_for(args) end

---Called with arrays, which broadcast.
---@class moonarray.jit_elementwise
---@field cached_code string the CUDA C++ of the last call
---@overload fun(...: any): moonarray.array
local jit_elementwise = {}

---Called with arrays.
---@class moonarray.jit_reduction
---@field cached_code string the CUDA C++ of the last call
---@overload fun(...: any): moonarray.array
local jit_reduction = {}

---Called with arrays, which broadcast.
---@class moonarray.vectorized
---@field cached_code string the CUDA C++ of the last call
---@overload fun(...: any): moonarray.array
local vectorized = {}

---Called with arrays; fn runs once for each element.
---@class moonarray.host_function
---@field name string its name
---@field nin integer the number of inputs
---@field nout integer the number of outputs
---@field nargs integer both together
---@field fn function the function
---@overload fun(...: any): moonarray.array
local host_function = {}

---Called with arrays, whose leading axes broadcast.
---@class moonarray.gufunc
---@field name string its name
---@field signature string its axes
---@field nin integer the number of inputs
---@field nout integer the number of outputs
---@overload fun(...: any): moonarray.array
local gufunc = {}

---An elementwise operation: ma.add(a, b), and its methods.
---@class moonarray.ufunc
---@field name string its name
---@field nin integer the number of inputs
---@field nout integer the number of outputs
---@field nargs integer both together
---@field types string[] the dtypes that it has loops for
---@field identity any what no elements reduce to
---@overload fun(a: moonarray.data, b?: moonarray.data, c: moonarray.array|table|nil): moonarray.array
local ufunc = {}

---Reduces by it.
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]
---@param dtype? moonarray.dtype
---@param out? moonarray.part
---@param keepdims? boolean
---@return moonarray.array
function ufunc.reduce(a, axis, dtype, out, keepdims) end

---All partial results.
---@param a moonarray.data
---@param axis? moonarray.whole
---@param dtype? moonarray.dtype
---@param out? moonarray.part
---@return moonarray.array
function ufunc.accumulate(a, axis, dtype, out) end

---Reduces slices.
---@param a moonarray.data
---@param indices moonarray.data
---@param axis? moonarray.whole
---@param dtype? moonarray.dtype
---@param out? moonarray.part
---@return moonarray.array
function ufunc.reduceat(a, indices, axis, dtype, out) end

---Every pair of elements.
---@param a moonarray.data
---@param b moonarray.data
---@return moonarray.array
function ufunc.outer(a, b) end

---Works in place, once for each index.
---@param a moonarray.part
---@param indices moonarray.data
---@param b? moonarray.data
function ufunc.at(a, indices, b) end

---A generator of random numbers; its draws are methods.
---@class moonarray.generator
local generator = {}

---Its state, to be stored.
---@return table
function generator:get_state() end

---Goes on from a state that get_state gave.
---@param state table
---@return moonarray.generator
function generator:set_state(state) end

---Begins anew.
---@param seed? moonarray.whole|moonarray.whole[]|moonarray.part
---@return moonarray.generator
function generator:seed(seed) end

---The generator so many streams further; this one stays as it is.
---@param jumps? moonarray.whole
---@return moonarray.generator
function generator:jumped(jumps) end

---n generators whose numbers are independent.
---@param n moonarray.whole
---@return moonarray.generator[]
function generator:spawn(n) end

---Beta distribution on [0, 1]. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:beta(a, b, size?, dtype?, out?, device?)
---```
---@param a number|moonarray.part
---@param b number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:beta(a, b, size, dtype, out, device) end

---Successes in n trials of probability p. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---rng:binomial(n, p, size?, dtype?, out?, device?)
---```
---@param n number|moonarray.part
---@param p number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:binomial(n, p, size, dtype, out, device) end

---A string of that many bytes; waits.
---```lua
---rng:bytes(length)
---```
---@param length moonarray.whole
---@return string
function generator:bytes(length) end

---Sum of the squares of df standard normals. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:chisquare(df, size?, dtype?, out?, device?)
---```
---@param df number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:chisquare(df, size, dtype, out, device) end

---Elements of the array a along an axis (the first), or positions 1 .. a, by chance: with replacement unless replace = false, by the weights p if they are given.
---```lua
---rng:choice(a, size?, replace?, p?, axis?, shuffle?, device?)
---```
---@param a moonarray.data|moonarray.whole
---@param size? moonarray.whole|moonarray.whole[]|table
---@param replace? boolean|table
---@param p? moonarray.data|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param shuffle? boolean|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:choice(a, size, replace, p, axis, shuffle, device) end

---Vectors of positive parts of 1, by the parameters alpha along the last axis.
---```lua
---rng:dirichlet(alpha, size?, dtype?, device?)
---```
---@param alpha moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function generator:dirichlet(alpha, size, dtype, device) end

---Exponential numbers of mean `scale`. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:exponential(scale?, size?, dtype?, out?, device?)
---```
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:exponential(scale, size, dtype, out, device) end

---Fisher's F distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:f(dfnum, dfden, size?, dtype?, out?, device?)
---```
---@param dfnum number|moonarray.part
---@param dfden number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:f(dfnum, dfden, size, dtype, out, device) end

---Gamma distribution of a shape and a scale. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:gamma(shape, scale?, size?, dtype?, out?, device?)
---```
---@param shape number|moonarray.part
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:gamma(shape, scale, size, dtype, out, device) end

---Trials up to the first success of probability p. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---rng:geometric(p, size?, dtype?, out?, device?)
---```
---@param p number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:geometric(p, size, dtype, out, device) end

---Gumbel's distribution of maxima. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:gumbel(loc?, scale?, size?, dtype?, out?, device?)
---```
---@param loc? number|moonarray.part|moonarray.dtype|table
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:gumbel(loc, scale, size, dtype, out, device) end

---Good ones among nsample of ngood good and nbad bad ones. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---rng:hypergeometric(ngood, nbad, nsample, size?, dtype?, out?, device?)
---```
---@param ngood number|moonarray.part
---@param nbad number|moonarray.part
---@param nsample moonarray.whole|moonarray.whole[]
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:hypergeometric(ngood, nbad, nsample, size, dtype, out, device) end

---Whole numbers from low to below high (to high itself with endpoint), each as likely as the others; from 0 to below low if high is not given. Bounds may be arrays: where there is nothing between them the number is 0.
---```lua
---rng:integers(low, high?, size?, dtype?, endpoint?, out?, device?)
---```
---@param low number|moonarray.part
---@param high? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param endpoint? boolean|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:integers(low, high, size, dtype, endpoint, out, device) end

---Laplace distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:laplace(loc?, scale?, size?, dtype?, out?, device?)
---```
---@param loc? number|moonarray.part|moonarray.dtype|table
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:laplace(loc, scale, size, dtype, out, device) end

---Logistic distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:logistic(loc?, scale?, size?, dtype?, out?, device?)
---```
---@param loc? number|moonarray.part|moonarray.dtype|table
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:logistic(loc, scale, size, dtype, out, device) end

---exp of normal numbers of this mean and standard deviation. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:lognormal(mean?, sigma?, size?, dtype?, out?, device?)
---```
---@param mean? number|moonarray.part|moonarray.dtype|table
---@param sigma? number|number[]|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:lognormal(mean, sigma, size, dtype, out, device) end

---Logarithmic series distribution. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---rng:logseries(p, size?, dtype?, out?, device?)
---```
---@param p number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:logseries(p, size, dtype, out, device) end

---How often each of some outcomes of probabilities pvals, along its last axis, occurs in n trials.
---```lua
---rng:multinomial(n, pvals, size?, dtype?, device?)
---```
---@param n moonarray.whole
---@param pvals moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function generator:multinomial(n, pvals, size, dtype, device) end

---How many of each color are among nsample that are taken out of colors[1] of the first, colors[2] of the second ...
---```lua
---rng:multivariate_hypergeometric(colors, nsample, size?, dtype?, device?)
---```
---@param colors moonarray.data
---@param nsample moonarray.whole|moonarray.whole[]
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function generator:multivariate_hypergeometric(colors, nsample, size, dtype, device) end

---Normal vectors of a mean and a covariance matrix, factored by method 'svd' (default), 'eigh' or 'cholesky'.
---```lua
---rng:multivariate_normal(mean, cov, size?, dtype?, method?, device?)
---```
---@param mean moonarray.data
---@param cov moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param method? string|table
---@param device? string|table
---@return moonarray.array
function generator:multivariate_normal(mean, cov, size, dtype, method, device) end

---Failures before n successes of probability p. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---rng:negative_binomial(n, p, size?, dtype?, out?, device?)
---```
---@param n number|moonarray.part
---@param p number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:negative_binomial(n, p, size, dtype, out, device) end

---The same of normals whose squared means add up to nonc. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:noncentral_chisquare(df, nonc, size?, dtype?, out?, device?)
---```
---@param df number|moonarray.part
---@param nonc number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:noncentral_chisquare(df, nonc, size, dtype, out, device) end

---Noncentral F distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:noncentral_f(dfnum, dfden, nonc, size?, dtype?, out?, device?)
---```
---@param dfnum number|moonarray.part
---@param dfden number|moonarray.part
---@param nonc number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:noncentral_f(dfnum, dfden, nonc, size, dtype, out, device) end

---Normal numbers of mean loc and standard deviation scale, 0 and 1 by default.
---```lua
---rng:normal(loc?, scale?, size?, dtype?, out?, device?)
---```
---@param loc? number|moonarray.part|moonarray.dtype|table
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:normal(loc, scale, size, dtype, out, device) end

---Pareto II (Lomax) distribution; add 1 for the classical one. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:pareto(a, size?, dtype?, out?, device?)
---```
---@param a number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:pareto(a, size, dtype, out, device) end

---The positions 1 .. x in an order by chance, or a copy of the array x with those along an axis (the first) in such an order.
---```lua
---rng:permutation(x, axis?, device?)
---```
---@param x moonarray.data|moonarray.whole
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param device? string|table
---@return moonarray.array
function generator:permutation(x, axis, device) end

---A copy with the elements along an axis in an order by chance, another one for each row; without axis, of all elements.
---```lua
---rng:permuted(x, axis?, out?)
---```
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@return moonarray.array
function generator:permuted(x, axis, out) end

---Events in an interval where lam are expected. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---rng:poisson(lam?, size?, dtype?, out?, device?)
---```
---@param lam? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:poisson(lam, size, dtype, out, device) end

---Density a x^(a - 1) on [0, 1]. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:power(a, size?, dtype?, out?, device?)
---```
---@param a number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:power(a, size, dtype, out, device) end

---Uniform numbers in [0, 1); extents one by one.
---```lua
---rng:rand(; dtype?, out?, device?, ...)
---```
---@param ... any
---@return moonarray.array|moonarray.scalar
function generator:rand(...) end

---Whole numbers from low to below high; from 0 to below low if high is not given.
---```lua
---rng:randint(low, high?, size?, dtype?, out?, device?)
---```
---@param low number|moonarray.part
---@param high? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:randint(low, high, size, dtype, out, device) end

---Normal numbers of mean 0 and standard deviation 1; extents one by one.
---```lua
---rng:randn(; dtype?, out?, device?, ...)
---```
---@param ... any
---@return moonarray.array|moonarray.scalar
function generator:randn(...) end

---Uniform numbers in [0, 1): float32 from 24 bits, float64 from 53.
---```lua
---rng:random(size?, dtype?, out?, device?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:random(size, dtype, out, device) end

---Whole numbers from low to high, both included; from 1 to low if high is not given.
---```lua
---rng:random_integers(low, high?, size?)
---```
---@param low number|moonarray.part
---@param high? number|moonarray.part|table
---@param size? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array|moonarray.scalar
function generator:random_integers(low, high, size) end

---The same as random.random.
---```lua
---rng:random_sample(size?, dtype?, out?, device?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:random_sample(size, dtype, out, device) end

---The same as random.random.
---```lua
---rng:ranf(size?, dtype?, out?, device?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:ranf(size, dtype, out, device) end

---Rayleigh distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:rayleigh(scale?, size?, dtype?, out?, device?)
---```
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:rayleigh(scale, size, dtype, out, device) end

---The same as random.random.
---```lua
---rng:sample(size?, dtype?, out?, device?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:sample(size, dtype, out, device) end

---Puts what lies along an axis (the first) of an array in an order by chance, in place; returns the array.
---```lua
---rng:shuffle(x, axis?)
---```
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function generator:shuffle(x, axis) end

---Cauchy distribution: the ratio of two standard normals. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:standard_cauchy(size?, dtype?, out?, device?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:standard_cauchy(size, dtype, out, device) end

---Exponential numbers of mean 1. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:standard_exponential(size?, dtype?, out?, device?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:standard_exponential(size, dtype, out, device) end

---Gamma distribution of a shape, scale 1. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:standard_gamma(shape, size?, dtype?, out?, device?)
---```
---@param shape number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:standard_gamma(shape, size, dtype, out, device) end

---Normal numbers of mean 0 and standard deviation 1.
---```lua
---rng:standard_normal(size?, dtype?, out?, device?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:standard_normal(size, dtype, out, device) end

---Student's t distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:standard_t(df, size?, dtype?, out?, device?)
---```
---@param df number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:standard_t(df, size, dtype, out, device) end

---Whole numbers from 0 to the largest int64, 2^63 - 1.
---```lua
---rng:tomaxint(size?)
---```
---@param size? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array|moonarray.scalar
function generator:tomaxint(size) end

---Triangular distribution from left to right. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:triangular(left, mode, right, size?, dtype?, out?, device?)
---```
---@param left number|moonarray.part
---@param mode number|moonarray.part
---@param right number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:triangular(left, mode, right, size, dtype, out, device) end

---Uniform numbers from low to below high, 0 and 1 by default.
---```lua
---rng:uniform(low?, high?, size?, dtype?, out?, device?)
---```
---@param low? number|moonarray.part|moonarray.dtype|table
---@param high? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:uniform(low, high, size, dtype, out, device) end

---Angles in [-pi, pi] around mu. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:vonmises(mu, kappa, size?, dtype?, out?, device?)
---```
---@param mu number|moonarray.part
---@param kappa number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:vonmises(mu, kappa, size, dtype, out, device) end

---Inverse Gaussian distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:wald(mean, scale, size?, dtype?, out?, device?)
---```
---@param mean number|moonarray.part
---@param scale number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:wald(mean, scale, size, dtype, out, device) end

---Weibull distribution of scale 1. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---rng:weibull(a, size?, dtype?, out?, device?)
---```
---@param a number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:weibull(a, size, dtype, out, device) end

---Zipf distribution: k from 1 on with probability like k^-a. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---rng:zipf(a, size?, dtype?, out?, device?)
---```
---@param a number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@return moonarray.array|moonarray.scalar
function generator:zipf(a, size, dtype, out, device) end

---A polynomial: p(x) is its value, p[k] the coefficient of x^k.
---@class moonarray.poly1d
---@field coeffs moonarray.array from the highest power down
---@field coef moonarray.array the same
---@field coefficients moonarray.array the same
---@field c moonarray.array the same
---@field order integer the highest power
---@field o integer the same
---@field roots moonarray.array where it is 0
---@field r moonarray.array the same
---@field variable string what it prints for x
---@field [integer] number
---@operator add(moonarray.poly1d|moonarray.data): moonarray.poly1d
---@operator sub(moonarray.poly1d|moonarray.data): moonarray.poly1d
---@operator mul(moonarray.poly1d|moonarray.data): moonarray.poly1d
---@operator div(moonarray.poly1d|moonarray.data): moonarray.poly1d
---@operator mod(moonarray.poly1d|moonarray.data): moonarray.poly1d
---@operator pow(integer): moonarray.poly1d
---@operator unm: moonarray.poly1d
---@operator call(moonarray.data): moonarray.array
local poly1d = {}

---The m-th derivative, 1 unless it is said.
---@param m? moonarray.whole
---@return moonarray.poly1d
function poly1d:deriv(m) end

---The m-th integral, with constants k.
---@param m? moonarray.whole
---@param k? moonarray.data
---@return moonarray.poly1d
function poly1d:integ(m, k) end

---A copy on the CPU.
---@return moonarray.poly1d
function poly1d:get() end

---Takes the coefficients of another one.
---@param other moonarray.poly1d
---@return moonarray.poly1d
function poly1d:set(other) end

---A series of polynomials: p(x) is its value.
---@class moonarray.series
---@field coef moonarray.array from the lowest degree up
---@field domain number[] what is mapped to window
---@field window number[] where the polynomials live
---@field symbol string what it prints for x
---@field basis_name string the polynomials' letter
---@operator add(any): moonarray.series
---@operator sub(any): moonarray.series
---@operator mul(any): moonarray.series
---@operator div(any): moonarray.series
---@operator mod(any): moonarray.series
---@operator pow(integer): moonarray.series
---@operator unm: moonarray.series
---@operator call(moonarray.data): moonarray.array
local series = {}

---The highest degree.
---@return integer
function series:degree() end

---The m-th derivative, 1 unless it is said.
---@param m? moonarray.whole
---@return moonarray.series
function series:deriv(m) end

---The m-th integral from lbnd, with constants k.
---@param m? moonarray.whole
---@param k? moonarray.data
---@param lbnd? number
---@return moonarray.series
function series:integ(m, k, lbnd) end

---Where it is 0.
---@return moonarray.array
function series:roots() end

---n points over the domain, and the values there.
---@param n? moonarray.whole
---@param domain? number[]
---@return moonarray.array
---@return moonarray.array
function series:linspace(n, domain) end

---Without the last coefficients that are at most tol.
---@param tol? number
---@return moonarray.series
function series:trim(tol) end

---The first coefficients.
---@param size moonarray.whole
---@return moonarray.series
function series:truncate(size) end

---The coefficients to that degree.
---@param deg moonarray.whole
---@return moonarray.series
function series:cutdeg(deg) end

---As another kind.
---@param kind? any
---@param domain? number[]
---@param window? number[]
---@return moonarray.series
function series:convert(kind, domain, window) end

---The quotient and the remainder.
---@param other any
---@return moonarray.series
---@return moonarray.series
function series:divmod(other) end

---Offset and scale of the domain's way to the window.
---@return number
---@return number
function series:mapparms() end

---A copy.
---@return moonarray.series
function series:copy() end

---Whether the coefficients are the same.
---@param other moonarray.series
---@return boolean
function series:has_samecoef(other) end

---Whether the domains are the same.
---@param other moonarray.series
---@return boolean
function series:has_samedomain(other) end

---Whether the windows are the same.
---@param other moonarray.series
---@return boolean
function series:has_samewindow(other) end

---Whether the other one is of this kind.
---@param other any
---@return boolean
function series:has_sametype(other) end

---A piecewise polynomial, called with positions.
---@class moonarray.piecewise
---@field c moonarray.array the coefficients, from the highest power down
---@field x moonarray.array the breakpoints
---@field axis integer the axis of the values
---@field extrapolate boolean|string what it is outside of the breakpoints
---@overload fun(a: moonarray.data, b?: integer, c: boolean|string|nil): moonarray.array
local piecewise = {}

---The derivative of order nu, 1 unless it is said.
---@param nu? moonarray.whole
---@return moonarray.piecewise
function piecewise:derivative(nu) end

---The integral of order nu, 1 unless it is said.
---@param nu? moonarray.whole
---@return moonarray.piecewise
function piecewise:antiderivative(nu) end

---The integral from a to b.
---@param a number
---@param b number
---@param extrapolate? boolean|string
---@return moonarray.array
function piecewise:integrate(a, b, extrapolate) end

---Where it is y.
---@param y? number
---@param discontinuity? boolean
---@param extrapolate? boolean|string
---@return moonarray.array
function piecewise:solve(y, discontinuity, extrapolate) end

---Where it is 0.
---@param discontinuity? boolean
---@param extrapolate? boolean|string
---@return moonarray.array
function piecewise:roots(discontinuity, extrapolate) end

---With further pieces.
---@param c moonarray.data
---@param x moonarray.data
---@return moonarray.piecewise
function piecewise:extend(c, x) end

---A piecewise polynomial in Bernstein's basis.
---@class moonarray.bernstein
---@field c moonarray.array the coefficients
---@field x moonarray.array the breakpoints
---@field axis integer the axis of the values
---@field extrapolate boolean|string what it is outside of the breakpoints
---@overload fun(a: moonarray.data, b?: integer, c: boolean|string|nil): moonarray.array
local bernstein = {}

---The derivative of order nu, 1 unless it is said.
---@param nu? moonarray.whole
---@return moonarray.bernstein
function bernstein:derivative(nu) end

---The integral of order nu, 1 unless it is said.
---@param nu? moonarray.whole
---@return moonarray.bernstein
function bernstein:antiderivative(nu) end

---The integral from a to b.
---@param a number
---@param b number
---@param extrapolate? boolean|string
---@return moonarray.array
function bernstein:integrate(a, b, extrapolate) end

---The same in powers.
---@return moonarray.piecewise
function bernstein:to_ppoly() end

---With further pieces.
---@param c moonarray.data
---@param x moonarray.data
---@return moonarray.bernstein
function bernstein:extend(c, x) end

---A spline of basis functions, called with positions.
---@class moonarray.spline
---@field t moonarray.array the knots
---@field c moonarray.array the coefficients
---@field k integer the degree
---@field axis integer the axis of the values
---@field extrapolate boolean|string what it is outside of the knots
---@overload fun(a: moonarray.data, b?: integer, c: boolean|string|nil): moonarray.array
local spline = {}

---The derivative of order nu, 1 unless it is said.
---@param nu? moonarray.whole
---@return moonarray.spline
function spline:derivative(nu) end

---The integral of order nu, 1 unless it is said.
---@param nu? moonarray.whole
---@return moonarray.spline
function spline:antiderivative(nu) end

---The integral from a to b.
---@param a number
---@param b number
---@param extrapolate? boolean|string
---@return moonarray.array
function spline:integrate(a, b, extrapolate) end

---A spline through points.
---@class moonarray.univariate_spline
---@field ext any what it is outside of the points
---@field x moonarray.array the points
---@field y moonarray.array the values
---@overload fun(a: moonarray.data, b?: integer, c: any): moonarray.array
local univariate_spline = {}

---The coefficients.
---@return moonarray.array
function univariate_spline:get_coeffs() end

---The knots.
---@return moonarray.array
function univariate_spline:get_knots() end

---The sum of the squares of what it misses.
---@return moonarray.array
function univariate_spline:get_residual() end

---The integral from a to b.
---@param a number
---@param b number
---@return moonarray.array
function univariate_spline:integral(a, b) end

---All derivatives at x.
---@param x number
---@return moonarray.array
function univariate_spline:derivatives(x) end

---The derivative of order n, 1 unless it is said.
---@param n? moonarray.whole
---@return moonarray.univariate_spline
function univariate_spline:derivative(n) end

---The integral of order n, 1 unless it is said.
---@param n? moonarray.whole
---@return moonarray.univariate_spline
function univariate_spline:antiderivative(n) end

---Where it is 0.
---@return moonarray.array
function univariate_spline:roots() end

---Fits it anew.
---@param s number
function univariate_spline:set_smoothing_factor(s) end

---A function through points, called with positions.
---@class moonarray.interpolator
---@overload fun(a: moonarray.data, b: any, c: any): moonarray.array
local interpolator = {}

---A polynomial through points.
---@class moonarray.polynomial_interpolator
---@field xi moonarray.array the points
---@field axis integer the axis of the values
---@operator call(moonarray.data): moonarray.array
local polynomial_interpolator = {}

---The derivative of order der, 1 unless it is said.
---@param x moonarray.data
---@param der? moonarray.whole
---@return moonarray.array
function polynomial_interpolator:derivative(x, der) end

---The first der derivatives, all of them unless it is said.
---@param x moonarray.data
---@param der? moonarray.whole
---@return moonarray.array
function polynomial_interpolator:derivatives(x, der) end

---A polynomial through points.
---@class moonarray.barycentric
---@field xi moonarray.array the points
---@field wi moonarray.array the weights
---@field axis integer the axis of the values
---@operator call(moonarray.data): moonarray.array
local barycentric = {}

---Takes other values.
---@param yi moonarray.data
---@param axis? moonarray.whole
function barycentric:set_yi(yi, axis) end

---Takes further points.
---@param xi moonarray.data
---@param yi? moonarray.data
function barycentric:add_xi(xi, yi) end

---The derivative of order der, 1 unless it is said.
---@param x moonarray.data
---@param der? moonarray.whole
---@return moonarray.array
function barycentric:derivative(x, der) end

---The first der derivatives, all of them unless it is said.
---@param x moonarray.data
---@param der? moonarray.whole
---@return moonarray.array
function barycentric:derivatives(x, der) end

---A linear system.
---@class moonarray.system
---@field dt number|false the step of a discrete system
---@field kind string "TransferFunction", "ZerosPolesGain" or "StateSpace"
---@field zeros moonarray.array of the transfer function
---@field poles moonarray.array of the transfer function
---@field gain number of the transfer function
---@field num moonarray.array of a TransferFunction
---@field den moonarray.array of a TransferFunction
local system = {}

---As a TransferFunction.
---@return moonarray.system
function system:to_tf() end

---As a ZerosPolesGain.
---@return moonarray.system
function system:to_zpk() end

---As a StateSpace.
---@return moonarray.system
function system:to_ss() end

---Sampled with steps of dt.
---@param dt number
---@param method? string
---@param alpha? number
---@return moonarray.system
function system:to_discrete(dt, method, alpha) end

---As signal.impulse or dimpulse.
---@param ... any
---@return any ...
function system:impulse(...) end

---As signal.step or dstep.
---@param ... any
---@return any ...
function system:step(...) end

---As signal.freqresp or dfreqresp.
---@param w? moonarray.data
---@param n? moonarray.whole
---@return moonarray.array
---@return moonarray.array
function system:freqresp(w, n) end

---As signal.bode or dbode.
---@param w? moonarray.data
---@param n? moonarray.whole
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function system:bode(w, n) end

---As signal.lsim or dlsim.
---@param u moonarray.data
---@param t moonarray.data
---@param x0? moonarray.data
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function system:output(u, t, x0) end

---A tree of points that finds neighbours.
---@class moonarray.kdtree
---@field data moonarray.array the points
---@field n integer how many points there are
---@field m integer their coordinates
---@field dtype moonarray.dtype of the points
---@field device string where they are
---@field mins moonarray.array the least of each coordinate
---@field maxes moonarray.array the greatest of each coordinate
local kdtree = {}

---The k nearest.
---@param x moonarray.data
---@param k? moonarray.whole|moonarray.whole[]
---@param eps? number
---@param p? number
---@param bound? number
---@return moonarray.array
---@return moonarray.array
function kdtree:query(x, k, eps, p, bound) end

---The neighbours within r.
---@param x moonarray.data
---@param r moonarray.data
---@param p? number
---@param options? table
---@return moonarray.array|moonarray.array[]
function kdtree:query_ball_point(x, r, p, options) end

---The same for each point, in another tree.
---@param other moonarray.kdtree
---@param r number
---@param p? number
---@return moonarray.array[]
function kdtree:query_ball_tree(other, r, p) end

---All pairs within r.
---@param r number
---@param p? number
---@return moonarray.array
function kdtree:query_pairs(r, p) end

---How many pairs of two trees are within r.
---@param other moonarray.kdtree
---@param r moonarray.data
---@param p? number
---@return moonarray.array
function kdtree:count_neighbors(other, r, p) end

---A triangulation of points in the plane.
---@class moonarray.delaunay
---@field points moonarray.array the points
---@field simplices moonarray.array three points for each triangle, counterclockwise
---@field neighbors moonarray.array the triangle opposite to each of them, 0 beyond the hull
---@field convex_hull moonarray.array the edges of the hull
---@field vertex_neighbor_vertices table {indptr, indices}
---@field coplanar moonarray.array points that equal another one, a triangle, and that one
local delaunay = {}

---The triangle of each point, or 0.
---@param xi moonarray.data
---@return moonarray.array
function delaunay:find_simplex(xi) end

---A density from points, called with points.
---@class moonarray.gaussian_kde
---@field dataset moonarray.array the points
---@field d integer their dimensions
---@field n integer how many there are
---@field neff number how many they count for, with weights
---@field factor number of the covariance
---@field weights moonarray.array of the points
---@field covariance moonarray.array of the Gaussians
---@field inv_cov moonarray.array its inverse
---@operator call(moonarray.data): moonarray.array
local gaussian_kde = {}

---The density at points.
---@param points moonarray.data
---@return moonarray.array
function gaussian_kde:evaluate(points) end

---The same.
---@param points moonarray.data
---@return moonarray.array
function gaussian_kde:pdf(points) end

---Its logarithm.
---@param points moonarray.data
---@return moonarray.array
function gaussian_kde:logpdf(points) end

---The integral of its product with a Gaussian.
---@param mean moonarray.data
---@param cov moonarray.data
---@return moonarray.array
function gaussian_kde:integrate_gaussian(mean, cov) end

---The integral of its product with another one.
---@param other moonarray.gaussian_kde
---@return moonarray.array
function gaussian_kde:integrate_kde(other) end

---Points drawn from it.
---@param size? moonarray.whole
---@param seed? any
---@return moonarray.array
function gaussian_kde:resample(size, seed) end

---Takes another bandwidth.
---@param method? number|string|function
function gaussian_kde:set_bandwidth(method) end

---Scott's factor.
---@return number
function gaussian_kde:scotts_factor() end

---Silverman's factor.
---@return number
function gaussian_kde:silverman_factor() end

---A plan of Fourier transforms.
---@class moonarray.plan
---@field shape integer[] of the arrays
---@field axes integer[] that are transformed
---@field dtype moonarray.dtype of the arrays
---@field device string where they are
---@field value_type string "C2C", "R2C" or "C2R"
local plan = {}

---Lets go of the plan.
function plan:free() end

---Functions that are told what memory pools do.
---@class moonarray.memory_hook
---@field name string its name
local memory_hook = {}

---Begins to listen.
---@return moonarray.memory_hook
function memory_hook:install() end

---Ends it.
---@return moonarray.memory_hook
function memory_hook:remove() end

---Tells what happened until now.
function memory_hook:flush() end

---Listens while fn(...) runs.
---@param fn function
---@param ... any
---@return any ...
function memory_hook:with(fn, ...) end

---A buffer or an image of OpenGL.
---@class moonarray.gl_resource
---@field id integer OpenGL's name
---@field device string the GPU
---@field mapped boolean whether CUDA has it
---@field registered boolean whether it is registered
local gl_resource = {}

---An array over its memory until unmap.
---@param shape? moonarray.whole|moonarray.whole[]
---@param dtype? moonarray.dtype
---@param fn? function
---@return moonarray.array
function gl_resource:map(shape, dtype, fn) end

---Gives it back to OpenGL.
function gl_resource:unmap() end

---Ends it.
function gl_resource:unregister() end

---A copy of an image.
---@param layer? moonarray.whole
---@param level? moonarray.whole
---@return moonarray.array
function gl_resource:read(layer, level) end

---Writes an image.
---@param array moonarray.part
---@param layer? moonarray.whole
---@param level? moonarray.whole
function gl_resource:write(array, layer, level) end

---The format of texels.
---@class moonarray.channel_format
---@field channels integer how many there are
---@field dtype moonarray.dtype of a channel
local channel_format = {}

---The bits of x, y, z and w, and the kind f.
---@return table
function channel_format:get_channel_format() end

---A CUDA array of texels.
---@class moonarray.cuda_array
---@field width integer texels
---@field height integer rows; 0 with one axis
---@field depth integer layers; 0 with one or two axes
---@field desc moonarray.channel_format the format of its texels
---@field ndim integer the axes
---@field shape integer[] of the texels
---@field device string the GPU
---@field ptr integer the driver's handle
local cuda_array = {}

---Takes the elements of an array.
---@param array moonarray.part
---@param stream? moonarray.stream
function cuda_array:copy_from(array, stream) end

---Gives its texels to an array.
---@param array moonarray.part
---@param stream? moonarray.stream
function cuda_array:copy_to(array, stream) end

---Gives its memory back.
function cuda_array:free() end

---What a texture reads.
---@class moonarray.resource
local resource = {}

---How a texture is read.
---@class moonarray.sampler
local sampler = {}

---A texture or surface object.
---@class moonarray.texture
---@field ptr integer the driver's handle
---@field device string the GPU
local texture = {}

---Ends it.
function texture:free() end

---A matrix of which the entries other than zero are kept.
---@class moonarray.sparse_matrix
---@field data moonarray.array the entries
---@field indices moonarray.array of csr and csc: the column or row of each entry, from 1
---@field indptr moonarray.array of csr and csc: where each row or column begins in the two
---@field shape integer[] rows and columns
---@field nnz integer how many entries are kept
---@field dtype moonarray.dtype of the entries
---@field format string "csr", "csc", "coo", "dia" or "bsr"
---@field device string where the arrays are
---@field T moonarray.sparse_matrix the transpose
local sparse_matrix = {}

---The magnitude of each entry, as a sparse matrix.
---```lua
---abs()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:abs() end

---The magnitude of each entry, as a sparse matrix.
---```lua
---absolute()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:absolute() end

---The sum: sparse of two sparse matrices, else an array.
---```lua
---add(b)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function sparse_matrix:add(b) end

---The arc sine of each entry, as a sparse matrix.
---```lua
---arcsin()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:arcsin() end

---The inverse hyperbolic sine of each entry, as a sparse matrix.
---```lua
---arcsinh()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:arcsinh() end

---The arc tangent of each entry, as a sparse matrix.
---```lua
---arctan()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:arctan() end

---The inverse hyperbolic tangent of each entry, as a sparse matrix.
---```lua
---arctanh()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:arctanh() end

---The position of the greatest element, zeros included: in the flattened matrix in C order, or along an axis.
---```lua
---argmax(axis?, out?)
---```
---@param axis? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array
function sparse_matrix:argmax(axis, out) end

---The position of the least element, zeros included: in the flattened matrix in C order, or along an axis.
---```lua
---argmin(axis?, out?)
---```
---@param axis? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array
function sparse_matrix:argmin(axis, out) end

---The matrix in a format: "csr", "csc", "coo", "dia" or "bsr".
---```lua
---asformat(format?, copy?)
---```
---@param format? string|table
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function sparse_matrix:asformat(format, copy) end

---The matrix with another dtype.
---```lua
---astype(dtype, copy?)
---```
---@param dtype moonarray.dtype
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function sparse_matrix:astype(dtype, copy) end

---The least whole number above of each entry, as a sparse matrix.
---```lua
---ceil()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:ceil() end

---The complex conjugate of each entry.
---```lua
---conj()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:conj() end

---The complex conjugate of each entry.
---```lua
---conjugate()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:conjugate() end

---A matrix with arrays of its own.
---```lua
---copy()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:copy() end

---The number of entries that are not 0: of the matrix, a number, or along an axis, an array. Waits.
---```lua
---count_nonzero(axis?)
---```
---@param axis? moonarray.whole|table
---@return moonarray.array
function sparse_matrix:count_nonzero(axis) end

---The angle in radians of each entry, as a sparse matrix.
---```lua
---deg2rad()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:deg2rad() end

---Diagonal k (0) as a vector: above the main one for k > 0.
---```lua
---diagonal(k?)
---```
---@param k? moonarray.whole|table
---@return moonarray.array
function sparse_matrix:diagonal(k) end

---The quotient element by element, by an array that broadcasts or a number.
---```lua
---divide(b)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function sparse_matrix:divide(b) end

---The matrix product with a vector, a matrix or a sparse matrix, which gives a sparse one. out: an array for the result of a dense operand.
---```lua
---dot(b; out?)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@param out? moonarray.part|table
---@return moonarray.array|moonarray.sparse_matrix
function sparse_matrix:dot(b, out) end

---Removes stored entries that are 0, in place; returns the matrix. Waits.
---```lua
---eliminate_zeros()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:eliminate_zeros() end

---Where equal, as a sparse bool matrix; beside an array as an array.
---```lua
---eq(b)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function sparse_matrix:eq(b) end

---exp(x) - 1 of each entry, as a sparse matrix.
---```lua
---expm1()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:expm1() end

---The greatest whole number below of each entry, as a sparse matrix.
---```lua
---floor()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:floor() end

---Where greater equal, as a sparse bool matrix; beside an array as an array.
---```lua
---ge(b)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function sparse_matrix:ge(b) end

---The matrix on the CPU.
---```lua
---get()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:get() end

---The conjugate transpose.
---```lua
---getH()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:getH() end

---Column i, as a matrix of one column.
---```lua
---getcol(i)
---```
---@param i moonarray.whole
---@return moonarray.sparse_matrix
function sparse_matrix:getcol(i) end

---The number of stored entries: of the matrix, a number, or of each column (axis 1) or row (axis 2), an array.
---```lua
---getnnz(axis?)
---```
---@param axis? moonarray.whole|table
---@return integer|moonarray.array
function sparse_matrix:getnnz(axis) end

---Row i, as a matrix of one row.
---```lua
---getrow(i)
---```
---@param i moonarray.whole
---@return moonarray.sparse_matrix
function sparse_matrix:getrow(i) end

---Where greater, as a sparse bool matrix; beside an array as an array.
---```lua
---gt(b)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function sparse_matrix:gt(b) end

---Where less equal, as a sparse bool matrix; beside an array as an array.
---```lua
---le(b)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function sparse_matrix:le(b) end

---log(1 + x) of each entry, as a sparse matrix.
---```lua
---log1p()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:log1p() end

---Where less, as a sparse bool matrix; beside an array as an array.
---```lua
---lt(b)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function sparse_matrix:lt(b) end

---The matrix product with a vector, a matrix or a sparse matrix, which gives a sparse one. out: an array for the result of a dense operand.
---```lua
---matmul(b; out?)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@param out? moonarray.part|table
---@return moonarray.array|moonarray.sparse_matrix
function sparse_matrix:matmul(b, out) end

---The maximum of all elements, zeros included, or along an axis, as an array.
---```lua
---max(axis?, out?)
---```
---@param axis? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array
function sparse_matrix:max(axis, out) end

---The greater of both, element by element: sparse of two sparse matrices, or beside a number.
---```lua
---maximum(b)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function sparse_matrix:maximum(b) end

---The mean of all elements, zeros included, or along an axis.
---```lua
---mean(axis?, dtype?, out?)
---```
---@param axis? moonarray.whole|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@return moonarray.array
function sparse_matrix:mean(axis, dtype, out) end

---The minimum of all elements, zeros included, or along an axis, as an array.
---```lua
---min(axis?, out?)
---```
---@param axis? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array
function sparse_matrix:min(axis, out) end

---The lesser of both, element by element: sparse of two sparse matrices, or beside a number.
---```lua
---minimum(b)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function sparse_matrix:minimum(b) end

---The product element by element, with a sparse matrix, an array that broadcasts or a number; a * b is the same, and a:matmul(b) is the matrix product.
---```lua
---multiply(b)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function sparse_matrix:multiply(b) end

---The maximum of the elements that are not NaN, zeros included.
---```lua
---nanmax(axis?, out?)
---```
---@param axis? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array
function sparse_matrix:nanmax(axis, out) end

---The minimum of the elements that are not NaN, zeros included.
---```lua
---nanmin(axis?, out?)
---```
---@param axis? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array
function sparse_matrix:nanmin(axis, out) end

---Where not equal, as a sparse bool matrix; beside an array as an array.
---```lua
---ne(b)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function sparse_matrix:ne(b) end

---The rows and the columns of the entries that are not 0, in C order, in two arrays. Waits.
---```lua
---nonzero()
---```
---@return moonarray.array
---@return moonarray.array
function sparse_matrix:nonzero() end

---Each entry to the power n, a number above 0. Powers of the matrix: sparse.linalg.matrix_power.
---```lua
---power(n, dtype?)
---```
---@param n moonarray.whole
---@param dtype? moonarray.dtype|table
---@return moonarray.sparse_matrix
function sparse_matrix:power(n, dtype) end

---The angle in degrees of each entry, as a sparse matrix.
---```lua
---rad2deg()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:rad2deg() end

---The same elements in C order as a matrix of another shape; one extent may be -1.
---```lua
---reshape(shape, ...)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param ... any
---@return moonarray.sparse_matrix
function sparse_matrix:reshape(shape, ...) end

---The nearest whole number of each entry, as a sparse matrix.
---```lua
---rint()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:rint() end

---x a: the product with a vector or a matrix from the left.
---```lua
---rmatmul(x)
---```
---@param x moonarray.data
---@return moonarray.array
function sparse_matrix:rmatmul(x) end

---Writes diagonal k (0): a number, or as many values as it has, or fewer. Returns the matrix.
---```lua
---setdiag(values, k?)
---```
---@param values moonarray.data
---@param k? moonarray.whole|table
---@return moonarray.sparse_matrix
function sparse_matrix:setdiag(values, k) end

---The sign of each entry, as a sparse matrix.
---```lua
---sign()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:sign() end

---The sine of each entry, as a sparse matrix.
---```lua
---sin()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:sin() end

---The hyperbolic sine of each entry, as a sparse matrix.
---```lua
---sinh()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:sinh() end

---Sorts the columns of each row (in CSC the rows of each column) in place; returns the matrix.
---```lua
---sort_indices()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:sort_indices() end

---A matrix with the columns of each row sorted; the matrix itself stays as it is.
---```lua
---sorted_indices()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:sorted_indices() end

---The square root of each entry, as a sparse matrix.
---```lua
---sqrt()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:sqrt() end

---The difference: sparse of two sparse matrices, else an array.
---```lua
---subtract(b)
---```
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function sparse_matrix:subtract(b) end

---The sum of all elements, or along an axis: 1 down the columns, 2 along the rows.
---```lua
---sum(axis?, dtype?, out?)
---```
---@param axis? moonarray.whole|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@return moonarray.array
function sparse_matrix:sum(axis, dtype, out) end

---Adds up entries at the same place, in place, and sorts; returns the matrix.
---```lua
---sum_duplicates()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:sum_duplicates() end

---The tangent of each entry, as a sparse matrix.
---```lua
---tan()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:tan() end

---The hyperbolic tangent of each entry, as a sparse matrix.
---```lua
---tanh()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:tanh() end

---The matrix on a device, such as "cuda" or "cpu".
---```lua
---to_device(device)
---```
---@param device string
---@return moonarray.sparse_matrix
function sparse_matrix:to_device(device) end

---The matrix as an array; duplicates are added up. order: "C" or "F".
---```lua
---toarray(order?, out?)
---```
---@param order? string|table
---@param out? moonarray.part|table
---@return moonarray.array
function sparse_matrix:toarray(order, out) end

---The matrix in blocks of {height, width}, or of a size whose blocks are nearly full. Waits.
---```lua
---tobsr(blocksize?, copy?)
---```
---@param blocksize? moonarray.whole|moonarray.whole[]|table
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function sparse_matrix:tobsr(blocksize, copy) end

---The matrix in the format coo, which shares what can be shared unless copy is true.
---```lua
---tocoo(copy?)
---```
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function sparse_matrix:tocoo(copy) end

---The matrix in the format csc, which shares what can be shared unless copy is true.
---```lua
---tocsc(copy?)
---```
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function sparse_matrix:tocsc(copy) end

---The matrix in the format csr, which shares what can be shared unless copy is true.
---```lua
---tocsr(copy?)
---```
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function sparse_matrix:tocsr(copy) end

---The matrix as an array; duplicates are added up. order: "C" or "F".
---```lua
---todense(order?, out?)
---```
---@param order? string|table
---@param out? moonarray.part|table
---@return moonarray.array
function sparse_matrix:todense(order, out) end

---The matrix in the format dia, which shares what can be shared unless copy is true.
---```lua
---todia(copy?)
---```
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function sparse_matrix:todia(copy) end

---The sum of a diagonal.
---```lua
---trace(offset?)
---```
---@param offset? moonarray.whole|table
---@return moonarray.array
function sparse_matrix:trace(offset) end

---The transpose: CSR becomes CSC and the reverse, with the same arrays.
---```lua
---transpose(axes?, copy?)
---```
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function sparse_matrix:transpose(axes, copy) end

---The whole part of each entry, as a sparse matrix.
---```lua
---trunc()
---```
---@return moonarray.sparse_matrix
function sparse_matrix:trunc() end

---An array whose parts along one axis several processes have.
---@class moonarray.sharded_array
---@field part moonarray.array the elements of this rank
---@field axis integer the axis that is divided
---@field halo integer positions that padded() adds on each side
---@field sizes integer[] the extents of all ranks' parts along it
---@field first integer where the part begins in the whole
---@field last integer where it ends
---@field group moonarray.distributed_group the ranks
---@field shape integer[] of the whole
---@field ndim integer the axes
---@field size integer the elements of the whole
---@field dtype moonarray.dtype of the elements
---@field device string where the part is
local sharded_array = {}

---moonarray.abs of each element.
---```lua
---abs()
---```
---@return moonarray.sharded_array
function sharded_array:abs() end

---moonarray.absolute of each element.
---```lua
---absolute()
---```
---@return moonarray.sharded_array
function sharded_array:absolute() end

---Are all elements true? Without axis and keepdims a Lua boolean.
---```lua
---all(axis?, keepdims?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return boolean|moonarray.array|moonarray.sharded_array
function sharded_array:all(axis, keepdims, where) end

---The whole as an array on every rank.
---```lua
---all_gather(;timeout?)
---```
---@param timeout? number|table
---@return moonarray.array
function sharded_array:all_gather(timeout) end

---Is any element true? Without axis and keepdims a Lua boolean.
---```lua
---any(axis?, keepdims?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return boolean|moonarray.array|moonarray.sharded_array
function sharded_array:any(axis, keepdims, where) end

---moonarray.arccos of each element.
---```lua
---arccos()
---```
---@return moonarray.sharded_array
function sharded_array:arccos() end

---moonarray.arccosh of each element.
---```lua
---arccosh()
---```
---@return moonarray.sharded_array
function sharded_array:arccosh() end

---moonarray.arcsin of each element.
---```lua
---arcsin()
---```
---@return moonarray.sharded_array
function sharded_array:arcsin() end

---moonarray.arcsinh of each element.
---```lua
---arcsinh()
---```
---@return moonarray.sharded_array
function sharded_array:arcsinh() end

---moonarray.arctan of each element.
---```lua
---arctan()
---```
---@return moonarray.sharded_array
function sharded_array:arctan() end

---moonarray.arctan2 of each pair of elements.
---```lua
---arctan2(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:arctan2(y) end

---moonarray.arctanh of each element.
---```lua
---arctanh()
---```
---@return moonarray.sharded_array
function sharded_array:arctanh() end

---Position of the first largest element along an axis, or of the first NaN; counted over the whole.
---```lua
---argmax(axis?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:argmax(axis) end

---Position of the first smallest element along an axis, or of the first NaN; counted over the whole.
---```lua
---argmin(axis?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:argmin(axis) end

---Writes the elements of a sharded array with the same parts, an array that all ranks have, or a number. Returns x.
---```lua
---assign(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:assign(y) end

---The elements in another dtype.
---```lua
---astype(dtype)
---```
---@param dtype moonarray.dtype
---@return moonarray.sharded_array
function sharded_array:astype(dtype) end

---moonarray.cbrt of each element.
---```lua
---cbrt()
---```
---@return moonarray.sharded_array
function sharded_array:cbrt() end

---moonarray.ceil of each element.
---```lua
---ceil()
---```
---@return moonarray.sharded_array
function sharded_array:ceil() end

---The elements, held between two limits.
---```lua
---clip(least?, most?)
---```
---@param least? moonarray.sharded_array|moonarray.data|table
---@param most? moonarray.sharded_array|moonarray.data|table
---@return moonarray.sharded_array
function sharded_array:clip(least, most) end

---moonarray.conj of each element.
---```lua
---conj()
---```
---@return moonarray.sharded_array
function sharded_array:conj() end

---A copy.
---```lua
---copy()
---```
---@return moonarray.sharded_array
function sharded_array:copy() end

---moonarray.cos of each element.
---```lua
---cos()
---```
---@return moonarray.sharded_array
function sharded_array:cos() end

---moonarray.cosh of each element.
---```lua
---cosh()
---```
---@return moonarray.sharded_array
function sharded_array:cosh() end

---Number of elements that are not 0.
---```lua
---count_nonzero(axis?, keepdims?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:count_nonzero(axis, keepdims, where) end

---Running product along an axis, or over all elements in C order.
---```lua
---cumprod(axis?, dtype?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.sharded_array
function sharded_array:cumprod(axis, dtype) end

---Running sum along an axis, or over all elements in C order.
---```lua
---cumsum(axis?, dtype?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.sharded_array
function sharded_array:cumsum(axis, dtype) end

---moonarray.deg2rad of each element.
---```lua
---deg2rad()
---```
---@return moonarray.sharded_array
function sharded_array:deg2rad() end

---moonarray.eq of each pair of elements.
---```lua
---eq(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:eq(y) end

---moonarray.exp of each element.
---```lua
---exp()
---```
---@return moonarray.sharded_array
function sharded_array:exp() end

---moonarray.exp2 of each element.
---```lua
---exp2()
---```
---@return moonarray.sharded_array
function sharded_array:exp2() end

---moonarray.expm1 of each element.
---```lua
---expm1()
---```
---@return moonarray.sharded_array
function sharded_array:expm1() end

---moonarray.floor of each element.
---```lua
---floor()
---```
---@return moonarray.sharded_array
function sharded_array:floor() end

---moonarray.fmax of each pair of elements.
---```lua
---fmax(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:fmax(y) end

---moonarray.fmin of each pair of elements.
---```lua
---fmin(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:fmin(y) end

---The whole as an array on rank `dst`, 0 if not given; the others get nil.
---```lua
---gather(dst?; timeout?)
---```
---@param dst? moonarray.whole|table
---@param timeout? number|table
---@return moonarray.array
function sharded_array:gather(dst, timeout) end

---moonarray.ge of each pair of elements.
---```lua
---ge(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:ge(y) end

---moonarray.gt of each pair of elements.
---```lua
---gt(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:gt(y) end

---moonarray.hypot of each pair of elements.
---```lua
---hypot(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:hypot(y) end

---moonarray.isfinite of each element.
---```lua
---isfinite()
---```
---@return moonarray.sharded_array
function sharded_array:isfinite() end

---moonarray.isinf of each element.
---```lua
---isinf()
---```
---@return moonarray.sharded_array
function sharded_array:isinf() end

---moonarray.isnan of each element.
---```lua
---isnan()
---```
---@return moonarray.sharded_array
function sharded_array:isnan() end

---moonarray.le of each pair of elements.
---```lua
---le(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:le(y) end

---moonarray.log of each element.
---```lua
---log()
---```
---@return moonarray.sharded_array
function sharded_array:log() end

---moonarray.log10 of each element.
---```lua
---log10()
---```
---@return moonarray.sharded_array
function sharded_array:log10() end

---moonarray.log1p of each element.
---```lua
---log1p()
---```
---@return moonarray.sharded_array
function sharded_array:log1p() end

---moonarray.log2 of each element.
---```lua
---log2()
---```
---@return moonarray.sharded_array
function sharded_array:log2() end

---moonarray.logical_and of each pair of elements.
---```lua
---logical_and(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:logical_and(y) end

---moonarray.logical_not of each element.
---```lua
---logical_not()
---```
---@return moonarray.sharded_array
function sharded_array:logical_not() end

---moonarray.logical_or of each pair of elements.
---```lua
---logical_or(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:logical_or(y) end

---moonarray.logical_xor of each pair of elements.
---```lua
---logical_xor(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:logical_xor(y) end

---Logarithm of the sum of the exponentials.
---```lua
---logsumexp(axis?, dtype?, keepdims?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:logsumexp(axis, dtype, keepdims, where) end

---moonarray.lt of each pair of elements.
---```lua
---lt(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:lt(y) end

---Largest element; NaN if there is one.
---```lua
---max(axis?, keepdims?, initial?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:max(axis, keepdims, initial, where) end

---moonarray.maximum of each pair of elements.
---```lua
---maximum(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:maximum(y) end

---Arithmetic mean along axes; of integers in float64.
---```lua
---mean(axis?, dtype?, keepdims?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:mean(axis, dtype, keepdims, where) end

---Smallest element; NaN if there is one.
---```lua
---min(axis?, keepdims?, initial?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:min(axis, keepdims, initial, where) end

---moonarray.minimum of each pair of elements.
---```lua
---minimum(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:minimum(y) end

---Largest element that is not NaN.
---```lua
---nanmax(axis?, keepdims?, initial?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:nanmax(axis, keepdims, initial, where) end

---Arithmetic mean of what is not NaN.
---```lua
---nanmean(axis?, dtype?, keepdims?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:nanmean(axis, dtype, keepdims, where) end

---Smallest element that is not NaN.
---```lua
---nanmin(axis?, keepdims?, initial?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:nanmin(axis, keepdims, initial, where) end

---Standard deviation of what is not NaN.
---```lua
---nanstd(axis?, dtype?, ddof?, keepdims?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param ddof? moonarray.whole|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:nanstd(axis, dtype, ddof, keepdims, where) end

---Variance of what is not NaN.
---```lua
---nanvar(axis?, dtype?, ddof?, keepdims?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param ddof? moonarray.whole|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:nanvar(axis, dtype, ddof, keepdims, where) end

---moonarray.ne of each pair of elements.
---```lua
---ne(y)
---```
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function sharded_array:ne(y) end

---moonarray.negative of each element.
---```lua
---negative()
---```
---@return moonarray.sharded_array
function sharded_array:negative() end

---An array of this rank: its part with x.halo positions more on each side of the sharded axis, which are the neighbours'. Outside the whole there are none, unless `wrap` continues it from its other end.
---```lua
---padded(;wrap?)
---```
---@param wrap? boolean|table
---@return moonarray.array
function sharded_array:padded(wrap) end

---Product of elements along axes, and of `initial`.
---```lua
---prod(axis?, dtype?, keepdims?, initial?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:prod(axis, dtype, keepdims, initial, where) end

---moonarray.rad2deg of each element.
---```lua
---rad2deg()
---```
---@return moonarray.sharded_array
function sharded_array:rad2deg() end

---moonarray.reciprocal of each element.
---```lua
---reciprocal()
---```
---@return moonarray.sharded_array
function sharded_array:reciprocal() end

---The array with other parts: `to` is an axis, along which it is divided as equally as can be, or as `sizes`, the extents of all ranks, says; or a sharded array, whose parts it gets. An array that has these parts already is returned as it is.
---```lua
---reshard(to?; sizes?)
---```
---@param to? moonarray.sharded_array|moonarray.whole|table
---@param sizes? moonarray.whole[]|table
---@return moonarray.sharded_array
function sharded_array:reshard(to, sizes) end

---moonarray.rint of each element.
---```lua
---rint()
---```
---@return moonarray.sharded_array
function sharded_array:rint() end

---moonarray.sign of each element.
---```lua
---sign()
---```
---@return moonarray.sharded_array
function sharded_array:sign() end

---moonarray.sin of each element.
---```lua
---sin()
---```
---@return moonarray.sharded_array
function sharded_array:sin() end

---moonarray.sinh of each element.
---```lua
---sinh()
---```
---@return moonarray.sharded_array
function sharded_array:sinh() end

---moonarray.sqrt of each element.
---```lua
---sqrt()
---```
---@return moonarray.sharded_array
function sharded_array:sqrt() end

---moonarray.square of each element.
---```lua
---square()
---```
---@return moonarray.sharded_array
function sharded_array:square() end

---Standard deviation along axes.
---```lua
---std(axis?, dtype?, ddof?, keepdims?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param ddof? moonarray.whole|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:std(axis, dtype, ddof, keepdims, where) end

---Sum of elements along axes, and of `initial`.
---```lua
---sum(axis?, dtype?, keepdims?, initial?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:sum(axis, dtype, keepdims, initial, where) end

---moonarray.tan of each element.
---```lua
---tan()
---```
---@return moonarray.sharded_array
function sharded_array:tan() end

---moonarray.tanh of each element.
---```lua
---tanh()
---```
---@return moonarray.sharded_array
function sharded_array:tanh() end

---A copy whose parts are on another device.
---```lua
---to(device)
---```
---@param device string
---@return moonarray.sharded_array
function sharded_array:to(device) end

---moonarray.trunc of each element.
---```lua
---trunc()
---```
---@return moonarray.sharded_array
function sharded_array:trunc() end

---Variance along axes.
---```lua
---var(axis?, dtype?, ddof?, keepdims?, where?)
---```
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param ddof? moonarray.whole|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function sharded_array:var(axis, dtype, ddof, keepdims, where) end

---A stencil of sharded arrays.
---@class moonarray.sharded_stencil
---@overload fun(...: any): moonarray.sharded_array
local sharded_stencil = {}

---Runs it several times: fields, then { steps = n }.
---@param ... any
---@return moonarray.sharded_array ...
function sharded_stencil:run(...) end

---Ranks that call together. Its methods are the calls of ma.distributed.
---@class moonarray.distributed_group
---@field rank integer the number of this process in it, from 0
---@field size integer how many ranks it has
---@field ranks integer[] their numbers in the world
local distributed_group = {}

---ma.distributed.all_reduce among its ranks.
---@param x moonarray.data
---@param op? string
---@param options? table
---@return moonarray.array
function distributed_group:all_reduce(x, op, options) end

---ma.distributed.reduce among its ranks.
---@param x moonarray.data
---@param dst? moonarray.whole
---@param op? string
---@param options? table
---@return moonarray.array
function distributed_group:reduce(x, dst, op, options) end

---ma.distributed.reduce_scatter among its ranks.
---@param x moonarray.data
---@param op? string
---@param options? table
---@return moonarray.array
function distributed_group:reduce_scatter(x, op, options) end

---ma.distributed.broadcast among its ranks.
---@param x moonarray.data
---@param src? moonarray.whole
---@param options? table
---@return moonarray.array
function distributed_group:broadcast(x, src, options) end

---ma.distributed.all_gather among its ranks.
---@param x moonarray.data
---@param options? table
---@return moonarray.array
function distributed_group:all_gather(x, options) end

---ma.distributed.gather among its ranks.
---@param x moonarray.data
---@param dst? moonarray.whole
---@param options? table
---@return moonarray.array
function distributed_group:gather(x, dst, options) end

---ma.distributed.scatter among its ranks.
---@param x? moonarray.data
---@param src? moonarray.whole
---@param options? table
---@return moonarray.array
function distributed_group:scatter(x, src, options) end

---ma.distributed.all_to_all among its ranks.
---@param x moonarray.data
---@param options? table
---@return moonarray.array
function distributed_group:all_to_all(x, options) end

---ma.distributed.send within it.
---@param x moonarray.data
---@param dst moonarray.whole
---@param options? table
function distributed_group:send(x, dst, options) end

---ma.distributed.recv within it.
---@param out moonarray.part
---@param src moonarray.whole
---@param options? table
---@return moonarray.array
function distributed_group:recv(out, src, options) end

---Both at once.
---@param x? moonarray.data
---@param dst? moonarray.whole
---@param out? moonarray.part
---@param src? moonarray.whole
---@param options? table
---@return moonarray.array
function distributed_group:sendrecv(x, dst, out, src, options) end

---Returns when all its ranks have called it.
---@param options? table
function distributed_group:barrier(options) end

---ma.distributed.split of its ranks.
---@param color? moonarray.whole
---@param key? moonarray.whole
---@param options? table
---@return moonarray.distributed_group
function distributed_group:split(color, key, options) end

---A group of some of its ranks.
---@param ranks moonarray.whole[]
---@param options? table
---@return moonarray.distributed_group
function distributed_group:new_group(ranks, options) end

---ma.distributed.close: the group is not needed any more.
---@param options? table
function distributed_group:close(options) end

---A call that goes on in the background.
---@class moonarray.distributed_work
local distributed_work = {}

---Waits until it is done, and gives its result.
---@return any
function distributed_work:wait() end

---Whether it is done.
---@return boolean
function distributed_work:is_completed() end

---A figure, whose methods draw.
---@class moonarray.figure
local figure = {}

---Draws a line across the axes at a value of y.
---```lua
---axhline(y; color?, label?, linewidth?, linestyle?, alpha?)
---```
---@param y number
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param alpha? number|table
---@return moonarray.figure
function figure:axhline(y, color, label, linewidth, linestyle, alpha) end

---"equal" gives both axes units of one length, "auto" not; "off" hides frame and ticks, "on" shows them.
---```lua
---axis(what)
---```
---@param what string|boolean
---@return moonarray.figure
function figure:axis(what) end

---Draws a line across the axes at a value of x.
---```lua
---axvline(x; color?, label?, linewidth?, linestyle?, alpha?)
---```
---@param x number
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param alpha? number|table
---@return moonarray.figure
function figure:axvline(x, color, label, linewidth, linestyle, alpha) end

---Draws bars of these lengths along the y axis; x may be a table of names. Bars are 0.8 thick unless width is given, and begin at 0, or where bottom says. align is "center" or "edge".
---```lua
---bar(x, height, width?, bottom?; color?, label?, alpha?, align?, edgecolor?)
---```
---@param x moonarray.data
---@param height moonarray.data
---@param width? moonarray.data|table
---@param bottom? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param align? string|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.figure
function figure:bar(x, height, width, bottom, color, label, alpha, align, edgecolor) end

---Draws bars of these lengths along the x axis; y may be a table of names. Bars are 0.8 thick unless height is given, and begin at 0, or where left says. align is "center" or "edge".
---```lua
---barh(y, width, height?, left?; color?, label?, alpha?, align?, edgecolor?)
---```
---@param y moonarray.data
---@param width moonarray.data
---@param height? moonarray.data|table
---@param left? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param align? string|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.figure
function figure:barh(y, width, height, left, color, label, alpha, align, edgecolor) end

---Puts a colour bar beside the axes, for what imshow, heatmap or scatter drew last.
---```lua
---colorbar(label?)
---```
---@param label? string|table
---@return moonarray.figure
function figure:colorbar(label) end

---Draws y over x as plot does, with a bar at each point for its error: one number, or one for each.
---```lua
---errorbar(x, y, yerr?, xerr?; color?, label?, marker?, markersize?, linestyle?, linewidth?, capsize?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param yerr? moonarray.data|table
---@param xerr? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param marker? string|table
---@param markersize? number|table
---@param linestyle? string|table
---@param linewidth? number|table
---@param capsize? number|table
---@return moonarray.figure
function figure:errorbar(x, y, yerr, xerr, color, label, marker, markersize, linestyle, linewidth, capsize) end

---Fills the area between two lines over x, or between one and 0.
---```lua
---fill_between(x, y1, y2?; color?, label?, alpha?)
---```
---@param x moonarray.data
---@param y1 moonarray.data
---@param y2? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@return moonarray.figure
function figure:fill_between(x, y1, y2, color, label, alpha) end

---Draws lines at the ticks: true, which is the default, false, "x" or "y".
---```lua
---grid(on?)
---```
---@param on? string|boolean|table
---@return moonarray.figure
function figure:grid(on) end

---As imshow, with a colour bar, and squares as wide as the axes let them be.
---```lua
---heatmap(a; colormap?, min?, max?, extent?, origin?, aspect?, alpha?, label?)
---```
---@param a moonarray.data
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param extent? number[]|table
---@param origin? string|table
---@param aspect? string|table
---@param alpha? number|table
---@param label? string|table
---@return moonarray.figure
function figure:heatmap(a, colormap, min, max, extent, origin, aspect, alpha, label) end

---Draws how many of the values lie in each bin, as ma.histogram counts them: bins is a number, 10 unless it is given, edges, or a rule's name such as "auto". Values that are not finite are left out.
---```lua
---hist(values, bins?; range?, density?, color?, label?, alpha?, edgecolor?)
---```
---@param values moonarray.data
---@param bins? moonarray.whole|moonarray.data|string|table
---@param range? number[]|table
---@param density? boolean|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.figure
function figure:hist(values, bins, range, density, color, label, alpha, edgecolor) end

---Shows a matrix in the colours of colormap (viridis) between min and max, or a picture (height, width, 1 to 4) of uint8, or of floats from 0 to 1. The element (i, j) is the square around x = j, y = i, the first row on top; origin = "lower" puts it at the bottom, extent = {left, right, bottom, top} puts the edges elsewhere.
---```lua
---imshow(a; colormap?, min?, max?, extent?, origin?, aspect?, alpha?)
---```
---@param a moonarray.data
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param extent? number[]|table
---@param origin? string|table
---@param aspect? string|table
---@param alpha? number|table
---@return moonarray.figure
function figure:imshow(a, colormap, min, max, extent, origin, aspect, alpha) end

---Turns the x axis round.
---```lua
---invert_xaxis()
---```
---@return moonarray.figure
function figure:invert_xaxis() end

---Turns the y axis round.
---```lua
---invert_yaxis()
---```
---@return moonarray.figure
function figure:invert_yaxis() end

---Shows the labels of what was drawn. place is "best" unless it is given, or as "upper right", "center left", "lower center", "center".
---```lua
---legend(place?)
---```
---@param place? moonarray.whole|string|moonarray.whole[]|table
---@return moonarray.figure
function figure:legend(place) end

---As plot, with two logarithmic axes.
---```lua
---loglog(x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.figure
function figure:loglog(x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---Draws y over x as a line. y alone is drawn over its positions; a matrix y gives a line for each column. format is as in matplotlib, such as "r--o": a colour's letter, the line's style (- -- : -.), a marker. linestyle = "none" draws the markers alone. NaN makes a gap.
---```lua
---plot(x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.figure
function figure:plot(x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---Writes the figure. The format is that of the path's ending: .png, .svg, .txt, .ppm or .bmp.
---```lua
---save(path)
---```
---@param path string
---@return moonarray.figure
function figure:save(path) end

---Draws a marker at each point. s is a diameter in pixels, 7 unless it is given, or one for each point; c a number for each, which gets its colour from colormap between min and max, or a colour.
---```lua
---scatter(x, y, s?, c?; color?, label?, marker?, alpha?, colormap?, min?, max?, edgecolor?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param s? moonarray.data|table
---@param c? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param marker? string|table
---@param alpha? number|table
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.figure
function figure:scatter(x, y, s, c, color, label, marker, alpha, colormap, min, max, edgecolor) end

---As plot, with a logarithmic x axis.
---```lua
---semilogx(x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.figure
function figure:semilogx(x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---As plot, with a logarithmic y axis.
---```lua
---semilogy(x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.figure
function figure:semilogy(x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---Prints the figure as text; see to_text. Colours are for a terminal, unless color says otherwise.
---```lua
---show(;columns?, rows?, style?, color?)
---```
---@param columns? moonarray.whole|table
---@param rows? moonarray.whole|table
---@param style? string|table
---@param color? string|table
---@return moonarray.figure
function figure:show(columns, rows, style, color) end

---Draws y over x in steps: each value holds up to its x (where = "pre"), from its x on ("post"), or around it ("mid").
---```lua
---step(x, y; where?, color?, label?, linewidth?, linestyle?, alpha?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param where? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param alpha? number|table
---@return moonarray.figure
function figure:step(x, y, where, color, label, linewidth, linestyle, alpha) end

---Axes at a place of a grid, counted from 1 along the rows; {first, last} for several places. Further calls of the figure's own methods go to them.
---```lua
---subplot(rows, columns, place)
---```
---@param rows moonarray.whole
---@param columns moonarray.whole
---@param place moonarray.whole|string|moonarray.whole[]
---@return moonarray.axes
function figure:subplot(rows, columns, place) end

---Sets the title above all axes of the figure.
---```lua
---suptitle(text)
---```
---@param text string
---@return moonarray.figure
function figure:suptitle(text) end

---Writes a text at a place of the data. align is "left", "center" or "right".
---```lua
---text(x, y, text; color?, size?, align?)
---```
---@param x number
---@param y number
---@param text string
---@param color? string|table
---@param size? number|table
---@param align? string|table
---@return moonarray.figure
function figure:text(x, y, text, color, size, align) end

---Sets the title of the axes.
---```lua
---title(text)
---```
---@param text string
---@return moonarray.figure
function figure:title(text) end

---The figure as a picture, (height, width, 3) of uint8 on the CPU.
---```lua
---to_image()
---```
---@return moonarray.array
function figure:to_image() end

---The figure as the text of an SVG.
---```lua
---to_svg()
---```
---@return string
function figure:to_svg() end

---The figure as text of 80 columns and 24 rows, unless others are given. style is "braille", "blocks" or "ascii"; color = true puts in a terminal's codes for colours.
---```lua
---to_text(;columns?, rows?, style?, color?)
---```
---@param columns? moonarray.whole|table
---@param rows? moonarray.whole|table
---@param style? string|table
---@param color? string|table
---@return string
function figure:to_text(columns, rows, style, color) end

---Sets the label below the x axis of the axes.
---```lua
---xlabel(text)
---```
---@param text string
---@return moonarray.figure
function figure:xlabel(text) end

---Sets the ends of the x axis; nil leaves one to the data. Ends in falling order turn the axis round.
---```lua
---xlim(lo?, hi?)
---```
---@param lo? number|table
---@param hi? number|table
---@return moonarray.figure
function figure:xlim(lo, hi) end

---Makes the x axis "linear" or "log".
---```lua
---xscale(scale)
---```
---@param scale string
---@return moonarray.figure
function figure:xscale(scale) end

---Puts the ticks of the x axis at these values, with these labels; none for an empty table.
---```lua
---xticks(at?, labels?)
---```
---@param at? moonarray.data|boolean|table
---@param labels? string|boolean|string[]|table
---@return moonarray.figure
function figure:xticks(at, labels) end

---Sets the label beside the y axis of the axes.
---```lua
---ylabel(text)
---```
---@param text string
---@return moonarray.figure
function figure:ylabel(text) end

---Sets the ends of the y axis; nil leaves one to the data. Ends in falling order turn the axis round.
---```lua
---ylim(lo?, hi?)
---```
---@param lo? number|table
---@param hi? number|table
---@return moonarray.figure
function figure:ylim(lo, hi) end

---Makes the y axis "linear" or "log".
---```lua
---yscale(scale)
---```
---@param scale string
---@return moonarray.figure
function figure:yscale(scale) end

---Puts the ticks of the y axis at these values, with these labels; none for an empty table.
---```lua
---yticks(at?, labels?)
---```
---@param at? moonarray.data|boolean|table
---@param labels? string|boolean|string[]|table
---@return moonarray.figure
function figure:yticks(at, labels) end

---Axes of a figure, whose methods draw.
---@class moonarray.axes
local axes = {}

---Draws a line across the axes at a value of y.
---```lua
---axhline(y; color?, label?, linewidth?, linestyle?, alpha?)
---```
---@param y number
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param alpha? number|table
---@return moonarray.axes
function axes:axhline(y, color, label, linewidth, linestyle, alpha) end

---"equal" gives both axes units of one length, "auto" not; "off" hides frame and ticks, "on" shows them.
---```lua
---axis(what)
---```
---@param what string|boolean
---@return moonarray.axes
function axes:axis(what) end

---Draws a line across the axes at a value of x.
---```lua
---axvline(x; color?, label?, linewidth?, linestyle?, alpha?)
---```
---@param x number
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param alpha? number|table
---@return moonarray.axes
function axes:axvline(x, color, label, linewidth, linestyle, alpha) end

---Draws bars of these lengths along the y axis; x may be a table of names. Bars are 0.8 thick unless width is given, and begin at 0, or where bottom says. align is "center" or "edge".
---```lua
---bar(x, height, width?, bottom?; color?, label?, alpha?, align?, edgecolor?)
---```
---@param x moonarray.data
---@param height moonarray.data
---@param width? moonarray.data|table
---@param bottom? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param align? string|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.axes
function axes:bar(x, height, width, bottom, color, label, alpha, align, edgecolor) end

---Draws bars of these lengths along the x axis; y may be a table of names. Bars are 0.8 thick unless height is given, and begin at 0, or where left says. align is "center" or "edge".
---```lua
---barh(y, width, height?, left?; color?, label?, alpha?, align?, edgecolor?)
---```
---@param y moonarray.data
---@param width moonarray.data
---@param height? moonarray.data|table
---@param left? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param align? string|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.axes
function axes:barh(y, width, height, left, color, label, alpha, align, edgecolor) end

---Puts a colour bar beside the axes, for what imshow, heatmap or scatter drew last.
---```lua
---colorbar(label?)
---```
---@param label? string|table
---@return moonarray.axes
function axes:colorbar(label) end

---Draws y over x as plot does, with a bar at each point for its error: one number, or one for each.
---```lua
---errorbar(x, y, yerr?, xerr?; color?, label?, marker?, markersize?, linestyle?, linewidth?, capsize?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param yerr? moonarray.data|table
---@param xerr? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param marker? string|table
---@param markersize? number|table
---@param linestyle? string|table
---@param linewidth? number|table
---@param capsize? number|table
---@return moonarray.axes
function axes:errorbar(x, y, yerr, xerr, color, label, marker, markersize, linestyle, linewidth, capsize) end

---Fills the area between two lines over x, or between one and 0.
---```lua
---fill_between(x, y1, y2?; color?, label?, alpha?)
---```
---@param x moonarray.data
---@param y1 moonarray.data
---@param y2? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@return moonarray.axes
function axes:fill_between(x, y1, y2, color, label, alpha) end

---Draws lines at the ticks: true, which is the default, false, "x" or "y".
---```lua
---grid(on?)
---```
---@param on? string|boolean|table
---@return moonarray.axes
function axes:grid(on) end

---As imshow, with a colour bar, and squares as wide as the axes let them be.
---```lua
---heatmap(a; colormap?, min?, max?, extent?, origin?, aspect?, alpha?, label?)
---```
---@param a moonarray.data
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param extent? number[]|table
---@param origin? string|table
---@param aspect? string|table
---@param alpha? number|table
---@param label? string|table
---@return moonarray.axes
function axes:heatmap(a, colormap, min, max, extent, origin, aspect, alpha, label) end

---Draws how many of the values lie in each bin, as ma.histogram counts them: bins is a number, 10 unless it is given, edges, or a rule's name such as "auto". Values that are not finite are left out.
---```lua
---hist(values, bins?; range?, density?, color?, label?, alpha?, edgecolor?)
---```
---@param values moonarray.data
---@param bins? moonarray.whole|moonarray.data|string|table
---@param range? number[]|table
---@param density? boolean|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.axes
function axes:hist(values, bins, range, density, color, label, alpha, edgecolor) end

---Shows a matrix in the colours of colormap (viridis) between min and max, or a picture (height, width, 1 to 4) of uint8, or of floats from 0 to 1. The element (i, j) is the square around x = j, y = i, the first row on top; origin = "lower" puts it at the bottom, extent = {left, right, bottom, top} puts the edges elsewhere.
---```lua
---imshow(a; colormap?, min?, max?, extent?, origin?, aspect?, alpha?)
---```
---@param a moonarray.data
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param extent? number[]|table
---@param origin? string|table
---@param aspect? string|table
---@param alpha? number|table
---@return moonarray.axes
function axes:imshow(a, colormap, min, max, extent, origin, aspect, alpha) end

---Turns the x axis round.
---```lua
---invert_xaxis()
---```
---@return moonarray.axes
function axes:invert_xaxis() end

---Turns the y axis round.
---```lua
---invert_yaxis()
---```
---@return moonarray.axes
function axes:invert_yaxis() end

---Shows the labels of what was drawn. place is "best" unless it is given, or as "upper right", "center left", "lower center", "center".
---```lua
---legend(place?)
---```
---@param place? moonarray.whole|string|moonarray.whole[]|table
---@return moonarray.axes
function axes:legend(place) end

---As plot, with two logarithmic axes.
---```lua
---loglog(x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.axes
function axes:loglog(x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---Draws y over x as a line. y alone is drawn over its positions; a matrix y gives a line for each column. format is as in matplotlib, such as "r--o": a colour's letter, the line's style (- -- : -.), a marker. linestyle = "none" draws the markers alone. NaN makes a gap.
---```lua
---plot(x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.axes
function axes:plot(x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---Draws a marker at each point. s is a diameter in pixels, 7 unless it is given, or one for each point; c a number for each, which gets its colour from colormap between min and max, or a colour.
---```lua
---scatter(x, y, s?, c?; color?, label?, marker?, alpha?, colormap?, min?, max?, edgecolor?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param s? moonarray.data|table
---@param c? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param marker? string|table
---@param alpha? number|table
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.axes
function axes:scatter(x, y, s, c, color, label, marker, alpha, colormap, min, max, edgecolor) end

---As plot, with a logarithmic x axis.
---```lua
---semilogx(x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.axes
function axes:semilogx(x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---As plot, with a logarithmic y axis.
---```lua
---semilogy(x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.axes
function axes:semilogy(x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---Draws y over x in steps: each value holds up to its x (where = "pre"), from its x on ("post"), or around it ("mid").
---```lua
---step(x, y; where?, color?, label?, linewidth?, linestyle?, alpha?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param where? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param alpha? number|table
---@return moonarray.axes
function axes:step(x, y, where, color, label, linewidth, linestyle, alpha) end

---Writes a text at a place of the data. align is "left", "center" or "right".
---```lua
---text(x, y, text; color?, size?, align?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param text string
---@param color? string|table
---@param size? number|table
---@param align? string|table
---@return moonarray.axes
function axes:text(x, y, text, color, size, align) end

---Sets the title of the axes.
---```lua
---title(text)
---```
---@param text string
---@return moonarray.axes
function axes:title(text) end

---Sets the label below the x axis of the axes.
---```lua
---xlabel(text)
---```
---@param text string
---@return moonarray.axes
function axes:xlabel(text) end

---Sets the ends of the x axis; nil leaves one to the data. Ends in falling order turn the axis round.
---```lua
---xlim(lo?, hi?)
---```
---@param lo? number|table
---@param hi? number|table
---@return moonarray.axes
function axes:xlim(lo, hi) end

---Makes the x axis "linear" or "log".
---```lua
---xscale(scale)
---```
---@param scale string
---@return moonarray.axes
function axes:xscale(scale) end

---Puts the ticks of the x axis at these values, with these labels; none for an empty table.
---```lua
---xticks(at?, labels?)
---```
---@param at? moonarray.data|boolean|table
---@param labels? string|boolean|string[]|table
---@return moonarray.axes
function axes:xticks(at, labels) end

---Sets the label beside the y axis of the axes.
---```lua
---ylabel(text)
---```
---@param text string
---@return moonarray.axes
function axes:ylabel(text) end

---Sets the ends of the y axis; nil leaves one to the data. Ends in falling order turn the axis round.
---```lua
---ylim(lo?, hi?)
---```
---@param lo? number|table
---@param hi? number|table
---@return moonarray.axes
function axes:ylim(lo, hi) end

---Makes the y axis "linear" or "log".
---```lua
---yscale(scale)
---```
---@param scale string
---@return moonarray.axes
function axes:yscale(scale) end

---Puts the ticks of the y axis at these values, with these labels; none for an empty table.
---```lua
---yticks(at?, labels?)
---```
---@param at? moonarray.data|boolean|table
---@param labels? string|boolean|string[]|table
---@return moonarray.axes
function axes:yticks(at, labels) end

---Frames on their way to a file.
---@class moonarray.animation
local animation = {}

---Adds a frame: an array (height, width) or (height, width, 1 to 4) of uint8, or a figure of ma.plot. delay is this one's.
---```lua
---add(frame; delay?)
---```
---@param frame moonarray.part|moonarray.figure
---@param delay? number|table
---@return moonarray.animation
function animation:add(frame, delay) end

---Writes the file. Returns the number of frames.
---```lua
---close()
---```
---@return integer
function animation:close() end

---An Image of LÖVE that shows an array.
---@class moonarray.picture
---@field image userdata the Image
---@field data userdata its ImageData
---@field pixels moonarray.array a view of that
local picture = {}

---Shows another array of the same shape.
---@param a moonarray.data
---@return moonarray.picture
function picture:update(a) end

---love.graphics.draw of the Image.
---@param x? number
---@param y? number
---@param r? number
---@param sx? number
---@param sy? number
function picture:draw(x, y, r, sx, sy) end

---The vertices of a Mesh of LÖVE, an array for each attribute under its name.
---@class moonarray.vertices
---@field mesh userdata the Mesh
---@field data userdata the ByteData in which the arrays lie
---@field [string] moonarray.array
local vertices = {}

---Gives them back to the Mesh.
---@return moonarray.vertices
function vertices:upload() end

---An array for another library, by DLPack.
---@class moonarray.capsule
local capsule = {}

---The address of the DLManagedTensor.
---@return integer
function capsule:ptr() end

---The same, and gives it away: who takes it frees it.
---@return integer
function capsule:release() end

---A line that shows how far a loop is.
---@class moonarray.progress
---@field n integer passes in all
---@field done integer passes done
---@overload fun(a: any, b?: integer): integer
local progress = {}

---Counts k more passes, 1 unless it is said.
---@param k? moonarray.whole
---@return moonarray.progress
function progress:step(k) end

---Removes the line.
---@return moonarray.progress
function progress:close() end

---What profiler.benchmark measured, in seconds.
---@class moonarray.benchmark
---@field name string of the function
---@field cpu_times number[] of each call on the CPU
---@field gpu_times number[][] a list for each device
---@field devices integer[] the GPUs that were measured
local benchmark = {}

---@class moonarray
---@field pi number
---@field e number
---@field euler_gamma number
---@field inf number
---@field nan number
---@field newaxis string
---@field version string
---@field numpy moonarray the library, bound to the CPU
local moonarray = {}

---The slices of a along an axis where the condition is true.
---```lua
---compress(a, condition, axis?, out?)
---```
---@param a moonarray.data
---@param condition moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@return moonarray.array
function array.compress(a, condition, axis, out) end

---A new array of the same elements on its device, by rows; order "F": by columns, "A" or "K": as it lies.
---```lua
---copy(a, order?)
---```
---@param a moonarray.data
---@param order? string|table
---@return moonarray.array
function array.copy(a, order) end

---A typed FFI pointer to the elements, counted from 0. The array must be on the CPU and contiguous; it lives as long as the pointer.
---```lua
---data(a)
---```
---@param a moonarray.data
---@return moonarray.array
function array.data(a) end

---The same as to_dlpack.
---```lua
---dlpack(a; stream?, version?)
---```
---@param a moonarray.data
---@param stream? moonarray.stream|table
---@param version? moonarray.whole|table
---@return moonarray.capsule
function array.dlpack(a, stream, version) end

---Runs what operators left for later in the array and returns the array itself.
---```lua
---eval(a)
---```
---@param a moonarray.data
---@return moonarray.array
function array.eval(a) end

---Puts the array's kth element where a sort would, none after it smaller, none before greater; returns the array.
---```lua
---partition(a, kth, axis?, kind?)
---```
---@param a moonarray.data
---@param kth moonarray.whole|moonarray.whole[]
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param kind? string|table
---@return moonarray.array
function array.partition(a, kth, axis, kind) end

---The address of the first element as a number, of the GPU's memory for an array there, ready for work on the current stream. The array must outlive its use; other elements are a.strides bytes away.
---```lua
---ptr(a)
---```
---@param a moonarray.data
---@return moonarray.array
function array.ptr(a) end

---Sorts the array itself along an axis (the last), and returns it: ascending, with descending = true descending. Stable, and NaN comes last, either way. 
---```lua
---sort(a, axis?, kind?; descending?, stable?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param kind? string|table
---@param descending? boolean|table
---@param stable? boolean|table
---@return moonarray.array
function array.sort(a, axis, kind, descending, stable) end

---A kernel from C++ text that is run for every element of broadcast arrays: k(x, y), k(x, y, z), k(x, {size = n}).
---```lua
---ElementwiseKernel(in_params, out_params, operation, name?; preamble?, loop_prep?, after_loop?, no_return?, options?, reduce_dims?, return_tuple?)
---```
---@param in_params string
---@param out_params string
---@param operation string
---@param name? string|table
---@param preamble? string|table
---@param loop_prep? string|table
---@param after_loop? string|table
---@param no_return? boolean|table
---@param options? string[]|table
---@param reduce_dims? boolean|table
---@param return_tuple? boolean|table
---@return moonarray.elementwise_kernel
function moonarray.ElementwiseKernel(in_params, out_params, operation, name, preamble, loop_prep, after_loop, no_return, options, reduce_dims, return_tuple) end

---A mark in a stream's work: event:record(stream?), event:synchronize(), event.done. disable_timing: cheaper, takes no time; blocking (or block): who waits sleeps.
---```lua
---Event(; disable_timing?, blocking?, block?, interprocess?)
---```
---@param disable_timing? boolean|table
---@param blocking? boolean|table
---@param block? boolean|table
---@param interprocess? boolean|table
---@return moonarray.event
function moonarray.Event(disable_timing, blocking, block, interprocess) end

---A function of arrays that calls func with those of the axes that the signature names, as '(i,j),(j)->(i)', for each place of the axes before, which broadcast; with supports_batched = true once, with all axes. A call takes the options axes (a table of axes for each operand and result), axis (of one that all share), keepdims and out.
---```lua
---GeneralizedUFunc(func, signature; name?, supports_batched?)
---```
---@param func function
---@param signature string
---@param name? string|table
---@param supports_batched? boolean|table
---@return moonarray.gufunc
function moonarray.GeneralizedUFunc(func, signature, name, supports_batched) end

---A kernel in CUDA C++ by its name in the code; called k(grid, block, args, {shared_mem = n}).
---```lua
---RawKernel(code, name, options?, enable_cooperative_groups?)
---```
---@param code string
---@param name string
---@param options? string[]|table
---@param enable_cooperative_groups? boolean|table
---@return moonarray.raw_kernel
function moonarray.RawKernel(code, name, options, enable_cooperative_groups) end

---A module of CUDA C++, from a string or a file: get_function(name) and get_global(name, dtype, shape).
---```lua
---RawModule(code?, path?, options?, name_expressions?, enable_cooperative_groups?)
---```
---@param code? string|table
---@param path? string|table
---@param options? string[]|table
---@param name_expressions? string[]|table
---@param enable_cooperative_groups? boolean|table
---@return moonarray.raw_module
function moonarray.RawModule(code, path, options, name_expressions, enable_cooperative_groups) end

---A reduction whose map, combination and last step are C++: called k(x, ..., axis?, {keepdims =, out =}), on every device. reduce is associative and commutative.
---```lua
---ReductionKernel(in_params, out_params, map, reduce, post_map, identity?, name?; reduce_type?, preamble?, options?)
---```
---@param in_params string
---@param out_params string
---@param map string
---@param reduce string
---@param post_map string
---@param identity? string|number|table
---@param name? string|table
---@param reduce_type? string|table
---@param preamble? string|table
---@param options? string[]|table
---@return moonarray.reduction_kernel
function moonarray.ReductionKernel(in_params, out_params, map, reduce, post_map, identity, name, reduce_type, preamble, options) end

---An order of work on a device. non_blocking: no order with the null stream; priority: the lower the more urgent. Stream.null is the one that is current at first.
---```lua
---Stream(; non_blocking?, priority?, null?, device?)
---```
---@class moonarray.Stream
---@overload fun(non_blocking?: boolean|table, priority?: moonarray.whole|table, null?: boolean|table, device?: string|table): moonarray.stream
---@field null moonarray.stream
---@field ptds moonarray.stream
moonarray.Stream = {}

---the magnitude of x: real for complex x
---```lua
---absolute(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.abs: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.abs = {}
array.abs = moonarray.abs

---the magnitude of x: real for complex x
---```lua
---absolute(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.absolute: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.absolute = {}
array.absolute = moonarray.absolute

---the inverse cosine, in radians
---```lua
---arccos(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.acos: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.acos = {}
array.acos = moonarray.acos

---the inverse hyperbolic cosine
---```lua
---arccosh(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.acosh: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.acosh = {}
array.acosh = moonarray.acosh

---x + y; of booleans: or
---```lua
---add(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.add: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.add = {}
array.add = moonarray.add

---Are all elements true? Without axis, keepdims and out a Lua boolean.
---```lua
---all(a, axis?, out?, keepdims?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param where? moonarray.part|table
---@return moonarray.array|boolean
function moonarray.all(a, axis, out, keepdims, where) end
array.all = moonarray.all

---Whether all elements are close: |a - b| <= atol + rtol |b|. A Lua boolean; waits.
---```lua
---allclose(a, b, rtol?, atol?, equal_nan?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param rtol? number|table
---@param atol? number|table
---@param equal_nan? boolean|table
---@return boolean
function moonarray.allclose(a, b, rtol, atol, equal_nan) end
array.allclose = moonarray.allclose

---Calls fn(...) and returns what it does; with allow = false each call inside that waits for the device is an error. Without fn it holds for what comes on this thread, and returns what held before.
---```lua
---allow_synchronize(allow, fn?, ...)
---```
---@param allow boolean
---@param fn? function|table
---@param ... any
---@return any ...
function moonarray.allow_synchronize(allow, fn, ...) end

---The same as max.
---```lua
---amax(a, axis?, out?, keepdims?, initial?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.amax(a, axis, out, keepdims, initial, where) end
array.amax = moonarray.amax

---The same as min.
---```lua
---amin(a, axis?, out?, keepdims?, initial?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.amin(a, axis, out, keepdims, initial, where) end
array.amin = moonarray.amin

---true where x and y are not 0
---```lua
---logical_and(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.and_: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.and_ = {}
array.and_ = moonarray.and_

---The argument in the complex plane, in radians or degrees.
---```lua
---angle(a, deg?)
---```
---@param a moonarray.data
---@param deg? boolean|table
---@return moonarray.array|moonarray.scalar
function moonarray.angle(a, deg) end
array.angle = moonarray.angle

---Is any element true? Without axis, keepdims and out a Lua boolean.
---```lua
---any(a, axis?, out?, keepdims?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param where? moonarray.part|table
---@return moonarray.array|boolean
function moonarray.any(a, axis, out, keepdims, where) end
array.any = moonarray.any

---The array with more values behind it, along an axis or flattened.
---```lua
---append(a, values, axis?)
---```
---@param a moonarray.data
---@param values moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.append(a, values, axis) end
array.append = moonarray.append

---What func1d(vector, ...) gives for each vector of arr along an axis: the axes of a result stand in place of that axis; its dtype is the first result's. The function is called once a vector, from Lua. Example: ma.apply_along_axis(ma.cumsum, 1, {{1, 2}, {3, 4}}) --> [[1. 2.] [4. 6.]]
---```lua
---apply_along_axis(func1d, axis, arr, ...)
---```
---@param func1d function
---@param axis moonarray.whole|moonarray.whole[]
---@param arr moonarray.data
---@param ... any
---@return moonarray.array
function moonarray.apply_along_axis(func1d, axis, arr, ...) end

---func(a, axis) applied along each axis in turn, to what it gave for the one before; axes that it reduces stay, of extent 1. Example: ma.apply_over_axes(ma.sum, {{1, 2}, {3, 4}}, {1, 2}) --> [[10.]]
---```lua
---apply_over_axes(func, a, axes)
---```
---@param func function
---@param a moonarray.data
---@param axes moonarray.whole|moonarray.whole[]
---@return moonarray.array ...
function moonarray.apply_over_axes(func, a, axes) end

---Numbers from start up to stop, which is left out.
---```lua
---arange(start, stop?, step?, dtype?; device?)
---```
---@param start number
---@param stop? number|moonarray.dtype|table
---@param step? number|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.arange(start, stop, step, dtype, device) end

---the inverse cosine, in radians
---```lua
---arccos(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.arccos: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.arccos = {}
array.arccos = moonarray.arccos

---the inverse hyperbolic cosine
---```lua
---arccosh(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.arccosh: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.arccosh = {}
array.arccosh = moonarray.arccosh

---the inverse sine, in radians
---```lua
---arcsin(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.arcsin: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.arcsin = {}
array.arcsin = moonarray.arcsin

---the inverse hyperbolic sine
---```lua
---arcsinh(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.arcsinh: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.arcsinh = {}
array.arcsinh = moonarray.arcsinh

---the inverse tangent, in radians
---```lua
---arctan(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.arctan: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.arctan = {}
array.arctan = moonarray.arctan

---the angle of the point (y, x) from the positive axis of y, in -pi .. pi
---```lua
---arctan2(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.arctan2: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.arctan2 = {}
array.arctan2 = moonarray.arctan2

---the inverse hyperbolic tangent
---```lua
---arctanh(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.arctanh: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.arctanh = {}
array.arctanh = moonarray.arctanh

---1-based position of the first largest element along an axis; dtype: int64.
---```lua
---argmax(a, axis?, out?, keepdims?; dtype?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.argmax(a, axis, out, keepdims, dtype) end
array.argmax = moonarray.argmax

---1-based position of the first smallest element along an axis; dtype: int64.
---```lua
---argmin(a, axis?, out?, keepdims?; dtype?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.argmin(a, axis, out, keepdims, dtype) end
array.argmin = moonarray.argmin

---Positions that partition the array about its kth element along an axis (the last).
---```lua
---argpartition(a, kth, axis?, kind?)
---```
---@param a moonarray.data
---@param kth moonarray.whole|moonarray.whole[]
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param kind? string|table
---@return moonarray.array
function moonarray.argpartition(a, kth, axis, kind) end
array.argpartition = moonarray.argpartition

---The positions of the elements in their order along an axis (the last): ascending, with descending = true descending. Stable, and NaN comes last, either way. Example: ma.argsort({2, 3, 1}, {descending = true}) --> [2 1 3]
---```lua
---argsort(a, axis?, kind?; out?, descending?, stable?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param kind? string|table
---@param out? moonarray.part|table
---@param descending? boolean|table
---@param stable? boolean|table
---@return moonarray.array
function moonarray.argsort(a, axis, kind, out, descending, stable) end
array.argsort = moonarray.argsort

---The positions of the elements that are not zero: a row an element, a column an axis.
---```lua
---argwhere(a)
---```
---@param a moonarray.data
---@return moonarray.array
function moonarray.argwhere(a) end
array.argwhere = moonarray.argwhere

---Elements rounded to so many decimals: round.
---```lua
---around(a, decimals?, out?)
---```
---@param a moonarray.data
---@param decimals? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array|moonarray.scalar
function moonarray.around(a, decimals, out) end
array.around = moonarray.around

---An array of the current device, or of `device`, from nested tables, a number or an array of any device; a copy, but with copy = false.
---```lua
---array(object, dtype?; copy?, order?, ndmin?, device?)
---```
---@param object moonarray.data
---@param dtype? moonarray.dtype|table
---@param copy? boolean|table
---@param order? string|table
---@param ndmin? moonarray.whole|table
---@param device? string|table
---@return moonarray.array
function moonarray.array(object, dtype, copy, order, ndmin, device) end

---An array as NumPy's text, without the line about shape and dtype.
---```lua
---array2string(a, max_line_width?, precision?, suppress_small?, separator?, prefix?, formatter?, threshold?, edgeitems?, sign?, floatmode?, suffix?)
---```
---@param a moonarray.data
---@param max_line_width? moonarray.whole|table
---@param precision? moonarray.whole|table
---@param suppress_small? boolean|table
---@param separator? string|table
---@param prefix? string|table
---@param formatter? table|table
---@param threshold? moonarray.whole|table
---@param edgeitems? moonarray.whole|table
---@param sign? string|table
---@param floatmode? string|table
---@param suffix? string|table
---@return string
function moonarray.array2string(a, max_line_width, precision, suppress_small, separator, prefix, formatter, threshold, edgeitems, sign, floatmode, suffix) end
array.array2string = moonarray.array2string

---Whether two arrays have one shape and equal elements. A Lua boolean; waits.
---```lua
---array_equal(a, b, equal_nan?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param equal_nan? boolean|table
---@return boolean
function moonarray.array_equal(a, b, equal_nan) end
array.array_equal = moonarray.array_equal

---Whether two arrays broadcast to one shape and are equal there. A Lua boolean; waits.
---```lua
---array_equiv(a, b)
---```
---@param a moonarray.data
---@param b moonarray.data
---@return boolean
function moonarray.array_equiv(a, b) end
array.array_equiv = moonarray.array_equiv

---An array as the call that makes it, to the precision printed.
---```lua
---array_repr(a, max_line_width?, precision?, suppress_small?)
---```
---@param a moonarray.data
---@param max_line_width? moonarray.whole|table
---@param precision? moonarray.whole|table
---@param suppress_small? boolean|table
---@return string
function moonarray.array_repr(a, max_line_width, precision, suppress_small) end
array.array_repr = moonarray.array_repr

---As split, but sections may be unequal: the first ones are longer by one.
---```lua
---array_split(a, indices_or_sections, axis?)
---```
---@param a moonarray.data
---@param indices_or_sections moonarray.whole|moonarray.whole[]
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array[]
function moonarray.array_split(a, indices_or_sections, axis) end
array.array_split = moonarray.array_split

---The elements of an array as text.
---```lua
---array_str(a, max_line_width?, precision?, suppress_small?)
---```
---@param a moonarray.data
---@param max_line_width? moonarray.whole|table
---@param precision? moonarray.whole|table
---@param suppress_small? boolean|table
---@return string
function moonarray.array_str(a, max_line_width, precision, suppress_small) end
array.array_str = moonarray.array_str

---asarray: there is one kind of array here. Example: ma.asanyarray({1, 2}) --> [1. 2.]
---```lua
---asanyarray(a, dtype?, order?; device?)
---```
---@param a moonarray.data
---@param dtype? moonarray.dtype|table
---@param order? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.asanyarray(a, dtype, order, device) end
array.asanyarray = moonarray.asanyarray

---Like array, but an array that fits already, on that device, is returned itself, and with copy = false only such a one is taken.
---```lua
---asarray(object, dtype?, order?; device?, copy?)
---```
---@param object moonarray.data
---@param dtype? moonarray.dtype|table
---@param order? string|table
---@param device? string|table
---@param copy? boolean|table
---@return moonarray.array
function moonarray.asarray(object, dtype, order, device, copy) end

---asarray, and an error if an element is inf or nan. Waits. Example: ma.asarray_chkfinite({1, 2}) --> [1. 2.]
---```lua
---asarray_chkfinite(a, dtype?, order?; device?)
---```
---@param a moonarray.data
---@param dtype? moonarray.dtype|table
---@param order? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.asarray_chkfinite(a, dtype, order, device) end
array.asarray_chkfinite = moonarray.asarray_chkfinite

---The array with its elements in C order without gaps, of one axis at least: itself if it is so, else a copy. Example: ma.ascontiguousarray(ma.eye(2).T).is_contiguous --> true
---```lua
---ascontiguousarray(a, dtype?; device?)
---```
---@param a moonarray.data
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.ascontiguousarray(a, dtype, device) end
array.ascontiguousarray = moonarray.ascontiguousarray

---The array with its elements in Fortran's order, the first axis running fastest, of one axis at least: itself if it is so, else a copy. Example: ma.isfortran(ma.asfortranarray({{1, 2}, {3, 4}})) --> true
---```lua
---asfortranarray(a, dtype?; device?)
---```
---@param a moonarray.data
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.asfortranarray(a, dtype, device) end
array.asfortranarray = moonarray.asfortranarray

---the inverse sine, in radians
---```lua
---arcsin(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.asin: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.asin = {}
array.asin = moonarray.asin

---the inverse hyperbolic sine
---```lua
---arcsinh(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.asinh: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.asinh = {}
array.asinh = moonarray.asinh

---The same as a:get(...), also of a number or a nested table.
---```lua
---asnumpy(a, stream?, order?, out?)
---```
---@param a moonarray.data
---@param stream? moonarray.stream|table
---@param order? string|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.asnumpy(a, stream, order, out) end
array.asnumpy = moonarray.asnumpy

---Copies a number, a table or an array of any device into the array; returns it.
---```lua
---assign(a, value)
---```
---@param a moonarray.data
---@param value moonarray.data
---@return moonarray.array
function moonarray.assign(a, value) end
array.assign = moonarray.assign

---A copy cast to a dtype that lies as the array does, or in an order, on its device or another; with copy = false the array itself if it has all of them.
---```lua
---astype(a, dtype; copy?, casting?, order?, device?)
---```
---@param a moonarray.data
---@param dtype moonarray.dtype
---@param copy? boolean|table
---@param casting? string|table
---@param order? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.astype(a, dtype, copy, casting, order, device) end
array.astype = moonarray.astype

---the inverse tangent, in radians
---```lua
---arctan(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.atan: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.atan = {}
array.atan = moonarray.atan

---the angle of the point (y, x) from the positive axis of y, in -pi .. pi
---```lua
---arctan2(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.atan2: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.atan2 = {}
array.atan2 = moonarray.atan2

---the inverse hyperbolic tangent
---```lua
---arctanh(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.atanh: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.atanh = {}
array.atanh = moonarray.atanh

---The arrays, each with new axes of extent 1 where it has fewer than one.
---```lua
---atleast_1d(a, ...)
---```
---@param a moonarray.data
---@param ... any
---@return moonarray.array ...
function moonarray.atleast_1d(a, ...) end
array.atleast_1d = moonarray.atleast_1d

---The arrays, each with new axes of extent 1 where it has fewer than 2.
---```lua
---atleast_2d(a, ...)
---```
---@param a moonarray.data
---@param ... any
---@return moonarray.array ...
function moonarray.atleast_2d(a, ...) end
array.atleast_2d = moonarray.atleast_2d

---The arrays, each with new axes of extent 1 where it has fewer than 3.
---```lua
---atleast_3d(a, ...)
---```
---@param a moonarray.data
---@param ... any
---@return moonarray.array ...
function moonarray.atleast_3d(a, ...) end
array.atleast_3d = moonarray.atleast_3d

---The weighted mean along axes; with returned, the sums of the weights as a second result. Sums of weights are looked at, which waits: 0 is an error.
---```lua
---average(a, axis?, weights?, returned?, keepdims?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param weights? moonarray.data|table
---@param returned? boolean|table
---@param keepdims? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.average(a, axis, weights, returned, keepdims) end
array.average = moonarray.average

---A triangle of M points that is 0 at both ends. Example: ma.bartlett(5) --> [0. 0.5 1. 0.5 0. ]
---```lua
---bartlett(M; device?)
---```
---@param M moonarray.whole
---@param device? string|table
---@return moonarray.array
function moonarray.bartlett(M, device) end

---A whole number as text in a base (2) from 2 to 36, with so many zeros in front of it. Example: ma.base_repr(255, 16) --> FF
---```lua
---base_repr(number, base?, padding?)
---```
---@param number moonarray.whole
---@param base? moonarray.whole|table
---@param padding? moonarray.whole|table
---@return string
function moonarray.base_repr(number, base, padding) end

---A typed scalar, or a copy of an array or a table, of dtype bfloat16.
---```lua
---bfloat16(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.bfloat16(value) end

---A whole number as binary text, filled up with zeros to a width; a negative one with a sign, or with a width in two's complement. A width that is too small is an error. Example: ma.binary_repr(-3, 5) --> 11101
---```lua
---binary_repr(num, width?)
---```
---@param num moonarray.whole
---@param width? moonarray.whole|table
---@return string
function moonarray.binary_repr(num, width) end

---How often each of the whole numbers 0, 1, 2 ... occurs, or the sum of its weights: position k + 1 is that of the number k. Waits.
---```lua
---bincount(x, weights?, minlength?)
---```
---@param x moonarray.data
---@param weights? moonarray.data|table
---@param minlength? moonarray.whole|table
---@return moonarray.array
function moonarray.bincount(x, weights, minlength) end

---the bits that x and y share
---```lua
---bitwise_and(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.bitwise_and: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.bitwise_and = {}
array.bitwise_and = moonarray.bitwise_and

---the number of 1 bits in |x|
---```lua
---bitwise_count(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.bitwise_count: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.bitwise_count = {}
array.bitwise_count = moonarray.bitwise_count

---x with every bit flipped; of a boolean: not
---```lua
---invert(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.bitwise_invert: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.bitwise_invert = {}
array.bitwise_invert = moonarray.bitwise_invert

---x * 2^y; 0 where y is negative or the width of x or more
---```lua
---left_shift(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.bitwise_left_shift: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.bitwise_left_shift = {}
array.bitwise_left_shift = moonarray.bitwise_left_shift

---x with every bit flipped; of a boolean: not
---```lua
---invert(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.bitwise_not: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.bitwise_not = {}
array.bitwise_not = moonarray.bitwise_not

---the bits of x or y
---```lua
---bitwise_or(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.bitwise_or: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.bitwise_or = {}
array.bitwise_or = moonarray.bitwise_or

---floor(x / 2^y); 0 or -1 where y is negative or the width of x or more
---```lua
---right_shift(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.bitwise_right_shift: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.bitwise_right_shift = {}
array.bitwise_right_shift = moonarray.bitwise_right_shift

---the bits of exactly one of x and y
---```lua
---bitwise_xor(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.bitwise_xor: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.bitwise_xor = {}
array.bitwise_xor = moonarray.bitwise_xor

---0.42 + 0.5 cos + 0.08 cos of twice the angle, at M points. Example: ma.blackman(3):round(6) --> [-0. 1. -0.]
---```lua
---blackman(M; device?)
---```
---@param M moonarray.whole
---@param device? string|table
---@return moonarray.array
function moonarray.blackman(M, device) end

---One array of nested tables of blocks: the innermost along the last axis, the next along the one before it.
---```lua
---block(arrays)
---```
---@param arrays moonarray.data[]
---@return moonarray.array
function moonarray.block(arrays) end

---An iterator over the pieces of an axis: `for lo, hi in ma.blocks(n, 32) do`.
---```lua
---blocks(n, size)
---```
---@param n moonarray.whole
---@param size moonarray.whole
---@return fun(): any, any
function moonarray.blocks(n, size) end

---A typed scalar, or a copy of an array or a table, of dtype bool.
---```lua
---bool(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.bool(value) end

---Read-only views of the arrays, all of the shape they broadcast to.
---```lua
---broadcast_arrays(...)
---```
---@param ... any
---@return moonarray.array ...
function moonarray.broadcast_arrays(...) end

---The shape that arrays of these shapes broadcast to, as a table.
---```lua
---broadcast_shapes(...)
---```
---@param ... any
---@return integer[]
function moonarray.broadcast_shapes(...) end

---A read-only view that repeats the array to a larger shape.
---```lua
---broadcast_to(a, shape)
---```
---@param a moonarray.data
---@param shape moonarray.whole|moonarray.whole[]
---@return moonarray.array
function moonarray.broadcast_to(a, shape) end
array.broadcast_to = moonarray.broadcast_to

---The elements with their bytes in reverse order: a copy, or in place.
---```lua
---byteswap(a, inplace?)
---```
---@param a moonarray.data
---@param inplace? boolean|table
---@return moonarray.array
function moonarray.byteswap(a, inplace) end
array.byteswap = moonarray.byteswap

---The arguments as columns side by side: r_ with {axis = -1, ndmin = 2, trans1d = 1}. An argument is an array, a table, a number, or a range as text: "1:5", "1:9:2" (both ends taken), "0:1:5j" (5 points). Example: ma.c_("1:2", "3:4") --> [[1 3] [2 4]]
---```lua
---c_(...; axis?, ndmin?, trans1d?)
---```
---@param ... any
---@return moonarray.array
function moonarray.c_(...) end

---Whether a cast is allowed: "no", "equiv", "safe", "same_kind" or "unsafe".
---```lua
---can_cast(from, to, casting?)
---```
---@param from moonarray.dtype|moonarray.data
---@param to moonarray.dtype
---@param casting? string|table
---@return boolean
function moonarray.can_cast(from, to, casting) end

---the cube root
---```lua
---cbrt(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.cbrt: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.cbrt = {}
array.cbrt = moonarray.cbrt

---the smallest whole number not below x
---```lua
---ceil(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.ceil: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.ceil = {}
array.ceil = moonarray.ceil

---For each element of a, a position in the table of choices, that choice's element.
---```lua
---choose(a, choices, out?, mode?)
---```
---@param a moonarray.data
---@param choices moonarray.data[]
---@param out? moonarray.part|table
---@param mode? string|table
---@return moonarray.array
function moonarray.choose(a, choices, out, mode) end
array.choose = moonarray.choose

---Forgets the results of all functions that memoize made.
---```lua
---clear_memo()
---```
function moonarray.clear_memo() end

---Elements limited to a_min .. a_max (or min .. max); a bound that is left out does not limit.
---```lua
---clip(a, a_min?, a_max?, out?; dtype?, where?, min?, max?)
---```
---@param a moonarray.data
---@param a_min? moonarray.data|table
---@param a_max? moonarray.data|table
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param min? moonarray.data|table
---@param max? moonarray.data|table
---@return moonarray.array|moonarray.scalar
function moonarray.clip(a, a_min, a_max, out, dtype, where, min, max) end
array.clip = moonarray.clip

---Arrays side by side, vectors as columns.
---```lua
---column_stack(arrays; dtype?)
---```
---@param arrays moonarray.data[]
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.column_stack(arrays, dtype) end

---The float or complex dtype that holds all elements of the arrays; integers count as float64. Example: ma.common_type(ma.float32{1}, ma.complex64{1}) --> complex64
---```lua
---common_type(...)
---```
---@param ... any
---@return moonarray.dtype
function moonarray.common_type(...) end

---A complex number, to be used wherever a number is.
---```lua
---complex(re, im?)
---```
---@param re number
---@param im? number|table
---@return moonarray.complex
function moonarray.complex(re, im) end

---A typed scalar, or a copy of an array or a table, of dtype complex128.
---```lua
---complex128(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.complex128(value) end

---A typed scalar, or a copy of an array or a table, of dtype complex64.
---```lua
---complex64(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.complex64(value) end

---The slices of a along an axis where the condition is true.
---```lua
---compress(condition, a, axis?, out?)
---```
---@param condition moonarray.data
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.compress(condition, a, axis, out) end

---One array of several, put one behind the other along an axis: concatenate.
---```lua
---concat(arrays, axis?, out?, dtype?)
---```
---@param arrays moonarray.data[]
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param out? moonarray.part|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.concat(arrays, axis, out, dtype) end

---One array of several, put one behind the other along an axis; axis = "none": all elements along one.
---```lua
---concatenate(arrays, axis?, out?, dtype?)
---```
---@param arrays moonarray.data[]
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param out? moonarray.part|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.concatenate(arrays, axis, out, dtype) end

---the complex conjugate
---```lua
---conjugate(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.conj: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.conj = {}
array.conj = moonarray.conj

---the complex conjugate
---```lua
---conjugate(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.conjugate: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.conjugate = {}
array.conjugate = moonarray.conjugate

---The sums of products of two vectors, one of them reversed, at every overlap: all n + m - 1 of them (mode "full"), as many as the longer has ("same"), or those without its ends ("valid"). Whole numbers are exact and wrap as their dtype does. Two vectors of floats with 1024 elements or more go by Fourier transforms in float64: then an error is small beside the product of both vectors' norms (2^-52 times the logarithm of the length), and inf gives nan. Example: ma.convolve({1, 2, 3}, {0, 1, 0.5}) --> [0. 1. 2.5 4. 1.5]
---```lua
---convolve(a, v, mode?)
---```
---@param a moonarray.data
---@param v moonarray.data
---@param mode? string|table
---@return moonarray.array
function moonarray.convolve(a, v, mode) end
array.convolve = moonarray.convolve

---A new array of the current device, or of `device`, of the same elements, by rows; order "F": by columns, "A" or "K": as the array lies. The method a:copy() stays on the array's device.
---```lua
---copy(object, order?; device?)
---```
---@param object moonarray.data
---@param order? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.copy(object, order, device) end

---x with the sign of y
---```lua
---copysign(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.copysign: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.copysign = {}
array.copysign = moonarray.copysign

---Copies values into an array, where a mask is true, and returns it; devices may differ.
---```lua
---copyto(dst, src, casting?, where?)
---```
---@param dst moonarray.part
---@param src moonarray.data
---@param casting? string|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.copyto(dst, src, casting, where) end

---The correlations of variables: cov divided by the standard deviations of both, within -1 .. 1; nan beside a variable that does not vary. Arguments and weights as those of cov. Example: ma.corrcoef({{1, 2, 3}, {6, 4, 2}}) --> [[ 1. -1.] [-1. 1.]]
---```lua
---corrcoef(x, y?, rowvar?; dtype?, fweights?, aweights?)
---```
---@param x moonarray.data
---@param y? moonarray.data|table
---@param rowvar? boolean|table
---@param dtype? moonarray.dtype|table
---@param fweights? moonarray.data|table
---@param aweights? moonarray.data|table
---@return moonarray.array
function moonarray.corrcoef(x, y, rowvar, dtype, fweights, aweights) end

---The sums over j of a[k + j] times the conjugate of v[j], at every overlap that the mode takes: "valid" (the default), "same" or "full". Whole numbers are exact and wrap as their dtype does. Two vectors of floats with 1024 elements or more go by Fourier transforms in float64: then an error is small beside the product of both vectors' norms (2^-52 times the logarithm of the length), and inf gives nan. Example: ma.correlate({1, 2, 3}, {0, 1, 0.5}, "same") --> [2. 3.5 3. ]
---```lua
---correlate(a, v, mode?)
---```
---@param a moonarray.data
---@param v moonarray.data
---@param mode? string|table
---@return moonarray.array
function moonarray.correlate(a, v, mode) end
array.correlate = moonarray.correlate

---the cosine of x radians
---```lua
---cos(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.cos: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.cos = {}
array.cos = moonarray.cos

---the hyperbolic cosine
---```lua
---cosh(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.cosh: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.cosh = {}
array.cosh = moonarray.cosh

---Number of elements that are not 0.
---```lua
---count_nonzero(a, axis?, keepdims?, out?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param out? moonarray.part|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.count_nonzero(a, axis, keepdims, out, where) end
array.count_nonzero = moonarray.count_nonzero

---The covariances of variables, which are the rows of m and of y (the columns with rowvar = false), as a matrix; one variable gives a 0-d array. They are divided by the number of observations less ddof (1, or 0 with bias). fweights says how often each observation occurs, aweights how much it weighs; weights are looked at, which waits. The dtype is float64 at least, or dtype. Example: ma.cov({{1, 2, 3}, {6, 4, 2}}) --> [[ 1. -2.] [-2. 4.]]
---```lua
---cov(m, y?, rowvar?, bias?, ddof?, fweights?, aweights?; dtype?)
---```
---@param m moonarray.data
---@param y? moonarray.data|table
---@param rowvar? boolean|table
---@param bias? boolean|table
---@param ddof? moonarray.whole|table
---@param fweights? moonarray.data|table
---@param aweights? moonarray.data|table
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.cov(m, y, rowvar, bias, ddof, fweights, aweights, dtype) end

---The vector product of vectors of 3 elements along an axis, the last by default; of vectors of 2 the component that stands on both.
---```lua
---cross(a, b, axisa?, axisb?, axisc?, axis?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param axisa? moonarray.whole|table
---@param axisb? moonarray.whole|table
---@param axisc? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.cross(a, b, axisa, axisb, axisc, axis) end
array.cross = moonarray.cross

moonarray.cuda = {}

---A memory hook that prints every event, to the standard output or a file that is open for writing.
---```lua
---cuda.DebugPrintHook(file?)
---```
---@param file? file*|table|table
---@return moonarray.memory_hook
function moonarray.cuda.DebugPrintHook(file) end

---The GPU of this id, from 0; without one the current GPU.
---```lua
---cuda.Device(id?)
---```
---@class moonarray.cuda.Device
---@overload fun(id?: moonarray.whole|table): moonarray.device
moonarray.cuda.Device = {}

---The GPU at a place such as "0000:65:00.0".
---```lua
---cuda.Device.from_pci_bus_id(pci_bus_id)
---```
---@param pci_bus_id string
---@return moonarray.device
function moonarray.cuda.Device.from_pci_bus_id(pci_bus_id) end

---A mark in a stream's work: event:record(stream?), event:synchronize(), event.done. disable_timing: cheaper, takes no time; blocking (or block): who waits sleeps.
---```lua
---cuda.Event(; disable_timing?, blocking?, block?, interprocess?)
---```
---@param disable_timing? boolean|table
---@param blocking? boolean|table
---@param block? boolean|table
---@param interprocess? boolean|table
---@return moonarray.event
function moonarray.cuda.Event(disable_timing, blocking, block, interprocess) end

---Somebody else's CUstream by its address, which must stay valid until the object is closed or collected.
---```lua
---cuda.ExternalStream(ptr, device?)
---```
---@param ptr moonarray.whole
---@param device? string|table
---@return moonarray.stream
function moonarray.cuda.ExternalStream(ptr, device) end

---A memory hook that sums up by line of the program what was taken from the pools and from the device; hook:report(), hook:print_report().
---```lua
---cuda.LineProfileHook()
---```
---@return moonarray.memory_hook
function moonarray.cuda.LineProfileHook() end

---A pool of the driver's own (cuMemAllocFromPoolAsync), in the order of streams; on the CPU an ordinary one.
---```lua
---cuda.MemoryAsyncPool(device?)
---```
---@param device? string|table
---@return moonarray.pool
function moonarray.cuda.MemoryAsyncPool(device) end

---A hook of the pools: a table of functions malloc_preprocess, malloc_postprocess, alloc_..., free_..., each told an event {act, device, device_id, size, mem_size, mem_ptr, pmem_id, place}. hook:with(fn), hook:install(), hook:flush(), hook:remove().
---```lua
---cuda.MemoryHook(functions)
---```
---@param functions table
---@return moonarray.memory_hook
function moonarray.cuda.MemoryHook(functions) end

---A pool of its own over a device's memory; with ma.cuda.malloc_managed as allocator over managed memory, with malloc_async a MemoryAsyncPool. It lives until its last array goes.
---```lua
---cuda.MemoryPool(allocator?, device?)
---```
---@param allocator? function|table
---@param device? string|table
---@return moonarray.pool
function moonarray.cuda.MemoryPool(allocator, device) end

---A pool of host memory that the GPU reaches directly; on the CPU an ordinary one.
---```lua
---cuda.PinnedMemoryPool(device?)
---```
---@param device? string|table
---@return moonarray.pool
function moonarray.cuda.PinnedMemoryPool(device) end

---An order of work on a device. non_blocking: no order with the null stream; priority: the lower the more urgent. Stream.null is the one that is current at first.
---```lua
---cuda.Stream(; non_blocking?, priority?, null?, device?)
---```
---@class moonarray.cuda.Stream
---@overload fun(non_blocking?: boolean|table, priority?: moonarray.whole|table, null?: boolean|table, device?: string|table): moonarray.stream
---@field null moonarray.stream
---@field ptds moonarray.stream
moonarray.cuda.Stream = {}

---A uint8 array over `size` bytes at an address of the device that somebody else allocated; `owner` lives as long as it.
---```lua
---cuda.UnownedMemory(ptr, size, owner?, device?)
---```
---@param ptr moonarray.whole
---@param size moonarray.whole
---@param owner? userdata|table|string|table
---@param device? string|table
---@return moonarray.array
function moonarray.cuda.UnownedMemory(ptr, size, owner, device) end

---A uint8 array of so many bytes on the current device.
---```lua
---cuda.alloc(nbytes)
---```
---@param nbytes moonarray.whole
---@return moonarray.array
function moonarray.cuda.alloc(nbytes) end

---A uint8 array of the CPU in memory that the GPU reaches directly.
---```lua
---cuda.alloc_pinned_memory(nbytes, device?)
---```
---@param nbytes moonarray.whole
---@param device? string|table
---@return moonarray.array
function moonarray.cuda.alloc_pinned_memory(nbytes, device) end

---Number of GPUs.
---```lua
---cuda.device_count()
---```
---@return integer
function moonarray.cuda.device_count() end

---An array of the CPU in pinned memory, of the shape and dtype of another, not set.
---```lua
---cuda.empty_like_pinned(array, dtype?; device?)
---```
---@param array moonarray.part
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.cuda.empty_like_pinned(array, dtype, device) end

---An array of the CPU in pinned memory, not set: copies from and to the GPU are faster and need not wait.
---```lua
---cuda.empty_pinned(shape, dtype?; device?)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.cuda.empty_pinned(shape, dtype, device) end

---The same as moonarray.free_all_blocks.
---```lua
---cuda.free_all_blocks()
---```
function moonarray.cuda.free_all_blocks() end

---An array over memory of the device that somebody else allocated: the address is a number, an int64, an FFI pointer or a light userdata. `owner` lives as long as the array; `strides` are bytes; `stream` is where work that fills the memory was queued.
---```lua
---cuda.from_pointer(address, shape, dtype?, owner?; device?, strides?, readonly?, stream?)
---```
---@param address moonarray.whole
---@param shape moonarray.whole|moonarray.whole[]
---@param dtype? moonarray.dtype|table
---@param owner? userdata|table|string|table
---@param device? string|table
---@param strides? moonarray.whole[]|table
---@param readonly? boolean|table
---@param stream? moonarray.stream|table
---@return moonarray.array
function moonarray.cuda.from_pointer(address, shape, dtype, owner, device, strides, readonly, stream) end

---The pool that serves new arrays of a device here and now.
---```lua
---cuda.get_allocator(device?)
---```
---@param device? string|table
---@return moonarray.pool
function moonarray.cuda.get_allocator(device) end

---The stream on which work is queued: the current one of a device, or of the current device.
---```lua
---cuda.get_current_stream(device?)
---```
---@param device? string|table
---@return moonarray.stream
function moonarray.cuda.get_current_stream(device) end

---The pool that serves a device's arrays: used_bytes(), total_bytes(), free_all_blocks(), set_limit(size) ...
---```lua
---cuda.get_default_memory_pool(device?)
---```
---@param device? string|table
---@return moonarray.pool
function moonarray.cuda.get_default_memory_pool(device) end

---The pool behind alloc_pinned_memory and empty_pinned.
---```lua
---cuda.get_default_pinned_memory_pool(device?)
---```
---@param device? string|table
---@return moonarray.pool
function moonarray.cuda.get_default_pinned_memory_pool(device) end

---The id of the current GPU, from 0.
---```lua
---cuda.get_device_id()
---```
---@return integer
function moonarray.cuda.get_device_id() end

---Milliseconds between two recorded events of a device; waits for both.
---```lua
---cuda.get_elapsed_time(start, stop)
---```
---@param start moonarray.event
---@param stop moonarray.event
---@return number
function moonarray.cuda.get_elapsed_time(start, stop) end

moonarray.cuda.gl = {}

---OpenGL's buffer of that name as a resource: resource:map(shape, dtype) is an array over its memory until resource:unmap(). flags: 'read_only', 'write_discard'.
---```lua
---cuda.gl.register_buffer(id; flags?, device?)
---```
---@param id moonarray.whole
---@param flags? string|table
---@param device? string|table
---@return moonarray.gl_resource
function moonarray.cuda.gl.register_buffer(id, flags, device) end

---OpenGL's texture or renderbuffer as a resource: resource:read() copies it to an array (height, width, channels), resource:write(array) from one. target: 'texture_2d' unless it is another.
---```lua
---cuda.gl.register_image(id, target?; flags?, device?)
---```
---@param id moonarray.whole
---@param target? moonarray.whole|string|table
---@param flags? string|table
---@param device? string|table
---@return moonarray.gl_resource
function moonarray.cuda.gl.register_image(id, target, flags, device) end

---Runs fn(...) once, then records it as a graph that graph:launch() or graph() replays: the same operations on the same memory, without the cost of launching each. Gives what fn returned, filled anew by every launch.
---```lua
---cuda.graph(fn, ...)
---```
---@param fn function
---@param ... any
---@return moonarray.graph
---@return any ...
function moonarray.cuda.graph(fn, ...) end

---Whether there is a GPU that can be used.
---```lua
---cuda.is_available()
---```
---@return boolean
function moonarray.cuda.is_available() end

---A uint8 array from the driver's own pool, in the order of streams; as an allocator, a MemoryAsyncPool.
---```lua
---cuda.malloc_async(nbytes)
---```
---@param nbytes moonarray.whole
---@return moonarray.array
function moonarray.cuda.malloc_async(nbytes) end

---A uint8 array in memory that moves between host and GPU by itself; as an allocator, a pool of such memory.
---```lua
---cuda.malloc_managed(nbytes)
---```
---@param nbytes moonarray.whole
---@return moonarray.array
function moonarray.cuda.malloc_managed(nbytes) end

moonarray.cuda.nvtx = {}

---A mark on a profiler's time line. Does nothing where no profiler listens.
---```lua
---cuda.nvtx.Mark(message, id_color?)
---```
---@param message string
---@param id_color? moonarray.whole|table
function moonarray.cuda.nvtx.Mark(message, id_color) end

---The same in a colour, 0xAARRGGBB.
---```lua
---cuda.nvtx.MarkC(message, color?)
---```
---@param message string
---@param color? moonarray.whole|table
function moonarray.cuda.nvtx.MarkC(message, color) end

---Ends a range that RangeStart began, on any thread.
---```lua
---cuda.nvtx.RangeEnd(range)
---```
---@param range moonarray.whole
function moonarray.cuda.nvtx.RangeEnd(range) end

---Ends the range that was begun last by this thread. Returns how many are left.
---```lua
---cuda.nvtx.RangePop()
---```
---@return number
function moonarray.cuda.nvtx.RangePop() end

---Begins a named range on a profiler's time line, within the one that is open. Returns how many were open; negative where no profiler listens.
---```lua
---cuda.nvtx.RangePush(message, id_color?)
---```
---@param message string
---@param id_color? moonarray.whole|table
---@return number
function moonarray.cuda.nvtx.RangePush(message, id_color) end

---The same in a colour, 0xAARRGGBB.
---```lua
---cuda.nvtx.RangePushC(message, color?)
---```
---@param message string
---@param color? moonarray.whole|table
---@return number
function moonarray.cuda.nvtx.RangePushC(message, color) end

---Begins a named range that need not nest. Returns what RangeEnd takes; 0 where no profiler listens.
---```lua
---cuda.nvtx.RangeStart(message, id_color?)
---```
---@param message string
---@param id_color? moonarray.whole|table
---@return number
function moonarray.cuda.nvtx.RangeStart(message, id_color) end

---Runs the host functions that their streams got to; returns how many still wait.
---```lua
---cuda.poll()
---```
---@return integer
function moonarray.cuda.poll() end

moonarray.cuda.profiler = {}

---Switches the GPU's profiler on, as moonarray.profiler.profile does.
---```lua
---cuda.profiler.start()
---```
function moonarray.cuda.profiler.start() end

---Switches the GPU's profiler off.
---```lua
---cuda.profiler.stop()
---```
function moonarray.cuda.profiler.stop() end

---Makes a GPU usable again after a kernel that faulted. Every array on it is lost; nothing else may use it meanwhile. On the CPU it does nothing.
---```lua
---cuda.reset(device?)
---```
---@param device? string|table
function moonarray.cuda.reset(device) end

moonarray.cuda.runtime = {}

---moonarray.cuda.texture.SurfaceObject(ResDesc)
---```lua
---cuda.runtime.createSurfaceObject(ResDesc)
---```
---@param ResDesc moonarray.resource
---@return moonarray.texture
function moonarray.cuda.runtime.createSurfaceObject(ResDesc) end

---moonarray.cuda.texture.TextureObject(ResDesc, TexDesc)
---```lua
---cuda.runtime.createTextureObject(ResDesc, TexDesc)
---```
---@param ResDesc moonarray.resource
---@param TexDesc moonarray.sampler
---@return moonarray.texture
function moonarray.cuda.runtime.createTextureObject(ResDesc, TexDesc) end

---object:free()
---```lua
---cuda.runtime.destroySurfaceObject(object)
---```
---@param object moonarray.texture
function moonarray.cuda.runtime.destroySurfaceObject(object) end

---object:free()
---```lua
---cuda.runtime.destroyTextureObject(object)
---```
---@param object moonarray.texture
function moonarray.cuda.runtime.destroyTextureObject(object) end

---Whether kernels on one GPU can use the memory of another.
---```lua
---cuda.runtime.deviceCanAccessPeer(id, peer)
---```
---@param id moonarray.whole
---@param peer moonarray.whole
---@return boolean
function moonarray.cuda.runtime.deviceCanAccessPeer(id, peer) end

---Lets the current GPU use the memory of another; the first use does it by itself.
---```lua
---cuda.runtime.deviceEnablePeerAccess(peer, id?)
---```
---@param peer moonarray.whole
---@param id? moonarray.whole|table
function moonarray.cuda.runtime.deviceEnablePeerAccess(peer, id) end

---An attribute by its name, with or without cudaDevAttr in front.
---```lua
---cuda.runtime.deviceGetAttribute(name, id?)
---```
---@param name moonarray.whole|string
---@param id? moonarray.whole|table
---@return number
function moonarray.cuda.runtime.deviceGetAttribute(name, id) end

---The id of the GPU at that place.
---```lua
---cuda.runtime.deviceGetByPCIBusId(pci_bus_id)
---```
---@param pci_bus_id string
---@return integer
function moonarray.cuda.runtime.deviceGetByPCIBusId(pci_bus_id) end

---moonarray.get_default_memory_pool(device)
---```lua
---cuda.runtime.deviceGetDefaultMemPool(id?)
---```
---@param id? moonarray.whole|table
---@return moonarray.pool
function moonarray.cuda.runtime.deviceGetDefaultMemPool(id) end

---moonarray.cuda.get_allocator(device): the pool that serves new arrays.
---```lua
---cuda.runtime.deviceGetMemPool(id?)
---```
---@param id? moonarray.whole|table
---@return moonarray.pool
function moonarray.cuda.runtime.deviceGetMemPool(id) end

---Where a GPU is, such as "0000:65:00.0".
---```lua
---cuda.runtime.deviceGetPCIBusId(id?)
---```
---@param id? moonarray.whole|table
---@return string
function moonarray.cuda.runtime.deviceGetPCIBusId(id) end

---The same as moonarray.cuda.reset.
---```lua
---cuda.runtime.deviceReset(device?)
---```
---@param device? string|moonarray.whole|table
function moonarray.cuda.runtime.deviceReset(device) end

---moonarray.cuda.set_allocator(pool)
---```lua
---cuda.runtime.deviceSetMemPool(id, pool)
---```
---@param id moonarray.whole
---@param pool moonarray.pool
function moonarray.cuda.runtime.deviceSetMemPool(id, pool) end

---Waits for all work of the current device.
---```lua
---cuda.runtime.deviceSynchronize()
---```
function moonarray.cuda.runtime.deviceSynchronize() end

---The newest CUDA that the driver runs: 13000 for 13.0.
---```lua
---cuda.runtime.driverGetVersion()
---```
---@return integer
function moonarray.cuda.runtime.driverGetVersion() end

---A new event: an object, as moonarray.Event makes it.
---```lua
---cuda.runtime.eventCreate()
---```
---@return moonarray.event
function moonarray.cuda.runtime.eventCreate() end

---The same; flags: eventDefault, or a sum of eventBlockingSync and eventDisableTiming.
---```lua
---cuda.runtime.eventCreateWithFlags(flags)
---```
---@param flags moonarray.whole
---@return moonarray.event
function moonarray.cuda.runtime.eventCreateWithFlags(flags) end

---Lets go of an event; the collector does so by itself.
---```lua
---cuda.runtime.eventDestroy(event)
---```
---@param event moonarray.event
function moonarray.cuda.runtime.eventDestroy(event) end

---Milliseconds between two events, as moonarray.cuda.get_elapsed_time gives.
---```lua
---cuda.runtime.eventElapsedTime(start, stop)
---```
---@param start moonarray.event
---@param stop moonarray.event
---@return number
function moonarray.cuda.runtime.eventElapsedTime(start, stop) end

---event.done
---```lua
---cuda.runtime.eventQuery(event)
---```
---@param event moonarray.event
---@return boolean
function moonarray.cuda.runtime.eventQuery(event) end

---event:record(stream)
---```lua
---cuda.runtime.eventRecord(event, stream?)
---```
---@param event moonarray.event
---@param stream? moonarray.stream|table
function moonarray.cuda.runtime.eventRecord(event, stream) end

---event:synchronize()
---```lua
---cuda.runtime.eventSynchronize(event)
---```
---@param event moonarray.event
function moonarray.cuda.runtime.eventSynchronize(event) end

---memory:free(): the memory goes with its last view.
---```lua
---cuda.runtime.free(memory)
---```
---@param memory moonarray.part
function moonarray.cuda.runtime.free(memory) end

---array:free()
---```lua
---cuda.runtime.freeArray(array)
---```
---@param array moonarray.cuda_array
function moonarray.cuda.runtime.freeArray(array) end

---The same; the order of streams is kept by itself.
---```lua
---cuda.runtime.freeAsync(memory, stream?)
---```
---@param memory moonarray.part
---@param stream? moonarray.stream|table
function moonarray.cuda.runtime.freeAsync(memory, stream) end

---The same.
---```lua
---cuda.runtime.freeHost(memory)
---```
---@param memory moonarray.part
function moonarray.cuda.runtime.freeHost(memory) end

---The id of the current GPU.
---```lua
---cuda.runtime.getDevice()
---```
---@return integer
function moonarray.cuda.runtime.getDevice() end

---Number of GPUs.
---```lua
---cuda.runtime.getDeviceCount()
---```
---@return integer
function moonarray.cuda.runtime.getDeviceCount() end

---A table by the names of cudaDeviceProp.
---```lua
---cuda.runtime.getDeviceProperties(id?)
---```
---@param id? moonarray.whole|table
---@return table
function moonarray.cuda.runtime.getDeviceProperties(id) end

---Writes graph:debug_dot_str(flags) to a file.
---```lua
---cuda.runtime.graphDebugDotPrint(graph, path, flags?)
---```
---@param graph moonarray.graph
---@param path string
---@param flags? moonarray.whole|table
function moonarray.cuda.runtime.graphDebugDotPrint(graph, path, flags) end

---graph:free()
---```lua
---cuda.runtime.graphDestroy(graph)
---```
---@param graph moonarray.graph
function moonarray.cuda.runtime.graphDestroy(graph) end

---graph:free()
---```lua
---cuda.runtime.graphExecDestroy(graph)
---```
---@param graph moonarray.graph
function moonarray.cuda.runtime.graphExecDestroy(graph) end

---The graph itself: it can be launched when its recording has ended.
---```lua
---cuda.runtime.graphInstantiate(graph)
---```
---@param graph moonarray.graph
---@return moonarray.graph
function moonarray.cuda.runtime.graphInstantiate(graph) end

---graph:launch(stream)
---```lua
---cuda.runtime.graphLaunch(graph, stream?)
---```
---@param graph moonarray.graph
---@param stream? moonarray.stream|table
function moonarray.cuda.runtime.graphLaunch(graph, stream) end

---graph:upload(stream)
---```lua
---cuda.runtime.graphUpload(graph, stream?)
---```
---@param graph moonarray.graph
---@param stream? moonarray.stream|table
function moonarray.cuda.runtime.graphUpload(graph, stream) end

---moonarray.cuda.alloc_pinned_memory(size)
---```lua
---cuda.runtime.hostAlloc(size, flags?)
---```
---@param size moonarray.whole
---@param flags? moonarray.whole|table
---@return moonarray.array
function moonarray.cuda.runtime.hostAlloc(size, flags) end

---stream:launch_host_func(callback, arg)
---```lua
---cuda.runtime.launchHostFunc(stream, callback, arg?)
---```
---@param stream moonarray.stream
---@param callback function
---@param arg? any
function moonarray.cuda.runtime.launchHostFunc(stream, callback, arg) end

---moonarray.cuda.alloc(size): an array of uint8.
---```lua
---cuda.runtime.malloc(size)
---```
---@param size moonarray.whole
---@return moonarray.array
function moonarray.cuda.runtime.malloc(size) end

---moonarray.cuda.texture.CUDAarray(desc, width, height, depth, flags)
---```lua
---cuda.runtime.malloc3DArray(desc, width, height?, depth?, flags?)
---```
---@param desc moonarray.channel_format
---@param width moonarray.whole
---@param height? moonarray.whole|table
---@param depth? moonarray.whole|table
---@param flags? moonarray.whole|table
---@return moonarray.cuda_array
function moonarray.cuda.runtime.malloc3DArray(desc, width, height, depth, flags) end

---moonarray.cuda.texture.CUDAarray(desc, width, height, 0, flags)
---```lua
---cuda.runtime.mallocArray(desc, width, height?, flags?)
---```
---@param desc moonarray.channel_format
---@param width moonarray.whole
---@param height? moonarray.whole|table
---@param flags? moonarray.whole|table
---@return moonarray.cuda_array
function moonarray.cuda.runtime.mallocArray(desc, width, height, flags) end

---The same of the driver's own pool, in the order of a stream.
---```lua
---cuda.runtime.mallocAsync(size, stream?)
---```
---@param size moonarray.whole
---@param stream? moonarray.stream|table
---@return moonarray.array
function moonarray.cuda.runtime.mallocAsync(size, stream) end

---pool:malloc(size), in the order of a stream.
---```lua
---cuda.runtime.mallocFromPoolAsync(size, pool, stream?)
---```
---@param size moonarray.whole
---@param pool moonarray.pool
---@param stream? moonarray.stream|table
---@return moonarray.array
function moonarray.cuda.runtime.mallocFromPoolAsync(size, pool, stream) end

---moonarray.cuda.malloc_managed(size): memory that the host reads too.
---```lua
---cuda.runtime.mallocManaged(size, flags?)
---```
---@param size moonarray.whole
---@param flags? moonarray.whole|table
---@return moonarray.array
function moonarray.cuda.runtime.mallocManaged(size, flags) end

---Free and total bytes of the current device.
---```lua
---cuda.runtime.memGetInfo()
---```
---@return integer
---@return integer
function moonarray.cuda.runtime.memGetInfo() end

---moonarray.cuda.MemoryAsyncPool(device): a pool of the driver's own.
---```lua
---cuda.runtime.memPoolCreate(id?)
---```
---@param id? moonarray.whole|table
---@return moonarray.pool
function moonarray.cuda.runtime.memPoolCreate(id) end

---pool:free_all_blocks(): what arrays hold stays until they are freed.
---```lua
---cuda.runtime.memPoolDestroy(pool)
---```
---@param pool moonarray.pool
function moonarray.cuda.runtime.memPoolDestroy(pool) end

---pool:total_bytes(), used_bytes() or peak_bytes(), by memPoolAttr....
---```lua
---cuda.runtime.memPoolGetAttribute(pool, attribute)
---```
---@param pool moonarray.pool
---@param attribute moonarray.whole
---@return number
function moonarray.cuda.runtime.memPoolGetAttribute(pool, attribute) end

---memPoolAttrUsedMemHigh to 0: pool:reset_peak().
---```lua
---cuda.runtime.memPoolSetAttribute(pool, attribute, value)
---```
---@param pool moonarray.pool
---@param attribute moonarray.whole
---@param value moonarray.whole
function moonarray.cuda.runtime.memPoolSetAttribute(pool, attribute, value) end

---pool:free_all_blocks(): gives back what the pool holds unused, whatever the size.
---```lua
---cuda.runtime.memPoolTrimTo(pool, size?)
---```
---@param pool moonarray.pool
---@param size? moonarray.whole|table
function moonarray.cuda.runtime.memPoolTrimTo(pool, size) end

---Copies bytes between arrays or addresses, on any devices. Only an address of the host needs its kind, such as memcpyHostToDevice.
---```lua
---cuda.runtime.memcpy(dst, src, size, kind?)
---```
---@param dst moonarray.part|moonarray.whole
---@param src moonarray.part|moonarray.whole
---@param size moonarray.whole
---@param kind? moonarray.whole|table
function moonarray.cuda.runtime.memcpy(dst, src, size, kind) end

---Copies `height` rows of `width` bytes that are pitches apart.
---```lua
---cuda.runtime.memcpy2D(dst, dst_pitch, src, src_pitch, width, height, kind?)
---```
---@param dst moonarray.part|moonarray.whole
---@param dst_pitch moonarray.whole
---@param src moonarray.part|moonarray.whole
---@param src_pitch moonarray.whole
---@param width moonarray.whole
---@param height moonarray.whole
---@param kind? moonarray.whole|table
function moonarray.cuda.runtime.memcpy2D(dst, dst_pitch, src, src_pitch, width, height, kind) end

---The same on a stream.
---```lua
---cuda.runtime.memcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height, kind?, stream?)
---```
---@param dst moonarray.part|moonarray.whole
---@param dst_pitch moonarray.whole
---@param src moonarray.part|moonarray.whole
---@param src_pitch moonarray.whole
---@param width moonarray.whole
---@param height moonarray.whole
---@param kind? moonarray.whole|table
---@param stream? moonarray.stream|table
function moonarray.cuda.runtime.memcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height, kind, stream) end

---The same on a stream.
---```lua
---cuda.runtime.memcpyAsync(dst, src, size, kind?, stream?)
---```
---@param dst moonarray.part|moonarray.whole
---@param src moonarray.part|moonarray.whole
---@param size moonarray.whole
---@param kind? moonarray.whole|table
---@param stream? moonarray.stream|table
function moonarray.cuda.runtime.memcpyAsync(dst, src, size, kind, stream) end

---Copies bytes between GPUs; array:to(device) does too.
---```lua
---cuda.runtime.memcpyPeer(dst, dst_device, src, src_device, size)
---```
---@param dst moonarray.part|moonarray.whole
---@param dst_device moonarray.whole
---@param src moonarray.part|moonarray.whole
---@param src_device moonarray.whole
---@param size moonarray.whole
function moonarray.cuda.runtime.memcpyPeer(dst, dst_device, src, src_device, size) end

---The same on a stream.
---```lua
---cuda.runtime.memcpyPeerAsync(dst, dst_device, src, src_device, size, stream?)
---```
---@param dst moonarray.part|moonarray.whole
---@param dst_device moonarray.whole
---@param src moonarray.part|moonarray.whole
---@param src_device moonarray.whole
---@param size moonarray.whole
---@param stream? moonarray.stream|table
function moonarray.cuda.runtime.memcpyPeerAsync(dst, dst_device, src, src_device, size, stream) end

---Writes one byte over the first `size` of them.
---```lua
---cuda.runtime.memset(memory, value, size)
---```
---@param memory moonarray.part
---@param value moonarray.whole
---@param size moonarray.whole
function moonarray.cuda.runtime.memset(memory, value, size) end

---The same on a stream.
---```lua
---cuda.runtime.memsetAsync(memory, value, size, stream?)
---```
---@param memory moonarray.part
---@param value moonarray.whole
---@param size moonarray.whole
---@param stream? moonarray.stream|table
function moonarray.cuda.runtime.memsetAsync(memory, value, size, stream) end

---Tells a profiler that what comes is of interest.
---```lua
---cuda.runtime.profilerStart()
---```
function moonarray.cuda.runtime.profilerStart() end

---Tells a profiler that it is over.
---```lua
---cuda.runtime.profilerStop()
---```
function moonarray.cuda.runtime.profilerStop() end

---The version of the NVRTC in use, which stands for the toolkit's: no runtime library is used. 0 where none is found.
---```lua
---cuda.runtime.runtimeGetVersion()
---```
---@return integer
function moonarray.cuda.runtime.runtimeGetVersion() end

---Makes a GPU current.
---```lua
---cuda.runtime.setDevice(id)
---```
---@param id moonarray.whole
function moonarray.cuda.runtime.setDevice(id) end

---stream:add_callback(callback, arg)
---```lua
---cuda.runtime.streamAddCallback(stream, callback, arg?)
---```
---@param stream moonarray.stream
---@param callback function
---@param arg? any
function moonarray.cuda.runtime.streamAddCallback(stream, callback, arg) end

---stream:begin_capture()
---```lua
---cuda.runtime.streamBeginCapture(stream)
---```
---@param stream moonarray.stream
function moonarray.cuda.runtime.streamBeginCapture(stream) end

---A new stream: an object, as moonarray.Stream makes it.
---```lua
---cuda.runtime.streamCreate()
---```
---@return moonarray.stream
function moonarray.cuda.runtime.streamCreate() end

---The same; flags: streamDefault or streamNonBlocking.
---```lua
---cuda.runtime.streamCreateWithFlags(flags)
---```
---@param flags moonarray.whole
---@return moonarray.stream
function moonarray.cuda.runtime.streamCreateWithFlags(flags) end

---The same with a priority: the lower the more urgent.
---```lua
---cuda.runtime.streamCreateWithPriority(flags, priority)
---```
---@param flags moonarray.whole
---@param priority moonarray.whole
---@return moonarray.stream
function moonarray.cuda.runtime.streamCreateWithPriority(flags, priority) end

---stream:close(): its work goes on.
---```lua
---cuda.runtime.streamDestroy(stream)
---```
---@param stream moonarray.stream
function moonarray.cuda.runtime.streamDestroy(stream) end

---stream:end_capture(): a graph.
---```lua
---cuda.runtime.streamEndCapture(stream)
---```
---@param stream moonarray.stream
---@return moonarray.graph
function moonarray.cuda.runtime.streamEndCapture(stream) end

---streamNonBlocking or streamDefault.
---```lua
---cuda.runtime.streamGetFlags(stream)
---```
---@param stream moonarray.stream
---@return integer
function moonarray.cuda.runtime.streamGetFlags(stream) end

---stream.priority
---```lua
---cuda.runtime.streamGetPriority(stream)
---```
---@param stream moonarray.stream
---@return integer
function moonarray.cuda.runtime.streamGetPriority(stream) end

---stream:is_capturing()
---```lua
---cuda.runtime.streamIsCapturing(stream)
---```
---@param stream moonarray.stream
---@return boolean
function moonarray.cuda.runtime.streamIsCapturing(stream) end

---stream.done: whether its work is done, without waiting.
---```lua
---cuda.runtime.streamQuery(stream)
---```
---@param stream moonarray.stream
---@return boolean
function moonarray.cuda.runtime.streamQuery(stream) end

---stream:synchronize()
---```lua
---cuda.runtime.streamSynchronize(stream)
---```
---@param stream moonarray.stream
function moonarray.cuda.runtime.streamSynchronize(stream) end

---stream:wait_event(event)
---```lua
---cuda.runtime.streamWaitEvent(stream, event, flags?)
---```
---@param stream moonarray.stream
---@param event moonarray.event
---@param flags? moonarray.whole|table
function moonarray.cuda.runtime.streamWaitEvent(stream, event, flags) end

---Makes a pool, or ma.cuda.malloc_managed or malloc_async, serve every new array of the pool's device; nil: the default pools again.
---```lua
---cuda.set_allocator(allocator?)
---```
---@param allocator? moonarray.pool|function|table
function moonarray.cuda.set_allocator(allocator) end

---Makes a PinnedMemoryPool serve all new pinned memory of its device; nil: the default pools again.
---```lua
---cuda.set_pinned_memory_allocator(allocator?)
---```
---@param allocator? moonarray.pool|function|table
function moonarray.cuda.set_pinned_memory_allocator(allocator) end

---Lets float32 products on a GPU use TF32 from now on: several times as fast, with errors near 5e-4 of the terms. Returns what was set.
---```lua
---cuda.set_tf32(on)
---```
---@param on boolean
---@return boolean
function moonarray.cuda.set_tf32(on) end

moonarray.cuda.texture = {}

---Texels in a layout of the device's own, on the current device, along 1 to 3 axes: height and depth are 0 for axes that are not there. flags: 2 (cudaArraySurfaceLoadStore) for a surface.
---```lua
---cuda.texture.CUDAarray(desc, width, height?, depth?, flags?)
---```
---@param desc moonarray.channel_format
---@param width moonarray.whole
---@param height? moonarray.whole|table
---@param depth? moonarray.whole|table
---@param flags? moonarray.whole|table
---@return moonarray.cuda_array
function moonarray.cuda.texture.CUDAarray(desc, width, height, depth, flags) end

---The format of texels: the bits of each channel, 0 for those that are not there, and their kind: 'signed', 'unsigned' or 'float', or CUDA's cudaChannelFormatKind.
---```lua
---cuda.texture.ChannelFormatDescriptor(x, y, z, w, f)
---```
---@param x moonarray.whole
---@param y moonarray.whole
---@param z moonarray.whole
---@param w moonarray.whole
---@param f moonarray.whole|string
---@return moonarray.channel_format
function moonarray.cuda.texture.ChannelFormatDescriptor(x, y, z, w, f) end

---Where the texels are: 'array' (cuArr, a CUDAarray), 'linear' (arr, chDesc, sizeInBytes) or 'pitch2d' (arr, chDesc, width, height, pitchInBytes), or CUDA's cudaResourceType.
---```lua
---cuda.texture.ResourceDescriptor(restype, cuArr?, arr?, chDesc?, sizeInBytes?, width?, height?, pitchInBytes?)
---```
---@param restype moonarray.whole|string
---@param cuArr? moonarray.cuda_array|table
---@param arr? moonarray.part|table
---@param chDesc? moonarray.channel_format|table
---@param sizeInBytes? moonarray.whole|table
---@param width? moonarray.whole|table
---@param height? moonarray.whole|table
---@param pitchInBytes? moonarray.whole|table
---@return moonarray.resource
function moonarray.cuda.texture.ResourceDescriptor(restype, cuArr, arr, chDesc, sizeInBytes, width, height, pitchInBytes) end

---What kernels read and write texels with, of a CUDAarray with the flag 2: an argument of the C type cudaSurfaceObject_t or unsigned long long.
---```lua
---cuda.texture.SurfaceObject(ResDesc)
---```
---@param ResDesc moonarray.resource
---@return moonarray.texture
function moonarray.cuda.texture.SurfaceObject(ResDesc) end

---How texels are read: addressModes along x, y and z ('wrap', 'clamp', 'mirror', 'border'), filterMode ('point', 'linear'), readMode ('element', 'normalized_float'), borderColors of four channels, normalizedCoords.
---```lua
---cuda.texture.TextureDescriptor(addressModes?, filterMode?, readMode?, sRGB?, borderColors?, normalizedCoords?, maxAnisotropy?)
---```
---@param addressModes? string|moonarray.whole|table|table
---@param filterMode? moonarray.whole|string|table
---@param readMode? moonarray.whole|string|table
---@param sRGB? boolean|table
---@param borderColors? number[]|table
---@param normalizedCoords? boolean|table
---@param maxAnisotropy? moonarray.whole|table
---@return moonarray.sampler
function moonarray.cuda.texture.TextureDescriptor(addressModes, filterMode, readMode, sRGB, borderColors, normalizedCoords, maxAnisotropy) end

---What kernels read texels with: an argument of the C type cudaTextureObject_t or unsigned long long, or of a kernel in Lua.
---```lua
---cuda.texture.TextureObject(ResDesc, TexDesc)
---```
---@param ResDesc moonarray.resource
---@param TexDesc moonarray.sampler
---@return moonarray.texture
function moonarray.cuda.texture.TextureObject(ResDesc, TexDesc) end

---Calls fn(...) with a pool that serves this thread's new arrays of its device, and returns what fn does; fn cannot yield.
---```lua
---cuda.using_allocator(allocator?, fn?, ...)
---```
---@param allocator? moonarray.pool|function|table
---@param fn? function|table
---@param ... any
---@return any ...
function moonarray.cuda.using_allocator(allocator, fn, ...) end

---Zeros of the CPU in pinned memory, in the shape and dtype of another array.
---```lua
---cuda.zeros_like_pinned(array, dtype?; device?)
---```
---@param array moonarray.part
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.cuda.zeros_like_pinned(array, dtype, device) end

---Zeros of the CPU in pinned memory.
---```lua
---cuda.zeros_pinned(shape, dtype?; device?)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.cuda.zeros_pinned(shape, dtype, device) end

---Running product along an axis, or over all elements in C order.
---```lua
---cumprod(a, axis?, dtype?, out?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.cumprod(a, axis, dtype, out) end
array.cumprod = moonarray.cumprod

---Running sum along an axis, or over all elements in C order.
---```lua
---cumsum(a, axis?, dtype?, out?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.cumsum(a, axis, dtype, out) end
array.cumsum = moonarray.cumsum

---Products of the elements up to each place along an axis, which an array of several axes must be given; with include_initial the result begins with 1 and is longer by one. Example: ma.cumulative_prod({1, 2, 3}) --> [1. 2. 6.]
---```lua
---cumulative_prod(a; axis?, dtype?, out?, include_initial?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param include_initial? boolean|table
---@return moonarray.array
function moonarray.cumulative_prod(a, axis, dtype, out, include_initial) end
array.cumulative_prod = moonarray.cumulative_prod

---Sums of the elements up to each place along an axis, which an array of several axes must be given; with include_initial the result begins with 0 and is longer by one. Example: ma.cumulative_sum({1, 2, 3}, {include_initial = true}) --> [0. 1. 3. 6.]
---```lua
---cumulative_sum(a; axis?, dtype?, out?, include_initial?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param include_initial? boolean|table
---@return moonarray.array
function moonarray.cumulative_sum(a, axis, dtype, out, include_initial) end
array.cumulative_sum = moonarray.cumulative_sum

---degrees to radians
---```lua
---deg2rad(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.deg2rad: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.deg2rad = {}
array.deg2rad = moonarray.deg2rad

---radians to degrees
---```lua
---rad2deg(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.degrees: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.degrees = {}
array.degrees = moonarray.degrees

---A copy without the elements at these positions, along an axis or flattened.
---```lua
---delete(a, obj, axis?)
---```
---@param a moonarray.data
---@param obj moonarray.whole|moonarray.whole[]|moonarray.part
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.delete(a, obj, axis) end
array.delete = moonarray.delete

---A device by name ("cpu", "cuda:1"), or the current one.
---```lua
---device(name?)
---```
---@param name? string|table
---@return moonarray.device
function moonarray.device(name) end

---A matrix with this vector as its k-th diagonal; of a matrix, a copy of that diagonal.
---```lua
---diag(a, k?)
---```
---@param a moonarray.data
---@param k? moonarray.whole|table
---@return moonarray.array
function moonarray.diag(a, k) end
array.diag = moonarray.diag

---The positions of the main diagonal of an array of n by n (by n ...): one array an axis (2). Example: ma.diag_indices(2) --> [1 2] [1 2]
---```lua
---diag_indices(n, ndim?; device?)
---```
---@param n moonarray.whole
---@param ndim? moonarray.whole|table
---@param device? string|table
---@return moonarray.array ...
function moonarray.diag_indices(n, ndim, device) end

---diag_indices for an array, of at least 2 axes and of one extent along all. Example: ma.diag_indices_from(ma.eye(2)) --> [1 2] [1 2]
---```lua
---diag_indices_from(arr)
---```
---@param arr moonarray.data
---@return moonarray.array ...
function moonarray.diag_indices_from(arr) end

---A matrix with all elements, in order, as its k-th diagonal.
---```lua
---diagflat(a, k?)
---```
---@param a moonarray.data
---@param k? moonarray.whole|table
---@return moonarray.array
function moonarray.diagflat(a, k) end
array.diagflat = moonarray.diagflat

---The elements (i, i + offset) of two axes (the first two) as a view whose last axis they are.
---```lua
---diagonal(a, offset?, axis1?, axis2?)
---```
---@param a moonarray.data
---@param offset? moonarray.whole|table
---@param axis1? moonarray.whole|table
---@param axis2? moonarray.whole|table
---@return moonarray.array
function moonarray.diagonal(a, offset, axis1, axis2) end
array.diagonal = moonarray.diagonal

---Differences of neighbours along an axis (the last), n times over.
---```lua
---diff(a, n?, axis?, prepend?, append?)
---```
---@param a moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param prepend? moonarray.data|table
---@param append? moonarray.data|table
---@return moonarray.array
function moonarray.diff(a, n, axis, prepend, append) end
array.diff = moonarray.diff

---For each value the position of the first edge above it (right: not below it); bins ascend or descend. From 1, one past the end for what is above all.
---```lua
---digitize(x, bins, right?)
---```
---@param x moonarray.data
---@param bins moonarray.data
---@param right? boolean|table
---@return moonarray.array
function moonarray.digitize(x, bins, right) end

---The extents as several numbers: `local h, w = a:dims()`.
---```lua
---dims(a)
---```
---@param a moonarray.data
---@return integer ...
function moonarray.dims(a) end
array.dims = moonarray.dims

moonarray.distributed = {}

moonarray.distributed.Array = {}

---moonarray.abs of each element.
---```lua
---distributed.Array.abs(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.abs(x) end

---moonarray.absolute of each element.
---```lua
---distributed.Array.absolute(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.absolute(x) end

---Are all elements true? Without axis and keepdims a Lua boolean.
---```lua
---distributed.Array.all(x, axis?, keepdims?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return boolean|moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.all(x, axis, keepdims, where) end

---The whole as an array on every rank.
---```lua
---distributed.Array.all_gather(x; timeout?)
---```
---@param x moonarray.sharded_array
---@param timeout? number|table
---@return moonarray.array
function moonarray.distributed.Array.all_gather(x, timeout) end

---Is any element true? Without axis and keepdims a Lua boolean.
---```lua
---distributed.Array.any(x, axis?, keepdims?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return boolean|moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.any(x, axis, keepdims, where) end

---moonarray.arccos of each element.
---```lua
---distributed.Array.arccos(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.arccos(x) end

---moonarray.arccosh of each element.
---```lua
---distributed.Array.arccosh(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.arccosh(x) end

---moonarray.arcsin of each element.
---```lua
---distributed.Array.arcsin(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.arcsin(x) end

---moonarray.arcsinh of each element.
---```lua
---distributed.Array.arcsinh(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.arcsinh(x) end

---moonarray.arctan of each element.
---```lua
---distributed.Array.arctan(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.arctan(x) end

---moonarray.arctan2 of each pair of elements.
---```lua
---distributed.Array.arctan2(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.arctan2(x, y) end

---moonarray.arctanh of each element.
---```lua
---distributed.Array.arctanh(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.arctanh(x) end

---Position of the first largest element along an axis, or of the first NaN; counted over the whole.
---```lua
---distributed.Array.argmax(x, axis?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.argmax(x, axis) end

---Position of the first smallest element along an axis, or of the first NaN; counted over the whole.
---```lua
---distributed.Array.argmin(x, axis?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.argmin(x, axis) end

---Writes the elements of a sharded array with the same parts, an array that all ranks have, or a number. Returns x.
---```lua
---distributed.Array.assign(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.assign(x, y) end

---The elements in another dtype.
---```lua
---distributed.Array.astype(x, dtype)
---```
---@param x moonarray.sharded_array
---@param dtype moonarray.dtype
---@return moonarray.sharded_array
function moonarray.distributed.Array.astype(x, dtype) end

---moonarray.cbrt of each element.
---```lua
---distributed.Array.cbrt(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.cbrt(x) end

---moonarray.ceil of each element.
---```lua
---distributed.Array.ceil(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.ceil(x) end

---The elements, held between two limits.
---```lua
---distributed.Array.clip(x, least?, most?)
---```
---@param x moonarray.sharded_array
---@param least? moonarray.sharded_array|moonarray.data|table
---@param most? moonarray.sharded_array|moonarray.data|table
---@return moonarray.sharded_array
function moonarray.distributed.Array.clip(x, least, most) end

---moonarray.conj of each element.
---```lua
---distributed.Array.conj(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.conj(x) end

---A copy.
---```lua
---distributed.Array.copy(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.copy(x) end

---moonarray.cos of each element.
---```lua
---distributed.Array.cos(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.cos(x) end

---moonarray.cosh of each element.
---```lua
---distributed.Array.cosh(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.cosh(x) end

---Number of elements that are not 0.
---```lua
---distributed.Array.count_nonzero(x, axis?, keepdims?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.count_nonzero(x, axis, keepdims, where) end

---Running product along an axis, or over all elements in C order.
---```lua
---distributed.Array.cumprod(x, axis?, dtype?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.sharded_array
function moonarray.distributed.Array.cumprod(x, axis, dtype) end

---Running sum along an axis, or over all elements in C order.
---```lua
---distributed.Array.cumsum(x, axis?, dtype?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.sharded_array
function moonarray.distributed.Array.cumsum(x, axis, dtype) end

---moonarray.deg2rad of each element.
---```lua
---distributed.Array.deg2rad(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.deg2rad(x) end

---moonarray.eq of each pair of elements.
---```lua
---distributed.Array.eq(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.eq(x, y) end

---moonarray.exp of each element.
---```lua
---distributed.Array.exp(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.exp(x) end

---moonarray.exp2 of each element.
---```lua
---distributed.Array.exp2(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.exp2(x) end

---moonarray.expm1 of each element.
---```lua
---distributed.Array.expm1(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.expm1(x) end

---moonarray.floor of each element.
---```lua
---distributed.Array.floor(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.floor(x) end

---moonarray.fmax of each pair of elements.
---```lua
---distributed.Array.fmax(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.fmax(x, y) end

---moonarray.fmin of each pair of elements.
---```lua
---distributed.Array.fmin(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.fmin(x, y) end

---The whole as an array on rank `dst`, 0 if not given; the others get nil.
---```lua
---distributed.Array.gather(x, dst?; timeout?)
---```
---@param x moonarray.sharded_array
---@param dst? moonarray.whole|table
---@param timeout? number|table
---@return moonarray.array
function moonarray.distributed.Array.gather(x, dst, timeout) end

---moonarray.ge of each pair of elements.
---```lua
---distributed.Array.ge(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.ge(x, y) end

---moonarray.gt of each pair of elements.
---```lua
---distributed.Array.gt(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.gt(x, y) end

---moonarray.hypot of each pair of elements.
---```lua
---distributed.Array.hypot(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.hypot(x, y) end

---moonarray.isfinite of each element.
---```lua
---distributed.Array.isfinite(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.isfinite(x) end

---moonarray.isinf of each element.
---```lua
---distributed.Array.isinf(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.isinf(x) end

---moonarray.isnan of each element.
---```lua
---distributed.Array.isnan(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.isnan(x) end

---moonarray.le of each pair of elements.
---```lua
---distributed.Array.le(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.le(x, y) end

---moonarray.log of each element.
---```lua
---distributed.Array.log(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.log(x) end

---moonarray.log10 of each element.
---```lua
---distributed.Array.log10(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.log10(x) end

---moonarray.log1p of each element.
---```lua
---distributed.Array.log1p(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.log1p(x) end

---moonarray.log2 of each element.
---```lua
---distributed.Array.log2(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.log2(x) end

---moonarray.logical_and of each pair of elements.
---```lua
---distributed.Array.logical_and(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.logical_and(x, y) end

---moonarray.logical_not of each element.
---```lua
---distributed.Array.logical_not(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.logical_not(x) end

---moonarray.logical_or of each pair of elements.
---```lua
---distributed.Array.logical_or(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.logical_or(x, y) end

---moonarray.logical_xor of each pair of elements.
---```lua
---distributed.Array.logical_xor(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.logical_xor(x, y) end

---Logarithm of the sum of the exponentials.
---```lua
---distributed.Array.logsumexp(x, axis?, dtype?, keepdims?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.logsumexp(x, axis, dtype, keepdims, where) end

---moonarray.lt of each pair of elements.
---```lua
---distributed.Array.lt(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.lt(x, y) end

---Largest element; NaN if there is one.
---```lua
---distributed.Array.max(x, axis?, keepdims?, initial?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.max(x, axis, keepdims, initial, where) end

---moonarray.maximum of each pair of elements.
---```lua
---distributed.Array.maximum(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.maximum(x, y) end

---Arithmetic mean along axes; of integers in float64.
---```lua
---distributed.Array.mean(x, axis?, dtype?, keepdims?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.mean(x, axis, dtype, keepdims, where) end

---Smallest element; NaN if there is one.
---```lua
---distributed.Array.min(x, axis?, keepdims?, initial?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.min(x, axis, keepdims, initial, where) end

---moonarray.minimum of each pair of elements.
---```lua
---distributed.Array.minimum(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.minimum(x, y) end

---Largest element that is not NaN.
---```lua
---distributed.Array.nanmax(x, axis?, keepdims?, initial?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.nanmax(x, axis, keepdims, initial, where) end

---Arithmetic mean of what is not NaN.
---```lua
---distributed.Array.nanmean(x, axis?, dtype?, keepdims?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.nanmean(x, axis, dtype, keepdims, where) end

---Smallest element that is not NaN.
---```lua
---distributed.Array.nanmin(x, axis?, keepdims?, initial?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.nanmin(x, axis, keepdims, initial, where) end

---Standard deviation of what is not NaN.
---```lua
---distributed.Array.nanstd(x, axis?, dtype?, ddof?, keepdims?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param ddof? moonarray.whole|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.nanstd(x, axis, dtype, ddof, keepdims, where) end

---Variance of what is not NaN.
---```lua
---distributed.Array.nanvar(x, axis?, dtype?, ddof?, keepdims?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param ddof? moonarray.whole|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.nanvar(x, axis, dtype, ddof, keepdims, where) end

---moonarray.ne of each pair of elements.
---```lua
---distributed.Array.ne(x, y)
---```
---@param x moonarray.sharded_array
---@param y moonarray.sharded_array|moonarray.data
---@return moonarray.sharded_array
function moonarray.distributed.Array.ne(x, y) end

---moonarray.negative of each element.
---```lua
---distributed.Array.negative(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.negative(x) end

---An array of this rank: its part with x.halo positions more on each side of the sharded axis, which are the neighbours'. Outside the whole there are none, unless `wrap` continues it from its other end.
---```lua
---distributed.Array.padded(x; wrap?)
---```
---@param x moonarray.sharded_array
---@param wrap? boolean|table
---@return moonarray.array
function moonarray.distributed.Array.padded(x, wrap) end

---Product of elements along axes, and of `initial`.
---```lua
---distributed.Array.prod(x, axis?, dtype?, keepdims?, initial?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.prod(x, axis, dtype, keepdims, initial, where) end

---moonarray.rad2deg of each element.
---```lua
---distributed.Array.rad2deg(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.rad2deg(x) end

---moonarray.reciprocal of each element.
---```lua
---distributed.Array.reciprocal(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.reciprocal(x) end

---The array with other parts: `to` is an axis, along which it is divided as equally as can be, or as `sizes`, the extents of all ranks, says; or a sharded array, whose parts it gets. An array that has these parts already is returned as it is.
---```lua
---distributed.Array.reshard(x, to?; sizes?)
---```
---@param x moonarray.sharded_array
---@param to? moonarray.sharded_array|moonarray.whole|table
---@param sizes? moonarray.whole[]|table
---@return moonarray.sharded_array
function moonarray.distributed.Array.reshard(x, to, sizes) end

---moonarray.rint of each element.
---```lua
---distributed.Array.rint(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.rint(x) end

---moonarray.sign of each element.
---```lua
---distributed.Array.sign(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.sign(x) end

---moonarray.sin of each element.
---```lua
---distributed.Array.sin(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.sin(x) end

---moonarray.sinh of each element.
---```lua
---distributed.Array.sinh(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.sinh(x) end

---moonarray.sqrt of each element.
---```lua
---distributed.Array.sqrt(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.sqrt(x) end

---moonarray.square of each element.
---```lua
---distributed.Array.square(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.square(x) end

---Standard deviation along axes.
---```lua
---distributed.Array.std(x, axis?, dtype?, ddof?, keepdims?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param ddof? moonarray.whole|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.std(x, axis, dtype, ddof, keepdims, where) end

---Sum of elements along axes, and of `initial`.
---```lua
---distributed.Array.sum(x, axis?, dtype?, keepdims?, initial?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.sum(x, axis, dtype, keepdims, initial, where) end

---moonarray.tan of each element.
---```lua
---distributed.Array.tan(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.tan(x) end

---moonarray.tanh of each element.
---```lua
---distributed.Array.tanh(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.tanh(x) end

---A copy whose parts are on another device.
---```lua
---distributed.Array.to(x, device)
---```
---@param x moonarray.sharded_array
---@param device string
---@return moonarray.sharded_array
function moonarray.distributed.Array.to(x, device) end

---moonarray.trunc of each element.
---```lua
---distributed.Array.trunc(x)
---```
---@param x moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.Array.trunc(x) end

---Variance along axes.
---```lua
---distributed.Array.var(x, axis?, dtype?, ddof?, keepdims?, where?)
---```
---@param x moonarray.sharded_array
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param ddof? moonarray.whole|table
---@param keepdims? boolean|table
---@param where? moonarray.sharded_array|moonarray.part|table
---@return moonarray.array|moonarray.sharded_array
function moonarray.distributed.Array.var(x, axis, dtype, ddof, keepdims, where) end

---The arrays of all ranks beside each other along the first axis, in the order of ranks, on every rank. All have one shape, or `sizes` has the first extent of each rank's array. Numbers and 0-d arrays become a vector.
---```lua
---distributed.all_gather(x; sizes?, out?, group?, timeout?, async_op?)
---```
---@param x moonarray.data
---@param sizes? moonarray.whole[]|table
---@param out? moonarray.part|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@param async_op? boolean|table
---@return moonarray.array|moonarray.distributed_work
function moonarray.distributed.all_gather(x, sizes, out, group, timeout, async_op) end

---Combines the arrays of all ranks, element by element, and gives every rank the result. `op` is "sum", "prod", "min", "max" or "mean". The result is a new array, or `out`, which may be x. Sums of float16 and bfloat16 are made in float32 and rounded once; the mean of whole numbers is float64; sums of bools are or, products are and.
---```lua
---distributed.all_reduce(x, op?; out?, group?, timeout?, async_op?)
---```
---@param x moonarray.data
---@param op? string|table
---@param out? moonarray.part|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@param async_op? boolean|table
---@return moonarray.array|moonarray.distributed_work
function moonarray.distributed.all_reduce(x, op, out, group, timeout, async_op) end

---Every rank cuts x along the first axis and gives part k to rank k - 1; the result is what all ranks gave to this one, in the order of ranks. The parts are equal, or input_split_sizes has their first extents; then output_split_sizes has those of the parts that come, or the ranks ask each other for them.
---```lua
---distributed.all_to_all(x; input_split_sizes?, output_split_sizes?, out?, group?, timeout?, async_op?)
---```
---@param x moonarray.data
---@param input_split_sizes? moonarray.whole[]|table
---@param output_split_sizes? moonarray.whole[]|table
---@param out? moonarray.part|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@param async_op? boolean|table
---@return moonarray.array|moonarray.distributed_work
function moonarray.distributed.all_to_all(x, input_split_sizes, output_split_sizes, out, group, timeout, async_op) end

---An array whose parts along `axis` (1 if not given) the ranks of the group have, in their order: each gives its own. Parts may differ in their extent along that axis. `halo` is the number of neighbours' positions that x:padded() adds on each side, 0 if not given. The array holds `part` itself, not a copy.
---```lua
---distributed.array(part; axis?, halo?, group?, timeout?)
---```
---@param part moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param halo? moonarray.whole|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@return moonarray.sharded_array
function moonarray.distributed.array(part, axis, halo, group, timeout) end

---Returns when all ranks of the group have called it.
---```lua
---distributed.barrier(; group?, timeout?, async_op?)
---```
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@param async_op? boolean|table
---@return moonarray.distributed_work
function moonarray.distributed.barrier(group, timeout, async_op) end

---Gives every rank the array of rank `src`, 0 if not given. On the other ranks x has the same shape and dtype, and its elements are not read. The result is a new array, or `out`, which may be x.
---```lua
---distributed.broadcast(x, src?; out?, group?, timeout?, async_op?)
---```
---@param x moonarray.data
---@param src? moonarray.whole|table
---@param out? moonarray.part|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@param async_op? boolean|table
---@return moonarray.array|moonarray.distributed_work
function moonarray.distributed.broadcast(x, src, out, group, timeout, async_op) end

---Gives up a group that is not needed any more, so that its number is free: at most 256 can be open at once. All its members call it, behind their other calls of the group.
---```lua
---distributed.close(group?; timeout?)
---```
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
function moonarray.distributed.close(group, timeout) end

---A sharded array of the array of rank `src`, 0 if not given, divided along `axis` as equally as can be. On the other ranks `a` is not read and may be nil.
---```lua
---distributed.distribute(a?, src?; axis?, halo?, group?, timeout?)
---```
---@param a? moonarray.data|table
---@param src? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param halo? moonarray.whole|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@return moonarray.sharded_array
function moonarray.distributed.distribute(a, src, axis, halo, group, timeout) end

---A sharded array of elements that were not written, divided along `axis` as equally as can be.
---```lua
---distributed.empty(shape; axis?, halo?, group?, dtype?, device?)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param halo? moonarray.whole|table
---@param group? moonarray.distributed_group|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.sharded_array
function moonarray.distributed.empty(shape, axis, halo, group, dtype, device) end

---The Fourier transform of a sharded array along some axes, all if none are given. Parts move once if the sharded axis is among them, and once more so that the result is divided as x is; with back = false it stays divided along another axis. norm as in ma.fft.fftn.
---```lua
---distributed.fftn(x, axes?; norm?, back?)
---```
---@param x moonarray.sharded_array
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param back? boolean|table
---@return moonarray.sharded_array
function moonarray.distributed.fftn(x, axes, norm, back) end

---Leaves the world: waits until all ranks do. Nothing of ma.distributed can be called after it. The end of a program does the same.
---```lua
---distributed.finalize()
---```
function moonarray.distributed.finalize() end

---As all_gather, but only rank `dst`, 0 if not given, gets the result; the others get nil.
---```lua
---distributed.gather(x, dst?; sizes?, out?, group?, timeout?, async_op?)
---```
---@param x moonarray.data
---@param dst? moonarray.whole|table
---@param sizes? moonarray.whole[]|table
---@param out? moonarray.part|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@param async_op? boolean|table
---@return moonarray.array|moonarray.distributed_work
function moonarray.distributed.gather(x, dst, sizes, out, group, timeout, async_op) end

---torch.distributed's name of ma.distributed.rank.
---```lua
---distributed.get_rank(group?)
---```
---@param group? moonarray.distributed_group|table
---@return integer
function moonarray.distributed.get_rank(group) end

---torch.distributed's name of ma.distributed.size.
---```lua
---distributed.get_world_size(group?)
---```
---@param group? moonarray.distributed_group|table
---@return integer
function moonarray.distributed.get_world_size(group) end

---Begins the calls that `fn` makes together, as one: on GPUs they are one launch of NCCL, and messages to and from several ranks cannot wait for each other. In fn no call has a result yet; what fn returns of calls are their results, when all are done.
---```lua
---distributed.grouped(fn)
---```
---@param fn function
---@return any ...
function moonarray.distributed.grouped(fn) end

---The inverse Fourier transform of a sharded array along some axes, all if none are given. Parts move once if the sharded axis is among them, and once more so that the result is divided as x is; with back = false it stays divided along another axis. norm as in ma.fft.ifftn.
---```lua
---distributed.ifftn(x, axes?; norm?, back?)
---```
---@param x moonarray.sharded_array
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param back? boolean|table
---@return moonarray.sharded_array
function moonarray.distributed.ifftn(x, axes, norm, back) end

---Joins the processes that mpirun, srun or another launcher started together, and returns the group of all of them, which is ma.distributed.world too. In a program that no launcher started the world has one rank. Each rank of a host makes a GPU of its own the current device, or the given `device`. Arrays of GPUs move by NCCL, or with backend = "mpi" by MPI through the host. `timeout` is the number of seconds after which a call that waits for other ranks fails, 600 if not given; each call takes its own. Where MPI itself waits for a rank that does not come to init, the process ends after that time.
---```lua
---distributed.init(; timeout?, device?, backend?)
---```
---@param timeout? number|table
---@param device? string|table
---@param backend? string|table
---@return moonarray.distributed_group
function moonarray.distributed.init(timeout, device, backend) end

---The inverse of distributed.rfftn: real elements, `n` of them along the last of the axes, 2 (m - 1) of m if not given. Parts move as in distributed.fftn, and back = false leaves out the exchange behind it.
---```lua
---distributed.irfftn(x, axes?; n?, norm?, back?)
---```
---@param x moonarray.sharded_array
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param n? moonarray.whole|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param back? boolean|table
---@return moonarray.sharded_array
function moonarray.distributed.irfftn(x, axes, n, norm, back) end

---Whether ma.distributed.init was called, and finalize was not.
---```lua
---distributed.is_initialized()
---```
---@return boolean
function moonarray.distributed.is_initialized() end

---The name and version of the MPI in use, and its file; nothing where one rank is alone.
---```lua
---distributed.library()
---```
---@return string
---@return string
function moonarray.distributed.library() end

---Reads a .npy file as a sharded array, divided along `axis` as equally as can be: each rank reads its part. All ranks need the same file system.
---```lua
---distributed.load(path; axis?, halo?, group?, device?, timeout?)
---```
---@param path string
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param halo? moonarray.whole|table
---@param group? moonarray.distributed_group|table
---@param device? string|table
---@param timeout? number|table
---@return moonarray.sharded_array
function moonarray.distributed.load(path, axis, halo, group, device, timeout) end

---Several GPUs of this process as ranks: `ids` are their numbers. The object has the collectives as methods, which take a table of arrays, one of each GPU, and return a table of results: gpus:all_reduce({a, b}). NCCL does it.
---```lua
---distributed.local_(ids)
---```
---@param ids moonarray.whole[]
---@return table
function moonarray.distributed.local_(ids) end

---The number of this process among the ranks of its host, from 0.
---```lua
---distributed.local_rank()
---```
---@return integer
function moonarray.distributed.local_rank() end

---The number of ranks on this host.
---```lua
---distributed.local_size()
---```
---@return integer
function moonarray.distributed.local_size() end

---fn(...) of the parts of sharded arrays: fn is a function of arrays that works element by element along the sharded axis, such as ma.sqrt, ma.where or a function of ma.fuse. Arrays among the arguments are the same on all ranks, and each rank takes its positions of them. The result is a sharded array.
---```lua
---distributed.map(fn, ...)
---```
---@param fn function
---@param ... any
---@return moonarray.sharded_array ...
function moonarray.distributed.map(fn, ...) end

---The product of two sharded matrices, divided as `a` is. The ranks multiply blocks on a grid of p by q ranks (SUMMA), so that each gets only the panels of its row and column.
---```lua
---distributed.matmul(a, b)
---```
---@param a moonarray.sharded_array
---@param b moonarray.sharded_array
---@return moonarray.sharded_array
function moonarray.distributed.matmul(a, b) end

---A group of the given ranks of a group, the world's if none is given, in their order. All ranks of that group call it; those that are not among the given ones get nil.
---```lua
---distributed.new_group(ranks; group?, timeout?)
---```
---@param ranks moonarray.whole[]
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@return moonarray.distributed_group
function moonarray.distributed.new_group(ranks, group, timeout) end

---A sharded array of ones, divided along `axis` as equally as can be.
---```lua
---distributed.ones(shape; axis?, halo?, group?, dtype?, device?)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param halo? moonarray.whole|table
---@param group? moonarray.distributed_group|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.sharded_array
function moonarray.distributed.ones(shape, axis, halo, group, dtype, device) end

---The number of this process in the world, or in a group: 0 to size - 1, as launchers count.
---```lua
---distributed.rank(group?)
---```
---@param group? moonarray.distributed_group|table
---@return integer
function moonarray.distributed.rank(group) end

---Receives an array from rank `src` into `out`, which has the dtype and number of elements that were sent, and returns it.
---```lua
---distributed.recv(out, src; tag?, group?, timeout?, async_op?)
---```
---@param out moonarray.part
---@param src moonarray.whole
---@param tag? moonarray.whole|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@param async_op? boolean|table
---@return moonarray.array|moonarray.distributed_work
function moonarray.distributed.recv(out, src, tag, group, timeout, async_op) end

---As all_reduce, but only rank `dst`, 0 if not given, gets the result; the others get nil.
---```lua
---distributed.reduce(x, dst?, op?; out?, group?, timeout?, async_op?)
---```
---@param x moonarray.data
---@param dst? moonarray.whole|table
---@param op? string|table
---@param out? moonarray.part|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@param async_op? boolean|table
---@return moonarray.array|moonarray.distributed_work
function moonarray.distributed.reduce(x, dst, op, out, group, timeout, async_op) end

---Combines the arrays of all ranks and gives each rank its part along the first axis: equal parts, or `sizes`, the first extent of each rank's part.
---```lua
---distributed.reduce_scatter(x, op?; sizes?, out?, group?, timeout?, async_op?)
---```
---@param x moonarray.data
---@param op? string|table
---@param sizes? moonarray.whole[]|table
---@param out? moonarray.part|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@param async_op? boolean|table
---@return moonarray.array|moonarray.distributed_work
function moonarray.distributed.reduce_scatter(x, op, sizes, out, group, timeout, async_op) end

---The Fourier transform of a sharded array of real elements along some axes, all if none are given; the last of them is halved. Parts move as in distributed.fftn, and back = false leaves out the exchange behind it.
---```lua
---distributed.rfftn(x, axes?; norm?, back?)
---```
---@param x moonarray.sharded_array
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param back? boolean|table
---@return moonarray.sharded_array
function moonarray.distributed.rfftn(x, axes, norm, back) end

---Writes a sharded array as one .npy file, which NumPy and ma.load read: each rank writes its part. All ranks need the same file system. An old file is replaced when every rank has written.
---```lua
---distributed.save(path, x; timeout?)
---```
---@param path string
---@param x moonarray.sharded_array
---@param timeout? number|table
function moonarray.distributed.save(path, x, timeout) end

---Gives each rank its part of the array of rank `src`, 0 if not given, along the first axis: equal parts, or `sizes`, the first extent of each part. On the other ranks x has the same shape and dtype, and its elements are not read; or x is nil and `out` is given.
---```lua
---distributed.scatter(x?, src?; sizes?, out?, group?, timeout?, async_op?)
---```
---@param x? moonarray.data|table
---@param src? moonarray.whole|table
---@param sizes? moonarray.whole[]|table
---@param out? moonarray.part|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@param async_op? boolean|table
---@return moonarray.array|moonarray.distributed_work
function moonarray.distributed.scatter(x, src, sizes, out, group, timeout, async_op) end

---Sends an array to rank `dst`, which calls recv. `tag`, a whole number from 0 on, tells several messages apart.
---```lua
---distributed.send(x, dst; tag?, group?, timeout?, async_op?)
---```
---@param x moonarray.data
---@param dst moonarray.whole
---@param tag? moonarray.whole|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@param async_op? boolean|table
---@return moonarray.distributed_work
function moonarray.distributed.send(x, dst, tag, group, timeout, async_op) end

---Sends x to rank `dst` and receives from rank `src` into `out` at the same time, so that ranks can exchange in a ring. A rank of nil or -1 is nobody: then nothing is sent, or `out` stays as it was. Returns `out`.
---```lua
---distributed.sendrecv(x?, dst?, out?, src?; tag?, group?, timeout?, async_op?)
---```
---@param x? moonarray.data|table
---@param dst? moonarray.whole|table
---@param out? moonarray.part|table
---@param src? moonarray.whole|table
---@param tag? moonarray.whole|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@param async_op? boolean|table
---@return moonarray.array|moonarray.distributed_work
function moonarray.distributed.sendrecv(x, dst, out, src, tag, group, timeout, async_op) end

---The number of ranks of the world, or of a group.
---```lua
---distributed.size(group?)
---```
---@param group? moonarray.distributed_group|table
---@return integer
function moonarray.distributed.size(group) end

---Divides a group: ranks that pass the same `color`, a whole number from 0 on, become a new group, in the order of `key`, and of ranks where keys are equal. Without a color a rank joins none and gets nil. All ranks of the group call it.
---```lua
---distributed.split(color?, key?; group?, timeout?)
---```
---@param color? moonarray.whole|table
---@param key? moonarray.whole|table
---@param group? moonarray.distributed_group|table
---@param timeout? number|table
---@return moonarray.distributed_group
function moonarray.distributed.split(color, key, group, timeout) end

---As ma.stencil, over sharded arrays: a function of fields whose result at each position is fn(u, v, ...). The ranks exchange the positions that their neighbours need, while they compute their own. s(u, v) applies it, s:run(u, v, {steps = n}) applies it n times. The results have the bits of one rank. Arrays from outside that fn uses have no axes; others are fields.
---```lua
---distributed.stencil(fn; boundary?, value?, out?)
---```
---@param fn function
---@param boundary? string|string[]|table
---@param value? number|table
---@param out? moonarray.part|table
---@return moonarray.sharded_stencil
function moonarray.distributed.stencil(fn, boundary, value, out) end

---A sharded array of zeros, divided along `axis` as equally as can be.
---```lua
---distributed.zeros(shape; axis?, halo?, group?, dtype?, device?)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param halo? moonarray.whole|table
---@param group? moonarray.distributed_group|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.sharded_array
function moonarray.distributed.zeros(shape, axis, halo, group, dtype, device) end

---x / y, the true quotient: integers give float64
---```lua
---divide(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.divide: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.divide = {}
array.divide = moonarray.divide

---floor_divide(x, y) and remainder(x, y)
---```lua
---divmod(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.divmod: moonarray.ufunc
---@overload fun(a: number, b: number): number, number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array, moonarray.array
moonarray.divmod = {}
array.divmod = moonarray.divmod

---The product of vectors and matrices as numpy.dot has it: of vectors a number (0-d), of matrices matmul, with a 0-d operand a multiple; else the sum over the last axis of a and the axis before the last of b.
---```lua
---dot(a, b, out?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.dot(a, b, out) end
array.dot = moonarray.dot

---split along axis 3.
---```lua
---dsplit(a, indices_or_sections)
---```
---@param a moonarray.data
---@param indices_or_sections moonarray.whole|moonarray.whole[]
---@return moonarray.array[]
function moonarray.dsplit(a, indices_or_sections) end
array.dsplit = moonarray.dsplit

---Arrays one behind the other: joined along the third axis.
---```lua
---dstack(arrays; dtype?)
---```
---@param arrays moonarray.data[]
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.dstack(arrays, dtype) end

---The bytes of a .npy file as a string.
---```lua
---dumps(a)
---```
---@param a moonarray.data
---@return string
function moonarray.dumps(a) end
array.dumps = moonarray.dumps

---An iterator over all elements as Lua values, after one copy to the host: `for v in a:each() do`.
---```lua
---each(a)
---```
---@param a moonarray.data
---@return fun(): any, any
function moonarray.each(a) end
array.each = moonarray.each

---Differences of neighbours of the flattened array, with values put before and behind.
---```lua
---ediff1d(a, to_end?, to_begin?)
---```
---@param a moonarray.data
---@param to_end? moonarray.data|table
---@param to_begin? moonarray.data|table
---@return moonarray.array
function moonarray.ediff1d(a, to_end, to_begin) end
array.ediff1d = moonarray.ediff1d

---Einstein's sums: letters name axes, equal letters of operands go together, and those that the result does not name are summed: 'ij,jk->ik' is matmul. '...' stands for the other axes. Several operands are contracted in an order of small cost (optimize = false: from left to right). Of one operand the result may be a view.
---```lua
---einsum(subscripts; out?, dtype?, optimize?, ...)
---```
---@param subscripts string
---@param ... any
---@return moonarray.array
function moonarray.einsum(subscripts, ...) end

---An array whose elements are not set.
---```lua
---empty(shape, dtype?, order?; device?)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param dtype? moonarray.dtype|table
---@param order? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.empty(shape, dtype, order, device) end

---An array of the shape and dtype of another, not set.
---```lua
---empty_like(a, dtype?, order?; shape?, device?)
---```
---@param a moonarray.data
---@param dtype? moonarray.dtype|table
---@param order? string|table
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param device? string|table
---@return moonarray.array
function moonarray.empty_like(a, dtype, order, shape, device) end
array.empty_like = moonarray.empty_like

---x == y
---```lua
---equal(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.eq: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.eq = {}
array.eq = moonarray.eq

---x == y
---```lua
---equal(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.equal: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.equal = {}
array.equal = moonarray.equal

---Runs what operators left for later in these arrays, and in those of tables among them; returns its arguments.
---```lua
---eval(...)
---```
---@param ... any
---@return moonarray.array ...
function moonarray.eval(...) end

---e to the power x
---```lua
---exp(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.exp: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.exp = {}
array.exp = moonarray.exp

---2 to the power x
---```lua
---exp2(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.exp2: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.exp2 = {}
array.exp2 = moonarray.exp2

---A view with new axes of extent 1 at these positions of the result.
---```lua
---expand_dims(a, axis)
---```
---@param a moonarray.data
---@param axis moonarray.whole|moonarray.whole[]
---@return moonarray.array
function moonarray.expand_dims(a, axis) end
array.expand_dims = moonarray.expand_dims

---exp(x) - 1, exact for small x
---```lua
---expm1(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.expm1: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.expm1 = {}
array.expm1 = moonarray.expm1

---A ticket, a string, by which another Lua state of this process imports the array without a copy. It holds the memory until it was imported `imports` times (default 1) or is revoked.
---```lua
---export(a, imports?)
---```
---@param a moonarray.data
---@param imports? moonarray.whole|table
---@return string
function moonarray.export(a, imports) end
array.export = moonarray.export

---The elements of arr, in C order, where the condition is true.
---```lua
---extract(condition, arr)
---```
---@param condition moonarray.data
---@param arr moonarray.data
---@return moonarray.array
function moonarray.extract(condition, arr) end

---Ones on a diagonal, the k-th above the main one, and zeros elsewhere.
---```lua
---eye(N, M?, k?, dtype?, order?; device?)
---```
---@param N moonarray.whole
---@param M? moonarray.whole|moonarray.dtype|table
---@param k? moonarray.whole|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param order? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.eye(N, M, k, dtype, order, device) end

---the magnitude of real x as a float
---```lua
---fabs(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.fabs: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.fabs = {}
array.fabs = moonarray.fabs

moonarray.fft = {}

moonarray.fft.config = {}

---Frees the plans that are kept.
---```lua
---fft.config.clear_plan_cache()
---```
function moonarray.fft.config.clear_plan_cache() end

---The same as fft.get_plan_cache.
---```lua
---fft.config.get_plan_cache()
---```
---@return table
function moonarray.fft.config.get_plan_cache() end

---How many plans are kept at most.
---```lua
---fft.config.get_plan_cache_size()
---```
---@return integer
function moonarray.fft.config.get_plan_cache_size() end

---Keeps at most so many plans; 0: none.
---```lua
---fft.config.set_plan_cache_size(size)
---```
---@param size moonarray.whole
function moonarray.fft.config.set_plan_cache_size(size) end

---Prints how many plans are kept, at most, and how often one was found.
---```lua
---fft.config.show_plan_cache_info()
---```
function moonarray.fft.config.show_plan_cache_info() end

---The cosine transform of types 1 to 4 along an axis, by default type 2 along the last one. norm: 'backward' (default), 'ortho' or 'forward'; orthogonalize: scales the ends so that the transform is orthogonal up to its factor, by default if norm is 'ortho'.
---```lua
---fft.dct(x, type?, n?, axis?, norm?; overwrite_x?, orthogonalize?)
---```
---@param x moonarray.data
---@param type? moonarray.whole|table
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param overwrite_x? boolean|table
---@param orthogonalize? boolean|table
---@return moonarray.array
function moonarray.fft.dct(x, type, n, axis, norm, overwrite_x, orthogonalize) end

---The cosine transform along several axes, all by default.
---```lua
---fft.dctn(x, type?, s?, axes?, norm?; overwrite_x?, orthogonalize?)
---```
---@param x moonarray.data
---@param type? moonarray.whole|table
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param overwrite_x? boolean|table
---@param orthogonalize? boolean|table
---@return moonarray.array
function moonarray.fft.dctn(x, type, s, axes, norm, overwrite_x, orthogonalize) end

---The sine transform of types 1 to 4 along an axis, by default type 2 along the last one. norm: 'backward' (default), 'ortho' or 'forward'; orthogonalize: scales the ends so that the transform is orthogonal up to its factor, by default if norm is 'ortho'.
---```lua
---fft.dst(x, type?, n?, axis?, norm?; overwrite_x?, orthogonalize?)
---```
---@param x moonarray.data
---@param type? moonarray.whole|table
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param overwrite_x? boolean|table
---@param orthogonalize? boolean|table
---@return moonarray.array
function moonarray.fft.dst(x, type, n, axis, norm, overwrite_x, orthogonalize) end

---The sine transform along several axes, all by default.
---```lua
---fft.dstn(x, type?, s?, axes?, norm?; overwrite_x?, orthogonalize?)
---```
---@param x moonarray.data
---@param type? moonarray.whole|table
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param overwrite_x? boolean|table
---@param orthogonalize? boolean|table
---@return moonarray.array
function moonarray.fft.dstn(x, type, s, axes, norm, overwrite_x, orthogonalize) end

---Discrete Fourier transform along an axis: X[k] = sum of x[j] exp(-2 pi i j k / n), j and k from 0. Complex64 for float32 and smaller, else complex128. `n` cuts or fills with zeros; norm 'backward' (default), 'ortho' or 'forward'.
---```lua
---fft.fft(a, n?, axis?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.fft(a, n, axis, norm, out, overwrite_x, plan) end

---Fourier transform of complex numbers as pairs of float16, along a last axis of 2; along the axis before it unless axes are given. On a GPU and for powers of two in half precision throughout, else in float32, rounded at the end.
---```lua
---fft.fft16(a, axes?, norm?, out?)
---```
---@param a moonarray.data
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.fft.fft16(a, axes, norm, out) end

---Fourier transform along two axes, the last two by default.
---```lua
---fft.fft2(a, s?, axes?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.fft2(a, s, axes, norm, out, overwrite_x, plan) end

---Frequencies of fft.fft's terms for n samples that are d apart: 0, 1 ... and then the negative ones, over d n.
---```lua
---fft.fftfreq(n, d?; dtype?, device?)
---```
---@param n moonarray.whole
---@param d? number|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.fft.fftfreq(n, d, dtype, device) end

---Fourier transform along several axes, all by default.
---```lua
---fft.fftn(a, s?, axes?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.fftn(a, s, axes, norm, out, overwrite_x, plan) end

---Moves the term of frequency 0 to the middle.
---```lua
---fft.fftshift(x, axes?)
---```
---@param x moonarray.data
---@param axes? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.fft.fftshift(x, axes) end

---The fast Hankel transform of order mu of samples along the last axis, at places whose logarithms are dln apart. offset: the logarithm of the product of the middle places of samples and result (fft.fhtoffset gives a good one); bias: the exponent of a power law that the samples are divided by first.
---```lua
---fft.fht(a, dln, mu, offset?, bias?)
---```
---@param a moonarray.data
---@param dln number
---@param mu number
---@param offset? number|table
---@param bias? number|table
---@return moonarray.array
function moonarray.fft.fht(a, dln, mu, offset, bias) end

---The offset next to `initial` with which fft.fht has little ringing: a number.
---```lua
---fft.fhtoffset(dln, mu, initial?, bias?)
---```
---@param dln number
---@param mu number
---@param initial? number|table
---@param bias? number|table
---@return number
function moonarray.fft.fhtoffset(dln, mu, initial, bias) end

---The plan of transforms of arrays like a, which stays in the cache while the object lives: fft.fft(a, {plan = plan}). shape: the lengths along the axes, of the real side for value_type 'C2R'; value_type: 'C2C' (default), 'R2C' or 'C2R'. At most three axes.
---```lua
---fft.get_fft_plan(a, shape?, axes?, value_type?)
---```
---@param a moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param value_type? string|table
---@return moonarray.plan
function moonarray.fft.get_fft_plan(a, shape, axes, value_type) end

---The libraries' plans that are kept: size, max_size, hits, misses; methods set_size(n) and clear().
---```lua
---fft.get_plan_cache()
---```
---@return table
function moonarray.fft.get_plan_cache() end

---Fourier transform of a signal with Hermitian symmetry, given by its first half: a real spectrum of n elements.
---```lua
---fft.hfft(a, n?, axis?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.hfft(a, n, axis, norm, out, overwrite_x, plan) end

---Fourier transform of a signal with Hermitian symmetry along two axes, the last two by default: a real spectrum. The last of them is halved in the signal.
---```lua
---fft.hfft2(a, s?, axes?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.hfft2(a, s, axes, norm, out, overwrite_x, plan) end

---Fourier transform of a signal with Hermitian symmetry along several axes, all by default: a real spectrum. The last of them is halved in the signal.
---```lua
---fft.hfftn(a, s?, axes?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.hfftn(a, s, axes, norm, out, overwrite_x, plan) end

---The inverse of the cosine transform of types 1 to 4 along an axis, by default type 2 along the last one. norm: 'backward' (default), 'ortho' or 'forward'; orthogonalize: scales the ends so that the transform is orthogonal up to its factor, by default if norm is 'ortho'.
---```lua
---fft.idct(x, type?, n?, axis?, norm?; overwrite_x?, orthogonalize?)
---```
---@param x moonarray.data
---@param type? moonarray.whole|table
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param overwrite_x? boolean|table
---@param orthogonalize? boolean|table
---@return moonarray.array
function moonarray.fft.idct(x, type, n, axis, norm, overwrite_x, orthogonalize) end

---The inverse of the cosine transform along several axes, all by default.
---```lua
---fft.idctn(x, type?, s?, axes?, norm?; overwrite_x?, orthogonalize?)
---```
---@param x moonarray.data
---@param type? moonarray.whole|table
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param overwrite_x? boolean|table
---@param orthogonalize? boolean|table
---@return moonarray.array
function moonarray.fft.idctn(x, type, s, axes, norm, overwrite_x, orthogonalize) end

---The inverse of the sine transform of types 1 to 4 along an axis, by default type 2 along the last one. norm: 'backward' (default), 'ortho' or 'forward'; orthogonalize: scales the ends so that the transform is orthogonal up to its factor, by default if norm is 'ortho'.
---```lua
---fft.idst(x, type?, n?, axis?, norm?; overwrite_x?, orthogonalize?)
---```
---@param x moonarray.data
---@param type? moonarray.whole|table
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param overwrite_x? boolean|table
---@param orthogonalize? boolean|table
---@return moonarray.array
function moonarray.fft.idst(x, type, n, axis, norm, overwrite_x, orthogonalize) end

---The inverse of the sine transform along several axes, all by default.
---```lua
---fft.idstn(x, type?, s?, axes?, norm?; overwrite_x?, orthogonalize?)
---```
---@param x moonarray.data
---@param type? moonarray.whole|table
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param overwrite_x? boolean|table
---@param orthogonalize? boolean|table
---@return moonarray.array
function moonarray.fft.idstn(x, type, s, axes, norm, overwrite_x, orthogonalize) end

---Inverse of fft.fft: the sum with exp(+2 pi i j k / n), divided by n.
---```lua
---fft.ifft(a, n?, axis?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.ifft(a, n, axis, norm, out, overwrite_x, plan) end

---Inverse of fft.fft16, of complex numbers as pairs of float16, along a last axis of 2; along the axis before it unless axes are given. On a GPU and for powers of two in half precision throughout, else in float32, rounded at the end.
---```lua
---fft.ifft16(a, axes?, norm?, out?)
---```
---@param a moonarray.data
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.fft.ifft16(a, axes, norm, out) end

---Inverse of fft.fft2.
---```lua
---fft.ifft2(a, s?, axes?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.ifft2(a, s, axes, norm, out, overwrite_x, plan) end

---Inverse of fft.fftn.
---```lua
---fft.ifftn(a, s?, axes?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.ifftn(a, s, axes, norm, out, overwrite_x, plan) end

---Inverse of fft.fftshift.
---```lua
---fft.ifftshift(x, axes?)
---```
---@param x moonarray.data
---@param axes? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.fft.ifftshift(x, axes) end

---Inverse of fft.fht.
---```lua
---fft.ifht(A, dln, mu, offset?, bias?)
---```
---@param A moonarray.data
---@param dln number
---@param mu number
---@param offset? number|table
---@param bias? number|table
---@return moonarray.array
function moonarray.fft.ifht(A, dln, mu, offset, bias) end

---Inverse of fft.hfft: the first half of the signal.
---```lua
---fft.ihfft(a, n?, axis?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.ihfft(a, n, axis, norm, out, overwrite_x, plan) end

---Inverse of fft.hfft2.
---```lua
---fft.ihfft2(a, s?, axes?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.ihfft2(a, s, axes, norm, out, overwrite_x, plan) end

---Inverse of fft.hfftn.
---```lua
---fft.ihfftn(a, s?, axes?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.ihfftn(a, s, axes, norm, out, overwrite_x, plan) end

---Inverse of fft.rfft: n real elements, 2 (m - 1) unless n is given.
---```lua
---fft.irfft(a, n?, axis?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.irfft(a, n, axis, norm, out, overwrite_x, plan) end

---Inverse of fft.rfft2.
---```lua
---fft.irfft2(a, s?, axes?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.irfft2(a, s, axes, norm, out, overwrite_x, plan) end

---Inverse of fft.rfftn.
---```lua
---fft.irfftn(a, s?, axes?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.irfftn(a, s, axes, norm, out, overwrite_x, plan) end

---The least length from target on that is a product of 2, 3, 5 and 7, which transforms are fast for.
---```lua
---fft.next_fast_len(target, real?)
---```
---@param target moonarray.whole
---@param real? boolean|table
---@return integer
function moonarray.fft.next_fast_len(target, real) end

---The greatest such length that is not above target.
---```lua
---fft.prev_fast_len(target, real?)
---```
---@param target moonarray.whole
---@param real? boolean|table
---@return integer
function moonarray.fft.prev_fast_len(target, real) end

---Fourier transform of real elements along an axis: the n / 2 + 1 terms that are not conjugates of others.
---```lua
---fft.rfft(a, n?, axis?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.rfft(a, n, axis, norm, out, overwrite_x, plan) end

---Fourier transform of real elements along two axes; the last of them is halved.
---```lua
---fft.rfft2(a, s?, axes?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.rfft2(a, s, axes, norm, out, overwrite_x, plan) end

---Frequencies of fft.rfft's terms for n samples that are d apart.
---```lua
---fft.rfftfreq(n, d?; dtype?, device?)
---```
---@param n moonarray.whole
---@param d? number|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.fft.rfftfreq(n, d, dtype, device) end

---Fourier transform of real elements along several axes; the last of them is halved.
---```lua
---fft.rfftn(a, s?, axes?, norm?, out?; overwrite_x?, plan?)
---```
---@param a moonarray.data
---@param s? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param out? moonarray.part|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fft.rfftn(a, s, axes, norm, out, overwrite_x, plan) end

moonarray.fftpack = {}

---moonarray.fft.fft
---```lua
---fftpack.fft(x, n?, axis?, overwrite_x?, plan?)
---```
---@param x moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fftpack.fft(x, n, axis, overwrite_x, plan) end

---moonarray.fft.fft2
---```lua
---fftpack.fft2(x, shape?, axes?, overwrite_x?, plan?)
---```
---@param x moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fftpack.fft2(x, shape, axes, overwrite_x, plan) end

---moonarray.fft.fftn
---```lua
---fftpack.fftn(x, shape?, axes?, overwrite_x?, plan?)
---```
---@param x moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fftpack.fftn(x, shape, axes, overwrite_x, plan) end

---moonarray.fft.get_fft_plan
---```lua
---fftpack.get_fft_plan(a, shape?, axes?, value_type?)
---```
---@param a moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param value_type? string|table
---@return moonarray.plan
function moonarray.fftpack.get_fft_plan(a, shape, axes, value_type) end

---moonarray.fft.ifft
---```lua
---fftpack.ifft(x, n?, axis?, overwrite_x?, plan?)
---```
---@param x moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fftpack.ifft(x, n, axis, overwrite_x, plan) end

---moonarray.fft.ifft2
---```lua
---fftpack.ifft2(x, shape?, axes?, overwrite_x?, plan?)
---```
---@param x moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fftpack.ifft2(x, shape, axes, overwrite_x, plan) end

---moonarray.fft.ifftn
---```lua
---fftpack.ifftn(x, shape?, axes?, overwrite_x?, plan?)
---```
---@param x moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fftpack.ifftn(x, shape, axes, overwrite_x, plan) end

---Inverse of fftpack.rfft.
---```lua
---fftpack.irfft(x, n?, axis?, overwrite_x?)
---```
---@param x moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param overwrite_x? boolean|table
---@return moonarray.array
function moonarray.fftpack.irfft(x, n, axis, overwrite_x) end

---The transform of n real elements as n real numbers: y[1], and the real and imaginary part of each further term.
---```lua
---fftpack.rfft(x, n?, axis?, overwrite_x?, plan?)
---```
---@param x moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param overwrite_x? boolean|table
---@param plan? moonarray.plan|table
---@return moonarray.array
function moonarray.fftpack.rfft(x, n, axis, overwrite_x, plan) end

---Sets every element; returns the array.
---```lua
---fill(a, value)
---```
---@param a moonarray.data
---@param value moonarray.data
---@return moonarray.array
function moonarray.fill(a, value) end
array.fill = moonarray.fill

---Stores a value on the main diagonal; with wrap a tall matrix's diagonal starts again below. Changes and returns a.
---```lua
---fill_diagonal(a, val, wrap?)
---```
---@param a moonarray.data
---@param val moonarray.data
---@param wrap? boolean|table
---@return moonarray.array
function moonarray.fill_diagonal(a, val, wrap) end
array.fill_diagonal = moonarray.fill_diagonal

---Limits of a float dtype: bits, eps, max, min, tiny, smallest_subnormal, precision ...
---```lua
---finfo(dtype)
---```
---@param dtype moonarray.dtype
---@return table
function moonarray.finfo(dtype) end

---x without the part after the point
---```lua
---trunc(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.fix: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.fix = {}
array.fix = moonarray.fix

---The positions, counted in C order, of the elements that are not zero.
---```lua
---flatnonzero(a)
---```
---@param a moonarray.data
---@return moonarray.array
function moonarray.flatnonzero(a) end
array.flatnonzero = moonarray.flatnonzero

---A copy of all elements along one axis.
---```lua
---flatten(a, order?)
---```
---@param a moonarray.data
---@param order? string|table
---@return moonarray.array
function moonarray.flatten(a, order) end
array.flatten = moonarray.flatten

---A view with the order along these axes, or all, turned around.
---```lua
---flip(a, axis?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.flip(a, axis) end
array.flip = moonarray.flip

---A view with the columns in reverse order.
---```lua
---fliplr(a)
---```
---@param a moonarray.data
---@return moonarray.array
function moonarray.fliplr(a) end
array.fliplr = moonarray.fliplr

---A view with the rows in reverse order.
---```lua
---flipud(a)
---```
---@param a moonarray.data
---@return moonarray.array
function moonarray.flipud(a) end
array.flipud = moonarray.flipud

---A typed scalar, or a copy of an array or a table, of dtype float16.
---```lua
---float16(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.float16(value) end

---A typed scalar, or a copy of an array or a table, of dtype float32.
---```lua
---float32(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.float32(value) end

---A typed scalar, or a copy of an array or a table, of dtype float64.
---```lua
---float64(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.float64(value) end

---x to the power y in float64 or complex128
---```lua
---float_power(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.float_power: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.float_power = {}
array.float_power = moonarray.float_power

---the largest whole number not above x
---```lua
---floor(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.floor: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.floor = {}
array.floor = moonarray.floor

---the largest whole number not above x / y; an integer over 0 is 0
---```lua
---floor_divide(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.floor_divide: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.floor_divide = {}
array.floor_divide = moonarray.floor_divide

---the greater of x and y; the other one where one is NaN
---```lua
---fmax(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.fmax: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.fmax = {}
array.fmax = moonarray.fmax

---the lesser of x and y; the other one where one is NaN
---```lua
---fmin(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.fmin: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.fmin = {}
array.fmin = moonarray.fmin

---the remainder of x / y with the sign of x, as in C; an integer modulo 0 is 0
---```lua
---fmod(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.fmod: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.fmod = {}
array.fmod = moonarray.fmod

---A number in positional notation: the shortest text that reads back as the same value of its dtype.
---```lua
---format_float_positional(a, precision?, unique?, fractional?, trim?, sign?, pad_left?, pad_right?, min_digits?)
---```
---@param a moonarray.data
---@param precision? moonarray.whole|table
---@param unique? boolean|table
---@param fractional? boolean|table
---@param trim? string|table
---@param sign? string|table
---@param pad_left? moonarray.whole|table
---@param pad_right? moonarray.whole|table
---@param min_digits? moonarray.whole|table
---@return string
function moonarray.format_float_positional(a, precision, unique, fractional, trim, sign, pad_left, pad_right, min_digits) end
array.format_float_positional = moonarray.format_float_positional

---A number in scientific notation: the shortest text that reads back as the same value of its dtype.
---```lua
---format_float_scientific(a, precision?, unique?, trim?, sign?, pad_left?, exp_digits?, min_digits?)
---```
---@param a moonarray.data
---@param precision? moonarray.whole|table
---@param unique? boolean|table
---@param trim? string|table
---@param sign? string|table
---@param pad_left? moonarray.whole|table
---@param exp_digits? moonarray.whole|table
---@param min_digits? moonarray.whole|table
---@return string
function moonarray.format_float_scientific(a, precision, unique, trim, sign, pad_left, exp_digits, min_digits) end
array.format_float_scientific = moonarray.format_float_scientific

---Drops this handle; the memory goes with the last view. Twice is harmless.
---```lua
---free(a)
---```
---@param a moonarray.data
function moonarray.free(a) end
array.free = moonarray.free

---Gives the memory that the current device's pools hold unused back to the device.
---```lua
---free_all_blocks()
---```
function moonarray.free_all_blocks() end

---m and e of x = m * 2^e with 0.5 <= |m| < 1
---```lua
---frexp(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.frexp: moonarray.ufunc
---@overload fun(a: number): number, number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array, moonarray.array
moonarray.frexp = {}
array.frexp = moonarray.frexp

---An array over a DLPack tensor: a capsule, an array, or the address of a DLManagedTensor or DLManagedTensorVersioned. Nothing is copied unless copy = true, or device names another; the tensor's deleter is called when the last view goes.
---```lua
---from_dlpack(source; copy?, stream?, versioned?, device?)
---```
---@param source any
---@param copy? boolean|table
---@param stream? moonarray.stream|table
---@param versioned? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.from_dlpack(source, copy, stream, versioned, device) end

---An array of the CPU over the bytes of a string or behind a pointer: an FFI pointer or array, a light userdata, or an object with getPointer and getSize. Nothing is copied: a string's array is read-only, and `owner` (by default the buffer) lives as long as the array. With a GPU as `device` the bytes are copied there.
---```lua
---frombuffer(buffer, shape?, dtype?; owner?, device?)
---```
---@param buffer string|ffi.cdata*
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param owner? any
---@param device? string|table
---@return moonarray.array
function moonarray.frombuffer(buffer, shape, dtype, owner, device) end

---Arrays over the fields of FFI structs: of an array of structs, of a pointer to `count` of them, or of one struct. `field` is a name, or names with dots for structs within structs; without it a table of arrays by field, for all fields that are numbers. A field that is an array gives further axes. On the CPU nothing is copied: what is written to the array is in the structs.
---```lua
---fromffi(object, field?; count?, device?)
---```
---@param object ffi.cdata*
---@param field? string|table
---@param count? moonarray.whole|table
---@param device? string|table
---@return moonarray.array|table
function moonarray.fromffi(object, field, count, device) end

---A 1-d array of a file's bytes from `offset` on, or with `sep` of the numbers in a text.
---```lua
---fromfile(file, dtype?, count?, sep?, offset?; device?)
---```
---@param file string
---@param dtype? moonarray.dtype|table
---@param count? moonarray.whole|table
---@param sep? string|table
---@param offset? moonarray.whole|table
---@param device? string|table
---@return moonarray.array
function moonarray.fromfile(file, dtype, count, sep, offset, device) end

---What fn returns for the arrays of positions along each axis of a shape.
---```lua
---fromfunction(fn, shape, dtype?; device?)
---```
---@param fn function
---@param shape moonarray.whole|moonarray.whole[]
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.fromfunction(fn, shape, dtype, device) end

---A vector of what an iterator of Lua gives: a function that is called until it gives nil, as io.lines and coroutine.wrap make them, or a table's elements. With count, so many of them; fewer are an error. Example: ma.fromiter(coroutine.wrap(function() for k = 1, 3 do coroutine.yield(k * k) end end), "int32") --> [1 4 9]
---```lua
---fromiter(iter, dtype, count?; device?)
---```
---@param iter function
---@param dtype moonarray.dtype
---@param count? moonarray.whole|table
---@param device? string|table
---@return moonarray.array
function moonarray.fromiter(iter, dtype, count, device) end

---A function of nin arrays, which broadcast, that calls func with the elements, as numbers of Lua, and makes arrays of its nout results. Any function of Lua will do; it runs on the host, once an element, so that each call waits (ma.vectorize compiles one). Results are float64, or bool. Example: ma.frompyfunc(math.max, 2, 1)({1, 5}, 3) --> [3. 5.]
---```lua
---frompyfunc(func, nin, nout; name?)
---```
---@param func function
---@param nin moonarray.whole
---@param nout moonarray.whole
---@param name? string|table
---@return moonarray.host_function
function moonarray.frompyfunc(func, nin, nout, name) end

---A 1-d array of the numbers in a text, by white space or `sep` between.
---```lua
---fromstring(string, dtype?, count?, sep?; device?)
---```
---@param string string
---@param dtype? moonarray.dtype|table
---@param count? moonarray.whole|table
---@param sep? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.fromstring(string, dtype, count, sep, device) end

---An array of one value.
---```lua
---full(shape, fill_value, dtype?, order?; device?)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param fill_value moonarray.data
---@param dtype? moonarray.dtype|table
---@param order? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.full(shape, fill_value, dtype, order, device) end

---One value in the shape and dtype of another array.
---```lua
---full_like(a, fill_value, dtype?, order?; shape?, device?)
---```
---@param a moonarray.data
---@param fill_value moonarray.data
---@param dtype? moonarray.dtype|table
---@param order? string|table
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param device? string|table
---@return moonarray.array
function moonarray.full_like(a, fill_value, dtype, order, shape, device) end
array.full_like = moonarray.full_like

---A function of arrays as one kernel: recorded once for each combination of dtypes, element-wise operations with reductions at the end. kernel_name is CuPy's word for name.
---```lua
---fuse(fn, name?; kernel_name?)
---```
---@param fn function
---@param name? string|table
---@param kernel_name? string|table
---@return moonarray.fused
function moonarray.fuse(fn, name, kernel_name) end

---the greatest common divisor of |x| and |y|
---```lua
---gcd(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.gcd: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.gcd = {}
array.gcd = moonarray.gcd

---x >= y; complex numbers by real part, then imaginary part
---```lua
---greater_equal(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.ge: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.ge = {}
array.ge = moonarray.ge

---Rows of a text file whose fields may be missing, texts or in quotes. With a dtype (float64 unless it is given) the rows are an array; a field that is empty or no number becomes filling_values (NaN). dtype = "auto" gives a table of columns: arrays of bool, int64, float64 or complex128, and tables of texts; dtype may be "text", or a table with the dtype of each column. With names = true the first line names the columns: returns {name = column} and the list of names. dtype, filling_values, missing_values and converters may be tables by name or position.
---```lua
---genfromtxt(file, dtype?, comments?, delimiter?, skip_header?, usecols?, names?, filling_values?, unpack?, max_rows?; missing_values?, converters?, quotechar?, device?)
---```
---@param file string|file*
---@param dtype? moonarray.dtype|table
---@param comments? string|table
---@param delimiter? string|table
---@param skip_header? moonarray.whole|table
---@param usecols? moonarray.whole|moonarray.whole[]|table
---@param names? string|string[]|table
---@param filling_values? any
---@param unpack? boolean|table
---@param max_rows? moonarray.whole|table
---@param missing_values? string|string[]|table
---@param converters? table|table
---@param quotechar? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.genfromtxt(file, dtype, comments, delimiter, skip_header, usecols, names, filling_values, unpack, max_rows, missing_values, converters, quotechar, device) end

---num (50) numbers from start to stop, each a constant multiple of the one before it; the ends may be arrays, which broadcast: then the numbers run along a new axis of the result, the first one or axis. Ends may be complex, which gives a spiral. Ends that are 0 are an error; those of arrays are looked at, which waits. Example: ma.geomspace(1, 8, 4) --> [1. 2. 4. 8.]
---```lua
---geomspace(start, stop, num?, endpoint?, dtype?; axis?, device?)
---```
---@param start moonarray.data
---@param stop moonarray.data
---@param num? moonarray.whole|moonarray.dtype|table
---@param endpoint? boolean|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param device? string|table
---@return moonarray.array
function moonarray.geomspace(start, stop, num, endpoint, dtype, axis, device) end

---A copy on the CPU, made on a stream of the array's device: by rows, with order "F" by columns, with "A" so if the array lies so; into an array of the CPU with out, whatever the order.
---```lua
---get(a, stream?, order?, out?)
---```
---@param a moonarray.data
---@param stream? moonarray.stream|table
---@param order? string|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.get(a, stream, order, out) end
array.get = moonarray.get

---ma.numpy if every array given is on the CPU, else the library itself.
---```lua
---get_array_module(...)
---```
---@param ... any
---@return moonarray
function moonarray.get_array_module(...) end

---Starts a copy to the CPU and returns a handle at once: handle.done says whether it is there, handle:get() waits for it and gives the CPU array.
---```lua
---get_async(a; stream?, out?)
---```
---@param a moonarray.data
---@param stream? moonarray.stream|table
---@param out? moonarray.part|table
---@return moonarray.copy
function moonarray.get_async(a, stream, out) end
array.get_async = moonarray.get_async

---The stream on which work is queued: the current one of a device, or of the current device.
---```lua
---get_current_stream(device?)
---```
---@param device? string|table
---@return moonarray.stream
function moonarray.get_current_stream(device) end

---The float dtype that Lua numbers take as data.
---```lua
---get_default_dtype()
---```
---@return moonarray.dtype
function moonarray.get_default_dtype() end

---The pool of a device's memory: used_bytes(), total_bytes(), free_all_blocks(), set_limit(bytes).
---```lua
---get_default_memory_pool(device?)
---```
---@param device? string|table
---@return moonarray.pool
function moonarray.get_default_memory_pool(device) end

---The pool behind cuda.alloc_pinned_memory and cuda.empty_pinned.
---```lua
---get_default_pinned_memory_pool(device?)
---```
---@param device? string|table
---@return moonarray.pool
function moonarray.get_default_pinned_memory_pool(device) end

---Milliseconds between two recorded events of a device; waits for both.
---```lua
---get_elapsed_time(start, stop)
---```
---@param start moonarray.event
---@param stop moonarray.event
---@return number
function moonarray.get_elapsed_time(start, stop) end

---The options of printing, as a table that set_printoptions takes.
---```lua
---get_printoptions()
---```
---@return table
function moonarray.get_printoptions() end

---Central differences along each axis, one result an axis; then one spacing, or one an axis: a number or coordinates.
---```lua
---gradient(a; axis?, edge_order?, ...)
---```
---@param a moonarray.data
---@param ... any
---@return moonarray.array ...
function moonarray.gradient(a, ...) end
array.gradient = moonarray.gradient

---x > y; complex numbers by real part, then imaginary part
---```lua
---greater(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.greater: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.greater = {}
array.greater = moonarray.greater

---x >= y; complex numbers by real part, then imaginary part
---```lua
---greater_equal(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.greater_equal: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.greater_equal = {}
array.greater_equal = moonarray.greater_equal

---x > y; complex numbers by real part, then imaginary part
---```lua
---greater(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.gt: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.gt = {}
array.gt = moonarray.gt

---0.54 + 0.46 cos at M points: a raised cosine that is 0.08 at its ends. Example: ma.hamming(3) --> [0.08 1. 0.08]
---```lua
---hamming(M; device?)
---```
---@param M moonarray.whole
---@param device? string|table
---@return moonarray.array
function moonarray.hamming(M, device) end

---0.5 + 0.5 cos at M points: a raised cosine that is 0 at its ends. Example: ma.hanning(5) --> [0. 0.5 1. 0.5 0. ]
---```lua
---hanning(M; device?)
---```
---@param M moonarray.whole
---@param device? string|table
---@return moonarray.array
function moonarray.hanning(M, device) end

moonarray.hdf5 = {}

---The datasets of an HDF5 file in all its groups: a list of {name =, shape =, dtype =}, sorted by name within each group. One that ma.hdf5.read does not read has no dtype, and `other` says what it has. Needs libhdf5.
---```lua
---hdf5.list(path)
---```
---@param path string
---@return table
function moonarray.hdf5.list(path) end

---The dataset of that name in an HDF5 file, such as "group/x": numbers, booleans and complex numbers as h5py writes them. Needs libhdf5.
---```lua
---hdf5.read(path, name; device?)
---```
---@param path string
---@param name string
---@param device? string|table
---@return moonarray.array
function moonarray.hdf5.read(path, name, device) end

---Writes an HDF5 file with a dataset for each array of the table {name = array}; a name such as "group/x" makes the group. The file is put together in memory, and an old one is replaced when it is complete. Needs libhdf5.
---```lua
---hdf5.write(path, arrays)
---```
---@param path string
---@param arrays table
function moonarray.hdf5.write(path, arrays) end

---0 for x < 0, y for x == 0, 1 for x > 0; NaN stays
---```lua
---heaviside(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.heaviside: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.heaviside = {}
array.heaviside = moonarray.heaviside

---Prints what a function does, with an example, and every other function whose name contains the text. what: a name as "linalg.svd", "a:reshape", "stream:record" or "linalg", or a function, a method, an object or a module itself.
---```lua
---help(what?)
---```
---@param what? any
function moonarray.help(what) end

---How many elements lie in each bin, and the edges of the bins: bins is their number (10), spread over the range (least to greatest), or the edges, or a rule for their number: auto, doane, fd, rice, scott, sqrt, stone or sturges.
---```lua
---histogram(a, bins?, range?, density?, weights?)
---```
---@param a moonarray.data
---@param bins? moonarray.whole|moonarray.data|table
---@param range? number[]|table
---@param density? boolean|table
---@param weights? moonarray.data|table
---@return moonarray.array
---@return moonarray.array
function moonarray.histogram(a, bins, range, density, weights) end
array.histogram = moonarray.histogram

---Counts in rectangles of the plane; gives the counts and the edges along x and along y.
---```lua
---histogram2d(x, y, bins?, range?, density?, weights?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param bins? moonarray.whole|moonarray.whole[]|moonarray.data[]|table
---@param range? number[][]|table
---@param density? boolean|table
---@param weights? moonarray.data|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.histogram2d(x, y, bins, range, density, weights) end

---The edges that histogram would use. Example: ma.histogram_bin_edges({0, 1, 4, 4}, "sturges") --> [0. 1.33333333 2.66666667 4. ]
---```lua
---histogram_bin_edges(a, bins?, range?, weights?)
---```
---@param a moonarray.data
---@param bins? moonarray.whole|moonarray.data|table
---@param range? number[]|table
---@param weights? moonarray.data|table
---@return moonarray.array
function moonarray.histogram_bin_edges(a, bins, range, weights) end
array.histogram_bin_edges = moonarray.histogram_bin_edges

---Counts in boxes, and a table of edges: sample has a row a point, or is a table of coordinates; bins and range may have an entry a dimension.
---```lua
---histogramdd(sample, bins?, range?, density?, weights?)
---```
---@param sample moonarray.data
---@param bins? moonarray.whole|moonarray.whole[]|moonarray.data[]|table
---@param range? number[][]|table
---@param density? boolean|table
---@param weights? moonarray.data|table
---@return moonarray.array
---@return moonarray.array[]
function moonarray.histogramdd(sample, bins, range, density, weights) end

---split along axis 2, or the only one.
---```lua
---hsplit(a, indices_or_sections)
---```
---@param a moonarray.data
---@param indices_or_sections moonarray.whole|moonarray.whole[]
---@return moonarray.array[]
function moonarray.hsplit(a, indices_or_sections) end
array.hsplit = moonarray.hsplit

---Arrays side by side: joined along the second axis, vectors along their only one.
---```lua
---hstack(arrays; dtype?)
---```
---@param arrays moonarray.data[]
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.hstack(arrays, dtype) end

---sqrt(x^2 + y^2) without overflow
---```lua
---hypot(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.hypot: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.hypot = {}
array.hypot = moonarray.hypot

---the modified Bessel function of the first kind, of order 0
---```lua
---i0(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.i0: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.i0 = {}
array.i0 = moonarray.i0

---add(a, b) written into a, which is returned.
---```lua
---iadd(a, b, where?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.iadd(a, b, where) end
array.iadd = moonarray.iadd

---Adds b to a[indices], once for every time that a position occurs. Changes and returns a.
---```lua
---iadd_at(a, indices, b)
---```
---@param a moonarray.data
---@param indices moonarray.whole|moonarray.whole[]|moonarray.part
---@param b moonarray.data
---@return moonarray.array
function moonarray.iadd_at(a, indices, b) end
array.iadd_at = moonarray.iadd_at

---The identity matrix.
---```lua
---identity(n, dtype?; device?)
---```
---@param n moonarray.whole
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.identity(n, dtype, device) end

---divide(a, b) written into a, which is returned.
---```lua
---idiv(a, b, where?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.idiv(a, b, where) end
array.idiv = moonarray.idiv

---Limits of an integer dtype: bits, min, max.
---```lua
---iinfo(dtype)
---```
---@param dtype moonarray.dtype
---@return table
function moonarray.iinfo(dtype) end

---The imaginary part: a view of a complex array, zeros for a real one.
---```lua
---imag(val)
---```
---@param val moonarray.data
---@return moonarray.array|moonarray.scalar
function moonarray.imag(val) end

moonarray.image = {}

moonarray.image.Animation = {}

---Adds a frame: an array (height, width) or (height, width, 1 to 4) of uint8, or a figure of ma.plot. delay is this one's.
---```lua
---image.Animation.add(animation, frame; delay?)
---```
---@param animation moonarray.animation
---@param frame moonarray.part|moonarray.figure
---@param delay? number|table
---@return moonarray.animation
function moonarray.image.Animation.add(animation, frame, delay) end

---Writes the file. Returns the number of frames.
---```lua
---image.Animation.close(animation)
---```
---@param animation moonarray.animation
---@return integer
function moonarray.image.Animation.close(animation) end

---An animation that is written frame by frame: animation:add(frame), and animation:close() at the end. path ends in .gif, .png or .apng, or has a number as in frame%04d.png. Each frame is shown for delay seconds, 0.05 unless it is given, all of them loop times, for ever with 0. GIF's 256 colours are found for each frame. With palette, frames are places in it, from 0 on; with colormap they are numbers between min and max.
---```lua
---image.animation(path; delay?, loop?, palette?, colormap?, min?, max?)
---```
---@param path string
---@param delay? number|table
---@param loop? moonarray.whole|boolean|table
---@param palette? moonarray.part|table
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@return moonarray.animation
function moonarray.image.animation(path, delay, loop, palette, colormap, min, max) end

---A colour map as (n, 3) float32 from 0 to 1; n is 256. Names: cividis, coolwarm, grey, inferno, magma, plasma, turbo, viridis.
---```lua
---image.colormap(name; n?, device?)
---```
---@param name string
---@param n? moonarray.whole|table
---@param device? string|table
---@return moonarray.array
function moonarray.image.colormap(name, n, device) end

---The picture in a string: an array of uint8, or uint16 for a PNG of 16 bits. A PNG's palette becomes its colours. PNG, PPM, PGM and BMP need no library, JPEG needs libturbojpeg. One of more than max_pixels, 2^28 unless it is given, is an error before memory is taken for it.
---```lua
---image.decode(bytes; device?, max_pixels?)
---```
---@param bytes string
---@param device? string|table
---@param max_pixels? number|table
---@return moonarray.array
function moonarray.image.decode(bytes, device, max_pixels) end

---The bytes of a picture as a string. `image` is (height, width) or (height, width, 1 to 4) of uint8, or for PNG of uint16; format is "png", "jpeg", "ppm", "pgm" or "bmp". With `palette`, a (n, 3) or (n, 4) array of uint8, the pixels are places in it, counted from 0 as in the file. A JPEG, which needs libturbojpeg, has a quality from 1 to 100 (90), and with subsampling = false the colours of every pixel.
---```lua
---image.encode(image, format?; palette?, quality?, subsampling?)
---```
---@param image moonarray.part
---@param format? string|table
---@param palette? moonarray.part|table
---@param quality? moonarray.whole|table
---@param subsampling? boolean|table
---@return string
function moonarray.image.encode(image, format, palette, quality, subsampling) end

---The values with min at 0 and max at 1, and those beyond at 0 and 1. min and max are the least and the greatest finite value unless they are given. NaN stays.
---```lua
---image.normalize(a; min?, max?)
---```
---@param a moonarray.data
---@param min? number|table
---@param max? number|table
---@return moonarray.array
function moonarray.image.normalize(a, min, max) end

---The picture in a file. See ma.image.decode.
---```lua
---image.read(path; device?, max_pixels?)
---```
---@param path string
---@param device? string|table
---@param max_pixels? number|table
---@return moonarray.array
function moonarray.image.read(path, device, max_pixels) end

---The image with another height and width, `shape` = {height, width}. Pixels are mixed in proportion to their distance, and those of a larger image averaged; with smooth = false each is the nearest one. The dtype stays.
---```lua
---image.resize(image, shape; smooth?)
---```
---@param image moonarray.part
---@param shape moonarray.whole|moonarray.whole[]
---@param smooth? boolean|table
---@return moonarray.array
function moonarray.image.resize(image, shape, smooth) end

---Prints a picture in a terminal, as wide as this at most. `image` is as for ma.image.to_rgba8, with the same colormap, min, max and bad; (height, width) of uint8 or bool is grey. mode is "blocks" (two pixels a character), "braille" (eight dots a character, without colours) or "sixel" (every pixel); without it TERM decides. colors is 2^24 or 256 for blocks; without it COLORTERM decides. columns is a width in characters, to which a small picture grows too. smooth is as for ma.image.resize. Braille dots stand where a dither of the light says so, or where the light, from 0 to 1, is more than threshold; with invert where it is dark. file is an open file in place of io.stdout. With text = true the text is returned and not printed.
---```lua
---image.show(image; mode?, columns?, colors?, colormap?, min?, max?, bad?, smooth?, threshold?, invert?, file?, text?)
---```
---@param image moonarray.part
---@param mode? string|table
---@param columns? moonarray.whole|table
---@param colors? moonarray.whole|table
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param bad? number[]|table
---@param smooth? boolean|table
---@param threshold? number|table
---@param invert? boolean|table
---@param file? string|file*|table
---@param text? boolean|table
---@return string
function moonarray.image.show(image, mode, columns, colors, colormap, min, max, bad, smooth, threshold, invert, file, text) end

---Colours of numbers, (height, width, 4) of uint8: each value by its place between min and max (see ma.image.normalize) in a colour map, viridis unless it is given. NaN gets `bad`, a table of 3 or 4 numbers from 0 to 255; transparent black unless it is given. An image of uint8 with 1 to 4 channels gets the channels that it lacks.
---```lua
---image.to_rgba8(a; colormap?, min?, max?, bad?)
---```
---@param a moonarray.data
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param bad? number[]|table
---@return moonarray.array
function moonarray.image.to_rgba8(a, colormap, min, max, bad) end

---Writes a picture; the format is that of the path's ending (.png, .jpg, .jpeg, .ppm, .pgm, .bmp) unless it is given. See ma.image.encode.
---```lua
---image.write(path, image; format?, palette?, quality?, subsampling?)
---```
---@param path string
---@param image moonarray.part
---@param format? string|table
---@param palette? moonarray.part|table
---@param quality? moonarray.whole|table
---@param subsampling? boolean|table
function moonarray.image.write(path, image, format, palette, quality, subsampling) end

---Writes frames as an animation; see ma.image.animation. frames is a list of them, an array of them along its first axis, or a function that returns the next one, and nil behind the last. Returns their number.
---```lua
---image.write_animation(path, frames; delay?, loop?, palette?, colormap?, min?, max?)
---```
---@param path string
---@param frames table|moonarray.part|function
---@param delay? number|table
---@param loop? moonarray.whole|boolean|table
---@param palette? moonarray.part|table
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@return integer
function moonarray.image.write_animation(path, frames, delay, loop, palette, colormap, min, max) end

---The array of a ticket that export gave in any Lua state of this process: the same memory, no copy.
---```lua
---import(ticket)
---```
---@param ticket string
---@return moonarray.array
function moonarray.import(ticket) end

---multiply(a, b) written into a, which is returned.
---```lua
---imul(a, b, where?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.imul(a, b, where) end
array.imul = moonarray.imul

---isin of the flattened array.
---```lua
---in1d(ar1, ar2, assume_unique?, invert?)
---```
---@param ar1 moonarray.data
---@param ar2 moonarray.data
---@param assume_unique? boolean|table
---@param invert? boolean|table
---@return moonarray.array
function moonarray.in1d(ar1, ar2, assume_unique, invert) end

---Positions as an int64 array, for a[ma.index{1, 3, 5}].
---```lua
---index(positions)
---```
---@param positions moonarray.whole|moonarray.whole[]|moonarray.part
---@return moonarray.array
function moonarray.index(positions) end

---The position of every element along each axis: one array an axis, stacked, or open with sparse.
---```lua
---indices(dimensions, dtype?, sparse?; device?)
---```
---@param dimensions moonarray.whole|moonarray.whole[]
---@param dtype? moonarray.dtype|table
---@param sparse? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.indices(dimensions, dtype, sparse, device) end

---The sum over the last axes of both.
---```lua
---inner(a, b)
---```
---@param a moonarray.data
---@param b moonarray.data
---@return moonarray.array
function moonarray.inner(a, b) end
array.inner = moonarray.inner

---A copy with values put before these positions, along an axis or flattened; n + 1 is behind the last.
---```lua
---insert(a, obj, values, axis?)
---```
---@param a moonarray.data
---@param obj moonarray.whole|moonarray.whole[]|moonarray.part
---@param values moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.insert(a, obj, values, axis) end
array.insert = moonarray.insert

---A typed scalar, or a copy of an array or a table, of dtype int16.
---```lua
---int16(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.int16(value) end

---A typed scalar, or a copy of an array or a table, of dtype int32.
---```lua
---int32(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.int32(value) end

---A typed scalar, or a copy of an array or a table, of dtype int64.
---```lua
---int64(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.int64(value) end

---A typed scalar, or a copy of an array or a table, of dtype int8.
---```lua
---int8(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.int8(value) end

---Values at x of the piecewise linear function through the points (xp, fp), xp ascending.
---```lua
---interp(x, xp, fp, left?, right?, period?)
---```
---@param x moonarray.data
---@param xp moonarray.data
---@param fp moonarray.data
---@param left? number|table
---@param right? number|table
---@param period? number|table
---@return moonarray.array
function moonarray.interp(x, xp, fp, left, right, period) end

moonarray.interpolate = {}

---The piecewise cubic through values y at growing x, along an axis (the first), whose slopes follow the neighbouring lines: a PPoly. method: 'akima' or 'makima', which overshoots less. extrapolate (false): as of PPoly.
---```lua
---interpolate.Akima1DInterpolator(x, y, axis?; method?, extrapolate?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param axis? moonarray.whole|table
---@param method? string|table
---@param extrapolate? boolean|string|table
---@return moonarray.piecewise
function moonarray.interpolate.Akima1DInterpolator(x, y, axis, method, extrapolate) end

---A piecewise polynomial in Bernstein's basis: between x[i] and x[i + 1], with s from 0 to 1, the sum of c[a, i] binom(k, a - 1) s^(a - 1) (1 - s)^(k - a + 1), a from 1 to k + 1. An object as PPoly, without roots.
---```lua
---interpolate.BPoly(c, x, extrapolate?, axis?)
---```
---@param c moonarray.data
---@param x moonarray.data
---@param extrapolate? boolean|string|table
---@param axis? moonarray.whole|table
---@return moonarray.bernstein
function moonarray.interpolate.BPoly(c, x, extrapolate, axis) end

---The spline of degree k over knots t that is the sum of B-splines times coefficients c, whose axis of the B-splines is the first. An object that is called with points (and nu, extrapolate), and has derivative(nu), antiderivative(nu), integrate(a, b), t, c and k. extrapolate (true): true, false for NaN outside, or 'periodic'.
---```lua
---interpolate.BSpline(t, c, k, extrapolate?, axis?)
---```
---@param t moonarray.data
---@param c moonarray.data
---@param k moonarray.whole
---@param extrapolate? boolean|string|table
---@param axis? moonarray.whole|table
---@return moonarray.spline
function moonarray.interpolate.BSpline(t, c, k, extrapolate, axis) end

---The polynomial through values yi at distinct xi, along an axis (the first). An object that is called with points, and has derivative(x, der), derivatives(x, der), set_yi(yi) and add_xi(xi, yi). wi: barycentric weights.
---```lua
---interpolate.BarycentricInterpolator(xi, yi?, axis?; wi?)
---```
---@param xi moonarray.data
---@param yi? moonarray.data|table
---@param axis? moonarray.whole|table
---@param wi? moonarray.data|table
---@return moonarray.barycentric
function moonarray.interpolate.BarycentricInterpolator(xi, yi, axis, wi) end

---Values at points of the plane, as LinearNDInterpolator takes them, by cubic pieces with continuous first derivatives. The gradients at the points are found in at most maxiter (400) steps, until they change by less than tol (1e-6). Waits.
---```lua
---interpolate.CloughTocher2DInterpolator(points, values, fill_value?; tol?, maxiter?, rescale?)
---```
---@param points moonarray.data|table
---@param values moonarray.data
---@param fill_value? number|string|table|table
---@param tol? number|table
---@param maxiter? moonarray.whole|table
---@param rescale? boolean|table
---@return moonarray.interpolator
function moonarray.interpolate.CloughTocher2DInterpolator(points, values, fill_value, tol, maxiter, rescale) end

---The piecewise cubic through values y with slopes dydx at growing x, along an axis (the first): a PPoly.
---```lua
---interpolate.CubicHermiteSpline(x, y, dydx, axis?, extrapolate?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param dydx moonarray.data
---@param axis? moonarray.whole|table
---@param extrapolate? boolean|string|table
---@return moonarray.piecewise
function moonarray.interpolate.CubicHermiteSpline(x, y, dydx, axis, extrapolate) end

---The cubic spline through values y at growing x, along an axis (the first), twice continuously differentiable: a PPoly. bc_type: 'not-a-knot' (default), 'natural', 'clamped', 'periodic', or for the two ends a table of two of these names or {order, value} of the first or second derivative. extrapolate: as of PPoly; true, for a periodic spline 'periodic'.
---```lua
---interpolate.CubicSpline(x, y, axis?, bc_type?, extrapolate?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param axis? moonarray.whole|table
---@param bc_type? table|string|table
---@param extrapolate? boolean|string|table
---@return moonarray.piecewise
function moonarray.interpolate.CubicSpline(x, y, axis, bc_type, extrapolate) end

---The spline of degree k (3, from 1 to 5) through values y at growing x. An object that is called with points (and nu, ext), and has derivative(n), antiderivative(n), derivatives(x), integral(a, b), roots(), get_knots(), get_coeffs() and get_residual(). bbox: the two ends, of x where none are given. ext: outside 'extrapolate' (0, default), 'zeros' (1), 'raise' (2, which waits) or 'const' (3).
---```lua
---interpolate.InterpolatedUnivariateSpline(x, y, w?, bbox?, k?, ext?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param w? moonarray.data|table
---@param bbox? number[]|table
---@param k? moonarray.whole|table
---@param ext? moonarray.whole|string|table
---@return moonarray.univariate_spline
function moonarray.interpolate.InterpolatedUnivariateSpline(x, y, w, bbox, k, ext) end

---The polynomial through values yi at xi, along an axis (the first). A position that stands j times in ascending xi has its value and its derivatives up to j - 1 in yi. An object that is called with points, and has derivative(x, der) and derivatives(x, der). Reads xi, which waits.
---```lua
---interpolate.KroghInterpolator(xi, yi, axis?)
---```
---@param xi moonarray.data
---@param yi moonarray.data
---@param axis? moonarray.whole|table
---@return moonarray.polynomial_interpolator
function moonarray.interpolate.KroghInterpolator(xi, yi, axis) end

---The spline of degree k (3, from 1 to 5) with the inner knots t that makes the sum of (w (spline - y))^2 least. An object that is called with points (and nu, ext), and has derivative(n), antiderivative(n), derivatives(x), integral(a, b), roots(), get_knots(), get_coeffs() and get_residual(). bbox: the two ends, of x where none are given. ext: outside 'extrapolate' (0, default), 'zeros' (1), 'raise' (2, which waits) or 'const' (3).
---```lua
---interpolate.LSQUnivariateSpline(x, y, t, w?, bbox?, k?, ext?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param t moonarray.data
---@param w? moonarray.data|table
---@param bbox? number[]|table
---@param k? moonarray.whole|table
---@param ext? moonarray.whole|string|table
---@return moonarray.univariate_spline
function moonarray.interpolate.LSQUnivariateSpline(x, y, t, w, bbox, k, ext) end

---Values at points of the plane (the rows of a matrix, or a Delaunay triangulation), linear over the triangles of the points: an object that is called with points, or with an array for each coordinate. Beyond the hull it gives fill_value (NaN). rescale (false): each coordinate is scaled to the extent 1 first. Waits.
---```lua
---interpolate.LinearNDInterpolator(points, values, fill_value?; rescale?)
---```
---@param points moonarray.data|table
---@param values moonarray.data
---@param fill_value? number|string|table|table
---@param rescale? boolean|table
---@return moonarray.interpolator
function moonarray.interpolate.LinearNDInterpolator(points, values, fill_value, rescale) end

---A sum of products of B-splines: t a table of the knots of each axis, c coefficients with an axis for each, k a degree or a table of them. An object that is called with points, whose coordinates are along the last axis, and with nu, a table of the order of the derivative along each axis.
---```lua
---interpolate.NdBSpline(t, c, k; extrapolate?)
---```
---@param t moonarray.data
---@param c moonarray.data
---@param k moonarray.whole|moonarray.whole[]
---@param extrapolate? boolean|string|table
---@return moonarray.interpolator
function moonarray.interpolate.NdBSpline(t, c, k, extrapolate) end

---A piecewise polynomial of several variables: c of the shape (k1 .. kd, m1 .. md, ...), the highest powers first, x a table of the breakpoints of each axis. An object that is called with points, whose coordinates are along the last axis, and with nu, a table of the order of the derivative along each axis.
---```lua
---interpolate.NdPPoly(c, x, extrapolate?)
---```
---@param c moonarray.data
---@param x moonarray.data
---@param extrapolate? boolean|string|table
---@return moonarray.interpolator
function moonarray.interpolate.NdPPoly(c, x, extrapolate) end

---The value y of the nearest of scattered points x, the rows of a matrix: an object that is called with points, or with an array for each coordinate. rescale (false): each coordinate is scaled by its standard deviation first.
---```lua
---interpolate.NearestNDInterpolator(x, y, rescale?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param rescale? boolean|table
---@return moonarray.interpolator
function moonarray.interpolate.NearestNDInterpolator(x, y, rescale) end

---A piecewise polynomial: between x[i] and x[i + 1] the sum of c[p, i] (x - x[i])^(k - p), p from 1 to k. An object that is called with points (and nu, extrapolate), and has derivative(nu), antiderivative(nu), integrate(a, b), roots(), solve(y), extend(c, x), c and x. extrapolate (true): true, false for NaN outside, or 'periodic'.
---```lua
---interpolate.PPoly(c, x, extrapolate?, axis?)
---```
---@param c moonarray.data
---@param x moonarray.data
---@param extrapolate? boolean|string|table
---@param axis? moonarray.whole|table
---@return moonarray.piecewise
function moonarray.interpolate.PPoly(c, x, extrapolate, axis) end

---The piecewise cubic through values y at growing x, along an axis (the first), that is monotone where the values are: a PPoly.
---```lua
---interpolate.PchipInterpolator(x, y, axis?, extrapolate?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param axis? moonarray.whole|table
---@param extrapolate? boolean|string|table
---@return moonarray.piecewise
function moonarray.interpolate.PchipInterpolator(x, y, axis, extrapolate) end

---A function through values d at scattered points y, the rows of a matrix, as a sum of radial functions and a polynomial: an object that is called with points. neighbors: how many points near a place count (all). smoothing (0): a number or one for each point. kernel: 'thin_plate_spline' (default), 'linear', 'cubic', 'quintic', or with epsilon 'multiquadric', 'inverse_multiquadric', 'inverse_quadratic', 'gaussian'. degree: of the polynomial, -1 for none.
---```lua
---interpolate.RBFInterpolator(y, d, neighbors?, smoothing?, kernel?, epsilon?, degree?)
---```
---@param y moonarray.data
---@param d moonarray.data
---@param neighbors? moonarray.whole|table
---@param smoothing? number|table
---@param kernel? string|table
---@param epsilon? number|table
---@param degree? moonarray.whole|table
---@return moonarray.interpolator
function moonarray.interpolate.RBFInterpolator(y, d, neighbors, smoothing, kernel, epsilon, degree) end

---A function through values on a grid: an object that is called with points, whose coordinates are along the last axis (and with method, nu). points: a table of the positions along each axis. method: 'linear' (default), 'nearest', 'slinear', 'cubic', 'quintic' or 'pchip'. Outside: an error, which is looked for and waits; with bounds_error = false fill_value (NaN), or with fill_value = 'extrapolate' the outer cells' polynomials.
---```lua
---interpolate.RegularGridInterpolator(points, values, method?, bounds_error?, fill_value?)
---```
---@param points moonarray.data[]
---@param values moonarray.data
---@param method? string|table
---@param bounds_error? boolean|table
---@param fill_value? number|string|table|table
---@return moonarray.interpolator
function moonarray.interpolate.RegularGridInterpolator(points, values, method, bounds_error, fill_value) end

---The spline of degree k (3, from 1 to 5) with as few knots as keep the sum of (w (spline - y))^2 at most s (as many as there are values; 0 goes through all), and as smooth as they allow: P. Dierckx's method. Reads the values, which waits. Also has set_smoothing_factor(s). An object that is called with points (and nu, ext), and has derivative(n), antiderivative(n), derivatives(x), integral(a, b), roots(), get_knots(), get_coeffs() and get_residual(). bbox: the two ends, of x where none are given. ext: outside 'extrapolate' (0, default), 'zeros' (1), 'raise' (2, which waits) or 'const' (3).
---```lua
---interpolate.UnivariateSpline(x, y, w?, bbox?, k?, s?, ext?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param w? moonarray.data|table
---@param bbox? number[]|table
---@param k? moonarray.whole|table
---@param s? number|table
---@param ext? moonarray.whole|string|table
---@return moonarray.univariate_spline
function moonarray.interpolate.UnivariateSpline(x, y, w, bbox, k, s, ext) end

---The values at x of BarycentricInterpolator(xi, yi), or of its derivative of order der; of a table of orders a table.
---```lua
---interpolate.barycentric_interpolate(xi, yi, x, axis?; der?)
---```
---@param xi moonarray.data
---@param yi moonarray.data
---@param x moonarray.data
---@param axis? moonarray.whole|table
---@param der? moonarray.whole|table
---@return moonarray.array
function moonarray.interpolate.barycentric_interpolate(xi, yi, x, axis, der) end

---The PPoly of a BPoly. SciPy's PPoly.from_bernstein_basis.
---```lua
---interpolate.from_bernstein_basis(bp, extrapolate?)
---```
---@param bp moonarray.piecewise
---@param extrapolate? boolean|string|table
---@return moonarray.piecewise
function moonarray.interpolate.from_bernstein_basis(bp, extrapolate) end

---The BPoly of a PPoly. SciPy's BPoly.from_power_basis.
---```lua
---interpolate.from_power_basis(p, extrapolate?)
---```
---@param p moonarray.data
---@param extrapolate? boolean|string|table
---@return moonarray.bernstein
function moonarray.interpolate.from_power_basis(p, extrapolate) end

---A function through values y at x, along an axis (the last): an object that is called with points. kind: 'linear' (default), 'nearest', 'nearest-up', 'previous', 'next', 'zero', 'slinear', 'quadratic', 'cubic', or the degree of a spline. Outside: an error, which is looked for and waits, or fill_value (NaN with bounds_error = false): a number, {below, above}, or 'extrapolate'. assume_sorted (false): x grows already.
---```lua
---interpolate.interp1d(x, y, kind?, axis?, bounds_error?, fill_value?; copy?, assume_sorted?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param kind? string|moonarray.whole|table
---@param axis? moonarray.whole|table
---@param bounds_error? boolean|table
---@param fill_value? number|string|table|table
---@param copy? boolean|table
---@param assume_sorted? boolean|table
---@return moonarray.interpolator
function moonarray.interpolate.interp1d(x, y, kind, axis, bounds_error, fill_value, copy, assume_sorted) end

---The values at xi, whose coordinates are along the last axis, of RegularGridInterpolator(points, values, method). 'splinef2d' is not among the methods.
---```lua
---interpolate.interpn(points, values, xi, method?, bounds_error?, fill_value?)
---```
---@param points moonarray.data[]
---@param values moonarray.data
---@param xi moonarray.data
---@param method? string|table
---@param bounds_error? boolean|table
---@param fill_value? number|string|table|table
---@return moonarray.array
function moonarray.interpolate.interpn(points, values, xi, method, bounds_error, fill_value) end

---The values at x of KroghInterpolator(xi, yi), or of its derivative of order der; of a table of orders a table.
---```lua
---interpolate.krogh_interpolate(xi, yi, x, der?, axis?)
---```
---@param xi moonarray.data
---@param yi moonarray.data
---@param x moonarray.data
---@param der? moonarray.whole|table
---@param axis? moonarray.whole|table
---@return moonarray.array
function moonarray.interpolate.krogh_interpolate(xi, yi, x, der, axis) end

---The BSpline of degree k (3) through values y at growing x, along an axis (the first). t: knots; bc_type: 'not-a-knot' (default), 'natural', 'clamped', 'periodic', or for the two ends a table of lists of {order, value} of derivatives.
---```lua
---interpolate.make_interp_spline(x, y, k?, t?, bc_type?, axis?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param k? moonarray.whole|table
---@param t? moonarray.data|table
---@param bc_type? table|string|table
---@param axis? moonarray.whole|table
---@return moonarray.spline
function moonarray.interpolate.make_interp_spline(x, y, k, t, bc_type, axis) end

---The BSpline of degree k (3) over knots t that makes the sum of (w (spline - y))^2 at growing x least, along an axis (the first). t: with k + 1 knots at both ends, as of BSpline.
---```lua
---interpolate.make_lsq_spline(x, y, t, k?, w?, axis?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param t moonarray.data
---@param k? moonarray.whole|table
---@param w? moonarray.data|table
---@param axis? moonarray.whole|table
---@return moonarray.spline
function moonarray.interpolate.make_lsq_spline(x, y, t, k, w, axis) end

---The piecewise cubic through values y at growing x, along an axis (the first), that is monotone where the values are: a PPoly.
---```lua
---interpolate.pchip(x, y, axis?, extrapolate?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param axis? moonarray.whole|table
---@param extrapolate? boolean|string|table
---@return moonarray.piecewise
function moonarray.interpolate.pchip(x, y, axis, extrapolate) end

---The values at x of PchipInterpolator(xi, yi), or of its derivative of order der; of a table of orders a table.
---```lua
---interpolate.pchip_interpolate(xi, yi, x, der?, axis?)
---```
---@param xi moonarray.data
---@param yi moonarray.data
---@param x moonarray.data
---@param der? moonarray.whole|table
---@param axis? moonarray.whole|table
---@return moonarray.array
function moonarray.interpolate.pchip_interpolate(xi, yi, x, der, axis) end

---The n-th (1) antiderivative of a BSpline, or of a spline {t, c, k}, which gives one.
---```lua
---interpolate.splantider(tck, n?)
---```
---@param tck moonarray.spline
---@param n? moonarray.whole|table
---@return moonarray.spline
function moonarray.interpolate.splantider(tck, n) end

---The n-th (1) derivative of a BSpline, or of a spline {t, c, k}, which gives one.
---```lua
---interpolate.splder(tck, n?)
---```
---@param tck moonarray.spline
---@param n? moonarray.whole|table
---@return moonarray.spline
function moonarray.interpolate.splder(tck, n) end

---The distinct elements that both have, sorted; on demand their first positions in either.
---```lua
---intersect1d(ar1, ar2, assume_unique?, return_indices?)
---```
---@param ar1 moonarray.data
---@param ar2 moonarray.data
---@param assume_unique? boolean|table
---@param return_indices? boolean|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.intersect1d(ar1, ar2, assume_unique, return_indices) end

---x with every bit flipped; of a boolean: not
---```lua
---invert(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.invert: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.invert = {}
array.invert = moonarray.invert

---power(a, b) written into a, which is returned.
---```lua
---ipow(a, b, where?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.ipow(a, b, where) end
array.ipow = moonarray.ipow

---Where |a - b| <= atol + rtol |b|: rtol is 1e-5, atol 1e-8 by default.
---```lua
---isclose(a, b, rtol?, atol?, equal_nan?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param rtol? number|table
---@param atol? number|table
---@param equal_nan? boolean|table
---@return moonarray.array|boolean
function moonarray.isclose(a, b, rtol, atol, equal_nan) end
array.isclose = moonarray.isclose

---Where the imaginary part is not 0.
---```lua
---iscomplex(a)
---```
---@param a moonarray.data
---@return moonarray.array|boolean
function moonarray.iscomplex(a) end
array.iscomplex = moonarray.iscomplex

---Whether the dtype is complex.
---```lua
---iscomplexobj(x)
---```
---@param x moonarray.data
---@return boolean
function moonarray.iscomplexobj(x) end

---Whether a dtype is of a kind: "bool", "integral", "real floating" ..., or of one of a table of kinds.
---```lua
---isdtype(dtype, kind)
---```
---@param dtype moonarray.dtype
---@param kind string|string[]
---@return boolean
function moonarray.isdtype(dtype, kind) end

---true where x is neither infinite nor NaN
---```lua
---isfinite(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.isfinite: moonarray.ufunc
---@overload fun(a: number): boolean
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.isfinite = {}
array.isfinite = moonarray.isfinite

---Whether the elements lie in Fortran's order and not in C's too. A Lua boolean; waits for nothing. Example: ma.isfortran(ma.zeros{2, 3}.T) --> true
---```lua
---isfortran(a)
---```
---@param a moonarray.data
---@return boolean
function moonarray.isfortran(a) end
array.isfortran = moonarray.isfortran

---Which elements are among the others (invert: are not).
---```lua
---isin(element, test_elements, assume_unique?, invert?, kind?)
---```
---@param element moonarray.data
---@param test_elements moonarray.data
---@param assume_unique? boolean|table
---@param invert? boolean|table
---@param kind? string|table
---@return moonarray.array
function moonarray.isin(element, test_elements, assume_unique, invert, kind) end

---true where x is infinite
---```lua
---isinf(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.isinf: moonarray.ufunc
---@overload fun(a: number): boolean
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.isinf = {}
array.isinf = moonarray.isinf

---true where x is NaN
---```lua
---isnan(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.isnan: moonarray.ufunc
---@overload fun(a: number): boolean
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.isnan = {}
array.isnan = moonarray.isnan

---Where elements are negative infinity.
---```lua
---isneginf(a, out?)
---```
---@param a moonarray.data
---@param out? moonarray.part|table
---@return moonarray.array|boolean
function moonarray.isneginf(a, out) end
array.isneginf = moonarray.isneginf

---Where elements are positive infinity.
---```lua
---isposinf(a, out?)
---```
---@param a moonarray.data
---@param out? moonarray.part|table
---@return moonarray.array|boolean
function moonarray.isposinf(a, out) end
array.isposinf = moonarray.isposinf

---Where the imaginary part is 0.
---```lua
---isreal(a)
---```
---@param a moonarray.data
---@return moonarray.array|boolean
function moonarray.isreal(a) end
array.isreal = moonarray.isreal

---Whether the dtype is not complex.
---```lua
---isrealobj(x)
---```
---@param x moonarray.data
---@return boolean
function moonarray.isrealobj(x) end

---Whether this is a number, a boolean or a complex number, not an array or a table.
---```lua
---isscalar(element)
---```
---@param element any
---@return boolean
function moonarray.isscalar(element) end

---Whether a dtype is of a family: "integer", "floating", "number" ..., or the same dtype.
---```lua
---issubdtype(arg1, arg2)
---```
---@param arg1 moonarray.dtype
---@param arg2 moonarray.dtype
---@return boolean
function moonarray.issubdtype(arg1, arg2) end

---subtract(a, b) written into a, which is returned.
---```lua
---isub(a, b, where?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.isub(a, b, where) end
array.isub = moonarray.isub

---The one element of an array as a Lua value; several arrays give several values with one wait. A number is given back as it is.
---```lua
---item(a, ...)
---```
---@param a moonarray.data
---@param ... any
---@return moonarray.scalar ...
function moonarray.item(a, ...) end
array.item = moonarray.item

---Calls step(...) n times, each time with what it returned before, and returns the last; what a step leaves behind is freed.
---```lua
---iterate(n, step, ...)
---```
---@param n moonarray.whole
---@param step function
---@param ... any
---@return any ...
function moonarray.iterate(n, step, ...) end

---Positions along each axis as arrays that broadcast to the mesh of all combinations: a[{ma.ix_({1, 3}, {2, 4})}] is 2 by 2. An argument is a table or an array of positions, or a mask, which waits. Example: ma.ix_({1, 3}, {2}) --> [[1] [3]] [[2]]
---```lua
---ix_(...)
---```
---@param ... any
---@return moonarray.array ...
function moonarray.ix_(...) end

moonarray.jit = {}

---In a kernel: adds to an element, at once; the old element is the result.
---```lua
---jit.atomic_add(array, index, value)
---```
---@param array moonarray.part
---@param index moonarray.whole|moonarray.whole[]
---@param value number|boolean
---@return number|integer
function moonarray.jit.atomic_add(array, index, value) end

---In a kernel: takes the bits of the value and of an element, at once; the old element is the result.
---```lua
---jit.atomic_and(array, index, value)
---```
---@param array moonarray.part
---@param index moonarray.whole|moonarray.whole[]
---@param value number|boolean
---@return number|integer
function moonarray.jit.atomic_and(array, index, value) end

---In a kernel: writes the value if the element is `compare`, at once; the old element is the result.
---```lua
---jit.atomic_cas(array, index, compare, value)
---```
---@param array moonarray.part
---@param index moonarray.whole|moonarray.whole[]
---@param compare number|boolean
---@param value number|boolean
---@return number|integer
function moonarray.jit.atomic_cas(array, index, compare, value) end

---In a kernel: decrements, down to 0 and then from the value, an element, at once; the old element is the result.
---```lua
---jit.atomic_dec(array, index, value)
---```
---@param array moonarray.part
---@param index moonarray.whole|moonarray.whole[]
---@param value number|boolean
---@return number|integer
function moonarray.jit.atomic_dec(array, index, value) end

---In a kernel: replaces an element, at once; the old element is the result.
---```lua
---jit.atomic_exch(array, index, value)
---```
---@param array moonarray.part
---@param index moonarray.whole|moonarray.whole[]
---@param value number|boolean
---@return number|integer
function moonarray.jit.atomic_exch(array, index, value) end

---In a kernel: increments, up to the value and then from 0, an element, at once; the old element is the result.
---```lua
---jit.atomic_inc(array, index, value)
---```
---@param array moonarray.part
---@param index moonarray.whole|moonarray.whole[]
---@param value number|boolean
---@return number|integer
function moonarray.jit.atomic_inc(array, index, value) end

---In a kernel: takes the greater of the value and an element, at once; the old element is the result.
---```lua
---jit.atomic_max(array, index, value)
---```
---@param array moonarray.part
---@param index moonarray.whole|moonarray.whole[]
---@param value number|boolean
---@return number|integer
function moonarray.jit.atomic_max(array, index, value) end

---In a kernel: takes the lesser of the value and an element, at once; the old element is the result.
---```lua
---jit.atomic_min(array, index, value)
---```
---@param array moonarray.part
---@param index moonarray.whole|moonarray.whole[]
---@param value number|boolean
---@return number|integer
function moonarray.jit.atomic_min(array, index, value) end

---In a kernel: sets the value's bits in an element, at once; the old element is the result.
---```lua
---jit.atomic_or(array, index, value)
---```
---@param array moonarray.part
---@param index moonarray.whole|moonarray.whole[]
---@param value number|boolean
---@return number|integer
function moonarray.jit.atomic_or(array, index, value) end

---In a kernel: subtracts from an element, at once; the old element is the result.
---```lua
---jit.atomic_sub(array, index, value)
---```
---@param array moonarray.part
---@param index moonarray.whole|moonarray.whole[]
---@param value number|boolean
---@return number|integer
function moonarray.jit.atomic_sub(array, index, value) end

---In a kernel: flips the value's bits in an element, at once; the old element is the result.
---```lua
---jit.atomic_xor(array, index, value)
---```
---@param array moonarray.part
---@param index moonarray.whole|moonarray.whole[]
---@param value number|boolean
---@return number|integer
function moonarray.jit.atomic_xor(array, index, value) end

moonarray.jit.cg = {}

---In a kernel: the threads of a group copy elements along an axis; cg.wait(group) waits for that.
---```lua
---jit.cg.memcpy_async(group, to, at, from, start, count)
---```
---@param group table
---@param to moonarray.part
---@param at moonarray.whole
---@param from moonarray.part
---@param start moonarray.whole
---@param count moonarray.whole
function moonarray.jit.cg.memcpy_async(group, to, at, from, start, count) end

---In a kernel: the values of a group's threads, combined; each thread is given the result.
---```lua
---jit.cg.reduce(group, value, op)
---```
---@param group table
---@param value number|boolean
---@param op string
---@return number|integer
function moonarray.jit.cg.reduce(group, value, op) end

---In a kernel: waits for all threads of a group.
---```lua
---jit.cg.sync(group)
---```
---@param group table
function moonarray.jit.cg.sync(group) end

---In a kernel: the group of all threads; g:sync() waits for all blocks.
---```lua
---jit.cg.this_grid()
---```
---@return table|any
function moonarray.jit.cg.this_grid() end

---In a kernel: the group of the block's threads: g:sync(), g:thread_rank() ...
---```lua
---jit.cg.this_thread_block()
---```
---@return table|any
function moonarray.jit.cg.this_thread_block() end

---In a kernel: the tile of 1, 2, 4 ... 32 threads that this thread is in: t:shfl(v, lane), t:any(b) ...
---```lua
---jit.cg.tiled_partition(group, size)
---```
---@param group table
---@param size moonarray.whole
---@return table|any
function moonarray.jit.cg.tiled_partition(group, size) end

---In a kernel: waits for the copies of a group.
---```lua
---jit.cg.wait(group)
---```
---@param group table
function moonarray.jit.cg.wait(group) end

---In a kernel: waits for all copies of a group but the last n, or for more.
---```lua
---jit.cg.wait_prior(group, n)
---```
---@param group table
---@param n moonarray.whole
function moonarray.jit.cg.wait_prior(group, n) end

moonarray.jit.cub = {}

---In a kernel: combines the values of a block: r:Sum(v), r:Reduce(v, op).
---```lua
---jit.cub.BlockReduce(dtype)
---```
---@param dtype moonarray.dtype
---@return table|any
function moonarray.jit.cub.BlockReduce(dtype) end

---In a kernel: combines the values up to each thread of a block: s:InclusiveSum(v), s:ExclusiveScan(v, op, v0).
---```lua
---jit.cub.BlockScan(dtype)
---```
---@param dtype moonarray.dtype
---@return table|any
function moonarray.jit.cub.BlockScan(dtype) end

---In a kernel: the operator that takes the greater.
---```lua
---jit.cub.Max(a, b)
---```
---@param a number
---@param b number
---@return number|integer
function moonarray.jit.cub.Max(a, b) end

---In a kernel: the operator that takes the lesser.
---```lua
---jit.cub.Min(a, b)
---```
---@param a number
---@param b number
---@return number|integer
function moonarray.jit.cub.Min(a, b) end

---In a kernel: the operator that adds.
---```lua
---jit.cub.Sum(a, b)
---```
---@param a number
---@param b number
---@return number|integer
function moonarray.jit.cub.Sum(a, b) end

---In a kernel: combines the values of a warp: r:Sum(v), r:Reduce(v, op).
---```lua
---jit.cub.WarpReduce(dtype, threads?)
---```
---@param dtype moonarray.dtype
---@param threads? moonarray.whole|table
---@return table|any
function moonarray.jit.cub.WarpReduce(dtype, threads) end

---A function that kernels written in Lua can call.
---```lua
---jit.device(fn; name?, constants?)
---```
---@param fn function|string
---@param name? string|table
---@param constants? table|table
---@return function|table
function moonarray.jit.device(fn, name, constants) end

---A kernel that calls a Lua function for every element of broadcast arrays: k(x, y), k(x, y, out), k(x, {size = n}).
---```lua
---jit.elementwisekernel(fn; in_params?, out_params?, name?, constants?, check?)
---```
---@param fn function|string
---@param in_params? string|table
---@param out_params? string|table
---@param name? string|table
---@param constants? table|table
---@param check? boolean|table
---@return moonarray.jit_elementwise
function moonarray.jit.elementwisekernel(fn, in_params, out_params, name, constants, check) end

---In a kernel: the position of this thread in the whole grid, from 1, along n axes.
---```lua
---jit.grid(n)
---```
---@param n moonarray.whole
---@return integer
function moonarray.jit.grid(n) end

---In a kernel: the number of threads of the whole grid, along n axes.
---```lua
---jit.gridsize(n)
---```
---@param n moonarray.whole
---@return integer
function moonarray.jit.gridsize(n) end

---In a kernel: the place of this thread in its warp, from 0.
---```lua
---jit.laneid()
---```
---@return integer
function moonarray.jit.laneid() end

---In a kernel: `for i in jit.range(1, n, step) do`, both ends included.
---```lua
---jit.range(start, stop?, step?)
---```
---@param start moonarray.whole
---@param stop? moonarray.whole|table
---@param step? moonarray.whole|table
---@return fun(): integer
function moonarray.jit.range(start, stop, step) end

---A kernel from a Lua function or its source: k(grid, block, {args}, {shared_mem = 0}), or k[{grid, block}](...).
---```lua
---jit.rawkernel(fn; name?, constants?, check?)
---```
---@param fn function|string
---@param name? string|table
---@param constants? table|table
---@param check? boolean|table
---@return moonarray.jit_kernel
function moonarray.jit.rawkernel(fn, name, constants, check) end

---A reduction of Lua functions: {map =, reduce =, post =, identity =}, with options in the same table; called k(x, ..., axis?, {keepdims =, out =}). reduce is associative and commutative.
---```lua
---jit.reductionkernel(functions)
---```
---@param functions moonarray.jit.reduction
---@return moonarray.jit_reduction
function moonarray.jit.reductionkernel(functions) end

---In a kernel: an array that the threads of a block share; without a shape the one whose size the launch gives.
---```lua
---jit.shared_memory(dtype, shape?)
---```
---@param dtype moonarray.dtype
---@param shape? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.jit.shared_memory(dtype, shape) end

---In a kernel: the value of the lane that is delta above.
---```lua
---jit.shfl_down_sync(mask, value, delta, width?)
---```
---@param mask moonarray.whole
---@param value number|boolean
---@param delta number|boolean
---@param width? moonarray.whole|table
---@return number|integer
function moonarray.jit.shfl_down_sync(mask, value, delta, width) end

---In a kernel: the value of another lane of the warp.
---```lua
---jit.shfl_sync(mask, value, lane, width?)
---```
---@param mask moonarray.whole
---@param value number|boolean
---@param lane moonarray.whole
---@param width? moonarray.whole|table
---@return number|integer
function moonarray.jit.shfl_sync(mask, value, lane, width) end

---In a kernel: the value of the lane that is delta below.
---```lua
---jit.shfl_up_sync(mask, value, delta, width?)
---```
---@param mask moonarray.whole
---@param value number|boolean
---@param delta number|boolean
---@param width? moonarray.whole|table
---@return number|integer
function moonarray.jit.shfl_up_sync(mask, value, delta, width) end

---In a kernel: the value of the lane whose number differs by these bits.
---```lua
---jit.shfl_xor_sync(mask, value, lane, width?)
---```
---@param mask moonarray.whole
---@param value number|boolean
---@param lane moonarray.whole
---@param width? moonarray.whole|table
---@return number|integer
function moonarray.jit.shfl_xor_sync(mask, value, lane, width) end

---In a kernel: waits for all threads of the block.
---```lua
---jit.syncthreads()
---```
function moonarray.jit.syncthreads() end

---In a kernel: waits for the threads of the warp that are in the mask.
---```lua
---jit.syncwarp(mask?)
---```
---@param mask? moonarray.whole|table
function moonarray.jit.syncwarp(mask) end

---In a kernel: a texture of one axis at x; a value for each channel.
---```lua
---jit.tex1D(texture, x)
---```
---@param texture moonarray.texture
---@param x number
---@return number|integer
function moonarray.jit.tex1D(texture, x) end

---In a kernel: the kth texel, from 0, of a texture of linear memory.
---```lua
---jit.tex1Dfetch(texture, k)
---```
---@param texture moonarray.texture
---@param k moonarray.whole
---@return number|integer
function moonarray.jit.tex1Dfetch(texture, k) end

---In a kernel: a texture of two axes at (x, y), where x is along the last one.
---```lua
---jit.tex2D(texture, x, y)
---```
---@param texture moonarray.texture
---@param x number
---@param y number
---@return number|integer
function moonarray.jit.tex2D(texture, x, y) end

---In a kernel: a texture of three axes at (x, y, z); x is along the last one.
---```lua
---jit.tex3D(texture, x, y, z)
---```
---@param texture moonarray.texture
---@param x number
---@param y number
---@param z number
---@return number|integer
function moonarray.jit.tex3D(texture, x, y, z) end

---In a kernel: what was written before is seen by other blocks before what is written after.
---```lua
---jit.threadfence()
---```
function moonarray.jit.threadfence() end

---Bessel's window of M points; a larger beta makes it narrower, 0 makes it all ones. Example: ma.kaiser(3, 0) --> [1. 1. 1.]
---```lua
---kaiser(M, beta; device?)
---```
---@param M moonarray.whole
---@param beta number
---@param device? string|table
---@return moonarray.array
function moonarray.kaiser(M, beta, device) end

---Takes an array, or those in a table, out of the scopes that are open, which then do not free them; returns it.
---```lua
---keep(a)
---```
---@param a moonarray.data
---@return moonarray.array ...
function moonarray.keep(a) end
array.keep = moonarray.keep

---The Kronecker product: every element of a times the whole of b.
---```lua
---kron(a, b)
---```
---@param a moonarray.data
---@param b moonarray.data
---@return moonarray.array
function moonarray.kron(a, b) end
array.kron = moonarray.kron

moonarray.lapack = {}

---x that makes |b - a x| least, or the x of least norm with a x = b if a has fewer rows than columns, by QR. a must have full rank.
---```lua
---lapack.gels(a, b; check?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.lapack.gels(a, b, check) end

---x with a x = b, by LU: moonarray.linalg.solve, with a vector b for each matrix too.
---```lua
---lapack.gesv(a, b; check?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.lapack.gesv(a, b, check) end

---x with a x = b for Hermitian positive definite matrices, by Cholesky's factors. b is a vector, a vector for each matrix, or matrices. The lower triangle of a is read.
---```lua
---lapack.posv(a, b; check?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.lapack.posv(a, b, check) end

---x with a x = b, where L is Cholesky's factor of a: the lower triangle, l with a = l l^H, or the upper one.
---```lua
---lapack.potrs(L, b, lower; check?)
---```
---@param L moonarray.data
---@param b moonarray.data
---@param lower boolean
---@param check? boolean|table
---@return moonarray.array
function moonarray.lapack.potrs(L, b, lower, check) end

---the least common multiple of |x| and |y|
---```lua
---lcm(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.lcm: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.lcm = {}
array.lcm = moonarray.lcm

---x * 2^y for whole y
---```lua
---ldexp(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.ldexp: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.ldexp = {}
array.ldexp = moonarray.ldexp

---x <= y; complex numbers by real part, then imaginary part
---```lua
---less_equal(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.le: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.le = {}
array.le = moonarray.le

---x * 2^y; 0 where y is negative or the width of x or more
---```lua
---left_shift(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.left_shift: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.left_shift = {}
array.left_shift = moonarray.left_shift

---x < y; complex numbers by real part, then imaginary part
---```lua
---less(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.less: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.less = {}
array.less = moonarray.less

---x <= y; complex numbers by real part, then imaginary part
---```lua
---less_equal(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.less_equal: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.less_equal = {}
array.less_equal = moonarray.less_equal

---Positions that sort by several keys, the last one first: a table of arrays of one shape, or the rows of an array.
---```lua
---lexsort(keys, axis?)
---```
---@param keys moonarray.data[]
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.lexsort(keys, axis) end

moonarray.lib = {}

moonarray.lib.stride_tricks = {}

---A view of any shape and strides (in bytes) that stays in the array's memory; where elements share memory it is read-only.
---```lua
---lib.stride_tricks.as_strided(x, shape?, strides?; writeable?)
---```
---@param x moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param strides? moonarray.whole[]|table
---@param writeable? boolean|table
---@return moonarray.array
function moonarray.lib.stride_tricks.as_strided(x, shape, strides, writeable) end

---A read-only view of all windows of a shape: the windows' places along the axes (all), then their elements.
---```lua
---lib.stride_tricks.sliding_window_view(x, window_shape, axis?; writeable?)
---```
---@param x moonarray.data
---@param window_shape moonarray.whole|moonarray.whole[]
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param writeable? boolean|table
---@return moonarray.array
function moonarray.lib.stride_tricks.sliding_window_view(x, window_shape, axis, writeable) end

moonarray.linalg = {}

---lower, upper: how far from the diagonal a matrix has elements that are not 0. Waits.
---```lua
---linalg.bandwidth(a)
---```
---@param a moonarray.data
---@return integer
---@return integer
function moonarray.linalg.bandwidth(a) end

---The arrays along the diagonal of one matrix; numbers and vectors are rows.
---```lua
---linalg.block_diag(...)
---```
---@param ... any
---@return moonarray.array
function moonarray.linalg.block_diag(...) end

---c, lower: Cholesky's factor of Hermitian positive definite matrices, for cho_solve({c, lower}, b). The upper triangle of a is read, or the lower one; the other one of c is 0.
---```lua
---linalg.cho_factor(a, lower?; check?)
---```
---@param a moonarray.data
---@param lower? boolean|table
---@param check? boolean|table
---@return moonarray.array
---@return boolean
function moonarray.linalg.cho_factor(a, lower, check) end

---x with a x = b for {c, lower} of cho_factor(a, lower).
---```lua
---linalg.cho_solve(c_and_lower, b; check?)
---```
---@param c_and_lower table
---@param b moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.cho_solve(c_and_lower, b, check) end

---The lower triangle l with a = l l^H of Hermitian positive definite matrices, or the upper one, l^H.
---```lua
---linalg.cholesky(a; upper?, check?)
---```
---@param a moonarray.data
---@param upper? boolean|table
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.cholesky(a, upper, check) end

---The matrix whose columns are c, each one place further round than the one before.
---```lua
---linalg.circulant(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.linalg.circulant(c) end

---The companion matrix of the polynomial with the coefficients a, the highest power first: its eigenvalues are the polynomial's roots.
---```lua
---linalg.companion(a)
---```
---@param a moonarray.data
---@return moonarray.array
function moonarray.linalg.companion(a) end

---The condition number: the norm times that of the inverse (p as ord of norm; 2, by singular values); infinity of singular ones.
---```lua
---linalg.cond(x, p?)
---```
---@param x moonarray.data
---@param p? number|string|table
---@return moonarray.array
function moonarray.linalg.cond(x, p) end

---The matrix whose product with a vector of n elements is the convolution of a with it; mode: 'full', 'same' or 'valid'.
---```lua
---linalg.convolution_matrix(a, n, mode?)
---```
---@param a moonarray.data
---@param n moonarray.whole
---@param mode? string|table
---@return moonarray.array
function moonarray.linalg.convolution_matrix(a, n, mode) end

---moonarray.cross, of vectors of 3 elements alone.
---```lua
---linalg.cross(x1, x2, axis?)
---```
---@param x1 moonarray.data
---@param x2 moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.linalg.cross(x1, x2, axis) end

---The determinant, by LU.
---```lua
---linalg.det(a)
---```
---@param a moonarray.data
---@return moonarray.array
function moonarray.linalg.det(a) end

---The matrix of the discrete Fourier transform of n elements; scale: nil, 'sqrtn' or 'n', what it is divided by.
---```lua
---linalg.dft(n, scale?)
---```
---@param n moonarray.whole
---@param scale? string|table
---@return moonarray.array
function moonarray.linalg.dft(n, scale) end

---The diagonals of the matrices in the last two axes: a view.
---```lua
---linalg.diagonal(x, offset?)
---```
---@param x moonarray.data
---@param offset? moonarray.whole|table
---@return moonarray.array
function moonarray.linalg.diagonal(x, offset) end

---w, v: the eigenvalues of square matrices and their vectors as columns, always complex.
---```lua
---linalg.eig(a; check?)
---```
---@param a moonarray.data
---@param check? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.linalg.eig(a, check) end

---w, v: the eigenvalues of Hermitian matrices, ascending, and their vectors as columns. UPLO: the triangle read.
---```lua
---linalg.eigh(a, UPLO?; check?)
---```
---@param a moonarray.data
---@param UPLO? string|table
---@param check? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.linalg.eigh(a, UPLO, check) end

---The eigenvalues of square matrices, always complex.
---```lua
---linalg.eigvals(a; check?)
---```
---@param a moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.eigvals(a, check) end

---The eigenvalues of Hermitian matrices, ascending.
---```lua
---linalg.eigvalsh(a, UPLO?; check?)
---```
---@param a moonarray.data
---@param UPLO? string|table
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.eigvalsh(a, UPLO, check) end

---The exponential of square matrices, by scaling and squaring. Waits for the number of squarings.
---```lua
---linalg.expm(a)
---```
---@param a moonarray.data
---@return moonarray.array
function moonarray.linalg.expm(a) end

---The distances |a[i] - a[j]| of numbers: a symmetric matrix.
---```lua
---linalg.fiedler(a)
---```
---@param a moonarray.data
---@return moonarray.array
function moonarray.linalg.fiedler(a) end

---Fiedler's companion matrix, with five diagonals, of the polynomial with the coefficients a, the highest power first.
---```lua
---linalg.fiedler_companion(a)
---```
---@param a moonarray.data
---@return moonarray.array
function moonarray.linalg.fiedler_companion(a) end

---Sylvester's matrix of Hadamard's, of 1 and -1: n is a power of 2.
---```lua
---linalg.hadamard(n, dtype?)
---```
---@param n moonarray.whole
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.linalg.hadamard(n, dtype) end

---The matrix with the first column c and the last row r (0 unless it is given; its first element does not count), whose diagonals from the right to the left are constant.
---```lua
---linalg.hankel(c, r?)
---```
---@param c moonarray.data
---@param r? moonarray.data|table
---@return moonarray.array
function moonarray.linalg.hankel(c, r) end

---Helmert's matrix of order n, whose rows are orthonormal; without `full` its first row is left out.
---```lua
---linalg.helmert(n, full?)
---```
---@param n moonarray.whole
---@param full? boolean|table
---@return moonarray.array
function moonarray.linalg.helmert(n, full) end

---Hilbert's matrix, 1 / (i + j - 1).
---```lua
---linalg.hilbert(n)
---```
---@param n moonarray.whole
---@return moonarray.array
function moonarray.linalg.hilbert(n) end

---The inverse of square matrices.
---```lua
---linalg.inv(a; check?)
---```
---@param a moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.inv(a, check) end

---The inverse of Hermitian positive definite matrices, by Cholesky's factors. The lower triangle of a is read.
---```lua
---linalg.invh(a; check?)
---```
---@param a moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.invh(a, check) end

---The Kronecker products of the columns of a and of b, column by column.
---```lua
---linalg.khatri_rao(a, b)
---```
---@param a moonarray.data
---@param b moonarray.data
---@return moonarray.array
function moonarray.linalg.khatri_rao(a, b) end

---moonarray.kron, of two matrices.
---```lua
---linalg.kron(a, b)
---```
---@param a moonarray.data
---@param b moonarray.data
---@return moonarray.array
function moonarray.linalg.kron(a, b) end

---Leslie's matrix of a population: f are the offspring of each age, in the first row, s the parts of each age that survive, below the diagonal.
---```lua
---linalg.leslie(f, s)
---```
---@param f moonarray.data
---@param s moonarray.data
---@return moonarray.array
function moonarray.linalg.leslie(f, s) end

---x with a x = b for a Hermitian positive definite a, by Cholesky's factors. The lower triangle of a is read. (CuPy's takes a sparse matrix.)
---```lua
---linalg.lschol(a, b; check?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.lschol(a, b, check) end

---x, residuals, rank, s: the x of least norm that makes |b - a x| least, the squared sums left (none where the rank is not full), and a's singular values.
---```lua
---linalg.lstsq(a, b, rcond?; check?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param rcond? number|table
---@param check? boolean|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.linalg.lstsq(a, b, rcond, check) end

---p, l, u with a = p l u; with permute_l p l and u; with p_indices a vector in place of p: a = l[p] u. A singular matrix has them too.
---```lua
---linalg.lu(a, permute_l?; p_indices?)
---```
---@param a moonarray.data
---@param permute_l? boolean|table
---@param p_indices? boolean|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.linalg.lu(a, permute_l, p_indices) end

---lu, piv: both triangles in one matrix, l's diagonal of ones left out, and row piv[i] that row i was exchanged with.
---```lua
---linalg.lu_factor(a)
---```
---@param a moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.linalg.lu_factor(a) end

---x with a x = b (trans 'T': a^T x = b, 'C': a^H x = b) for {lu, piv} of lu_factor(a).
---```lua
---linalg.lu_solve(lu_and_piv, b, trans?)
---```
---@param lu_and_piv table
---@param b moonarray.data
---@param trans? moonarray.whole|table
---@return moonarray.array
function moonarray.linalg.lu_solve(lu_and_piv, b, trans) end

---moonarray.matmul
---```lua
---linalg.matmul(x1, x2)
---```
---@param x1 moonarray.data
---@param x2 moonarray.data
---@return moonarray.array
function moonarray.linalg.matmul(x1, x2) end

---The norm of the matrices in the last two axes: 'fro', 'nuc', 1, 2, inf or a negative of these.
---```lua
---linalg.matrix_norm(x; keepdims?, ord?, check?)
---```
---@param x moonarray.data
---@param keepdims? boolean|table
---@param ord? number|string|table
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.matrix_norm(x, keepdims, ord, check) end

---A square matrix (or a stack of them) multiplied n times with itself; negative powers of the inverse.
---```lua
---linalg.matrix_power(a, n)
---```
---@param a moonarray.data
---@param n moonarray.whole
---@return moonarray.array
function moonarray.linalg.matrix_power(a, n) end

---The number of singular values above tol, or rtol (eps times the larger extent) times the largest. An array of tol or rtol has one for each matrix of a stack.
---```lua
---linalg.matrix_rank(a, tol?, hermitian?; rtol?, check?)
---```
---@param a moonarray.data
---@param tol? number|moonarray.part|table
---@param hermitian? boolean|table
---@param rtol? number|moonarray.part|table
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.matrix_rank(a, tol, hermitian, rtol, check) end

---A view with the last two axes exchanged.
---```lua
---linalg.matrix_transpose(x)
---```
---@param x moonarray.data
---@return moonarray.array
function moonarray.linalg.matrix_transpose(x) end

---The product of several matrices in the order of least multiplications; the first and the last may be vectors.
---```lua
---linalg.multi_dot(arrays; out?)
---```
---@param arrays moonarray.data[]
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.linalg.multi_dot(arrays, out) end

---The norm of a vector, or of a matrix where there are two axes: ord 1, 2, inf, their negatives, 0 or any p; 'fro', 'nuc' of matrices.
---```lua
---linalg.norm(x, ord?, axis?, keepdims?; check?)
---```
---@param x moonarray.data
---@param ord? number|string|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.norm(x, ord, axis, keepdims, check) end

---moonarray.outer, of two vectors alone.
---```lua
---linalg.outer(x1, x2)
---```
---@param x1 moonarray.data
---@param x2 moonarray.data
---@return moonarray.array
function moonarray.linalg.outer(x1, x2) end

---The pseudo-inverse; singular values of at most rcond (1e-15) times the largest count as 0. An array of rcond or rtol, which is the same, has one for each matrix of a stack.
---```lua
---linalg.pinv(a, rcond?, hermitian?; rtol?, check?)
---```
---@param a moonarray.data
---@param rcond? number|moonarray.part|table
---@param hermitian? boolean|table
---@param rtol? number|moonarray.part|table
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.pinv(a, rcond, hermitian, rtol, check) end

---q, r with a = q r: reduced, complete, r (alone) or raw (the reflectors, transposed, and their factors).
---```lua
---linalg.qr(a, mode?)
---```
---@param a moonarray.data
---@param mode? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.linalg.qr(a, mode) end

---sign, logabsdet: the determinant is sign * exp(logabsdet).
---```lua
---linalg.slogdet(a)
---```
---@param a moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.linalg.slogdet(a) end

---x with a x = b. b of one axis is one vector, all else are matrices of right sides.
---```lua
---linalg.solve(a, b; check?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.solve(a, b, check) end

---x with a x = b, of the upper (or lower) triangle of a; trans 'T': a^T x = b, 'C': a^H x = b; unit_diagonal: ones in place of a's diagonal.
---```lua
---linalg.solve_triangular(a, b, trans?, lower?, unit_diagonal?; check?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param trans? moonarray.whole|string|table
---@param lower? boolean|table
---@param unit_diagonal? boolean|table
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.solve_triangular(a, b, trans, lower, unit_diagonal, check) end

---u, s, vh with a = u diag(s) vh: square u and vh, or with full_matrices = false the columns and rows that count. Without compute_uv, s alone.
---```lua
---linalg.svd(a, full_matrices?, compute_uv?, hermitian?; check?)
---```
---@param a moonarray.data
---@param full_matrices? boolean|table
---@param compute_uv? boolean|table
---@param hermitian? boolean|table
---@param check? boolean|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.linalg.svd(a, full_matrices, compute_uv, hermitian, check) end

---The singular values, largest first.
---```lua
---linalg.svdvals(x; check?)
---```
---@param x moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.svdvals(x, check) end

---moonarray.tensordot
---```lua
---linalg.tensordot(x1, x2, axes?)
---```
---@param x1 moonarray.data
---@param x2 moonarray.data
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.whole[][]|table
---@return moonarray.array
function moonarray.linalg.tensordot(x1, x2, axes) end

---The inverse of the product over the axes after the first `ind` (2).
---```lua
---linalg.tensorinv(a, ind?; check?)
---```
---@param a moonarray.data
---@param ind? moonarray.whole|table
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.tensorinv(a, ind, check) end

---x with tensordot(a, x, x.ndim) = b; axes of a that are moved to its end first.
---```lua
---linalg.tensorsolve(a, b, axes?; check?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param check? boolean|table
---@return moonarray.array
function moonarray.linalg.tensorsolve(a, b, axes, check) end

---The matrix with the first column c and the first row r (c's conjugate unless it is given; its first element does not count), whose diagonals are constant.
---```lua
---linalg.toeplitz(c, r?)
---```
---@param c moonarray.data
---@param r? moonarray.data|table
---@return moonarray.array
function moonarray.linalg.toeplitz(c, r) end

---The sums of the diagonals of the matrices in the last two axes.
---```lua
---linalg.trace(x, offset?, dtype?)
---```
---@param x moonarray.data
---@param offset? moonarray.whole|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.linalg.trace(x, offset, dtype) end

---moonarray.tri
---```lua
---linalg.tri(N, M?, k?, dtype?)
---```
---@param N moonarray.whole
---@param M? moonarray.whole|moonarray.dtype|table
---@param k? moonarray.whole|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.linalg.tri(N, M, k, dtype) end

---moonarray.tril
---```lua
---linalg.tril(m, k?)
---```
---@param m moonarray.data
---@param k? moonarray.whole|table
---@return moonarray.array
function moonarray.linalg.tril(m, k) end

---moonarray.triu
---```lua
---linalg.triu(m, k?)
---```
---@param m moonarray.data
---@param k? moonarray.whole|table
---@return moonarray.array
function moonarray.linalg.triu(m, k) end

---moonarray.vecdot
---```lua
---linalg.vecdot(x1, x2, axis?)
---```
---@param x1 moonarray.data
---@param x2 moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.linalg.vecdot(x1, x2, axis) end

---The norm of the elements along axes (all), as one vector.
---```lua
---linalg.vector_norm(x; axis?, keepdims?, ord?)
---```
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@param ord? number|string|table
---@return moonarray.array
function moonarray.linalg.vector_norm(x, axis, keepdims, ord) end

---num (50) numbers at equal distances from start to stop, which is left out with endpoint = false; with retstep the distance too. the ends may be arrays, which broadcast: then the numbers run along a new axis of the result, the first one or axis. The dtype is the default one, of arrays that of their elements, at least float; integers are rounded down. Example: ma.linspace({0, 10}, 4, 3) --> [[ 0. 10.] [ 2. 7.] [ 4. 4.]]
---```lua
---linspace(start, stop, num?, endpoint?, retstep?, dtype?; axis?, device?)
---```
---@param start moonarray.data
---@param stop moonarray.data
---@param num? moonarray.whole|moonarray.dtype|table
---@param endpoint? boolean|moonarray.dtype|table
---@param retstep? boolean|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.linspace(start, stop, num, endpoint, retstep, dtype, axis, device) end

---Blocks of memory that arrays hold, and their bytes, on all devices.
---```lua
---live_buffers()
---```
---@return integer
---@return integer
function moonarray.live_buffers() end

---The array of a .npy file, or of a .npz file a table {name = array}. `file` is a path or an open file. Texts are Lua strings, in nested tables as the array had axes; a structured dtype is a table {field = array}. `members` is a list of the names to load from a .npz.
---```lua
---load(file; device?, members?)
---```
---@param file string
---@param device? string|table
---@param members? string[]|table
---@return moonarray.array|table
function moonarray.load(file, device, members) end

---The same from a string, such as a:dumps() makes, or from an object with memory, such as LÖVE's Data.
---```lua
---loads(bytes; device?, members?)
---```
---@param bytes string
---@param device? string|table
---@param members? string[]|table
---@return moonarray.array|table
function moonarray.loads(bytes, device, members) end

---What torch.save of Torch7 wrote, binary or as text: tensors and storages of every kind (also those of CUDA) are arrays, of which some may share memory; tables, numbers, texts and booleans are Lua's. An object of another class, such as a module of nn, is a table of its fields whose metatable has the class as __typename. Functions are left out. `file` is a path or an open file. `mode` is torch.load's: 'b32' for a file whose C longs have 4 bytes, as those of Windows and of 32-bit machines, 'b64' or 'binary' for 8, 'ascii' for text; without one the file says whether it is text, and longs have 8 bytes.
---```lua
---loadt7(file, mode?; device?)
---```
---@param file string|file*
---@param mode? string|table
---@param device? string|table
---@return any
function moonarray.loadt7(file, mode, device) end

---Rows of numbers. usecols are 1-based; with `unpack` every column is a value of its own: local x, y = ma.loadtxt(f, {unpack = true}).
---```lua
---loadtxt(file, dtype?, comments?, delimiter?, skiprows?, usecols?, unpack?, ndmin?, max_rows?; device?)
---```
---@param file string|file*
---@param dtype? moonarray.dtype|table
---@param comments? string|table
---@param delimiter? string|table
---@param skiprows? moonarray.whole|table
---@param usecols? moonarray.whole|moonarray.whole[]|table
---@param unpack? boolean|table
---@param ndmin? moonarray.whole|table
---@param max_rows? moonarray.whole|table
---@param device? string|table
---@return moonarray.array
function moonarray.loadtxt(file, dtype, comments, delimiter, skiprows, usecols, unpack, ndmin, max_rows, device) end

---the natural logarithm
---```lua
---log(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.log: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.log = {}
array.log = moonarray.log

---the logarithm to base 10
---```lua
---log10(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.log10: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.log10 = {}
array.log10 = moonarray.log10

---log(1 + x), exact for small x
---```lua
---log1p(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.log1p: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.log1p = {}
array.log1p = moonarray.log1p

---the logarithm to base 2
---```lua
---log2(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.log2: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.log2 = {}
array.log2 = moonarray.log2

---log(exp(x) + exp(y)) without overflow
---```lua
---logaddexp(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.logaddexp: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.logaddexp = {}
array.logaddexp = moonarray.logaddexp

---log2(2^x + 2^y) without overflow
---```lua
---logaddexp2(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.logaddexp2: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.logaddexp2 = {}
array.logaddexp2 = moonarray.logaddexp2

---true where x and y are not 0
---```lua
---logical_and(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.logical_and: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.logical_and = {}
array.logical_and = moonarray.logical_and

---true where x is 0
---```lua
---logical_not(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.logical_not: moonarray.ufunc
---@overload fun(a: number): boolean
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.logical_not = {}
array.logical_not = moonarray.logical_not

---true where x or y is not 0
---```lua
---logical_or(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.logical_or: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.logical_or = {}
array.logical_or = moonarray.logical_or

---true where exactly one of x and y is not 0
---```lua
---logical_xor(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.logical_xor: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.logical_xor = {}
array.logical_xor = moonarray.logical_xor

---num (50) numbers from base^start to base^stop (base: 10), spaced evenly on a logarithmic scale; the ends may be arrays, which broadcast: then the numbers run along a new axis of the result, the first one or axis. base may be an array too. Example: ma.logspace(0, 2, 3) --> [ 1. 10. 100.]
---```lua
---logspace(start, stop, num?, endpoint?, base?, dtype?; axis?, device?)
---```
---@param start number
---@param stop number
---@param num? moonarray.whole|moonarray.dtype|table
---@param endpoint? boolean|moonarray.dtype|table
---@param base? number|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param device? string|table
---@return moonarray.array
function moonarray.logspace(start, stop, num, endpoint, base, dtype, axis, device) end

---Logarithm of the sum of the exponentials, without overflow.
---```lua
---logsumexp(a, axis?, dtype?, out?, keepdims?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.logsumexp(a, axis, dtype, out, keepdims, where) end
array.logsumexp = moonarray.logsumexp

moonarray.love = {}

---An Image of LÖVE that shows an array. p:update(a) shows another one of the same shape, p:draw(...) is love.graphics.draw of p.image. Numbers of (height, width) get colours as in ma.image.to_rgba8, by `colormap`, `min` and `max`, which are looked for in each update unless they are given, and `bad` for NaN. (height, width, 1 to 4) are colours, of uint8 or from 0 to 1. With `format`, such as "r32f", a shader gets the values themselves. `filter` is "nearest" or "linear".
---```lua
---love.picture(a; colormap?, min?, max?, bad?, format?, filter?)
---```
---@param a moonarray.data
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param bad? number[]|table
---@param format? string|table
---@param filter? string|table
---@return moonarray.picture
function moonarray.love.picture(a, colormap, min, max, bad, format, filter) end

---A SoundData of 16 bits with the samples of a, (samples) or (samples, channels), from -1 to 1. `rate` of them are a second, 44100 unless it is given.
---```lua
---love.sound(a; rate?)
---```
---@param a moonarray.data
---@param rate? moonarray.whole|table
---@return userdata
function moonarray.love.sound(a, rate) end

---The vertices of a Mesh as arrays, one for each attribute under its name: v.VertexPosition is (vertices, 2) of float32, v.VertexColor (vertices, 4) of uint8. They are views of one ByteData, v.data, with what the mesh has now; v:upload() gives it back to the mesh.
---```lua
---love.vertices(mesh)
---```
---@param mesh userdata
---@return moonarray.vertices
function moonarray.love.vertices(mesh) end

---An array over the memory of one of LÖVE's Data objects, which lives as long as the array; nothing is copied. ImageData gives (height, width, channels), or (height, width) of one channel, SoundData (samples, channels), or (samples) of one channel, and other Data bytes, unless `shape` and `dtype` say what is in them.
---```lua
---love.view(data; shape?, dtype?)
---```
---@param data userdata
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.love.view(data, shape, dtype) end

---x < y; complex numbers by real part, then imaginary part
---```lua
---less(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.lt: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.lt = {}
array.lt = moonarray.lt

---An error that says how to apply a function to every element.
---```lua
---map(a, fn)
---```
---@param a moonarray.data
---@param fn function
function moonarray.map(a, fn) end
array.map = moonarray.map

---The positions where mask_func(ones of n by n, k), as ma.triu is one, is not 0. Waits for their number. Example: ma.mask_indices(2, ma.triu) --> [1 1 2] [1 2 2]
---```lua
---mask_indices(n, mask_func, k?)
---```
---@param n moonarray.whole
---@param mask_func function
---@param k? moonarray.whole|table
---@return moonarray.array ...
function moonarray.mask_indices(n, mask_func, k) end

---The product of matrices: over the last two axes, the others broadcast; a vector in front is a row, behind a column. axes: where the matrices lie in each operand and the result, as in {{1, 2}, {1, 2}, {1, 2}}. Every float, complex and integer dtype; 16-bit floats are summed in float32. By cuBLAS on a GPU, by OpenBLAS or another BLAS on the CPU.
---```lua
---matmul(a, b, out?; dtype?, axes?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.matmul(a, b, out, dtype, axes) end
array.matmul = moonarray.matmul

---A view with the last two axes exchanged.
---```lua
---matrix_transpose(a)
---```
---@param a moonarray.data
---@return moonarray.array
function moonarray.matrix_transpose(a) end
array.matrix_transpose = moonarray.matrix_transpose

---Largest element; NaN if there is one.
---```lua
---max(a, axis?, out?, keepdims?, initial?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.max(a, axis, out, keepdims, initial, where) end
array.max = moonarray.max

---the greater of x and y, or the first NaN
---```lua
---maximum(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.maximum: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.maximum = {}
array.maximum = moonarray.maximum

---Whether the ends of two arrays in memory leave room for a byte that both have: a quick answer that may be true where shares_memory is false. Example: ma.may_share_memory(ma.zeros(3), ma.zeros(3)) --> false
---```lua
---may_share_memory(a, b, max_work?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param max_work? moonarray.whole|table
---@return boolean
function moonarray.may_share_memory(a, b, max_work) end
array.may_share_memory = moonarray.may_share_memory

---Arithmetic mean along axes; of integers in float64.
---```lua
---mean(a, axis?, dtype?, out?, keepdims?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.mean(a, axis, dtype, out, keepdims, where) end
array.mean = moonarray.mean

---The element in the middle of the sorted ones, or the mean of the two there, along axes. NaN where there is one.
---```lua
---median(a, axis?, out?, overwrite_input?, keepdims?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param overwrite_input? boolean|table
---@param keepdims? boolean|table
---@return moonarray.array
function moonarray.median(a, axis, out, overwrite_input, keepdims) end
array.median = moonarray.median

---A function that calls fn once for each list of arguments and gives the same results afterwards; with for_each_device once a device too. Numbers, texts and booleans are compared by value, tables and arrays by identity; all of them are kept until ma.clear_memo. Example: ma.memoize(math.sqrt)(9) --> 3
---```lua
---memoize(fn, for_each_device?)
---```
---@param fn function
---@param for_each_device? boolean|table
---@return function
function moonarray.memoize(fn, for_each_device) end

---Coordinate arrays of a grid, one for each vector; indexing "xy" puts the second vector's axis first, "ij" keeps the order.
---```lua
---meshgrid(...; indexing?, sparse?)
---```
---@param ... any
---@return moonarray.array ...
function moonarray.meshgrid(...) end

---Coordinates of a dense grid of ranges {lo, hi, step}, both ends included, stacked along a first axis.
---```lua
---mgrid(...)
---```
---@param ... any
---@return moonarray.array ...
function moonarray.mgrid(...) end

---Smallest element; NaN if there is one.
---```lua
---min(a, axis?, out?, keepdims?, initial?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.min(a, axis, out, keepdims, initial, where) end
array.min = moonarray.min

---The smallest dtype that holds this number; an array's own dtype.
---```lua
---min_scalar_type(a)
---```
---@param a moonarray.data
---@return moonarray.dtype
function moonarray.min_scalar_type(a) end
array.min_scalar_type = moonarray.min_scalar_type

---the lesser of x and y, or the first NaN
---```lua
---minimum(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.minimum: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.minimum = {}
array.minimum = moonarray.minimum

---x - floor_divide(x, y) * y, with the sign of y; an integer modulo 0 is 0
---```lua
---remainder(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.mod: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.mod = {}
array.mod = moonarray.mod

---the parts of x after and before the point, both with the sign of x
---```lua
---modf(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.modf: moonarray.ufunc
---@overload fun(a: number): number, number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array, moonarray.array
moonarray.modf = {}
array.modf = moonarray.modf

---A view with some axes moved to new places, the others in order.
---```lua
---moveaxis(a, source, destination)
---```
---@param a moonarray.data
---@param source moonarray.whole|moonarray.whole[]
---@param destination moonarray.whole|moonarray.whole[]
---@return moonarray.array
function moonarray.moveaxis(a, source, destination) end
array.moveaxis = moonarray.moveaxis

---x * y; of booleans: and
---```lua
---multiply(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.multiply: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.multiply = {}
array.multiply = moonarray.multiply

---NaN replaced by 0 and the infinities by the dtype's limits, or by the numbers given.
---```lua
---nan_to_num(a, copy?, nan?, posinf?, neginf?)
---```
---@param a moonarray.data
---@param copy? boolean|table
---@param nan? number|table
---@param posinf? number|table
---@param neginf? number|table
---@return moonarray.array|moonarray.scalar
function moonarray.nan_to_num(a, copy, nan, posinf, neginf) end
array.nan_to_num = moonarray.nan_to_num

---Position of the first largest element that is not NaN; waits.
---```lua
---nanargmax(a, axis?, out?, keepdims?; dtype?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.nanargmax(a, axis, out, keepdims, dtype) end
array.nanargmax = moonarray.nanargmax

---Position of the first smallest element that is not NaN; waits.
---```lua
---nanargmin(a, axis?, out?, keepdims?; dtype?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.nanargmin(a, axis, out, keepdims, dtype) end
array.nanargmin = moonarray.nanargmin

---Running product, NaN taken as 1.
---```lua
---nancumprod(a, axis?, dtype?, out?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.nancumprod(a, axis, dtype, out) end
array.nancumprod = moonarray.nancumprod

---Running sum, NaN taken as 0.
---```lua
---nancumsum(a, axis?, dtype?, out?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.nancumsum(a, axis, dtype, out) end
array.nancumsum = moonarray.nancumsum

---Largest element that is not NaN.
---```lua
---nanmax(a, axis?, out?, keepdims?, initial?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.nanmax(a, axis, out, keepdims, initial, where) end
array.nanmax = moonarray.nanmax

---Arithmetic mean of what is not NaN.
---```lua
---nanmean(a, axis?, dtype?, out?, keepdims?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.nanmean(a, axis, dtype, out, keepdims, where) end
array.nanmean = moonarray.nanmean

---median without NaN.
---```lua
---nanmedian(a, axis?, out?, overwrite_input?, keepdims?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param overwrite_input? boolean|table
---@param keepdims? boolean|table
---@return moonarray.array
function moonarray.nanmedian(a, axis, out, overwrite_input, keepdims) end
array.nanmedian = moonarray.nanmedian

---Smallest element that is not NaN.
---```lua
---nanmin(a, axis?, out?, keepdims?, initial?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.nanmin(a, axis, out, keepdims, initial, where) end
array.nanmin = moonarray.nanmin

---percentile without NaN.
---```lua
---nanpercentile(a, q, axis?, out?, overwrite_input?, method?, keepdims?; weights?)
---```
---@param a moonarray.data
---@param q moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param overwrite_input? boolean|table
---@param method? string|table
---@param keepdims? boolean|table
---@param weights? moonarray.data|table
---@return moonarray.array
function moonarray.nanpercentile(a, q, axis, out, overwrite_input, method, keepdims, weights) end
array.nanpercentile = moonarray.nanpercentile

---Product of elements, NaN taken as 1.
---```lua
---nanprod(a, axis?, dtype?, out?, keepdims?, initial?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.nanprod(a, axis, dtype, out, keepdims, initial, where) end
array.nanprod = moonarray.nanprod

---quantile without NaN.
---```lua
---nanquantile(a, q, axis?, out?, overwrite_input?, method?, keepdims?; weights?)
---```
---@param a moonarray.data
---@param q moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param overwrite_input? boolean|table
---@param method? string|table
---@param keepdims? boolean|table
---@param weights? moonarray.data|table
---@return moonarray.array
function moonarray.nanquantile(a, q, axis, out, overwrite_input, method, keepdims, weights) end
array.nanquantile = moonarray.nanquantile

---Standard deviation of what is not NaN.
---```lua
---nanstd(a, axis?, dtype?, out?, ddof?, keepdims?, where?, correction?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param ddof? moonarray.whole|table
---@param keepdims? boolean|table
---@param where? moonarray.part|table
---@param correction? number|table
---@return moonarray.array
function moonarray.nanstd(a, axis, dtype, out, ddof, keepdims, where, correction) end
array.nanstd = moonarray.nanstd

---Sum of elements, NaN taken as 0.
---```lua
---nansum(a, axis?, dtype?, out?, keepdims?, initial?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.nansum(a, axis, dtype, out, keepdims, initial, where) end
array.nansum = moonarray.nansum

---Variance of what is not NaN.
---```lua
---nanvar(a, axis?, dtype?, out?, ddof?, keepdims?, where?, correction?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param ddof? moonarray.whole|table
---@param keepdims? boolean|table
---@param where? moonarray.part|table
---@param correction? number|table
---@return moonarray.array
function moonarray.nanvar(a, axis, dtype, out, ddof, keepdims, where, correction) end
array.nanvar = moonarray.nanvar

---The number of axes.
---```lua
---ndim(array)
---```
---@param array moonarray.data
---@return integer
function moonarray.ndim(array) end

moonarray.ndimage = {}

---result[o] is the image at matrix times o plus offset, where o and that place are distances from the first element, so that SciPy's matrices work as they are. matrix: a matrix, a vector (its diagonal), or a homogeneous matrix of one row and column more or of one column more, whose last column is the offset.
---```lua
---ndimage.affine_transform(input, matrix, offset?, output_shape?, output?, order?, mode?, cval?, prefilter?)
---```
---@param input moonarray.data
---@param matrix moonarray.data
---@param offset? number|number[]|moonarray.part|table
---@param output_shape? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param output? moonarray.part|moonarray.dtype|table
---@param order? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param prefilter? boolean|table
---@return moonarray.array
function moonarray.ndimage.affine_transform(input, matrix, offset, output_shape, output, order, mode, cval, prefilter) end

---A dilation, then an erosion by the same structure: closes gaps that are smaller than the structure. Elements that are not 0 count as true, and the result is bool unless output says otherwise. structure is an array or a table with an axis for each of axes (all of the image's), by default a cross of three; its centre is in its middle, moved by origin. iterations below 1 repeat until nothing changes. Where mask is false, elements keep their values. border_value stands for what lies beyond the edges. brute_force is taken and changes nothing. 
---```lua
---ndimage.binary_closing(input, structure?, iterations?, output?, origin?, mask?, border_value?, brute_force?; axes?)
---```
---@param input moonarray.data
---@param structure? moonarray.data|table
---@param iterations? moonarray.whole|table
---@param output? moonarray.part|moonarray.dtype|table
---@param origin? number|number[]|moonarray.part|table
---@param mask? moonarray.data|table
---@param border_value? number|table
---@param brute_force? boolean|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.binary_closing(input, structure, iterations, output, origin, mask, border_value, brute_force, axes) end

---An element becomes true if the structure, laid around a true element, covers it. Elements that are not 0 count as true, and the result is bool unless output says otherwise. structure is an array or a table with an axis for each of axes (all of the image's), by default a cross of three; its centre is in its middle, moved by origin. iterations below 1 repeat until nothing changes. Where mask is false, elements keep their values. border_value stands for what lies beyond the edges. brute_force is taken and changes nothing. 
---```lua
---ndimage.binary_dilation(input, structure?, iterations?, mask?, output?, border_value?, origin?, brute_force?; axes?)
---```
---@param input moonarray.data
---@param structure? moonarray.data|table
---@param iterations? moonarray.whole|table
---@param mask? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param border_value? number|table
---@param origin? number|number[]|moonarray.part|table
---@param brute_force? boolean|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.binary_dilation(input, structure, iterations, mask, output, border_value, origin, brute_force, axes) end

---An element stays true if all elements that the structure covers around it are true. Elements that are not 0 count as true, and the result is bool unless output says otherwise. structure is an array or a table with an axis for each of axes (all of the image's), by default a cross of three; its centre is in its middle, moved by origin. iterations below 1 repeat until nothing changes. Where mask is false, elements keep their values. border_value stands for what lies beyond the edges. brute_force is taken and changes nothing. Example: ma.ndimage.binary_erosion(ma.ones({3, 3})) has one true element.
---```lua
---ndimage.binary_erosion(input, structure?, iterations?, mask?, output?, border_value?, origin?, brute_force?; axes?)
---```
---@param input moonarray.data
---@param structure? moonarray.data|table
---@param iterations? moonarray.whole|table
---@param mask? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param border_value? number|table
---@param origin? number|number[]|moonarray.part|table
---@param brute_force? boolean|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.binary_erosion(input, structure, iterations, mask, output, border_value, origin, brute_force, axes) end

---Makes true what is false and cannot be reached from the edges. structure says which elements touch. Elements that are not 0 count as true, and the result is bool unless output says otherwise. structure is an array or a table with an axis for each of axes (all of the image's), by default a cross of three; its centre is in its middle, moved by origin. 
---```lua
---ndimage.binary_fill_holes(input, structure?, output?, origin?; axes?)
---```
---@param input moonarray.data
---@param structure? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.binary_fill_holes(input, structure, output, origin, axes) end

---Where structure1 covers true elements only and structure2 false ones only. structure2 is by default what structure1 leaves out, and origin2 is origin1. Elements that are not 0 count as true, and the result is bool unless output says otherwise. structure is an array or a table with an axis for each of axes (all of the image's), by default a cross of three; its centre is in its middle, moved by origin. 
---```lua
---ndimage.binary_hit_or_miss(input, structure1?, structure2?, output?, origin1?, origin2?; axes?)
---```
---@param input moonarray.data
---@param structure1? moonarray.data|table
---@param structure2? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param origin1? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param origin2? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.binary_hit_or_miss(input, structure1, structure2, output, origin1, origin2, axes) end

---An erosion, then a dilation by the same structure: removes what is smaller than the structure. Elements that are not 0 count as true, and the result is bool unless output says otherwise. structure is an array or a table with an axis for each of axes (all of the image's), by default a cross of three; its centre is in its middle, moved by origin. iterations below 1 repeat until nothing changes. Where mask is false, elements keep their values. border_value stands for what lies beyond the edges. brute_force is taken and changes nothing. 
---```lua
---ndimage.binary_opening(input, structure?, iterations?, output?, origin?, mask?, border_value?, brute_force?; axes?)
---```
---@param input moonarray.data
---@param structure? moonarray.data|table
---@param iterations? moonarray.whole|table
---@param output? moonarray.part|moonarray.dtype|table
---@param origin? number|number[]|moonarray.part|table
---@param mask? moonarray.data|table
---@param border_value? number|table
---@param brute_force? boolean|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.binary_opening(input, structure, iterations, output, origin, mask, border_value, brute_force, axes) end

---A dilation that is repeated until nothing changes, within the mask: the parts of the mask that touch input. Elements that are not 0 count as true, and the result is bool unless output says otherwise. structure is an array or a table with an axis for each of axes (all of the image's), by default a cross of three; its centre is in its middle, moved by origin. 
---```lua
---ndimage.binary_propagation(input, structure?, mask?, output?, border_value?, origin?; axes?)
---```
---@param input moonarray.data
---@param structure? moonarray.data|table
---@param mask? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param border_value? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.binary_propagation(input, structure, mask, output, border_value, origin, axes) end

---The grey closing of the image less the image: dark spots smaller than the window. The neighbours are a box of `size`, those where footprint is true, or those that structure covers, whose values are weights.
---```lua
---ndimage.black_tophat(input, size?, footprint?, structure?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param structure? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.black_tophat(input, size, footprint, structure, output, mode, cval, origin, axes) end

---The mean position of the elements that have a label, weighted by their values: a last axis has the position along each axis, counted from 1. Of all elements without labels; of those whose label is above 0 without index; else for each label in index, in its shape. Example: ma.ndimage.center_of_mass({0, 1, 1}) --> [2.5]
---```lua
---ndimage.center_of_mass(input, labels?, index?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.center_of_mass(input, labels, index) end

---correlate with the weights in the opposite order along each axis, and without conjugation.
---```lua
---ndimage.convolve(input, weights, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param weights moonarray.data
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.convolve(input, weights, output, mode, cval, origin, axes) end

---correlate1d with the weights in the opposite order, and without conjugation.
---```lua
---ndimage.convolve1d(input, weights, axis?, output?, mode?, cval?, origin?)
---```
---@param input moonarray.data
---@param weights moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.convolve1d(input, weights, axis, output, mode, cval, origin) end

---The sum of weights times the elements around each element. The weights have as many axes as are filtered; places with weight 0 are not read. Complex weights are conjugated.
---```lua
---ndimage.correlate(input, weights, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param weights moonarray.data
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.correlate(input, weights, output, mode, cval, origin, axes) end

---The sum of weights times neighbours along an axis, the last one by default: result[i] is the sum of weights[k] * input[i + k - middle]. Complex weights are conjugated.
---```lua
---ndimage.correlate1d(input, weights, axis?, output?, mode?, cval?, origin?)
---```
---@param input moonarray.data
---@param weights moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.correlate1d(input, weights, axis, output, mode, cval, origin) end

---For each element that is not 0, the Euclidean distance to the nearest one that is 0, exactly, as float64; infinite if there is none. sampling is the distance of neighbours, one number or one for each axis. return_indices gives also the positions of the nearest elements, as int32 with an axis in front that has the position along each axis. distances and indices are arrays that take the results, which are then not returned. Example: ma.ndimage.distance_transform_edt({0, 1, 1, 1}) --> [0. 1. 2. 3.]
---```lua
---ndimage.distance_transform_edt(input, sampling?, return_distances?, return_indices?, distances?, indices?)
---```
---@param input moonarray.data
---@param sampling? number|number[]|moonarray.part|table
---@param return_distances? boolean|table
---@param return_indices? boolean|table
---@param distances? moonarray.part|table
---@param indices? moonarray.part|table
---@return moonarray.array
---@return moonarray.array
function moonarray.ndimage.distance_transform_edt(input, sampling, return_distances, return_indices, distances, indices) end

---The results of minimum, maximum, minimum_position and maximum_position. Of all elements without labels; of those whose label is above 0 without index; else for each label in index, in its shape.
---```lua
---ndimage.extrema(input, labels?, index?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.ndimage.extrema(input, labels, index) end

---For each label from 1 to max_label, by default the greatest one, the least box that holds it: a table with a range {first, last} for each axis, to be used as an index, or false if the label is nowhere. Waits. Example: ma.ndimage.find_objects(ma.array({0, 1, 1}, 'int32'))[1][1][1] --> 2
---```lua
---ndimage.find_objects(input, max_label?)
---```
---@param input moonarray.data
---@param max_label? moonarray.whole|table
---@return table
function moonarray.ndimage.find_objects(input, max_label) end

---A Fourier transform of one to three axes multiplied by that of an ellipsoid whose axes have these sizes, one number or one for each axis. input is a Fourier transform, of real elements along `axis`, of which there were n; with n below 0, the default, it is that of complex ones along all axes.
---```lua
---ndimage.fourier_ellipsoid(input, size, n?, axis?, output?)
---```
---@param input moonarray.data
---@param size number|number[]|moonarray.part
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@return moonarray.array
function moonarray.ndimage.fourier_ellipsoid(input, size, n, axis, output) end

---A Fourier transform multiplied by that of a Gaussian of standard deviation sigma, one number or one for each axis. input is a Fourier transform, of real elements along `axis`, of which there were n; with n below 0, the default, it is that of complex ones along all axes.
---```lua
---ndimage.fourier_gaussian(input, sigma, n?, axis?, output?)
---```
---@param input moonarray.data
---@param sigma number|number[]|moonarray.part
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@return moonarray.array
function moonarray.ndimage.fourier_gaussian(input, sigma, n, axis, output) end

---A Fourier transform multiplied by that of a shift by `shift` elements, one number or one for each axis. The result is complex. input is a Fourier transform, of real elements along `axis`, of which there were n; with n below 0, the default, it is that of complex ones along all axes.
---```lua
---ndimage.fourier_shift(input, shift, n?, axis?, output?)
---```
---@param input moonarray.data
---@param shift number|number[]|moonarray.part
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@return moonarray.array
function moonarray.ndimage.fourier_shift(input, shift, n, axis, output) end

---A Fourier transform multiplied by that of a box of a size, one number or one for each axis. input is a Fourier transform, of real elements along `axis`, of which there were n; with n below 0, the default, it is that of complex ones along all axes.
---```lua
---ndimage.fourier_uniform(input, size, n?, axis?, output?)
---```
---@param input moonarray.data
---@param size number|number[]|moonarray.part
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@return moonarray.array
function moonarray.ndimage.fourier_uniform(input, size, n, axis, output) end

---Blurs by a Gaussian along each axis, one axis after the other. sigma, order, mode and radius: one, or one for each axis; an axis whose sigma is 0 is left out. What is between the axes has the dtype of the result. Example: ma.ndimage.gaussian_filter(image, 3, {mode = "nearest"}).
---```lua
---ndimage.gaussian_filter(input, sigma, order?, output?, mode?, cval?, truncate?; radius?, axes?)
---```
---@param input moonarray.data
---@param sigma number|number[]|moonarray.part
---@param order? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param truncate? number|table
---@param radius? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.gaussian_filter(input, sigma, order, output, mode, cval, truncate, radius, axes) end

---Blurs along an axis, the last one by default, by a Gaussian of standard deviation sigma. order 1, 2 and so on: by that derivative of the Gaussian. The window ends at truncate (4) standard deviations, or at radius.
---```lua
---ndimage.gaussian_filter1d(input, sigma, axis?, order?, output?, mode?, cval?, truncate?; radius?)
---```
---@param input moonarray.data
---@param sigma number|number[]|moonarray.part
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param order? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param truncate? number|table
---@param radius? number|number[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.gaussian_filter1d(input, sigma, axis, order, output, mode, cval, truncate, radius) end

---The length of the gradient of the image blurred by a Gaussian.
---```lua
---ndimage.gaussian_gradient_magnitude(input, sigma, output?, mode?, cval?; axes?, truncate?, radius?)
---```
---@param input moonarray.data
---@param sigma number|number[]|moonarray.part
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param truncate? number|table
---@param radius? number|number[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.gaussian_gradient_magnitude(input, sigma, output, mode, cval, axes, truncate, radius) end

---The sum of the second derivatives of the image blurred by a Gaussian.
---```lua
---ndimage.gaussian_laplace(input, sigma, output?, mode?, cval?; axes?, truncate?, radius?)
---```
---@param input moonarray.data
---@param sigma number|number[]|moonarray.part
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param truncate? number|table
---@param radius? number|number[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.gaussian_laplace(input, sigma, output, mode, cval, axes, truncate, radius) end

---A structure of `rank` axes and three elements along each, true where a place lies off the centre along at most `connectivity` axes. Example: ma.ndimage.generate_binary_structure(2, 1) is a cross.
---```lua
---ndimage.generate_binary_structure(rank, connectivity)
---```
---@param rank moonarray.whole
---@param connectivity moonarray.whole
---@return moonarray.array
function moonarray.ndimage.generate_binary_structure(rank, connectivity) end

---What a function makes of the elements of each window. function_(w, ...) is a function of the elements w[1] to w[#w] of one window, in C order, which returns a number and becomes a kernel as in ma.jit. Or it is array code, called once for many windows: it gets an array whose last axis has the elements of a window, and returns an array without that axis. It may be a ReductionKernel too. Elements are float64 unless the image has floats. Example: ma.ndimage.generic_filter(image, function(w) return w:max(-1) - w:min(-1) end, 3).
---```lua
---ndimage.generic_filter(input, function_, size?, footprint?, output?, mode?, cval?, origin?, extra_arguments?, extra_keywords?; axes?)
---```
---@param input moonarray.data
---@param function_ function
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param extra_arguments? any[]|table
---@param extra_keywords? table|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.generic_filter(input, function_, size, footprint, output, mode, cval, origin, extra_arguments, extra_keywords, axes) end

---What a function makes of lines along an axis, the last one by default. function_(line, out, ...) reads line[1] to line[#line], a line of n elements and filter_size - 1 more beyond its ends, writes out[1] to out[n], and becomes a kernel as in ma.jit. Or it is array code: function_(lines, ...) gets an array whose last axis has such a line, and returns n elements for each.
---```lua
---ndimage.generic_filter1d(input, function_, filter_size, axis?, output?, mode?, cval?, origin?, extra_arguments?, extra_keywords?)
---```
---@param input moonarray.data
---@param function_ function
---@param filter_size moonarray.whole
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param extra_arguments? any[]|table
---@param extra_keywords? table|table
---@return moonarray.array
function moonarray.ndimage.generic_filter1d(input, function_, filter_size, axis, output, mode, cval, origin, extra_arguments, extra_keywords) end

---The length of the gradient, from derivative(input, axis, output, mode, cval, ...) along each axis; extra_arguments and extra_keywords as in generic_laplace.
---```lua
---ndimage.generic_gradient_magnitude(input, derivative, output?, mode?, cval?, extra_arguments?, extra_keywords?; axes?)
---```
---@param input moonarray.data
---@param derivative function
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param extra_arguments? any[]|table
---@param extra_keywords? table|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.generic_gradient_magnitude(input, derivative, output, mode, cval, extra_arguments, extra_keywords, axes) end

---The sum of second derivatives along the axes, by derivative2(input, axis, output, mode, cval, ...), whose further arguments are those of the table extra_arguments; extra_keywords is its last argument, a table of options.
---```lua
---ndimage.generic_laplace(input, derivative2, output?, mode?, cval?, extra_arguments?, extra_keywords?; axes?)
---```
---@param input moonarray.data
---@param derivative2 function
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param extra_arguments? any[]|table
---@param extra_keywords? table|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.generic_laplace(input, derivative2, output, mode, cval, extra_arguments, extra_keywords, axes) end

---A grey dilation, then a grey erosion: removes dark spots smaller than the window. The neighbours are a box of `size`, those where footprint is true, or those that structure covers, whose values are weights.
---```lua
---ndimage.grey_closing(input, size?, footprint?, structure?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param structure? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.grey_closing(input, size, footprint, structure, output, mode, cval, origin, axes) end

---The greatest of an element's neighbours, plus the structure; the neighbours lie where the window, turned round its centre, covers them. The neighbours are a box of `size`, those where footprint is true, or those that structure covers, whose values are weights.
---```lua
---ndimage.grey_dilation(input, size?, footprint?, structure?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param structure? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.grey_dilation(input, size, footprint, structure, output, mode, cval, origin, axes) end

---The least of an element's neighbours, less the structure. The neighbours are a box of `size`, those where footprint is true, or those that structure covers, whose values are weights.
---```lua
---ndimage.grey_erosion(input, size?, footprint?, structure?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param structure? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.grey_erosion(input, size, footprint, structure, output, mode, cval, origin, axes) end

---A grey erosion, then a grey dilation: removes bright spots smaller than the window. The neighbours are a box of `size`, those where footprint is true, or those that structure covers, whose values are weights.
---```lua
---ndimage.grey_opening(input, size?, footprint?, structure?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param structure? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.grey_opening(input, size, footprint, structure, output, mode, cval, origin, axes) end

---How many of the elements that have a label lie in each of `bins` equal parts of min .. max, the last of which includes max; the bins are the last axis. Of all elements without labels; of those whose label is above 0 without index; else for each label in index, in its shape.
---```lua
---ndimage.histogram(input, min, max, bins, labels?, index?)
---```
---@param input moonarray.data
---@param min number
---@param max number
---@param bins moonarray.whole
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.histogram(input, min, max, bins, labels, index) end

---The structure whose dilation is `iterations` dilations by a structure. With origin, also the list of its origins.
---```lua
---ndimage.iterate_structure(structure, iterations, origin?)
---```
---@param structure moonarray.data
---@param iterations moonarray.whole
---@param origin? number|number[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.iterate_structure(structure, iterations, origin) end

---Numbers the connected parts of what is not 0, from 1 on, in the order of their first elements; what is 0 gets 0. Returns the labels, int32 unless output is another dtype, and their number. With an array as output it gets the labels, and the number alone is returned. structure says which of an element's neighbours touch it, by default those along the axes. Waits. Example: ma.ndimage.label({1, 1, 0, 1}) --> [1 1 0 2] 2
---```lua
---ndimage.label(input, structure?, output?)
---```
---@param input moonarray.data
---@param structure? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@return moonarray.array
---@return integer
function moonarray.ndimage.label(input, structure, output) end

---What func(values) gives for the elements of each label, as an array of out_dtype; `default` for a label that no element has. values has one axis. With pass_positions func(values, positions) also gets the positions of the elements, counted from 1 in C order. out_dtype is float64 and default 0 unless they are given. Waits.
---```lua
---ndimage.labeled_comprehension(input, labels?, index?, func?, out_dtype?, default?, pass_positions?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|moonarray.dtype|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|moonarray.dtype|table
---@param func? function|moonarray.dtype|table
---@param out_dtype? moonarray.dtype|moonarray.dtype|table
---@param default? number|moonarray.dtype|table
---@param pass_positions? boolean|moonarray.dtype|table
---@return moonarray.array
function moonarray.ndimage.labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions) end

---The sum of the second differences along the axes.
---```lua
---ndimage.laplace(input, output?, mode?, cval?; axes?)
---```
---@param input moonarray.data
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.laplace(input, output, mode, cval, axes) end

---The image's values at places between elements, by a spline of that order (3). coordinates[k] has the positions along axis k, which count from 1 as positions do; its further axes are those of the result. mode ("constant") says what is beyond the edges. prefilter = false takes the image for coefficients. Example: ma.ndimage.map_coordinates({1, 2, 4}, {{1.5, 3}}, {order = 1}) --> [1.5 4. ]
---```lua
---ndimage.map_coordinates(input, coordinates, output?, order?, mode?, cval?, prefilter?)
---```
---@param input moonarray.data
---@param coordinates moonarray.data
---@param output? moonarray.part|moonarray.dtype|table
---@param order? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param prefilter? boolean|table
---@return moonarray.array
function moonarray.ndimage.map_coordinates(input, coordinates, output, order, mode, cval, prefilter) end

---The greatest of the elements that have a label, 0 if none has. Of all elements without labels; of those whose label is above 0 without index; else for each label in index, in its shape.
---```lua
---ndimage.maximum(input, labels?, index?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.maximum(input, labels, index) end

---The greatest element of a window: a box of that size, or the places where footprint is true.
---```lua
---ndimage.maximum_filter(input, size?, footprint?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.maximum_filter(input, size, footprint, output, mode, cval, origin, axes) end

---The greatest of size neighbours along an axis, the last one by default. The time does not depend on size.
---```lua
---ndimage.maximum_filter1d(input, size, axis?, output?, mode?, cval?, origin?)
---```
---@param input moonarray.data
---@param size moonarray.whole|moonarray.whole[]|moonarray.part
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.maximum_filter1d(input, size, axis, output, mode, cval, origin) end

---The position of the first greatest of the elements that have a label, as int64: a last axis has the position along each axis, 0 if no element has the label. Of all elements without labels; of those whose label is above 0 without index; else for each label in index, in its shape.
---```lua
---ndimage.maximum_position(input, labels?, index?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.maximum_position(input, labels, index) end

---The mean of the elements that have a label, NaN if none has. Of all elements without labels; of those whose label is above 0 without index; else for each label in index, in its shape.
---```lua
---ndimage.mean(input, labels?, index?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.mean(input, labels, index) end

---The median of the elements that have a label, NaN if none has; float64 for whole numbers. Of all elements without labels; of those whose label is above 0 without index; else for each label in index, in its shape.
---```lua
---ndimage.median(input, labels?, index?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.median(input, labels, index) end

---The middle element of a window: a box of that size, or the places where footprint is true. Of an even number of elements it is the greater of the two in the middle.
---```lua
---ndimage.median_filter(input, size?, footprint?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.median_filter(input, size, footprint, output, mode, cval, origin, axes) end

---The least of the elements that have a label, 0 if none has. Of all elements without labels; of those whose label is above 0 without index; else for each label in index, in its shape.
---```lua
---ndimage.minimum(input, labels?, index?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.minimum(input, labels, index) end

---The least element of a window: a box of that size, or the places where footprint is true.
---```lua
---ndimage.minimum_filter(input, size?, footprint?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.minimum_filter(input, size, footprint, output, mode, cval, origin, axes) end

---The least of size neighbours along an axis, the last one by default. The time does not depend on size.
---```lua
---ndimage.minimum_filter1d(input, size, axis?, output?, mode?, cval?, origin?)
---```
---@param input moonarray.data
---@param size moonarray.whole|moonarray.whole[]|moonarray.part
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.minimum_filter1d(input, size, axis, output, mode, cval, origin) end

---The position of the first least of the elements that have a label, as int64: a last axis has the position along each axis, 0 if no element has the label. Of all elements without labels; of those whose label is above 0 without index; else for each label in index, in its shape.
---```lua
---ndimage.minimum_position(input, labels?, index?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.minimum_position(input, labels, index) end

---A grey dilation less a grey erosion: the range of the neighbours. The neighbours are a box of `size`, those where footprint is true, or those that structure covers, whose values are weights.
---```lua
---ndimage.morphological_gradient(input, size?, footprint?, structure?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param structure? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.morphological_gradient(input, size, footprint, structure, output, mode, cval, origin, axes) end

---A grey dilation plus a grey erosion less twice the image. The neighbours are a box of `size`, those where footprint is true, or those that structure covers, whose values are weights.
---```lua
---ndimage.morphological_laplace(input, size?, footprint?, structure?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param structure? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.morphological_laplace(input, size, footprint, structure, output, mode, cval, origin, axes) end

---The element of a window that so many percent of its elements are below; a negative percentile counts from 100.
---```lua
---ndimage.percentile_filter(input, percentile, size?, footprint?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param percentile number
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.percentile_filter(input, percentile, size, footprint, output, mode, cval, origin, axes) end

---As sobel, with the weights 1, 1, 1.
---```lua
---ndimage.prewitt(input, axis?, output?, mode?, cval?)
---```
---@param input moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@return moonarray.array
function moonarray.ndimage.prewitt(input, axis, output, mode, cval) end

---The element of that rank in a window: 1 is the least, 2 the next, -1 the greatest.
---```lua
---ndimage.rank_filter(input, rank, size?, footprint?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param rank moonarray.whole
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.rank_filter(input, rank, size, footprint, output, mode, cval, origin, axes) end

---The image turned by an angle in degrees in the plane of two axes, {2, 1} by default. reshape (true): the result is large enough for the whole image.
---```lua
---ndimage.rotate(input, angle, axes?, reshape?, output?, order?, mode?, cval?, prefilter?)
---```
---@param input moonarray.data
---@param angle number
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param reshape? boolean|table
---@param output? moonarray.part|moonarray.dtype|table
---@param order? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param prefilter? boolean|table
---@return moonarray.array
function moonarray.ndimage.rotate(input, angle, axes, reshape, output, order, mode, cval, prefilter) end

---The image moved by shift, one number or one for each axis: result[i] is the image at i - shift.
---```lua
---ndimage.shift(input, shift, output?, order?, mode?, cval?, prefilter?)
---```
---@param input moonarray.data
---@param shift number|number[]|moonarray.part
---@param output? moonarray.part|moonarray.dtype|table
---@param order? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param prefilter? boolean|table
---@return moonarray.array
function moonarray.ndimage.shift(input, shift, output, order, mode, cval, prefilter) end

---The derivative along an axis, the last one by default, by the differences of neighbours, summed over the other axes with the weights 1, 2, 1.
---```lua
---ndimage.sobel(input, axis?, output?, mode?, cval?)
---```
---@param input moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@return moonarray.array
function moonarray.ndimage.sobel(input, axis, output, mode, cval) end

---The coefficients of a spline of order 2 to 5 (3) through the elements along all axes, for map_coordinates and its kin with prefilter = false.
---```lua
---ndimage.spline_filter(input, order?, output?, mode?)
---```
---@param input moonarray.data
---@param order? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@return moonarray.array
function moonarray.ndimage.spline_filter(input, order, output, mode) end

---The coefficients of a spline of that order (3) through the elements along an axis, the last one by default. The result is float64 unless output says otherwise; order 0 and 1 copy.
---```lua
---ndimage.spline_filter1d(input, order?, axis?, output?, mode?)
---```
---@param input moonarray.data
---@param order? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@return moonarray.array
function moonarray.ndimage.spline_filter1d(input, order, axis, output, mode) end

---The standard deviation of the elements that have a label. Of all elements without labels; of those whose label is above 0 without index; else for each label in index, in its shape.
---```lua
---ndimage.standard_deviation(input, labels?, index?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.standard_deviation(input, labels, index) end

---The same as sum_labels.
---```lua
---ndimage.sum(input, labels?, index?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.sum(input, labels, index) end

---The sum of the elements that have a label. Of all elements without labels; of those whose label is above 0 without index; else for each label in index, in its shape. Example: ma.ndimage.sum_labels({1, 2, 3}, {1, 2, 2}, {1, 2}) --> [1. 5.]
---```lua
---ndimage.sum_labels(input, labels?, index?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.sum_labels(input, labels, index) end

---The mean of a box of elements, of size 3 along each axis by default, one axis after the other. The time does not depend on size.
---```lua
---ndimage.uniform_filter(input, size?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.uniform_filter(input, size, output, mode, cval, origin, axes) end

---The mean of size neighbours along an axis, the last one by default. The time does not depend on size.
---```lua
---ndimage.uniform_filter1d(input, size, axis?, output?, mode?, cval?, origin?)
---```
---@param input moonarray.data
---@param size moonarray.whole|moonarray.whole[]|moonarray.part
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.uniform_filter1d(input, size, axis, output, mode, cval, origin) end

---For each value of an array of whole numbers where it stands: a table by value, of a list with the positions along each axis, as int64 arrays in C order. ignore_value is left out. Waits. Example: ma.ndimage.value_indices(ma.array({5, 3, 5}, 'int32'))[5][1] --> [1 3]
---```lua
---ndimage.value_indices(arr; ignore_value?)
---```
---@param arr moonarray.data
---@param ignore_value? any
---@return table
function moonarray.ndimage.value_indices(arr, ignore_value) end

---The variance of the elements that have a label. Of all elements without labels; of those whose label is above 0 without index; else for each label in index, in its shape.
---```lua
---ndimage.variance(input, labels?, index?)
---```
---@param input moonarray.data
---@param labels? moonarray.data|table
---@param index? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.variance(input, labels, index) end

---The image less its grey opening: bright spots smaller than the window. The neighbours are a box of `size`, those where footprint is true, or those that structure covers, whose values are weights.
---```lua
---ndimage.white_tophat(input, size?, footprint?, structure?, output?, mode?, cval?, origin?; axes?)
---```
---@param input moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param footprint? moonarray.data|table
---@param structure? moonarray.data|table
---@param output? moonarray.part|moonarray.dtype|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param origin? number|number[]|moonarray.part|table
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
function moonarray.ndimage.white_tophat(input, size, footprint, structure, output, mode, cval, origin, axes) end

---The image with zoom times as many elements along each axis, one number or one for each. The middles of the first and the last elements stay where they are, or, if grid_mode is true, the outer edges of these elements.
---```lua
---ndimage.zoom(input, zoom, output?, order?, mode?, cval?, prefilter?; grid_mode?)
---```
---@param input moonarray.data
---@param zoom number|number[]|moonarray.part
---@param output? moonarray.part|moonarray.dtype|table
---@param order? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param mode? string|string[]|table
---@param cval? number|table
---@param prefilter? boolean|table
---@param grid_mode? boolean|table
---@return moonarray.array
function moonarray.ndimage.zoom(input, zoom, output, order, mode, cval, prefilter, grid_mode) end

---x ~= y: true where either is NaN
---```lua
---not_equal(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.ne: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.ne = {}
array.ne = moonarray.ne

----x
---```lua
---negative(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.negative: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.negative = {}
array.negative = moonarray.negative

---the next float after x towards y
---```lua
---nextafter(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.nextafter: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.nextafter = {}
array.nextafter = moonarray.nextafter

---The positions of the elements that are not zero: one array an axis.
---```lua
---nonzero(a)
---```
---@param a moonarray.data
---@return moonarray.array ...
function moonarray.nonzero(a) end
array.nonzero = moonarray.nonzero

---true where x is 0
---```lua
---logical_not(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.not_: moonarray.ufunc
---@overload fun(a: number): boolean
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.not_ = {}
array.not_ = moonarray.not_

---x ~= y: true where either is NaN
---```lua
---not_equal(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.not_equal: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.not_equal = {}
array.not_equal = moonarray.not_equal

---Coordinates of an open grid of ranges {lo, hi, step}, both ends included: one array an axis, which broadcast.
---```lua
---ogrid(...)
---```
---@param ... any
---@return moonarray.array ...
function moonarray.ogrid(...) end

---An array of ones.
---```lua
---ones(shape, dtype?, order?; device?)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param dtype? moonarray.dtype|table
---@param order? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.ones(shape, dtype, order, device) end

---Ones in the shape and dtype of another array.
---```lua
---ones_like(a, dtype?, order?; shape?, device?)
---```
---@param a moonarray.data
---@param dtype? moonarray.dtype|table
---@param order? string|table
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param device? string|table
---@return moonarray.array
function moonarray.ones_like(a, dtype, order, shape, device) end
array.ones_like = moonarray.ones_like

---true where x or y is not 0
---```lua
---logical_or(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.or_: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.or_ = {}
array.or_ = moonarray.or_

---a[i] b[j] of two vectors; others are flattened.
---```lua
---outer(a, b, out?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.outer(a, b, out) end
array.outer = moonarray.outer

---Elements that are not 0 as bits, eight to a uint8, along an axis or of the flattened array; the last byte is filled up with zeros. bitorder: "big" puts the first element in the highest bit, "little" in the lowest. Integers and bools alone. Example: ma.packbits(ma.array{true, false, true}) --> [160]
---```lua
---packbits(a, axis?, bitorder?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param bitorder? string|table
---@return moonarray.array
function moonarray.packbits(a, axis, bitorder) end
array.packbits = moonarray.packbits

---The array with a border, of its dtype. Widths: n, {before, after}, a pair an axis, or by axis as in {[-1] = {1, 2}}; what an option gives is of the first three forms. The border is of constant_values (0); "edge" repeats the edges; "linear_ramp" goes down evenly from them to end_values (0); "maximum", "mean", "median" and "minimum" are of all elements along the axis, or of the stat_length next to the border; "reflect" mirrors the array at its edges, "symmetric" behind them, with reflect_type "odd" about the edges' values; "wrap" begins it anew; "empty" leaves the border unset; a function(vector, widths, axis) changes each vector of the array with zeros around it. Example: ma.pad({4, 8}, {2, 1}, "linear_ramp") --> [0. 2. 4. 8. 0.]
---```lua
---pad(a, pad_width, mode?, constant_values?; end_values?, stat_length?, reflect_type?)
---```
---@param a moonarray.data
---@param pad_width moonarray.whole|moonarray.whole[]|moonarray.whole[][]
---@param mode? string|function|table
---@param constant_values? moonarray.data|table
---@param end_values? moonarray.data|table
---@param stat_length? moonarray.whole|moonarray.whole[]|table
---@param reflect_type? string|table
---@return moonarray.array
function moonarray.pad(a, pad_width, mode, constant_values, end_values, stat_length, reflect_type) end
array.pad = moonarray.pad

---A copy whose kth element is where a sort would put it, none after it smaller, none before greater. x:partition() works in place.
---```lua
---partition(arr, kth, axis?, kind?; out?)
---```
---@param arr moonarray.data
---@param kth moonarray.whole|moonarray.whole[]
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param kind? string|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.partition(arr, kth, axis, kind, out) end

---The value below which q percent of the elements lie, along axes; q may be a table. method: linear, lower, higher, nearest, midpoint, hazen, weibull, median_unbiased, normal_unbiased, inverted_cdf, averaged_inverted_cdf, closest_observation or interpolated_inverted_cdf; the elements may have weights with inverted_cdf.
---```lua
---percentile(a, q, axis?, out?, overwrite_input?, method?, keepdims?; weights?)
---```
---@param a moonarray.data
---@param q moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param overwrite_input? boolean|table
---@param method? string|table
---@param keepdims? boolean|table
---@param weights? moonarray.data|table
---@return moonarray.array
function moonarray.percentile(a, q, axis, out, overwrite_input, method, keepdims, weights) end
array.percentile = moonarray.percentile

---A view with the axes in the order given: transpose.
---```lua
---permute_dims(a, axes?, ...)
---```
---@param a moonarray.data
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param ... any
---@return moonarray.array
function moonarray.permute_dims(a, axes, ...) end
array.permute_dims = moonarray.permute_dims

---An array of x's shape and dtype: where a condition holds, what its function gives for those elements of x, or its value; the last condition that holds decides, one function more is for the elements of none, and others are 0. Loose arguments go to the functions. A function's elements are counted, which waits. Example: ma.piecewise(ma.array{-2, 3}, {ma.array{true, false}}, {0, function(x) return x * 2 end}) --> [0. 6.]
---```lua
---piecewise(x, condlist, funclist, ...)
---```
---@param x moonarray.data
---@param condlist moonarray.data[]
---@param funclist function[]
---@param ... any
---@return moonarray.array
function moonarray.piecewise(x, condlist, funclist, ...) end

---Stores values, in turn and as often as it takes, in the elements of arr where the mask is true, in C order; changes and returns arr. The mask has as many elements as arr. It waits only if vals is empty, which is an error where the mask is true. Example: ma.place(ma.zeros(4), ma.array{true, false, true, true}, {7, 8}) --> [7. 0. 8. 7.]
---```lua
---place(arr, mask, vals)
---```
---@param arr moonarray.data
---@param mask moonarray.data
---@param vals moonarray.data
---@return moonarray.array
function moonarray.place(arr, mask, vals) end

moonarray.plot = {}

moonarray.plot.Axes = {}

---Draws a line across the axes at a value of y.
---```lua
---plot.Axes.axhline(axes, y; color?, label?, linewidth?, linestyle?, alpha?)
---```
---@param axes moonarray.axes
---@param y number
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param alpha? number|table
---@return moonarray.axes
function moonarray.plot.Axes.axhline(axes, y, color, label, linewidth, linestyle, alpha) end

---"equal" gives both axes units of one length, "auto" not; "off" hides frame and ticks, "on" shows them.
---```lua
---plot.Axes.axis(axes, what)
---```
---@param axes moonarray.axes
---@param what string|boolean
---@return moonarray.axes
function moonarray.plot.Axes.axis(axes, what) end

---Draws a line across the axes at a value of x.
---```lua
---plot.Axes.axvline(axes, x; color?, label?, linewidth?, linestyle?, alpha?)
---```
---@param axes moonarray.axes
---@param x number
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param alpha? number|table
---@return moonarray.axes
function moonarray.plot.Axes.axvline(axes, x, color, label, linewidth, linestyle, alpha) end

---Draws bars of these lengths along the y axis; x may be a table of names. Bars are 0.8 thick unless width is given, and begin at 0, or where bottom says. align is "center" or "edge".
---```lua
---plot.Axes.bar(axes, x, height, width?, bottom?; color?, label?, alpha?, align?, edgecolor?)
---```
---@param axes moonarray.axes
---@param x moonarray.data
---@param height moonarray.data
---@param width? moonarray.data|table
---@param bottom? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param align? string|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.axes
function moonarray.plot.Axes.bar(axes, x, height, width, bottom, color, label, alpha, align, edgecolor) end

---Draws bars of these lengths along the x axis; y may be a table of names. Bars are 0.8 thick unless height is given, and begin at 0, or where left says. align is "center" or "edge".
---```lua
---plot.Axes.barh(axes, y, width, height?, left?; color?, label?, alpha?, align?, edgecolor?)
---```
---@param axes moonarray.axes
---@param y moonarray.data
---@param width moonarray.data
---@param height? moonarray.data|table
---@param left? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param align? string|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.axes
function moonarray.plot.Axes.barh(axes, y, width, height, left, color, label, alpha, align, edgecolor) end

---Puts a colour bar beside the axes, for what imshow, heatmap or scatter drew last.
---```lua
---plot.Axes.colorbar(axes, label?)
---```
---@param axes moonarray.axes
---@param label? string|table
---@return moonarray.axes
function moonarray.plot.Axes.colorbar(axes, label) end

---Draws y over x as plot does, with a bar at each point for its error: one number, or one for each.
---```lua
---plot.Axes.errorbar(axes, x, y, yerr?, xerr?; color?, label?, marker?, markersize?, linestyle?, linewidth?, capsize?)
---```
---@param axes moonarray.axes
---@param x moonarray.data
---@param y moonarray.data
---@param yerr? moonarray.data|table
---@param xerr? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param marker? string|table
---@param markersize? number|table
---@param linestyle? string|table
---@param linewidth? number|table
---@param capsize? number|table
---@return moonarray.axes
function moonarray.plot.Axes.errorbar(axes, x, y, yerr, xerr, color, label, marker, markersize, linestyle, linewidth, capsize) end

---Fills the area between two lines over x, or between one and 0.
---```lua
---plot.Axes.fill_between(axes, x, y1, y2?; color?, label?, alpha?)
---```
---@param axes moonarray.axes
---@param x moonarray.data
---@param y1 moonarray.data
---@param y2? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@return moonarray.axes
function moonarray.plot.Axes.fill_between(axes, x, y1, y2, color, label, alpha) end

---Draws lines at the ticks: true, which is the default, false, "x" or "y".
---```lua
---plot.Axes.grid(axes, on?)
---```
---@param axes moonarray.axes
---@param on? string|boolean|table
---@return moonarray.axes
function moonarray.plot.Axes.grid(axes, on) end

---As imshow, with a colour bar, and squares as wide as the axes let them be.
---```lua
---plot.Axes.heatmap(axes, a; colormap?, min?, max?, extent?, origin?, aspect?, alpha?, label?)
---```
---@param axes moonarray.axes
---@param a moonarray.data
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param extent? number[]|table
---@param origin? string|table
---@param aspect? string|table
---@param alpha? number|table
---@param label? string|table
---@return moonarray.axes
function moonarray.plot.Axes.heatmap(axes, a, colormap, min, max, extent, origin, aspect, alpha, label) end

---Draws how many of the values lie in each bin, as ma.histogram counts them: bins is a number, 10 unless it is given, edges, or a rule's name such as "auto". Values that are not finite are left out.
---```lua
---plot.Axes.hist(axes, values, bins?; range?, density?, color?, label?, alpha?, edgecolor?)
---```
---@param axes moonarray.axes
---@param values moonarray.data
---@param bins? moonarray.whole|moonarray.data|string|table
---@param range? number[]|table
---@param density? boolean|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.axes
function moonarray.plot.Axes.hist(axes, values, bins, range, density, color, label, alpha, edgecolor) end

---Shows a matrix in the colours of colormap (viridis) between min and max, or a picture (height, width, 1 to 4) of uint8, or of floats from 0 to 1. The element (i, j) is the square around x = j, y = i, the first row on top; origin = "lower" puts it at the bottom, extent = {left, right, bottom, top} puts the edges elsewhere.
---```lua
---plot.Axes.imshow(axes, a; colormap?, min?, max?, extent?, origin?, aspect?, alpha?)
---```
---@param axes moonarray.axes
---@param a moonarray.data
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param extent? number[]|table
---@param origin? string|table
---@param aspect? string|table
---@param alpha? number|table
---@return moonarray.axes
function moonarray.plot.Axes.imshow(axes, a, colormap, min, max, extent, origin, aspect, alpha) end

---Turns the x axis round.
---```lua
---plot.Axes.invert_xaxis(axes)
---```
---@param axes moonarray.axes
---@return moonarray.axes
function moonarray.plot.Axes.invert_xaxis(axes) end

---Turns the y axis round.
---```lua
---plot.Axes.invert_yaxis(axes)
---```
---@param axes moonarray.axes
---@return moonarray.axes
function moonarray.plot.Axes.invert_yaxis(axes) end

---Shows the labels of what was drawn. place is "best" unless it is given, or as "upper right", "center left", "lower center", "center".
---```lua
---plot.Axes.legend(axes, place?)
---```
---@param axes moonarray.axes
---@param place? moonarray.whole|string|moonarray.whole[]|table
---@return moonarray.axes
function moonarray.plot.Axes.legend(axes, place) end

---As plot, with two logarithmic axes.
---```lua
---plot.Axes.loglog(axes, x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param axes moonarray.axes
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.axes
function moonarray.plot.Axes.loglog(axes, x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---Draws y over x as a line. y alone is drawn over its positions; a matrix y gives a line for each column. format is as in matplotlib, such as "r--o": a colour's letter, the line's style (- -- : -.), a marker. linestyle = "none" draws the markers alone. NaN makes a gap.
---```lua
---plot.Axes.plot(axes, x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param axes moonarray.axes
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.axes
function moonarray.plot.Axes.plot(axes, x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---Draws a marker at each point. s is a diameter in pixels, 7 unless it is given, or one for each point; c a number for each, which gets its colour from colormap between min and max, or a colour.
---```lua
---plot.Axes.scatter(axes, x, y, s?, c?; color?, label?, marker?, alpha?, colormap?, min?, max?, edgecolor?)
---```
---@param axes moonarray.axes
---@param x moonarray.data
---@param y moonarray.data
---@param s? moonarray.data|table
---@param c? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param marker? string|table
---@param alpha? number|table
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.axes
function moonarray.plot.Axes.scatter(axes, x, y, s, c, color, label, marker, alpha, colormap, min, max, edgecolor) end

---As plot, with a logarithmic x axis.
---```lua
---plot.Axes.semilogx(axes, x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param axes moonarray.axes
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.axes
function moonarray.plot.Axes.semilogx(axes, x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---As plot, with a logarithmic y axis.
---```lua
---plot.Axes.semilogy(axes, x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param axes moonarray.axes
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.axes
function moonarray.plot.Axes.semilogy(axes, x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---Draws y over x in steps: each value holds up to its x (where = "pre"), from its x on ("post"), or around it ("mid").
---```lua
---plot.Axes.step(axes, x, y; where?, color?, label?, linewidth?, linestyle?, alpha?)
---```
---@param axes moonarray.axes
---@param x moonarray.data
---@param y moonarray.data
---@param where? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param alpha? number|table
---@return moonarray.axes
function moonarray.plot.Axes.step(axes, x, y, where, color, label, linewidth, linestyle, alpha) end

---Writes a text at a place of the data. align is "left", "center" or "right".
---```lua
---plot.Axes.text(axes, x, y, text; color?, size?, align?)
---```
---@param axes moonarray.axes
---@param x moonarray.data
---@param y moonarray.data
---@param text string
---@param color? string|table
---@param size? number|table
---@param align? string|table
---@return moonarray.axes
function moonarray.plot.Axes.text(axes, x, y, text, color, size, align) end

---Sets the title of the axes.
---```lua
---plot.Axes.title(axes, text)
---```
---@param axes moonarray.axes
---@param text string
---@return moonarray.axes
function moonarray.plot.Axes.title(axes, text) end

---Sets the label below the x axis of the axes.
---```lua
---plot.Axes.xlabel(axes, text)
---```
---@param axes moonarray.axes
---@param text string
---@return moonarray.axes
function moonarray.plot.Axes.xlabel(axes, text) end

---Sets the ends of the x axis; nil leaves one to the data. Ends in falling order turn the axis round.
---```lua
---plot.Axes.xlim(axes, lo?, hi?)
---```
---@param axes moonarray.axes
---@param lo? number|table
---@param hi? number|table
---@return moonarray.axes
function moonarray.plot.Axes.xlim(axes, lo, hi) end

---Makes the x axis "linear" or "log".
---```lua
---plot.Axes.xscale(axes, scale)
---```
---@param axes moonarray.axes
---@param scale string
---@return moonarray.axes
function moonarray.plot.Axes.xscale(axes, scale) end

---Puts the ticks of the x axis at these values, with these labels; none for an empty table.
---```lua
---plot.Axes.xticks(axes, at?, labels?)
---```
---@param axes moonarray.axes
---@param at? moonarray.data|boolean|table
---@param labels? string|boolean|string[]|table
---@return moonarray.axes
function moonarray.plot.Axes.xticks(axes, at, labels) end

---Sets the label beside the y axis of the axes.
---```lua
---plot.Axes.ylabel(axes, text)
---```
---@param axes moonarray.axes
---@param text string
---@return moonarray.axes
function moonarray.plot.Axes.ylabel(axes, text) end

---Sets the ends of the y axis; nil leaves one to the data. Ends in falling order turn the axis round.
---```lua
---plot.Axes.ylim(axes, lo?, hi?)
---```
---@param axes moonarray.axes
---@param lo? number|table
---@param hi? number|table
---@return moonarray.axes
function moonarray.plot.Axes.ylim(axes, lo, hi) end

---Makes the y axis "linear" or "log".
---```lua
---plot.Axes.yscale(axes, scale)
---```
---@param axes moonarray.axes
---@param scale string
---@return moonarray.axes
function moonarray.plot.Axes.yscale(axes, scale) end

---Puts the ticks of the y axis at these values, with these labels; none for an empty table.
---```lua
---plot.Axes.yticks(axes, at?, labels?)
---```
---@param axes moonarray.axes
---@param at? moonarray.data|boolean|table
---@param labels? string|boolean|string[]|table
---@return moonarray.axes
function moonarray.plot.Axes.yticks(axes, at, labels) end

moonarray.plot.Figure = {}

---Draws a line across the axes at a value of y.
---```lua
---plot.Figure.axhline(figure, y; color?, label?, linewidth?, linestyle?, alpha?)
---```
---@param figure moonarray.figure
---@param y number
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param alpha? number|table
---@return moonarray.figure
function moonarray.plot.Figure.axhline(figure, y, color, label, linewidth, linestyle, alpha) end

---"equal" gives both axes units of one length, "auto" not; "off" hides frame and ticks, "on" shows them.
---```lua
---plot.Figure.axis(figure, what)
---```
---@param figure moonarray.figure
---@param what string|boolean
---@return moonarray.figure
function moonarray.plot.Figure.axis(figure, what) end

---Draws a line across the axes at a value of x.
---```lua
---plot.Figure.axvline(figure, x; color?, label?, linewidth?, linestyle?, alpha?)
---```
---@param figure moonarray.figure
---@param x number
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param alpha? number|table
---@return moonarray.figure
function moonarray.plot.Figure.axvline(figure, x, color, label, linewidth, linestyle, alpha) end

---Draws bars of these lengths along the y axis; x may be a table of names. Bars are 0.8 thick unless width is given, and begin at 0, or where bottom says. align is "center" or "edge".
---```lua
---plot.Figure.bar(figure, x, height, width?, bottom?; color?, label?, alpha?, align?, edgecolor?)
---```
---@param figure moonarray.figure
---@param x moonarray.data
---@param height moonarray.data
---@param width? moonarray.data|table
---@param bottom? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param align? string|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.figure
function moonarray.plot.Figure.bar(figure, x, height, width, bottom, color, label, alpha, align, edgecolor) end

---Draws bars of these lengths along the x axis; y may be a table of names. Bars are 0.8 thick unless height is given, and begin at 0, or where left says. align is "center" or "edge".
---```lua
---plot.Figure.barh(figure, y, width, height?, left?; color?, label?, alpha?, align?, edgecolor?)
---```
---@param figure moonarray.figure
---@param y moonarray.data
---@param width moonarray.data
---@param height? moonarray.data|table
---@param left? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param align? string|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.figure
function moonarray.plot.Figure.barh(figure, y, width, height, left, color, label, alpha, align, edgecolor) end

---Puts a colour bar beside the axes, for what imshow, heatmap or scatter drew last.
---```lua
---plot.Figure.colorbar(figure, label?)
---```
---@param figure moonarray.figure
---@param label? string|table
---@return moonarray.figure
function moonarray.plot.Figure.colorbar(figure, label) end

---Draws y over x as plot does, with a bar at each point for its error: one number, or one for each.
---```lua
---plot.Figure.errorbar(figure, x, y, yerr?, xerr?; color?, label?, marker?, markersize?, linestyle?, linewidth?, capsize?)
---```
---@param figure moonarray.figure
---@param x moonarray.data
---@param y moonarray.data
---@param yerr? moonarray.data|table
---@param xerr? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param marker? string|table
---@param markersize? number|table
---@param linestyle? string|table
---@param linewidth? number|table
---@param capsize? number|table
---@return moonarray.figure
function moonarray.plot.Figure.errorbar(figure, x, y, yerr, xerr, color, label, marker, markersize, linestyle, linewidth, capsize) end

---Fills the area between two lines over x, or between one and 0.
---```lua
---plot.Figure.fill_between(figure, x, y1, y2?; color?, label?, alpha?)
---```
---@param figure moonarray.figure
---@param x moonarray.data
---@param y1 moonarray.data
---@param y2? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@return moonarray.figure
function moonarray.plot.Figure.fill_between(figure, x, y1, y2, color, label, alpha) end

---Draws lines at the ticks: true, which is the default, false, "x" or "y".
---```lua
---plot.Figure.grid(figure, on?)
---```
---@param figure moonarray.figure
---@param on? string|boolean|table
---@return moonarray.figure
function moonarray.plot.Figure.grid(figure, on) end

---As imshow, with a colour bar, and squares as wide as the axes let them be.
---```lua
---plot.Figure.heatmap(figure, a; colormap?, min?, max?, extent?, origin?, aspect?, alpha?, label?)
---```
---@param figure moonarray.figure
---@param a moonarray.data
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param extent? number[]|table
---@param origin? string|table
---@param aspect? string|table
---@param alpha? number|table
---@param label? string|table
---@return moonarray.figure
function moonarray.plot.Figure.heatmap(figure, a, colormap, min, max, extent, origin, aspect, alpha, label) end

---Draws how many of the values lie in each bin, as ma.histogram counts them: bins is a number, 10 unless it is given, edges, or a rule's name such as "auto". Values that are not finite are left out.
---```lua
---plot.Figure.hist(figure, values, bins?; range?, density?, color?, label?, alpha?, edgecolor?)
---```
---@param figure moonarray.figure
---@param values moonarray.data
---@param bins? moonarray.whole|moonarray.data|string|table
---@param range? number[]|table
---@param density? boolean|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.figure
function moonarray.plot.Figure.hist(figure, values, bins, range, density, color, label, alpha, edgecolor) end

---Shows a matrix in the colours of colormap (viridis) between min and max, or a picture (height, width, 1 to 4) of uint8, or of floats from 0 to 1. The element (i, j) is the square around x = j, y = i, the first row on top; origin = "lower" puts it at the bottom, extent = {left, right, bottom, top} puts the edges elsewhere.
---```lua
---plot.Figure.imshow(figure, a; colormap?, min?, max?, extent?, origin?, aspect?, alpha?)
---```
---@param figure moonarray.figure
---@param a moonarray.data
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param extent? number[]|table
---@param origin? string|table
---@param aspect? string|table
---@param alpha? number|table
---@return moonarray.figure
function moonarray.plot.Figure.imshow(figure, a, colormap, min, max, extent, origin, aspect, alpha) end

---Turns the x axis round.
---```lua
---plot.Figure.invert_xaxis(figure)
---```
---@param figure moonarray.figure
---@return moonarray.figure
function moonarray.plot.Figure.invert_xaxis(figure) end

---Turns the y axis round.
---```lua
---plot.Figure.invert_yaxis(figure)
---```
---@param figure moonarray.figure
---@return moonarray.figure
function moonarray.plot.Figure.invert_yaxis(figure) end

---Shows the labels of what was drawn. place is "best" unless it is given, or as "upper right", "center left", "lower center", "center".
---```lua
---plot.Figure.legend(figure, place?)
---```
---@param figure moonarray.figure
---@param place? moonarray.whole|string|moonarray.whole[]|table
---@return moonarray.figure
function moonarray.plot.Figure.legend(figure, place) end

---As plot, with two logarithmic axes.
---```lua
---plot.Figure.loglog(figure, x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param figure moonarray.figure
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.figure
function moonarray.plot.Figure.loglog(figure, x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---Draws y over x as a line. y alone is drawn over its positions; a matrix y gives a line for each column. format is as in matplotlib, such as "r--o": a colour's letter, the line's style (- -- : -.), a marker. linestyle = "none" draws the markers alone. NaN makes a gap.
---```lua
---plot.Figure.plot(figure, x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param figure moonarray.figure
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.figure
function moonarray.plot.Figure.plot(figure, x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---Writes the figure. The format is that of the path's ending: .png, .svg, .txt, .ppm or .bmp.
---```lua
---plot.Figure.save(figure, path)
---```
---@param figure moonarray.figure
---@param path string
---@return moonarray.figure
function moonarray.plot.Figure.save(figure, path) end

---Draws a marker at each point. s is a diameter in pixels, 7 unless it is given, or one for each point; c a number for each, which gets its colour from colormap between min and max, or a colour.
---```lua
---plot.Figure.scatter(figure, x, y, s?, c?; color?, label?, marker?, alpha?, colormap?, min?, max?, edgecolor?)
---```
---@param figure moonarray.figure
---@param x moonarray.data
---@param y moonarray.data
---@param s? moonarray.data|table
---@param c? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param marker? string|table
---@param alpha? number|table
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param edgecolor? string|boolean|string[]|table
---@return moonarray.figure
function moonarray.plot.Figure.scatter(figure, x, y, s, c, color, label, marker, alpha, colormap, min, max, edgecolor) end

---As plot, with a logarithmic x axis.
---```lua
---plot.Figure.semilogx(figure, x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param figure moonarray.figure
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.figure
function moonarray.plot.Figure.semilogx(figure, x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---As plot, with a logarithmic y axis.
---```lua
---plot.Figure.semilogy(figure, x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?)
---```
---@param figure moonarray.figure
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@return moonarray.figure
function moonarray.plot.Figure.semilogy(figure, x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha) end

---Prints the figure as text; see to_text. Colours are for a terminal, unless color says otherwise.
---```lua
---plot.Figure.show(figure; columns?, rows?, style?, color?)
---```
---@param figure moonarray.figure
---@param columns? moonarray.whole|table
---@param rows? moonarray.whole|table
---@param style? string|table
---@param color? string|table
---@return moonarray.figure
function moonarray.plot.Figure.show(figure, columns, rows, style, color) end

---Draws y over x in steps: each value holds up to its x (where = "pre"), from its x on ("post"), or around it ("mid").
---```lua
---plot.Figure.step(figure, x, y; where?, color?, label?, linewidth?, linestyle?, alpha?)
---```
---@param figure moonarray.figure
---@param x moonarray.data
---@param y moonarray.data
---@param where? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param alpha? number|table
---@return moonarray.figure
function moonarray.plot.Figure.step(figure, x, y, where, color, label, linewidth, linestyle, alpha) end

---Axes at a place of a grid, counted from 1 along the rows; {first, last} for several places. Further calls of the figure's own methods go to them.
---```lua
---plot.Figure.subplot(figure, rows, columns, place)
---```
---@param figure moonarray.figure
---@param rows moonarray.whole
---@param columns moonarray.whole
---@param place moonarray.whole|string|moonarray.whole[]
---@return moonarray.axes
function moonarray.plot.Figure.subplot(figure, rows, columns, place) end

---Sets the title above all axes of the figure.
---```lua
---plot.Figure.suptitle(figure, text)
---```
---@param figure moonarray.figure
---@param text string
---@return moonarray.figure
function moonarray.plot.Figure.suptitle(figure, text) end

---Writes a text at a place of the data. align is "left", "center" or "right".
---```lua
---plot.Figure.text(figure, x, y, text; color?, size?, align?)
---```
---@param figure moonarray.figure
---@param x number
---@param y number
---@param text string
---@param color? string|table
---@param size? number|table
---@param align? string|table
---@return moonarray.figure
function moonarray.plot.Figure.text(figure, x, y, text, color, size, align) end

---Sets the title of the axes.
---```lua
---plot.Figure.title(figure, text)
---```
---@param figure moonarray.figure
---@param text string
---@return moonarray.figure
function moonarray.plot.Figure.title(figure, text) end

---The figure as a picture, (height, width, 3) of uint8 on the CPU.
---```lua
---plot.Figure.to_image(figure)
---```
---@param figure moonarray.figure
---@return moonarray.array
function moonarray.plot.Figure.to_image(figure) end

---The figure as the text of an SVG.
---```lua
---plot.Figure.to_svg(figure)
---```
---@param figure moonarray.figure
---@return string
function moonarray.plot.Figure.to_svg(figure) end

---The figure as text of 80 columns and 24 rows, unless others are given. style is "braille", "blocks" or "ascii"; color = true puts in a terminal's codes for colours.
---```lua
---plot.Figure.to_text(figure; columns?, rows?, style?, color?)
---```
---@param figure moonarray.figure
---@param columns? moonarray.whole|table
---@param rows? moonarray.whole|table
---@param style? string|table
---@param color? string|table
---@return string
function moonarray.plot.Figure.to_text(figure, columns, rows, style, color) end

---Sets the label below the x axis of the axes.
---```lua
---plot.Figure.xlabel(figure, text)
---```
---@param figure moonarray.figure
---@param text string
---@return moonarray.figure
function moonarray.plot.Figure.xlabel(figure, text) end

---Sets the ends of the x axis; nil leaves one to the data. Ends in falling order turn the axis round.
---```lua
---plot.Figure.xlim(figure, lo?, hi?)
---```
---@param figure moonarray.figure
---@param lo? number|table
---@param hi? number|table
---@return moonarray.figure
function moonarray.plot.Figure.xlim(figure, lo, hi) end

---Makes the x axis "linear" or "log".
---```lua
---plot.Figure.xscale(figure, scale)
---```
---@param figure moonarray.figure
---@param scale string
---@return moonarray.figure
function moonarray.plot.Figure.xscale(figure, scale) end

---Puts the ticks of the x axis at these values, with these labels; none for an empty table.
---```lua
---plot.Figure.xticks(figure, at?, labels?)
---```
---@param figure moonarray.figure
---@param at? moonarray.data|boolean|table
---@param labels? string|boolean|string[]|table
---@return moonarray.figure
function moonarray.plot.Figure.xticks(figure, at, labels) end

---Sets the label beside the y axis of the axes.
---```lua
---plot.Figure.ylabel(figure, text)
---```
---@param figure moonarray.figure
---@param text string
---@return moonarray.figure
function moonarray.plot.Figure.ylabel(figure, text) end

---Sets the ends of the y axis; nil leaves one to the data. Ends in falling order turn the axis round.
---```lua
---plot.Figure.ylim(figure, lo?, hi?)
---```
---@param figure moonarray.figure
---@param lo? number|table
---@param hi? number|table
---@return moonarray.figure
function moonarray.plot.Figure.ylim(figure, lo, hi) end

---Makes the y axis "linear" or "log".
---```lua
---plot.Figure.yscale(figure, scale)
---```
---@param figure moonarray.figure
---@param scale string
---@return moonarray.figure
function moonarray.plot.Figure.yscale(figure, scale) end

---Puts the ticks of the y axis at these values, with these labels; none for an empty table.
---```lua
---plot.Figure.yticks(figure, at?, labels?)
---```
---@param figure moonarray.figure
---@param at? moonarray.data|boolean|table
---@param labels? string|boolean|string[]|table
---@return moonarray.figure
function moonarray.plot.Figure.yticks(figure, at, labels) end

---Writes an animation of n frames: the figures (or pictures) that fn(1) to fn(n) return. path and the options are those of ma.image.animation. Returns n.
---```lua
---plot.animation(path, n, fn; delay?, loop?)
---```
---@param path string
---@param n moonarray.whole
---@param fn function
---@param delay? number|table
---@param loop? moonarray.whole|boolean|table
---@return integer
function moonarray.plot.animation(path, n, fn, delay, loop) end

---A figure of its own with what its method bar draws. title, xlabel, ylabel, xlim, ylim, xscale, yscale, grid and legend are as its methods; path saves it.
---```lua
---plot.bar(x, height, width?, bottom?; color?, label?, alpha?, align?, edgecolor?, title?, xlabel?, ylabel?, xlim?, ylim?, xscale?, yscale?, grid?, legend?, width?, height?, scale?, path?)
---```
---@param x moonarray.data
---@param height moonarray.data
---@param width? moonarray.data|table
---@param bottom? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param align? string|table
---@param edgecolor? string|boolean|string[]|table
---@param title? string|table
---@param xlabel? string|table
---@param ylabel? string|table
---@param xlim? number[]|table
---@param ylim? number[]|table
---@param xscale? string|table
---@param yscale? string|table
---@param grid? boolean|string|table
---@param legend? boolean|string|table
---@param scale? number|table
---@param path? string|table
---@return moonarray.figure
function moonarray.plot.bar(x, height, width, bottom, color, label, alpha, align, edgecolor, title, xlabel, ylabel, xlim, ylim, xscale, yscale, grid, legend, scale, path) end

---A figure: an object on which plot, scatter, bar, hist, imshow and others draw, and which save writes. width and height are in pixels, 640 and 480 unless they are given; scale = 2 makes the same picture of twice as many.
---```lua
---plot.figure(; width?, height?, scale?, background?)
---```
---@param width? moonarray.whole|table
---@param height? moonarray.whole|table
---@param scale? number|table
---@param background? string|table
---@return moonarray.figure
function moonarray.plot.figure(width, height, scale, background) end

---A figure of its own with what its method heatmap draws. title, xlabel, ylabel, xlim, ylim, xscale, yscale, grid and legend are as its methods; path saves it.
---```lua
---plot.heatmap(a; colormap?, min?, max?, extent?, origin?, aspect?, alpha?, label?, title?, xlabel?, ylabel?, xlim?, ylim?, xscale?, yscale?, grid?, legend?, width?, height?, scale?, path?)
---```
---@param a moonarray.data
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param extent? number[]|table
---@param origin? string|table
---@param aspect? string|table
---@param alpha? number|table
---@param label? string|table
---@param title? string|table
---@param xlabel? string|table
---@param ylabel? string|table
---@param xlim? number[]|table
---@param ylim? number[]|table
---@param xscale? string|table
---@param yscale? string|table
---@param grid? boolean|string|table
---@param legend? boolean|string|table
---@param width? moonarray.data|table
---@param height? moonarray.data|table
---@param scale? number|table
---@param path? string|table
---@return moonarray.figure
function moonarray.plot.heatmap(a, colormap, min, max, extent, origin, aspect, alpha, label, title, xlabel, ylabel, xlim, ylim, xscale, yscale, grid, legend, width, height, scale, path) end

---A figure of its own with what its method hist draws. title, xlabel, ylabel, xlim, ylim, xscale, yscale, grid and legend are as its methods; path saves it.
---```lua
---plot.hist(values, bins?; range?, density?, color?, label?, alpha?, edgecolor?, title?, xlabel?, ylabel?, xlim?, ylim?, xscale?, yscale?, grid?, legend?, width?, height?, scale?, path?)
---```
---@param values moonarray.data
---@param bins? moonarray.whole|moonarray.data|string|table
---@param range? number[]|table
---@param density? boolean|table
---@param color? string|table
---@param label? string|table
---@param alpha? number|table
---@param edgecolor? string|boolean|string[]|table
---@param title? string|table
---@param xlabel? string|table
---@param ylabel? string|table
---@param xlim? number[]|table
---@param ylim? number[]|table
---@param xscale? string|table
---@param yscale? string|table
---@param grid? boolean|string|table
---@param legend? boolean|string|table
---@param width? moonarray.data|table
---@param height? moonarray.data|table
---@param scale? number|table
---@param path? string|table
---@return moonarray.figure
function moonarray.plot.hist(values, bins, range, density, color, label, alpha, edgecolor, title, xlabel, ylabel, xlim, ylim, xscale, yscale, grid, legend, width, height, scale, path) end

---A figure of its own with what its method plot draws. title, xlabel, ylabel, xlim, ylim, xscale, yscale, grid and legend are as its methods; path saves it.
---```lua
---plot.line(x?, y?, format?; color?, label?, linewidth?, linestyle?, marker?, markersize?, alpha?, title?, xlabel?, ylabel?, xlim?, ylim?, xscale?, yscale?, grid?, legend?, width?, height?, scale?, path?)
---```
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@param format? string|table
---@param color? string|table
---@param label? string|table
---@param linewidth? number|table
---@param linestyle? string|table
---@param marker? string|table
---@param markersize? number|table
---@param alpha? number|table
---@param title? string|table
---@param xlabel? string|table
---@param ylabel? string|table
---@param xlim? number[]|table
---@param ylim? number[]|table
---@param xscale? string|table
---@param yscale? string|table
---@param grid? boolean|string|table
---@param legend? boolean|string|table
---@param width? moonarray.data|table
---@param height? moonarray.data|table
---@param scale? number|table
---@param path? string|table
---@return moonarray.figure
function moonarray.plot.line(x, y, format, color, label, linewidth, linestyle, marker, markersize, alpha, title, xlabel, ylabel, xlim, ylim, xscale, yscale, grid, legend, width, height, scale, path) end

---A figure of its own with what its method scatter draws. title, xlabel, ylabel, xlim, ylim, xscale, yscale, grid and legend are as its methods; path saves it.
---```lua
---plot.scatter(x, y, s?, c?; color?, label?, marker?, alpha?, colormap?, min?, max?, edgecolor?, title?, xlabel?, ylabel?, xlim?, ylim?, xscale?, yscale?, grid?, legend?, width?, height?, scale?, path?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param s? moonarray.data|table
---@param c? moonarray.data|table
---@param color? string|table
---@param label? string|table
---@param marker? string|table
---@param alpha? number|table
---@param colormap? string|table
---@param min? number|table
---@param max? number|table
---@param edgecolor? string|boolean|string[]|table
---@param title? string|table
---@param xlabel? string|table
---@param ylabel? string|table
---@param xlim? number[]|table
---@param ylim? number[]|table
---@param xscale? string|table
---@param yscale? string|table
---@param grid? boolean|string|table
---@param legend? boolean|string|table
---@param width? moonarray.data|table
---@param height? moonarray.data|table
---@param scale? number|table
---@param path? string|table
---@return moonarray.figure
function moonarray.plot.scatter(x, y, s, c, color, label, marker, alpha, colormap, min, max, edgecolor, title, xlabel, ylabel, xlim, ylim, xscale, yscale, grid, legend, width, height, scale, path) end

---A figure and its axes, rows x columns of them: the axes of a grid of one row or column are a list, those of another a list of rows.
---```lua
---plot.subplots(rows?, columns?; width?, height?, scale?, background?)
---```
---@param rows? moonarray.whole|table
---@param columns? moonarray.whole|table
---@param width? moonarray.whole|table
---@param height? moonarray.whole|table
---@param scale? number|table
---@param background? string|table
---@return moonarray.figure
---@return any
function moonarray.plot.subplots(rows, columns, width, height, scale, background) end

---The coefficients of the polynomial with these roots, the highest power first; of a square matrix, of its characteristic polynomial. float32 and complex roots keep their dtype, others are float64. Complex roots that come in conjugate pairs give real coefficients, which is looked at and waits. poly({1, 2}) is {1, -3, 2}.
---```lua
---poly(seq_of_zeros)
---```
---@param seq_of_zeros moonarray.data
---@return moonarray.array
function moonarray.poly(seq_of_zeros) end

---A polynomial of these coefficients, the highest power first, or with r = true of these roots; variable ("x") is what it prints. p(x) is its value, p[k] the coefficient of x^k; +, -, *, / and ^ are its arithmetic, a / b and a % b the quotient and the remainder. p.coeffs (c, coef, coefficients), p.order (o), p.roots (r), p.variable, p:deriv(m), p:integ(m, k). Zeros in front are left out: waits.
---```lua
---poly1d(c_or_r, r?, variable?)
---```
---@param c_or_r moonarray.data
---@param r? moonarray.data|table
---@param variable? string|table
---@return moonarray.poly1d
function moonarray.poly1d(c_or_r, r, variable) end

---The sum of two polynomials: vectors of coefficients, the highest power first, or poly1d objects, which give one.
---```lua
---polyadd(a1, a2)
---```
---@param a1 moonarray.data
---@param a2 moonarray.data
---@return moonarray.array
function moonarray.polyadd(a1, a2) end

---The m-th (1) derivative of a polynomial: coefficients from the highest power down, or a poly1d object, which gives one.
---```lua
---polyder(p, m?)
---```
---@param p moonarray.data
---@param m? moonarray.whole|table
---@return moonarray.array
function moonarray.polyder(p, m) end

---The quotient and the remainder of two polynomials: vectors of coefficients, the highest power first, or poly1d objects, which give them. Whole numbers are divided in float64. The remainder's length is looked at, which waits.
---```lua
---polydiv(u, v)
---```
---@param u moonarray.data
---@param v moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.polydiv(u, v) end

---The coefficients, the highest power first, of the polynomial of degree deg that makes the sum of |w (p(x) - y)|^2 least; one column for each column of y. rcond: singular values of at most rcond (len(x) eps) times the largest count as 0. full: also residuals, rank, singular values and rcond, as in linalg.lstsq. cov: also the covariance of the coefficients, scaled by the residuals unless it is "unscaled". check: as in linalg.lstsq.
---```lua
---polyfit(x, y, deg, rcond?, full?, w?, cov?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param rcond? number|table
---@param full? boolean|table
---@param w? moonarray.data|table
---@param cov? boolean|string|table
---@param check? boolean|table
---@return moonarray.array
---@return table
function moonarray.polyfit(x, y, deg, rcond, full, w, cov, check) end

---The m-th (1) integral of a polynomial: coefficients from the highest power down, or a poly1d object, which gives one. k (0): the constants, one for each integration in turn or one for all.
---```lua
---polyint(p, m?, k?)
---```
---@param p moonarray.data
---@param m? moonarray.whole|table
---@param k? moonarray.data|table
---@return moonarray.array
function moonarray.polyint(p, m, k) end

---The product of two polynomials: vectors of coefficients, the highest power first, or poly1d objects, which give one. Zeros in front are left out, which is looked at and waits.
---```lua
---polymul(a1, a2)
---```
---@param a1 moonarray.data
---@param a2 moonarray.data
---@return moonarray.array
function moonarray.polymul(a1, a2) end

moonarray.polynomial = {}

---A series of Chebyshev polynomials of the first kind with these coefficients, from the lowest degree up. p(x) is its value where domain (-1, 1) is mapped to window (-1, 1); +, -, *, / and ^ are its arithmetic, a / b and a % b the quotient and the remainder. p.coef, p.domain, p.window, p.symbol ("x"); p:deriv(m), p:integ(m, k, lbnd), p:roots(), p:degree(), p:linspace(n), p:trim(tol), p:truncate(size), p:cutdeg(deg), p:convert(kind, domain, window), p:divmod(q), p:mapparms(), p:copy().
---```lua
---polynomial.Chebyshev(coef, domain?, window?, symbol?)
---```
---@class moonarray.polynomial.Chebyshev
---@overload fun(coef: moonarray.data, domain?: number[]|table, window?: number[]|table, symbol?: string|table): moonarray.series
moonarray.polynomial.Chebyshev = {}

---The object of one term of degree deg.
---```lua
---polynomial.Chebyshev.basis(deg, domain?, window?, symbol?)
---```
---@param deg moonarray.whole
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Chebyshev.basis(deg, domain, window, symbol) end

---An object of another family as one of this family. Waits.
---```lua
---polynomial.Chebyshev.cast(series, domain?, window?)
---```
---@param series moonarray.series
---@param domain? number[]|table
---@param window? number[]|table
---@return moonarray.series
function moonarray.polynomial.Chebyshev.cast(series, domain, window) end

---The object of degree deg, or of the degrees in a table, that fits values y at x best. domain: two numbers that are mapped to the window, the least and the greatest x if none is given; {} for the window itself. Waits.
---```lua
---polynomial.Chebyshev.fit(x, y, deg, domain?, rcond?, w?, window?, symbol?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param domain? number[]|table
---@param rcond? number|table
---@param w? moonarray.data|table
---@param window? number[]|table
---@param symbol? string|table
---@param check? boolean|table
---@return moonarray.series
function moonarray.polynomial.Chebyshev.fit(x, y, deg, domain, rcond, w, window, symbol, check) end

---The object with these roots. domain: two numbers; {} for the least and the greatest root. Waits.
---```lua
---polynomial.Chebyshev.fromroots(roots, domain?, window?, symbol?)
---```
---@param roots moonarray.data
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Chebyshev.fromroots(roots, domain, window, symbol) end

---The object p with p(x) = x.
---```lua
---polynomial.Chebyshev.identity(domain?, window?, symbol?)
---```
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Chebyshev.identity(domain, window, symbol) end

---A series of Hermite polynomials (physicists') with these coefficients, from the lowest degree up. p(x) is its value where domain (-1, 1) is mapped to window (-1, 1); +, -, *, / and ^ are its arithmetic, a / b and a % b the quotient and the remainder. p.coef, p.domain, p.window, p.symbol ("x"); p:deriv(m), p:integ(m, k, lbnd), p:roots(), p:degree(), p:linspace(n), p:trim(tol), p:truncate(size), p:cutdeg(deg), p:convert(kind, domain, window), p:divmod(q), p:mapparms(), p:copy().
---```lua
---polynomial.Hermite(coef, domain?, window?, symbol?)
---```
---@class moonarray.polynomial.Hermite
---@overload fun(coef: moonarray.data, domain?: number[]|table, window?: number[]|table, symbol?: string|table): moonarray.series
moonarray.polynomial.Hermite = {}

---The object of one term of degree deg.
---```lua
---polynomial.Hermite.basis(deg, domain?, window?, symbol?)
---```
---@param deg moonarray.whole
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Hermite.basis(deg, domain, window, symbol) end

---An object of another family as one of this family. Waits.
---```lua
---polynomial.Hermite.cast(series, domain?, window?)
---```
---@param series moonarray.series
---@param domain? number[]|table
---@param window? number[]|table
---@return moonarray.series
function moonarray.polynomial.Hermite.cast(series, domain, window) end

---The object of degree deg, or of the degrees in a table, that fits values y at x best. domain: two numbers that are mapped to the window, the least and the greatest x if none is given; {} for the window itself. Waits.
---```lua
---polynomial.Hermite.fit(x, y, deg, domain?, rcond?, w?, window?, symbol?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param domain? number[]|table
---@param rcond? number|table
---@param w? moonarray.data|table
---@param window? number[]|table
---@param symbol? string|table
---@param check? boolean|table
---@return moonarray.series
function moonarray.polynomial.Hermite.fit(x, y, deg, domain, rcond, w, window, symbol, check) end

---The object with these roots. domain: two numbers; {} for the least and the greatest root. Waits.
---```lua
---polynomial.Hermite.fromroots(roots, domain?, window?, symbol?)
---```
---@param roots moonarray.data
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Hermite.fromroots(roots, domain, window, symbol) end

---The object p with p(x) = x.
---```lua
---polynomial.Hermite.identity(domain?, window?, symbol?)
---```
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Hermite.identity(domain, window, symbol) end

---A series of Hermite polynomials (probabilists') with these coefficients, from the lowest degree up. p(x) is its value where domain (-1, 1) is mapped to window (-1, 1); +, -, *, / and ^ are its arithmetic, a / b and a % b the quotient and the remainder. p.coef, p.domain, p.window, p.symbol ("x"); p:deriv(m), p:integ(m, k, lbnd), p:roots(), p:degree(), p:linspace(n), p:trim(tol), p:truncate(size), p:cutdeg(deg), p:convert(kind, domain, window), p:divmod(q), p:mapparms(), p:copy().
---```lua
---polynomial.HermiteE(coef, domain?, window?, symbol?)
---```
---@class moonarray.polynomial.HermiteE
---@overload fun(coef: moonarray.data, domain?: number[]|table, window?: number[]|table, symbol?: string|table): moonarray.series
moonarray.polynomial.HermiteE = {}

---The object of one term of degree deg.
---```lua
---polynomial.HermiteE.basis(deg, domain?, window?, symbol?)
---```
---@param deg moonarray.whole
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.HermiteE.basis(deg, domain, window, symbol) end

---An object of another family as one of this family. Waits.
---```lua
---polynomial.HermiteE.cast(series, domain?, window?)
---```
---@param series moonarray.series
---@param domain? number[]|table
---@param window? number[]|table
---@return moonarray.series
function moonarray.polynomial.HermiteE.cast(series, domain, window) end

---The object of degree deg, or of the degrees in a table, that fits values y at x best. domain: two numbers that are mapped to the window, the least and the greatest x if none is given; {} for the window itself. Waits.
---```lua
---polynomial.HermiteE.fit(x, y, deg, domain?, rcond?, w?, window?, symbol?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param domain? number[]|table
---@param rcond? number|table
---@param w? moonarray.data|table
---@param window? number[]|table
---@param symbol? string|table
---@param check? boolean|table
---@return moonarray.series
function moonarray.polynomial.HermiteE.fit(x, y, deg, domain, rcond, w, window, symbol, check) end

---The object with these roots. domain: two numbers; {} for the least and the greatest root. Waits.
---```lua
---polynomial.HermiteE.fromroots(roots, domain?, window?, symbol?)
---```
---@param roots moonarray.data
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.HermiteE.fromroots(roots, domain, window, symbol) end

---The object p with p(x) = x.
---```lua
---polynomial.HermiteE.identity(domain?, window?, symbol?)
---```
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.HermiteE.identity(domain, window, symbol) end

---A series of Laguerre polynomials with these coefficients, from the lowest degree up. p(x) is its value where domain (0, 1) is mapped to window (0, 1); +, -, *, / and ^ are its arithmetic, a / b and a % b the quotient and the remainder. p.coef, p.domain, p.window, p.symbol ("x"); p:deriv(m), p:integ(m, k, lbnd), p:roots(), p:degree(), p:linspace(n), p:trim(tol), p:truncate(size), p:cutdeg(deg), p:convert(kind, domain, window), p:divmod(q), p:mapparms(), p:copy().
---```lua
---polynomial.Laguerre(coef, domain?, window?, symbol?)
---```
---@class moonarray.polynomial.Laguerre
---@overload fun(coef: moonarray.data, domain?: number[]|table, window?: number[]|table, symbol?: string|table): moonarray.series
moonarray.polynomial.Laguerre = {}

---The object of one term of degree deg.
---```lua
---polynomial.Laguerre.basis(deg, domain?, window?, symbol?)
---```
---@param deg moonarray.whole
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Laguerre.basis(deg, domain, window, symbol) end

---An object of another family as one of this family. Waits.
---```lua
---polynomial.Laguerre.cast(series, domain?, window?)
---```
---@param series moonarray.series
---@param domain? number[]|table
---@param window? number[]|table
---@return moonarray.series
function moonarray.polynomial.Laguerre.cast(series, domain, window) end

---The object of degree deg, or of the degrees in a table, that fits values y at x best. domain: two numbers that are mapped to the window, the least and the greatest x if none is given; {} for the window itself. Waits.
---```lua
---polynomial.Laguerre.fit(x, y, deg, domain?, rcond?, w?, window?, symbol?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param domain? number[]|table
---@param rcond? number|table
---@param w? moonarray.data|table
---@param window? number[]|table
---@param symbol? string|table
---@param check? boolean|table
---@return moonarray.series
function moonarray.polynomial.Laguerre.fit(x, y, deg, domain, rcond, w, window, symbol, check) end

---The object with these roots. domain: two numbers; {} for the least and the greatest root. Waits.
---```lua
---polynomial.Laguerre.fromroots(roots, domain?, window?, symbol?)
---```
---@param roots moonarray.data
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Laguerre.fromroots(roots, domain, window, symbol) end

---The object p with p(x) = x.
---```lua
---polynomial.Laguerre.identity(domain?, window?, symbol?)
---```
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Laguerre.identity(domain, window, symbol) end

---A series of Legendre polynomials with these coefficients, from the lowest degree up. p(x) is its value where domain (-1, 1) is mapped to window (-1, 1); +, -, *, / and ^ are its arithmetic, a / b and a % b the quotient and the remainder. p.coef, p.domain, p.window, p.symbol ("x"); p:deriv(m), p:integ(m, k, lbnd), p:roots(), p:degree(), p:linspace(n), p:trim(tol), p:truncate(size), p:cutdeg(deg), p:convert(kind, domain, window), p:divmod(q), p:mapparms(), p:copy().
---```lua
---polynomial.Legendre(coef, domain?, window?, symbol?)
---```
---@class moonarray.polynomial.Legendre
---@overload fun(coef: moonarray.data, domain?: number[]|table, window?: number[]|table, symbol?: string|table): moonarray.series
moonarray.polynomial.Legendre = {}

---The object of one term of degree deg.
---```lua
---polynomial.Legendre.basis(deg, domain?, window?, symbol?)
---```
---@param deg moonarray.whole
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Legendre.basis(deg, domain, window, symbol) end

---An object of another family as one of this family. Waits.
---```lua
---polynomial.Legendre.cast(series, domain?, window?)
---```
---@param series moonarray.series
---@param domain? number[]|table
---@param window? number[]|table
---@return moonarray.series
function moonarray.polynomial.Legendre.cast(series, domain, window) end

---The object of degree deg, or of the degrees in a table, that fits values y at x best. domain: two numbers that are mapped to the window, the least and the greatest x if none is given; {} for the window itself. Waits.
---```lua
---polynomial.Legendre.fit(x, y, deg, domain?, rcond?, w?, window?, symbol?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param domain? number[]|table
---@param rcond? number|table
---@param w? moonarray.data|table
---@param window? number[]|table
---@param symbol? string|table
---@param check? boolean|table
---@return moonarray.series
function moonarray.polynomial.Legendre.fit(x, y, deg, domain, rcond, w, window, symbol, check) end

---The object with these roots. domain: two numbers; {} for the least and the greatest root. Waits.
---```lua
---polynomial.Legendre.fromroots(roots, domain?, window?, symbol?)
---```
---@param roots moonarray.data
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Legendre.fromroots(roots, domain, window, symbol) end

---The object p with p(x) = x.
---```lua
---polynomial.Legendre.identity(domain?, window?, symbol?)
---```
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Legendre.identity(domain, window, symbol) end

---A series of powers of x with these coefficients, from the lowest degree up. p(x) is its value where domain (-1, 1) is mapped to window (-1, 1); +, -, *, / and ^ are its arithmetic, a / b and a % b the quotient and the remainder. p.coef, p.domain, p.window, p.symbol ("x"); p:deriv(m), p:integ(m, k, lbnd), p:roots(), p:degree(), p:linspace(n), p:trim(tol), p:truncate(size), p:cutdeg(deg), p:convert(kind, domain, window), p:divmod(q), p:mapparms(), p:copy().
---```lua
---polynomial.Polynomial(coef, domain?, window?, symbol?)
---```
---@class moonarray.polynomial.Polynomial
---@overload fun(coef: moonarray.data, domain?: number[]|table, window?: number[]|table, symbol?: string|table): moonarray.series
moonarray.polynomial.Polynomial = {}

---The object of one term of degree deg.
---```lua
---polynomial.Polynomial.basis(deg, domain?, window?, symbol?)
---```
---@param deg moonarray.whole
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Polynomial.basis(deg, domain, window, symbol) end

---An object of another family as one of this family. Waits.
---```lua
---polynomial.Polynomial.cast(series, domain?, window?)
---```
---@param series moonarray.series
---@param domain? number[]|table
---@param window? number[]|table
---@return moonarray.series
function moonarray.polynomial.Polynomial.cast(series, domain, window) end

---The object of degree deg, or of the degrees in a table, that fits values y at x best. domain: two numbers that are mapped to the window, the least and the greatest x if none is given; {} for the window itself. Waits.
---```lua
---polynomial.Polynomial.fit(x, y, deg, domain?, rcond?, w?, window?, symbol?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param domain? number[]|table
---@param rcond? number|table
---@param w? moonarray.data|table
---@param window? number[]|table
---@param symbol? string|table
---@param check? boolean|table
---@return moonarray.series
function moonarray.polynomial.Polynomial.fit(x, y, deg, domain, rcond, w, window, symbol, check) end

---The object with these roots. domain: two numbers; {} for the least and the greatest root. Waits.
---```lua
---polynomial.Polynomial.fromroots(roots, domain?, window?, symbol?)
---```
---@param roots moonarray.data
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Polynomial.fromroots(roots, domain, window, symbol) end

---The object p with p(x) = x.
---```lua
---polynomial.Polynomial.identity(domain?, window?, symbol?)
---```
---@param domain? number[]|table
---@param window? number[]|table
---@param symbol? string|table
---@return moonarray.series
function moonarray.polynomial.Polynomial.identity(domain, window, symbol) end

moonarray.polynomial.chebyshev = {}

---The coefficients of the powers of x of a series of Chebyshev polynomials of the first kind. Waits.
---```lua
---polynomial.chebyshev.cheb2poly(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.cheb2poly(c) end

---The sum of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.chebyshev.chebadd(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebadd(c1, c2) end

---The companion matrix, whose eigenvalues are the roots of a series, scaled to be near to symmetric. Waits.
---```lua
---polynomial.chebyshev.chebcompanion(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebcompanion(c) end

---The m-th (1) derivative of series along an axis (the first), each time multiplied by scl (1), for a change of variable.
---```lua
---polynomial.chebyshev.chebder(c, m?, scl?, axis?)
---```
---@param c moonarray.data
---@param m? moonarray.whole|table
---@param scl? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebder(c, m, scl, axis) end

---The quotient and the remainder of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.chebyshev.chebdiv(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebdiv(c1, c2) end

---The coefficients of the series of degree deg, or of the degrees in a table, that makes the sum of |w (p(x) - y)|^2 least; one column for each column of y. full: also residuals, rank, singular values and rcond. check: as in linalg.lstsq.
---```lua
---polynomial.chebyshev.chebfit(x, y, deg, rcond?, full?, w?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param rcond? number|table
---@param full? boolean|table
---@param w? moonarray.data|table
---@param check? boolean|table
---@return moonarray.array
---@return table
function moonarray.polynomial.chebyshev.chebfit(x, y, deg, rcond, full, w, check) end

---The series with these roots and 1 as its highest coefficient in powers of x. Waits.
---```lua
---polynomial.chebyshev.chebfromroots(roots)
---```
---@param roots moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebfromroots(roots) end

---The values on the grid of x and y: the shape is c's other axes, x's and y's.
---```lua
---polynomial.chebyshev.chebgrid2d(x, y, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebgrid2d(x, y, c) end

---The values on the grid of x, y and z: the shape is c's other axes, x's, y's and z's.
---```lua
---polynomial.chebyshev.chebgrid3d(x, y, z, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebgrid3d(x, y, z, c) end

---The m-th (1) integral of series along an axis (the first), from lbnd (0), each time multiplied by scl (1) before, with constants k (0) in the order of the integrations. Waits only for a series of one coefficient.
---```lua
---polynomial.chebyshev.chebint(c, m?, k?, lbnd?, scl?, axis?)
---```
---@param c moonarray.data
---@param m? moonarray.whole|table
---@param k? moonarray.data|table
---@param lbnd? number|table
---@param scl? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebint(c, m, k, lbnd, scl, axis) end

---The series of off + scl x, of two numbers.
---```lua
---polynomial.chebyshev.chebline(off, scl)
---```
---@param off number
---@param scl number
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebline(off, scl) end

---The product of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.chebyshev.chebmul(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebmul(c1, c2) end

---A series times x. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.chebyshev.chebmulx(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebmulx(c) end

---A series to a whole power of at most maxpower (16). Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.chebyshev.chebpow(c, pow, maxpower?)
---```
---@param c moonarray.data
---@param pow moonarray.whole
---@param maxpower? moonarray.whole|table
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebpow(c, pow, maxpower) end

---The roots of a series, sorted: real if all imaginary parts are 0, else complex. Waits.
---```lua
---polynomial.chebyshev.chebroots(c; check?)
---```
---@param c moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebroots(c, check) end

---The difference of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.chebyshev.chebsub(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebsub(c1, c2) end

---A series without what is at its end and not greater than tol (0). Waits.
---```lua
---polynomial.chebyshev.chebtrim(c, tol?)
---```
---@param c moonarray.data
---@param tol? number|table
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebtrim(c, tol) end

---The values at x of series of Chebyshev polynomials of the first kind with coefficients c, from the lowest degree up along c's first axis. The shape is that of c's other axes and x; with tensor = false these are broadcast. Whole numbers c are float64. Waits for nothing.
---```lua
---polynomial.chebyshev.chebval(x, c, tensor?)
---```
---@param x moonarray.data
---@param c moonarray.data
---@param tensor? boolean|table
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebval(x, c, tensor) end

---The values at points (x, y) of products of two series; x and y have one shape, c's first axes are x's and y's degrees.
---```lua
---polynomial.chebyshev.chebval2d(x, y, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebval2d(x, y, c) end

---The values at points (x, y, z) of products of three series; x, y and z have one shape, c's first axes are the degrees.
---```lua
---polynomial.chebyshev.chebval3d(x, y, z, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebval3d(x, y, z, c) end

---The values at x of the Chebyshev polynomials of the first kind up to degree deg, along a new last axis. Waits for nothing.
---```lua
---polynomial.chebyshev.chebvander(x, deg)
---```
---@param x moonarray.data
---@param deg moonarray.whole
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebvander(x, deg) end

---The products of two vander matrices, deg = {x's, y's}, y's degrees running fastest along the last axis.
---```lua
---polynomial.chebyshev.chebvander2d(x, y, deg)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole[]
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebvander2d(x, y, deg) end

---The products of three vander matrices, deg = {x's, y's, z's}, z's degrees running fastest along the last axis.
---```lua
---polynomial.chebyshev.chebvander3d(x, y, z, deg)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param deg moonarray.whole[]
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebvander3d(x, y, z, deg) end

---The function by which the Chebyshev polynomials of the first kind are orthogonal, at x.
---```lua
---polynomial.chebyshev.chebweight(x)
---```
---@param x moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.chebweight(x) end

---The series of Chebyshev polynomials of the first kind of a polynomial in powers of x. Waits.
---```lua
---polynomial.chebyshev.poly2cheb(pol)
---```
---@param pol moonarray.data
---@return moonarray.array
function moonarray.polynomial.chebyshev.poly2cheb(pol) end

moonarray.polynomial.hermite = {}

---The coefficients of the powers of x of a series of Hermite polynomials (physicists'). Waits.
---```lua
---polynomial.hermite.herm2poly(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.herm2poly(c) end

---The sum of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.hermite.hermadd(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.hermadd(c1, c2) end

---The companion matrix, whose eigenvalues are the roots of a series, scaled to be near to symmetric. Waits.
---```lua
---polynomial.hermite.hermcompanion(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.hermcompanion(c) end

---The m-th (1) derivative of series along an axis (the first), each time multiplied by scl (1), for a change of variable.
---```lua
---polynomial.hermite.hermder(c, m?, scl?, axis?)
---```
---@param c moonarray.data
---@param m? moonarray.whole|table
---@param scl? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.polynomial.hermite.hermder(c, m, scl, axis) end

---The quotient and the remainder of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.hermite.hermdiv(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.polynomial.hermite.hermdiv(c1, c2) end

---The coefficients of the series of degree deg, or of the degrees in a table, that makes the sum of |w (p(x) - y)|^2 least; one column for each column of y. full: also residuals, rank, singular values and rcond. check: as in linalg.lstsq.
---```lua
---polynomial.hermite.hermfit(x, y, deg, rcond?, full?, w?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param rcond? number|table
---@param full? boolean|table
---@param w? moonarray.data|table
---@param check? boolean|table
---@return moonarray.array
---@return table
function moonarray.polynomial.hermite.hermfit(x, y, deg, rcond, full, w, check) end

---The series with these roots and 1 as its highest coefficient in powers of x. Waits.
---```lua
---polynomial.hermite.hermfromroots(roots)
---```
---@param roots moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.hermfromroots(roots) end

---The values on the grid of x and y: the shape is c's other axes, x's and y's.
---```lua
---polynomial.hermite.hermgrid2d(x, y, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.hermgrid2d(x, y, c) end

---The values on the grid of x, y and z: the shape is c's other axes, x's, y's and z's.
---```lua
---polynomial.hermite.hermgrid3d(x, y, z, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.hermgrid3d(x, y, z, c) end

---The m-th (1) integral of series along an axis (the first), from lbnd (0), each time multiplied by scl (1) before, with constants k (0) in the order of the integrations. Waits only for a series of one coefficient.
---```lua
---polynomial.hermite.hermint(c, m?, k?, lbnd?, scl?, axis?)
---```
---@param c moonarray.data
---@param m? moonarray.whole|table
---@param k? moonarray.data|table
---@param lbnd? number|table
---@param scl? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.polynomial.hermite.hermint(c, m, k, lbnd, scl, axis) end

---The series of off + scl x, of two numbers.
---```lua
---polynomial.hermite.hermline(off, scl)
---```
---@param off number
---@param scl number
---@return moonarray.array
function moonarray.polynomial.hermite.hermline(off, scl) end

---The product of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.hermite.hermmul(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.hermmul(c1, c2) end

---A series times x. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.hermite.hermmulx(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.hermmulx(c) end

---A series to a whole power of at most maxpower (16). Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.hermite.hermpow(c, pow, maxpower?)
---```
---@param c moonarray.data
---@param pow moonarray.whole
---@param maxpower? moonarray.whole|table
---@return moonarray.array
function moonarray.polynomial.hermite.hermpow(c, pow, maxpower) end

---The roots of a series, sorted: real if all imaginary parts are 0, else complex. Waits.
---```lua
---polynomial.hermite.hermroots(c; check?)
---```
---@param c moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.polynomial.hermite.hermroots(c, check) end

---The difference of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.hermite.hermsub(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.hermsub(c1, c2) end

---A series without what is at its end and not greater than tol (0). Waits.
---```lua
---polynomial.hermite.hermtrim(c, tol?)
---```
---@param c moonarray.data
---@param tol? number|table
---@return moonarray.array
function moonarray.polynomial.hermite.hermtrim(c, tol) end

---The values at x of series of Hermite polynomials (physicists') with coefficients c, from the lowest degree up along c's first axis. The shape is that of c's other axes and x; with tensor = false these are broadcast. Whole numbers c are float64. Waits for nothing.
---```lua
---polynomial.hermite.hermval(x, c, tensor?)
---```
---@param x moonarray.data
---@param c moonarray.data
---@param tensor? boolean|table
---@return moonarray.array
function moonarray.polynomial.hermite.hermval(x, c, tensor) end

---The values at points (x, y) of products of two series; x and y have one shape, c's first axes are x's and y's degrees.
---```lua
---polynomial.hermite.hermval2d(x, y, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.hermval2d(x, y, c) end

---The values at points (x, y, z) of products of three series; x, y and z have one shape, c's first axes are the degrees.
---```lua
---polynomial.hermite.hermval3d(x, y, z, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.hermval3d(x, y, z, c) end

---The values at x of the Hermite polynomials (physicists') up to degree deg, along a new last axis. Waits for nothing.
---```lua
---polynomial.hermite.hermvander(x, deg)
---```
---@param x moonarray.data
---@param deg moonarray.whole
---@return moonarray.array
function moonarray.polynomial.hermite.hermvander(x, deg) end

---The products of two vander matrices, deg = {x's, y's}, y's degrees running fastest along the last axis.
---```lua
---polynomial.hermite.hermvander2d(x, y, deg)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole[]
---@return moonarray.array
function moonarray.polynomial.hermite.hermvander2d(x, y, deg) end

---The products of three vander matrices, deg = {x's, y's, z's}, z's degrees running fastest along the last axis.
---```lua
---polynomial.hermite.hermvander3d(x, y, z, deg)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param deg moonarray.whole[]
---@return moonarray.array
function moonarray.polynomial.hermite.hermvander3d(x, y, z, deg) end

---The function by which the Hermite polynomials (physicists') are orthogonal, at x.
---```lua
---polynomial.hermite.hermweight(x)
---```
---@param x moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.hermweight(x) end

---The series of Hermite polynomials (physicists') of a polynomial in powers of x. Waits.
---```lua
---polynomial.hermite.poly2herm(pol)
---```
---@param pol moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite.poly2herm(pol) end

moonarray.polynomial.hermite_e = {}

---The coefficients of the powers of x of a series of Hermite polynomials (probabilists'). Waits.
---```lua
---polynomial.hermite_e.herme2poly(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.herme2poly(c) end

---The sum of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.hermite_e.hermeadd(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermeadd(c1, c2) end

---The companion matrix, whose eigenvalues are the roots of a series, scaled to be near to symmetric. Waits.
---```lua
---polynomial.hermite_e.hermecompanion(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermecompanion(c) end

---The m-th (1) derivative of series along an axis (the first), each time multiplied by scl (1), for a change of variable.
---```lua
---polynomial.hermite_e.hermeder(c, m?, scl?, axis?)
---```
---@param c moonarray.data
---@param m? moonarray.whole|table
---@param scl? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermeder(c, m, scl, axis) end

---The quotient and the remainder of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.hermite_e.hermediv(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermediv(c1, c2) end

---The coefficients of the series of degree deg, or of the degrees in a table, that makes the sum of |w (p(x) - y)|^2 least; one column for each column of y. full: also residuals, rank, singular values and rcond. check: as in linalg.lstsq.
---```lua
---polynomial.hermite_e.hermefit(x, y, deg, rcond?, full?, w?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param rcond? number|table
---@param full? boolean|table
---@param w? moonarray.data|table
---@param check? boolean|table
---@return moonarray.array
---@return table
function moonarray.polynomial.hermite_e.hermefit(x, y, deg, rcond, full, w, check) end

---The series with these roots and 1 as its highest coefficient in powers of x. Waits.
---```lua
---polynomial.hermite_e.hermefromroots(roots)
---```
---@param roots moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermefromroots(roots) end

---The values on the grid of x and y: the shape is c's other axes, x's and y's.
---```lua
---polynomial.hermite_e.hermegrid2d(x, y, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermegrid2d(x, y, c) end

---The values on the grid of x, y and z: the shape is c's other axes, x's, y's and z's.
---```lua
---polynomial.hermite_e.hermegrid3d(x, y, z, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermegrid3d(x, y, z, c) end

---The m-th (1) integral of series along an axis (the first), from lbnd (0), each time multiplied by scl (1) before, with constants k (0) in the order of the integrations. Waits only for a series of one coefficient.
---```lua
---polynomial.hermite_e.hermeint(c, m?, k?, lbnd?, scl?, axis?)
---```
---@param c moonarray.data
---@param m? moonarray.whole|table
---@param k? moonarray.data|table
---@param lbnd? number|table
---@param scl? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermeint(c, m, k, lbnd, scl, axis) end

---The series of off + scl x, of two numbers.
---```lua
---polynomial.hermite_e.hermeline(off, scl)
---```
---@param off number
---@param scl number
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermeline(off, scl) end

---The product of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.hermite_e.hermemul(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermemul(c1, c2) end

---A series times x. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.hermite_e.hermemulx(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermemulx(c) end

---A series to a whole power of at most maxpower (16). Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.hermite_e.hermepow(c, pow, maxpower?)
---```
---@param c moonarray.data
---@param pow moonarray.whole
---@param maxpower? moonarray.whole|table
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermepow(c, pow, maxpower) end

---The roots of a series, sorted: real if all imaginary parts are 0, else complex. Waits.
---```lua
---polynomial.hermite_e.hermeroots(c; check?)
---```
---@param c moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermeroots(c, check) end

---The difference of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.hermite_e.hermesub(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermesub(c1, c2) end

---A series without what is at its end and not greater than tol (0). Waits.
---```lua
---polynomial.hermite_e.hermetrim(c, tol?)
---```
---@param c moonarray.data
---@param tol? number|table
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermetrim(c, tol) end

---The values at x of series of Hermite polynomials (probabilists') with coefficients c, from the lowest degree up along c's first axis. The shape is that of c's other axes and x; with tensor = false these are broadcast. Whole numbers c are float64. Waits for nothing.
---```lua
---polynomial.hermite_e.hermeval(x, c, tensor?)
---```
---@param x moonarray.data
---@param c moonarray.data
---@param tensor? boolean|table
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermeval(x, c, tensor) end

---The values at points (x, y) of products of two series; x and y have one shape, c's first axes are x's and y's degrees.
---```lua
---polynomial.hermite_e.hermeval2d(x, y, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermeval2d(x, y, c) end

---The values at points (x, y, z) of products of three series; x, y and z have one shape, c's first axes are the degrees.
---```lua
---polynomial.hermite_e.hermeval3d(x, y, z, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermeval3d(x, y, z, c) end

---The values at x of the Hermite polynomials (probabilists') up to degree deg, along a new last axis. Waits for nothing.
---```lua
---polynomial.hermite_e.hermevander(x, deg)
---```
---@param x moonarray.data
---@param deg moonarray.whole
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermevander(x, deg) end

---The products of two vander matrices, deg = {x's, y's}, y's degrees running fastest along the last axis.
---```lua
---polynomial.hermite_e.hermevander2d(x, y, deg)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole[]
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermevander2d(x, y, deg) end

---The products of three vander matrices, deg = {x's, y's, z's}, z's degrees running fastest along the last axis.
---```lua
---polynomial.hermite_e.hermevander3d(x, y, z, deg)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param deg moonarray.whole[]
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermevander3d(x, y, z, deg) end

---The function by which the Hermite polynomials (probabilists') are orthogonal, at x.
---```lua
---polynomial.hermite_e.hermeweight(x)
---```
---@param x moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.hermeweight(x) end

---The series of Hermite polynomials (probabilists') of a polynomial in powers of x. Waits.
---```lua
---polynomial.hermite_e.poly2herme(pol)
---```
---@param pol moonarray.data
---@return moonarray.array
function moonarray.polynomial.hermite_e.poly2herme(pol) end

moonarray.polynomial.laguerre = {}

---The coefficients of the powers of x of a series of Laguerre polynomials. Waits.
---```lua
---polynomial.laguerre.lag2poly(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.lag2poly(c) end

---The sum of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.laguerre.lagadd(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.lagadd(c1, c2) end

---The companion matrix, whose eigenvalues are the roots of a series, scaled to be near to symmetric. Waits.
---```lua
---polynomial.laguerre.lagcompanion(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.lagcompanion(c) end

---The m-th (1) derivative of series along an axis (the first), each time multiplied by scl (1), for a change of variable.
---```lua
---polynomial.laguerre.lagder(c, m?, scl?, axis?)
---```
---@param c moonarray.data
---@param m? moonarray.whole|table
---@param scl? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.polynomial.laguerre.lagder(c, m, scl, axis) end

---The quotient and the remainder of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.laguerre.lagdiv(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.polynomial.laguerre.lagdiv(c1, c2) end

---The coefficients of the series of degree deg, or of the degrees in a table, that makes the sum of |w (p(x) - y)|^2 least; one column for each column of y. full: also residuals, rank, singular values and rcond. check: as in linalg.lstsq.
---```lua
---polynomial.laguerre.lagfit(x, y, deg, rcond?, full?, w?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param rcond? number|table
---@param full? boolean|table
---@param w? moonarray.data|table
---@param check? boolean|table
---@return moonarray.array
---@return table
function moonarray.polynomial.laguerre.lagfit(x, y, deg, rcond, full, w, check) end

---The series with these roots and 1 as its highest coefficient in powers of x. Waits.
---```lua
---polynomial.laguerre.lagfromroots(roots)
---```
---@param roots moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.lagfromroots(roots) end

---The values on the grid of x and y: the shape is c's other axes, x's and y's.
---```lua
---polynomial.laguerre.laggrid2d(x, y, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.laggrid2d(x, y, c) end

---The values on the grid of x, y and z: the shape is c's other axes, x's, y's and z's.
---```lua
---polynomial.laguerre.laggrid3d(x, y, z, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.laggrid3d(x, y, z, c) end

---The m-th (1) integral of series along an axis (the first), from lbnd (0), each time multiplied by scl (1) before, with constants k (0) in the order of the integrations. Waits only for a series of one coefficient.
---```lua
---polynomial.laguerre.lagint(c, m?, k?, lbnd?, scl?, axis?)
---```
---@param c moonarray.data
---@param m? moonarray.whole|table
---@param k? moonarray.data|table
---@param lbnd? number|table
---@param scl? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.polynomial.laguerre.lagint(c, m, k, lbnd, scl, axis) end

---The series of off + scl x, of two numbers.
---```lua
---polynomial.laguerre.lagline(off, scl)
---```
---@param off number
---@param scl number
---@return moonarray.array
function moonarray.polynomial.laguerre.lagline(off, scl) end

---The product of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.laguerre.lagmul(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.lagmul(c1, c2) end

---A series times x. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.laguerre.lagmulx(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.lagmulx(c) end

---A series to a whole power of at most maxpower (16). Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.laguerre.lagpow(c, pow, maxpower?)
---```
---@param c moonarray.data
---@param pow moonarray.whole
---@param maxpower? moonarray.whole|table
---@return moonarray.array
function moonarray.polynomial.laguerre.lagpow(c, pow, maxpower) end

---The roots of a series, sorted: real if all imaginary parts are 0, else complex. Waits.
---```lua
---polynomial.laguerre.lagroots(c; check?)
---```
---@param c moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.polynomial.laguerre.lagroots(c, check) end

---The difference of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.laguerre.lagsub(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.lagsub(c1, c2) end

---A series without what is at its end and not greater than tol (0). Waits.
---```lua
---polynomial.laguerre.lagtrim(c, tol?)
---```
---@param c moonarray.data
---@param tol? number|table
---@return moonarray.array
function moonarray.polynomial.laguerre.lagtrim(c, tol) end

---The values at x of series of Laguerre polynomials with coefficients c, from the lowest degree up along c's first axis. The shape is that of c's other axes and x; with tensor = false these are broadcast. Whole numbers c are float64. Waits for nothing.
---```lua
---polynomial.laguerre.lagval(x, c, tensor?)
---```
---@param x moonarray.data
---@param c moonarray.data
---@param tensor? boolean|table
---@return moonarray.array
function moonarray.polynomial.laguerre.lagval(x, c, tensor) end

---The values at points (x, y) of products of two series; x and y have one shape, c's first axes are x's and y's degrees.
---```lua
---polynomial.laguerre.lagval2d(x, y, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.lagval2d(x, y, c) end

---The values at points (x, y, z) of products of three series; x, y and z have one shape, c's first axes are the degrees.
---```lua
---polynomial.laguerre.lagval3d(x, y, z, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.lagval3d(x, y, z, c) end

---The values at x of the Laguerre polynomials up to degree deg, along a new last axis. Waits for nothing.
---```lua
---polynomial.laguerre.lagvander(x, deg)
---```
---@param x moonarray.data
---@param deg moonarray.whole
---@return moonarray.array
function moonarray.polynomial.laguerre.lagvander(x, deg) end

---The products of two vander matrices, deg = {x's, y's}, y's degrees running fastest along the last axis.
---```lua
---polynomial.laguerre.lagvander2d(x, y, deg)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole[]
---@return moonarray.array
function moonarray.polynomial.laguerre.lagvander2d(x, y, deg) end

---The products of three vander matrices, deg = {x's, y's, z's}, z's degrees running fastest along the last axis.
---```lua
---polynomial.laguerre.lagvander3d(x, y, z, deg)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param deg moonarray.whole[]
---@return moonarray.array
function moonarray.polynomial.laguerre.lagvander3d(x, y, z, deg) end

---The function by which the Laguerre polynomials are orthogonal, at x.
---```lua
---polynomial.laguerre.lagweight(x)
---```
---@param x moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.lagweight(x) end

---The series of Laguerre polynomials of a polynomial in powers of x. Waits.
---```lua
---polynomial.laguerre.poly2lag(pol)
---```
---@param pol moonarray.data
---@return moonarray.array
function moonarray.polynomial.laguerre.poly2lag(pol) end

moonarray.polynomial.legendre = {}

---The coefficients of the powers of x of a series of Legendre polynomials. Waits.
---```lua
---polynomial.legendre.leg2poly(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.leg2poly(c) end

---The sum of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.legendre.legadd(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.legadd(c1, c2) end

---The companion matrix, whose eigenvalues are the roots of a series, scaled to be near to symmetric. Waits.
---```lua
---polynomial.legendre.legcompanion(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.legcompanion(c) end

---The m-th (1) derivative of series along an axis (the first), each time multiplied by scl (1), for a change of variable.
---```lua
---polynomial.legendre.legder(c, m?, scl?, axis?)
---```
---@param c moonarray.data
---@param m? moonarray.whole|table
---@param scl? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.polynomial.legendre.legder(c, m, scl, axis) end

---The quotient and the remainder of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.legendre.legdiv(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.polynomial.legendre.legdiv(c1, c2) end

---The coefficients of the series of degree deg, or of the degrees in a table, that makes the sum of |w (p(x) - y)|^2 least; one column for each column of y. full: also residuals, rank, singular values and rcond. check: as in linalg.lstsq.
---```lua
---polynomial.legendre.legfit(x, y, deg, rcond?, full?, w?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param rcond? number|table
---@param full? boolean|table
---@param w? moonarray.data|table
---@param check? boolean|table
---@return moonarray.array
---@return table
function moonarray.polynomial.legendre.legfit(x, y, deg, rcond, full, w, check) end

---The series with these roots and 1 as its highest coefficient in powers of x. Waits.
---```lua
---polynomial.legendre.legfromroots(roots)
---```
---@param roots moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.legfromroots(roots) end

---The values on the grid of x and y: the shape is c's other axes, x's and y's.
---```lua
---polynomial.legendre.leggrid2d(x, y, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.leggrid2d(x, y, c) end

---The values on the grid of x, y and z: the shape is c's other axes, x's, y's and z's.
---```lua
---polynomial.legendre.leggrid3d(x, y, z, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.leggrid3d(x, y, z, c) end

---The m-th (1) integral of series along an axis (the first), from lbnd (0), each time multiplied by scl (1) before, with constants k (0) in the order of the integrations. Waits only for a series of one coefficient.
---```lua
---polynomial.legendre.legint(c, m?, k?, lbnd?, scl?, axis?)
---```
---@param c moonarray.data
---@param m? moonarray.whole|table
---@param k? moonarray.data|table
---@param lbnd? number|table
---@param scl? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.polynomial.legendre.legint(c, m, k, lbnd, scl, axis) end

---The series of off + scl x, of two numbers.
---```lua
---polynomial.legendre.legline(off, scl)
---```
---@param off number
---@param scl number
---@return moonarray.array
function moonarray.polynomial.legendre.legline(off, scl) end

---The product of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.legendre.legmul(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.legmul(c1, c2) end

---A series times x. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.legendre.legmulx(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.legmulx(c) end

---A series to a whole power of at most maxpower (16). Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.legendre.legpow(c, pow, maxpower?)
---```
---@param c moonarray.data
---@param pow moonarray.whole
---@param maxpower? moonarray.whole|table
---@return moonarray.array
function moonarray.polynomial.legendre.legpow(c, pow, maxpower) end

---The roots of a series, sorted: real if all imaginary parts are 0, else complex. Waits.
---```lua
---polynomial.legendre.legroots(c; check?)
---```
---@param c moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.polynomial.legendre.legroots(c, check) end

---The difference of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.legendre.legsub(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.legsub(c1, c2) end

---A series without what is at its end and not greater than tol (0). Waits.
---```lua
---polynomial.legendre.legtrim(c, tol?)
---```
---@param c moonarray.data
---@param tol? number|table
---@return moonarray.array
function moonarray.polynomial.legendre.legtrim(c, tol) end

---The values at x of series of Legendre polynomials with coefficients c, from the lowest degree up along c's first axis. The shape is that of c's other axes and x; with tensor = false these are broadcast. Whole numbers c are float64. Waits for nothing.
---```lua
---polynomial.legendre.legval(x, c, tensor?)
---```
---@param x moonarray.data
---@param c moonarray.data
---@param tensor? boolean|table
---@return moonarray.array
function moonarray.polynomial.legendre.legval(x, c, tensor) end

---The values at points (x, y) of products of two series; x and y have one shape, c's first axes are x's and y's degrees.
---```lua
---polynomial.legendre.legval2d(x, y, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.legval2d(x, y, c) end

---The values at points (x, y, z) of products of three series; x, y and z have one shape, c's first axes are the degrees.
---```lua
---polynomial.legendre.legval3d(x, y, z, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.legval3d(x, y, z, c) end

---The values at x of the Legendre polynomials up to degree deg, along a new last axis. Waits for nothing.
---```lua
---polynomial.legendre.legvander(x, deg)
---```
---@param x moonarray.data
---@param deg moonarray.whole
---@return moonarray.array
function moonarray.polynomial.legendre.legvander(x, deg) end

---The products of two vander matrices, deg = {x's, y's}, y's degrees running fastest along the last axis.
---```lua
---polynomial.legendre.legvander2d(x, y, deg)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole[]
---@return moonarray.array
function moonarray.polynomial.legendre.legvander2d(x, y, deg) end

---The products of three vander matrices, deg = {x's, y's, z's}, z's degrees running fastest along the last axis.
---```lua
---polynomial.legendre.legvander3d(x, y, z, deg)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param deg moonarray.whole[]
---@return moonarray.array
function moonarray.polynomial.legendre.legvander3d(x, y, z, deg) end

---The function by which the Legendre polynomials are orthogonal, at x.
---```lua
---polynomial.legendre.legweight(x)
---```
---@param x moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.legweight(x) end

---The series of Legendre polynomials of a polynomial in powers of x. Waits.
---```lua
---polynomial.legendre.poly2leg(pol)
---```
---@param pol moonarray.data
---@return moonarray.array
function moonarray.polynomial.legendre.poly2leg(pol) end

moonarray.polynomial.polynomial = {}

---The sum of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.polynomial.polyadd(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.polynomial.polyadd(c1, c2) end

---The companion matrix, whose eigenvalues are the roots of a series. Waits.
---```lua
---polynomial.polynomial.polycompanion(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.polynomial.polycompanion(c) end

---The m-th (1) derivative of series along an axis (the first), each time multiplied by scl (1), for a change of variable.
---```lua
---polynomial.polynomial.polyder(c, m?, scl?, axis?)
---```
---@param c moonarray.data
---@param m? moonarray.whole|table
---@param scl? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.polynomial.polynomial.polyder(c, m, scl, axis) end

---The quotient and the remainder of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.polynomial.polydiv(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.polynomial.polynomial.polydiv(c1, c2) end

---The coefficients of the series of degree deg, or of the degrees in a table, that makes the sum of |w (p(x) - y)|^2 least; one column for each column of y. full: also residuals, rank, singular values and rcond. check: as in linalg.lstsq.
---```lua
---polynomial.polynomial.polyfit(x, y, deg, rcond?, full?, w?; check?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole
---@param rcond? number|table
---@param full? boolean|table
---@param w? moonarray.data|table
---@param check? boolean|table
---@return moonarray.array
---@return table
function moonarray.polynomial.polynomial.polyfit(x, y, deg, rcond, full, w, check) end

---The series with these roots and 1 as its highest coefficient in powers of x. Waits.
---```lua
---polynomial.polynomial.polyfromroots(roots)
---```
---@param roots moonarray.data
---@return moonarray.array
function moonarray.polynomial.polynomial.polyfromroots(roots) end

---The values on the grid of x and y: the shape is c's other axes, x's and y's.
---```lua
---polynomial.polynomial.polygrid2d(x, y, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.polynomial.polygrid2d(x, y, c) end

---The values on the grid of x, y and z: the shape is c's other axes, x's, y's and z's.
---```lua
---polynomial.polynomial.polygrid3d(x, y, z, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.polynomial.polygrid3d(x, y, z, c) end

---The m-th (1) integral of series along an axis (the first), from lbnd (0), each time multiplied by scl (1) before, with constants k (0) in the order of the integrations. Waits only for a series of one coefficient.
---```lua
---polynomial.polynomial.polyint(c, m?, k?, lbnd?, scl?, axis?)
---```
---@param c moonarray.data
---@param m? moonarray.whole|table
---@param k? moonarray.data|table
---@param lbnd? number|table
---@param scl? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.polynomial.polynomial.polyint(c, m, k, lbnd, scl, axis) end

---The series of off + scl x, of two numbers.
---```lua
---polynomial.polynomial.polyline(off, scl)
---```
---@param off number
---@param scl number
---@return moonarray.array
function moonarray.polynomial.polynomial.polyline(off, scl) end

---The product of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.polynomial.polymul(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.polynomial.polymul(c1, c2) end

---A series times x. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.polynomial.polymulx(c)
---```
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.polynomial.polymulx(c) end

---A series to a whole power of at most maxpower (any). Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.polynomial.polypow(c, pow, maxpower?)
---```
---@param c moonarray.data
---@param pow moonarray.whole
---@param maxpower? moonarray.whole|table
---@return moonarray.array
function moonarray.polynomial.polynomial.polypow(c, pow, maxpower) end

---The roots of a series, sorted: real if all imaginary parts are 0, else complex. Waits.
---```lua
---polynomial.polynomial.polyroots(c; check?)
---```
---@param c moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.polynomial.polynomial.polyroots(c, check) end

---The difference of two series. Zeros at the end are left out, which is looked at and waits.
---```lua
---polynomial.polynomial.polysub(c1, c2)
---```
---@param c1 moonarray.data
---@param c2 moonarray.data
---@return moonarray.array
function moonarray.polynomial.polynomial.polysub(c1, c2) end

---A series without what is at its end and not greater than tol (0). Waits.
---```lua
---polynomial.polynomial.polytrim(c, tol?)
---```
---@param c moonarray.data
---@param tol? number|table
---@return moonarray.array
function moonarray.polynomial.polynomial.polytrim(c, tol) end

---The values at x of series of powers of x with coefficients c, the constant first along c's first axis. The shape is that of c's other axes and x; with tensor = false these are broadcast. Whole numbers c are float64. Waits for nothing.
---```lua
---polynomial.polynomial.polyval(x, c, tensor?)
---```
---@param x moonarray.data
---@param c moonarray.data
---@param tensor? boolean|table
---@return moonarray.array
function moonarray.polynomial.polynomial.polyval(x, c, tensor) end

---The values at points (x, y) of products of two series; x and y have one shape, c's first axes are x's and y's degrees.
---```lua
---polynomial.polynomial.polyval2d(x, y, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.polynomial.polyval2d(x, y, c) end

---The values at points (x, y, z) of products of three series; x, y and z have one shape, c's first axes are the degrees.
---```lua
---polynomial.polynomial.polyval3d(x, y, z, c)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param c moonarray.data
---@return moonarray.array
function moonarray.polynomial.polynomial.polyval3d(x, y, z, c) end

---The products of x - r over r's first axis. The shape is that of r's other axes and x; with tensor = false these are broadcast, and r has more axes than x. Waits for nothing.
---```lua
---polynomial.polynomial.polyvalfromroots(x, r, tensor?)
---```
---@param x moonarray.data
---@param r moonarray.data
---@param tensor? boolean|table
---@return moonarray.array
function moonarray.polynomial.polynomial.polyvalfromroots(x, r, tensor) end

---The values at x of the powers of x up to degree deg, along a new last axis. Waits for nothing.
---```lua
---polynomial.polynomial.polyvander(x, deg)
---```
---@param x moonarray.data
---@param deg moonarray.whole
---@return moonarray.array
function moonarray.polynomial.polynomial.polyvander(x, deg) end

---The products of two vander matrices, deg = {x's, y's}, y's degrees running fastest along the last axis.
---```lua
---polynomial.polynomial.polyvander2d(x, y, deg)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param deg moonarray.whole[]
---@return moonarray.array
function moonarray.polynomial.polynomial.polyvander2d(x, y, deg) end

---The products of three vander matrices, deg = {x's, y's, z's}, z's degrees running fastest along the last axis.
---```lua
---polynomial.polynomial.polyvander3d(x, y, z, deg)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param z moonarray.data
---@param deg moonarray.whole[]
---@return moonarray.array
function moonarray.polynomial.polynomial.polyvander3d(x, y, z, deg) end

moonarray.polynomial.polyutils = {}

---Vectors of one dtype out of a table of them: floats, whole numbers as float64; without the zeros at their ends unless trim is false. A table of copies. Waits if it trims.
---```lua
---polynomial.polyutils.as_series(alist, trim?)
---```
---@param alist moonarray.data
---@param trim? string|table
---@return moonarray.array[]
function moonarray.polynomial.polyutils.as_series(alist, trim) end

---The least and the greatest element as an array of two; of complex numbers the corners of their box. Waits for nothing.
---```lua
---polynomial.polyutils.getdomain(x)
---```
---@param x moonarray.data
---@return moonarray.array
function moonarray.polynomial.polyutils.getdomain(x) end

---x by the linear map from the domain old to new, both of two numbers.
---```lua
---polynomial.polyutils.mapdomain(x, old, new)
---```
---@param x moonarray.data
---@param old number[]
---@param new number[]
---@return moonarray.array
function moonarray.polynomial.polyutils.mapdomain(x, old, new) end

---Two numbers off and scl with which off + scl x maps the domain old to new, both of two numbers.
---```lua
---polynomial.polyutils.mapparms(old, new)
---```
---@param old number[]
---@param new number[]
---@return number
---@return number
function moonarray.polynomial.polyutils.mapparms(old, new) end

---A copy of coefficients without what is at their end and not greater than tol (0). Waits.
---```lua
---polynomial.polyutils.trimcoef(c, tol?)
---```
---@param c moonarray.data
---@param tol? number|table
---@return moonarray.array
function moonarray.polynomial.polyutils.trimcoef(c, tol) end

---A vector without the zeros at its end; one is left of nothing else. A view. Waits.
---```lua
---polynomial.polyutils.trimseq(seq)
---```
---@param seq moonarray.data
---@return moonarray.array
function moonarray.polynomial.polyutils.trimseq(seq) end

---The difference of two polynomials: vectors of coefficients, the highest power first, or poly1d objects, which give one.
---```lua
---polysub(a1, a2)
---```
---@param a1 moonarray.data
---@param a2 moonarray.data
---@return moonarray.array
function moonarray.polysub(a1, a2) end

---The values of a polynomial at x, of x's shape, by Horner's rule; p has the highest power first. The dtype is that of p and x together. Of a poly1d object x, the polynomial of x: another one. polyval({1, 0, 2}, 3) is 11.
---```lua
---polyval(p, x)
---```
---@param p moonarray.data
---@param x moonarray.data
---@return moonarray.array
function moonarray.polyval(p, x) end

---x, a copy
---```lua
---positive(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.positive: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.positive = {}
array.positive = moonarray.positive

---x to the power y; integers wrap, and their exponents may not be negative
---```lua
---power(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.pow: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.pow = {}
array.pow = moonarray.pow

---x to the power y; integers wrap, and their exponents may not be negative
---```lua
---power(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.power: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.power = {}
array.power = moonarray.power

---Calls fn(...) with other options of printing and restores them, on an error too.
---```lua
---printoptions(options, fn, ...)
---```
---@param options table
---@param fn function
---@param ... any
---@return any ...
function moonarray.printoptions(options, fn, ...) end

---Product of elements along axes.
---```lua
---prod(a, axis?, dtype?, out?, keepdims?, initial?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.prod(a, axis, dtype, out, keepdims, initial, where) end
array.prod = moonarray.prod

moonarray.profiler = {}

---Times calls of fn(args...): on the CPU, and between events on the GPU. The result has cpu_times and gpu_times[k] in seconds; printed it shows mean, deviation, least and most in microseconds. n_repeat calls (10000) after n_warmup (10), fewer if they take over max_duration seconds.
---```lua
---profiler.benchmark(fn, args?, n_repeat?, n_warmup?; name?, max_duration?, devices?)
---```
---@param fn function
---@param args? any[]|table
---@param n_repeat? moonarray.whole|table
---@param n_warmup? moonarray.whole|table
---@param name? string|table
---@param max_duration? number|table
---@param devices? moonarray.whole[]|table
---@return moonarray.benchmark
function moonarray.profiler.benchmark(fn, args, n_repeat, n_warmup, name, max_duration, devices) end

---Calls fn(...) with the GPU's profiler switched on (nsys profile --capture-range=cudaProfilerApi), off again on error too; returns what fn returns.
---```lua
---profiler.profile(fn, ...)
---```
---@param fn function
---@param ... any
---@return any ...
function moonarray.profiler.profile(fn, ...) end

---Calls fn(...) within a named range on a profiler's time line, which ends on error too; returns what fn returns.
---```lua
---profiler.time_range(name, fn, ...)
---```
---@param name string
---@param fn function
---@param ... any
---@return any ...
function moonarray.profiler.time_range(name, fn, ...) end

---For loops that take long: `for i in ma.progress(n) do` shows share, rate and time left on the terminal (stderr), or bar:step(k?) and bar:close(). Writes ten times a second at most, takes its line away at the end, and writes nothing where there is no terminal.
---```lua
---progress(n, title?; width?, stream?)
---```
---@param n moonarray.whole
---@param title? string|table
---@param width? moonarray.whole|table
---@param stream? table|file*|table
---@return moonarray.progress
function moonarray.progress(n, title, width, stream) end

---The smallest dtype that both can be cast to safely.
---```lua
---promote_types(type1, type2)
---```
---@param type1 moonarray.dtype
---@param type2 moonarray.dtype
---@return moonarray.dtype
function moonarray.promote_types(type1, type2) end

---Greatest element less the smallest.
---```lua
---ptp(a, axis?, out?, keepdims?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@return moonarray.array
function moonarray.ptp(a, axis, out, keepdims) end
array.ptp = moonarray.ptp

---Stores values at positions of a, counted in C order; values are repeated as needed. Changes and returns a.
---```lua
---put(a, indices, values, mode?)
---```
---@param a moonarray.data
---@param indices moonarray.whole|moonarray.whole[]|moonarray.part
---@param values moonarray.data
---@param mode? string|table
---@return moonarray.array
function moonarray.put(a, indices, values, mode) end
array.put = moonarray.put

---Stores values where take_along_axis would read. Changes and returns a.
---```lua
---put_along_axis(a, indices, values, axis?)
---```
---@param a moonarray.data
---@param indices moonarray.whole|moonarray.whole[]|moonarray.part
---@param values moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.put_along_axis(a, indices, values, axis) end
array.put_along_axis = moonarray.put_along_axis

---Stores in each element of a where the mask is true the element of values at the same place, values being repeated to the size of a; changes and returns a. Example: ma.putmask(ma.zeros(4), ma.array{true, false, true, true}, {7, 8}) --> [7. 0. 7. 8.]
---```lua
---putmask(a, mask, values)
---```
---@param a moonarray.data
---@param mask moonarray.data
---@param values moonarray.data
---@return moonarray.array
function moonarray.putmask(a, mask, values) end
array.putmask = moonarray.putmask

---The value below which the fraction q of the elements lies, along axes; q may be a table. method: linear, lower, higher, nearest, midpoint, hazen, weibull, median_unbiased, normal_unbiased, inverted_cdf, averaged_inverted_cdf, closest_observation or interpolated_inverted_cdf; the elements may have weights with inverted_cdf.
---```lua
---quantile(a, q, axis?, out?, overwrite_input?, method?, keepdims?; weights?)
---```
---@param a moonarray.data
---@param q moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param overwrite_input? boolean|table
---@param method? string|table
---@param keepdims? boolean|table
---@param weights? moonarray.data|table
---@return moonarray.array
function moonarray.quantile(a, q, axis, out, overwrite_input, method, keepdims, weights) end
array.quantile = moonarray.quantile

---The arguments joined along the first axis (axis), with at least ndmin (1) axes each. An argument is an array, a table, a number, or a range as text: "1:5", "1:9:2" (both ends taken), "0:1:5j" (5 points). The dtype is NumPy's; numbers are weak. trans1d says which axis the first one of a shallower argument becomes (-1: the last ones are its own). Example: ma.r_("1:3", 0, {4.5}) --> [1. 2. 3. 0. 4.5]
---```lua
---r_(...; axis?, ndmin?, trans1d?)
---```
---@param ... any
---@return moonarray.array
function moonarray.r_(...) end

---radians to degrees
---```lua
---rad2deg(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.rad2deg: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.rad2deg = {}
array.rad2deg = moonarray.rad2deg

---degrees to radians
---```lua
---deg2rad(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.radians: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.radians = {}
array.radians = moonarray.radians

moonarray.random = {}

---NumPy's older name of a generator: random.default_rng, whose generators have the older methods too.
---```lua
---random.RandomState(seed?, bit_generator?)
---```
---@param seed? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param bit_generator? string|table
---@return moonarray.generator
function moonarray.random.RandomState(seed, bit_generator) end

---Beta distribution on [0, 1]. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.beta(a, b, size?, dtype?, out?, device?; generator?)
---```
---@param a number|moonarray.part
---@param b number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.beta(a, b, size, dtype, out, device, generator) end

---Successes in n trials of probability p. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---random.binomial(n, p, size?, dtype?, out?, device?; generator?)
---```
---@param n number|moonarray.part
---@param p number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.binomial(n, p, size, dtype, out, device, generator) end

---A string of that many bytes; waits.
---```lua
---random.bytes(length; generator?)
---```
---@param length moonarray.whole
---@param generator? moonarray.generator|table
---@return string
function moonarray.random.bytes(length, generator) end

---Sum of the squares of df standard normals. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.chisquare(df, size?, dtype?, out?, device?; generator?)
---```
---@param df number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.chisquare(df, size, dtype, out, device, generator) end

---Elements of the array a along an axis (the first), or positions 1 .. a, by chance: with replacement unless replace = false, by the weights p if they are given.
---```lua
---random.choice(a, size?, replace?, p?, axis?, shuffle?, device?; generator?)
---```
---@param a moonarray.data|moonarray.whole
---@param size? moonarray.whole|moonarray.whole[]|table
---@param replace? boolean|table
---@param p? moonarray.data|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param shuffle? boolean|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.choice(a, size, replace, p, axis, shuffle, device, generator) end

---A generator of random numbers with methods as in NumPy: random, integers, normal, choice ... seed: a whole number, a list or an array of them, or none for one that nobody knows. The same seed gives the same numbers on every device.
---```lua
---random.default_rng(seed?, bit_generator?)
---```
---@param seed? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param bit_generator? string|table
---@return moonarray.generator
function moonarray.random.default_rng(seed, bit_generator) end

---Vectors of positive parts of 1, by the parameters alpha along the last axis.
---```lua
---random.dirichlet(alpha, size?, dtype?, device?; generator?)
---```
---@param alpha moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array
function moonarray.random.dirichlet(alpha, size, dtype, device, generator) end

---Exponential numbers of mean `scale`. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.exponential(scale?, size?, dtype?, out?, device?; generator?)
---```
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.exponential(scale, size, dtype, out, device, generator) end

---Fisher's F distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.f(dfnum, dfden, size?, dtype?, out?, device?; generator?)
---```
---@param dfnum number|moonarray.part
---@param dfden number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.f(dfnum, dfden, size, dtype, out, device, generator) end

---Gamma distribution of a shape and a scale. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.gamma(shape, scale?, size?, dtype?, out?, device?; generator?)
---```
---@param shape number|moonarray.part
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.gamma(shape, scale, size, dtype, out, device, generator) end

---Trials up to the first success of probability p. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---random.geometric(p, size?, dtype?, out?, device?; generator?)
---```
---@param p number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.geometric(p, size, dtype, out, device, generator) end

---The generator of the functions of moonarray.random itself.
---```lua
---random.get_random_state()
---```
---@return moonarray.generator
function moonarray.random.get_random_state() end

---State of the generator of the functions of moonarray.random, for random.set_state.
---```lua
---random.get_state()
---```
---@return table
function moonarray.random.get_state() end

---Gumbel's distribution of maxima. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.gumbel(loc?, scale?, size?, dtype?, out?, device?; generator?)
---```
---@param loc? number|moonarray.part|moonarray.dtype|table
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.gumbel(loc, scale, size, dtype, out, device, generator) end

---Good ones among nsample of ngood good and nbad bad ones. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---random.hypergeometric(ngood, nbad, nsample, size?, dtype?, out?, device?; generator?)
---```
---@param ngood number|moonarray.part
---@param nbad number|moonarray.part
---@param nsample moonarray.whole|moonarray.whole[]
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.hypergeometric(ngood, nbad, nsample, size, dtype, out, device, generator) end

---Whole numbers from low to below high (to high itself with endpoint), each as likely as the others; from 0 to below low if high is not given. Bounds may be arrays: where there is nothing between them the number is 0.
---```lua
---random.integers(low, high?, size?, dtype?, endpoint?, out?, device?; generator?)
---```
---@param low number|moonarray.part
---@param high? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param endpoint? boolean|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.integers(low, high, size, dtype, endpoint, out, device, generator) end

---Laplace distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.laplace(loc?, scale?, size?, dtype?, out?, device?; generator?)
---```
---@param loc? number|moonarray.part|moonarray.dtype|table
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.laplace(loc, scale, size, dtype, out, device, generator) end

---Logistic distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.logistic(loc?, scale?, size?, dtype?, out?, device?; generator?)
---```
---@param loc? number|moonarray.part|moonarray.dtype|table
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.logistic(loc, scale, size, dtype, out, device, generator) end

---exp of normal numbers of this mean and standard deviation. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.lognormal(mean?, sigma?, size?, dtype?, out?, device?; generator?)
---```
---@param mean? number|moonarray.part|moonarray.dtype|table
---@param sigma? number|number[]|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.lognormal(mean, sigma, size, dtype, out, device, generator) end

---Logarithmic series distribution. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---random.logseries(p, size?, dtype?, out?, device?; generator?)
---```
---@param p number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.logseries(p, size, dtype, out, device, generator) end

---How often each of some outcomes of probabilities pvals, along its last axis, occurs in n trials.
---```lua
---random.multinomial(n, pvals, size?, dtype?, device?; generator?)
---```
---@param n moonarray.whole
---@param pvals moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array
function moonarray.random.multinomial(n, pvals, size, dtype, device, generator) end

---How many of each color are among nsample that are taken out of colors[1] of the first, colors[2] of the second ...
---```lua
---random.multivariate_hypergeometric(colors, nsample, size?, dtype?, device?; generator?)
---```
---@param colors moonarray.data
---@param nsample moonarray.whole|moonarray.whole[]
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array
function moonarray.random.multivariate_hypergeometric(colors, nsample, size, dtype, device, generator) end

---Normal vectors of a mean and a covariance matrix, factored by method 'svd' (default), 'eigh' or 'cholesky'.
---```lua
---random.multivariate_normal(mean, cov, size?, dtype?, method?, device?; generator?)
---```
---@param mean moonarray.data
---@param cov moonarray.data
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param method? string|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array
function moonarray.random.multivariate_normal(mean, cov, size, dtype, method, device, generator) end

---Failures before n successes of probability p. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---random.negative_binomial(n, p, size?, dtype?, out?, device?; generator?)
---```
---@param n number|moonarray.part
---@param p number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.negative_binomial(n, p, size, dtype, out, device, generator) end

---The same of normals whose squared means add up to nonc. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.noncentral_chisquare(df, nonc, size?, dtype?, out?, device?; generator?)
---```
---@param df number|moonarray.part
---@param nonc number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.noncentral_chisquare(df, nonc, size, dtype, out, device, generator) end

---Noncentral F distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.noncentral_f(dfnum, dfden, nonc, size?, dtype?, out?, device?; generator?)
---```
---@param dfnum number|moonarray.part
---@param dfden number|moonarray.part
---@param nonc number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.noncentral_f(dfnum, dfden, nonc, size, dtype, out, device, generator) end

---Normal numbers of mean loc and standard deviation scale, 0 and 1 by default.
---```lua
---random.normal(loc?, scale?, size?, dtype?, out?, device?; generator?)
---```
---@param loc? number|moonarray.part|moonarray.dtype|table
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.normal(loc, scale, size, dtype, out, device, generator) end

---Pareto II (Lomax) distribution; add 1 for the classical one. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.pareto(a, size?, dtype?, out?, device?; generator?)
---```
---@param a number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.pareto(a, size, dtype, out, device, generator) end

---The positions 1 .. x in an order by chance, or a copy of the array x with those along an axis (the first) in such an order.
---```lua
---random.permutation(x, axis?, device?; generator?)
---```
---@param x moonarray.data|moonarray.whole
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array
function moonarray.random.permutation(x, axis, device, generator) end

---A copy with the elements along an axis in an order by chance, another one for each row; without axis, of all elements.
---```lua
---random.permuted(x, axis?, out?; generator?)
---```
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param generator? moonarray.generator|table
---@return moonarray.array
function moonarray.random.permuted(x, axis, out, generator) end

---Events in an interval where lam are expected. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---random.poisson(lam?, size?, dtype?, out?, device?; generator?)
---```
---@param lam? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.poisson(lam, size, dtype, out, device, generator) end

---Density a x^(a - 1) on [0, 1]. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.power(a, size?, dtype?, out?, device?; generator?)
---```
---@param a number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.power(a, size, dtype, out, device, generator) end

---Uniform numbers in [0, 1); extents one by one.
---```lua
---random.rand(; dtype?, out?, device?, generator?, ...)
---```
---@param ... any
---@return moonarray.array|moonarray.scalar
function moonarray.random.rand(...) end

---Whole numbers from low to below high; from 0 to below low if high is not given.
---```lua
---random.randint(low, high?, size?, dtype?, out?, device?; generator?)
---```
---@param low number|moonarray.part
---@param high? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.randint(low, high, size, dtype, out, device, generator) end

---Normal numbers of mean 0 and standard deviation 1; extents one by one.
---```lua
---random.randn(; dtype?, out?, device?, generator?, ...)
---```
---@param ... any
---@return moonarray.array|moonarray.scalar
function moonarray.random.randn(...) end

---Uniform numbers in [0, 1): float32 from 24 bits, float64 from 53.
---```lua
---random.random(size?, dtype?, out?, device?; generator?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.random(size, dtype, out, device, generator) end

---Whole numbers from low to high, both included; from 1 to low if high is not given.
---```lua
---random.random_integers(low, high?, size?; generator?)
---```
---@param low number|moonarray.part
---@param high? number|moonarray.part|table
---@param size? moonarray.whole|moonarray.whole[]|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.random_integers(low, high, size, generator) end

---The same as random.random.
---```lua
---random.random_sample(size?, dtype?, out?, device?; generator?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.random_sample(size, dtype, out, device, generator) end

---The same as random.random.
---```lua
---random.ranf(size?, dtype?, out?, device?; generator?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.ranf(size, dtype, out, device, generator) end

---Rayleigh distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.rayleigh(scale?, size?, dtype?, out?, device?; generator?)
---```
---@param scale? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.rayleigh(scale, size, dtype, out, device, generator) end

---Seeds the generator of the functions of moonarray.random by a seed that nobody knows.
---```lua
---random.reset_states()
---```
function moonarray.random.reset_states() end

---The same as random.random.
---```lua
---random.sample(size?, dtype?, out?, device?; generator?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.sample(size, dtype, out, device, generator) end

---Seeds the generator of the functions of moonarray.random, which starts with $MOONARRAY_SEED or a seed that nobody knows.
---```lua
---random.seed(seed?)
---```
---@param seed? moonarray.whole|moonarray.whole[]|moonarray.part|table
function moonarray.random.seed(seed) end

---Makes a generator that of the functions of moonarray.random.
---```lua
---random.set_random_state(generator)
---```
---@param generator moonarray.generator
function moonarray.random.set_random_state(generator) end

---Makes the generator of the functions of moonarray.random go on where it was at random.get_state.
---```lua
---random.set_state(state)
---```
---@param state table
function moonarray.random.set_state(state) end

---Puts what lies along an axis (the first) of an array in an order by chance, in place; returns the array.
---```lua
---random.shuffle(x, axis?; generator?)
---```
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param generator? moonarray.generator|table
---@return moonarray.array
function moonarray.random.shuffle(x, axis, generator) end

---Cauchy distribution: the ratio of two standard normals. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.standard_cauchy(size?, dtype?, out?, device?; generator?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.standard_cauchy(size, dtype, out, device, generator) end

---Exponential numbers of mean 1. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.standard_exponential(size?, dtype?, out?, device?; generator?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.standard_exponential(size, dtype, out, device, generator) end

---Gamma distribution of a shape, scale 1. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.standard_gamma(shape, size?, dtype?, out?, device?; generator?)
---```
---@param shape number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.standard_gamma(shape, size, dtype, out, device, generator) end

---Normal numbers of mean 0 and standard deviation 1.
---```lua
---random.standard_normal(size?, dtype?, out?, device?; generator?)
---```
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.standard_normal(size, dtype, out, device, generator) end

---Student's t distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.standard_t(df, size?, dtype?, out?, device?; generator?)
---```
---@param df number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.standard_t(df, size, dtype, out, device, generator) end

---Whole numbers from 0 to the largest int64, 2^63 - 1.
---```lua
---random.tomaxint(size?; generator?)
---```
---@param size? moonarray.whole|moonarray.whole[]|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.tomaxint(size, generator) end

---Triangular distribution from left to right. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.triangular(left, mode, right, size?, dtype?, out?, device?; generator?)
---```
---@param left number|moonarray.part
---@param mode number|moonarray.part
---@param right number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.triangular(left, mode, right, size, dtype, out, device, generator) end

---Uniform numbers from low to below high, 0 and 1 by default.
---```lua
---random.uniform(low?, high?, size?, dtype?, out?, device?; generator?)
---```
---@param low? number|moonarray.part|moonarray.dtype|table
---@param high? number|moonarray.part|moonarray.dtype|table
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.uniform(low, high, size, dtype, out, device, generator) end

---Angles in [-pi, pi] around mu. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.vonmises(mu, kappa, size?, dtype?, out?, device?; generator?)
---```
---@param mu number|moonarray.part
---@param kappa number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.vonmises(mu, kappa, size, dtype, out, device, generator) end

---Inverse Gaussian distribution. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.wald(mean, scale, size?, dtype?, out?, device?; generator?)
---```
---@param mean number|moonarray.part
---@param scale number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.wald(mean, scale, size, dtype, out, device, generator) end

---Weibull distribution of scale 1. Parameters may be arrays: one that is out of range gives NaN.
---```lua
---random.weibull(a, size?, dtype?, out?, device?; generator?)
---```
---@param a number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.weibull(a, size, dtype, out, device, generator) end

---Zipf distribution: k from 1 on with probability like k^-a. Parameters may be arrays: one that is out of range gives NaN, as a whole number 0, or is an error where it is a probability and on the CPU.
---```lua
---random.zipf(a, size?, dtype?, out?, device?; generator?)
---```
---@param a number|moonarray.part
---@param size? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param device? string|table
---@param generator? moonarray.generator|table
---@return moonarray.array|moonarray.scalar
function moonarray.random.zipf(a, size, dtype, out, device, generator) end

---Numbers from lo to hi, both ends taken, as `for i = lo, hi, step`.
---```lua
---range(lo, hi, step?, dtype?; device?)
---```
---@param lo number
---@param hi number
---@param step? number|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.range(lo, hi, step, dtype, device) end

---All elements along one axis, a view where the strides allow it; order "K": as they lie in memory.
---```lua
---ravel(a, order?)
---```
---@param a moonarray.data
---@param order? string|table
---@return moonarray.array
function moonarray.ravel(a, order) end
array.ravel = moonarray.ravel

---A table with positions for each axis as positions counted in C order (order "F": Fortran's).
---```lua
---ravel_multi_index(multi_index, dims, mode?, order?)
---```
---@param multi_index moonarray.data[]
---@param dims moonarray.whole|moonarray.whole[]
---@param mode? string|table
---@param order? string|table
---@return moonarray.array
function moonarray.ravel_multi_index(multi_index, dims, mode, order) end

---The real part: a view of a complex array, the array itself if it is real.
---```lua
---real(val)
---```
---@param val moonarray.data
---@return moonarray.array|moonarray.scalar
function moonarray.real(val) end

---The real part if all imaginary parts are within tol (100) epsilons of 0, else the array itself. Waits.
---```lua
---real_if_close(a, tol?)
---```
---@param a moonarray.data
---@param tol? number|table
---@return moonarray.array|moonarray.scalar
function moonarray.real_if_close(a, tol) end
array.real_if_close = moonarray.real_if_close

---1 / x in the dtype of x: the whole quotient for integers, 0 for 0
---```lua
---reciprocal(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.reciprocal: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.reciprocal = {}
array.reciprocal = moonarray.reciprocal

---x - floor_divide(x, y) * y, with the sign of y; an integer modulo 0 is 0
---```lua
---remainder(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.remainder: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.remainder = {}
array.remainder = moonarray.remainder

---Each element repeated so often, along an axis or flattened.
---```lua
---repeat_(a, repeats, axis?)
---```
---@param a moonarray.data
---@param repeats moonarray.whole|moonarray.whole[]|moonarray.part
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.repeat_(a, repeats, axis) end
array.repeat_ = moonarray.repeat_

---The array as it is required to be, itself or a copy: "C" or "F" order, "W" writeable, "O" all of its memory and not a part of another's; "A" aligned and "E" an array hold anyway. A text or a table of them. Example: ma.require(ma.zeros{2, 3}.T, nil, {"C", "W"}).is_contiguous --> true
---```lua
---require(a, dtype?, requirements?; device?)
---```
---@param a moonarray.data
---@param dtype? moonarray.dtype|table
---@param requirements? string|string[]|table
---@param device? string|table
---@return moonarray.array
function moonarray.require(a, dtype, requirements, device) end
array.require = moonarray.require

---The same elements in another shape, a view where the strides allow it (copy = false: else an error, true: never). One extent may be -1.
---```lua
---reshape(a, shape?; order?, copy?, ...)
---```
---@param a moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param ... any
---@return moonarray.array
function moonarray.reshape(a, shape, ...) end
array.reshape = moonarray.reshape

---A new array of this shape, filled with as many repeats of the elements as it takes.
---```lua
---resize(a, new_shape)
---```
---@param a moonarray.data
---@param new_shape moonarray.whole|moonarray.whole[]
---@return moonarray.array
function moonarray.resize(a, new_shape) end
array.resize = moonarray.resize

---The dtype of an operation on these arrays, dtypes and numbers.
---```lua
---result_type(...)
---```
---@param ... any
---@return moonarray.dtype
function moonarray.result_type(...) end

---Gives up a ticket and its hold on the memory. True if it was still good.
---```lua
---revoke(ticket)
---```
---@param ticket string
---@return boolean
function moonarray.revoke(ticket) end

---floor(x / 2^y); 0 or -1 where y is negative or the width of x or more
---```lua
---right_shift(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.right_shift: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.right_shift = {}
array.right_shift = moonarray.right_shift

---the nearest whole number, the even one of two
---```lua
---rint(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.rint: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.rint = {}
array.rint = moonarray.rint

---Elements moved along an axis, or along the flattened array; those that leave come back at the other end.
---```lua
---roll(a, shift, axis?)
---```
---@param a moonarray.data
---@param shift moonarray.whole|moonarray.whole[]
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.roll(a, shift, axis) end
array.roll = moonarray.roll

---A view with one axis moved to lie before another; ndim + 1 is behind the last.
---```lua
---rollaxis(a, axis, start?)
---```
---@param a moonarray.data
---@param axis moonarray.whole|moonarray.whole[]
---@param start? number|table
---@return moonarray.array
function moonarray.rollaxis(a, axis, start) end
array.rollaxis = moonarray.rollaxis

---The roots of a polynomial, as the eigenvalues of its companion matrix; p has the highest power first. Real if all imaginary parts are 0, else complex. Waits. roots({1, -3, 2}) is {2, 1}.
---```lua
---roots(p; check?)
---```
---@param p moonarray.data
---@param check? boolean|table
---@return moonarray.array
function moonarray.roots(p, check) end

---A view turned by k quarter turns in the plane of two axes, from the first towards the second.
---```lua
---rot90(a, k?, axes?)
---```
---@param a moonarray.data
---@param k? moonarray.whole|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.rot90(a, k, axes) end
array.rot90 = moonarray.rot90

---Elements rounded to so many decimals, ties to the even digit; negative decimals round tens, hundreds ...
---```lua
---round(a, decimals?, out?)
---```
---@param a moonarray.data
---@param decimals? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array|moonarray.scalar
function moonarray.round(a, decimals, out) end
array.round = moonarray.round

---Arrays one below the other: joined along the first axis, vectors as rows.
---```lua
---row_stack(arrays; dtype?)
---```
---@param arrays moonarray.data[]
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.row_stack(arrays, dtype) end

---An iterator over the first axis: `for i, row in a:rows() do`.
---```lua
---rows(a)
---```
---@param a moonarray.data
---@return fun(): any, any
function moonarray.rows(a) end
array.rows = moonarray.rows

---1 / sqrt(a), rounded twice.
---```lua
---rsqrt(a)
---```
---@param a moonarray.data
---@return moonarray.array|moonarray.scalar
function moonarray.rsqrt(a) end
array.rsqrt = moonarray.rsqrt

---Whether two arrays have the same shape, as a Lua boolean.
---```lua
---same_shape(a, b)
---```
---@param a moonarray.data
---@param b moonarray.data
---@return boolean
function moonarray.same_shape(a, b) end
array.same_shape = moonarray.same_shape

---Writes a .npy file. `file` is a path, which gets .npy at its end where that is missing, or an open file.
---```lua
---save(file, arr)
---```
---@param file string|file*
---@param arr moonarray.data
function moonarray.save(file, arr) end

---Writes the rows of x as text. fmt is one format ('%.18e'), one a column in a table, or a whole row's.
---```lua
---savetxt(file, x, fmt?, delimiter?, newline?, header?, footer?, comments?)
---```
---@param file string|file*
---@param x moonarray.data
---@param fmt? string|table
---@param delimiter? string|table
---@param newline? string|table
---@param header? string|table
---@param footer? string|table
---@param comments? string|table
function moonarray.savetxt(file, x, fmt, delimiter, newline, header, footer, comments) end

---Writes arrays to a .npz file: savez(file, {x = a, y = b}) by name; those before the table are called arr_0, arr_1 and on.
---```lua
---savez(file, ...)
---```
---@param file string|file*
---@param ... any
function moonarray.savez(file, ...) end

---The same with each array deflated.
---```lua
---savez_compressed(file, ...)
---```
---@param file string|file*
---@param ... any
function moonarray.savez_compressed(file, ...) end

---moonarray.add.at(a, indices, values): in place, repeated positions count each. Returns the array.
---```lua
---scatter_add(a, indices, values)
---```
---@param a moonarray.data
---@param indices moonarray.whole|moonarray.whole[]|moonarray.part
---@param values moonarray.data
---@return moonarray.array
function moonarray.scatter_add(a, indices, values) end
array.scatter_add = moonarray.scatter_add

---moonarray.maximum.at(a, indices, values): in place, repeated positions count each. Returns the array.
---```lua
---scatter_max(a, indices, values)
---```
---@param a moonarray.data
---@param indices moonarray.whole|moonarray.whole[]|moonarray.part
---@param values moonarray.data
---@return moonarray.array
function moonarray.scatter_max(a, indices, values) end
array.scatter_max = moonarray.scatter_max

---moonarray.minimum.at(a, indices, values): in place, repeated positions count each. Returns the array.
---```lua
---scatter_min(a, indices, values)
---```
---@param a moonarray.data
---@param indices moonarray.whole|moonarray.whole[]|moonarray.part
---@param values moonarray.data
---@return moonarray.array
function moonarray.scatter_min(a, indices, values) end
array.scatter_min = moonarray.scatter_min

---Calls fn(...) and returns what it returns; every other array made inside is freed.
---```lua
---scope(fn, ...)
---```
---@param fn function
---@param ... any
---@return any ...
function moonarray.scope(fn, ...) end

---Positions, from 1, before which values go to keep a sorted: left of what is equal, or right of it.
---```lua
---searchsorted(a, v, side?, sorter?)
---```
---@param a moonarray.data
---@param v moonarray.data
---@param side? string|table
---@param sorter? moonarray.part|table
---@return moonarray.array
function moonarray.searchsorted(a, v, side, sorter) end
array.searchsorted = moonarray.searchsorted

---For each element the choice of the first condition that is true, else the default (0).
---```lua
---select(condlist, choicelist, default?)
---```
---@param condlist moonarray.data[]
---@param choicelist moonarray.data
---@param default? moonarray.data|table
---@return moonarray.array
function moonarray.select(condlist, choicelist, default) end

---Copies a CPU array into the array; from pinned memory without waiting: the host array must not be changed through data() until the stream is done.
---```lua
---set_async(a, host; stream?)
---```
---@param a moonarray.data
---@param host moonarray.part
---@param stream? moonarray.stream|table
---@return moonarray.array
function moonarray.set_async(a, host, stream) end
array.set_async = moonarray.set_async

---Sets the float dtype of numbers as data; returns the one before.
---```lua
---set_default_dtype(dtype)
---```
---@param dtype moonarray.dtype
---@return moonarray.dtype
function moonarray.set_default_dtype(dtype) end

---Whether operators wait for one another to run as one kernel. Returns whether they did.
---```lua
---set_fusion(on)
---```
---@param on boolean
---@return boolean
function moonarray.set_fusion(on) end

---Changes how arrays are printed from now on; what is not named stays.
---```lua
---set_printoptions(precision?, threshold?, edgeitems?, linewidth?, suppress?, nanstr?, infstr?, formatter?, sign?, floatmode?)
---```
---@param precision? moonarray.whole|table
---@param threshold? moonarray.whole|table
---@param edgeitems? moonarray.whole|table
---@param linewidth? moonarray.whole|table
---@param suppress? boolean|table
---@param nanstr? string|table
---@param infstr? string|table
---@param formatter? table|table
---@param sign? string|table
---@param floatmode? string|table
function moonarray.set_printoptions(precision, threshold, edgeitems, linewidth, suppress, nanstr, infstr, formatter, sign, floatmode) end

---The elements of the first that the second has not: distinct and sorted, unless they are distinct already.
---```lua
---setdiff1d(ar1, ar2, assume_unique?)
---```
---@param ar1 moonarray.data
---@param ar2 moonarray.data
---@param assume_unique? boolean|table
---@return moonarray.array
function moonarray.setdiff1d(ar1, ar2, assume_unique) end

---The distinct elements that one has and the other has not, sorted.
---```lua
---setxor1d(ar1, ar2, assume_unique?)
---```
---@param ar1 moonarray.data
---@param ar2 moonarray.data
---@param assume_unique? boolean|table
---@return moonarray.array
function moonarray.setxor1d(ar1, ar2, assume_unique) end

---The extents as a table.
---```lua
---shape(array)
---```
---@param array moonarray.data
---@return integer[]
function moonarray.shape(array) end

---Whether two arrays have a byte of memory in common, decided exactly. Where strides are such that this takes more than max_work (-1: no bound) trials, an error; 0 looks at the ends alone. Example: ma.shares_memory(ma.zeros(3), ma.zeros(3)) --> false
---```lua
---shares_memory(a, b, max_work?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param max_work? moonarray.whole|table
---@return boolean
function moonarray.shares_memory(a, b, max_work) end
array.shares_memory = moonarray.shares_memory

---Prints what was found where, libraries with version and file, which it opens; with to_text = true returns it as text.
---```lua
---show_config(to_text?)
---```
---@param to_text? boolean|table
---@return string
function moonarray.show_config(to_text) end

----1, 0 or 1 by the sign of x; z / |z| of complex z; NaN stays
---```lua
---sign(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.sign: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.sign = {}
array.sign = moonarray.sign

moonarray.signal = {}

---A system by its four matrices. With dt it is a discrete system.
---```lua
---signal.StateSpace(A, B, C, D; dt?)
---```
---@param A moonarray.data
---@param B moonarray.data
---@param C moonarray.data
---@param D moonarray.data
---@param dt? number|table
---@return moonarray.system
function moonarray.signal.StateSpace(A, B, C, D, dt) end

---A system by numerator and denominator. With dt it is a discrete system.
---```lua
---signal.TransferFunction(num, den; dt?)
---```
---@param num moonarray.data
---@param den moonarray.data
---@param dt? number|table
---@return moonarray.system
function moonarray.signal.TransferFunction(num, den, dt) end

---A system by zeros, poles and gain. With dt it is a discrete system.
---```lua
---signal.ZerosPolesGain(zeros, poles, gain; dt?)
---```
---@param zeros moonarray.data
---@param poles moonarray.data
---@param gain moonarray.data
---@param dt? number|table
---@return moonarray.system
function moonarray.signal.ZerosPolesGain(zeros, poles, gain, dt) end

---The four matrices of a system; those that are missing become zeros.
---```lua
---signal.abcd_normalize(A?, B?, C?, D?)
---```
---@param A? moonarray.data|table
---@param B? moonarray.data|table
---@param C? moonarray.data|table
---@param D? moonarray.data|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.abcd_normalize(A, B, C, D) end

---Where a comparison of two arrays, such as ma.greater, holds against all neighbours along an axis (the first): `order` of them on both sides; mode 'clip' repeats the ends, 'wrap' goes on at the other one. Positions as ma.nonzero gives them.
---```lua
---signal.argrelextrema(data, comparator, axis?, order?, mode?)
---```
---@param data moonarray.data
---@param comparator function
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param order? moonarray.whole|table
---@param mode? string|table
---@return moonarray.array
function moonarray.signal.argrelextrema(data, comparator, axis, order, mode) end

---Where elements are greater than their neighbours along an axis (the first): `order` of them on both sides; mode 'clip' repeats the ends, 'wrap' goes on at the other one. Positions as ma.nonzero gives them.
---```lua
---signal.argrelmax(data, axis?, order?, mode?)
---```
---@param data moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param order? moonarray.whole|table
---@param mode? string|table
---@return moonarray.array
function moonarray.signal.argrelmax(data, axis, order, mode) end

---Where elements are less than their neighbours along an axis (the first): `order` of them on both sides; mode 'clip' repeats the ends, 'wrap' goes on at the other one. Positions as ma.nonzero gives them.
---```lua
---signal.argrelmin(data, axis?, order?, mode?)
---```
---@param data moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param order? moonarray.whole|table
---@param mode? string|table
---@return moonarray.array
function moonarray.signal.argrelmin(data, axis, order, mode) end

---The order, with a fraction, of a bandstop filter whose edge number ind (1 or 2) of passb is moved to wp; type 'butter', 'cheby' or 'ellip'.
---```lua
---signal.band_stop_obj(wp, ind, passb, stopb, gpass, gstop, type)
---```
---@param wp moonarray.data
---@param ind moonarray.data
---@param passb number
---@param stopb number
---@param gpass number
---@param gstop number
---@param type string
---@return number
function moonarray.signal.band_stop_obj(wp, ind, passb, stopb, gpass, gstop, type) end

---Bessel's filter, whose delay is flat; norm 'phase', 'delay' or 'mag'. Wn: a frequency, or two for 'bandpass' and 'bandstop'; 1 is half of the sampling rate unless fs is given. output: 'ba' (b and a), 'zpk' (zeros, poles, gain) or 'sos' (sections).
---```lua
---signal.bessel(N, Wn, btype?, analog?, output?, norm?, fs?; device?)
---```
---@param N moonarray.whole
---@param Wn moonarray.data
---@param btype? string|table
---@param analog? boolean|table
---@param output? string|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.bessel(N, Wn, btype, analog, output, norm, fs, device) end

---Zeros, poles and gain of Bessel's filter; norm 'phase', 'delay' or 'mag'.
---```lua
---signal.besselap(N, norm?)
---```
---@param N moonarray.whole
---@param norm? "backward"|"ortho"|"forward"|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.besselap(N, norm) end

---The digital filter of an analog one at fs samples a second, of numerator and denominator.
---```lua
---signal.bilinear(b, a, fs?)
---```
---@param b moonarray.data
---@param a moonarray.data
---@param fs? number|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.bilinear(b, a, fs) end

---The digital filter of an analog one at fs samples a second, of zeros, poles and gain.
---```lua
---signal.bilinear_zpk(z, p, k, fs?)
---```
---@param z moonarray.data
---@param p moonarray.data
---@param k moonarray.data
---@param fs? number|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.bilinear_zpk(z, p, k, fs) end

---Frequencies, magnitudes in dB and phases in degrees of a continuous system.
---```lua
---signal.bode(system, w?, n?)
---```
---@param system moonarray.system|table
---@param w? moonarray.data|table
---@param n? moonarray.whole|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.bode(system, w, n) end

---Zeros, poles and gain of Butterworth's analog lowpass filter with its corner at 1.
---```lua
---signal.buttap(N)
---```
---@param N moonarray.whole
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.buttap(N) end

---Butterworth's filter: flat. Wn: a frequency, or two for 'bandpass' and 'bandstop'; 1 is half of the sampling rate unless fs is given. output: 'ba' (b and a), 'zpk' (zeros, poles, gain) or 'sos' (sections). Example: ma.signal.butter(1, 0.5):round(6) --> [0.5 0.5]
---```lua
---signal.butter(N, Wn, btype?, analog?, output?, fs?; device?)
---```
---@param N moonarray.whole
---@param Wn moonarray.data
---@param btype? string|table
---@param analog? boolean|table
---@param output? string|table
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.butter(N, Wn, btype, analog, output, fs, device) end

---For butter. Least order, and Wn for it, of a filter that loses at most gpass dB up to wp and at least gstop dB from ws on; two frequencies each for a band.
---```lua
---signal.buttord(wp, ws, gpass, gstop, analog?, fs?)
---```
---@param wp moonarray.data
---@param ws moonarray.data
---@param gpass number
---@param gstop number
---@param analog? boolean|table
---@param fs? number|table
---@return number
---@return number
function moonarray.signal.buttord(wp, ws, gpass, gstop, analog, fs) end

---Detection at a constant rate pfa (0.001) of false alarms: thresholds from the mean of the reference cells around each cell, without the guard cells beside it, and whether the cell is above its own. Cells whose surroundings are not all inside have threshold 0. For a matrix, cells are pairs of numbers.
---```lua
---signal.ca_cfar(array, guard_cells, reference_cells, pfa?)
---```
---@param array moonarray.part
---@param guard_cells moonarray.whole
---@param reference_cells moonarray.whole
---@param pfa? number|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.ca_cfar(array, guard_cells, reference_cells, pfa) end

---The factor by which a threshold stands above the mean of N cells of noise for a rate pfa of false alarms.
---```lua
---signal.cfar_alpha(pfa, N)
---```
---@param pfa number
---@param N moonarray.whole
---@return number
function moonarray.signal.cfar_alpha(pfa, N) end

---The signal x as n_chans channels of neighbouring frequencies, a row each, by the polyphase parts of a filter h.
---```lua
---signal.channelize_poly(x, h, n_chans)
---```
---@param x moonarray.data
---@param h moonarray.data
---@param n_chans moonarray.whole
---@return moonarray.array
function moonarray.signal.channelize_poly(x, h, n_chans) end

---Zeros, poles and gain of Chebyshev's analog lowpass filter with rp dB of ripple.
---```lua
---signal.cheb1ap(N, rp)
---```
---@param N moonarray.whole
---@param rp number
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.cheb1ap(N, rp) end

---For cheby1. Least order, and Wn for it, of a filter that loses at most gpass dB up to wp and at least gstop dB from ws on; two frequencies each for a band.
---```lua
---signal.cheb1ord(wp, ws, gpass, gstop, analog?, fs?)
---```
---@param wp moonarray.data
---@param ws moonarray.data
---@param gpass number
---@param gstop number
---@param analog? boolean|table
---@param fs? number|table
---@return number
---@return number
function moonarray.signal.cheb1ord(wp, ws, gpass, gstop, analog, fs) end

---Zeros, poles and gain of the inverse Chebyshev filter with rs dB of attenuation.
---```lua
---signal.cheb2ap(N, rs)
---```
---@param N moonarray.whole
---@param rs number
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.cheb2ap(N, rs) end

---For cheby2. Least order, and Wn for it, of a filter that loses at most gpass dB up to wp and at least gstop dB from ws on; two frequencies each for a band.
---```lua
---signal.cheb2ord(wp, ws, gpass, gstop, analog?, fs?)
---```
---@param wp moonarray.data
---@param ws moonarray.data
---@param gpass number
---@param gstop number
---@param analog? boolean|table
---@param fs? number|table
---@return number
---@return number
function moonarray.signal.cheb2ord(wp, ws, gpass, gstop, analog, fs) end

---Chebyshev's filter with rp dB of ripple where it passes. Wn: a frequency, or two for 'bandpass' and 'bandstop'; 1 is half of the sampling rate unless fs is given. output: 'ba' (b and a), 'zpk' (zeros, poles, gain) or 'sos' (sections).
---```lua
---signal.cheby1(N, rp, Wn, btype?, analog?, output?, fs?; device?)
---```
---@param N moonarray.whole
---@param rp number
---@param Wn moonarray.data
---@param btype? string|table
---@param analog? boolean|table
---@param output? string|table
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.cheby1(N, rp, Wn, btype, analog, output, fs, device) end

---Chebyshev's filter with ripple rs dB down where it stops. Wn: a frequency, or two for 'bandpass' and 'bandstop'; 1 is half of the sampling rate unless fs is given. output: 'ba' (b and a), 'zpk' (zeros, poles, gain) or 'sos' (sections).
---```lua
---signal.cheby2(N, rs, Wn, btype?, analog?, output?, fs?; device?)
---```
---@param N moonarray.whole
---@param rs number
---@param Wn moonarray.data
---@param btype? string|table
---@param analog? boolean|table
---@param output? string|table
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.cheby2(N, rs, Wn, btype, analog, output, fs, device) end

---Whether a window adds up to a constant with its overlaps.
---```lua
---signal.check_COLA(window, nperseg, noverlap, tol?)
---```
---@param window string|table|number|moonarray.part
---@param nperseg moonarray.whole
---@param noverlap moonarray.whole
---@param tol? number|table
---@return boolean
function moonarray.signal.check_COLA(window, nperseg, noverlap, tol) end

---Whether the squares of a window add up to something above 0 everywhere, so that istft can invert.
---```lua
---signal.check_NOLA(window, nperseg, noverlap, tol?)
---```
---@param window string|table|number|moonarray.part
---@param nperseg moonarray.whole
---@param noverlap moonarray.whole
---@param tol? number|table
---@return boolean
function moonarray.signal.check_NOLA(window, nperseg, noverlap, tol) end

---A cosine whose frequency goes from f0 at time 0 to f1 at t1: 'linear', 'quadratic', 'logarithmic' or 'hyperbolic'; phi: its phase in degrees.
---```lua
---signal.chirp(t, f0, t1, f1, method?, phi?, vertex_zero?; complex?)
---```
---@param t moonarray.data
---@param f0 number
---@param t1 number
---@param f1 number
---@param method? string|table
---@param phi? number|table
---@param vertex_zero? boolean|table
---@param complex? boolean|table
---@return moonarray.array
function moonarray.signal.chirp(t, f0, t1, f1, method, phi, vertex_zero, complex) end

---The method, 'fft' or 'direct', that signal.convolve takes for these: the faster one by an estimate, and only an exact one for whole numbers. With measure the times of both in seconds follow, as a table.
---```lua
---signal.choose_conv_method(in1, in2, mode?; measure?)
---```
---@param in1 moonarray.data
---@param in2 moonarray.data
---@param mode? string|table
---@param measure? boolean|table
---@return string
function moonarray.signal.choose_conv_method(in1, in2, mode, measure) end

---Frequencies and how much of two signals' power belongs together there, from 0 to 1.
---```lua
---signal.coherence(x, y, fs?, window?, nperseg?, noverlap?, nfft?, detrend?, axis?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param fs? number|table
---@param window? string|table|number|moonarray.part|table
---@param nperseg? moonarray.whole|table
---@param noverlap? moonarray.whole|table
---@param nfft? moonarray.whole|table
---@param detrend? string|false|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.coherence(x, y, fs, window, nperseg, noverlap, nfft, detrend, axis) end

---The inverse transform of the logarithm of the spectrum, whose phase is unwrapped along the last axis and freed of a delay, and the number of samples of that delay.
---```lua
---signal.complex_cepstrum(x, n?, axis?)
---```
---@param x moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.complex_cepstrum(x, n, axis) end

---A continuous system at steps of dt: {num, den} gives the same form and dt, and so do {z, p, k} and {A, B, C, D}. method 'zoh', 'foh', 'bilinear', 'euler', 'backward_diff', 'gbt' (with alpha) or 'impulse'.
---```lua
---signal.cont2discrete(system, dt, method?, alpha?)
---```
---@param system moonarray.system|table
---@param dt number
---@param method? string|table
---@param alpha? number|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.cont2discrete(system, dt, method, alpha) end

---Convolution of two arrays of as many axes: all sums of products (mode 'full'), those at in1's places ('same'), or those without zeros beside the ends ('valid'). method: 'direct', 'fft', or 'auto' (choose_conv_method). Example: ma.signal.convolve({1, 2, 3}, {0, 1, 0.5}) --> [0. 1. 2.5 4. 1.5]
---```lua
---signal.convolve(in1, in2, mode?, method?)
---```
---@param in1 moonarray.data
---@param in2 moonarray.data
---@param mode? string|table
---@param method? string|table
---@return moonarray.array
function moonarray.signal.convolve(in1, in2, mode, method) end

---Convolution of a vector with a filter of second order: sums of in2[i, j] times the elements i and j of each stretch, counted from its end.
---```lua
---signal.convolve1d2o(in1, in2, mode?, method?)
---```
---@param in1 moonarray.data
---@param in2 moonarray.data
---@param mode? string|table
---@param method? string|table
---@return moonarray.array
function moonarray.signal.convolve1d2o(in1, in2, mode, method) end

---Convolution of a vector with a filter of third order: sums of in2[i, j, k] times the elements i, j and k of each stretch, counted from its end.
---```lua
---signal.convolve1d3o(in1, in2, mode?, method?)
---```
---@param in1 moonarray.data
---@param in2 moonarray.data
---@param mode? string|table
---@param method? string|table
---@return moonarray.array
function moonarray.signal.convolve1d3o(in1, in2, mode, method) end

---Convolution of two matrices by direct sums, with elements beyond in1's edges. boundary: 'fill' (with fillvalue, 0), 'wrap' or 'symm'.
---```lua
---signal.convolve2d(in1, in2, mode?, boundary?, fillvalue?)
---```
---@param in1 moonarray.data
---@param in2 moonarray.data
---@param mode? string|table
---@param boundary? string|table
---@param fillvalue? number|table
---@return moonarray.array
function moonarray.signal.convolve2d(in1, in2, mode, boundary, fillvalue) end

---Cross-correlation: sums of in1 times the conjugate of in2, at every shift that the mode takes. method: 'direct', 'fft', or 'auto' (choose_conv_method).
---```lua
---signal.correlate(in1, in2, mode?, method?)
---```
---@param in1 moonarray.data
---@param in2 moonarray.data
---@param mode? string|table
---@param method? string|table
---@return moonarray.array
function moonarray.signal.correlate(in1, in2, mode, method) end

---Cross-correlation of two matrices by direct sums, with elements beyond in1's edges. boundary: 'fill' (with fillvalue, 0), 'wrap' or 'symm'.
---```lua
---signal.correlate2d(in1, in2, mode?, boundary?, fillvalue?)
---```
---@param in1 moonarray.data
---@param in2 moonarray.data
---@param mode? string|table
---@param boundary? string|table
---@param fillvalue? number|table
---@return moonarray.array
function moonarray.signal.correlate2d(in1, in2, mode, boundary, fillvalue) end

---The shifts that the elements of signal.correlate stand for, int64.
---```lua
---signal.correlation_lags(in1_len, in2_len, mode?; device?)
---```
---@param in1_len moonarray.whole
---@param in2_len moonarray.whole
---@param mode? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.correlation_lags(in1_len, in2_len, mode, device) end

---Frequencies and the cross power spectral density of two signals. From overlapping segments of nperseg (256) elements that are detrended ('constant', 'linear' or false) and weighed by a window ('hann'). scaling 'density' or 'spectrum'; average 'mean' or 'median'.
---```lua
---signal.csd(x, y, fs?, window?, nperseg?, noverlap?, nfft?, detrend?, return_onesided?, scaling?, axis?, average?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param fs? number|table
---@param window? string|table|number|moonarray.part|table
---@param nperseg? moonarray.whole|table
---@param noverlap? moonarray.whole|table
---@param nfft? moonarray.whole|table
---@param detrend? string|false|table
---@param return_onesided? boolean|table
---@param scaling? string|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param average? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.csd(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average) end

---Coefficients of the cubic spline through samples, or near them if lamb is above 0, mirrored at the ends.
---```lua
---signal.cspline1d(signal, lamb?)
---```
---@param signal moonarray.data
---@param lamb? number|table
---@return moonarray.array
function moonarray.signal.cspline1d(signal, lamb) end

---Values of the cubic spline of coefficients cj at places newx, for samples dx apart from x0 on; beyond the ends the spline is mirrored.
---```lua
---signal.cspline1d_eval(cj, newx, dx?, x0?)
---```
---@param cj moonarray.data
---@param newx moonarray.data
---@param dx? number|table
---@param x0? moonarray.data|table
---@return moonarray.array
function moonarray.signal.cspline1d_eval(cj, newx, dx, x0) end

---Coefficients of the cubic spline of a matrix; lamb above 0 smooths.
---```lua
---signal.cspline2d(signal, lamb?, precision?)
---```
---@param signal moonarray.data
---@param lamb? number|table
---@param precision? number|table
---@return moonarray.array
function moonarray.signal.cspline2d(signal, lamb, precision) end

---The continuous wavelet transform: a row for each width, data convolved with what wavelet(points, width) gives.
---```lua
---signal.cwt(data, wavelet, widths)
---```
---@param data moonarray.data
---@param wavelet function
---@param widths moonarray.data
---@return moonarray.array
function moonarray.signal.cwt(data, wavelet, widths) end

---Frequencies in radians a second, magnitudes in dB and phases in degrees of a discrete system.
---```lua
---signal.dbode(system, w?, n?)
---```
---@param system moonarray.system|table
---@param w? moonarray.data|table
---@param n? moonarray.whole|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.dbode(system, w, n) end

---Every q-th sample along an axis, behind a filter: 'iir' (Chebyshev's of order n, 8) or 'fir' (of n + 1 coefficients), forward and backward unless zero_phase is false.
---```lua
---signal.decimate(x, q, n?, ftype?, axis?, zero_phase?)
---```
---@param x moonarray.data
---@param q moonarray.whole
---@param n? moonarray.whole|table
---@param ftype? string|moonarray.system|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param zero_phase? boolean|table
---@return moonarray.array
function moonarray.signal.decimate(x, q, n, ftype, axis, zero_phase) end

---Quotient and remainder: signal = convolve(divisor, quotient) + remainder.
---```lua
---signal.deconvolve(signal, divisor)
---```
---@param signal moonarray.data
---@param divisor moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.deconvolve(signal, divisor) end

---Without the line of best fit along an axis, or with type 'constant' the mean. bp: numbers of elements in front of places at which a new line begins.
---```lua
---signal.detrend(data, axis?, type?, bp?)
---```
---@param data moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param type? string|table
---@param bp? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.signal.detrend(data, axis, type, bp) end

---Frequencies, in radians a sample, and the response of a discrete system there.
---```lua
---signal.dfreqresp(system, w?, n?, whole?)
---```
---@param system moonarray.system|table
---@param w? moonarray.data|table
---@param n? moonarray.whole|table
---@param whole? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.dfreqresp(system, w, n, whole) end

---Times, and a list with the output of a discrete system behind an impulse at each of its inputs.
---```lua
---signal.dimpulse(system, x0?, t?, n?)
---```
---@param system moonarray.system|table
---@param x0? moonarray.data|table
---@param t? moonarray.data|table
---@param n? moonarray.whole|table
---@return moonarray.array
---@return table
function moonarray.signal.dimpulse(system, x0, t, n) end

---Times and outputs of a discrete system for inputs u, and its states if it is in state space. With times t, u goes along lines between equally spaced ones up to the last of them.
---```lua
---signal.dlsim(system, u, t?, x0?)
---```
---@param system moonarray.system|table
---@param u moonarray.data
---@param t? moonarray.data|table
---@param x0? moonarray.data|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.dlsim(system, u, t, x0) end

---A discrete system of two, three or four parts, with steps of dt (1).
---```lua
---signal.dlti(a, b, c?, d?; dt?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param c? moonarray.data|table
---@param d? moonarray.data|table
---@param dt? number|table
---@return moonarray.system
function moonarray.signal.dlti(a, b, c, d, dt) end

---Times, and a list with the output of a discrete system for an input of 1 at each of its inputs.
---```lua
---signal.dstep(system, x0?, t?, n?)
---```
---@param system moonarray.system|table
---@param x0? moonarray.data|table
---@param t? moonarray.data|table
---@param n? moonarray.whole|table
---@return moonarray.array
---@return table
function moonarray.signal.dstep(system, x0, t, n) end

---Cauer's filter with ripple in both bands: the steepest one. Wn: a frequency, or two for 'bandpass' and 'bandstop'; 1 is half of the sampling rate unless fs is given. output: 'ba' (b and a), 'zpk' (zeros, poles, gain) or 'sos' (sections).
---```lua
---signal.ellip(N, rp, rs, Wn, btype?, analog?, output?, fs?; device?)
---```
---@param N moonarray.whole
---@param rp number
---@param rs number
---@param Wn moonarray.data
---@param btype? string|table
---@param analog? boolean|table
---@param output? string|table
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.ellip(N, rp, rs, Wn, btype, analog, output, fs, device) end

---Zeros, poles and gain of the elliptic filter with rp dB of ripple, rs dB of attenuation.
---```lua
---signal.ellipap(N, rp, rs)
---```
---@param N moonarray.whole
---@param rp number
---@param rs number
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.ellipap(N, rp, rs) end

---For ellip. Least order, and Wn for it, of a filter that loses at most gpass dB up to wp and at least gstop dB from ws on; two frequencies each for a band.
---```lua
---signal.ellipord(wp, ws, gpass, gstop, analog?, fs?)
---```
---@param wp moonarray.data
---@param ws moonarray.data
---@param gpass number
---@param gstop number
---@param analog? boolean|table
---@param fs? number|table
---@return number
---@return number
function moonarray.signal.ellipord(wp, ws, gpass, gstop, analog, fs) end

---Convolution by Fourier transforms, along all axes or along `axes`; the others are broadcast.
---```lua
---signal.fftconvolve(in1, in2, mode?, axes?)
---```
---@param in1 moonarray.data
---@param in2 moonarray.data
---@param mode? string|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.signal.fftconvolve(in1, in2, mode, axes) end

---A filter forward and then backward, which leaves phases as they are. padtype 'odd', 'even', 'constant' or 'none' extends x by padlen elements on both sides. method 'gust' finds states at the ends instead, from irlen elements.
---```lua
---signal.filtfilt(b, a, x, axis?, padtype?, padlen?, method?, irlen?)
---```
---@param b moonarray.data
---@param a moonarray.data
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param padtype? string|table
---@param padlen? moonarray.whole|table
---@param method? string|table
---@param irlen? number|table
---@return moonarray.array
function moonarray.signal.filtfilt(b, a, x, axis, padtype, padlen, method, irlen) end

---Positions of local maxima that fulfil all conditions that are given, and a table of what these measured: peak_heights, left_thresholds and right_thresholds, prominences with left_bases and right_bases, widths with width_heights, left_ips and right_ips, plateau_sizes with left_edges and right_edges; heights, thresholds, prominences and widths are float64. A condition is a least value or {least, most}; {} measures alone. Peaks nearer than `distance` give way to the highest. Example: (ma.signal.find_peaks({0, 2, 1, 3, 0})) --> [2 4]
---```lua
---signal.find_peaks(x, height?, threshold?, distance?, prominence?, width?, wlen?, rel_height?, plateau_size?)
---```
---@param x moonarray.data
---@param height? number|number[]|moonarray.part|table
---@param threshold? number|number[]|moonarray.part|table
---@param distance? moonarray.whole|table
---@param prominence? number|number[]|moonarray.part|table
---@param width? number|number[]|moonarray.part|table
---@param wlen? number|table
---@param rel_height? number|table
---@param plateau_size? number|number[]|moonarray.part|table
---@return moonarray.array
---@return table
function moonarray.signal.find_peaks(x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size) end

---N frequencies, evenly spread in their logarithms, that show the response of an analog filter; kind 'ba', or 'zp' for zeros and poles.
---```lua
---signal.findfreqs(num, den, N, kind?)
---```
---@param num moonarray.data
---@param den moonarray.data
---@param N moonarray.whole
---@param kind? string|table
---@return moonarray.array
function moonarray.signal.findfreqs(num, den, N, kind) end

---A filter without feedback along an axis; with states zi the last states follow. The same as lfilter(b, 1, x, axis, zi).
---```lua
---signal.firfilter(b, x, axis?, zi?)
---```
---@param b moonarray.data
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param zi? moonarray.data|table
---@return moonarray.array
function moonarray.signal.firfilter(b, x, axis, zi) end

---A filter without feedback forward and then backward: filtfilt(b, 1, x ...).
---```lua
---signal.firfilter2(b, x, axis?, padtype?, padlen?, method?, irlen?)
---```
---@param b moonarray.data
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param padtype? string|table
---@param padlen? moonarray.whole|table
---@param method? string|table
---@param irlen? number|table
---@return moonarray.array
function moonarray.signal.firfilter2(b, x, axis, padtype, padlen, method, irlen) end

---States of firfilter for a signal that was 1 for ever.
---```lua
---signal.firfilter_zi(b)
---```
---@param b moonarray.data
---@return moonarray.array
function moonarray.signal.firfilter_zi(b) end

---The filter without feedback that is nearest to gains along lines in bands, pairs of frequencies, by least squares; numtaps is odd.
---```lua
---signal.firls(numtaps, bands, desired, weight?, fs?; device?)
---```
---@param numtaps moonarray.whole
---@param bands moonarray.data
---@param desired moonarray.data
---@param weight? moonarray.data|table
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.firls(numtaps, bands, desired, weight, fs, device) end

---A filter without feedback by a window: lowpass with its corner at cutoff, or with several frequencies passing every other band. pass_zero: whether frequency 0 passes, or 'lowpass', 'highpass', 'bandpass', 'bandstop'. width chooses Kaiser's window.
---```lua
---signal.firwin(numtaps, cutoff, width?, window?, pass_zero?, scale?, fs?; device?)
---```
---@param numtaps moonarray.whole
---@param cutoff moonarray.data
---@param width? number|table
---@param window? string|table|number|moonarray.part|table
---@param pass_zero? boolean|string|table
---@param scale? number|moonarray.part|table
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.firwin(numtaps, cutoff, width, window, pass_zero, scale, fs, device) end

---A filter without feedback whose gain goes along lines between the gains at frequencies, smoothed by a window (false: none).
---```lua
---signal.firwin2(numtaps, freq, gain, nfreqs?, window?, antisymmetric?, fs?; device?)
---```
---@param numtaps moonarray.whole
---@param freq moonarray.data
---@param gain moonarray.data
---@param nfreqs? moonarray.whole|table
---@param window? string|table|number|moonarray.part|table
---@param antisymmetric? boolean|table
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.firwin2(numtaps, freq, gain, nfreqs, window, antisymmetric, fs, device) end

---x times exp(-2 pi i freq k / fs) for its samples k = 0, 1 ... along the last axis, at fs samples a second.
---```lua
---signal.freq_shift(x, freq, fs)
---```
---@param x moonarray.data
---@param freq moonarray.data
---@param fs number
---@return moonarray.array
function moonarray.signal.freq_shift(x, freq, fs) end

---Frequencies and the response of a continuous system there.
---```lua
---signal.freqresp(system, w?, n?)
---```
---@param system moonarray.system|table
---@param w? moonarray.data|table
---@param n? moonarray.whole|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.freqresp(system, w, n) end

---Frequencies and the response of an analog filter there: at worN of them (200) that show it, or at those that worN lists.
---```lua
---signal.freqs(b, a, worN?, plot?)
---```
---@param b moonarray.data
---@param a moonarray.data
---@param worN? moonarray.whole|moonarray.part|table
---@param plot? function|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.freqs(b, a, worN, plot) end

---freqs of zeros, poles and gain.
---```lua
---signal.freqs_zpk(z, p, k, worN?)
---```
---@param z moonarray.data
---@param p moonarray.data
---@param k moonarray.data
---@param worN? moonarray.whole|moonarray.part|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.freqs_zpk(z, p, k, worN) end

---Frequencies and the response of a digital filter there: at worN of them (512) up to half of the sampling rate, or all of it with whole, or at those that worN lists. fs: 2 pi unless it is given. plot: a function that gets both.
---```lua
---signal.freqz(b, a?, worN?, whole?, plot?, fs?, include_nyquist?)
---```
---@param b moonarray.data
---@param a? moonarray.data|table
---@param worN? moonarray.whole|moonarray.part|table
---@param whole? boolean|table
---@param plot? function|table
---@param fs? number|table
---@param include_nyquist? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.freqz(b, a, worN, whole, plot, fs, include_nyquist) end

---freqz of sections.
---```lua
---signal.freqz_sos(sos, worN?, whole?, fs?)
---```
---@param sos moonarray.data
---@param worN? moonarray.whole|moonarray.part|table
---@param whole? boolean|table
---@param fs? number|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.freqz_sos(sos, worN, whole, fs) end

---freqz of zeros, poles and gain.
---```lua
---signal.freqz_zpk(z, p, k, worN?, whole?, fs?)
---```
---@param z moonarray.data
---@param p moonarray.data
---@param k moonarray.data
---@param worN? moonarray.whole|moonarray.part|table
---@param whole? boolean|table
---@param fs? number|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.freqz_zpk(z, p, k, worN, whole, fs) end

---b and a of the filter of an ear's place for a frequency; ftype 'fir' (of numtaps) or 'iir'.
---```lua
---signal.gammatone(freq, ftype, order?, numtaps?, fs?; device?)
---```
---@param freq moonarray.data
---@param ftype string
---@param order? moonarray.whole|table
---@param numtaps? moonarray.whole|table
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.gammatone(freq, ftype, order, numtaps, fs, device) end

---The Gaussian that is near the B-spline of degree n.
---```lua
---signal.gauss_spline(x, n)
---```
---@param x moonarray.data
---@param n moonarray.whole
---@return moonarray.array
function moonarray.signal.gauss_spline(x, n) end

---A cosine of fc (1000) Hz in a Gaussian envelope of relative bandwidth bw (0.5) at bwr (-6) dB. t = 'cutoff': the time at which the envelope is tpr (-60) dB down. With retquad the sine follows, with retenv the envelope.
---```lua
---signal.gausspulse(t, fc?, bw?, bwr?, tpr?, retquad?, retenv?)
---```
---@param t moonarray.data
---@param fc? number|table
---@param bw? number|table
---@param bwr? number|table
---@param tpr? number|table
---@param retquad? boolean|table
---@param retenv? boolean|table
---@return moonarray.array
function moonarray.signal.gausspulse(t, fc, bw, bwr, tpr, retquad, retenv) end

---A window by name: 'hann', {'kaiser', beta}, {'tukey', alpha}, or a number, the beta of kaiser. One period of it for spectra, unless fftbins is false. Example: ma.signal.get_window('hann', 4) --> [0. 0.5 1. 0.5]
---```lua
---signal.get_window(window, Nx, fftbins?; device?)
---```
---@param window string|table|number|moonarray.part
---@param Nx moonarray.whole
---@param fftbins? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.get_window(window, Nx, fftbins, device) end

---Frequencies and the delay in samples of a digital filter there; system is {b, a}. 0 where it is not determined.
---```lua
---signal.group_delay(system, w?, whole?, fs?)
---```
---@param system moonarray.system|table
---@param w? moonarray.data|table
---@param whole? boolean|table
---@param fs? number|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.group_delay(system, w, whole, fs) end

---The analytic signal along an axis: x, and as imaginary part its Hilbert transform, from a transform of N elements.
---```lua
---signal.hilbert(x, N?, axis?)
---```
---@param x moonarray.data
---@param N? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.signal.hilbert(x, N, axis) end

---The analytic signal of a matrix, over both axes; N: one or two numbers of elements.
---```lua
---signal.hilbert2(x, N?)
---```
---@param x moonarray.data
---@param N? moonarray.whole|table
---@return moonarray.array
function moonarray.signal.hilbert2(x, N) end

---b and a of a filter with notches, or with ftype 'peak' peaks, at all multiples of w0, which divides fs.
---```lua
---signal.iircomb(w0, Q, ftype?, fs?; pass_zero?, device?)
---```
---@param w0 number
---@param Q number
---@param ftype? string|table
---@param fs? number|table
---@param pass_zero? boolean|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.iircomb(w0, Q, ftype, fs, pass_zero, device) end

---A recursive filter of least order that loses at most gpass dB up to wp and at least gstop dB from ws on.
---```lua
---signal.iirdesign(wp, ws, gpass, gstop, analog?, ftype?, output?, fs?; device?)
---```
---@param wp moonarray.data
---@param ws moonarray.data
---@param gpass number
---@param gstop number
---@param analog? boolean|table
---@param ftype? string|table
---@param output? string|table
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.iirdesign(wp, ws, gpass, gstop, analog, ftype, output, fs, device) end

---A recursive filter of order N of a family, ftype. Wn: a frequency, or two for 'bandpass' and 'bandstop'; 1 is half of the sampling rate unless fs is given. output: 'ba' (b and a), 'zpk' (zeros, poles, gain) or 'sos' (sections).
---```lua
---signal.iirfilter(N, Wn, rp?, rs?, btype?, analog?, ftype?, output?, fs?; device?)
---```
---@param N moonarray.whole
---@param Wn moonarray.data
---@param rp? number|table
---@param rs? number|table
---@param btype? string|table
---@param analog? boolean|table
---@param ftype? string|table
---@param output? string|table
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.iirfilter(N, Wn, rp, rs, btype, analog, ftype, output, fs, device) end

---b and a of a filter that takes the frequency w0 away; Q: how narrow.
---```lua
---signal.iirnotch(w0, Q, fs?; device?)
---```
---@param w0 number
---@param Q number
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.iirnotch(w0, Q, fs, device) end

---b and a of a filter that keeps the frequency w0 alone; Q: how narrow.
---```lua
---signal.iirpeak(w0, Q, fs?; device?)
---```
---@param w0 number
---@param Q number
---@param fs? number|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.iirpeak(w0, Q, fs, device) end

---Times and the output of a continuous system behind an impulse, at N (100) times that show it, or at T.
---```lua
---signal.impulse(system, X0?, T?, N?)
---```
---@param system moonarray.system|table
---@param X0? moonarray.data|table
---@param T? moonarray.data|table
---@param N? moonarray.whole|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.impulse(system, X0, T, N) end

---The signal of a complex cepstrum and its delay.
---```lua
---signal.inverse_complex_cepstrum(ceps, ndelay)
---```
---@param ceps moonarray.data
---@param ndelay moonarray.whole
---@return moonarray.array
function moonarray.signal.inverse_complex_cepstrum(ceps, ndelay) end

---b and a from the residues, poles and polynomial of signal.residue.
---```lua
---signal.invres(r, p, k, tol?, rtype?)
---```
---@param r moonarray.data
---@param p moonarray.data
---@param k moonarray.data
---@param tol? number|table
---@param rtype? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.invres(r, p, k, tol, rtype) end

---b and a from the residues, poles and direct terms of signal.residuez.
---```lua
---signal.invresz(r, p, k, tol?, rtype?)
---```
---@param r moonarray.data
---@param p moonarray.data
---@param k moonarray.data
---@param tol? number|table
---@param rtype? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.invresz(r, p, k, tol, rtype) end

---Times and the signal of spectra that stft made with the same window and overlap.
---```lua
---signal.istft(Zxx, fs?, window?, nperseg?, noverlap?, nfft?, input_onesided?, boundary?, time_axis?, freq_axis?, scaling?)
---```
---@param Zxx moonarray.data
---@param fs? number|table
---@param window? string|table|number|moonarray.part|table
---@param nperseg? moonarray.whole|table
---@param noverlap? moonarray.whole|table
---@param nfft? moonarray.whole|table
---@param input_onesided? boolean|table
---@param boundary? boolean|table
---@param time_axis? moonarray.whole|table
---@param freq_axis? moonarray.whole|table
---@param scaling? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.istft(Zxx, fs, window, nperseg, noverlap, nfft, input_onesided, boundary, time_axis, freq_axis, scaling) end

---The attenuation in dB of a filter by Kaiser's window, from its length and the width of its transition.
---```lua
---signal.kaiser_atten(numtaps, width)
---```
---@param numtaps moonarray.whole
---@param width number
---@return number
function moonarray.signal.kaiser_atten(numtaps, width) end

---The beta of Kaiser's window for an attenuation of a dB.
---```lua
---signal.kaiser_beta(a)
---```
---@param a number
---@return number
function moonarray.signal.kaiser_beta(a) end

---Length and beta of a filter by Kaiser's window with so many dB of ripple.
---```lua
---signal.kaiserord(ripple, width)
---```
---@param ripple number
---@param width number
---@return integer
---@return number
function moonarray.signal.kaiserord(ripple, width) end

---A filter along an axis, with numerator b and denominator a: a[1] y[n] = b[1] x[n] + b[2] x[n - 1] + ... - a[2] y[n - 1] - .... With states zi before the first element, the states behind the last one follow. b and a in arrays on a GPU are read, which waits; in tables they are not. Computed in float64.
---```lua
---signal.lfilter(b, a, x, axis?, zi?)
---```
---@param b moonarray.data
---@param a moonarray.data
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param zi? moonarray.data|table
---@return moonarray.array
function moonarray.signal.lfilter(b, a, x, axis, zi) end

---States of lfilter for a signal that was 1 for ever; times its first element, they begin without a step.
---```lua
---signal.lfilter_zi(b, a)
---```
---@param b moonarray.data
---@param a moonarray.data
---@return moonarray.array
function moonarray.signal.lfilter_zi(b, a) end

---States of lfilter from the last outputs y and inputs x, the latest first.
---```lua
---signal.lfiltic(b, a, y, x?)
---```
---@param b moonarray.data
---@param a moonarray.data
---@param y moonarray.data
---@param x? moonarray.data|table
---@return moonarray.array
function moonarray.signal.lfiltic(b, a, y, x) end

---The periodogram of measurements y at places x that are not evenly spaced, at angular frequencies. precenter subtracts the mean; floating_mean fits it with each frequency. normalize: false or 'power' for squared amplitudes times n / 4, true or 'normalize' for shares of the whole power, 'amplitude' for complex amplitudes. weights (1): of the measurements, whose sum is looked at, which waits.
---```lua
---signal.lombscargle(x, y, freqs, precenter?, normalize?, weights?; floating_mean?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param freqs moonarray.data
---@param precenter? boolean|table
---@param normalize? boolean|string|table
---@param weights? moonarray.data|table
---@param floating_mean? boolean|table
---@return moonarray.array
function moonarray.signal.lombscargle(x, y, freqs, precenter, normalize, weights, floating_mean) end

---A bandpass filter around wo, bw wide, of numerator and denominator.
---```lua
---signal.lp2bp(b, a, wo?, bw?)
---```
---@param b moonarray.data
---@param a moonarray.data
---@param wo? number|table
---@param bw? number|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.lp2bp(b, a, wo, bw) end

---A bandpass filter around wo, bw wide, of zeros, poles and gain.
---```lua
---signal.lp2bp_zpk(z, p, k, wo?, bw?)
---```
---@param z moonarray.data
---@param p moonarray.data
---@param k moonarray.data
---@param wo? number|table
---@param bw? number|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.lp2bp_zpk(z, p, k, wo, bw) end

---A bandstop filter around wo, bw wide, of numerator and denominator.
---```lua
---signal.lp2bs(b, a, wo?, bw?)
---```
---@param b moonarray.data
---@param a moonarray.data
---@param wo? number|table
---@param bw? number|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.lp2bs(b, a, wo, bw) end

---A bandstop filter around wo, bw wide, of zeros, poles and gain.
---```lua
---signal.lp2bs_zpk(z, p, k, wo?, bw?)
---```
---@param z moonarray.data
---@param p moonarray.data
---@param k moonarray.data
---@param wo? number|table
---@param bw? number|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.lp2bs_zpk(z, p, k, wo, bw) end

---A highpass filter with its corner at wo, of numerator and denominator.
---```lua
---signal.lp2hp(b, a, wo?)
---```
---@param b moonarray.data
---@param a moonarray.data
---@param wo? number|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.lp2hp(b, a, wo) end

---A highpass filter with its corner at wo, of zeros, poles and gain.
---```lua
---signal.lp2hp_zpk(z, p, k, wo?)
---```
---@param z moonarray.data
---@param p moonarray.data
---@param k moonarray.data
---@param wo? number|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.lp2hp_zpk(z, p, k, wo) end

---A lowpass filter with its corner at wo, of numerator and denominator.
---```lua
---signal.lp2lp(b, a, wo?)
---```
---@param b moonarray.data
---@param a moonarray.data
---@param wo? number|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.lp2lp(b, a, wo) end

---A lowpass filter with its corner at wo, of zeros, poles and gain.
---```lua
---signal.lp2lp_zpk(z, p, k, wo?)
---```
---@param z moonarray.data
---@param p moonarray.data
---@param k moonarray.data
---@param wo? number|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.lp2lp_zpk(z, p, k, wo) end

---Times, outputs and states of a continuous system for inputs U at equally spaced times T, between which they go along lines, or stay with interp = false.
---```lua
---signal.lsim(system, U, T, X0?, interp?)
---```
---@param system moonarray.system|table
---@param U moonarray.data
---@param T moonarray.data
---@param X0? moonarray.data|table
---@param interp? boolean|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.lsim(system, U, T, X0, interp) end

---A continuous system of two parts (num, den), three (zeros, poles, gain) or four (matrices).
---```lua
---signal.lti(a, b, c?, d?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param c? moonarray.data|table
---@param d? moonarray.data|table
---@return moonarray.system
function moonarray.signal.lti(a, b, c, d) end

---A sequence of 0 and 1 of a register of nbits with feedback, 2^nbits - 1 long before it repeats, and the last state, both int8.
---```lua
---signal.max_len_seq(nbits, state?, length?, taps?; device?)
---```
---@param nbits moonarray.whole
---@param state? moonarray.data|table
---@param length? moonarray.whole|table
---@param taps? moonarray.data|table
---@param device? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.max_len_seq(nbits, state, length, taps, device) end

---The median of the elements around each, in a box of odd sizes (3), with zeros outside.
---```lua
---signal.medfilt(volume, kernel_size?)
---```
---@param volume moonarray.data
---@param kernel_size? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.signal.medfilt(volume, kernel_size) end

---medfilt of a matrix.
---```lua
---signal.medfilt2d(input, kernel_size?)
---```
---@param input moonarray.data
---@param kernel_size? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.signal.medfilt2d(input, kernel_size) end

---A filter of minimum phase from one of linear phase h, of half its length: the square root of its magnitudes, or with half = false the same magnitudes and length; method 'homomorphic' or 'hilbert'. With a number of points as method: the signal of minimum phase with the magnitudes of h over so many points, which is cupyx.signal.minimum_phase(h, n).
---```lua
---signal.minimum_phase(h, method?, n_fft?; half?)
---```
---@param h moonarray.data
---@param method? string|table
---@param n_fft? moonarray.whole|table
---@param half? boolean|table
---@return moonarray.array
function moonarray.signal.minimum_phase(h, method, n_fft, half) end

---Morlet's wavelet at M points of -2 pi s .. 2 pi s, of frequency w; complete takes its mean away.
---```lua
---signal.morlet(M, w?, s?, complete?; device?)
---```
---@param M moonarray.whole
---@param w? number|table
---@param s? number|table
---@param complete? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.morlet(M, w, s, complete, device) end

---Morlet's wavelet of width s at M points, for cwt.
---```lua
---signal.morlet2(M, s, w?; device?)
---```
---@param M moonarray.whole
---@param s number
---@param w? number|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.morlet2(M, s, w, device) end

---The weights of sensors for a beam of least variance towards the steering vector sv, for x with a row of samples for each sensor; with calc_cov = false x is their covariance.
---```lua
---signal.mvdr(x, sv, calc_cov?)
---```
---@param x moonarray.data
---@param sv moonarray.data
---@param calc_cov? boolean|table
---@return moonarray.array
function moonarray.signal.mvdr(x, sv, calc_cov) end

---Numerator without zeros in front, and denominator, over its first coefficient.
---```lua
---signal.normalize(b, a)
---```
---@param b moonarray.data
---@param a moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.normalize(b, a) end

---Convolution by Fourier transforms of overlapping pieces: for a long array and a short one.
---```lua
---signal.oaconvolve(in1, in2, mode?, axes?)
---```
---@param in1 moonarray.data
---@param in2 moonarray.data
---@param mode? string|table
---@param axes? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.signal.oaconvolve(in1, in2, mode, axes) end

---The element of a rank, from 1 for the least on, among those around each where domain, of odd extents, is not 0; zeros outside.
---```lua
---signal.order_filter(a, domain, rank)
---```
---@param a moonarray.data
---@param domain moonarray.data
---@param rank moonarray.whole
---@return moonarray.array
function moonarray.signal.order_filter(a, domain, rank) end

---How far each peak stands out from its surroundings, of at most wlen elements, and the positions of the lowest elements on its left and right.
---```lua
---signal.peak_prominences(x, peaks, wlen?)
---```
---@param x moonarray.data
---@param peaks moonarray.data
---@param wlen? number|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.peak_prominences(x, peaks, wlen) end

---Widths of peaks at the part rel_height (0.5) of their prominence below them, the heights there, and the positions, with fractions, of both sides. prominence_data: a list of what peak_prominences gives.
---```lua
---signal.peak_widths(x, peaks, rel_height?, prominence_data?, wlen?)
---```
---@param x moonarray.data
---@param peaks moonarray.data
---@param rel_height? number|table
---@param prominence_data? table|table
---@param wlen? number|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.peak_widths(x, peaks, rel_height, prominence_data, wlen) end

---Frequencies and the power spectral density from one transform of the whole signal, cut or filled with zeros to nfft elements.
---```lua
---signal.periodogram(x, fs?, window?, nfft?, detrend?, return_onesided?, scaling?, axis?)
---```
---@param x moonarray.data
---@param fs? number|table
---@param window? string|table|number|moonarray.part|table
---@param nfft? moonarray.whole|table
---@param detrend? string|false|table
---@param return_onesided? boolean|table
---@param scaling? string|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.periodogram(x, fs, window, nfft, detrend, return_onesided, scaling, axis) end

---The gain K with which A - B K has the eigenvalues `poles`: a table with gain_matrix, computed_poles, requested_poles, X (the eigenvectors), rtol and nb_iter. method is "YT" (the default) or "KNV0", for real poles. With several inputs the eigenvectors are improved until their determinant changes by less than rtol (1e-3), at most maxiter (30) times. Computed on the host; waits.
---```lua
---signal.place_poles(A, B, poles, method?, rtol?, maxiter?)
---```
---@param A moonarray.data
---@param B moonarray.data
---@param poles moonarray.data
---@param method? string|table
---@param rtol? number|table
---@param maxiter? moonarray.whole|table
---@return table
function moonarray.signal.place_poles(A, B, poles, method, rtol, maxiter) end

---Each row of x, a pulse, correlated with a template by transforms of nfft elements: x's columns unless it is given. A window weighs the template, and normalize divides it by its norm.
---```lua
---signal.pulse_compression(x, template, normalize?, window?, nfft?)
---```
---@param x moonarray.data
---@param template moonarray.data
---@param normalize? boolean|table
---@param window? string|table|number|moonarray.part|table
---@param nfft? moonarray.whole|table
---@return moonarray.array
function moonarray.signal.pulse_compression(x, template, normalize, window, nfft) end

---The transform of x's columns over its rows, the pulses, of nfft elements; a window weighs the pulses.
---```lua
---signal.pulse_doppler(x, window?, nfft?)
---```
---@param x moonarray.data
---@param window? string|table|number|moonarray.part|table
---@param nfft? moonarray.whole|table
---@return moonarray.array
function moonarray.signal.pulse_doppler(x, window, nfft) end

---The highpass filter of a pair from its lowpass one: reversed, with alternating signs.
---```lua
---signal.qmf(hk)
---```
---@param hk moonarray.data
---@return moonarray.array
function moonarray.signal.qmf(hk) end

---Coefficients of the quadratic spline through samples; lamb is 0.
---```lua
---signal.qspline1d(signal, lamb?)
---```
---@param signal moonarray.data
---@param lamb? number|table
---@return moonarray.array
function moonarray.signal.qspline1d(signal, lamb) end

---Values of the quadratic spline of coefficients cj at places newx, for samples dx apart from x0 on; beyond the ends the spline is mirrored.
---```lua
---signal.qspline1d_eval(cj, newx, dx?, x0?)
---```
---@param cj moonarray.data
---@param newx moonarray.data
---@param dx? number|table
---@param x0? moonarray.data|table
---@return moonarray.array
function moonarray.signal.qspline1d_eval(cj, newx, dx, x0) end

---Coefficients of the quadratic spline of a matrix.
---```lua
---signal.qspline2d(signal, lamb?, precision?)
---```
---@param signal moonarray.data
---@param lamb? number|table
---@param precision? number|table
---@return moonarray.array
function moonarray.signal.qspline2d(signal, lamb, precision) end

---The inverse transform of the logarithm of the spectrum's magnitude.
---```lua
---signal.real_cepstrum(x, n?, axis?)
---```
---@param x moonarray.data
---@param n? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.signal.real_cepstrum(x, n, axis) end

---num samples along an axis (the first) in place of those that are there, by Fourier transforms, as if the signal were periodic. With places t their new places follow. domain 'freq': x is a spectrum already.
---```lua
---signal.resample(x, num, t?, axis?, window?, domain?)
---```
---@param x moonarray.data
---@param num moonarray.whole
---@param t? moonarray.data|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param window? string|table|number|moonarray.part|table
---@param domain? string|table
---@return moonarray.array
function moonarray.signal.resample(x, num, t, axis, window, domain) end

---up / down times as many samples along an axis (the first), by a filter without feedback: a window ({'kaiser', 5}) or its coefficients. padtype: what lies beyond the ends: 'constant' (cval), 'mean', 'median', 'maximum', 'minimum', or a mode of upfirdn.
---```lua
---signal.resample_poly(x, up, down, axis?, window?, padtype?, cval?)
---```
---@param x moonarray.data
---@param up moonarray.whole
---@param down moonarray.whole
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param window? string|table|number|moonarray.part|table
---@param padtype? string|table
---@param cval? number|table
---@return moonarray.array
function moonarray.signal.resample_poly(x, up, down, axis, window, padtype, cval) end

---Residues, poles and the polynomial of b / a as a sum of partial fractions in s, polynomials from the highest power down.
---```lua
---signal.residue(b, a, tol?, rtype?)
---```
---@param b moonarray.data
---@param a moonarray.data
---@param tol? number|table
---@param rtype? string|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.residue(b, a, tol, rtype) end

---Residues, poles and the direct terms of b / a as a sum of partial fractions in 1 / z, polynomials of rising powers of it.
---```lua
---signal.residuez(b, a, tol?, rtype?)
---```
---@param b moonarray.data
---@param a moonarray.data
---@param tol? number|table
---@param rtype? string|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.residuez(b, a, tol, rtype) end

---The Mexican hat of width a.
---```lua
---signal.ricker(points, a; device?)
---```
---@param points moonarray.whole
---@param a number
---@param device? string|table
---@return moonarray.array
function moonarray.signal.ricker(points, a, device) end

---Coefficients that give the polynomial of best fit, or its derivative, at a position of a window (its middle): for convolution (use 'conv'), or for a sum of products ('dot').
---```lua
---signal.savgol_coeffs(window_length, polyorder, deriv?, delta?, pos?, use?; device?)
---```
---@param window_length moonarray.whole
---@param polyorder moonarray.whole
---@param deriv? moonarray.whole|table
---@param delta? number|table
---@param pos? moonarray.whole|table
---@param use? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.savgol_coeffs(window_length, polyorder, deriv, delta, pos, use, device) end

---Each element along an axis as the value, or derivative, of the polynomial of best fit around it. mode: beyond the ends 'mirror', 'nearest', 'constant' (cval), 'wrap', or 'interp', where polynomials of the first and last window go on.
---```lua
---signal.savgol_filter(x, window_length, polyorder, deriv?, delta?, axis?, mode?, cval?)
---```
---@param x moonarray.data
---@param window_length moonarray.whole
---@param polyorder moonarray.whole
---@param deriv? moonarray.whole|table
---@param delta? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param mode? string|table
---@param cval? number|table
---@return moonarray.array
function moonarray.signal.savgol_filter(x, window_length, polyorder, deriv, delta, axis, mode, cval) end

---A wave of period 2 pi that rises from -1 to 1 in the part width (1) of it and falls in the rest; NaN where width is not in 0 .. 1.
---```lua
---signal.sawtooth(t, width?)
---```
---@param t moonarray.data
---@param width? moonarray.data|number|table
---@return moonarray.array
function moonarray.signal.sawtooth(t, width) end

---A matrix convolved with hrow along its rows and hcol along its columns, both odd, and mirrored at the edges.
---```lua
---signal.sepfir2d(input, hrow, hcol)
---```
---@param input moonarray.data
---@param hrow moonarray.data
---@param hcol moonarray.data
---@return moonarray.array
function moonarray.signal.sepfir2d(input, hrow, hcol) end

---Numerator and denominator from sections.
---```lua
---signal.sos2tf(sos)
---```
---@param sos moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.sos2tf(sos) end

---Zeros, poles and gain from sections.
---```lua
---signal.sos2zpk(sos)
---```
---@param sos moonarray.data
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.sos2zpk(sos) end

---A filter along an axis that is given as sections of second order, rows of b0, b1, b2, a0, a1, a2. With states zi of shape (sections, ..., 2, ...) the last states follow. Computed in float64, up to 8 sections in one pass.
---```lua
---signal.sosfilt(sos, x, axis?, zi?)
---```
---@param sos moonarray.data
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param zi? moonarray.data|table
---@return moonarray.array
function moonarray.signal.sosfilt(sos, x, axis, zi) end

---States of sosfilt for a signal that was 1 for ever, of shape (sections, 2).
---```lua
---signal.sosfilt_zi(sos)
---```
---@param sos moonarray.data
---@return moonarray.array
function moonarray.signal.sosfilt_zi(sos) end

---sosfilt forward and then backward. padtype 'odd', 'even', 'constant' or 'none' extends x by padlen elements on both sides.
---```lua
---signal.sosfiltfilt(sos, x, axis?, padtype?, padlen?)
---```
---@param sos moonarray.data
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param padtype? string|table
---@param padlen? moonarray.whole|table
---@return moonarray.array
function moonarray.signal.sosfiltfilt(sos, x, axis, padtype, padlen) end

---freqz of sections.
---```lua
---signal.sosfreqz(sos, worN?, whole?, fs?)
---```
---@param sos moonarray.data
---@param worN? moonarray.whole|moonarray.part|table
---@param whole? boolean|table
---@param fs? number|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.sosfreqz(sos, worN, whole, fs) end

---Frequencies, times and spectra of segments: mode 'psd', 'complex', 'magnitude', 'angle' or 'phase'.
---```lua
---signal.spectrogram(x, fs?, window?, nperseg?, noverlap?, nfft?, detrend?, return_onesided?, scaling?, axis?, mode?)
---```
---@param x moonarray.data
---@param fs? number|table
---@param window? string|table|number|moonarray.part|table
---@param nperseg? moonarray.whole|table
---@param noverlap? moonarray.whole|table
---@param nfft? moonarray.whole|table
---@param detrend? string|false|table
---@param return_onesided? boolean|table
---@param scaling? string|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param mode? string|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.spectrogram(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, mode) end

---A matrix smoothed by a cubic spline, more for a larger lmbda (5).
---```lua
---signal.spline_filter(Iin, lmbda?)
---```
---@param Iin moonarray.data
---@param lmbda? moonarray.data|table
---@return moonarray.array
function moonarray.signal.spline_filter(Iin, lmbda) end

---A wave of period 2 pi that is 1 in the part duty (0.5) of it and -1 in the rest; NaN where duty is not in 0 .. 1.
---```lua
---signal.square(t, duty?)
---```
---@param t moonarray.data
---@param duty? number|table
---@return moonarray.array
function moonarray.signal.square(t, duty) end

---Numerators, a row for each output, and the denominator from state space, for one of the inputs.
---```lua
---signal.ss2tf(A, B, C, D, input?)
---```
---@param A moonarray.data
---@param B moonarray.data
---@param C moonarray.data
---@param D moonarray.data
---@param input? moonarray.data|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.ss2tf(A, B, C, D, input) end

---Zeros, poles and gain from state space, for one of the inputs.
---```lua
---signal.ss2zpk(A, B, C, D, input?)
---```
---@param A moonarray.data
---@param B moonarray.data
---@param C moonarray.data
---@param D moonarray.data
---@param input? moonarray.data|table
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.ss2zpk(A, B, C, D, input) end

---Times and the output of a continuous system whose input becomes 1 at time 0.
---```lua
---signal.step(system, X0?, T?, N?)
---```
---@param system moonarray.system|table
---@param X0? moonarray.data|table
---@param T? moonarray.data|table
---@param N? moonarray.whole|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.step(system, X0, T, N) end

---Frequencies, times and the spectra of overlapping segments, [..., frequency, ..., time]. boundary 'zeros', 'even', 'odd', 'constant' or 'none' extends the signal by half a segment on both sides; padded: to whole segments.
---```lua
---signal.stft(x, fs?, window?, nperseg?, noverlap?, nfft?, detrend?, return_onesided?, boundary?, padded?, axis?, scaling?)
---```
---@param x moonarray.data
---@param fs? number|table
---@param window? string|table|number|moonarray.part|table
---@param nperseg? moonarray.whole|table
---@param noverlap? moonarray.whole|table
---@param nfft? moonarray.whole|table
---@param detrend? string|false|table
---@param return_onesided? boolean|table
---@param boundary? string|table
---@param padded? boolean|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param scaling? string|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.stft(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, boundary, padded, axis, scaling) end

---A cosine whose frequency at time t is a polynomial of it, with coefficients from the highest power down; phi: its phase in degrees.
---```lua
---signal.sweep_poly(t, poly, phi?)
---```
---@param t moonarray.data
---@param poly moonarray.data
---@param phi? number|table
---@return moonarray.array
function moonarray.signal.sweep_poly(t, poly, phi) end

---c0 / ((1 - z1 / s) (1 - z1 s)) along the last axis, forward and backward over a signal that is mirrored at its ends. |z1| < 1. All elements count, whatever the precision.
---```lua
---signal.symiirorder1(input, c0, z1, precision?)
---```
---@param input moonarray.data
---@param c0 number
---@param z1 number
---@param precision? number|table
---@return moonarray.array
function moonarray.signal.symiirorder1(input, c0, z1, precision) end

---The same for a pair of poles r exp(+- i omega), with gain 1.
---```lua
---signal.symiirorder2(input, r, omega, precision?)
---```
---@param input moonarray.data
---@param r number
---@param omega number
---@param precision? number|table
---@return moonarray.array
function moonarray.signal.symiirorder2(input, r, omega, precision) end

---Sections of second order from numerator and denominator.
---```lua
---signal.tf2sos(b, a, pairing?; analog?)
---```
---@param b moonarray.data
---@param a moonarray.data
---@param pairing? string|table
---@param analog? boolean|table
---@return moonarray.array
function moonarray.signal.tf2sos(b, a, pairing, analog) end

---State space, in controller form, from numerator and denominator.
---```lua
---signal.tf2ss(num, den)
---```
---@param num moonarray.data
---@param den moonarray.data
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.tf2ss(num, den) end

---Zeros, poles (both complex128) and gain from numerator and denominator.
---```lua
---signal.tf2zpk(b, a)
---```
---@param b moonarray.data
---@param a moonarray.data
---@return moonarray.array
---@return moonarray.array
---@return number
function moonarray.signal.tf2zpk(b, a) end

---Roots of which those within tol (0.001) of each other are one, and how many each stands for; rtype 'min', 'max' or 'avg' says which one.
---```lua
---signal.unique_roots(p, tol?, rtype?)
---```
---@param p moonarray.data
---@param tol? number|table
---@param rtype? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.unique_roots(p, tol, rtype) end

---Zeros with a 1 at position idx: the first along all axes, 'mid', a number or one for each axis.
---```lua
---signal.unit_impulse(shape, idx?, dtype?; device?)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param idx? moonarray.whole|moonarray.whole[]|string|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.unit_impulse(shape, idx, dtype, device) end

---Puts up - 1 zeros between the elements along an axis, filters by h, and keeps every down-th element. mode: how x goes on beyond its ends: 'constant' (cval, 0), 'edge', 'wrap', 'symmetric', 'reflect', 'antisymmetric' and 'antireflect' (these with the sign or the slope turned), 'smooth' (along the last two elements), 'line' (along the first and last), 'mean', 'median', 'maximum' or 'minimum'.
---```lua
---signal.upfirdn(h, x, up?, down?, axis?; mode?, cval?)
---```
---@param h moonarray.data
---@param x moonarray.data
---@param up? moonarray.whole|table
---@param down? moonarray.whole|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param mode? string|table
---@param cval? number|table
---@return moonarray.array
function moonarray.signal.upfirdn(h, x, up, down, axis, mode, cval) end

---How well events keep a period (0 to 1), and their phase; a vector of periods gives vectors.
---```lua
---signal.vectorstrength(events, period)
---```
---@param events moonarray.data
---@param period moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.vectorstrength(events, period) end

---Frequencies and the power spectral density by Welch's method. From overlapping segments of nperseg (256) elements that are detrended ('constant', 'linear' or false) and weighed by a window ('hann'). scaling 'density' or 'spectrum'; average 'mean' or 'median'.
---```lua
---signal.welch(x, fs?, window?, nperseg?, noverlap?, nfft?, detrend?, return_onesided?, scaling?, axis?, average?)
---```
---@param x moonarray.data
---@param fs? number|table
---@param window? string|table|number|moonarray.part|table
---@param nperseg? moonarray.whole|table
---@param noverlap? moonarray.whole|table
---@param nfft? moonarray.whole|table
---@param detrend? string|false|table
---@param return_onesided? boolean|table
---@param scaling? string|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param average? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.welch(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average) end

---Noise taken away by Wiener's filter, from means and variances in boxes of mysize (3) around each element; noise: its power, else the mean of the variances.
---```lua
---signal.wiener(im, mysize?, noise?)
---```
---@param im moonarray.data
---@param mysize? moonarray.whole|moonarray.whole[]|table
---@param noise? number|table
---@return moonarray.array
function moonarray.signal.wiener(im, mysize, noise) end

moonarray.signal.windows = {}

---Bartlett's and Hann's windows mixed. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.barthann(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.barthann(M, sym, device) end

---A triangle that is 0 at its ends. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.bartlett(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.bartlett(M, sym, device) end

---0.42, 0.5 and 0.08 of cosines. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.blackman(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.blackman(M, sym, device) end

---Blackman's and Harris's four cosines. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.blackmanharris(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.blackmanharris(M, sym, device) end

---Two half cosines convolved; 0 at both ends. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.bohman(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.bohman(M, sym, device) end

---All ones. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.boxcar(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.boxcar(M, sym, device) end

---Dolph's and Chebyshev's window, whose sidelobes are all at dB below the main lobe. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.chebwin(M, at, sym?; device?)
---```
---@param M moonarray.whole
---@param at number
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.chebwin(M, at, sym, device) end

---Half a period of a sine. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.cosine(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.cosine(M, sym, device) end

---exp(-|n - center| / tau), with center counted from 0; the middle unless sym is false. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.exponential(M, center?, tau?, sym?; device?)
---```
---@param M moonarray.whole
---@param center? number|table
---@param tau? number|table
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.exponential(M, center, tau, sym, device) end

---Five cosines with a flat top in the spectrum, for measuring amplitudes. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.flattop(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.flattop(M, sym, device) end

---exp(-x^2 / (2 std^2)). A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.gaussian(M, std, sym?; device?)
---```
---@param M moonarray.whole
---@param std number
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.gaussian(M, std, sym, device) end

---A sum of cosines with weights a: a[1] - a[2] cos + a[3] cos of twice the angle. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.general_cosine(M, a, sym?; device?)
---```
---@param M moonarray.whole
---@param a moonarray.data
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.general_cosine(M, a, sym, device) end

---exp(-|x / sig|^(2 p) / 2). A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.general_gaussian(M, p, sig, sym?; device?)
---```
---@param M moonarray.whole
---@param p number
---@param sig number
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.general_gaussian(M, p, sig, sym, device) end

---A raised cosine: alpha - (1 - alpha) cos. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.general_hamming(M, alpha, sym?; device?)
---```
---@param M moonarray.whole
---@param alpha number
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.general_hamming(M, alpha, sym, device) end

---A window by name: 'hann', {'kaiser', beta}, {'tukey', alpha}, or a number, the beta of kaiser. One period of it for spectra, unless fftbins is false. Example: ma.signal.get_window('hann', 4) --> [0. 0.5 1. 0.5]
---```lua
---signal.windows.get_window(window, Nx, fftbins?; device?)
---```
---@param window string|table|number|moonarray.part
---@param Nx moonarray.whole
---@param fftbins? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.get_window(window, Nx, fftbins, device) end

---A raised cosine that is 0.08 at its ends. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.hamming(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.hamming(M, sym, device) end

---A raised cosine that is 0 at its ends. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.hann(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.hann(M, sym, device) end

---Bessel's window: a larger beta makes it narrower. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.kaiser(M, beta, sym?; device?)
---```
---@param M moonarray.whole
---@param beta number
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.kaiser(M, beta, sym, device) end

---A window of an even number of points whose square and the square of its halves exchanged add up to 1.
---```lua
---signal.windows.kaiser_bessel_derived(M, beta; sym?, device?)
---```
---@param M moonarray.whole
---@param beta number
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.kaiser_bessel_derived(M, beta, sym, device) end

---The main lobe of sin(x) / x. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.lanczos(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.lanczos(M, sym, device) end

---Nuttall's four cosines with the least sidelobes. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.nuttall(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.nuttall(M, sym, device) end

---Parzen's window: four boxes convolved. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.parzen(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.parzen(M, sym, device) end

---Taylor's window: nbar - 1 sidelobes beside the main lobe at sll dB below it; norm: 1 in the middle. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.taylor(M, nbar?, sll?, norm?, sym?; device?)
---```
---@param M moonarray.whole
---@param nbar? moonarray.whole|table
---@param sll? number|table
---@param norm? "backward"|"ortho"|"forward"|table
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.taylor(M, nbar, sll, norm, sym, device) end

---A triangle whose ends are not 0. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.triang(M, sym?; device?)
---```
---@param M moonarray.whole
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.triang(M, sym, device) end

---A flat top with cosines at both ends, which take the part alpha of it. A window of M points: symmetric, or with sym = false one period of it.
---```lua
---signal.windows.tukey(M, alpha?, sym?; device?)
---```
---@param M moonarray.whole
---@param alpha? number|table
---@param sym? boolean|table
---@param device? string|table
---@return moonarray.array
function moonarray.signal.windows.tukey(M, alpha, sym, device) end

---Sections of second order from zeros, poles and gain; pairing 'nearest', 'keep_odd' or 'minimal' says how zeros meet poles.
---```lua
---signal.zpk2sos(z, p, k, pairing?; analog?)
---```
---@param z moonarray.data
---@param p moonarray.data
---@param k moonarray.data
---@param pairing? string|table
---@param analog? boolean|table
---@return moonarray.array
function moonarray.signal.zpk2sos(z, p, k, pairing, analog) end

---State space from zeros, poles and gain.
---```lua
---signal.zpk2ss(z, p, k)
---```
---@param z moonarray.data
---@param p moonarray.data
---@param k moonarray.data
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.zpk2ss(z, p, k) end

---Numerator and denominator from zeros, poles and gain.
---```lua
---signal.zpk2tf(z, p, k)
---```
---@param z moonarray.data
---@param p moonarray.data
---@param k moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.signal.zpk2tf(z, p, k) end

---true where the sign of x is minus, -0 included
---```lua
---signbit(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.signbit: moonarray.ufunc
---@overload fun(a: number): boolean
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.signbit = {}
array.signbit = moonarray.signbit

---the sine of x radians
---```lua
---sin(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.sin: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.sin = {}
array.sin = moonarray.sin

---sin(pi x) / (pi x), 1 at 0
---```lua
---sinc(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.sinc: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.sinc = {}
array.sinc = moonarray.sinc

---the hyperbolic sine
---```lua
---sinh(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.sinh: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.sinh = {}
array.sinh = moonarray.sinh

---The number of elements, or the extent of one axis.
---```lua
---size(array, axis?)
---```
---@param array moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return integer
function moonarray.size(array, axis) end

---Waits that many seconds, or a little longer, without using the processor. Work on a GPU goes on.
---```lua
---sleep(seconds)
---```
---@param seconds number
function moonarray.sleep(seconds) end

---A sorted copy, along an axis (the last): ascending, with descending = true descending. Stable, and NaN comes last, either way. x:sort() sorts in place. Example: ma.sort({2, 3, 1}, {descending = true}) --> [3. 2. 1.]
---```lua
---sort(arr, axis?, kind?; out?, descending?, stable?)
---```
---@param arr moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param kind? string|table
---@param out? moonarray.part|table
---@param descending? boolean|table
---@param stable? boolean|table
---@return moonarray.array
function moonarray.sort(arr, axis, kind, out, descending, stable) end

---A sorted copy along the last axis, complex: by the real parts, then the imaginary ones.
---```lua
---sort_complex(a)
---```
---@param a moonarray.data
---@return moonarray.array
function moonarray.sort_complex(a) end
array.sort_complex = moonarray.sort_complex

moonarray.sparse = {}

moonarray.sparse.Matrix = {}

---The magnitude of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.abs(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.abs(a) end

---The magnitude of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.absolute(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.absolute(a) end

---The sum: sparse of two sparse matrices, else an array.
---```lua
---sparse.Matrix.add(a, b)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.add(a, b) end

---The arc sine of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.arcsin(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.arcsin(a) end

---The inverse hyperbolic sine of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.arcsinh(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.arcsinh(a) end

---The arc tangent of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.arctan(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.arctan(a) end

---The inverse hyperbolic tangent of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.arctanh(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.arctanh(a) end

---The position of the greatest element, zeros included: in the flattened matrix in C order, or along an axis.
---```lua
---sparse.Matrix.argmax(a, axis?, out?)
---```
---@param a moonarray.sparse_matrix
---@param axis? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.sparse.Matrix.argmax(a, axis, out) end

---The position of the least element, zeros included: in the flattened matrix in C order, or along an axis.
---```lua
---sparse.Matrix.argmin(a, axis?, out?)
---```
---@param a moonarray.sparse_matrix
---@param axis? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.sparse.Matrix.argmin(a, axis, out) end

---The matrix in a format: "csr", "csc", "coo", "dia" or "bsr".
---```lua
---sparse.Matrix.asformat(a, format?, copy?)
---```
---@param a moonarray.sparse_matrix
---@param format? string|table
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.asformat(a, format, copy) end

---The matrix with another dtype.
---```lua
---sparse.Matrix.astype(a, dtype, copy?)
---```
---@param a moonarray.sparse_matrix
---@param dtype moonarray.dtype
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.astype(a, dtype, copy) end

---The least whole number above of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.ceil(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.ceil(a) end

---The complex conjugate of each entry.
---```lua
---sparse.Matrix.conj(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.conj(a) end

---The complex conjugate of each entry.
---```lua
---sparse.Matrix.conjugate(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.conjugate(a) end

---A matrix with arrays of its own.
---```lua
---sparse.Matrix.copy(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.copy(a) end

---The number of entries that are not 0: of the matrix, a number, or along an axis, an array. Waits.
---```lua
---sparse.Matrix.count_nonzero(a, axis?)
---```
---@param a moonarray.sparse_matrix
---@param axis? moonarray.whole|table
---@return moonarray.array
function moonarray.sparse.Matrix.count_nonzero(a, axis) end

---The angle in radians of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.deg2rad(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.deg2rad(a) end

---Diagonal k (0) as a vector: above the main one for k > 0.
---```lua
---sparse.Matrix.diagonal(a, k?)
---```
---@param a moonarray.sparse_matrix
---@param k? moonarray.whole|table
---@return moonarray.array
function moonarray.sparse.Matrix.diagonal(a, k) end

---The quotient element by element, by an array that broadcasts or a number.
---```lua
---sparse.Matrix.divide(a, b)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.divide(a, b) end

---The matrix product with a vector, a matrix or a sparse matrix, which gives a sparse one. out: an array for the result of a dense operand.
---```lua
---sparse.Matrix.dot(a, b; out?)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@param out? moonarray.part|table
---@return moonarray.array|moonarray.sparse_matrix
function moonarray.sparse.Matrix.dot(a, b, out) end

---Removes stored entries that are 0, in place; returns the matrix. Waits.
---```lua
---sparse.Matrix.eliminate_zeros(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.eliminate_zeros(a) end

---Where equal, as a sparse bool matrix; beside an array as an array.
---```lua
---sparse.Matrix.eq(a, b)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.eq(a, b) end

---exp(x) - 1 of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.expm1(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.expm1(a) end

---The greatest whole number below of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.floor(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.floor(a) end

---Where greater equal, as a sparse bool matrix; beside an array as an array.
---```lua
---sparse.Matrix.ge(a, b)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.ge(a, b) end

---The matrix on the CPU.
---```lua
---sparse.Matrix.get(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.get(a) end

---The conjugate transpose.
---```lua
---sparse.Matrix.getH(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.getH(a) end

---Column i, as a matrix of one column.
---```lua
---sparse.Matrix.getcol(a, i)
---```
---@param a moonarray.sparse_matrix
---@param i moonarray.whole
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.getcol(a, i) end

---The number of stored entries: of the matrix, a number, or of each column (axis 1) or row (axis 2), an array.
---```lua
---sparse.Matrix.getnnz(a, axis?)
---```
---@param a moonarray.sparse_matrix
---@param axis? moonarray.whole|table
---@return integer|moonarray.array
function moonarray.sparse.Matrix.getnnz(a, axis) end

---Row i, as a matrix of one row.
---```lua
---sparse.Matrix.getrow(a, i)
---```
---@param a moonarray.sparse_matrix
---@param i moonarray.whole
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.getrow(a, i) end

---Where greater, as a sparse bool matrix; beside an array as an array.
---```lua
---sparse.Matrix.gt(a, b)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.gt(a, b) end

---Where less equal, as a sparse bool matrix; beside an array as an array.
---```lua
---sparse.Matrix.le(a, b)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.le(a, b) end

---log(1 + x) of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.log1p(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.log1p(a) end

---Where less, as a sparse bool matrix; beside an array as an array.
---```lua
---sparse.Matrix.lt(a, b)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.lt(a, b) end

---The matrix product with a vector, a matrix or a sparse matrix, which gives a sparse one. out: an array for the result of a dense operand.
---```lua
---sparse.Matrix.matmul(a, b; out?)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@param out? moonarray.part|table
---@return moonarray.array|moonarray.sparse_matrix
function moonarray.sparse.Matrix.matmul(a, b, out) end

---The maximum of all elements, zeros included, or along an axis, as an array.
---```lua
---sparse.Matrix.max(a, axis?, out?)
---```
---@param a moonarray.sparse_matrix
---@param axis? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.sparse.Matrix.max(a, axis, out) end

---The greater of both, element by element: sparse of two sparse matrices, or beside a number.
---```lua
---sparse.Matrix.maximum(a, b)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.maximum(a, b) end

---The mean of all elements, zeros included, or along an axis.
---```lua
---sparse.Matrix.mean(a, axis?, dtype?, out?)
---```
---@param a moonarray.sparse_matrix
---@param axis? moonarray.whole|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.sparse.Matrix.mean(a, axis, dtype, out) end

---The minimum of all elements, zeros included, or along an axis, as an array.
---```lua
---sparse.Matrix.min(a, axis?, out?)
---```
---@param a moonarray.sparse_matrix
---@param axis? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.sparse.Matrix.min(a, axis, out) end

---The lesser of both, element by element: sparse of two sparse matrices, or beside a number.
---```lua
---sparse.Matrix.minimum(a, b)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.minimum(a, b) end

---The product element by element, with a sparse matrix, an array that broadcasts or a number; a * b is the same, and a:matmul(b) is the matrix product.
---```lua
---sparse.Matrix.multiply(a, b)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.multiply(a, b) end

---The maximum of the elements that are not NaN, zeros included.
---```lua
---sparse.Matrix.nanmax(a, axis?, out?)
---```
---@param a moonarray.sparse_matrix
---@param axis? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.sparse.Matrix.nanmax(a, axis, out) end

---The minimum of the elements that are not NaN, zeros included.
---```lua
---sparse.Matrix.nanmin(a, axis?, out?)
---```
---@param a moonarray.sparse_matrix
---@param axis? moonarray.whole|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.sparse.Matrix.nanmin(a, axis, out) end

---Where not equal, as a sparse bool matrix; beside an array as an array.
---```lua
---sparse.Matrix.ne(a, b)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.ne(a, b) end

---The rows and the columns of the entries that are not 0, in C order, in two arrays. Waits.
---```lua
---sparse.Matrix.nonzero(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.array
---@return moonarray.array
function moonarray.sparse.Matrix.nonzero(a) end

---Each entry to the power n, a number above 0. Powers of the matrix: sparse.linalg.matrix_power.
---```lua
---sparse.Matrix.power(a, n, dtype?)
---```
---@param a moonarray.sparse_matrix
---@param n moonarray.whole
---@param dtype? moonarray.dtype|table
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.power(a, n, dtype) end

---The angle in degrees of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.rad2deg(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.rad2deg(a) end

---The same elements in C order as a matrix of another shape; one extent may be -1.
---```lua
---sparse.Matrix.reshape(a, shape, ...)
---```
---@param a moonarray.sparse_matrix
---@param shape moonarray.whole|moonarray.whole[]
---@param ... any
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.reshape(a, shape, ...) end

---The nearest whole number of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.rint(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.rint(a) end

---x a: the product with a vector or a matrix from the left.
---```lua
---sparse.Matrix.rmatmul(a, x)
---```
---@param a moonarray.sparse_matrix
---@param x moonarray.data
---@return moonarray.array
function moonarray.sparse.Matrix.rmatmul(a, x) end

---Writes diagonal k (0): a number, or as many values as it has, or fewer. Returns the matrix.
---```lua
---sparse.Matrix.setdiag(a, values, k?)
---```
---@param a moonarray.sparse_matrix
---@param values moonarray.data
---@param k? moonarray.whole|table
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.setdiag(a, values, k) end

---The sign of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.sign(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.sign(a) end

---The sine of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.sin(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.sin(a) end

---The hyperbolic sine of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.sinh(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.sinh(a) end

---Sorts the columns of each row (in CSC the rows of each column) in place; returns the matrix.
---```lua
---sparse.Matrix.sort_indices(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.sort_indices(a) end

---A matrix with the columns of each row sorted; the matrix itself stays as it is.
---```lua
---sparse.Matrix.sorted_indices(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.sorted_indices(a) end

---The square root of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.sqrt(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.sqrt(a) end

---The difference: sparse of two sparse matrices, else an array.
---```lua
---sparse.Matrix.subtract(a, b)
---```
---@param a moonarray.sparse_matrix
---@param b moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.subtract(a, b) end

---The sum of all elements, or along an axis: 1 down the columns, 2 along the rows.
---```lua
---sparse.Matrix.sum(a, axis?, dtype?, out?)
---```
---@param a moonarray.sparse_matrix
---@param axis? moonarray.whole|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.sparse.Matrix.sum(a, axis, dtype, out) end

---Adds up entries at the same place, in place, and sorts; returns the matrix.
---```lua
---sparse.Matrix.sum_duplicates(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.sum_duplicates(a) end

---The tangent of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.tan(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.tan(a) end

---The hyperbolic tangent of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.tanh(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.tanh(a) end

---The matrix on a device, such as "cuda" or "cpu".
---```lua
---sparse.Matrix.to_device(a, device)
---```
---@param a moonarray.sparse_matrix
---@param device string
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.to_device(a, device) end

---The matrix as an array; duplicates are added up. order: "C" or "F".
---```lua
---sparse.Matrix.toarray(a, order?, out?)
---```
---@param a moonarray.sparse_matrix
---@param order? string|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.sparse.Matrix.toarray(a, order, out) end

---The matrix in blocks of {height, width}, or of a size whose blocks are nearly full. Waits.
---```lua
---sparse.Matrix.tobsr(a, blocksize?, copy?)
---```
---@param a moonarray.sparse_matrix
---@param blocksize? moonarray.whole|moonarray.whole[]|table
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.tobsr(a, blocksize, copy) end

---The matrix in the format coo, which shares what can be shared unless copy is true.
---```lua
---sparse.Matrix.tocoo(a, copy?)
---```
---@param a moonarray.sparse_matrix
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.tocoo(a, copy) end

---The matrix in the format csc, which shares what can be shared unless copy is true.
---```lua
---sparse.Matrix.tocsc(a, copy?)
---```
---@param a moonarray.sparse_matrix
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.tocsc(a, copy) end

---The matrix in the format csr, which shares what can be shared unless copy is true.
---```lua
---sparse.Matrix.tocsr(a, copy?)
---```
---@param a moonarray.sparse_matrix
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.tocsr(a, copy) end

---The matrix as an array; duplicates are added up. order: "C" or "F".
---```lua
---sparse.Matrix.todense(a, order?, out?)
---```
---@param a moonarray.sparse_matrix
---@param order? string|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.sparse.Matrix.todense(a, order, out) end

---The matrix in the format dia, which shares what can be shared unless copy is true.
---```lua
---sparse.Matrix.todia(a, copy?)
---```
---@param a moonarray.sparse_matrix
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.todia(a, copy) end

---The sum of a diagonal.
---```lua
---sparse.Matrix.trace(a, offset?)
---```
---@param a moonarray.sparse_matrix
---@param offset? moonarray.whole|table
---@return moonarray.array
function moonarray.sparse.Matrix.trace(a, offset) end

---The transpose: CSR becomes CSC and the reverse, with the same arrays.
---```lua
---sparse.Matrix.transpose(a, axes?, copy?)
---```
---@param a moonarray.sparse_matrix
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param copy? boolean|table
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.transpose(a, axes, copy) end

---The whole part of each entry, as a sparse matrix.
---```lua
---sparse.Matrix.trunc(a)
---```
---@param a moonarray.sparse_matrix
---@return moonarray.sparse_matrix
function moonarray.sparse.Matrix.trunc(a) end

---A sparse matrix of blocks, given as a table of rows of blocks; false is a block without entries. format: "coo" unless it is given.
---```lua
---sparse.block_array(blocks; format?, dtype?)
---```
---@param blocks moonarray.sparse_matrix|moonarray.data
---@param format? string|table
---@param dtype? moonarray.dtype|table
---@return moonarray.sparse_matrix
function moonarray.sparse.block_array(blocks, format, dtype) end

---Matrices along the diagonal of a sparse matrix.
---```lua
---sparse.block_diag(mats, format?, dtype?)
---```
---@param mats moonarray.sparse_matrix|moonarray.data
---@param format? string|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.sparse_matrix
function moonarray.sparse.block_diag(mats, format, dtype) end

---A sparse matrix of blocks, given as a table of rows of blocks; false is a block without entries. format: "coo" unless it is given.
---```lua
---sparse.bmat(blocks, format?, dtype?)
---```
---@param blocks moonarray.sparse_matrix|moonarray.data
---@param format? string|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.sparse_matrix
function moonarray.sparse.bmat(blocks, format, dtype) end

---A sparse matrix in blocks, from another matrix, an array or nested tables, empty from {rows, columns}, from {data, {row, col}}, or from {data, indices, indptr} with data of shape {blocks, height, width}.
---```lua
---sparse.bsr_array(arg1, shape?, dtype?, copy?, blocksize?; device?)
---```
---@param arg1 moonarray.sparse_matrix|moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param copy? boolean|table
---@param blocksize? moonarray.whole|moonarray.whole[]|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.bsr_array(arg1, shape, dtype, copy, blocksize, device) end

---A sparse matrix in blocks, from another matrix, an array or nested tables, empty from {rows, columns}, from {data, {row, col}}, or from {data, indices, indptr} with data of shape {blocks, height, width}.
---```lua
---sparse.bsr_matrix(arg1, shape?, dtype?, copy?, blocksize?; device?)
---```
---@param arg1 moonarray.sparse_matrix|moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param copy? boolean|table
---@param blocksize? moonarray.whole|moonarray.whole[]|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.bsr_matrix(arg1, shape, dtype, copy, blocksize, device) end

---A sparse matrix in the format COO from another one, from an array or nested tables, empty from {rows, columns}, from {data, {row, col}}. Positions count from 1; those out of range are an error, for which the call waits. Arrays are shared where they have the right dtype, unless copy is true. dtype: that of the entries.
---```lua
---sparse.coo_array(arg1, shape?, dtype?, copy?; device?)
---```
---@param arg1 moonarray.sparse_matrix|moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param copy? boolean|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.coo_array(arg1, shape, dtype, copy, device) end

---A sparse matrix in the format COO from another one, from an array or nested tables, empty from {rows, columns}, from {data, {row, col}}. Positions count from 1; those out of range are an error, for which the call waits. Arrays are shared where they have the right dtype, unless copy is true. dtype: that of the entries.
---```lua
---sparse.coo_matrix(arg1, shape?, dtype?, copy?; device?)
---```
---@param arg1 moonarray.sparse_matrix|moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param copy? boolean|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.coo_matrix(arg1, shape, dtype, copy, device) end

---A sparse matrix in the format CSC from another one, from an array or nested tables, empty from {rows, columns}, from {data, {row, col}}, or {data, indices, indptr}, by columns. Positions count from 1; those out of range are an error, for which the call waits. Arrays are shared where they have the right dtype, unless copy is true. dtype: that of the entries.
---```lua
---sparse.csc_array(arg1, shape?, dtype?, copy?; device?)
---```
---@param arg1 moonarray.sparse_matrix|moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param copy? boolean|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.csc_array(arg1, shape, dtype, copy, device) end

---A sparse matrix in the format CSC from another one, from an array or nested tables, empty from {rows, columns}, from {data, {row, col}}, or {data, indices, indptr}, by columns. Positions count from 1; those out of range are an error, for which the call waits. Arrays are shared where they have the right dtype, unless copy is true. dtype: that of the entries.
---```lua
---sparse.csc_matrix(arg1, shape?, dtype?, copy?; device?)
---```
---@param arg1 moonarray.sparse_matrix|moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param copy? boolean|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.csc_matrix(arg1, shape, dtype, copy, device) end

moonarray.sparse.csgraph = {}

---Lengths of the shortest paths between nodes, with edges of negative length but without cycles of it, by the method of Bellman and Ford. Results: a row for each node of indices (all), infinity where there is no way; with return_predecessors the node before each on its way too, 0 where there is none. With directed = false edges lead in both directions; unweighted: each has length 1.
---```lua
---sparse.csgraph.bellman_ford(csgraph, directed?, indices?, return_predecessors?, unweighted?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param directed? boolean|table
---@param indices? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param return_predecessors? boolean|table
---@param unweighted? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.sparse.csgraph.bellman_ford(csgraph, directed, indices, return_predecessors, unweighted) end

---The nodes that are reached from node i_start by a search breadth first, in its order, and for each node of the graph the one that it was reached from, 0 for i_start and what is out of reach. With directed = false edges lead in both directions.
---```lua
---sparse.csgraph.breadth_first_order(csgraph, i_start, directed?, return_predecessors?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param i_start moonarray.whole
---@param directed? boolean|table
---@param return_predecessors? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.sparse.csgraph.breadth_first_order(csgraph, i_start, directed, return_predecessors) end

---The edges over which a search breadth first reaches nodes, as a sparse matrix of their lengths.
---```lua
---sparse.csgraph.breadth_first_tree(csgraph, i_start, directed?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param i_start moonarray.whole
---@param directed? boolean|table
---@return moonarray.sparse_matrix
function moonarray.sparse.csgraph.breadth_first_tree(csgraph, i_start, directed) end

---n, labels: the number of parts that hang together, and for each node the number of its part, from 1 on. Of a directed graph connection says whether edges count in both directions ('weak') or whether there must be a way in either ('strong'). Example: ma.sparse.csgraph.connected_components({{0, 1}, {0, 0}}, {return_labels = false}) --> 1
---```lua
---sparse.csgraph.connected_components(csgraph, directed?, connection?, return_labels?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param directed? boolean|table
---@param connection? string|table
---@param return_labels? boolean|table
---@return integer
---@return moonarray.array
function moonarray.sparse.csgraph.connected_components(csgraph, directed, connection, return_labels) end

---The nodes that are reached from node i_start by a search depth first, in its order, and for each node of the graph the one that it was reached from, 0 for i_start and what is out of reach. With directed = false edges lead in both directions.
---```lua
---sparse.csgraph.depth_first_order(csgraph, i_start, directed?, return_predecessors?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param i_start moonarray.whole
---@param directed? boolean|table
---@param return_predecessors? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.sparse.csgraph.depth_first_order(csgraph, i_start, directed, return_predecessors) end

---The edges over which a search depth first reaches nodes, as a sparse matrix of their lengths.
---```lua
---sparse.csgraph.depth_first_tree(csgraph, i_start, directed?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param i_start moonarray.whole
---@param directed? boolean|table
---@return moonarray.sparse_matrix
function moonarray.sparse.csgraph.depth_first_tree(csgraph, i_start, directed) end

---Lengths of the shortest paths between nodes, by Dijkstra's method; lengths of edges are not negative. limit: longer paths do not count. min_only: one row, from the nearest of indices; which it was comes third. Results: a row for each node of indices (all), infinity where there is no way; with return_predecessors the node before each on its way too, 0 where there is none. With directed = false edges lead in both directions; unweighted: each has length 1.
---```lua
---sparse.csgraph.dijkstra(csgraph, directed?, indices?, return_predecessors?, unweighted?, limit?, min_only?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param directed? boolean|table
---@param indices? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param return_predecessors? boolean|table
---@param unweighted? boolean|table
---@param limit? number|table
---@param min_only? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.sparse.csgraph.dijkstra(csgraph, directed, indices, return_predecessors, unweighted, limit, min_only) end

---Lengths of the shortest paths between all nodes, by the method of Floyd and Warshall, for dense graphs; edges may have negative lengths, cycles may not. overwrite changes nothing. Results: a row for each node of indices (all), infinity where there is no way; with return_predecessors the node before each on its way too, 0 where there is none. With directed = false edges lead in both directions; unweighted: each has length 1.
---```lua
---sparse.csgraph.floyd_warshall(csgraph, directed?, return_predecessors?, unweighted?, overwrite?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param directed? boolean|table
---@param return_predecessors? boolean|table
---@param unweighted? boolean|table
---@param overwrite? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.sparse.csgraph.floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite) end

---Lengths of the shortest paths between nodes, with edges of negative length but without cycles of it, by the method of Johnson. Results: a row for each node of indices (all), infinity where there is no way; with return_predecessors the node before each on its way too, 0 where there is none. With directed = false edges lead in both directions; unweighted: each has length 1.
---```lua
---sparse.csgraph.johnson(csgraph, directed?, indices?, return_predecessors?, unweighted?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param directed? boolean|table
---@param indices? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@param return_predecessors? boolean|table
---@param unweighted? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.sparse.csgraph.johnson(csgraph, directed, indices, return_predecessors, unweighted) end

---D - A of a graph A, where D has the sums of A's columns (of its rows with use_out_degree) on its diagonal and A's diagonal does not count; normed: the symmetric form D^-1/2 (D - A) D^-1/2, with 1 for D's zeros. Sparse of sparse, dense of dense. return_diag: the diagonal too, D or D^1/2. symmetrized: of A + A^T. The dtype is A's unless dtype says otherwise; float64 of bool and of normed whole numbers. Example: ma.sparse.csgraph.laplacian({{0, 1}, {1, 0}}) --> [[ 1. -1.] [-1. 1.]]
---```lua
---sparse.csgraph.laplacian(csgraph, normed?, return_diag?, use_out_degree?; dtype?, symmetrized?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param normed? boolean|table
---@param return_diag? boolean|table
---@param use_out_degree? boolean|table
---@param dtype? moonarray.dtype|table
---@param symmetrized? boolean|table
---@return moonarray.array|moonarray.sparse_matrix
---@return moonarray.array
function moonarray.sparse.csgraph.laplacian(csgraph, normed, return_diag, use_out_degree, dtype, symmetrized) end

---As many entries as can be without two in a row or in a column: for each column its row (perm_type 'row', the default), or for each row its column ('column'), 0 for none.
---```lua
---sparse.csgraph.maximum_bipartite_matching(graph, perm_type?)
---```
---@param graph moonarray.sparse_matrix|moonarray.data
---@param perm_type? string|table
---@return moonarray.array
function moonarray.sparse.csgraph.maximum_bipartite_matching(graph, perm_type) end

---Edges of least length in sum that join what the graph joins, in either direction, as a sparse matrix: a tree of each part. overwrite changes nothing.
---```lua
---sparse.csgraph.minimum_spanning_tree(csgraph, overwrite?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param overwrite? boolean|table
---@return moonarray.sparse_matrix
function moonarray.sparse.csgraph.minimum_spanning_tree(csgraph, overwrite) end

---The edges that lead to each node from its predecessor, one of a search's or of shortest_path's, as a sparse matrix of their lengths.
---```lua
---sparse.csgraph.reconstruct_path(csgraph, predecessors, directed?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param predecessors moonarray.data
---@param directed? boolean|table
---@return moonarray.sparse_matrix
function moonarray.sparse.csgraph.reconstruct_path(csgraph, predecessors, directed) end

---An order of the nodes in which edges join near ones: a[order, order] has a narrow band. symmetric_mode: the matrix is known to be symmetric.
---```lua
---sparse.csgraph.reverse_cuthill_mckee(graph, symmetric_mode?)
---```
---@param graph moonarray.sparse_matrix|moonarray.data
---@param symmetric_mode? boolean|table
---@return moonarray.array
function moonarray.sparse.csgraph.reverse_cuthill_mckee(graph, symmetric_mode) end

---Lengths of the shortest paths between nodes. method: 'D' (dijkstra), 'BF' (bellman_ford), 'J' (johnson), 'FW' (floyd_warshall), 'auto': the one that fits. Results: a row for each node of indices (all), infinity where there is no way; with return_predecessors the node before each on its way too, 0 where there is none. With directed = false edges lead in both directions; unweighted: each has length 1. Example: ma.sparse.csgraph.shortest_path({{0, 1, 5}, {0, 0, 2}, {0, 0, 0}}, {indices = 1}) --> [0. 1. 3.]
---```lua
---sparse.csgraph.shortest_path(csgraph, method?, directed?, return_predecessors?, unweighted?, overwrite?, indices?)
---```
---@param csgraph moonarray.sparse_matrix|moonarray.data
---@param method? string|table
---@param directed? boolean|table
---@param return_predecessors? boolean|table
---@param unweighted? boolean|table
---@param overwrite? boolean|table
---@param indices? moonarray.whole|moonarray.whole[]|moonarray.part|table
---@return moonarray.array
---@return moonarray.array
function moonarray.sparse.csgraph.shortest_path(csgraph, method, directed, return_predecessors, unweighted, overwrite, indices) end

---The largest rank that a matrix with these entries can have.
---```lua
---sparse.csgraph.structural_rank(graph)
---```
---@param graph moonarray.sparse_matrix|moonarray.data
---@return integer
function moonarray.sparse.csgraph.structural_rank(graph) end

---A sparse matrix in the format CSR from another one, from an array or nested tables, empty from {rows, columns}, from {data, {row, col}}, or {data, indices, indptr}, by rows. Positions count from 1; those out of range are an error, for which the call waits. Arrays are shared where they have the right dtype, unless copy is true. dtype: that of the entries.
---```lua
---sparse.csr_array(arg1, shape?, dtype?, copy?; device?)
---```
---@param arg1 moonarray.sparse_matrix|moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param copy? boolean|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.csr_array(arg1, shape, dtype, copy, device) end

---A sparse matrix in the format CSR from another one, from an array or nested tables, empty from {rows, columns}, from {data, {row, col}}, or {data, indices, indptr}, by rows. Positions count from 1; those out of range are an error, for which the call waits. Arrays are shared where they have the right dtype, unless copy is true. dtype: that of the entries.
---```lua
---sparse.csr_matrix(arg1, shape?, dtype?, copy?; device?)
---```
---@param arg1 moonarray.sparse_matrix|moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param copy? boolean|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.csr_matrix(arg1, shape, dtype, copy, device) end

---A sparse matrix by diagonals, from another matrix, an array or nested tables, empty from {rows, columns}, or from {data, offsets} with shape: row d of data is the diagonal offsets[d], and data[d, j] lies in column j.
---```lua
---sparse.dia_array(arg1, shape?, dtype?, copy?; device?)
---```
---@param arg1 moonarray.sparse_matrix|moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param copy? boolean|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.dia_array(arg1, shape, dtype, copy, device) end

---A sparse matrix by diagonals, from another matrix, an array or nested tables, empty from {rows, columns}, or from {data, offsets} with shape: row d of data is the diagonal offsets[d], and data[d, j] lies in column j.
---```lua
---sparse.dia_matrix(arg1, shape?, dtype?, copy?; device?)
---```
---@param arg1 moonarray.sparse_matrix|moonarray.data
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param copy? boolean|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.dia_matrix(arg1, shape, dtype, copy, device) end

---A sparse matrix with these vectors on the diagonals offsets (0): one vector, or a table of vectors with a table of offsets; a vector of one element fills its diagonal. format: "dia" unless it is given.
---```lua
---sparse.diags(diagonals, offsets?, shape?, format?, dtype?)
---```
---@param diagonals moonarray.data
---@param offsets? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param format? string|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.sparse_matrix
function moonarray.sparse.diags(diagonals, offsets, shape, format, dtype) end

---A sparse matrix with these vectors on the diagonals offsets (0): one vector, or a table of vectors with a table of offsets; a vector of one element fills its diagonal. format: "dia" unless it is given.
---```lua
---sparse.diags_array(diagonals, offsets?, shape?, format?, dtype?)
---```
---@param diagonals moonarray.data
---@param offsets? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param shape? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param format? string|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.sparse_matrix
function moonarray.sparse.diags_array(diagonals, offsets, shape, format, dtype) end

---A sparse matrix with ones on diagonal k (0) of m rows and n columns (m).
---```lua
---sparse.eye(m, n?, k?, dtype?, format?; device?)
---```
---@param m moonarray.whole
---@param n? moonarray.whole|moonarray.dtype|table
---@param k? moonarray.whole|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param format? string|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.eye(m, n, k, dtype, format, device) end

---A sparse matrix with ones on diagonal k (0) of m rows and n columns (m).
---```lua
---sparse.eye_array(m, n?; k?, dtype?, format?, device?)
---```
---@param m moonarray.whole
---@param n? moonarray.whole|table
---@param k? moonarray.whole|table
---@param dtype? moonarray.dtype|table
---@param format? string|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.eye_array(m, n, k, dtype, format, device) end

---The rows, the columns and the values of the entries that are not 0, in three arrays; entries at the same place are added up. Waits.
---```lua
---sparse.find(A)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.sparse.find(A) end

---The dtype of positions, "int32" or "int64", for these index arrays and up to maxval; with check_contents the arrays' elements count, not their dtypes. Waits with check_contents.
---```lua
---sparse.get_index_dtype(arrays?, maxval?, check_contents?)
---```
---@param arrays? moonarray.data[]|table
---@param maxval? number|table
---@param check_contents? boolean|table
---@return moonarray.dtype
function moonarray.sparse.get_index_dtype(arrays, maxval, check_contents) end

---Sparse matrices side by side.
---```lua
---sparse.hstack(blocks, format?, dtype?)
---```
---@param blocks moonarray.sparse_matrix|moonarray.data
---@param format? string|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.sparse_matrix
function moonarray.sparse.hstack(blocks, format, dtype) end

---The sparse identity matrix of n rows.
---```lua
---sparse.identity(n, dtype?, format?; device?)
---```
---@param n moonarray.whole
---@param dtype? moonarray.dtype|table
---@param format? string|table
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.identity(n, dtype, format, device) end

---Whether x is a sparse matrix.
---```lua
---sparse.issparse(x)
---```
---@param x any
---@return boolean
function moonarray.sparse.issparse(x) end

---Whether x is a sparse matrix.
---```lua
---sparse.isspmatrix(x)
---```
---@param x any
---@return boolean
function moonarray.sparse.isspmatrix(x) end

---Whether x is a sparse matrix in the format bsr.
---```lua
---sparse.isspmatrix_bsr(x)
---```
---@param x any
---@return boolean
function moonarray.sparse.isspmatrix_bsr(x) end

---Whether x is a sparse matrix in the format coo.
---```lua
---sparse.isspmatrix_coo(x)
---```
---@param x any
---@return boolean
function moonarray.sparse.isspmatrix_coo(x) end

---Whether x is a sparse matrix in the format csc.
---```lua
---sparse.isspmatrix_csc(x)
---```
---@param x any
---@return boolean
function moonarray.sparse.isspmatrix_csc(x) end

---Whether x is a sparse matrix in the format csr.
---```lua
---sparse.isspmatrix_csr(x)
---```
---@param x any
---@return boolean
function moonarray.sparse.isspmatrix_csr(x) end

---Whether x is a sparse matrix in the format dia.
---```lua
---sparse.isspmatrix_dia(x)
---```
---@param x any
---@return boolean
function moonarray.sparse.isspmatrix_dia(x) end

---The Kronecker product of two matrices, sparse.
---```lua
---sparse.kron(a, b, format?)
---```
---@param a moonarray.sparse_matrix|moonarray.data
---@param b moonarray.sparse_matrix|moonarray.data
---@param format? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.kron(a, b, format) end

---The Kronecker sum of two square matrices: kron(I, a) + kron(b, I).
---```lua
---sparse.kronsum(a, b, format?)
---```
---@param a moonarray.sparse_matrix|moonarray.data
---@param b moonarray.sparse_matrix|moonarray.data
---@param format? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.kronsum(a, b, format) end

moonarray.sparse.linalg = {}

---A matrix of which only products are known: matvec(x) gives A x, rmatvec(x) A^H x, matmat(X) A X and rmatmat(X) A^H X. It has the methods of these names, dot, matmul, adjoint and transpose, the fields shape, dtype, H and T, and + - * with numbers and other operators. Example: ma.sparse.linalg.LinearOperator({2, 2}, function(x) return 2 * x end):matvec({1, 2}) --> [2. 4.]
---```lua
---sparse.linalg.LinearOperator(shape, matvec, rmatvec?, matmat?, dtype?, rmatmat?)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param matvec function
---@param rmatvec? function|moonarray.dtype|table
---@param matmat? function|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param rmatmat? function|table
---@return table
function moonarray.sparse.linalg.LinearOperator(shape, matvec, rmatvec, matmat, dtype, rmatmat) end

---The class of the factors that splu and spilu give; it makes none itself.
---```lua
---sparse.linalg.SuperLU()
---```
---@return table
function moonarray.sparse.linalg.SuperLU() end

---A matrix, sparse or dense, as a LinearOperator; an object with shape and the method matvec likewise; of factors of splu and spilu the solution of their system.
---```lua
---sparse.linalg.aslinearoperator(A)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@return table
function moonarray.sparse.linalg.aslinearoperator(A) end

---x, info with A x = b for any square A, by stabilised biconjugate gradients; info below 0: the method broke down. x0: the first guess. It ends when |b - A x| is at most max(atol, rtol |b|), or after maxiter steps (10 n): info is 0, or the number of steps. M: an operator near the inverse of A. callback(x) after each step.
---```lua
---sparse.linalg.bicgstab(A, b, x0?; rtol?, atol?, maxiter?, M?, callback?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param b moonarray.sparse_matrix|moonarray.data
---@param x0? moonarray.data|table
---@param rtol? number|table
---@param atol? number|table
---@param maxiter? moonarray.whole|table
---@param M? moonarray.sparse_matrix|moonarray.data|table
---@param callback? function|table
---@return moonarray.array
---@return integer
function moonarray.sparse.linalg.bicgstab(A, b, x0, rtol, atol, maxiter, M, callback) end

---x, info with A x = b for a Hermitian positive definite A, by conjugate gradients. x0: the first guess. It ends when |b - A x| is at most max(atol, rtol |b|), or after maxiter steps (10 n): info is 0, or the number of steps. M: an operator near the inverse of A. callback(x) after each step.
---```lua
---sparse.linalg.cg(A, b, x0?; rtol?, atol?, maxiter?, M?, callback?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param b moonarray.sparse_matrix|moonarray.data
---@param x0? moonarray.data|table
---@param rtol? number|table
---@param atol? number|table
---@param maxiter? moonarray.whole|table
---@param M? moonarray.sparse_matrix|moonarray.data|table
---@param callback? function|table
---@return moonarray.array
---@return integer
function moonarray.sparse.linalg.cg(A, b, x0, rtol, atol, maxiter, M, callback) end

---x, info with A x = b for any square A, by squared conjugate gradients; info below 0: the method broke down. x0: the first guess. It ends when |b - A x| is at most max(atol, rtol |b|), or after maxiter steps (10 n): info is 0, or the number of steps. M: an operator near the inverse of A. callback(x) after each step.
---```lua
---sparse.linalg.cgs(A, b, x0?; rtol?, atol?, maxiter?, M?, callback?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param b moonarray.sparse_matrix|moonarray.data
---@param x0? moonarray.data|table
---@param rtol? number|table
---@param atol? number|table
---@param maxiter? moonarray.whole|table
---@param M? moonarray.sparse_matrix|moonarray.data|table
---@param callback? function|table
---@return moonarray.array
---@return integer
function moonarray.sparse.linalg.cgs(A, b, x0, rtol, atol, maxiter, M, callback) end

---w, v: k (6) eigenvalues of a Hermitian matrix, ascending, and their vectors as columns. which: 'LM' those of largest magnitude, 'SM' of smallest, 'LA' the largest, 'SA' the smallest, 'BE' from both ends. With sigma those next to it, by factors of A - sigma I (or OPinv, an operator of its inverse), where which speaks of 1 / (w - sigma). ncv: vectors that are kept (2 k + 1, 20 at least). M is not taken.
---```lua
---sparse.linalg.eigsh(A, k?, M?, sigma?, which?, v0?, ncv?, maxiter?, tol?, return_eigenvectors?; OPinv?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param k? moonarray.whole|table
---@param M? moonarray.sparse_matrix|moonarray.data|table
---@param sigma? number|table
---@param which? string|table
---@param v0? moonarray.data|table
---@param ncv? moonarray.whole|table
---@param maxiter? moonarray.whole|table
---@param tol? number|table
---@param return_eigenvectors? boolean|table
---@param OPinv? table|table
---@return moonarray.array
---@return moonarray.array
function moonarray.sparse.linalg.eigsh(A, k, M, sigma, which, v0, ncv, maxiter, tol, return_eigenvectors, OPinv) end

---exp(A) B for a square sparse matrix and a vector or a matrix, without exp(A). With start and stop exp(t A) B for num (50) values of t from start to stop (without stop if endpoint is false), along a first axis.
---```lua
---sparse.linalg.expm_multiply(A, B, start?, stop?, num?, endpoint?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param B moonarray.data
---@param start? number|table
---@param stop? number|table
---@param num? moonarray.whole|table
---@param endpoint? boolean|table
---@return moonarray.array
function moonarray.sparse.linalg.expm_multiply(A, B, start, stop, num, endpoint) end

---A function that gives x with A x = b for a b, by factors that are computed once.
---```lua
---sparse.linalg.factorized(A)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@return function
function moonarray.sparse.linalg.factorized(A) end

---x, info with A x = b for any square A, by generalised minimal residuals: after `restart` (20) steps the method begins anew from what it has. It ends when |b - A x| is at most max(atol, rtol |b|), or after maxiter such cycles (10 n): info is 0, or maxiter. M: an operator near the inverse of A. callback(x) after each cycle with callback_type 'x', callback(|b - A x| / |b|) after each step with 'pr_norm'.
---```lua
---sparse.linalg.gmres(A, b, x0?; rtol?, atol?, restart?, maxiter?, M?, callback?, callback_type?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param b moonarray.sparse_matrix|moonarray.data
---@param x0? moonarray.data|table
---@param rtol? number|table
---@param atol? number|table
---@param restart? moonarray.whole|moonarray.whole[]|table
---@param maxiter? moonarray.whole|table
---@param M? moonarray.sparse_matrix|moonarray.data|table
---@param callback? function|table
---@param callback_type? string|table
---@return moonarray.array
---@return integer
function moonarray.sparse.linalg.gmres(A, b, x0, rtol, atol, restart, maxiter, M, callback, callback_type) end

---The inverse of a square sparse matrix, as a sparse matrix of A's format. Most of it is not 0 as a rule.
---```lua
---sparse.linalg.inv(A)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.linalg.inv(A) end

---w, v: as many of the largest (or with largest = false smallest) eigenvalues of a Hermitian A as X, the first guess, has columns, and their vectors: A v = w v, or A v = w B v with a definite B. M: an operator near the inverse of A. Y: vectors that the solutions are to be orthogonal to. It ends when the norms of all residuals are at most tol (n * 3e-8), or after maxiter steps (20); with retLambdaHistory and retResidualNormsHistory it gives lists of the values and norms of all steps too.
---```lua
---sparse.linalg.lobpcg(A, X, B?, M?, Y?, tol?, maxiter?, largest?, verbosityLevel?, retLambdaHistory?, retResidualNormsHistory?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param X moonarray.data
---@param B? moonarray.data|table
---@param M? moonarray.sparse_matrix|moonarray.data|table
---@param Y? moonarray.data|table
---@param tol? number|table
---@param maxiter? moonarray.whole|table
---@param largest? boolean|table
---@param verbosityLevel? moonarray.whole|table
---@param retLambdaHistory? boolean|table
---@param retResidualNormsHistory? boolean|table
---@return moonarray.array
---@return any ...
function moonarray.sparse.linalg.lobpcg(A, X, B, M, Y, tol, maxiter, largest, verbosityLevel, retLambdaHistory, retResidualNormsHistory) end

---The x that makes |b - A x|^2 + damp^2 |x|^2 least for a matrix A of any shape, by a method whose |A^H r| falls with each step; x, istop, itn, normr, normar, norma, conda, normx: the number of steps, |b - A x|, |A^H r|, estimates of |A| and its condition, and |x|. istop says why it ended: 0: x = 0 is the solution; 1: A x = b as atol and btol want; 2: least squares as atol wants; 3: the condition passed conlim; 4, 5, 6: the same to rounding; 7: too many steps. show changes nothing.
---```lua
---sparse.linalg.lsmr(A, b, damp?, atol?, btol?, conlim?, maxiter?, show?, x0?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param b moonarray.sparse_matrix|moonarray.data
---@param damp? number|table
---@param atol? number|table
---@param btol? number|table
---@param conlim? number|table
---@param maxiter? moonarray.whole|table
---@param show? boolean|table
---@param x0? moonarray.data|table
---@return moonarray.array
---@return any ...
function moonarray.sparse.linalg.lsmr(A, b, damp, atol, btol, conlim, maxiter, show, x0) end

---The x that makes |b - A x|^2 + damp^2 |x|^2 least for a matrix A of any shape; x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var: the number of steps, |b - A x|, the root of what is least, estimates of |A| and its condition, |A^H r - damp^2 x| and |x|, and with calc_var estimates of the variances. istop says why it ended: 0: x = 0 is the solution; 1: A x = b as atol and btol want; 2: least squares as atol wants; 3: the condition passed conlim; 4, 5, 6: the same to rounding; 7: too many steps. show changes nothing.
---```lua
---sparse.linalg.lsqr(A, b, damp?, atol?, btol?, conlim?, iter_lim?, show?, calc_var?, x0?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param b moonarray.sparse_matrix|moonarray.data
---@param damp? number|table
---@param atol? number|table
---@param btol? number|table
---@param conlim? number|table
---@param iter_lim? moonarray.whole|moonarray.whole[]|table
---@param show? boolean|table
---@param calc_var? boolean|table
---@param x0? moonarray.data|table
---@return moonarray.array
---@return any ...
function moonarray.sparse.linalg.lsqr(A, b, damp, atol, btol, conlim, iter_lim, show, calc_var, x0) end

---The product of `power` copies of a square sparse matrix.
---```lua
---sparse.linalg.matrix_power(A, power)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param power moonarray.whole
---@return moonarray.sparse_matrix
function moonarray.sparse.linalg.matrix_power(A, power) end

---x, info with (A - shift I) x = b for a Hermitian A, which need not be definite, by minimal residuals. It ends when |b - A x| is at most rtol (1e-5) times |A| |x| + |b|, as far as these are known, or after maxiter steps (5 n): info is 0, or the number of steps. M: a definite operator near the inverse of A. callback(x) after each step. check: first look whether A and M are symmetric. show changes nothing.
---```lua
---sparse.linalg.minres(A, b, x0?; rtol?, shift?, maxiter?, M?, callback?, show?, check?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param b moonarray.sparse_matrix|moonarray.data
---@param x0? moonarray.data|table
---@param rtol? number|table
---@param shift? number|number[]|moonarray.part|table
---@param maxiter? moonarray.whole|table
---@param M? moonarray.sparse_matrix|moonarray.data|table
---@param callback? function|table
---@param show? boolean|table
---@param check? boolean|table
---@return moonarray.array
---@return integer
function moonarray.sparse.linalg.minres(A, b, x0, rtol, shift, maxiter, M, callback, show, check) end

---A norm of a sparse matrix: 'fro' (the default) of Frobenius, 1 and ma.inf the largest sum of a column or a row, -1 and -ma.inf the least, 2 the largest singular value. With an axis the norms of columns (1) or rows (2): 2 (the default), 1, 0 (how many are not 0), ma.inf or any other power. Example: ma.sparse.linalg.norm({{3, 0}, {0, 4}}) --> 5.0
---```lua
---sparse.linalg.norm(x, ord?, axis?)
---```
---@param x moonarray.data
---@param ord? moonarray.whole|string|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.sparse.linalg.norm(x, ord, axis) end

---Factors of about a square sparse matrix, for preconditioners, with the methods of splu's: what is smaller than drop_tol (1e-4) times the largest of its column is left out, and a column keeps fill_factor (10) times A's entries a column at most. drop_rule is taken and changes nothing.
---```lua
---sparse.linalg.spilu(A, drop_tol?, fill_factor?, drop_rule?, permc_spec?, diag_pivot_thresh?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param drop_tol? number|table
---@param fill_factor? number|table
---@param drop_rule? string|table
---@param permc_spec? string|table
---@param diag_pivot_thresh? number|table
---@return table
function moonarray.sparse.linalg.spilu(A, drop_tol, fill_factor, drop_rule, permc_spec, diag_pivot_thresh) end

---The factors of a square sparse matrix, P_r A P_c = L U: an object with solve(b, trans?) and the fields L, U, perm_r, perm_c, shape, nnz. permc_spec: the order of columns, COLAMD or MMD_ATA (of A^T A), MMD_AT_PLUS_A, NATURAL; by default what fits the pattern. diag_pivot_thresh: how small a pivot on the diagonal may be beside the largest of its column (0.1 for patterns that are nearly symmetric, else 1).
---```lua
---sparse.linalg.splu(A, permc_spec?, diag_pivot_thresh?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param permc_spec? string|table
---@param diag_pivot_thresh? number|table
---@return table
function moonarray.sparse.linalg.splu(A, permc_spec, diag_pivot_thresh) end

---x with A x = b for a square sparse matrix, by factors; b is a vector, a matrix, or sparse as x is then. A singular matrix is an error.
---```lua
---sparse.linalg.spsolve(A, b, permc_spec?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param b moonarray.sparse_matrix|moonarray.data
---@param permc_spec? string|table
---@return moonarray.array|moonarray.sparse_matrix
function moonarray.sparse.linalg.spsolve(A, b, permc_spec) end

---x with A x = b for the lower triangle of a sparse matrix, or with lower = false the upper one; unit_diagonal: ones in place of its diagonal. The other triangle is not read. overwrite_A and overwrite_b change nothing.
---```lua
---sparse.linalg.spsolve_triangular(A, b, lower?, overwrite_A?, overwrite_b?, unit_diagonal?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param b moonarray.sparse_matrix|moonarray.data
---@param lower? boolean|table
---@param overwrite_A? boolean|table
---@param overwrite_b? boolean|table
---@param unit_diagonal? boolean|table
---@return moonarray.array
function moonarray.sparse.linalg.spsolve_triangular(A, b, lower, overwrite_A, overwrite_b, unit_diagonal) end

---u, s, vh: k (6) singular values of a matrix, ascending, with their vectors; which: 'LM' the largest, 'SM' the smallest. With return_singular_vectors = false s alone. By eigenvalues of A^H A, so values far below the largest lose digits.
---```lua
---sparse.linalg.svds(A, k?, ncv?, tol?, which?, v0?, maxiter?, return_singular_vectors?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param k? moonarray.whole|table
---@param ncv? moonarray.whole|table
---@param tol? number|table
---@param which? string|table
---@param v0? moonarray.data|table
---@param maxiter? moonarray.whole|table
---@param return_singular_vectors? boolean|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.sparse.linalg.svds(A, k, ncv, tol, which, v0, maxiter, return_singular_vectors) end

---The sparse matrix in a file of save_npz, or of SciPy's. Positions that are out of range are an error; waits.
---```lua
---sparse.load_npz(file; device?)
---```
---@param file string|file*
---@param device? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.load_npz(file, device) end

---The transpose of a sparse matrix.
---```lua
---sparse.matrix_transpose(a)
---```
---@param a moonarray.sparse_matrix|moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.matrix_transpose(a) end

---A sparse matrix with its axes in another order: the transpose for {2, 1}.
---```lua
---sparse.permute_dims(a, axes?)
---```
---@param a moonarray.sparse_matrix|moonarray.data
---@param axes? moonarray.whole|moonarray.whole[]|table
---@return moonarray.sparse_matrix
function moonarray.sparse.permute_dims(a, axes) end

---A sparse matrix with density (0.01) of its elements at random places, drawn from 0 to 1.
---```lua
---sparse.rand(m, n, density?, format?, dtype?, random_state?)
---```
---@param m moonarray.whole
---@param n moonarray.whole
---@param density? boolean|moonarray.dtype|table
---@param format? string|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param random_state? moonarray.whole|table
---@return moonarray.sparse_matrix
function moonarray.sparse.rand(m, n, density, format, dtype, random_state) end

---A sparse matrix with density (0.01) of its elements at random places, drawn from 0 to 1 or by data_rvs(count). random_state: a number or a generator.
---```lua
---sparse.random(m, n, density?, format?, dtype?, random_state?, data_rvs?)
---```
---@param m moonarray.whole
---@param n moonarray.whole
---@param density? boolean|moonarray.dtype|table
---@param format? string|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param random_state? moonarray.whole|table
---@param data_rvs? function|table
---@return moonarray.sparse_matrix
function moonarray.sparse.random(m, n, density, format, dtype, random_state, data_rvs) end

---A sparse matrix with density (0.01) of its elements at random places, drawn from 0 to 1 or by data_sampler(count). rng: a number or a generator.
---```lua
---sparse.random_array(shape; density?, format?, dtype?, rng?, random_state?, data_sampler?)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param density? boolean|table
---@param format? string|table
---@param dtype? moonarray.dtype|table
---@param rng? moonarray.generator|moonarray.whole|table
---@param random_state? moonarray.whole|table
---@param data_sampler? function|table
---@return moonarray.sparse_matrix
function moonarray.sparse.random_array(shape, density, format, dtype, rng, random_state, data_sampler) end

---The index arrays of a sparse matrix in another dtype; an error if a position does not fit. Waits.
---```lua
---sparse.safely_cast_index_arrays(A, idx_dtype?, msg?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param idx_dtype? moonarray.dtype|moonarray.dtype|table
---@param msg? string|moonarray.dtype|table
---@return moonarray.array
---@return moonarray.array
function moonarray.sparse.safely_cast_index_arrays(A, idx_dtype, msg) end

---The elements of alpha (1) times the matrix product x y, plus beta (0) times a, at the entries of the sparse matrix a, as a sparse matrix with its positions; the other elements are not computed. Without beta the values of a do not count: a * ma.sparse.sampled_matmul(a, x, y) has both.
---```lua
---sparse.sampled_matmul(a, x, y; alpha?, beta?)
---```
---@param a moonarray.sparse_matrix|moonarray.data
---@param x moonarray.data
---@param y moonarray.data
---@param alpha? moonarray.data|table
---@param beta? number|table
---@return moonarray.sparse_matrix
function moonarray.sparse.sampled_matmul(a, x, y, alpha, beta) end

---Writes a sparse matrix as SciPy's save_npz does, with positions from 0. `file` is a path, which gets .npz at its end where that is missing, or an open file. compressed (true): deflated.
---```lua
---sparse.save_npz(file, matrix, compressed?)
---```
---@param file string|file*
---@param matrix moonarray.sparse_matrix|moonarray.data
---@param compressed? boolean|table
function moonarray.sparse.save_npz(file, matrix, compressed) end

---x as a sparse matrix: x itself if it is one, else its entries in CSR.
---```lua
---sparse.sparray(x)
---```
---@param x moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.sparray(x) end

---A sparse matrix of m rows and n columns from diagonals as rows of a matrix: data[d, j] lies in column j of diagonal diags[d]. m may be {rows, columns}.
---```lua
---sparse.spdiags(data, diags, m?, n?, format?)
---```
---@param data moonarray.data
---@param diags moonarray.data
---@param m? moonarray.whole|table
---@param n? moonarray.whole|table
---@param format? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.spdiags(data, diags, m, n, format) end

---x as a sparse matrix: x itself if it is one, else its entries in CSR.
---```lua
---sparse.spmatrix(x)
---```
---@param x moonarray.data
---@return moonarray.sparse_matrix
function moonarray.sparse.spmatrix(x) end

---A sparse matrix with two axes exchanged.
---```lua
---sparse.swapaxes(a, axis1, axis2)
---```
---@param a moonarray.sparse_matrix|moonarray.data
---@param axis1 moonarray.whole
---@param axis2 moonarray.whole
---@return moonarray.sparse_matrix
function moonarray.sparse.swapaxes(a, axis1, axis2) end

---The elements on and below diagonal k (0), as a sparse matrix. Waits.
---```lua
---sparse.tril(A, k?, format?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param k? moonarray.whole|table
---@param format? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.tril(A, k, format) end

---The elements on and above diagonal k (0), as a sparse matrix. Waits.
---```lua
---sparse.triu(A, k?, format?)
---```
---@param A moonarray.sparse_matrix|moonarray.data
---@param k? moonarray.whole|table
---@param format? string|table
---@return moonarray.sparse_matrix
function moonarray.sparse.triu(A, k, format) end

---Sparse matrices below each other.
---```lua
---sparse.vstack(blocks, format?, dtype?)
---```
---@param blocks moonarray.sparse_matrix|moonarray.data
---@param format? string|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.sparse_matrix
function moonarray.sparse.vstack(blocks, format, dtype) end

moonarray.spatial = {}

---A triangulation of points in the plane, the rows of a matrix. It has simplices (three points, counterclockwise), neighbors (the triangle opposite to each of them, 0 beyond the hull), convex_hull, vertex_neighbor_vertices ({indptr, indices}), coplanar (points that equal another: the point, a triangle, that other), and find_simplex(xi), the triangle of each point or 0. Positions count from 1. Built on the host; waits.
---```lua
---spatial.Delaunay(points)
---```
---@param points moonarray.data
---@return moonarray.delaunay
function moonarray.spatial.Delaunay(points) end

---Points, the rows of a matrix, in a tree that finds neighbours: an object with query, query_ball_point, query_ball_tree, query_pairs, count_neighbors and the fields data, n, m, mins, maxes. float32 stays, other dtypes give float64. leafsize, compact_nodes, copy_data and balanced_tree are taken and change nothing; boxsize is not taken.
---```lua
---spatial.KDTree(data, leafsize?, compact_nodes?, copy_data?, balanced_tree?, boxsize?)
---```
---@param data moonarray.data
---@param leafsize? moonarray.whole|table
---@param compact_nodes? boolean|table
---@param copy_data? boolean|table
---@param balanced_tree? boolean|table
---@param boxsize? moonarray.data|table
---@return moonarray.kdtree
function moonarray.spatial.KDTree(data, leafsize, compact_nodes, copy_data, balanced_tree, boxsize) end

moonarray.spatial.distance = {}

---The distance of two vectors: the sum of |u - v| over that of |u + v|. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.braycurtis(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.braycurtis(u, v, w) end

---The distance of two vectors: the sum of |u - v| / (|u| + |v|), where 0 / 0 is 0. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.canberra(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.canberra(u, v, w) end

---The distance of each row of XA to each row of XB, as a matrix. metric: euclidean, sqeuclidean, cityblock, chebyshev, minkowski, canberra, braycurtis, cosine, correlation, hamming, jensenshannon, kl_divergence, hellinger, seuclidean, mahalanobis, or of nonzero components russellrao, jaccard, dice, rogerstanimoto, sokalsneath, yule. p (2) is minkowski's, w (1) are weights of the components, V the variances of seuclidean, VI the inverse covariance of mahalanobis (both of all vectors where none is given), base the logarithm's of jensenshannon. float32 stays float32, other dtypes give float64.
---```lua
---spatial.distance.cdist(XA, XB, metric?, out?; p?, w?, V?, VI?, base?)
---```
---@param XA moonarray.data
---@param XB moonarray.data
---@param metric? string|string[]|table
---@param out? moonarray.part|table
---@param p? number|table
---@param w? moonarray.data|table
---@param V? moonarray.data|table
---@param VI? moonarray.data|table
---@param base? number|table
---@return moonarray.array
function moonarray.spatial.distance.cdist(XA, XB, metric, out, p, w, V, VI, base) end

---The distance of two vectors: the greatest |u - v|. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.chebyshev(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.chebyshev(u, v, w) end

---The distance of two vectors: the sum of |u - v|. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.cityblock(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.cityblock(u, v, w) end

---The distance of two vectors: cosine of the vectors less their means. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.correlation(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.correlation(u, v, w) end

---The distance of two vectors: 1 - u.v / (|u| |v|). w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.cosine(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.cosine(u, v, w) end

---The distance of two vectors: d / (2 b + d), where b components are both nonzero and d one of them. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.dice(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.dice(u, v, w) end

---The distance of each row of x to each row of y in the p-norm (2), as a matrix. Example: ma.spatial.distance_matrix({{0, 0}}, {{3, 4}}) --> [[5.]]
---```lua
---spatial.distance.distance_matrix(x, y, p?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param p? number|table
---@return moonarray.array
function moonarray.spatial.distance.distance_matrix(x, y, p) end

---The distance of two vectors: the square root of the sum of (u - v)^2. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.euclidean(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.euclidean(u, v, w) end

---The distance of two vectors: the part of the components that differ. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.hamming(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.hamming(u, v, w) end

---The distance of two vectors: the square root of 1 - the sum of sqrt(u v). w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.hellinger(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.hellinger(u, v, w) end

---The distance of two vectors: of the components that are not both 0, the part where one is. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.jaccard(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.jaccard(u, v, w) end

---The Jensen-Shannon distance of two vectors of probabilities, which are first divided by their sums: the square root of the mean of their relative entropies to (p + q) / 2. base (e): of the logarithm.
---```lua
---spatial.distance.jensenshannon(p, q, base?)
---```
---@param p number
---@param q moonarray.data
---@param base? number|table
---@return moonarray.array
function moonarray.spatial.distance.jensenshannon(p, q, base) end

---The distance of two vectors: the sum of u log(u / v). w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.kl_divergence(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.kl_divergence(u, v, w) end

---The distance of two vectors: the square root of (u - v) VI (u - v). VI: the inverse of a covariance.
---```lua
---spatial.distance.mahalanobis(u, v, VI)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param VI moonarray.data
---@return moonarray.array
function moonarray.spatial.distance.mahalanobis(u, v, VI) end

---The distance of two vectors: the sum of w |u - v|^p, to the power 1 / p (2).
---```lua
---spatial.distance.minkowski(u, v, p?, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param p? number|table
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.minkowski(u, v, p, w) end

---The distances between the rows of X: of rows 1 and 2, 1 and 3 and so on, then 2 and 3, as one axis that squareform makes a matrix of. The metrics and options are cdist's. p (2) is minkowski's, w (1) are weights of the components, V the variances of seuclidean, VI the inverse covariance of mahalanobis (both of all vectors where none is given), base the logarithm's of jensenshannon. float32 stays float32, other dtypes give float64.
---```lua
---spatial.distance.pdist(X, metric?, out?; p?, w?, V?, VI?, base?)
---```
---@param X moonarray.data
---@param metric? string|string[]|table
---@param out? moonarray.part|table
---@param p? number|table
---@param w? moonarray.data|table
---@param V? moonarray.data|table
---@param VI? moonarray.data|table
---@param base? number|table
---@return moonarray.array
function moonarray.spatial.distance.pdist(X, metric, out, p, w, V, VI, base) end

---The distance of two vectors: 2 d / (n + d), where d of n components are nonzero in one vector alone. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.rogerstanimoto(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.rogerstanimoto(u, v, w) end

---The distance of two vectors: the part of the components that are not both nonzero. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.russellrao(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.russellrao(u, v, w) end

---The distance of two vectors: the square root of the sum of (u - v)^2 / V. V: variances of the components.
---```lua
---spatial.distance.seuclidean(u, v, V)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param V moonarray.data
---@return moonarray.array
function moonarray.spatial.distance.seuclidean(u, v, V) end

---The distance of two vectors: 2 d / (b + 2 d), where b components are both nonzero and d one of them. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.sokalsneath(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.sokalsneath(u, v, w) end

---The distance of two vectors: the sum of (u - v)^2. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.sqeuclidean(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.sqeuclidean(u, v, w) end

---The symmetric matrix of a vector of distances as pdist gives, or the vector of such a matrix. force: 'tovector' or 'tomatrix' demands one of them. checks (true): a matrix must be symmetric with zeros on its diagonal, which is looked at and waits.
---```lua
---spatial.distance.squareform(X, force?, checks?)
---```
---@param X moonarray.data
---@param force? string|table
---@param checks? boolean|table
---@return moonarray.array
function moonarray.spatial.distance.squareform(X, force, checks) end

---The distance of two vectors: 2 p q / (b z + p q), where b components are both nonzero, z neither, p in u alone, q in v alone. w: weights of the components. The result is a 0-d array.
---```lua
---spatial.distance.yule(u, v, w?)
---```
---@param u moonarray.data
---@param v moonarray.data
---@param w? moonarray.data|table
---@return moonarray.array
function moonarray.spatial.distance.yule(u, v, w) end

---The distance of each row of x to each row of y in the p-norm (2), as a matrix. Example: ma.spatial.distance_matrix({{0, 0}}, {{3, 4}}) --> [[5.]]
---```lua
---spatial.distance_matrix(x, y, p?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param p? number|table
---@return moonarray.array
function moonarray.spatial.distance_matrix(x, y, p) end

moonarray.special = {}

---the cumulative probability of k and fewer successes in n trials of probability p
---```lua
---special.bdtr(k, n, p, out?; dtype?, where?, casting?)
---```
---@param k moonarray.data
---@param n moonarray.data
---@param p moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.bdtr(k, n, p, out, dtype, where, casting) end

---1 - bdtr(k, n, p)
---```lua
---special.bdtrc(k, n, p, out?; dtype?, where?, casting?)
---```
---@param k moonarray.data
---@param n moonarray.data
---@param p moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.bdtrc(k, n, p, out, dtype, where, casting) end

---the p of bdtr(k, n, p) == y
---```lua
---special.bdtri(k, n, y, out?; dtype?, where?, casting?)
---```
---@param k moonarray.data
---@param n moonarray.data
---@param y moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.bdtri(k, n, y, out, dtype, where, casting) end

---gamma(a) gamma(b) / gamma(a + b)
---```lua
---special.beta(a, b, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.beta(a, b, out, dtype, where, casting) end

---the regularised incomplete beta function
---```lua
---special.betainc(a, b, x, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.betainc(a, b, x, out, dtype, where, casting) end

---1 - betainc(a, b, x)
---```lua
---special.betaincc(a, b, x, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.betaincc(a, b, x, out, dtype, where, casting) end

---the x of betainc(a, b, x) == y
---```lua
---special.betaincinv(a, b, y, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param y moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.betaincinv(a, b, y, out, dtype, where, casting) end

---log(|beta(a, b)|)
---```lua
---special.betaln(a, b, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.betaln(a, b, out, dtype, where, casting) end

---the binomial coefficient, for real n and k too
---```lua
---special.binom(n, k, out?; dtype?, where?, casting?)
---```
---@param n moonarray.data
---@param k moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.binom(n, k, out, dtype, where, casting) end

---(x^lmbda - 1) / lmbda, log(x) where lmbda is 0
---```lua
---special.boxcox(x, lmbda, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param lmbda moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.boxcox(x, lmbda, out, dtype, where, casting) end

---boxcox(1 + x, lmbda)
---```lua
---special.boxcox1p(x, lmbda, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param lmbda moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.boxcox1p(x, lmbda, out, dtype, where, casting) end

---the cumulative probability at x of the beta distribution
---```lua
---special.btdtr(a, b, x, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.btdtr(a, b, x, out, dtype, where, casting) end

---the x of btdtr(a, b, x) == p
---```lua
---special.btdtri(a, b, p, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param p moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.btdtri(a, b, p, out, dtype, where, casting) end

---the cube root
---```lua
---special.cbrt(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.cbrt(x, out, dtype, where, casting) end

---the cumulative probability at x of the chi square distribution of v degrees of freedom
---```lua
---special.chdtr(v, x, out?; dtype?, where?, casting?)
---```
---@param v moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.chdtr(v, x, out, dtype, where, casting) end

---1 - chdtr(v, x)
---```lua
---special.chdtrc(v, x, out?; dtype?, where?, casting?)
---```
---@param v moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.chdtrc(v, x, out, dtype, where, casting) end

---the x of chdtrc(v, x) == p
---```lua
---special.chdtri(v, p, out?; dtype?, where?, casting?)
---```
---@param v moonarray.data
---@param p moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.chdtri(v, p, out, dtype, where, casting) end

---the cosine of x degrees
---```lua
---special.cosdg(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.cosdg(x, out, dtype, where, casting) end

---cos(x) - 1, exact for small x
---```lua
---special.cosm1(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.cosm1(x, out, dtype, where, casting) end

---the cotangent of x degrees
---```lua
---special.cotdg(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.cotdg(x, out, dtype, where, casting) end

---Dawson's integral, exp(-x^2) times the integral of exp(t^2) from 0 to x
---```lua
---special.dawsn(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.dawsn(x, out, dtype, where, casting) end

---the derivative of log(gamma(z))
---```lua
---special.digamma(z, out?; dtype?, where?, casting?)
---```
---@param z moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.digamma(z, out, dtype, where, casting) end

---the complete elliptic integral of the second kind
---```lua
---special.ellipe(m, out?; dtype?, where?, casting?)
---```
---@param m moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.ellipe(m, out, dtype, where, casting) end

---the elliptic integral of the second kind from 0 to phi
---```lua
---special.ellipeinc(phi, m, out?; dtype?, where?, casting?)
---```
---@param phi moonarray.data
---@param m moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.ellipeinc(phi, m, out, dtype, where, casting) end

---Jacobi's elliptic functions sn, cn, dn with the parameter m, and the amplitude ph with sn = sin(ph).
---```lua
---special.ellipj(u, m)
---```
---@param u moonarray.data
---@param m moonarray.data
---@return moonarray.array|number
---@return moonarray.array|number
---@return moonarray.array|number
---@return moonarray.array|number
function moonarray.special.ellipj(u, m) end

---the complete elliptic integral of the first kind
---```lua
---special.ellipk(m, out?; dtype?, where?, casting?)
---```
---@param m moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.ellipk(m, out, dtype, where, casting) end

---the elliptic integral of the first kind from 0 to phi
---```lua
---special.ellipkinc(phi, m, out?; dtype?, where?, casting?)
---```
---@param phi moonarray.data
---@param m moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.ellipkinc(phi, m, out, dtype, where, casting) end

---ellipk(1 - p), exact for small p
---```lua
---special.ellipkm1(p, out?; dtype?, where?, casting?)
---```
---@param p moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.ellipkm1(p, out, dtype, where, casting) end

----x log(x), 0 at 0, -infinity below
---```lua
---special.entr(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.entr(x, out, dtype, where, casting) end

---the error function
---```lua
---special.erf(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.erf(x, out, dtype, where, casting) end

---1 - erf(x)
---```lua
---special.erfc(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.erfc(x, out, dtype, where, casting) end

---the x of erfc(x) == y
---```lua
---special.erfcinv(y, out?; dtype?, where?, casting?)
---```
---@param y moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.erfcinv(y, out, dtype, where, casting) end

---exp(x^2) erfc(x)
---```lua
---special.erfcx(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.erfcx(x, out, dtype, where, casting) end

----i erf(i z), the imaginary error function
---```lua
---special.erfi(z, out?; dtype?, where?, casting?)
---```
---@param z moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.erfi(z, out, dtype, where, casting) end

---the x of erf(x) == y
---```lua
---special.erfinv(y, out?; dtype?, where?, casting?)
---```
---@param y moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.erfinv(y, out, dtype, where, casting) end

---the exponential integral E1, of exp(-t) / t from x to infinity
---```lua
---special.exp1(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.exp1(x, out, dtype, where, casting) end

---10 to the power x
---```lua
---special.exp10(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.exp10(x, out, dtype, where, casting) end

---2 to the power x
---```lua
---special.exp2(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.exp2(x, out, dtype, where, casting) end

---the exponential integral Ei, of exp(t) / t from -infinity to x
---```lua
---special.expi(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.expi(x, out, dtype, where, casting) end

---1 / (1 + exp(-x)), the logistic function
---```lua
---special.expit(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.expit(x, out, dtype, where, casting) end

---exp(x) - 1, exact for small x
---```lua
---special.expm1(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.expm1(x, out, dtype, where, casting) end

---the exponential integral En, of exp(-x t) / t^n from 1 to infinity
---```lua
---special.expn(n, x, out?; dtype?, where?, casting?)
---```
---@param n moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.expn(n, x, out, dtype, where, casting) end

---(exp(x) - 1) / x, 1 at 0
---```lua
---special.exprel(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.exprel(x, out, dtype, where, casting) end

---the cumulative probability at x of the F distribution
---```lua
---special.fdtr(dfn, dfd, x, out?; dtype?, where?, casting?)
---```
---@param dfn moonarray.data
---@param dfd moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.fdtr(dfn, dfd, x, out, dtype, where, casting) end

---1 - fdtr(dfn, dfd, x)
---```lua
---special.fdtrc(dfn, dfd, x, out?; dtype?, where?, casting?)
---```
---@param dfn moonarray.data
---@param dfd moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.fdtrc(dfn, dfd, x, out, dtype, where, casting) end

---the x of fdtr(dfn, dfd, x) == p
---```lua
---special.fdtri(dfn, dfd, p, out?; dtype?, where?, casting?)
---```
---@param dfn moonarray.data
---@param dfd moonarray.data
---@param p moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.fdtri(dfn, dfd, p, out, dtype, where, casting) end

---the gamma function
---```lua
---special.gamma(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.gamma(x, out, dtype, where, casting) end

---the regularised lower incomplete gamma function
---```lua
---special.gammainc(a, x, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.gammainc(a, x, out, dtype, where, casting) end

---the regularised upper incomplete gamma function
---```lua
---special.gammaincc(a, x, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.gammaincc(a, x, out, dtype, where, casting) end

---the x of gammaincc(a, x) == y
---```lua
---special.gammainccinv(a, y, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param y moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.gammainccinv(a, y, out, dtype, where, casting) end

---the x of gammainc(a, x) == y
---```lua
---special.gammaincinv(a, y, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param y moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.gammaincinv(a, y, out, dtype, where, casting) end

---log(|gamma(x)|)
---```lua
---special.gammaln(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.gammaln(x, out, dtype, where, casting) end

---the sign of gamma(x)
---```lua
---special.gammasgn(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.gammasgn(x, out, dtype, where, casting) end

---the cumulative probability at x of the gamma distribution of rate a and shape b
---```lua
---special.gdtr(a, b, x, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.gdtr(a, b, x, out, dtype, where, casting) end

---1 - gdtr(a, b, x)
---```lua
---special.gdtrc(a, b, x, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.gdtrc(a, b, x, out, dtype, where, casting) end

---r^2 / 2 where |r| <= delta, else delta (|r| - delta / 2)
---```lua
---special.huber(delta, r, out?; dtype?, where?, casting?)
---```
---@param delta moonarray.data
---@param r moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.huber(delta, r, out, dtype, where, casting) end

---the modified Bessel function of the first kind, of order 0
---```lua
---special.i0(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.i0(x, out, dtype, where, casting) end

---exp(-|x|) i0(x)
---```lua
---special.i0e(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.i0e(x, out, dtype, where, casting) end

---the modified Bessel function of the first kind, of order 1
---```lua
---special.i1(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.i1(x, out, dtype, where, casting) end

---exp(-|x|) i1(x)
---```lua
---special.i1e(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.i1e(x, out, dtype, where, casting) end

---the x of boxcox(x, lmbda) == y
---```lua
---special.inv_boxcox(y, lmbda, out?; dtype?, where?, casting?)
---```
---@param y moonarray.data
---@param lmbda moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.inv_boxcox(y, lmbda, out, dtype, where, casting) end

---the x of boxcox1p(x, lmbda) == y
---```lua
---special.inv_boxcox1p(y, lmbda, out?; dtype?, where?, casting?)
---```
---@param y moonarray.data
---@param lmbda moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.inv_boxcox1p(y, lmbda, out, dtype, where, casting) end

---the Bessel function of the first kind, of order 0
---```lua
---special.j0(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.j0(x, out, dtype, where, casting) end

---the Bessel function of the first kind, of order 1
---```lua
---special.j1(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.j1(x, out, dtype, where, casting) end

---the modified Bessel function of the second kind, of order 0
---```lua
---special.k0(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.k0(x, out, dtype, where, casting) end

---exp(x) k0(x)
---```lua
---special.k0e(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.k0e(x, out, dtype, where, casting) end

---the modified Bessel function of the second kind, of order 1
---```lua
---special.k1(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.k1(x, out, dtype, where, casting) end

---exp(x) k1(x)
---```lua
---special.k1e(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.k1e(x, out, dtype, where, casting) end

---x log(x / y) - x + y, the terms of the Kullback-Leibler divergence
---```lua
---special.kl_div(x, y, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.kl_div(x, y, out, dtype, where, casting) end

---The w of w exp(w) == z on the branch k, by default 0; complex. tol is taken for SciPy's sake: the result has all its digits.
---```lua
---special.lambertw(z, k?, tol?)
---```
---@param z moonarray.data
---@param k? moonarray.whole|table
---@param tol? number|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.lambertw(z, k, tol) end

---log(1 + x), exact for small x
---```lua
---special.log1p(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.log1p(x, out, dtype, where, casting) end

---log(expit(x))
---```lua
---special.log_expit(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.log_expit(x, out, dtype, where, casting) end

---log(ndtr(x))
---```lua
---special.log_ndtr(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.log_ndtr(x, out, dtype, where, casting) end

---log(softmax(x)), exact where softmax(x) underflows.
---```lua
---special.log_softmax(x, axis?)
---```
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.special.log_softmax(x, axis) end

---the principal branch of log(gamma(z)), NaN for real z < 0
---```lua
---special.loggamma(z, out?; dtype?, where?, casting?)
---```
---@param z moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.loggamma(z, out, dtype, where, casting) end

---log(p / (1 - p)), the inverse of expit
---```lua
---special.logit(p, out?; dtype?, where?, casting?)
---```
---@param p moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.logit(p, out, dtype, where, casting) end

---log(sum(b exp(a))) without overflow, over the axes or all elements; b weighs the terms. With return_sign, the logarithm of the sum's magnitude, and its sign.
---```lua
---special.logsumexp(a, axis?, b?, keepdims?, return_sign?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param b? moonarray.data|table
---@param keepdims? boolean|table
---@param return_sign? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.special.logsumexp(a, axis, b, keepdims, return_sign) end

---the associated Legendre function of whole order m and real degree v
---```lua
---special.lpmv(m, v, x, out?; dtype?, where?, casting?)
---```
---@param m moonarray.data
---@param v moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.lpmv(m, v, x, out, dtype, where, casting) end

---The logarithm of the gamma function of d dimensions, for a > (d - 1) / 2.
---```lua
---special.multigammaln(a, d)
---```
---@param a moonarray.data
---@param d moonarray.whole
---@return moonarray.array|moonarray.scalar
function moonarray.special.multigammaln(a, d) end

---the cumulative probability of k and fewer failures before n successes of probability p
---```lua
---special.nbdtr(k, n, p, out?; dtype?, where?, casting?)
---```
---@param k moonarray.data
---@param n moonarray.data
---@param p moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.nbdtr(k, n, p, out, dtype, where, casting) end

---1 - nbdtr(k, n, p)
---```lua
---special.nbdtrc(k, n, p, out?; dtype?, where?, casting?)
---```
---@param k moonarray.data
---@param n moonarray.data
---@param p moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.nbdtrc(k, n, p, out, dtype, where, casting) end

---the p of nbdtr(k, n, p) == y
---```lua
---special.nbdtri(k, n, y, out?; dtype?, where?, casting?)
---```
---@param k moonarray.data
---@param n moonarray.data
---@param y moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.nbdtri(k, n, y, out, dtype, where, casting) end

---the normal distribution's cumulative probability at x
---```lua
---special.ndtr(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.ndtr(x, out, dtype, where, casting) end

---the x of ndtr(x) == p
---```lua
---special.ndtri(p, out?; dtype?, where?, casting?)
---```
---@param p moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.ndtri(p, out, dtype, where, casting) end

---the cumulative probability of k and fewer events, in the Poisson distribution of mean m
---```lua
---special.pdtr(k, m, out?; dtype?, where?, casting?)
---```
---@param k moonarray.data
---@param m moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.pdtr(k, m, out, dtype, where, casting) end

---1 - pdtr(k, m)
---```lua
---special.pdtrc(k, m, out?; dtype?, where?, casting?)
---```
---@param k moonarray.data
---@param m moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.pdtrc(k, m, out, dtype, where, casting) end

---the m of pdtr(k, m) == y
---```lua
---special.pdtri(k, y, out?; dtype?, where?, casting?)
---```
---@param k moonarray.data
---@param y moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.pdtri(k, y, out, dtype, where, casting) end

---gamma(z + m) / gamma(z), Pochhammer's symbol
---```lua
---special.poch(z, m, out?; dtype?, where?, casting?)
---```
---@param z moonarray.data
---@param m moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.poch(z, m, out, dtype, where, casting) end

---the derivative of order n of the digamma function
---```lua
---special.polygamma(n, x, out?; dtype?, where?, casting?)
---```
---@param n moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.polygamma(n, x, out, dtype, where, casting) end

---delta^2 (sqrt(1 + (r / delta)^2) - 1)
---```lua
---special.pseudo_huber(delta, r, out?; dtype?, where?, casting?)
---```
---@param delta moonarray.data
---@param r moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.pseudo_huber(delta, r, out, dtype, where, casting) end

---the derivative of log(gamma(z))
---```lua
---special.psi(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.psi(x, out, dtype, where, casting) end

---d degrees, m minutes and s seconds in radians
---```lua
---special.radian(d, m, s, out?; dtype?, where?, casting?)
---```
---@param d moonarray.data
---@param m moonarray.data
---@param s moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.radian(d, m, s, out, dtype, where, casting) end

---x log(x / y), the relative entropy; 0 where x is 0, infinity where it is not defined
---```lua
---special.rel_entr(x, y, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.rel_entr(x, y, out, dtype, where, casting) end

---1 / gamma(z), 0 at the poles
---```lua
---special.rgamma(z, out?; dtype?, where?, casting?)
---```
---@param z moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.rgamma(z, out, dtype, where, casting) end

---the nearest whole number, the even one of two
---```lua
---special.round(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.round(x, out, dtype, where, casting) end

---the hyperbolic sine integral, of sinh(t) / t from 0 to x, and the hyperbolic cosine integral
---```lua
---special.shichi(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
---@return moonarray.array|moonarray.scalar
function moonarray.special.shichi(x, out, dtype, where, casting) end

---the sine integral, of sin(t) / t from 0 to x, and the cosine integral
---```lua
---special.sici(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
---@return moonarray.array|moonarray.scalar
function moonarray.special.sici(x, out, dtype, where, casting) end

---sin(pi x) / (pi x), 1 at 0
---```lua
---special.sinc(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.sinc(x, out, dtype, where, casting) end

---the sine of x degrees
---```lua
---special.sindg(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.sindg(x, out, dtype, where, casting) end

---exp(x) / sum(exp(x)) along the axes, or over all elements.
---```lua
---special.softmax(x, axis?)
---```
---@param x moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.special.softmax(x, axis) end

---The spherical harmonic of degree n and order m at the azimuth theta and the polar angle phi; complex.
---```lua
---special.sph_harm(m, n, theta, phi)
---```
---@param m moonarray.data
---@param n moonarray.data
---@param theta moonarray.data
---@param phi moonarray.data
---@return moonarray.array|moonarray.scalar
function moonarray.special.sph_harm(m, n, theta, phi) end

---The spherical harmonic of degree n and order m at the polar angle theta and the azimuth phi; complex.
---```lua
---special.sph_harm_y(n, m, theta, phi)
---```
---@param n moonarray.data
---@param m moonarray.data
---@param theta moonarray.data
---@param phi moonarray.data
---@return moonarray.array|moonarray.scalar
function moonarray.special.sph_harm_y(n, m, theta, phi) end

---The spherical Bessel function of the second kind, of whole order n, or its derivative.
---```lua
---special.spherical_yn(n, z, derivative?)
---```
---@param n moonarray.data
---@param z moonarray.data
---@param derivative? boolean|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.spherical_yn(n, z, derivative) end

---the cumulative probability at t of Student's distribution of df degrees of freedom
---```lua
---special.stdtr(df, t, out?; dtype?, where?, casting?)
---```
---@param df moonarray.data
---@param t moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.stdtr(df, t, out, dtype, where, casting) end

---the tangent of x degrees
---```lua
---special.tandg(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.tandg(x, out, dtype, where, casting) end

---Faddeeva's function, exp(-z^2) erfc(-i z); complex.
---```lua
---special.wofz(z)
---```
---@param z moonarray.data
---@return moonarray.array
function moonarray.special.wofz(z) end

---Wright's generalised Bessel function, the sum of x^k / (k! gamma(a k + b))
---```lua
---special.wright_bessel(a, b, x, out?; dtype?, where?, casting?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.wright_bessel(a, b, x, out, dtype, where, casting) end

---x log(1 + y), 0 where x is 0
---```lua
---special.xlog1py(x, y, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.xlog1py(x, y, out, dtype, where, casting) end

---x log(y), 0 where x is 0
---```lua
---special.xlogy(x, y, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.xlogy(x, y, out, dtype, where, casting) end

---the Bessel function of the second kind, of order 0
---```lua
---special.y0(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.y0(x, out, dtype, where, casting) end

---the Bessel function of the second kind, of order 1
---```lua
---special.y1(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.y1(x, out, dtype, where, casting) end

---the Bessel function of the second kind, of whole order n
---```lua
---special.yn(n, x, out?; dtype?, where?, casting?)
---```
---@param n moonarray.data
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.yn(n, x, out, dtype, where, casting) end

---Hurwitz's zeta function, the sum of (q + k)^-x over k = 0, 1 ...; without q Riemann's, for any x.
---```lua
---special.zeta(x, q?, out?; dtype?, where?)
---```
---@param x moonarray.data
---@param q? moonarray.data|table
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.zeta(x, q, out, dtype, where) end

---Riemann's zeta function less 1
---```lua
---special.zetac(x, out?; dtype?, where?, casting?)
---```
---@param x moonarray.data
---@param out? moonarray.part|table
---@param dtype? moonarray.dtype|table
---@param where? moonarray.part|table
---@param casting? string|table
---@return moonarray.array|moonarray.scalar
function moonarray.special.zetac(x, out, dtype, where, casting) end

---A table of views of equal extents, or of those that begin at the given positions: {3, 5} makes 1:2, 3:4 and 5:.
---```lua
---split(a, indices_or_sections, axis?)
---```
---@param a moonarray.data
---@param indices_or_sections moonarray.whole|moonarray.whole[]
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array[]
function moonarray.split(a, indices_or_sections, axis) end
array.split = moonarray.split

---the square root, not negative
---```lua
---sqrt(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.sqrt: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.sqrt = {}
array.sqrt = moonarray.sqrt

---x * x
---```lua
---square(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.square: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.square = {}
array.square = moonarray.square

---A view without the axes of extent 1, or without those given.
---```lua
---squeeze(a, axis?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.squeeze(a, axis) end
array.squeeze = moonarray.squeeze

---One array of several of one shape, side by side along a new axis.
---```lua
---stack(arrays, axis?, out?, dtype?)
---```
---@param arrays moonarray.data[]
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param out? moonarray.part|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.stack(arrays, axis, out, dtype) end

moonarray.stats = {}

---The log-likelihood of the Box-Cox transformation (data^lmb - 1) / lmb of positive data along an axis (the first; "none": of all elements), where 0 for lmb is the logarithm.
---```lua
---stats.boxcox_llf(lmb, data; axis?, keepdims?)
---```
---@param lmb moonarray.data
---@param data moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param keepdims? boolean|table
---@return moonarray.array
function moonarray.stats.boxcox_llf(lmb, data, axis, keepdims) end

---The entropy -sum(pk log pk) of a distribution along an axis (the first; "none": of all elements), which is divided by its sum first; with qk the relative entropy sum(pk log(pk / qk)). base (e): of the logarithm. nan_policy: 'propagate', 'omit' NaN, or 'raise', which looks and waits. Example: ma.stats.entropy({1, 1}, {base = 2}) --> 1.0
---```lua
---stats.entropy(pk, qk?, base?, axis?; nan_policy?, keepdims?)
---```
---@param pk moonarray.data
---@param qk? moonarray.data|table
---@param base? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param nan_policy? string|table
---@param keepdims? boolean|table
---@return moonarray.array
function moonarray.stats.entropy(pk, qk, base, axis, nan_policy, keepdims) end

---A density estimated from points as a sum of Gaussians: an object with evaluate(points) (or a call of it), logpdf, integrate_gaussian, integrate_kde, resample, set_bandwidth and the fields d, n, neff, factor, covariance, inv_cov, dataset, weights. dataset: a vector, or a matrix with a row for each dimension. bw_method: 'scott' (default), 'silverman', a factor, or a function of the object. Waits.
---```lua
---stats.gaussian_kde(dataset, bw_method?, weights?)
---```
---@param dataset moonarray.data
---@param bw_method? number|string|function|table
---@param weights? moonarray.data|table
---@return moonarray.gaussian_kde
function moonarray.stats.gaussian_kde(dataset, bw_method, weights) end

---r, p: the correlation of two samples along an axis (the first), and the probability of one as far from 0 if both are independent and normal. alternative: 'two-sided', or 'less' or 'greater' for one side. p is computed on the host and waits.
---```lua
---stats.pearsonr(x, y; alternative?, axis?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param alternative? string|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
---@return moonarray.array
function moonarray.stats.pearsonr(x, y, alternative, axis) end

---The ranks of the elements along an axis (of all as one axis), from 1 on. method says what equal elements get: their 'average' (default), 'min' or 'max' rank, 'dense' (as min, without gaps) or 'ordinal' (in their order). nan_policy: with 'propagate' a NaN makes all ranks of its axis NaN, with 'omit' its own; for the methods of whole numbers that is looked at and waits. Example: ma.stats.rankdata({10, 30, 10}) --> [1.5 3. 1.5]
---```lua
---stats.rankdata(a, method?; axis?, nan_policy?)
---```
---@param a moonarray.data
---@param method? string|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param nan_policy? string|table
---@return moonarray.array
function moonarray.stats.rankdata(a, method, axis, nan_policy) end

---r, p: the correlation of the ranks of two samples, and its probability if both are independent. A matrix has a variable in each column (with axis = 2 in each row); for more than two variables r and p are matrices. axis "none" takes all elements of a and of b. nan_policy: 'propagate' or 'raise'. p is computed on the host and waits.
---```lua
---stats.spearmanr(a, b?, axis?, nan_policy?, alternative?)
---```
---@param a moonarray.data
---@param b? moonarray.data|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param nan_policy? string|table
---@param alternative? string|table
---@return moonarray.array
---@return moonarray.array
function moonarray.stats.spearmanr(a, b, axis, nan_policy, alternative) end

---The mean along an axis (the first; "none": of all elements) without that part of the elements at each end of their order, rounded down. Example: ma.stats.trim_mean({1, 2, 3, 100}, 0.25) --> 2.5
---```lua
---stats.trim_mean(a, proportiontocut, axis?)
---```
---@param a moonarray.data
---@param proportiontocut number
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.stats.trim_mean(a, proportiontocut, axis) end

---How many standard deviations of compare each score is above its mean, along an axis (the first; "none": of all elements). ddof (0): as of std. nan_policy: what to do with NaN in compare: 'propagate', 'omit' it, or 'raise', which looks and waits.
---```lua
---stats.zmap(scores, compare, axis?, ddof?, nan_policy?)
---```
---@param scores moonarray.data
---@param compare moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param ddof? number|table
---@param nan_policy? string|table
---@return moonarray.array
function moonarray.stats.zmap(scores, compare, axis, ddof, nan_policy) end

---How many standard deviations each element is above the mean along an axis (the first; "none": of all elements). NaN where all elements are the same. ddof (0): as of std. nan_policy: 'propagate', 'omit' NaN, or 'raise', which looks and waits. Example: ma.stats.zscore({1, 2, 3}) --> [-1.22474487 0. 1.22474487]
---```lua
---stats.zscore(a, axis?, ddof?, nan_policy?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param ddof? number|table
---@param nan_policy? string|table
---@return moonarray.array
function moonarray.stats.zscore(a, axis, ddof, nan_policy) end

---Standard deviation: the square root of var.
---```lua
---std(a, axis?, dtype?, out?, ddof?, keepdims?, where?, correction?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param ddof? moonarray.whole|table
---@param keepdims? boolean|table
---@param where? moonarray.part|table
---@param correction? number|table
---@return moonarray.array
function moonarray.std(a, axis, dtype, out, ddof, keepdims, where, correction) end
array.std = moonarray.std

---A function of fields (arrays of one shape, 1 to 3 axes) whose result at each position is fn(u, v, ...): u(0, 0) is the element there, u(-1, 0) the one before it along axis 1. fn may be the text of a function. boundary is "constant" (value, 0), "wrap", "nearest", "reflect" (d c b a | a b c d), "mirror" (d c b | a b c d) or "leave", which keeps the field's elements; or a table of one for each axis. A ma.jit.device function becomes a kernel, and may branch on elements. out is how many results fn gives. compile says when a CPU's compiler makes it faster: true before the first run, false never, else meanwhile, when it has run for some time. s(u, v, {out = ...}) applies it, s:run(u, v, {steps = n}) applies it n times and gives the fields then.
---```lua
---stencil(fn; boundary?, value?, out?, compile?)
---```
---@param fn function
---@param boundary? string|string[]|table
---@param value? number|table
---@param out? moonarray.part|table
---@param compile? boolean|table
---@return moonarray.stencil_function
function moonarray.stencil(fn, boundary, value, out, compile) end

---x - y
---```lua
---subtract(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.subtract: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.subtract = {}
array.subtract = moonarray.subtract

---Sum of elements along axes.
---```lua
---sum(a, axis?, dtype?, out?, keepdims?, initial?, where?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param keepdims? boolean|table
---@param initial? moonarray.data|table
---@param where? moonarray.part|table
---@return moonarray.array
function moonarray.sum(a, axis, dtype, out, keepdims, initial, where) end
array.sum = moonarray.sum

---A view with two axes exchanged.
---```lua
---swapaxes(a, axis1, axis2)
---```
---@param a moonarray.data
---@param axis1 moonarray.whole
---@param axis2 moonarray.whole
---@return moonarray.array
function moonarray.swapaxes(a, axis1, axis2) end
array.swapaxes = moonarray.swapaxes

---Waits for the work of the current stream.
---```lua
---synchronize()
---```
function moonarray.synchronize() end

---Elements of a at positions along an axis (of all elements in C order without one). mode: "raise"; "wrap" goes round (0 is the last); "clip" stops at the ends.
---```lua
---take(a, indices, axis?, out?, mode?)
---```
---@param a moonarray.data
---@param indices moonarray.whole|moonarray.whole[]|moonarray.part
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@param mode? string|table
---@return moonarray.array
function moonarray.take(a, indices, axis, out, mode) end
array.take = moonarray.take

---Elements of a at positions that run along one axis (the last) and match the others: the inverse of argsort and argmax.
---```lua
---take_along_axis(a, indices, axis?)
---```
---@param a moonarray.data
---@param indices moonarray.whole|moonarray.whole[]|moonarray.part
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.take_along_axis(a, indices, axis) end
array.take_along_axis = moonarray.take_along_axis

---the tangent of x radians
---```lua
---tan(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.tan: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.tan = {}
array.tan = moonarray.tan

---the hyperbolic tangent
---```lua
---tanh(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.tanh: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.tanh = {}
array.tanh = moonarray.tanh

---The sum over axes of both: `axes` is how many last axes of a go with as many first ones of b (2 by default), or {axes of a, axes of b}.
---```lua
---tensordot(a, b, axes?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param axes? moonarray.whole|moonarray.whole[]|moonarray.whole[][]|table
---@return moonarray.array
function moonarray.tensordot(a, b, axes) end
array.tensordot = moonarray.tensordot

moonarray.testing = {}

---Raises an error unless |actual - desired| <= atol (0) + rtol (1e-7) |desired| for all elements. A 0-d array or a number stands for any shape, NaN agrees with NaN unless equal_nan is false; strict wants one shape and dtype. The error says how many elements differ, where, and by how much, and prints both unless verbose is false. Waits.
---```lua
---testing.assert_allclose(actual, desired, rtol?, atol?, err_msg?, verbose?; equal_nan?, strict?)
---```
---@param actual moonarray.data
---@param desired moonarray.data
---@param rtol? number|table
---@param atol? number|table
---@param err_msg? string|table
---@param verbose? boolean|table
---@param equal_nan? boolean|table
---@param strict? boolean|table
function moonarray.testing.assert_allclose(actual, desired, rtol, atol, err_msg, verbose, equal_nan, strict) end

---Raises an error unless |x - y| < 1.5 * 10^-decimal (6) for all elements. NaN agrees with NaN, an infinity with itself. Waits.
---```lua
---testing.assert_array_almost_equal(x, y, decimal?, err_msg?, verbose?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param decimal? moonarray.whole|table
---@param err_msg? string|table
---@param verbose? boolean|table
function moonarray.testing.assert_array_almost_equal(x, y, decimal, err_msg, verbose) end

---Raises an error unless |x - y| is at most nulp (1) times the distance from the larger of both to the next float. Waits.
---```lua
---testing.assert_array_almost_equal_nulp(x, y, nulp?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param nulp? moonarray.whole|table
function moonarray.testing.assert_array_almost_equal_nulp(x, y, nulp) end

---Raises an error unless two arrays have one shape and equal elements; NaN equals NaN, and a 0-d array or a number stands for any shape. strict wants one shape and dtype. Waits.
---```lua
---testing.assert_array_equal(x, y, err_msg?, verbose?; strict?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param err_msg? string|table
---@param verbose? boolean|table
---@param strict? boolean|table
function moonarray.testing.assert_array_equal(x, y, err_msg, verbose, strict) end

---Raises an error unless x < y for all elements; where both are NaN is passed over. Waits.
---```lua
---testing.assert_array_less(x, y, err_msg?, verbose?; strict?)
---```
---@param x moonarray.data
---@param y moonarray.data
---@param err_msg? string|table
---@param verbose? boolean|table
---@param strict? boolean|table
function moonarray.testing.assert_array_less(x, y, err_msg, verbose, strict) end

---Raises an error unless two tables have as many arrays, and the arrays are equal in pairs. Waits.
---```lua
---testing.assert_array_list_equal(xlist, ylist, err_msg?, verbose?)
---```
---@param xlist moonarray.part[]
---@param ylist moonarray.part[]
---@param err_msg? string|table
---@param verbose? boolean|table
function moonarray.testing.assert_array_list_equal(xlist, ylist, err_msg, verbose) end

---Raises an error unless floats of one shape are at most maxulp (1) units in the last place apart, in dtype if that is given. Returns the distances: float64, on the CPU. Waits.
---```lua
---testing.assert_array_max_ulp(a, b, maxulp?, dtype?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param maxulp? number|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.testing.assert_array_max_ulp(a, b, maxulp, dtype) end

---Raises an error unless two values are equal: arrays as in assert_array_equal, tables key by key, numbers with NaN equal to NaN and 0 not to -0. Waits.
---```lua
---testing.assert_equal(actual, desired, err_msg?, verbose?; strict?)
---```
---@param actual moonarray.data
---@param desired moonarray.data
---@param err_msg? string|table
---@param verbose? boolean|table
---@param strict? boolean|table
function moonarray.testing.assert_equal(actual, desired, err_msg, verbose, strict) end

---The array repeated as a tile, so often along each axis.
---```lua
---tile(a, reps)
---```
---@param a moonarray.data
---@param reps moonarray.whole|moonarray.whole[]
---@return moonarray.array
function moonarray.tile(a, reps) end
array.tile = moonarray.tile

---Seconds of a clock that only goes forwards, from a start that differs from process to process: for the time between two calls.
---```lua
---time()
---```
---@return number
function moonarray.time() end

---The array on a device: itself if it is there, else a copy.
---```lua
---to(a, device)
---```
---@param a moonarray.data
---@param device string
---@return moonarray.array
function moonarray.to(a, device) end
array.to = moonarray.to

---The array on a device: itself if it is there, else a copy, made on the current stream or another.
---```lua
---to_device(a, device; stream?)
---```
---@param a moonarray.data
---@param device string
---@param stream? moonarray.stream|table
---@return moonarray.array
function moonarray.to_device(a, device, stream) end
array.to_device = moonarray.to_device

---A capsule with a managed tensor of DLPack over the array's memory, ready for work on `stream`: capsule:ptr() is its address, capsule:release() gives it away. version = 0 makes the form before DLPack 1.0.
---```lua
---to_dlpack(a; stream?, version?)
---```
---@param a moonarray.data
---@param stream? moonarray.stream|table
---@param version? moonarray.whole|table
---@return moonarray.capsule
function moonarray.to_dlpack(a, stream, version) end
array.to_dlpack = moonarray.to_dlpack

---The elements' bytes, in C order, as a string.
---```lua
---tobytes(a)
---```
---@param a moonarray.data
---@return string
function moonarray.tobytes(a) end
array.tobytes = moonarray.tobytes

---Writes the elements' bytes, in C order; with `sep` as text, each by `format` ('%s').
---```lua
---tofile(a, file, sep?, format?)
---```
---@param a moonarray.data
---@param file string
---@param sep? string|table
---@param format? string|table
function moonarray.tofile(a, file, sep, format) end
array.tofile = moonarray.tofile

---The elements as nested Lua tables: totable.
---```lua
---tolist(a)
---```
---@param a moonarray.data
---@return table
function moonarray.tolist(a) end
array.tolist = moonarray.tolist

---The k largest elements along an axis (the last), the largest first, and their positions; with largest = false the smallest, the smallest first. Among equals the first come first; NaN is taken last. Example: ma.topk({5, 1, 7}, 2) --> [7. 5.] [3 1]
---```lua
---topk(a, k, axis?; largest?, sorted?)
---```
---@param a moonarray.data
---@param k moonarray.whole
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param largest? boolean|table
---@param sorted? boolean|table
---@return moonarray.array
---@return moonarray.array
function moonarray.topk(a, k, axis, largest, sorted) end
array.topk = moonarray.topk

---The elements as nested Lua tables; of a 0-d array its value.
---```lua
---totable(a)
---```
---@param a moonarray.data
---@return table
function moonarray.totable(a) end
array.totable = moonarray.totable

---The sum along a diagonal.
---```lua
---trace(a, offset?, axis1?, axis2?, dtype?, out?)
---```
---@param a moonarray.data
---@param offset? moonarray.whole|moonarray.dtype|table
---@param axis1? moonarray.whole|moonarray.dtype|table
---@param axis2? moonarray.whole|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.trace(a, offset, axis1, axis2, dtype, out) end
array.trace = moonarray.trace

---A view with the axes reversed, or in the order given.
---```lua
---transpose(a, axes?, ...)
---```
---@param a moonarray.data
---@param axes? moonarray.whole|moonarray.whole[]|table
---@param ... any
---@return moonarray.array
function moonarray.transpose(a, axes, ...) end
array.transpose = moonarray.transpose

---The integral along an axis by the trapezoidal rule, over coordinates x or steps of dx.
---```lua
---trapezoid(a, x?, dx?, axis?)
---```
---@param a moonarray.data
---@param x? moonarray.data|table
---@param dx? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.trapezoid(a, x, dx, axis) end
array.trapezoid = moonarray.trapezoid

---Ones at and below the k-th diagonal and zeros above it.
---```lua
---tri(N, M?, k?, dtype?; device?)
---```
---@param N moonarray.whole
---@param M? moonarray.whole|moonarray.dtype|table
---@param k? moonarray.whole|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return moonarray.array
function moonarray.tri(N, M, k, dtype, device) end

---A copy with zeros above the k-th diagonal of the last two axes.
---```lua
---tril(a, k?)
---```
---@param a moonarray.data
---@param k? moonarray.whole|table
---@return moonarray.array
function moonarray.tril(a, k) end
array.tril = moonarray.tril

---Rows and columns of the elements at and below the k-th diagonal of n by m (n), in C order. Example: ma.tril_indices(2) --> [1 2 2] [1 1 2]
---```lua
---tril_indices(n, k?, m?; device?)
---```
---@param n moonarray.whole
---@param k? moonarray.whole|table
---@param m? moonarray.data|table
---@param device? string|table
---@return moonarray.array ...
function moonarray.tril_indices(n, k, m, device) end

---tril_indices for the shape of a matrix. Example: ma.tril_indices_from(ma.eye(2)) --> [1 2 2] [1 1 2]
---```lua
---tril_indices_from(arr, k?)
---```
---@param arr moonarray.data
---@param k? moonarray.whole|table
---@return moonarray.array ...
function moonarray.tril_indices_from(arr, k) end

---The array without the borders of zeros at the front ("f"), back ("b") or both ("fb") of axes, of all by default. Waits.
---```lua
---trim_zeros(a, trim?, axis?)
---```
---@param a moonarray.data
---@param trim? string|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array
function moonarray.trim_zeros(a, trim, axis) end
array.trim_zeros = moonarray.trim_zeros

---A copy with zeros below the k-th diagonal of the last two axes.
---```lua
---triu(a, k?)
---```
---@param a moonarray.data
---@param k? moonarray.whole|table
---@return moonarray.array
function moonarray.triu(a, k) end
array.triu = moonarray.triu

---Rows and columns of the elements at and above the k-th diagonal of n by m (n), in C order. Example: ma.triu_indices(2) --> [1 1 2] [1 2 2]
---```lua
---triu_indices(n, k?, m?; device?)
---```
---@param n moonarray.whole
---@param k? moonarray.whole|table
---@param m? moonarray.data|table
---@param device? string|table
---@return moonarray.array ...
function moonarray.triu_indices(n, k, m, device) end

---triu_indices for the shape of a matrix. Example: ma.triu_indices_from(ma.eye(2), 1) --> [1] [2]
---```lua
---triu_indices_from(arr, k?)
---```
---@param arr moonarray.data
---@param k? moonarray.whole|table
---@return moonarray.array ...
function moonarray.triu_indices_from(arr, k) end

---x / y, the true quotient: integers give float64
---```lua
---divide(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.true_divide: moonarray.ufunc
---@overload fun(a: number, b: number): number
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.true_divide = {}
array.true_divide = moonarray.true_divide

---x without the part after the point
---```lua
---trunc(a, out?; dtype?, where?, casting?)
---```
---@class moonarray.trunc: moonarray.ufunc
---@overload fun(a: number): number
---@overload fun(a: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.trunc = {}
array.trunc = moonarray.trunc

---A typed scalar, or a copy of an array or a table, of dtype uint16.
---```lua
---uint16(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.uint16(value) end

---A typed scalar, or a copy of an array or a table, of dtype uint32.
---```lua
---uint32(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.uint32(value) end

---A typed scalar, or a copy of an array or a table, of dtype uint64.
---```lua
---uint64(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.uint64(value) end

---A typed scalar, or a copy of an array or a table, of dtype uint8.
---```lua
---uint8(value)
---```
---@param value moonarray.data
---@return moonarray.array
function moonarray.uint8(value) end

---The distinct elements of both, sorted.
---```lua
---union1d(ar1, ar2)
---```
---@param ar1 moonarray.data
---@param ar2 moonarray.data
---@return moonarray.array
function moonarray.union1d(ar1, ar2) end

---The distinct elements (with axis: slices along it), sorted; on demand where each is first, where all are among them, how often each occurs. Waits.
---```lua
---unique(a, return_index?, return_inverse?, return_counts?, axis?; equal_nan?)
---```
---@param a moonarray.data
---@param return_index? boolean|table
---@param return_inverse? boolean|table
---@param return_counts? boolean|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param equal_nan? boolean|table
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.unique(a, return_index, return_inverse, return_counts, axis, equal_nan) end
array.unique = moonarray.unique

---The distinct elements, positions of the first of each, positions of all among them, and counts.
---```lua
---unique_all(x)
---```
---@param x moonarray.data
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
---@return moonarray.array
function moonarray.unique_all(x) end

---The distinct elements and how often each occurs.
---```lua
---unique_counts(x)
---```
---@param x moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.unique_counts(x) end

---The distinct elements and the position of each element among them.
---```lua
---unique_inverse(x)
---```
---@param x moonarray.data
---@return moonarray.array
---@return moonarray.array
function moonarray.unique_inverse(x) end

---The distinct elements.
---```lua
---unique_values(x)
---```
---@param x moonarray.data
---@return moonarray.array
function moonarray.unique_values(x) end

---The bits of uint8 elements as elements 0 and 1, along an axis or of the flattened array: the inverse of packbits. count: so many bits (filled up with zeros), or if negative all but so many. Example: ma.unpackbits(ma.uint8{160}, {count = 3}) --> [1 0 1]
---```lua
---unpackbits(a, axis?, count?, bitorder?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param count? moonarray.whole|table
---@param bitorder? string|table
---@return moonarray.array
function moonarray.unpackbits(a, axis, count, bitorder) end
array.unpackbits = moonarray.unpackbits

---Positions counted in C order (order "F": Fortran's) as one result an axis: arrays, or numbers for a number.
---```lua
---unravel_index(indices, shape, order?)
---```
---@param indices moonarray.whole|moonarray.whole[]|moonarray.part
---@param shape moonarray.whole|moonarray.whole[]
---@param order? string|table
---@return moonarray.array ...
function moonarray.unravel_index(indices, shape, order) end

---The parts along an axis as several results, without that axis.
---```lua
---unstack(a, axis?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@return moonarray.array ...
function moonarray.unstack(a, axis) end
array.unstack = moonarray.unstack

---Angles with jumps of more than half a period replaced by their complement.
---```lua
---unwrap(a, discont?, axis?, period?)
---```
---@param a moonarray.data
---@param discont? number|table
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param period? number|table
---@return moonarray.array
function moonarray.unwrap(a, discont, axis, period) end
array.unwrap = moonarray.unwrap

---The powers of a vector as columns, the highest first: a Vandermonde matrix.
---```lua
---vander(a, N?, increasing?)
---```
---@param a moonarray.data
---@param N? moonarray.whole|table
---@param increasing? boolean|table
---@return moonarray.array
function moonarray.vander(a, N, increasing) end
array.vander = moonarray.vander

---Variance: the sum of squared distances from the mean over the count less ddof.
---```lua
---var(a, axis?, dtype?, out?, ddof?, keepdims?, where?, correction?)
---```
---@param a moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|moonarray.dtype|table
---@param dtype? moonarray.dtype|table
---@param out? moonarray.part|table
---@param ddof? moonarray.whole|table
---@param keepdims? boolean|table
---@param where? moonarray.part|table
---@param correction? number|table
---@return moonarray.array
function moonarray.var(a, axis, dtype, out, ddof, keepdims, where, correction) end
array.var = moonarray.var

---The sum of conj(a) b over all elements; both are flattened.
---```lua
---vdot(a, b)
---```
---@param a moonarray.data
---@param b moonarray.data
---@return moonarray.array
function moonarray.vdot(a, b) end
array.vdot = moonarray.vdot

---The sum of conj(a) b along an axis, the last by default; the others are broadcast.
---```lua
---vecdot(a, b, axis?; out?)
---```
---@param a moonarray.data
---@param b moonarray.data
---@param axis? moonarray.whole|moonarray.whole[]|table
---@param out? moonarray.part|table
---@return moonarray.array
function moonarray.vecdot(a, b, axis, out) end
array.vecdot = moonarray.vecdot

---An elementwise operation from a Lua function of scalars, or from its source, compiled once for each combination of dtypes.
---```lua
---vectorize(fn, name?, constants?)
---```
---@param fn function|string
---@param name? string|table
---@param constants? table|table
---@return moonarray.vectorized
function moonarray.vectorize(fn, name, constants) end

---The same memory seen as another dtype; of another width, the last axis becomes longer or shorter.
---```lua
---view(a, dtype?)
---```
---@param a moonarray.data
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.view(a, dtype) end
array.view = moonarray.view

---split along axis 1.
---```lua
---vsplit(a, indices_or_sections)
---```
---@param a moonarray.data
---@param indices_or_sections moonarray.whole|moonarray.whole[]
---@return moonarray.array[]
function moonarray.vsplit(a, indices_or_sections) end
array.vsplit = moonarray.vsplit

---Arrays one below the other: joined along the first axis, vectors as rows.
---```lua
---vstack(arrays; dtype?)
---```
---@param arrays moonarray.data[]
---@param dtype? moonarray.dtype|table
---@return moonarray.array
function moonarray.vstack(arrays, dtype) end

moonarray.wavfile = {}

---The same from the bytes of a WAV file in a string.
---```lua
---wavfile.decode(bytes; dtype?, device?)
---```
---@param bytes string
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return number
---@return moonarray.array
function moonarray.wavfile.decode(bytes, dtype, device) end

---The bytes of a WAV file as a string. See ma.wavfile.write.
---```lua
---wavfile.encode(rate, data; bits?)
---```
---@param rate moonarray.whole
---@param data moonarray.data
---@param bits? moonarray.whole|table
---@return string
function moonarray.wavfile.encode(rate, data, bits) end

---The rate of a WAV file in samples a second, and its samples: (samples,), or (samples, channels) of more than one channel, in uint8, int16, int32, int64, float32 or float64 as they are kept; 24 bits are the upper ones of int32. With dtype = "float32" or "float64" they are numbers from -1 to 1. `file` is a path or open file.
---```lua
---wavfile.read(file; dtype?, device?)
---```
---@param file string|file*
---@param dtype? moonarray.dtype|table
---@param device? string|table
---@return number
---@return moonarray.array
function moonarray.wavfile.read(file, dtype, device) end

---Writes a WAV file: `rate` samples a second of data, (samples,) or (samples, channels) of uint8, int16, int32, int64, float32 or float64, each in its own form. With bits = 8, 16, 24 or 32, floats from -1 to 1 become whole numbers of that many bits, and those beyond the nearest; with bits = 24, int32 loses its lowest 8 bits. `file` is a path or an open file.
---```lua
---wavfile.write(file, rate, data; bits?)
---```
---@param file string|file*
---@param rate moonarray.whole
---@param data moonarray.data
---@param bits? moonarray.whole|table
function moonarray.wavfile.write(file, rate, data, bits) end

---x where the condition holds, else y. With the condition alone, the positions where it holds.
---```lua
---where(condition, x?, y?)
---```
---@param condition moonarray.data
---@param x? moonarray.data|table
---@param y? moonarray.data|table
---@return moonarray.array|moonarray.scalar ...
function moonarray.where(condition, x, y) end

---true where exactly one of x and y is not 0
---```lua
---logical_xor(a, b, out?; dtype?, where?, casting?)
---```
---@class moonarray.xor_: moonarray.ufunc
---@overload fun(a: number, b: number): boolean
---@overload fun(a: moonarray.data, b: moonarray.data, out?: moonarray.part|table, dtype?: moonarray.dtype|table, where?: moonarray.part|table, casting?: string|table): moonarray.array
moonarray.xor_ = {}
array.xor_ = moonarray.xor_

---An array of zeros.
---```lua
---zeros(shape, dtype?, order?; device?)
---```
---@param shape moonarray.whole|moonarray.whole[]
---@param dtype? moonarray.dtype|table
---@param order? string|table
---@param device? string|table
---@return moonarray.array
function moonarray.zeros(shape, dtype, order, device) end

---Zeros in the shape and dtype of another array.
---```lua
---zeros_like(a, dtype?, order?; shape?, device?)
---```
---@param a moonarray.data
---@param dtype? moonarray.dtype|table
---@param order? string|table
---@param shape? moonarray.whole|moonarray.whole[]|table
---@param device? string|table
---@return moonarray.array
function moonarray.zeros_like(a, dtype, order, shape, device) end
array.zeros_like = moonarray.zeros_like

---@type fun(...: any): any
moonarray.Stream.from_external = function() end
---@type fun(...: any): any
moonarray.cuda.Stream.from_external = function() end
moonarray.cuda.memory_hooks = {}
---@type fun(...: any): any
moonarray.cuda.memory_hooks.DebugPrintHook = function() end
---@type fun(...: any): any
moonarray.cuda.memory_hooks.LineProfileHook = function() end
moonarray.cuda.runtime.cudaAddressModeBorder = 3
moonarray.cuda.runtime.cudaAddressModeClamp = 1
moonarray.cuda.runtime.cudaAddressModeMirror = 2
moonarray.cuda.runtime.cudaAddressModeWrap = 0
moonarray.cuda.runtime.cudaChannelFormatKindFloat = 2
moonarray.cuda.runtime.cudaChannelFormatKindNone = 3
moonarray.cuda.runtime.cudaChannelFormatKindSigned = 0
moonarray.cuda.runtime.cudaChannelFormatKindUnsigned = 1
moonarray.cuda.runtime.cudaFilterModeLinear = 1
moonarray.cuda.runtime.cudaFilterModePoint = 0
moonarray.cuda.runtime.cudaReadModeElementType = 0
moonarray.cuda.runtime.cudaReadModeNormalizedFloat = 1
moonarray.cuda.runtime.cudaResourceTypeArray = 0
moonarray.cuda.runtime.cudaResourceTypeLinear = 2
moonarray.cuda.runtime.cudaResourceTypeMipmappedArray = 1
moonarray.cuda.runtime.cudaResourceTypePitch2D = 3
moonarray.cuda.runtime.eventBlockingSync = 1
moonarray.cuda.runtime.eventDefault = 0
moonarray.cuda.runtime.eventDisableTiming = 2
moonarray.cuda.runtime.memPoolAttrReservedMemCurrent = 5
moonarray.cuda.runtime.memPoolAttrUsedMemCurrent = 7
moonarray.cuda.runtime.memPoolAttrUsedMemHigh = 8
moonarray.cuda.runtime.memcpyDefault = 4
moonarray.cuda.runtime.memcpyDeviceToDevice = 3
moonarray.cuda.runtime.memcpyDeviceToHost = 2
moonarray.cuda.runtime.memcpyHostToDevice = 1
moonarray.cuda.runtime.memcpyHostToHost = 0
moonarray.cuda.runtime.streamDefault = 0
moonarray.cuda.runtime.streamNonBlocking = 1
---The group of all ranks, which init makes.
---@type moonarray.distributed_group
moonarray.distributed.world = {}
---@type fun(...: any): any
moonarray.jit.atomic_and_ = function() end
---@type fun(...: any): any
moonarray.jit.atomic_or_ = function() end
---@type { x: integer, y: integer, z: integer }
moonarray.jit.blockDim = {}
---@type { x: integer, y: integer, z: integer }
moonarray.jit.blockIdx = {}
---@type { x: integer, y: integer, z: integer }
moonarray.jit.gridDim = {}
---@type { x: integer, y: integer, z: integer }
moonarray.jit.threadIdx = {}
moonarray.jit.warpsize = 32
moonarray.polynomial.chebyshev.Chebyshev = moonarray.polynomial.Chebyshev
---@type number[]
moonarray.polynomial.chebyshev.chebdomain = {}
---@type number[]
moonarray.polynomial.chebyshev.chebone = {}
---@type number[]
moonarray.polynomial.chebyshev.chebx = {}
---@type number[]
moonarray.polynomial.chebyshev.chebzero = {}
moonarray.polynomial.hermite.Hermite = moonarray.polynomial.Hermite
---@type number[]
moonarray.polynomial.hermite.hermdomain = {}
---@type number[]
moonarray.polynomial.hermite.hermone = {}
---@type number[]
moonarray.polynomial.hermite.hermx = {}
---@type number[]
moonarray.polynomial.hermite.hermzero = {}
moonarray.polynomial.hermite_e.HermiteE = moonarray.polynomial.HermiteE
---@type number[]
moonarray.polynomial.hermite_e.hermedomain = {}
---@type number[]
moonarray.polynomial.hermite_e.hermeone = {}
---@type number[]
moonarray.polynomial.hermite_e.hermex = {}
---@type number[]
moonarray.polynomial.hermite_e.hermezero = {}
moonarray.polynomial.laguerre.Laguerre = moonarray.polynomial.Laguerre
---@type number[]
moonarray.polynomial.laguerre.lagdomain = {}
---@type number[]
moonarray.polynomial.laguerre.lagone = {}
---@type number[]
moonarray.polynomial.laguerre.lagx = {}
---@type number[]
moonarray.polynomial.laguerre.lagzero = {}
moonarray.polynomial.legendre.Legendre = moonarray.polynomial.Legendre
---@type number[]
moonarray.polynomial.legendre.legdomain = {}
---@type number[]
moonarray.polynomial.legendre.legone = {}
---@type number[]
moonarray.polynomial.legendre.legx = {}
---@type number[]
moonarray.polynomial.legendre.legzero = {}
moonarray.polynomial.polynomial.Polynomial = moonarray.polynomial.Polynomial
---@type number[]
moonarray.polynomial.polynomial.polydomain = {}
---@type number[]
moonarray.polynomial.polynomial.polyone = {}
---@type number[]
moonarray.polynomial.polynomial.polyx = {}
---@type number[]
moonarray.polynomial.polynomial.polyzero = {}

return moonarray
