/*
** extreme.c: the extremes of rows, and their columns. Rows are cut into pieces of a few entries. The operation's loop
** runs over the first entries of many pieces, then over the second ones and so on. What the pieces of one row have is
** joined in their order, so that the first of equal elements counts.
*/
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <string.h>

#define PIECE TUNE_SPARSE_PIECE
#define PIECES TUNE_SPARSE_ABREAST

_Static_assert(PIECES % MA_LANE == 0, "loops run over whole lanes of pieces");

typedef struct pieces {
  _Alignas(MA_ALIGN) char x[PIECES * 16]; /* the extreme of each */
  _Alignas(MA_ALIGN) char y[PIECES * 16], z[PIECES * 16];
  int64_t begin[PIECES], at[PIECES]; /* the first entry, and that of the extreme */
  int count[PIECES], active[PIECES];
  bool ends[PIECES]; /* whether the row ends here */
  ma_loop *loop;
} pieces;

typedef void extreme_function(const ma_sparse_extreme *e, int64_t row, int64_t stop, pieces *p);

#define EACH "cpu/sparse/extreme_loops.h"
#include "cpu/sparse/each.h"

static extreme_function *const extreme_of[2][MA_NSPARSE_VALUE] = NAMES(extremes);

static ma_status extreme_range(void *context, int64_t first, int64_t last) {
  const ma_sparse_extreme *e = context;
  pieces p;
  memset(p.y, 0, sizeof p.y);
  memset(p.z, 0, sizeof p.z);
  p.loop = ma_cpu_loop(e->op, (ma_dtype)e->a.dtype);
  if (!p.loop) return ma_fail(MA_ERR_TYPE, "%s of %s", ma_ops[e->op].name, ma_dtypes[e->a.dtype].name);
  MA_SPARSE_LOOP(extreme_of, &e->a)(e, ma_cpu_sparse_row_at(&e->a, first), ma_cpu_sparse_row_at(&e->a, last), &p);
  return MA_OK;
}

static ma_status extreme_now(ma_stream *stream, const void *job) {
  const ma_sparse_extreme *e = job;
  MA_TRY(ma_cpu_sparse_check_rows(&e->a));
  return ma_cpu_sparse_by_rows(&e->a, TUNE_THREAD_ELEMENTS, extreme_range, (void *)e);
}

static int64_t extreme_bytes(const void *job) { return ma_cpu_sparse_bytes(&((const ma_sparse_extreme *)job)->a); }

MA_CPU_SLOT(ma_cpu_sparse_extreme, ma_sparse_extreme, .name = "sparse extreme", .run = extreme_now,
            .bytes = extreme_bytes)
