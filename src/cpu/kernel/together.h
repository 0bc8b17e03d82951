/* together.h: blocks of a cooperative launch, which wait for each other (together.c). */
#ifndef MA_CPU_TOGETHER_H
#define MA_CPU_TOGETHER_H

#include "cpu/cpu.h"
#include "kernels/cpu/cpu_cuda.h"

#pragma GCC visibility push(hidden)

#define MA_CPU_MOST_TOGETHER 256 /* blocks of a cooperative launch */

typedef struct ma_meeting ma_meeting;

/* What `meet` of a block calls: its `meeting` is the one that run_block was given. */
void ma_cpu_meet(struct ma_cpu_block *block);

/* Runs run_block(context, meeting, k) for all blocks at the same time, each in a thread of the system. Nobody waits for
** a block that has ended. */
typedef ma_status ma_block_function(void *context, ma_meeting *meeting, int64_t block);
ma_status ma_cpu_run_together(int64_t blocks, ma_block_function *run_block, void *context);

#pragma GCC visibility pop
#endif
