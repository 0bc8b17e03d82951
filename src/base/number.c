/* number.c: printf and strtod in the C locale, for one call of one thread. */
#include "base/number.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

static locale_t c_locale; /* 0: there was no memory for it */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

/* Returns the locale to go back to, 0 for none. */
static locale_t enter(void) {
  pthread_once(&once, make_locale);
  return c_locale ? uselocale(c_locale) : (locale_t)0;
}

static void leave(locale_t before) {
  if (before) uselocale(before);
}

double ma_strtod(const char *text, char **end) {
  pthread_once(&once, make_locale);
  return c_locale ? strtod_l(text, end, c_locale) : strtod(text, end);
}

int ma_vprint(char *out, size_t size, const char *format, va_list arguments) {
  locale_t before = enter();
  int n = vsnprintf(out, size, format, arguments);
  leave(before);
  return n;
}

int ma_print(char *out, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = ma_vprint(out, size, format, arguments);
  va_end(arguments);
  return n;
}

void ma_vprint_error(const char *format, va_list arguments) {
  locale_t before = enter();
  vfprintf(stderr, format, arguments);
  leave(before);
}

void ma_print_error(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ma_vprint_error(format, arguments);
  va_end(arguments);
}
