/*
** extreme.c: the extremes of the rows of a CSR matrix, by kernels/sparse/csr_extreme.cuh. Some threads of a warp take a
** row. Rows that are much longer are listed, as product.c does; nobody waits for the length of the longest.
*/
#include "cuda/sparse/sparse.h"

#include <string.h>

#define THREADS 256
#define SHORT 32 /* entries that a thread takes of a row; longer rows are listed */

typedef struct variant {
  uint16_t op;
  uint8_t dtype, index, lanes, list, order, arg;
} variant;

static void print_extreme(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_print_csr_op(text, (ma_opcode)v->op, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_add(text,
               "#define LANES %d\n#define LIST %d\n#define LIMIT %d\n#define CHUNK %d\n#define ORDER %d\n"
               "#define ARG %d\n",
               v->lanes, v->list, v->lanes * SHORT, MA_CSR_CHUNK, v->order, v->arg);
  ma_ctext_put(text, ma_embedded("csr_long.cuh"));
  ma_ctext_put(text, ma_embedded("csr_extreme.cuh"));
}

static const ma_cuda_family families[] = {
  { "csr_extreme", { "csr_extreme" }, print_extreme, NULL },
  { "csr_extreme", { "csr_extreme", "csr_extreme_long" }, print_extreme, NULL }
};

/* A thread has 4 loads in flight at once, which is about its share of a row. */
static variant variant_of(const ma_sparse_extreme *e) {
  variant v;
  const ma_sparse *a = &e->a;
  memset(&v, 0, sizeof v);
  v.op = (uint16_t)e->op;
  v.dtype = (uint8_t)a->dtype;
  v.index = (uint8_t)a->index;
  v.lanes = ma_cuda_csr_lanes((a->nnz + 4 * a->rows - 1) / (4 * a->rows));
  v.list = (a->longest <= 0 || a->longest > v.lanes * SHORT) && a->nnz > v.lanes * SHORT;
  v.order = a->order != NULL;
  v.arg = e->at != NULL;
  return v;
}

static ma_status run(ma_stream *stream, const CUfunction *entry, const variant *v, extreme_params *p, int64_t nbytes) {
  int64_t per_block = THREADS / v->lanes, blocks = (p->rows + per_block - 1) / per_block;
  int64_t most = 8 * (int64_t)ma_cuda_state(stream)->sm_count, listed = (p->list.capacity + 7) / 8;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld rows; a GPU takes fewer at once", (long long)p->rows);
  MA_TRY(ma_cuda_launch(stream, entry[0], (unsigned)blocks, THREADS, 0, (void *[]){ p }, "csr_extreme", nbytes));
  if (!v->list) return MA_OK;
  return ma_cuda_launch(stream, entry[1], (unsigned)(listed < most ? listed : most), THREADS, 0, (void *[]){ p },
                        "csr_extreme_long", 0);
}

ma_status ma_cuda_sparse_extreme(ma_stream *stream, const ma_sparse_extreme *e) {
  const ma_sparse *a = &e->a;
  const CUfunction *entry;
  ma_buffer *memory = NULL;
  variant v = variant_of(e);
  int64_t size = ma_dtypes[a->dtype].itemsize, index = ma_dtypes[a->index].itemsize;
  extreme_params p = { .indptr = a->indptr,
                       .indices = a->indices,
                       .order = a->order,
                       .data = a->data,
                       .to = e->to,
                       .at = e->at,
                       .rows = a->rows,
                       .columns = a->columns,
                       .nnz = a->nnz };
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &families[v.list], &v, sizeof v, &v, &entry));
  if (v.list) MA_TRY(ma_cuda_csr_list(stream, a->nnz, v.lanes * SHORT, 32, 1, &p.list, &memory));
  ma_status status = run(stream, entry, &v, &p, a->nnz * (size + (a->order ? index : 0)) + a->rows * (index + 8));
  if (memory) ma_buffer_release(memory);
  return status;
}

ma_status ma_cuda_sparse_extreme_source(ma_opcode op, ma_dtype dtype, ma_dtype index, bool list, bool arg,
                                        char **source) {
  variant v = { .op = (uint16_t)op,
                .dtype = (uint8_t)dtype,
                .index = (uint8_t)index,
                .lanes = 8,
                .list = list,
                .order = list,
                .arg = arg };
  return ma_cuda_source(&families[list], &v, source);
}
