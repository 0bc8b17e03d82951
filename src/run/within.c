/* within.c: finds out whether one pending program computes the value of another on its way. In `squared *
** sqrt(squared)` the root took in `squared`, so the product gets `squared` without computing it again. */
#include "run/run.h"
#include "run/pending.h"

int ma_pending_within(ma_pending *q, const ma_pending *p) {
  uint8_t reg[MA_MAX_REGS];
  bool longer = q != p && q->bound.ndim == p->bound.ndim && q->bound.ncode + q->folds > p->bound.ncode;
  if (!longer || memcmp(q->shape, p->shape, p->bound.ndim * sizeof *p->shape) ||
      !ma_splice(&q->bound, &p->bound, reg, false))
    return -1;
  return reg[p->output];
}
