/*
** row_program.h: a row program: reductions along the same axis, arithmetic between them, and at most one result, which
** has all elements of the rows or one for each row, computed in one walk over the rows. program/stages.c makes the
** stages. Values have the bits that they would have in memory between two runs: the result of a reduction is rounded to
** its dtype before a later stage reads it.
*/
#ifndef MOONARRAY_BACKEND_ROW_PROGRAM_H
#define MOONARRAY_BACKEND_ROW_PROGRAM_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

#define MA_MAX_FOLDS 6
#define MA_MAX_STAGES 4
#define MA_MAX_HELD 2
#define MA_NOWHERE 255

/* Where an input of a stage's program comes from. */
typedef enum ma_row_kind {
  MA_FROM_INPUT, /* an array */
  MA_FROM_FOLD,  /* the result of an earlier reduction of the row */
  MA_FROM_HELD,  /* an element of a row that an earlier stage computed and held */
  MA_FROM_HEAD   /* an output of this stage's head */
} ma_row_kind;

typedef struct ma_row_source {
  uint8_t kind, index; /* ma_row_kind; the number of the array, reduction, held row or output */
} ma_row_source;

/* Its scalars are those of the whole row program. */
typedef struct ma_row_part {
  ma_program program;
  ma_row_source from[MA_MAX_INPUTS];
} ma_row_part;

/* A stage reads all elements of a row. Its reductions are complete before the next stage begins. */
typedef struct ma_row_stage {
  ma_row_part head; /* runs once for a row, on what does not change along it; without outputs it does not run */
  ma_row_part body; /* its outputs are values to reduce, held rows, and the result */
  uint8_t held[MA_MAX_HELD], result; /* the outputs that are held, or the result; MA_NOWHERE: none */
} ma_row_stage;

typedef struct ma_row_fold {
  uint8_t op, value, result; /* ma_reduce_op; dtypes of the elements and of the result */
  uint8_t stage, output;     /* the output of the stage's body that it reduces */
  double param;              /* ddof */
} ma_row_fold;

/*
** One run. The operands of the space are the results of the reductions, then the result if `writes`, then the arrays.
** A result that is one number for each row is made by an end: by the head of a stage behind the last one, which has no
** body. The first `nkept` axes are those of the rows, the one behind them is the row, of `count` elements. The
** results of reductions have step 0 on it. No extent is 0. Results overlap nothing.
*/
typedef struct ma_row_program {
  int nstage, nfold, nheld, narray;
  bool writes, ends;            /* `ends`: the result is one number for each row. Only a GPU has such programs */
  uint8_t result;               /* dtype of the result */
  uint8_t unread;               /* bit k: nobody reads the result of reduction k in memory: it need not be written */
  uint8_t held[MA_MAX_HELD];    /* dtypes of the held rows */
  uint8_t array[MA_MAX_INPUTS]; /* dtypes of the arrays */
  ma_row_stage stage[MA_MAX_STAGES + 1];
  ma_row_fold fold[MA_MAX_FOLDS];
  int nkept;
  int64_t count;
  ma_space space;
  void *data[MA_MAX_OPERANDS];
  ma_value scalar[MA_MAX_SCALARS];
} ma_row_program;

/* Whether the result has all elements of the rows. */
static inline bool ma_row_program_fills(const ma_row_program *p) { return p->writes && !p->ends; }

#pragma GCC visibility pop
#endif
