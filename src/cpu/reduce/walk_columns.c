/* walk_columns.c: many neighbouring results of a reduction advance together. */
#include "cpu/reduce/walk.h"

#include <stdlib.h>
#include <string.h>

/* Addresses for reduced element r of the result at `data`. */
static inline void place_row(const ma_reduce_job *j, void *const *data, int64_t r, const void **row) {
  const ma_space *space = j->space;
  for (int o = 1; o < space->noperand; o++) row[o - 1] = data[o];
  for (int d = space->ndim - 1; d >= j->reduction->nkept && r > 0; d--) {
    int64_t extent = space->shape[d], i = d == j->reduction->nkept ? r : r % extent;
    r = d == j->reduction->nkept ? 0 : r / extent;
    for (int o = 1; o < space->noperand; o++) row[o - 1] = (const char *)row[o - 1] + i * space->stride[o][d];
  }
}

typedef struct columns { /* one for each thread */
  ma_reader reader;
  ma_columns tree;
  char *memory;
  char *row[RED_LEAF]; /* values of a leaf that cannot be read in place */
  uint8_t *mask[RED_LEAF];
} columns;

static ma_status open_columns(columns *c, const ma_reduce_job *j) {
  size_t n = ((size_t)j->ncolumn + 63) & ~(size_t)63, value = n * j->monoid->value,
         tree = ma_columns_bytes(j->monoid, j->ncolumn);
  MA_TRY(ma_reader_open(&c->reader, j));
  c->memory = aligned_alloc(MA_ALIGN, tree + RED_LEAF * (value + n));
  if (!c->memory) {
    ma_reader_close(&c->reader);
    return ma_fail(MA_ERR_MEMORY, "out of memory: blocks of columns");
  }
  char *at = c->memory;
  for (int k = 0; k < RED_LEAF; k++, at += value) c->row[k] = at;
  ma_columns_place(&c->tree, j->monoid, at, j->ncolumn);
  at += tree;
  for (int k = 0; k < RED_LEAF; k++, at += n) c->mask[k] = (uint8_t *)at;
  return MA_OK;
}

static void close_columns(columns *c) {
  free(c->memory);
  ma_reader_close(&c->reader);
}

/* The values of row r of n columns, and their mask; valid until the next row, or in `to` where they are computed. */
static inline void column_row(columns *c, void *const *data, int64_t r, int n, char *to, const void **out) {
  const ma_reduce_job *j = c->reader.j;
  const void *row[MA_MAX_OPERANDS];
  int64_t stride[MA_MAX_OPERANDS];
  place_row(j, data, r, row);
  if (j->in_place) {
    out[0] = row[0];
    return;
  }
  for (int o = 1; o < j->space->noperand; o++) stride[o - 1] = j->space->stride[o][j->reduction->nkept - 1];
  c->reader.block.where[j->plan.output[0]] = to; /* which matters if a step has this result */
  ma_block_row(&c->reader.block, row, stride, n, out);
  ma_reader_blank(&c->reader, out, n);
}

/* Folds the leaf at element r of n columns: rows r, r + 128 ... below `end`. */
static void column_leaf(columns *c, void *const *data, int64_t r, int64_t end, int n) {
  const ma_reduce_job *j = c->reader.j;
  const void *values[RED_LEAF] = { NULL };
  const uint8_t *mask[RED_LEAF] = { NULL };
  unsigned live = 0;
  for (int k = 0; k < RED_LEAF; k++, r += RED_LEAVES) {
    const void *out[MA_MAX_OUTPUTS];
    values[k] = values[0];
    mask[k] = mask[0];
    if (r >= end) continue;
    live |= 1u << k;
    column_row(c, data, r, n, c->row[k], out);
    values[k] = out[0];
    if (j->in_place) continue;
    if (out[0] != c->row[k]) memcpy(c->row[k], out[0], (size_t)n * j->monoid->value);
    values[k] = c->row[k];
    if (j->monoid->takes_mask) {
      memcpy(c->mask[k], out[1], (size_t)n);
      mask[k] = c->mask[k];
    }
  }
  j->monoid->column(c->tree.leaf, values, mask, live, n, r - RED_CHUNK);
}

/* Folds the tree of `count` leaves of one value each, from row r. */
static void column_singles(columns *c, void *const *data, int64_t r, int count, int n) {
  const ma_reduce_job *j = c->reader.j;
  const void *values[RED_LEAF] = { NULL };
  for (int k = 0; k < RED_LEAF; k++) {
    const void *out[MA_MAX_OUTPUTS];
    values[k] = values[0];
    if (k >= count) continue;
    column_row(c, data, r + k, n, c->row[k], out);
    values[k] = out[0];
    if (j->in_place || out[0] == c->row[k]) continue;
    values[k] = memcpy(c->row[k], out[0], (size_t)n * j->monoid->value);
  }
  j->monoid->singles(c->tree.leaf, values, count, n);
}

/* The level of the largest complete subtree of at most 8 leaves that begins at leaf l. */
static int subtree(int l, int nleaf) {
  int level = 0;
  while (level < 3 && !(l >> level & 1) && l + (2 << level) <= nleaf) level++;
  return level;
}

/* Takes leaves in order and merges complete pairs upwards. */
static void column_tree(columns *c, void *const *data, int64_t r, int64_t end, int n) {
  const ma_monoid *monoid = c->reader.j->monoid;
  int nleaf = end - r < RED_LEAVES ? (int)(end - r) : RED_LEAVES, level;
  for (int l = 0, step; l < nleaf; l += step) {
    level = monoid->singles && r + l + RED_LEAVES >= end ? subtree(l, nleaf) : 0;
    step = 1 << level;
    if (level) column_singles(c, data, r + l, step, n);
    else column_leaf(c, data, r + l, end, n);
    ma_columns_put(&c->tree, l, level, n);
  }
  ma_columns_end(&c->tree, nleaf, n);
}

/* Leaves the total of the chunk r .. end-1 in the tree's leaf. */
static void column_chunk(columns *c, void *const *data, int64_t r, int64_t end, int n) {
  const ma_monoid *monoid = c->reader.j->monoid;
  if (!monoid->follow) {
    column_tree(c, data, r, end, n);
    return;
  }
  for (int64_t first = r; r < end; r++) {
    const void *out[MA_MAX_OUTPUTS];
    int k = (int)((r - first) % RED_LEAVES);
    column_row(c, data, r, n, c->row[0], out);
    monoid->follow(c->tree.level[0], out[0], n, k);
    if (k == RED_LEAVES - 1 || r + 1 == end) monoid->settle(c->tree.leaf, c->tree.level[0], n, r - k, r - k == first);
  }
}

ma_status ma_reduce_columns(void *context, int64_t first, int64_t last) {
  const ma_reduce_job *j = context;
  const ma_monoid *monoid = j->monoid;
  size_t size = monoid->partial;
  columns c;
  MA_TRY(open_columns(&c, j));
  for (int64_t u = first; u < last; u++) {
    void *data[MA_MAX_OPERANDS];
    int64_t block = u / j->nspan, s = u % j->nspan, end = (s + 1) * j->span;
    int64_t column = block % j->nblock * j->ncolumn, k = block / j->nblock * j->run + column;
    int n = j->run - column < j->ncolumn ? (int)(j->run - column) : (int)j->ncolumn;
    if (end > j->reduction->count) end = j->reduction->count;
    ma_reduce_place(j, k, data);
    for (int64_t r = s * j->span; r < end; r += RED_CHUNK) {
      column_chunk(&c, data, r, end - r < RED_CHUNK ? end : r + RED_CHUNK, n);
      ma_columns_add(&c.tree, r == s * j->span, n);
    }
    if (j->partial)
      for (int i = 0; i < n; i++)
        memcpy(j->partial + (size_t)((k + i) * j->nspan + s) * size, c.tree.total + (size_t)i * size, size);
    else ma_reduce_put(j, data, c.tree.total, n);
  }
  close_columns(&c);
  return MA_OK;
}
