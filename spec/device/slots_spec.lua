-- Every slot of the CPU's table that does work says so under MOONARRAY_DEBUG=2. The slots are read from
-- src/backend/slots.def, so that a new one which no call here reaches fails.

local read = require("spec.file").read

--- The slots of the CPU that are given a stream, as "group.slot" in a list, and all of the CPU as a set.
local function slots_of_cpu()
  local list, set, pattern = {}, {}, "\nSLOT%((%w+), (%u+), [%w_ *]-, ([%w_]+),%s+%(([%w_ *]*)"
  for group, who, name, first in read("src/backend/slots.def"):gmatch(pattern) do
    if who ~= "DEVICE" then
      local slot = group .. "." .. name
      set[slot] = true
      if first:find("^ma_stream %*stream") then list[#list + 1] = slot end
    end
  end
  return list, set
end

--- Those that ask for nothing to be computed or moved.
local IDLE = {}
for name in ([[stream.synchronize stream.done stream.wait stream.end stream.look event.record event.wait fault.take
  fault.set_function graph.begin graph.end graph.launch gl.map gl.unmap]]):gmatch("%S+") do IDLE[name] = true end

--- Calls by slot, and the names of the lines that each must print.
local CALLS = {
  ["map.run"] = { "ma.exp(big):eval()", "exp" },
  ["map.run "] = { "ma.full({ 3, 4 }, 2)", "fill" },
  ["map.run  "] = { 'ma.ElementwiseKernel("T x", "T y", "y = x + 1", "my_map")(big)', "my_map" },
  ["map.run   "] = { "(few + few):eval()", "add" },
  ["map.sequence"] = { "ma.arange(2000)", "sequence" },
  ["stencil.run"] = { "ma.stencil(function(u) return u(1) end)(big)", "stencil" },
  ["reduce.run"] = { "big:max():item()", "max" },
  ["reduce.run "] = { 'ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "my_reduce")(big)',
    "my_reduce" },
  ["reduce.run  "] = { "few:sum():item()", "sum" },
  ["reduce.row_program"] = { "ma.eval((function(a) return a:min(), a:max() end)(ma.zeros(70000)))", "row program" },
  ["reduce.merge"] = { 'core.reduce_merge("", "sum", false, core.reduce_part("", "sum", false, big, 1, true), ' ..
    '"float64", nil, big.size)', "merge parts" },
  ["reduce.scan"] = { "ma.cumsum(big)", "cumsum" },
  ["reduce.scan "] = { "ma.cumprod(big)", "cumprod" },
  ["index.gather"] = { "big[ma.index { 3, 1, 2 }]", "gather" },
  ["index.scatter"] = { "big:copy()[ma.index { 3, 1 }] = 5", "scatter" },
  ["index.nonzero"] = { "ma.nonzero(big)", "nonzero" },
  ["index.select"] = { "big[big:gt(0)]", "select" },
  ["index.join"] = { "ma.concatenate({ big, big })", "join" },
  ["random.draw"] = { "ma.random.default_rng(1):random(100)", "uniform" },
  ["random.draw "] = { "ma.random.default_rng(1):standard_normal(100)", "normal" },
  ["random.draw  "] = { "ma.random.default_rng(1):integers(1, 7, { 100 })", "integers" },
  ["module.launch"] = { 'ma.RawKernel([[extern "C" __global__ void my_kernel(double *x) { x[threadIdx.x] = 1; }]], ' ..
    '"my_kernel")({ 1 }, { 4 }, { few })', "my_kernel" },
  ["memory.copy"] = { "ma.max(big):item()", "copy bytes" },
  ["stream.nothing"] = { "core.launch_nothing(1)", "nothing" },
  ["sort.sort"] = { "ma.sort(big)", "sort" },
  ["sort.top"] = { "ma.topk(big, 3)", "top" },
  ["sort.member"] = { "ma.isin(big, ma.arange(20))", "member" },
  ["sort.search"] = { "ma.searchsorted(big, few)", "search" },
  ["sort.histogram"] = { "ma.histogram(big, 5)", "histogram" },
  ["sort.tally"] = { "ma.bincount(ma.array({ 1, 2, 1 }, 'int64'))", "tally" },
  ["sort.interp"] = { "ma.interp(big, { 1, 2 }, { 3, 4 })", "interp" },
  ["sort.extremes"] = { "ma.histogram(big, 5)", "extremes" },
  ["sort.spread"] = { "ma.histogram(big, 5)", "spread" },
  ["sort.changes"] = { "ma.unique(big)", "changes" },
  ["spatial.pairs"] = { "ma.spatial.distance.cdist(square, square)", "pairs" },
  ["morphology.binary"] = { "ma.ndimage.binary_erosion(square)", "binary_dilation" },
  ["morphology.label"] = { "ma.ndimage.label(square)", "label" },
  ["morphology.flood"] = { "ma.ndimage.binary_fill_holes(square)", "flood" },
  ["morphology.boxes"] = { "ma.ndimage.find_objects(square:astype('int32'))", "boxes" },
  ["morphology.groups"] = { "ma.ndimage.sum_labels(square, square:astype('int32'), { 1, 2 })", "groups" },
  ["morphology.distance"] = { "ma.ndimage.distance_transform_edt(square)", "distance" },
  ["spatial.nearest"] = { "ma.spatial.KDTree(square):query(square)", "nearest" },
  ["spatial.within"] = { "ma.spatial.KDTree(square):query_ball_point(square, 1)", "within" },
  ["sparse.product"] = { "core.sparse_product('', csr, one)", "sparse product" },
  ["sparse.multiply"] = { "core.sparse_multiply('', csr, csr1)", "sparse multiply" },
  ["sparse.order"] = { "core.sparse_order('', csr)", "sparse order" },
  ["sparse.expand"] = { "core.sparse_expand('', csr)", "sparse expand" },
  ["sparse.transpose"] = { "core.sparse_transpose('', csr)", "sparse transpose" },
  ["sparse.diagonal"] = { "core.sparse_diagonal('', csr, 0, 1)", "sparse diagonal" },
  ["sparse.combine"] = { "core.sparse_combine('', csr, csr, 'add')", "sparse combine" },
  ["sparse.make"] = { "core.sparse_make('', 'rows', csr, ones1)", "sparse rows" },
  ["sparse.make "] = { "core.sparse_make('', 'masked', csr, few4:gt(0))", "sparse select" },
  ["sparse.make  "] = { "core.sparse_make('', 'kron', csr, csr)", "sparse kron" },
  ["sparse.extreme"] = { "core.sparse_extreme('', csr, 'maximum', false)", "sparse extreme" },
  ["sparse.places"] = { "core.sparse_places('', csr, ones4, ones4)", "sparse places" },
  ["sparse.look"] = { "core.sparse_look('', csr)", "sparse look" },
  ["sparse.sampled"] = { "core.sparse_sampled('', ones4, ones4, few4:reshape(2, 2), few4:reshape(2, 2))",
    "sparse sampled" },
  ["sparse.triangle"] = { "core.sparse_triangle('', csr1, ma.ones(1), true, false)", "sparse triangle" },
  ["linalg.banded"] = { "core.linalg_banded('', ma.ones({ 8, 1 }), 0, ma.ones({ 8, 1 }))", "banded" },
  ["linalg.matmul"] = { "ma.matmul(square, square)", "matmul" },
  ["linalg.cholesky"] = { "ma.linalg.cholesky(square)", "cholesky" },
  ["linalg.solve"] = { "ma.linalg.solve(square, few4)", "solve" },
  ["linalg.lu"] = { "ma.linalg.lu_factor(square)", "lu" },
  ["linalg.lu_solve"] = { "ma.linalg.lu_solve({ ma.linalg.lu_factor(square) }, few4)", "lu_solve" },
  ["linalg.qr"] = { "ma.linalg.qr(square)", "qr" },
  ["linalg.qr_form"] = { "ma.linalg.qr(square)", "qr_form" },
  ["linalg.qr_apply"] = { "ma.linalg.lstsq(tall, ma.ones(8))", "qr_apply" },
  ["linalg.triangular_solve"] = { "ma.linalg.solve_triangular(square, few4)", "triangular_solve" },
  ["linalg.svd"] = { "ma.linalg.svd(square)", "svd" },
  ["linalg.eigh"] = { "ma.linalg.eigh(square)", "eigh" },
  ["linalg.eig"] = { "ma.linalg.eig(square)", "eig" },
  ["texture.copy"] = { 'ma.cuda.texture.CUDAarray(ma.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 8)' ..
    ':copy_from(ma.ones(8, "float32"))', "copy image" },
  ["signal.correlate"] = { "ma.signal.convolve(big, few, 'full', 'direct')", "correlate" },
  ["signal.upfirdn"] = { "ma.signal.upfirdn(few, big)", "upfirdn" },
  ["signal.recurrence"] = { "ma.signal.lfilter({ 1 }, { 1, 0.5 }, big)", "recurrence" },
  ["signal.peaks"] = { "ma.signal.peak_prominences(few, { 3 })", "prominences" },
  ["signal.peaks "] = { "ma.signal.peak_widths(few, { 3 })", "widths" },
  ["signal.maxima"] = { "ma.signal.find_peaks({ 0, 2, 1, 3, 0 })", "maxima" },
  ["signal.apart"] = { "ma.signal.find_peaks({ 0, 2, 1, 3, 0 }, { distance = 2 })", "apart" },
  ["interpolate.bspline"] = { "ma.interpolate.BSpline({ 0, 0, 1, 1 }, { 1, 2 }, 1)(few)", "splines" },
  ["interpolate.regular"] = {
    "ma.interpolate.interpn({ { 0, 1 }, { 0, 1 } }, ma.ones({ 2, 2 }), { { 0.5, 1 } })", "grid" },
  ["fft.run"] = { "ma.fft.fft(few)", "fft" },
  ["filter.window"] = { "ma.ndimage.median_filter(big, 3)", "window" },
  ["filter.line"] = { "ma.ndimage.uniform_filter(big, 3)", "line filter" },
  ["filter.spline"] = { "ma.ndimage.spline_filter(big)", "spline filter" },
  ["filter.transform"] = { "ma.ndimage.shift(big, 0.5)", "transform" },
}

local BEGIN = [[
local ma, core = require "moonarray", require "moonarray.core"
local big, few, few4 = ma.arange(20000, "float64"), ma.arange(1, 9, 1, "float64"), ma.ones({ 4, 1 })
local square, tall = ma.eye(4) * 3 + ma.ones({ 4, 4 }), ma.eye(8)[":, 1:4"]:copy()
local ends, ones4, ends1 = ma.arange(1, 6), ma.ones(4, "int64"), ma.arange(1, 3)
local ones1, one = ma.ones(1, "int64"), ma.ones(1)
few4 = few4:reshape(4)
local function matrix(rows, indptr, indices, data)
  return { format = "csr", rows = rows, columns = 1, indptr = indptr, indices = indices, data = data }
end
local csr, csr1 = matrix(4, ends, ones4, few4), matrix(1, ends1, ones1, one)
ma.eval(big, few, square, tall, ends, ones4, ends1, ones1, one, few4)
local function call(slot, fn)
  local ok, why = pcall(fn)
  io.stderr:write("== ", slot, ok and "" or " FAILED " .. tostring(why), "\n")
end
]]

--- What each slot's call printed, by slot.
local function lines()
  local script, log, parts = os.tmpname(), os.tmpname(), { BEGIN }
  for slot, call in pairs(CALLS) do
    parts[#parts + 1] = ("call(%q, function() %s end)\n"):format(slot,
      call[1]:gsub("^([%w(].*[%)%]])$", "local _ = %1"))
  end
  local file = assert(io.open(script, "w"))
  file:write(table.concat(parts))
  file:close()
  os.execute(("MOONARRAY_DEBUG=2 MOONARRAY_DEVICE=cpu '%s' '%s' 2>'%s'"):format(os.getenv("LUAJIT") or "luajit", script,
    log))
  local printed, pending_lines = {}, {}
  for line in read(log):gmatch("[^\r\n]+") do
    local slot = line:match("^== (.*)$")
    if slot then
      local name = slot:match("^(.-) FAILED") or slot
      printed[name] = { text = table.concat(pending_lines, "\n") .. "\n" .. slot, failed = slot:match(" FAILED (.*)$") }
      pending_lines = {}
    else
      pending_lines[#pending_lines + 1] = line
    end
  end
  os.remove(script)
  os.remove(log)
  return printed
end

describe("MOONARRAY_DEBUG=2 on the CPU", function()
  local printed = lines()

  it("has a call for each slot that is given a stream", function()
    local slots, is_filled = slots_of_cpu()
    assert(#slots >= 40, #slots .. " slots") -- a pattern that finds none would pass everything
    for _, name in ipairs(slots) do
      assert(IDLE[name] or CALLS[name], name .. " is a slot that no call here reaches")
    end
    for name in pairs(CALLS) do
      assert(is_filled[name:gsub(" +$", "")], name .. " is no slot that the CPU fills")
    end
  end)

  for slot, call in pairs(CALLS) do
    it("tells of " .. slot:gsub(" +$", "") .. ": " .. call[2], function()
      local seen = assert(printed[slot], "nothing was printed")
      if seen.failed and seen.failed:find("found;", 1, true) then return pending(seen.failed) end
      assert(not seen.failed, seen.text)
      local line = seen.text:match("moonarray: (" .. call[2] .. " +cpu +[%d.]+ ms[^\n]*)")
      assert(line, seen.text)
      if slot ~= "module.launch" and slot ~= "stream.nothing" then assert(line:find("GB/s", 1, true), line) end
    end)
  end
end)
