/* fuse.h: the recording of a function for ma.fuse and ma.stencil, and the values that stand in for its arguments. */
#ifndef MA_BIND_FUSE_H
#define MA_BIND_FUSE_H

#include "bind/bind.h"
#include "backend/random.h"
#include "kernel/trace.h"

#pragma GCC visibility push(hidden)

#define MA_MOST_GENERATORS 4
/* A random number for each element: what a run draws, and where the function does. */
typedef struct ma_draw {
  ma_random_kind kind; /* uniform, normal or integers */
  ma_dtype dtype;
  uint8_t generator, place; /* places are counted by generator */
  int site;                 /* where the recorded function draws; 0: not known */
  uint32_t turn;            /* of the loops around */
  int64_t low;              /* integers */
  uint64_t span;
  ma_operand made;
} ma_draw;

/* The draws of a recording, a userdata. Its environment lists the generators; false stands for that of ma.random. */
typedef struct ma_draws {
  int n, ngenerator;
  uint8_t nplace[MA_MOST_GENERATORS];
  ma_draw draw[MA_MAX_TRACE_ARGS];
} ma_draws;

#define MA_MOST_TESTS 24
/* A comparison that the function makes, and where. */
typedef struct traced_test {
  int node; /* as ma_tape_unused gives it */
  int line;
  char source[LUA_IDSIZE];
} traced_test;

/* One recording. It is on the C stack while the function runs; nested recordings form a chain. */
typedef struct tracing {
  struct tracing *outer;
  uint32_t id;
  int depth, inside; /* number of enclosing recordings; depth of calls of fused functions inside this one */
  struct stencil_tracing
    *stencil;          /* for stencil_trace.c, which also takes 0-d arrays as arguments; NULL: for ma.fuse */
  bool reduced;        /* the function computed with the result of a reduction */
  bool elementwise;    /* a function of core.elementwise computes with numbers alone, which it asks for their dtypes */
  bool chooses;        /* the function is a form that branches on elements by selects */
  bool refused;        /* what the function does is an error in any form of it (rule.c) */
  bool records;        /* no recording as a program: a function that is differentiated, over real arrays (record.c) */
  bool may_draw;       /* a random number in the function is a draw for each element (draws.c) */
  int narg, ndim;      /* for ma.fuse: of the call, and the most axes of an array */
  ma_dtype draw_dtype; /* of numbers in [0, 1) and normal ones */
  ma_draws *drawn;     /* the draws so far, or NULL */
  int draws;           /* registry reference of them, or LUA_NOREF */
  int narray, arrays;  /* for ma.fuse: arrays from outside, and the registry reference of their list */
  int slot;            /* that of this list once the function has run; 0 before */
  int site;            /* of the next draw, and its turn */
  uint32_t turn;
  int ntest;
  traced_test test[MA_MOST_TESTS];
  ma_tape tape;
} tracing;

typedef struct traced {
  uint64_t magic;
  uint32_t id; /* of its recording */
  ma_operand operand;
} traced;

/* record.c: calls of a function that is differentiated. The first two are as in ma_lua_standin; 0: nothing is recorded,
** and the operation is to run. */
int ma_record_apply(lua_State *L, const ma_opcode *op, int nout, int first, int out, int dtype, int where, int casting);
int ma_record_call(lua_State *L);
/* core.record_calls(fn, ...): calls it while its calls are noted; returns what pcall does */
int ma_record_run(lua_State *L);
static inline bool ma_recording(const ma_lua *state) { return state->tracing && state->tracing->records; }

/* draws.c: random numbers in functions that are recorded */
void ma_draw_refuse(lua_State *L); /* raises an error if a function is being recorded */
/* lua_pcall of a function that is recorded for ma.name: math.random is a draw for each element there, and `first` the
** dtype of constants. */
int ma_draw_call(lua_State *L, int narg, int nresult, int handler, const char *name, ma_dtype first);
ma_dtype ma_draw_dtype(ma_dtype first); /* the dtype of draws for a function whose first array has this one */
/* Takes the draws of a run from the generators, for ma.name; they are in that slot. */
void ma_draws_take(lua_State *L, int draws, const char *name, ma_stream *stream, ma_drawn *drawn);
/* Pushes the array of what a body in C++ draws from, which the table on top describes, in place of it. */
ma_array *ma_draw_source(lua_State *L, int field);
void ma_draw_free(const ma_array *drawn); /* when the run was queued: the next one has its memory */
/* The operand of an array from outside in a function of ma.fuse; false if the value is no array. Array k is argument
** MA_MAX_TRACE_ARGS - 1 - k of the tape. */
bool ma_fuse_capture(lua_State *L, int index, tracing *tr, ma_operand *operand);
/* The operand of a field of structs, the array in slot `view`; `field`: the slot of what says which (structs.c). */
void ma_fuse_member(lua_State *L, int view, int field, tracing *tr, ma_operand *operand);
/* stencil_trace.c: pushes what a stencil's function calls for such a field's elements. */
void ma_stencil_pushmember(lua_State *L, int view, int field, tracing *tr);
/* stencil_trace.c: the operand of an array that the function of a stencil uses; false if the value is no such array. */
bool ma_stencil_capture(lua_State *L, int index, tracing *tr, ma_operand *operand);
/* The input of a stencil's program for the next draw. */
void ma_stencil_draw(lua_State *L, tracing *tr, ma_dtype dtype, ma_operand *operand);
/* captures.c */
/* Pushes the list of what the function in that slot takes from outside, or nil. Returns whether it is recorded in each
** call, since it takes too much. */
bool ma_captures_push(lua_State *L, int function);
bool ma_captures_hold(lua_State *L);           /* whether the list on top, or nil, still tells the truth */
bool ma_captures_have(lua_State *L, int list); /* whether the value on top is in the list of that slot */
#define MA_MOST_OUTSIDE MA_MAX_TRACE_NUMBERS
/* Notes in the table at `env` which numbers of the list are others than before. */
void ma_captures_change(lua_State *L, int list, int env);
void ma_captures_pushchanging(lua_State *L); /* pushes the set of these of the object in slot 1, or nil */
/* Makes such numbers constants of all recordings to come of the object in slot 1. The reason is on top. */
void ma_captures_keep(lua_State *L, const char *name);
/* Raises an error of ma.name if the function of the object in slot 1 takes what its `captures` do not allow. */
void ma_captures_allow(lua_State *L, const char *name);
/* The same for a function and what is allowed, in these slots. */
void ma_captures_check(lua_State *L, const char *name, int function, int allowed);
int ma_captures_list(lua_State *L); /* pushes what the function of the object in slot 1 takes, by name; returns 1 */
/* Takes the numbers that a recording has as scalars out of the list on top, or nil, and pushes the list of these. Its
** first ones are arguments MA_MAX_TRACE_ARGS and on of the tape; returns how many. `outside`: a slot, what the form
** of the function noted. */
int ma_captures_part(lua_State *L, int outside);
/* Reads the numbers of the list on top, n of which are arguments; false: one is no number. */
bool ma_captures_numbers(lua_State *L, int n, ma_arg *arg);
void ma_tracing_begin(lua_State *L, tracing *tr); /* a recording, which is not yet the current one */
traced *ma_traced_at(lua_State *L, int index);    /* NULL if it is not a traced value */
void ma_traced_push(lua_State *L, uint32_t id, ma_operand operand);
/* core.element_dtype(v): the dtype of an element, "" for a number, nil for all else. It has no signature: what it is
** asked for may fail later, in the name of another function. */
int ma_traced_dtype(lua_State *L);
/* the recording of the first traced value among n slots, or NULL */
tracing *ma_traced_tracing(lua_State *L, int first, int n);
int ma_traced_fail(lua_State *L, const char *name, const char *text); /* raises "moonarray.name: text" */
/* The name of the outermost function of the library between the code that runs and the user's; NULL: there is none. */
const char *ma_traced_outer(lua_State *L);
/* structs.c */
/* Pushes the model of the structs in that slot, and sets their struct's number; NULL, and nothing is pushed, for
** another value. */
const ma_array *ma_structs_model(lua_State *L, int slot, uint32_t *number);
/* Pushes what stands in for the structs in slot `object`, argument `place` from 0 on, in a function of ma.name. */
void ma_structs_pushstandin(lua_State *L, int object, int place, const char *name);
/* Replaces what says which field is read, on top, by its array; the arguments begin in slot `first`. */
const ma_array *ma_structs_field(lua_State *L, int first);
/* fuse_plain.c */
ma_dtype ma_fuse_first(int narg, const ma_arg *arg); /* the dtype of the first array, or MA_NDTYPE */
/* Runs the function in that slot over the arguments, which are in the slots from 2 on, and pushes its results; returns
** their number. `out`: a slot, or 0. */
int ma_fuse_plain(lua_State *L, const ma_signature *signature, int function, int narg, const ma_arg *arg, int out,
                  ma_stream *stream);
/* rule.c */
/* Pushes a handler of errors for a call of the function in that slot, of ma.name. It adds what to write to Lua's own
** errors about stand-ins, and marks the recordings as refused. */
void ma_rule_pushhandler(lua_State *L, int function, const char *name, bool stencil);
void ma_rule_refuse(const ma_lua *state); /* marks the recordings as refused */
void ma_rule_note(lua_State *L, tracing *tr, ma_opcode op,
                  ma_operand made); /* an operation, which may be a comparison */
/* Raises an error if the results show that the function branched on stand-ins. Returns what ma_tape_unused says. */
uint32_t ma_rule_check(lua_State *L, tracing *tr, int nresult, const ma_operand *result, const char *name);
/* Pushes the form of the function in that slot that ma.name records in its place because it may test elements, or nil;
** returns whether there is one. Raises an error if the function surely does and its text is out of reach. */
bool ma_rule_pushform(lua_State *L, int function, const char *name, bool stencil);
/* The same for a function some of whose numbers from outside change: those that the table `env` lists. Pushes the form
** and what it notes, or nothing. */
bool ma_rule_pushchanging(lua_State *L, int function, int env, const char *name, bool stencil);
int ma_rule_parameters(lua_State *L, int index); /* number of the function's parameters; -1: any, or unknown */
bool ma_lua_isdata(lua_State *L, int index);     /* whether a table is an object of the library, such as a HashGrid */
bool ma_lua_isidentifier(const char *text);
extern const ma_lua_standin ma_traced_standin;
void ma_open_traced(lua_State *L);
void ma_open_operation(lua_State *L); /* operation.c */

#pragma GCC visibility pop
#endif
