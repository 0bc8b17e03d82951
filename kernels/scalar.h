/*
** scalar.h: the functions that the bodies of ops.def call, as C11 and as CUDA C++ (there without headers: NVRTC
** predeclares the mathematics). One name works for every width of a kind: in C by _Generic, in C++ by overloads. Each
** kind has names of its own:
**   ma_int_remainder(x, y)    integers
**   ma_remainder(x, y)        floats
**   ma_cexp(x)                complex
**   ma_to_i4(x)               converts any register type to the register of a dtype, with the suffixes of dtype.def
** Integers wrap, and nothing is undefined. integers.h, floats.h and complex.h are written once for a type T (or C, with
** its real type R): C++ reads them as templates, C includes them again for each type.
**
** NVRTC gets one text: scripts/embed.sh replaces the includes here by the parts.
*/
#ifndef MA_SCALAR_H
#define MA_SCALAR_H

#include "scalar/types.h"
#include "scalar/casts.h"
#include "scalar/mathematics.h"
#include "scalar/exponential.h"

#ifdef __cplusplus
#define MA_TEMPLATE template <class T> MA_FN
#define MA_COMPLEX template <class C> MA_FN
#define MA_SELF(name) name
#define R decltype(C::re)
/* Signed overflow is undefined in C++, so this is unsigned arithmetic, at least as wide as int. */
template <class T> struct ma_wide { typedef uint32_t type; };
template <> struct ma_wide<int64_t> { typedef uint64_t type; };
template <> struct ma_wide<uint64_t> { typedef uint64_t type; };
#define U typename ma_wide<T>::type
#include "scalar/integers.h"
#include "scalar/floats.h"
#include "scalar/complex.h"
#else
#include "scalar/passes.h"
#endif
#include "scalar/complex_functions.h"
#include "scalar/bessel.h"

#undef MA_TEMPLATE
#undef MA_COMPLEX
#undef MA_SELF
#undef R
#undef U

#endif
