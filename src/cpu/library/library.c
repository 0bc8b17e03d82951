/* library.c: opens BLAS, LAPACK and FFTW at run time. If a library is missing, the call that needs it fails, with a
** message that says how to get it. Libraries stay open for ever. */
#include "base/fork.h"
#include "cpu/library/library.h"
#include "system/system.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

ma_cpu_api ma_cl;

typedef struct symbol {
  int library;
  const char *exported;
  size_t offset;
  bool optional;
} symbol;
static const symbol symbols[] = {
#define SYMBOL(library, name, exported, result, parameters) \
  { MA_CPU_##library, #exported, offsetof(ma_cpu_api, name), false },
#define OPTIONAL(library, name, exported, result, parameters) \
  { MA_CPU_##library, #exported, offsetof(ma_cpu_api, name), true },
#include "cpu/library/symbols.def"
};

#define MOST_FILES 8
static const char *const titles[MA_CPU_NLIBRARY] = {
#define LIBRARY(id, title) [MA_CPU_##id] = title,
#include "cpu/library/symbols.def"
};
static const struct library_files {
  const char *hint, *file[MOST_FILES];
} files[MA_NSYSTEM][MA_CPU_NLIBRARY] = {
#define FILES(system, id, hint, ...) [MA_SYSTEM_##system][MA_CPU_##id] = { hint, { __VA_ARGS__ } },
#include "cpu/library/symbols.def"
};

/* The result of an attempt to open a library. A failure is kept and reported again. */
typedef struct attempt {
  bool done, ok;
  char file[512], why[1024];
  const ma_cpu_spelling *spelling;
} attempt;
static attempt attempts[MA_CPU_NLIBRARY];
static bool lapack_is_wide;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)

/* How libraries spell names: plainly; with 64-bit integers, as in Julia, Fedora and others; and as in SciPy's and
** NumPy's packages of OpenBLAS. */
static const ma_cpu_spelling spellings[] = { { "", "" }, { "", "64_" }, { "scipy_", "64_" }, { "scipy_", "" } };

void *ma_cpu_symbol(void *handle, const ma_cpu_spelling *spelling, const char *name) {
  char whole[128];
  snprintf(whole, sizeof whole, "%s%s%s", spelling->prefix, name, spelling->suffix);
  return dlsym(handle, whole);
}

/* Resolves all symbols of `which` or none; returns the name of a missing one, or NULL. */
static const char *resolve(int which, void *handle, const ma_cpu_spelling *spelling) {
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
      if (symbols[i].library != which) continue;
      void *address = ma_cpu_symbol(handle, spelling, symbols[i].exported);
      if (!address && !symbols[i].optional) return symbols[i].exported;
      if (pass) memcpy((char *)&ma_cl + symbols[i].offset, &address, sizeof address);
    }
  return NULL;
}

/* Whether the library's integers have 64 bits. Some libraries (MKL) do not show it in their names, but a result
** does. */
static bool writes_64_bits(void) {
  ma_blas_int one = 1, pivot = -1, info = 0;
  double matrix = 1;
  ma_cl.dgetrf(&one, &one, &matrix, &one, &pivot, &info);
  return sizeof pivot == 8 && pivot == 1;
}

static const char *try_open(int which, attempt *a, const char *file, const char **missing) {
  bool algebra = which == MA_CPU_blas || which == MA_CPU_lapack;
  void *before = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD), *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
  for (size_t k = 0; k < (algebra ? sizeof spellings / sizeof *spellings : 1) && !a->ok; k++) {
    const char *absent = resolve(which, handle, &spellings[k]);
    a->ok = !absent;
    a->spelling = &spellings[k];
    if (k == 0) *missing = absent;
  }
  if (a->ok && algebra) ma_cpu_openblas_settle(handle, a->spelling, !before);
  if (a->ok && which == MA_CPU_lapack) lapack_is_wide = writes_64_bits();
  return NULL;
}

static void open_locked(int which, attempt *a) {
  const struct library_files *of = &files[ma_system.id][which];
  const char *title = titles[which], *missing = NULL, *file = "", *why = NULL,
             *chosen = which == MA_CPU_blas || which == MA_CPU_lapack ? ma_config_string(MA_CONFIG_BLAS) : "";
  if (*chosen) why = try_open(which, a, file = chosen, &missing);
  for (int i = 0; !*chosen && i < MOST_FILES && of->file[i] && !a->ok; i++)
    if (!try_open(which, a, of->file[i], &missing)) file = of->file[i];
  if (a->ok) snprintf(a->file, sizeof a->file, "%s", file);
  else if (missing) snprintf(a->why, sizeof a->why, "%s has no %s; %s is wanted: %s", file, missing, title, of->hint);
  else if (why)
    snprintf(a->why, sizeof a->why, "%s does not open (%s); %s is wanted for MOONARRAY_BLAS", chosen, why, title);
  else snprintf(a->why, sizeof a->why, "%s was not found; %s", title, of->hint);
  __atomic_store_n(&a->done, true, __ATOMIC_RELEASE);
}

ma_status ma_cpu_need(ma_cpu_library which) {
  attempt *a = &attempts[which];
  if (!__atomic_load_n(&a->done, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&lock);
    if (!a->done) open_locked((int)which, a);
    pthread_mutex_unlock(&lock);
  }
  return a->ok ? MA_OK : ma_fail(MA_ERR_LIBRARY, "%s", a->why);
}

bool ma_cpu_lapack_is_wide(void) { return lapack_is_wide; }

const ma_cpu_spelling *ma_cpu_library_spelling(ma_cpu_library which) { return attempts[which].spelling; }

const char *ma_cpu_library_path(ma_cpu_library which) { return attempts[which].ok ? attempts[which].file : ""; }
