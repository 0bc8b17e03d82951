/*
** csr_classes.cuh: the rows of A B in classes by their products, behind csr_order.cuh. csr_short.cuh and csr_block.cuh
** make the rows of all classes but the last.
*/
#define CLASSES 10   /* of rows, by their products: none, up to 8, 16 ... 512, BLOCKED, more */
#define BLOCKED 8    /* up to MOST_BLOCKED */
#define LONGEST 4096 /* entries of A in a row that is not of the last class */
#define HEAD 0x8000  /* of a product's number: the first of its column */
#define MOST_BLOCKED (sizeof(reg) > 8 ? 2048 : 4096)

/* The entries of row `row` of B, from *begin on; none if there is no such row. */
static __device__ __forceinline__ i8 row_of(const short_params &p, i8 row, i8 *begin) {
  *begin = 0;
  if (row < 0 || row >= p.b_rows) return 0;
  *begin = row_end(p.b_indptr, row - 1, p.b_nnz);
  const i8 n = row_end(p.b_indptr, row, p.b_nnz) - *begin;
  return n < 0 ? 0 : n;
}

static __device__ __forceinline__ u4 class_of(i8 products) {
  u4 k = products > 0;
  for (i8 most = 8; k > 0 && k < BLOCKED && products > most; most *= 2) k++;
  return k == BLOCKED && products > MOST_BLOCKED ? CLASSES - 1 : k;
}

/* Writes the class of each row, counts the rows of each class, and lists those of class BLOCKED. A row without products
** gets the length 0. */
MA_KERNEL __launch_bounds__(THREADS) short_classes(const short_params p) {
  __shared__ u4 counts[CLASSES], before[CLASSES];
  const i8 r = (i8)blockIdx.x * THREADS + threadIdx.x;
  u4 mine = 0, place = 0;
  if (threadIdx.x < CLASSES) counts[threadIdx.x] = 0;
  __syncthreads();
  if (r < p.rows) {
    const i8 first = row_end(p.a_indptr, r - 1, p.a_nnz), end = row_end(p.a_indptr, r, p.a_nnz);
    i8 n = end - first > LONGEST ? (i8)1 << 40 : 0, begin;
    for (i8 k = first; k < end && n <= MOST_BLOCKED; k++) n += row_of(p, (i8)p.a_indices[k] - 1, &begin);
    mine = class_of(n);
    p.classes[r] = (u1)mine;
    if (mine == 0) p.to_indptr[r + 1] = 0;
    if (r == 0) p.to_indptr[0] = 1;
    place = atomicAdd(counts + mine, 1u);
  }
  __syncthreads();
  if (threadIdx.x < CLASSES && counts[threadIdx.x])
    before[threadIdx.x] = atomicAdd(p.counts + threadIdx.x, counts[threadIdx.x]);
  __syncthreads();
  if (mine == BLOCKED) p.list[before[BLOCKED] + place] = (idx)r;
}

/* Sets indptr[r + 1] to the length of row r, for the rows that were made as another matrix. */
MA_KERNEL __launch_bounds__(THREADS) long_count(const short_params p) {
  const i8 r = (i8)blockIdx.x * THREADS + threadIdx.x;
  if (r < p.rows && p.classes[r] == CLASSES - 1) p.to_indptr[r + 1] = p.long_indptr[r + 1] - p.long_indptr[r];
}

MA_KERNEL __launch_bounds__(THREADS) long_copy(const short_params p) {
  each_row(p.long_indptr, p.rows, p.long_nnz, 0, p.long_nnz, [&](i8 k, i8 row) {
    const i8 at = (i8)p.to_indptr[row] - p.long_indptr[row] + k;
    p.to_indices[at] = p.long_indices[k];
    p.to_data[at] = p.long_data[k];
  });
}
