/* absent.h: what of CUDA there is not on a CPU. */
#ifndef MOONARRAY_CPU_ABSENT_H
#define MOONARRAY_CPU_ABSENT_H

#include "compile/compile.h"
#include "compile/lex.h"

#pragma GCC visibility push(hidden)

/* a name that ends with * stands for all that begin so */
bool ma_cpu_name_matches(const ma_token *token, const char *name);
const char *ma_cpu_absent(const ma_token *token);   /* what a name that cannot be had on a CPU is; NULL: it can */
bool ma_cpu_header_is_here(const char *name);       /* of CUDA's own; it needs no text */
const char *ma_cpu_header_absent(const char *name); /* what to write in its place; NULL: not known to be absent */

#pragma GCC visibility pop
#endif
