--- Examples of moonarray.jit, for ma.help and the reference (help/arrays.lua says how they are written). Names that
--- only a kernel can use share one.
return [[
jit.rawkernel jit.grid jit.gridsize jit.range: local jit = ma.jit
  local fill = jit.rawkernel(function(x)
    for i = jit.grid(1), #x, jit.gridsize(1) do
      for k in jit.range(2) do x[i] = x[i] + i * k end
    end
  end)
  local x = ma.zeros(5)
  fill({1}, {2}, {x})
  return x
jit.elementwisekernel jit.device: local cube = ma.jit.device(function(x) return x * x * x end)
  return ma.jit.elementwisekernel(function(x, y) return cube(x) + y end)(ma.array {1, 2}, 3)
jit.reductionkernel: local total = ma.jit.reductionkernel {reduce = function(a, b) return a + b end}
  return total(ma.array {1, 2, 3})
jit.shared_memory jit.syncthreads jit.threadfence jit.laneid jit.syncwarp: local jit = ma.jit
  local reverse = jit.rawkernel(function(x)
    local s = jit.shared_memory("float64", 4)
    local t = jit.laneid() + 1
    s[t] = x[t]
    jit.syncwarp()
    jit.syncthreads()
    x[t] = s[5 - t]
    jit.threadfence()
  end)
  local x = ma.array {1, 2, 3, 4}
  reverse({1}, {4}, {x})
  return x
jit.atomic_add jit.atomic_sub jit.atomic_max jit.atomic_min jit.atomic_exch jit.atomic_cas \
jit.atomic_and jit.atomic_or jit.atomic_xor jit.atomic_inc jit.atomic_dec: local jit = ma.jit
  local count = jit.rawkernel(function(x, out)
    local v = x[jit.grid(1)]
    jit.atomic_add(out, 1, v)
    jit.atomic_sub(out, 2, v)
    jit.atomic_max(out, 3, v)
    jit.atomic_min(out, 4, v)
    jit.atomic_exch(out, 5, 7)
    jit.atomic_cas(out, 6, 4, 9)
    jit.atomic_and(out, 7, 6)
    jit.atomic_or(out, 8, 1)
    jit.atomic_xor(out, 9, v)
    jit.atomic_inc(out, 10, 5)
    jit.atomic_dec(out, 11, 5)
  end)
  local out = ma.full(11, 4, "uint32")
  count({1}, {3}, {ma.array({1, 2, 3}, "uint32"), out})
  return out
jit.shfl_sync jit.shfl_up_sync jit.shfl_down_sync jit.shfl_xor_sync: local jit = ma.jit
  local lanes = jit.rawkernel(function(out)
    local v = jit.threadIdx.x
    local first = jit.shfl_sync(0xffffffff, v + 5, 0)
    local before, after = jit.shfl_up_sync(0xffffffff, v, 1), jit.shfl_down_sync(0xffffffff, v, 1)
    local other = jit.shfl_xor_sync(0xffffffff, v, 1)
    if v == 2 then out[1], out[2], out[3], out[4] = first, before, after, other end
  end)
  local out = ma.zeros(4, "int32")
  lanes({1}, {32}, {out})
  return out
jit.cg.this_thread_block jit.cg.tiled_partition jit.cg.reduce jit.cg.sync \
jit.cub.Sum jit.cub.Max jit.cub.Min jit.cub.BlockReduce jit.cub.BlockScan jit.cub.WarpReduce: local cg, cub = ma.jit.cg, ma.jit.cub
  local rows = ma.jit.rawkernel(function(x, out)
    local tile = cg.tiled_partition(cg.this_thread_block(), 4)
    local v = x[tile:thread_rank() + 1]
    local sum, most, least = cg.reduce(tile, v, cub.Sum), cg.reduce(tile, v, cub.Max), cg.reduce(tile, v, cub.Min)
    cg.sync(tile)
    local all = cub.BlockReduce("float64"):Sum(v) + cub.WarpReduce("float64"):Sum(v)
    local before = cub.BlockScan("float64"):ExclusiveSum(v)
    if tile:thread_rank() == 0 then out[1], out[2], out[3], out[4], out[5] = sum, most, least, all, before end
  end)
  local out = ma.zeros(5)
  rows({1}, {4}, {ma.array {1, 2, 3, 4}, out})
  return out
jit.cg.this_grid jit.cg.memcpy_async jit.cg.wait jit.cg.wait_prior: local cg = ma.jit.cg
  local reverse = ma.jit.rawkernel(function(x, y)
    local block, s = cg.this_thread_block(), ma.jit.shared_memory("float64", 4)
    cg.memcpy_async(block, s, 1, x, 1, 4)
    cg.wait_prior(block, 0)
    cg.wait(block)
    cg.this_grid():sync()
    y[ma.jit.grid(1)] = s[5 - ma.jit.grid(1)]
  end)
  local y = ma.zeros(4)
  reverse({1}, {4}, {ma.array {1, 2, 3, 4}, y})
  return y
jit.tex1D jit.tex1Dfetch jit.tex2D jit.tex3D: local jit, T = ma.jit, ma.cuda.texture
  local format = T.ChannelFormatDescriptor(32, 0, 0, 0, "float")
  local function texture(a, ...)
    local image = T.CUDAarray(format, ...)
    image:copy_from(a)
    return T.TextureObject(T.ResourceDescriptor("array", image), T.TextureDescriptor("clamp", "linear"))
  end
  local line = ma.arange(8, "float32")
  local t, u, v = texture(line, 8), texture(line:reshape(2, 4), 4, 2), texture(line:reshape(2, 2, 2), 2, 2, 2)
  local w = T.TextureObject(T.ResourceDescriptor("linear", nil, line, format), T.TextureDescriptor())
  local read = jit.rawkernel(function(t, u, v, w, out)
    out[1], out[2] = jit.tex1D(t, 1), jit.tex2D(u, 1, 1)
    out[3], out[4] = jit.tex3D(v, 1, 1, 1), jit.tex1Dfetch(w, 3)
  end)
  local out = ma.zeros(4, "float32")
  read({1}, {1}, {t, u, v, w, out})
  return out
]]
