/* wait.h: whether a thread may wait for a device now: ma.allow_synchronize(false) makes each wait an error. */
#ifndef MOONARRAY_WAIT_H
#define MOONARRAY_WAIT_H

#include "memory/memory.h"

#pragma GCC visibility push(hidden)

/*
** Where the CPU is the device, what would wait for a GPU is refused in the same way. Where a GPU is, the CPU's arrays
** are the host's, and nobody waits for them.
*/
typedef enum ma_wait_rule { MA_WAIT_ALLOWED, MA_WAIT_NO_GPU, MA_WAIT_NOBODY } ma_wait_rule;
extern __thread ma_wait_rule ma_wait_forbidden;

ma_status ma_wait_refuse(void);

/*
** Asked by all that waits for a device at the program's wish, or would if the device were not the CPU: before it has
** begun. What the library has to wait for on its own account, as for memory, does not ask.
*/
static inline ma_status ma_wait_check(bool is_host) {
  return __builtin_expect(ma_wait_forbidden > (is_host ? MA_WAIT_NO_GPU : MA_WAIT_ALLOWED), 0) ? ma_wait_refuse()
                                                                                               : MA_OK;
}
/* Before the elements of an array are read. A copy for the host, as get() makes, has no device. */
static inline ma_status ma_wait_check_array(const ma_array *array) {
  const ma_buffer *buffer = array->buffer;
  return __builtin_expect(ma_wait_forbidden != MA_WAIT_ALLOWED, 0) && buffer && !buffer->for_host
           ? ma_wait_check(ma_is_host(buffer->device))
           : MA_OK;
}

#pragma GCC visibility pop
#endif
