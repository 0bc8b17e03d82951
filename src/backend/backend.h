/* backend.h: the table of functions that a backend is, made from slots.def, and the structs of users' kernels. Each
** backend fills one static const table: src/cpu/backend.c, src/cuda/backend.c. */
#ifndef MOONARRAY_BACKEND_BACKEND_H
#define MOONARRAY_BACKEND_BACKEND_H

#include "backend/fft.h"
#include "backend/external.h"
#include "backend/gl.h"
#include "backend/interpolate.h"
#include "backend/join.h"
#include "backend/linalg.h"
#include "backend/morphology.h"
#include "backend/row_program.h"
#include "backend/sequence.h"
#include "backend/signal.h"
#include "backend/sort.h"
#include "backend/sparse.h"
#include "backend/spatial.h"
#include "backend/stencil.h"
#include "backend/texture.h"

#pragma GCC visibility push(hidden)

/* ==== kernel.c: kernels whose whole source the user wrote ========================================================= */

struct ma_image;
/* The text of a module of kernels. */
typedef struct ma_module_source {
  const char *text, *name; /* name: of the file, for messages and #line */
  const char *const *option;
  int noption; /* as for NVRTC: -DN=3, -I/path, --std=c++20 */
  const char *const *expression;
  int nexpression; /* C++ name expressions: "scale<float>" */
  bool prelude;    /* kernels/scalar.h and prelude.cuh come first (what the jit prints) */
} ma_module_source;

#define MA_MAX_KERNEL_PARAMS 64
/* One kernel of a loaded module. */
typedef struct ma_kernel {
  ma_device *device;
  void *handle; /* the backend's */
  char name[128];
  int nparam; /* -1: unknown; else the size of each parameter in bytes */
  uint32_t param_size[MA_MAX_KERNEL_PARAMS];
  int max_threads_per_block, num_regs, shared_size_bytes, const_size_bytes, local_size_bytes,
    max_dynamic_shared_size_bytes;
  int ptx_version, binary_version, preferred_shared_memory_carveout;
} ma_kernel;

typedef struct ma_launch {
  uint32_t grid[3], block[3], shared;
  bool cooperative;
  int nargument;
  void *argument[MA_MAX_KERNEL_PARAMS]; /* the address of each value, as for cuLaunchKernel */
} ma_launch;

/* Kernels that a thread compiles while the work goes on without them. */
typedef struct ma_background {
  int64_t waiting, compiled, failed;
} ma_background;

/* How the calls of a frame were sent. */
#define MA_FRAME_GRAPHS 8 /* graphs that a frame keeps */
typedef struct ma_frame_figures {
  int64_t calls, graphs, single; /* launches of graphs; kernels that were launched one by one */
  int64_t changed, made, kept;   /* nodes that got other parameters; graphs that were made; those that there are */
} ma_frame_figures;

/* ==== The backend table: one static const instance a backend ====================================================== */

struct ma_collective;
struct ma_line_filter;
struct ma_random;
struct ma_spline_filter;
struct ma_transform;
struct ma_window;
struct ma_library_look;
struct ma_pool_memory;

/*
** slots.def has the slots in their groups. It says what each slot does, which backends have it, and what NULL means. A
** group is a struct inside the table, not a pointer to a table, so that a call of backend->map.run costs one load.
*/
struct ma_backend {
  const char *name; /* "cpu", "cuda" */
  bool is_host;     /* its memory is the host's, and its work is done when a call returns */
#define SLOTS(group) struct ma_##group##_slots {
#define SLOT(group, who, result, slot, parameters) result(*slot) parameters;
#define SLOT_DATA(group, who, type, slot) type slot;
#define SLOT_FLAG(group, who, flag) bool flag;
/* clang-format off */
#define END_SLOTS(group) } group;
/* clang-format on */
#include "backend/slots.def"
};

typedef struct ma_sort_slots ma_sort_slots;
typedef struct ma_linalg_slots ma_linalg_slots;
typedef struct ma_morphology_slots ma_morphology_slots;
typedef struct ma_filter_slots ma_filter_slots;

#pragma GCC visibility pop
#endif
