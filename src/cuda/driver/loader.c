/*
** loader.c: opens NVIDIA's libraries at run time. If a library is missing, the call that needs it fails, with a message
** that says how to get it.
**
** The driver is libcuda.so.1, on Windows nvcuda.dll. The other libraries are taken from one CUDA root, that of NVRTC,
** or where there is no NVRTC, that of the first library that is found. It is $CUDA_PATH if that fits the driver. Else
** it is the highest major version that the driver supports, searched in the linker's path, in /usr/local/cuda and in
** the folders of Python wheels, in this order. The search opens no library: a process whose kernels are all cached
** never loads NVRTC. Libraries stay open for ever.
*/
#include "bundle/bundle.h"
#include "cuda/driver/worker.h"
#include "system/system.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ma_cuda_api ma_cu;

typedef struct symbol {
  int library;
  const char *exported;
  size_t offset;
  bool optional;
} symbol;
static const symbol symbols[] = {
#define SYMBOL(library, name, exported, result, parameters) \
  { MA_CUDA_##library, #exported, offsetof(ma_cuda_api, name), false },
#define OPTIONAL(library, name, exported, result, parameters) \
  { MA_CUDA_##library, #exported, offsetof(ma_cuda_api, name), true },
#include "cuda/driver/symbols.def"
};

/* Major versions of CUDA, newest first. */
static const int majors[] = { 13, 12, 11 };
#define NMAJOR (int)(sizeof majors / sizeof *majors)

/* A library: its name for messages, the folder of its wheel before CUDA 13, and the library that must be opened before
** it. */
typedef struct library_info {
  const char *title, *wheel;
  int after;
} library_info;
static const library_info infos[MA_CUDA_NLIBRARY] = {
#define LIBRARY(id, title, wheel, after) [MA_CUDA_##id] = { title, wheel, MA_CUDA_##after },
#include "cuda/driver/symbols.def"
};

/* Its file for each major version. */
static const char *const files[MA_NSYSTEM][MA_CUDA_NLIBRARY][NMAJOR] = {
#define FILES(system, id, thirteen, twelve, eleven) [MA_SYSTEM_##system][MA_CUDA_##id] = { thirteen, twelve, eleven },
#include "cuda/driver/symbols.def"
};

/* Where a system keeps its libraries: the linker's variable, the folders of a root, NVRTC's builtins beside NVRTC, the
** roots, and the folders of Python packages that a variable names. */
typedef struct layout {
  const char *path, *folder[2], *builtins, *root, *other_driver, *wheel_folder[2];
  ma_folder packages[6];
} layout;
static const layout layouts[MA_NSYSTEM] = {
  [MA_SYSTEM_POSIX] = { .path = "LD_LIBRARY_PATH",
                        .folder = { "lib64", "lib" },
                        .builtins = "libnvrtc-builtins.so.*",
                        .root = "/usr/local/cuda",
                        .other_driver = "/usr/lib/wsl/lib/libcuda.so.1",
                        .wheel_folder = { "cu13/lib", "%s/lib" },
                        .packages = { { "VIRTUAL_ENV", "/lib/python3*/site-packages" },
                                      { "HOME", "/.local/lib/python3*/site-packages" },
                                      { NULL, "/usr/local/lib/python3*/dist-packages" },
                                      { NULL, "/usr/local/lib/python3*/site-packages" },
                                      { NULL, "/usr/lib/python3*/site-packages" },
                                      { NULL, "/usr/lib/python3/dist-packages" } } },
  [MA_SYSTEM_WINDOWS] = { .path = "PATH",
                          .folder = { "bin/x64", "bin" },
                          .builtins = "nvrtc-builtins64_*.dll",
                          .root = "C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v*",
                          .other_driver = "C:/Windows/System32/nvcuda.dll",
                          .wheel_folder = { "cu13/bin/x86_64", "%s/bin" },
                          .packages = { { "VIRTUAL_ENV", "/Lib/site-packages" },
                                        { "APPDATA", "/Python/Python3*/site-packages" },
                                        { "LOCALAPPDATA", "/Programs/Python/Python3*/Lib/site-packages" },
                                        { "ProgramFiles", "/Python3*/Lib/site-packages" } } },
};
static const layout *here(void) { return &layouts[ma_system.id]; }
static const char *file_of(ma_cuda_library which, int major) { return files[ma_system.id][which][major]; }

/* The result of an attempt to open a library. A failure is kept and reported again. */
typedef struct attempt {
  bool done, ok, quiet, missing;
  ma_status status;
  char file[PATH_MAX];
  char why[600];
} attempt;
static attempt attempts[MA_CUDA_NLIBRARY];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ma_cuda_nvrtc found_nvrtc = { .api = &ma_cu };

/* The CUDA root. It is searched once, under the lock, and read without it from then on: a thread that opens a library
** holds the lock for tens of milliseconds. */
static struct root {
  bool searched, has_nvrtc; /* searched: atomic */
  int major;                /* index in majors; -1: none was found */
  char file[PATH_MAX]; /* the library by which it was found, NVRTC's if it has one; others are searched beside it */
} root = { .major = -1 };

const char *ma_cuda_symbol_name(ma_cuda_symbol which) { return symbols[which].exported; }
int ma_cuda_nvrtc_version(void) { return found_nvrtc.version; }
const char *ma_cuda_library_path(ma_cuda_library which) { return attempts[which].ok ? attempts[which].file : ""; }

static ma_status resolve_into(ma_cuda_api *api, int library, void *handle, const char *file) {
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    if (symbols[i].library != library) continue;
    void *address = dlsym(handle, symbols[i].exported);
    if (!address && !symbols[i].optional)
      return ma_fail(MA_ERR_LIBRARY, "%s has no %s; CUDA 11.8 or newer is wanted", file, symbols[i].exported);
    memcpy((char *)api + symbols[i].offset, &address, sizeof address);
  }
  return MA_OK;
}

static ma_status resolve(int library, void *handle, const char *file) {
  return resolve_into(&ma_cu, library, handle, file);
}

static ma_status conclude(attempt *a, ma_status status) {
  a->ok = status == MA_OK;
  a->status = status;
  snprintf(a->why, sizeof a->why, "%s", a->ok ? "" : ma_message());
  __atomic_store_n(&a->done, true, __ATOMIC_RELEASE);
  return status;
}

/* ---- The driver ---- */

static ma_status open_driver(bool *quiet) {
  const char *file = file_of(MA_CUDA_driver, 0), *other = here()->other_driver;
  *quiet = false;
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle && access(other, R_OK) == 0) handle = dlopen(other, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    *quiet = strstr(why, "No such file") != NULL;
    return ma_fail(MA_ERR_LIBRARY, "%s; it is part of NVIDIA's driver", why);
  }
  MA_TRY(resolve(MA_CUDA_driver, handle, file));
  CUresult result = ma_cu.cuInit(0);
  *quiet = result == CUDA_ERROR_NO_DEVICE || result == CUDA_ERROR_STUB_LIBRARY;
  if (result == CUDA_ERROR_STUB_LIBRARY)
    return ma_fail(MA_ERR_DEVICE, "%s is the toolkit's stub; NVIDIA's driver is wanted", file);
  if (result == CUDA_ERROR_NO_DEVICE) return ma_fail(MA_ERR_DEVICE, "the driver finds no CUDA device");
  return result == CUDA_SUCCESS ? MA_OK : ma_cuda_fail(MA_CU_cuInit, result);
}

ma_status ma_cuda_need_driver(bool *quiet) {
  attempt *driver = &attempts[MA_CUDA_driver];
  if (!__atomic_load_n(&driver->done, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&lock);
    if (!driver->done) conclude(driver, open_driver(&driver->quiet));
    pthread_mutex_unlock(&lock);
  }
  if (quiet) *quiet = driver->quiet;
  return driver->ok ? MA_OK : ma_fail(driver->status, "%s", driver->why);
}

/* ---- Finding a library ---- */

static bool in_folder(const char *folder, const char *file, char *path) {
  int n = snprintf(path, PATH_MAX, "%s/%s", folder, file);
  return n > 0 && n < PATH_MAX && access(path, R_OK) == 0;
}

static bool in_root(const char *root, const char *file, char *path) {
  for (int i = 0; i < 2; i++) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/%s", root, here()->folder[i]);
    if (in_folder(folder, file, path)) return true;
  }
  return false;
}

/* The last of the files that a pattern names, which is the newest of several versions. */
static bool in_pattern(const char *pattern, char *path) {
  glob_t hits;
  bool found = glob(pattern, 0, NULL, &hits) == 0;
  if (found) snprintf(path, PATH_MAX, "%s", hits.gl_pathv[hits.gl_pathc - 1]);
  globfree(&hits);
  return found;
}

static bool in_usual_root(const char *file, char *path) {
  for (int i = 0; i < 2; i++) {
    char pattern[PATH_MAX];
    snprintf(pattern, sizeof pattern, "%s/%s/%s", here()->root, here()->folder[i], file);
    if (in_pattern(pattern, path)) return true;
  }
  return false;
}

/* Searches where the dynamic linker would, its variable and its cache, without opening the library. */
static bool in_linker_path(const char *file, char *path) {
  const char *list = getenv(here()->path), between[] = { ma_system.list, 0 };
  for (char folder[PATH_MAX]; list && *list; list += *list == ma_system.list) {
    size_t n = strcspn(list, between);
    snprintf(folder, sizeof folder, "%.*s", (int)n, list);
    if (n && in_folder(folder, file, path)) return true;
    list += n;
  }
  FILE *cache = fopen("/etc/ld.so.cache", "rbe");
  if (!cache) return false;
  bool found = false;
  static char bytes[1 << 21];
  size_t size = fread(bytes, 1, sizeof bytes, cache);
  fclose(cache);
  found = memmem(bytes, size, file, strlen(file) + 1) != NULL;
  if (found) snprintf(path, PATH_MAX, "%s", file);
  return found;
}

/* Searches NVIDIA's wheels: those of CUDA 13 share one folder, older ones have a folder for each library. */
static bool in_wheels(const char *wheel, const char *file, char *path) {
  for (size_t i = 0; i < sizeof here()->packages / sizeof *here()->packages; i++) {
    const ma_folder *packages = &here()->packages[i];
    const char *of = packages->variable ? getenv(packages->variable) : "";
    if (!packages->rest || !of) continue;
    for (int f = 0; f < 2; f++) {
      char folder[256], pattern[PATH_MAX];
      snprintf(folder, sizeof folder, here()->wheel_folder[f], wheel);
      if (snprintf(pattern, sizeof pattern, "%s%s/nvidia/%s/%s", of, packages->rest, folder, file) < PATH_MAX &&
          in_pattern(pattern, path))
        return true;
    }
  }
  return false;
}

static bool find_version(ma_cuda_library which, int major, char *path) {
  const char *file = file_of(which, major);
  return in_linker_path(file, path) || in_usual_root(file, path) || in_wheels(infos[which].wheel, file, path);
}

bool ma_cuda_find_file(const char *wheel, const char *file, char *path, size_t size) {
  char found[PATH_MAX];
  bool is_there = in_linker_path(file, found) || in_usual_root(file, found) || in_wheels(wheel, file, found);
  if (is_there) snprintf(path, size, "%s", found);
  return is_there;
}

/* The newest major version of CUDA that the driver supports. Without a driver any version will do, since then kernels
** are only compiled. */
static int driver_major(void) {
  int version = 0;
  if (!ma_cu.cuDriverGetVersion || ma_cu.cuDriverGetVersion(&version) != CUDA_SUCCESS || version <= 0) return INT_MAX;
  return version / 1000;
}

/* Whether no other major version has a library under this name: libcurand.so.10 is of all three. */
static bool tells_major(ma_cuda_library which, int major) {
  for (int i = 0; i < NMAJOR; i++)
    if (i != major && !strcmp(file_of(which, i), file_of(which, major))) return false;
  return true;
}

static bool find_place(bool named, ma_cuda_library which, int major, char *path) {
  const char *folder = getenv("CUDA_PATH");
  return named ? folder && *folder && in_root(folder, file_of(which, major), path) : find_version(which, major, path);
}

/* Finds the root by one of these libraries: in $CUDA_PATH, else the newest major version. */
static bool find_root_by(ma_cuda_library first, ma_cuda_library last, bool telling) {
  int newest = driver_major();
  for (int named = 1; named >= 0; named--)
    for (int i = 0; i < NMAJOR; i++)
      for (ma_cuda_library which = first; majors[i] <= newest && which <= last; which++)
        if ((!telling || tells_major(which, i)) && find_place(named, which, i, root.file)) {
          root.major = i;
          return true;
        }
  return false;
}

static void find_root_locked(void) {
  const ma_cuda_library second = MA_CUDA_nvrtc + 1, last = MA_CUDA_NLIBRARY - 1;
  if (root.searched) return;
  root.has_nvrtc = ma_config_int(MA_CONFIG_NVRTC) && find_root_by(MA_CUDA_nvrtc, MA_CUDA_nvrtc, false);
  if (!root.has_nvrtc && !find_root_by(second, last, true)) find_root_by(second, last, false);
  __atomic_store_n(&root.searched, true, __ATOMIC_RELEASE);
}

static ma_status fail_missing(ma_cuda_library which) {
  const library_info *info = &infos[which];
  int newest = driver_major(), major = root.major >= 0 ? root.major : 0;
  while (root.major < 0 && major < NMAJOR - 1 && majors[major] > newest) major++;
  const char *slash = strrchr(info->wheel, '/');
  return ma_fail(
    MA_ERR_LIBRARY,
    "%s (%s) was not found; it is in the CUDA toolkit (set CUDA_PATH to its folder) and in NVIDIA's Python wheels "
    "(pip install nvidia-%s%s)",
    info->title, file_of(which, major), slash ? slash + 1 : info->wheel,
    majors[major] >= 13   ? ""
    : majors[major] == 12 ? "-cu12"
                          : "-cu11");
}

ma_status ma_cuda_find_nvrtc(void) {
  if (!ma_config_int(MA_CONFIG_NVRTC))
    return ma_fail(MA_ERR_LIBRARY, "NVRTC is turned off by %s=0", ma_config_name(MA_CONFIG_NVRTC));
  if (!__atomic_load_n(&root.searched, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&lock);
    find_root_locked();
    pthread_mutex_unlock(&lock);
  }
  return root.has_nvrtc ? MA_OK : fail_missing(MA_CUDA_nvrtc);
}

int ma_cuda_nvrtc_major(void) { return ma_cuda_find_nvrtc() == MA_OK ? majors[root.major] : 0; }

/* Searches beside the library by which the root was found first, so that all libraries are of one root. */
static bool find_library_locked(ma_cuda_library which, char *path) {
  find_root_locked();
  if (root.major < 0) return false;
  const char *slash = ma_path_last(root.file), *file = file_of(which, root.major);
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - root.file) : 0, root.file);
  return (slash && in_folder(folder, file, path)) || find_version(which, root.major, path);
}

static ma_status open_library_locked(ma_cuda_library which, char *path, bool *missing) {
  const library_info *info = &infos[which];
  *missing = true;
  if (!ma_config_int(MA_CONFIG_CUDA_LIBRARIES))
    return ma_fail(MA_ERR_LIBRARY, "%s is turned off by %s=0", info->title, ma_config_name(MA_CONFIG_CUDA_LIBRARIES));
  if (!find_library_locked(which, path)) return fail_missing(which);
  *missing = false;
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return ma_fail(MA_ERR_LIBRARY, "%s (%s) cannot be opened: %s", info->title, path, dlerror());
  MA_TRY(resolve((int)which, handle, path));
  ma_trace("jit", "%s from %s", info->title, path);
  return MA_OK;
}

ma_status ma_cuda_open(ma_cuda_library which) {
  attempt *a = &attempts[which];
  if (which == MA_CUDA_driver) return ma_cuda_need_driver(NULL);
  if (which == MA_CUDA_nvrtc) return ma_cuda_need_nvrtc();
  if (!__atomic_load_n(&a->done, __ATOMIC_ACQUIRE)) {
    /* If that fails, dlopen reports it. */
    if (infos[which].after != MA_CUDA_driver) ma_cuda_open((ma_cuda_library)infos[which].after);
    pthread_mutex_lock(&lock);
    if (!a->done) conclude(a, open_library_locked(which, a->file, &a->missing));
    pthread_mutex_unlock(&lock);
  }
  if (a->ok) return MA_OK;
  /* cuRAND's generators have numbers of their own. For the others the CPU stands in, as it does for a kernel. */
  bool may_lack = which != MA_CUDA_curand && ma_cuda_find_nvrtc() != MA_OK;
  ma_fail(a->status, "%s", a->why);
  return may_lack ? ma_lack() : a->status;
}

bool ma_cuda_has(ma_cuda_library which) {
  bool has = ma_cuda_open(which) == MA_OK || !attempts[which].missing;
  if (!has) ma_lack_forget(); /* the caller has something else */
  return has;
}

ma_status ma_cuda_need(ma_cuda_library which) {
  ma_bundle_check_library(infos[which].title);
  return ma_cuda_open(which);
}

/* NVRTC opens its builtins library by name. Opening the one beside it first makes it use that one. */
static void open_builtins(const char *file) {
  char pattern[PATH_MAX + 32];
  const char *slash = ma_path_last(file);
  if (!slash) return;
  snprintf(pattern, sizeof pattern, "%.*s/%s", (int)(slash - file), file, here()->builtins);
  glob_t hits;
  if (glob(pattern, 0, NULL, &hits) == 0)
    for (size_t i = 0; i < hits.gl_pathc; i++) dlopen(hits.gl_pathv[i], RTLD_LAZY | RTLD_LOCAL);
  globfree(&hits);
}

static ma_status begin_nvrtc(ma_cuda_api *api, void *handle, ma_cuda_nvrtc *n) {
  int major = 0, minor = 0;
  MA_TRY(resolve_into(api, MA_CUDA_nvrtc, handle, n->file));
  open_builtins(n->file);
  if (api->nvrtcVersion(&major, &minor) != NVRTC_SUCCESS)
    return ma_fail(MA_ERR_LIBRARY, "%s does not tell its version", n->file);
  n->version = major * 1000 + minor * 10;
  ma_trace("jit", "NVRTC %d.%d from %s", major, minor, n->file);
  return MA_OK;
}

static void (*before_end)(void); /* under the lock */

void ma_cuda_before_nvrtc_ends(void (*call)(void)) {
  pthread_mutex_lock(&lock);
  before_end = call;
  pthread_mutex_unlock(&lock);
}

static ma_status open_nvrtc_locked(const char *file) {
  snprintf(found_nvrtc.file, sizeof found_nvrtc.file, "%s", file);
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return ma_fail(MA_ERR_LIBRARY, "%s cannot be opened: %s", file, dlerror());
  if (before_end) atexit(before_end); /* registered after NVRTC's own handlers, so it runs before them */
  return begin_nvrtc(&ma_cu, handle, &found_nvrtc);
}

ma_status ma_cuda_need_nvrtc(void) {
  attempt *nvrtc = &attempts[MA_CUDA_nvrtc];
  if (!__atomic_load_n(&nvrtc->done, __ATOMIC_ACQUIRE)) {
    MA_TRY(ma_cuda_find_nvrtc());
    pthread_mutex_lock(&lock);
    if (!nvrtc->done) conclude(nvrtc, open_nvrtc_locked(strcpy(nvrtc->file, root.file)));
    pthread_mutex_unlock(&lock);
  }
  return nvrtc->ok ? MA_OK : ma_fail(nvrtc->status, "%s", nvrtc->why);
}

/* ---- The toolkit's headers ---- */

static bool holds(const char *folder, const char *file) {
  char path[PATH_MAX];
  return in_folder(folder, file, path);
}

/* Searches beside a library; the headers of a wheel are in another wheel. */
static bool find_include_beside(const char *file, char *folder) {
  static const char *const beside[] = { "../include", "../../include", "../../cuda_runtime/include" };
  const char *slash = ma_path_last(file);
  for (int i = 0; slash && i < 3; i++)
    if (snprintf(folder, PATH_MAX, "%.*s/%s", (int)(slash - file), file, beside[i]) < PATH_MAX &&
        holds(folder, "cuda_fp16.h"))
      return true;
  return false;
}

static bool find_include(char *folder) {
  const char *named = getenv("CUDA_PATH");
  if (named && *named && snprintf(folder, PATH_MAX, "%s/include", named) < PATH_MAX && holds(folder, "cuda_fp16.h"))
    return true;
  if (find_include_beside(root.file, folder)) return true;
  snprintf(folder, PATH_MAX, "/usr/local/cuda/include");
  return holds(folder, "cuda_fp16.h");
}

const char *ma_cuda_include(void) {
  static char folder[PATH_MAX];
  static int state; /* 0: unknown, 1: found, 2: not found */
  if (ma_cuda_find_nvrtc() != MA_OK) return "";
  pthread_mutex_lock(&lock);
  if (state == 0) state = find_include(folder) ? 1 : 2;
  pthread_mutex_unlock(&lock);
  return state == 1 ? folder : "";
}

static void put_include(ma_cuda_nvrtc *n, const char *folder) {
  snprintf(n->include[0], sizeof n->include[0], "-I%s", folder);
  snprintf(n->include[1], sizeof n->include[1], "-I%s/cccl", folder); /* the place of <cuda/std/...> in CUDA 13 */
  n->ninclude = MA_CUDA_INCLUDES;
}

const ma_cuda_nvrtc *ma_cuda_found_nvrtc(void) {
  const char *folder = ma_cuda_include();
  pthread_mutex_lock(&lock);
  if (*folder && !found_nvrtc.ninclude) put_include(&found_nvrtc, folder);
  pthread_mutex_unlock(&lock);
  return &found_nvrtc;
}

int ma_cuda_include_options(const char **option) {
  const ma_cuda_nvrtc *n = ma_cuda_found_nvrtc();
  for (int i = 0; i < n->ninclude; i++) option[i] = n->include[i];
  return n->ninclude;
}

/* ---- NVRTCs that a program names ---- */

#define MOST_NAMED 16
static ma_cuda_nvrtc *named[MOST_NAMED]; /* under the lock; they stay for ever */
static int nnamed;

/* The file that a path means: itself, or the newest NVRTC in a folder or in a toolkit's folder. */
static void find_named(const char *path, char *file) {
  snprintf(file, PATH_MAX, "%s", path);
  for (int i = 0; i < NMAJOR; i++) {
    const char *name = file_of(MA_CUDA_nvrtc, i);
    if (in_folder(path, name, file) || in_root(path, name, file)) return;
  }
  snprintf(file, PATH_MAX, "%s", path);
}

static ma_status open_named(ma_cuda_nvrtc *n) {
  char folder[PATH_MAX];
  ma_cuda_api *api = calloc(1, sizeof *api);
  n->api = api;
  if (!api) return ma_fail(MA_ERR_MEMORY, "out of memory for an NVRTC");
  void *handle = dlopen(n->file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return ma_fail(MA_ERR_LIBRARY, "NVRTC (%s) cannot be opened: %s", n->file, dlerror());
  MA_TRY(begin_nvrtc(api, handle, n));
  if (find_include_beside(n->file, folder)) put_include(n, folder);
  return MA_OK;
}

static ma_status open_named_locked(const char *path, const ma_cuda_nvrtc **nvrtc) {
  char file[PATH_MAX];
  find_named(path, file);
  for (int i = 0; i < nnamed; i++)
    if (!strcmp(named[i]->file, file)) {
      *nvrtc = named[i];
      return MA_OK;
    }
  if (nnamed == MOST_NAMED) return ma_fail(MA_ERR_VALUE, "%s is one NVRTC too many; wanted up to %d", path, MOST_NAMED);
  ma_cuda_nvrtc *n = calloc(1, sizeof *n);
  if (!n) return ma_fail(MA_ERR_MEMORY, "out of memory for an NVRTC");
  snprintf(n->file, sizeof n->file, "%s", file);
  ma_status status = open_named(n);
  if (status != MA_OK) {
    free((void *)n->api);
    free(n);
    return status;
  }
  *nvrtc = named[nnamed++] = n;
  return MA_OK;
}

ma_status ma_cuda_open_nvrtc(const char *path, const ma_cuda_nvrtc **nvrtc) {
  pthread_mutex_lock(&lock);
  ma_status status = open_named_locked(path, nvrtc);
  pthread_mutex_unlock(&lock);
  return status;
}
