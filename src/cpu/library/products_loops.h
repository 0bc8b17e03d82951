/* products_loops.h: products of small matrices for one dtype, for linalg.c. The text before it defines NAME and X. A
** column of the result is a vector of WIDTH elements, of which the last ones may be of no use. */
#define MULTIPLY(WIDTH)                                                                                         \
  FOR_AVX2 static void NAME(multiply_##WIDTH)(const job *j, int m, int n, int k, const X *left, const X *right, \
                                              X *c) {                                                           \
    int64_t row = j->a.op == 'N' ? 1 : j->a.ld, column = j->a.op == 'N' ? j->a.ld : 1;                          \
    int64_t down = j->b.op == 'N' ? 1 : j->b.ld, across = j->b.op == 'N' ? j->b.ld : 1;                         \
    X a[TUNE_PRODUCT_SMALL][WIDTH] = { { 0 } };                                                                 \
    for (int i = 0; i < m; i++)                                                                                 \
      for (int q = 0; q < k; q++) a[q][i] = left[i * row + q * column];                                         \
    for (int p = 0; p < n; p++, right += across, c += j->ldc) {                                                 \
      X sum[WIDTH];                                                                                             \
      for (int i = 0; i < WIDTH; i++) sum[i] = a[0][i] * right[0];                                              \
      for (int q = 1; q < k; q++)                                                                               \
        for (int i = 0; i < WIDTH; i++) sum[i] += a[q][i] * right[q * down];                                    \
      if (m == WIDTH) memcpy(c, sum, sizeof sum);                                                               \
      else                                                                                                      \
        for (int i = 0; i < m; i++) c[i] = sum[i];                                                              \
    }                                                                                                           \
  }
MULTIPLY(4)
MULTIPLY(8)
MULTIPLY(16)

static void NAME(multiply)(const job *j, int m, int n, int k, const X *left, const X *right, X *c) {
  (m <= 4 ? NAME(multiply_4) : m <= 8 ? NAME(multiply_8) : NAME(multiply_16))(j, m, n, k, left, right, c);
}
#undef MULTIPLY
#undef NAME
#undef X
