/* kept.c: the table of kept programs. It has no lock: entries are added, and never change or go. */
#include "run/kept.h"
#include "base/inject.h"

#include <stdlib.h>

#define SLOTS 4096 /* a power of 2 */
#define TRIES 8    /* places of a key */

typedef struct kept {
  uint64_t key;
  void *notes; /* of a backend */
  ma_program program;
} kept;

_Static_assert(24 + 8 * MA_MAX_ARITY < 63 && MA_NDTYPE < 32, "a key has room for every operand");

static kept *table[SLOTS]; /* atomic */

static inline unsigned slot(uint64_t key, unsigned k) {
  return ((unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) + k) & (SLOTS - 1);
}

const ma_program *ma_kept_find(uint64_t key) {
  if (__builtin_expect(__atomic_load_n(&ma_takes_long_way, __ATOMIC_RELAXED), 0)) return NULL;
  for (unsigned k = 0; k < TRIES; k++) {
    const kept *entry = __atomic_load_n(&table[slot(key, k)], __ATOMIC_ACQUIRE);
    if (!entry) return NULL;
    if (entry->key == key) return &entry->program;
  }
  return NULL;
}

const ma_program *ma_kept_add(uint64_t key, const ma_program *program) {
  if (__atomic_load_n(&ma_takes_long_way, __ATOMIC_RELAXED)) return NULL;
  kept *made = malloc(sizeof *made);
  if (!made) return NULL;
  made->key = key;
  made->notes = NULL;
  made->program = *program;
  made->program.notes = &made->notes;
  for (unsigned k = 0; k < TRIES; k++) {
    kept *there = NULL;
    if (__atomic_compare_exchange_n(&table[slot(key, k)], &there, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return &made->program;
    if (there->key != key) continue;
    free(made); /* another thread was first */
    return &there->program;
  }
  free(made);
  return NULL;
}
