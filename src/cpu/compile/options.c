/*
** options.c: options of a user's kernel for the machine's C++ compiler. Options that C++ compilers share with NVRTC are
** passed, those of the GPU are dropped, and any other is an error: an option that names an output, a plugin or a
** program does not belong to a kernel.
*/
#include "cpu/compile/options.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(table) (sizeof table / sizeof *table)

static const struct {
  const char *name, *ours;
} valued[] = { { "--define-macro", "-D" },
               { "--undefine-macro", "-U" },
               { "--include-path", "-I" },
               { "-D", "-D" },
               { "-U", "-U" },
               { "-I", "-I" } };
static const char *const taken[] = { "-O",          "-march=",        "-mtune=",        "-ffp-contract=",
                                     "-ffast-math", "-fno-fast-math", "-funroll-loops", "-fno-exceptions",
                                     "-fno-rtti" };
static const char *const of_gpus[] = { "use_fast_math",
                                       "fmad",
                                       "ftz",
                                       "prec-div",
                                       "prec-sqrt",
                                       "maxrregcount",
                                       "gpu-architecture",
                                       "arch",
                                       "lineinfo",
                                       "generate-line-info",
                                       "device-debug",
                                       "G",
                                       "dopt",
                                       "restrict",
                                       "default-device",
                                       "disable-warnings",
                                       "w",
                                       "relocatable-device-code",
                                       "rdc",
                                       "extra-device-vectorization",
                                       "minimal",
                                       "split-compile",
                                       "device-int128",
                                       "device-float128",
                                       "device-as-default-execution-space",
                                       "dlto",
                                       "time",
                                       "Ofast-compile",
                                       "ewp",
                                       "modify-stack-limit",
                                       "dlink-time-opt",
                                       "gen-opt-lto",
                                       "optix-ir",
                                       "jump-table-density",
                                       "device-stack-protector",
                                       "no-cache",
                                       "frandom-seed",
                                       "no-source-include",
                                       "builtin-move-forward",
                                       "builtin-initializer-list",
                                       "pch",
                                       "create-pch",
                                       "use-pch",
                                       "pch-dir",
                                       "pch-verbose",
                                       "pch-messages",
                                       "instantiate-templates-in-pch",
                                       "optimization-info",
                                       "display-error-number",
                                       "no-display-error-number",
                                       "brief-diagnostics",
                                       "fdevice-syntax-only",
                                       "fdevice-time-trace",
                                       "ptxas-options",
                                       "version-ident" };

/* Reads -DN, -D N, --define-macro=N or --define-macro N: the value; *k moves to the last word. */
static const char *option_value(const char *const *option, int noption, int *k, const char *name) {
  size_t n = strlen(name);
  const char *rest = option[*k] + n;
  if (strncmp(option[*k], name, n)) return NULL;
  if (!*rest) return *k + 1 < noption ? option[++*k] : NULL;
  if (name[1] != '-') return rest;
  return *rest == '=' ? rest + 1 : NULL;
}

static bool take_valued(ma_cpu_options *to, const char *const *option, int noption, int *k) {
  for (size_t i = 0; i < COUNT(valued); i++) {
    const char *value = option_value(option, noption, k, valued[i].name);
    if (!value) continue;
    ma_ctext_add(&to->text, "%s%s\n", valued[i].ours, value);
    return true;
  }
  return false;
}

/* Takes a language standard. C++17 is the default, which the library's own text needs; a later one is accepted. */
static bool take_standard(ma_cpu_options *to, const char *option) {
  option += option[0] == '-' && option[1] == '-';
  if (strncmp(option, "-std=c++", 8) && strncmp(option, "std=c++", 7)) return false;
  int year = atoi(strchr(option, '+') + 2);
  if (year > 17 && year < 90) ma_ctext_add(&to->text, "-std=c++%d\n", year);
  return true;
}

static bool take_plain(ma_cpu_options *to, const char *option) {
  for (size_t i = 0; i < COUNT(taken); i++)
    if (!strncmp(option, taken[i], strlen(taken[i]))) {
      ma_ctext_add(&to->text, "%s\n", option);
      return true;
    }
  return false;
}

/* Whether an option is one for GPUs, which is dropped. Its value may be in the next word: -arch sm_80. */
static bool is_of_gpus(const char *const *option, int noption, int *k) {
  const char *name = option[*k] + strspn(option[*k], "-");
  size_t dashes = (size_t)(name - option[*k]), n = strcspn(name, "=");
  bool is = !strncmp(name, "diag-", 5);
  if (dashes < 1 || dashes > 2) return false;
  for (size_t i = 0; i < COUNT(of_gpus) && !is; i++) is = strlen(of_gpus[i]) == n && !strncmp(name, of_gpus[i], n);
  if (is && !name[n] && *k + 1 < noption && *option[*k + 1] != '-') ++*k;
  return is;
}

ma_status ma_cpu_options_read(const char *const *option, int noption, ma_cpu_options *to) {
  if (noption > MA_CPU_OPTIONS)
    return ma_fail(MA_ERR_VALUE, "%d options; at most %d are taken", noption, MA_CPU_OPTIONS);
  for (int k = 0; k < noption; k++) {
    if (strchr(option[k], '\n'))
      return ma_fail(MA_ERR_VALUE, "option %d has a line's end in it; one line is wanted", k + 1);
    if (take_valued(to, option, noption, &k) || take_standard(to, option[k]) || is_of_gpus(option, noption, &k) ||
        take_plain(to, option[k]))
      continue;
    return ma_fail(MA_ERR_VALUE,
                   "option '%.200s' is not known on the CPU; it takes -DNAME=VALUE, -UNAME, -IFOLDER, --std=c++20, "
                   "-O2, -funroll-loops, "
                   "-ffast-math, -fno-exceptions, -fno-rtti, -march= and -mtune=, and leaves out NVRTC's own, such as "
                   "-lineinfo and --maxrregcount=32",
                   option[k]);
  }
  return to->text.failed ? ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's options") : MA_OK;
}

void ma_cpu_options_split(ma_cpu_options *to, char *copy) {
  for (char *end; (end = strchr(copy, '\n')) && to->n < MA_CPU_OPTIONS; copy = end + 1) {
    *end = 0;
    to->word[to->n++] = copy;
  }
}
