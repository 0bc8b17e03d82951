/*
** search.h: searches of search.c among numbers of one size (kernels/sort/order.h). It is included with KEY and
** OF_KEY(name), which gives the names of the functions.
*/
/* How many of n keys stand before `wanted`. The caller knows that `from` of them do. */
static int64_t OF_KEY(gallop)(const KEY *s, int64_t from, int64_t n, KEY wanted, KEY more) {
#define BEFORE(other) ((KEY)((other) < wanted) | ((KEY)((other) == wanted) & more))
  int64_t step = 1, end;
  while (from + step <= n && BEFORE(s[from + step - 1])) {
    from += step;
    step *= 2;
  }
  end = from + step - 1 < n ? from + step - 1 : n;
  while (from < end) {
    int64_t middle = from + (end - from) / 2;
    if (BEFORE(s[middle])) from = middle + 1;
    else end = middle;
  }
  return from;
}

/* The positions of the least and the greatest of a group of values, between which those of the others are. `near` is a
** guess at the first position. */
static void OF_KEY(bracket)(const KEY *s, int64_t near, int64_t n, const KEY *group, int m, KEY more, int64_t two[2]) {
  KEY wanted = group[0], greatest = group[0];
  for (int i = 1; i < m; i++) {
    wanted = group[i] < wanted ? group[i] : wanted;
    greatest = group[i] > greatest ? group[i] : greatest;
  }
  if (near > 0 && !BEFORE(s[near - 1])) near = 0;
#undef BEFORE
  two[0] = OF_KEY(gallop)(s, near, n, wanted, more);
  two[1] = OF_KEY(gallop)(s, two[0], n, greatest, more);
}

/* Moves each of m places `at` behind the keys that stand before its value. They are among the `left` keys from there
** on. All take the same steps, without branches. */
#define MOVE(IS_BEFORE)                                                                                \
  for (; left > 1; left -= left / 2)                                                                   \
    for (int i = 0; i < m; i++)                                                                        \
      at[i] += (KEY)(left / 2) & ((KEY)0 - (KEY)(s[at[i] + (KEY)(left / 2) - 1] IS_BEFORE wanted[i])); \
  for (int i = 0; left && i < m; i++) at[i] += s[at[i]] IS_BEFORE wanted[i]
FOR_AVX512 static void OF_KEY(move)(const KEY *restrict s, int64_t left, const KEY *restrict wanted, int m, bool right,
                                    KEY *restrict at) {
  if (right) {
    MOVE(<=);
  } else {
    MOVE(<);
  }
}
#undef MOVE

/* The positions of values among n < 2^31 keys. A group of values is searched at once. Sorted values are near each
** other, so their group is searched only between the positions of its ends, unless that did not help the groups
** before. */
static void OF_KEY(search_keys)(make_keys *keys, int size, const void *sorted, int64_t n, const void *values,
                                int64_t count, bool right, int64_t *positions) {
  KEY wanted[TUNE_SEARCH_GROUP], at[TUNE_SEARCH_GROUP];
  int64_t two[2] = { 0, n };
  int far = 0;
  for (int64_t first = 0; first < count; first += TUNE_SEARCH_GROUP) {
    int m = count - first < TUNE_SEARCH_GROUP ? (int)(count - first) : TUNE_SEARCH_GROUP;
    keys((const char *)values + first * size, m, wanted);
    if (far > 0) {
      two[0] = 0;
      two[1] = n;
      far--;
    } else {
      OF_KEY(bracket)(sorted, two[1], n, wanted, m, right, two);
      if (two[1] - two[0] > n / 16) far = TUNE_SEARCH_FAR;
    }
    for (int i = 0; i < m; i++) at[i] = (KEY)two[0];
    OF_KEY(move)(sorted, two[1] - two[0], wanted, m, right, at);
    for (int i = 0; i < m; i++) positions[first + i] = (int64_t)at[i] + 1;
  }
}
#undef KEY
#undef OF_KEY
