/*
** label.c: connected components on the CPU, by union-find over runs of true elements. Threads find the runs of strips
** of rows and join those that touch within a strip; then the strips are joined at their edges. A component's root is
** its first run, so that numbering the roots in order numbers the components.
*/
#include "cpu/cpu.h"
#include "cpu/ndimage/morphology.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

typedef struct labels {
  const ma_label *l;
  int64_t n, rows;
  int64_t strip, nstrip; /* rows of a strip, number of strips */
  int64_t *start;        /* by row: its first run; one more at the end */
  uint32_t *edge;        /* by run: its first element and the one behind its last */
  int32_t *parent;       /* by run: a run before it of the same component, or itself; at last the component's number */
  uint8_t *hit;          /* by component: for a flood, whether it has a seed */
} labels;

/* ==== Runs ======================================================================================================= */

static int64_t count_runs(const labels *w, int64_t row) {
  const uint8_t *x = w->l->from;
  int64_t count = 0;
  if (!x) return w->l->joined ? 1 : w->n;
  x += row * w->n;
  if (!w->l->joined) {
    for (int64_t i = 0; i < w->n; i++) count += x[i] != 0;
    return count;
  }
  count = x[0] != 0;
  for (int64_t i = 1; i < w->n; i++) count += (x[i] != 0) & (x[i - 1] == 0);
  return count;
}

static void find_runs(const labels *w, int64_t row) {
  const uint8_t *x = w->l->from;
  uint32_t *edge = w->edge + 2 * w->start[row], n = (uint32_t)w->n;
  if (!x) {
    if (w->l->joined) edge[0] = 0, edge[1] = n;
    else
      for (uint32_t i = 0; i < n; i++) edge[2 * i] = i, edge[2 * i + 1] = i + 1;
    return;
  }
  const uint32_t *end = w->edge + 2 * w->start[row + 1];
  x += row * w->n;
  if (w->l->joined) {
    uint8_t last = 0;
    for (uint32_t i = 0; i < n && edge < end; i++) { /* writes the place of each change */
      uint8_t now = x[i] != 0;
      *edge = i;
      edge += now ^ last;
      last = now;
    }
    if (edge < end) *edge = n;
    return;
  }
  for (uint32_t i = 0; i < n && edge < end; i++) {
    edge[0] = i;
    edge[1] = i + 1;
    edge += 2 * (x[i] != 0);
  }
}

static ma_status count_range(void *context, int64_t first, int64_t last) {
  labels *w = context;
  for (int64_t row = first; row < last; row++) w->start[row + 1] = count_runs(w, row);
  return MA_OK;
}

/* ==== Joining ==================================================================================================== */

static int32_t root_of(int32_t *parent, int32_t run) {
  while (parent[run] != run) run = parent[run] = parent[parent[run]];
  return run;
}

static void join(int32_t *parent, int32_t a, int32_t b) {
  a = root_of(parent, a);
  b = root_of(parent, b);
  if (a < b) parent[b] = a;
  else parent[a] = b;
}

/* Joins the runs of a row with those of another that lie between `lo` before and `hi` behind their elements. */
static void join_rows(labels *w, int64_t row, int64_t other, int lo, int hi) {
  int64_t from = w->start[other], end = w->start[other + 1];
  for (int64_t run = w->start[row]; run < w->start[row + 1]; run++) {
    int64_t first = (int64_t)w->edge[2 * run] + lo, last = (int64_t)w->edge[2 * run + 1] + hi;
    while (from < end && w->edge[2 * from + 1] <= first) from++;
    for (int64_t k = from; k < end && w->edge[2 * k] < last; k++) join(w->parent, (int32_t)run, (int32_t)k);
  }
}

/* Joins a row with rows before it that the structure reaches: with those from the row `least` on, or if `before` with
** those in front of it. */
static void join_row(labels *w, int64_t row, int64_t least, bool before) {
  const ma_picture *image = &w->l->image;
  int64_t place[MA_MAX_NDIM];
  ma_picture_place(image, row, place);
  for (int64_t k = 0; k < w->l->nlink; k++) {
    const int32_t *link = w->l->links + k * image->ndim;
    int reach = link[image->ndim - 1];
    int64_t other = ma_picture_other(image, place, link);
    if (other < 0 || (other < least) != before) continue;
    if (reach == 5) { /* the columns before and behind are joined, but not the one between */
      join_rows(w, row, other, -1, -1);
      join_rows(w, row, other, 1, 1);
    } else join_rows(w, row, other, reach & 1 ? -1 : reach & 2 ? 0 : 1, reach & 4 ? 1 : reach & 2 ? 0 : -1);
  }
}

static ma_status join_strips(void *context, int64_t from, int64_t to) {
  labels *w = context;
  for (int64_t s = from; s < to; s++) {
    int64_t first = s * w->strip, last = first + w->strip < w->rows ? first + w->strip : w->rows;
    for (int64_t run = w->start[first]; run < w->start[last]; run++) w->parent[run] = (int32_t)run;
    for (int64_t row = first; row < last; row++) {
      find_runs(w, row);
      join_row(w, row, first, false);
    }
  }
  return MA_OK;
}

/* How many rows a link leads back at most. */
static int64_t furthest(const labels *w) {
  const ma_picture *image = &w->l->image;
  int64_t most = 0;
  for (int64_t k = 0; k < w->l->nlink; k++) {
    const int32_t *link = w->l->links + k * image->ndim;
    int64_t back = 0;
    for (int d = 0; d < image->ndim - 1; d++) back = back * image->shape[d] + link[d];
    if (-back > most) most = -back;
  }
  return most;
}

/* Joins the strips, and replaces each run's parent by its component's number. Returns the number of components. */
static int64_t number(labels *w) {
  int64_t count = 0, reach = furthest(w), nrun = w->start[w->rows];
  for (int64_t s = 1; s < w->nstrip; s++) {
    int64_t first = s * w->strip, last = first + w->strip < w->rows ? first + w->strip : w->rows;
    for (int64_t row = first; row < last && row < first + reach; row++) join_row(w, row, first, true);
  }
  for (int64_t run = 0; run < nrun; run++) {
    int32_t parent = w->parent[run];
    w->parent[run] = parent == run ? (int32_t)++count : w->parent[parent];
  }
  return count;
}

/* Finds the components; the caller frees *memory. */
static ma_status find_components(ma_stream *stream, labels *w, ma_buffer **memory, ma_buffer **runs, int64_t *count) {
  int64_t rows = w->rows, strips = 4 * (int64_t)ma_cpu_threads();
  if (w->n > UINT32_MAX) return ma_fail(MA_ERR_VALUE, "a row of %lld elements; at most 2^32 - 1", (long long)w->n);
  MA_TRY(ma_buffer_new(stream->device, (size_t)(rows + 1) * sizeof *w->start, memory));
  w->start = (*memory)->ptr;
  w->start[0] = 0;
  MA_TRY(ma_cpu_parallel(rows, TUNE_THREAD_STEPS / w->n + 1, count_range, w));
  for (int64_t row = 0; row < rows; row++) w->start[row + 1] += w->start[row];
  int64_t nrun = w->start[rows];
  if (nrun >= INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld runs of elements; fewer than 2^31", (long long)nrun);
  MA_TRY(ma_buffer_new(stream->device, (size_t)(nrun + 1) * 3 * sizeof(int32_t), runs));
  w->edge = (*runs)->ptr;
  w->parent = (int32_t *)(void *)(w->edge + 2 * (nrun + 1));
  w->strip = (rows + strips - 1) / strips;
  if (w->strip * w->n < TUNE_THREAD_FAR) w->strip = rows; /* not worth a second thread */
  w->nstrip = (rows + w->strip - 1) / w->strip;
  MA_TRY(ma_cpu_parallel(w->nstrip, 1, join_strips, w));
  *count = number(w);
  return MA_OK;
}

/* ==== Labels ===================================================================================================== */

static ma_status write_range(void *context, int64_t first, int64_t last) {
  const labels *w = context;
  for (int64_t row = first; row < last; row++) {
    int32_t *narrow = (int32_t *)w->l->to + row * w->n;
    int64_t *wide = (int64_t *)w->l->to + row * w->n;
    bool is_narrow = w->l->dtype == MA_INT32;
    if (is_narrow) memset(narrow, 0, (size_t)w->n * sizeof *narrow);
    else memset(wide, 0, (size_t)w->n * sizeof *wide);
    for (int64_t run = w->start[row]; run < w->start[row + 1]; run++)
      for (uint32_t i = w->edge[2 * run]; i < w->edge[2 * run + 1]; i++)
        if (is_narrow) narrow[i] = w->parent[run];
        else wide[i] = w->parent[run];
  }
  return MA_OK;
}

static labels work_of(const ma_label *l) {
  return (labels){ .l = l, .n = ma_picture_row(&l->image), .rows = ma_picture_rows(&l->image) };
}

static ma_status label_now(ma_stream *stream, const void *job) {
  labels w = work_of(job);
  ma_buffer *memory = NULL, *runs = NULL;
  ma_status status = find_components(stream, &w, &memory, &runs, w.l->count);
  if (status == MA_OK) status = ma_cpu_parallel(w.rows, TUNE_THREAD_FAR / w.n + 1, write_range, &w);
  ma_buffer_release(memory);
  ma_buffer_release(runs);
  return status;
}

static int64_t label_bytes(const void *job) {
  const ma_label *l = job;
  return ma_picture_size(&l->image) * (1 + ma_dtypes[l->dtype].itemsize);
}

MA_CPU_SLOT(ma_cpu_morphology_label, ma_label, .name = "label", .run = label_now, .bytes = label_bytes)

/* ==== Floods ===================================================================================================== */

static ma_status seed_range(void *context, int64_t first, int64_t last) {
  const labels *w = context;
  uint8_t dry = w->l->inverted;
  for (int64_t row = first; row < last; row++) {
    const uint8_t *seed = (const uint8_t *)w->l->seed + row * w->n;
    for (int64_t run = w->start[row]; run < w->start[row + 1]; run++) {
      uint8_t any = 0;
      for (uint32_t i = w->edge[2 * run]; i < w->edge[2 * run + 1]; i++) any |= (seed[i] != 0) ^ dry;
      if (any) __atomic_store_n(&w->hit[w->parent[run]], 1, __ATOMIC_RELAXED);
    }
  }
  return MA_OK;
}

static ma_status flood_range(void *context, int64_t first, int64_t last) {
  const labels *w = context;
  uint8_t dry = w->l->inverted;
  for (int64_t row = first; row < last; row++) {
    const uint8_t *seed = (const uint8_t *)w->l->seed + row * w->n;
    uint8_t *to = (uint8_t *)w->l->to + row * w->n;
    for (int64_t i = 0; i < w->n; i++) to[i] = seed[i] != 0;
    for (int64_t run = w->start[row]; run < w->start[row + 1]; run++)
      memset(to + w->edge[2 * run], w->hit[w->parent[run]] ^ dry, w->edge[2 * run + 1] - w->edge[2 * run]);
  }
  return MA_OK;
}

static ma_status flood_now(ma_stream *stream, const void *job) {
  labels w = work_of(job);
  ma_buffer *memory = NULL, *runs = NULL, *hit = NULL;
  int64_t count = 0, grain = TUNE_THREAD_FAR / w.n + 1;
  ma_status status = find_components(stream, &w, &memory, &runs, &count);
  if (status == MA_OK) status = ma_buffer_new(stream->device, (size_t)count + 1, &hit);
  if (status == MA_OK) {
    w.hit = hit->ptr;
    memset(w.hit, 0, (size_t)count + 1);
    status = ma_cpu_parallel(w.rows, grain, seed_range, &w);
  }
  if (status == MA_OK) status = ma_cpu_parallel(w.rows, grain, flood_range, &w);
  ma_buffer_release(memory);
  ma_buffer_release(runs);
  ma_buffer_release(hit);
  return status;
}

static int64_t flood_bytes(const void *job) {
  const ma_label *l = job;
  return ma_picture_size(&l->image) * (l->from ? 3 : 2);
}

MA_CPU_SLOT(ma_cpu_morphology_flood, ma_label, .name = "flood", .run = flood_now, .bytes = flood_bytes)
