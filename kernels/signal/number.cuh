/* number.cuh: arithmetic of real and complex numbers by one name each, for kernels of signals. */
static __device__ __forceinline__ double plus(double x, double y) { return x + y; }
static __device__ __forceinline__ double minus(double x, double y) { return x - y; }
static __device__ __forceinline__ double times(double x, double y) { return x * y; }
static __device__ __forceinline__ float plus(float x, float y) { return x + y; }
static __device__ __forceinline__ float times(float x, float y) { return x * y; }
static __device__ __forceinline__ i8 plus(i8 x, i8 y) { return (i8)((u8)x + (u8)y); }
static __device__ __forceinline__ i8 times(i8 x, i8 y) { return (i8)((u8)x * (u8)y); }
static __device__ __forceinline__ ma_c128 plus(ma_c128 x, ma_c128 y) { return ma_cadd(x, y); }
static __device__ __forceinline__ ma_c128 minus(ma_c128 x, ma_c128 y) { return ma_csubtract(x, y); }
static __device__ __forceinline__ ma_c128 times(ma_c128 x, ma_c128 y) { return ma_cmultiply(x, y); }
static __device__ __forceinline__ ma_c64 plus(ma_c64 x, ma_c64 y) { return ma_cadd(x, y); }
static __device__ __forceinline__ ma_c64 times(ma_c64 x, ma_c64 y) { return ma_cmultiply(x, y); }
template <class V> static __device__ __forceinline__ V nothing() { return V(0); }
template <> __device__ __forceinline__ ma_c64 nothing<ma_c64>() { return ma_make_c64(0, 0); }
template <> __device__ __forceinline__ ma_c128 nothing<ma_c128>() { return ma_make_c128(0, 0); }
static __device__ __forceinline__ double widen(float x) { return x; }
static __device__ __forceinline__ double widen(double x) { return x; }
static __device__ __forceinline__ ma_c128 widen(ma_c64 x) { return ma_make_c128(x.re, x.im); }
static __device__ __forceinline__ ma_c128 widen(ma_c128 x) { return x; }
static __device__ __forceinline__ void narrow(double x, float *to) { *to = (float)x; }
static __device__ __forceinline__ void narrow(double x, double *to) { *to = x; }
static __device__ __forceinline__ void narrow(ma_c128 x, ma_c64 *to) { *to = ma_make_c64((float)x.re, (float)x.im); }
static __device__ __forceinline__ void narrow(ma_c128 x, ma_c128 *to) { *to = x; }
