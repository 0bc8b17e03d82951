--- The library's objects: their attributes and methods, for ma.help, editors and the reference. Nothing else loads this
--- file. A block describes a class:
---
---   = name | the expression that makes one | what it is
---   . attribute: type | what it is
---   :method(parameters) -> types of the results | what it does (of a ufunc called with a dot)
---   + an operator as editors know it
---   @ the beginning of the names of functions that are its methods
---
--- Types are written as in lua/moonarray/meta.lua, classes without `moonarray.` before them.

return [[
= stream | ma.Stream() | A queue of a device's work, which is done in order.
. done: boolean | whether the work given so far is done, without waiting
. device: string | its device, such as "cuda:0"
. id: integer | a number of its own
. ptr: integer | the driver's handle
. priority: integer | the lower the more urgent
. is_non_blocking: boolean | whether it does not wait for the null stream
:use() -> stream | Makes it the current stream of its device.
:with(fn: function, ...: any) -> any ... | Runs fn(...) with this stream current and restores the previous one.
:synchronize() | Waits for the work given so far.
:record(event?: event) -> event | Records an event, a new one if none is given.
:wait_event(event: event) -> stream | Work given from now on waits for the event.
:wait_stream(other: stream) -> stream | Work given from now on waits for what the other stream has.
:launch_host_func(fn: function, arg?: any) -> stream | Calls fn(arg) when the work before it is done.
:add_callback(callback: function, arg?: any) | Calls callback(stream, 0, arg) when the work before it is done.
:begin_capture() -> stream | Records the work from now on in place of doing it.
:end_capture() -> graph | Ends the recording and gives the graph.
:is_capturing() -> boolean | Whether it records.
:close() | Gives the stream back; its work goes on.

= event | ma.Event() | A mark in a stream's work.
. done: boolean | whether the work before the mark is done, without waiting
. device: string | its device
:record(stream?: stream) -> event | Marks the work that the stream has, by default the current one.
:synchronize() | Waits for the mark.
:close() | Gives the event back.

= graph | ma.cuda.graph(function() return ma.ones(2) * 2 end) | Recorded work that one launch repeats.
. device: string | its device
:launch(stream?: stream) -> any ... | Does the work again, on the same memory.
:upload(stream?: stream) | Prepares the first launch.
:debug_dot_str(flags?: integer) -> string | The graph in Graphviz's language.
:free() | Lets go of the recorded work.
+ call(stream?): any

= device | ma.device() | A GPU, or the CPU.
. name: string | "cuda:0", "cpu"
. id: integer | its number, from 0
. type: string | "cuda" or "cpu"
. attributes: table | CUDA's attributes by name
. compute_capability: string? | "90" for 9.0; nil for the CPU
. pci_bus_id: string? | its place on the bus; nil for the CPU
:use() -> device | Makes it the current device.
:with(fn: function, ...: any) -> any ... | Runs fn(...) with this device current and restores the previous one.
:synchronize() | Waits for all its work.
:mem_info() -> integer, integer | Bytes of memory that are free, and all.
:description() -> string | What it is, as a line of text.

= pool | ma.get_default_memory_pool() | A pool of memory that arrays are served from.
. device: string | its device
:used_bytes() -> integer | Bytes that arrays hold.
:free_bytes() -> integer | Bytes that it keeps for later arrays.
:total_bytes() -> integer | Both together.
:peak_bytes() -> integer | The most bytes that arrays held at once.
:reset_peak() | Begins to measure the peak anew.
:n_free_blocks() -> integer | The blocks that it keeps.
:free_all_blocks() | Gives back what no array holds.
:get_limit() -> integer | The most bytes it may take; 0 is no limit.
:set_limit(size?: integer, fraction?: number) | Sets the limit in bytes, or as a part of the device's memory.
:malloc(nbytes: integer) -> array | Bytes of the pool as a uint8 array.

= copy | ma.ones(2):get_async() | A copy to the CPU under way.
. done: boolean | whether it is there, without waiting
:get() -> array | Waits for the copy and gives the array.

= complex | ma.complex(1, 2) | A complex number.
. re: number | the real part
. im: number | the imaginary part
. real: number | the real part
. imag: number | the imaginary part
+ add(complex|number): complex
+ sub(complex|number): complex
+ mul(complex|number): complex
+ div(complex|number): complex
+ pow(complex|number): complex
+ unm: complex

= flat | ma.ones({2, 3}).flat | An array's elements in C order: f[k] is one, f[k] = v sets it.
. base: array | the array
. size: integer | how many there are
. [integer]: number
:copy() -> array | A copy along one axis.
:each() -> function | An iterator over the elements.

= elementwise_kernel | ma.ElementwiseKernel("T x", "T y", "y = 2 * x", "twice") | Called with arrays, which broadcast.
. name: string | its name
. nin: integer | the number of inputs
. nout: integer | the number of outputs
. nargs: integer | both together
. params: table | its parameters
. in_params: string | as it was made
. out_params: string | as it was made
. operation: string | as it was made
. preamble: string | as it was made
. loop_prep: string | as it was made
. after_loop: string | as it was made
. options: string[] | the compiler's options
. no_return: boolean | whether calls return nothing
. cached_code: string | the text that was compiled last
+ call(...): array

= reduction_kernel | ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total") | Called with arrays.
. name: string | its name
. nin: integer | the number of inputs
. nout: integer | the number of outputs
. nargs: integer | both together
. in_params: string | as it was made
. out_params: string | as it was made
. map: string | as it was made
. map_expr: string | the same under CuPy's name
. reduce: string | as it was made
. reduce_expr: string | the same under CuPy's name
. post_map: string | as it was made
. post_map_expr: string | the same under CuPy's name
. identity: string | as it was made
. reduce_type: string | as it was made
. preamble: string | as it was made
. options: string[] | the compiler's options
. cached_code: string | the text that was compiled last
+ call(...): array

= raw_kernel | ma.RawKernel('extern "C" __global__ void f(int n) {}', "f") | Called k(grid, block, {arguments}).
. name: string | its name
. signature: string | its parameters
. attributes: table | registers, shared memory and the rest, by name
. max_threads_per_block: integer | one of the attributes, which have fields of their own
. code: string | the text
. cached_code: string | the text as it was compiled
. options: string[] | the compiler's options
. name_expressions: string[] | names of instances of templates
. enable_cooperative_groups: boolean | whether its launches are cooperative
:compile() -> raw_kernel | Compiles it now.
+ call(integer[], integer[], table, table?): any

= raw_module | ma.RawModule('extern "C" __global__ void f(int n) {}') | A text with kernels.
. code: string | the text
. cached_code: string | the text as it was compiled
. options: string[] | the compiler's options
. name_expressions: string[] | names of instances of templates
. enable_cooperative_groups: boolean | whether launches are cooperative
:get_function(name: string) -> raw_kernel | One of its kernels.
:get_global(name: string, dtype?: dtype, shape?: integer|integer[]) -> array | A global variable as an array.
:compile() -> raw_module | Compiles it now.

= fused | ma.fuse(function(x) return x + 1 end) | A function whose operators run as one kernel.
. name: string | its name
. traces: integer | how often the function was traced
. cached_code: string | the programs
:clear() -> fused | Forgets its traces.
+ call(...): any

= stencil_function | ma.stencil(function(u) return u(1) - u(0) end) | Called with fields, arrays of one shape.
:run(...: any) -> array ... | Runs it several times, each on the results before: fields, then { steps = n }.
+ call(...): array

= jit_kernel | ma.jit.rawkernel(function(x) x[1] = 1 end) | Called k(grid, block, {arguments}, options).
. cached_code: string | the CUDA C++ of the last launch
:code_for(args: table) -> string | The CUDA C++ for arguments, without a launch.
+ call(integer[], integer[], table, table?): any

= jit_elementwise | ma.jit.elementwisekernel(function(x) return x + 1 end) | Called with arrays, which broadcast.
. cached_code: string | the CUDA C++ of the last call
+ call(...): array

= jit_reduction | ma.jit.reductionkernel { reduce = function(a, b) return a + b end } | Called with arrays.
. cached_code: string | the CUDA C++ of the last call
+ call(...): array

= vectorized | ma.vectorize(function(x) return x + 1 end) | Called with arrays, which broadcast.
. cached_code: string | the CUDA C++ of the last call
+ call(...): array

= host_function | ma.frompyfunc(math.max, 2, 1) | Called with arrays; fn runs once for each element.
. name: string | its name
. nin: integer | the number of inputs
. nout: integer | the number of outputs
. nargs: integer | both together
. fn: function | the function
+ call(...): array

= gufunc | ma.GeneralizedUFunc(ma.dot, "(i),(i)->()") | Called with arrays, whose leading axes broadcast.
. name: string | its name
. signature: string | its axes
. nin: integer | the number of inputs
. nout: integer | the number of outputs
+ call(...): array

= ufunc | ma.add | An elementwise operation: ma.add(a, b), and its methods.
. name: string | its name
. nin: integer | the number of inputs
. nout: integer | the number of outputs
. nargs: integer | both together
. types: string[] | the dtypes that it has loops for
. identity: any | what no elements reduce to
:reduce(a: data, axis?: integer|integer[], dtype?: dtype, out?: array, keepdims?: boolean) -> array | Reduces by it.
:accumulate(a: data, axis?: integer, dtype?: dtype, out?: array) -> array | All partial results.
:reduceat(a: data, indices: data, axis?: integer, dtype?: dtype, out?: array) -> array | Reduces slices.
:outer(a: data, b: data) -> array | Every pair of elements.
:at(a: array, indices: data, b?: data) | Works in place, once for each index.
+ call(data, data?, array|table|nil): array

= generator | ma.random.default_rng(1) | A generator of random numbers; its draws are methods.
:get_state() -> table | Its state, to be stored.
:set_state(state: table) -> generator | Goes on from a state that get_state gave.
:seed(seed?: integer|integer[]|array) -> generator | Begins anew.
:jumped(jumps?: integer) -> generator | The generator so many streams further; this one stays as it is.
:spawn(n: integer) -> generator[] | n generators whose numbers are independent.

= poly1d | ma.poly1d({1, 2, 3}) | A polynomial: p(x) is its value, p[k] the coefficient of x^k.
. coeffs: array | from the highest power down
. coef: array | the same
. coefficients: array | the same
. c: array | the same
. order: integer | the highest power
. o: integer | the same
. roots: array | where it is 0
. r: array | the same
. variable: string | what it prints for x
. [integer]: number
:deriv(m?: integer) -> poly1d | The m-th derivative, 1 unless it is said.
:integ(m?: integer, k?: data) -> poly1d | The m-th integral, with constants k.
:get() -> poly1d | A copy on the CPU.
:set(other: poly1d) -> poly1d | Takes the coefficients of another one.
+ add(poly1d|data): poly1d
+ sub(poly1d|data): poly1d
+ mul(poly1d|data): poly1d
+ div(poly1d|data): poly1d
+ mod(poly1d|data): poly1d
+ pow(integer): poly1d
+ unm: poly1d
+ call(data): array

= series | ma.polynomial.Chebyshev({1, 2, 3}) | A series of polynomials: p(x) is its value.
. coef: array | from the lowest degree up
. domain: number[] | what is mapped to window
. window: number[] | where the polynomials live
. symbol: string | what it prints for x
. basis_name: string | the polynomials' letter
:degree() -> integer | The highest degree.
:deriv(m?: integer) -> series | The m-th derivative, 1 unless it is said.
:integ(m?: integer, k?: data, lbnd?: number) -> series | The m-th integral from lbnd, with constants k.
:roots() -> array | Where it is 0.
:linspace(n?: integer, domain?: number[]) -> array, array | n points over the domain, and the values there.
:trim(tol?: number) -> series | Without the last coefficients that are at most tol.
:truncate(size: integer) -> series | The first coefficients.
:cutdeg(deg: integer) -> series | The coefficients to that degree.
:convert(kind?: any, domain?: number[], window?: number[]) -> series | As another kind.
:divmod(other: any) -> series, series | The quotient and the remainder.
:mapparms() -> number, number | Offset and scale of the domain's way to the window.
:copy() -> series | A copy.
:has_samecoef(other: series) -> boolean | Whether the coefficients are the same.
:has_samedomain(other: series) -> boolean | Whether the domains are the same.
:has_samewindow(other: series) -> boolean | Whether the windows are the same.
:has_sametype(other: any) -> boolean | Whether the other one is of this kind.
+ add(any): series
+ sub(any): series
+ mul(any): series
+ div(any): series
+ mod(any): series
+ pow(integer): series
+ unm: series
+ call(data): array

= piecewise | ma.interpolate.PPoly({{1}, {0}}, {0, 1}) | A piecewise polynomial, called with positions.
. c: array | the coefficients, from the highest power down
. x: array | the breakpoints
. axis: integer | the axis of the values
. extrapolate: boolean|string | what it is outside of the breakpoints
:derivative(nu?: integer) -> piecewise | The derivative of order nu, 1 unless it is said.
:antiderivative(nu?: integer) -> piecewise | The integral of order nu, 1 unless it is said.
:integrate(a: number, b: number, extrapolate?: boolean|string) -> array | The integral from a to b.
:solve(y?: number, discontinuity?: boolean, extrapolate?: boolean|string) -> array | Where it is y.
:roots(discontinuity?: boolean, extrapolate?: boolean|string) -> array | Where it is 0.
:extend(c: data, x: data) -> piecewise | With further pieces.
+ call(data, integer?, boolean|string|nil): array

= bernstein | ma.interpolate.BPoly({{1}, {0}}, {0, 1}) | A piecewise polynomial in Bernstein's basis.
. c: array | the coefficients
. x: array | the breakpoints
. axis: integer | the axis of the values
. extrapolate: boolean|string | what it is outside of the breakpoints
:derivative(nu?: integer) -> bernstein | The derivative of order nu, 1 unless it is said.
:antiderivative(nu?: integer) -> bernstein | The integral of order nu, 1 unless it is said.
:integrate(a: number, b: number, extrapolate?: boolean|string) -> array | The integral from a to b.
:to_ppoly() -> piecewise | The same in powers.
:extend(c: data, x: data) -> bernstein | With further pieces.
+ call(data, integer?, boolean|string|nil): array

= spline | ma.interpolate.BSpline({0, 1, 2, 3}, {1, 2}, 1) | A spline of basis functions, called with positions.
. t: array | the knots
. c: array | the coefficients
. k: integer | the degree
. axis: integer | the axis of the values
. extrapolate: boolean|string | what it is outside of the knots
:derivative(nu?: integer) -> spline | The derivative of order nu, 1 unless it is said.
:antiderivative(nu?: integer) -> spline | The integral of order nu, 1 unless it is said.
:integrate(a: number, b: number, extrapolate?: boolean|string) -> array | The integral from a to b.
+ call(data, integer?, boolean|string|nil): array

= univariate_spline | ma.interpolate.UnivariateSpline({0, 1, 2, 3, 4}, {0, 1, 4, 9, 16}) | A spline through points.
. ext: any | what it is outside of the points
. x: array | the points
. y: array | the values
:get_coeffs() -> array | The coefficients.
:get_knots() -> array | The knots.
:get_residual() -> array | The sum of the squares of what it misses.
:integral(a: number, b: number) -> array | The integral from a to b.
:derivatives(x: number) -> array | All derivatives at x.
:derivative(n?: integer) -> univariate_spline | The derivative of order n, 1 unless it is said.
:antiderivative(n?: integer) -> univariate_spline | The integral of order n, 1 unless it is said.
:roots() -> array | Where it is 0.
:set_smoothing_factor(s: number) | Fits it anew.
+ call(data, integer?, any): array

= interpolator | ma.interpolate.interp1d({0, 1, 2}, {0, 1, 4}) | A function through points, called with positions.
+ call(data, any, any): array

= polynomial_interpolator | ma.interpolate.KroghInterpolator({0, 1, 2}, {0, 1, 4}) | A polynomial through points.
. xi: array | the points
. axis: integer | the axis of the values
:derivative(x: data, der?: integer) -> array | The derivative of order der, 1 unless it is said.
:derivatives(x: data, der?: integer) -> array | The first der derivatives, all of them unless it is said.
+ call(data): array

= barycentric | ma.interpolate.BarycentricInterpolator({0, 1, 2}, {0, 1, 4}) | A polynomial through points.
. xi: array | the points
. wi: array | the weights
. axis: integer | the axis of the values
:set_yi(yi: data, axis?: integer) | Takes other values.
:add_xi(xi: data, yi?: data) | Takes further points.
:derivative(x: data, der?: integer) -> array | The derivative of order der, 1 unless it is said.
:derivatives(x: data, der?: integer) -> array | The first der derivatives, all of them unless it is said.
+ call(data): array

= system | ma.signal.lti({1}, {1, 1}) | A linear system.
. dt: number|false | the step of a discrete system
. kind: string | "TransferFunction", "ZerosPolesGain" or "StateSpace"
. zeros: array | of the transfer function
. poles: array | of the transfer function
. gain: number | of the transfer function
. num: array | of a TransferFunction
. den: array | of a TransferFunction
:to_tf() -> system | As a TransferFunction.
:to_zpk() -> system | As a ZerosPolesGain.
:to_ss() -> system | As a StateSpace.
:to_discrete(dt: number, method?: string, alpha?: number) -> system | Sampled with steps of dt.
:impulse(...: any) -> any ... | As signal.impulse or dimpulse.
:step(...: any) -> any ... | As signal.step or dstep.
:freqresp(w?: data, n?: integer) -> array, array | As signal.freqresp or dfreqresp.
:bode(w?: data, n?: integer) -> array, array, array | As signal.bode or dbode.
:output(u: data, t: data, x0?: data) -> array, array, array | As signal.lsim or dlsim.

= kdtree | ma.spatial.KDTree({{0, 0}, {1, 1}}) | A tree of points that finds neighbours.
. data: array | the points
. n: integer | how many points there are
. m: integer | their coordinates
. dtype: dtype | of the points
. device: string | where they are
. mins: array | the least of each coordinate
. maxes: array | the greatest of each coordinate
:query(x: data, k?: integer|integer[], eps?: number, p?: number, bound?: number) -> array, array | The k nearest.
:query_ball_point(x: data, r: data, p?: number, options?: table) -> array|array[] | The neighbours within r.
:query_ball_tree(other: kdtree, r: number, p?: number) -> array[] | The same for each point, in another tree.
:query_pairs(r: number, p?: number) -> array | All pairs within r.
:count_neighbors(other: kdtree, r: data, p?: number) -> array | How many pairs of two trees are within r.

= delaunay | ma.spatial.Delaunay({{0, 0}, {1, 0}, {0, 1}}) | A triangulation of points in the plane.
. points: array | the points
. simplices: array | three points for each triangle, counterclockwise
. neighbors: array | the triangle opposite to each of them, 0 beyond the hull
. convex_hull: array | the edges of the hull
. vertex_neighbor_vertices: table | {indptr, indices}
. coplanar: array | points that equal another one, a triangle, and that one
:find_simplex(xi: data) -> array | The triangle of each point, or 0.

= gaussian_kde | ma.stats.gaussian_kde({1, 2, 3}) | A density from points, called with points.
. dataset: array | the points
. d: integer | their dimensions
. n: integer | how many there are
. neff: number | how many they count for, with weights
. factor: number | of the covariance
. weights: array | of the points
. covariance: array | of the Gaussians
. inv_cov: array | its inverse
:evaluate(points: data) -> array | The density at points.
:pdf(points: data) -> array | The same.
:logpdf(points: data) -> array | Its logarithm.
:integrate_gaussian(mean: data, cov: data) -> array | The integral of its product with a Gaussian.
:integrate_kde(other: gaussian_kde) -> array | The integral of its product with another one.
:resample(size?: integer, seed?: any) -> array | Points drawn from it.
:set_bandwidth(method?: number|string|function) | Takes another bandwidth.
:scotts_factor() -> number | Scott's factor.
:silverman_factor() -> number | Silverman's factor.
+ call(data): array

= plan | ma.fft.get_fft_plan(ma.ones(4)) | A plan of Fourier transforms.
. shape: integer[] | of the arrays
. axes: integer[] | that are transformed
. dtype: dtype | of the arrays
. device: string | where they are
. value_type: string | "C2C", "R2C" or "C2R"
:free() | Lets go of the plan.

= memory_hook | ma.cuda.MemoryHook {} | Functions that are told what memory pools do.
. name: string | its name
:install() -> memory_hook | Begins to listen.
:remove() -> memory_hook | Ends it.
:flush() | Tells what happened until now.
:with(fn: function, ...: any) -> any ... | Listens while fn(...) runs.

= gl_resource | - | A buffer or an image of OpenGL.
. id: integer | OpenGL's name
. device: string | the GPU
. mapped: boolean | whether CUDA has it
. registered: boolean | whether it is registered
:map(shape?: integer|integer[], dtype?: dtype, fn?: function) -> array | An array over its memory until unmap.
:unmap() | Gives it back to OpenGL.
:unregister() | Ends it.
:read(layer?: integer, level?: integer) -> array | A copy of an image.
:write(array: array, layer?: integer, level?: integer) | Writes an image.

= channel_format | ma.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, "float") | The format of texels.
. channels: integer | how many there are
. dtype: dtype | of a channel
:get_channel_format() -> table | The bits of x, y, z and w, and the kind f.

= cuda_array | ma.cuda.texture.CUDAarray(ma.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3) | A CUDA array of texels.
. width: integer | texels
. height: integer | rows; 0 with one axis
. depth: integer | layers; 0 with one or two axes
. desc: channel_format | the format of its texels
. ndim: integer | the axes
. shape: integer[] | of the texels
. device: string | the GPU
. ptr: integer | the driver's handle
:copy_from(array: array, stream?: stream) | Takes the elements of an array.
:copy_to(array: array, stream?: stream) | Gives its texels to an array.
:free() | Gives its memory back.

= resource | - | What a texture reads.
= sampler | ma.cuda.texture.TextureDescriptor() | How a texture is read.

= texture | - | A texture or surface object.
. ptr: integer | the driver's handle
. device: string | the GPU
:free() | Ends it.

= sparse_matrix | ma.sparse.csr_matrix({{1, 0}, {0, 2}}) | A matrix of which the entries other than zero are kept.
. data: array | the entries
. indices: array | of csr and csc: the column or row of each entry, from 1
. indptr: array | of csr and csc: where each row or column begins in the two
. shape: integer[] | rows and columns
. nnz: integer | how many entries are kept
. dtype: dtype | of the entries
. format: string | "csr", "csc", "coo", "dia" or "bsr"
. device: string | where the arrays are
. T: sparse_matrix | the transpose
@ sparse.Matrix.

= sharded_array | - | An array whose parts along one axis several processes have.
. part: array | the elements of this rank
. axis: integer | the axis that is divided
. halo: integer | positions that padded() adds on each side
. sizes: integer[] | the extents of all ranks' parts along it
. first: integer | where the part begins in the whole
. last: integer | where it ends
. group: distributed_group | the ranks
. shape: integer[] | of the whole
. ndim: integer | the axes
. size: integer | the elements of the whole
. dtype: dtype | of the elements
. device: string | where the part is
@ distributed.Array.

= sharded_stencil | ma.distributed.stencil(function(u) return u(1) - u(0) end) | A stencil of sharded arrays.
:run(...: any) -> sharded_array ... | Runs it several times: fields, then { steps = n }.
+ call(...): sharded_array

= distributed_group | ma.distributed.init() | Ranks that call together. Its methods are the calls of ma.distributed.
. rank: integer | the number of this process in it, from 0
. size: integer | how many ranks it has
. ranks: integer[] | their numbers in the world
:all_reduce(x: data, op?: string, options?: table) -> array | ma.distributed.all_reduce among its ranks.
:reduce(x: data, dst?: integer, op?: string, options?: table) -> array? | ma.distributed.reduce among its ranks.
:reduce_scatter(x: data, op?: string, options?: table) -> array | ma.distributed.reduce_scatter among its ranks.
:broadcast(x: data, src?: integer, options?: table) -> array | ma.distributed.broadcast among its ranks.
:all_gather(x: data, options?: table) -> array | ma.distributed.all_gather among its ranks.
:gather(x: data, dst?: integer, options?: table) -> array? | ma.distributed.gather among its ranks.
:scatter(x?: data, src?: integer, options?: table) -> array | ma.distributed.scatter among its ranks.
:all_to_all(x: data, options?: table) -> array | ma.distributed.all_to_all among its ranks.
:send(x: data, dst: integer, options?: table) | ma.distributed.send within it.
:recv(out: array, src: integer, options?: table) -> array | ma.distributed.recv within it.
:sendrecv(x?: data, dst?: integer, out?: array, src?: integer, options?: table) -> array? | Both at once.
:barrier(options?: table) | Returns when all its ranks have called it.
:split(color?: integer, key?: integer, options?: table) -> distributed_group? | ma.distributed.split of its ranks.
:new_group(ranks: integer[], options?: table) -> distributed_group? | A group of some of its ranks.
:close(options?: table) | ma.distributed.close: the group is not needed any more.

= distributed_work | ma.distributed.init():barrier({async_op = true}) | A call that goes on in the background.
:wait() -> any | Waits until it is done, and gives its result.
:is_completed() -> boolean | Whether it is done.

= figure | ma.plot.figure() | A figure, whose methods draw.
@ plot.Figure.

= axes | ma.plot.figure():subplot(1, 1, 1) | Axes of a figure, whose methods draw.
@ plot.Axes.

= animation | - | Frames on their way to a file.
@ image.Animation.

= picture | - | An Image of LÖVE that shows an array.
. image: userdata | the Image
. data: userdata | its ImageData
. pixels: array | a view of that
:update(a: data) -> picture | Shows another array of the same shape.
:draw(x?: number, y?: number, r?: number, sx?: number, sy?: number) | love.graphics.draw of the Image.

= vertices | - | The vertices of a Mesh of LÖVE, an array for each attribute under its name.
. mesh: userdata | the Mesh
. data: userdata | the ByteData in which the arrays lie
. [string]: array
:upload() -> vertices | Gives them back to the Mesh.

= capsule | ma.ones(2):to_dlpack() | An array for another library, by DLPack.
:ptr() -> integer | The address of the DLManagedTensor.
:release() -> integer | The same, and gives it away: who takes it frees it.

= progress | ma.progress(10) | A line that shows how far a loop is.
. n: integer | passes in all
. done: integer | passes done
:step(k?: integer) -> progress | Counts k more passes, 1 unless it is said.
:close() -> progress | Removes the line.
+ call(any, integer?): integer

= benchmark | ma.profiler.benchmark(function() end, {}, 1, 0) | What profiler.benchmark measured, in seconds.
. name: string | of the function
. cpu_times: number[] | of each call on the CPU
. gpu_times: number[][] | a list for each device
. devices: integer[] | the GPUs that were measured
]]
