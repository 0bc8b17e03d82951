/* system.c: words and places of POSIX systems. */
#include "system/system.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

static const char *const compilers[] = { "c++", "g++", "clang++", NULL };

const ma_system_words ma_system = {
  .id = MA_SYSTEM_POSIX,
  .list = ':',
  .separators = "/",
  .program_ending = "",
  .object_ending = ".so",
  .program_folders = "/usr/bin:/bin",
  .cache = { { "XDG_CACHE_HOME", "/moonarray" }, { "HOME", "/.cache/moonarray" } },
  .no_cache = "(no $HOME)",
  .temporary = { "TMPDIR" },
  .temporary_folder = "/tmp",
  .compilers = compilers,
  .install = "install the package g++",
  .stack = 580 << 10,
};

bool ma_path_is_absolute(const char *path) { return path[0] == '/'; }

const char *ma_path_last(const char *path) { return strrchr(path, '/'); }

/* The value of a line "name : value" without its end. */
static const char *value_of(char *line) {
  char *colon = strchr(line, ':');
  if (!colon) return NULL;
  colon += strspn(colon, ": \t");
  colon[strcspn(colon, "\n")] = 0;
  return colon;
}

void ma_system_processor(char *name, size_t size, uint64_t *features) {
  char line[8192];
  bool named = false;
  FILE *file = fopen("/proc/cpuinfo", "re");
  snprintf(name, size, "CPU");
  *features = 0;
  if (!file) return;
  while (!(named && *features) && fgets(line, sizeof line, file)) {
    if (!*features && (!strncmp(line, "flags", 5) || !strncmp(line, "Features", 8)))
      *features = ma_hash(line, strlen(line), 1);
    const char *value = !named && !strncmp(line, "model name", 10) ? value_of(line) : NULL;
    if (value) snprintf(name, size, "%s", value);
    named |= value != NULL;
  }
  fclose(file);
}

int ma_system_duplicate(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 3); }

bool ma_system_has_modes(int fd) {
  /* FAT, exFAT, NTFS by its three drivers (the one in user space is FUSE's), SMB's two, 9P */
  static const unsigned long without[] = { 0x4d44, 0x2011bab0, 0x5346544e, 0x7366746e, 0x65735546,
                                           0x517b, 0xff534d42, 0xfe534d42, 0x01021997 };
  struct statfs fs;
  if (fstatfs(fd, &fs) != 0) return true;
  for (size_t k = 0; k < sizeof without / sizeof *without; k++)
    if ((fs.f_type & 0xffffffff) == without[k]) return false;
  return true;
}

bool ma_system_group_is_private(unsigned user, unsigned group) {
  char of_user[1024], of_group[4096];
  struct passwd u, *who = NULL;
  struct group g, *which = NULL;
  if (getpwuid_r(user, &u, of_user, sizeof of_user, &who) != 0 || !who || who->pw_gid != group) return false;
  if (getgrgid_r(group, &g, of_group, sizeof of_group, &which) != 0 || !which) return false;
  for (char **member = which->gr_mem; *member; member++)
    if (strcmp(*member, who->pw_name)) return false;
  return !strcmp(which->gr_name, who->pw_name);
}
