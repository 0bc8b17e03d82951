/*
** posix.h: the functions of POSIX that the library calls and that mingw-w64 lacks, under POSIX's names. Every file of a
** build for Windows gets this header first (-include). windows/include has the headers that mingw-w64 lacks; each of
** them includes this one. So src/ is written against POSIX alone.
**
** What a folder's descriptor, an owner or a mode means here: a folder that is opened keeps its path; every file belongs
** to user 0 and is closed to others, because the folders that are used lie in the user's own profile.
*/
#ifndef MOONARRAY_WINDOWS_POSIX_H
#define MOONARRAY_WINDOWS_POSIX_H

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <locale.h>
#include <process.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#undef UNALIGNED /* words of mingw's headers that are names in the library */
#define tell windows_tell
#ifndef EDQUOT
#define EDQUOT 140
#endif

/* ==== Memory ===================================================================================================== */

void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **memory, size_t alignment, size_t size);
char *strndup(const char *text, size_t most);
char *stpcpy(char *to, const char *from);
void *memmem(const void *in, size_t room, const void *what, size_t size);

enum { PROT_NONE = 0, PROT_READ = 1, PROT_WRITE = 2, MAP_PRIVATE = 2, MAP_ANONYMOUS = 32, MAP_NORESERVE = 0x4000 };
#define MAP_FAILED ((void *)-1)
void *mmap(void *at, size_t size, int protection, int flags, int fd, int64_t offset); /* anonymous memory alone */
int munmap(void *memory, size_t size);
int mprotect(void *memory, size_t size, int protection);

/* ==== Files ====================================================================================================== */

struct windows_stat {
  uint64_t st_dev, st_ino;
  unsigned st_mode, st_uid, st_gid;
  int64_t st_size;
  struct timespec st_mtim;
};
#undef stat
#undef fstat
#undef st_mtime
#define st_mtime st_mtim.tv_sec
#define stat windows_stat
#define lstat windows_lstat
#define fstat windows_fstat
#define fstatat windows_fstatat
int windows_stat(const char *path, struct windows_stat *st);
int windows_lstat(const char *path, struct windows_stat *st);
int windows_fstat(int fd, struct windows_stat *st);
int windows_fstatat(int dir, const char *path, struct windows_stat *st, int flags);
#define S_IFLNK 0xa000
#define S_ISLNK(mode) (((mode)&0xf000) == S_IFLNK)

#define AT_FDCWD (-100)
enum { AT_SYMLINK_NOFOLLOW = 0x100, AT_REMOVEDIR = 0x200, AT_SYMLINK_FOLLOW = 0x400 };
/* Bits that the C library does not use. */
enum {
  O_CLOEXEC = 0x1000000,
  O_NOFOLLOW = 0x2000000,
  O_NONBLOCK = 0x4000000,
  O_NOCTTY = 0x8000000,
  O_DIRECTORY = 0x10000000,
  O_TMPFILE = 0x20000000 /* refused */
};
#define open windows_open
#define openat windows_openat
#define close windows_close
#define read windows_read
#define write windows_write
#define unlink windows_unlink
#define rename windows_rename
#define mkdir windows_mkdir
#define rmdir windows_rmdir
#define access windows_access
#define fopen windows_fopen
#define fclose windows_fclose
#define fwrite windows_fwrite
#define fflush windows_fflush
#undef lseek
#define lseek _lseeki64
int windows_open(const char *path, int flags, ...);
int windows_openat(int dir, const char *path, int flags, ...);
int windows_close(int fd);
ssize_t windows_read(int fd, void *bytes, size_t n);
ssize_t windows_write(int fd, const void *bytes, size_t n);
int windows_unlink(const char *path);
int windows_rename(const char *from, const char *to);
int windows_mkdir(const char *path, int mode);
int windows_rmdir(const char *path);
int windows_access(const char *path, int mode);
FILE *windows_fopen(const char *path, const char *mode);
int windows_fclose(FILE *file);
size_t windows_fwrite(const void *bytes, size_t size, size_t n, FILE *file);
int windows_fflush(FILE *file);
ssize_t pread(int fd, void *bytes, size_t n, int64_t at);
int unlinkat(int dir, const char *path, int flags);
int futimens(int fd, const struct timespec times[2]); /* now alone */
char *realpath(const char *path, char *to);           /* with `/` between the folders */
char *windows_mkdtemp(char *path);
#define mkdtemp windows_mkdtemp
ssize_t readlink(const char *path, char *text, size_t size); /* no path is a link */
int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags);
enum { F_GETFL = 3, F_DUPFD_CLOEXEC = 1030 };
int fcntl(int fd, int command, ...);
int fsync(int fd);
int posix_fallocate(int fd, int64_t at, int64_t size);
int fchmod(int fd, int mode);
int fchown(int fd, unsigned user, unsigned group);
ssize_t fgetxattr(int fd, const char *name, void *value, size_t size);
int fsetxattr(int fd, const char *name, const void *value, size_t size, int flags);
static inline unsigned geteuid(void) { return 0; }

/* statvfs */
enum { ST_RDONLY = 1, ST_NOEXEC = 8 };
struct statvfs {
  uint64_t f_bavail, f_frsize, f_files, f_favail;
  unsigned f_flag;
};
int statvfs(const char *path, struct statvfs *fs);

/* ==== Folders ==================================================================================================== */

typedef struct windows_folder DIR;
struct dirent {
  char d_name[260];
};
DIR *opendir(const char *path);
DIR *fdopendir(int fd);
struct dirent *readdir(DIR *dir);
void rewinddir(DIR *dir);
int closedir(DIR *dir);
int dirfd(DIR *dir);
const char *windows_folder_path(int fd); /* of an open folder, or NULL */

typedef struct glob_t {
  size_t gl_pathc;
  char **gl_pathv;
} glob_t;
int glob(const char *pattern, int flags, void *unused, glob_t *hits); /* 0: there is a hit; in the order of bytes */
void globfree(glob_t *hits);

/* ==== Libraries ================================================================================================== */

enum { RTLD_LAZY = 1, RTLD_NOW = 2, RTLD_NOLOAD = 4, RTLD_LOCAL = 0, RTLD_GLOBAL = 0 };
typedef struct Dl_info {
  const char *dli_fname;
} Dl_info;
void *dlopen(const char *path, int flags);
void *dlsym(void *library, const char *name);
char *dlerror(void);
int dlclose(void *library);
int dladdr(const void *address, Dl_info *info);

/* ==== The process and its threads ================================================================================= */

ssize_t getrandom(void *bytes, size_t n, unsigned flags);
enum { GRND_NONBLOCK = 1 };
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);

#undef _SC_PAGESIZE
#undef _SC_NPROCESSORS_ONLN
enum { _SC_PAGESIZE = 1, _SC_PHYS_PAGES, _SC_NPROCESSORS_ONLN, _SC_AVAILABLE };
#define _SC_AVPHYS_PAGES _SC_AVAILABLE
int64_t sysconf(int name);

/* There are no forks (pthreads of mingw say so), and no signals between threads. */
#undef pthread_sigmask
#undef SIG_SETMASK
#define SIG_SETMASK 2
typedef unsigned long long sigset_t;
#define sigfillset(set) (*(set) = 0)
#define pthread_sigmask(how, set, old) ((void)(how), (void)(set), (void)(old))
enum { SYS_gettid = 186 };
int64_t syscall(int number);

/* Without unwinding: the frames between are those of kernels. */
#define _setjmp(place) (_setjmp)((place), NULL)

struct winsize {
  unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; /* pixels: 0, unknown */
};
enum { TIOCGWINSZ = 0x5413 };
int ioctl(int fd, int request, struct winsize *size);

/* ==== Numbers in text ============================================================================================ */

typedef int locale_t; /* 1: the C locale; 2, 3: what the thread had before */
enum { LC_ALL_MASK = 0 };
static inline locale_t newlocale(int mask, const char *name, locale_t base) { return 1; }
locale_t uselocale(locale_t locale);
double strtod_l(const char *text, char **end, locale_t locale);

#endif
