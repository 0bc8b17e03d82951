/*
** walk.h: the one walk over rows that every reduction on the CPU is: a row program (backend/row_program.h), or a plain
** reduction, which is one stage whose inputs are the arrays. plan.c makes a job and chooses how it is walked, walk.c
** divides it among threads, and along.c and down.c read elements and combine them along the tree of
** kernels/reduce/reduce.h. A scan is a job of one stage too, whose rows scan.c walks. All ways give the same bits.
*/
#ifndef MOONARRAY_CPU_WALK_H
#define MOONARRAY_CPU_WALK_H

#include "backend/row_program.h"
#include "cpu/reduce/monoid.h"

#pragma GCC visibility push(hidden)

#define MA_COLUMN_LEVELS 8 /* of the tree in a chunk: 128 leaves, and the pairs above them */

typedef struct ma_row_reduction {
  const ma_monoid *monoid;
  ma_finish finish;
  uint8_t stage, output; /* which output of the stage's body it reduces */
} ma_row_reduction;

typedef struct ma_row_job {
  const ma_row_program *program; /* NULL: a plain reduction, or a scan */
  const ma_space *space;         /* its operands: the results of the reductions, the elementwise result, the arrays */
  void *const *data;
  const int64_t *starts;                  /* as in ma_reduction */
  int nkept, nstage, nfold, nheld, first; /* first: the operand that is the first array */
  int64_t count, nrow, run;               /* elements of a row, rows, and of these on the last kept axis: neighbours */
  ma_row_reduction fold[MA_MAX_FOLDS];
  bool has_initial;
  _Alignas(16) char initial[MA_MAX_PARTIAL]; /* merged in front of each result */
  /* ---- how it is walked; false and NULL where nothing else is said ---- */
  bool scans, direct;   /* running totals; which are the results, and lie beside each other */
  bool down;            /* an element of all rows that are taken at once, then the next; else along each row */
  bool in_place;        /* each output is the only input, which has its register's form: nothing is run */
  bool spreads;         /* threads divide the spans of a row, not rows alone */
  bool blanks;          /* masked elements become a value that changes nothing */
  bool large, streamed; /* the arrays, or the result, are larger than the caches */
  /* Down columns: the kept axis along which some inputs repeat, and these by bit. They are packed once for all rows
  ** along that axis, an element of all columns after the other. */
  int repeats;
  uint32_t packed;
  int64_t batch, tile; /* neighbouring rows that are taken at once; those of them that a block holds at once */
  int64_t span, nspan; /* elements in a span; spans of a row */
  int64_t held_across, held_along; /* elements from one held row to the next, and along a held row */
  char *partial[MA_MAX_FOLDS];     /* if `spreads`: partial results of all spans of all rows */
  int settles;                     /* the bool value that decides the result; -1: none does */
  int64_t *settled; /* atomic: a span that has this value, INT64_MAX: none yet; NULL: not for several rows */
  ma_plan head[MA_MAX_STAGES], body[MA_MAX_STAGES];
} ma_row_job;

/* The tree of a chunk for many columns at once, whose leaves come in order. */
typedef struct ma_columns {
  char *level[MA_COLUMN_LEVELS]; /* complete subtrees of 1, 2, 4 ... leaves */
  char *leaf, *total;            /* the next leaf, and the total of a chunk; the total of the chunks so far */
} ma_columns;

typedef struct ma_row_worker { /* one for each thread */
  const ma_row_job *j;
  int nblock;
  ma_buffer *buffer;           /* from the pool: new memory of this size is slow */
  char *data[MA_MAX_OPERANDS]; /* addresses of the first row of those at work */
  char *held[MA_MAX_HELD];
  char *fold[MA_MAX_FOLDS], *value[MA_MAX_OUTPUTS]; /* values in memory form, of the reductions and of the heads */
  /* Partial results of the rows or spans being computed; room for their tree. */
  char *total[MA_MAX_FOLDS], *room;
  char *blank;                   /* values of a block with masked ones blanked */
  char *packed[MA_MAX_INPUTS];   /* inputs that repeat, of the columns in work */
  int npacked;                   /* columns that they have */
  bool follows;                  /* the span being computed follows one whose result `sofar` has */
  ma_columns tree[MA_MAX_FOLDS]; /* down columns; with the values of a leaf's rows */
  char *leaf[MA_MAX_FOLDS][RED_LEAF];
  uint8_t *mask[RED_LEAF];
  ma_block head[MA_MAX_STAGES], body[MA_MAX_STAGES];
  _Alignas(16) char sofar[MA_MAX_FOLDS][MA_MAX_PARTIAL];
  _Alignas(MA_ALIGN) char near[16384]; /* used in place of the buffer if it suffices */
} ma_row_worker;

/* ==== walk.c ===================================================================================================== */

ma_status ma_row_job_run(ma_row_job *j);
/* A worker's memory; `reads`: it runs programs on elements. */
ma_status ma_row_open(ma_row_worker *w, const ma_row_job *j, bool reads);
void ma_row_close(ma_row_worker *w);
void ma_row_place(ma_row_worker *w, int64_t row); /* moves its addresses to a row */

/* Sets where the inputs of a stage's program begin, and their steps from row to row and along a row. */
void ma_row_aim(const ma_row_worker *w, int stage, bool body, const void **data, int64_t *across, int64_t *along);

typedef struct ma_row_target { /* of an output that is stored: a held row, or the result */
  int output;
  bool result;
  char *to; /* of element 0 of the first row */
  int64_t across, along;
} ma_row_target;

int ma_row_targets(const ma_row_worker *w, int stage, ma_row_target *to);
/* If the body's output can be computed where it is to be stored, as n values with step `step`, points its step there.
** Held rows have room for whole lanes. */
bool ma_row_redirect(ma_row_worker *w, int stage, const ma_row_target *target, char *to, int64_t step, int n);

/* ==== along.c, down.c ============================================================================================ */

/* Runs a stage over elements first .. last-1 of n neighbouring rows. to[k] receives the n partial results of its
** reduction k, or is moved to where they are. */
void ma_row_along(ma_row_worker *w, int stage, int n, int64_t first, int64_t last, char **to);
void ma_row_down(ma_row_worker *w, int stage, int n, int64_t first, int64_t last, char **to);

/* Bytes of a tree of n columns; places it in memory. */
size_t ma_columns_bytes(const ma_monoid *monoid, int64_t n);
void ma_columns_place(ma_columns *c, const ma_monoid *monoid, char *memory, int64_t n);

/* ==== scan.c ===================================================================================================== */

void ma_row_scan(ma_row_worker *w, int n);
size_t ma_row_scan_bytes(const ma_row_job *j);           /* of w->room, down columns */
ma_status ma_row_scan_parts(ma_row_job *j, int64_t row); /* a long row, by several threads */

#pragma GCC visibility pop
#endif
