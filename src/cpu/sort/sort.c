/*
** sort.c: sorts rows of elements on the CPU. Elements are converted to unsigned numbers (rows.h), which are sorted
** (numbers.c) and converted back. Of a long row in which few places matter, most elements go straight to their side of
** two numbers between which these places are, and only the others are kept as numbers. If positions are wanted, a
** number has its place in the row below it: this makes the sort stable. Numbers that leave no room for places lose
** bits; those that are the same then are rows again.
*/
#include "cpu/map/wider.h"
#include "cpu/sort/rows.h"
#include "backend/sort.h"
#include "cpu/cpu.h"
#include "cpu/submit.h"
#include "tuning.h"

typedef struct row {
  const ma_sort_loops *loops;
  int size, threads;
  int64_t n;
  const char *from;
  char *to;
  int64_t *positions;
  const int64_t *place; /* that matters, of `nplace`; 0: all */
  int nplace;
} row;

static ma_status memory_for(int64_t n, size_t size, ma_buffer **memory) {
  return ma_buffer_new(ma_device_cpu(), (size_t)(n + 2 * MA_SORT_PAD) * size, memory);
}

/* ==== Values ====================================================================================================== */

typedef struct values {
  const row *r;
  int width; /* bytes of a number */
  char *numbers;
  bool odd; /* atomic: some number converts back to another element */
} values;

static ma_status read_values(void *context, int64_t first, int64_t last) {
  values *v = context;
  if (v->r->loops->numbers(v->r->from + first * v->r->size, last - first, v->numbers + first * v->width))
    __atomic_store_n(&v->odd, true, __ATOMIC_RELAXED);
  return MA_OK;
}

static ma_status write_values(void *context, int64_t first, int64_t last) {
  const values *v = context;
  v->r->loops->elements(v->numbers + first * v->width, last - first, v->r->to + first * v->r->size);
  return MA_OK;
}

static ma_status over_threads(const row *r, ma_range_function *fn, void *context) {
  return r->threads > 1 ? ma_cpu_parallel(r->n, TUNE_THREAD_STEPS, fn, context) : fn(context, 0, r->n);
}

/* Sorts the numbers of the row's elements, which lie at `numbers`. */
static ma_status sort_numbers(values *v, char *numbers, char *room) {
  const row *r = v->r;
  ma_numbers x = { v->width, r->n, numbers, room, r->place, r->nplace };
  v->numbers = numbers;
  MA_TRY(over_threads(r, read_values, v));
  MA_TRY(ma_cpu_sort_numbers(&x, r->threads));
  v->numbers = x.at;
  return MA_OK;
}

static ma_status finish_values(values *v) {
  const row *r = v->r;
  ma_buffer *copy = NULL;
  if (v->odd && r->to == r->from) {
    MA_TRY(memory_for(r->n, (size_t)r->size, &copy));
    memcpy(copy->ptr, r->from, (size_t)(r->n * r->size));
  }
  ma_status status = over_threads(r, write_values, v);
  if (v->odd) r->loops->restore(copy ? copy->ptr : r->from, r->to, r->n);
  if (copy) ma_buffer_release(copy);
  return status;
}

static ma_status sort_values(const row *r) {
  values v = { .r = r, .width = r->size == 8 ? 8 : 4 };
  if (r->n <= TUNE_SORT_STACK) {
    _Alignas(MA_ALIGN) uint64_t few[TUNE_SORT_STACK + MA_SORT_PAD];
    MA_TRY(sort_numbers(&v, (char *)few, NULL));
    return finish_values(&v);
  }
  bool in_result = r->to != r->from && r->size == v.width; /* the result's memory is room enough then */
  int64_t padded = (r->n + MA_SORT_PAD - 1) / MA_SORT_PAD * MA_SORT_PAD;
  ma_buffer *memory;
  MA_TRY(memory_for(in_result ? padded : 2 * padded, (size_t)v.width, &memory));
  char *numbers = memory->ptr;
  ma_status status = sort_numbers(&v, numbers, in_result ? r->to : numbers + padded * v.width);
  if (status == MA_OK) status = finish_values(&v);
  ma_buffer_release(memory);
  return status;
}

/* ==== Positions =================================================================================================== */

typedef struct places {
  const row *r;
  bool rest; /* by the second part of complex128 */
  uint64_t low;
  int shift, bits;
  uint64_t *numbers;
  int64_t *positions;
} places;

static ma_status read_places(void *context, int64_t first, int64_t last) {
  const places *p = context;
  p->r->loops->places(p->r->from + first * p->r->size, last - first, p->rest, p->low, p->shift, p->bits, first,
                      p->numbers + first);
  return MA_OK;
}

static ma_status write_places(void *context, int64_t first, int64_t last) {
  const places *p = context;
  uint64_t mask = (UINT64_C(1) << p->bits) - 1;
  for (int64_t i = first; i < last; i++) p->positions[i] = (int64_t)(p->numbers[i] & mask) + 1;
  return MA_OK;
}

static ma_status sort_positions(const row *r, bool rest, int64_t *positions);

/* Sorts m elements with the same number, which are in the order of their places. */
static ma_status sort_equal(const row *r, bool rest, uint64_t *numbers, int64_t m, int bits) {
  uint64_t few[4 * TUNE_SORT_EQUAL], mask = (UINT64_C(1) << bits) - 1;
  ma_buffer *memory = NULL;
  if (m > TUNE_SORT_EQUAL) MA_TRY(memory_for(m, 16 + (size_t)r->size, &memory));
  int64_t *at = memory ? memory->ptr : few, *order = at + m;
  row equal = { r->loops, r->size, r->threads, m, (char *)(order + m), NULL, NULL, NULL, 0 };
  for (int64_t k = 0; k < m; k++) at[k] = (int64_t)(numbers[k] & mask) + 1;
  r->loops->gather(r->from, at, m, order + m);
  ma_status status = MA_OK;
  if (r->loops->way(equal.from, m) != 1 && (status = sort_positions(&equal, rest, order)) == MA_OK)
    for (int64_t k = 0; k < m; k++) numbers[k] = (numbers[k] & ~mask) | (uint64_t)(at[order[k] - 1] - 1);
  if (memory) ma_buffer_release(memory);
  return status;
}

static ma_status sort_all_equal(const places *p) {
  const uint64_t *x = p->numbers;
  if (p->shift == 0 && (p->r->size <= 8 || p->rest)) return MA_OK;
  for (int64_t i = 0, end; i < p->r->n; i = end) {
    for (end = i + 1; end < p->r->n && x[end] >> p->bits == x[i] >> p->bits;) end++;
    if (end > i + 1) MA_TRY(sort_equal(p->r, p->rest || p->shift == 0, p->numbers + i, end - i, p->bits));
  }
  return MA_OK;
}

static ma_status sort_places(places *p, uint64_t *numbers) {
  ma_numbers x = { 8, p->r->n, p->numbers = numbers, p->positions, NULL, 0 };
  MA_TRY(over_threads(p->r, read_places, p));
  MA_TRY(ma_cpu_sort_numbers(&x, p->r->threads));
  p->numbers = x.at;
  MA_TRY(sort_all_equal(p));
  return over_threads(p->r, write_places, p);
}

static ma_status sort_positions(const row *r, bool rest, int64_t *positions) {
  places p = { .r = r, .rest = rest, .bits = bits_of((uint64_t)r->n - 1), .positions = positions };
  uint64_t span[2] = { 0, UINT32_MAX };
  if (r->size > 4) r->loops->span(r->from, r->n, rest, span);
  if (span[0] == span[1] && r->size > 8 && !rest) return sort_positions(r, true, positions);
  int bits = bits_of(span[1] - span[0]) + p.bits;
  p.low = span[0];
  p.shift = bits > 64 ? bits - 64 : 0;
  if (r->n <= TUNE_SORT_STACK) {
    _Alignas(MA_ALIGN) uint64_t few[TUNE_SORT_STACK + MA_SORT_PAD];
    return sort_places(&p, few);
  }
  ma_buffer *memory;
  MA_TRY(memory_for(r->n, sizeof(uint64_t), &memory));
  ma_status status = sort_places(&p, memory->ptr);
  ma_buffer_release(memory);
  return status;
}

static ma_status sort_both(const row *r) {
  ma_buffer *positions = NULL, *copy = NULL;
  ma_status status = r->positions ? MA_OK : memory_for(r->n, sizeof(int64_t), &positions);
  int64_t *at = r->positions ? r->positions : positions ? positions->ptr : NULL;
  if (status == MA_OK) status = sort_positions(r, false, at);
  if (status == MA_OK && r->to && r->to == r->from) status = memory_for(r->n, (size_t)r->size, &copy);
  if (status == MA_OK && r->to)
    r->loops->gather(copy ? memcpy(copy->ptr, r->from, (size_t)(r->n * r->size)) : r->from, at, r->n, r->to);
  if (positions) ma_buffer_release(positions);
  if (copy) ma_buffer_release(copy);
  return status;
}

/* ==== Few places ================================================================================================== */

/* Moves elements of a row to three sides of two numbers: below the first, between them, above the second. They are
** counted, then moved, block by block. Only those between are kept as numbers. */
typedef struct sides {
  const row *r;
  const ma_network *network;
  int width; /* bytes of a number */
  bool odd;  /* atomic: some number converts back to another element */
  uint64_t two[2];
  char *middle; /* the numbers between */
  int64_t chunk;
  void (*work)(struct sides *, int64_t *, int64_t, int, void *);
  int64_t next[TUNE_SORT_CHUNKS][3]; /* by chunk and side: elements, then where the next one goes */
} sides;

#define SIDES(suffix, T)                                                                            \
  FOR_AVX512 static void count_##suffix(const T *x, int m, const uint64_t two[2], int64_t *count) { \
    T low = (T)two[0], high = (T)two[1], below = 0, above = 0;                                      \
    for (int i = 0; i < m; i++) below += x[i]<low, above += x[i]> high;                             \
    count[0] += (int64_t)below;                                                                     \
    count[1] += m - (int64_t)(below + above);                                                       \
    count[2] += (int64_t)above;                                                                     \
  }                                                                                                 \
  static void sides_##suffix(const T *x, int m, uint64_t pivot, uint8_t *side) {                    \
    for (int i = 0; i < m; i++) side[i] = (uint8_t)((x[i] >= (T)pivot) + (x[i] > (T)pivot));        \
  }
SIDES(narrow, uint32_t)
SIDES(wide, uint64_t)
#undef SIDES

static uint64_t number_of(const sides *s, const void *numbers, int64_t k) {
  return s->width == 4 ? ((const uint32_t *)numbers)[k] : ((const uint64_t *)numbers)[k];
}

static void count_block(sides *s, int64_t *count, int64_t i, int m, void *numbers) {
  if (s->width == 4) count_narrow(numbers, m, s->two, count);
  else count_wide(numbers, m, s->two, count);
}

static void move_block(sides *s, int64_t *next, int64_t i, int m, void *numbers) {
  _Alignas(MA_ALIGN) uint64_t between[TUNE_SORT_BLOCK + MA_SORT_PAD], above[TUNE_SORT_BLOCK + MA_SORT_PAD];
  int64_t count[3];
  s->network->split(numbers, m, s->two, (void *[]){ numbers, between, above }, count);
  next[2] -= count[2];
  memcpy(s->middle + next[1] * s->width, between, (size_t)(count[1] * s->width));
  if (s->r->to) s->r->loops->elements(numbers, count[0], s->r->to + next[0] * s->r->size);
  if (s->r->to) s->r->loops->elements(above, count[2], s->r->to + next[2] * s->r->size);
  next[0] += count[0];
  next[1] += count[1];
}

static void write_positions(sides *s, int64_t *next, int64_t i, int m, void *numbers) {
  uint8_t side[TUNE_SORT_BLOCK];
  int64_t part[3][TUNE_SORT_BLOCK + 1];
  int n[3] = { 0, 0, 0 };
  if (s->width == 4) sides_narrow(numbers, m, s->two[0], side);
  else sides_wide(numbers, m, s->two[0], side);
  for (int k = 0; k < m; k++) {
    part[0][n[0]] = part[2][n[2]] = i + k + 1;
    n[0] += side[k] == 0;
    n[2] += side[k] == 2;
  }
  for (int k = 0; n[0] + n[1] + n[2] < m; k++)
    if (side[k] == 1) part[1][n[1]++] = i + k + 1;
  for (int p = 0; p < 3; p++) {
    memcpy(s->r->positions + next[p], part[p], (size_t)n[p] * sizeof **part);
    next[p] += n[p];
  }
}

static ma_status work_chunks(void *context, int64_t first, int64_t last) {
  sides *s = context;
  _Alignas(MA_ALIGN) uint64_t numbers[TUNE_SORT_BLOCK];
  bool odd = false;
  for (int64_t c = first; c < last; c++)
    for (int64_t i = c * s->chunk, end = i + s->chunk < s->r->n ? i + s->chunk : s->r->n; i < end;
         i += TUNE_SORT_BLOCK) {
      int m = end - i < TUNE_SORT_BLOCK ? (int)(end - i) : TUNE_SORT_BLOCK;
      odd |= s->r->loops->numbers(s->r->from + i * s->r->size, m, numbers);
      s->work(s, s->next[c], i, m, numbers);
    }
  if (odd) __atomic_store_n(&s->odd, true, __ATOMIC_RELAXED);
  return MA_OK;
}

static ma_status work_all(sides *s, void (*work)(sides *, int64_t *, int64_t, int, void *)) {
  s->work = work;
  return ma_cpu_parallel((s->r->n + s->chunk - 1) / s->chunk, 1, work_chunks, s);
}

static int64_t chunks_of(const sides *s) { return (s->r->n + s->chunk - 1) / s->chunk; }

/* Counts the sides of all chunks, and computes where they go. Returns how many elements are below, and how many are not
** above. */
static ma_status count_sides(sides *s, int64_t ends[2]) {
  int64_t at = 0;
  memset(s->next, 0, sizeof s->next);
  MA_TRY(work_all(s, count_block));
  for (int p = 0; p < 3; p++) {
    for (int64_t c = 0; c < chunks_of(s); c++) {
      int64_t count = s->next[c][p];
      s->next[c][p] = at;
      at += count;
    }
    if (p < 2) ends[p] = at;
  }
  return MA_OK;
}

/* Moves the elements below and above to their sides of the result, if there is one. The others go to s->middle as
** numbers, which has room for all. If there is one chunk, nothing was counted. */
static ma_status move_sides(sides *s, int64_t ends[2]) {
  int64_t nchunk = chunks_of(s);
  ends[0] = 0;
  if (nchunk > 1) MA_TRY(count_sides(s, ends));
  for (int64_t c = 0; c < nchunk; c++) {
    s->next[c][1] = nchunk > 1 ? s->next[c][1] - ends[0] : 0;
    s->next[c][2] = c + 1 < nchunk ? s->next[c + 1][2] : s->r->n; /* this side is filled downwards */
  }
  if (nchunk == 1) s->next[0][0] = 0;
  MA_TRY(work_all(s, move_block));
  ends[0] = s->next[nchunk - 1][0];
  ends[1] = ends[0] + s->next[nchunk - 1][1];
  return MA_OK;
}

/* Chooses two numbers between which all places that matter, from `first` to `last`, are almost surely. */
static void choose_sides(sides *s, int64_t first, int64_t last) {
  _Alignas(MA_ALIGN) uint64_t numbers[TUNE_SORT_SAMPLE], elements[TUNE_SORT_SAMPLE];
  int64_t positions[TUNE_SORT_SAMPLE], n = ma_sort_sample(s->r->n);
  uint64_t chance = (uint64_t)s->r->n;
  for (int64_t k = 0; k < n; k++) positions[k] = ma_sort_chance(&chance, s->r->n) + 1;
  s->r->loops->gather(s->r->from, positions, n, elements);
  s->r->loops->numbers(elements, n, numbers);
  ma_cpu_sort_between(s->width, numbers, s->r->n, first, last, s->two);
}

/* Brings the numbers in s->middle to the places that matter. */
static ma_status sort_middle(sides *s, const int64_t ends[2]) {
  int64_t n = ends[1] - ends[0], place[MA_SORT_RANKS];
  ma_buffer *room;
  if (s->two[0] == s->two[1]) return MA_OK;
  MA_TRY(memory_for(2 * n, (size_t)s->width, &room));
  for (int k = 0; k < s->r->nplace; k++) place[k] = s->r->place[k] - ends[0];
  ma_numbers x = { s->width, n, s->middle, room->ptr, place, s->r->nplace };
  ma_status status = ma_cpu_sort_numbers(&x, s->r->threads);
  ma_buffer_release(room);
  return status;
}

/* Moves elements to their sides. Those between become numbers in `memory`, and each place that matters gets its own. */
static ma_status part_sides(sides *s, ma_buffer **memory, int64_t ends[2]) {
  const row *r = s->r;
  int64_t first = r->place[0], last = first;
  for (int k = 1; k < r->nplace; k++) {
    first = r->place[k] < first ? r->place[k] : first;
    /* put_greatest takes care of the last place. */
    if (r->place[k] < r->n - 1) last = r->place[k] > last ? r->place[k] : last;
  }
  choose_sides(s, first, last);
  MA_TRY(memory_for(r->n, (size_t)s->width, memory));
  s->middle = (*memory)->ptr;
  MA_TRY(move_sides(s, ends));
  if (first < ends[0] || last >= ends[1]) {
    s->two[0] = 0;
    s->two[1] = UINT64_MAX >> (64 - 8 * s->width);
    MA_TRY(move_sides(s, ends));
  }
  return sort_middle(s, ends);
}

static sides sides_of(const row *r) {
  int64_t nchunk = r->threads > 1 ? r->n / TUNE_THREAD_FAR : 1;
  nchunk = nchunk < 1 ? 1 : nchunk > TUNE_SORT_CHUNKS ? TUNE_SORT_CHUNKS : nchunk;
  int width = r->size == 8 ? 8 : 4;
  return (sides){ .r = r, .network = ma_cpu_network(width), .width = width, .chunk = (r->n + nchunk - 1) / nchunk };
}

/* Swaps the greatest of n elements with the last one. Medians ask for it, because it is NaN if there is one. */
static void put_greatest(sides *s, char *x, int64_t n) {
  _Alignas(MA_ALIGN) uint64_t numbers[TUNE_SORT_BLOCK];
  int64_t size = s->r->size;
  s->r->loops->span(x, n, false, s->two);
  s->two[0] = s->two[1];
  for (int64_t i = 0; i < n; i += TUNE_SORT_BLOCK) {
    int64_t count[3] = { 0, 0, 0 }, m = n - i < TUNE_SORT_BLOCK ? n - i : TUNE_SORT_BLOCK;
    s->r->loops->numbers(x + i * size, m, numbers);
    count_block(s, count, i, (int)m, numbers);
    if (count[1] == 0) continue;
    int64_t k = 0;
    while (number_of(s, numbers, k) != s->two[1]) k++;
    memcpy(numbers, x + (i + k) * size, (size_t)size);
    memmove(x + (i + k) * size, x + (n - 1) * size, (size_t)size);
    memcpy(x + (n - 1) * size, numbers, (size_t)size);
    return;
  }
}

static ma_status partition(const row *given) {
  row r = *given;
  sides s = sides_of(&r);
  ma_buffer *copy = NULL, *memory = NULL;
  if (r.to == r.from) {
    MA_TRY(memory_for(r.n, (size_t)r.size, &copy));
    r.from = memcpy(copy->ptr, r.from, (size_t)(r.n * r.size));
  }
  int64_t ends[2];
  ma_status status = part_sides(&s, &memory, ends);
  if (status == MA_OK) {
    r.loops->elements(s.middle, ends[1] - ends[0], r.to + ends[0] * r.size);
    for (int k = 0; k < r.nplace && ends[1] < r.n; k++)
      if (r.place[k] == r.n - 1) put_greatest(&s, r.to + ends[1] * r.size, r.n - ends[1]);
    if (s.odd) r.loops->restore(r.from, r.to, r.n);
  }
  if (memory) ma_buffer_release(memory);
  if (copy) ma_buffer_release(copy);
  return status;
}

/* Positions by a single place: first those of elements below the one at that place, then those of equal ones, then
** those of elements above it. Each group is in the order of the row. */
static ma_status argpartition(const row *r) {
  sides s = sides_of(r);
  ma_buffer *memory = NULL;
  int64_t ends[2];
  ma_status status = part_sides(&s, &memory, ends);
  if (status == MA_OK) {
    s.two[0] = s.two[1] = number_of(&s, s.middle, *r->place - ends[0]);
    status = count_sides(&s, ends);
  }
  if (memory) ma_buffer_release(memory);
  MA_TRY(status);
  return work_all(&s, write_positions);
}

/* ==== Rows ======================================================================================================== */

FOR_AVX512 static void write_way(int64_t *restrict positions, int64_t n, bool up) {
  for (int64_t i = 0; i < n; i++) positions[i] = up ? i + 1 : n - i;
}

/* Copes with a row that is in order already, or in reverse order without equal elements. Returns false for any
** other. */
static bool sort_ordered(const row *r) {
  /* This is quickly told, and frequent. */
  bool alike = !memcmp(r->from, r->from + r->size, (size_t)((r->n - 1) * r->size));
  int way = alike ? 1 : r->loops->way(r->from, r->n);
  if (way == 0) return false;
  if (r->to && way < 0) r->loops->reverse(r->from, r->to, r->n);
  else if (r->to && r->to != r->from) memcpy(r->to, r->from, (size_t)(r->n * r->size));
  if (r->positions) write_way(r->positions, r->n, way > 0);
  return true;
}

static ma_status sort_row(const ma_sort *s, int64_t i) {
  int size = ma_dtypes[s->dtype].itemsize;
  row r = { .loops = &ma_sort_loops_of[s->dtype],
            .size = size,
            .threads = s->rows > 1 ? 1 : ma_cpu_threads(),
            .n = s->n,
            .from = (const char *)s->from + i * s->n * size,
            .to = s->to ? (char *)s->to + i * s->n * size : NULL,
            .positions = s->positions ? s->positions + i * s->n : NULL,
            .place = s->rank,
            .nplace = s->nrank };
  if (r.n >= TUNE_SORT_PLACES && !r.to && r.nplace == 1 && r.loops->elements) return argpartition(&r);
  if (r.n >= TUNE_SORT_ORDERED && sort_ordered(&r)) return MA_OK;
  if (r.n > TUNE_SORT_STACK && !r.positions && r.nplace > 0 && r.loops->elements) return partition(&r);
  return r.positions || !r.loops->elements ? sort_both(&r) : sort_values(&r);
}

static ma_status sort_range(void *context, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; i++) MA_TRY(sort_row(context, i));
  return MA_OK;
}

static ma_status sort_now(ma_stream *stream, const void *job) {
  const ma_sort *sort = job;
  return ma_cpu_parallel(sort->rows, TUNE_THREAD_FAR / sort->n, sort_range, (void *)sort);
}

static int64_t sort_bytes(const void *job) {
  const ma_sort *s = job;
  return s->rows * s->n * (ma_dtypes[s->dtype].itemsize * (s->to ? 2 : 1) + (s->positions ? 8 : 0));
}

MA_CPU_SLOT(ma_cpu_sort_sort, ma_sort, .name = "sort", .run = sort_now, .bytes = sort_bytes)
