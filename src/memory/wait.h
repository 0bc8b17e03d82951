/* wait.h: whether a thread may wait for a device now: ma.allow_synchronize(false) makes each wait an error. */
#ifndef MOONARRAY_WAIT_H
#define MOONARRAY_WAIT_H

#include "memory/memory.h"

#pragma GCC visibility push(hidden)

/*
** Who is refused. Where the CPU is the device, calls that would wait for a GPU are refused in the same way as there.
** Where a GPU is the device, the CPU's arrays belong to the host, and nobody waits for them.
*/
typedef enum ma_wait_rule { MA_WAIT_ALLOWED, MA_WAIT_NO_GPU, MA_WAIT_NOBODY } ma_wait_rule;
extern __thread ma_wait_rule ma_wait_forbidden;

ma_status ma_wait_refuse(void);
/* order.c: waits for the stream where the program may not, at a place that reports no error. */
ma_status ma_wait_for_sure(ma_stream *stream);

/*
** Every function that waits for a device because the program asked for it calls this before it begins, also if the
** device is the CPU and there is nothing to wait for. Where the library must wait for its own reasons, as for memory,
** it does not ask.
*/
static inline ma_status ma_wait_check(bool is_host) {
  return __builtin_expect(ma_wait_forbidden > (is_host ? MA_WAIT_NO_GPU : MA_WAIT_ALLOWED), 0) ? ma_wait_refuse()
                                                                                               : MA_OK;
}
/* Asks before the elements of an array are read. A copy for the host, as get() makes, has no device. */
static inline ma_status ma_wait_check_array(const ma_array *array) {
  const ma_buffer *buffer = array->buffer;
  return __builtin_expect(ma_wait_forbidden != MA_WAIT_ALLOWED, 0) && buffer && !buffer->for_host
           ? ma_wait_check(ma_is_host(buffer->device))
           : MA_OK;
}

#pragma GCC visibility pop
#endif
