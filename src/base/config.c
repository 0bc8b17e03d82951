/* config.c: the switches of config.def. They are read from the environment once, at the first query. */
#include "base/number.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int64_t parse_number(switch_type type, const char *text) {
  if (type == STRING || type == SECRET) return 0;
  if (type == BOOL && (!strcmp(text, "true") || !strcmp(text, "yes") || !strcmp(text, "on"))) return 1;
  return strtoll(text, NULL, 10);
}

static void read_environment(void) {
  for (int k = 0; k < MA_NCONFIG; k++) {
    const char *text = getenv(switches[k].name);
    texts[k] = strdup(text && *text ? text : switches[k].fallback);
    numbers[k] = texts[k] ? parse_number(switches[k].type, texts[k]) : 0;
  }
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
