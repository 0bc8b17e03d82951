/* interpolate.h: the slots of splines and grids: bspline.c, regular.c. */
#ifndef MA_CPU_INTERPOLATE_H
#define MA_CPU_INTERPOLATE_H

#include "backend/interpolate.h"

#pragma GCC visibility push(hidden)

#define MA_LANES 64 /* points that are worked on at once */

#pragma GCC visibility pop
#endif
