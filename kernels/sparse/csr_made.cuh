/*
** csr_made.cuh: the texts of made.h on a GPU, behind it. A thread counts a unit, and LANES threads write it. The text
** before defines MADE_COUNT and MADE_FILL, the functions of the kind; BY_LIST is 1 for rows of a list.
*/
#undef I
#undef T
#undef NAME

struct made_params {
  ma_sparse_make m;
  i8 units;
  i8 *ends;  /* units + 1: where each begins, from 1; before that 1 and the numbers of entries */
  u8 *wrong; /* the first place in the list, from 0, of a position that no row has */
};

MA_KERNEL __launch_bounds__(THREADS) made_count(const made_params p) {
  const i8 u = (i8)blockIdx.x * THREADS + threadIdx.x;
  if (u >= p.units) return;
#if BY_LIST
  if (listed(&p.m, u) < 0) atomicMin(p.wrong, (u8)u);
#endif
  const i8 n = MADE_COUNT(&p.m, u, u + 1);
  p.ends[u + 1] = n < 0 ? 0 : n;
  if (u == 0) p.ends[0] = 1;
}

MA_KERNEL __launch_bounds__(THREADS) made_fill(const made_params p) {
  const i8 u = ((i8)blockIdx.x * THREADS + threadIdx.x) / LANES;
  if (u >= p.units) return;
  MADE_FILL(&p.m, u, u + 1, p.ends[u] - 1, p.ends[u + 1] - 1);
  if (u == 0) *(idx *)p.m.to_indptr = 1;
}
