/* groups.c: sums over the elements of each label, on a GPU: a launch of kernels/ndimage/groups.cuh. */
#include "cuda/ndimage/morphology.h"

/* Everything that the text depends on; compared as bytes. */
typedef struct variant {
  uint8_t wide, dtype, term;
} variant;

static void print_groups(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_ctext_add(text, "#define LABEL %s\n#define ITEM %s\n#define TERM %d\n", v->wide ? "long long" : "int",
               v->dtype == MA_FLOAT32 ? "float" : "double", v->term);
  ma_ctext_put(text, ma_embedded("groups.cuh"));
}

static const ma_cuda_family family = { "groups", { "groups_add" }, print_groups, NULL };

ma_status ma_cuda_groups_source(bool wide, ma_dtype dtype, int term, char **source) {
  variant v = { wide, (uint8_t)dtype, (uint8_t)term };
  return ma_cuda_source(&family, &v, source);
}

ma_status ma_cuda_morphology_groups(ma_stream *stream, const ma_groups *g) {
  variant v = { g->label_dtype == MA_INT64, (uint8_t)g->dtype, !g->values ? 0 : g->centres ? 2 : g->inner ? 3 : 1 };
  const CUfunction *entry;
  /* The same struct is in kernels/ndimage/groups.cuh. */
  struct {
    const void *labels, *values;
    const double *centres;
    double *sums;
    int64_t n, first, count, inner, extent;
  } job = { g->labels, g->values, g->centres, g->sums, g->n, g->first, g->count, g->inner, g->extent };
  int64_t blocks = (g->n + MA_THREADS * 8 - 1) / (MA_THREADS * 8), most = (int64_t)ma_cuda_state(stream)->sm_count * 8;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  CUresult result = ma_cu.cuMemsetD8Async((CUdeviceptr)(uintptr_t)g->sums, 0, (size_t)g->count * sizeof(double),
                                          ma_cuda_queue(stream));
  if (result != CUDA_SUCCESS) return ma_cuda_fail(MA_CU_cuMemsetD8Async, result);
  return ma_cuda_launch(stream, entry[0], (unsigned)(blocks < most ? blocks : most), MA_THREADS, 0, (void *[]){ &job },
                        "groups", g->n * (ma_dtypes[g->label_dtype].itemsize + (g->values ? 8 : 0)));
}
