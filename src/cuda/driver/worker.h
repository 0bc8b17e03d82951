/* worker.h: kernels compiled by a thread of their own, while the caller goes on without them. */
#ifndef MOONARRAY_CUDA_WORKER_H
#define MOONARRAY_CUDA_WORKER_H

#include "cuda/cuda.h"

#pragma GCC visibility push(hidden)

/* A kernel by the bytes that shape it. */
typedef struct ma_cuda_want {
  const ma_cuda_family *family;
  const void *key;
  size_t size;
  uint64_t hash;
} ma_cuda_want;

typedef enum ma_cuda_answer {
  MA_CUDA_ACCEPTED, /* or known already: waiting, being compiled, or given up */
  MA_CUDA_BUSY,     /* too much waits: ask again another time */
  MA_CUDA_NO_WORKER /* there is no such thread, and there will be none */
} ma_cuda_answer;

bool ma_cuda_worker_knows(const ma_cuda_device *device, const ma_cuda_want *want);
/* `text` is the whole one, and the worker's if it is accepted: then it is empty on return. */
ma_cuda_answer ma_cuda_worker_ask(ma_cuda_device *device, const ma_cuda_want *want, ma_ctext *text);
/* its context goes: what waits is for nothing, what failed may be tried again */
void ma_cuda_worker_forget(const ma_cuda_device *device);
void ma_cuda_worker_end(void); /* stops it, for good */
void ma_cuda_background(bool wait, ma_background *now);

/* ---- module.c's side ---- */

/* still, and not there by now? */
bool ma_cuda_wanted(ma_cuda_device *device, uint32_t epoch, const ma_cuda_want *want);
/* Loads the image into the device's table, unless that began another epoch or has it by now. */
ma_status ma_cuda_adopt(ma_cuda_device *device, uint32_t epoch, const ma_cuda_want *want, const ma_image *image);

#pragma GCC visibility pop
#endif
