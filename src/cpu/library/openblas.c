/*
** openblas.c: settings of OpenBLAS: the number of threads that the user wants; one thread while the backend's threads
** call it; and the kernels for AVX2 or AVX-512 in a release that is older than the processor. Such a release runs the
** kernels of 2004 (Prescott), at a fifth of the speed. If the user set $OPENBLAS_CORETYPE, it is kept.
*/
#include "base/fork.h"
#include "cpu/library/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The type of core that the processor's features allow, or NULL if `core` is no worse. */
static const char *better_core(const char *core) {
#if defined(__x86_64__) || defined(__i386__)
  static const char *const old[] = { "Generic", "Unknown", "Katmai", "Coppermine", "Northwood", "Prescott",   "Banias",
                                     "Atom",    "Core2",   "Penryn", "Dunnington", "Nehalem",   "Sandybridge" };
  bool is_old = false;
  for (size_t i = 0; i < sizeof old / sizeof *old; i++) is_old |= !strcasecmp(core, old[i]);
  __builtin_cpu_init();
  if (!is_old || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return NULL;
  bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
  return wide ? "SkylakeX" : "Haswell";
#else
  return NULL;
#endif
}

/* Lets the library choose its kernels again, before it has done any work. It chose them when it was loaded. */
static void choose_core(void *handle, const ma_cpu_spelling *spelling) {
  void *name = ma_cpu_symbol(handle, spelling, "openblas_get_corename"),
       *init = ma_cpu_symbol(handle, spelling, "gotoblas_dynamic_init");
  void *quit = ma_cpu_symbol(handle, spelling, "gotoblas_dynamic_quit");
  if (!name || !init || !quit || getenv("OPENBLAS_CORETYPE")) return;
  const char *core = ((char *(*)(void))name)(), *better = better_core(core);
  if (!better) return;
  ma_trace("linalg", "OpenBLAS takes this processor for %s; told that it is %s", core, better);
  setenv("OPENBLAS_CORETYPE", better, 1);
  ((void (*)(void))quit)();
  ((void (*)(void))init)();
  unsetenv("OPENBLAS_CORETYPE");
}

/* Open libraries whose number of threads can be set: BLAS and LAPACK, which are usually one. The setting is for the
** whole process. */
typedef struct counted {
  void (*set)(int n);
  int (*get)(void);
  int before;
} counted;
static counted libraries[2];
static int nlibrary, running;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)

static void choose_threads(void *handle, const ma_cpu_spelling *spelling) {
  int64_t wanted = ma_config_int(MA_CONFIG_NUM_THREADS);
  void *set = ma_cpu_symbol(handle, spelling, "openblas_set_num_threads"),
       *get = ma_cpu_symbol(handle, spelling, "openblas_get_num_threads");
  if (!set) set = dlsym(handle, "MKL_Set_Num_Threads");
  if (set && wanted > 0) ((void (*)(int))set)((int)(wanted < 1024 ? wanted : 1024));
  pthread_mutex_lock(&lock);
  if (set && get && nlibrary < 2 && (nlibrary == 0 || (void *)libraries[0].set != set))
    libraries[nlibrary++] = (counted){ (void (*)(int))set, (int (*)(void))get, 0 };
  pthread_mutex_unlock(&lock);
}

bool ma_cpu_openblas_is_there(void) { return __atomic_load_n(&nlibrary, __ATOMIC_RELAXED) > 0; }

/* While any thread of the backend calls the library, it uses one thread. */
void ma_cpu_openblas_alone(bool begin) {
  pthread_mutex_lock(&lock);
  bool change = begin ? running++ == 0 : --running == 0;
  for (int i = 0; change && i < nlibrary; i++) {
    counted *l = &libraries[i];
    if (begin) l->before = l->get();
    l->set(begin ? 1 : l->before);
  }
  pthread_mutex_unlock(&lock);
}

void ma_cpu_openblas_settle(void *handle, const ma_cpu_spelling *spelling, bool fresh) {
  if (fresh) choose_core(handle, spelling);
  choose_threads(handle, spelling);
}
