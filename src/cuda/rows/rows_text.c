/* rows_text.c: prints kernels of row programs: the stages behind kernels/reduce/rows.cuh. */
#include "cuda/rows/rows.h"
#include "cuda/kernels/fold.h"

#include <string.h>

/* The address of the result, which is the operand behind the reductions, in an end. */
#define RESULT "r.at[FOLDS]"

void ma_rows_print_head(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t) {
  const ma_program *p = &program->stage[t].head.program;
  if (!p->noutput) return;
  for (int k = 0; k < p->noutput; k++)
    ma_ctext_add(text, "  dt_%s::reg h%d_%d;\n", ma_rows_suffix(p, p->output[k]), t, k);
  ma_rows_print_places_of_head(text, p, t);
  ma_rows_print_call(text, program, v, t, false);
}

/* Prints where the neighbours that a warp reads begin, and how many there are. */
static void print_near(ma_ctext *text, int k, int size) {
  ma_ctext_add(text, "r.at[%d] + (i8)first * %d + j * %d, n - j * 128", k, size, 128 * size);
}

/* Prints where a thread's elements of an operand are, their step, and how many there are. The steps of wide accesses
** are known, so that one address serves all of them. */
static void print_own(ma_ctext *text, const ma_rows_variant *v, bool wide, int k, int size) {
  bool lanes = v->way == MA_ROWS_LANES;
  if (!wide)
    ma_ctext_add(text, "r%s.at[%d] + (i8)(first + OWN_J) * p.step[%d], p.step[%d]", lanes ? "[j / PACKS]" : "", k, k,
                 k);
  else if (lanes) ma_ctext_add(text, "r[j / PACKS].at[%d] + (i8)(first + OWN_J) * %d, %d", k, size, size);
  else ma_ctext_add(text, "r.at[%d] + (i8)(first + lane * 4) * %d + j * %d, %d", k, size, 128 * size, size);
  ma_ctext_put(text, ", n - OWN_J, SURE_J);\n");
}

/* Whether stage t loads the array. */
static bool is_loaded(const ma_row_program *program, const ma_rows_variant *v, int array, int t) {
  int first = ma_rows_first_reader(program, array);
  return first >= 0 && t == (v->late >> array & 1 ? first : 0);
}

/* Whether the array's elements are loaded four by four where they are used. */
static bool is_loaded_in_turn(const ma_rows_variant *v, int array) {
  return v->late >> array & 1 && ma_rows_loads_in_turn(v) && !(v->still >> array & 1);
}

/* Prints the loads of elements j of each thread. */
static void print_load(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int k) {
  int operand = program->nfold + program->writes + k, size = ma_dtypes[program->array[k]].itemsize;
  if (v->near >> k & 1) {
    ma_ctext_add(text, "take_near(c%d[j], ", k);
    print_near(text, operand, size);
    ma_ctext_put(text, ");\n");
    return;
  }
  ma_ctext_add(text, "take<%d>(c%d[j], ", v->wide >> k & 1, k);
  print_own(text, v, v->wide >> k & 1, operand, size);
}

/* Prints the addresses of a thread's places: of each four the first, or of the whole row. */
static void print_places(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int k) {
  int operand = program->nfold + program->writes + k;
  bool lanes = v->way == MA_ROWS_LANES;
  if (ma_rows_is_still(program, k))
    ma_ctext_add(text,
                 lanes ? "  ma_place e%d[DEEP];\n  EACH_ROW e%d[j].at = (i8)r[j].at[%d];\n"
                       : "  ma_place e%d;\n  e%d.at = (i8)r.at[%d];\n",
                 k, k, operand);
  else
    ma_ctext_add(text, "  ma_place c%d[J];\n  EACH_J c%d[j].at = (i8)r%s.at[%d] + (i8)(%s) * p.step[%d];\n", k, k,
                 lanes ? "[j / PACKS]" : "", operand, v->way >= MA_COLUMNS_SHORT ? "from + j * GAP" : "first + OWN_J",
                 operand);
}

void ma_rows_print_loads(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t) {
  bool lanes = v->way == MA_ROWS_LANES;
  for (int k = 0; k < program->narray; k++) {
    int operand = program->nfold + program->writes + k;
    const char *suffix = ma_cuda_suffix((ma_dtype)program->array[k]);
    if (!is_loaded(program, v, k, t)) continue;
    if (v->places >> k & 1) {
      print_places(text, program, v, k);
      continue;
    }
    if (ma_rows_is_still(program, k)) {
      ma_ctext_add(text, lanes ? "  dt_%s::reg e%d[DEEP];\n  EACH_ROW e%d[j]" : "  const dt_%s::reg e%d", suffix, k, k);
      ma_ctext_add(text, " = dt_%s::load(*(const dt_%s::mem *)r%s.at[%d]);\n", suffix, suffix, lanes ? "[j]" : "",
                   operand);
      continue;
    }
    ma_ctext_add(text, "  pack<dt_%s::mem, 4> c%d[J];\n", suffix, k);
    if (is_loaded_in_turn(v, k)) continue;
    if (v->way >= MA_COLUMNS_SHORT)
      ma_ctext_add(text, "  take_down<J>(c%d, r.at[%d] + (i8)from * p.step[%d], (int)p.step[%d], n);\n", k, operand,
                   operand, operand);
    else {
      ma_ctext_put(text, "  EACH_J ");
      print_load(text, program, v, k);
    }
  }
  for (int k = 0; k < program->narray; k++) {
    if (!(v->near >> k & 1) || !is_loaded(program, v, k, t) || is_loaded_in_turn(v, k)) continue;
    ma_ctext_add(text, "  EACH_J trade(c%d[j], room);\n", k);
  }
}

/* Prints the shared memory through which the lanes of a warp trade elements. */
static void print_room(ma_ctext *text, const ma_rows_variant *v) {
  int units = (v->way == MA_ROWS_LANES ? 160 * v->packs : 128) * v->room / 16;
  if (v->room)
    ma_ctext_add(text,
                 "  __shared__ uint4 rooms[%d];\n  char *const room = (char *)(rooms + (threadIdx.x >> 5) * %d);\n",
                 v->threads / 32 * units, units);
}

void ma_rows_print_body(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t) {
  const ma_program *p = &program->stage[t].body.program;
  for (int k = 0; k < p->noutput; k++)
    ma_ctext_add(text, "  dt_%s::reg o%d_%d[J][4];\n", ma_rows_suffix(p, p->output[k]), t, k);
  ma_ctext_put(text, "  EACH_J {\n");
  for (int k = 0; k < program->narray; k++) {
    if (!is_loaded(program, v, k, t) || !is_loaded_in_turn(v, k)) continue;
    ma_ctext_put(text, "    ");
    print_load(text, program, v, k);
    if (v->near >> k & 1) ma_ctext_add(text, "    trade(c%d[j], room);\n", k);
  }
  ma_ctext_put(text, "    EACH_I ");
  ma_rows_print_call(text, program, v, t, true);
  ma_ctext_put(text, "  }\n");
}

static void print_result(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  int t = program->nstage - 1, at = program->nfold, size = ma_dtypes[program->result].itemsize;
  const char *suffix = ma_cuda_suffix((ma_dtype)program->result);
  if (!ma_row_program_fills(program)) return;
  ma_ctext_add(text, "  pack<dt_%s::mem, 4> q[J];\n  EACH_J EACH_I q[j].v[i] = dt_%s::store(o%d_%d[j][i]);\n", suffix,
               suffix, t, program->stage[t].result);
  if (v->way >= MA_COLUMNS_SHORT)
    ma_ctext_add(text, "  put_down<J>(q, r.at[%d] + (i8)from * p.step[%d], (int)p.step[%d], here ? n : 0);\n", at, at,
                 at);
  else if (v->way == MA_ROWS_LANES) ma_lanes_print_result(text, program, v);
  else if (v->near_out) {
    ma_ctext_put(text, "  EACH_J put_near(q[j], ");
    print_near(text, at, size);
    ma_ctext_put(text, ", room);\n");
  } else {
    ma_ctext_add(text, "  EACH_J put<%d>(q[j], ", v->wide_out);
    print_own(text, v, v->wide_out, at, size);
  }
}

void ma_rows_print_end(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, const char *writer,
                       const char *to) {
  int t = program->nstage;
  const char *suffix = ma_cuda_suffix((ma_dtype)program->result);
  if (!program->ends) return;
  ma_rows_print_head(text, program, v, t);
  ma_ctext_add(text, "  if (%s) *(dt_%s::mem *)(%s) = dt_%s::store(h%d_0);\n", writer, suffix, to, suffix, t);
}

/* The thread that writes what is one for a row. */
static const char *writer_of(const ma_rows_variant *v) {
  return v->way == MA_ROWS_BLOCK ? "threadIdx.x == 0" : "lane == 0";
}

static void print_finish(ma_ctext *text, const ma_rows_variant *v, int k) {
  ma_ctext_add(text, "  const f%d::result::reg w%d = ", k, k);
  if (v->way == MA_ROWS_BLOCK)
    ma_ctext_add(text, "f%d::finish_row(part%d, blockDim.x >> 5, (int)p.span, (i8)p.count, p.param[%d]);\n", k, k, k);
  else ma_ctext_add(text, "f%d::finish(a%d, (i8)p.count, p.param[%d]);\n", k, k, k);
  if (ma_rows_is_written(v, k))
    ma_ctext_add(text, "  if (%s) *(f%d::result::mem *)r.at[%d] = f%d::result::store(w%d);\n", writer_of(v), k, k, k,
                 k);
}

/* Whether one of the stage's reductions takes long to finish. */
static bool finishes_slowly(const ma_row_program *program, int t) {
  for (int k = 0; k < program->nfold; k++)
    if (program->fold[k].stage == t && ma_fold_is_moments((ma_reduce_op)program->fold[k].op)) return true;
  return false;
}

/* Prints how a block's first warp finishes the stage's reductions and tells the others, which leave it the
** processor's time. */
static void print_told(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t) {
  for (int k = 0; k < program->nfold; k++)
    if (program->fold[k].stage == t) ma_ctext_add(text, "  __shared__ cell<f%d::result::mem> done%d;\n", k, k);
  ma_ctext_put(text, "  if (warp == 0) {\n");
  for (int k = 0; k < program->nfold; k++)
    if (program->fold[k].stage == t)
      ma_ctext_add(text,
                   "  const f%d::result::reg w%d = f%d::finish_row(part%d, blockDim.x >> 5, (int)p.span, (i8)p.count, "
                   "p.param[%d]);\n  if (lane == 0) done%d.t = f%d::result::store(w%d);\n",
                   k, k, k, k, k, k, k, k);
  for (int k = 0; k < program->nfold; k++)
    if (program->fold[k].stage == t && ma_rows_is_written(v, k))
      ma_ctext_add(text, "  if (lane == 0) *(f%d::result::mem *)r.at[%d] = f%d::result::store(w%d);\n", k, k, k, k);
  ma_ctext_put(text, "  }\n  __syncthreads();\n");
  for (int k = 0; k < program->nfold; k++)
    if (program->fold[k].stage == t)
      ma_ctext_add(text, "  const f%d::result::reg w%d = f%d::result::load(done%d.t);\n", k, k, k, k);
}

static void print_folds(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t) {
  bool block = v->way == MA_ROWS_BLOCK, last = t == program->nstage - 1 && !ma_row_program_fills(program), any = false;
  for (int k = 0; k < program->nfold; k++) {
    if (program->fold[k].stage != t) continue;
    if (block) ma_ctext_add(text, "  __shared__ cell<f%d::red_acc> part%d[%d];\n", k, k, v->threads / 32);
    ma_ctext_add(text, "  const f%d::red_acc a%d = f%d::chunk<WHOLE_ROWS, J, CERTAIN>(o%d_%d, first, n);\n", k, k, k, t,
                 program->fold[k].output);
    if (block) ma_ctext_add(text, "  if (lane == 0) part%d[warp].t = a%d;\n", k, k);
    any = true;
  }
  if (!any) return;
  if (block) ma_ctext_put(text, "  __syncthreads();\n");
  if (block && last) ma_ctext_put(text, "  if (warp) return;\n");
  else if (block && finishes_slowly(program, t)) {
    print_told(text, program, v, t);
    return;
  }
  for (int k = 0; k < program->nfold; k++)
    if (program->fold[k].stage == t) print_finish(text, v, k);
}

/* Prints `first`, the first element of a lane or a warp in its row, n, how many there are from it on, and r, the
** row. */
static void print_place(ma_ctext *text, ma_rows_way way) {
  if (way == MA_ROWS_LANES) ma_lanes_print_place(text);
  else if (way == MA_ROWS_WARP)
    ma_ctext_put(text, "  const u8 k = (u8)blockIdx.x * (blockDim.x >> 5) + warp;\n  if (k >= p.kept) return;\n"
                       "  const int first = 0, n = (int)p.count;\n  const row r = row_at(p, k);\n");
  else
    ma_ctext_put(text, "  const int first = warp * RED_CHUNK;\n"
                       "  const int n = (int)p.count - first < RED_CHUNK ? (int)p.count - first : RED_CHUNK;\n"
                       "  const row r = row_at(p, blockIdx.x);\n");
}

static void print_rows(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  bool down = v->way >= MA_COLUMNS_SHORT, lanes = v->way == MA_ROWS_LANES;
  ma_ctext_add(text, "MA_KERNEL __launch_bounds__(%d", v->threads);
  if (v->blocks) ma_ctext_add(text, ", %d", v->blocks);
  ma_ctext_add(text, ") %srows(const params p) {\n", v->cluster > 1 ? "__cluster_dims__(CLUSTER, 1, 1) " : "");
  ma_ctext_put(text, "  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;\n");
  if (down) ma_columns_print_place(text, v);
  else print_place(text, (ma_rows_way)v->way);
  if (!down) ma_ctext_put(text, "  constexpr bool whole = WHOLE_ROWS;\n");
  print_room(text, v);
  for (int t = 0; t < program->nstage; t++) {
    ma_rows_print_loads(text, program, v, t);
    (lanes ? ma_lanes_print_head : ma_rows_print_head)(text, program, v, t);
    ma_rows_print_body(text, program, v, t);
    (down ? ma_columns_print_folds : lanes ? ma_lanes_print_folds : print_folds)(text, program, v, t);
  }
  print_result(text, program, v);
  if (lanes) ma_lanes_print_end(text, program, v);
  else ma_rows_print_end(text, program, v, down ? ma_columns_writer(v) : writer_of(v), RESULT);
  ma_ctext_put(text, "}\n");
}

/* Prints what a warp does with a chunk of a span. */
static void print_chunk(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  ma_rows_print_loads(text, program, v, 0);
  ma_rows_print_body(text, program, v, 0);
  for (int k = 0; k < program->nfold; k++) {
    ma_ctext_add(text, "  const f%d::red_acc a%d = f%d::chunk_of<J, whole ? J : 0>(o0_%d, (i8)first, n);\n", k, k, k,
                 program->fold[k].output);
    ma_ctext_add(text, "  t%d = first == begin ? a%d : f%d::red_merge(t%d, a%d);\n", k, k, k, k, k);
  }
}

/* Prints the loop in which a warp folds span s of row r into t0, t1 ... Only the last chunk may lack elements. */
static void print_span(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  ma_ctext_put(text, "  const u8 begin = s * p.span * RED_CHUNK, behind = begin + p.span * RED_CHUNK;\n"
                     "  const u8 end = behind < p.count ? behind : p.count;\n  u8 first = begin;\n");
  for (int k = 0; k < program->nfold; k++) ma_ctext_add(text, "  f%d::red_acc t%d;\n", k, k);
  ma_ctext_put(text, "#pragma unroll 1\n  for (; first + RED_CHUNK <= end; first += RED_CHUNK) {\n"
                     "  constexpr int n = RED_CHUNK;\n  constexpr bool whole = true;\n");
  print_chunk(text, program, v);
  ma_ctext_put(text, "  }\n");
  if (v->whole) return;
  ma_ctext_put(text, "  if (first < end) {\n  const int n = (int)(end - first);\n  constexpr bool whole = false;\n");
  print_chunk(text, program, v);
  ma_ctext_put(text, "  }\n");
}

/* Prints the cells of a block's shared memory in which its spans meet. */
static void print_cells(ma_ctext *text, const ma_row_program *program, int n) {
  for (int k = 0; k < program->nfold; k++) ma_ctext_add(text, "  __shared__ cell<f%d::red_acc> part%d[%d];\n", k, k, n);
}

/* Prints the kernel in which a block folds a row, its warps the spans in turn. */
static void print_together(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  ma_ctext_put(text, "  const row r = row_at(p, blockIdx.x);\n");
  print_cells(text, program, 32);
  print_room(text, v);
  ma_rows_print_head(text, program, v, 0);
  ma_ctext_put(text, "#pragma unroll 1\n  for (u8 s = warp; s < p.nspan; s += blockDim.x >> 5) {\n");
  print_span(text, program, v);
  for (int k = 0; k < program->nfold; k++) ma_ctext_add(text, "  if (lane == 0) part%d[s].t = t%d;\n", k, k);
  ma_ctext_put(text, "  }\n  __syncthreads();\n  if (warp) return;\n");
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text,
                 "  const f%d::result::reg w%d = f%d::finish(f%d::warp_tree(part%d[lane].t, (int)p.nspan), "
                 "(i8)p.count, p.param[%d]);\n"
                 "  if (lane == 0) *(f%d::result::mem *)r.at[%d] = f%d::result::store(w%d);\n",
                 k, k, k, k, k, k, k, k, k, k);
  ma_rows_print_end(text, program, v, "lane == 0", RESULT);
}

/* Prints the kernel in which a warp folds a span of a row, and a block merges those of its warps if they are a
** group. */
static void print_apart(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  ma_ctext_put(text, "  u8 s, unit = (u8)blockIdx.x * (blockDim.x >> 5) + warp;\n"
                     "  const u8 k = split(unit, p.nspan, s);\n");
  if (v->group == 1) ma_ctext_put(text, "  if (k >= p.kept) return;\n");
  else {
    ma_ctext_put(text, "  if (k >= p.kept) s = p.nspan;\n");
    print_cells(text, program, v->group);
  }
  ma_ctext_put(text, "  const row r = row_at(p, k < p.kept ? k : 0);\n");
  print_room(text, v);
  ma_rows_print_head(text, program, v, 0);
  print_span(text, program, v);
  if (v->group > 1) {
    for (int k = 0; k < program->nfold; k++) ma_ctext_add(text, "  if (lane == 0) part%d[warp].t = t%d;\n", k, k);
    ma_ctext_put(text, "  __syncthreads();\n  if (warp) return;\n"
                       "  const int left = p.nspan - s < GROUP ? (int)(p.nspan - s) : GROUP;\n  unit /= GROUP;\n");
    for (int k = 0; k < program->nfold; k++)
      ma_ctext_add(text, "  t%d = f%d::warp_tree(part%d[lane %% GROUP].t, left);\n", k, k, k);
  }
  ma_ctext_put(text, "  if (lane) return;\n");
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text, "  ((f%d::red_acc *)p.partial[%d])[unit] = t%d;\n", k, k, k);
}

static void print_spans(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  ma_ctext_add(text, "MA_KERNEL __launch_bounds__(%d", v->threads);
  if (v->blocks) ma_ctext_add(text, ", %d", v->blocks);
  ma_ctext_put(text, ") rows(const params p) {\n  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;\n");
  (v->together ? print_together : print_apart)(text, program, v);
  ma_ctext_put(text, "}\n");
}

/* Prints the kernel that merges spans. */
static void print_merge(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  ma_ctext_put(text, "MA_KERNEL __launch_bounds__(1024) merge(const params p) {\n"
                     "  __shared__ uint4 room[(RED_SPANS / 32 + RED_SPANS / 1024 + 1) * 2];\n"
                     "  const row r = row_at(p, blockIdx.x);\n"
                     "  const u8 n = (p.nspan + GROUP - 1) / GROUP;\n");
  for (int k = 0; k < program->nfold; k++)
    ma_ctext_add(text,
                 "  f%d::finish_spans((const f%d::red_acc *)p.partial[%d] + blockIdx.x * n, (int)n, "
                 "(f%d::red_acc *)room, r.at[%d], (i8)p.count, p.param[%d]);\n  __syncthreads();\n",
                 k, k, k, k, k, k);
  for (int k = 0; k < program->nfold && program->ends; k++) /* the first thread wrote them */
    ma_ctext_add(text, "  const f%d::result::reg w%d = f%d::result::load(*(const f%d::result::mem *)r.at[%d]);\n", k, k,
                 k, k, k);
  ma_rows_print_end(text, program, v, "threadIdx.x == 0", RESULT);
  ma_ctext_put(text, "}\n");
}

/* How many of a lane's j groups of elements surely exist. A row of one chunk may lack some of its last 128 elements;
** other chunks may lack any. */
static int sure_of(const ma_rows_variant *v) {
  bool one = v->way == MA_ROWS_WARP || (v->way == MA_COLUMNS_CHUNKS && v->own * v->cluster == 1) ||
             (v->way == MA_COLUMNS_SPANS && v->j < 8);
  return one ? v->j - 1 : 0;
}

static void print(ma_ctext *text, const void *what) {
  const ma_rows_text *s = what;
  const ma_row_program *program = s->program;
  const ma_program *part[2 * MA_MAX_STAGES + 2];
  char name[2 * MA_MAX_STAGES + 2][8];
  int n = 0;
  for (int t = 0; t < program->nstage + program->ends; t++) {
    part[n] = &program->stage[t].head.program;
    memcpy(name[n], "head0", sizeof "head0");
    name[n++][4] = (char)('0' + t);
    part[n] = &program->stage[t].body.program;
    memcpy(name[n], "body0", sizeof "body0");
    name[n++][4] = (char)('0' + t);
  }
  ma_print_programs(text, n, part, (const char(*)[8])name);
  ma_ctext_add(text, "#define OPERANDS %d\n#define KEPT %d\n#define FOLDS %d\n#define J %d\n#define WHOLE_ROWS %d\n",
               program->space.noperand, s->v->nkept, program->nfold, s->v->j, s->v->whole);
  ma_ctext_add(text, "#define CERTAIN %d\n#define GROUP %d\n", sure_of(s->v), s->v->group);
  ma_ctext_put(text, "#define RED_POSITION int\n#define EACH_J _Pragma(\"unroll\") for (int j = 0; j < J; j++)\n"
                     "#define EACH_I _Pragma(\"unroll\") for (int i = 0; i < 4; i++)\n");
  ma_ctext_put(text, ma_embedded("reduce.h"));
  bool down = s->v->way >= MA_COLUMNS_SHORT, cross = s->v->way == MA_ROWS_CROSS;
  bool lanes = s->v->way == MA_ROWS_LANES;
  if (lanes)
    ma_ctext_add(text, "#define LANES %d\n#define PACKS %d\n#define FULL_LANES %d\n", s->v->lanes, s->v->packs,
                 s->v->all);
  if (down) ma_columns_print_sizes(text, s->v);
  else if (cross) ma_cross_print_sizes(text, s->v);
  else if (lanes) ma_ctext_put(text, "#define OWN_J (j % PACKS * 4)\n#define SURE_J WHOLE_ROWS\n");
  else ma_ctext_put(text, "#define OWN_J (j * 128 + lane * 4)\n#define SURE_J (whole || j < CERTAIN)\n");
  ma_ctext_put(text, ma_embedded("split.cuh"));
  ma_ctext_put(text, ma_embedded("rows.cuh"));
  if (down) ma_ctext_put(text, ma_embedded("columns.cuh"));
  if (cross) ma_ctext_put(text, ma_embedded("cross.cuh"));
  if (lanes) ma_ctext_put(text, ma_embedded("lanes.cuh"));
  for (int k = 0; k < program->nfold; k++) {
    const ma_row_fold *fold = &program->fold[k];
    ma_ctext_add(text, "namespace f%d {\n", k);
    ma_fold_print_monoid(text, (ma_reduce_op)fold->op, (ma_dtype)fold->value, (ma_dtype)fold->result, false);
    ma_ctext_put(text, ma_embedded("warp_tree.cuh"));
    ma_ctext_put(text, ma_embedded("rows_fold.cuh"));
    if (down) ma_ctext_put(text, ma_embedded("columns_fold.cuh"));
    if (cross) ma_ctext_put(text, ma_embedded("cross_fold.cuh"));
    if (lanes) ma_ctext_put(text, ma_embedded("lanes_fold.cuh"));
    ma_ctext_put(text, "}\n");
  }
  if (cross) ma_cross_print(text, program, s->v);
  else if (s->v->way == MA_ROWS_SPANS) print_spans(text, program, s->v);
  else if (s->v->way == MA_COLUMNS_SPANS) ma_columns_print_spans(text, program, s->v);
  else print_rows(text, program, s->v);
  if (ma_rows_has_spans(s->v)) print_merge(text, program, s->v);
}

const ma_cuda_family ma_rows_families[] = { { "rows", { "rows" }, print, NULL },
                                            { "rows", { "rows", "merge" }, print, NULL } };
