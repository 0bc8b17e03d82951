/* wait.c: the error of a wait that is not allowed. */
#include "memory/wait.h"

__thread ma_wait_rule ma_wait_forbidden;

ma_status ma_wait_refuse(void) {
  return ma_fail(MA_ERR_VALUE,
                 "a wait for the device, where allow_synchronize(false) holds; get_async() and done do not wait");
}
