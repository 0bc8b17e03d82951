/*
** signature.c: reads a kernel's parameters from its source, so that arguments can be converted and checked before a
** launch.
**
** It is not a C++ front end: it recognises the forms of declarations, and follows names through typedef, using,
** #define, -D and template arguments. If several declarations disagree, or a type is not known, the parameter's type is
** unknown, and it takes typed values only.
*/
#include "kernel/declared.h"
#include "kernel/signature.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Parameters ---- */

/* Copies the declaration with single spaces and without its default. */
static void copy_text(char *to, size_t size, ma_span s) {
  ma_cursor in = ma_cursor_of(s);
  size_t n = 0;
  const char *end = s.from;
  *to = 0;
  while (ma_cursor_next(&in) && !ma_cursor_is(&in, "=")) {
    bool blank = n && in.token.start > end;
    if (n + in.token.size + 2 > size) return;
    n += (size_t)snprintf(to + n, size - n, "%s%.*s", blank ? " " : "", (int)in.token.size, in.token.start);
    end = in.lex.at;
  }
}

static ma_kernel_param read_param(const ma_finder *f, ma_span s) {
  ma_kernel_param p = { .dtype = MA_NDTYPE };
  ma_span name = { 0 };
  ma_declared t = ma_declared_read(f, s, 0, &name);
  p.dtype = (uint8_t)t.dtype;
  p.pointer = t.pointers > 0;
  p.is_const = t.is_const && t.pointers == 1;
  p.any = p.pointer && (t.any || t.pointers > 1);
  p.size = p.pointer ? sizeof(void *) : t.size;
  copy_text(p.text, sizeof p.text, s);
  return p;
}

static bool is_blank(ma_span s) {
  ma_cursor in = ma_cursor_of(s);
  return !ma_cursor_next(&in) || (ma_cursor_is(&in, "void") && !ma_cursor_next(&in));
}

static void read_list(const ma_finder *f, ma_span list, ma_kernel_signature *to) {
  ma_span part;
  to->nparam = 0;
  if (is_blank(list)) return;
  while (ma_cursor_part(&list, &part)) {
    if (to->nparam == MA_MAX_KERNEL_PARAMS) {
      to->nparam = -1;
      return;
    }
    to->param[to->nparam++] = read_param(f, part);
  }
}

/* Merges another declaration (branches of the preprocessor, overloads): what differs becomes unknown. */
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

/* Whether a macro contains __global__. If so, any name in the text may start a kernel, which is slow to check. */
static bool has_kernel_macros(const ma_finder *f) {
  ma_cursor in = ma_cursor_of((ma_span){ f->text, f->text + strlen(f->text) });
  for (int i = 0; i < f->noption; i++)
    if (strstr(f->option[i], "__global__")) return true;
  while (ma_cursor_next(&in))
    if (in.token.kind == MA_TOKEN_DIRECTIVE && ma_span_has(ma_span_of(&in.token), "__global__")) return true;
  return false;
}

/* Whether the token is __global__, or a macro of the text with __global__ in it. */
static bool starts_kernel(const ma_finder *f, const ma_token *t, bool *c_linkage) {
  ma_span body;
  if (t->kind != MA_TOKEN_NAME) return false;
  if (ma_token_is(t, "__global__")) return true;
  if (ma_token_is(t, "MA_KERNEL")) return *c_linkage = true;
  ma_finder macros = { .text = f->text, .option = f->option, .noption = f->noption };
  if (!f->has_macros || islower((unsigned char)*t->start) || !ma_find_alias(&macros, ma_span_of(t), &body) ||
      !ma_span_has(body, "__global__"))
    return false;
  *c_linkage = *c_linkage || ma_span_has(body, "\"C\"");
  return true;
}

static bool is_attribute(const ma_cursor *in) {
  static const char *const with[] = { "__launch_bounds__", "__attribute__",  "__declspec", "__cluster_dims__",
                                      "__maxnreg__",       "__block_size__", "alignas" };
  for (size_t i = 0; i < sizeof with / sizeof *with; i++)
    if (ma_cursor_is(in, with[i])) return true;
  return false;
}

/* After __global__: finds the parameter list, if this declares the kernel `base`. */
static bool find_list(ma_cursor *in, ma_span base, ma_span *list) {
  ma_token name = { 0 };
  while (ma_cursor_next(in) && !ma_cursor_is(in, ";") && !ma_cursor_is(in, "{") && !ma_cursor_is(in, "}")) {
    if (ma_cursor_is(in, "[")) ma_cursor_skip(in, "[", "]");
    else if (is_attribute(in)) {
      if (ma_cursor_next(in)) ma_cursor_skip(in, "(", ")");
    } else if (ma_cursor_is(in, "<")) ma_cursor_skip(in, "<", ">");
    else if (in->token.kind == MA_TOKEN_NAME) name = in->token;
    else if (ma_cursor_is(in, "(") && name.start) {
      list->from = in->lex.at;
      if (!ma_cursor_skip(in, "(", ")")) return false;
      list->to = in->token.start;
      return ma_span_is(base, &name);
    }
  }
  return false;
}

static void find_declarations(ma_finder *f, ma_span base, ma_kernel_signature *to) {
  ma_cursor in = ma_cursor_of((ma_span){ f->text, f->text + strlen(f->text) });
  int depth = 0, c_depth = -1; /* c_depth: depth of the braces of extern "C" { */
  bool c_next = false;
  ma_span header = { 0 }, list;
  f->has_macros = has_kernel_macros(f);
  while (ma_cursor_next(&in)) {
    if (in.token.kind == MA_TOKEN_DIRECTIVE) continue;
    if (ma_cursor_is(&in, "{")) {
      depth++;
      header = (ma_span){ 0 };
      c_next = false;
    } else if (ma_cursor_is(&in, "}")) {
      if (--depth == c_depth) c_depth = -1;
      header = (ma_span){ 0 };
      c_next = false;
    } else if (ma_cursor_is(&in, ";")) {
      header = (ma_span){ 0 };
      c_next = false;
    } else if (ma_cursor_is(&in, "extern")) {
      if (!ma_cursor_peek_is(&in, "\"C\"")) continue;
      ma_cursor_next(&in);
      if (ma_cursor_peek_is(&in, "{")) {
        if (c_depth < 0) c_depth = depth;
      } else c_next = true;
    } else if (ma_cursor_is(&in, "template") && ma_cursor_peek_is(&in, "<")) {
      ma_cursor_next(&in);
      header.from = in.lex.at;
      if (!ma_cursor_skip(&in, "<", ">")) header = (ma_span){ 0 };
      else header.to = in.token.start;
    } else {
      bool c = c_next || c_depth >= 0;
      ma_cursor ahead = in;
      if (!starts_kernel(f, &in.token, &c) || !find_list(&ahead, base, &list)) continue;
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
  ma_cursor in = ma_cursor_of((ma_span){ name, name + strlen(name) });
  int round = 0, square = 0, n = 0;
  for (const char *c = name; *c; c++)
    if (!isprint((unsigned char)*c) || strchr("\"'\\#;{}", *c)) return false;
  if (strstr(name, "//") || strstr(name, "/*")) return false;
  for (; ma_cursor_next(&in); n++) {
    if (n == 0 && in.token.kind != MA_TOKEN_NAME && !ma_cursor_is(&in, "&") && !ma_cursor_is(&in, "::") &&
        !ma_cursor_is(&in, "("))
      return false;
    round += ma_cursor_is(&in, "(") - ma_cursor_is(&in, ")");
    square += ma_cursor_is(&in, "[") - ma_cursor_is(&in, "]");
    if (round < 0 || square < 0) return false;
  }
  return n > 0 && round == 0 && square == 0;
}

void ma_kernel_signature_find(ma_kernel_signature *to, const char *text, const char *name, const char *const *option,
                              int noption) {
  ma_finder f = { .text = text, .option = option, .noption = noption };
  ma_cursor in = ma_cursor_of((ma_span){ name, name + strlen(name) });
  ma_span base = { 0 };
  memset(to, 0, sizeof *to);
  to->nparam = -1;
  snprintf(to->name, sizeof to->name, "%s", name);
  while (ma_cursor_next(&in)) {
    if (in.token.kind == MA_TOKEN_NAME) base = ma_span_of(&in.token);
    else if (ma_cursor_is(&in, "<")) {
      f.arguments.from = in.lex.at;
      if (!ma_cursor_skip(&in, "<", ">")) return;
      f.arguments.to = in.token.start;
    } else if (!ma_cursor_is(&in, "&") && !ma_cursor_is(&in, "::") && !ma_cursor_is(&in, "(") &&
               !ma_cursor_is(&in, ")"))
      return;
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
