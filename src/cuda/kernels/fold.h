/*
** fold.h: what reductions and scans share on a GPU: the variant of a kernel, the text of its access functions, its
** parameters. An operand is addressed as the place of a result (or row) among the kept axes, and of an element among
** the reduced ones.
*/
#ifndef MOONARRAY_CUDA_FOLD_H
#define MOONARRAY_CUDA_FOLD_H

#include "cuda/cuda.h"

#include "compile/body.h"

#include "kernels/reduce/reduce.h"

#pragma GCC visibility push(hidden)

/* How a kernel walks: the names are the macros that kernels/reduce/reduce.cuh, scan.cuh and compact.cuh ask for. */
typedef enum ma_fold_walk {
  MA_FOLD_ROWS,
  MA_FOLD_COLUMNS,
  MA_FOLD_THREADS,
  MA_FOLD_BLOCKS,
  MA_FOLD_WARPS,
  MA_FOLD_COMPACT
} ma_fold_walk;

/* Everything that shapes the text beside the program; compared as bytes, so cleared first. */
typedef struct ma_fold_variant {
  uint8_t walk, op, result, nkept, nreduced, columns, tx;
  uint8_t narrow;    /* positions fit 32 bits */
  uint8_t brief;     /* reductions: less than a chunk of elements */
  uint8_t crosses;   /* four elements of a row may lie on two rows of an inner reduced axis */
  uint32_t wide;     /* bit i: input i is read in one access (4 elements of a row, or all columns) */
  uint32_t still;    /* bit i: input i is the same in 4 elements of a row */
  uint16_t wide_out; /* scans: 4 results are written in one access */
  /* scans: tiles that a block of scan_stream.cuh has in shared memory, its blocks; 0: scan.cuh walks */
  uint8_t stream, stream_blocks;
  uint8_t segments; /* reductions: of parts of the axis, see ma_reduction.starts */
  uint8_t initial;  /* reductions: a value of the caller's takes part in each result */
  uint8_t tail;     /* reductions by rows: leaves of an incomplete chunk that a thread computes at once */
} ma_fold_variant;

typedef struct ma_fold_source {
  const ma_program *program;
  const ma_fold_variant *variant;
} ma_fold_source;

/* `struct params` as numbers. A number that the kernel does not use is 0. */
typedef struct ma_fold_numbers {
  void *partial, *status; /* partial results; a scan's ticket and flags */
  int64_t count, kept, span, nspan, run, flags, step;
  double param;
  const ma_value *initial;
} ma_fold_numbers;

typedef struct ma_fold_params {
  char bytes[MA_MAX_SCALARS * 16 + (16 + MA_MAX_OPERANDS + 2 * MA_MAX_NDIM + MA_MAX_OPERANDS * MA_MAX_NDIM) * 8 +
             MA_MAX_RAW * (2 + 2 * MA_MAX_NDIM) * 8] __attribute__((aligned(16)));
  char *at;
} ma_fold_params;
static inline void ma_fold_put(ma_fold_params *to, const void *from, size_t size) {
  memcpy(to->at, from, size);
  to->at += size;
}

ma_dtype ma_fold_value(const ma_program *program);               /* dtype of the output that is combined */
bool ma_fold_is_moments(ma_reduce_op op);                        /* whether its partial results are moments */
int ma_fold_partial(ma_reduce_op op, const ma_program *program); /* bytes of a partial result: sizeof(red_acc) */
int ma_fold_partial_of(ma_reduce_op op, ma_dtype value, bool masked);
/* Prints the instance of reduce.h, with its types `value` and `result`, MASKED, and FOLD_LAST_STEP. If `result` is
** MA_NDTYPE, the parts that concern the result are left out. */
void ma_fold_print_monoid(ma_ctext *text, ma_reduce_op op, ma_dtype value, ma_dtype result, bool masked);
bool ma_fold_is_wide(const ma_space *space, void *const *data, int operand, int itemsize, int axis, int n);
/* whether results lie closer together than the elements of one result */
bool ma_fold_is_upright(const ma_space *space, int nresult, int nkept);
int ma_fold_nresult(const ma_program *program); /* operands in front of the inputs: a body has several outputs */
void ma_fold_print(ma_ctext *text, const ma_fold_source *source); /* all that stands before reduce.cuh or scan.cuh */
void ma_fold_pack(ma_fold_params *to, const ma_program *program, const ma_value *scalar, const ma_space *space,
                  int nkept, void *const *data, const ma_fold_numbers *numbers);
/* fold_body.c: the same for programs whose body the user wrote */
/* prints what stands in place of the program and the instance of reduce.h */
void ma_fold_print_body(ma_ctext *text, const ma_program *program);
void ma_fold_print_finish(ma_ctext *text, const ma_program *program, int nkept);
void ma_fold_print_body_params(ma_ctext *text, const ma_program *program, int nkept); /* FOLD_PARAMS */
void ma_fold_pack_body(ma_fold_params *to, const ma_reduction *reduction);
int64_t ma_fold_bytes(const ma_program *program, const ma_space *space, bool result); /* moved, for the log */

#pragma GCC visibility pop
#endif
