/*
** columns.c: row programs whose rows lie down columns of memory, on a GPU: chooses how many neighbouring columns a
** block has, and prints what differs from rows along memory (rows_text.c). A column stays in registers: of a few
** threads where it is short, else of a block, or of a cluster of blocks where the GPU has such (compute capability 9
** and 10). Longer columns are left to separate runs, unless their reductions do not depend on each other: then a block
** walks a span of its columns, and a second kernel merges the spans, or a block walks all spans. So it does with
** shorter columns too where there are blocks enough: it need not hold them.
*/
#include "cuda/rows/rows.h"
#include "cuda/kernels/fold.h"
#include "program/stages.h"
#include "tuning.h"

#define SHORT 128       /* elements of a column without whole leaves */
#define SHORT_THREADS 8 /* that share a short column, at most */
#define THREADS 512     /* of a block, at most, where columns have chunks */
#define CLUSTER 8       /* blocks that every GPU with clusters can run together */
#define SHARED 49152    /* bytes of shared memory that a kernel has without asking */
#define COLUMNS 16      /* neighbours that a block has, if it can choose; 8 of 16 bytes */
#define SEGMENT 32      /* bytes that it reads of a line of memory, at least */
#define LINE 128        /* the same of a block that walks chunks, if it can choose */
/* With long partial results three blocks of these are faster than one or two of those. */
#define LONG_THREADS 256
#define LONG_SEGMENT 32

/* ==== The way ==================================================================================================== */

/* Bytes of the partial results of all reductions. */
static int partials(const ma_row_program *program) {
  int sum = 0;
  for (int k = 0; k < program->nfold; k++) {
    int size = ma_fold_partial_of((ma_reduce_op)program->fold[k].op, (ma_dtype)program->fold[k].value, false);
    sum += size < 4 ? 4 : size;
  }
  return sum;
}

static int widest(const ma_row_program *program) {
  int most = ma_row_program_fills(program) ? ma_dtypes[program->result].itemsize : 1;
  for (int k = 0; k < program->narray; k++)
    if (ma_rows_is_read(program, k) && !ma_rows_is_still(program, k) && ma_dtypes[program->array[k]].itemsize > most)
      most = ma_dtypes[program->array[k]].itemsize;
  return most;
}

/* Chooses for columns of at most 128 elements. A thread gets 4 * j of them: the more, the less each costs, unless many
** do not exist. */
static bool choose_short(const ma_row_program *program, ma_rows_variant *v) {
  static const int factor[] = { [2] = 115, [4] = 104, [8] = 100 };
  int64_t least = INT64_MAX;
  for (int j = 8; j >= 2; j /= 2) {
    int tall = (int)(program->count + 4 * j - 1) / (4 * j), cost = tall * 4 * j * factor[j];
    if (tall > SHORT_THREADS || cost >= least || ma_rows_words(program, j, false) > 100) continue;
    least = cost;
    v->j = (uint8_t)j;
    v->tall = (uint8_t)tall;
  }
  if (least == INT64_MAX) return false;
  v->way = MA_COLUMNS_SHORT;
  v->whole = program->count % (4 * v->j) == 0;
  v->columns = (uint16_t)(MA_THREADS / v->tall / 32 * 32);
  v->threads = (uint16_t)(v->columns * v->tall);
  v->own = v->cluster = 1;
  return ma_rows_choose_blocks(program, v) && partials(program) * v->threads <= SHARED;
}

/* Whether a block's shared memory suffices: for the parts of each chunk (a square of columns with a padding of one, and
** two of these where a block walks spans), for the chunks of each column, and for the results. */
static bool fits(const ma_row_program *program, const ma_rows_variant *v) {
  bool spans = v->way == MA_COLUMNS_SPANS;
  int cells = v->own * (v->columns < 32 ? v->columns : 32) * (v->columns + 1) * (spans ? 2 : 1) +
              v->columns * (spans ? MA_MOST_SPANS : v->own * v->cluster) + v->columns * 2;
  return partials(program) * cells <= SHARED;
}

static bool choose_chunks(const ma_row_program *program, int arch, int64_t chunks, ma_rows_variant *v) {
  bool clusters = arch / 10 == 9 || arch / 10 == 10, slow = ma_rows_has_long_partials(program);
  int64_t most = (clusters ? slow ? LONG_THREADS : THREADS : 1024) / 32 / v->columns, own = most < 1 ? 1 : most;
  v->way = MA_COLUMNS_CHUNKS;
  v->own = (uint8_t)(own < chunks ? own : chunks);
  int64_t blocks = (chunks + v->own - 1) / v->own;
  v->cluster = (uint8_t)blocks;
  v->threads = (uint16_t)(v->columns * 32 * v->own);
  return blocks <= (clusters ? CLUSTER : 1) && ma_rows_choose_blocks(program, v) && fits(program, v);
}

/* Tiles of neighbouring columns. One of short columns may go on in the next line of memory. */
static int64_t tiles_of(const ma_row_program *program, const ma_rows_plan *p) {
  int64_t run = p->v.way == MA_COLUMNS_SHORT ? p->nrow : program->space.shape[program->nkept - 1];
  return p->nrow / run * ((run + p->v.columns - 1) / p->v.columns);
}

/* Blocks that walk one span each. */
static int64_t blocks_of(const ma_row_program *program, const ma_rows_plan *p) {
  return tiles_of(program, p) * p->nspan;
}

/* Chooses for a block that walks the chunks of its columns. Its threads take a chunk in several rounds if there are
** fewer than 32 for a column: so it can have more columns, and read more neighbours of a line of memory. It has fewer
** where the blocks would not fill a device. */
static bool choose_spans(const ma_row_program *program, ma_rows_plan *p) {
  ma_rows_variant *v = &p->v;
  int64_t run = program->space.shape[program->nkept - 1];
  int size = widest(program), threads = ma_rows_has_long_partials(program) ? LONG_THREADS : THREADS;
  v->way = MA_COLUMNS_SPANS;
  v->own = v->cluster = 1;
  v->columns = (uint16_t)(LINE / size < threads / 8 ? LINE / size : threads / 8);
  while (v->columns > 8 &&
         (v->columns / 2 >= run || (v->columns * size > LINE / 2 && blocks_of(program, p) < TUNE_COLUMNS_BLOCKS)))
    v->columns /= 2;
  for (; v->columns >= 8; v->columns /= 2) {
    v->tall = (uint8_t)(threads / v->columns < 32 ? threads / v->columns : 32);
    v->threads = (uint16_t)(v->columns * v->tall);
    if (ma_rows_choose_blocks(program, v) && fits(program, v)) return true;
  }
  return false;
}

/* Whether the product of a step and a place in a chunk always fits 32 bits. */
static bool steps_are_short(const ma_row_program *program) {
  for (int k = program->nfold; k < program->space.noperand; k++)
    if (ma_magnitude(program->space.stride[k][program->nkept]) > INT32_MAX) return false;
  return true;
}

/* The most neighbours that a block has if its columns stay in registers. */
static int most_columns(const ma_row_program *program) {
  int64_t run = program->space.shape[program->nkept - 1];
  int size = widest(program);
  int columns = ma_rows_has_long_partials(program) ? LONG_SEGMENT / size : size >= 16 ? 8 : COLUMNS;
  if (columns < SEGMENT / size) columns = SEGMENT / size;
  if (columns < 8) columns = 8;
  if (columns > 32) columns = 32;
  while (columns > 8 && columns / 2 >= run) columns /= 2;
  return columns;
}

static bool choose_way(const ma_row_program *program, int arch, ma_rows_plan *p) {
  ma_rows_variant *v = &p->v;
  bool alone = program->nstage == 1 && !ma_row_program_fills(program);
  if (program->space.shape[program->nkept - 1] < 8 || !steps_are_short(program) ||
      !ma_rows_lie_along(program, program->nkept - 1))
    return false;
  if (program->count <= SHORT) return choose_short(program, v);
  v->j = (uint8_t)(program->count < RED_CHUNK ? (program->count + 127) / 128 : 8);
  v->whole = ma_rows_fill_leaves(program);
  if (alone && program->count >= RED_CHUNK && choose_spans(program, p) && blocks_of(program, p) >= TUNE_COLUMNS_BLOCKS)
    return true;
  v->tall = 32;
  for (v->columns = (uint16_t)most_columns(program); v->columns >= 8; v->columns /= 2) {
    if (choose_chunks(program, arch, p->chunks, v)) return true;
    if (v->columns * widest(program) <= 32) break;
  }
  return alone && choose_spans(program, p);
}

bool ma_columns_choose(const ma_row_program *program, int arch, ma_rows_plan *p) {
  ma_rows_plan own = *p;
  if (!choose_way(program, arch, &own)) return false;
  *p = own;
  ma_rows_variant *v = &p->v;
  int64_t whole = v->way == MA_COLUMNS_SHORT ? v->tall * v->j * 4 : v->own * v->cluster * 128 * v->j;
  if (v->way == MA_COLUMNS_SPANS)
    v->together = p->nspan == 1 || (p->nspan <= MA_MOST_SPANS && tiles_of(program, p) >= TUNE_COLUMNS_BLOCKS);
  int64_t run = v->way == MA_COLUMNS_SHORT ? p->nrow : program->space.shape[program->nkept - 1];
  v->all = program->count % whole == 0 && run % v->columns == 0;
  return true;
}

int64_t ma_columns_blocks(const ma_row_program *program, const ma_rows_plan *p) {
  int64_t parts = p->v.way != MA_COLUMNS_SPANS ? p->v.cluster : p->v.together ? 1 : p->nspan;
  return tiles_of(program, p) * parts;
}

/* ==== The text =================================================================================================== */

void ma_columns_print_sizes(ma_ctext *text, const ma_rows_variant *v) {
  ma_ctext_add(text, "#define COLUMNS %d\n#define PITCH %d\n#define TALL %d\n#define OWN %d\n#define CLUSTER %d\n",
               v->columns, v->columns + 1, v->tall, v->own, v->cluster);
  bool is_short = v->way == MA_COLUMNS_SHORT;
  ma_ctext_add(text, "#define CHUNKS %d\n#define ALL %d\n#define GAP %d\n#define WHOLE_SHORT %d\n", v->own * v->cluster,
               v->all, is_short ? 4 : 128, is_short && v->whole);
  ma_ctext_add(text, "#define SHARE %d\n#define ROUNDS %d\n", v->columns < 32 ? 32 / v->columns : 1,
               v->way == MA_COLUMNS_SPANS ? 32 / v->tall : 1);
}

/* Prints the thread's column of the tile: tx and ty, `here`, which says whether it exists, and r. `place` is the number
** of the tile. */
static void print_column(ma_ctext *text, const char *place, bool is_short) {
  ma_ctext_put(text, "  const int tx = threadIdx.x % COLUMNS, ty = threadIdx.x / COLUMNS % TALL;\n");
  ma_ctext_add(text, "  const u8 run = %s;\n  u8 side = %s;\n", is_short ? "p.kept" : "p.extent[KEPT - 1]", place);
  ma_ctext_add(text, "  const u8 line = %s * run;\n",
               is_short ? "0" : "KEPT == 1 ? 0 : split(side, (run + COLUMNS - 1) / COLUMNS, side)");
  ma_ctext_put(text, "  side *= COLUMNS;\n  const bool here = ALL || side + tx < run;\n"
                     "  const row r = row_at(p, line + (here ? side + tx : side));\n");
}

/* Prints four numbers of a thread. `first` is the first element of the thread or of its chunk, and m counts the
** elements from there on, whether the column exists or not. `from` is the first element that the thread reads, and n
** counts those that it has from there on. */
void ma_columns_print_place(ma_ctext *text, const ma_rows_variant *v) {
  print_column(text, v->cluster > 1 ? "blockIdx.x / CLUSTER" : "blockIdx.x", v->way == MA_COLUMNS_SHORT);
  if (v->way == MA_COLUMNS_SHORT) {
    ma_ctext_put(text, "  const int first = ty * 4 * J, m = (int)p.count - first, from = first, n = m;\n");
    return;
  }
  ma_ctext_put(text, "  const int own = threadIdx.x / (COLUMNS * 32), chunk = blockIdx.x % CLUSTER * OWN + own;\n"
                     "  const int first = chunk * RED_CHUNK, left = (int)p.count - first;\n"
                     "  const int m = left < RED_CHUNK ? left : RED_CHUNK, from = first + ty * 4;\n"
                     "  const int n = m - ty * 4, column = warp % COLUMNS;\n"
                     "  const int chunks = (int)((p.count + RED_CHUNK - 1) / RED_CHUNK);\n  cluster_begin();\n");
}

const char *ma_columns_writer(const ma_rows_variant *v) {
  return v->way == MA_COLUMNS_CHUNKS ? "chunk == 0 && ty == 0 && here" : "ty == 0 && here";
}

/* Prints how rounded results get to their places. Each thread has them in d0, d1 ... */
static void print_results(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t) {
  for (int k = 0; k < program->nfold; k++) {
    if (program->fold[k].stage != t) continue;
    ma_ctext_add(text, "  const f%d::result::reg w%d = f%d::result::load(d%d);\n", k, k, k, k);
    if (ma_rows_is_written(v, k))
      ma_ctext_add(text, "  if (%s) *(f%d::result::mem *)r.at[%d] = d%d;\n", ma_columns_writer(v), k, k, k);
  }
}

static void print_short_folds(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t) {
  int tree = 1;
  while (tree < v->tall) tree *= 2;
  for (int k = 0; k < program->nfold; k++) {
    int output = program->fold[k].output;
    if (program->fold[k].stage != t) continue;
    ma_ctext_add(text, "  f%d::red_acc a%d = f%d::subtree<4 * J>::%s(o%d_%d[0], first%s);\n", k, k, k,
                 v->whole ? "full" : "part", t, output, v->whole ? "" : ", m");
    if (tree > 1)
      ma_ctext_add(text,
                   "  __shared__ cell<f%d::red_acc> part%d[TALL * COLUMNS];\n  part%d[ty * COLUMNS + tx].t = a%d;\n", k,
                   k, k, k);
  }
  if (tree > 1) ma_ctext_put(text, "  __syncthreads();\n");
  for (int k = 0; k < program->nfold; k++) {
    if (program->fold[k].stage != t) continue;
    if (tree > 1) ma_ctext_add(text, "  a%d = f%d::column_tree<%d>::of(part%d + tx, TALL);\n", k, k, tree, k);
    ma_ctext_add(text, "  const f%d::result::mem d%d = f%d::rounded(a%d, (i8)p.count, p.param[%d]);\n", k, k, k, k, k);
  }
  print_results(text, program, v, t);
}

/* Prints a part of a chunk, that of a thread in the place `ty` of 32. The first of a warp's threads in a column leaves
** it in shared memory. */
static void print_part(ma_ctext *text, const ma_row_program *program, int k, const char *ty, const char *place) {
  ma_ctext_add(text, "  const f%d::red_acc a%d = f%d::column_part<WHOLE_ROWS, J, CERTAIN>(o%d_%d, %s, (i8)first, m);\n",
               k, k, k, program->fold[k].stage, program->fold[k].output, ty);
  ma_ctext_add(text, "  if (%s %% SHARE == 0) unit%d[(%s + %s / SHARE) * PITCH + tx].t = a%d;\n", ty, k, place, ty, k);
}

/* Prints how chunks become a result. A warp has one chunk of one column. If that is the whole column, the warp finishes
** it. Otherwise it tells its chunk to every block of the cluster. Then the warps of the block's first chunks finish
** each column, in all blocks alike. */
static void print_chunk_folds(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t) {
  bool alone = v->own * v->cluster == 1;
  for (int k = 0; k < program->nfold; k++) {
    if (program->fold[k].stage != t) continue;
    ma_ctext_add(text,
                 "  CLUSTER_SHARED(cell<f%d::red_acc>, unit%d, OWN * COLUMNS * PITCH);\n"
                 "  CLUSTER_SHARED(cell<f%d::red_acc>, part%d, COLUMNS * CHUNKS);\n"
                 "  CLUSTER_SHARED(f%d::result::mem, done%d, COLUMNS);\n",
                 k, k, k, k, k, k);
    print_part(text, program, k, "ty", "own * COLUMNS");
  }
  ma_ctext_put(text, "  __syncthreads();\n");
  if (v->cluster > 1 && t == 0) ma_ctext_put(text, "  cluster_wait();\n");
  for (int k = 0; k < program->nfold; k++) {
    if (program->fold[k].stage != t) continue;
    ma_ctext_add(text, "  const f%d::red_acc b%d = f%d::column_chunk(unit%d + own * COLUMNS * PITCH + column, m);\n", k,
                 k, k, k);
    if (alone)
      ma_ctext_add(text,
                   "  const f%d::result::mem x%d = f%d::rounded(b%d, (i8)p.count, p.param[%d]);\n"
                   "  if (lane == 0) done%d[column] = x%d;\n",
                   k, k, k, k, k, k, k);
    else ma_ctext_add(text, "  tell(part%d + column * CHUNKS + chunk, b%d, m > 0);\n", k, k);
  }
  if (!alone) ma_ctext_put(text, "  cluster_arrive();\n  cluster_wait();\n  if (own == 0) {\n");
  for (int k = 0; k < program->nfold && !alone; k++) {
    if (program->fold[k].stage != t) continue;
    ma_ctext_add(text,
                 "    const f%d::result::reg x%d = f%d::finish_row(part%d + column * CHUNKS, chunks, (int)p.span, "
                 "(i8)p.count, p.param[%d]);\n    if (lane == 0) done%d[column] = f%d::result::store(x%d);\n",
                 k, k, k, k, k, k, k, k);
  }
  ma_ctext_put(text, alone ? "  __syncthreads();\n" : "  }\n  __syncthreads();\n");
  for (int k = 0; k < program->nfold; k++)
    if (program->fold[k].stage == t) ma_ctext_add(text, "  const f%d::result::mem d%d = done%d[tx];\n", k, k, k);
  print_results(text, program, v, t);
}

void ma_columns_print_folds(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t) {
  bool any = false;
  for (int k = 0; k < program->nfold; k++) any = any || program->fold[k].stage == t;
  if (any) (v->way == MA_COLUMNS_SHORT ? print_short_folds : print_chunk_folds)(text, program, v, t);
}

/* Prints a loop over the columns that a warp merges: `c` is one, and number e of the warp's own. */
static void print_each(ma_ctext *text) {
  ma_ctext_put(text, "#pragma unroll\n  for (int e = 0; e < ROUNDS; e++) {\n"
                     "  const int c = warp + e * (COLUMNS / ROUNDS);\n");
}

/* Prints the loop in which a block folds span s of its columns into t0[e], t1[e] ... */
static void print_span(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  ma_ctext_put(text, "  const u8 begin = s * p.span * RED_CHUNK, behind = begin + p.span * RED_CHUNK;\n"
                     "  const u8 end = behind < p.count ? behind : p.count;\n");
  for (int k = 0; k < program->nfold; k++) ma_ctext_add(text, "  f%d::red_acc t%d[ROUNDS];\n", k, k);
  ma_ctext_put(text, "#pragma unroll 1\n"
                     "  for (u8 first = begin; first < end; first += RED_CHUNK, turn ^= 1) {\n"
                     "  const int m = end - first < RED_CHUNK ? (int)(end - first) : RED_CHUNK;\n");
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text, "  cell<f%d::red_acc> *const unit%d = both%d[turn];\n", k, k, k);
  ma_ctext_put(text, "#pragma unroll 1\n  for (int y = ty; y < 32; y += TALL) {\n"
                     "  const u8 from = first + y * 4;\n  const int n = m - y * 4;\n");
  ma_rows_print_loads(text, program, v, 0);
  ma_rows_print_body(text, program, v, 0);
  for (int k = 0; k < program->nfold; k++) print_part(text, program, k, "y", "0");
  ma_ctext_put(text, "  }\n  __syncthreads();\n");
  print_each(text);
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text,
                 "  const f%d::red_acc b%d = f%d::column_chunk(unit%d + c, m);\n"
                 "  t%d[e] = first == begin ? b%d : f%d::red_merge(t%d[e], b%d);\n",
                 k, k, k, k, k, k, k, k, k);
  ma_ctext_put(text, "  }\n  }\n");
}

/* Prints how a block goes on that has all spans of its columns: a warp merges those of a column. */
static void print_together(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text,
                 "  __shared__ cell<f%d::red_acc> part%d[COLUMNS * %d];\n"
                 "  __shared__ cell<f%d::result::mem> done%d[COLUMNS];\n",
                 k, k, MA_MOST_SPANS, k, k);
  ma_ctext_put(text, "#pragma unroll 1\n  for (u8 s = 0; s < p.nspan; s++) {\n");
  print_span(text, program, v);
  print_each(text);
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text, "  if (lane == 0) part%d[c * %d + s].t = t%d[e];\n", k, MA_MOST_SPANS, k);
  ma_ctext_put(text, "  }\n  }\n  __syncwarp();\n");
  print_each(text);
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text,
                 "  const f%d::result::mem x%d = f%d::rounded(f%d::warp_tree(part%d[c * %d + lane].t, (int)p.nspan), "
                 "(i8)p.count, p.param[%d]);\n  if (lane == 0) done%d[c].t = x%d;\n",
                 k, k, k, k, k, MA_MOST_SPANS, k, k, k);
  ma_ctext_put(text, "  }\n  __syncthreads();\n");
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text, "  const f%d::result::mem d%d = done%d[tx].t;\n", k, k, k);
  print_results(text, program, v, 0);
  ma_rows_print_end(text, program, v, ma_columns_writer(v), "r.at[FOLDS]");
}

/* Prints how a block goes on that has one span of its columns. */
static void print_apart(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  print_span(text, program, v);
  print_each(text);
  ma_ctext_put(text, "  if (lane || side + c >= run) continue;\n");
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text, "  ((f%d::red_acc *)p.partial[%d])[(line + side + c) * p.nspan + s] = t%d[e];\n", k, k, k);
  ma_ctext_put(text, "  }\n");
}

/* Prints the kernel in which a block walks a span of its columns, or all of them. */
void ma_columns_print_spans(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  ma_ctext_add(text, "MA_KERNEL __launch_bounds__(%d, %d) rows(const params p) {\n", v->threads, v->blocks);
  ma_ctext_put(text, "  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;\n");
  if (!v->together)
    ma_ctext_put(text,
                 "  u8 tile;\n"
                 "  const u8 tiles = (p.extent[KEPT - 1] + COLUMNS - 1) / COLUMNS * (p.kept / p.extent[KEPT - 1]);\n"
                 "  const u8 s = split(blockIdx.x, tiles, tile);\n");
  print_column(text, v->together ? "blockIdx.x" : "tile", false);
  ma_rows_print_head(text, program, v, 0);
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text, "  __shared__ cell<f%d::red_acc> both%d[2][(COLUMNS < 32 ? COLUMNS : 32) * PITCH];\n", k, k);
  ma_ctext_put(text, "  int turn = 0;\n");
  (v->together ? print_together : print_apart)(text, program, v);
  ma_ctext_put(text, "}\n");
}
