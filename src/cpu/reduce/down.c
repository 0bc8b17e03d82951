/* down.c: rows walked down their columns: many neighbouring rows advance together, an element of each at a time. */
#include "cpu/reduce/walk.h"

#include <string.h>

/* ==== The tree of a chunk ======================================================================================== */

static size_t partials(const ma_monoid *monoid, int64_t n) {
  return (((size_t)n + 63) & ~(size_t)63) * monoid->partial;
}

size_t ma_columns_bytes(const ma_monoid *monoid, int64_t n) { return (MA_COLUMN_LEVELS + 2) * partials(monoid, n); }

void ma_columns_place(ma_columns *c, const ma_monoid *monoid, char *memory, int64_t n) {
  size_t size = partials(monoid, n);
  for (int k = 0; k < MA_COLUMN_LEVELS; k++, memory += size) c->level[k] = memory;
  c->leaf = memory;
  c->total = memory + size;
}

static void swap(char **a, char **b) {
  char *x = *a;
  *a = *b;
  *b = x;
}

/* Merges c->leaf into the tree. It is the subtree of 1 << level leaves that begins with leaf l. Subtrees that it
** completes are merged too. */
static void put_leaf(ma_columns *c, const ma_monoid *monoid, int l, int level, int n) {
  for (; l >> level & 1; level++) monoid->join(c->leaf, c->level[level], c->leaf, n);
  swap(&c->leaf, &c->level[level]);
}

/* Leaves the total of a chunk of nleaf leaves in c->leaf. */
static void end_chunk(ma_columns *c, const ma_monoid *monoid, int nleaf, int n) {
  bool any = false;
  for (int level = 0; level < MA_COLUMN_LEVELS; level++) {
    if (!(nleaf >> level & 1)) continue;
    if (any) monoid->join(c->leaf, c->level[level], c->leaf, n);
    else swap(&c->leaf, &c->level[level]);
    any = true;
  }
  if (!monoid->unfold) return;
  monoid->unfold(c->level[0], c->leaf, n);
  swap(&c->leaf, &c->level[0]);
}

/* ==== A row of values, one of each column ======================================================================== */

typedef struct descent { /* of a stage: element 0 of the rows in work, and the steps to other elements */
  int stage, ninput, ntarget, nfold;
  const void *from[MA_MAX_INPUTS];
  int64_t across[MA_MAX_INPUTS], along[MA_MAX_INPUTS];
  ma_row_target to[MA_MAX_HELD + 1];
  bool in_place[MA_MAX_HELD + 1]; /* the step of this output may write there */
  int fold[MA_MAX_FOLDS];
  bool past; /* memory goes on behind these rows, so all but the last can be read in whole lanes */
} descent;

static void begin_descent(ma_row_worker *w, int t, int n, descent *d) {
  const ma_row_job *j = w->j;
  const ma_program *program = j->body[t].program;
  d->stage = t;
  d->ninput = program->ninput;
  ma_row_aim(w, t, true, d->from, d->across, d->along);
  d->ntarget = ma_row_targets(w, t, d->to);
  for (int k = 0; k < d->ntarget; k++) {
    int size = ma_dtypes[ma_program_dtype(program, program->output[d->to[k].output])].itemsize;
    bool aligned = d->to[k].along % (size < 8 ? size : 8) == 0;
    d->in_place[k] = ma_row_redirect(w, t, &d->to[k], d->to[k].to, aligned ? d->to[k].across : 0, n);
  }
  d->past = j->space->ndim == j->nkept + 1;
  for (int k = 0; k < d->ninput; k++) {
    int64_t size = ma_dtypes[program->input_dtype[k]].itemsize;
    bool own = j->program && j->program->stage[t].body.from[k].kind != MA_FROM_INPUT;
    d->past &= d->across[k] == size && (own || d->along[k] >= MA_LANE * size);
  }
  d->nfold = 0;
  for (int k = 0; k < j->nfold; k++)
    if (j->fold[k].stage == t) d->fold[d->nfold++] = k;
}

/* Sets the addresses of element r. */
static inline void step_to(const ma_row_worker *w, const descent *d, int64_t r, const void **data) {
  const ma_row_job *j = w->j;
  const ma_space *space = j->space;
  if (space->ndim == j->nkept + 1) {
    for (int k = 0; k < d->ninput; k++) data[k] = (const char *)d->from[k] + r * d->along[k];
    return;
  }
  for (int k = 0; k < d->ninput; k++) data[k] = d->from[k];
  for (int x = space->ndim - 1; x >= j->nkept && r > 0; x--) {
    int64_t extent = space->shape[x], i = x == j->nkept ? r : r % extent;
    r = x == j->nkept ? 0 : r / extent;
    for (int k = 0; k < d->ninput; k++) data[k] = (const char *)data[k] + i * space->stride[j->first + k][x];
  }
}

/* Runs the body on element r of n rows. */
static void descend(ma_row_worker *w, const descent *d, int64_t r, int n, const void **out) {
  const ma_plan *plan = &w->j->body[d->stage];
  const ma_program *program = plan->program;
  const void *data[MA_MAX_INPUTS];
  step_to(w, d, r, data);
  for (int k = 0; k < program->noutput && w->j->in_place; k++) out[k] = data[0];
  if (w->j->in_place) return;
  for (int k = 0; k < d->ntarget; k++)
    if (d->in_place[k]) w->body[d->stage].where[plan->output[d->to[k].output]] = d->to[k].to + r * d->to[k].along;
  bool past = d->past && r + 1 < w->j->count;
  ma_block_row(&w->body[d->stage], data, d->across, past ? (n + MA_LANE - 1) / MA_LANE * MA_LANE : n, out);
  for (int k = 0; k < d->ntarget; k++) {
    char *to = d->to[k].to + r * d->to[k].along;
    const void *values = out[d->to[k].output];
    if (values != to)
      ma_block_store(to, d->to[k].across, values, ma_program_dtype(program, program->output[d->to[k].output]), n);
  }
}

/* ==== Leaves ===================================================================================================== */

typedef struct leaves { /* the rows of a leaf, or of several leaves of one value */
  const void *values[MA_MAX_FOLDS][RED_LEAF];
  const uint8_t *mask[RED_LEAF];
  unsigned live;
} leaves;

/* Takes element r of n rows as row i of a leaf. Values stay where they are, unless that is in the block, which the next
** run overwrites. */
static inline void take_row(ma_row_worker *w, const descent *d, int64_t r, int i, int n, leaves *l) {
  const ma_row_job *j = w->j;
  l->live |= 1u << i;
  if (j->in_place) {
    const void *data[MA_MAX_INPUTS];
    step_to(w, d, r, data);
    for (int k = 0; k < d->nfold; k++) l->values[k][i] = data[0];
    return;
  }
  const ma_plan *plan = &j->body[d->stage];
  ma_block *body = &w->body[d->stage];
  const void *out[MA_MAX_OUTPUTS];
  if (!j->program && plan->output[0] >= MA_REG_CODE) body->where[plan->output[0]] = w->leaf[0][i];
  descend(w, d, r, n, out);
  for (int k = 0; k < d->nfold; k++) {
    const ma_monoid *monoid = j->fold[d->fold[k]].monoid;
    const char *from = out[j->fold[d->fold[k]].output];
    char *leaf = w->leaf[d->fold[k]][i];
    bool stays = from < body->arena || from >= body->arena + plan->arena;
    if (j->blanks) monoid->blank(leaf, from, out[1], n);
    else if (!stays) memcpy(leaf, from, (size_t)n * monoid->value);
    l->values[k][i] = stays && !j->blanks ? from : leaf;
    if (monoid->takes_mask) l->mask[i] = memcpy(w->mask[i], out[1], (size_t)n);
  }
}

/* Takes `count` elements of n rows, from element r on with `step` between them, as rows of a leaf. Few rows are taken
** with all these elements as one block. */
static void take_rows(ma_row_worker *w, const descent *d, int64_t r, int64_t step, int count, int n, leaves *l) {
  const ma_row_job *j = w->j;
  ma_block *body = &w->body[d->stage];
  const ma_plan *plan = &j->body[d->stage];
  const void *data[MA_MAX_INPUTS], *out[MA_MAX_OUTPUTS];
  int64_t apart[MA_MAX_INPUTS];
  l->live = 0;
  if (j->program || j->in_place || j->space->ndim != j->nkept + 1 || count * n > MA_BLOCK) {
    for (int i = 0; i < count; i++) take_row(w, d, r + i * step, i, n, l);
    return;
  }
  for (int k = 0; k < d->ninput; k++) {
    data[k] = (const char *)d->from[k] + r * d->along[k];
    apart[k] = step * d->along[k];
  }
  if (plan->output[0] >= MA_REG_CODE) body->where[plan->output[0]] = body->arena + plan->place[plan->output[0]];
  ma_block_tile(body, data, apart, d->across, count, n, out);
  l->live = (1u << count) - 1;
  for (int i = 0; i < count; i++) {
    const ma_monoid *monoid = j->fold[0].monoid;
    const uint8_t *mask = j->blanks || monoid->takes_mask ? (const uint8_t *)out[1] + i * n : NULL;
    const char *from = (const char *)out[0] + (size_t)(i * n) * monoid->value;
    if (j->blanks) monoid->blank(w->leaf[0][i], from, mask, n);
    l->values[0][i] = j->blanks ? w->leaf[0][i] : from;
    if (monoid->takes_mask) l->mask[i] = mask;
  }
}

/* Folds a leaf of n rows: elements r, r + 128 ... below `end`. */
static void fold_leaf(ma_row_worker *w, const descent *d, int64_t r, int64_t end, int n) {
  leaves l;
  int64_t left = (end - r + RED_LEAVES - 1) / RED_LEAVES;
  l.mask[0] = NULL;
  take_rows(w, d, r, RED_LEAVES, left < RED_LEAF ? (int)left : RED_LEAF, n, &l);
  for (int i = 0; i < RED_LEAF; i++)
    if (!(l.live >> i & 1) || !l.mask[0]) l.mask[i] = l.mask[0];
  for (int k = 0; k < d->nfold; k++) {
    for (int i = 0; i < RED_LEAF; i++)
      if (!(l.live >> i & 1)) l.values[k][i] = l.values[k][0];
    w->j->fold[d->fold[k]].monoid->column(w->tree[d->fold[k]].leaf, l.values[k], l.mask, l.live, n, r);
  }
}

/* Folds the tree of `count` leaves that have one value each, from element r on. */
static void fold_singles(ma_row_worker *w, const descent *d, int64_t r, int count, int n) {
  leaves l;
  take_rows(w, d, r, 1, count, n, &l);
  for (int k = 0; k < d->nfold; k++) {
    for (int i = count; i < RED_LEAF; i++) l.values[k][i] = l.values[k][0];
    w->j->fold[d->fold[k]].monoid->singles(w->tree[d->fold[k]].leaf, l.values[k], count, n);
  }
}

/* The level of the largest complete subtree of at most 8 leaves that begins at leaf l. */
static int subtree(int l, int nleaf) {
  int level = 0;
  while (level < 3 && !(l >> level & 1) && l + (2 << level) <= nleaf) level++;
  return level;
}

/* The best of a chunk of n rows, where that does not depend on the tree; else false. */
static bool lead_down(ma_row_worker *w, const descent *d, int64_t r, int64_t end, int n) {
  const ma_monoid *monoid = w->j->fold[d->fold[0]].monoid;
  if (!monoid->lead_down || d->nfold > 1 || d->ntarget > 0 || end - r <= RED_LEAF) return false;
  for (int64_t i = r; i < end; i += RED_LEAF) {
    leaves l;
    int count = end - i < RED_LEAF ? (int)(end - i) : RED_LEAF;
    take_rows(w, d, i, 1, count, n, &l);
    for (int k = count; k < RED_LEAF; k++) l.values[0][k] = l.values[0][0];
    if (!monoid->lead_down(w->tree[d->fold[0]].leaf, l.values[0], n, i == r, i + RED_LEAF >= end)) return false;
  }
  return true;
}

/* Folds a chunk of n rows, elements r .. end - 1. It takes leaves in order, and merges complete pairs upwards. */
static void fold_tree(ma_row_worker *w, const descent *d, int64_t r, int64_t end, int n) {
  if (lead_down(w, d, r, end, n)) return;
  int nleaf = end - r < RED_LEAVES ? (int)(end - r) : RED_LEAVES;
  bool singles = true;
  for (int k = 0; k < d->nfold; k++) singles &= w->j->fold[d->fold[k]].monoid->singles != NULL;
  for (int l = 0, level; l < nleaf; l += 1 << level) {
    level = singles && r + l + RED_LEAVES >= end ? subtree(l, nleaf) : 0;
    if (level) fold_singles(w, d, r + l, 1 << level, n);
    else fold_leaf(w, d, r + l, end, n);
    for (int k = 0; k < d->nfold; k++) put_leaf(&w->tree[d->fold[k]], w->j->fold[d->fold[k]].monoid, l, level, n);
  }
  for (int k = 0; k < d->nfold; k++) end_chunk(&w->tree[d->fold[k]], w->j->fold[d->fold[k]].monoid, nleaf, n);
}

/* Folds a chunk of a reduction whose elements may be merged one after the other. */
static void follow(ma_row_worker *w, const descent *d, int64_t first, int64_t end, int n) {
  const ma_row_reduction *fold = &w->j->fold[d->fold[0]];
  ma_columns *c = &w->tree[d->fold[0]];
  for (int64_t r = first; r < end; r++) {
    const void *out[MA_MAX_OUTPUTS];
    int k = (int)((r - first) % RED_LEAVES);
    descend(w, d, r, n, out);
    fold->monoid->follow(c->level[0], out[fold->output], n, k);
    if (k == RED_LEAVES - 1 || r + 1 == end) fold->monoid->settle(c->leaf, c->level[0], n, r - k, r - k == first);
  }
}

void ma_row_down(ma_row_worker *w, int t, int n, int64_t first, int64_t last, char **to) {
  const void *out[MA_MAX_OUTPUTS];
  descent d;
  begin_descent(w, t, n, &d);
  bool follows = d.nfold == 1 && w->j->fold[d.fold[0]].monoid->follow;
  for (int64_t r = first; r < last; r += RED_CHUNK) {
    int64_t end = r + RED_CHUNK < last ? r + RED_CHUNK : last;
    if (d.nfold) (follows ? follow : fold_tree)(w, &d, r, end, n);
    else
      for (int64_t i = r; i < end; i++) descend(w, &d, i, n, out);
    for (int k = 0; k < d.nfold; k++) {
      ma_columns *c = &w->tree[d.fold[k]];
      const ma_monoid *monoid = w->j->fold[d.fold[k]].monoid;
      if (r == first) swap(&c->total, &c->leaf);
      else monoid->merge(c->total, c->total, c->leaf, n);
    }
  }
  for (int k = 0; k < d.nfold; k++) to[d.fold[k]] = w->tree[d.fold[k]].total;
}
