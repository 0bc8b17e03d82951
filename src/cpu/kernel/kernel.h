/* kernel.h: the backend's functions for modules that the user wrote (kernel.c). */
#ifndef MA_CPU_KERNEL_H
#define MA_CPU_KERNEL_H

#include "cpu/cpu.h"

#pragma GCC visibility push(hidden)

ma_status ma_cpu_module_open(ma_device *device, const ma_module_source *source, void **module);
void ma_cpu_module_close(ma_device *device, void *module);
ma_status ma_cpu_module_kernel(ma_device *device, void *module, const char *name, ma_kernel *kernel);
ma_status ma_cpu_module_global(ma_device *device, void *module, const char *name, void **address, size_t *nbytes);
ma_status ma_cpu_kernel_set(ma_kernel *kernel, const char *attribute, int value);
ma_status ma_cpu_launch(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch);

#pragma GCC visibility pop
#endif
