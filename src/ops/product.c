/*
** product.c: products of matrices, vectors and stacks by the backend, which calls BLAS. Arrays are brought to the form
** of backend/linalg.h: strides that BLAS can walk are passed as they are, other arrays are copied. Matrices of integers
** of 8 and 16 bits are computed in float64, which holds their sums exactly; the backend has loops for wider ones. Where
** an operand is a vector of integers, for bool, and of two vectors on a GPU, the product is a reduction of products.
*/
#include "ops/ops.h"
#include "ops/linalg.h"

#include <inttypes.h>
#include <string.h>

/* ==== Shapes ===================================================================================================== */

/* The operands as stacks of matrices, and the result; batch axes first. */
typedef struct product {
  const ma_array *a, *b;
  ma_array left, right; /* views with at least two axes */
  int nbatch;           /* of the result */
  int64_t batch[MA_MAX_NDIM], m, n, k;
  int ndim;
  int64_t shape[MA_MAX_NDIM]; /* of the result for the user */
} product;

static void add_axis(ma_array *array, int at) {
  memmove(array->shape + at + 1, array->shape + at, (size_t)(array->ndim - at) * sizeof *array->shape);
  memmove(array->stride + at + 1, array->stride + at, (size_t)(array->ndim - at) * sizeof *array->stride);
  array->shape[at] = 1;
  array->stride[at] = ma_dtypes[array->dtype].itemsize;
  array->ndim++;
}

static ma_status fail_shapes(const product *p) {
  char a[256], b[256];
  return ma_fail(MA_ERR_VALUE,
                 "shapes %s and %s; wanted (..., m, k) and (..., k, n): the last axis of the first must be as long as "
                 "the one before the "
                 "last of the second (%" PRId64 " and %" PRId64 " here)",
                 ma_shape_print(p->a->ndim, p->a->shape, a, sizeof a),
                 ma_shape_print(p->b->ndim, p->b->shape, b, sizeof b), p->left.shape[p->left.ndim - 1],
                 p->right.shape[p->right.ndim - 2]);
}

/* Arranges the operands as stacks. From here on p->left and p->right hold references. */
static ma_status arrange(product *p) {
  ma_array_view(&p->left, p->a);
  ma_array_view(&p->right, p->b);
  if (p->a->ndim == 0 || p->b->ndim == 0)
    return ma_fail(MA_ERR_VALUE, "a 0-d operand; wanted arrays of at least one axis (x * y multiplies by a scalar)");
  if (p->a->ndim == 1) add_axis(&p->left, 0);
  if (p->b->ndim == 1) add_axis(&p->right, 1);
  const int64_t *left = p->left.shape + p->left.ndim - 2, *right = p->right.shape + p->right.ndim - 2;
  if (left[1] != right[0]) return fail_shapes(p);
  p->m = left[0];
  p->k = left[1];
  p->n = right[1];
  p->nbatch = 0;
  MA_TRY(ma_shape_broadcast(&p->nbatch, p->batch, p->left.ndim - 2, p->left.shape));
  MA_TRY(ma_shape_broadcast(&p->nbatch, p->batch, p->right.ndim - 2, p->right.shape));
  p->ndim = p->nbatch;
  memcpy(p->shape, p->batch, (size_t)p->nbatch * sizeof *p->shape);
  if (p->nbatch + 3 > MA_MAX_NDIM)
    return ma_fail(MA_ERR_VALUE, "%d axes of batches; at most %d", p->nbatch, MA_MAX_NDIM - 3);
  if (p->a->ndim > 1) p->shape[p->ndim++] = p->m;
  if (p->b->ndim > 1) p->shape[p->ndim++] = p->n;
  return MA_OK;
}

/* ==== BLAS's form ================================================================================================ */

/* Gives the steps of the last two axes in elements. Returns false if BLAS cannot walk them. */
static bool walkable(const ma_array *array, int64_t *row, int64_t *column) {
  int64_t item = ma_dtypes[array->dtype].itemsize;
  int64_t rows = array->shape[array->ndim - 2], columns = array->shape[array->ndim - 1];
  int64_t r = array->stride[array->ndim - 2], c = array->stride[array->ndim - 1];
  for (int d = 0; d < array->ndim; d++)
    if (array->stride[d] % item) return false;
  r /= item;
  c /= item;
  if (columns == 1) c = 1;
  if (rows == 1 && c == 1) r = columns;
  else if (rows == 1) r = 1;
  *row = r;
  *column = c;
  return (c == 1 && r >= columns) || (r == 1 && c >= rows);
}

/* Brings the operand to BLAS's form and dtype, by a packed copy if needed, which replaces it. */
static ma_status pack(ma_array *array, ma_dtype dtype, ma_stream *stream, int64_t *row, int64_t *column) {
  if (array->dtype == dtype && walkable(array, row, column)) return MA_OK;
  ma_array copy;
  MA_TRY(ma_array_copy(&copy, array, dtype, stream));
  ma_array_release(array);
  *array = copy;
  walkable(array, row, column);
  return MA_OK;
}

/* Sets the batch steps of operand `which`, and joins neighbouring axes if all three operands allow it. */
static void set_steps(ma_matmul *g, int which, const ma_array *array, int nbatch, const int64_t *batch) {
  int lead = nbatch - (array->ndim - 2);
  for (int d = 0; d < nbatch; d++) {
    bool own = d >= lead && array->shape[d - lead] == batch[d] && batch[d] != 1;
    g->step[which][d] = own ? array->stride[d - lead] / ma_dtypes[array->dtype].itemsize : 0;
  }
}

static void join_batches(ma_matmul *g) {
  int n = 0;
  for (int d = 0; d < g->nbatch; d++) {
    if (g->batch[d] == 1) continue;
    bool joins = n > 0;
    for (int k = 0; k < 3 && joins; k++) joins = g->step[k][n - 1] == g->step[k][d] * g->batch[d];
    int at = joins ? n - 1 : n++;
    g->batch[at] = joins ? g->batch[at] * g->batch[d] : g->batch[d];
    for (int k = 0; k < 3; k++) g->step[k][at] = g->step[k][d];
  }
  g->nbatch = n;
}

/* Computes the product by the backend. `target` has the batch axes, m and n. */
static ma_status by_backend(product *p, ma_dtype dtype, ma_array *target, ma_stream *stream) {
  ma_matmul g; /* not cleared, nor is any array below: most of their axes are not used */
  const ma_linalg_slots *table = &stream->device->backend->linalg;
  if (!table->matmul)
    return ma_fail(MA_ERR_DEVICE, "products of matrices on %s; that device has none", stream->device->name);
  g.dtype = dtype;
  g.m = p->m;
  g.n = p->n;
  g.k = p->k;
  g.nbatch = p->nbatch;
  MA_TRY(pack(&p->left, dtype, stream, &g.row[1], &g.column[1]));
  MA_TRY(pack(&p->right, dtype, stream, &g.row[2], &g.column[2]));
  walkable(target, &g.row[0], &g.column[0]);
  memcpy(g.batch, p->batch, (size_t)p->nbatch * sizeof *p->batch);
  set_steps(&g, 0, target, p->nbatch, p->batch);
  set_steps(&g, 1, &p->left, p->nbatch, p->batch);
  set_steps(&g, 2, &p->right, p->nbatch, p->batch);
  join_batches(&g);
  MA_TRY(ma_array_write(target, stream, &g.data[0]));
  MA_TRY(ma_array_read(&p->left, stream, (const void **)&g.data[1]));
  MA_TRY(ma_array_read(&p->right, stream, (const void **)&g.data[2]));
  return table->matmul(stream, &g);
}

/* Computes c[..., i, j] = sum over k of a[..., i, k] b[..., j, k], as a reduction. */
static ma_status by_reduction(product *p, ma_dtype dtype, ma_array *target, ma_stream *stream) {
  ma_program program;
  const ma_array *input[2] = { &p->left, &p->right };
  ma_reduce_options options = { .axes = 1u << (p->nbatch + 2), .dtype = dtype };
  int last = p->right.ndim - 1;
  int64_t extent = p->right.shape[last], stride = p->right.stride[last];
  p->right.shape[last] = p->right.shape[last - 1];
  p->right.stride[last] = p->right.stride[last - 1];
  p->right.shape[last - 1] = extent;
  p->right.stride[last - 1] = stride;
  add_axis(&p->left, p->left.ndim - 1);
  add_axis(&p->right, p->right.ndim - 2);
  ma_program_clear(&program);
  int x = ma_program_cast(&program, ma_program_input(&program, (ma_dtype)p->a->dtype), dtype);
  int y = ma_program_cast(&program, ma_program_input(&program, (ma_dtype)p->b->dtype), dtype);
  ma_program_output(&program, ma_program_emit(&program, MA_DO_product, dtype, (int[MA_MAX_ARITY]){ x, y }));
  return ma_reduce_run(dtype == MA_BOOL ? MA_REDUCE_any : MA_REDUCE_sum, &program, input, NULL, &options, target,
                       stream);
}

/* ==== Over arrays ================================================================================================ */

static ma_status check_out(const product *p, const ma_array *out, ma_dtype dtype, const ma_device *device) {
  char has[256], wants[256];
  if (ma_array_device(out) != device) return ma_device_apart(device, ma_array_device(out));
  if (out->ndim != p->ndim || memcmp(out->shape, p->shape, (size_t)p->ndim * sizeof *p->shape))
    return ma_fail(MA_ERR_VALUE, "out of shape %s; the result has shape %s",
                   ma_shape_print(out->ndim, out->shape, has, sizeof has),
                   ma_shape_print(p->ndim, p->shape, wants, sizeof wants));
  if (!ma_dtype_can_cast(dtype, (ma_dtype)out->dtype, true))
    return ma_fail(MA_ERR_TYPE, "out of dtype %s; the result is %s", ma_dtypes[out->dtype].name, ma_dtypes[dtype].name);
  return ma_array_check_writable(out);
}

/* Makes a view of `array` with batch axes, m and n. */
static void as_matrices(const product *p, const ma_array *array, ma_array *view) {
  ma_array_view(view, array);
  if (p->a->ndim == 1) add_axis(view, p->nbatch);
  if (p->b->ndim == 1) add_axis(view, p->nbatch + 1);
}

/* The dtype in which a result of `dtype` is computed. */
static ma_dtype work_dtype(const product *p, ma_dtype dtype, const ma_device *device) {
  bool narrow = ma_dtypes[dtype].itemsize <= 2;
  if (ma_dtypes[dtype].kind == MA_KIND_FLOAT) return narrow && ma_is_host(device) ? MA_FLOAT32 : dtype;
  bool whole = ma_dtypes[dtype].kind == MA_KIND_SIGNED || ma_dtypes[dtype].kind == MA_KIND_UNSIGNED;
  return whole && narrow && p->m * p->n > 1 ? MA_FLOAT64 : dtype;
}

/* Whether BLAS can write the result's memory directly. */
static bool is_direct(const product *p, const ma_array *result, ma_dtype work) {
  ma_array view;
  int64_t row, column;
  if (result->dtype != work || ma_array_overlaps(result, p->a) || ma_array_overlaps(result, p->b)) return false;
  as_matrices(p, result, &view);
  bool direct = walkable(&view, &row, &column);
  for (int d = 0; d < p->nbatch && direct; d++) direct = view.shape[d] == 1 || view.stride[d] != 0;
  ma_array_release(&view);
  return direct;
}

/* Whether the backend multiplies in this dtype. A GPU's BLAS reads two vectors at half the speed of a reduction. */
static bool has_product(const product *p, ma_dtype work, const ma_device *device) {
  bool vectors = p->m == 1 && p->n == 1;
  if (ma_dtypes[work].kind >= MA_KIND_FLOAT) return !vectors || ma_is_host(device) || ma_dtypes[work].itemsize <= 2;
  return ma_dtypes[work].itemsize >= 4 && p->m > 1 && p->n > 1;
}

static ma_status multiply(product *p, ma_dtype dtype, ma_dtype work, ma_array *result, bool fresh, ma_stream *stream) {
  ma_array made, matrices;
  ma_array *target = result;
  made.buffer = NULL;
  if (fresh ? work != dtype : !is_direct(p, result, work)) {
    MA_TRY(ma_array_new(&made, stream->device, work, p->ndim, p->shape));
    target = &made;
  }
  as_matrices(p, target, &matrices);
  ma_status status;
  if (p->k == 0) status = ma_array_fill(&matrices, (ma_value){ .c = { 0, 0 } }, work, stream);
  else if (has_product(p, work, stream->device)) status = by_backend(p, work, &matrices, stream);
  else status = by_reduction(p, work, &matrices, stream);
  ma_array_release(&matrices);
  if (status == MA_OK && made.buffer && work == MA_FLOAT64 && ma_dtypes[dtype].kind < MA_KIND_FLOAT) {
    /* This wraps as integers do; a cast from float would stop at the ends of the range. */
    ma_array whole = { .buffer = NULL };
    status = ma_array_copy(&whole, &made, MA_INT64, stream);
    ma_array_release(&made);
    made = whole;
  }
  if (status == MA_OK && made.buffer) status = ma_array_assign(result, &made, stream);
  ma_array_release(&made);
  return status;
}

ma_status ma_matmul_run(const ma_array *a, const ma_array *b, ma_array *result, ma_stream *stream) {
  product p;
  ma_device *device = ma_array_device(a);
  ma_dtype dtype = ma_dtype_promote((ma_dtype)a->dtype, (ma_dtype)b->dtype);
  bool fresh = !result->buffer;
  if (ma_array_device(b) != device) return ma_device_apart(device, ma_array_device(b));
  if (stream->device != device) stream = ma_device_null_stream(device);
  p.a = a;
  p.b = b;
  ma_status status = arrange(&p);
  if (status == MA_OK)
    status = fresh ? ma_array_new(result, device, dtype, p.ndim, p.shape) : check_out(&p, result, dtype, device);
  if (status == MA_OK && result->size > 0)
    status = multiply(&p, dtype, work_dtype(&p, dtype, device), result, fresh, stream);
  if (status != MA_OK && fresh) ma_array_release(result);
  ma_array_release(&p.left);
  ma_array_release(&p.right);
  return status;
}
