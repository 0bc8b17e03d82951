/*
** map_text.c: the lists by which kernels/map/map.cuh walks the operands of an elementwise kernel.
**
** A plain kernel cuts every row (the inner axis) into groups of `width` elements; a thread loads `unroll` groups, then
** computes and stores them. A tiled kernel is for inputs that are contiguous along another axis `a` than the inner axis
** `j`: a block reads a square of each such input along a into shared memory and then does the square's groups along j.
** Both read the struct `params`, whose members map.c packs in the same order: scalars, addresses, then 32-bit words.
*/
#include "cuda/kernels/map.h"
#include "compile/body.h"

#include <stdio.h>
#include <string.h>

ma_dtype ma_map_operand_dtype(const ma_program *program, int k) {
  return k < program->noutput ? ma_program_dtype(program, program->output[k])
                              : (ma_dtype)program->input_dtype[k - program->noutput];
}

/* Whether a program takes many instructions. Bodies of floats that call scalar.h are mostly long, and so are integer
** divisions. */
bool ma_map_is_heavy(const ma_program *program) {
  if (program->body) return strlen(ma_body_get(program->body)->operation) > 200;
  for (int k = 0; k < program->ncode; k++) {
    const ma_instr *i = &program->code[k];
    if (i->op != MA_CAST && ma_dtypes[i->dtype].kind >= MA_KIND_FLOAT && ma_op_is_call(i->op, i->dtype)) return true;
  }
  return program->ncode > 8;
}

static bool uses_index(const ma_program *program) { return program->body && ma_body_get(program->body)->uses_index; }

static bool is_tall(int walk) { return walk >= MA_MAP_TALL_VECTOR; }
/* Bytes of an operand's element. The index is the last operand; it has no memory, and its elements are one apart. */
static int itemsize(const ma_program *p, int k) {
  return k < p->noutput + p->ninput ? ma_dtypes[ma_map_operand_dtype(p, k)].itemsize : 1;
}
static const char *suffix(const ma_program *p, int k) { return ma_cuda_suffix(ma_map_operand_dtype(p, k)); }
static int noperand(const ma_program *p) { return p->noutput + p->ninput; }
static int nwalk(const ma_program *p) { return noperand(p) + uses_index(p); }

/* ---- Lists: kernels/map/map.cuh says what each of them is ---- */

static const char *const walks[] = { "BROADCAST", "VECTOR", "ELEMENT", "STRIDED", "TALL", "TALL" };

static void print_operands(ma_ctext *text, const ma_program *p, const ma_map_variant *v, const char *name, int from,
                           int to) {
  uint64_t places = (uint64_t)ma_program_places(p) << p->noutput;
  ma_ctext_add(text, "\n#define MAP_%s(X, t)", name);
  for (int k = from; k < to; k++)
    ma_ctext_add(text, " X(%d, %s, %d, %s%s, t)", k, k < noperand(p) ? suffix(p, k) : "", itemsize(p, k),
                 places >> k & 1 ? "DRAWN_" : "", walks[v->walk[k]]);
}

static void print_axes(ma_ctext *text, int nouter) {
  ma_ctext_put(text, "\n#define MAP_AXES(X, k)");
  for (int d = 0; d < nouter; d++) ma_ctext_add(text, " X(%d, k)", d);
  ma_ctext_put(text, "\n#define MAP_AXES_INNER(X)");
  for (int d = nouter - 1; d >= 1; d--) ma_ctext_add(text, " X(%d)", d);
  ma_ctext_add(text, "\n#define MAP_AXES_OUTER(X)%s", nouter ? " X(0)" : "");
}

static bool any_walk(const ma_map_variant *v, int from, int to, bool wide) {
  for (int k = from; k < to; k++)
    if (!is_tall(v->walk[k]) && (v->walk[k] == MA_MAP_VECTOR) == wide) return true;
  return false;
}

/* The elements from one row of a tile to the next. They are one 4-byte bank more than the tile, so that columns spread
** over the banks. */
static int pitch(int tile, int size) { return tile + (size < 4 ? 4 / size : 1); }

static void print_tiles(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  ma_ctext_put(text, "\n#define MAP_TALL(X, t)");
  for (int k = p->noutput; k < noperand(p); k++) {
    if (!is_tall(v->walk[k])) continue;
    int size = itemsize(p, k), wide = v->walk[k] == MA_MAP_TALL_VECTOR ? 16 / size : 1;
    ma_ctext_add(text, " X(%d, %s, %d, %s, %d, %d, %d, %d, %d, t)", k, suffix(p, k), size,
                 wide > 1 ? "VECTOR" : "ELEMENT", wide, v->tile * v->tile / wide / v->block, v->tile / wide,
                 pitch(v->tile, size), v->tile * pitch(v->tile, size));
  }
  ma_ctext_add(text, "\n#define MAP_ROUNDS %d\n#define MAP_ACROSS %d\n#define MAP_HEAVY %d",
               v->tile * v->tile / v->width / v->block, v->tile / v->width, ma_map_is_heavy(p));
}

/* Prints the lists of operands and axes, and all numbers of the variant. */
static void print_lists(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  ma_ctext_add(text, "#define MAP_TILE %d\n#define MAP_WIDTH %d\n#define MAP_UNROLL %d\n#define MAP_BLOCK %d\n",
               v->tile, v->width, v->unroll, v->block);
  ma_ctext_add(text, "#define MAP_NOUTER %d\n#define MAP_BODY %d\n", v->nouter, p->body != 0);
  ma_ctext_add(text, "#define MAP_WIDE_INPUTS %d\n#define MAP_OTHER_INPUTS %d\n",
               any_walk(v, p->noutput, noperand(p), true), any_walk(v, p->noutput, noperand(p), false));
  ma_ctext_add(text, "#define MAP_WIDE_OUTPUTS %d\n#define MAP_OTHER_OUTPUTS %d", any_walk(v, 0, p->noutput, true),
               any_walk(v, 0, p->noutput, false));
  print_operands(text, p, v, "OUTPUTS", 0, p->noutput);
  print_operands(text, p, v, "INPUTS", p->noutput, noperand(p));
  print_operands(text, p, v, "INDEX", noperand(p), nwalk(p));
  print_axes(text, v->nouter);
  if (v->tile) print_tiles(text, p, v);
}

static void print_results(ma_ctext *text, const ma_program *p, const ma_body *body, const ma_map_variant *v) {
  ma_ctext_put(text, "\n#define MAP_RESULTS(READ, NEW)");
  for (int j = 0; j < body->nparam; j++) {
    const ma_param *q = &body->param[j];
    if (q->role == MA_PARAM_OUTPUT)
      ma_ctext_add(text, " %s(%d, %s, %s)", q->is_read ? "READ" : "NEW", q->place, suffix(p, q->place),
                   walks[v->walk[q->place]]);
  }
  ma_ctext_put(text, "\n#define MAP_OLD(X, t)");
  for (int j = 0; j < body->nparam; j++) {
    const ma_param *q = &body->param[j];
    if (q->role == MA_PARAM_OUTPUT && q->is_read)
      ma_ctext_add(text, " X(%d, %s, %d, %s, t)", q->place, suffix(p, q->place), itemsize(p, q->place),
                   walks[v->walk[q->place]]);
  }
}

static void print_arguments(ma_ctext *text, const ma_program *p, const ma_body *body, const ma_map_variant *v) {
  const char *comma = " ";
  ma_ctext_put(text, "\n#define MAP_ARGUMENTS(INPUT, RESULT, SCALAR, INDEX)");
  for (int j = 0; j < body->nparam; j++) {
    const ma_param *q = &body->param[j];
    int k = p->noutput + q->place;
    if (q->role == MA_PARAM_RAW) continue;
    ma_ctext_put(text, comma);
    if (q->role == MA_PARAM_INPUT) ma_ctext_add(text, "INPUT(%d, %s, %s)", k, suffix(p, k), walks[v->walk[k]]);
    else if (q->role == MA_PARAM_OUTPUT) ma_ctext_add(text, "RESULT(%d)", q->place);
    else ma_ctext_add(text, "SCALAR(%d, %s)", q->place, ma_cuda_suffix((ma_dtype)q->dtype));
    comma = ", ";
  }
  if (body->uses_index) ma_ctext_add(text, "%sINDEX(%d, %s)", comma, noperand(p), walks[v->walk[noperand(p)]]);
}

/* Prints the lists that only a body has. */
static void print_body_lists(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  const ma_body *body = ma_body_get(p->body);
  ma_ctext_put(text, "\n#define MAP_RAW(ALONG, STRIDED)");
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *q = &body->param[k];
    if (q->role != MA_PARAM_RAW) continue;
    if (q->contiguous) ma_ctext_add(text, " ALONG(%d)", q->place);
    else ma_ctext_add(text, " STRIDED(%d, %d)", q->place, q->ndim);
  }
  print_results(text, p, body, v);
  print_arguments(text, p, body, v);
}

/* ---- A body's kernel: the user's text and names make up most of it, so it is printed as it stands ---- */

static void print_raw(ma_ctext *text, const ma_param *q) {
  const char *read_only = q->is_output ? "" : "const ";
  ma_ctext_add(text, "  const raw<%sus_%s::type, %d> %s = {", read_only, ma_cuda_suffix((ma_dtype)q->dtype),
               q->contiguous ? -1 : q->ndim, q->name);
  if (q->contiguous)
    ma_ctext_add(text, "(%sus_%s::type *)_p.r%d, _p.rn%d};\n", read_only, ma_cuda_suffix((ma_dtype)q->dtype), q->place,
                 q->place);
  else ma_ctext_add(text, "_p.r%d, _p.rn%d, _p.rx%d, _p.rs%d};\n", q->place, q->place, q->place, q->place);
}

static void print_kernel(ma_ctext *text, const ma_body *body, const ma_map_variant *v) {
  ma_body_print_head(text, body);
  ma_ctext_add(text,
               "MA_KERNEL __launch_bounds__(%d) map(const params _p) {\n  const ptrdiff_t n = _p.total;\n  const "
               "ma_indexer _ind = {n};\n",
               v->block);
  for (int k = 0; k < body->nparam; k++)
    if (body->param[k].role == MA_PARAM_RAW) print_raw(text, &body->param[k]);
  ma_ctext_put(text, "  {\n");
  ma_body_print_part(text, body, "loop_prep", body->loop_prep);
  ma_body_print_operation(text, body, "");
  ma_ctext_put(text, "  _walk(_p, _operation);\n");
  ma_body_print_part(text, body, "after_loop", body->after_loop);
  ma_ctext_put(text, "  }\n}\n");
}

static void print_map(ma_ctext *text, const void *what) {
  const ma_map_text *t = what;
  if (ma_config_int(MA_CONFIG_DEBUG) >= 4) {
    char listing[4000];
    ma_program_print(t->program, listing, sizeof listing);
    fprintf(stderr, "moonarray: program:\n%s\n", listing);
  }
  const ma_body *body = t->program->body ? ma_body_get(t->program->body) : NULL;
  size_t start = 0;
  if (body) {
    ma_ctext_put(text, ma_embedded("user.cuh"));
    start = text->size;
    ma_print_scalars(text, t->program);
  } else ma_print_program(text, t->program);
  print_lists(text, t->program, t->variant);
  if (body) print_body_lists(text, t->program, t->variant);
  ma_ctext_put(text, body ? "\n" : "\n#define MAP_OLD(X, t)\n");
  ma_ctext_put(text, ma_embedded("map.cuh"));
  if (!body) return;
  print_kernel(text, body, t->variant);
  ma_body_keep_code(body->id, text->bytes ? text->bytes + start : NULL);
}

static const ma_body *body_of(const void *what) {
  const ma_map_text *t = what;
  return t->program->body ? ma_body_get(t->program->body) : NULL;
}

const ma_cuda_family ma_map_family = { "map", { "map" }, print_map, body_of };
