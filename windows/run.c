/* run.c: runs a program and waits for its end. */
#include "system/system.h"

#include <windows.h>

/* One command line, as the C libraries of Windows take it apart: words in quotes, quotes and the backslashes before
** them behind a backslash. */
static void put_word(ma_ctext *line, const char *word) {
  ma_ctext_put(line, line->size ? " \"" : "\"");
  for (const char *at = word; *at; at++) {
    size_t n = strspn(at, "\\");
    bool before_quote = at[n] == '"' || !at[n];
    for (size_t k = 0; k < (before_quote ? 2 * n : n); k++) ma_ctext_put(line, "\\");
    at += n;
    if (!*at) break;
    ma_ctext_add(line, *at == '"' ? "\\%c" : "%c", *at);
  }
  ma_ctext_put(line, "\"");
}

/* The environment with English messages and temporary files in `work`; the caller frees it. */
static char *make_environment(const char *work) {
  static const char *const ours[] = { "LC_ALL=", "TMPDIR=", "TMP=", "TEMP=" };
  char *all = GetEnvironmentStringsA(), *made, *to;
  size_t size = 0;
  if (!all) return NULL;
  while (all[size]) size += strlen(all + size) + 1;
  made = to = malloc(size + 4 * (strlen(work) + 16));
  for (const char *at = all; made && *at; at += strlen(at) + 1) {
    bool kept = true;
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) kept &= strncmp(at, ours[k], strlen(ours[k])) != 0;
    if (kept) to = stpcpy(to, at) + 1;
  }
  if (made) {
    to = stpcpy(to, "LC_ALL=C") + 1;
    for (size_t k = 1; k < sizeof ours / sizeof *ours; k++) to = stpcpy(stpcpy(to, ours[k]), work) + 1;
    *to = 0;
  }
  FreeEnvironmentStringsA(all);
  return made;
}

static bool run_line(const char *program, char *line, char *environment, HANDLE log, bool *known) {
  SECURITY_ATTRIBUTES inherit = { sizeof inherit, NULL, TRUE };
  HANDLE nothing = CreateFileA("NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherit, OPEN_EXISTING, 0,
                               NULL);
  STARTUPINFOA start = {
    .cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES, .hStdInput = nothing, .hStdOutput = log, .hStdError = log
  };
  PROCESS_INFORMATION process;
  DWORD code = 1;
  bool ok = CreateProcessA(program, line, NULL, NULL, TRUE, CREATE_NO_WINDOW, environment, NULL, &start, &process);
  if (ok) {
    WaitForSingleObject(process.hProcess, INFINITE);
    *known = GetExitCodeProcess(process.hProcess, &code);
    CloseHandle(process.hThread);
    CloseHandle(process.hProcess);
  }
  if (nothing != INVALID_HANDLE_VALUE) CloseHandle(nothing);
  return ok && (code == 0 || !*known);
}

bool ma_system_run(char *const *argv, const char *work, const char *log, bool *known) {
  SECURITY_ATTRIBUTES inherit = { sizeof inherit, NULL, TRUE };
  ma_ctext line = { 0 };
  for (int i = 0; argv[i]; i++) put_word(&line, argv[i]);
  char *environment = make_environment(work);
  HANDLE to = CreateFileA(log, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, &inherit,
                          CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
  *known = true;
  bool ok = !line.failed && environment && to != INVALID_HANDLE_VALUE &&
            run_line(argv[0], line.bytes, environment, to, known);
  if (to != INVALID_HANDLE_VALUE) CloseHandle(to);
  free(environment);
  ma_ctext_free(&line);
  return ok;
}
