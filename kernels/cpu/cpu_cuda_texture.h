/*
** cpu_cuda_texture.h: textures and surfaces of CUDA on a CPU. An object is the address of the struct below, which
** src/cpu/texture.c makes. Its first part is C, for both sides.
**
** The rules are those of CUDA's programming guide, appendix "Texture Fetching". Texel k covers the coordinates k to
** k + 1, and its centre is at k + 0.5. The point filter takes the texel that the coordinate lies in. The linear filter
** weighs the neighbours of coordinate - 0.5 by its fraction, rounded to a multiple of 1/256.
*/
#ifndef MA_CPU_CUDA_TEXTURE_H
#define MA_CPU_CUDA_TEXTURE_H

enum ma_texel_type {
  MA_TEXEL_I8,
  MA_TEXEL_U8,
  MA_TEXEL_I16,
  MA_TEXEL_U16,
  MA_TEXEL_I32,
  MA_TEXEL_U32,
  MA_TEXEL_F16,
  MA_TEXEL_F32
};
enum ma_texel_address { MA_TEXEL_WRAP, MA_TEXEL_CLAMP, MA_TEXEL_MIRROR, MA_TEXEL_BORDER }; /* CUDA's numbers */

struct ma_cpu_texture {
  char *data;
  long long extent[3], step[3]; /* texels along x, y, z, 1 beyond ndim; the bytes from one to the next */
  int ndim, channels, type;
  int surface, linear_memory; /* linear memory has no coordinates: tex1Dfetch alone reads it */
  int address[3], linear_filter, normalized_float, normalized, srgb;
  float border[4];
};

#ifdef __cplusplus

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

/* ==== Types of texels ============================================================================================= */

template <class T> struct ma_texel_lanes {
  typedef T type;
  enum { n = 1 };
};
#define MA_TEXEL_LANES(name, T)                \
  template <> struct ma_texel_lanes<name##1> { \
    typedef T type;                            \
    enum { n = 1 };                            \
  };                                           \
  template <> struct ma_texel_lanes<name##2> { \
    typedef T type;                            \
    enum { n = 2 };                            \
  };                                           \
  template <> struct ma_texel_lanes<name##4> { \
    typedef T type;                            \
    enum { n = 4 };                            \
  };
MA_TEXEL_LANES(char, signed char)
MA_TEXEL_LANES(uchar, unsigned char)
MA_TEXEL_LANES(short, short)
MA_TEXEL_LANES(ushort, unsigned short)
MA_TEXEL_LANES(int, int)
MA_TEXEL_LANES(uint, unsigned)
MA_TEXEL_LANES(float, float)
#undef MA_TEXEL_LANES

template <class C> static inline C ma_texel_load(const char *from) {
  C v;
  memcpy(&v, from, sizeof v);
  return v;
}

static inline float ma_texel_half(unsigned bits) {
  int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
  float v = exponent == 31  ? fraction ? __builtin_nanf("") : __builtin_inff()
             : exponent == 0 ? __builtin_ldexpf((float)fraction, -24)
                            : __builtin_ldexpf((float)(fraction + 1024), exponent - 25);
  return bits & 0x8000 ? -v : v;
}

static inline float ma_texel_srgb(float v) { return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f); }

/* A channel of a texel as a float: an element, or one that was scaled to [0, 1] or [-1, 1]. */
static inline float ma_texel_float(const ma_cpu_texture *t, const char *p, int c) {
  bool scaled = t->normalized_float;
  float v;
  switch (t->type) {
  case MA_TEXEL_I8: v = ((const signed char *)p)[c]; return scaled ? fmaxf(v / 127.f, -1.f) : v;
  case MA_TEXEL_U8:
    v = ((const unsigned char *)p)[c];
    if (!scaled) return v;
    return t->srgb && c < 3 ? ma_texel_srgb(v / 255.f) : v / 255.f;
  case MA_TEXEL_I16: v = ma_texel_load<short>(p + 2 * c); return scaled ? fmaxf(v / 32767.f, -1.f) : v;
  case MA_TEXEL_U16: v = ma_texel_load<unsigned short>(p + 2 * c); return scaled ? v / 65535.f : v;
  case MA_TEXEL_I32: return (float)ma_texel_load<int>(p + 4 * c);
  case MA_TEXEL_U32: return (float)ma_texel_load<unsigned>(p + 4 * c);
  case MA_TEXEL_F16: return ma_texel_half(ma_texel_load<unsigned short>(p + 2 * c));
  default: return ma_texel_load<float>(p + 4 * c);
  }
}

/* A channel of a texel in the type of the kernel's result; integers come out exact. */
template <class C> static inline C ma_texel(const ma_cpu_texture *t, const char *p, int c) {
  switch (t->normalized_float ? -1 : t->type) {
  case MA_TEXEL_I32: return (C)ma_texel_load<int>(p + 4 * c);
  case MA_TEXEL_U32: return (C)ma_texel_load<unsigned>(p + 4 * c);
  default: return (C)ma_texel_float(t, p, c);
  }
}

/* ==== Coordinates ================================================================================================= */

/* The texel that stands for texel k, which may be outside; -1 is the border. */
static inline long long ma_texel_place(long long k, long long n, int mode) {
  if (k >= 0 && k < n) return k;
  switch (mode) {
  case MA_TEXEL_WRAP: return (k % n + n) % n;
  case MA_TEXEL_MIRROR: k = (k % (2 * n) + 2 * n) % (2 * n); return k < n ? k : 2 * n - 1 - k;
  case MA_TEXEL_BORDER: return -1;
  default: return k < 0 ? 0 : n - 1;
  }
}

/* A coordinate as the texture counts it, converted to texels. */
static inline float ma_texel_coordinate(const ma_cpu_texture *t, int axis, float x) {
  float n = (float)t->extent[axis];
  if (t->normalized) {
    float whole = floorf(x);
    if (t->address[axis] == MA_TEXEL_WRAP) x -= whole;
    if (t->address[axis] == MA_TEXEL_MIRROR) x = fmodf(whole, 2.f) == 0 ? x - whole : 1.f - (x - whole);
    x *= n;
  }
  return x == x ? fminf(fmaxf(x, -1e6f), n + 1e6f) : 0.f; /* farther out nothing changes */
}

/* The texel at these places; NULL: the border. */
static inline const char *ma_texel_at(const ma_cpu_texture *t, const long long *place) {
  const char *p = t->data;
  for (int axis = 0; axis < t->ndim; axis++) {
    long long k = ma_texel_place(place[axis], t->extent[axis], t->address[axis]);
    if (k < 0) return NULL;
    p += k * t->step[axis];
  }
  return p;
}

static inline const ma_cpu_texture *ma_texture_of(unsigned long long object, int ndim, bool surface, bool linear) {
  const ma_cpu_texture *t = (const ma_cpu_texture *)(uintptr_t)object;
  if (!t) ma_stop("a texture or surface object that is 0");
  if (t->surface != surface) ma_stop(surface ? "a surface function of a texture" : "a texture function of a surface");
  if (t->linear_memory != linear)
    ma_stop(linear ? "tex1Dfetch of a texture that is not of linear memory"
                   : "a coordinate in a texture of linear memory, which tex1Dfetch reads");
  if (t->ndim != ndim) ma_stop("a texture function for another number of axes than the texture or surface has");
  return t;
}

template <class C> static inline void ma_texture_point(const ma_cpu_texture *t, const float *x, C *out) {
  long long place[3];
  for (int axis = 0; axis < t->ndim; axis++) place[axis] = (long long)floorf(x[axis]);
  const char *p = ma_texel_at(t, place);
  for (int c = 0; c < t->channels; c++) out[c] = p ? ma_texel<C>(t, p, c) : (C)t->border[c];
}

template <class C> static inline void ma_texture_linear(const ma_cpu_texture *t, const float *x, C *out) {
  long long low[3], place[3];
  float part[3], sum[4] = { 0, 0, 0, 0 };
  for (int axis = 0; axis < t->ndim; axis++) {
    long long fixed = (long long)floor((double)x[axis] * 256 - 127.5); /* of x - 0.5, rounded to 1/256 */
    low[axis] = fixed >> 8;
    part[axis] = (float)(fixed & 255) / 256.f;
  }
  for (int corner = 0; corner < 1 << t->ndim; corner++) {
    float weight = 1;
    for (int axis = 0; axis < t->ndim; axis++) {
      int upper = corner >> axis & 1;
      place[axis] = low[axis] + upper;
      weight *= upper ? part[axis] : 1.f - part[axis];
    }
    if (weight == 0) continue;
    const char *p = ma_texel_at(t, place);
    for (int c = 0; c < t->channels; c++) sum[c] += weight * (p ? ma_texel_float(t, p, c) : t->border[c]);
  }
  for (int c = 0; c < t->channels; c++) out[c] = (C)sum[c];
}

template <class T> static inline T ma_texture_read(unsigned long long object, int ndim, float x, float y, float z) {
  typedef typename ma_texel_lanes<T>::type C;
  const ma_cpu_texture *t = ma_texture_of(object, ndim, false, false);
  float at[3] = { x, y, z };
  C out[4] = { 0, 0, 0, 0 };
  T result;
  for (int axis = 0; axis < ndim; axis++) at[axis] = ma_texel_coordinate(t, axis, at[axis]);
  if (t->linear_filter) ma_texture_linear(t, at, out);
  else ma_texture_point(t, at, out);
  memcpy((void *)&result, out, sizeof result);
  return result;
}

/* ==== CUDA's functions ============================================================================================ */

template <class T> static inline T tex1D(cudaTextureObject_t t, float x) { return ma_texture_read<T>(t, 1, x, 0, 0); }
template <class T> static inline T tex2D(cudaTextureObject_t t, float x, float y) {
  return ma_texture_read<T>(t, 2, x, y, 0);
}
template <class T> static inline T tex3D(cudaTextureObject_t t, float x, float y, float z) {
  return ma_texture_read<T>(t, 3, x, y, z);
}
/* The texel k, or 0 outside the memory. */
template <class T> static inline T tex1Dfetch(cudaTextureObject_t object, int k) {
  typedef typename ma_texel_lanes<T>::type C;
  const ma_cpu_texture *t = ma_texture_of(object, 1, false, true);
  C out[4] = { 0, 0, 0, 0 };
  T result;
  if (k >= 0 && k < t->extent[0])
    for (int c = 0; c < t->channels; c++) out[c] = ma_texel<C>(t, t->data + k * t->step[0], c);
  memcpy((void *)&result, out, sizeof result);
  return result;
}
template <class T> static inline void tex1D(T *to, cudaTextureObject_t t, float x) { *to = tex1D<T>(t, x); }
template <class T> static inline void tex2D(T *to, cudaTextureObject_t t, float x, float y) { *to = tex2D<T>(t, x, y); }
template <class T> static inline void tex3D(T *to, cudaTextureObject_t t, float x, float y, float z) {
  *to = tex3D<T>(t, x, y, z);
}
template <class T> static inline void tex1Dfetch(T *to, cudaTextureObject_t t, int k) { *to = tex1Dfetch<T>(t, k); }

/* The place of `size` bytes of a surface, x in bytes; NULL: outside, where 0 is read and nothing is written. */
static inline char *ma_surface_at(cudaSurfaceObject_t object, int ndim, int x, int y, int z, size_t size, int mode) {
  const ma_cpu_texture *t = ma_texture_of(object, ndim, true, false);
  long long place[3] = { x, y, z }, extent[3] = { t->extent[0] * t->step[0], t->extent[1], t->extent[2] };
  char *p = t->data;
  if (x % (long long)size) ma_stop("x of a surface function is no multiple of the bytes of its type");
  for (int axis = 0; axis < ndim; axis++) {
    long long most = extent[axis] - (axis == 0 ? (long long)size : 1);
    if (place[axis] < 0 || place[axis] > most) {
      if (mode == cudaBoundaryModeTrap) ma_stop("a position outside the surface");
      if (mode == cudaBoundaryModeZero) return NULL;
      place[axis] = place[axis] < 0 ? 0 : most;
    }
    p += axis == 0 ? place[0] : place[axis] * t->step[axis];
  }
  return p;
}
template <class T> static inline T ma_surface_read(const char *p) {
  T v;
  memset((void *)&v, 0, sizeof v);
  if (p) memcpy((void *)&v, p, sizeof v);
  return v;
}
#define MA_SURFACE(n, places, given, ...)                                                   \
  template <class T>                                                                        \
  static inline T surf##n##Dread(cudaSurfaceObject_t s, __VA_ARGS__,                        \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {     \
    return ma_surface_read<T>(ma_surface_at(s, n, MA_EACH places, sizeof(T), mode));        \
  }                                                                                         \
  template <class T>                                                                        \
  static inline void surf##n##Dread(T *to, cudaSurfaceObject_t s, __VA_ARGS__,              \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {  \
    *to = surf##n##Dread<T>(s, MA_EACH given, mode);                                        \
  }                                                                                         \
  template <class T>                                                                        \
  static inline void surf##n##Dwrite(T v, cudaSurfaceObject_t s, __VA_ARGS__,               \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    char *p = ma_surface_at(s, n, MA_EACH places, sizeof(T), mode);                         \
    if (p) memcpy(p, (const void *)&v, sizeof v);                                           \
  }
#define MA_EACH(...) __VA_ARGS__
MA_SURFACE(1, (x, 0, 0), (x), int x)
MA_SURFACE(2, (x, y, 0), (x, y), int x, int y)
MA_SURFACE(3, (x, y, z), (x, y, z), int x, int y, int z)
#undef MA_SURFACE
#undef MA_EACH

#endif
#endif
