/*
** backends.c: the list of backends. This is the one file that knows them by name: everything else reaches a backend
** through the table that a device points to.
*/
#include "backends.h"

/* Before main, or while the module is loaded: nothing can ask for a device earlier. Nothing is opened here. */
static __attribute__((constructor)) void set_backends(void) {
  ma_device_set_backends(&ma_cpu_backend, &ma_cuda_backend);
}
