/*
** nvrtc_map.c: compiles, without a GPU, the kernel of every operation in every loop dtype, and of many layouts, for the
** architectures that we promise: a sample of them in half a minute. usage: nvrtc_map [all]; nvrtc_map print shows the
** texts of a few kernels.
**
** Many kernels go into one module, each in a namespace of its own, since most of a compile is its start.
*/
#include "ops/ops.h"
#include "cuda/kernels/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PER_MODULE 24

static ma_ctext module;
static int in_module, nkernel, nmodule, arch = 90;

static void flush(void) {
  ma_image image;
  if (in_module == 0) return;
  if (ma_cuda_compile(module.bytes, arch, "nvrtc_map", &image) != MA_OK) {
    fprintf(stderr, "%s\n", ma_message());
    exit(1);
  }
  ma_image_free(&image);
  ma_ctext_free(&module);
  in_module = 0;
  nmodule++;
}

/* So that the next kernel's lists may have the same names. */
static void undefine(const char *body) {
  static const char define[] = "\n#define ";
  for (const char *at = body; (at = strstr(at, define));) {
    at += strlen(define);
    ma_ctext_add(&module, "#undef %.*s\n", (int)strcspn(at, "( \n"), at);
  }
}

static void add(const ma_map *map, bool print) {
  char *text;
  if (ma_cuda_map_source(map, &text) != MA_OK) {
    fprintf(stderr, "%s\n", ma_message());
    exit(1);
  }
  const char *prelude = ma_embedded("prelude.cuh"), *at = strstr(text, prelude);
  char *body = (char *)at + strlen(prelude);
  if (print) {
    printf("%s\n", body);
    free(text);
    return;
  }
  if (in_module == 0) {
    ma_ctext_put(&module, ma_embedded("scalar.h")); /* whole: not each text has all that the others need */
    ma_ctext_put(&module, prelude);
    ma_ctext_put(&module, "#undef MA_KERNEL\n#define MA_KERNEL __global__ void\n");
  }
  ma_ctext_add(&module, "namespace n%d {\n%s}\n", in_module, body);
  undefine(body);
  free(text);
  nkernel++;
  if (++in_module == PER_MODULE) flush();
}

/* ---- Layouts: strides in elements of the operands over up to three axes ---- */

typedef struct layout {
  const char *name;
  int ndim;
  int64_t shape[3], out[3], in[3], other[3];
  int offset;
} layout;
static const layout layouts[] = {
  { "contiguous", 1, { 1000 }, { 1 }, { 1 }, { 1 }, 0 },
  { "one element", 1, { 1 }, { 0 }, { 0 }, { 0 }, 0 },
  { "large", 1, { 1 << 27 }, { 1 }, { 1 }, { 1 }, 0 },
  { "misaligned", 1, { 1000 }, { 1 }, { 1 }, { 1 }, 1 },
  { "scalar", 1, { 1000 }, { 1 }, { 0 }, { 1 }, 0 },
  { "strided", 1, { 1000 }, { 1 }, { 2 }, { -1 }, 0 },
  { "strided out", 1, { 1000 }, { 3 }, { 2 }, { 3 }, 0 },
  { "row", 2, { 100, 512 }, { 512, 1 }, { 0, 1 }, { 512, 1 }, 0 },
  { "column", 2, { 100, 512 }, { 512, 1 }, { 1, 0 }, { 512, 1 }, 0 },
  { "ragged", 2, { 100, 13 }, { 20, 1 }, { 16, 1 }, { 13, 1 }, 0 },
  { "transposed", 2, { 640, 512 }, { 512, 1 }, { 1, 640 }, { 512, 1 }, 0 },
  { "both transposed", 2, { 640, 512 }, { 512, 1 }, { 1, 640 }, { 1, 641 }, 0 },
  { "batched", 3, { 5, 640, 512 }, { 640 * 512, 512, 1 }, { 640 * 512, 1, 640 }, { 0, 0, 1 }, 0 },
  { "outer transposed", 3, { 64, 50, 40 }, { 2000, 40, 1 }, { 1, 64 * 40, 64 }, { 40, 0, 1 }, 0 },
  { "3-d", 3, { 5, 64, 50 }, { 64 * 60, 60, 1 }, { 64 * 100, 100, 2 }, { 0, 60, 1 }, 0 },
};
#define NLAYOUT (int)(sizeof layouts / sizeof *layouts)

static void add_layout(const ma_program *program, const layout *l, bool print) {
  ma_map map = { .program = program };
  map.space.ndim = l->ndim;
  map.space.noperand = program->noutput + program->ninput;
  memcpy(map.space.shape, l->shape, sizeof l->shape);
  for (int k = 0; k < map.space.noperand; k++) {
    int size = ma_dtypes[ma_map_operand_dtype(program, k)].itemsize;
    const int64_t *from = k < program->noutput ? l->out : k == program->noutput ? l->in : l->other;
    for (int d = 0; d < l->ndim; d++) map.space.stride[k][d] = from[d] * size;
    map.data[k] = (void *)(uintptr_t)(0x10000000 + 0x10000000ull * (unsigned)k +
                                      (k == program->noutput ? (unsigned)(l->offset * size) : 0));
  }
  if (print) printf("// %s\n", l->name);
  add(&map, print);
}

static bool op_program(ma_program *program, ma_opcode op, ma_dtype dtype) {
  const ma_op_info *info = &ma_ops[op];
  int args[MA_MAX_ARITY];
  if (!info->body[ma_dtypes[dtype].kind] || info->flags & MA_OPF_SPECIAL) return false; /* those: nvrtc_special */
  ma_program_clear(program);
  for (int k = 0; k < info->nin; k++) {
    ma_dtype in = ma_sig_dtype((ma_sig)info->in[k], dtype);
    args[k] = k == 2 ? ma_program_scalar(program, in) : ma_program_input(program, in); /* a scalar now and then */
  }
  ma_program_output(program, ma_program_emit(program, op, dtype, args));
  return true;
}

static void cast_program(ma_program *program, ma_dtype from, ma_dtype to) {
  ma_program_clear(program);
  ma_program_output(program, ma_program_cast(program, ma_program_input(program, from), to));
}

/* Of all that a program can hold. */
static void full_program(ma_program *program, ma_dtype dtype) {
  ma_program_clear(program);
  int reg = ma_program_input(program, dtype);
  for (int k = 1; k < MA_MAX_INPUTS; k++) ma_program_input(program, dtype);
  for (int k = 0; k < MA_MAX_SCALARS; k++) ma_program_scalar(program, dtype);
  for (int k = 0; k < MA_MAX_CODE; k++)
    reg = ma_program_emit(program, k % 2 ? MA_OP_multiply : MA_OP_add, dtype,
                          (int[]){ reg, 1 + k % (MA_MAX_INPUTS + MA_MAX_SCALARS - 1) });
  ma_program_output(program, reg);
}

static void compile_all(int sample) {
  ma_program program;
  int turn = 0;
  for (int l = 0; l < NLAYOUT; l += 3) {
    full_program(&program, l % 2 ? MA_FLOAT64 : MA_FLOAT16);
    add_layout(&program, &layouts[l], false);
  }
  for (int op = 0; op < MA_NOP; op++)
    for (int dtype = 0; dtype < MA_NDTYPE; dtype++)
      if (op != MA_OP_cast && op_program(&program, (ma_opcode)op, (ma_dtype)dtype) && turn++ % sample == 0)
        add_layout(&program, &layouts[turn / sample % 3 == 0 ? turn % NLAYOUT : 5], false);
  for (int from = 0; from < MA_NDTYPE; from++)
    for (int to = 0; to < MA_NDTYPE; to++) {
      cast_program(&program, (ma_dtype)from, (ma_dtype)to);
      if (turn++ % sample == 0) add_layout(&program, &layouts[turn / sample % NLAYOUT], false);
    }
  for (int l = 0; l < NLAYOUT; l++)
    for (int dtype = 0; dtype < MA_NDTYPE; dtype++)
      if (op_program(&program, MA_OP_add, (ma_dtype)dtype) && turn++ % sample == 0)
        add_layout(&program, &layouts[l], false);
  flush();
}

static void print_some(void) {
  ma_program program;
  op_program(&program, MA_OP_add, MA_FLOAT32);
  for (int l = 0; l < NLAYOUT; l++) add_layout(&program, &layouts[l], true);
  op_program(&program, MA_OP_where, MA_FLOAT16);
  add_layout(&program, &layouts[0], true);
  cast_program(&program, MA_FLOAT32, MA_FLOAT64);
  add_layout(&program, &layouts[1], true);
}

int main(int argc, char **argv) {
  static const int archs[] = { 75, 80, 90, 100 };
  if (argc > 1 && !strcmp(argv[1], "print")) {
    print_some();
    return 0;
  }
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  for (int i = 0; i < 4; i++) {
    arch = archs[i];
    compile_all(argc > 1 ? 1 : arch == 90 ? 6 : 24);
    printf("sm_%d: %d kernels in %d modules compiled\n", arch, nkernel, nmodule);
    nkernel = nmodule = 0;
  }
  return 0;
}
