/* copy.c: loads a shared object a second time, from a copy in memory. */
#include "system/system.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* A path of `fd` that no loaded object has, because dlopen would return that object. Moves the file to another
** descriptor for that. */
static bool fresh_path(int *fd, char *path, size_t size) {
  for (int i = 0; i < 64; i++) {
    snprintf(path, size, "/proc/self/fd/%d", *fd);
    void *there = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!there) return true;
    dlclose(there);
    int other = fcntl(*fd, F_DUPFD_CLOEXEC, *fd + 1);
    if (other < 0) return false;
    close(*fd);
    *fd = other;
  }
  return false;
}

/* While the copy is open, so is its descriptor: no other copy has its path. */
void *ma_system_load_copy(void *original, intptr_t *kept) {
  struct link_map *map;
  char path[64], bytes[1 << 14];
  void *copy = NULL;
  size_t n = 1;
  if (dlinfo(original, RTLD_DI_LINKMAP, &map) != 0) return NULL;
  FILE *from = fopen(map->l_name, "rbe");
  if (!from) return NULL;
  int fd = memfd_create("moonarray-module", MFD_CLOEXEC);
  bool ok = fd >= 0;
  while (ok && (n = fread(bytes, 1, sizeof bytes, from)) > 0) ok = write(fd, bytes, n) == (ssize_t)n;
  if (ok && !ferror(from) && fresh_path(&fd, path, sizeof path)) copy = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  fclose(from);
  if (!copy && fd >= 0) close(fd);
  *kept = fd;
  return copy;
}

void ma_system_close_copy(void *copy, intptr_t kept) {
  dlclose(copy);
  close((int)kept);
}
