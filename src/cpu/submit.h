/*
** submit.h: the one way in which the CPU does what a slot of its tables is asked for. A slot fills a job and submits it
** as a task; so each is recorded where its stream records a graph, and told of under MOONARRAY_DEBUG=2.
*/
#ifndef MA_CPU_SUBMIT_H
#define MA_CPU_SUBMIT_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

typedef struct ma_task {
  const char *name;                        /* of the operation */
  const char *(*name_of)(const void *job); /* where it depends on the job; NULL: it does not */
  ma_status (*run)(ma_stream *stream, const void *job);
  int64_t (*bytes)(const void *job); /* read and written, each operand once; asked after it ran. NULL: not known */
  /* why a graph cannot have it, as ma_capture_refuse_work says it, or "": it tells the host something; NULL: it can */
  const char *refused;
  /* A copy for a graph has its own of all that the job points to, but for arrays' memory. NULL: the job's bytes are
  ** enough. */
  size_t (*size)(const void *job);
  void (*copy)(void *to, const void *job);
} ma_task;

extern int ma_cpu_watching; /* 1: nobody looks; 0: not known yet */

ma_status ma_cpu_submit_slowly(ma_stream *stream, const ma_task *task, const void *job, size_t size);
static inline ma_status ma_cpu_submit(ma_stream *stream, const ma_task *task, const void *job, size_t size) {
  if (__builtin_expect(!stream->capture && __atomic_load_n(&ma_cpu_watching, __ATOMIC_RELAXED) == 1, 1))
    return task->run(stream, job);
  return ma_cpu_submit_slowly(stream, task, job, size);
}

/* At once, whatever the stream does. */
ma_status ma_cpu_run(ma_stream *stream, const ma_task *task, const void *job);
/* graph.c: keeps a copy of the job for each launch. */
ma_status ma_cpu_record(ma_stream *stream, const ma_task *task, const void *job, size_t size);

#pragma GCC visibility pop
#endif
