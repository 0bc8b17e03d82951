/*
** march.c: runs the compiled form of a stencil. Rows whose neighbours are all inside go to the function together, each
** other one alone: the function gets the address of the row that stands for one outside, or of a row of the value. It
** looks up the columns near the ends of rows in a table.
*/
#include "compile/print.h"
#include "cpu/cpu.h"
#include "cpu/stencil/compiled.h"
#include "kernels/ndimage/edge.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

#define NDIM MA_STENCIL_NDIM
#define MOST_EDGE 64 /* columns in the table, unless it is allocated */

typedef struct march {
  const ma_stencil_compiled *compiled;
  const ma_stencil *s;
  const int64_t *first, *extent;
  int64_t inner, end; /* columns whose neighbours are all inside */
  int64_t pieces;     /* of a row */
  bool needs_row;     /* rows may be outside, where they are the value */
  size_t drawn;       /* bytes of a column's elements of all draws */
  int64_t most_rows;  /* that run together, whose draws are made before */
  int32_t nedge, *edge, *place;
  ma_reach_frame frame;
  ma_reach_field reach[MA_MAX_INPUTS];
  _Alignas(16) char outside[MA_STENCIL_FIELDS * 16];
  _Alignas(16) char scalars[(MA_MAX_SCALARS + 1) * 16];
} march;

static int itemsize(ma_dtype dtype) { return ma_dtypes[dtype].itemsize; }

/* Sets where the rows of a line are, for rows from (z, y) on. If several rows run together, their neighbours along y
** are inside. */
static void aim(const march *m, ma_stencil_rows *r, int l, const char *const *row, int64_t z, int64_t y) {
  const ma_stencil *s = m->s;
  const ma_stencil_line *line = &m->compiled->line[l];
  const ma_stencil_field *f = &s->field[line->field];
  if (!f->data) return;
  int64_t at_z = ma_edge_place(z + line->offset[0], s->shape[0], s->edge[0]);
  int64_t at_y = ma_edge_place(y + line->offset[1], s->shape[1], s->edge[1]);
  r->along[l] = f->stride[2];
  if ((at_z | at_y) >= 0) r->line[l] = f->data + at_z * f->stride[0] + at_y * f->stride[1];
  else if (f->stride[2] == itemsize(f->dtype)) r->line[l] = row[line->field];
  else {
    r->line[l] = m->outside + 16 * line->field; /* one element of the value is as good as a row of it */
    r->along[l] = 0;
  }
}

/* Whether all planes near z are the value outside. Then one row of it stands for all their rows. */
static bool is_value(const ma_stencil *s, int64_t z) {
  return s->edge[0] == MA_EDGE_CONSTANT && (z < s->low[0] || z >= s->shape[0] - s->high[0]);
}

/* Makes the elements of draws for n columns from x on, of rows that lie behind each other, and calls the function. */
static void run_drawn(const march *m, ma_stencil_rows *r, char *draws, int64_t z, int64_t y, int64_t x, int64_t n) {
  const ma_stencil *s = m->s;
  for (int l = 0; l < m->compiled->nline && m->drawn; l++) {
    const ma_stencil_field *f = &s->field[m->compiled->line[l].field];
    int size = itemsize(f->dtype);
    if (f->data) continue;
    ma_cpu_drawn(&f->drawn, MA_STENCIL_NUMBER(s, z, y, x), n, draws);
    r->line[l] = (const char *)((uintptr_t)draws - (uintptr_t)(x * size));
    r->along[l] = size;
    draws += (n * size + 63) / 64 * 64;
  }
  m->compiled->run(r);
}

/* The same for a part of a row, whose columns near the ends of the row lie elsewhere. */
static void run_piece(const march *m, ma_stencil_rows *r, char *draws, int64_t z, int64_t y) {
  int64_t nedge = r->nedge;
  r->nedge = 0;
  if (r->last > r->first) run_drawn(m, r, draws, z, y, r->first, r->last - r->first);
  r->first = r->last;
  r->nedge = 1;
  for (int64_t k = 0; k < nedge; k++) {
    r->edge = m->edge + k;
    r->place = m->place + k * m->s->program->ninput;
    run_drawn(m, r, draws, z, y, m->edge[k], 1);
  }
  r->edge = m->edge;
  r->place = m->place;
}

/* Runs as many of the parts unit .. last - 1 of rows as can run together, and returns how many those are. */
static int64_t run_together(const march *m, ma_stencil_rows *r, const char *const *outside, char *draws, int64_t unit,
                            int64_t last) {
  const ma_stencil *s = m->s;
  int64_t row = unit / m->pieces, piece = unit % m->pieces, in_plane = row % m->extent[1];
  int64_t z = m->first[0] + row / m->extent[1], y = m->first[1] + in_plane;
  r->z = z;
  r->y = y;
  r->rows = 1;
  r->first = m->inner;
  r->last = m->end;
  r->nedge = piece ? 0 : m->nedge;
  if (m->pieces > 1) {
    int64_t from = m->first[2] + piece * TUNE_MARCH_PIECE, to = from + TUNE_MARCH_PIECE;
    if (r->first < from) r->first = from;
    if (r->last > to && piece + 1 < m->pieces) r->last = to;
    if (r->last < r->first) r->last = r->first; /* the piece has edges alone, as a short first one may */
  } else if (y >= s->low[1] && y < s->shape[1] - s->high[1] && !is_value(s, z)) {
    r->rows = s->shape[1] - s->high[1] - y;
    if (r->rows > m->extent[1] - in_plane) r->rows = m->extent[1] - in_plane;
    if (r->rows > last - unit) r->rows = last - unit;
    if (r->rows > m->most_rows) r->rows = m->most_rows;
  }
  for (int l = 0; l < m->compiled->nline; l++) aim(m, r, l, outside, z, y);
  for (int k = 0; k < s->program->noutput; k++)
    r->to[k] = s->result[k].data + z * s->result[k].stride[0] + y * s->result[k].stride[1];
  int64_t ran = r->rows;
  if (m->drawn && m->pieces > 1) run_piece(m, r, draws, z, y);
  else run_drawn(m, r, draws, z, y, 0, r->rows * s->shape[2]);
  return ran;
}

/* Makes a row of the value outside for each field. */
static void fill_rows(const march *m, char *bytes, const char **row) {
  for (int f = 0; f < m->s->nfield; f++) {
    int size = itemsize(m->s->field[f].dtype);
    row[f] = bytes;
    ma_gather_row(bytes, m->outside + 16 * f, 0, size, (int)m->s->shape[2]);
    bytes += (m->s->shape[2] * size + 15) / 16 * 16;
  }
}

static ma_status run_range(void *context, int64_t first, int64_t last) {
  const march *m = context;
  const ma_stencil *s = m->s;
  const char *row[MA_STENCIL_FIELDS]; /* filled if one may be used */
  _Alignas(16) char near[TUNE_MARCH_STACK];
  char *owned = NULL, *draws = NULL;
  ma_stencil_rows r;
  r.edge = m->edge;
  r.place = m->place;
  r.outside = m->outside;
  r.scalars = m->scalars;
  r.reach = &m->frame;
  for (int f = 0; f < s->nfield; f++) r.step[f] = s->field[f].stride[1];
  for (int k = 0; k < s->program->noutput; k++) r.to_step[k] = s->result[k].stride[1];
  for (int k = 0; k < s->program->noutput; k++) r.to_along[k] = s->result[k].stride[2];
  if (m->needs_row) {
    size_t room = 0;
    for (int f = 0; f < s->nfield; f++) room += (size_t)(s->shape[2] * itemsize(s->field[f].dtype) + 15) / 16 * 16;
    if (room > sizeof near && !(owned = malloc(room)))
      return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for rows of a stencil", room);
    fill_rows(m, owned ? owned : near, row);
  }
  if (m->drawn) {
    int64_t columns = m->pieces > 1 ? TUNE_MARCH_PIECE : m->most_rows * s->shape[2];
    size_t room = m->drawn * (size_t)columns + 64 * MA_MAX_INPUTS;
    if (!(draws = malloc(room))) {
      free(owned);
      return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for the draws of a stencil", room);
    }
  }
  while (first < last) first += run_together(m, &r, row, draws, first, last);
  free(draws);
  free(owned);
  return MA_OK;
}

/* Finds which columns have all their neighbours inside. Returns how many have not. */
static int64_t find_inner(march *m, const ma_stencil *s, int64_t from, int64_t n) {
  m->inner = from > s->low[2] ? from : s->low[2];
  m->end = s->shape[2] - s->high[2];
  if (m->end > from + n) m->end = from + n;
  if (m->end < m->inner) m->end = m->inner = from; /* all columns are edges */
  return n - (m->end - m->inner);
}

/* Fills the table of the other columns. */
static void find_edges(march *m, const ma_stencil *s, int64_t from, int64_t n) {
  m->nedge = 0;
  for (int64_t x = from; x < from + n; x++) {
    if (x == m->inner && m->end > x) x = m->end;
    if (x == from + n) break;
    int32_t *place = &m->place[m->nedge * s->program->ninput];
    m->edge[m->nedge++] = (int32_t)x;
    for (int j = 0; j < s->program->ninput; j++)
      place[j] = (int32_t)ma_edge_place(x + s->read[j].offset[2], s->shape[2], s->edge[2]);
  }
}

/* Describes the fields that a body reaches. */
static void fill_frame(march *m, const ma_stencil *s) {
  for (int d = 0; d < NDIM; d++) {
    m->frame.n[d] = s->shape[d];
    m->frame.edge[d] = s->edge[d];
  }
  m->frame.field = m->reach;
  for (int k = 0; k < s->nreach; k++) {
    const ma_stencil_field *f = &s->field[s->reach[k]];
    m->reach[k].data = f->data;
    m->reach[k].outside = m->outside + 16 * s->reach[k];
    memcpy(m->reach[k].stride, f->stride, sizeof m->reach[k].stride);
  }
}

bool ma_stencil_march(const ma_stencil_compiled *compiled, const ma_stencil *s, const int64_t *first,
                      const int64_t *extent, ma_status *status) {
  march m;
  int32_t edge[MOST_EDGE * (1 + MA_MAX_INPUTS)], *table = edge;
  m.compiled = compiled;
  m.s = s;
  m.first = first;
  m.extent = extent;
  int64_t nedge = find_inner(&m, s, first[2], extent[2]), each_edge = 1 + s->program->ninput;
  if (nedge > MOST_EDGE) {
    if (!s->program->body) return false;
    table = malloc((size_t)(nedge * each_edge) * sizeof *table);
    if (!table) {
      *status = ma_fail(MA_ERR_MEMORY, "out of memory for the edges of a stencil");
      return true;
    }
  }
  m.edge = table;
  m.place = table + nedge;
  find_edges(&m, s, first[2], extent[2]);
  m.pieces = extent[2] / 2 < TUNE_MARCH_PIECE ? 1 : (extent[2] + TUNE_MARCH_PIECE - 1) / TUNE_MARCH_PIECE;
  m.drawn = 0;
  for (int f = 0; f < s->nfield; f++)
    if (!s->field[f].data) m.drawn += (size_t)itemsize(s->field[f].dtype);
  m.most_rows = m.drawn ? TUNE_MARCH_DRAWS / ((int64_t)m.drawn * s->shape[2]) : INT64_MAX;
  if (m.most_rows < 1) m.most_rows = 1;
  m.needs_row = false;
  for (int d = 0; d < 2; d++) m.needs_row |= s->edge[d] == MA_EDGE_CONSTANT && s->low[d] + s->high[d] > 0;
  for (int f = 0; f < s->nfield; f++) {
    memset(m.outside + 16 * f, 0, 16);
    ma_value_store(m.outside + 16 * f, s->field[f].dtype, s->field[f].outside);
  }
  ma_pack_scalars(s->program, s->scalar, m.scalars);
  fill_frame(&m, s);
  int64_t rows = extent[0] * extent[1], each = m.pieces > 1 ? TUNE_MARCH_PIECE : extent[2];
  *status = ma_cpu_parallel(rows * m.pieces, TUNE_THREAD_STEPS / each, run_range, &m);
  if (table != edge) free(table);
  return true;
}
