/*
** files.c: arrays to and from files and strings: .npy and .npz, text, raw bytes.
*/
#include "bind.h"
#include "../files.h"

#include <lualib.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== What an error must not leave behind: one userdata a call, whose finaliser closes and frees ==== */

typedef struct scratch {
  FILE *file;                          /* to close; NULL when it belongs to a handle of the user's */
  ma_zip zip;
  ma_source source;
  ma_zip_writer writer;
  ma_text text;
} scratch;

static int scratch_gc(lua_State *L) {
  scratch *s = lua_touserdata(L, 1);
  ma_source_close(&s->source);
  ma_zip_close(&s->zip);
  ma_zip_abandon(&s->writer);
  ma_text_free(&s->text);
  if (s->file) fclose(s->file);
  s->file = NULL;
  return 0;
}

static scratch *push_scratch(lua_State *L) {
  scratch *s = lua_newuserdata(L, sizeof *s);
  memset(s, 0, sizeof *s);
  if (luaL_newmetatable(L, "moonarray.scratch")) {
    lua_pushcfunction(L, scratch_gc);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return s;
}

/* Frees now rather than at the next collection; `s` may be used again. */
static void scratch_done(scratch *s) {
  ma_source_close(&s->source);
  ma_zip_close(&s->zip);
  ma_zip_abandon(&s->writer);
  ma_text_free(&s->text);
  if (s->file) fclose(s->file);
  s->file = NULL;
}

/* ==== Opening and closing ==== */

/* The FILE of a handle that io.open made; NULL if it is none. */
static FILE *handle_of(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
  luaL_getmetatable(L, LUA_FILEHANDLE);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  if (!same) return NULL;
  FILE *file = *(FILE **)lua_touserdata(L, index);
  if (!file) ma_lua_fail(L, "%s is a closed file; wanted an open one", ma_lua_argname(L, index));
  return file;
}

/* A path (to which `extension` is added where it is missing, as NumPy does; NULL: never) or an open file. */
static FILE *open_file(lua_State *L, int index, scratch *s, const char *mode, const char *extension) {
  FILE *file = handle_of(L, index);
  if (file) return file;
  if (lua_type(L, index) != LUA_TSTRING)
    ma_lua_fail(L, "%s is %s; wanted a path or an open file", ma_lua_argname(L, index), ma_lua_describe(L, index));
  size_t length, tail = extension ? strlen(extension) : 0;
  const char *path = lua_tolstring(L, index, &length);
  if (strlen(path) != length) ma_lua_fail(L, "a path with a zero byte in it");
  if (extension && (length < tail || strcmp(path + length - tail, extension) != 0)) {
    path = lua_pushfstring(L, "%s%s", path, extension);
    lua_replace(L, index);
  }
  file = s->file = fopen(path, mode);
  struct stat about;
  if (file && fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode)) {
    scratch_done(s);
    ma_lua_fail(L, "'%s' is a folder; wanted a file", path);
  }
  if (!file) ma_lua_fail(L, "cannot open '%s': %s", path, strerror(errno));
  return file;
}

/* The file's name in front of what is wrong with it. */
static void check_file(lua_State *L, int index, scratch *s, ma_status status) {
  if (status == MA_OK) return;
  scratch_done(s);
  if (lua_type(L, index) == LUA_TSTRING && status == MA_ERR_IO) ma_fail_prefix(status, "%.200s: ", lua_tostring(L, index));
  ma_lua_check(L, status);
}

/* Closes what was written. Where that or `status` failed, a file of ours goes; a device like /dev/full stays. */
static void close_written(lua_State *L, int index, scratch *s, FILE *file, ma_status status) {
  if (fflush(file) != 0 && status == MA_OK) status = ma_fail(MA_ERR_IO, "the file cannot be written: %s", strerror(errno));
  if (s->file) {
    struct stat about;
    bool regular = fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode);
    s->file = NULL;
    if (fclose(file) != 0 && status == MA_OK) status = ma_fail(MA_ERR_IO, "the file cannot be written: %s", strerror(errno));
    if (status != MA_OK && regular) unlink(lua_tostring(L, index));
  }
  check_file(L, index, s, status);
  scratch_done(s);
}

static void check_string(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TSTRING) ma_lua_fail(L, "%s is %s; wanted a string", ma_lua_argname(L, index), ma_lua_describe(L, index));
}

/* ==== .npy and .npz in ==== */

/* Pushes the array of a .npy; `source` is rewound where memory was short and is asked for again. */
static ma_status load_npy(lua_State *L, ma_source *source, ma_device *device) {
  ma_array *array = ma_lua_newarray(L);
  ma_source start = *source;
  ma_status status;
  int tries = 0;
  do {
    *source = start;
    status = ma_npy_load(array, source, device, ma_lua_stream_of(L, device));
  } while (ma_lua_retry(L, status, &tries));
  return status;
}

/* The same of a member, whose checksum must be right. */
static ma_status load_member(lua_State *L, scratch *s, const ma_zip_member *member, ma_device *device) {
  int64_t budget = s->zip.budget;
  ma_array *array = ma_lua_newarray(L);
  ma_status status;
  int tries = 0;
  do {
    ma_source_close(&s->source);
    s->zip.budget = budget;
    status = ma_zip_source(&s->zip, member, &s->source);
    if (status == MA_OK) status = ma_npy_load(array, &s->source, device, ma_lua_stream_of(L, device));
  } while (ma_lua_retry(L, status, &tries));
  if (status == MA_OK) status = ma_zip_verify(member, &s->source);
  ma_source_close(&s->source);
  return status == MA_OK || status == MA_ERR_MEMORY ? status : ma_fail_prefix(status, "'%.*s': ", (int)(member->length < 80 ? member->length : 80), member->name);
}

static ma_status load_npz(lua_State *L, scratch *s, const ma_source *whole, ma_device *device) {
  ma_zip_member member;
  bool more;
  lua_newtable(L);
  MA_TRY(ma_zip_open(&s->zip, whole));
  for (;;) {
    MA_TRY(ma_zip_next(&s->zip, &member, &more));
    if (!more) return MA_OK;
    size_t length = member.length;
    if (length < 4 || memcmp(member.name + length - 4, ".npy", 4) != 0) continue;
    lua_pushlstring(L, member.name, length - 4);
    MA_TRY(load_member(L, s, &member, device));
    lua_rawset(L, -3);
  }
}

static ma_status load_any(lua_State *L, scratch *s, ma_source *source, ma_device *device) {
  ma_source probe = *source;
  char magic[4] = { 0 };
  size_t got;
  if (!source->seekable) return ma_fail(MA_ERR_IO, "a pipe has no size to check the arrays' against; read it into a string, then ma.loads");
  MA_TRY(ma_source_read(&probe, magic, 4, &got));
  if (memcmp(magic, "PK\3\4", 4) == 0 || memcmp(magic, "PK\5\6", 4) == 0) return load_npz(L, s, source, device);
  MA_TRY(load_npy(L, source, device));
  /* stdio may have read ahead: the user's next read begins behind the array */
  if (source->file) fseeko(source->file, source->position, SEEK_SET);
  return MA_OK;
}

static int files_load(lua_State *L) {
  enum { FILE_ = 1, DEVICE };
  ma_lua_args(L);
  ma_lua_account(L);
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  scratch *s = push_scratch(L);
  ma_source source;
  ma_source_file(&source, open_file(L, FILE_, s, "rb", NULL));
  check_file(L, FILE_, s, load_any(L, s, &source, device));
  scratch_done(s);
  return 1;
}

static int files_loads(lua_State *L) {
  enum { BYTES = 1, DEVICE };
  ma_lua_args(L);
  ma_lua_account(L);
  check_string(L, BYTES);
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  scratch *s = push_scratch(L);
  ma_source source;
  size_t nbytes;
  const char *bytes = lua_tolstring(L, BYTES, &nbytes);
  ma_source_memory(&source, bytes, nbytes);
  ma_status status = load_any(L, s, &source, device);
  scratch_done(s);
  ma_lua_check(L, status);
  return 1;
}

/* ==== .npy and .npz out ==== */

static ma_stream *stream_of(lua_State *L, const ma_array *array) { return ma_lua_stream_of(L, ma_array_device(array)); }

static int files_save(lua_State *L) {
  enum { FILE_ = 1, ARRAY };
  ma_lua_args(L);
  ma_array *array = ma_lua_asarray(L, ARRAY, MA_NDTYPE);
  scratch *s = push_scratch(L);
  FILE *file = open_file(L, FILE_, s, "wb", ".npy");
  ma_sink sink;
  ma_sink_file(&sink, file);
  ma_status status = ma_npy_save(array, &sink, stream_of(L, array));
  close_written(L, FILE_, s, file, status);
  return 0;
}

static int files_dumps(lua_State *L) {
  ma_lua_args(L);
  ma_array *array = ma_lua_checkarray(L, 1);
  size_t nbytes = (size_t)ma_npy_size(array);
  ma_sink sink;
  void *bytes = lua_newuserdata(L, nbytes);
  ma_sink_memory(&sink, bytes, nbytes);
  ma_lua_check(L, ma_npy_save(array, &sink, stream_of(L, array)));
  lua_pushlstring(L, bytes, nbytes);
  return 1;
}

/* core.savez(file, names, arrays, compressed): two lists of the same length; the front is in lua/moonarray/files.lua. */
static int files_savez(lua_State *L) {
  enum { FILE_ = 1, NAMES, ARRAYS, COMPRESSED };
  ma_lua_args(L);
  bool compressed = lua_toboolean(L, COMPRESSED);
  int n = (int)lua_objlen(L, NAMES);
  scratch *s = push_scratch(L);
  luaL_checkstack(L, n + 8, "too many arrays");
  int first = lua_gettop(L) + 1;
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, ARRAYS, i);
    ma_lua_asarray(L, -1, MA_NDTYPE);
  }
  FILE *file = open_file(L, FILE_, s, "wb", ".npz");
  ma_status status = ma_zip_begin(&s->writer, file);
  for (int i = 0; i < n && status == MA_OK; i++) {
    char name[1024];
    lua_rawgeti(L, NAMES, i + 1);
    snprintf(name, sizeof name, "%.1000s.npy", lua_tostring(L, -1));
    lua_pop(L, 1);
    const ma_array *array = ma_lua_toarray(L, first + i);
    status = ma_zip_add(&s->writer, name, array, compressed, stream_of(L, array));
  }
  if (status == MA_OK) status = ma_zip_end(&s->writer);
  close_written(L, FILE_, s, file, status);
  return 0;
}

/* ==== Raw bytes ==== */

static int files_tobytes(lua_State *L) {
  ma_lua_args(L);
  ma_array *array = ma_lua_checkarray(L, 1);
  size_t nbytes = (size_t)array->size * ma_dtypes[array->dtype].itemsize;
  ma_stream *stream = stream_of(L, array);
  const void *address;
  if (ma_array_device(array)->backend == &ma_cpu_backend && ma_array_is_contiguous(array)) {
    ma_lua_check(L, ma_array_read(array, NULL, &address));
    ma_lua_wait(L, stream);
    lua_pushlstring(L, nbytes ? address : "", nbytes);
    return 1;
  }
  ma_sink sink;
  void *bytes = lua_newuserdata(L, nbytes);
  ma_sink_memory(&sink, bytes, nbytes);
  ma_lua_check(L, ma_array_to_sink(array, &sink, stream));
  lua_pushlstring(L, bytes, nbytes);
  return 1;
}

static const char *opt_spec(lua_State *L, int index) {
  if (lua_isnil(L, index)) return NULL;
  check_string(L, index);
  size_t length;
  const char *spec = lua_tolstring(L, index, &length);
  if (!ma_text_check_spec(spec, length))
    ma_lua_fail(L, "the format '%s'; wanted one conversion for a number, such as '%%.18e' or '%%d'", spec);
  return spec;
}

/* The elements in C order on the host: the array's own memory, or a copy in a userdata that is pushed. */
static const char *push_host(lua_State *L, const ma_array *array) {
  size_t nbytes = (size_t)array->size * ma_dtypes[array->dtype].itemsize;
  const void *address;
  if (ma_array_device(array)->backend == &ma_cpu_backend && ma_array_is_contiguous(array)) {
    lua_pushnil(L);
    ma_lua_check(L, ma_array_read(array, NULL, &address));
    ma_lua_wait(L, stream_of(L, array));
    return address;
  }
  ma_sink sink;
  void *bytes = lua_newuserdata(L, nbytes + 1);
  ma_sink_memory(&sink, bytes, nbytes);
  ma_lua_check(L, ma_array_to_sink(array, &sink, stream_of(L, array)));
  return bytes;
}

static ma_status put(FILE *file, const char *text, size_t length) {
  if (fwrite(text, 1, length, file) == length) return MA_OK;
  return ma_fail(MA_ERR_IO, "the file cannot be written: %s", strerror(errno));
}

static ma_status put_values(FILE *file, const ma_array *array, const char *host, const char *sep, size_t sep_length, const char *spec) {
  char text[MA_TEXT_VALUE * 2];
  for (int64_t i = 0; i < array->size; i++) {
    ma_dtype dtype = (ma_dtype)array->dtype;
    if (i > 0) MA_TRY(put(file, sep, sep_length));
    MA_TRY(put(file, text, (size_t)ma_text_value(text, ma_value_load(host + i * ma_dtypes[dtype].itemsize, dtype), dtype, spec)));
  }
  return MA_OK;
}

static int files_tofile(lua_State *L) {
  enum { ARRAY = 1, FILE_, SEP, FORMAT };
  ma_lua_args(L);
  ma_array *array = ma_lua_checkarray(L, ARRAY);
  size_t sep_length = 0;
  const char *spec = opt_spec(L, FORMAT), *sep = "";
  if (!lua_isnil(L, SEP)) { check_string(L, SEP); sep = lua_tolstring(L, SEP, &sep_length); }
  scratch *s = push_scratch(L);
  const char *host = sep_length ? push_host(L, array) : NULL;
  FILE *file = open_file(L, FILE_, s, "wb", NULL);
  ma_sink sink;
  ma_sink_file(&sink, file);
  ma_status status = sep_length ? put_values(file, array, host, sep, sep_length, spec) : ma_array_to_sink(array, &sink, stream_of(L, array));
  close_written(L, FILE_, s, file, status);
  return 0;
}

static char check_separator(lua_State *L, int index, char fallback) {
  if (lua_isnil(L, index)) return fallback;
  check_string(L, index);
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  while (length > 1 && *text == ' ') { text++; length--; }                  /* ", " is "," here, as in NumPy */
  while (length > 1 && text[length - 1] == ' ') length--;
  if (length != 1 || *text == '\n' || *text == 0)
    ma_lua_fail(L, "%s is %s; wanted one character", ma_lua_argname(L, index), ma_lua_describe(L, index));
  return *text == ' ' ? 0 : *text;
}

/* -1: all. */
static int64_t opt_count(lua_State *L, int index, const char *what) {
  if (lua_isnil(L, index)) return -1;
  int64_t count = ma_lua_checkint(L, index, what);
  if (count < -1) ma_lua_fail(L, "%s is %lld; wanted 0 or more, or -1 for all", what, (long long)count);
  return count;
}

/* Pushes a new array of `rows` (times `columns`, where ndim is 2) elements that `source` gives. */
static ma_array *push_read(lua_State *L, scratch *s, int file, ma_source *source, ma_dtype dtype, int ndim, const int64_t *shape, ma_device *device) {
  ma_array *array = ma_lua_newarray(L);
  ma_status status;
  int tries = 0;
  do status = ma_array_new(array, device, dtype, ndim, shape); while (ma_lua_retry(L, status, &tries));
  if (status == MA_OK) status = ma_array_from_source(array, source, false, ma_lua_stream_of(L, device));
  check_file(L, file, s, status);
  return array;
}

/* Moves to the offset and says how many elements there are to read. */
static ma_status find_elements(ma_source *source, ma_dtype dtype, int64_t *count, int64_t offset) {
  int64_t itemsize = ma_dtypes[dtype].itemsize;
  if (!source->seekable) return ma_fail(MA_ERR_IO, "a pipe has no size to check the count against; read it into a string, then ma.frombuffer");
  if (offset < 0 || offset > source->left)
    return ma_fail(MA_ERR_VALUE, "offset is %lld; the file has %lld bytes", (long long)offset, (long long)source->left);
  source->position += offset;
  source->left -= offset;
  if (*count < 0 && source->left % itemsize)
    return ma_fail(MA_ERR_VALUE, "%lld bytes; %s takes a multiple of %d (or give count)", (long long)source->left, ma_dtypes[dtype].name, (int)itemsize);
  if (*count > source->left / itemsize)
    return ma_fail(MA_ERR_VALUE, "count is %lld; the file has %lld elements of %s", (long long)*count, (long long)(source->left / itemsize),
                   ma_dtypes[dtype].name);
  if (*count < 0) *count = source->left / itemsize;
  return MA_OK;
}

static void read_binary(lua_State *L, scratch *s, int file, ma_source *source, ma_dtype dtype, int64_t count, int64_t offset, ma_device *device) {
  check_file(L, file, s, find_elements(source, dtype, &count, offset));
  push_read(L, s, file, source, dtype, 1, &count, device);
  if (source->file) fseeko(source->file, source->position, SEEK_SET);
}

/* ==== Text in ==== */

static void read_flat(lua_State *L, scratch *s, int file, ma_source *source, ma_dtype dtype, int64_t count, char sep, ma_device *device) {
  ma_text_options options = { .dtype = dtype, .delimiter = sep, .max_rows = -1, .flat = true };
  ma_status status = ma_text_read(&s->text, source, &options);
  if (status == MA_OK && count > s->text.rows)
    status = ma_fail(MA_ERR_VALUE, "count is %lld; the text has %lld values", (long long)count, (long long)s->text.rows);
  check_file(L, file, s, status);
  if (count < 0) count = s->text.rows;
  ma_source values;
  ma_source_memory(&values, s->text.values, (size_t)count * ma_dtypes[dtype].itemsize);
  push_read(L, s, file, &values, dtype, 1, &count, device);
}

static int files_fromfile(lua_State *L) {
  enum { FILE_ = 1, DTYPE, COUNT, SEP, OFFSET, DEVICE };
  ma_lua_args(L);
  ma_lua_account(L);
  ma_dtype dtype = ma_lua_checkdtype(L, DTYPE, ma_lua_state(L)->default_dtype);
  int64_t count = opt_count(L, COUNT, "count"), offset = lua_isnil(L, OFFSET) ? 0 : ma_lua_checkint(L, OFFSET, "offset");
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  if (!lua_isnil(L, SEP)) check_string(L, SEP);
  bool text = !lua_isnil(L, SEP) && lua_objlen(L, SEP) > 0;
  if (text && offset) ma_lua_fail(L, "offset is for raw bytes; text (sep) begins at the file's start");
  char sep = text ? check_separator(L, SEP, 0) : 0;
  scratch *s = push_scratch(L);
  ma_source source;
  ma_source_file(&source, open_file(L, FILE_, s, "rb", NULL));
  if (text) read_flat(L, s, FILE_, &source, dtype, count, sep, device);
  else read_binary(L, s, FILE_, &source, dtype, count, offset, device);
  scratch_done(s);
  return 1;
}

static int files_fromstring(lua_State *L) {
  enum { STRING = 1, DTYPE, COUNT, SEP, DEVICE };
  ma_lua_args(L);
  ma_lua_account(L);
  check_string(L, STRING);
  ma_dtype dtype = ma_lua_checkdtype(L, DTYPE, ma_lua_state(L)->default_dtype);
  int64_t count = opt_count(L, COUNT, "count");
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  if (!lua_isnil(L, SEP)) check_string(L, SEP);
  if (!lua_isnil(L, SEP) && lua_objlen(L, SEP) == 0) ma_lua_fail(L, "sep is ''; for raw bytes write ma.frombuffer");
  char sep = check_separator(L, SEP, 0);
  scratch *s = push_scratch(L);
  ma_source source;
  size_t length;
  const char *text = lua_tolstring(L, STRING, &length);
  ma_source_memory(&source, text, length);
  read_flat(L, s, 0, &source, dtype, count, sep, device);
  scratch_done(s);
  return 1;
}

#define MAX_COMMENTS 16

/* One text, a list of texts, or "" for none. Stays valid while the arguments are on the stack. */
static int check_comments(lua_State *L, int index, const char **comments) {
  comments[0] = "#";
  if (lua_isnil(L, index)) return 1;
  if (lua_type(L, index) == LUA_TSTRING) {
    comments[0] = lua_tostring(L, index);
    return *comments[0] != 0;
  }
  int n = lua_type(L, index) == LUA_TTABLE ? (int)lua_objlen(L, index) : -1;
  for (int i = 0; i < n && n <= MAX_COMMENTS; i++) {
    lua_rawgeti(L, index, i + 1);
    if (lua_type(L, -1) != LUA_TSTRING || lua_objlen(L, -1) == 0) n = -1;
    else comments[i] = lua_tostring(L, -1);
    lua_pop(L, 1);                     /* the table keeps it */
  }
  if (n < 0 || n > MAX_COMMENTS) ma_lua_fail(L, "comments is %s; wanted a string, or a list of at most %d", ma_lua_describe(L, index), MAX_COMMENTS);
  return n;
}

/* Positions in a userdata that is pushed. */
static void check_columns(lua_State *L, int index, ma_text_options *options) {
  if (lua_isnil(L, index)) { lua_pushnil(L); return; }
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

/* A view of one column of a (rows, columns) array. */
static void push_column(lua_State *L, const ma_array *table, int64_t column) {
  ma_array *view = ma_lua_newarray(L);
  ma_array_view(view, table);
  view->ndim = 1;
  view->size = table->shape[0];
  view->offset += column * table->stride[1];
}

static void read_table(lua_State *L, scratch *s, int file, const ma_text_options *options, ma_device *device) {
  ma_source source, values;
  ma_source_file(&source, open_file(L, file, s, "rb", NULL));
  check_file(L, file, s, ma_text_read(&s->text, &source, options));
  int64_t shape[2] = { s->text.rows, s->text.columns };
  ma_source_memory(&values, s->text.values, (size_t)(shape[0] * shape[1]) * ma_dtypes[options->dtype].itemsize);
  push_read(L, s, file, &values, options->dtype, 2, shape, device);
}

/* One axis of extent 1 goes, as in NumPy, down to `ndmin` axes. */
static void squeeze(lua_State *L, int64_t ndmin) {
  ma_array *table = ma_lua_toarray(L, -1);
  int64_t rows = table->shape[0], columns = table->shape[1], shape[1] = { rows * columns };
  if (ndmin >= 2 || (rows != 1 && columns != 1 && rows * columns > 0)) return;
  ma_array *flat = ma_lua_newarray(L);
  ma_lua_check(L, ma_array_reshape(flat, table, rows * columns == 1 && ndmin == 0 ? 0 : 1, shape, stream_of(L, table)));
  lua_remove(L, -2);
}

static int push_columns(lua_State *L) {
  ma_array *table = ma_lua_toarray(L, -1);
  int64_t n = table->shape[1];
  if (n > 200) ma_lua_fail(L, "unpack gives each column as a value, at most 200; the file has %lld", (long long)n);
  luaL_checkstack(L, (int)n, "too many columns");
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
  ma_lua_args(L);
  ma_lua_account(L);
  ma_text_options options = { .dtype = ma_lua_checkdtype(L, DTYPE, ma_lua_state(L)->default_dtype), .comments = comments,
                              .ncomment = check_comments(L, COMMENTS, comments), .delimiter = check_separator(L, DELIMITER, 0),
                              .skip = opt_lines(L, SKIPROWS, 0), .max_rows = opt_lines(L, MAX_ROWS, -1) };
  bool unpack = ma_lua_optbool(L, UNPACK, false);
  int64_t ndmin = opt_lines(L, NDMIN, 0);
  if (ndmin > 2) ma_lua_fail(L, "ndmin is %lld; wanted 0, 1 or 2", (long long)ndmin);
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  check_columns(L, USECOLS, &options);
  scratch *s = push_scratch(L);
  read_table(L, s, FILE_, &options, device);
  scratch_done(s);
  if (unpack) return push_columns(L);
  squeeze(L, ndmin);
  return 1;
}

/* The names in the line `text`, cut as its fields are; pushes a list. */
static void push_names(lua_State *L, const char *text, char delimiter) {
  static const char space[] = " \t\r\n\v\f";
  lua_newtable(L);
  for (int n = 1; ; n++) {
    text += strspn(text, space);
    size_t length = delimiter ? strcspn(text, (char[]){ delimiter, 0 }) : strcspn(text, space);
    if (!delimiter && length == 0) return;
    const char *end = text + length, *next = end;
    while (end > text && strchr(space, end[-1])) end--;
    if (end - text >= 2 && *text == '"' && end[-1] == '"') { text++; end--; }
    if (end == text) lua_pushfstring(L, "f%d", n);
    else lua_pushlstring(L, text, (size_t)(end - text));
    lua_rawseti(L, -2, n);
    if (!*next) return;
    text = delimiter ? next + 1 : next;
  }
}

/* {name = column}, and the names in the order of the columns. Stack: the list of all names, the table of values. */
static int push_named(lua_State *L, const ma_text_options *options) {
  int values = lua_gettop(L), list = values - 1;
  const ma_array *table = ma_lua_toarray(L, values);
  int64_t n = table->shape[1], fields = (int64_t)lua_objlen(L, list);
  lua_newtable(L);
  lua_createtable(L, (int)n, 0);
  for (int64_t i = 0; i < n; i++) {
    int64_t from = options->columns ? options->columns[i] : i + 1;
    if (from < 0) from += fields + 1;
    if (from > fields) ma_lua_fail(L, "%lld names for %lld columns; one for each is wanted", (long long)fields, (long long)n);
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
    return ma_value_cast(value, from, dtype);
  }
  if (kind == MA_KIND_FLOAT || kind == MA_KIND_COMPLEX) value.c.re = __builtin_nan("");
  else if (kind != MA_KIND_BOOL) value.i = -1;
  if (kind == MA_KIND_SIGNED || kind == MA_KIND_UNSIGNED) return ma_value_cast(value, MA_INT64, dtype);
  return value;
}

static int files_genfromtxt(lua_State *L) {
  enum { FILE_ = 1, DTYPE, COMMENTS, DELIMITER, SKIP_HEADER, USECOLS, NAMES, FILLING_VALUES, UNPACK, MAX_ROWS, DEVICE };
  const char *comments[MAX_COMMENTS];
  ma_lua_args(L);
  ma_lua_account(L);
  bool given = lua_type(L, NAMES) == LUA_TTABLE, header = !given && ma_lua_optbool(L, NAMES, false);
  ma_text_options options = { .dtype = ma_lua_checkdtype(L, DTYPE, ma_lua_state(L)->default_dtype), .comments = comments,
                              .ncomment = check_comments(L, COMMENTS, comments), .delimiter = check_separator(L, DELIMITER, 0),
                              .skip = opt_lines(L, SKIP_HEADER, 0), .max_rows = opt_lines(L, MAX_ROWS, -1), .names = header, .missing = true };
  options.fill = check_fill(L, FILLING_VALUES, options.dtype);
  bool unpack = ma_lua_optbool(L, UNPACK, false);
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  check_columns(L, USECOLS, &options);
  scratch *s = push_scratch(L);
  read_table(L, s, FILE_, &options, device);
  if (header) push_names(L, s->text.names, options.delimiter);
  else if (given) lua_pushvalue(L, NAMES);
  scratch_done(s);
  if (header || given) {
    lua_insert(L, -2);
    return push_named(L, &options);
  }
  if (unpack) return push_columns(L);
  squeeze(L, 0);
  return 1;
}

/* ==== Text out ==== */

#define MAX_SPECS 256

/* A row as it is written: texts, each followed by one conversion but for the last. */
typedef struct row_format {
  int nspec;
  bool whole;                          /* the texts between are the row's own; else `delimiter` stands between */
  char spec[MAX_SPECS][16];
  const char *text[MAX_SPECS + 1];
  size_t length[MAX_SPECS + 1];
} row_format;

static void bad_format(lua_State *L, const char *format) {
  ma_lua_fail(L, "the format '%.60s'; wanted conversions for numbers, such as '%%.18e' or '%%d'", format);
}

/* Cuts `format` at its conversions. "%%" stays as two signs here and is written as one. */
static void parse_format(lua_State *L, const char *format, row_format *row) {
  const char *p = format, *start = format;
  for (row->nspec = 0; *p; ) {
    if (p[0] == '%' && p[1] == '%') { p += 2; continue; }
    if (*p != '%') { p++; continue; }
    size_t n = 1 + strspn(p + 1, "-+ #0123456789.") + 1;
    if (row->nspec == MAX_SPECS || n > 15 || strnlen(p, n) < n || !ma_text_check_spec(p, n)) bad_format(L, format);
    row->text[row->nspec] = start;
    row->length[row->nspec] = (size_t)(p - start);
    memcpy(row->spec[row->nspec], p, n);
    row->spec[row->nspec++][n] = 0;
    start = p += n;
  }
  row->text[row->nspec] = start;
  row->length[row->nspec] = (size_t)(p - start);
  if (row->nspec == 0) bad_format(L, format);
}

static void check_format(lua_State *L, int index, int64_t columns, row_format *row) {
  memset(row, 0, sizeof *row);
  if (lua_type(L, index) == LUA_TTABLE) {
    row->nspec = (int)lua_objlen(L, index);
    if (row->nspec > MAX_SPECS || row->nspec != columns) ma_lua_fail(L, "fmt has %d formats; x has %lld columns", row->nspec, (long long)columns);
    for (int i = 0; i < row->nspec; i++) {
      size_t length = 0;
      lua_rawgeti(L, index, i + 1);
      const char *spec = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : "";
      if (length > 15 || !ma_text_check_spec(spec, length)) bad_format(L, spec);
      memcpy(row->spec[i], spec, length + 1);
      row->text[i] = "";
      lua_pop(L, 1);
    }
    row->text[row->nspec] = "";
    return;
  }
  if (!lua_isnil(L, index)) check_string(L, index);
  parse_format(L, lua_isnil(L, index) ? "%.18e" : lua_tostring(L, index), row);
  row->whole = row->nspec > 1;
  if (row->whole && row->nspec != columns) ma_lua_fail(L, "fmt has %d conversions; x has %lld columns", row->nspec, (long long)columns);
}

static ma_status put_literal(FILE *file, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    MA_TRY(put(file, text + i, 1));
    if (text[i] == '%') i++;
  }
  return MA_OK;
}

/* Text of several lines, each after `comments`. */
static ma_status put_comment(FILE *file, const char *text, size_t length, const char *comments, const char *newline) {
  if (length == 0) return MA_OK;
  for (const char *end = text + length; ; ) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    if (!stop) stop = end;
    MA_TRY(put(file, comments, strlen(comments)));
    MA_TRY(put(file, text, (size_t)(stop - text)));
    if (stop == end) return put(file, newline, strlen(newline));
    MA_TRY(put(file, "\n", 1));
    text = stop + 1;
  }
}

static ma_status put_rows(FILE *file, const char *host, ma_dtype dtype, int64_t rows, int64_t columns, const row_format *format,
                          const char *delimiter, const char *newline) {
  char text[MA_TEXT_VALUE * 2];
  size_t between = strlen(delimiter), itemsize = ma_dtypes[dtype].itemsize;
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t j = 0; j < columns; j++, host += itemsize) {
      int k = format->nspec > 1 ? (int)j : 0;
      if (j > 0 && !format->whole) MA_TRY(put(file, delimiter, between));
      MA_TRY(put_literal(file, format->text[k], format->length[k]));
      MA_TRY(put(file, text, (size_t)ma_text_value(text, ma_value_load(host, dtype), dtype, format->spec[k])));
      if (!format->whole || j + 1 == columns) MA_TRY(put_literal(file, format->text[format->nspec], format->length[format->nspec]));
    }
    MA_TRY(put(file, newline, strlen(newline)));
  }
  return MA_OK;
}

static const char *opt_text(lua_State *L, int index, const char *fallback, size_t *length) {
  *length = strlen(fallback);
  if (lua_isnil(L, index)) return fallback;
  check_string(L, index);
  return lua_tolstring(L, index, length);
}

static int files_savetxt(lua_State *L) {
  enum { FILE_ = 1, X, FMT, DELIMITER, NEWLINE, HEADER, FOOTER, COMMENTS };
  size_t n, nheader, nfooter;
  ma_lua_args(L);
  ma_array *x = ma_lua_asarray(L, X, MA_NDTYPE);
  if (x->ndim > 2) ma_lua_fail(L, "x has %d axes; a text file has rows and columns", x->ndim);
  int64_t rows = x->ndim > 0 ? x->shape[0] : 1, columns = x->ndim > 1 ? x->shape[1] : 1;
  const char *delimiter = opt_text(L, DELIMITER, " ", &n), *newline = opt_text(L, NEWLINE, "\n", &n), *comments = opt_text(L, COMMENTS, "# ", &n);
  const char *header = opt_text(L, HEADER, "", &nheader), *footer = opt_text(L, FOOTER, "", &nfooter);
  row_format *format = lua_newuserdata(L, sizeof *format);
  check_format(L, FMT, columns, format);
  scratch *s = push_scratch(L);
  const char *host = push_host(L, x);
  FILE *file = open_file(L, FILE_, s, "wb", NULL);
  ma_status status = put_comment(file, header, nheader, comments, newline);
  if (status == MA_OK) status = put_rows(file, host, (ma_dtype)x->dtype, rows, columns, format, delimiter, newline);
  if (status == MA_OK) status = put_comment(file, footer, nfooter, comments, newline);
  close_written(L, FILE_, s, file, status);
  return 0;
}

static const ma_function functions[] = {
  { "load(file; device?)", files_load,
    "The array of a .npy file, or of a .npz file a table {name = array}. `file` is a path or an open file." },
  { "loads(bytes; device?)", files_loads, "The same from a string, such as a:dumps() makes." },
  { "save(file, arr)", files_save, "Writes a .npy file. `file` is a path, which gets .npy at its end where that is missing, or an open file." },
  { "dumps(a)", files_dumps, "The bytes of a .npy file as a string." },
  { "core.savez(file, names, arrays, compressed)", files_savez, NULL },
  { "tobytes(a)", files_tobytes, "The elements' bytes, in C order, as a string." },
  { "tofile(a, file, sep?, format?)", files_tofile, "Writes the elements' bytes, in C order; with `sep` as text, each by `format` ('%s')." },
  { "fromfile(file, dtype?, count?, sep?, offset?; device?)", files_fromfile,
    "A 1-d array of a file's bytes from `offset` on, or with `sep` of the numbers in a text." },
  { "fromstring(string, dtype?, count?, sep?; device?)", files_fromstring, "A 1-d array of the numbers in a text, by white space or `sep` between." },
  { "loadtxt(file, dtype?, comments?, delimiter?, skiprows?, usecols?, unpack?, ndmin?, max_rows?; device?)", files_loadtxt,
    "Rows of numbers. usecols are 1-based; with `unpack` every column is a value of its own: local x, y = ma.loadtxt(f, {unpack = true})." },
  { "genfromtxt(file, dtype?, comments?, delimiter?, skip_header?, usecols?, names?, filling_values?, unpack?, max_rows?; device?)", files_genfromtxt,
    "As loadtxt, but a field that is empty or no number becomes filling_values (NaN). With names = true the first line names the columns: "
    "returns {name = column} and the list of names." },
  { "savetxt(file, x, fmt?, delimiter?, newline?, header?, footer?, comments?)", files_savetxt,
    "Writes the rows of x as text. fmt is one format ('%.18e'), one a column in a table, or a whole row's." },
  { NULL, NULL, NULL },
};

void ma_open_files(lua_State *L) { ma_lua_register(L, functions); }
