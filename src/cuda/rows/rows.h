/* rows.h: how a kernel of a row program walks the rows. rows.c chooses it and rows_text.c prints it. */
#ifndef MOONARRAY_CUDA_ROWS_H
#define MOONARRAY_CUDA_ROWS_H

#include "backend/row_program.h"
#include "cuda/cuda.h"
#include "kernels/reduce/reduce.h"

#pragma GCC visibility push(hidden)

#define MA_MOST_SPANS 32 /* spans of a row that a block has, at most */

/* What has a row. A row along memory is for some lanes of a warp, for a warp, for a block, or for spans of chunks. A
** row down a column of memory is for threads of a block, for those of a cluster of blocks, or for spans of chunks. Rows
** that cross are for a tile of them. */
typedef enum ma_rows_way {
  MA_ROWS_LANES,
  MA_ROWS_WARP,
  MA_ROWS_BLOCK,
  MA_ROWS_SPANS,
  MA_ROWS_CROSS,
  MA_COLUMNS_SHORT,
  MA_COLUMNS_CHUNKS,
  MA_COLUMNS_SPANS
} ma_rows_way;

/* Everything that shapes the text beside the stages; compared as bytes, so cleared first. */
typedef struct ma_rows_variant {
  uint8_t way, j, whole, nkept, wide_out;
  uint8_t lanes;    /* that have a row: a power of two */
  uint8_t packs;    /* of four neighbours, that a lane has of a row */
  uint16_t threads; /* of a block, at most */
  uint32_t wide;    /* bit k: array k is read in wide accesses */
  uint32_t near;  /* bit k: not wide, but elements of the warp's rows follow one another: it reads neighbours at once */
  uint32_t still; /* bit k: array k has one element for a row */
  uint32_t late;  /* bit k: array k is the same for all rows, and is not loaded before the first stage that reads it */
  uint32_t places;  /* bit k: array k is the places of a draw */
  uint8_t near_out; /* the same for the result */
  uint8_t unread;   /* bit k: the result of reduction k stays in registers */
  uint8_t room;     /* bytes of the largest element that a warp's lanes trade to read neighbours at once */
  uint8_t blocks;   /* that a multiprocessor must fit; 0: as many as fit */
  /* down columns: neighbours that a block has, threads that share a column or its chunk, chunks that a block has,
  ** blocks of a cluster, whether no element of a thread does not exist (of lanes too) */
  uint16_t columns;
  uint8_t tall, own, cluster, all;
  /* spans: whether a block has all of a row, and of rows along memory, how many spans of one a block merges */
  uint8_t together, group;
  /* rows that cross: the axes of a tile, threads beside each other, rows (and columns) of a thread, slots of a leaf,
  ** leaves of a group, groups of a stage, levels of subtrees, whether there is one chunk, and how each array moves */
  uint8_t down, across, tx, rows, each, leaves, groups, levels, single, moves[MA_MAX_INPUTS];
} ma_rows_variant;

typedef struct ma_rows_plan {
  ma_rows_variant v;
  int64_t nrow, span, nspan, chunks; /* rows; chunks of a span; spans and chunks of a row */
} ma_rows_plan;

typedef struct ma_rows_text {
  const ma_row_program *program;
  const ma_rows_variant *v;
} ma_rows_text;

/* rows.c */
bool ma_rows_choose(const ma_row_program *program, int arch, ma_rows_plan *p); /* false: separate runs are better */
/* *ran becomes false if the finder finds no kernel. */
ma_status ma_rows_run(ma_stream *stream, const ma_row_program *program, const ma_rows_plan *p, ma_cuda_finder *find,
                      bool *ran);
/* Registers for 4 * j elements of a thread. In turn: arrays that are late take them for four elements. */
int ma_rows_words(const ma_row_program *program, int j, bool in_turn);
/* Whether threads load late arrays four by four where they use them, so that these take few registers. */
static inline bool ma_rows_loads_in_turn(const ma_rows_variant *v) {
  return v->way == MA_ROWS_WARP || v->way == MA_ROWS_BLOCK;
}
bool ma_rows_has_long_partials(const ma_row_program *program); /* whether one has moments, or values with positions */
/* Whether all leaves of a row's last chunk have as many elements, so that no leaf counts its own. */
static inline bool ma_rows_fill_leaves(const ma_row_program *program) {
  return program->count % (program->count < RED_CHUNK ? RED_LEAVES : RED_CHUNK) == 0;
}
/* Chooses as many blocks at once as registers allow for v->threads and v->j. Returns false if there is no such
** number. */
bool ma_rows_choose_blocks(const ma_row_program *program, ma_rows_variant *v);

/* rows_call.c */
/* The first stage whose body reads the array for every element; -1: none. */
int ma_rows_first_reader(const ma_row_program *program, int array);
static inline bool ma_rows_is_read(const ma_row_program *program, int array) {
  return ma_rows_first_reader(program, array) >= 0;
}
bool ma_rows_is_still(const ma_row_program *program, int array); /* whether the array has one element for a row */
uint32_t ma_rows_places(const ma_row_program *program);          /* by bit: the arrays that are the places of draws */
static inline const char *ma_rows_suffix(const ma_program *program, int reg) {
  return ma_cuda_suffix(ma_program_dtype(program, reg));
}
void ma_rows_print_places_of_head(ma_ctext *text, const ma_program *head, int t); /* declares them */
/* Prints a call of a stage's program. */
void ma_rows_print_call(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t, bool body);

/* rows_text.c */
extern const ma_cuda_family ma_rows_families[]; /* [1]: two kernels, for spans */
static inline bool ma_rows_is_written(const ma_rows_variant *v, int fold) { return !(v->unread >> fold & 1); }
/* Whether a second kernel merges what the first one leaves of each span, or of each group of spans. */
static inline bool ma_rows_has_spans(const ma_rows_variant *v) {
  return (v->way == MA_ROWS_SPANS || v->way == MA_ROWS_CROSS || v->way == MA_COLUMNS_SPANS) && !v->together;
}
/* Print parts of a kernel: what stage t computes once for a row, the elements that a thread reads, and those that it
** computes. */
void ma_rows_print_head(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t);
void ma_rows_print_loads(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t);
/* Prints how a result that is one number for each row is computed of w0, w1 ... and written to `to` by `writer`. */
void ma_rows_print_end(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, const char *writer,
                       const char *to);
void ma_rows_print_body(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t);

/* lanes.c */
void ma_lanes_print_place(ma_ctext *text);
void ma_lanes_print_head(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t);
void ma_lanes_print_folds(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t);
void ma_lanes_print_result(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v);
void ma_lanes_print_end(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v);

/* columns.c. It returns false if separate runs are as fast, or if there is no room, and leaves the plan as it was. */
bool ma_columns_choose(const ma_row_program *program, int arch, ma_rows_plan *p);
int64_t ma_columns_blocks(const ma_row_program *program, const ma_rows_plan *p);
void ma_columns_print_sizes(ma_ctext *text, const ma_rows_variant *v);
void ma_columns_print_place(ma_ctext *text, const ma_rows_variant *v);
const char *ma_columns_writer(const ma_rows_variant *v); /* the condition of the thread that writes its column's */
void ma_columns_print_folds(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t);
void ma_columns_print_spans(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v);

/* cross.c. It returns false if no arrays repeat so. */
bool ma_cross_choose(const ma_row_program *program, ma_rows_plan *p);
int64_t ma_cross_blocks(const ma_row_program *program, const ma_rows_plan *p);
void ma_cross_print_sizes(ma_ctext *text, const ma_rows_variant *v);
void ma_cross_print(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v);

#pragma GCC visibility pop
#endif
