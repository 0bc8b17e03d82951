/* source.h: the text of a module that the user wrote. */
#ifndef MOONARRAY_SOURCE_H
#define MOONARRAY_SOURCE_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* source.c: prints the prelude, if it is asked for, and the source under its own file name and line numbers. */
void ma_module_text(ma_ctext *text, const ma_module_source *source);

#pragma GCC visibility pop
#endif
