/*
** factor_loop.h: a sparse LU factor, column by column, after Gilbert and Peierls (SIAM J. Sci. Stat. Comput. 9, 1988),
** with the pruning of Eisenstat and Liu (SIAM J. Matrix Anal. Appl. 13, 1992). Included for real and complex values:
** NUMBER, ZERO, LESS(x, a, b) for x -= a * b, QUOTIENT(a, b), SIZE(a), NAME(f).
*/

/* Subtracts the columns first .. last of a group from the rest of x. Each is multiplied by x at its pivot. */
static void NAME(subtract_group)(const ma_factors *f, factor_work *w, int32_t first, int32_t last) {
  NUMBER *x = w->x, *sum = w->sum;
  const NUMBER *lvalue = (const NUMBER *)f->lvalue;
  const int32_t *row = f->lrow + f->lstart[last] + 1;
  int64_t n = f->lstart[last + 1] - f->lstart[last] - 1;
  if (first == last) {
    NUMBER by = x[f->lrow[f->lstart[last]]];
    const NUMBER *l = lvalue + f->lstart[last] + 1;
    for (int64_t p = 0; p < n; p++) LESS(x[row[p]], l[p], by);
    return;
  }
  for (int64_t p = 0; p < n; p++) sum[p] = ZERO;
  for (int32_t c = first; c <= last; c++) {
    const NUMBER *l = lvalue + f->lstart[c];
    const int32_t *pivot = f->lrow + f->lstart[c];
    NUMBER by = x[pivot[0]];
    for (int32_t d = 1; d <= last - c; d++) LESS(x[pivot[d]], l[d], by);
  }
  int32_t c = first;
  for (; c + 3 <= last; c += 4) {
    const NUMBER *l0 = lvalue + f->lstart[c] + (last - c) + 1, *l1 = lvalue + f->lstart[c + 1] + (last - c),
                 *l2 = lvalue + f->lstart[c + 2] + (last - c) - 1, *l3 = lvalue + f->lstart[c + 3] + (last - c) - 2;
    NUMBER b0 = x[f->lrow[f->lstart[c]]], b1 = x[f->lrow[f->lstart[c + 1]]], b2 = x[f->lrow[f->lstart[c + 2]]],
           b3 = x[f->lrow[f->lstart[c + 3]]];
    for (int64_t p = 0; p < n; p++) {
      NUMBER v = sum[p];
      LESS(v, l0[p], b0);
      LESS(v, l1[p], b1);
      LESS(v, l2[p], b2);
      LESS(v, l3[p], b3);
      sum[p] = v;
    }
  }
  for (; c <= last; c++) {
    const NUMBER *l = lvalue + f->lstart[c] + (last - c) + 1;
    NUMBER by = x[f->lrow[f->lstart[c]]];
    for (int64_t p = 0; p < n; p++) LESS(sum[p], l[p], by);
  }
  for (int64_t p = 0; p < n; p++) ADD(x[row[p]], sum[p]);
}

/* Computes column number k of both factors in w->x from the columns before it. A group is subtracted when its last
** column's turn comes. By then x at the pivots of the group is complete but for what the group itself subtracts
** there. */
static void NAME(eliminate)(const ma_factors *f, factor_work *w, int32_t k, int32_t top) {
  for (int32_t t = top; t < f->n; t++) {
    int32_t j = f->place[w->reach[t]];
    if (j < 0) continue;
    int32_t group = w->group[j];
    if (w->met[group] != w->stamp) {
      w->met[group] = w->stamp;
      w->from[group] = j;
    }
    if (j + 1 < k && w->group[j + 1] == group) continue;
    NAME(subtract_group)(f, w, w->from[group], j);
  }
}

/* Chooses a pivot among the rows that have none yet: the one with the largest value, or the diagonal's if that is near
** enough. */
static int32_t NAME(choose)(const ma_factors *f, const factor_work *w, int32_t top, int32_t diagonal, double threshold,
                            double *largest) {
  const NUMBER *x = w->x;
  int32_t pivot = NONE;
  *largest = -1;
  for (int32_t t = top; t < f->n; t++) {
    int32_t i = w->reach[t];
    if (f->place[i] >= 0) continue;
    double size = SIZE(x[i]);
    if (size > *largest || (size != size && *largest == *largest)) *largest = size, pivot = i;
  }
  if (f->place[diagonal] < 0 && w->mark[diagonal] == w->stamp && SIZE(x[diagonal]) >= *largest * threshold &&
      SIZE(x[diagonal]) > 0)
    pivot = diagonal;
  return pivot;
}

/* Prunes the columns j that both column k and row `pivot` touch. Their rows that have a pivot come first, because
** reach_of need not search the others: column k leads to those. */
static void NAME(prune_by)(ma_factors *f, factor_work *w, int32_t k, int32_t pivot) {
  NUMBER *lvalue = (NUMBER *)f->lvalue;
  for (int64_t u = f->ustart[k]; u < w->ucount - 1; u++) {
    int32_t j = f->urow[u];
    int64_t first = f->lstart[j] + 1, last = f->lstart[j + 1], at = first;
    if (w->pruned[j] != last) continue;
    while (at < last && f->lrow[at] != pivot) at++;
    if (at == last) continue;
    while (first < last) {
      int32_t i = f->lrow[first];
      if (f->place[i] >= 0) {
        first++;
        continue;
      }
      if (f->place[f->lrow[--last]] < 0) continue;
      /* The columns of a group keep their rows in one order. */
      for (int32_t c = j; c >= w->group[j]; c--) {
        int64_t p = f->lstart[c] + (first - f->lstart[j]) + (j - c), q = f->lstart[c] + (last - f->lstart[j]) + (j - c);
        NUMBER value = lvalue[p];
        f->lrow[p] = f->lrow[q];
        lvalue[p] = lvalue[q];
        f->lrow[q] = i;
        lvalue[q] = value;
      }
    }
    w->pruned[j] = first;
  }
}

/* The limit below which values in column k of incomplete factors are left out. */
static double NAME(least_kept)(const ma_factors *f, factor_work *w, const ma_factor_options *o, double norm,
                               int32_t top) {
  const NUMBER *x = w->x;
  int32_t count = 0, most = w->most;
  for (int32_t t = top; t < f->n; t++) {
    double size = SIZE(x[w->reach[t]]);
    if (size >= o->drop * norm) w->size[count++] = size;
  }
  return count > most ? fmax(o->drop * norm, largest_of(w->size, count, most)) : o->drop * norm;
}

static ma_status NAME(factor)(const ma_pattern *a, const int32_t *order, const ma_factor_options *o, ma_factors *f,
                              factor_work *w) {
  NUMBER *x = w->x;
  int32_t n = f->n;
  for (int32_t k = 0; k < n; k++) {
    int32_t column = order[k], top, pivot;
    double largest, least = 0, norm = 0;
    f->lstart[k] = w->lcount;
    f->ustart[k] = w->ucount;
    f->column[k] = column;
    MA_TRY(reserve(f, w, n));
    top = reach_of(a, f, w, column);
    for (int32_t t = top; t < n; t++) x[w->reach[t]] = ZERO;
    for (int64_t p = a->start[column]; p < a->start[column + 1]; p++) {
      x[a->row[p]] = ((const NUMBER *)a->value)[p];
      norm = fmax(norm, SIZE(x[a->row[p]]));
    }
    NAME(eliminate)(f, w, k, top);
    pivot = NAME(choose)(f, w, top, column, o->threshold, &largest);
    if (o->incomplete) least = NAME(least_kept)(f, w, o, norm, top);
    if (pivot == NONE || largest == 0) {
      if (!o->incomplete) {
        f->singular = k + 1;
        return MA_OK;
      }
      if (pivot == NONE) pivot = free_row(f, w, column);
      x[pivot] = FROM_REAL(norm > 0 ? norm * (o->drop > 0 ? o->drop : 1e-8) : 1);
    }
    NUMBER at_pivot = x[pivot], *lvalue = (NUMBER *)f->lvalue, *uvalue = (NUMBER *)f->uvalue;
    for (int32_t t = top; t < n; t++) {
      int32_t i = w->reach[t], j = f->place[i];
      if (j < 0 || (o->incomplete && SIZE(x[i]) < least)) continue;
      f->urow[w->ucount] = j;
      uvalue[w->ucount++] = x[i];
    }
    f->urow[w->ucount] = k;
    uvalue[w->ucount++] = at_pivot;
    f->place[pivot] = k;
    f->lrow[w->lcount] = pivot;
    lvalue[w->lcount++] = FROM_REAL(1);
    w->group[k] = k;
    if (!o->incomplete) NAME(prune_by)(f, w, k, pivot);
    if (!o->incomplete && joins_group(f, w, k, top)) {
      w->group[k] = w->group[k - 1];
      const int32_t *row = f->lrow + f->lstart[k - 1] + 2;
      for (int64_t p = f->lstart[k] - f->lstart[k - 1] - 2; p > 0; p--) {
        f->lrow[w->lcount] = *row;
        lvalue[w->lcount++] = QUOTIENT(x[*row++], at_pivot);
      }
    } else
      for (int32_t t = top; t < n; t++) {
        int32_t i = w->reach[t];
        if (f->place[i] >= 0 || (o->incomplete && SIZE(x[i]) < least)) continue;
        f->lrow[w->lcount] = i;
        lvalue[w->lcount++] = QUOTIENT(x[i], at_pivot);
      }
    f->lstart[k + 1] = w->lcount;
    w->pruned[k] = w->lcount;
  }
  f->ustart[n] = w->ucount;
  f->lstart[n] = w->lcount;
  return MA_OK;
}
