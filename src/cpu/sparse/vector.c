/*
** vector.c: a stretch of the product with a vector (product.c), or of the sums of rows. It is built without vectors of
** the processor: their elements would come from places all over x, and rows are short.
*/
#include "cpu/sparse/sparse.h"

#define EACH "cpu/sparse/vector_loops.h"
#include "cpu/sparse/each.h"

static ma_sparse_part *const vector_of[2][MA_NSPARSE_VALUE] = NAMES(vector);

ma_sparse_part *ma_cpu_sparse_vector(ma_dtype index, ma_dtype dtype) {
  return vector_of[index == MA_INT64][ma_sparse_value(dtype)];
}
