/* body.c: elementwise bodies on the CPU. A body is printed as a C++ function over a row of elements, compiled once
** by the machine's compiler, and called by all threads for the rows of a map. */
#include "compile/lex.h"
#include "cpu/cpu.h"
#include "cpu/compile/compiler.h"
#include "cpu/kernel/divide.h"
#include "cpu/kernel/header.h"
#include "base/fork.h"
#include "compile/body.h"
#include "compile/prepare.h"
#include "tuning.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef bool row_function(char *const *address, const int64_t *stride, int64_t n, const ma_value *scalar,
                          const ma_raw *raw, int64_t total);

static const char *const suffixes[MA_NDTYPE] = {
#define DTYPE(ID, name, suffix, itemsize, kind, npy, reg) #suffix,
#include "base/dtype.def"
#undef DTYPE
};

/* ==== The text =================================================================================================== */

/* C++ declarations of a row's arguments, with the layouts of ma_raw and ma_value. */
static const char *const declarations =
  "struct ma_host_raw { char *data; int ndim; int64_t size, shape[16], stride[16]; };\n"
  "union ma_host_value { int64_t i; uint64_t u; struct { double re, im; } c; };\n";

static void print_raw(ma_ctext *text, const ma_param *p) {
  const char *read_only = p->is_output ? "" : "const ", *type = suffixes[p->dtype];
  ma_ctext_add(text, "  const raw<%sus_%s::type, %d> %s = {", read_only, type, p->contiguous ? -1 : p->ndim, p->name);
  if (p->contiguous)
    ma_ctext_add(text, "(%sus_%s::type *)_r[%d].data, _r[%d].size};\n", read_only, type, p->place, p->place);
  else
    ma_ctext_add(text, "_r[%d].data, _r[%d].size, _r[%d].shape, _r[%d].stride};\n", p->place, p->place, p->place,
                 p->place);
}

static void print_scalar(ma_ctext *text, const ma_param *p) {
  static const char *const member[MA_NKIND] = {
    [MA_KIND_BOOL] = "_v[%d].u != 0",
    [MA_KIND_SIGNED] = "_v[%d].i",
    [MA_KIND_UNSIGNED] = "_v[%d].u",
    [MA_KIND_FLOAT] = "_v[%d].c.re",
  };
  ma_ctext_add(text, "  const us_%s::type _s%d = ", suffixes[p->dtype], p->place);
  if (ma_dtypes[p->dtype].kind == MA_KIND_COMPLEX)
    ma_ctext_add(text, "{(decltype(us_%s::type::re))_v[%d].c.re, (decltype(us_%s::type::re))_v[%d].c.im};\n",
                 suffixes[p->dtype], p->place, suffixes[p->dtype], p->place);
  else {
    ma_ctext_add(text, "(us_%s::type)(", suffixes[p->dtype]);
    ma_ctext_add(text, member[ma_dtypes[p->dtype].kind], p->place);
    ma_ctext_put(text, ");\n");
  }
}

static void print_place(ma_ctext *text, const char *suffix, int k, bool contiguous, const char *qualifier) {
  ma_ctext_add(text, "*(%sdt_%s::mem *)(_a%d + _k * ", qualifier, suffix, k);
  if (contiguous) ma_ctext_add(text, "(ptrdiff_t)sizeof(dt_%s::mem))", suffix);
  else ma_ctext_add(text, "_t%d)", k);
}

/* Prints one element. Operands are the outputs, then the inputs, then the index. */
static void print_element(ma_ctext *text, const ma_body *body, int noutput, int nreal, bool contiguous) {
  const char *comma = "";
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *p = &body->param[k];
    if (p->role != MA_PARAM_OUTPUT) continue;
    ma_ctext_add(text, "      us_%s::type _o%d = ", suffixes[p->dtype], p->place);
    if (p->is_read) {
      ma_ctext_add(text, "us_%s::load(", suffixes[p->dtype]);
      print_place(text, suffixes[p->dtype], p->place, contiguous, "const ");
      ma_ctext_put(text, ");\n");
    } else ma_ctext_add(text, "us_%s::type();\n", suffixes[p->dtype]);
  }
  ma_ctext_put(text, "      _operation(");
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *p = &body->param[k];
    if (p->role == MA_PARAM_RAW) continue;
    ma_ctext_put(text, comma);
    comma = ", ";
    if (p->role == MA_PARAM_OUTPUT) ma_ctext_add(text, "_o%d", p->place);
    else if (p->role == MA_PARAM_SCALAR) ma_ctext_add(text, "_s%d", p->place);
    else {
      ma_ctext_add(text, "us_%s::load(", suffixes[p->dtype]);
      print_place(text, suffixes[p->dtype], noutput + p->place, contiguous, "const ");
      ma_ctext_put(text, ")");
    }
  }
  if (body->uses_index) ma_ctext_add(text, "%s(ptrdiff_t)_a%d + _k%s", comma, nreal, contiguous ? "" : " * _t");
  if (body->uses_index && !contiguous) ma_ctext_add(text, "%d", nreal);
  ma_ctext_put(text, ");\n");
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *p = &body->param[k];
    if (p->role != MA_PARAM_OUTPUT) continue;
    ma_ctext_put(text, "      ");
    print_place(text, suffixes[p->dtype], p->place, contiguous, "");
    ma_ctext_add(text, " = us_%s::store(_o%d);\n", suffixes[p->dtype], p->place);
  }
}

static int count_role(const ma_body *body, ma_param_role role) {
  int n = 0;
  for (int k = 0; k < body->nparam; k++) n += body->param[k].role == role;
  return n;
}

static void print_contiguous_test(ma_ctext *text, const ma_body *body, int noutput, int nreal) {
  ma_ctext_put(text, "    if (true");
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *p = &body->param[k];
    if (p->role != MA_PARAM_INPUT && p->role != MA_PARAM_OUTPUT) continue;
    ma_ctext_add(text, " && _t%d == sizeof(dt_%s::mem)", p->role == MA_PARAM_OUTPUT ? p->place : noutput + p->place,
                 suffixes[p->dtype]);
  }
  if (body->uses_index) ma_ctext_add(text, " && _t%d == 1", nreal);
  ma_ctext_put(text, ") {\n");
}

static void print_own(ma_ctext *text, const ma_body *body) {
  int noutput = count_role(body, MA_PARAM_OUTPUT), nreal = noutput + count_role(body, MA_PARAM_INPUT),
      raws = count_role(body, MA_PARAM_RAW);
  const char *loop = raws ? "#ifdef MA_INDEPENDENT /* each element touches its own part of whole arrays alone */\n"
                            "#pragma GCC ivdep\n#endif\n      for (ptrdiff_t _k = 0; _k < _count; _k++) {\n"
                          : "#pragma GCC ivdep\n      for (ptrdiff_t _k = 0; _k < _count; _k++) {\n";
  ma_ctext_put(text, declarations);
  ma_body_print_head(text, body);
  ma_ctext_put(text, "extern \"C\" bool ma_body_row(char *const *_a, const int64_t *_t, ptrdiff_t _count, const "
                     "ma_host_value *_v, const ma_host_raw *_r, "
                     "ptrdiff_t _total) try {\n  const ptrdiff_t n = _total;\n  const ma_indexer _ind = {n};\n");
  for (int k = 0; k < nreal + body->uses_index; k++)
    ma_ctext_add(text, "  char *const _a%d = _a[%d];\n  const ptrdiff_t _t%d = _t[%d];\n", k, k, k, k);
  for (int k = 0; k < body->nparam; k++) {
    if (body->param[k].role == MA_PARAM_RAW) print_raw(text, &body->param[k]);
    if (body->param[k].role == MA_PARAM_SCALAR) print_scalar(text, &body->param[k]);
  }
  ma_ctext_put(text, "  {\n");
  ma_body_print_part(text, body, "loop_prep", body->loop_prep);
  ma_body_print_operation(text, body, "__attribute__((always_inline)) ");
  print_contiguous_test(text, body, noutput, nreal);
  ma_ctext_put(text, loop);
  print_element(text, body, noutput, nreal, true);
  ma_ctext_put(text, "      }\n    } else {\n");
  ma_ctext_put(text, loop);
  print_element(text, body, noutput, nreal, false);
  ma_ctext_put(text, "      }\n    }\n");
  ma_body_print_part(text, body, "after_loop", body->after_loop);
  ma_ctext_put(text, "  }\n  return true;\n} catch (...) { return false; }\n");
}

static void print_body(ma_ctext *text, const ma_body *body) {
  static const char *const prelude[] = { "scalar.h", "prelude.cuh", "user.cuh" };
  ma_ctext own = { 0 };
  print_own(&own, body);
  ma_cpu_header_print(text, own.bytes, body->options);
  for (size_t k = 0; k < sizeof prelude / sizeof *prelude; k++) ma_ctext_put(text, ma_embedded(prelude[k]));
  if (own.bytes) ma_ctext_put(text, own.bytes);
  text->failed |= own.failed;
  ma_body_keep_code(body->id, own.bytes);
  ma_ctext_free(&own);
}

/* ==== The function =============================================================================================== */

#define CHUNK 256
static row_function **functions[256]; /* by the body's id; written under the lock, read without it */
static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(building, MA_FORK_BODY)

/* Refuses operations in which threads of a block wait for each other: an elementwise body has no block. The library's
** own texts have PTX for GPUs alone. */
static ma_status check_words(const ma_body *body) {
  static const char *const words[] = { "__sync",    "__shfl",       "__ballot", "__any_sync", "__all_sync", "__match",
                                       "__reduce_", "__activemask", "__trap",   "__shared__", "asm" };
  const char *const parts[] = { body->preamble, body->loop_prep, body->operation, body->after_loop };
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    ma_lex lex = { parts[k], 1 };
    ma_token token;
    while (ma_lex_next(&lex, &token))
      for (size_t w = 0; token.kind == MA_TOKEN_NAME && w < sizeof words / sizeof *words; w++)
        if (!strncmp(token.start, words[w], strlen(words[w])) && (strcmp(words[w], "asm") || token.size == 3) &&
            !ma_embedded_end(parts[k], token.start))
          return ma_fail(MA_ERR_COMPILE,
                         "%s uses %.*s; an elementwise kernel on the CPU has no blocks of threads and no PTX",
                         body->name, (int)token.size, token.start);
  }
  return MA_OK;
}

static ma_status compile(const ma_body *body, row_function **function) {
  ma_ctext text = { 0 };
  const char *options[MA_MAX_OPTIONS + 1] = { "-DNDEBUG" };
  char *copy = strdup(body->options);
  int noption = 1;
  void *handle;
  ma_status status = ma_cpu_look_prepared(&body->id, sizeof body->id, body->name);
  if (status == MA_OK) status = check_words(body);
  if (status != MA_OK) goto done;
  if (copy) noption += ma_options_split(copy, options + 1);
  print_body(&text, body);
  if (text.failed || !copy) status = ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text");
  else status = ma_cpu_compile(text.bytes, body->name, options, noption, &handle);
  if (status != MA_OK) goto done;
  *(void **)function = dlsym(handle, "ma_body_row");
  if (!*function)
    status = ma_fail(MA_ERR_COMPILE, "kernel %s: the compiled object has no function ma_body_row", body->name);
done:
  ma_ctext_free(&text);
  free(copy);
  return status;
}

static ma_status find_function(uint32_t id, row_function **function) {
  row_function **chunk = __atomic_load_n(&functions[(id - 1) / CHUNK], __ATOMIC_ACQUIRE);
  *function = chunk ? __atomic_load_n(&chunk[(id - 1) % CHUNK], __ATOMIC_ACQUIRE) : NULL;
  if (*function) return MA_OK;
  ma_status status = MA_OK;
  pthread_mutex_lock(&building);
  chunk = functions[(id - 1) / CHUNK];
  if (!chunk) chunk = calloc(CHUNK, sizeof *chunk);
  if (!chunk) status = ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's entry");
  else {
    __atomic_store_n(&functions[(id - 1) / CHUNK], chunk, __ATOMIC_RELEASE);
    *function = chunk[(id - 1) % CHUNK];
    if (!*function) status = compile(ma_body_get(id), function);
    if (status == MA_OK) __atomic_store_n(&chunk[(id - 1) % CHUNK], *function, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&building);
  return status;
}

/* ==== Running ===================================================================================================== */

typedef struct body_job {
  const ma_map *map;
  row_function *row;
  int64_t inner, per_row, span;
} body_job;

static ma_status run_range(void *context, int64_t first, int64_t last) {
  const body_job *job = context;
  const ma_space *space = &job->map->space;
  int d = space->ndim - 1;
  int64_t stride[MA_MAX_OPERANDS];
  for (int k = 0; k < space->noperand; k++) stride[k] = space->stride[k][d];
  while (first < last) {
    int64_t rest = first / job->per_row, column = first % job->per_row * job->span,
            end = column + (last - first) * job->span;
    char *address[MA_MAX_OPERANDS];
    if (end > job->inner) end = job->inner;
    for (int k = 0; k < space->noperand; k++)
      address[k] = (char *)((uintptr_t)job->map->data[k] + (uintptr_t)(column * stride[k]));
    for (int e = d - 1; e >= 0 && rest > 0; e--) {
      int64_t at = rest % space->shape[e];
      rest /= space->shape[e];
      for (int k = 0; k < space->noperand; k++)
        address[k] = (char *)((uintptr_t)address[k] + (uintptr_t)(at * space->stride[k][e]));
    }
    ma_cpu_divide_begin();
    bool ended = job->row(address, stride, end - column, job->map->scalar, job->map->raw, job->map->total);
    ma_cpu_divide_end();
    if (!ended)
      return ma_fail(MA_ERR_DEVICE, "%s: an exception left the kernel; a GPU has none",
                     ma_body_get(job->map->program->body)->name);
    first += (end - column + job->span - 1) / job->span;
  }
  return MA_OK;
}

ma_status ma_cpu_body_map(const ma_map *map) {
  const ma_space *space = &map->space;
  body_job job = { .map = map, .inner = space->shape[space->ndim - 1] };
  int64_t rows = 1;
  MA_TRY(find_function(map->program->body, &job.row));
  if (ma_prepare.skips) return MA_OK;
  for (int d = 0; d < space->ndim - 1; d++) rows *= space->shape[d];
  job.span = job.inner < TUNE_BODY_SPAN ? job.inner : TUNE_BODY_SPAN;
  job.per_row = (job.inner + job.span - 1) / job.span;
  return ma_cpu_parallel(rows * job.per_row, TUNE_THREAD_ELEMENTS / job.span, run_range, &job);
}
