/*
** math.c: sin, cos, tan and pow of Windows' own C library, and the inverse of cosh. Those of mingw-w64, which would be
** linked into the module otherwise, take x87's instructions: they know pi to 66 bits only, so a sine of 1e9 has five
** digits fewer, and are off by 20 units in the last place in powers.
*/
#include <math.h>
#include <windows.h>

#define FUNCTIONS(DO1, DO2) \
  DO1(sin, double)          \
  DO1(cos, double) DO1(tan, double) DO1(sinf, float) DO1(cosf, float) DO1(tanf, float) DO2(pow, double) DO2(powf, float)

#define POINTER1(name, type) static type (*real_##name)(type);
#define POINTER2(name, type) static type (*real_##name)(type, type);
FUNCTIONS(POINTER1, POINTER2)

__attribute__((constructor)) static void find(void) {
  HMODULE library = GetModuleHandleA("msvcrt.dll"); /* which this module is linked with */
#define FIND(name, type) real_##name = (void *)GetProcAddress(library, #name);
  FUNCTIONS(FIND, FIND)
}

#define DEFINE1(name, type) \
  type name(type x) { return real_##name(x); }
#define DEFINE2(name, type) \
  type name(type x, type y) { return real_##name(x, y); }
FUNCTIONS(DEFINE1, DEFINE2)

double acosh(double x) {
  double above = x - 1;
  if (!(above >= 0)) return NAN;
  return x > 1e150 ? log(x) + 0.69314718055994530942 : log1p(above + sqrt(2 * above + above * above));
}

float acoshf(float x) { return (float)acosh((double)x); }
