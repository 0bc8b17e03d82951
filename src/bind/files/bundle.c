/* bundle.c: core functions for bundles: adding and writing them, what there is, and texts compiled without a device. */
#include "bind/files/files.h"
#include "bundle/bundle.h"

#include <stdio.h>
#include <string.h>

static int bundle_load(lua_State *L) {
  ma_lua_check(L, ma_bundles_add(ma_lua_checkpath(L, 1, NULL)));
  return 0;
}

/* core.bundle_load_bytes(bytes, name, was_found?): one that was found, and not asked for, is refused by a warning. */
static int bundle_load_bytes(lua_State *L) {
  ma_lua_checkstring(L, 1);
  ma_lua_checkstring(L, 2);
  size_t size;
  const char *bytes = lua_tolstring(L, 1, &size);
  if (lua_toboolean(L, 3)) ma_bundles_found(bytes, size, lua_tostring(L, 2));
  else ma_lua_check(L, ma_bundles_add_memory(bytes, size, lua_tostring(L, 2)));
  return 0;
}

/* core.bundle_archive(path): the archive of a game, which has the base set and the floor set. */
static int bundle_archive(lua_State *L) {
  ma_lua_checkstring(L, 1);
  ma_bundles_archive(lua_tostring(L, 1));
  return 0;
}

/* ==== What there is ==== */

static void push_bundle(lua_State *L, const ma_bundle *bundle) {
  lua_createtable(L, 0, 3);
  lua_pushstring(L, ma_bundle_name(bundle));
  lua_setfield(L, -2, "name");
  lua_pushinteger(L, ma_bundle_count(bundle));
  lua_setfield(L, -2, "images");
  lua_pushinteger(L, (lua_Integer)ma_bundle_used(bundle));
  lua_setfield(L, -2, "used");
}

/* core.bundle_report(): a list of {name, images, used}, and one of the reasons why others were refused. */
static int bundle_report(lua_State *L) {
  const ma_bundle *bundle;
  const char *reason;
  lua_newtable(L);
  for (int k = 0; (bundle = ma_bundles_at(k)); k++) {
    push_bundle(L, bundle);
    lua_rawseti(L, -2, k + 1);
  }
  for (int k = 0, n = (int)lua_objlen(L, -1); (bundle = ma_bundles_base_at(k)); k++) {
    push_bundle(L, bundle);
    lua_rawseti(L, -2, n + k + 1);
  }
  lua_newtable(L);
  for (int k = 0; (reason = ma_bundles_refused(k)); k++) {
    lua_pushstring(L, reason);
    lua_rawseti(L, -2, k + 1);
  }
  return 2;
}

/* ==== Writing ==== */

/* A field of the table on top, which keeps it alive. */
static const char *field(lua_State *L, const char *name, size_t *size) {
  lua_getfield(L, -1, name);
  const char *text = lua_tolstring(L, -1, size);
  lua_pop(L, 1);
  if (!text) ma_lua_fail(L, "an image without its %s", name);
  return text;
}

static int64_t number(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  int64_t value = (int64_t)lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

/* A bundle that is being written. What is not written to its end is given up by the collector. */
typedef struct held_writer {
  uint64_t magic;
  ma_bundle_writer *writer;
} held_writer;
static void give_up(void *object) {
  held_writer *held = object;
  ma_bundle_abandon(held->writer);
  held->writer = NULL;
}
static const ma_class writer_class = { .name = "BundleWriter",
                                       .word = "writer",
                                       .title = "moonarray.BundleWriter",
                                       .magic = 0x6d616e7762646c65u,
                                       .size = sizeof(held_writer),
                                       .release = give_up };

/* core.bundle_begin(path, most): a writer, with room for so many images. */
static int bundle_begin(lua_State *L) {
  const char *path = ma_lua_checkpath(L, 1, NULL);
  size_t most = (size_t)ma_lua_checkint(L, 2, "most");
  held_writer *held = ma_lua_newobject(L, &writer_class);
  ma_lua_check(L, ma_bundle_begin(&held->writer, path, most));
  return 1;
}

static held_writer *check_writer(lua_State *L) {
  held_writer *held = ma_lua_toclass(L, 1, &writer_class);
  if (!held || !held->writer) ma_lua_fail(L, "writer is %s; wanted one that writes", ma_lua_describe(L, 1));
  return held;
}

static void check_written(lua_State *L, held_writer *held, ma_status status) {
  if (status != MA_OK) give_up(held);
  ma_lua_check(L, status);
}

/* core.bundle_put(writer, image): {family, key, image, ptx, arch, maker, functions}, in the order of keys,
** architectures, and kinds. */
static int bundle_put(lua_State *L) {
  held_writer *held = check_writer(L);
  lua_settop(L, 2);
  if (!lua_istable(L, 2)) ma_lua_fail(L, "image is %s; wanted a table", ma_lua_describe(L, 2));
  ma_bundle_item item = { .family = field(L, "family", NULL), .text = field(L, "key", NULL) };
  item.image.bytes = (char *)field(L, "image", &item.image.size);
  item.arch = (int)number(L, "arch");
  item.image.kind = item.arch >= MA_BUNDLE_CPU ? MA_IMAGE_SHARED_OBJECT
                    : number(L, "ptx")         ? MA_IMAGE_PTX
                                               : MA_IMAGE_CUBIN;
  item.maker = (int)number(L, "maker");
  item.functions = (uint64_t)number(L, "functions");
  check_written(L, held, ma_bundle_put(held->writer, &item));
  return 0;
}

/* core.bundle_end(writer): the file takes its place. Returns its size. */
static int bundle_end(lua_State *L) {
  held_writer *held = check_writer(L);
  int64_t nbytes;
  check_written(L, held, ma_bundle_end(held->writer, &nbytes));
  give_up(held);
  lua_pushnumber(L, (lua_Number)nbytes);
  return 1;
}

/* core.bundle_abandon(writer): frees it, and removes what it has written unless it came to its end. */
static int bundle_abandon(lua_State *L) {
  held_writer *held = ma_lua_toclass(L, 1, &writer_class);
  if (held) give_up(held);
  return 0;
}

/* ==== Compiling ==== */

/* An image that the collector frees. */
typedef struct held_image {
  uint64_t magic;
  ma_image image;
} held_image;
static void release(void *object) { ma_image_free(&((held_image *)object)->image); }
static const ma_class image_class = { .name = "BundleImage",
                                      .word = "image",
                                      .title = "moonarray.BundleImage",
                                      .magic = 0x6d616e75626d6167u,
                                      .size = sizeof(held_image),
                                      .release = release };

/* The list of strings that is element k of the table at `index`. It takes a place on the stack. */
static const char **strings(lua_State *L, int index, int k, int *n) {
  lua_rawgeti(L, index, k);
  *n = lua_istable(L, -1) ? (int)lua_objlen(L, -1) : 0;
  const char **list = lua_newuserdata(L, (size_t)(*n + 1) * sizeof *list);
  for (int i = 0; i < *n; i++) {
    lua_rawgeti(L, -2, i + 1);
    list[i] = lua_tostring(L, -1);
    if (!list[i]) ma_lua_fail(L, "string %d of a list is %s", i + 1, ma_lua_describe(L, -1));
    lua_pop(L, 1);
  }
  lua_remove(L, -2);
  return list;
}

/* core.bundle_compile(text, name, arch, ptx, source?, compiler?): the image and the compiler's version. source:
** {whether the library's headers come first, options, expressions} of a text that is not the library's own. compiler:
** the command of one for a CPU, or the file of an NVRTC. */
static int bundle_compile(lua_State *L) {
  enum { TEXT = 1, NAME, ARCH, PTX, SOURCE, COMPILER };
  lua_settop(L, COMPILER);
  int arch = (int)ma_lua_checkint(L, ARCH, "arch");
  const ma_backend *backend = ma_backend_find(arch < MA_BUNDLE_CPU ? "cuda" : "cpu");
  int maker;
  ma_lua_checkstring(L, TEXT);
  ma_lua_checkstring(L, NAME);
  ma_module_source source = { .text = lua_tostring(L, TEXT), .name = lua_tostring(L, NAME) };
  if (lua_istable(L, SOURCE)) {
    source.option = strings(L, SOURCE, 2, &source.noption);
    source.expression = strings(L, SOURCE, 3, &source.nexpression);
    lua_rawgeti(L, SOURCE, 1);
    source.prelude = lua_toboolean(L, -1);
    lua_pop(L, 1);
  }
  held_image *held = ma_lua_newobject(L, &image_class);
  ma_lua_check(L, backend->module.compile(source.text, source.name, lua_istable(L, SOURCE) ? &source : NULL, arch,
                                          lua_toboolean(L, PTX), lua_tostring(L, COMPILER), &held->image, &maker));
  lua_pushlstring(L, held->image.bytes, held->image.size);
  release(held); /* now, since the collector does not know how large it is */
  lua_pushinteger(L, maker);
  return 2;
}

/* core.bundle_calls(text, name, arch, compiler?): the functions of mathematics that a text of the library's own calls,
** for bundle_put. */
static int bundle_calls(lua_State *L) {
  uint64_t functions;
  int arch = (int)ma_lua_checkint(L, 3, "arch");
  ma_lua_checkstring(L, 1);
  ma_lua_checkstring(L, 2);
  ma_lua_check(L, ma_backend_find("cuda")->module.calls(lua_tostring(L, 1), lua_tostring(L, 2), arch,
                                                        lua_tostring(L, 4), &functions));
  lua_pushnumber(L, (lua_Number)functions);
  return 1;
}

/* core.bundle_knows(arch, ptx, nvrtc?): the version of an NVRTC, which a path names or which is found, and whether it
** compiles for a compute capability. */
static int bundle_knows(lua_State *L) {
  int arch = (int)ma_lua_checkint(L, 1, "arch"), version = 0;
  bool ptx = lua_toboolean(L, 2);
  ma_image none;
  ma_status status = ma_backend_find("cuda")->module.compile(NULL, NULL, NULL, arch, ptx, lua_tostring(L, 3), &none,
                                                             &version);
  if (version == 0) ma_lua_check(L, status);
  lua_pushinteger(L, version);
  lua_pushboolean(L, status == MA_OK);
  return 2;
}

/* core.bundle_targets(): the kinds of CPUs that have kernels in bundles, a list of {name, number, like this machine},
** and the number that records have for all of them. */
static int bundle_targets(lua_State *L) {
  const char *name;
  int arch;
  bool is_here;
  lua_newtable(L);
  for (int k = 0; ma_backend_find("cpu")->module.target(k, &name, &arch, &is_here); k++) {
    lua_createtable(L, 3, 0);
    lua_pushstring(L, name);
    lua_rawseti(L, -2, 1);
    lua_pushinteger(L, arch);
    lua_rawseti(L, -2, 2);
    lua_pushboolean(L, is_here);
    lua_rawseti(L, -2, 3);
    lua_rawseti(L, -2, k + 1);
  }
  lua_pushinteger(L, MA_BUNDLE_CPU);
  return 2;
}

/* core.bundle_key(text): what a kernel is found by, as 32 hexadecimal digits. */
static int bundle_key(lua_State *L) {
  uint64_t key[2];
  char text[40];
  ma_lua_checkstring(L, 1);
  ma_bundle_key(lua_tostring(L, 1), key);
  snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)key[0], (unsigned long long)key[1]);
  lua_pushstring(L, text);
  return 1;
}

/* ==== Where a text was asked for ==== */

/* The Lua state that this thread opened, which the registry keeps. */
static _Thread_local lua_State *opened;
static _Thread_local const ma_lua *opened_state;

#define MOST_RESUMED 100 /* coroutines that resume each other */

/* The coroutine on top of the stack, if it is one that was resumed and runs. */
static lua_State *running_at(lua_State *L, int index) {
  lua_State *resumed = lua_tothread(L, index);
  lua_Debug frame;
  return resumed && resumed != L && lua_status(resumed) == 0 && lua_getstack(resumed, 0, &frame) ? resumed : NULL;
}

/* The coroutine that a thread waits for; NULL: it runs itself. On top of its stack is the function that resumed it,
** with the coroutine as an argument (coroutine.resume) or as an upvalue (a function of coroutine.wrap). */
static lua_State *resumed_by(lua_State *L) {
  lua_Debug frame;
  lua_State *resumed = NULL;
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 3) || !lua_getstack(L, 0, &frame) || !lua_getinfo(L, "Sf", &frame)) return NULL;
  if (*frame.what != 'C') {
    lua_settop(L, top);
    return NULL;
  }
  bool has_value = lua_getupvalue(L, -1, 1) != NULL;
  bool ours = has_value && lua_touserdata(L, -1) == (void *)opened_state; /* arguments of it are the program's */
  if (has_value) resumed = running_at(L, -1);
  lua_settop(L, top);
  if (!ours && !resumed && lua_getlocal(L, &frame, 1)) resumed = running_at(L, -1);
  lua_settop(L, top);
  return resumed;
}

/* The innermost line of the user's. */
static const char *place(void) {
  static _Thread_local char text[LUA_IDSIZE + 16];
  lua_Debug frame;
  lua_State *L = opened, *inner = opened;
  for (int k = 0; k < MOST_RESUMED && inner; k++) inner = resumed_by(L = inner);
  for (int level = 0; L && level < MA_NEAR_FRAMES && lua_getstack(L, level, &frame); level++) {
    if (!lua_getinfo(L, "Sl", &frame) || frame.currentline <= 0) continue;
    if (ma_lua_isown(opened_state, frame.source)) continue;
    snprintf(text, sizeof text, "%s:%d", frame.short_src, frame.currentline);
    return text;
  }
  return "";
}

static void note_state(lua_State *L) {
  ma_bundle_checks(); /* a list ends the process also where nothing is asked for */
  lua_pushthread(L);
  luaL_ref(L, LUA_REGISTRYINDEX);
  opened = L;
  opened_state = ma_lua_state(L);
  ma_bundle_place = place;
}

void ma_lua_leaveplace(const ma_lua *state) {
  if (opened_state == state) opened = NULL;
}

static const ma_function bundle_functions[] = {
  { "core.bundle_load(path)", bundle_load, NULL },
  { "core.bundle_load_bytes(bytes, name, was_found?)", bundle_load_bytes, NULL },
  { "core.bundle_archive(path)", bundle_archive, NULL },
  { "core.bundle_report()", bundle_report, NULL },
  { "core.bundle_begin(path, most)", bundle_begin, NULL },
  { "core.bundle_put(writer, image)", bundle_put, NULL },
  { "core.bundle_end(writer)", bundle_end, NULL },
  { "core.bundle_abandon(writer)", bundle_abandon, NULL },
  { "core.bundle_compile(text, name, arch, ptx, source?, compiler?)", bundle_compile, NULL },
  { "core.bundle_calls(text, name, arch, compiler?)", bundle_calls, NULL },
  { "core.bundle_knows(arch, ptx, nvrtc?)", bundle_knows, NULL },
  { "core.bundle_targets()", bundle_targets, NULL },
  { "core.bundle_key(text)", bundle_key, NULL },
  { NULL, NULL, NULL },
};

/* A part of the library that comes as a package of its own may be in another tree than the module. */
static void note_patterns(lua_State *L) {
  int top = lua_gettop(L);
  lua_getglobal(L, "package");
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "cpath");
    lua_pushliteral(L, ";");
    lua_getfield(L, -3, "path");
    if (lua_isstring(L, -1) && lua_isstring(L, -3)) {
      lua_concat(L, 3);
      ma_bundles_patterns(lua_tostring(L, -1));
    }
  }
  lua_settop(L, top);
}

void ma_open_bundle(lua_State *L) {
  ma_bundle_of_archive = ma_bundle_from_archive;
  ma_lua_register(L, bundle_functions);
  note_state(L);
  note_patterns(L);
}
