/* watch.c: the log of what pools did. Memory hooks are Lua functions, but a pool is called on any thread and under
** locks, where no Lua may run. So each watch has a bounded list of events, which its Lua state reads later. */
#include "memory/pool.h"
#include "base/fork.h"

#include <stdlib.h>

#define MAX_EVENTS 65536

struct ma_watch {
  struct ma_watch *next;
  uint64_t first, end; /* events [first, end) are held, each at its number modulo MAX_EVENTS */
  int64_t lost;
  unsigned acts; /* bit k: acts of number k are logged */
  ma_pool_event event[MAX_EVENTS];
};

int ma_nwatch;
static ma_watch *watches;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* taken while a pool's lock is held */
MA_FORK_GUARD(lock, MA_FORK_LEAF)

ma_watch *ma_watch_new(unsigned acts) {
  ma_watch *watch = calloc(1, sizeof *watch);
  if (!watch) return NULL;
  watch->acts = acts;
  pthread_mutex_lock(&lock);
  watch->next = watches;
  watches = watch;
  __atomic_add_fetch(&ma_nwatch, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  return watch;
}

void ma_watch_free(ma_watch *watch) {
  pthread_mutex_lock(&lock);
  for (ma_watch **at = &watches; *at; at = &(*at)->next)
    if (*at == watch) {
      *at = watch->next;
      __atomic_sub_fetch(&ma_nwatch, 1, __ATOMIC_RELAXED);
      break;
    }
  pthread_mutex_unlock(&lock);
  free(watch);
}

int ma_watch_take(ma_watch *watch, ma_pool_event *event, int n, int64_t *lost) {
  int taken = 0;
  pthread_mutex_lock(&lock);
  for (; taken < n && watch->first < watch->end; watch->first++)
    event[taken++] = watch->event[watch->first % MAX_EVENTS];
  *lost = watch->lost;
  watch->lost = 0;
  pthread_mutex_unlock(&lock);
  return taken;
}

void ma_watch_skip(ma_watch *watch) {
  pthread_mutex_lock(&lock);
  watch->first = watch->end;
  watch->lost = 0;
  pthread_mutex_unlock(&lock);
}

void ma_watch_note(const ma_pool_event *event) {
  pthread_mutex_lock(&lock);
  for (ma_watch *watch = watches; watch; watch = watch->next) {
    if (!(watch->acts >> event->act & 1)) continue;
    watch->event[watch->end++ % MAX_EVENTS] = *event;
    if (watch->end - watch->first > MAX_EVENTS) {
      watch->first++;
      watch->lost++;
    }
  }
  pthread_mutex_unlock(&lock);
}
