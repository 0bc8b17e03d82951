/* fuse_entry.c: the entries of a fused function: what a recording left, and whether that still holds. */
#include "bind/kernel/fuse_entry.h"

#include <string.h>

#define MAX_TRACES 256 /* of one function; beyond that, it forgets all traces */

void ma_fuse_forget(lua_State *L, ma_fuse *f) {
  f->first = f->last = NULL;
  f->ntrace = 0;
  f->dropped++;
  lua_getfenv(L, 1);
  lua_createtable(L, 1, 0);
  lua_rawgeti(L, -2, 0);
  lua_rawseti(L, -2, 0);
  static const char *const kept[] = { "changing", "allowed", "form" };
  for (int k = 0; k < 3; k++) {
    lua_getfield(L, -2, kept[k]);
    lua_setfield(L, -2, kept[k]);
  }
  lua_setfenv(L, 1);
  lua_pop(L, 1);
}

void ma_fuse_note(lua_State *L, ma_fuse_entry *e, int env, int outside) {
  int top = lua_gettop(L);
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, 0);
  e->again = ma_captures_push(L, -1);
  e->changes = outside != 0;
  if (outside) {
    e->nnumber = (uint8_t)ma_captures_part(L, outside);
    lua_rawseti(L, env, 3);
  }
  e->captures = !lua_isnil(L, -1);
  lua_rawseti(L, env, 1);
  lua_settop(L, top);
}

/* Notes the arrays of the list on top, in which a table is a field of structs. One that is not in the list of what
** the function takes from outside, in slot `captures`, is made by the function, and another one in each call. Where the
** function is not known (core.fused_form), the form's own notes tell. */
static void note_arrays(lua_State *L, const ma_fuse *f, ma_fuse_entry *e, int captures) {
  for (int k = 1; k <= e->narray; k++) {
    lua_rawgeti(L, -1, k);
    e->again |= !lua_istable(L, -1) && !(f->formed && lua_isnil(L, captures)) && !ma_captures_have(L, captures);
    lua_pop(L, 1);
  }
}

/* Notes what the function takes from outside, and its draws, which are below the entry on top, behind the arrays. */
static void note_outside(lua_State *L, const ma_fuse *f, ma_fuse_entry *e, const tracing *tr, int outside) {
  if (e->plain) return; /* the function runs in each call */
  int top = lua_gettop(L);
  lua_createtable(L, 3, 0);
  ma_fuse_note(L, e, top + 1, outside);
  e->ndraw = tr->drawn ? tr->drawn->n : 0;
  if (e->ndraw) {
    lua_pushvalue(L, top - 1);
    lua_rawseti(L, top + 1, 2);
  }
  e->narray = tr->narray;
  lua_rawgeti(L, top + 1, 1);
  lua_pushvalue(L, top - 2);
  note_arrays(L, f, e, top + 2);
  lua_rawseti(L, top + 1, 5);
  lua_settop(L, top + 1);
  if (e->captures || e->ndraw || e->narray || outside) lua_setfenv(L, top);
  lua_settop(L, top);
}

/* Whether what the function takes from outside is the same as for the entry. */
bool ma_fuse_isfresh(lua_State *L, const ma_fuse_entry *e) {
  if (e->again) return false;
  if (!e->captures) return true;
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, e->index);
  lua_getfenv(L, -1);
  lua_rawgeti(L, -1, 1);
  bool same = ma_captures_hold(L);
  lua_pop(L, 4);
  return same;
}

/* Reads the numbers from outside that are scalars of the entry; false: one is no number. */
bool ma_fuse_outside(lua_State *L, const ma_fuse_entry *e, ma_arg *arg) {
  if (!e->changes) return true;
  int top = lua_gettop(L);
  ma_lua_room(L, 8);
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, e->index);
  lua_getfenv(L, -1);
  lua_rawgeti(L, -1, 3);
  bool fine = ma_captures_numbers(L, e->nnumber, arg + MA_MAX_TRACE_ARGS);
  lua_settop(L, top);
  return fine;
}

/* Notes which numbers from outside are others than those of an entry that is not fresh. */
void ma_fuse_change(lua_State *L, const ma_fuse_entry *e) {
  int top = lua_gettop(L);
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, e->index);
  lua_getfenv(L, -1);
  lua_rawgeti(L, -1, 1);
  if (lua_istable(L, -1)) ma_captures_change(L, top + 4, top + 1);
  lua_settop(L, top);
}

/* Drops an entry that is not fresh; returns its index, which is free then. */
int ma_fuse_drop(lua_State *L, ma_fuse *f, const ma_fuse_entry *e) {
  int index = e->index;
  ma_fuse_entry **place = &f->first;
  while (*place != e) place = &(*place)->next;
  *place = e->next;
  f->last = NULL;
  f->dropped++;
  lua_getfenv(L, 1);
  lua_pushnil(L);
  lua_rawseti(L, -2, index);
  lua_pop(L, 1);
  return index;
}

/* Whether that index is still free: the function may have cleared the traces, and called itself. */
static bool is_free(lua_State *L, const ma_fuse *f, int index) {
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, index);
  bool none = lua_isnil(L, -1);
  lua_pop(L, 2);
  return none && index <= f->ntrace;
}

/* Stores the plan of the results; without results the function is run itself. `index`: that of an entry that was
** dropped, or 0. Leaves the entry on the stack. */
ma_fuse_entry *ma_fuse_file(lua_State *L, ma_fuse *f, tracing *tr, int index, int narg, const ma_arg *arg,
                            const uint8_t *kind, int nresult, const ma_operand *result, int outside) {
  size_t size = sizeof(ma_fuse_entry) + (size_t)ma_fused_parts(nresult, result) * sizeof(ma_fused_part),
         leaves = tr->drawn ? sizeof(ma_stencil_plan) : 0;
  ma_fuse_entry *e = lua_newuserdata(L, size + leaves);
  memset(e, 0, size + leaves);
  e->plain = nresult == 0;
  if (!e->plain && ma_fused_make(&tr->tape, nresult, result, &e->plan) != MA_OK) {
    lua_pop(L, 1);
    return NULL;
  }
  if (leaves && !e->plain) ma_fused_leaves(&e->plan, narg, tr->drawn->n, (ma_stencil_plan *)((char *)e + size));
  e->narg = narg;
  e->uses_ndim = tr->tape.uses_ndim;
  memcpy(e->kind, kind, (size_t)narg);
  for (int k = 0; k < narg; k++) {
    e->ndim[k] = arg[k].array ? arg[k].array->ndim : 0;
    if (!ma_fuse_isstructs(kind[k])) continue;
    e->has_structs = true;
    e->structs[k] = (uint32_t)arg[k].value.i;
  }
  note_outside(L, f, e, tr, outside);
  bool again = index && is_free(L, f, index);
  if (!again && f->ntrace >= MAX_TRACES) ma_fuse_forget(L, f);
  e->index = again ? index : ++f->ntrace;
  lua_getfenv(L, 1);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, e->index);
  lua_pop(L, 1); /* the entry stays on the stack */
  e->next = f->first;
  f->first = f->last = e;
  return e;
}
