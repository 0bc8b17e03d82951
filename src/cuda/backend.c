/* backend.c: the table by which everything else reaches this folder. */
#include "backends.h"
#include "backend/random.h"
#include "cuda/cuda.h"
#include "cuda/driver/worker.h"
#include "cuda/ndimage/morphology.h"
#include "cuda/interpolate/interpolate.h"
#include "cuda/kernels/signal.h"
#include "cuda/ndimage/filter.h"
#include "cuda/kernels/sort.h"
#include "cuda/library/cudss.h"
#include "cuda/library/solver.h"
#include "cuda/sparse/sparse.h"
#include "cuda/spatial/spatial.h"
#include "memory/graph.h"

const ma_backend ma_cuda_backend = {
  .name = "cuda",
  .device = {
    .count = ma_cuda_count,
    .open = ma_cuda_open,
    .synchronize = ma_cuda_device_synchronize,
    .reset = ma_cuda_reset,
    .peer = ma_cuda_peer,
    .profile = ma_cuda_profile,
  },
  .info = {
    .describe = ma_cuda_info,
    .attribute = ma_cuda_attribute,
    .library = ma_cuda_library_look,
    .pci_bus_id = ma_cuda_pci_bus_id,
    .versions = ma_cuda_versions,
  },
  .memory = {
    .alloc = ma_cuda_alloc,
    .free = ma_cuda_free,
    .copy = ma_cuda_copy,
    .copy_between = ma_cuda_copy_between,
    .copy_queued = ma_cuda_copy_queued,
    .is_pinned = ma_cuda_host_is_pinned,
    .check = ma_cuda_pointer,
    .kinds = ma_cuda_memory,
  },
  .stream = {
    .synchronize = ma_cuda_synchronize,
    .done = ma_cuda_done,
    .nothing = ma_cuda_nothing,
    .wait = ma_cuda_stream_wait,
    .create = ma_cuda_stream_new,
    .end = ma_cuda_stream_end,
    .look = ma_cuda_stream_look,
    .priorities = ma_cuda_priorities,
  },
  .event = {
    .create = ma_cuda_event_new,
    .free = ma_cuda_event_free,
    .record = ma_cuda_event_record,
    .elapsed = ma_cuda_event_elapsed,
    .synchronize = ma_cuda_event_synchronize,
    .wait = ma_cuda_event_wait,
    .done = ma_cuda_event_done,
  },
  .fault = {
    .take = ma_cuda_fault,
    .set_function = ma_cuda_set_function,
    .record = ma_cuda_fault_place,
  },
  .graph = {
    .begin = ma_cuda_capture_begin,
    .end = ma_cuda_capture_end,
    .launch = ma_cuda_graph_launch,
    .upload = ma_cuda_graph_upload,
    .dot = ma_cuda_graph_dot,
    .free = ma_cuda_graph_free,
  },
  .map = {
    .sequence = ma_cuda_sequence,
    .run = ma_cuda_map,
    .attempt = ma_cuda_map_try,
    .background = ma_cuda_background,
  },
  .stencil = {
    .run = ma_cuda_stencil,
  },
  .reduce = {
    .run = ma_cuda_reduce,
    .scan = ma_cuda_scan,
    .attempt = ma_cuda_reduce_try,
    .rows = ma_cuda_rows,
    .partial = ma_cuda_reduce_partial,
    .merge = ma_cuda_reduce_merge,
  },
  .index = {
    .gather = ma_cuda_gather,
    .gather_by = ma_cuda_gather_by,
    .scatter = ma_cuda_scatter,
    .compact = ma_cuda_compact,
    .join = ma_cuda_join,
  },
  .sort = {
    .sort = ma_cuda_sort_rows,
    .search = ma_cuda_search,
    .histogram = ma_cuda_histogram,
    .extremes = ma_cuda_extremes,
    .spread = ma_cuda_spread,
    .changes = ma_cuda_changes,
    .tally = ma_cuda_tally,
    .interp = ma_cuda_interp,
  },
  .spatial = {
    .pairs = ma_cuda_pairs,
    .nearest = ma_cuda_nearest,
    .within = ma_cuda_within,
  },
  .sparse = {
    .product = ma_cuda_sparse_product,
    .multiply = ma_cuda_sparse_multiply,
    .combine = ma_cuda_sparse_combine,
    .order = ma_cuda_sparse_order,
    .transpose = ma_cuda_sparse_transpose,
    .make = ma_cuda_sparse_make,
    .expand = ma_cuda_sparse_expand,
    .places = ma_cuda_sparse_places,
    .look = ma_cuda_sparse_look,
    .diagonal = ma_cuda_sparse_diagonal,
    .extreme = ma_cuda_sparse_extreme,
    .sampled = ma_cuda_sparse_sampled,
    .triangle = ma_cuda_sparse_triangle,
  },
  .factors = {
    .there = ma_cuda_factors_there,
    .make = ma_cuda_factors_make,
    .solve = ma_cuda_factors_solve,
    .free = ma_cuda_factors_free,
  },
  .morphology = {
    .binary = ma_cuda_binary,
    .label = ma_cuda_label,
    .flood = ma_cuda_flood,
    .boxes = ma_cuda_boxes,
    .distance = ma_cuda_distance,
    .groups = ma_cuda_groups,
  },
  .linalg = {
    .banded = ma_cuda_banded,
    .matmul = ma_cuda_matmul,
    .cholesky = ma_cuda_cholesky,
    .lu = ma_cuda_lu,
    .lu_solve = ma_cuda_lu_solve,
    .solves_turned = true, /* with it, cuBLAS's trsm of few right sides takes a third of the time */
    .solve = ma_cuda_solve,
    .inv = ma_cuda_inv,
    .qr = ma_cuda_qr,
    .qr_form = ma_cuda_qr_form,
    .qr_apply = ma_cuda_qr_apply,
    .triangular_solve = ma_cuda_triangular_solve,
    .svd = ma_cuda_svd,
    .eigh = ma_cuda_eigh,
    .eig = ma_cuda_eig,
  },
  .fft = {
    .plan_new = ma_cuda_fft_plan_new,
    .plan_free = ma_cuda_fft_plan_free,
    .run = ma_cuda_fft_run,
  },
  .filter = {
    .window = ma_cuda_window,
    .line = ma_cuda_line,
    .spline = ma_cuda_spline,
    .transform = ma_cuda_transform,
  },
  .random = {
    .draw = ma_cuda_random,
  },
  .signal = {
    .correlate = ma_cuda_correlate,
    .upfirdn = ma_cuda_upfirdn,
    .recurrence = ma_cuda_recurrence,
    .peaks = ma_cuda_peaks,
  },
  .interpolate = {
    .bspline = ma_cuda_bspline,
    .regular = ma_cuda_regular,
  },
  .comm = {
    .name = ma_cuda_comm_name,
    .open = ma_cuda_comm_open,
    .close = ma_cuda_comm_close,
    .run = ma_cuda_comm_run,
    .bracket = ma_cuda_comm_bracket,
  },
  .module = {
    .open = ma_cuda_module_open,
    .close = ma_cuda_module_close,
    .kernel = ma_cuda_module_kernel,
    .global = ma_cuda_module_global,
    .set = ma_cuda_kernel_set,
    .launch = ma_cuda_kernel_launch,
  },
  .gl = {
    .register_buffer = ma_cuda_gl_register_buffer,
    .register_image = ma_cuda_gl_register_image,
    .unregister = ma_cuda_gl_unregister,
    .map = ma_cuda_gl_map,
    .unmap = ma_cuda_gl_unmap,
    .pointer = ma_cuda_gl_pointer,
    .image = ma_cuda_gl_image,
    .copy = ma_cuda_gl_copy,
  },
  .texture = {
    .image_new = ma_cuda_image_new,
    .image_free = ma_cuda_image_free,
    .copy = ma_cuda_image_copy,
    .open = ma_cuda_texture_open,
    .close = ma_cuda_texture_close,
  },
};
