/*
** cpu_compile.c: C++ texts compiled for the CPU: called, found in the cache by a new process, compiled again where an
** entry is damaged or the folder cannot be used, and refused with a message that shows the user's own lines.
**
** Each case runs in a process of its own, since the cache's folder and the loaded objects belong to the process.
*/
#include "compile/cache.h"
#include "compile/compile.h"
#include "cpu/cpu.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[64], entries[128]; /* what the user names, and ours in it */
static int passed, failed;

#define CHECK(condition)                                               \
  do {                                                                 \
    if (!(condition)) {                                                \
      printf("line %d: %s: %s\n", __LINE__, #condition, ma_message()); \
      return 1;                                                        \
    }                                                                  \
  } while (0)

static const char text[] = "#include <cmath>\nextern \"C\" double f(double x) { return std::sqrt(x) + 1; }\n";
typedef double function(double);

static function *get(void *handle, const char *name) {
  function *f;
  void *address = dlsym(handle, name);
  memcpy(&f, &address, sizeof f);
  return f;
}

static int compile_and_call(void) {
  void *handle, *again;
  CHECK(ma_cpu_compile(text, "f", NULL, 0, &handle) == MA_OK);
  CHECK(get(handle, "f")(9) == 4);
  CHECK(ma_cpu_compile(text, "f", NULL, 0, &again) == MA_OK && again == handle);
  return 0;
}

/* ---- The folder ---- */

static int count_entries(char *last, bool *others) {
  int n = 0;
  DIR *dir = opendir(entries);
  *others = false;
  for (struct dirent *e; dir && (e = readdir(dir));) {
    const char *end = strrchr(e->d_name, '.');
    if (end && !strcmp(end, ".bin")) {
      n++;
      snprintf(last, PATH_MAX, "%s/%s", entries, e->d_name);
    } else if (e->d_name[0] != '.') *others = true;
  }
  if (dir) closedir(dir);
  return n;
}

/* ---- Cases ---- */

static int first_use(void) {
  char path[PATH_MAX];
  bool others;
  if (compile_and_call()) return 1;
  CHECK(count_entries(path, &others) == 1 && !others);
  return 0;
}

/* Compiling is made to fail, so what is given was cached. */
static int cached(void) {
  ma_compile_make_fail(1, 1000);
  return compile_and_call();
}

static int known_is_quick(void) {
  struct timespec a, b;
  void *handle;
  CHECK(ma_cpu_compile(text, "f", NULL, 0, &handle) == MA_OK);
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (int i = 0; i < 10000; i++) ma_cpu_compile(text, "f", NULL, 0, &handle);
  clock_gettime(CLOCK_MONOTONIC, &b);
  double each = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / 10000;
  CHECK(each < 20000);
  return 0;
}

/* One byte changed, at a place that moves through the image and the trailer; then cut short. */
static int damaged(void) {
  char path[PATH_MAX], *bytes;
  size_t size;
  bool others;
  void *handle;
  CHECK(count_entries(path, &others) == 1);
  CHECK(ma_file_read(path, 1 << 24, &bytes, &size));
  size_t at[] = { 0, 5, size / 2, size - 60, size - 20, size - 3 };
  for (int i = 0; i < 7; i++) {
    size_t n = i < 6 ? size : size - 1;
    if (i < 6) bytes[at[i]] ^= 4;
    CHECK(unlink(path) == 0 && ma_file_write(path, bytes, n));
    if (i < 6) bytes[at[i]] ^= 4;
    ma_compile_make_fail(1, 1);
    CHECK(ma_cpu_compile(text, "f", NULL, 0, &handle) == MA_ERR_COMPILE && !handle);
    CHECK(strstr(ma_message(), "made to fail"));
  }
  free(bytes);
  CHECK(count_entries(path, &others) == 1 && !others);
  return compile_and_call();
}

static int another_text(void) {
  char path[PATH_MAX];
  bool others;
  void *handle;
  CHECK(ma_cpu_compile("extern \"C\" double g(double x) { return x; }", "g", NULL, 0, &handle) == MA_OK);
  CHECK(count_entries(path, &others) == 2 && !others);
  return 0;
}

static int options(void) {
  const char *two[] = { "-DK=2" }, *three[] = { "-DK=3", "-std=c++20" }, *bad[] = { "-o/tmp/x" }, *alone[] = { "-D" },
             *plugin[] = { "-fplugin=/x.so" };
  static const char source[] = "extern \"C\" double k(double x) { return K * x; }";
  void *a, *b;
  CHECK(ma_cpu_compile(source, "k", two, 1, &a) == MA_OK && ma_cpu_compile(source, "k", three, 2, &b) == MA_OK);
  CHECK(get(a, "k")(1) == 2 && get(b, "k")(1) == 3);
  const char *many[] = { "-D",          "L=1",       "--define-macro=K=L+3", "-std=c++11", "--use_fast_math",
                         "-arch=sm_90", "-lineinfo", "--maxrregcount=32" };
  CHECK(ma_cpu_compile(source, "k", many, 8, &a) == MA_OK && get(a, "k")(1) == 4);
  const char *line[] = { "-DK=2\n-o/tmp/x" }, *swallows[] = { "-D", "-o/tmp/x" };
  CHECK(ma_cpu_compile(source, "k", line, 1, &a) == MA_ERR_VALUE &&
        ma_cpu_compile(source, "k", swallows, 2, &a) == MA_ERR_COMPILE);
  CHECK(ma_cpu_compile(source, "k", bad, 1, &a) == MA_ERR_VALUE && strstr(ma_message(), "-o/tmp/x"));
  CHECK(ma_cpu_compile(source, "k", alone, 1, &a) == MA_ERR_VALUE);
  CHECK(ma_cpu_compile(source, "k", plugin, 1, &a) == MA_ERR_VALUE);
  return 0;
}

/* Included by a name that only a macro tells. */
#define BY_MACRO "#define HEADER \"seven.h\"\n#include HEADER\nextern \"C\" double v(double) { return VALUE; }"
#define BY_NAME "#include \"seven.h\"\nextern \"C\" double v(double) { return VALUE + 1; }"

static int compile_seven(const char *source, double wanted) {
  char option[80];
  const char *list[] = { option };
  void *handle;
  snprintf(option, sizeof option, "-I%s", folder);
  CHECK(ma_cpu_compile(source, "v", list, 1, &handle) == MA_OK && get(handle, "v")(0) == wanted);
  return 0;
}

static int header_of_the_user(void) {
  char path[80];
  snprintf(path, sizeof path, "%s/seven.h", folder);
  CHECK(ma_file_write(path, "#define VALUE 7\n", 16));
  return compile_seven(BY_NAME, 8) || compile_seven(BY_MACRO, 7);
}

/* Preprocessed in another folder of work, to the same key. */
static int header_is_cached(void) {
  ma_compile_make_fail(1, 1000);
  return compile_seven(BY_NAME, 8) || compile_seven(BY_MACRO, 7);
}

static int compile_by_path(const char *source, double wanted) {
  void *handle;
  CHECK(ma_cpu_compile(source, "v", NULL, 0, &handle) == MA_OK && get(handle, "v")(0) == wanted);
  return 0;
}

/* No option tells that there is something to read, and the folder is the environment's. */
static int header_by_cpath(void) {
  char path[80];
  static const char *const source[] = {
    "#include <eight.h>\nextern \"C\" double v(double) { return VALUE; }",
    "#define HEADER <eight.h>\n#include HEADER\nextern \"C\" double v(double) { return VALUE; }"
  };
  snprintf(path, sizeof path, "%s/eight.h", folder);
  setenv("CPATH", folder, 1);
  for (int i = 0; i < 2; i++) {
    CHECK(ma_file_write(path, "#define VALUE 8\n", 16) && !compile_by_path(source[i], 8) && unlink(path) == 0);
    CHECK(ma_file_write(path, "#define VALUE 9\n", 16) && !compile_by_path(source[i], 9) && unlink(path) == 0);
  }
  return 0;
}

/* A header that changes gives another object. */
static int includes(void) {
  char option[80], path[80];
  const char *list[] = { option };
  static const char source[] = "#include \"value.h\"\nextern \"C\" double v(double) { return VALUE; }";
  void *handle;
  snprintf(option, sizeof option, "-I%s", folder);
  snprintf(path, sizeof path, "%s/value.h", folder);
  CHECK(ma_file_write(path, "#define VALUE 5\n", 16) && ma_cpu_compile(source, "v", list, 1, &handle) == MA_OK &&
        get(handle, "v")(0) == 5);
  CHECK(unlink(path) == 0 && ma_file_write(path, "#define VALUE 6\n", 16) &&
        ma_cpu_compile(source, "v", list, 1, &handle) == MA_OK);
  CHECK(get(handle, "v")(0) == 6);
  CHECK(unlink(path) == 0 && ma_cpu_compile(source, "v", list, 1, &handle) == MA_ERR_COMPILE &&
        strstr(ma_message(), "value.h"));
  return 0;
}

static int message(void) {
  static const char source[] =
    "static int ours = 1;\n#line 1 \"square\"\nfirst_of_user\n= 4;\nint b = 2;\nint c = 3;\n#line 5 \"rest\"\nint k;\n";
  void *handle;
  char path[PATH_MAX];
  bool others;
  CHECK(ma_cpu_compile(source, "hostile \"name\"\n#error", NULL, 0, &handle) == MA_ERR_COMPILE && !handle);
  CHECK(strstr(ma_message(), "square:1:") && strstr(ma_message(), ">    1  first_of_user\n"));
  CHECK(strstr(ma_message(), "     4  int c = 3;") && !strstr(ma_message(), "int k") &&
        !strstr(ma_message(), "static int ours"));
  count_entries(path, &others);
  CHECK(!others);
  return 0;
}

static int nvrtc_message(void) {
  static const char source[] = "a\nb\nc\nd\ne\nf\n#line 20 \"body\"\nx\ny\nz\n";
  ma_compile_fail("map", source, "map(5): error: e is no type\n\n1 error detected in the compilation of \"map\".\n");
  CHECK(strstr(ma_message(), "     2  b\n     3  c\n     4  d\n>    5  e\n     6  f\n") && !strstr(ma_message(), "20"));
  ma_compile_fail("map", source, "lib.h(3): catastrophic error: no\nbody(21): error: y\n");
  CHECK(strstr(ma_message(), "    20  x\n>   21  y\n    22  z\n") && !strstr(ma_message(), "  f\n"));
  ma_compile_fail("map", source, "body(99): error: nowhere");
  CHECK(!strstr(ma_message(), "  x\n"));
  ma_compile_fail("map", "", NULL);
  CHECK(strstr(ma_message(), "no log"));
  return 0;
}

static int long_log(void) {
  char *log = malloc(100000);
  for (int i = 0; i < 99999; i++) log[i] = i % 80 == 79 ? '\n' : 'x';
  log[99999] = 0;
  ma_compile_fail("map", "a\n", log);
  free(log);
  CHECK(strlen(ma_message()) < 8000 && strstr(ma_message(), "x\n...\n"));
  return 0;
}

static int unusable_folder(void) {
  char parent[80], path[80];
  snprintf(parent, sizeof parent, "%s/tmp", folder);
  snprintf(path, sizeof path, "%s/open", folder);
  CHECK(mkdir(parent, 0700) == 0 && mkdir(path, 0700) == 0 && chmod(path, 0777) == 0);
  setenv("MOONARRAY_CACHE_DIR", path, 1);
  setenv("TMPDIR", parent, 1);
  if (compile_and_call()) return 1;
  CHECK(rmdir(parent) == 0 && rmdir(path) == 0); /* nothing was left in either */
  return 0;
}

/* Nothing that is mounted below `path` is seen by other processes. In a chroot "/" is no mount point, so the folder
** becomes one. */
static bool keep_mounts_private(const char *path) {
  return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 ||
         (mount(path, path, NULL, MS_BIND, NULL) == 0 && mount(NULL, path, NULL, MS_PRIVATE, NULL) == 0);
}

/* Mounts a file system of this process's own there, which goes with the process. */
static bool mount_here(const char *path, unsigned long flags, const char *options) {
  if (mkdir(path, 0700) == 0 && unshare(CLONE_NEWNS) == 0 && keep_mounts_private(path) &&
      mount("none", path, "tmpfs", flags, options) == 0)
    return true;
  printf("skipped: no file system can be mounted\n");
  return false;
}

static bool fill(const char *path) {
  static const char zeros[4096];
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  if (fd < 0) return false;
  for (ssize_t n = 1; n > 0;) n = write(fd, zeros, sizeof zeros);
  close(fd);
  return true;
}

/* The cache's folder on a file system without room, or with just room for a folder and its marker. */
static int compile_in_full(const char *name, const char *options, bool filled) {
  char path[80], file[96];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  snprintf(file, sizeof file, "%s/file", path);
  if (!mount_here(path, 0, options)) return rmdir(path);
  setenv("MOONARRAY_CACHE_DIR", path, 1);
  CHECK(ma_cache_folder());
  CHECK(!filled || fill(file));
  return compile_and_call();
}
static int full_folder(void) { return compile_in_full("full", "size=64k,mode=700", true); }
static int small_folder(void) { return compile_in_full("small", "size=16k,mode=700", false); }
static int no_inodes(void) { return compile_in_full("inodes", "size=64m,nr_inodes=3,mode=700", false); }

/* A quota shows only in what is written: a limit of this process stands for it, in all places but one that needs no
** such file. */
static int cannot_write(void) {
  struct rlimit limit = { 20000, 20000 };
  void *handle;
  signal(SIGXFSZ, SIG_IGN);
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK(ma_cpu_compile("char large[1 << 20] = {1}; extern \"C\" double l(double x) { return x; }", "l", NULL, 0,
                       &handle) != MA_OK &&
        !handle);
  return 0;
}

static int no_code_in_cache(void) {
  char path[80], last[PATH_MAX];
  bool others;
  snprintf(path, sizeof path, "%s/noexec", folder);
  if (!mount_here(path, MS_NOEXEC, "size=64m,mode=700")) return rmdir(path);
  setenv("MOONARRAY_CACHE_DIR", path, 1);
  snprintf(entries, sizeof entries, "%s/" MA_CACHE_FOLDER, path);
  pid_t pid = fork(); /* the folder is asked for once a process */
  if (pid == 0) _exit(compile_and_call());
  int code;
  CHECK(waitpid(pid, &code, 0) == pid && code == 0);
  CHECK(count_entries(last, &others) == 1 && !others);
  ma_compile_make_fail(1, 1000); /* the entry is used, though it cannot be run where it lies */
  if (compile_and_call()) return 1;
  CHECK(count_entries(last, &others) == 1 && !others);
  return 0;
}

static int no_code_in_tmpdir(void) {
  char path[80];
  snprintf(path, sizeof path, "%s/tmpdir", folder);
  if (!mount_here(path, MS_NOEXEC, "size=64m,mode=700")) return rmdir(path);
  setenv("MOONARRAY_CACHE_DIR", "/proc/nowhere", 1);
  setenv("TMPDIR", path, 1);
  return compile_and_call();
}

/* What lies in an entry's place does not keep the kernel from its work, and is not touched unless it is a damaged
** entry. */
static int in_place_of_entry(void) {
  char path[PATH_MAX], photo[96];
  bool others;
  struct stat st;
  snprintf(photo, sizeof photo, "%s/photo", folder);
  CHECK(ma_file_write(photo, "photo", 5) && count_entries(path, &others) == 1);
  for (int kind = 0; kind < 6; kind++) {
    CHECK(unlink(path) == 0 || rmdir(path) == 0);
    CHECK(kind == 0   ? mkfifo(path, 0600) == 0
          : kind == 1 ? mkdir(path, 0700) == 0
          : kind == 2 ? symlink(photo, path) == 0
          : kind == 3 ? mknod(path, S_IFSOCK | 0600, 0) == 0
          : kind == 4 ? ma_file_write(path, "short", 5)
                      : ma_file_write(path, "", 0));
    pid_t pid = fork();
    if (pid == 0) {
      alarm(60);
      _exit(compile_and_call());
    }
    int code;
    CHECK(waitpid(pid, &code, 0) == pid && code == 0);
    CHECK(lstat(path, &st) == 0);
    mode_t is = st.st_mode & S_IFMT;
    CHECK(is == (kind == 0 ? S_IFIFO : kind == 1 ? S_IFDIR : kind == 2 ? S_IFLNK : kind == 3 ? S_IFSOCK : S_IFREG));
    CHECK(kind < 4 || st.st_size > 1000); /* compiled anew, and stored */
  }
  CHECK(stat(photo, &st) == 0 && st.st_size == 5 && count_entries(path, &others) == 1 && !others);
  return 0;
}

static int no_compiler(void) {
  void *handle;
  char path[PATH_MAX];
  bool others;
  setenv("CXX", "/nowhere/c++ -O2", 1);
  setenv("PATH", "/nowhere", 1);
  CHECK(ma_cpu_compile(text, "f", NULL, 0, &handle) == MA_ERR_LIBRARY && !handle);
  CHECK(strstr(ma_message(), "install the package g++"));
  count_entries(path, &others);
  CHECK(!others);
  return 0;
}

static int words_of_cxx(void) {
  setenv("CXX", "env  g++", 1);
  return compile_and_call();
}

static int sigchld_ignored(void) {
  void *handle;
  signal(SIGCHLD, SIG_IGN);
  CHECK(ma_cpu_compile("extern \"C\" double s(double x) { return -x; }", "s", NULL, 0, &handle) == MA_OK &&
        get(handle, "s")(1) == -1);
  CHECK(ma_cpu_compile("int s = q;", "s", NULL, 0, &handle) == MA_ERR_COMPILE);
  return 0;
}

static void *in_thread(void *result) {
  static const char source[] = "extern \"C\" double t(double x) { return x * 2; }";
  if (ma_cpu_compile(source, "t", NULL, 0, (void **)result) != MA_OK) *(void **)result = NULL;
  return NULL;
}

static int threads(void) {
  pthread_t thread[4];
  void *handle[4];
  for (int i = 0; i < 4; i++) CHECK(pthread_create(&thread[i], NULL, in_thread, &handle[i]) == 0);
  for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < 4; i++) CHECK(handle[i] && handle[i] == handle[0]);
  return 0;
}

static void run_case(const char *name, int (*fn)(void)) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    int code = fn();
    fflush(stdout);
    _exit(code);
  }
  int code = -1;
  waitpid(pid, &code, 0);
  if (code == 0) passed++;
  else {
    failed++;
    printf("%s failed (%d)\n", name, code);
  }
}
#define RUN(name) run_case(#name, name)

int main(void) {
  strcpy(folder, "/tmp/moonarray.spec.XXXXXX");
  if (!mkdtemp(folder)) return 1;
  setenv("MOONARRAY_CACHE_DIR", folder, 1);
  snprintf(entries, sizeof entries, "%s/" MA_CACHE_FOLDER, folder);
  run_case("first use", first_use);
  RUN(cached);
  RUN(known_is_quick);
  RUN(damaged);
  RUN(cached);
  RUN(in_place_of_entry);
  RUN(cached);
  RUN(another_text);
  RUN(options);
  RUN(includes);
  RUN(header_of_the_user);
  RUN(header_is_cached);
  RUN(header_by_cpath);
  RUN(message);
  RUN(nvrtc_message);
  RUN(long_log);
  RUN(unusable_folder);
  RUN(full_folder);
  RUN(small_folder);
  RUN(no_inodes);
  RUN(cannot_write);
  RUN(no_code_in_cache);
  RUN(no_code_in_tmpdir);
  RUN(no_compiler);
  RUN(words_of_cxx);
  RUN(sigchld_ignored);
  RUN(threads);
  char command[96];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  if (system(command) != 0) failed++;
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
