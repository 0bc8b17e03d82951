/*
** module.c: modules of the pretended driver: an image is a shared library behind its size, and PTX is that as text, or
** the text of a kernel, which is compiled here.
*/
#include "compile.h"
#include "cuda/cuda.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define PASS(name, parameters) EXPORT CUresult name parameters

/* The image of a text. */
static char *compile(const char *text, size_t *size) {
  pretend_text late = { .text = (char *)text };
  if (!pretend_compile(&late, "") && late.log) fprintf(stderr, "pretended driver: %s\n", late.log);
  free(late.log);
  *size = late.size;
  return late.image;
}

/* PTX as nvrtc.c writes it, as an image; NULL: it is none. */
static char *image_of(const char *ptx, size_t *size) {
  if (!strncmp(ptx, PRETEND_LATE, strlen(PRETEND_LATE))) return compile(ptx + strlen(PRETEND_LATE), size);
  size_t head = strlen(PRETEND_PTX);
  if (strncmp(ptx, PRETEND_PTX, head)) return NULL;
  *size = strspn(ptx + head, "abcdefghijklmnop") / 2;
  char *image = malloc(*size + 1);
  for (size_t k = 0; k < *size; k++) image[k] = (char)((ptx[head + 2 * k] - 'a') << 4 | (ptx[head + 2 * k + 1] - 'a'));
  return image;
}

/* PRETEND_IDLE=1: any image loads, has any kernel and any variable, and its kernels do nothing. */
static bool is_idle(void) {
  const char *text = getenv("PRETEND_IDLE");
  return text && atoi(text);
}
static void do_nothing(const unsigned *grid, const unsigned *block, void **parameters) {
  if (!grid) *(size_t *)parameters = 0; /* it has no parameters */
}
static char nothing[65536];

struct CUlinkState_st {
  char *image;
  size_t size;
};
PASS(cuLinkCreate_v2, (unsigned n, CUjit_option *option, void **value, CUlinkState *link))
{
  *link = calloc(1, sizeof **link);
  return 0;
}
PASS(cuLinkAddData_v2,
     (CUlinkState link, int kind, void *bytes, size_t size, const char *name, unsigned n, int *option, void **value))
{
  if (is_idle() && (link->image = malloc(size))) memcpy(link->image, bytes, link->size = size);
  else link->image = image_of(bytes, &link->size);
  return link->image ? 0 : CUDA_ERROR_INVALID_IMAGE;
}
PASS(cuLinkComplete, (CUlinkState link, void **image, size_t *size))
{
  *image = link->image;
  *size = link->size;
  return 0;
}
PASS(cuLinkDestroy, (CUlinkState link))
{
  free(link->image);
  free(link);
  return 0;
}
PASS(cuModuleLoadData, (CUmodule * module, const void *image))
{
  size_t size;
  char path[] = "/tmp/pretend-XXXXXX";
  if (is_idle()) {
    *module = (CUmodule)nothing;
    return 0;
  }
  int fd = mkstemp(path);
  if (fd < 0) return CUDA_ERROR_INVALID_VALUE;
  char *finished = image_of(image, &size);
  if (finished) image = finished;
  memcpy(&size, image, sizeof size);
  bool ok = write(fd, (const char *)image + sizeof size, size) == (ssize_t)size;
  close(fd);
  free(finished);
  *module = ok ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  unlink(path);
  return *module ? 0 : CUDA_ERROR_INVALID_IMAGE;
}
PASS(cuModuleUnload, (CUmodule module))
{ return 0; }
PASS(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))
{
  char symbol[256];
  if (is_idle()) {
    *function = (CUfunction)do_nothing;
    return 0;
  }
  snprintf(symbol, sizeof symbol, "pretend_%s", name);
  *function = dlsym(module, symbol);
  return *function ? 0 : CUDA_ERROR_NOT_FOUND;
}
/* The one size that an image tells: the symbol's. */
PASS(cuModuleGetGlobal_v2, (CUdeviceptr * ptr, size_t *nbytes, CUmodule module, const char *name))
{
  Dl_info info;
  const ElfW(Sym) *symbol = NULL;
  if (is_idle()) {
    *ptr = (uintptr_t)nothing;
    *nbytes = sizeof nothing;
    return 0;
  }
  void *address = dlsym(module, name);
  if (!address || !dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return CUDA_ERROR_NOT_FOUND;
  *ptr = (uintptr_t)address;
  *nbytes = symbol->st_size;
  return 0;
}
