/* factor.c: LU factors of sparse matrices, whole and incomplete. */
#include "ops/factors/factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

typedef struct factor_work {
  void *x;        /* a column, by rows */
  int32_t *reach; /* places top .. n - 1: the rows of the column, each behind those that it depends on */
  int32_t *stack;
  int64_t *at;   /* for each row on the stack: the entry of its column at which to go on */
  int32_t *mark; /* row i was reached if mark[i] == stamp */
  int32_t stamp;
  int64_t *pruned; /* where the entries end that reach_of looks at in a column of L */
  int64_t lcount, ucount, lroom, uroom;
  int32_t most; /* entries of a column of incomplete factors */
  double *size;
  int32_t free; /* rows before this one have a pivot */
  /* A group is some columns of L one behind the other. They have the same rows below their pivots, in the same order
  ** behind the pivots of the group's next columns. group[j] is the first column of j's group. */
  int32_t *group, *met, *from; /* if met[g] == stamp, the present column met columns of group g, from from[g] on */
  void *sum;
} factor_work;

/* Makes room for another column of n entries. */
static ma_status reserve(ma_factors *f, factor_work *w, int32_t n) {
  struct {
    int64_t count, *room;
    int32_t **row;
    double **value;
  } both[] = { { w->lcount, &w->lroom, &f->lrow, &f->lvalue }, { w->ucount, &w->uroom, &f->urow, &f->uvalue } };
  size_t each = f->is_complex ? 16 : 8;
  for (int s = 0; s < 2; s++) {
    if (both[s].count + n + 1 <= *both[s].room) continue;
    int64_t room = both[s].count + both[s].count / 2 + n + 1024;
    int32_t *row = realloc(*both[s].row, (size_t)room * sizeof *row);
    if (row) *both[s].row = row;
    double *value = realloc(*both[s].value, (size_t)room * each);
    if (value) *both[s].value = value;
    if (!row || !value)
      return ma_fail(MA_ERR_MEMORY, "out of memory: factors of more than %lld entries", (long long)both[s].count);
    *both[s].room = room;
  }
  return MA_OK;
}

static int32_t search(const ma_factors *f, factor_work *w, int32_t from, int32_t top) {
  int32_t depth = 0;
  w->stack[0] = from;
  w->mark[from] = w->stamp;
  if (f->place[from] >= 0) w->at[0] = f->lstart[f->place[from]] + 1;
  while (depth >= 0) {
    int32_t j = f->place[w->stack[depth]];
    int64_t p = w->at[depth], end = j >= 0 ? w->pruned[j] : p;
    int32_t next = NONE;
    if (j >= 0) {
      for (; p < end && next == NONE; p++)
        if (w->mark[f->lrow[p]] != w->stamp) next = f->lrow[p];
    }
    if (next == NONE) {
      w->reach[--top] = w->stack[depth--];
      continue;
    }
    w->at[depth] = p;
    w->mark[next] = w->stamp;
    if (f->place[next] < 0) {
      w->reach[--top] = next;
      continue;
    }
    w->stack[++depth] = next;
    w->at[depth] = f->lstart[f->place[next]] + 1;
  }
  return top;
}

/* Fills w->reach for a column of A, by a search in the graph of L. Returns where it begins. */
static int32_t reach_of(const ma_pattern *a, const ma_factors *f, factor_work *w, int32_t column) {
  int32_t top = f->n;
  w->stamp++;
  for (int64_t p = a->start[column]; p < a->start[column + 1]; p++)
    if (w->mark[a->row[p]] != w->stamp) top = search(f, w, a->row[p], top);
  return top;
}

/* Whether column k has the rows of column k - 1 without its own pivot, so that it joins the group. It has all of them
** if column k - 1 leads to it. Pruning has seen whether it does: then pivot k is the only row of column k - 1 that is
** still searched. */
static bool joins_group(const ma_factors *f, const factor_work *w, int32_t k, int32_t top) {
  if (k == 0 || w->pruned[k - 1] != f->lstart[k - 1] + 2 || f->place[f->lrow[f->lstart[k - 1] + 1]] != k) return false;
  if (w->mark[f->lrow[f->lstart[k - 1]]] != w->stamp) return false;
  int64_t rows = 0, before = f->lstart[k] - f->lstart[k - 1] - 2;
  for (int32_t t = top; t < f->n; t++) rows += f->place[w->reach[t]] < 0;
  return rows == before;
}

static int32_t free_row(const ma_factors *f, factor_work *w, int32_t wanted) {
  if (f->place[wanted] < 0) return wanted;
  while (f->place[w->free] >= 0) w->free++;
  return w->free;
}

/* The most-th largest of count > most values, which are rearranged. */
static double largest_of(double *value, int32_t count, int32_t most) {
  int32_t low = 0, high = count - 1, k = most - 1;
  while (low < high) {
    double middle = value[low + (high - low) / 2];
    int32_t i = low, j = high;
    while (i <= j) {
      while (value[i] > middle) i++;
      while (value[j] < middle) j--;
      if (i > j) break;
      double v = value[i];
      value[i++] = value[j];
      value[j--] = v;
    }
    if (k <= j) high = j;
    else if (k >= i) low = i;
    else break;
  }
  return value[k];
}

#define NUMBER double
#define ZERO 0.0
#define FROM_REAL(v) (v)
#define SIZE(v) fabs(v)
#define LESS(x, a, b) ((x) -= (a) * (b))
#define ADD(x, a) ((x) += (a))
#define QUOTIENT(a, b) ((a) / (b))
#define NAME(f) f##_real
#include "ops/factors/factor_loop.h"
#undef NUMBER
#undef ZERO
#undef FROM_REAL
#undef SIZE
#undef LESS
#undef ADD
#undef QUOTIENT
#undef NAME

typedef struct pair {
  double re, im;
} pair;

static pair pair_quotient(pair a, pair b) {
  if (fabs(b.re) >= fabs(b.im)) {
    double r = b.im / b.re, d = b.re + b.im * r;
    return (pair){ (a.re + a.im * r) / d, (a.im - a.re * r) / d };
  }
  double r = b.re / b.im, d = b.re * r + b.im;
  return (pair){ (a.re * r + a.im) / d, (a.im * r - a.re) / d };
}

#define NUMBER pair
#define ZERO ((pair){ 0, 0 })
#define FROM_REAL(v) ((pair){ (v), 0 })
#define SIZE(v) hypot((v).re, (v).im)
#define LESS(x, a, b) ((x).re -= (a).re * (b).re - (a).im * (b).im, (x).im -= (a).re * (b).im + (a).im * (b).re)
#define ADD(x, a) ((x).re += (a).re, (x).im += (a).im)
#define QUOTIENT(a, b) pair_quotient(a, b)
#define NAME(f) f##_complex
#include "ops/factors/factor_loop.h"

void ma_factors_free(ma_factors *f) {
  free(f->lstart);
  free(f->ustart);
  free(f->lrow);
  free(f->urow);
  free(f->lvalue);
  free(f->uvalue);
  free(f->place);
  free(f->column);
  *f = (ma_factors){ 0 };
}

static void close_work(factor_work *w) {
  free(w->x);
  free(w->reach);
  free(w->stack);
  free(w->at);
  free(w->mark);
  free(w->pruned);
  free(w->size);
  free(w->group);
  free(w->sum);
}

static bool open_work(ma_factors *f, factor_work *w, size_t n) {
  f->lstart = calloc(n + 1, sizeof *f->lstart);
  f->ustart = calloc(n + 1, sizeof *f->ustart);
  f->place = malloc((n + 1) * sizeof *f->place);
  f->column = malloc((n + 1) * sizeof *f->column);
  w->x = calloc(n + 1, f->is_complex ? 16 : 8);
  w->reach = malloc((n + 1) * sizeof *w->reach);
  w->stack = malloc((n + 1) * sizeof *w->stack);
  w->at = malloc((n + 1) * sizeof *w->at);
  w->mark = calloc(n + 1, sizeof *w->mark);
  w->pruned = malloc((n + 1) * sizeof *w->pruned);
  w->size = malloc((n + 1) * sizeof *w->size);
  w->sum = malloc((n + 1) * (f->is_complex ? 16 : 8));
  w->group = calloc(3 * (n + 1), sizeof *w->group);
  w->met = w->group ? w->group + (n + 1) : NULL;
  w->from = w->group ? w->met + (n + 1) : NULL;
  return f->lstart && f->ustart && f->place && f->column && w->x && w->reach && w->stack && w->at && w->mark &&
         w->pruned && w->size && w->sum && w->group;
}

ma_status ma_factor(const ma_pattern *a, bool is_complex, const int32_t *order, const ma_factor_options *options,
                    ma_factors *f) {
  factor_work w = { 0 };
  ma_status status = MA_OK;
  *f = (ma_factors){ .n = a->n, .is_complex = is_complex };
  double most = a->n ? ceil(options->fill * (double)a->start[a->n] / a->n) : 0;
  w.most = most > a->n ? a->n : most < 1 ? 1 : (int32_t)most;
  if (!open_work(f, &w, (size_t)a->n)) status = ma_fail(MA_ERR_MEMORY, "out of memory: factors of %d columns", a->n);
  if (status == MA_OK) {
    for (int32_t i = 0; i < a->n; i++) f->place[i] = NONE;
    status = is_complex ? factor_complex(a, order, options, f, &w) : factor_real(a, order, options, f, &w);
  }
  if (status == MA_OK && !f->singular)
    for (int64_t p = 0; p < f->lstart[f->n]; p++) f->lrow[p] = f->place[f->lrow[p]];
  close_work(&w);
  if (status != MA_OK) ma_factors_free(f);
  return status;
}
