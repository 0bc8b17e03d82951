/*
** cuda.h: the declarations that the files of src/cuda share. The backend uses only the driver's API and NVRTC, which
** are opened at run time, with the declarations below. So it builds without a toolkit, and a start with cached kernels
** opens no part of a toolkit.
**
** Files (the .h of a .c is not listed; scripts/maps.lua compares the list with the folder):
** ./         backend.c       the backend's table
**            device.c        contexts, facts about a device
**            collect.c collect.h     launches of a frame, which are sent together
** driver/    loader.c        opens the libraries and fills ma_cu
**            symbols.def attributes.def   the libraries' functions; a device's attributes
**            libraries.c     the libraries for show_config
**            compile.c       compiles text by NVRTC; keys of the cache
**            images.c        finds the image of a kernel: in bundles, in the cache, by NVRTC
**            mathematics.c mathematics.def   functions whose last bits are NVRTC's
**            worker.c        compiles kernels on a thread of its own
**            module.c        finds the loaded kernel for a key
**            launch.c        launches it
**            timeline.c      notes what is launched on a timeline
**            kernel.c        modules that the user wrote
**            lost.c reset.c  errors; a kernel that faulted, and its device afterwards
**            fault.c         positions out of range
**            stream.c event.c graph.c gl.c external.c texture.c peer.c pointer.c   the driver's objects of these
**                            names
** memory/    memory.c        blocks and copies
**            pool.c          the driver's pools
**            staging.c       large copies
**            peek.c          a few bytes
** kernels/   map.c map_text.c         programs over arrays
**            sequence.c      numbers in arithmetic progression
**            stencil.c stencil_text.c programs over neighbours
**            reduce.c fold.c fold_body.c scan.c compact.c   reductions, scans, selections by a mask
**            partial.c       partial results of several processes
**            gather.c        picks by positions
**            join.c                   arrays beside each other
**            sort.c histogram.c       sorts, searches, counts
**            random.c        random numbers
**            signal.c        filters, correlation, peaks
**            fourier.c fourier.h      Fourier transforms without cuFFT
** general/   general.c general.h map_general.c reduce_general.c   general forms, for any layout and dtypes
** rows/      rows.c rows_call.c rows_text.c lanes.c columns.c cross.c rows.h row programs
** interpolate/ interpolate.c   B-splines, grids
** linalg/    product.c tiles.c     small products; all others without cuBLAS
**            solve.c cholesky.c small.h banded.c jacobi.c   small and banded systems, small factors, eigenvalues
** ndimage/   along.c window.c filter.h   filters along one axis, and over windows of any shape
**            spline.c transform.c     coefficients and values of splines
**            binary.c label.c distance.c groups.c morphology.h   morphology, components, distances, sums
** sparse/    product.c csr.c   sparse matrices: products with vectors and matrices; what the files share
**            sampled.c       elements of a product of two arrays
**            order.c multiply.c short.c solve.c combine.c made.c look.c extreme.c sparse.h   the order of entries,
**                             products of two, triangles, operations on two, parts and other kinds, what is read
** spatial/   pairs.c tree.c    distances of vectors, neighbours
** library/   blas.c          products by cuBLAS
**            solver.c factor.c svd.c eigen.c orthonormal.c   cuSOLVER: handles, factorisations, their check
**            fft.c curand.c  cuFFT, cuRAND
**            cudss.c cudss.def cudss.h   cuDSS: factors of sparse matrices
** distributed/ nccl.c nccl.def nccl.h    NCCL
**            watch.c         calls of NCCL that others do not come to
*/
#ifndef MOONARRAY_CUDA_H
#define MOONARRAY_CUDA_H

#include "timeline/timeline.h"
#include "compile/cache.h"
#include "memory/wait.h"
#include "compile/body.h"
#include "compile/print.h"
#include "kernels/shapes.h"
#include "program/program.h"

#pragma GCC visibility push(hidden)

/* ==== Declarations of NVIDIA's headers ============================================================================ */

typedef int CUdevice, CUresult, CUdevice_attribute, CUjit_option, CUjitInputType, CUfunction_attribute,
  CUpointer_attribute, CUstreamCaptureMode, nvrtcResult, cufftResult, cufftType, cublasStatus_t, cublasOperation_t,
  cublasComputeType_t, cublasGemmAlgo_t, cudaDataType, cublasSideMode_t, cublasFillMode_t, cublasDiagType_t,
  cusolverStatus_t, cusolverEigMode_t, curandStatus_t, curandRngType_t; /* enums in NVIDIA's headers */
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
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef struct CUarray_st *CUarray;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;
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
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
  size_t Width, Height, Depth;
  int Format;
  unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_MEMCPY3D_st {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef struct CUDA_RESOURCE_DESC_st {
  int resType;
  union {
    struct {
      CUarray hArray;
    } array;
    struct {
      CUdeviceptr devPtr;
      int format;
      unsigned numChannels;
      size_t sizeInBytes;
    } linear;
    struct {
      CUdeviceptr devPtr;
      int format;
      unsigned numChannels;
      size_t width, height, pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
  unsigned flags;
} CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC_st {
  int addressMode[3];
  int filterMode;
  unsigned flags, maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct CUDA_RESOURCE_VIEW_DESC_st CUDA_RESOURCE_VIEW_DESC;
typedef unsigned long long CUtexObject, CUsurfObject;
typedef struct CUextMemory_st *CUexternalMemory;
typedef struct CUextSemaphore_st *CUexternalSemaphore;
typedef struct CUuuid_st {
  char bytes[16];
} CUuuid;
typedef union ma_cuda_handle { /* it has no name in NVIDIA's headers */
  int fd;
  struct {
    void *handle;
    const void *name;
  } win32;
} ma_cuda_handle;
typedef struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st {
  int type;
  ma_cuda_handle handle;
  unsigned long long size;
  unsigned flags, reserved[16];
} CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {
  unsigned long long offset, size;
  unsigned flags, reserved[16];
} CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
typedef struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st {
  int type;
  ma_cuda_handle handle;
  unsigned flags, reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
/* What the two have behind the value is for semaphores that are not used here. */
typedef struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st {
  unsigned long long value, others[8];
  unsigned flags, reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
typedef struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st {
  unsigned long long value, others[8];
  unsigned flags, reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;

#include "cuda/collect.h"

enum {
#define CONSTANT(library, name, value) name = value,
#include "cuda/driver/symbols.def"
};

typedef enum ma_cuda_library {
#define LIBRARY(id, title, wheel, after) MA_CUDA_##id,
#include "cuda/driver/symbols.def"
  MA_CUDA_NLIBRARY
} ma_cuda_library;

/* The libraries' functions: ma_cu.cuMemAlloc(&ptr, n). Those of the driver are set once a device is open, NVRTC's
** after ma_cuda_need_nvrtc, those of other libraries after ma_cuda_need. */
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

/* Calls the driver, and on failure returns from the calling function, which returns ma_status, with an error that
** names the call: MA_CU(cuMemAlloc, &ptr, n). */
#define MA_CU(name, ...)                                                     \
  do {                                                                       \
    CUresult result_ = ma_cu.name(__VA_ARGS__);                              \
    if (result_ != CUDA_SUCCESS) return ma_cuda_fail(MA_CU_##name, result_); \
  } while (0)
/* "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2)". Returns MA_ERR_MEMORY for that error, else MA_ERR_DEVICE. */
ma_status ma_cuda_fail(ma_cuda_symbol symbol, CUresult result); /* lost.c */

/* ==== loader.c =================================================================================================== */

/* Opens libcuda and calls cuInit. *quiet: the failure does not deserve a warning. */
ma_status ma_cuda_need_driver(bool *quiet);
ma_status ma_cuda_find_nvrtc(void); /* whether there is an NVRTC for the driver; opens nothing */
int ma_cuda_nvrtc_major(void);      /* 13 for 13.0; 0: there is none. Opens nothing */
ma_status ma_cuda_need_nvrtc(void); /* opens it */
/* Lets `call` be called when the process exits, before NVRTC ends. If NVRTC is open already, the caller registers
** it. */
void ma_cuda_before_nvrtc_ends(void (*call)(void));
/* libraries.c: library number k for show_config. */
/* Searches for a library that is of no CUDA root, in the linker's path, the usual root and wheels. */
bool ma_cuda_find_file(const char *wheel, const char *file, char *path, size_t size);
ma_status ma_cuda_open(ma_cuda_library which); /* opens a library from the same CUDA root; cheap if it is open */
ma_status ma_cuda_need(ma_cuda_library which); /* the same, for work that nothing else does (bundle/bundle.h) */
/* The same for a library that kernels of our own can stand in for. One that is not found is not there; one that is
** found and does not open fails where it is needed. */
bool ma_cuda_has(ma_cuda_library which);
const char *ma_cuda_library_path(ma_cuda_library which); /* file of an open library, else "" */
const char *ma_cuda_symbol_name(ma_cuda_symbol symbol);
const char *ma_cuda_include(void); /* folder of the toolkit's headers, or ""; opens nothing */
#define MA_CUDA_INCLUDES 2
int ma_cuda_include_options(const char **option); /* "-I" and the folders of these headers; returns how many */
int ma_cuda_nvrtc_version(void);                  /* 13000 for 13.0; 0 before it is open */
/* mathematics.c: whether NVRTC of two major versions computes these functions alike (ma_bundle_entry). */
bool ma_cuda_same_mathematics(uint64_t functions, int major, int other);

/* An NVRTC: the one that was found, or one that a program names for a bundle. */
typedef struct ma_cuda_nvrtc {
  const ma_cuda_api *api; /* its functions alone */
  int version;
  char file[PATH_MAX], include[MA_CUDA_INCLUDES][PATH_MAX + 16]; /* options with the folders of its headers */
  int ninclude;
} ma_cuda_nvrtc;
const ma_cuda_nvrtc *ma_cuda_found_nvrtc(void); /* after ma_cuda_need_nvrtc */
/* Opens one: a file, or a folder of a CUDA toolkit or a Python wheel that has one. It stays open. */
ma_status ma_cuda_open_nvrtc(const char *path, const ma_cuda_nvrtc **nvrtc);

/* ==== device.c =================================================================================================== */

typedef struct ma_cuda_table ma_cuda_table;
typedef struct ma_cuda_staging ma_cuda_staging;
typedef struct ma_cuda_peek ma_cuda_peek;

/*
** The record that a gather or scatter kernel fills when a position is out of range. Each owner (owner.h) has a record.
** The first thread that changes `claimed` from 0 to 1 writes the report, which is in host memory, and sets `ready`
** last. Kernels of several streams may fault at once: the first one wins, and the report is not written again until the
** host has read it and cleared `claimed`. So the host may read at any time, without a wait or a copy, and never finds
** an incomplete report. `function` is the function's number and, from bit MA_OWNER_BITS on, the turn of the owner,
** which tells faults of a closed state apart. kernels/prelude.cuh declares the same structs.
*/
typedef struct ma_cuda_fault_report {
  int32_t ready, axis, function, line;
  int64_t position, extent;
} ma_cuda_fault_report;
typedef struct ma_cuda_fault_entry {
  int32_t claimed, unused;
  ma_cuda_fault_report *report;
} ma_cuda_fault_entry;

#define MA_CUDA_TRAIL 8
/* The last launched kernels whose streams were not yet seen to finish. If the device fails, one of them is the
** cause. */
typedef struct ma_cuda_trail {
  /* stream NULL: finished; own: the kernel has text of the user's */
  struct {
    const ma_stream *stream;
    bool own;
    char name[48];
  } last[MA_CUDA_TRAIL];
  uint32_t count; /* atomic: number of launches */
} ma_cuda_trail;

#define MA_CUDA_MAX_DEVICES 64

/* ma_device.state of a GPU. */
typedef struct ma_cuda_device {
  CUdevice ordinal;
  CUcontext context; /* the primary context; retained and never released */
  int arch;          /* compute capability: 90 for 9.0 */
  int sm_count;
  int max_threads_per_sm;
  int max_shared;                    /* bytes of shared memory that a block may opt in to */
  int cache_bytes;                   /* of the L2 cache */
  CUdeviceptr fault;                 /* MA_OWNERS records of ma_cuda_fault_entry, in device memory */
  ma_cuda_fault_report *report;      /* reports of these records */
  ma_cuda_table *kernels;            /* module.c */
  uint32_t epoch;                    /* atomic: epoch of the kernels; a reset begins the next one */
  ma_cuda_staging *staging;          /* staging.c */
  ma_cuda_peek *peek;                /* peek.c */
  uint8_t peer[MA_CUDA_MAX_DEVICES]; /* peer.c: atomic, by the other device's id */
  int lost;                          /* atomic: a kernel faulted, so the driver refuses every call until a reset */
  char cause[600];                   /* the kernel and the driver's error */
  char why[1024];                    /* the message of every call while the device is lost */
  ma_cuda_trail trail;               /* lost.c */
} ma_cuda_device;

static inline ma_cuda_device *ma_cuda_state(const ma_stream *stream) { return (ma_cuda_device *)stream->device->state; }

/* Makes the device's context current in the calling thread. Every slot of the backend calls it first. */
ma_status ma_cuda_enter(const ma_device *device);
ma_status ma_cuda_check_fork(void); /* an error in the child of a process that had used the driver */
/* Takes the context and makes everything in it, at the first use and after a reset. */
ma_status ma_cuda_start(ma_cuda_device *d, int id);
/* fault.c. For a kernel that may find a position out of range: the calling thread's record, and the value for
** `function`. */
CUdeviceptr ma_cuda_fault_of(const ma_cuda_device *d, int32_t *function);
#define MA_CUDA_HOST_PORTABLE 1 /* cuMemHostAlloc: pinned for every context */
#define MA_CUDA_HOST_MAPPED 2   /* also mapped at the same address on the device */

/* ==== memory.c =================================================================================================== */

/* Memory that only work on the stream uses. */
ma_status ma_cuda_scratch(ma_stream *stream, size_t nbytes, ma_buffer **buffer);
ma_status ma_cuda_host_alloc(ma_device *device, size_t nbytes, void **ptr);
void ma_cuda_host_free(ma_device *device, void *ptr);
/* staging.c: copies to or from pageable memory. */
ma_status ma_cuda_copy_staged(ma_stream *stream, void *to, const void *from, size_t nbytes, bool to_host);
void ma_cuda_staging_forget(ma_cuda_device *d); /* forgets everything after the context was destroyed */

/* ==== peer.c ===================================================================================================== */

void ma_cuda_peer_forget(const ma_device *device);

/* ==== lost.c ===================================================================================================== */

void ma_cuda_register(ma_device *device);   /* called when a device was opened */
const ma_device *ma_cuda_registered(int k); /* NULL behind the last */
/* While this thread resets, an error is a result of the reset and not of a kernel. */
void ma_cuda_note_reset(bool on);
bool ma_cuda_is_sticky(CUresult result); /* an error after which the context refuses every call */
/* Handles an error of the current context for which ma_cuda_is_sticky is true: finds the kernel and marks the device
** as lost. */
ma_status ma_cuda_lose(CUresult result);
void ma_cuda_trail_note(ma_stream *stream, const char *name, bool own);
/* Notes that the stream's work is done; NULL: the work of all streams. */
void ma_cuda_trail_clear(const ma_device *device, const ma_stream *stream);

extern const struct ma_pool_memory *const ma_cuda_memory_kinds[MA_NMEMORY]; /* pool.c */

/* ==== nccl.c, watch.c: calls of several ranks ===================================================================== */

bool ma_cuda_nccl_look(struct ma_library_look *look); /* returns true */
/* Fails once after a call was given up, so that whoever waited for its result learns of it. */
ma_status ma_cuda_comm_lost(void);

/* ==== peek.c ===================================================================================================== */

#define MA_CUDA_PEEK_BYTES 4096
#define MA_CUDA_MARK_BYTES 64
/* Copies at most MA_CUDA_PEEK_BYTES; waits. */
ma_status ma_cuda_peek_bytes(ma_stream *stream, void *to, const void *from, size_t nbytes);
/* For a kernel that sends up to MA_CUDA_PEEK_BYTES to the host itself. It writes them MA_CUDA_MARK_BYTES behind the
** mark, then, after a fence, writes the turn into the mark. The lock is held from begin to end; end waits for the
** mark if the kernel was launched. */
ma_status ma_cuda_peek_begin(ma_cuda_device *d, void **mark, uint64_t *turn);
ma_status ma_cuda_peek_end(ma_stream *stream, ma_status launched, void *to, size_t nbytes);
void ma_cuda_peek_forget(ma_cuda_device *d); /* forgets everything after the context was destroyed */
ma_status ma_cuda_peek_source(char **source);

/* ==== compile.c, module.c: text -> kernel ================================================================ */

/* Uses only NVRTC and no device. Makes a cubin for `arch` (90) if NVRTC knows it, else PTX for its highest
** architecture. `name` is for messages. */
ma_status ma_cuda_compile(const char *text, int arch, const char *name, ma_image *image);
/* The same with the options and name expressions of a source, and the toolkit's headers. The lowered names follow
** the image; kernel.c reads them. */
ma_status ma_cuda_compile_source(const char *text, int arch, const ma_module_source *source, ma_image *image);
/* Opens NVRTC for a kernel that is compiled nowhere, else fails; `name` NULL: no kernel is. */
ma_status ma_cuda_need_compiler(const char *name, int arch);
/* Whether some kernel is compiled for cards of this compute capability. */
bool ma_cuda_has_image(int arch);
/* The key in the cache for a text that includes files: its options, the contents of the files, the text. */
ma_status ma_cuda_source_key(const ma_module_source *source, const ma_ctext *text, ma_ctext *key);
/* The salt for the cache: everything but the text that an image depends on. Returns `salt`. */
const char *ma_cuda_salt(int arch, char *salt, size_t size);

/* How much is done for a kernel: only images that need not be compiled or finished; all images, and NVRTC where there
** is one; all of this, and without NVRTC it is an error. */
typedef enum ma_cuda_effort { MA_CUDA_QUICK, MA_CUDA_FIND, MA_CUDA_COMPILE, MA_CUDA_NEFFORT } ma_cuda_effort;

/* A kernel whose image is sought, and what takes the image: it loads it, and fails if the driver refuses it. */
typedef struct ma_cuda_sought {
  ma_cuda_device *device;
  const char *name, *key;         /* for messages; the text by which bundles and the cache know it */
  const char *text;               /* what NVRTC compiles */
  const ma_module_source *source; /* with these options and headers; NULL: a text of the library's own */
  ma_cuda_effort effort;
  bool own; /* the user's: nothing takes its place */
  ma_status (*take)(void *into, const ma_image *image);
  void *into;
} ma_cuda_sought;
/* images.c. Not found, without an error: less effort than MA_CUDA_COMPILE, and there is none. */
ma_status ma_cuda_find_image(const ma_cuda_sought *sought, bool *found);

#define MA_CUDA_MAX_ENTRIES 4
/* A family of kernels, a static const for each kind of operation: how to print its text, and its entry points. */
typedef struct ma_cuda_family {
  const char *name;                       /* for messages and dumps: "map" */
  const char *entry[MA_CUDA_MAX_ENTRIES]; /* names of extern "C" functions, then NULL */
  void (*print)(ma_ctext *text, const void *what);
  /* The body whose options and headers the text is compiled with. The pointer is NULL for families without bodies. */
  const ma_body *(*body)(const void *what);
} ma_cuda_family;

/*
** Finds the kernels of `family` for `key`, which has all bytes that the text depends on and no others. At the first use
** of a key, `print(text, what)` makes the text, which follows kernels/scalar.h and kernels/prelude.cuh. Its image is
** loaded from the cache or compiled. *entry points to the functions in the order of family->entry, and is valid for the
** life of the process. For a known key it takes tens of nanoseconds.
*/
ma_status ma_cuda_kernel(ma_cuda_device *device, const ma_cuda_family *family, const void *key, size_t size,
                         const void *what, const CUfunction **entry);
/* The same, but a kernel that is neither loaded nor in the cache is left to the worker, and *entry is NULL. */
ma_status ma_cuda_kernel_try(ma_cuda_device *device, const ma_cuda_family *family, const void *key, size_t size,
                             const void *what, const CUfunction **entry);
/* The same as ma_cuda_kernel, but a kernel that is compiled nowhere, where there is no NVRTC, is no error: *entry is
** NULL. So the exact form of a kernel gives way to a general one. A known answer takes tens of nanoseconds. */
ma_status ma_cuda_kernel_exact(ma_cuda_device *device, const ma_cuda_family *family, const void *key, size_t size,
                               const void *what, const CUfunction **entry);
ma_status ma_cuda_kernel_general(ma_cuda_device *device, const ma_cuda_family *family, const void *key, size_t size,
                                 const void *what, const CUfunction **entry);
/* One of the functions above. */
typedef ma_status ma_cuda_finder(ma_cuda_device *device, const ma_cuda_family *family, const void *key, size_t size,
                                 const void *what, const CUfunction **entry);
/* In this order a family that chooses its variant asks for: the exact form; the general one; the exact one, or an
** error. */
enum { MA_CUDA_EXACT, MA_CUDA_GENERAL, MA_CUDA_LAST, MA_CUDA_NFORM };
extern ma_cuda_finder *const ma_cuda_finders[MA_CUDA_NFORM];
/* Finds the kernel of a variant, or that of a general one which serves in its place: then `variant` becomes that. */
ma_status ma_cuda_kernel_either(ma_cuda_device *device, const ma_cuda_family *family, void *variant,
                                const void *general, size_t size, const CUfunction **function);
/* images.c, for families whose texts depend on the architecture: while texts are recorded (bundle/bundle.h), each is
** printed for every profile, an architecture, before it is asked for. */
int ma_cuda_profile(int k); /* the kth, counted from 0; 0 behind the last */
void ma_cuda_record(const ma_cuda_family *family, const void *what, int arch);
void ma_cuda_kernels_forget(ma_cuda_device *d); /* forgets all kernels after the context was destroyed */
/* Prints the whole text that ma_cuda_kernel would compile. */
void ma_cuda_print(ma_ctext *text, const ma_cuda_family *family, const void *what);
/* Gives that text, for specs that compile it without a device; the caller frees it. */
ma_status ma_cuda_source(const ma_cuda_family *family, const void *what, char **source);

/* ==== launch.c =================================================================================================== */

/* Launches a kernel on the stream's context, which must be current. `parameters` as for cuLaunchKernel. `name` and
** `nbytes` (moved bytes; 0: unknown) are for MOONARRAY_DEBUG=2. A launch of 0 blocks is skipped. */
ma_status ma_cuda_launch(ma_stream *stream, CUfunction function, unsigned grid, unsigned block, unsigned shared,
                         void **parameters, const char *name, int64_t nbytes);

bool ma_cuda_times(void); /* whether `nbytes` is used */
/* As ma_cuda_launch, for a kernel with text of the user's, which is suspected first when the device fails. */
ma_status ma_cuda_launch_own(ma_stream *stream, CUfunction function, unsigned grid, unsigned block, unsigned shared,
                             void **parameters, const char *name, int64_t nbytes);
/* As ma_cuda_launch_own, in three dimensions, for a kernel that the user wrote. launch->argument has the parameters. */
ma_status ma_cuda_launch_shape(ma_stream *stream, CUfunction function, const ma_launch *launch, const char *name);

/* Fills memory with the 4 bytes of `pattern`, by the driver alone. Elements that are narrower repeat in them;
** the memory is whole elements. */
ma_status ma_cuda_fill(ma_stream *stream, void *to, size_t nbytes, const unsigned char *pattern);

/* timeline.c: around work that is noted on a timeline. The stream records no graph, and its context is current. The
** first sends what the stream has collected, the second is for collect.c. */
typedef struct ma_cuda_span {
  bool on; /* false: its end notes nothing */
  CUevent from;
  int64_t called;
} ma_cuda_span;
ma_cuda_span ma_cuda_span_begin(ma_stream *stream);
ma_cuda_span ma_cuda_span_start(ma_stream *stream);
void ma_cuda_span_end(ma_stream *stream, ma_track_kind kind, ma_cuda_span span, const char *name, int64_t nbytes);

/* Around a copy: MOONARRAY_DEBUG=2 waits before and after it and prints, a timeline notes it. */
typedef struct ma_cuda_watch {
  ma_observe how;
  ma_cuda_span span;
  int64_t began;
} ma_cuda_watch;
ma_cuda_watch ma_cuda_watch_begin(ma_stream *stream);
ma_status ma_cuda_watch_end(ma_stream *stream, const ma_cuda_watch *watch, ma_status copied, const char *name,
                            int64_t nbytes);

/* Division by an extent through multiplication, exact for dividends below 2^31: q = (umulhi(n, mul) + n) >> shift.
** kernels/prelude.cuh has `struct divisor` with the same layout, and divide() and divmod(). */
typedef struct ma_cuda_divisor {
  uint32_t extent, mul, shift;
} ma_cuda_divisor;
ma_cuda_divisor ma_cuda_divide(uint32_t extent);

static inline const char *ma_cuda_suffix(ma_dtype dtype) { return ma_dtype_suffix(dtype); } /* "f4" */

/* ==== blas.c ===================================================================================================== */

/* product.c: products too small for a library. */
bool ma_cuda_product_is_small(const ma_matmul *matmul);
ma_status ma_cuda_product_small(ma_stream *stream, const ma_matmul *matmul);
/* The kernel's text, to compile it without a device. */
ma_status ma_cuda_product_source(ma_dtype dtype, char **source);
/* tiles.c: `count` products without cuBLAS; steps from one to the next are in elements. */
ma_status ma_cuda_tiles(ma_stream *stream, const ma_matmul *g, char *const *data, int64_t count, const int64_t *step);
/* The text of form `which`, counted from 0; NULL behind the last. */
ma_status ma_cuda_tiles_source(ma_dtype dtype, int which, char **source);
/* The stream's cuBLAS handle with its workspace. Other threads wait until ma_cuda_blas_end. */
ma_status ma_cuda_blas_begin(ma_stream *stream, cublasHandle_t *handle);
void ma_cuda_blas_end(ma_stream *stream);
ma_status ma_cuda_blas_fail(const char *call, int status, const char *shapes);

/* ==== The operations ============================================================================================= */

/* Runs a map over shifted views as a stencil, if that is better: then *taken. `ran` NULL: compiles the kernel if
** needed; else *ran becomes false if it is not compiled, and the worker compiles it. */
ma_status ma_cuda_views(ma_stream *stream, const ma_map *map, bool *ran, bool *taken);
/* The text of its kernel, as ma_cuda_reduce_source; NULL: separate runs are better. */
ma_status ma_cuda_rows_source(const struct ma_row_program *program, int arch, char **text);
/* The text of its kernel, as ma_cuda_reduce_source. */
ma_status ma_cuda_reduce_merge_source(const ma_reduction *how, char **text);

/* The text of the kernel that ma_cuda_reduce_run would launch. Needs no device; the caller frees *text. */
ma_status ma_cuda_reduce_source(const ma_reduction *reduction, int arch, char **text);
/* The same for ma_cuda_map_run. */
ma_status ma_cuda_map_source(const ma_map *map, char **text);
/* The same for ma_cuda_stencil_run. */
ma_status ma_cuda_stencil_source(const ma_stencil *stencil, char **text);
/* The same for ma_cuda_index_gather, or with `write` for ma_cuda_index_scatter, or with a program for
** ma_cuda_index_gather_by. */
ma_status ma_cuda_gather_source(const ma_gather *picks, bool write, const ma_program *by, char **text);
/* The same for ma_cuda_index_compact. */
ma_status ma_cuda_compact_source(const ma_reduction *what, char **text);

/* ==== The functions of the backend's table, each in the file of its group or of its name ========================== */

#define SLOT(group, who, result, slot, parameters) result ma_cuda_##group##_##slot parameters;
#include "backend/slots.def"

#pragma GCC visibility pop
#endif
