/* owner.c: numbers for Lua states. */
#include "base/fork.h"
#include "base/owner.h"

#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)
static struct {
  bool taken;
  uint32_t turn;
} slots[MA_OWNERS];
static uint32_t last;

/* Slots are given in turn, so a slot is reused as late as possible after its state closed. */
uint32_t ma_owner_new(void) {
  uint32_t owner = 0;
  pthread_mutex_lock(&lock);
  for (uint32_t k = 1; k < MA_OWNERS && !owner; k++) {
    uint32_t slot = 1 + (last + k - 1) % (MA_OWNERS - 1);
    if (slots[slot].taken) continue;
    slots[slot].taken = true;
    slots[slot].turn = (slots[slot].turn + 1) % MA_OWNER_TURNS;
    owner = slots[slot].turn << MA_OWNER_BITS | slot;
    last = slot;
  }
  pthread_mutex_unlock(&lock);
  return owner;
}

void ma_owner_free(uint32_t owner) {
  if (!owner) return;
  pthread_mutex_lock(&lock);
  slots[MA_OWNER_SLOT(owner)].taken = false;
  pthread_mutex_unlock(&lock);
}
