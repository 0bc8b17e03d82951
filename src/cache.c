/*
** cache.c: compiled kernels on disk, in $MOONARRAY_CACHE_DIR, else $XDG_CACHE_HOME/moonarray, else ~/.cache/moonarray.
**
** An entry's name is a 128-bit hash of our version, the salt and the whole text; a trailer repeats sizes and a checksum of the image,
** so that a shared object comes first in its file and is loaded where it lies. The folder must be ours and closed to others' writing.
** Entries appear by rename, so readers see whole ones; whatever goes wrong on the way in is only a slower next start. The folder's
** size is bounded: oldest go first.
*/
#include "cache.h"
#include "fork.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CACHE_FORMAT "2 "              /* part of every key: change it with the trailer */
#define MOST_BYTES   ((int64_t)256 << 20)
#define TRIM_TO      ((int64_t)192 << 20)
#define ABANDONED    (24 * 3600)       /* seconds after which a folder of work is nobody's any more */

typedef struct trailer {
  uint64_t key[2], checksum[2], size;
  int32_t maker, kind;                 /* the version that compiled it, for people; ma_image_kind */
  char magic[8];                       /* "MAKERNEL" */
} trailer;

void ma_image_free(ma_image *image) {
  free(image->bytes);
  memset(image, 0, sizeof *image);
}

/* ---- The folder ---- */

static bool make_folders(char *path) {
  for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
  mkdir(path, 0700);
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022);
}

/* Absolute, since the program may change its working folder. */
static bool find_folder(char *path, size_t size) {
  const char *own = ma_config_string(MA_CONFIG_CACHE_DIR), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int n = own && *own ? snprintf(path, size, "%s", own)
        : xdg && *xdg == '/' ? snprintf(path, size, "%s/moonarray", xdg)
        : home && *home ? snprintf(path, size, "%s/.cache/moonarray", home) : -1;
  if (n <= 0 || (size_t)n >= size || !make_folders(path)) return false;
  char *real = realpath(path, NULL);
  bool fits = real && strlen(real) < size;
  if (fits) strcpy(path, real);
  free(real);
  return fits;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;        /* of the folder's path */
MA_FORK_GUARD(lock, MA_FORK_LEAF)

static const char *folder(void) {
  static char path[PATH_MAX - 64];
  static int state;                    /* 0 unknown, 1 usable, 2 not */
  pthread_mutex_lock(&lock);
  if (state == 0) {
    state = find_folder(path, sizeof path) ? 1 : 2;
    if (state == 2) ma_trace("jit", "no cache of kernels: the folder %s cannot be made, is not ours, or others can write it", path);
  }
  int found = state;
  pthread_mutex_unlock(&lock);
  return found == 1 ? path : NULL;
}

/* ---- Files ---- */

static bool read_all(int fd, void *bytes, size_t n) {
  for (size_t at = 0; at < n;) {
    ssize_t got = read(fd, (char *)bytes + at, n - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += (size_t)got;
  }
  return true;
}

static bool write_all(int fd, const void *bytes, size_t n) {
  for (size_t at = 0; at < n;) {
    ssize_t put = write(fd, (const char *)bytes + at, n - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += (size_t)put;
  }
  return true;
}

bool ma_file_read(const char *path, size_t most, char **bytes, size_t *size) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  *bytes = NULL;
  if (fd < 0) return false;
  bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
  if (ok) {
    *size = (uint64_t)st.st_size < most ? (size_t)st.st_size : most;
    *bytes = malloc(*size + 1);
    ok = *bytes && read_all(fd, *bytes, *size);
  }
  close(fd);
  if (ok) (*bytes)[*size] = 0;
  else { free(*bytes); *bytes = NULL; }
  return ok;
}

bool ma_file_write(const char *path, const void *bytes, size_t size) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool ok = write_all(fd, bytes, size);
  return close(fd) == 0 && ok;
}

bool ma_folder_make(char *path) {
  const char *own = folder(), *tmpdir = getenv("TMPDIR"), *in[] = {own, tmpdir && *tmpdir == '/' ? tmpdir : NULL, "/tmp"};
  for (int i = 0; i < 3; i++)
    if (in[i] && snprintf(path, PATH_MAX, "%s/moonarray.XXXXXX", in[i]) < PATH_MAX - 64 && mkdtemp(path)) return true;
  return false;
}

void ma_folder_remove(const char *path) {
  DIR *dir = opendir(path);
  if (!dir) return;
  for (struct dirent *e; (e = readdir(dir));)
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlinkat(dirfd(dir), e->d_name, 0);
  closedir(dir);
  rmdir(path);
}

/* ---- Entries ---- */

static void hash_key(const char *text, const char *salt, uint64_t key[2]) {
  static const char version[] = MA_VERSION " " CACHE_FORMAT;
  for (int i = 0; i < 2; i++) {
    uint64_t seed = ma_hash(version, sizeof version, 0x9e3779b97f4a7c15u * (uint64_t)(i + 1));
    key[i] = ma_hash(text, strlen(text), ma_hash(salt, strlen(salt), seed));
  }
}

static bool entry_path(const uint64_t key[2], char *path) {
  const char *in = folder();
  return in && snprintf(path, PATH_MAX, "%s/%016llx%016llx.bin", in, (unsigned long long)key[0], (unsigned long long)key[1]) < PATH_MAX;
}

static void checksum(const ma_image *image, uint64_t sum[2]) {
  for (int i = 0; i < 2; i++) sum[i] = ma_hash(image->bytes, image->size, (uint64_t)i + 77);
}

static bool read_entry(int fd, const uint64_t key[2], ma_image *image) {
  trailer t;
  uint64_t sum[2];
  struct stat st;
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_size < (off_t)sizeof t) return false;
  image->size = (size_t)st.st_size - sizeof t;
  image->bytes = malloc(image->size + 1);   /* PTX is text that the driver reads up to a 0 */
  if (!image->bytes || !read_all(fd, image->bytes, image->size) || !read_all(fd, &t, sizeof t)) return false;
  image->bytes[image->size] = 0;
  image->kind = t.kind;
  checksum(image, sum);
  if (memcmp(t.magic, "MAKERNEL", 8) || memcmp(t.key, key, 16) || t.size != image->size || memcmp(sum, t.checksum, 16)) return false;
  if (time(NULL) - st.st_mtime > 24 * 3600) futimens(fd, NULL);   /* used: not among the oldest */
  return true;
}

static bool load(const char *text, const char *salt, char *path, ma_image *image) {
  uint64_t key[2];
  memset(image, 0, sizeof *image);
  hash_key(text, salt, key);
  if (!entry_path(key, path)) return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  bool ok = read_entry(fd, key, image);
  close(fd);
  if (!ok) ma_image_free(image);
  return ok;
}

bool ma_cache_load(const char *text, const char *salt, ma_image *image) {
  char path[PATH_MAX];
  return load(text, salt, path, image);
}

bool ma_cache_find(const char *text, const char *salt, char *path) {
  ma_image image;
  if (!load(text, salt, path, &image)) return false;
  ma_image_free(&image);
  return true;
}

void ma_cache_drop(const char *text, const char *salt) {
  uint64_t key[2];
  char path[PATH_MAX];
  hash_key(text, salt, key);
  if (entry_path(key, path)) unlink(path);
}

/* ---- Bounds ---- */

typedef struct file { time_t used; int64_t size; char name[80]; } file;

static int by_age(const void *a, const void *b) {
  time_t x = ((const file *)a)->used, y = ((const file *)b)->used;
  return (x > y) - (x < y);
}

/* What a process that was killed left behind. */
static void remove_abandoned(const char *name, const struct stat *st) {
  char path[PATH_MAX];
  if (strncmp(name, "moonarray.", 10) || time(NULL) - st->st_mtime < ABANDONED) return;
  if (snprintf(path, sizeof path, "%s/%s", folder(), name) < (int)sizeof path) ma_folder_remove(path);
}

static void trim(void) {
  DIR *dir = opendir(folder());
  file *list = NULL;
  size_t n = 0, room = 0;
  int64_t total = 0;
  if (!dir) return;
  for (struct dirent *e; (e = readdir(dir));) {
    struct stat st;
    if (strlen(e->d_name) >= sizeof list->name || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(st.st_mode)) remove_abandoned(e->d_name, &st);
    if (!S_ISREG(st.st_mode)) continue;
    if (n == room) {
      file *more = realloc(list, (room = room * 2 + 64) * sizeof *list);
      if (!more) break;
      list = more;
    }
    list[n].used = st.st_mtime;
    list[n].size = st.st_size;
    strcpy(list[n++].name, e->d_name);
    total += st.st_size;
  }
  if (total > MOST_BYTES) {
    qsort(list, n, sizeof *list, by_age);
    for (size_t i = 0; i < n && total > TRIM_TO; i++)
      if (unlinkat(dirfd(dir), list[i].name, 0) == 0) total -= list[i].size;
  }
  free(list);
  closedir(dir);
}

bool ma_cache_store(const char *text, const char *salt, const ma_image *image, int maker) {
  static unsigned stored;
  trailer t = {.magic = "MAKERNEL", .size = image->size, .maker = maker, .kind = image->kind};
  char path[PATH_MAX], temporary[PATH_MAX + 8];
  hash_key(text, salt, t.key);
  if (!entry_path(t.key, path)) return false;
  checksum(image, t.checksum);
  snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
  int fd = mkostemp(temporary, O_CLOEXEC);   /* mode 0600 */
  if (fd < 0) return false;
  bool ok = write_all(fd, image->bytes, image->size) && write_all(fd, &t, sizeof t);
  if (close(fd) != 0) ok = false;
  if (!ok || rename(temporary, path) != 0) { unlink(temporary); return false; }
  if (__atomic_fetch_add(&stored, 1, __ATOMIC_RELAXED) % 64 == 0) trim();
  return true;
}
