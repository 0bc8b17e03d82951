/*
** kept.h: programs of one operation that are made once and kept for the life of the process. Such a program depends on
** the operation, on what its operands are (an array of a dtype, the same array as an operand before, a number), and on
** the dtype of a given result. These make its key. A backend notes beside it what it finds out about it.
*/
#ifndef MOONARRAY_KEPT_H
#define MOONARRAY_KEPT_H

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

const ma_program *ma_kept_find(uint64_t key); /* NULL: it is not kept */
/* Keeps a copy. NULL: there is no room, and the caller's own does. */
const ma_program *ma_kept_add(uint64_t key, const ma_program *program);

#pragma GCC visibility pop
#endif
