/* source.c: the whole text of a module that the user wrote. */
#include "compile/source.h"

#include <ctype.h>

static void put_quoted(ma_ctext *text, const char *name) {
  for (; *name; name++)
    if (isprint((unsigned char)*name)) ma_ctext_add(text, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
}

void ma_module_text(ma_ctext *text, const ma_module_source *source) {
  static const char *const prelude[] = { "scalar.h", "prelude.cuh", "user.cuh" };
  for (size_t i = 0; source->prelude && i < sizeof prelude / sizeof *prelude; i++)
    if (ma_embedded(prelude[i])) ma_ctext_put(text, ma_embedded(prelude[i]));
  if (source->prelude) {
    ma_ctext_put(text, "\n#line 1 \"");
    put_quoted(text, source->name);
    ma_ctext_put(text, "\"\n");
  }
  ma_ctext_put(text, source->text);
}
