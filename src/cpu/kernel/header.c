/* header.c: the text in front of every kernel that the user wrote: kernels/cpu/cpu_cuda.h, and the families of CUDA
** functions that the kernel may call. Other families are left out: compiling them takes as long as the kernel. */
#include "cpu/kernel/header.h"

#include <string.h>

/* The families, and parts of the names of their functions. Macros may paste names together, so parts are searched
** anywhere in the text. */
static const struct {
  const char *file, *part[9];
} families[] = {
  { "cpu_cuda_rounded.h", { "_rn", "_rz", "_ru", "_rd" } },
  { "cpu_cuda_simd.h", { "__v" } },
  { "cpu_cuda_special.h", { "erf", "norm", "cyl_", "hypot" } },
  { "cpu_cuda_constants.h", { "CUDART" } },
  { "cpu_cuda_texture.h", { "tex1D", "tex2D", "tex3D", "surf", "cudaTexture", "cudaSurface", "cudaBoundaryMode" } },
};

static void put_file(ma_ctext *out, const char *name) {
  ma_ctext_add(out, "#line 1 \"%s\"\n", name); /* the user's file name is kept for the user's lines */
  ma_ctext_put(out, ma_embedded(name));
}

void ma_cpu_header_print(ma_ctext *out, const char *text, const char *options) {
  /* a header may use any function */
  bool all = (options && strstr(options, "-I")) || (text && strstr(text, "include \""));
  put_file(out, "cpu_cuda.h");
  put_file(out, "cpu_windows.h");
  put_file(out, "cpu_cuda_math.h");
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    bool named = all;
    for (int k = 0; families[i].part[k] && !named; k++)
      named = (text && strstr(text, families[i].part[k])) || (options && strstr(options, families[i].part[k]));
    if (named) put_file(out, families[i].file);
  }
}
