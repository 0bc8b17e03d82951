/* csr.c: what the files of sparse matrices share: texts, lists of long rows, ends of rows. */
#include "cuda/sparse/sparse.h"

void ma_cuda_print_csr(ma_ctext *text, ma_dtype dtype, ma_dtype index) {
  bool wide = index == MA_INT64;
  ma_ctext_add(text, "typedef dt_%s dt;\ntypedef %s idx;\ntypedef %s uidx;\n#define OR %d\n", ma_cuda_suffix(dtype),
               wide ? "i8" : "i4", wide ? "u8" : "u4", dtype == MA_BOOL);
  ma_ctext_put(text, ma_embedded("csr.cuh"));
  ma_ctext_put(text, ma_embedded("params.h"));
}

void ma_cuda_print_csr_op(ma_ctext *text, ma_opcode op, ma_dtype dtype, ma_dtype index) {
  ma_program program;
  int args[2];
  ma_program_clear(&program);
  for (int k = 0; k < 2; k++) args[k] = ma_program_input(&program, dtype);
  ma_program_output(&program, ma_program_emit(&program, op, dtype, args));
  ma_print_program(text, &program);
  ma_cuda_print_csr(text, dtype, index);
}

uint8_t ma_cuda_csr_lanes(int64_t n) {
  uint8_t lanes = 1;
  while (lanes < 32 && lanes < n) lanes = (uint8_t)(2 * lanes);
  return lanes;
}

/* Makes an empty list of long rows. A row that is listed is longer than the limit, and takes at most one chunk more
** than it fills. A chunk takes 16 bytes in the list. */
ma_status ma_cuda_csr_list(ma_stream *stream, int64_t nnz, int64_t limit, size_t result_bytes, size_t strips,
                           long_list *list, ma_buffer **memory) {
  size_t n = (size_t)(nnz / MA_CSR_CHUNK + nnz / limit + 1);
  MA_TRY(ma_cuda_scratch(stream, 16 + n * (16 + result_bytes + strips * 4), memory));
  char *at = (*memory)->ptr;
  list->capacity = (int64_t)n;
  list->count = (uint32_t *)(void *)at;
  list->chunks = (void *)(at + 16);
  list->sums = at + 16 + n * 16;
  list->done = (uint32_t *)(void *)(at + 16 + n * (16 + result_bytes));
  CUresult result = ma_cu.cuMemsetD8Async((CUdeviceptr)(uintptr_t)at, 0, sizeof *list->count, ma_cuda_queue(stream));
  if (result == CUDA_SUCCESS) return MA_OK;
  ma_buffer_release(*memory);
  return ma_cuda_fail(MA_CU_cuMemsetD8Async, result);
}

ma_status ma_cuda_csr_ends(ma_stream *stream, ma_dtype index, int64_t n, void *counts, void *indptr) {
  ma_program program;
  int64_t size = ma_dtypes[index].itemsize;
  ma_scan job = { .op = MA_REDUCE_sum, .program = &program, .result = index, .data = { indptr, counts } };
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_input(&program, index));
  job.space = (ma_space){ .ndim = 2, .noperand = 2, .shape = { 1, n }, .stride = { { 0, size }, { 0, size } } };
  return ma_cuda_reduce_scan(stream, &job);
}

ma_status ma_cuda_csr_fits(ma_dtype index, int64_t nnz) {
  if (index == MA_INT64 || nnz < INT32_MAX) return MA_OK;
  return ma_fail(MA_ERR_VALUE, "a sparse matrix of %lld entries with int32 indices; wanted int64 indices",
                 (long long)nnz);
}
