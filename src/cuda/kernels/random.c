/* random.c: random numbers on a GPU: a kernel for each distribution and dtype, around kernels/random/random.h, draws.h,
** single.h and tried.h. */
#include "cuda/cuda.h"
#include "program/generators.h"
#include "backend/random.h"
#include "tuning.h"

#include <string.h>

/* Rows of 65536 blocks at a time (random.cuh), at least and at most. */
#define LEAST_ROWS 8
#define MOST_ROWS 64

#define AT_A_TIME 4 /* blocks that a multiprocessor has at a time, where lanes go on to the next number by themselves */

/* Everything that the text depends on; compared as bytes. */
typedef struct variant {
  uint8_t kind, dtype, per_block, standard, single, tried, varied, in_graph;
} variant;

/* The elements of one block as C++, which fills v[0 .. V-1]. */
static const char uniform_4[] =
  "float a = (float)job.param[0], b = (float)(job.param[1] - job.param[0]), last = (float)job.param[2];\n"
  "  _Pragma(\"unroll\") for (int j = 0; j < 4; j++) {\n"
  "    float x = SCALED(ma_uniform_f(ma_word32(w, j), BITS));\n"
  "    v[j] = D::store(BELOW(x));\n  }\n";
static const char uniform_2[] = "double a = job.param[0], b = job.param[1] - job.param[0], last = job.param[2];\n"
                                "  double x = SCALED(ma_uniform_d(w.x, w.y)), y = SCALED(ma_uniform_d(w.z, w.w));\n"
                                "  v[0] = BELOW(x);\n  v[1] = BELOW(y);\n";
static const char normal_4[] = "float z[4], a = (float)job.param[0], b = (float)job.param[1];\n"
                               "  ma_normals_f(w.x, w.y, &z[0], &z[1]);\n  ma_normals_f(w.z, w.w, &z[2], &z[3]);\n"
                               "  _Pragma(\"unroll\") for (int j = 0; j < 4; j++) v[j] = D::store(SCALED(z[j]));\n";
static const char normal_2[] = "double z[2], a = job.param[0], b = job.param[1];\n"
                               "  ma_normals_d(w, &z[0], &z[1]);\n  v[0] = SCALED(z[0]); v[1] = SCALED(z[1]);\n";
/* A few words must be drawn again, because they would make some values more frequent. One test serves all words of a
** block. It is ma_bounded of each, but for calls, which would need many registers. */
static const char integers_4[] = "u8 m[4];\n  u4 threshold = (u4)job.threshold, again = 0;\n"
                                 "  _Pragma(\"unroll\") for (int j = 0; j < 4; j++) {\n"
                                 "    m[j] = ma_times_span(ma_word32(w, j), job.span);\n"
                                 "    again |= (u4)m[j] < threshold;\n  }\n"
                                 "  for (u4 t = 1; again && t < MA_RANDOM_ATTEMPTS; t++) {\n"
                                 "    ma_words x = ma_philox(job.key, block, job.attempt + t, job.draw);\n"
                                 "    again = 0;\n"
                                 "    _Pragma(\"unroll\") for (int j = 0; j < 4; j++) {\n"
                                 "      if ((u4)m[j] < threshold) m[j] = ma_times_span(ma_word32(x, j), job.span);\n"
                                 "      again |= (u4)m[j] < threshold;\n    }\n  }\n"
                                 "  _Pragma(\"unroll\") for (int j = 0; j < 4; j++) "
                                 "v[j] = (D::mem)((u8)job.low + (m[j] >> 32));\n";
static const char integers_2[] = "_Pragma(\"unroll\") for (int j = 0; j < 2; j++) v[j] = (D::mem)((u8)job.low + "
                                 "ma_bounded64(&job, ma_word64(w, j), block, j));\n";

static const struct {
  const char *four, *two;
} fills[] = {
  [MA_RANDOM_uniform] = { uniform_4, uniform_2 },
  [MA_RANDOM_normal] = { normal_4, normal_2 },
  [MA_RANDOM_integers] = { integers_4, integers_2 },
};

static const char parameters[] = "parameter(job, 0, block), parameter(job, 1, block), parameter(job, 2, block))));\n";

/* NVRTC gets one text, so a part's include of another part, which is printed first, is left out. */
static void print_part(ma_ctext *text, const char *name, const char *included) {
  const char *whole = ma_embedded(name), *include = strstr(whole, included);
  ma_ctext_add(text, "%.*s", (int)(include - whole), whole);
  ma_ctext_put(text, strchr(include, '\n') + 1);
}

static void print_draws(ma_ctext *text, const variant *v) {
  bool counting = v->kind == MA_RANDOM_poisson;
  if (v->single || v->tried || counting) print_part(text, "single.h", "#include \"random.h\"\n");
  if (v->tried) print_part(text, "tried.h", "#include \"single.h\"\n");
  if (!v->single) print_part(text, "draws.h", "#include \"random.h\"\n");
  if (counting)
    ma_ctext_add(text, "#define ATTEMPTS %d\n#define FEW_IDLE %d\n#define FEW_TESTED %d\n", AT_A_TIME, TUNE_DRAW_IDLE,
                 TUNE_DRAW_TESTED);
}

static void print_block(ma_ctext *text, const variant *v) {
  int bits = v->dtype == MA_FLOAT16 ? 11 : v->dtype == MA_BFLOAT16 ? 8 : 24;
  ma_ctext_add(text, "#define BITS %d\n#define SCALED(x) %s\n", bits, v->standard ? "(x)" : "(a + b * (x))");
  ma_ctext_add(text, "#define BELOW(x) %s\n", v->standard ? "(x)" : "((x) < last ? (x) : last)");
}

static void print_fill(ma_ctext *text, const variant *v) {
  const char *name = ma_randoms[v->kind].name;
  ma_ctext_put(text, "FILL {\n  ");
  if (v->per_block > 1) ma_ctext_put(text, v->per_block == 4 ? fills[v->kind].four : fills[v->kind].two);
  else if (v->single) ma_ctext_add(text, "v[0] = D::store((ma_single_%s(w, %s", name, parameters);
  else
    ma_ctext_add(text,
                 "ma_draws s = ma_draws_of(&job, block);\n  s.first = w;\n  v[0] = D::store(TO(ma_draw_%s(&job, &s, %s",
                 name, parameters);
  ma_ctext_put(text, "}\n");
}

static void print_random(ma_ctext *text, const void *what) {
  const variant *v = what;
  const char *suffix = ma_cuda_suffix((ma_dtype)v->dtype), *name = ma_randoms[v->kind].name;
  bool block = v->per_block > 1, filled = v->kind != MA_RANDOM_poisson && !v->tried;
  ma_ctext_put(text, ma_embedded("random.h"));
  if (block) print_block(text, v);
  else print_draws(text, v);
  ma_ctext_add(text, "typedef dt_%s D;\n#define TO ma_to_%s\n", suffix, suffix);
  if (filled)
    ma_ctext_add(text, "#define V %d\n#define UNROLL %d\n", v->per_block,
                 v->single || (block && v->kind != MA_RANDOM_integers) ? 2 : 1);
  if (v->varied) ma_ctext_put(text, "#define VARIED\n");
  if (v->in_graph) ma_ctext_put(text, "#define IN_GRAPH\n");
  ma_ctext_put(text, ma_embedded("random.cuh"));
  if (filled) print_fill(text, v);
  else if (!v->tried) ma_ctext_put(text, ma_embedded("counting.cuh"));
  else {
    ma_ctext_add(text, "#define MAY ma_may_%s\n#define TRY ma_tried_%s\n#define DRAW ma_draw_%s\n", name, name, name);
    ma_ctext_add(text, "#define MA_THREADS %d\n", MA_THREADS);
    ma_ctext_put(text, ma_embedded("trying.cuh"));
  }
}

static const ma_cuda_family random_family = { "random", { "draw_random" }, print_random, NULL };

static variant variant_of(const ma_random *r) {
  return (variant){ .kind = (uint8_t)r->kind,
                    .dtype = (uint8_t)r->dtype,
                    .per_block = (uint8_t)ma_random_per_block(r),
                    .standard = ma_random_is_standard(r),
                    .single = ma_random_is_single(r),
                    .tried = ma_random_is_tried(r),
                    .varied = r->job.array[0] || r->job.array[1] || r->job.array[2],
                    .in_graph = r->job.cell != NULL };
}

/* What a thread computes before its first row is a third of what a row of normal numbers takes. So it has several, but
** there are rows enough at a time to fill the GPU. */
static unsigned grid_of(const ma_random *r, int sms) {
  int per_block = ma_random_per_block(r);
  int64_t blocks = (r->job.n + per_block - 1) / per_block, grid = (blocks + MA_THREADS - 1) / MA_THREADS,
          rows = (grid + 255) / 256, at_once = rows / TUNE_DRAW_ROWS;
  if (r->kind == MA_RANDOM_poisson) return (unsigned)(grid < sms * AT_A_TIME ? grid : sms * AT_A_TIME);
  if (grid <= 256) return (unsigned)grid;
  at_once = at_once < LEAST_ROWS ? LEAST_ROWS : at_once > MOST_ROWS ? MOST_ROWS : at_once;
  return (unsigned)(256 * (rows < at_once ? rows : at_once));
}

ma_status ma_cuda_random_draw(ma_stream *stream, const ma_random *random) {
  if (random->curand) return ma_cuda_curand(stream, random);
  ma_cuda_device *d = ma_cuda_state(stream);
  variant v = variant_of(random);
  const CUfunction *entry;
  ma_random_job job = random->job;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(d, &random_family, &v, sizeof v, &v, &entry));
  return ma_cuda_launch(stream, entry[0], grid_of(random, d->sm_count), MA_THREADS, 0, (void *[]){ &job },
                        ma_randoms[random->kind].name, job.n * ma_dtypes[random->dtype].itemsize);
}

ma_status ma_cuda_random_source(const ma_random *random, char **source) {
  variant v = variant_of(random);
  return ma_cuda_source(&random_family, &v, source);
}
