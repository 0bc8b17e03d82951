/*
** numbers.h: loops of numbers.c for numbers of one size. It is included with NAME(what) and NUMBER.
*/
#define PER (LINE / sizeof(NUMBER))

FOR_AVX512 static void NAME(span)(const void *from, int64_t n, uint64_t two[2]) {
  const NUMBER *x = from;
  NUMBER least = x[0], greatest = x[0];
  for (int64_t i = 0; i < n; i++) {
    least = x[i] < least ? x[i] : least;
    greatest = x[i] > greatest ? x[i] : greatest;
  }
  two[0] = least;
  two[1] = greatest;
}

/* Whether the numbers are in order. In a row of random order it ends soon. */
static bool NAME(in_order)(const void *from, int64_t n) {
  const NUMBER *x = from;
  bool falls = false;
  for (int64_t first = 0; first < n - 1 && !falls; first += 64)
    for (int64_t i = first, end = first + 64 < n - 1 ? first + 64 : n - 1; i < end; i++) falls |= x[i + 1] < x[i];
  return !falls;
}

FOR_AVX512 static void NAME(digits)(const void *from, int64_t n, uint64_t low, int shift, uint32_t *restrict digits) {
  const NUMBER *restrict x = from;
  for (int64_t i = 0; i < n; i++) digits[i] = (uint32_t)((x[i] - (NUMBER)low) >> shift);
}

/* Takes `count` numbers from all over a row of n. `chance` is the state of the random choice. */
static void NAME(sample)(const void *from, int64_t n, int count, uint64_t *chance, void *to) {
  for (int k = 0; k < count; k++) ((NUMBER *)to)[k] = ((const NUMBER *)from)[ma_sort_chance(chance, n)];
}

/* Moves each number to the next place of its bucket, through a line of the bucket. A full line is only written when the
** bucket's next number comes, since reading what was just stored would be slow. */
static void NAME(move)(const lines *l, const void *from, void *to, int n, const uint32_t *buckets) {
  uint64_t *next = l->next;
  const NUMBER *x = from;
  NUMBER *y = to;
  for (int i = 0; i < n; i++) {
    uint64_t b = buckets[i], at = next[b]++;
    NUMBER *line = (NUMBER *)(void *)(l->line + b * LINE);
    if (__builtin_expect(at % PER == 0, 0)) {
      if (at >= l->first[b] + PER) put_line((char *)(y + (at - PER)), (const char *)line);
      else
        for (uint64_t k = l->first[b]; k < at; k++) y[k] = line[k % PER];
    }
    line[at % PER] = x[i];
  }
}

/* Writes what the lines still hold. */
static void NAME(move_rest)(const lines *l, void *to, uint32_t nbucket) {
  for (uint64_t b = 0; b < nbucket; b++) {
    const NUMBER *line = (const void *)(l->line + b * LINE);
    uint64_t first = l->first[b], end = l->next[b], k = end > first ? (end - 1) / PER * PER : end;
    for (k = k < first ? first : k; k < end; k++) ((NUMBER *)to)[k] = line[k % PER];
  }
}

static void NAME(fill)(void *to, int64_t n, uint64_t number) {
  for (int64_t i = 0; i < n; i++) ((NUMBER *)to)[i] = (NUMBER)number;
}

#undef PER
#undef NAME
#undef NUMBER
