/* cpu_kernel.c: CUDA C++ sources on the CPU: compiled, launched, compared with plain loops, and refused. */
#include "ops/ops.h"
#include "backends.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;
static ma_stream *stream;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (condition) passed++;                                                   \
    else {                                                                     \
      failed++;                                                                \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, ma_message()); \
    }                                                                          \
  } while (0)

static uint32_t seed = 4711;
static float random_float(void) {
  return (float)((int)((seed = seed * 1664525u + 1013904223u) >> 8) % 2001 - 1000) / 100;
}

/* ==== A module and its launches ================================================================================== */

static void *module_of_options(const char *text, const char *expression, const char *const *option, int noption) {
  void *module = NULL;
  ma_module_source source = { text, "test.cu", option, noption, &expression, expression != NULL, false };
  CHECK(ma_cpu_backend.module.open(stream->device, &source, &module) == MA_OK);
  return module;
}
static void *module_of(const char *text) { return module_of_options(text, NULL, NULL, 0); }

static ma_kernel kernel_of(void *module, const char *name) {
  ma_kernel kernel = { 0 };
  CHECK(module && ma_cpu_backend.module.kernel(stream->device, module, name, &kernel) == MA_OK);
  return kernel;
}

typedef struct extent {
  uint32_t x, y, z;
} extent;

static ma_status launch(const ma_kernel *kernel, extent grid, extent block, uint32_t shared, void **argument,
                        int nargument) {
  ma_launch l = { { grid.x, grid.y, grid.z }, { block.x, block.y, block.z }, shared, false, nargument, { 0 } };
  for (int i = 0; i < nargument; i++) l.argument[i] = argument[i];
  if (!kernel->handle) return MA_ERR_INTERNAL;
  return ma_cpu_backend.module.launch(stream, kernel, &l);
}
#define LAUNCH(kernel, grid, block, shared, ...)                 \
  launch(kernel, grid, block, shared, (void *[]){ __VA_ARGS__ }, \
         (int)(sizeof((void *[]){ __VA_ARGS__ }) / sizeof(void *)))
#define X(x) ((extent){ x, 1, 1 })
#define XY(x, y) ((extent){ x, y, 1 })

static void close_module(void *module) {
  if (module) ma_cpu_backend.module.close(stream->device, module);
}

static ma_status refuse(const char *text, const char *const says) {
  void *module = NULL;
  ma_module_source source = { .text = text, .name = "test.cu" };
  ma_status status = ma_cpu_backend.module.open(stream->device, &source, &module);
  CHECK(status != MA_OK && module == NULL);
  CHECK(strstr(ma_message(), says) != NULL);
  return status;
}

/* ==== Kernels of the textbooks =================================================================================== */

static void test_matmul(void) {
  enum { N = 70 };
  static float a[N * N], b[N * N], c[N * N];
  void *module = module_of(
    "#include <cuda_runtime.h>\n"
    "#define TILE 16\n"
    "extern \"C\" __global__ void __launch_bounds__(256) matmul(const float *a, const float *b, float *__restrict__ c, "
    "const int n) {\n"
    "  __shared__ float s[TILE][TILE]; static __shared__ float t[TILE][TILE + 1];\n"
    "  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < n; k += TILE) {\n"
    "    s[threadIdx.y][threadIdx.x] = y < n && k + threadIdx.x < n ? a[y * n + k + threadIdx.x] : 0;\n"
    "    t[threadIdx.y][threadIdx.x] = x < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + x] : 0;\n"
    "    __syncthreads();\n"
    "    #pragma unroll\n"
    "    for (int j = 0; j < TILE; j++) sum += s[threadIdx.y][j] * t[j][threadIdx.x];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (x < n && y < n) c[y * n + x] = sum;\n"
    "}\n");
  ma_kernel k = kernel_of(module, "matmul");
  for (int i = 0; i < N * N; i++) {
    a[i] = random_float();
    b[i] = random_float();
    c[i] = NAN;
  }
  float *pa = a, *pb = b, *pc = c;
  int n = N;
  CHECK(k.nparam == 4 && k.param_size[0] == 8 && k.param_size[3] == 4);
  CHECK(LAUNCH(&k, XY(5, 5), XY(16, 16), 0, &pa, &pb, &pc, &n) == MA_OK);
  int wrong = 0;
  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++) {
      double sum = 0;
      for (int j = 0; j < N; j++) sum += (double)a[y * N + j] * b[j * N + x];
      wrong += !(fabs(c[y * N + x] - sum) < 1e-2);
    }
  CHECK(wrong == 0);
  CHECK(LAUNCH(&k, XY(5, 5), XY(16, 16), 0, &pa, &pb, &pc) != MA_OK);
  CHECK(LAUNCH(&k, XY(5, 0), XY(16, 16), 0, &pa, &pb, &pc, &n) != MA_OK);
  CHECK(LAUNCH(&k, XY(5, 5), XY(64, 32), 0, &pa, &pb, &pc, &n) != MA_OK);
  CHECK(LAUNCH(&k, XY(5, 5), XY(16, 16), 1 << 20, &pa, &pb, &pc, &n) != MA_OK);
  close_module(module);
}

/* Dynamic shared memory of file scope, of a function, of two extents, and in a template; reinterpreted. */
static void test_transpose(void) {
  enum { W = 45, H = 75 };
  static float a[W * H], b[W * H];
  static double d[W * H], e[W * H];
  void *module = module_of_options("extern __shared__ __align__(16) float of_file[];\n"
                                   "extern \"C\" __global__ void by_file(const float *a, float *b, int w, int h) {\n"
                                   "  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;\n"
                                   "  if (x < w && y < h) of_file[threadIdx.y * 9 + threadIdx.x] = a[y * w + x];\n"
                                   "  __syncthreads();\n"
                                   "  int tx = blockIdx.y * 8 + threadIdx.x, ty = blockIdx.x * 8 + threadIdx.y;\n"
                                   "  if (tx < h && ty < w) b[ty * h + tx] = reinterpret_cast<const float "
                                   "*>(of_file)[threadIdx.x * 9 + threadIdx.y];\n"
                                   "}\n"
                                   "template <class T> __global__ void by_template(const T *a, T *b, int w, int h) {\n"
                                   "  extern __shared__ unsigned char bytes[]; T *s = reinterpret_cast<T *>(bytes); "
                                   "extern volatile __shared__ T rows[][9];\n"
                                   "  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;\n"
                                   "  if (x < w && y < h) rows[threadIdx.y][threadIdx.x] = a[y * w + x];\n"
                                   "  __syncthreads();\n"
                                   "  int tx = blockIdx.y * 8 + threadIdx.x, ty = blockIdx.x * 8 + threadIdx.y;\n"
                                   "  if (tx < h && ty < w) b[ty * h + tx] = s[threadIdx.x * 9 + threadIdx.y];\n"
                                   "}\n",
                                   "by_template<double>", NULL, 0);
  ma_kernel k = kernel_of(module, "by_file"), t = kernel_of(module, "by_template< double >");
  for (int i = 0; i < W * H; i++) {
    a[i] = random_float();
    b[i] = NAN;
    d[i] = a[i];
    e[i] = NAN;
  }
  float *pa = a, *pb = b;
  double *pd = d, *pe = e;
  int w = W, h = H, wrong = 0;
  CHECK(LAUNCH(&k, XY(6, 10), XY(8, 8), 8 * 9 * 4, &pa, &pb, &w, &h) == MA_OK);
  CHECK(LAUNCH(&t, XY(6, 10), XY(8, 8), 8 * 9 * 8, &pd, &pe, &w, &h) == MA_OK);
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) wrong += b[x * H + y] != a[y * W + x] || e[x * H + y] != d[y * W + x];
  CHECK(wrong == 0);
  CHECK(ma_cpu_backend.module.set(&k, "max_dynamic_shared_size_bytes", 100000) == MA_OK);
  CHECK(LAUNCH(&k, XY(6, 10), XY(8, 8), 100000, &pa, &pb, &w, &h) == MA_OK);
  CHECK(ma_cpu_backend.module.set(&k, "max_dynamic_shared_size_bytes", 1 << 20) != MA_OK);
  CHECK(ma_cpu_backend.module.set(&k, "name", 1) != MA_OK);
  close_module(module);
}

static void test_reduction(void) {
  static const int sizes[] = { 32, 70, 256, 1000, 1024 };
  static int x[1024 * 3];
  void *module = module_of(
    "__inline__ __device__ int warp_sum(int v) { for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, "
    "d); return v; }\n"
    "extern \"C\" {\n"
    "__global__ void sum(const int *x, int *out) {\n"
    "  __shared__ int part[32];\n"
    "  int t = threadIdx.x, lane = t % 32, n = blockDim.x, left = n - t / 32 * 32;\n"
    "  int v = x[blockIdx.x * n + t];\n"
    "  for (int d = 16; d > 0; d /= 2) { int o = __shfl_down_sync(0xffffffff, v, d); if (lane + d < left) v += o; }\n"
    "  if (lane == 0) part[t / 32] = v;\n"
    "  __syncthreads();\n"
    "  if (t < 32) {\n"
    "    v = warp_sum(t < (n + 31) / 32 ? part[t] : 0);\n"
    "    if (t == 0) out[blockIdx.x] = v;\n"
    "  }\n"
    "}\n"
    "__global__ void votes(const int *x, int *out) {\n"
    "  int v = x[blockIdx.x * blockDim.x + threadIdx.x];\n"
    "  int count = __syncthreads_count(v > 0), any = __syncthreads_or(v > 900), all = __syncthreads_and(v > -2000);\n"
    "  if (threadIdx.x == 0) { out[3 * blockIdx.x] = count; out[3 * blockIdx.x + 1] = any; out[3 * blockIdx.x + 2] = "
    "all; }\n"
    "}\n"
    "}\n");
  ma_kernel k = kernel_of(module, "sum"), votes = kernel_of(module, "votes");
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int out[3] = { -1, -1, -1 }, seen[9], *px = x, *pout = out, *pseen = seen, n = sizes[s];
    for (int i = 0; i < 3 * n; i++) x[i] = (int)(100 * random_float());
    CHECK(LAUNCH(&k, X(3), X((uint32_t)n), 0, &px, &pout) == MA_OK);
    CHECK(LAUNCH(&votes, X(3), X((uint32_t)n), 0, &px, &pseen) == MA_OK);
    for (int b = 0; b < 3; b++) {
      int sum = 0, count = 0, any = 0;
      for (int i = 0; i < n; i++) {
        sum += x[b * n + i];
        count += x[b * n + i] > 0;
        any |= x[b * n + i] > 900;
      }
      CHECK(out[b] == sum);
      CHECK(seen[3 * b] == count && seen[3 * b + 1] == any && seen[3 * b + 2] == 1);
    }
  }
  close_module(module);
}

static void test_atomics(void) {
  enum { N = 100000, BINS = 50 };
  static unsigned x[N], bins[BINS];
  static double total;
  static float least = 1e30f;
  static unsigned long long most;
  void *module = module_of(
    "extern \"C\" __global__ void histogram(const unsigned *x, unsigned *bins, double *total, float *least, unsigned "
    "long long *most, int n) {\n"
    "  __shared__ unsigned local[50];\n"
    "  for (int b = threadIdx.x; b < 50; b += blockDim.x) local[b] = 0;\n"
    "  __syncthreads();\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {\n"
    "    atomicAdd(&local[x[i] % 50], 1u);\n"
    "    atomicAdd(total, 0.5);\n"
    "  }\n"
    "  if (blockIdx.x == 7 && threadIdx.x == 3) { atomicMin((int *)least, __float_as_int(-2.5f)); atomicMax(most, 1ull "
    "<< 40); *least = -2.5f; }\n"
    "  __syncthreads();\n"
    "  for (int b = threadIdx.x; b < 50; b += blockDim.x) atomicAdd(bins + b, local[b]);\n"
    "}\n"
    "extern \"C\" __global__ void others(unsigned *u, int *i) {\n"
    "  atomicInc(u, 2); atomicDec(u + 1, 5); atomicXor(u + 2, 1u << threadIdx.x); atomicCAS(i, 0, 9); atomicExch(i + "
    "1, 4); atomicSub(i + 2, 2); atomicOr(i + 3, 1); atomicAnd(i + 4, 6);\n"
    "}\n");
  ma_kernel k = kernel_of(module, "histogram"), others = kernel_of(module, "others");
  unsigned wanted[BINS] = { 0 }, *px = x, *pb = bins;
  double *pt = &total;
  float *pl = &least;
  unsigned long long *pm = &most;
  int n = N;
  for (int i = 0; i < N; i++) {
    x[i] = (unsigned)(seed = seed * 1664525u + 1013904223u) >> 10;
    wanted[x[i] % BINS]++;
  }
  CHECK(LAUNCH(&k, X(20), X(96), 0, &px, &pb, &pt, &pl, &pm, &n) == MA_OK);
  CHECK(memcmp(wanted, bins, sizeof bins) == 0);
  CHECK(total == N / 2 && least == -2.5f && most == 1ull << 40);
  unsigned u[3] = { 0 }, *pu = u;
  int i[5] = { 0, 0, 0, 0, 7 }, *pi = i;
  CHECK(LAUNCH(&others, X(1), X(4), 0, &pu, &pi) == MA_OK);
  CHECK(u[0] == 1 && u[1] == 2 && u[2] == 15 && i[0] == 9 && i[1] == 4 && i[2] == -8 && i[3] == 1 && i[4] == 6);
  close_module(module);
}

/* ==== Threads that part ========================================================================================== */

static void test_divergence(void) {
  static int out[70], any[70];
  void *module = module_of(
    "#define FULL 0xffffffffu\n"
    "#define KERNEL extern \"C\" __global__ void\n"
    "KERNEL leavers(int *out, int n) {\n"
    "  __shared__ int s[70];\n"
    "  if (threadIdx.x >= n) return;\n"
    "  s[threadIdx.x] = threadIdx.x;\n"
    "  __syncthreads();\n"
    "  out[threadIdx.x] = s[n - 1 - threadIdx.x];\n"
    "}\n"
    "KERNEL parted(int *out, int *any) {\n"
    "  int t = threadIdx.x, lane = t & 31, v = 100 * t;\n"
    "  if (lane < 10) {\n"
    "    unsigned mask = __ballot_sync(FULL >> 22, lane < 10);\n"
    "    v = __shfl_xor_sync(mask, v, 1);\n"
    "    v = __shfl_sync(mask, v + 1, (lane + 3) % 5);\n"
    "  } else if (t < 64) {\n"
    "    v = __shfl_up_sync(FULL << 10, v, 2, 16);\n"
    "    v += __reduce_max_sync(FULL << 10, -t);\n"
    "  }\n"
    "  __syncwarp();\n"
    "  out[t] = v;\n"
    "  any[t] = __any_sync(FULL, t == 40) + 2 * __all_sync(FULL, t < 64) + 4 * __popc(__match_any_sync(FULL, t % 3));\n"
    "}\n"
    "KERNEL stuck(int *out) { if (threadIdx.x == 5) __syncthreads(); else __syncwarp(); }\n"
    "KERNEL stranger(int *out) { __syncwarp(1); }\n"
    "KERNEL checks(int *out) { assert(out[threadIdx.x] != -7); __syncthreads(); }\n");
  ma_kernel leavers = kernel_of(module, "leavers"), parted = kernel_of(module, "parted"),
            stuck = kernel_of(module, "stuck");
  ma_kernel stranger = kernel_of(module, "stranger"), checks = kernel_of(module, "checks");
  int *po = out, *pa = any, n = 43;
  for (int t = 0; t < 70; t++) out[t] = -1;
  CHECK(LAUNCH(&leavers, X(1), X(70), 0, &po, &n) == MA_OK);
  for (int t = 0; t < 70; t++) CHECK(out[t] == (t < n ? n - 1 - t : -1));
  CHECK(LAUNCH(&parted, X(2), X(70), 0, &po, &pa) == MA_OK);
  for (int t = 0; t < 70; t++) {
    int lane = t & 31, warp = t & ~31, size = warp == 64 ? 6 : 32, wanted, match = 0;
    if (lane < 10) {
      int from = warp + (lane + 3) % 5;
      wanted = 100 * (from ^ 1) + 1;
    } else {
      int from = lane - 2 < (lane & 16) ? lane : lane - 2;
      if (from < 10) from = lane; /* that lane is not in the mask */
      wanted = 100 * (warp + from) - (warp + 10);
    }
    for (int k = 0; k < size; k++) match += (warp + k) % 3 == t % 3;
    CHECK(out[t] == wanted);
    CHECK(any[t] == (warp == 32) + 2 * (warp < 64) + 4 * match);
  }
  CHECK(LAUNCH(&stuck, X(1), X(32), 0, &po) != MA_OK);
  CHECK(strstr(ma_message(),
               "stuck: the threads of block (0, 0, 0) wait for each other: of 32 threads 1 wait at a barrier") != NULL);
  CHECK(LAUNCH(&stranger, X(3), X(32), 0, &po) != MA_OK && strstr(ma_message(), "mask 0x00000001"));
  CHECK(LAUNCH(&checks, X(1), X(64), 0, &po) == MA_OK);
  out[50] = -7;
  CHECK(LAUNCH(&checks, X(1), X(64), 0, &po) != MA_OK &&
        strstr(ma_message(), "thread: [50,0,0]: assertion `out[threadIdx.x] != -7` failed"));
  CHECK(LAUNCH(&leavers, X(1), X(70), 0, &po, &n) == MA_OK);
  close_module(module);
}

static void test_stack(void) {
  static int out[256];
  void *module = module_of(
    "__device__ __noinline__ int deep(int n, volatile int *x) { volatile int room[64]; for (int i = 0; i < 64; i++) "
    "room[i] = n; return n == 0 ? *x : deep(n - 1, x) + room[n % 64] - n; }\n"
    "extern \"C\" __global__ void dive(int *out, int depth) { __syncthreads(); out[threadIdx.x] = deep(depth, out + "
    "threadIdx.x) + 1; __syncthreads(); }\n"
    "extern \"C\" __global__ void fail(int *out) { if (threadIdx.x == 3) __trap(); out[threadIdx.x] = 1; }\n");
  ma_kernel dive = kernel_of(module, "dive");
  int *po = out, shallow = 100, deep = 12000;
  CHECK(LAUNCH(&dive, X(1), X(256), 0, &po, &shallow) == MA_OK && out[0] == 1 && out[255] == 1);
  CHECK(LAUNCH(&dive, X(1), X(256), 0, &po, &deep) != MA_OK &&
        strstr(ma_message(), "dive: thread 0 overflowed its stack of "));
  CHECK(LAUNCH(&dive, X(1), X(256), 0, &po, &shallow) == MA_OK && out[255] == 2);
  close_module(module);
  module = module_of(
    "extern \"C\" __global__ void fail(int *out) { if (threadIdx.x == 3) __trap(); out[threadIdx.x] = 1; }\n");
  ma_kernel fail = kernel_of(module, "fail");
  memset(out, 0, sizeof out);
  CHECK(LAUNCH(&fail, X(1), X(8), 0, &po) != MA_OK && strstr(ma_message(), "fail: __trap()") && out[2] == 1 &&
        out[4] == 0);
  close_module(module);
}

/* ==== Modules ==================================================================================================== */

static const char *const globals_text =
  "#define N 3\n"
  "__constant__ float factors[N];\n"
  "__device__ int counter = 5, more[2][N], *pointer;\n"
  "extern \"C\" __device__ double of_c;\n"
  "struct pair { int a, b; }; static __device__ pair of_struct = {1, 2};\n"
  "namespace inner { __device__ short deep; __device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + "
  "b.x, a.y + b.y); } }\n"
  "#ifdef ABSENT\n__device__ int absent;\nextern \"C\" __global__ void absent_kernel() { asm(\"nothing\"); }\n#endif\n"
  "#if SCALE > 2\n"
  "extern \"C\" __global__ void scale(float *x, float4 v, dim3 unused, char c) { int i = threadIdx.x; x[i] *= "
  "factors[i] * SCALE + v.w + c; atomicAdd(&counter, 1); }\n"
  "#endif\n"
  "namespace inner { template <class T, int K> __global__ void fill(T *x) { auto f = [] __device__ (T v) { return v + "
  "K; }; x[threadIdx.x] = f(max(1, 2u)); } }\n";

static void test_modules(void) {
  const char *const option[] = { "-DSCALE=3",   "-D",         "UNUSED=1", "--use_fast_math",
                                 "-arch=sm_90", "-std=c++11", "-UABSENT" };
  void *module = module_of_options(globals_text, "inner::fill<float, 3>", option, 7);
  void *other = module_of_options(globals_text, "inner::fill<float, 3>", option, 7);
  ma_kernel scale = kernel_of(module, "scale"), fill = kernel_of(module, "inner::fill<float,3>"), none;
  void *address = NULL, *second = NULL;
  size_t nbytes;
  float x[3] = { 1, 2, 3 }, v[5] = { 0, 0, 0, 0, 10 }, *px = x; /* v + 1 is not aligned to 16 */
  uint32_t unused[3] = { 0 };
  char c = 1;
  CHECK(scale.nparam == 4 && scale.param_size[1] == 16 && scale.param_size[2] == 12 && scale.param_size[3] == 1);
  CHECK(ma_cpu_backend.module.global(stream->device, module, "factors", &address, &nbytes) == MA_OK && nbytes == 12);
  memcpy(address, (float[]){ 1, 2, 3 }, 12);
  CHECK(LAUNCH(&scale, X(1), X(3), 0, &px, v + 1, unused, &c) == MA_OK);
  CHECK(x[0] == 14 && x[1] == 2 * 17 && x[2] == 3 * 20);
  CHECK(ma_cpu_backend.module.global(stream->device, module, "counter", &address, &nbytes) == MA_OK && nbytes == 4 &&
        *(int *)address == 8);
  CHECK(ma_cpu_backend.module.global(stream->device, other, "counter", &second, &nbytes) == MA_OK &&
        second != address && *(int *)second == 5);
  CHECK(ma_cpu_backend.module.global(stream->device, module, "more", &address, &nbytes) == MA_OK && nbytes == 24);
  CHECK(ma_cpu_backend.module.global(stream->device, module, "pointer", &address, &nbytes) == MA_OK && nbytes == 8);
  CHECK(ma_cpu_backend.module.global(stream->device, module, "of_c", &address, &nbytes) == MA_OK && nbytes == 8);
  CHECK(ma_cpu_backend.module.global(stream->device, module, "of_struct", &address, &nbytes) == MA_OK &&
        ((int *)address)[1] == 2);
  CHECK(ma_cpu_backend.module.global(stream->device, module, "inner::deep", &address, &nbytes) == MA_OK && nbytes == 2);
  CHECK(ma_cpu_backend.module.global(stream->device, module, "absent", &address, &nbytes) != MA_OK &&
        strstr(ma_message(), "it has "));
  CHECK(LAUNCH(&fill, X(1), X(3), 0, &px) == MA_OK && x[0] == 5 && x[2] == 5);
  CHECK(ma_cpu_backend.module.kernel(stream->device, module, "absent_kernel", &none) != MA_OK &&
        strstr(ma_message(), "scale"));
  close_module(module);
  CHECK(*(int *)second == 5);
  close_module(other);
}

static void test_grid(void) {
  static int out[3 * 4 * 5][2 * 3 * 4];
  void *module = module_of("#include <stdint.h>\n"
                           "extern \"C\" __global__ void where(int *out) {\n"
                           "  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), thread = "
                           "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
                           "  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = block * 1000 + thread + "
                           "int(sinpif(1.5f)) + 1 + (__clz(1) - 31) + (__brev(1) != 1u << 31);\n"
                           "}\n");
  ma_kernel k = kernel_of(module, "where");
  int *po = out[0], wrong = 0;
  CHECK(LAUNCH(&k, ((extent){ 3, 4, 5 }), ((extent){ 2, 3, 4 }), 0, &po) == MA_OK);
  for (int b = 0; b < 60; b++)
    for (int t = 0; t < 24; t++) wrong += out[b][t] != b * 1000 + t;
  CHECK(wrong == 0);
  close_module(module);
}

static void test_refusals(void) {
  refuse("// asm\nextern \"C\" __global__ void k() {\n  asm(\"bar.sync 0;\");\n}\n",
         "test.cu:3: 'asm' (inline PTX) is not available on a CPU");
  refuse("#include <cuda_fp16.h>\n", "test.cu:1: cuda_fp16.h is not there on a CPU");
  refuse("__device__ unsigned f() { return __activemask(); }\n", "__activemask");
  refuse("__device__ float f(cudaTextureObject_t t) { return tex2DLod<float>(t, 0, 0, 0); }\n", "mipmaps");
  refuse("__device__ int f(int x) { return __shfl_down(x, 1); }\n", "__shfl_down_sync");
  refuse("__device__ void f() { cooperative_groups::this_grid().sync(); }\n", "cooperative groups");
  refuse("\n\nextern \"C\" __global__ void k(float *x) { x[0] = undeclared_name; }\n", "undeclared_name");
  const char *expressions[] = { "k<int>; int y" };
  ma_module_source source = { .text = "template <class T> __global__ void k() {}\n",
                              .name = "a\"b.cu",
                              .expression = expressions,
                              .nexpression = 1 };
  void *module = NULL;
  CHECK(ma_cpu_backend.module.open(stream->device, &source, &module) == MA_ERR_VALUE);
}

int main(void) {
  char folder[] = "/tmp/cpu_kernel-XXXXXX", header[64];
  stream = ma_device_null_stream(ma_device_cpu());
  if (mkdtemp(folder) == NULL) return 1;
  setenv("MOONARRAY_CACHE_DIR", folder, 0);
  test_matmul();
  test_transpose();
  test_reduction();
  test_atomics();
  test_divergence();
  test_stack();
  test_modules();
  test_grid();
  test_refusals();
  snprintf(header, sizeof header, "rm -rf %s", folder);
  if (system(header) != 0) failed++;
  printf("cpu_kernel: %d passed, %d failed\n", passed, failed);
  return failed != 0;
}
