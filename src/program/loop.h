/* loop.h: the loop dtype of an operation for given arguments. */
#ifndef MOONARRAY_LOOP_H
#define MOONARRAY_LOOP_H

#include "program/program.h"

/* For messages about floats where integers are wanted: what Lua's numbers in a table become. */
#define MA_TABLE_OF_INTEGERS "write ma.array(t, \"int64\") for a table of them"

#pragma GCC visibility push(hidden)

/* The loop dtype of `op` for these arguments, as NumPy 2 chooses it. If `dtype` is not MA_NDTYPE, the loop's result
** has that dtype. */
ma_status ma_loop_find(ma_opcode op, const ma_arg *arg, ma_dtype dtype, ma_dtype *loop);
/* The same for several results, all of which get `dtype`. */
ma_status ma_loop_find_all(const ma_opcode *ops, int nout, const ma_arg *arg, ma_dtype dtype, ma_dtype *loop);
/* Handles a weak integer that the loop dtype cannot hold: a comparison gets a wider loop, another operation fails. */
ma_status ma_loop_fit(ma_opcode op, const ma_arg *arg, ma_dtype *loop);
/* The dtype of constants in code for one element, whose first field has dtype `first`: that one, but float64 where it
** is whole and they are not. MA_NDTYPE: there is no field, or they have a dtype of their own. */
ma_dtype ma_loop_constants(ma_dtype first, int n, const ma_arg *arg);
/* Whether an operation chooses by a mask, which is its first operand. */
static inline bool ma_loop_chooses(ma_opcode op) { return ma_ops[op].nin == 3 && ma_ops[op].in[0] == MA_SIG_BOOL; }
bool ma_sig_takes(ma_sig sig, ma_dtype wanted, ma_dtype dtype);
/* A cheaper operation for x to the power 2, 1, 0.5, 0 or -1; else `op`. */
ma_opcode ma_loop_cheaper(ma_opcode op, const ma_arg *arg, ma_dtype loop);

#pragma GCC visibility pop
#endif
