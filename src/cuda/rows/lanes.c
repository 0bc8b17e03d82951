/* lanes.c: prints what differs where a warp has several short rows (rows_text.c). */
#include "cuda/rows/rows.h"

/* Prints the place of a thread: `seat` is its place among the lanes of a row, n counts its elements, and `first` is the
** first one, or that of the row where it has none. r has its rows, and z those that it finishes if `mine` says so. */
void ma_lanes_print_place(ma_ctext *text) {
  ma_ctext_put(text, "  const u8 row0 = ((u8)blockIdx.x * (blockDim.x >> 5) + warp) * (DEEP * HIGH);\n"
                     "  if (row0 >= p.kept) return;\n"
                     "  const int high = p.kept - row0 < DEEP * HIGH ? (int)(p.kept - row0) : DEEP * HIGH;\n"
                     "  const int count = (int)p.count, own = lane / LANES, seat = lane % LANES;\n"
                     "  const int n = count - seat * SEAT, first = FULL_LANES || n > 0 ? seat * SEAT : 0;\n"
                     "  row r[DEEP], z[MINE];\n  bool mine[MINE];\n"
                     "  EACH_ROW r[j] = warp_row(p, row0, j * HIGH + own, high);\n"
                     "  EACH_MINE {\n    const int at = (k * LANES + seat) * HIGH + own;\n"
                     "    mine[k] = (DEEP >= LANES || seat < DEEP) && at < high;\n"
                     "    z[k] = warp_row(p, row0, mine[k] ? at : 0, high);\n  }\n");
}

/* Prints the head of stage t: a lane computes it for its rows. A body reads it from the lane that did. */
void ma_lanes_print_head(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t) {
  const ma_program *p = &program->stage[t].head.program;
  if (!p->noutput) return;
  for (int k = 0; k < p->noutput; k++)
    ma_ctext_add(text, "  dt_%s::reg y%d_%d[MINE];\n", ma_rows_suffix(p, p->output[k]), t, k);
  ma_ctext_put(text, "  EACH_MINE {\n");
  ma_rows_print_places_of_head(text, p, t);
  ma_rows_print_call(text, program, v, t, false);
  ma_ctext_put(text, "  }\n");
  for (int k = 0; k < p->noutput && t < program->nstage; k++)
    ma_ctext_add(text, "  dt_%s::reg h%d_%d[DEEP];\n  EACH_ROW h%d_%d[j] = told(y%d_%d, j);\n",
                 ma_rows_suffix(p, p->output[k]), t, k, t, k, t, k);
}

/* Whether the body of a stage reads the result of reduction k. */
static bool is_told(const ma_row_program *program, int k) {
  for (int t = 0; t < program->nstage; t++)
    for (int i = 0; i < program->stage[t].body.program.ninput; i++) {
      const ma_row_source *from = &program->stage[t].body.from[i];
      if (from->kind == MA_FROM_FOLD && from->index == k) return true;
    }
  return false;
}

void ma_lanes_print_folds(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t) {
  for (int k = 0; k < program->nfold; k++)
    if (program->fold[k].stage == t)
      ma_ctext_add(text,
                   "  f%d::red_acc a%d[DEEP];\n  EACH_ROW a%d[j] = f%d::own(o%d_%d[j * PACKS], seat * SEAT, n);\n"
                   "  f%d::rows_tree(a%d, seat, count);\n",
                   k, k, k, k, t, program->fold[k].output, k, k);
  for (int k = 0; k < program->nfold; k++) {
    if (program->fold[k].stage != t) continue;
    ma_ctext_add(text,
                 "  f%d::result::reg w%d[MINE];\n  EACH_MINE {\n"
                 "    const f%d::result::mem m = f%d::rounded(a%d[k], (i8)p.count, p.param[%d]);\n"
                 "    w%d[k] = f%d::result::load(m);\n",
                 k, k, k, k, k, k, k, k);
    if (ma_rows_is_written(v, k)) ma_ctext_add(text, "    if (mine[k]) *(f%d::result::mem *)z[k].at[%d] = m;\n", k, k);
    ma_ctext_put(text, "  }\n");
    if (is_told(program, k))
      ma_ctext_add(text, "  f%d::result::reg v%d[DEEP];\n  EACH_ROW v%d[j] = told(w%d, j);\n", k, k, k, k);
  }
}

/* Prints how results of all elements, which are in q, are written. */
void ma_lanes_print_result(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  int at = program->nfold, size = ma_dtypes[program->result].itemsize;
  ma_ctext_put(text, "  EACH_ROW {\n    const int left = j * HIGH + own < high ? n : 0;\n");
  if (v->near_out)
    ma_ctext_add(text,
                 "    const int tall = high - j * HIGH < HIGH ? high - j * HIGH : HIGH;\n"
                 "    put_rows(q + j * PACKS, p.at[%d] + (i8)(row0 + j * HIGH) * p.stride[%d][0], tall * count, room, "
                 "own * count + seat * SEAT, left);\n",
                 at, at);
  else {
    ma_ctext_add(text, "    put_own<%d>(q + j * PACKS, r[j].at[%d] + (i8)first * ", v->wide_out, at);
    if (v->wide_out) ma_ctext_add(text, "%d, %d, left);\n", size, size);
    else ma_ctext_add(text, "p.step[%d], p.step[%d], left);\n", at, at);
  }
  ma_ctext_put(text, "  }\n");
}

/* Prints how a result that is one number for each row is written. */
void ma_lanes_print_end(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v) {
  const char *suffix = ma_cuda_suffix((ma_dtype)program->result);
  if (!program->ends) return;
  ma_lanes_print_head(text, program, v, program->nstage);
  ma_ctext_add(text, "  EACH_MINE if (mine[k]) *(dt_%s::mem *)(z[k].at[FOLDS]) = dt_%s::store(y%d_0[k]);\n", suffix,
               suffix, program->nstage);
}
