/*
** emulate.c: runs the GPU's reductions, scans and selections without a GPU and compares their bits with the CPU's. A
** driver of our own stands in for NVIDIA's: it compiles a kernel's text as C++ behind emulate.hpp, and a launch runs
** its blocks one after another, so that all of src/cuda but the hardware takes part. usage: emulate [SEED [all]]; needs
** a C++ compiler and NVRTC (asked for its architectures).
*/
#include "ops/ops.h"
#include "backends.h"
#include "cuda/cuda.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ==== The driver ================================================================================================= */

static ma_stream the_stream; /* what buffers remember, so it outlives the calls */

static ma_cuda_api real; /* NVRTC as it was opened */
static char folder[64];
static int npassed, nfailed, ncompiled;

typedef struct fake_program {
  const char *text, *name;
  char path[128];
} fake_program;
typedef void fake_kernel(unsigned grid, unsigned block, void *parameters);

static void *need(void *p) {
  if (p) return p;
  fprintf(stderr, "out of memory\n");
  exit(1);
}

static CUresult fake_get_current(CUcontext *context) {
  *context = (CUcontext)folder;
  return CUDA_SUCCESS;
}
static CUresult fake_alloc(CUdeviceptr *p, size_t n) {
  *p = (CUdeviceptr)(uintptr_t)need(aligned_alloc(512, (n + 511) & ~(size_t)511));
  memset((void *)(uintptr_t)*p, 0xa5, n);
  return CUDA_SUCCESS;
}
static CUresult fake_host_alloc(void **p, size_t n, unsigned flags) {
  *p = need(aligned_alloc(512, (n + 511) & ~(size_t)511));
  return CUDA_SUCCESS;
}
static CUresult fake_free(CUdeviceptr p) {
  free((void *)(uintptr_t)p);
  return CUDA_SUCCESS;
}
static CUresult fake_memset(CUdeviceptr to, unsigned char value, size_t n, CUstream stream) {
  memset((void *)(uintptr_t)to, value, n);
  return CUDA_SUCCESS;
}
static CUresult fake_copy(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream) {
  memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, n);
  return CUDA_SUCCESS;
}
static CUresult fake_synchronize(CUstream stream) { return CUDA_SUCCESS; }

static CUresult fake_load(CUmodule *module, const void *image) {
  *module = (CUmodule)dlopen(image, RTLD_NOW | RTLD_LOCAL);
  if (!*module) fprintf(stderr, "%s\n", dlerror());
  return *module ? CUDA_SUCCESS : 1;
}

static CUresult fake_function(CUfunction *function, CUmodule module, const char *name) {
  char symbol[80];
  snprintf(symbol, sizeof symbol, "emulate_%s", name);
  *function = (CUfunction)dlsym(module, symbol);
  return *function ? CUDA_SUCCESS : 1;
}

static CUresult fake_launch(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                            unsigned bz, unsigned shared, CUstream stream, void **parameters, void **extra) {
  ((fake_kernel *)function)(gx, bx, parameters[0]);
  return CUDA_SUCCESS;
}

/* ---- The compilers ---- */

static nvrtcResult fake_create(nvrtcProgram *program, const char *text, const char *name, int n,
                               const char *const *headers, const char *const *names) {
  fake_program *p = need(calloc(1, sizeof *p));
  p->text = text;
  p->name = name;
  *program = (nvrtcProgram)p;
  return 0;
}

/* The text, with what is no C++ replaced and a way to launch each kernel added. */
static void write_text(FILE *f, const char *text) {
  static const char *const replaced[][2] = {
    { "asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x));", "y = emulate_half(x);" },
    { "asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x));", "y = emulate_to_half(x);" },
    { "extern __shared__ uint4 stream_room[];", "alignas(16) static uint4 stream_room[16384];" },
  };
  for (const char *at = text; *at;) {
    size_t k = 0, n = sizeof replaced / sizeof *replaced;
    while (k < n && strncmp(at, replaced[k][0], strlen(replaced[k][0]))) k++;
    if (k < n) {
      fputs(replaced[k][1], f);
      at += strlen(replaced[k][0]);
    } else fputc(*at++, f);
  }
  for (const char *at = text; (at = strstr(at, "\nMA_KERNEL ")); at++) {
    const char *open = strstr(at, "(const params p)"), *name = open;
    while (name[-1] != ' ') name--;
    int n = (int)(open - name);
    fprintf(f,
            "#ifndef EMULATES_%.*s\n#define EMULATES_%.*s\nextern \"C\" void emulate_%.*s(unsigned grid, unsigned "
            "block, void *p) "
            "{ run_grid(grid, block, [](void *a) { %.*s(*(const params *)a); }, p); }\n#endif\n",
            n, name, n, name, n, name, n, name);
  }
}

/* The real compiler sees each text too, for one of the architectures that we promise in turn. */
static void compile_for_real(const fake_program *p) {
  static const char *const archs[] = { "sm_75", "sm_80", "sm_90", "sm_100" };
  char option[40], log[4096] = "";
  nvrtcProgram program;
  size_t size = 0;
  snprintf(option, sizeof option, "--gpu-architecture=%s", archs[ncompiled % 4]);
  const char *options[] = { option, "--std=c++17", "--fmad=false" };
  if (real.nvrtcCreateProgram(&program, p->text, p->name, 0, NULL, NULL) != 0) exit(1);
  nvrtcResult result = real.nvrtcCompileProgram(program, 3, options);
  if (real.nvrtcGetProgramLogSize(program, &size) == 0 && size < sizeof log) real.nvrtcGetProgramLog(program, log);
  real.nvrtcDestroyProgram(&program);
  if (result == 0) return;
  printf("%s for %s: %s\n", p->path, option, log);
  exit(1);
}

static nvrtcResult fake_compile(nvrtcProgram program, int n, const char *const *options) {
  fake_program *p = (fake_program *)program;
  char source[128], command[600];
  ncompiled++;
  snprintf(source, sizeof source, "%s/%s%d.cpp", folder, p->name, ncompiled);
  snprintf(p->path, sizeof p->path, "%s/%s%d.so", folder, p->name, ncompiled);
  FILE *f = fopen(source, "w");
  if (!f) return 1;
  fputs("#include \"emulate.hpp\"\n", f);
  write_text(f, p->text);
  fclose(f);
  compile_for_real(p);
  snprintf(command, sizeof command,
           "%s -std=c++17 -O1 -w -fPIC -shared -ffp-contract=off -fwrapv -fno-strict-aliasing -Ispec/unit -o %s %s",
           getenv("CXX") ? getenv("CXX") : "c++", p->path, source);
  if (system(command) == 0) return 0;
  fprintf(stderr, "%s: did not compile\n", source);
  exit(1);
}

static nvrtcResult fake_size(nvrtcProgram program, size_t *size) {
  *size = sizeof((fake_program *)program)->path;
  return 0;
}
static nvrtcResult fake_image(nvrtcProgram program, char *image) {
  memcpy(image, ((fake_program *)program)->path, sizeof((fake_program *)program)->path);
  return 0;
}
static nvrtcResult fake_destroy(nvrtcProgram *program) {
  free(*program);
  return 0;
}

static CUresult fake_attribute(CUfunction function, CUfunction_attribute which, int value) { return 0; }

static ma_device *open_fake(void) {
  static ma_cuda_device state = { .arch = 80, .sm_count = 132, .max_threads_per_sm = 2048, .max_shared = 227 << 10 };
  static ma_device device = { .backend = &ma_cuda_backend, .name = "cuda:0", .state = &state };
  state.context = (CUcontext)folder;
  real = ma_cu;
  ma_cu.cuCtxGetCurrent = fake_get_current;
  ma_cu.cuMemAlloc = fake_alloc;
  ma_cu.cuMemFree = fake_free;
  ma_cu.cuMemHostAlloc = fake_host_alloc;
  ma_cu.cuMemsetD8Async = fake_memset;
  ma_cu.cuFuncSetAttribute = fake_attribute;
  ma_cu.cuMemcpyDtoDAsync = fake_copy;
  ma_cu.cuStreamSynchronize = fake_synchronize;
  ma_cu.cuModuleLoadData = fake_load;
  ma_cu.cuModuleGetFunction = fake_function;
  ma_cu.cuLaunchKernel = fake_launch;
  ma_cu.nvrtcCreateProgram = fake_create;
  ma_cu.nvrtcCompileProgram = fake_compile;
  ma_cu.nvrtcGetCUBINSize = ma_cu.nvrtcGetPTXSize = fake_size;
  ma_cu.nvrtcGetCUBIN = ma_cu.nvrtcGetPTX = fake_image;
  ma_cu.nvrtcDestroyProgram = fake_destroy;
  if (ma_pool_new(&device, &device.pool) != MA_OK) exit(1);
  return &device;
}

/* ==== Values ===================================================================================================== */

static uint64_t seed;

static uint64_t next_bits(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static void check(ma_status status) {
  if (status == MA_OK) return;
  fprintf(stderr, "%s\n", ma_message());
  exit(1);
}

/* Values of mixed size; now and then NaN, infinities and equal ones where `odd` says so. */
static void fill(const ma_array *a, bool odd) {
  const ma_dtype_info *info = &ma_dtypes[a->dtype];
  char *at = a->buffer->ptr;
  for (size_t i = 0; i < a->buffer->nbytes / info->itemsize; i++) {
    ma_value v;
    double x = ((double)(next_bits() >> 11) / 9007199254740992.0 - 0.4) * pow(10, (double)(next_bits() % 5) - 2);
    if (odd && next_bits() % 997 == 0) x = next_bits() % 3 ? NAN : -INFINITY;
    if (info->kind == MA_KIND_FLOAT) v.c = (ma_c128){ x, 0 };
    else if (info->kind == MA_KIND_COMPLEX) v.c = (ma_c128){ x, (double)(next_bits() % 1000) / 999 };
    else v.u = info->kind == MA_KIND_BOOL ? next_bits() & 1 : next_bits() >> 3 & 0x7f;
    ma_value_store(at + i * info->itemsize, (ma_dtype)a->dtype, v);
  }
}

/* ==== Cases ====================================================================================================== */

typedef struct layout {
  const char *name;
  int ndim;
  int64_t shape[4], stride[4];
  int offset;
  uint32_t axes;
} layout; /* strides in elements */

static const layout layouts[] = {
  { "one", 1, { 1 }, { 1 }, 0, 1 },
  { "tiny", 1, { 7 }, { 1 }, 0, 1 },
  { "row of 1000", 1, { 1000 }, { 1 }, 0, 1 },
  { "misaligned", 1, { 2305 }, { 1 }, 1, 1 },
  { "backwards", 1, { 1300 }, { -1 }, 1299, 1 },
  { "spans in a block", 1, { 20001 }, { 1 }, 0, 1 },
  { "spans apart", 1, { 300011 }, { 1 }, 0, 1 },
  { "spans merged twice", 1, { 2100005 }, { 1 }, 0, 1 },
  { "strided", 1, { 5000 }, { 3 }, 0, 1 },
  { "rows", 2, { 9, 1500 }, { 1500, 1 }, 0, 2 },
  { "short rows", 2, { 700, 10 }, { 10, 1 }, 0, 2 },
  { "columns", 2, { 1500, 70 }, { 70, 1 }, 0, 1 },
  { "columns that split", 2, { 9000, 37 }, { 37, 1 }, 0, 1 },
  { "narrow columns", 2, { 3000, 5 }, { 5, 1 }, 0, 1 },
  { "few rows", 2, { 5, 2000 }, { 2000, 1 }, 0, 1 },
  { "middle", 3, { 6, 250, 20 }, { 5000, 20, 1 }, 0, 2 },
  { "outer and inner", 3, { 30, 7, 41 }, { 287, 41, 1 }, 0, 5 },
  { "outer and inner by four", 3, { 30, 7, 44 }, { 308, 44, 1 }, 0, 5 },
  { "all of a transpose", 2, { 60, 50 }, { 1, 60 }, 0, 3 },
};

typedef struct kind {
  ma_reduce_op op;
  ma_dtype dtype;
  bool masked, odd;
} kind;

/* The first goes over every layout; of float64, since results of fewer bits hide in which order terms were added. */
static const kind kinds[] = {
  { MA_REDUCE_sum, MA_FLOAT64, false, false },       { MA_REDUCE_sum, MA_INT32, false, false },
  { MA_REDUCE_sum, MA_FLOAT16, false, false },       { MA_REDUCE_sum, MA_COMPLEX128, false, false },
  { MA_REDUCE_sum, MA_FLOAT32, true, false },        { MA_REDUCE_prod, MA_FLOAT64, false, false },
  { MA_REDUCE_mean, MA_FLOAT64, false, false },      { MA_REDUCE_mean, MA_FLOAT32, true, false },
  { MA_REDUCE_var, MA_FLOAT64, false, false },       { MA_REDUCE_std, MA_COMPLEX128, true, false },
  { MA_REDUCE_var, MA_BFLOAT16, false, false },      { MA_REDUCE_min, MA_FLOAT32, false, true },
  { MA_REDUCE_max, MA_INT8, false, false },          { MA_REDUCE_fmax, MA_FLOAT64, false, true },
  { MA_REDUCE_argmax, MA_FLOAT32, false, true },     { MA_REDUCE_argmin, MA_INT8, false, false },
  { MA_REDUCE_argmin, MA_FLOAT32, true, true },      { MA_REDUCE_any, MA_FLOAT32, false, false },
  { MA_REDUCE_all, MA_UINT8, false, false },         { MA_REDUCE_count_nonzero, MA_INT32, true, false },
  { MA_REDUCE_bitwise_xor, MA_INT16, false, false }, { MA_REDUCE_logaddexp, MA_FLOAT32, false, false },
};

/* Arrays of one case on both devices, with the same bytes. */
static void make_pair(const layout *l, ma_dtype dtype, bool odd, ma_device *fake, ma_array *here, ma_array *there) {
  int64_t n = 1 + l->offset;
  for (int d = 0; d < l->ndim; d++) n += (l->shape[d] - 1) * (l->stride[d] > 0 ? l->stride[d] : 0);
  check(ma_array_new(here, ma_device_cpu(), dtype, 1, &n));
  check(ma_array_new(there, fake, dtype, 1, &n));
  fill(here, odd);
  memcpy(there->buffer->ptr, here->buffer->ptr, (size_t)n * ma_dtypes[dtype].itemsize);
  ma_array *both[] = { here, there };
  for (int k = 0; k < 2; k++) {
    both[k]->ndim = (uint8_t)l->ndim;
    both[k]->offset = l->offset * ma_dtypes[dtype].itemsize;
    both[k]->size = 1;
    for (int d = 0; d < l->ndim; d++) {
      both[k]->shape[d] = l->shape[d];
      both[k]->stride[d] = l->stride[d] * ma_dtypes[dtype].itemsize;
      both[k]->size *= l->shape[d];
    }
  }
}

/* Equal bits, or both NaN; logaddexp's exponentials are the machine's own. */
static bool same(const ma_array *a, const ma_array *b, bool close) {
  size_t size = ma_dtypes[a->dtype].itemsize;
  for (int64_t i = 0; i < a->size; i++) {
    const char *x = (char *)a->buffer->ptr + (size_t)i * size, *y = (char *)b->buffer->ptr + (size_t)i * size;
    if (!memcmp(x, y, size)) continue;
    if (ma_dtypes[a->dtype].kind < MA_KIND_FLOAT) return false;
    ma_value v = ma_value_load(x, (ma_dtype)a->dtype), w = ma_value_load(y, (ma_dtype)a->dtype);
    bool equal = (v.c.re != v.c.re && w.c.re != w.c.re) || (close && fabs(v.c.re - w.c.re) <= 1e-6 * fabs(v.c.re));
    if (!equal) return false;
  }
  return true;
}

static void report(bool passed, const char *what, ma_dtype dtype, bool masked, const char *where) {
  npassed += passed;
  nfailed += !passed;
  if (!passed)
    printf("%s of %s%s, %s: the devices differ\n", what, ma_dtypes[dtype].name, masked ? " behind a mask" : "", where);
}

static void run_reduction(const kind *k, const layout *l, ma_device *fake, ma_value initial, bool with_initial) {
  ma_array a, b, mask, its_mask, x = { .buffer = NULL }, y = { .buffer = NULL };
  ma_program program;
  /* Without a first value log-sum-exp is several reductions and a map (steps.c), and maps do not run here. */
  ma_reduce_options options = { .axes = l->axes,
                                .dtype = MA_NDTYPE,
                                .ddof = 1,
                                .initial = with_initial || k->op == MA_REDUCE_logaddexp ? &initial : NULL,
                                .initial_dtype = MA_FLOAT64 };
  make_pair(l, k->dtype, k->odd, fake, &a, &b);
  make_pair(l, MA_BOOL, false, fake, &mask, &its_mask);
  const ma_array *here[] = { &a, &mask }, *there[] = { &b, &its_mask };
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_input(&program, k->dtype));
  if (k->masked) ma_program_output(&program, ma_program_input(&program, MA_BOOL));
  check(ma_reduce_run(k->op, &program, here, NULL, &options, &x, ma_device_null_stream(ma_device_cpu())));
  the_stream.device = fake;
  check(ma_reduce_run(k->op, &program, there, NULL, &options, &y, &the_stream));
  report(same(&x, &y, k->op == MA_REDUCE_logaddexp), ma_reduces[k->op].name, k->dtype, k->masked, l->name);
  ma_array *all[] = { &a, &b, &mask, &its_mask, &x, &y };
  for (int i = 0; i < 6; i++) ma_array_release(all[i]);
}

/* ---- Scans ---- */

static const layout scan_layouts[] = {
  { "row of 100", 1, { 100 }, { 1 }, 0, 0 },
  { "row of 3000", 1, { 3000 }, { 1 }, 0, 0 },
  { "tiles", 1, { 160003 }, { 1 }, 0, 0 },
  { "misaligned", 1, { 9001 }, { 1 }, 3, 0 },
  { "backwards", 1, { 5000 }, { -1 }, 4999, 0 },
  { "rows", 2, { 3, 8200 }, { 8200, 1 }, 0, 1 },
  { "short rows", 2, { 40, 513 }, { 513, 1 }, 0, 1 },
  { "tiny rows", 2, { 600, 9 }, { 9, 1 }, 0, 1 },
  { "columns", 2, { 4200, 530 }, { 530, 1 }, 0, 0 },
  { "few columns", 2, { 5000, 3 }, { 3, 1 }, 0, 0 },
};

static const kind scan_kinds[] = {
  { MA_REDUCE_sum, MA_FLOAT32, false, false },  { MA_REDUCE_sum, MA_INT32, false, false },
  { MA_REDUCE_sum, MA_FLOAT16, false, false },  { MA_REDUCE_sum, MA_COMPLEX128, false, false },
  { MA_REDUCE_prod, MA_FLOAT64, false, false }, { MA_REDUCE_max, MA_FLOAT32, false, true },
  { MA_REDUCE_min, MA_INT8, false, false },     { MA_REDUCE_any, MA_INT16, false, false },
};

static void run_scan(const kind *k, const layout *l, ma_device *fake) {
  ma_array a, b, x = { .buffer = NULL }, y = { .buffer = NULL };
  ma_program program;
  the_stream.device = fake;
  make_pair(l, k->dtype, k->odd, fake, &a, &b);
  const ma_array *here[] = { &a }, *there[] = { &b };
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_input(&program, k->dtype));
  check(ma_scan_run(k->op, &program, here, NULL, (int)l->axes, MA_NDTYPE, &x, ma_device_null_stream(ma_device_cpu())));
  check(ma_scan_run(k->op, &program, there, NULL, (int)l->axes, MA_NDTYPE, &y, &the_stream));
  char what[40];
  snprintf(what, sizeof what, "running %s", ma_reduces[k->op].name);
  report(same(&x, &y, false), what, k->dtype, false, l->name);
  ma_array *all[] = { &a, &b, &x, &y };
  for (int i = 0; i < 4; i++) ma_array_release(all[i]);
}

/* ---- What a mask keeps ---- */

static const struct {
  int64_t n;
  int parts;
} selections[] = {
  /* of a thousand, so many are kept */
  { 1, 1000 }, { 1, 0 },     { 31, 500 },    { 4096, 1000 },   { 4097, 500 },
  { 5000, 0 }, { 70001, 3 }, { 70001, 500 }, { 100000, 1000 }, { 700003, 500 },
};

static void run_selection(ma_dtype dtype, int64_t n, int parts, ma_device *fake) {
  ma_array a, b, mask, its_mask, x = { .buffer = NULL }, y = { .buffer = NULL }, p, q;
  layout l = { "", 1, { n }, { 1 }, (int)(n % 3 == 0), 1 };
  the_stream.device = fake;
  make_pair(&l, dtype, true, fake, &a, &b);
  make_pair(&l, MA_BOOL, false, fake, &mask, &its_mask);
  for (int64_t i = 0; i < n + l.offset; i++)
    ((char *)mask.buffer->ptr)[i] = ((char *)its_mask.buffer->ptr)[i] = next_bits() % 1000 < (uint64_t)parts
                                                                          ? (char)(1 + next_bits() % 2)
                                                                          : 0;
  ma_item here = { .kind = MA_ITEM_ARRAY, .array = &mask }, there = { .kind = MA_ITEM_ARRAY, .array = &its_mask };
  check(ma_index_get(&x, &a, &here, 1, MA_MODE_RAISE, ma_device_null_stream(ma_device_cpu())));
  check(ma_index_get(&y, &b, &there, 1, MA_MODE_RAISE, &the_stream));
  check(ma_index_nonzero(&p, &a, ma_device_null_stream(ma_device_cpu())));
  check(ma_index_nonzero(&q, &b, &the_stream));
  char what[60];
  snprintf(what, sizeof what, "%lld elements, %d of 1000", (long long)n, parts);
  report(x.size == y.size && !memcmp(x.buffer->ptr, y.buffer->ptr, (size_t)x.size * ma_dtypes[dtype].itemsize),
         "a selection", dtype, false, what);
  report(p.size == q.size && same(&p, &q, false), "the positions", dtype, false, what);
  ma_array *all[] = { &a, &b, &mask, &its_mask, &x, &y, &p, &q };
  for (int i = 0; i < 8; i++) ma_array_release(all[i]);
}

int main(int argc, char **argv) {
  seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL) * 2654435761u + 1;
  printf("SEED=%llu\n", (unsigned long long)seed);
  strcpy(folder, "/tmp/emulateXXXXXX");
  if (!mkdtemp(folder)) return 1;
  setenv("MOONARRAY_CACHE_DIR", folder, 1);
  if (ma_cuda_need_nvrtc() != MA_OK || system("c++ --version >/dev/null 2>&1") != 0) {
    printf("skipped: no NVRTC, the compiler of GPUs\n");
    return 0;
  }
  ma_device *fake = open_fake();
  size_t nlayout = sizeof layouts / sizeof *layouts, nkind = sizeof kinds / sizeof *kinds;
  bool everything = argc > 2;
  for (size_t i = 0; i < nkind; i++)
    for (size_t j = 0; j < nlayout; j++)
      if (everything || next_bits() % (i == 0 ? 2 : 20) == 0)
        run_reduction(&kinds[i], &layouts[j], fake, (ma_value){ .c = { 2.5, 0 } }, i == 0 && j % 3 == 0);
  nlayout = sizeof scan_layouts / sizeof *scan_layouts, nkind = sizeof scan_kinds / sizeof *scan_kinds;
  for (size_t i = 0; i < nkind; i++)
    for (size_t j = 0; j < nlayout; j++)
      if (everything || i == 0 || next_bits() % 8 == 0) run_scan(&scan_kinds[i], &scan_layouts[j], fake);
  static const layout groups = { "groups", 1, { 4300000 }, { 1 }, 0, 0 };
  if (everything) run_scan(&scan_kinds[0], &groups, fake);
  static const ma_dtype moved[] = { MA_FLOAT32, MA_BOOL, MA_FLOAT16, MA_COMPLEX64, MA_COMPLEX128, MA_INT8, MA_FLOAT64 };
  for (size_t i = 0; i < sizeof moved / sizeof *moved; i++)
    for (size_t j = 0; j < sizeof selections / sizeof *selections; j++)
      if (everything || i == 0 || next_bits() % 8 == 0)
        run_selection(moved[i], selections[j].n, selections[j].parts, fake);
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0) nfailed++;
  printf("%d kernels compiled\n%d passed, %d failed\n", ncompiled, npassed, nfailed);
  return nfailed != 0;
}
