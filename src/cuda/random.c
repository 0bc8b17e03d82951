/* random.c: random numbers on a GPU: a kernel for each distribution and dtype, printed around kernels/random.h and draws.h. */
#include "cuda.h"
#include "../generators.h"
#include "../random.h"

#include <string.h>

#define THREADS 256
#define BLOCKS_PER_SM 8

/* What shapes the text; compared as bytes. */
typedef struct variant { uint8_t kind, dtype, per_block; } variant;

/* Values of a block, stored into v[0 .. V-1]. */
static const char uniform_4[] =
  "float low = (float)job.param[0], range = (float)(job.param[1] - job.param[0]);\n"
  "  _Pragma(\"unroll\") for (int j = 0; j < 4; j++) v[j] = D::store(low + range * ma_uniform_f(ma_word(w, j), BITS));\n";
static const char uniform_2[] =
  "double low = job.param[0], range = job.param[1] - job.param[0];\n"
  "  v[0] = low + range * ma_uniform_d(w.x, w.y);\n  v[1] = low + range * ma_uniform_d(w.z, w.w);\n";
static const char normal_4[] =
  "float a, b, c, d, loc = (float)job.param[0], scale = (float)job.param[1];\n"
  "  ma_normals_f(w.x, w.y, &a, &b);\n  ma_normals_f(w.z, w.w, &c, &d);\n"
  "  v[0] = D::store(loc + scale * a); v[1] = D::store(loc + scale * b); v[2] = D::store(loc + scale * c); v[3] = D::store(loc + scale * d);\n";
static const char normal_2[] =
  "double a, b, loc = job.param[0], scale = job.param[1];\n"
  "  ma_normals_d(w, &a, &b);\n  v[0] = loc + scale * a; v[1] = loc + scale * b;\n";
static const char integers_4[] =
  "_Pragma(\"unroll\") for (int j = 0; j < 4; j++) v[j] = (D::mem)((u8)job.low + ma_bounded(&job, ma_word(w, j), block, j));\n";
static const char integers_2[] =
  "_Pragma(\"unroll\") for (int j = 0; j < 2; j++) v[j] = (D::mem)((u8)job.low + ma_bounded64(&job, ma_word64(w, j), block, j));\n";

static const struct { const char *four, *two; } fills[] = {
  [MA_RANDOM_uniform] = { uniform_4, uniform_2 },
  [MA_RANDOM_normal] = { normal_4, normal_2 },
  [MA_RANDOM_integers] = { integers_4, integers_2 },
};

/* draws.h includes random.h, which is put in front of it: NVRTC gets one text. */
static void print_draws(ma_ctext *text)
{
  const char *whole = ma_embedded("draws.h"), *include = strstr(whole, "#include \"random.h\"\n");
  ma_ctext_add(text, "%.*s", (int)(include - whole), whole);
  ma_ctext_put(text, strchr(include, '\n') + 1);
}

static void print_random(ma_ctext *text, const void *what)
{
  const variant *v = what;
  const char *suffix = ma_cuda_suffix((ma_dtype)v->dtype);
  ma_ctext_put(text, ma_embedded("random.h"));
  ma_ctext_add(text, "typedef dt_%s D;\n", suffix);
  if (ma_randoms[v->kind].block) {
    int bits = v->dtype == MA_FLOAT16 ? 11 : v->dtype == MA_BFLOAT16 ? 8 : 24;
    ma_ctext_add(text, "#define V %d\n#define BITS %d\n#define FILL fill\n", v->per_block, bits);
    ma_ctext_put(text, "static __device__ __forceinline__ void fill(const ma_random_job &job, u8 block, const ma_words &w, D::mem *v) {\n  ");
    ma_ctext_put(text, v->per_block == 4 ? fills[v->kind].four : fills[v->kind].two);
    ma_ctext_put(text, "}\n");
  } else {
    print_draws(text);
    ma_ctext_add(text, "#define DRAW ma_draw_%s\n#define TO ma_to_%s\n", ma_randoms[v->kind].name, suffix);
  }
  ma_ctext_put(text, ma_embedded("random.cuh"));
}

static const ma_cuda_family random_family = { "random", { "draw_random" }, print_random, NULL };

static variant variant_of(const ma_random *r)
{
  return (variant){ .kind = (uint8_t)r->kind, .dtype = (uint8_t)r->dtype, .per_block = (uint8_t)ma_random_per_block(r) };
}

ma_status ma_cuda_random(ma_stream *stream, const ma_random *random)
{
  if (random->curand) return ma_cuda_curand(stream, random);
  ma_cuda_device *d = ma_cuda_state(stream);
  variant v = variant_of(random);
  const CUfunction *entry;
  ma_random_job job = random->job;
  int64_t threads = ma_randoms[random->kind].block ? (job.n + v.per_block - 1) / v.per_block : job.n;
  int64_t grid = (threads + THREADS - 1) / THREADS, most = (int64_t)d->sm_count * BLOCKS_PER_SM;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(d, &random_family, &v, sizeof v, &v, &entry));
  return ma_cuda_launch(stream, entry[0], (unsigned)(grid < most ? grid : most), THREADS, 0, (void *[]){ &job },
                        ma_randoms[random->kind].name, job.n * ma_dtypes[random->dtype].itemsize);
}

ma_status ma_cuda_random_source(const ma_random *random, char **source)
{
  variant v = variant_of(random);
  ma_ctext text = { 0 };
  ma_cuda_print(&text, &random_family, &v);
  if (text.failed) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text");
  *source = text.bytes;
  return MA_OK;
}
