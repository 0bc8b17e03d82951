/* copy.c: programs that change nothing, which most of reshaping, joining and slicing becomes. Elements are moved as
** bytes from row to row, without blocks. If neighbours are along another axis than in the result, map.c uses tiles. */
#include "cpu/map/copy.h"

#include <stdint.h>
#include <string.h>

#define LEAST_ROW 16      /* elements; shorter rows are walked several at a time (map.c) */
#define PIECE 32768       /* bytes of a row that are moved at once */
#define GRAIN (8 * PIECE) /* bytes that are worth another thread, which takes 5 us to wake */

typedef struct copy {
  const ma_space *space;
  char *const *data;
  int size;
  /* A bool that is not 0 is written as 1. Results larger than the caches are written around them. */
  bool bools, streamed;
  int64_t span, per_row; /* elements of a piece; pieces of a row */
} copy;

static void copy_bools(char *to, const char *from, int64_t step, int n) {
  if (step != 1) {
    ma_gather_row(to, from, step, 1, n);
    from = to;
  }
  for (int i = 0; i < n; i++) to[i] = from[i] != 0;
}

/* Copies n elements, at most PIECE bytes. */
static void copy_piece(const copy *c, char *to, int64_t to_step, const char *from, int64_t from_step, int n) {
  char packed[PIECE];
  if (to_step == c->size && !c->streamed) {
    if (c->bools) copy_bools(to, from, from_step, n);
    else if (from_step == c->size) ma_move_bytes(to, from, (size_t)n * (size_t)c->size);
    else ma_gather_row(to, from, from_step, c->size, n);
    return;
  }
  if (from_step != c->size || c->bools) {
    if (c->bools) copy_bools(packed, from, from_step, n);
    else ma_gather_row(packed, from, from_step, c->size, n);
    from = packed;
  }
  if (to_step == c->size) ma_stream_bytes(to, from, (size_t)n * (size_t)c->size);
  else ma_scatter_row(to, to_step, from, c->size, n);
}

/* Copies pieces first .. last-1 in C order; an odometer counts the outer axes. */
static ma_status copy_rows(void *context, int64_t first, int64_t last) {
  const copy *c = context;
  const ma_space *space = c->space;
  int d = space->ndim - 1;
  int64_t at[MA_MAX_NDIM], row = first / c->per_row, piece = first % c->per_row, inner = space->shape[d];
  int64_t to_step = space->stride[0][d], from_step = space->stride[1][d];
  char *to = c->data[0];
  const char *from = c->data[1];
  for (int e = d - 1; e >= 0; e--) {
    at[e] = row % space->shape[e];
    row /= space->shape[e];
    to += at[e] * space->stride[0][e];
    from += at[e] * space->stride[1][e];
  }
  for (; first < last; first++) {
    int64_t i = piece * c->span, n = inner - i < c->span ? inner - i : c->span;
    copy_piece(c, to + i * to_step, to_step, from + i * from_step, from_step, (int)n);
    if (++piece < c->per_row) continue;
    piece = 0;
    for (int e = d - 1; e >= 0; e--) {
      bool carry = ++at[e] == space->shape[e];
      int64_t steps = carry ? 1 - space->shape[e] : 1;
      to += steps * space->stride[0][e];
      from += steps * space->stride[1][e];
      if (!carry) break;
      at[e] = 0;
    }
  }
  if (c->streamed) ma_stream_end();
  return MA_OK;
}

bool ma_cpu_copies(const ma_program *program) {
  return program->ncode == 0 && program->body == 0 && program->noutput == 1 && program->ninput == 1 &&
         program->output[0] == 0;
}

bool ma_cpu_copy(const ma_map *map, bool streamed, ma_status *status) {
  const ma_space *space = &map->space;
  ma_dtype dtype = (ma_dtype)map->program->input_dtype[0];
  int size = ma_dtypes[dtype].itemsize;
  int64_t inner = space->shape[space->ndim - 1], rows = 1;
  if (inner < LEAST_ROW && space->ndim > 1) return false;
  for (int d = 0; d < space->ndim - 1; d++) rows *= space->shape[d];
  copy c = { .space = space,
             .data = (char *const *)map->data,
             .size = size,
             .bools = dtype == MA_BOOL,
             .streamed = streamed,
             .span = PIECE / size };
  c.per_row = (inner + c.span - 1) / c.span;
  int64_t bytes = (inner < c.span ? inner : c.span) * size; /* of a piece */
  *status = ma_cpu_parallel(rows * c.per_row, (GRAIN + bytes - 1) / bytes, copy_rows, &c);
  return true;
}
