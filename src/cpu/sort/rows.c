/* rows.c: the elements of each dtype as numbers. */
#include "cpu/sort/rows.h"

#include "cpu/map/wider.h"
#include "kernels/sort/order.h"

#define REAL
#define LESS(a, b) ((a) < (b))
#define PART(key, rest) ((uint64_t)(key))
#define SUFFIX b1
#define ITEM uint8_t
#define KEY uint32_t
#include "cpu/sort/sort_row.h"
#define SUFFIX i1
#define ITEM uint8_t
#define KEY uint32_t
#include "cpu/sort/sort_row.h"
#define SUFFIX i2
#define ITEM uint16_t
#define KEY uint32_t
#include "cpu/sort/sort_row.h"
#define SUFFIX i4
#define ITEM uint32_t
#define KEY uint32_t
#include "cpu/sort/sort_row.h"
#define SUFFIX i8
#define ITEM uint64_t
#define KEY uint64_t
#include "cpu/sort/sort_row.h"
#define SUFFIX u1
#define ITEM uint8_t
#define KEY uint32_t
#include "cpu/sort/sort_row.h"
#define SUFFIX u2
#define ITEM uint16_t
#define KEY uint32_t
#include "cpu/sort/sort_row.h"
#define SUFFIX u4
#define ITEM uint32_t
#define KEY uint32_t
#include "cpu/sort/sort_row.h"
#define SUFFIX u8
#define ITEM uint64_t
#define KEY uint64_t
#include "cpu/sort/sort_row.h"
#define SUFFIX f2
#define ITEM uint16_t
#define KEY uint32_t
#include "cpu/sort/sort_row.h"
#define SUFFIX bf
#define ITEM uint16_t
#define KEY uint32_t
#include "cpu/sort/sort_row.h"
#define SUFFIX f4
#define ITEM uint32_t
#define KEY uint32_t
#include "cpu/sort/sort_row.h"
#define SUFFIX f8
#define ITEM uint64_t
#define KEY uint64_t
#include "cpu/sort/sort_row.h"
#undef REAL
#define SUFFIX c8
#define ITEM uint64_t
#define KEY uint64_t
#include "cpu/sort/sort_row.h"
#undef LESS
#undef PART
#define WIDE
#define LESS(a, b) ((a).hi < (b).hi || ((a).hi == (b).hi && (a).lo < (b).lo))
#define PART(key, rest) ((rest) ? (key).lo : (key).hi)
#define SUFFIX c16
#define ITEM ma_order128
#define KEY ma_order128
#include "cpu/sort/sort_row.h"

#define numbers_c16 NULL
#define elements_c8 NULL
#define elements_c16 NULL
#define restore_c8 NULL
#define restore_c16 NULL
#define extremes_c8 NULL
#define extremes_c16 NULL

const ma_sort_loops ma_sort_loops_of[MA_NDTYPE] = {
#define DTYPE(ID, name, s, itemsize, kind, npy, reg)                                          \
  [MA_##ID] = { numbers_##s, elements_##s, restore_##s, span_##s,     places_##s, gather_##s, \
                way_##s,     reverse_##s,  search_##s,  extremes_##s, changes_##s },
#include "base/dtype.def"
#undef DTYPE
};
