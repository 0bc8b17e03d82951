/*
** tape.c: what lua/moonarray/grad/tape.lua does for each call that is recorded. A tape, a record and a rule are tables
** whose fields that file describes; here they are filled, since operators on small arrays wait for it.
**
** A buffer gets a number when an array over it is first noted. Numbers are not given twice in a process.
*/
#include "bind/array/life.h"
#include "bind/grad/place.h"
#include "run/pending.h"

#include <limits.h>

/* ==== Records ===================================================================================================== */

/* A record is a list, since most calls make one: these, and from INPUTS on the number and the place of each input, nil
** for one that depends on nothing. X to RESULT_OF are what the record of an operation reads. */
enum { ID = 1, AT, COUNT, NAME, LINE, BACK, READS, FILTER, X, RESULT_OF = X + MA_MAX_ARITY, INPUTS };

/* READS is a list of an array, how often its buffer was written, and the buffer's number by turns. For an operation it
** is a number: bits from FILTER on of which values are arrays, whose counts of writes are behind the inputs. */

/* What a tape has by numbers; a field that it lacks is false. */
enum { KNOWN = 1, SAVED, RECORDS, OUTER, ASIDE, SHOW, LIGHT };

static uint32_t number_at(lua_State *L, int list, int place) {
  lua_rawgeti(L, list, place);
  uint32_t number = (uint32_t)lua_tonumber(L, -1);
  lua_pop(L, 1);
  return number;
}

static bool is_set(lua_State *L, int table, int field) {
  lua_rawgeti(L, table, field);
  bool set = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return set;
}

/* Whether `known` has a buffer: that of a light tape asks the tapes around it. */
static bool knows(lua_State *L, int known, uint32_t id) {
  lua_rawgeti(L, known, (int)id);
  bool knows = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (knows || !lua_getmetatable(L, known)) return knows;
  lua_pushnumber(L, id);
  lua_gettable(L, known);
  knows = !lua_isnil(L, -1);
  lua_pop(L, 2);
  return knows;
}

/* Pops a value, which is that of a buffer in `known` unless it has one. The tapes around a light one do not know the
** latest buffer, since they would have fixed it. */
static void add_known(lua_State *L, int known, uint32_t id) {
  lua_rawgeti(L, known, (int)id);
  bool own = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (own || (id != ma_place_latest() && knows(L, known, id))) lua_pop(L, 1);
  else lua_rawseti(L, known, (int)id);
}

/* Whether an input of the record, or what it writes to, depends on an argument of the tape of that `known`. It asks
** for all inputs: a light tape keeps which of the buffers from outside were asked for. */
static bool concerns(lua_State *L, int known, int record) {
  bool any = false;
  for (int k = 0, n = (int)number_at(L, record, COUNT); k < n; k++) {
    uint32_t id = number_at(L, record, INPUTS + 2 * k);
    any |= id && knows(L, known, id);
  }
  if (any) return true;
  lua_getfield(L, record, "written");
  bool written = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return written && knows(L, known, number_at(L, record, ID));
}

/* Pushes what the tape holds as the reader of what the record reads: the record, which becomes the tape's last, or on
** a light tape, which keeps none that reads, its name and line. */
static void push_reader(lua_State *L, int t, int record, bool reads) {
  if (reads && is_set(L, t, LIGHT)) {
    lua_createtable(L, LINE, 0);
    for (int k = NAME; k <= LINE; k++) {
      lua_rawgeti(L, record, k);
      lua_rawseti(L, -2, k);
    }
    return;
  }
  lua_rawgeti(L, t, RECORDS);
  lua_pushvalue(L, record);
  lua_rawseti(L, -2, (int)lua_objlen(L, -2) + 1);
  lua_pop(L, 1);
  lua_pushvalue(L, record);
}

/* Adds the buffers of a record of several results to those that a tape knows; `trapped`, a slot or 0: to those too. */
static void add_buffers(lua_State *L, int record, const char *field, int known, int trapped, int reader) {
  int top = lua_gettop(L);
  lua_getfield(L, record, field);
  if (lua_istable(L, -1)) {
    for (lua_pushnil(L); lua_next(L, top + 1);) {
      uint32_t id = (uint32_t)lua_tonumber(L, -2);
      add_known(L, known, id);
      if (!trapped) continue;
      lua_pushvalue(L, reader);
      lua_rawseti(L, trapped, (int)id);
    }
  }
  lua_settop(L, top);
}

/* Notes in `saved` which buffers the record reads. */
static void add_reads(lua_State *L, int saved, int record, int reads, int reader) {
  unsigned mask = (unsigned)lua_tointeger(L, reads);
  for (int k = FILTER; mask; k++, mask >>= 1) {
    if (!(mask & 1)) continue;
    lua_rawgeti(L, record, k);
    uint32_t id = ma_lua_toarray(L, -1)->buffer->recorded;
    lua_pop(L, 1);
    lua_pushvalue(L, reader);
    lua_rawseti(L, saved, (int)id);
  }
  for (int k = 3, n = lua_istable(L, reads) ? (int)lua_objlen(L, reads) : 0; k <= n; k += 3) {
    lua_rawgeti(L, reads, k);
    lua_pushvalue(L, reader);
    lua_rawset(L, saved);
  }
}

/* Adds the record to a tape that it concerns. `fresh`: nothing knows the result. */
static void add_record(lua_State *L, int t, int known, int record, bool fresh) {
  int top = lua_gettop(L), reads = top + 1, reader = top + 2, saved = top + 3;
  lua_rawgeti(L, record, READS);
  push_reader(L, t, record, !lua_isnil(L, reads));
  if (!lua_isnil(L, reads)) {
    lua_rawgeti(L, t, SAVED);
    add_reads(L, saved, record, reads, reader);
  }
  uint32_t id = number_at(L, record, ID);
  if (id) {
    lua_rawgeti(L, record, AT);
    if (fresh) lua_rawseti(L, known, (int)id);
    else add_known(L, known, id);
  } else {
    lua_getfield(L, t, "trapped");
    int trapped = lua_gettop(L);
    add_buffers(L, record, "results", known, 0, reader);
    add_buffers(L, record, "inner", known, trapped, reader);
  }
  lua_rawgeti(L, t, SHOW);
  if (lua_toboolean(L, -1)) {
    lua_pushvalue(L, t);
    lua_pushvalue(L, record);
    lua_call(L, 2, 0);
  }
  lua_settop(L, top);
}

/* Adds the record in a slot to each tape that it concerns, of that in a slot and those around it. */
static void add_to_tapes(lua_State *L, int tape, int record) {
  int top = lua_gettop(L), t = top + 1, known = top + 2;
  lua_pushvalue(L, tape);
  while (lua_toboolean(L, t)) {
    lua_rawgeti(L, t, KNOWN);
    if (concerns(L, known, record)) add_record(L, t, known, record, false);
    lua_settop(L, t);
    lua_rawgeti(L, t, OUTER);
    lua_replace(L, t);
  }
  lua_settop(L, top);
}

/* core.add_record(tape, record) */
static int add_record_to(lua_State *L) {
  add_to_tapes(L, 1, 2);
  return 0;
}

/* ==== Records of operations ======================================================================================= */

/* Whether there is code of the user's. An operation of an operator was called by it; between is a function in C. */
static bool find_line(lua_State *L, lua_Debug *frame) {
  if (lua_getstack(L, 2, frame) && lua_getinfo(L, "Sl", frame) && frame->currentline > 0 &&
      !ma_lua_isown(ma_lua_state(L), frame->source))
    return true;
  return ma_lua_userframe(L, frame, INT_MAX);
}

/* Pushes where the user's code is, "user.lua:12: ", a string that all records of that line share. */
static int push_line(lua_State *L) {
  static const char lines; /* its address is the key of a table: strings by their lines, and at 0 the chunk's name */
  lua_Debug frame;
  bool same = false;
  if (!find_line(L, &frame)) {
    lua_pushliteral(L, "");
    return 1;
  }
  lua_pushlightuserdata(L, (void *)&lines);
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (lua_istable(L, -1)) {
    lua_rawgeti(L, -1, 0);
    same = lua_tostring(L, -1) == frame.source; /* equal strings are one in Lua */
    lua_pop(L, 1);
  }
  if (!same) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushstring(L, frame.source);
    lua_rawseti(L, -2, 0);
    lua_pushlightuserdata(L, (void *)&lines);
    lua_pushvalue(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L, -1, frame.currentline);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, frame.currentline);
  }
  lua_replace(L, -2);
  return 1;
}

/* The arguments of an operation's handler, as ma_record_apply gives them: the opcode is replaced by the rule, `out` by
** the result, and `casting` by the innermost tape. So core.note_row has them. */
enum { RULE = 1, RESULT, DTYPE, WHERE, TAPE, OPERAND, LAST = OPERAND + MA_MAX_ARITY - 1, NEEDED, RECORD };

/* What a rule has by numbers (rows.lua), and what it says for a mask: bits of the operands that are read, and of the
** result behind them, and the function of a record. */
enum { RULE_N = 1, RULE_NAME, RULE_NEEDS, RULE_CALL, RULE_PLAIN, NEEDS_READS = 1, NEEDS_BACK };

/* An operation that is noted. */
typedef struct operation {
  ma_array *result, *operand[MA_MAX_ARITY]; /* NULL: no array */
  int n;
  uint32_t id[MA_MAX_ARITY]; /* of the operands' buffers, or 0 */
  unsigned known, needed;    /* which operands depend on an argument; what is read, bits from FILTER on */
} operation;

static void find_operands(lua_State *L, operation *o) {
  o->n = (int)number_at(L, RULE, RULE_N);
  for (int k = 0; k < o->n; k++) o->operand[k] = ma_lua_toarray(L, OPERAND + k);
}

/* Which operands depend on an argument of a tape: bits. */
static unsigned find_known(lua_State *L, const operation *o) {
  unsigned mask = 0;
  int t = lua_gettop(L) + 1;
  lua_pushvalue(L, TAPE);
  while (lua_toboolean(L, t)) {
    lua_rawgeti(L, t, KNOWN);
    for (int k = 0; k < o->n; k++)
      if (o->id[k] && !(mask >> k & 1) && knows(L, t + 1, o->id[k])) mask |= 1u << k;
    lua_settop(L, t);
    lua_rawgeti(L, t, OUTER);
    lua_replace(L, t);
  }
  lua_settop(L, t - 1);
  return mask;
}

static void await(const ma_array *array) {
  if (array && array->buffer && array->buffer->pending) array->buffer->pending->awaited = true;
}

/* Pushes what is needed by which operands depend on an argument; nil: none does. */
static void find_needed(lua_State *L, operation *o) {
  bool any = false;
  for (int k = 0; k < o->n; k++) {
    o->id[k] = o->operand[k] && o->operand[k]->buffer ? o->operand[k]->buffer->recorded : 0;
    any |= o->id[k] != 0;
  }
  o->known = any ? find_known(L, o) : 0;
  if (!o->known) {
    lua_pushnil(L);
    return;
  }
  lua_rawgeti(L, RULE, RULE_NEEDS);
  lua_rawgeti(L, NEEDED, (int)o->known);
  if (lua_isnil(L, -1)) {
    lua_pushinteger(L, (int)o->known);
    lua_gettable(L, NEEDED);
  }
  lua_replace(L, NEEDED);
  lua_settop(L, NEEDED);
  o->needed = number_at(L, NEEDED, NEEDS_READS) << 1 | !lua_isnil(L, WHERE);
  for (int k = 0; k < o->n; k++)
    if (o->needed >> (X - FILTER + k) & 1) await(o->operand[k]);
}

/* Has the record read the value of a slot. Returns whether it is an array, whose count of writes is at `count` then. */
static bool keep(lua_State *L, int index, ma_array *array, int place, int aside, int count) {
  lua_pushvalue(L, index);
  lua_rawseti(L, RECORD, place);
  if (!array || !array->buffer) return false;
  if (!array->buffer->recorded) array->buffer->recorded = ma_place_number();
  if (lua_isuserdata(L, aside)) ma_scope_setaside(array, aside, L);
  lua_pushnumber(L, __atomic_load_n(&array->buffer->writes, __ATOMIC_RELAXED));
  lua_rawseti(L, RECORD, count);
  return true;
}

/* What the record will read: `needed` are bits from FILTER on. */
static void keep_needed(lua_State *L, const operation *o) {
  unsigned arrays = 0;
  int count = INPUTS + 2 * o->n;
  lua_rawgeti(L, TAPE, ASIDE);
  int aside = lua_gettop(L);
  for (int k = FILTER; k <= RESULT_OF; k++) {
    if (!(o->needed >> (k - FILTER) & 1)) continue;
    int index = k == FILTER ? WHERE : k == RESULT_OF ? RESULT : OPERAND + k - X;
    ma_array *array = k == FILTER ? ma_lua_toarray(L, WHERE) : k == RESULT_OF ? o->result : o->operand[k - X];
    if (!keep(L, index, array, k, aside, count)) continue;
    arrays |= 1u << (k - FILTER);
    count++;
  }
  lua_settop(L, aside - 1);
  if (!arrays) return;
  lua_pushinteger(L, (int)arrays);
  lua_rawseti(L, RECORD, READS);
}

/* Fills in the inputs of the record that depend on an argument. */
static void add_inputs(lua_State *L, const operation *o) {
  for (int k = 0; k < o->n; k++) {
    if (!(o->known >> k & 1)) continue;
    lua_pushnumber(L, o->id[k]);
    lua_rawseti(L, RECORD, INPUTS + 2 * k);
    ma_place_push(L, o->operand[k]);
    lua_rawseti(L, RECORD, INPUTS + 2 * k + 1);
  }
}

/* Adds the record of the operation whose operands, result and needs are in their slots. */
static void note(lua_State *L, const operation *o) {
  if (!o->known) return;
  lua_createtable(L, INPUTS - 1 + 2 * o->n + __builtin_popcount(o->needed), 0);
  lua_rawgeti(L, NEEDED, NEEDS_BACK);
  if (lua_isnil(L, -1)) return;
  lua_rawseti(L, RECORD, BACK);
  ma_buffer *made = o->result->buffer;
  bool fresh = !made->recorded;
  if (fresh) made->recorded = ma_place_number();
  lua_pushnumber(L, made->recorded);
  lua_rawseti(L, RECORD, ID);
  ma_place_push(L, o->result);
  lua_rawseti(L, RECORD, AT);
  lua_pushinteger(L, o->n);
  lua_rawseti(L, RECORD, COUNT);
  lua_rawgeti(L, RULE, RULE_NAME);
  lua_rawseti(L, RECORD, NAME);
  push_line(L);
  lua_rawseti(L, RECORD, LINE);
  add_inputs(L, o);
  if (o->needed) keep_needed(L, o);
  if (o->needed >> (RESULT_OF - FILTER) & 1) await(o->result);
  if (is_set(L, TAPE, OUTER)) {
    add_to_tapes(L, TAPE, RECORD);
    return;
  }
  lua_rawgeti(L, TAPE, KNOWN);
  add_record(L, TAPE, lua_gettop(L), RECORD, fresh);
}

/* core.note_row(rule, r, nil, where, tape, x, y, z, w): adds the record of an operation of elements. The rule says what
** it needs by which operands depend on an argument. */
static int note_row(lua_State *L) {
  operation o = { .result = ma_lua_toarray(L, RESULT) };
  lua_settop(L, LAST);
  find_operands(L, &o);
  find_needed(L, &o);
  note(L, &o);
  return 0;
}

static ma_kind kind_of(const ma_array *array) { return array ? ma_dtypes[array->dtype].kind : MA_KIND_BOOL; }

/* The upvalues of the handler of operations, behind the state: rules by opcodes, a list of the innermost tape, and two
** functions of the Lua layer. */
enum { RULES = 2, TAPES, CHECK, LOOK };

/* Replaces the opcode by its rule. The Lua layer looks at what an operation cannot be. */
static void find_rule(lua_State *L) {
  lua_rawgeti(L, lua_upvalueindex(RULES), (int)lua_tointeger(L, RULE));
  if (lua_isnil(L, -1)) {
    lua_pushvalue(L, RULE);
    lua_gettable(L, lua_upvalueindex(RULES));
  }
  lua_replace(L, RULE);
  lua_settop(L, LAST);
  if (lua_isnil(L, RESULT) && lua_isnil(L, TAPE) && !lua_istable(L, OPERAND) && !lua_istable(L, OPERAND + 1)) return;
  static const int given[] = { RULE, RESULT, TAPE, OPERAND, OPERAND + 1, OPERAND + 2, OPERAND + 3 };
  lua_pushvalue(L, lua_upvalueindex(CHECK));
  for (int k = 0; k < 7; k++) lua_pushvalue(L, given[k]);
  lua_call(L, 7, 0);
}

/* The handler of operations (record.c): runs one and notes it. check(rule, out, casting, x, y, z, w) raises an error
** about what cannot be; look(rule, where, r, x, y, z, w) notes results that are not as most are. */
static int run_row(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  operation o = { .n = 0 };
  lua_settop(L, LAST);
  find_rule(L);
  lua_rawgeti(L, lua_upvalueindex(TAPES), 1);
  lua_replace(L, TAPE);
  find_operands(L, &o);
  bool plain = is_set(L, RULE, RULE_PLAIN) && kind_of(o.operand[0]) != MA_KIND_COMPLEX;
  if (plain) find_needed(L, &o);
  lua_rawgeti(L, RULE, RULE_CALL);
  for (int k = RESULT; k <= WHERE; k++) lua_pushvalue(L, k);
  for (int k = 0; k < o.n; k++) lua_pushvalue(L, OPERAND + k);
  state->passes = true; /* so that the call is not noted again */
  int failed = lua_pcall(L, o.n + 3, 1, 0);
  state->passes = false; /* also where it failed before it asked */
  if (failed) return lua_error(L);
  lua_replace(L, RESULT);
  o.result = ma_lua_toarray(L, RESULT);
  if (plain && kind_of(o.result) == MA_KIND_FLOAT) {
    note(L, &o);
  } else {
    lua_pushvalue(L, lua_upvalueindex(LOOK));
    lua_pushvalue(L, RULE);
    lua_pushvalue(L, WHERE);
    lua_pushvalue(L, RESULT);
    for (int k = 0; k < MA_MAX_ARITY; k++) lua_pushvalue(L, OPERAND + k);
    lua_call(L, MA_MAX_ARITY + 3, 0);
  }
  lua_pushvalue(L, RESULT);
  return 1;
}

/* core.row_handler(rules, tapes, check, look) */
static int push_handler(lua_State *L) {
  lua_settop(L, 4);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_pushcclosure(L, run_row, LOOK);
  return 1;
}

/* Whether an array that the record reads was written. */
static bool is_written(lua_State *L, int array, int count) {
  const ma_array *read = ma_lua_toarray(L, array);
  uint64_t now = read->buffer ? __atomic_load_n(&read->buffer->writes, __ATOMIC_RELAXED) : UINT64_MAX;
  return (double)now != lua_tonumber(L, count);
}

/* core.reads_hold(record): whether what the record reads was not written since. */
static int push_hold(lua_State *L) {
  lua_settop(L, 1);
  lua_rawgeti(L, 1, READS);
  bool list = lua_istable(L, 2), written = false;
  unsigned mask = list ? 0 : (unsigned)lua_tointeger(L, 2);
  int count = INPUTS + 2 * (int)number_at(L, 1, COUNT), n = list ? (int)lua_objlen(L, 2) : 0;
  for (int k = FILTER; mask; k++, mask >>= 1) {
    if (!(mask & 1)) continue;
    lua_rawgeti(L, 1, k);
    lua_rawgeti(L, 1, count++);
    written |= is_written(L, 3, 4);
    lua_settop(L, 2);
  }
  for (int k = 1; k < n; k += 3) {
    lua_rawgeti(L, 2, k);
    lua_rawgeti(L, 2, k + 1);
    written |= is_written(L, 3, 4);
    lua_settop(L, 2);
  }
  lua_pushboolean(L, !written);
  return 1;
}

/* core.kind(value): 1 for an array of real floats, 2 for one of complex numbers, nil for anything else. */
static int push_kind(lua_State *L) {
  ma_kind kind = kind_of(ma_lua_toarray(L, 1));
  if (kind != MA_KIND_FLOAT && kind != MA_KIND_COMPLEX) return 0;
  lua_pushinteger(L, kind == MA_KIND_FLOAT ? 1 : 2);
  return 1;
}

static void file(lua_State *L, const char *name, lua_CFunction call) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, call, 1);
  ma_lua_file(L, name);
}

/* core.tape(): defines the other functions of this file, which are not loaded with the library. */
static int open_functions(lua_State *L) {
  static const luaL_Reg functions[] = {
    { "core.add_record", add_record_to },
    { "core.note_row", note_row },
    { "core.user_line", push_line },
    { "core.kind", push_kind },
    { "core.row_handler", push_handler },
    { "core.reads_hold", push_hold },
    { NULL, NULL },
  };
  for (const luaL_Reg *f = functions; f->name; f++) file(L, f->name, f->func);
  for (const luaL_Reg *f = ma_place_functions; f->name; f++) file(L, f->name, f->func);
  return 0;
}

void ma_open_tape(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, open_functions, 1);
  ma_lua_file(L, "core.tape");
}
