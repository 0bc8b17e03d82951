/* general.c: the dtypes of general forms, and the text by which these read and write them. */
#include "cuda/general/general.h"

#include <string.h>

#define DTYPES(X) X(BOOL) X(UINT8) X(INT32) X(INT64) X(FLOAT32) X(FLOAT64)

bool ma_general_has(ma_dtype dtype) {
#define SET(name) | 1u << MA_##name
  return dtype < MA_NDTYPE && (0u DTYPES(SET)) >> dtype & 1;
#undef SET
}

static void move_axes(int64_t *axis, int at, int n, int by, int64_t value) {
  memmove(axis + at + by, axis + at, (size_t)(n - at) * sizeof *axis);
  for (int d = 0; d < by; d++) axis[at + d] = value;
}

void ma_general_pad(ma_space *space, int at, int ndim) {
  int by = ndim - space->ndim;
  if (by <= 0) return;
  move_axes(space->shape, at, space->ndim, by, 1);
  for (int k = 0; k < space->noperand; k++) move_axes(space->stride[k], at, space->ndim, by, 0);
  space->ndim = ndim;
}

void ma_general_print(ma_ctext *text, uint32_t registers, bool apart) {
  ma_ctext_add(text, "#define GENERAL_NDIM %d\n#define GENERAL_CALL %s\n#define GENERAL_DTYPES(X, t)", MA_MAX_NDIM,
               apart ? "__noinline__" : "__forceinline__");
#define PRINT(name) ma_ctext_add(text, " X(%d, %s, t)", MA_##name, ma_cuda_suffix(MA_##name));
  DTYPES(PRINT)
#undef PRINT
  ma_ctext_put(text, "\n#define GENERAL_REGISTERS(X)");
  for (int d = 0; d < MA_NDTYPE; d++)
    if (registers >> d & 1) ma_ctext_add(text, " X(%s)", ma_cuda_suffix((ma_dtype)d));
  ma_ctext_put(text, "\n");
  ma_ctext_put(text, ma_embedded("general.cuh"));
}
