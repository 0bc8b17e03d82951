/*
** order.c: the order of entries, by kernels/sparse/csr_order.cuh and the sort of all arrays: transposes, sorted rows,
** entries in any order by rows. A sort moves keys of a row and a column, as short as the matrix allows, and the place
** of each entry; the values are moved once.
*/
#include "cuda/sparse/sparse.h"

#include "cuda/kernels/sort.h"
#include "memory/graph.h"

#include <string.h>

#define THREADS 256
#define PART (8 * THREADS) /* entries of a block, the same as in csr_order.cuh */

enum { EXPAND, TURN, SORT, COMPRESS };

/* dtype: MA_UINT8 where no value is read. */
typedef struct variant {
  uint8_t dtype, index, wide_keys;
} variant;

static void print_order(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_print_csr(text, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_put(text, v->wide_keys ? "typedef u8 key;\n" : "typedef u4 key;\n");
  ma_ctext_put(text, ma_embedded("csr_order.cuh"));
}

static const ma_cuda_family families[] = {
  { "csr_expand", { "csr_expand" }, print_order, NULL },
  { "csr_turn", { "csr_turn" }, print_order, NULL },
  { "csr_sort", { "csr_keys", "csr_unkey" }, print_order, NULL },
  { "coo_compress", { "coo_keys", "coo_count", "coo_offsets", "coo_add" }, print_order, NULL }
};

/* ==== Steps ======================================================================================================= */

static ma_status find(ma_stream *stream, int family, ma_dtype dtype, ma_dtype index, bool wide_keys,
                      const CUfunction **entry) {
  variant v = { (uint8_t)dtype, (uint8_t)index, wide_keys };
  return ma_cuda_kernel(ma_cuda_state(stream), &families[family], &v, sizeof v, &v, entry);
}

static ma_status launch(ma_stream *stream, CUfunction function, order_params *p, int64_t per_block, const char *name,
                        int64_t nbytes) {
  int64_t blocks = (p->nnz + per_block - 1) / per_block;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld entries; a GPU takes fewer at once", (long long)p->nnz);
  return ma_cuda_launch(stream, function, (unsigned)blocks, THREADS, 0, (void *[]){ p }, name, nbytes);
}

/* Writes ones, the indptr of a matrix without entries. */
static ma_status fill_ones(ma_stream *stream, ma_dtype index, void *indptr, int64_t n) {
  ma_program program;
  ma_map map = { .program = &program, .space = { .ndim = 1, .noperand = 1, .shape = { n } } };
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_scalar(&program, index));
  map.space.stride[0][0] = ma_dtypes[index].itemsize;
  map.scalar[0].i = 1;
  map.data[0] = indptr;
  return ma_cuda_map_run(stream, &map);
}

static ma_status expand(ma_stream *stream, const ma_sparse *a, void *row) {
  const CUfunction *entry;
  order_params p = { .indptr = a->indptr, .to_indices = row, .rows = a->rows, .nnz = a->nnz };
  MA_TRY(find(stream, EXPAND, MA_UINT8, a->index, false, &entry));
  return launch(stream, entry[0], &p, PART, "csr_expand", (a->nnz + a->rows) * ma_dtypes[a->index].itemsize);
}

ma_status ma_cuda_sparse_expand(ma_stream *stream, const ma_sparse *a, void *row) {
  MA_TRY(ma_cuda_enter(stream->device));
  return a->nnz ? expand(stream, a, row) : MA_OK;
}

/* ==== Transposes ================================================================================================== */

static ma_status transpose(ma_stream *stream, const ma_sparse *a, const ma_csr_room *to, char *scratch) {
  size_t size = ma_dtypes[a->index].itemsize, n = (size_t)a->nnz;
  const CUfunction *entry;
  ma_sort sort = { .dtype = size == 8 ? MA_UINT64 : MA_UINT32,
                   .rows = 1,
                   .n = a->nnz,
                   .from = a->indices,
                   .to = scratch + 8 * n,
                   .positions = (int64_t *)(void *)scratch };
  void *row = scratch + (8 + size) * n;
  order_params p = { .column = sort.to,
                     .from_row = row,
                     .data = a->data,
                     .order = sort.positions,
                     .to_indptr = to->indptr,
                     .to_indices = to->indices,
                     .to_data = to->data,
                     .rows = a->rows,
                     .columns = a->columns,
                     .nnz = a->nnz };
  MA_TRY(find(stream, TURN, a->dtype, a->index, false, &entry));
  MA_TRY(expand(stream, a, row));
  MA_TRY(ma_cuda_sort_sort(stream, &sort));
  return launch(stream, entry[0], &p, THREADS, "csr_turn",
                a->nnz * (8 + 3 * (int64_t)size + 2 * ma_dtypes[a->dtype].itemsize));
}

ma_status ma_cuda_sparse_transpose(ma_stream *stream, const ma_sparse *a, const ma_csr_room *to) {
  ma_buffer *scratch;
  MA_TRY(ma_cuda_enter(stream->device));
  if (a->nnz == 0) return fill_ones(stream, a->index, to->indptr, a->columns + 1);
  MA_TRY(ma_cuda_scratch(stream, (size_t)a->nnz * (8 + 2 * (size_t)ma_dtypes[a->index].itemsize), &scratch));
  ma_status status = transpose(stream, a, to, scratch->ptr);
  ma_buffer_release(scratch);
  return status;
}

ma_status ma_cuda_csr_turn(ma_stream *stream, const ma_sparse *a, ma_sparse *turned, ma_buffer **memory) {
  size_t index = ma_dtypes[a->index].itemsize, n = (size_t)a->nnz;
  size_t data = (n * ma_dtypes[a->dtype].itemsize + 15) & ~(size_t)15, indices = (n * index + 15) & ~(size_t)15;
  MA_TRY(ma_cuda_scratch(stream, data + indices + (size_t)(a->columns + 1) * index, memory));
  char *at = (*memory)->ptr;
  ma_csr_room room = { at + data + indices, at + data, at };
  *turned = *a;
  turned->rows = a->columns;
  turned->columns = a->rows;
  turned->longest = 0;
  turned->indptr = room.indptr;
  turned->indices = room.indices;
  turned->data = room.data;
  ma_status status = ma_cuda_sparse_transpose(stream, a, &room);
  if (status != MA_OK) ma_buffer_release(*memory);
  return status;
}

/* ==== Sorted rows ================================================================================================= */

static uint32_t bits_of(int64_t n) {
  uint32_t bits = 0;
  while (bits < 63 && (n - 1) >> bits) bits++;
  return bits;
}

ma_status ma_cuda_coo_keys(int64_t rows, int64_t columns, ma_coo_keys *keys) {
  uint32_t above = bits_of(rows);
  keys->shift = bits_of(columns);
  keys->wide = above + keys->shift > 31;
  if (above + keys->shift <= 64) return MA_OK;
  return ma_fail(MA_ERR_VALUE, "%lld rows and %lld columns; a sort on a GPU takes 2^64 places at most", (long long)rows,
                 (long long)columns);
}

static ma_status sort_rows(ma_stream *stream, const ma_sparse *a, const ma_csr_room *to) {
  size_t n = (size_t)a->nnz, item = ma_dtypes[a->dtype].itemsize;
  const CUfunction *entry;
  ma_buffer *scratch;
  ma_coo_keys keys;
  MA_TRY(ma_cuda_coo_keys(a->rows, a->columns, &keys));
  MA_TRY(find(stream, SORT, a->dtype, a->index, keys.wide, &entry));
  MA_TRY(ma_cuda_scratch(stream, n * (8 + 8 + item), &scratch));
  char *at = scratch->ptr;
  ma_sort sort = { .dtype = keys.wide ? MA_UINT64 : MA_UINT32,
                   .rows = 1,
                   .n = a->nnz,
                   .from = at + 8 * n,
                   .to = at + 8 * n,
                   .positions = (int64_t *)(void *)at };
  order_params p = { .indptr = a->indptr,
                     .column = a->indices,
                     .data = at + 16 * n,
                     .keys = sort.to,
                     .order = sort.positions,
                     .to_indices = to->indices,
                     .to_data = to->data,
                     .to_keys = sort.to,
                     .rows = a->rows,
                     .columns = a->columns,
                     .nnz = a->nnz,
                     .shift = keys.shift };
  ma_status status = ma_cuda_memory_copy(stream, at + 16 * n, a->data, n * item, MA_COPY_WITHIN);
  if (status == MA_OK) status = launch(stream, entry[0], &p, PART, "csr_keys", a->nnz * 12);
  if (status == MA_OK) status = ma_cuda_sort_sort(stream, &sort);
  if (status == MA_OK) status = launch(stream, entry[1], &p, THREADS, "csr_unkey", a->nnz * (20 + 2 * (int64_t)item));
  ma_buffer_release(scratch);
  return status;
}

/* ==== COO to CSR ================================================================================================== */

ma_status ma_cuda_csr_array(ma_stream *stream, ma_dtype dtype, int64_t n, ma_array *made, void **at) {
  *at = NULL;
  MA_TRY(ma_array_new(made, stream->device, dtype, 1, &n));
  if (n == 0) return MA_OK;
  ma_status status = ma_array_write(made, stream, at);
  if (status != MA_OK) ma_array_release(made);
  return status;
}

void ma_cuda_csr_drop(ma_csr_arrays *made) {
  ma_array *arrays[] = { &made->indptr, &made->indices, &made->data };
  for (int k = 0; k < 3; k++)
    if (arrays[k]->buffer) ma_array_release(arrays[k]);
}

size_t ma_cuda_coo_scratch(int64_t nnz) { return (size_t)nnz * 16 + (size_t)((nnz + PART - 1) / PART + 1) * 8; }

ma_status ma_cuda_csr_offsets(ma_stream *stream, ma_dtype dtype, ma_dtype index, bool wide, int64_t *counts,
                              int64_t parts) {
  const CUfunction *entry;
  order_params p = { .counts = counts, .parts = parts };
  MA_TRY(find(stream, COMPRESS, dtype, index, wide, &entry));
  return ma_cuda_launch(stream, entry[2], 1, THREADS, 0, (void *[]){ &p }, "coo_offsets", parts * 16);
}

ma_status ma_cuda_csr_scan(ma_stream *stream, ma_dtype dtype, ma_dtype index, bool wide, int64_t *counts, int64_t parts,
                           int64_t *all) {
  MA_TRY(ma_cuda_csr_offsets(stream, dtype, index, wide, counts, parts));
  return ma_cuda_peek_bytes(stream, all, counts + parts, sizeof *all);
}

ma_status ma_cuda_coo_finish(ma_stream *stream, const ma_sparse *a, const ma_coo_keys *keys, void *indptr,
                             int64_t before, ma_csr_arrays *result) {
  size_t n = (size_t)a->nnz;
  char *at = keys->scratch;
  int64_t nnz, key = keys->wide ? 8 : 4, item = ma_dtypes[a->dtype].itemsize, index = ma_dtypes[a->index].itemsize;
  const CUfunction *entry;
  ma_sort sort = { .dtype = keys->wide ? MA_UINT64 : MA_UINT32,
                   .rows = 1,
                   .n = a->nnz,
                   .from = ma_cuda_coo_keys_at(keys, a->nnz),
                   .to = ma_cuda_coo_keys_at(keys, a->nnz),
                   .positions = (int64_t *)(void *)at };
  order_params p = { .data = a->data,
                     .keys = sort.to,
                     .order = sort.positions,
                     .to_indptr = indptr,
                     .counts = (int64_t *)(void *)(at + 16 * n),
                     .rows = a->rows,
                     .columns = a->columns,
                     .nnz = a->nnz,
                     .parts = (a->nnz + PART - 1) / PART,
                     .before = before,
                     .shift = keys->shift };
  MA_TRY(find(stream, COMPRESS, a->dtype, a->index, keys->wide, &entry));
  MA_TRY(ma_cuda_sort_sort(stream, &sort));
  MA_TRY(launch(stream, entry[1], &p, PART, "coo_count", a->nnz * key));
  MA_TRY(ma_cuda_csr_scan(stream, a->dtype, a->index, keys->wide, p.counts, p.parts, &nnz));
  MA_TRY(ma_cuda_csr_array(stream, a->index, nnz, &result->indices, &p.to_indices));
  MA_TRY(ma_cuda_csr_array(stream, a->dtype, nnz, &result->data, &p.to_data));
  return launch(stream, entry[3], &p, PART, "coo_add", a->nnz * (key + 8 + item) + nnz * (item + index));
}

void *ma_cuda_coo_keys_at(const ma_coo_keys *keys, int64_t nnz) { return keys->scratch + 8 * (size_t)nnz; }

static ma_status compress(ma_stream *stream, const ma_sparse *a, ma_coo_keys *keys, void *indptr,
                          ma_csr_arrays *result) {
  const CUfunction *entry;
  bool entries = a->kind == MA_SPARSE_ENTRIES;
  order_params p = { .row = a->indptr,
                     .indptr = a->indptr,
                     .column = a->indices,
                     .to_keys = ma_cuda_coo_keys_at(keys, a->nnz),
                     .rows = a->rows,
                     .columns = a->columns,
                     .nnz = a->nnz,
                     .shift = keys->shift };
  MA_TRY(find(stream, entries ? COMPRESS : SORT, a->dtype, a->index, keys->wide, &entry));
  MA_TRY(launch(stream, entry[0], &p, entries ? THREADS : PART, entries ? "coo_keys" : "csr_keys",
                a->nnz * ((keys->wide ? 8 : 4) + 2 * ma_dtypes[a->index].itemsize)));
  return ma_cuda_coo_finish(stream, a, keys, indptr, 0, result);
}

ma_status ma_cuda_csr_empty(ma_stream *stream, ma_dtype dtype, ma_dtype index, int64_t rows, ma_csr_arrays *result) {
  void *at;
  memset(result, 0, sizeof *result);
  ma_status status = ma_cuda_csr_array(stream, index, rows + 1, &result->indptr, &at);
  if (status == MA_OK) status = fill_ones(stream, index, at, rows + 1);
  if (status == MA_OK) status = ma_cuda_csr_array(stream, index, 0, &result->indices, &at);
  if (status == MA_OK) status = ma_cuda_csr_array(stream, dtype, 0, &result->data, &at);
  if (status != MA_OK) ma_cuda_csr_drop(result);
  return status;
}

/* Sorts the rows of a matrix. The number of entries stays. */
static ma_status sorted(ma_stream *stream, const ma_sparse *a, ma_csr_arrays *result) {
  ma_csr_room to;
  size_t ends = (size_t)(a->rows + 1) * ma_dtypes[a->index].itemsize;
  MA_TRY(ma_cuda_csr_array(stream, a->index, a->rows + 1, &result->indptr, &to.indptr));
  MA_TRY(ma_cuda_csr_array(stream, a->index, a->nnz, &result->indices, &to.indices));
  MA_TRY(ma_cuda_csr_array(stream, a->dtype, a->nnz, &result->data, &to.data));
  MA_TRY(ma_cuda_memory_copy(stream, to.indptr, a->indptr, ends, MA_COPY_WITHIN));
  return sort_rows(stream, a, &to);
}

/* Sorts the rows, or brings entries into rows, and adds up those of one place. */
static ma_status summed(ma_stream *stream, const ma_sparse *a, ma_csr_arrays *result) {
  ma_buffer *scratch;
  ma_coo_keys keys;
  void *indptr;
  MA_TRY(ma_cuda_coo_keys(a->rows, a->columns, &keys));
  MA_TRY(ma_cuda_scratch(stream, ma_cuda_coo_scratch(a->nnz), &scratch));
  keys.scratch = scratch->ptr;
  ma_status status = ma_cuda_csr_array(stream, a->index, a->rows + 1, &result->indptr, &indptr);
  if (status == MA_OK) status = compress(stream, a, &keys, indptr, result);
  ma_buffer_release(scratch);
  return status;
}

ma_status ma_cuda_sparse_order(ma_stream *stream, const ma_sparse *a, bool sum, ma_csr_arrays *result) {
  MA_TRY(ma_cuda_enter(stream->device));
  if (a->nnz == 0) return ma_cuda_csr_empty(stream, a->dtype, a->index, a->rows, result);
  if (sum && stream->capture) return ma_capture_refuse(stream);
  memset(result, 0, sizeof *result);
  ma_status status = sum ? summed(stream, a, result) : sorted(stream, a, result);
  if (status != MA_OK) ma_cuda_csr_drop(result);
  return status;
}

ma_status ma_cuda_sparse_order_source(ma_dtype dtype, ma_dtype index, bool wide_keys, char **source) {
  variant v = { (uint8_t)dtype, (uint8_t)index, wide_keys };
  return ma_cuda_source(&families[COMPRESS], &v, source);
}
