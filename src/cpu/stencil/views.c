/*
** views.c: plain operators over shifted views of one array run by a stencil's compiled form, and count towards
** compiling it. Without one, maps run them as they run all else: an input is then a shifted part of a row, as in the
** interpreter's stencils.
*/
#include "cpu/cpu.h"
#include "cpu/stencil/compiled.h"
#include "program/views.h"
#include "tuning.h"

#include <string.h>

#define NDIM MA_STENCIL_NDIM

/* Lets positions count from where reads begin, so that none is outside. */
static void settle(ma_stencil *s) {
  for (int d = 0; d < NDIM; d++) {
    s->shape[d] += s->low[d] + s->high[d];
    for (int f = 0; f < s->nfield; f++)
      s->field[f].data = (const char *)((uintptr_t)s->field[f].data - (uintptr_t)(s->low[d] * s->field[f].stride[d]));
    for (int k = 0; k < s->program->noutput; k++)
      s->result[k].data = (char *)((uintptr_t)s->result[k].data - (uintptr_t)(s->low[d] * s->result[k].stride[d]));
  }
}

bool ma_cpu_views(const ma_map *map, ma_status *status) {
  int64_t extent[NDIM], first[NDIM], size = 1;
  ma_stencil s;
  for (int d = 0; d < map->space.ndim; d++) size *= map->space.shape[d];
  if (size < TUNE_STENCIL_VIEWS || !ma_views_find(map, &s)) return false;
  const ma_stencil_compiled *compiled = ma_stencil_find(&s, size);
  if (!compiled) return false;
  memcpy(extent, s.shape, sizeof extent);
  for (int d = 0; d < NDIM; d++) first[d] = s.low[d];
  settle(&s);
  return ma_stencil_march(compiled, &s, first, extent, status);
}
