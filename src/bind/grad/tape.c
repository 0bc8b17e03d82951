/*
** tape.c: what lua/moonarray/grad/tape.lua does for each call that is recorded. A tape, a record and a rule are tables
** whose fields that file describes; here they are filled, since operators on small arrays wait for it.
**
** A buffer gets a number when an array over it is first noted. Numbers are not given twice in a process.
**
** A place is where an array's elements lie in its buffer, as a Lua string: two arrays over one buffer show the same
** elements in the same order if their places are equal.
*/
#include "bind/array/life.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ==== Places ====================================================================================================== */

/* What the bytes of a place are. */
typedef struct place {
  int32_t dtype, ndim;
  int64_t offset, shape[MA_MAX_NDIM], stride[MA_MAX_NDIM];
} place;

/* Pushes the place that begins with p, of these extents and steps. */
static void push_bytes(lua_State *L, place *p, const int64_t *shape, const int64_t *stride) {
  size_t n = (size_t)p->ndim * sizeof *p->shape;
  /* cppcheck-suppress uninitvar */ /* as many are filled as there are axes */
  memcpy(p->shape, shape, n);
  /* cppcheck-suppress uninitvar */        /* the same */
  memcpy((char *)p->shape + n, stride, n); /* behind the extents that there are */
  lua_pushlstring(L, (const char *)p, offsetof(place, shape) + 2 * n);
}

static void push_place(lua_State *L, const ma_array *array) {
  place p;
  p.dtype = array->dtype;
  p.ndim = array->ndim;
  p.offset = array->offset;
  push_bytes(L, &p, array->shape, array->stride);
}

static void read_place(lua_State *L, int index, place *p) {
  const char *bytes = luaL_checkstring(L, index);
  size_t head = offsetof(place, shape);
  memcpy(p, bytes, head);
  size_t n = (size_t)p->ndim * sizeof *p->shape;
  memcpy(p->shape, bytes + head, n);
  memcpy(p->stride, bytes + head + n, n);
}

static uint32_t next_number(void) {
  static uint32_t last;
  return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* core.place(array, note, aside): the number of its buffer, its place, and a count that rises as it is written; nothing
** for another value, or where the buffer has no number. `note`: gives it one. `aside`: where the array goes from its
** scope, which then does not free it. */
static int push_where(lua_State *L) {
  ma_array *array = ma_lua_toarray(L, 1);
  if (!array || !array->buffer) return 0;
  if (!array->buffer->recorded) {
    if (!lua_toboolean(L, 2)) return 0;
    array->buffer->recorded = next_number();
  }
  if (lua_isuserdata(L, 3)) ma_scope_setaside(array, 3, L);
  lua_pushnumber(L, array->buffer->recorded);
  push_place(L, array);
  lua_pushnumber(L, __atomic_load_n(&array->buffer->writes, __ATOMIC_RELAXED));
  return 3;
}

static bool repeats_along(const place *p, int d) { return p->shape[d] > 1 && p->stride[d] == 0; }

/* Whether two positions of a place may be one element, apart from axes along which all are: an axis steps over less
** than what the axes of shorter steps reach. */
static bool overlaps(const place *p) {
  int axis[MA_MAX_NDIM], n = 0; /* those that step, by their steps */
  int64_t reach = ma_dtypes[p->dtype].itemsize;
  for (int d = 0; d < p->ndim; d++) {
    if (p->shape[d] < 2 || repeats_along(p, d)) continue;
    int k = n++;
    for (; k > 0 && llabs(p->stride[axis[k - 1]]) > llabs(p->stride[d]); k--) axis[k] = axis[k - 1];
    axis[k] = d;
  }
  for (int k = 0; k < n; k++) {
    int64_t step = llabs(p->stride[axis[k]]);
    if (step < reach) return true;
    reach += (p->shape[axis[k]] - 1) * step;
  }
  return false;
}

/* core.place_of(place): a table of it: dtype, itemsize, shape, the bytes that it reaches from `low` to `high`, the axes
** along which an element repeats or nil, and whether elements are in several places otherwise. */
static int describe_place(lua_State *L) {
  place p;
  int nrepeat = 0;
  read_place(L, 1, &p);
  int64_t low = p.offset, high = p.offset + ma_dtypes[p.dtype].itemsize;
  lua_createtable(L, 0, 8);
  lua_createtable(L, p.ndim, 0);
  lua_newtable(L);
  for (int d = 0; d < p.ndim; d++) {
    int64_t far = (p.shape[d] - 1) * p.stride[d];
    if (p.shape[d]) *(far < 0 ? &low : &high) += far;
    lua_pushnumber(L, (double)p.shape[d]);
    lua_rawseti(L, -3, d + 1);
    if (!repeats_along(&p, d)) continue;
    lua_pushinteger(L, d + 1);
    lua_rawseti(L, -2, ++nrepeat);
  }
  if (!nrepeat) lua_pushnil(L), lua_replace(L, -2);
  lua_setfield(L, -3, "repeats");
  lua_setfield(L, -2, "shape");
  ma_lua_pushdtype(L, (ma_dtype)p.dtype);
  lua_setfield(L, -2, "dtype");
  lua_pushinteger(L, ma_dtypes[p.dtype].itemsize);
  lua_setfield(L, -2, "itemsize");
  lua_pushnumber(L, (double)low);
  lua_setfield(L, -2, "low");
  lua_pushnumber(L, (double)high);
  lua_setfield(L, -2, "high");
  lua_pushboolean(L, overlaps(&p));
  lua_setfield(L, -2, "overlaps");
  return 1;
}

/* core.slim(place): the place of the same elements without axes of one element. */
static int push_slim(lua_State *L) {
  place p, slim;
  read_place(L, 1, &p);
  int n = 0;
  int64_t shape[MA_MAX_NDIM], stride[MA_MAX_NDIM];
  for (int d = 0; d < p.ndim; d++) {
    if (p.shape[d] == 1) continue;
    shape[n] = p.shape[d];
    stride[n++] = p.stride[d];
  }
  slim = (place){ .dtype = p.dtype, .ndim = n, .offset = p.offset };
  push_bytes(L, &slim, shape, stride);
  return 1;
}

/* core.fits(array, place): whether it has the place's dtype and shape, and the place has each element once. */
static int is_fitting(lua_State *L) {
  const ma_array *array = ma_lua_checkarray(L, 1);
  place p;
  read_place(L, 2, &p);
  bool fits = array->dtype == p.dtype && array->ndim == p.ndim;
  for (int d = 0; fits && d < p.ndim; d++) fits = array->shape[d] == p.shape[d] && !repeats_along(&p, d);
  lua_pushboolean(L, fits && !overlaps(&p));
  return 1;
}

/* core.part(flat, place, low, keeps): the view of an array of one axis, which holds the bytes of a buffer from `low`
** on, that a place is. An axis along which elements repeat has extent 1. The view has the place's dtype, so that one of
** real parts shows floats of complex numbers; `keeps`: it has that of the array. */
static int view_part(lua_State *L) {
  const ma_array *flat = ma_lua_checkarray(L, 1);
  bool keeps = lua_toboolean(L, 4);
  place p;
  read_place(L, 2, &p);
  ma_array *view = ma_lua_newarray(L);
  ma_array_view(view, flat);
  if (!keeps) view->dtype = (ma_dtype)p.dtype;
  view->ndim = (uint8_t)p.ndim;
  view->size = 1;
  view->offset = flat->offset + p.offset - (int64_t)lua_tonumber(L, 3);
  for (int d = 0; d < p.ndim; d++) {
    view->shape[d] = repeats_along(&p, d) ? 1 : p.shape[d];
    view->stride[d] = p.stride[d];
    view->size *= view->shape[d];
  }
  return 1;
}

/* ==== Records ===================================================================================================== */

/* A record is a list, since most calls make one: these, and from INPUTS on the number and the place of each input, nil
** for one that depends on nothing. X to RESULT_OF are what the record of an operation reads. */
enum { ID = 1, AT, COUNT, NAME, LINE, BACK, READS, FILTER, X, RESULT_OF = X + MA_MAX_ARITY, INPUTS };

/* The names of other fields are upvalues of the functions that read them. */
enum { OF_state = 1, OF_n, OF_known, OF_saved, OF_trapped, OF_outer, OF_aside, OF_light, OF_show, OF_results };
enum { OF_inner = OF_results + 1, OF_written, LAST_FIELD };
static const char *const fields[] = { "n",     "known", "saved",   "trapped", "outer",  "aside",
                                      "light", "show",  "results", "inner",   "written" };

/* Pushes a field of the table in an absolute slot. */
static void get(lua_State *L, int table, int field) {
  lua_pushvalue(L, lua_upvalueindex(field));
  lua_rawget(L, table);
}

static uint32_t number_at(lua_State *L, int list, int place) {
  lua_rawgeti(L, list, place);
  uint32_t number = (uint32_t)lua_tonumber(L, -1);
  lua_pop(L, 1);
  return number;
}

static bool is_set(lua_State *L, int table, int field) {
  get(L, table, field);
  bool set = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return set;
}

/* Whether `known` has a buffer: that of a light tape asks the tapes around it. */
static bool knows(lua_State *L, int known, uint32_t id) {
  lua_pushnumber(L, id);
  lua_gettable(L, known);
  bool knows = !lua_isnil(L, -1);
  lua_pop(L, 1);
  return knows;
}

/* Pops a value and makes it table[id], but for `known` of a buffer that is known. */
static void put(lua_State *L, int table, uint32_t id) {
  lua_pushnumber(L, id);
  lua_insert(L, -2);
  lua_rawset(L, table);
}

static void add_known(lua_State *L, int known, uint32_t id) {
  if (knows(L, known, id)) lua_pop(L, 1);
  else put(L, known, id);
}

/* Whether an input of the record, or what it writes to, depends on an argument of the tape of that `known`. */
static bool concerns(lua_State *L, int known, int record) {
  for (int k = 0, n = (int)number_at(L, record, COUNT); k < n; k++) {
    uint32_t id = number_at(L, record, INPUTS + 2 * k);
    if (id && knows(L, known, id)) return true;
  }
  return is_set(L, record, OF_written) && knows(L, known, number_at(L, record, ID));
}

/* Pushes what the tape holds as the reader of what the record reads: the record, which becomes the tape's last, or on
** a light tape, which keeps none that reads, its name and line. */
static void push_reader(lua_State *L, int t, int record) {
  lua_rawgeti(L, record, READS);
  bool reads = lua_istable(L, -1);
  lua_pop(L, 1);
  if (reads && is_set(L, t, OF_light)) {
    lua_createtable(L, LINE, 0);
    for (int k = NAME; k <= LINE; k++) {
      lua_rawgeti(L, record, k);
      lua_rawseti(L, -2, k);
    }
    return;
  }
  get(L, t, OF_n);
  int n = (int)lua_tointeger(L, -1) + 1;
  lua_pop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(OF_n));
  lua_pushinteger(L, n);
  lua_rawset(L, t);
  lua_pushvalue(L, record);
  lua_rawseti(L, t, n);
  lua_pushvalue(L, record);
}

/* Adds the buffers of a record of several results to those that a tape knows; `trapped`, a slot or 0: to those too. */
static void add_buffers(lua_State *L, int record, int field, int known, int trapped, int reader) {
  int top = lua_gettop(L);
  get(L, record, field);
  if (lua_istable(L, -1)) {
    for (lua_pushnil(L); lua_next(L, top + 1);) {
      uint32_t id = (uint32_t)lua_tonumber(L, -2);
      add_known(L, known, id);
      if (!trapped) continue;
      lua_pushvalue(L, reader);
      put(L, trapped, id);
    }
  }
  lua_settop(L, top);
}

/* Adds the record to a tape that it concerns. */
static void add_record(lua_State *L, int t, int known, int record) {
  int top = lua_gettop(L), reader = top + 1, saved = top + 2, reads = top + 3;
  push_reader(L, t, record);
  get(L, t, OF_saved);
  lua_rawgeti(L, record, READS);
  for (int k = 3, n = lua_istable(L, reads) ? (int)lua_objlen(L, reads) : 0; k <= n; k += 3) {
    lua_rawgeti(L, reads, k);
    lua_pushvalue(L, reader);
    lua_rawset(L, saved);
  }
  uint32_t id = number_at(L, record, ID);
  if (id) {
    lua_rawgeti(L, record, AT);
    add_known(L, known, id);
  } else {
    get(L, t, OF_trapped);
    add_buffers(L, record, OF_results, known, 0, reader);
    add_buffers(L, record, OF_inner, known, top + 4, reader);
    lua_settop(L, reads);
  }
  get(L, t, OF_show);
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
  while (!lua_isnil(L, t)) {
    get(L, t, OF_known);
    if (concerns(L, known, record)) add_record(L, t, known, record);
    lua_settop(L, t);
    get(L, t, OF_outer);
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

/* Pushes where the user's code is, "user.lua:12: ", a string that all records of that line share. */
static int push_line(lua_State *L) {
  static const char lines; /* its address is the key of a table: strings by their lines, and at 0 the chunk's name */
  lua_Debug frame;
  bool same = false;
  if (!ma_lua_userframe(L, &frame, INT_MAX)) {
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

/* The arguments of core.note_row, and of core.run_row, which has `out` where the result will be. */
enum { TAPE = 1, RULE, WHERE, RESULT, OPERAND, LAST = OPERAND + MA_MAX_ARITY - 1, RECORD, NEEDED, DTYPE = RECORD };

/* What a rule has by numbers (rows.lua), and what is behind the five truths of what it needs. */
enum { RULE_N = 1, RULE_NAME, RULE_NEEDS, RULE_CALL, RULE_PLAIN, NEEDS_BACK = MA_MAX_ARITY + 2 };

static uint32_t number_of(lua_State *L, int index) {
  const ma_array *array = ma_lua_toarray(L, index);
  return array && array->buffer ? array->buffer->recorded : 0;
}

/* Which operands depend on an argument of a tape: bits. */
static unsigned find_known(lua_State *L, int n, const uint32_t *id) {
  unsigned mask = 0;
  int t = lua_gettop(L) + 1;
  lua_pushvalue(L, TAPE);
  while (!lua_isnil(L, t)) {
    get(L, t, OF_known);
    for (int k = 0; k < n; k++)
      if (id[k] && !(mask >> k & 1) && knows(L, t + 1, id[k])) mask |= 1u << k;
    lua_settop(L, t);
    get(L, t, OF_outer);
    lua_replace(L, t);
  }
  lua_settop(L, t - 1);
  return mask;
}

/* Adds the array in a slot to `reads`, and puts the value there into the record. */
static void keep(lua_State *L, int index, int place, int aside, int reads, int *n) {
  ma_array *array = ma_lua_toarray(L, index);
  lua_pushvalue(L, index);
  lua_rawseti(L, RECORD, place);
  if (!array || !array->buffer) return;
  if (!array->buffer->recorded) array->buffer->recorded = next_number();
  if (lua_isuserdata(L, aside)) ma_scope_setaside(array, aside, L);
  lua_pushvalue(L, index);
  lua_rawseti(L, reads, ++*n);
  lua_pushnumber(L, __atomic_load_n(&array->buffer->writes, __ATOMIC_RELAXED));
  lua_rawseti(L, reads, ++*n);
  lua_pushnumber(L, array->buffer->recorded);
  lua_rawseti(L, reads, ++*n);
}

/* What the record will read: what is needed, and the mask. */
static void keep_needed(lua_State *L) {
  int top = lua_gettop(L), aside = top + 1, reads = top + 2, n = 0;
  get(L, TAPE, OF_aside);
  lua_createtable(L, 6, 0);
  if (!lua_isnil(L, WHERE)) keep(L, WHERE, FILTER, aside, reads, &n);
  for (int k = 0; k <= MA_MAX_ARITY; k++) {
    lua_rawgeti(L, NEEDED, k + 1);
    if (lua_toboolean(L, -1)) keep(L, k < MA_MAX_ARITY ? OPERAND + k : RESULT, X + k, aside, reads, &n);
    lua_pop(L, 1);
  }
  if (n) lua_rawseti(L, RECORD, READS);
  lua_settop(L, top);
}

/* Adds the record in its slot to the tapes that it concerns; `only`: the first one, which is alone. */
static void add_row(lua_State *L, bool only) {
  if (!only) {
    add_to_tapes(L, TAPE, RECORD);
    return;
  }
  get(L, TAPE, OF_known);
  add_record(L, TAPE, lua_gettop(L), RECORD);
}

/* Adds the record of the operation whose operands and result are in their slots. */
static void note(lua_State *L) {
  uint32_t id[MA_MAX_ARITY];
  bool any = false;
  int n = (int)number_at(L, RULE, RULE_N);
  for (int k = 0; k < n; k++) any |= (id[k] = number_of(L, OPERAND + k)) != 0;
  unsigned mask = any ? find_known(L, n, id) : 0;
  if (!mask) return;
  lua_createtable(L, INPUTS + 2 * n - 1, 0);
  lua_rawgeti(L, RULE, RULE_NEEDS);
  lua_pushinteger(L, (int)mask);
  lua_gettable(L, NEEDED);
  lua_replace(L, NEEDED);
  lua_rawgeti(L, NEEDED, NEEDS_BACK);
  if (lua_isnil(L, -1)) return;
  lua_rawseti(L, RECORD, BACK);
  const ma_array *r = ma_lua_checkarray(L, RESULT);
  if (!r->buffer->recorded) r->buffer->recorded = next_number();
  lua_pushnumber(L, r->buffer->recorded);
  lua_rawseti(L, RECORD, ID);
  push_place(L, r);
  lua_rawseti(L, RECORD, AT);
  lua_pushinteger(L, n);
  lua_rawseti(L, RECORD, COUNT);
  lua_rawgeti(L, RULE, RULE_NAME);
  lua_rawseti(L, RECORD, NAME);
  push_line(L);
  lua_rawseti(L, RECORD, LINE);
  for (int k = 0; k < n; k++) {
    if (!(mask >> k & 1)) continue;
    lua_pushnumber(L, id[k]);
    lua_rawseti(L, RECORD, INPUTS + 2 * k);
    push_place(L, ma_lua_toarray(L, OPERAND + k));
    lua_rawseti(L, RECORD, INPUTS + 2 * k + 1);
  }
  keep_needed(L);
  get(L, TAPE, OF_outer);
  bool only = lua_isnil(L, -1);
  lua_pop(L, 1);
  add_row(L, only);
}

/* core.note_row(tape, rule, where, r, x, y, z, w): adds the record of an operation of elements. The rule says what it
** needs by which operands depend on an argument. */
static int note_row(lua_State *L) {
  lua_settop(L, LAST);
  note(L);
  return 0;
}

static ma_kind kind_at(lua_State *L, int index) {
  const ma_array *array = ma_lua_toarray(L, index);
  return array ? ma_dtypes[array->dtype].kind : MA_KIND_BOOL;
}

/* core.run_row(tape, rule, where, out, x, y, z, w, dtype): runs an operation, whose result it returns. The second
** result is true if the rule has to look at it; else it was noted. */
static int run_row(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  lua_settop(L, DTYPE);
  lua_rawgeti(L, RULE, RULE_CALL);
  lua_pushvalue(L, RESULT);
  lua_pushvalue(L, DTYPE);
  lua_pushvalue(L, WHERE);
  for (int k = 0; k < MA_MAX_ARITY; k++) lua_pushvalue(L, OPERAND + k);
  state->passes = true; /* so that the call is not noted again */
  int failed = lua_pcall(L, MA_MAX_ARITY + 3, 1, 0);
  state->passes = false; /* also where it failed before it asked */
  if (failed) return lua_error(L);
  lua_replace(L, RESULT);
  lua_rawgeti(L, RULE, RULE_PLAIN);
  bool plain = lua_toboolean(L, -1) && kind_at(L, RESULT) == MA_KIND_FLOAT && kind_at(L, OPERAND) != MA_KIND_COMPLEX;
  lua_settop(L, LAST);
  if (plain) note(L);
  lua_settop(L, LAST);
  lua_pushvalue(L, RESULT);
  lua_pushboolean(L, !plain);
  return 2;
}

/* core.kind(value): 1 for an array of real floats, 2 for one of complex numbers, nil for anything else. */
static int push_kind(lua_State *L) {
  const ma_array *array = ma_lua_toarray(L, 1);
  ma_kind kind = array ? ma_dtypes[array->dtype].kind : MA_KIND_BOOL;
  if (kind != MA_KIND_FLOAT && kind != MA_KIND_COMPLEX) return 0;
  lua_pushinteger(L, kind == MA_KIND_FLOAT ? 1 : 2);
  return 1;
}

static void file(lua_State *L, const char *name, lua_CFunction call) {
  lua_pushvalue(L, lua_upvalueindex(1));
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) lua_pushstring(L, fields[k]);
  lua_pushcclosure(L, call, LAST_FIELD - 1);
  ma_lua_file(L, name);
}

/* core.tape(): defines the other functions of this file, which are not loaded with the library. */
static int open_functions(lua_State *L) {
  static const luaL_Reg functions[] = {
    { "core.place", push_where },
    { "core.place_of", describe_place },
    { "core.fits", is_fitting },
    { "core.part", view_part },
    { "core.add_record", add_record_to },
    { "core.note_row", note_row },
    { "core.user_line", push_line },
    { "core.kind", push_kind },
    { "core.run_row", run_row },
    { "core.slim", push_slim },
    { NULL, NULL },
  };
  ma_lua_room(L, LAST_FIELD + 4);
  for (const luaL_Reg *f = functions; f->name; f++) file(L, f->name, f->func);
  return 0;
}

void ma_open_tape(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, open_functions, 1);
  ma_lua_file(L, "core.tape");
}
