/*
** pending.h: deferred operators. The result of one may be a buffer without memory together with a pending program,
** which holds its operands by value. An operator that consumes the result takes in its program. A reader of the memory
** has it filled. Views share the buffer as usual.
**
** A pending program that another one took in is `absorbed`. It is kept, because Lua's collector cannot tell whether its
** values are still wanted, and it runs only if somebody reads them. The other pending programs are `open`. They run at
** the latest when the order of work can be seen from outside: when an event is recorded, at a synchronize, at a change
** of stream. One that fails there raises its error once. It is put aside then, and is tried again whenever its values
** are read. A result that is consumed a second time is computed and kept.
**
** A writer of memory calls hazard.c first, because the buffer lists the programs that still read it. All of this
** belongs to one Lua state at a time. Memory that others know (`movable` is false) takes no part.
*/
#ifndef MOONARRAY_PENDING_H
#define MOONARRAY_PENDING_H

#include "program/splice.h"

#pragma GCC visibility push(hidden)

typedef struct ma_link {
  struct ma_link *next, *prev;
} ma_link;

#define MA_PENDING_ROOMS 52 /* size classes of pending programs */

/* What a Lua state deferred, in the order of its calls. */
typedef struct ma_deferral {
  bool on;
  bool repeats;                   /* derivatives are being computed, which read most results again: inline.c */
  ma_link open, absorbed, failed; /* failed: what ma_pending_finish put aside */
  int64_t live;                   /* number of pending programs; atomic, written only by the state */
  unsigned made;                  /* pending programs since the collector was last sped up */
  int64_t bytes;        /* bytes of open results and of the programs themselves; they count as memory in use */
  int64_t pinned, most; /* bytes that only pending programs hold, and their limit */
  struct ma_pending *spare[MA_PENDING_ROOMS]; /* free memory of finished programs, by size class */
  int nspare[MA_PENDING_ROOMS];
  struct ma_deferral *next; /* in the list of all deferrals */
  /* The capture of a function's graph, whose results wait too: until they are read, or it ends. NULL: none. */
  const struct ma_capture *recording;
} ma_deferral;

extern __thread ma_deferral *ma_deferral_current; /* of the running state; NULL: nothing defers */
/* The current deferral; NULL: operators run at once, as they do while any stream records a graph. */
static inline ma_deferral *ma_deferring(void) {
  ma_deferral *deferral = ma_deferral_current;
  return deferral && deferral->on && !__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED) ? deferral : NULL;
}
static inline bool ma_is_deferring(void) { return ma_deferring() != NULL; }
void ma_deferral_start(ma_deferral *deferral, bool on); /* now.c */
void ma_deferral_enlist(ma_deferral *deferral, bool on);
void ma_deferral_end(ma_deferral *deferral); /* the state closes: pending programs are dropped */

/*
** A reduction that waits. Its program runs over the operands' shape, and its buffer is packed. An elementwise program
** may have it among its inputs before it has run: then both run as one row program (row_program.c), or it runs
** first.
*/
typedef struct ma_fold {
  uint8_t op; /* ma_reduce_op */
  uint32_t axes;
  double param;
  ma_status (*run)(const struct ma_pending *pending, ma_buffer *block, ma_stream *stream); /* by itself */
} ma_fold;

/* A draw of random numbers that waits. If nothing takes it in, the backend fills its array as it would have at once. */
typedef struct ma_late_draw {
  uint8_t kind; /* ma_random_kind: uniform or normal */
  uint64_t key;
  uint32_t draw;
  ma_buffer *cell; /* of a graph: has what ma_random_cell says, and `draw` counts from there; NULL: none */
  double param[3];
} ma_late_draw;

typedef struct ma_pending {
  ma_link link;      /* first */
  ma_buffer *buffer; /* the result's buffer, which holds the program; offset 0 */
  ma_deferral *deferral;
  ma_stream *stream;
  int64_t size;    /* elements */
  uint32_t writes; /* the buffer's count: to fill it is no write of what somebody has seen */
  bool absorbed;
  /* An update of an array in place. Its result is certainly wanted, so it stays open when it is absorbed. */
  bool kept;
  uint8_t again;           /* how often it was absorbed after the first time, to be computed again */
  bool awaited;            /* what flows back in a derivative will read the result */
  bool packed;             /* the result and everything it reads are in C order without gaps */
  bool folds;              /* it is a reduction; `size`, `shape` are its operands', `stride` is not used */
  bool reads_folds;        /* an input was a reduction that had not run, and may not have run yet */
  bool draws;              /* it is a draw alone */
  bool recorded;           /* it is a part of the graph that its stream records */
  uint8_t room;            /* size class, for the free list */
  uint8_t dtype, output;   /* of the result; register of the result */
  ma_bound bound;          /* its arrays are stored behind the struct */
  int64_t *shape, *stride; /* of the result, which fills its buffer; bound.ndim entries */
  ma_fold fold;            /* if it `folds` */
  ma_late_draw draw;       /* if it `draws` */
} ma_pending;

#define MA_PENDING_BYTES 768 /* host memory of one, roughly, for counting */

/* ==== inline.c: joined programs =================================================================================== */

/* A program whose operands are in memory: pending operands were taken in. */
typedef struct ma_joined {
  ma_program program; /* the program of `bound`, with outputs */
  ma_bound bound;     /* points into this struct and into program.code, so the struct must not be copied */
  int64_t size, shape[MA_MAX_NDIM];
  ma_reading reading[MA_MAX_INPUTS]; /* hold no references */
  int64_t step[MA_MAX_INPUTS * MA_MAX_NDIM];
  ma_value scalar[MA_MAX_SCALARS];
  int ntaken;
  ma_pending *taken[MA_MAX_INPUTS];
  bool movable; /* all terms are movable */
} ma_joined;

/*
** Takes pending operands into the program over the broadcast `shape`, and evaluates those that do not fit. It marks
** nothing yet. To use the result, call ma_joined_absorb, and ma_joined_restore if the use failed. Until then the terms
** are valid while the operands live and nothing writes to them.
*/
ma_status ma_joined_make(ma_joined *joined, const ma_program *program, const ma_array *const *input,
                         const ma_value *scalar, int ndim, const int64_t *shape);
void ma_joined_absorb(ma_joined *joined);
void ma_joined_restore(ma_joined *joined);
static inline const int64_t *ma_joined_step(const ma_joined *joined, int k) {
  return joined->step + k * joined->bound.ndim;
}
/* The terms as arrays of the whole shape, without references, for ma_program_run, ma_reduce_run and the like with
** joined->program and joined->scalar. */
void ma_joined_arrays(const ma_joined *joined, ma_array *array, const ma_array **input);

/* Joins the pending programs that can run together with the first: they have its shape and stream and read what it
** reads. If it is not known that they are `wanted`, half of what each computes must be computed anyway. taken[k] is
** output k. */
void ma_joined_group(ma_joined *joined, int n, ma_buffer *const *buffer, bool wanted);

/* ==== within.c, lesson.c ========================================================================================= */

/* The register of q that holds the result of p; -1: none. */
int ma_pending_within(ma_pending *q, const ma_pending *p);
void ma_pending_learn(const ma_pending *pending); /* notes that the program was absorbed and had to run as well */
extern bool ma_learned_any;                       /* atomic; true once any thread has learned */
bool ma_pending_is_learned(const ma_pending *pending);
/* inline.c: whether it is computed once: a derivative reads it, or it is many operations, and what it costs. */
bool ma_pending_is_reread(const ma_pending *pending);
bool ma_pending_costs(const ma_pending *pending, int most); /* inline.c: more than so many additions */
/* Whether results of such programs are usually used twice. Then the program runs at its first use. While derivatives
** are computed, that is where it should not be computed again. */
static inline bool ma_pending_learned(const ma_pending *pending) {
  if (__builtin_expect(pending->deferral->repeats, 0)) return ma_pending_is_reread(pending);
  return __builtin_expect(__atomic_load_n(&ma_learned_any, __ATOMIC_RELAXED), 0) && ma_pending_is_learned(pending);
}

/* ==== pending.c ================================================================================================== */

/* Defers the program as `result`, whose dtype, shape and strides are set and whose buffer is NULL. MA_ERR_MEMORY:
** the caller should run it now. */
ma_status ma_pending_record(const ma_joined *joined, ma_array *result, ma_stream *stream);
/* The same for a reduction of the program's output. */
ma_status ma_pending_record_fold(const ma_joined *joined, const ma_fold *fold, ma_array *result, ma_stream *stream);
/* Makes an array of the program's shape over a buffer, without a reference. */
void ma_pending_describe(ma_array *array, ma_buffer *buffer, ma_dtype dtype, const ma_pending *p, int64_t offset,
                         const int64_t *stride);
/* The inputs of a program as arrays of its shape, without references. */
void ma_pending_arrays(const ma_pending *p, ma_array *array, const ma_array **input);
void ma_pending_fill(ma_pending *p, ma_buffer *block); /* the block has its values: takes it over, drops the program */
/* Defers an update of a whole existing array. Programs that read the old values keep them in memory of their own. With
** a draw, else NULL, the array is packed and the program is over its places; then others may take the program in. */
ma_status ma_pending_update(const ma_joined *joined, const ma_late_draw *draw, ma_array *array, ma_stream *stream);
void ma_pending_drop(ma_pending *pending);      /* called when its buffer is freed or was filled */
void ma_pending_put_aside(ma_pending *pending); /* its evaluation failed */
int64_t ma_pending_live(void);                  /* number in the process */

/* Counts since the process began. */
typedef struct ma_deferral_figures {
  int64_t recorded, evaluated, dropped, cloned, exchanged;
  /* Programs of several operations that ran as one kernel; that ran stepwise, before the kernel was compiled. */
  int64_t fused, stepped;
} ma_deferral_figures;
extern ma_deferral_figures ma_deferral_counts;
/* Not exact if two threads count at once: specs and people read these figures, the library does not. */
#define MA_FIGURE(name, n)                                                                                      \
  __atomic_store_n(&ma_deferral_counts.name, __atomic_load_n(&ma_deferral_counts.name, __ATOMIC_RELAXED) + (n), \
                   __ATOMIC_RELAXED)

/* Counts a run of a program of several operations. */
static inline void ma_figure_run(const ma_program *program, bool as_one) {
  if (ma_program_is_single(program)) return;
  if (as_one) MA_FIGURE(fused, 1);
  else MA_FIGURE(stepped, 1);
}

/* ==== now.c ====================================================================================================== */

ma_status ma_pending_evaluate(ma_buffer *buffer, const char *why); /* MA_OK if nothing is pending */
#define MA_MAX_GROUP 16
/* Evaluates up to MA_MAX_GROUP buffers in as few kernels as possible; skips buffers that are not pending. */
ma_status ma_pending_evaluate_all(int n, ma_buffer *const *buffer, const char *why);
/* Evaluates the open programs of the current state, and all others too if `all`, until one fails. `why` is for the
** trace. */
ma_status ma_pending_flush(const char *why, bool all);
/* Evaluates all open programs, puts those aside that fail, and gives the error of the first. */
ma_status ma_pending_finish(const char *why);
/* As ma_pending_evaluate, by memory's hook: for the files that evaluating itself calls. */
static inline ma_status ma_pending_settle(ma_buffer *buffer, const char *why) {
  return buffer->pending ? ma_defer_hooks.evaluate(buffer, why) : MA_OK;
}

/* ==== row_program.c =============================================================================================== */

/* Runs the program together with reductions that it reads, or with reductions of the same operands, in one pass.
** *ran is false if it cannot; then reductions that it reads have run. */
ma_status ma_row_program_evaluate(ma_pending *p, ma_buffer *block, ma_stream *stream, bool *ran);
/* Whether the array is the result of a reduction that has not run. */
static inline bool ma_array_folds(const ma_array *array) {
  return array->buffer->pending && array->buffer->pending->folds;
}
/* Whether it reads such a result. */
bool ma_pending_waits(const ma_pending *p);

/* ==== drawn.c: draws that wait ==================================================================================== */

/* Lets a draw wait that would fill `array`; *waits is false if it must be made now. */
ma_status ma_drawn_defer(const ma_late_draw *draw, ma_array *array, ma_stream *stream, bool *waits);
ma_status ma_drawn_fill(const ma_pending *p, ma_buffer *block, ma_stream *stream); /* makes one that was not taken in */
/* A program without draws in place of one with some, whose arrays are made. The caller releases made[k] of each input
** k that is places. */
ma_status ma_drawn_settle(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                          ma_stream *stream, ma_program *settled, const ma_array **array, ma_array *made);

/* ==== run.c ====================================================================================================== */

/* On the CPU a result of fewer elements is computed at once: deferring costs more than a pass over data in the
** cache. A spec lowers it. */
extern int64_t ma_defer_from; /* atomic */
static inline bool ma_defer_is_small(const ma_stream *stream, int64_t size) {
  return ma_is_host(stream->device) && size < __atomic_load_n(&ma_defer_from, __ATOMIC_RELAXED);
}

/* Computes what is pending in given results before other pending programs are joined into a program that writes
** them. Later it would release arrays that the joined program still reads. With `exchange`, a result whose memory
** will be exchanged as a whole is skipped: the exchange drops its program. */
ma_status ma_program_settle_results(int nresult, ma_array *const *result, bool exchange);

/* ==== hazard.c: writes =========================================================================================== */

/* Called before a part of the buffer is written: computes what is pending in it, and runs its readers or gives them
** a copy of the old values. */
ma_status ma_hazard_write(ma_buffer *buffer, ma_stream *stream);
/* The same. From now on others know the address: the memory stays in place and everything on it runs at once. */
ma_status ma_hazard_expose(ma_buffer *buffer, ma_stream *stream);
/* Whether the buffer's readers read other bytes of it than the array has, as fields of the same structs are. It may say
** no where there are many. */
bool ma_hazard_is_apart(const ma_array *to);
bool ma_hazard_covers(const ma_array *array); /* whether the array has every element of its buffer */
/* The copy of the old values for readers of a part that will be written; NULL: there are no readers. Gives no
** reference. */
ma_status ma_hazard_clone(ma_buffer *buffer, ma_stream *stream, ma_buffer **clone);

#pragma GCC visibility pop
#endif
