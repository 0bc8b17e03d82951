/*
** images.c: where the image of a kernel comes from. The sources are asked in the order of a table, of which NVRTC is
** the last. An image that does not load is passed over, and the next one is tried. MOONARRAY_BUNDLE=check asks first
** what a player has too, so that it says of each kernel whether it is there.
*/
#include "bundle/bundle.h"
#include "compile/compile.h"
#include "cuda/cuda.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PTX_INPUT 1 /* CU_JIT_INPUT_PTX */

static void store(const ma_cuda_sought *s, const ma_image *image, int maker) {
  char salt[64];
  ma_cache_store(s->key, ma_cuda_salt(s->device->arch, salt, sizeof salt), image, maker);
}

/* ==== PTX ==== */

/* Puts the cubin in the place of the PTX; what follows the PTX, the names of a module, follows the cubin. */
static ma_status replace(ma_image *image, const void *cubin, size_t size) {
  size_t ptx = strlen(image->bytes), rest = image->size > ptx ? image->size - ptx : 0;
  char *bytes = malloc(size + rest + 1);
  if (!bytes) return ma_fail(MA_ERR_MEMORY, "out of memory for a compiled kernel");
  memcpy(bytes, cubin, size);
  memcpy(bytes + size, image->bytes + ptx, rest);
  bytes[size + rest] = 0;
  ma_image_free(image);
  image->bytes = bytes;
  image->size = size + rest;
  image->kind = MA_IMAGE_CUBIN;
  return MA_OK;
}

static ma_status link_into(CUlinkState link, const char *name, ma_image *image) {
  void *cubin;
  size_t size;
  MA_CU(cuLinkAddData, link, PTX_INPUT, image->bytes, strlen(image->bytes) + 1, name, 0, NULL, NULL);
  MA_CU(cuLinkComplete, link, &cubin, &size);
  return replace(image, cubin, size);
}

/* Lets the driver make a cubin of PTX, so that the cache keeps it. A driver that cannot gets the PTX. */
static ma_status finish(const ma_cuda_sought *s, ma_image *image) {
  CUlinkState link;
  if (image->kind != MA_IMAGE_PTX || !ma_cu.cuLinkCreate || !ma_cu.cuLinkAddData || !ma_cu.cuLinkComplete ||
      !ma_cu.cuLinkDestroy)
    return MA_OK;
  MA_CU(cuCtxSetCurrent, s->device->context);
  MA_CU(cuLinkCreate, 0, NULL, NULL, &link);
  ma_status status = link_into(link, s->name, image);
  ma_cu.cuLinkDestroy(link);
  return status;
}

/* ==== Bundles ==== */

static ma_status take_of_bundle(const ma_cuda_sought *s, const ma_bundle *bundle, const ma_bundle_entry *e) {
  ma_image image;
  MA_TRY(ma_bundle_image(bundle, e, &image));
  ma_status status = finish(s, &image);
  if (status == MA_OK) status = s->take(s->into, &image);
  if (status == MA_OK && image.kind != e->kind) store(s, &image, e->maker);
  ma_image_free(&image);
  return status;
}

/* Tries the images of one kind in a bundle, the best first: those that compute as NVRTC of a major version does, or all
** (0). */
static bool try_bundle(const ma_cuda_sought *s, const ma_bundle *bundle, const uint64_t key[2], int kind, int major,
                       const char **from) {
  const ma_bundle_entry *e;
  for (int below = INT_MAX; (e = ma_bundle_find(bundle, key, s->device->arch, below));) {
    below = ma_bundle_rank(e, s->device->arch);
    if (e->kind != kind || (major && !ma_cuda_same_mathematics(e->functions, e->maker / 1000, major))) continue;
    if (take_of_bundle(s, bundle, e) == MA_OK) {
      ma_trace("jit", "%s: from the bundle %s", s->name, ma_bundle_name(bundle));
      ma_bundle_note_use(bundle);
      *from = ma_bundle_name(bundle);
      return true;
    }
    ma_trace("jit", "%s: the image of the bundle %s for compute capability %d.%d was refused: %s", s->name,
             ma_bundle_name(bundle), e->arch / 10, e->arch % 10, ma_message());
  }
  return false;
}

static void try_bundles(const ma_cuda_sought *s, int kind, const char **from) {
  const ma_bundle *bundle;
  uint64_t key[2];
  for (int k = 0; !*from && (bundle = ma_bundles_at(k)); k++) {
    if (k == 0) ma_bundle_key(s->key, key);
    try_bundle(s, bundle, key, kind, 0, from);
  }
}

static ma_status cubin_of_bundles(const ma_cuda_sought *s, const char **from) {
  try_bundles(s, MA_IMAGE_CUBIN, from);
  return MA_OK;
}

/* What the driver has to finish takes as long as a compilation. The cache keeps the result, so it is asked before. */
static ma_status ptx_of_bundles(const ma_cuda_sought *s, const char **from) {
  if (s->effort != MA_CUDA_QUICK || ma_bundle_checks()) try_bundles(s, MA_IMAGE_PTX, from);
  return MA_OK;
}

/* Some of NVRTC's functions of mathematics have other last bits in another major version. So that a fused expression,
** which NVRTC compiles here, gives what its operations give, kernels that call them serve beside an NVRTC like their
** maker's alone. */
static ma_status from_base(const ma_cuda_sought *s, const char **from) {
  const ma_bundle *bundle = ma_bundles_base(s->device->arch);
  uint64_t key[2];
  if (!bundle) return MA_OK;
  ma_bundle_key(s->key, key);
  try_bundle(s, bundle, key, MA_IMAGE_CUBIN, ma_bundle_checks() ? 0 : ma_cuda_nvrtc_major(), from);
  return MA_OK;
}

/* The floor set is for where there is no NVRTC: the driver finishes its PTX, and the cache keeps the result. */
static ma_status from_floor(const ma_cuda_sought *s, const char **from) {
  uint64_t key[2];
  if (s->effort == MA_CUDA_QUICK || (ma_cuda_nvrtc_major() && !ma_bundle_checks())) return MA_OK;
  const ma_bundle *bundle = ma_bundles_floor();
  if (!bundle) return MA_OK;
  ma_bundle_key(s->key, key);
  try_bundle(s, bundle, key, MA_IMAGE_PTX, 0, from);
  return MA_OK;
}

/* ==== The cache, NVRTC ==== */

static ma_status from_cache(const ma_cuda_sought *s, const char **from) {
  ma_image image;
  char salt[64];
  ma_cuda_salt(s->device->arch, salt, sizeof salt);
  if (!ma_cache_load(s->key, salt, &image)) return MA_OK;
  ma_status status = s->take(s->into, &image);
  ma_image_free(&image);
  if (status == MA_OK) {
    *from = "of a run before this one";
    return MA_OK;
  }
  ma_trace("jit", "%s: the cached image was refused: %s", s->name, ma_message());
  ma_cache_drop(s->key, salt);
  return MA_OK;
}

static ma_status from_nvrtc(const ma_cuda_sought *s, const char **from) {
  ma_image image;
  int arch = s->device->arch;
  if (s->effort == MA_CUDA_QUICK) return MA_OK;
  if (s->effort == MA_CUDA_FIND && ma_cuda_need_nvrtc() != MA_OK) return MA_OK;
  if (!s->own && ma_cuda_find_nvrtc() != MA_OK) {
    ma_cuda_need_compiler(s->name, arch);
    return ma_lack();
  }
  if (s->own) MA_TRY(ma_compile_may_wait(s->name));
  MA_TRY(s->source ? ma_cuda_compile_source(s->text, arch, s->source, &image)
                   : ma_cuda_compile(s->text, arch, s->name, &image));
  ma_status status = finish(s, &image);
  if (status == MA_OK) status = s->take(s->into, &image);
  if (status == MA_OK) {
    *from = ma_cuda_library_path(MA_CUDA_nvrtc);
    store(s, &image, ma_cuda_nvrtc_version());
  }
  ma_image_free(&image);
  return status;
}

/* ==== The order ==== */

typedef enum source { CUBIN, CACHE, BASE, PTX, FLOOR, NVRTC, NSOURCE } source;
static const struct {
  const char *name;
  bool served;                                                   /* whether a player has it */
  ma_status (*find)(const ma_cuda_sought *s, const char **from); /* from: the file; stays NULL: it is not there */
} sources[NSOURCE] = {
  [CUBIN] = { "the bundle", true, cubin_of_bundles }, [CACHE] = { "the cache", false, from_cache },
  [BASE] = { "the base set", true, from_base },       [PTX] = { "PTX of the bundle", true, ptx_of_bundles },
  [FLOOR] = { "the floor set", true, from_floor },    [NVRTC] = { "NVRTC", false, from_nvrtc }
};
static const source usual[NSOURCE] = { CUBIN, CACHE, BASE, PTX, FLOOR, NVRTC };
static const source checked[NSOURCE] = { CUBIN, BASE, PTX, FLOOR, CACHE, NVRTC };

static void check(const ma_cuda_sought *s, source found, const char *from) {
  char text[PATH_MAX + 32] = "none yet";
  if (from) snprintf(text, sizeof text, "%s, %s", sources[found].name, from);
  ma_bundle_check_kernel(s->name, s->key, s->device->arch, text, from && sources[found].served);
}

ma_status ma_cuda_find_image(const ma_cuda_sought *s, bool *found) {
  const source *order = ma_bundle_checks() ? checked : usual;
  const char *from = NULL;
  ma_status status = MA_OK;
  int k = -1;
  if (ma_bundle_records())
    ma_bundle_note(&(ma_bundle_record){ .family = s->name, .text = s->text, .key = s->key, .source = s->source });
  while (!from && status == MA_OK && ++k < NSOURCE) status = sources[order[k]].find(s, &from);
  /* an exact form that is nowhere gives way to a general one, which is asked for next */
  if (order == checked && (from || s->effort != MA_CUDA_FIND)) check(s, from ? order[k] : NVRTC, from);
  *found = from != NULL;
  return status;
}

bool ma_cuda_has_image(int arch) {
  char salt[64];
  return ma_bundles_serve(arch) || ma_bundles_base(arch) || ma_bundles_floor() ||
         ma_cache_has(ma_cuda_salt(arch, salt, sizeof salt));
}

/* ==== Recording ==== */

/* One of each kind of cards, as far as texts differ: the least architecture that has it. */
int ma_cuda_profile(int k) {
  static const int profiles[] = { 75, 80, 86, 90, 100, 120 };
  return k < (int)(sizeof profiles / sizeof *profiles) ? profiles[k] : 0;
}

void ma_cuda_record(const ma_cuda_family *family, const void *what, int arch) {
  ma_ctext text = { 0 };
  if (__atomic_load_n(&ma_compile_general, __ATOMIC_RELAXED)) return;
  ma_cuda_print(&text, family, what);
  if (!text.failed)
    ma_bundle_note(&(ma_bundle_record){ .family = family->name, .text = text.bytes, .key = text.bytes, .arch = arch });
  ma_ctext_free(&text);
}
