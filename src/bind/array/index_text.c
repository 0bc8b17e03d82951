/*
** index_text.c: indices written as text, "2:5, :, -1". Programs use the same few texts again and again. So each is
** parsed once into a userdata, which a table of the Lua state keeps by its text. When the table has 256 entries, it is
** emptied.
*/
#include "bind/array/index.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_MAX 256
#define POSITION_MAX (INT64_C(1) << 62)

/* A text that is being parsed; after an error, `fault` says what was wanted at `at`. */
typedef struct scanner {
  const char *at;
  const char *fault;
} scanner;

static void skip_spaces(scanner *s) {
  while (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r') s->at++;
}

static bool take(scanner *s, const char *token) {
  size_t n = strlen(token);
  skip_spaces(s);
  if (strncmp(s->at, token, n) != 0) return false;
  s->at += n;
  return true;
}

/* Reads an integer, if there is one. */
static bool scan_integer(scanner *s, int64_t *value) {
  skip_spaces(s);
  const char *p = s->at;
  bool minus = *p == '-';
  if (*p == '-' || *p == '+') p++;
  if (!isdigit((unsigned char)*p)) return false;
  int64_t n = 0;
  for (; isdigit((unsigned char)*p); p++) {
    n = n * 10 + (*p - '0');
    if (n > POSITION_MAX / 16) {
      s->fault = "a position that fits an array";
      return false;
    }
  }
  s->at = p;
  *value = minus ? -n : n;
  return true;
}

static void scan_item(scanner *s, ma_item *item) {
  memset(item, 0, sizeof *item);
  if (take(s, "...")) {
    item->kind = MA_ITEM_REST;
    return;
  }
  if (take(s, "_")) {
    item->kind = MA_ITEM_NEWAXIS;
    return;
  }
  bool lo = scan_integer(s, &item->lo);
  if (!take(s, ":")) {
    item->kind = MA_ITEM_POSITION;
    if (!lo && !s->fault) s->fault = "a position, a range lo:hi:step, '...' or '_'";
    return;
  }
  item->kind = MA_ITEM_RANGE;
  item->step = 1;
  bool hi = scan_integer(s, &item->hi);
  if (take(s, ":") && scan_integer(s, &item->step) && item->step == 0) s->fault = "a step that is not 0";
  item->open = (lo ? 0 : MA_OPEN_LO) | (hi ? 0 : MA_OPEN_HI);
}

static void scan_index(scanner *s, ma_index *index) {
  index->nitem = 0;
  index->positions = true;
  index->arrays = false;
  do {
    if (index->nitem == MA_MAX_ITEMS) {
      s->fault = "fewer items";
      return;
    }
    ma_item *item = &index->item[index->nitem++];
    scan_item(s, item);
    index->positions &= item->kind == MA_ITEM_POSITION;
  } while (!s->fault && take(s, ","));
  skip_spaces(s);
  if (!s->fault && *s->at) s->fault = "',' or the end";
}

/* A word is a misspelt attribute and not an index. */
static void check_word(lua_State *L, const char *text) {
  bool word = isalpha((unsigned char)text[0]) ||
              (text[0] == '_' && (isalnum((unsigned char)text[1]) || text[1] == '_'));
  if (!word) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->methods);
  ma_lua_unknown(L, "array", "attribute", text, lua_gettop(L));
}

static const ma_index *parse(lua_State *L, int key) {
  size_t n;
  const char *text = lua_tolstring(L, key, &n);
  scanner s = { text, NULL };
  ma_index index;
  check_word(L, text);
  scan_index(&s, &index);
  if (!s.fault && strlen(text) != n) s.fault = "no zero byte";
  if (s.fault) ma_lua_fail(L, "the index '%.100s', at character %d; wanted %s", text, (int)(s.at - text) + 1, s.fault);
  size_t size = offsetof(ma_index, item) + index.nitem * sizeof index.item[0];
  return memcpy(lua_newuserdata(L, size), &index, size);
}

/* Strings are unique in a Lua state, and the table keeps its strings alive, so the address of a string identifies
** it. */
static unsigned place(const char *text) {
  return (unsigned)((uintptr_t)text >> 4 ^ (uintptr_t)text >> 9) % MA_RECENT_TEXTS;
}

const struct ma_recent_text *ma_lua_recenttext(const ma_lua *state, const char *text) {
  const struct ma_recent_text *recent = &state->recent_texts[place(text)];
  return recent->text == text ? recent : NULL;
}

void ma_lua_noterecent(ma_lua *state, const char *text, const ma_index *index, int attribute) {
  state->recent_texts[place(text)] = (struct ma_recent_text){ text, index, attribute };
}

static const ma_index *note(ma_lua *state, const char *text, const ma_index *index) {
  ma_lua_noterecent(state, text, index, 0);
  return index;
}

const ma_index *ma_lua_textindex(lua_State *L, int key) {
  ma_lua *state = ma_lua_state(L);
  const char *text = lua_tostring(L, key);
  const struct ma_recent_text *recent = ma_lua_recenttext(state, text);
  const ma_index *index = recent ? recent->index : NULL;
  if (index) return index;
  if (!state->texts) {
    lua_newtable(L);
    state->texts = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->texts);
  lua_pushvalue(L, key);
  lua_rawget(L, -2);
  index = lua_touserdata(L, -1);
  if (index) {
    lua_pop(L, 2);
    return note(state, text, index);
  }
  lua_pop(L, 1);
  index = parse(L, key);
  if (state->ntexts == CACHE_MAX) {
    lua_newtable(L);
    lua_replace(L, -3);
    lua_pushvalue(L, -2);
    lua_rawseti(L, LUA_REGISTRYINDEX, state->texts);
    state->ntexts = 0;
    memset(state->recent_texts, 0, sizeof state->recent_texts);
  }
  state->ntexts++;
  lua_pushvalue(L, key);
  lua_pushvalue(L, -2);
  lua_rawset(L, -4);
  lua_pop(L, 2);
  return note(state, text, index); /* the table keeps it; nothing removes it before it is used */
}
