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

/* A communicator, and what watch.c knows of its last calls. But for the first four all needs its lock. */
typedef struct ma_cuda_comm {
  ma_nccl_comm handle;
  ma_device *device;
  int size, rank;
  struct ma_cuda_comm *next;
  bool called, waiting; /* there were calls since the event was recorded; the event was not seen done */
  bool looked_at;       /* by the looker, which has left the lock */
  bool broken;          /* atomic */
  ma_stream *recording; /* a capture on it has calls */
  bool in_graph;        /* a graph has calls */
  CUevent event;
  ma_stream *stream;
  double entered; /* when a call of NCCL began that has not returned; else 0 */
  double begun;   /* when the event was recorded, or the first call after an event that is done was made */
  double limit;
  char name[40];
} ma_cuda_comm;

void ma_cuda_comm_watch(ma_cuda_comm *comm); /* begins to watch */
void ma_cuda_comm_unwatch(ma_cuda_comm *comm);
/* A call is noted before NCCL's function is called, and behind it. If it is not done in time, the communicator is given
** up. */
void ma_cuda_comm_enter(ma_cuda_comm *comm, const ma_collective *call);
void ma_cuda_comm_note(ma_cuda_comm *comm, ma_stream *stream);
ma_status ma_cuda_comm_usable(ma_cuda_comm *comm);
/* Whether the capture on the stream, which ends now, recorded calls. A graph's calls are watched at each launch. */
bool ma_cuda_comm_recorded(const ma_stream *stream);
ma_status ma_cuda_comm_graph_enter(const ma_stream *stream); /* before a launch of such a graph */
void ma_cuda_comm_graph_note(ma_stream *stream);             /* behind it */

#pragma GCC visibility pop
#endif
