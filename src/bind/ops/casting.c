/* casting.c: rules for casts of operands and results: the option casting = "no" ... "unsafe", and copyto, an
** assignment that obeys a rule. */
//# indexing
#include "program/loop.h"
#include "bind/ops/ufunc.h"

#include <string.h>

const ma_array *ma_lua_checkwhere(lua_State *L, int index) {
  if (lua_isnil(L, index)) return NULL;
  if (lua_isboolean(L, index))
    ma_lua_fail(L, "where is a boolean; Lua's ==, < and not see no elements: write x:eq(0), x:lt(y)");
  const ma_array *where = ma_lua_checkarray(L, index);
  if (where->dtype != MA_BOOL) ma_lua_fail(L, "where is %s; wanted a bool array", ma_lua_describe(L, index));
  return where;
}

ma_casting ma_lua_checkcasting(lua_State *L, int index) {
  static const struct {
    const char *name;
    ma_casting casting;
  } names[] = {
    { "no", MA_CAST_NO },         { "equiv", MA_CAST_NO }, { "safe", MA_CAST_SAFE }, { "same_kind", MA_CAST_SAME_KIND },
    { "unsafe", MA_CAST_UNSAFE },
  };
  const char *name = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (!strcmp(name, names[k].name)) return names[k].casting;
  ma_lua_fail(L, "casting is %s; wanted 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'", ma_lua_describe(L, index));
  return MA_CAST_NO;
}

static bool allows(ma_casting casting, ma_dtype from, ma_dtype to) {
  return casting == MA_CAST_NO ? from == to : ma_dtype_can_cast(from, to, casting == MA_CAST_SAME_KIND);
}

void ma_lua_checkstrict(lua_State *L, const ma_ufunc *u, const ma_arg *arg, ma_dtype dtype, ma_casting casting,
                        ma_array *const *result) {
  ma_dtype loop = MA_NDTYPE;
  ma_lua_check(L, ma_loop_find(u->op[0], arg, dtype, &loop));
  for (int k = 0; k < u->nin; k++)
    if (arg[k].array && ma_ops[u->op[0]].in[k] == MA_SIG_T && !allows(casting, arg[k].array->dtype, loop))
      ma_lua_fail(L, "an operand of dtype %s; this casting does not take it to %s", ma_dtypes[arg[k].array->dtype].name,
                  ma_dtypes[loop].name);
  for (int k = 0; k < u->nout; k++) {
    ma_dtype computed = ma_sig_dtype((ma_sig)ma_ops[u->op[k]].out, loop);
    if (result[k]->buffer && !allows(casting, computed, result[k]->dtype))
      ma_lua_fail(L, "a result of dtype %s; this casting does not take it to out of dtype %s", ma_dtypes[computed].name,
                  ma_dtypes[result[k]->dtype].name);
  }
}

void ma_lua_applyunsafe(lua_State *L, const ma_ufunc *u, ma_arg *arg, ma_dtype dtype, const ma_array *where,
                        ma_array *const *result, ma_stream *stream) {
  ma_array *computed[MA_MAX_OUTPUTS];
  for (int k = 0; k < u->nin; k++) {
    if (dtype == MA_NDTYPE || ma_ops[u->op[0]].out != MA_SIG_T || !arg[k].array || arg[k].array->dtype == dtype)
      continue;
    ma_array *cast = ma_lua_newarray(L);
    MA_LUA_TRY(L, ma_array_copy(cast, arg[k].array, dtype, stream));
    arg[k].array = cast;
  }
  for (int k = 0; k < u->nout; k++) {
    computed[k] = ma_lua_newarray(L);
    if (where && result[k]->buffer) MA_LUA_TRY(L, ma_array_copy(computed[k], result[k], result[k]->dtype, stream));
  }
  ma_lua_apply(L, u->op, u->nout, arg, dtype, where && !result[0]->buffer ? where : NULL, computed, stream);
  for (int k = 0; k < u->nout; k++) {
    if (!result[k]->buffer) {
      ma_array_view(result[k], computed[k]);
      result[k]->is_view = 0;
      continue;
    }
    ma_arg from = { .array = computed[k] };
    const ma_opcode copy = MA_COPY;
    if (where) {
      ma_array *cast = ma_lua_newarray(L);
      MA_LUA_TRY(L, ma_array_copy(cast, computed[k], result[k]->dtype, stream));
      from.array = cast;
      ma_lua_apply(L, &copy, 1, &from, MA_NDTYPE, where, &result[k], stream);
    } else {
      MA_LUA_TRY(L, ma_array_assign(result[k], computed[k], stream));
    }
  }
}

/* The dtype of the source of a copy; for a scalar its own, so that an integer array refuses 2.5. */
static ma_dtype source_dtype(lua_State *L, int index, ma_dtype to) {
  ma_value value;
  ma_dtype dtype;
  ma_weak weak;
  const ma_array *array = ma_lua_toarray(L, index);
  if (array) return (ma_dtype)array->dtype;
  if (!ma_lua_tovalue(L, index, &value, &dtype, &weak)) return to;
  return ma_weak_is_whole(weak)                ? to
         : weak == MA_STRONG                   ? dtype
         : ma_dtypes[to].kind >= MA_KIND_FLOAT ? ma_dtype_promote_weak(to, weak)
                                               : dtype;
}

/* copyto(dst, src, casting?, where?): an assignment that obeys a casting rule and may be masked. */
static int ufunc_copyto(lua_State *L) {
  ma_array *to = ma_lua_checkarray(L, 1);
  ma_device *device = ma_array_device(to);
  ma_stream *stream = ma_lua_stream_of(L, device);
  const ma_array *where = ma_lua_checkwhere(L, 4);
  ma_casting casting = lua_isnil(L, 3) ? MA_CAST_SAME_KIND : ma_lua_checkcasting(L, 3);
  if (lua_istable(L, 2)) ma_lua_asarray_on(L, 2, MA_NDTYPE, device);
  ma_dtype from = source_dtype(L, 2, (ma_dtype)to->dtype);
  if (casting != MA_CAST_UNSAFE && !allows(casting, from, (ma_dtype)to->dtype))
    return ma_lua_fail(L, "%s into %s; a cast that '%s' allows", ma_dtypes[from].name, ma_dtypes[to->dtype].name,
                       lua_isnil(L, 3) ? "same_kind" : lua_tostring(L, 3));
  if (!where) {
    ma_lua_assign(L, to, 2);
    lua_settop(L, 1);
    return 1;
  }
  ma_arg arg = { .array = ma_lua_asarray_on(L, 2, (ma_dtype)to->dtype, device) };
  if (ma_array_device(arg.array) != device) {
    ma_array *moved = ma_lua_newarray(L);
    MA_LUA_TRY(L, ma_array_to(moved, arg.array, device, stream));
    arg.array = moved;
  }
  ma_lua_apply(L, (const ma_opcode[]){ MA_COPY }, 1, &arg, MA_NDTYPE, where, &to, stream);
  lua_settop(L, 1);
  return 1;
}

static const ma_function functions[] = {
  //> copyto: local a = ma.zeros(2)
  //>   ma.copyto(a, {1, 2})
  //>   return a
  { "copyto(dst: array, src: data, casting?: string, where?: array) -> array", ufunc_copyto,
    "Copies values into an array, where a mask is true, and returns it; devices may differ." },
  { NULL, NULL, NULL }
};

void ma_open_casting(lua_State *L) { ma_lua_register(L, functions); }
