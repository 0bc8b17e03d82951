/* body_text.c: parts of an elementwise body's text that both backends print. kernels/user.cuh defines the types. */
#include "compile/body.h"

#include <string.h>

static const char *const suffixes[MA_NDTYPE] = {
#define DTYPE(ID, name, suffix, itemsize, kind, npy, reg) #suffix,
#include "base/dtype.def"
#undef DTYPE
};

void ma_body_print_part(ma_ctext *text, const ma_body *body, const char *part, const char *lines) {
  if (!*lines) return;
  ma_ctext_add(text, "\n#line 1 \"%s: %s\"\n", body->name, part);
  ma_ctext_put(text, lines);
  ma_ctext_put(text, strcmp(part, "preamble") ? "\n;\n#line 1 \"moonarray\"\n" : "\n#line 1 \"moonarray\"\n");
}

/* A parameter may have the name of a macro of <math.h> or of the library. */
void ma_body_print_undefined(ma_ctext *text, const ma_body *body) {
  for (int k = 0; k < body->nparam; k++) ma_ctext_add(text, "#undef %s\n", body->param[k].name);
}

void ma_body_print_head(ma_ctext *text, const ma_body *body) {
  ma_body_print_undefined(text, body);
  ma_options_print(text, body->options);
  for (int k = 0; k < body->ntype; k++)
    ma_ctext_add(text, "typedef us_%s::type %s;\n", suffixes[body->type[k].dtype], body->type[k].name);
  ma_body_print_part(text, body, "preamble", body->preamble);
}

void ma_body_print_operation(ma_ctext *text, const ma_body *body, const char *attribute) {
  const char *comma = "";
  ma_ctext_put(text, "  auto _operation = [&](");
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *p = &body->param[k];
    if (p->role == MA_PARAM_RAW) continue;
    bool out = p->role == MA_PARAM_OUTPUT;
    ma_ctext_add(text, "%s%sus_%s::type %s%s", comma, out ? "" : "const ", suffixes[p->dtype], out ? "&" : "", p->name);
    comma = ", ";
  }
  if (body->uses_index) ma_ctext_add(text, "%sconst ptrdiff_t i", comma);
  ma_ctext_add(text, ") %s-> void {", attribute);
  ma_body_print_part(text, body, "operation", body->operation);
  ma_ctext_put(text, "  };\n");
}
