/* stencil.h: what stencil.c and stencil_trace.c share: stencils, and the traces of their functions. */
#ifndef MA_BIND_STENCIL_H
#define MA_BIND_STENCIL_H

#include "bind/kernel/fuse.h"
#include "ops/fields/stencil.h"

#pragma GCC visibility push(hidden)

/* A trace: a userdata with the conditions under which it is valid. Its environment lists the arrays that the
** function uses, in which a number is one of its draws and a table a field of structs, and has at 0 what it takes from
** outside (captures.c), and by name `draws` (draws.c), `numbers`, those that are scalars of the program, and `fused`,
** the plan of which they are arguments. */
typedef struct ma_stencil_trace {
  struct ma_stencil_trace *next;
  int index;
  uint8_t nfield, ndim, dtype[MA_STENCIL_FIELDS];
  uint32_t structs[MA_STENCIL_FIELDS]; /* of fields that are arrays of structs, these structs' numbers (structs.c) */
  bool general;                        /* the function cannot be one program: the Lua layer runs it */
  bool lacks;                          /* it is one, and the GPU has no kernel: the Lua layer runs it */
  bool again;    /* it uses arrays that it made, or takes too much from outside, so that each call runs it anew */
  uint32_t made; /* bit k: array k is made for each run, to draw from (lua/moonarray/element/draws.lua) */
  bool changes;  /* it has numbers from outside as scalars */
  bool has_structs;
  bool prints; /* its C++ prints (lua/moonarray/prints) */
  bool checks; /* its C++ notes positions outside of arrays */
  uint8_t nnumber;
  const ma_fused *fused;
  ma_stencil_plan plan;
} ma_stencil_trace;

#define MA_STENCIL_MAGIC 0x6d617374656e636cu
/* A stencil, a userdata. Its environment has the function at 0, then the traces; and by name `methods`, and
** functions of the Lua layer: body(why, full, ndim, dtypes) makes C++ (dtypes has arrays of structs too) of what
** selects cannot say, absent(message) is told that this has no compiler, and general(fields, out) runs what is no
** single program. */
typedef struct ma_lua_stencil {
  uint64_t magic;
  int nout, nparam; /* nparam: of the function; -1: any number */
  uint8_t nedge;    /* 1 for all axes, or one for each */
  uint8_t edge[MA_STENCIL_NDIM];
  bool leave;
  uint8_t compile; /* ma_stencil_compile */
  double value;
  ma_stencil_trace *first;
  int ntrace;
  uint32_t dropped; /* how often traces were forgotten */
} ma_lua_stencil;

/* Runs the function of the stencil in slot 1 over stand-ins for n fields, which begin at slot `first`, and pushes the
** trace. `structs` has the numbers of their structs, or 0; `field` has the models of these. */
ma_stencil_trace *ma_stencil_trace_push(lua_State *L, const ma_lua_stencil *s, int first, int n,
                                        const ma_array *const *field, const uint32_t *structs);
/* Says once how a function that is no program runs. The stencil keeps it for its text, with the reason in that slot. */
void ma_stencil_note(lua_State *L, int slot, const char *how);
/* Whether what the stencil's function takes from outside is the same as for the trace. Sets scalars that are taken from
** outside. *again: another trace for the same fields may be right, since a number is of another kind. */
bool ma_stencil_trace_holds(lua_State *L, ma_stencil_trace *trace, bool *again);

#pragma GCC visibility pop
#endif
