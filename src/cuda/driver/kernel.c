/*
** kernel.c: modules whose whole source the user wrote: compiled with the user's options, or taken from the cache, and
** loaded.
**
** Every open loads the image again, because each module has its own globals. A cached image is found by the text, the
** options, the name expressions and the contents of everything that the text includes, the toolkit's headers too.
*/
#include "compile/compile.h"
#include "cuda/driver/worker.h"
#include "compile/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A loaded module, with the lowered names of its expressions. */
typedef struct module {
  CUmodule handle;
  uint32_t generation; /* of the device; a reset unloads it */
  int nname;
  char *names; /* expression, 0, lowered name, 0, ... */
} module;

/* ---- Opening ---- */

/* Pairs the expressions with the names behind the image. */
static ma_status take_names(module *m, const ma_module_source *source, const ma_image *image) {
  uint32_t total = 0;
  if (image->size < sizeof total) return ma_fail(MA_ERR_INTERNAL, "a compiled module without its names");
  memcpy(&total, image->bytes + image->size - sizeof total, sizeof total);
  if (total > image->size - sizeof total) return ma_fail(MA_ERR_INTERNAL, "a compiled module without its names");
  const char *at = image->bytes + image->size - sizeof total - total, *end = at + total;
  size_t size = 0;
  for (int i = 0; i < source->nexpression; i++) size += strlen(source->expression[i]) + 1;
  m->names = malloc(size + total + 1);
  if (!m->names) return ma_fail(MA_ERR_MEMORY, "out of memory for the names of a module");
  char *to = m->names;
  for (int i = 0; i < source->nexpression && at < end; i++, m->nname++) {
    to = stpcpy(to, source->expression[i]) + 1;
    to = stpcpy(to, at) + 1;
    at += strlen(at) + 1;
  }
  return m->nname == source->nexpression ? MA_OK : ma_fail(MA_ERR_INTERNAL, "a compiled module without all its names");
}

static void forget(module *m) {
  free(m->names);
  m->names = NULL;
  m->nname = 0;
}

/* Where an image goes that was found for a module. */
typedef struct place_for {
  module *module;
  const ma_module_source *source;
} place_for;

static ma_status take(void *into, const ma_image *image) {
  const place_for *p = into;
  module *m = p->module;
  ma_status status = take_names(m, p->source, image);
  if (status == MA_OK) {
    CUresult result = ma_cu.cuModuleLoadData(&m->handle, image->bytes);
    if (result != CUDA_SUCCESS) status = ma_cuda_fail(MA_CU_cuModuleLoadData, result);
  }
  if (status != MA_OK) forget(m);
  return status;
}

ma_status ma_cuda_module_open(ma_device *device, const ma_module_source *source, void **opened) {
  ma_ctext text = { 0 }, key = { 0 };
  MA_TRY(ma_cuda_enter(device));
  module *m = calloc(1, sizeof *m);
  if (!m) return ma_fail(MA_ERR_MEMORY, "out of memory for a module");
  m->generation = device->generation;
  ma_module_text(&text, source);
  ma_status status = text.failed ? ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text")
                                 : ma_cuda_source_key(source, &text, &key);
  if (status == MA_OK) {
    ma_compile_show("module", ".cu", text.bytes);
    place_for to = { m, source };
    status = ma_cuda_find_source(
      &(ma_cuda_sought){ device->state, source->name, key.bytes, text.bytes, source, MA_CUDA_COMPILE, true, take, &to },
      &key, &text);
  }
  ma_ctext_free(&text);
  ma_ctext_free(&key);
  if (status == MA_OK) {
    *opened = m;
    return MA_OK;
  }
  forget(m);
  free(m);
  return status;
}

void ma_cuda_module_close(ma_device *device, void *opened) {
  module *m = opened;
  ma_cuda_send_all(true);
  /* If the driver has shut down, there is nothing to unload. */
  if (m->generation == device->generation && ma_cuda_enter(device) == MA_OK) ma_cu.cuModuleUnload(m->handle);
  forget(m);
  free(m);
}

/* ---- Kernels and globals ---- */

/* Whether two expressions are equal except for blanks. */
static bool same_expression(const char *a, const char *b) {
  for (;; a++, b++) {
    while (isspace((unsigned char)*a)) a++;
    while (isspace((unsigned char)*b)) b++;
    if (*a != *b) return false;
    if (!*a) return true;
  }
}

static const char *lowered(const module *m, const char *name) {
  const char *at = m->names;
  for (int i = 0; i < m->nname; i++) {
    const char *to = at + strlen(at) + 1;
    if (same_expression(at, name)) return to;
    at = to + strlen(to) + 1;
  }
  return name;
}

static ma_status read_attributes(CUfunction function, ma_kernel *kernel) {
  const struct {
    int *value;
    CUfunction_attribute which;
  } wanted[] = { { &kernel->max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK },
                 { &kernel->num_regs, CU_FUNC_ATTRIBUTE_NUM_REGS },
                 { &kernel->shared_size_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES },
                 { &kernel->const_size_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES },
                 { &kernel->local_size_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES },
                 { &kernel->ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION },
                 { &kernel->binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION },
                 { &kernel->max_dynamic_shared_size_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES },
                 { &kernel->preferred_shared_memory_carveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT } };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    MA_CU(cuFuncGetAttribute, wanted[i].value, wanted[i].which, function);
  return MA_OK;
}

/* Reads the sizes of a kernel's parameters, which drivers from 12.4 on know. The list ends at the first number that has
** no parameter. */
static void read_parameters(CUfunction function, ma_kernel *kernel) {
  size_t offset, size;
  kernel->nparam = -1;
  if (!ma_cu.cuFuncGetParamInfo) return;
  int n = 0;
  while (n < MA_MAX_KERNEL_PARAMS && ma_cu.cuFuncGetParamInfo(function, (size_t)n, &offset, &size) == CUDA_SUCCESS)
    kernel->param_size[n++] = (uint32_t)size;
  kernel->nparam = n;
}

ma_status ma_cuda_module_kernel(ma_device *device, void *opened, const char *name, ma_kernel *kernel) {
  const module *m = opened;
  CUfunction function;
  MA_TRY(ma_cuda_enter(device));
  CUresult result = ma_cu.cuModuleGetFunction(&function, m->handle, lowered(m, name));
  if (result == CUDA_ERROR_NOT_FOUND)
    return ma_fail(MA_ERR_VALUE,
                   "no kernel '%s' in the module; it must be extern \"C\", or be one of the name expressions", name);
  if (result != CUDA_SUCCESS) return ma_cuda_fail(MA_CU_cuModuleGetFunction, result);
  memset(kernel, 0, sizeof *kernel);
  kernel->device = device;
  kernel->handle = function;
  snprintf(kernel->name, sizeof kernel->name, "%s", name);
  read_parameters(function, kernel);
  return read_attributes(function, kernel);
}

ma_status ma_cuda_module_global(ma_device *device, void *opened, const char *name, void **address, size_t *nbytes) {
  const module *m = opened;
  CUdeviceptr ptr = 0;
  MA_TRY(ma_cuda_enter(device));
  CUresult result = ma_cu.cuModuleGetGlobal(&ptr, nbytes, m->handle, lowered(m, name));
  if (result == CUDA_ERROR_NOT_FOUND) return ma_fail(MA_ERR_VALUE, "no global '%s' in the module", name);
  if (result != CUDA_SUCCESS) return ma_cuda_fail(MA_CU_cuModuleGetGlobal, result);
  *address = (void *)(uintptr_t)ptr;
  return MA_OK;
}

ma_status ma_cuda_module_set(ma_kernel *kernel, const char *attribute, int value) {
  static const struct {
    const char *name;
    CUfunction_attribute which;
  } settable[] = { { "max_dynamic_shared_size_bytes", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES },
                   { "preferred_shared_memory_carveout", CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT } };
  const ma_cuda_device *d = kernel->device->state;
  for (size_t i = 0; i < sizeof settable / sizeof *settable; i++) {
    if (strcmp(settable[i].name, attribute)) continue;
    if (i == 0 && (value < 0 || value > d->max_shared - kernel->shared_size_bytes))
      return ma_fail(MA_ERR_VALUE, "%d bytes of dynamic shared memory; a block of this kernel may have 0 to %d on %s",
                     value, d->max_shared - kernel->shared_size_bytes, kernel->device->name);
    if (i == 1 && (value < -1 || value > 100))
      return ma_fail(MA_ERR_VALUE, "a carveout of %d; wanted -1 or 0 to 100 percent", value);
    MA_TRY(ma_cuda_enter(kernel->device));
    MA_CU(cuFuncSetAttribute, kernel->handle, settable[i].which, value);
    return read_attributes(kernel->handle, kernel);
  }
  return ma_fail(MA_ERR_VALUE, "the attribute '%s' cannot be set", attribute);
}

ma_status ma_cuda_module_launch(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch) {
  MA_TRY(ma_cuda_enter(stream->device));
  return ma_cuda_launch_shape(stream, kernel->handle, launch, kernel->name);
}
