/*
** output.c: the one writer of files: completely or not at all. The new file is made beside the old one, under no name
** or one that nobody can guess, and takes its place by rename when every write, the sync and the close succeeded.
**
** A symbolic link stays, and its target is replaced. Some files cannot be replaced: a pipe and a device are written in
** place. A file in a folder that takes no new file, or whose owner or permissions a new one would not have, is written
** elsewhere first and then copied over, once the room for it is taken, so that a full disk is noticed before the old
** contents are lost.
*/
#include "base/inject.h"
#include "files/files.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define MOST_LINKS 40 /* the kernel's limit */
#define ACCESS_LIST "system.posix_acl_access"
#define BUFFER ((size_t)1 << 16)
#define NEW_FILE (O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)

static ma_status open_fail(const char *path) {
  return ma_fail(MA_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
}
static ma_status write_fail(void) { return ma_fail(MA_ERR_IO, "the file cannot be written: %s", strerror(errno)); }

/* Every step that may fail passes here first, for specs that make the nth one fail. */
static bool may(const char *step) {
  if (ma_inject(MA_INJECT_FILE, step) == MA_OK) return true;
  errno = ENOSPC;
  return false;
}

/* ---- Paths ---- */

/* The path of `name` in the folder of `path`, from malloc. */
static char *beside(const char *path, const char *name) {
  const char *slash = ma_path_last(path);
  size_t n = slash ? (size_t)(slash - path) + 1 : 0;
  char *made = malloc(n + strlen(name) + 1);
  if (!made) return NULL;
  memcpy(made, path, n);
  strcpy(made + n, name);
  return made;
}

/* A path beside `path` under a new name; from malloc. */
static char *fresh_beside(const char *path) {
  static uint64_t count;
  uint64_t random = 0;
  char name[64];
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
    random = ma_hash(&(struct timespec){ time(NULL), getpid() }, sizeof(struct timespec), (uintptr_t)&random);
  random += __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  snprintf(name, sizeof name, ".moonarray-%016llx", (unsigned long long)random);
  return beside(path, name);
}

static char *read_link(const char *path) {
  char text[4096];
  ssize_t n = readlink(path, text, sizeof text - 1);
  if (n < 0) return NULL;
  text[n] = 0;
  return ma_path_is_absolute(text) ? strdup(text) : beside(path, text);
}

/* The real path of a file that may not exist yet. NULL: it has no path of its own, such as /dev/stdout or a link
** into /proc. */
static char *find_target(const char *path) {
  struct stat st, proc;
  bool has_proc = ma_system.id == MA_SYSTEM_POSIX && stat("/proc", &proc) == 0;
  char *at = strdup(path);
  for (int i = 0; at; i++) {
    if (lstat(at, &st) != 0) return at;
    if (has_proc && st.st_dev == proc.st_dev) break;
    if (!S_ISLNK(st.st_mode)) return at;
    char *next = i < MOST_LINKS ? read_link(at) : NULL;
    free(at);
    at = next;
  }
  free(at);
  return NULL;
}

/* ---- Opening ---- */

/* Waits for a pipe's reader, so a signal may end the call. */
static int open_file(const char *path, int flags, mode_t mode) {
  int fd;
  do fd = open(path, flags | O_CLOEXEC | O_NOCTTY, mode);
  while (fd < 0 && errno == EINTR);
  return fd;
}

/* Makes a file in the folder of `path`. Unless it is to be `named`, it has no name if the file system allows that, so a
** process that is killed leaves nothing behind. */
static bool make_beside(ma_output *out, const char *path, mode_t mode, bool named) {
  char *folder = beside(path, ".");
  out->fd = -1;
  if (folder && !named && access("/proc/self/fd", X_OK) == 0) out->fd = open_file(folder, O_TMPFILE | O_RDWR, mode);
  bool refused = out->fd < 0 && (errno == EACCES || errno == EROFS);
  free(folder);
  for (int i = 0; i < 100 && out->fd < 0 && !refused; i++) {
    free(out->made);
    if (!(out->made = fresh_beside(path))) return false;
    out->fd = open_file(out->made, NEW_FILE, mode);
    refused = out->fd < 0 && errno != EEXIST;
  }
  if (out->fd >= 0) return true;
  free(out->made);
  out->made = NULL;
  return false;
}

/* Makes a file in a folder for temporary files. */
static bool make_elsewhere(ma_output *out) {
  char path[4096];
  for (int k = 0; k <= MA_SYSTEM_FOLDERS; k++) {
    const char *variable = k < MA_SYSTEM_FOLDERS ? ma_system.temporary[k] : NULL;
    const char *folder = k == MA_SYSTEM_FOLDERS ? ma_system.temporary_folder : variable ? getenv(variable) : NULL;
    if (folder && ma_path_is_absolute(folder) && snprintf(path, sizeof path, "%s/x", folder) < (int)sizeof path &&
        make_beside(out, path, 0600, false))
      return true;
  }
  return false;
}

static ma_status open_in_place(ma_output *out, const char *path) {
  out->way = MA_OUTPUT_IN_PLACE;
  out->fd = open_file(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  return out->fd >= 0 ? MA_OK : open_fail(path);
}

/* Opens the existing file under the kernel's rules for following links and writing to other users' files; -1 with
** ENOENT: there is none. */
static int open_old(const char *path, struct stat *st) {
  int fd = open_file(path, O_WRONLY | O_NONBLOCK, 0);
  if (fd < 0 || fstat(fd, st) != 0 || st->st_uid == geteuid()) return fd;
  /* The kernel refuses O_CREAT for other users' files in /tmp, so this checks that rule. */
  int again = open_file(path, O_WRONLY | O_CREAT | O_NONBLOCK, 0600);
  if (again >= 0) close(again);
  else {
    int why = errno;
    close(fd);
    errno = why;
  }
  return again < 0 ? -1 : fd;
}

static ma_status open_beside(ma_output *out, const char *path, bool named) {
  struct stat st, here;
  out->old = open_old(path, &st);
  if (out->old < 0 && errno != ENOENT) return open_fail(path);
  out->target = find_target(path);
  /* It has no path of its own, or the path leads to another file by now. */
  if (!out->target ||
      (out->old >= 0 && (lstat(out->target, &here) != 0 || here.st_ino != st.st_ino || here.st_dev != st.st_dev)))
    return open_in_place(out, path);
  const char *slash = ma_path_last(out->target);
  if (!(slash ? slash[1] : *out->target)) {
    errno = ENOENT;
    return open_fail(path);
  }
  out->way = MA_OUTPUT_BESIDE;
  if (make_beside(out, out->target, out->old >= 0 ? 0600 : 0666, named)) return MA_OK;
  if (out->old < 0 || (errno != EACCES && errno != EPERM && errno != EROFS)) return open_fail(path);
  out->way = MA_OUTPUT_ELSEWHERE;
  return !named && make_elsewhere(out) ? MA_OK : open_in_place(out, path);
}

static ma_status open_output(ma_output *out, const char *path, bool named) {
  struct stat st;
  *out = (ma_output){ .opened = true, .fd = -1, .old = -1 };
  bool there = stat(path, &st) == 0;
  if (there && S_ISDIR(st.st_mode)) return ma_fail(MA_ERR_IO, "'%s' is a folder; wanted a file", path);
  if (named && there && !S_ISREG(st.st_mode))
    return ma_fail(MA_ERR_IO, "'%s' is a pipe or a device; wanted a file", path);
  ma_status status = there && !S_ISREG(st.st_mode) ? open_in_place(out, path) : open_beside(out, path, named);
  if (status != MA_OK) ma_output_abandon(out);
  return status;
}

ma_status ma_output_open(ma_output *out, const char *path) { return open_output(out, path, false); }

ma_status ma_output_open_named(ma_output *out, const char *path, const char **name) {
  MA_TRY(open_output(out, path, true));
  *name = out->made ? out->made : out->target ? out->target : path;
  return MA_OK;
}

void ma_output_handle(ma_output *out, FILE *file) {
  *out = (ma_output){ .opened = true, .handle = file, .fd = -1, .old = -1 };
}

/* ---- Writing ---- */

static bool write_all(int fd, const uint8_t *bytes, size_t n) {
  if (n > 0 && !may("a write")) return false;
  while (n > 0) {
    ssize_t put = write(fd, bytes, n);
    if (put < 0 && errno == EINTR) continue;
    if (put == 0) errno = ENOSPC;
    if (put <= 0) return false;
    bytes += put;
    n -= (size_t)put;
  }
  return true;
}

static ma_status flush(ma_output *out) {
  size_t n = out->filled;
  out->filled = 0;
  return write_all(out->fd, out->buffer, n) ? MA_OK : write_fail();
}

ma_status ma_output_put(ma_output *out, const void *bytes, size_t nbytes) {
  if (out->handle) return fwrite(bytes, 1, nbytes, out->handle) == nbytes ? MA_OK : write_fail();
  if (nbytes > BUFFER - out->filled) MA_TRY(flush(out));
  if (nbytes >= BUFFER) return write_all(out->fd, bytes, nbytes) ? MA_OK : write_fail();
  if (!out->buffer && !(out->buffer = malloc(BUFFER)))
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for writing", BUFFER);
  if (nbytes > 0) memcpy(out->buffer + out->filled, bytes, nbytes);
  out->filled += nbytes;
  return MA_OK;
}

int64_t ma_output_tell(ma_output *out) {
  if (!out->handle) {
    int64_t at = (int64_t)lseek(out->fd, 0, SEEK_CUR);
    return at < 0 ? -1 : at + (int64_t)out->filled;
  }
  int flags = fcntl(fileno(out->handle), F_GETFL); /* what is appended always goes to the end */
  return flags >= 0 && (flags & O_APPEND) ? -1 : (int64_t)ftello(out->handle);
}

ma_status ma_output_seek(ma_output *out, int64_t at) {
  if (out->handle) return fseeko(out->handle, at, SEEK_SET) == 0 ? MA_OK : write_fail();
  MA_TRY(flush(out));
  return lseek(out->fd, at, SEEK_SET) == at ? MA_OK : write_fail();
}

/* Some file systems report a full disk only when the file is closed. */
static bool close_written(int fd) {
  bool ok = may("a close");
  return close(fd) == 0 && ok;
}

ma_status ma_output_put_part(const char *name, int64_t at, const void *bytes, size_t nbytes) {
  int fd = open_file(name, O_WRONLY | O_NOFOLLOW, 0);
  if (fd < 0) return open_fail(name);
  bool ok = lseek(fd, at, SEEK_SET) == at && write_all(fd, bytes, nbytes);
  ma_status status = ok ? MA_OK : write_fail();
  if (!close_written(fd) && status == MA_OK) status = write_fail();
  return status;
}

/* ---- Replacing ---- */

/* Copies owner, permissions and access list from the old file. */
static bool take_after(int fd, int old) {
  struct stat st, now;
  char list[4096];
  if (fstat(old, &st) != 0 || fstat(fd, &now) != 0) return false;
  if ((st.st_uid != now.st_uid || st.st_gid != now.st_gid) && fchown(fd, st.st_uid, st.st_gid) != 0) return false;
  if (fchmod(fd, st.st_mode & 07777) != 0) return false;
  ssize_t n = fgetxattr(old, ACCESS_LIST, list, sizeof list);
  if (n < 0) return errno == ENODATA || errno == ENOTSUP;
  return fsetxattr(fd, ACCESS_LIST, list, (size_t)n, 0) == 0;
}

static bool give_name(ma_output *out) {
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", out->fd);
  for (int i = 0; i < 100; i++) {
    free(out->made);
    if (!(out->made = fresh_beside(out->target))) return false;
    if (linkat(AT_FDCWD, self, AT_FDCWD, out->made, AT_SYMLINK_FOLLOW) == 0) return true;
    if (errno != EEXIST) break;
  }
  free(out->made);
  out->made = NULL;
  return false;
}

static bool put_in_place(ma_output *out) {
  if (out->old >= 0 && !take_after(out->fd, out->old)) return false;
  if (!out->made && !give_name(out)) return false;
  if (ma_system.id == MA_SYSTEM_WINDOWS && out->old >= 0) { /* it replaces no file that is open */
    close(out->old);
    out->old = -1;
  }
  if (!may("a rename") || rename(out->made, out->target) != 0) return false;
  free(out->made);
  out->made = NULL;
  return true;
}

/* The new contents are on the disk before the old ones go. Some file systems have no such call. */
static bool sync_file(int fd) {
  int result;
  if (!may("a sync")) return false;
  do result = fsync(fd);
  while (result != 0 && errno == EINTR);
  return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
}

/* Makes the file as long as `size` with room on the disk; if that fails, it is what it was. */
static bool take_room(int fd, int64_t had, int64_t size) {
  int why = size <= had ? 0 : may("the room") ? posix_fallocate(fd, had, size - had) : ENOSPC;
  if (why == 0 || why == EINVAL || why == ENOTSUP || why == ENOSYS) return true;
  if (ftruncate(fd, had) != 0) return false;
  errno = why;
  return false;
}

static bool copy_bytes(int to, int from) {
  uint8_t bytes[BUFFER];
  for (;;) {
    ssize_t n = read(from, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    if (!write_all(to, bytes, (size_t)n)) return false;
  }
}

/* For old files that cannot be replaced, such as a mounted file, and new ones that cannot be renamed. */
static ma_status copy_over(const ma_output *out) {
  struct stat new, old;
  bool there = lstat(out->target, &old) == 0;
  int to = out->old >= 0 ? fcntl(out->old, F_DUPFD_CLOEXEC, 3)
                         : open_file(out->target, there ? O_WRONLY | O_NOFOLLOW : NEW_FILE, 0666);
  bool ok = to >= 0 && fstat(out->fd, &new) == 0 && fstat(to, &old) == 0 && take_room(to, old.st_size, new.st_size) &&
            lseek(out->fd, 0, SEEK_SET) == 0 && lseek(to, 0, SEEK_SET) == 0 && copy_bytes(to, out->fd) &&
            ftruncate(to, new.st_size) == 0 && sync_file(to);
  ma_status status = ok ? MA_OK : write_fail();
  if (to >= 0 && !close_written(to) && status == MA_OK) status = write_fail();
  if (to >= 0 && !there && status != MA_OK) unlink(out->target);
  return status;
}

/* Whether a file could not get its name by the rules of the system, and not because the disk is full or broken. */
static bool is_refused(void) { return errno != ENOSPC && errno != EDQUOT && errno != EIO; }

/* Flushes the last bytes and closes what was written; the file's other descriptor, from which it is named or copied,
** is in `fd` then. */
static ma_status finish(ma_output *out) {
  MA_TRY(flush(out));
  int written = out->fd;
  out->fd = -1;
  if (out->way != MA_OUTPUT_IN_PLACE && (out->fd = fcntl(written, F_DUPFD_CLOEXEC, 3)) < 0) {
    ma_status status = write_fail();
    close(written);
    return status;
  }
  return close_written(written) ? MA_OK : write_fail();
}

ma_status ma_output_close(ma_output *out) {
  ma_status status;
  if (out->handle) status = may("a flush") && fflush(out->handle) == 0 ? MA_OK : write_fail();
  else status = finish(out);
  if (status == MA_OK && out->way == MA_OUTPUT_BESIDE) {
    if (out->old >= 0 && !sync_file(out->fd)) status = write_fail();
    else if (!put_in_place(out)) status = is_refused() ? copy_over(out) : write_fail();
  } else if (status == MA_OK && out->way == MA_OUTPUT_ELSEWHERE) status = copy_over(out);
  ma_output_abandon(out);
  return status;
}

void ma_output_abandon(ma_output *out) {
  if (out->opened && out->fd >= 0) close(out->fd);
  if (out->made) unlink(out->made);
  if (out->opened && out->old >= 0) close(out->old);
  free(out->buffer);
  free(out->made);
  free(out->target);
  *out = (ma_output){ .opened = false };
}
