/* kept.c: the table of kept programs. It has no lock: entries are added, and never change or go. */
#include "run/kept.h"

#include <stdlib.h>

_Static_assert(24 + 8 * MA_MAX_ARITY < 63 && MA_NDTYPE < 32, "a key has room for every operand");

ma_kept *ma_kept_table[MA_KEPT_SLOTS];

const ma_program *ma_kept_find_further(uint64_t key) {
  for (unsigned k = 1; k < MA_KEPT_TRIES; k++) {
    const ma_kept *entry = __atomic_load_n(&ma_kept_table[ma_kept_slot(key, k)], __ATOMIC_ACQUIRE);
    if (!entry) return NULL;
    if (entry->key == key) return &entry->program;
  }
  return NULL;
}

const ma_program *ma_kept_add(uint64_t key, const ma_program *program) {
  if (__atomic_load_n(&ma_takes_long_way, __ATOMIC_RELAXED)) return NULL;
  ma_kept *made = malloc(offsetof(ma_kept, program) + ma_program_bytes(program));
  if (!made) return NULL;
  made->key = key;
  made->notes = NULL;
  ma_program_clone(&made->program, program);
  made->program.notes = &made->notes;
  for (unsigned k = 0; k < MA_KEPT_TRIES; k++) {
    ma_kept *there = NULL;
    if (__atomic_compare_exchange_n(&ma_kept_table[ma_kept_slot(key, k)], &there, made, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      return &made->program;
    if (there->key != key) continue;
    free(made); /* another thread was first */
    return &there->program;
  }
  free(made);
  return NULL;
}

const ma_program *ma_kept_cast(ma_dtype from, ma_dtype to, ma_program *own) {
  uint64_t key = ma_kept_key(MA_CAST, to) | ma_kept_array(0, from);
  const ma_program *program = ma_kept_find(key);
  if (program) return program;
  ma_program_clear(own);
  ma_program_output(own, ma_program_cast(own, ma_program_input(own, from), to));
  return (program = ma_kept_add(key, own)) ? program : own;
}
