/*
** look.h: what the files of runs share. One look at the operands and results of a program gathers the facts from which
** the way of its run follows (run.c). ways.def has the facts and the ways.
*/
#ifndef MOONARRAY_LOOK_H
#define MOONARRAY_LOOK_H

#include "array/layout.h"
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

/* run.c: the facts of the given result k; the look has those of a single one. */
uint32_t ma_look_result(int n, const ma_array *const *input, int nresult, ma_array *const *result, int k);

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

/* ==== now.c ======================================================================================================= */

/* How a program runs. */
typedef struct ma_manner {
  bool ready; /* it does not wait for the compiler, but runs stepwise until its kernel is compiled */
  int nlike;
  const ma_array *const *like; /* the operands as the caller wrote them; NULL: the inputs are */
} ma_manner;

/* Runs a program at once over arrays that were looked at. */
ma_status ma_program_run_now(ma_look *look, const ma_program *program, const ma_array *const *input,
                             const ma_value *scalar, ma_array *const *result, const ma_manner *how, ma_stream *stream);
/* The same for one result that is made, of operands that are in memory. */
ma_status ma_program_run_made(ma_look *look, const ma_program *program, const ma_array *const *input,
                              const ma_value *scalar, ma_array *const *result, const ma_manner *how, ma_stream *stream);
/* Copies settled elements within a device, with a cast. */
ma_status ma_program_copy(ma_array *to, const ma_array *from, ma_stream *stream);
/* Runs the map. With `may_decline` it does not wait for the compiler: if the kernel is not compiled, it does nothing,
** sets *ran to false, and a thread compiles the kernel. */
ma_status ma_run_map(const ma_map *map, ma_stream *stream, bool may_decline, bool *ran);

/* Adds an operand to a map. */
static inline ma_status ma_map_add(ma_map *map, int k, const ma_array *array, bool write, ma_stream *stream) {
  MA_TRY(ma_buffer_use(array->buffer, stream, write));
  map->data[k] = (char *)array->buffer->ptr + array->offset;
  return MA_OK;
}
/* The step of an operand of a map of one axis, without gaps. */
static inline void ma_map_set_step(ma_map *map, int k, const ma_array *array) {
  map->space.stride[k][0] = ma_dtypes[array->dtype].itemsize;
}

/* Sets the numbers of a map. */
static inline void ma_map_set_numbers(ma_map *map, int n, const ma_value *scalar) {
  if (n) map->scalar[0] = scalar[0]; /* there is seldom another */
  for (int k = 1; k < n; k++) map->scalar[k] = scalar[k];
}

/* ==== pending.c =================================================================================================== */

/* Leaves the result of a program pending whose operands have one shape and lie in C order, so that its layout is C
** order too; false: they do not, or there is no memory. */
bool ma_record_straight(const ma_look *look, const ma_program *program, const ma_array *const *input,
                        const ma_value *scalar, ma_array *result, ma_stream *stream);

#pragma GCC visibility pop
#endif
