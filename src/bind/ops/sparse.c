/*
** sparse.c: sparse matrices, for lua/moonarray/sparse. The first argument of each function is the name for errors; a
** matrix is five arguments: indptr, indices, data, rows, columns.
*/
#include "bind/bind.h"

#include "ops/fields/sparse.h"

#include <stdlib.h>

static void one_device(lua_State *L, const ma_array *a, const ma_array *b) {
  if (ma_array_device(a) == ma_array_device(b)) return;
  ma_device_apart(ma_array_device(a), ma_array_device(b));
  ma_lua_failas(L, lua_tostring(L, 1), ma_message());
}

static int64_t extent(lua_State *L, int index) {
  double value = luaL_checknumber(L, index);
  if (!(value >= 0 && value <= 9007199254740992.0)) ma_lua_failas(L, lua_tostring(L, 1), "an extent out of range");
  return (int64_t)value;
}

/* The matrix in slots index .. index + 4. */
static ma_csr_parts parts_at(lua_State *L, int index) {
  ma_csr_parts a = { .indptr = ma_lua_checkarray(L, index),
                     .indices = ma_lua_checkarray(L, index + 1),
                     .data = ma_lua_checkarray(L, index + 2),
                     .rows = extent(L, index + 3),
                     .columns = extent(L, index + 4) };
  one_device(L, a.data, a.indptr);
  one_device(L, a.data, a.indices);
  return a;
}

/* The order of values in a slot that may be nil. */
static void order_at(lua_State *L, int index, ma_csr_parts *a) {
  if (lua_isnoneornil(L, index)) return;
  a->order = ma_lua_checkarray(L, index);
  one_device(L, a->data, a->order);
}

static ma_stream *stream_of(lua_State *L, const ma_csr_parts *a) {
  return ma_lua_stream_of(L, ma_array_device(a->indptr));
}

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

/* Moves a result into them: how many there are; 0 if the device has no slot for what was asked. */
static int give(objects to, const ma_csr_arrays *made) {
  if (!made->data.buffer) return 0;
  *to.indptr = made->indptr;
  *to.indices = made->indices;
  *to.data = made->data;
  return 3;
}

/* (name, a ...) -> a matrix made of one */
static int of_one(lua_State *L, ma_status (*run)(const ma_csr_parts *, ma_csr_arrays *, ma_stream *)) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  objects to = new_objects(L);
  ma_csr_arrays made;
  MA_LUA_TRYAS(L, run(&a, &made, stream_of(L, &a)));
  return give(to, &made);
}

/* (name, a ..., b ...) -> a matrix made of two */
static int of_two(lua_State *L,
                  ma_status (*run)(const ma_csr_parts *, const ma_csr_parts *, ma_csr_arrays *, ma_stream *)) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2), b = parts_at(L, 7);
  objects to = new_objects(L);
  ma_csr_arrays made;
  one_device(L, a.data, b.data);
  MA_LUA_TRYAS(L, run(&a, &b, &made, stream_of(L, &a)));
  return give(to, &made);
}

/* (name, a ..., transposed, x, out or nil, entries of the longest row or nil, order of values or nil) -> y */
static int sparse_product(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  const ma_array *x = ma_lua_checkarray(L, 8);
  if (!lua_isnoneornil(L, 10)) a.longest = extent(L, 10);
  order_at(L, 11, &a);
  one_device(L, a.data, x);
  ma_array *y;
  if (lua_isnil(L, 9)) {
    y = ma_lua_newarray(L);
  } else {
    y = ma_lua_checkarray(L, 9);
    lua_pushvalue(L, 9);
  }
  MA_LUA_TRYAS(L, ma_sparse_product_run(&a, lua_toboolean(L, 7), x, y, stream_of(L, &a)));
  return 1;
}

/* (name, a ..., entries of the longest row or nil, order of values or nil) -> the sums of the rows */
static int sparse_sums(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  if (!lua_isnoneornil(L, 7)) a.longest = extent(L, 7);
  order_at(L, 8, &a);
  ma_array *y = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_sparse_sums_run(&a, y, stream_of(L, &a)));
  return 1;
}

/* (name, a ..., op, positions, entries of the longest row or nil, order of values or nil) -> the extremes of the rows,
** or their columns; nothing if the device has no slot for it */
static int sparse_extreme(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  const char *op = luaL_checkstring(L, 7);
  bool positions = lua_toboolean(L, 8);
  if (!lua_isnoneornil(L, 9)) a.longest = extent(L, 9);
  order_at(L, 10, &a);
  ma_array *to = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_sparse_extreme_run(&a, op, positions, to, stream_of(L, &a)));
  return to->buffer ? 1 : 0;
}

/* (name, a ..., b ...) -> indptr, indices, data, sorted */
static int sparse_multiply(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2), b = parts_at(L, 7);
  objects to = new_objects(L);
  ma_csr_arrays made;
  bool sorted = false;
  one_device(L, a.data, b.data);
  MA_LUA_TRYAS(L, ma_sparse_multiply_run(&a, &b, &made, &sorted, stream_of(L, &a)));
  give(to, &made);
  lua_pushboolean(L, sorted);
  return 4;
}

/* (name, a ..., b ..., op) -> indptr, indices, data */
static int sparse_combine(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2), b = parts_at(L, 7);
  const char *op = luaL_checkstring(L, 12);
  objects to = new_objects(L);
  ma_csr_arrays made;
  one_device(L, a.data, b.data);
  MA_LUA_TRYAS(L, ma_sparse_combine_run(&a, &b, op, &made, stream_of(L, &a)));
  return give(to, &made);
}

/* (name, row, column, data, rows, columns) -> indptr, indices, data */
static int sparse_compress(lua_State *L) { return of_one(L, ma_sparse_compress_run); }

/* (name, a ...) -> indptr, indices, data of the transpose */
static int sparse_transpose(lua_State *L) { return of_one(L, ma_sparse_transpose_run); }

/* (name, a ...) -> indices, data */
static int sparse_sort(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  ma_array *indices = ma_lua_newarray(L), *data = ma_lua_newarray(L);
  ma_csr_arrays made;
  MA_LUA_TRYAS(L, ma_sparse_sort_run(&a, &made, stream_of(L, &a)));
  *indices = made.indices;
  *data = made.data;
  return 2;
}

/* (name, indptr, rows, nnz) -> the row of each entry */
static int sparse_expand(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = { .indptr = ma_lua_checkarray(L, 2), .rows = extent(L, 3) };
  int64_t nnz = extent(L, 4);
  ma_array *row = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_sparse_expand_run(&a, nnz, row, stream_of(L, &a)));
  return 1;
}

/* (name, a ..., mask) -> indptr, indices, data; nothing if the device has no slot for it */
static int sparse_select(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  const ma_array *mask = ma_lua_checkarray(L, 7);
  objects to = new_objects(L);
  ma_csr_arrays made;
  one_device(L, a.data, mask);
  MA_LUA_TRYAS(L, ma_sparse_select_run(&a, mask, &made, stream_of(L, &a)));
  return give(to, &made);
}

/* (name, a ..., shift, n) -> n elements of a diagonal */
static int sparse_diagonal(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  double shift = luaL_checknumber(L, 7);
  int64_t n = extent(L, 8);
  ma_array *to = ma_lua_newarray(L);
  if (!(shift > -9007199254740992.0 && shift < 9007199254740992.0))
    ma_lua_failas(L, lua_tostring(L, 1), "a diagonal out of range");
  MA_LUA_TRYAS(L, ma_sparse_diagonal_run(&a, (int64_t)shift, n, to, stream_of(L, &a)));
  return 1;
}

/* (name, a ..., list) -> indptr, indices, data; or the place in the list of a row that is not there */
static int sparse_rows(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  const ma_array *list = ma_lua_checkarray(L, 7);
  objects to = new_objects(L);
  ma_csr_arrays made;
  int64_t wrong = 0;
  one_device(L, a.data, list);
  MA_LUA_TRYAS(L, ma_sparse_rows_run(&a, list, &made, &wrong, stream_of(L, &a)));
  if (wrong) {
    lua_pushnumber(L, (lua_Number)wrong);
    return 1;
  }
  return give(to, &made);
}

/* (name, a ..., lower, unit, transposed, x) -> info; x becomes the solution */
static int sparse_triangle(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  ma_array *x = ma_lua_checkarray(L, 10), *info = ma_lua_newarray(L);
  one_device(L, a.data, x);
  MA_LUA_TRYAS(L, ma_sparse_triangle_run(&a, lua_toboolean(L, 7), lua_toboolean(L, 8), lua_toboolean(L, 9), x, info,
                                         stream_of(L, &a)));
  return 1;
}

/* (name, a ..., row, column) -> the place of each entry or 0; nothing if the device has no slot for it */
static int sparse_places(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  const ma_array *row = ma_lua_checkarray(L, 7), *column = ma_lua_checkarray(L, 8);
  ma_array *to = ma_lua_newarray(L);
  one_device(L, a.data, row);
  one_device(L, a.data, column);
  MA_LUA_TRYAS(L, ma_sparse_places_run(&a, row, column, to, stream_of(L, &a)));
  return to->buffer ? 1 : 0;
}

/* (name, a ...) -> sorted, canonical; nothing if the device has no slot for it */
static int sparse_look(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  bool known, sorted, canonical;
  MA_LUA_TRYAS(L, ma_sparse_look_run(&a, &known, &sorted, &canonical, stream_of(L, &a)));
  if (!known) return 0;
  lua_pushboolean(L, sorted);
  lua_pushboolean(L, canonical);
  return 2;
}

/* (name, a of blocks ...) -> indptr, indices, data; nothing if the device has no slot for it */
static int sparse_unblock(lua_State *L) { return of_one(L, ma_sparse_unblock_run); }

/* (name, a of blocks ..., x) -> y; nothing if the device has no slot for it */
static int sparse_blocks(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  const ma_array *x = ma_lua_checkarray(L, 7);
  ma_array *y = ma_lua_newarray(L);
  one_device(L, a.data, x);
  MA_LUA_TRYAS(L, ma_sparse_blocks_run(&a, x, y, stream_of(L, &a)));
  return y->buffer ? 1 : 0;
}

/* (name, row, column, data, rows, columns, x) -> y; nothing if the device has no slot for it */
static int sparse_entries(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  const ma_array *x = ma_lua_checkarray(L, 7);
  ma_array *y = ma_lua_newarray(L);
  one_device(L, a.data, x);
  MA_LUA_TRYAS(L, ma_sparse_entries_run(&a, x, y, stream_of(L, &a)));
  return y->buffer ? 1 : 0;
}

/* (name, row, column, x, y) -> the elements of x y^T; nothing if the device has no slot for it */
static int sparse_sampled(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *part[4];
  for (int k = 0; k < 4; k++) {
    part[k] = ma_lua_checkarray(L, k + 2);
    one_device(L, part[0], part[k]);
  }
  ma_array *to = ma_lua_newarray(L);
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(part[0]));
  MA_LUA_TRYAS(L, ma_sparse_sampled_run(part[0], part[1], part[2], part[3], to, stream));
  return to->buffer ? 1 : 0;
}

static int compare_offsets(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* The diagonals by their offsets in the table in slot 3, ascending if they are to be `sorted`, of rows and columns in
** slots 4 and 5. They lie in an object on top of the stack. */
static ma_dia diagonals_at(lua_State *L, bool sorted) {
  luaL_checktype(L, 3, LUA_TTABLE);
  ma_dia d = { .rows = extent(L, 4), .columns = extent(L, 5), .count = (int64_t)lua_objlen(L, 3) };
  int64_t(*pair)[2] = lua_newuserdata(L, (size_t)(d.count + 1) * 4 * sizeof(int64_t)), *list = pair[d.count + 1];
  for (int64_t k = 0; k < d.count; k++) {
    lua_rawgeti(L, 3, (int)k + 1);
    lua_Number offset = luaL_checknumber(L, -1);
    if (!(offset > -9007199254740992.0 && offset < 9007199254740992.0))
      ma_lua_failas(L, lua_tostring(L, 1), "a diagonal out of range");
    pair[k][0] = (int64_t)offset;
    pair[k][1] = k;
    lua_pop(L, 1);
  }
  if (sorted) qsort(pair, (size_t)d.count, sizeof *pair, compare_offsets);
  for (int64_t k = 0; k < d.count; k++) {
    list[k] = pair[k][0];
    list[d.count + k] = pair[k][1];
  }
  d.offsets = list;
  d.places = list + d.count;
  return d;
}

/* (name, data, table of offsets, rows, columns, of int64) -> indptr, indices, data; nothing if the device has no
** slot */
static int sparse_stripes(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *from = ma_lua_checkarray(L, 2);
  ma_dia d = diagonals_at(L, true);
  objects to = new_objects(L);
  ma_csr_arrays made;
  MA_LUA_TRYAS(L, ma_sparse_stripes_run(&d, from, lua_toboolean(L, 6) ? MA_INT64 : MA_INT32, &made,
                                        ma_lua_stream_of(L, ma_array_device(from))));
  return give(to, &made);
}

/* (name, data, table of offsets, rows, columns, x) -> y; nothing if the device has no slot */
static int sparse_striped(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *from = ma_lua_checkarray(L, 2), *x = ma_lua_checkarray(L, 6);
  ma_dia d = diagonals_at(L, false);
  ma_array *y = ma_lua_newarray(L);
  one_device(L, from, x);
  MA_LUA_TRYAS(L, ma_sparse_striped_run(&d, from, x, y, ma_lua_stream_of(L, ma_array_device(from))));
  return y->buffer ? 1 : 0;
}

/* ==== Matrices made of others ==================================================================================== */

/* (name, a ...) -> indptr, indices, data without zeros; true if there are none; nothing if the device has no slot */
static int sparse_drop(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  objects to = new_objects(L);
  ma_csr_arrays made;
  bool known;
  MA_LUA_TRYAS(L, ma_sparse_drop_run(&a, &known, &made, stream_of(L, &a)));
  if (!known) return 0;
  if (made.data.buffer) return give(to, &made);
  lua_pushboolean(L, true);
  return 1;
}

/* (name, a ..., height, width) -> indptr, indices, data of blocks; nothing if the device has no slot */
static int sparse_block(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  int64_t height = extent(L, 7), width = extent(L, 8);
  objects to = new_objects(L);
  ma_csr_arrays made;
  MA_LUA_TRYAS(L, ma_sparse_block_run(&a, height, width, &made, stream_of(L, &a)));
  return give(to, &made);
}

#define PIECE 7 /* values of a piece: a ..., top, left */

/* (name, table of pieces' values behind each other, rows, columns) -> indptr, indices, data; nothing if the device has
** no slot */
static int sparse_stack(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  luaL_checktype(L, 2, LUA_TTABLE);
  ma_sparse_stack stack = { extent(L, 3), extent(L, 4), (int64_t)lua_objlen(L, 2) / PIECE, NULL };
  lua_settop(L, 4);
  if (stack.count < 1) ma_lua_failas(L, lua_tostring(L, 1), "no pieces; wanted one");
  ma_csr_parts *parts = lua_newuserdata(L, (size_t)stack.count * sizeof *parts);
  ma_sparse_piece *pieces = lua_newuserdata(L, (size_t)stack.count * sizeof *pieces);
  objects to = new_objects(L);
  int top = lua_gettop(L);
  for (int64_t k = 0; k < stack.count; k++) {
    for (int i = 1; i <= PIECE; i++) lua_rawgeti(L, 2, (int)k * PIECE + i);
    parts[k] = parts_at(L, top + 1);
    one_device(L, parts[0].data, parts[k].data);
    pieces[k].top = extent(L, top + 6);
    pieces[k].left = extent(L, top + 7);
    lua_settop(L, top);
  }
  ma_csr_arrays made;
  MA_LUA_TRYAS(L, ma_sparse_stack_run(parts, pieces, &stack, &made, stream_of(L, parts)));
  return give(to, &made);
}

/* (name, a ..., b ...) -> indptr, indices, data; nothing if the device has no slot */
static int sparse_kron(lua_State *L) { return of_two(L, ma_sparse_kron_run); }

/* (name, a ...) -> indptr, indices, data, sorted and without duplicates; nothing if the device has no slot */
static int sparse_unite(lua_State *L) { return of_one(L, ma_sparse_unite_run); }

/* (name, a ..., b ...) -> indptr, indices, data of a with b's entries; nothing if the device has no slot */
static int sparse_put(lua_State *L) { return of_two(L, ma_sparse_put_run); }

/* (name, a ..., list, sort) or (name, a ..., nil, false, first, step, count) -> indptr, indices, data; or the place in
** the list of a column that is not there; nothing if the device has no slot */
static int sparse_columns(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_csr_parts a = parts_at(L, 2);
  const ma_array *list = lua_isnil(L, 7) ? NULL : ma_lua_checkarray(L, 7);
  ma_sparse_columns job = { .sort = lua_toboolean(L, 8) };
  if (list) {
    one_device(L, a.data, list);
  } else {
    job.first = extent(L, 9);
    job.step = extent(L, 10);
    job.count = extent(L, 11);
  }
  objects to = new_objects(L);
  ma_csr_arrays made;
  int64_t wrong = 0;
  MA_LUA_TRYAS(L, ma_sparse_columns_run(&a, list, &job, &made, &wrong, stream_of(L, &a)));
  if (wrong) {
    lua_pushnumber(L, (lua_Number)wrong);
    return 1;
  }
  return give(to, &made);
}

/* (name, data) -> a text that stays until the memory is written; nothing if others may write it too */
static int sparse_writes(lua_State *L) {
  ma_lua_args(L);
  const ma_array *data = ma_lua_checkarray(L, 2);
  bool known;
  uintptr_t buffer;
  uint32_t writes;
  MA_LUA_TRYAS(L, ma_sparse_writes(data, ma_lua_stream_of(L, ma_array_device(data)), &known, &buffer, &writes));
  if (!known) return 0;
  lua_pushfstring(L, "%p %f %f %s", (void *)buffer, (lua_Number)writes, (lua_Number)data->offset,
                  ma_dtypes[data->dtype].name);
  return 1;
}

static const ma_function functions[] = {
  { "core.sparse_product(name, indptr, indices, data, rows, columns, transposed, x, out?, longest?, order?)",
    sparse_product, NULL },
  { "core.sparse_sums(name, indptr, indices, data, rows, columns, longest?, order?)", sparse_sums, NULL },
  { "core.sparse_extreme(name, indptr, indices, data, rows, columns, op, positions, longest?, order?)", sparse_extreme,
    NULL },
  { "core.sparse_writes(name, data)", sparse_writes, NULL },
  { "core.sparse_multiply(name, indptr, indices, data, rows, columns, indptr2, indices2, data2, rows2, columns2)",
    sparse_multiply, NULL },
  { "core.sparse_combine(name, indptr, indices, data, rows, columns, indptr2, indices2, data2, rows2, columns2, op)",
    sparse_combine, NULL },
  { "core.sparse_compress(name, row, column, data, rows, columns)", sparse_compress, NULL },
  { "core.sparse_transpose(name, indptr, indices, data, rows, columns)", sparse_transpose, NULL },
  { "core.sparse_sort(name, indptr, indices, data, rows, columns)", sparse_sort, NULL },
  { "core.sparse_select(name, indptr, indices, data, rows, columns, mask)", sparse_select, NULL },
  { "core.sparse_diagonal(name, indptr, indices, data, rows, columns, shift, n)", sparse_diagonal, NULL },
  { "core.sparse_rows(name, indptr, indices, data, rows, columns, list)", sparse_rows, NULL },
  { "core.sparse_places(name, indptr, indices, data, rows, columns, row, column)", sparse_places, NULL },
  { "core.sparse_look(name, indptr, indices, data, rows, columns)", sparse_look, NULL },
  { "core.sparse_unblock(name, indptr, indices, data, rows, columns)", sparse_unblock, NULL },
  { "core.sparse_blocks(name, indptr, indices, data, rows, columns, x)", sparse_blocks, NULL },
  { "core.sparse_stripes(name, data, offsets, rows, columns, wide)", sparse_stripes, NULL },
  { "core.sparse_striped(name, data, offsets, rows, columns, x)", sparse_striped, NULL },
  { "core.sparse_entries(name, row, column, data, rows, columns, x)", sparse_entries, NULL },
  { "core.sparse_sampled(name, row, column, x, y)", sparse_sampled, NULL },
  { "core.sparse_drop(name, indptr, indices, data, rows, columns)", sparse_drop, NULL },
  { "core.sparse_block(name, indptr, indices, data, rows, columns, height, width)", sparse_block, NULL },
  { "core.sparse_stack(name, pieces, rows, columns)", sparse_stack, NULL },
  { "core.sparse_kron(name, indptr, indices, data, rows, columns, indptr2, indices2, data2, rows2, columns2)",
    sparse_kron, NULL },
  { "core.sparse_unite(name, indptr, indices, data, rows, columns)", sparse_unite, NULL },
  { "core.sparse_put(name, indptr, indices, data, rows, columns, indptr2, indices2, data2, rows2, columns2)",
    sparse_put, NULL },
  { "core.sparse_columns(name, indptr, indices, data, rows, columns, list?, sort?, first?, step?, count?)",
    sparse_columns, NULL },
  { "core.sparse_expand(name, indptr, rows, nnz)", sparse_expand, NULL },
  { "core.sparse_triangle(name, indptr, indices, data, rows, columns, lower, unit, transposed_, x)", sparse_triangle,
    NULL },
  { NULL, NULL, NULL },
};

void ma_open_sparse(lua_State *L) { ma_lua_register(L, functions); }
