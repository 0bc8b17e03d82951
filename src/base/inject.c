/* inject.c: counts down to the failures that were asked for through inject.h. */
#include "base/inject.h"
#include "base/fork.h"

#include <pthread.h>

int ma_injecting;
int64_t ma_launches;
bool ma_takes_long_way;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)
static struct { int64_t after, times; } asked[MA_NINJECT]; /* after: count up to the first failure; 0: none */

void ma_inject_ask(ma_inject_kind kind, int64_t n, int64_t times) {
  pthread_mutex_lock(&lock);
  bool was = asked[kind].after > 0, is = n > 0 && times > 0;
  asked[kind].after = is ? n : 0;
  asked[kind].times = times;
  __atomic_add_fetch(&ma_injecting, (int)is - (int)was, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
}

static bool is_due_locked(ma_inject_kind kind) {
  if (asked[kind].after == 0) return false;
  if (asked[kind].after > 1) {
    asked[kind].after--;
    return false;
  }
  if (--asked[kind].times == 0) {
    asked[kind].after = 0;
    __atomic_sub_fetch(&ma_injecting, 1, __ATOMIC_RELAXED);
  }
  return true;
}

ma_status ma_inject_count(ma_inject_kind kind, const char *what) {
  pthread_mutex_lock(&lock);
  bool due = is_due_locked(kind);
  pthread_mutex_unlock(&lock);
  if (!due) return MA_OK;
  if (kind == MA_INJECT_PINNED) return ma_fail(MA_ERR_MEMORY, "out of memory: %s was made to fail", what);
  return ma_fail(MA_ERR_DEVICE, "%s was made to fail", what);
}
