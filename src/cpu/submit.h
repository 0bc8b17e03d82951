/* submit.h: the one way in which the CPU backend does its work. A slot of its tables fills a job and submits it as a
** task. So every slot is recorded while its stream records a graph, and is printed under MOONARRAY_DEBUG=2 or noted on
** a timeline. */
#ifndef MA_CPU_SUBMIT_H
#define MA_CPU_SUBMIT_H

#include "timeline/timeline.h"
#include "program/program.h"

#pragma GCC visibility push(hidden)

typedef struct ma_task {
  const char *name;                        /* name of the operation */
  const char *(*name_of)(const void *job); /* name that depends on the job; may be NULL */
  ma_status (*run)(ma_stream *stream, const void *job);
  /* Bytes read and written, each operand once. Called after the run; NULL: unknown. */
  int64_t (*bytes)(const void *job);
  /* Why a graph cannot record it, for ma_capture_refuse_work; "": because it returns a value to the host; NULL: it
  ** can. */
  const char *refused;
  /* `size` and `copy` copy the job for a graph. The copy owns everything that the job points to but arrays' memory.
  ** NULL: a copy of the job's bytes is enough. */
  size_t (*size)(const void *job);
  void (*copy)(void *to, const void *job);
} ma_task;

ma_status ma_cpu_submit_slowly(ma_stream *stream, const ma_task *task, const void *job, size_t size);
static inline ma_status ma_cpu_submit(ma_stream *stream, const ma_task *task, const void *job, size_t size) {
  if (__builtin_expect(!stream->capture && __atomic_load_n(&ma_observing, __ATOMIC_RELAXED) == MA_OBSERVE_NOTHING, 1))
    return task->run(stream, job);
  return ma_cpu_submit_slowly(stream, task, job, size);
}

/* A slot whose job is all that it is given: MA_CPU_SLOT(ma_cpu_sort_search, ma_search, .name = ..., .run = ...). */
#define MA_CPU_SLOT(function, job, ...)                      \
  ma_status function(ma_stream *stream, const job *what) {   \
    static const ma_task task = { __VA_ARGS__ };             \
    return ma_cpu_submit(stream, &task, what, sizeof *what); \
  }

/* The bytes of one operand of a space. Each element counts once. */
int64_t ma_cpu_operand_bytes(const ma_space *space, int operand, ma_dtype dtype);
/* The bytes of a program's operands, in a space that begins with `first` results. Those count only if `results`. */
int64_t ma_cpu_program_bytes(const ma_program *program, const ma_space *space, int first, bool results);
const char *ma_cpu_program_name(const ma_program *program);
/* Copies the raw arrays of a program whose text is the user's. `to` has MA_MAX_RAW of them. NULL: it has none. */
const ma_raw *ma_cpu_copy_raw(ma_raw *to, const ma_raw *from, const ma_program *program);

/* Runs the task at once, even while the stream records. */
ma_status ma_cpu_run(ma_stream *stream, const ma_task *task, const void *job);
/* graph.c: keeps a copy of the job, to run at each launch. */
ma_status ma_cpu_record(ma_stream *stream, const ma_task *task, const void *job, size_t size);

#pragma GCC visibility pop
#endif
