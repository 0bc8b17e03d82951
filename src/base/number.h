/* number.h: numbers as text and text as numbers, with a point whatever the decimal sign of the locale is. What is
** written is read again, and a kernel's text has C's numbers, in every process that calls setlocale. */
#ifndef MA_NUMBER_H
#define MA_NUMBER_H

#include "base/base.h"

#include <stdarg.h>

#pragma GCC visibility push(hidden)

double ma_strtod(const char *text, char **end);
int ma_print(char *out, size_t size, const char *format, ...) MA_PRINTF(3, 4); /* snprintf */
int ma_vprint(char *out, size_t size, const char *format, va_list arguments);
void ma_print_error(const char *format, ...) MA_PRINTF(1, 2); /* to stderr */
void ma_vprint_error(const char *format, va_list arguments);

#pragma GCC visibility pop
#endif
