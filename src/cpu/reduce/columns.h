/* columns.h: the tree of a chunk for many neighbouring columns at once, whose leaves come in order. */
#ifndef MOONARRAY_CPU_COLUMNS_H
#define MOONARRAY_CPU_COLUMNS_H

#include "cpu/reduce/monoid.h"

#pragma GCC visibility push(hidden)

#define MA_COLUMN_LEVELS 8 /* of the tree in a chunk: 128 leaves, and the pairs above them */

typedef struct ma_columns {
  const ma_monoid *monoid;
  char *level[MA_COLUMN_LEVELS]; /* complete subtrees of 1, 2, 4 ... leaves */
  char *leaf, *total;            /* the next leaf, and the total of a chunk; the total of the chunks so far */
} ma_columns;

size_t ma_columns_bytes(const ma_monoid *monoid, int64_t n);
void ma_columns_place(ma_columns *c, const ma_monoid *monoid, char *memory, int64_t n);
/* Merges what is in c->leaf, the tree of 1 << level leaves of which the first is leaf l, with what it completes. */
void ma_columns_put(ma_columns *c, int l, int level, int n);
/* Leaves the total of a chunk of nleaf leaves in c->leaf. */
void ma_columns_end(ma_columns *c, int nleaf, int n);
/* Adds the total of a chunk in c->leaf to c->total. */
void ma_columns_add(ma_columns *c, bool first, int n);

#pragma GCC visibility pop
#endif
