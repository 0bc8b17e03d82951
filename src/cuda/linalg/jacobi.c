/*
** jacobi.c: singular values of batches by a kernel that gives each matrix a block and takes any layout. cuSOLVER's
** gesvdjBatched takes at most 32 rows; larger matrices would be passed one by one, each of which leaves most of the GPU
** idle.
*/
#include "cuda/library/solver.h"

#include <float.h>

#define MOST 128 /* rows and columns; the arrays and the threads of jacobi.cuh are made for that */

/* The same struct is in kernels/linalg/jacobi.cuh. */
typedef struct jacobi_params {
  const void *a;
  void *s, *u, *vh;
  int32_t *info;
  int64_t a_ld, a_step, u_ld, u_step, vh_ld, vh_step;
  int32_t rows, columns, w_ld, v_ld, wide, left;
} jacobi_params;

static void print_jacobi(ma_ctext *text, const void *what) {
  ma_dtype dtype = (ma_dtype) * (const uint8_t *)what;
  bool is_double = dtype == MA_FLOAT64 || dtype == MA_COMPLEX128;
  ma_ctext_add(text, "typedef %s real;\n#define COMPLEX %d\n#define EPSILON %s\n#define MOST %d\n",
               is_double ? "double" : "float", ma_dtypes[dtype].kind == MA_KIND_COMPLEX,
               is_double ? "2.220446049250313e-16" : "1.1920929e-7f", MOST);
  ma_ctext_put(text, ma_embedded("jacobi.cuh"));
}

const ma_cuda_family ma_cuda_jacobi = { "jacobi", { "jacobi" }, print_jacobi, NULL };

/* A distance between columns, chosen so that the elements that a warp reads at once are in different banks. */
static int32_t spread(int64_t n, size_t item) {
  int64_t banks = item == 4 ? 32 : 16;
  return (int32_t)(item == 16 ? n : (n + banks - 9) / banks * banks + 8);
}

static jacobi_params params_of(const ma_solver *s, char job) {
  const ma_matrices *a = s->a;
  bool wide = a->rows < a->columns;
  int64_t rows = wide ? a->columns : a->rows, columns = wide ? a->rows : a->columns;
  return (jacobi_params){ .a = a->data,
                          .a_ld = a->ld,
                          .a_step = a->step,
                          .rows = (int32_t)rows,
                          .columns = (int32_t)columns,
                          .w_ld = spread(rows, s->item),
                          .v_ld = spread(columns, s->item),
                          .wide = wide,
                          .left = (int32_t)(job == 'N'   ? 0
                                            : job == 'A' ? rows
                                                         : columns) };
}

static size_t shared_of(const ma_solver *s, const jacobi_params *p) {
  return (size_t)p->columns * (size_t)(p->w_ld + (p->left ? p->v_ld : 0)) * s->item;
}

/* Shared memory of a block besides the arrays of fixed size. */
static size_t room_of(const ma_solver *s) {
  size_t fixed = MOST * (2 * s->item + 2 * s->real_item + sizeof(int)) + 1024,
         all = (size_t)ma_cuda_state(s->stream)->max_shared;
  return all > fixed ? all - fixed : 0;
}

bool ma_solver_jacobi_takes(const ma_solver *s, char job) {
  const ma_matrices *a = s->a;
  if (a->rows > MOST || a->columns > MOST || a->count > INT32_MAX) return false;
  jacobi_params p = params_of(s, job);
  return shared_of(s, &p) <= room_of(s);
}

ma_status ma_solver_jacobi(ma_solver *s, char job, void *values, const ma_matrices *u, const ma_matrices *vh,
                           int32_t *info) {
  const ma_matrices *a = s->a;
  jacobi_params p = params_of(s, job);
  uint8_t dtype = (uint8_t)s->dtype;
  const CUfunction *entry;
  size_t shared = shared_of(s, &p);
  unsigned threads = (unsigned)((p.columns + 1) / 2 * 8 + 31) / 32 * 32;
  p.s = values;
  p.info = info;
  if (p.left) {
    p.u = u->data, p.u_ld = u->ld, p.u_step = u->step;
    p.vh = vh->data, p.vh_ld = vh->ld, p.vh_step = vh->step;
  }
  MA_TRY(ma_cuda_kernel(ma_cuda_state(s->stream), &ma_cuda_jacobi, &dtype, sizeof dtype, &dtype, &entry));
  /* The value is the same for every call, because another thread may be between this call and its launch. */
  MA_CU(cuFuncSetAttribute, entry[0], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)room_of(s));
  return ma_cuda_launch(s->stream, entry[0], (unsigned)a->count, threads, (unsigned)shared, (void *[]){ &p }, "jacobi",
                        2 * a->count * a->rows * a->columns * (int64_t)s->item);
}
