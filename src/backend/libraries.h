/* libraries.h: one library that is opened at run time, as show_config prints it. show_config opens all of them. */
#ifndef MOONARRAY_LIBRARIES_H
#define MOONARRAY_LIBRARIES_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

typedef struct ma_library_look {
  const char *title;
  bool found;
  char path[4096], version[200]; /* set if the library was found */
  char why[800];                 /* set if not: what was looked for, and how to install it */
} ma_library_look;               /* filled by the backend's slot `library` */

#pragma GCC visibility pop
#endif
