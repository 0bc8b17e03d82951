/*
** compiler.c: finds and runs the C++ compilers of the user's kernels. They run without a shell. A kernel that runs here
** alone is compiled for this very processor, one of a bundle for a level that many have.
*/
#include "cpu/compile/compiler.h"
#include "compile/cache.h"
#include "compile/compile.h"
#include "system/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LOG 65536

/* ==== Options ===================================================================================================== */

/* With these flags integers wrap, and products and sums are neither contracted nor reordered, so the bits are those of
** a GPU. */
static const char *const flags[] = { "-O3",
                                     "-std=c++17",
                                     "-shared",
                                     "-fwrapv",
                                     "-fno-math-errno",
                                     "-fno-trapping-math",
                                     "-ffp-contract=off",
                                     "-fno-strict-aliasing",
                                     "-w",
                                     NULL };
static const char *const posix_flags[] = { "-fPIC", NULL };
/* -mno-ms-bitfields: structs as a GPU and Linux have them. gnu++17 and the macro: the functions of <math.h> and the
** formats of printf that other systems have. */
static const char *const windows_flags[] = { "-static", "-mno-ms-bitfields", "-std=gnu++17",
                                             "-D__USE_MINGW_ANSI_STDIO=1", NULL };
/* gcc does not align the stack for vectors of 32 bytes on Windows, and would fault on them. */
static const char *const windows_gcc_flags[] = { "-Wa,-muse-unaligned-vector-move", NULL };
/* What divide.c needs. gcc must keep divisions by a constant zero. clang divides in 64 bits where 32 would do, because
** the result of a division by zero has the width of the instruction. */
static const char *const gcc_divides[] = { "-fno-isolate-erroneous-paths-dereference", NULL };
static const char *const clang_divides[] = { "-Xclang", "-target-feature", "-Xclang", "-idivq-to-divl", NULL };
/* Of images in bundles: no names that only a debugger reads, and no library that the text does not use. */
static const char *const carried_flags[] = { "-s", NULL };
static const char *const carried_posix_flags[] = { "-Wl,--as-needed", "-Wl,-z,noseparate-code", NULL };
static const char *const none[] = { NULL };

/* The lists of options for a compiler. */
#define NLIST 6
static void find_lists(const ma_cpu_compiler *c, const char *const *list[NLIST]) {
  const ma_cpu_target *t = c->target;
  list[0] = flags;
  list[1] = t->windows ? windows_flags : posix_flags;
  list[2] = t->windows && c->is_gcc ? windows_gcc_flags : none;
  list[3] = c->is_gcc ? gcc_divides : t->x86 ? clang_divides : none;
  list[4] = t->name ? carried_flags : none;
  list[5] = t->name && !t->windows ? carried_posix_flags : none;
}

/* Whether the kernel's own option says for which processor it is. That of a bundle is for the kind of machine. */
static bool names_processor(const char *word) { return !strncmp(word, "-march=", 7) || !strncmp(word, "-mtune=", 7); }

void ma_cpu_compiler_print(const ma_cpu_compiler *c, ma_ctext *text) {
  const char *const *list[NLIST];
  find_lists(c, list);
  for (int i = 0; i < c->nword; i++) ma_ctext_add(text, "%s ", c->word[i]);
  ma_ctext_add(text, "%s %016llx\n%s ", c->version, (unsigned long long)c->features, c->target->march);
  for (int k = 0; k < NLIST; k++)
    for (int i = 0; list[k][i]; i++) ma_ctext_add(text, "%s ", list[k][i]);
}

/* ==== Finding ===================================================================================================== */

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

static bool ask_version(ma_cpu_compiler *c, const char *work) {
  char *argv[MA_CPU_COMPILER_WORDS + 2], log[PATH_MAX + 16], *text;
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
  return c->version[0] != 0;
}

/* Looks for the compiler of a command, which may have two words: "ccache g++". */
static bool try_command(ma_cpu_compiler *c, const char *command, const char *work) {
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
    if (*rest && c->nword == MA_CPU_COMPILER_WORDS) return false;
    if (*rest) c->word[c->nword++] = rest;
    rest += strcspn(rest, " ");
  }
  return ask_version(c, work);
}

static bool try_all(ma_cpu_compiler *c, const char *const *command, const char *work) {
  for (; *command; command++)
    if (try_command(c, *command, work)) return true;
  return false;
}

static bool find_here(ma_cpu_compiler *c, const char *work) {
  const char *chosen = getenv("CXX");
  if (!ma_config_int(MA_CONFIG_COMPILER)) return false;
  return (chosen && *chosen && try_command(c, chosen, work)) || try_all(c, ma_system.compilers, work);
}

static ma_status fail_no_compiler(void) {
  char list[160] = "$CXX";
  for (int i = 0; ma_system.compilers[i]; i++)
    snprintf(list + strlen(list), sizeof list - strlen(list), ", %s", ma_system.compilers[i]);
  if (!ma_config_int(MA_CONFIG_COMPILER)) snprintf(list, sizeof list, "%s is 0", ma_config_name(MA_CONFIG_COMPILER));
  return ma_fail(MA_ERR_LIBRARY,
                 "no C++ compiler was found (%s); kernels on the CPU need one: %s, or bring this kernel in a bundle, "
                 "for which %s=record:FILE records it where there is one",
                 list, ma_system.install, ma_config_name(MA_CONFIG_BUNDLE));
}

ma_status ma_cpu_compiler_need(const char *work, const ma_cpu_compiler **found) {
  static ma_cpu_compiler the;
  static bool known;
  char model[64];
  known = known || find_here(&the, work);
  the.target = &ma_cpu_here;
  *found = &the;
  if (known && !the.told) {
    ma_system_processor(model, sizeof model, &the.features);
    ma_trace("jit", "the C++ compiler is %s: %s", the.words, the.version);
    the.told = true;
  }
  return known ? MA_OK : fail_no_compiler();
}

ma_status ma_cpu_compiler_for(const ma_cpu_target *target, const char *command, const char *work, ma_cpu_compiler *c) {
  memset(c, 0, sizeof *c);
  c->target = target;
  if (command) {
    if (try_command(c, command, work)) return MA_OK;
    return ma_fail(MA_ERR_LIBRARY,
                   "the compiler '%.200s' for %s was not found; wanted a program of PATH, or a whole path", command,
                   target->name);
  }
  if (ma_cpu_target_is_here(target)) return find_here(c, work) ? MA_OK : fail_no_compiler();
  if (try_all(c, target->command, work)) return MA_OK;
  return ma_fail(MA_ERR_LIBRARY, "no compiler for %s was found; wanted %s in PATH, or its command in compilers",
                 target->name, target->command[0]);
}

/* ==== Running ===================================================================================================== */

ma_status ma_cpu_compiler_write(const ma_cpu_job *j) {
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

/* The command with its own options and those of a kernel. Returns how many there are. */
static int put_command(const ma_cpu_compiler *c, const ma_cpu_options *taken, char **argv) {
  const char *const *list[NLIST];
  int n = 0;
  find_lists(c, list);
  for (int i = 0; i < c->nword; i++) argv[n++] = c->word[i];
  argv[n++] = (char *)c->target->march;
  for (int k = 0; k < NLIST; k++)
    for (int i = 0; list[k][i]; i++) argv[n++] = (char *)list[k][i];
  argv[n++] = (char *)c->quiet;
  for (int i = 0; i < taken->n; i++)
    if (!c->target->name || !names_processor(taken->word[i])) argv[n++] = taken->word[i];
  return n;
}

/* Removes the parameter that kernels get (indices.c) from a log. */
static void drop_indices(char *log) {
  static const char *const added[] = { "const ma_indices&, ", "const ma_indices &, ", "const ma_indices&",
                                       "const ma_indices &" };
  for (size_t i = 0; i < sizeof added / sizeof *added; i++)
    for (char *at = log; (at = strstr(at, added[i]));)
      memmove(at, at + strlen(added[i]), strlen(at + strlen(added[i])) + 1);
}

/* If the exit status is unknown, the output decides whether it succeeded. */
ma_status ma_cpu_compiler_run(const ma_cpu_job *j, bool preprocess) {
  char *argv[MA_CPU_COMPILER_WORDS + MA_CPU_OPTIONS + 48], *log = NULL;
  size_t size;
  int n = put_command(j->cxx, j->taken, argv);
  bool known;
  struct stat st;
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
