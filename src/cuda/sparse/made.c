/*
** made.c: matrices that are made of others, by the texts of kernels/sparse/made.h: the entries of each unit of the
** result are counted, and then written. Columns by a list are rows of the transpose.
*/
#include "cuda/sparse/sparse.h"

#include "memory/graph.h"

#include <string.h>

#define THREADS 256

typedef struct variant {
  uint8_t dtype, index, kind, lanes;
} variant;

/* The same struct is in csr_made.cuh. */
typedef struct made_params {
  ma_sparse_make m;
  int64_t units, *ends;
  uint64_t *wrong;
} made_params;

/* The functions of a kind, and whether some threads can share a unit. */
static const struct {
  const char *name;
  bool shared;
} ways[MA_NMAKE] = { [MA_MAKE_ROWS] = { "rows", true },        [MA_MAKE_MASKED] = { "masked", false },
                     [MA_MAKE_FULL] = { "full", false },       [MA_MAKE_RANGE] = { "range", false },
                     [MA_MAKE_PUT] = { "put", false },         [MA_MAKE_STACK] = { "stack", true },
                     [MA_MAKE_KRON] = { "kron", true },        [MA_MAKE_UNBLOCK] = { "unblock", true },
                     [MA_MAKE_STRIPES] = { "stripes", false }, [MA_MAKE_BLOCK] = { "block", false } };

static void print_made(ma_ctext *text, const void *what) {
  const variant *v = what;
  const char *name = ways[v->kind].name;
  ma_cuda_print_csr(text, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_add(text, "#define LANES %d\n#define BY_LIST %d\n#define MADE_COUNT count_%s\n#define MADE_FILL fill_%s\n",
               v->lanes, v->kind == MA_MAKE_ROWS, name, name);
  ma_ctext_put(text, ma_embedded("csr_units.cuh"));
  ma_ctext_put(text, ma_embedded("made.h"));
  ma_ctext_put(text, ma_embedded("csr_made.cuh"));
}

static const ma_cuda_family family = { "csr_made", { "made_count", "made_fill" }, print_made, NULL };

static ma_status launch(ma_stream *stream, CUfunction function, made_params *p, int64_t threads, const char *name,
                        int64_t nbytes) {
  int64_t blocks = (threads + THREADS - 1) / THREADS;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld rows; a GPU takes fewer at once", (long long)p->units);
  return ma_cuda_launch(stream, function, (unsigned)blocks, THREADS, 0, (void *[]){ p }, name, nbytes);
}

/* Uploads what the host knows and the kernels read: pieces, or the offsets of diagonals and their rows of data. */
static ma_status upload(ma_stream *stream, ma_sparse_make *m, char *to) {
  size_t n = (size_t)m->a.nnz * 8;
  if (m->kind == MA_MAKE_STACK) {
    MA_TRY(ma_cuda_memory_copy(stream, to, m->pieces, (size_t)m->npiece * sizeof *m->pieces, MA_COPY_TO_DEVICE));
    m->pieces = (const void *)to;
  } else if (m->kind == MA_MAKE_STRIPES && n) {
    MA_TRY(ma_cuda_memory_copy(stream, to, m->a.offsets, n, MA_COPY_TO_DEVICE));
    MA_TRY(ma_cuda_memory_copy(stream, to + n, m->a.places, n, MA_COPY_TO_DEVICE));
    m->a.offsets = (const void *)to;
    m->a.places = (const void *)(to + n);
  }
  return MA_OK;
}

static size_t uploaded(const ma_sparse_make *m) {
  return m->kind == MA_MAKE_STACK     ? (size_t)m->npiece * sizeof *m->pieces
         : m->kind == MA_MAKE_STRIPES ? (size_t)m->a.nnz * 16
                                      : 0;
}

/* The first place in the list whose row is missing, and where the last unit ends, which are read together. */
typedef struct report {
  uint64_t wrong;
  int64_t end;
} report;

static ma_status run(ma_stream *stream, made_params *p, report *at, int64_t *counts, ma_csr_arrays *result,
                     int64_t *wrong) {
  ma_sparse_make *m = &p->m;
  ma_dtype dtype = (ma_dtype)m->a.dtype, index = (ma_dtype)m->a.index;
  variant v = { (uint8_t)dtype, (uint8_t)index, (uint8_t)m->kind, 1 };
  const CUfunction *entry;
  report seen;
  int64_t each = m->kind == MA_MAKE_BLOCK ? m->height * m->width : 1, *ends = counts + p->units + 1;
  /* units of few entries are taken by few threads; a result is about as dense as the matrix that it is made of */
  if (ways[m->kind].shared) v.lanes = ma_cuda_csr_lanes(m->a.rows ? m->a.nnz / m->a.rows / 2 : 1);
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  MA_CU(cuMemsetD8Async, (CUdeviceptr)(uintptr_t)at, 0xff, sizeof *at, ma_cuda_queue(stream));
  p->wrong = &at->wrong;
  p->ends = counts;
  MA_TRY(launch(stream, entry[0], p, p->units, "made_count", m->a.nnz * ma_dtypes[index].itemsize));
  MA_TRY(ma_cuda_csr_ends(stream, MA_INT64, p->units + 1, counts, ends));
  MA_TRY(ma_cuda_memory_copy(stream, &at->end, ends + p->units, 8, MA_COPY_WITHIN));
  MA_TRY(ma_cuda_peek_bytes(stream, &seen, at, sizeof seen));
  if (seen.wrong != UINT64_MAX) {
    *wrong = (int64_t)seen.wrong + 1;
    return MA_OK;
  }
  int64_t nnz = seen.end - 1;
  if (m->kind == MA_MAKE_FULL && nnz == m->a.nnz) return MA_OK;
  MA_TRY(ma_cuda_csr_fits(index, nnz));
  MA_TRY(ma_cuda_csr_array(stream, index, m->rows + 1, &result->indptr, &m->to_indptr));
  MA_TRY(ma_cuda_csr_array(stream, index, nnz, &result->indices, &m->to_indices));
  MA_TRY(ma_cuda_csr_array(stream, dtype, nnz * each, &result->data, &m->to_data));
  p->ends = ends;
  return launch(stream, entry[1], p, p->units * v.lanes, "made_fill",
                2 * nnz * (each * ma_dtypes[dtype].itemsize + ma_dtypes[index].itemsize));
}

/* Takes columns by a list: rows of the transpose, which is transposed back. */
static ma_status columns(ma_stream *stream, const ma_sparse_make *m, ma_csr_arrays *result, int64_t *wrong) {
  ma_sparse_make turned = { .kind = MA_MAKE_ROWS, .list = m->list, .nlist = m->nlist, .rows = m->nlist };
  ma_csr_arrays made;
  ma_csr_room to;
  ma_buffer *memory;
  MA_TRY(ma_cuda_csr_turn(stream, &m->a, &turned.a, &memory));
  ma_status status = ma_cuda_sparse_make(stream, &turned, &made, wrong);
  ma_buffer_release(memory);
  if (status != MA_OK || *wrong) return status;
  ma_sparse rows = turned.a;
  rows.rows = m->nlist;
  rows.nnz = made.data.size;
  memset(result, 0, sizeof *result);
  status = ma_array_read(&made.indptr, stream, &rows.indptr);
  if (status == MA_OK && rows.nnz) status = ma_array_read(&made.indices, stream, &rows.indices);
  if (status == MA_OK && rows.nnz) status = ma_array_read(&made.data, stream, &rows.data);
  if (status == MA_OK)
    status = ma_cuda_csr_array(stream, (ma_dtype)rows.index, m->rows + 1, &result->indptr, &to.indptr);
  if (status == MA_OK)
    status = ma_cuda_csr_array(stream, (ma_dtype)rows.index, rows.nnz, &result->indices, &to.indices);
  if (status == MA_OK) status = ma_cuda_csr_array(stream, (ma_dtype)rows.dtype, rows.nnz, &result->data, &to.data);
  if (status == MA_OK) status = ma_cuda_sparse_transpose(stream, &rows, &to);
  if (status != MA_OK) ma_cuda_csr_drop(result);
  ma_cuda_csr_drop(&made);
  return status;
}

ma_status ma_cuda_sparse_make(ma_stream *stream, const ma_sparse_make *m, ma_csr_arrays *result, int64_t *wrong) {
  made_params p = { .m = *m, .units = m->kind == MA_MAKE_UNBLOCK ? m->a.rows : m->rows };
  ma_buffer *scratch;
  *wrong = 0;
  MA_TRY(ma_cuda_enter(stream->device));
  if (stream->capture) return ma_capture_refuse(stream);
  if (m->kind == MA_MAKE_COLUMNS) return columns(stream, m, result, wrong);
  if (p.units == 0) return ma_cuda_csr_empty(stream, (ma_dtype)m->a.dtype, (ma_dtype)m->a.index, m->rows, result);
  size_t next = m->kind == MA_MAKE_BLOCK ? (size_t)m->a.rows : m->kind == MA_MAKE_STRIPES ? (size_t)m->rows : 0;
  size_t numbers = ((size_t)(p.units + 1) * 2 + next) * 8;
  memset(result, 0, sizeof *result);
  MA_TRY(ma_cuda_scratch(stream, sizeof(report) + numbers + uploaded(m), &scratch));
  report *at = scratch->ptr;
  int64_t *counts = (int64_t *)(void *)(at + 1);
  p.m.next = counts + 2 * (p.units + 1);
  ma_status status = upload(stream, &p.m, (char *)counts + numbers);
  if (status == MA_OK) status = run(stream, &p, at, counts, result, wrong);
  if (status != MA_OK) ma_cuda_csr_drop(result);
  ma_buffer_release(scratch);
  return status;
}

ma_status ma_cuda_sparse_make_source(ma_dtype dtype, ma_dtype index, int kind, char **source) {
  variant v = { (uint8_t)dtype, (uint8_t)index, (uint8_t)kind, ways[kind].shared ? 8 : 1 };
  return ma_cuda_source(&family, &v, source);
}
