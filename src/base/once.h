/* once.h: what is tried once, such as opening a library. A failure is kept and reported again. */
#ifndef MOONARRAY_ONCE_H
#define MOONARRAY_ONCE_H

#include "base/base.h"

#include <pthread.h>

#pragma GCC visibility push(hidden)

typedef struct ma_once {
  pthread_mutex_t lock;
  bool done;
  ma_status status;
  char why[1024];
} ma_once;
#define MA_ONCE \
  { .lock = PTHREAD_MUTEX_INITIALIZER }

/* Calls attempt the first time; the others get what came of it. */
ma_status ma_once_try(ma_once *once, ma_status (*attempt)(void));

#pragma GCC visibility pop
#endif
