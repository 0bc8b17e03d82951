/*
** views.c: finds the stencils among maps. Plain operators over shifted views of one array are a stencil whose reads all
** lie inside: each view is a field at an offset. Both backends run such a map as they run stencils.
*/
#include "program/program.h"
#include "program/views.h"

#include <string.h>

#define NDIM MA_STENCIL_NDIM
#define FARTHEST 64 /* offset between two views */

/* Bounds of an operand's bytes. */
static void find_bounds(const ma_map *map, int k, int size, uintptr_t *low, uintptr_t *high) {
  *low = (uintptr_t)map->data[k];
  *high = *low + (uintptr_t)size;
  for (int d = 0; d < map->space.ndim; d++) {
    int64_t reach = map->space.stride[k][d] * (map->space.shape[d] - 1);
    if (reach < 0) *low -= (uintptr_t)-reach;
    else *high += (uintptr_t)reach;
  }
}

static int operand_size(const ma_map *map, int k) {
  const ma_program *p = map->program;
  return ma_dtypes[k < p->noutput ? ma_program_dtype(p, p->output[k]) : p->input_dtype[k - p->noutput]].itemsize;
}

/* Whether a result overlaps the memory of an input. Then it would be read after it was written. */
static bool overlaps(const ma_map *map) {
  for (int k = 0; k < map->program->noutput; k++)
    for (int j = map->program->noutput; j < map->space.noperand; j++) {
      uintptr_t low, high, first, last;
      find_bounds(map, k, operand_size(map, k), &low, &high);
      find_bounds(map, j, operand_size(map, j), &first, &last);
      if (low < last && first < high) return true;
    }
  return false;
}

/* Splits the distance from a field to a view of the same strides into offsets by axis. Returns false if it cannot be
** split, or is too far. */
static bool find_offset(const ma_stencil_field *f, const char *data, int size, int32_t *offset) {
  int64_t rest = (int64_t)((uintptr_t)data - (uintptr_t)f->data);
  for (int d = 0; d < NDIM; d++) {
    int64_t stride = f->stride[d], half = stride / 2, at = 0;
    if (stride && (stride < size || (d > 0 && f->stride[d - 1] && f->stride[d - 1] < stride))) return false;
    if (stride) at = (rest + half - (rest + half < 0 ? stride - 1 : 0)) / stride;
    if (at > FARTHEST || at < -FARTHEST) return false;
    offset[d] = (int32_t)at;
    rest -= at * stride;
  }
  return rest == 0;
}

/* Finds the field of which input j is a view, or makes a new one. Returns whether the field was there, at another
** offset. */
static bool add_input(ma_stencil *s, const ma_map *map, int j) {
  int k = map->program->noutput + j, lead = NDIM - map->space.ndim;
  ma_stencil_field found = { .data = map->data[k], .dtype = (ma_dtype)map->program->input_dtype[j] };
  ma_stencil_read *read = &s->read[j];
  bool still = true;
  for (int d = lead; d < NDIM; d++) {
    found.stride[d] = map->space.stride[k][d - lead];
    still &= !found.stride[d];
  }
  for (int f = 0; f < s->nfield && !still; f++)
    if (s->field[f].dtype == found.dtype && !memcmp(s->field[f].stride, found.stride, sizeof found.stride) &&
        find_offset(&s->field[f], found.data, operand_size(map, k), read->offset)) {
      read->field = (uint8_t)f;
      return read->offset[0] || read->offset[1] || read->offset[2];
    }
  memset(read, 0, sizeof *read);
  read->field = (uint8_t)s->nfield;
  s->field[s->nfield++] = found;
  return false;
}

static void describe(ma_stencil *s, const ma_map *map) {
  int lead = NDIM - map->space.ndim;
  memset(s->edge, 0, sizeof s->edge);
  for (int d = 0; d < NDIM; d++) {
    s->low[d] = s->high[d] = 0;
    for (int j = 0; j < map->program->ninput; j++) {
      int32_t offset = s->read[j].offset[d];
      if (-offset > s->low[d]) s->low[d] = -offset;
      if (offset > s->high[d]) s->high[d] = offset;
    }
    s->shape[d] = d < lead ? 1 : map->space.shape[d - lead];
    for (int k = 0; k < map->program->noutput; k++)
      s->result[k].stride[d] = d < lead ? 0 : map->space.stride[k][d - lead];
  }
  for (int k = 0; k < map->program->noutput; k++) s->result[k].data = map->data[k];
  memcpy(s->scalar, map->scalar, map->program->nscalar * sizeof *s->scalar);
}

bool ma_views_find(const ma_map *map, ma_stencil *s) {
  const ma_program *program = map->program;
  bool shifted = false;
  if (program->ninput < 2 || program->body || map->space.ndim > NDIM ||
      map->space.noperand != program->noutput + program->ninput || ma_program_places(program))
    return false;
  s->program = program;
  s->id = 0;
  s->compile = MA_COMPILE_LATER;
  s->open = true;
  s->leave = false;
  s->nreach = 0;
  s->nfield = 0;
  for (int j = 0; j < program->ninput; j++) shifted |= add_input(s, map, j);
  if (!shifted || overlaps(map)) return false;
  describe(s, map);
  return true;
}
