-- What functions return, where that is not one array: by the text of the types, the functions' names. "..." behind a
-- type stands for any number of such results, "?" for one that depends on the arguments, "" for none.
local by_type = {
  [""] = [[
    sparse.save_npz
    hdf5.write wavfile.write set_printoptions help free save savez savez_compressed savetxt tofile synchronize map
    cuda.nvtx.Mark
    cuda.nvtx.MarkC cuda.profiler.start cuda.profiler.stop sleep fft.config.clear_plan_cache
    fft.config.set_plan_cache_size fft.config.show_plan_cache_info testing.assert_allclose
    testing.assert_array_equal testing.assert_array_almost_equal testing.assert_array_less
    testing.assert_array_list_equal testing.assert_equal testing.assert_array_almost_equal_nulp clear_memo
    free_all_blocks image.write random.seed random.set_state random.set_random_state random.reset_states
    cuda.free_all_blocks cuda.set_allocator cuda.set_pinned_memory_allocator cuda.reset cuda.nvtx.RangeEnd
    cuda.runtime.deviceEnablePeerAccess cuda.runtime.deviceReset cuda.runtime.deviceSetMemPool
    cuda.runtime.deviceSynchronize cuda.runtime.eventDestroy cuda.runtime.eventRecord cuda.runtime.eventSynchronize
    cuda.runtime.free cuda.runtime.freeArray cuda.runtime.freeAsync cuda.runtime.freeHost cuda.runtime.graphDestroy
    cuda.runtime.graphExecDestroy cuda.runtime.graphLaunch cuda.runtime.graphUpload cuda.runtime.launchHostFunc
    cuda.runtime.memPoolDestroy cuda.runtime.memPoolSetAttribute cuda.runtime.memPoolTrimTo cuda.runtime.memcpy
    cuda.runtime.memcpy2D cuda.runtime.memcpy2DAsync cuda.runtime.memcpyAsync cuda.runtime.memcpyPeer
    cuda.runtime.memcpyPeerAsync cuda.runtime.memset cuda.runtime.memsetAsync cuda.runtime.profilerStart
    cuda.runtime.profilerStop cuda.runtime.setDevice cuda.runtime.streamAddCallback cuda.runtime.streamBeginCapture
    cuda.runtime.streamDestroy cuda.runtime.streamSynchronize cuda.runtime.streamWaitEvent
    cuda.runtime.destroySurfaceObject cuda.runtime.destroyTextureObject cuda.runtime.graphDebugDotPrint
    jit.syncthreads jit.syncwarp jit.threadfence jit.cg.memcpy_async jit.cg.sync jit.cg.wait jit.cg.wait_prior]],
  ["boolean"] = [[
    cuda.set_tf32 set_fusion allclose array_equal array_equiv same_shape isscalar iscomplexobj isrealobj can_cast
    issubdtype isdtype is_array revoke isfortran may_share_memory shares_memory cuda.is_available
    sparse.issparse sparse.isspmatrix sparse.isspmatrix_csr sparse.isspmatrix_csc sparse.isspmatrix_coo
    sparse.isspmatrix_dia sparse.isspmatrix_bsr cuda.runtime.streamQuery cuda.runtime.eventQuery
    cuda.runtime.streamIsCapturing signal.check_COLA signal.check_NOLA cuda.runtime.deviceCanAccessPeer]],
  ["array|boolean"] = "any all isclose isposinf isneginf isreal iscomplex",
  -- numbers alone give a number
  ["array|scalar"] = [[
    clip round around real imag angle nan_to_num rsqrt real_if_close special.zeta special.spherical_yn
    special.multigammaln special.lambertw special.sph_harm special.sph_harm_y
    random.random random.uniform random.standard_normal random.normal random.integers random.choice
    random.standard_exponential random.exponential random.standard_gamma random.gamma random.beta random.chisquare
    random.noncentral_chisquare random.f random.noncentral_f random.standard_t random.standard_cauchy random.laplace
    random.logistic random.lognormal random.gumbel random.weibull random.pareto random.power random.rayleigh
    random.wald random.triangular random.vonmises random.zipf random.poisson random.binomial
    random.negative_binomial random.geometric random.hypergeometric random.logseries random.rand random.randn
    random.randint random.random_integers random.tomaxint random.random_sample random.ranf random.sample]],
  ["array|scalar ..."] = "where",
  ["array|number, array|number, array|number, array|number"] = "special.ellipj",
  ["string"] = [[
    plot.Figure.to_svg plot.Figure.to_text wavfile.encode array2string array_str array_repr
    format_float_positional format_float_scientific dumps export base_repr
    binary_repr tobytes random.bytes image.encode signal.choose_conv_method cuda.runtime.deviceGetPCIBusId]],
  ["dtype"] = [[
    set_default_dtype promote_types result_type min_scalar_type get_default_dtype common_type
    sparse.get_index_dtype]],
  ["number"] = [[
    get_elapsed_time cuda.get_elapsed_time cuda.nvtx.RangePush cuda.nvtx.RangePushC cuda.nvtx.RangePop
    cuda.runtime.eventElapsedTime cuda.nvtx.RangeStart time signal.kaiser_atten signal.kaiser_beta
    signal.cfar_alpha fft.fhtoffset signal.band_stop_obj cuda.runtime.deviceGetAttribute
    cuda.runtime.memPoolGetAttribute]],
  ["integer"] = [[
    image.Animation.close image.write_animation plot.animation cuda.poll fft.config.get_plan_cache_size
    fft.next_fast_len fft.prev_fast_len cuda.device_count
    cuda.get_device_id ndim size cuda.runtime.driverGetVersion cuda.runtime.getDevice cuda.runtime.getDeviceCount
    cuda.runtime.runtimeGetVersion cuda.runtime.deviceGetByPCIBusId jit.grid jit.gridsize jit.laneid
    sparse.csgraph.structural_rank
    cuda.runtime.streamGetFlags cuda.runtime.streamGetPriority]],
  ["integer, integer"] = "live_buffers linalg.bandwidth cuda.runtime.memGetInfo",
  ["integer, number"] = "signal.kaiserord",
  ["integer ..."] = "dims",
  ["number, number"] = [[
    signal.buttord signal.cheb1ord signal.cheb2ord signal.ellipord polynomial.polyutils.mapparms]],
  ["scalar ..."] = "item",
  ["integer[]"] = "broadcast_shapes shape",
  ["function"] = "memoize sparse.linalg.factorized",
  ["table"] = [[
    sparse.linalg.LinearOperator sparse.linalg.aslinearoperator sparse.linalg.splu sparse.linalg.spilu
    sparse.linalg.SuperLU hdf5.list signal.place_poles totable tolist finfo iinfo get_printoptions random.get_state
    cuda.runtime.getDeviceProperties
    ndimage.value_indices ndimage.find_objects fft.get_plan_cache fft.config.get_plan_cache]],
  ["array[]"] = "split array_split hsplit vsplit dsplit polynomial.polyutils.as_series",
  ["figure"] = "plot.figure plot.line plot.scatter plot.bar plot.hist plot.heatmap",
  ["animation"] = "image.animation image.Animation.add",
    ["delaunay"] = "spatial.Delaunay",
  ["picture"] = "love.picture",
  ["vertices"] = "love.vertices",
  ["userdata"] = "love.sound",
  ["any"] = "loadt7",
  ["figure, any"] = "plot.subplots",
  ["axes"] = "plot.Figure.subplot",
  ["number, array"] = "wavfile.read wavfile.decode",
  ["any ..."] = [[
    allow_synchronize printoptions scope iterate profiler.time_range profiler.profile cuda.using_allocator
    distributed.grouped]],
  ["fun(): any, any"] = "blocks rows each",
  ["array ..."] = [[
    meshgrid ogrid mgrid atleast_1d atleast_2d atleast_3d broadcast_arrays gradient unstack nonzero diag_indices
    diag_indices_from tril_indices tril_indices_from triu_indices triu_indices_from mask_indices ix_ eval
    apply_over_axes unravel_index keep]],
  ["array, array"] = [[
    sparse.safely_cast_index_arrays
    linalg.lu_factor signal.bilinear signal.ca_cfar signal.coherence signal.complex_cepstrum signal.csd
    signal.deconvolve signal.dfreqresp signal.dlsim signal.freqresp signal.freqs signal.freqs_zpk signal.freqz
    signal.freqz_sos signal.freqz_zpk signal.gammatone signal.group_delay signal.iircomb signal.iirnotch
    signal.iirpeak signal.impulse signal.invres signal.invresz signal.istft signal.lp2bp signal.lp2bs signal.lp2hp
    signal.lp2lp signal.max_len_seq signal.normalize signal.periodogram signal.sos2tf signal.sosfreqz signal.ss2tf
    signal.step signal.unique_roots signal.vectorstrength signal.welch signal.zpk2tf special.shichi special.sici
    stats.pearsonr stats.spearmanr divmod modf frexp topk histogram linalg.eigh linalg.eig linalg.slogdet polydiv
    polynomial.polynomial.polydiv polynomial.chebyshev.chebdiv polynomial.legendre.legdiv
    polynomial.hermite.hermdiv polynomial.hermite_e.hermediv polynomial.laguerre.lagdiv unique_counts
    unique_inverse]],
  ["array, table"] = "signal.dimpulse signal.dstep signal.find_peaks",
  ["array, array, array"] = [[
    sparse.find
    signal.bode signal.dbode signal.lsim signal.peak_prominences signal.residue signal.residuez signal.spectrogram
    signal.stft linalg.lu histogram2d]],
  ["array, array, array, array"] = [[
    ndimage.extrema signal.abcd_normalize signal.peak_widths signal.tf2ss signal.zpk2ss linalg.lstsq
    unique_all]],
  ["event"] = "Event cuda.Event cuda.runtime.eventCreate cuda.runtime.eventCreateWithFlags",
  ["stream"] = [[
    Stream cuda.Stream cuda.ExternalStream get_current_stream cuda.get_current_stream cuda.runtime.streamCreate
    cuda.runtime.streamCreateWithFlags cuda.runtime.streamCreateWithPriority]],
  ["device"] = "device cuda.Device cuda.Device.from_pci_bus_id",
  ["graph"] = "cuda.runtime.streamEndCapture cuda.runtime.graphInstantiate",
  ["graph, any ..."] = "cuda.graph",
  ["pool"] = [[
    get_default_memory_pool get_default_pinned_memory_pool cuda.get_default_memory_pool
    cuda.get_default_pinned_memory_pool cuda.MemoryPool cuda.MemoryAsyncPool cuda.PinnedMemoryPool
    cuda.get_allocator cuda.runtime.deviceGetDefaultMemPool cuda.runtime.deviceGetMemPool
    cuda.runtime.memPoolCreate]],
  ["memory_hook"] = "cuda.MemoryHook cuda.DebugPrintHook cuda.LineProfileHook",
  ["copy"] = "get_async",
  ["complex"] = "complex",
  ["elementwise_kernel"] = "ElementwiseKernel",
  ["reduction_kernel"] = "ReductionKernel",
  ["raw_kernel"] = "RawKernel",
  ["raw_module"] = "RawModule",
  ["fused"] = "fuse",
  ["stencil_function"] = "stencil",
  ["vectorized"] = "vectorize",
  ["host_function"] = "frompyfunc",
  ["gufunc"] = "GeneralizedUFunc",
  ["jit_kernel"] = "jit.rawkernel",
  ["jit_elementwise"] = "jit.elementwisekernel",
  ["jit_reduction"] = "jit.reductionkernel",
  ["function|table"] = "jit.device",
  ["fun(): integer"] = "jit.range",
  ["number|integer"] = [[
    jit.atomic_add jit.atomic_and jit.atomic_cas jit.atomic_dec jit.atomic_exch jit.atomic_inc jit.atomic_max
    jit.atomic_min jit.atomic_or jit.atomic_sub jit.atomic_xor jit.cg.reduce jit.cub.Max jit.cub.Min jit.cub.Sum
    jit.shfl_down_sync jit.shfl_sync jit.shfl_up_sync jit.shfl_xor_sync jit.tex1D jit.tex1Dfetch jit.tex2D
    jit.tex3D]],
  ["table|any"] = [[
    jit.cg.this_grid jit.cg.this_thread_block jit.cg.tiled_partition jit.cub.BlockReduce jit.cub.BlockScan
    jit.cub.WarpReduce]],
  ["generator"] = "random.default_rng random.RandomState random.get_random_state",
  ["poly1d"] = "poly1d",
  ["plan"] = "fft.get_fft_plan fftpack.get_fft_plan",
  ["progress"] = "progress",
  ["benchmark"] = "profiler.benchmark",
  ["capsule"] = "to_dlpack :dlpack",
  ["system"] = "signal.lti signal.dlti signal.TransferFunction signal.ZerosPolesGain signal.StateSpace",
  ["kdtree"] = "spatial.KDTree",
  ["gaussian_kde"] = "stats.gaussian_kde",
  ["piecewise"] = [[
    interpolate.PPoly interpolate.CubicSpline interpolate.CubicHermiteSpline interpolate.Akima1DInterpolator
    interpolate.PchipInterpolator interpolate.pchip interpolate.from_bernstein_basis]],
  ["bernstein"] = "interpolate.BPoly interpolate.from_power_basis",
  ["spline"] = [[
    interpolate.BSpline interpolate.make_interp_spline interpolate.make_lsq_spline interpolate.splder
    interpolate.splantider]],
  ["univariate_spline"] = [[
    interpolate.UnivariateSpline interpolate.InterpolatedUnivariateSpline interpolate.LSQUnivariateSpline]],
  ["interpolator"] = [[
    interpolate.interp1d interpolate.NdBSpline interpolate.NdPPoly interpolate.RegularGridInterpolator
    interpolate.RBFInterpolator interpolate.NearestNDInterpolator
    interpolate.LinearNDInterpolator interpolate.CloughTocher2DInterpolator]],
  ["polynomial_interpolator"] = "interpolate.KroghInterpolator",
  ["barycentric"] = "interpolate.BarycentricInterpolator",
  ["gl_resource"] = "cuda.gl.register_buffer cuda.gl.register_image",
  ["channel_format"] = "cuda.texture.ChannelFormatDescriptor",
  ["resource"] = "cuda.texture.ResourceDescriptor",
  ["sampler"] = "cuda.texture.TextureDescriptor",
  ["cuda_array"] = "cuda.texture.CUDAarray cuda.runtime.mallocArray cuda.runtime.malloc3DArray",
  ["texture"] = [[
    cuda.texture.TextureObject cuda.texture.SurfaceObject cuda.runtime.createTextureObject
    cuda.runtime.createSurfaceObject]],
  ["moonarray"] = "get_array_module",
  ["array|table"] = "fromffi load loads",
  ["sparse_matrix"] = [[
    sparse.csr_matrix sparse.csr_array sparse.csc_matrix sparse.csc_array sparse.coo_matrix sparse.coo_array
    sparse.dia_matrix sparse.dia_array sparse.bsr_matrix sparse.bsr_array sparse.diags sparse.diags_array
    sparse.spdiags sparse.eye sparse.eye_array sparse.identity sparse.random sparse.rand sparse.random_array
    sparse.kron sparse.kronsum sparse.hstack sparse.vstack sparse.bmat sparse.block_array sparse.block_diag
    sparse.tril sparse.triu sparse.load_npz sparse.matrix_transpose sparse.permute_dims sparse.swapaxes
    sparse.spmatrix sparse.sparray sparse.sampled_matmul sparse.linalg.inv sparse.linalg.matrix_power
    sparse.csgraph.breadth_first_tree sparse.csgraph.depth_first_tree sparse.csgraph.minimum_spanning_tree
    sparse.csgraph.reconstruct_path]],
  ["array|sparse_matrix"] = "sparse.linalg.spsolve",
  ["array|sparse_matrix, array?"] = "sparse.csgraph.laplacian",

  ["string?"] = "image.show show_config",
  ["array, boolean"] = "linalg.cho_factor",
  ["array, array?"] = [[
    ndimage.distance_transform_edt average linalg.qr linspace special.logsumexp sparse.linalg.eigsh
    sparse.csgraph.shortest_path sparse.csgraph.dijkstra sparse.csgraph.bellman_ford sparse.csgraph.floyd_warshall
    sparse.csgraph.johnson sparse.csgraph.breadth_first_order sparse.csgraph.depth_first_order]],
  ["array, integer"] = [[
    ndimage.label sparse.linalg.cg sparse.linalg.cgs sparse.linalg.bicgstab sparse.linalg.gmres sparse.linalg.minres]],
  ["integer, array?"] = "sparse.csgraph.connected_components",
  ["array, any ..."] = "sparse.linalg.lsqr sparse.linalg.lsmr sparse.linalg.lobpcg",
  ["array, array?, number?"] = [[
    signal.bessel signal.butter signal.cheby1 signal.cheby2 signal.ellip signal.iirdesign signal.iirfilter]],
  ["array, array, number"] = [[
    signal.besselap signal.bilinear_zpk signal.buttap signal.cheb1ap signal.cheb2ap signal.cont2discrete
    signal.ellipap signal.lp2bp_zpk signal.lp2bs_zpk signal.lp2hp_zpk signal.lp2lp_zpk signal.sos2zpk signal.ss2zpk
    signal.tf2zpk]],
  ["array, array[]"] = "histogramdd",
  ["array, array?, array?"] = "intersect1d linalg.svd sparse.linalg.svds",
  ["array, array?, array?, array?"] = "unique",
  ["array, table?"] = [[
    polyfit polynomial.chebyshev.chebfit polynomial.hermite.hermfit polynomial.hermite_e.hermefit
    polynomial.laguerre.lagfit polynomial.legendre.legfit polynomial.polynomial.polyfit]],
}

local returns = {}
for kind, names in pairs(by_type) do
  for name in names:gmatch("%S+") do
    assert(not returns[name], name .. " has two kinds of results")
    returns[name] = kind
  end
end
for class in ("Polynomial Chebyshev Legendre Hermite HermiteE Laguerre"):gmatch("%a+") do
  for _, suffix in ipairs { "", ".fit", ".fromroots", ".identity", ".basis", ".cast" } do
    returns["polynomial." .. class .. suffix] = "series"
  end
end
-- Methods of sparse matrices that give one.
for name in ([[abs absolute add arcsin arcsinh arctan arctanh asformat astype ceil conj conjugate copy deg2rad divide
    eliminate_zeros eq expm1 floor ge get getH getcol getrow gt le log1p lt maximum minimum multiply ne power rad2deg
    reshape rint setdiag sign sin sinh sort_indices sorted_indices sqrt subtract sum_duplicates tan tanh to_device tobsr
    tocoo tocsc tocsr todia transpose trunc]]):gmatch("%S+") do
  returns["sparse.Matrix." .. name] = "sparse_matrix"
end
returns["sparse.Matrix.matmul"] = "array|sparse_matrix"
returns["sparse.Matrix.dot"] = "array|sparse_matrix"
returns["sparse.Matrix.nonzero"] = "array, array"
returns["sparse.Matrix.getnnz"] = "integer|array"
for kind, names in pairs {
  [""] = "finalize",
  ["boolean"] = "is_initialized",
  ["integer"] = "rank size get_rank get_world_size local_rank local_size",
  ["string?, string?"] = "library",
  ["distributed_group"] = "init",
  ["distributed_group?"] = "split new_group",
  ["distributed_work?"] = "send barrier",
  ["array|distributed_work"] = "all_reduce reduce_scatter broadcast all_gather scatter all_to_all recv",
  ["array|distributed_work?"] = "reduce gather sendrecv",
  ["table"] = "local_",
  ["sharded_stencil"] = "stencil",
  ["sharded_array"] = "array zeros ones empty distribute matmul fftn ifftn rfftn irfftn load",
  ["sharded_array ..."] = "map",
} do
  for name in names:gmatch("%S+") do returns["distributed." .. name] = kind end
end
returns["distributed.save"] = ""
returns["distributed.close"] = ""
-- Methods of sharded arrays: element by element, reductions, and others.
for kind, names in pairs {
  ["sharded_array"] = [[abs absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh assign astype cbrt ceil clip
    conj copy cos cosh cumprod cumsum deg2rad eq exp exp2 expm1 floor fmax fmin ge gt hypot isfinite isinf isnan le log
    log10 log1p
    log2 logical_and logical_not logical_or logical_xor lt maximum minimum ne negative rad2deg reciprocal reshard rint
    sign sin sinh sqrt square tan tanh to trunc]],
  ["array|sharded_array"] = [[argmax argmin count_nonzero logsumexp max mean min nanmax nanmean nanmin nanstd nanvar
    prod std sum var]],
  ["boolean|array|sharded_array"] = "all any",
  ["array?"] = "gather",
} do
  for name in names:gmatch("%S+") do returns["distributed.Array." .. name] = kind end
end
-- Methods that draw return their object.
for name in ([[axhline axis axvline bar barh colorbar errorbar fill_between grid heatmap hist imshow invert_xaxis
    invert_yaxis legend loglog plot scatter semilogx semilogy stem step suptitle text title xlabel xlim xscale xticks
    ylabel ylim yscale yticks save show]]):gmatch("%S+") do
  returns["plot.Figure." .. name] = returns["plot.Figure." .. name] or "figure"
  returns["plot.Axes." .. name] = returns["plot.Axes." .. name] or "axes"
end
return returns
