/*
** signature.c: reads a kernel's parameters from its source, so that arguments can be converted and checked before a
** launch.
**
** It is no C++ front end: it knows how declarations look, and follows names through typedef, using, #define, -D and
** template arguments. Where several declarations disagree, or a type is not known, the parameter is of an unknown type
** and takes typed values.
*/
#include "ops/ops.h"
#include "compile/lex.h"
#include "kernel/signature.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A stretch of source. */
typedef struct span {
  const char *from, *to;
} span;

/* What a type is, on the way through its names. */
typedef struct type {
  int dtype, pointers;
  bool is_const, any;
  uint32_t size;
} type;

typedef struct finder {
  const char *text;
  const char *const *option;
  int noption;
  span header, arguments; /* "typename T, int N" of the template, and "float, 3" of the expression */
  bool has_macros;        /* of kernels: names other than __global__ may begin one */
} finder;

enum { MAX_DEPTH = 16 };

/* ---- Tokens of a span ---- */

typedef struct walk {
  ma_lex lex;
  const char *end;
  ma_token token;
} walk;

static walk walk_of(span s) { return (walk){ { s.from, 1 }, s.to, { 0 } }; }

static bool next(walk *w) { return ma_lex_next(&w->lex, &w->token) && w->token.start < w->end; }
static bool is(const walk *w, const char *text) { return ma_token_is(&w->token, text); }

static bool peek_is(const walk *w, const char *text) {
  walk ahead = *w;
  return next(&ahead) && is(&ahead, text);
}

/* Past the bracket that closes the one that is the current token. Only angle brackets end at a semicolon: a comparison
** has none to match. */
static bool skip_group(walk *w, const char *open, const char *close) {
  for (int depth = 1; depth > 0;) {
    if (!next(w) || (*open == '<' && (is(w, ";") || is(w, "{")))) return false;
    depth += is(w, open) - is(w, close);
  }
  return true;
}

/* The next part of a list that commas divide at the outermost level; false after the last. */
static bool next_part(span *rest, span *part) {
  walk w = walk_of(*rest);
  int depth = 0;
  if (rest->from >= rest->to) return false;
  part->from = rest->from;
  while (next(&w)) {
    char c = w.token.size == 1 ? *w.token.start : 0;
    if (strchr("(<[{", c) && c) depth++;
    else if (strchr(")>]}", c) && c) depth--;
    else if (c == ',' && depth == 0) {
      part->to = w.token.start;
      rest->from = w.lex.at;
      return true;
    }
  }
  part->to = rest->from = rest->to;
  return true;
}

static bool span_is(span s, const ma_token *name) {
  return (size_t)(s.to - s.from) == name->size && !memcmp(s.from, name->start, name->size);
}

static span span_of(const ma_token *t) { return (span){ t->start, t->start + t->size }; }

static bool span_has(span s, const char *text) {
  return memmem(s.from, (size_t)(s.to - s.from), text, strlen(text)) != NULL;
}

/* ---- Names that stand for others ---- */

/* The argument of the template parameter `name`. */
static bool template_argument(const finder *f, span name, span *body) {
  span rest = f->header, arguments = f->arguments, part;
  while (rest.from && next_part(&rest, &part)) {
    walk w = walk_of(part);
    ma_token last = { 0 };
    while (next(&w) && !is(&w, "="))
      if (w.token.kind == MA_TOKEN_NAME) last = w.token;
    bool given = arguments.from && next_part(&arguments, body);
    if (last.start && span_is(name, &last)) return given;
  }
  return false;
}

/* #define NAME body, without parameters. */
static bool directive_defines(const ma_token *t, span name, span *body) {
  walk w = walk_of((span){ t->start + 1, t->start + t->size });
  if (!next(&w) || !is(&w, "define") || !next(&w) || !span_is(name, &w.token) || *w.lex.at == '(') return false;
  *body = (span){ w.lex.at, t->start + t->size };
  return true;
}

static bool option_defines(const finder *f, span name, span *body) {
  size_t n = (size_t)(name.to - name.from);
  for (int i = 0; i < f->noption; i++) {
    const char *o = f->option[i];
    if (!strncmp(o, "--define-macro=", 15)) o += 15;
    else if (!strncmp(o, "-D", 2)) o += 2;
    else continue;
    if (!*o && i + 1 < f->noption) o = f->option[i + 1];
    while (*o == ' ') o++;
    if (strncmp(o, name.from, n) || o[n] != '=') continue;
    *body = (span){ o + n + 1, o + strlen(o) };
    return true;
  }
  return false;
}

/* `typedef body NAME;` and `using NAME = body;`, the keyword just read. */
static bool declares(walk *w, bool is_using, span name, span *body) {
  ma_token last = { 0 };
  const char *from = w->lex.at;
  if (is_using && (!next(w) || !span_is(name, &w->token) || !next(w) || !is(w, "="))) return false;
  if (is_using) from = w->lex.at;
  while (next(w) && !is(w, ";")) {
    if (is(w, "{") || is(w, "(")) return false;
    if (w->token.kind == MA_TOKEN_NAME) last = w->token;
  }
  *body = (span){ from, is_using ? w->token.start : last.start };
  return is_using || (last.start && span_is(name, &last));
}

static bool find_alias(const finder *f, span name, span *body) {
  if (template_argument(f, name, body) || option_defines(f, name, body)) return true;
  walk w = walk_of((span){ f->text, f->text + strlen(f->text) });
  while (next(&w)) {
    walk ahead = w;
    if (w.token.kind == MA_TOKEN_DIRECTIVE ? directive_defines(&w.token, name, body)
        : is(&w, "typedef")                ? declares(&ahead, false, name, body)
                                           : is(&w, "using") && declares(&ahead, true, name, body))
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
  { "uint", MA_UINT32 }, { "ulong", MA_UINT64 }, { "half", MA_FLOAT16 }, { "__half", MA_FLOAT16 },
  { "nv_half", MA_FLOAT16 }, { "__nv_bfloat16", MA_BFLOAT16 }, { "nv_bfloat16", MA_BFLOAT16 },
  { "cuComplex", MA_COMPLEX64 }, { "cuFloatComplex", MA_COMPLEX64 }, { "cuDoubleComplex", MA_COMPLEX128 },
  { "ma_c64", MA_COMPLEX64 }, { "ma_c128", MA_COMPLEX128 }
};
/* clang-format on */

static const struct {
  const char *name;
  uint8_t size;
} vectors[] = { { "char", 1 }, { "uchar", 1 }, { "short", 2 },    { "ushort", 2 },    { "int", 4 },   { "uint", 4 },
                { "long", 8 }, { "ulong", 8 }, { "longlong", 8 }, { "ulonglong", 8 }, { "float", 4 }, { "double", 8 } };

static type type_of_dtype(int dtype) { return (type){ .dtype = dtype, .size = ma_dtypes[dtype].itemsize }; }
static const type unknown = { .dtype = MA_NDTYPE, .any = true };

/* float4, uchar2, dim3: by size; a pair of floats takes a complex scalar. */
static bool vector_type(const char *name, type *t) {
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

static bool named_type(span s, type *t) {
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

static type basic_type(int bits) {
  bool is_unsigned = bits & UNSIGNED;
  if (bits & VOID) return unknown;
  if (bits & BOOL) return type_of_dtype(MA_BOOL);
  if (bits & FLOAT) return type_of_dtype(MA_FLOAT32);
  if (bits & DOUBLE) return bits & LONG ? unknown : type_of_dtype(MA_FLOAT64);
  if (bits & CHAR) {
    type t = type_of_dtype(is_unsigned ? MA_UINT8 : MA_INT8);
    t.any = !(bits & (UNSIGNED | SIGNED));
    return t;
  }
  if (bits & SHORT) return type_of_dtype(is_unsigned ? MA_UINT16 : MA_INT16);
  if (bits & (LONG | LONGLONG)) return type_of_dtype(is_unsigned ? MA_UINT64 : MA_INT64);
  return type_of_dtype(is_unsigned ? MA_UINT32 : MA_INT32);
}

static type read_type(const finder *f, span s, int depth, span *name);

/* A name, after its qualifiers: w stands on its last word. `arguments` are those of complex<float>. */
static type resolve(const finder *f, span name, span arguments, int depth) {
  type t;
  span body;
  if (depth > MAX_DEPTH) return unknown;
  if (arguments.from) {
    if ((size_t)(name.to - name.from) != 7 || strncmp(name.from, "complex", 7)) return unknown;
    t = read_type(f, arguments, depth + 1, NULL);
    return t.pointers              ? unknown
           : t.dtype == MA_FLOAT32 ? type_of_dtype(MA_COMPLEX64)
           : t.dtype == MA_FLOAT64 ? type_of_dtype(MA_COMPLEX128)
                                   : unknown;
  }
  if (find_alias(f, name, &body)) {
    finder plain = *f; /* a template's parameters mean nothing in its arguments */
    span ignored;
    if (template_argument(f, name, &ignored)) plain.header = (span){ 0 };
    return read_type(&plain, body, depth + 1, NULL);
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

/* A qualified name with its template arguments, the current token its first word. */
static type read_named(const finder *f, walk *w, int depth) {
  span name = span_of(&w->token), arguments = { 0 };
  while (peek_is(w, "::")) {
    next(w);
    if (!next(w)) return unknown;
    name = span_of(&w->token);
  }
  if (peek_is(w, "<")) {
    next(w);
    arguments.from = w->lex.at;
    if (!skip_group(w, "<", ">")) return unknown;
    arguments.to = w->token.start;
  }
  return resolve(f, name, arguments, depth);
}

/* `const unsigned long long *__restrict__ x = 0`: the type, and the parameter's name if it has one. */
static type read_type(const finder *f, span s, int depth, span *name) {
  walk w = walk_of(s);
  type t = unknown;
  int bits = 0;
  bool have = false, is_const = false, after = false; /* after: behind the first * */
  while (next(&w) && !is(&w, "=")) {
    if (is(&w, "const")) {
      if (!after) is_const = true;
    } else if (passes_over(&w.token) || is(&w, "::")) continue;
    else if (is(&w, "alignas") || is(&w, "__align__") || is(&w, "__attribute__")) {
      if (next(&w)) skip_group(&w, "(", ")");
    } else if (is(&w, "*")) {
      t.pointers++;
      after = true;
      if (bits) {
        type b = basic_type(bits);
        b.pointers = t.pointers;
        t = b;
        bits = 0;
        have = true;
      }
    } else if (is(&w, "[")) {
      bool attribute = peek_is(&w, "[");
      skip_group(&w, "[", "]");
      if (!attribute || have || bits) t.pointers++;
    } else if (is(&w, "&") || is(&w, "&&") || is(&w, "...")) return unknown;
    else if (is(&w, "(")) { /* float (*rows)[4]: some pointer; else a reference or worse */
      bool pointer = peek_is(&w, "*");
      t = unknown;
      t.pointers = pointer;
      t.is_const = is_const;
      return t;
    } else if (w.token.kind != MA_TOKEN_NAME) return unknown;
    else if (!have && word_bit(&w.token) && !after) bits |= word_bit(&w.token);
    else if (!have && !bits) {
      t = read_named(f, &w, depth);
      have = true;
      if (t.pointers) is_const = false;
    } else if (name) *name = span_of(&w.token);
  }
  if (bits && !have) {
    int pointers = t.pointers;
    t = basic_type(bits);
    t.pointers = pointers;
  }
  t.is_const = t.is_const || is_const;
  return t;
}

/* ---- Parameters ---- */

/* The declaration with single blanks, without its default. */
static void copy_text(char *to, size_t size, span s) {
  walk w = walk_of(s);
  size_t n = 0;
  const char *end = s.from;
  *to = 0;
  while (next(&w) && !is(&w, "=")) {
    bool blank = n && w.token.start > end;
    if (n + w.token.size + 2 > size) return;
    n += (size_t)snprintf(to + n, size - n, "%s%.*s", blank ? " " : "", (int)w.token.size, w.token.start);
    end = w.lex.at;
  }
}

static ma_kernel_param read_param(const finder *f, span s) {
  ma_kernel_param p = { .dtype = MA_NDTYPE };
  span name = { 0 };
  type t = read_type(f, s, 0, &name);
  p.dtype = (uint8_t)t.dtype;
  p.pointer = t.pointers > 0;
  p.is_const = t.is_const && t.pointers == 1;
  p.any = p.pointer && (t.any || t.pointers > 1);
  p.size = p.pointer ? sizeof(void *) : t.size;
  copy_text(p.text, sizeof p.text, s);
  return p;
}

static bool is_blank(span s) {
  walk w = walk_of(s);
  return !next(&w) || (is(&w, "void") && !next(&w));
}

static void read_list(const finder *f, span list, ma_kernel_signature *to) {
  span part;
  to->nparam = 0;
  if (is_blank(list)) return;
  while (next_part(&list, &part)) {
    if (to->nparam == MA_MAX_KERNEL_PARAMS) {
      to->nparam = -1;
      return;
    }
    to->param[to->nparam++] = read_param(f, part);
  }
}

/* A second declaration: what differs is not known (branches of the preprocessor, overloads). */
static void merge(ma_kernel_signature *to, const ma_kernel_signature *other) {
  to->c_linkage = to->c_linkage || other->c_linkage;
  if (to->nparam != other->nparam) to->nparam = -1;
  for (int i = 0; i < to->nparam; i++) {
    ma_kernel_param *p = &to->param[i];
    const ma_kernel_param *q = &other->param[i];
    if (p->dtype == q->dtype && p->pointer == q->pointer && p->size == q->size && p->is_const == q->is_const &&
        p->any == q->any)
      continue;
    p->any = true;
    p->is_const = p->is_const && q->is_const;
    p->dtype = MA_NDTYPE;
    if (p->pointer != q->pointer || p->size != q->size) {
      p->pointer = false;
      p->size = 0;
    }
  }
}

/* ---- Declarations ---- */

/* Is there a macro with __global__ in it? Each name of the text could be one, and finding out reads the whole text. */
static bool has_kernel_macros(const finder *f) {
  walk w = walk_of((span){ f->text, f->text + strlen(f->text) });
  for (int i = 0; i < f->noption; i++)
    if (strstr(f->option[i], "__global__")) return true;
  while (next(&w))
    if (w.token.kind == MA_TOKEN_DIRECTIVE && span_has(span_of(&w.token), "__global__")) return true;
  return false;
}

/* __global__, or a macro of the text that has it. */
static bool starts_kernel(const finder *f, const ma_token *t, bool *c_linkage) {
  span body;
  if (t->kind != MA_TOKEN_NAME) return false;
  if (ma_token_is(t, "__global__")) return true;
  if (ma_token_is(t, "MA_KERNEL")) return *c_linkage = true;
  finder macros = { .text = f->text, .option = f->option, .noption = f->noption };
  if (!f->has_macros || islower((unsigned char)*t->start) || !find_alias(&macros, span_of(t), &body) ||
      !span_has(body, "__global__"))
    return false;
  *c_linkage = *c_linkage || span_has(body, "\"C\"");
  return true;
}

static bool is_attribute(const walk *w) {
  static const char *const with[] = { "__launch_bounds__", "__attribute__",  "__declspec", "__cluster_dims__",
                                      "__maxnreg__",       "__block_size__", "alignas" };
  for (size_t i = 0; i < sizeof with / sizeof *with; i++)
    if (is(w, with[i])) return true;
  return false;
}

/* Behind __global__: the list of the kernel called `base`, if this is its declaration. */
static bool find_list(walk *w, span base, span *list) {
  ma_token name = { 0 };
  while (next(w) && !is(w, ";") && !is(w, "{") && !is(w, "}")) {
    if (is(w, "[")) skip_group(w, "[", "]");
    else if (is_attribute(w)) {
      if (next(w)) skip_group(w, "(", ")");
    } else if (is(w, "<")) skip_group(w, "<", ">");
    else if (w->token.kind == MA_TOKEN_NAME) name = w->token;
    else if (is(w, "(") && name.start) {
      list->from = w->lex.at;
      if (!skip_group(w, "(", ")")) return false;
      list->to = w->token.start;
      return span_is(base, &name);
    }
  }
  return false;
}

static void find_declarations(finder *f, span base, ma_kernel_signature *to) {
  walk w = walk_of((span){ f->text, f->text + strlen(f->text) });
  int depth = 0, c_depth = -1; /* c_depth: of the braces of extern "C" { */
  bool c_next = false;
  span header = { 0 }, list;
  f->has_macros = has_kernel_macros(f);
  while (next(&w)) {
    if (w.token.kind == MA_TOKEN_DIRECTIVE) continue;
    if (is(&w, "{")) {
      depth++;
      header = (span){ 0 };
      c_next = false;
    } else if (is(&w, "}")) {
      if (--depth == c_depth) c_depth = -1;
      header = (span){ 0 };
      c_next = false;
    } else if (is(&w, ";")) {
      header = (span){ 0 };
      c_next = false;
    } else if (is(&w, "extern")) {
      if (!peek_is(&w, "\"C\"")) continue;
      next(&w);
      if (peek_is(&w, "{")) {
        if (c_depth < 0) c_depth = depth;
      } else c_next = true;
    } else if (is(&w, "template") && peek_is(&w, "<")) {
      next(&w);
      header.from = w.lex.at;
      if (!skip_group(&w, "<", ">")) header = (span){ 0 };
      else header.to = w.token.start;
    } else {
      bool c = c_next || c_depth >= 0;
      walk ahead = w;
      if (!starts_kernel(f, &w.token, &c) || !find_list(&ahead, base, &list)) continue;
      ma_kernel_signature *one = malloc(sizeof *one);
      if (!one) return;
      memset(one, 0, sizeof *one);
      f->header = header;
      read_list(f, list, one);
      one->c_linkage = c;
      if (to->found) merge(to, one);
      else {
        memcpy(to->param, one->param, sizeof to->param);
        to->nparam = one->nparam;
        to->c_linkage = c;
      }
      to->found = true;
      free(one);
    }
  }
}

/* ---- What other files call ---- */

bool ma_is_identifier(const char *name) {
  if (!isalpha((unsigned char)*name) && *name != '_') return false;
  while (isalnum((unsigned char)*name) || *name == '_') name++;
  return !*name;
}

bool ma_is_name_expression(const char *name) {
  walk w = walk_of((span){ name, name + strlen(name) });
  int round = 0, square = 0, n = 0;
  for (const char *c = name; *c; c++)
    if (!isprint((unsigned char)*c) || strchr("\"'\\#;{}", *c)) return false;
  if (strstr(name, "//") || strstr(name, "/*")) return false;
  for (; next(&w); n++) {
    if (n == 0 && w.token.kind != MA_TOKEN_NAME && !is(&w, "&") && !is(&w, "::") && !is(&w, "(")) return false;
    round += is(&w, "(") - is(&w, ")");
    square += is(&w, "[") - is(&w, "]");
    if (round < 0 || square < 0) return false;
  }
  return n > 0 && round == 0 && square == 0;
}

void ma_kernel_signature_find(ma_kernel_signature *to, const char *text, const char *name, const char *const *option,
                              int noption) {
  finder f = { .text = text, .option = option, .noption = noption };
  walk w = walk_of((span){ name, name + strlen(name) });
  span base = { 0 };
  memset(to, 0, sizeof *to);
  to->nparam = -1;
  snprintf(to->name, sizeof to->name, "%s", name);
  while (next(&w)) {
    if (w.token.kind == MA_TOKEN_NAME) base = span_of(&w.token);
    else if (is(&w, "<")) {
      f.arguments.from = w.lex.at;
      if (!skip_group(&w, "<", ">")) return;
      f.arguments.to = w.token.start;
    } else if (!is(&w, "&") && !is(&w, "::") && !is(&w, "(") && !is(&w, ")")) return;
  }
  if (base.from) find_declarations(&f, base, to);
}

void ma_kernel_signature_fit(ma_kernel_signature *s, const ma_kernel *kernel) {
  if (kernel->nparam < 0) return;
  bool same = s->nparam == kernel->nparam;
  for (int i = 0; i < kernel->nparam; i++) {
    ma_kernel_param *p = &s->param[i];
    if (same && p->size == kernel->param_size[i]) continue;
    if (!same || p->size) *p = (ma_kernel_param){ .dtype = MA_NDTYPE, .any = true };
    p->size = kernel->param_size[i];
  }
  s->nparam = kernel->nparam;
}

const char *ma_kernel_signature_print(const ma_kernel_signature *s, char *text, size_t size) {
  size_t n = (size_t)snprintf(text, size, "%s(", s->name);
  for (int i = 0; i < s->nparam && n < size; i++) {
    const ma_kernel_param *p = &s->param[i];
    const char *comma = i ? ", " : "";
    n += (size_t)(*p->text ? snprintf(text + n, size - n, "%s%s", comma, p->text)
                           : snprintf(text + n, size - n, "%s%u bytes", comma, p->size));
  }
  if (n < size) snprintf(text + n, size - n, s->nparam < 0 ? "...)" : ")");
  return text;
}
