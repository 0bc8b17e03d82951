/* gl.c: OpenGL's side of the pretended driver. In a program with a context of SDL's, the buffers and 2D images are
** those of that context: their bytes are fetched when they are mapped and given back when they are unmapped. In one
** without, the names 1 to 8 are buffers of 4096 bytes, and images of 8 by 4: odd ones have four uint8 a pixel, even
** ones one float. */
#include "cuda/cuda.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define PASS(name, parameters) EXPORT CUresult name parameters

struct CUarray_st {
  CUDA_ARRAY_DESCRIPTOR shape;
  char *data;
  size_t pitch;
};
struct CUgraphicsResource_st {
  bool registered, mapped, image, of_context, keeps; /* keeps: what is written is not given back */
  unsigned id;
  int format, type; /* of an image's texels, as OpenGL has them */
  char *data;
  size_t nbytes;
  struct CUarray_st array;
};

/* ==== A context =================================================================================================== */

enum {
  ARRAY_BUFFER = 0x8892,
  ARRAY_BUFFER_BINDING = 0x8894,
  BUFFER_SIZE = 0x8764,
  TEXTURE_2D = 0x0DE1,
  TEXTURE_BINDING_2D = 0x8069,
  TEXTURE_WIDTH = 0x1000,
  TEXTURE_HEIGHT = 0x1001,
  TEXTURE_INTERNAL_FORMAT = 0x1003,
  PACK_ALIGNMENT = 0x0D05,
  UNPACK_ALIGNMENT = 0x0CF5
};

/* OpenGL's functions, as SDL finds them. */
static struct {
  void (*GetIntegerv)(unsigned, int *);
  void (*PixelStorei)(unsigned, int);
  void (*BindTexture)(unsigned, unsigned);
  void (*GetTexLevelParameteriv)(unsigned, int, unsigned, int *);
  void (*GetTexImage)(unsigned, int, unsigned, unsigned, void *);
  void (*TexSubImage2D)(unsigned, int, int, int, int, int, unsigned, unsigned, const void *);
  unsigned char (*IsTexture)(unsigned);
  unsigned char (*IsBuffer)(unsigned);
  void (*BindBuffer)(unsigned, unsigned);
  void (*GetBufferParameteriv)(unsigned, unsigned, int *);
  void (*GetBufferSubData)(unsigned, ptrdiff_t, ptrdiff_t, void *);
  void (*BufferSubData)(unsigned, ptrdiff_t, ptrdiff_t, const void *);
} gl;

static bool has_context(void) {
  static const char *const names[] = {
    "glGetIntegerv", "glPixelStorei",          "glBindTexture",      "glGetTexLevelParameteriv",
    "glGetTexImage", "glTexSubImage2D",        "glIsTexture",        "glIsBuffer",
    "glBindBuffer",  "glGetBufferParameteriv", "glGetBufferSubData", "glBufferSubData"
  };
  void *(*current)(void) = NULL, *(*find)(const char *) = NULL;
  *(void **)&current = dlsym(RTLD_DEFAULT, "SDL_GL_GetCurrentContext");
  *(void **)&find = dlsym(RTLD_DEFAULT, "SDL_GL_GetProcAddress");
  if (!current || !find || !current()) return false;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    void *function = find(names[k]);
    if (!function) return false;
    memcpy((char *)&gl + k * sizeof function, &function, sizeof function);
  }
  return true;
}

static const struct {
  int internal, format, type;
  int element;
  unsigned channels;
  size_t itemsize;
} formats[] = {
  { 0x8229, 0x1903, 0x1401, CU_AD_FORMAT_UNSIGNED_INT8, 1, 1 },  /* R8 */
  { 0x822B, 0x8227, 0x1401, CU_AD_FORMAT_UNSIGNED_INT8, 2, 1 },  /* RG8 */
  { 0x8058, 0x1908, 0x1401, CU_AD_FORMAT_UNSIGNED_INT8, 4, 1 },  /* RGBA8 */
  { 0x822A, 0x1903, 0x1403, CU_AD_FORMAT_UNSIGNED_INT16, 1, 2 }, /* R16 */
  { 0x822C, 0x8227, 0x1403, CU_AD_FORMAT_UNSIGNED_INT16, 2, 2 }, /* RG16 */
  { 0x805B, 0x1908, 0x1403, CU_AD_FORMAT_UNSIGNED_INT16, 4, 2 }, /* RGBA16 */
  { 0x822D, 0x1903, 0x140B, CU_AD_FORMAT_HALF, 1, 2 },           /* R16F */
  { 0x822F, 0x8227, 0x140B, CU_AD_FORMAT_HALF, 2, 2 },           /* RG16F */
  { 0x881A, 0x1908, 0x140B, CU_AD_FORMAT_HALF, 4, 2 },           /* RGBA16F */
  { 0x822E, 0x1903, 0x1406, CU_AD_FORMAT_FLOAT, 1, 4 },          /* R32F */
  { 0x8230, 0x8227, 0x1406, CU_AD_FORMAT_FLOAT, 2, 4 },          /* RG32F */
  { 0x8814, 0x1908, 0x1406, CU_AD_FORMAT_FLOAT, 4, 4 }           /* RGBA32F */
};

static int ask(unsigned what) {
  int value = 0;
  gl.GetIntegerv(what, &value);
  return value;
}

static bool describe_image(struct CUgraphicsResource_st *r) {
  int width = 0, height = 0, internal = 0, before = ask(TEXTURE_BINDING_2D);
  gl.BindTexture(TEXTURE_2D, r->id);
  gl.GetTexLevelParameteriv(TEXTURE_2D, 0, TEXTURE_WIDTH, &width);
  gl.GetTexLevelParameteriv(TEXTURE_2D, 0, TEXTURE_HEIGHT, &height);
  gl.GetTexLevelParameteriv(TEXTURE_2D, 0, TEXTURE_INTERNAL_FORMAT, &internal);
  gl.BindTexture(TEXTURE_2D, (unsigned)before);
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
    if (formats[k].internal != internal) continue;
    r->format = formats[k].format, r->type = formats[k].type;
    r->array.shape = (CUDA_ARRAY_DESCRIPTOR){ (size_t)width, (size_t)height, formats[k].element, formats[k].channels };
    r->array.pitch = (size_t)width * formats[k].channels * formats[k].itemsize;
    r->nbytes = r->array.pitch * (size_t)height;
    return r->nbytes > 0;
  }
  return false;
}

static bool describe_buffer(struct CUgraphicsResource_st *r) {
  int size = 0, before = ask(ARRAY_BUFFER_BINDING);
  gl.BindBuffer(ARRAY_BUFFER, r->id);
  gl.GetBufferParameteriv(ARRAY_BUFFER, BUFFER_SIZE, &size);
  gl.BindBuffer(ARRAY_BUFFER, (unsigned)before);
  r->nbytes = (size_t)size;
  return size > 0;
}

static CUresult register_real(CUgraphicsResource *result, unsigned id, unsigned flags, bool image) {
  struct CUgraphicsResource_st *r = calloc(1, sizeof *r);
  if (!r) return CUDA_ERROR_OUT_OF_MEMORY;
  *r = (struct CUgraphicsResource_st){ .registered = true,
                                       .image = image,
                                       .of_context = true,
                                       .id = id,
                                       .keeps = flags == CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY };
  bool known = image ? gl.IsTexture(id) && describe_image(r) : gl.IsBuffer(id) && describe_buffer(r);
  if (known) r->data = aligned_alloc(512, (r->nbytes + 511) / 512 * 512);
  if (!r->data) {
    free(r);
    return CUDA_ERROR_INVALID_VALUE;
  }
  r->array.data = r->data;
  *result = r;
  return 0;
}

static void move_image(const struct CUgraphicsResource_st *r, bool back) {
  unsigned kind = back ? UNPACK_ALIGNMENT : PACK_ALIGNMENT;
  int before = ask(TEXTURE_BINDING_2D), alignment = ask(kind);
  gl.BindTexture(TEXTURE_2D, r->id);
  gl.PixelStorei(kind, 1);
  if (!back) gl.GetTexImage(TEXTURE_2D, 0, (unsigned)r->format, (unsigned)r->type, r->data);
  else
    gl.TexSubImage2D(TEXTURE_2D, 0, 0, 0, (int)r->array.shape.Width, (int)r->array.shape.Height, (unsigned)r->format,
                     (unsigned)r->type, r->data);
  gl.PixelStorei(kind, alignment);
  gl.BindTexture(TEXTURE_2D, (unsigned)before);
}

static void move_buffer(const struct CUgraphicsResource_st *r, bool back) {
  int before = ask(ARRAY_BUFFER_BINDING);
  gl.BindBuffer(ARRAY_BUFFER, r->id);
  if (back) gl.BufferSubData(ARRAY_BUFFER, 0, (ptrdiff_t)r->nbytes, r->data);
  else gl.GetBufferSubData(ARRAY_BUFFER, 0, (ptrdiff_t)r->nbytes, r->data);
  gl.BindBuffer(ARRAY_BUFFER, (unsigned)before);
}

/* ==== The driver's functions ====================================================================================== */

static struct CUgraphicsResource_st things[2][9];
static _Alignas(512) char bytes_of_things[2][9][4096];

static CUresult register_thing(CUgraphicsResource *r, unsigned id, unsigned flags, bool image) {
  if (has_context()) return register_real(r, id, flags, image);
  if (id < 1 || id > 8 || things[image][id].registered) return CUDA_ERROR_INVALID_VALUE;
  *r = &things[image][id];
  (*r)->registered = true;
  (*r)->image = image;
  (*r)->data = (*r)->array.data = bytes_of_things[image][id];
  (*r)->nbytes = sizeof bytes_of_things[image][id];
  (*r)->array.shape = (CUDA_ARRAY_DESCRIPTOR){ 8, 4, id % 2 ? CU_AD_FORMAT_UNSIGNED_INT8 : CU_AD_FORMAT_FLOAT,
                                               id % 2 ? 4 : 1 };
  (*r)->array.pitch = 64;
  return 0;
}
static CUresult set_mapped(CUgraphicsResource r, bool on) {
  if (!r->registered || r->mapped == on) return CUDA_ERROR_INVALID_VALUE;
  r->mapped = on;
  if (!r->of_context || (!on && r->keeps)) return 0;
  if (!has_context()) return CUDA_ERROR_INVALID_VALUE;
  if (r->image) move_image(r, !on);
  else move_buffer(r, !on);
  return 0;
}
PASS(cuGraphicsGLRegisterBuffer, (CUgraphicsResource * r, unsigned id, unsigned flags))
{ return register_thing(r, id, flags, false); }
PASS(cuGraphicsGLRegisterImage, (CUgraphicsResource * r, unsigned id, unsigned target, unsigned flags))
{ return register_thing(r, id, flags, true); }
PASS(cuGraphicsUnregisterResource, (CUgraphicsResource r))
{
  if (!r->registered || r->mapped) return CUDA_ERROR_INVALID_VALUE;
  r->registered = false;
  if (!r->of_context) return 0;
  free(r->data);
  free(r);
  return 0;
}
PASS(cuGraphicsMapResources, (unsigned n, CUgraphicsResource *r, CUstream s))
{ return set_mapped(*r, true); }
PASS(cuGraphicsUnmapResources, (unsigned n, CUgraphicsResource *r, CUstream s))
{ return set_mapped(*r, false); }
PASS(cuGraphicsResourceGetMappedPointer_v2, (CUdeviceptr * p, size_t *nbytes, CUgraphicsResource r))
{
  *p = (CUdeviceptr)(uintptr_t)r->data;
  *nbytes = r->nbytes;
  return r->mapped && !r->image ? 0 : CUDA_ERROR_INVALID_VALUE;
}
PASS(cuGraphicsSubResourceGetMappedArray, (CUarray * array, CUgraphicsResource r, unsigned layer, unsigned level))
{
  *array = &r->array;
  return r->mapped && r->image && layer == 0 && level == 0 ? 0 : CUDA_ERROR_INVALID_VALUE;
}
PASS(cuArrayGetDescriptor_v2, (CUDA_ARRAY_DESCRIPTOR * d, CUarray array))
{
  *d = array->shape;
  return 0;
}
PASS(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *c, CUstream s))
{
  bool in = c->dstMemoryType == CU_MEMORYTYPE_ARRAY;
  for (size_t y = 0; y < c->Height; y++) {
    char *row = (in ? c->dstArray : c->srcArray)->data + y * (in ? c->dstArray : c->srcArray)->pitch;
    char *linear = (char *)(uintptr_t)(in ? c->srcDevice : c->dstDevice) + y * (in ? c->srcPitch : c->dstPitch);
    memcpy(in ? row : linear, in ? linear : row, c->WidthInBytes);
  }
  return 0;
}
