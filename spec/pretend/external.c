/*
** external.c: memory and semaphores of other interfaces in the pretended driver. Memory is the file behind a
** descriptor, which is mapped. A semaphore is a file that begins with a counter of 64 bits, so that another process can
** be the other side; one without a value is 1 while it is signalled. As with the real driver, a descriptor that was
** taken belongs to the driver, and buffers are freed by cuMemFree. A wait is over at once or within ten seconds.
*/
#include "external.h"

#include "cuda/cuda.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define PASS(name, parameters) EXPORT CUresult name parameters

struct CUextMemory_st {
  int fd;
  size_t size;
};
struct CUextSemaphore_st {
  int type;
  uint64_t *counter;
};
#define MOST 256
static struct {
  void *address;
  size_t size;
} maps[MOST];

static void *map_file(int fd, size_t size) {
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return p == MAP_FAILED ? NULL : p;
}
static bool has(int fd, size_t size) {
  struct stat about;
  return fstat(fd, &about) == 0 && (size_t)about.st_size >= size;
}

PASS(cuImportExternalMemory, (CUexternalMemory * memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *d))
{
  if (d->type != 1 || !has(d->handle.fd, d->size)) return CUDA_ERROR_INVALID_VALUE;
  *memory = malloc(sizeof **memory);
  **memory = (struct CUextMemory_st){ d->handle.fd, d->size };
  return 0;
}
PASS(cuExternalMemoryGetMappedBuffer, (CUdeviceptr * p, CUexternalMemory m, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *d))
{
  int k = 0;
  while (k < MOST && maps[k].address) k++;
  void *address = k < MOST && d->offset == 0 && d->size <= m->size ? map_file(m->fd, d->size) : NULL;
  if (!address) return CUDA_ERROR_INVALID_VALUE;
  maps[k].address = address;
  maps[k].size = d->size;
  *p = (CUdeviceptr)(uintptr_t)address;
  return 0;
}
bool external_unmap(void *address) {
  for (int k = 0; address && k < MOST; k++) {
    if (maps[k].address != address) continue;
    munmap(address, maps[k].size);
    maps[k].address = NULL;
    return true;
  }
  return false;
}
PASS(cuDestroyExternalMemory, (CUexternalMemory m))
{
  close(m->fd);
  free(m);
  return 0;
}

PASS(cuImportExternalSemaphore, (CUexternalSemaphore * semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *d))
{
  uint64_t *counter = (d->type == 1 || d->type == 9) && has(d->handle.fd, 8) ? map_file(d->handle.fd, 8) : NULL;
  if (!counter) return CUDA_ERROR_INVALID_VALUE;
  *semaphore = malloc(sizeof **semaphore);
  **semaphore = (struct CUextSemaphore_st){ d->type, counter };
  close(d->handle.fd);
  return 0;
}
PASS(cuDestroyExternalSemaphore, (CUexternalSemaphore s))
{
  munmap(s->counter, 8);
  free(s);
  return 0;
}
PASS(cuWaitExternalSemaphoresAsync,
     (const CUexternalSemaphore *s, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *how, unsigned n, CUstream stream))
{
  uint64_t *counter = (*s)->counter, wanted = (*s)->type == 9 ? how->value : 1;
  for (int k = 0; __atomic_load_n(counter, __ATOMIC_ACQUIRE) < wanted; k++) {
    if (k == 100000) return CUDA_ERROR_LAUNCH_TIMEOUT;
    nanosleep(&(struct timespec){ 0, 100000 }, NULL);
  }
  if ((*s)->type == 1) __atomic_store_n(counter, 0, __ATOMIC_RELEASE);
  return 0;
}
PASS(cuSignalExternalSemaphoresAsync,
     (const CUexternalSemaphore *s, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *how, unsigned n, CUstream stream))
{
  __atomic_store_n((*s)->counter, (*s)->type == 9 ? how->value : 1, __ATOMIC_RELEASE);
  return 0;
}

/* The number of a device is the first byte. LUIDs are Windows' alone, unless PRETEND_LUID is set. */
PASS(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))
{
  for (int k = 0; k < 16; k++) uuid->bytes[k] = (char)(k ? 0xa0 + k : device + 1);
  return 0;
}
PASS(cuDeviceGetLuid, (char *luid, unsigned *nodes, CUdevice device))
{
  if (!getenv("PRETEND_LUID")) return 801; /* CUDA_ERROR_NOT_SUPPORTED */
  for (int k = 0; k < 8; k++) luid[k] = (char)(k ? 0xb0 + k : device + 1);
  *nodes = 1;
  return 0;
}
