-- The pages of docs/reference: {file, title, the page of docs to read first, names}. Names are functions, or `module.*`
-- for all of a module that no page before takes; what is left goes to other.md. See scripts/reference.lua.
return {
  { "create", "Making arrays", "arrays", [[zeros zeros_like ones ones_like full full_like empty empty_like eye identity
    arange range linspace logspace geomspace array asarray asanyarray asarray_chkfinite ascontiguousarray
    asfortranarray require copy :copy frombuffer fromffi fromfunction fromiter fromstring meshgrid mgrid ogrid r_ c_
    tri tril triu diag diagflat vander bartlett blackman hamming hanning kaiser]] },
  { "shape", "Shapes and joining", "arrays", [[reshape ravel flatten transpose permute_dims matrix_transpose swapaxes
    moveaxis rollaxis expand_dims squeeze atleast_1d atleast_2d atleast_3d broadcast_to broadcast_arrays
    broadcast_shapes concatenate concat stack hstack vstack dstack row_stack column_stack block split array_split
    hsplit vsplit dsplit unstack tile repeat_ flip fliplr flipud roll rot90 resize append insert delete trim_zeros pad
    shape size ndim dims view lib.stride_tricks.as_strided lib.stride_tricks.sliding_window_view]] },
  { "indexing", "Indexing and writing", "indexing", [[take take_along_axis put put_along_axis putmask place copyto
    fill_diagonal extract compress :compress choose select where piecewise nonzero flatnonzero argwhere
    ravel_multi_index unravel_index index indices ix_ diagonal diag_indices diag_indices_from tril_indices
    tril_indices_from triu_indices triu_indices_from mask_indices fill assign iadd isub imul idiv ipow iadd_at
    scatter_add scatter_max scatter_min each rows blocks item totable tolist]] },
  { "mathematics", "Mathematics, element by element", "numerics", [[add subtract multiply divide true_divide
    floor_divide remainder mod fmod divmod power pow float_power negative positive absolute abs fabs sign signbit square
    sqrt rsqrt cbrt reciprocal exp exp2 expm1 log log2 log10 log1p logaddexp logaddexp2 sin cos tan arcsin arccos arctan
    arctan2 asin acos atan atan2 sinh cosh tanh arcsinh arccosh arctanh asinh acosh atanh sinc i0 hypot deg2rad radians
    rad2deg degrees unwrap angle real imag conj conjugate real_if_close floor ceil trunc rint fix round around clip
    nan_to_num copysign nextafter ldexp frexp modf heaviside maximum minimum fmax fmin gcd lcm]] },
  { "logic", "Comparisons, logic and bits", "arrays", [[equal not_equal less less_equal greater greater_equal eq ne lt
    le gt ge logical_and logical_or logical_xor logical_not and_ or_ xor_ not_ isnan isinf isfinite isneginf isposinf
    isreal iscomplex isrealobj iscomplexobj isscalar isfortran isclose allclose array_equal array_equiv same_shape
    bitwise_and bitwise_or bitwise_xor invert bitwise_not bitwise_invert left_shift right_shift bitwise_left_shift
    bitwise_right_shift bitwise_count packbits unpackbits may_share_memory shares_memory]] },
  { "reduce", "Sums, means and the like", "arrays", [[sum prod mean std var average median quantile percentile max min
    amax amin ptp argmax argmin any all count_nonzero nansum nanprod nanmean nanstd nanvar nanmax nanmin nanmedian
    nanquantile nanpercentile nanargmax nanargmin logsumexp cumsum cumprod nancumsum nancumprod cumulative_sum
    cumulative_prod diff ediff1d gradient trapezoid cov corrcoef correlate convolve histogram histogram2d histogramdd
    histogram_bin_edges bincount digitize interp]] },
  { "products", "Products", "products", "dot vdot vecdot inner outer matmul tensordot einsum kron cross trace" },
  { "sort", "Sorting, searching and sets", "sort", [[sort :sort argsort lexsort sort_complex partition :partition
    argpartition topk searchsorted unique unique_all unique_counts unique_inverse unique_values isin in1d intersect1d
    union1d setdiff1d setxor1d]] },
  { "functions", "Functions and kernels of your own", "kernels", [[vectorize frompyfunc GeneralizedUFunc fuse stencil
    ElementwiseKernel ReductionKernel RawKernel RawModule apply_along_axis apply_over_axes map iterate memoize
    clear_memo]] },
  { "dtypes", "Dtypes", "dtypes", [[astype bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16
    float32 float64 complex64 complex128 complex can_cast promote_types result_type min_scalar_type common_type
    issubdtype isdtype finfo iinfo get_default_dtype set_default_dtype byteswap]] },
  { "files", "Files, text and other programs", "files", [[save load savez savez_compressed savetxt loadtxt genfromtxt
    fromfile loadt7 tofile tobytes dumps loads export import revoke to_dlpack from_dlpack :dlpack :data :ptr array2string
    array_str array_repr format_float_positional format_float_scientific base_repr binary_repr set_printoptions
    get_printoptions printoptions hdf5.*]] },
  { "devices", "Devices, memory and streams", "devices", [[device to to_device get get_async set_async asnumpy
    get_array_module synchronize allow_synchronize Stream Event get_current_stream get_elapsed_time
    get_default_memory_pool get_default_pinned_memory_pool free_all_blocks live_buffers free keep scope eval :eval
    set_fusion show_config help time sleep progress profiler.*]] },
  { "polynomials", "Polynomials by their coefficients", "polynomial",
    "poly poly1d polyadd polysub polymul polydiv polyval polyder polyint polyfit roots" },
  { "linalg", "moonarray.linalg", "linalg", "linalg.*" },
  { "lapack", "moonarray.lapack", "linalg", "lapack.*" },
  { "fft", "moonarray.fft", "fft", "fft.*" },
  { "fftpack", "moonarray.fftpack", "fft", "fftpack.*" },
  { "random", "moonarray.random", "random", "random.*" },
  { "polynomial", "moonarray.polynomial", "polynomial", [[polynomial.polynomial.* polynomial.polyutils.*
    polynomial.Polynomial polynomial.Polynomial.*]] },
  { "chebyshev", "moonarray.polynomial.chebyshev", "polynomial",
    "polynomial.chebyshev.* polynomial.Chebyshev polynomial.Chebyshev.*" },
  { "legendre", "moonarray.polynomial.legendre", "polynomial",
    "polynomial.legendre.* polynomial.Legendre polynomial.Legendre.*" },
  { "hermite", "moonarray.polynomial.hermite", "polynomial",
    "polynomial.hermite.* polynomial.Hermite polynomial.Hermite.*" },
  { "hermite_e", "moonarray.polynomial.hermite_e", "polynomial",
    "polynomial.hermite_e.* polynomial.HermiteE polynomial.HermiteE.*" },
  { "laguerre", "moonarray.polynomial.laguerre", "polynomial",
    "polynomial.laguerre.* polynomial.Laguerre polynomial.Laguerre.*" },
  { "special", "moonarray.special", "special", "special.*" },
  { "signal_windows", "moonarray.signal.windows", "signal", "signal.windows.* signal.get_window" },
  { "signal_design", "moonarray.signal: the design of filters", "signal", [[signal.butter signal.buttord signal.buttap
    signal.bessel signal.besselap signal.cheby1 signal.cheb1ord signal.cheb1ap signal.cheby2 signal.cheb2ord
    signal.cheb2ap signal.ellip signal.ellipord signal.ellipap signal.iirdesign signal.iirfilter signal.iirnotch
    signal.iirpeak signal.iircomb signal.gammatone signal.firwin signal.firwin2 signal.firls signal.minimum_phase
    signal.kaiser_atten signal.kaiser_beta signal.kaiserord signal.savgol_coeffs signal.band_stop_obj signal.qmf
    signal.lp2lp signal.lp2hp signal.lp2bp signal.lp2bs signal.lp2lp_zpk signal.lp2hp_zpk signal.lp2bp_zpk
    signal.lp2bs_zpk signal.bilinear signal.bilinear_zpk]] },
  { "signal_systems", "moonarray.signal: systems and responses", "signal", [[signal.lti signal.dlti signal.StateSpace
    signal.TransferFunction signal.ZerosPolesGain signal.abcd_normalize signal.cont2discrete signal.place_poles signal.lsim signal.dlsim
    signal.impulse signal.dimpulse signal.step signal.dstep signal.bode signal.dbode signal.freqresp signal.dfreqresp
    signal.freqs signal.freqs_zpk signal.freqz signal.freqz_zpk signal.freqz_sos signal.sosfreqz signal.group_delay
    signal.findfreqs signal.residue signal.residuez signal.invres signal.invresz signal.unique_roots signal.normalize
    signal.tf2zpk signal.tf2sos signal.tf2ss signal.zpk2tf signal.zpk2sos signal.zpk2ss signal.sos2tf signal.sos2zpk
    signal.ss2tf signal.ss2zpk]] },
  { "signal", "moonarray.signal: convolution, filters and spectra", "signal", "signal.*" },
  { "ndimage_measure", "moonarray.ndimage: interpolation and measurements", "ndimage", [[ndimage.affine_transform
    ndimage.map_coordinates ndimage.rotate ndimage.shift ndimage.zoom ndimage.spline_filter ndimage.spline_filter1d
    ndimage.label ndimage.find_objects ndimage.sum ndimage.sum_labels ndimage.mean ndimage.median ndimage.variance
    ndimage.standard_deviation ndimage.minimum ndimage.maximum ndimage.minimum_position ndimage.maximum_position
    ndimage.extrema ndimage.center_of_mass ndimage.histogram ndimage.labeled_comprehension ndimage.value_indices
    ndimage.distance_transform_edt]] },
  { "ndimage", "moonarray.ndimage: filters and morphology", "ndimage", "ndimage.*" },
  { "interpolate", "moonarray.interpolate", "interpolate", "interpolate.*" },
  { "spatial", "moonarray.spatial", "spatial", "spatial.*" },
  { "sparse_linalg", "moonarray.sparse.linalg and moonarray.sparse.csgraph", "sparse-linalg",
    "sparse.linalg.* sparse.csgraph.*" },
  { "sparse_matrix", "Methods of sparse matrices", "sparse", "sparse.Matrix.*" },
  { "sparse", "moonarray.sparse", "sparse", "sparse.*" },
  { "distributed_array", "Methods of sharded arrays", "distributed-arrays", "distributed.Array.*" },
  { "distributed", "moonarray.distributed", "distributed", "distributed.*" },
  { "stats", "moonarray.stats", "stats", "stats.*" },
  { "image", "moonarray.image and moonarray.wavfile", "image", "image.* wavfile.*" },
  { "plot", "moonarray.plot", "plot", "plot.*" },
  { "love", "moonarray.love", "love", "love.*" },
  { "jit", "moonarray.jit", "jit", "jit.*" },
  { "cuda_runtime", "moonarray.cuda.runtime and moonarray.cuda.texture", "from-cupy", "cuda.runtime.* cuda.texture.*" },
  { "cuda", "moonarray.cuda", "cuda", "cuda.*" },
  { "testing", "moonarray.testing", "testing-arrays", "testing.*" },
}
