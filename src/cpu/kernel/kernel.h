/* kernel.h: the backend's functions for modules that the user wrote (kernel.c). */
#ifndef MA_CPU_KERNEL_H
#define MA_CPU_KERNEL_H

#include "cpu/cpu.h"

#pragma GCC visibility push(hidden)

ma_status ma_cpu_launch(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch);

#pragma GCC visibility pop
#endif
