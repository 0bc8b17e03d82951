/* nvrtc_rows.c: compiles, without a GPU, row programs for the architectures that we promise: softmax, a layer norm, and
** four reductions of one operand, over rows for lanes, a warp, a block, and spans, and over columns for threads,
** blocks, clusters, and spans; and reductions over pairs of rows. usage: nvrtc_rows [print] */
#include "backend/row_program.h"
#include "program/stages.h"
#include "nvrtc.h"

static int emit(ma_program *p, ma_opcode op, ma_dtype dtype, int x, int y) {
  const int args[] = { x, y };
  return ma_program_emit(p, op, dtype, args);
}

static void set_fold(ma_row_program *program, int k, ma_reduce_op op, ma_dtype dtype) {
  program->fold[k] = (ma_row_fold){ .op = (uint8_t)op,
                                    .value = (uint8_t)dtype,
                                    .result = (uint8_t)ma_reduce_dtype(op, dtype) };
}

/* Inputs: the array, and the results of the reductions. */
static void begin(ma_unstaged *all, ma_program *p, ma_dtype dtype, int nfold) {
  ma_program_clear(p);
  *all = (ma_unstaged){ .program = p, .nfold = nfold, .output = -1 };
  for (int k = 0; k <= nfold; k++) {
    ma_program_input(p, dtype);
    all->fold[k] = k - 1;
    all->flat[k] = k > 0;
  }
}

static void softmax(ma_unstaged *all, ma_program *p, ma_row_program *program, ma_dtype dtype) {
  begin(all, p, dtype, 2);
  int e = emit(p, MA_OP_exp, dtype, emit(p, MA_OP_subtract, dtype, 0, 1), 0);
  all->value[0] = 0;
  all->value[1] = (uint8_t)e;
  all->output = emit(p, MA_OP_divide, dtype, e, 2);
  set_fold(program, 0, MA_REDUCE_max, dtype);
  set_fold(program, 1, MA_REDUCE_sum, dtype);
}

static void layer_norm(ma_unstaged *all, ma_program *p, ma_row_program *program, ma_dtype dtype) {
  begin(all, p, dtype, 2);
  int deviation = emit(p, MA_OP_sqrt, dtype, emit(p, MA_OP_add, dtype, 2, ma_program_scalar(p, dtype)), 0);
  all->output = emit(p, MA_OP_divide, dtype, emit(p, MA_OP_subtract, dtype, 0, 1), deviation);
  set_fold(program, 0, MA_REDUCE_mean, dtype);
  set_fold(program, 1, MA_REDUCE_var, dtype);
}

static void siblings(ma_unstaged *all, ma_program *p, ma_row_program *program, ma_dtype dtype) {
  static const ma_reduce_op ops[] = { MA_REDUCE_min, MA_REDUCE_argmax, MA_REDUCE_mean, MA_REDUCE_std };
  begin(all, p, dtype, 0);
  all->nfold = 4;
  for (int k = 0; k < 4; k++) set_fold(program, k, ops[k], dtype);
}

typedef void maker(ma_unstaged *, ma_program *, ma_row_program *, ma_dtype);

/* What nobody reads is not written: of log-sum-exp's kind, a number for each row. */
static void check_unread(const ma_row_program *program, int64_t nrow, int64_t count) {
  static ma_row_program own;
  char *text[2];
  own = *program;
  for (int k = 0; k < 2; k++) {
    own.unread = (uint8_t)k;
    check(ma_cuda_rows_source(&own, arch, &text[k]));
  }
  bool written = strstr(text[0], "(f0::result::mem *)") != NULL, unread = !strstr(text[1], "(f0::result::mem *)");
  if (!written || !unread) {
    fprintf(stderr, "%lld rows of %lld: what nobody reads is written\n", (long long)nrow, (long long)count);
    exit(1);
  }
  free(text[0]);
  free(text[1]);
}

static void compile_rows(maker *make, ma_dtype dtype, int64_t nrow, int64_t count, bool down) {
  static ma_row_program program;
  ma_unstaged all;
  ma_program p;
  char *text;
  memset(&program, 0, sizeof program);
  make(&all, &p, &program, dtype);
  if (!ma_stages_make(&all, &program)) {
    fprintf(stderr, "no stages\n");
    exit(1);
  }
  program.nkept = 1;
  program.count = count;
  program.space = (ma_space){ .ndim = 2,
                              .noperand = program.nfold + program.writes + program.narray,
                              .shape = { nrow, count } };
  for (int k = 0; k < program.space.noperand; k++) {
    int64_t size = ma_dtypes[dtype].itemsize;
    program.space.stride[k][0] = k < program.nfold ? 8 : down ? size : count * size;
    program.space.stride[k][1] = k < program.nfold ? 0 : down ? nrow * size : size;
  }
  check(ma_cuda_rows_source(&program, arch, &text));
  if (!text) {
    fprintf(stderr, "%lld elements of %s are left to separate runs\n", (long long)count, ma_dtypes[dtype].name);
    exit(1);
  }
  compile_text(text, "nvrtc_rows");
  if (program.writes) check_unread(&program, nrow, count);
}

static void compile(maker *make, ma_dtype dtype, int64_t nrow, int64_t count) {
  compile_rows(make, dtype, nrow, count, false);
}
static void compile_columns(maker *make, ma_dtype dtype, int64_t nrow, int64_t count) {
  compile_rows(make, dtype, nrow, count, true);
}

/* A sum of x * 2, which is a row program of one stage. */
static void compile_sum(ma_dtype from, ma_dtype dtype, int64_t nrow, int64_t count, bool down) {
  ma_program p;
  char *text;
  ma_program_clear(&p);
  ma_program_input(&p, from);
  int cast[] = { 0 }, x = from == dtype ? 0 : ma_program_emit(&p, MA_CAST, dtype, cast);
  ma_program_output(&p, emit(&p, MA_OP_multiply, dtype, x, ma_program_scalar(&p, dtype)));
  ma_reduction r = { .op = MA_REDUCE_sum, .program = &p, .result = dtype, .nkept = 1, .count = count };
  int64_t size = ma_dtypes[from].itemsize;
  r.space = (ma_space){ .ndim = 2, .noperand = 2, .shape = { nrow, count } };
  r.space.stride[0][0] = 8;
  r.space.stride[1][0] = down ? size : count * size;
  r.space.stride[1][1] = down ? nrow * size : size;
  check(ma_cuda_reduce_source(&r, arch, &text));
  compile_text(text, "nvrtc_sum");
}

/* A reduction of x * y, where x repeats along the second axis and y along the first. */
static void compile_pairs(ma_reduce_op op, ma_dtype dtype, int64_t side, int64_t count) {
  ma_program p;
  char *text;
  ma_program_clear(&p);
  ma_program_output(&p, emit(&p, MA_OP_multiply, dtype, ma_program_input(&p, dtype), ma_program_input(&p, dtype)));
  ma_reduction r = { .op = op, .program = &p, .result = ma_reduce_dtype(op, dtype), .nkept = 2, .count = count };
  int64_t size = ma_dtypes[dtype].itemsize;
  r.space = (ma_space){ .ndim = 3, .noperand = 3, .shape = { side, side, count } };
  r.space.stride[0][0] = side * 8;
  r.space.stride[0][1] = 8;
  r.space.stride[1][0] = r.space.stride[2][1] = count * size;
  r.space.stride[1][2] = r.space.stride[2][2] = size;
  check(ma_cuda_reduce_source(&r, arch, &text));
  if (!strstr(text, "tile_of(p)")) {
    fprintf(stderr, "%lld elements of %s are not taken tile by tile\n", (long long)count, ma_dtypes[dtype].name);
    exit(1);
  }
  compile_text(text, "nvrtc_pairs");
}

/* A few for each architecture. */
static void compile_all(int place) {
  static const ma_dtype dtypes[] = { MA_FLOAT32, MA_FLOAT64, MA_FLOAT16, MA_FLOAT32 };
  ma_dtype dtype = dtypes[place];
  compile(softmax, dtype, 100, place % 2 ? 1000 : 8192);
  compile(layer_norm, dtype, 100, place % 2 ? 4097 : 70);
  compile(siblings, dtype, place < 2 ? 1 : 1000, place < 2 ? 1 << 27 : 300);
  compile(softmax, dtype, 100000, place % 2 ? 70 : 5);
  compile(layer_norm, dtype, 1000, place % 2 ? 129 : 500);
  compile_columns(softmax, dtype, 1000, place % 2 ? 1000 : 70);
  compile_columns(layer_norm, dtype, 1000, place % 2 ? 5 : 300);
  if (arch >= 90) compile_columns(layer_norm, dtype, 1000, 5000);
  compile_columns(siblings, dtype, 70, 100000);
  compile_sum(place % 2 ? MA_INT8 : MA_FLOAT32, place % 2 ? MA_INT64 : MA_FLOAT32, place < 2 ? 1 : 100, 1 << 22, false);
  compile_sum(MA_INT8, MA_INT64, 1000, place % 2 ? 5000 : 100, place < 2);
  compile_pairs(MA_REDUCE_sum, dtype, 1000, place % 2 ? 64 : 13);
  compile_pairs(place % 2 ? MA_REDUCE_argmin : MA_REDUCE_var, dtype, 500, place % 2 ? 300 : 3000);
  compile_pairs(MA_REDUCE_sum, MA_COMPLEX128, 1000, place % 2 ? 1024 : 1025);
}

int main(int argc, char **argv) {
  if (begin_unit(argc, argv)) compile_for_each(compile_all);
  return 0;
}
