/* prelude.cuh: definitions for every CUDA kernel text. It follows kernels/scalar.h. */
#define MA_KERNEL extern "C" __global__ void

typedef signed char i1;
typedef short i2;
typedef int i4;
typedef int64_t i8;
typedef unsigned char u1;
typedef unsigned short u2;
typedef unsigned int u4;
typedef uint64_t u8;

/* A dtype: arrays hold `mem`, `reg` computes, and load and store convert between them. */
#define DT_TYPES(MEM, REG) \
  typedef MEM mem;         \
  typedef REG reg;
#define DT_LOAD static __device__ __forceinline__ reg load(mem m)
#define DT_STORE static __device__ __forceinline__ mem store(reg r)

struct dt_b1 {
  DT_TYPES(u1, u1) DT_LOAD { return m != 0; }
  DT_STORE { return r; }
};

template <class M> struct dt_plain {
  DT_TYPES(M, M) DT_LOAD { return m; }
  DT_STORE { return r; }
};

typedef dt_plain<i1> dt_i1;
typedef dt_plain<i2> dt_i2;
typedef dt_plain<i4> dt_i4;
typedef dt_plain<i8> dt_i8;
typedef dt_plain<u1> dt_u1;
typedef dt_plain<u2> dt_u2;
typedef dt_plain<u4> dt_u4;
typedef dt_plain<u8> dt_u8;
typedef dt_plain<float> dt_f4;
typedef dt_plain<double> dt_f8;
typedef dt_plain<ma_c64> dt_c8;
typedef dt_plain<ma_c128> dt_c16;
struct dt_f2 {
  DT_TYPES(u2, float) DT_LOAD { return ma_f16_to_float(m); }
  DT_STORE { return ma_float_to_f16(r); }
};

struct dt_bf {
  DT_TYPES(u2, float) DT_LOAD { return ma_bf16_to_float(m); }
  DT_STORE { return ma_float_to_bf16(r); }
};

/* N bytes as the words of one access, at most 16 bytes. */
template <int N> struct words { uint4 w[N / 16]; };
template <> struct words<8> { uint2 w[1]; };
template <> struct words<4> { u4 w[1]; };
template <> struct words<2> { u2 w[1]; };
template <> struct words<1> { u1 w[1]; };

/* V neighbouring elements. load_all and store_all need an address that is aligned to their size, or to 16 if that is
** less. */
template <class M, int V> struct pack {
  union {
    M v[V];
    words<sizeof(M) * V> raw;
  };
  __device__ __forceinline__ void load_all(const char *p) { raw = *(const words<sizeof(M) * V> *)p; }
  __device__ __forceinline__ void store_all(char *p) const { *(words<sizeof(M) * V> *)p = raw; }
  __device__ __forceinline__ void load_some(const char *p, int step, int n) {
#pragma unroll
    for (int k = 0; k < V; k++)
      if (k < n) v[k] = *(const M *)(p + k * step);
  }
  __device__ __forceinline__ void store_some(char *p, int step, int n) const {
#pragma unroll
    for (int k = 0; k < V; k++)
      if (k < n) *(M *)(p + k * step) = v[k];
  }
};

/* Division of a number below 2^31 by an extent; the same struct as ma_cuda_divisor. */
struct divisor {
  u4 extent, mul, shift;
};

static __device__ __forceinline__ u4 divide(u4 n, const divisor &d) { return (__umulhi(n, d.mul) + n) >> d.shift; }

static __device__ __forceinline__ u4 divmod(u4 n, const divisor &d, u4 &rest) {
  u4 q = divide(n, d);
  rest = n - q * d.extent;
  return q;
}

/* A report about the first position outside an array. The thread that sets `claimed` writes it in host memory, and sets
** `ready` last. The same structs as ma_cuda_fault_entry and ma_cuda_fault_report. */
struct fault_report {
  int ready, axis, function, line;
  long long position, extent;
};
struct fault_record {
  int claimed, unused;
  fault_report *report;
};

static __device__ __noinline__ void record_fault(fault_record *f, int function, int line, int axis, long long position,
                                                 long long extent) {
  if (f->claimed || atomicCAS(&f->claimed, 0, 1) != 0) return;
  fault_report *report = f->report;
  report->axis = axis;
  report->line = line;
  report->function = function;
  report->position = position;
  report->extent = extent;
  /* Not a fence: with one here, the compiler for sm_90 replaces each atomic operation whose result nobody reads, in the
  ** kernels that use it, by one that returns the old value. */
#ifdef __CUDACC_RTC__
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(&report->ready), "r"(1) : "memory");
#else
  __threadfence_system();
  *(volatile int *)&report->ready = 1;
#endif
}

/* Reads sixteen bytes of device memory as they are now. The compiler might merge two loads by __ldcv into one. */
static __device__ __forceinline__ uint4 load_now(const void *at) {
  uint4 w;
#ifdef __CUDACC_RTC__
  asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
               : "l"(at)
               : "memory");
#else
  w = *(const uint4 *)at;
#endif
  return w;
}
