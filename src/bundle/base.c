/*
** base.c: the base set, compiled kernels of the library's own (make kernels): a bundle for each architecture, in the
** folder kernels beside the module, in another folder where Lua looks for modules, or in the archive of a game. A card
** takes that of its own compute capability, else that of the same major version and the next lower minor one. Only that
** file is opened, when the first kernel is sought there. Beside them lies the floor set, for all cards.
*/
#include "bundle/bundle.h"
#include "base/fork.h"
#include "system/system.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 8 /* architectures of cards in a machine, and the floor */

#define FLOOR 0 /* in place of an architecture */

static struct {
  int arch;          /* of the cards, or FLOOR */
  ma_bundle *bundle; /* NULL: there is none for them */
} list[MOST];
static int count; /* atomic; the list only grows */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)

static char *patterns; /* atomic */

void ma_bundles_patterns(const char *list) {
  char *copy = strdup(list), *none = NULL;
  if (!__atomic_compare_exchange_n(&patterns, &none, copy, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) free(copy);
}

/* Whether a pattern, "/usr/lib/lua/5.1/?.so", leads to the file in its folder moonarray. One that begins in the working
** folder does not count. */
static bool leads(const char *pattern, size_t size, const char *name, char *path) {
  const char *mark = memchr(pattern, '?', size);
  return mark && ma_path_is_absolute(pattern) && strchr("/\\", mark[-1]) &&
         snprintf(path, PATH_MAX, "%.*smoonarray/%s", (int)(mark - pattern), pattern, name) < PATH_MAX &&
         access(path, F_OK) == 0;
}

static bool find_by_patterns(const char *name, char *path) {
  const char *at = __atomic_load_n(&patterns, __ATOMIC_ACQUIRE);
  for (size_t n; at && *at; at += n + (at[n] == ';'))
    if (leads(at, n = strcspn(at, ";"), name, path)) return true;
  return false;
}

static bool open_beside(const char *name, ma_bundle **bundle) {
  char path[PATH_MAX];
  bool is_there = ma_bundle_beside_module(name, path) && access(path, F_OK) == 0;
  if (!is_there && !find_by_patterns(name, path)) return ma_bundle_in_archive(name, bundle);
  *bundle = ma_bundle_open_or_warn(path);
  return true;
}

static ma_bundle *open_for(int arch) {
  ma_bundle *bundle = NULL;
  char name[32];
  if (arch == FLOOR && open_beside("kernels/floor.mab", &bundle)) return bundle;
  for (int image = arch; image > 0 && image / 10 == arch / 10; image--) {
    snprintf(name, sizeof name, "kernels/base-%d.mab", image);
    if (open_beside(name, &bundle)) return bundle;
  }
  return NULL;
}

/* Where the architecture is in the list, or where it would be. */
static int find(int arch) {
  int n = __atomic_load_n(&count, __ATOMIC_ACQUIRE), k = 0;
  while (k < n && list[k].arch != arch) k++;
  return k;
}

/* Takes the bundle over, unless another thread was first. */
static void add(int arch, ma_bundle *bundle) {
  pthread_mutex_lock(&lock);
  int k = find(arch);
  if (k == count && k < MOST) {
    list[k].arch = arch;
    list[k].bundle = bundle;
    __atomic_store_n(&count, k + 1, __ATOMIC_RELEASE);
    bundle = NULL;
  }
  pthread_mutex_unlock(&lock);
  if (bundle) ma_bundle_close(bundle);
}

const ma_bundle *ma_bundles_base(int arch) {
  int k = find(arch);
  if (k == __atomic_load_n(&count, __ATOMIC_ACQUIRE) && k < MOST) {
    add(arch, open_for(arch));
    k = find(arch);
  }
  return k < MOST ? list[k].bundle : NULL;
}

const ma_bundle *ma_bundles_floor(void) { return ma_bundles_base(FLOOR); }

const ma_bundle *ma_bundles_base_at(int k) {
  for (int i = 0, n = __atomic_load_n(&count, __ATOMIC_ACQUIRE); i < n; i++)
    if (list[i].bundle && k-- == 0) return list[i].bundle;
  return NULL;
}
