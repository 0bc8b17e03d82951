/*
** openblas.c: two things that OpenBLAS cannot know by itself. How many threads the user of this library wants; and, of a release that is
** older than the processor, that it may use AVX2 or AVX-512: what it does not know it runs with the kernels of 2004 (Prescott), at a fifth
** of the speed. Its own switch for that, $OPENBLAS_CORETYPE, stays the user's where it is set.
*/
#include "library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A core that has what the processor has, or NULL where `core` is no worse. */
static const char *better_core(const char *core)
{
#if defined(__x86_64__) || defined(__i386__)
  static const char *const old[] = { "Generic", "Unknown", "Katmai", "Coppermine", "Northwood", "Prescott", "Banias", "Atom", "Core2", "Penryn", "Dunnington",
                                     "Nehalem", "Sandybridge" };
  bool is_old = false;
  for (size_t i = 0; i < sizeof old / sizeof *old; i++)
    is_old |= !strcasecmp(core, old[i]);
  __builtin_cpu_init();
  if (!is_old || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return NULL;
  bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return wide ? "SkylakeX" : "Haswell";
#else
  return NULL;
#endif
}

/* The library chooses its kernels when it is loaded, and again here: it has done nothing yet. */
static void choose_core(void *handle)
{
  void *name = dlsym(handle, "openblas_get_corename"), *init = dlsym(handle, "gotoblas_dynamic_init"), *quit = dlsym(handle, "gotoblas_dynamic_quit");
  if (!name || !init || !quit || getenv("OPENBLAS_CORETYPE"))
    return;
  const char *core = ((char *(*)(void))name)(), *better = better_core(core);
  if (!better)
    return;
  ma_trace("linalg", "OpenBLAS takes this processor for %s; told that it is %s", core, better);
  setenv("OPENBLAS_CORETYPE", better, 1);
  ((void (*)(void))quit)();
  ((void (*)(void))init)();
  unsetenv("OPENBLAS_CORETYPE");
}

static void choose_threads(void *handle)
{
  static const char *const setters[] = { "openblas_set_num_threads", "MKL_Set_Num_Threads" };
  int64_t wanted = ma_config_int(MA_CONFIG_NUM_THREADS);
  for (size_t i = 0; wanted > 0 && i < sizeof setters / sizeof *setters; i++) {
    void *set = dlsym(handle, setters[i]);
    if (set)
      ((void (*)(int))set)((int)(wanted < 1024 ? wanted : 1024));
  }
}

void ma_cpu_openblas_settle(void *handle, bool fresh)
{
  if (fresh)
    choose_core(handle);
  choose_threads(handle);
}
