/* loadtxt.c: rows of numbers from text: loadtxt and genfromtxt. */
#include "bind/files/files.h"

#include <ctype.h>
#include <string.h>

#define MAX_COMMENTS 16

/* Reads a text, a list of texts, or "" for none. The result is valid while the arguments are on the stack. */
static int check_comments(lua_State *L, int index, const char **comments) {
  comments[0] = "#";
  if (lua_isnil(L, index)) return 1;
  if (lua_type(L, index) == LUA_TSTRING && strlen(lua_tostring(L, index)) == lua_objlen(L, index)) {
    comments[0] = lua_tostring(L, index);
    return *comments[0] != 0;
  }
  int n = lua_type(L, index) == LUA_TTABLE ? (int)lua_objlen(L, index) : -1;
  for (int i = 0; i < n && n <= MAX_COMMENTS; i++) {
    lua_rawgeti(L, index, i + 1);
    if (lua_type(L, -1) != LUA_TSTRING || lua_objlen(L, -1) == 0 || strlen(lua_tostring(L, -1)) != lua_objlen(L, -1))
      n = -1;
    else comments[i] = lua_tostring(L, -1);
    lua_pop(L, 1); /* the table keeps it alive */
  }
  if (n < 0 || n > MAX_COMMENTS)
    ma_lua_fail(L, "comments is %s; wanted a string without a zero byte, or a list of at most %d",
                ma_lua_describe(L, index), MAX_COMMENTS);
  return n;
}

/* Reads positions into a userdata, which is pushed. */
static void check_columns(lua_State *L, int index, ma_text_options *options) {
  if (lua_isnil(L, index)) {
    lua_pushnil(L);
    return;
  }
  bool list = lua_type(L, index) == LUA_TTABLE;
  int n = list ? (int)lua_objlen(L, index) : 1;
  int64_t *columns = lua_newuserdata(L, (size_t)n * sizeof *columns + 1);
  for (int i = 0; i < n; i++) {
    if (list) lua_rawgeti(L, index, i + 1);
    else lua_pushvalue(L, index);
    columns[i] = ma_lua_checkint(L, -1, "usecols");
    lua_pop(L, 1);
  }
  if (n == 0) ma_lua_fail(L, "usecols is empty; wanted positions of columns");
  options->columns = columns;
  options->ncolumn = n;
}

/* Pushes a view of one column of a (rows, columns) array. */
static void push_column(lua_State *L, const ma_array *table, int64_t column) {
  ma_array *view = ma_lua_newarray(L);
  ma_array_view(view, table);
  view->ndim = 1;
  view->size = table->shape[0];
  view->offset += column * table->stride[1];
}

static void read_table(lua_State *L, ma_lua_scratch *s, int file, const ma_text_options *options, ma_device *device) {
  ma_source source, values;
  ma_source_file(&source, ma_lua_openfile(L, file, s));
  ma_lua_checkfile(L, file, s, ma_text_read(&s->text, &source, options));
  int64_t shape[2] = { s->text.rows, s->text.columns };
  ma_source_memory(&values, s->text.values, (size_t)(shape[0] * shape[1]) * ma_dtypes[options->dtype].itemsize);
  ma_lua_pushread(L, s, file, &values, options->dtype, 2, shape, device);
}

/* Drops axes of extent 1, as NumPy does, but keeps `ndmin` axes. */
static void squeeze(lua_State *L, int64_t ndmin) {
  ma_array *table = ma_lua_toarray(L, -1);
  int64_t rows = table->shape[0], columns = table->shape[1], shape[1] = { rows * columns };
  if (ndmin >= 2 || (rows != 1 && columns != 1 && rows * columns > 0)) return;
  ma_array *flat = ma_lua_newarray(L);
  MA_LUA_TRY(
    L, ma_array_reshape(flat, table, rows * columns == 1 && ndmin == 0 ? 0 : 1, shape, ma_lua_streamfor(L, table)));
  lua_remove(L, -2);
}

static int push_columns(lua_State *L) {
  ma_array *table = ma_lua_toarray(L, -1);
  int64_t n = table->shape[1];
  if (n > 200) ma_lua_fail(L, "unpack gives each column as a value, at most 200; the file has %lld", (long long)n);
  ma_lua_room(L, (int)n);
  for (int64_t i = 0; i < n; i++) push_column(L, table, i);
  return (int)n;
}

static int64_t opt_lines(lua_State *L, int index, int64_t fallback) {
  if (lua_isnil(L, index)) return fallback;
  int64_t n = ma_lua_checkint(L, index, ma_lua_argname(L, index));
  if (n < 0) ma_lua_fail(L, "%s is %lld; wanted 0 or more", ma_lua_argname(L, index), (long long)n);
  return n;
}

static int files_loadtxt(lua_State *L) {
  enum { FILE_ = 1, DTYPE, COMMENTS, DELIMITER, SKIPROWS, USECOLS, UNPACK, NDMIN, MAX_ROWS, DEVICE };
  const char *comments[MAX_COMMENTS];
  ma_text_options options = { .dtype = ma_lua_checkdtype(L, DTYPE, ma_lua_state(L)->default_dtype),
                              .comments = comments,
                              .ncomment = check_comments(L, COMMENTS, comments),
                              .delimiter = ma_lua_checkseparator(L, DELIMITER, 0),
                              .skip = opt_lines(L, SKIPROWS, 0),
                              .max_rows = opt_lines(L, MAX_ROWS, -1) };
  bool unpack = ma_lua_optbool(L, UNPACK, false);
  int64_t ndmin = opt_lines(L, NDMIN, 0);
  if (ndmin > 2) ma_lua_fail(L, "ndmin is %lld; wanted 0, 1 or 2", (long long)ndmin);
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  check_columns(L, USECOLS, &options);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  read_table(L, s, FILE_, &options, device);
  ma_lua_endscratch(s);
  if (unpack) return push_columns(L);
  squeeze(L, ndmin);
  return 1;
}

/* Splits the line `text` into names in the same way as fields; pushes a list. */
static void push_names(lua_State *L, const char *text, const ma_text_options *options) {
  static const char space[] = " \t\r\n\v\f";
  lua_newtable(L);
  for (int n = 1;; n++) {
    text += strspn(text, space);
    const char *end = ma_text_field(text, options->delimiter, options->quote), *next = end;
    if (!options->delimiter && end == text) return;
    while (end > text && strchr(space, end[-1])) end--;
    if (end - text >= 2 && *text == '"' && end[-1] == '"') {
      text++;
      end--;
    }
    if (end == text) lua_pushfstring(L, "f%d", n);
    else lua_pushlstring(L, text, (size_t)(end - text));
    lua_rawseti(L, -2, n);
    if (!*next) return;
    text = options->delimiter ? next + 1 : next;
  }
}

/* Pushes {name = column}, and the names in the order of the columns. Stack: the list of all names, the table of
** values. */
static int push_named(lua_State *L, const ma_text_options *options) {
  int values = lua_gettop(L), list = values - 1;
  const ma_array *table = ma_lua_toarray(L, values);
  int64_t n = table->shape[1], fields = (int64_t)lua_objlen(L, list);
  lua_newtable(L);
  lua_createtable(L, (int)n, 0);
  for (int64_t i = 0; i < n; i++) {
    int64_t from = options->columns ? options->columns[i] : i + 1;
    if (from < 0) from += fields + 1;
    if (from > fields)
      ma_lua_fail(L, "%lld names for %lld columns; one for each is wanted", (long long)fields, (long long)n);
    lua_rawgeti(L, list, (int)from);
    lua_pushvalue(L, -1);
    lua_rawget(L, values + 1);
    if (!lua_isnil(L, -1)) ma_lua_fail(L, "the name '%s' stands twice", lua_tostring(L, -2));
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, values + 2, (int)i + 1);
    push_column(L, table, i);
    lua_rawset(L, values + 1);
  }
  return 2;
}

static ma_value check_fill(lua_State *L, int index, ma_dtype dtype) {
  ma_kind kind = ma_dtypes[dtype].kind;
  ma_value value = { 0 };
  ma_dtype from;
  ma_weak weak;
  if (!lua_isnil(L, index)) {
    if (!ma_lua_tovalue(L, index, &value, &from, &weak))
      ma_lua_fail(L, "filling_values is %s; wanted a number", ma_lua_describe(L, index));
    if (!ma_weak_is_whole(weak) || kind == MA_KIND_BOOL) return ma_value_cast(value, from, dtype);
    ma_lua_check(L, ma_value_weak(value, weak, dtype, &value));
    return value;
  }
  if (kind == MA_KIND_FLOAT || kind == MA_KIND_COMPLEX) value.c.re = __builtin_nan("");
  else if (kind != MA_KIND_BOOL) value.i = -1;
  if (kind == MA_KIND_SIGNED || kind == MA_KIND_UNSIGNED) return ma_value_cast(value, MA_INT64, dtype);
  return value;
}

static int files_genfromtxt(lua_State *L) {
  enum {
    FILE_ = 1,
    DTYPE,
    COMMENTS,
    DELIMITER,
    SKIP_HEADER,
    USECOLS,
    NAMES,
    FILLING_VALUES,
    UNPACK,
    MAX_ROWS,
    QUOTE,
    DEVICE
  };
  const char *comments[MAX_COMMENTS];
  bool given = lua_type(L, NAMES) == LUA_TTABLE, header = !given && ma_lua_optbool(L, NAMES, false);
  ma_text_options options = { .dtype = ma_lua_checkdtype(L, DTYPE, ma_lua_state(L)->default_dtype),
                              .comments = comments,
                              .ncomment = check_comments(L, COMMENTS, comments),
                              .delimiter = ma_lua_checkseparator(L, DELIMITER, 0),
                              .quote = lua_toboolean(L, QUOTE) ? '"' : 0,
                              .skip = opt_lines(L, SKIP_HEADER, 0),
                              .max_rows = opt_lines(L, MAX_ROWS, -1),
                              .names = header,
                              .missing = true };
  options.fill = check_fill(L, FILLING_VALUES, options.dtype);
  bool unpack = ma_lua_optbool(L, UNPACK, false);
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  check_columns(L, USECOLS, &options);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  read_table(L, s, FILE_, &options, device);
  if (header) push_names(L, s->text.names, &options);
  else if (given) lua_pushvalue(L, NAMES);
  ma_lua_endscratch(s);
  if (header || given) {
    lua_insert(L, -2);
    return push_named(L, &options);
  }
  if (unpack) return push_columns(L);
  squeeze(L, 0);
  return 1;
}

/* core.parse_texts(texts, dtype, fill, loose, device): an array of the texts' values. `false` in place of a text gives
** `fill`, or the dtype's default for it. A text that is no value also gives `fill` with `loose`; without it the
** function returns nil and the text's position. */
static int files_parse_texts(lua_State *L) {
  enum { TEXTS = 1, DTYPE, FILL, LOOSE, DEVICE };
  ma_dtype dtype = ma_lua_checkdtype(L, DTYPE, MA_NDTYPE);
  ma_value fill = check_fill(L, FILL, dtype), value = { 0 };
  bool loose = lua_toboolean(L, LOOSE);
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  int64_t n = (int64_t)lua_objlen(L, TEXTS);
  size_t itemsize = ma_dtypes[dtype].itemsize;
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  char *values = lua_newuserdata(L, (size_t)n * itemsize + 1);
  for (int64_t i = 0; i < n; i++) {
    size_t length;
    lua_rawgeti(L, TEXTS, (int)i + 1);
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
    while (text && length > 0 && isspace((unsigned char)text[length - 1])) length--;
    while (text && length > 0 && isspace((unsigned char)*text)) {
      text++;
      length--;
    }
    if (!text) value = fill;
    else if (!ma_text_parse(text, text + length, dtype, &value)) {
      if (!loose) {
        lua_pushnil(L);
        lua_pushinteger(L, (lua_Integer)i + 1);
        return 2;
      }
      value = fill;
    }
    ma_value_store(values + (size_t)i * itemsize, dtype, value);
    lua_pop(L, 1);
  }
  ma_source source;
  ma_source_memory(&source, values, (size_t)n * itemsize);
  ma_lua_pushread(L, s, 0, &source, dtype, 1, &n, device);
  ma_lua_endscratch(s);
  return 1;
}

static const ma_function functions[] = {
  { "loadtxt(file: string|file*, dtype?: dtype, comments?: string, delimiter?: string, skiprows?: integer, usecols?: "
    "integer|integer[], unpack?: boolean, ndmin?: integer, max_rows?: integer; device?: string) -> array",
    files_loadtxt,
    "Rows of numbers. usecols are 1-based; with `unpack` every column is a value of its own: local x, y = "
    "ma.loadtxt(f, {unpack = true})." },
  { "core.genfromtxt(file, dtype?, comments?, delimiter?, skip_header?, usecols?, names?, filling_values?, unpack?, "
    "max_rows?, quote?, device?)",
    files_genfromtxt, NULL },
  { "core.parse_texts(texts, dtype, fill?, loose?, device?)", files_parse_texts, NULL },
  { NULL, NULL, NULL },
};

void ma_open_loadtxt(lua_State *L) { ma_lua_register(L, functions); }
