/*
** bind/index.c: a[...], a[...] = v and a(i, j); docs/indexing.md describes them. A key of any form becomes a list of
** items, which the core turns into a view, a copy or an element. Frequent mistakes (a list in place of a range, a Lua
** boolean, a call in place of brackets) raise an error that shows the right form.
*/
#include "base/number.h"
#include "bind/array/index.h"
#include "bind/lua/noted.h"

#include <math.h>
#include <string.h>

#define POSITION_MAX 0x1p53

/* ==== A Lua value as items ======================================================================================== */

static int64_t whole_number(lua_State *L, double number) {
  if (!(number == floor(number) && fabs(number) <= POSITION_MAX))
    ma_lua_fail(
      L, number == number ? "position %.14g; positions are whole numbers" : "position nan; positions are whole numbers",
      number);
  return (int64_t)number;
}

int64_t ma_lua_checkposition(lua_State *L, int index) {
  ma_value value;
  ma_dtype dtype;
  ma_weak weak;
  if (lua_type(L, index) == LUA_TNUMBER) return whole_number(L, lua_tonumber(L, index));
  if (lua_type(L, index) == MA_LUA_TCDATA && ma_lua_tovalue(L, index, &value, &dtype, &weak)) {
    if (dtype == MA_INT64 && value.i > -(INT64_C(1) << 62) && value.i < INT64_C(1) << 62) return value.i;
    if (dtype == MA_UINT64 && value.u < UINT64_C(1) << 62) return (int64_t)value.u;
  }
  return ma_lua_fail(L, "%s as a position; positions are whole numbers", ma_lua_describe(L, index));
}

static int refuse_boolean(lua_State *L) {
  return ma_lua_fail(L, "got a boolean; write x:eq(0), x:lt(y) (Lua's own ==, < and not see no elements)");
}

/* A table inside an index: {}, {lo, hi} or {lo, hi, step}. `text` receives its text for an error. */
static void print_numbers(lua_State *L, int table, char *text, size_t size) {
  int n = (int)lua_objlen(L, table);
  size_t used = 0;
  text[0] = '\0';
  for (int i = 1; i <= n && used + 40 < size; i++) {
    lua_rawgeti(L, table, i);
    const char *comma = i > 1 ? ", " : "";
    if (i > 8) used += (size_t)snprintf(text + used, size - used, "%s...", comma), i = n;
    else if (lua_type(L, -1) == LUA_TNUMBER)
      used += (size_t)ma_print(text + used, size - used, "%s%.14g", comma, lua_tonumber(L, -1));
    else used += (size_t)snprintf(text + used, size - used, "%s%s", comma, luaL_typename(L, -1));
    lua_pop(L, 1);
  }
}

/* Number of entries of a list; keys other than 1..n are an error. */
static int list_length(lua_State *L, int table, const char *what) {
  int n = (int)lua_objlen(L, table), entries = 0;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    entries++;
  }
  if (entries != n) ma_lua_fail(L, "%s with a hole or a name in it; its entries are 1 to n", what);
  return n;
}

static void range_item(lua_State *L, int table, ma_item *item) {
  char text[320];
  int n = list_length(L, table, "a range");
  int64_t end[3] = { 0, 0, 1 };
  item->kind = MA_ITEM_RANGE;
  item->step = 1;
  item->open = n == 0 ? MA_OPEN_LO | MA_OPEN_HI : 0;
  if (n == 0) return;
  if (n == 1 || n > 3) {
    print_numbers(L, table, text, sizeof text);
    if (n == 1)
      ma_lua_fail(L, "{%s} as a range; both ends are written: {%s, -1} to the last, {%s, %s} for one", text, text, text,
                  text);
    ma_lua_fail(L, "{%s} as a range, which is {lo, hi, step}; a list of positions is a[ma.index{%s}]", text, text);
  }
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, table, i + 1);
    if (lua_type(L, -1) == LUA_TBOOLEAN) refuse_boolean(L);
    if (lua_type(L, -1) == LUA_TTABLE)
      ma_lua_fail(L, "a table in a range; a range is {lo, hi, step}, and a list of positions is ma.index{...}");
    end[i] = ma_lua_checkposition(L, -1);
    lua_pop(L, 1);
  }
  item->lo = end[0];
  item->hi = end[1];
  item->step = end[2];
  if (item->step == 0) ma_lua_fail(L, "a range of step 0; wanted a step that is not 0");
}

static void word_item(lua_State *L, int index, ma_item *item) {
  const char *text = lua_tostring(L, index);
  if (!strcmp(text, "...")) item->kind = MA_ITEM_REST;
  else if (!strcmp(text, "_")) item->kind = MA_ITEM_NEWAXIS;
  else
    ma_lua_fail(L, "%s in a table; there a range is {lo, hi}, and the only texts are \"...\" and \"_\"",
                ma_lua_describe(L, index));
}

static void array_item(lua_State *L, int index, ma_item *item) {
  item->kind = MA_ITEM_ARRAY;
  item->array = ma_lua_checkarray(L, index);
}

/* Reads the value at stack `index` (absolute) as one item. */
static void check_item(lua_State *L, int index, ma_item *item) {
  memset(item, 0, sizeof *item);
  switch (lua_type(L, index)) {
  case LUA_TTABLE: range_item(L, index, item); break;
  case LUA_TSTRING: word_item(L, index, item); break;
  case LUA_TBOOLEAN: refuse_boolean(L); break;
  case LUA_TUSERDATA:
    if (ma_lua_toarray(L, index)) {
      array_item(L, index, item);
      break;
    }
    /* fall through */
  default: item->kind = MA_ITEM_POSITION; item->lo = ma_lua_checkposition(L, index);
  }
}

static void add_flags(ma_index *index, const ma_item *item) {
  index->positions &= item->kind == MA_ITEM_POSITION;
  index->arrays |= item->kind == MA_ITEM_ARRAY;
}

static const ma_index *table_index(lua_State *L, int key, ma_index *room) {
  int n = list_length(L, key, "an index");
  if (n > MA_MAX_ITEMS) ma_lua_fail(L, "an index of %d items; at most %d", n, MA_MAX_ITEMS);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, key, i + 1);
    check_item(L, lua_gettop(L), &room->item[i]);
    add_flags(room, &room->item[i]);
    lua_pop(L, 1); /* the table keeps the value alive */
  }
  room->nitem = (uint8_t)n;
  return room;
}

/* The index that a Lua value writes: *room where it is not a text. What it refers to is on the stack at `key`. */
static const ma_index *check_index(lua_State *L, int key, ma_index *room) {
  int type = lua_type(L, key);
  if (type == LUA_TSTRING) return ma_lua_textindex(L, key);
  room->positions = true;
  room->arrays = false;
  if (type == LUA_TTABLE) return table_index(L, key, room);
  check_item(L, key, &room->item[0]);
  add_flags(room, &room->item[0]);
  room->nitem = 1;
  return room;
}

/* ==== Reading ===================================================================================================== */

void ma_lua_pickingon(lua_State *L, ma_stream *stream, const char *function) {
  ma_lua *state = ma_lua_state(L);
  const ma_device *device = stream->device;
  if (device != ma_device_cpu()) state->picked[device->id] = stream;
  device->backend->fault.set_function(stream, state->owner, function);
}

void ma_lua_picking(lua_State *L, ma_device *device, const char *function) {
  ma_lua_pickingon(L, ma_lua_stream_of(L, device), function);
}

void ma_lua_picked(lua_State *L, ma_device *device) {
  if (device == ma_device_cpu()) ma_lua_checkfault(L, ma_lua_stream_of(L, device));
}

/* Pushes the one element of `view`, which holds no reference. */
static int push_element(lua_State *L, const ma_array *view) {
  ma_value value;
  ma_stream *stream = ma_lua_streamfor(L, view);
  MA_LUA_TRY(L, ma_array_item(view, stream, &value)); /* waits */
  ma_lua_checkfault(L, stream);
  ma_lua_pushvalue(L, value, (ma_dtype)view->dtype);
  return 1;
}

/* Makes a view of one element without a reference. It only adds up the positions. */
static void element_view(lua_State *L, ma_array *view, const ma_array *base, const int64_t *position) {
  view->magic = MA_ARRAY_MAGIC;
  view->dtype = base->dtype;
  view->ndim = 0;
  view->readonly = base->readonly;
  view->is_view = 1;
  view->size = 1;
  view->offset = base->offset;
  view->buffer = base->buffer;
  for (int d = 0; d < base->ndim; d++) {
    int64_t at = 0;
    if (ma_index_position(position[d], base->shape[d], d + 1, &at) != MA_OK) ma_lua_check(L, MA_ERR_INDEX);
    view->offset += at * base->stride[d];
  }
}

static void item_positions(const ma_index *index, int64_t *position) {
  for (int k = 0; k < index->nitem; k++) position[k] = index->item[k].lo;
}

static int read_items(lua_State *L) {
  MA_LUA_DOOR(L);
  ma_array *base = ma_lua_checkarray(L, 1);
  ma_index room;
  const ma_index *index = check_index(L, 2, &room);
  if (index->positions && index->nitem == base->ndim) {
    int64_t position[MA_MAX_NDIM];
    ma_array view;
    item_positions(index, position);
    element_view(L, &view, base, position);
    return push_element(L, &view);
  }
  ma_array *result = ma_lua_newarray(L);
  if (!index->arrays) {
    ma_lua_check(L, ma_index_view(result, base, index->item, index->nitem));
    return 1;
  }
  ma_device *device = ma_array_device(base);
  ma_stream *stream = ma_lua_stream_of(L, device);
  ma_lua_picking(L, device, "index");
  MA_LUA_TRY(L, ma_index_get(result, base, index->item, index->nitem, MA_MODE_RAISE, stream));
  ma_lua_picked(L, device);
  return 1;
}

int ma_lua_index(lua_State *L) { return MA_LUA_NOTED(L, read_items); }

/* core.along(a, axis, lo, hi): a[{ {}, .., {lo, hi}, .. }], for an axis from 1 on that the array has. Parts of the Lua
** layer cut along an axis all the time, and the tables of such an index take longer than the view. */
int ma_lua_along(lua_State *L) {
  ma_item item[MA_MAX_NDIM];
  const ma_array *base = ma_lua_checkarray(L, 1);
  int axis = (int)ma_lua_checkposition(L, 2) - 1;
  if (axis < 0 || axis >= base->ndim) return ma_lua_fail(L, "axis %d of an array of %d axes", axis + 1, base->ndim);
  for (int d = 0; d < axis; d++)
    item[d] = (ma_item){ .kind = MA_ITEM_RANGE, .step = 1, .open = MA_OPEN_LO | MA_OPEN_HI };
  item[axis] = (ma_item){ .kind = MA_ITEM_RANGE, .step = 1 };
  item[axis].lo = ma_lua_checkposition(L, 3);
  item[axis].hi = ma_lua_checkposition(L, 4);
  ma_lua_check(L, ma_index_view(ma_lua_newarray(L), base, item, axis + 1));
  return 1;
}

/* ==== Writing ===================================================================================================== */

void ma_lua_checkvalue(lua_State *L, int index, const ma_array *base, ma_arg *arg) {
  memset(arg, 0, sizeof *arg);
  if (lua_type(L, index) == LUA_TTABLE) ma_lua_asarray_on(L, index, (ma_dtype)base->dtype, ma_array_device(base));
  arg->array = ma_lua_toarray(L, index);
  if (arg->array) {
    ma_lua_checkarray(L, index);
    arg->dtype = (ma_dtype)arg->array->dtype;
  } else if (!ma_lua_tovalue(L, index, &arg->value, &arg->dtype, &arg->weak)) {
    ma_lua_fail(L, "%s to store; wanted a number, a boolean, an array or a table", ma_lua_describe(L, index));
  }
}

static void check_attribute(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->methods);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  if (!lua_isnil(L, -1))
    ma_lua_fail(L, "a value for the attribute '%s'; attributes of an array are not assigned", lua_tostring(L, 2));
  lua_pop(L, 2);
}

/* op == -1 stores; other operations combine. The value is at stack index 3, or nil for a unary operation. */
static void set_items(lua_State *L, ma_array *base, int op, const char *function) {
  ma_index room;
  ma_arg arg, *value = NULL;
  const ma_index *index = check_index(L, 2, &room);
  if (op < 0 || !lua_isnil(L, 3)) ma_lua_checkvalue(L, 3, base, value = &arg);
  ma_device *device = ma_array_device(base);
  ma_stream *stream = ma_lua_stream_of(L, device);
  if (index->arrays) ma_lua_picking(L, device, function);
  MA_LUA_TRY(L, ma_index_set(base, index->item, index->nitem, value, op, MA_MODE_RAISE, stream));
  if (index->arrays) ma_lua_picked(L, device);
}

/* a[i] = number, with one axis of float64 on the CPU: an element that needs no conversion. */
static int set_number(lua_State *L, ma_array *base) {
  ma_array view;
  void *address;
  double number = lua_tonumber(L, 3);
  int64_t position = ma_lua_checkposition(L, 2);
  element_view(L, &view, base, &position);
  MA_LUA_TRY(L, ma_array_write(&view, NULL, &address));
  *(double *)address = number == number ? number : NAN; /* as in value.c */
  return 0;
}

static int write_items(lua_State *L) {
  MA_LUA_DOOR(L);
  ma_array *base = ma_lua_checkarray(L, 1);
  int key = lua_type(L, 2);
  if (key == LUA_TNUMBER && lua_type(L, 3) == LUA_TNUMBER && base->dtype == MA_FLOAT64 && base->ndim == 1 &&
      !base->readonly && ma_is_host(ma_array_device(base)))
    return set_number(L, base);
  if (key == LUA_TSTRING) check_attribute(L);
  set_items(L, base, -1, "index");
  return 0;
}

int ma_lua_newindex(lua_State *L) { return MA_LUA_NOTED(L, write_items); }

int ma_lua_ufunc_at(lua_State *L, ma_opcode op) {
  lua_settop(L, 3);
  set_items(L, ma_lua_checkarray(L, 1), (int)op, "at");
  return 0;
}

/* ==== a(i, j) ===================================================================================================== */

#define NO_PARENTHESES "a call without positions; an attribute such as a.T is written without parentheses"

/* a[[1,3]], a{2,3} and a"2:5" are calls in Lua; the error shows the form with brackets. */
static int refuse_call(lua_State *L, const ma_array *base) {
  char text[320];
  if (lua_gettop(L) == 3 && lua_isnil(L, 2)) /* for v in a do */
    return ma_lua_fail(L, "an array behind `in`; write `for v in a:each() do` or `for i, row in a:rows() do`");
  if (lua_type(L, 2) == LUA_TSTRING)
    return ma_lua_fail(L, "a call with the text '%s' (a[[...]] is one in Lua); in brackets it is a[\"%s\"]",
                       lua_tostring(L, 2), lua_tostring(L, 2));
  if (lua_type(L, 2) == LUA_TTABLE) {
    print_numbers(L, 2, text, sizeof text);
    return ma_lua_fail(L, "a call with a table; in brackets it is a[{%s}]", text);
  }
  if (lua_type(L, 2) == LUA_TBOOLEAN) return refuse_boolean(L);
  const ma_array *other = ma_lua_toarray(L, 2);
  if (other && other->buffer == base->buffer) return ma_lua_fail(L, NO_PARENTHESES);
  if (other) return ma_lua_fail(L, "a call with an array; in brackets it is a[idx], a[mask]");
  return 0;
}

static int read_element(lua_State *L) {
  MA_LUA_DOOR(L);
  ma_array *base = ma_lua_checkarray(L, 1), view;
  int n = lua_gettop(L) - 1;
  int64_t position[MA_MAX_NDIM];
  for (int k = 0; k < n && k < MA_MAX_NDIM; k++) {
    if (lua_type(L, k + 2) != LUA_TNUMBER && k == 0) refuse_call(L, base);
    if (k < base->ndim) position[k] = ma_lua_checkposition(L, k + 2);
  }
  if (n == 0 && base->ndim) ma_lua_fail(L, NO_PARENTHESES);
  if (n != base->ndim)
    ma_lua_fail(
      L, "a call with %d position%s; parentheses read one element, so %d are wanted (a[{...}] gives rows and ranges)",
      n, n == 1 ? "" : "s", base->ndim);
  element_view(L, &view, base, position);
  return push_element(L, &view);
}

int ma_lua_call(lua_State *L) { return MA_LUA_NOTED(L, read_element); }
