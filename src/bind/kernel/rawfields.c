/* rawfields.c: attributes of RawKernel and RawModule: source, options, signature, attributes of a loaded kernel; and
** their finalisers. */
#include "bind/kernel/rawkernel.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void push_strings(lua_State *L, const char *const *string, int n) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushstring(L, string[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

/* ==== Of the source, which kernels and modules share ============================================================== */

/* `at`: the object's field `module`. */
static const shared_module *module_at(const void *object, size_t at) {
  return *(shared_module *const *)(const void *)((const char *)object + at);
}

static void push_source(lua_State *L, void *of, size_t at) { lua_pushstring(L, module_at(of, at)->source.text); }

static void push_code(lua_State *L, void *of, size_t at) {
  ma_ctext text = { 0 };
  ma_module_text(&text, &module_at(of, at)->source);
  char *room = text.failed ? NULL : lua_newuserdata(L, text.size + 1);
  if (room) memcpy(room, text.bytes, text.size + 1);
  ma_ctext_free(&text);
  if (!room) ma_lua_fail(L, "out of memory for a kernel's text");
  lua_pushstring(L, room);
}

static void push_options(lua_State *L, void *of, size_t at) {
  push_strings(L, module_at(of, at)->source.option, module_at(of, at)->source.noption);
}

static void push_expressions(lua_State *L, void *of, size_t at) {
  push_strings(L, module_at(of, at)->source.expression, module_at(of, at)->source.nexpression);
}

static void push_cooperative(lua_State *L, void *of, size_t at) { lua_pushboolean(L, module_at(of, at)->cooperative); }

#define OF_SOURCE(at)                                                                             \
  { "code", push_source, at }, { "cached_code", push_code, at }, { "options", push_options, at }, \
    { "name_expressions", push_expressions, at }, {                                               \
    "enable_cooperative_groups", push_cooperative, at                                             \
  }

/* ==== Of a kernel on a device ===================================================================================== */

static const ma_kernel *loaded_kernel(lua_State *L, void *of) {
  return &ma_kernel_on(L, of, ma_lua_stream(L)->device)->kernel;
}

/* `at`: the place in ma_kernel. */
static void push_figure(lua_State *L, void *of, size_t at) {
  ma_push_int(L, (void *)(uintptr_t)loaded_kernel(L, of), at);
}

static void push_figures(lua_State *L, void *of, size_t at);

static void push_name(lua_State *L, void *of, size_t at) { lua_pushstring(L, ((const raw_kernel *)of)->name); }

static void push_signature(lua_State *L, void *of, size_t at) {
  const raw_kernel *k = of;
  char text[2048];
  ma_kernel_signature *s = lua_newuserdata(L, sizeof *s);
  ma_kernel_signature_find(s, k->module->source.text, k->name, k->module->source.option, k->module->source.noption);
  lua_pushstring(L, ma_kernel_signature_print(s, text, sizeof text));
}

/* What make_raw_kernel kept; the kernels of modules have the globals for their environment. */
static void push_kept(lua_State *L, void *of, size_t at) {
  lua_getfenv(L, 1);
  bool own = !lua_rawequal(L, -1, LUA_GLOBALSINDEX);
  if (own) lua_rawgeti(L, -1, (int)at);
  else lua_pushnil(L);
}

static const ma_attribute kernel_attributes[] = {
#define FIGURE(name) \
  { #name, push_figure, offsetof(ma_kernel, name) }
  FIGURE(num_regs),
  FIGURE(shared_size_bytes),
  FIGURE(max_threads_per_block),
  FIGURE(const_size_bytes),
  FIGURE(local_size_bytes),
  FIGURE(ptx_version),
  FIGURE(binary_version),
  FIGURE(max_dynamic_shared_size_bytes),
  FIGURE(preferred_shared_memory_carveout),
#undef FIGURE
  { "attributes", push_figures, 0 },
  { "name", push_name, 0 },
  { "signature", push_signature, 0 },
  { "derivative", push_kept, 1 },
  { "writes", push_kept, 2 },
  OF_SOURCE(offsetof(raw_kernel, module)),
  { NULL, NULL, 0 },
};

static void push_figures(lua_State *L, void *of, size_t at) {
  lua_newtable(L);
  for (const ma_attribute *a = kernel_attributes; a->push == push_figure; a++) {
    push_figure(L, of, a->place);
    lua_setfield(L, -2, a->name);
  }
}

static int kernel_newindex(lua_State *L) {
  raw_kernel *k = ma_lua_self(L, &ma_kernel_class);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(key, "max_dynamic_shared_size_bytes") && strcmp(key, "preferred_shared_memory_carveout"))
    ma_lua_fail(L, "'%s' cannot be set; max_dynamic_shared_size_bytes and preferred_shared_memory_carveout can", key);
  int64_t value = ma_lua_checkint(L, 3, key);
  if (value < INT32_MIN || value > INT32_MAX)
    ma_lua_fail(L, "%s is %lld; wanted a number that fits int32", key, (long long)value);
  loaded *l = ma_kernel_on(L, k, ma_lua_stream(L)->device);
  ma_lua_check(L, l->kernel.device->backend->module.set(&l->kernel, key, (int)value));
  return 0;
}

static void push_kernel_text(lua_State *L, void *of) {
  lua_pushfstring(L, "<RawKernel %s>", ((const raw_kernel *)of)->name);
}

static void release_kernel(void *of) {
  raw_kernel *k = of;
  if (!k->module) return;
  for (loaded *l = k->last, *next; l; l = next) {
    next = l->next;
    free(l);
  }
  ma_module_release(k->module);
  k->module = NULL;
  k->last = NULL;
}

const ma_class ma_kernel_class = { .name = "RawKernel",
                                   .word = "kernel",
                                   .title = "moonarray.RawKernel",
                                   .magic = 0x6d616b65726e656cu,
                                   .size = sizeof(raw_kernel),
                                   .methods = ma_kernel_methods,
                                   .attributes = kernel_attributes,
                                   .text = push_kernel_text,
                                   .release = release_kernel,
                                   .write = kernel_newindex,
                                   .call = ma_kernel_call,
                                   .call_signature = ":RawKernel(kernel, grid, block, args; shared_mem?, stream?)" };

/* ==== Modules ===================================================================================================== */

static const ma_attribute module_attributes[] = { OF_SOURCE(offsetof(raw_module, module)), { NULL, NULL, 0 } };

static void push_module_text(lua_State *L, void *of) {
  const raw_module *m = of;
  lua_pushfstring(L, "<RawModule %s>", m->module ? m->module->source.name : "?");
}

static void release_module(void *of) {
  raw_module *m = of;
  if (m->module) ma_module_release(m->module);
  m->module = NULL;
}

const ma_class ma_module_class = { .name = "RawModule",
                                   .word = "module",
                                   .title = "moonarray.RawModule",
                                   .magic = 0x6d616d6f64756c65u,
                                   .size = sizeof(raw_module),
                                   .methods = ma_module_methods,
                                   .attributes = module_attributes,
                                   .text = push_module_text,
                                   .release = release_module };
