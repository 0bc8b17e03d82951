/* select_loops.h: the loop of select.c for one index type and one kind of value (each.h). */

/* Copies the entries first .. last - 1 whose mask is true to place `at` and those behind it. */
static void NAME(pick)(const void *indices, const void *values, const uint8_t *mask, int64_t first, int64_t last,
                       int64_t at, int64_t end, const ma_csr_room *to) {
  const I *index = indices;
  const T *value = values;
  I *to_index = to->indices;
  T *to_value = to->data;
  for (int64_t k = first; k < last && at < end; k++) { /* what is written behind the end is not kept */
    to_index[at] = index[k];
    to_value[at] = value[k];
    at += mask[k] != 0;
  }
}
