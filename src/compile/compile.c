/*
** compile.c: shows generated texts on request, and reports errors of compilers with the user's own lines.
**
** A text consists of parts of the library and of the user. Each begins with `#line N "name"`. The log names a part and
** a line of it, in the form of NVRTC, name(12): error: ..., or of C++ compilers, name:12:5: error: ...
*/
#include "compile/cache.h"
#include "compile/compile.h"
#include "compile/prepare.h"
#include "memory/wait.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LOG 6000 /* bytes of a log in a message */
#define AROUND 3      /* lines before and after the first error */

/* ---- Places ---- */

typedef struct place {
  const char *name;
  int size, line;
} place; /* name: has `size` bytes and no terminator */

/* Reads `#line 12 "name"` or `# 12 "name"`: the place of the following line. Without a name the part continues. */
static bool read_marker(const char *at, place *here) {
  at += strspn(at, " \t");
  if (*at++ != '#') return false;
  at += strspn(at, " \t");
  if (!strncmp(at, "line", 4)) at += 4;
  char *end;
  long line = strtol(at, &end, 10);
  if (end == at || line < 0 || line > 1 << 28) return false;
  here->line = (int)line;
  end += strspn(end, " \t");
  if (*end == '"') {
    here->name = end + 1;
    here->size = (int)strcspn(here->name, "\"\n");
  }
  return true;
}

static bool same_place(const place *a, const place *b) {
  return a->line == b->line && a->size == b->size && !memcmp(a->name, b->name, (size_t)a->size);
}

/* Reads the place at the start of a line of the log, if the line reports an error. */
static bool read_error(const char *at, int n, place *found) {
  const char *end = at + n, *word = at;
  for (; word + 5 <= end; word++)
    if (!memcmp(word, "error", 5) && word > at && word[-1] == ' ') break;
  if (word + 5 > end) return false;
  for (const char *p = at + 1; p < word; p++)
    if ((*p == '(' || *p == ':') && isdigit((unsigned char)p[1])) {
      *found = (place){ at, (int)(p - at), atoi(p + 1) };
      return true;
    }
  return false;
}

/* The line of a text that is being read, with its place. */
typedef struct text_line {
  const char *at;
  int n;
  place here;
  bool marker;
} text_line;

static void start_lines(text_line *l, const char *name, const char *text) {
  *l = (text_line){ text, -1, { name, (int)strlen(name), 0 }, false };
}

static bool next_line(text_line *l) {
  if (l->n >= 0) l->at += l->n + (l->at[l->n] == '\n');
  if (!*l->at) return false;
  if (!l->marker) l->here.line++;
  l->n = (int)strcspn(l->at, "\n");
  l->marker = read_marker(l->at, &l->here);
  return true;
}

/* ---- The message ---- */

/* Pieces that a backend adds to a line, and where each ends. */
static const struct {
  const char *start, *end;
} pieces[] = { { MA_COMPILE_ADDED, "));" }, { MA_COMPILE_CHECK, "));" }, { MA_COMPILE_INDICES ", ", "" },
               { MA_COMPILE_INDICES, "" },  { MA_COMPILE_LOCALS, "" },   { MA_COMPILE_END, "" } };

/* The first piece between `line` and `end`: its start, or `end`. *after is where the line goes on behind it. */
static const char *find_piece(const char *line, const char *end, const char **after) {
  const char *first = end;
  *after = end;
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    const char *found = strstr(line, pieces[i].start);
    if (!found || found >= first) continue;
    const char *rest = strstr(found + strlen(pieces[i].start), pieces[i].end);
    first = found;
    *after = rest && rest < end ? rest + strlen(pieces[i].end) : end;
  }
  return first;
}

/* Prints a line of n bytes without the pieces that a backend added. */
static void put_line(ma_ctext *out, const char *line, int n) {
  for (const char *end = line + n, *after; line < end; line = after) {
    const char *piece = find_piece(line, end, &after);
    ma_ctext_add(out, "%.*s", (int)(piece - line), line);
  }
}

/* Prints the lines around the first line of that name and number. A marker ends them, because another part begins
** there. */
static bool put_around(ma_ctext *out, const char *name, const char *text, const place *error) {
  text_line l, from;
  int since = 0; /* lines between `from` and here */
  for (start_lines(&l, name, text), from = l; next_line(&l);) {
    if (l.marker) {
      since = 0;
      continue;
    }
    if (since == 0) from = l;
    if (++since > AROUND + 1) {
      next_line(&from);
      since--;
    }
    if (same_place(&l.here, error)) break;
  }
  if (!*l.at) return false;
  l = from;
  do {
    if (l.marker) break;
    ma_ctext_add(out, "%c%5d  ", l.here.line == error->line ? '>' : ' ', l.here.line);
    put_line(out, l.at, l.n);
    ma_ctext_put(out, "\n");
  } while (next_line(&l) && l.here.line <= error->line + AROUND);
  return true;
}

/* Prints the first error whose place is in the text. The place may also be in a header. */
static void put_excerpt(ma_ctext *out, const char *name, const char *text, const char *log) {
  for (const char *at = log; *at;) {
    int n = (int)strcspn(at, "\n");
    place error;
    if (read_error(at, n, &error) && put_around(out, name, text, &error)) return;
    at += n + (at[n] == '\n');
  }
}

static void print_numbered(const char *name, const char *text, const char *log) {
  text_line l;
  fprintf(stderr, "%s\n", log);
  for (start_lines(&l, name, text); next_line(&l);)
    if (l.marker) fprintf(stderr, "       %.*s\n", l.n, l.at);
    else fprintf(stderr, "%5d  %.*s\n", l.here.line, l.n, l.at);
}

/* Bytes of the log's whole lines that fit a message. */
static int log_size(const char *log) {
  size_t n = strlen(log);
  if (n > MOST_LOG)
    for (n = MOST_LOG; n > MOST_LOG / 2 && log[n - 1] != '\n'; n--) {}
  return (int)n;
}

ma_status ma_compile_fail(const char *name, const char *text, const char *log) {
  ma_ctext around = { 0 };
  if (!log) log = "no log";
  put_excerpt(&around, name, text, log);
  if (ma_config_int(MA_CONFIG_DEBUG) >= 3) print_numbered(name, text, log);
  int n = log_size(log);
  const char *end = n > 0 && log[n - 1] == '\n' ? "" : "\n";
  ma_status status = ma_fail(MA_ERR_COMPILE, "kernel %.100s did not compile:\n%.*s%s%s%s", name, n, log, end,
                             log[n] ? "...\n" : "", around.bytes ? around.bytes : "");
  ma_ctext_free(&around);
  return status;
}

/* ---- Showing texts ---- */

const char *ma_compile_name(const char *name, char *safe, size_t size) {
  size_t n = 0;
  for (; name[n] && n + 1 < size; n++) {
    unsigned char c = (unsigned char)name[n];
    bool plain = (c < 128 && isalnum(c)) || c == '_' || c == '-' || (c == '.' && n > 0);
    safe[n] = plain ? name[n] : '_';
  }
  safe[n] = 0;
  return safe;
}

/* Writes beside the path and renames, so that a text that is there stays until the new one is whole. The path is
** predictable, so a link or a pipe in its place stays too. (src/files has the writer of users' files; it is above.) */
static bool write_whole(const char *path, const char *text, size_t size) {
  char made[4096 + 32];
  uint64_t random = 0;
  struct stat st;
  if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) return false;
  (void)!getrandom(&random, sizeof random, GRND_NONBLOCK);
  snprintf(made, sizeof made, "%s.%016llx", path, (unsigned long long)random);
  int fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) return false;
  bool ok = ma_write_all(fd, text, size);
  ok = close(fd) == 0 && ok && rename(made, path) == 0;
  if (!ok) unlink(made);
  return ok;
}

void ma_compile_show(const char *name, const char *extension, const char *text) {
  const char *in = ma_config_string(MA_CONFIG_DUMP);
  char safe[80], path[4096];
  ma_compile_name(name, safe, sizeof safe);
  if (ma_config_int(MA_CONFIG_DEBUG) >= 3) fprintf(stderr, "moonarray: source of %s:\n%s\n", safe, text);
  if (!*in) return;
  size_t size = strlen(text);
  snprintf(path, sizeof path, "%s/%s_%016llx%s", in, safe, (unsigned long long)ma_hash(text, size, 0), extension);
  if (!write_whole(path, text, size)) fprintf(stderr, "moonarray: %s cannot be written\n", path);
}

/* ---- Failures for specs: counts down to the first compilation that fails, then the failures ---------------------- */

static int64_t fail_after, fail_times;

void ma_compile_make_fail(int64_t n, int64_t times) {
  __atomic_store_n(&fail_times, times, __ATOMIC_RELAXED);
  __atomic_store_n(&fail_after, n, __ATOMIC_RELAXED);
}

int64_t ma_compiles, ma_kernels;
bool ma_compile_at_once, ma_compile_general;
static __thread bool background;

void ma_compile_background(void) { background = true; }

bool ma_compile_yields(void) { return __builtin_expect(ma_wait_forbidden != MA_WAIT_ALLOWED, 0) && !ma_prepare.on; }

ma_status ma_compile_may_wait(const char *name) {
  char safe[80];
  if (!ma_compile_yields()) return MA_OK;
  return ma_fail(
    MA_ERR_VALUE,
    "kernel %s would be compiled now, where allow_synchronize(false) holds; call its prepare(...) before and "
    "ask ready(), or call it once before the first frame",
    ma_compile_name(name, safe, sizeof safe));
}

ma_status ma_compile_begin(const char *name) {
  __atomic_add_fetch(&ma_compiles, 1, __ATOMIC_RELAXED);
  int64_t after = __atomic_load_n(&fail_after, __ATOMIC_RELAXED);
  if (after == 0 || background) return MA_OK;
  if (after > 1) {
    __atomic_sub_fetch(&fail_after, 1, __ATOMIC_RELAXED);
    return MA_OK;
  }
  if (__atomic_sub_fetch(&fail_times, 1, __ATOMIC_RELAXED) <= 0) __atomic_store_n(&fail_after, 0, __ATOMIC_RELAXED);
  char safe[80];
  return ma_fail(MA_ERR_COMPILE, "kernel %s did not compile: it was made to fail",
                 ma_compile_name(name, safe, sizeof safe));
}
