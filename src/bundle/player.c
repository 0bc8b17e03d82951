/*
** player.c: MOONARRAY_BUNDLE=check lists at the end of the process what the program asked for: kernels, of GPUs and the
** user's own of CPUs, each with its line and where its image was found, and libraries of NVIDIA. The process ends
** with 1 if a player, who has neither the author's cache nor NVRTC, a C++ compiler and those libraries, would miss
** something.
*/
#include "bundle/bundle.h"
#include "base/fork.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "MOONARRAY_BUNDLE=check"

typedef struct row {
  uint64_t id;
  int arch; /* 0: a library */
  bool served;
  char *name, *place, *from;
} row;

static row *rows; /* some hundreds, in the order in which they were asked for */
static size_t nrow, room;
static bool failed; /* a row is missing */
static pid_t process;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)

/* ==== The report ==== */

static void print(const row *r) {
  char card[32] = "";
  if (r->arch >= MA_BUNDLE_CPU) snprintf(card, sizeof card, " for the CPU");
  else if (r->arch) snprintf(card, sizeof card, " for %d.%d", r->arch / 10, r->arch % 10);
  fprintf(stderr, "  %-8s %s%s, asked for at %s: %s\n", r->served ? "there" : "missing", r->name, card,
          *r->place ? r->place : "an unknown line", r->from);
}

/* Says what a player misses; whether that is something. */
static bool print_rows(void) {
  size_t nmissing = 0;
  fprintf(stderr, "moonarray: " NAME ": kernels and libraries that the program asked for\n");
  for (size_t k = 0; k < nrow; k++) {
    print(&rows[k]);
    nmissing += !rows[k].served;
  }
  if (nmissing) fprintf(stderr, "moonarray: " NAME ": %zu of %zu would be missing at a player's\n", nmissing, nrow);
  else if (nrow) fprintf(stderr, "moonarray: " NAME ": nothing would be missing on machines like this one\n");
  else
    fprintf(stderr,
            "moonarray: " NAME ": nothing was asked for; did the program run on a GPU, or kernels of its own?\n");
  if (failed) fprintf(stderr, "moonarray: " NAME ": out of memory for the list, which is not whole\n");
  return nmissing || failed;
}

/* Handlers that were registered before this one, when the module was opened, do not run if something is missing. */
static void report(void) {
  if (getpid() != process) return;
  fflush(NULL); /* what the program printed comes first */
  if (print_rows()) _exit(1);
}

bool ma_bundle_checks(void) {
  static int known; /* atomic; 0: not yet, 1: no, 2: yes */
  int now = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (now) return now == 2;
  const char *rest = ma_bundle_setting(MA_BUNDLE_CHECK);
  bool checks = rest && (!*rest || *rest == ':');
  pthread_mutex_lock(&lock);
  if (checks && !process) {
    process = getpid();
    failed = atexit(report) != 0;
  }
  pthread_mutex_unlock(&lock);
  __atomic_store_n(&known, checks ? 2 : 1, __ATOMIC_RELAXED);
  return checks;
}

/* ==== The list ==== */

static row *find_locked(uint64_t id, int arch) {
  for (size_t k = 0; k < nrow; k++)
    if (rows[k].id == id && rows[k].arch == arch) return &rows[k];
  return NULL;
}

static row *add_locked(uint64_t id, int arch, const char *name, const char *place) {
  if (nrow == room) {
    row *more = realloc(rows, (room * 2 + 64) * sizeof *more);
    if (!more) return NULL;
    rows = more;
    room = room * 2 + 64;
  }
  row *r = &rows[nrow];
  *r = (row){ .id = id, .arch = arch, .name = strdup(name), .place = strdup(place) };
  if (r->name && r->place) nrow++;
  else {
    free(r->name);
    free(r->place);
    r = NULL;
  }
  return r;
}

/* What is asked for again has its first line, and is where it was found last. */
static void note_locked(uint64_t id, int arch, const char *name, const char *place, const char *from, bool served) {
  row *r = find_locked(id, arch);
  char *copy = strdup(from);
  if (copy && !r) r = add_locked(id, arch, name, place);
  if (copy && r) {
    free(r->from);
    r->from = copy;
    r->served = served;
    return;
  }
  free(copy);
  failed = true;
}

static void note(uint64_t id, int arch, const char *name, const char *from, bool served) {
  const char *place = ma_bundle_place ? ma_bundle_place() : "";
  pthread_mutex_lock(&lock);
  note_locked(id, arch, name, place, from, served);
  pthread_mutex_unlock(&lock);
}

void ma_bundle_check_kernel(const char *name, const char *key, int arch, const char *from, bool served) {
  if (ma_bundle_checks()) note(ma_hash(key, strlen(key), 0), arch, name, from, served);
}

void ma_bundle_check_library(const char *title) {
  if (ma_bundle_checks()) note(ma_hash(title, strlen(title), 0), 0, title, "a library of NVIDIA's", false);
}
