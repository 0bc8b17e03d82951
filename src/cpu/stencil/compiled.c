/*
** compiled.c: finds the compiled form of a stencil. A program of operations that are exact, over fields whose rows are
** packed, is printed as C++ and compiled like the user's kernels. Its results have the bits of the interpreter's, so a
** stencil may go over from one to the other at any call: a thread compiles it when it has run for a while. Programs
** with other operations stay with the interpreter, whose vector mathematics is faster than what a compiler makes.
** A program with a text in place of instructions has no other form, over whatever fields.
*/
#include "cpu/compile/compiler.h"
#include "cpu/stencil/compiled.h"
#include "base/fork.h"
#include "base/inject.h"
#include "compile/body.h"
#include "compile/compile.h"
#include "compile/print.h"
#include "cpu/cpu.h"
#include "cpu/kernel/header.h"
#include "tuning.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 512 /* stencils in the table: a program that makes new ones all the time */

/* ==== What a text depends on ===================================================================================== */

typedef struct variant {
  uint8_t nfield, ninput;
  uint8_t still[MA_STENCIL_FIELDS];                                   /* the field is one element */
  uint8_t strided[MA_STENCIL_FIELDS], result_strided[MA_MAX_OUTPUTS]; /* along a row: only with a text */
  uint8_t dtype[MA_STENCIL_FIELDS], field[MA_MAX_INPUTS];
  int16_t offset[MA_MAX_INPUTS][MA_STENCIL_NDIM];
  uint8_t nreach; /* which fields they are is in the frame */
} variant;

static bool is_still(const ma_stencil_field *f) { return !f->stride[0] && !f->stride[1] && !f->stride[2]; }
static bool is_packed(const ma_stencil_field *f) { return f->stride[2] == ma_dtypes[f->dtype].itemsize; }

static bool result_is_packed(const ma_stencil *s, int k) {
  return s->result[k].stride[2] == ma_dtypes[ma_program_dtype(s->program, s->program->output[k])].itemsize;
}

static bool reads_neighbours(const ma_stencil *s, int f) {
  for (int j = 0; j < s->program->ninput; j++) {
    const ma_stencil_read *read = &s->read[j];
    if (read->field == f && (read->offset[0] || read->offset[1] || read->offset[2])) return true;
  }
  return false;
}

/* Whether a compiled form may run a program of instructions. Each field that is read must be packed along a row, or be
** one element that is read where it is. */
static bool suits(const ma_stencil *s) {
  for (int k = 0; k < s->program->noutput; k++)
    if (!result_is_packed(s, k)) return false;
  for (int j = 0; j < s->program->ninput; j++) {
    int f = s->read[j].field;
    if (!is_packed(&s->field[f]) && (!is_still(&s->field[f]) || reads_neighbours(s, f))) return false;
  }
  return true;
}

static void describe(variant *v, const ma_stencil *s) {
  memset(v, 0, sizeof *v);
  v->nfield = (uint8_t)s->nfield;
  v->ninput = s->program->ninput;
  v->nreach = s->nreach;
  for (int f = 0; f < s->nfield; f++) {
    v->still[f] = is_still(&s->field[f]) && !reads_neighbours(s, f);
    v->strided[f] = !v->still[f] && !is_packed(&s->field[f]);
    v->dtype[f] = (uint8_t)s->field[f].dtype;
  }
  for (int k = 0; k < s->program->noutput; k++) v->result_strided[k] = !result_is_packed(s, k);
  for (int j = 0; j < v->ninput; j++) {
    v->field[j] = s->read[j].field;
    for (int d = 0; d < MA_STENCIL_NDIM; d++) v->offset[j][d] = (int16_t)s->read[j].offset[d];
  }
}

/* Divides the inputs into lines; of[j] is the line of input j. */
static int find_lines(const variant *v, ma_stencil_line *lines, int *of) {
  int n = 0;
  for (int j = 0; j < v->ninput; j++) {
    int l = 0;
    while (l < n && (lines[l].field != v->field[j] || lines[l].offset[0] != v->offset[j][0] ||
                     lines[l].offset[1] != v->offset[j][1]))
      l++;
    if (l == n) lines[n++] = (ma_stencil_line){ v->field[j], { v->offset[j][0], v->offset[j][1] } };
    of[j] = l;
  }
  return n;
}

/* ==== The text =================================================================================================== */

/* ma_stencil_rows of compiled.h. */
static void print_rows_type(ma_ctext *text) {
  ma_ctext_add(text, "struct stencil_rows {\n  const char *line[%d];\n  int64_t step[%d];\n", MA_MAX_INPUTS,
               MA_STENCIL_FIELDS);
  ma_ctext_add(text, "  char *to[%d];\n  int64_t to_step[%d];\n", MA_MAX_OUTPUTS, MA_MAX_OUTPUTS);
  ma_ctext_add(text, "  int64_t along[%d], to_along[%d];\n", MA_MAX_INPUTS, MA_MAX_OUTPUTS);
  ma_ctext_put(text, "  int64_t rows, first, last, nedge;\n  const int32_t *edge, *place;\n"
                     "  const char *outside, *scalars;\n  const ma_reach_frame *reach;\n  int64_t z, y;\n};\n");
}

static const char *suffix_of(const variant *v, int f) { return ma_dtype_suffix((ma_dtype)v->dtype[f]); }

static const char *result_suffix(const ma_program *p, int k) {
  return ma_dtype_suffix(ma_program_dtype(p, p->output[k]));
}

/* Prints the element of input j at a column. */
static void print_element(ma_ctext *text, const variant *v, const int *of, int j, const char *column) {
  int f = v->field[j];
  if (!v->strided[f]) ma_ctext_add(text, "p%d[%s]", of[j], column);
  else
    ma_ctext_add(text, "*(const dt_%s::mem *)((const char *)p%d + (%s) * g%d)", suffix_of(v, f), of[j], column, of[j]);
}

/* Prints reach.h; without a use of it, what print_rows_type needs. */
static void print_reach(ma_ctext *text, const variant *v) {
  if (!v->nreach) {
    ma_ctext_put(text, "struct ma_reach_frame;\n");
    return;
  }
  ma_ctext_put(text, ma_embedded("edge.h"));
  ma_ctext_put(text, ma_embedded("reach.h"));
}

/* Prints copies of what positions share, which a compiler keeps in registers though results are stored. */
static void print_frame(ma_ctext *text, const variant *v) {
  ma_ctext_put(text, "  const ma_reach_field reached[] = {");
  for (int k = 0; k < v->nreach; k++) ma_ctext_add(text, "%sj->reach->field[%d]", k ? ", " : "", k);
  ma_ctext_put(text, "};\n  ma_reach_frame frame = *j->reach;\n  frame.field = reached;\n  int64_t y = j->y;\n");
}

/* Prints one position, at column x. With `edge` the columns of its inputs are looked up. */
static void print_position(ma_ctext *text, const ma_program *p, const variant *v, const int *of, bool edge) {
  for (int k = 0; k < p->noutput; k++) ma_ctext_add(text, " dt_%s::reg r%d;", result_suffix(p, k), k);
  if (v->nreach) ma_ctext_put(text, " const ma_reach reach = {&frame, {j->z, y + row, x}};");
  ma_ctext_put(text, " program(s");
  for (int j = 0; j < v->ninput; j++) {
    int f = v->field[j];
    char column[32];
    snprintf(column, sizeof column, edge ? "w%d" : "x + (%d)", edge ? j : v->offset[j][2]);
    ma_ctext_add(text, ", dt_%s::load(", suffix_of(v, f));
    if (v->still[f]) ma_ctext_add(text, "*p%d", of[j]);
    else {
      if (edge) ma_ctext_add(text, "w%d < 0 ? e%d : ", j, f);
      print_element(text, v, of, j, column);
    }
    ma_ctext_put(text, ")");
  }
  if (v->nreach) ma_ctext_put(text, ", reach");
  for (int k = 0; k < p->noutput; k++) ma_ctext_add(text, ", r%d", k);
  ma_ctext_put(text, ");");
  for (int k = 0; k < p->noutput; k++) {
    const char *suffix = result_suffix(p, k);
    if (!v->result_strided[k]) ma_ctext_add(text, " q%d[x] = dt_%s::store(r%d);", k, suffix, k);
    else ma_ctext_add(text, " *(dt_%s::mem *)((char *)q%d + x * h%d) = dt_%s::store(r%d);", suffix, k, k, suffix, k);
  }
}

/* Prints the loop over `part` rows of a block, up to its first statement. The rows of one field are at fixed
** distances. */
static void print_rows(ma_ctext *text, const ma_program *p, const variant *v, int nline, const ma_stencil_line *lines) {
  for (int f = 0; f < v->nfield; f++) ma_ctext_add(text, " const char *c%d = b%d;", f, f);
  for (int k = 0; k < p->noutput; k++) ma_ctext_add(text, " char *a%d = o%d;", k, k);
  ma_ctext_put(text, "\n    for (int64_t row = 0; row < part; row++");
  for (int f = 0; f < v->nfield; f++) ma_ctext_add(text, ", c%d += t%d", f, f);
  for (int k = 0; k < p->noutput; k++) ma_ctext_add(text, ", a%d += u%d", k, k);
  ma_ctext_put(text, ") {\n");
  for (int l = 0; l < nline; l++) {
    const char *suffix = suffix_of(v, lines[l].field);
    ma_ctext_add(text, "    const dt_%s::mem *const p%d = (const dt_%s::mem *)(c%d + d%d);\n", suffix, l, suffix,
                 lines[l].field, l);
  }
  for (int k = 0; k < p->noutput; k++)
    ma_ctext_add(text, "    dt_%s::mem *const q%d = (dt_%s::mem *)a%d;\n", result_suffix(p, k), k, result_suffix(p, k),
                 k);
}

/* How many elements of the smallest type a vector of 32 bytes has. */
static int lanes(const ma_program *p, const variant *v) {
  int least = 8;
  for (int f = 0; f < v->nfield; f++)
    if (ma_dtypes[v->dtype[f]].itemsize < least) least = ma_dtypes[v->dtype[f]].itemsize;
  for (int k = 0; k < p->noutput; k++) {
    int size = ma_dtypes[ma_program_dtype(p, p->output[k])].itemsize;
    if (size < least) least = size;
  }
  return 32 / least;
}

/* Prints the loops over columns whose neighbours are inside. They take whole vectors, and then one more vector that
** overlaps the last of them; that is allowed, since a result is never a field's memory. Fewer columns than a vector has
** go one by one. gcc sees that the first two loops have no rest. */
static void print_columns(ma_ctext *text, const ma_program *p, const variant *v, const int *of) {
  static const char *const whole = "#pragma GCC ivdep\n"
                                   "    for (int64_t k = 0; k < whole; k++) { const int64_t x = first + k;";
  static const char *const last = "    if (more)\n#pragma GCC ivdep\n#pragma GCC unroll 1\n"
                                  "    for (int64_t k = 0; k < lanes; k++) { const int64_t x = last - lanes + k;";
  static const char *const few = "    for (int64_t x = first; x < few; x++) {";
  const char *const loops[] = { whole, last, few };
  for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
    ma_ctext_put(text, loops[k]);
    print_position(text, p, v, of, false);
    ma_ctext_put(text, " }\n");
  }
}

/* Prints the function. It takes rows in blocks, so that the ends of rows are still in the cache when the other columns
** are computed. Columns go one after another, and their addresses stay in registers. */
static void print_function(ma_ctext *text, const ma_program *p, const variant *v) {
  ma_stencil_line lines[MA_MAX_INPUTS];
  int of[MA_MAX_INPUTS], nline = find_lines(v, lines, of);
  print_reach(text, v);
  print_rows_type(text);
  ma_print_program(text, p);
  ma_ctext_put(text, "extern \"C\" void ma_stencil(const stencil_rows *const j) {\n"
                     "  const scalars s = *(const scalars *)j->scalars;\n");
  ma_ctext_add(text, "  const int64_t lanes = %d, first = j->first, last = j->last, nedge = j->nedge;\n", lanes(p, v));
  if (p->body && ma_body_get(p->body)->once)
    ma_ctext_put(text, "  const int64_t whole = 0, few = last;\n  const bool more = false;\n");
  else
    ma_ctext_put(text, "  const int64_t whole = (last - first) & -lanes, few = whole ? first : last;\n"
                       "  const bool more = whole && whole < last - first;\n");
  for (int f = 0; f < v->nfield; f++)
    ma_ctext_add(text, "  const dt_%s::mem e%d = *(const dt_%s::mem *)(j->outside + %d);\n", suffix_of(v, f), f,
                 suffix_of(v, f), 16 * f);
  for (int f = 0; f < v->nfield; f++) {
    int l = 0;
    while (l < nline && lines[l].field != f) l++;
    ma_ctext_add(text, "  const int64_t t%d = j->step[%d];\n  const char *b%d = ", f, f, f);
    if (l < nline) ma_ctext_add(text, "j->line[%d];\n", l);
    else ma_ctext_put(text, "0;\n"); /* the program reads only this field's edges */
  }
  for (int l = 0; l < nline; l++)
    ma_ctext_add(text, "  const int64_t d%d = j->line[%d] - b%d;\n", l, l, lines[l].field);
  for (int l = 0; l < nline; l++)
    if (v->strided[lines[l].field]) ma_ctext_add(text, "  const int64_t g%d = j->along[%d];\n", l, l);
  for (int k = 0; k < p->noutput; k++) {
    ma_ctext_add(text, "  char *o%d = j->to[%d];\n  const int64_t u%d = j->to_step[%d];\n", k, k, k, k);
    if (v->result_strided[k]) ma_ctext_add(text, "  const int64_t h%d = j->to_along[%d];\n", k, k);
  }
  if (v->nreach) print_frame(text, v);
  ma_ctext_put(text, "  for (int64_t rows = j->rows; rows > 0; rows -= 16) {\n"
                     "    const int64_t part = rows < 16 ? rows : 16;\n    {");
  print_rows(text, p, v, nline, lines);
  print_columns(text, p, v, of);
  ma_ctext_put(text, "    }\n    }\n    for (int64_t b = 0; b < nedge; b++) {\n    const int64_t x = j->edge[b];\n   ");
  for (int k = 0; k < v->ninput; k++)
    ma_ctext_add(text, " const int64_t w%d = j->place[b * %d + %d];", k, v->ninput, k);
  ma_ctext_put(text, "\n    ");
  print_rows(text, p, v, nline, lines);
  print_position(text, p, v, of, true);
  ma_ctext_put(text, "\n    }\n    }\n");
  for (int f = 0; f < v->nfield; f++) ma_ctext_add(text, "    b%d += part * t%d;\n", f, f);
  for (int k = 0; k < p->noutput; k++) ma_ctext_add(text, "    o%d += part * u%d;\n", k, k);
  ma_ctext_put(text, v->nreach ? "    y += part;\n  }\n}\n" : "  }\n}\n");
}

static void print_text(ma_ctext *text, const ma_program *p, const variant *v) {
  ma_ctext own = { 0 };
  print_function(&own, p, v);
  ma_cpu_header_print(text, own.bytes, NULL);
  ma_ctext_put(text, ma_embedded("scalar.h"));
  ma_ctext_put(text, ma_embedded("prelude.cuh"));
  if (own.bytes) ma_ctext_put(text, own.bytes);
  text->failed |= own.failed;
  ma_ctext_free(&own);
}

/* ==== The table ================================================================================================== */

typedef enum state { COUNTING, ASKED, READY, NEVER } state;

/* A stencil in the table. It stays for the life of the process. */
typedef struct entry {
  struct entry *next;
  size_t size;
  uint64_t hash;
  int state;    /* atomic: a state; READY: `compiled` is filled */
  int64_t work; /* atomic */
  ma_program program;
  variant v;
  ma_stencil_compiled compiled;
  uint8_t key[];
} entry;

static entry *table[256];
static int nentry;
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(looking, MA_FORK_LEAF)

static ma_status make(entry *e) {
  ma_ctext text = { 0 };
  void *handle, *function = NULL;
  print_text(&text, &e->program, &e->v);
  ma_status status = text.failed ? ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text")
                                 : ma_cpu_compile(text.bytes, "stencil", NULL, 0, &handle);
  ma_ctext_free(&text);
  if (status == MA_OK && !(function = dlsym(handle, "ma_stencil")))
    status = ma_fail(MA_ERR_COMPILE, "a stencil's compiled object has no function");
  if (status != MA_OK) {
    if (!e->program.body) ma_trace("jit", "stencil: not compiled, the interpreter goes on with it: %s", ma_message());
    /* MA_ERR_VALUE: it is not to be compiled by this call */
    __atomic_store_n(&e->state, status == MA_ERR_VALUE ? COUNTING : NEVER, __ATOMIC_RELEASE);
    return status;
  }
  pthread_mutex_lock(&looking); /* another thread may have done the same */
  int of[MA_MAX_INPUTS];
  *(void **)&e->compiled.run = function;
  e->compiled.nline = find_lines(&e->v, e->compiled.line, of);
  pthread_mutex_unlock(&looking);
  __atomic_store_n(&e->state, READY, __ATOMIC_RELEASE);
  __atomic_add_fetch(&ma_kernels, 1, __ATOMIC_RELAXED);
  return MA_OK;
}

static ma_status make_later(void *what) {
  MA_TRY(ma_inject(MA_INJECT_WORKER, "a compilation in the background"));
  return make(what);
}

static entry *new_entry(const ma_stencil *s, const variant *v, const uint8_t *key, size_t size, uint64_t hash) {
  bool exact = true;
  bool has_text = s->program->body != 0;
  entry *e = nentry < MOST || has_text ? calloc(1, sizeof *e + size) : NULL;
  if (!e) return NULL;
  for (int k = 0; k < s->program->ncode; k++)
    exact &= ma_op_is_exact(s->program->code[k].op, s->program->code[k].dtype);
  e->size = size;
  e->hash = hash;
  e->state = has_text || (exact && s->program->ncode > 0) ? COUNTING : NEVER;
  ma_program_clone(&e->program, s->program);
  e->v = *v;
  memcpy(e->key, key, size);
  e->next = table[hash & 255];
  table[hash & 255] = e;
  nentry++;
  return e;
}

static entry *find_entry(const ma_stencil *s) {
  uint8_t key[sizeof(variant) + sizeof(ma_program)];
  variant v;
  describe(&v, s);
  memcpy(key, &v, sizeof v);
  size_t size = sizeof v + ma_program_key(s->program, key + sizeof v);
  uint64_t hash = ma_hash(key, size, 0);
  pthread_mutex_lock(&looking);
  entry *e = table[hash & 255];
  while (e && (e->hash != hash || e->size != size || memcmp(e->key, key, size))) e = e->next;
  if (!e) e = new_entry(s, &v, key, size, hash);
  pthread_mutex_unlock(&looking);
  return e;
}

/* A number of what may change from call to call of one stencil, besides addresses, extents and numbers. */
static uint64_t call_of(const ma_stencil *s) {
  uint64_t call = 0;
  for (int f = 0; f < s->nfield; f++) call = call << 1 | is_still(&s->field[f]);
  for (int f = 0; f < s->nfield && s->program->body; f++) call = call * 2 + is_packed(&s->field[f]);
  for (int k = 0; k < s->program->noutput && s->program->body; k++) call = call * 2 + result_is_packed(s, k);
  for (int k = 0; k < s->program->noutput; k++)
    call = call << 5 | (uint64_t)ma_program_dtype(s->program, s->program->output[k]);
  return call;
}

/* The entry of a stencil; NULL: there is no room. */
static entry *entry_of(const ma_stencil *s) {
  static _Thread_local struct {
    uint64_t id, call;
    entry *e;
  } last; /* a stencil is mostly run again and again, so the last one is kept */
  uint64_t call = call_of(s);
  bool distinct = !s->program->body || s->nfield <= 16; /* `call` has room for all of it */
  if (s->id == 0 || !distinct || last.id != s->id || last.call != call) {
    last.e = find_entry(s);
    last.id = s->id;
    last.call = call;
  }
  return last.e;
}

ma_status ma_stencil_need(const ma_stencil *s, const ma_stencil_compiled **compiled) {
  entry *e = entry_of(s);
  if (!e) return ma_fail(MA_ERR_MEMORY, "out of memory for a stencil's entry");
  if (__atomic_load_n(&e->state, __ATOMIC_ACQUIRE) != READY) MA_TRY(make(e));
  *compiled = &e->compiled;
  return MA_OK;
}

const ma_stencil_compiled *ma_stencil_find(const ma_stencil *s, int64_t work) {
  if (s->compile == MA_COMPILE_NEVER || !suits(s)) return NULL;
  entry *e = entry_of(s);
  if (!e) return NULL;
  int now = __atomic_load_n(&e->state, __ATOMIC_ACQUIRE);
  if (now == READY) return &e->compiled;
  if (now == NEVER) return NULL;
  if (s->compile == MA_COMPILE_NOW) return make(e) == MA_OK ? &e->compiled : NULL;
  if (now == COUNTING &&
      __atomic_add_fetch(&e->work, work * s->program->ncode, __ATOMIC_RELAXED) >=
        ((int64_t)TUNE_STENCIL_COMPILE << 20) &&
      __atomic_compare_exchange_n(&e->state, &(int){ COUNTING }, ASKED, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
      ma_cpu_later(make_later, e) != MA_CPU_ACCEPTED)
    __atomic_store_n(&e->state, COUNTING, __ATOMIC_RELAXED);
  return NULL;
}
