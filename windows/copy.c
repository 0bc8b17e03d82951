/* copy.c: loads a DLL a second time, from a copy of its file. The copy has a new name, because Windows gives a name
** that is loaded already the module that it has. */
#include "system/system.h"

#include <windows.h>

void *ma_system_load_copy(void *original, intptr_t *kept) {
  char from[MAX_PATH], folder[MAX_PATH], path[MAX_PATH];
  *kept = 0;
  if (!GetModuleFileNameA(original, from, sizeof from) || !GetTempPathA(sizeof folder, folder) ||
      !GetTempFileNameA(folder, "moo", 0, path) || !CopyFileA(from, path, FALSE))
    return NULL;
  void *copy = (void *)LoadLibraryExA(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
  char *name = copy ? strdup(path) : NULL;
  if (!copy) DeleteFileA(path);
  *kept = (intptr_t)name;
  return copy;
}

void ma_system_close_copy(void *copy, intptr_t kept) {
  char *path = (char *)kept;
  FreeLibrary(copy);
  if (path) DeleteFileA(path);
  free(path);
}
