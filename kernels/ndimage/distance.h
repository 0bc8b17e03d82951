/*
** distance.h: Euclidean distances to the nearest of some places, exactly, one axis after the other, as lower envelopes
** of parabolas (Felzenszwalb and Huttenlocher). In C11 and CUDA C++.
*/
#ifndef MA_DISTANCE_H
#define MA_DISTANCE_H

#ifdef __CUDACC_RTC__
#define MA_DISTANCE_FN static __device__ __forceinline__
#else
#define MA_DISTANCE_FN static inline
#endif

/* A line of n elements, `step` apart. Each has the squared distance along the axes before, infinite where there is no
** place, and the number of that place; `place` may be NULL. Results go to `to_square` and `to_place`, which may be the
** same memory. */
typedef struct ma_distance_line {
  const double *square;
  const long long *place;
  double *to_square;
  long long *to_place;
  long long step;
  int n;
  double spacing; /* between neighbours along this axis */
} ma_distance_line;

/* Room for the envelope of a line of n: for each parabola its lowest point, and where it becomes the lowest one. The
** elements of each array are `step` apart; `place` is needed only if the line has places. */
typedef struct ma_envelope {
  double *height, *from;
  long long *place;
  int *at;
  long long step;
} ma_envelope;

/* Makes the envelope of the line's parabolas and returns their number. */
MA_DISTANCE_FN int ma_envelope_make(const ma_envelope *e, const ma_distance_line *line) {
  const double scale = 2 * line->spacing * line->spacing, none = 1e300 * 1e300;
  int count = 0, lowest = 0;
  double height = 0;
  for (int y = 0; y < line->n; y++) {
    const double square = line->square[y * line->step];
    double cross = 0;
    if (!(square < none)) continue;
    while (count > 0) {
      cross = (square - height) / (scale * (y - lowest)) + 0.5 * ((double)y + lowest);
      if (count == 1 || cross > e->from[(count - 1) * e->step]) break;
      count--;
      lowest = e->at[(count - 1) * e->step];
      height = e->height[(count - 1) * e->step];
    }
    e->at[count * e->step] = lowest = y;
    e->height[count * e->step] = height = square;
    e->from[count * e->step] = cross;
    if (line->place) e->place[count * e->step] = line->place[y * line->step];
    count++;
  }
  return count;
}

/* Adds the distance along the line: each element gets the value of the lowest parabola at it. */
MA_DISTANCE_FN void ma_distance_along(const ma_envelope *e, const ma_distance_line *line) {
  const int count = ma_envelope_make(e, line);
  int k = 0;
  for (int x = 0; x < line->n; x++) {
    if (count == 0) { /* no place anywhere */
      line->to_square[x * line->step] = line->square[x * line->step];
      if (line->place) line->to_place[x * line->step] = -1;
      continue;
    }
    while (k + 1 < count && e->from[(k + 1) * e->step] < x) k++;
    const double apart = (x - e->at[k * e->step]) * line->spacing;
    line->to_square[x * line->step] = e->height[k * e->step] + apart * apart;
    if (line->place) line->to_place[x * line->step] = e->place[k * e->step];
  }
}

#endif
