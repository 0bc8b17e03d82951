/* complex.h: complex numbers of type C with parts of type R. */
MA_COMPLEX C MA_SELF(ma_cadd)(C x, C y) {
  x.re += y.re;
  x.im += y.im;
  return x;
}
MA_COMPLEX C MA_SELF(ma_csubtract)(C x, C y) {
  x.re -= y.re;
  x.im -= y.im;
  return x;
}
MA_COMPLEX C MA_SELF(ma_cmultiply)(C x, C y) {
  C z;
  z.re = x.re * y.re - x.im * y.im;
  z.im = x.re * y.im + x.im * y.re;
  return z;
}
MA_COMPLEX C MA_SELF(ma_csquare)(C x) {
  C z;
  z.re = x.re * x.re - x.im * x.im;
  z.im = x.re * x.im + x.im * x.re;
  return z;
}
MA_COMPLEX C MA_SELF(ma_cnegative)(C x) {
  x.re = -x.re;
  x.im = -x.im;
  return x;
}
MA_COMPLEX C MA_SELF(ma_cconjugate)(C x) {
  x.im = -x.im;
  return x;
}
MA_COMPLEX R MA_SELF(ma_cabsolute)(C x) { return ma_hypot(x.re, x.im); }
MA_COMPLEX uint8_t MA_SELF(ma_ctruth)(C x) { return (x.re != 0) | (x.im != 0); }
MA_COMPLEX uint8_t MA_SELF(ma_cisnan)(C x) { return (x.re != x.re) | (x.im != x.im); }
MA_COMPLEX uint8_t MA_SELF(ma_cisfinite)(C x) { return (x.re - x.re == 0) & (x.im - x.im == 0); }
MA_COMPLEX uint8_t MA_SELF(ma_cisinf)(C x) {
  return ((x.re == x.re) & (x.re - x.re != 0)) | ((x.im == x.im) & (x.im - x.im != 0));
}

/* Smith's method: it overflows only if the quotient does. */
MA_COMPLEX C MA_SELF(ma_cdivide)(C x, C y) {
  C z;
  if (ma_absolute(y.re) >= ma_absolute(y.im)) {
    if (y.re == 0) {
      z.re = x.re / ma_absolute(y.re);
      z.im = x.im / ma_absolute(y.re);
      return z;
    }
    R ratio = y.im / y.re, scale = (R)1 / (y.re + y.im * ratio);
    z.re = (x.re + x.im * ratio) * scale;
    z.im = (x.im - x.re * ratio) * scale;
  } else {
    R ratio = y.re / y.im, scale = (R)1 / (y.im + y.re * ratio);
    z.re = (x.re * ratio + x.im) * scale;
    z.im = (x.im * ratio - x.re) * scale;
  }
  return z;
}
MA_COMPLEX C MA_SELF(ma_creciprocal)(C x) {
  C z;
  if (ma_absolute(x.im) <= ma_absolute(x.re)) {
    R ratio = x.im / x.re, below = x.re + x.im * ratio;
    z.re = 1 / below;
    z.im = -ratio / below;
  } else {
    R ratio = x.re / x.im, below = x.re * ratio + x.im;
    z.re = ratio / below;
    z.im = -1 / below;
  }
  return z;
}
MA_COMPLEX C MA_SELF(ma_csign)(C x) {
  R size = ma_hypot(x.re, x.im);
  C z;
  if (size != size || size == 0) {
    z.re = z.im = size;
    return z;
  }
  if (size - size == 0) {
    z.re = x.re / size;
    z.im = x.im / size;
    return z;
  }
  int wide = ma_isinf(x.re), high = ma_isinf(x.im);
  z.re = wide ? (high ? size - size : ma_copysign((R)1, x.re)) : (R)0;
  z.im = high ? (wide ? size - size : ma_copysign((R)1, x.im)) : (R)0;
  return z;
}

/* Complex numbers are ordered by their real parts, then by their imaginary parts. A part that is NaN compares false. */
MA_COMPLEX uint8_t MA_SELF(ma_cequal)(C x, C y) { return (x.re == y.re) & (x.im == y.im); }
MA_COMPLEX uint8_t MA_SELF(ma_cless)(C x, C y) {
  return ((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im < y.im));
}
MA_COMPLEX uint8_t MA_SELF(ma_cless_equal)(C x, C y) {
  return ((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im <= y.im));
}
MA_COMPLEX C MA_SELF(ma_cmaximum)(C x, C y) { return (MA_SELF(ma_cless_equal)(y, x) | MA_SELF(ma_cisnan)(x)) ? x : y; }
MA_COMPLEX C MA_SELF(ma_cminimum)(C x, C y) { return (MA_SELF(ma_cless_equal)(x, y) | MA_SELF(ma_cisnan)(x)) ? x : y; }
MA_COMPLEX C MA_SELF(ma_cfmax)(C x, C y) { return (MA_SELF(ma_cless_equal)(y, x) | MA_SELF(ma_cisnan)(y)) ? x : y; }
MA_COMPLEX C MA_SELF(ma_cfmin)(C x, C y) { return (MA_SELF(ma_cless_equal)(x, y) | MA_SELF(ma_cisnan)(y)) ? x : y; }
MA_COMPLEX C MA_SELF(ma_cclip)(C x, C low, C high) { return MA_SELF(ma_cminimum)(MA_SELF(ma_cmaximum)(x, low), high); }

MA_COMPLEX uint8_t MA_SELF(ma_cisclose)(C x, C y, R relative, R absolute) {
  R distance = MA_SELF(ma_cabsolute)(MA_SELF(ma_csubtract)(x, y));
  return MA_SELF(ma_cequal)(x, y) |
         ((distance <= absolute + relative * MA_SELF(ma_cabsolute)(y)) & MA_SELF(ma_cisfinite)(y));
}
MA_COMPLEX C MA_SELF(ma_cnan_to_num)(C x, R nan, R high, R low) {
  x.re = ma_nan_to_num(x.re, nan, high, low);
  x.im = ma_nan_to_num(x.im, nan, high, low);
  return x;
}
MA_COMPLEX C MA_SELF(ma_crint)(C x) {
  x.re = ma_rint(x.re);
  x.im = ma_rint(x.im);
  return x;
}
MA_COMPLEX C MA_SELF(ma_cround)(C x, int64_t n) {
  x.re = ma_round(x.re, n);
  x.im = ma_round(x.im, n);
  return x;
}
