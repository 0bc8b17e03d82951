/* trust.c: opens bundles, whose code runs in this process, where nobody but the user and root can have written them. */
#include "bundle/bundle.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ma_status check(const struct stat *st, const char *path) {
  unsigned mode = st->st_mode & 07777, others = 022;
  if (st->st_uid != geteuid() && st->st_uid != 0)
    return ma_fail(MA_ERR_IO, "%s belongs to another user; wanted a file and a folder of the user or root", path);
  if (ma_system_group_is_private(st->st_uid, st->st_gid)) others = 02;
  if (mode & others)
    return ma_fail(MA_ERR_IO, "others can write %s (mode %04o); wanted a file and a folder that only their owner can",
                   path, mode);
  return MA_OK;
}

static ma_status check_both(int fd, char *path) {
  struct stat st;
  if (!ma_system_has_modes(fd)) return MA_OK;
  if (fstat(fd, &st) != 0) return ma_fail(MA_ERR_IO, "%s: %s", path, strerror(errno));
  MA_TRY(check(&st, path));
  char *slash = strrchr(path, '/'), *folder = slash == path ? strdup("/") : slash ? strndup(path, slash - path) : NULL;
  if (!folder) return ma_fail(MA_ERR_MEMORY, "out of memory for a path");
  ma_status status = stat(folder, &st) == 0 ? check(&st, folder)
                                            : ma_fail(MA_ERR_IO, "%s: %s", folder, strerror(errno));
  free(folder);
  return status;
}

ma_status ma_bundle_open_trusted(const char *path, int *fd) {
  char *real = realpath(path, NULL);
  *fd = real ? open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY) : -1;
  if (*fd < 0) {
    int reason = errno;
    free(real);
    return ma_fail(MA_ERR_IO, "the bundle %s cannot be opened: %s", path, strerror(reason));
  }
  ma_status status = check_both(*fd, real);
  free(real);
  if (status == MA_OK) return MA_OK;
  close(*fd);
  *fd = -1;
  return ma_fail_prefix(status, "the bundle %s is not trusted: ", path);
}
