/* user.cuh: definitions for kernels that the user wrote: the dtypes as types, complex numbers, raw arrays. It
** follows scalar.h and prelude.cuh for NVRTC, and cpu_cuda.h for a C++ compiler. */
#ifndef MA_USER_CUH
#define MA_USER_CUH

#ifndef MOONARRAY_CPU
typedef decltype((char *)0 - (char *)0) ptrdiff_t;
typedef decltype(sizeof 0) size_t;
#endif
#ifndef NAN
#define NAN __uint_as_float(0x7fffffffu)
#define INFINITY __uint_as_float(0x7f800000u)
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
#endif

typedef bool bool_;
typedef int8_t int8;
typedef int16_t int16;
typedef int32_t int32;
typedef int64_t int64;
typedef uint8_t uint8;
typedef uint16_t uint16;
typedef uint32_t uint32;
typedef uint64_t uint64;
typedef float float32;
typedef double float64;

/* ==== 16-bit floats: two bytes that compute as float and round when they are stored =============================== */

#define MA_HALF(name, to_float, from_float)                                           \
  struct name {                                                                       \
    uint16_t bits;                                                                    \
    name() = default;                                                                 \
    template <class X> MA_FN name(X x) : bits(from_float(ma_narrow((double)x))) {}    \
    MA_FN name(float x) : bits(from_float(x)) {}                                      \
    MA_FN operator float() const { return to_float(bits); }                           \
    static MA_FN name of_bits(uint16_t b) {                                           \
      name h;                                                                         \
      h.bits = b;                                                                     \
      return h;                                                                       \
    }                                                                                 \
    MA_FN name &operator+=(float y) { return *this = name(float(*this) + y); }        \
    MA_FN name &operator-=(float y) { return *this = name(float(*this) - y); }        \
    MA_FN name &operator*=(float y) { return *this = name(float(*this) * y); }        \
    MA_FN name &operator/=(float y) { return *this = name(float(*this) / y); }        \
    template <class X> friend MA_FN name min(name x, X y) { return min(x, name(y)); } \
    template <class X> friend MA_FN name max(name x, X y) { return max(x, name(y)); } \
    template <class X> friend MA_FN name min(X x, name y) { return min(name(x), y); } \
    template <class X> friend MA_FN name max(X x, name y) { return max(name(x), y); } \
    friend MA_FN name min(name x, name y) { return float(y) < float(x) ? y : x; }     \
    friend MA_FN name max(name x, name y) { return float(x) < float(y) ? y : x; }     \
  };
MA_HALF(float16, ma_f16_to_float, ma_float_to_f16)
MA_HALF(bfloat16, ma_bf16_to_float, ma_float_to_bf16)
#undef MA_HALF

/* ==== Complex numbers ============================================================================================ */

template <class T> struct ma_parts;
template <> struct ma_parts<float> { typedef ma_c64 type; };
template <> struct ma_parts<double> { typedef ma_c128 type; };

template <class T> struct complex;
struct ma_none {
  float re, im;
};
template <class T> struct ma_other;
template <> struct ma_other<float> {
  typedef ma_none narrower;
  typedef complex<double> wider;
};
template <> struct ma_other<double> {
  typedef complex<float> narrower;
  typedef ma_none wider;
};

template <class T> struct complex : ma_parts<T>::type {
  typedef typename ma_parts<T>::type parts;
  typedef T value_type;
  complex() = default;
  MA_FN complex(T re, T im = 0) {
    this->re = re;
    this->im = im;
  }
  MA_FN complex(const parts &z) : parts(z) {}
  /* complex64 converts to complex128 implicitly; the reverse is complex64(z). */
  MA_FN complex(const typename ma_other<T>::narrower &z) {
    this->re = (T)z.re;
    this->im = (T)z.im;
  }
  MA_FN explicit complex(const typename ma_other<T>::wider &z) {
    this->re = (T)z.re;
    this->im = (T)z.im;
  }
  MA_FN T real() const { return this->re; }
  MA_FN T imag() const { return this->im; }
  MA_FN void real(T x) { this->re = x; }
  MA_FN void imag(T x) { this->im = x; }
  MA_FN const parts &as_parts() const { return *this; }
  MA_FN complex &operator+=(const complex &y) { return *this = *this + y; }
  MA_FN complex &operator-=(const complex &y) { return *this = *this - y; }
  MA_FN complex &operator*=(const complex &y) { return *this = *this * y; }
  MA_FN complex &operator/=(const complex &y) { return *this = *this / y; }
  /* Friends, so that a number on either side is converted to complex. */
  friend MA_FN complex operator+(const complex &x, const complex &y) { return ma_cadd(x.as_parts(), y.as_parts()); }
  friend MA_FN complex operator-(const complex &x, const complex &y) {
    return ma_csubtract(x.as_parts(), y.as_parts());
  }
  friend MA_FN complex operator*(const complex &x, const complex &y) {
    return ma_cmultiply(x.as_parts(), y.as_parts());
  }
  friend MA_FN complex operator/(const complex &x, const complex &y) { return ma_cdivide(x.as_parts(), y.as_parts()); }
  friend MA_FN complex operator-(const complex &x) { return ma_cnegative(x.as_parts()); }
  friend MA_FN complex operator+(const complex &x) { return x; }
  friend MA_FN bool operator==(const complex &x, const complex &y) { return x.re == y.re && x.im == y.im; }
  friend MA_FN bool operator!=(const complex &x, const complex &y) { return !(x == y); }
  friend MA_FN bool operator<(const complex &x, const complex &y) { return ma_cless(x.as_parts(), y.as_parts()); }
  friend MA_FN bool operator<=(const complex &x, const complex &y) {
    return ma_cless_equal(x.as_parts(), y.as_parts());
  }
  friend MA_FN bool operator>(const complex &x, const complex &y) { return y < x; }
  friend MA_FN bool operator>=(const complex &x, const complex &y) { return y <= x; }
};
typedef complex<float> complex64;
typedef complex<double> complex128;

#define MA_COMPLEX_PART(name, value) \
  template <class T> MA_FN T name(const complex<T> &z) { return value; }
MA_COMPLEX_PART(real, z.re)
MA_COMPLEX_PART(imag, z.im)
MA_COMPLEX_PART(abs, ma_cabsolute(z.as_parts()))
MA_COMPLEX_PART(arg, ma_arctan2(z.im, z.re))
MA_COMPLEX_PART(norm, z.re *z.re + z.im * z.im)
#undef MA_COMPLEX_PART
#define MA_COMPLEX_FUNCTION(name, call) \
  template <class T> MA_FN complex<T> name(const complex<T> &z) { return call(z.as_parts()); }
MA_COMPLEX_FUNCTION(conj, ma_cconjugate)
MA_COMPLEX_FUNCTION(exp, ma_cexp)
MA_COMPLEX_FUNCTION(log, ma_clog)
MA_COMPLEX_FUNCTION(log2, ma_clog2)
MA_COMPLEX_FUNCTION(log10, ma_clog10)
MA_COMPLEX_FUNCTION(sqrt, ma_csqrt)
MA_COMPLEX_FUNCTION(sin, ma_csin)
MA_COMPLEX_FUNCTION(cos, ma_ccos)
MA_COMPLEX_FUNCTION(sinh, ma_csinh)
MA_COMPLEX_FUNCTION(cosh, ma_ccosh)
MA_COMPLEX_FUNCTION(tanh, ma_ctanh)
MA_COMPLEX_FUNCTION(asin, ma_carcsin)
MA_COMPLEX_FUNCTION(acos, ma_carccos)
MA_COMPLEX_FUNCTION(atan, ma_carctan)
#undef MA_COMPLEX_FUNCTION
template <class T> MA_FN complex<T> pow(const complex<T> &x, const complex<T> &y) {
  return ma_cpower(x.as_parts(), y.as_parts());
}
template <class T, class X> MA_FN complex<T> pow(const complex<T> &x, X y) { return pow(x, complex<T>((T)y)); }
template <class T, class X> MA_FN complex<T> pow(X x, const complex<T> &y) { return pow(complex<T>((T)x), y); }
template <class T> MA_FN complex<T> polar(T size, T angle) {
  return complex<T>(size * ma_cos(angle), size * ma_sin(angle));
}

/* ==== Mathematics ================================================================================================ */

/* Functions of two types. For one type CUDA has them, and cpu_cuda.h has its own. */
#ifndef MOONARRAY_CPU
template <class A, class B> MA_FN auto min(A a, B b) -> decltype(true ? +a : +b) {
  typedef decltype(true ? +a : +b) T;
  return min((T)a, (T)b);
}
template <class A, class B> MA_FN auto max(A a, B b) -> decltype(true ? +a : +b) {
  typedef decltype(true ? +a : +b) T;
  return max((T)a, (T)b);
}
#endif
#ifdef __CUDACC_RTC__
/* For integers they compute in double, as <cmath> does. */
template <bool> struct ma_when {};
template <> struct ma_when<true> { typedef double type; };
template <class T> struct ma_is_integer {
  enum { value = 0 };
};
#define MA_INTEGER(T)                   \
  template <> struct ma_is_integer<T> { \
    enum { value = 1 };                 \
  };
MA_INTEGER(bool)
MA_INTEGER(signed char)
MA_INTEGER(unsigned char)
MA_INTEGER(short)
MA_INTEGER(unsigned short)
MA_INTEGER(int)
MA_INTEGER(unsigned)
MA_INTEGER(long)
MA_INTEGER(unsigned long)
MA_INTEGER(long long)
MA_INTEGER(unsigned long long)
#undef MA_INTEGER
#define MA_OF_INTEGER(name) \
  template <class T> MA_FN typename ma_when<ma_is_integer<T>::value>::type name(T x) { return name((double)x); }
MA_OF_INTEGER(sqrt)
MA_OF_INTEGER(cbrt)
MA_OF_INTEGER(exp)
MA_OF_INTEGER(exp2)
MA_OF_INTEGER(expm1)
MA_OF_INTEGER(log)
MA_OF_INTEGER(log2)
MA_OF_INTEGER(log10)
MA_OF_INTEGER(log1p)
MA_OF_INTEGER(sin)
MA_OF_INTEGER(cos)
MA_OF_INTEGER(tan)
MA_OF_INTEGER(asin)
MA_OF_INTEGER(acos)
MA_OF_INTEGER(atan)
MA_OF_INTEGER(sinh)
MA_OF_INTEGER(cosh)
MA_OF_INTEGER(tanh)
MA_OF_INTEGER(floor)
MA_OF_INTEGER(ceil)
MA_OF_INTEGER(erf)
#undef MA_OF_INTEGER
MA_FN int64_t atomicAdd(int64_t *p, int64_t v) {
  return (int64_t)atomicAdd((unsigned long long *)p, (unsigned long long)v);
}
#endif

/* ==== Raw arrays ================================================================================================= */

/* x[k] is element k in C order, x(i, j) the element at these positions (all from 0). The first form is contiguous
** and knows only its size. */
template <class T, int N = -1> struct raw {
  enum { ndim = N };
  char *p;
  ptrdiff_t count;
  const int64_t *extents, *steps; /* steps in bytes */
  MA_FN ptrdiff_t size() const { return count; }
  MA_FN const int64_t *shape() const { return extents; }
  MA_FN const int64_t *strides() const { return steps; }
  MA_FN T &operator[](ptrdiff_t k) const {
    char *at = p;
    for (int d = N - 1; d > 0; d--) {
      ptrdiff_t q = k / extents[d];
      at += (k - q * extents[d]) * steps[d];
      k = q;
    }
    return *(T *)(at + k * steps[0]);
  }
  template <int M> MA_FN T &operator[](const ptrdiff_t (&k)[M]) const {
    char *at = p;
    for (int d = 0; d < N; d++) at += k[d] * steps[d];
    return *(T *)at;
  }
  template <class... I> MA_FN T &operator()(I... i) const {
    static_assert(sizeof...(I) == N, "a raw array takes as many positions as it has axes");
    const ptrdiff_t k[] = { (ptrdiff_t)i... };
    return (*this)[k];
  }
};
template <class T> struct raw<T, -1> {
  T *__restrict__ p;
  ptrdiff_t count;
  MA_FN ptrdiff_t size() const { return count; }
  MA_FN T *data() const { return p; }
  MA_FN T &operator[](ptrdiff_t k) const { return p[k]; }
};

/* The object that CuPy's kernels ask for the number of elements. */
struct ma_indexer {
  ptrdiff_t n;
  MA_FN ptrdiff_t size() const { return n; }
};

/* ==== Conversions between memory, registers and the types above =================================================== */

template <class D, class T> struct us_plain {
  typedef T type;
  static MA_FN T load(typename D::mem m) { return (T)m; }
  static MA_FN typename D::mem store(T v) { return (typename D::mem)v; }
  static MA_FN T from(typename D::reg r) { return (T)r; }
};
typedef us_plain<dt_b1, bool> us_b1;
typedef us_plain<dt_i1, int8> us_i1;
typedef us_plain<dt_i2, int16> us_i2;
typedef us_plain<dt_i4, int32> us_i4;
typedef us_plain<dt_i8, int64> us_i8;
typedef us_plain<dt_u1, uint8> us_u1;
typedef us_plain<dt_u2, uint16> us_u2;
typedef us_plain<dt_u4, uint32> us_u4;
typedef us_plain<dt_u8, uint64> us_u8;
typedef us_plain<dt_f4, float32> us_f4;
typedef us_plain<dt_f8, float64> us_f8;
template <class D, class T> struct us_half {
  typedef T type;
  static MA_FN T load(uint16_t m) { return T::of_bits(m); }
  static MA_FN uint16_t store(T v) { return v.bits; }
  static MA_FN T from(float r) { return T(r); }
};
typedef us_half<dt_f2, float16> us_f2;
typedef us_half<dt_bf, bfloat16> us_bf;
template <class D, class T> struct us_complex {
  typedef T type;
  static MA_FN T load(const typename D::mem &m) { return T(m); }
  static MA_FN typename D::mem store(const T &v) { return v.as_parts(); }
  static MA_FN T from(const typename D::reg &r) { return T(r); }
};
typedef us_complex<dt_c8, complex64> us_c8;
typedef us_complex<dt_c16, complex128> us_c16;

#endif
