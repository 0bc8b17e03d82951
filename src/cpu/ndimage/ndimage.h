/* ndimage.h: what the files of src/cpu/ndimage share: rows of elements as rows of the arithmetic's dtype, and back. */
#ifndef MA_CPU_NDIMAGE_H
#define MA_CPU_NDIMAGE_H

#include "backend/filter.h"
#include "kernels/ndimage/network.h"

#pragma GCC visibility push(hidden)

/* Converts n contiguous elements. */
typedef void ma_row_loop(void *to, const void *from, int64_t n);
/* From a real dtype to float32, float64, int64 or uint64. */
ma_row_loop *ma_row_load(ma_dtype from, ma_dtype compute);
/* The loop for the way back. It converts by ma_cut (kernels/ndimage/edge.h), or if `near` by ma_near. */
ma_row_loop *ma_row_store(ma_dtype compute, ma_dtype to, bool near);

/* A tile: `n` rows of `width` neighbouring lines. Lines first .. first + width - 1 of an image of outer x n x inner
** elements begin at different positions of the axes around the middle one, in C order. */
typedef struct ma_tile {
  int64_t n, inner, first, width;
  size_t size;        /* of an element of the tile */
  size_t memory_size; /* of an element of the image */
} ma_tile;
/* How many of so many lines a tile has, if a line takes `nbytes` there. */
int64_t ma_tile_width(int64_t nbytes, int64_t lines);
void ma_tile_load(const ma_tile *tile, void *to, const void *image, ma_row_loop *load);
/* One line of the tile, whose elements are of its dtype. */
void ma_tile_put(const ma_tile *tile, void *to, int64_t column, const void *line);
void ma_tile_get(const ma_tile *tile, void *line, const void *from, int64_t column);
void ma_tile_store(const ma_tile *tile, void *image, const void *from, ma_row_loop *store);

/* window_loops.c: how to make `n` results from rows of elements, one row a tap. */
typedef struct ma_taps {
  int n;
  const void *const *row;
  const double *weight;
  int symmetry;
  int64_t rank;
  const ma_network *network; /* RANK of few taps; NULL: selection */
  void *scratch;             /* for selection: an element for each tap */
} ma_taps;
typedef void ma_window_loop(void *to, const ma_taps *taps, int64_t n);
ma_window_loop *ma_window_find(ma_filter_op op, ma_dtype compute);

#pragma GCC visibility pop
#endif
