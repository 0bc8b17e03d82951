/* compile.h: what the compilers of both backends share: texts shown on request, failures told against the user's own
** lines. */
#ifndef MOONARRAY_COMPILE_H
#define MOONARRAY_COMPILE_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* MA_ERR_COMPILE with the log (cut where it is long) and the lines around its first error, numbered and named as
** `#line` markers in the text say. `name` is the file's before the first marker; log may be NULL. With
** MOONARRAY_DEBUG=3 the whole text is printed. */
#define MA_COMPILE_CHECK " constexpr unsigned long ma_held_" /* as MA_COMPILE_ADDED */
/* begins what a backend adds to a line of the user's, to the next "));": it is not shown */
#define MA_COMPILE_ADDED " static ma_kernel_row "
ma_status ma_compile_fail(const char *name, const char *text, const char *log);
/* MOONARRAY_DUMP and MOONARRAY_DEBUG=3; `extension` is ".cu" or ".cpp". */
void ma_compile_show(const char *name, const char *extension, const char *text);
/* The file name that `name` becomes: what is no letter, digit, '_', '-' or '.' is '_'. Returns safe. */
const char *ma_compile_name(const char *name, char *safe, size_t size);

/* includes.c: a line for each file that `text` includes, "// path hash", found by the options' -I and
** --include-path. */
void ma_includes_print(ma_ctext *out, const char *text, const char *const *option, int noption);

/* Makes the nth next compilation (1: the very next) and those after it fail, `times` in all; n = 0: none. For the
** specs. */
void ma_compile_make_fail(int64_t n, int64_t times);
/* Called first by whatever is about to compile. */
ma_status ma_compile_begin(const char *name);
extern bool ma_compile_at_once;   /* atomic: nothing is left to the background, for specs that count launches */
void ma_compile_background(void); /* the calling thread's are not among those made to fail: nobody waits for them */
/* atomic: texts compiled so far, and kernels of ours built or loaded from the cache */
extern int64_t ma_compiles, ma_kernels;

#pragma GCC visibility pop
#endif
