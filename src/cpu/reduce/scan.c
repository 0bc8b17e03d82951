/* scan.c: running totals on the CPU, along the scans' tree of kernels/reduce/reduce.h: along rows, down many
** neighbouring rows at once, or along one long row whose tiles are divided among threads. Then first the totals of the
** tiles before each cut are computed, so that every thread knows its start. */
#include "cpu/reduce/walk.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

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
  clear_level(p, p->base);
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

/* ==== Along a row ================================================================================================ */

typedef struct reading { /* where the elements of the rows at work are */
  ma_row_worker *w;
  const void *from[MA_MAX_INPUTS];
  int64_t across[MA_MAX_INPUTS], along[MA_MAX_INPUTS];
} reading;

static void begin(reading *s, ma_row_worker *w) {
  s->w = w;
  ma_row_aim(w, 0, true, s->from, s->across, s->along);
}

/* The values of n elements from element r on, `step` apart. */
static const void *read_values(const reading *s, const int64_t *step, int64_t r, int n) {
  const void *data[MA_MAX_INPUTS], *out[MA_MAX_OUTPUTS];
  for (int k = 0; k < s->w->j->body[0].program->ninput; k++) data[k] = (const char *)s->from[k] + r * s->along[k];
  ma_block_row(&s->w->body[0], data, step, n, out);
  return out[0];
}

/* Scans one tile. Without `write` it only computes the tile's total. */
static void scan_tile(const reading *s, int64_t r, const void *base, bool write, void *total) {
  const ma_row_job *j = s->w->j;
  const ma_monoid *monoid = j->fold[0].monoid;
  _Alignas(MA_ALIGN) char running[SCAN_SEGMENT * sizeof(ma_c128)], out[SCAN_SEGMENT * sizeof(ma_c128)];
  _Alignas(16) char segment[MA_MAX_PARTIAL];
  int64_t end = r + SCAN_TILE < j->count ? r + SCAN_TILE : j->count, step = j->space->stride[0][j->nkept];
  monoid->identity(total);
  while (r < end) {
    int n = end - r < MA_BLOCK ? (int)(end - r) : MA_BLOCK;
    const char *values = read_values(s, s->along, r, n);
    for (int i = 0, m; i < n; i += m) {
      m = n - i < SCAN_SEGMENT ? n - i : SCAN_SEGMENT;
      char *to = s->w->data[0] + (r + i) * step;
      bool direct = write && j->direct && (monoid->orderless || m == SCAN_SEGMENT);
      if (direct && monoid->orderless) m = n;
      monoid->segment(!write   ? NULL
                      : direct ? to
                               : running,
                      segment, values + (size_t)i * monoid->value, m, base, total);
      monoid->merge(total, total, segment, 1);
      if (write && !direct) {
        monoid->finish(out, running, m, &j->fold[0].finish);
        ma_block_store(to, step, out, j->fold[0].finish.result, m);
      }
    }
    r += n;
  }
}

/* Tiles from element r to element `end` of a row, behind those that the prefix has passed. */
static void scan_tiles(const reading *s, prefix *p, int64_t r, int64_t end) {
  _Alignas(16) char total[MA_MAX_PARTIAL];
  for (; r < end; r += SCAN_TILE) {
    scan_tile(s, r, p->base, true, total);
    if (r + SCAN_TILE < end) pass_tile(p, total);
  }
}

/* ==== One long row on several threads ============================================================================ */

typedef struct tiles {
  const ma_row_job *j;
  int64_t row, ntotal;
  char *totals;
} tiles;

static ma_status add_up(void *context, int64_t first, int64_t last) {
  tiles *t = context;
  ma_row_worker w;
  reading s;
  MA_TRY(ma_row_open(&w, t->j, true));
  ma_row_place(&w, t->row);
  begin(&s, &w);
  for (int64_t k = first; k < last; k++)
    scan_tile(&s, k * SCAN_TILE, NULL, false, t->totals + (size_t)k * t->j->fold[0].monoid->partial);
  ma_row_close(&w);
  return MA_OK;
}

static ma_status scan_part(void *context, int64_t first, int64_t last) {
  tiles *t = context;
  const ma_monoid *monoid = t->j->fold[0].monoid;
  _Alignas(16) char levels[4 * MA_MAX_PARTIAL], total[MA_MAX_PARTIAL];
  ma_row_worker w;
  reading s;
  prefix p;
  MA_TRY(ma_row_open(&w, t->j, true));
  ma_row_place(&w, t->row);
  begin(&s, &w);
  open_prefix(&p, monoid, levels, 1);
  for (int64_t k = 0; k < first; k++) {
    if (k >= t->ntotal) scan_tile(&s, k * SCAN_TILE, NULL, false, total); /* the work was cut elsewhere than expected */
    pass_tile(&p, k < t->ntotal ? t->totals + (size_t)k * monoid->partial : total);
  }
  scan_tiles(&s, &p, first * SCAN_TILE, last * SCAN_TILE < t->j->count ? last * SCAN_TILE : t->j->count);
  ma_row_close(&w);
  return MA_OK;
}

ma_status ma_row_scan_parts(ma_row_job *j, int64_t row) {
  int64_t ntile = (j->count + SCAN_TILE - 1) / SCAN_TILE, threads = ma_cpu_threads();
  if (threads > ntile / 4) threads = ntile / 4;
  tiles t = { j, row, ntile * (threads - 1) / threads, NULL }; /* totals up to the start of the last thread */
  t.totals = malloc((size_t)t.ntotal * j->fold[0].monoid->partial);
  if (!t.totals) return ma_fail(MA_ERR_MEMORY, "out of memory: totals of tiles");
  ma_status status = ma_cpu_parallel(t.ntotal, 1, add_up, &t);
  if (status == MA_OK) status = ma_cpu_parallel(ntile, (ntile + threads - 1) / threads, scan_part, &t);
  free(t.totals);
  return status;
}

/* ==== Down columns: neighbouring rows together =================================================================== */

enum { OWN, STRIPS, OCTETS, SEGMENTS, OFFSET, RUNNING, NLEVEL };

size_t ma_row_scan_bytes(const ma_row_job *j) {
  return (size_t)TUNE_SCAN_COLUMNS * ((NLEVEL + 4) * j->fold[0].monoid->partial + sizeof(ma_c128));
}

/* Scans where the order of merging does not matter and results lie beside each other: each row is merged with the row
** before. */
static void scan_direct(const reading *s, int n) {
  const ma_row_job *j = s->w->j;
  int64_t step = j->space->stride[0][j->nkept];
  for (int64_t r = 0; r < j->count; r++) {
    char *to = s->w->data[0] + r * step;
    const void *values = read_values(s, s->across, r, n);
    if (r) j->fold[0].monoid->merge(to, to - step, values, n);
    else if (to != values) memcpy(to, values, (size_t)n * j->fold[0].monoid->partial);
  }
}

static void scan_down(const reading *s, int n, char *memory) {
  const ma_row_job *j = s->w->j;
  const ma_monoid *monoid = j->fold[0].monoid;
  static const uint8_t *const no_mask[RED_LEAF];
  const int64_t *step = j->space->stride[0];
  size_t size = (size_t)TUNE_SCAN_COLUMNS * monoid->partial;
  char *level[NLEVEL], *out = memory + (NLEVEL + 4) * size;
  prefix p;
  for (int k = 0; k < NLEVEL; k++) level[k] = memory + (size_t)k * size;
  open_prefix(&p, monoid, memory + NLEVEL * size, n);
  for (int64_t r = 0; r < j->count; r++) {
    bool begins = r % SCAN_STRIP == 0;
    if (r % SCAN_TILE == 0) clear_level(&p, level[SEGMENTS]);
    if (r % SCAN_SEGMENT == 0) clear_level(&p, level[OCTETS]);
    if (r % SCAN_OCTET == 0) clear_level(&p, level[STRIPS]);
    if (begins) {
      monoid->merge(level[OFFSET], level[OCTETS], level[STRIPS], n);
      monoid->merge(level[OFFSET], level[SEGMENTS], level[OFFSET], n);
      monoid->merge(level[OFFSET], p.base, level[OFFSET], n);
    }
    const void *x = read_values(s, s->across, r, n), *values[RED_LEAF] = { x, x, x, x, x, x, x, x };
    monoid->column(begins ? level[OWN] : level[RUNNING], values, no_mask, 1, n, 0);
    if (!begins) monoid->merge(level[OWN], level[OWN], level[RUNNING], n);
    monoid->merge(level[RUNNING], level[OFFSET], level[OWN], n);
    monoid->finish(out, level[RUNNING], n, &j->fold[0].finish);
    ma_block_store(s->w->data[0] + r * step[j->nkept], step[j->nkept - 1], out, j->fold[0].finish.result, n);
    if ((r + 1) % SCAN_STRIP == 0) monoid->merge(level[STRIPS], level[STRIPS], level[OWN], n);
    if ((r + 1) % SCAN_OCTET == 0) monoid->merge(level[OCTETS], level[OCTETS], level[STRIPS], n);
    if ((r + 1) % SCAN_SEGMENT == 0) monoid->merge(level[SEGMENTS], level[SEGMENTS], level[OCTETS], n);
    if ((r + 1) % SCAN_TILE == 0) pass_tile(&p, level[SEGMENTS]);
  }
}

void ma_row_scan(ma_row_worker *w, int n) {
  const ma_row_job *j = w->j;
  reading s;
  begin(&s, w);
  if (j->down && j->direct && j->fold[0].monoid->orderless) scan_direct(&s, n);
  else if (j->down) scan_down(&s, n, w->room);
  for (int i = 0; i < n && !j->down; i++) {
    _Alignas(16) char levels[4 * MA_MAX_PARTIAL];
    prefix p;
    open_prefix(&p, j->fold[0].monoid, levels, 1);
    scan_tiles(&s, &p, 0, j->count);
    w->data[0] += j->space->stride[0][j->nkept - 1];
    for (int k = 0; k < j->body[0].program->ninput; k++) s.from[k] = (const char *)s.from[k] + s.across[k];
  }
}
