/* few.c: the reduction of a few elements to one by a kept program that copies or casts them: what along.c does for a
** row, without a plan of the walk. */
#include "cpu/cpu.h"
#include "cpu/map/ready.h"
#include "cpu/reduce/monoid.h"

#include <string.h>

#define ROOM 16384 /* bytes of elements that are packed or cast first, at most */

/* Packs and casts the elements; false: they have no room. */
static bool prepare(const ma_reduction *r, char *to, int size) {
  ma_map map;
  ma_ready own;
  const ma_ready *ready = __atomic_load_n((ma_ready **)r->program->notes, __ATOMIC_ACQUIRE);
  int from = ma_dtypes[r->program->input_dtype[0]].itemsize;
  int64_t step = size;
  if (r->count * (size > from ? size : from) > ROOM) return false;
  map.program = r->program;
  map.data[0] = to;
  map.data[1] = r->data[1];
  map.space.noperand = 2;
  map.space.ndim = r->space.ndim - 1;
  for (int d = map.space.ndim - 1; d >= 0; step *= map.space.shape[d--]) {
    map.space.shape[d] = r->space.shape[d + 1];
    map.space.stride[0][d] = step;
    map.space.stride[1][d] = r->space.stride[1][d + 1];
  }
  return ma_cpu_small(ready ? ready : ma_cpu_ready(r->program, r->count, 0, &own), &map);
}

bool ma_cpu_reduce_few(const ma_reduction *r) {
  _Alignas(MA_ALIGN) char packed[ROOM];
  _Alignas(16) char total[MA_MAX_PARTIAL], chunk[MA_MAX_PARTIAL], out[sizeof(ma_c128)];
  const ma_program *program = r->program;
  ma_dtype dtype = ma_program_dtype(program, program->output[0]);
  const ma_monoid *monoid = ma_cpu_monoid(r->op, dtype, false);
  const char *from = r->data[1];
  int n = (int)r->count, size = monoid->value;
  if (r->count > red_span(1, r->count) * RED_CHUNK) return false; /* several spans */
  bool plain = !program->ncode && dtype != MA_BOOL && r->space.ndim == 2 && r->space.stride[1][1] == size &&
               (uintptr_t)from % (unsigned)(size < 8 ? size : 8) == 0;
  if (!plain && !prepare(r, packed, size)) return false;
  if (!plain) from = packed;
  for (int at = 0; at < n; at += RED_CHUNK) {
    int m = n - at < RED_CHUNK ? n - at : RED_CHUNK;
    monoid->total(at ? chunk : total, from + (size_t)at * (size_t)size, NULL, m, at, at ? total : NULL);
    if (at) monoid->merge(total, total, chunk, 1);
  }
  const ma_finish finish = { n, r->param, r->result, r->op == MA_REDUCE_std, false };
  monoid->finish(out, total, 1, &finish);
  memcpy(r->data[0], out, ma_dtypes[r->result].itemsize); /* it has the same form in memory and in a register */
  return true;
}
