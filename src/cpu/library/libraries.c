/* libraries.c: the CPU's libraries for show_config: the file that the linker found, and its version. */
#include "cpu/library/library.h"

#include "backend/libraries.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  ma_cpu_library which;
  const char *title, *probe;
} rows[] = {
  { MA_CPU_blas, "BLAS", "dgemm_" },
  { MA_CPU_lapack, "LAPACK", "dgetrf_" },
  { MA_CPU_fftw, "FFTW, float64", "fftw_execute_dft" },
  { MA_CPU_fftwf, "FFTW, float32", "fftwf_execute_dft" },
};

static void say_version(void *handle, const ma_cpu_spelling *spelling, char *text, size_t size) {
  void *f = ma_cpu_symbol(handle, spelling, "openblas_get_config"),
       *core = ma_cpu_symbol(handle, spelling, "openblas_get_corename");
  void *threads = ma_cpu_symbol(handle, spelling, "openblas_get_num_threads");
  const char *string = dlsym(handle, "fftw_version");
  if (!string) string = dlsym(handle, "fftwf_version");
  if (string) {
    snprintf(text, size, "%s", string);
    /* "OpenBLAS 0.3.21 NO_AFFINITY ...": its name and version. */
  } else if (f && core && threads) {
    const char *config = ((char *(*)(void))f)(), *space = strchr(config, ' '),
               *end = space ? strchr(space + 1, ' ') : NULL;
    snprintf(text, size, "%.*s, %s, %d threads", end ? (int)(end - config) : (int)strlen(config), config,
             ((char *(*)(void))core)(), ((int (*)(void))threads)());
  } else if ((f = dlsym(handle, "MKL_Get_Version_String"))) {
    ((void (*)(char *, int))f)(text, (int)size);
  } else if ((f = dlsym(handle, "bli_info_get_version_str"))) {
    snprintf(text, size, "BLIS %s", ((char *(*)(void))f)());
  }
}

bool ma_cpu_info_library(int k, ma_library_look *look) {
  Dl_info info;
  if (k >= (int)(sizeof rows / sizeof *rows)) return false;
  memset(look, 0, sizeof *look);
  look->title = rows[k].title;
  look->found = ma_cpu_need(rows[k].which) == MA_OK;
  if (!look->found) {
    snprintf(look->why, sizeof look->why, "%s", ma_message());
    return true;
  }
  snprintf(look->path, sizeof look->path, "%s", ma_cpu_library_path(rows[k].which));
  const ma_cpu_spelling *spelling = ma_cpu_library_spelling(rows[k].which);
  void *handle = dlopen(look->path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD),
       *probe = handle ? ma_cpu_symbol(handle, spelling, rows[k].probe) : NULL;
  if (probe && dladdr(probe, &info) && info.dli_fname) {
    char *real = realpath(info.dli_fname, NULL);
    snprintf(look->path, sizeof look->path, "%s", real ? real : info.dli_fname);
    free(real);
  }
  if (handle) say_version(handle, spelling, look->version, sizeof look->version);
  return true;
}
