/* body_reduce.c: reductions that the user wrote. The machine's C++ compiler compiles each body once, behind
** kernels/cpu/reduce_cpu.h, which has the walk. Layouts are parameters, so all of them use one text. */
#include "cpu/cpu.h"
#include "cpu/compile/compiler.h"
#include "cpu/kernel/divide.h"
#include "cpu/kernel/header.h"

#include "base/fork.h"
#include "compile/body.h"
#include "compile/prepare.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/reduce_job.h"
#include "tuning.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct ma_reduce_job reduce_job;
typedef bool part_function(const reduce_job *job, int64_t first, int64_t last);
typedef struct compiled {
  part_function *spans, *merge;
  size_t partial;
} compiled;

/* ==== The text =================================================================================================== */

static void print_extra(ma_ctext *text, const ma_body *body) {
  ma_ctext_put(
    text,
    "static inline ma_extra ma_extra_of(const ma_reduce_job &job) {\n  ma_extra u;\n  u.n = (ptrdiff_t)job.total;\n"
    "  u.kept = 1;\n  for (int64_t d = 0; d < job.nkept; d++) u.kept *= job.shape[d];\n");
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *p = &body->param[k];
    const char *type = ma_body_type((ma_dtype)p->dtype);
    if (p->role == MA_PARAM_SCALAR)
      ma_ctext_add(text, "  u.s%d = *(const %s *)(job.scalar + %d);\n", p->place, type, p->place * 16);
    if (p->role != MA_PARAM_RAW) continue;
    int first = p->place * (1 + 2 * JOB_NDIM);
    ma_ctext_add(text, "  u.w%d.p = (decltype(u.w%d.p))job.raw[%d];\n  u.w%d.count = (ptrdiff_t)job.raw_number[%d];\n",
                 p->place, p->place, p->place, p->place, first);
    if (!p->contiguous)
      ma_ctext_add(text, "  u.w%d.extents = job.raw_number + %d;\n  u.w%d.steps = job.raw_number + %d;\n", p->place,
                   first + 1, p->place, first + 1 + JOB_NDIM);
  }
  ma_ctext_put(text, "  return u;\n}\n");
}

/* Prints how an element is read. A bool in memory counts as true if it is not 0. */
static void print_element(ma_ctext *text, const ma_program *p, bool uses_index, bool contiguous) {
  ma_ctext_put(text, "ma_hold(ma_user_map(u");
  for (int k = 0; k < p->ninput; k++) {
    const char *type = p->input_dtype[k] == MA_BOOL ? "unsigned char" : ma_body_type((ma_dtype)p->input_dtype[k]),
               *not_0 = p->input_dtype[k] == MA_BOOL ? " != 0" : "";
    if (contiguous) ma_ctext_add(text, ", ((const %s *)q[%d])[t]%s", type, k, not_0);
    else ma_ctext_add(text, ", *(const %s *)(q[%d] + t * step[%d])%s", type, k, k, not_0);
  }
  if (uses_index) ma_ctext_add(text, ", (ptrdiff_t)q[%d] + t * (ptrdiff_t)step[%d]", p->ninput, p->ninput);
  ma_ctext_put(text, "))");
}

/* Prints the loops over a row. Rows of contiguous elements have a loop of their own, which the compiler vectorises. */
static void print_row(ma_ctext *text, const ma_program *p, bool uses_index) {
  ma_ctext_put(text, "static void ma_row(const ma_extra &u, const char *const *q, const int64_t *step, int n, value "
                     "*part, bool first) {\n  if (true");
  for (int k = 0; k < p->ninput; k++)
    ma_ctext_add(text, " && step[%d] == %d", k, ma_dtypes[p->input_dtype[k]].itemsize);
  ma_ctext_put(text, ") {\n");
  for (int contiguous = 1; contiguous >= 0; contiguous--) {
    ma_ctext_put(text, "    if (first)\n      for (int t = 0; t < n; t++) part[t] = ");
    print_element(text, p, uses_index, contiguous);
    ma_ctext_put(text, ";\n    else\n      for (int t = 0; t < n; t++) part[t] = red_merge(part[t], ");
    print_element(text, p, uses_index, contiguous);
    ma_ctext_put(text, contiguous ? ");\n  } else {\n" : ");\n  }\n}\n");
  }
}

static void print_write(ma_ctext *text, const ma_program *p) {
  ma_ctext_put(
    text,
    "static void ma_write(const ma_extra &u, const value &a, char *const *q) {\n  ma_user_finish(u, ma_unhold(a)");
  for (int k = 0; k < p->noutput; k++)
    ma_ctext_add(text, ", *(%s *)q[%d]", ma_body_type(ma_program_dtype(p, p->output[k])), k);
  ma_ctext_put(text, ");\n}\n");
}

static void print_own(ma_ctext *text, const ma_program *p, const ma_body *body) {
  ma_body_print_reduction(text, body);
  ma_ctext_add(text, "%s#define RESULTS %d\n#define WALKED %d\n",
               *body->identity ? "#define IDENTITY ma_user_identity()\n" : "", p->noutput,
               p->ninput + body->uses_index);
  ma_ctext_put(text, ma_embedded("reduce_job.h"));
  print_extra(text, body);
  print_row(text, p, body->uses_index);
  print_write(text, p);
  ma_ctext_put(text, ma_embedded("reduce_cpu.h"));
}

static void print(ma_ctext *text, const ma_program *p, const ma_body *body) {
  static const char *const prelude[] = { "scalar.h", "prelude.cuh", "user.cuh" };
  ma_ctext user = { 0 }, own = { 0 };
  ma_body_print_functions(&user, body);
  print_own(&own, p, body);
  ma_cpu_header_print(text, user.bytes, body->options);
  for (size_t k = 0; k < sizeof prelude / sizeof *prelude; k++) ma_ctext_put(text, ma_embedded(prelude[k]));
  if (own.bytes) ma_ctext_put(text, own.bytes);
  text->failed |= own.failed | user.failed;
  ma_ctext_free(&own);
  ma_ctext_free(&user);
}

/* ==== Compiled bodies by id ======================================================================================= */

#define MOST_BODIES (1 << 16)
static const compiled *known[MOST_BODIES]; /* by the id; entries are never freed */
static pthread_mutex_t compiling = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(compiling, MA_FORK_BODY)

static ma_status build(const ma_program *p, const compiled **result) {
  const ma_body *body = ma_body_get(p->body);
  ma_ctext text = { 0 };
  const char *options[MA_MAX_OPTIONS];
  void *handle = NULL;
  MA_TRY(ma_cpu_look_prepared(&body->id, sizeof body->id, body->name));
  char *copy = strdup(body->options);
  print(&text, p, body);
  ma_status status = text.failed || !copy ? ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text") : MA_OK;
  if (status == MA_OK)
    status = ma_cpu_compile(text.bytes, body->name, options, ma_options_split(copy, options), &handle);
  ma_ctext_free(&text);
  free(copy);
  MA_TRY(status);
  compiled *c = malloc(sizeof *c);
  if (!c) return ma_fail(MA_ERR_MEMORY, "out of memory for a compiled kernel");
  *(void **)&c->spans = dlsym(handle, "ma_reduce_spans");
  *(void **)&c->merge = dlsym(handle, "ma_reduce_merge");
  size_t (*partial)(void);
  *(void **)&partial = dlsym(handle, "ma_reduce_partial");
  if (!c->spans || !c->merge || !partial) {
    free(c);
    return ma_fail(MA_ERR_COMPILE, "%s has no entry; the cache folder holds another library in its place", body->name);
  }
  c->partial = partial();
  *result = c;
  return MA_OK;
}

static ma_status find(const ma_program *p, const compiled **result) {
  ma_status status = MA_OK;
  if (p->body >= MOST_BODIES)
    return ma_fail(MA_ERR_VALUE, "%u kernel definitions in one process; is a text built anew at every call?", p->body);
  *result = __atomic_load_n(&known[p->body], __ATOMIC_ACQUIRE);
  if (*result) return MA_OK;
  pthread_mutex_lock(&compiling);
  *result = known[p->body];
  if (!*result) status = build(p, result);
  if (status == MA_OK) __atomic_store_n(&known[p->body], *result, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&compiling);
  return status;
}

/* ==== One reduction ============================================================================================== */

typedef struct task {
  const reduce_job *job;
  part_function *fn;
  const char *name;
} task;

static ma_status run_part(void *context, int64_t first, int64_t last) {
  const task *t = context;
  ma_cpu_divide_begin();
  bool ended = t->fn(t->job, first, last);
  ma_cpu_divide_end();
  return ended ? MA_OK : ma_fail(MA_ERR_DEVICE, "%s: an exception left the kernel; a GPU has none", t->name);
}

static int64_t grain(int64_t elements) { return TUNE_THREAD_ELEMENTS / (elements > 0 ? elements : 1); }

ma_status ma_cpu_reduce_body(ma_stream *stream, const ma_reduction *r) {
  const ma_program *p = r->program;
  const compiled *c = NULL;
  int64_t kept = 1, raw_number[MA_MAX_RAW * (1 + 2 * JOB_NDIM)];
  char scalar[MA_MAX_SCALARS * 16] __attribute__((aligned(16))), *raw[MA_MAX_RAW];
  MA_TRY(find(p, &c));
  if (ma_prepare.skips) return MA_OK;
  for (int d = 0; d < r->nkept; d++) kept *= r->space.shape[d];
  reduce_job job = { .count = r->count,
                     .span = red_span(kept, r->count) * RED_CHUNK,
                     .nkept = r->nkept,
                     .ndim = r->space.ndim,
                     .total = r->total,
                     .shape = r->space.shape,
                     .scalar = scalar,
                     .raw = raw,
                     .raw_number = raw_number };
  job.nspan = r->count ? (r->count + job.span - 1) / job.span : 1;
  for (int k = 0; k < r->space.noperand; k++) {
    job.stride[k] = r->space.stride[k];
    job.data[k] = r->data[k];
  }
  for (int k = 0; k < p->nscalar; k++) ma_value_store(scalar + k * 16, (ma_dtype)p->scalar_dtype[k], r->scalar[k]);
  const ma_body *body = ma_body_get(p->body);
  for (int k = 0; k < body->nparam; k++) {
    if (body->param[k].role != MA_PARAM_RAW) continue;
    const ma_raw *from = &r->raw[body->param[k].place];
    int64_t *to = raw_number + body->param[k].place * (1 + 2 * JOB_NDIM);
    raw[body->param[k].place] = from->data;
    to[0] = from->size;
    memcpy(to + 1, from->shape, (size_t)from->ndim * sizeof *to);
    memcpy(to + 1 + JOB_NDIM, from->stride, (size_t)from->ndim * sizeof *to);
  }
  task t = { &job, c->spans, body->name };
  if (job.nspan == 1) return ma_cpu_parallel(kept, grain(r->count), run_part, &t);
  job.partial = aligned_alloc(64, ((size_t)(kept * job.nspan) * c->partial + 63) & ~(size_t)63);
  if (!job.partial) return ma_fail(MA_ERR_MEMORY, "out of memory for partial results");
  ma_status status = ma_cpu_parallel(kept * job.nspan, grain(job.span), run_part, &t);
  t.fn = c->merge;
  if (status == MA_OK) status = ma_cpu_parallel(kept, grain(job.nspan), run_part, &t);
  free(job.partial);
  return status;
}
