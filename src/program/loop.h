/* loop.h: which loop an operation runs for given arguments, as NumPy 2 chooses it. */
#ifndef MOONARRAY_LOOP_H
#define MOONARRAY_LOOP_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* Loop dtype of `op` for these arguments, as NumPy 2 chooses it; one whose result is of `dtype` unless that is
** MA_NDTYPE. */
ma_status ma_loop_find(ma_opcode op, const ma_arg *arg, ma_dtype dtype, ma_dtype *loop);
/* The same of several results, all of which are to be of `dtype`. */
ma_status ma_loop_find_all(const ma_opcode *ops, int nout, const ma_arg *arg, ma_dtype dtype, ma_dtype *loop);
/* A weak integer that the loop cannot hold: comparisons get a wider loop, for other operations it is an error. */
ma_status ma_loop_fit(ma_opcode op, const ma_arg *arg, ma_dtype *loop);
bool ma_sig_takes(ma_sig sig, ma_dtype wanted, ma_dtype dtype);
/* The cheaper operation that x ^ 2, 1, 0.5, 0 or -1 is; else `op`. */
ma_opcode ma_loop_cheaper(ma_opcode op, const ma_arg *arg, ma_dtype loop);

#pragma GCC visibility pop
#endif
