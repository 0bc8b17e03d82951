/* columns.c: see columns.h. */
#include "cpu/reduce/columns.h"

static size_t partials(const ma_monoid *monoid, int64_t n) {
  return (((size_t)n + 63) & ~(size_t)63) * monoid->partial;
}

size_t ma_columns_bytes(const ma_monoid *monoid, int64_t n) { return (MA_COLUMN_LEVELS + 2) * partials(monoid, n); }

void ma_columns_place(ma_columns *c, const ma_monoid *monoid, char *memory, int64_t n) {
  size_t size = partials(monoid, n);
  c->monoid = monoid;
  for (int k = 0; k < MA_COLUMN_LEVELS; k++) c->level[k] = memory + (size_t)k * size;
  c->leaf = memory + MA_COLUMN_LEVELS * size;
  c->total = c->leaf + size;
}

static void swap(char **a, char **b) {
  char *x = *a;
  *a = *b;
  *b = x;
}

void ma_columns_put(ma_columns *c, int l, int level, int n) {
  for (; l >> level & 1; level++) c->monoid->join(c->leaf, c->level[level], c->leaf, n);
  swap(&c->leaf, &c->level[level]);
}

void ma_columns_end(ma_columns *c, int nleaf, int n) {
  bool any = false;
  for (int level = 0; level < MA_COLUMN_LEVELS; level++) {
    if (!(nleaf >> level & 1)) continue;
    if (any) c->monoid->join(c->leaf, c->level[level], c->leaf, n);
    else swap(&c->leaf, &c->level[level]);
    any = true;
  }
  if (!c->monoid->unfold) return;
  c->monoid->unfold(c->level[0], c->leaf, n);
  swap(&c->leaf, &c->level[0]);
}

void ma_columns_add(ma_columns *c, bool first, int n) {
  if (first) swap(&c->total, &c->leaf);
  else c->monoid->merge(c->total, c->total, c->leaf, n);
}
