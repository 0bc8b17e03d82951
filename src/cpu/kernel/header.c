/*
** header.c: what stands in front of every kernel of the user's own on the CPU: kernels/cpu/cpu_cuda.h, and those of
** CUDA's functions that the text may call. A family that it names nothing of is left out: the compiler would need as
** long for it as for the kernel.
*/
#include "cpu/kernel/header.h"

#include <string.h>

/* A name may be pasted together by macros, so parts of names are looked for, wherever they stand. */
static const struct {
  const char *file, *part[5];
} families[] = {
  { "cpu_cuda_rounded.h", { "_rn", "_rz", "_ru", "_rd" } },
  { "cpu_cuda_simd.h", { "__v" } },
  { "cpu_cuda_special.h", { "erf", "norm", "cyl_", "hypot" } },
  { "cpu_cuda_constants.h", { "CUDART" } },
};

static void put_file(ma_ctext *out, const char *name) {
  ma_ctext_add(out, "#line 1 \"%s\"\n", name); /* the user's own name is kept for his own lines */
  ma_ctext_put(out, ma_embedded(name));
}

void ma_cpu_header_print(ma_ctext *out, const char *text, const char *options) {
  bool all = (options && strstr(options, "-I")) || (text && strstr(text, "include \"")); /* a header may name any */
  put_file(out, "cpu_cuda.h");
  put_file(out, "cpu_cuda_math.h");
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    bool named = all;
    for (int k = 0; families[i].part[k] && !named; k++)
      named = (text && strstr(text, families[i].part[k])) || (options && strstr(options, families[i].part[k]));
    if (named) put_file(out, families[i].file);
  }
}
