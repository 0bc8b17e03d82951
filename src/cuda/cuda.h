/*
** cuda.h: what the files of src/cuda share. The backend uses the driver's API and NVRTC alone, both opened at run time,
** with the declarations below: nothing here needs a toolkit to build, and a warm start opens no toolkit to run.
**
** loader.c   opens the libraries, fills ma_cu           compile.c  text -> image by NVRTC      print.c  a program as
** CUDA C++ device.c   contexts, errors, the backend's table      kernel.c   the user's modules        map.c
** elementwise kernels memory.c   blocks, copies  staging.c  large copies    module.c   key -> loaded kernel
** reduce.c scan.c compact.c gather.c peek.c     a few bytes to the host                    launch.c   one kernel launch
** stream.c event.c graph.c worker.c   kernels compiled by a thread of their own peer.c     two GPUs
** lost.c     a kernel that faulted, and the device after it blas.c     products
** solver.c factor.c svd.c eigen.c orthonormal.c  factorisations (solver.h)
*/
#ifndef MOONARRAY_CUDA_H
#define MOONARRAY_CUDA_H

#include "compile/cache.h"
#include "compile/body.h"
#include "program/program.h"

#pragma GCC visibility push(hidden)

/* ==== What of NVIDIA's headers we use ============================================================================ */

typedef int CUdevice, CUresult, CUdevice_attribute, CUfunction_attribute, CUpointer_attribute, CUstreamCaptureMode,
  nvrtcResult, cufftResult, cufftType, cublasStatus_t, cublasOperation_t, cublasComputeType_t, cublasGemmAlgo_t,
  cudaDataType, cublasSideMode_t, cublasFillMode_t, cublasDiagType_t, cusolverStatus_t, cusolverEigMode_t,
  curandStatus_t, curandRngType_t; /* enums there */
typedef struct cublasContext *cublasHandle_t;
typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
typedef struct syevjInfo *syevjInfo_t;
typedef struct curandGenerator_st *curandGenerator_t;
typedef ma_c64 cuComplex;
typedef ma_c128 cuDoubleComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef ma_c64 cufftComplex;
typedef ma_c128 cufftDoubleComplex;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef struct CUarray_st *CUarray;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct _nvrtcProgram *nvrtcProgram;
typedef unsigned long long CUdeviceptr;
typedef int CUmemPool_attribute;
typedef struct CUmemPoolProps_st {
  int allocType, handleTypes, locationType, locationId;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
} CUmemPoolProps;
typedef struct CUmemAccessDesc_st {
  int locationType, locationId, flags;
} CUmemAccessDesc;
typedef struct CUDA_ARRAY_DESCRIPTOR_st {
  size_t Width, Height;
  int Format;
  unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_MEMCPY2D_st {
  size_t srcXInBytes, srcY;
  int srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  int dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

enum {
#define CONSTANT(library, name, value) name = value,
#include "cuda/driver/symbols.def"
};

typedef enum ma_cuda_library {
#define LIBRARY(id, title, thirteen, twelve, eleven, wheel, after) MA_CUDA_##id,
#include "cuda/driver/symbols.def"
  MA_CUDA_NLIBRARY
} ma_cuda_library;

/* The libraries' functions: ma_cu.cuMemAlloc(&ptr, n). The driver's are there once a device is open, NVRTC's after
** ma_cuda_need_nvrtc, those of the others after ma_cuda_need. */
typedef struct ma_cuda_api {
#define SYMBOL(library, name, exported, result, parameters) result(*name) parameters;
#include "cuda/driver/symbols.def"
} ma_cuda_api;
extern ma_cuda_api ma_cu;

typedef enum ma_cuda_symbol {
#define SYMBOL(library, name, exported, result, parameters) MA_CU_##name,
#include "cuda/driver/symbols.def"
  MA_CU_NSYMBOL
} ma_cuda_symbol;

/* Calls the driver and returns a status that names the call: MA_CU(cuMemAlloc, &ptr, n) in a function that returns
** ma_status. */
#define MA_CU(name, ...)                                                     \
  do {                                                                       \
    CUresult result_ = ma_cu.name(__VA_ARGS__);                              \
    if (result_ != CUDA_SUCCESS) return ma_cuda_fail(MA_CU_##name, result_); \
  } while (0)
/* "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2)"; MA_ERR_MEMORY for that one, else MA_ERR_DEVICE. */
ma_status ma_cuda_fail(ma_cuda_symbol symbol, CUresult result);

/* ==== loader.c =================================================================================================== */

/* libcuda and cuInit; *quiet: the failure is of a kind that is not worth a warning */
ma_status ma_cuda_need_driver(bool *quiet);
ma_status ma_cuda_find_nvrtc(void); /* is there an NVRTC that fits the driver? opens nothing */
ma_status ma_cuda_need_nvrtc(void); /* opens it */
/* libraries.c: the kth library for show_config. */
bool ma_cuda_library_look(int k, struct ma_library_look *look);
ma_status ma_cuda_need(ma_cuda_library which); /* opens a library of the same CUDA root; cheap when it is open */
const char *ma_cuda_library_path(ma_cuda_library which); /* the file that was opened, "" before */
const char *ma_cuda_symbol_name(ma_cuda_symbol symbol);
const char *ma_cuda_nvrtc_path(void); /* the library file that was opened, "" before */
const char *ma_cuda_include(void);    /* the folder of the toolkit's headers, "" where there is none; opens nothing */
int ma_cuda_nvrtc_version(void);      /* 13000 for 13.0; 0 before */

/* ==== device.c =================================================================================================== */

typedef struct ma_cuda_table ma_cuda_table;
typedef struct ma_cuda_staging ma_cuda_staging;
typedef struct ma_cuda_peek ma_cuda_peek;

/*
** What a gather or scatter kernel fills when a position is outside. A record is of one owner (owner.h): the first
** thread that turns `claimed` from 0 to 1 writes the report, which lies in the host's memory, and `ready` after the
** rest. Kernels of many streams may fault at once: the first wins, and none writes the report again before the host
** took it and cleared `claimed`. So the host may look at any time, without a wait or a copy, and never finds half a
** report. `function` is a function's number and, from MA_OWNER_BITS on, the turn of the owner, by which a fault of one
** that is gone is known. kernels/prelude.cuh declares the same structs.
*/
typedef struct ma_cuda_fault_report {
  int32_t ready, axis, function, line;
  int64_t position, extent;
} ma_cuda_fault_report;
typedef struct ma_cuda_fault_record {
  int32_t claimed, unused;
  ma_cuda_fault_report *report;
} ma_cuda_fault_record;

/* The kernels launched last whose stream was not yet seen to be done: one of them is at fault when the device fails. */
#define MA_CUDA_TRAIL 8
typedef struct ma_cuda_trail {
  uint32_t count; /* atomic: launches so far */
  /* stream NULL: done; own: the user's text */
  struct {
    const ma_stream *stream;
    bool own;
    char name[48];
  } last[MA_CUDA_TRAIL];
} ma_cuda_trail;

#define MA_CUDA_MAX_DEVICES 64

/* ma_device.state of a GPU. */
typedef struct ma_cuda_device {
  CUdevice ordinal;
  CUcontext context; /* the primary one: retained, never released */
  int arch;          /* compute capability: 90 for 9.0 */
  int sm_count;
  int max_threads_per_sm;
  int max_shared;                    /* bytes of shared memory that a block may opt in to */
  int cache_bytes;                   /* of the L2 cache */
  CUdeviceptr fault;                 /* MA_OWNERS of ma_cuda_fault_record in device memory */
  ma_cuda_fault_report *report;      /* their reports */
  ma_cuda_table *kernels;            /* module.c */
  uint32_t epoch;                    /* atomic; of the kernels: a reset begins another */
  ma_cuda_staging *staging;          /* staging.c */
  ma_cuda_peek *peek;                /* peek.c */
  uint8_t peer[MA_CUDA_MAX_DEVICES]; /* peer.c: atomic, by the other device's id */
  int lost;                          /* atomic: a kernel faulted, and the driver answers nothing else until a reset */
  char cause[600];                   /* the kernel and the driver's error, once there was one */
  char why[1024];                    /* what every call says then */
  ma_cuda_trail trail;               /* lost.c */
} ma_cuda_device;

static inline ma_cuda_device *ma_cuda_state(const ma_stream *stream) { return (ma_cuda_device *)stream->device->state; }

/* Makes the device's context the calling thread's; every entry of the backend starts with it. */
ma_status ma_cuda_enter(const ma_device *device);
/* Takes the context and what belongs to it, for the first time and after a reset. */
ma_status ma_cuda_start(ma_cuda_device *d, int id);
/* For a kernel that may find a wrong position: the calling thread's record, and the number to store in `function`. */
CUdeviceptr ma_cuda_fault_of(const ma_cuda_device *d, int32_t *function);
#define MA_CUDA_HOST_PORTABLE 1 /* cuMemHostAlloc: pinned for every context */
#define MA_CUDA_HOST_MAPPED 2   /* and at the same address on the device */

/* ==== memory.c =================================================================================================== */

ma_status ma_cuda_alloc(ma_device *device, size_t nbytes, void **ptr);
void ma_cuda_free(ma_device *device, void *ptr);
/* memory for work on the stream alone */
ma_status ma_cuda_scratch(ma_stream *stream, size_t nbytes, ma_buffer **buffer);
ma_status ma_cuda_copy(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind);
ma_status ma_cuda_copy_queued(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind);
ma_status ma_cuda_host_alloc(ma_device *device, size_t nbytes, void **ptr);
void ma_cuda_host_free(ma_device *device, void *ptr, size_t nbytes);
bool ma_cuda_host_is_pinned(ma_device *device, const void *ptr);
/* staging.c: to or from pageable memory */
ma_status ma_cuda_copy_staged(ma_stream *stream, void *to, const void *from, size_t nbytes, bool to_host);
void ma_cuda_staging_forget(ma_cuda_device *d); /* the context is gone */

/* ==== peer.c ===================================================================================================== */

ma_status ma_cuda_peer(ma_device *device, ma_device *of, bool enable, bool *can);
ma_status ma_cuda_copy_between(ma_stream *stream, ma_device *device, void *to, ma_device *origin, const void *from,
                               size_t nbytes);
void ma_cuda_peer_forget(const ma_device *device);

/* ==== lost.c ===================================================================================================== */

void ma_cuda_register(ma_device *device); /* once a device is open */
bool ma_cuda_is_sticky(CUresult result);  /* an error after which the context answers nothing else */
ma_status ma_cuda_lose(CUresult result);  /* such an error in the current context: names the kernel, marks the device */
void ma_cuda_trail_note(ma_stream *stream, const char *name, bool own);
/* the stream's work is done; NULL: all streams' */
void ma_cuda_trail_clear(const ma_device *device, const ma_stream *stream);
ma_status ma_cuda_reset(ma_device *device);

extern const struct ma_pool_memory *const ma_cuda_memory[MA_NMEMORY]; /* pool.c */

/* ==== pointer.c, gl.c: memory of others ========================================================================== */

ma_status ma_cuda_pointer(ma_device *device, const void *ptr, size_t nbytes);
extern const struct ma_gl ma_cuda_gl;

/* ==== peek.c ===================================================================================================== */

#define MA_CUDA_PEEK_BYTES 4096
#define MA_CUDA_MARK_BYTES 64
/* at most that many; waits */
ma_status ma_cuda_peek_bytes(ma_stream *stream, void *to, const void *from, size_t nbytes);
/* For a kernel that tells the host something by itself: up to MA_CUDA_PEEK_BYTES behind the mark, MA_CUDA_MARK_BYTES
** further, and then, with a fence between, the turn into the mark. Others wait from begin to end, which waits for the
** kernel's mark if that was launched. */
ma_status ma_cuda_peek_begin(ma_cuda_device *d, void **mark, uint64_t *turn);
ma_status ma_cuda_peek_end(ma_stream *stream, ma_status launched, void *to, size_t nbytes);
void ma_cuda_peek_forget(ma_cuda_device *d); /* the context is gone */
ma_status ma_cuda_peek_source(char **source);

/* ==== compile.c, module.c: text -> kernel ================================================================ */

/* NVRTC alone, no device: a cubin for `arch` (90) if NVRTC knows it, else PTX of its highest architecture. `name` is
** for messages. */
ma_status ma_cuda_compile(const char *text, int arch, const char *name, ma_image *image);
/* The same with a source's options and name expressions, and the toolkit's headers: the lowered names follow the image
** (kernel.c reads them). */
ma_status ma_cuda_compile_source(const char *text, int arch, const ma_module_source *source, ma_image *image);
/* kernel.c: what stands for the text in the cache where files are read: the options, the contents of what is included,
** the text. */
ma_status ma_cuda_source_key(const ma_module_source *source, const ma_ctext *text, ma_ctext *key);
/* What an image of ours depends on beside its text, for the cache. Returns salt. */
const char *ma_cuda_salt(int arch, char *salt, size_t size);

#define MA_CUDA_MAX_ENTRIES 4
/* A family of kernels, one static const a kind of operation: how its text is printed, and the entry points of its
** modules. */
typedef struct ma_cuda_family {
  const char *name;                       /* for messages and dumps: "map" */
  const char *entry[MA_CUDA_MAX_ENTRIES]; /* extern "C" names, NULL after the last */
  void (*print)(ma_ctext *text, const void *what);
  /* whose options and headers the text is compiled with; NULL: there is never one */
  const ma_body *(*body)(const void *what);
} ma_cuda_family;

/*
** The kernels of `family` for `key`: every byte that shapes the text, and no other. On the first use of a key
** `print(text, what)` makes the text, which is put after kernels/scalar.h and kernels/prelude.cuh, and loaded from the
** cache or compiled. *entry points to the functions in the order of family->entry; it stays valid for the life of the
** process. Costs some tens of nanoseconds when known.
*/
ma_status ma_cuda_kernel(ma_cuda_device *device, const ma_cuda_family *family, const void *key, size_t size,
                         const void *what, const CUfunction **entry);
/* The same, but what is neither there nor in the cache is left to the worker, and *entry is NULL meanwhile. */
ma_status ma_cuda_kernel_try(ma_cuda_device *device, const ma_cuda_family *family, const void *key, size_t size,
                             const void *what, const CUfunction **entry);
void ma_cuda_kernels_forget(ma_cuda_device *d); /* the context is gone, and nobody uses its kernels */
/* The whole text that ma_cuda_kernel would compile. */
void ma_cuda_print(ma_ctext *text, const ma_cuda_family *family, const void *what);

/* ==== launch.c =================================================================================================== */

/* One launch on the stream's context (entered already). `parameters` as for cuLaunchKernel; `name` and `nbytes` (moved;
** 0: unknown) are for MOONARRAY_DEBUG=2. Launches of no block are skipped. */
ma_status ma_cuda_launch(ma_stream *stream, CUfunction function, unsigned grid, unsigned block, unsigned shared,
                         void **parameters, const char *name, int64_t nbytes);

bool ma_cuda_times(void); /* is `nbytes` looked at? */
/* The same for a kernel with text of the user's, who is asked first when the device fails. */
ma_status ma_cuda_launch_own(ma_stream *stream, CUfunction function, unsigned grid, unsigned block, unsigned shared,
                             void **parameters, const char *name, int64_t nbytes);
/* The same in three dimensions, a kernel of the user's own; launch->argument is the parameters. */
ma_status ma_cuda_launch_shape(ma_stream *stream, CUfunction function, const ma_launch *launch, const char *name);

/* MOONARRAY_DEBUG=2 of a copy: begin waits and is true if someone looks, end waits and prints. */
bool ma_cuda_watch_begin(const ma_stream *stream, double *began);
ma_status ma_cuda_watch_end(const ma_stream *stream, double began, const char *name, int64_t nbytes);

/* Division by an extent as a multiplication, right for dividends below 2^31: q = (umulhi(n, mul) + n) >> shift.
** kernels/prelude.cuh has `struct divisor` of the same layout, with divide() and divmod(). */
typedef struct ma_cuda_divisor {
  uint32_t extent, mul, shift;
} ma_cuda_divisor;
ma_cuda_divisor ma_cuda_divide(uint32_t extent);

/* ==== print.c: a program as text ================================================================================= */

/*
** Names in kernel texts. For each dtype there is a traits struct `dt_SUFFIX` (dt_f4, dt_bf, dt_c16 ...) with
**   dt_f4::mem      the type in memory (unsigned short for the 16-bit floats)        dt_f4::reg   the type that
**   computes
**   dt_f4::load(m)  mem -> reg (bool: != 0)                                            dt_f4::store(r)   reg -> mem
** i1 i2 i4 i8 u1 u2 u4 u8 are also plain integer types. print_program puts the functions of the program's operations,
** `struct scalars`, and
**   __device__ __forceinline__ void program(const scalars &s, dt_A::reg v0, dt_B::reg v1 ..., dt_C::reg &o0, ...)
** with the inputs' and outputs' dtypes, in register form.
*/
void ma_cuda_print_program(ma_ctext *text, const ma_program *program);
void ma_cuda_print_scalars(ma_ctext *text, const ma_program *program); /* `struct scalars` alone */
const char *ma_cuda_suffix(ma_dtype dtype);                            /* "f4" */
/* Values for `struct scalars`: 16 bytes each, in register form. Returns the bytes written, at least 16. */
size_t ma_cuda_pack_scalars(const ma_program *program, const ma_value *scalar, void *bytes);

/* ==== kernel.c: modules of the user's own ======================================================================= */

ma_status ma_cuda_module_open(ma_device *device, const ma_module_source *source, void **module);
void ma_cuda_module_close(ma_device *device, void *module);
ma_status ma_cuda_module_kernel(ma_device *device, void *module, const char *name, ma_kernel *kernel);
ma_status ma_cuda_module_global(ma_device *device, void *module, const char *name, void **address, size_t *nbytes);
ma_status ma_cuda_kernel_set(ma_kernel *kernel, const char *attribute, int value);
ma_status ma_cuda_kernel_launch(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch);

/* ==== stream.c =================================================================================================== */

ma_status ma_cuda_stream_new(ma_device *device, uint32_t flags, int priority, void **handle);
ma_status ma_cuda_stream_wait(ma_stream *stream, ma_stream *on);
ma_status ma_cuda_stream_end(ma_stream *stream);
ma_status ma_cuda_stream_look(ma_stream *stream);
ma_status ma_cuda_priorities(ma_device *device, int *least, int *greatest);

/* ==== graph.c ==================================================================================================== */

ma_status ma_cuda_capture_begin(ma_stream *stream, void **handle);
ma_status ma_cuda_capture_end(ma_stream *stream, void *handle, bool keep);
ma_status ma_cuda_graph_launch(ma_stream *stream, void *handle);
void ma_cuda_graph_free(ma_device *device, void *handle);

/* ==== event.c ==================================================================================================== */

ma_status ma_cuda_event_new(ma_device *device, uint32_t flags, void **event);
void ma_cuda_event_free(ma_device *device, void *event);
ma_status ma_cuda_event_record(ma_stream *stream, void *event);
ma_status ma_cuda_event_elapsed(ma_device *device, void *start, void *end, double *milliseconds);
ma_status ma_cuda_event_synchronize(ma_device *device, void *event);
ma_status ma_cuda_event_wait(ma_stream *stream, void *event);
ma_status ma_cuda_event_done(ma_device *device, void *event, bool *done);
ma_status ma_cuda_nothing(ma_stream *stream);

/* ==== blas.c ===================================================================================================== */

struct ma_matmul;
ma_status ma_cuda_matmul(ma_stream *stream, const struct ma_matmul *matmul);
/* product.c: those that are too small for a library. */
bool ma_cuda_product_is_small(const struct ma_matmul *matmul);
ma_status ma_cuda_product_small(ma_stream *stream, const struct ma_matmul *matmul);
/* a kernel's text, for whoever compiles it without a device */
ma_status ma_cuda_product_source(ma_dtype dtype, char **source);
/* The stream's cuBLAS handle, its workspace set; others wait until ma_cuda_blas_end. */
ma_status ma_cuda_blas_begin(ma_stream *stream, cublasHandle_t *handle);
void ma_cuda_blas_end(ma_stream *stream);
ma_status ma_cuda_blas_fail(const char *call, int status, const char *shapes);

/* ==== The operations ============================================================================================= */

ma_status ma_cuda_map(ma_stream *stream, const ma_map *map);
ma_status ma_cuda_reduce(ma_stream *stream, const ma_reduction *reduction);
ma_status ma_cuda_map_try(ma_stream *stream, const ma_map *map, bool *ran);
ma_status ma_cuda_reduce_try(ma_stream *stream, const ma_reduction *reduction, bool *ran);
ma_status ma_cuda_scan(ma_stream *stream, const ma_scan *scan);
ma_status ma_cuda_gather(ma_stream *stream, const ma_gather *gather);
ma_status ma_cuda_scatter(ma_stream *stream, const ma_gather *scatter);
ma_status ma_cuda_compact(ma_stream *stream, const ma_reduction *what, ma_array *result, bool *ran);

ma_status ma_cuda_reduce_source(const ma_reduction *reduction, char **text); /* as the next one */
/* The text of the kernel that ma_cuda_map would launch, no device needed; the caller frees *text. */
ma_status ma_cuda_map_source(const ma_map *map, char **text);
ma_status ma_cuda_gather_source(const ma_gather *picks, bool write, char **text); /* the same */
ma_status ma_cuda_compact_source(const ma_reduction *what, char **text);

/* device.c: slots of the backend's table. */
void *ma_cuda_fault_place(const ma_stream *stream, int32_t *function);
int ma_cuda_count(void);
ma_status ma_cuda_open(ma_device *device);
ma_status ma_cuda_info(ma_device *device, size_t *free_bytes, size_t *total_bytes, char *description, size_t size);
bool ma_cuda_attribute(ma_device *device, int k, const char **name, int64_t *value);
ma_status ma_cuda_pci_bus_id(ma_device *device, char *text, size_t size);
ma_status ma_cuda_versions(int *driver, int *compiler);
ma_status ma_cuda_synchronize(ma_stream *stream);
ma_status ma_cuda_device_synchronize(ma_device *device);
ma_status ma_cuda_done(ma_stream *stream, bool *done);
ma_status ma_cuda_profile(ma_device *device, bool on);
ma_status ma_cuda_fault(ma_stream *stream, uint32_t owner, ma_fault *fault);
void ma_cuda_set_function(ma_stream *stream, uint32_t owner, const char *function);

#pragma GCC visibility pop
#endif
