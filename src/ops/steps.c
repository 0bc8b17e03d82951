/*
** steps.c: what takes several operations on arrays: reductions that are rounded step by step, log-sum-exp, folds of
** operations that have no monoid, and polynomials.
*/
#include "ops/reduce.h"
#include "program/loop.h"
#include "program/splice.h"

#include <math.h>
#include <string.h>

/* ==== Steps ====================================================================================================== */

#define MOST_STEPS 24

/* The arrays that steps made. After a failure nothing more is done. */
typedef struct steps {
  ma_array made[MOST_STEPS];
  int n;
  ma_status status;
  ma_stream *stream;
} steps;

static void begin(steps *s, ma_stream *stream) {
  s->n = 0;
  s->status = MA_OK;
  s->stream = stream;
}

static ma_array *take(steps *s) {
  ma_array *array = &s->made[s->n++];
  array->buffer = NULL;
  array->dtype = MA_BOOL; /* for an array that a failure leaves unmade */
  array->ndim = 0;
  return array;
}

static ma_status end(steps *s) {
  while (s->n > 0) ma_array_release(&s->made[--s->n]);
  return s->status;
}

#define STEP(s, call) \
  if ((s)->status == MA_OK) (s)->status = (call)

static ma_arg of_array(const ma_array *array) { return (ma_arg){ .array = array }; }
static ma_arg of_number(double x, ma_weak weak) {
  return (ma_arg){ .value = { .c = { x, 0 } }, .dtype = MA_FLOAT64, .weak = weak };
}

static const ma_array *apply(steps *s, ma_opcode op, ma_arg x, ma_arg y, ma_arg z) {
  ma_array *result = take(s);
  const ma_arg arg[3] = { x, y, z };
  STEP(s, ma_ufunc_apply(&op, 1, arg, MA_NDTYPE, NULL, &result, s->stream));
  return result;
}

static const ma_array *apply2(steps *s, ma_opcode op, const ma_array *x, const ma_array *y) {
  return apply(s, op, of_array(x), of_array(y), of_array(y));
}

static const ma_array *cast(steps *s, const ma_array *x, ma_dtype dtype) {
  ma_array *result = take(s);
  STEP(s, ma_array_copy(result, x, dtype, s->stream));
  return result;
}

/* ==== Means and spreads ========================================================================================== */

/* The number of elements of each result, in float64. */
static ma_arg count(steps *s, const ma_array *a, const ma_array *where, ma_nan nan, const ma_reduce_options *options) {
  const ma_reduce_options of_mask = { .axes = options->axes, .keepdims = options->keepdims, .dtype = MA_FLOAT64 };
  const ma_array *input[2] = { a, where };
  ma_program program;
  ma_value scalar;
  ma_reduce_source(&program, &scalar, (ma_dtype)a->dtype, nan, where != NULL);
  if (program.noutput == 1) {
    double n = 1;
    for (int d = 0; d < a->ndim; d++) n *= options->axes >> d & 1 ? (double)a->shape[d] : 1;
    return of_number(n, MA_STRONG);
  }
  program.output[0] = program.output[--program.noutput]; /* the mask alone */
  ma_array *n = take(s);
  STEP(s, ma_reduce_run(MA_REDUCE_sum, &program, input, &scalar, &of_mask, n, s->stream));
  return of_array(n);
}

/* The sum divided by the count less ddof, in float64. */
static const ma_array *quotient(steps *s, const ma_array *a, const ma_array *where, const ma_reduce_options *options,
                                double ddof) {
  ma_reduce_options plain = *options;
  ma_array *sum = take(s);
  plain.ddof = 0;
  STEP(s, ma_reduce_array(MA_REDUCE_sum, a, where, MA_NAN_KEEP, &plain, sum, s->stream));
  ma_arg n = count(s, a, where, MA_NAN_KEEP, options), none = of_number(0, MA_WEAK_FLOAT);
  if (ddof != 0 && !n.array) {
    n.value.c.re -= ddof;
    if (n.value.c.re < 0) n.value.c.re = 0;
  } else if (ddof != 0) {
    n = of_array(apply(s, MA_DO_difference, n, of_number(ddof, MA_WEAK_FLOAT), none));
    n = of_array(apply(s, MA_DO_greater_of, n, none, none));
  }
  return apply(s, MA_DO_quotient, of_array(sum), n, n);
}

/* |x|^2 from the parts. */
static const ma_array *squares(steps *s, const ma_array *x) {
  if (ma_dtypes[x->dtype].kind != MA_KIND_COMPLEX) return apply2(s, MA_DO_product, x, x);
  const ma_array *re = apply2(s, MA_DO_real_part, x, x), *im = apply2(s, MA_DO_imaginary_part, x, x);
  return apply2(s, MA_DO_sum, squares(s, re), squares(s, im));
}

/* mean, var and std in an integer dtype or bool. As in NumPy, each step is cast to the dtype: a sum, a division, and
** for var also the sum of squared differences. */
static ma_status reduce_whole(ma_reduce_op op, const ma_array *a, const ma_array *where,
                              const ma_reduce_options *options, ma_array *result, ma_stream *stream) {
  steps s;
  ma_reduce_options kept = *options;
  kept.keepdims = true;
  begin(&s, stream);
  if (op != MA_REDUCE_mean) {
    const ma_array *mean = cast(&s, quotient(&s, a, where, &kept, 0), options->dtype);
    bool bools = a->dtype == MA_BOOL && options->dtype == MA_BOOL;
    a = squares(&s, apply2(&s, bools ? MA_DO_differing_bits : MA_DO_difference, a, mean));
  }
  const ma_array *last = quotient(&s, a, where, options, options->ddof);
  if (op == MA_REDUCE_std) {
    last = cast(&s, last, options->dtype);
    last = apply2(&s, MA_DO_root, last, last);
  }
  STEP(&s, ma_array_copy(result, last, options->dtype, stream));
  return end(&s);
}

/* nanvar and nanstd: NaN where ddof leaves nothing to divide by. */
static ma_status reduce_void(ma_reduce_op op, const ma_array *a, const ma_array *where,
                             const ma_reduce_options *options, ma_array *result, ma_stream *stream) {
  steps s;
  begin(&s, stream);
  ma_array *spread = take(&s);
  const ma_arg ddof = of_number(options->ddof, MA_WEAK_FLOAT);
  const ma_opcode choose = MA_DO_choose;
  STEP(&s, ma_reduce_array(op, a, where, MA_NAN_LEAVE_OUT, options, spread, stream));
  const ma_arg n = count(&s, a, where, MA_NAN_LEAVE_OUT, options);
  const ma_arg choice[3] = { of_array(apply(&s, MA_DO_is_at_most, n, ddof, ddof)), of_number(NAN, MA_WEAK_FLOAT),
                             of_array(spread) };
  STEP(&s, ma_ufunc_apply(&choose, 1, choice, MA_NDTYPE, NULL, &result, stream));
  return end(&s);
}

static bool spreads(ma_reduce_op op) { return op == MA_REDUCE_var || op == MA_REDUCE_std; }

/* Whether each step is cast to the dtype that was asked for. */
static bool is_whole(ma_reduce_op op, const ma_array *a, ma_nan nan, const ma_reduce_options *options) {
  ma_kind asked = options->dtype == MA_NDTYPE ? MA_NKIND : ma_dtypes[options->dtype].kind;
  bool drops = spreads(op) && nan == MA_NAN_KEEP && asked == MA_KIND_FLOAT &&
               ma_dtypes[a->dtype].kind == MA_KIND_COMPLEX;
  return (op == MA_REDUCE_mean || spreads(op)) && (asked < MA_KIND_FLOAT || drops);
}

bool ma_reduce_is_stepwise(ma_reduce_op op, const ma_array *a, ma_nan nan, const ma_reduce_options *options) {
  return is_whole(op, a, nan, options) ||
         (spreads(op) && nan == MA_NAN_LEAVE_OUT && options->ddof > 0 && ma_dtypes[a->dtype].kind >= MA_KIND_FLOAT);
}

ma_status ma_reduce_in_steps(ma_reduce_op op, const ma_array *a, const ma_array *where, ma_nan nan,
                             const ma_reduce_options *options, ma_array *result, ma_stream *stream) {
  if (!is_whole(op, a, nan, options)) return reduce_void(op, a, where, options, result, stream);
  if (nan == MA_NAN_LEAVE_OUT && ma_dtypes[a->dtype].kind >= MA_KIND_FLOAT)
    return ma_fail(MA_ERR_TYPE, "dtype %s for %s elements; where NaN may be, a float or complex one is wanted",
                   ma_dtypes[options->dtype].name, ma_dtypes[a->dtype].name);
  return reduce_whole(op, a, where, options, result, stream);
}

/* ==== The range, the norm ======================================================================================== */

ma_status ma_reduce_range(const ma_array *a, const ma_reduce_options *options, ma_array *result, ma_stream *stream) {
  const ma_opcode subtract = MA_DO_difference;
  steps s;
  begin(&s, stream);
  ma_array *greatest = take(&s), *smallest = take(&s);
  STEP(&s, ma_reduce_array(MA_REDUCE_max, a, NULL, MA_NAN_KEEP, options, greatest, stream));
  STEP(&s, ma_reduce_array(MA_REDUCE_min, a, NULL, MA_NAN_KEEP, options, smallest, stream));
  const ma_arg arg[2] = { of_array(greatest), of_array(smallest) };
  STEP(&s, ma_ufunc_apply(&subtract, 1, arg, MA_NDTYPE, NULL, &result, stream));
  return end(&s);
}

ma_status ma_reduce_norm(const ma_array *a, ma_array *result, ma_stream *stream) {
  const ma_opcode root = MA_DO_root;
  steps s;
  begin(&s, stream);
  const ma_array *square = apply2(&s, MA_DO_square, a, a);
  ma_array *sum = take(&s);
  STEP(&s, ma_reduce_all(MA_REDUCE_sum, square, sum, stream));
  const ma_arg arg[2] = { of_array(sum), of_array(sum) };
  STEP(&s, ma_ufunc_apply(&root, 1, arg, MA_NDTYPE, NULL, &result, stream));
  return end(&s);
}

/* ==== The logarithm of a sum of exponentials ====================================================================== */

/* It takes three reductions: the greatest element, the number of those that are equal to it, and the sum of the others'
** exponentials relative to it. So a term that is small beside the greatest is kept. Where elements are many, a row
** program runs them together. What a mask leaves out is -infinity. Reductions with an initial value, folds and segments
** of the ufunc, and what has no elements are left to the monoid of reduce.h. */
typedef struct sum {
  const ma_reducing *r;
  ma_terms terms;
  ma_array elements, top, count, rest; /* `elements` has no reference if it is an operand */
} sum;

static void output(ma_program *program, ma_opcode op, ma_dtype loop, const int *args) {
  ma_program_output(program, ma_program_emit(program, op, loop, args));
}

/* Makes the program of the elements: those that a mask leaves out are -infinity, and 16-bit floats are wider. */
static ma_dtype make_elements(const ma_terms *terms, ma_program *program, ma_value *scalar) {
  ma_dtype loop = terms->t.loop;
  ma_program_clone(program, terms->program);
  program->notes = NULL;
  int x = program->output[0], mask = program->noutput == 2 ? program->output[1] : -1;
  program->noutput = 0;
  if (ma_dtypes[loop].itemsize == 2) x = ma_program_cast(program, x, loop = MA_FLOAT32);
  if (mask >= 0) {
    scalar[program->nscalar].c = (ma_c128){ -INFINITY, 0 };
    int args[3] = { mask, x, ma_program_scalar(program, loop) };
    x = ma_program_emit(program, MA_DO_choose, loop, args);
  }
  ma_program_output(program, x);
  return loop;
}

static bool is_operand(const ma_program *program) {
  return program->ninput == 1 && program->ncode == 0 && program->output[0] == 0;
}

/* Reduces op(elements, top), or the elements alone. */
static ma_status reduce_beside(const sum *s, ma_reduce_op reduction, ma_opcode op, ma_dtype loop, ma_array *result) {
  const ma_reduce_options options = { .axes = s->r->options->axes, .keepdims = true, .dtype = MA_NDTYPE };
  const ma_array *input[2] = { &s->elements, &s->top };
  bool alone = reduction == MA_REDUCE_max;
  ma_program program;
  ma_program_clear(&program);
  int args[2] = { ma_program_input(&program, loop), alone ? -1 : ma_program_input(&program, loop) };
  if (alone) ma_program_output(&program, args[0]);
  else output(&program, op, loop, args);
  return ma_reduce_run(reduction, &program, input, NULL, &options, result, s->r->stream);
}

/* Leaves out the axes that were reduced. */
static void squeeze(ma_array *array, uint32_t axes) {
  int n = 0;
  for (int d = 0; d < array->ndim; d++) {
    if (axes >> d & 1) continue;
    array->shape[n] = array->shape[d];
    array->stride[n++] = array->stride[d];
  }
  array->ndim = (uint8_t)n;
}

/* top + log1p(rest + (count - 1)), in float64. */
static ma_status finish_logsumexp(sum *s) {
  const ma_array *input[3] = { &s->top, &s->count, &s->rest };
  const ma_value one = { .c = { 1, 0 } };
  ma_array *part[3] = { &s->top, &s->count, &s->rest }, *result = s->r->result;
  ma_program program;
  int wide[3];
  ma_program_clear(&program);
  for (int k = 0; k < 3; k++) ma_program_input(&program, (ma_dtype)part[k]->dtype);
  for (int k = 0; k < 3; k++) {
    wide[k] = ma_program_cast(&program, k, MA_FLOAT64);
    if (!s->r->options->keepdims) squeeze(part[k], s->r->options->axes);
  }
  int less = ma_program_emit(&program, MA_DO_difference, MA_FLOAT64,
                             (int[]){ wide[1], ma_program_scalar(&program, MA_FLOAT64) });
  int total = ma_program_emit(&program, MA_DO_sum, MA_FLOAT64, (int[]){ wide[2], less });
  int log = ma_program_emit(&program, MA_DO_logarithm_1p, MA_FLOAT64, &total);
  int x = ma_program_emit(&program, MA_DO_sum, MA_FLOAT64, (int[]){ wide[0], log });
  x = ma_program_cast(&program, x, s->terms.t.result);
  if (result->buffer) x = ma_program_cast(&program, x, (ma_dtype)result->dtype);
  ma_program_output(&program, x);
  return ma_run(&program, input, &one, &result, MA_ORDER_K, MA_RUN_DEFERS, s->r->stream);
}

static ma_status run_logsumexp(sum *s, ma_program *program, const ma_array *const *input, const ma_value *scalar,
                               ma_dtype loop) {
  ma_array *elements = &s->elements;
  if (is_operand(program)) *elements = *input[0];
  else MA_TRY(ma_run(program, input, scalar, &elements, MA_ORDER_K, MA_RUN_DEFERS, s->r->stream));
  ma_status status = reduce_beside(s, MA_REDUCE_max, MA_DO_is_equal, loop, &s->top);
  if (status == MA_OK) status = reduce_beside(s, MA_REDUCE_count_nonzero, MA_DO_is_equal, loop, &s->count);
  if (status == MA_OK) status = reduce_beside(s, MA_REDUCE_sum, MA_DO_beside_greatest, loop, &s->rest);
  if (status == MA_OK) status = finish_logsumexp(s);
  ma_array_release(&s->top);
  ma_array_release(&s->count);
  ma_array_release(&s->rest);
  if (!is_operand(program)) ma_array_release(elements);
  return status;
}

ma_status ma_reduce_logsumexp(const ma_reducing *r, const ma_program *program, const ma_array *const *input,
                              const ma_value *scalar, bool *ran) {
  ma_value numbers[MA_MAX_SCALARS];
  int64_t kept[MA_MAX_NDIM], count;
  ma_program elements;
  sum s = { .r = r };
  if (r->options->initial || r->options->folds || program->body ||
      !ma_program_fits(0, program->nscalar + 1, program->ncode + 3))
    return MA_OK;
  MA_TRY(ma_reduce_begin(r, program, input, &s.terms));
  int n = ma_reduce_kept(r->options, s.terms.ndim, s.terms.shape, kept, &count);
  if (count == 0 || s.terms.device != r->stream->device || s.terms.t.declared != s.terms.t.result ||
      (r->result->buffer && !ma_array_has_shape(r->result, n, kept)))
    return MA_OK;
  *ran = true;
  if (program->nscalar) memcpy(numbers, scalar, program->nscalar * sizeof *scalar);
  ma_dtype loop = make_elements(&s.terms, &elements, numbers);
  return run_logsumexp(&s, &elements, input, numbers, loop);
}

/* ==== Folds ====================================================================================================== */

/* A view of position i of an axis of `base`, without that axis. It is on the C stack and needs no release. */
static void borrow_slice(ma_array *slice, const ma_array *base, int axis, int64_t i) {
  *slice = *base;
  slice->offset += i * base->stride[axis];
  slice->ndim--;
  slice->size = base->shape[axis] ? base->size / base->shape[axis] : 0;
  memmove(slice->shape + axis, base->shape + axis + 1, (size_t)(slice->ndim - axis) * sizeof *slice->shape);
  memmove(slice->stride + axis, base->stride + axis + 1, (size_t)(slice->ndim - axis) * sizeof *slice->stride);
}

/* Folds by one call for each position: to[i] = to[i-1] op a[i]. If not `running`, all calls write to one `to`. */
static ma_status fold(ma_opcode op, const ma_array *a, int axis, ma_array *to, bool running, ma_stream *stream) {
  ma_array part, before, after, *result = &after;
  double identity = 0;
  bool begins = !running && ma_op_begins(op) && ma_op_identity(op, &identity);
  for (int64_t i = 0; i < a->shape[axis]; i++) {
    borrow_slice(&part, a, axis, i);
    if (running) borrow_slice(&after, to, axis, i);
    else after = *to;
    if (i == 0 && !begins) {
      MA_TRY(ma_array_assign(&after, &part, stream));
    } else {
      ma_arg arg[2] = { of_array(&before), of_array(&part) };
      if (i == 0) arg[0] = (ma_arg){ .value = { .i = (int64_t)identity }, .dtype = MA_INT64, .weak = MA_WEAK_INT };
      MA_TRY(ma_ufunc_apply(&op, 1, arg, MA_NDTYPE, NULL, &result, stream));
    }
    before = after;
  }
  return MA_OK;
}

ma_status ma_fold_check(ma_opcode op) {
  const ma_op_info *info = &ma_ops[op];
  if (info->nin != 2)
    return ma_fail(MA_ERR_TYPE, "%s takes %d operand%s; a fold needs two", info->name, info->nin,
                   info->nin == 1 ? "" : "s");
  if (info->in[0] != MA_SIG_T || info->in[1] != MA_SIG_T || info->out != MA_SIG_T)
    return ma_fail(MA_ERR_TYPE, "%s gives another dtype than it takes; a fold needs one dtype", info->name);
  return MA_OK;
}

ma_status ma_fold_loop(ma_opcode op, const ma_array *a, ma_dtype dtype, ma_dtype *loop) {
  const ma_arg arg[2] = { of_array(a), of_array(a) };
  return ma_loop_find(op, arg, dtype, loop);
}

/* The array in the loop's dtype. As in NumPy, any cast to the given dtype is allowed here. */
static const ma_array *in_loop(steps *s, ma_opcode op, const ma_array *a, ma_dtype dtype) {
  ma_dtype loop = (ma_dtype)a->dtype;
  if (dtype != MA_NDTYPE && dtype != loop) a = cast(s, a, dtype);
  STEP(s, ma_fold_loop(op, a, dtype, &loop));
  return loop == a->dtype ? a : cast(s, a, loop);
}

ma_status ma_fold_run(ma_opcode op, const ma_array *a, int axis, ma_dtype dtype, bool running, ma_array *result,
                      ma_stream *stream) {
  steps s;
  ma_array shape = *a;
  double identity = 0;
  bool known = ma_op_identity(op, &identity);
  if (!running) borrow_slice(&shape, a, axis, 0);
  if (!running && a->shape[axis] == 0 && !known)
    return ma_fail(MA_ERR_VALUE, "zero-size array to reduction operation %s which has no identity", ma_ops[op].name);
  begin(&s, stream);
  const ma_array *operand = in_loop(&s, op, a, dtype);
  STEP(&s, ma_array_new(result, ma_array_device(a), (ma_dtype)operand->dtype, shape.ndim, shape.shape));
  if (!running && a->shape[axis] == 0)
    STEP(&s, ma_array_fill(result, (ma_value){ .c = { identity, 0 } }, MA_FLOAT64, stream));
  STEP(&s, fold(op, operand, axis, result, running, stream));
  if (s.status != MA_OK && result->buffer) ma_array_release(result);
  return end(&s);
}

/* ==== Polynomials ================================================================================================ */

ma_status ma_horner(const ma_array *p, const ma_array *x, ma_array *result, ma_stream *stream) {
  const char *coefficient;
  MA_TRY(ma_array_read(p, stream, (const void **)&coefficient));
  MA_TRY(ma_array_new(result, ma_array_device(x), (ma_dtype)x->dtype, x->ndim, x->shape));
  ma_status status = ma_array_fill(result, (ma_value){ .i = 0 }, MA_INT64, stream);
  for (int64_t k = 0; k < p->size && status == MA_OK; k++, coefficient += p->stride[0]) {
    const ma_value value = ma_value_load(coefficient, (ma_dtype)p->dtype);
    const ma_arg product[2] = { of_array(result), of_array(x) };
    const ma_arg sum[2] = { of_array(result), { .value = value, .dtype = MA_FLOAT64, .weak = MA_WEAK_FLOAT } };
    status = ma_ufunc_operator(MA_DO_product, product, result, stream);
    if (status == MA_OK) status = ma_ufunc_operator(MA_DO_sum, sum, result, stream);
  }
  if (status != MA_OK) ma_array_release(result);
  return status;
}
