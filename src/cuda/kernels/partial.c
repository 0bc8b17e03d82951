/* partial.c: partial results that several processes have of one reduction, merged on a GPU by
** kernels/reduce/partial.cuh. */
#include "cuda/kernels/fold.h"

#define BLOCK 128

typedef struct variant {
  uint8_t op, value, result, masked;
} variant;

static void print(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_fold_print_monoid(text, (ma_reduce_op)v->op, (ma_dtype)v->value, (ma_dtype)v->result, v->masked);
  ma_ctext_put(text, ma_embedded("partial.cuh"));
}

static const ma_cuda_family family = { "merge_parts", { "merge_parts" }, print, NULL };

static variant variant_of(const ma_reduction *how) {
  return (variant){ (uint8_t)how->op, (uint8_t)ma_fold_value(how->program), (uint8_t)how->result,
                    how->program->noutput > 1 };
}

size_t ma_cuda_reduce_partial(const ma_reduction *how) { return (size_t)ma_fold_partial(how->op, how->program); }

ma_status ma_cuda_reduce_merge(ma_stream *stream, const ma_reduction *how, void *parts, int nparts, int64_t n,
                               void *result) {
  variant v = variant_of(how);
  const CUfunction *entry;
  struct {
    const void *from;
    void *out;
    int64_t n, nparts, count;
    double param;
  } params = { parts, result, n, nparts, how->count, how->param };
  int64_t bytes = n * (nparts * (int64_t)ma_cuda_reduce_partial(how) + ma_dtypes[how->result].itemsize);
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  return ma_cuda_launch(stream, entry[0], (unsigned)((n + BLOCK - 1) / BLOCK), BLOCK, 0, (void *[]){ &params },
                        "merge parts", bytes);
}

ma_status ma_cuda_reduce_merge_source(const ma_reduction *how, char **source) {
  variant v = variant_of(how);
  return ma_cuda_source(&family, &v, source);
}
