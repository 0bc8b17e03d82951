-- The types of parameters, for editors and for the reference: by the parameter's name, and where a name means several
-- things by the function's name before it. Short names of classes stand for moonarray's. As a chunk that is loaded
-- (dofile) it returns a function: type_of(function's name, parameter's name) -> text, or nil for one that is unknown.

-- A type, then the parameters of that type.
local by_name = {
  ["data"] = [[a b x y xp fp z w c c1 c2 object value values fill_value condition weights initial u v input divisor
    x1 x2 a1 a2 ar1
    ar2 in1 in2 arr sos structure footprint labels structure1 structure2 mask src t p pol coef roots yi xi data
    element test_elements m prepend append to_begin to_end choices default vals val scores compare dataset lmb wi
    dydx hk h r d q X XA XB V VI zi events freqs freq taps widths hrow hcol signal actual desired delta theta phi
    alpha lmbda noise U T X0 x0 coordinates matrix sample pk qk index pvals colors ceps volume im template bands
    sv number aweights fweights seq_of_zeros c_or_r seq alist ws wp Wn A B C D zeros poles ind image gain cj newx
    L choicelist Zxx peaks Iin poly]],
  ["data[]"] = "arrays condlist keys",
  ["array"] = "out distances dst where array host",
  ["array|dtype"] = "output",
  ["integer"] = [[decimals padlen N M k n num axis1 axis2 precision ddof count minlength ndmin nbytes depth width
    height flags id peer numtaps
    Nx points connectivity rank iterations nperseg nfft noverlap n_fft nbits length polyorder deriv window_length
    n_chans guard_cells reference_cells max_label filter_size leafsize degree neighbors up down decimal nulp
    max_rows skiprows skip_header max_line_width threshold edgeitems linewidth exp_digits pad_left pad_right
    min_digits base padding max_work edge_order deg maxpower der nin nout n_repeat n_warmup priority lane axisa
    axisb axisc ndelay nbar nfreqs target src_device dst_device src_pitch dst_pitch sizeInBytes pitchInBytes
    maxAnisotropy address ptr in1_len in2_len threads id_color color ndim]],
  ["integer|integer[]"] = [[axis axes source destination reps nsample size shape new_shape dimensions dims kth s
    usecols window_shape
    kernel_size mysize output_shape]],
  ["integer|integer[]|array"] = "indices repeats obj positions idx seed",
  ["number"] = [[start stop step lo hi rtol atol tol fs dt dx re cval rcond wo bw rp rs gpass gstop w0 Q beta at
    std sig sll
    tau center lamb off scl lbnd truncate border_value discont period rel_height fc bwr tpr duty pfa f0 f1 t1 f
    dln mu offset bias proportiontocut max_duration max_pixels angle percentile correction ripple z1 c0 omega epsilon
    smoothing maxulp passb stopb nan posinf neginf irlen wlen]],
  ["number|array"] = [[low high loc scale lam df dfnum dfden nonc ngood nbad left right mean kappa a_min
    a_max min max cutoff]],
  ["number|number[]"] = "pad_width constant_values end_values",
  ["number|number[]|array"] = "shift zoom sampling sigma origin radius",
  ["number[]"] = "domain window old new borderColors boxsize bbox",
  ["integer[]"] = "strides",
  ["boolean"] = [[keepdims assume_unique check compute_uv copy density endpoint equal_nan full full_matrices hermitian
    increasing invert lower overwrite_input p_indices permute_l replace return_counts return_index return_indices
    return_inverse returned shuffle sparse strict suppress suppress_small tensor unit_diagonal upper verbose
    overwrite_x orthogonalize retstep sym analog whole return_onesided prefilter wrap descending stable largest
    sorted readonly writeable on allow blocking block disable_timing interprocess non_blocking null no_return
    reduce_dims return_tuple rescale brute_force complete complex checks rowvar inplace trans1d fractional unique
    unpack return_distances reshape grid_mode bounds_error copy_data compact_nodes balanced_tree assume_sorted
    include_nyquist antisymmetric half zero_phase padded vertex_zero retquad retenv precenter calc_cov measure
    sRGB normalizedCoords enable_cooperative_groups real include_initial return_sign for_each_device to_text
    supports_batched smooth floating_mean versioned pass_positions input_onesided fftbins]],
  ["string"] = [[name device order casting path mode kind method bitorder sep format delimiter comments newline
    header footer kernel_name
    separator prefix suffix nanstr infstr floatmode code preamble operation in_params out_params loop_prep
    after_loop map reduce post_map reduce_type subscripts side title message fmt variable symbol UPLO boundary
    scaling padtype ftype btype average nan_policy alternative signature op kernel reflect_type pairing rtype
    bit_generator value_type string bytes ticket trim sign pci_bus_id attribute restype indexing err_msg]],
  ["string|false"] = "detrend",
  ["\"backward\"|\"ortho\"|\"forward\""] = "norm",
  ["string|string[]"] = "options names addressModes requirements metric",
  ["dtype"] = "dtype type1 type2 out_dtype arg1 arg2",
  ["function"] = [[fn func func1d function_ callback mask_func derivative derivative2 comparator wavelet]],
  ["function[]"] = "funclist",
  ["table"] = "functions args formatter extra_keywords constants",
  ["any[]"] = "extra_arguments",
  ["any"] = "... ignore_value arg identity filling_values",
  ["generator"] = "generator",
  ["stream"] = "stream",
  ["event"] = "event",
  ["graph"] = "graph",
  ["pool"] = "pool",
  ["plan"] = "plan",
  ["pool|function"] = "allocator",
  ["userdata|table|string"] = "owner",
  ["series"] = "series",
  ["texture"] = "texture",
  ["system|table"] = "system",
  ["spline"] = "tck",
  ["piecewise"] = "bp",
  ["table|string"] = "bc_type",
  ["boolean|string"] = "extrapolate pass_zero optimize",
  ["integer|string"] = "type",
  ["integer|array"] = "bins worN",
  ["array[]"] = "xlist ylist",
}

-- "function's name or its beginning, with %-patterns: type = parameters".
local special = {
  { "^random%.", ["number|array"] = "a b p n k mode lam low high mu alpha_", ["data"] = "alpha pvals cov x",
    ["integer|integer[]"] = "size", ["integer"] = "length", ["table"] = "state" },
  { "^random%.choice$", ["data|integer"] = "a", ["data"] = "p" },
  { "^random%.permutation$", ["data|integer"] = "x" },
  { "^random%.multinomial$", ["integer"] = "n" },
  { "^random%.multivariate_normal$", ["data"] = "mean cov", ["string"] = "method" },
  { "^random%.gamma$", ["number|array"] = "shape" }, { "^random%.standard_gamma$", ["number|array"] = "shape" },
  { "^polynomial%.", ["data"] = "k x y z c w", ["integer"] = "m pow deg", ["number"] = "tol" },
  { "^polynomial%..*vander%dd$", ["integer[]"] = "deg" },
  { "^poly%a*$", ["data"] = "k a b p x y w", ["integer"] = "m", ["boolean"] = "r", ["boolean|string"] = "cov" },
  { "^linalg%.norm$", ["number|string"] = "ord" }, { "^linalg%.%a+_norm$", ["number|string"] = "ord" },
  { "^linalg%.pinv$", ["number|array"] = "rcond rtol" }, { "^linalg%.matrix_rank$", ["number|array"] = "tol rtol" },
  { "^linalg%.cond$", ["number|string"] = "p" },
  { "^linalg%.matrix_power$", ["integer"] = "n" }, { "^linalg%.tri[lu]$", ["data"] = "m" },
  { "^linalg%.dft$", ["string"] = "scale" }, { "^linalg%.hankel$", ["data"] = "c r" },
  { "^linalg%.leslie$", ["data"] = "f s" }, { "^linalg%.tensor", ["integer"] = "ind" },
  { "^linalg%.lu_solve$", ["table"] = "lu_and_piv", ["integer"] = "trans" },
  { "^linalg%.solve_triangular$", ["integer|string"] = "trans" },
  { "^linalg%.cho_solve$", ["table"] = "c_and_lower" },
  { "^linalg%..*diagonal$", ["integer"] = "offset" }, { "^linalg%.trace$", ["integer"] = "offset" },
  { "tensordot$", ["integer|integer[]|integer[][]"] = "axes" },
  { "^diagonal$", ["integer"] = "offset" }, { "^trace$", ["integer"] = "offset" },
  { "^cov$", ["data"] = "m", ["boolean"] = "bias" }, { "^corrcoef$", ["data"] = "y" },
  { "^fft%.%l?f?ht", ["data"] = "a A" }, { "^fft%.fhtoffset$", ["number"] = "initial" },
  { "^fft%.fftfreq$", ["number"] = "d" }, { "^fft%.rfftfreq$", ["number"] = "d" },
  { "^fft%.", ["integer"] = "type size", ["integer|integer[]"] = "shape" },
  { "^fftpack%.", ["integer|integer[]"] = "shape" },
  { "^fft%..*cache_size$", ["integer"] = "size" },
  { "^special%.", ["data"] = [[a b n m k x y z v d s p q c u r df t dfn dfd delta theta phi lmbda base mask]],
    ["integer"] = "d_", ["string"] = "casting" },
  { "^special%.multigammaln$", ["integer"] = "d" }, { "^special%.lambertw$", ["integer"] = "k", ["number"] = "tol" },
  { "^special%.spherical_", ["boolean"] = "derivative" },
  { "^signal%.windows%.", ["integer"] = "M", ["data"] = "a", ["number"] = "alpha p",
    ["string|table|number"] = "window" },
  { "^signal%.", ["string|table|number|array"] = "window", ["string"] = "type domain output", ["integer"] = "n order",
    ["boolean"] = "normalize", ["number"] = "phi delta alpha z1 s cval",
    ["data"] = "k num den w weight height r" },
  { "^signal%.fir", ["data"] = "cutoff desired", ["number"] = "width" },
  { "^signal%.kaiser", ["number"] = "a width" }, { "^signal%.ricker$", ["number"] = "a" },
  { "^signal%.chirp$", ["data"] = "t" }, { "^signal%.sawtooth$", ["data|number"] = "width" },
  { "^signal%.detrend$", ["integer|integer[]"] = "bp" }, { "^signal%.cwt$", ["function"] = "wavelet" },
  { "^signal%.iirfilter$", ["data"] = "Wn" }, { "^signal%.findfreqs$", ["integer"] = "N" },
  { "^signal%.find_peaks$", ["number|number[]|array"] = "height threshold prominence width plateau_size",
    ["integer"] = "distance" },
  { "^signal%.peak_widths$", ["table"] = "prominence_data" },
  { "^signal%.freqz?", ["function"] = "plot" },
  { "^signal%.savgol_coeffs$", ["integer"] = "pos", ["string"] = "use" },
  { "^signal%.max_len_seq$", ["data"] = "state" }, { "^signal%.unit_impulse$", ["integer|integer[]|string"] = "idx" },
  { "^signal%.resample", ["integer"] = "num up down", ["data"] = "t" },
  { "^signal%.lombscargle$", ["boolean|string"] = "normalize" },
  { "^signal%.lsim$", ["boolean"] = "interp" }, { "^signal%.lt?i?$", ["data"] = "a b c d" },
  { "^signal%.iir", ["string"] = "ftype", ["boolean"] = "pass_zero" },
  { "^signal%.decimate$", ["integer"] = "q", ["string|system"] = "ftype" },
  { "^signal%.sym", ["number"] = "c0 z1 r omega precision" }, { "^signal%..spline2d$", ["number"] = "precision" },
  { "^signal%.upfirdn$", ["string"] = "mode", ["number"] = "cval" },
  { "^signal%.order_filter$", ["data"] = "domain", ["integer"] = "rank" },
  { "^signal%.istft$", ["boolean"] = "boundary", ["integer"] = "time_axis freq_axis" },
  { "^signal%.convolve2d$", ["number"] = "fillvalue" }, { "^signal%.correlate2d$", ["number"] = "fillvalue" },
  { "^signal%.wiener$", ["number"] = "noise" }, { "^signal%.vectorstrength$", ["data"] = "period" },
  { "^signal%.argrel", ["integer"] = "order" }, { "^signal%.morlet", ["number"] = "w s" },
  { "^signal%.gauss_spline$", ["integer"] = "n" }, { "^signal%.channelize_poly$", ["data"] = "h" },
  { "^ndimage%.", ["integer|integer[]|array"] = "size order index origin1 origin2 output_shape axes",
    ["string|string[]"] = "mode",
    ["array"] = "indices distances mask_", ["number"] = "cval min max", ["integer"] = "bins",
    ["data"] = "offset_" },
  { "^ndimage%.affine_transform$", ["number|number[]|array"] = "offset" },
  { "^ndimage%.label", ["integer|integer[]|array"] = "index", ["number"] = "default" },
  { "^ndimage%.fourier", ["number|number[]|array"] = "size sigma shift" },
  { "^ndimage%.iterate_structure$", ["data"] = "structure" },
  { "^ndimage%.rank_filter$", ["integer"] = "rank" },
  { "^interpolate%.", ["boolean|string"] = "extrapolate", ["data"] = "t c x y xi yi points values w y_",
    ["integer"] = "k n der axis", ["integer|string"] = "ext", ["number"] = "s", ["string|integer"] = "kind",
    ["number|string|table"] = "fill_value" },
  { "^interpolate%.NdBSpline$", ["integer|integer[]"] = "k" },
  { "^interpolate%.NearestNDInterpolator$", ["boolean"] = "rescale" },
  { "^interpolate%.RegularGrid", ["data[]"] = "points" }, { "^interpolate%.interpn$", ["data[]"] = "points" },
  { "^spatial%.", ["number"] = "p base", ["string"] = "force", ["data"] = "boxsize" },
  { "^stats%.", ["number"] = "base ddof", ["string"] = "method" },
  { "^stats%.gaussian_kde$", ["number|string|function"] = "bw_method" },
  { "^stencil$", ["string|string[]"] = "boundary", ["number"] = "value" },
  { "^jit%.", ["function|string"] = "fn", ["number|boolean"] = "value compare delta", ["table"] = "constants group",
    ["integer|integer[]"] = "index shape", ["integer"] = "mask size start count at lane",
    ["number"] = "a b x y z stop step", ["array"] = "array to from" },
  { "^jit%.range$", ["integer"] = "start stop step" },
  { "^jit%.cg%.memcpy_async$", ["array"] = "to from" },
  { "^jit%.reductionkernel$", ["moonarray.jit.reduction"] = "functions" },
  { "^cuda%.runtime%.mem[a-z]*$", ["array"] = "memory", ["array|integer"] = "dst src" },
  { "^cuda%.runtime%.memcpy", ["array|integer"] = "dst src", ["integer"] = "size kind width height" },
  { "^cuda%.runtime%.memset", ["integer"] = "value size", ["array"] = "memory" },
  { "^cuda%.runtime%.free", ["array"] = "memory", ["cuda_array"] = "array" },
  { "^cuda%.runtime%.destroy", ["texture"] = "object" },
  { "^cuda%.runtime%.event", ["event"] = "start stop" },
  { "^cuda%.runtime%.memPool", ["integer"] = "attribute value size" },
  { "^cuda%.runtime%.m?a?l?l?o?c?", ["integer"] = "size", ["channel_format"] = "desc", ["integer|string"] = "name" },
  { "^cuda%.runtime%.deviceReset$", ["string|integer"] = "device" },
  { "^cuda%.texture%.ChannelFormatDescriptor$", ["integer"] = "x y z w", ["integer|string"] = "f" },
  { "^cuda%.texture%.ResourceDescriptor$", ["integer|string"] = "restype", ["cuda_array"] = "cuArr",
    ["array"] = "arr", ["channel_format"] = "chDesc" },
  { "^cuda%.texture%.TextureDescriptor$", ["integer|string"] = "filterMode readMode",
    ["string|integer|table"] = "addressModes" },
  { "^cuda%.texture%.CUDAarray$", ["channel_format"] = "desc" },
  { "ResDesc$", {} },
  { "get_elapsed_time$", ["event"] = "start stop" },
  { "^cuda%.nvtx%.RangeEnd$", ["integer"] = "range" },
  { "^cuda%.gl%.", ["string"] = "flags", ["integer|string"] = "target" },
  { "^cuda%.Device$", ["integer"] = "id" },
  { "^cuda%.MemoryPool$", ["function"] = "allocator" }, { "^cuda%.UnownedMemory$", ["integer"] = "size" },
  { "^cuda%..*_like_pinned$", ["array"] = "array" },
  { "^cuda%.DebugPrintHook$", ["file*|table"] = "file" },
  { "^blocks$", ["integer"] = "n size" }, { "^iterate$", ["function"] = "step", ["integer"] = "n" },
  { "^range$", ["number"] = "lo hi step" }, { "^iadd_at$", ["data"] = "b" },
  { "^isscalar$", ["any"] = "element" }, { "^is_array$", ["any"] = "value" },
  { "^ndim$", ["data"] = "array" }, { "^size$", ["data"] = "array" }, { "^shape$", ["data"] = "array" },
  { "^jit%.atomic", ["array"] = "array" },
  { "^histogram", ["integer|data"] = "bins", ["number[]"] = "range" }, { "^digitize$", ["data"] = "bins" },
  { "^histogram[2d]d$", ["integer|integer[]|data[]"] = "bins", ["number[][]"] = "range" },
  { "^digitize$", ["boolean"] = "right" }, { "^interp$", ["number"] = "left right period" },
  { "^searchsorted$", ["array"] = "sorter" }, { "^clip$", ["data"] = "min max a_min a_max" },
  { "^pad$", ["integer|integer[]|integer[][]"] = "pad_width", ["data"] = "constant_values end_values",
    ["integer|integer[]"] = "stat_length", ["string|function"] = "mode" },
  { "^roll$", ["integer|integer[]"] = "shift" }, { "split$", ["integer|integer[]"] = "indices_or_sections" },
  { "^ravel_multi_index$", ["data[]"] = "multi_index" }, { "^logspace$", ["number"] = "base" },
  { "^geomspace$", ["data"] = "start stop" }, { "^linspace$", ["data"] = "start stop" },
  { "^nan_to_num$", ["number"] = "nan posinf neginf" }, { "^convolve$", ["data"] = "v" },
  { "^from_dlpack$", ["any"] = "source" }, { "^frombuffer$", ["string|ffi.cdata*"] = "buffer", ["any"] = "owner" },
  { "^fromfile$", ["integer"] = "offset count" }, { "^fromiter$", ["function"] = "iter" },
  { "^loadtxt$", ["string|file*"] = "file" }, { "^genfromtxt$", ["string|file*"] = "file" },
  { "^load$", ["string"] = "file" }, { "^save", ["string|file*"] = "file" }, { "^tofile$", ["string"] = "file" },
  { "^fromfile$", ["string"] = "file" }, { "^can_cast$", ["dtype|data"] = "from", ["dtype"] = "to" },
  { "^isdtype$", ["string|string[]"] = "kind" }, { "^export$", ["integer"] = "imports" },
  { "^printoptions$", ["table"] = "options" }, { "^to_dlpack$", ["integer"] = "version" },
  { "^:dlpack$", ["integer"] = "version" }, { "^to$", ["string"] = "device" },
  { "^clip$", ["data"] = "min max" }, { "^help$", ["any"] = "what" }, { "^progress$", ["table|file*"] = "stream" },
  { "^image%.", ["array"] = "image", ["data"] = "a", ["number"] = "min max", ["string"] = "colormap name",
    ["number[]"] = "bad", ["array_"] = "palette", ["integer"] = "n", ["integer|integer[]"] = "shape" },
  { "^image%..*$", ["array"] = "palette" },
  { "^lapack%.", ["boolean"] = "lower" }, { "^progress$", ["integer"] = "n width" },
  { "Kernel$", ["string"] = "code name reduce map", ["string[]"] = "options" },
  { "^RawModule$", ["string[]"] = "options name_expressions" },
  { "^ElementwiseKernel$", ["boolean"] = "reduce_dims" }, { "^ReductionKernel$", ["string|number"] = "identity" },
  { "^profiler%.benchmark$", ["integer[]"] = "devices", ["any[]"] = "args" },
  { "^memoize$", ["boolean"] = "for_each_device" }, { "^complex$", ["number"] = "re im" },
  { "^testing%.", ["number"] = "rtol atol", ["data"] = "a b" }, { "^vectorize$", ["function|string"] = "fn" },
  { "^vectorize$", ["table"] = "constants" }, { "^apply_over_axes$", ["function"] = "func" },
  { "^mask_indices$", ["function"] = "mask_func" }, { "^trapezoid$", ["number"] = "dx" },
  { "^gradient$", ["number"] = "edge_order" }, { "^resize$", ["integer|integer[]"] = "new_shape" },
  { "^angle$", ["boolean"] = "deg" }, { "^c_$", ["integer"] = "ndmin" },
  { "^array2string$", ["table"] = "formatter", ["string"] = "prefix" },
  { "^set_printoptions$", ["table"] = "formatter" },
  { "^range$", ["number"] = "start stop" }, { "^choose$", ["data[]"] = "choices" },
  { "quantile$", ["string"] = "method" }, { "percentile$", ["string"] = "method" },
  { "^finfo$", ["dtype"] = "dtype" }, { "^base_repr$", ["integer"] = "number" },
  { "^binary_repr$", ["integer"] = "num" }, { "^sort$", ["data"] = "arr" },
  { "^bartlett$", ["integer"] = "M" }, { "^kaiser$", ["number"] = "beta" }, { "^vander$", ["integer"] = "N" },
  { "^require$", ["string|string[]"] = "requirements" }, { "^map$", ["function"] = "fn" },
}
for _, name in ipairs { "createTextureObject", "createSurfaceObject" } do
  special[#special + 1] = { "^cuda%.runtime%." .. name .. "$", ["resource"] = "ResDesc", ["sampler"] = "TexDesc" }
end
special[#special + 1] = { "^cuda%.texture%..*Object$", ["resource"] = "ResDesc", ["sampler"] = "TexDesc" }

special[#special + 1] = { "^plot%.", ["figure"] = "figure", ["axes"] = "axes",
  ["data"] = "x y y1 y2 s c z values height width bottom left weights yerr xerr",
  ["string"] = [[color label linestyle marker align text title background colormap format xlabel ylabel xscale yscale
    style aspect path where origin]], ["number"] = "alpha linewidth markersize size min max lo hi capsize delay scale",
  ["integer"] = "rows columns n", ["integer|string|integer[]"] = "place", ["string|boolean"] = "on what",
  ["data|boolean"] = "at", ["string|boolean|string[]"] = "labels edgecolor", ["boolean|string"] = "grid legend",
  ["number[]"] = "extent range xlim ylim", ["integer|data|string"] = "bins", ["function"] = "fn",
  ["integer|boolean"] = "loop" }
special[#special + 1] = { "^plot%.%u%a*%.[xy]scale$", ["string"] = "scale" }
special[#special + 1] = { "^image%..*nimation", ["animation"] = "animation", ["array|figure"] = "frame",
  ["table|array|function"] = "frames", ["number"] = "delay", ["integer|boolean"] = "loop" }
special[#special + 1] = { "^interpolate%..*NDInterpolator$", ["data|table"] = "points", ["boolean"] = "rescale" }
special[#special + 1] = { "^interpolate%.CloughTocher", ["integer"] = "maxiter", ["data|table"] = "points",
  ["boolean"] = "rescale" }
special[#special + 1] = { "^spatial%.Delaunay$", ["data"] = "points" }
special[#special + 1] = { "^loadt7$", ["string|file*"] = "file", ["string"] = "mode" }
special[#special + 1] = { "^signal%.place_poles$", ["integer"] = "maxiter" }
special[#special + 1] = { "^image%.%l+$", ["integer"] = "quality", ["boolean"] = "subsampling" }
special[#special + 1] = { "^hdf5%.", ["table"] = "arrays" }
special[#special + 1] = { "^genfromtxt$", ["string"] = "quotechar", ["string|string[]"] = "missing_values",
  ["table"] = "converters" }
special[#special + 1] = { "^fromffi$", ["string"] = "field", ["ffi.cdata*"] = "object" }
special[#special + 1] = { "^loads?$", ["string[]"] = "members" }
special[#special + 1] = { "^plot%.subplots$", ["integer"] = "width height", ["number"] = "scale" }
special[#special + 1] = { "^plot%.figure$", ["integer"] = "width height", ["number"] = "scale" }
special[#special + 1] = { "^plot%.Figure%.text$", ["number"] = "x y" }
special[#special + 1] = { "^plot%.Figure%.save$", ["string"] = "path" }
special[#special + 1] = { "^plot%..*ax[hv]line$", ["number"] = "x y" }
special[#special + 1] = { "^love%.", ["number[]"] = "bad", ["string"] = "colormap format filter",
  ["userdata"] = "mesh data", ["integer"] = "rate", ["number"] = "min max" }
special[#special + 1] = { "^wavfile%.", ["integer"] = "rate bits", ["string|file*"] = "file", ["data"] = "data" }
special[#special + 1] = { "^image%.show$", ["integer"] = "columns colors", ["string|file*"] = "file", ["boolean"] =
    "text invert", ["string"] = "mode", ["number"] = "threshold" }
special[#special + 1] = { "^sparse%.", ["sparse_matrix|data"] = "A a b matrix graph csgraph mats blocks arg1 M",
  ["data"] = "diagonals diags predecessors X Y x0 v0", ["integer|integer[]"] = "offsets blocksize restart iter_lim",
  ["integer"] = "random_state m n k i num ncv maxiter i_start i_stop power",
  ["generator|integer"] = "rng", ["function"] = "data_rvs data_sampler callback matvec rmatvec matmat rmatmat",
  ["number"] = "damp btol conlim diag_pivot_thresh drop_tol fill_factor limit sigma maxval",
  ["string"] = "permc_spec callback_type drop_rule",
  ["boolean"] = [[directed unweighted min_only normed show overwrite compressed calc_var overwrite_A overwrite_b
    return_eigenvectors return_singular_vectors retLambdaHistory retResidualNormsHistory return_labels symmetric_mode
    return_predecessors return_diag use_out_degree symmetrized check_contents]],
  ["integer|string"] = "ord", ["table"] = "OPinv", ["dtype"] = "idx_dtype", ["string|file*"] = "file" }
special[#special + 1] = { "^sparse%.", ["string"] = "which connection perm_type msg", ["integer"] = "verbosityLevel" }
special[#special + 1] = { "^sparse%.Matrix%.", ["sparse_matrix"] = "a", ["integer"] = "axis k offset i" }
special[#special + 1] = { "^sparse%.[%l_]*%.?is?s?p", ["any"] = "x" }
special[#special + 1] = { "^distributed%.", ["distributed_group"] = "group", ["number"] = "timeout value",
  ["integer"] = "dst src tag color key halo", ["boolean"] = "async_op back wrap", ["data"] = "x part a",
  ["integer[]"] = "sizes input_split_sizes output_split_sizes ranks ids", ["string"] = "backend op path device",
  ["string|string[]"] = "boundary" }
special[#special + 1] = { "^distributed%.i?r?fftn$", ["sharded_array"] = "x" }
special[#special + 1] = { "^distributed%.save$", ["sharded_array"] = "x" }
special[#special + 1] = { "^distributed%.matmul$", ["sharded_array"] = "a b" }
special[#special + 1] = { "^distributed%.Array%.", ["sharded_array"] = "x", ["sharded_array|data"] = "y least most",
  ["sharded_array|integer"] = "to", ["sharded_array|array"] = "where" }
special[#special + 1] = { "^stencil$", ["boolean"] = "compile" }
special[#special + 1] = { "^sleep$", ["number"] = "seconds" }

local function words(map)
  local list = {}
  for kind, names in pairs(map) do
    if type(kind) == "string" then
      for name in names:gmatch("%S+") do
        assert(not list[name], name .. " has two types")
        list[name] = kind
      end
    end
  end
  return list
end

local plain = words(by_name)
for k, entry in ipairs(special) do special[k] = { entry[1], words(entry) } end

return function(name, parameter)
  for k = #special, 1, -1 do                              -- the last one is the most special
    local entry = special[k]
    if entry[2][parameter] and name:find(entry[1]) then return entry[2][parameter] end
  end
  return plain[parameter]
end
