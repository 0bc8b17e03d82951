/* along.c: rows walked along memory, a chunk at a time; a block has several rows where they are short. */
#include "cpu/reduce/walk.h"

#include <limits.h>
#include <string.h>

typedef struct stretch { /* of a stage: where the elements of the rows are that are being computed */
  const void *from[MA_MAX_INPUTS];
  int64_t across[MA_MAX_INPUTS], along[MA_MAX_INPUTS];
  ma_row_target to[MA_MAX_HELD + 1];
  int ntarget;
} stretch;

/* Reads a byte of each cache line in the order of memory, so that the elements are in the cache. The eight rows of a
** chunk's leaves are streams that end before the processor begins to fetch them ahead. Instructions that prefetch wait
** for each other: from memory they reach half the speed. */
static inline void touch(const void *at, int64_t bytes) {
  unsigned sum = 0;
  for (int64_t k = 0; k < bytes; k += MA_ALIGN) sum += ((const uint8_t *)at)[k];
  __asm__ volatile("" : : "r"(sum));
}

/* Merges a chunk of n values, from element r on, into a total, or begins the total. `before` is the result of earlier
** elements, or NULL. A chunk that does not change it need not give its own total. */
static inline void add_chunk(const ma_monoid *monoid, char *total, const void *values, const uint8_t *mask, int n,
                             int64_t r, bool begins, const void *before) {
  _Alignas(16) char chunk[MA_MAX_PARTIAL];
  monoid->total(begins ? total : chunk, values, mask, n, r, begins ? before : total);
  if (!begins) monoid->merge(total, total, chunk, 1);
}

/* Folds one row whose values are read where they lie. */
static void fold_in_place(const ma_row_worker *w, int k, const char *row, int64_t first, int64_t last, char *total) {
  const ma_row_job *j = w->j;
  const ma_monoid *monoid = j->fold[k].monoid;
  const void *before = w->follows ? w->sofar[k] : NULL;
  if (monoid->whole && last - first >= RED_CHUNK && last - first <= INT_MAX / 2 &&
      monoid->whole(total, row + first * monoid->value, (int)(last - first), first, before))
    return;
  for (int64_t r = first; r < last; r += RED_CHUNK) {
    int n = last - r < RED_CHUNK ? (int)(last - r) : RED_CHUNK;
    const char *values = row + r * monoid->value;
    if (j->large) touch(values, n * monoid->value);
    add_chunk(monoid, total, values, NULL, n, r, r == first, before);
    if (*(uint8_t *)total == j->settles) return;
  }
}

static void fold_rows_in_place(const ma_row_worker *w, const char *row, int64_t across, int n, int64_t first,
                               int64_t last, char *const *to) {
  for (int k = 0; k < w->j->nfold; k++) {
    const ma_monoid *monoid = w->j->fold[k].monoid;
    const size_t size = monoid->partial;
    const char *values = row;
    char *total = to[k];
    if (last <= RED_CHUNK)
      for (int i = 0; i < n; i++, values += across, total += size)
        monoid->total(total, values, NULL, (int)last, 0, NULL);
    else
      for (int i = 0; i < n; i++, values += across, total += size) fold_in_place(w, k, values, first, last, total);
  }
}

/* Prefetches what will be read next. While the last stage computes, these are the same elements of the next row; with
** one stage, elements further on in the row. */
static void prefetch(const ma_row_worker *w, int64_t r, int n) {
  const ma_row_job *j = w->j;
  for (int k = 0; k < j->program->narray; k++) {
    const int64_t *stride = j->space->stride[j->first + k];
    int64_t size = ma_dtypes[j->program->array[k]].itemsize;
    int64_t next = j->nstage > 1 ? stride[j->nkept - 1] : 2 * RED_CHUNK * size;
    if (stride[j->nkept] != size || next == 0) continue;
    const char *at = w->data[j->first + k] + next + r * size; /* an address behind the end is harmless */
    for (int64_t b = 0; b < n * size; b += MA_ALIGN) __builtin_prefetch(at + b);
  }
}

/* Runs the body of a stage on elements r .. r+n-1 of m rows, from row i on. */
static void read_tile(ma_row_worker *w, int t, const stretch *s, int i, int m, int64_t r, int n, const void **out) {
  const ma_row_job *j = w->j;
  ma_block *body = &w->body[t];
  if (j->space->ndim > j->nkept + 1) { /* several reduced axes: the inputs are arrays */
    void *data[MA_MAX_OPERANDS];
    for (int k = 0; k < body->plan->program->ninput; k++) data[1 + k] = (char *)s->from[k] + i * s->across[k];
    ma_block_run(body, j->space, m > 1 ? j->nkept - 1 : j->nkept, 1, data, r, m * n, out);
    return;
  }
  const void *data[MA_MAX_INPUTS];
  for (int k = 0; k < body->plan->program->ninput; k++)
    data[k] = (const char *)s->from[k] + i * s->across[k] + r * s->along[k];
  if (m > 1) ma_block_tile(body, data, s->across, s->along, m, n, out);
  else ma_block_row(body, data, s->along, n, out);
}

static const void *blank(const ma_row_worker *w, const void *const *out, int n) {
  w->j->fold[0].monoid->blank(w->blank, out[0], out[1], n);
  return w->blank;
}

/* Stores m rows of n values, from element r of row i on. */
static void store(const ma_row_worker *w, const ma_row_target *target, int i, int m, int64_t r, int n,
                  const void *values, ma_dtype dtype) {
  _Alignas(MA_ALIGN) uint16_t packed[MA_BLOCK];
  char *to = target->to + i * target->across + r * target->along;
  int size = ma_dtypes[dtype].itemsize;
  if (values == to) return;
  if (m == 1 && w->j->streamed && target->result && target->along == size && !ma_cpu_store(dtype)) {
    ma_stream_bytes(to, values, (size_t)n * (size_t)size);
  } else if (m == 1) {
    ma_block_store(to, target->along, values, dtype, n);
  } else {
    if (ma_cpu_store(dtype) != NULL) {
      ma_block_store(packed, size, values, dtype, m * n);
      values = packed;
    }
    ma_scatter_tile(to, target->across, target->along, values, m, n, size);
  }
}

/* Runs a whole stage on elements r .. r+n-1 of m rows, from row i on. */
static void run_tile(ma_row_worker *w, int t, const stretch *s, int i, int m, int64_t r, int n, bool begins,
                     char *const *to) {
  const ma_row_job *j = w->j;
  const ma_program *program = j->body[t].program;
  const void *out[MA_MAX_OUTPUTS];
  for (int k = 0; k < s->ntarget; k++) {
    const ma_row_target *target = &s->to[k];
    bool beside = m > 1 || (j->streamed && target->result);
    ma_row_redirect(w, t, target, target->to + i * target->across + r * target->along, beside ? 0 : target->along, n);
  }
  if (j->program && m == 1 && t == j->nstage - 1) prefetch(w, r, n);
  read_tile(w, t, s, i, m, r, n, out);
  if (j->blanks) out[0] = blank(w, out, m * n);
  for (int k = 0; k < j->nfold; k++) {
    const ma_monoid *monoid = j->fold[k].monoid;
    if (j->fold[k].stage != t) continue;
    const int64_t step = (int64_t)n * monoid->value;
    const char *values = out[j->fold[k].output];
    const uint8_t *mask = monoid->takes_mask ? out[1] : NULL;
    const void *before = w->follows ? w->sofar[k] : NULL;
    char *total = to[k] + (size_t)i * monoid->partial;
    for (int x = 0; x < m; x++, total += monoid->partial, values += step) {
      if (begins) monoid->total(total, values, mask, n, r, before);
      else add_chunk(monoid, total, values, mask, n, r, false, NULL);
      if (mask) mask += n;
    }
  }
  for (int k = 0; k < s->ntarget; k++)
    store(w, &s->to[k], i, m, r, n, out[s->to[k].output], ma_program_dtype(program, program->output[s->to[k].output]));
}

void ma_row_along(ma_row_worker *w, int t, int n, int64_t first, int64_t last, char **to) {
  const ma_row_job *j = w->j;
  const size_t size = j->fold[0].monoid->partial;
  stretch s;
  ma_row_aim(w, t, true, s.from, s.across, s.along);
  if (j->in_place) {
    fold_rows_in_place(w, s.from[0], s.across[0], n, first, last, to);
    return;
  }
  s.ntarget = ma_row_targets(w, t, s.to);
  for (int64_t r = first; r < last; r += RED_CHUNK) {
    int length = last - r < RED_CHUNK ? (int)(last - r) : RED_CHUNK;
    bool open = false;
    for (int i = 0, m; i < n; i += m) {
      m = n - i < j->tile ? n - i : (int)j->tile;
      if (r != first && *(uint8_t *)(to[0] + (size_t)i * size) == j->settles) continue;
      run_tile(w, t, &s, i, m, r, length, r == first, to);
      open = true;
    }
    if (!open) return;
  }
}
