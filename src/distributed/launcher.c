/* launcher.c: what a launcher of processes says in the environment; and the clock. */
#include "distributed/distributed.h"

#include <stdlib.h>
#include <time.h>

double ma_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

const char *ma_launcher_set(const char *const *variables) {
  for (; *variables; variables++) {
    const char *text = getenv(*variables);
    if (text && *text) return *variables;
  }
  return NULL;
}

ma_status ma_launcher_number(const char *const *variables, int least, int most, int *value) {
  const char *name = ma_launcher_set(variables);
  if (!name) return MA_OK;
  const char *text = getenv(name), *at = text;
  int64_t n = 0;
  for (; *at >= '0' && *at <= '9' && n <= most; at++) n = 10 * n + (*at - '0');
  if (*at || n < least || n > most)
    return ma_fail(MA_ERR_VALUE, "%s is '%.40s'; wanted a whole number from %d to %d", name, text, least, most);
  *value = (int)n;
  return MA_OK;
}
