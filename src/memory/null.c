/* null.c: the null stream of each device. Opening a device sets its field `device`. */
#include "memory/memory.h"

static ma_stream of_cpu, of_gpus[MA_MAX_GPUS];

ma_stream *ma_device_null_stream(ma_device *device) { return ma_is_host(device) ? &of_cpu : &of_gpus[device->id]; }
