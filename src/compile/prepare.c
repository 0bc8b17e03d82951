/* prepare.c: how a call ends that only prepares. */
#include "compile/prepare.h"

__thread ma_preparation ma_prepare;

ma_status ma_prepare_later(const char *name) {
  ma_prepare.later = true;
  return ma_fail(MA_ERR_VALUE, "%s is being compiled", name);
}

ma_status ma_prepare_end(ma_status status) {
  ma_prepare.skips = false;
  if (status != MA_OK) return status;
  ma_prepare.ready = true;
  return ma_fail(MA_ERR_VALUE, "the call only prepares");
}
