/* bytes.c: arrays as raw bytes, and as text of numbers without rows, in files and strings. */
#include "memory/graph.h"
#include "memory/wait.h"
#include "bind/files/files.h"

#include <string.h>

/* ==== Writing ==== */

/* Elements on a GPU, or in another order, are copied first to memory of the CPU's pool, which is in the caches. That
** memory is given back at once. */
static int files_tobytes(lua_State *L) {
  ma_array *array = ma_lua_checkarray(L, 1), *host = array;
  size_t nbytes = (size_t)array->size * ma_dtypes[array->dtype].itemsize;
  const void *address;
  ma_lua_check(L, ma_wait_check_array(array));
  if (!ma_array_is_contiguous(host)) host = ma_lua_pushcopy(L, host, (ma_dtype)host->dtype);
  if (!ma_is_host(ma_array_device(host))) {
    ma_lua_check(L, ma_capture_refuse(ma_lua_streamfor(L, host)));
    ma_lua_pushon(L, host, ma_device_cpu());
    if (host != array) ma_array_release(host);
    host = ma_lua_toarray(L, -1);
  }
  MA_LUA_TRY(L, ma_array_read(host, NULL, &address));
  ma_lua_wait(L, ma_lua_streamfor(L, host));
  lua_pushlstring(L, nbytes ? address : "", nbytes);
  if (host != array) ma_array_release(host);
  return 1;
}

static const char *opt_spec(lua_State *L, int index) {
  if (lua_isnil(L, index)) return NULL;
  ma_lua_checkstring(L, index);
  size_t length;
  const char *spec = lua_tolstring(L, index, &length);
  if (!ma_text_check_spec(spec, length))
    ma_lua_fail(L, "the format '%s'; wanted one conversion for a number, such as '%%.18e' or '%%d'", spec);
  return spec;
}

static ma_status put_values(ma_output *out, const ma_array *array, const char *host, const char *sep, size_t sep_length,
                            const char *spec) {
  char text[MA_TEXT_VALUE * 2];
  for (int64_t i = 0; i < array->size; i++) {
    ma_dtype dtype = (ma_dtype)array->dtype;
    if (i > 0) MA_TRY(ma_output_put(out, sep, sep_length));
    MA_TRY(ma_output_put(
      out, text, (size_t)ma_text_value(text, ma_value_load(host + i * ma_dtypes[dtype].itemsize, dtype), dtype, spec)));
  }
  return MA_OK;
}

static int files_tofile(lua_State *L) {
  enum { ARRAY = 1, FILE_, SEP, FORMAT };
  ma_array *array = ma_lua_checkarray(L, ARRAY);
  size_t sep_length = 0;
  const char *spec = opt_spec(L, FORMAT), *sep = "";
  if (!lua_isnil(L, SEP)) {
    ma_lua_checkstring(L, SEP);
    sep = lua_tolstring(L, SEP, &sep_length);
  }
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  const char *host = sep_length ? ma_lua_pushhost(L, array) : NULL;
  ma_output *out = ma_lua_openoutput(L, FILE_, s, NULL);
  ma_sink sink;
  ma_sink_output(&sink, out);
  ma_status status = sep_length ? put_values(out, array, host, sep, sep_length, spec)
                                : ma_array_to_sink(array, &sink, ma_lua_streamfor(L, array));
  ma_lua_closewritten(L, FILE_, s, status);
  return 0;
}

/* ==== Reading ==== */

/* -1: all. */
static int64_t opt_count(lua_State *L, int index, const char *what) {
  if (lua_isnil(L, index)) return -1;
  int64_t count = ma_lua_checkint(L, index, what);
  if (count < -1) ma_lua_fail(L, "%s is %lld; wanted 0 or more, or -1 for all", what, (long long)count);
  return count;
}

/* Moves to the offset and computes how many elements to read. */
static ma_status find_elements(ma_source *source, ma_dtype dtype, int64_t *count, int64_t offset) {
  int64_t itemsize = ma_dtypes[dtype].itemsize;
  if (!source->seekable)
    return ma_fail(MA_ERR_IO,
                   "a pipe has no size to check the count against; read it into a string, then ma.frombuffer");
  if (offset < 0 || offset > source->left)
    return ma_fail(MA_ERR_VALUE, "offset is %lld; the file has %lld bytes", (long long)offset, (long long)source->left);
  source->position += offset;
  source->left -= offset;
  if (*count < 0 && source->left % itemsize)
    return ma_fail(MA_ERR_VALUE, "%lld bytes; %s takes a multiple of %d (or give count)", (long long)source->left,
                   ma_dtypes[dtype].name, (int)itemsize);
  if (*count > source->left / itemsize)
    return ma_fail(MA_ERR_VALUE, "count is %lld; the file has %lld elements of %s", (long long)*count,
                   (long long)(source->left / itemsize), ma_dtypes[dtype].name);
  if (*count < 0) *count = source->left / itemsize;
  return MA_OK;
}

static void read_binary(lua_State *L, ma_lua_scratch *s, int file, ma_source *source, ma_dtype dtype, int64_t count,
                        int64_t offset, ma_device *device) {
  ma_lua_checkfile(L, file, s, find_elements(source, dtype, &count, offset));
  ma_lua_pushread(L, s, file, source, dtype, 1, &count, device);
  if (source->file) fseeko(source->file, source->position, SEEK_SET);
}

static void read_flat(lua_State *L, ma_lua_scratch *s, int file, ma_source *source, ma_dtype dtype, int64_t count,
                      char sep, ma_device *device) {
  ma_text_options options = { .dtype = dtype, .delimiter = sep, .max_rows = -1, .flat = true };
  ma_status status = ma_text_read(&s->text, source, &options);
  if (status == MA_OK && count > s->text.rows)
    status = ma_fail(MA_ERR_VALUE, "count is %lld; the text has %lld values", (long long)count,
                     (long long)s->text.rows);
  ma_lua_checkfile(L, file, s, status);
  if (count < 0) count = s->text.rows;
  ma_source values;
  ma_source_memory(&values, s->text.values, (size_t)count * ma_dtypes[dtype].itemsize);
  ma_lua_pushread(L, s, file, &values, dtype, 1, &count, device);
}

static int files_fromfile(lua_State *L) {
  enum { FILE_ = 1, DTYPE, COUNT, SEP, OFFSET, DEVICE };
  ma_dtype dtype = ma_lua_checkdtype(L, DTYPE, ma_lua_state(L)->default_dtype);
  int64_t count = opt_count(L, COUNT, "count"),
          offset = lua_isnil(L, OFFSET) ? 0 : ma_lua_checkint(L, OFFSET, "offset");
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  if (!lua_isnil(L, SEP)) ma_lua_checkstring(L, SEP);
  bool text = !lua_isnil(L, SEP) && lua_objlen(L, SEP) > 0;
  if (text && offset) ma_lua_fail(L, "offset is for raw bytes; text (sep) begins at the file's start");
  char sep = text ? ma_lua_checkseparator(L, SEP, 0) : 0;
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  ma_source source;
  ma_source_file(&source, ma_lua_openfile(L, FILE_, s));
  if (text) read_flat(L, s, FILE_, &source, dtype, count, sep, device);
  else read_binary(L, s, FILE_, &source, dtype, count, offset, device);
  ma_lua_endscratch(s);
  return 1;
}

static int files_fromstring(lua_State *L) {
  enum { STRING = 1, DTYPE, COUNT, SEP, DEVICE };
  ma_lua_checkstring(L, STRING);
  ma_dtype dtype = ma_lua_checkdtype(L, DTYPE, ma_lua_state(L)->default_dtype);
  int64_t count = opt_count(L, COUNT, "count");
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  if (!lua_isnil(L, SEP)) ma_lua_checkstring(L, SEP);
  if (!lua_isnil(L, SEP) && lua_objlen(L, SEP) == 0) ma_lua_fail(L, "sep is ''; for raw bytes write ma.frombuffer");
  char sep = ma_lua_checkseparator(L, SEP, 0);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  ma_source source;
  size_t length;
  const char *text = lua_tolstring(L, STRING, &length);
  ma_source_memory(&source, text, length);
  read_flat(L, s, 0, &source, dtype, count, sep, device);
  ma_lua_endscratch(s);
  return 1;
}

static const ma_function functions[] = {
  //> tobytes: #ma.ones(2):tobytes()
  { "tobytes(a: data) -> string", files_tobytes, "The elements' bytes, in C order, as a string." },
  //> tofile: local name = os.tmpname()
  //>   ma.range(1, 3):tofile(name)
  //>   local file = io.open(name, "rb")
  //>   print(#file:read("*a"))
  //>   file:close()
  //>   os.remove(name)
  { "tofile(a: data, file: string, sep?: string, format?: string)", files_tofile,
    "Writes the elements' bytes, in C order; with `sep` as text, each by `format` ('%s')." },
  //> fromfile: local name = os.tmpname()
  //>   ma.range(1, 3):tofile(name)
  //>   local a = ma.fromfile(name, "int64")
  //>   os.remove(name)
  //>   return a
  { "fromfile(file: string, dtype?: dtype, count?: integer, sep?: string, offset?: integer; device?: string) -> array",
    files_fromfile, "A 1-d array of a file's bytes from `offset` on, or with `sep` of the numbers in a text." },
  //# create
  //> fromstring("1 2 3", "float64", {sep = " "})
  { "fromstring(string: string, dtype?: dtype, count?: integer, sep?: string; device?: string) -> array",
    files_fromstring, "A 1-d array of the numbers in a text, by white space or `sep` between." },
  { NULL, NULL, NULL },
};

void ma_open_bytes(lua_State *L) { ma_lua_register(L, functions); }
