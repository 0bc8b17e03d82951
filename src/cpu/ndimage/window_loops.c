/* window_loops.c: what is made of the elements of a window, as loops over rows of elements, one row a tap. */
#include "cpu/ndimage/ndimage.h"
#include "cpu/map/wider.h"

#define T float
#define LANE int32_t
#define NAMED(name) name##_f4
#define FLOATING 1
#include "cpu/ndimage/window_loop.h"
#define T double
#define LANE int64_t
#define NAMED(name) name##_f8
#define FLOATING 1
#include "cpu/ndimage/window_loop.h"
#define T int64_t
#define LANE int64_t
#define NAMED(name) name##_i8
#define FLOATING 0
#include "cpu/ndimage/window_loop.h"
#define T uint64_t
#define LANE int64_t
#define NAMED(name) name##_u8
#define FLOATING 0
#include "cpu/ndimage/window_loop.h"

ma_window_loop *ma_window_find(ma_filter_op op, ma_dtype compute) {
  static ma_window_loop *const loops[4][4] = {
    [MA_FILTER_CORRELATE] = { correlate_f4, correlate_f8, NULL, NULL },
    [MA_FILTER_MIN] = { least_f4, least_f8, least_i8, least_u8 },
    [MA_FILTER_MAX] = { greatest_f4, greatest_f8, greatest_i8, greatest_u8 },
    [MA_FILTER_RANK] = { ranked_f4, ranked_f8, ranked_i8, ranked_u8 },
  };
  return loops[op][compute == MA_FLOAT32 ? 0 : compute == MA_FLOAT64 ? 1 : compute == MA_INT64 ? 2 : 3];
}
