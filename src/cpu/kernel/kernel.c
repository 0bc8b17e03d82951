/* kernel.c: modules of CUDA C++ on the CPU. A source is rewritten (rewrite.c), compiled and loaded. A launch spreads
** blocks over threads; fiber.c runs the threads of a block. */
#include "base/inject.h"
#include "cpu/cpu.h"
#include "cpu/compile/compiler.h"
#include "cpu/kernel/divide.h"
#include "cpu/kernel/fiber.h"
#include "cpu/kernel/rewrite.h"
#include "cpu/kernel/together.h"
#include "cpu/submit.h"
#include "system/system.h"
#include "tuning.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATIC_SHARED (48 << 10) /* dynamic shared memory of a launch without the attribute */
#define MOST_SHARED (227 << 10)  /* and with it, as on a GPU */

typedef struct module {
  void *handle;
  bool owned;        /* only this module has the handle */
  intptr_t kept;     /* of its copy */
  bool waits, meets; /* threads of a block, blocks of a grid wait for each other */
  const struct ma_cpu_entry *entries;
  const struct ma_cpu_global *globals;
  struct handle *kernels; /* that were given out */
} module;

/* The target of ma_kernel.handle. */
typedef struct handle {
  const struct ma_cpu_entry *entry;
  bool waits, meets;
  struct handle *next;
} handle;

/* ==== Loading ==================================================================================================== */

/* Compiles and loads a module. Rewriting has handled the options for definitions and folders. The compiler accepts,
** ignores or refuses the others. */
static ma_status load(module *m, const ma_module_source *source, const ma_cpu_source *rewritten, bool anew) {
  const char **option = malloc(sizeof *option * (size_t)(source->noption + 1));
  int noption = 0;
  if (!option) return ma_fail(MA_ERR_MEMORY, "out of memory for %d options", source->noption);
  for (int k = 0; k < source->noption; k++)
    if (!ma_cpu_option(source, &k, 'D') && !ma_cpu_option(source, &k, 'U') && !ma_cpu_option(source, &k, 'I'))
      option[noption++] = source->option[k];
  ma_status status = anew ? ma_cpu_compile_anew(rewritten->text.bytes, source->name, option, noption, &m->handle)
                          : ma_cpu_compile(rewritten->text.bytes, source->name, option, noption, &m->handle);
  free(option);
  return status;
}

/* Loads a module with variables: each load has its own. If no copy of the object can be loaded, as where no cache keeps
** its file, it is sought once more. */
static ma_status load_own(module *m, const ma_module_source *source, const ma_cpu_source *rewritten) {
  void *copy = ma_system_load_copy(m->handle, &m->kept);
  if (!copy) return load(m, source, rewritten, true);
  m->handle = copy;
  m->owned = true;
  return MA_OK;
}

static ma_status open_rewritten(module *m, const ma_module_source *source, ma_cpu_source *rewritten) {
  MA_TRY(load(m, source, rewritten, false));
  if (rewritten->has_globals) MA_TRY(load_own(m, source, rewritten));
  ma_cpu_tables_function *tables;
  *(void **)&tables = dlsym(m->handle, "ma_cpu_tables");
  if (!tables) return ma_fail(MA_ERR_LIBRARY, "%s: the compiled module has no tables: %s", source->name, dlerror());
  tables(&m->entries, &m->globals);
  m->waits = rewritten->waits;
  m->meets = strstr(source->text, "ma_meet(") != NULL;
  return MA_OK;
}

ma_status ma_cpu_module_open(ma_device *device, const ma_module_source *source, void **result) {
  ma_cpu_source rewritten;
  *result = NULL;
  MA_TRY(ma_cpu_look_prepared(source->text, strlen(source->text), source->name));
  MA_TRY(ma_cpu_rewrite(source, &rewritten));
  module *m = calloc(1, sizeof *m);
  ma_status status = m ? open_rewritten(m, source, &rewritten) : ma_fail(MA_ERR_MEMORY, "out of memory for a module");
  ma_ctext_free(&rewritten.text);
  if (status != MA_OK && m) ma_cpu_module_close(device, m);
  else *result = m;
  return status;
}

void ma_cpu_module_close(ma_device *device, void *closed) {
  module *m = closed;
  for (handle *h = m->kernels, *next; h; h = next) {
    next = h->next;
    free(h);
  }
  if (m->owned) ma_system_close_copy(m->handle, m->kept);
  free(m);
}

/* ==== Kernels and globals of a module ============================================================================= */

/* Spaces do not matter: "scale<float, 3>" equals "scale<float,3>". */
static bool same_name(const char *a, const char *b) {
  for (;; a++, b++) {
    a += strspn(a, " ");
    b += strspn(b, " ");
    if (*a != *b) return false;
    if (!*a) return true;
  }
}

static ma_status no_such(const char *what, const char *name, ma_ctext *others) {
  ma_fail(MA_ERR_VALUE, "the module has no %s '%.100s'; %s%s", what, name, others->size ? "it has " : "it has none",
          others->size ? others->bytes : "");
  ma_ctext_free(others);
  return MA_ERR_VALUE;
}

ma_status ma_cpu_module_kernel(ma_device *device, void *from, const char *name, ma_kernel *kernel) {
  module *m = from;
  const struct ma_cpu_entry *e = m->entries;
  while (e && !same_name(e->name, name)) e = e->next;
  if (!e) {
    ma_ctext others = { 0 };
    for (e = m->entries; e; e = e->next) ma_ctext_add(&others, "%s%s", e->name, e->next ? ", " : "");
    ma_status status = no_such("kernel", name, &others);
    return m->entries ? status
                      : ma_fail_prefix(status, "a kernel is extern \"C\" __global__ or one of the name expressions: ");
  }
  if (e->nparam > MA_MAX_KERNEL_PARAMS)
    return ma_fail(MA_ERR_VALUE, "kernel %s has %d parameters; at most %d are taken", e->name, e->nparam,
                   MA_MAX_KERNEL_PARAMS);
  handle *h = malloc(sizeof *h);
  if (!h) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel");
  *h = (handle){ e, m->waits, m->meets, m->kernels };
  m->kernels = h;
  memset(kernel, 0, sizeof *kernel);
  kernel->device = device;
  kernel->handle = h;
  snprintf(kernel->name, sizeof kernel->name, "%s", name);
  kernel->nparam = e->nparam;
  for (int i = 0; i < e->nparam; i++) kernel->param_size[i] = e->size[i];
  kernel->max_threads_per_block = MA_CPU_BLOCK_THREADS;
  kernel->max_dynamic_shared_size_bytes = STATIC_SHARED;
  kernel->preferred_shared_memory_carveout = -1;
  return MA_OK;
}

ma_status ma_cpu_module_global(ma_device *device, void *from, const char *name, void **address, size_t *nbytes) {
  module *m = from;
  const struct ma_cpu_global *g = m->globals;
  while (g && !same_name(g->name, name)) g = g->next;
  if (g) {
    *address = g->address;
    *nbytes = (size_t)g->size;
    return MA_OK;
  }
  ma_ctext others = { 0 };
  for (g = m->globals; g; g = g->next) ma_ctext_add(&others, "%s%s", g->name, g->next ? ", " : "");
  return no_such("variable", name, &others);
}

ma_status ma_cpu_module_set(ma_kernel *kernel, const char *attribute, int value) {
  if (!strcmp(attribute, "preferred_shared_memory_carveout")) kernel->preferred_shared_memory_carveout = value;
  else if (strcmp(attribute, "max_dynamic_shared_size_bytes") != 0)
    return ma_fail(
      MA_ERR_VALUE,
      "attribute '%s' cannot be set; max_dynamic_shared_size_bytes and preferred_shared_memory_carveout can",
      attribute);
  else if (value < 0 || value > MOST_SHARED)
    return ma_fail(MA_ERR_VALUE, "max_dynamic_shared_size_bytes of %d; a value from 0 to %d is wanted", value,
                   MOST_SHARED);
  else kernel->max_dynamic_shared_size_bytes = value;
  return MA_OK;
}

/* ==== Launching ================================================================================================== */

static ma_status check_launch(const ma_kernel *kernel, const ma_launch *launch) {
  const uint32_t *g = launch->grid, *b = launch->block;
  if (launch->nargument != kernel->nparam)
    return ma_fail(MA_ERR_VALUE, "%s: %d arguments; the kernel has %d parameters", kernel->name, launch->nargument,
                   kernel->nparam);
  if (!g[0] || !g[1] || !g[2] || g[0] > 0x7fffffff || g[1] > 65535 || g[2] > 65535)
    return ma_fail(MA_ERR_VALUE, "%s: a grid of (%u, %u, %u) blocks; extents are from 1 to (2147483647, 65535, 65535)",
                   kernel->name, g[0], g[1], g[2]);
  if (!b[0] || !b[1] || !b[2] || b[0] > 1024 || b[1] > 1024 || b[2] > 64 ||
      (uint64_t)b[0] * b[1] * b[2] > MA_CPU_BLOCK_THREADS)
    return ma_fail(
      MA_ERR_VALUE,
      "%s: a block of (%u, %u, %u) threads; extents are from 1 to (1024, 1024, 64), and at most %d threads in all",
      kernel->name, b[0], b[1], b[2], MA_CPU_BLOCK_THREADS);
  if (launch->shared > (uint32_t)kernel->max_dynamic_shared_size_bytes)
    return ma_fail(
      MA_ERR_VALUE,
      "%s: %u bytes of dynamic shared memory; max_dynamic_shared_size_bytes is %d, and can be set up to %d",
      kernel->name, launch->shared, kernel->max_dynamic_shared_size_bytes, MOST_SHARED);
  return MA_OK;
}

typedef struct faults {
  int claimed;
  ma_fault first;
} faults; /* claimed: atomic */
typedef struct run {
  const ma_launch *launch;
  const handle *what;
  faults faults;
} run;

/* The first block that finds a fault fills the record; it is read at the end. */
static void note_fault(struct ma_cpu_block *block, const char *function, int line, int axis, long long position,
                       long long extent) {
  faults *f = block->faults;
  if (__atomic_exchange_n(&f->claimed, 1, __ATOMIC_RELAXED)) return;
  f->first = (ma_fault){ .set = true, .position = position, .extent = extent, .axis = axis, .line = line };
  snprintf(f->first.function, sizeof f->first.function, "%s", function);
}

/* Runs some of the blocks. `meeting` is where blocks wait for each other, or NULL if they do not. */
static ma_status run_some(run *r, ma_meeting *meeting, int64_t first, int64_t last) {
  const ma_launch *launch = r->launch;
  ma_seat *seat;
  MA_TRY(ma_seat_get(&seat));
  MA_TRY(ma_seat_shared(seat, launch->shared));
  struct ma_cpu_block *block = ma_seat_block(seat);
  for (int i = 0; i < 3; i++) {
    block->grid[i] = launch->grid[i];
    block->block[i] = launch->block[i];
  }
  block->argument = (void **)launch->argument;
  block->fault = note_fault;
  block->faults = &r->faults;
  block->meet = meeting ? ma_cpu_meet : NULL;
  block->meeting = meeting;
  ma_cpu_divide_begin();
  ma_status status = MA_OK;
  if (!r->what->waits) status = ma_seat_run(seat, r->what->entry, first, last);
  else
    for (int64_t k = first; k < last && status == MA_OK; k++) {
      block->index[0] = (unsigned)(k % launch->grid[0]);
      block->index[1] = (unsigned)(k / launch->grid[0] % launch->grid[1]);
      block->index[2] = (unsigned)(k / launch->grid[0] / launch->grid[1]);
      status = ma_seat_run_fibers(seat, r->what->entry);
    }
  ma_cpu_divide_end();
  return status;
}

static ma_status run_blocks(void *context, int64_t first, int64_t last) { return run_some(context, NULL, first, last); }

static ma_status run_block(void *context, ma_meeting *meeting, int64_t block) {
  return run_some(context, meeting, block, block + 1);
}

typedef struct launch_job {
  const ma_kernel *kernel;
  const ma_launch *launch;
} launch_job;
typedef struct kept_launch {
  launch_job job;
  ma_kernel kernel;
  ma_launch launch;
  _Alignas(16) char bytes[];
} kept_launch;

static ma_status run_launch(ma_stream *stream, const void *job) {
  const ma_kernel *kernel = ((const launch_job *)job)->kernel;
  const ma_launch *launch = ((const launch_job *)job)->launch;
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, kernel->name));
  MA_TRY(check_launch(kernel, launch));
  int64_t blocks = (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  int64_t threads = (int64_t)launch->block[0] * launch->block[1] * launch->block[2];
  run r = { .launch = launch, .what = kernel->handle };
  ma_status status = launch->cooperative && r.what->meets
                       ? ma_cpu_run_together(blocks, run_block, &r)
                       : ma_cpu_parallel(blocks, (TUNE_THREAD_SLOW + threads - 1) / threads, run_blocks, &r);
  if (r.faults.first.set) ma_cpu_set_fault(&r.faults.first);
  return status == MA_OK ? MA_OK : ma_fail_prefix(status, "%s: ", kernel->name);
}

static const char *name_launch(const void *job) { return ((const launch_job *)job)->kernel->name; }

/* The size of an argument behind the job. Each begins at a multiple of 16. */
static size_t argument_size(const ma_kernel *kernel, int k) { return (kernel->param_size[k] + 15u) / 16 * 16; }

static size_t size_launch(const void *job) {
  const launch_job *j = job;
  size_t size = sizeof(kept_launch);
  for (int k = 0; k < j->launch->nargument; k++) size += argument_size(j->kernel, k);
  return size;
}

static void copy_launch(void *to, const void *job) {
  const launch_job *j = job;
  kept_launch *kept = to;
  kept->kernel = *j->kernel;
  kept->launch = *j->launch;
  kept->job = (launch_job){ &kept->kernel, &kept->launch };
  char *at = kept->bytes;
  for (int k = 0; k < kept->launch.nargument; k++) {
    memcpy(at, j->launch->argument[k], kept->kernel.param_size[k]);
    kept->launch.argument[k] = at;
    at += argument_size(&kept->kernel, k);
  }
}

ma_status ma_cpu_module_launch(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch) {
  static const ma_task task = { .name_of = name_launch, .run = run_launch, .size = size_launch, .copy = copy_launch };
  return ma_cpu_submit(stream, &task, &(launch_job){ kernel, launch }, sizeof(launch_job));
}
