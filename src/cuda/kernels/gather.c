/* gather.c: gather and scatter on a GPU. A variant of kernels/index/pick.cuh is printed for its axes, index dtypes,
** element size and, for a scatter that combines, its operation, or for a program that computes the positions. Its
** numbers are one packed parameter. */
#include "cuda/general/general.h"

#include <string.h>

#define COUNT_MAX (INT64_C(1) << 30) /* picks in one launch */

/* Everything that the text depends on. It is compared as bytes, so it is cleared first. */
typedef struct variant {
  uint8_t write, item, ndim, nindex, mode, dtype, combines, index_dtype[MA_MAX_INDEX];
  int32_t op;
} variant;

typedef struct source {
  const variant *v;
  const ma_program *by; /* computes the positions; NULL: they are in memory */
} source;

/* How many picks a thread has. On an H100 a gather of 2^26 float32 from a table took 0.26 ms with two and 0.29 with
** four. A scatter that adds them took the same time with one and with eight. */
static int picks_of_thread(const variant *v) { return v->write ? 4 : 2; }

/* ==== Text ======================================================================================================== */

/* Operations that the hardware does atomically. `p` is the address, `v` the value. */
static const struct {
  int op;
  ma_dtype dtype;
  const char *text;
} natives[] = {
#define ATOMIC(op, dtype, text) { MA_OP_##op, MA_##dtype, text },
#include "kernels/index/atomics.def"
};

static const char *native_text(const variant *v) {
  for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
    if (natives[i].op == v->op && (uint8_t)natives[i].dtype == v->dtype) return natives[i].text;
  return NULL;
}

/* Prints the operation as `combine(old, value)`; a unary operation ignores the value. */
static void print_combine(ma_ctext *text, const variant *v) {
  const ma_op_info *op = &ma_ops[v->op];
  const char *suffix = ma_cuda_suffix((ma_dtype)v->dtype);
  ma_note_special(text, (ma_opcode)v->op);
  ma_ctext_add(text,
               "static __device__ __forceinline__ item combine(item old, item value) {\n  typedef dt_%s::reg T;\n"
               "  T x = dt_%s::load(old), y = dt_%s::load(value);\n  (void)y;\n  return dt_%s::store((T)(%s));\n}\n",
               suffix, suffix, suffix, suffix, op->body[ma_dtypes[v->dtype].kind]);
  ma_ctext_add(text, "#define SWAP %d\n#define STORE(p, v) swap_%d(p, v)\n", v->item, v->item == 2 ? 1 : v->item);
}

/* The type that moves an element, by its size in bytes. */
static const char *const moved[17] = { [1] = "u1", [2] = "u2", [4] = "u4", [8] = "u8", [16] = "uint4" };

/* Prints POSITION(k, g, at): the position in index array k, whose operands are at the offsets at[2] and on. */
static void print_positions(ma_ctext *text, const variant *v) {
  ma_ctext_put(text, "#define BY 0\n#define POSITION(k, g, at) (");
  for (int k = 0; k < v->nindex; k++) {
    const char *suffix = ma_cuda_suffix((ma_dtype)v->index_dtype[k]);
    if (k < v->nindex - 1) ma_ctext_add(text, "(k) == %d ? ", k);
    ma_ctext_add(text, "as_position(*(const %s *)((g).data[2 + (k)] + (at)[2 + (k)]))", suffix);
    if (k < v->nindex - 1) ma_ctext_put(text, " : ");
  }
  ma_ctext_put(text, ")\n");
}

static void print_program_of_positions(ma_ctext *text, const ma_program *program) {
  ma_print_program(text, program);
  ma_ctext_add(text, "#define BY 1\n#define POSITION(k, g, at) [&]() { dt_%s::reg made; program((g).s",
               ma_cuda_suffix(ma_program_dtype(program, program->output[0])));
  for (int k = 0; k < program->ninput; k++) {
    const char *suffix = ma_cuda_suffix((ma_dtype)program->input_dtype[k]);
    ma_ctext_add(text, ", dt_%s::load(*(const dt_%s::mem *)((g).data[%d] + (at)[%d]))", suffix, suffix, 2 + k, 2 + k);
  }
  ma_ctext_put(text, ", made); return as_position(made); }()\n");
}

static void print_picks(ma_ctext *text, const void *what) {
  const source *s = what;
  const variant *v = s->v;
  const char *native = v->combines ? native_text(v) : NULL;
  ma_ctext_add(text,
               "#define NDIM %d\n#define NINDEX %d\n#define NTERM %d\n#define MODE %d\n#define PICKS %d\n"
               "#define PICK_THREADS %d\n",
               v->ndim, v->nindex, s->by ? s->by->ninput : v->nindex, v->mode, picks_of_thread(v), MA_THREADS);
  if (s->by) print_program_of_positions(text, s->by);
  else print_positions(text, v);
  if (v->combines) ma_ctext_add(text, "typedef dt_%s::mem item;\n", ma_cuda_suffix((ma_dtype)v->dtype));
  else ma_ctext_add(text, "typedef %s item;\n", moved[v->item]);
  if (native)
    ma_ctext_add(text,
                 "#define STORE(p, v) store_native(p, v)\nstatic __device__ __forceinline__ void store_native(char *p, "
                 "item v) { %s; }\n",
                 native);
  else if (v->combines) print_combine(text, v);
  else if (v->write) ma_ctext_put(text, "#define STORE(p, v) (*(item *)(p) = (v))\n");
  ma_ctext_put(text, ma_embedded("pick.cuh"));
  ma_ctext_put(text, ma_embedded(v->write ? "scatter.cuh" : "gather.cuh"));
}

static const ma_cuda_family gather_family = { "gather", { "gather" }, print_picks, NULL };
static const ma_cuda_family scatter_family = { "scatter", { "scatter" }, print_picks, NULL };

/* ==== Launching =================================================================================================== */

/* Packs the bytes of `struct picks` in pick.cuh, in its order. */
typedef struct packer {
  char bytes[4096];
  size_t size;
} packer;

static void pack(packer *p, const void *from, size_t size) {
  memcpy(p->bytes + p->size, from, size);
  p->size += size;
}

static int64_t count_of(const ma_space *space) {
  int64_t count = 1;
  for (int d = 0; d < space->ndim; d++) count *= space->shape[d];
  return count;
}

typedef struct job {
  CUfunction function;
  const variant *v;
  const ma_program *by;
  const ma_value *scalar;
} job;

static ma_status launch_part(ma_stream *stream, const ma_gather *g, const job *j) {
  int64_t count = count_of(&g->space);
  packer p = { .size = 0 };
  int32_t name;
  CUdeviceptr fault = ma_cuda_fault_of(ma_cuda_state(stream), &name);
  int noperand = g->space.noperand, ndim = g->space.ndim;
  if (j->by) p.size = ma_pack_scalars(j->by, j->scalar, p.bytes);
  for (int k = 0; k < noperand; k++) pack(&p, g->space.stride[k], sizeof(int64_t) * (size_t)ndim);
  pack(&p, g->extent, sizeof(int64_t) * (size_t)g->nindex);
  pack(&p, g->step, sizeof(int64_t) * (size_t)g->nindex);
  pack(&p, g->data, sizeof(void *) * (size_t)noperand);
  pack(&p, &fault, sizeof fault);
  for (int d = 0; d < ndim; d++) {
    ma_cuda_divisor divisor = ma_cuda_divide((uint32_t)g->space.shape[d]);
    pack(&p, &divisor, sizeof divisor);
  }
  for (int k = 0; k < g->nindex; k++) {
    int32_t axis = g->axis[k];
    pack(&p, &axis, sizeof axis);
  }
  uint32_t n = (uint32_t)count;
  int64_t each = (int64_t)picks_of_thread(j->v) * MA_THREADS;
  pack(&p, &name, sizeof name);
  pack(&p, &n, sizeof n);
  return ma_cuda_launch(stream, j->function, (unsigned)((count + each - 1) / each), MA_THREADS, 0,
                        (void *[]){ p.bytes }, j->v->write ? "scatter" : "gather", count * j->v->item * 2);
}

/* Launches parts of at most COUNT_MAX picks: an outer axis is cut, or is walked if its inner part is too large. */
static ma_status launch_parts(ma_stream *stream, const ma_gather *whole, int axis, const job *j) {
  ma_gather g = *whole;
  if (count_of(&g.space) <= COUNT_MAX) return launch_part(stream, &g, j);
  int64_t inner = 1, extent = g.space.shape[axis];
  for (int d = axis + 1; d < g.space.ndim; d++) inner *= g.space.shape[d];
  int64_t piece = inner > COUNT_MAX ? 1 : COUNT_MAX / inner;
  for (int64_t i = 0; i < extent; i += piece) {
    g.space.shape[axis] = extent - i < piece ? extent - i : piece;
    for (int k = 0; k < g.space.noperand; k++) g.data[k] = (char *)whole->data[k] + i * g.space.stride[k][axis];
    MA_TRY(launch_parts(stream, &g, axis + 1, j));
  }
  return MA_OK;
}

/* Elements along a last axis without an index are moved up to 16 bytes at a time, if all addresses are aligned. */
static int widen(ma_gather *g) {
  int size = ma_dtypes[g->dtype].itemsize, last = g->space.ndim - 1;
  int64_t row = g->space.shape[last] * size;
  if (g->space.stride[0][last] != size || g->space.stride[1][last] != size) return size;
  for (int k = 2; k < g->space.noperand; k++)
    if (g->space.stride[k][last] != 0) return size;
  uint64_t all = (uint64_t)(uintptr_t)g->data[0] | (uint64_t)(uintptr_t)g->data[1] | (uint64_t)row;
  for (int d = 0; d < last; d++) all |= (uint64_t)g->space.stride[0][d] | (uint64_t)g->space.stride[1][d];
  for (int k = 0; k < g->nindex; k++) all |= (uint64_t)g->step[k];
  int wide = 16;
  while (wide > size && all % (uint64_t)wide) wide /= 2;
  if (wide <= size) return size;
  g->space.shape[last] = row / wide;
  g->space.stride[0][last] = g->space.stride[1][last] = wide;
  return wide;
}

static void pad(ma_gather *g) {
  for (int k = 0; k < g->nindex; k++) g->axis[k] += MA_MAX_NDIM - g->space.ndim;
  ma_general_pad(&g->space, 0, MA_MAX_NDIM);
}

/* Fills the variant, of the exact form after it widened `g` if possible, or of the general one. */
static void choose(ma_gather *g, bool write, bool general, variant *v) {
  memset(v, 0, sizeof *v);
  if (general) pad(g);
  v->write = write;
  v->ndim = (uint8_t)g->space.ndim;
  v->nindex = (uint8_t)g->nindex;
  v->mode = (uint8_t)g->mode;
  memcpy(v->index_dtype, g->index_dtype, (size_t)g->nindex);
  v->combines = write && g->op >= 0;
  v->op = v->combines ? g->op : -1;
  v->dtype = v->combines ? (uint8_t)g->dtype : 0;
  v->item = (uint8_t)(v->combines ? ma_dtypes[g->dtype].itemsize : 0);
  if (!v->combines) v->item = (uint8_t)(general ? ma_dtypes[g->dtype].itemsize : widen(g));
}

static ma_status run_picks(ma_stream *stream, const ma_gather *picks, bool write) {
  ma_gather g;
  variant v;
  const CUfunction *entry = NULL;
  MA_TRY(ma_cuda_enter(stream->device));
  for (int form = 0; !entry && form < MA_CUDA_NFORM; form++) {
    g = *picks;
    choose(&g, write, form == MA_CUDA_GENERAL, &v);
    MA_TRY(ma_cuda_finders[form](ma_cuda_state(stream), write ? &scatter_family : &gather_family, &v, sizeof v,
                                 &(source){ .v = &v }, &entry));
  }
  return launch_parts(stream, &g, 0, &(job){ .function = entry[0], .v = &v });
}

ma_status ma_cuda_index_gather_by(ma_stream *stream, const ma_gather *picks, const ma_program *positions,
                                  const ma_value *scalar, bool *ran) {
  ma_gather g = *picks;
  variant v;
  const CUfunction *entry;
  uint8_t key[sizeof v + sizeof(ma_program)];
  choose(&g, false, false, &v);
  memset(v.index_dtype, MA_NDTYPE, sizeof v.index_dtype);
  memcpy(key, &v, sizeof v);
  size_t size = sizeof v + ma_program_key(positions, key + sizeof v);
  source s = { &v, positions };
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel_try(ma_cuda_state(stream), &gather_family, key, size, &s, &entry));
  *ran = entry != NULL;
  return entry ? launch_parts(stream, &g, 0, &(job){ entry[0], &v, positions, scalar }) : MA_OK;
}

ma_status ma_cuda_gather_source(const ma_gather *picks, bool write, const ma_program *by, char **result) {
  ma_gather g = *picks;
  variant v;
  choose(&g, write, false, &v);
  if (by) memset(v.index_dtype, MA_NDTYPE, sizeof v.index_dtype);
  return ma_cuda_source(write ? &scatter_family : &gather_family, &(source){ &v, by }, result);
}

ma_status ma_cuda_index_gather(ma_stream *stream, const ma_gather *gather) { return run_picks(stream, gather, false); }

ma_status ma_cuda_index_scatter(ma_stream *stream, const ma_gather *scatter) {
  return run_picks(stream, scatter, true);
}
