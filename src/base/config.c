/* config.c: the switches of config.def. They are read from the environment once, at the first query; a variable that is
** no switch, and a value that says nothing, are named then on the standard error stream. */
#include "base/distance.h"
#include "base/number.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef enum switch_type { STRING, INT, BOOL, SECRET } switch_type;

static const struct {
  const char *name, *fallback, *doc;
  switch_type type;
} switches[MA_NCONFIG] = {
#define SWITCH(id, name, type, fallback, doc) { "MOONARRAY_" name, fallback, doc, type },
#include "base/config.def"
#undef SWITCH
};

static char *texts[MA_NCONFIG]; /* copies, because the environment may change */
static int64_t numbers[MA_NCONFIG];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The specs' own variables are no switches. */
#define PREFIX "MOONARRAY_"
#define OF_SPECS "MOONARRAY_SPEC_"
#define LONGEST 64 /* letters of a name */

static bool parse_bool(const char *text, int64_t *value) {
  static const char *const words[][2] = { { "0", "1" }, { "false", "true" }, { "no", "yes" }, { "off", "on" } };
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    for (int on = 0; on < 2; on++)
      if (!strcasecmp(text, words[k][on])) {
        *value = on;
        return true;
      }
  return false;
}

static bool parse_int(const char *text, int64_t *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  return end != text && *end == '\0' && errno == 0;
}

static bool parse(switch_type type, const char *text, int64_t *value) {
  *value = 0;
  return type == STRING || type == SECRET || (type == INT ? parse_int : parse_bool)(text, value);
}

/* Topics of MOONARRAY_TRACE that no ma_trace has. */
static void check_topics(const char *list) {
  static const char *const topics[] = { "jit", "mem", "fuse", "way", "linalg", "grad" };
  while (*list) {
    size_t n = strcspn(list, ","), k = 0, count = sizeof topics / sizeof *topics;
    while (k < count && (strlen(topics[k]) != n || strncmp(topics[k], list, n) != 0)) k++;
    if (k == count && n)
      fprintf(stderr,
              "moonarray: MOONARRAY_TRACE has no topic '%.*s'; wanted jit, mem, fuse, way, linalg or grad, by commas\n",
              n > 40 ? 40 : (int)n, list);
    list += n + (list[n] == ',');
  }
}

static void read_switch(int k) {
  const char *text = getenv(switches[k].name);
  if (!text || !*text) text = switches[k].fallback;
  if (!parse(switches[k].type, text, &numbers[k])) {
    fprintf(stderr, "moonarray: %s is '%.40s'; wanted %s; %s is used\n", switches[k].name, text,
            switches[k].type == INT ? "a whole number" : "1 or 0, true or false, yes or no, on or off",
            switches[k].fallback);
    text = switches[k].fallback;
    parse(switches[k].type, text, &numbers[k]);
  }
  texts[k] = strdup(text);
}

/* The switch whose name needs the fewest changes to be this one, if half of the letters stay; else NULL. */
static const char *nearest_switch(const char *name) {
  int best = (int)(strlen(name) - strlen(PREFIX)) / 2;
  const char *nearest = NULL;
  for (int k = 0; k < MA_NCONFIG; k++) {
    int distance = ma_edit_distance(name, switches[k].name);
    if (distance < best || (distance == best && !nearest)) best = distance, nearest = switches[k].name;
  }
  return nearest;
}

static void name_unknown(const char *variable) {
  char name[LONGEST];
  size_t n = strcspn(variable, "=");
  if (strncmp(variable, PREFIX, strlen(PREFIX)) != 0 || !strncmp(variable, OF_SPECS, strlen(OF_SPECS))) return;
  if (n >= sizeof name) n = sizeof name - 1;
  memcpy(name, variable, n);
  name[n] = '\0';
  for (int k = 0; k < MA_NCONFIG; k++)
    if (!strcmp(name, switches[k].name)) return;
  const char *nearest = nearest_switch(name);
  fprintf(stderr, "moonarray: %s is no switch%s%s%s\n", name, nearest ? "; did you mean " : "", nearest ? nearest : "",
          nearest ? "?" : "; ma.show_config() lists them");
}

static void read_environment(void) {
  for (int k = 0; k < MA_NCONFIG; k++) read_switch(k);
  check_topics(texts[MA_CONFIG_TRACE]);
  for (char **variable = environ; variable && *variable; variable++) name_unknown(*variable);
}

int64_t ma_config_int(ma_switch which) {
  pthread_once(&once, read_environment);
  return numbers[which];
}

const char *ma_config_string(ma_switch which) {
  pthread_once(&once, read_environment);
  return texts[which] ? texts[which] : "";
}

const char *ma_config_name(ma_switch which) { return switches[which].name; }
const char *ma_config_doc(ma_switch which) { return switches[which].doc; }
const char *ma_config_default(ma_switch which) { return switches[which].fallback; }

static int tf32 = -1; /* atomic; -1: the switch decides */

bool ma_config_tf32(int set) {
  int now = __atomic_load_n(&tf32, __ATOMIC_RELAXED);
  bool on = now >= 0 ? now != 0 : ma_config_int(MA_CONFIG_TF32) != 0;
  if (set >= 0) __atomic_store_n(&tf32, set, __ATOMIC_RELAXED);
  return on;
}

bool ma_config_traces(const char *topic) {
  const char *list = ma_config_string(MA_CONFIG_TRACE);
  size_t length = strlen(topic);
  for (const char *at = list; (at = strstr(at, topic)) != NULL; at += length)
    if ((at == list || at[-1] == ',') && (at[length] == '\0' || at[length] == ',')) return true;
  return false;
}

void ma_trace(const char *topic, const char *format, ...) {
  if (!ma_config_traces(topic)) return;
  va_list args;
  va_start(args, format);
  fprintf(stderr, "moonarray %s: ", topic);
  ma_vprint_error(format, args);
  fputc('\n', stderr);
  va_end(args);
}
