/*
** window.c: filters over windows of any shape on the CPU. The result is made row by row. A row is what lies along the
** last axis that the window reaches beyond, together with the axes behind that one; a window over one axis has rows of
** neighbours along it, or as many rows as it has taps. Source rows are converted to the arithmetic's dtype once, with
** their continuation beyond the edges, and kept while the window moves along one of the other axes (the sweep).
*/
#include "cpu/cpu.h"
#include "cpu/ndimage/ndimage.h"
#include "backend/filter.h"
#include "cpu/submit.h"
#include "kernels/ndimage/edge.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

typedef struct plan {
  const ma_window *w;
  int lead;              /* axes in front of the row */
  int sweep;             /* the one of them that the kept rows move along; -1: none */
  int64_t last;          /* positions along the row's own axis */
  int64_t inner;         /* elements of each of them */
  int64_t row;           /* last * inner */
  int64_t before, after; /* elements that a window needs on both sides of a row */
  int64_t lowest, span;  /* the least distance along the sweep, and the number of distances from there on */
  int64_t steps;         /* positions along the sweep */
  int64_t others;        /* rows of the result over the other leading axes */
  int ngroup;            /* sets of distances along these */
  const int32_t **group; /* the offsets of a tap of each */
  int *tap_group;        /* of each tap */
  int64_t *tap_step;     /* its distance along the sweep, from `lowest` */
  int64_t *tap_shift;    /* its distance in a row, in elements */
  int64_t chunk, chunks, pitch;
  bool in_place; /* rows are used where they lie */
  size_t size, from_size, to_size;
  ma_row_loop *load, *store; /* store NULL: results are written where they belong */
  ma_window_loop *loop;
  ma_network *network;
} plan;

/* ==== Planning =================================================================================================== */

/* Whether two taps differ only along the sweep and in the row. */
static bool same_group(const plan *p, const int32_t *a, const int32_t *b) {
  for (int d = 0; d < p->lead; d++)
    if (d != p->sweep && a[d] != b[d]) return false;
  return true;
}

static ma_status plan_taps(plan *p) {
  const ma_window *w = p->w;
  size_t n = (size_t)w->ntap;
  p->group = malloc(n * sizeof *p->group);
  p->tap_group = malloc(n * sizeof *p->tap_group);
  p->tap_step = malloc(n * sizeof *p->tap_step);
  p->tap_shift = malloc(n * sizeof *p->tap_shift);
  if (!p->group || !p->tap_group || !p->tap_step || !p->tap_shift)
    return ma_fail(MA_ERR_MEMORY, "out of memory for a window of %d places", w->ntap);
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (int k = 0; k < w->ntap; k++) {
    const int32_t *offset = w->offset + (size_t)k * (size_t)w->ndim;
    int g = p->ngroup - 1; /* taps come in C order, so that a group's taps mostly follow each other */
    while (g >= 0 && !same_group(p, p->group[g], offset)) g--;
    if (g < 0) p->group[g = p->ngroup++] = offset;
    p->tap_group[k] = g;
    p->tap_step[k] = p->sweep < 0 ? 0 : offset[p->sweep];
    p->tap_shift[k] = p->lead < w->ndim ? offset[p->lead] * p->inner : 0;
    if (p->tap_step[k] < low) low = p->tap_step[k];
    if (p->tap_step[k] > high) high = p->tap_step[k];
    if (-p->tap_shift[k] > p->before) p->before = -p->tap_shift[k];
    if (p->tap_shift[k] > p->after) p->after = p->tap_shift[k];
  }
  for (int k = 0; k < w->ntap; k++) p->tap_step[k] -= low;
  p->lowest = low;
  p->span = high - low + 1;
  return MA_OK;
}

static void plan_axes(plan *p) {
  const ma_window *w = p->w;
  int last = w->ndim - 1;
  p->inner = p->last = 1;
  while (last >= 0 && !ma_window_reaches(w, last)) p->inner *= w->shape[last--];
  p->lead = last < 0 ? 0 : last; /* the row's own axis */
  if (last >= 0) {
    bool in_front = false;
    for (int d = 0; d < last; d++) in_front |= ma_window_reaches(w, d);
    /* A window along one axis that is not the last: whole rows of the axes behind it. */
    if (p->inner >= 16 && !in_front) p->lead = last + 1;
    else p->last = w->shape[last];
  }
  p->row = p->last * p->inner;
  p->sweep = p->lead - 1;
  while (p->sweep >= 0 && !ma_window_reaches(w, p->sweep)) p->sweep--;
  if (p->sweep < 0) p->sweep = p->lead - 1;
  p->steps = p->sweep < 0 ? 1 : w->shape[p->sweep];
  p->others = 1;
  for (int d = 0; d < p->lead; d++)
    if (d != p->sweep) p->others *= w->shape[d];
}

static void plan_chunks(plan *p) {
  const ma_window *w = p->w;
  int64_t rows = p->ngroup * p->span;
  p->in_place = p->before == 0 && p->after == 0 && w->from_dtype == w->compute;
  p->chunk = TUNE_WINDOW_BYTES / (int64_t)p->size / rows - p->before - p->after;
  if (p->chunk > TUNE_WINDOW_MOST) p->chunk = TUNE_WINDOW_MOST;
  if (p->chunk < TUNE_WINDOW_LEAST) p->chunk = TUNE_WINDOW_LEAST;
  if (p->chunk < 2 * (p->before + p->after)) p->chunk = 2 * (p->before + p->after);
  if (p->chunk > p->row) p->chunk = p->row;
  p->chunks = (p->row + p->chunk - 1) / p->chunk;
  p->pitch = (p->chunk + p->before + p->after + 15) / 16 * 16;
}

static void plan_free(plan *p) {
  free(p->group);
  free(p->tap_group);
  free(p->tap_step);
  free(p->tap_shift);
  free(p->network);
}

static ma_status plan_make(plan *p, const ma_window *w) {
  memset(p, 0, sizeof *p);
  p->w = w;
  p->size = ma_dtypes[w->compute].itemsize;
  p->from_size = ma_dtypes[w->from_dtype].itemsize;
  p->to_size = ma_dtypes[w->to_dtype].itemsize;
  p->load = ma_row_load(w->from_dtype, w->compute);
  p->store = w->to_dtype == w->compute ? NULL : ma_row_store(w->compute, w->to_dtype, false);
  p->loop = ma_window_find(w->op, w->compute);
  plan_axes(p);
  MA_TRY(plan_taps(p));
  plan_chunks(p);
  if (w->op == MA_FILTER_RANK && w->ntap >= 2 && w->ntap <= MA_NETWORK_MOST) {
    if (!(p->network = malloc(sizeof *p->network))) return ma_fail(MA_ERR_MEMORY, "out of memory for a network");
    ma_network_make(p->network, w->ntap, (int)w->rank);
  }
  return MA_OK;
}

/* ==== Running ==================================================================================================== */

/* A thread's rows. */
typedef struct rows {
  char *memory, *constant; /* constant: a row of cval */
  char *result, *scratch;
  int64_t *tag;      /* the step along the sweep of each kept row; INT64_MIN: none */
  const void **tap;  /* the row of each tap */
  int64_t other, c0; /* what the kept rows belong to */
  int64_t *place;    /* of each group: the row at step 0 of the sweep; -1: beyond an edge */
} rows;

static void fill(const plan *p, void *to, int64_t n) {
  double c = p->w->cval;
  if (p->w->compute == MA_FLOAT32)
    for (int64_t i = 0; i < n; i++) ((float *)to)[i] = (float)c;
  else if (p->w->compute == MA_FLOAT64)
    for (int64_t i = 0; i < n; i++) ((double *)to)[i] = c;
  else if (p->w->compute == MA_INT64)
    for (int64_t i = 0; i < n; i++) ((int64_t *)to)[i] = ma_cut64(c);
  else
    for (int64_t i = 0; i < n; i++) ((uint64_t *)to)[i] = ma_cut_u8(c);
}

/* Converts elements lo .. hi - 1 of a row, some of which lie beyond its ends. */
static void extend(const plan *p, char *to, const char *row, int64_t lo, int64_t hi) {
  int64_t from = lo < 0 ? 0 : lo, until = hi > p->row ? p->row : hi;
  if (from < until) p->load(to + (size_t)(from - lo) * p->size, row + (size_t)from * p->from_size, until - from);
  for (int64_t i = lo; i < hi; i++) {
    if (i >= 0 && i < p->row) {
      i = until - 1;
      continue;
    }
    int64_t position = i >= 0 ? i / p->inner : -((-i + p->inner - 1) / p->inner), within = i - position * p->inner;
    int64_t run = p->inner - within < hi - i ? p->inner - within : hi - i;
    int64_t place = ma_edge_place(position, p->last, p->w->mode[p->lead]);
    char *at = to + (size_t)(i - lo) * p->size;
    if (place < 0) fill(p, at, run);
    else p->load(at, row + (size_t)(place * p->inner + within) * p->from_size, run);
    i += run - 1;
  }
}

/* Finds the rows of the groups at step 0 of the sweep, for one position along the other axes. */
static void find_places(const plan *p, rows *r, int64_t other) {
  const ma_window *w = p->w;
  for (int g = 0; g < p->ngroup; g++) {
    int64_t rest = other, stride = 1, place = 0;
    for (int d = p->lead - 1; d >= 0; d--) {
      if (d != p->sweep) {
        int64_t at = ma_edge_place(rest % w->shape[d] + p->group[g][d], w->shape[d], w->mode[d]);
        rest /= w->shape[d];
        if (at < 0) place = -1;
        else if (place >= 0) place += at * stride;
      }
      stride *= w->shape[d];
    }
    r->place[g] = place;
  }
}

static int64_t sweep_stride(const plan *p) {
  int64_t stride = 1;
  for (int d = p->sweep + 1; d < p->lead; d++) stride *= p->w->shape[d];
  return stride;
}

/* The result's row at a step, without its columns. */
static int64_t result_row(const plan *p, int64_t other, int64_t step) {
  int64_t rest = other, stride = 1, place = 0;
  for (int d = p->lead - 1; d >= 0; d--) {
    if (d == p->sweep) place += step * stride;
    else {
      place += rest % p->w->shape[d] * stride;
      rest /= p->w->shape[d];
    }
    stride *= p->w->shape[d];
  }
  return place;
}

/* The row of a group at a step, which may lie beyond an edge, from column c0 - before on. */
static const char *row_at(const plan *p, rows *r, int g, int64_t step, int64_t c0, int64_t c1) {
  const ma_window *w = p->w;
  int64_t slot = g * p->span + (step % p->span + p->span) % p->span;
  char *kept = r->memory + (size_t)(slot * p->pitch) * p->size;
  if (!p->in_place && r->tag[slot] == step) return kept;
  int64_t at = p->sweep < 0 ? 0 : ma_edge_place(step, w->shape[p->sweep], w->mode[p->sweep]);
  if (at < 0 || r->place[g] < 0) return r->constant;
  const char *row = (const char *)w->from + (size_t)((r->place[g] + at * sweep_stride(p)) * p->row) * p->from_size;
  if (p->in_place) return row + (size_t)c0 * p->from_size;
  extend(p, kept, row, c0 - p->before, c1 + p->after);
  r->tag[slot] = step;
  return kept;
}

static void compute(const plan *p, rows *r, int64_t other, int64_t step, int64_t c0, int64_t c1) {
  const ma_window *w = p->w;
  if (r->other != other || r->c0 != c0) {
    for (int64_t s = 0; s < p->ngroup * p->span; s++) r->tag[s] = INT64_MIN;
    find_places(p, r, other);
    r->other = other;
    r->c0 = c0;
  }
  const char *row = NULL;
  for (int k = 0; k < w->ntap; k++) {
    if (k == 0 || p->tap_group[k] != p->tap_group[k - 1] || p->tap_step[k] != p->tap_step[k - 1])
      row = row_at(p, r, p->tap_group[k], step + p->lowest + p->tap_step[k], c0, c1);
    r->tap[k] = row + (size_t)(p->before + p->tap_shift[k]) * p->size;
  }
  char *to = (char *)w->to + (size_t)(result_row(p, other, step) * p->row + c0) * p->to_size;
  ma_taps taps = { w->ntap, r->tap, w->weight, w->symmetry, w->rank, p->network, r->scratch };
  p->loop(p->store ? r->result : to, &taps, c1 - c0);
  if (p->store) p->store(to, r->result, c1 - c0);
}

static ma_status rows_open(rows *r, const plan *p) {
  size_t count = (size_t)(p->ngroup * p->span), row = (size_t)p->pitch * p->size, taps = (size_t)p->w->ntap;
  size_t kept = p->in_place ? 0 : count * row;
  char *memory = malloc(kept + 2 * row + (count + taps + (size_t)p->ngroup) * 8 + taps * p->size);
  memset(r, 0, sizeof *r);
  if (!memory) return ma_fail(MA_ERR_MEMORY, "out of memory for the rows of a window");
  r->memory = memory;
  r->constant = memory + kept;
  r->result = r->constant + row;
  r->tag = (int64_t *)(void *)(r->result + row);
  r->tap = (const void **)(void *)(r->tag + count);
  r->place = (int64_t *)(void *)(r->tap + taps);
  r->scratch = (char *)(r->place + p->ngroup);
  r->other = -1;
  fill(p, r->constant, p->pitch);
  return MA_OK;
}

/* Runs items of work. An item is one step of the sweep; the steps are counted first, then the positions along the other
** axes, then the chunks of columns. */
static ma_status run_items(void *context, int64_t first, int64_t last) {
  const plan *p = context;
  rows r;
  MA_TRY(rows_open(&r, p));
  for (int64_t item = first; item < last; item++) {
    int64_t step = item % p->steps, rest = item / p->steps, c0 = rest / p->others * p->chunk;
    compute(p, &r, rest % p->others, step, c0, c0 + p->chunk < p->row ? c0 + p->chunk : p->row);
  }
  free(r.memory);
  return MA_OK;
}

static ma_status run_window(ma_stream *stream, const void *job) {
  plan p;
  ma_status status = plan_make(&p, job);
  if (status == MA_OK) {
    int64_t grain = TUNE_THREAD_STEPS / p.chunk, least = p.in_place ? 1 : 8 * p.span;
    if (grain < least) grain = least; /* each piece converts the rows of one window anew */
    status = ma_cpu_parallel(p.chunks * p.others * p.steps, grain, run_items, &p);
  }
  plan_free(&p);
  return status;
}

/* ==== The task =================================================================================================== */

static size_t window_size(const void *job) {
  const ma_window *w = job;
  return sizeof *w + (size_t)w->ntap * (sizeof(double) + sizeof(int32_t) * (size_t)w->ndim);
}

static void window_copy(void *to, const void *job) {
  const ma_window *w = job;
  ma_window *kept = to;
  double *weight = (double *)(void *)(kept + 1);
  int32_t *offset = (int32_t *)(void *)(weight + w->ntap);
  *kept = *w;
  memcpy(offset, w->offset, sizeof *offset * (size_t)w->ntap * (size_t)w->ndim);
  kept->offset = offset;
  if (!w->weight) return;
  memcpy(weight, w->weight, sizeof *weight * (size_t)w->ntap);
  kept->weight = weight;
}

static int64_t window_bytes(const void *job) {
  const ma_window *w = job;
  int64_t n = 1;
  for (int d = 0; d < w->ndim; d++) n *= w->shape[d];
  return n * (ma_dtypes[w->from_dtype].itemsize + ma_dtypes[w->to_dtype].itemsize);
}

MA_CPU_SLOT(ma_cpu_filter_window, ma_window, .name = "window", .run = run_window, .bytes = window_bytes,
            .size = window_size, .copy = window_copy)
