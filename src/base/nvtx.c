/*
** nvtx.c: NVIDIA's Tools Extension without its header: marks and named ranges for a profiler.
**
** A profiler sets NVTX_INJECTION64_PATH to its own library. NVTX 3 is only a header: it loads that library, calls its
** InitializeInjectionNvtx2 with a function that returns tables, and the library fills in its functions. This file does
** the same with declarations of its own. Without the variable it tries an installed libnvToolsExt (version 1 and 2, up
** to CUDA 12). If there is neither, every call returns at once. spec/unit/nvtx.c compares the declarations with the
** real header.
*/
#include "base/nvtx.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* nvtxEventAttributes_t */
typedef struct attributes {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const char *message;
} attributes;
enum { COLOR_ARGB = 1, MESSAGE_ASCII = 1, VERSION_LIBRARY = 2, VERSION_HEADER = 3 };

static void (*mark_ex)(const attributes *);
static int (*push_ex)(const attributes *);
static int (*pop)(void);
static uint64_t (*start_ex)(const attributes *);
static void (*end)(uint64_t);
static uint16_t version;

/* ==== Tables for the injected library ============================================================================= */

typedef void (*function)(void);
enum {
  CORE_MARK_EX = 1,
  CORE_START_EX = 4,
  CORE_END = 7,
  CORE_PUSH_EX = 8,
  CORE_POP = 11,
  MOST_SLOTS = 17,
  NMODULE = 7
};

/* Number of functions in each module, of which number 0 is unused: core, CUDA, OpenCL, CUDA runtime, core 2,
** synchronisation. */
static const unsigned module_size[NMODULE] = { 0, 16, 9, 15, 7, 16, 7 };

/* slots[m][id] points to where the library stores its function; functions that are never called have a place too. */
static function filled[NMODULE][MOST_SLOTS];
static function *slots[NMODULE][MOST_SLOTS];

static int get_module(int module, function ***table, unsigned *size) {
  if (module <= 0 || module >= NMODULE) return 0;
  if (size) *size = module_size[module];
  if (table) *table = slots[module];
  return 1;
}

static void ignore_version(uint32_t of_library) {}

static const struct {
  size_t size;
  int (*get_module)(int, function ***, unsigned *);
} callbacks = { sizeof callbacks, get_module };
static const struct {
  size_t size;
  uint32_t version, reserved;
  void (*set_version)(uint32_t);
} about = { sizeof about, VERSION_HEADER, 0, ignore_version };

static const void *export_table(uint32_t id) {
  return id == 1 ? (const void *)&callbacks : id == 3 ? (const void *)&about : NULL;
}

/* ==== Finding a profiler ========================================================================================== */

static bool inject(const char *path) {
  int (*initialize)(const void *(*)(uint32_t));
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return false;
  *(void **)&initialize = dlsym(library, "InitializeInjectionNvtx2");
  for (int m = 1; m < NMODULE; m++)
    for (unsigned id = 1; id < module_size[m]; id++) slots[m][id] = &filled[m][id];
  if (!initialize || !initialize(export_table)) {
    dlclose(library);
    return false;
  }
  memcpy(&mark_ex, &filled[1][CORE_MARK_EX], sizeof mark_ex);
  memcpy(&push_ex, &filled[1][CORE_PUSH_EX], sizeof push_ex);
  memcpy(&pop, &filled[1][CORE_POP], sizeof pop);
  memcpy(&start_ex, &filled[1][CORE_START_EX], sizeof start_ex);
  memcpy(&end, &filled[1][CORE_END], sizeof end);
  version = VERSION_HEADER;
  return true;
}

static void open_library(void) {
  static const char *const names[] = { "libnvToolsExt.so.1", "/usr/local/cuda/lib64/libnvToolsExt.so.1" };
  void *library = NULL;
  for (size_t k = 0; k < sizeof names / sizeof *names && !library; k++)
    library = dlopen(names[k], RTLD_LAZY | RTLD_LOCAL);
  if (!library) return;
  *(void **)&mark_ex = dlsym(library, "nvtxMarkEx");
  *(void **)&push_ex = dlsym(library, "nvtxRangePushEx");
  *(void **)&pop = dlsym(library, "nvtxRangePop");
  *(void **)&start_ex = dlsym(library, "nvtxRangeStartEx");
  *(void **)&end = dlsym(library, "nvtxRangeEnd");
  version = VERSION_LIBRARY;
}

static void find_listener(void) {
  const char *path = getenv(sizeof(void *) == 8 ? "NVTX_INJECTION64_PATH" : "NVTX_INJECTION32_PATH");
  if (path && *path) inject(path);
  else open_library();
}

bool ma_nvtx_listens(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_listener);
  return mark_ex || push_ex;
}

/* ==== Marks and ranges =========================================================================================== */

static attributes describe(const char *message, uint32_t color) {
  return (attributes){ .version = version,
                       .size = sizeof(attributes),
                       .color_type = color ? COLOR_ARGB : 0,
                       .color = color,
                       .message_type = MESSAGE_ASCII,
                       .message = message };
}

void ma_nvtx_mark(const char *message, uint32_t color) {
  if (!ma_nvtx_listens() || !mark_ex) return;
  attributes a = describe(message, color);
  mark_ex(&a);
}

int ma_nvtx_push(const char *message, uint32_t color) {
  if (!ma_nvtx_listens() || !push_ex) return -1;
  attributes a = describe(message, color);
  return push_ex(&a);
}

int ma_nvtx_pop(void) { return ma_nvtx_listens() && pop ? pop() : -1; }

uint64_t ma_nvtx_start(const char *message, uint32_t color) {
  if (!ma_nvtx_listens() || !start_ex) return 0;
  attributes a = describe(message, color);
  return start_ex(&a);
}

void ma_nvtx_end(uint64_t range) {
  if (ma_nvtx_listens() && end) end(range);
}
