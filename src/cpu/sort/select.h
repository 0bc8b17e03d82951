/*
** select.h: selection among numbers by vectors, for network.c: numbers less than a pivot are packed in front of
** the others without branches, and few numbers are sorted by the network. It is included behind network.h with the same
** NAME, NUMBER and LANES, and with LESS(x, y), a mask of the lanes in which x < y; PACK(mask, x), which moves these
** lanes to the front; PUT(to, count, x), which stores the first lanes; and PUT_TURNED(end, count, x), which stores them
** in front of `end`, the first one last.
*/
#define FEW 256    /* numbers that the network sorts */
#define SAMPLES 32 /* numbers whose median is a pivot */
#define VECTOR NAME(vector)
typedef NUMBER NAME(loose) __attribute__((vector_size(LANES * sizeof(NUMBER)), aligned(sizeof(NUMBER)), may_alias));

/* Moves numbers less than the pivot to the front; returns how many. `room` has place for n numbers and a vector. Both
** stores write whole vectors: in x over numbers that were read, in the room over the rest. */
static int NAME(divide)(NUMBER *x, int n, NUMBER pivot, NUMBER *room) {
  VECTOR by = (VECTOR){ 0 } + pivot;
  int less = 0, rest = 0, i = 0;
  for (; i + LANES <= n; i += LANES) {
    VECTOR v = *(const NAME(loose) *)(x + i);
    uint32_t mask = LESS(v, by);
    *(NAME(loose) *)(x + less) = PACK(mask, v);
    *(NAME(loose) *)(room + rest) = PACK(~mask, v);
    int count = __builtin_popcount(mask);
    less += count;
    rest += LANES - count;
  }
  for (; i < n; i++) {
    NUMBER v = x[i];
    int before = v < pivot;
    x[less] = before ? v : x[less];
    room[rest] = v;
    less += before;
    rest += 1 - before;
  }
  memcpy(x + less, room, (size_t)rest * sizeof *x);
  return less;
}

/* The median of numbers from all over x. */
static NUMBER NAME(middle)(const NUMBER *x, int n) {
  VECTOR v[SAMPLES / LANES];
  uint64_t chance = (uint64_t)n;
  for (int i = 0; i < SAMPLES; i++) {
    chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407;
    ((NUMBER *)v)[i] = x[(chance >> 32) * (uint64_t)n >> 32];
  }
  NAME(sort_block)(v, SAMPLES / LANES);
  return ((const NUMBER *)v)[SAMPLES / 2];
}

/* Sorts by the network, in memory that is aligned for it. */
static void NAME(sort_in)(NUMBER *x, int n, NUMBER *aligned) {
  int padded = (n + LANES - 1) / LANES * LANES;
  memcpy(aligned, x, (size_t)n * sizeof *x);
  memset(aligned + n, 0xff, (size_t)(padded - n) * sizeof *x);
  NAME(sort)(aligned, padded, 0);
  memcpy(x, aligned, (size_t)n * sizeof *x);
}

static void NAME(select)(void *numbers, int n, void *room, const ma_places *places, int64_t base) {
  _Alignas(64) NUMBER few[FEW];
  NUMBER *x = numbers;
  for (int left = 2 * bits_of((uint64_t)n); n > 1 && ma_places_any(places, base, base + n); left--) {
    if (n <= FEW || left == 0) {
      NAME(sort_in)(x, n, n <= FEW ? few : (NUMBER *)(((uintptr_t)room + 63) & ~(uintptr_t)63));
      return;
    }
    NUMBER pivot = NAME(middle)(x, n);
    int less = NAME(divide)(x, n, pivot, room), done = 0;
    if (less == 0) { /* the pivot is the least */
      if (pivot == (NUMBER)-1) return;
      done = NAME(divide)(x, n, pivot + 1, room);
    } else if (less <= n / 2) {
      NAME(select)(x, less, room, places, base);
      done = less;
    } else NAME(select)(x + less, n - less, room, places, base + less);
    x += done, base += done;
    n = done ? n - done : less;
  }
}

static void NAME(count)(const void *numbers, int n, uint64_t low, uint64_t high, int64_t counts[2]) {
  const NUMBER *x = numbers, least = (NUMBER)low, greatest = (NUMBER)high;
  NUMBER below = 0, above = 0;
  for (int i = 0; i < n; i++) {
    below += x[i] < least;
    above += x[i] > greatest;
  }
  counts[0] += (int64_t)below;
  counts[1] += (int64_t)above;
}

/* Packed lanes are stored without what is behind them, where elements of another thread may lie. */
static void NAME(split)(const void *numbers, const void *elements, int n, uint64_t low, uint64_t high,
                        ma_parts *parts) {
  const NUMBER *x = numbers, *from = elements;
  const VECTOR least = (VECTOR){ 0 } + (NUMBER)low, greatest = (VECTOR){ 0 } + (NUMBER)high;
  NUMBER *below = parts->below, *middle = parts->middle, *above = parts->above;
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    VECTOR at = *(const NAME(loose) *)(x + i), v = *(const NAME(loose) *)(from + i);
    uint32_t less = LESS(at, least), more = LESS(greatest, at), rest = ~(less | more) & ((1u << LANES) - 1);
    int nless = __builtin_popcount(less), nmore = __builtin_popcount(more);
    PUT(below, nless, PACK(less, v));
    below += nless;
    PUT_TURNED(above, nmore, PACK(more, v));
    above -= nmore;
    if (!rest) continue;
    PUT(middle, LANES - nless - nmore, PACK(rest, v));
    middle += LANES - nless - nmore;
  }
  for (; i < n; i++) {
    NUMBER v = from[i];
    if (x[i] < (NUMBER)low) *below++ = v;
    else if (x[i] > (NUMBER)high) *--above = v;
    else *middle++ = v;
  }
  *parts = (ma_parts){ below, middle, above };
}

#undef FEW
#undef SAMPLES
#undef VECTOR
#undef NAME
#undef NUMBER
#undef LANES
#undef LESS
#undef PACK
#undef PUT
#undef PUT_TURNED
#undef TURN
