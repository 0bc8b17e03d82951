/* gather.cuh: reads picked elements; positions outside give zeros. */

MA_KERNEL gather(const picks g) {
  char *side[PICKS], *place[PICKS];
  bool there[PICKS], inside[PICKS];
  item value[PICKS];
  u4 first = blockIdx.x * (PICKS * PICK_THREADS) + threadIdx.x;
#pragma unroll
  for (int j = 0; j < PICKS; j++) {
    u4 i = first + j * PICK_THREADS;
    there[j] = i < g.count;
    inside[j] = there[j] && locate(g, i, side[j], place[j]);
  }
#pragma unroll
  for (int j = 0; j < PICKS; j++) {
    value[j] = item();
    if (inside[j]) value[j] = *(const item *)place[j];
  }
#pragma unroll
  for (int j = 0; j < PICKS; j++)
    if (there[j]) *(item *)side[j] = value[j];
}
