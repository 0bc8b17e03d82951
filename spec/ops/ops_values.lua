--- One row of test values for every ufunc: { name, { value set of each operand }, ulp }.
--
-- The sets are of the golden ufunc, one of each dtype (spec/golden/ops/ufunc.py makes them):
--   real             special values of the dtype, then random ones of several sizes
--   x, y             every pair of special values, then random pairs of reals
--   finite           reals without what is infinite, subnormal or huge; finite_x, finite_y: pairs of them
--   shifted, shift   integers and counts around their width;  base, exponent: no negative exponents for integers
--   mantissa, scale  floats and int32 powers of two;  condition: bools as long as x
--   low, high        bounds for x: the lesser and the greater of two of its values
-- ulp is the largest distance from the golden values, 0 for what has one right answer. {a, b} gives complex dtypes a
-- limit of their own, which counts by the norm of the number. zero: 0 and -0 are equal. plain: a function that takes no
-- out, where and dtype. numpy: what gives the golden values, an expression of x, y, z (`np.cos(np.pi * x)`), where
-- NumPy has no function of the name; real_only: there is no loop for complex numbers, though that expression has one. A
-- ufunc without a row fails ops_spec.lua; `make golden` writes the values of a new row.
return {
  -- arithmetic
  { "add", { "x", "y" }, 0 },
  { "subtract", { "x", "y" }, 0 },
  { "multiply", { "x", "y" }, { 0, 2 } },
  { "divide", { "x", "y" }, { 0, 4 } },
  { "floor_divide", { "x", "y" }, 0 },
  { "remainder", { "x", "y" }, 0 },
  { "fmod", { "x", "y" }, 0 },
  { "divmod", { "x", "y" }, 0 },
  { "power", { "base", "exponent" }, { 2, 32 } },
  { "float_power", { "finite_x", "finite_y" }, { 2, 256 } },
  { "negative", { "real" }, 0 },
  { "positive", { "real" }, 0 },
  { "absolute", { "real" }, { 0, 2 } },
  { "fabs", { "real" }, 0 },
  { "sign", { "real" }, { 0, 2 } },
  { "square", { "real" }, { 0, 2 } },
  { "reciprocal", { "real" }, { 0, 4 } },
  { "sqrt", { "real" }, { 0, 4 } },
  { "cbrt", { "real" }, 2 },
  { "conjugate", { "real" }, 0 },
  { "gcd", { "finite_x", "finite_y" }, 0 },
  { "lcm", { "finite_x", "finite_y" }, 0 },

  -- comparison and choice
  { "equal", { "x", "y" }, 0 },
  { "not_equal", { "x", "y" }, 0 },
  { "less", { "x", "y" }, 0 },
  { "less_equal", { "x", "y" }, 0 },
  { "greater", { "x", "y" }, 0 },
  { "greater_equal", { "x", "y" }, 0 },
  { "maximum", { "x", "y" }, 0, zero = true },
  { "minimum", { "x", "y" }, 0, zero = true },
  { "fmax", { "x", "y" }, 0, zero = true },
  { "fmin", { "x", "y" }, 0, zero = true },
  { "heaviside", { "x", "y" }, 0 },

  -- logic and bits
  { "logical_and", { "x", "y" }, 0 },
  { "logical_or", { "x", "y" }, 0 },
  { "logical_xor", { "x", "y" }, 0 },
  { "logical_not", { "real" }, 0 },
  { "bitwise_and", { "x", "y" }, 0 },
  { "bitwise_or", { "x", "y" }, 0 },
  { "bitwise_xor", { "x", "y" }, 0 },
  { "invert", { "real" }, 0 },
  { "left_shift", { "shifted", "shift" }, 0 },
  { "right_shift", { "shifted", "shift" }, 0 },
  { "bitwise_count", { "real" }, 0 },

  -- floating point
  { "isnan", { "real" }, 0 },
  { "isinf", { "real" }, 0 },
  { "isfinite", { "real" }, 0 },
  { "signbit", { "real" }, 0 },
  { "copysign", { "x", "y" }, 0 },
  { "nextafter", { "x", "y" }, 0, zero = true },
  { "ldexp", { "mantissa", "scale" }, 0 },
  { "frexp", { "real" }, 0 },
  { "modf", { "real" }, 0 },

  -- rounding
  { "rint", { "real" }, 0 },
  { "floor", { "real" }, 0 },
  { "ceil", { "real" }, 0 },
  { "trunc", { "real" }, 0 },

  -- exponentials and logarithms
  { "exp", { "real" }, { 4, 8 } },
  { "exp2", { "real" }, { 4, 8 } },
  { "expm1", { "real" }, { 4, 8 } },
  { "log", { "real" }, { 4, 8 } },
  { "log2", { "real" }, { 4, 8 } },
  { "log10", { "real" }, { 4, 8 } },
  { "log1p", { "real" }, { 4, 8 } },
  { "logaddexp", { "x", "y" }, 4 },
  { "logaddexp2", { "x", "y" }, 4 },

  -- trigonometry
  { "sin", { "real" }, { 4, 8 } },
  { "cos", { "real" }, { 4, 8 } },
  { "tan", { "real" }, { 4, 8 } },
  { "arcsin", { "real" }, { 4, 8 } },
  { "arccos", { "real" }, { 4, 8 } },
  { "arctan", { "real" }, { 4, 8 } },
  { "arctan2", { "x", "y" }, 4 },
  { "hypot", { "x", "y" }, 2 },
  { "sinh", { "real" }, { 4, 8 } },
  { "cosh", { "real" }, { 4, 8 } },
  { "tanh", { "real" }, { 4, 8 } },
  { "arcsinh", { "real" }, { 4, 8 } },
  { "arccosh", { "real" }, { 4, 8 } },
  { "arctanh", { "real" }, { 4, 8 } },
  { "rad2deg", { "real" }, 2 },
  { "deg2rad", { "real" }, 2 },
  { "sinc", { "finite" }, 8 },
  { "i0", { "finite" }, 8 },

  -- functions over rows of ops.def that are no ufuncs
  { "where", { "condition", "x", "y" }, 0, plain = true },
  { "clip", { "x", "low", "high" }, 0, plain = true, zero = true },
  { "isclose", { "x", "y" }, 0, plain = true },
  { "real", { "real" }, 0, plain = true },
  { "imag", { "real" }, 0, plain = true },
  { "angle", { "real" }, { 2, 4 }, plain = true },
  { "nan_to_num", { "real" }, 0, plain = true },
}
