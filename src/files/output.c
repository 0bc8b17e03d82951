/*
** output.c: writes a file completely or not at all. The new file is made beside the old one, and takes its place by
** rename when it is complete.
**
** A symbolic link stays, and its target is replaced. Some files cannot be replaced and are written in place: a pipe, a
** device, a file in a folder that takes no new file, a file whose owner or permissions a new one would not have. If
** such a file is a regular one, everything is written elsewhere first and then copied over it, so that a full disk is
** noticed before the old contents are lost.
**
** The kernel frees the pages of a large old file when its last descriptor is closed. That can take longer than writing
** the new one, so a thread of its own does it where the disk is not short of room.
*/
#include "ops/ops.h"
#include "files/files.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MOST_LINKS 40 /* the kernel's limit */
#define ACCESS_LIST "system.posix_acl_access"

static ma_status open_fail(const char *path) {
  return ma_fail(MA_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
}
static ma_status write_fail(void) { return ma_fail(MA_ERR_IO, "the file cannot be written: %s", strerror(errno)); }

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

/* Makes a file in the target's folder. If the file system allows, the file has no name, so a process that is killed
** leaves nothing behind. */
static int make_beside(ma_output *out, mode_t mode) {
  static unsigned count;
  char *folder = beside(out->target, "."), name[64];
  int fd = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode) : -1;
  bool refused = fd < 0 && (errno == EACCES || errno == EROFS);
  free(folder);
  for (int i = 0; i < 100 && fd < 0 && !refused; i++) {
    free(out->made);
    snprintf(name, sizeof name, ".moonarray-%ld-%u", (long)getpid(), __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED));
    out->made = beside(out->target, name);
    if (!out->made) return -1;
    fd = open(out->made, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    refused = fd < 0 && errno != EEXIST;
  }
  if (fd >= 0) return fd;
  free(out->made);
  out->made = NULL;
  return -1;
}

static ma_status open_in_place(ma_output *out, const char *path) {
  out->file = fopen(path, "wbe");
  return out->file ? MA_OK : open_fail(path);
}

/* Opens the existing file under the kernel's rules for following links and writing to other users' files; -1 with
** ENOENT: there is none. */
static int open_old(const char *path, struct stat *st) {
  int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 || fstat(fd, st) != 0 || st->st_uid == geteuid()) return fd;
  /* The kernel refuses O_CREAT for other users' files in /tmp, so this checks that rule. */
  int again = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
  if (again >= 0) close(again);
  else {
    int why = errno;
    close(fd);
    errno = why;
  }
  return again < 0 ? -1 : fd;
}

static ma_status open_beside(ma_output *out, const char *path) {
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
  int fd = make_beside(out, out->old >= 0 ? 0600 : 0666);
  if (fd < 0) {
    bool refused = errno == EACCES || errno == EPERM || errno == EROFS;
    return out->old >= 0 && refused ? open_in_place(out, path) : open_fail(path);
  }
  out->beside = true;
  out->file = fdopen(fd, "wb");
  if (out->file) return MA_OK;
  close(fd);
  return open_fail(path);
}

ma_status ma_output_open(ma_output *out, const char *path) {
  struct stat st;
  *out = (ma_output){ .opened = true, .old = -1 };
  bool there = stat(path, &st) == 0;
  if (there && S_ISDIR(st.st_mode)) return ma_fail(MA_ERR_IO, "'%s' is a folder; wanted a file", path);
  ma_status status = there && !S_ISREG(st.st_mode) ? open_in_place(out, path) : open_beside(out, path);
  if (status != MA_OK) ma_output_abandon(out);
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

static bool give_name(ma_output *out, int fd) {
  static unsigned count;
  char name[64], self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  for (int i = 0; i < 100; i++) {
    free(out->made);
    snprintf(name, sizeof name, ".moonarray-%ld-l%u", (long)getpid(), __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED));
    out->made = beside(out->target, name);
    if (!out->made) return false;
    if (linkat(AT_FDCWD, self, AT_FDCWD, out->made, AT_SYMLINK_FOLLOW) == 0) return true;
    if (errno != EEXIST) break;
  }
  free(out->made);
  out->made = NULL;
  return false;
}

static bool move_made(ma_output *out) {
  if (ma_system.id == MA_SYSTEM_WINDOWS && out->old >= 0) { /* it replaces no file that is open */
    close(out->old);
    out->old = -1;
  }
  return rename(out->made, out->target) == 0;
}

static bool put_in_place(ma_output *out, int fd) {
  if (out->old >= 0 && !take_after(fd, out->old)) return false;
  if (!out->made && !give_name(out, fd)) return false;
  if (!move_made(out)) return false;
  free(out->made);
  out->made = NULL;
  return true;
}

/* For files that cannot be replaced: a mounted file, or one of another owner. */
static ma_status copy_over(const ma_output *out, int fd) {
  char bytes[1 << 16];
  int to = out->old >= 0 ? dup(out->old) : open(out->target, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  bool ok = to >= 0 && lseek(fd, 0, SEEK_SET) == 0 && lseek(to, 0, SEEK_SET) == 0 && ftruncate(to, 0) == 0;
  for (ssize_t n = 1; ok && n > 0;) {
    n = read(fd, bytes, sizeof bytes);
    ok = n >= 0;
    for (ssize_t at = 0; ok && at < n;) {
      ssize_t put = write(to, bytes + at, (size_t)(n - at));
      if (put < 0 && errno == EINTR) continue;
      ok = put > 0;
      at += put;
    }
  }
  ma_status status = ok ? MA_OK : write_fail();
  if (to >= 0 && close(to) != 0 && status == MA_OK) status = write_fail();
  return status;
}

/* ---- Freeing the old file ---- */

#define RELEASE_FROM ((off_t)16 << 20) /* bytes; a smaller file is freed in about the time that a thread starts in */
#define MOST_RELEASES 4                /* at once */
static int releases;                   /* atomic. A fork copies it, and a child with too many closes files itself. */

static void *release(void *fd) {
  close((int)(intptr_t)fd);
  __atomic_sub_fetch(&releases, 1, __ATOMIC_RELAXED);
  return NULL;
}

/* Whether nothing but the descriptor keeps the file, which is large, and what is written next cannot miss its room. */
static bool may_wait(const ma_output *out) {
  struct stat st;
  struct statvfs fs;
  return fstat(out->old, &st) == 0 && st.st_nlink == 0 && st.st_size >= RELEASE_FROM &&
         statvfs(out->target, &fs) == 0 &&
         (double)fs.f_bavail * (double)fs.f_frsize >= (double)MOST_RELEASES * (double)st.st_size;
}

/* Closes the file that was replaced. */
static void let_go(ma_output *out) {
  pthread_t thread;
  sigset_t all, before;
  int old = out->old;
  bool later = old >= 0 && may_wait(out);
  out->old = -1;
  if (later && __atomic_add_fetch(&releases, 1, __ATOMIC_RELAXED) <= MOST_RELEASES) {
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, release, (void *)(intptr_t)old) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) {
      pthread_detach(thread);
      return;
    }
  }
  if (later) __atomic_sub_fetch(&releases, 1, __ATOMIC_RELAXED);
  if (old >= 0) close(old);
}

ma_status ma_output_close(ma_output *out) {
  ma_status status = MA_OK;
  int fd = -1;
  if (fflush(out->file) != 0) status = write_fail();
  if (out->beside && status == MA_OK && (fd = fcntl(fileno(out->file), F_DUPFD_CLOEXEC, 3)) < 0) status = write_fail();
  /* some file systems report a full disk only when the file is closed */
  if (fclose(out->file) != 0 && status == MA_OK) status = write_fail();
  out->file = NULL;
  if (out->beside && status == MA_OK) {
    if (put_in_place(out, fd)) let_go(out);
    else status = copy_over(out, fd);
  }
  if (fd >= 0) close(fd);
  ma_output_abandon(out);
  return status;
}

void ma_output_abandon(ma_output *out) {
  if (out->file) fclose(out->file);
  if (out->made) unlink(out->made);
  if (out->opened && out->old >= 0) close(out->old);
  free(out->made);
  free(out->target);
  *out = (ma_output){ .opened = false };
}
