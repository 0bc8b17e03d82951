/* fuse_entry.h: fused functions and their traces. */
#ifndef MA_BIND_FUSE_ENTRY_H
#define MA_BIND_FUSE_ENTRY_H

#include "bind/kernel/fuse.h"

#pragma GCC visibility push(hidden)

#define MA_MOST_NESTED 100 /* nested fused functions; LuaJIT does not bound the C stack */

/* Kinds of arguments: the dtype of an array or of a number. */
#define MA_FUSE_NUMBER 0x20
#define MA_FUSE_STRONG 0x40
#define MA_FUSE_OBJECT 0x80  /* a cdata or a complex scalar: not a plain Lua number */
#define MA_FUSE_STRUCTS 0x60 /* the dtype of the model of an array of structs, whose struct is the value (structs.c) */
static inline bool ma_fuse_isstructs(uint8_t kind) { return (kind & 0xe0) == MA_FUSE_STRUCTS; }

/* A trace, a userdata of its own, with the argument kinds for which it is valid. Its environment has at 1 what the
** function takes from outside (captures.c), or nil, at 2 its draws, if it has any (draws.c), at 3 the list of the
** numbers from outside that are scalars, at 4 what runs in its place, if it is no program, and at 5 the list of arrays
** from outside. */
typedef struct ma_fuse_entry {
  struct ma_fuse_entry *next;
  int index, narg;
  int ndraw, narray; /* narray: arrays from outside, the last arguments */
  bool uses_ndim, captures;
  bool changes;    /* it has numbers from outside as scalars */
  uint8_t nnumber; /* how many; they are arguments MA_MAX_TRACE_ARGS and on */
  bool again;      /* the function takes too much from outside, so that each call records it */
  bool plain;      /* the function at 4 of the environment runs (fuse_plain.c); the plan is empty */
  bool body;       /* that one is C++ beyond selects, and not the function itself in plain operators */
  bool has_structs;
  uint8_t kind[MA_MAX_TRACE_ARGS], ndim[MA_MAX_TRACE_ARGS];
  uint32_t structs[MA_MAX_TRACE_ARGS]; /* the numbers of their structs, if there are any */
  ma_fused plan;
} ma_fuse_entry;

typedef struct ma_fuse {
  uint64_t magic;
  const ma_signature *signature; /* only its name is used; never collected */
  ma_fuse_entry *first, *last;   /* last: the one that was used last */
  int ntrace, nparam;            /* nparam: of the function; -1: any number */
  uint32_t dropped;              /* how often entries were forgotten */
  bool formed;                   /* the environment has at "form" what is recorded in the function's place */
} ma_fuse;

/* The functions below are for the object in slot 1. */
void ma_fuse_forget(lua_State *L, ma_fuse *f); /* all entries */
/* Stores the plan of the results; without results the function is run itself. `index`: that of an entry that was
** dropped, or 0. `outside`: the slot of what the form for numbers that change noted, or 0. The draws are on top;
** leaves the entry on the stack. NULL: the results are no program, and the message is set. */
ma_fuse_entry *ma_fuse_file(lua_State *L, ma_fuse *f, tracing *tr, int index, int narg, const ma_arg *arg,
                            const uint8_t *kind, int nresult, const ma_operand *result, int outside);
/* Notes for an entry what the function takes from outside, in the entry's environment, which is in slot `env`.
** `outside`: the slot of what its form notes of numbers that change, or 0. */
void ma_fuse_note(lua_State *L, ma_fuse_entry *e, int env, int outside);
/* Whether what the function takes from outside is the same as for the entry. */
bool ma_fuse_isfresh(lua_State *L, const ma_fuse_entry *e);
/* Reads the numbers from outside that are scalars of the entry; false: one is no number. */
bool ma_fuse_outside(lua_State *L, const ma_fuse_entry *e, ma_arg *arg);
/* Notes which numbers from outside are others than those of an entry that is not fresh. */
void ma_fuse_change(lua_State *L, const ma_fuse_entry *e);
/* Drops an entry that is not fresh; returns its index, which is free then. */
int ma_fuse_drop(lua_State *L, ma_fuse *f, const ma_fuse_entry *e);

/* ==== fuse_trace.c =============================================================================================== */

/* Pushes the function, or the form of it that branches on elements, and returns whether it is that one. It is looked
** for at each recording, since the function may call others than before. */
bool ma_fuse_pushform(lua_State *L, const ma_fuse *f);
/* Runs the Lua function over stand-ins, and leaves the new entry on the stack. An error of the function is raised
** unchanged. `reason` says in the trace why it is recorded. */
ma_fuse_entry *ma_fuse_trace(lua_State *L, ma_fuse *f, int index, int narg, const ma_arg *arg, const uint8_t *kind,
                             const char *reason);

#pragma GCC visibility pop
#endif
