-- The names of all functions, and of the methods of arrays, for errors about names that are not there: to look for a
-- near one loads nothing else. Made by scripts/meta.lua from the definitions of the functions: do not edit.

return {
  functions = [[
  ElementwiseKernel Event GeneralizedUFunc RawKernel RawModule ReductionKernel Stream abs absolute acos acosh add all
  allclose allow_synchronize amax amin and_ angle any append apply_along_axis apply_over_axes arange arccos arccosh
  arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around array array2string
  array_equal array_equiv array_repr array_split array_str asanyarray asarray asarray_chkfinite ascontiguousarray
  asfortranarray asin asinh asnumpy assign astype atan atan2 atanh atleast_1d atleast_2d atleast_3d average bartlett
  base_repr bfloat16 binary_repr bincount bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not
  bitwise_or bitwise_right_shift bitwise_xor blackman block blocks bool broadcast_arrays broadcast_shapes broadcast_to
  byteswap c_ can_cast cbrt ceil choose clear_memo clip column_stack common_type complex complex128 complex64 compress
  concat concatenate conj conjugate convolve copy copysign copyto corrcoef correlate cos cosh count_nonzero cov cross
  cuda.DebugPrintHook cuda.Device cuda.Device.from_pci_bus_id cuda.Event cuda.ExternalStream cuda.LineProfileHook
  cuda.MemoryAsyncPool cuda.MemoryHook cuda.MemoryPool cuda.PinnedMemoryPool cuda.Stream cuda.UnownedMemory cuda.alloc
  cuda.alloc_pinned_memory cuda.device_count cuda.empty_like_pinned cuda.empty_pinned cuda.free_all_blocks
  cuda.from_pointer cuda.get_allocator cuda.get_current_stream cuda.get_default_memory_pool
  cuda.get_default_pinned_memory_pool cuda.get_device_id cuda.get_elapsed_time cuda.gl.register_buffer
  cuda.gl.register_image cuda.graph cuda.is_available cuda.malloc_async cuda.malloc_managed cuda.nvtx.Mark
  cuda.nvtx.MarkC cuda.nvtx.RangeEnd cuda.nvtx.RangePop cuda.nvtx.RangePush cuda.nvtx.RangePushC cuda.nvtx.RangeStart
  cuda.poll cuda.profiler.start cuda.profiler.stop cuda.reset cuda.runtime.createSurfaceObject
  cuda.runtime.createTextureObject cuda.runtime.destroySurfaceObject cuda.runtime.destroyTextureObject
  cuda.runtime.deviceCanAccessPeer cuda.runtime.deviceEnablePeerAccess cuda.runtime.deviceGetAttribute
  cuda.runtime.deviceGetByPCIBusId cuda.runtime.deviceGetDefaultMemPool cuda.runtime.deviceGetMemPool
  cuda.runtime.deviceGetPCIBusId cuda.runtime.deviceReset cuda.runtime.deviceSetMemPool cuda.runtime.deviceSynchronize
  cuda.runtime.driverGetVersion cuda.runtime.eventCreate cuda.runtime.eventCreateWithFlags cuda.runtime.eventDestroy
  cuda.runtime.eventElapsedTime cuda.runtime.eventQuery cuda.runtime.eventRecord cuda.runtime.eventSynchronize
  cuda.runtime.free cuda.runtime.freeArray cuda.runtime.freeAsync cuda.runtime.freeHost cuda.runtime.getDevice
  cuda.runtime.getDeviceCount cuda.runtime.getDeviceProperties cuda.runtime.graphDebugDotPrint
  cuda.runtime.graphDestroy cuda.runtime.graphExecDestroy cuda.runtime.graphInstantiate cuda.runtime.graphLaunch
  cuda.runtime.graphUpload cuda.runtime.hostAlloc cuda.runtime.launchHostFunc cuda.runtime.malloc
  cuda.runtime.malloc3DArray cuda.runtime.mallocArray cuda.runtime.mallocAsync cuda.runtime.mallocFromPoolAsync
  cuda.runtime.mallocManaged cuda.runtime.memGetInfo cuda.runtime.memPoolCreate cuda.runtime.memPoolDestroy
  cuda.runtime.memPoolGetAttribute cuda.runtime.memPoolSetAttribute cuda.runtime.memPoolTrimTo cuda.runtime.memcpy
  cuda.runtime.memcpy2D cuda.runtime.memcpy2DAsync cuda.runtime.memcpyAsync cuda.runtime.memcpyPeer
  cuda.runtime.memcpyPeerAsync cuda.runtime.memset cuda.runtime.memsetAsync cuda.runtime.profilerStart
  cuda.runtime.profilerStop cuda.runtime.runtimeGetVersion cuda.runtime.setDevice cuda.runtime.streamAddCallback
  cuda.runtime.streamBeginCapture cuda.runtime.streamCreate cuda.runtime.streamCreateWithFlags
  cuda.runtime.streamCreateWithPriority cuda.runtime.streamDestroy cuda.runtime.streamEndCapture
  cuda.runtime.streamGetFlags cuda.runtime.streamGetPriority cuda.runtime.streamIsCapturing cuda.runtime.streamQuery
  cuda.runtime.streamSynchronize cuda.runtime.streamWaitEvent cuda.set_allocator cuda.set_pinned_memory_allocator
  cuda.set_tf32 cuda.texture.CUDAarray cuda.texture.ChannelFormatDescriptor cuda.texture.ResourceDescriptor
  cuda.texture.SurfaceObject cuda.texture.TextureDescriptor cuda.texture.TextureObject cuda.using_allocator
  cuda.zeros_like_pinned cuda.zeros_pinned cumprod cumsum cumulative_prod cumulative_sum deg2rad degrees delete device
  diag diag_indices diag_indices_from diagflat diagonal diff digitize dims distributed.Array.abs
  distributed.Array.absolute distributed.Array.all distributed.Array.all_gather distributed.Array.any
  distributed.Array.arccos distributed.Array.arccosh distributed.Array.arcsin distributed.Array.arcsinh
  distributed.Array.arctan distributed.Array.arctan2 distributed.Array.arctanh distributed.Array.argmax
  distributed.Array.argmin distributed.Array.assign distributed.Array.astype distributed.Array.cbrt
  distributed.Array.ceil distributed.Array.clip distributed.Array.conj distributed.Array.copy distributed.Array.cos
  distributed.Array.cosh distributed.Array.count_nonzero distributed.Array.cumprod distributed.Array.cumsum
  distributed.Array.deg2rad distributed.Array.eq distributed.Array.exp distributed.Array.exp2 distributed.Array.expm1
  distributed.Array.floor distributed.Array.fmax distributed.Array.fmin distributed.Array.gather distributed.Array.ge
  distributed.Array.gt distributed.Array.hypot distributed.Array.isfinite distributed.Array.isinf
  distributed.Array.isnan distributed.Array.le distributed.Array.log distributed.Array.log10 distributed.Array.log1p
  distributed.Array.log2 distributed.Array.logical_and distributed.Array.logical_not distributed.Array.logical_or
  distributed.Array.logical_xor distributed.Array.logsumexp distributed.Array.lt distributed.Array.max
  distributed.Array.maximum distributed.Array.mean distributed.Array.min distributed.Array.minimum
  distributed.Array.nanmax distributed.Array.nanmean distributed.Array.nanmin distributed.Array.nanstd
  distributed.Array.nanvar distributed.Array.ne distributed.Array.negative distributed.Array.padded
  distributed.Array.prod distributed.Array.rad2deg distributed.Array.reciprocal distributed.Array.reshard
  distributed.Array.rint distributed.Array.sign distributed.Array.sin distributed.Array.sinh distributed.Array.sqrt
  distributed.Array.square distributed.Array.std distributed.Array.sum distributed.Array.tan distributed.Array.tanh
  distributed.Array.to distributed.Array.trunc distributed.Array.var distributed.all_gather distributed.all_reduce
  distributed.all_to_all distributed.array distributed.barrier distributed.broadcast distributed.close
  distributed.distribute distributed.empty distributed.fftn distributed.finalize distributed.gather
  distributed.get_rank distributed.get_world_size distributed.grouped distributed.ifftn distributed.init
  distributed.irfftn distributed.is_initialized distributed.library distributed.load distributed.local_
  distributed.local_rank distributed.local_size distributed.map distributed.matmul distributed.new_group
  distributed.ones distributed.rank distributed.recv distributed.reduce distributed.reduce_scatter distributed.rfftn
  distributed.save distributed.scatter distributed.send distributed.sendrecv distributed.size distributed.split
  distributed.stencil distributed.zeros divide divmod dot dsplit dstack dumps each ediff1d einsum empty empty_like eq
  equal eval exp exp2 expand_dims expm1 export extract eye fabs fft.config.clear_plan_cache fft.config.get_plan_cache
  fft.config.get_plan_cache_size fft.config.set_plan_cache_size fft.config.show_plan_cache_info fft.dct fft.dctn
  fft.dst fft.dstn fft.fft fft.fft16 fft.fft2 fft.fftfreq fft.fftn fft.fftshift fft.fht fft.fhtoffset fft.get_fft_plan
  fft.get_plan_cache fft.hfft fft.hfft2 fft.hfftn fft.idct fft.idctn fft.idst fft.idstn fft.ifft fft.ifft16 fft.ifft2
  fft.ifftn fft.ifftshift fft.ifht fft.ihfft fft.ihfft2 fft.ihfftn fft.irfft fft.irfft2 fft.irfftn fft.next_fast_len
  fft.prev_fast_len fft.rfft fft.rfft2 fft.rfftfreq fft.rfftn fftpack.fft fftpack.fft2 fftpack.fftn
  fftpack.get_fft_plan fftpack.ifft fftpack.ifft2 fftpack.ifftn fftpack.irfft fftpack.rfft fill fill_diagonal finfo
  fix flatnonzero flatten flip fliplr flipud float16 float32 float64 float_power floor floor_divide fmax fmin fmod
  format_float_positional format_float_scientific free free_all_blocks frexp from_dlpack frombuffer fromffi fromfile
  fromfunction fromiter frompyfunc fromstring full full_like fuse gcd ge genfromtxt geomspace get get_array_module
  get_async get_current_stream get_default_dtype get_default_memory_pool get_default_pinned_memory_pool
  get_elapsed_time get_printoptions gradient greater greater_equal gt hamming hanning hdf5.list hdf5.read hdf5.write
  heaviside help histogram histogram2d histogram_bin_edges histogramdd hsplit hstack hypot i0 iadd iadd_at identity
  idiv iinfo imag image.Animation.add image.Animation.close image.animation image.colormap image.decode image.encode
  image.normalize image.read image.resize image.show image.to_rgba8 image.write image.write_animation import imul in1d
  index indices inner insert int16 int32 int64 int8 interp interpolate.Akima1DInterpolator interpolate.BPoly
  interpolate.BSpline interpolate.BarycentricInterpolator interpolate.CloughTocher2DInterpolator
  interpolate.CubicHermiteSpline interpolate.CubicSpline interpolate.InterpolatedUnivariateSpline
  interpolate.KroghInterpolator interpolate.LSQUnivariateSpline interpolate.LinearNDInterpolator interpolate.NdBSpline
  interpolate.NdPPoly interpolate.NearestNDInterpolator interpolate.PPoly interpolate.PchipInterpolator
  interpolate.RBFInterpolator interpolate.RegularGridInterpolator interpolate.UnivariateSpline
  interpolate.barycentric_interpolate interpolate.from_bernstein_basis interpolate.from_power_basis
  interpolate.interp1d interpolate.interpn interpolate.krogh_interpolate interpolate.make_interp_spline
  interpolate.make_lsq_spline interpolate.pchip interpolate.pchip_interpolate interpolate.splantider
  interpolate.splder intersect1d invert ipow isclose iscomplex iscomplexobj isdtype isfinite isfortran isin isinf
  isnan isneginf isposinf isreal isrealobj isscalar issubdtype isub item iterate ix_ jit.atomic_add jit.atomic_and
  jit.atomic_cas jit.atomic_dec jit.atomic_exch jit.atomic_inc jit.atomic_max jit.atomic_min jit.atomic_or
  jit.atomic_sub jit.atomic_xor jit.cg.memcpy_async jit.cg.reduce jit.cg.sync jit.cg.this_grid
  jit.cg.this_thread_block jit.cg.tiled_partition jit.cg.wait jit.cg.wait_prior jit.cub.BlockReduce jit.cub.BlockScan
  jit.cub.Max jit.cub.Min jit.cub.Sum jit.cub.WarpReduce jit.device jit.elementwisekernel jit.grid jit.gridsize
  jit.laneid jit.range jit.rawkernel jit.reductionkernel jit.shared_memory jit.shfl_down_sync jit.shfl_sync
  jit.shfl_up_sync jit.shfl_xor_sync jit.syncthreads jit.syncwarp jit.tex1D jit.tex1Dfetch jit.tex2D jit.tex3D
  jit.threadfence kaiser keep kron lapack.gels lapack.gesv lapack.posv lapack.potrs lcm ldexp le left_shift less
  less_equal lexsort lib.stride_tricks.as_strided lib.stride_tricks.sliding_window_view linalg.bandwidth
  linalg.block_diag linalg.cho_factor linalg.cho_solve linalg.cholesky linalg.circulant linalg.companion linalg.cond
  linalg.convolution_matrix linalg.cross linalg.det linalg.dft linalg.diagonal linalg.eig linalg.eigh linalg.eigvals
  linalg.eigvalsh linalg.expm linalg.fiedler linalg.fiedler_companion linalg.hadamard linalg.hankel linalg.helmert
  linalg.hilbert linalg.inv linalg.invh linalg.khatri_rao linalg.kron linalg.leslie linalg.lschol linalg.lstsq
  linalg.lu linalg.lu_factor linalg.lu_solve linalg.matmul linalg.matrix_norm linalg.matrix_power linalg.matrix_rank
  linalg.matrix_transpose linalg.multi_dot linalg.norm linalg.outer linalg.pinv linalg.qr linalg.slogdet linalg.solve
  linalg.solve_triangular linalg.svd linalg.svdvals linalg.tensordot linalg.tensorinv linalg.tensorsolve
  linalg.toeplitz linalg.trace linalg.tri linalg.tril linalg.triu linalg.vecdot linalg.vector_norm linspace
  live_buffers load loads loadt7 loadtxt log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or
  logical_xor logspace logsumexp love.picture love.sound love.vertices love.view lt map mask_indices matmul
  matrix_transpose max maximum may_share_memory mean median memoize meshgrid mgrid min min_scalar_type minimum mod
  modf moveaxis multiply nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin
  nanpercentile nanprod nanquantile nanstd nansum nanvar ndim ndimage.affine_transform ndimage.binary_closing
  ndimage.binary_dilation ndimage.binary_erosion ndimage.binary_fill_holes ndimage.binary_hit_or_miss
  ndimage.binary_opening ndimage.binary_propagation ndimage.black_tophat ndimage.center_of_mass ndimage.convolve
  ndimage.convolve1d ndimage.correlate ndimage.correlate1d ndimage.distance_transform_edt ndimage.extrema
  ndimage.find_objects ndimage.fourier_ellipsoid ndimage.fourier_gaussian ndimage.fourier_shift
  ndimage.fourier_uniform ndimage.gaussian_filter ndimage.gaussian_filter1d ndimage.gaussian_gradient_magnitude
  ndimage.gaussian_laplace ndimage.generate_binary_structure ndimage.generic_filter ndimage.generic_filter1d
  ndimage.generic_gradient_magnitude ndimage.generic_laplace ndimage.grey_closing ndimage.grey_dilation
  ndimage.grey_erosion ndimage.grey_opening ndimage.histogram ndimage.iterate_structure ndimage.label
  ndimage.labeled_comprehension ndimage.laplace ndimage.map_coordinates ndimage.maximum ndimage.maximum_filter
  ndimage.maximum_filter1d ndimage.maximum_position ndimage.mean ndimage.median ndimage.median_filter ndimage.minimum
  ndimage.minimum_filter ndimage.minimum_filter1d ndimage.minimum_position ndimage.morphological_gradient
  ndimage.morphological_laplace ndimage.percentile_filter ndimage.prewitt ndimage.rank_filter ndimage.rotate
  ndimage.shift ndimage.sobel ndimage.spline_filter ndimage.spline_filter1d ndimage.standard_deviation ndimage.sum
  ndimage.sum_labels ndimage.uniform_filter ndimage.uniform_filter1d ndimage.value_indices ndimage.variance
  ndimage.white_tophat ndimage.zoom ne negative nextafter nonzero not_ not_equal ogrid ones ones_like or_ outer
  packbits pad partition percentile permute_dims piecewise place plot.Axes.axhline plot.Axes.axis plot.Axes.axvline
  plot.Axes.bar plot.Axes.barh plot.Axes.colorbar plot.Axes.errorbar plot.Axes.fill_between plot.Axes.grid
  plot.Axes.heatmap plot.Axes.hist plot.Axes.imshow plot.Axes.invert_xaxis plot.Axes.invert_yaxis plot.Axes.legend
  plot.Axes.loglog plot.Axes.plot plot.Axes.scatter plot.Axes.semilogx plot.Axes.semilogy plot.Axes.step
  plot.Axes.text plot.Axes.title plot.Axes.xlabel plot.Axes.xlim plot.Axes.xscale plot.Axes.xticks plot.Axes.ylabel
  plot.Axes.ylim plot.Axes.yscale plot.Axes.yticks plot.Figure.axhline plot.Figure.axis plot.Figure.axvline
  plot.Figure.bar plot.Figure.barh plot.Figure.colorbar plot.Figure.errorbar plot.Figure.fill_between plot.Figure.grid
  plot.Figure.heatmap plot.Figure.hist plot.Figure.imshow plot.Figure.invert_xaxis plot.Figure.invert_yaxis
  plot.Figure.legend plot.Figure.loglog plot.Figure.plot plot.Figure.save plot.Figure.scatter plot.Figure.semilogx
  plot.Figure.semilogy plot.Figure.show plot.Figure.step plot.Figure.subplot plot.Figure.suptitle plot.Figure.text
  plot.Figure.title plot.Figure.to_image plot.Figure.to_svg plot.Figure.to_text plot.Figure.xlabel plot.Figure.xlim
  plot.Figure.xscale plot.Figure.xticks plot.Figure.ylabel plot.Figure.ylim plot.Figure.yscale plot.Figure.yticks
  plot.animation plot.bar plot.figure plot.heatmap plot.hist plot.line plot.scatter plot.subplots poly poly1d polyadd
  polyder polydiv polyfit polyint polymul polynomial.Chebyshev polynomial.Chebyshev.basis polynomial.Chebyshev.cast
  polynomial.Chebyshev.fit polynomial.Chebyshev.fromroots polynomial.Chebyshev.identity polynomial.Hermite
  polynomial.Hermite.basis polynomial.Hermite.cast polynomial.Hermite.fit polynomial.Hermite.fromroots
  polynomial.Hermite.identity polynomial.HermiteE polynomial.HermiteE.basis polynomial.HermiteE.cast
  polynomial.HermiteE.fit polynomial.HermiteE.fromroots polynomial.HermiteE.identity polynomial.Laguerre
  polynomial.Laguerre.basis polynomial.Laguerre.cast polynomial.Laguerre.fit polynomial.Laguerre.fromroots
  polynomial.Laguerre.identity polynomial.Legendre polynomial.Legendre.basis polynomial.Legendre.cast
  polynomial.Legendre.fit polynomial.Legendre.fromroots polynomial.Legendre.identity polynomial.Polynomial
  polynomial.Polynomial.basis polynomial.Polynomial.cast polynomial.Polynomial.fit polynomial.Polynomial.fromroots
  polynomial.Polynomial.identity polynomial.chebyshev.cheb2poly polynomial.chebyshev.chebadd
  polynomial.chebyshev.chebcompanion polynomial.chebyshev.chebder polynomial.chebyshev.chebdiv
  polynomial.chebyshev.chebfit polynomial.chebyshev.chebfromroots polynomial.chebyshev.chebgrid2d
  polynomial.chebyshev.chebgrid3d polynomial.chebyshev.chebint polynomial.chebyshev.chebline
  polynomial.chebyshev.chebmul polynomial.chebyshev.chebmulx polynomial.chebyshev.chebpow
  polynomial.chebyshev.chebroots polynomial.chebyshev.chebsub polynomial.chebyshev.chebtrim
  polynomial.chebyshev.chebval polynomial.chebyshev.chebval2d polynomial.chebyshev.chebval3d
  polynomial.chebyshev.chebvander polynomial.chebyshev.chebvander2d polynomial.chebyshev.chebvander3d
  polynomial.chebyshev.chebweight polynomial.chebyshev.poly2cheb polynomial.hermite.herm2poly
  polynomial.hermite.hermadd polynomial.hermite.hermcompanion polynomial.hermite.hermder polynomial.hermite.hermdiv
  polynomial.hermite.hermfit polynomial.hermite.hermfromroots polynomial.hermite.hermgrid2d
  polynomial.hermite.hermgrid3d polynomial.hermite.hermint polynomial.hermite.hermline polynomial.hermite.hermmul
  polynomial.hermite.hermmulx polynomial.hermite.hermpow polynomial.hermite.hermroots polynomial.hermite.hermsub
  polynomial.hermite.hermtrim polynomial.hermite.hermval polynomial.hermite.hermval2d polynomial.hermite.hermval3d
  polynomial.hermite.hermvander polynomial.hermite.hermvander2d polynomial.hermite.hermvander3d
  polynomial.hermite.hermweight polynomial.hermite.poly2herm polynomial.hermite_e.herme2poly
  polynomial.hermite_e.hermeadd polynomial.hermite_e.hermecompanion polynomial.hermite_e.hermeder
  polynomial.hermite_e.hermediv polynomial.hermite_e.hermefit polynomial.hermite_e.hermefromroots
  polynomial.hermite_e.hermegrid2d polynomial.hermite_e.hermegrid3d polynomial.hermite_e.hermeint
  polynomial.hermite_e.hermeline polynomial.hermite_e.hermemul polynomial.hermite_e.hermemulx
  polynomial.hermite_e.hermepow polynomial.hermite_e.hermeroots polynomial.hermite_e.hermesub
  polynomial.hermite_e.hermetrim polynomial.hermite_e.hermeval polynomial.hermite_e.hermeval2d
  polynomial.hermite_e.hermeval3d polynomial.hermite_e.hermevander polynomial.hermite_e.hermevander2d
  polynomial.hermite_e.hermevander3d polynomial.hermite_e.hermeweight polynomial.hermite_e.poly2herme
  polynomial.laguerre.lag2poly polynomial.laguerre.lagadd polynomial.laguerre.lagcompanion polynomial.laguerre.lagder
  polynomial.laguerre.lagdiv polynomial.laguerre.lagfit polynomial.laguerre.lagfromroots polynomial.laguerre.laggrid2d
  polynomial.laguerre.laggrid3d polynomial.laguerre.lagint polynomial.laguerre.lagline polynomial.laguerre.lagmul
  polynomial.laguerre.lagmulx polynomial.laguerre.lagpow polynomial.laguerre.lagroots polynomial.laguerre.lagsub
  polynomial.laguerre.lagtrim polynomial.laguerre.lagval polynomial.laguerre.lagval2d polynomial.laguerre.lagval3d
  polynomial.laguerre.lagvander polynomial.laguerre.lagvander2d polynomial.laguerre.lagvander3d
  polynomial.laguerre.lagweight polynomial.laguerre.poly2lag polynomial.legendre.leg2poly polynomial.legendre.legadd
  polynomial.legendre.legcompanion polynomial.legendre.legder polynomial.legendre.legdiv polynomial.legendre.legfit
  polynomial.legendre.legfromroots polynomial.legendre.leggrid2d polynomial.legendre.leggrid3d
  polynomial.legendre.legint polynomial.legendre.legline polynomial.legendre.legmul polynomial.legendre.legmulx
  polynomial.legendre.legpow polynomial.legendre.legroots polynomial.legendre.legsub polynomial.legendre.legtrim
  polynomial.legendre.legval polynomial.legendre.legval2d polynomial.legendre.legval3d polynomial.legendre.legvander
  polynomial.legendre.legvander2d polynomial.legendre.legvander3d polynomial.legendre.legweight
  polynomial.legendre.poly2leg polynomial.polynomial.polyadd polynomial.polynomial.polycompanion
  polynomial.polynomial.polyder polynomial.polynomial.polydiv polynomial.polynomial.polyfit
  polynomial.polynomial.polyfromroots polynomial.polynomial.polygrid2d polynomial.polynomial.polygrid3d
  polynomial.polynomial.polyint polynomial.polynomial.polyline polynomial.polynomial.polymul
  polynomial.polynomial.polymulx polynomial.polynomial.polypow polynomial.polynomial.polyroots
  polynomial.polynomial.polysub polynomial.polynomial.polytrim polynomial.polynomial.polyval
  polynomial.polynomial.polyval2d polynomial.polynomial.polyval3d polynomial.polynomial.polyvalfromroots
  polynomial.polynomial.polyvander polynomial.polynomial.polyvander2d polynomial.polynomial.polyvander3d
  polynomial.polyutils.as_series polynomial.polyutils.getdomain polynomial.polyutils.mapdomain
  polynomial.polyutils.mapparms polynomial.polyutils.trimcoef polynomial.polyutils.trimseq polysub polyval positive
  pow power printoptions prod profiler.benchmark profiler.profile profiler.time_range progress promote_types ptp put
  put_along_axis putmask quantile r_ rad2deg radians random.RandomState random.beta random.binomial random.bytes
  random.chisquare random.choice random.default_rng random.dirichlet random.exponential random.f random.gamma
  random.geometric random.get_random_state random.get_state random.gumbel random.hypergeometric random.integers
  random.laplace random.logistic random.lognormal random.logseries random.multinomial
  random.multivariate_hypergeometric random.multivariate_normal random.negative_binomial random.noncentral_chisquare
  random.noncentral_f random.normal random.pareto random.permutation random.permuted random.poisson random.power
  random.rand random.randint random.randn random.random random.random_integers random.random_sample random.ranf
  random.rayleigh random.reset_states random.sample random.seed random.set_random_state random.set_state
  random.shuffle random.standard_cauchy random.standard_exponential random.standard_gamma random.standard_normal
  random.standard_t random.tomaxint random.triangular random.uniform random.vonmises random.wald random.weibull
  random.zipf range ravel ravel_multi_index real real_if_close reciprocal remainder repeat_ require reshape resize
  result_type revoke right_shift rint roll rollaxis roots rot90 round row_stack rows rsqrt same_shape save savetxt
  savez savez_compressed scatter_add scatter_max scatter_min scope searchsorted select set_async set_default_dtype
  set_fusion set_printoptions setdiff1d setxor1d shape shares_memory show_config sign signal.StateSpace
  signal.TransferFunction signal.ZerosPolesGain signal.abcd_normalize signal.argrelextrema signal.argrelmax
  signal.argrelmin signal.band_stop_obj signal.bessel signal.besselap signal.bilinear signal.bilinear_zpk signal.bode
  signal.buttap signal.butter signal.buttord signal.ca_cfar signal.cfar_alpha signal.channelize_poly signal.cheb1ap
  signal.cheb1ord signal.cheb2ap signal.cheb2ord signal.cheby1 signal.cheby2 signal.check_COLA signal.check_NOLA
  signal.chirp signal.choose_conv_method signal.coherence signal.complex_cepstrum signal.cont2discrete signal.convolve
  signal.convolve1d2o signal.convolve1d3o signal.convolve2d signal.correlate signal.correlate2d
  signal.correlation_lags signal.csd signal.cspline1d signal.cspline1d_eval signal.cspline2d signal.cwt signal.dbode
  signal.decimate signal.deconvolve signal.detrend signal.dfreqresp signal.dimpulse signal.dlsim signal.dlti
  signal.dstep signal.ellip signal.ellipap signal.ellipord signal.fftconvolve signal.filtfilt signal.find_peaks
  signal.findfreqs signal.firfilter signal.firfilter2 signal.firfilter_zi signal.firls signal.firwin signal.firwin2
  signal.freq_shift signal.freqresp signal.freqs signal.freqs_zpk signal.freqz signal.freqz_sos signal.freqz_zpk
  signal.gammatone signal.gauss_spline signal.gausspulse signal.get_window signal.group_delay signal.hilbert
  signal.hilbert2 signal.iircomb signal.iirdesign signal.iirfilter signal.iirnotch signal.iirpeak signal.impulse
  signal.inverse_complex_cepstrum signal.invres signal.invresz signal.istft signal.kaiser_atten signal.kaiser_beta
  signal.kaiserord signal.lfilter signal.lfilter_zi signal.lfiltic signal.lombscargle signal.lp2bp signal.lp2bp_zpk
  signal.lp2bs signal.lp2bs_zpk signal.lp2hp signal.lp2hp_zpk signal.lp2lp signal.lp2lp_zpk signal.lsim signal.lti
  signal.max_len_seq signal.medfilt signal.medfilt2d signal.minimum_phase signal.morlet signal.morlet2 signal.mvdr
  signal.normalize signal.oaconvolve signal.order_filter signal.peak_prominences signal.peak_widths signal.periodogram
  signal.place_poles signal.pulse_compression signal.pulse_doppler signal.qmf signal.qspline1d signal.qspline1d_eval
  signal.qspline2d signal.real_cepstrum signal.resample signal.resample_poly signal.residue signal.residuez
  signal.ricker signal.savgol_coeffs signal.savgol_filter signal.sawtooth signal.sepfir2d signal.sos2tf signal.sos2zpk
  signal.sosfilt signal.sosfilt_zi signal.sosfiltfilt signal.sosfreqz signal.spectrogram signal.spline_filter
  signal.square signal.ss2tf signal.ss2zpk signal.step signal.stft signal.sweep_poly signal.symiirorder1
  signal.symiirorder2 signal.tf2sos signal.tf2ss signal.tf2zpk signal.unique_roots signal.unit_impulse signal.upfirdn
  signal.vectorstrength signal.welch signal.wiener signal.windows.barthann signal.windows.bartlett
  signal.windows.blackman signal.windows.blackmanharris signal.windows.bohman signal.windows.boxcar
  signal.windows.chebwin signal.windows.cosine signal.windows.exponential signal.windows.flattop
  signal.windows.gaussian signal.windows.general_cosine signal.windows.general_gaussian signal.windows.general_hamming
  signal.windows.get_window signal.windows.hamming signal.windows.hann signal.windows.kaiser
  signal.windows.kaiser_bessel_derived signal.windows.lanczos signal.windows.nuttall signal.windows.parzen
  signal.windows.taylor signal.windows.triang signal.windows.tukey signal.zpk2sos signal.zpk2ss signal.zpk2tf signbit
  sin sinc sinh size sleep sort sort_complex sparse.Matrix.abs sparse.Matrix.absolute sparse.Matrix.add
  sparse.Matrix.arcsin sparse.Matrix.arcsinh sparse.Matrix.arctan sparse.Matrix.arctanh sparse.Matrix.argmax
  sparse.Matrix.argmin sparse.Matrix.asformat sparse.Matrix.astype sparse.Matrix.ceil sparse.Matrix.conj
  sparse.Matrix.conjugate sparse.Matrix.copy sparse.Matrix.count_nonzero sparse.Matrix.deg2rad sparse.Matrix.diagonal
  sparse.Matrix.divide sparse.Matrix.dot sparse.Matrix.eliminate_zeros sparse.Matrix.eq sparse.Matrix.expm1
  sparse.Matrix.floor sparse.Matrix.ge sparse.Matrix.get sparse.Matrix.getH sparse.Matrix.getcol sparse.Matrix.getnnz
  sparse.Matrix.getrow sparse.Matrix.gt sparse.Matrix.le sparse.Matrix.log1p sparse.Matrix.lt sparse.Matrix.matmul
  sparse.Matrix.max sparse.Matrix.maximum sparse.Matrix.mean sparse.Matrix.min sparse.Matrix.minimum
  sparse.Matrix.multiply sparse.Matrix.nanmax sparse.Matrix.nanmin sparse.Matrix.ne sparse.Matrix.nonzero
  sparse.Matrix.power sparse.Matrix.rad2deg sparse.Matrix.reshape sparse.Matrix.rint sparse.Matrix.rmatmul
  sparse.Matrix.setdiag sparse.Matrix.sign sparse.Matrix.sin sparse.Matrix.sinh sparse.Matrix.sort_indices
  sparse.Matrix.sorted_indices sparse.Matrix.sqrt sparse.Matrix.subtract sparse.Matrix.sum
  sparse.Matrix.sum_duplicates sparse.Matrix.tan sparse.Matrix.tanh sparse.Matrix.to_device sparse.Matrix.toarray
  sparse.Matrix.tobsr sparse.Matrix.tocoo sparse.Matrix.tocsc sparse.Matrix.tocsr sparse.Matrix.todense
  sparse.Matrix.todia sparse.Matrix.trace sparse.Matrix.transpose sparse.Matrix.trunc sparse.block_array
  sparse.block_diag sparse.bmat sparse.bsr_array sparse.bsr_matrix sparse.coo_array sparse.coo_matrix sparse.csc_array
  sparse.csc_matrix sparse.csgraph.bellman_ford sparse.csgraph.breadth_first_order sparse.csgraph.breadth_first_tree
  sparse.csgraph.connected_components sparse.csgraph.depth_first_order sparse.csgraph.depth_first_tree
  sparse.csgraph.dijkstra sparse.csgraph.floyd_warshall sparse.csgraph.johnson sparse.csgraph.laplacian
  sparse.csgraph.maximum_bipartite_matching sparse.csgraph.minimum_spanning_tree sparse.csgraph.reconstruct_path
  sparse.csgraph.reverse_cuthill_mckee sparse.csgraph.shortest_path sparse.csgraph.structural_rank sparse.csr_array
  sparse.csr_matrix sparse.dia_array sparse.dia_matrix sparse.diags sparse.diags_array sparse.eye sparse.eye_array
  sparse.find sparse.get_index_dtype sparse.hstack sparse.identity sparse.issparse sparse.isspmatrix
  sparse.isspmatrix_bsr sparse.isspmatrix_coo sparse.isspmatrix_csc sparse.isspmatrix_csr sparse.isspmatrix_dia
  sparse.kron sparse.kronsum sparse.linalg.LinearOperator sparse.linalg.SuperLU sparse.linalg.aslinearoperator
  sparse.linalg.bicgstab sparse.linalg.cg sparse.linalg.cgs sparse.linalg.eigsh sparse.linalg.expm_multiply
  sparse.linalg.factorized sparse.linalg.gmres sparse.linalg.inv sparse.linalg.lobpcg sparse.linalg.lsmr
  sparse.linalg.lsqr sparse.linalg.matrix_power sparse.linalg.minres sparse.linalg.norm sparse.linalg.spilu
  sparse.linalg.splu sparse.linalg.spsolve sparse.linalg.spsolve_triangular sparse.linalg.svds sparse.load_npz
  sparse.matrix_transpose sparse.permute_dims sparse.rand sparse.random sparse.random_array
  sparse.safely_cast_index_arrays sparse.sampled_matmul sparse.save_npz sparse.sparray sparse.spdiags sparse.spmatrix
  sparse.swapaxes sparse.tril sparse.triu sparse.vstack spatial.Delaunay spatial.KDTree spatial.distance.braycurtis
  spatial.distance.canberra spatial.distance.cdist spatial.distance.chebyshev spatial.distance.cityblock
  spatial.distance.correlation spatial.distance.cosine spatial.distance.dice spatial.distance.distance_matrix
  spatial.distance.euclidean spatial.distance.hamming spatial.distance.hellinger spatial.distance.jaccard
  spatial.distance.jensenshannon spatial.distance.kl_divergence spatial.distance.mahalanobis
  spatial.distance.minkowski spatial.distance.pdist spatial.distance.rogerstanimoto spatial.distance.russellrao
  spatial.distance.seuclidean spatial.distance.sokalsneath spatial.distance.sqeuclidean spatial.distance.squareform
  spatial.distance.yule spatial.distance_matrix special.bdtr special.bdtrc special.bdtri special.beta special.betainc
  special.betaincc special.betaincinv special.betaln special.binom special.boxcox special.boxcox1p special.btdtr
  special.btdtri special.cbrt special.chdtr special.chdtrc special.chdtri special.cosdg special.cosm1 special.cotdg
  special.dawsn special.digamma special.ellipe special.ellipeinc special.ellipj special.ellipk special.ellipkinc
  special.ellipkm1 special.entr special.erf special.erfc special.erfcinv special.erfcx special.erfi special.erfinv
  special.exp1 special.exp10 special.exp2 special.expi special.expit special.expm1 special.expn special.exprel
  special.fdtr special.fdtrc special.fdtri special.gamma special.gammainc special.gammaincc special.gammainccinv
  special.gammaincinv special.gammaln special.gammasgn special.gdtr special.gdtrc special.huber special.i0 special.i0e
  special.i1 special.i1e special.inv_boxcox special.inv_boxcox1p special.j0 special.j1 special.k0 special.k0e
  special.k1 special.k1e special.kl_div special.lambertw special.log1p special.log_expit special.log_ndtr
  special.log_softmax special.loggamma special.logit special.logsumexp special.lpmv special.multigammaln special.nbdtr
  special.nbdtrc special.nbdtri special.ndtr special.ndtri special.pdtr special.pdtrc special.pdtri special.poch
  special.polygamma special.pseudo_huber special.psi special.radian special.rel_entr special.rgamma special.round
  special.shichi special.sici special.sinc special.sindg special.softmax special.sph_harm special.sph_harm_y
  special.spherical_yn special.stdtr special.tandg special.wofz special.wright_bessel special.xlog1py special.xlogy
  special.y0 special.y1 special.yn special.zeta special.zetac split sqrt square squeeze stack stats.boxcox_llf
  stats.entropy stats.gaussian_kde stats.pearsonr stats.rankdata stats.spearmanr stats.trim_mean stats.zmap
  stats.zscore std stencil subtract sum swapaxes synchronize take take_along_axis tan tanh tensordot
  testing.assert_allclose testing.assert_array_almost_equal testing.assert_array_almost_equal_nulp
  testing.assert_array_equal testing.assert_array_less testing.assert_array_list_equal testing.assert_array_max_ulp
  testing.assert_equal tile time to to_device to_dlpack tobytes tofile tolist topk totable trace transpose trapezoid
  tri tril tril_indices tril_indices_from trim_zeros triu triu_indices triu_indices_from true_divide trunc uint16
  uint32 uint64 uint8 union1d unique unique_all unique_counts unique_inverse unique_values unpackbits unravel_index
  unstack unwrap vander var vdot vecdot vectorize view vsplit vstack wavfile.decode wavfile.encode wavfile.read
  wavfile.write where xor_ zeros zeros_like
]],
  methods = [[
  abs absolute acos acosh add all allclose amax amin and_ angle any append arccos arccosh arcsin arcsinh arctan
  arctan2 arctanh argmax argmin argpartition argsort argwhere around array2string array_equal array_equiv array_repr
  array_split array_str asanyarray asarray_chkfinite ascontiguousarray asfortranarray asin asinh asnumpy assign astype
  atan atan2 atanh atleast_1d atleast_2d atleast_3d average bitwise_and bitwise_count bitwise_invert
  bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor broadcast_to byteswap cbrt ceil choose
  clip compress conj conjugate convolve copy copysign correlate cos cosh count_nonzero cross cumprod cumsum
  cumulative_prod cumulative_sum data deg2rad degrees delete diag diagflat diagonal diff dims divide divmod dlpack dot
  dsplit dumps each ediff1d empty_like eq equal eval exp exp2 expand_dims expm1 export fabs fill fill_diagonal fix
  flatnonzero flatten flip fliplr flipud float_power floor floor_divide fmax fmin fmod format_float_positional
  format_float_scientific free frexp full_like gcd ge get get_async gradient greater greater_equal gt heaviside
  histogram histogram_bin_edges hsplit hypot i0 iadd iadd_at idiv imul inner insert invert ipow isclose iscomplex
  isfinite isfortran isinf isnan isneginf isposinf isreal isub item keep kron lcm ldexp le left_shift less less_equal
  log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logsumexp lt map matmul
  matrix_transpose max maximum may_share_memory mean median min min_scalar_type minimum mod modf moveaxis multiply
  nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod
  nanquantile nanstd nansum nanvar ne negative nextafter nonzero not_ not_equal ones_like or_ outer packbits pad
  partition percentile permute_dims positive pow power prod ptp ptr put put_along_axis putmask quantile rad2deg
  radians ravel real_if_close reciprocal remainder repeat_ require reshape resize right_shift rint roll rollaxis rot90
  round rows rsqrt same_shape scatter_add scatter_max scatter_min searchsorted set_async shares_memory sign signbit
  sin sinc sinh sort sort_complex split sqrt square squeeze std subtract sum swapaxes take take_along_axis tan tanh
  tensordot tile to to_device to_dlpack tobytes tofile tolist topk totable trace transpose trapezoid tril trim_zeros
  triu true_divide trunc unique unpackbits unstack unwrap vander var vdot vecdot view vsplit xor_ zeros_like
]],
}
