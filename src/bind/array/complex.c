/*
** complex.c: the complex scalar, which is an element of a complex array in Lua. LuaJIT's complex cdata has no
** arithmetic, and plain Lua has no complex numbers. So this is a small userdata with .re, .im and + - * / ^ with
** numbers, complex scalars and arrays.
*/
//# dtypes
#include "base/number.h"
#include "bind/bind.h"

#include <math.h>
#include <string.h>

static ma_c128 check_complex(lua_State *L, int index) {
  ma_c128 z = { 0, 0 };
  if (lua_type(L, index) == LUA_TNUMBER) z.re = lua_tonumber(L, index);
  else if (!ma_lua_tocomplex(L, index, &z))
    ma_lua_fail(L, "%s beside a complex number; wanted a number, a complex number or an array",
                ma_lua_describe(L, index));
  return z;
}

/* ==== Arithmetic ================================================================================================= */

static ma_c128 add(ma_c128 a, ma_c128 b) { return (ma_c128){ a.re + b.re, a.im + b.im }; }
static ma_c128 subtract(ma_c128 a, ma_c128 b) { return (ma_c128){ a.re - b.re, a.im - b.im }; }
static ma_c128 multiply(ma_c128 a, ma_c128 b) {
  return (ma_c128){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

/* Smith's algorithm: it overflows only if the quotient does. */
static ma_c128 divide(ma_c128 a, ma_c128 b) {
  if (fabs(b.re) >= fabs(b.im)) {
    double ratio = b.re == 0 ? 0 : b.im / b.re, scale = b.re + b.im * ratio;
    return (ma_c128){ (a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale };
  }
  double ratio = b.re / b.im, scale = b.re * ratio + b.im;
  return (ma_c128){ (a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale };
}

static ma_c128 whole_power(ma_c128 a, int n) {
  ma_c128 result = { 1, 0 };
  for (int left = n < 0 ? -n : n; left; left >>= 1) {
    if (left & 1) result = multiply(result, a);
    a = multiply(a, a);
  }
  return n < 0 ? divide((ma_c128){ 1, 0 }, result) : result;
}

static ma_c128 power(ma_c128 a, ma_c128 b) {
  if (b.im == 0 && b.re == floor(b.re) && fabs(b.re) <= 100) return whole_power(a, (int)b.re);
  if (a.re == 0 && a.im == 0) return (ma_c128){ 0, 0 };
  double length = log(hypot(a.re, a.im)), angle = atan2(a.im, a.re);
  double size = exp(b.re * length - b.im * angle), turn = b.im * length + b.re * angle;
  return (ma_c128){ size * cos(turn), size * sin(turn) };
}

static const struct {
  const char *metamethod, *ufunc;
  ma_c128 (*apply)(ma_c128, ma_c128);
} operators[] = {
  { "__add", "add", add },       { "__sub", "subtract", subtract }, { "__mul", "multiply", multiply },
  { "__div", "divide", divide }, { "__pow", "power", power },
};

/* Upvalue 3: the operator. If an operand is an array or a table, the ufunc computes. */
static int complex_arithmetic(lua_State *L) {
  int which = (int)lua_tointeger(L, lua_upvalueindex(3));
  if (ma_lua_toarray(L, 1) || ma_lua_toarray(L, 2) || ma_lua_istraced(L, 2)) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->library);
    lua_getfield(L, -1, operators[which].ufunc);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_call(L, 2, 1);
    return 1;
  }
  ma_c128 a = check_complex(L, 1), b = check_complex(L, 2), z = operators[which].apply(a, b);
  ma_lua_pushcomplex(L, z.re, z.im);
  return 1;
}

static int complex_unm(lua_State *L) {
  ma_c128 z = check_complex(L, 1);
  ma_lua_pushcomplex(L, -z.re, -z.im);
  return 1;
}

static int complex_eq(lua_State *L) {
  ma_c128 a = check_complex(L, 1), b = check_complex(L, 2);
  lua_pushboolean(L, a.re == b.re && a.im == b.im);
  return 1;
}

/* ==== Attributes and text ======================================================================================== */

static int complex_index(lua_State *L) {
  ma_c128 z = check_complex(L, 1);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (!strcmp(key, "re") || !strcmp(key, "real")) lua_pushnumber(L, z.re);
  else if (!strcmp(key, "im") || !strcmp(key, "imag")) lua_pushnumber(L, z.im);
  else return ma_lua_fail(L, "%s as a key of a complex number; it has re and im", ma_lua_describe(L, 2));
  return 1;
}

static const char *print_part(double x, char *text, size_t size) {
  if (isnan(x)) return "nan";
  if (isinf(x)) return x < 0 ? "-inf" : "inf";
  ma_print(text, size, "%.14g", x);
  return text;
}

static int complex_tostring(lua_State *L) {
  char re[40], im[40];
  ma_c128 z = check_complex(L, 1);
  const char *imaginary = print_part(z.im, im, sizeof im);
  lua_pushfstring(L, "%s%s%si", print_part(z.re, re, sizeof re), *imaginary == '-' ? "" : "+", imaginary);
  return 1;
}

/* Never calls lua_concat on a value with a metamethod: LuaJIT 2.1 before 2022 crashes there (GC64). */
static int complex_concat(lua_State *L) {
  ma_c128 z;
  for (int i = 1; i <= 2; i++) {
    if (lua_isstring(L, i)) continue;
    if (lua_type(L, i) != LUA_TUSERDATA || !ma_lua_tocomplex(L, i, &z))
      return ma_lua_fail(L, "%s; .. takes a string or a number beside a complex number", ma_lua_describe(L, i));
    lua_pushcfunction(L, complex_tostring);
    lua_pushvalue(L, i);
    lua_call(L, 1, 1);
    lua_replace(L, i);
  }
  lua_concat(L, 2);
  return 1;
}

static int make_complex(lua_State *L) {
  ma_c128 z;
  if (lua_isnil(L, 2) && ma_lua_tocomplex(L, 1, &z)) lua_pushvalue(L, 1);
  else ma_lua_pushcomplex(L, ma_lua_checknumber(L, 1, "re"), lua_isnil(L, 2) ? 0 : ma_lua_checknumber(L, 2, "im"));
  return 1;
}

//> complex(1, 2)
//> = complex | ma.complex(1, 2) | A complex number.
//> . re: number | the real part
//> . im: number | the imaginary part
//> . real: number | the real part
//> . imag: number | the imaginary part
//> + add(complex|number): complex
//> + sub(complex|number): complex
//> + mul(complex|number): complex
//> + div(complex|number): complex
//> + pow(complex|number): complex
//> + unm: complex
static const ma_function functions[] = { { "complex(re: number, im?: number) -> complex", make_complex,
                                           "A complex number, to be used wherever a number is." },
                                         { NULL, NULL, NULL } };

static const struct {
  const char *name;
  lua_CFunction call;
} metamethods[] = {
  { "__unm", complex_unm },           { "__eq", complex_eq },         { "__index", complex_index },
  { "__tostring", complex_tostring }, { "__concat", complex_concat },
};

void ma_open_complex(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->complex_metatable);
  for (size_t i = 0; i < sizeof metamethods / sizeof *metamethods; i++) {
    ma_lua_pushplain(L, "complex(re, im)", false, metamethods[i].call, 0);
    lua_setfield(L, -2, metamethods[i].name);
  }
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    lua_pushinteger(L, (lua_Integer)i);
    ma_lua_pushplain(L, "complex(re, im)", false, complex_arithmetic, 1);
    lua_setfield(L, -2, operators[i].metamethod);
  }
  lua_pushliteral(L, "moonarray complex");
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
  ma_lua_register(L, functions);
}
