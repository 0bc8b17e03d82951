/*
** dlpack.h: the structs of DLPack, the binary interface by which array libraries exchange memory: the unversioned
** tensor, and the versioned one of ABI 1. The declarations are our own; assertions in dlpack.c check layouts and
** numbers.
*/
#ifndef MOONARRAY_DLPACK_H
#define MOONARRAY_DLPACK_H

#include "ops/ops.h"

#pragma GCC visibility push(hidden)

#define MA_DL_MAJOR 1 /* the ABI that is read and written */
#define MA_DL_MINOR 1

enum { MA_DL_CPU = 1, MA_DL_CUDA = 2, MA_DL_CUDA_HOST = 3, MA_DL_CUDA_MANAGED = 13 }; /* kinds of devices */
/* Kinds of elements. */
enum { MA_DL_INT = 0, MA_DL_UINT = 1, MA_DL_FLOAT = 2, MA_DL_BFLOAT = 4, MA_DL_COMPLEX = 5, MA_DL_BOOL = 6 };
enum { MA_DL_READ_ONLY = 1, MA_DL_COPIED = 2 }; /* flags */

typedef struct ma_dl_tensor {
  void *data;
  struct {
    int32_t type, id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape;
  int64_t *strides;     /* in elements; NULL: C order */
  uint64_t byte_offset; /* offset of the first element from `data` */
} ma_dl_tensor;

typedef struct ma_dl_managed {
  ma_dl_tensor tensor;
  void *context;
  void (*deleter)(struct ma_dl_managed *self);
} ma_dl_managed;

typedef struct ma_dl_versioned {
  struct {
    uint32_t major, minor;
  } version;
  void *context;
  void (*deleter)(struct ma_dl_versioned *self);
  uint64_t flags;
  ma_dl_tensor tensor;
} ma_dl_versioned;

/* The array as a managed tensor, ready for work on `stream` and all later work. The receiver calls its deleter, from
** any thread. The tensor holds the memory, not the array. A read-only array needs the versioned form. */
ma_status ma_dlpack_export(ma_array *array, ma_stream *stream, bool versioned, void **managed);
/* Fills a caller's array over a managed tensor; its last view calls the deleter. `stream` is the stream of the
** producer's work, or NULL. On failure the caller keeps the tensor. */
ma_status ma_dlpack_import(void *managed, bool versioned, ma_stream *stream, ma_array *array);
/* Finds the device of a tensor's memory. */
ma_status ma_dlpack_device(const void *managed, bool versioned, ma_device **device);
void ma_dlpack_delete(void *managed, bool versioned);
/* Tells the two forms apart by their first bytes. They would read as a version {1, minor} in a legacy tensor only if
** its data pointer were an odd address just above a multiple of 4 GiB. */
bool ma_dlpack_is_versioned(const void *managed);

#pragma GCC visibility pop
#endif
