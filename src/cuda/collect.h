/* collect.h: launches that a stream collects for a frame (collect.c). cuda.h includes it. */
#ifndef MOONARRAY_CUDA_COLLECT_H
#define MOONARRAY_CUDA_COLLECT_H

/* As NVIDIA's header declares it. */
typedef struct CUDA_KERNEL_NODE_PARAMS_v2_st {
  CUfunction func;
  unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  void **kernelParams, **extra;
  struct CUkern_st *kern;
  CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

/* Notes a launch where the stream collects; false: it does not, or this launch must be sent at once. */
bool ma_cuda_collect(ma_stream *stream, CUfunction function, const uint32_t *grid, const uint32_t *block,
                     unsigned shared, void **parameters, const char *name);
void ma_cuda_send(const ma_stream *stream); /* sends what the stream collected */
/* The same for all streams, before memory goes back to the driver. `forgets`: before kernels do. */
void ma_cuda_send_all(bool forgets);
/* From +1 to -1, or to the frame's end, somebody else may work on the stream, and launches are sent at once. */
void ma_cuda_hold(const ma_stream *stream, int by);

/* A stream on a timeline (timeline.c). */
typedef struct ma_cuda_line {
  ma_stream *stream;
  bool joined;  /* atomic: nothing has reached the queue since the end of the last piece of work */
  int held;     /* atomic: a library of NVIDIA's may work on it meanwhile (ma_cuda_hold) */
  double ended; /* when the last piece that was read did */
} ma_cuda_line;

/* Work comes to the queue of which the timeline knows nothing. */
static inline void ma_cuda_part(const ma_stream *stream) {
  ma_cuda_line *line = __atomic_load_n(&stream->line, __ATOMIC_ACQUIRE);
  if (__builtin_expect(line != NULL, 0)) __atomic_store_n(&line->joined, false, __ATOMIC_RELAXED);
}
static inline void ma_cuda_send_before(const ma_stream *stream) {
  if (__builtin_expect(__atomic_load_n(&stream->collects, __ATOMIC_ACQUIRE) != NULL, 0)) ma_cuda_send(stream);
}
/* The stream for the driver: no other way leads to it, so that what was collected is sent before. */
static inline CUstream ma_cuda_queue(const ma_stream *stream) {
  ma_cuda_send_before(stream);
  ma_cuda_part(stream);
  return stream->handle;
}

#endif
