/* tree.c: queries of a k-d tree, by kernels/spatial/tree.cuh. */
#include "cuda/cuda.h"
#include "backend/spatial.h"

#define THREADS 128

static void print_tree(ma_ctext *text, const void *what) {
  const uint8_t *dtype = what;
  ma_ctext_add(text, "typedef %s T;\n#define TREE_LEVELS %d\n", *dtype == MA_FLOAT32 ? "float" : "double",
               MA_TREE_LEVELS);
  ma_ctext_put(text, "#define TREE(name) name##_of_tree\n#define TREE_FN static __device__ __forceinline__\n"
                     "#define TREE_INF ((T)(1e300 * 1e300))\n#define ABS(v) fabs(v)\n#define SQRT(v) sqrt(v)\n"
                     "#define POW(v, e) pow(v, e)\n");
  ma_ctext_put(text, ma_embedded("tree.h"));
  ma_ctext_put(text, ma_embedded("tree.cuh"));
}

static const ma_cuda_family family = { "tree", { "find_nearest", "find_within" }, print_tree, NULL };

/* The structs of tree.h and tree.cuh, by type. */
#define STRUCTS(T, suffix)            \
  typedef struct tree_##suffix {      \
    const void *points, *boxes;       \
    const int64_t *positions;         \
    int32_t axes, levels, leaf, form; \
    T p;                              \
  } tree_##suffix;                    \
  typedef struct nearest_##suffix {   \
    tree_##suffix t;                  \
    const void *queries;              \
    void *distances;                  \
    int64_t *found, count, k, none;   \
    T bound, slack;                   \
  } nearest_##suffix;                 \
  typedef struct within_##suffix {    \
    tree_##suffix t;                  \
    const void *queries, *radii;      \
    int64_t *counts, *found;          \
    const int64_t *offsets;           \
    int64_t count;                    \
    int32_t later;                    \
  } within_##suffix;
STRUCTS(float, f4)
STRUCTS(double, f8)

#define TREE(t) (t).points, (t).boxes, (t).positions, (t).axes, (t).levels, (t).leaf, ma_tree_form((t).p)

static ma_status launch(ma_stream *stream, ma_dtype dtype, int kernel, int64_t count, void *params, int64_t nbytes) {
  uint8_t key = (uint8_t)dtype;
  const CUfunction *entry;
  int64_t blocks = (count + THREADS - 1) / THREADS;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld queries; at most 2^38 on a GPU", (long long)count);
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &key, sizeof key, &key, &entry));
  return ma_cuda_launch(stream, entry[kernel], (unsigned)blocks, THREADS, 0, (void *[]){ params },
                        kernel ? "within" : "nearest", nbytes);
}

ma_status ma_cuda_spatial_nearest(ma_stream *stream, const ma_nearest *q) {
  int64_t nbytes = q->count * (q->tree.axes + q->k) * ma_dtypes[q->tree.dtype].itemsize + q->count * q->k * 8;
  nearest_f4 f4 = { { TREE(q->tree), (float)q->tree.p },
                    q->queries,
                    q->distances,
                    q->found,
                    q->count,
                    q->k,
                    q->none,
                    (float)q->bound,
                    (float)(1 + q->eps) };
  nearest_f8 f8 = {
    { TREE(q->tree), q->tree.p }, q->queries, q->distances, q->found, q->count, q->k, q->none, q->bound, 1 + q->eps
  };
  return launch(stream, q->tree.dtype, 0, q->count, q->tree.dtype == MA_FLOAT32 ? (void *)&f4 : (void *)&f8, nbytes);
}

ma_status ma_cuda_spatial_within(ma_stream *stream, const ma_within *q) {
  int64_t nbytes = q->count * ((q->tree.axes + 1) * ma_dtypes[q->tree.dtype].itemsize + 8);
  within_f4 f4 = {
    { TREE(q->tree), (float)q->tree.p }, q->queries, q->radii, q->counts, q->found, q->offsets, q->count, q->later
  };
  within_f8 f8 = {
    { TREE(q->tree), q->tree.p }, q->queries, q->radii, q->counts, q->found, q->offsets, q->count, q->later
  };
  return launch(stream, q->tree.dtype, 1, q->count, q->tree.dtype == MA_FLOAT32 ? (void *)&f4 : (void *)&f8, nbytes);
}

ma_status ma_cuda_tree_source(ma_dtype dtype, char **source) {
  uint8_t key = (uint8_t)dtype;
  return ma_cuda_source(&family, &key, source);
}
