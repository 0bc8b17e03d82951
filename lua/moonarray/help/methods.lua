--- Examples of the methods of objects, for ma.help and the reference (help/arrays.lua says how they are written). The
--- object of help/classes.lua is there under its class's name.
return [[
stream:use: local before = ma.cuda.get_current_stream()
  stream:use()
  local now = ma.cuda.get_current_stream() == stream
  before:use()
  return now
stream:with: stream:with(function(n) return ma.ones(n) * 2 end, 3)
stream:synchronize: stream:with(function() return ma.ones(3) end)
  stream:synchronize()
  return stream.done
stream:record: local event = stream:record()
  event:synchronize()
  return event.done
stream:wait_event: stream:wait_event(ma.cuda.get_current_stream():record()) == stream
stream:wait_stream: stream:wait_stream(ma.cuda.get_current_stream()) == stream
stream:launch_host_func: local told
  stream:launch_host_func(function(arg) told = arg end, "the work is done")
  stream:synchronize()
  ma.cuda.poll()
  return told
stream:add_callback: local status
  stream:add_callback(function(_, code) status = code end)
  stream:synchronize()
  ma.cuda.poll()
  return status
stream:begin_capture stream:end_capture stream:is_capturing: local x = ma.ones(3)
  local graph = stream:with(function()
    stream:begin_capture()
    x:imul(2)
    print(stream:is_capturing())
    return stream:end_capture()
  end)
  graph:launch()
  return x
stream:close: stream:close()
  return tostring(stream):match("closed")
event:record: event:record(ma.cuda.get_current_stream()) == event
event:synchronize: event:record()
  event:synchronize()
  return event.done
event:close: event:record()
  event:close()
  return select(2, pcall(event.synchronize, event)):match("moonarray.*")
graph:launch: graph:launch()
graph:upload: graph:upload()
  return graph:launch()
graph:debug_dot_str: graph:debug_dot_str():match("^digraph")
graph:free: graph:free()
  return tostring(graph):match("freed")
device:use: device:use() == device
device:with: device:with(function() return ma.ones(2) + 1 end)
device:synchronize: local event = ma.Event():record()
  device:synchronize()
  return event.done
device:mem_info: local free, all = device:mem_info()
  return free <= all
device:description: type(device:description())
pool:used_bytes: local before, a = pool:used_bytes(), ma.ones(1000)
  return pool:used_bytes() - before >= a.nbytes
pool:free_bytes: pool:free_bytes() == pool:total_bytes() - pool:used_bytes()
pool:total_bytes: pool:total_bytes() >= pool:used_bytes()
pool:peak_bytes: pool:peak_bytes() >= pool:used_bytes()
pool:reset_peak: pool:reset_peak()
  return pool:peak_bytes() == pool:used_bytes()
pool:n_free_blocks: pool:n_free_blocks() >= 0
pool:free_all_blocks: local a = ma.ones(2 ^ 20)
  a:free()
  local before = pool:total_bytes()
  pool:free_all_blocks()
  return before - pool:total_bytes() >= 2 ^ 23
pool:get_limit: pool:get_limit()
pool:set_limit: pool:set_limit(2 ^ 32)
  local limit = pool:get_limit()
  pool:set_limit(0)
  return limit
pool:malloc: pool:malloc(16).dtype, pool:malloc(16).size
copy:get: copy:get()
flat:copy: flat:copy()
flat:each: local sum = 0
  for x in flat:each() do sum = sum + x end
  return sum
raw_kernel:compile: raw_kernel:compile().name
raw_module:get_function: raw_module:get_function("f").name
raw_module:get_global: local module = ma.RawModule("__device__ float table[3];")
  module:get_global("table", "float32", 3):fill(5)
  return module:get_global("table", "float32", 3)
raw_module:compile: raw_module:compile() == raw_module
fused:clear: fused(ma.ones(2))
  print(fused.traces)
  return fused:clear().traces
stencil_function:run: stencil_function:run(ma.array {1, 2, 4, 8}, {steps = 2})
jit_kernel:code_for: jit_kernel:code_for({ma.ones(3)}):match("__global__")
ufunc:reduce: ufunc.reduce({{1, 2}, {3, 4}}, 1)
ufunc:accumulate: ufunc.accumulate({1, 2, 3})
ufunc:reduceat: ufunc.reduceat({1, 2, 3, 4}, {1, 3})
ufunc:outer: ufunc.outer({1, 2}, {10, 20, 30})
ufunc:at: local a = ma.zeros(3)
  ufunc.at(a, ma.array({1, 1, 3}, "int64"), 1)
  return a
generator:get_state generator:set_state: local state, first = generator:get_state(), generator:random(3)
  generator:set_state(state)
  return ma.array_equal(generator:random(3), first)
generator:seed: local first = generator:random(3)
  generator:seed(1)
  return ma.array_equal(generator:random(3), first)
generator:jumped: ma.array_equal(generator:jumped():random(3), generator:jumped(2):random(3))
generator:spawn: #generator:spawn(4)
poly1d:deriv: poly1d:deriv()
poly1d:integ: poly1d:integ(1, {5})
poly1d:get: poly1d:get()
poly1d:set: poly1d:set(ma.poly1d {4, 5})
  return poly1d
series:degree: series:degree()
series:deriv: series:deriv()
series:integ: series:integ()
series:roots: ma.polynomial.Polynomial({6, -5, 1}):roots()
series:linspace: local x, y = series:linspace(3)
  return x, y
series:trim: ma.polynomial.Chebyshev({1, 2, 0, 0}):trim()
series:truncate: series:truncate(2)
series:cutdeg: series:cutdeg(1)
series:convert: series:convert(ma.polynomial.Polynomial)
series:divmod: local quotient, remainder = series:divmod(ma.polynomial.Chebyshev {0, 1})
  return quotient, remainder
series:mapparms: ma.polynomial.Chebyshev({1, 2}, {0, 1}):mapparms()
series:copy: series:copy()
series:has_samecoef: series:has_samecoef(series:copy())
series:has_samedomain: series:has_samedomain(ma.polynomial.Chebyshev({1}, {0, 1}))
series:has_samewindow: series:has_samewindow(ma.polynomial.Chebyshev({1}, {0, 1}))
series:has_sametype: series:has_sametype(ma.polynomial.Polynomial {1})
piecewise:derivative: local p = ma.interpolate.PPoly({{3}, {2}, {1}}, {0, 1})
  return p:derivative()(1)
piecewise:antiderivative: piecewise:antiderivative()(1)
piecewise:integrate: piecewise:integrate(0, 1)
piecewise:solve: piecewise:solve(0.5)
piecewise:roots: local p = ma.interpolate.PPoly({{2}, {-1}}, {0, 1})
  return p:roots()
piecewise:extend: piecewise:extend({{0}, {1}}, {2})(1.5)
bernstein:derivative: bernstein:derivative()(0.5)
bernstein:antiderivative: bernstein:antiderivative()(1)
bernstein:integrate: bernstein:integrate(0, 1)
bernstein:to_ppoly: bernstein:to_ppoly().c
bernstein:extend: bernstein:extend({{0}, {1}}, {2})(1.5)
spline:derivative: spline:derivative()(1.5)
spline:antiderivative: spline:antiderivative()(2)
spline:integrate: spline:integrate(1, 2)
univariate_spline:get_coeffs: univariate_spline:get_coeffs().size
univariate_spline:get_knots: univariate_spline:get_knots()
univariate_spline:get_residual: ma.round(univariate_spline:get_residual(), 3)
univariate_spline:integral: ma.round(univariate_spline:integral(0, 4), 3)
univariate_spline:derivatives: ma.round(univariate_spline:derivatives(2), 3)
univariate_spline:derivative: ma.round(univariate_spline:derivative()(2), 3)
univariate_spline:antiderivative: ma.round(univariate_spline:antiderivative()(3), 3)
univariate_spline:roots: local s = ma.interpolate.UnivariateSpline({0, 1, 2, 3}, {-1, 0, 1, 2}, {s = 0})
  return ma.round(s:roots(), 3)
univariate_spline:set_smoothing_factor: univariate_spline:set_smoothing_factor(100)
  return univariate_spline:get_knots()
polynomial_interpolator:derivative: polynomial_interpolator:derivative(1)
polynomial_interpolator:derivatives: polynomial_interpolator:derivatives(1)
barycentric:set_yi: barycentric:set_yi {0, 2, 8}
  return barycentric(1.5)
barycentric:add_xi: barycentric:add_xi({3}, {9})
  return barycentric.xi
barycentric:derivative: ma.round(barycentric:derivative(1), 3)
barycentric:derivatives: barycentric:derivatives(1)
system:to_tf: system:to_tf().num, system:to_tf().den
system:to_zpk: system:to_zpk().poles
system:to_ss: system:to_ss().A
system:to_discrete: system:to_discrete(0.1).dt
system:impulse: local t, y = system:impulse {T = {0, 1, 2}}
  return t, y
system:step: local t, y = system:step {T = {0, 1, 2}}
  return t, y
system:freqresp: local w, h = system:freqresp {0, 1}
  return w, h
system:bode: local w, magnitude, phase = system:bode {0.1, 1, 10}
  return magnitude, phase
system:output: local t, y = system:output({1, 1, 1}, {0, 1, 2})
  return y
kdtree:query: local distance, at = kdtree:query {0.2, 0}
  return distance, at
kdtree:query_ball_point: kdtree:query_ball_point({0, 0}, 1)
kdtree:query_ball_tree: kdtree:query_ball_tree(kdtree, 2)[1]
kdtree:query_pairs: kdtree:query_pairs(2)
kdtree:count_neighbors: kdtree:count_neighbors(kdtree, {1, 2})
delaunay:find_simplex: delaunay:find_simplex {{0.2, 0.2}, {2, 2}}
gaussian_kde:evaluate: gaussian_kde:evaluate {2}
gaussian_kde:pdf: gaussian_kde:pdf {2}
gaussian_kde:logpdf: gaussian_kde:logpdf {2}
gaussian_kde:integrate_gaussian: gaussian_kde:integrate_gaussian({2}, {{1}})
gaussian_kde:integrate_kde: gaussian_kde:integrate_kde(gaussian_kde)
gaussian_kde:resample: gaussian_kde:resample(5, 1).shape
gaussian_kde:set_bandwidth: gaussian_kde:set_bandwidth(0.5)
  return gaussian_kde.factor
gaussian_kde:scotts_factor: gaussian_kde:scotts_factor()
gaussian_kde:silverman_factor: gaussian_kde:silverman_factor()
plan:free: plan:free()
  return select(2, pcall(ma.fft.fft, ma.ones(4), {plan = plan})):match("moonarray.*")
memory_hook:install memory_hook:remove memory_hook:flush: local bytes = 0
  local hook = ma.cuda.MemoryHook {malloc_postprocess = function(event) bytes = bytes + event.size end}
  hook:install()
  local a = ma.zeros(100)
  hook:flush()
  hook:remove()
  return bytes >= a.nbytes
memory_hook:with: memory_hook:with(function() return ma.zeros(2) end)
gl gl_resource:map gl_resource:unmap: local resource = ma.cuda.gl.register_buffer(buffer)
  resource:map({256, 256}, "float32"):fill(0)
  resource:unmap()
= It prints nothing: what the program draws of the buffer next is zeros.
gl gl_resource:unregister: local resource = ma.cuda.gl.register_buffer(buffer)
  resource:unregister()
  return resource.registered
> false
gl gl_resource:read gl_resource:write: local resource = ma.cuda.gl.register_image(texture)
  resource:write(resource:read())
= It prints nothing: the texture has the same texels again.
cuda_array:copy_from cuda_array:copy_to: cuda_array:copy_from(ma.array({1, 2, 3}, "float32"))
  local back = ma.zeros(3, "float32")
  cuda_array:copy_to(back)
  return back
cuda_array:free: cuda_array:free()
  local _, message = pcall(cuda_array.copy_from, cuda_array, ma.zeros(3, "float32"))
  return message:match("moonarray.*")
texture:free: local T = ma.cuda.texture
  local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3)
  local texture = T.TextureObject(T.ResourceDescriptor("array", image), T.TextureDescriptor())
  print(texture)
  texture:free()
love picture:update picture:draw: local picture = ma.love.picture(ma.zeros {64, 64})
  function love.draw() picture:update(ma.random.random {64, 64}):draw(10, 10) end
= It prints nothing: each frame shows other grey in the window.
love vertices:upload: local vertices = ma.love.vertices(mesh)
  vertices.VertexPosition:iadd(1)
  vertices:upload()
  return mesh:getVertexAttribute(1, 1)
> 1	1
channel_format:get_channel_format: channel_format:get_channel_format().x
capsule:ptr: type(capsule:ptr())
capsule:release: local form = "struct { uint32_t major, minor; void *context; void (*deleter)(void *); } *"
  local tensor = require("ffi").cast(form, capsule:release())
  local major = tensor.major
  tensor.deleter(tensor)
  return major
progress:step: progress:step(3).done
progress:close: progress:close().done
]]
