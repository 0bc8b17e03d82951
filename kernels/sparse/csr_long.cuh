/*
** csr_long.cuh: long rows of a CSR matrix, and the values of its entries, behind csr.cuh. A kernel takes rows of up to
** LIMIT entries as they come. If LIST is 1, there may be longer ones: they are written to a list in chunks of CHUNK
** entries, and a second kernel takes those, a warp each. The warp that ends a row's last chunk joins what the chunks
** gave, always in the same order.
*/
struct long_chunk {
  i8 row;
  u4 first, number; /* place in the list of the row's first chunk; which of the row's chunks this is, from 0 */
};
static __device__ __forceinline__ u4 chunks_of(i8 entries) { return (u4)((entries + CHUNK - 1) / CHUNK); }

/* Lists a long row. The list has room for the rows of any matrix whose indptr ascends. */
static __device__ __forceinline__ void list_row(const long_list &list, i8 row, i8 entries, u4 strips) {
  const u4 n = chunks_of(entries), first = atomicAdd(list.count, n);
  const bool fits = (i8)first + n <= list.capacity;
  for (u4 k = 0; k < n && (i8)first + k < list.capacity; k++)
    list.chunks[first + k] = long_chunk{ fits ? row : -1, first, k };
  for (u4 k = 0; k < strips && fits; k++) list.done[(i8)first * strips + k] = 0;
}

/* The entries of a chunk; none where the list has none. */
static __device__ __forceinline__ long_chunk chunk_at(const long_list &list, const idx *indptr, i8 nnz, i8 k, i8 *begin,
                                                      i8 *end, u4 *all) {
  const long_chunk c = list.chunks[k];
  *begin = *end = 0;
  if (c.row < 0) return c;
  const i8 from = row_end(indptr, c.row - 1, nnz), to = row_end(indptr, c.row, nnz);
  *all = chunks_of(to - from);
  *begin = from + (i8)c.number * CHUNK;
  *end = *begin + CHUNK < to ? *begin + CHUNK : to;
  return c;
}

/* Whether this warp was the last to do one of a row's chunks, so that all are done. It wrote its result before. */
static __device__ __forceinline__ bool is_last(u4 *done, u4 all) {
  u4 before = 0;
  __threadfence();
  __syncwarp();
  if (threadIdx.x % 32 == 0) before = atomicAdd(done, 1u);
  before = __shfl_sync(WHOLE, before, 0);
  __threadfence();
  return before == all - 1;
}

/* The number of chunks in a list. */
static __device__ __forceinline__ i8 listed(const long_list &list) {
  const i8 n = *list.count;
  return n < list.capacity ? n : list.capacity;
}

/* The value of entry k; if ORDER is 1, it is an entry of the matrix of which this one is the transpose. */
static __device__ __forceinline__ mem value_of(const mem *data, const idx *order, i8 k) {
#if ORDER
  return get(data + ((i8)get(order + k) - 1));
#else
  return get(data + k);
#endif
}
