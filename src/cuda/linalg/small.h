/* small.h: kernels of many small matrices, of which a group of lanes has one: what shapes their texts. */
#ifndef MOONARRAY_CUDA_SMALL_H
#define MOONARRAY_CUDA_SMALL_H

#include "cuda/cuda.h"

typedef struct ma_small_variant {
  uint8_t dtype, rows; /* lanes of a matrix: a power of 2 */
} ma_small_variant;

static inline ma_small_variant ma_small_variant_of(ma_dtype dtype, int64_t rows) {
  ma_small_variant v = { .dtype = (uint8_t)dtype, .rows = 4 };
  while (v.rows < rows) v.rows = (uint8_t)(2 * v.rows);
  return v;
}

/* Prints a kernel of kernels/linalg, which stands behind small.cuh. */
static inline void ma_small_print(ma_ctext *text, const ma_small_variant *v, int threads, const char *file) {
  bool is_double = v->dtype == MA_FLOAT64 || v->dtype == MA_COMPLEX128;
  ma_ctext_add(text, "typedef %s real;\n#define COMPLEX %d\n#define N %d\n#define THREADS %d\n",
               is_double ? "double" : "float", ma_dtypes[v->dtype].kind == MA_KIND_COMPLEX, v->rows, threads);
  ma_ctext_put(text, ma_embedded("small.cuh"));
  ma_ctext_put(text, ma_embedded(file));
}

#endif
