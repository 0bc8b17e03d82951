/* drawn.c: the loops of operations that draw (program.h), for elements in a row, some steps apart, or at any places. */
#include "backend/random.h"
#include "cpu/cpu.h"
#include "kernels/random/element.h"

/* Elements that are apart are picked from all between them, if these are no more than so many times as many. */
#define DENSE 4
typedef char room[DENSE * MA_BLOCK * sizeof(double)];

static void draw_element(const ma_drawn *drawn, int64_t place, void *to, int i) {
  const ma_drawing d = { .key = drawn->key, .element = (uint64_t)place, .draw = drawn->draw };
  bool uniform = drawn->kind == MA_RANDOM_uniform;
  if (drawn->dtype == MA_FLOAT32)
    ((float *)to)[i] = uniform ? ma_element_uniform_f(d, 0, 24) : ma_element_normal_f(d, 0);
  else ((double *)to)[i] = uniform ? ma_element_uniform_d(d, 0) : ma_element_normal_d(d, 0);
}

#define PICK(T, from) \
  for (int i = 0; i < n; i++) ((T *)to)[i] = ((const T *)all)[from]

/* At most MA_BLOCK elements, `step` apart. */
static void draw_in_step(const ma_drawn *drawn, int64_t first, int64_t step, int n, void *to) {
  _Alignas(MA_ALIGN) room all;
  int64_t start = step < 0 ? (1 - n) * step : 0, low = first - start;
  if (step == 1) ma_cpu_drawn(drawn, first, n, to);
  else if (step <= DENSE && step >= -DENSE) {
    ma_cpu_drawn(drawn, low, (step < 0 ? -step : step) * (n - 1) + 1, all);
    if (drawn->dtype == MA_FLOAT32) PICK(float, start + i * step);
    else PICK(double, start + i * step);
  } else
    for (int i = 0; i < n; i++) draw_element(drawn, first + i * step, to, i);
}

/* At most MA_BLOCK elements at any places. */
static void draw_apart(const ma_drawn *drawn, const int64_t *place, int n, void *to) {
  _Alignas(MA_ALIGN) room all;
  int64_t low = place[0], high = place[0];
  for (int i = 1; i < n; i++) {
    low = place[i] < low ? place[i] : low;
    high = place[i] > high ? place[i] : high;
  }
  if (high - low < DENSE * n) {
    ma_cpu_drawn(drawn, low, high - low + 1, all);
    if (drawn->dtype == MA_FLOAT32) PICK(float, place[i] - low);
    else PICK(double, place[i] - low);
  } else
    for (int i = 0; i < n; i++) draw_element(drawn, place[i], to, i);
}

/* The key and the draw are those of the first element for all. The result may lie where the places do. */
static void run(ma_random_kind kind, ma_dtype dtype, void *to, const void *places, const void *key, const void *draw,
                int n) {
  const int64_t *place = places;
  int64_t first = place[0], step = place[1];
  bool in_step = place[2] == MA_IN_STEP;
  ma_drawn drawn = { .kind = (uint8_t)kind, .dtype = dtype };
  char *at = to;
  drawn.key = *(const uint64_t *)key;
  drawn.draw = (uint32_t) * (const uint64_t *)draw;
  for (int m; n > 0; n -= m, place += m, first += m * step, at += m * ma_dtypes[dtype].itemsize) {
    m = n < MA_BLOCK ? n : MA_BLOCK;
    if (in_step) draw_in_step(&drawn, first, step, m, at);
    else draw_apart(&drawn, place, m, at);
  }
}

#define LOOP(kind, suffix, dtype)                                                                                  \
  static void draw_##kind##_##suffix(void *r, const void *x, const void *y, const void *z, const void *w, int n) { \
    run(MA_RANDOM_##kind, dtype, r, x, y, z, n);                                                                   \
  }
LOOP(uniform, f4, MA_FLOAT32)
LOOP(uniform, f8, MA_FLOAT64)
LOOP(normal, f4, MA_FLOAT32)
LOOP(normal, f8, MA_FLOAT64)

ma_loop *ma_cpu_draw_loop(ma_opcode op, ma_dtype dtype) {
  static const struct {
    ma_opcode op;
    ma_loop *narrow, *wide;
  } loops[] = { { MA_DO_draw_uniform, draw_uniform_f4, draw_uniform_f8 },
                { MA_DO_draw_normal, draw_normal_f4, draw_normal_f8 } };
  int k = 0;
  while (loops[k].op != op) k++;
  return dtype == MA_FLOAT64 ? loops[k].wide : loops[k].narrow;
}
