/* stages.h: divides a program whose reductions feed its later instructions into stages. */
#ifndef MOONARRAY_STAGES_H
#define MOONARRAY_STAGES_H

#include "backend/row_program.h"
#include "program/program.h"

#pragma GCC visibility push(hidden)

/* All instructions of a row program. The result of a reduction is an input. Instructions stand behind those that
** compute the values of the reductions which they read. */
typedef struct ma_unstaged {
  const ma_program *program;      /* its outputs are not used */
  int nfold, fold[MA_MAX_INPUTS]; /* the reduction whose result input k is; -1: an array */
  bool flat[MA_MAX_INPUTS];       /* input k does not change along a row */
  uint8_t value[MA_MAX_FOLDS];    /* register that each reduction takes */
  int output;                     /* register of the result; -1: none */
  bool ends;                      /* the result is one number for each row */
} ma_unstaged;

/* Fills the stages, and of the reductions `stage` and `output`. The arrays of the row program are the inputs that are
** no reduction, in their order. False: it has no room, or a value does not change along the row. */
bool ma_stages_make(const ma_unstaged *all, ma_row_program *program);

/* Whether no array has neighbours in memory along another axis than this one, `nkept` for the rows themselves. */
bool ma_rows_lie_along(const ma_row_program *program, int axis);

#pragma GCC visibility pop
#endif
