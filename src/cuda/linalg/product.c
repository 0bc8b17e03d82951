/* product.c: products of small matrices by a kernel that the host launches in half of the time in which cuBLAS
** chooses one of its kernels. Larger products and other dtypes are in blas.c. */
#include "cuda/cuda.h"

#include "backend/linalg.h"
#include "tuning.h"

static void print_product(ma_ctext *text, const void *what) {
  ma_ctext_add(text, "typedef %s item;\n", *(const uint8_t *)what == MA_FLOAT32 ? "float" : "double");
  ma_ctext_put(text, ma_embedded("product.cuh"));
}

static const ma_cuda_family family = { "product", { "multiply" }, print_product, NULL };

bool ma_cuda_product_is_small(const ma_matmul *g) {
  int64_t count = g->nbatch ? g->batch[0] : 1;
  if ((g->dtype != MA_FLOAT32 && g->dtype != MA_FLOAT64) || g->nbatch > 1 || g->k > TUNE_PRODUCT_TERMS) return false;
  return g->m <= TUNE_PRODUCT_WORK && g->n <= TUNE_PRODUCT_WORK / g->m && count <= TUNE_PRODUCT_WORK / (g->m * g->n) &&
         g->m * g->n * count <= TUNE_PRODUCT_WORK / g->k;
}

ma_status ma_cuda_product_small(ma_stream *stream, const ma_matmul *g) {
  struct {
    void *data[3];
    uint32_t m, n, k, total;
    int64_t row[3], column[3], step[3];
  } job = { .m = (uint32_t)g->m,
            .n = (uint32_t)g->n,
            .k = (uint32_t)g->k,
            .total = (uint32_t)(g->m * g->n * (g->nbatch ? g->batch[0] : 1)) };
  uint8_t dtype = (uint8_t)g->dtype;
  const CUfunction *entry;
  for (int k = 0; k < 3; k++) {
    job.data[k] = g->data[k];
    job.row[k] = g->row[k];
    job.column[k] = g->column[k];
    job.step[k] = g->nbatch ? g->step[k][0] : 0;
  }
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &dtype, sizeof dtype, &dtype, &entry));
  return ma_cuda_launch(stream, entry[0], (job.total + MA_THREADS - 1) / MA_THREADS, MA_THREADS, 0, (void *[]){ &job },
                        "matmul", (g->m * g->k + g->k * g->n + g->m * g->n) * ma_dtypes[g->dtype].itemsize);
}

ma_status ma_cuda_product_source(ma_dtype dtype, char **source) {
  uint8_t what = (uint8_t)dtype;
  return ma_cuda_source(&family, &what, source);
}
