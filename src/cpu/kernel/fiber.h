/* fiber.h: runs the threads of a CUDA block on one thread of the system. Each system thread has a seat: the block
** that runs there, its shared memory, and stacks for threads that wait. */
#ifndef MA_FIBER_H
#define MA_FIBER_H

#include "cpu/cpu.h"
#include "kernels/cpu/cpu_cuda.h"

#pragma GCC visibility push(hidden)

#define MA_CPU_BLOCK_THREADS 1024

typedef struct ma_seat ma_seat;

/* The calling thread's seat, made at the first call and freed when the thread ends. */
ma_status ma_seat_get(ma_seat **seat);
/* Allocates `nbytes` of dynamic shared memory. */
ma_status ma_seat_shared(ma_seat *seat, size_t nbytes);
/* The block to run; the caller sets grid, block and argument. */
struct ma_cpu_block *ma_seat_block(ma_seat *seat);
/* Runs blocks from `first` to before `last`, and their threads, one after another, for kernels without waits. */
ma_status ma_seat_run(ma_seat *seat, const struct ma_cpu_entry *entry, int64_t first, int64_t last);
/* Runs the block of `index`, each thread on a stack of its own, so that it can wait. */
ma_status ma_seat_run_fibers(ma_seat *seat, const struct ma_cpu_entry *entry);

#pragma GCC visibility pop
#endif
