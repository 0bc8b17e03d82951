/*
** pretend.c: a DLL with every name that the library asks of NVIDIA's, to try where the loader looks (windows/spec). It
** stands for each of them under its name: nvcuda.dll, nvrtc64_120_0.dll, ... There is no device in it.
*/
#define MINOR (PRETEND_MAJOR == 11 ? 8 : 1)
#define OFFER(name) __declspec(dllexport) int name

OFFER(cuInit)(unsigned flags) { return 100; } /* CUDA_ERROR_NO_DEVICE */
OFFER(cuDriverGetVersion)(int *version) { return *version = PRETEND_MAJOR * 1000 + 10 * MINOR, 0; }
OFFER(nvrtcVersion)(int *major, int *minor) { return *major = PRETEND_MAJOR, *minor = MINOR, 0; }

#define cuInit cuInit_again
#define cuDriverGetVersion cuDriverGetVersion_again
#define nvrtcVersion nvrtcVersion_again
#define SYMBOL(library, name, exported, result, parameters) \
  OFFER(exported)(void) { return 0; }
#include "cuda/driver/symbols.def"
