/*
** scope.c: ma.scope and ma.iterate, which free the arrays that a function made. Lua's collector counts a few hundred
** bytes for an array, whatever its memory, so it runs late. A scope does not wait for it.
**
** The functions themselves are Lua (lua/moonarray/device/scope.lua), because a coroutine cannot yield across a C
** function. A scope belongs to the coroutine that opened it. It is identified by the address of that lua_State, which
** is compared and never used. The scope's environment holds the coroutine, so no other coroutine gets that address
** before the scope's finaliser has run. Arrays are linked into the ring of their scope; an array that is collected or
** freed leaves it.
*/
//# devices
#include "bind/array/life.h"

#include <stdlib.h>
#include <string.h>

/* ==== Rings ====================================================================================================== */

static void clear_ring(ma_scope_link *head) { head->next = head->prev = head; }

static bool is_empty(const ma_scope_link *head) { return head->next == head; }

static ma_lua_object *object_of(ma_scope_link *link) {
  return (ma_lua_object *)((char *)link - offsetof(ma_lua_object, link));
}

/* Moves all arrays into the ring of another scope; NULL: removes them from scopes. */
static void hand_over(ma_scope_link *head, ma_scope *to) {
  while (!is_empty(head)) {
    ma_scope_link *link = head->next;
    ma_scope_leave(object_of(link));
    if (!to) continue;
    link->scope = to;
    ma_scope_append(&to->made, link);
  }
}

/* ==== Arrays aside ================================================================================================ */

/* The ring of arrays aside that come from a scope. Without memory for one, they count as of no scope that is open. */
static ma_scope *ring_of(ma_scope *from, ma_scope *aside) {
  for (ma_scope *s = from->lent; s; s = s->next)
    if (s->owner == aside) return s;
  ma_scope *s = malloc(sizeof *s);
  if (!s) return aside;
  *s = (ma_scope){ .aside = true, .from = from, .owner = aside, .next = from->lent, .prev = aside->lent };
  clear_ring(&s->made);
  from->lent = aside->lent = s;
  return s;
}

static void put_aside(ma_lua_object *object, ma_scope *from, ma_scope *aside) {
  ma_scope *s = ring_of(from, aside);
  object->link.scope = s;
  ma_scope_append(&s->made, &object->link);
}

static void free_ring(ma_scope *s) {
  ma_scope **at = &s->from->lent;
  while (*at != s) at = &(*at)->next;
  *at = s->next;
  at = &s->owner->lent;
  while (*at != s) at = &(*at)->prev;
  *at = s->prev;
  free(s);
}

/* As a scope ends: what it lent belongs to nobody else. As arrays aside end: they go back, or `drops`: to no scope. */
static void settle(ma_scope *s, bool drops) {
  while (s->lent) {
    ma_scope *ring = s->lent;
    hand_over(&ring->made, !s->aside ? ring->owner : drops ? NULL : ring->from);
    free_ring(ring);
  }
}

/* ==== Open scopes ================================================================================================ */

static void enlist(ma_lua *state, ma_scope *s, lua_State *thread) {
  s->thread = thread;
  s->prev = NULL;
  s->next = state->scopes;
  if (s->next) s->next->prev = s;
  state->scopes = s;
  state->scope_thread = NULL;
}

static void delist(ma_scope *s) {
  if (!s->thread) return;
  ma_lua *state = s->state;
  if (s->next) s->next->prev = s->prev;
  if (s->prev) s->prev->next = s->next;
  else state->scopes = s->next;
  s->thread = NULL;
  state->scope_thread = NULL;
}

/* The scope's coroutine was abandoned. Others may hold what it yielded, so its arrays are left to the collector. */
static int scope_gc(lua_State *L) {
  ma_scope *s = lua_touserdata(L, 1);
  delist(s);
  settle(s, true);
  hand_over(&s->made, NULL);
  hand_over(&s->spared, NULL);
  return 0;
}

/* ==== Arrays that survive ========================================================================================= */

/* Slot `seen`: tables that were visited, as keys and in a list. The list is the work list of the search, because
** results may nest deeper than the C stack. */
typedef struct search {
  int seen, nseen, done;
} search;

static void meet(lua_State *L, ma_scope *s, search *tables) {
  int type = lua_type(L, -1);
  if (type == LUA_TUSERDATA) {
    ma_array *array = ma_lua_toarray(L, -1);
    ma_lua_object *object = array ? ma_lua_objectof(array) : NULL;
    if (object && !s) ma_scope_leave(object);
    else if (object && object->link.scope == s) {
      ma_scope_leave(object);
      object->link.scope = s;
      ma_scope_append(&s->spared, &object->link);
    } else if (object && object->link.scope && object->link.scope->from == s && !s->thread) {
      ma_scope *to = ma_scope_of(L, s->state), *aside = object->link.scope->owner; /* it leaves the scope while aside */
      ma_scope_leave(object);
      if (to) put_aside(object, to, aside);
    }
    if (array || !ma_lua_pushheld(L, -1)) return;
    lua_replace(L, -2);
    type = LUA_TTABLE;
  }
  if (type == LUA_TTABLE) {
    lua_pushvalue(L, -1);
    lua_rawget(L, tables->seen);
    bool known = !lua_isnil(L, -1);
    lua_pop(L, 1);
    if (known) return;
    lua_pushvalue(L, -1);
    lua_pushboolean(L, 1);
    lua_rawset(L, tables->seen);
    lua_pushvalue(L, -1);
    lua_rawseti(L, tables->seen, ++tables->nseen);
  }
}

/* Whether no array of the scope can be found. */
static bool has_none(const ma_scope *s) { return is_empty(&s->made) && !s->lent; }

static bool holds_values(lua_State *L, int index) {
  int type = lua_type(L, index);
  return type == LUA_TTABLE || type == LUA_TUSERDATA;
}

/* Finds the scope's arrays among the values in slots first .. last, and among the keys and values of tables there.
** `s` NULL: removes all arrays that are found from their scopes. */
static void spare(lua_State *L, ma_scope *s, int first, int last) {
  search tables = { 0, 0, 0 };
  if (s && has_none(s)) return;
  ma_lua_room(L, 8);
  lua_newtable(L);
  tables.seen = lua_gettop(L);
  for (int k = first; k <= last; k++) {
    if (!holds_values(L, k)) continue;
    lua_pushvalue(L, k);
    meet(L, s, &tables);
    lua_pop(L, 1);
  }
  while (tables.done < tables.nseen && !(s && has_none(s))) {
    lua_rawgeti(L, tables.seen, ++tables.done);
    lua_pushnil(L);
    while (lua_next(L, -2)) {
      meet(L, s, &tables);
      lua_pop(L, 1);
      if (holds_values(L, -1)) meet(L, s, &tables);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* Says who frees the scope's arrays, which it does after each step of an iteration. */
static void name_scope(ma_scope *s) {
  const char *name = s->iterates ? "iterate" : "scope";
  if (s->line > 0)
    snprintf(s->by, sizeof s->by, "by moonarray.%s at %s:%d; return it there or ma.keep it", name, s->source, s->line);
  else snprintf(s->by, sizeof s->by, "by moonarray.%s; return it there or ma.keep it", name);
}

static void free_made(lua_State *L, ma_scope *s) {
  if (is_empty(&s->made)) return;
  if (!*s->by) name_scope(s);
  while (!is_empty(&s->made)) ma_lua_freearray(&object_of(s->made.next)->array, s->by);
  ma_lua_sweep(L);
}

/* Computes what leaves the scope: a pending program would keep arrays that the scope frees. */
static ma_status compute(ma_scope *s) {
  for (ma_scope_link *link = s->spared.next; link != &s->spared; link = link->next) {
    ma_buffer *buffer = object_of(link)->array.buffer;
    if (buffer && buffer->pending) MA_TRY(ma_pending_evaluate(buffer, "it leaves a scope"));
  }
  return MA_OK;
}

/* If memory runs out, it is tried again after the other arrays were freed. */
static void leave(lua_State *L, ma_scope *s, ma_scope *to) {
  ma_status status = compute(s);
  int tries = 0;
  free_made(L, s);
  while (ma_lua_retry(L, status, &tries)) status = compute(s);
  hand_over(&s->spared, to);
  ma_lua_check(L, status);
}

/* ==== Functions of the Lua layer ================================================================================== */

/* core.scope_open(iterates?). Upvalue 2: the metatable of scopes. */
static int scope_open(lua_State *L) {
  lua_Debug frame;
  bool iterates = lua_toboolean(L, 1);
  ma_lua *state = ma_lua_state(L);
  ma_scope *s = lua_newuserdata(L, sizeof *s);
  *s = (ma_scope){ .state = state, .iterates = iterates };
  clear_ring(&s->made);
  clear_ring(&s->spared);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_setmetatable(L, -2);
  lua_createtable(L, 1, 0);
  lua_pushthread(L);
  lua_rawseti(L, -2, 1);
  lua_setfenv(L, -2);
  if (ma_lua_userframe(L, &frame, MA_NEAR_FRAMES)) {
    s->line = frame.currentline;
    memcpy(s->source, frame.short_src, sizeof s->source);
  }
  enlist(state, s, L);
  return 1;
}

/* core.scope_close(scope, ...): frees the scope's arrays except those that the values hold, which go to the
** enclosing scope. */
static int scope_close(lua_State *L) {
  ma_scope *s = lua_touserdata(L, 1);
  delist(s);
  spare(L, s, 2, lua_gettop(L));
  settle(s, false);
  leave(L, s, ma_scope_of(L, s->state));
  return 0;
}

/* core.scope_sweep(scope, value): the same, but the scope stays open and keeps what the value holds. */
static int scope_sweep(lua_State *L) {
  ma_scope *s = lua_touserdata(L, 1);
  spare(L, s, 2, 2);
  leave(L, s, s);
  return 0;
}

void ma_lua_keep(lua_State *L, int first, int last) {
  if (ma_lua_state(L)->scopes) spare(L, NULL, first, last);
}

static int scope_keep(lua_State *L) {
  if (ma_lua_istraced(L, 1)) return 1;
  bool holds = ma_lua_pushheld(L, 1);
  if (!holds && !lua_istable(L, 1)) ma_lua_checkarray(L, 1);
  lua_settop(L, 1);
  ma_lua_keep(L, 1, 1);
  ma_lua_flush(L, "keep");
  lua_settop(L, 1);
  return 1;
}

void ma_scope_setaside(ma_array *array, int index, lua_State *L) {
  ma_lua_object *object = ma_lua_objectof(array);
  ma_scope *aside = lua_touserdata(L, index);
  if (!object->link.scope || !aside || object->link.scope->aside) return;
  ma_scope *from = object->link.scope;
  ma_scope_leave(object);
  put_aside(object, from, aside);
}

/* core.scope_aside(): for arrays of open scopes that are needed for longer than these may last. */
static int scope_aside(lua_State *L) {
  ma_scope *s = lua_newuserdata(L, sizeof *s);
  *s = (ma_scope){ .state = ma_lua_state(L), .aside = true };
  clear_ring(&s->made);
  clear_ring(&s->spared);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_setmetatable(L, -2);
  return 1;
}

/* core.scope_giveback(aside): its arrays belong to the scopes that they come from, or where one has ended, to that of
** the caller. */
static int scope_giveback(lua_State *L) {
  ma_scope *s = lua_touserdata(L, 1);
  settle(s, false);
  hand_over(&s->made, ma_scope_of(L, s->state));
  return 0;
}

/* core.adopt(array) -> array: an array that is in no scope belongs to that of the caller. */
static int scope_adopt(lua_State *L) {
  ma_scope *s = ma_scope_of(L, ma_lua_state(L));
  ma_lua_object *object = ma_lua_objectof(ma_lua_toarray(L, 1));
  lua_settop(L, 1);
  if (!s || !object || object->link.scope) return 1;
  object->link.scope = s;
  ma_scope_append(&s->made, &object->link);
  return 1;
}

static const ma_function functions[] = {
  //> keep: local kept
  //>   ma.scope(function() kept = ma.keep(ma.ones(2)) end)
  //>   return kept
  { "keep(a: data) -> array ...", scope_keep,
    "Takes an array, or those in a table, out of the scopes that are open, which then do not free them; returns it." },
  { NULL, NULL, NULL }
};

void ma_open_scope(lua_State *L) {
  static const luaL_Reg hidden[] = { { "scope_open", scope_open },
                                     { "scope_close", scope_close },
                                     { "scope_sweep", scope_sweep },
                                     { "scope_aside", scope_aside },
                                     { "scope_giveback", scope_giveback },
                                     { "adopt", scope_adopt },
                                     { NULL, NULL } };
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->core);
  lua_newtable(L);
  lua_pushcfunction(L, scope_gc);
  lua_setfield(L, -2, "__gc");
  lua_pushliteral(L, "moonarray scope");
  lua_setfield(L, -2, "__metatable");
  for (const luaL_Reg *f = hidden; f->name; f++) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, -2);
    lua_pushcclosure(L, f->func, 2);
    lua_setfield(L, -3, f->name);
  }
  lua_pop(L, 2);
  ma_lua_register(L, functions);
}
