--- What each measured key is held against. One row a key: { key, kind, factor, extra }
--
--   launch   factor x an empty launch of the same run (host.*)
--   us       at most `factor` microseconds
--   floor    factor x the time that `extra` float32 passes over the array take at the bandwidth of the best plain read-and-write
--            kernel of the same run (dev.*: one pass reads or writes each element's four bytes once)
--   cupy     factor x CuPy's figure of the same run
--   context  a bare CUDA context plus `factor` seconds
--   numpy    at most NumPy's figure divided by `factor`, with the same number of threads allowed to both
return {
  { "host.add", "launch", 1.15 },
  { "host.add_out", "launch", 1.1 },
  { "host.expr4", "launch", 1.5 },
  { "host.sum", "launch", 1.3 },
  { "host.sum_axis", "launch", 1.3 },
  { "host.slice", "us", 0.3 },
  { "host.empty", "us", 0.25 },
  { "host.get_1k", "cupy", 0.9 },
  { "host.item_sum", "cupy", 0.6 },
  { "host.put_1k", "cupy", 0.5 },
  { "dev.copy", "floor", 1.03, 2 },
  { "dev.add", "floor", 1.04, 3 },
  { "dev.expr4", "floor", 1.06, 3 },
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
  { "dev.host_to_device_256MB", "cupy", 0.5 },
  { "dev.device_to_host_256MB", "cupy", 0.5 },
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
}
