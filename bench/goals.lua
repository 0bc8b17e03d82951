--- What each measured key is held against. One row a key: { key, kind, factor, extra }
--
--   launch   factor x an empty launch of the same run (host.*)
--   ours     factor x our own figure for `extra`
--   us       at most `factor` microseconds
--   floor    factor x the time that `extra` float32 passes over the array take at the bandwidth of the best plain
--            read-and-write
--            kernel of the same run (dev.*: one pass reads or writes each element's four bytes once)
--   cupy     factor x CuPy's figure of the same run
--   best     factor x the best of the peers' figures of the same run; `extra`: their key, if it is another
--   context  a bare CUDA context plus `factor` seconds
--   numpy    at most NumPy's figure divided by `factor`, with the same number of threads allowed to both
--   scipy    at most SciPy's figure divided by `factor`; SciPy has one thread
local goals = {
  { "host.add", "launch", 1.15 },
  { "host.add_out", "launch", 1.1 },
  { "host.expr4", "launch", 1.5 },
  { "host.sum", "launch", 1.3 },
  { "host.sum_axis", "launch", 1.3 },
  { "host.fuse_expr4", "launch", 1.2 },
  { "host.elementwise_kernel", "launch", 1.3 },
  { "host.reduction_kernel", "launch", 1.5 },
  { "host.raw_kernel", "launch", 1.2 },
  { "host.graph10", "ours", 0.333, "host.launch10" },
  { "host.slice", "us", 0.3 },
  { "host.empty", "us", 0.25 },
  { "host.get_1k", "cupy", 0.9 },
  { "host.item_sum", "cupy", 0.6 },
  { "host.put_1k", "cupy", 0.5 },
  { "dev.copy", "floor", 1.03, 2 },
  { "dev.add", "floor", 1.04, 3 },
  { "dev.expr4", "floor", 1.06, 3 },
  { "dev.fuse_expr4", "floor", 1.04, 3 },
  { "dev.trig", "floor", 1.1, 3 },
  { "dev.exp", "floor", 1.05, 2 },
  { "dev.sum", "floor", 1.05, 1 },
  { "dev.mse", "floor", 1.06, 2 },
  { "dev.sum_axis1", "floor", 1.1, 1 },
  { "dev.sum_axis2", "floor", 1.05, 1 },
  { "dev.argmax", "floor", 1.1, 1 },
  { "dev.var_axis2", "floor", 1.06, 1 },
  { "dev.cumsum", "floor", 1.25, 2 },
  { "dev.transpose_copy", "floor", 1.1, 2 },
  { "dev.row_broadcast", "floor", 1.06, 2 },
  { "dev.astype_f64", "floor", 1.06, 3 },
  { "dev.mask", "floor", 1.5, 1.5 },
  { "dev.take", "cupy", 0.95 },
  { "dev.sort", "cupy", 0.85 },
  { "dev.argsort", "cupy", 0.85 },
  { "dev.unique", "cupy", 0.7 },
  { "dev.histogram", "floor", 2.3, 1 },
  { "dev.rand", "floor", 1.05, 1 },
  { "dev.randn", "floor", 1.6, 1 },
  { "dev.host_to_device_256MB", "cupy", 0.5 },
  { "dev.device_to_host_256MB", "cupy", 0.5 },
  { "dev.svd1000", "cupy", 0.3 },
  { "dev.svdvals1000", "cupy", 0.6 },
  { "dev.eigh2000", "best", 1 },
  { "dev.solve4096", "best", 1 },
  { "dev.cholesky4096", "best", 1 },
  { "dev.qr4096", "best", 1 },
  { "dev.inv4096", "best", 1 },
  { "dev.solve_batched", "best", 1 },
  { "host.matmul32", "launch", 2 },
  { "dev.matmul8192_f32", "cupy", 1 },
  { "dev.matmul8192_f64", "cupy", 1 },
  { "dev.matmul8192_f16", "cupy", 1 },
  { "dev.matmul8192_tf32", "ours", 1 / 6, "dev.matmul8192_f32" },
  { "dev.einsum_batched", "cupy", 1 },
  { "dev.fft_2e24", "cupy", 1 },
  { "dev.fft2_4096", "cupy", 1 },
  { "cold.warm_cache", "context", 0.08 },
  { "cold.empty_cache", "context", 0.3 },
  { "cpu.host.add", "numpy", 2 },
  { "cpu.host.expr4", "numpy", 2 },
  { "cpu.host.sum", "numpy", 2 },
  { "cpu.add", "numpy", 1.5 },
  { "cpu.expr4", "numpy", 3 },
  { "cpu.trig", "numpy", 3 },
  { "cpu.exp", "numpy", 1.5 },
  { "cpu.sum", "numpy", 1.5 },
  { "cpu.mse", "numpy", 3 },
  { "cpu.sum_axis1", "numpy", 1.5 },
  { "cpu.sum_axis2", "numpy", 1.5 },
  { "cpu.argmax", "numpy", 1.5 },
  { "cpu.cumsum", "numpy", 3 },
  { "cpu.transpose_copy", "numpy", 3 },
  { "cpu.row_broadcast", "numpy", 1.5 },
  { "cpu.mask", "numpy", 3 },
  { "cpu.sort", "numpy", 1 },
  { "cpu.svd500", "numpy", 1 },
  { "cpu.solve1000", "numpy", 1 },
  { "cpu.rand", "numpy", 1.5 },
  { "cpu.randn", "numpy", 3 },
  { "cpu.matmul1000", "numpy", 1 },
  { "dev.stencil5", "floor", 1.11, 1 },
  { "dev.stencil7", "floor", 1.11, 2 },
  { "dev.softmax_8192x8192", "floor", 1.1, 1 },
  { "dev.layer_norm_16384x4096", "floor", 1.1, 1 },
  { "dev.softmax_65536x1000", "best", 1 },
  { "dev.softmax_1000000x70", "best", 1 },
  { "dev.layer_norm_1000000x70", "best", 1 },
  { "dev.softmax_2000003x33", "best", 1 },
  { "dev.softmax_64x16384", "best", 1 },
  { "dev.softmax_3001x513", "best", 1 },
  { "dev.softmax_down_8192x8192", "best", 1 },
  { "dev.softmax_down_1024x65536", "best", 1 },
  { "dev.softmax_down_3001x5003", "best", 1 },
  { "dev.softmax_down_70x1000000", "best", 1 },
  { "dev.standardised_down_8192x8192", "best", 1 },
  { "dev.standardised_down_1000000x70", "best", 1 },
  { "dev.min_max_mean_std", "floor", 1.15, 1 },
  { "cpu.softmax_2048x2048", "numpy", 1 },
  { "cpu.softmax_60000x70", "numpy", 1 },
  { "cpu.layer_norm_1001x513", "numpy", 1 },
  { "cpu.softmax_down_2048x2048", "numpy", 1 },
  { "cpu.softmax_down_316x316", "numpy", 1 },
  { "cpu.standardised_down_100000x16", "numpy", 1 },
  { "cpu.min_max_mean_std", "numpy", 1 },
  { "dev.gaussian_filter", "cupy", 0.5 },
  { "dev.median_filter3", "cupy", 0.5 },
  { "dev.median_filter5", "cupy", 0.5 },
  { "dev.uniform_filter15", "cupy", 0.5 },
  { "dev.maximum_filter15", "cupy", 0.5 },
  { "dev.binary_dilation", "cupy", 0.5 },
  { "dev.label", "cupy", 0.5 },
  { "dev.distance_transform_edt", "cupy", 0.5 },
  { "dev.map_coordinates1", "cupy", 0.5 },
  { "dev.map_coordinates3", "cupy", 0.5 },
  { "dev.zoom", "cupy", 0.5 },
  { "dev.lfilter", "cupy", 0.333 },
  { "dev.stft", "cupy", 1 },
  { "dev.cdist", "floor", 1.5, 0.125 },
  { "dev.special_erf", "floor", 1.1, 2 },
  { "dev.special_gammaln", "floor", 1.1, 2 },
  { "dev.special_i0", "floor", 1.1, 2 },
  { "dev.special_j0", "floor", 1.1, 2 },
  { "dev.special_ndtri", "floor", 1.1, 2 },
  { "dev.special_expit", "floor", 1.1, 2 },
  { "dev.special_digamma", "floor", 1.1, 2 },
  { "cpu.gaussian_filter", "scipy", 1 },
  { "cpu.median_filter3", "scipy", 1 },
  { "cpu.median_filter5", "scipy", 1 },
  { "cpu.uniform_filter15", "scipy", 1 },
  { "cpu.maximum_filter15", "scipy", 1 },
  { "cpu.binary_dilation", "scipy", 1 },
  { "cpu.label", "scipy", 1 },
  { "cpu.distance_transform_edt", "scipy", 1 },
  { "cpu.map_coordinates1", "scipy", 1 },
  { "cpu.map_coordinates3", "scipy", 1 },
  { "cpu.zoom", "scipy", 1 },
  { "cpu.lfilter", "scipy", 1 },
  { "cpu.stft", "scipy", 1 },
  { "cpu.cdist", "scipy", 1 },
  { "cpu.special_erf", "scipy", 1 },
  { "cpu.special_gammaln", "scipy", 1 },
  { "cpu.special_i0", "scipy", 1 },
  { "cpu.special_j0", "scipy", 1 },
  { "cpu.special_ndtri", "scipy", 1 },
  { "cpu.special_expit", "scipy", 1 },
  { "cpu.special_digamma", "scipy", 1 },
}

--- Groups of ordinary operations (groups.lua): no slower than the peer, at every size.
local groups = [[bincount_weights bincount_weights_many add_at minimum_at scatter lookup mask_clustered isin_few
  isin_many histogram2d run_lengths topk_rows topk npz_deflated array_nested triangles mandelbrot quaternions rays
  cholesky_batch32 expm lstsq matmul_thin matmul_long outer
  partition argpartition median sort_sorted sort_reversed argsort_sorted permutation integers choice exponential
  poisson poisson_rates gamma normal_scaled mean_drawn dropout concatenate100 stack16 roll roll_axis repeat
  strided_copy transposed_uint8 transposed_float32 points_move points_scale points_taken points_differ
  npy_save npy_load sum_transposed sum_middle
  max_columns dot norm pairwise interp_smooth interp_random log_subnormal exp_inf exp_inf_f64 solve_batch4
  cholesky_batch4 inv_batch4 eigh_batch4 solve_batch16 cholesky_batch16 inv_batch16 eigh_batch16
  matmul_int8 matmul_int32 matmul_int64 laplace operators]]
for name in groups:gmatch("%S+") do
  for _, size in ipairs { "small", "middle", "large" } do
    goals[#goals + 1] = { ("cpu.%s.%s"):format(name, size), "numpy", 1 }
    goals[#goals + 1] = { ("dev.%s.%s"):format(name, size), "cupy", 1 }
  end
end

--- Programs that run as few kernels (compilers.lua), beside the compilers: no slower when large, half the host's time
--- when small. A frame and a graph are held against the same operations one by one.
local fused = [[softmax layer_norm logsumexp gelu black_scholes mandelbrot gray_scott heat kmeans nbody mlp mlp_graph]]
for _, device in ipairs { "cpu.", "dev." } do
  local host = device == "cpu." and "cpu.host." or "host."
  for name in fused:gmatch("%S+") do
    goals[#goals + 1] = { device .. "fused." .. name, "best", 1 }
    goals[#goals + 1] = { host .. "fused." .. name, "best", 0.5 }
  end
  for _, size in ipairs { 64, 512, 4096 } do
    goals[#goals + 1] = { ("%sstep20_%d"):format(host, size), "best", 0.5 }
    goals[#goals + 1] = { ("%sstep20_fuse_%d"):format(host, size), "best", 0.5 }
    goals[#goals + 1] = { ("%sstep20_frame_%d"):format(host, size), "best", 0.5, ("%sstep20_%d"):format(host, size) }
    goals[#goals + 1] = { ("%sstep20_graph_%d"):format(host, size), "best", 0.5, ("%sstep20_%d"):format(host, size) }
  end
end
return goals
