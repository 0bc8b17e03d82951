/* process.c: libraries that are opened, the environment, the terminal, the machine. */
#include "windows/posix.h"

#include <windows.h>

#include <ntsecapi.h>

#undef open
#undef close

/* ==== Libraries ================================================================================================== */

static _Thread_local char why[400];

static void *note(void *result, const char *what) {
  char text[256] = "";
  DWORD error = GetLastError();
  if (result) return result;
  if (error == ERROR_MOD_NOT_FOUND || error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND)
    snprintf(text, sizeof text, "No such file or directory, or a library that it needs is missing");
  else if (!FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM, NULL, error, 0, text, sizeof text, NULL))
    snprintf(text, sizeof text, "error %u", (unsigned)error);
  text[strcspn(text, "\r\n")] = 0;
  snprintf(why, sizeof why, "%s: %s", what, text);
  return NULL;
}

/* A path may have `/`, which LoadLibrary does not take everywhere. A library that is named by its path finds those
** that it needs beside it. */
void *dlopen(const char *path, int flags) {
  char own[MAX_PATH * 4];
  if (snprintf(own, sizeof own, "%s", path) >= (int)sizeof own)
    return SetLastError(ERROR_PATH_NOT_FOUND), note(NULL, path);
  for (char *at = own; (at = strchr(at, '/')); at++) *at = '\\';
  if (flags & RTLD_NOLOAD) {
    HMODULE there = NULL;
    GetModuleHandleExA(0, own, &there);
    return there;
  }
  return note((void *)LoadLibraryExA(own, NULL, strchr(own, '\\') ? LOAD_WITH_ALTERED_SEARCH_PATH : 0), path);
}

void *dlsym(void *library, const char *name) { return note((void *)GetProcAddress(library, name), name); }
char *dlerror(void) { return why; }
int dlclose(void *library) { return FreeLibrary(library) ? 0 : -1; }

int dladdr(const void *address, Dl_info *info) {
  static _Thread_local char path[MAX_PATH];
  HMODULE of;
  DWORD how = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExA(how, address, &of) || !GetModuleFileNameA(of, path, sizeof path)) return 0;
  info->dli_fname = path;
  return 1;
}

/* The library stays loaded: its threads and what it has handed out point into it. */
__attribute__((constructor)) static void stay(void) {
  HMODULE self;
  GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, (const char *)stay, &self);
}

/* ==== The environment ============================================================================================ */

ssize_t getrandom(void *bytes, size_t n, unsigned flags) { return RtlGenRandom(bytes, (ULONG)n) ? (ssize_t)n : -1; }

/* A library has a C library of its own, which may have copied the environment or may ask the system. */
int setenv(const char *name, const char *value, int replace) {
  return _putenv_s(name, value) == 0 && SetEnvironmentVariableA(name, value) ? 0 : -1;
}

int unsetenv(const char *name) {
  _putenv_s(name, "");
  SetEnvironmentVariableA(name, NULL);
  return 0;
}

/* ==== The machine ================================================================================================ */

int64_t sysconf(int name) {
  SYSTEM_INFO system;
  MEMORYSTATUSEX memory = { .dwLength = sizeof memory };
  GetSystemInfo(&system);
  GlobalMemoryStatusEx(&memory);
  switch (name) {
  case _SC_PAGESIZE: return system.dwPageSize;
  case _SC_NPROCESSORS_ONLN: return system.dwNumberOfProcessors;
  case _SC_PHYS_PAGES: return (int64_t)(memory.ullTotalPhys / system.dwPageSize);
  case _SC_AVAILABLE: return (int64_t)(memory.ullAvailPhys / system.dwPageSize);
  default: return -1;
  }
}

int64_t syscall(int number) { return number == SYS_gettid ? (int64_t)GetCurrentThreadId() : -1; }

int ioctl(int fd, int request, struct winsize *size) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &info)) return -1;
  *size = (struct winsize){ 0 };
  size->ws_col = (unsigned short)(info.srWindow.Right - info.srWindow.Left + 1);
  size->ws_row = (unsigned short)(info.srWindow.Bottom - info.srWindow.Top + 1);
  return 0;
}

/* ==== Numbers in text ============================================================================================ */

/* For one call between uselocale(1) and uselocale(what that returned): the thread has a locale of its own meanwhile. */
locale_t uselocale(locale_t locale) {
  static _Thread_local char before[128];
  if (locale == 1) {
    locale_t had = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE) == _ENABLE_PER_THREAD_LOCALE ? 3 : 2;
    snprintf(before, sizeof before, "%s", setlocale(LC_NUMERIC, NULL));
    setlocale(LC_NUMERIC, "C");
    return had;
  }
  setlocale(LC_NUMERIC, before);
  if (locale == 2) _configthreadlocale(_DISABLE_PER_THREAD_LOCALE);
  return 1;
}

/* mingw's own strtod, which rounds correctly; the locale's decimal sign is put in its place. */
double strtod_l(const char *text, char **end, locale_t locale) {
  const char *point = localeconv()->decimal_point;
  char copy[512];
  const char *dot = strchr(text, '.');
  if (!strcmp(point, ".") || !dot || point[1] || strlen(text) >= sizeof copy) return __strtod(text, end);
  strcpy(copy, text);
  copy[dot - text] = point[0];
  char *stop;
  double value = __strtod(copy, &stop);
  if (end) *end = (char *)text + (stop - copy);
  return value;
}
