/* operation.c: operations as functions in C++, for lua/moonarray/element/operation.lua: with the loops that programs
** have, so with the same bits. */
#include "bind/kernel/fuse.h"
#include "compile/print.h"
#include "program/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads an operand, {dtype =, weak = "int" or "float", constant =}, from the table at `index`. */
static void read_operand(lua_State *L, int index, ma_arg *arg) {
  memset(arg, 0, sizeof *arg);
  lua_getfield(L, index, "dtype");
  arg->dtype = ma_lua_checkdtype(L, -1, MA_NDTYPE);
  lua_getfield(L, index, "weak");
  const char *weak = lua_tostring(L, -1);
  arg->weak = !weak ? MA_STRONG : *weak == 'i' ? MA_WEAK_INT : MA_WEAK_FLOAT;
  lua_getfield(L, index, "constant");
  double constant = lua_isnumber(L, -1) ? lua_tonumber(L, -1) : arg->weak == MA_WEAK_INT ? 0 : NAN;
  if (arg->weak == MA_WEAK_INT) arg->value.i = (int64_t)constant;
  else arg->value.c.re = constant;
  lua_pop(L, 3);
}

/* The cheaper operation for a power with a constant exponent. */
static ma_opcode cheaper(lua_State *L, ma_opcode op, const ma_arg *arg, ma_dtype loop) {
  if (!ma_op_takes_exponents(op) || arg[0].weak != MA_STRONG) return op;
  lua_getfield(L, 3, "constant");
  bool known = lua_isnumber(L, -1);
  double exponent = lua_tonumber(L, -1);
  lua_pop(L, 1);
  ma_opcode found = known ? ma_op_of_power(op, exponent, loop) : op;
  return found == MA_COPY ? op : found; /* which is no function */
}

/* core.operation_text(name, operand ...): {name =, text =, dtype =, operands = {dtype ...}} of the function, or nil if
** there is no such operation for kernels. Raises an error if the operands are none for it. */
static int operation_text(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  ma_arg arg[MA_MAX_ARITY];
  ma_dtype loop;
  int op = ma_op_named(name), n = lua_gettop(L) - 1;
  if (op == MA_NOP || ma_ops[op].nin != n || ma_ops[op].flags & MA_OPF_SPECIAL) return 0;
  for (int k = 0; k < n; k++) read_operand(L, 2 + k, &arg[k]);
  ma_lua_check(L, ma_loop_find((ma_opcode)op, arg, MA_NDTYPE, &loop));
  ma_lua_check(L, ma_loop_fit((ma_opcode)op, arg, &loop));
  ma_opcode chosen = ma_op_of_width(cheaper(L, (ma_opcode)op, arg, loop), loop);
  ma_dtype made = ma_sig_dtype((ma_sig)ma_ops[chosen].out, loop);
  ma_ctext text = { 0 };
  ma_print_operation(&text, chosen, loop);
  lua_createtable(L, 0, 4);
  lua_pushstring(L, text.failed ? NULL : text.bytes);
  ma_ctext_free(&text);
  lua_setfield(L, -2, "text");
  lua_pushfstring(L, "op_%s_%s", ma_ops[chosen].name, ma_dtype_suffix(loop));
  lua_setfield(L, -2, "name");
  lua_pushstring(L, ma_dtypes[made].name);
  lua_setfield(L, -2, "dtype");
  lua_newtable(L);
  for (int k = 0; k < ma_ops[chosen].nin; k++) {
    lua_pushstring(L, ma_dtypes[ma_sig_dtype((ma_sig)ma_ops[chosen].in[k], loop)].name);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "operands");
  return 1;
}

/* core.constant_dtype(first, ...): the dtype of these constants in code for one element (ma_loop_constants). */
static int constant_dtype(lua_State *L) {
  ma_arg arg[MA_MAX_ARITY];
  int n = lua_gettop(L) - 1;
  memset(arg, 0, sizeof arg);
  for (int k = 0; k < n; k++) ma_lua_tovalue(L, 2 + k, &arg[k].value, &arg[k].dtype, &arg[k].weak);
  ma_lua_pushdtype(L, ma_loop_constants(ma_lua_checkdtype(L, 1, MA_NDTYPE), n, arg));
  return 1;
}

void ma_open_operation(lua_State *L) {
  ma_lua_pushplain(L, "stencil(...)", false, operation_text, 0);
  ma_lua_file(L, "core.operation_text");
  ma_lua_pushplain(L, "stencil(...)", false, constant_dtype, 0);
  ma_lua_file(L, "core.constant_dtype");
}
