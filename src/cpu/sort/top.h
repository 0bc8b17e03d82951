/*
** top.h: loops of top.c for numbers of one size. It is included with KEY and OF_KEY(name).
*/

/* Turns numbers around, so that the greatest come first. `last` is the number of NaN, which stays the last one; without
** NaN it is not looked at. */
FOR_AVX512 static void OF_KEY(turn)(KEY *key, int m, bool has_nan, KEY last) {
  if (has_nan)
    for (int i = 0; i < m; i++) key[i] = key[i] == last ? (KEY) ~(KEY)0 : (KEY)~key[i];
  else
    for (int i = 0; i < m; i++) key[i] = (KEY)~key[i];
}

/* Appends the numbers below a limit to `to`. Most pieces have none. */
FOR_AVX512 static int OF_KEY(below)(const KEY *restrict key, int m, KEY limit, KEY *restrict to) {
  int n = 0;
  for (int first = 0; first < m; first += PIECE) {
    int end = first + PIECE < m ? first + PIECE : m, any = 0;
    for (int i = first; i < end; i++) any |= key[i] < limit;
    if (!any) continue;
    for (int i = first; i < end; i++) {
      to[n] = key[i];
      n += key[i] < limit;
    }
  }
  return n;
}

/* The places of the numbers up to a limit: of m, from `first` on. */
FOR_AVX512 static int OF_KEY(up_to)(const KEY *restrict key, int m, KEY limit, int *restrict places) {
  int n = 0;
  for (int first = 0; first < m; first += PIECE) {
    int end = first + PIECE < m ? first + PIECE : m, any = 0;
    for (int i = first; i < end; i++) any |= key[i] <= limit;
    if (!any) continue;
    for (int i = first; i < end; i++) {
      places[n] = i;
      n += key[i] <= limit;
    }
  }
  return n;
}

/* m numbers from element i on, in `room` or where they are already. */
static const KEY *OF_KEY(read)(const reader *r, int64_t i, int m, KEY *room) {
  if (r->numbers) return (const KEY *)r->numbers + i;
  r->loops->numbers(r->from + i * r->size, m, room);
  if (r->largest) OF_KEY(turn)(room, m, r->has_nan, (KEY)r->last);
  return room;
}

/* Sorts n numbers, of which the first k stay. Returns the last of these. */
static KEY OF_KEY(trim)(const ma_network *network, KEY *best, int n, int k) {
  int padded = (n + network->pad - 1) / network->pad * network->pad;
  for (int i = n; i < padded; i++) best[i] = (KEY) ~(KEY)0;
  network->sort(best, padded);
  return best[k - 1];
}

/* The k least numbers of a row, sorted. */
static void OF_KEY(least)(const reader *r, int64_t n, int k, KEY *best) {
  _Alignas(MA_ALIGN) KEY room[BLOCK];
  const ma_network *network = ma_cpu_network(sizeof(KEY));
  int held = 0, start = k + FIRST < n ? k + FIRST : (int)n;
  while (held < start) {
    int m = start - held < BLOCK ? start - held : BLOCK;
    const KEY *key = OF_KEY(read)(r, held, m, best + held);
    if (key != best + held) memcpy(best + held, key, (size_t)m * sizeof *key);
    held += m;
  }
  KEY limit = OF_KEY(trim)(network, best, held, k);
  held = k;
  for (int64_t i = start; i < n; i += BLOCK) {
    int m = n - i < BLOCK ? (int)(n - i) : BLOCK;
    held += OF_KEY(below)(OF_KEY(read)(r, i, m, room), m, limit, best + held);
    if (held < (k > FIRST ? 2 * k : k + FIRST)) continue;
    limit = OF_KEY(trim)(network, best, held, k);
    held = k;
  }
  if (held > k) OF_KEY(trim)(network, best, held, k);
}

/* Finds where the k least numbers are. Each goes behind those that are less, and behind equal ones before it. */
static void OF_KEY(places)(const reader *r, int64_t n, int k, const KEY *best, int64_t *positions) {
  _Alignas(MA_ALIGN) KEY room[BLOCK];
  int place[BLOCK], found = 0;
  uint16_t seen[MOST];
  KEY last = best[k - 1];
  int equal = 0; /* how many of the last number are wanted */
  memset(seen, 0, (size_t)k * sizeof *seen);
  while (equal < k && best[k - 1 - equal] == last) equal++;
  for (int64_t i = 0; i < n && found < k; i += BLOCK) {
    int m = n - i < BLOCK ? (int)(n - i) : BLOCK;
    const KEY *key = OF_KEY(read)(r, i, m, room);
    /* With no more equal ones wanted, some lesser one is: the last number is not 0. */
    int count = OF_KEY(up_to)(key, m, equal ? last : (KEY)(last - 1), place);
    for (int c = 0; c < count; c++) {
      KEY at = key[place[c]];
      if (at == last && equal-- <= 0) {
        equal = 0;
        continue;
      }
      int low = 0;
      for (int size = k; size > 0;) {
        int half = size / 2;
        bool behind = best[low + half] < at;
        low = behind ? low + half + 1 : low;
        size = behind ? size - half - 1 : half;
      }
      positions[low + seen[low]++] = i + place[c] + 1;
      found++;
    }
  }
}

static void OF_KEY(top_row)(reader *r, int64_t n, int k, int64_t *positions) {
  _Alignas(MA_ALIGN) KEY best[2 * MOST + 2 * BLOCK], few[BLOCK];
  r->numbers = NULL;
  if (n <= BLOCK) r->numbers = OF_KEY(read)(r, 0, (int)n, few);
  OF_KEY(least)(r, n, k, best);
  OF_KEY(places)(r, n, k, best, positions);
}

#undef KEY
#undef OF_KEY
