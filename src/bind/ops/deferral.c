/* deferral.c: control of deferred operators: ma.eval, a:eval, ma.set_fusion. */
//# devices
#include "bind/lua/tag.h"

/* Arrays that were found, which are evaluated together, a few at a time. */
typedef struct found {
  int n;
  ma_buffer *buffer[MA_MAX_GROUP];
} found;

static void run(lua_State *L, found *f) {
  MA_LUA_TRY(L, ma_pending_evaluate_all(f->n, f->buffer, "eval"));
  f->n = 0;
}

/* Evaluates the array in a slot, or those of the table there. */
static void evaluate(lua_State *L, int index, int depth, found *f) {
  if (lua_istable(L, index)) {
    if (depth == 8) ma_lua_fail(L, "tables nested deeper than 8; wanted arrays, or tables of them");
    ma_lua_room(L, 4);
    lua_pushnil(L);
    while (lua_next(L, index)) {
      if (lua_istable(L, -1) || ma_lua_toarray(L, -1)) evaluate(L, lua_gettop(L), depth + 1, f);
      lua_pop(L, 1);
    }
    return;
  }
  const ma_array *array = ma_lua_checkarray(L, index);
  if (!array->buffer->pending) return;
  if (f->n == MA_MAX_GROUP) run(L, f);
  f->buffer[f->n++] = array->buffer;
}

static int eval(lua_State *L) {
  found f = { .n = 0 };
  for (int i = 1; i <= lua_gettop(L); i++) evaluate(L, i, 0, &f);
  run(L, &f);
  return lua_gettop(L);
}

static int array_eval(lua_State *L) {
  const ma_array *array = lua_gettop(L) == 1 ? ma_lua_arrayat(L, 1) : NULL;
  if (!array || !array->buffer) {
    array = ma_lua_checkarray(L, 1);
    lua_settop(L, 1);
  }
  if (array->buffer->pending) {
    ma_deferral_current = &ma_lua_state(L)->deferral;
    MA_LUA_TRY(L, ma_pending_evaluate(array->buffer, "eval"));
  }
  return 1;
}

static int set_fusion(lua_State *L) {
  ma_deferral *deferral = &ma_lua_state(L)->deferral;
  if (!lua_isboolean(L, 1)) return ma_lua_fail(L, "on is %s; wanted true or false", ma_lua_describe(L, 1));
  bool before = deferral->on;
  if (!lua_toboolean(L, 1)) ma_lua_flush(L, "set_fusion");
  deferral->on = lua_toboolean(L, 1);
  lua_pushboolean(L, before);
  return 1;
}

/* core.flush(why) */
static int flush(lua_State *L) {
  ma_lua_flush(L, luaL_checkstring(L, 1));
  return 0;
}

/* core.repeat_deferred(on): whether what is used again is computed again if that is cheap; returns whether it was. */
static int repeat_deferred(lua_State *L) {
  ma_deferral *deferral = &ma_lua_state(L)->deferral;
  lua_pushboolean(L, deferral->repeats);
  deferral->repeats = lua_toboolean(L, 1);
  return 1;
}

/* core.ones_later(array): ones like it, which wait; nothing where they would not. */
static int ones_later(lua_State *L) {
  const ma_array *like = ma_lua_checkarray(L, 1);
  ma_value value = ma_value_cast((ma_value){ .i = 1 }, MA_INT64, (ma_dtype)like->dtype);
  ma_deferral_current = &ma_lua_state(L)->deferral;
  if (!like->buffer || ma_is_host(like->buffer->device) || !ma_is_deferring() || !like->size) return 0;
  ma_stream *stream = ma_lua_streamfor(L, like);
  if (stream->capture) return 0;
  ma_program program;
  ma_joined joined;
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_scalar(&program, (ma_dtype)like->dtype));
  ma_array *made = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_joined_make(&joined, &program, NULL, &value, like->ndim, like->shape));
  MA_LUA_TRY(L, ma_array_shape(made, (ma_dtype)like->dtype, like->ndim, like->shape));
  MA_LUA_TRY(L, ma_pending_record(&joined, made, stream));
  return 1;
}

static const ma_function functions[] = {
  { "core.flush(why)", flush, NULL },
  { "core.repeat_deferred(on)", repeat_deferred, NULL },
  { "core.ones_later(array)", ones_later, NULL },
  //> eval: ma.eval(ma.ones(2) + 1)
  { "eval(...) -> array ...", eval,
    "Runs what operators left for later in these arrays, and in those of tables among them; returns its arguments." },
  //> :eval: (ma.ones(2) + 1):eval()
  { ":eval(a: data) -> array", array_eval,
    "Runs what operators left for later in the array and returns the array itself." },
  //> set_fusion: ma.set_fusion(true)
  { "set_fusion(on: boolean) -> boolean", set_fusion,
    "Whether operators wait for one another to run as one kernel. Returns whether they did." },
  { NULL, NULL, NULL }
};

void ma_open_deferral(lua_State *L) {
  ma_lua_register(L, functions);
  /* programs that run under older versions too look whether these are there */
  ma_lua_summon(L, "eval");
  ma_lua_summon(L, "set_fusion");
}
