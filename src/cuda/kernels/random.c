/* random.c: random numbers on a GPU: a kernel for each distribution and dtype, around kernels/random/random.h and
** draws.h. */
#include "cuda/cuda.h"
#include "program/generators.h"
#include "backend/random.h"
#include "tuning.h"

#include <string.h>

#define MOST_ROWS 64 /* rows of 65536 blocks at a time; see random.cuh */

/* Everything that the text depends on; compared as bytes. */
typedef struct variant {
  uint8_t kind, dtype, per_block, standard, in_graph;
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
** block. */
static const char integers_4[] = "u4 threshold = (u4)job.threshold, again = 0;\n"
                                 "  _Pragma(\"unroll\") for (int j = 0; j < 4; j++) {\n"
                                 "    u8 m = ma_word32(w, j) * job.span;\n"
                                 "    again |= (u4)m < threshold;\n"
                                 "    v[j] = (D::mem)((u8)job.low + (m >> 32));\n  }\n"
                                 "  if (again) _Pragma(\"unroll\") for (int j = 0; j < 4; j++) v[j] = "
                                 "(D::mem)((u8)job.low + ma_bounded(&job, ma_word32(w, j), block, j));\n";
static const char integers_2[] = "_Pragma(\"unroll\") for (int j = 0; j < 2; j++) v[j] = (D::mem)((u8)job.low + "
                                 "ma_bounded64(&job, ma_word64(w, j), block, j));\n";

static const struct {
  const char *four, *two;
} fills[] = {
  [MA_RANDOM_uniform] = { uniform_4, uniform_2 },
  [MA_RANDOM_normal] = { normal_4, normal_2 },
  [MA_RANDOM_integers] = { integers_4, integers_2 },
};

/* draws.h includes random.h. NVRTC gets one text, so random.h is printed first and the directive is left out. */
static void print_draws(ma_ctext *text) {
  const char *whole = ma_embedded("draws.h"), *include = strstr(whole, "#include \"random.h\"\n");
  ma_ctext_add(text, "%.*s", (int)(include - whole), whole);
  ma_ctext_put(text, strchr(include, '\n') + 1);
}

static void print_random(ma_ctext *text, const void *what) {
  const variant *v = what;
  const char *suffix = ma_cuda_suffix((ma_dtype)v->dtype);
  ma_ctext_put(text, ma_embedded("random.h"));
  ma_ctext_add(text, "typedef dt_%s D;\n", suffix);
  if (ma_randoms[v->kind].block) {
    int bits = v->dtype == MA_FLOAT16 ? 11 : v->dtype == MA_BFLOAT16 ? 8 : 24;
    ma_ctext_add(text, "#define UNROLL %d\n", v->kind == MA_RANDOM_integers ? 1 : 2);
    ma_ctext_add(text, "#define V %d\n#define BITS %d\n#define FILL fill\n#define SCALED(x) %s\n", v->per_block, bits,
                 v->standard ? "(x)" : "(a + b * (x))");
    ma_ctext_add(text, "#define BELOW(x) %s\n", v->standard ? "(x)" : "((x) < last ? (x) : last)");
    ma_ctext_put(text, "static __device__ __forceinline__ void fill(const ma_random_job &job, u8 block, const ma_words "
                       "&w, D::mem *v) {\n  ");
    ma_ctext_put(text, v->per_block == 4 ? fills[v->kind].four : fills[v->kind].two);
    ma_ctext_put(text, "}\n");
  } else {
    print_draws(text);
    ma_ctext_add(text, "#define DRAW ma_draw_%s\n#define TO ma_to_%s\n", ma_randoms[v->kind].name, suffix);
  }
  if (v->in_graph) ma_ctext_put(text, "#define IN_GRAPH\n");
  ma_ctext_put(text, ma_embedded("random.cuh"));
}

static const ma_cuda_family random_family = { "random", { "draw_random" }, print_random, NULL };

static variant variant_of(const ma_random *r) {
  return (variant){ .kind = (uint8_t)r->kind,
                    .dtype = (uint8_t)r->dtype,
                    .per_block = (uint8_t)ma_random_per_block(r),
                    .standard = ma_random_is_standard(r),
                    .in_graph = r->job.cell != NULL };
}

static unsigned grid_of(const ma_random *r, int64_t most) {
  int per_block = ma_random_per_block(r);
  int64_t blocks = ma_randoms[r->kind].block ? (r->job.n + per_block - 1) / per_block : r->job.n,
          grid = (blocks + MA_THREADS - 1) / MA_THREADS;
  if (!ma_randoms[r->kind].block) return (unsigned)(grid < most ? grid : most);
  if (grid <= 256) return (unsigned)grid;
  return grid < 256 * MOST_ROWS ? (unsigned)((grid + 255) / 256 * 256) : 256 * MOST_ROWS;
}

ma_status ma_cuda_random_draw(ma_stream *stream, const ma_random *random) {
  if (random->curand) return ma_cuda_curand(stream, random);
  ma_cuda_device *d = ma_cuda_state(stream);
  variant v = variant_of(random);
  const CUfunction *entry;
  ma_random_job job = random->job;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(d, &random_family, &v, sizeof v, &v, &entry));
  return ma_cuda_launch(stream, entry[0], grid_of(random, (int64_t)d->sm_count * TUNE_DRAW_BLOCKS), MA_THREADS, 0,
                        (void *[]){ &job }, ma_randoms[random->kind].name, job.n * ma_dtypes[random->dtype].itemsize);
}

ma_status ma_cuda_random_source(const ma_random *random, char **source) {
  variant v = variant_of(random);
  return ma_cuda_source(&random_family, &v, source);
}
