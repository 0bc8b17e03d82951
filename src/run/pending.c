/*
** pending.c: records and drops pending programs. pending.h explains them. The most frequent form of a program that
** waits has operands of one shape in C order. It is written directly into its pending program, without intermediate
** structs. Other forms go through inline.c, which makes the same bytes, since both ways build by splice.h.
*/
#include "run/run.h"
#include "base/fork.h"
#include "run/look.h"
#include "tuning.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

__thread ma_deferral *ma_deferral_current;
ma_deferral_figures ma_deferral_counts;
int64_t ma_defer_from = TUNE_DEFER_FROM;
static ma_deferral *deferrals;                           /* of all states */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for the list of deferrals */
MA_FORK_GUARD(lock, MA_FORK_LEAF)

int64_t ma_pending_live(void) {
  int64_t sum = 0;
  pthread_mutex_lock(&lock);
  for (const ma_deferral *d = deferrals; d; d = d->next) sum += __atomic_load_n(&d->live, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  return sum;
}

/* Each state has its own counter, so counting takes no lock. */
static inline void count_live(ma_deferral *d, int n) { __atomic_store_n(&d->live, d->live + n, __ATOMIC_RELAXED); }

/* ==== Lists ====================================================================================================== */

static void clear_ring(ma_link *head) { head->next = head->prev = head; }

static inline void leave(ma_link *link) {
  link->prev->next = link->next;
  link->next->prev = link->prev;
}

static inline void append(ma_link *head, ma_link *link) {
  link->prev = head->prev;
  link->next = head;
  head->prev->next = link;
  head->prev = link;
}

static inline void absorb(ma_pending *p) {
  p->absorbed = true;
  if (p->kept) return;
  p->deferral->bytes -= (int64_t)p->buffer->nbytes;
  leave(&p->link);
  append(&p->deferral->absorbed, &p->link);
}

void ma_joined_absorb(ma_joined *joined) {
  for (int k = 0; k < joined->ntaken; k++) absorb(joined->taken[k]);
}

void ma_joined_restore(ma_joined *joined) {
  for (int k = 0; k < joined->ntaken; k++) {
    ma_pending *p = joined->taken[k];
    p->absorbed = false;
    if (p->kept) continue;
    p->deferral->bytes += (int64_t)p->buffer->nbytes;
    leave(&p->link);
    append(&p->deferral->open, &p->link);
  }
}

/* ==== Memory of programs: a few sizes, kept in lists of each state ================================================ */

#define UNIT 128 /* bytes; sizes are multiples of it */

static void free_spare(ma_deferral *d) {
  for (int room = 0; room < MA_PENDING_ROOMS; room++) {
    d->nspare[room] = TUNE_PENDING_KEPT / UNIT; /* the list counts as full, so that no memory goes there any more */
    while (d->spare[room]) {
      ma_pending *p = d->spare[room];
      d->spare[room] = (ma_pending *)p->link.next;
      free(p);
    }
  }
}

static void set_aside(ma_pending *p) {
  ma_deferral *d = p->deferral;
  unsigned room = p->room;
  if (__builtin_expect((unsigned)d->nspare[room] * room >= TUNE_PENDING_KEPT / UNIT, 0)) {
    free(p);
    return;
  }
  p->link.next = (ma_link *)d->spare[room];
  d->spare[room] = p;
  d->nspare[room]++;
}

/* Where the arrays behind the struct are, each aligned to 8 bytes. */
typedef struct parts {
  size_t code, shape, step, reading, end; /* bytes from the struct */
} parts;

static inline parts divide(size_t ninput, size_t nscalar, size_t ncode, size_t ndim) {
  parts at;
  at.code = sizeof(ma_pending) + nscalar * sizeof(ma_value);
  at.shape = at.code + ncode * sizeof(ma_instr);
  at.step = at.shape + 2 * ndim * sizeof(int64_t);
  /* this array is last, because there is often room for more readings than are used */
  at.reading = at.step + ninput * ndim * sizeof(int64_t);
  at.end = at.reading + ninput * sizeof(ma_reading);
  return at;
}

static inline ma_pending *begin(ma_pending *p, ma_deferral *d, const parts *at, int ndim) {
  char *here = (char *)p;
  p->deferral = d;
  d->made++;
  p->room = (uint8_t)((at->end + UNIT - 1) / UNIT);
  p->bound.ninput = p->bound.nscalar = p->bound.ncode = 0;
  p->bound.ndim = (uint8_t)ndim;
  p->bound.merges = d->repeats;
  p->kept = p->awaited = p->packed = p->folds = p->reads_folds = p->draws = false;
  p->again = 0;
  p->bound.scalar = (ma_value *)(p + 1);
  p->bound.code = (ma_instr *)(here + at->code);
  p->shape = (int64_t *)(here + at->shape);
  p->stride = p->shape + ndim;
  p->bound.step = (int64_t *)(here + at->step);
  p->bound.reading = (ma_reading *)(here + at->reading);
  return p;
}

static __attribute__((noinline)) ma_pending *allocate(ma_deferral *d, const parts *at, int ndim) {
  ma_pending *p = aligned_alloc(64, (at->end + UNIT - 1) / UNIT * UNIT);
  return p ? begin(p, d, at, ndim) : NULL;
}

/* A program with room for this many parts, which the caller fills in place. NULL: no memory. */
static inline ma_pending *new_pending(ma_deferral *d, int ninput, int nscalar, int ncode, int ndim) {
  parts at = divide((size_t)ninput, (size_t)nscalar, (size_t)ncode, (size_t)ndim);
  size_t room = (at.end + UNIT - 1) / UNIT;
  ma_pending *p = d->spare[room];
  if (__builtin_expect(!p, 0)) return allocate(d, &at, ndim);
  const char *next = (const char *)p->link.next;
  d->spare[room] = (ma_pending *)next;
  d->nspare[room]--;
  for (int line = 0; line < 4; line++) /* the next program that is freed has left the cache by now */
    __builtin_prefetch(next + 64 * line, 1);
  return begin(p, d, &at, ndim);
}

_Static_assert((MA_PENDING_ROOMS - 1) * UNIT >= sizeof(ma_pending) + MA_MAX_INPUTS * sizeof(ma_reading) +
                                                  (2 + MA_MAX_INPUTS) * MA_MAX_NDIM * sizeof(int64_t) +
                                                  MA_MAX_SCALARS * sizeof(ma_value) + MA_MAX_CODE * sizeof(ma_instr),
               "the largest pending program has room");

/* ==== A state's deferral ========================================================================================== */

void ma_deferral_enlist(ma_deferral *deferral, bool on) {
  *deferral = (ma_deferral){ .on = on };
  clear_ring(&deferral->open);
  clear_ring(&deferral->absorbed);
  clear_ring(&deferral->failed);
  pthread_mutex_lock(&lock);
  deferral->next = deferrals;
  deferrals = deferral;
  pthread_mutex_unlock(&lock);
}

/* Ends a state's deferral. Arrays with pending programs are usually finalised before their state. Nobody is left who
** wants the results of the other programs. */
void ma_deferral_end(ma_deferral *deferral) {
  ma_link *const ring[] = { &deferral->open, &deferral->absorbed, &deferral->failed };
  deferral->on = false;
  for (int k = 0; k < 3; k++)
    while (ring[k]->next != ring[k]) ma_pending_drop((ma_pending *)ring[k]->next);
  free_spare(deferral);
  pthread_mutex_lock(&lock);
  for (ma_deferral **at = &deferrals; *at; at = &(*at)->next)
    if (*at == deferral) {
      *at = deferral->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  if (ma_deferral_current == deferral) ma_deferral_current = NULL;
}

/* ==== Recording ================================================================================================== */

static void stop_reading(ma_reading *r) {
  ma_buffer *buffer = r->buffer;
  *r->prev = r->next;
  if (r->next) r->next->prev = r->prev;
  if (--buffer->nreaders == 0 && buffer->pinned) {
    buffer->pinned = false;
    r->pending->deferral->pinned -= (int64_t)buffer->nbytes;
  }
  if (__builtin_expect(buffer->movable && __atomic_load_n(&buffer->refs, __ATOMIC_RELAXED) > 1, 1))
    ma_buffer_count_own(buffer, -1); /* others still hold it, so only the count changes */
  else ma_buffer_release(buffer);
}

static inline void add_reader(ma_pending *p, ma_reading *r) {
  ma_buffer *buffer = r->buffer;
  r->pending = p;
  r->next = buffer->readers;
  r->prev = &buffer->readers;
  if (r->next) r->next->prev = &r->next;
  buffer->readers = r;
  buffer->nreaders++;
  if (__builtin_expect(buffer->movable, 1)) ma_buffer_count_own(buffer, 1);
  else ma_buffer_retain(buffer); /* only while a function is recorded */
}

/* Makes the program pending: it will fill the bare `buffer`, which becomes the result's. */
static inline void open_pending(ma_pending *p, ma_buffer *buffer, ma_array *result, ma_stream *stream) {
  ma_deferral *d = p->deferral;
  ma_reading *r = p->bound.reading;
  for (const ma_reading *end = r + p->bound.ninput; r < end; r++) {
    ma_pending *fold = r->buffer->pending;
    add_reader(p, r);
    if (__builtin_expect(!fold, 1)) continue;
    p->reads_folds = true;
    if (!fold->absorbed) absorb(fold);
  }
  p->buffer = buffer;
  p->stream = stream;
  p->recorded = stream->capture != NULL;
  p->size = result->size;
  p->absorbed = false;
  p->dtype = result->dtype;
  append(&d->open, &p->link);
  d->bytes += (int64_t)buffer->nbytes + MA_PENDING_BYTES;
  count_live(d, 1);
  buffer->pending = p;
  ma_buffer_count_write(buffer);
  p->writes = buffer->writes;
  result->buffer = buffer;
  MA_FIGURE(recorded, 1);
}

/* Copies a joined program into a pending one; NULL: no memory. */
static ma_pending *pack(const ma_joined *joined, const int64_t *stride) {
  const ma_program *program = &joined->program;
  int ndim = joined->bound.ndim;
  uint8_t reg[MA_MAX_REGS];
  ma_pending *p = new_pending(ma_deferral_current, program->ninput, program->nscalar, program->ncode, ndim);
  if (!p) return NULL;
  p->output = program->output[0];
  p->bound.merges = joined->bound.merges;
  ma_splice(&p->bound, &joined->bound, reg, true);
  memcpy(p->shape, joined->shape, (size_t)ndim * sizeof *p->shape);
  memcpy(p->stride, stride, (size_t)ndim * sizeof *p->stride);
  return p;
}

static ma_status no_memory(void) {
  return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a pending program");
}

ma_status ma_pending_record(const ma_joined *joined, ma_array *result, ma_stream *stream) {
  ma_buffer *buffer;
  MA_TRY(ma_handle_bare(stream->device, (size_t)joined->size * ma_dtypes[result->dtype].itemsize, &buffer));
  ma_pending *p = pack(joined, result->stride);
  if (!p) {
    ma_buffer_release(buffer);
    return no_memory();
  }
  open_pending(p, buffer, result, stream);
  return MA_OK;
}

ma_status ma_pending_record_fold(const ma_joined *joined, const ma_fold *fold, ma_array *result, ma_stream *stream) {
  ma_buffer *buffer;
  const int64_t nowhere[MA_MAX_NDIM] = { 0 };
  MA_TRY(ma_handle_bare(stream->device, (size_t)result->size * ma_dtypes[result->dtype].itemsize, &buffer));
  ma_pending *p = pack(joined, nowhere);
  if (!p) {
    ma_buffer_release(buffer);
    return no_memory();
  }
  p->folds = true;
  p->fold = *fold;
  open_pending(p, buffer, result, stream);
  p->size = joined->size;
  return MA_OK;
}

ma_status ma_pending_update(const ma_joined *joined, const ma_late_draw *draw, ma_array *array, ma_stream *stream) {
  ma_buffer *buffer = array->buffer, *old;
  MA_TRY(ma_handle_bare(buffer->device, buffer->nbytes, &old));
  ma_pending *p = pack(joined, array->stride);
  if (!p) {
    ma_buffer_release(old);
    return no_memory();
  }
  ma_handle_exchange(buffer, old);
  for (int k = 0; k < p->bound.ninput; k++)
    if (p->bound.reading[k].buffer == buffer) p->bound.reading[k].buffer = old;
  if (draw) {
    p->draws = true;
    p->packed = !draw->cell; /* which all elements read */
    p->draw = *draw;
  }
  open_pending(p, buffer, array, stream);
  p->kept = !draw;
  ma_buffer_release(old); /* its readers still hold it */
  return MA_OK;
}

void ma_pending_drop(ma_pending *p) {
  leave(&p->link);
  p->deferral->bytes -= (p->absorbed && !p->kept ? 0 : (int64_t)p->buffer->nbytes) + MA_PENDING_BYTES;
  count_live(p->deferral, -1);
  p->buffer->pending = NULL;
  p->buffer->writes = p->writes;
  for (int k = 0; k < p->bound.ninput; k++) stop_reading(&p->bound.reading[k]);
  set_aside(p);
  MA_FIGURE(dropped, 1);
}

void ma_pending_put_aside(ma_pending *p) {
  leave(&p->link);
  append(&p->deferral->failed, &p->link);
}

/* ==== Operands of one shape in C order =========================================================================== */

/* A bound on the size of the joined program. */
typedef struct bound {
  int ninput, nscalar, ncode;
  bool packed; /* all are without gaps */
  bool merges; /* equal numbers are one */
} bound;

/* Whether the array has the shape and the steps of the pending result. */
static inline bool is_whole(const ma_array *array, const ma_pending *p) {
  int ndim = array->ndim;
  const int64_t *shape = p->shape, *stride = p->stride;
  if (array->offset || array->dtype != p->dtype || ndim != p->bound.ndim) return false;
  for (int d = 0; d < ndim; d++)
    if (array->shape[d] != shape[d] || array->stride[d] != stride[d]) return false;
  return true;
}

static inline bool in_c_order(const ma_array *array, bool *packed) {
  int64_t least = 1, step = ma_dtypes[array->dtype].itemsize;
  for (int d = array->ndim - 1; d >= 0; d--) {
    if (array->stride[d] < least) return false;
    *packed &= array->stride[d] == step;
    least = array->stride[d];
    step *= array->shape[d];
  }
  return true;
}

/* Counts a pending operand that is read as a whole. Usually its result is packed, and then the array is too. */
static inline bool takes_pending(const ma_array *array, const ma_pending *p, bound *b) {
  b->ninput += p->bound.ninput;
  b->nscalar += p->bound.nscalar;
  b->ncode += p->bound.ncode;
  b->packed &= p->packed;
  b->merges |= p->bound.merges;
  return !p->absorbed && is_whole(array, p) && (p->packed || in_c_order(array, &b->packed)) && !ma_pending_learned(p);
}

static inline bool takes(const ma_array *array, bool gaps, bound *b) {
  const ma_pending *p = array->buffer->pending;
  if (p && !p->folds) return takes_pending(array, p, b);
  b->ninput++;
  return !gaps || in_c_order(array, &b->packed);
}

/* ==== The program ================================================================================================ */

/* Adds operand k, whose program is absorbed; returns its register. */
static inline int add_operand(ma_pending *p, const ma_array *const *input, int k, const uint8_t *reg) {
  const ma_array *array = input[k];
  ma_pending *from = array->buffer->pending;
  uint8_t own[MA_MAX_REGS];
  if (!from || from->folds)
    return ma_bound_input(&p->bound, array->buffer, array->offset, array->dtype, array->stride, true);
  for (int j = 0; j < k; j++)
    if (input[j]->buffer == array->buffer) return reg[j];
  ma_splice(&p->bound, &from->bound, own, true);
  absorb(from);
  return own[from->output];
}

static inline void lay_out(ma_array *result, ma_dtype dtype, const ma_array *first, ma_pending *p) {
  int64_t step = ma_dtypes[dtype].itemsize, *shape = p->shape, *stride = p->stride;
  int ndim = first->ndim;
  result->dtype = (uint8_t)dtype;
  result->ndim = (uint8_t)ndim;
  result->readonly = result->is_view = 0;
  result->size = first->size;
  result->offset = 0;
  for (int d = ndim - 1; d >= 0; d--) {
    int64_t extent = first->shape[d];
    result->shape[d] = shape[d] = extent;
    result->stride[d] = stride[d] = step;
    step *= extent;
  }
}

/* Whether no two arrays are in the same memory, which one input may stand for. */
static inline bool are_apart(int n, const ma_array *const *input) {
  for (int k = 1; k < n; k++)
    for (int j = 0; j < k; j++)
      if (input[j]->buffer == input[k]->buffer) return false;
  return true;
}

/* Copies the whole program, whose registers keep their numbers. */
static inline void copy_program(ma_pending *p, const ma_program *program, const ma_array *const *input,
                                const ma_value *scalar) {
  int ninput = program->ninput, nscalar = program->nscalar, ncode = program->ncode, ndim = p->bound.ndim;
  ma_reading *reading = p->bound.reading;
  int64_t *step = p->bound.step;
  ma_instr *code = p->bound.code;
  for (int k = 0; k < ninput; k++, step += ndim) {
    const ma_array *array = input[k];
    p->bound.input_dtype[k] = array->dtype;
    reading[k].buffer = array->buffer;
    reading[k].offset = array->offset;
    for (int d = 0; d < ndim; d++) step[d] = array->stride[d];
  }
  for (int k = 0; k < nscalar; k++) {
    p->bound.scalar_dtype[k] = program->scalar_dtype[k];
    p->bound.scalar[k] = scalar[k];
  }
  for (int k = 0; k < ncode; k++) code[k] = program->code[k];
  p->bound.ninput = (uint8_t)ninput;
  p->bound.nscalar = (uint8_t)nscalar;
  p->bound.ncode = (uint8_t)ncode;
  p->output = program->output[0];
}

/* Adds the program, whose pending operands are taken in. */
static inline void join_program(ma_pending *p, const ma_program *program, const ma_array *const *input,
                                const ma_value *scalar) {
  uint8_t reg[MA_MAX_REGS];
  for (int k = 0; k < program->ninput; k++) reg[k] = (uint8_t)add_operand(p, input, k, reg);
  ma_splice_code(&p->bound, program->nscalar, program->scalar_dtype, scalar, program->ncode, program->code, reg, true);
  p->output = reg[program->output[0]];
}

bool ma_record_straight(const ma_look *l, const ma_program *program, const ma_array *const *input,
                        const ma_value *scalar, ma_array *result, ma_stream *stream) {
  ma_buffer *buffer;
  bound b = { .ninput = program->ninput, .nscalar = program->nscalar, .ncode = program->ncode, .packed = true };
  /* all operands are packed and in memory of their own */
  bool plain = !(l->facts & (MA_FACT_GAPS | MA_FACT_WAITS)) && are_apart(program->ninput, input);
  if (l->facts & MA_FACT_APART) return false;
  if (!plain) {
    b.ninput = 0;
    for (int k = 0; k < program->ninput; k++)
      if (!takes(input[k], l->facts & MA_FACT_GAPS, &b)) return false;
    if (!ma_program_fits(b.ninput, b.nscalar, b.ncode)) return false;
  }
  ma_pending *p = new_pending(l->deferral, b.ninput, b.nscalar, b.ncode, l->ndim);
  if (!p) return false;
  ma_dtype dtype = ma_program_dtype(program, program->output[0]);
  if (ma_handle_bare(stream->device, (size_t)l->size * ma_dtypes[dtype].itemsize, &buffer) != MA_OK) {
    set_aside(p);
    return false;
  }
  p->packed = b.packed;
  p->bound.merges |= b.merges;
  lay_out(result, dtype, input[0], p);
  if (plain) copy_program(p, program, input, scalar);
  else join_program(p, program, input, scalar);
  open_pending(p, buffer, result, stream);
  return true;
}

/* ==== As arrays ================================================================================================== */

void ma_pending_describe(ma_array *array, ma_buffer *buffer, ma_dtype dtype, const ma_pending *p, int64_t offset,
                         const int64_t *stride) {
  size_t extents = p->bound.ndim * sizeof(int64_t);
  array->magic = MA_ARRAY_MAGIC;
  array->dtype = (uint8_t)dtype;
  array->ndim = p->bound.ndim;
  array->readonly = 0;
  array->is_view = 0;
  array->size = p->size;
  array->offset = offset;
  array->buffer = buffer;
  memcpy(array->shape, p->shape, extents);
  memcpy(array->stride, stride, extents);
}

void ma_pending_arrays(const ma_pending *p, ma_array *array, const ma_array **input) {
  for (int k = 0; k < p->bound.ninput; k++) {
    ma_pending_describe(&array[k], p->bound.reading[k].buffer, (ma_dtype)p->bound.input_dtype[k], p,
                        p->bound.reading[k].offset, p->bound.step + k * p->bound.ndim);
    input[k] = &array[k];
  }
}

void ma_pending_fill(ma_pending *p, ma_buffer *block) {
  ma_handle_fill(p->buffer, block);
  ma_pending_drop(p);
  MA_FIGURE(dropped, -1);
  MA_FIGURE(evaluated, 1);
}
