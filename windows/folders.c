/* folders.c: lists of folders, and patterns over them. */
#include "windows/posix.h"

#include <windows.h>

#undef close
#undef open

/* ==== Lists ====================================================================================================== */

struct windows_folder {
  int fd;
  HANDLE search;
  bool begun;
  char path[PATH_MAX];
  WIN32_FIND_DATAA found;
  struct dirent entry;
};

DIR *fdopendir(int fd) {
  struct windows_stat st;
  DIR *dir = calloc(1, sizeof *dir);
  if (!dir || windows_fstat(fd, &st) != 0 || (st.st_mode & 0xf000) != _S_IFDIR) {
    free(dir);
    return NULL;
  }
  dir->fd = fd;
  dir->search = INVALID_HANDLE_VALUE;
  return dir;
}

DIR *opendir(const char *path) {
  int fd = windows_open(path, O_DIRECTORY);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  if (!dir && fd >= 0) windows_close(fd);
  return dir;
}

void rewinddir(DIR *dir) {
  if (dir->search != INVALID_HANDLE_VALUE) FindClose(dir->search);
  dir->search = INVALID_HANDLE_VALUE;
  dir->begun = false;
}

struct dirent *readdir(DIR *dir) {
  if (!dir->begun) {
    dir->begun = true;
    if (snprintf(dir->path, sizeof dir->path, "%s/*", windows_folder_path(dir->fd)) >= (int)sizeof dir->path)
      return NULL;
    dir->search = FindFirstFileA(dir->path, &dir->found);
    if (dir->search == INVALID_HANDLE_VALUE) return NULL;
  } else if (dir->search == INVALID_HANDLE_VALUE || !FindNextFileA(dir->search, &dir->found)) return NULL;
  snprintf(dir->entry.d_name, sizeof dir->entry.d_name, "%s", dir->found.cFileName);
  return &dir->entry;
}

int closedir(DIR *dir) {
  rewinddir(dir);
  windows_close(dir->fd);
  free(dir);
  return 0;
}

int dirfd(DIR *dir) { return dir->fd; }

/* ==== Patterns =================================================================================================== */

static void take(glob_t *hits, const char *path) {
  char **more = realloc(hits->gl_pathv, (hits->gl_pathc + 1) * sizeof *more), *copy = strdup(path);
  if (more) hits->gl_pathv = more;
  if (more && copy) hits->gl_pathv[hits->gl_pathc++] = copy;
  else free(copy);
}

/* Follows a pattern from `done` bytes of the path on, which exist; a part may have one or more `*`. */
static void follow(const char *done, const char *rest, glob_t *hits) {
  char path[PATH_MAX];
  size_t n = strcspn(rest, "/\\");
  WIN32_FIND_DATAA found;
  if (snprintf(path, sizeof path, "%s%.*s", done, (int)n, rest) >= (int)sizeof path) return;
  if (!memchr(rest, '*', n)) {
    if (rest[n]) {
      if (snprintf(path, sizeof path, "%s%.*s/", done, (int)n, rest) < (int)sizeof path)
        follow(path, rest + n + 1, hits);
    } else if (GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES) take(hits, path);
    return;
  }
  HANDLE search = FindFirstFileA(path, &found);
  if (search == INVALID_HANDLE_VALUE) return;
  do {
    if (found.cFileName[0] == '.') continue;
    if (snprintf(path, sizeof path, "%s%s%s", done, found.cFileName, rest[n] ? "/" : "") >= (int)sizeof path) continue;
    if (rest[n]) follow(path, rest + n + 1, hits);
    else take(hits, path);
  } while (FindNextFileA(search, &found));
  FindClose(search);
}

static int by_bytes(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int glob(const char *pattern, int flags, void *unused, glob_t *hits) {
  *hits = (glob_t){ 0 };
  follow("", pattern, hits);
  if (hits->gl_pathc) qsort(hits->gl_pathv, hits->gl_pathc, sizeof *hits->gl_pathv, by_bytes);
  return hits->gl_pathc ? 0 : 1;
}

void globfree(glob_t *hits) {
  for (size_t i = 0; i < hits->gl_pathc; i++) free(hits->gl_pathv[i]);
  free(hits->gl_pathv);
  *hits = (glob_t){ 0 };
}
