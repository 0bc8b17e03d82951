/*
** bundled.c: the user's kernels in bundles, for machines that have no compiler: which kinds of machines there are, what
** an object is found by, and objects for other machines. An entry is found by its text, its options and the contents of
** the user's headers, whatever compiler made it.
*/
#include "bundle/bundle.h"
#include "compile/compile.h"
#include "cpu/compile/compiler.h"
#include "backend/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== Kinds of machines =========================================================================================== */

/* The last digit is the level, which code of lower levels runs on too; the others are the system and the family. */
enum { LINUX_X86 = MA_BUNDLE_CPU + 10, LINUX_ARM = MA_BUNDLE_CPU + 20, WINDOWS_X86 = MA_BUNDLE_CPU + 30 };

#ifdef __x86_64__
#define HERE_X86 true
#else
#define HERE_X86 false
#endif
#ifdef _WIN32
#define HERE_WINDOWS true
#else
#define HERE_WINDOWS false
#endif
static const ma_cpu_target targets[] = {
  { "x86-64-v3", "-march=x86-64-v3", LINUX_X86 + 3, true, false, { "x86_64-linux-gnu-g++" } },
  { "x86-64-v2", "-march=x86-64-v2", LINUX_X86 + 2, true, false, { "x86_64-linux-gnu-g++" } },
  { "aarch64", "-march=armv8-a", LINUX_ARM, false, false, { "aarch64-linux-gnu-g++" } },
  { "windows-x86-64-v3",
    "-march=x86-64-v3",
    WINDOWS_X86 + 3,
    true,
    true,
    { "x86_64-w64-mingw32-g++-posix", "x86_64-w64-mingw32-g++" } },
  { "windows-x86-64-v2",
    "-march=x86-64-v2",
    WINDOWS_X86 + 2,
    true,
    true,
    { "x86_64-w64-mingw32-g++-posix", "x86_64-w64-mingw32-g++" } },
};
#define NTARGET (int)(sizeof targets / sizeof *targets)

const ma_cpu_target ma_cpu_here = { NULL, "-march=native", 0, HERE_X86, HERE_WINDOWS, { NULL } };

/* The kinds like this machine come first. */
bool ma_cpu_module_target(int k, const char **name, int *arch, bool *is_here) {
  for (int like = 1; like >= 0; like--)
    for (int i = 0; i < NTARGET; i++)
      if (ma_cpu_target_is_here(&targets[i]) == like && k-- == 0) {
        *name = targets[i].name;
        *arch = targets[i].arch;
        *is_here = like;
        return true;
      }
  return false;
}

static const ma_cpu_target *find_target(int arch) {
  for (int i = 0; i < NTARGET; i++)
    if (targets[i].arch == arch) return &targets[i];
  return NULL;
}

/* What this machine is: images of the same system and family run here up to this level. */
static int this_arch(void) {
#ifdef __x86_64__
  int family = HERE_WINDOWS ? WINDOWS_X86 : LINUX_X86;
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("ssse3") || !__builtin_cpu_supports("popcnt"))
    return family + 1;
  /* f16c, lzcnt and movbe have no name in older compilers; each processor with the others has them */
  bool is_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2");
  return family + (is_v3 ? 3 : 2);
#else
  return LINUX_ARM;
#endif
}

/* ==== Recording and finding ======================================================================================= */

/* Headers are in the key by content: where they lie is not. */
static ma_status print_key(const ma_cpu_job *j, ma_ctext *key) {
  size_t size = strlen(j->text);
  ma_ctext_put(key, "// for CPUs\n");
  for (int i = 0; i < j->taken->n; i++)
    if (strncmp(j->taken->word[i], "-I", 2))
      ma_ctext_add(key, "// option %zu %s\n", strlen(j->taken->word[i]), j->taken->word[i]);
  ma_includes_print(key, j->text, j->option, j->noption);
  ma_ctext_add(key, "// text %016llx%016llx %zu\n", (unsigned long long)ma_hash(j->text, size, 1),
               (unsigned long long)ma_hash(j->text, size, 2), size);
  return key->failed ? ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's key") : MA_OK;
}

void ma_cpu_job_record(const ma_cpu_job *j) {
  ma_ctext key = { 0 };
  ma_module_source source = { .name = j->name, .text = j->text, .option = j->option, .noption = j->noption };
  if (!ma_bundle_records()) return;
  if (print_key(j, &key) == MA_OK)
    ma_bundle_note(&(ma_bundle_record){
      .family = j->name, .text = j->text, .key = key.bytes, .source = &source, .arch = MA_BUNDLE_CPU });
  ma_ctext_free(&key);
}

void ma_cpu_job_check(const ma_cpu_job *j) {
  ma_ctext key = { 0 };
  if (!ma_bundle_checks()) return;
  if (print_key(j, &key) == MA_OK)
    ma_bundle_check_kernel(j->name, key.bytes, MA_BUNDLE_CPU, *j->from ? j->from : "nowhere: there is no compiler",
                           j->served);
  ma_ctext_free(&key);
}

/* An object is loaded from a file. The cache keeps it, under a name that the contents have a part in. */
static ma_status load(const ma_cpu_job *j, const ma_bundle *bundle, const ma_bundle_entry *e, void **handle) {
  ma_image image;
  char salt[80];
  snprintf(salt, sizeof salt, "bundle %016llx%016llx %016llx", (unsigned long long)e->key[0],
           (unsigned long long)e->key[1], (unsigned long long)e->checksum);
  *handle = ma_cpu_open_cached(j, salt);
  if (*handle) return MA_OK;
  MA_TRY(ma_bundle_image(bundle, e, &image));
  unlink(j->output); /* that of an image that was refused */
  bool ok = ma_file_write(j->output, image.bytes, image.size);
  ma_image_free(&image);
  return ok ? ma_cpu_open_output(j, salt, handle) : ma_fail(MA_ERR_IO, "%s cannot be written", j->output);
}

/* Tries the images of a bundle that run here, the best first. */
static void *open_from(ma_cpu_job *j, const ma_bundle *bundle, const uint64_t key[2]) {
  const ma_bundle_entry *e;
  void *handle = NULL;
  int arch = this_arch();
  for (int below = INT_MAX; !handle && (e = ma_bundle_find(bundle, key, arch, below));) {
    const ma_cpu_target *target = find_target(e->arch);
    const char *name = target ? target->name : "another machine";
    below = ma_bundle_rank(e, arch);
    if (load(j, bundle, e, &handle) == MA_OK) {
      ma_trace("jit", "%s: from the bundle %s, for %s", j->name, ma_bundle_name(bundle), name);
      ma_bundle_note_use(bundle);
      snprintf(j->from, sizeof j->from, "the bundle, %s", ma_bundle_name(bundle));
      j->served = true;
    } else
      ma_trace("jit", "%s: the image of the bundle %s for %s was refused: %s", j->name, ma_bundle_name(bundle), name,
               ma_message());
  }
  return handle;
}

void *ma_cpu_open_bundled(ma_cpu_job *j) {
  ma_ctext text = { 0 };
  uint64_t key[2];
  const ma_bundle *bundle;
  void *handle = NULL;
  if (!ma_bundles_at(0)) return NULL;
  if (print_key(j, &text) == MA_OK) {
    ma_bundle_key(text.bytes, key);
    for (int k = 0; !handle && (bundle = ma_bundles_at(k)); k++) handle = open_from(j, bundle, key);
  }
  ma_ctext_free(&text);
  return handle;
}

/* ==== Compiling for other machines ================================================================================ */

typedef struct wanted {
  const ma_cpu_target *target;
  const char *command; /* NULL: what is found */
  ma_image *image;
} wanted;

/* A compiler for another machine may take the same options. */
static ma_status check_image(const wanted *w) {
  const unsigned char *b = (const unsigned char *)w->image->bytes;
  bool is_elf = w->image->size > 64 && !memcmp(b, "\177ELF", 4), is_pe = w->image->size > 64 && !memcmp(b, "MZ", 2);
  int machine = is_elf ? b[18] | b[19] << 8 : 0, elf = w->target->x86 ? 62 : 183; /* EM_X86_64, EM_AARCH64 */
  if (w->target->windows ? is_pe : machine == elf) return MA_OK;
  return ma_fail(MA_ERR_LIBRARY, "the compiler makes no objects for %s", w->target->name);
}

static ma_status compile_in(ma_cpu_job *j, void *to) {
  wanted *w = to;
  ma_cpu_compiler cxx;
  j->cxx = &cxx;
  ma_image_free(w->image);
  w->image->kind = MA_IMAGE_SHARED_OBJECT;
  MA_TRY(ma_cpu_compiler_for(w->target, w->command, j->work, &cxx));
  MA_TRY(ma_compile_begin(j->name));
  MA_TRY(ma_cpu_compiler_write(j));
  MA_TRY(ma_cpu_compiler_run(j, false));
  if (!ma_file_read(j->output, SIZE_MAX / 2, &w->image->bytes, &w->image->size))
    return ma_fail(MA_ERR_IO, "%s cannot be read, or there is no memory for it", j->output);
  return check_image(w);
}

static ma_status compile_job(ma_cpu_job *j, void *to) { return ma_cpu_job_in_folder(j, compile_in, to); }

ma_status ma_cpu_module_compile(const char *text, const char *name, const ma_module_source *source, int arch, bool ptx,
                                const char *compiler, ma_image *image, int *maker) {
  wanted w = { .target = find_target(arch), .command = compiler, .image = image };
  ma_cpu_job j = { .text = text };
  memset(image, 0, sizeof *image);
  *maker = 0;
  if (!w.target) return ma_fail(MA_ERR_VALUE, "no CPU has the number %d", arch);
  if (source) {
    j.option = source->option;
    j.noption = source->noption;
  }
  ma_status status = ma_cpu_job_do(&j, name, compile_job, &w);
  if (status != MA_OK) ma_image_free(image);
  return status;
}
