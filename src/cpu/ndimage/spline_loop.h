/* spline_loop.h: the loops of spline.c for one dtype, over a tile of n rows. Defined before: T, NAMED(name). */

/* Gives the first row what comes from the line's continuation in front of it. Powers that would change nothing are left
** out. */
static void NAMED(begin)(T *c, const ma_spline_filter *f, int64_t width, double z) {
  int64_t n = f->n, count = f->mode == MA_EDGE_MIRROR ? n - 1 : n;
  double last = pow(z, (double)(f->mode == MA_EDGE_MIRROR ? n - 1 : n));
  for (int64_t j = 0; j < width; j++) {
    double first = c[j], sum = first, power = z;
    const T *end = c + (n - 1) * width + j;
    if (f->mode != MA_EDGE_GRID_WRAP) sum += last * *end;
    for (int64_t i = 1; i < count && fabs(power) > 1e-20; i++, power *= z) {
      if (f->mode == MA_EDGE_GRID_WRAP) sum += power * end[-(i - 1) * width];
      else sum += power * (c[i * width + j] + last * end[-i * width]);
    }
    if (f->mode == MA_EDGE_GRID_WRAP) sum /= 1 - last;
    else if (f->mode == MA_EDGE_MIRROR) sum /= 1 - last * last;
    else sum = sum * (z / (1 - last * last)) + first;
    c[j] = (T)sum;
  }
}

/* Gives the last row what it needs before the filter goes back. */
static void NAMED(turn)(T *c, const ma_spline_filter *f, int64_t width, double z) {
  int64_t n = f->n;
  T *end = c + (n - 1) * width;
  for (int64_t j = 0; j < width; j++) {
    if (f->mode == MA_EDGE_MIRROR) end[j] = (T)((z * end[j - width] + end[j]) * z / (z * z - 1));
    else if (f->mode == MA_EDGE_REFLECT) end[j] = (T)(end[j] * (z / (z - 1)));
    else {
      double sum = end[j], power = z;
      for (int64_t i = 0; i < n - 1 && fabs(power) > 1e-20; i++, power *= z) sum += power * c[i * width + j];
      end[j] = (T)(sum * (z / (pow(z, (double)n) - 1)));
    }
  }
}

FOR_AVX2 static void NAMED(forth)(T *restrict c, const T *restrict before, T z, int64_t width) {
  for (int64_t j = 0; j < width; j++) c[j] += z * before[j];
}
FOR_AVX2 static void NAMED(back)(T *restrict c, const T *restrict behind, T z, int64_t width) {
  for (int64_t j = 0; j < width; j++) c[j] = z * (behind[j] - c[j]);
}
FOR_AVX2 static void NAMED(scale)(T *c, T gain, int64_t n) {
  for (int64_t j = 0; j < n; j++) c[j] *= gain;
}

/* Filters one line in both directions. Its steps are too short to be calls. */
static void NAMED(forth_one)(T *c, T z, int64_t n) {
  for (int64_t i = 1; i < n; i++) c[i] += z * c[i - 1];
}
static void NAMED(back_one)(T *c, T z, int64_t n) {
  for (int64_t i = n - 2; i >= 0; i--) c[i] = z * (c[i + 1] - c[i]);
}

static void NAMED(filter)(T *c, const ma_spline_filter *f, int64_t width) {
  double pole[2];
  int npole = ma_spline_poles(f->order, pole);
  NAMED(scale)(c, (T)ma_spline_gain(npole, pole), f->n * width);
  for (int k = 0; k < npole; k++) {
    NAMED(begin)(c, f, width, pole[k]);
    if (width == 1) NAMED(forth_one)(c, (T)pole[k], f->n);
    for (int64_t i = 1; i < f->n && width > 1; i++) NAMED(forth)(c + i * width, c + (i - 1) * width, (T)pole[k], width);
    NAMED(turn)(c, f, width, pole[k]);
    if (width == 1) NAMED(back_one)(c, (T)pole[k], f->n);
    for (int64_t i = f->n - 2; i >= 0 && width > 1; i--)
      NAMED(back)(c + i * width, c + (i + 1) * width, (T)pole[k], width);
  }
}

#undef T
#undef NAMED
