/* end.c: the end of the process. */
#include "system/system.h"

#include <stdlib.h>

static void (*called)(int status);

#ifdef __GLIBC__ /* other C libraries have no on_exit */
static void ended(int status, void *nothing) { called(status); }
#else
static void ended(void) { called(-1); }
#endif

void ma_system_at_exit(void (*call)(int status)) {
  called = call;
#ifdef __GLIBC__
  on_exit(ended, NULL);
#else
  atexit(ended);
#endif
}
