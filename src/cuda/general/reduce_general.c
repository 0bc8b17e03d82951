/*
** reduce_general.c: the general form of reductions of an array's elements, with a cast or without. Its text depends on
** the reduction and the dtype of its values alone. A block folds a span of a result along the tree of reduce.h.
*/
#include "cuda/kernels/fold.h"
#include "cuda/general/general.h"

#include <string.h>

#define MOST_BLOCKS 65536
#define MERGE_BLOCK 256

typedef struct kind {
  uint8_t op, value, result; /* ma_reduce_op; dtypes of a value and of the result */
} kind;

static void print(ma_ctext *text, const void *what) {
  const kind *k = what;
  ma_fold_print_monoid(text, (ma_reduce_op)k->op, (ma_dtype)k->value, (ma_dtype)k->result, false);
  ma_general_print(text, 1u << k->value, true);
  ma_ctext_add(text, "#define VALUE %s\n", ma_cuda_suffix((ma_dtype)k->value));
  ma_ctext_put(text, ma_embedded("split.cuh"));
  ma_ctext_put(text, ma_embedded("reduce_general.cuh"));
}

static const ma_cuda_family family = { "reduce_general", { "reduce", "merge" }, print, NULL };

/* The struct of reduce_general.cuh. */
typedef struct params {
  char *in, *out, *partial;
  uint64_t kept, count, span, nspan;
  double param;
  int32_t dtype, nkept, naxis, unused;
  uint64_t extent[MA_MAX_NDIM];
  int64_t in_stride[MA_MAX_NDIM], out_stride[MA_MAX_NDIM];
} params;

/* Whether values of the dtype have general forms: sums and products of uint8 and bool are uint64. */
static bool has_values(ma_dtype dtype) { return ma_general_has(dtype) || dtype == MA_UINT64; }

/* The input whose elements are reduced, with a cast or without; -1: values are computed, or elements are left out. */
static int input_of(const ma_reduction *r) {
  const ma_program *p = r->program;
  if (p->body || p->noutput != 1 || r->starts || r->has_initial || r->result == MA_NDTYPE || r->count == 0) return -1;
  int reg = p->output[0];
  if (!has_values(ma_program_dtype(p, reg))) return -1;
  if (reg >= MA_REG_CODE && p->code[reg - MA_REG_CODE].op == MA_CAST) reg = p->code[reg - MA_REG_CODE].arg[0];
  return reg < MA_REG_SCALAR && ma_general_has(ma_program_dtype(p, reg)) ? reg : -1;
}

static void set_params(params *to, const ma_reduction *r, int input) {
  const ma_space *s = &r->space;
  memset(to, 0, sizeof *to);
  to->out = r->data[0];
  to->in = r->data[1 + input];
  to->kept = 1;
  for (int d = 0; d < s->ndim; d++) {
    if (d < r->nkept) to->kept *= (uint64_t)s->shape[d];
    to->extent[d] = (uint64_t)s->shape[d];
    to->out_stride[d] = s->stride[0][d];
    to->in_stride[d] = s->stride[1 + input][d];
  }
  to->count = (uint64_t)r->count;
  to->span = (uint64_t)red_span((int64_t)to->kept, r->count);
  to->nspan = (to->count + to->span * RED_CHUNK - 1) / (to->span * RED_CHUNK);
  to->param = r->param;
  to->dtype = r->program->input_dtype[input];
  to->nkept = r->nkept;
  to->naxis = s->ndim;
}

static unsigned blocks(uint64_t units) { return units < MOST_BLOCKS ? (unsigned)units : MOST_BLOCKS; }

static ma_status launch(ma_stream *stream, const ma_reduction *r, params *p, const CUfunction *entry) {
  void *list[] = { p };
  const char *name = ma_reduces[r->op].name;
  int64_t bytes = ma_cuda_times() ? ma_fold_bytes(r->program, &r->space, false) : 0;
  MA_TRY(ma_cuda_launch(stream, entry[0], blocks(p->kept * p->nspan), RED_LEAVES, 0, list, name, bytes));
  if (p->nspan == 1) return MA_OK;
  return ma_cuda_launch(stream, entry[1], blocks(p->kept), MERGE_BLOCK, 0, list, "merge spans", 0);
}

ma_status ma_reduce_run_general(ma_stream *stream, const ma_reduction *r, bool *taken) {
  const CUfunction *entry;
  ma_buffer *partial = NULL;
  params p;
  int input = input_of(r);
  *taken = false;
  if (input < 0) return MA_OK;
  kind what = { (uint8_t)r->op, (uint8_t)ma_fold_value(r->program), (uint8_t)r->result };
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel_general(ma_cuda_state(stream), &family, &what, sizeof what, &what, &entry));
  if (!entry) return MA_OK;
  *taken = true;
  set_params(&p, r, input);
  if (p.nspan > 1)
    MA_TRY(ma_cuda_scratch(stream, (size_t)(p.kept * p.nspan) * (size_t)ma_fold_partial(r->op, r->program), &partial));
  if (partial) p.partial = partial->ptr;
  ma_status status = launch(stream, r, &p, entry);
  if (partial) ma_buffer_release(partial);
  return status;
}
