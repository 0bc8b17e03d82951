/*
** module.c: the kernels of a device, by the bytes that shape them.
**
** A table of open addressing that readers walk without a lock: entries are never changed or freed, a full table is replaced by a larger
** one and left to those still reading it (their sizes add up to less than the last one's). Building a kernel takes one lock.
*/
#include "../compile.h"
#include "../params.h"
#include "cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  uint64_t hash;
  const ma_cuda_family *family;
  size_t size;
  CUfunction function[MA_CUDA_MAX_ENTRIES];
  uint8_t key[];
} entry;

struct ma_cuda_table {
  size_t mask, used;
  struct ma_cuda_table *previous;      /* kept for readers */
  entry *slot[];
};

static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;

static inline bool same(const entry *e, uint64_t hash, const ma_cuda_family *family, const void *key, size_t size) {
  return e->hash == hash && e->family == family && e->size == size && memcmp(e->key, key, size) == 0;
}

static const entry *find(const ma_cuda_table *t, uint64_t hash, const ma_cuda_family *family, const void *key, size_t size) {
  if (!t) return NULL;
  for (size_t i = hash & t->mask;; i = (i + 1) & t->mask) {
    const entry *e = __atomic_load_n(&t->slot[i], __ATOMIC_ACQUIRE);
    if (!e || same(e, hash, family, key, size)) return e;
  }
}

static void place(ma_cuda_table *t, entry *e) {
  size_t i = e->hash & t->mask;
  while (t->slot[i]) i = (i + 1) & t->mask;
  __atomic_store_n(&t->slot[i], e, __ATOMIC_RELEASE);
  t->used++;
}

/* Under the lock. Room for one more entry, with at most half of the slots in use. */
static ma_status make_room(ma_cuda_device *d) {
  ma_cuda_table *old = d->kernels;
  if (old && old->used * 2 <= old->mask) return MA_OK;
  size_t n = old ? (old->mask + 1) * 2 : 256;
  ma_cuda_table *t = calloc(1, sizeof *t + n * sizeof *t->slot);
  if (!t) return ma_fail(MA_ERR_MEMORY, "out of memory for the table of kernels");
  t->mask = n - 1;
  t->previous = old;
  for (size_t i = 0; old && i <= old->mask; i++)
    if (old->slot[i]) place(t, old->slot[i]);
  __atomic_store_n(&d->kernels, t, __ATOMIC_RELEASE);
  return MA_OK;
}

/* ---- Building ---- */

void ma_cuda_print(ma_ctext *text, const ma_cuda_family *family, const void *what) {
  ma_ctext_put(text, ma_embedded("scalar.h"));
  ma_ctext_put(text, ma_embedded("prelude.cuh"));
  family->print(text, what);
}

const char *ma_cuda_salt(int arch, char *salt, size_t size) {
  snprintf(salt, size, "c++17 fmad=false sm_%d", arch);     /* the options of compile.c */
  return salt;
}

static ma_status load(const ma_image *image, const ma_cuda_family *family, CUmodule *module, CUfunction *function) {
  MA_CU(cuModuleLoadData, module, image->bytes);
  for (int i = 0; i < MA_CUDA_MAX_ENTRIES && family->entry[i]; i++) {
    CUresult result = ma_cu.cuModuleGetFunction(&function[i], *module, family->entry[i]);
    if (result != CUDA_SUCCESS) {
      ma_cu.cuModuleUnload(*module);
      ma_cuda_fail(MA_CU_cuModuleGetFunction, result);
      return ma_fail_prefix(MA_ERR_DEVICE, "%s, ", family->entry[i]);
    }
  }
  __atomic_add_fetch(&ma_kernels, 1, __ATOMIC_RELAXED);
  return MA_OK;
}

/* The cache first; an image that the driver refuses is a miss. `source`: of a body that reads files, else NULL; `key`: of the cache. */
static ma_status find_or_compile(ma_cuda_device *d, const ma_cuda_family *family, const char *name, const char *text, const char *key,
                                 const ma_module_source *source, CUfunction *function) {
  ma_image image;
  char salt[64];
  ma_cuda_salt(d->arch, salt, sizeof salt);
  CUmodule module;
  if (ma_cache_load(key, salt, &image)) {
    ma_status status = load(&image, family, &module, function);
    ma_image_free(&image);
    if (status == MA_OK) return MA_OK;
    ma_trace("jit", "%s: the cached image was refused: %s", family->name, ma_message());
    ma_cache_drop(key, salt);
  }
  MA_TRY(source ? ma_cuda_compile_source(text, d->arch, source, &image) : ma_cuda_compile(text, d->arch, name, &image));
  ma_status status = load(&image, family, &module, function);
  if (status == MA_OK) ma_cache_store(key, salt, &image, ma_cuda_nvrtc_version());
  ma_image_free(&image);
  return status;
}

static ma_status build(ma_cuda_device *d, const ma_cuda_family *family, const void *what, const ma_ctext *text, CUfunction *function) {
  const ma_body *body = family->body ? family->body(what) : NULL;
  const char *name = body ? body->name : family->name;
  if (!body || !ma_body_reads_files(body)) return find_or_compile(d, family, name, text->bytes, text->bytes, NULL, function);
  const char *options[MA_MAX_OPTIONS];
  char *copy = strdup(body->options);
  if (!copy) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's options");
  ma_module_source source = {.text = text->bytes, .name = name, .option = options, .noption = ma_options_split(copy, options), .prelude = true};
  ma_ctext key = {0};
  ma_status status = ma_cuda_source_key(&source, text, &key);
  if (status == MA_OK) status = find_or_compile(d, family, name, text->bytes, key.bytes, &source, function);
  ma_ctext_free(&key);
  free(copy);
  return status;
}

static ma_status insert(ma_cuda_device *d, const ma_cuda_family *family, const void *key, size_t size, uint64_t hash, const void *what,
                        const entry **found) {
  MA_TRY(make_room(d));
  entry *e = calloc(1, sizeof *e + size);
  if (!e) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's entry");
  e->hash = hash;
  e->family = family;
  e->size = size;
  memcpy(e->key, key, size);
  ma_ctext text = {0};
  ma_cuda_print(&text, family, what);
  ma_status status = MA_ERR_MEMORY;
  if (text.failed) ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text");
  else { ma_compile_show(family->name, ".cu", text.bytes); status = build(d, family, what, &text, e->function); }
  ma_ctext_free(&text);
  if (status != MA_OK) { free(e); return status; }
  place(d->kernels, e);
  *found = e;
  return MA_OK;
}

ma_status ma_cuda_kernel(ma_cuda_device *d, const ma_cuda_family *family, const void *key, size_t size, const void *what,
                         const CUfunction **function) {
  uint64_t hash = ma_hash(key, size, (uint64_t)(uintptr_t)family);
  const entry *e = find(__atomic_load_n(&d->kernels, __ATOMIC_ACQUIRE), hash, family, key, size);
  if (__builtin_expect(!e, 0)) {
    ma_status status = MA_OK;
    pthread_mutex_lock(&building);
    e = find(d->kernels, hash, family, key, size);
    if (!e) status = insert(d, family, key, size, hash, what, &e);
    pthread_mutex_unlock(&building);
    MA_TRY(status);
  }
  *function = e->function;
  return MA_OK;
}

void ma_cuda_kernels_forget(ma_cuda_device *d) {
  pthread_mutex_lock(&building);
  ma_cuda_table *t = d->kernels;
  for (size_t i = 0; t && i <= t->mask; i++) free(t->slot[i]);         /* the newest table has all entries */
  for (ma_cuda_table *previous; t; t = previous) {
    previous = t->previous;
    free(t);
  }
  __atomic_store_n(&d->kernels, NULL, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&building);
}
