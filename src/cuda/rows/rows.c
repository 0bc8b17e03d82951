/*
** rows.c: row programs on a GPU (backend/row_program.h): chooses how a kernel walks the rows (rows_text.c prints it)
** and launches it. A warp has several short rows. A row that registers cannot hold is left to separate runs, unless its
** reductions do not depend on each other: then a warp takes a span of the row. A block merges the spans of a row that
** has few; of others a second kernel merges what the blocks leave.
*/
#include "cuda/rows/rows.h"
#include "bundle/bundle.h"
#include "cuda/kernels/fold.h"
#include "program/stages.h"
#include "tuning.h"

#include <stdio.h>
#include <string.h>

#define MOST_CHUNKS 32
#define MOST_PARAMS 4096 /* bytes of a kernel's parameters */
#define LANES_TO 128     /* a row of at most so many elements has one in each leaf of its tree */
#define LANES_PACKS 4    /* that a lane has, if it can */

/* ==== The way ==================================================================================================== */

static bool reads(const ma_row_part *p, ma_row_kind kind, int index) {
  for (int k = 0; k < p->program.ninput; k++)
    if (p->from[k].kind == kind && p->from[k].index == index) return true;
  return false;
}

/* The last stage that reads an array or a held row; -1: none. */
static int last_reader(const ma_row_program *program, ma_row_kind kind, int index) {
  int t = program->nstage - 1;
  while (t >= 0 && !reads(&program->stage[t].body, kind, index)) t--;
  return t;
}

/* Whether the array is the same for all rows, and a later stage than the first one reads it first: such an array stays
** in the caches, so that it need not wait in registers. */
static bool is_late(const ma_row_program *program, int array) {
  const int64_t *stride = program->space.stride[program->nfold + program->writes + array];
  for (int d = 0; d < program->nkept; d++)
    if (stride[d]) return false;
  return ma_rows_first_reader(program, array) > 0;
}

/* Registers for a thread's 4 * j elements of what a stage and those behind it read. What is the same for a whole row
** takes none of these. Long partial results are gone when arrays are loaded in turn, which then take no more. */
int ma_rows_words(const ma_row_program *program, int j, bool in_turn) {
  int most = 0;
  for (int t = 0; t < program->nstage; t++) {
    int bytes = 0, few = 0;
    for (int k = 0; k < program->narray; k++) {
      int size = ma_dtypes[program->array[k]].itemsize;
      bool late = is_late(program, k);
      if (ma_rows_is_still(program, k) || last_reader(program, MA_FROM_INPUT, k) < t) continue;
      if (late && ma_rows_first_reader(program, k) > t) continue;
      if (late && in_turn) few += size;
      else bytes += size;
    }
    for (int k = 0; k < program->nheld; k++) {
      bool held = false;
      for (int s = 0; s < t; s++) held = held || program->stage[s].held[k] != MA_NOWHERE;
      if (held && last_reader(program, MA_FROM_HELD, k) >= t) bytes += ma_dtypes[program->held[k]].regsize;
    }
    if (ma_rows_has_long_partials(program)) few = 0;
    if (bytes * j + few > most) most = bytes * j + few;
  }
  return most;
}

bool ma_rows_has_long_partials(const ma_row_program *program) {
  for (int k = 0; k < program->nfold; k++)
    if (ma_fold_partial_of((ma_reduce_op)program->fold[k].op, (ma_dtype)program->fold[k].value, false) > 8) return true;
  return false;
}

/* The same for values of 8 bytes, which may be made of narrower elements. A compiler that is short of registers spills
** them. */
static int long_words(const ma_row_program *program, int j) {
  for (int k = 0; k < program->nfold; k++)
    if (ma_dtypes[program->fold[k].value].regsize >= 8) return 8 * j;
  return 0;
}

bool ma_rows_choose_blocks(const ma_row_program *program, ma_rows_variant *v) {
  int words = ma_rows_words(program, v->j, ma_rows_loads_in_turn(v)),
      values = v->way != MA_COLUMNS_CHUNKS ? long_words(program, v->j) : 0;
  int need = (words > values ? words : values) +
             (ma_rows_has_long_partials(program) ? TUNE_ROWS_LONG : TUNE_ROWS_WORDS);
  int blocks = 2048 / v->threads;
  while (blocks > 0 && need > 65536 / (v->threads * blocks)) blocks--;
  v->blocks = (uint8_t)blocks;
  return blocks > 0 && need <= 255;
}

/* Moments take a warp long to compute: others shall read their rows meanwhile, which they cannot where each waits for
** its block. */
static bool has_moments(const ma_row_program *program) {
  for (int k = 0; k < program->nfold; k++)
    if (ma_fold_is_moments((ma_reduce_op)program->fold[k].op)) return true;
  return false;
}

/* A lane has four neighbours of each of its rows, or the eight that are one, and as many rows as registers allow. Of
** moments, which take many, it has one row if it has the whole of it. */
static bool choose_lanes(const ma_row_program *program, ma_rows_variant *v) {
  int packs = program->count > 4 && program->count <= 8 ? 2 : 1, j = LANES_PACKS;
  if (program->count > LANES_TO) return false;
  if (program->count <= 8 && has_moments(program)) j = packs;
  while (j > packs && ma_rows_words(program, j, false) > TUNE_ROWS_LANES) j /= 2;
  if (ma_rows_words(program, j, false) > TUNE_ROWS_LANES) return false;
  v->way = MA_ROWS_LANES;
  v->threads = MA_THREADS;
  v->j = (uint8_t)j;
  v->packs = (uint8_t)packs;
  for (v->lanes = 1; v->lanes * packs * 4 < program->count;) v->lanes = (uint8_t)(2 * v->lanes);
  v->whole = program->count % (packs * 4) == 0;
  v->all = program->count == v->lanes * packs * 4;
  return true;
}

static bool choose_way(const ma_row_program *program, ma_rows_plan *p) {
  ma_rows_variant *v = &p->v;
  v->j = (uint8_t)(program->count < RED_CHUNK ? (program->count + 127) / 128 : 8);
  if (choose_lanes(program, v)) return true;
  v->whole = ma_rows_fill_leaves(program);
  v->way = MA_ROWS_WARP;
  v->threads = MA_THREADS;
  if (program->count <= RED_CHUNK) return ma_rows_choose_blocks(program, v);
  bool walks = program->nstage == 1 && !ma_row_program_fills(program) &&
               ma_rows_words(program, v->j, false) <= TUNE_ROWS_SHORT;
  v->way = MA_ROWS_BLOCK;
  v->threads = p->chunks <= 4 ? 128 : p->chunks <= 8 ? 256 : p->chunks <= 16 ? 512 : 1024;
  if (!(walks && has_moments(program)) && p->chunks <= MOST_CHUNKS && ma_rows_choose_blocks(program, v)) return true;
  v->way = MA_ROWS_SPANS;
  v->threads = MA_THREADS;
  return walks;
}

/* Whether a warp reads or writes neighbours of an operand at once where no lane can have four. For that, several rows
** must follow one another in memory. */
static bool is_near(const ma_row_program *program, ma_rows_variant *v, int operand, int itemsize) {
  const int64_t *stride = program->space.stride[operand];
  if (stride[program->nkept] != itemsize || itemsize > 8) return false;
  if (v->way == MA_ROWS_LANES && (program->nkept != 1 || stride[0] != program->count * itemsize)) return false;
  if (itemsize > v->room) v->room = (uint8_t)itemsize;
  return true;
}

/* Chooses how an operand is accessed. Reading four of 1 or 2 bytes one by one takes less long than trading them where
** most are surely there; lanes of short rows find the other three in the first cache. */
static void choose_access(const ma_row_program *program, ma_rows_variant *v, int operand, int itemsize, bool *wide,
                          bool *near) {
  bool result = operand < program->nfold + program->writes;
  bool alone = v->way == MA_ROWS_LANES || (itemsize < 4 && (v->way == MA_ROWS_WARP || v->way == MA_ROWS_SPANS));
  *wide = ma_fold_is_wide(&program->space, program->data, operand, itemsize, program->nkept, 4);
  *near = !*wide && (result || !alone) && is_near(program, v, operand, itemsize);
}

static void choose_accesses(const ma_row_program *program, ma_rows_variant *v) {
  int first = program->nfold + program->writes;
  bool wide, near;
  for (int k = 0; k < program->narray; k++) {
    if (!ma_rows_is_read(program, k) || ma_rows_is_still(program, k)) continue;
    int itemsize = ma_dtypes[program->array[k]].itemsize;
    if (v->places >> k & 1) { /* nothing is read */
      wide = ma_fold_is_wide(&program->space, program->data, first + k, itemsize, program->nkept, 4);
      near = false;
    } else choose_access(program, v, first + k, itemsize, &wide, &near);
    v->wide |= (uint32_t)wide << k;
    v->near |= (uint32_t)near << k;
  }
  if (!ma_row_program_fills(program)) return;
  choose_access(program, v, program->nfold, ma_dtypes[program->result].itemsize, &wide, &near);
  v->wide_out = wide;
  v->near_out = near;
}

static size_t params_bytes(const ma_row_program *program) {
  int scalars = program->stage[0].body.program.nscalar;
  int words = program->space.noperand * (2 + program->nkept) + program->nkept + 4 + 2 * program->nfold;
  return (size_t)(scalars ? scalars : 1) * 16 + (size_t)words * 8;
}

/* A row of few spans is a block's. Otherwise a block merges the spans of its warps, which are a subtree. */
static void choose_merge(ma_rows_plan *p) {
  p->v.together = p->nspan <= MA_MOST_SPANS;
  if (p->v.together && p->nspan > MA_THREADS / 32) p->v.threads = 2 * MA_THREADS;
  if (!p->v.together && (p->nrow == 1 || p->nspan % (MA_THREADS / 32) == 0)) p->v.group = MA_THREADS / 32;
}

/* Whether each short row begins with the second element of the one before, as windows do: down columns, where a thread
** has a row, neighbouring threads read neighbours. */
static bool rows_overlap(const ma_row_program *program) {
  for (int k = program->nfold + program->writes; k < program->space.noperand; k++) {
    const int64_t *stride = program->space.stride[k];
    if (program->nkept && program->count > 1 && program->count <= LANES_TO && stride[program->nkept] &&
        stride[program->nkept - 1] == stride[program->nkept])
      return true;
  }
  return false;
}

static bool choose(const ma_row_program *program, int arch, ma_rows_plan *p) {
  memset(p, 0, sizeof *p);
  p->nrow = 1;
  for (int d = 0; d < program->nkept; d++) p->nrow *= program->space.shape[d];
  p->chunks = (program->count + RED_CHUNK - 1) / RED_CHUNK;
  p->span = red_span(p->nrow, program->count);
  p->nspan = (p->chunks + p->span - 1) / p->span;
  for (int k = 0; k < program->nfold; k++)
    if (program->fold[k].op == MA_REDUCE_logaddexp) return false; /* too much text */
  if (params_bytes(program) > MOST_PARAMS || program->count > INT32_MAX || p->nrow * p->nspan > INT32_MAX) return false;
  p->v.nkept = (uint8_t)program->nkept;
  p->v.places = ma_rows_places(program);
  for (int k = 0; k < program->narray; k++) {
    p->v.still |= (uint32_t)ma_rows_is_still(program, k) << k;
    p->v.late |= (uint32_t)(is_late(program, k) && !(p->v.places >> k & 1)) << k;
  }
  p->v.group = 1;
  if (ma_cross_choose(program, p)) return true;
  bool along = ma_rows_lie_along(program, program->nkept);
  if ((!along || rows_overlap(program)) && ma_columns_choose(program, arch, p)) return true;
  if (!along || !choose_way(program, p)) return false;
  if (p->v.way == MA_ROWS_SPANS) choose_merge(p);
  choose_accesses(program, &p->v);
  return true;
}

bool ma_rows_choose(const ma_row_program *program, int arch, ma_rows_plan *p) {
  if (!choose(program, arch, p)) return false;
  if (p->v.way != MA_ROWS_CROSS && p->v.way != MA_ROWS_SPANS && p->v.way != MA_COLUMNS_SPANS)
    p->v.unread = program->unread;
  return true;
}

/* ==== The launch ================================================================================================= */

#define MOST_KEY (128 + (MA_MAX_STAGES + 1) * (2 * sizeof(ma_row_part) + 8) + MA_MAX_FOLDS * 8)

static size_t put_key(uint8_t *key, const void *bytes, size_t size) {
  memcpy(key, bytes, size);
  return size;
}

static size_t make_key(uint8_t *key, const ma_row_program *program, const ma_rows_variant *v) {
  size_t n = put_key(key, v, sizeof *v);
  const uint8_t counts[] = { (uint8_t)program->nstage, (uint8_t)program->nfold, (uint8_t)program->nheld,
                             (uint8_t)program->narray, program->writes,         program->ends,
                             program->result };
  n += put_key(key + n, counts, sizeof counts);
  n += put_key(key + n, program->array, (size_t)program->narray);
  for (int t = 0; t < program->nstage + program->ends; t++) {
    const ma_row_stage *stage = &program->stage[t];
    const ma_row_part *p[] = { &stage->head, &stage->body };
    for (int k = 0; k < 2; k++) {
      n += ma_program_key(&p[k]->program, key + n);
      n += put_key(key + n, p[k]->from, p[k]->program.ninput * sizeof *p[k]->from);
    }
    n += put_key(key + n, stage->held, (size_t)program->nheld);
    n += put_key(key + n, &stage->result, 1);
  }
  /* without the bytes behind the output, which nothing sets */
  for (int k = 0; k < program->nfold; k++)
    n += put_key(key + n, &program->fold[k], offsetof(ma_row_fold, output) + sizeof program->fold[k].output);
  return n;
}

typedef struct packed { /* `struct params` of rows.cuh */
  char bytes[MA_MAX_SCALARS * 16 + (MA_MAX_OPERANDS * (2 + MA_MAX_NDIM) + MA_MAX_NDIM + 4 + 2 * MA_MAX_FOLDS) * 8]
    __attribute__((aligned(16)));
} packed;

static void pack(packed *to, const ma_row_program *program, const ma_rows_plan *p, ma_buffer *const *partial) {
  char *at = to->bytes + ma_pack_scalars(&program->stage[0].body.program, program->scalar, to->bytes);
#define PUT(value, size) (memcpy(at, value, size), at += (size))
  int n = program->space.noperand;
  PUT(program->data, (size_t)n * 8);
  for (int k = 0; k < n; k++) PUT(&program->space.stride[k][program->nkept], 8);
  for (int k = 0; k < n; k++) PUT(program->space.stride[k], (size_t)program->nkept * 8);
  PUT(program->space.shape, (size_t)program->nkept * 8);
  const int64_t numbers[] = { p->nrow, program->count, p->span, p->nspan };
  PUT(numbers, sizeof numbers);
  for (int k = 0; k < program->nfold; k++) {
    const void *memory = partial[k] ? partial[k]->ptr : NULL;
    PUT(&memory, 8);
  }
  for (int k = 0; k < program->nfold; k++) PUT(&program->fold[k].param, 8);
#undef PUT
}

static int64_t bytes_of(const ma_row_program *program, uint32_t places) {
  int64_t total = 0;
  for (int k = program->nfold; k < program->space.noperand; k++) {
    int array = k - program->nfold - program->writes;
    int64_t bytes = ma_dtypes[array < 0 ? program->result : program->array[array]].itemsize;
    if (array >= 0 && places >> array & 1) continue;
    for (int d = 0; d < program->space.ndim; d++)
      if (program->space.stride[k][d]) bytes *= program->space.shape[d];
    total += bytes;
  }
  return total;
}

static int rows_of_warp(const ma_rows_variant *v) { return 32 / v->lanes * (v->j / v->packs); }

static int64_t blocks_of(const ma_row_program *program, const ma_rows_plan *p, unsigned *threads) {
  int64_t units = p->nrow, together = 1;
  *threads = p->v.threads;
  if (p->v.way >= MA_COLUMNS_SHORT) return ma_columns_blocks(program, p);
  if (p->v.way == MA_ROWS_CROSS) return ma_cross_blocks(program, p);
  if (p->v.way == MA_ROWS_SPANS) units *= p->nspan;
  if (p->v.way == MA_ROWS_BLOCK) *threads = (unsigned)p->chunks * 32;
  else if (p->v.together) {
    if (p->nspan * 32 < *threads) *threads = (unsigned)p->nspan * 32;
    return p->nrow;
  } else {
    if (p->v.way == MA_ROWS_LANES) units = (units + rows_of_warp(&p->v) - 1) / rows_of_warp(&p->v);
    together = MA_THREADS / 32;
    if (units < together && p->v.group == 1) *threads = (unsigned)units * 32;
  }
  return (units + together - 1) / together;
}

/* What a second kernel merges of each row. */
static int64_t partials_of(const ma_rows_plan *p) { return (p->nspan + p->v.group - 1) / p->v.group; }

static const char *name_of(const ma_row_program *program) {
  return program->nstage == 1 && program->nfold == 1 && !program->writes ? ma_reduces[program->fold[0].op].name
                                                                         : "row program";
}

static ma_status launch(ma_stream *stream, const ma_row_program *program, const ma_rows_plan *p,
                        const CUfunction *entry, ma_buffer *const *partial) {
  packed params;
  void *list[] = { params.bytes };
  unsigned threads;
  int64_t blocks = blocks_of(program, p, &threads);
  pack(&params, program, p, partial);
  MA_TRY(ma_cuda_launch(stream, entry[0], (unsigned)blocks, threads, 0, list, name_of(program),
                        bytes_of(program, p->v.places)));
  if (!ma_rows_has_spans(&p->v)) return MA_OK;
  for (threads = 32; threads < 1024 && threads < partials_of(p); threads *= 2) {}
  return ma_cuda_launch(stream, entry[1], (unsigned)p->nrow, threads, 0, list, "merge spans", 0);
}

static void record(const ma_row_program *program) {
  ma_rows_plan p;
  for (int k = 0, arch; (arch = ma_cuda_profile(k)); k++)
    if (ma_rows_choose(program, arch, &p))
      ma_cuda_record(&ma_rows_families[ma_rows_has_spans(&p.v)], &(ma_rows_text){ program, &p.v }, arch);
}

ma_status ma_rows_run(ma_stream *stream, const ma_row_program *program, const ma_rows_plan *p, ma_cuda_finder *find,
                      bool *ran) {
  uint8_t key[MOST_KEY];
  const CUfunction *entry = NULL;
  ma_buffer *partial[MA_MAX_FOLDS] = { NULL };
  ma_status status = MA_OK;
  *ran = false;
  MA_TRY(ma_cuda_enter(stream->device));
  ma_rows_text what = { program, &p->v };
  if (ma_bundle_records()) record(program);
  MA_TRY(find(ma_cuda_state(stream), &ma_rows_families[ma_rows_has_spans(&p->v)], key, make_key(key, program, &p->v),
              &what, &entry));
  if (!entry) return MA_OK;
  for (int k = 0; k < program->nfold && status == MA_OK && ma_rows_has_spans(&p->v); k++) {
    int size = ma_fold_partial_of((ma_reduce_op)program->fold[k].op, (ma_dtype)program->fold[k].value, false);
    status = ma_cuda_scratch(stream, (size_t)(p->nrow * partials_of(p) * size), &partial[k]);
  }
  if (status == MA_OK) status = launch(stream, program, p, entry, partial);
  for (int k = 0; k < program->nfold; k++)
    if (partial[k]) ma_buffer_release(partial[k]);
  *ran = status == MA_OK;
  return status;
}

ma_status ma_cuda_reduce_row_program(ma_stream *stream, const ma_row_program *program, bool *ran) {
  ma_rows_plan p;
  *ran = false;
  if (program->ends && program->count < 3) return MA_OK; /* an elementwise program's: program/unroll.h */
  return ma_rows_choose(program, ma_cuda_state(stream)->arch, &p)
           ? ma_rows_run(stream, program, &p, ma_cuda_kernel_try, ran)
           : MA_OK;
}

ma_status ma_cuda_rows_source(const ma_row_program *program, int arch, char **text) {
  ma_rows_plan p;
  *text = NULL;
  if (!ma_rows_choose(program, arch, &p)) return MA_OK;
  const ma_rows_text what = { program, &p.v };
  return ma_cuda_source(&ma_rows_families[ma_rows_has_spans(&p.v)], &what, text);
}
