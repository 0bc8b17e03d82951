/* libraries.h: what was found of the libraries that are opened at run time, for show_config, which opens them all. */
#ifndef MOONARRAY_LIBRARIES_H
#define MOONARRAY_LIBRARIES_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

typedef struct ma_library_look {
  const char *title;
  bool found;
  char path[4096], version[200]; /* of one that was found */
  char why[800];                 /* else: what was looked for, and how to get it */
} ma_library_look;               /* the backend's slot `library` fills it */

#pragma GCC visibility pop
#endif
