/*
** sparse.c: sparse matrices, for lua/moonarray/sparse. The first argument of each function is the name for errors. A
** matrix is the table that an object of Lua has (matrix.lua): format, rows, columns and the arrays of the format, and
** on a GPU `longest` and `order` if they are known. A matrix is returned as indptr, indices, data, and whether it is
** sorted and canonical where that is known.
*/
#include "bind/bind.h"

#include "ops/fields/sparse.h"

#include <stdlib.h>
#include <string.h>

static int64_t extent(lua_State *L, int index) {
  double value = luaL_checknumber(L, index);
  if (!(value >= 0 && value <= 9007199254740992.0)) ma_lua_failas(L, lua_tostring(L, 1), "an extent out of range");
  return (int64_t)value;
}

static double field(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  double value = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

static int64_t extent_field(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  int64_t value = extent(L, lua_gettop(L));
  lua_pop(L, 1);
  return value;
}

/* The table keeps the array alive. */
static const ma_array *array_field(lua_State *L, int index, const char *name, bool optional) {
  lua_getfield(L, index, name);
  const ma_array *array = optional && lua_isnil(L, -1) ? NULL : ma_lua_checkarray(L, lua_gettop(L));
  lua_pop(L, 1);
  return array;
}

static int compare_offsets(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* The offsets of diagonals, in an object that is put on top of the stack: ascending if they are to be `sorted`. */
static void read_offsets(lua_State *L, int index, bool sorted, ma_sparse_parts *a) {
  lua_getfield(L, index, "shifts");
  luaL_checktype(L, -1, LUA_TTABLE);
  int64_t n = a->noffset = (int64_t)lua_objlen(L, -1);
  int64_t(*pair)[2] = lua_newuserdata(L, (size_t)(n + 1) * 4 * sizeof(int64_t)), *list = pair[n + 1];
  for (int64_t k = 0; k < n; k++) {
    lua_rawgeti(L, -2, (int)k + 1);
    lua_Number offset = luaL_checknumber(L, -1);
    if (!(offset > -9007199254740992.0 && offset < 9007199254740992.0))
      ma_lua_failas(L, lua_tostring(L, 1), "a diagonal out of range");
    pair[k][0] = (int64_t)offset;
    pair[k][1] = k;
    lua_pop(L, 1);
  }
  if (sorted) qsort(pair, (size_t)n, sizeof *pair, compare_offsets);
  for (int64_t k = 0; k < n; k++) {
    list[k] = pair[k][0];
    list[n + k] = pair[k][1];
  }
  a->offsets = list;
  a->places = list + n;
}

/* The matrix in a slot: of CSC, the CSR of the transpose, and *turned is true if the caller asks. Something may be put
** on top of the stack. */
static ma_sparse_parts matrix_as(lua_State *L, int index, bool *turned, bool sorted) {
  static const char *const names[] = { "csr", "csc", "coo", "bsr", "dia" };
  static const ma_sparse_kind kinds[] = { MA_SPARSE_ROWS, MA_SPARSE_ROWS, MA_SPARSE_ENTRIES, MA_SPARSE_BLOCKS,
                                          MA_SPARSE_DIAGONALS };
  luaL_checktype(L, index, LUA_TTABLE);
  lua_getfield(L, index, "format");
  const char *format = lua_tostring(L, -1);
  size_t k = 0;
  while (k < 5 && !(format && !strcmp(format, names[k]))) k++;
  if (k == 5) ma_lua_failas(L, lua_tostring(L, 1), "a table that is no sparse matrix");
  lua_pop(L, 1);
  ma_sparse_parts a = { .kind = kinds[k], .data = array_field(L, index, "data", false) };
  bool by_columns = k == 1, entries = a.kind == MA_SPARSE_ENTRIES;
  a.rows = extent_field(L, index, by_columns ? "columns" : "rows");
  a.columns = extent_field(L, index, by_columns ? "rows" : "columns");
  if (turned) *turned = by_columns;
  if (a.kind == MA_SPARSE_DIAGONALS) {
    read_offsets(L, index, sorted, &a);
    return a;
  }
  a.indptr = array_field(L, index, entries ? "row" : "indptr", false);
  a.indices = array_field(L, index, entries ? "col" : "indices", false);
  ma_lua_checksame(L, a.data, a.indptr);
  ma_lua_checksame(L, a.data, a.indices);
  if (!ma_is_host(ma_array_device(a.data))) a.longest = (int64_t)field(L, index, "longest");
  a.order = array_field(L, index, "order", true);
  if (a.order) ma_lua_checksame(L, a.data, a.order);
  return a;
}

static ma_sparse_parts matrix_at(lua_State *L, int index) { return matrix_as(L, index, NULL, true); }

static ma_stream *stream_of(lua_State *L, const ma_sparse_parts *a) { return ma_lua_streamfor(L, a->data); }

/* New objects on top of the stack for indptr, indices and data. They are made before the arrays, so that a finaliser
** frees what an error leaves. */
typedef struct objects {
  ma_array *indptr, *indices, *data;
} objects;

static objects new_objects(lua_State *L) {
  objects to = { .indptr = ma_lua_newarray(L) };
  to.indices = ma_lua_newarray(L);
  to.data = ma_lua_newarray(L);
  return to;
}

/* Moves a result into them, which are on top of the stack. */
static int give(objects to, const ma_csr_arrays *made) {
  *to.indptr = made->indptr;
  *to.indices = made->indices;
  *to.data = made->data;
  return 3;
}

/* The same of a result that is sorted, or canonical too; else nothing is known. */
static int give_ordered(lua_State *L, objects to, const ma_csr_arrays *made, bool sorted, bool canonical) {
  give(to, made);
  if (!sorted) return 3;
  lua_pushboolean(L, true);
  if (!canonical) return 4;
  lua_pushboolean(L, true);
  return 5;
}

/* ==== Arithmetic ================================================================================================= */

/* (name, a, x or nil, out or nil) -> y; without x the sums of the rows */
static int sparse_product(lua_State *L) {
  bool turned, made = lua_isnil(L, 4);
  const ma_array *x = ma_lua_optarray(L, 3);
  ma_array *y = made ? ma_lua_newarray(L) : ma_lua_checkarray(L, 4);
  ma_sparse_parts a = matrix_as(L, 2, &turned, false);
  if (x) ma_lua_checksame(L, a.data, x);
  MA_LUA_TRYAS(L, ma_sparse_product_run(&a, turned, x, y, stream_of(L, &a)));
  lua_pushvalue(L, made ? 5 : 4);
  return 1;
}

/* (name, a, b) -> a matrix */
static int sparse_multiply(lua_State *L) {
  ma_sparse_parts a = matrix_at(L, 2), b = matrix_at(L, 3);
  objects to = new_objects(L);
  ma_csr_arrays made;
  bool sorted = false;
  ma_lua_checksame(L, a.data, b.data);
  MA_LUA_TRYAS(L, ma_sparse_multiply_run(&a, &b, &made, &sorted, stream_of(L, &a)));
  give(to, &made);
  lua_pushboolean(L, sorted);
  lua_pushboolean(L, sorted);
  return 5;
}

/* (name, a, b, op) -> a matrix */
static int sparse_combine(lua_State *L) {
  ma_sparse_parts a = matrix_at(L, 2), b = matrix_at(L, 3);
  const char *op = luaL_checkstring(L, 4);
  objects to = new_objects(L);
  ma_csr_arrays made;
  ma_lua_checksame(L, a.data, b.data);
  MA_LUA_TRYAS(L, ma_sparse_combine_run(&a, &b, op, &made, stream_of(L, &a)));
  return give_ordered(L, to, &made, true, true);
}

/* (name, a, op, positions) -> the extremes of the rows, or their columns */
static int sparse_extreme(lua_State *L) {
  ma_sparse_parts a = matrix_at(L, 2);
  const char *op = luaL_checkstring(L, 3);
  bool positions = lua_toboolean(L, 4);
  ma_array *to = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_sparse_extreme_run(&a, op, positions, to, stream_of(L, &a)));
  return 1;
}

/* (name, a, x, lower, unit) -> info; x becomes the solution */
static int sparse_triangle(lua_State *L) {
  bool turned;
  ma_sparse_parts a = matrix_as(L, 2, &turned, true);
  ma_array *x = ma_lua_checkarray(L, 3), *info = ma_lua_newarray(L);
  bool lower = lua_toboolean(L, 4);
  ma_lua_checksame(L, a.data, x);
  MA_LUA_TRYAS(L, ma_sparse_triangle_run(&a, lower != turned, lua_toboolean(L, 5), turned, x, info, stream_of(L, &a)));
  return 1;
}

/* (name, row, column, x, y) -> the elements of x y^T */
static int sparse_sampled(lua_State *L) {
  const ma_array *part[4];
  for (int k = 0; k < 4; k++) {
    part[k] = ma_lua_checkarray(L, k + 2);
    ma_lua_checksame(L, part[0], part[k]);
  }
  ma_array *to = ma_lua_newarray(L);
  ma_stream *stream = ma_lua_streamfor(L, part[0]);
  MA_LUA_TRYAS(L, ma_sparse_sampled_run(part[0], part[1], part[2], part[3], to, stream));
  return 1;
}

/* ==== Order, and what is read of a matrix ======================================================================== */

/* (name, a, sum) -> a matrix with sorted rows; COO by rows */
static int sparse_order(lua_State *L) {
  ma_sparse_parts a = matrix_at(L, 2);
  bool sum = lua_toboolean(L, 3) || a.kind == MA_SPARSE_ENTRIES;
  objects to = new_objects(L);
  ma_csr_arrays made;
  MA_LUA_TRYAS(L, ma_sparse_order_run(&a, sum, &made, stream_of(L, &a)));
  return give_ordered(L, to, &made, true, sum);
}

/* (name, a) -> the transpose */
static int sparse_transpose(lua_State *L) {
  ma_sparse_parts a = matrix_at(L, 2);
  objects to = new_objects(L);
  ma_csr_arrays made;
  MA_LUA_TRYAS(L, ma_sparse_transpose_run(&a, &made, stream_of(L, &a)));
  return give_ordered(L, to, &made, true, false);
}

/* (name, a) -> the row of each entry, or of each block */
static int sparse_expand(lua_State *L) {
  ma_sparse_parts a = matrix_at(L, 2);
  ma_array *row = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_sparse_expand_run(&a, row, stream_of(L, &a)));
  return 1;
}

/* (name, a, row, column) -> the place of each entry, or 0 */
static int sparse_places(lua_State *L) {
  ma_sparse_parts a = matrix_at(L, 2);
  const ma_array *row = ma_lua_checkarray(L, 3), *column = ma_lua_checkarray(L, 4);
  ma_array *to = ma_lua_newarray(L);
  ma_lua_checksame(L, a.data, row);
  ma_lua_checksame(L, a.data, column);
  MA_LUA_TRYAS(L, ma_sparse_places_run(&a, row, column, to, stream_of(L, &a)));
  return 1;
}

/* (name, a) -> sorted, canonical */
static int sparse_look(lua_State *L) {
  ma_sparse_parts a = matrix_at(L, 2);
  bool sorted, canonical;
  MA_LUA_TRYAS(L, ma_sparse_look_run(&a, &sorted, &canonical, stream_of(L, &a)));
  lua_pushboolean(L, sorted);
  lua_pushboolean(L, canonical);
  return 2;
}

/* (name, a, shift, n) -> n elements of a diagonal */
static int sparse_diagonal(lua_State *L) {
  bool turned;
  ma_sparse_parts a = matrix_as(L, 2, &turned, true);
  double shift = luaL_checknumber(L, 3);
  int64_t n = extent(L, 4);
  ma_array *to = ma_lua_newarray(L);
  if (!(shift > -9007199254740992.0 && shift < 9007199254740992.0))
    ma_lua_failas(L, lua_tostring(L, 1), "a diagonal out of range");
  MA_LUA_TRYAS(L, ma_sparse_diagonal_run(&a, (int64_t)(turned ? -shift : shift), n, to, stream_of(L, &a)));
  return 1;
}

/* (name, data) -> a text that stays until the memory is written; nothing if others may write it too */
static int sparse_writes(lua_State *L) {
  const ma_array *data = ma_lua_checkarray(L, 2);
  bool known;
  uintptr_t buffer;
  uint32_t writes;
  MA_LUA_TRYAS(L, ma_sparse_writes(data, ma_lua_streamfor(L, data), &known, &buffer, &writes));
  if (!known) return 0;
  lua_pushfstring(L, "%p %f %f %s", (void *)buffer, (lua_Number)writes, (lua_Number)data->offset,
                  ma_dtypes[data->dtype].name);
  return 1;
}

/* ==== Matrices made of others ==================================================================================== */

/* (name, kind, a, ...) -> indptr, indices, data and no more; or the place in the list of a position that is not there;
** or, if all entries are full, true. Behind `a` follow, by the kind: a list or a mask; another matrix; first, step and
** count of a range; height and width of blocks; whether positions are to be of int64; false. */
static int sparse_make(lua_State *L) {
  static const char *const kinds[] = { "rows",  "masked", "full",    "range",   "columns", "put",
                                       "stack", "kron",   "unblock", "stripes", "block",   NULL };
  ma_sparse_make m = { .kind = luaL_checkoption(L, 2, NULL, kinds) };
  ma_sparse_parts a = matrix_at(L, 3), b, *other = NULL;
  const ma_array *chosen = NULL;
  switch (m.kind) {
  case MA_MAKE_ROWS:
  case MA_MAKE_COLUMNS:
  case MA_MAKE_MASKED:
    m.sort = m.kind == MA_MAKE_COLUMNS;
    chosen = ma_lua_checkarray(L, 4);
    ma_lua_checksame(L, a.data, chosen);
    break;
  case MA_MAKE_PUT:
  case MA_MAKE_KRON:
    b = matrix_at(L, 4);
    other = &b;
    ma_lua_checksame(L, a.data, b.data);
    break;
  case MA_MAKE_RANGE:
    m.first = extent(L, 4);
    m.step = extent(L, 5);
    m.columns = extent(L, 6);
    break;
  case MA_MAKE_BLOCK:
    m.height = extent(L, 4);
    m.width = extent(L, 5);
    break;
  case MA_MAKE_STRIPES: m.a.index = lua_toboolean(L, 4) ? MA_INT64 : MA_INT32; break;
  case MA_MAKE_STACK: ma_lua_failas(L, lua_tostring(L, 1), "pieces; wanted sparse_stack"); break;
  default: break;
  }
  objects to = new_objects(L);
  ma_csr_arrays made;
  int64_t wrong = 0;
  MA_LUA_TRYAS(L, ma_sparse_make_run(&a, other, chosen, &m, &made, &wrong, stream_of(L, &a)));
  if (made.data.buffer) return give(to, &made);
  if (wrong) lua_pushnumber(L, (lua_Number)wrong);
  else lua_pushboolean(L, true);
  return 1;
}

#define PIECE 3 /* values of a piece: a, top, left */

/* (name, table of pieces' values behind each other, rows, columns) -> indptr, indices, data */
static int sparse_stack(lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  ma_sparse_make m = { .rows = extent(L, 3), .columns = extent(L, 4), .npiece = (int64_t)lua_objlen(L, 2) / PIECE };
  if (m.npiece < 1) ma_lua_failas(L, lua_tostring(L, 1), "no pieces; wanted one");
  ma_sparse_parts *parts = lua_newuserdata(L, (size_t)m.npiece * sizeof *parts);
  ma_sparse_piece *pieces = lua_newuserdata(L, (size_t)m.npiece * sizeof *pieces);
  objects to = new_objects(L);
  int top = lua_gettop(L);
  for (int64_t k = 0; k < m.npiece; k++) {
    for (int i = 1; i <= PIECE; i++) lua_rawgeti(L, 2, (int)k * PIECE + i);
    parts[k] = matrix_at(L, top + 1);
    ma_lua_checksame(L, parts[0].data, parts[k].data);
    pieces[k].top = extent(L, top + 2);
    pieces[k].left = extent(L, top + 3);
    lua_settop(L, top);
  }
  ma_csr_arrays made;
  MA_LUA_TRYAS(L, ma_sparse_stack_run(parts, pieces, &m, &made, stream_of(L, parts)));
  return give(to, &made);
}

static const ma_function functions[] = {
  { "core.sparse_product(name, a, x?, out?)", sparse_product, NULL },
  { "core.sparse_multiply(name, a, b)", sparse_multiply, NULL },
  { "core.sparse_combine(name, a, b, op)", sparse_combine, NULL },
  { "core.sparse_extreme(name, a, op, positions)", sparse_extreme, NULL },
  { "core.sparse_triangle(name, a, x, lower, unit)", sparse_triangle, NULL },
  { "core.sparse_sampled(name, row, column, x, y)", sparse_sampled, NULL },
  { "core.sparse_order(name, a, sum?)", sparse_order, NULL },
  { "core.sparse_transpose(name, a)", sparse_transpose, NULL },
  { "core.sparse_expand(name, a)", sparse_expand, NULL },
  { "core.sparse_places(name, a, row, column)", sparse_places, NULL },
  { "core.sparse_look(name, a)", sparse_look, NULL },
  { "core.sparse_diagonal(name, a, shift, n)", sparse_diagonal, NULL },
  { "core.sparse_writes(name, data)", sparse_writes, NULL },
  { "core.sparse_make(name, kind, a, b, c?, d?)", sparse_make, NULL },
  { "core.sparse_stack(name, pieces, rows, columns)", sparse_stack, NULL },
  { NULL, NULL, NULL },
};

void ma_open_sparse(lua_State *L) { ma_lua_register(L, functions); }
