/*
** cross.c: row programs on a GPU that cross: each array repeats along one of two axes of the results, as in
** ((a[:, nil] - b) ^ 2):sum(3) or a product of matrices that is written as a sum of products. A block has a tile of
** results, for which kernels/reduce/cross.cuh reads each element once; walked row by row, each element is read for each
** result. This file chooses the tile and prints the kernel.
*/
#include "cuda/rows/rows.h"
#include "cuda/kernels/fold.h"
#include "tuning.h"

#define THREADS 256
#define REGISTERS 65536 /* of a multiprocessor */
#define SHARED 49152    /* bytes of shared memory that a kernel has without asking */
#define OWN_WORDS 40    /* registers of a thread beside elements and partial results */
#define HELD_SLOTS 6    /* elements of a group that a compiler holds at a time */
#define MOST_CODE 1024  /* operations in the loop of a kernel: more would take long to compile */
#define SIDE 8          /* threads beside each other, at least: fewer results do not fill a tile */

/* ==== The axes =================================================================================================== */

typedef enum moving { MOVES_NOT, MOVES_DOWN, MOVES_ACROSS, MOVES_BOTH } moving;

/* Along which of the two axes an array moves. */
static moving moving_of(const ma_row_program *program, int array, int down, int across) {
  const int64_t *stride = program->space.stride[program->nfold + program->writes + array];
  return (moving)((stride[down] ? MOVES_DOWN : 0) | (stride[across] ? MOVES_ACROSS : 0));
}

/* Whether no array with elements along the row moves along both axes, and each axis has one that moves. */
static bool axes_cross(const ma_row_program *program, int down, int across) {
  bool has[4] = { false };
  for (int k = 0; k < program->narray; k++)
    if (ma_rows_is_read(program, k) && !ma_rows_is_still(program, k)) has[moving_of(program, k, down, across)] = true;
  return has[MOVES_DOWN] && has[MOVES_ACROSS] && !has[MOVES_BOTH];
}

static bool choose_axes(const ma_row_program *program, ma_rows_variant *v) {
  for (int across = program->nkept - 1; across >= 0; across--)
    for (int down = program->nkept - 1; down >= 0; down--) {
      if (down == across || program->space.shape[down] < SIDE || program->space.shape[across] < SIDE) continue;
      if (!axes_cross(program, down, across)) continue;
      v->across = (uint8_t)across;
      v->down = (uint8_t)down;
      return true;
    }
  return false;
}

/* ==== The tile =================================================================================================== */

/* Bytes of an element in shared memory, and registers of one. */
static int bytes_of(const ma_row_program *program, int array) { return ma_dtypes[program->array[array]].regsize; }
static int words_of(const ma_row_program *program, int array) { return (bytes_of(program, array) + 3) / 4; }

/* Registers of a thread: what it holds of a group, and the partial results but those in local memory. */
static int words(const ma_row_program *program, const ma_rows_variant *v) {
  int n = OWN_WORDS, slots = v->leaves * v->each < HELD_SLOTS ? v->leaves * v->each : HELD_SLOTS, partial = 0;
  for (int k = 0; k < program->narray; k++) {
    if (!ma_rows_is_read(program, k)) continue;
    moving m = moving_of(program, k, v->down, v->across);
    if (!ma_rows_is_still(program, k)) n += words_of(program, k) * slots * (m == MOVES_ACROSS ? v->columns : 1);
    else n += words_of(program, k) * (m & MOVES_DOWN ? v->rows : 1) * (m & MOVES_ACROSS ? v->columns : 1);
  }
  for (int k = 0; k < program->nfold; k++) {
    int size = ma_fold_partial_of((ma_reduce_op)program->fold[k].op, (ma_dtype)program->fold[k].value, false);
    partial += (size + 3) / 4;
  }
  return n + partial * v->rows * v->columns * ((v->j > 1 ? 0 : v->levels) + 1 + !v->single);
}

static int shared_of(const ma_row_program *program, const ma_rows_variant *v) {
  int sum = 0, pitch = v->groups * v->leaves * v->each, high = THREADS / v->tx * v->rows, wide = v->tx * v->columns;
  for (int k = 0; k < program->narray; k++) {
    moving m = moving_of(program, k, v->down, v->across);
    if (!ma_rows_is_read(program, k) || ma_rows_is_still(program, k)) continue;
    sum += (pitch * bytes_of(program, k) + 16) * (m == MOVES_DOWN ? high : m == MOVES_ACROSS ? wide : 1);
  }
  return sum;
}

/* How a chunk is cut: leaves of a group, which has at most 16 slots, and groups of a stage. */
static void choose_groups(const ma_row_program *program, ma_rows_variant *v) {
  int64_t leaves = program->count < RED_LEAVES ? program->count : RED_LEAVES;
  v->j = (uint8_t)(program->count < RED_CHUNK ? (program->count + RED_LEAVES - 1) / RED_LEAVES : RED_LEAF);
  for (v->each = 1; v->each < v->j; v->each *= 2) {}
  v->leaves = v->each == 1 ? 8 : 16 / v->each;
  while (v->leaves / 2 >= leaves) v->leaves /= 2;
  int ngroup = (int)(leaves + v->leaves - 1) / v->leaves;
  for (v->levels = 0; (ngroup - 1) >> v->levels; v->levels++) {}
  for (v->groups = 1; v->groups < ngroup && 2 * v->groups * v->leaves * v->each <= (v->each == 8 ? 64 : 32);)
    v->groups *= 2;
  v->single = program->count <= RED_CHUNK;
  v->whole = (program->count < RED_LEAVES  ? program->count % v->leaves
              : program->count < RED_CHUNK ? program->count % RED_LEAVES
                                           : program->count % RED_CHUNK) == 0;
}

static int64_t tiles_of(const ma_row_program *program, const ma_rows_plan *p) {
  int64_t down = program->space.shape[p->v.down], across = program->space.shape[p->v.across];
  int64_t high = THREADS / p->v.tx * p->v.rows, wide = p->v.tx * p->v.columns;
  return p->nrow / (down * across) * ((down + high - 1) / high) * ((across + wide - 1) / wide) * p->nspan;
}

/* Chooses the most results for a thread whose registers let two blocks run on a multiprocessor, and whose tiles are
** enough for a device. */
static bool choose_tile(const ma_row_program *program, ma_rows_plan *p) {
  static const uint8_t shapes[][2] = { { 4, 2 }, { 2, 2 }, { 4, 1 }, { 2, 1 }, { 1, 1 } };
  ma_rows_variant *v = &p->v;
  v->tx = program->space.shape[v->across] <= SIDE ? SIDE : 2 * SIDE;
  for (int k = 0; k < (int)(sizeof shapes / sizeof *shapes); k++) {
    v->rows = shapes[k][0];
    v->columns = shapes[k][1];
    if (v->columns > 1 && program->space.shape[v->across] <= v->tx * (v->columns - 1)) continue;
    if (v->rows > 1 && program->space.shape[v->down] <= THREADS / v->tx * (v->rows / 2)) continue;
    int own = v->rows * v->columns;
    v->blocks = (uint8_t)(REGISTERS / THREADS / words(program, v));
    if (own > 1 && program->stage[0].body.program.ncode * own * v->leaves * v->each > MOST_CODE) continue;
    if (v->blocks >= (own == 1 ? 1 : 2) && tiles_of(program, p) >= TUNE_CROSS_TILES) break;
    if (own == 1) return false;
  }
  if (v->blocks > (v->j > 1 ? 2 : 4)) v->blocks = v->j > 1 ? 2 : 4;
  while (v->groups > 1 && shared_of(program, v) * v->blocks > SHARED * 4) v->groups /= 2;
  while (v->groups > 1 && shared_of(program, v) > SHARED) v->groups /= 2;
  return shared_of(program, v) <= SHARED;
}

/* Whether what is computed for a row reads arrays, which a tile does not have. */
static bool end_reads_arrays(const ma_row_program *program) {
  const ma_row_part *head = &program->stage[1].head;
  for (int k = 0; program->ends && k < head->program.ninput; k++)
    if (head->from[k].kind == MA_FROM_INPUT) return true;
  return false;
}

static bool choose(const ma_row_program *program, ma_rows_plan *p) {
  ma_rows_variant *v = &p->v;
  if (program->nstage != 1 || ma_row_program_fills(program) || program->stage[0].head.program.noutput ||
      program->nkept < 2 || end_reads_arrays(program))
    return false;
  if (!choose_axes(program, v)) return false;
  choose_groups(program, v);
  if (!choose_tile(program, p)) return false;
  v->way = MA_ROWS_CROSS;
  v->threads = THREADS;
  v->together = p->nspan == 1;
  for (int k = 0; k < program->narray; k++) {
    const int64_t *stride = program->space.stride[program->nfold + program->writes + k];
    moving m = moving_of(program, k, v->down, v->across);
    v->moves[k] = (uint8_t)m;
    int64_t side = ma_magnitude(stride[m == MOVES_DOWN ? v->down : v->across]);
    v->near |= (uint32_t)(m == MOVES_NOT || ma_magnitude(stride[program->nkept]) <= side) << k;
  }
  return true;
}

bool ma_cross_choose(const ma_row_program *program, ma_rows_plan *p) {
  ma_rows_plan own = *p;
  if (p->v.places || !choose(program, &own)) return false; /* draws are made once, not for each pair */
  *p = own;
  return true;
}

int64_t ma_cross_blocks(const ma_row_program *program, const ma_rows_plan *p) { return tiles_of(program, p); }

/* ==== The text =================================================================================================== */

void ma_cross_print_sizes(ma_ctext *text, const ma_rows_variant *v) {
  ma_ctext_add(text, "#define DOWN %d\n#define ACROSS %d\n#define TX %d\n#define ROWS %d\n#define COLUMNS %d\n",
               v->down, v->across, v->tx, v->rows, v->columns);
  ma_ctext_put(text, "#define PLACE(k) (t.at[k] + row * p.stride[k][DOWN] + column * p.stride[k][ACROSS])\n");
  ma_ctext_add(text, "#define LEAVES %d\n#define EACH %d\n#define GROUPS %d\n#define LEVELS %d\n", v->leaves, v->each,
               v->groups, v->levels);
}

static bool is_streamed(const ma_row_program *program, int k) {
  return ma_rows_is_read(program, k) && !ma_rows_is_still(program, k);
}

static const char *edge_of(moving m) { return m == MOVES_DOWN ? "HIGH" : m == MOVES_ACROSS ? "WIDE" : "1"; }

/* Prints what a thread reads once: of arrays that do not move along the row. */
static void print_still(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  static const char *const extents[] = { "", "[ROWS]", "[COLUMNS]", "[ROWS][COLUMNS]" };
  static const char *const places[] = { "", "[r]", "[c]", "[r][c]" };
  for (int k = 0; k < program->narray; k++) {
    const char *suffix = ma_cuda_suffix((ma_dtype)program->array[k]);
    int m = v->moves[k], at = program->nfold + program->writes + k;
    if (!ma_rows_is_read(program, k) || !ma_rows_is_still(program, k)) continue;
    ma_ctext_add(text, "  dt_%s::reg e%d%s;\n  %s%se%d%s = dt_%s::load(*(const dt_%s::mem *)(t.at[%d]", suffix, k,
                 extents[m], m & MOVES_DOWN ? "EACH_ROW " : "", m & MOVES_ACROSS ? "EACH_COLUMN " : "", k, places[m],
                 suffix, suffix, at);
    if (m & MOVES_DOWN) ma_ctext_add(text, " + min(ty + r * TY, t.high - 1) * p.stride[%d][DOWN]", at);
    if (m & MOVES_ACROSS) ma_ctext_add(text, " + min(tx + c * TX, t.wide - 1) * p.stride[%d][ACROSS]", at);
    ma_ctext_put(text, "));\n");
  }
}

static void print_tiles(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  for (int k = 0; k < program->narray; k++) {
    const char *suffix = ma_cuda_suffix((ma_dtype)program->array[k]);
    if (is_streamed(program, k))
      ma_ctext_add(text, "  __align__(16) __shared__ dt_%s::reg tile%d[%s][PITCH(dt_%s::reg)];\n", suffix, k,
                   edge_of((moving)v->moves[k]), suffix);
  }
}

static void print_fills(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  for (int k = 0; k < program->narray; k++) {
    moving m = (moving)v->moves[k];
    int at = program->nfold + program->writes + k;
    if (!is_streamed(program, k)) continue;
    ma_ctext_add(text, "  fill<dt_%s, %s, %d>(tile%d, t.at[%d] + (i8)first * p.step[%d], ",
                 ma_cuda_suffix((ma_dtype)program->array[k]), edge_of(m), (int)(v->near >> k & 1), k, at, at);
    ma_ctext_add(text, m == MOVES_NOT ? "0" : "p.stride[%d][%s]", at, m == MOVES_DOWN ? "DOWN" : "ACROSS");
    ma_ctext_add(text, ", p.step[%d], %s, l, n);\n", at,
                 m == MOVES_DOWN     ? "t.high"
                 : m == MOVES_ACROSS ? "t.wide"
                                     : "1");
  }
}

static void print_takes(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, moving m) {
  for (int k = 0; k < program->narray; k++) {
    const char *suffix = ma_cuda_suffix((ma_dtype)program->array[k]);
    if (!is_streamed(program, k) || v->moves[k] != m) continue;
    if (m == MOVES_ACROSS)
      ma_ctext_add(text,
                   "  dt_%s::reg x%d[COLUMNS][SLOTS];\n  EACH_COLUMN take_group(x%d[c], tile%d[tx + c * TX] + at);\n",
                   suffix, k, k, k);
    else
      ma_ctext_add(text, "  dt_%s::reg x%d[SLOTS];\n  take_group(x%d, tile%d[%s] + at);\n", suffix, k, k, k,
                   m == MOVES_DOWN ? "ty + r * TY" : "0");
  }
}

static void print_call(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  static const char *const places[] = { "", "[r]", "[c]", "[r][c]" };
  const ma_row_part *p = &program->stage[0].body;
  ma_ctext_put(text, "body0(p.s");
  for (int k = 0; k < p->program.ninput; k++) {
    int from = p->from[k].index, m = v->moves[from];
    if (ma_rows_is_still(program, from)) ma_ctext_add(text, ", e%d%s", from, places[m]);
    else ma_ctext_add(text, ", x%d%s[i * EACH + j]", from, m == MOVES_ACROSS ? "[c]" : "");
  }
  for (int k = 0; k < p->program.noutput; k++) ma_ctext_add(text, ", o0_%d[i][j]", k);
  ma_ctext_put(text, ");\n");
}

/* Prints how a thread folds a group of each of its results, all of whose elements exist or not. */
static void print_group(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, bool full) {
  const ma_program *body = &program->stage[0].body.program;
  print_takes(text, program, v, MOVES_NOT);
  print_takes(text, program, v, MOVES_ACROSS);
  ma_ctext_put(text, "  EACH_ROW {\n");
  print_takes(text, program, v, MOVES_DOWN);
  ma_ctext_put(text, "  EACH_COLUMN {\n");
  for (int k = 0; k < body->noutput; k++)
    ma_ctext_add(text, "  dt_%s::reg o0_%d[LEAVES][J];\n", ma_cuda_suffix(ma_program_dtype(body, body->output[k])), k);
  ma_ctext_add(text, "  EACH_LEAF EACH_J %s", full ? "" : "if (j * RED_LEAVES + l + i < n) ");
  print_call(text, program, v);
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text, "  a%d[r][c] = f%d::group_tree<LEAVES, %s>::of(o0_%d, (i8)(first + l), l, n);\n", k, k,
                 full ? "true" : "false", program->fold[k].output);
  ma_ctext_put(text, "  }\n  }\n");
}

/* Prints the loop over a chunk's groups, which leaves its totals in a0, a1 ... */
static void print_chunk(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  for (int k = 0; k < program->nfold; k++) ma_ctext_add(text, "  f%d::tile_accs a%d, level%d[LEVELS + 1];\n", k, k, k);
  ma_ctext_put(text, "  const int leaves = n < RED_LEAVES ? n : RED_LEAVES, groups = (leaves + LEAVES - 1) / LEAVES;\n"
                     "#pragma unroll 1\n  for (int g = 0; g < groups; g++) {\n"
                     "  const int l = g * LEAVES, at = g % GROUPS * SLOTS;\n"
                     "  if (at == 0) {\n  __syncthreads();\n");
  print_fills(text, program, v);
  ma_ctext_put(text, "  __syncthreads();\n  }\n");
  if (!v->whole) ma_ctext_put(text, "  if ((J - 1) * RED_LEAVES + l + LEAVES <= n) {\n");
  print_group(text, program, v, true);
  if (!v->whole) {
    ma_ctext_put(text, "  } else {\n");
    print_group(text, program, v, false);
    ma_ctext_put(text, "  }\n");
  }
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text, "  f%d::push(level%d, a%d, g, g + 1 == groups);\n", k, k, k);
  ma_ctext_put(text, "  }\n");
}

static void print_results(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  const char *total = v->single ? "a" : "t";
  ma_ctext_put(text, "  EACH_ROW EACH_COLUMN {\n  const int row = ty + r * TY, column = tx + c * TX;\n"
                     "  if (row >= t.high || column >= t.wide) continue;\n");
  for (int k = 0; k < program->nfold; k++) {
    if (v->together)
      ma_ctext_add(text,
                   "  const f%d::result::mem d%d = f%d::rounded(%s%d[r][c], (i8)p.count, p.param[%d]);\n"
                   "  *(f%d::result::mem *)PLACE(%d) = d%d;\n",
                   k, k, k, total, k, k, k, k, k);
    else
      ma_ctext_add(text,
                   "  ((f%d::red_acc *)p.partial[%d])[(t.k + row * t.down + column * t.across) * p.nspan + t.s] = "
                   "%s%d[r][c];\n",
                   k, k, total, k);
    if (v->together && program->ends)
      ma_ctext_add(text, "  const f%d::result::reg w%d = f%d::result::load(d%d);\n", k, k, k, k);
  }
  if (v->together) ma_rows_print_end(text, program, v, "true", "PLACE(FOLDS)");
  ma_ctext_put(text, "  }\n");
}

void ma_cross_print(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  ma_ctext_add(text, "MA_KERNEL __launch_bounds__(%d, %d) rows(const params p) {\n", v->threads, v->blocks);
  ma_ctext_put(text, "  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;\n"
                     "  const int tx = warp % (TX / 8) * 8 + lane % 8, ty = warp / (TX / 8) * 4 + lane / 8;\n"
                     "  const tile t = tile_of(p);\n");
  print_tiles(text, program, v);
  print_still(text, program, v);
  if (v->single) ma_ctext_put(text, "  const u8 first = 0;\n  const int n = (int)p.count;\n");
  else {
    for (int k = 0; k < program->nfold; k++) ma_ctext_add(text, "  f%d::tile_accs t%d;\n", k, k);
    ma_ctext_put(text, "#pragma unroll 1\n  for (u8 first = t.begin; first < t.end; first += RED_CHUNK) {\n"
                       "  const int n = t.end - first < RED_CHUNK ? (int)(t.end - first) : RED_CHUNK;\n");
  }
  print_chunk(text, program, v);
  if (!v->single) {
    for (int k = 0; k < program->nfold; k++)
      ma_ctext_add(text,
                   "  EACH_ROW EACH_COLUMN t%d[r][c] = first == t.begin ? a%d[r][c] : f%d::red_merge(t%d[r][c], "
                   "a%d[r][c]);\n",
                   k, k, k, k, k);
    ma_ctext_put(text, "  }\n");
  }
  print_results(text, program, v);
  ma_ctext_put(text, "}\n");
}
