/* pool.c: memory pools of the pretended driver, which keep nothing. */
#include "cuda/cuda.h"

#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))
#define PASS(name, parameters) EXPORT CUresult name parameters

CUresult cuMemAlloc_v2(CUdeviceptr *ptr, size_t nbytes);
CUresult cuMemFree_v2(CUdeviceptr ptr);

PASS(cuMemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps *props))
{
  *pool = malloc(1);
  return 0;
}
PASS(cuMemPoolDestroy, (CUmemoryPool pool))
{
  free(pool);
  return 0;
}
PASS(cuMemPoolTrimTo, (CUmemoryPool pool, size_t keep))
{ return 0; }
PASS(cuMemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute which, void *value))
{ return 0; }
PASS(cuMemAllocFromPoolAsync, (CUdeviceptr * ptr, size_t nbytes, CUmemoryPool pool, CUstream s))
{ return cuMemAlloc_v2(ptr, nbytes); }
PASS(cuMemFreeAsync, (CUdeviceptr ptr, CUstream s))
{ return cuMemFree_v2(ptr); }
