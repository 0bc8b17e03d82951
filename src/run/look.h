/*
** look.h: one look at the operands and results of a program gathers the facts from which the way of its run follows.
** ways.def has the facts and the ways.
*/
#ifndef MOONARRAY_LOOK_H
#define MOONARRAY_LOOK_H

#include "array/layout.h"
#include "program/operands.h"
#include "run/pending.h"

#pragma GCC visibility push(hidden)

enum {
#define FACT(name) MA_BIT_##name,
#include "run/ways.def"
};
enum {
#define FACT(name) MA_FACT_##name = 1 << MA_BIT_##name,
#include "run/ways.def"
};

typedef enum ma_way {
#define WAY(name, has, lacks, text) MA_WAY_##name,
#include "run/ways.def"
  MA_NWAY
} ma_way;

typedef struct ma_look {
  uint32_t facts;
  ma_order order; /* of the axes of a result that is made */
  int ndim;
  int64_t size;
  ma_deferral *deferral; /* if it DEFERS */
  const int64_t *shape;  /* the broadcast shape: that of an array, or `broadcast` */
  int64_t broadcast[MA_MAX_NDIM];
} ma_look;

/* The parts of a look that most runs do not take. */
ma_status ma_look_elsewhere(ma_look *look, const ma_program *program, const ma_array *const *input,
                            ma_array *const *result, ma_stream **stream); /* some array is on another device */
/* The arrays are not of one shape. */
ma_status ma_look_apart(ma_look *look, const ma_program *program, const ma_array *const *input,
                        ma_array *const *result);
/* The facts with those of several results. Where there are no operands, *first becomes the first given result. */
uint32_t ma_look_results(int nresult, ma_array *const *result, const ma_array **first, const ma_device *device,
                         uint32_t facts);
/* The facts of the given result k; the look has those of a single one. */
uint32_t ma_look_result(int n, const ma_array *const *input, int nresult, ma_array *const *result, int k);

/* Whether a glance shows that none of the facts of a given result holds. */
static inline bool ma_look_is_free(int n, const ma_array *const *input, const ma_array *to) {
  const ma_buffer *buffer = to->buffer;
  bool free = !buffer->readers && !buffer->pending;
  for (int k = 0; k < n; k++)
    free = free && (input[k] == to || (input[k]->buffer != buffer && input[k]->buffer->movable && buffer->movable));
  return free;
}

/* What one array adds to the facts; `first` is the first of all. */
static inline uint32_t ma_look_one(const ma_array *array, const ma_array *first, const ma_device *device) {
  uint32_t facts = array->buffer->device == device ? 0 : MA_FACT_AWAY;
  if (ma_operand_is_packed(array, first->ndim, first->shape)) return facts;
  return facts | MA_FACT_GAPS |
         (array == first || ma_array_has_shape(array, first->ndim, first->shape) ? 0 : MA_FACT_APART);
}

/* What an operand adds. */
static inline uint32_t ma_look_operand(const ma_array *array, const ma_array *first, const ma_device *device) {
  uint32_t facts = ma_look_one(array, first, device);
  if (array->buffer->pending) facts |= MA_FACT_WAITS;
  if (!array->buffer->movable) facts |= MA_FACT_KNOWN;
  return facts;
}

/* The way that follows from the facts, if it is none of the rows before `from`. */
static inline __attribute__((always_inline)) ma_way ma_way_from(ma_way from, uint32_t facts) {
  enum {
#define FACT(name) name = MA_FACT_##name,
#include "run/ways.def"
  };
#define WAY(name, has, lacks, text) \
  if (from <= MA_WAY_##name && (facts & ((has) | (lacks))) == (has)) return MA_WAY_##name;
#include "run/ways.def"
  return MA_NWAY; /* not reached: the last row always applies */
}
static inline ma_way ma_way_of(uint32_t facts) { return ma_way_from((ma_way)0, facts); }

/* Looks at the arrays for a run whose result is made in this order. Replaces the stream by one of their device, if
** that is another. */
static inline __attribute__((always_inline)) ma_status ma_look_at(ma_look *l, const ma_program *program,
                                                                  const ma_array *const *input, ma_array *const *result,
                                                                  ma_order order, ma_stream **stream) {
  int n = program->ninput;
  const ma_device *device = (*stream)->device;
  const ma_array *first = NULL;
  uint32_t facts = n ? MA_FACT_MADE : MA_FACT_MADE | MA_FACT_KNOWN;
  if (n) facts |= ma_look_operand(first = input[0], input[0], device);
  for (int k = 1; k < n; k++) facts |= ma_look_operand(input[k], first, device);
  if (__builtin_expect(program->noutput != 1, 0)) {
    const ma_array *given = first;
    facts = ma_look_results(program->noutput, result, &given, device, facts);
    first = given;
  } else {
    facts |= MA_FACT_ONE;
    if (result[0]->buffer) {
      if (!n) first = result[0];
      facts = (facts & ~(uint32_t)MA_FACT_MADE) | ma_look_one(result[0], first, device);
    }
  }
  if (__builtin_expect(facts & MA_FACT_AWAY, 0)) {
    l->facts = facts;
    MA_TRY(ma_look_elsewhere(l, program, input, result, stream));
    facts = l->facts;
  }
  if (!first) {
    l->ndim = 0;
    l->size = 1;
    l->shape = l->broadcast;
  } else if (!(facts & MA_FACT_APART)) {
    l->ndim = first->ndim;
    l->size = first->size;
    l->shape = first->shape;
  } else {
    l->facts = facts;
    MA_TRY(ma_look_apart(l, program, input, result));
  }
  if (l->size == 0) facts |= MA_FACT_EMPTY;
  if (ma_defer_is_small(*stream, l->size)) facts |= MA_FACT_SMALL;
  if ((facts & (MA_FACT_MADE | MA_FACT_ONE)) == MA_FACT_ONE && !ma_look_is_free(n, input, result[0]))
    facts |= ma_look_result(n, input, 1, result, 0);
  l->order = order;
  l->facts = facts;
  return MA_OK;
}

/* Adds the fact that is dear to find, and matters to no way before `wait`. */
static inline void ma_look_for_deferral(ma_look *l, const ma_stream *stream) {
  if ((l->deferral = ma_deferring()) && !stream->capture) l->facts |= MA_FACT_DEFERS;
}

extern int ma_ways_traced; /* atomic; -1: no; 0: it is not known yet */
void ma_way_print(ma_way way, const char *op, int64_t size);
const char *ma_way_name(const ma_program *program); /* of what it does, for the line */
/* Whether MOONARRAY_TRACE lists `way`, or that is not known yet. */
static inline bool ma_ways_are_traced(void) {
  return __builtin_expect(__atomic_load_n(&ma_ways_traced, __ATOMIC_RELAXED) >= 0, 0);
}
/* Prints the way that a run takes, for MOONARRAY_TRACE=way. */
static inline void ma_way_trace(ma_way way, const ma_program *program, int64_t size) {
  if (ma_ways_are_traced()) ma_way_print(way, ma_way_name(program), size);
}

/* Describes a result that is made, in C order. */
static inline void ma_look_describe(ma_array *made, const ma_look *l, ma_dtype dtype) {
  int64_t step = ma_dtypes[dtype].itemsize;
  made->magic = MA_ARRAY_MAGIC;
  made->dtype = (uint8_t)dtype;
  made->ndim = (uint8_t)l->ndim;
  made->readonly = made->is_view = 0;
  made->size = l->size;
  made->offset = 0;
  for (int d = l->ndim - 1; d >= 0; d--) {
    made->shape[d] = l->shape[d];
    made->stride[d] = step;
    step *= l->shape[d];
  }
}

/* write.c: runs a program at once whose one result is made and whose operands are in memory. */
ma_status ma_program_run_made(ma_look *look, const ma_program *program, const ma_array *const *input,
                              const ma_value *scalar, ma_array *const *result, const ma_manner *how, ma_stream *stream);
/* straight.c: leaves the result of a program pending whose operands have one shape and lie in C order, so that its
** layout is C order too; false: they do not, or there is no memory. */
bool ma_record_straight(const ma_look *look, const ma_program *program, const ma_array *const *input,
                        const ma_value *scalar, ma_array *result, ma_stream *stream);

#pragma GCC visibility pop
#endif
