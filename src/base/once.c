/* once.c: what is tried once. */
#include "base/once.h"

#include <stdio.h>

ma_status ma_once_try(ma_once *once, ma_status (*attempt)(void)) {
  pthread_mutex_lock(&once->lock);
  if (!once->done) {
    once->status = attempt();
    once->done = true;
    if (once->status != MA_OK) snprintf(once->why, sizeof once->why, "%s", ma_message());
  }
  pthread_mutex_unlock(&once->lock);
  return once->status == MA_OK ? MA_OK : ma_fail(once->status, "%s", once->why);
}
