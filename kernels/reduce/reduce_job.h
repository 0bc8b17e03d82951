/* reduce_job.h: the parameters of a compiled ReductionKernel on the CPU, for src/cpu/kernel/body_reduce.c and the
** text that it runs. */
#ifndef MOONARRAY_REDUCE_JOB_H
#define MOONARRAY_REDUCE_JOB_H

#define JOB_OPERANDS 20
#define JOB_NDIM 16

struct ma_reduce_job {
  int64_t count, nspan, span; /* elements of a result; its spans; elements of a span */
  int64_t nkept, ndim, total;
  const int64_t *shape;                /* kept axes, then reduced ones */
  const int64_t *stride[JOB_OPERANDS]; /* results, inputs, the index */
  char *data[JOB_OPERANDS];
  const char *scalar;        /* 16 bytes each, in memory form */
  char *const *raw;          /* data of each raw array */
  const int64_t *raw_number; /* for each raw array: its size, then JOB_NDIM extents and as many strides in bytes */
  char *partial;             /* a partial result for each span, in order */
};

#endif
