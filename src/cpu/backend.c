/*
** backend.c: the CPU as a backend. One device, plain memory, and streams that are always idle, since every call
** computes before it returns.
*/
#include "cpu/graph.h"
#include "cpu/kernel/kernel.h"
#include "cpu/slots.h"
#include "backends.h"
#include "cpu/interpolate/interpolate.h"
#include "cpu/kernel/fiber.h"
#include "cpu/library/lapack.h"
#include "cpu/library/systems.h"
#include "cpu/library/library.h"
#include "cpu/ndimage/morphology.h"
#include "cpu/ndimage/slots.h"
#include "cpu/signal/signal.h"
#include "cpu/sort/sort.h"
#include "cpu/sparse/sparse.h"
#include "cpu/spatial/spatial.h"
#include "cpu/stencil/compiled.h"
#include "system/system.h"
#include "memory/graph.h"
#include "backend/random.h"
#include "tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Large blocks ask for large pages. A walk across rows touches one page for each element, which is more than the
** processor's table of small pages holds. */
#define HUGE_PAGE ((size_t)2 << 20)

static int cpu_count(void) { return 1; }

static ma_status cpu_open(ma_device *device) {
  device->state = NULL;
  return MA_OK;
}

static ma_status cpu_alloc(ma_device *device, size_t nbytes, void **ptr) {
  bool huge = nbytes >= TUNE_HUGE_BYTES;
  if (nbytes == 0) nbytes = 1;
  if (posix_memalign(ptr, huge ? HUGE_PAGE : MA_ALIGN, nbytes) != 0) {
    *ptr = NULL;
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes on the CPU", nbytes);
  }
#ifdef MADV_HUGEPAGE
  if (huge) madvise(*ptr, nbytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
  return MA_OK;
}

static void cpu_free(ma_device *device, void *ptr) { free(ptr); }

static ma_status cpu_info(ma_device *device, size_t *free_bytes, size_t *total_bytes, char *description, size_t size) {
  long page = sysconf(_SC_PAGESIZE), total = sysconf(_SC_PHYS_PAGES), available = -1;
#ifdef _SC_AVPHYS_PAGES
  available = sysconf(_SC_AVPHYS_PAGES);
#endif
  *total_bytes = total > 0 ? (size_t)total * (size_t)page : 0;
  *free_bytes = available > 0 ? (size_t)available * (size_t)page : 0;
  uint64_t features;
  if (size > 0) ma_system_processor(description, size, &features);
  return MA_OK;
}

/* The names are those of a GPU's attributes where the CPU has the same thing, so that code which sizes its work by them
** runs here. */
static bool cpu_attribute(ma_device *device, int k, const char **name, int64_t *value) {
  static const struct {
    const char *name;
    int which, fixed;
  } attributes[] = {
    /* which -1: `fixed` */
    { "MultiProcessorCount", _SC_NPROCESSORS_ONLN, 0 },
    { "MaxThreadsPerBlock", -1, MA_CPU_BLOCK_THREADS },
    { "MaxBlockDimX", -1, 1024 },
    { "MaxBlockDimY", -1, 1024 },
    { "MaxBlockDimZ", -1, 64 },
    { "MaxThreadsPerMultiProcessor", -1, MA_CPU_BLOCK_THREADS },
    { "WarpSize", -1, 32 },
    { "MaxSharedMemoryPerBlock", -1, 48 << 10 },
    { "UnifiedAddressing", -1, 1 },
    { "Integrated", -1, 1 },
    { "ConcurrentKernels", -1, 0 },
#ifdef _SC_LEVEL1_DCACHE_SIZE
    { "L1CacheSize", _SC_LEVEL1_DCACHE_SIZE, 0 },
    { "L2CacheSize", _SC_LEVEL2_CACHE_SIZE, 0 },
    { "L3CacheSize", _SC_LEVEL3_CACHE_SIZE, 0 },
    { "CacheLineSize", _SC_LEVEL1_DCACHE_LINESIZE, 0 },
#endif
    { "PageSize", _SC_PAGESIZE, 0 },
  };
  if (k >= (int)(sizeof attributes / sizeof *attributes)) return false;
  *name = attributes[k].name;
  *value = attributes[k].which < 0 ? attributes[k].fixed : sysconf(attributes[k].which);
  return true;
}

static ma_status cpu_device_synchronize(ma_device *device) { return MA_OK; }

static ma_status cpu_synchronize(ma_stream *stream) { return ma_capture_refuse(stream); }

static ma_status cpu_done(ma_stream *stream, bool *done) {
  *done = true;
  return ma_capture_refuse(stream);
}

const ma_backend ma_cpu_backend = {
  .name = "cpu",
  .is_host = true,
  .device = {
    .count = cpu_count,
    .open = cpu_open,
    .synchronize = cpu_device_synchronize,
  },
  .info = {
    .describe = cpu_info,
    .attribute = cpu_attribute,
    .library = ma_cpu_library_look,
  },
  .memory = {
    .alloc = cpu_alloc,
    .free = cpu_free,
    .copy = ma_cpu_submit_copy,
  },
  .stream = {
    .synchronize = cpu_synchronize,
    .done = cpu_done,
    .nothing = ma_cpu_submit_nothing,
  },
  .event = {
    .create = ma_cpu_event_new,
    .free = ma_cpu_event_free,
    .record = ma_cpu_event_record,
    .elapsed = ma_cpu_event_elapsed,
    .synchronize = ma_cpu_event_synchronize,
    .wait = ma_cpu_event_wait,
    .done = ma_cpu_event_done,
  },
  .fault = {
    .take = ma_cpu_fault,
    .set_function = ma_cpu_set_function,
    .record = ma_cpu_fault_record,
  },
  .graph = {
    .begin = ma_cpu_capture_begin,
    .end = ma_cpu_capture_end,
    .launch = ma_cpu_graph_launch,
    .dot = ma_cpu_graph_dot,
    .free = ma_cpu_graph_free,
  },
  .map = {
    .run = ma_cpu_submit_map,
    .direct = ma_cpu_direct,
    .sequence = ma_cpu_sequence,
    .background = ma_cpu_background,
  },
  .reduce = {
    .run = ma_cpu_submit_reduce,
    .scan = ma_cpu_submit_scan,
    .rows = ma_cpu_submit_rows,
    .partial = ma_cpu_reduce_partial,
    .merge = ma_cpu_reduce_merge,
  },
  .index = {
    .gather = ma_cpu_submit_gather,
    .scatter = ma_cpu_submit_scatter,
    .nonzero = ma_cpu_submit_nonzero,
    .select = ma_cpu_submit_select,
    .join = ma_cpu_join,
  },
  .morphology = {
    .binary = ma_cpu_binary,
    .label = ma_cpu_label,
    .flood = ma_cpu_flood,
    .boxes = ma_cpu_boxes,
    .distance = ma_cpu_distance,
    .groups = ma_cpu_groups,
  },
  .stencil = {
    .run = ma_cpu_submit_stencil,
  },
  .sort = {
    .sort = ma_cpu_sort_rows,
    .search = ma_cpu_search,
    .histogram = ma_cpu_histogram,
    .tally = ma_cpu_tally,
    .interp = ma_cpu_interp,
    .extremes = ma_cpu_extremes,
    .spread = ma_cpu_spread,
    .changes = ma_cpu_changes,
  },
  .sparse = {
    .product = ma_cpu_sparse_product,
    .multiply = ma_cpu_sparse_multiply,
    .combine = ma_cpu_sparse_combine,
    .order = ma_cpu_sparse_order,
    .transpose = ma_cpu_sparse_transpose,
    .make = ma_cpu_sparse_make,
    .expand = ma_cpu_sparse_expand,
    .places = ma_cpu_sparse_places,
    .look = ma_cpu_sparse_look,
    .extreme = ma_cpu_sparse_extreme,
    .diagonal = ma_cpu_sparse_diagonal,
    .sampled = ma_cpu_sparse_sampled,
    .triangle = ma_cpu_sparse_triangle,
  },
  .spatial = {
    .pairs = ma_cpu_pairs,
    .nearest = ma_cpu_nearest,
    .within = ma_cpu_within,
  },
  .linalg = {
    .banded = ma_cpu_banded,
    .matmul = ma_cpu_matmul,
    .cholesky = ma_lapack_cholesky,
    .lu = ma_lapack_lu,
    .lu_solve = ma_lapack_lu_solve,
    .solve = ma_cpu_solve,
    .qr = ma_lapack_qr,
    .qr_form = ma_lapack_qr_form,
    .qr_apply = ma_lapack_qr_apply,
    .triangular_solve = ma_lapack_triangular_solve,
    .svd = ma_lapack_svd,
    .eigh = ma_lapack_eigh,
    .eig = ma_lapack_eig,
  },
  .fft = {
    .plan_new = ma_cpu_fft_plan_new,
    .plan_free = ma_cpu_fft_plan_free,
    .run = ma_cpu_fft_run,
    .of_reals = true,
    .plans_while_recording = true,
  },
  .filter = {
    .window = ma_cpu_window,
    .line = ma_cpu_line,
    .spline = ma_cpu_spline,
    .transform = ma_cpu_transform,
  },
  .random = {
    .draw = ma_cpu_submit_random,
  },
  .signal = {
    .correlate = ma_cpu_correlate,
    .upfirdn = ma_cpu_upfirdn,
    .recurrence = ma_cpu_recurrence,
    .peaks = ma_cpu_peaks,
    .maxima = ma_cpu_maxima,
    .apart = ma_cpu_apart,
  },
  .interpolate = {
    .bspline = ma_cpu_bspline,
    .regular = ma_cpu_regular,
  },
  .module = {
    .open = ma_cpu_module_open,
    .close = ma_cpu_module_close,
    .kernel = ma_cpu_module_kernel,
    .global = ma_cpu_module_global,
    .set = ma_cpu_kernel_set,
    .launch = ma_cpu_submit_launch,
  },
  .texture = {
    .image_new = ma_cpu_image_new,
    .image_free = ma_cpu_image_free,
    .copy = ma_cpu_image_copy,
    .open = ma_cpu_texture_open,
    .close = ma_cpu_texture_close,
  },
};
