/*
** cpu.h: what the files of the CPU backend share. Nothing here is seen outside src/cpu.
**
** Arithmetic runs by blocks. A program is made ready once a call (ma_plan: read-only, shared by all threads), each
** thread has the memory of the block registers (ma_block), and a program is then run over up to MA_BLOCK elements at a
** time, one vectorised loop an instruction, so that what lies between two instructions never leaves the first cache.
*/
#ifndef MOONARRAY_CPU_H
#define MOONARRAY_CPU_H

#include "compile/body.h"
#include "program/program.h"

#pragma GCC visibility push(hidden)

#define MA_BLOCK 1024 /* most elements of a block */
#define MA_LANE 16    /* loops run over multiples of this, so that no scalar tail rounds otherwise than the vectors */
#define MA_ALIGN 64

/* ---- loops.c: the vectorised loops, made of kernels/ops.def for each register type ---- */

/* r[i] = op(x[i] ...), over n values of register types, n a multiple of MA_LANE; r may be one of the operands. */
typedef void ma_loop(void *r, const void *x, const void *y, const void *z, const void *w, int n);

ma_loop *ma_cpu_loop(ma_opcode op, ma_dtype dtype); /* NULL: no loop of that kind */
ma_loop *ma_cpu_cast(ma_dtype from, ma_dtype to);   /* register to register, rounded to `to` */
ma_loop *ma_cpu_round(ma_dtype dtype);              /* a float register to float16 or bfloat16 values; else NULL */
ma_loop *ma_cpu_load(ma_dtype dtype);               /* memory to register; NULL: the same bytes */
ma_loop *ma_cpu_store(ma_dtype dtype);              /* register to memory; NULL: the same bytes */

/* ---- block.c: running a program over a block ---- */

/* An instruction made ready: `arg` and `result` are numbers of registers, as in the program. */
typedef struct ma_step {
  ma_loop *loop, *round; /* round: NULL, or applied to the result */
  uint8_t result, nin, arg[MA_MAX_ARITY];
} ma_step;

typedef struct ma_plan {
  const ma_program *program;
  const ma_value *scalar;
  int nstep;
  int width;                      /* elements that a register has room for */
  uint32_t arena, scratch;        /* bytes of a thread's arena; offset of room for one operand as memory holds it */
  uint8_t output[MA_MAX_OUTPUTS]; /* the register of each output, past casts that change nothing */
  bool copied[MA_MAX_INPUTS]; /* this input is never read in place, since an output that shows it might overwrite it */
  ma_loop *load[MA_MAX_INPUTS]; /* memory to register, NULL: the same bytes */
  uint8_t size[MA_MAX_REGS];    /* bytes of an element of each register */
  uint32_t place[MA_MAX_REGS];  /* offset of each register in the arena; registers that never live together share */
  ma_step step[MA_MAX_CODE];
} ma_plan;

typedef struct ma_block {
  const ma_plan *plan;
  char *arena, *owned;          /* owned: what ma_block_close frees */
  char *where[MA_MAX_REGS];     /* where results go: in the arena unless the caller sends an output elsewhere */
  const void *reg[MA_MAX_REGS]; /* where each register lies in the current run: in the arena, or an input's memory */
} ma_block;

/* `program` and `scalar` must outlive the plan. `most`: no run will have more elements than this. */
void ma_plan_make(ma_plan *plan, const ma_program *program, const ma_value *scalar, int64_t most);
ma_status ma_plan_init(ma_plan *plan, const ma_program *program, const ma_value *scalar); /* for runs of any size */
/* One a thread. Spreads the scalars. `memory` (aligned to MA_ALIGN) is used if `size` suffices, else memory is
** allocated. */
ma_status ma_block_open_in(ma_block *block, const ma_plan *plan, void *memory, size_t size);
ma_status ma_block_open(ma_block *block, const ma_plan *plan);
void ma_block_close(ma_block *block);

/*
** Runs the program over the n <= MA_BLOCK elements first, first + 1 ... in C order of the axes `axis` .. ndim-1 of the
** space. data[k] is the address of operand k at the start of these axes; input j of the program is operand `input` + j
** of the space (input is the number of outputs). out[j] receives the address of the n values of output j, of its
** register type, contiguous; they may lie in the input itself and are good until the next run. Nothing past n may be
** read.
*/
void ma_block_run(ma_block *block, const ma_space *space, int axis, int input, void *const *data, int64_t first, int n,
                  const void *out[MA_MAX_OUTPUTS]);
/* The same over one row: input j is read at data[j] + i * stride[j]. */
void ma_block_row(ma_block *block, const void *const *data, const int64_t *stride, int n,
                  const void *out[MA_MAX_OUTPUTS]);
/* The same over a tile of n0 x n1 elements, at data[j] + i0 * s0[j] + i1 * s1[j]. */
void ma_block_tile(ma_block *block, const void *const *data, const int64_t *s0, const int64_t *s1, int n0, int n1,
                   const void *out[MA_MAX_OUTPUTS]);
/* Writes n values of register type as `dtype` to `to` + i * stride. */
void ma_block_store(void *to, int64_t stride, const void *values, ma_dtype dtype, int n);

/* ---- strided.c: elements of `size` bytes (1, 2, 4, 8, 16) between memory in any layout and packed blocks ---- */

/* A place in a walk over the axes first .. ndim-1 of a space in C order, for one operand. */
typedef struct ma_walk {
  int ndim; /* axes, counted from the first that is walked */
  const int64_t *shape, *stride;
  char *address;           /* of the current element */
  int64_t at[MA_MAX_NDIM]; /* its position along each axis */
} ma_walk;

void ma_walk_init(ma_walk *walk, const ma_space *space, int axis, int operand, const void *data, int64_t first);
void ma_walk_gather(ma_walk *walk, void *packed, int size, int n); /* both move on by n elements */
void ma_walk_scatter(ma_walk *walk, const void *packed, int size, int n);
void ma_gather_row(void *packed, const void *from, int64_t stride, int size, int n);
void ma_scatter_row(void *to, int64_t stride, const void *packed, int size, int n);
/* Copies past the caches, for results that are larger than these; ma_stream_end before another thread may read. */
void ma_stream_bytes(void *to, const void *from, size_t nbytes);
void ma_stream_end(void);
/* packed[i * n1 + j] = the element at from + i * s0 + j * s1, and the other way round. */
void ma_gather_tile(void *packed, const void *from, int64_t s0, int64_t s1, int n0, int n1, int size);
void ma_scatter_tile(void *to, int64_t s0, int64_t s1, const void *packed, int n0, int n1, int size);

/* ---- threads.c ---- */

/* Calls fn(context, first, last) for ranges that cover 0 .. n-1, on several threads if n is at least 2 * grain. Ranges
** begin at multiples of `grain`. Returns the first failure, with its message. Inside fn it runs serially. */
typedef ma_status ma_range_function(void *context, int64_t first, int64_t last);
ma_status ma_cpu_parallel(int64_t n, int64_t grain, ma_range_function *fn, void *context);
int ma_cpu_threads(void); /* most threads that a call may use */

/* ---- compile.c ---- */

/*
** C++17 text as a loaded shared object: from this process, else from the cache, else by the machine's C++ compiler. Its
** handle is for dlsym and good for the life of the process; the same text and options give the same one. `name` is for
** messages and for the lines before the first `#line`. `option`: -DN=3, -I/path, -std=c++20 and so on, as NVRTC takes
** them; the GPU's own are dropped, others are errors.
*/
ma_status ma_cpu_compile(const char *text, const char *name, const char *const *option, int noption, void **handle);

/* ---- the backend's functions, each in the file of its name ---- */

ma_status ma_cpu_map(ma_stream *stream, const ma_map *map);
bool ma_cpu_small(const ma_map *map); /* small.c: has run it, which is so for few packed elements */
ma_status ma_cpu_direct(ma_stream *stream, const struct ma_direct *direct, bool *ran); /* in small.c too */
ma_status ma_cpu_reduce(ma_stream *stream, const ma_reduction *reduction);
ma_status ma_cpu_reduce_body(ma_stream *stream, const ma_reduction *reduction); /* what the user wrote: body_reduce.c */
ma_status ma_cpu_scan(ma_stream *stream, const ma_scan *scan);
ma_status ma_cpu_gather(ma_stream *stream, const ma_gather *gather);
ma_status ma_cpu_scatter(ma_stream *stream, const ma_gather *scatter);
ma_status ma_cpu_nonzero(ma_stream *stream, const void *mask, int64_t n, ma_array *positions);
ma_status ma_cpu_fault(ma_stream *stream, uint32_t owner, ma_fault *fault);
void ma_cpu_set_fault(const ma_fault *fault); /* the calling thread's, unless it has one */
void ma_cpu_set_function(ma_stream *stream, uint32_t owner, const char *function);
void ma_cpu_name_function(const char *function); /* the name alone */
const char *ma_cpu_function(void);               /* that was set last */

/* ---- event.c: work is done when a call returns, so an event is a reading of the clock ---- */

ma_status ma_cpu_event_new(ma_device *device, uint32_t flags, void **event);
void ma_cpu_event_free(ma_device *device, void *event);
ma_status ma_cpu_event_record(ma_stream *stream, void *event);
ma_status ma_cpu_event_elapsed(ma_device *device, void *start, void *end, double *milliseconds);
ma_status ma_cpu_event_synchronize(ma_device *device, void *event);
ma_status ma_cpu_event_wait(ma_stream *stream, void *event);
ma_status ma_cpu_event_done(ma_device *device, void *event, bool *done);

/* ---- body.c: elementwise bodies of the user's own ---- */

ma_status ma_cpu_body_map(const ma_map *map);
void ma_cpu_body_print(ma_ctext *text, const ma_body *body); /* the text that is compiled */

/* libraries.c: the kth library for show_config. */
bool ma_cpu_library_look(int k, struct ma_library_look *look);

#pragma GCC visibility pop
#endif
