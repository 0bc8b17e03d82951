/*
** cpu.h: the declarations that the files of the CPU backend share. They are not used outside src/cpu.
**
** Arithmetic runs in blocks. Each call prepares the program once (ma_plan: read-only, shared by all threads). Each
** thread has memory for the block registers (ma_block). Then the program runs over up to MA_BLOCK elements at a time,
** with one vectorised loop for each instruction. So intermediate values stay in the first cache.
**
** Files (the .h of a .c is not listed; scripts/maps.lua compares the list with the folder):
** ./         backend.c       the backend's table: memory, copies, the device
**            submit.c        runs a slot's task, or records it in a graph
**            event.c graph.c texture.c   events, graphs, textures
** map/       map.c block.c small.c    programs over arrays: whole arrays, a block, a few elements
**            ready.c ready.h  what is found out about a program before it runs
**            sequence.c                 numbers in arithmetic progression
**            copy.c halves.c   programs that only move elements; those that only move bits of 16-bit floats
**            strided.c transpose.c    elements between layouts
**            loops.c loops.h target.h special.h   the vectorised loops, printed by scripts: choice, parts
**            cast.loops float.loops int.loops special.loops vectormath.h wider.h   some written out
**            fault.c                  positions outside of an array
** random/    random.c random_loops.h drawn.c  random numbers; operations that draw them
** stencil/   stencil.c       programs over neighbours
**            compiled.c march.c compiled.h    compiled by the machine's compiler
**            views.c         plain operators over shifted views
** index/     gather.c combine.c combine.def index.h   picks by positions; picks that combine old and new
**            select.c join.c what a mask keeps; arrays beside each other
** reduce/    plan.c          how a reduction, or a row program of several, is walked
**            walk.c along.c down.c walk.h   the walk: memory and threads, along rows, down columns
**            few.c           a few elements to one
**            scan.c          scans
**            partial.c       partial results of several processes
**            monoid.c monoid.loops moments.loops columns.loops   their loops
** sort/      sort.c rows.c sort_row.h   sorts of rows; elements as numbers
**            numbers.c numbers.h network.c   sorts of numbers: long rows, near a few places; short ones
**            top.c top.h member.c member.h   the first few of a sort; which elements are among others
**            search.c search.h         searches, extremes, changes
**            histogram.c interp.c      counts; values between points
** spatial/   pairs.c pairs_loops.h tree.c within_loop.h   distances of vectors, neighbours
** sparse/    product.c product_loops.h vector.c vector_loops.h   products with dense matrices and vectors
**            multiply.c multiply_loops.h   products of two sparse matrices
**            order.c combine.c triangle.c order_loops.h combine_loops.h triangle_loops.h   formats, operations, systems
**            made.c made_loops.h      parts of matrices, other kinds, several beside each other
**            formats.c formats_loops.h   products of entries, blocks and diagonals; samples of a product
**            look.c extreme.c look_loops.h extreme_loops.h   what is read: places, rows, diagonals, extremes
**            check.c each.h each_value.h sparse.h   positions that must be inside; the kinds of values
** ndimage/   binary.c label.c boxes.c distance.c groups.c morphology.h   morphology, components, distances, sums
**            ndimage.h       what the files of filters of images share
**            window.c window_loops.c window_loop.h   windows of any shape, and their loops by dtype
**            line.c spline.c spline_loop.h   neighbours along an axis; coefficients of splines
**            transform.c transform_loop.h   values of splines
**            rows.c          rows and tiles of the arithmetic's dtype
** signal/    taps.c taps_loops.h   sums of products with weights
**            recurrence.c recurrence_loops.h   recursive filters
**            peaks.c maxima.c   prominences and widths of peaks; which elements are peaks
** interpolate/ bspline.c regular.c interpolate.h   B-splines; values between the points of a grid
** library/   library.c symbols.def    opens BLAS, LAPACK and FFTW
**            libraries.c     the libraries for show_config
**            linalg.c gemv.c lapack.c banded.c openblas.c   products, factorisations, OpenBLAS's settings
**            systems.c systems_loops.h systems_one.h products_loops.h   small matrices: factors, solutions, products
**            integers.c integers_loops.h     products of integers of 32 and 64 bits
**            fft.c curand.c  Fourier transforms, cuRAND's generators
**            cosine.c cosine_loops.h  cosine and sine transforms of rows
**            whole.c chirp.c chirp_loops.h   all terms of reals; lengths with large prime factors
** compile/   compile.c       objects of texts, for the user's kernels
**            compiler.c options.c compiler.h options.h   the machine's compilers and their options
**            bundled.c       objects in bundles, for machines without a compiler
**            later.c         a thread that compiles meanwhile
** kernel/    kernel.c        modules of the user's CUDA C++
**            rewrite.c rewriter.h declaration.c shared.c include.c indices.c   their text as C++
**            header.c absent.c        the text in front of it; what a CPU lacks
**            fiber.c together.c divide.c   the threads of a block; division by zero
**            body.c body_reduce.c     elementwise bodies and reductions that the user wrote
*/
#ifndef MOONARRAY_CPU_H
#define MOONARRAY_CPU_H

#include "base/threads.h"
#include "compile/body.h"
#include "program/program.h"

#pragma GCC visibility push(hidden)

#define MA_BLOCK 1024 /* elements in a block, at most */
#define MA_LANE 16    /* loops run over multiples of this, so that no scalar tail rounds differently from the vectors */
#define MA_ALIGN 64

/* ---- loops.c: the vectorised loops, made from kernels/ops.def for each register type ----------------------------- */

/* r[i] = op(x[i] ...) over n values of register types. n is a multiple of MA_LANE; r may be one of the operands. */
typedef void ma_loop(void *r, const void *x, const void *y, const void *z, const void *w, int n);

ma_loop *ma_cpu_loop(ma_opcode op, ma_dtype dtype);   /* NULL: no loop of that kind */
ma_loop *ma_cpu_truths(ma_opcode op, ma_dtype dtype); /* operands are bools that were not loaded; NULL: no loop */
/* Operand 0 or 1 has one value, and is read once; NULL: no such loop. */
ma_loop *ma_cpu_single(ma_opcode op, ma_dtype dtype, int operand);
ma_loop *ma_cpu_cast(ma_dtype from, ma_dtype to); /* register to register, rounded to `to` */
ma_loop *ma_cpu_round(ma_dtype dtype);            /* rounds a float register to float16 or bfloat16 values; else NULL */
ma_loop *ma_cpu_load(ma_dtype dtype);             /* memory to register; NULL: the same bytes */
ma_loop *ma_cpu_store(ma_dtype dtype);            /* register to memory; NULL: the same bytes */

/* ---- random/drawn.c: operations that draw ----------------------------------------------------------------------- */

/* The loop of an operation that draws. Its first operand has a place for each element, or, where they go on by one
** step, the first place, the step, and MA_IN_STEP. */
ma_loop *ma_cpu_draw_loop(ma_opcode op, ma_dtype dtype);
#define MA_IN_STEP INT64_MIN /* no place is below 0 */

/* ---- block.c: runs a program over a block ---- */

/* A prepared instruction; `arg` and `result` are register numbers of the program. */
typedef struct ma_step {
  ma_loop *loop, *round; /* round: applied to the result, or NULL */
  uint8_t result, nin, arg[MA_MAX_ARITY];
} ma_step;

typedef struct ma_plan {
  const ma_program *program;
  const ma_value *scalar;
  int nstep;
  int width;                      /* elements in a register */
  uint32_t arena, scratch;        /* bytes of a thread's arena; offset of the room for one operand in memory form */
  uint8_t output[MA_MAX_OUTPUTS]; /* register of each output, behind casts that change nothing */
  /* By bit: inputs with one value in a row. Each has a place of its own, which is filled once for each value. */
  uint32_t repeated;
  uint32_t single; /* by bit: inputs with one value in a run, which are read where they lie */
  uint32_t once;   /* by bit: scalars that are read once a run, and need not fill their registers */
  uint32_t places; /* by bit: inputs that are the places of draws, whose registers are int64 */
  /* This input is never read in place, because an output over the same memory might overwrite it. */
  bool copied[MA_MAX_INPUTS];
  ma_loop *load[MA_MAX_INPUTS]; /* memory to register; NULL: the same bytes */
  uint8_t size[MA_MAX_REGS];    /* bytes of an element of each register */
  /* Offset of each register in the arena. Registers that are never live together may share memory. */
  uint32_t place[MA_MAX_REGS];
  ma_step step[MA_MAX_CODE];
} ma_plan;

typedef struct ma_block {
  const ma_plan *plan;
  char *arena, *owned;          /* owned: freed by ma_block_close */
  char *where[MA_MAX_REGS];     /* where results are written: the arena, unless the caller redirects an output */
  const void *reg[MA_MAX_REGS]; /* where each register is in the current run: in the arena, or in an input's memory */
  const void *value[MA_MAX_INPUTS]; /* of a repeated input: the value that fills its register; NULL: none */
  int count[MA_MAX_INPUTS];         /* how many elements of the register have it */
} ma_block;

/* `program` and `scalar` must outlive the plan. `width` is the most elements of a run. `repeated` has, by bit, the
** inputs that have only one value in each row. */
void ma_plan_make(ma_plan *plan, const ma_program *program, const ma_value *scalar, int64_t width, uint32_t repeated);
ma_status ma_plan_init(ma_plan *plan, const ma_program *program, const ma_value *scalar); /* for runs of any size */
/* Of the inputs with one value in every run, by bit, reads those where they lie whose readers have loops for it. */
void ma_plan_single(ma_plan *plan, uint32_t one);
/* One block for each thread. Spreads the scalars. Uses `memory` (aligned to MA_ALIGN) if `size` suffices, else
** allocates. */
ma_status ma_block_open_in(ma_block *block, const ma_plan *plan, void *memory, size_t size);
/* The same for runs over n elements in all, with other scalars than the plan's. */
ma_status ma_block_open_for(ma_block *block, const ma_plan *plan, const ma_value *scalar, int64_t n, void *memory,
                            size_t size);
ma_status ma_block_open(ma_block *block, const ma_plan *plan);
void ma_block_close(ma_block *block);
/* Runs n elements, whole lanes, whose inputs are registers in `reg` already. */
void ma_block_steps(ma_block *block, int n);

/*
** Runs the program over the n <= MA_BLOCK elements first, first + 1 ... in C order of the axes `axis` .. ndim-1 of the
** space. data[k] is the address of operand k at the start of these axes. Input j of the program is operand `input` + j
** of the space, where `input` is the number of outputs. out[j] receives the address of the n contiguous values of
** output j in register form. They may be in the input itself, are valid until the next run, and nothing after n may be
** read.
*/
void ma_block_run(ma_block *block, const ma_space *space, int axis, int input, void *const *data, int64_t first, int n,
                  const void *out[MA_MAX_OUTPUTS]);
/* The same over one row: input j is at data[j] + i * stride[j]. */
void ma_block_row(ma_block *block, const void *const *data, const int64_t *stride, int n,
                  const void *out[MA_MAX_OUTPUTS]);
/* The same over a tile of n0 x n1 elements, at data[j] + i0 * s0[j] + i1 * s1[j]. */
void ma_block_tile(ma_block *block, const void *const *data, const int64_t *s0, const int64_t *s1, int n0, int n1,
                   const void *out[MA_MAX_OUTPUTS]);
/* Writes n register values as `dtype` to `to` + i * stride. */
void ma_block_store(void *to, int64_t stride, const void *values, ma_dtype dtype, int n);

/* ---- strided.c: moves elements of `size` bytes (1, 2, 4, 8, 16) between any layout and packed blocks ------------- */

/* A position in a walk over the axes first .. ndim-1 of a space in C order, for one operand. Neighbours among the axes
** that one step goes through are one axis here. */
typedef struct ma_walk {
  int ndim;
  int64_t shape[MA_MAX_NDIM], stride[MA_MAX_NDIM];
  char *address;           /* of the current element */
  int64_t at[MA_MAX_NDIM]; /* its position along each axis */
} ma_walk;

void ma_walk_init(ma_walk *walk, const ma_space *space, int axis, int operand, const void *data, int64_t first);
/* Gather and scatter advance the walk by n elements. */
void ma_walk_gather(ma_walk *walk, void *packed, int size, int n);
void ma_walk_scatter(ma_walk *walk, const void *packed, int size, int n);
void ma_gather_row(void *packed, const void *from, int64_t stride, int size, int n);
void ma_scatter_row(void *to, int64_t stride, const void *packed, int size, int n);
/* A memmove that avoids a slowness of some processors: they take up to fifteen times as long where the result lies up
** to 63 bytes further on than the operand, counted within a page. A roll or a join by few elements would be such a
** case, if both arrays begin a page. */
void ma_move_bytes(void *to, const void *from, size_t nbytes);
/* Whether a result of so many bytes is larger than the caches, together with the arrays that it is made of: the space's
** operands first .. first + n - 1. It is then written around them. */
bool ma_cpu_streams(int64_t nbytes, const ma_space *space, int first, int n);
/* Copies around the caches. Call ma_stream_end before another thread reads. */
void ma_stream_bytes(void *to, const void *from, size_t nbytes);
void ma_stream_end(void);
/* packed[i * n1 + j] = the element at from + i * s0 + j * s1, and the reverse. */
void ma_gather_tile(void *packed, const void *from, int64_t s0, int64_t s1, int n0, int n1, int size);
/* The same with rows that begin `row` bytes apart. */
void ma_gather_tile_to(char *to, int64_t row, const char *from, int64_t s0, int64_t s1, int n0, int n1, int size);
/* transpose.c: the same where elements lie beside each other along the first axis: element (i, j), at from + i * size +
** j * step, goes to to + i * row + j * size. */
void ma_transpose_tile(char *to, int64_t row, const char *from, int64_t step, int n0, int n1, int size);
void ma_scatter_tile(void *to, int64_t s0, int64_t s1, const void *packed, int n0, int n1, int size);

/* ---- compile.c ---- */

/*
** Loads C++17 text as a shared object: from this process, from the cache, or through the machine's C++ compiler. The
** handle is for dlsym and is valid for the life of the process; the same text and options give the same handle. `name`
** is for messages and for lines before the first `#line`. `option` has NVRTC's form: -DN=3, -I/path, -std=c++20 and so
** on. Options of the GPU are dropped; unknown ones are errors.
*/
ma_status ma_cpu_compile(const char *text, const char *name, const char *const *option, int noption, void **handle);

/* ---- runs that others begin ---- */

/* map/map.c: runs a program over arrays. */
ma_status ma_cpu_map(ma_stream *stream, const ma_map *map);
/* reduce/few.c: reduces few elements to one by a kept program; false: it did not. */
bool ma_cpu_reduce_few(const ma_reduction *reduction);
/* body_reduce.c: a reduction that the user wrote. */
ma_status ma_cpu_reduce_body(ma_stream *stream, const ma_reduction *reduction);
/* random/random.c: makes n elements of a draw from number `first` on. */
void ma_cpu_drawn(const ma_drawn *drawn, int64_t first, int64_t n, void *to);

/* ---- fault.c: positions that were found outside of arrays ------------------------------------------------------ */

ma_fault *ma_cpu_thread_fault(void);             /* the calling thread's */
void ma_cpu_set_fault(const ma_fault *fault);    /* sets the calling thread's fault, unless it has one */
void ma_cpu_name_function(const char *function); /* sets only the name */
const char *ma_cpu_function(void);               /* the name that was set last */

/* ---- body.c: elementwise kernels that the user wrote ---- */

ma_status ma_cpu_body_map(const ma_map *map);

/* ==== The functions of the backend's table ======================================================================== */

/* Each is in the file of its group or of its name. */
#define SLOT(group, who, result, slot, parameters) result ma_cpu_##group##_##slot parameters;
#include "backend/slots.def"

#pragma GCC visibility pop
#endif
