/* nccl.h: declarations that the files of this folder share. */
#ifndef MOONARRAY_CUDA_NCCL_H
#define MOONARRAY_CUDA_NCCL_H

#include "backend/collective.h"
#include "cuda/cuda.h"

#pragma GCC visibility push(hidden)

typedef struct ma_nccl_id {
  char bytes[MA_COMM_NAME];
} ma_nccl_id;
typedef struct ncclComm *ma_nccl_comm;

typedef struct ma_nccl_api {
#define FUNCTION(name, result, parameters) result(*name) parameters;
#include "cuda/distributed/nccl.def"
} ma_nccl_api;
extern ma_nccl_api ma_nccl;

enum {
#define CONSTANT(name, value) MA_##name = (value),
#include "cuda/distributed/nccl.def"
};

/* A communicator, and what the watcher knows of its last calls. */
typedef struct ma_cuda_comm {
  ma_nccl_comm handle;
  ma_device *device;
  int size, rank;
  struct ma_cuda_comm *next;
  /* the next four need the watcher's lock */
  bool called, waiting; /* there were calls since the event was recorded; the event was not seen done */
  bool broken;
  ma_stream *recording; /* a capture on it has calls */
  bool in_graph;        /* a graph has calls */
  CUevent event;
  ma_stream *stream;
  double begun, limit;
  char name[40];
} ma_cuda_comm;

void ma_cuda_comm_watch(ma_cuda_comm *comm); /* begins to watch */
void ma_cuda_comm_unwatch(ma_cuda_comm *comm);
/* Notes a call. The watcher records an event behind it, and gives the communicator up if the event is not done in
** time. */
void ma_cuda_comm_note(ma_cuda_comm *comm, ma_stream *stream, const ma_collective *call);
ma_status ma_cuda_comm_usable(ma_cuda_comm *comm);
/* Whether the capture on the stream, which ends now, recorded calls. A graph's calls are watched at each launch. */
bool ma_cuda_comm_recorded(const ma_stream *stream);
ma_status ma_cuda_comm_graph_usable(const ma_stream *stream); /* before a launch of such a graph */
void ma_cuda_comm_graph_note(ma_stream *stream);              /* behind it */

#pragma GCC visibility pop
#endif
