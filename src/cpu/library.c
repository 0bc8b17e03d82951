/*
** library.c: opens BLAS, LAPACK and FFTW at run time. A missing library fails the call that needs it, with a message that says how
** to get it. Libraries stay open for ever.
*/
#include "../fork.h"
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

ma_cpu_api ma_cl;

typedef struct symbol { int library; const char *exported; size_t offset; bool optional; } symbol;
static const symbol symbols[] = {
#define SYMBOL(library, name, exported, result, parameters) {MA_CPU_##library, #exported, offsetof(ma_cpu_api, name), false},
#define OPTIONAL(library, name, exported, result, parameters) {MA_CPU_##library, #exported, offsetof(ma_cpu_api, name), true},
#include "symbols.def"
};

#define MOST_FILES 8
typedef struct library_info { const char *title, *hint, *file[MOST_FILES]; } library_info;
static const library_info infos[MA_CPU_NLIBRARY] = {
#define LIBRARY(id, title, hint, ...) {title, hint, {__VA_ARGS__}},
#include "symbols.def"
};

/* What an attempt to open a library came to; a failure is kept and told again. */
typedef struct attempt { bool done, ok; char file[64], why[600]; } attempt;
static attempt attempts[MA_CPU_NLIBRARY];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)

/* All symbols of `which` or none; the name of one that is missing, or NULL. */
static const char *resolve(int which, void *handle)
{
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
      if (symbols[i].library != which)
        continue;
      void *address = dlsym(handle, symbols[i].exported);
      if (!address && !symbols[i].optional)
        return symbols[i].exported;
      if (pass)
        memcpy((char *)&ma_cl + symbols[i].offset, &address, sizeof address);
    }
  return NULL;
}

static void open_locked(int which, attempt *a)
{
  const library_info *info = &infos[which];
  const char *missing = NULL, *file = "";
  for (int i = 0; i < MOST_FILES && info->file[i] && !a->ok; i++) {
    void *before = dlopen(info->file[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD), *handle = dlopen(info->file[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      continue;
    file = info->file[i];
    missing = resolve(which, handle);
    a->ok = !missing;
    if (a->ok && (which == MA_CPU_blas || which == MA_CPU_lapack))
      ma_cpu_openblas_settle(handle, !before);
  }
  if (a->ok)
    snprintf(a->file, sizeof a->file, "%s", file);
  else if (missing)
    snprintf(a->why, sizeof a->why, "%s has no %s; %s is wanted: %s", file, missing, info->title, info->hint);
  else
    snprintf(a->why, sizeof a->why, "%s was not found; %s", info->title, info->hint);
  __atomic_store_n(&a->done, true, __ATOMIC_RELEASE);
}

ma_status ma_cpu_need(ma_cpu_library which)
{
  attempt *a = &attempts[which];
  if (!__atomic_load_n(&a->done, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&lock);
    if (!a->done)
      open_locked((int)which, a);
    pthread_mutex_unlock(&lock);
  }
  return a->ok ? MA_OK : ma_fail(MA_ERR_LIBRARY, "%s", a->why);
}

const char *ma_cpu_library_path(ma_cpu_library which) { return attempts[which].ok ? attempts[which].file : ""; }
