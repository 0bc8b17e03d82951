/* order_loops.h: the loops of order.c for one index type and one kind of value (each.h). */

/* Where entry k goes. The place of an entry further on is fetched ahead, because places are all over memory. */
static inline __attribute__((always_inline)) int64_t NAME(place)(const I *key, int64_t k, int64_t end, I *next,
                                                                 const I *to, const T *to_value) {
  int64_t at = next[(int64_t)key[k] - 1]++, soon = at;
  if (k + TUNE_SPARSE_PLACE < end) soon = next[(int64_t)key[k + TUNE_SPARSE_PLACE] - 1];
  __builtin_prefetch(to + soon, 1);
  __builtin_prefetch(to_value + soon, 1);
  return at;
}

/* Entries of a list, by their rows. */
static void NAME(spread)(const ma_sparse *a, int64_t first, int64_t last, void *next_, void *to_others,
                         void *to_values) {
  const I *key = a->indptr, *other = a->indices;
  const T *value = a->data;
  I *next = next_, *to = to_others;
  T *to_value = to_values;
  for (int64_t k = first; k < last; k++) {
    int64_t at = NAME(place)(key, k, last, next, to, to_value);
    to[at] = other[k];
    to_value[at] = value[k];
  }
}

/* The entries of rows, by their columns. */
static void NAME(turn)(const ma_sparse *a, int64_t first, int64_t last, void *next_, void *to_others, void *to_values) {
  const I *indptr = a->indptr, *key = a->indices;
  const T *value = a->data;
  I *next = next_, *to = to_others;
  T *to_value = to_values;
  const int64_t end = (int64_t)indptr[last] - 1;
  for (int64_t r = first; r < last; r++)
    for (int64_t k = (int64_t)indptr[r] - 1; k < (int64_t)indptr[r + 1] - 1; k++) {
      int64_t at = NAME(place)(key, k, end, next, to, to_value);
      to[at] = (I)(r + 1);
      to_value[at] = value[k];
    }
}

static void NAME(merge)(const I *index, const T *value, int64_t n, int64_t run, I *to, T *to_value) {
  for (int64_t at = 0; at < n; at += 2 * run) {
    int64_t j = at, middle = at + run < n ? at + run : n, k = middle, end = middle + run < n ? middle + run : n;
    for (int64_t m = at; m < end; m++) {
      bool second = j == middle || (k < end && index[k] < index[j]);
      int64_t from = second ? k++ : j++;
      to[m] = index[from];
      to_value[m] = value[from];
    }
  }
}

/* Sorts n entries, at most RUN. `room` entries from there on may be read. */
static void NAME(short)(I *index, T *value, int64_t n, int64_t room) {
  I key[RUN], rank[RUN], padded[RUN];
  T old[RUN];
  const I *from = index;
  if (room < RUN) {
    memset(padded, 0, sizeof padded);
    from = memcpy(padded, index, (size_t)n * sizeof(I));
  }
  for (int64_t k = 0; k < n; k++) old[k] = value[k];
  SPARSE_PASTE(rank, of, I_SUFFIX)(from, key, n, rank);
  for (int64_t k = 0; k < n; k++) {
    index[rank[k]] = key[k];
    value[rank[k]] = old[k];
  }
}

/* Sorts a row, stably. */
static ma_status NAME(arrange)(void *indices, void *values, int64_t first, int64_t last, int64_t nnz) {
  I *index = (I *)indices + first;
  T *value = (T *)values + first;
  int64_t n = last - first, k = 1;
  while (k < n && index[k - 1] <= index[k]) k++;
  if (k >= n) return MA_OK;
  if (n <= RUN) {
    NAME(short)(index, value, n, nnz - first);
    return MA_OK;
  }
  size_t room = ma_cpu_aligned((size_t)n * sizeof(T));
  T *value2 = malloc(room + (size_t)n * sizeof(I));
  if (!value2) return ma_fail(MA_ERR_MEMORY, "out of memory: %" PRId64 " entries of a row to sort", n);
  I *index2 = (I *)((char *)value2 + room), *i = index, *j = index2;
  T *v = value, *w = value2;
  for (int64_t at = 0; at < n; at += RUN)
    NAME(short)(index + at, value + at, n - at < RUN ? n - at : RUN, nnz - first - at);
  for (int64_t run = RUN; run < n; run *= 2) {
    NAME(merge)(i, v, n, run, j, w);
    I *index_now = j;
    T *value_now = w;
    j = i;
    w = v;
    i = index_now;
    v = value_now;
  }
  if (i != index) {
    memcpy(index, i, (size_t)n * sizeof(I));
    memcpy(value, v, (size_t)n * sizeof(T));
  }
  free(value2);
  return MA_OK;
}

/* Adds up entries of the same column in a sorted row; returns the number of those that are left. */
static int64_t NAME(unite)(void *indices, void *values, int64_t first, int64_t last) {
  I *index = (I *)indices + first;
  T *value = (T *)values + first;
  int64_t n = last - first, k = 1;
  while (k < n && index[k - 1] != index[k]) k++;
  if (k >= n) return n;
  int64_t at = k - 1;
  for (; k < n; k++)
    if (index[k] == index[at]) {
      value[at] = ADD(value[at], value[k]);
    } else {
      at++;
      index[at] = index[k];
      value[at] = value[k];
    }
  return at + 1;
}
