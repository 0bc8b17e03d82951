/*
** short.c: rows of some thousand elements at most by a network (network.c). Their numbers become 32 or 64 bits, less the least one of the row. Where
** positions are wanted, places in the row stand below them: this makes the sort stable, and says where elements were. Numbers that leave the places
** no room lose bits, which are seen to afterwards.
*/
#include "buckets.h"

#include <string.h>

typedef struct short_row {
  const ma_sort_loops *loops;
  const void *from;
  int size, n, padded;
  uint64_t low;                        /* the least number */
  int bits, place_bits;                /* of the greatest one less that; of a place, 0 where none is wanted */
} short_row;

static int bits_of(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }

static bool is_narrow(const short_row *r) { return r->bits + r->place_bits <= 32 && r->size <= 8; }

static void sort_values(const short_row *r, const ma_network *network, void *room, char *to)
{
  char side[(MA_NETWORK_MOST + 1) * sizeof(uint64_t)];
  int counts[3] = { 0, 0, 0 };
  bool narrow = is_narrow(r), odd;
  if (narrow) odd = r->loops->narrow(r->from, r->n, r->low, 0, room);
  else odd = r->loops->wide(r->from, r->n, r->low, 0, 0, room);
  memset((char *)room + r->n * (narrow ? 4 : 8), 0xff, (size_t)((r->padded - r->n) * (narrow ? 4 : 8)));
  (narrow ? network->narrow : network->wide)(room, r->padded);
  if (odd) r->loops->shared(r->from, r->n, side, counts);
  if (narrow) r->loops->from_narrow(room, r->n, r->low, to);
  else r->loops->from_wide(room, r->n, r->low, to);
  memcpy(to + counts[0] * r->size, side, (size_t)(counts[1] * r->size));
  memcpy(to + (r->n - counts[2]) * r->size, side + counts[1] * r->size, (size_t)(counts[2] * r->size));
}

/* The places of sorted elements; false: see ma_cpu_sort_short. */
static bool sort_places(const short_row *r, const ma_network *network, void *room, uint32_t *places)
{
  uint64_t *wide = room;
  uint32_t *narrow = room, mask = (1u << r->place_bits) - 1;
  if (is_narrow(r)) {
    r->loops->narrow(r->from, r->n, r->low, r->place_bits, narrow);
    memset(narrow + r->n, 0xff, (size_t)(r->padded - r->n) * sizeof *narrow);
    network->narrow(narrow, r->padded);
    for (int i = 0; i < r->n; i++) places[i] = narrow[i] & mask;
    return true;
  }
  int shift = r->bits + r->place_bits > 64 ? r->bits + r->place_bits - 64 : 0;
  r->loops->wide(r->from, r->n, r->low, shift, r->place_bits, wide);
  memset(wide + r->n, 0xff, (size_t)(r->padded - r->n) * sizeof *wide);
  network->wide(wide, r->padded);
  for (int i = 0; i < r->n; i++) places[i] = (uint32_t)wide[i] & mask;
  return (shift == 0 && r->size <= 8) || r->loops->settle(r->from, places, r->n);
}

static bool sort_both(const short_row *r, const ma_network *network, void *room, void *to, int64_t *positions)
{
  uint32_t places[MA_NETWORK_MOST];
  if (!sort_places(r, network, room, places)) return false;
  for (int i = 0; positions && i < r->n; i++) positions[i] = (int64_t)places[i] + 1;
  if (!to) return true;
  bool same = to == r->from;
  r->loops->gather(r->from, places, r->n, same ? room : to);
  if (same) memcpy(to, room, (size_t)(r->n * r->size));
  return true;
}

bool ma_cpu_sort_short(const ma_sort_loops *loops, int size, const void *from, void *to, int64_t *positions, int64_t n)
{
  _Alignas(64) uint64_t room[MA_NETWORK_MOST];
  const ma_network *network = ma_cpu_network();
  if (!network || n > MA_NETWORK_MOST || n * size > (int64_t)sizeof room) return false;
  short_row r = { .loops = loops, .from = from, .size = size, .n = (int)n, .padded = (int)(n + MA_NETWORK_PAD - 1) / MA_NETWORK_PAD * MA_NETWORK_PAD };
  bool values = !positions && loops->shared;
  uint64_t span[2] = { 0, UINT32_MAX };
  if (size > 4 || !values) loops->span(from, n, span);
  r.low = span[0];
  r.bits = bits_of(span[1] - span[0]);
  r.place_bits = values ? 0 : bits_of((uint64_t)n - 1);
  if (n > (is_narrow(&r) ? network->most_narrow : network->most_wide)) return false;
  if (!values) return sort_both(&r, network, room, to, positions);
  sort_values(&r, network, room, to);
  return true;
}
