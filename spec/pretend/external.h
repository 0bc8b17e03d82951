/* external.h: memory of other interfaces in the pretended driver. */
#ifndef PRETEND_EXTERNAL_H
#define PRETEND_EXTERNAL_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

bool external_unmap(void *address); /* false: it is not mapped from there */

#pragma GCC visibility pop
#endif
