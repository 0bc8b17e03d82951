/* integers_loops.h: the loops of integers.c for one width. The text before it defines NAME and X. Sums wrap, so the
** order of the terms changes nothing. */
#define LANES (LANES_BYTES / (int)sizeof(X))
#define ROWS (ROWS_BYTES / (int)sizeof(X))
typedef X NAME(half) __attribute__((vector_size(LANES_BYTES / 2)));

/* Strips of LANES rows of a block of a, each with its columns one after another; 0 below the last row. */
static void NAME(pack_a)(X *to, const X *a, int64_t row, int64_t column, int rows, int depth) {
  for (int i = 0; i < rows; i += LANES, to += (size_t)depth * LANES)
    for (int q = 0; q < depth; q++)
      for (int v = 0; v < LANES; v++) to[q * LANES + v] = i + v < rows ? a[(i + v) * row + q * column] : 0;
}

/* COLUMNS columns of a block of b, side by side; 0 beyond the last. */
static void NAME(pack_b)(X *to, const X *b, int64_t down, int64_t across, int columns, int depth) {
  for (int q = 0; q < depth; q++)
    for (int p = 0; p < COLUMNS; p++) to[q * COLUMNS + p] = p < columns ? b[q * down + p * across] : 0;
}

/* Adds a tile of products to c, or with `first` writes it. */
FOR_AVX512 static void NAME(tile)(const X *a, const X *b, int depth, X *c, int64_t ld, int rows, int columns,
                                  bool first) {
  NAME(half) sum[COLUMNS][2] = { { { 0 } } };
  for (int q = 0; q < depth; q++, a += LANES, b += COLUMNS) {
    const NAME(half) *x = (const NAME(half) *)a;
#pragma GCC unroll 4
    for (int p = 0; p < COLUMNS; p++) {
      sum[p][0] += x[0] * b[p];
      sum[p][1] += x[1] * b[p];
    }
  }
  for (int p = 0; p < columns; p++, c += ld) {
    X each[LANES];
    memcpy(each, sum[p], sizeof each);
    for (int i = 0; i < rows; i++) c[i] = first ? each[i] : c[i] + each[i];
  }
}

static void NAME(multiply)(const ma_cpu_integers *w, void *block, void *strip) {
  const X *a = w->a, *b = w->b;
  for (int64_t k = 0; k < w->k; k += DEPTH) {
    const int depth = w->k - k < DEPTH ? (int)(w->k - k) : DEPTH;
    for (int64_t i = 0; i < w->m; i += ROWS) {
      const int rows = w->m - i < ROWS ? (int)(w->m - i) : ROWS;
      NAME(pack_a)(block, a + i * w->row + k * w->column, w->row, w->column, rows, depth);
      for (int64_t j = 0; j < w->n; j += COLUMNS) {
        const int columns = w->n - j < COLUMNS ? (int)(w->n - j) : COLUMNS;
        NAME(pack_b)(strip, b + k * w->down + j * w->across, w->down, w->across, columns, depth);
        for (int s = 0; s < rows; s += LANES) NAME(tile)
        ((const X *)block + (size_t)s * depth, strip, depth, (X *)w->c + i + s + j * w->ld, w->ld,
         rows - s < LANES ? rows - s : LANES, columns, k == 0);
      }
    }
  }
}
#undef LANES
#undef ROWS
#undef NAME
#undef X
