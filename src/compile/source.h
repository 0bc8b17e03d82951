/* source.h: the text of a module of the user's own. */
#ifndef MOONARRAY_SOURCE_H
#define MOONARRAY_SOURCE_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* source.c: what is compiled for a source: the prelude, if it is asked for, then the text under its own name and line
** numbers. */
void ma_module_text(ma_ctext *text, const ma_module_source *source);

#pragma GCC visibility pop
#endif
