/*
** work.c: folders for temporary files: a compilation in progress, a file that will become an entry of the cache, the
** text of a graph.
** They are removed after use.
**
** A process that is killed leaves its folder behind. The next sweep removes it if its name, its owner, a marker in it
** and the name of each file identify it as the library's. A folder with any other file stays.
*/
#include "compile/cache.h"
#include "system/system.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define NAME "moonarray-work."
#define MARKER ".moonarray-work"
#define ROOM ((size_t)8 << 20) /* bytes that a compilation may need */
#define ABANDONED (24 * 3600)  /* seconds after which a folder counts as abandoned */

static const char mark[] =
  "A folder in which moonarray compiled. A process that was killed left it; it may be removed.\n";

/* ---- Files ---- */

bool ma_read_all(int fd, void *bytes, size_t n) {
  for (size_t at = 0; at < n;) {
    ssize_t got = read(fd, (char *)bytes + at, n - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += (size_t)got;
  }
  return true;
}

bool ma_write_all(int fd, const void *bytes, size_t n) {
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
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a pipe must not block */
  *bytes = NULL;
  if (fd < 0) return false;
  bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
  if (ok) {
    *size = (uint64_t)st.st_size < most ? (size_t)st.st_size : most;
    *bytes = malloc(*size + 1);
    ok = *bytes && ma_read_all(fd, *bytes, *size);
  }
  close(fd);
  if (ok) (*bytes)[*size] = 0;
  else {
    free(*bytes);
    *bytes = NULL;
  }
  return ok;
}

bool ma_file_write(const char *path, const void *bytes, size_t size) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool ok = ma_write_all(fd, bytes, size);
  return close(fd) == 0 && ok;
}

/* ---- Places ---- */

/* Whether the file system seems usable. A quota shows only when something is written. */
static bool looks_fit(const char *path) {
  struct statvfs fs;
  if (statvfs(path, &fs) != 0) return false;
  return !(fs.f_flag & (ST_NOEXEC | ST_RDONLY)) && (uint64_t)fs.f_bavail * fs.f_frsize >= ROOM &&
         (fs.f_files == 0 || fs.f_favail >= 16);
}

int ma_work_places(const char *place[MA_WORK_PLACES]) {
  const char *all[MA_WORK_PLACES] = { ma_cache_folder() };
  int n = 0;
  for (int k = 0; k < MA_SYSTEM_FOLDERS; k++) {
    const char *folder = ma_system.temporary[k] ? getenv(ma_system.temporary[k]) : NULL;
    if (folder && ma_path_is_absolute(folder)) all[1 + k] = folder;
  }
  if (*ma_system.temporary_folder) all[1 + MA_SYSTEM_FOLDERS] = ma_system.temporary_folder;
  for (int fit = 1; fit >= 0; fit--)
    for (int i = 0; i < MA_WORK_PLACES; i++)
      if (all[i] && looks_fit(all[i]) == fit) place[n++] = all[i];
  return n;
}

bool ma_work_serves(const char *path) {
  static const char zeros[1 << 16];
  struct statvfs fs;
  char probe[PATH_MAX];
  if (statvfs(path, &fs) != 0 || (fs.f_flag & ST_NOEXEC) ||
      snprintf(probe, sizeof probe, "%s/probe", path) >= (int)sizeof probe)
    return false;
  int fd = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool ok = fd >= 0;
  for (size_t done = 0; ok && done < ROOM; done += sizeof zeros) ok = ma_write_all(fd, zeros, sizeof zeros);
  if (fd >= 0 && close(fd) != 0) ok = false;
  unlink(probe);
  return ok;
}

/* ---- Folders ---- */

bool ma_work_make(const char *in, char *path) {
  char marker[PATH_MAX];
  /* leaves room for the names of the files in it */
  if (snprintf(path, PATH_MAX, "%s/" NAME "XXXXXX", in) >= PATH_MAX - 64 || !mkdtemp(path)) return false;
  snprintf(marker, sizeof marker, "%.*s/" MARKER, PATH_MAX - 64, path);
  if (ma_file_write(marker, mark, sizeof mark - 1)) return true;
  unlink(marker);
  rmdir(path);
  return false;
}

/* Removes the marker last, so that a folder that is only partly removed is still recognised. */
static void empty(DIR *dir) {
  rewinddir(dir);
  for (struct dirent *e; (e = readdir(dir));)
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, MARKER))
      unlinkat(dirfd(dir), e->d_name, 0);
}

static DIR *open_folder(int in, const char *path) {
  int fd = openat(in, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  if (!dir && fd >= 0) close(fd);
  return dir;
}

void ma_work_remove(const char *path) {
  DIR *dir = open_folder(AT_FDCWD, path);
  if (!dir) return;
  empty(dir);
  unlinkat(dirfd(dir), MARKER, 0);
  closedir(dir);
  rmdir(path);
}

/* ---- Abandoned folders ---- */

static bool is_old(const struct stat *st) { return time(NULL) - st->st_mtime >= ABANDONED; }

static bool has_mark(int dir) {
  struct stat st;
  char bytes[sizeof mark - 1];
  int fd = openat(dir, MARKER, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_size == sizeof bytes &&
            is_old(&st) && ma_read_all(fd, bytes, sizeof bytes) && !memcmp(bytes, mark, sizeof bytes);
  close(fd);
  return ok;
}

/* Whether it is a file of the library, or one that compilers make in $TMPDIR: ccXXXXXX.s, kernel-1a2b3c.o. */
static bool is_work(const char *name) {
  static const char *const ours[] = { ".",   "..",      MARKER,  "kernel.cpp", "kernel.so",  "kernel.dll", "cached.so",
                                      "log", "version", "probe", "entry",      "cached.dll", "graph.dot" };
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (!strcmp(name, ours[i])) return true;
  size_t start = !strncmp(name, "kernel-", 7) ? 7 : !strncmp(name, "cc", 2) ? 2 : 0, n = start;
  while (isalnum((unsigned char)name[n])) n++;
  return start && n - start >= 6 && n - start <= 10 && (!name[n] || (name[n] == '.' && strlen(name + n) <= 8));
}

static bool all_ours(DIR *dir) {
  for (struct dirent *e; (e = readdir(dir));) {
    struct stat st;
    if (!is_work(e->d_name)) return false;
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
    if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
        st.st_uid != geteuid() || !is_old(&st))
      return false;
  }
  return true;
}

static bool is_name(const char *name) {
  if (strncmp(name, NAME, strlen(NAME)) || strlen(name) != strlen(NAME) + 6) return false;
  for (name += strlen(NAME); *name; name++)
    if (!isalnum((unsigned char)*name)) return false;
  return true;
}

static void sweep_one(int in, const char *name) {
  struct stat st;
  DIR *dir = open_folder(in, name);
  if (!dir) return;
  bool ours = fstat(dirfd(dir), &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077) && is_old(&st) &&
              has_mark(dirfd(dir)) && all_ours(dir);
  if (ours) {
    empty(dir);
    unlinkat(dirfd(dir), MARKER, 0);
  }
  closedir(dir);
  if (ours) unlinkat(in, name, AT_REMOVEDIR);
}

void ma_work_sweep(const char *in) {
  DIR *dir = open_folder(AT_FDCWD, in);
  if (!dir) return;
  for (struct dirent *e; (e = readdir(dir));)
    if (is_name(e->d_name)) sweep_one(dirfd(dir), e->d_name);
  closedir(dir);
}
