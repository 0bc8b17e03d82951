/* absent.h: names and headers of CUDA that the CPU does not have. */
#ifndef MOONARRAY_CPU_ABSENT_H
#define MOONARRAY_CPU_ABSENT_H

#include "compile/compile.h"
#include "compile/lex.h"

#pragma GCC visibility push(hidden)

/* A name that ends with * matches every name with that beginning. */
bool ma_cpu_name_matches(const ma_token *token, const char *name);
const char *ma_cpu_absent(const ma_token *token);   /* description of a name that the CPU cannot offer; NULL: it can */
bool ma_cpu_header_is_here(const char *name);       /* a header of CUDA that is built in */
const char *ma_cpu_header_absent(const char *name); /* what to write instead; NULL: not known to be absent */

#pragma GCC visibility pop
#endif
