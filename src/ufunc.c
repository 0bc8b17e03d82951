/*
** ufunc.c: operations on arrays: the loop dtype that NumPy 2 would choose, the program for it, and its run over a broadcast
** shape. `a + b` on small arrays is the path that is taken most: nothing is allocated here but the result.
*/
#include "direct.h"
#include "operands.h"
#include "pending.h"
#include "step.h"
#include "trace.h"

#include <stdio.h>
#include <string.h>

/* ==== Which loop ================================================================================================= */

/* The next kind to try when an operation has no loop for dtype t: bool -> int8 -> ... -> the float that holds t. */
static ma_dtype next_dtype(const ma_op_info *info, ma_dtype t)
{
  switch (ma_dtypes[t].kind) {
  case MA_KIND_BOOL:
    return info->body[MA_KIND_SIGNED] ? MA_INT8 : MA_FLOAT16;
  case MA_KIND_SIGNED:
  case MA_KIND_UNSIGNED:
    return ma_dtypes[t].itemsize == 1 ? MA_FLOAT16 : ma_dtypes[t].itemsize == 2 ? MA_FLOAT32 : MA_FLOAT64;
  case MA_KIND_FLOAT:
    return ma_dtypes[t].itemsize == 8 ? MA_COMPLEX128 : MA_COMPLEX64;
  default:
    return MA_NDTYPE;
  }
}

static ma_status widen_to_loop(ma_opcode op, ma_dtype t, ma_dtype *loop)
{
  const ma_op_info *info = &ma_ops[op];
  ma_dtype found = t;
  if (ma_dtypes[t].kind == MA_KIND_BOOL && info->flags & MA_OPF_NO_BOOL)
    return ma_fail(MA_ERR_TYPE, "bool operands; %s is not defined for bool: use xor_ or not_, or astype(\"int8\")", info->name);
  if (info->flags & MA_OPF_TRUE_DIVIDE && ma_dtypes[t].kind < MA_KIND_FLOAT)
    found = MA_FLOAT64;
  if (info->flags & MA_OPF_DOUBLE)
    found = ma_dtypes[t].kind == MA_KIND_COMPLEX ? MA_COMPLEX128 : MA_FLOAT64;
  while (found != MA_NDTYPE && !info->body[ma_dtypes[found].kind])
    found = next_dtype(info, found);
  if (found == MA_NDTYPE)
    return ma_fail(MA_ERR_TYPE, "dtype %s; %s has no loop for it", ma_dtypes[t].name, info->name);
  *loop = found;
  return MA_OK;
}

static ma_dtype arg_dtype(const ma_arg *arg)
{
  return arg->array ? (ma_dtype)arg->array->dtype : arg->dtype;
}

static ma_status check_forced(const ma_op_info *info, const ma_arg *arg, ma_dtype dtype)
{
  for (int k = 0; k < info->nin; k++)
    if (info->in[k] == MA_SIG_T && arg[k].weak == MA_STRONG && !ma_dtype_can_cast(arg_dtype(&arg[k]), dtype, true))
      return ma_fail(MA_ERR_TYPE, "operand %d of dtype %s; dtype = \"%s\" cannot take it by same_kind casting", k + 1,
                     ma_dtypes[arg_dtype(&arg[k])].name, ma_dtypes[dtype].name);
  return MA_OK;
}

/* Where integers have no loop each operand goes to its own float first: int8 beside uint8 is float16, not int16's float32. */
static ma_dtype float_first(const ma_op_info *info, ma_dtype t)
{
  bool floats = !info->body[MA_KIND_SIGNED] && !(info->flags & (MA_OPF_TRUE_DIVIDE | MA_OPF_DOUBLE | MA_OPF_NO_BOOL));
  return floats && ma_dtypes[t].kind < MA_KIND_FLOAT ? next_dtype(info, t) : t;
}

ma_status ma_ufunc_loop(ma_opcode op, const ma_arg *arg, ma_dtype dtype, ma_dtype *loop)
{
  const ma_op_info *info = &ma_ops[op];
  if (dtype != MA_NDTYPE) {
    MA_TRY(check_forced(info, arg, dtype));
    return widen_to_loop(op, dtype, loop);
  }
  ma_weak weak = MA_STRONG;
  for (int k = 0; k < info->nin; k++)
    if (info->in[k] == MA_SIG_T && arg[k].weak > weak)
      weak = arg[k].weak;
  uint32_t strong = 0;
  for (int k = 0; k < info->nin; k++)
    if (info->in[k] == MA_SIG_T && arg[k].weak == MA_STRONG)
      strong |= 1u << (weak == MA_STRONG ? float_first(info, arg_dtype(&arg[k])) : arg_dtype(&arg[k]));
  ma_dtype t = strong ? ma_dtype_promote_weak(ma_dtype_promote_set(strong), weak) : ma_dtype_of_weak(weak);
  return widen_to_loop(op, t, loop);
}

/* A weak integer that the loop cannot hold: comparisons have an answer all the same, other operations do not. */
ma_status ma_ufunc_fit(ma_opcode op, const ma_arg *arg, ma_dtype *loop)
{
  const ma_op_info *info = &ma_ops[op];
  for (int k = 0; k < info->nin; k++) {
    ma_value unused;
    if (arg[k].weak != MA_WEAK_INT || info->in[k] != MA_SIG_T || ma_value_weak(arg[k].value, MA_WEAK_INT, *loop, &unused) == MA_OK)
      continue;
    if (!(info->flags & MA_OPF_COMPARISON))
      return MA_ERR_VALUE;                               /* the message is set */
    *loop = *loop == MA_UINT64 ? MA_FLOAT64 : MA_INT64;
  }
  return MA_OK;
}

/* x ^ 2, 1, 0.5, 0 and -1 with a scalar exponent are cheaper operations; NumPy takes the same ways. */
ma_opcode ma_ufunc_cheaper(ma_opcode op, const ma_arg *arg, ma_dtype loop)
{
  if (op != MA_OP_power || !arg[0].array || arg[1].array)
    return op;
  double exponent = arg[1].weak == MA_WEAK_INT ? (double)arg[1].value.i : arg[1].weak == MA_WEAK_FLOAT ? arg[1].value.c.re : 3;
  if (exponent == 2)
    return MA_OP_square;
  if (exponent == 1)
    return MA_OP_copy;
  bool inexact = ma_dtypes[loop].kind >= MA_KIND_FLOAT;
  if (inexact && exponent == 0.5)
    return MA_OP_sqrt;
  if (inexact && exponent == -1)
    return MA_OP_reciprocal;
  return op;
}

/* Integers to a negative power have no integer result. Arrays of exponents are looked at, which waits. */
ma_status ma_ufunc_exponent(ma_opcode op, const ma_arg *arg, ma_dtype loop, ma_stream *stream)
{
  if (op != MA_OP_power || ma_dtypes[loop].kind != MA_KIND_SIGNED)
    return MA_OK;
  bool negative = false;
  if (!arg[1].array) {
    negative = ma_value_cast(arg[1].value, arg[1].dtype, MA_INT64).i < 0;
  } else if (ma_dtypes[arg[1].array->dtype].kind == MA_KIND_SIGNED && arg[1].array->size > 0) {
    ma_program program;
    ma_program_clear(&program);
    ma_program_output(&program, ma_program_input(&program, (ma_dtype)arg[1].array->dtype));
    ma_array least = { .buffer = NULL };
    ma_value value;
    ma_reduce_options all = { .axes = (1u << arg[1].array->ndim) - 1, .dtype = MA_NDTYPE };
    MA_TRY(ma_reduce_run(MA_REDUCE_min, &program, &arg[1].array, NULL, &all, &least, stream));
    ma_status status = ma_array_item(&least, stream, &value);
    ma_array_release(&least);
    MA_TRY(status);
    negative = value.i < 0;
  }
  if (negative)
    return ma_fail(MA_ERR_VALUE, "an integer to a negative power; make the base a float array, as in a:astype(\"float64\") ^ -1");
  return MA_OK;
}

/* ==== The program of one call ==================================================================================== */

typedef struct call {
  ma_program program;
  const ma_array *input[MA_MAX_INPUTS];
  ma_value scalar[MA_MAX_SCALARS];
} call;

static int add_input(call *c, const ma_array *array)
{
  for (int k = 0; k < c->program.ninput; k++)            /* x * x reads x once */
    if (c->input[k] == array)
      return k;
  c->input[c->program.ninput] = array;
  return ma_program_input(&c->program, (ma_dtype)array->dtype);
}

static ma_status add_operand(call *c, const ma_arg *arg, ma_sig sig, ma_dtype loop, int *reg)
{
  ma_dtype wanted = ma_sig_dtype(sig, loop);
  if (arg->array) {
    if (sig != MA_SIG_T && sig != MA_SIG_BOOL && ma_dtypes[arg->array->dtype].kind > ma_dtypes[wanted].kind)
      return ma_fail(MA_ERR_TYPE, "an operand of dtype %s; %s is wanted", ma_dtypes[arg->array->dtype].name, ma_dtypes[wanted].name);
    *reg = ma_program_cast(&c->program, add_input(c, arg->array), wanted);
    return MA_OK;
  }
  ma_value value;
  if (arg->weak == MA_STRONG)
    value = ma_value_cast(arg->value, arg->dtype, wanted);
  else
    MA_TRY(ma_value_weak(arg->value, arg->weak, wanted, &value));
  c->scalar[c->program.nscalar] = value;
  *reg = ma_program_scalar(&c->program, wanted);
  return MA_OK;
}

/* Output k: cast to the given result's dtype, and kept where `where` is false. */
static ma_status add_output(call *c, int reg, const ma_array *where, const ma_array *result)
{
  ma_dtype computed = ma_program_dtype(&c->program, reg);
  if (result->buffer) {
    ma_dtype wanted = (ma_dtype)result->dtype;
    if (!ma_dtype_can_cast(computed, wanted, true))
      return ma_fail(MA_ERR_TYPE, "a result of dtype %s; out of dtype %s cannot take it by same_kind casting",
                     ma_dtypes[computed].name, ma_dtypes[wanted].name);
    reg = ma_program_cast(&c->program, reg, wanted);
    if (where) {
      int args[3] = { ma_program_cast(&c->program, add_input(c, where), MA_BOOL), reg, add_input(c, result) };
      reg = ma_program_emit(&c->program, MA_OP_where, wanted, args);
    }
  } else if (where) {
    /* Without out, NumPy leaves what is masked undefined; here it is 0. */
    c->scalar[c->program.nscalar] = (ma_value){ .c = { 0, 0 } };
    int args[3] = { ma_program_cast(&c->program, add_input(c, where), MA_BOOL), reg, ma_program_scalar(&c->program, computed) };
    reg = ma_program_emit(&c->program, MA_OP_where, computed, args);
  }
  ma_program_output(&c->program, reg);
  return MA_OK;
}

/* As a program, whatever it is. */
static __attribute__((noinline)) ma_status apply(const ma_opcode *ops, int nout, const ma_arg *arg, ma_dtype dtype, const ma_array *where,
                                                 ma_array *const *result, ma_stream *stream)
{
  call c;
  ma_dtype loop;
  int reg[MA_MAX_ARITY];
  MA_TRY(ma_ufunc_loop(ops[0], arg, dtype, &loop));
  MA_TRY(ma_ufunc_fit(ops[0], arg, &loop));
  MA_TRY(ma_ufunc_exponent(ops[0], arg, loop, stream));
  ma_program_clear(&c.program);
  ma_opcode first = ma_ufunc_cheaper(ops[0], arg, loop);
  int nin = ma_ops[first].nin;
  for (int k = 0; k < nin; k++)
    MA_TRY(add_operand(&c, &arg[k], (ma_sig)ma_ops[first].in[k], loop, &reg[k]));
  int computed[MA_MAX_OUTPUTS];
  for (int k = 0; k < nout; k++)
    computed[k] = ma_program_emit(&c.program, k ? ops[k] : first, loop, reg);
  for (int k = 0; k < nout; k++)
    MA_TRY(add_output(&c, computed[k], where, result[k]));
  return ma_program_defer(&c.program, c.input, c.scalar, result, stream);
}

ma_status ma_ufunc_operator(ma_opcode op, const ma_arg *arg, ma_array *result, ma_stream *stream)
{
  bool ran = false;
  if (stream->device->backend->direct)
    MA_TRY(ma_direct_apply(op, arg, result, stream, &ran));
  if (!ran && result->buffer)
    MA_TRY(ma_operator_run(op, arg, result, stream, &ran));
  else if (!ran)
    ran = ma_operator_defer(op, arg, result, stream);
  return ran ? MA_OK : apply(&op, 1, arg, MA_NDTYPE, NULL, &result, stream);
}

ma_status ma_ufunc_apply(const ma_opcode *ops, int nout, const ma_arg *arg, ma_dtype dtype, const ma_array *where,
                         ma_array *const *result, ma_stream *stream)
{
  if (nout == 1 && dtype == MA_NDTYPE && !where)
    return ma_ufunc_operator(ops[0], arg, result[0], stream);
  return apply(ops, nout, arg, dtype, where, result, stream);
}

/* ==== Running a program ========================================================================================== */

/* The work is done where the first array is; the others must be there, or be reached from there. */
ma_status ma_operands_device(int n, const ma_array *const *input, int nresult, ma_array *const *result, ma_device **device)
{
  for (int k = 0; k < n + nresult; k++) {
    const ma_array *array = k < n ? input[k] : result[k - n];
    if (!array->buffer)
      continue;                                          /* a result that is to be made */
    ma_device *its = array->buffer->device;
    if (!*device)
      *device = its;
    if (its != *device && !ma_device_reaches(*device, its))
      return ma_fail(MA_ERR_DEVICE, "arrays on %s and %s; operands must be on one device: x:to(\"%s\") copies one",
                     (*device)->name, its->name, (*device)->name);
  }
  return MA_OK;
}

bool ma_operands_have_shape(const ma_array *a, int ndim, const int64_t *shape)
{
  if (a->ndim != ndim)
    return false;
  for (int d = 0; d < ndim; d++)
    if (a->shape[d] != shape[d])
      return false;
  return true;
}

/* The broadcast of everything that has a shape; a given result must have all of it. */
ma_status ma_operands_shape(int n, const ma_array *const *input, int nresult, ma_array *const *result, int *ndim, int64_t *shape)
{
  *ndim = 0;
  bool any = false;
  for (int k = 0; k < n + nresult; k++) {
    const ma_array *array = k < n ? input[k] : result[k - n];
    if (!array->buffer)
      continue;
    if (!any) {
      *ndim = array->ndim;
      memcpy(shape, array->shape, array->ndim * sizeof *shape);
      any = true;
    } else if (!ma_operands_have_shape(array, *ndim, shape)) {
      MA_TRY(ma_shape_broadcast(ndim, shape, array->ndim, array->shape));
    }
  }
  for (int k = 0; k < nresult; k++)
    if (result[k]->buffer && !ma_operands_have_shape(result[k], *ndim, shape)) {
      char has[256], wants[256];
      return ma_fail(MA_ERR_VALUE, "out of shape %s; the result has shape %s",
                     ma_shape_print(result[k]->ndim, result[k]->shape, has, sizeof has), ma_shape_print(*ndim, shape, wants, sizeof wants));
    }
  return MA_OK;
}

const ma_array *ma_operands_model(int n, const ma_array *const *input, int ndim, const int64_t *shape)
{
  for (int k = 0; k < n; k++)
    if (ma_operands_have_shape(input[k], ndim, shape))
      return ma_array_is_contiguous(input[k]) ? NULL : input[k];
  return NULL;
}

/* A new result lies in memory as the first input of full shape does, so that a chain of transposed arrays stays contiguous. */
static void lay_out(ma_array *result, ma_dtype dtype, int ndim, const int64_t *shape, const ma_array *model)
{
  int order[MA_MAX_NDIM];                                /* axes, outermost first */
  for (int d = 0; d < ndim; d++) {
    int64_t step = model->stride[d] < 0 ? -model->stride[d] : model->stride[d];
    int at = d;
    for (; at > 0; at--) {
      int64_t outer = model->stride[order[at - 1]];
      if ((outer < 0 ? -outer : outer) >= step || model->shape[d] == 1)
        break;
      order[at] = order[at - 1];
    }
    order[at] = d;
  }
  int64_t step = ma_dtypes[dtype].itemsize;
  for (int at = ndim - 1; at >= 0; at--) {
    result->stride[order[at]] = step;
    step *= shape[order[at]] ? shape[order[at]] : 1;
  }
}

ma_status ma_operands_new(ma_array *result, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape, const ma_array *model)
{
  MA_TRY(ma_array_new(result, device, dtype, ndim, shape));
  if (model)
    lay_out(result, dtype, ndim, shape, model);
  return MA_OK;
}

ma_status ma_operands_layout(ma_array *result, ma_dtype dtype, int ndim, const int64_t *shape, const ma_array *model)
{
  MA_TRY(ma_array_shape(result, dtype, ndim, shape));
  if (model)
    lay_out(result, dtype, ndim, shape, model);
  return MA_OK;
}

bool ma_operands_same(const ma_array *a, const ma_array *b)
{
  return a->buffer == b->buffer && a->offset == b->offset && a->dtype == b->dtype && ma_operands_have_shape(a, b->ndim, b->shape) &&
         !memcmp(a->stride, b->stride, a->ndim * sizeof *a->stride);
}

/* Does writing result k while the inputs are read change what is read, or meet another result? */
static bool needs_detour(int n, const ma_array *const *input, int nresult, ma_array *const *result, int k)
{
  for (int j = 0; j < n; j++)
    if (ma_array_overlaps(result[k], input[j]) && !ma_operands_same(result[k], input[j]))
      return true;
  for (int j = 0; j < nresult; j++)
    if (j != k && result[j]->buffer && ma_array_overlaps(result[k], result[j]))
      return true;
  return false;
}

void ma_operands_strides(const ma_array *array, int ndim, const int64_t *shape, int64_t *stride)
{
  int lead = ndim - array->ndim;
  for (int d = 0; d < lead; d++)
    stride[d] = 0;
  for (int d = lead; d < ndim; d++)
    stride[d] = array->shape[d - lead] == shape[d] ? array->stride[d - lead] : 0;
}

ma_status ma_operands_map(const ma_map *map, ma_stream *stream, bool deferred, bool *ran)
{
  const ma_backend *backend = stream->device->backend;
  *ran = true;
  if (ma_config_int(MA_CONFIG_VALIDATE) && stream->device != ma_device_cpu() && !stream->capture)
    return ma_validate_map(stream, map);
  if (!deferred || ma_program_is_single(map->program))
    return backend->map(stream, map);
  MA_TRY(backend->map_try ? backend->map_try(stream, map, ran) : backend->map(stream, map));
  if (*ran)
    MA_FIGURE(fused, 1);
  else
    MA_FIGURE(stepped, 1);
  return MA_OK;
}

ma_status ma_operands_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar, ma_array *const *result,
                          int ndim, const int64_t *shape, ma_stream *stream, bool deferred)
{
  ma_map map;
  int64_t flip[MA_MAX_OPERANDS];
  int nresult = program->noutput, n = program->ninput, nall = n + nresult;
  map.program = program;
  map.space.noperand = nall;
  bool flat = true;
  for (int k = 0; k < nall; k++) {
    const ma_array *array = k < nresult ? result[k] : input[k - nresult];
    if (k < nresult)
      MA_TRY(ma_array_write(result[k], stream, &map.data[k]));
    else
      MA_TRY(ma_array_read(array, stream, (const void **)&map.data[k]));
    flat = flat && ma_operand_is_packed(array, ndim, shape);
    map.space.stride[k][0] = ma_dtypes[array->dtype].itemsize;
  }
  if (flat) {
    map.space.ndim = 1;
    map.space.shape[0] = result[0]->size;
  } else {
    map.space.ndim = ndim;
    memcpy(map.space.shape, shape, (size_t)ndim * sizeof *shape);
    for (int k = 0; k < nall; k++)
      ma_operands_strides(k < nresult ? result[k] : input[k - nresult], ndim, shape, map.space.stride[k]);
    ma_space_collapse(&map.space, true, flip);
    for (int k = 0; k < nall; k++)
      map.data[k] = (char *)map.data[k] + flip[k];
  }
  for (int k = 0; k < program->nscalar; k++)
    map.scalar[k] = scalar[k];
  bool ran;
  MA_TRY(ma_operands_map(&map, stream, deferred, &ran));
  return ran ? MA_OK : ma_program_step(program, input, scalar, result, stream);
}

/*
** How one result is written. Where the same memory is read otherwise than it is written, or is still to be read by pending programs,
** the values go elsewhere first: into memory that the array then gets in exchange for its own, where all of it is written, else
** into a stand-in that is copied.
*/
typedef enum way { DIRECT, FRESH, EXCHANGE, DETOUR } way;

typedef struct plan {
  int n, nresult;
  const ma_array *input[MA_MAX_INPUTS];
  ma_array *target[MA_MAX_OUTPUTS];
  way way[MA_MAX_OUTPUTS];
  ma_array made[MA_MAX_OUTPUTS];
  int nmoved;
  ma_array moved[MA_MAX_OUTPUTS];      /* inputs that are read from the copy of the old */
} plan;

static bool shares_buffer(int nresult, ma_array *const *result, int k)
{
  for (int j = 0; j < nresult; j++)
    if (j != k && result[j]->buffer == result[k]->buffer)
      return true;
  return false;
}

/* Inputs that lie in the buffer as result k does are read from its clone, which has the same values. */
static bool read_clone(plan *p, const ma_array *result, ma_buffer *clone)
{
  for (int j = 0; j < p->n; j++) {
    const ma_array *input = p->input[j];
    if (input->buffer != result->buffer || ma_operands_same(input, result) || !ma_array_overlaps(input, result))
      continue;
    if (p->nmoved == MA_MAX_OUTPUTS)
      return false;
    ma_array *moved = &p->moved[p->nmoved++];
    memcpy(moved, input, offsetof(ma_array, shape));
    memcpy(moved->shape, input->shape, input->ndim * sizeof *input->shape);
    memcpy(moved->stride, input->stride, input->ndim * sizeof *input->stride);
    moved->buffer = clone;
    p->input[j] = moved;
  }
  return true;
}

static ma_status stand_in(ma_array *made, const ma_array *result)
{
  MA_TRY(ma_array_new(made, result->buffer->device, (ma_dtype)result->dtype, result->ndim, result->shape));
  memcpy(made->stride, result->stride, result->ndim * sizeof *result->stride);
  made->offset = result->offset;
  return MA_OK;
}

static ma_status choose_way(plan *p, ma_array *const *result, int k, ma_stream *stream)
{
  ma_array *to = result[k];
  ma_buffer *buffer = to->buffer, *clone = NULL;
  MA_TRY(ma_array_check_writable(to));
  bool whole = buffer->movable && ma_hazard_covers(to) && !shares_buffer(p->nresult, result, k);
  bool detour = needs_detour(p->n, p->input, p->nresult, result, k);
  if (whole && (detour || buffer->readers || buffer->pending) && !__atomic_load_n(&ma_ncapture, __ATOMIC_RELAXED)) {
    MA_TRY(stand_in(&p->made[k], to));
    p->target[k] = &p->made[k];
    p->way[k] = EXCHANGE;
    if (p->made[k].buffer->movable)
      return MA_OK;
    ma_array_release(&p->made[k]);                       /* nothing defers here: it has no handle */
    p->target[k] = to;
    p->way[k] = DIRECT;
  }
  MA_TRY(ma_pending_evaluate(buffer, "it is written"));
  if (buffer->readers)
    MA_TRY(ma_hazard_clone(buffer, stream, &clone));
  if (detour && clone && read_clone(p, to, clone))
    detour = needs_detour(p->n, p->input, p->nresult, result, k);
  if (!detour)
    return MA_OK;
  MA_TRY(ma_array_new(&p->made[k], stream->device, (ma_dtype)to->dtype, to->ndim, to->shape));
  p->target[k] = &p->made[k];
  p->way[k] = DETOUR;
  return MA_OK;
}

static ma_status finish(plan *p, ma_array *to, int k, ma_stream *stream)
{
  if (p->way[k] == DETOUR)
    return ma_array_assign(to, &p->made[k], stream);
  if (p->way[k] != EXCHANGE)
    return MA_OK;
  if (to->buffer->pending)
    ma_pending_drop(to->buffer->pending);
  ma_handle_exchange(to->buffer, p->made[k].buffer);
  MA_FIGURE(exchanged, 1);
  return MA_OK;
}

ma_status ma_operands_run_like(const ma_program *program, const ma_array *const *input, const ma_value *scalar, ma_array *const *result,
                               ma_stream *stream, bool deferred, int nmodel, const ma_array *const *like)
{
  int ndim;
  int64_t shape[MA_MAX_NDIM];
  ma_device *device = NULL;
  ma_status status = MA_OK;
  plan p;
  p.n = program->ninput;
  p.nresult = program->noutput;
  p.nmoved = 0;
  MA_TRY(ma_operands_device(p.n, input, p.nresult, result, &device));
  MA_TRY(ma_operands_shape(p.n, input, p.nresult, result, &ndim, shape));
  if (!device)
    device = stream->device;
  else if (device != stream->device)
    stream = ma_device_null_stream(device);

  const ma_array *model = ma_operands_model(nmodel, like, ndim, shape);
  for (int k = 0; k < p.n; k++) {
    p.input[k] = input[k];
    if (input[k]->buffer->pending)
      MA_TRY(ma_pending_evaluate(input[k]->buffer, "an operation that runs at once"));
  }
  for (int k = 0; k < p.nresult; k++) {
    p.way[k] = result[k]->buffer ? DIRECT : FRESH;
    p.target[k] = result[k];
  }
  for (int k = 0; k < p.nresult && status == MA_OK; k++) {
    if (p.way[k] == FRESH)
      status = ma_operands_new(result[k], device, ma_program_dtype(program, program->output[k]), ndim, shape, model);
    else
      status = choose_way(&p, result, k, stream);
  }
  if (status == MA_OK && result[0]->size > 0)
    status = ma_operands_run(program, p.input, scalar, p.target, ndim, shape, stream, deferred);
  for (int k = 0; k < p.nresult && status == MA_OK; k++)
    status = finish(&p, result[k], k, stream);
  for (int k = 0; k < p.nresult; k++) {
    if (p.way[k] >= EXCHANGE)
      ma_array_release(&p.made[k]);
    if (p.way[k] == FRESH && status != MA_OK)
      ma_array_release(result[k]);
  }
  return status;
}

ma_status ma_program_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_array *const *result, ma_stream *stream)
{
  return ma_operands_run_like(program, input, scalar, result, stream, false, program->ninput, input);
}

ma_status ma_program_run_ready(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                               ma_array *const *result, ma_stream *stream)
{
  return ma_operands_run_like(program, input, scalar, result, stream, true, program->ninput, input);
}
