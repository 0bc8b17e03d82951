-- The functions of CUDA that kernels/cpu/cpu_cuda*.h has: signatures, bounds and arguments. Read by intrinsics.lua and
-- by the spec.
--
-- A row: result and parameters by letter, the bound, the arguments, the calls. Letters: i int, u unsigned, l long long,
-- v unsigned long long, f float, d double. Bounds: "=" the same bits; a number: so many units in the last place; "e"
-- and a number: that part of the result, or of 1 where the result is less; "g": so, but where a GPU gave a NaN (jn of
-- numbers next to 0) the CPU need not. NVIDIA states 5e-12 for j0 and its kind in double, from 8 on. Arguments: "" are
-- edges and random bits of all kinds, a range is for the floating parameters, "n0..5" for the integers. A call is a
-- name, or an expression of a, b, c and e.

local list = {}

local function rows(signature, bound, arguments, calls)
  for call in calls:gmatch("%S+") do
    local name = call
    if not call:find("(", 1, true) then
      local letters = {}
      for k = 1, #signature - 2 do letters[k] = ("abce"):sub(k, k) end
      call = call .. "(" .. table.concat(letters, ",") .. ")"
    end
    list[#list + 1] = { name = name .. ":" .. signature, call = call, result = signature:sub(1, 1),
      parameters = signature:sub(3), bound = bound,
      arguments = arguments }
  end
end

-- ==== Bits and integers ====
rows("i:i", "=", "", "__ffs __clz abs")
rows("i:u", "=", "", "__popc")
rows("u:u", "=", "", "__brev")
rows("i:l", "=", "", "__ffsll __clzll")
rows("i:v", "=", "", "__popcll")
rows("v:v", "=", "", "__brevll")
rows("l:l", "=", "", "llabs abs")
rows("i:ii", "=", "", "__mulhi __hadd __rhadd __mul24 min max")
rows("u:uu", "=", "", "__umulhi __uhadd __urhadd __umul24 min max umin umax")
rows("u:iu", "=", "", "min max")
rows("u:ui", "=", "", "min max")
rows("l:ll", "=", "", "__mul64hi min max llmin llmax")
rows("v:vv", "=", "", "__umul64hi min max ullmin ullmax")
rows("v:lv", "=", "", "min max")
rows("v:vl", "=", "", "min max")
rows("u:iiu", "=", "", "__sad")
rows("u:uuu", "=", "",
  "__usad __byte_perm __funnelshift_l __funnelshift_r __funnelshift_lc __funnelshift_rc __dp4a __dp2a_lo __dp2a_hi")
rows("i:iii", "=", "", "__dp4a __dp2a_lo __dp2a_hi")
rows("i:f", "=", "", "__float_as_int ilogbf ilogb")
rows("u:f", "=", "", "__float_as_uint")
rows("f:i", "=", "", "__int_as_float")
rows("f:u", "=", "", "__uint_as_float")
rows("l:d", "=", "", "__double_as_longlong")
rows("d:l", "=", "", "__longlong_as_double")
rows("i:d", "=", "", "__double2hiint __double2loint ilogb")
rows("d:ii", "=", "", "__hiloint2double")

-- ==== SIMD in a word ====
for _, lanes in ipairs { "2", "4" } do
  local one, two = {}, {}
  for name in ("abs absss neg negss"):gmatch("%a+") do one[#one + 1] = "__v" .. name .. lanes end
  for name in ([[add addss addus sub subss subus avgs avgu haddu maxs maxu mins minu absdiffs absdiffu sads sadu
    cmpeq cmpne cmpges cmpgeu cmpgts cmpgtu cmples cmpleu cmplts cmpltu seteq setne setges setgeu setgts setgtu setles setleu setlts
    setltu]]):gmatch("%a+") do
    two[#two + 1] = "__v" .. name .. lanes
  end
  rows("u:u", "=", "", table.concat(one, " "))
  rows("u:uu", "=", "", table.concat(two, " "))
end
rows("i:ii", "=", "", "__vimax_s32_relu __vimin_s32_relu")
rows("i:iii", "=", "", [[__vimax3_s32 __vimin3_s32 __vimax3_s32_relu __vimin3_s32_relu __viaddmax_s32 __viaddmin_s32 __viaddmax_s32_relu
  __viaddmin_s32_relu]])
rows("u:uu", "=", "", "__vimax_s16x2_relu __vimin_s16x2_relu")
rows("u:uuu", "=", "", [[__vimax3_s16x2 __vimin3_s16x2 __vimax3_s16x2_relu __vimin3_s16x2_relu __vimax3_u16x2 __vimin3_u16x2 __vimax3_u32 __vimin3_u32
  __viaddmax_s16x2 __viaddmin_s16x2 __viaddmax_s16x2_relu __viaddmin_s16x2_relu __viaddmax_u16x2 __viaddmin_u16x2 __viaddmax_u32
  __viaddmin_u32]])
rows("i:ii", "=", "", "vibmax_s32(a,b) vibmin_s32(a,b)")
rows("u:uu", "=", "",
  "vibmax_u32(a,b) vibmin_u32(a,b) vibmax_s16x2(a,b) vibmin_s16x2(a,b) vibmax_u16x2(a,b) vibmin_u16x2(a,b)")

-- ==== Roundings ====
for _, mode in ipairs { "rn", "rz", "ru", "rd" } do
  local function of(names) return (names:gsub("%S+", "%0_" .. mode)) end
  rows("f:ff", "=", "", of "__fadd __fsub __fmul __fdiv")
  rows("f:fff", "=", "", of "__fmaf")
  rows("f:f", "=", "", of "__frcp __fsqrt")
  rows("d:dd", "=", "", of "__dadd __dsub __dmul __ddiv")
  rows("d:ddd", "=", "", of "__fma")
  rows("d:d", "=", "", of "__drcp __dsqrt")
  rows("i:f", "=", "", of "__float2int")
  rows("u:f", "=", "", of "__float2uint")
  rows("l:f", "=", "", of "__float2ll")
  rows("v:f", "=", "", of "__float2ull")
  rows("i:d", "=", "", of "__double2int")
  rows("u:d", "=", "", of "__double2uint")
  rows("l:d", "=", "", of "__double2ll")
  rows("v:d", "=", "", of "__double2ull")
  rows("f:i", "=", "", of "__int2float")
  rows("f:u", "=", "", of "__uint2float")
  rows("f:l", "=", "", of "__ll2float")
  rows("f:v", "=", "", of "__ull2float")
  rows("d:l", "=", "", of "__ll2double")
  rows("d:v", "=", "", of "__ull2double")
  rows("f:d", "=", "", of "__double2float")
end
rows("f:f", "=", "", "__frsqrt_rn __saturatef")
rows("d:i", "=", "", "__int2double_rn")
rows("d:u", "=", "", "__uint2double_rn")

-- ==== Functions of one rounding, or of none ====
rows("f:f", "=", "", [[fabsf fabs abs floorf floor ceilf ceil truncf trunc rintf rint nearbyintf roundf round logbf logb sqrtf sqrt
  modf_whole(a) modf_part(a) frexp_part(a)]])
rows("d:d", "=", "",
  "fabs abs floor ceil trunc rint nearbyint round logb sqrt modf_whole(a) modf_part(a) frexp_part(a)")
rows("i:f", "=", "", "frexp_power(a) isnan(a)!=0 isinf(a)!=0 isfinite(a)!=0 signbit(a)!=0")
rows("i:d", "=", "", "frexp_power(a) isnan(a)!=0 isinf(a)!=0 isfinite(a)!=0 signbit(a)!=0")
rows("l:f", "=", "-1e9..1e9", "llrintf llroundf llrint llround")
rows("l:d", "=", "-1e9..1e9", "llrint llround")
rows("f:ff", "=", "", "fmaxf fminf fmax fmin max min fdimf copysignf nextafterf fmodf remainderf fdim copysign " ..
  "nextafter fmod remainder remquo_rest(a,b)")
rows("d:dd", "=", "", "fmax fmin max min fdim copysign nextafter fmod remainder remquo_rest(a,b)")
rows("d:df", "=", "", "max min")
rows("d:fd", "=", "", "max min")
rows("i:ff", "=", "-1e6..1e6", "remquo_bits(a,b)")
rows("i:dd", "=", "-1e6..1e6", "remquo_bits(a,b)")
rows("f:fff", "=", "", "fmaf fma")
rows("d:ddd", "=", "", "fma")
rows("f:fi", "=", "", "ldexpf scalbnf ldexp scalbn")
rows("d:di", "=", "", "ldexp scalbn")
rows("f:fl", "=", "n-300..300", "scalblnf(a,(long)b)")
rows("d:dl", "=", "n-2200..2200", "scalbln(a,(long)b)")

-- ==== Transcendental functions: NVIDIA's own bounds and the CPU's together ====
rows("f:f", "4", "", [[rsqrtf rsqrt cbrtf cbrt rcbrtf rcbrt expf exp exp2f exp2 exp10f exp10 expm1f expm1 logf log log2f log2 log10f log10 log1pf log1p
  sinpif sinpi cospif cospi asinf asin acosf acos atanf atan sinhf sinh coshf cosh tanhf tanh asinhf asinh erff erf erfinvf erfinv
  sincospif_sin(a) sincospif_cos(a)]])
rows("f:f", "6", "", "sinf sin cosf cos tanf tan acoshf acosh atanhf atanh erfcf erfc erfcinvf erfcinv erfcxf " ..
  "erfcx sincosf_sin(a) sincosf_cos(a)")
rows("f:f", "8", "",
  "normcdff normcdf normcdfinvf normcdfinv cyl_bessel_i0f cyl_bessel_i0 cyl_bessel_i1f cyl_bessel_i1")
rows("f:f", "10", "-2..100", "lgammaf lgamma")
rows("f:f", "10", "-30..36", "tgammaf tgamma")
rows("f:f", "e1e-5", "-60..60", "j0f j1f j0 j1")
rows("f:f", "e1e-5", "0..60", "y0f y1f y0 y1")
rows("f:if", "g1e-4", "n0..6 0..60", "jnf jn")
rows("f:if", "e1e-4", "n0..6 2..60", "ynf yn")
rows("d:d", "4", "", [[rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan sinpi cospi asin acos atan sinh cosh tanh asinh acosh atanh
  erf sincospi_sin(a) sincospi_cos(a) sincos_sin(a) sincos_cos(a)]])
rows("d:d", "8", "", "erfc erfinv erfcinv erfcx normcdf cyl_bessel_i0 cyl_bessel_i1")
rows("d:d", "10", "", "normcdfinv")
rows("d:d", "10", "-2..100", "lgamma")
rows("d:d", "14", "-30..170", "tgamma")
rows("d:d", "e1e-11", "-60..60", "j0 j1")
rows("d:d", "e1e-11", "0..60", "y0 y1")
rows("d:id", "g1e-11", "n0..6 0..60", "jn")
rows("d:id", "e1e-11", "n0..6 2..60", "yn")
rows("f:ff", "6", "", "hypotf hypot rhypotf atan2f atan2 powf pow")
rows("d:dd", "4", "", "hypot rhypot atan2 pow")
rows("f:fff", "5", "", "norm3df rnorm3df")
rows("d:ddd", "4", "", "norm3d rnorm3d")
rows("f:ffff", "5", "", "norm4df rnorm4df norm_of(a,b,c,e) rnorm_of(a,b,c,e)")
rows("d:dddd", "4", "", "norm4d rnorm4d norm_of(a,b,c,e) rnorm_of(a,b,c,e)")

-- ==== Fast functions: the CPU has the exact ones ====
rows("f:f", "e1e-6", "-3.1415..3.1415", "__sinf __cosf fastsincos_sin(a) fastsincos_cos(a)")
rows("f:f", "e1e-5", "-1.3..1.3", "__tanf __tanhf")
rows("f:f", "e1e-5", "-40..40", "__expf __exp10f(a*0.5f)")
rows("f:f", "e1e-6", "0.001..1000", "__logf __log2f __log10f")
rows("f:ff", "e1e-5", "0.5..8", "__powf __fdividef fdividef")

return list
