/*
** nvrtc_gather.c: compiles, without a GPU, gathers and scatters of every element size, index dtype and mode, scatters
** that combine by every operation that may, and what a mask keeps, for the architectures that we promise. usage:
** nvrtc_gather: a sample of them; nvrtc_gather all; nvrtc_gather print
*/
#include "ops/ops.h"
#include "cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PER_MODULE 16

static ma_ctext module;
static int in_module, nkernel, arch;
static bool print;

static void flush(void) {
  ma_image image;
  if (in_module == 0) return;
  if (ma_cuda_compile(module.bytes, arch, "nvrtc_gather", &image) != MA_OK) {
    fprintf(stderr, "%s\n", ma_message());
    exit(1);
  }
  ma_image_free(&image);
  ma_ctext_free(&module);
  in_module = 0;
}

/* Many kernels go into one module, each in a namespace of its own, since most of a compile is its start. */
static void add_text(char *text) {
  static const char *const macros[] = { "NDIM",     "NINDEX", "NTERM", "BY",    "MODE",
                                        "POSITION", "STORE",  "SWAP",  "PICKS", "PICK_THREADS" };
  const char *prelude = ma_embedded("prelude.cuh"), *body = strstr(text, prelude) + strlen(prelude);
  if (print) printf("%s\n", body);
  if (in_module == 0) {
    ma_ctext_put(&module, ma_embedded("scalar.h")); /* whole: not each text has all that the others need */
    ma_ctext_put(&module, prelude);
    ma_ctext_put(&module, "#undef MA_KERNEL\n#define MA_KERNEL __global__ void\n");
  }
  for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) ma_ctext_add(&module, "#undef %s\n", macros[i]);
  ma_ctext_add(&module, "namespace n%d {\n%s}\n", in_module, body);
  free(text);
  nkernel++;
  if (++in_module == PER_MODULE) flush();
}

static void add(const ma_gather *picks, bool write, const ma_program *by) {
  char *text;
  if (ma_cuda_gather_source(picks, write, by, &text) != MA_OK) {
    fprintf(stderr, "%s\n", ma_message());
    exit(1);
  }
  add_text(text);
}

/* Elements above a limit, or the places of what is true; one a module, for its names are not all its own. */
static void add_compact(ma_dtype dtype, bool places, int64_t n) {
  char *text;
  ma_program program;
  ma_reduction what = { .program = &program, .result = places ? MA_INT64 : dtype, .nkept = 1, .count = n };
  ma_program_clear(&program);
  int x = ma_program_input(&program, dtype);
  if (!places) {
    ma_program_output(&program, x);
    x = ma_program_emit(&program, MA_OP_not_equal, dtype, (int[MA_MAX_ARITY]){ x, ma_program_scalar(&program, dtype) });
  }
  ma_program_output(&program, x);
  what.space = (ma_space){
    .ndim = 2, .noperand = 2, .shape = { 1, n }, .stride = { { 0, 0 }, { 0, ma_dtypes[dtype].itemsize } }
  };
  what.data[1] = (void *)4096;
  if (ma_cuda_compact_source(&what, &text) != MA_OK) {
    fprintf(stderr, "%s\n", ma_message());
    exit(1);
  }
  if (print) printf("%s\n", text);
  ma_ctext_put(&module, text);
  free(text);
  nkernel++;
  in_module = 1;
  flush();
}

static ma_gather picks_of(ma_dtype dtype, int ndim, int nindex, ma_dtype index, ma_index_mode mode, int op) {
  int size = ma_dtypes[dtype].itemsize;
  ma_gather g = { .nindex = nindex, .dtype = dtype, .mode = mode, .op = op };
  g.space.ndim = ndim;
  g.space.noperand = 2 + nindex;
  for (int d = 0; d < ndim; d++) {
    g.space.shape[d] = 10;
    for (int k = 0; k < 2 + nindex; k++) g.space.stride[k][d] = d == ndim - 1 ? size : 1000;
  }
  for (int k = 0; k < nindex; k++) {
    g.index_dtype[k] = (uint8_t)(k ? MA_INT64 : index);
    g.space.stride[2 + k][ndim - 1] = ndim > 1 ? 0 : 8;
    g.extent[k] = 10;
    g.step[k] = 64;
    g.axis[k] = (uint8_t)(k + 1);
  }
  for (int k = 0; k < 2 + nindex; k++) g.data[k] = (void *)(uintptr_t)(4096 * (k + 1));
  return g;
}

static void add_picks(ma_dtype dtype, int ndim, int nindex, ma_dtype index, ma_index_mode mode, bool write, int op) {
  ma_gather g = picks_of(dtype, ndim, nindex, index, mode, op);
  add(&g, write, NULL);
}

/* Picks at x + s, where s is a scalar and x of any dtype. */
static void add_computed(ma_dtype dtype, ma_dtype from, ma_dtype index) {
  ma_gather g = picks_of(dtype, 2, 1, index, MA_MODE_RAISE, -1);
  ma_program program;
  ma_program_clear(&program);
  int x = ma_program_cast(&program, ma_program_input(&program, from), index);
  int sum[MA_MAX_ARITY] = { x, ma_program_scalar(&program, index) };
  ma_program_output(&program, ma_program_emit(&program, MA_OP_add, index, sum));
  add(&g, false, &program);
}

static bool may_combine(const ma_op_info *op, ma_dtype dtype) {
  bool same = !(op->flags & MA_OPF_SPECIAL) && op->nin <= 2 && op->body[ma_dtypes[dtype].kind] &&
              ma_sig_dtype((ma_sig)op->out, dtype) == dtype;
  for (int k = 0; k < op->nin && same; k++) same = ma_sig_dtype((ma_sig)op->in[k], dtype) == dtype;
  return same;
}

static void compile_all(int sample) {
  static const ma_dtype sizes[] = { MA_UINT8, MA_FLOAT16, MA_FLOAT32, MA_FLOAT64, MA_COMPLEX128 };
  int turn = 0, few = sample > 10 ? 5 : sample > 1 ? 2 : 1;
  for (int i = 0; i < 5; i++)
    for (int write = 0; write < 2; write++)
      for (int ndim = 1; ndim <= 3; ndim++)
        if (turn++ % few == 0) add_picks(sizes[i], ndim, ndim, MA_INT64, MA_MODE_RAISE, write, -1);
  for (int index = MA_INT8; index <= MA_UINT64; index++)
    for (int mode = MA_MODE_RAISE; mode <= MA_MODE_CLIP; mode++)
      if (turn++ % few == 0) add_picks(MA_FLOAT32, 2, 2, (ma_dtype)index, (ma_index_mode)mode, mode, -1);
  add_picks(MA_FLOAT64, 16, 16, MA_INT32, MA_MODE_RAISE, false, -1);
  for (int i = 0; i < 5; i++) add_computed(sizes[i], i % 2 ? MA_UINT8 : MA_FLOAT16, i % 3 ? MA_INT64 : MA_UINT64);
  for (int op = 0; op < MA_NOP; op++)
    for (int dtype = 0; dtype < MA_NDTYPE; dtype++)
      if (op != MA_OP_cast && may_combine(&ma_ops[op], (ma_dtype)dtype) && turn++ % sample == 0)
        add_picks((ma_dtype)dtype, 1, 1, MA_INT64, MA_MODE_RAISE, true, op);
  flush();
  add_compact(MA_BOOL, true, 1000);
  for (int i = 0; i < 5; i++)
    if (sample < 10 || i == 2) add_compact(sizes[i], false, i ? 1000 : (int64_t)1 << 33);
}

int main(int argc, char **argv) {
  static const int archs[] = { 75, 80, 90, 100 };
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  print = argc > 1 && !strcmp(argv[1], "print");
  bool all = argc > 1 && !strcmp(argv[1], "all");
  for (int i = 0; i < 4; i++) {
    arch = archs[i];
    compile_all(all ? 1 : arch == 90 ? 10 : 41);
    fprintf(print ? stderr : stdout, "sm_%d: %d kernels compiled\n", arch, nkernel);
    nkernel = 0;
    if (print) return 0;
  }
  return 0;
}
