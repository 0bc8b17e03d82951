/*
** draws.c: random numbers in functions that ma.fuse and ma.stencil record. Each place where the function draws is an
** input of its program, which each run draws anew, and so is each turn of a loop around it. Element i has the value of
** element i of a draw of the generator: the places have draws of their own, in the order in which the function comes to
** them. The turns of a loop are other words of the same draw (kernels/random/element.h).
*/
#include "bind/device/graph.h"
#include "bind/kernel/fuse.h"

#include <math.h>
#include <string.h>

ma_dtype ma_draw_dtype(ma_dtype first) { return ma_dtypes[first].kind == MA_KIND_FLOAT ? first : MA_FLOAT64; }

/* ==== Recording =================================================================================================== */

/* The draws of a recording, on top of the stack. */
static ma_draws *push_draws(lua_State *L, tracing *tr) {
  if (tr->drawn) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, tr->draws);
    return tr->drawn;
  }
  ma_draws *made = lua_newuserdata(L, sizeof *made);
  memset(made, 0, sizeof *made);
  lua_newtable(L);
  lua_setfenv(L, -2);
  lua_pushvalue(L, -1);
  tr->draws = luaL_ref(L, LUA_REGISTRYINDEX);
  return tr->drawn = made;
}

/* The number of the generator in a slot, or of that of ma.random, among those of the draws, which are on top. */
static int number_of(lua_State *L, ma_draws *d, int generator) {
  int k = 0;
  lua_getfenv(L, -1);
  if (generator) lua_pushvalue(L, generator);
  else lua_pushboolean(L, false);
  for (; k < d->ngenerator; k++) {
    lua_rawgeti(L, -2, k + 1);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
    if (same) break;
  }
  if (k == MA_MOST_GENERATORS) ma_lua_fail(L, "more than %d generators; split the function", MA_MOST_GENERATORS);
  if (k == d->ngenerator) {
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, k + 1);
    d->ngenerator++;
  }
  lua_pop(L, 2);
  return k;
}

/* Sets where a draw is. Returns an equal one, which a function made that was run again, or NULL. */
static const ma_draw *set_place(tracing *tr, ma_draws *d, ma_draw *draw) {
  const ma_draw *same = NULL;
  draw->site = tr->site;
  draw->turn = tr->turn;
  tr->site = 0;
  tr->turn = 0;
  for (const ma_draw *k = d->draw; draw->site && k < d->draw + d->n; k++) {
    if (k->site != draw->site || k->generator != draw->generator) continue;
    same = k;
    if (k->turn == draw->turn && k->kind == draw->kind && k->low == draw->low && k->span == draw->span) return k;
  }
  draw->place = same ? same->place : d->nplace[draw->generator]++;
  return NULL;
}

/* Pushes the stand-in of a draw for each element. Whole numbers are `span` from `low` on. `generator`: a slot, or 0 for
** that of ma.random. */
static void push_standin(lua_State *L, ma_random_kind kind, int64_t low, uint64_t span, int generator) {
  tracing *tr = ma_lua_state(L)->tracing;
  ma_lua_room(L, 10);
  ma_draws *d = push_draws(L, tr);
  ma_draw draw = { .kind = kind, .low = low, .span = span };
  draw.dtype = kind == MA_RANDOM_integers ? MA_INT64 : tr->draw_dtype;
  draw.generator = (uint8_t)number_of(L, d, generator);
  lua_pop(L, 1);
  const ma_draw *same = set_place(tr, d, &draw);
  if (!same && tr->narg + tr->narray + d->n >= MA_MAX_TRACE_ARGS)
    ma_lua_fail(L, "more than %d arguments, random numbers and arrays; split the function", MA_MAX_TRACE_ARGS);
  if (same) draw.made = same->made;
  else if (tr->stencil) ma_stencil_draw(L, tr, draw.dtype, &draw.made);
  else ma_lua_check(L, ma_tape_input(&tr->tape, tr->narg + d->n, draw.dtype, tr->ndim, &draw.made));
  if (!same) d->draw[d->n++] = draw;
  ma_traced_push(L, tr->id, draw.made);
}

/* ==== math.random ================================================================================================= */

void ma_draw_refuse(lua_State *L) {
  const ma_lua *state = ma_lua_state(L);
  if (!state->tracing || state->tracing->records) return;
  ma_rule_refuse(state);
  ma_lua_fail(L,
              "an array of random numbers inside a function that ma.fuse or ma.stencil records, which would be "
              "drawn once for all calls; write math.random() or ma.jit.random(), or draw before, and give that as an "
              "argument or a field");
}

/* Raises an error about math.random. Upvalue 2: the name for messages. */
static int fail_random(lua_State *L, const char *text) {
  ma_rule_refuse(ma_lua_state(L));
  ma_lua_where(L);
  lua_pushfstring(L, "moonarray.%s: %s", lua_tostring(L, lua_upvalueindex(2)), text);
  lua_concat(L, 2);
  return lua_error(L);
}

static double read_bound(lua_State *L, int index) {
  double value = lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : NAN;
  if (!(value == floor(value) && fabs(value) < 9007199254740992.0))
    fail_random(L,
                lua_pushfstring(L, "a bound of math.random is %s; wanted a whole number", ma_lua_describe(L, index)));
  return value;
}

/* Stands for math.random while a function is recorded: a draw for each element, with Lua's ranges. */
static int draw_random(lua_State *L) {
  const ma_lua *state = ma_lua_state(L);
  int n = lua_gettop(L);
  double low = 0, high = 0;
  if (!state->tracing || !state->tracing->may_draw)
    return fail_random(L, "math.random, in a rule that is no single program; draw by ma.random before, and give that "
                          "as an argument or a field");
  if (n) {
    low = n == 1 ? 1 : read_bound(L, 1);
    high = read_bound(L, n == 1 ? 1 : 2);
  }
  if (low > high) return fail_random(L, "math.random with no number between its bounds");
  push_standin(L, n ? MA_RANDOM_integers : MA_RANDOM_uniform, (int64_t)low, (uint64_t)(high - low) + 1, 0);
  return 1;
}

/* lua_pcall of a function with draw_random in place of math.random. The stack ends with the library `math`, the
** function, and its arguments. */
static int call_drawing(lua_State *L, int narg, int nresult, int handler, const char *name) {
  int library = lua_gettop(L) - narg - 1;
  lua_getfield(L, library, "random");
  lua_insert(L, library + 1);
  lua_pushvalue(L, lua_upvalueindex(1)); /* the state */
  lua_pushstring(L, name);
  lua_pushcclosure(L, draw_random, 2);
  lua_setfield(L, library, "random");
  int failed = lua_pcall(L, narg, nresult, handler);
  lua_pushvalue(L, library + 1);
  lua_setfield(L, library, "random");
  lua_remove(L, library);
  lua_remove(L, library);
  return failed;
}

int ma_draw_call(lua_State *L, int narg, int nresult, int handler, const char *name, ma_dtype first) {
  ma_lua *state = ma_lua_state(L);
  ma_dtype before = state->rule_dtype;
  int base = lua_gettop(L) - narg; /* the function, and from then on the library `math` below it */
  if (state->tracing) state->tracing->tape.first = first;
  state->rule_dtype = first;
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  lua_getfield(L, -1, "math");
  lua_replace(L, -2);
  bool found = lua_istable(L, -1);
  if (found) lua_insert(L, base);
  else lua_pop(L, 1);
  int failed = found ? call_drawing(L, narg, nresult, handler, name) : lua_pcall(L, narg, nresult, handler);
  state->rule_dtype = before;
  return failed;
}

/* ==== Runs ======================================================================================================== */

/* Takes `count` draws of the generator on top, which it pops. */
static void take(lua_State *L, const char *name, int count, ma_stream *stream, ma_drawn *from) {
  int top = lua_gettop(L);
  lua_pushstring(L, name);
  lua_pushvalue(L, top);
  lua_pushinteger(L, count);
  lua_pushboolean(L, stream->capture != NULL);
  ma_lua_callcore(L, "draws_of", 4, 3);
  if (stream->capture) {
    from->source = ma_capture_source_get(stream->capture, ma_lua_graph_source(L, stream, top + 1));
    from->draw = from->source->ndraw;
    from->source->ndraw += (uint32_t)count;
  } else {
    from->key = (uint64_t)lua_tonumber(L, top + 1) | (uint64_t)lua_tonumber(L, top + 2) << 32;
    from->draw = (uint32_t)lua_tonumber(L, top + 3);
  }
  lua_settop(L, top - 1);
}

void ma_draws_take(lua_State *L, int draws, const char *name, ma_stream *stream, ma_drawn *drawn) {
  const ma_draws *d = lua_touserdata(L, draws);
  ma_drawn from[MA_MOST_GENERATORS];
  memset(from, 0, sizeof from);
  ma_lua_room(L, 10);
  lua_getfenv(L, draws);
  for (int g = 0; g < d->ngenerator; g++) {
    lua_rawgeti(L, -1, g + 1);
    take(L, name, d->nplace[g], stream, &from[g]);
  }
  lua_pop(L, 1);
  for (int k = 0; k < d->n; k++) {
    const ma_draw *draw = &d->draw[k];
    drawn[k] = from[draw->generator];
    drawn[k].kind = (uint8_t)draw->kind;
    drawn[k].dtype = draw->dtype;
    drawn[k].draw += draw->place;
    drawn[k].turn = draw->turn;
    drawn[k].low = draw->low;
    drawn[k].span = draw->span;
  }
}

ma_array *ma_draw_source(lua_State *L, int field) {
  lua_pushvalue(L, field);
  ma_lua_callcore(L, "draw_source", 2, 1);
  return ma_lua_checkarray(L, -1);
}

void ma_draw_free(const ma_array *drawn) { ma_lua_freearray((ma_array *)drawn, "by the run that drew it"); }

/* ==== For the Lua layer =========================================================================================== */

/* core.draw_at(site, turn): where the next draw is. Equal numbers are one place. */
static int draw_at(lua_State *L) {
  tracing *tr = ma_lua_state(L)->tracing;
  if (!tr) return 0;
  tr->site = (int)lua_tointeger(L, 1);
  tr->turn = (uint32_t)lua_tonumber(L, 2);
  return 0;
}

/* core.draw_element(kind, from?, to?, generator?): the stand-in of a draw; nil outside of a recorded function. The
** bounds are whole numbers. */
static int draw_element(lua_State *L) {
  const ma_lua *state = ma_lua_state(L);
  const char *kind = lua_tostring(L, 1);
  lua_settop(L, 4);
  if (!state->tracing || !state->tracing->may_draw) return 0;
  int64_t low = (int64_t)lua_tonumber(L, 2), high = (int64_t)lua_tonumber(L, 3);
  ma_random_kind drawn = !lua_isnil(L, 2)          ? MA_RANDOM_integers
                         : !strcmp(kind, "random") ? MA_RANDOM_uniform
                                                   : MA_RANDOM_normal;
  push_standin(L, drawn, low, (uint64_t)(high - low) + 1, lua_isnil(L, 4) ? 0 : 4);
  return 1;
}

void ma_open_draws(lua_State *L) {
  ma_lua_pushplain(L, "jit(...)", false, draw_element, 0);
  ma_lua_file(L, "core.draw_element");
  ma_lua_pushplain(L, "jit(...)", false, draw_at, 0);
  ma_lua_file(L, "core.draw_at");
}
