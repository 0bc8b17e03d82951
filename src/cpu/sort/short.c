/*
** short.c: sorts rows of up to some hundred thousand elements by a network (network.c). Elements are converted to
** numbers of 32 or 64 bits, less the least one of the row. If positions are wanted, the place in the row is stored
** below the number. This makes the sort stable and gives the positions. Numbers that leave no room for places lose
** bits, which is corrected afterwards.
*/
#include "cpu/sort/buckets.h"

#include <stdlib.h>
#include <string.h>

#define AT_HAND 2048     /* elements whose numbers are on the stack */
#define FEW 2048         /* elements; a longer row may be sorted by digits */
#define FEW_BITS 11      /* bits of the numbers in a row that is sorted by digits, at most */
#define LEAST_PIECE 8192 /* numbers for one thread, at least: some tens of microseconds */

typedef struct short_row {
  const ma_sort_loops *loops;
  const void *from;
  int size, n, padded;
  uint64_t low;         /* the least number */
  int bits, place_bits; /* bits of the greatest number less the least; of a place, 0 if none is wanted */
  ma_places places;
  int64_t base;
} short_row;

static bool is_narrow(const short_row *r) { return r->bits + r->place_bits <= 32 && r->size <= 8; }

/* A sort that threads share: pieces are sorted and then merged. */
typedef struct share {
  void (*sort)(void *, int, int);
  char *numbers;
  int size, n, piece;
} share;

static ma_status sort_pieces(void *context, int64_t first, int64_t last) {
  const share *s = context;
  for (int64_t k = first; k < last; k++) {
    int64_t at = k * s->piece;
    s->sort(s->numbers + at * s->size, s->n - at < s->piece ? (int)(s->n - at) : s->piece, 0);
  }
  return MA_OK;
}

/* Sorts only what is near the places that matter; false: this machine cannot. */
static bool select_numbers(const short_row *r, const ma_number_sort *by, void *numbers) {
  ma_buffer *room = NULL;
  if (!by->select || r->places.n == 0 || r->n <= FEW) return false;
  if (ma_buffer_new(ma_device_cpu(), (size_t)(r->n + MA_SELECT_ROOM) * (size_t)by->size, &room) != MA_OK) return false;
  by->select(numbers, r->n, room->ptr, &r->places, r->base);
  ma_buffer_release(room);
  return true;
}

static void sort_numbers(const short_row *r, const ma_network *network, void *numbers, bool narrow) {
  const ma_number_sort *by = narrow ? &network->narrow : &network->wide;
  share s = { by->sort, numbers, by->size, r->padded, LEAST_PIECE };
  if (select_numbers(r, by, numbers)) return;
  memset(s.numbers + (size_t)r->n * (size_t)s.size, 0xff, (size_t)(r->padded - r->n) * (size_t)s.size);
  int threads = r->n >= 2 * LEAST_PIECE ? ma_cpu_threads() : 1;
  while (s.piece * 2 * threads <= s.n) s.piece *= 2;
  if (threads > 1) ma_cpu_parallel((s.n + s.piece - 1) / s.piece, 1, sort_pieces, &s);
  s.sort(numbers, s.n, threads > 1 ? s.piece : 0);
}

static bool sort_values(short_row *r, const ma_network *network, void *numbers, char *to) {
  bool narrow = is_narrow(r);
  bool odd = narrow ? r->loops->narrow(r->from, r->n, r->low, 0, numbers)
                    : r->loops->wide(r->from, r->n, r->low, 0, 0, numbers);
  int counts[3] = { 0, 0, 0 };
  char *shared = odd ? malloc((size_t)2 * (size_t)(r->n + 1) * (size_t)r->size) : NULL,
       *lasts = shared + (odd ? (r->n + 1) * r->size : 0);
  if (odd && !shared) return false;
  if (odd) r->places.n = 0; /* what shares a number must come together */
  sort_numbers(r, network, numbers, narrow);
  if (odd) r->loops->shared(r->from, r->n, shared, lasts, counts);
  if (narrow) r->loops->from_narrow(numbers, r->n, r->low, to);
  else r->loops->from_wide(numbers, r->n, r->low, to);
  if (odd) {
    memcpy(to + counts[0] * r->size, shared, (size_t)counts[1] * (size_t)r->size);
    memcpy(to + (r->n - counts[2]) * r->size, lasts, (size_t)counts[2] * (size_t)r->size);
  }
  free(shared);
  return true;
}

/* Replaces the numbers by the places of the sorted elements; false: too many are wrong. */
static bool sort_places(const short_row *r, const ma_network *network, uint64_t *numbers) {
  uint32_t *places = (uint32_t *)numbers, mask = (1u << r->place_bits) - 1;
  if (is_narrow(r)) {
    r->loops->narrow(r->from, r->n, r->low, r->place_bits, places);
    sort_numbers(r, network, places, true);
    for (int i = 0; i < r->n; i++) places[i] &= mask;
    return true;
  }
  int shift = r->bits + r->place_bits > 64 ? r->bits + r->place_bits - 64 : 0;
  r->loops->wide(r->from, r->n, r->low, shift, r->place_bits, numbers);
  sort_numbers(r, network, numbers, false);
  for (int i = 0; i < r->n; i++) places[i] = (uint32_t)numbers[i] & mask;
  return (shift == 0 && r->size <= 8) || r->loops->settle(r->from, places, r->n);
}

static bool sort_both(const short_row *r, const ma_network *network, uint64_t *numbers, void *to, int64_t *positions) {
  const uint32_t *places = (const uint32_t *)numbers;
  size_t nbytes = (size_t)r->n * (size_t)r->size;
  void *copy = to == r->from ? malloc(nbytes) : NULL;
  bool sorted = (copy || !to || to != r->from) && sort_places(r, network, numbers);
  for (int i = 0; sorted && positions && i < r->n; i++) positions[i] = (int64_t)places[i] + 1;
  if (sorted && to) r->loops->gather(copy ? memcpy(copy, r->from, nbytes) : r->from, places, r->n, to);
  free(copy);
  return sorted;
}

/* Whether one pass by digits is as fast. */
static bool suits_digits(const short_row *r) { return r->place_bits == 0 && r->bits <= FEW_BITS && r->n > FEW; }

static bool suits_network(const short_row *r, const ma_number_sort *by) {
  int most = r->places.n > 0 && by->select ? by->most_selected : r->place_bits > 0 ? by->most_placed : by->most;
  return r->n <= most && !suits_digits(r);
}

static bool sort_by(const ma_network *network, short_row *r, void *numbers, void *to, int64_t *positions) {
  bool values = !positions && r->loops->shared;
  uint64_t span[2] = { 0, r->size > 4 ? UINT64_MAX : UINT32_MAX };
  if (!values) r->places.n = 0;
  bool selects = r->places.n > 0 && network->wide.select;
  if (!selects && (r->size > 4 || !values || r->n > FEW)) r->loops->span(r->from, r->n, span);
  r->low = span[0];
  r->bits = bits_of(span[1] - span[0]);
  r->place_bits = values ? 0 : bits_of((uint64_t)r->n - 1);
  if (!suits_network(r, is_narrow(r) ? &network->narrow : &network->wide)) return false;
  return values ? sort_values(r, network, numbers, to) : sort_both(r, network, numbers, to, positions);
}

static bool sort_at_hand(const ma_network *network, short_row *r, void *to, int64_t *positions) {
  _Alignas(64) uint64_t numbers[AT_HAND];
  return sort_by(network, r, numbers, to, positions);
}

bool ma_cpu_sort_short(const ma_sort_loops *loops, int size, const void *from, void *to, int64_t *positions, int64_t n,
                       const ma_places *places, int64_t base) {
  const ma_network *network = ma_cpu_network();
  if (!network || n > MA_NETWORK_MOST) return false;
  short_row r = { .loops = loops,
                  .from = from,
                  .size = size,
                  .n = (int)n,
                  .padded = (int)(n + MA_NETWORK_PAD - 1) / MA_NETWORK_PAD * MA_NETWORK_PAD,
                  .places = *places,
                  .base = base };
  if (n <= AT_HAND) return sort_at_hand(network, &r, to, positions);
  ma_buffer *numbers = NULL; /* from the pool: new memory of this size is slow */
  if (ma_buffer_new(ma_device_cpu(), (size_t)r.padded * sizeof(uint64_t), &numbers) != MA_OK) return false;
  bool sorted = sort_by(network, &r, numbers->ptr, to, positions);
  ma_buffer_release(numbers);
  return sorted;
}
