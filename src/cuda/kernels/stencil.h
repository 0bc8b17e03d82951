/* stencil.h: how a stencil's kernel divides a field and its reads: stencil.c chooses, stencil_text.c prints. */
#ifndef MOONARRAY_CUDA_STENCIL_H
#define MOONARRAY_CUDA_STENCIL_H

#include "cuda/cuda.h"

#pragma GCC visibility push(hidden)

/* How a field or a result lies along x; kernels/stencil/stencil.cuh explains the walks and the axes t, m, x. */
typedef enum ma_stencil_walk {
  MA_ST_VECTOR,
  MA_ST_ELEMENT,
  MA_ST_STRIDED,
  MA_ST_STILL,
  MA_ST_UNIFORM, /* draws */
  MA_ST_NORMAL,
  MA_ST_WHOLE
} ma_stencil_walk;

/* Everything but the program that a kernel's text depends on; compared as bytes. */
typedef struct ma_stencil_variant {
  uint8_t width, steps, along_t, leave, nfield, narrow, open;
  uint8_t deep; /* m is the fields' first axis, t their second */
  uint16_t across;
  uint8_t edge[3]; /* of t, m, x, as are the offsets */
  uint8_t dtype[MA_STENCIL_FIELDS], walk[MA_STENCIL_FIELDS], result_walk[MA_MAX_OUTPUTS], field[MA_MAX_INPUTS];
  int16_t offset[MA_MAX_INPUTS][3];
  uint8_t nreach, reach[MA_MAX_INPUTS];
} ma_stencil_variant;

/* The inputs that read one field at one distance along t, and near each other along m and x. */
typedef struct ma_stencil_line {
  int field, t, low_m, high_m, low_x, high_x;
} ma_stencil_line;

typedef struct ma_stencil_text {
  const ma_program *program;
  const ma_stencil_variant *variant;
} ma_stencil_text;

/* Divides the inputs into lines; of[j] is the line of input j. */
int ma_stencil_lines(const ma_stencil_variant *v, int ninput, ma_stencil_line *lines, int *of);

extern const ma_cuda_family ma_stencil_family;

#pragma GCC visibility pop
#endif
