/* order.c: which columns are eliminated first, so that factors stay sparse. */
#include "ops/factors/factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The transpose: the columns of each row, in ascending order. */
static ma_status transpose(const ma_pattern *a, ma_pattern *t) {
  int64_t nnz = a->start[a->n];
  *t = (ma_pattern){ .m = a->n, .n = a->m };
  t->start = calloc((size_t)a->m + 2, sizeof *t->start);
  t->row = malloc((size_t)(nnz + 1) * sizeof *t->row);
  if (!t->start || !t->row) return ma_fail(MA_ERR_MEMORY, "out of memory: a pattern of %lld entries", (long long)nnz);
  int64_t *at = t->start + 1;
  for (int64_t k = 0; k < nnz; k++) at[a->row[k] + 1]++;
  for (int32_t i = 0; i < a->m; i++) at[i + 1] += at[i];
  for (int32_t j = 0; j < a->n; j++)
    for (int64_t k = a->start[j]; k < a->start[j + 1]; k++) t->row[at[a->row[k]]++] = j;
  return MA_OK;
}

static void close_pattern(ma_pattern *p) {
  free(p->start);
  free(p->row);
}

/* Whether most entries have an entry opposite to them across the diagonal, and most of the diagonal is there. */
static bool is_nearly_symmetric(const ma_pattern *a, const ma_pattern *t, int32_t *mark) {
  int64_t matched = 0, off = 0, diagonal = 0;
  for (int32_t j = 0; j < a->n; j++) mark[j] = -1;
  for (int32_t j = 0; j < a->n; j++) {
    for (int64_t k = t->start[j]; k < t->start[j + 1]; k++) mark[t->row[k]] = j;
    for (int64_t k = a->start[j]; k < a->start[j + 1]; k++) {
      if (a->row[k] == j) diagonal++;
      else off++, matched += mark[a->row[k]] == j;
    }
  }
  return 2 * matched >= off && (double)diagonal >= 0.9 * a->n;
}

/* The union of columns j of A and of A^T, without j. It is written to `list` if that is not NULL. Returns its size. */
static int64_t sum_column(const ma_pattern *a, const ma_pattern *t, int32_t j, int32_t *mark, int32_t *list) {
  int64_t count = 0;
  const ma_pattern *both[2] = { a, t };
  mark[j] = j;
  for (int s = 0; s < 2; s++) {
    for (int64_t k = both[s]->start[j]; k < both[s]->start[j + 1]; k++) {
      int32_t i = both[s]->row[k];
      if (mark[i] == j) continue;
      mark[i] = j;
      if (list) list[count] = i;
      count++;
    }
  }
  return count;
}

/* The columns that share a row with column j, without j. Rows of more than `dense` entries do not count. */
static int64_t product_column(const ma_pattern *a, const ma_pattern *t, int32_t j, int64_t dense, int32_t *mark,
                              int32_t *list) {
  int64_t count = 0;
  mark[j] = j;
  for (int64_t k = a->start[j]; k < a->start[j + 1]; k++) {
    int32_t i = a->row[k];
    if (t->start[i + 1] - t->start[i] > dense) continue;
    for (int64_t l = t->start[i]; l < t->start[i + 1]; l++) {
      int32_t other = t->row[l];
      if (mark[other] == j) continue;
      mark[other] = j;
      if (list) list[count] = other;
      count++;
    }
  }
  return count;
}

static int64_t near_column(const ma_pattern *a, const ma_pattern *t, bool sum, int32_t j, int64_t dense, int32_t *mark,
                           int32_t *list) {
  return sum ? sum_column(a, t, j, mark, list) : product_column(a, t, j, dense, mark, list);
}

static ma_status order_by_degree(const ma_pattern *a, const ma_pattern *t, bool sum, int32_t *mark, int32_t *order) {
  int32_t n = a->n;
  int64_t dense = 16 > 10 * sqrt((double)n) ? 16 : (int64_t)(10 * sqrt((double)n)), count = 0, room = 0;
  int64_t *start = malloc(((size_t)n + 1) * sizeof *start);
  int32_t *list = NULL;
  ma_status status = MA_OK;
  for (int32_t j = 0; j < n; j++) mark[j] = -1;
  for (int32_t j = 0; j < n; j++) count += near_column(a, t, sum, j, dense, mark, NULL);
  room = count + count / 5 + 2 * (int64_t)n;
  if (start) list = malloc((size_t)(room + 1) * sizeof *list);
  if (!list) {
    status = ma_fail(MA_ERR_MEMORY, "out of memory: an order of %d columns with %lld neighbours", n, (long long)count);
    goto done;
  }
  for (int32_t j = 0; j < n; j++) mark[j] = -1;
  start[0] = 0;
  for (int32_t j = 0; j < n; j++) start[j + 1] = start[j] + near_column(a, t, sum, j, dense, mark, list + start[j]);
  status = ma_order_least_degree(n, start, list, room, order);
done:
  free(start);
  free(list);
  return status;
}

ma_status ma_order_columns(const ma_pattern *a, ma_order_kind kind, int32_t *order, bool *symmetric) {
  ma_pattern t = { 0 };
  int32_t *mark = malloc(((size_t)a->n + 1) * sizeof *mark);
  ma_status status = mark ? transpose(a, &t) : ma_fail(MA_ERR_MEMORY, "out of memory: an order of %d columns", a->n);
  *symmetric = false;
  if (status == MA_OK) {
    bool near = is_nearly_symmetric(a, &t, mark);
    if (kind == MA_ORDER_AUTO) kind = near ? MA_ORDER_SUM : MA_ORDER_PRODUCT;
    *symmetric = near && kind != MA_ORDER_PRODUCT;
    if (kind == MA_ORDER_NATURAL)
      for (int32_t j = 0; j < a->n; j++) order[j] = j;
    else status = order_by_degree(a, &t, kind == MA_ORDER_SUM, mark, order);
  }
  close_pattern(&t);
  free(mark);
  return status;
}
