/*
** nvrtc_body.c: compiles, without a GPU, the kernels of elementwise bodies in the layouts that map.c chooses: plain,
** unrolled, tiled, with an index, raw arrays, old outputs and every dtype; and reductions of segments, and partial
** ones.
** usage: nvrtc_body [print]
*/
#include "ops/ops.h"
#include "compile/lex.h"
#include "cuda/kernels/map.h"
#include "kernel/params.h"
#include "unit.h"

/* One kernel: its lists, its text, the dtype of T. */
typedef struct sample {
  const char *in, *out, *operation;
  ma_dtype dtype;
  bool strided;
} sample;
static const sample samples[] = {
  { "T x, T y", "T z", "z = (x - y) * (x - y)", MA_FLOAT32, false },
  { "T x, T y", "T z", "z = (x - y) * (x - y)", MA_COMPLEX128, false },
  { "T x, T y", "T z", "z = x + y; z *= 2; z = min(z, x)", MA_FLOAT16, false },
  { "T x, T y", "T z", "if (x > y) z += x", MA_BFLOAT16, false },
  { "T x, T y", "T z", "z = x != y", MA_BOOL, false },
  { "T x, raw T y", "T z", "z = x + y[n - i - 1]", MA_INT64, false },
  { "T x, raw T y", "T z, int64 p", "z = x + y[i]; p = i", MA_INT8, true },
  { "T x, raw T y", "raw T z", "if (x == x) atomicAdd(&z[0], y(0, 1) + (T)y.shape()[0])", MA_FLOAT32, true },
  /* functions of windows and of lines, as lua/moonarray/ndimage/translated.lua prints them */
  { "raw T a, raw int64 places, raw int64 walk", "T y",
    "uint32_t rest = i; ptrdiff_t start = 0; for (int d = 1; d >= 0; d--) { const uint32_t at = rest % "
    "(uint32_t)walk[d]; rest /= (uint32_t)walk[d]; start += (ptrdiff_t)at * walk[2 + d]; } const float *const from = "
    "(const float *)a.p + start; float w[9]; for (int k = 0; k < 9; k++) w[k] = from[places[k]]; y = w[0] * w[8]",
    MA_FLOAT32, false },
  { "raw T a, raw int64 walk", "raw T y",
    "const struct { const double *p; int64_t extents[1], steps[1]; } line = { (const double *)a.p + i, { walk[6] }, { "
    "(int64_t)(walk[7] * sizeof(double)) } }; ((double *)y.p)[i] = line.p[line.extents[0] - 1] + line.steps[0]",
    MA_FLOAT64, false },
};

/* Every given array parameter is a 2-d one; `layout` 0: contiguous, 1: transposed inputs, 2: strided, 3: large. */
static void compile(const sample *s, int layout, int arch, bool print) {
  static const int64_t shapes[4][2] = { { 1, 1000 }, { 640, 512 }, { 100, 33 }, { 1 << 13, 1 << 13 } };
  ma_params params;
  ma_body body = ma_body_empty;
  ma_given given[MA_MAX_PARAMS];
  ma_program program;
  ma_raw raw[MA_MAX_RAW];
  uint32_t id;
  body.name = "sample";
  body.options = "-DN=3\n-DM";
  body.operation = s->operation;
  body.loop_prep = "int twice = 2; // x";
  body.after_loop = "(void)twice;";
  check(ma_params_parse(&params, s->in, s->out));
  int n = params.nin + params.nout;
  for (int k = 0; k < n; k++)
    given[k] = (ma_given){ MA_GIVEN_ARRAY,
                           params.param[k].dtype == MA_NDTYPE ? (uint8_t)s->dtype : params.param[k].dtype,
                           params.param[k].raw && s->strided ? 2 : 0, params.param[k].raw && !s->strided };
  if (strstr(s->in, "T y") && !strstr(s->in, "raw"))
    given[1] = (ma_given){ (uint8_t)(layout == 2 ? MA_GIVEN_SCALAR : MA_GIVEN_ARRAY), (uint8_t)s->dtype, 0, 0 };
  check(ma_params_resolve(&params, given, &body));
  for (int k = 0; k < body.nparam; k++)
    if (body.param[k].role == MA_PARAM_OUTPUT) body.param[k].is_read = ma_body_reads(s->operation, body.param[k].name);
  body.uses_index = ma_lex_mentions(s->operation, "i");
  check(ma_body_intern(&body, &id));
  ma_params_program(&body, id, &program);
  ma_map map = {
    .program = &program, .raw = raw, .total = shapes[layout][0] * shapes[layout][1], .block_size = layout == 2 ? 96 : 0
  };
  map.space.ndim = 2;
  map.space.noperand = program.noutput + program.ninput + body.uses_index;
  for (int d = 0; d < 2; d++) map.space.shape[d] = shapes[layout][d];
  for (int k = 0; k < map.space.noperand; k++) {
    bool index = k == program.noutput + program.ninput;
    int64_t size = index ? 1 : ma_dtypes[ma_map_operand_dtype(&program, k)].itemsize,
            wide = layout == 2 && !index ? 2 : 1;
    bool turned = layout == 1 && !index && k >= program.noutput;
    map.space.stride[k][0] = turned ? size : size * wide * shapes[layout][1];
    map.space.stride[k][1] = turned ? size * shapes[layout][0] : size * wide;
    map.data[k] = index ? NULL : (void *)(uintptr_t)(0x10000000 * (uint64_t)(k + 1));
  }
  int64_t flip[MA_MAX_OPERANDS];
  ma_space_collapse(&map.space, true, flip);
  char *text;
  ma_image image;
  check(ma_cuda_map_source(&map, &text));
  if (print) printf("%s\n", strstr(text, "us_c16;") ? strstr(text, "us_c16;") : text);
  else {
    check(ma_cuda_compile(text, arch, "nvrtc_body", &image));
    ma_image_free(&image);
    if (layout == 0 && arch == 90) { /* as where the options have folders and a standard */
      static const char *const options[] = { "-I/tmp", "--std=c++20" };
      ma_module_source source = { .text = text, .name = "map", .option = options, .noption = 2, .prelude = true };
      check(ma_cuda_compile_source(text, arch, &source, &image));
      ma_image_free(&image);
    }
  }
  free(text);
}

/* Reductions: `tall` rows of `wide`, along the rows or across them. */
static const struct {
  const char *in, *out, *map, *reduce, *post_map, *identity;
  ma_dtype dtype, kind;
} folds[] = {
  { "T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", MA_FLOAT32, MA_FLOAT32 },
  { "T x", "T y", "x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", "0", MA_FLOAT64, MA_FLOAT64 },
  { "T x, raw T w", "T y, int64 k", "x * w[i % _in_ind.size()]", "a > b ? a : b", "y = a; k = _out_ind.size() + n", "",
    MA_FLOAT16, MA_FLOAT32 },
  { "T x, T z", "T y", "x * z", "a + b", "y = a", "0", MA_COMPLEX64, MA_COMPLEX64 },
};

static void compile_fold(int k, int64_t tall, int64_t wide, bool across, int arch, bool print) {
  ma_params params;
  ma_body body = ma_body_empty;
  ma_given given[MA_MAX_PARAMS];
  ma_program program;
  ma_raw raw[MA_MAX_RAW];
  uint32_t id;
  body.name = "fold";
  body.options = "-DN=3\n-UN";
  body.map = folds[k].map;
  body.reduce = folds[k].reduce;
  body.post_map = folds[k].post_map;
  body.identity = folds[k].identity;
  body.is_reduction = true;
  body.reduce_dtype = (uint8_t)folds[k].kind;
  check(ma_params_parse(&params, folds[k].in, folds[k].out));
  for (int j = 0; j < params.nin + params.nout; j++)
    given[j] = (ma_given){ MA_GIVEN_ARRAY,
                           (uint8_t)(params.param[j].dtype == MA_NDTYPE ? folds[k].dtype : params.param[j].dtype), 0,
                           params.param[j].raw };
  check(ma_params_resolve(&params, given, &body));
  body.uses_index = ma_lex_mentions(body.map, "i");
  check(ma_body_intern(&body, &id));
  ma_params_program(&body, id, &program);
  ma_reduction r = { .program = &program, .raw = raw, .nkept = 1, .count = across ? tall : wide, .total = tall * wide };
  r.space.ndim = 2;
  r.space.noperand = program.noutput + program.ninput + body.uses_index;
  r.space.shape[0] = across ? wide : tall;
  r.space.shape[1] = r.count;
  for (int j = 0; j < r.space.noperand; j++) {
    bool result = j < program.noutput, index = j == program.noutput + program.ninput;
    int64_t size =
      index
        ? 1
        : ma_dtypes[result ? ma_program_dtype(&program, program.output[j]) : program.input_dtype[j - program.noutput]]
            .itemsize;
    r.space.stride[j][0] = result || across ? size : size * wide;
    r.space.stride[j][1] = result ? 0 : across ? size * wide : size;
    r.data[j] = index ? NULL : (void *)(uintptr_t)(0x10000000 * (uint64_t)(j + 1));
  }
  char *text;
  ma_image image;
  check(ma_cuda_reduce_source(&r, arch, &text));
  if (print) printf("%s\n", strstr(text, "us_c16;") ? strstr(text, "us_c16;") : text);
  else {
    check(ma_cuda_compile(text, arch, "nvrtc_body", &image));
    ma_image_free(&image);
  }
  free(text);
}

static void compile_text(char *text, int arch, bool print) {
  ma_image image;
  if (print) printf("%s\n", text);
  else {
    check(ma_cuda_compile(text, arch, "nvrtc_body", &image));
    ma_image_free(&image);
  }
  free(text);
}

static int compile_folds(int arch, bool print) {
  int count = 0;
  for (int k = 0; k < (int)(sizeof folds / sizeof *folds); k++)
    for (int layout = 0; layout < 4; layout++)
      if (print || arch == 90 || (k + layout + arch) % 3 == 0) {
        compile_fold(k, layout == 3 ? 5 : 40000, layout == 1 ? 5 : 3000, layout & 1, arch, print);
        count++;
      }
  return count;
}

/* Reductions of segments of rows, of contiguous and of strided ones. */
static int compile_segments(int arch, bool print) {
  static const struct {
    ma_reduce_op op;
    ma_dtype dtype, result;
  } jobs[] = { { MA_REDUCE_sum, MA_FLOAT32, MA_FLOAT32 },       { MA_REDUCE_sum, MA_INT64, MA_INT64 },
               { MA_REDUCE_prod, MA_COMPLEX64, MA_COMPLEX64 },  { MA_REDUCE_max, MA_FLOAT16, MA_FLOAT16 },
               { MA_REDUCE_fmin, MA_FLOAT64, MA_FLOAT64 },      { MA_REDUCE_any, MA_BOOL, MA_BOOL },
               { MA_REDUCE_logaddexp, MA_FLOAT64, MA_FLOAT64 }, { MA_REDUCE_bitwise_xor, MA_UINT8, MA_UINT8 } };
  static const int64_t starts[1] = { 1 };
  int count = 0;
  for (int k = 0; k < (int)(sizeof jobs / sizeof *jobs); k++) {
    int64_t size = ma_dtypes[jobs[k].dtype].itemsize, out = ma_dtypes[jobs[k].result].itemsize;
    ma_program program;
    ma_reduction r = { .op = jobs[k].op, .program = &program, .result = jobs[k].result, .nkept = 2, .count = 4000 };
    char *text;
    if (!print && arch != 90 && (k + arch) % 4) continue;
    ma_program_clear(&program);
    ma_program_output(&program, ma_program_input(&program, jobs[k].dtype));
    r.starts = starts;
    r.space = (ma_space){ .ndim = 3, .noperand = 2, .shape = { 5, 70, 4000 } };
    r.space.stride[0][0] = 70 * out;
    r.space.stride[0][1] = out;
    r.space.stride[1][0] = 8000 * size;
    r.space.stride[1][2] = k % 2 ? size : 2 * size;
    for (int o = 0; o < 2; o++) r.data[o] = (void *)(uintptr_t)(0x10000000 * (uint64_t)(o + 1));
    check(ma_cuda_reduce_source(&r, arch, &text));
    compile_text(text, arch, print);
    count++;
  }
  return count;
}

/* Partial results, along rows and down columns, with and without a mask; and the kernels that merge them. */
static int compile_partial(int arch, bool print) {
  static const struct {
    ma_reduce_op op;
    ma_dtype dtype, result;
  } jobs[] = { { MA_REDUCE_sum, MA_FLOAT16, MA_FLOAT16 },       { MA_REDUCE_prod, MA_UINT64, MA_UINT64 },
               { MA_REDUCE_mean, MA_COMPLEX64, MA_COMPLEX64 },  { MA_REDUCE_var, MA_FLOAT32, MA_FLOAT32 },
               { MA_REDUCE_std, MA_COMPLEX128, MA_FLOAT64 },    { MA_REDUCE_max, MA_BFLOAT16, MA_BFLOAT16 },
               { MA_REDUCE_fmin, MA_COMPLEX64, MA_COMPLEX64 },  { MA_REDUCE_all, MA_BOOL, MA_BOOL },
               { MA_REDUCE_logaddexp, MA_FLOAT64, MA_FLOAT64 }, { MA_REDUCE_count_nonzero, MA_BOOL, MA_INT64 } };
  int count = 0;
  for (int k = 0; k < 2 * (int)(sizeof jobs / sizeof *jobs); k++) {
    ma_dtype dtype = jobs[k / 2].dtype;
    int64_t size = ma_dtypes[dtype].itemsize, rows = k % 2 ? 300 : 4000;
    ma_program program;
    ma_reduction r = { .op = jobs[k / 2].op, .program = &program, .result = MA_NDTYPE, .nkept = 1, .count = rows };
    char *text;
    if (!print && arch != 90 && (k + arch) % 4) continue;
    ma_program_clear(&program);
    ma_program_output(&program, ma_program_input(&program, dtype));
    if (k / 2 % 2) ma_program_output(&program, ma_program_input(&program, MA_BOOL));
    r.space = (ma_space){ .ndim = 2, .noperand = 1 + program.ninput, .shape = { 500, rows } };
    r.space.stride[0][0] = (int64_t)ma_cuda_reduce_partial(&r);
    for (int o = 0; o < program.ninput; o++) {
      r.space.stride[o + 1][k % 2] = o ? 1 : size;
      r.space.stride[o + 1][!(k % 2)] = k % 2 ? 4000 : 500 * (o ? 1 : size);
    }
    for (int o = 0; o < 3; o++) r.data[o] = (void *)(uintptr_t)(0x10000000 * (uint64_t)(o + 1));
    check(ma_cuda_reduce_source(&r, arch, &text));
    compile_text(text, arch, print);
    r.result = jobs[k / 2].result;
    check(ma_cuda_reduce_merge_source(&r, &text));
    compile_text(text, arch, print);
    count += 2;
  }
  return count;
}

int main(int argc, char **argv) {
  static const int archs[] = { 75, 80, 90, 100 };
  bool print = argc > 1 && !strcmp(argv[1], "print");
  int n = sizeof samples / sizeof *samples;
  if (!print && ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  for (int a = 0; a < (print ? 1 : 4); a++) {
    int count = 0;
    for (int k = 0; k < n; k++)
      for (int layout = 0; layout < 4; layout++)
        if (print || archs[a] == 90 || (k + layout + a) % 4 == 0) {
          compile(&samples[k], layout, archs[a], print);
          count++;
        }
    count += compile_folds(archs[a], print) + compile_segments(archs[a], print) + compile_partial(archs[a], print);
    if (!print) printf("sm_%d: %d kernels compiled\n", archs[a], count);
  }
  return 0;
}
