/*
** record.c: writes the texts that a program asks for to the file that MOONARRAY_BUNDLE=record:FILE names. Each is
** appended once a process, by one write, so that runs and processes may add to the same file.
**
** A record is "kernel\n" and then strings, each as its length, a colon, its bytes and the end of a line: family,
** architecture that the text is for (0: all), place in the program, text, key ("": the text itself), whether the
** library's headers come first, the number of options, each option, the number of expressions, each expression. A text
** of the library's own has "-" for the number of options, and ends there.
*/
#include "bundle/bundle.h"
#include "base/fork.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "record:"

const char *(*ma_bundle_place)(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)
static uint64_t *seen; /* hashes of what was recorded, some hundreds */
static size_t nseen, room;
static int fd = -1;
static bool failed;

static const char *file(void) { return ma_bundle_setting(PREFIX); }

bool ma_bundle_records(void) {
  static int known; /* atomic; 0: not yet, 1: no, 2: yes. It is asked before each scan */
  int now = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!now) __atomic_store_n(&known, now = file() ? 2 : 1, __ATOMIC_RELAXED);
  return now == 2;
}

/* Notes that the text was asked for under this architecture. Whether that is the first time. */
static bool note_key(const char *key, size_t size, int arch) {
  uint64_t hash = ma_hash(key, size, (uint64_t)arch);
  bool found = false;
  pthread_mutex_lock(&lock);
  for (size_t k = 0; k < nseen && !found; k++) found = seen[k] == hash;
  if (!found && nseen == room) {
    uint64_t *more = realloc(seen, (room * 2 + 256) * sizeof *more);
    if (more) {
      seen = more;
      room = room * 2 + 256;
    }
  }
  if (!found && nseen < room) seen[nseen++] = hash;
  pthread_mutex_unlock(&lock);
  return !found;
}

static void put(ma_ctext *out, const char *text) {
  ma_ctext_add(out, "%zu:", strlen(text));
  ma_ctext_put(out, text);
  ma_ctext_put(out, "\n");
}

static void put_number(ma_ctext *out, int value) {
  char text[16];
  snprintf(text, sizeof text, "%d", value);
  put(out, text);
}

static void put_list(ma_ctext *out, const char *const *list, int n) {
  put_number(out, n);
  for (int k = 0; k < n; k++) put(out, list[k]);
}

static void print(ma_ctext *out, const ma_bundle_record *r) {
  const char *place = ma_bundle_place ? ma_bundle_place() : "";
  ma_ctext_put(out, "kernel\n");
  put(out, r->family);
  put_number(out, r->arch);
  put(out, place);
  put(out, r->text);
  put(out, strcmp(r->key, r->text) ? r->key : "");
  if (!r->source) {
    put(out, "0");
    put(out, "-");
    return;
  }
  put_number(out, r->source->prelude);
  put_list(out, r->source->option, r->source->noption);
  put_list(out, r->source->expression, r->source->nexpression);
}

static void append_locked(const ma_ctext *record) {
  if (fd < 0) fd = open(file(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd >= 0 && ma_write_all(fd, record->bytes, strlen(record->bytes))) return;
  fprintf(stderr, "moonarray: kernels cannot be recorded in %s: %s\n", file(), strerror(errno));
  failed = true;
}

void ma_bundle_note(const ma_bundle_record *r) {
  ma_ctext record = { 0 };
  size_t n = strlen(r->key);
  if (!ma_bundle_records() || !note_key(r->key, n, r->arch)) return;
  if (r->arch) note_key(r->key, n, 0); /* when the card at hand asks for it, it is no text for all cards */
  print(&record, r);
  pthread_mutex_lock(&lock);
  if (!failed && !record.failed) append_locked(&record);
  pthread_mutex_unlock(&lock);
  ma_ctext_free(&record);
}
