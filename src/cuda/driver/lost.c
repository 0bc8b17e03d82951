/*
** lost.c: a kernel that faults (a bad address, a trap) destroys the whole context: from then on the driver answers
** every call with the same error, whoever makes it. This file finds the kernel's name and marks the device, so that
** every later call fails at once with the same clear message. Errors of other calls are made here too.
*/
#include "cuda/cuda.h"

#include <stdio.h>
#include <string.h>

static ma_device *devices[MA_CUDA_MAX_DEVICES];
static int ndevice;

void ma_cuda_register(ma_device *device) {
  if (ndevice < MA_CUDA_MAX_DEVICES) devices[ndevice++] = device;
}

const ma_device *ma_cuda_registered(int k) { return k < ndevice ? devices[k] : NULL; }

/* ---- Finding the kernel ---- */

void ma_cuda_trail_note(ma_stream *stream, const char *name, bool own) {
  ma_cuda_trail *t = &ma_cuda_state(stream)->trail;
  uint32_t at = __atomic_fetch_add(&t->count, 1, __ATOMIC_RELAXED) % MA_CUDA_TRAIL;
  __atomic_store_n(&t->last[at].stream, stream, __ATOMIC_RELAXED);
  __atomic_store_n(&t->last[at].own, own, __ATOMIC_RELAXED);
  memccpy(t->last[at].name, name, 0, sizeof t->last[at].name - 1); /* the last byte is never written and stays 0 */
}

void ma_cuda_trail_clear(const ma_device *device, const ma_stream *stream) {
  ma_cuda_trail *t = &((ma_cuda_device *)device->state)->trail;
  for (int i = 0; i < MA_CUDA_TRAIL; i++)
    if (!stream || __atomic_load_n(&t->last[i].stream, __ATOMIC_RELAXED) == stream)
      __atomic_store_n(&t->last[i].stream, NULL, __ATOMIC_RELAXED);
}

/* Lists the kernels that may have faulted, the last launched first. If some were written by the user, only those. */
static int list_suspects(const ma_cuda_trail *t, const char **names) {
  bool own = false;
  int n = 0;
  for (int i = 0; i < MA_CUDA_TRAIL; i++) own |= t->last[i].stream && t->last[i].own;
  for (uint32_t k = 1; k <= MA_CUDA_TRAIL; k++) {
    uint32_t at = (t->count - k) % MA_CUDA_TRAIL;
    bool known = false;
    if (!t->last[at].stream || (own && !t->last[at].own)) continue;
    for (int j = 0; j < n; j++) known |= !strcmp(names[j], t->last[at].name);
    if (!known) names[n++] = t->last[at].name;
  }
  return n;
}

static void print_suspects(const ma_cuda_trail *t, char *text, size_t size) {
  const char *names[MA_CUDA_TRAIL];
  int n = list_suspects(t, names), at = 0;
  if (n == 0) {
    snprintf(text, size, "its work");
    return;
  }
  if (n > 1) at = snprintf(text, size, "one of the kernels ");
  else at = snprintf(text, size, "the kernel ");
  for (int i = 0; i < n && at < (int)size; i++)
    at += snprintf(text + at, size - (size_t)at, "%s'%s'", i == 0 ? "" : i == n - 1 ? " and " : ", ", names[i]);
  if (n > 1 && at < (int)size)
    snprintf(text + at, size - (size_t)at, " (the last one first; MOONARRAY_SYNC=1 tells which)");
}

/* ---- Marking the device ---- */

bool ma_cuda_is_sticky(CUresult result) {
  static const CUresult sticky[] = {
    CUDA_ERROR_ILLEGAL_ADDRESS,       CUDA_ERROR_LAUNCH_TIMEOUT,      CUDA_ERROR_ASSERT,
    CUDA_ERROR_HARDWARE_STACK_ERROR,  CUDA_ERROR_ILLEGAL_INSTRUCTION, CUDA_ERROR_MISALIGNED_ADDRESS,
    CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_PC,          CUDA_ERROR_LAUNCH_FAILED,
    CUDA_ERROR_ECC_UNCORRECTABLE
  };
  for (size_t i = 0; i < sizeof sticky / sizeof *sticky; i++)
    if (result == sticky[i]) return true;
  return false;
}

static ma_device *current_device(void) {
  CUcontext current = NULL;
  if (ma_cu.cuCtxGetCurrent(&current) != CUDA_SUCCESS) current = NULL;
  for (int i = 0; i < ndevice; i++)
    if (((ma_cuda_device *)devices[i]->state)->context == current) return devices[i];
  return NULL;
}

static _Thread_local bool resetting; /* during a reset, an error is a result of the reset and not of a kernel */

void ma_cuda_note_reset(bool on) { resetting = on; }

ma_status ma_cuda_lose(CUresult result) {
  char who[512];
  const char *name = NULL;
  const ma_device *device = current_device();
  if (ma_cu.cuGetErrorName(result, &name) != CUDA_SUCCESS || !name) name = "unknown error";
  if (resetting) return ma_fail(MA_ERR_DEVICE, "%s (%d)", name, result);
  if (!device) return ma_fail(MA_ERR_DEVICE, "a kernel failed: %s (%d); the process must be restarted", name, result);
  ma_cuda_device *d = device->state;
  if (!__atomic_load_n(&d->lost, __ATOMIC_ACQUIRE)) {
    print_suspects(&d->trail, who, sizeof who);
    snprintf(d->cause, sizeof d->cause, "%s failed: %s (%d)", who, name, result);
    snprintf(d->why, sizeof d->why,
             "device %s: %s; the device needs ma.cuda.reset(), which loses its arrays, or a restart where the driver "
             "refuses that",
             device->name, d->cause);
    __atomic_store_n(&d->lost, 1, __ATOMIC_RELEASE);
  }
  return ma_fail(MA_ERR_DEVICE, "%s", d->why);
}

/* ---- Errors ---- */

ma_status ma_cuda_fail(ma_cuda_symbol symbol, CUresult result) {
  const char *name = NULL;
  if (!ma_cu.cuGetErrorName || ma_cu.cuGetErrorName(result, &name) != CUDA_SUCCESS || !name) name = "unknown error";
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return ma_fail(MA_ERR_MEMORY, "%s: %s (%d): out of memory", ma_cuda_symbol_name(symbol), name, result);
  if (ma_cuda_is_sticky(result)) return ma_cuda_lose(result);
  return ma_fail(MA_ERR_DEVICE, "%s: %s (%d)", ma_cuda_symbol_name(symbol), name, result);
}
