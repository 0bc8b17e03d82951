/* files.c: paths and handles: opening, closing, and freeing resources after errors. npy.c, bytes.c, loadtxt.c,
** savetxt.c, images.c and parts.c have the functions. */
#include "memory/wait.h"
#include "bind/files/files.h"
#include "files/jpeg.h"
#include "files/png.h"

#include <lualib.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void ma_lua_endscratch(ma_lua_scratch *s) {
  ma_source_close(&s->source);
  ma_zip_close(&s->zip);
  ma_zip_abandon(&s->writer);
  ma_text_free(&s->text);
  free(s->descr);
  s->descr = NULL;
  ma_png_end(s->png);
  s->png = NULL;
  ma_jpeg_free(s->jpeg);
  s->jpeg = NULL;
  ma_output_abandon(&s->output);
  if (s->file) fclose(s->file);
  s->file = NULL;
}

static void release(void *scratch) { ma_lua_endscratch(scratch); }

const ma_class ma_lua_scratchclass = { .name = "scratch",
                                       .word = "scratch",
                                       .title = "moonarray scratch",
                                       .magic = 0x6d61736372617463u,
                                       .size = sizeof(ma_lua_scratch),
                                       .release = release };

ma_lua_scratch *ma_lua_pushscratch(lua_State *L) { return ma_lua_newobject(L, &ma_lua_scratchclass); }

/* ==== Opening and closing ==== */

/* The FILE of a handle that io.open made; NULL for other values. */
static FILE *handle_of(lua_State *L, int index) {
  FILE **handle = ma_lua_toobject(L, index, LUA_FILEHANDLE), *file = handle ? *handle : NULL;
  if (handle && !file) ma_lua_fail(L, "%s is a closed file; wanted an open one", ma_lua_argname(L, index));
  if (file && !ma_lua_sharesfiles(L))
    ma_lua_fail(L, "%s is an open file of this Lua's C library, which is not moonarray's; wanted a path",
                ma_lua_argname(L, index));
  return file;
}

/* Reads a path, and adds `extension` if it lacks it. */
const char *ma_lua_checkpath(lua_State *L, int index, const char *extension) {
  if (lua_type(L, index) != LUA_TSTRING)
    ma_lua_fail(L, "%s is %s; wanted a path or an open file", ma_lua_argname(L, index), ma_lua_describe(L, index));
  size_t length, tail = extension ? strlen(extension) : 0;
  const char *path = lua_tolstring(L, index, &length);
  if (strlen(path) != length) ma_lua_fail(L, "a path with a zero byte in it");
  if (extension && (length < tail || strcmp(path + length - tail, extension) != 0)) {
    path = lua_pushfstring(L, "%s%s", path, extension);
    lua_replace(L, index);
  }
  return path;
}

/* Fails for a file that is open for writing alone, and a folder's handle. */
static FILE *check_readable(lua_State *L, int index, FILE *file) {
  errno = 0;
  int c = fgetc(file);
  if (c != EOF) ungetc(c, file);
  if (c != EOF || !ferror(file)) return file;
  int reason = errno;
  clearerr(file);
  ma_lua_fail(L, "%s cannot be read: %s; wanted a file that is open for reading", ma_lua_argname(L, index),
              reason ? strerror(reason) : "it is not open for that");
}

FILE *ma_lua_openfile(lua_State *L, int index, ma_lua_scratch *s) {
  FILE *file = handle_of(L, index);
  if (file) return check_readable(L, index, file);
  const char *path = ma_lua_checkpath(L, index, NULL);
  file = s->file = fopen(path, "rbe");
  struct stat about;
  if (file && fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode)) {
    ma_lua_endscratch(s);
    ma_lua_fail(L, "'%s' is a folder; wanted a file", path);
  }
  if (!file) ma_lua_fail(L, "cannot open '%s': %s", path, strerror(errno));
  return file;
}

ma_output *ma_lua_openoutput(lua_State *L, int index, ma_lua_scratch *s, const char *extension) {
  FILE *file = handle_of(L, index);
  ma_status status = MA_OK;
  if (file) ma_output_handle(&s->output, file);
  else status = ma_output_open(&s->output, ma_lua_checkpath(L, index, extension));
  if (status != MA_OK) ma_lua_endscratch(s);
  ma_lua_check(L, status);
  return &s->output;
}

/* Puts the file's name in front of the message. */
void ma_lua_checkfile(lua_State *L, int index, ma_lua_scratch *s, ma_status status) {
  if (status == MA_OK) return;
  ma_lua_endscratch(s);
  if (lua_type(L, index) == LUA_TSTRING && status == MA_ERR_IO)
    ma_fail_prefix(status, "%.200s: ", lua_tostring(L, index));
  ma_lua_check(L, status);
}

/* Closes a written file, or flushes a handle of the user's. */
void ma_lua_closewritten(lua_State *L, int index, ma_lua_scratch *s, ma_status status) {
  if (status == MA_OK) status = ma_output_close(&s->output);
  ma_lua_checkfile(L, index, s, status);
  ma_lua_endscratch(s);
}

void ma_lua_checkstring(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TSTRING)
    ma_lua_fail(L, "%s is %s; wanted a string", ma_lua_argname(L, index), ma_lua_describe(L, index));
}

/* ==== Elements ==== */

const char *ma_lua_pushhost(lua_State *L, const ma_array *array) {
  size_t nbytes = (size_t)array->size * ma_dtypes[array->dtype].itemsize;
  const void *address;
  ma_lua_check(L, ma_wait_check_array(array));
  if (ma_is_host(ma_array_device(array)) && ma_array_is_contiguous(array)) {
    lua_pushnil(L);
    MA_LUA_TRY(L, ma_array_read(array, NULL, &address));
    ma_lua_wait(L, ma_lua_streamfor(L, array));
    return address;
  }
  ma_sink sink;
  void *bytes = lua_newuserdata(L, nbytes + 1);
  MA_LUA_TRY(L, (ma_sink_memory(&sink, bytes, nbytes), ma_array_to_sink(array, &sink, ma_lua_streamfor(L, array))));
  return bytes;
}

char ma_lua_checkseparator(lua_State *L, int index, char fallback) {
  if (lua_isnil(L, index)) return fallback;
  ma_lua_checkstring(L, index);
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  /* ", " counts as ",", as in NumPy. */
  while (length > 1 && *text == ' ') {
    text++;
    length--;
  }
  while (length > 1 && text[length - 1] == ' ') length--;
  if (length != 1 || *text == '\n' || *text == 0)
    ma_lua_fail(L, "%s is %s; wanted one character", ma_lua_argname(L, index), ma_lua_describe(L, index));
  return *text == ' ' ? 0 : *text;
}

/* Pushes a new array of `rows` (times `columns`, if ndim is 2) elements from `source`. */
ma_array *ma_lua_pushread(lua_State *L, ma_lua_scratch *s, int file, ma_source *source, ma_dtype dtype, int ndim,
                          const int64_t *shape, ma_device *device) {
  ma_array *array = ma_lua_newarray(L);
  ma_status status;
  int tries = 0;
  do status = ma_array_new(array, device, dtype, ndim, shape);
  while (ma_lua_retry(L, status, &tries));
  if (status == MA_OK) status = ma_array_from_source(array, source, false, ma_lua_stream_of(L, device));
  ma_lua_checkfile(L, file, s, status);
  return array;
}

ma_array *ma_lua_pushfilled(lua_State *L, ma_dtype dtype, int ndim, const int64_t *shape, void **address) {
  ma_array *array = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_new(array, ma_device_cpu(), dtype, ndim, shape));
  MA_LUA_TRY(L, ma_array_write(array, NULL, address));
  return array;
}

void ma_lua_endfilled(lua_State *L, ma_lua_scratch *s, ma_status status, ma_array *array, ma_device *device) {
  ma_lua_endscratch(s);
  if (status != MA_OK) ma_array_release(array);
  ma_lua_check(L, status);
  if (ma_array_device(array) == device) return;
  ma_lua_pushon(L, array, device);
  ma_array_release(array);
}
