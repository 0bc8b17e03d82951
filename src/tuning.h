/* tuning.h: the numbers of tuning.def as constants: TUNE_NAME. A file that needs one includes this header itself. */
#ifndef MOONARRAY_TUNING_H
#define MOONARRAY_TUNING_H

#define TUNE_ANY (1 << 30) /* as good as infinite: no program of a spec has so many of anything */

#define TUNE_MIB(n) ((size_t)(n) << 20) /* bytes of what is counted in MiB */

/* make TUNING=one: the least values; make TUNING=infinite: the greatest. */
#ifdef TUNING_one
#define TUNE(name, value, least, most, unit, key, text) TUNE_##name = (least),
#elif defined TUNING_infinite
#define TUNE(name, value, least, most, unit, key, text) TUNE_##name = (most),
#else
#define TUNE(name, value, least, most, unit, key, text) TUNE_##name = (value),
#endif
enum {
#include "tuning.def"
};
#undef TUNE

#define TUNE(name, value, least, most, unit, key, text) \
  _Static_assert((least) <= (value) && (value) <= (most), #name " is between its bounds");
#include "tuning.def"
#undef TUNE

#endif
