/*
** member.h: loops of member.c for numbers of one size. It is included with KEY and OF_KEY(name).
*/
#define HASH(set, key) ((uint64_t)(key)*UINT64_C(0x9e3779b97f4a7c15) >> (set)->shift)

/* Adds a number to a table that has room. */
static void OF_KEY(add)(const set *s, KEY key) {
  KEY *slot = s->table;
  uint64_t at = HASH(s, key);
  while (slot[at] != (KEY) ~(KEY)0 && slot[at] != key) at = (at + 1) & s->mask;
  slot[at] = key;
}

static void OF_KEY(fill)(set *s, const void *from, int64_t n, int size) {
  KEY key[BLOCK];
  for (int64_t i = 0; i < n; i += BLOCK) {
    int m = n - i < BLOCK ? (int)(n - i) : BLOCK;
    s->loops->numbers((const char *)from + i * size, m, key);
    for (int k = 0; k < m; k++) {
      if (s->has_nan && key[k] == (KEY)s->nan) continue;
      if (key[k] == (KEY) ~(KEY)0) s->has_last = true;
      else if (s->bits) s->bits[(key[k] - (KEY)s->low) >> 6] |= UINT64_C(1) << ((key[k] - (KEY)s->low) & 63);
      else OF_KEY(add)(s, key[k]);
    }
  }
}

/* Whether m numbers are in the set. */
FOR_AVX512 static void OF_KEY(by_bits)(const set *s, const KEY *restrict key, int m, uint8_t *restrict to) {
  for (int k = 0; k < m; k++) {
    KEY at = key[k] - (KEY)s->low;
    bool within = at <= (KEY)s->span;
    at = within ? at : 0;
    to[k] = within & (s->bits[at >> 6] >> (at & 63) & 1);
  }
}

static void OF_KEY(by_table)(const set *s, const KEY *restrict key, int m, uint8_t *restrict to) {
  const KEY *slot = s->table;
  for (int k = 0; k < m; k++) {
    uint64_t at = HASH(s, key[k]);
    while (slot[at] != (KEY) ~(KEY)0 && slot[at] != key[k]) at = (at + 1) & s->mask;
    to[k] = slot[at] == key[k];
  }
}

static void OF_KEY(look)(const set *s, const void *from, int64_t n, int size, bool invert, uint8_t *to) {
  KEY key[BLOCK];
  for (int64_t i = 0; i < n; i += BLOCK, to += BLOCK) {
    int m = n - i < BLOCK ? (int)(n - i) : BLOCK;
    s->loops->numbers((const char *)from + i * size, m, key);
    if (s->bits) OF_KEY(by_bits)(s, key, m, to);
    else OF_KEY(by_table)(s, key, m, to);
    for (int k = 0; k < m; k++)
      if (key[k] == (KEY) ~(KEY)0) to[k] = s->has_last;
    for (int k = 0; k < m; k++) to[k] ^= invert;
  }
}

#undef HASH
#undef KEY
#undef OF_KEY
