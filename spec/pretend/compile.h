/* compile.h: kernels' texts, compiled by the machine's C++ compiler: by the pretended NVRTC, and late by its driver. */
#ifndef PRETEND_COMPILE_H
#define PRETEND_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#define PRETEND_PTX "// pretended PTX\n"            /* behind it an image, two letters a byte */
#define PRETEND_LATE "// pretended PTX as a text\n" /* behind it the text itself, which the driver compiles */
#define MOST_EXPRESSIONS 32

typedef struct pretend_text {
  char *text, *log, *image; /* an image is a shared library behind its size */
  size_t size;              /* of the image */
  int nexpression;
  char *expression[MOST_EXPRESSIONS];
} pretend_text;

/* Makes the image, or a log alone. */
bool pretend_compile(pretend_text *text, const char *options);

#endif
