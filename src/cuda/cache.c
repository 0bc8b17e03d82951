/*
** cache.c: compiled kernels on disk, in $MOONARRAY_CACHE_DIR, else $XDG_CACHE_HOME/moonarray, else ~/.cache/moonarray.
**
** An entry's name is a 128-bit hash of our version, the options' version, the architecture and the whole text; its header repeats
** sizes and a checksum of the image. The folder must be ours and closed to others' writing. Entries appear by rename, so readers
** see whole ones; whatever goes wrong on the way in is only a slower next start. The folder's size is bounded: oldest go first.
*/
#include "cuda.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CACHE_FORMAT "1 c++17 fmad=false"   /* part of every key: change it with the options of compile.c */
#define MOST_BYTES   ((int64_t)256 << 20)
#define TRIM_TO      ((int64_t)192 << 20)

typedef struct header {
  char magic[8];                       /* "MAKERNEL" */
  uint64_t key[2], checksum[2], size;
  int32_t nvrtc, cubin;                /* the version that compiled it, for people; cubin or PTX */
} header;

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

static bool find_folder(char *path, size_t size) {
  const char *own = ma_config_string(MA_CONFIG_CACHE_DIR), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int n = own && *own ? snprintf(path, size, "%s", own)
        : xdg && *xdg == '/' ? snprintf(path, size, "%s/moonarray", xdg)
        : home && *home ? snprintf(path, size, "%s/.cache/moonarray", home) : -1;
  return n > 0 && (size_t)n < size && make_folders(path);
}

static const char *folder(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static char path[PATH_MAX - 64];
  static int state;                    /* 0 unknown, 1 usable, 2 not */
  pthread_mutex_lock(&lock);
  if (state == 0) {
    state = find_folder(path, sizeof path) ? 1 : 2;
    if (state == 2) ma_trace("jit", "no cache of kernels: the folder %s cannot be made, is not ours, or others can write it", path);
  }
  pthread_mutex_unlock(&lock);
  return state == 1 ? path : NULL;
}

/* ---- Entries ---- */

static void hash_key(const char *text, int arch, uint64_t key[2]) {
  char salt[96];
  size_t n = (size_t)snprintf(salt, sizeof salt, MA_VERSION " " CACHE_FORMAT " sm_%d", arch), size = strlen(text);
  for (int i = 0; i < 2; i++) key[i] = ma_hash(text, size, ma_hash(salt, n, 0x9e3779b97f4a7c15u * (uint64_t)(i + 1)));
}

static bool entry_path(const uint64_t key[2], char *path) {
  const char *in = folder();
  return in && snprintf(path, PATH_MAX, "%s/%016llx%016llx.bin", in, (unsigned long long)key[0], (unsigned long long)key[1]) < PATH_MAX;
}

static void checksum(const ma_cuda_image *image, uint64_t sum[2]) {
  for (int i = 0; i < 2; i++) sum[i] = ma_hash(image->bytes, image->size, (uint64_t)i + 77);
}

static bool read_all(int fd, void *bytes, size_t n) {
  for (size_t at = 0; at < n;) {
    ssize_t got = read(fd, (char *)bytes + at, n - at);
    if (got <= 0) return false;
    at += (size_t)got;
  }
  return true;
}

static bool write_all(int fd, const void *bytes, size_t n) {
  for (size_t at = 0; at < n;) {
    ssize_t put = write(fd, (const char *)bytes + at, n - at);
    if (put <= 0) return false;
    at += (size_t)put;
  }
  return true;
}

static bool read_entry(int fd, const uint64_t key[2], ma_cuda_image *image) {
  header h;
  uint64_t sum[2];
  struct stat st;
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || !read_all(fd, &h, sizeof h)) return false;
  if (memcmp(h.magic, "MAKERNEL", 8) || memcmp(h.key, key, 16) || h.size != (uint64_t)st.st_size - sizeof h) return false;
  image->bytes = malloc(h.size + 1);   /* PTX is text that the driver reads up to a 0 */
  if (!image->bytes || !read_all(fd, image->bytes, h.size)) return false;
  image->bytes[h.size] = 0;
  image->size = h.size;
  image->cubin = h.cubin;
  checksum(image, sum);
  if (memcmp(sum, h.checksum, 16)) return false;
  if (time(NULL) - st.st_mtime > 24 * 3600) futimens(fd, NULL);   /* used: not among the oldest */
  return true;
}

bool ma_cuda_cache_load(const char *text, int arch, ma_cuda_image *image) {
  uint64_t key[2];
  char path[PATH_MAX];
  memset(image, 0, sizeof *image);
  hash_key(text, arch, key);
  if (!entry_path(key, path)) return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  bool ok = read_entry(fd, key, image);
  close(fd);
  if (!ok) ma_cuda_image_free(image);
  return ok;
}

void ma_cuda_cache_drop(const char *text, int arch) {
  uint64_t key[2];
  char path[PATH_MAX];
  hash_key(text, arch, key);
  if (entry_path(key, path)) unlink(path);
}

/* ---- Bounds ---- */

typedef struct file { time_t used; int64_t size; char name[80]; } file;

static int by_age(const void *a, const void *b) {
  time_t x = ((const file *)a)->used, y = ((const file *)b)->used;
  return (x > y) - (x < y);
}

static void trim(void) {
  DIR *dir = opendir(folder());
  file *list = NULL;
  size_t n = 0, room = 0;
  int64_t total = 0;
  if (!dir) return;
  for (struct dirent *e; (e = readdir(dir));) {
    struct stat st;
    if (strlen(e->d_name) >= sizeof list->name) continue;
    if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode)) continue;
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

void ma_cuda_cache_store(const char *text, int arch, const ma_cuda_image *image) {
  static unsigned stored;
  header h = {.magic = "MAKERNEL", .size = image->size, .nvrtc = ma_cuda_nvrtc_version(), .cubin = image->cubin};
  char path[PATH_MAX], temporary[PATH_MAX + 8];
  hash_key(text, arch, h.key);
  if (!entry_path(h.key, path)) return;
  checksum(image, h.checksum);
  snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
  int fd = mkostemp(temporary, O_CLOEXEC);   /* mode 0600 */
  if (fd < 0) return;
  bool ok = write_all(fd, &h, sizeof h) && write_all(fd, image->bytes, image->size);
  if (close(fd) != 0) ok = false;
  if (!ok || rename(temporary, path) != 0) unlink(temporary);
  else if (__atomic_fetch_add(&stored, 1, __ATOMIC_RELAXED) % 64 == 0) trim();
}
