/* worker.h: a thread that compiles kernels while the caller continues without them. */
#ifndef MOONARRAY_CUDA_WORKER_H
#define MOONARRAY_CUDA_WORKER_H

#include "cuda/cuda.h"

#pragma GCC visibility push(hidden)

/* A kernel, identified by the bytes that determine its text. */
typedef struct ma_cuda_want {
  const ma_cuda_family *family;
  const void *key;
  size_t size;
  uint64_t hash;
} ma_cuda_want;

typedef enum ma_cuda_answer {
  MA_CUDA_ACCEPTED, /* it waits, is being compiled, or failed */
  MA_CUDA_BUSY,     /* the queue is full: ask again later */
  MA_CUDA_NO_WORKER /* there is no such thread and never will be */
} ma_cuda_answer;

bool ma_cuda_worker_knows(const ma_cuda_device *device, const ma_cuda_want *want);
bool ma_cuda_worker_tried(const ma_cuda_device *device, const ma_cuda_want *want); /* and failed */
/* `text` is the whole text. If it is accepted, the worker takes it over and it is empty on return. */
ma_cuda_answer ma_cuda_worker_ask(ma_cuda_device *device, const ma_cuda_want *want, ma_ctext *text);
/* Finds the image of a text that includes files, or has it compiled. A call that prepares leaves that to the worker,
** for the cache on disk, and fails meanwhile: the worker takes the text over. `key` is what the cache knows it by. */
ma_status ma_cuda_find_source(const ma_cuda_sought *sought, const ma_ctext *key, ma_ctext *text);
/* The device's context was destroyed: drops waiting kernels, and allows failed ones again. */
void ma_cuda_worker_forget(const ma_cuda_device *device);
void ma_cuda_worker_end(void); /* stops the thread for good */

/* ---- functions of module.c for the worker ---- */

/* Whether the epoch is still current and the kernel not loaded yet. */
bool ma_cuda_wanted(ma_cuda_device *device, uint32_t epoch, const ma_cuda_want *want);
/* Loads the image into the device's table, unless the epoch is over or the kernel is there. */
ma_status ma_cuda_adopt(ma_cuda_device *device, uint32_t epoch, const ma_cuda_want *want, const ma_image *image);
/* Notes that the kernel is nowhere and nothing compiles it. `bundles` is how many there were before the search. */
void ma_cuda_lacks(ma_cuda_device *device, uint32_t epoch, const ma_cuda_want *want, int bundles);

#pragma GCC visibility pop
#endif
