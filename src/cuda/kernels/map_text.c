/*
** map_text.c: the text of an elementwise kernel.
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

/* Functions of floats whose bodies call scalar.h are mostly long; so are integer divisions. */
bool ma_map_is_heavy(const ma_program *program) {
  if (program->body) return strlen(ma_body_get(program->body)->operation) > 200;
  for (int k = 0; k < program->ncode; k++) {
    const ma_instr *i = &program->code[k];
    const char *body = ma_ops[i->op].body[ma_dtypes[i->dtype].kind];
    if (i->op != MA_OP_cast && ma_dtypes[i->dtype].kind >= MA_KIND_FLOAT && body && !strncmp(body, "ma_", 3))
      return true;
  }
  return program->ncode > 8;
}

static bool uses_index(const ma_program *program) { return program->body && ma_body_get(program->body)->uses_index; }

static bool is_tall(int walk) { return walk >= MA_WALK_TALL_VECTOR; }
/* The index is the last operand, of no memory: its elements are one apart. */
static int itemsize(const ma_program *p, int k) {
  return k < p->noutput + p->ninput ? ma_dtypes[ma_map_operand_dtype(p, k)].itemsize : 1;
}
static const char *suffix(const ma_program *p, int k) { return ma_cuda_suffix(ma_map_operand_dtype(p, k)); }
static int noperand(const ma_program *p) { return p->noutput + p->ninput; }
static int nwalk(const ma_program *p) { return noperand(p) + uses_index(p); }

/* ---- Parameters ---- */

static void print_raw_params(ma_ctext *text, const ma_body *body) {
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *q = &body->param[k];
    if (q->role != MA_PARAM_RAW) continue;
    ma_ctext_add(text, "\n  char *r%d; i8 rn%d;", q->place, q->place);
    if (!q->contiguous) ma_ctext_add(text, " i8 rx%d[%d], rs%d[%d];", q->place, q->ndim, q->place, q->ndim);
  }
  ma_ctext_put(text, "\n  i8 total;");
}

static void print_params(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  ma_ctext_put(text, "struct params {\n  scalars s;\n ");
  for (int k = 0; k < nwalk(p); k++) ma_ctext_add(text, " char *p%d;", k);
  if (p->body) print_raw_params(text, ma_body_get(p->body));
  ma_ctext_put(text, v->tile ? "\n  u4 n, m;\n  divisor tiles_j, tiles_a;\n" : "\n  u4 n;\n");
  if (!v->tile && v->nouter) ma_ctext_put(text, "  u4 groups;\n  divisor row;\n");
  for (int d = v->nouter - 1; d >= 1; d--) ma_ctext_add(text, "  divisor e%d;\n", d);
  for (int k = 0; k < nwalk(p); k++) {
    for (int d = 0; d < v->nouter; d++) ma_ctext_add(text, "  i4 t%d_%d;", k, d);
    if (v->tile) ma_ctext_add(text, "  i4 a%d;", k);
    if (v->tile || v->walk[k] == MA_WALK_STRIDED) ma_ctext_add(text, "  i4 j%d;", k);
    ma_ctext_put(text, "\n");
  }
  ma_ctext_put(text, "};\n");
}

/* From `q`, the number of a row, the outer indices x0, x1 ...; the outermost is what remains. */
static void print_outer(ma_ctext *text, const ma_map_variant *v) {
  for (int d = v->nouter - 1; d >= 1; d--) ma_ctext_add(text, "  u4 x%d; q = divmod(q, p.e%d, x%d);\n", d, d, d);
  if (v->nouter) ma_ctext_put(text, "  const u4 x0 = q;\n");
}

static void print_outer_offset(ma_ctext *text, const ma_map_variant *v, int k) {
  for (int d = 0; d < v->nouter; d++) ma_ctext_add(text, " + (i4)x%d * p.t%d_%d", d, k, d);
}

/* Bytes to inner element `i`. */
static void print_inner_offset(ma_ctext *text, const ma_program *p, const ma_map_variant *v, int k, const char *i) {
  if (v->walk[k] == MA_WALK_STRIDED) ma_ctext_add(text, " + (i4)%s * p.j%d", i, k);
  else if (v->walk[k] == MA_WALK_VECTOR || v->walk[k] == MA_WALK_ELEMENT)
    ma_ctext_add(text, " + (i4)%s * %d", i, itemsize(p, k));
}

/* ---- Groups ---- */

static void print_step(ma_ctext *text, const ma_program *p, const ma_map_variant *v, int k) {
  if (v->walk[k] == MA_WALK_STRIDED) ma_ctext_add(text, "p.j%d", k);
  else ma_ctext_add(text, "%d", itemsize(p, k));
}

static int count_walks(const ma_map_variant *v, int from, int to, int first, int last) {
  int n = 0;
  for (int k = from; k < to; k++) n += v->walk[k] >= first && v->walk[k] <= last;
  return n;
}

/* Loads or stores operands from..to-1 of every group: wide ones by one test for all groups of the thread, so that what
** follows the test is a straight run of accesses. */
static void print_moves(ma_ctext *text, const ma_program *p, const ma_map_variant *v, int from, int to,
                        const char *verb) {
  const char *head = "#pragma unroll\n  for (int u = 0; u < ";
  int wide = count_walks(v, from, to, MA_WALK_VECTOR, MA_WALK_VECTOR);
  if (wide) {
    ma_ctext_add(text, "  if (full) {\n%s%d; u++) {", head, v->unroll);
    for (int k = from; k < to; k++)
      if (v->walk[k] == MA_WALK_VECTOR) ma_ctext_add(text, " c%d[u].%s_all(p.p%d + f%d[u]);", k, verb, k, k);
    ma_ctext_add(text, " }\n  } else {\n%s%d; u++) {", head, v->unroll);
    for (int k = from; k < to; k++)
      if (v->walk[k] == MA_WALK_VECTOR)
        ma_ctext_add(text, " c%d[u].%s_some(p.p%d + f%d[u], %d, left[u]);", k, verb, k, k, itemsize(p, k));
    ma_ctext_put(text, " }\n  }\n");
  }
  if (wide + count_walks(v, from, to, MA_WALK_TALL_VECTOR, MA_WALK_TALL_ELEMENT) == to - from) return;
  ma_ctext_add(text, "%s%d; u++) {\n", head, v->unroll);
  for (int k = from; k < to; k++) {
    if (v->walk[k] == MA_WALK_BROADCAST)
      ma_ctext_add(text, "    if (left[u]) b%d[u] = *(const dt_%s::mem *)(p.p%d + f%d[u]);\n", k, suffix(p, k), k, k);
    if (v->walk[k] != MA_WALK_ELEMENT && v->walk[k] != MA_WALK_STRIDED) continue;
    ma_ctext_add(text, "    c%d[u].%s_some(p.p%d + f%d[u], ", k, verb, k, k);
    print_step(text, p, v, k);
    ma_ctext_put(text, ", left[u]);\n");
  }
  ma_ctext_put(text, "  }\n");
}

static void print_declarations(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  for (int k = 0; k < noperand(p); k++) {
    if (is_tall(v->walk[k])) continue;
    if (v->walk[k] == MA_WALK_BROADCAST) ma_ctext_add(text, "  dt_%s::mem b%d[%d];", suffix(p, k), k, v->unroll);
    else ma_ctext_add(text, "  pack<dt_%s::mem, %d> c%d[%d];", suffix(p, k), v->width, k, v->unroll);
    ma_ctext_add(text, " i4 f%d[%d];\n", k, v->unroll);
  }
  if (uses_index(p)) ma_ctext_add(text, "  i4 f%d[%d];\n", noperand(p), v->unroll);
  ma_ctext_add(text, "  i4 left[%d];\n  bool full = true;\n", v->unroll);
}

/* The value of input k, and what converts it: "dt_f4::load" to a register, "us_f4::load" to the user's type. */
static void print_input(ma_ctext *text, const ma_program *p, const ma_map_variant *v, int k, const char *kind) {
  if (is_tall(v->walk[k])) ma_ctext_add(text, "%s_%s::load(tile%d[(x + k) * pitch%d + y])", kind, suffix(p, k), k, k);
  else if (v->walk[k] == MA_WALK_BROADCAST) ma_ctext_add(text, "%s_%s::load(b%d[u])", kind, suffix(p, k), k);
  else ma_ctext_add(text, "%s_%s::load(c%d[u].v[k])", kind, suffix(p, k), k);
}

/* A body sees elements that are there and no others: it may write to raw arrays. */
static void print_operation(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  const ma_body *body = ma_body_get(p->body);
  bool first = true;
  ma_ctext_put(text, "      if (k >= left[u]) continue;\n     ");
  for (int j = 0; j < body->nparam; j++) {
    const ma_param *q = &body->param[j];
    if (q->role != MA_PARAM_OUTPUT) continue;
    ma_ctext_add(text, " us_%s::type o%d = ", ma_cuda_suffix((ma_dtype)q->dtype), q->place);
    if (q->is_read) print_input(text, p, v, q->place, "us");
    else ma_ctext_add(text, "us_%s::type()", ma_cuda_suffix((ma_dtype)q->dtype));
    ma_ctext_put(text, ";");
  }
  ma_ctext_put(text, "\n      operation(");
  for (int j = 0; j < body->nparam; j++) {
    const ma_param *q = &body->param[j];
    if (q->role == MA_PARAM_RAW) continue;
    if (!first) ma_ctext_put(text, ", ");
    first = false;
    if (q->role == MA_PARAM_INPUT) print_input(text, p, v, p->noutput + q->place, "us");
    else if (q->role == MA_PARAM_OUTPUT) ma_ctext_add(text, "o%d", q->place);
    else ma_ctext_add(text, "us_%s::from(p.s.s%d)", ma_cuda_suffix((ma_dtype)q->dtype), q->place);
  }
  if (body->uses_index) {
    int k = noperand(p);
    ma_ctext_add(text, "%s(ptrdiff_t)p.p%d + (f%d[u] + k * ", first ? "" : ", ", k, k);
    print_step(text, p, v, k);
    ma_ctext_put(text, ")");
  }
  ma_ctext_put(text, ");\n     ");
  for (int k = 0; k < p->noutput; k++) ma_ctext_add(text, " c%d[u].v[k] = us_%s::store(o%d);", k, suffix(p, k), k);
}

/* Runs the program on all groups, on what lies past the end too. `y` and `x` are the tile's position of the first
** element. */
static void print_compute(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  ma_ctext_add(
    text, "#pragma unroll\n  for (int u = 0; u < %d; u++) {\n#pragma unroll\n    for (int k = 0; k < %d; k++) {\n     ",
    v->unroll, v->width);
  if (p->body) print_operation(text, p, v);
  else {
    for (int k = 0; k < p->noutput; k++) ma_ctext_add(text, " dt_%s::reg o%d;", suffix(p, k), k);
    ma_ctext_put(text, "\n      program(p.s");
    for (int k = p->noutput; k < noperand(p); k++) {
      ma_ctext_put(text, ", ");
      print_input(text, p, v, k, "dt");
    }
    for (int k = 0; k < p->noutput; k++) ma_ctext_add(text, ", o%d", k);
    ma_ctext_put(text, ");\n     ");
    for (int k = 0; k < p->noutput; k++) ma_ctext_add(text, " c%d[u].v[k] = dt_%s::store(o%d);", k, suffix(p, k), k);
  }
  ma_ctext_put(text, "\n    }\n  }\n");
}

/* Outputs whose old values a body may want. */
static void print_old(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  if (!p->body) return;
  const ma_body *body = ma_body_get(p->body);
  for (int k = 0; k < body->nparam; k++)
    if (body->param[k].role == MA_PARAM_OUTPUT && body->param[k].is_read)
      print_moves(text, p, v, body->param[k].place, body->param[k].place + 1, "load");
}

/* A program's kernel, or the function that walks a body's operands: a function, so that its names and the user's do not
** meet. */
static void print_entry(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  if (p->body)
    ma_ctext_put(text,
                 "template <class F> static __device__ __forceinline__ void walk(const params &p, F &operation) {\n");
  else ma_ctext_add(text, "MA_KERNEL __launch_bounds__(%d) map(const params p) {\n", v->block);
}

/* ---- The plain kernel ---- */

static void print_left(ma_ctext *text, const ma_map_variant *v, const char *i) {
  ma_ctext_add(text, "    left[u] = p.n - %s < %du ? (i4)(p.n - %s) : %d;\n    full = full && left[u] == %d;\n", i,
               v->width, i, v->width, v->width);
}

static void print_position(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  ma_ctext_add(text, "    const u4 g = (blockIdx.x * %du + u) * %du + threadIdx.x;\n", v->unroll, v->block);
  const char *past = v->unroll == 1 ? "return;" : "{ left[u] = 0; full = false; continue; }";
  if (v->nouter) {
    ma_ctext_add(text, "    if (g >= p.groups) %s\n", past);
    ma_ctext_add(text, "    u4 i, q = divmod(g, p.row, i);\n    i *= %d;\n", v->width);
    print_outer(text, v);
  } else ma_ctext_add(text, "    const u4 i = g * %d;\n    if (i >= p.n) %s\n", v->width, past);
  print_left(text, v, "i");
  for (int k = 0; k < nwalk(p); k++) {
    ma_ctext_add(text, "    f%d[u] = 0", k);
    print_outer_offset(text, v, k);
    print_inner_offset(text, p, v, k, "i");
    ma_ctext_put(text, ";\n");
  }
}

static void print_plain(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  print_entry(text, p, v);
  print_declarations(text, p, v);
  ma_ctext_add(text, "#pragma unroll\n  for (int u = 0; u < %d; u++) {\n", v->unroll);
  print_position(text, p, v);
  ma_ctext_put(text, "  }\n");
  print_old(text, p, v);
  print_moves(text, p, v, p->noutput, noperand(p), "load");
  print_compute(text, p, v);
  print_moves(text, p, v, 0, p->noutput, "store");
  ma_ctext_put(text, "}\n");
}

/* ---- The tiled kernel ---- */

/* Elements from one tile row to the next: one 4-byte bank more than the tile, so that columns spread over the banks. */
static int pitch(int tile, int size) { return tile + (size < 4 ? 4 / size : 1); }

static void print_tile_fill(ma_ctext *text, const ma_program *p, const ma_map_variant *v, int k) {
  int size = itemsize(p, k), wide = v->walk[k] == MA_WALK_TALL_VECTOR ? 16 / size : 1;
  int rounds = v->tile * v->tile / wide / v->block, across = v->tile / wide;
  ma_ctext_add(text, "  {\n    pack<dt_%s::mem, %d> c[%d];\n", suffix(p, k), wide, rounds);
  ma_ctext_add(text,
               "#pragma unroll\n    for (int r = 0; r < %d; r++) {\n      const u4 t = threadIdx.x + r * %d, j = j0 + "
               "t / %d, a = a0 + t %% %d * %d;\n",
               rounds, v->block, across, across, wide);
  ma_ctext_add(text, "      if (j >= p.n || a >= p.m) continue;\n      const char *from = p.p%d + (0", k);
  print_outer_offset(text, v, k);
  ma_ctext_add(text, " + (i4)j * p.j%d + (i4)a * %d);\n", k, size);
  if (wide > 1)
    ma_ctext_add(text, "      if (a + %d <= p.m) c[r].load_all(from); else c[r].load_some(from, %d, p.m - a);\n    }\n",
                 wide, size);
  else ma_ctext_put(text, "      c[r].load_all(from);\n    }\n");
  ma_ctext_add(text, "#pragma unroll\n    for (int r = 0; r < %d; r++) {\n      const u4 t = threadIdx.x + r * %d;\n",
               rounds, v->block);
  ma_ctext_add(text,
               "#pragma unroll\n      for (int k = 0; k < %d; k++) tile%d[t / %d * pitch%d + t %% %d * %d + k] = "
               "c[r].v[k];\n    }\n  }\n",
               wide, k, across, k, across, wide);
}

static void print_tile_position(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  int across = v->tile / v->width;
  ma_ctext_add(text, "    const u4 t = threadIdx.x + r * %d, y = t / %d, x = t %% %d * %d, a = a0 + y, j = j0 + x;\n",
               v->block, across, across, v->width);
  ma_ctext_put(text, "    if (a >= p.m || j >= p.n) continue;\n    const int u = 0;\n");
  print_declarations(text, p, v);
  print_left(text, v, "j");
  for (int k = 0; k < nwalk(p); k++) {
    if (is_tall(v->walk[k])) continue;
    ma_ctext_add(text, "    f%d[u] = (i4)a * p.a%d", k, k);
    print_outer_offset(text, v, k);
    print_inner_offset(text, p, v, k, "j");
    ma_ctext_put(text, ";\n");
  }
}

static void print_tiled(ma_ctext *text, const ma_program *p, const ma_map_variant *v) {
  print_entry(text, p, v);
  for (int k = p->noutput; k < noperand(p); k++)
    if (is_tall(v->walk[k]))
      ma_ctext_add(text, "  const int pitch%d = %d;\n  __shared__ dt_%s::mem tile%d[%d];\n", k,
                   pitch(v->tile, itemsize(p, k)), suffix(p, k), k, v->tile * pitch(v->tile, itemsize(p, k)));
  ma_ctext_add(
    text,
    "  u4 j0, a0, q = divmod(blockIdx.x, p.tiles_j, j0);\n  q = divmod(q, p.tiles_a, a0);\n  j0 *= %d;\n  a0 *= %d;\n",
    v->tile, v->tile);
  print_outer(text, v);
  for (int k = p->noutput; k < noperand(p); k++)
    if (is_tall(v->walk[k])) print_tile_fill(text, p, v, k);
  ma_ctext_add(text, "  __syncthreads();\n#pragma unroll%s\n  for (int r = 0; r < %d; r++) {\n",
               ma_map_is_heavy(p) ? " 1" : "", v->tile * v->tile / v->width / v->block);
  print_tile_position(text, p, v);
  print_old(text, p, v);
  print_moves(text, p, v, p->noutput, noperand(p), "load");
  print_compute(text, p, v);
  print_moves(text, p, v, 0, p->noutput, "store");
  ma_ctext_put(text, "  }\n}\n");
}

/* ---- A body's kernel ---- */

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
  ma_ctext_put(text, "  walk(_p, _operation);\n");
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
    ma_cuda_print_scalars(text, t->program);
  } else ma_cuda_print_program(text, t->program);
  print_params(text, t->program, t->variant);
  if (t->variant->tile) print_tiled(text, t->program, t->variant);
  else print_plain(text, t->program, t->variant);
  if (!body) return;
  print_kernel(text, body, t->variant);
  ma_body_keep_code(body->id, text->bytes ? text->bytes + start : NULL);
}

static const ma_body *body_of(const void *what) {
  const ma_map_text *t = what;
  return t->program->body ? ma_body_get(t->program->body) : NULL;
}

const ma_cuda_family ma_map_family = { "map", { "map" }, print_map, body_of };
