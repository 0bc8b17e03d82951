/* random.c: fills with random numbers, for lua/moonarray/random/init.lua, which has the generators. A seed is passed
** as two halves of 32 bits, a draw as its number. */
#include "base/number.h"
#include "bind/device/graph.h"

#include "program/generators.h"
#include "ops/random.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static uint32_t check_word(lua_State *L, int index, const char *what) {
  int64_t word = ma_lua_checkint(L, index, what);
  if (word < 0 || word > UINT32_MAX) ma_lua_fail(L, "%s is %s; wanted 32 bits", what, ma_lua_describe(L, index));
  return (uint32_t)word;
}

/* Slots 1 to 3: the lower and upper half of the seed, and the draw's number. For a stream that records: the source's
** number, false, and the draw's number in the launch. */
static void check_place(lua_State *L, ma_random *random, ma_stream *stream) {
  ma_lua_state(L)->standin->fail_draw(L);
  memset(random, 0, sizeof *random);
  random->job.draw = check_word(L, 3, "draw");
  if (!lua_isboolean(L, 2)) random->job.key = check_word(L, 1, "low") | (uint64_t)check_word(L, 2, "high") << 32;
  else if (stream && stream->capture)
    random->source = ma_capture_source_get(stream->capture, (int)check_word(L, 1, "source"));
}

/* core.random_source(out, generator, count): nil unless the stream of `out` records; else the generator's number
** among the graph's sources, and the number of the first of `count` draws in a launch. */
static int random_source(lua_State *L) {
  if (!__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED)) return 0;
  ma_stream *stream = ma_lua_streamfor(L, ma_lua_checkarray(L, 1));
  if (!stream->capture) return 0;
  uint32_t count = check_word(L, 3, "count");
  int n = ma_lua_graph_source(L, stream, 2);
  ma_capture_source *source = ma_capture_source_get(stream->capture, n);
  lua_pushinteger(L, n);
  lua_pushnumber(L, source->ndraw);
  source->ndraw += count;
  return 2;
}

/* core.random_cell(generator, count, stream?, array?), for a kernel that draws itself: nil unless its stream records;
** else the address of the cell that each launch of the graph fills (ma_random_cell), and the number of the first of
** `count` draws in a launch. */
static int random_cell(lua_State *L) {
  if (!__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED)) return 0;
  ma_array *array = lua_isnil(L, 4) ? NULL : ma_lua_checkarray(L, 4);
  ma_stream *stream = lua_isnil(L, 3) && array ? ma_lua_streamfor(L, array) : ma_lua_optstream(L, 3);
  if (!stream->capture) return 0;
  uint32_t count = check_word(L, 2, "count");
  ma_capture_source *source = ma_capture_source_get(stream->capture, ma_lua_graph_source(L, stream, 1));
  MA_LUA_TRY(L, ma_buffer_use(source->cell, stream, false));
  lua_pushnumber(L, (double)(uintptr_t)source->cell->ptr);
  lua_pushnumber(L, source->ndraw);
  source->ndraw += count;
  return 2;
}

/* core.random_cell_into(generator, count, out): for an `out` of 16 bytes whose stream records, each launch copies the
** generator's cell there. Returns the number of the first of `count` draws in a launch; nil if nothing records. */
static int random_cell_into(lua_State *L) {
  ma_array *out = ma_lua_checkarray(L, 3);
  ma_stream *stream = ma_lua_streamfor(L, out);
  void *to;
  if (!stream->capture) return 0;
  uint32_t count = check_word(L, 2, "count");
  ma_capture_source *source = ma_capture_source_get(stream->capture, ma_lua_graph_source(L, stream, 1));
  MA_LUA_TRY(L, ma_buffer_use(source->cell, stream, false));
  MA_LUA_TRY(L, ma_array_write(out, stream, &to));
  MA_LUA_TRY(
    L, stream->device->backend->memory.copy(stream, to, source->cell->ptr, sizeof(ma_random_cell), MA_COPY_WITHIN));
  lua_pushnumber(L, source->ndraw);
  source->ndraw += count;
  return 1;
}

/* core.random_text(): what a kernel's text has for one element of a draw. */
static int random_text(lua_State *L) {
  lua_pushstring(L, ma_embedded("random.h"));
  lua_pushstring(L, ma_embedded("element.h"));
  lua_concat(L, 2);
  return 1;
}

/* ==== Numbers ==================================================================================================== */

/* Whether the calls of the user's function are recorded, so that a number would be the same in each launch. */
static bool is_recorded(const ma_lua *state) {
  if (!__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED) || !state->device) return false;
  return ma_lua_stream_in(state, state->device)->capture != NULL;
}

/* core.random_recorded() */
static int random_recorded(lua_State *L) {
  lua_pushboolean(L, is_recorded(ma_lua_state(L)));
  return 1;
}

static double field(lua_State *L, int k) {
  lua_rawgeti(L, 1, k);
  double value = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

/* Pushes a number of the generator in slot 1, which is a list of low, high, draw, children, bits. Pushes nothing if the
** Lua layer must act: for another generator's numbers, the last draw, a recording, or an error. */
static int draw_number(lua_State *L, ma_random *random, ma_dtype dtype) {
  const ma_lua *state = ma_lua_state(L);
  ma_value value;
  lua_rawgeti(L, 1, 5);
  bool other = lua_toboolean(L, -1);
  lua_pop(L, 1);
  double draw = field(L, 3);
  if (other || state->tracing || is_recorded(state) || !(draw <= UINT32_MAX)) return 0;
  random->job.key = (uint64_t)field(L, 1) | (uint64_t)field(L, 2) << 32;
  random->job.draw = (uint32_t)draw;
  if (ma_random_number(random, dtype, &value) != MA_OK) return 0;
  lua_pushnumber(L, draw + 1);
  lua_rawseti(L, 1, 3);
  ma_lua_pushvalue(L, value, dtype);
  return 1;
}

/* core.random_kind(name): its number for core.random_number. */
static int random_kind(lua_State *L) {
  ma_random_kind kind;
  if (!ma_random_find(luaL_checkstring(L, 1), &kind)) return luaL_error(L, "no distribution %s", lua_tostring(L, 1));
  lua_pushinteger(L, kind);
  return 1;
}

/* core.random_number(generator, kind, dtype, a, b, c). It has no signature, because arranging the arguments would take
** longer than the draw. */
static int random_number(lua_State *L) {
  ma_random random = { .kind = (ma_random_kind)lua_tointeger(L, 2) };
  lua_settop(L, 6);
  ma_dtype dtype = ma_lua_checkdtype(L, 3, ma_lua_state(L)->default_dtype);
  for (int k = 0; k < 3; k++) random.job.param[k] = lua_tonumber(L, 4 + k);
  return draw_number(L, &random, dtype);
}

/* core.random_whole(generator, from, to): an int64 of from .. to. It has no signature either. */
static int random_whole(lua_State *L) {
  const double most = 0x1p53;
  ma_random random = { .kind = MA_RANDOM_integers };
  double from = lua_tonumber(L, 2), to = lua_tonumber(L, 3);
  if (!(from >= -most && to <= most && from <= to) || from != floor(from) || to != floor(to)) return 0;
  ma_random_bounds(&random.job, (int64_t)from, (uint64_t)(to - from) + 1);
  return draw_number(L, &random, MA_INT64);
}

/* ==== Arrays ===================================================================================================== */

static int push_number(lua_State *L, ma_random *random, ma_dtype dtype) {
  ma_value value;
  MA_LUA_TRY(L, ma_random_number(random, dtype, &value));
  ma_lua_pushvalue(L, value, dtype);
  return 1;
}

/* The array in slot 4, which is filled, or NULL: slot 4 is the dtype of a number. */
static ma_array *check_out(lua_State *L, ma_dtype *dtype, ma_stream **stream) {
  bool number = lua_type(L, 4) == LUA_TSTRING;
  ma_array *out = number ? NULL : ma_lua_checkarray(L, 4);
  *stream = out ? ma_lua_streamfor(L, out) : NULL;
  *dtype = out ? (ma_dtype)out->dtype : ma_lua_checkdtype(L, 4, MA_FLOAT64);
  return out;
}

/* core.random(low, high, draw, out, kind, a?, b?, c?, table?). a, b, c: numbers, or arrays with a number for each
** element. `out` may be a dtype: that of a number. */
static int random_fill(lua_State *L) {
  ma_random random;
  const ma_array *param[3] = { NULL, NULL, NULL };
  ma_dtype dtype;
  ma_stream *stream;
  ma_array *out = check_out(L, &dtype, &stream);
  check_place(L, &random, stream);
  const char *kind = lua_tostring(L, 5);
  if (!kind || !ma_random_find(kind, &random.kind)) return ma_lua_fail(L, "no distribution %s", ma_lua_describe(L, 5));
  for (int k = 0; k < 3; k++)
    if (ma_lua_toarray(L, 6 + k)) param[k] = ma_lua_checkarray(L, 6 + k);
    else if (!lua_isnil(L, 6 + k)) random.job.param[k] = ma_lua_checknumber(L, 6 + k, ma_lua_argname(L, 6 + k));
  if (!out) return push_number(L, &random, dtype);
  const ma_array *table = lua_isnil(L, 9) ? NULL : ma_lua_checkarray(L, 9);
  MA_LUA_TRY(L, ma_random_draw(&random, param, table, out, stream));
  lua_settop(L, 4);
  return 1;
}

/* core.random_weigh(p, row, above, below): facts about an array of probabilities, which is float64 and contiguous, in
** rows of `row` elements. Nothing if reading it would wait or is recorded. Else returns the first element outside 0 to
** 1 (`above`: 0 is outside too; `below`: 1 is outside too) and its position, or false and 0; then the sum, the number
** of elements above 0, and the greatest sum of a row without its last element. */
static int random_weigh(lua_State *L) {
  const void *data = NULL;
  const ma_array *p = ma_lua_checkarray(L, 1);
  int64_t row = ma_lua_checkint(L, 2, "row"), at = 0, nonzero = 0;
  bool above = lua_toboolean(L, 3), below = lua_toboolean(L, 4);
  ma_stream *stream = ma_lua_streamfor(L, p);
  if (stream->device != ma_device_cpu() || stream->capture || p->size == 0) return 0;
  if (p->dtype != MA_FLOAT64 || !ma_array_is_contiguous(p) || row < 1)
    return ma_lua_fail(L, "%s; wanted contiguous float64 elements", ma_lua_describe(L, 1));
  MA_LUA_TRY(L, ma_array_read(p, stream, &data));
  const double *x = data;
  double sum = 0, most = 0;
  for (int64_t first = 0; first < p->size && at == 0; first += row) {
    double part = 0;
    for (int64_t k = first; k < first + row && k < p->size; k++) {
      bool fits = (above ? x[k] > 0 : x[k] >= 0) && (below ? x[k] < 1 : x[k] <= 1);
      if (!fits && at == 0) at = k + 1;
      if (k < first + row - 1) part += x[k];
      sum += x[k];
      nonzero += x[k] > 0;
    }
    if (part > most) most = part;
  }
  if (at > 0) lua_pushnumber(L, x[at - 1]);
  else lua_pushboolean(L, 0);
  lua_pushnumber(L, (lua_Number)at);
  lua_pushnumber(L, sum);
  lua_pushnumber(L, (lua_Number)nonzero);
  lua_pushnumber(L, most);
  return 5;
}

/* core.random_curand(low, high, draw, out, kind, type): kind "uniform", in (0, 1], or "normal"; a Sobol sequence
** starts at `draw`. */
static int random_curand(lua_State *L) {
  ma_random random;
  bool quasi;
  ma_array *out = ma_lua_checkarray(L, 4);
  ma_stream *stream = ma_lua_streamfor(L, out);
  check_place(L, &random, stream);
  const char *kind = lua_tostring(L, 5), *type = lua_tostring(L, 6);
  random.kind = kind && !strcmp(kind, "normal") ? MA_RANDOM_normal : MA_RANDOM_uniform;
  if (!type || !ma_curand_find(type, &random.curand, &quasi))
    return ma_lua_fail(L, "no generator %s", ma_lua_describe(L, 6));
  MA_LUA_TRY(L, ma_random_fill(&random, out, stream));
  lua_settop(L, 4);
  return 1;
}

/* Raises an error of the function of ma.random whose name is at `name`. */
static int fail_as(lua_State *L, int name, const char *format, ...) MA_PRINTF(3, 4);
static int fail_as(lua_State *L, int name, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  ma_vprint(text, sizeof text, format, arguments);
  va_end(arguments);
  return ma_lua_failas(L, lua_tostring(L, name), text);
}

/* Reads a bound as 64 bits that wrap, and whether it is negative. */
static uint64_t check_bound(lua_State *L, int index, int name, const char *what, bool *negative) {
  ma_value value = { .u = 0 };
  ma_dtype dtype = MA_INT64;
  ma_weak weak;
  if (lua_isboolean(L, index) || !ma_lua_tovalue(L, index, &value, &dtype, &weak) ||
      ma_dtypes[dtype].kind == MA_KIND_FLOAT || ma_dtypes[dtype].kind == MA_KIND_COMPLEX) {
    /* 2^63 and 2^64 are floats. */
    double number = lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : 0;
    if (!(number >= 0x1p63 && number <= 0x1p64))
      fail_as(L, name, "%s is %s; wanted a whole number", what, ma_lua_describe(L, index));
    *negative = false;
    return number == 0x1p64 ? 0 : (uint64_t)number;
  }
  *negative = ma_dtypes[dtype].kind == MA_KIND_SIGNED && value.i < 0;
  return value.u;
}

/* core.random_integers(low, high, draw, out, from, to, endpoint, name): whole numbers, from .. to - 1, or to `to`
** with endpoint. `out` may be a dtype, as in core.random. */
static int random_integers(lua_State *L) {
  ma_random random;
  bool below, negative;
  ma_dtype dtype;
  ma_stream *stream;
  ma_array *out = check_out(L, &dtype, &stream);
  check_place(L, &random, stream);
  random.kind = MA_RANDOM_integers;
  const ma_dtype_info *info = &ma_dtypes[dtype];
  int bits = dtype == MA_BOOL ? 1 : 8 * info->itemsize;
  bool is_signed = info->kind == MA_KIND_SIGNED;
  uint64_t low = check_bound(L, 5, 8, "low", &below), high = check_bound(L, 6, 8, "high", &negative);
  bool open = !lua_toboolean(L, 7), past = open && high == 0 && !negative && lua_tonumber(L, 6) > 0; /* high is 2^64 */
  if (open) {
    if (high == 0) negative = !past;
    high--;
  }
  int64_t least = !is_signed ? 0 : -(int64_t)(UINT64_C(1) << (bits - 1)),
          most = is_signed ? (int64_t)((UINT64_C(1) << (bits - 1)) - 1) : 0;
  uint64_t top = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  bool fits = is_signed ? (below ? (int64_t)low >= least : low <= (uint64_t)most) &&
                            (negative ? (int64_t)high >= least : high <= (uint64_t)most)
                        : !below && (negative || high <= top);
  bool ordered = below != negative ? below : low <= high;
  if (!ordered)
    return fail_as(L, 8, "low is %s and high %s; wanted low %s high", lua_tostring(L, 5), lua_tostring(L, 6),
                   open ? "<" : "<=");
  if (!fits)
    return fail_as(L, 8, "low %s and high %s; some of that range does not fit %s", lua_tostring(L, 5),
                   lua_tostring(L, 6), info->name);
  ma_random_bounds(&random.job, (int64_t)low, high - low + 1);
  if (!out) return push_number(L, &random, dtype);
  MA_LUA_TRY(L, ma_random_fill(&random, out, stream));
  lua_settop(L, 4);
  return 1;
}

/* core.random_permute(low, high, draw, out, count) */
static int random_permute(lua_State *L) {
  ma_random random;
  ma_array *out = ma_lua_checkarray(L, 4);
  ma_stream *stream = ma_lua_streamfor(L, out);
  check_place(L, &random, stream);
  MA_LUA_TRY(L, ma_random_permute(&random, ma_lua_checkint(L, 5, "count"), out, stream));
  lua_settop(L, 4);
  return 1;
}

/* core.random_words(low, high, draw, block, attempt): the four words of a block. */
static int random_words(lua_State *L) {
  ma_random random;
  check_place(L, &random, NULL);
  ma_words w = ma_philox(random.job.key, (uint64_t)ma_lua_checkint(L, 4, "block"), check_word(L, 5, "attempt"),
                         random.job.draw);
  for (int k = 0; k < 4; k++) lua_pushnumber(L, ma_word32(w, k));
  return 4;
}

/* core.random_entropy(): a random seed, as two halves. */
static int random_entropy(lua_State *L) {
  uint64_t seed;
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    seed = (uint64_t)now.tv_sec * UINT64_C(1000000007) ^ (uint64_t)now.tv_nsec << 32 ^ (uintptr_t)L;
  }
  lua_pushnumber(L, (uint32_t)seed);
  lua_pushnumber(L, (uint32_t)(seed >> 32));
  return 2;
}

/* core.random_seed(seed, name): the halves of a whole number, which may be an int64 cdata. */
static int random_seed(lua_State *L) {
  bool negative;
  uint64_t seed = check_bound(L, 1, 2, "seed", &negative);
  if (negative) return fail_as(L, 2, "seed is %s; wanted a whole number from 0 on", lua_tostring(L, 1));
  if (lua_type(L, 1) == LUA_TNUMBER && lua_tonumber(L, 1) >= 0x1p64) return fail_as(L, 2, "seed is 2^64; wanted less");
  lua_pushnumber(L, (uint32_t)seed);
  lua_pushnumber(L, (uint32_t)(seed >> 32));
  return 2;
}

static int random_switch(lua_State *L) {
  lua_pushstring(L, ma_config_string(MA_CONFIG_SEED));
  return 1;
}

static const ma_function functions[] = {
  { "core.random(low, high, draw, out, kind, a?, b?, c?, table?)", random_fill, NULL },
  { "core.random_curand(low, high, draw, out, kind, type)", random_curand, NULL },
  { "core.random_integers(low, high, draw, out, from, to, endpoint, name)", random_integers, NULL },
  { "core.random_permute(low, high, draw, out, count)", random_permute, NULL },
  { "core.random_weigh(p, row, above, below)", random_weigh, NULL },
  { "core.random_words(low, high, draw, block, attempt)", random_words, NULL },
  { "core.random_entropy()", random_entropy, NULL },
  { "core.random_seed(seed, name)", random_seed, NULL },
  { "core.random_switch()", random_switch, NULL },
  { "core.random_cell(generator, count, stream?, array?)", random_cell, NULL },
  { "core.random_cell_into(generator, count, out)", random_cell_into, NULL },
  { "core.random_text()", random_text, NULL },
  { NULL, NULL, NULL }
};

static const luaL_Reg plain[] = {
  { "core.random_source", random_source },     { "core.random_number", random_number },
  { "core.random_whole", random_whole },       { "core.random_kind", random_kind },
  { "core.random_recorded", random_recorded },
};

void ma_open_random(lua_State *L) {
  ma_lua_register(L, functions);
  for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, plain[k].func, 1);
    ma_lua_file(L, plain[k].name);
  }
}
