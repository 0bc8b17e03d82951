/*
** kept.h: programs of one operation that are made once and kept for the life of the process. Such a program depends on
** the operation, on what its operands are (an array of a dtype, the same array as an operand before, a number), and on
** the dtype of a given result. These make its key. A backend notes beside it what it finds out about it.
*/
#ifndef MOONARRAY_KEPT_H
#define MOONARRAY_KEPT_H

#include "base/inject.h"
#include "program/program.h"

#pragma GCC visibility push(hidden)

/* A key without operands. `result`: the dtype of a given result; MA_NDTYPE: it is made. MA_NOP is a fill. */
static inline uint64_t ma_kept_key(ma_opcode op, ma_dtype result) {
  return UINT64_C(1) << 63 | (uint64_t)op | (uint64_t)result << 16;
}
/* What operand k is, for `key |=`. */
static inline uint64_t ma_kept_array(int k, int dtype) { return (uint64_t)dtype << (24 + 8 * k); }
static inline uint64_t ma_kept_same(int k, int earlier) { return (uint64_t)(32 + earlier) << (24 + 8 * k); }
static inline uint64_t ma_kept_weak(int k, ma_weak weak) { return (uint64_t)(48 + weak) << (24 + 8 * k); }
static inline uint64_t ma_kept_strong(int k, int dtype) { return (uint64_t)(64 + dtype) << (24 + 8 * k); }

#define MA_KEPT_SLOTS 4096 /* a power of 2 */
#define MA_KEPT_TRIES 8    /* places of a key */

typedef struct ma_kept {
  uint64_t key;
  void *notes;        /* of a backend */
  ma_program program; /* as far as it is used: the memory ends there */
} ma_kept;
extern ma_kept *ma_kept_table[MA_KEPT_SLOTS]; /* atomic */

static inline unsigned ma_kept_slot(uint64_t key, unsigned k) {
  return ((unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) + k) & (MA_KEPT_SLOTS - 1);
}

/* The same as ma_kept_find, where the key is not in its first place. */
const ma_program *ma_kept_find_further(uint64_t key);
/* NULL: it is not kept. */
static inline const ma_program *ma_kept_find(uint64_t key) {
  if (__builtin_expect(__atomic_load_n(&ma_takes_long_way, __ATOMIC_RELAXED), 0)) return NULL;
  const ma_kept *entry = __atomic_load_n(&ma_kept_table[ma_kept_slot(key, 0)], __ATOMIC_ACQUIRE);
  if (__builtin_expect(entry && entry->key == key, 1)) return &entry->program;
  return entry ? ma_kept_find_further(key) : NULL;
}
/* Keeps a copy. NULL: there is no room, and the caller's own does. */
const ma_program *ma_kept_add(uint64_t key, const ma_program *program);
/* The program of a copy from one dtype to another: one that is kept, or else `own`, which is filled. */
const ma_program *ma_kept_cast(ma_dtype from, ma_dtype to, ma_program *own);

#pragma GCC visibility pop
#endif
