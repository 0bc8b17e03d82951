/* scan.c: running totals on the CPU, along the scans' tree of kernels/reduce/reduce.h. A long row is cut among
** threads. First the totals of the tiles before each cut are computed, so that every thread knows its start. */
#include "base/inject.h"
#include "cpu/reduce/monoid.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS 256

typedef struct job {
  const ma_scan *scan;
  const ma_monoid *monoid;
  ma_finish finish;
  ma_plan plan;
  int64_t n, rows;            /* elements in a row; rows */
  bool direct;                /* running totals are written where the results are */
  int64_t run, nblock;        /* by columns: extent of the last kept axis, its blocks */
  void *row[MA_MAX_OPERANDS]; /* of one long row: its addresses */
  char *totals;               /* totals of its tiles */
  int64_t ntotal;             /* number of totals */
} job;

static void place(const ma_scan *scan, int64_t k, void **data) {
  const ma_space *space = &scan->space;
  for (int o = 0; o < space->noperand; o++) data[o] = scan->data[o];
  for (int d = space->ndim - 2; d >= 0 && k > 0; d--) {
    int64_t i = k % space->shape[d];
    k /= space->shape[d];
    for (int o = 0; o < space->noperand; o++) data[o] = (char *)data[o] + i * space->stride[o][d];
  }
}

/* ==== The fold before a tile ====================================================================================== */

/* A partial result for each level of the tree, n of them, one for each column. */
typedef struct prefix {
  const ma_monoid *monoid;
  char *group, *super, *tile, *base; /* base = group + (super + tile) */
  int64_t ntile;
  int n;
} prefix;

static void clear_level(const prefix *p, char *level) {
  for (int i = 0; i < p->n; i++) p->monoid->identity(level + (size_t)i * p->monoid->partial);
}

static void set_base(prefix *p) {
  p->monoid->merge(p->base, p->super, p->tile, p->n);
  p->monoid->merge(p->base, p->group, p->base, p->n);
}

static void open_prefix(prefix *p, const ma_monoid *monoid, char *memory, int n) {
  size_t size = (size_t)n * monoid->partial;
  *p = (prefix){ monoid, memory, memory + size, memory + 2 * size, memory + 3 * size, 0, n };
  clear_level(p, p->group);
  clear_level(p, p->super);
  clear_level(p, p->tile);
  set_base(p);
}

static void pass_tile(prefix *p, const void *total) {
  const ma_monoid *monoid = p->monoid;
  p->ntile++;
  monoid->merge(p->tile, p->tile, total, p->n);
  if (p->ntile % SCAN_RADIX == 0) {
    monoid->merge(p->super, p->super, p->tile, p->n);
    clear_level(p, p->tile);
  }
  if (p->ntile % (SCAN_RADIX * SCAN_RADIX) == 0) {
    monoid->merge(p->group, p->group, p->super, p->n);
    clear_level(p, p->super);
  }
  set_base(p);
}

/* ==== Rows ======================================================================================================= */

/* Reads elements r .. r+n-1 of the row at `data`. n is at most MA_BLOCK. */
static const void *read_values(const job *j, ma_block *block, void *const *data, int64_t r, int n) {
  const ma_space *space = &j->scan->space;
  const void *from[MA_MAX_OPERANDS], *out[MA_MAX_OUTPUTS];
  int64_t stride[MA_MAX_OPERANDS];
  for (int o = 1; o < space->noperand; o++) {
    stride[o - 1] = space->stride[o][space->ndim - 1];
    from[o - 1] = (const char *)data[o] + r * stride[o - 1];
  }
  ma_block_row(block, from, stride, n, out);
  return out[0];
}

/* Scans one tile. Without `write` it only computes the tile's total. */
static void scan_tile(const job *j, ma_block *block, void *const *data, int64_t r, const void *base, bool write,
                      void *total) {
  const ma_monoid *monoid = j->monoid;
  _Alignas(MA_ALIGN) char running[SCAN_SEGMENT * sizeof(ma_c128)], out[SCAN_SEGMENT * sizeof(ma_c128)];
  char segment[MA_MAX_PARTIAL];
  int64_t end = r + SCAN_TILE < j->n ? r + SCAN_TILE : j->n, step = j->scan->space.stride[0][j->scan->space.ndim - 1];
  monoid->identity(total);
  while (r < end) {
    int n = end - r < MA_BLOCK ? (int)(end - r) : MA_BLOCK;
    const char *values = read_values(j, block, data, r, n);
    for (int i = 0, m; i < n; i += m) {
      m = n - i < SCAN_SEGMENT ? n - i : SCAN_SEGMENT;
      char *to = (char *)data[0] + (r + i) * step;
      bool direct = write && j->direct && (monoid->orderless || m == SCAN_SEGMENT);
      if (direct && monoid->orderless) m = n;
      monoid->segment(direct  ? to
                      : write ? running
                              : NULL,
                      segment, values + (size_t)i * monoid->value, m, base, total);
      monoid->merge(total, total, segment, 1);
      if (write && !direct) {
        monoid->finish(out, running, m, &j->finish);
        ma_block_store(to, step, out, j->scan->result, m);
      }
    }
    r += n;
  }
}

static ma_status scan_rows(void *context, int64_t first, int64_t last) {
  const job *j = context;
  ma_block block;
  MA_TRY(ma_block_open(&block, &j->plan));
  for (int64_t k = first; k < last; k++) {
    void *data[MA_MAX_OPERANDS];
    char levels[4 * MA_MAX_PARTIAL], total[MA_MAX_PARTIAL];
    prefix p;
    place(j->scan, k, data);
    open_prefix(&p, j->monoid, levels, 1);
    for (int64_t r = 0; r < j->n; r += SCAN_TILE) {
      scan_tile(j, &block, data, r, p.base, true, total);
      pass_tile(&p, total);
    }
  }
  ma_block_close(&block);
  return MA_OK;
}

/* ==== One long row on several threads ============================================================================ */

static ma_status add_up_tiles(void *context, int64_t first, int64_t last) {
  job *j = context;
  ma_block block;
  MA_TRY(ma_block_open(&block, &j->plan));
  for (int64_t t = first; t < last; t++)
    scan_tile(j, &block, j->row, t * SCAN_TILE, NULL, false, j->totals + (size_t)t * j->monoid->partial);
  ma_block_close(&block);
  return MA_OK;
}

static ma_status scan_tiles(void *context, int64_t first, int64_t last) {
  job *j = context;
  ma_block block;
  char levels[4 * MA_MAX_PARTIAL], total[MA_MAX_PARTIAL];
  prefix p;
  MA_TRY(ma_block_open(&block, &j->plan));
  open_prefix(&p, j->monoid, levels, 1);
  for (int64_t t = 0; t < first; t++) {
    const void *known = j->totals + (size_t)t * j->monoid->partial;
    if (t >= j->ntotal) { /* the work was cut in another place than was expected */
      scan_tile(j, &block, j->row, t * SCAN_TILE, NULL, false, total);
      known = total;
    }
    pass_tile(&p, known);
  }
  for (int64_t t = first; t < last; t++) {
    scan_tile(j, &block, j->row, t * SCAN_TILE, p.base, true, total);
    pass_tile(&p, total);
  }
  ma_block_close(&block);
  return MA_OK;
}

static ma_status scan_long_row(job *j, int64_t k) {
  int64_t ntile = (j->n + SCAN_TILE - 1) / SCAN_TILE, threads = ma_cpu_threads();
  if (threads > ntile / 4) threads = ntile / 4;
  place(j->scan, k, j->row);
  j->ntotal = ntile * (threads - 1) / threads; /* the start of the last thread */
  j->totals = malloc((size_t)j->ntotal * j->monoid->partial);
  if (!j->totals) return ma_fail(MA_ERR_MEMORY, "out of memory: totals of tiles");
  ma_status status = ma_cpu_parallel(j->ntotal, 1, add_up_tiles, j);
  if (status == MA_OK) status = ma_cpu_parallel(ntile, (ntile + threads - 1) / threads, scan_tiles, j);
  free(j->totals);
  return status;
}

/* ==== Columns: neighbouring rows together ========================================================================= */

enum { OWN, STRIPS, OCTETS, SEGMENTS, OFFSET, RUNNING, NLEVEL };

/* Scans where the order of merging does not matter and results lie beside each other: each row is merged with the row
** before. */
static void scan_direct(const job *j, ma_block *block, void *const *data, int n) {
  const ma_space *space = &j->scan->space;
  const void *row[MA_MAX_OPERANDS], *values[MA_MAX_OUTPUTS];
  int64_t stride[MA_MAX_OPERANDS], step = space->stride[0][space->ndim - 1];
  for (int o = 1; o < space->noperand; o++) stride[o - 1] = space->stride[o][space->ndim - 2];
  for (int64_t r = 0; r < j->n; r++) {
    char *to = (char *)data[0] + r * step;
    for (int o = 1; o < space->noperand; o++)
      row[o - 1] = (const char *)data[o] + r * space->stride[o][space->ndim - 1];
    ma_block_row(block, row, stride, n, values);
    if (r) j->monoid->merge(to, to - step, values[0], n);
    else if (to != values[0]) memcpy(to, values[0], (size_t)n * j->monoid->partial);
  }
}

static void scan_block(const job *j, ma_block *block, void *const *data, int n, char *memory) {
  const ma_monoid *monoid = j->monoid;
  const ma_space *space = &j->scan->space;
  static const uint8_t *const no_mask[RED_LEAF];
  size_t size = (size_t)COLUMNS * monoid->partial;
  char *level[NLEVEL], *out = memory + (NLEVEL + 4) * size;
  const void *row[MA_MAX_OPERANDS], *values[MA_MAX_OUTPUTS], *rows[RED_LEAF];
  int64_t stride[MA_MAX_OPERANDS], side = space->stride[0][space->ndim - 2];
  prefix p;
  for (int k = 0; k < NLEVEL; k++) level[k] = memory + (size_t)k * size;
  open_prefix(&p, monoid, memory + NLEVEL * size, n);
  for (int o = 1; o < space->noperand; o++) stride[o - 1] = space->stride[o][space->ndim - 2];
  for (int64_t r = 0; r < j->n; r++) {
    bool begins = r % SCAN_STRIP == 0;
    if (r % SCAN_TILE == 0) clear_level(&p, level[SEGMENTS]);
    if (r % SCAN_SEGMENT == 0) clear_level(&p, level[OCTETS]);
    if (r % SCAN_OCTET == 0) clear_level(&p, level[STRIPS]);
    if (begins) {
      monoid->merge(level[OFFSET], level[OCTETS], level[STRIPS], n);
      monoid->merge(level[OFFSET], level[SEGMENTS], level[OFFSET], n);
      monoid->merge(level[OFFSET], p.base, level[OFFSET], n);
    }
    for (int o = 1; o < space->noperand; o++)
      row[o - 1] = (const char *)data[o] + r * space->stride[o][space->ndim - 1];
    ma_block_row(block, row, stride, n, values);
    for (int k = 0; k < RED_LEAF; k++) rows[k] = values[0];
    monoid->column(begins ? level[OWN] : level[RUNNING], rows, no_mask, 1, n, 0);
    if (!begins) monoid->merge(level[OWN], level[OWN], level[RUNNING], n);
    monoid->merge(level[RUNNING], level[OFFSET], level[OWN], n);
    monoid->finish(out, level[RUNNING], n, &j->finish);
    ma_block_store((char *)data[0] + r * space->stride[0][space->ndim - 1], side, out, j->scan->result, n);
    if ((r + 1) % SCAN_STRIP == 0) monoid->merge(level[STRIPS], level[STRIPS], level[OWN], n);
    if ((r + 1) % SCAN_OCTET == 0) monoid->merge(level[OCTETS], level[OCTETS], level[STRIPS], n);
    if ((r + 1) % SCAN_SEGMENT == 0) monoid->merge(level[SEGMENTS], level[SEGMENTS], level[OCTETS], n);
    if ((r + 1) % SCAN_TILE == 0) pass_tile(&p, level[SEGMENTS]);
  }
}

static ma_status scan_columns(void *context, int64_t first, int64_t last) {
  const job *j = context;
  ma_block block;
  MA_TRY(ma_block_open(&block, &j->plan));
  char *memory = aligned_alloc(MA_ALIGN, COLUMNS * ((NLEVEL + 4) * (size_t)j->monoid->partial + sizeof(ma_c128)));
  if (!memory) {
    ma_block_close(&block);
    return ma_fail(MA_ERR_MEMORY, "out of memory: blocks of columns");
  }
  for (int64_t u = first; u < last; u++) {
    void *data[MA_MAX_OPERANDS];
    int64_t column = u % j->nblock * COLUMNS;
    place(j->scan, u / j->nblock * j->run + column, data);
    if (j->direct && j->monoid->orderless)
      scan_direct(j, &block, data, j->run - column < COLUMNS ? (int)(j->run - column) : COLUMNS);
    else scan_block(j, &block, data, j->run - column < COLUMNS ? (int)(j->run - column) : COLUMNS, memory);
  }
  free(memory);
  ma_block_close(&block);
  return MA_OK;
}

/* Whether running totals along a row, or of neighbouring rows, are the results and lie beside each other. */
static bool writes_directly(const job *j, int axis) {
  const ma_space *space = &j->scan->space;
  int size = ma_dtypes[j->scan->result].itemsize;
  uintptr_t places = (uintptr_t)j->scan->data[0];
  for (int d = 0; d < space->ndim; d++) places |= (uintptr_t)space->stride[0][d];
  return j->monoid->plain && !ma_cpu_store(j->scan->result) && size == j->monoid->partial &&
         space->stride[0][axis] == size && places % (uintptr_t)(size < 8 ? size : 8) == 0;
}

ma_status ma_cpu_scan(ma_stream *stream, const ma_scan *scan) {
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a scan"));
  job j;
  const ma_space *space = &scan->space;
  ma_dtype dtype = ma_program_dtype(scan->program, scan->program->output[0]);
  int last = space->ndim - 1;
  j.scan = scan;
  j.monoid = ma_cpu_monoid(scan->op, dtype, false);
  j.finish = (ma_finish){ .count = 1, .result = scan->result };
  j.n = space->shape[last];
  j.rows = 1;
  for (int d = 0; d < last; d++) j.rows *= space->shape[d];
  MA_TRY(ma_plan_init(&j.plan, scan->program, scan->scalar));
  j.run = space->shape[last - 1];
  if (j.run >= 16 && (j.n < 64 || ma_magnitude(space->stride[0][last - 1]) < ma_magnitude(space->stride[0][last]))) {
    j.nblock = (j.run + COLUMNS - 1) / COLUMNS;
    j.direct = writes_directly(&j, last - 1);
    return ma_cpu_parallel(j.rows / j.run * j.nblock, 32768 / (j.n * COLUMNS) + 1, scan_columns, &j);
  }
  j.direct = writes_directly(&j, last);
  if (j.n < 16 * SCAN_TILE || j.rows >= ma_cpu_threads())
    return ma_cpu_parallel(j.rows, 32768 / j.n + 1, scan_rows, &j);
  for (int64_t k = 0; k < j.rows; k++) MA_TRY(scan_long_row(&j, k));
  return MA_OK;
}
