/*
** element.h: one element of a draw, for functions of elements: what element i of a whole draw has (random.cuh,
** src/cpu/random), bit for bit. In a loop a place of the function takes other words of the same draw: turn t begins
** with attempt t * MA_RANDOM_ATTEMPTS, because a bounded integer may take that many.
*/
#ifndef MOONARRAY_RANDOM_ELEMENT_H
#define MOONARRAY_RANDOM_ELEMENT_H

/* An element of the draws of a generator, from draw number `draw` on. */
typedef struct ma_drawing {
  uint64_t key, element;
  uint32_t draw;
} ma_drawing;

/* In a graph the key is 0 and the cell has it. A loop over elements with a branch here is not vectorised. */
MA_FN ma_drawing ma_drawing_of(uint32_t low, uint32_t high, uint32_t draw, const ma_random_cell *cell,
                               uint64_t element) {
  ma_drawing d;
  d.key = (uint64_t)high << 32 | low;
  d.draw = draw;
  d.element = element;
#ifdef __CUDACC_RTC__
  if (!cell) return d;
#else
  static const ma_random_cell none = { 0, 0, 0 };
  if (!cell) cell = &none;
#endif
  d.key += cell->key;
  d.draw += cell->draw;
  return d;
}

/* The words of the element's block, of which there is one for 4 elements, or with words of 64 bits for 2. */
MA_FN ma_words ma_drawing_words(ma_drawing d, uint32_t turn, uint32_t per_block) {
  return ma_philox(d.key, d.element / per_block, turn * MA_RANDOM_ATTEMPTS, d.draw);
}

/* What an element has of its block, of which it is number `lane`. */
MA_FN float ma_lane_uniform_f(ma_words w, uint32_t lane, int bits) {
  return ma_uniform_f(ma_word32(w, (int)lane), bits);
}

MA_FN double ma_lane_uniform_d(ma_words w, uint32_t lane) {
  return lane ? ma_uniform_d(w.z, w.w) : ma_uniform_d(w.x, w.y);
}

MA_FN float ma_lane_normal_f(ma_words w, uint32_t lane) {
  float first, second;
  ma_normals_f(lane & 2 ? w.z : w.x, lane & 2 ? w.w : w.y, &first, &second);
  return lane & 1 ? second : first;
}

MA_FN double ma_lane_normal_d(ma_words w, uint32_t lane) {
  double first, second;
  ma_normals_d(w, &first, &second);
  return lane ? second : first;
}

MA_FN float ma_element_uniform_f(ma_drawing d, uint32_t turn, int bits) {
  return ma_lane_uniform_f(ma_drawing_words(d, turn, 4), (uint32_t)d.element & 3, bits);
}

MA_FN double ma_element_uniform_d(ma_drawing d, uint32_t turn) {
  return ma_lane_uniform_d(ma_drawing_words(d, turn, 2), (uint32_t)d.element & 1);
}

MA_FN float ma_element_normal_f(ma_drawing d, uint32_t turn) {
  return ma_lane_normal_f(ma_drawing_words(d, turn, 4), (uint32_t)d.element & 3);
}

MA_FN double ma_element_normal_d(ma_drawing d, uint32_t turn) {
  return ma_lane_normal_d(ma_drawing_words(d, turn, 2), (uint32_t)d.element & 1);
}

/* A whole number of from .. to; `from` if there is none. */
MA_FN int64_t ma_element_integer(ma_drawing d, uint32_t turn, int64_t from, int64_t to) {
  ma_random_job job;
  uint64_t drawn;
  if (to < from) return from;
  job.key = d.key;
  job.draw = d.draw;
  job.attempt = turn * MA_RANDOM_ATTEMPTS;
  job.span = (uint64_t)to - (uint64_t)from + 1;
  job.threshold = 0;
  if (job.span != 0 && job.span <= (uint64_t)1 << 32) {
    uint32_t word = ma_word32(ma_drawing_words(d, turn, 4), (int)(d.element & 3));
    /* The threshold is below the span, and computing it takes a division. */
    if ((uint32_t)(word * job.span) < job.span) job.threshold = ((uint64_t)1 << 32) % job.span;
    drawn = ma_bounded(&job, word, d.element / 4, (int)(d.element & 3));
  } else {
    uint64_t word = ma_word64(ma_drawing_words(d, turn, 2), (int)(d.element & 1));
    if (job.span != 0) job.threshold = (0 - job.span) % job.span;
    drawn = ma_bounded64(&job, word, d.element / 2, (int)(d.element & 1));
  }
  return (int64_t)((uint64_t)from + drawn);
}

#endif
