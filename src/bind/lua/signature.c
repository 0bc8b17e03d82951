/*
** signature.c: signatures and docstrings of functions.
**
** There are a thousand of each. They are stored in a few large userdata, because the collector visits every object of
** the heap in each cycle, and in a small heap most objects would be the library's. For the same reason the table of
** docstrings is made when it is first used.
*/
#include "bind/bind.h"

#include <ctype.h>
#include <string.h>

#define CHUNK 16384
#define LONGEST 1024 /* bytes of a signature that has types */

/* A signature by its text, or a docstring by its function's name. It lives as long as the Lua state. */
typedef struct ma_lua_known {
  struct ma_lua_known *next;
  const char *whole;
  ma_signature signature;
} known;
typedef struct ma_lua_doc {
  struct ma_lua_doc *next;
  const char *name, *text, *doc;
} document;

void *ma_lua_keepmemory(lua_State *L, size_t size) {
  ma_lua *state = ma_lua_state(L);
  size = (size + 7) & ~(size_t)7;
  if (size > state->kept.left) {
    size_t room = size > CHUNK ? size : CHUNK;
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->signatures);
    char *chunk = lua_newuserdata(L, room);
    lua_rawseti(L, -2, (int)lua_objlen(L, -2) + 1);
    lua_pop(L, 1);
    state->kept.at = chunk;
    state->kept.left = room;
  }
  void *at = state->kept.at;
  state->kept.at += size;
  state->kept.left -= size;
  return at;
}

static const char *keep_text(lua_State *L, const char *text, size_t n) {
  char *copy = ma_lua_keepmemory(L, n + 1);
  memcpy(copy, text, n);
  copy[n] = 0;
  return copy;
}

static size_t bucket_of(const char *text) { return ma_hash(text, strlen(text), 0) % MA_KNOWN_BUCKETS; }

/* Keeps the string [from, to) alive: every equal string of this state has its address. */
static const char *intern(lua_State *L, ma_lua *state, const char *from, const char *to) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->signatures);
  lua_pushlstring(L, from, (size_t)(to - from));
  const char *text = lua_tostring(L, -1);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  return text;
}

/* ==== Signatures ================================================================================================= */

/* Optional arguments of these names are always booleans. 0 is refused: it is true in Lua, the opposite of what a
** user means. */
static bool names_flag(const char *function, const char *name) {
  static const char *const flag[] = {
    "assume_unique",  "check",      "compute_uv",    "copy",          "deg",           "density",
    "descending",     "endpoint",   "equal_nan",     "full",          "full_matrices", "include_initial",
    "largest",        "retstep",    "return_sign",   "rowvar",        "smooth",        "stable",
    "hermitian",      "increasing", "invert",        "keepdims",      "lower",         "overwrite_input",
    "p_indices",      "permute_l",  "replace",       "return_counts", "return_index",  "return_indices",
    "return_inverse", "returned",   "shuffle",       "sparse",        "strict",        "suppress",
    "suppress_small", "tensor",     "unit_diagonal", "upper",         "verbose",
  };
  if (!strncmp(function, "sparse.", 7) && !strcmp(name, "density")) return false; /* a number there */
  for (size_t k = 0; k < sizeof flag / sizeof *flag; k++)
    if (!strcmp(name, flag[k])) return true;
  return false;
}

/* A signature without the types that editors are told, as messages show it: of "sort(a: data, axis?: integer) -> array"
** it writes "sort(a, axis?)". One without types is returned as it is. */
static const char *without_types(lua_State *L, const char *text, char *to, size_t size) {
  const char *open = strchr(text, '(');
  if (!open) luaL_error(L, "moonarray: malformed signature %s", text);
  if (!strchr(open, ':') && !strstr(open, "->")) return text;
  size_t n = (size_t)(open - text) + 1;
  if (n < size) memcpy(to, text, n);
  for (const char *p = open + 1; *p && n + 1 < size; p++) {
    if (*p == ':') { /* a type ends where its parentheses are closed */
      for (int depth = 0; *p && (depth || (*p != ',' && *p != ';' && *p != ')')); p++)
        depth += (*p == '(') - (*p == ')');
      if (!*p) break;
    }
    to[n++] = *p;
    if (*p == ')') {
      to[n] = 0;
      return to;
    }
  }
  luaL_error(L, "moonarray: malformed signature %s", text);
  return NULL;
}

static void parse_arguments(lua_State *L, ma_lua *state, ma_signature *signature, const char *p) {
  bool options_only = false;
  while (*p && *p != ')') {
    if (*p == ' ' || *p == ',') {
      p++;
      continue;
    }
    if (*p == ';') {
      options_only = true;
      p++;
      continue;
    }
    if (!strncmp(p, "...", 3)) {
      signature->loose = true;
      p += 3;
      continue;
    }
    const char *end = p;
    while (isalnum((unsigned char)*end) || *end == '_') end++;
    if (end == p || signature->nargs == MA_MAX_ARGS)
      luaL_error(L, "moonarray: malformed signature %s", signature->text);
    const char *name = intern(L, state, p, end);
    if (!strcmp(name, "dtype")) signature->dtype = (int8_t)signature->nargs;
    bool optional = *end == '?';
    if ((optional || options_only) && names_flag(signature->name, name)) signature->flags |= 1u << signature->nargs;
    signature->arg[signature->nargs++] = name;
    if (!optional && !options_only) signature->nrequired = signature->nargs;
    if (!options_only) signature->npositional = signature->nargs;
    p = optional ? end + 1 : end;
  }
}

/* Each text has one signature for each function. So `running`, the signature of the last call, is always valid. */
ma_signature *ma_lua_newsignature(lua_State *L, const char *text, bool method, lua_CFunction call) {
  ma_lua *state = ma_lua_state(L);
  char plain[LONGEST];
  text = without_types(L, text, plain, sizeof plain);
  for (known *k = state->known[bucket_of(text)]; k; k = k->next)
    if (k->signature.method == method && k->signature.call == call && !strcmp(k->whole, text)) return &k->signature;
  ma_signature made = { .dtype = -1, .method = method, .call = call };
  const char *whole = text = keep_text(L, text, strlen(text));
  made.apart = *text == ':';
  if (made.apart) text++;
  made.hidden = !strncmp(text, "core.", 5);
  if (made.hidden) text += 5;
  made.name = keep_text(L, text, (size_t)(strchr(text, '(') - text));
  made.text = text;
  parse_arguments(L, state, &made, strchr(text, '(') + 1);
  size_t used = offsetof(known, signature) + offsetof(ma_signature, arg) + made.nargs * sizeof *made.arg;
  known *k = ma_lua_keepmemory(L, used);
  size_t at = bucket_of(whole);
  memcpy(&k->signature, &made, used - offsetof(known, signature));
  k->whole = whole;
  k->next = state->known[at];
  state->known[at] = k;
  return &k->signature;
}

void ma_lua_setlayered(lua_State *L, const char *text) {
  char plain[LONGEST];
  text = without_types(L, text, plain, sizeof plain);
  for (known *k = ma_lua_state(L)->known[bucket_of(text)]; k; k = k->next)
    if (!strcmp(k->whole, text)) k->signature.layered = true;
}

/* ==== Docstrings ================================================================================================= */

/* Adds an entry to the table on top. */
static void put_document(lua_State *L, const document *d) {
  lua_createtable(L, 0, 2);
  lua_pushstring(L, d->text);
  lua_setfield(L, -2, "signature");
  lua_pushstring(L, d->doc);
  lua_setfield(L, -2, "doc");
  lua_setfield(L, -2, d->name);
}

static document *find_document(ma_lua *state, const char *name) {
  document *d = state->documents[bucket_of(name)];
  while (d && strcmp(d->name, name)) d = d->next;
  return d;
}

static void document_as(lua_State *L, const char *name, const char *text, const char *doc) {
  ma_lua *state = ma_lua_state(L);
  document *d = find_document(state, name);
  if (d && (state->keeps_names || (!strcmp(d->text, text) && !strcmp(d->doc, doc)))) return; /* or loaded again */
  if (!d) {
    size_t at = bucket_of(name);
    name = keep_text(L, name, strlen(name));
    d = ma_lua_keepmemory(L, sizeof *d);
    *d = (document){ .next = state->documents[at], .name = name };
    state->documents[at] = d;
  }
  d->text = keep_text(L, text, strlen(text));
  d->doc = keep_text(L, doc, strlen(doc));
  if (state->functions == LUA_NOREF) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->functions);
  put_document(L, d);
  lua_pop(L, 1);
}

void ma_lua_document(lua_State *L, const char *name, const ma_signature *signature, const char *doc) {
  document_as(L, name, signature->text, doc ? doc : "");
}

void ma_lua_documentalias(lua_State *L, const char *name, const char *of) {
  const document *d = find_document(ma_lua_state(L), of);
  if (d) document_as(L, name, d->text, d->doc);
}

/* core.document(name, signature, doc) */
static int core_document(lua_State *L) {
  char plain[LONGEST];
  const char *text = without_types(L, luaL_checkstring(L, 2), plain, sizeof plain);
  document_as(L, luaL_checkstring(L, 1), text, luaL_checkstring(L, 3));
  return 0;
}

int ma_lua_pushdocuments(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  if (state->functions == LUA_NOREF) {
    lua_newtable(L);
    for (int k = 0; k < MA_KNOWN_BUCKETS; k++)
      for (const document *d = state->documents[k]; d; d = d->next) put_document(L, d);
    state->functions = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->functions);
  return 1;
}

void ma_open_signature(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->core);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, core_document, 1);
  lua_setfield(L, -2, "document");
  lua_pop(L, 1);
}
