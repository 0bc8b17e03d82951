/* prepare.h: a call of a kernel, or of a function, that is only to make ready what it needs. */
#ifndef MOONARRAY_PREPARE_H
#define MOONARRAY_PREPARE_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

/*
** What this thread's call is about. A call that prepares goes as far as any other, up to the kernel's own work: that is
** left out (`skips`), and the call fails there (ma_prepare_end). A text that would have to be compiled is given to a
** thread, and the call fails too (ma_prepare_later). So it leaves nothing behind, as a call that fails. A function of
** the user's is called whole: what has its kernels runs.
*/
typedef struct ma_preparation {
  bool on, whole;
  bool skips;      /* launches and copies of a GPU do nothing */
  bool later;      /* a text is being compiled */
  bool ready;      /* nothing was missing */
  uint64_t source; /* hash of the text from which that of the CPU is rewritten; 0: of none */
} ma_preparation;
extern __thread ma_preparation ma_prepare;

static inline bool ma_prepares_kernel(void) { return __builtin_expect(ma_prepare.on, 0) && !ma_prepare.whole; }
ma_status ma_prepare_later(const char *name); /* fails */
/* Before and after the work of a kernel: `status` is that of the work. Fails if the call prepares. */
static inline void ma_prepare_work(void) {
  if (ma_prepares_kernel()) ma_prepare.skips = true;
}
ma_status ma_prepare_end(ma_status status);
static inline ma_status ma_prepare_worked(ma_status status) {
  return ma_prepares_kernel() ? ma_prepare_end(status) : status;
}

#pragma GCC visibility pop
#endif
