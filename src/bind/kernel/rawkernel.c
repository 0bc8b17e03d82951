/*
** rawkernel.c: RawKernel and RawModule: CUDA C++ whose whole text the user wrote.
**
** The source of a module is shared by its functions and by the arrays over its globals. It is loaded on each device at
** the first use there. The last user unloads it everywhere, on whatever thread that is.
*/
#include "bind/device/graph.h"
#include "bind/array/index.h"
#include "bind/kernel/rawkernel.h"
#include "base/fork.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ==== The module ================================================================================================= */

void ma_module_release(shared_module *m) {
  if (__atomic_sub_fetch(&m->refs, 1, __ATOMIC_ACQ_REL) > 0) return;
  for (opened *o = m->opened, *next; o; o = next) {
    next = o->next;
    o->device->backend->module.close(o->device, o->handle);
    free(o);
  }
  free(m);
}

static shared_module *retain_module(shared_module *m) {
  __atomic_add_fetch(&m->refs, 1, __ATOMIC_RELAXED);
  return m;
}

/* ==== Globals ==================================================================================================== */

static pthread_mutex_t globals_lock = PTHREAD_MUTEX_INITIALIZER; /* for the lists of all modules */
MA_FORK_GUARD(globals_lock, MA_FORK_BODY)

static void release_global(ma_buffer *buffer) {
  shared_module *m = buffer->owner;
  pthread_mutex_lock(&globals_lock);
  global **at = &m->globals;
  while (*at && (*at)->buffer != buffer) at = &(*at)->next;
  global *g = *at;
  if (g) *at = g->next;
  pthread_mutex_unlock(&globals_lock);
  free(g);
  ma_buffer_free_header(buffer);
  ma_module_release(m);
}

static ma_status use_globals(const shared_module *m, ma_stream *stream) {
  ma_status status = MA_OK;
  pthread_mutex_lock(&globals_lock);
  for (const global *g = m->globals; g && status == MA_OK; g = g->next)
    if (g->buffer->device == stream->device && g->buffer->generation == stream->device->generation)
      status = ma_buffer_use(g->buffer, stream, true);
  pthread_mutex_unlock(&globals_lock);
  return status;
}

static ma_status open_on(shared_module *m, ma_device *device, void **handle) {
  opened *o = malloc(sizeof *o);
  if (!o) return ma_fail(MA_ERR_MEMORY, "out of memory for a module");
  *o = (opened){ m->opened, device, NULL, device->generation };
  ma_status status = device->backend->module.open(device, &m->source, &o->handle);
  if (status != MA_OK) {
    free(o);
    return status;
  }
  m->opened = o;
  *handle = o->handle;
  return MA_OK;
}

static ma_status find_opened(shared_module *m, ma_device *device, void **handle) {
  for (opened *o = m->opened; o; o = o->next)
    if (o->device == device && o->generation == device->generation) {
      *handle = o->handle;
      return MA_OK;
    }
  return open_on(m, device, handle);
}

/* ==== The kernel ================================================================================================= */

static ma_status load_kernel(raw_kernel *k, ma_device *device) {
  void *handle;
  const ma_module_source *source = &k->module->source;
  MA_TRY(find_opened(k->module, device, &handle));
  loaded *l = calloc(1, sizeof *l);
  if (!l) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel");
  ma_status status = device->backend->module.kernel(device, handle, k->name, &l->kernel);
  if (status != MA_OK) {
    free(l);
    return status;
  }
  ma_kernel_signature_find(&l->signature, source->text, k->name, source->option, source->noption);
  ma_kernel_signature_fit(&l->signature, &l->kernel);
  l->signature.strided = source->prelude;
  l->generation = device->generation;
  l->next = k->last;
  k->last = l;
  return MA_OK;
}

/* The kernel on `device`, loaded if needed; it becomes the first of the list. */
loaded *ma_kernel_on(lua_State *L, raw_kernel *k, ma_device *device) {
  if (__builtin_expect(k->last && k->last->kernel.device == device && k->last->generation == device->generation, 1))
    return k->last;
  for (loaded **at = &k->last; *at; at = &(*at)->next) {
    loaded *l = *at;
    if (l->kernel.device != device || l->generation != device->generation) continue;
    *at = l->next;
    l->next = k->last;
    return k->last = l;
  }
  MA_LUA_TRY(L, load_kernel(k, device));
  return k->last;
}

/* ==== Construction ================================================================================================ */

static const char *check_text(lua_State *L, int index) {
  size_t n;
  if (lua_type(L, index) != LUA_TSTRING)
    ma_lua_fail(L, "%s is %s; wanted a string", ma_lua_argname(L, index), ma_lua_describe(L, index));
  const char *text = lua_tolstring(L, index, &n);
  if (strlen(text) != n)
    ma_lua_fail(L, "%s has a zero byte at position %d; wanted text", ma_lua_argname(L, index), (int)strlen(text) + 1);
  return text;
}

static const char *check_kernel_name(lua_State *L, int index) {
  const char *name = check_text(L, index);
  if (strlen(name) >= sizeof((raw_kernel *)0)->name || (!ma_is_identifier(name) && !ma_is_name_expression(name)))
    ma_lua_fail(L, "%s is %s; wanted a kernel's name, such as my_add or scale<float>", ma_lua_argname(L, index),
                ma_lua_describe(L, index));
  return name;
}

/* Checks a table of strings, or nil; returns their number and their bytes. */
static int check_strings(lua_State *L, int index, bool expressions, size_t *bytes) {
  if (lua_isnoneornil(L, index)) return 0;
  if (lua_type(L, index) != LUA_TTABLE)
    ma_lua_fail(L, "%s is %s; wanted a table of strings", ma_lua_argname(L, index), ma_lua_describe(L, index));
  int n = (int)lua_objlen(L, index);
  if (n > 1024) ma_lua_fail(L, "%d %s; at most 1024", n, ma_lua_argname(L, index));
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, index, i);
    const char *s = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    if (!s || strlen(s) != lua_objlen(L, -1))
      ma_lua_fail(L, "%s[%d] is %s; wanted a string without zero bytes", ma_lua_argname(L, index), i,
                  ma_lua_describe(L, -1));
    if (expressions && (strlen(s) >= 128 || !ma_is_name_expression(s)))
      ma_lua_fail(L, "%s[%d] is %s; wanted a name expression, such as scale<float>", ma_lua_argname(L, index), i,
                  ma_lua_describe(L, -1));
    *bytes += strlen(s) + 1;
    lua_pop(L, 1);
  }
  return n;
}

/* Copies a string into the room behind the last one. */
static const char *keep(char **room, const char *string) {
  char *at = *room;
  *room = stpcpy(at, string) + 1;
  return at;
}

static void keep_strings(lua_State *L, int index, int n, const char **to, char **room) {
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, index, i + 1);
    to[i] = keep(room, lua_tostring(L, -1));
    lua_pop(L, 1);
  }
}

/* Makes a module. Options are at the slot `option`, expressions at the slot `expression` (0: none, or only `also`).
** Both are checked by now, or here. */
static shared_module *new_module(lua_State *L, const char *text, const char *name, int option, int expression,
                                 const char *also, bool prelude) {
  size_t bytes = strlen(text) + strlen(name) + 2 + (also ? strlen(also) + 1 : 0);
  int noption = check_strings(L, option, false, &bytes),
      nexpression = expression ? check_strings(L, expression, true, &bytes) : 0;
  int nstring = noption + nexpression + (also != NULL);
  shared_module *m = malloc(sizeof *m + sizeof(char *) * (size_t)nstring + bytes);
  if (!m) ma_lua_fail(L, "out of memory: %d bytes for a module's source", (int)bytes);
  const char **strings = (const char **)(m + 1);
  char *room = (char *)(strings + nstring);
  *m = (shared_module){ .refs = 1,
                        .source = { .option = strings,
                                    .noption = noption,
                                    .expression = strings + noption,
                                    .nexpression = nexpression + (also != NULL),
                                    .prelude = prelude } };
  m->source.text = keep(&room, text);
  m->source.name = keep(&room, name);
  keep_strings(L, option, noption, strings, &room);
  if (nexpression) keep_strings(L, expression, nexpression, strings + noption, &room);
  if (also) strings[noption + nexpression] = keep(&room, also);
  return m;
}

static raw_kernel *push_kernel(lua_State *L, const char *name) {
  raw_kernel *k = ma_lua_newobject(L, &ma_kernel_class);
  snprintf(k->name, sizeof k->name, "%s", name);
  return k;
}

/* A kernel that is not extern "C" needs a name expression. */
static bool needs_expression(lua_State *L, const char *code, const char *name) {
  if (!ma_is_identifier(name)) return true;
  ma_kernel_signature *s = lua_newuserdata(L, sizeof *s);
  ma_kernel_signature_find(s, code, name, NULL, 0);
  bool needs = s->found && !s->c_linkage;
  lua_pop(L, 1);
  return needs;
}

static void make_kernel(lua_State *L, bool cooperative, bool prelude) {
  const char *code = check_text(L, 1), *name = check_kernel_name(L, 2);
  const char *also = needs_expression(L, code, name) ? name : NULL;
  raw_kernel *k = push_kernel(L, name);
  k->module = new_module(L, code, name, 3, 0, also, prelude);
  k->module->cooperative = cooperative;
}

/* Its environment keeps what ma.grad asks for: the derivative, and the numbers of the arguments that it writes. */
static int make_raw_kernel(lua_State *L) {
  enum { DERIVATIVE = 5, WRITES };
  ma_lua_checkderivative(L, DERIVATIVE);
  if (!lua_isnoneornil(L, WRITES) && !lua_istable(L, WRITES))
    ma_lua_fail(L, "writes is %s; wanted numbers of arguments, such as {2}", ma_lua_describe(L, WRITES));
  make_kernel(L, ma_lua_optbool(L, 4, false), false);
  lua_createtable(L, 2, 0);
  for (int k = 0; k < 2; k++) {
    lua_pushvalue(L, DERIVATIVE + k);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfenv(L, -2);
  return 1;
}

/* Makes kernels whose text the Lua layer writes. They use the prelude, so that both devices give the same bits. */
static int make_printed_kernel(lua_State *L) {
  make_kernel(L, ma_lua_optbool(L, 5, false), true);
  if (lua_isstring(L, 4)) snprintf(((raw_kernel *)lua_touserdata(L, -1))->checks, 32, "%s", lua_tostring(L, 4));
  return 1;
}

/* Where a printed kernel that is launched on a stream checks positions, or with `always` where it runs: "cpu", "gpu",
** or nil. */
static int where_checked(lua_State *L) {
  bool cpu = ma_lua_optstream(L, 1)->device == ma_device_cpu();
  if (!cpu && !ma_lua_optbool(L, 2, false) && !ma_config_int(MA_CONFIG_CHECK)) return 0;
  lua_pushstring(L, cpu ? "cpu" : "gpu");
  return 1;
}

/* core.fault_place(name, stream?, array?, always?), for an elementwise kernel that checks positions. Returns where it
** runs, as where_checked does, the address of the fault record, and the number that a fault must carry. */
static ma_stream *stream_of(lua_State *L, int stream, int array) {
  ma_array *a = lua_isnil(L, array) ? NULL : ma_lua_checkarray(L, array);
  return lua_isnil(L, stream) && a ? ma_lua_streamfor(L, a) : ma_lua_optstream(L, stream);
}

static int fault_place(lua_State *L) {
  int32_t number;
  ma_stream *stream = stream_of(L, 2, 3);
  bool cpu = stream->device == ma_device_cpu();
  if (!cpu && !ma_lua_optbool(L, 4, false) && !ma_config_int(MA_CONFIG_CHECK)) return 0;
  ma_lua_pickingon(L, stream, check_text(L, 1));
  lua_pushstring(L, cpu ? "cpu" : "gpu");
  lua_pushnumber(L, (double)(uintptr_t)stream->device->backend->fault.record(stream, &number));
  lua_pushnumber(L, number);
  return 3;
}

/* core.fault_raise(stream?, array?): called after such a kernel. */
static int fault_raise(lua_State *L) {
  ma_lua_picked(L, stream_of(L, 1, 2)->device);
  return 0;
}

/* On a device that runs asynchronously, a kernel that checks positions gets the fault record and the function's
** number as its last arguments. */
static void give_record(lua_State *L, const raw_kernel *k, const ma_kernel_signature *signature, ma_stream *stream) {
  int32_t function;
  ma_lua_pickingon(L, stream, k->checks);
  if (stream->device == ma_device_cpu()) return;
  lua_pushnumber(L, (double)(uintptr_t)stream->device->backend->fault.record(stream, &function));
  lua_rawseti(L, 4, signature->nparam - 1);
  lua_pushnumber(L, function);
  lua_rawseti(L, 4, signature->nparam);
}

/* Pushes the text of the file. */
static void push_file(lua_State *L, const char *path) {
  char part[4096];
  luaL_Buffer buffer;
  struct stat st;
  if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
    ma_lua_fail(L, "%s is no file; wanted one with CUDA C++", path); /* opening a pipe would block */
  FILE *f = fopen(path, "rbe");
  if (!f) ma_lua_fail(L, "%s: %s", path, strerror(errno));
  ma_ctext text = { 0 };
  bool zero = false;
  for (size_t n; (n = fread(part, 1, sizeof part - 1, f)) > 0;) {
    part[n] = 0;
    zero = zero || strlen(part) != n;
    ma_ctext_put(&text, part);
  }
  bool failed = ferror(f) != 0 || text.failed;
  fclose(f);
  luaL_buffinit(L, &buffer);
  if (text.bytes && !failed && !zero) luaL_addlstring(&buffer, text.bytes, text.size);
  ma_ctext_free(&text);
  luaL_pushresult(&buffer);
  if (failed) ma_lua_fail(L, "%s cannot be read", path);
  if (zero) ma_lua_fail(L, "%s has a zero byte; wanted CUDA C++", path);
}

static int make_raw_module(lua_State *L) {
  bool has_code = !lua_isnil(L, 1), has_path = !lua_isnil(L, 2);
  if (has_code == has_path)
    ma_lua_fail(L, "%s; wanted one of code and path", has_code ? "both code and path" : "neither code nor path");
  const char *name = has_path ? check_text(L, 2) : "RawModule";
  bool cooperative = ma_lua_optbool(L, 5, false);
  if (has_path) {
    push_file(L, name);
    lua_replace(L, 1);
  }
  raw_module *m = ma_lua_newobject(L, &ma_module_class);
  m->module = new_module(L, check_text(L, 1), name, 3, 4, NULL, false);
  m->module->cooperative = cooperative;
  return 1;
}

/* ==== Methods ==================================================================================================== */

/* A graph that launches the kernel keeps the module. */
static void release_kept(void *module) { ma_module_release(module); }

int ma_kernel_call(lua_State *L) {
  raw_kernel *k = ma_lua_self(L, &ma_kernel_class);
  ma_stream *stream = ma_lua_optstream(L, 6);
  uint32_t shared = 0;
  if (!lua_isnil(L, 5)) {
    int64_t bytes = ma_lua_checkint(L, 5, "shared_mem");
    if (bytes < 0 || bytes > INT32_MAX) ma_lua_fail(L, "shared_mem is %lld bytes; wanted 0 or more", (long long)bytes);
    shared = (uint32_t)bytes;
  }
  const loaded *l = ma_kernel_on(L, k, stream->device);
  if (__atomic_load_n(&k->module->globals, __ATOMIC_RELAXED)) ma_lua_check(L, use_globals(k->module, stream));
  if (*k->checks) give_record(L, k, &l->signature, stream);
  ma_lua_launch(L, &l->kernel, &l->signature, k->module->cooperative, 2, 3, 4, shared, stream);
  if (stream->capture) ma_lua_check(L, ma_capture_keep(stream->capture, retain_module(k->module), release_kept));
  if (*k->checks) ma_lua_picked(L, stream->device);
  return 0;
}

static int kernel_compile(lua_State *L) {
  ma_kernel_on(L, ma_lua_self(L, &ma_kernel_class), ma_lua_stream(L)->device);
  lua_settop(L, 1);
  return 1;
}

/* Its text is compiled for all arguments, so they do not matter. */
static int kernel_prepare(lua_State *L) {
  lua_settop(L, 1);
  ma_lua_callcore(L, "prepared", 1, 1);
  return 1;
}

static int module_compile(lua_State *L) {
  void *handle;
  raw_module *m = ma_lua_self(L, &ma_module_class);
  MA_LUA_TRY(L, find_opened(m->module, ma_lua_stream(L)->device, &handle));
  lua_settop(L, 1);
  return 1;
}

static int module_get_function(lua_State *L) {
  raw_module *m = ma_lua_self(L, &ma_module_class);
  raw_kernel *k = push_kernel(L, check_kernel_name(L, 2));
  k->module = retain_module(m->module);
  return 1;
}

/* Sets the dtype and shape that the caller gives; the default is bytes. */
static void shape_global(lua_State *L, ma_array *array, const char *name, size_t nbytes) {
  ma_dtype dtype = ma_lua_checkdtype(L, 3, MA_UINT8);
  size_t itemsize = ma_dtypes[dtype].itemsize;
  int64_t shape[MA_MAX_NDIM] = { (int64_t)(nbytes / itemsize) }, size = 0;
  int ndim = lua_isnil(L, 4) ? 1 : ma_lua_checkshape(L, 4, shape);
  if (lua_isnil(L, 4) && nbytes % itemsize)
    ma_lua_fail(L, "%s has %d bytes; no multiple of %s's %d", name, (int)nbytes, ma_dtypes[dtype].name, (int)itemsize);
  ma_lua_check(L, ma_shape_size(ndim, shape, itemsize, &size));
  if ((uint64_t)size * itemsize > nbytes)
    ma_lua_fail(L, "%lld elements of %s; %s has %lld bytes", (long long)size, ma_dtypes[dtype].name, name,
                (long long)nbytes);
  array->offset = 0;
  array->readonly = 0;
  array->is_view = 1;
  array->dtype = (uint8_t)dtype;
  array->ndim = (uint8_t)ndim;
  array->size = size;
  memcpy(array->shape, shape, sizeof *shape * (size_t)ndim);
  ma_shape_contiguous(ndim, shape, itemsize, array->stride);
}

/* The buffer that other arrays over the global have, with a reference: each global has one set of marks. */
static ma_buffer *find_global(shared_module *m, const ma_device *device, const void *address) {
  ma_buffer *found = NULL;
  pthread_mutex_lock(&globals_lock);
  for (global *g = m->globals; g && !found; g = g->next) {
    int refs = __atomic_load_n(&g->buffer->refs, __ATOMIC_RELAXED);
    if (g->buffer->ptr != address || g->buffer->device != device || g->buffer->generation != device->generation)
      continue;
    while (refs > 0 &&
           !__atomic_compare_exchange_n(&g->buffer->refs, &refs, refs + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
    if (refs > 0) found = g->buffer;
  }
  pthread_mutex_unlock(&globals_lock);
  return found;
}

/* Makes a buffer over a global. Kernels that were launched earlier did not announce that they use the global, so this
** waits for them once. */
static ma_status wrap_global(shared_module *m, ma_device *device, void *address, size_t nbytes, ma_buffer **buffer) {
  if (!__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED)) MA_TRY(device->backend->device.synchronize(device));
  global *g = malloc(sizeof *g);
  if (!g) return ma_fail(MA_ERR_MEMORY, "out of memory for a global");
  ma_status status = ma_buffer_wrap(device, address, nbytes, release_global, m, &g->buffer);
  if (status != MA_OK) {
    free(g);
    return status;
  }
  retain_module(m);
  pthread_mutex_lock(&globals_lock);
  g->next = m->globals;
  m->globals = g;
  pthread_mutex_unlock(&globals_lock);
  *buffer = g->buffer;
  return MA_OK;
}

static int module_get_global(lua_State *L) {
  void *handle, *address;
  size_t nbytes;
  raw_module *m = ma_lua_self(L, &ma_module_class);
  const char *name = check_text(L, 2);
  ma_device *device = ma_lua_stream(L)->device;
  if (!ma_is_identifier(name) && !ma_is_name_expression(name))
    ma_lua_fail(L, "name is %s; wanted a global's name", ma_lua_describe(L, 2));
  MA_LUA_TRY(L, find_opened(m->module, device, &handle));
  ma_lua_check(L, device->backend->module.global(device, handle, name, &address, &nbytes));
  ma_array *array = ma_lua_newarray(L);
  shape_global(L, array, name, nbytes);
  array->buffer = find_global(m->module, device, address);
  if (!array->buffer) ma_lua_check(L, wrap_global(m->module, device, address, nbytes, &array->buffer));
  return 1;
}

/* ==== Opening ==================================================================================================== */

//> = raw_kernel | ma.RawKernel('extern "C" __global__ void f(int n) {}', "f") | Called k(grid, block, {arguments}).
//> . name: string | its name
//> . signature: string | its parameters
//> . attributes: table | registers, shared memory and the rest, by name
//> . max_threads_per_block: integer | one of the attributes, which have fields of their own
//> . code: string | the text
//> . cached_code: string | the text as it was compiled
//> . options: string[] | the compiler's options
//> . derivative: function | as it was made
//> . writes: integer[] | as it was made
//> . name_expressions: string[] | names of instances of templates
//> . enable_cooperative_groups: boolean | whether its launches are cooperative
//> :compile() -> raw_kernel | Compiles it now.
//> raw_kernel:compile: raw_kernel:compile().name
//> + call(integer[], integer[], table, table?): any
//> :prepare(grid?: integer[], block?: integer[], args?: table) -> preparation | Has it compiled without waiting.
//> raw_kernel:prepare: ma.await(raw_kernel:prepare()) == raw_kernel
const ma_method ma_kernel_methods[] = { { ":compile(kernel)", kernel_compile },
                                        { ":prepare(kernel, grid?, block?, args?; shared_mem?, stream?)",
                                          kernel_prepare },
                                        { NULL, NULL } };
//> = raw_module | ma.RawModule('extern "C" __global__ void f(int n) {}') | A text with kernels.
//> . code: string | the text
//> . cached_code: string | the text as it was compiled
//> . options: string[] | the compiler's options
//> . name_expressions: string[] | names of instances of templates
//> . enable_cooperative_groups: boolean | whether launches are cooperative
//> :get_function(name: string) -> raw_kernel | One of its kernels.
//> raw_module:get_function: raw_module:get_function("f").name
//> :get_global(name: string, dtype?: dtype, shape?: integer|integer[]) -> array | A global variable as an array.
//> raw_module:get_global: local module = ma.RawModule("__device__ float table[3];")
//>   module:get_global("table", "float32", 3):fill(5)
//>   return module:get_global("table", "float32", 3)
//> :compile() -> raw_module | Compiles it now.
//> raw_module:compile: raw_module:compile() == raw_module
const ma_method ma_module_methods[] = { { ":compile(module)", module_compile },
                                        { ":get_function(module, name)", module_get_function },
                                        { ":get_global(module, name, dtype?, shape?)", module_get_global },
                                        { NULL, NULL } };

static const ma_function functions[] = {
  //> RawKernel RawModule: local code = 'extern "C" __global__ void twice(double *x) { x[threadIdx.x] *= 2; }'
  //>   local x = ma.array {1, 2, 3}
  //>   ma.RawModule(code):get_function("twice")({1}, {3}, {x})
  //>   return x
  { "RawKernel(code: string, name: string, options?: string[], enable_cooperative_groups?: boolean; derivative?: "
    "function, writes?: integer[]) -> raw_kernel",
    make_raw_kernel,
    "A kernel in CUDA C++ by its name in the code; called k(grid, block, args, {shared_mem = n}). ma.grad goes through "
    "it where writes lists the arguments that it writes, as a whole, and derivative(g, ...) gives for each argument "
    "what flows to it, if g flows to what it writes; a g for each of several." },
  { "RawModule(code?: string, path?: string, options?: string[], name_expressions?: string[], "
    "enable_cooperative_groups?: boolean) -> raw_module",
    make_raw_module,
    "A module of CUDA C++, from a string or a file: get_function(name) and get_global(name, dtype, shape)." },
  { "core.printed_kernel(code, name, options?, checks?, cooperative?)", make_printed_kernel, NULL },
  { "core.where_checked(stream?, always?)", where_checked, NULL },
  { "core.fault_place(name, stream?, array?, always?)", fault_place, NULL },
  { "core.fault_raise(stream?, array?)", fault_raise, NULL },
  { NULL, NULL, NULL }
};

void ma_open_rawkernel(lua_State *L) { ma_lua_register(L, functions); }
