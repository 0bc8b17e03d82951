/*
** compile.c: makes shared objects of C++ text and loads them, for kernels that the user wrote. An object comes from a
** bundle, from the cache, or from the machine's compiler.
**
** The compiler runs in a temporary folder (work.c) that is removed in every case. Objects are cached like the GPU's
** images. The key has the compiler, its version and the processor's features, because the code is for this machine. A
** loaded object stays for the life of the process, because kernels point into it.
*/
#include "compile/cache.h"
#include "compile/compile.h"
#include "base/fork.h"
#include "timeline/timeline.h"
#include "cpu/cpu.h"
#include "compile/prepare.h"
#include "cpu/compile/compiler.h"
#include "system/system.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Variables with folders in which the compiler looks for <names>, besides its own. */
static const char *const searched[] = { "CPATH", "CPLUS_INCLUDE_PATH" };

static bool searches_more(void) {
  for (size_t i = 0; i < sizeof searched / sizeof *searched; i++) {
    const char *folders = getenv(searched[i]);
    if (folders && *folders) return true;
  }
  return false;
}

/* Whether the text includes files other than the compiler's own. If it does, their contents are part of the key. The
** library's own texts include nothing. */
static bool reads_files(const char *text, const char *options) {
  if (!strncmp(options, "-I", 2) || strstr(options, "\n-I")) return true;
  bool more = searches_more();
  for (const char *at = text; (at = strstr(at, "include"));) {
    const char *rest = at + 7 + strspn(at + 7, " \t"), *ours = NULL;
    bool known = *rest == '<' && !ma_path_is_absolute(rest + 1) &&
                 !more; /* any other name without quotes may be a macro */
    if (!known) ours = ma_embedded_end(text, at);
    if (!known && !ours) return true;
    at = ours ? ours : rest;
  }
  return false;
}

/* ---- Objects of this process ---- */

typedef struct object {
  struct object *next;
  uint64_t hash;
  void *handle;
  char *text, *options;
} object;

static object *table[256];
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER, building = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(looking, MA_FORK_LOOKUP)
MA_FORK_GUARD(building, MA_FORK_COMPILE)

static void *find_object(uint64_t hash, const char *text, const char *options) {
  void *handle = NULL;
  pthread_mutex_lock(&looking);
  for (const object *o = table[hash & 255]; o && !handle; o = o->next)
    if (o->hash == hash && !strcmp(o->text, text) && !strcmp(o->options, options)) handle = o->handle;
  pthread_mutex_unlock(&looking);
  return handle;
}

/* Keeps an object for later calls. If memory is short it is not kept: then the cache finds it next time, and dlopen
** returns the same handle. */
static void keep_object(uint64_t hash, const char *text, const char *options, void *handle) {
  object *o = malloc(sizeof *o);
  if (!o) return;
  *o = (object){ NULL, hash, handle, strdup(text), strdup(options) };
  if (!o->text || !o->options) {
    free(o->text);
    free(o->options);
    free(o);
    return;
  }
  pthread_mutex_lock(&looking);
  o->next = table[hash & 255];
  table[hash & 255] = o;
  pthread_mutex_unlock(&looking);
}

/* ---- Compiling ---- */

/* Whether the command itself has options such as -Ifolder or -include. */
static bool finds_files(const ma_cpu_compiler *c) {
  for (int i = 1; i < c->nword; i++)
    if (!strncmp(c->word[i], "-I", 2) || !strncmp(c->word[i], "-i", 2)) return true;
  return false;
}

static ma_status put_salt(const ma_cpu_job *j, ma_ctext *salt) {
  ma_cpu_compiler_print(j->cxx, salt);
  for (size_t i = 0; i < sizeof searched / sizeof *searched; i++)
    ma_ctext_add(salt, "%s=%s\n", searched[i], getenv(searched[i]) ? getenv(searched[i]) : "");
  ma_ctext_put(salt, j->options);
  if (reads_files(j->text, j->options) || finds_files(j->cxx)) {
    char *all;
    size_t size;
    MA_TRY(ma_cpu_compiler_run(j, true));
    if (!ma_file_read(j->output, SIZE_MAX / 2, &all, &size)) return ma_fail(MA_ERR_IO, "%s cannot be read", j->output);
    ma_ctext_add(salt, "%016llx%016llx", (unsigned long long)ma_hash(all, size, 1),
                 (unsigned long long)ma_hash(all, size, 2));
    free(all);
  }
  return salt->failed ? ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's key") : MA_OK;
}

/* Loads the cached object. If the cache's file system does not allow code to run, or the entry was removed, it loads
** a copy in the temporary folder, as it does where the object is loaded already and is wanted anew. */
void *ma_cpu_open_cached(const ma_cpu_job *j, const char *salt) {
  char path[PATH_MAX], copy[PATH_MAX + 16];
  ma_image image;
  if (!ma_cache_find(j->text, salt, path, &image)) return NULL;
  void *handle = j->anew ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    if (!j->anew) ma_trace("jit", "%s: the cached object was refused: %s", j->name, dlerror());
    snprintf(copy, sizeof copy, "%s/cached%s", j->work, ma_system.object_ending);
    unlink(copy);
    if (ma_file_write(copy, image.bytes, image.size)) handle = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
  }
  ma_image_free(&image);
  return handle;
}

ma_status ma_cpu_open_output(const ma_cpu_job *j, const char *salt, void **handle) {
  ma_image image = { .kind = MA_IMAGE_SHARED_OBJECT };
  *handle = NULL;
  if (!ma_file_read(j->output, SIZE_MAX / 2, &image.bytes, &image.size))
    return ma_fail(MA_ERR_IO, "%s cannot be read, or there is no memory for it", j->output);
  if (ma_cache_store(j->text, salt, &image, 0)) *handle = ma_cpu_open_cached(j, salt);
  ma_image_free(&image);
  if (!*handle) *handle = dlopen(j->output, RTLD_NOW | RTLD_LOCAL);
  if (*handle) return MA_OK;
  ma_cache_drop(j->text, salt);
  return ma_fail(MA_ERR_COMPILE, "%s", dlerror());
}

static ma_status compile(const ma_cpu_job *j, const char *salt, void **handle) {
  struct stat st = { 0 };
  int64_t began = ma_nanoseconds();
  MA_TRY(ma_compile_may_wait(j->name));
  MA_TRY(ma_compile_begin(j->name));
  MA_TRY(ma_cpu_compiler_run(j, false));
  stat(j->output, &st);
  ma_timeline_end(MA_TRACK_COMPILATION, began, j->name, 0);
  ma_trace("jit", "%s: compiled by %s in %.1f ms, %lld bytes", j->name, j->cxx->words,
           (double)(ma_nanoseconds() - began) * 1e-6, (long long)st.st_size);
  ma_status status = ma_cpu_open_output(j, salt, handle);
  return status == MA_ERR_COMPILE ? ma_compile_fail(j->name, j->text, ma_message()) : status;
}

static ma_status build_in(ma_cpu_job *j, void *to) {
  void **handle = to;
  ma_ctext salt = { 0 };
  *handle = ma_cpu_open_bundled(j);
  if (*handle) return MA_OK;
  ma_status status = ma_cpu_compiler_need(j->work, &j->cxx);
  if (status == MA_OK) status = ma_cpu_compiler_write(j);
  if (status == MA_OK) status = put_salt(j, &salt);
  if (status == MA_OK) *handle = ma_cpu_open_cached(j, salt.bytes);
  if (*handle) snprintf(j->from, sizeof j->from, "the cache, of a run before this one");
  if (status == MA_OK && !*handle) {
    snprintf(j->from, sizeof j->from, "the C++ compiler, %s", j->cxx->words);
    status = compile(j, salt.bytes, handle);
  }
  ma_ctext_free(&salt);
  return status;
}

ma_status ma_cpu_job_in_folder(ma_cpu_job *j, ma_cpu_job_work *work, void *to) {
  const char *place[MA_WORK_PLACES];
  int n = ma_work_places(place);
  ma_status status = MA_OK;
  bool made = false;
  for (int i = 0; i < n; i++) {
    if (!ma_work_make(place[i], j->work)) continue;
    made = true;
    snprintf(j->source, sizeof j->source, "%s/kernel.cpp", j->work);
    snprintf(j->output, sizeof j->output, "%s/kernel%s", j->work, ma_system.object_ending);
    snprintf(j->log, sizeof j->log, "%s/log", j->work);
    status = work(j, to);
    bool settled = status == MA_OK || ma_work_serves(j->work);
    ma_work_remove(j->work);
    if (settled) break;
    ma_trace("jit", "%s: %s is full, or runs no code", j->name, place[i]);
  }
  if (!made)
    return ma_fail(MA_ERR_IO, "no folder can be made in the cache of kernels, $TMPDIR or /tmp; compiling needs one");
  return status;
}

static ma_status build_once(ma_cpu_job *j, uint64_t hash, bool fixed, void **handle) {
  pthread_mutex_lock(&building);
  ma_status status = MA_OK;
  *handle = fixed ? find_object(hash, j->text, j->options) : NULL;
  if (!*handle) {
    ma_cpu_job_record(j);
    ma_compile_show(j->name, ".cpp", j->text);
    status = ma_cpu_job_in_folder(j, build_in, handle);
    if (status == MA_OK || status == MA_ERR_LIBRARY) ma_cpu_job_check(j);
    if (status == MA_OK && fixed) keep_object(hash, j->text, j->options, *handle);
  }
  pthread_mutex_unlock(&building);
  return status;
}

/* ---- Texts that a thread compiles for calls that prepare. The object is then among those of this process ---- */

typedef struct request {
  struct request *next;
  char *text, *name;
  const char **option;
  int noption;
  uint64_t source; /* ma_prepare.source of the call */
  bool failed;     /* else it waits, or is being compiled */
} request;

static request *requests;
static pthread_mutex_t preparing = PTHREAD_MUTEX_INITIALIZER; /* for the requests */
MA_FORK_GUARD(preparing, MA_FORK_LEAF)

static bool same_options(const request *r, const char *const *option, int noption) {
  if (r->noption != noption) return false;
  for (int k = 0; k < noption; k++)
    if (strcmp(r->option[k], option[k])) return false;
  return true;
}

static request **find_locked(const char *text, const char *const *option, int noption) {
  request **at = &requests;
  while (*at && (strcmp((*at)->text, text) || !same_options(*at, option, noption))) at = &(*at)->next;
  return at;
}

static void release(request *r) {
  for (int k = 0; r->option && k < r->noption; k++) free((void *)r->option[k]);
  free(r->option);
  free(r->text);
  free(r->name);
  free(r);
}

static request *new_request(const char *text, const char *name, const char *const *option, int noption) {
  request *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->source = ma_prepare.source;
  r->text = strdup(text);
  r->name = strdup(name);
  r->option = calloc((size_t)noption + 1, sizeof *r->option);
  bool whole = r->text && r->name && r->option;
  for (int k = 0; whole && k < noption; k++, r->noption++) whole = (r->option[k] = strdup(option[k])) != NULL;
  if (whole) return r;
  release(r);
  return NULL;
}

static void drop_locked(request *r) {
  request **at = &requests;
  while (*at != r) at = &(*at)->next;
  *at = r->next;
  release(r);
}

static ma_status compile_request(void *what) {
  request *r = what;
  void *handle;
  ma_status status = ma_cpu_compile(r->text, r->name, r->option, r->noption, &handle);
  pthread_mutex_lock(&preparing);
  if (status != MA_OK) r->failed = true;
  else drop_locked(r);
  pthread_mutex_unlock(&preparing);
  return status;
}

/* Whether a thread has it. If it is new, *made is the request, which is still to be given to the thread. */
static bool look_locked(const char *text, const char *name, const char *const *option, int noption, request **made) {
  request **at = find_locked(text, option, noption);
  *made = NULL;
  if (*at && !(*at)->failed) return true;
  if (*at) drop_locked(*at); /* the caller meets the error */
  else *at = *made = new_request(text, name, option, noption);
  return *made != NULL;
}

ma_status ma_cpu_look_prepared(const void *source, size_t size, const char *name) {
  if (!ma_prepare.on) return MA_OK;
  ma_prepare.source = ma_hash(source, size, strlen(name));
  pthread_mutex_lock(&preparing);
  const request *r = requests;
  while (r && (r->source != ma_prepare.source || r->failed)) r = r->next;
  pthread_mutex_unlock(&preparing);
  return r ? ma_prepare_later(name) : MA_OK;
}

/* Of a call that prepares. Gives a text to a thread, and fails while that compiles it, or has too many. If it has
** failed, or there is no thread, the caller compiles it. */
static ma_status prepare(const char *text, const char *name, const char *const *option, int noption) {
  request *made;
  pthread_mutex_lock(&preparing);
  bool waits = look_locked(text, name, option, noption, &made);
  pthread_mutex_unlock(&preparing);
  ma_cpu_answer answer = made ? ma_cpu_later(compile_request, made) : MA_CPU_ACCEPTED;
  if (answer != MA_CPU_ACCEPTED) {
    pthread_mutex_lock(&preparing);
    drop_locked(made);
    pthread_mutex_unlock(&preparing);
    waits = answer == MA_CPU_BUSY; /* it is asked for again by ready() */
  }
  return waits ? ma_prepare_later(name) : MA_OK;
}

static ma_status find_or_build(ma_cpu_job *j, void *to) {
  void **handle = to;
  bool fixed = !j->anew && !reads_files(j->text, j->options);
  uint64_t hash = ma_hash(j->text, strlen(j->text), ma_hash(j->options, strlen(j->options), 0));
  if (fixed) *handle = find_object(hash, j->text, j->options);
  if (*handle) return MA_OK;
  if (ma_prepare.on && fixed) MA_TRY(prepare(j->text, j->name, j->option, j->noption));
  return build_once(j, hash, fixed, handle);
}

ma_status ma_cpu_job_do(ma_cpu_job *j, const char *name, ma_cpu_job_work *work, void *to) {
  ma_cpu_options given = { .n = 0 };
  ma_status status = ma_cpu_options_read(j->option, j->noption, &given);
  char *copy = status == MA_OK ? strdup(given.text.bytes ? given.text.bytes : "") : NULL;
  if (status == MA_OK && !copy) status = ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's options");
  if (status == MA_OK) {
    ma_compile_name(name, j->name, sizeof j->name);
    ma_cpu_options_split(&given, copy);
    j->options = given.text.bytes ? given.text.bytes : "";
    j->taken = &given;
    status = work(j, to);
  }
  free(copy);
  ma_ctext_free(&given.text);
  return status;
}

ma_status ma_cpu_compile(const char *text, const char *name, const char *const *option, int noption, void **handle) {
  ma_cpu_job j = { .text = text, .option = option, .noption = noption };
  *handle = NULL;
  return ma_cpu_job_do(&j, name, find_or_build, handle);
}

ma_status ma_cpu_compile_anew(const char *text, const char *name, const char *const *option, int noption,
                              void **handle) {
  ma_cpu_job j = { .text = text, .option = option, .noption = noption, .anew = true };
  *handle = NULL;
  return ma_cpu_job_do(&j, name, find_or_build, handle);
}
