/* options.h: options of a user's kernel for the machine's C++ compiler. */
#ifndef MA_CPU_OPTIONS_H
#define MA_CPU_OPTIONS_H

#include "cpu/cpu.h"

#pragma GCC visibility push(hidden)

#define MA_CPU_OPTIONS 64 /* limit of the options of a kernel */

typedef struct ma_cpu_options {
  ma_ctext text; /* each word, followed by a newline */
  char *word[MA_CPU_OPTIONS];
  int n;
} ma_cpu_options;

/* Fills to->text, which the caller frees. */
ma_status ma_cpu_options_read(const char *const *option, int noption, ma_cpu_options *to);
/* Splits `copy`, a copy of the text, into words. */
void ma_cpu_options_split(ma_cpu_options *to, char *copy);

#pragma GCC visibility pop
#endif
