/* npy.c: .npy and .npz files, and .npy in a string. */
#include "bind/files/files.h"
#include "bind/array/foreign.h"

#include <stdlib.h>
#include <string.h>

/* ==== Reading .npy and .npz ==== */

/* What a call loads. */
typedef struct request {
  ma_lua_scratch *s;
  ma_device *device;
  int dtype;    /* slot of the struct as which structured dtypes are loaded, or of nil */
  int members;  /* slot of a table whose keys are the members to load; 0: all */
  bool foreign; /* the last array was not loaded because its dtype has no counterpart here */
} request;

/* Pushes what Lua makes of elements that are no numbers (lua/moonarray/files/records.lua): texts, structs or a table
** of fields. */
static ma_status load_record(lua_State *L, request *r, ma_npy *npy, ma_source *source) {
  int64_t nbytes;
  ma_device *cpu = ma_device_cpu();
  ma_lua_pushhook(L, MA_HOOK_RECORD);
  lua_pushstring(L, npy->descr);
  lua_call(L, 1, 2);
  if (lua_isnil(L, -2)) {
    r->foreign = true;
    return ma_fail(MA_ERR_IO, "the .npy header has %s", lua_tostring(L, -1));
  }
  MA_TRY(ma_npy_claim(npy, (size_t)lua_tonumber(L, -2), source, &nbytes));
  lua_pop(L, 2);
  ma_lua_pushhook(L, MA_HOOK_RECORD);
  lua_pushstring(L, npy->descr);
  ma_array *bytes = ma_lua_newarray(L);
  ma_status status;
  int tries = 0;
  do status = ma_array_new(bytes, cpu, MA_UINT8, 1, &nbytes);
  while (ma_lua_retry(L, status, &tries));
  if (status == MA_OK) status = ma_array_from_source(bytes, source, false, ma_lua_stream_of(L, cpu));
  MA_TRY(status);
  lua_createtable(L, npy->ndim, 0);
  for (int d = 0; d < npy->ndim; d++) {
    lua_pushnumber(L, (double)npy->shape[d]);
    lua_rawseti(L, -2, d + 1);
  }
  lua_pushboolean(L, npy->fortran);
  lua_pushstring(L, r->device->name);
  lua_pushvalue(L, r->dtype);
  lua_call(L, 6, 2);
  if (lua_isnil(L, -2)) return ma_fail(MA_ERR_IO, "the .npy file has %s", lua_tostring(L, -1));
  lua_pop(L, 1);
  return MA_OK;
}

/* Moves `source` to the header of the array: in a member (which changes `budget`), or where the file's array began. */
static ma_status rewind_source(request *r, const ma_zip_member *member, int64_t budget, const ma_source *start,
                               ma_source *source) {
  if (!member) {
    *source = *start;
    return MA_OK;
  }
  ma_source_close(&r->s->source);
  r->s->zip.budget = budget;
  return ma_zip_source(&r->s->zip, member, source);
}

/* Pushes the array of a .npy, or what load_record makes of it. After a lack of memory it begins again. `member` is NULL
** for a file that is no archive. */
static ma_status load_npy(lua_State *L, request *r, const ma_zip_member *member, ma_source *source) {
  int64_t budget = r->s->zip.budget;
  ma_source start = *source;
  ma_array *array = ma_lua_newarray(L);
  ma_npy npy = { 0 };
  ma_status status;
  int tries = 0;
  do {
    status = rewind_source(r, member, budget, &start, source);
    if (status == MA_OK) {
      status = ma_npy_begin(&npy, source);
      free(r->s->descr);
      r->s->descr = npy.descr;
    }
    if (status == MA_OK && !npy.descr)
      status = ma_npy_load(&npy, array, source, r->device, ma_lua_stream_of(L, r->device));
  } while (ma_lua_retry(L, status, &tries));
  if (status == MA_OK && !npy.descr && !member && !lua_isnil(L, r->dtype))
    return ma_fail(MA_ERR_IO, "the .npy file has %s; wanted structs, as dtype says", ma_dtypes[npy.dtype].name);
  if (status != MA_OK || !npy.descr) return status;
  lua_pop(L, 1);
  return load_record(L, r, &npy, source);
}

/* Pushes the array of a member, and checks its checksum. */
static ma_status load_member(lua_State *L, request *r, const ma_zip_member *member) {
  ma_status status = load_npy(L, r, member, &r->s->source);
  if (status == MA_OK) status = ma_zip_verify(member, &r->s->source);
  ma_source_close(&r->s->source);
  return status == MA_OK || status == MA_ERR_MEMORY
           ? status
           : ma_fail_prefix(status, "'%.*s': ", (int)(member->length < 80 ? member->length : 80), member->name);
}

/* Whether a member was asked for, which is true once for each name. Stack: the name. */
static bool is_wanted(lua_State *L, const request *r) {
  if (!r->members) return true;
  lua_pushvalue(L, -1);
  lua_rawget(L, r->members);
  bool wanted = lua_toboolean(L, -1);
  lua_pop(L, 1);
  lua_pushvalue(L, -1);
  lua_pushnil(L);
  lua_rawset(L, r->members);
  return wanted;
}

/* Names of the table's keys, the first ones if there are many. */
static const char *push_names(lua_State *L, int table) {
  int n = 0;
  luaL_Buffer text;
  const char *names[12];
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
    if (n < 12 && lua_type(L, -2) == LUA_TSTRING) names[n++] = lua_tostring(L, -2);
    else n = n < 12 ? n : 12;
  luaL_buffinit(L, &text);
  for (int i = 0; i < n; i++) {
    lua_pushfstring(L, "%s'%s'", i > 0 ? ", " : "", names[i]);
    luaL_addvalue(&text);
  }
  if (n == 0) luaL_addstring(&text, "none");
  luaL_pushresult(&text);
  return lua_tostring(L, -1);
}

/* Sets the message for n members that have no counterpart here; `refused` has the reasons. Below the top of the stack
** is the table of loaded arrays by name. */
static ma_status fail_foreign(lua_State *L, const char *refused, int n) {
  const char *loaded = push_names(L, lua_gettop(L) - 1);
  return ma_fail(MA_ERR_IO,
                 "%d of the members cannot be loaded: %.300s; members = {...} chooses from the others: %.200s", n,
                 refused, loaded);
}

static ma_status load_npz(lua_State *L, request *r, const ma_source *whole) {
  ma_zip_member member;
  bool more;
  int refused = 0;
  lua_newtable(L);
  lua_pushliteral(L, ""); /* what was refused, and why */
  int loaded = lua_gettop(L) - 1;
  MA_TRY(ma_zip_open(&r->s->zip, whole));
  for (;;) {
    MA_TRY(ma_zip_next(&r->s->zip, &member, &more));
    if (!more) break;
    size_t length = member.length;
    if (length < 4 || memcmp(member.name + length - 4, ".npy", 4) != 0) continue;
    lua_pushlstring(L, member.name, length - 4);
    if (!is_wanted(L, r)) {
      lua_pop(L, 1);
      continue;
    }
    r->foreign = false;
    ma_status status = load_member(L, r, &member);
    if (r->foreign && !r->members) {
      lua_settop(L, loaded + 1);
      lua_pushfstring(L, "%s%s", refused++ > 0 ? "; " : "", ma_message());
      lua_concat(L, 2);
      continue;
    }
    MA_TRY(status);
    lua_rawset(L, loaded);
  }
  if (refused > 0) return fail_foreign(L, lua_tostring(L, -1), refused);
  lua_pop(L, 1);
  if (r->members && (lua_pushnil(L), lua_next(L, r->members)))
    return ma_fail(MA_ERR_IO, "the archive has no member '%s'", lua_tostring(L, -2));
  return MA_OK;
}

/* Makes the list of members at `index` a table whose keys are the names. */
static void check_members(lua_State *L, int index, request *r) {
  if (lua_isnil(L, index)) return;
  if (lua_type(L, index) != LUA_TTABLE)
    ma_lua_fail(L, "members is %s; wanted a list of names", ma_lua_describe(L, index));
  lua_newtable(L);
  for (int i = 1, n = (int)lua_objlen(L, index); i <= n; i++) {
    lua_rawgeti(L, index, i);
    if (lua_type(L, -1) != LUA_TSTRING)
      ma_lua_fail(L, "members has %s at %d; wanted a name", ma_lua_describe(L, -1), i);
    lua_pushboolean(L, true);
    lua_rawset(L, -3);
  }
  lua_replace(L, index);
  r->members = index;
}

static ma_status load_any(lua_State *L, request *r, ma_source *source) {
  ma_source probe = *source;
  char magic[4] = { 0 };
  size_t got;
  if (!source->seekable)
    return ma_fail(MA_ERR_IO, "a pipe has no size to check the arrays' against; read it into a string, then ma.loads");
  MA_TRY(ma_source_read(&probe, magic, 4, &got));
  if (memcmp(magic, "PK\3\4", 4) == 0 || memcmp(magic, "PK\5\6", 4) == 0) return load_npz(L, r, source);
  if (r->members) return ma_fail(MA_ERR_IO, "members are given, but it is no archive");
  MA_TRY(load_npy(L, r, NULL, source));
  /* stdio may have read ahead; the user's next read must start behind the array. */
  if (source->file) fseeko(source->file, source->position, SEEK_SET);
  return MA_OK;
}

/* The dtype of structs at `index`, or nil. */
static int check_dtype(lua_State *L, int index) {
  int top = lua_gettop(L);
  bool fits = lua_isnil(L, index);
  if (!fits && ma_lua_pushheld(L, index)) {
    lua_getfield(L, -1, "class");
    fits = !lua_isnil(L, -1);
    lua_settop(L, top);
  }
  if (!fits) ma_lua_fail(L, "dtype is %s; wanted a struct of ma.struct", ma_lua_describe(L, index));
  return index;
}

static int files_load(lua_State *L) {
  enum { FILE_ = 1, DEVICE, MEMBERS, DTYPE };
  request r = { .device = ma_lua_optdevice(L, DEVICE), .dtype = check_dtype(L, DTYPE) };
  check_members(L, MEMBERS, &r);
  ma_lua_scratch *s = r.s = ma_lua_pushscratch(L);
  ma_source source;
  ma_source_file(&source, ma_lua_openfile(L, FILE_, s));
  ma_lua_checkfile(L, FILE_, s, load_any(L, &r, &source));
  ma_lua_endscratch(s);
  return 1;
}

static int files_loads(lua_State *L) {
  enum { BYTES = 1, DEVICE, MEMBERS, DTYPE };
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
  request r = { .device = ma_lua_optdevice(L, DEVICE), .dtype = check_dtype(L, DTYPE) };
  check_members(L, MEMBERS, &r);
  ma_lua_scratch *s = r.s = ma_lua_pushscratch(L);
  ma_source source;
  ma_source_memory(&source, bytes, nbytes);
  ma_status status = load_any(L, &r, &source);
  ma_lua_endscratch(s);
  ma_lua_check(L, status);
  return 1;
}

/* ==== Writing .npy and .npz ==== */

#define MOST_NAME 60000 /* an archive has two bytes for the length */

/* The dtype of the structs at `index` as a header has it, which it pushes, with their bytes in their place; NULL for
** another value. */
static const char *take_structs(lua_State *L, int index) {
  if (!ma_lua_pushheld(L, index)) return NULL;
  ma_lua_callcore(L, "struct_descr", 1, 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return NULL;
  }
  ma_lua_tostructs(L, index);
  return lua_tostring(L, -1);
}

static int files_save(lua_State *L) {
  enum { FILE_ = 1, ARRAY };
  if (ma_lua_toarray(L, FILE_))
    ma_lua_fail(L, "file is %s; wanted a path first: ma.save(path, a)", ma_lua_describe(L, FILE_));
  const char *descr = take_structs(L, ARRAY);
  ma_array *array = ma_lua_asarray(L, ARRAY, MA_NDTYPE);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  MA_LUA_TRY(L, ma_pending_evaluate(array->buffer, "it is read"));
  ma_output *out = ma_lua_openoutput(L, FILE_, s, ".npy");
  ma_sink sink;
  ma_sink_output(&sink, out);
  ma_status status = ma_npy_save(array, descr, &sink, ma_lua_streamfor(L, array));
  ma_lua_closewritten(L, FILE_, s, status);
  return 0;
}

static int files_dumps(lua_State *L) {
  const char *descr = take_structs(L, 1);
  ma_array *array = ma_lua_checkarray(L, 1);
  size_t nbytes = (size_t)ma_npy_size(array, descr);
  ma_sink sink;
  void *bytes = lua_newuserdata(L, nbytes);
  MA_LUA_TRY(L, (ma_sink_memory(&sink, bytes, nbytes), ma_npy_save(array, descr, &sink, ma_lua_streamfor(L, array))));
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

/* Makes arrays of structs in the list at `arrays` their bytes. Pushes a table of their dtypes, by position. */
static int push_descrs(lua_State *L, int arrays, int n) {
  lua_newtable(L);
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, arrays, i);
    if (take_structs(L, lua_gettop(L))) {
      lua_rawseti(L, -3, i);
      lua_rawseti(L, arrays, i);
    } else lua_pop(L, 1);
  }
  return lua_gettop(L);
}

/* core.savez(file, names, arrays, text?), core.savez_compressed: two lists of the same length, and a further member
** {name, bytes}. lua/moonarray/files.lua has the user's functions. */
static int write_npz(lua_State *L, bool compressed) {
  enum { FILE_ = 1, NAMES, ARRAYS, TEXT };
  int n = (int)lua_objlen(L, NAMES), descrs = push_descrs(L, ARRAYS, n);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  ma_array **arrays = ma_lua_pushlist(L, ARRAYS, n, MA_NDTYPE, NULL);
  lua_createtable(L, n, 0);
  int members = lua_gettop(L);
  for (int i = 1; i <= n; i++) {
    push_member(L, NAMES, i);
    lua_rawseti(L, members, i);
  }
  ma_output *out = ma_lua_openoutput(L, FILE_, s, ".npz");
  ma_status status = ma_zip_begin(&s->writer, out);
  for (int i = 0; i < n && status == MA_OK; i++) {
    lua_rawgeti(L, members, i + 1);
    lua_rawgeti(L, descrs, i + 1);
    status = ma_zip_add(&s->writer, lua_tostring(L, -2), arrays[i], lua_tostring(L, -1), compressed,
                        ma_lua_streamfor(L, arrays[i]));
    lua_pop(L, 2);
  }
  if (status == MA_OK && lua_istable(L, TEXT)) {
    size_t nbytes;
    lua_rawgeti(L, TEXT, 1);
    lua_rawgeti(L, TEXT, 2);
    const char *bytes = lua_tolstring(L, -1, &nbytes);
    status = ma_zip_add_bytes(&s->writer, lua_tostring(L, -2), bytes, nbytes, compressed);
    lua_pop(L, 2);
  }
  if (status == MA_OK) status = ma_zip_end(&s->writer);
  ma_lua_closewritten(L, FILE_, s, status);
  return 0;
}

static int files_savez(lua_State *L) { return write_npz(L, false); }
static int files_savez_compressed(lua_State *L) { return write_npz(L, true); }

/* NumPy's type string of a dtype, without byte order. */
static int files_npy_code(lua_State *L) {
  lua_pushstring(L, ma_dtypes[ma_lua_checkdtype(L, 1, MA_FLOAT64)].npy);
  return 1;
}

static const ma_function functions[] = {
  { "load(file: string; device?: string, members?: string[], dtype?: struct) -> array|struct_array|table", files_load,
    "The array of a .npy file, or of a .npz file a table {name = array}. `file` is a path or an open file. Texts are "
    "Lua strings, in nested tables as the array had axes; a structured dtype is a table {field = array}, or with "
    "`dtype` an array of these structs, which have fields of its names. `members` is a list of the names to load from "
    "a .npz." },
  //> loads: ma.loads(ma.ones(2):dumps())
  { "loads(bytes: string; device?: string, members?: string[], dtype?: struct) -> array|struct_array|table",
    files_loads,
    "The same from a string, such as a:dumps() makes, or from an object with memory, such as LÖVE's Data." },
  //> save load: local name = os.tmpname() .. ".npy"
  //>   ma.save(name, ma.range(1, 3))
  //>   local a = ma.load(name)
  //>   os.remove(name)
  //>   return a
  { "save(file: string|file*, arr: data|struct_array)", files_save,
    "Writes a .npy file. `file` is a path, which gets .npy at its end where that is missing, or an open file. Structs "
    "have NumPy's structured dtype." },
  //> dumps: #ma.ones(2):dumps()
  { "dumps(a: data) -> string", files_dumps, "The bytes of a .npy file as a string." },
  { "core.savez(file, names, arrays, text?)", files_savez, NULL },
  { "core.savez_compressed(file, names, arrays, text?)", files_savez_compressed, NULL },
  { "core.npy_code(dtype)", files_npy_code, NULL },
  { NULL, NULL, NULL },
};

void ma_open_npy(lua_State *L) { ma_lua_register(L, functions); }
