/*
** cache.c: the folder of compiled kernels: entries are found again, what they take is bounded, and nothing is touched
** that is none.
**
** Each case runs in a process of its own, since the folder is asked for once a process, and in a folder of its own.
*/
#include "compile/cache.h"
#include "compile/compile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[64], entries[128];
static int passed, failed;

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      printf("line %d: %s (%s)\n", __LINE__, #condition, strerror(errno)); \
      return 1;                                                            \
    }                                                                      \
  } while (0)
#define MIB (1 << 20)

/* ---- Files ---- */

static bool make_file(const char *path, const void *bytes, size_t n, off_t size, int days) {
  struct timespec times[2] = { { time(NULL) - days * 86400, 0 }, { time(NULL) - days * 86400, 0 } };
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (fd < 0) return false;
  bool ok = pwrite(fd, bytes, n, size - (off_t)n) == (ssize_t)n && futimens(fd, times) == 0;
  return close(fd) == 0 && ok;
}

static bool make_old(const char *path, int days) {
  struct timespec times[2] = { { time(NULL) - days * 86400, 0 }, { time(NULL) - days * 86400, 0 } };
  return utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The path is never freed: a case is a process. */
static const char *at(const char *in, const char *name) {
  char *path;
  if (asprintf(&path, "%s/%s", in, name) < 0) abort();
  return path;
}

static bool exists(const char *path) {
  struct stat st;
  return lstat(path, &st) == 0;
}

/* A file of `size` bytes that is an entry by its name and its trailer: a sparse one, whose image is zeros. */
static bool make_entry(uint64_t number, off_t size, int days) {
  ma_cache_trailer t = { .key = { number, 7 }, .size = (uint64_t)size - sizeof t, .magic = "MAKERNEL" };
  char name[64];
  snprintf(name, sizeof name, "%016llx%016llx.bin", (unsigned long long)t.key[0], (unsigned long long)t.key[1]);
  return make_file(at(entries, name), &t, sizeof t, size, days);
}

static bool has_entry(uint64_t number) {
  char name[64];
  snprintf(name, sizeof name, "%016llx%016llx.bin", (unsigned long long)number, 7ull);
  return exists(at(entries, name));
}

static int64_t bytes_of_entries(int *n) {
  int64_t total = 0;
  DIR *dir = opendir(entries);
  *n = 0;
  for (struct dirent *e; dir && (e = readdir(dir));) {
    struct stat st;
    if (strlen(e->d_name) != 36 || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
      continue;
    total += st.st_size;
    ++*n;
  }
  if (dir) closedir(dir);
  return total;
}

static bool store(const char *text) {
  ma_image image = { (char *)text, strlen(text), MA_IMAGE_PTX };
  return ma_cache_store(text, "salt", &image, 1);
}

/* The image is the text itself. */
static bool loads(const char *text) {
  ma_image image;
  if (!ma_cache_load(text, "salt", &image)) return false;
  bool same = image.size == strlen(text) && !memcmp(image.bytes, text, image.size + 1) && image.kind == MA_IMAGE_PTX;
  ma_image_free(&image);
  return same;
}

/* ---- Cases ---- */

static int is_found_again(void) {
  int n;
  CHECK(!loads("a") && store("a") && loads("a") && !loads("b"));
  CHECK(store("a") && loads("a") && bytes_of_entries(&n) == 1 + (int64_t)sizeof(ma_cache_trailer) && n == 1);
  ma_cache_drop("b", "salt");
  CHECK(loads("a"));
  ma_cache_drop("a", "salt");
  CHECK(!loads("a") && bytes_of_entries(&n) == 0);
  return 0;
}

/* What was stored with another salt, and files that are no entries, do not count. */
static int is_known_by_its_salt(void) {
  ma_image image = { "image", 5, MA_IMAGE_CUBIN };
  CHECK(!ma_cache_has("salt") && ma_cache_store("a", "other", &image, 1) && !ma_cache_has("salt"));
  CHECK(make_file(at(entries, "0123456789abcdef0123456789abcdef.bin"), "my bytes", 8, 8, 0));
  CHECK(!ma_cache_has("salt") && store("a") && ma_cache_has("salt") && ma_cache_has("other"));
  ma_cache_drop("a", "salt");
  CHECK(!ma_cache_has("salt") && ma_cache_has("other"));
  return 0;
}

/* 31 entries of 8 MB and one more are below 256 MB, 33 are above: the oldest go, down to three quarters. */
static int is_bounded(void) {
  int n;
  CHECK(ma_cache_folder());
  for (int i = 0; i < 31; i++) CHECK(make_entry((uint64_t)i, 8 * MIB, 100 - i));
  CHECK(store("a") && bytes_of_entries(&n) > 31 * 8 * MIB && n == 32);
  for (int i = 31; i < 33; i++) CHECK(make_entry((uint64_t)i, 8 * MIB, 100 - i));
  for (int i = 0; i < 63; i++) CHECK(store("a"));
  CHECK(bytes_of_entries(&n) == 33 * 8 * MIB + 1 + (int64_t)sizeof(ma_cache_trailer));
  CHECK(store("a") && bytes_of_entries(&n) <= 192 * MIB && n >= 24);
  for (int i = 0; i < 33; i++) CHECK(has_entry((uint64_t)i) == (i >= 33 - (n - 1)));
  CHECK(loads("a"));
  return 0;
}

/* What this process stores is counted as it is stored. */
static int is_bounded_within_a_process(void) {
  size_t size = 30 * MIB;
  char *text = malloc(size + 1);
  int n;
  CHECK(text);
  memset(text, 'x', size);
  text[size] = 0;
  for (int i = 0; i < 12; i++) {
    text[0] = (char)('a' + i);
    CHECK(store(text) && bytes_of_entries(&n) <= MA_CACHE_MOST);
  }
  CHECK(loads(text) && n >= 5);
  free(text);
  return 0;
}

/* Files of the user's in both folders, all older than any entry and larger than all of them. */
static int files_of_the_user_stay(void) {
  static const char *const file[] = { "photo.jpg",
                                      "thesis.pdf",
                                      "0123456789abcdef0123456789abcdef",
                                      "0123456789abcdef0123456789abcdef.bin",
                                      "fedcba9876543210fedcba9876543210.bin",
                                      "ffffffffffffffffffffffffffffffff.bin.XXXXXX",
                                      ".hidden" };
  static const char *const name[] = { "moonarray.backup", "moonarray.abcdef", "moonarray-work.backup",
                                      "moonarray-work.abcdef" };
  const char *in[] = { folder, entries };
  ma_cache_trailer other = { .key = { 1, 2 }, .size = 300ull * MIB - sizeof other, .magic = "MAKERNEL" };
  CHECK(ma_cache_folder());
  for (int f = 0; f < 2; f++) {
    for (int i = 0; i < 7; i++)
      CHECK(make_file(at(in[f], file[i]), i == 4 ? (void *)&other : "my bytes", i == 4 ? sizeof other : 8, 300 * MIB,
                      1000));
    for (int i = 0; i < 4; i++) {
      CHECK(mkdir(at(in[f], name[i]), 0700) == 0);
      CHECK(make_file(at(at(in[f], name[i]), "thesis"), "my bytes", 8, 8, 1000) && make_old(at(in[f], name[i]), 1000));
    }
  }
  CHECK(symlink(at(folder, file[3]), at(entries, "11111111111111111111111111111111.bin")) == 0);
  CHECK(symlink(at(folder, name[0]), at(entries, "moonarray-work.link00")) == 0);
  for (int i = 0; i < 33; i++) CHECK(make_entry((uint64_t)i, 8 * MIB, 100 - i));
  CHECK(store("a") && !has_entry(0) && has_entry(32) && loads("a"));
  for (int f = 0; f < 2; f++) {
    for (int i = 0; i < 7; i++) CHECK(exists(at(in[f], file[i])));
    for (int i = 0; i < 4; i++) CHECK(exists(at(at(in[f], name[i]), "thesis")));
  }
  CHECK(exists(at(entries, "11111111111111111111111111111111.bin")) && exists(at(entries, "moonarray-work.link00")));
  return 0;
}

/* A folder of work as a process leaves it that is killed: made by the library, then aged. */
static int leave_work(char *path, const char *more, int days) {
  CHECK(ma_work_make(entries, path));
  CHECK(ma_file_write(at(path, "kernel.cpp"), "int x;", 6) && ma_file_write(at(path, "ccA1b2C3.s"), "", 0) &&
        ma_file_write(at(path, "entry"), "x", 1));
  CHECK(!more || ma_file_write(at(path, more), "my bytes", 8));
  static const char *const name[] = { "kernel.cpp", "ccA1b2C3.s", "entry", ".moonarray-work" };
  for (int i = 0; i < 4; i++) CHECK(make_old(at(path, name[i]), days));
  CHECK(!more || make_old(at(path, more), days));
  CHECK(make_old(path, days));
  return 0;
}

static int abandoned_work_goes(void) {
  char old[PATH_MAX], young[PATH_MAX], used[PATH_MAX], unmarked[PATH_MAX], linked[PATH_MAX];
  CHECK(ma_cache_folder());
  CHECK(!leave_work(old, NULL, 2) && !leave_work(young, NULL, 0) && !leave_work(used, "thesis.tex", 2));
  CHECK(!leave_work(unmarked, NULL, 2) && unlink(at(unmarked, ".moonarray-work")) == 0 && make_old(unmarked, 2));
  CHECK(!leave_work(linked, NULL, 2) && unlink(at(linked, "kernel.cpp")) == 0 &&
        symlink("/etc/hostname", at(linked, "kernel.cpp")) == 0);
  CHECK(make_old(at(linked, "kernel.cpp"), 2) && make_old(linked, 2));
  CHECK(store("a"));
  CHECK(!exists(old) && exists(at(young, "kernel.cpp")) && exists(at(used, "kernel.cpp")) &&
        exists(at(used, "thesis.tex")));
  CHECK(exists(at(unmarked, "kernel.cpp")) && exists(at(linked, "kernel.cpp")));
  return 0;
}

static int in_place_of_an_entry(void) {
  ma_image image;
  char path[PATH_MAX], photo[PATH_MAX];
  struct stat st;
  alarm(60);
  CHECK(store("a") && ma_cache_find("a", "salt", path, &image));
  ma_image_free(&image);
  snprintf(photo, sizeof photo, "%s", at(folder, "photo"));
  CHECK(rename(path, photo) == 0); /* a true entry's bytes, not in its place */
  CHECK(symlink(photo, path) == 0 && !loads("a") && !store("a") && lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
        exists(photo));
  ma_cache_drop("a", "salt");
  CHECK(lstat(path, &st) == 0 && unlink(path) == 0);
  CHECK(mkfifo(path, 0600) == 0 && !loads("a") && !store("a"));
  ma_cache_drop("a", "salt");
  CHECK(lstat(path, &st) == 0 && S_ISFIFO(st.st_mode) && unlink(path) == 0);
  CHECK(mknod(path, S_IFSOCK | 0600, 0) == 0 && !loads("a") && !store("a") && lstat(path, &st) == 0 &&
        S_ISSOCK(st.st_mode) && unlink(path) == 0);
  CHECK(mkdir(path, 0700) == 0 && !loads("a") && !store("a") && rmdir(path) == 0);
  CHECK(make_file(path, "my bytes", 8, 8, 0));
  ma_cache_drop("a", "salt");
  CHECK(exists(path) && !loads("a") && store("a") && loads("a")); /* damaged: replaced */
  CHECK(truncate(path, 20) == 0 && !loads("a") && store("a") && loads("a"));
  CHECK(truncate(path, 0) == 0 && !loads("a") && store("a") && loads("a"));
  CHECK(truncate(path, (off_t)1 << 40) == 0 && !loads("a") && store("a") && loads("a"));
  CHECK(chmod(path, 0) == 0 && (geteuid() == 0 || !loads("a")) && store("a") && loads("a"));
  if (geteuid() == 0) {
    CHECK(chown(path, 12345, 12345) == 0 && !loads("a") && !store("a") && exists(path));
    CHECK(chown(path, 0, 0) == 0 && loads("a"));
  }
  return 0;
}

/* An entry under another one's name: its key is not the name's. */
static int renamed_entry(void) {
  ma_image image;
  char a[PATH_MAX], b[PATH_MAX];
  CHECK(store("a") && store("b") && ma_cache_find("a", "salt", a, &image));
  ma_image_free(&image);
  CHECK(ma_cache_find("b", "salt", b, &image));
  ma_image_free(&image);
  CHECK(rename(a, b) == 0 && !ma_cache_load("b", "salt", &image));
  ma_cache_drop("b", "salt");
  CHECK(exists(b) && store("b") && loads("b"));
  return 0;
}

/* One bit of an image is another one, the trailer as it was. */
static int flipped_bit(void) {
  ma_image image;
  char path[PATH_MAX], byte;
  CHECK(store("abc") && ma_cache_find("abc", "salt", path, &image));
  ma_image_free(&image);
  int fd = open(path, O_RDWR);
  CHECK(fd >= 0 && pread(fd, &byte, 1, 1) == 1);
  byte ^= 4;
  CHECK(pwrite(fd, &byte, 1, 1) == 1 && close(fd) == 0 && !ma_cache_load("abc", "salt", &image));
  CHECK(store("abc") && loads("abc"));
  return 0;
}

static int link_for_the_folder(void) {
  CHECK(mkdir(at(folder, "elsewhere"), 0700) == 0 && symlink(at(folder, "elsewhere"), entries) == 0);
  CHECK(!ma_cache_folder() && !store("a") && !loads("a") && rmdir(at(folder, "elsewhere")) == 0);
  return 0;
}

static int open_folder(void) {
  CHECK(mkdir(entries, 0700) == 0 && chmod(entries, 0770) == 0);
  CHECK(!ma_cache_folder() && !store("a"));
  return 0;
}

static int linked_parent(void) {
  CHECK(mkdir(at(folder, "real"), 0700) == 0 && symlink("real", at(folder, "link")) == 0);
  setenv("MOONARRAY_CACHE_DIR", at(folder, "link"), 1);
  CHECK(store("a") && loads("a") && exists(at(folder, "real/" MA_CACHE_FOLDER)));
  return 0;
}

/* ---- What a text includes, for the GPU's keys ---- */

static bool prints_otherwise(const char *text, const char *const *option, int noption, const char *header) {
  ma_ctext before = { 0 }, after = { 0 };
  unlink(header);
  bool ok = ma_file_write(header, "#define K 1\n", 12);
  ma_includes_print(&before, text, option, noption);
  ok = ok && unlink(header) == 0 && ma_file_write(header, "#define K 2\n", 12);
  ma_includes_print(&after, text, option, noption);
  ok = ok && strcmp(before.bytes ? before.bytes : "", after.bytes ? after.bytes : "") != 0;
  ma_ctext_free(&before);
  ma_ctext_free(&after);
  return ok;
}

static int headers_are_in_the_key(void) {
  const char *header = at(folder, "k.h");
  char in[80], long_option[128], short_option[128];
  snprintf(in, sizeof in, "-I%s", folder);
  snprintf(long_option, sizeof long_option, "--pre-include=%s", header);
  snprintf(short_option, sizeof short_option, "-include=%s", header);
  const char *folders[] = { in }, *pre[] = { long_option }, *other[] = { short_option },
             *apart[] = { "--pre-include", header }, *found[] = { in, "-include", "k.h" };
  CHECK(prints_otherwise("#include \"k.h\"\n", folders, 1, header) &&
        prints_otherwise("#include <k.h>\n", folders, 1, header));
  CHECK(prints_otherwise("int k;", pre, 1, header) && prints_otherwise("int k;", other, 1, header));
  CHECK(prints_otherwise("int k;", apart, 2, header) && prints_otherwise("int k;", found, 3, header));
  CHECK(prints_otherwise("#define H \"k.h\"\n#include H\n", folders, 1, header));
  CHECK(!prints_otherwise("int k;", folders, 1, header) &&
        !prints_otherwise("#include <stdint.h>\n", folders, 1, header));
  return 0;
}

/* Processes that store, load, drop and trim the same entries: what is found is whole, and nothing is left beside the
** entries. */
static int churn(int seed) {
  char text[32];
  time_t end = time(NULL) + 3;
  for (unsigned i = (unsigned)seed; time(NULL) < end; i = i * 1103515245u + 12345u) {
    snprintf(text, sizeof text, "text %u", (i >> 16) % 8);
    ma_image image;
    if ((i >> 8) % 16 == 0) ma_cache_drop(text, "salt");
    else if ((i >> 8) % 4 == 0 && !store(text)) return 1;
    else if ((i >> 8) % 64 == 1) make_entry(i % 64, 80 * MIB, 50);
    else if (ma_cache_load(text, "salt", &image)) {
      bool same = !strcmp(image.bytes, text);
      ma_image_free(&image);
      if (!same) return 2;
    }
  }
  return 0;
}

static int processes(void) {
  pid_t pid[4];
  int code, n = 0;
  CHECK(ma_cache_folder());
  for (int i = 0; i < 4; i++)
    if ((pid[i] = fork()) == 0) _exit(churn(i * 7919 + 1));
  for (int i = 0; i < 4; i++) CHECK(waitpid(pid[i], &code, 0) == pid[i] && code == 0);
  DIR *dir = opendir(entries);
  for (struct dirent *e; (e = readdir(dir));) n += e->d_name[0] != '.' && strlen(e->d_name) != 36;
  closedir(dir);
  CHECK(n == 0);
  return 0;
}

static void run_case(const char *name, int (*fn)(void)) {
  char command[96];
  strcpy(folder, "/tmp/moonarray.spec.XXXXXX");
  if (!mkdtemp(folder)) {
    failed++;
    return;
  }
  snprintf(entries, sizeof entries, "%s/" MA_CACHE_FOLDER, folder);
  setenv("MOONARRAY_CACHE_DIR", folder, 1);
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
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  if (system(command) != 0) failed++;
}
#define RUN(name) run_case(#name, name)

int main(void) {
  RUN(is_found_again);
  RUN(is_known_by_its_salt);
  RUN(is_bounded);
  RUN(is_bounded_within_a_process);
  RUN(files_of_the_user_stay);
  RUN(abandoned_work_goes);
  RUN(in_place_of_an_entry);
  RUN(renamed_entry);
  RUN(flipped_bit);
  RUN(link_for_the_folder);
  RUN(open_folder);
  RUN(linked_parent);
  RUN(headers_are_in_the_key);
  RUN(processes);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
