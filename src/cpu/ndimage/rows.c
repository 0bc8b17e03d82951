/* rows.c: rows of elements as float32, float64, int64 or uint64 and back, and tiles of neighbouring lines. */
#include "cpu/ndimage/ndimage.h"
#include "cpu/map/wider.h"
#include "kernels/ndimage/edge.h"
#include "tuning.h"

#include <string.h>

/* ==== Rows ======================================================================================================== */

/* X(suffix, memory type, value of x[i]) for each real dtype */
#define REAL_DTYPES(X)                    \
  X(b1, uint8_t, x[i] != 0)               \
  X(i1, int8_t, x[i])                     \
  X(i2, int16_t, x[i])                    \
  X(i4, int32_t, x[i])                    \
  X(i8, int64_t, x[i])                    \
  X(u1, uint8_t, x[i])                    \
  X(u2, uint16_t, x[i])                   \
  X(u4, uint32_t, x[i])                   \
  X(u8, uint64_t, x[i])                   \
  X(f2, uint16_t, ma_f16_to_float(x[i]))  \
  X(bf, uint16_t, ma_bf16_to_float(x[i])) \
  X(f4, float, x[i])                      \
  X(f8, double, x[i])

#define LOAD(suffix, type, value)                                                \
  FOR_AVX2 static void load_f4_##suffix(void *to, const void *from, int64_t n) { \
    const type *x = from;                                                        \
    for (int64_t i = 0; i < n; i++) ((float *)to)[i] = (float)(value);           \
  }                                                                              \
  FOR_AVX2 static void load_f8_##suffix(void *to, const void *from, int64_t n) { \
    const type *x = from;                                                        \
    for (int64_t i = 0; i < n; i++) ((double *)to)[i] = (double)(value);         \
  }
REAL_DTYPES(LOAD)

#define STORE(suffix, type, value)                                                    \
  FOR_AVX2 static void cut_f4_##suffix(void *to, const void *from, int64_t n) {       \
    const float *x = from;                                                            \
    for (int64_t i = 0; i < n; i++) ((type *)to)[i] = ma_cut_##suffix((double)x[i]);  \
  }                                                                                   \
  FOR_AVX2 static void cut_f8_##suffix(void *to, const void *from, int64_t n) {       \
    const double *x = from;                                                           \
    for (int64_t i = 0; i < n; i++) ((type *)to)[i] = ma_cut_##suffix(x[i]);          \
  }                                                                                   \
  static void near_f4_##suffix(void *to, const void *from, int64_t n) {               \
    const float *x = from;                                                            \
    for (int64_t i = 0; i < n; i++) ((type *)to)[i] = ma_near_##suffix((double)x[i]); \
  }                                                                                   \
  static void near_f8_##suffix(void *to, const void *from, int64_t n) {               \
    const double *x = from;                                                           \
    for (int64_t i = 0; i < n; i++) ((type *)to)[i] = ma_near_##suffix(x[i]);         \
  }
REAL_DTYPES(STORE)

/* Copies the elements. int64 and uint64 compute only elements of their own dtype; a result of another dtype is cast. */
static void copy_i8(void *to, const void *from, int64_t n) { memcpy(to, from, (size_t)n * 8); }

#define TABLE(verb, reg)                                                                                   \
  {                                                                                                        \
    [MA_BOOL] = verb##_##reg##_b1, [MA_INT8] = verb##_##reg##_i1, [MA_INT16] = verb##_##reg##_i2,          \
    [MA_INT32] = verb##_##reg##_i4, [MA_INT64] = verb##_##reg##_i8, [MA_UINT8] = verb##_##reg##_u1,        \
    [MA_UINT16] = verb##_##reg##_u2, [MA_UINT32] = verb##_##reg##_u4, [MA_UINT64] = verb##_##reg##_u8,     \
    [MA_FLOAT16] = verb##_##reg##_f2, [MA_BFLOAT16] = verb##_##reg##_bf, [MA_FLOAT32] = verb##_##reg##_f4, \
    [MA_FLOAT64] = verb##_##reg##_f8                                                                       \
  }

ma_row_loop *ma_row_load(ma_dtype from, ma_dtype compute) {
  static ma_row_loop *const to_f4[MA_NDTYPE] = TABLE(load, f4), *const to_f8[MA_NDTYPE] = TABLE(load, f8);
  if (compute == MA_INT64 || compute == MA_UINT64) return copy_i8;
  return compute == MA_FLOAT32 ? to_f4[from] : to_f8[from];
}

ma_row_loop *ma_row_store(ma_dtype compute, ma_dtype to, bool near) {
  static ma_row_loop *const table[2][2][MA_NDTYPE] = { { TABLE(cut, f4), TABLE(cut, f8) },
                                                       { TABLE(near, f4), TABLE(near, f8) } };
  if (compute == MA_INT64 || compute == MA_UINT64) return copy_i8;
  return table[near][compute == MA_FLOAT64][to];
}

/* ==== Tiles ======================================================================================================= */

int64_t ma_tile_width(int64_t nbytes, int64_t lines) {
  int64_t width = TUNE_TILE_BYTES / nbytes;
  width = width > TUNE_TILE_MOST    ? TUNE_TILE_MOST
          : width < TUNE_TILE_LEAST ? TUNE_TILE_LEAST
                                    : width / TUNE_TILE_LEAST * TUNE_TILE_LEAST;
  return width < lines ? width : lines;
}

/* How many lines of the tile, from `line` on, are neighbours in the image. `at` of the tile's lines are done. */
static int64_t run_of(const ma_tile *t, int64_t line, int64_t at) {
  int64_t run = t->inner - line % t->inner;
  return run < t->width - at ? run : t->width - at;
}

static int64_t start_of(const ma_tile *t, int64_t line) { return line / t->inner * t->n * t->inner + line % t->inner; }

void ma_tile_load(const ma_tile *t, void *to, const void *image, ma_row_loop *load) {
  char *tile = to;
  if (t->inner == 1 && t->width > 1) {
    _Alignas(64) char some[TUNE_TILE_TURN * 8];
    for (int64_t c = 0; c < t->width; c++)
      for (int64_t i = 0; i < t->n; i += TUNE_TILE_TURN) {
        int64_t m = t->n - i < TUNE_TILE_TURN ? t->n - i : TUNE_TILE_TURN;
        load(some, (const char *)image + (size_t)((t->first + c) * t->n + i) * t->memory_size, m);
        if (t->size == 4)
          for (int64_t k = 0; k < m; k++) ((float *)to)[(i + k) * t->width + c] = ((const float *)(void *)some)[k];
        else
          for (int64_t k = 0; k < m; k++) ((double *)to)[(i + k) * t->width + c] = ((const double *)(void *)some)[k];
      }
    return;
  }
  for (int64_t at = 0, run; at < t->width; at += run) {
    int64_t line = t->first + at;
    run = run_of(t, line, at);
    for (int64_t i = 0; i < t->n; i++)
      load(tile + (size_t)(i * t->width + at) * t->size,
           (const char *)image + (size_t)(start_of(t, line) + i * t->inner) * t->memory_size, run);
  }
}

void ma_tile_store(const ma_tile *t, void *image, const void *from, ma_row_loop *store) {
  const char *tile = from;
  if (t->inner == 1 && t->width > 1) {
    _Alignas(64) char some[TUNE_TILE_TURN * 8];
    for (int64_t c = 0; c < t->width; c++)
      for (int64_t i = 0; i < t->n; i += TUNE_TILE_TURN) {
        int64_t m = t->n - i < TUNE_TILE_TURN ? t->n - i : TUNE_TILE_TURN;
        if (t->size == 4)
          for (int64_t k = 0; k < m; k++) ((float *)(void *)some)[k] = ((const float *)from)[(i + k) * t->width + c];
        else
          for (int64_t k = 0; k < m; k++) ((double *)(void *)some)[k] = ((const double *)from)[(i + k) * t->width + c];
        store((char *)image + (size_t)((t->first + c) * t->n + i) * t->memory_size, some, m);
      }
    return;
  }
  for (int64_t at = 0, run; at < t->width; at += run) {
    int64_t line = t->first + at;
    run = run_of(t, line, at);
    for (int64_t i = 0; i < t->n; i++)
      store((char *)image + (size_t)(start_of(t, line) + i * t->inner) * t->memory_size,
            tile + (size_t)(i * t->width + at) * t->size, run);
  }
}

void ma_tile_put(const ma_tile *t, void *to, int64_t column, const void *line) {
  for (int64_t i = 0; i < t->n; i++)
    if (t->size == 4) ((float *)to)[i * t->width + column] = ((const float *)line)[i];
    else ((double *)to)[i * t->width + column] = ((const double *)line)[i];
}

void ma_tile_get(const ma_tile *t, void *line, const void *from, int64_t column) {
  for (int64_t i = 0; i < t->n; i++)
    if (t->size == 4) ((float *)line)[i] = ((const float *)from)[i * t->width + column];
    else ((double *)line)[i] = ((const double *)from)[i * t->width + column];
}
