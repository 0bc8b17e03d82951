/* declared.c: types in a kernel's source. It is not a C++ front end: it recognises the forms of declarations, and
** follows names through typedef, using, #define, -D and template arguments. */
#include "kernel/declared.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 16 };

/* ---- Tokens of a span ---- */

bool ma_cursor_skip(ma_cursor *in, const char *open, const char *close) {
  for (int depth = 1; depth > 0;) {
    if (!ma_cursor_next(in) || (*open == '<' && (ma_cursor_is(in, ";") || ma_cursor_is(in, "{")))) return false;
    depth += ma_cursor_is(in, open) - ma_cursor_is(in, close);
  }
  return true;
}

bool ma_cursor_part(ma_span *rest, ma_span *part) {
  ma_cursor in = ma_cursor_of(*rest);
  int depth = 0;
  if (rest->from >= rest->to) return false;
  part->from = rest->from;
  while (ma_cursor_next(&in)) {
    char c = in.token.size == 1 ? *in.token.start : 0;
    if (strchr("(<[{", c) && c) depth++;
    else if (strchr(")>]}", c) && c) depth--;
    else if (c == ',' && depth == 0) {
      part->to = in.token.start;
      rest->from = in.lex.at;
      return true;
    }
  }
  part->to = rest->from = rest->to;
  return true;
}

bool ma_span_has(ma_span s, const char *text) {
  return memmem(s.from, (size_t)(s.to - s.from), text, strlen(text)) != NULL;
}

/* ---- Names that stand for types ---- */

/* Finds the argument for the template parameter `name`. */
static bool template_argument(const ma_finder *f, ma_span name, ma_span *body) {
  ma_span rest = f->header, arguments = f->arguments, part;
  while (rest.from && ma_cursor_part(&rest, &part)) {
    ma_cursor in = ma_cursor_of(part);
    ma_token last = { 0 };
    while (ma_cursor_next(&in) && !ma_cursor_is(&in, "="))
      if (in.token.kind == MA_TOKEN_NAME) last = in.token;
    bool given = arguments.from && ma_cursor_part(&arguments, body);
    if (last.start && ma_span_is(name, &last)) return given;
  }
  return false;
}

/* #define NAME body, without parameters. */
static bool directive_defines(const ma_token *t, ma_span name, ma_span *body) {
  ma_cursor in = ma_cursor_of((ma_span){ t->start + 1, t->start + t->size });
  if (!ma_cursor_next(&in) || !ma_cursor_is(&in, "define") || !ma_cursor_next(&in) || !ma_span_is(name, &in.token) ||
      *in.lex.at == '(')
    return false;
  *body = (ma_span){ in.lex.at, t->start + t->size };
  return true;
}

static bool option_defines(const ma_finder *f, ma_span name, ma_span *body) {
  size_t n = (size_t)(name.to - name.from);
  for (int i = 0; i < f->noption; i++) {
    const char *o = f->option[i];
    if (!strncmp(o, "--define-macro=", 15)) o += 15;
    else if (!strncmp(o, "-D", 2)) o += 2;
    else continue;
    if (!*o && i + 1 < f->noption) o = f->option[i + 1];
    while (*o == ' ') o++;
    if (strncmp(o, name.from, n) || o[n] != '=') continue;
    *body = (ma_span){ o + n + 1, o + strlen(o) };
    return true;
  }
  return false;
}

/* Reads `typedef body NAME;` or `using NAME = body;` after the keyword. */
static bool declares(ma_cursor *in, bool is_using, ma_span name, ma_span *body) {
  ma_token last = { 0 };
  const char *from = in->lex.at;
  if (is_using &&
      (!ma_cursor_next(in) || !ma_span_is(name, &in->token) || !ma_cursor_next(in) || !ma_cursor_is(in, "=")))
    return false;
  if (is_using) from = in->lex.at;
  while (ma_cursor_next(in) && !ma_cursor_is(in, ";")) {
    if (ma_cursor_is(in, "{") || ma_cursor_is(in, "(")) return false;
    if (in->token.kind == MA_TOKEN_NAME) last = in->token;
  }
  *body = (ma_span){ from, is_using ? in->token.start : last.start };
  return is_using || (last.start && ma_span_is(name, &last));
}

bool ma_find_alias(const ma_finder *f, ma_span name, ma_span *body) {
  if (template_argument(f, name, body) || option_defines(f, name, body)) return true;
  ma_cursor in = ma_cursor_of((ma_span){ f->text, f->text + strlen(f->text) });
  while (ma_cursor_next(&in)) {
    ma_cursor ahead = in;
    if (in.token.kind == MA_TOKEN_DIRECTIVE ? directive_defines(&in.token, name, body)
        : ma_cursor_is(&in, "typedef")      ? declares(&ahead, false, name, body)
                                            : ma_cursor_is(&in, "using") && declares(&ahead, true, name, body))
      return true;
  }
  return false;
}

/* ---- Types ---- */

/* clang-format off */
static const struct {
  const char *name;
  int dtype;
} named[] = {
  { "bool_", MA_BOOL }, { "int8_t", MA_INT8 }, { "int16_t", MA_INT16 }, { "int32_t", MA_INT32 },
  { "int64_t", MA_INT64 }, { "uint8_t", MA_UINT8 }, { "uint16_t", MA_UINT16 }, { "uint32_t", MA_UINT32 },
  { "uint64_t", MA_UINT64 }, { "size_t", MA_UINT64 }, { "ptrdiff_t", MA_INT64 }, { "ssize_t", MA_INT64 },
  { "intptr_t", MA_INT64 }, { "uintptr_t", MA_UINT64 }, { "uchar", MA_UINT8 }, { "ushort", MA_UINT16 },
  { "uint", MA_UINT32 }, { "ulong", MA_ULONG }, { "half", MA_FLOAT16 }, { "__half", MA_FLOAT16 },
  { "nv_half", MA_FLOAT16 }, { "__nv_bfloat16", MA_BFLOAT16 }, { "nv_bfloat16", MA_BFLOAT16 },
  { "cuComplex", MA_COMPLEX64 }, { "cuFloatComplex", MA_COMPLEX64 }, { "cuDoubleComplex", MA_COMPLEX128 },
  { "ma_c64", MA_COMPLEX64 }, { "ma_c128", MA_COMPLEX128 }
};
/* clang-format on */

static const struct {
  const char *name;
  uint8_t size;
} vectors[] = { { "char", 1 },  { "uchar", 1 },  { "short", 2 },           { "ushort", 2 },
                { "int", 4 },   { "uint", 4 },   { "longlong", 8 },        { "ulonglong", 8 },
                { "float", 4 }, { "double", 8 }, { "long", sizeof(long) }, { "ulong", sizeof(long) } };

static ma_declared type_of_dtype(int dtype) {
  return (ma_declared){ .dtype = dtype, .size = ma_dtypes[dtype].itemsize };
}
static const ma_declared unknown = { .dtype = MA_NDTYPE, .any = true };

/* float4, uchar2, dim3: known by size. A pair of floats takes a complex scalar. */
static bool vector_type(const char *name, ma_declared *t) {
  size_t n = strlen(name);
  int count = n > 1 ? name[n - 1] - '0' : 0;
  *t = unknown;
  if (!strcmp(name, "dim3")) {
    t->size = 12;
    return true;
  }
  for (size_t i = 0; count >= 1 && count <= 4 && i < sizeof vectors / sizeof *vectors; i++) {
    if (strlen(vectors[i].name) != n - 1 || strncmp(name, vectors[i].name, n - 1)) continue;
    t->size = (uint32_t)(vectors[i].size * count);
    if (!strcmp(name, "float2")) t->dtype = MA_COMPLEX64;
    if (!strcmp(name, "double2")) t->dtype = MA_COMPLEX128;
    return true;
  }
  return false;
}

static bool named_type(ma_span s, ma_declared *t) {
  char name[64];
  ma_dtype dtype;
  if (s.to - s.from >= (ptrdiff_t)sizeof name) return false;
  snprintf(name, sizeof name, "%.*s", (int)(s.to - s.from), s.from);
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (!strcmp(named[i].name, name)) {
      *t = type_of_dtype(named[i].dtype);
      return true;
    }
  if (ma_dtype_find(name, &dtype)) {
    *t = type_of_dtype(dtype);
    return true;
  }
  return vector_type(name, t);
}

/* The words of C's own types, in any order. */
enum {
  UNSIGNED = 1,
  SIGNED = 2,
  SHORT = 4,
  CHAR = 8,
  INT = 16,
  FLOAT = 32,
  DOUBLE = 64,
  BOOL = 128,
  VOID = 256,
  LONG = 512,
  LONGLONG = 1024
};
static const struct {
  const char *word;
  int bit;
} words[] = { { "unsigned", UNSIGNED }, { "signed", SIGNED }, { "short", SHORT }, { "char", CHAR }, { "int", INT },
              { "float", FLOAT },       { "double", DOUBLE }, { "bool", BOOL },   { "void", VOID }, { "long", LONG } };

static int word_bit(const ma_token *t) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ma_token_is(t, words[i].word)) return words[i].bit;
  return 0;
}

static ma_declared basic_type(int bits) {
  bool is_unsigned = bits & UNSIGNED;
  if (bits & VOID) return unknown;
  if (bits & BOOL) return type_of_dtype(MA_BOOL);
  if (bits & FLOAT) return type_of_dtype(MA_FLOAT32);
  if (bits & DOUBLE) return bits & LONG ? unknown : type_of_dtype(MA_FLOAT64);
  if (bits & CHAR) {
    ma_declared t = type_of_dtype(is_unsigned ? MA_UINT8 : MA_INT8);
    t.any = !(bits & (UNSIGNED | SIGNED));
    return t;
  }
  if (bits & SHORT) return type_of_dtype(is_unsigned ? MA_UINT16 : MA_INT16);
  if (bits & LONGLONG) return type_of_dtype(is_unsigned ? MA_UINT64 : MA_INT64);
  if (bits & LONG) return type_of_dtype(is_unsigned ? MA_ULONG : MA_LONG);
  return type_of_dtype(is_unsigned ? MA_UINT32 : MA_INT32);
}

/* Resolves a name with its qualifiers; the cursor is at its last word. `arguments` are those of, say,
** complex<float>. */
static ma_declared resolve(const ma_finder *f, ma_span name, ma_span arguments, int depth) {
  ma_declared t;
  ma_span body;
  if (depth > MAX_DEPTH) return unknown;
  if (arguments.from) {
    if ((size_t)(name.to - name.from) != 7 || strncmp(name.from, "complex", 7)) return unknown;
    t = ma_declared_read(f, arguments, depth + 1, NULL);
    return t.pointers              ? unknown
           : t.dtype == MA_FLOAT32 ? type_of_dtype(MA_COMPLEX64)
           : t.dtype == MA_FLOAT64 ? type_of_dtype(MA_COMPLEX128)
                                   : unknown;
  }
  if (ma_find_alias(f, name, &body)) {
    ma_finder plain = *f; /* a template's parameters have no meaning in its arguments */
    ma_span ignored;
    if (template_argument(f, name, &ignored)) plain.header = (ma_span){ 0 };
    return ma_declared_read(&plain, body, depth + 1, NULL);
  }
  return named_type(name, &t) ? t : unknown;
}

static bool passes_over(const ma_token *t) {
  static const char *const over[] = { "volatile", "struct",       "class",      "enum",     "union",
                                      "typename", "__restrict__", "__restrict", "restrict", "__grid_constant__",
                                      "register", "constexpr" };
  for (size_t i = 0; i < sizeof over / sizeof *over; i++)
    if (ma_token_is(t, over[i])) return true;
  return false;
}

/* Reads a qualified name with its template arguments, starting at the current token. */
static ma_declared read_named(const ma_finder *f, ma_cursor *in, int depth) {
  ma_span name = ma_span_of(&in->token), arguments = { 0 };
  while (ma_cursor_peek_is(in, "::")) {
    ma_cursor_next(in);
    if (!ma_cursor_next(in)) return unknown;
    name = ma_span_of(&in->token);
  }
  if (ma_cursor_peek_is(in, "<")) {
    ma_cursor_next(in);
    arguments.from = in->lex.at;
    if (!ma_cursor_skip(in, "<", ">")) return unknown;
    arguments.to = in->token.start;
  }
  return resolve(f, name, arguments, depth);
}

/* Reads `const unsigned long long *__restrict__ x = 0`: the type, and the parameter's name if there is one. */
ma_declared ma_declared_read(const ma_finder *f, ma_span s, int depth, ma_span *name) {
  ma_cursor in = ma_cursor_of(s);
  ma_declared t = unknown;
  int bits = 0;
  bool have = false, is_const = false, after = false; /* after: behind the first * */
  while (ma_cursor_next(&in) && !ma_cursor_is(&in, "=")) {
    if (ma_cursor_is(&in, "const")) {
      if (!after) is_const = true;
    } else if (passes_over(&in.token) || ma_cursor_is(&in, "::")) continue;
    else if (ma_cursor_is(&in, "alignas") || ma_cursor_is(&in, "__align__") || ma_cursor_is(&in, "__attribute__")) {
      if (ma_cursor_next(&in)) ma_cursor_skip(&in, "(", ")");
    } else if (ma_cursor_is(&in, "*")) {
      t.pointers++;
      after = true;
      if (bits) {
        ma_declared b = basic_type(bits);
        b.pointers = t.pointers;
        t = b;
        bits = 0;
        have = true;
      }
    } else if (ma_cursor_is(&in, "[")) {
      bool attribute = ma_cursor_peek_is(&in, "[");
      ma_cursor_skip(&in, "[", "]");
      if (!attribute || have || bits) t.pointers++;
    } else if (ma_cursor_is(&in, "&") || ma_cursor_is(&in, "&&") || ma_cursor_is(&in, "...")) return unknown;
    else if (ma_cursor_is(&in, "(")) { /* float (*rows)[4] is some pointer; anything else is unknown */
      bool pointer = ma_cursor_peek_is(&in, "*");
      t = unknown;
      t.pointers = pointer;
      t.is_const = is_const;
      return t;
    } else if (in.token.kind != MA_TOKEN_NAME) return unknown;
    else if (!have && word_bit(&in.token) && !after) {
      bool again = ma_cursor_is(&in, "long") && (bits & LONG);
      bits |= again ? LONGLONG : word_bit(&in.token);
    } else if (!have && !bits) {
      t = read_named(f, &in, depth);
      have = true;
      if (t.pointers) is_const = false;
    } else if (name) *name = ma_span_of(&in.token);
  }
  if (bits && !have) {
    int pointers = t.pointers;
    t = basic_type(bits);
    t.pointers = pointers;
  }
  t.is_const = t.is_const || is_const;
  return t;
}
