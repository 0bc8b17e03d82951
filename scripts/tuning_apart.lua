-- Numbers that are called like ones that were tuned, and are none: by path, their names or all that the file has, and
-- why. scripts/tuning.lua reads it.

local shape = "the code is written for it: another value wants another text"
local sums = "it decides in which order sums are added up, so results depend on it"
local memory = "the extent of a table or of memory on the stack: it may be any that suffices"
local limit = "a limit or a part of a format"

return {
  ["kernels/ndimage/spline.cuh"] = { CHUNK = shape },
  ["kernels/ndimage/transform.cuh"] = { AHEAD = shape },
  ["kernels/reduce/reduce.h"] = { RED_CHUNK = sums },
  ["kernels/reduce/scan_stream.cuh"] = { CHUNK = shape },
  ["kernels/sort/interp.cuh"] = { NEAR = shape },
  ["kernels/sparse/csr_look.cuh"] = { PIECE = shape },
  ["kernels/special/betainc.h"] = { MA_SP_BETA_LARGE = "from here on another series converges" },
  ["src/backend/linalg.h"] = { MA_LINALG_SMALL = memory },
  ["src/bind/array/join.c"] = { FEW = memory },
  ["src/bind/array/table.c"] = { FEW = memory },
  ["src/bind/bind.h"] = { MA_NEAR_FRAMES = memory },
  ["src/bind/lua/collect.c"] = "a model of what a collection costs, whose numbers hold together",
  ["src/bind/lua/signature.c"] = { CHUNK = memory },
  ["src/bind/ops/sparse.c"] = { PIECE = limit },
  ["src/compile/body.c"] = { CHUNK = memory },
  ["src/cpu/kernel/body.c"] = { CHUNK = memory },
  ["src/cpu/kernel/together.h"] = { MA_CPU_MOST_TOGETHER = limit },
  ["src/cuda/driver/timeline.c"] = { FAR = "behind it a float tells no microseconds apart" },
  ["src/cpu/library/gemv.c"] = { DOT_PIECE = sums },
  ["src/cpu/map/loops.h"] = { MA_NCAST_FROM = limit },
  ["src/cpu/map/map.c"] = { TILE0 = shape, TILE1 = shape, TILE_BYTES = memory },
  ["src/cpu/map/small.c"] = { NDIM = shape, APART = memory, ARENA = memory },
  ["src/cpu/map/strided.c"] = { SLOW_PAGE = "what the processor does", SLOW_BEHIND = "what the processor does" },
  ["src/cpu/ndimage/groups.c"] = { CHUNK = sums },
  ["src/cpu/sort/top.c"] = { PIECE = shape },
  ["src/cpu/sparse/product.c"] = { SHORT = sums },
  ["src/cpu/signal/taps.c"] = { PIECE = sums },
  ["src/cuda/kernels/reduce.c"] = { MOST_TOGETHER = shape },
  ["src/cuda/kernels/sort.c"] = { BIG_FROM = limit },
  ["src/cuda/ndimage/spline.c"] = { PIECE = sums },
  ["src/cuda/rows/columns.c"] = { SHORT = shape, SHORT_THREADS = shape },
  ["src/cuda/sparse/multiply.c"] = { PIECE = "memory that a product of two may take at a time" },
  ["src/cuda/sparse/extreme.c"] = { SHORT = shape },
  ["src/cuda/sparse/product.c"] = { SHORT = sums, WIDE_SHORT = sums },
  ["src/cuda/sparse/solve.c"] = { SHORT = sums },
  ["src/cuda/sparse/sparse.h"] = { MA_CSR_CHUNK = sums },
  ["src/distributed/store.c"] = { TURN = "a protocol between processes", PIECE = "a protocol between processes" },
  ["src/ops/fields/locate.c"] = { BATCH = "a point on an edge is in the triangle from which the walk came" },
  ["src/memory/pool.h"] = { MA_POOL_SMALL = limit },
  ["src/ops/pick.c"] = { MOST_TERMS = limit },
  ["src/ops/random.c"] = { FEW = "it decides in which order elements come" },
}
