/*
** cache.c: compiled kernels on disk, in the folder moonarray-kernels in $MOONARRAY_CACHE_DIR, else in
** $XDG_CACHE_HOME/moonarray, else in ~/.cache/moonarray (src/system/system.c).
**
** The name of an entry is a 128-bit hash of the library's version, the salt and the whole text. A trailer repeats it
** with sizes and a checksum of the image. So a shared object is at the start of its file, and is loaded from there.
** Both folders must belong to the user and be closed to others' writing. An entry appears by rename, so readers see
** only whole ones. A failure to store only makes the next start slower. The size of all entries is bounded; the least
** recently used are removed. Nothing else in the folder is touched: no file whose name and trailer do not identify it
** as an entry, and nothing through a symbolic link.
*/
#include "compile/cache.h"
#include "base/fork.h"
#include "system/system.h"

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

#define CACHE_FORMAT "3 " /* part of every key; change it together with the trailer */
#define TRIM_TO (MA_CACHE_MOST / 4 * 3)
#define NAME_LENGTH 36 /* 32 digits and ".bin" */

void ma_image_free(ma_image *image) {
  free(image->bytes);
  memset(image, 0, sizeof *image);
}

/* ---- The folder ---- */

static bool is_ours(const struct stat *st) {
  return S_ISDIR(st->st_mode) && st->st_uid == geteuid() && !(st->st_mode & 022);
}

static bool make_folders(char *path) {
  for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
  mkdir(path, 0700);
  struct stat st;
  return stat(path, &st) == 0 && is_ours(&st);
}

/* Finds the folder. The user's folder may be reached through links, but the library's folder in it must not be a
** link. The path is absolute, because the program may change its working folder. */
static bool find_folder(char *path, size_t size) {
  const char *own = ma_config_string(MA_CONFIG_CACHE_DIR);
  int n = own && *own ? snprintf(path, size, "%s", own) : -1;
  for (int k = 0; n <= 0 && k < MA_SYSTEM_FOLDERS; k++) {
    const char *value = getenv(ma_system.cache[k].variable);
    if (value && ma_path_is_absolute(value)) n = snprintf(path, size, "%s%s", value, ma_system.cache[k].rest);
  }
  if (n <= 0) {
    snprintf(path, size, "%s", ma_system.no_cache);
    return false;
  }
  for (char *at = path; (at = strpbrk(at, ma_system.separators)); at++) *at = '/';
  if ((size_t)n >= size || !make_folders(path)) return false;
  char *real = realpath(path, NULL);
  bool fits = real && (size_t)snprintf(path, size, "%s/" MA_CACHE_FOLDER, strcmp(real, "/") ? real : "") < size;
  free(real);
  struct stat st;
  if (!fits) return false;
  mkdir(path, 0700);
  return lstat(path, &st) == 0 && is_ours(&st);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for the folder's path */
MA_FORK_GUARD(lock, MA_FORK_LEAF)

const char *ma_cache_folder(void) {
  static char path[PATH_MAX - 128];
  static int state; /* 0: unknown, 1: usable, 2: not usable */
  pthread_mutex_lock(&lock);
  if (state == 0) {
    state = find_folder(path, sizeof path) ? 1 : 2;
    if (state == 2)
      ma_trace("jit",
               "no cache of kernels: the folder %s cannot be made, is not ours, is a link, or others can write it",
               path);
  }
  int found = state;
  pthread_mutex_unlock(&lock);
  return found == 1 ? path : NULL;
}

/* ---- Entries ---- */

static uint64_t hash_salt(const char *salt, uint64_t seed) {
  static const char version[] = MA_VERSION " " CACHE_FORMAT;
  return ma_hash(salt, strlen(salt), ma_hash(version, sizeof version, 0x9e3779b97f4a7c15u * seed));
}

static void hash_key(const char *text, const char *salt, uint64_t key[2]) {
  for (int i = 0; i < 2; i++) key[i] = ma_hash(text, strlen(text), hash_salt(salt, (uint64_t)i + 1));
}

static uint32_t short_salt(const char *salt) { return (uint32_t)hash_salt(salt, 3) & 0x3fffffff; }

static void print_name(const uint64_t key[2], char name[NAME_LENGTH + 1]) {
  snprintf(name, NAME_LENGTH + 1, "%016llx%016llx.bin", (unsigned long long)key[0], (unsigned long long)key[1]);
}

static bool entry_path(const uint64_t key[2], char *path) {
  const char *in = ma_cache_folder();
  char name[NAME_LENGTH + 1];
  print_name(key, name);
  return in && snprintf(path, PATH_MAX, "%s/%s", in, name) < PATH_MAX;
}

static void checksum(const ma_image *image, uint64_t sum[2]) {
  for (int i = 0; i < 2; i++) sum[i] = ma_hash(image->bytes, image->size, (uint64_t)i + 77);
}

/* Opens a file that may be an entry: a regular file of this user, and not a pipe, a link or a folder. -1: it is not. */
static int open_own(int dir, const char *path, struct stat *st) {
  int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return -1;
  if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid()) return fd;
  close(fd);
  return -1;
}

static bool read_trailer(int fd, const struct stat *st, ma_cache_trailer *t) {
  off_t size = st->st_size - (off_t)sizeof *t;
  return size >= 0 && size <= MA_CACHE_MOST && pread(fd, t, sizeof *t, size) == sizeof *t &&
         !memcmp(t->magic, "MAKERNEL", 8) && t->size == (uint64_t)size;
}

static bool read_entry(int fd, const struct stat *st, const uint64_t key[2], ma_image *image) {
  ma_cache_trailer t;
  uint64_t sum[2];
  if (!read_trailer(fd, st, &t) || memcmp(t.key, key, sizeof t.key)) return false;
  image->size = t.size;
  image->kind = t.kind;
  image->bytes = malloc(image->size + 1); /* one byte more: the driver reads PTX up to a 0 */
  if (!image->bytes || !ma_read_all(fd, image->bytes, image->size)) return false;
  image->bytes[image->size] = 0;
  checksum(image, sum);
  if (memcmp(sum, t.checksum, sizeof sum)) return false;
  if (time(NULL) - st->st_mtime > 24 * 3600) futimens(fd, NULL); /* marks it as used */
  return true;
}

bool ma_cache_find(const char *text, const char *salt, char *path, ma_image *image) {
  uint64_t key[2];
  struct stat st;
  memset(image, 0, sizeof *image);
  hash_key(text, salt, key);
  if (!entry_path(key, path)) return false;
  int fd = open_own(AT_FDCWD, path, &st);
  if (fd < 0) return false;
  bool ok = read_entry(fd, &st, key, image);
  close(fd);
  if (!ok) ma_image_free(image);
  return ok;
}

bool ma_cache_load(const char *text, const char *salt, ma_image *image) {
  char path[PATH_MAX];
  return ma_cache_find(text, salt, path, image);
}

/* Whether a file of the folder is an entry: by its name, kind, owner and trailer, which it reads. */
static bool identify_entry(int dir, const char *name, ma_cache_trailer *t) {
  struct stat st;
  char wanted[NAME_LENGTH + 1];
  int fd = open_own(dir, name, &st);
  if (fd < 0) return false;
  bool ok = read_trailer(fd, &st, t);
  close(fd);
  if (!ok) return false;
  print_name(t->key, wanted);
  return !strcmp(name, wanted);
}

static bool is_entry(int dir, const char *name) {
  ma_cache_trailer t;
  return identify_entry(dir, name, &t);
}

static bool is_name(const char *name) { return strspn(name, "0123456789abcdef") == 32 && !strcmp(name + 32, ".bin"); }

bool ma_cache_has(const char *salt) {
  const char *in = ma_cache_folder();
  DIR *dir = in ? opendir(in) : NULL;
  bool found = false;
  for (struct dirent *e; dir && !found && (e = readdir(dir));) {
    ma_cache_trailer t;
    found = is_name(e->d_name) && identify_entry(dirfd(dir), e->d_name, &t) && t.salt == short_salt(salt);
  }
  if (dir) closedir(dir);
  return found;
}

void ma_cache_drop(const char *text, const char *salt) {
  uint64_t key[2];
  char name[NAME_LENGTH + 1];
  const char *in = ma_cache_folder();
  int dir = in ? open(in, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
  if (dir < 0) return;
  hash_key(text, salt, key);
  print_name(key, name);
  if (is_entry(dir, name)) unlinkat(dir, name, 0);
  close(dir);
}

/* ---- Bounds ---- */

typedef struct file {
  struct timespec used;
  int64_t size;
  char name[NAME_LENGTH + 1];
} file;
typedef struct files {
  file *list;
  size_t n, room;
  int64_t total;
} files;

static int by_age(const void *a, const void *b) {
  const struct timespec x = ((const file *)a)->used, y = ((const file *)b)->used;
  return x.tv_sec != y.tv_sec ? (x.tv_sec > y.tv_sec) - (x.tv_sec < y.tv_sec)
                              : (x.tv_nsec > y.tv_nsec) - (x.tv_nsec < y.tv_nsec);
}

/* Lists files with the name of an entry. Their trailers are read only before one is removed. */
static void list_files(DIR *dir, files *all) {
  for (struct dirent *e; (e = readdir(dir));) {
    struct stat st;
    if (!is_name(e->d_name) || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
      continue;
    if (all->n == all->room) {
      file *more = realloc(all->list, (all->room * 2 + 64) * sizeof *more);
      if (!more) return;
      all->list = more;
      all->room = all->room * 2 + 64;
    }
    file *f = &all->list[all->n++];
    f->used = st.st_mtim;
    f->size = st.st_size;
    strcpy(f->name, e->d_name);
    all->total += st.st_size;
  }
}

static void keep_entries(int dir, files *all) {
  size_t n = 0;
  all->total = 0;
  for (size_t i = 0; i < all->n; i++) {
    if (!is_entry(dir, all->list[i].name)) continue;
    all->total += all->list[i].size;
    all->list[n++] = all->list[i];
  }
  all->n = n;
}

/* Removes entries beyond the limit, and returns the bytes that are left. Other processes may remove entries
** meanwhile. */
static int64_t trim(void) {
  DIR *dir = opendir(ma_cache_folder());
  files all = { 0 };
  if (!dir) return 0;
  list_files(dir, &all);
  if (all.total > MA_CACHE_MOST) keep_entries(dirfd(dir), &all);
  if (all.total > MA_CACHE_MOST) {
    qsort(all.list, all.n, sizeof *all.list, by_age);
    for (size_t i = 0; i < all.n && all.total > TRIM_TO; i++)
      if (unlinkat(dirfd(dir), all.list[i].name, 0) == 0 || errno == ENOENT) all.total -= all.list[i].size;
  }
  free(all.list);
  closedir(dir);
  ma_work_sweep(ma_cache_folder());
  return all.total;
}

/* ---- Storing ---- */

/* Bounds the cache at the first store of a process, at every 64th, because other processes store too, and when this
** process's own stores have filled the rest. */
static void bound(int64_t size) {
  static unsigned stored;
  static int64_t taken; /* bytes at the last look plus those stored since */
  int64_t now = __atomic_add_fetch(&taken, size, __ATOMIC_RELAXED);
  if (__atomic_fetch_add(&stored, 1, __ATOMIC_RELAXED) % 64 == 0 || now > MA_CACHE_MOST)
    __atomic_store_n(&taken, trim(), __ATOMIC_RELAXED);
}

/* Whether an entry may replace the file at the path. A damaged entry may be replaced; any other file may not. */
static bool may_appear(const char *path) {
  struct stat st;
  return lstat(path, &st) != 0 ? errno == ENOENT : S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

static bool write_entry(const char *path, const ma_image *image, const ma_cache_trailer *t) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool ok = ma_write_all(fd, image->bytes, image->size) && ma_write_all(fd, t, sizeof *t);
  return close(fd) == 0 && ok;
}

bool ma_cache_store(const char *text, const char *salt, const ma_image *image, int maker) {
  ma_cache_trailer t = {
    .size = image->size, .maker = maker, .kind = (uint32_t)image->kind & 3, .salt = short_salt(salt)
  };
  memcpy(t.magic, "MAKERNEL", sizeof t.magic);
  char path[PATH_MAX], work[PATH_MAX], made[PATH_MAX + 8];
  hash_key(text, salt, t.key);
  if (image->size > (size_t)TRIM_TO || !entry_path(t.key, path) || !may_appear(path) ||
      !ma_work_make(ma_cache_folder(), work))
    return false;
  checksum(image, t.checksum);
  snprintf(made, sizeof made, "%s/entry", work);
  bool ok = write_entry(made, image, &t) && rename(made, path) == 0;
  ma_work_remove(work);
  if (ok) bound((int64_t)(image->size + sizeof t));
  return ok;
}
