/* params.c: parses parameter lists of the user's kernels, such as "T x, raw float32 y", and resolves them with the
** arguments of a call into the typed parameters of a body. */
#include "ops/ops.h"
#include "compile/body.h"
#include "compile/lex.h"
#include "kernel/params.h"

#include <stdio.h>
#include <string.h>

/* ==== Types ====================================================================================================== */

static const struct {
  const char *name;
  ma_dtype dtype;
} c_types[] = {
  { "bool_", MA_BOOL },
  { "char", MA_INT8 },
  { "signed char", MA_INT8 },
  { "unsigned char", MA_UINT8 },
  { "short", MA_INT16 },
  { "unsigned short", MA_UINT16 },
  { "int", MA_INT32 },
  { "unsigned", MA_UINT32 },
  { "unsigned int", MA_UINT32 },
  { "long", MA_LONG },
  { "unsigned long", MA_ULONG },
  { "long long", MA_INT64 },
  { "unsigned long long", MA_UINT64 },
  { "long long int", MA_INT64 },
  { "unsigned long long int", MA_UINT64 },
  { "long int", MA_LONG },
  { "unsigned long int", MA_ULONG },
  { "half", MA_FLOAT16 },
  { "float", MA_FLOAT32 },
  { "double", MA_FLOAT64 },
  { "complex<float>", MA_COMPLEX64 },
  { "complex<double>", MA_COMPLEX128 },
  { "int8_t", MA_INT8 },
  { "int16_t", MA_INT16 },
  { "int32_t", MA_INT32 },
  { "int64_t", MA_INT64 },
  { "uint8_t", MA_UINT8 },
  { "uint16_t", MA_UINT16 },
  { "uint32_t", MA_UINT32 },
  { "uint64_t", MA_UINT64 },
  { "size_t", MA_UINT64 },
  { "ptrdiff_t", MA_INT64 },
};

/* The dtype that a type names, or MA_NDTYPE for a placeholder. */
static ma_status find_type(const char *item, const char *type, uint8_t *dtype) {
  ma_dtype found;
  *dtype = MA_NDTYPE;
  if (ma_dtype_find(type, &found)) {
    *dtype = (uint8_t)found;
    return MA_OK;
  }
  for (size_t k = 0; k < sizeof c_types / sizeof *c_types; k++)
    if (!strcmp(type, c_types[k].name)) {
      *dtype = (uint8_t)c_types[k].dtype;
      return MA_OK;
    }
  if (!ma_name_is_identifier(type))
    return ma_fail(MA_ERR_TYPE,
                   "parameter \"%s\": no type '%s'; wanted a dtype such as float32, or a placeholder such as T", item,
                   type);
  char what[120];
  snprintf(what, sizeof what, "parameter \"%.60s\": its type", item);
  return ma_name_check(what, type);
}

/* ==== Parsing ==================================================================================================== */

/* Takes the next item of a list, trimmed; commas inside <> do not count. Returns the rest, NULL after the last item. */
static const char *take_item(const char *text, char *item, size_t size) {
  int depth = 0;
  const char *end = text;
  for (; *end && (*end != ',' || depth > 0); end++) depth += (*end == '<') - (*end == '>');
  const char *next = *end ? end + 1 : NULL;
  while (text < end && strchr(" \t\r\n", *text)) text++;
  while (end > text && strchr(" \t\r\n", end[-1])) end--;
  snprintf(item, size, "%.*s", (int)(end - text < (int)size ? end - text : (int)size - 1), text);
  return next;
}

/* Splits at white space. Text inside <> is one word, and is written without spaces. */
static int split_words(const char *item, char words[][32], int most) {
  int n = 0;
  while (*item) {
    size_t size = 0;
    while (*item && strchr(" \t\r\n", *item)) item++;
    if (!*item) break;
    if (n == most) return most + 1;
    for (; *item && !strchr(" \t\r\n", *item); item++)
      if (size < 31) words[n][size++] = *item;
      else return most + 1;
    words[n++][size] = 0;
  }
  return n;
}

static ma_status parse_item(ma_param_text *param, const char *item) {
  char words[8][32], what[120];
  int n = split_words(item, words, 8), first = 0;
  memset(param, 0, sizeof *param);
  if (n > 8)
    return ma_fail(MA_ERR_VALUE,
                   "parameter \"%.60s\" is too long; wanted a type of at most 31 characters and a name as short", item);
  for (; first < n; first++)
    if (!strcmp(words[first], "raw") && !param->raw) param->raw = true;
    else if (!strcmp(words[first], "const") && !param->is_const) param->is_const = true;
    else break;
  if (n - first < 2)
    return ma_fail(MA_ERR_VALUE,
                   "parameter \"%.60s\"; wanted a type and a name, such as \"float32 x\", \"T x\" or \"raw T x\"",
                   item);
  snprintf(what, sizeof what, "parameter \"%.60s\": its name", item);
  MA_TRY(ma_name_check(what, words[n - 1]));
  strcpy(param->name, words[n - 1]);
  size_t size = 0;
  for (int k = first; k < n - 1; k++) {
    if (size + strlen(words[k]) + 2 > sizeof param->type)
      return ma_fail(MA_ERR_VALUE, "parameter \"%.60s\": its type is too long", item);
    size += (size_t)snprintf(param->type + size, sizeof param->type - size, "%s%s", k > first ? " " : "", words[k]);
  }
  return find_type(item, param->type, &param->dtype);
}

static ma_status parse_list(ma_params *params, const char *text, int *count) {
  char item[200];
  const char *at = text;
  *count = 0;
  if (!text[strspn(text, " \t\r\n")]) return MA_OK;
  while (at) {
    int n = params->nin + params->nout;
    at = take_item(at, item, sizeof item);
    if (n == MA_MAX_PARAMS)
      return ma_fail(MA_ERR_VALUE, "more than %d parameters; a kernel has at most that many", MA_MAX_PARAMS);
    if (!*item)
      return ma_fail(MA_ERR_VALUE, "parameters \"%.80s\" have an empty place; wanted a type and a name between commas",
                     text);
    MA_TRY(parse_item(&params->param[n], item));
    ++*count;
  }
  return MA_OK;
}

static ma_status check_list(const ma_params *params) {
  int n = params->nin + params->nout;
  for (int k = 0; k < n; k++) {
    const ma_param_text *p = &params->param[k];
    for (int j = 0; j < n; j++) {
      if (j < k && !strcmp(p->name, params->param[j].name))
        return ma_fail(MA_ERR_VALUE, "two parameters are called '%s'; names are distinct", p->name);
      if (params->param[j].dtype == MA_NDTYPE && !strcmp(p->name, params->param[j].type))
        return ma_fail(MA_ERR_VALUE, "'%s' is the name of a parameter and a type; choose another name", p->name);
    }
    if (k >= params->nin && p->is_const)
      return ma_fail(MA_ERR_VALUE, "output '%s' is const; an output is written", p->name);
  }
  return MA_OK;
}

ma_status ma_params_parse(ma_params *params, const char *in, const char *out) {
  int count;
  memset(params, 0, sizeof *params);
  MA_TRY(parse_list(params, in, &params->nin));
  count = params->nin;
  MA_TRY(parse_list(params, out, &params->nout));
  params->nin = count;
  return check_list(params);
}

/* ==== Types of a call ============================================================================================ */

ma_given ma_params_given(const ma_param_text *param, const ma_arg *arg) {
  if (!arg->array) return (ma_given){ (uint8_t)(MA_GIVEN_SCALAR + arg->weak), (uint8_t)arg->dtype, 0, 0 };
  if (!arg->array->buffer) return (ma_given){ 0, 0, 0, 0 };
  ma_given given = { MA_GIVEN_ARRAY, arg->array->dtype, 0, 0 };
  if (param->raw) {
    given.contiguous = ma_array_is_contiguous(arg->array);
    given.ndim = given.contiguous ? 0 : arg->array->ndim;
  }
  return given;
}

bool ma_params_whole(const char *text, const char *name) {
  ma_lex lex = { text, 1 };
  ma_token token;
  while (ma_lex_next(&lex, &token)) {
    if (token.kind == MA_TOKEN_DIRECTIVE) return true;
    if (token.kind != MA_TOKEN_NAME || !ma_token_is(&token, name)) continue;
    if (!ma_lex_next(&lex, &token)) return true;
    if (ma_token_is(&token, "[")) continue;
    if (!ma_token_is(&token, ".") || !ma_lex_next(&lex, &token) || !ma_token_is(&token, "size")) return true;
  }
  return false;
}

void ma_params_give_whole(ma_given *given, const ma_array *array) {
  if (given->form != MA_GIVEN_ARRAY) return;
  given->contiguous = array->ndim == 0;
  given->ndim = array->ndim;
}

static int find_placeholder(const ma_body *body, const char *name) {
  for (int k = 0; k < body->ntype; k++)
    if (!strcmp(body->type[k].name, name)) return k;
  return -1;
}

static void add_placeholder(ma_body *body, const char *name, uint8_t dtype) {
  strcpy(body->type[body->ntype].name, name);
  body->type[body->ntype++].dtype = dtype;
}

/* Resolves one placeholder from all its parameters: arrays and typed scalars first, then weak scalars. */
static ma_status resolve_placeholder(const ma_params *params, const ma_given *given, ma_body *body, const char *type) {
  const char *by = NULL;
  ma_dtype found = MA_NDTYPE, weak = MA_NDTYPE;
  for (int form = MA_GIVEN_ARRAY; form <= MA_GIVEN_SCALAR; form++)
    for (int k = 0; k < params->nin + params->nout; k++) {
      if (strcmp(params->param[k].type, type) || given[k].form != form) continue;
      if (found == MA_NDTYPE) {
        found = (ma_dtype)given[k].dtype;
        by = params->param[k].name;
      } else if (found != given[k].dtype && form == MA_GIVEN_ARRAY) {
        return ma_fail(MA_ERR_TYPE, "%s is %s and %s is %s; both are declared %s", by, ma_dtypes[found].name,
                       params->param[k].name, ma_dtypes[given[k].dtype].name, type);
      }
    }
  for (int k = 0; k < params->nin + params->nout; k++)
    if (!strcmp(params->param[k].type, type) && given[k].form > MA_GIVEN_SCALAR &&
        (weak == MA_NDTYPE || given[k].dtype > weak))
      weak = (ma_dtype)given[k].dtype; /* int64 < float64 < complex128 */
  if (found == MA_NDTYPE) found = weak;
  if (found == MA_NDTYPE) return MA_OK;
  add_placeholder(body, type, (uint8_t)found);
  return MA_OK;
}

static ma_status check_room(const char *what, int have, int most) {
  return have < most ? MA_OK : ma_fail(MA_ERR_VALUE, "more than %d %s; a kernel has at most that many", most, what);
}

static ma_status place(ma_body *body, const ma_param_text *text, const ma_given *given, bool output, int *count) {
  static const struct {
    const char *name;
    int most;
  } roles[] = {
    [MA_PARAM_INPUT] = { "input arrays", MA_MAX_INPUTS },
    [MA_PARAM_SCALAR] = { "scalars", MA_MAX_SCALARS },
    [MA_PARAM_RAW] = { "raw arrays", MA_MAX_RAW },
    [MA_PARAM_OUTPUT] = { "outputs", MA_MAX_OUTPUTS },
  };
  ma_param *p = &body->param[body->nparam];
  memset(p, 0, sizeof *p);
  strcpy(p->name, text->name);
  if (given->form >= MA_GIVEN_SCALAR && (text->raw || output))
    return ma_fail(MA_ERR_TYPE, "%s is a number; wanted an array, since it is %s", text->name,
                   text->raw ? "raw" : "an output");
  p->role = text->raw                        ? MA_PARAM_RAW
            : output                         ? MA_PARAM_OUTPUT
            : given->form >= MA_GIVEN_SCALAR ? MA_PARAM_SCALAR
                                             : MA_PARAM_INPUT;
  MA_TRY(check_room(roles[p->role].name, count[p->role], roles[p->role].most));
  p->place = (uint8_t)count[p->role]++;
  p->is_output = output;
  p->dtype = text->dtype;
  if (text->raw) {
    p->contiguous = given->form == MA_GIVEN_ARRAY ? given->contiguous : 1;
    p->ndim = p->contiguous ? 0 : given->ndim;
  }
  int at = p->dtype == MA_NDTYPE ? find_placeholder(body, text->type) : 0;
  if (at < 0)
    return ma_fail(MA_ERR_TYPE, "no argument says what %s is, the type of '%s'; give %s an array by out, or a type",
                   text->type, text->name, text->name);
  if (p->dtype == MA_NDTYPE) p->dtype = body->type[at].dtype;
  if (given->form == MA_GIVEN_ARRAY && given->dtype != p->dtype)
    return ma_fail(MA_ERR_TYPE, "%s is %s; wanted %s, as it is declared", text->name, ma_dtypes[given->dtype].name,
                   ma_dtypes[p->dtype].name);
  body->nparam++;
  return MA_OK;
}

ma_status ma_params_resolve(const ma_params *params, const ma_given *given, ma_body *body) {
  int count[4] = { 0 };
  body->nparam = body->ntype = 0;
  memset(body->type, 0, sizeof body->type);
  for (int k = 0; k < params->nin + params->nout; k++)
    if (params->param[k].dtype == MA_NDTYPE && find_placeholder(body, params->param[k].type) < 0)
      MA_TRY(resolve_placeholder(params, given, body, params->param[k].type));
  for (int k = 0; k < params->nin + params->nout; k++)
    MA_TRY(place(body, &params->param[k], &given[k], k >= params->nin, count));
  return MA_OK;
}

void ma_params_program(const ma_body *body, uint32_t id, ma_program *program) {
  ma_program_clear(program);
  program->body = id;
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *p = &body->param[k];
    if (p->role == MA_PARAM_INPUT) program->input_dtype[p->place] = p->dtype, program->ninput++;
    else if (p->role == MA_PARAM_SCALAR) program->scalar_dtype[p->place] = p->dtype, program->nscalar++;
    else if (p->role == MA_PARAM_OUTPUT) {
      program->output[p->place] = (uint8_t)(MA_REG_CODE + p->place);
      program->code[p->place] = (ma_instr){ .result = p->dtype };
      program->noutput++;
    }
  }
}

ma_status ma_params_scalar(const ma_body *body, int k, const ma_arg *arg, ma_value *value) {
  ma_dtype to = (ma_dtype)body->param[k].dtype;
  if (ma_weak_is_whole(arg->weak) && ma_value_weak(arg->value, arg->weak, to, value) != MA_OK)
    return ma_fail_prefix(MA_ERR_VALUE, "%s: ", body->param[k].name);
  if (ma_weak_is_whole(arg->weak)) return MA_OK;
  *value = ma_value_cast(arg->value, arg->dtype, to);
  return MA_OK;
}
