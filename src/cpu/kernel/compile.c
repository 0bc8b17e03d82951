/*
** compile.c: compiles C++ text to a shared object with the machine's compiler and loads it, for kernels that the user
** wrote.
**
** The compiler runs without a shell, in a temporary folder (work.c) that is removed in every case. Objects are cached
** like the GPU's images. The key has the compiler, its version and the processor's features, because the code is for
** this machine. A loaded object stays for the life of the process, because kernels point into it.
*/
#include "compile/cache.h"
#include "compile/compile.h"
#include "base/fork.h"
#include "cpu/cpu.h"
#include "cpu/kernel/options.h"
#include "system/system.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_WORDS 8 /* words in $CXX: "ccache g++" */
#define MOST_LOG 65536

/* With these flags integers wrap, and products and sums are neither contracted nor reordered, so the bits are those of
** a GPU. */
static const char *const flags[] = { "-O3",
                                     "-march=native",
                                     "-std=c++17",
                                     "-shared",
                                     "-fwrapv",
                                     "-fno-math-errno",
                                     "-fno-trapping-math",
                                     "-ffp-contract=off",
                                     "-fno-strict-aliasing",
                                     "-w" };
#define NFLAG (int)(sizeof flags / sizeof *flags)
#define MOST_SYSTEM_FLAGS 16

/* What divide.c needs. gcc must keep divisions by a constant zero. clang divides in 64 bits where 32 would do, because
** the result of a division by zero has the width of the instruction. */
static const char *const gcc_divides[] = { "-fno-isolate-erroneous-paths-dereference", NULL };
#ifdef __x86_64__
static const char *const clang_divides[] = { "-Xclang", "-target-feature", "-Xclang", "-idivq-to-divl", NULL };
#else
static const char *const clang_divides[] = { NULL };
#endif
#define MOST_DIVIDES 4

typedef struct compiler {
  char words[PATH_MAX], *word[MAX_WORDS]; /* the command, with the absolute path of its program */
  int nword;
  char version[160];
  bool is_gcc, told; /* told: the trace has it */
  const char *quiet; /* option: no source lines in the log, since the message shows them */
  const char *const *divides;
  uint64_t features; /* features of the processor, on which -march=native depends */
} compiler;

/* ---- The compiler ---- */

static bool runnable(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Finds the absolute path of a program, through $PATH if it has no slash. */
static bool find_program(const char *name, char *path, size_t size) {
  const char *list = getenv("PATH"), between[] = { ma_system.list, 0 };
  size_t n = strlen(name), end = strlen(ma_system.program_ending);
  const char *ending = n > end && !strcmp(name + n - end, ma_system.program_ending) ? "" : ma_system.program_ending;
  if (strpbrk(name, ma_system.separators))
    return ma_path_is_absolute(name) && (size_t)snprintf(path, size, "%s%s", name, ending) < size && runnable(path);
  for (const char *at = list ? list : ma_system.program_folders; *at; at += *at == ma_system.list) {
    n = strcspn(at, between);
    if (ma_path_is_absolute(at) && (size_t)snprintf(path, size, "%.*s/%s%s", (int)n, at, name, ending) < size &&
        runnable(path))
      return true;
    at += n;
  }
  return false;
}

static bool ask_version(compiler *c, const char *work) {
  char *argv[MAX_WORDS + 2], log[PATH_MAX + 16], *text;
  size_t size;
  bool known;
  memcpy(argv, c->word, sizeof *argv * (size_t)c->nword);
  argv[c->nword] = "--version";
  argv[c->nword + 1] = NULL;
  snprintf(log, sizeof log, "%s/version", work);
  if (!ma_system_run(argv, work, log, &known) || !ma_file_read(log, 1000, &text, &size)) return false;
  text[strcspn(text, "\n")] = 0;
  snprintf(c->version, sizeof c->version, "%s", text);
  free(text);
  c->is_gcc = !strstr(c->version, "clang");
  c->quiet = c->is_gcc ? "-fno-diagnostics-show-caret" : "-fno-caret-diagnostics";
  c->divides = c->is_gcc ? gcc_divides : clang_divides;
  return c->version[0] != 0;
}

/* Looks for the compiler of a command, which may have two words: "ccache g++". */
static bool try_command(compiler *c, const char *command, const char *work) {
  char path[PATH_MAX], first[PATH_MAX];
  command += strspn(command, " ");
  int n = (int)strcspn(command, " ");
  if (snprintf(first, sizeof first, "%.*s", n, command) >= (int)sizeof first || !find_program(first, path, sizeof path))
    return false;
  if (snprintf(c->words, sizeof c->words, "%s%s", path, command + n) >= (int)sizeof c->words) return false;
  c->nword = 0;
  char *rest = c->words + strlen(path); /* a path may have spaces */
  c->word[c->nword++] = c->words;
  while (*rest) {
    *rest++ = 0;
    rest += strspn(rest, " ");
    if (*rest && c->nword == MAX_WORDS) return false;
    if (*rest) c->word[c->nword++] = rest;
    rest += strcspn(rest, " ");
  }
  return ask_version(c, work);
}

static ma_status fail_no_compiler(void) {
  char list[160] = "$CXX";
  for (int i = 0; ma_system.compilers[i]; i++)
    snprintf(list + strlen(list), sizeof list - strlen(list), ", %s", ma_system.compilers[i]);
  return ma_fail(MA_ERR_LIBRARY, "no C++ compiler was found (%s); kernels on the CPU need one: %s", list,
                 ma_system.install);
}

/* Finds the compiler; the caller holds the building lock. While there is none, each call searches again, because one
** may be installed meanwhile. */
static ma_status need_compiler(const char *work, const compiler **found) {
  static compiler the;
  static bool known;
  char model[64];
  const char *chosen = getenv("CXX");
  known = known || (chosen && *chosen && try_command(&the, chosen, work));
  for (int i = 0; !known && ma_system.compilers[i]; i++) known = try_command(&the, ma_system.compilers[i], work);
  *found = &the;
  if (known && !the.told) {
    ma_system_processor(model, sizeof model, &the.features);
    ma_trace("jit", "the C++ compiler is %s: %s", the.words, the.version);
    the.told = true;
  }
  return known ? MA_OK : fail_no_compiler();
}

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

/* The compilation of one text. Paths are in `work`. */
typedef struct job {
  const char *text, *options; /* options: one a line */
  const ma_cpu_options *taken;
  char name[80];
  const compiler *cxx;
  char work[PATH_MAX], source[PATH_MAX + 16], output[PATH_MAX + 16], log[PATH_MAX + 16];
} job;

static ma_status write_source(const job *j) {
  ma_ctext whole = { 0 };
  ma_ctext_add(&whole, "#line 1 \"%s\"\n", j->name);
  ma_ctext_put(&whole, j->text);
  ma_ctext_put(&whole, "\n");
  ma_status status = MA_OK;
  if (whole.failed) status = ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text");
  else if (!ma_file_write(j->source, whole.bytes, whole.size))
    status = ma_fail(MA_ERR_IO, "%s cannot be written: %s", j->source, strerror(errno));
  ma_ctext_free(&whole);
  return status;
}

/* Removes the parameter that kernels get (indices.c) from a log. */
static void drop_indices(char *log) {
  static const char *const added[] = { "const ma_indices&, ", "const ma_indices &, ", "const ma_indices&",
                                       "const ma_indices &" };
  for (size_t i = 0; i < sizeof added / sizeof *added; i++)
    for (char *at = log; (at = strstr(at, added[i]));)
      memmove(at, at + strlen(added[i]), strlen(at + strlen(added[i])) + 1);
}

/* Runs the compiler. It preprocesses without line markers, because the temporary folder has a new name each time. If
** the exit status is unknown, the output decides whether it succeeded. */
static ma_status run_compiler(const job *j, bool preprocess) {
  char *argv[MAX_WORDS + NFLAG + MOST_SYSTEM_FLAGS + MOST_DIVIDES + MA_CPU_OPTIONS + 8], *log = NULL;
  size_t size;
  int n = 0;
  bool known;
  struct stat st;
  for (int i = 0; i < j->cxx->nword; i++) argv[n++] = j->cxx->word[i];
  for (int i = 0; i < NFLAG; i++) argv[n++] = (char *)flags[i];
  for (int i = 0; ma_system.compiler_flags[i]; i++) argv[n++] = (char *)ma_system.compiler_flags[i];
  for (int i = 0; j->cxx->is_gcc && ma_system.gcc_flags[i]; i++) argv[n++] = (char *)ma_system.gcc_flags[i];
  argv[n++] = (char *)j->cxx->quiet;
  for (int i = 0; j->cxx->divides[i]; i++) argv[n++] = (char *)j->cxx->divides[i];
  for (int i = 0; i < j->taken->n; i++) argv[n++] = j->taken->word[i];
  if (preprocess) {
    argv[n++] = "-E";
    argv[n++] = "-P";
  }
  argv[n++] = "-o";
  argv[n++] = (char *)j->output;
  argv[n++] = (char *)j->source;
  argv[n] = NULL;
  unlink(j->output);
  unlink(j->log); /* of an earlier run */
  if (ma_system_run(argv, j->work, j->log, &known) && stat(j->output, &st) == 0 && st.st_size > 0) return MA_OK;
  if (!ma_file_read(j->log, MOST_LOG, &log, &size)) log = NULL;
  if (log) drop_indices(log);
  ma_status status = ma_compile_fail(
    j->name, j->text, log && *log ? log : "the compiler could not be run to its end, or there is no memory for it");
  free(log);
  return status;
}

/* Whether the command itself has options such as -Ifolder or -include. */
static bool finds_files(const compiler *c) {
  for (int i = 1; i < c->nword; i++)
    if (!strncmp(c->word[i], "-I", 2) || !strncmp(c->word[i], "-i", 2)) return true;
  return false;
}

static ma_status put_salt(const job *j, ma_ctext *salt) {
  for (int i = 0; i < j->cxx->nword; i++) ma_ctext_add(salt, "%s ", j->cxx->word[i]);
  ma_ctext_add(salt, "%s %016llx\n", j->cxx->version, (unsigned long long)j->cxx->features);
  for (int i = 0; i < NFLAG; i++) ma_ctext_add(salt, "%s ", flags[i]);
  for (int i = 0; j->cxx->divides[i]; i++) ma_ctext_add(salt, "%s ", j->cxx->divides[i]);
  for (size_t i = 0; i < sizeof searched / sizeof *searched; i++)
    ma_ctext_add(salt, "%s=%s\n", searched[i], getenv(searched[i]) ? getenv(searched[i]) : "");
  ma_ctext_put(salt, j->options);
  if (reads_files(j->text, j->options) || finds_files(j->cxx)) {
    char *all;
    size_t size;
    MA_TRY(run_compiler(j, true));
    if (!ma_file_read(j->output, SIZE_MAX / 2, &all, &size)) return ma_fail(MA_ERR_IO, "%s cannot be read", j->output);
    ma_ctext_add(salt, "%016llx%016llx", (unsigned long long)ma_hash(all, size, 1),
                 (unsigned long long)ma_hash(all, size, 2));
    free(all);
  }
  return salt->failed ? ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's key") : MA_OK;
}

/* Loads the cached object. If the cache's file system does not allow code to run, or the entry was removed, it loads
** a copy in the temporary folder. */
static void *open_cached(const job *j, const char *salt) {
  char path[PATH_MAX], copy[PATH_MAX + 16];
  ma_image image;
  if (!ma_cache_find(j->text, salt, path, &image)) return NULL;
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    ma_trace("jit", "%s: the cached object was refused: %s", j->name, dlerror());
    snprintf(copy, sizeof copy, "%s/cached%s", j->work, ma_system.object_ending);
    unlink(copy);
    if (ma_file_write(copy, image.bytes, image.size)) handle = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
  }
  ma_image_free(&image);
  return handle;
}

static ma_status open_output(const job *j, const char *salt, void **handle) {
  ma_image image = { .kind = MA_IMAGE_SHARED_OBJECT };
  *handle = NULL;
  if (!ma_file_read(j->output, SIZE_MAX / 2, &image.bytes, &image.size))
    return ma_fail(MA_ERR_IO, "%s cannot be read, or there is no memory for it", j->output);
  if (ma_cache_store(j->text, salt, &image, 0)) *handle = open_cached(j, salt);
  ma_image_free(&image);
  if (!*handle) *handle = dlopen(j->output, RTLD_NOW | RTLD_LOCAL);
  if (*handle) return MA_OK;
  ma_cache_drop(j->text, salt);
  return ma_compile_fail(j->name, j->text, dlerror());
}

static ma_status compile(const job *j, const char *salt, void **handle) {
  struct timespec start, end;
  struct stat st = { 0 };
  clock_gettime(CLOCK_MONOTONIC, &start);
  MA_TRY(ma_compile_begin(j->name));
  MA_TRY(run_compiler(j, false));
  clock_gettime(CLOCK_MONOTONIC, &end);
  stat(j->output, &st);
  ma_trace("jit", "%s: compiled by %s in %.1f ms, %lld bytes", j->name, j->cxx->words,
           (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) * 1e-6,
           (long long)st.st_size);
  return open_output(j, salt, handle);
}

static ma_status build_in(job *j, void **handle) {
  ma_ctext salt = { 0 };
  snprintf(j->source, sizeof j->source, "%s/kernel.cpp", j->work);
  snprintf(j->output, sizeof j->output, "%s/kernel%s", j->work, ma_system.object_ending);
  snprintf(j->log, sizeof j->log, "%s/log", j->work);
  ma_status status = need_compiler(j->work, &j->cxx);
  if (status == MA_OK) status = write_source(j);
  if (status == MA_OK) status = put_salt(j, &salt);
  if (status == MA_OK) *handle = open_cached(j, salt.bytes);
  if (status == MA_OK && !*handle) status = compile(j, salt.bytes, handle);
  ma_ctext_free(&salt);
  return status;
}

/* Compiles in one of several folders. If one is full or does not allow code to run, the next one is tried. */
static ma_status build(job *j, void **handle) {
  const char *place[MA_WORK_PLACES];
  int n = ma_work_places(place);
  ma_status status = MA_OK;
  bool made = false;
  *handle = NULL;
  for (int i = 0; i < n; i++) {
    if (!ma_work_make(place[i], j->work)) continue;
    made = true;
    status = build_in(j, handle);
    bool settled = status == MA_OK || ma_work_serves(j->work);
    ma_work_remove(j->work);
    if (settled) break;
    ma_trace("jit", "%s: %s is full, or runs no code", j->name, place[i]);
  }
  if (!made)
    return ma_fail(MA_ERR_IO, "no folder can be made in the cache of kernels, $TMPDIR or /tmp; compiling needs one");
  return status;
}

static ma_status build_once(job *j, uint64_t hash, bool fixed, void **handle) {
  pthread_mutex_lock(&building);
  ma_status status = MA_OK;
  *handle = fixed ? find_object(hash, j->text, j->options) : NULL;
  if (!*handle) {
    ma_compile_show(j->name, ".cpp", j->text);
    status = build(j, handle);
    if (status == MA_OK && fixed) keep_object(hash, j->text, j->options, *handle);
  }
  pthread_mutex_unlock(&building);
  return status;
}

ma_status ma_cpu_compile(const char *text, const char *name, const char *const *option, int noption, void **handle) {
  ma_cpu_options given = { .n = 0 };
  *handle = NULL;
  ma_status status = ma_cpu_options_read(option, noption, &given);
  if (status == MA_OK) {
    const char *lines = given.text.bytes ? given.text.bytes : "";
    bool fixed = !reads_files(text, lines);
    uint64_t hash = ma_hash(text, strlen(text), ma_hash(lines, strlen(lines), 0));
    if (fixed) *handle = find_object(hash, text, lines);
    char *copy = *handle ? NULL : strdup(lines);
    if (!*handle && !copy) status = ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's options");
    if (copy) {
      job j = { .text = text, .options = lines, .taken = &given };
      ma_compile_name(name, j.name, sizeof j.name);
      ma_cpu_options_split(&given, copy);
      status = build_once(&j, hash, fixed, handle);
      free(copy);
    }
  }
  ma_ctext_free(&given.text);
  return status;
}
