/* compiler.h: C++ compilers for the user's kernels: this machine's, and those that make code for other machines. */
#ifndef MA_CPU_COMPILER_H
#define MA_CPU_COMPILER_H

#include "cpu/cpu.h"
#include "cpu/compile/options.h"

#include <limits.h>

#pragma GCC visibility push(hidden)

/* A kind of machine. */
typedef struct ma_cpu_target {
  const char *name;  /* for users: "x86-64-v3"; NULL: this very machine */
  const char *march; /* the compiler's option */
  int arch;          /* of its images in bundles (MA_BUNDLE_CPU) */
  bool x86, windows;
  const char *command[3]; /* compilers that are tried on machines of another kind */
} ma_cpu_target;

extern const ma_cpu_target ma_cpu_here;

/* Whether this machine's compiler makes code for it. */
static inline bool ma_cpu_target_is_here(const ma_cpu_target *t) {
  return t->x86 == ma_cpu_here.x86 && t->windows == ma_cpu_here.windows;
}

#define MA_CPU_COMPILER_WORDS 8 /* words in $CXX: "ccache g++" */
typedef struct ma_cpu_compiler {
  char words[PATH_MAX], *word[MA_CPU_COMPILER_WORDS]; /* the command, with the absolute path of its program */
  int nword;
  char version[160];
  bool is_gcc, told; /* told: the trace has it */
  const char *quiet; /* option: no source lines in the log, since the message shows them */
  uint64_t features; /* features of the processor, on which -march=native depends */
  const ma_cpu_target *target;
} ma_cpu_compiler;

/* The compilation of one text. Paths are in `work`. */
typedef struct ma_cpu_job {
  const char *text, *options; /* options: one a line */
  const ma_cpu_options *taken;
  const char *const *option; /* as they were given */
  int noption;
  char name[80];
  const ma_cpu_compiler *cxx;
  bool anew;                /* an object that is loaded already is loaded once more */
  bool served;              /* a bundle had it */
  char from[PATH_MAX + 32]; /* where it came from, "": nowhere; for MOONARRAY_BUNDLE=check */
  char work[PATH_MAX], source[PATH_MAX + 16], output[PATH_MAX + 16], log[PATH_MAX + 16];
} ma_cpu_job;

/* ==== compiler.c ================================================================================================== */

/* Finds this machine's compiler; the caller holds the building lock. While there is none, each call searches again,
** because one may be installed meanwhile. `work` is a folder for temporary files. */
ma_status ma_cpu_compiler_need(const char *work, const ma_cpu_compiler **found);
/* Finds one that makes code for a kind of machine: by its command, or, where it is NULL, by itself. */
ma_status ma_cpu_compiler_for(const ma_cpu_target *target, const char *command, const char *work, ma_cpu_compiler *c);
void ma_cpu_compiler_print(const ma_cpu_compiler *c, ma_ctext *text); /* what an object depends on, for keys */
/* Writes j->source, and compiles it to j->output. It preprocesses without line markers, because the temporary folder
** has a new name each time. */
ma_status ma_cpu_compiler_write(const ma_cpu_job *j);
ma_status ma_cpu_compiler_run(const ma_cpu_job *j, bool preprocess);

/* ==== compile.c =================================================================================================== */

typedef ma_status ma_cpu_job_work(ma_cpu_job *j, void *to);
/* Reads the options of a job, of which text, option and noption are set, and does the work. */
ma_status ma_cpu_job_do(ma_cpu_job *j, const char *name, ma_cpu_job_work *work, void *to);
/* Works in a temporary folder. If one is full or does not allow code to run, the next one is tried. */
ma_status ma_cpu_job_in_folder(ma_cpu_job *j, ma_cpu_job_work *work, void *to);
/* Loads the object that the cache has under the salt; NULL: none that the loader takes. */
void *ma_cpu_open_cached(const ma_cpu_job *j, const char *salt);
/* Loads j->output, and lets the cache keep it. */
ma_status ma_cpu_open_output(const ma_cpu_job *j, const char *salt, void **handle);

/* As ma_cpu_compile, but an object that is loaded already is loaded once more, with variables of its own. */
ma_status ma_cpu_compile_anew(const char *text, const char *name, const char *const *option, int noption,
                              void **handle);

/* At the beginning of a call's work on a text, which `source` tells from others. If the call prepares, and a thread
** compiles what an earlier one made of that, it fails: making the text again takes longer than all else in such a call.
*/
ma_status ma_cpu_look_prepared(const void *source, size_t size, const char *name);

/* ==== later.c ===================================================================================================== */

typedef enum ma_cpu_answer {
  MA_CPU_ACCEPTED,
  MA_CPU_BUSY, /* too many requests wait */
  MA_CPU_NO_THREAD
} ma_cpu_answer;

/* Compiles on a thread of its own what nobody waits for. */
ma_cpu_answer ma_cpu_later(ma_status (*compile)(void *what), void *what);

/* ==== bundled.c =================================================================================================== */

void ma_cpu_job_record(const ma_cpu_job *j); /* writes down that the program asks for it, where that is recorded */
void ma_cpu_job_check(const ma_cpu_job *j);  /* the same where it is checked what players lack */
void *ma_cpu_open_bundled(ma_cpu_job *j);    /* NULL: no bundle has an image that runs here */

#pragma GCC visibility pop
#endif
