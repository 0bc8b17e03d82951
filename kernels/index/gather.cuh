/* gather.cuh: reads picked elements; positions outside give zeros. */

MA_KERNEL gather(const picks g) {
  picked p[PICKS];
  item value[PICKS];
  const u4 first = blockIdx.x * (PICKS * PICK_THREADS) + threadIdx.x;
#pragma unroll
  for (int j = 0; j < PICKS; j++) ask(g, first + j * PICK_THREADS, p[j]);
  locate(g, p);
#pragma unroll
  for (int j = 0; j < PICKS; j++) {
    value[j] = item();
    if (p[j].inside) value[j] = *(const item *)p[j].place;
  }
#pragma unroll
  for (int j = 0; j < PICKS; j++)
    if (p[j].there) *(item *)p[j].side = value[j];
}
