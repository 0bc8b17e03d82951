/* npy.c: .npy and .npz files, and .npy in a string. */
#include "bind/files/files.h"
#include "bind/device/foreign.h"

#include <string.h>

/* ==== Reading .npy and .npz ==== */

/* Pushes the array of a .npy. If memory runs out, it rewinds `source` and tries again. */
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

/* Pushes the array of a member, and checks its checksum. */
static ma_status load_member(lua_State *L, ma_lua_scratch *s, const ma_zip_member *member, ma_device *device) {
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
  return status == MA_OK || status == MA_ERR_MEMORY
           ? status
           : ma_fail_prefix(status, "'%.*s': ", (int)(member->length < 80 ? member->length : 80), member->name);
}

static ma_status load_npz(lua_State *L, ma_lua_scratch *s, const ma_source *whole, ma_device *device) {
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

static ma_status load_any(lua_State *L, ma_lua_scratch *s, ma_source *source, ma_device *device) {
  ma_source probe = *source;
  char magic[4] = { 0 };
  size_t got;
  if (!source->seekable)
    return ma_fail(MA_ERR_IO, "a pipe has no size to check the arrays' against; read it into a string, then ma.loads");
  MA_TRY(ma_source_read(&probe, magic, 4, &got));
  if (memcmp(magic, "PK\3\4", 4) == 0 || memcmp(magic, "PK\5\6", 4) == 0) return load_npz(L, s, source, device);
  MA_TRY(load_npy(L, source, device));
  /* stdio may have read ahead; the user's next read must start behind the array. */
  if (source->file) fseeko(source->file, source->position, SEEK_SET);
  return MA_OK;
}

static int files_load(lua_State *L) {
  enum { FILE_ = 1, DEVICE };
  ma_lua_args(L);
  ma_lua_account(L);
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  ma_source source;
  ma_source_file(&source, ma_lua_openfile(L, FILE_, s));
  ma_lua_checkfile(L, FILE_, s, load_any(L, s, &source, device));
  ma_lua_endscratch(s);
  return 1;
}

static int files_loads(lua_State *L) {
  enum { BYTES = 1, DEVICE };
  ma_lua_args(L);
  ma_lua_account(L);
  ma_memory memory = { NULL, -1, MA_NDTYPE, false, 0 };
  size_t nbytes;
  const char *bytes;
  /* of an object with memory, such as LÖVE's Data; a pointer does not say how far it may be read */
  if (ma_lua_tomemory(L, BYTES, &memory) && memory.nbytes >= 0) {
    bytes = memory.address;
    nbytes = (size_t)memory.nbytes;
  } else {
    ma_lua_checkstring(L, BYTES);
    bytes = lua_tolstring(L, BYTES, &nbytes);
  }
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  ma_source source;
  ma_source_memory(&source, bytes, nbytes);
  ma_status status = load_any(L, s, &source, device);
  ma_lua_endscratch(s);
  ma_lua_check(L, status);
  return 1;
}

/* ==== Writing .npy and .npz ==== */

#define MOST_NAME 60000 /* an archive has two bytes for the length */

static int files_save(lua_State *L) {
  enum { FILE_ = 1, ARRAY };
  ma_lua_args(L);
  ma_array *array = ma_lua_asarray(L, ARRAY, MA_NDTYPE);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  MA_LUA_TRY(L, ma_pending_evaluate(array->buffer, "it is read"));
  FILE *file = ma_lua_openoutput(L, FILE_, s, ".npy");
  ma_sink sink;
  ma_sink_file(&sink, file);
  ma_status status = ma_npy_save(array, &sink, ma_lua_arraystream(L, array));
  ma_lua_closewritten(L, FILE_, s, file, status);
  return 0;
}

static int files_dumps(lua_State *L) {
  ma_lua_args(L);
  ma_array *array = ma_lua_checkarray(L, 1);
  size_t nbytes = (size_t)ma_npy_size(array);
  ma_sink sink;
  void *bytes = lua_newuserdata(L, nbytes);
  MA_LUA_TRY(L, (ma_sink_memory(&sink, bytes, nbytes), ma_npy_save(array, &sink, ma_lua_arraystream(L, array))));
  lua_pushlstring(L, bytes, nbytes);
  return 1;
}

/* Pushes the name of the i-th array's file in the archive: the whole name, so that load gives it back. */
static void push_member(lua_State *L, int names, int i) {
  size_t length;
  lua_rawgeti(L, names, i);
  const char *name = lua_tolstring(L, -1, &length);
  if (strlen(name) != length) ma_lua_fail(L, "the name '%.60s' goes on behind a zero byte; wanted one without", name);
  if (length > MOST_NAME)
    ma_lua_fail(L, "the name '%.60s...' has %d bytes; at most %d are taken", name, (int)length, MOST_NAME);
  lua_pushfstring(L, "%s.npy", name);
  lua_remove(L, -2);
}

/* core.savez(file, names, arrays, compressed): two lists of the same length. lua/moonarray/files.lua has the user's
** functions. */
static int files_savez(lua_State *L) {
  enum { FILE_ = 1, NAMES, ARRAYS, COMPRESSED };
  ma_lua_args(L);
  bool compressed = lua_toboolean(L, COMPRESSED);
  int n = (int)lua_objlen(L, NAMES);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  ma_array **arrays = ma_lua_pushlist(L, ARRAYS, n, MA_NDTYPE, NULL);
  lua_createtable(L, n, 0);
  int members = lua_gettop(L);
  for (int i = 1; i <= n; i++) {
    push_member(L, NAMES, i);
    lua_rawseti(L, members, i);
  }
  FILE *file = ma_lua_openoutput(L, FILE_, s, ".npz");
  ma_status status = ma_zip_begin(&s->writer, file);
  for (int i = 0; i < n && status == MA_OK; i++) {
    lua_rawgeti(L, members, i + 1);
    status = ma_zip_add(&s->writer, lua_tostring(L, -1), arrays[i], compressed, ma_lua_arraystream(L, arrays[i]));
    lua_pop(L, 1);
  }
  if (status == MA_OK) status = ma_zip_end(&s->writer);
  ma_lua_closewritten(L, FILE_, s, file, status);
  return 0;
}

static const ma_function functions[] = {
  { "load(file; device?)", files_load,
    "The array of a .npy file, or of a .npz file a table {name = array}. `file` is a path or an open file." },
  { "loads(bytes; device?)", files_loads,
    "The same from a string, such as a:dumps() makes, or from an object with memory, such as LÖVE's Data." },
  { "save(file, arr)", files_save,
    "Writes a .npy file. `file` is a path, which gets .npy at its end where that is missing, or an open file." },
  { "dumps(a)", files_dumps, "The bytes of a .npy file as a string." },
  { "core.savez(file, names, arrays, compressed)", files_savez, NULL },
  { NULL, NULL, NULL },
};

void ma_open_npy(lua_State *L) { ma_lua_register(L, functions); }
