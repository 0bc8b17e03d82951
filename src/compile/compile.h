/* compile.h: shows generated texts on request, and reports errors of compilers with the user's own lines. */
#ifndef MOONARRAY_COMPILE_H
#define MOONARRAY_COMPILE_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* Pieces that a backend adds to the user's lines, and messages leave out. A check of a held type, and a row of the
** tables: up to the next "));". */
#define MA_COMPILE_CHECK " constexpr unsigned long ma_held_"
#define MA_COMPILE_ADDED " static ma_kernel_row "
/* A kernel's indices: its parameter, their locals around the body, and the end of those. */
#define MA_COMPILE_INDICES "MA_INDICES"
#define MA_COMPILE_LOCALS " MA_INDEX_LOCALS "
#define MA_COMPILE_END "MA_INDEX_END "
/* Returns MA_ERR_COMPILE with the log (a long one is cut) and the lines around its first error, numbered and named by
** the `#line` markers of the text. `name` is the file name before the first marker; `log` may be NULL. With
** MOONARRAY_DEBUG=3 the whole text is printed to stderr. */
ma_status ma_compile_fail(const char *name, const char *text, const char *log);
/* Obeys MOONARRAY_DUMP and MOONARRAY_DEBUG=3; `extension` is ".cu" or ".cpp". */
void ma_compile_show(const char *name, const char *extension, const char *text);
/* Makes a file name from `name`: '_' replaces everything but letters, digits, '_', '-' and '.'. Returns `safe`. */
const char *ma_compile_name(const char *name, char *safe, size_t size);

/* includes.c: prints a line "// path hash" for each file that `text` includes, found through -I and --include-path. */
void ma_includes_print(ma_ctext *out, const char *text, const char *const *option, int noption);

/* For specs: makes the nth next compilation (1: the very next) and those after it fail, `times` in all; n = 0: none. */
void ma_compile_make_fail(int64_t n, int64_t times);
/* Called before every compilation. */
ma_status ma_compile_begin(const char *name);
/* Fails where the compilation of a kernel that nothing takes the place of would hold up a frame: a wait is an error on
** this thread, and the call does not prepare. */
ma_status ma_compile_may_wait(const char *name);
/* Whether nothing may wait for the compiler that something else can take the place of meanwhile. */
bool ma_compile_yields(void);
extern bool ma_compile_at_once; /* atomic: compile nothing in the background, for specs that count launches */
extern bool ma_compile_general; /* atomic: general forms alone, for specs and to record the floor set */
/* The calling thread compiles in the background: ma_compile_make_fail does not count its compilations. */
void ma_compile_background(void);
/* Atomic: compiled texts, and kernels that were compiled or loaded from the cache. */
extern int64_t ma_compiles, ma_kernels;

#pragma GCC visibility pop
#endif
