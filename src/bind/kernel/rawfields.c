/* rawfields.c: attributes of RawKernel and RawModule: source, options, signature, attributes of a loaded kernel; and
** their finalisers. */
#include "bind/kernel/rawkernel.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  size_t offset;
} attributes[] = {
#define ATTRIBUTE(name) \
  { #name, offsetof(ma_kernel, name) }
  ATTRIBUTE(num_regs),
  ATTRIBUTE(shared_size_bytes),
  ATTRIBUTE(max_threads_per_block),
  ATTRIBUTE(const_size_bytes),
  ATTRIBUTE(local_size_bytes),
  ATTRIBUTE(ptx_version),
  ATTRIBUTE(binary_version),
  ATTRIBUTE(max_dynamic_shared_size_bytes),
  ATTRIBUTE(preferred_shared_memory_carveout),
#undef ATTRIBUTE
};
enum { NATTRIBUTE = sizeof attributes / sizeof *attributes };

static int attribute_of(const ma_kernel *kernel, int i) {
  return *(const int *)(const void *)((const char *)kernel + attributes[i].offset);
}

static void push_strings(lua_State *L, const char *const *string, int n) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushstring(L, string[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

static void push_text(lua_State *L, const ma_module_source *source) {
  ma_ctext text = { 0 };
  ma_module_text(&text, source);
  char *room = text.failed ? NULL : lua_newuserdata(L, text.size + 1);
  if (room) memcpy(room, text.bytes, text.size + 1);
  ma_ctext_free(&text);
  if (!room) ma_lua_fail(L, "out of memory for a kernel's text");
  lua_pushstring(L, room);
}

static void push_signature(lua_State *L, const raw_kernel *k) {
  char text[2048];
  ma_kernel_signature *s = lua_newuserdata(L, sizeof *s);
  ma_kernel_signature_find(s, k->module->source.text, k->name, k->module->source.option, k->module->source.noption);
  lua_pushstring(L, ma_kernel_signature_print(s, text, sizeof text));
}

/* Attributes of the source, for kernels and modules. */
static bool push_source_field(lua_State *L, const shared_module *m, const char *key) {
  if (!strcmp(key, "code")) lua_pushstring(L, m->source.text);
  else if (!strcmp(key, "cached_code")) push_text(L, &m->source);
  else if (!strcmp(key, "options")) push_strings(L, m->source.option, m->source.noption);
  else if (!strcmp(key, "name_expressions")) push_strings(L, m->source.expression, m->source.nexpression);
  else if (!strcmp(key, "enable_cooperative_groups")) lua_pushboolean(L, m->cooperative);
  else return false;
  return true;
}

static const char *key_of(lua_State *L) { return lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : ""; }

/* Upvalue 3: the methods. */
static bool push_method(lua_State *L) {
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(3));
  return !lua_isnil(L, -1);
}

static int fail_key(lua_State *L, const char *const *known) {
  lua_newtable(L);
  for (; *known; known++) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, *known);
  }
  for (int i = 0; i < NATTRIBUTE; i++) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, attributes[i].name);
  }
  return ma_lua_unknown(L, "RawKernel", "attribute", key_of(L), lua_gettop(L));
}

int ma_kernel_index(lua_State *L) {
  static const char *const known[] = { "compile",
                                       "name",
                                       "signature",
                                       "attributes",
                                       "code",
                                       "cached_code",
                                       "options",
                                       "name_expressions",
                                       "enable_cooperative_groups",
                                       NULL };
  raw_kernel *k = ma_lua_checkkernel(L, 1);
  const char *key = key_of(L);
  if (push_method(L)) return 1;
  if (push_source_field(L, k->module, key)) return 1;
  if (!strcmp(key, "name")) {
    lua_pushstring(L, k->name);
    return 1;
  }
  if (!strcmp(key, "signature")) {
    push_signature(L, k);
    return 1;
  }
  bool all = !strcmp(key, "attributes");
  int which = 0;
  while (which < NATTRIBUTE && strcmp(attributes[which].name, key)) which++;
  if (which == NATTRIBUTE && !all) return fail_key(L, known);
  const ma_kernel *kernel = &ma_kernel_on(L, k, ma_lua_stream(L)->device)->kernel;
  if (!all) {
    lua_pushinteger(L, attribute_of(kernel, which));
    return 1;
  }
  lua_createtable(L, 0, NATTRIBUTE);
  for (int i = 0; i < NATTRIBUTE; i++) {
    lua_pushinteger(L, attribute_of(kernel, i));
    lua_setfield(L, -2, attributes[i].name);
  }
  return 1;
}

int ma_kernel_newindex(lua_State *L) {
  raw_kernel *k = ma_lua_checkkernel(L, 1);
  const char *key = key_of(L);
  if (strcmp(key, "max_dynamic_shared_size_bytes") && strcmp(key, "preferred_shared_memory_carveout"))
    ma_lua_fail(L, "'%s' cannot be set; max_dynamic_shared_size_bytes and preferred_shared_memory_carveout can", key);
  int64_t value = ma_lua_checkint(L, 3, key);
  if (value < INT32_MIN || value > INT32_MAX)
    ma_lua_fail(L, "%s is %lld; wanted a number that fits int32", key, (long long)value);
  loaded *l = ma_kernel_on(L, k, ma_lua_stream(L)->device);
  ma_lua_check(L, l->kernel.device->backend->module.set(&l->kernel, key, (int)value));
  return 0;
}

int ma_module_index(lua_State *L) {
  static const char *const known[] = { "get_function",
                                       "get_global",
                                       "compile",
                                       "code",
                                       "cached_code",
                                       "options",
                                       "name_expressions",
                                       "enable_cooperative_groups",
                                       NULL };
  const raw_module *m = ma_lua_checkmodule(L, 1);
  if (push_method(L) || push_source_field(L, m->module, key_of(L))) return 1;
  return fail_key(L, known);
}

int ma_kernel_tostring(lua_State *L) {
  const raw_kernel *k = ma_raw_object(L, 1, sizeof *k, KERNEL_MAGIC);
  lua_pushfstring(L, "<RawKernel %s>", k ? k->name : "?");
  return 1;
}

int ma_module_tostring(lua_State *L) {
  const raw_module *m = ma_raw_object(L, 1, sizeof *m, MODULE_MAGIC);
  lua_pushfstring(L, "<RawModule %s>", m && m->module ? m->module->source.name : "?");
  return 1;
}

int ma_kernel_gc(lua_State *L) {
  raw_kernel *k = ma_raw_object(L, 1, sizeof *k, KERNEL_MAGIC);
  if (!k || !k->module) return 0;
  for (loaded *l = k->last, *next; l; l = next) {
    next = l->next;
    free(l);
  }
  ma_module_release(k->module);
  k->module = NULL;
  k->last = NULL;
  return 0;
}

int ma_module_gc(lua_State *L) {
  raw_module *m = ma_raw_object(L, 1, sizeof *m, MODULE_MAGIC);
  if (m && m->module) ma_module_release(m->module);
  if (m) m->module = NULL;
  return 0;
}
