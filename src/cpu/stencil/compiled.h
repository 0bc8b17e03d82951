/* compiled.h: stencils as C++ that the machine's compiler makes fast: compiled.c finds or makes the function, march.c
** runs it over a field. */
#ifndef MA_CPU_COMPILED_H
#define MA_CPU_COMPILED_H

#include "backend/backend.h"
#include "backend/stencil.h"
#include "kernels/stencil/reach.h"

#pragma GCC visibility push(hidden)

/* Inputs that read one field in one row: a function has one pointer for them. */
typedef struct ma_stencil_line {
  uint8_t field;
  int16_t offset[2]; /* of the row, along axes 0 and 1 */
} ma_stencil_line;

/* What a function gets; its text has the same struct. Addresses are those of column 0. */
typedef struct ma_stencil_rows {
  const char *line[MA_MAX_INPUTS];
  int64_t step[MA_STENCIL_FIELDS]; /* of each field: bytes from a row to the next */
  char *to[MA_MAX_OUTPUTS];
  int64_t to_step[MA_MAX_OUTPUTS];
  int64_t along[MA_MAX_INPUTS], to_along[MA_MAX_OUTPUTS]; /* of lines and results: bytes from a column to the next */
  int64_t rows, first, last; /* columns first .. last - 1, whose neighbours are all inside */
  int64_t nedge;             /* how many other columns there are */
  const int32_t *edge;       /* which these are */
  const int32_t *place;      /* for each of these and each input, the column that it reads; -1: the value outside */
  const char *outside;       /* that value for each field, 16 bytes apart */
  const char *scalars;
  const ma_reach_frame *reach; /* of a body that reaches */
  int64_t z, y;                /* of the first row */
} ma_stencil_rows;

typedef void ma_stencil_function(const ma_stencil_rows *rows);

typedef struct ma_stencil_compiled {
  ma_stencil_function *run;
  int nline;
  ma_stencil_line line[MA_MAX_INPUTS];
} ma_stencil_compiled;

/* The compiled form of a stencil; NULL if there is none, or not yet. `work` counts towards compiling it in the
** background. */
const ma_stencil_compiled *ma_stencil_find(const ma_stencil *s, int64_t work);
/* That of a program with a text in place of instructions, which is compiled at its first run. */
ma_status ma_stencil_need(const ma_stencil *s, const ma_stencil_compiled **compiled);
/* march.c: computes the positions first[d] .. first[d] + extent[d] - 1 of each axis. Returns false if too many columns
** have neighbours outside of what is no text. */
bool ma_stencil_march(const ma_stencil_compiled *compiled, const ma_stencil *s, const int64_t *first,
                      const int64_t *extent, ma_status *status);
/* views.c: runs a map over shifted views by a compiled form. Returns false if it did not run it. */
bool ma_cpu_views(const ma_map *map, ma_status *status);

#pragma GCC visibility pop
#endif
