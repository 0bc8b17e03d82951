/* fft.c: Fourier transforms of the last axes, for lua/moonarray/fft.lua, and the cache of plans. */
#include "bind/bind.h"

#include "ops/fft.h"

#include <string.h>

static ma_fft_kind check_kind(lua_State *L, int index) {
  static const struct {
    const char *name;
    ma_fft_kind kind;
  } kinds[] = { { "complex", MA_FFT_COMPLEX },
                { "to_complex", MA_FFT_TO_COMPLEX },
                { "whole", MA_FFT_WHOLE },
                { "to_real", MA_FFT_TO_REAL } };
  int k = 0;
  const char *name = lua_tostring(L, index);
  while (k < 3 && (!name || strcmp(name, kinds[k].name))) k++;
  return kinds[k].kind;
}

/* core.fft(a, kind, rank, inverse, last): kind "complex", "to_complex", "to_real" or, of reals with all terms,
** "whole"; `a` has the dtype of its side. */
static int fft_run(lua_State *L) {
  const ma_array *from = ma_lua_checkarray(L, 1);
  ma_fft_kind kind = check_kind(L, 2);
  int rank = (int)ma_lua_checkint(L, 3, "rank");
  bool inverse = lua_toboolean(L, 4);
  int64_t last = lua_isnil(L, 5) ? 0 : ma_lua_checkint(L, 5, "n");
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_fft_run(from, kind, inverse, rank, last, result, ma_lua_streamfor(L, from)));
  return 1;
}

/* core.fft_cosine(a, type, sine, scale, first): the transform along the last axis of a float32 or float64 array; nil
** where only the Lua layer has one. */
static int fft_cosine(lua_State *L) {
  const ma_array *from = ma_lua_checkarray(L, 1);
  int type = (int)ma_lua_checkint(L, 2, "type");
  bool sine = lua_toboolean(L, 3), done = false;
  double scale = ma_lua_checknumber(L, 4, "scale"), first = ma_lua_checknumber(L, 5, "first");
  if (type < 1 || type > 4 || from->ndim < 1 || (from->dtype != MA_FLOAT32 && from->dtype != MA_FLOAT64)) return 0;
  int64_t n = from->shape[from->ndim - 1];
  if ((type == 4 && n % 2) || (type == 1 && !sine && n < 2)) return 0;
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_fft_cosine(from, type, sine, scale, first, result, &done, ma_lua_streamfor(L, from)));
  return done;
}

typedef struct plan_object {
  uint64_t magic;
  void *plan;
} plan_object;

static void release(void *of) {
  plan_object *object = of;
  if (object->plan) ma_fft_let_go(object->plan);
  object->plan = NULL;
}

static const ma_class plan_class = { .name = "fft",
                                     .word = "plan",
                                     .title = "moonarray plan of a Fourier transform",
                                     .magic = 0x6d61666674706c61u,
                                     .size = sizeof(plan_object),
                                     .release = release };

/* core.fft_plan(like, kind, rank, inverse, last): an object that keeps the plan of core.fft with these arguments. */
static int fft_plan(lua_State *L) {
  const ma_array *like = ma_lua_checkarray(L, 1);
  ma_fft_kind kind = check_kind(L, 2);
  int rank = (int)ma_lua_checkint(L, 3, "rank");
  bool inverse = lua_toboolean(L, 4);
  int64_t last = lua_isnil(L, 5) ? 0 : ma_lua_checkint(L, 5, "n");
  void **plan = &((plan_object *)ma_lua_newobject(L, &plan_class))->plan;
  MA_LUA_TRY(L, ma_fft_keep(like, kind, inverse, rank, last, plan, ma_lua_streamfor(L, like)));
  return 1;
}

/* core.fft_let_go(plan); harmless if called twice. */
static int fft_let_go(lua_State *L) {
  plan_object *object = ma_lua_toclass(L, 1, &plan_class);
  if (object) release(object);
  return 0;
}

/* core.fft16(a, rank, inverse): float16, with real and imaginary parts along the last axis; GPU only, powers of two.
** nil: there is no cuFFT. */
static int fft_run_half(lua_State *L) {
  const ma_array *from = ma_lua_checkarray(L, 1);
  int rank = (int)ma_lua_checkint(L, 2, "rank");
  bool inverse = lua_toboolean(L, 3);
  ma_array *result = ma_lua_newarray(L);
  ma_status status = ma_fft_run_half(from, inverse, rank, result, ma_lua_streamfor(L, from));
  if (status == MA_ERR_LACK) {
    ma_lack_forget();
    return 0;
  }
  MA_LUA_TRY(L, status);
  return 1;
}

/* core.fft_cache(): plans held, the limit, uses of a cached plan, plans made. */
static int fft_cache(lua_State *L) {
  ma_fft_cache_stats stats;
  ma_fft_cache_statistics(&stats);
  lua_pushnumber(L, (double)stats.size);
  lua_pushnumber(L, (double)stats.limit);
  lua_pushnumber(L, (double)stats.hits);
  lua_pushnumber(L, (double)stats.misses);
  return 4;
}

static int fft_cache_limit(lua_State *L) {
  int64_t plans = ma_lua_checkint(L, 1, "plans");
  if (plans < 0) return ma_lua_fail(L, "a limit of %d plans; wanted 0 or more", (int)plans);
  ma_fft_cache_limit(plans);
  return 0;
}

static int fft_cache_clear(lua_State *L) {
  ma_fft_cache_clear();
  return 0;
}

static const ma_function functions[] = { { "core.fft(a, kind, rank, inverse, last?)", fft_run, NULL },
                                         { "core.fft_plan(like, kind, rank, inverse, last?)", fft_plan, NULL },
                                         { "core.fft_let_go(plan)", fft_let_go, NULL },
                                         { "core.fft_cosine(a, type, sine, scale, first)", fft_cosine, NULL },
                                         { "core.fft16(a, rank, inverse)", fft_run_half, NULL },
                                         { "core.fft_cache()", fft_cache, NULL },
                                         { "core.fft_cache_limit(plans)", fft_cache_limit, NULL },
                                         { "core.fft_cache_clear()", fft_cache_clear, NULL },
                                         { NULL, NULL, NULL } };

void ma_open_fft(lua_State *L) { ma_lua_register(L, functions); }
