/* run.c: runs a program and waits for its end. */
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The environment with English messages and with $TMPDIR in the temporary folder. The caller frees only the vector. */
static char **make_environment(char *tmpdir) {
  size_t n = 0, k = 0;
  while (environ && environ[n]) n++;
  char **list = malloc((n + 3) * sizeof *list);
  if (!list) return NULL;
  for (size_t i = 0; i < n; i++)
    if (strncmp(environ[i], "LC_ALL=", 7) && strncmp(environ[i], "LANGUAGE=", 9) && strncmp(environ[i], "TMPDIR=", 7))
      list[k++] = environ[i];
  list[k++] = "LC_ALL=C";
  list[k++] = tmpdir;
  list[k] = NULL;
  return list;
}

/* If the host program ignores SIGCHLD, waitpid waits, then fails, and the exit status is unknown. */
static bool wait_for(pid_t pid, bool *known) {
  int code;
  *known = true;
  for (;;) {
    if (waitpid(pid, &code, 0) == pid) return WIFEXITED(code) && WEXITSTATUS(code) == 0;
    if (errno == EINTR) continue;
    *known = false;
    return false;
  }
}

bool ma_system_run(char *const *argv, const char *work, const char *log, bool *known) {
  char tmpdir[PATH_MAX + 8];
  snprintf(tmpdir, sizeof tmpdir, "TMPDIR=%s", work);
  char **environment = make_environment(tmpdir);
  if (!environment) {
    *known = true;
    return false;
  }
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t defaults, none;
  pid_t pid;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGCHLD);
  sigaddset(&defaults, SIGPIPE);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  *known = true;
  bool ok = posix_spawn(&pid, argv[0], &files, &attributes, argv, environment) == 0 &&
            (wait_for(pid, known) || !*known);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  free(environment);
  return ok;
}
