/*
** list.c: the bundles of the process. They come from beside the module, from MOONARRAY_BUNDLE, and from the program.
** The working folder is not searched. The list only grows, and readers take no lock.
*/
#include "bundle/bundle.h"
#include "base/fork.h"
#include "system/system.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64
#define ENDING ".mab"

static ma_bundle *list[MOST]; /* the newest comes last and is asked first */
static int count, nrefused;   /* atomic */
static char *refused[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)

/* A copy of another name is another bundle, for an image of the first may be damaged. */
static bool same(const ma_bundle *a, const ma_bundle *b) {
  uint32_t n = ma_bundle_count(a);
  return n == ma_bundle_count(b) && !strcmp(ma_bundle_name(a), ma_bundle_name(b)) &&
         !memcmp(ma_bundle_entry_at(a, 0), ma_bundle_entry_at(b, 0), n * sizeof(ma_bundle_entry));
}

/* Takes the bundle over. A file that is there already is not added again. */
static ma_status add_locked(ma_bundle *bundle) {
  for (int k = 0; k < count; k++)
    if (same(list[k], bundle)) {
      ma_bundle_close(bundle);
      return MA_OK;
    }
  if (count == MOST) {
    ma_status status = ma_fail(MA_ERR_VALUE, "%s is one bundle too many; a process may have %d", ma_bundle_name(bundle),
                               MOST);
    ma_bundle_close(bundle);
    return status;
  }
  ma_trace("jit", "bundle %s: %u images", ma_bundle_name(bundle), ma_bundle_count(bundle));
  list[count] = bundle;
  __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
  return MA_OK;
}

static ma_status add(ma_bundle *bundle) {
  pthread_mutex_lock(&lock);
  ma_status status = add_locked(bundle);
  pthread_mutex_unlock(&lock);
  return status;
}

static ma_status open_path(ma_bundle **bundle, const char *path) {
  int fd;
  MA_TRY(ma_bundle_open_trusted(path, &fd));
  return ma_bundle_open_file(bundle, fd, path);
}

static ma_status add_path(const char *path) {
  ma_bundle *bundle;
  MA_TRY(open_path(&bundle, path));
  return add(bundle);
}

/* ==== What is there when the process starts ==== */

/* A bundle that the program did not ask for itself is refused by one warning. */
static void warn_unless(ma_status status) {
  if (status == MA_OK) return;
  fprintf(stderr, "moonarray: %s\n", ma_message());
  pthread_mutex_lock(&lock);
  char *reason = nrefused < MOST ? strdup(ma_message()) : NULL;
  if (reason) {
    refused[nrefused] = reason;
    __atomic_store_n(&nrefused, nrefused + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool is_bundle(const char *name) {
  size_t n = strlen(name);
  return n > strlen(ENDING) && !strcmp(name + n - strlen(ENDING), ENDING);
}

static int list_folder(const char *folder, char *name[MOST]) {
  DIR *dir = opendir(folder);
  int n = 0;
  if (!dir) return 0;
  for (struct dirent *e; n < MOST && (e = readdir(dir));)
    if (is_bundle(e->d_name) && (name[n] = strdup(e->d_name))) n++;
  closedir(dir);
  qsort(name, (size_t)n, sizeof *name, by_name);
  return n;
}

static char *module; /* its path */

/* While the module is loaded: its path may be relative, and the program may change the working folder later. */
__attribute__((constructor)) static void note_module(void) {
  Dl_info info;
  if (dladdr(&module, &info) && info.dli_fname) module = realpath(info.dli_fname, NULL);
}

bool ma_bundle_beside_module(const char *name, char *path) {
  const char *slash = module ? ma_path_last(module) : NULL;
  return slash && snprintf(path, PATH_MAX, "%.*s/%s", (int)(slash - module), module, name) < PATH_MAX;
}

static void add_beside_module(void) {
  char folder[PATH_MAX], path[PATH_MAX], *name[MOST];
  if (!ma_bundle_beside_module("", folder)) return;
  int n = list_folder(folder, name);
  for (int k = 0; k < n; k++) {
    if (ma_bundle_beside_module(name[k], path)) warn_unless(add_path(path));
    free(name[k]);
  }
}

const char *ma_bundle_setting(const char *first) {
  const char *value = ma_config_string(MA_CONFIG_BUNDLE);
  return strncmp(value, first, strlen(first)) ? NULL : value + strlen(first);
}

static ma_status add_named(const char *value) {
  const char *name = ma_bundle_checks() ? ma_bundle_setting(MA_BUNDLE_CHECK) : value;
  if (name != value && *name) name++; /* the colon */
  if (!*name || ma_bundle_records()) return MA_OK;
  if (is_bundle(name)) return add_path(name);
  return ma_fail(MA_ERR_VALUE,
                 "MOONARRAY_BUNDLE is %s; wanted record:FILE, check, check:FILE, or a file, which ends in " ENDING,
                 value);
}

static void begin(void) {
  add_beside_module();
  warn_unless(add_named(ma_config_string(MA_CONFIG_BUNDLE)));
}

/* Opens them at the first call; cheap later. */
static void begin_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, begin);
}

/* ==== Functions for other files ==== */

ma_status ma_bundles_add(const char *path) {
  begin_once();
  return add_path(path);
}

ma_bundle *ma_bundle_open_or_warn(const char *path) {
  ma_bundle *bundle;
  ma_status status = open_path(&bundle, path);
  warn_unless(status);
  return status == MA_OK ? bundle : NULL;
}

ma_status ma_bundles_add_memory(const void *bytes, size_t size, const char *name) {
  ma_bundle *bundle;
  begin_once();
  MA_TRY(ma_bundle_open_memory(&bundle, bytes, size, name));
  return add(bundle);
}

void ma_bundles_found(const void *bytes, size_t size, const char *name) {
  warn_unless(ma_bundles_add_memory(bytes, size, name));
}

/* ==== The archive of a game ==== */

ma_status (*ma_bundle_of_archive)(const char *archive, const char *name, ma_bundle **bundle);
static char *archive; /* atomic */

void ma_bundles_archive(const char *path) {
  char *copy = strdup(path), *none = NULL;
  if (!__atomic_compare_exchange_n(&archive, &none, copy, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) free(copy);
}

bool ma_bundle_in_archive(const char *name, ma_bundle **bundle) {
  const char *path = __atomic_load_n(&archive, __ATOMIC_ACQUIRE);
  char member[PATH_MAX];
  *bundle = NULL;
  if (!path || !ma_bundle_of_archive) return false;
  snprintf(member, sizeof member, "moonarray/%s", name);
  ma_status status = ma_bundle_of_archive(path, member, bundle);
  warn_unless(status);
  return *bundle || status != MA_OK;
}

/* ==== The list ==== */

const ma_bundle *ma_bundles_at(int k) {
  begin_once();
  int n = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
  return k < n ? list[n - 1 - k] : NULL;
}

int ma_bundles_count(void) {
  begin_once();
  return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

const char *ma_bundles_refused(int k) {
  begin_once();
  return k < __atomic_load_n(&nrefused, __ATOMIC_ACQUIRE) ? refused[k] : NULL;
}

bool ma_bundles_serve(int arch) {
  const ma_bundle *b;
  for (int k = 0; (b = ma_bundles_at(k)); k++)
    for (uint32_t i = 0; i < ma_bundle_count(b); i++)
      if (ma_bundle_rank(ma_bundle_entry_at(b, i), arch)) return true;
  return false;
}
