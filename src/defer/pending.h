/*
** pending.h: deferred operators. The result of one may be a buffer without memory, and beside it a pending program over
** arrays that are there, by value: who consumes it takes the program into his own, who needs the memory has it filled.
** Views share the buffer as ever.
**
** A pending program that another one took in is `absorbed`: it is kept, since Lua's collector cannot say whether
** anybody still wants its values, and is run only when somebody reads them. The others are `open` and run at the latest
** when the order of work is looked at from outside (a record, a synchronize, a change of stream). What is consumed a
** second time is run and kept.
**
** Whoever writes into memory comes here first (hazard.c), where the buffer lists the programs that are still to read
** it. All of this belongs to one Lua state at a time: memory that others know (`movable` is false) takes no part.
*/
#ifndef MOONARRAY_PENDING_H
#define MOONARRAY_PENDING_H

#include "program/run.h"
#include "program/splice.h"

#pragma GCC visibility push(hidden)

typedef struct ma_link {
  struct ma_link *next, *prev;
} ma_link;

#define MA_PENDING_ROOMS 40 /* sizes of pending programs */

/* A Lua state's: what it deferred, in the order of its calls. */
typedef struct ma_deferral {
  bool on;
  ma_link open, absorbed;
  int64_t live;  /* pending programs; atomic, written by the state alone */
  unsigned made; /* pending programs since the collector was hastened */
  int64_t bytes; /* that open results will take, and what programs take of the host's: they count as memory in use */
  int64_t pinned, most; /* bytes that nothing but pending programs holds, and where that is too much */
  struct ma_pending *spare[MA_PENDING_ROOMS]; /* by size: memory of programs that are done */
  int nspare[MA_PENDING_ROOMS];
  struct ma_deferral *next; /* in the list of all */
} ma_deferral;

extern __thread ma_deferral *ma_deferral_current; /* of the state that runs; NULL: nothing defers */
/* Where what runs is deferred; NULL: it is not. Nothing is while any stream records a graph. */
static inline ma_deferral *ma_deferring(void) {
  ma_deferral *deferral = ma_deferral_current;
  return deferral && deferral->on && !__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED) ? deferral : NULL;
}
static inline bool ma_is_deferring(void) { return ma_deferring() != NULL; }
void ma_deferral_start(ma_deferral *deferral, bool on);
void ma_deferral_end(ma_deferral *deferral); /* the state closes: what is pending is dropped */

typedef struct ma_pending {
  ma_link link;      /* first */
  ma_buffer *buffer; /* of the result, which holds this; offset 0 */
  ma_deferral *deferral;
  ma_stream *stream;
  int64_t size; /* elements */
  bool absorbed;
  /* an update of an array in place, which is wanted surely: it stays among the open ones when it is absorbed */
  bool kept;
  bool again;              /* and taken in by a second one, for it is cheap */
  bool packed;             /* the result and all that is read lie in C order without gaps */
  uint8_t room;            /* which free list it goes back to */
  uint8_t dtype, output;   /* of the result, and its register */
  ma_bound bound;          /* its parts, shape and stride lie behind the struct */
  int64_t *shape, *stride; /* of the result, which fills its buffer; bound.ndim */
} ma_pending;

#define MA_PENDING_BYTES 768 /* what one costs the host, about, for whoever counts memory */

/* ==== inline.c: programs joined ================================================================================== */

/* A program whose operands are memory that is there: pending ones were taken in. */
typedef struct ma_joined {
  ma_program program; /* what is bound, with its outputs */
  ma_bound bound;     /* its parts are those below and program.code: a copy of the struct is not good */
  int64_t size, shape[MA_MAX_NDIM];
  ma_reading reading[MA_MAX_INPUTS]; /* without references */
  int64_t step[MA_MAX_INPUTS * MA_MAX_NDIM];
  ma_value scalar[MA_MAX_SCALARS];
  int ntaken;
  ma_pending *taken[MA_MAX_INPUTS];
  bool movable; /* all terms are */
} ma_joined;

/*
** Takes pending operands into the program over the broadcast `shape`; those that cannot be are evaluated. Nothing is
** marked yet: who goes on to use it calls ma_joined_absorb, and ma_joined_restore if that failed after all. Between the
** two the terms are good while the operands live and nothing writes to them.
*/
ma_status ma_joined_make(ma_joined *joined, const ma_program *program, const ma_array *const *input,
                         const ma_value *scalar, int ndim, const int64_t *shape);
void ma_joined_absorb(ma_joined *joined);
void ma_joined_restore(ma_joined *joined);
static inline const int64_t *ma_joined_step(const ma_joined *joined, int k) {
  return joined->step + k * joined->bound.ndim;
}
/* The terms as arrays of the whole shape, without references: for ma_program_run, ma_reduce_run ... with
** joined->program and joined->scalar. */
void ma_joined_arrays(const ma_joined *joined, ma_array *array, const ma_array **input);

/* Of pending programs those that can run as one with the first: of its shape and stream, and reading what it reads.
** taken[k] is output k. */
void ma_joined_group(ma_joined *joined, int n, ma_buffer *const *buffer);

/* ==== within.c, lesson.c ========================================================================================= */

/* The register of q that holds what p computes; -1: there is none. */
int ma_pending_within(ma_pending *q, const ma_pending *p);
/* Does computing it take no longer than reading a result? */
static inline bool ma_op_is_light(int op) {
  return op == MA_OP_add || op == MA_OP_subtract || op == MA_OP_multiply || op == MA_OP_negative || op == MA_OP_cast;
}
void ma_pending_learn(const ma_pending *pending); /* it was absorbed, and is run all the same */
extern bool ma_learned_any;                       /* atomic; by any thread */
bool ma_pending_is_learned(const ma_pending *pending);
/* are such programs used twice as a rule? Then it is run at its first use */
static inline bool ma_pending_learned(const ma_pending *pending) {
  return __builtin_expect(__atomic_load_n(&ma_learned_any, __ATOMIC_RELAXED), 0) && ma_pending_is_learned(pending);
}

/* ==== pending.c ================================================================================================== */

static inline bool ma_is_pending(const ma_array *array) { return array->buffer->pending != NULL; }

/* For who writes a pending program where it stays: room for so much, with nothing there yet. */
ma_pending *ma_pending_new(ma_deferral *deferral, int ninput, int nscalar, int ncode, int ndim); /* NULL: no memory */
void ma_pending_spare(ma_pending *p); /* that nobody knows of */
/* It is what the bare buffer waits for, and that the result's. What it reads is movable memory. */
void ma_pending_open(ma_pending *p, ma_buffer *buffer, ma_array *result, ma_stream *stream);
void ma_pending_absorb(ma_pending *p);

/* Defers the program as `result`, whose dtype, shape and strides are set and whose buffer is NULL; MA_ERR_MEMORY: run
** it now. */
ma_status ma_pending_record(const ma_joined *joined, ma_array *result, ma_stream *stream);
/* The same for all of an array that is there: what it was is read from memory of its own from now on. */
ma_status ma_pending_update(const ma_joined *joined, ma_array *array, ma_stream *stream);
ma_status ma_pending_evaluate(ma_buffer *buffer, const char *why); /* MA_OK if nothing is pending */
#define MA_MAX_GROUP 16
/* Several, as few kernels as it takes; n is at most MA_MAX_GROUP, and what is not pending is passed over. */
ma_status ma_pending_evaluate_all(int n, ma_buffer *const *buffer, const char *why);
void ma_pending_drop(ma_pending *pending); /* its buffer goes, or is filled */
/* Evaluates what is open in the current state, and what is absorbed too if `all`. `why` is for the trace. */
ma_status ma_pending_flush(const char *why, bool all);
int64_t ma_pending_live(void);          /* in the process */
void ma_pending_pin(ma_buffer *buffer); /* its last other holder let go of it: the bytes count as pinned */

/* Since the process began. */
typedef struct ma_fusion_figures {
  int64_t recorded, evaluated, dropped, cloned, exchanged;
  int64_t fused, stepped; /* runs of several operations as one kernel, and one by one because that is not there yet */
} ma_fusion_figures;
extern ma_fusion_figures ma_fusion;
/* Threads that count at once may lose one: they are for specs and for looking. */
#define MA_FIGURE(name, n) \
  __atomic_store_n(&ma_fusion.name, __atomic_load_n(&ma_fusion.name, __ATOMIC_RELAXED) + (n), __ATOMIC_RELAXED)

/* a run that could have gone by single operations */
static inline void ma_figure_run(const ma_program *program, bool as_one) {
  if (ma_program_is_single(program)) return;
  if (as_one) MA_FIGURE(fused, 1);
  else MA_FIGURE(stepped, 1);
}

/* ==== defer.c ==================================================================================================== */

/* Results of fewer elements are computed at once on the CPU, where deferring costs more than a pass over what lies in
** the cache. A spec lowers it. */
extern int64_t ma_defer_from; /* atomic */
bool ma_defer_is_small(const ma_stream *stream, int64_t size);
/* A cast, or a copy of what is pending, in C order; *deferred is false where it is to be made now. */
ma_status ma_program_defer_cast(ma_array *copy, const ma_array *from, ma_dtype dtype, ma_stream *stream,
                                bool *deferred);

/* ==== write.c ==================================================================================================== */

/* A settled program (run.h). With `deferred` it goes by single operations while its kernel is compiled. */
ma_status ma_program_run_settled(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                                 ma_array *const *result, int ndim, const int64_t *shape, ma_stream *stream,
                                 bool deferred);
/* As ma_program_run, with `deferred`. A result that it makes lies in memory as the first of the `nmodel` arrays of full
** shape does: these are the operands as the caller wrote them. */
ma_status ma_program_run_like(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                              ma_array *const *result, ma_stream *stream, bool deferred, int nmodel,
                              const ma_array *const *like);
/* Copies settled elements within a device, with a cast. */
ma_status ma_program_copy(ma_array *to, const ma_array *from, ma_stream *stream);
/* Before pending programs are joined into one that writes given results: what is pending in the results is computed.
** Done later, it would let go of arrays that the joined program still reads. `exchange`: not where all of the memory
** will be exchanged, which drops it. */
ma_status ma_program_settle_results(int nresult, ma_array *const *result, bool exchange);

/* ==== operator.c ================================================================================================= */

/* Defers one operation in the usual case; false, and nothing changed, in all others. */
bool ma_operator_defer(ma_opcode op, const ma_arg *arg, ma_array *result, ma_stream *stream);
/* Runs one into memory that is given, in the usual case; *ran is false, and nothing done, in all others. */
ma_status ma_operator_run(ma_opcode op, const ma_arg *arg, ma_array *result, ma_stream *stream, bool *ran);

/* ==== hazard.c: writes =========================================================================================== */

/* Before anybody writes into a part of the buffer: what is pending in it is computed, and readers are run or get a copy
** of the old. */
ma_status ma_hazard_write(ma_buffer *buffer, ma_stream *stream);
/* The same, and from now on its memory stays where it is and everything over it runs at once: others know the
** address. */
ma_status ma_hazard_expose(ma_buffer *buffer, ma_stream *stream);
bool ma_hazard_covers(const ma_array *array); /* are its elements all that there is in the buffer? */
/* The copy of the old that readers of a part that is to be written got, NULL if there are none; holds no reference. */
ma_status ma_hazard_clone(ma_buffer *buffer, ma_stream *stream, ma_buffer **clone);

#pragma GCC visibility pop
#endif
