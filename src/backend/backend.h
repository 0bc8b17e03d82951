/*
** backend.h: the table of functions that a backend is, and the forms of kernels of the user's own. A backend fills one
** static const table. A slot that is NULL is one that the backend does not have; its caller looks before the call.
*/
#ifndef MOONARRAY_BACKEND_BACKEND_H
#define MOONARRAY_BACKEND_BACKEND_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

/* ==== kernel.c: kernels whose whole source the user wrote ========================================================= */

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

struct ma_linalg_table;
struct ma_fft_table;
struct ma_sort_table;
struct ma_random;
struct ma_direct;
struct ma_library_look;

/* ==== The backend table: one static const instance a backend; a NULL slot is visible and checked by its caller. === */

struct ma_backend {
  const char *name;                     /* "cpu", "cuda" */
  bool is_host;                         /* its memory is the host's, and its work is done when a call returns */
  int (*count)(void);                   /* devices; 0 with a reason in ma_message */
  ma_status (*open)(ma_device *device); /* fills device->state */
  /* memory: raw blocks below pool.c; `alloc` fails with MA_ERR_MEMORY */
  ma_status (*alloc)(ma_device *device, size_t nbytes, void **ptr);
  void (*free)(ma_device *device, void *ptr);
  const struct ma_pool_memory *const *memory; /* pool.h: by ma_memory_kind; NULL: all are alike */
  ma_status (*info)(ma_device *device, size_t *free_bytes, size_t *total_bytes, char *description, size_t size);
  /* The kth attribute, from 0, by CUDA's name (MaxThreadsPerBlock); false after the last. One that the driver does not
  ** know is -1. */
  bool (*attribute)(ma_device *device, int k, const char **name, int64_t *value);
  ma_status (*pci_bus_id)(ma_device *device, char *text, size_t size); /* "0000:65:00.0" */
  ma_status (*versions)(int *driver, int *compiler);                   /* 13000 for 13.0; 0: not known */
  /* ma_device_reaches, of two of the backend's */
  ma_status (*peer)(ma_device *device, ma_device *of, bool enable, bool *can);
  ma_status (*reset)(ma_device *device); /* a context anew; the rest is ma_device_reset's */
  /* host memory that the device copies from and to by itself; it stays host memory when the device is reset */
  ma_status (*host_alloc)(ma_device *device, size_t nbytes, void **ptr);
  void (*host_free)(ma_device *device, void *ptr, size_t nbytes);
  bool (*host_is_pinned)(ma_device *device, const void *ptr); /* is `copy_queued` really queued? */
  /* order: all work is queued on a stream; `copy` to the host returns when the bytes are there */
  ma_status (*copy)(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind);
  /* an error unless the device can use all that memory; NULL: nothing to ask */
  ma_status (*pointer)(ma_device *device, const void *ptr, size_t nbytes);
  /* pinned memory: does not wait */
  ma_status (*copy_queued)(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind);
  /* between two devices of the backend; the stream is of either */
  ma_status (*copy_between)(ma_stream *stream, ma_device *device, void *to, ma_device *origin, const void *from,
                            size_t nbytes);
  ma_status (*synchronize)(ma_stream *stream);
  ma_status (*device_synchronize)(ma_device *device); /* of all its streams */
  ma_status (*done)(ma_stream *stream, bool *done);   /* is all that was queued done? does not wait */
  ma_status (*stream_new)(ma_device *device, uint32_t flags, int priority, void **handle);
  ma_status (*stream_wait)(ma_stream *stream, ma_stream *on); /* as ma_stream_wait, of one backend's streams; locked */
  ma_status (*stream_end)(ma_stream *stream);                 /* takes the tail of a foreign stream that goes away */
  /* fills flags and priority of a foreign stream; an error if it is another device's */
  ma_status (*stream_look)(ma_stream *stream);
  /* the range of streams' priorities: least >= greatest */
  ma_status (*priorities)(ma_device *device, int *least, int *greatest);
  /* events mark a place in a stream's work and take the time when it gets there */
  ma_status (*event_new)(ma_device *device, uint32_t flags, void **event);
  void (*event_free)(ma_device *device, void *event);
  ma_status (*event_record)(ma_stream *stream, void *event);
  ma_status (*event_elapsed)(ma_device *device, void *start, void *end, double *milliseconds); /* waits for both */
  ma_status (*event_synchronize)(ma_device *device, void *event);
  /* what the stream is given from now on begins after the event */
  ma_status (*event_wait)(ma_stream *stream, void *event);
  ma_status (*event_done)(ma_device *device, void *event, bool *done); /* whether the work got there; does not wait */
  ma_status (*nothing)(ma_stream *stream);          /* launches work that does nothing: what a launch costs */
  ma_status (*profile)(ma_device *device, bool on); /* tells a profiler that what comes is of interest */
  /* faults are kept by their owner, the Lua state whose call gave the work (owner.h); 0: none in particular */
  /* takes and clears the owner's record; after a wait */
  ma_status (*fault)(ma_stream *stream, uint32_t owner, ma_fault *fault);
  /* for a kernel that looks at positions itself: the calling thread's record on the device, and the number that a fault
  ** is to carry */
  void *(*fault_record)(const ma_stream *stream, int32_t *function);
  /* the owner and the name that the thread's next faults will carry */
  void (*set_function)(ma_stream *stream, uint32_t owner, const char *function);
  /* graphs: what a stream records instead of running it (graph.h) */
  ma_status (*capture_begin)(ma_stream *stream, void **handle);
  /* keep: it can be launched; the stream runs again in any case */
  ma_status (*capture_end)(ma_stream *stream, void *handle, bool keep);
  ma_status (*graph_launch)(ma_stream *stream, void *handle);
  void (*graph_free)(ma_device *device, void *handle);
  /* arithmetic */
  ma_status (*map)(ma_stream *stream, const ma_map *map);
  ma_status (*reduce)(ma_stream *stream, const ma_reduction *reduction);
  ma_status (*scan)(ma_stream *stream, const ma_scan *scan);
  /* One operation on a few packed elements, without a program (direct.h); *ran is false where it has to be one. NULL:
  ** it always has to. */
  ma_status (*direct)(ma_stream *stream, const struct ma_direct *direct, bool *ran);
  /* The same for who has another way: where the kernel would have to be compiled first, a thread begins to, nothing is
  ** done, and *ran is false. NULL: nothing is ever compiled. */
  ma_status (*map_try)(ma_stream *stream, const ma_map *map, bool *ran);
  ma_status (*reduce_try)(ma_stream *stream, const ma_reduction *reduction, bool *ran);
  void (*background)(bool wait, ma_background *now); /* what that thread does; wait: until it has nothing to do */
  /* positions */
  ma_status (*gather)(ma_stream *stream, const ma_gather *gather);
  ma_status (*scatter)(ma_stream *stream, const ma_gather *scatter);
  /* 1-based C-order positions of the true elements of a contiguous bool array of n, as a new int64 array of one axis;
  ** waits; NULL: compact does it */
  ma_status (*nonzero)(ma_stream *stream, const void *mask, int64_t n, ma_array *positions);
  /* The values of a program's first output for which its second, of bool, is true, in C order as a new array of one
  ** axis of dtype what->result, which they are stored as they are; of one output, of bool, the 1-based positions where
  ** it is true. All axes are reduced; op, param and initial are not looked at, and data[0] is to be made. Waits. `ran`
  ** is as below. NULL: nonzero and gather do it. */
  ma_status (*compact)(ma_stream *stream, const ma_reduction *what, ma_array *result, bool *ran);
  /* sort.h has the forms */
  const struct ma_sort_table *sort;
  /* what libraries do: linalg.h, fft.h, random.h have the forms */
  const struct ma_linalg_table *linalg;
  const struct ma_fft_table *fft;
  ma_status (*random)(ma_stream *stream, const struct ma_random *random);
  /* the user's own modules: compiled (or found in the cache) and loaded; each load has globals of its own */
  ma_status (*module_open)(ma_device *device, const ma_module_source *source, void **module);
  void (*module_close)(ma_device *device, void *module);
  /* a name or a name expression */
  ma_status (*module_kernel)(ma_device *device, void *module, const char *name, ma_kernel *kernel);
  ma_status (*module_global)(ma_device *device, void *module, const char *name, void **address, size_t *nbytes);
  /* max_dynamic_shared_size_bytes, preferred_shared_memory_carveout */
  ma_status (*kernel_set)(ma_kernel *kernel, const char *attribute, int value);
  ma_status (*launch)(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch);
  const struct ma_gl *gl; /* gl.h: OpenGL's memory */
  /* What was found of the kth library, from 0, that is opened at run time (libraries.h); false after the last. */
  bool (*library)(int k, struct ma_library_look *look);
};

#pragma GCC visibility pop
#endif
