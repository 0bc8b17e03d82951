/*
** segment.c: the large blocks of a pool (over 256 KiB). The backend gives segments. A request takes the free piece that
** fits best. The rest becomes a piece of its own; when a piece returns, it is joined with free neighbours of the same
** stream.
**
** Rules against fragmentation:
**  - requests of up to 16 MiB have segments of their own, so they never break up one that a large request needs;
**  - a piece is broken up only for a request of at least a quarter of it (half, while more is held than was ever in
**    use), and a broken segment is preferred to a whole one;
**  - before a new segment is allocated, whole free ones are freed if the pool would hold more than may_hold().
** A request finds its piece in constant time, through bins a sixteenth of an octave wide and a bitmap of those in use.
*/
#include "memory/pool.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

#define SEGMENT_UNIT ((size_t)2 << 20) /* the driver's granularity */

static size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

/* ==== Bins ======================================================================================================= */

static void bin_of(size_t size, int *row, int *column) {
  size_t units = size / MA_POOL_UNIT;
  int octave = units < 16 ? 0 : 60 - __builtin_clzll((unsigned long long)units); /* 16..31 units: 1 */
  *row = octave;
  *column = (int)(octave ? (units >> (octave - 1)) & 15 : units);
}

static ma_bins *bins_of(ma_pool *pool, const ma_span *span) {
  return &pool->bins[span->medium][!span->left && !span->right ? MA_SPANS_WHOLE : MA_SPANS_PART];
}

static void insert(ma_pool *pool, ma_span *span) {
  int row, column;
  ma_bins *bins = bins_of(pool, span);
  bin_of(span->size, &row, &column);
  ma_span **head = &bins->bin[row][column];
  span->free = true;
  span->prev = NULL;
  span->next = *head;
  if (*head) (*head)->prev = span;
  *head = span;
  bins->columns[row] |= (uint16_t)(1u << column);
  bins->rows |= UINT64_C(1) << row;
  pool->nfree++;
}

static void take_out(ma_pool *pool, ma_span *span) {
  int row, column;
  ma_bins *bins = bins_of(pool, span);
  bin_of(span->size, &row, &column);
  if (span->next) span->next->prev = span->prev;
  if (span->prev) span->prev->next = span->next;
  else bins->bin[row][column] = span->next;
  if (!bins->bin[row][column] && !(bins->columns[row] &= (uint16_t) ~(1u << column)))
    bins->rows &= ~(UINT64_C(1) << row);
  span->free = false;
  pool->nfree--;
}

/* The first bin that is not empty, from this one on. */
static ma_span *first_from(const ma_bins *bins, int row, int column) {
  unsigned columns = column < 16 ? bins->columns[row] & (0xffffu << column) : 0;
  if (!columns) {
    uint64_t rows = bins->rows & (~UINT64_C(0) << row << 1);
    if (!rows) return NULL;
    row = __builtin_ctzll(rows);
    columns = bins->columns[row];
  }
  return bins->bin[row][__builtin_ctz(columns)];
}

/* The smallest piece of one bin that fits. A piece for which work on the hinted stream need not wait is preferred. */
static ma_span *best_of(ma_span *span, size_t size, const ma_stream *hint) {
  ma_span *best = NULL;
  bool suits = false;
  for (int n = 0; span && n < TUNE_SEGMENT_LOOK; span = span->next, n++) {
    if (span->size < size) continue;
    bool suit = ma_marks_suit(&span->buffer.marks, hint);
    if (!best || suit > suits || (suit == suits && span->size < best->size)) {
      best = span;
      suits = suit;
    }
  }
  return best;
}

static ma_span *best_fit(const ma_bins *bins, size_t size, const ma_stream *hint) {
  int row, column;
  bin_of(size, &row, &column);
  ma_span *found = best_of(bins->bin[row][column], size, hint);
  return found ? found : best_of(first_from(bins, row, column + 1), size, hint);
}

/* The smallest, or nearly smallest, piece for which work on the hinted stream need not wait. */
static ma_span *suited_fit(const ma_bins *bins, size_t size, size_t most, const ma_stream *hint) {
  int row, column;
  bin_of(size, &row, &column);
  for (int n = 0; n < TUNE_SEGMENT_LOOK; n++) {
    ma_span *span = first_from(bins, row, column);
    if (!span) return NULL;
    for (int k = 0; span && k < TUNE_SEGMENT_LOOK; span = span->next, k++)
      if (span->size >= size && span->size <= most && ma_marks_suit(&span->buffer.marks, hint)) return span;
    span = first_from(bins, row, column);
    bin_of(span->size, &row, &column);
    column++;
  }
  return NULL;
}

/* ==== Breaking up and joining ==================================================================================== */

static void release_span(ma_buffer *buffer);

/* Cuts off what is beyond `size` of a span that is in no bin. The new span is in no bin either. Returns NULL if the
** rest is too small, or if there is no memory for a header. */
static ma_span *cut(ma_pool *pool, ma_span *span, size_t size) {
  size_t rest = span->size - size;
  if (rest < MA_POOL_UNIT || rest < size / 16) return NULL;
  ma_span *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->buffer = (ma_buffer){ .device = pool->device,
                              .ptr = (char *)span->buffer.ptr + size,
                              .release = release_span,
                              .owner = pool,
                              .marks = span->buffer.marks };
  made->medium = span->medium;
  made->size = rest;
  made->left = span;
  made->right = span->right;
  if (made->right) made->right->left = made;
  span->right = made;
  span->size = size;
  return made;
}

/* Joins `left` with its right neighbour; both are in no bin. */
static ma_span *join(ma_span *left) {
  ma_span *right = left->right;
  ma_marks *into = &left->buffer.marks;
  const ma_marks *from = &right->buffer.marks;
  if (from->nreader || (from->writer && from->writer != into->writer)) ma_marks_merge(into, from);
  left->size += right->size;
  left->right = right->right;
  if (left->right) left->right->left = left;
  free(right);
  return left;
}

/* Whether both were last used by the same stream, or by none: then a user of the joined span waits for nobody else. */
static bool alike(const ma_span *a, const ma_span *b) {
  const ma_marks *x = &a->buffer.marks, *y = &b->buffer.marks;
  return !x->nreader && !y->nreader && x->writer == y->writer;
}

/* Puts a free span into its bin, joined with free neighbours of the same stream. Neighbours of other streams stay
** apart: work on one stream would wait for unrelated work on another. */
static void put_back(ma_pool *pool, ma_span *span) {
  if (span->left && span->left->free && alike(span->left, span)) {
    take_out(pool, span->left);
    span = join(span->left);
  }
  if (span->right && span->right->free && alike(span, span->right)) {
    take_out(pool, span->right);
    span = join(span);
  }
  insert(pool, span);
}

static ma_span *find_unjoined(const ma_bins *bins) {
  for (uint64_t rows = bins->rows; rows; rows &= rows - 1)
    for (int row = __builtin_ctzll(rows), column = 0; column < 16; column++)
      for (ma_span *span = bins->bin[row][column]; span; span = span->next)
        if (span->right && span->right->free) return span;
  return NULL;
}

/* Joins free neighbours of any streams, when memory is short. */
static void join_all(ma_pool *pool) {
  for (int k = 0; k < 2 * MA_NSPANS; k++)
    for (ma_span *span; (span = find_unjoined(&pool->bins[k / MA_NSPANS][k % MA_NSPANS]));) {
      take_out(pool, span);
      take_out(pool, span->right);
      insert(pool, join(span));
    }
}

/* Frees a header whose memory was lost. */
static void forget(ma_span *span) {
  if (span->left) span->left->right = span->right;
  if (span->right) span->right->left = span->left;
  free(span);
}

void ma_span_forget(ma_pool *pool) {
  for (int k = 0; k < 2 * MA_NSPANS; k++) {
    ma_bins *bins = &pool->bins[k / MA_NSPANS][k % MA_NSPANS];
    for (int at = 0; at < MA_POOL_NROW * 16; at++)
      for (ma_span *span = bins->bin[at / 16][at % 16], *next; span; span = next) {
        next = span->next;
        forget(span);
      }
    memset(bins, 0, sizeof *bins);
  }
}

static void release_span(ma_buffer *buffer) {
  ma_span *span = (ma_span *)buffer;
  ma_pool *pool = buffer->owner;
  pthread_mutex_lock(&pool->lock);
  if (__builtin_expect(ma_pool_is_stale(pool, buffer), 0)) {
    forget(span);
    ma_pool_unlock(pool);
    return;
  }
  ma_pool_returned(pool, buffer, span->size);
  put_back(pool, span);
  if (pool->reserved - pool->used > pool->keep) ma_span_trim(pool, pool->reserved - pool->used - pool->keep);
  ma_pool_unlock(pool);
}

void ma_span_shrink(ma_buffer *buffer, size_t nbytes) {
  ma_span *span = (ma_span *)buffer;
  ma_pool *pool = buffer->owner;
  ma_span *rest = cut(pool, span, round_up(nbytes ? nbytes : 1, MA_POOL_UNIT));
  if (rest) put_back(pool, rest);
}

size_t ma_span_size(const ma_buffer *buffer) { return ((const ma_span *)buffer)->size; }

bool ma_span_owns(const ma_buffer *buffer) { return buffer->release == release_span; }

/* ==== Giving back ================================================================================================ */

static ma_span *largest(const ma_bins *bins) {
  if (!bins->rows) return NULL;
  int row = 63 - __builtin_clzll(bins->rows);
  return bins->bin[row][31 - __builtin_clz(bins->columns[row])];
}

bool ma_span_trim(ma_pool *pool, size_t nbytes) {
  bool any = false;
  join_all(pool);
  for (size_t given = 0; given < nbytes; any = true) {
    const ma_bins *large = &pool->bins[0][MA_SPANS_WHOLE], *medium = &pool->bins[1][MA_SPANS_WHOLE];
    size_t want = round_up(nbytes - given < SIZE_MAX / 4 ? nbytes - given : SIZE_MAX / 4, MA_POOL_UNIT);
    ma_span *span = best_fit(medium, want, NULL);
    if (!span) span = best_fit(large, want, NULL);
    if (!span) span = largest(large);
    if (!span) span = largest(medium);
    if (!span) break;
    take_out(pool, span);
    given += span->size;
    ma_pool_unreserve(pool, span->size, span->buffer.ptr);
    free(span);
  }
  return any;
}

/* ==== Handing out ================================================================================================ */

static ma_span *take_suited(ma_pool *pool, bool medium, size_t size, size_t most) {
  const ma_stream *hint = ma_pool_hint(pool->device);
  ma_span *part = suited_fit(&pool->bins[medium][MA_SPANS_PART], size, most, hint);
  ma_span *whole = suited_fit(&pool->bins[medium][MA_SPANS_WHOLE], size, most, hint);
  ma_span *span = part && (!whole || part->size <= whole->size || whole->size > size + size / 16) ? part : whole;
  if (span) take_out(pool, span);
  return span;
}

static ma_span *take_free(ma_pool *pool, bool medium, size_t size, size_t most) {
  const ma_stream *hint = ma_pool_hint(pool->device);
  ma_span *part = best_fit(&pool->bins[medium][MA_SPANS_PART], size, hint);
  ma_span *whole = best_fit(&pool->bins[medium][MA_SPANS_WHOLE], size, hint);
  ma_span *span = part && (!whole || part->size <= whole->size || whole->size > size + size / 16) ? part : whole;
  if (!span || span->size > most) return NULL;
  take_out(pool, span);
  return span;
}

/* The size of the largest piece that this request may break up. */
static size_t may_break(const ma_pool *pool, bool medium, size_t size) {
  return medium                                                       ? TUNE_MIB(TUNE_SEGMENT_MOST)
         : pool->reserved > pool->most + TUNE_MIB(TUNE_SEGMENT_SLACK) ? 2 * size
                                                                      : 4 * size;
}

/* The segment of a medium request grows with the pool, so that a small program holds little. */
static size_t segment_size(const ma_pool *pool, bool medium, size_t size) {
  size_t want = round_up(size, SEGMENT_UNIT), share = round_up(pool->used / 16, SEGMENT_UNIT);
  if (!medium || share < want) return want;
  return share < TUNE_MIB(TUNE_SEGMENT_MOST) ? share : TUNE_MIB(TUNE_SEGMENT_MOST);
}

/* Takes any free piece, however large, before the pool holds more than it should or runs out of memory. */
static ma_span *take_any(ma_pool *pool, bool medium, size_t size) {
  ma_span *span = take_free(pool, medium, size, SIZE_MAX);
  return span ? span : take_free(pool, !medium, size, SIZE_MAX);
}

/* How many bytes the pool may hold: an eighth more than the most that was in use. With several streams it is half more
** and a little, so that each has pieces of its own. */
static size_t may_hold(const ma_pool *pool, size_t size) {
  size_t most = pool->most > pool->used + size ? pool->most : pool->used + size;
  return ma_stream_live() ? most + most / 2 + 2 * TUNE_MIB(TUNE_SEGMENT_SLACK) : most + most / 8;
}

static ma_status new_span(ma_pool *pool, bool medium, size_t size, ma_span **result) {
  size_t whole = segment_size(pool, medium, size), may = may_hold(pool, size);
  if (pool->reserved + whole > may) {
    join_all(pool);
    if ((*result = take_free(pool, medium, size, may_break(pool, medium, size)))) return MA_OK;
    ma_span_trim(pool, pool->reserved + whole - may);
  }
  if (pool->reserved + whole > may + TUNE_MIB(TUNE_SEGMENT_SLACK) && (*result = take_any(pool, medium, size)))
    return MA_OK;
  ma_span *span = calloc(1, sizeof *span);
  if (!span) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a block's header");
  span->buffer.device = pool->device;
  span->buffer.release = release_span;
  span->buffer.owner = pool;
  span->medium = medium;
  span->size = whole;
  ma_status status = ma_pool_reserve(pool, whole, &span->buffer.ptr);
  if (status == MA_ERR_MEMORY && whole > round_up(size, SEGMENT_UNIT))
    status = ma_pool_reserve(pool, span->size = round_up(size, SEGMENT_UNIT), &span->buffer.ptr);
  if (status == MA_ERR_MEMORY && span->size > size) /* a limit may leave less than a unit */
    status = ma_pool_reserve(pool, span->size = size, &span->buffer.ptr);
  if (status == MA_OK) *result = span;
  else free(span);
  return status;
}

ma_status ma_span_take(ma_pool *pool, size_t nbytes, ma_buffer **buffer) {
  if (nbytes > SIZE_MAX / 16)
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes are more than any device has", nbytes);
  size_t size = round_up(nbytes, MA_POOL_UNIT);
  bool medium = nbytes <= MA_POOL_MEDIUM;
  ma_span *span = take_suited(pool, medium, size, may_break(pool, medium, size));
  /* Waiting is better than holding more. */
  if (!span && pool->reserved + segment_size(pool, medium, size) > may_hold(pool, size))
    span = take_free(pool, medium, size, may_break(pool, medium, size));
  if (!span) {
    ma_status status = new_span(pool, medium, size, &span);
    if (status == MA_ERR_MEMORY) span = take_any(pool, medium, size);
    if (!span) return status;
  }
  ma_span *rest = cut(pool, span, size); /* if there is no header for the rest, the request gets the whole span */
  if (rest) insert(pool, rest);
  ma_pool_taken(pool, &span->buffer, nbytes, span->size);
  *buffer = &span->buffer;
  return MA_OK;
}
