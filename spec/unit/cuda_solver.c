/*
** cuda_solver.c: each slot of a backend's linear algebra on its own, against arithmetic on the host: residuals in units
** of eps times the size, for the four dtypes, one matrix and batches, with steps wider than the matrices, and inputs
** that are known to be hard.
**
** cuda_solver [device] [time]: the GPU by default, "cpu" tests LAPACK's; "time" times large cases too.
*/
#include "matrices.h"

/* ==== The slots =================================================================================================== */

static void test_cholesky(ma_dtype t, int64_t n, int64_t count, int64_t pad) {
  batch a = batch_new(t, n, n, count, pad);
  for (int64_t k = 0; k < count; k++) {
    z *g = malloc((size_t)(n * n) * sizeof *g);
    for (int64_t i = 0; i < n * n; i++) g[i] = random_of(t);
    z *h = turned(g, n, n, 'C'), *p = product(g, h, n, n, n);
    for (int64_t i = 0; i < n; i++) p[i + i * n] += 1;
    memcpy(&AT(&a, k, 0, 0), p, (size_t)(n * n) * sizeof *p);
    free(g);
    free(h);
    free(p);
  }
  int64_t bad = count > 2 ? 1 : -1;
  if (bad >= 0) AT(&a, bad, n - 1, n - 1) = -1;
  z *before = host_copy(&a);
  ma_buffer *info = infos_new(count);
  batch_move(&a, true);
  if (call_ok(table->cholesky(stream, t, &a.m, info->ptr), "cholesky", t, n, n, count)) {
    int32_t *infos = infos_get(info, count);
    batch_move(&a, false);
    for (int64_t k = 0; k < count; k++) {
      verdict(infos[k] == (k == bad ? (int)n : 0), "cholesky's info", t, n, n, count, infos[k]);
      if (k == bad) continue;
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++) AT(&a, k, i, j) = 0;
      z *l = &AT(&a, k, 0, 0), *h = turned(l, n, n, 'C'), *p = product(l, h, n, n, n);
      bound(distance(p, before + k * n * n, n * n), norm(before + k * n * n, n * n), "cholesky |LL^H - A|", &a);
      free(h);
      free(p);
    }
    free(infos);
  }
  free(before);
  ma_buffer_release(info);
  batch_free(&a);
}

/* |op(A) X - B| for X from a solver, in units of |A| |X|. */
static void check_solved(const z *a, char trans, const batch *x, const z *b, const char *what) {
  int64_t n = x->m.rows, r = x->m.columns;
  for (int64_t k = 0; k < x->m.count; k++) {
    z *op = turned(a + k * n * n, n, n, trans), *p = product(op, x->host + k * n * r, n, n, r);
    bound(distance(p, b + k * n * r, n * r), norm(op, n * n) * norm(x->host + k * n * r, n * r), what, x);
    free(op);
    free(p);
  }
}

static void test_lu(ma_dtype t, int64_t m, int64_t n, int64_t count, int64_t pad) {
  int64_t k = m < n ? m : n;
  batch a = batch_new(t, m, n, count, pad);
  batch_random(&a);
  z *before = host_copy(&a);
  ma_buffer *info = infos_new(count), *pivot = block((size_t)(k * count) * 8);
  batch_move(&a, true);
  if (call_ok(table->lu(stream, t, &a.m, pivot->ptr, info->ptr), "lu", t, m, n, count)) {
    int64_t *p = malloc((size_t)(k * count) * 8);
    get(p, pivot->ptr, (size_t)(k * count) * 8);
    batch_move(&a, false);
    verdict(all_zero(info, count), "lu's info", t, m, n, count, 0);
    for (int64_t b = 0; b < count; b++) {
      z *l = calloc((size_t)(m * k), sizeof *l), *u = calloc((size_t)(k * n), sizeof *u);
      bool inside = true;
      for (int64_t j = 0; j < k; j++)
        for (int64_t i = j; i < m; i++) l[i + j * m] = i == j ? 1 : AT(&a, b, i, j);
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i <= j && i < k; i++) u[i + j * k] = AT(&a, b, i, j);
      z *lu = product(l, u, m, k, n);
      for (int64_t i = k - 1; i >= 0; i--) {
        int64_t with = p[b * k + i] - 1;
        inside = inside && with >= i && with < m;
        for (int64_t j = 0; inside && j < n; j++) {
          z one = lu[i + j * m];
          lu[i + j * m] = lu[with + j * m];
          lu[with + j * m] = one;
        }
      }
      verdict(inside, "lu's pivots", t, m, n, count, 0);
      bound(distance(lu, before + b * m * n, m * n), norm(before + b * m * n, m * n), "lu |PLU - A|", &a);
      free(l);
      free(u);
      free(lu);
    }
    for (int c = 0; m == n && c < 3; c++) {
      batch x = batch_new(t, n, c == 1 ? 1 : 5, count, pad);
      batch_random(&x);
      z *b = host_copy(&x);
      batch_move(&x, true);
      if (call_ok(table->lu_solve(stream, t, "NTC"[c], &a.m, pivot->ptr, &x.m), "lu_solve", t, n, n, count)) {
        batch_move(&x, false);
        check_solved(before, "NTC"[c], &x, b, "lu_solve |AX - B|");
      }
      free(b);
      batch_free(&x);
    }
    free(p);
  }
  free(before);
  ma_buffer_release(info);
  ma_buffer_release(pivot);
  batch_free(&a);
}

static void test_lu_singular(ma_dtype t, int64_t n, int64_t count) {
  batch a = batch_new(t, n, n, count, 0);
  batch_random(&a);
  for (int64_t i = 0; i < n; i++) AT(&a, count - 1, i, n - 1) = 0;
  ma_buffer *info = infos_new(count), *pivot = block((size_t)(n * count) * 8);
  batch_move(&a, true);
  if (call_ok(table->lu(stream, t, &a.m, pivot->ptr, info->ptr), "lu of a singular one", t, n, n, count)) {
    int32_t *infos = infos_get(info, count);
    for (int64_t k = 0; k < count; k++)
      verdict(infos[k] == (k == count - 1 ? (int)n : 0), "lu's info of a singular one", t, n, n, count, infos[k]);
    free(infos);
  }
  ma_buffer_release(info);
  ma_buffer_release(pivot);
  batch_free(&a);
}

static void test_triangular(ma_dtype t, int64_t n, int64_t right, int64_t count, int64_t pad) {
  for (int c = 0; c < 12; c++) {
    bool lower = c & 1, is_unit = c & 2;
    char trans = "NTC"[c / 4];
    batch a = batch_new(t, n, n, count, pad), x = batch_new(t, n, right, count, pad);
    batch_random(&a);
    batch_random(&x);
    for (int64_t k = 0; k < count; k++)
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) { /* well-conditioned, and the other triangle is not to be looked at */
          bool inside = lower ? i > j : i < j;
          AT(&a, k, i, j) = i == j ? is_unit ? NAN : 2 + AT(&a, k, i, j) : inside ? AT(&a, k, i, j) / (double)n : NAN;
        }
    z *b = host_copy(&x);
    batch_move(&a, true);
    batch_move(&x, true);
    if (call_ok(table->triangular_solve(stream, t, lower, trans, is_unit, &a.m, &x.m), "triangular_solve", t, n, right,
                count)) {
      batch_move(&a, false); /* as it was rounded */
      batch_move(&x, false);
      for (int64_t k = 0; k < count; k++)
        for (int64_t j = 0; j < n; j++)
          for (int64_t i = 0; i < n; i++)
            if (i == j ? is_unit : lower ? i < j : i > j) AT(&a, k, i, j) = i == j;
      check_solved(a.host, trans, &x, b, "triangular_solve |AX - B|");
    }
    free(b);
    batch_free(&a);
    batch_free(&x);
  }
}

static void test_qr(ma_dtype t, int64_t m, int64_t n, int64_t count, int64_t pad) {
  int64_t k = m < n ? m : n;
  batch a = batch_new(t, m, n, count, pad), x = batch_new(t, m, n, count, 0);
  batch_random(&a);
  z *before = host_copy(&a);
  memcpy(x.host, before, (size_t)(m * n * count) * sizeof(z));
  ma_buffer *info = infos_new(count), *tau = block((size_t)(k * count) * ma_dtypes[t].itemsize);
  batch_move(&a, true);
  batch_move(&x, true);
  if (call_ok(table->qr(stream, t, &a.m, tau->ptr, info->ptr), "qr", t, m, n, count)) {
    batch_move(&a, false);
    z *r = calloc((size_t)(k * n * count), sizeof *r);
    for (int64_t b = 0; b < count; b++)
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i <= j && i < k; i++) r[i + j * k + b * k * n] = AT(&a, b, i, j);
    if (call_ok(table->qr_apply(stream, t, 'C', &a.m, k, tau->ptr, &x.m, info->ptr), "qr_apply", t, m, n, count)) {
      batch_move(&x, false);
      for (int64_t b = 0; b < count; b++) {
        double error = 0;
        for (int64_t j = 0; j < n; j++)
          for (int64_t i = 0; i < m; i++)
            error += pow(cabs(AT(&x, b, i, j) - (i < k ? r[i + j * k + b * k * n] : 0)), 2);
        bound(sqrt(error), norm(before + b * m * n, m * n), "qr_apply |Q^H A - R|", &x);
      }
    }
    if (call_ok(table->qr_apply(stream, t, 'N', &a.m, k, tau->ptr, &x.m, info->ptr), "qr_apply", t, m, n, count)) {
      batch_move(&x, false);
      for (int64_t b = 0; b < count; b++)
        bound(distance(x.host + b * m * n, before + b * m * n, m * n), norm(before + b * m * n, m * n),
              "qr_apply |Q Q^H A - A|", &x);
    }
    ma_matrices q = a.m;
    q.columns = k;
    if (call_ok(table->qr_form(stream, t, &q, k, tau->ptr, info->ptr), "qr_form", t, m, k, count)) {
      batch_move(&a, false);
      for (int64_t b = 0; b < count; b++) {
        z *p = product(&AT(&a, b, 0, 0), r + b * k * n, m, k, n);
        bound(distance(p, before + b * m * n, m * n), norm(before + b * m * n, m * n), "qr |QR - A|", &a);
        bound(defect(&AT(&a, b, 0, 0), m, k), 1, "qr |Q^H Q - 1|", &a);
        free(p);
      }
    }
    verdict(all_zero(info, count), "qr's info", t, m, n, count, 0);
    free(r);
  }
  free(before);
  ma_buffer_release(info);
  ma_buffer_release(tau);
  batch_free(&a);
  batch_free(&x);
}

/* The whole of Q of a tall matrix, from n reflectors. */
static void test_qr_complete(ma_dtype t, int64_t m, int64_t n) {
  batch a = batch_new(t, m, m, 1, 0);
  batch_random(&a);
  ma_buffer *info = infos_new(1), *tau = block((size_t)n * ma_dtypes[t].itemsize);
  ma_matrices part = a.m;
  part.columns = n;
  batch_move(&a, true);
  if (call_ok(table->qr(stream, t, &part, tau->ptr, info->ptr), "qr", t, m, n, 1) &&
      call_ok(table->qr_form(stream, t, &a.m, n, tau->ptr, info->ptr), "qr_form, complete", t, m, m, 1)) {
    batch_move(&a, false);
    bound(defect(a.host, m, m), 1, "qr |Q^H Q - 1|, complete", &a);
  }
  ma_buffer_release(info);
  ma_buffer_release(tau);
  batch_free(&a);
}

typedef enum hard { RANDOM, DEFICIENT, ZERO, IDENTITY, GRADED, ONES, NHARD } hard;
static const char *const hard_names[NHARD] = { "random", "rank-deficient", "zero", "identity", "graded", "ones" };

static void fill_hard(batch *a, hard h) {
  batch_random(a);
  for (int64_t k = 0; k < a->m.count; k++)
    for (int64_t j = 0; j < a->m.columns; j++)
      for (int64_t i = 0; i < a->m.rows; i++) {
        z *x = &AT(a, k, i, j);
        if (h == ZERO) *x = 0;
        if (h == IDENTITY) *x = i == j;
        if (h == ONES) *x = 1;
        if (h == DEFICIENT && j > a->m.columns / 2) *x = AT(a, k, i, j % 3 < a->m.columns ? j % 3 : 0);
        if (h == GRADED) *x *= pow(10, -12.0 * (double)j / (double)a->m.columns);
      }
}

static void test_svd(ma_dtype t, int64_t m, int64_t n, int64_t count, hard h) {
  int64_t least = m < n ? m : n;
  ma_dtype real = ma_dtype_real(t);
  char name[96];
  for (int c = 0; c < 3; c++) {
    char job = "SAN"[c];
    batch a = batch_new(t, m, n, count, 0);
    batch u = batch_new(t, m, job == 'A' ? m : least, count, 0), vh = batch_new(t, job == 'A' ? n : least, n, count, 0);
    ma_buffer *s = block((size_t)(least * count) * ma_dtypes[real].itemsize), *info = infos_new(count);
    ma_matrices none = { .data = NULL };
    fill_hard(&a, h);
    batch_move(&a, true);
    batch_move(&a, false); /* as it was rounded */
    snprintf(name, sizeof name, "svd '%c' %s", job, hard_names[h]);
    if (call_ok(
          table->svd(stream, t, job, &a.m, s->ptr, job == 'N' ? &none : &u.m, job == 'N' ? &none : &vh.m, info->ptr),
          name, t, m, n, count)) {
      double *values = reals(t, s->ptr, least * count);
      verdict(all_zero(info, count), "svd's info", t, m, n, count, 0);
      if (job != 'N') {
        batch_move(&u, false);
        batch_move(&vh, false);
      }
      for (int64_t k = 0; k < count; k++) {
        double size = norm(&AT(&a, k, 0, 0), m * n), sum = 0;
        bool ordered = true;
        for (int64_t i = 0; i < least; i++) {
          ordered = ordered && values[k * least + i] >= 0 &&
                    (i == 0 || values[k * least + i] <= values[k * least + i - 1]);
          sum += values[k * least + i] * values[k * least + i];
        }
        verdict(ordered, "svd's order", t, m, n, count, 0);
        bound(fabs(sqrt(sum) - size), size, name, &a);
        if (job == 'N') continue;
        z *us = malloc((size_t)(m * least) * sizeof *us), *right = malloc((size_t)(least * n) * sizeof *right);
        for (int64_t j = 0; j < least; j++)
          for (int64_t i = 0; i < m; i++) us[i + j * m] = AT(&u, k, i, j) * values[k * least + j];
        for (int64_t j = 0; j < n; j++)
          for (int64_t i = 0; i < least; i++) right[i + j * least] = AT(&vh, k, i, j);
        z *p = product(us, right, m, least, n), *v = turned(&AT(&vh, k, 0, 0), vh.m.rows, n, 'C');
        snprintf(name, sizeof name, "svd '%c' %s |USV^H - A|", job, hard_names[h]);
        bound(distance(p, &AT(&a, k, 0, 0), m * n), size, name, &a);
        snprintf(name, sizeof name, "svd '%c' %s |U^H U - 1|", job, hard_names[h]);
        bound(defect(&AT(&u, k, 0, 0), m, u.m.columns), 1, name, &a);
        snprintf(name, sizeof name, "svd '%c' %s |V^H V - 1|", job, hard_names[h]);
        bound(defect(v, n, vh.m.rows), 1, name, &a);
        free(us);
        free(right);
        free(p);
        free(v);
      }
      free(values);
    }
    ma_buffer_release(s);
    ma_buffer_release(info);
    batch_free(&a);
    batch_free(&u);
    batch_free(&vh);
  }
}

static void test_eigh(ma_dtype t, int64_t n, int64_t count, bool lower, hard h) {
  ma_dtype real = ma_dtype_real(t);
  double *alone = NULL;
  for (int vectors = 0; vectors < 2; vectors++) {
    batch a = batch_new(t, n, n, count, 0);
    uint64_t start = seed;
    fill_hard(&a, h);
    if (vectors == 0) seed = start; /* the same matrices again */
    for (int64_t k = 0; k < count; k++)
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i <= j; i++) {
          z x = i == j ? creal(AT(&a, k, i, i)) : AT(&a, k, i, j);
          AT(&a, k, i, j) = x;
          AT(&a, k, j, i) = conj(x);
        }
    batch_move(&a, true);
    batch_move(&a, false);
    z *before = host_copy(&a);
    for (int64_t k = 0; k < count; k++) /* the other triangle holds something else */
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
          if (lower ? i < j : i > j) AT(&a, k, i, j) = 1e3;
    batch_move(&a, true);
    ma_buffer *w = block((size_t)(n * count) * ma_dtypes[real].itemsize), *info = infos_new(count);
    if (call_ok(table->eigh(stream, t, vectors, lower, &a.m, w->ptr, info->ptr), "eigh", t, n, n, count)) {
      double *values = reals(t, w->ptr, n * count);
      verdict(all_zero(info, count), "eigh's info", t, n, n, count, 0);
      batch_move(&a, false);
      for (int64_t k = 0; k < count; k++) {
        double size = norm(before + k * n * n, n * n), worst = 0;
        bool ordered = true;
        for (int64_t i = 1; i < n; i++) ordered = ordered && values[k * n + i] >= values[k * n + i - 1];
        verdict(ordered, "eigh's order", t, n, n, count, 0);
        for (int64_t i = 0; alone && i < n; i++) worst = fmax(worst, fabs(values[k * n + i] - alone[k * n + i]));
        bound(worst, size, "eigh: values with and without vectors", &a);
        if (!vectors) continue;
        z *v = &AT(&a, k, 0, 0), *av = product(before + k * n * n, v, n, n, n), *vw = host_copy(&a);
        for (int64_t j = 0; j < n; j++)
          for (int64_t i = 0; i < n; i++) vw[i + j * n] = v[i + j * n] * values[k * n + j];
        bound(distance(av, vw, n * n), size, "eigh |AV - VW|", &a);
        bound(defect(v, n, n), 1, "eigh |V^H V - 1|", &a);
        free(av);
        free(vw);
      }
      if (vectors) free(values);
      else alone = values;
    }
    free(before);
    ma_buffer_release(w);
    ma_buffer_release(info);
    batch_free(&a);
  }
  free(alone);
}

static void test_eig(ma_dtype t, int64_t n, int64_t count, hard h) {
  for (int vectors = 0; vectors < 2; vectors++) {
    batch a = batch_new(t, n, n, count, 0), v = batch_new(complex_of(t), n, n, count, 0),
          w = batch_new(complex_of(t), n, 1, count, 0);
    ma_buffer *info = infos_new(count);
    fill_hard(&a, h);
    batch_move(&a, true);
    batch_move(&a, false);
    z *before = host_copy(&a);
    ma_matrices none = { .data = NULL };
    if (call_ok(table->eig(stream, t, &a.m, w.m.data, vectors ? &v.m : &none, info->ptr), "eig", t, n, n, count)) {
      verdict(all_zero(info, count), "eig's info", t, n, n, count, 0);
      batch_move(&w, false);
      if (vectors) batch_move(&v, false);
      for (int64_t k = 0; k < count; k++) {
        z trace = 0, sum = 0;
        double size = norm(before + k * n * n, n * n), shortest = 1;
        for (int64_t i = 0; i < n; i++) trace += before[k * n * n + i + i * n], sum += AT(&w, k, i, 0);
        bound(cabs(trace - sum), size, "eig: sum of values", &a);
        if (!vectors) continue;
        z *x = &AT(&v, k, 0, 0), *ax = product(before + k * n * n, x, n, n, n),
          *xw = malloc((size_t)(n * n) * sizeof *xw);
        for (int64_t j = 0; j < n; j++) {
          shortest = fmin(shortest, norm(x + j * n, n));
          for (int64_t i = 0; i < n; i++) xw[i + j * n] = x[i + j * n] * AT(&w, k, j, 0);
        }
        bound(distance(ax, xw, n * n), size, "eig |AV - VW|", &a);
        verdict(shortest > 0.99, "eig: length of vectors", t, n, n, count, shortest);
        free(ax);
        free(xw);
      }
    }
    free(before);
    ma_buffer_release(info);
    batch_free(&a);
    batch_free(&v);
    batch_free(&w);
  }
}

/* ==== Times ======================================================================================================= */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

typedef struct timed {
  const char *name;
  ma_dtype dtype;
  char what, job;
  int64_t rows, columns, count, right;
} timed;

static ma_status run_timed(const timed *c, batch *a, batch *b, batch *u, batch *vh, void *values, void *tau,
                           void *pivot, void *info) {
  switch (c->what) {
  case 'c': return table->cholesky(stream, c->dtype, &a->m, info);
  case 'q': return table->qr(stream, c->dtype, &a->m, tau, info);
  case 's': return table->svd(stream, c->dtype, c->job, &a->m, values, &u->m, &vh->m, info);
  case 'e': return table->eigh(stream, c->dtype, c->job == 'V', true, &a->m, values, info);
  case 'g': return table->eig(stream, c->dtype, &a->m, values, &u->m, info);
  default: {
    ma_status status = table->lu(stream, c->dtype, &a->m, pivot, info);
    return status == MA_OK ? table->lu_solve(stream, c->dtype, 'N', &a->m, pivot, &b->m) : status;
  }
  }
}

static void time_all(void) {
  static const timed cases[] = {
    { "svd1000 S", MA_FLOAT64, 's', 'S', 1000, 1000, 1, 1 },
    { "svd1000 A", MA_FLOAT64, 's', 'A', 1000, 1000, 1, 1 },
    { "svdvals1000", MA_FLOAT64, 's', 'N', 1000, 1000, 1, 1 },
    { "svd 4000 x 500 S", MA_FLOAT64, 's', 'S', 4000, 500, 1, 1 },
    { "svd 10000 x 16 x 16", MA_FLOAT64, 's', 'S', 16, 16, 10000, 1 },
    { "svd 20 x 100 x 100", MA_FLOAT64, 's', 'S', 100, 100, 20, 1 },
    { "eigh2000", MA_FLOAT64, 'e', 'V', 2000, 2000, 1, 1 },
    { "eigh 1000 x 32 x 32", MA_FLOAT64, 'e', 'V', 32, 32, 1000, 1 },
    { "eigh 100 x 256 x 256", MA_FLOAT64, 'e', 'V', 256, 256, 100, 1 },
    { "eig500", MA_FLOAT64, 'g', 'V', 500, 500, 1, 1 },
    { "solve4096, 16", MA_FLOAT64, 'l', 0, 4096, 4096, 1, 16 },
    { "cholesky4096", MA_FLOAT64, 'c', 0, 4096, 4096, 1, 1 },
    { "qr4096 (reflectors)", MA_FLOAT64, 'q', 0, 4096, 4096, 1, 1 },
    { "solve 10000 x 32 x 32", MA_FLOAT32, 'l', 0, 32, 32, 10000, 1 },
    { "solve 100 x 256 x 256", MA_FLOAT64, 'l', 0, 256, 256, 100, 1 },
    { "solve 100 x 512 x 512", MA_FLOAT64, 'l', 0, 512, 512, 100, 1 },
    { "solve 100 x 513 x 513", MA_FLOAT64, 'l', 0, 513, 513, 100, 1 },
    { "cholesky 100 x 512 x 512", MA_FLOAT64, 'c', 0, 512, 512, 100, 1 },
    { "cholesky 100 x 513 x 513", MA_FLOAT64, 'c', 0, 513, 513, 100, 1 },
    { "qr 100 x 256 x 256", MA_FLOAT64, 'q', 0, 256, 256, 100, 1 },
    { "qr 100 x 257 x 257", MA_FLOAT64, 'q', 0, 257, 257, 100, 1 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const timed *c = &cases[i];
    batch a = batch_new(c->dtype, c->rows, c->columns, c->count, 0),
          b = batch_new(c->dtype, c->rows, c->right, c->count, 0);
    int64_t least = c->rows < c->columns ? c->rows : c->columns, rows = c->job == 'A' ? c->rows : least;
    batch u = batch_new(c->what == 'g' ? MA_COMPLEX128 : c->dtype, c->rows, rows, c->count, 0),
          vh = batch_new(c->dtype, least, c->columns, c->count, 0);
    ma_buffer *values = block((size_t)(c->rows * c->count) * 16), *tau = block((size_t)(c->rows * c->count) * 16);
    ma_buffer *pivot = block((size_t)(c->rows * c->count) * 8), *info = infos_new(c->count);
    double best = INFINITY;
    batch_random(&a);
    batch_random(&b);
    for (int64_t k = 0; k < c->count; k++) /* symmetric and positive definite, for whom it may concern */
      for (int64_t j = 0; j < c->columns && c->what != 's' && c->what != 'g'; j++)
        for (int64_t r = 0; r <= j; r++)
          AT(&a, k, j, r) = AT(&a, k, r, j) = AT(&a, k, r, j) + (r == j ? (double)c->rows : 0);
    for (int turn = 0; turn < 4; turn++) {
      batch_move(&a, true);
      batch_move(&b, true);
      device->backend->stream.synchronize(stream);
      double start = now();
      if (!call_ok(run_timed(c, &a, &b, &u, &vh, values->ptr, tau->ptr, pivot->ptr, info->ptr), c->name, c->dtype,
                   c->rows, c->columns, c->count))
        break;
      device->backend->stream.synchronize(stream);
      if (turn && now() - start < best) best = now() - start;
    }
    printf("%-28s %10.3f ms\n", c->name, best);
    ma_buffer_release(values);
    ma_buffer_release(tau);
    ma_buffer_release(pivot);
    ma_buffer_release(info);
    batch_free(&a);
    batch_free(&b);
    batch_free(&u);
    batch_free(&vh);
  }
}

/* ================================================================================================================== */

#define EACH_DTYPE(call)          \
  do {                            \
    for (int d = 0; d < 4; d++) { \
      ma_dtype t = dtypes[d];     \
      call;                       \
    }                             \
  } while (0)

static void test_all(void) {
  static const int64_t sizes[] = { 1, 2, 17, 33, 130 };
  for (int i = 0; i < 5; i++)
    for (int c = 0; c < 3; c++) {
      int64_t n = sizes[i], count = (int64_t[]){ 1, 3, 40 }[c], pad = c == 1 ? 3 : 0;
      if (n > 100 && count > 3) count = 10;
      EACH_DTYPE(test_cholesky(t, n, count, pad));
      EACH_DTYPE(test_lu(t, n, n, count, pad));
      EACH_DTYPE(test_lu(t, n + 5, n, count, pad));
      EACH_DTYPE(test_lu(t, n, 2 * n + 1, count, pad));
      EACH_DTYPE(test_qr(t, n, n, count, pad));
      EACH_DTYPE(test_qr(t, 2 * n + 1, n, count, pad));
      EACH_DTYPE(test_qr(t, n, n + 4, count, pad));
      EACH_DTYPE(test_eigh(t, n, count, c & 1, RANDOM));
      EACH_DTYPE(test_triangular(t, n, 3, count, pad));
      for (int h = 0; h < NHARD && n <= 40; h++) {
        EACH_DTYPE(test_svd(t, n, n, count, (hard)h));
        EACH_DTYPE(test_svd(t, n + 7, n, count, (hard)h));
        EACH_DTYPE(test_svd(t, n, n + 9, count, (hard)h));
      }
      if (table->eig && n <= 40) EACH_DTYPE(test_eig(t, n, count > 3 ? 3 : count, RANDOM));
    }
  EACH_DTYPE(test_lu_singular(t, 20, 1));
  EACH_DTYPE(test_lu_singular(t, 20, 5));
  EACH_DTYPE(test_qr_complete(t, 50, 20));
  EACH_DTYPE(test_triangular(t, 70, 3, 4, 0));
  for (int h = 0; h < NHARD; h++) {
    EACH_DTYPE(test_svd(t, 100, 100, 1, (hard)h));
    EACH_DTYPE(test_svd(t, 120, 100, 3, (hard)h));
    EACH_DTYPE(test_svd(t, 70, 90, 3, (hard)h));
    EACH_DTYPE(test_svd(t, 150, 60, 2, (hard)h));
    EACH_DTYPE(test_svd(t, 60, 150, 2, (hard)h));
    EACH_DTYPE(test_eigh(t, 100, 2, true, (hard)h));
    EACH_DTYPE(test_eigh(t, 40, 1, false, (hard)h));
    if (table->eig) EACH_DTYPE(test_eig(t, 100, 1, (hard)h));
  }
  /* one by one beyond the batched functions */
  test_cholesky(MA_FLOAT64, 520, 2, 0);
  test_lu(MA_COMPLEX64, 520, 520, 2, 0);
  test_eigh(MA_FLOAT32, 520, 2, false, RANDOM);
  test_svd(MA_FLOAT64, 300, 300, 1, RANDOM);
}

int main(int argc, char **argv) {
  const char *name = argc > 1 && strcmp(argv[1], "time") ? argv[1] : "cuda";
  if (ma_device_get(name, &device) != MA_OK) {
    printf("skipped: no GPU (%s)\n", ma_message());
    return 0;
  }
  stream = ma_device_null_stream(device);
  table = &device->backend->linalg;
  if (!table || !table->cholesky) {
    printf("skipped: no linear algebra of the GPU on %s\n", name);
    return 0;
  }
  double start = now();
  test_all();
  printf("%.1f s\n", (now() - start) * 1e-3);
  if (!strcmp(argv[argc - 1], "time")) time_all();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
