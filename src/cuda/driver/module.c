/*
** module.c: the kernels of a device, found by their keys.
**
** The table uses open addressing, and readers take no lock. Entries are never changed or freed. A full table is
** replaced by a larger one and kept for its readers (all old tables together are smaller than the newest). A thread
** that compiles holds `compiling`, so others that need the same kernel wait for it. The tables have a lock of their
** own, which is never held for long.
**
** An entry without functions notes a kernel that was sought in vain, so that its text is neither printed nor sought
** again until a bundle has come. It is filled when there is an image.
*/
#include "compile/compile.h"
#include "bundle/bundle.h"
#include "compile/body.h"
#include "compile/prepare.h"
#include "cuda/driver/worker.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  uint64_t hash;
  const ma_cuda_family *family;
  size_t size;
  int asked[MA_CUDA_NEFFORT];               /* atomic: without functions, 1 + how many bundles were asked, by effort */
  CUfunction function[MA_CUDA_MAX_ENTRIES]; /* the first one is atomic: NULL while there are none */
  uint8_t key[];
} entry;

struct ma_cuda_table {
  size_t mask, used;
  struct ma_cuda_table *previous; /* kept for its readers */
  entry *slot[];
};

/* Taken in this order. */
static pthread_mutex_t compiling = PTHREAD_MUTEX_INITIALIZER, tables = PTHREAD_MUTEX_INITIALIZER;

static inline bool same(const entry *e, const ma_cuda_want *w) {
  return e->hash == w->hash && e->family == w->family && e->size == w->size && memcmp(e->key, w->key, w->size) == 0;
}

static inline entry *find_any(const ma_cuda_device *d, const ma_cuda_want *w) {
  const ma_cuda_table *t = __atomic_load_n(&d->kernels, __ATOMIC_ACQUIRE);
  if (!t) return NULL;
  for (size_t i = w->hash & t->mask;; i = (i + 1) & t->mask) {
    entry *e = __atomic_load_n(&t->slot[i], __ATOMIC_ACQUIRE);
    if (!e || same(e, w)) return e;
  }
}

static inline bool has_functions(const entry *e) { return __atomic_load_n(&e->function[0], __ATOMIC_ACQUIRE) != NULL; }

static inline const entry *find(const ma_cuda_device *d, const ma_cuda_want *w) {
  const entry *e = find_any(d, w);
  return e && has_functions(e) ? e : NULL;
}

static void place(ma_cuda_table *t, entry *e) {
  size_t i = e->hash & t->mask;
  while (t->slot[i]) i = (i + 1) & t->mask;
  __atomic_store_n(&t->slot[i], e, __ATOMIC_RELEASE);
  t->used++;
}

/* Makes room for one more entry, with at most half of the slots in use. */
static ma_status make_room_locked(ma_cuda_device *d) {
  ma_cuda_table *old = d->kernels;
  if (old && old->used * 2 <= old->mask) return MA_OK;
  size_t n = old ? (old->mask + 1) * 2 : 256;
  ma_cuda_table *t = calloc(1, sizeof *t + n * sizeof(entry *));
  if (!t) return ma_fail(MA_ERR_MEMORY, "out of memory for the table of kernels");
  t->mask = n - 1;
  t->previous = old;
  for (size_t i = 0; old && i <= old->mask; i++)
    if (old->slot[i]) place(t, old->slot[i]);
  __atomic_store_n(&d->kernels, t, __ATOMIC_RELEASE);
  return MA_OK;
}

/* ---- Building ---- */

/* Whether `text` may call a complex function: their names begin like this. */
static bool calls_complex(const char *text) {
  for (; (text = strstr(text, "ma_c")); text += 4)
    if (islower((unsigned char)text[4])) return true;
  return false;
}

void ma_cuda_print(ma_ctext *text, const ma_cuda_family *family, const void *what) {
  ma_ctext own = { 0 };
  family->print(&own, what);
  if (own.bytes) {
    /* Without calls of complex functions, leaving them out saves a fifth of the time to parse a small kernel. */
    if (!calls_complex(own.bytes)) ma_ctext_put(text, "#define MA_NO_COMPLEX_FUNCTIONS 1\n");
    ma_ctext_put(text, ma_embedded("scalar.h"));
    ma_ctext_put(text, ma_embedded("shapes.h"));
    ma_ctext_put(text, ma_embedded("prelude.cuh"));
    ma_put_special(text, own.special);
    ma_ctext_put(text, own.bytes);
  }
  text->failed |= own.failed;
  ma_ctext_free(&own);
}

ma_status ma_cuda_source(const ma_cuda_family *family, const void *what, char **source) {
  ma_ctext text = { 0 };
  ma_cuda_print(&text, family, what);
  if (text.failed) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text");
  *source = text.bytes;
  return MA_OK;
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

/* Finds the entry, or makes one without functions. */
static ma_status entry_locked(ma_cuda_device *d, const ma_cuda_want *w, entry **found) {
  if ((*found = find_any(d, w))) return MA_OK;
  MA_TRY(make_room_locked(d));
  entry *e = calloc(1, sizeof *e + w->size);
  if (!e) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's entry");
  e->hash = w->hash;
  e->family = w->family;
  e->size = w->size;
  memcpy(e->key, w->key, w->size);
  place(d->kernels, e);
  *found = e;
  return MA_OK;
}

static ma_status insert_locked(ma_cuda_device *d, const ma_cuda_want *w, const ma_image *image, const entry **found) {
  CUmodule module;
  CUfunction function[MA_CUDA_MAX_ENTRIES] = { NULL };
  entry *e;
  MA_TRY(load(image, w->family, &module, function));
  ma_status status = entry_locked(d, w, &e);
  if (status != MA_OK) {
    ma_cu.cuModuleUnload(module);
    return status;
  }
  for (int k = 1; k < MA_CUDA_MAX_ENTRIES; k++) e->function[k] = function[k];
  __atomic_store_n(&e->function[0], function[0], __ATOMIC_RELEASE);
  *found = e;
  return MA_OK;
}

/* Loads an image that was made for the caller, unless another thread was faster. */
static ma_status insert(ma_cuda_device *d, const ma_cuda_want *w, const ma_image *image, const entry **found) {
  ma_status status = MA_OK;
  pthread_mutex_lock(&tables);
  *found = find(d, w);
  if (!*found) status = insert_locked(d, w, image, found);
  pthread_mutex_unlock(&tables);
  return status;
}

/* Where an image goes that was found for a kernel. */
typedef struct place_for {
  ma_cuda_device *device;
  const ma_cuda_want *want;
  const entry **found;
} place_for;

static ma_status take(void *into, const ma_image *image) {
  const place_for *p = into;
  return insert(p->device, p->want, image, p->found);
}

/* Finds the image of a text without includes, or has it made. */
static ma_status seek(ma_cuda_device *d, const ma_cuda_want *w, const char *name, const char *text,
                      ma_cuda_effort effort, bool own, const entry **found) {
  bool is_there;
  place_for to = { d, w, found };
  return ma_cuda_find_image(&(ma_cuda_sought){ d, name, text, text, NULL, effort, own, take, &to }, &is_there);
}

static ma_status build(ma_cuda_device *d, const ma_cuda_want *w, const void *what, ma_ctext *text,
                       ma_cuda_effort effort, const entry **found) {
  const ma_body *body = w->family->body ? w->family->body(what) : NULL;
  const char *name = body ? body->name : w->family->name;
  if (!body || !ma_body_reads_files(body)) return seek(d, w, name, text->bytes, effort, body != NULL, found);
  const char *options[MA_MAX_OPTIONS];
  char *copy = strdup(body->options);
  if (!copy) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's options");
  ma_module_source source = {
    .text = text->bytes, .name = name, .option = options, .noption = ma_options_split(copy, options), .prelude = true
  };
  ma_ctext key = { 0 };
  ma_status status = ma_cuda_source_key(&source, text, &key);
  place_for to = { d, w, found };
  if (status == MA_OK)
    status = ma_cuda_find_source(&(ma_cuda_sought){ d, name, key.bytes, text->bytes, &source, effort, true, take, &to },
                                 &key, text);
  ma_ctext_free(&key);
  free(copy);
  return status;
}

static ma_status print(const ma_cuda_want *w, const void *what, ma_ctext *text) {
  ma_cuda_print(text, w->family, what);
  if (text->failed) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text");
  ma_compile_show(w->family->name, ".cu", text->bytes);
  return MA_OK;
}

/* *found stays NULL only if the effort is less than to compile it. */
static ma_status make(ma_cuda_device *d, const ma_cuda_want *w, const void *what, ma_cuda_effort effort,
                      const entry **found) {
  ma_ctext text = { 0 };
  ma_status status = MA_OK;
  pthread_mutex_lock(&compiling);
  *found = find(d, w);
  if (!*found) status = print(w, what, &text);
  if (!*found && status == MA_OK) status = build(d, w, what, &text, effort, found);
  pthread_mutex_unlock(&compiling);
  ma_ctext_free(&text);
  return status;
}

static inline ma_cuda_want want(const ma_cuda_family *family, const void *key, size_t size) {
  return (ma_cuda_want){ family, key, size, ma_hash(key, size, (uint64_t)(uintptr_t)family) };
}

/* ---- Kernels that are nowhere ---- */

/* Whether a kernel was sought in vain with this effort, and no bundle has come since. */
static bool is_absent(const ma_cuda_device *d, const ma_cuda_want *w, ma_cuda_effort effort) {
  const entry *e = find_any(d, w);
  return e && __atomic_load_n(&e->asked[effort], __ATOMIC_RELAXED) == ma_bundles_count() + 1;
}

static ma_status note_absent_locked(ma_cuda_device *d, const ma_cuda_want *w, ma_cuda_effort effort, int bundles) {
  entry *e;
  MA_TRY(entry_locked(d, w, &e));
  for (int k = 0; k <= (int)effort; k++) __atomic_store_n(&e->asked[k], bundles + 1, __ATOMIC_RELAXED);
  return MA_OK;
}

/* `bundles` is how many there were before the search: one that came meanwhile was not asked. */
static ma_status note_absent(ma_cuda_device *d, const ma_cuda_want *w, ma_cuda_effort effort, int bundles) {
  pthread_mutex_lock(&tables);
  ma_status status = note_absent_locked(d, w, effort, bundles);
  pthread_mutex_unlock(&tables);
  return status;
}

/* Whether the kernel is nowhere, and nothing here can compile it. */
static bool is_lacking(const ma_cuda_device *d, const ma_cuda_want *w) {
  return ma_gpu_is_bare() && is_absent(d, w, MA_CUDA_COMPILE);
}

/* ---- Calls that prepare ---- */

static ma_status request(ma_cuda_device *d, const ma_cuda_want *w, const void *what, const entry **found);

/* Of a call that prepares: fails while the worker has the kernel. *found stays NULL where the error is wanted: where
** the worker has tried it, or nothing here compiles it. There it is sought at once; also where the text includes files
** (ma_cuda_find_source). */
static ma_status prepare(ma_cuda_device *d, const ma_cuda_want *w, const void *what, const entry **found) {
  const ma_body *body = w->family->body ? w->family->body(what) : NULL;
  if ((body && ma_body_reads_files(body)) || ma_cuda_worker_tried(d, w)) return MA_OK;
  MA_TRY(request(d, w, what, found));
  return *found || is_lacking(d, w) ? MA_OK : ma_prepare_later(body ? body->name : w->family->name);
}

static ma_status obtain(ma_cuda_device *d, const ma_cuda_want *w, const void *what, ma_cuda_effort effort,
                        const entry **found) {
  if (ma_prepare.on) MA_TRY(prepare(d, w, what, found));
  return *found ? MA_OK : make(d, w, what, effort, found);
}

static ma_status make_or_lack(ma_cuda_device *d, const ma_cuda_want *w, const void *what, const entry **found) {
  bool own = w->family->body && w->family->body(what); /* its error is another one */
  if (!own && is_lacking(d, w)) {
    ma_cuda_need_compiler(w->family->name, d->arch);
    return ma_lack();
  }
  int bundles = ma_bundles_count();
  ma_status status = obtain(d, w, what, MA_CUDA_COMPILE, found);
  if (status == MA_ERR_LACK) MA_TRY(note_absent(d, w, MA_CUDA_COMPILE, bundles));
  return status;
}

ma_status ma_cuda_kernel(ma_cuda_device *d, const ma_cuda_family *family, const void *key, size_t size,
                         const void *what, const CUfunction **function) {
  ma_cuda_want w = want(family, key, size);
  const entry *e = find(d, &w);
  if (__builtin_expect(!e, 0)) MA_TRY(make_or_lack(d, &w, what, &e));
  *function = e->function;
  return MA_OK;
}

/* ---- Exact forms that give way to general ones ---- */

ma_status ma_cuda_kernel_general(ma_cuda_device *d, const ma_cuda_family *family, const void *key, size_t size,
                                 const void *what, const CUfunction **function) {
  ma_cuda_want w = want(family, key, size);
  const entry *e = find(d, &w);
  *function = NULL;
  if (__builtin_expect(!e, 0)) {
    int bundles = ma_bundles_count();
    bool quick = ma_compile_yields() && !ma_gpu_is_bare(); /* no NVRTC is opened here: the worker has the exact form */
    if (is_absent(d, &w, MA_CUDA_FIND)) return MA_OK;
    MA_TRY(obtain(d, &w, what, quick ? MA_CUDA_QUICK : MA_CUDA_FIND, &e));
    if (!e) return quick ? MA_OK : note_absent(d, &w, MA_CUDA_FIND, bundles);
  }
  *function = e->function;
  return MA_OK;
}

ma_status ma_cuda_kernel_exact(ma_cuda_device *d, const ma_cuda_family *family, const void *key, size_t size,
                               const void *what, const CUfunction **function) {
  *function = NULL;
  if (__builtin_expect(__atomic_load_n(&ma_compile_general, __ATOMIC_RELAXED), 0)) return MA_OK;
  if (ma_compile_yields()) return ma_cuda_kernel_try(d, family, key, size, what, function);
  return ma_cuda_kernel_general(d, family, key, size, what, function);
}

ma_cuda_finder *const ma_cuda_finders[] = { ma_cuda_kernel_exact, ma_cuda_kernel_general, ma_cuda_kernel };

ma_status ma_cuda_kernel_either(ma_cuda_device *d, const ma_cuda_family *family, void *variant, const void *general,
                                size_t size, const CUfunction **function) {
  *function = NULL;
  for (int form = 0; form < MA_CUDA_NFORM && !*function; form++) {
    const void *one = form == MA_CUDA_GENERAL ? general : variant;
    MA_TRY(ma_cuda_finders[form](d, family, one, size, one, function));
    if (*function && one == general) memcpy(variant, general, size);
  }
  return MA_OK;
}

/* ---- In the background ---- */

/* Loads the kernel if a bundle or the cache has it, which is fast. Otherwise it asks the worker for it. */
static ma_status request(ma_cuda_device *d, const ma_cuda_want *w, const void *what, const entry **found) {
  ma_ctext text = { 0 };
  if (is_lacking(d, w)) return MA_OK;
  if (__atomic_load_n(&ma_compile_at_once, __ATOMIC_RELAXED) && !ma_prepare.on) {
    int bundles = ma_bundles_count();
    MA_TRY(make(d, w, what, MA_CUDA_FIND, found));
    return !*found && ma_gpu_is_bare() ? note_absent(d, w, MA_CUDA_COMPILE, bundles) : MA_OK;
  }
  if (ma_cuda_worker_knows(d, w)) return MA_OK;
  ma_status status = print(w, what, &text);
  if (status == MA_OK) status = seek(d, w, w->family->name, text.bytes, MA_CUDA_QUICK, false, found);
  if (status == MA_OK && !*found) {
    ma_cuda_answer answer = ma_cuda_worker_ask(d, w, &text);
    if (answer == MA_CUDA_NO_WORKER) status = make(d, w, what, MA_CUDA_COMPILE, found);
    ma_trace("jit", "%s: new, so %s", w->family->name,
             answer == MA_CUDA_ACCEPTED
               ? "it is compiled in the background and its operations run one by one until then"
             : answer == MA_CUDA_BUSY ? "its operations run one by one; too many kernels wait to be compiled"
                                      : "it was compiled at once: there is no thread to do it");
  }
  ma_ctext_free(&text);
  return status;
}

ma_status ma_cuda_kernel_try(ma_cuda_device *d, const ma_cuda_family *family, const void *key, size_t size,
                             const void *what, const CUfunction **function) {
  *function = NULL;
  if (__builtin_expect(__atomic_load_n(&ma_compile_general, __ATOMIC_RELAXED), 0)) return MA_OK;
  ma_cuda_want w = want(family, key, size);
  const entry *e = find(d, &w);
  if (__builtin_expect(!e, 0)) {
    MA_TRY(request(d, &w, what, &e));
    if (ma_prepare.on && !e && !is_lacking(d, &w) && !ma_cuda_worker_tried(d, &w)) ma_prepare.later = true;
  }
  if (e) *function = e->function;
  return MA_OK;
}

bool ma_cuda_wanted(ma_cuda_device *d, uint32_t epoch, const ma_cuda_want *w) {
  pthread_mutex_lock(&tables);
  bool wanted = d->epoch == epoch && !find(d, w);
  pthread_mutex_unlock(&tables);
  return wanted;
}

ma_status ma_cuda_adopt(ma_cuda_device *d, uint32_t epoch, const ma_cuda_want *w, const ma_image *image) {
  const entry *e;
  ma_status status = MA_OK;
  pthread_mutex_lock(&tables);
  if (d->epoch == epoch && !find(d, w) && !__atomic_load_n(&d->lost, __ATOMIC_ACQUIRE)) {
    CUresult result = ma_cu.cuCtxSetCurrent(d->context);
    status = result == CUDA_SUCCESS ? insert_locked(d, w, image, &e) : ma_cuda_fail(MA_CU_cuCtxSetCurrent, result);
  }
  pthread_mutex_unlock(&tables);
  return status;
}

void ma_cuda_lacks(ma_cuda_device *d, uint32_t epoch, const ma_cuda_want *w, int bundles) {
  pthread_mutex_lock(&tables);
  if (d->epoch == epoch) (void)note_absent_locked(d, w, MA_CUDA_COMPILE, bundles);
  pthread_mutex_unlock(&tables);
}

void ma_cuda_kernels_forget(ma_cuda_device *d) {
  ma_cuda_worker_forget(d);
  pthread_mutex_lock(&tables);
  __atomic_add_fetch(&d->epoch, 1, __ATOMIC_RELEASE);
  ma_cuda_table *t = d->kernels;
  for (size_t i = 0; t && i <= t->mask; i++) free(t->slot[i]); /* the newest table has all entries */
  for (ma_cuda_table *previous; t; t = previous) {
    previous = t->previous;
    free(t);
  }
  __atomic_store_n(&d->kernels, NULL, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&tables);
}
