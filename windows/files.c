/* files.c: files and folders. They are opened so that they can be removed or replaced meanwhile, as POSIX allows. */
#include "windows/posix.h"

#include <stdarg.h>
#include <windows.h>

#undef open
#undef close
#undef read
#undef write
#undef rename
#undef unlink
#undef mkdir
#undef rmdir
#undef access
#undef fopen
#undef fclose
#undef fwrite
#undef fflush
#undef mkdtemp
#undef stat

#define SHARE (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* ==== Errors ===================================================================================================== */

static int fail(void) {
  static const struct {
    DWORD error;
    int number;
  } table[] = {
    { ERROR_FILE_NOT_FOUND, ENOENT },
    { ERROR_PATH_NOT_FOUND, ENOENT },
    { ERROR_INVALID_NAME, ENOENT },
    { ERROR_BAD_NETPATH, ENOENT },
    { ERROR_INVALID_DRIVE, ENOENT },
    { ERROR_BAD_PATHNAME, ENOENT },
    { ERROR_FILE_EXISTS, EEXIST },
    { ERROR_ALREADY_EXISTS, EEXIST },
    { ERROR_DIR_NOT_EMPTY, ENOTEMPTY },
    { ERROR_DISK_FULL, ENOSPC },
    { ERROR_HANDLE_DISK_FULL, ENOSPC },
    { ERROR_TOO_MANY_OPEN_FILES, EMFILE },
    { ERROR_NOT_ENOUGH_MEMORY, ENOMEM },
    { ERROR_WRITE_PROTECT, EROFS },
    { ERROR_DIRECTORY, ENOTDIR },
    { ERROR_INVALID_HANDLE, EBADF },
    { ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG },
  };
  DWORD error = GetLastError();
  errno = EACCES;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].error == error) errno = table[i].number;
  return -1;
}

static int refuse(int number) {
  errno = number;
  return -1;
}

/* ==== Descriptors of folders ===================================================================================== */

/* A folder has the descriptor of the empty device, and its path is kept beside it. */
#define MOST_FD 2048
static char *folder_of[MOST_FD];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int open_folder(const char *path) {
  int fd = _open("NUL", _O_RDONLY | _O_BINARY | _O_NOINHERIT);
  char *whole = fd >= 0 && fd < MOST_FD ? realpath(path, NULL) : NULL;
  if (!whole) {
    if (fd >= 0) _close(fd);
    return refuse(fd >= 0 ? ENOENT : EMFILE);
  }
  pthread_mutex_lock(&lock);
  folder_of[fd] = whole;
  pthread_mutex_unlock(&lock);
  return fd;
}

/* The path of an open folder, or NULL; it stays while the folder is open. */
const char *windows_folder_path(int fd) {
  pthread_mutex_lock(&lock);
  const char *path = fd >= 0 && fd < MOST_FD ? folder_of[fd] : NULL;
  pthread_mutex_unlock(&lock);
  return path;
}

static void forget_folder(int fd) {
  pthread_mutex_lock(&lock);
  char *path = fd >= 0 && fd < MOST_FD ? folder_of[fd] : NULL;
  if (path) folder_of[fd] = NULL;
  pthread_mutex_unlock(&lock);
  free(path);
}

int windows_close(int fd) {
  forget_folder(fd);
  return _close(fd);
}

int windows_fclose(FILE *file) {
  forget_folder(_fileno(file));
  return fclose(file);
}

/* Writes the path of a name in a folder; false: there is no such folder, or it is too long. */
static bool within(int dir, const char *name, char path[PATH_MAX]) {
  bool whole = dir == AT_FDCWD || name[0] == '/' || name[0] == '\\' || (name[0] && name[1] == ':');
  const char *in = whole ? "" : windows_folder_path(dir);
  if (!in) return refuse(EBADF), false;
  if (snprintf(path, PATH_MAX, "%s%s%s", in, whole ? "" : "/", name) < PATH_MAX) return true;
  return refuse(ENAMETOOLONG), false;
}

/* ==== Opening ==================================================================================================== */

static DWORD attributes_of(const char *path) { return GetFileAttributesA(path); }

static bool is_folder(const char *path) {
  DWORD found = attributes_of(path);
  return found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_DIRECTORY);
}

static HANDLE open_handle(const char *path, int flags) {
  int way = flags & (_O_RDONLY | _O_WRONLY | _O_RDWR);
  DWORD access = way == _O_RDONLY ? GENERIC_READ : way == _O_WRONLY ? GENERIC_WRITE : GENERIC_READ | GENERIC_WRITE;
  DWORD made = flags & _O_CREAT   ? (flags & _O_EXCL    ? CREATE_NEW
                                     : flags & _O_TRUNC ? CREATE_ALWAYS
                                                        : OPEN_ALWAYS)
               : flags & _O_TRUNC ? TRUNCATE_EXISTING
                                  : OPEN_EXISTING;
  if (flags & _O_APPEND) access = (access & ~(DWORD)GENERIC_WRITE) | FILE_APPEND_DATA | FILE_WRITE_ATTRIBUTES;
  /* The right to set a file's time (futimens), where it is given. */
  HANDLE file = way == _O_RDONLY ? CreateFileA(path, access | FILE_WRITE_ATTRIBUTES, SHARE, NULL, made, 0, NULL)
                                 : INVALID_HANDLE_VALUE;
  return file != INVALID_HANDLE_VALUE ? file
                                      : CreateFileA(path, access, SHARE, NULL, made, FILE_ATTRIBUTE_NORMAL, NULL);
}

/* Windows says that a path is not found where a file stands in the place of a folder. */
static int fail_to_open(const char *path) {
  char folder[PATH_MAX];
  fail();
  if (errno != ENOENT || snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder) return -1;
  for (char *end = folder + strlen(folder); end > folder; end--) {
    if (*end != '/' && *end != '\\') continue;
    *end = 0;
    if (attributes_of(folder) != INVALID_FILE_ATTRIBUTES) return is_folder(folder) ? -1 : refuse(ENOTDIR);
  }
  return -1;
}

int windows_open(const char *path, int flags, ...) {
  if (flags & O_TMPFILE) return refuse(EOPNOTSUPP);
  if (is_folder(path)) return flags & (_O_WRONLY | _O_RDWR) ? refuse(EISDIR) : open_folder(path);
  if (flags & O_DIRECTORY) return refuse(attributes_of(path) == INVALID_FILE_ATTRIBUTES ? ENOENT : ENOTDIR);
  if ((flags & O_NOFOLLOW) && attributes_of(path) != INVALID_FILE_ATTRIBUTES &&
      (attributes_of(path) & FILE_ATTRIBUTE_REPARSE_POINT))
    return refuse(ELOOP);
  HANDLE file = open_handle(path, flags);
  if (file == INVALID_HANDLE_VALUE) return fail_to_open(path);
  int fd = _open_osfhandle((intptr_t)file, _O_BINARY | _O_NOINHERIT | (flags & (_O_APPEND | _O_RDONLY)));
  if (fd < 0) CloseHandle(file);
  return fd;
}

int windows_openat(int dir, const char *name, int flags, ...) {
  char path[PATH_MAX];
  return within(dir, name, path) ? windows_open(path, flags) : -1;
}

FILE *windows_fopen(const char *path, const char *mode) {
  bool both = strchr(mode, '+') != NULL;
  int flags = mode[0] == 'r' ? 0 : mode[0] == 'w' ? _O_CREAT | _O_TRUNC : _O_CREAT | _O_APPEND;
  flags |= both ? _O_RDWR : mode[0] == 'r' ? _O_RDONLY : _O_WRONLY;
  char plain[4] = { mode[0], 'b', both ? '+' : 0, 0 };
  int fd = windows_open(path, flags);
  FILE *file = fd < 0 ? NULL : _fdopen(fd, plain);
  if (!file && fd >= 0) windows_close(fd);
  return file;
}

/* ==== Reading and writing ======================================================================================== */

#define MOST_AT_ONCE ((size_t)1 << 30)

ssize_t windows_read(int fd, void *bytes, size_t n) {
  return _read(fd, bytes, (unsigned)(n < MOST_AT_ONCE ? n : MOST_AT_ONCE));
}

/* A disk that is full takes a part of what it is given, for which Wine's C library has the error EINVAL, of no call of
** the system. */
static int full_or(int number) { return !number || (number == EINVAL && !_doserrno) ? ENOSPC : number; }

ssize_t windows_write(int fd, const void *bytes, size_t n) {
  int before = errno;
  errno = 0, _doserrno = 0;
  ssize_t put = _write(fd, bytes, (unsigned)(n < MOST_AT_ONCE ? n : MOST_AT_ONCE));
  errno = put >= 0 ? before : full_or(errno);
  return put;
}

size_t windows_fwrite(const void *bytes, size_t size, size_t n, FILE *file) {
  int before = errno;
  errno = 0, _doserrno = 0;
  size_t put = fwrite(bytes, size, n, file);
  errno = put == n ? before : full_or(errno);
  return put;
}

int windows_fflush(FILE *file) {
  int before = errno;
  errno = 0, _doserrno = 0;
  int result = fflush(file);
  errno = result == 0 ? before : full_or(errno);
  return result;
}

ssize_t pread(int fd, void *bytes, size_t n, int64_t at) {
  int64_t before = _lseeki64(fd, 0, SEEK_CUR);
  if (before < 0 || _lseeki64(fd, at, SEEK_SET) < 0) return -1;
  ssize_t got = windows_read(fd, bytes, n);
  return _lseeki64(fd, before, SEEK_SET) < 0 ? -1 : got;
}

int fcntl(int fd, int command, ...) { return command == F_DUPFD_CLOEXEC ? _dup(fd) : refuse(EINVAL); }

/* ==== What a file is ============================================================================================= */

static struct timespec time_of(FILETIME t) {
  int64_t ticks = (int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime) - 116444736000000000; /* since 1970 */
  return (struct timespec){ ticks / 10000000, (long)(ticks % 10000000 * 100) };
}

static int stat_handle(HANDLE file, bool follow, struct windows_stat *st) {
  BY_HANDLE_FILE_INFORMATION info;
  DWORD type = GetFileType(file);
  memset(st, 0, sizeof *st);
  if (type != FILE_TYPE_DISK) {
    if (type == FILE_TYPE_UNKNOWN && GetLastError() != NO_ERROR) return fail();
    st->st_mode = (type == FILE_TYPE_PIPE ? _S_IFIFO : _S_IFCHR) | 0600;
    return 0;
  }
  if (!GetFileInformationByHandle(file, &info)) return fail();
  st->st_dev = info.dwVolumeSerialNumber;
  st->st_ino = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
  st->st_size = (int64_t)((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow);
  st->st_mtim = time_of(info.ftLastWriteTime);
  st->st_mode = !follow && (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) ? S_IFLNK | 0700
                : info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY                ? _S_IFDIR | 0700
                                                                                  : _S_IFREG | 0600;
  return 0;
}

static int stat_path(const char *path, bool follow, struct windows_stat *st) {
  DWORD how = FILE_FLAG_BACKUP_SEMANTICS | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
  HANDLE file = CreateFileA(path, FILE_READ_ATTRIBUTES, SHARE, NULL, OPEN_EXISTING, how, NULL);
  if (file == INVALID_HANDLE_VALUE) return fail();
  int result = stat_handle(file, follow, st);
  CloseHandle(file);
  return result;
}

int windows_stat(const char *path, struct windows_stat *st) { return stat_path(path, true, st); }
int windows_lstat(const char *path, struct windows_stat *st) { return stat_path(path, false, st); }

int windows_fstat(int fd, struct windows_stat *st) {
  const char *path = windows_folder_path(fd);
  if (path) return stat_path(path, true, st);
  intptr_t file = _get_osfhandle(fd);
  return file == -1 ? refuse(EBADF) : stat_handle((HANDLE)file, true, st);
}

int windows_fstatat(int dir, const char *name, struct windows_stat *st, int flags) {
  char path[PATH_MAX];
  return within(dir, name, path) ? stat_path(path, !(flags & AT_SYMLINK_NOFOLLOW), st) : -1;
}

int windows_access(const char *path, int mode) {
  DWORD found = attributes_of(path);
  if (found == INVALID_FILE_ATTRIBUTES) return fail();
  return (mode & W_OK) && (found & FILE_ATTRIBUTE_READONLY) ? refuse(EACCES) : 0;
}

int statvfs(const char *path, struct statvfs *fs) {
  ULARGE_INTEGER room;
  if (!GetDiskFreeSpaceExA(path, &room, NULL, NULL)) return fail();
  *fs = (struct statvfs){ .f_bavail = room.QuadPart, .f_frsize = 1 };
  return 0;
}

int fsync(int fd) { return FlushFileBuffers((HANDLE)_get_osfhandle(fd)) ? 0 : fail(); }

/* Zeros are written, since a file that is only made longer has its room on some file systems alone. */
int posix_fallocate(int fd, int64_t at, int64_t size) {
  static const char zeros[1 << 16];
  int64_t before = _lseeki64(fd, 0, SEEK_CUR);
  bool ok = before >= 0 && _lseeki64(fd, at, SEEK_SET) >= 0;
  while (ok && size > 0) {
    ssize_t put = windows_write(fd, zeros, size < (int64_t)sizeof zeros ? (size_t)size : sizeof zeros);
    ok = put > 0;
    size -= put;
  }
  int why = ok ? 0 : errno ? errno : ENOSPC;
  return _lseeki64(fd, before, SEEK_SET) >= 0 ? why : EINVAL;
}

/* Modes and owners are what they are (posix.h). */
int fchmod(int fd, int mode) { return 0; }
int fchown(int fd, unsigned user, unsigned group) { return 0; }
ssize_t fgetxattr(int fd, const char *name, void *value, size_t size) { return refuse(ENODATA); }
int fsetxattr(int fd, const char *name, const void *value, size_t size, int flags) { return refuse(ENOTSUP); }
ssize_t readlink(const char *path, char *text, size_t size) { return refuse(EINVAL); }
int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) { return refuse(ENOTSUP); }

int futimens(int fd, const struct timespec times[2]) {
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  return SetFileTime((HANDLE)_get_osfhandle(fd), NULL, &now, &now) ? 0 : fail();
}

/* ==== Names ====================================================================================================== */

int windows_unlink(const char *path) { return DeleteFileA(path) ? 0 : fail(); }
int windows_mkdir(const char *path, int mode) { return CreateDirectoryA(path, NULL) ? 0 : fail(); }

/* A file that was removed stays in its folder until everybody has closed it: a program that has just ended, a
** scanner. */
int windows_rmdir(const char *path) {
  for (int k = 0; k < 40; k++) {
    if (RemoveDirectoryA(path)) return 0;
    if (GetLastError() != ERROR_DIR_NOT_EMPTY) break;
    Sleep(25);
  }
  return fail();
}

int windows_rename(const char *from, const char *to) {
  return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) ? 0 : fail();
}

int unlinkat(int dir, const char *name, int flags) {
  char path[PATH_MAX];
  if (!within(dir, name, path)) return -1;
  return flags & AT_REMOVEDIR ? windows_rmdir(path) : windows_unlink(path);
}

char *realpath(const char *path, char *to) {
  char whole[PATH_MAX];
  DWORD n = GetFullPathNameA(path, sizeof whole, whole, NULL);
  if (n == 0 || n >= sizeof whole || attributes_of(whole) == INVALID_FILE_ATTRIBUTES) return fail(), NULL;
  for (char *at = whole; (at = strchr(at, '\\')); at++) *at = '/';
  if (n > 3 && whole[n - 1] == '/') whole[n - 1] = 0;
  return to ? strcpy(to, whole) : strdup(whole);
}

char *windows_mkdtemp(char *path) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  char *end = path + strlen(path) - 6;
  for (int i = 0; i < 100; i++) {
    unsigned char bytes[6];
    getrandom(bytes, sizeof bytes, 0);
    for (int k = 0; k < 6; k++) end[k] = letters[bytes[k] % (sizeof letters - 1)];
    if (windows_mkdir(path, 0700) == 0) return path;
    if (errno != EEXIST) return NULL;
  }
  return NULL;
}
