/*
** straight.c: the most frequent form of a program that waits: its operands have one shape and lie in C order. It is
** written directly into its pending program, without intermediate structs. Other forms go through inline.c, which makes
** the same bytes, since both ways build by splice.h.
*/
#include "run/run.h"
#include "run/look.h"

/* ==== Which operands ============================================================================================= */

/* A bound on the size of the joined program. */
typedef struct bound {
  int ninput, nscalar, ncode;
  bool packed; /* all are without gaps */
} bound;

/* Whether the array has the shape and the steps of the pending result. */
static inline bool is_whole(const ma_array *array, const ma_pending *p) {
  int ndim = array->ndim;
  const int64_t *shape = p->shape, *stride = p->stride;
  if (array->offset || array->dtype != p->dtype || ndim != p->bound.ndim) return false;
  for (int d = 0; d < ndim; d++)
    if (array->shape[d] != shape[d] || array->stride[d] != stride[d]) return false;
  return true;
}

static inline bool in_c_order(const ma_array *array, bool *packed) {
  int64_t least = 1, step = ma_dtypes[array->dtype].itemsize;
  for (int d = array->ndim - 1; d >= 0; d--) {
    if (array->stride[d] < least) return false;
    *packed &= array->stride[d] == step;
    least = array->stride[d];
    step *= array->shape[d];
  }
  return true;
}

/* Counts a pending operand that is read as a whole. Usually its result is packed, and then the array is too. */
static inline bool takes_pending(const ma_array *array, const ma_pending *p, bound *b) {
  b->ninput += p->bound.ninput;
  b->nscalar += p->bound.nscalar;
  b->ncode += p->bound.ncode;
  b->packed &= p->packed;
  return !p->absorbed && is_whole(array, p) && (p->packed || in_c_order(array, &b->packed)) && !ma_pending_learned(p);
}

static inline bool takes(const ma_array *array, bool gaps, bound *b) {
  const ma_pending *p = array->buffer->pending;
  if (p && !p->folds) return takes_pending(array, p, b);
  b->ninput++;
  return !gaps || in_c_order(array, &b->packed);
}

/* ==== The program ================================================================================================ */

/* Adds operand k, whose program is absorbed; returns its register. */
static inline int add_operand(ma_pending *p, const ma_array *const *input, int k, const uint8_t *reg) {
  const ma_array *array = input[k];
  ma_pending *from = array->buffer->pending;
  uint8_t own[MA_MAX_REGS];
  if (!from || from->folds)
    return ma_bound_input(&p->bound, array->buffer, array->offset, array->dtype, array->stride, true);
  for (int j = 0; j < k; j++)
    if (input[j]->buffer == array->buffer) return reg[j];
  ma_splice(&p->bound, &from->bound, own, true);
  ma_pending_absorb(from);
  return own[from->output];
}

static inline void lay_out(ma_array *result, ma_dtype dtype, const ma_array *first, ma_pending *p) {
  int64_t step = ma_dtypes[dtype].itemsize, *shape = p->shape, *stride = p->stride;
  int ndim = first->ndim;
  result->dtype = (uint8_t)dtype;
  result->ndim = (uint8_t)ndim;
  result->readonly = result->is_view = 0;
  result->size = first->size;
  result->offset = 0;
  for (int d = ndim - 1; d >= 0; d--) {
    int64_t extent = first->shape[d];
    result->shape[d] = shape[d] = extent;
    result->stride[d] = stride[d] = step;
    step *= extent;
  }
}

/* Whether no two arrays are in the same memory, which one input may stand for. */
static inline bool are_apart(int n, const ma_array *const *input) {
  for (int k = 1; k < n; k++)
    for (int j = 0; j < k; j++)
      if (input[j]->buffer == input[k]->buffer) return false;
  return true;
}

/* Copies the whole program, whose registers keep their numbers. */
static inline void copy_program(ma_pending *p, const ma_program *program, const ma_array *const *input,
                                const ma_value *scalar) {
  int ninput = program->ninput, nscalar = program->nscalar, ncode = program->ncode, ndim = p->bound.ndim;
  ma_reading *reading = p->bound.reading;
  int64_t *step = p->bound.step;
  ma_instr *code = p->bound.code;
  for (int k = 0; k < ninput; k++, step += ndim) {
    const ma_array *array = input[k];
    p->bound.input_dtype[k] = array->dtype;
    reading[k].buffer = array->buffer;
    reading[k].offset = array->offset;
    for (int d = 0; d < ndim; d++) step[d] = array->stride[d];
  }
  for (int k = 0; k < nscalar; k++) {
    p->bound.scalar_dtype[k] = program->scalar_dtype[k];
    p->bound.scalar[k] = scalar[k];
  }
  for (int k = 0; k < ncode; k++) code[k] = program->code[k];
  p->bound.ninput = (uint8_t)ninput;
  p->bound.nscalar = (uint8_t)nscalar;
  p->bound.ncode = (uint8_t)ncode;
  p->output = program->output[0];
}

/* Adds the program, whose pending operands are taken in. */
static inline void join_program(ma_pending *p, const ma_program *program, const ma_array *const *input,
                                const ma_value *scalar) {
  uint8_t reg[MA_MAX_REGS];
  for (int k = 0; k < program->ninput; k++) reg[k] = (uint8_t)add_operand(p, input, k, reg);
  ma_splice_code(&p->bound, program->nscalar, program->scalar_dtype, scalar, program->ncode, program->code, reg, true);
  p->output = reg[program->output[0]];
}

bool ma_record_straight(const ma_look *l, const ma_program *program, const ma_array *const *input,
                        const ma_value *scalar, ma_array *result, ma_stream *stream) {
  ma_buffer *buffer;
  bound b = { .ninput = program->ninput, .nscalar = program->nscalar, .ncode = program->ncode, .packed = true };
  /* all operands are packed and in memory of their own */
  bool plain = !(l->facts & (MA_FACT_GAPS | MA_FACT_WAITS)) && are_apart(program->ninput, input);
  if (l->facts & MA_FACT_APART) return false;
  if (!plain) {
    b.ninput = 0;
    for (int k = 0; k < program->ninput; k++)
      if (!takes(input[k], l->facts & MA_FACT_GAPS, &b)) return false;
    if (!ma_program_fits(b.ninput, b.nscalar, b.ncode)) return false;
  }
  ma_pending *p = ma_pending_new(l->deferral, b.ninput, b.nscalar, b.ncode, l->ndim);
  if (!p) return false;
  ma_dtype dtype = ma_program_dtype(program, program->output[0]);
  if (ma_handle_bare(stream->device, (size_t)l->size * ma_dtypes[dtype].itemsize, &buffer) != MA_OK) {
    ma_pending_spare(p);
    return false;
  }
  p->packed = b.packed;
  lay_out(result, dtype, input[0], p);
  if (plain) copy_program(p, program, input, scalar);
  else join_program(p, program, input, scalar);
  ma_pending_open(p, buffer, result, stream);
  return true;
}
